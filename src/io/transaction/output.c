/* Outputs: their temporary directories, from the first check to the end. */
#include "io/transaction/output.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/object_name.h"
#include "io/path.h"
#include "io/retry.h"
#include "io/transaction/copy.h"
#include "io/transaction/remote.h"

/* GDAL's drivers have 2,048 bytes for a name: that of a file, with a side file's ending. */
enum { MAX_PATH = 1900 };

/* -------------------------------------------------------------------------------------- the whole process */

static pthread_mutex_t begun_lock = PTHREAD_MUTEX_INITIALIZER;
static gv_output *begun;
static atomic_bool renaming;

void gv_outputs_lock(void) {
  pthread_mutex_lock(&begun_lock);
}

void gv_outputs_unlock(void) {
  pthread_mutex_unlock(&begun_lock);
}

void gv_outputs_set_renaming(bool now) {
  atomic_store(&renaming, now);
}

bool gv_outputs_renaming(void) {
  return atomic_load(&renaming);
}

/* Returns a temporary directory that is left, NULL if there is none. */
static const gv_temporary *output_remove(gv_output *output) {
  if (output->kept) return NULL;
  /* A thread that is still at work may add a file meanwhile; hence a few attempts. */
  bool gone = false;
  for (int attempt = 0; attempt < 5 && !gone; attempt++)
    gone = gv_temporary_remove(&output->temporary);
  if (output->stage.directory >= 0 && !gv_temporary_remove(&output->stage)) return &output->stage;
  return gone ? NULL : &output->temporary;
}

void gv_outputs_abandon(void) {
  gv_outputs_lock();
  for (gv_output *output = begun; output != NULL; output = output->next)
    output_remove(output);
  gv_outputs_unlock();
}

/* ----------------------------------------------------------------------------------------------- checking */

gv_status gv_output_init(gv_io *io, gv_output *output, const char *path, bool overwrite) {
  *output = (gv_output){.overwrite = overwrite, .temporary = GV_TEMPORARY_NONE, .stage = GV_TEMPORARY_NONE};
  output->path = strdup(path);
  output->target = gv_path_follow(path);
  output->parent = gv_path_parent(path);
  bool complete = output->path != NULL && output->target != NULL && output->parent != NULL;
  return complete ? GV_OK : gv_io_fail_memory(io, "a file name");
}

static gv_status check_directory(gv_io *io, const gv_output *output, const char *path) {
  struct stat found;
  char *parent = gv_path_parent(path);
  if (parent == NULL) return gv_io_fail_memory(io, "a file name");
  bool there = stat(parent, &found) == 0 && S_ISDIR(found.st_mode);
  free(parent);
  if (there) return GV_OK;
  bool leads = strcmp(path, output->path) != 0;
  return gv_io_fail(io, GV_ERROR_IO, "output %s%s%s: missing directory", output->path,
                    leads ? ", which links to " : "", leads ? path : "");
}

static gv_status check_replaced_directory(gv_io *io, const gv_output *output) {
  if (output->owns_directory == NULL || gv_object_is(output->path))
    return gv_io_fail(io, GV_ERROR_IO, "output %s is a directory", output->path);
  if (output->owns_directory(output->path)) return GV_OK;
  return gv_io_fail(
      io, GV_ERROR_IO,
      "output %s is a directory that gpuvoronoi has not made, or that holds other files; delete it, or "
      "use another name",
      output->path);
}

gv_status gv_output_check(gv_io *io, const gv_output *output) {
  bool remote = gv_object_is(output->path);
  GV_TRY(gv_remote_check(io, output->path, output->amends));
  size_t length = strlen(output->path), to = strlen(output->target);
  if (to > length) length = to;
  if (length > MAX_PATH) {
    return gv_io_fail(io, GV_ERROR_IO, "output: name too long (%zu bytes, at most %d): %s", length, MAX_PATH,
                      output->path);
  }
  struct stat link;
  if (lstat(output->target, &link) == 0 && S_ISLNK(link.st_mode)) {
    if (!gv_path_is_foreign_link(output->target))
      return gv_io_fail(io, GV_ERROR_IO, "output %s: circular link", output->path);
    return gv_io_fail(
        io, GV_ERROR_IO,
        "output %s: link of another user in a directory that all users may write to (%s); use another "
        "name",
        output->path, output->target);
  }
  if (gv_path_exists(output->path)) {
    mode_t mode = 0;
    bool known = gv_remote_mode(output->path, &mode); /* else a link that leads nowhere */
    bool folder = known && S_ISDIR(mode);
    if (folder) GV_TRY(check_replaced_directory(io, output));
    if (!output->overwrite) {
      return gv_io_fail_as(io, GV_CODE_OUTPUT_EXISTS, GV_ERROR_IO,
                           "output %s exists; use --overwrite to replace it", output->path);
    }
    if (known && !folder && !S_ISREG(mode)) {
      return gv_io_fail(io, GV_ERROR_IO, "output %s is not a regular file", output->path);
    }
    if (gv_is_read_only(output->target)) {
      return gv_io_fail(io, GV_ERROR_IO, "output %s is read-only", output->path);
    }
  }
  if (remote) return GV_OK;
  GV_TRY(check_directory(io, output, output->path));
  return check_directory(io, output, output->target);
}

/* ---------------------------------------------------------------------------------------------- beginning */

gv_status gv_output_begin(gv_io *io, gv_output *output) {
  gv_temporary made = GV_TEMPORARY_NONE, stage = GV_TEMPORARY_NONE;
  bool remote = gv_object_is(output->path);
  char *beside = remote ? strdup(gv_remote_temporary()) : gv_path_parent(output->target);
  gv_status status = beside != NULL ? gv_temporary_make(io, beside, output->path, &made)
                                    : gv_io_fail_memory(io, "a file name");
  if (status == GV_OK && !remote &&
      !gv_same_file(beside, output->parent)) /* side files are written beside `path` */
    status = gv_temporary_make(io, output->parent, output->path, &stage);
  free(beside);
  gv_outputs_lock();
  output->temporary = made;
  output->stage = stage;
  if (made.directory >= 0) {
    gv_outputs_set_renaming(false);
    output->directory = made.path;
    output->next = begun;
    begun = output;
  }
  gv_outputs_unlock();
  if (status != GV_OK) return status;
  output->work = gv_path_join(output->directory, gv_path_name(output->path));
  return output->work != NULL ? GV_OK : gv_io_fail_memory(io, "a file name");
}

gv_status gv_output_write(gv_io *io, const gv_output *output, const char *bytes, size_t size) {
  FILE *file = fopen(output->work, "wbxe");
  bool written = file != NULL && fwrite(bytes, 1, size, file) == size;
  int error = errno;
  if (file != NULL && fclose(file) != 0 && written) {
    written = false;
    error = errno;
  }
  return written ? GV_OK : gv_io_fail(io, GV_ERROR_IO, "cannot write %s: %s", output->path, strerror(error));
}

/* Makes a file a byte longer and shortens it again; 0, or the error's number. */
static int try_to_grow(const char *path) {
  struct stat found;
  if (stat(path, &found) != 0 || !S_ISREG(found.st_mode)) return 0;
  int file = gv_retry_open(path, O_WRONLY | O_CLOEXEC, 0);
  if (file < 0) return errno;
  bool grown =
      gv_retry_write_at(file, "", 1, found.st_size) == 1 && gv_retry_truncate(file, found.st_size) == 0;
  int error = grown ? 0 : errno;
  if (close(file) != 0 && error == 0) error = errno;
  return error;
}

static gv_status output_check_file(gv_io *io, gv_output *output, const char *name, void *unused) {
  (void)unused;
  char *path = gv_path_join(output->directory, name);
  int error = path != NULL ? try_to_grow(path) : ENOMEM;
  free(path);
  return error == 0 ? GV_OK
                    : gv_io_fail(io, GV_ERROR_IO, "cannot write %s: %s", output->path, strerror(error));
}

gv_status gv_output_check_written(gv_io *io, gv_output *output) {
  return gv_output_each_file(io, output, output_check_file, NULL);
}

gv_status gv_output_each_file(gv_io *io, gv_output *output, gv_output_file_fn *visit, void *user) {
  const char *main_name = gv_path_name(output->path);
  struct stat found;
  if (lstat(output->work, &found) != 0)
    return gv_io_fail(io, GV_ERROR_IO, "missing file after writing (%s)", output->path);
  GV_TRY(visit(io, output, main_name, user));
  DIR *directory = opendir(output->directory);
  gv_status status = directory != NULL
                         ? GV_OK
                         : gv_io_fail(io, GV_ERROR_IO, "cannot read %s, the temporary directory: %s",
                                      output->directory, strerror(errno));
  for (const struct dirent *entry; status == GV_OK && (entry = readdir(directory)) != NULL;) {
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, main_name) == 0) continue;
    if (strncmp(name, GV_SCRATCH, strlen(GV_SCRATCH)) != 0) status = visit(io, output, name, user);
  }
  if (directory != NULL) closedir(directory);
  return status;
}

gv_status gv_output_each_stale(gv_io *io, gv_output *output, gv_output_file_fn *visit, void *user) {
  static const char *const suffixes[] = {".aux.xml", ".ovr", ".msk", ".msk.ovr"};
  gv_status status = GV_OK;
  for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0] && status == GV_OK; i++) {
    char *side = gv_path_add(output->path, suffixes[i]);
    status = side != NULL ? visit(io, output, side, user) : gv_io_fail_memory(io, "a file name");
    free(side);
  }
  return status == GV_OK && output->stale != NULL ? visit(io, output, output->stale, user) : status;
}

gv_status gv_output_check_replaced(gv_io *io, const gv_output *output, const char *name, const char *path,
                                   gv_inputs *inputs) {
  const char *input = !output->amends && inputs != NULL ? gv_inputs_find(inputs, path) : NULL;
  if (input != NULL) {
    return gv_io_fail_as(io, GV_CODE_OUTPUT_IS_INPUT, GV_ERROR_INVALID_ARGUMENT,
                         "%s: file %s is %s, a file of an input", output->path, path, input);
  }
  const char *main_name = gv_path_name(output->path);
  bool own = strncmp(name, main_name, strlen(main_name)) == 0 || (output->owns != NULL && output->owns(path));
  if (output->overwrite || own) return GV_OK;
  return gv_io_fail_as(io, GV_CODE_OUTPUT_EXISTS, GV_ERROR_IO,
                       "%s: file %s exists; use --overwrite to replace it", output->path, path);
}

void gv_output_clear(gv_output *output) {
  bool initialized = output->path != NULL || output->target != NULL || output->parent != NULL;
  if (!initialized) return;
  gv_outputs_lock();
  const gv_temporary *left = output->directory != NULL ? output_remove(output) : NULL;
  gv_output **at = &begun;
  while (*at != NULL && *at != output)
    at = &(*at)->next;
  if (*at == output) *at = output->next;
  gv_outputs_unlock();
  if (left != NULL && output->placed)
    gv_io_warn(GV_CODE_STALE_FILE, 0, "%s/%s: temporary directory cannot be removed; remove it",
               left->parent_path, left->name);
  gv_temporary_close(&output->temporary);
  gv_temporary_close(&output->stage);
  free(output->path);
  free(output->target);
  free(output->parent);
  free(output->stale);
  free(output->work);
  memset(output, 0, sizeof *output);
}
