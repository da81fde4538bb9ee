/* Temporary directories, and the moves out of them. */
#include "io/out/output.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cpl_string.h>
#include <cpl_vsi.h>

#include "io/grow.h"
#include "io/path.h"

enum {
  /* GDAL's drivers have 2,048 bytes for a name: that of the temporary file, with a side file's ending. */
  MAX_PATH = 1900,
  /* Of the output's name in that of its temporary directory; a name has 255 bytes on most file systems. */
  MAX_STEM = 64
};

/* Of the temporary directory, for what the output replaces. */
static const char BACKUPS[] = ".before";

/* Also held while files are moved, which is done or undone as a whole before anybody removes a directory. */
static pthread_mutex_t begun_lock = PTHREAD_MUTEX_INITIALIZER;
static gv_output *begun;

void gv_outputs_abandon(void) {
  pthread_mutex_lock(&begun_lock);
  for (const gv_output *output = begun; output != NULL; output = output->next) {
    /* A thread still at work may add a file while this one looks; hence a few attempts. */
    for (int attempt = 0; attempt < 5 && !output->kept; attempt++) {
      if (VSIRmdirRecursive(output->directory) == 0) break;
    }
  }
  pthread_mutex_unlock(&begun_lock);
}

gv_status gv_output_init(gv_io *io, gv_output *output, const char *path, bool overwrite) {
  memset(output, 0, sizeof *output);
  output->overwrite = overwrite;
  output->path = strdup(path);
  output->parent = gv_path_parent(path);
  return output->path != NULL && output->parent != NULL ? GV_OK : gv_io_fail_memory(io, "a file name");
}

gv_status gv_output_check(gv_io *io, const gv_output *output) {
  VSIStatBufL found;
  size_t length = strlen(output->path);
  if (length > MAX_PATH) {
    return gv_io_fail(io, GV_ERROR_IO, "the name of an output has %zu bytes, more than %d: %s", length, MAX_PATH,
                      output->path);
  }
  if (gv_is_there(output->path)) {
    bool known = VSIStatL(output->path, &found) == 0; /* else a link that leads nowhere */
    if (known && VSI_ISDIR(found.st_mode)) {
      return gv_io_fail(io, GV_ERROR_IO, "the output %s is a directory", output->path);
    }
    if (!output->overwrite) {
      return gv_io_fail(io, GV_ERROR_IO, "the output %s exists; --overwrite replaces it", output->path);
    }
    if (known && !VSI_ISREG(found.st_mode)) {
      return gv_io_fail(io, GV_ERROR_IO, "the output %s is not a regular file", output->path);
    }
  }
  if (VSIStatL(output->parent, &found) != 0 || !VSI_ISDIR(found.st_mode)) {
    return gv_io_fail(io, GV_ERROR_IO, "the output directory of %s does not exist", output->path);
  }
  return GV_OK;
}

/* The name of a temporary directory beside the output. Without the output's extension: to GDAL what follows ".xlsx", ".zip"
 * ... in a path is inside of an archive. */
static char *temporary_name(const gv_output *output, int attempt) {
  char name[MAX_STEM + 64];
  const char *whole = gv_path_name(output->path), *dot = strrchr(whole, '.');
  size_t length = dot != NULL ? (size_t)(dot - whole) : strlen(whole);
  if (length > MAX_STEM) {
    length = MAX_STEM;
    while (length > 0 && ((unsigned char)whole[length] & 0xC0) == 0x80) /* within a character of UTF-8 */
      length--;
  }
  snprintf(name, sizeof name, ".%.*s.tmp-%ld-%d", (int)length, whole, (long)getpid(), attempt);
  return gv_path_join(output->parent, name);
}

gv_status gv_output_begin(gv_io *io, gv_output *output) {
  for (int attempt = 0; attempt < 100; attempt++) {
    char *directory = temporary_name(output, attempt);
    if (directory == NULL) return gv_io_fail_memory(io, "a file name");
    VSIStatBufL found;
    errno = 0;
    bool there = VSIStatL(directory, &found) == 0;
    if (there || VSIMkdir(directory, 0777) != 0) {
      int error = errno;
      free(directory);
      if (there || error == EEXIST) continue;
      return gv_io_fail(io, GV_ERROR_IO, "cannot write into the directory of %s: %s", output->path,
                        error != 0 ? strerror(error) : "no such directory");
    }
    pthread_mutex_lock(&begun_lock);
    output->directory = directory;
    output->next = begun;
    begun = output;
    pthread_mutex_unlock(&begun_lock);
    output->work = gv_path_join(directory, gv_path_name(output->path));
    return output->work != NULL ? GV_OK : gv_io_fail_memory(io, "a file name");
  }
  return gv_io_fail(io, GV_ERROR_IO, "cannot find a temporary name beside %s", output->path);
}

/* Makes a file a byte longer and takes that back; 0, or the error's number. */
static int try_to_grow(const char *path) {
  struct stat found;
  if (stat(path, &found) != 0 || !S_ISREG(found.st_mode)) return 0;
  int file = open(path, O_WRONLY);
  if (file < 0) return errno;
  int error = 0;
  if (pwrite(file, "", 1, found.st_size) != 1) {
    error = errno;
  } else if (ftruncate(file, found.st_size) != 0) {
    error = errno;
  }
  if (close(file) != 0 && error == 0) error = errno;
  return error;
}

gv_status gv_output_check_written(gv_io *io, const gv_output *output) {
  gv_status status = GV_OK;
  char **files = VSIReadDir(output->directory);
  for (char **file = files; status == GV_OK && file != NULL && *file != NULL; file++) {
    char *path = gv_path_join(output->directory, *file);
    if (path == NULL) {
      status = gv_io_fail_memory(io, "a file name");
      break;
    }
    int error = try_to_grow(path);
    free(path);
    if (error != 0) status = gv_io_fail(io, GV_ERROR_IO, "cannot write %s: %s", output->path, strerror(error));
  }
  CSLDestroy(files);
  return status;
}

void gv_output_clear(gv_output *output) {
  if (output->directory != NULL) {
    if (!output->kept) VSIRmdirRecursive(output->directory);
    pthread_mutex_lock(&begun_lock);
    gv_output **at = &begun;
    while (*at != NULL && *at != output)
      at = &(*at)->next;
    if (*at == output) *at = output->next;
    pthread_mutex_unlock(&begun_lock);
  }
  free(output->path);
  free(output->parent);
  free(output->directory);
  free(output->work);
  memset(output, 0, sizeof *output);
}

/* ----------------------------------------------------------------------------------------------- moving */

/* One file put in its place, or one that has to go. */
typedef struct move {
  gv_output *output;
  char *from; /* NULL = nothing takes its place */
  char *to;
  char *backup;      /* of what was there before, in the temporary directory; NULL = nothing was */
  bool saved, moved; /* what has been done so far */
} move;

typedef struct moves {
  move *list;
  int count;
  int64_t capacity;
} moves;

/* The names beside a file: 0, or the error's number. */
static int sync_parent(const char *path) {
  char *parent = gv_path_parent(path);
  int error = parent != NULL ? gv_sync_directory(parent) : ENOMEM;
  free(parent);
  return error;
}

static void free_moves(moves *m) {
  for (int i = 0; i < m->count; i++) {
    free(m->list[i].from);
    free(m->list[i].to);
    free(m->list[i].backup);
  }
  free(m->list);
}

/* Appends a move to beside the output; `fresh`: there is a file for it in the temporary directory. */
static gv_status add_move(gv_io *io, moves *m, gv_output *output, const char *name, bool fresh) {
  move *list = gv_grow(m->list, &m->capacity, m->count + 1, sizeof *list);
  if (list == NULL) return gv_io_fail_memory(io, "the outputs' names");
  m->list = list;
  move *one = &m->list[m->count++];
  *one = (move){.output = output, .to = gv_path_join(output->parent, name)};
  char *backups = gv_path_join(output->directory, BACKUPS);
  if (fresh) one->from = gv_path_join(output->directory, name);
  bool there = one->to != NULL && gv_is_there(one->to);
  if (there && backups != NULL) one->backup = gv_path_join(backups, name);
  free(backups);
  bool complete = one->to != NULL && (one->from != NULL || !fresh) && (one->backup != NULL || !there);
  return complete ? GV_OK : gv_io_fail_memory(io, "a file name");
}

/* The file itself first: it is complete without its side files, an old one with new side files is not. */
static gv_status list_moves(gv_io *io, gv_output *output, moves *m) {
  const char *main_name = gv_path_name(output->path);
  char *backups = gv_path_join(output->directory, BACKUPS);
  if (backups == NULL) return gv_io_fail_memory(io, "a file name");
  char **files = VSIReadDir(output->directory);
  gv_status status = GV_OK;
  if (CSLFindString(files, main_name) < 0) {
    status = gv_io_fail(io, GV_ERROR_IO, "the driver has not written %s", output->path);
  } else if (VSIMkdir(backups, 0777) != 0) {
    status = gv_io_fail(io, GV_ERROR_IO, "cannot write into the directory of %s", output->path);
  }
  if (status == GV_OK) status = add_move(io, m, output, main_name, true);
  for (char **file = files; status == GV_OK && file != NULL && *file != NULL; file++) {
    if (EQUAL(*file, ".") || EQUAL(*file, "..") || strcmp(*file, main_name) == 0) continue;
    status = add_move(io, m, output, *file, true);
  }
  free(backups);
  CSLDestroy(files);
  return status;
}

/* Side files of an output that was there before would speak of other cells. */
static gv_status list_stale(gv_io *io, gv_output *output, moves *m) {
  static const char *const suffixes[] = {".aux.xml", ".ovr", ".msk", ".msk.ovr"};
  gv_status status = GV_OK;
  for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0] && status == GV_OK; i++) {
    char *side = gv_path_add(output->path, suffixes[i]);
    if (side == NULL) return gv_io_fail_memory(io, "a file name");
    bool fresh = false;
    for (int k = 0; k < m->count; k++)
      fresh = fresh || gv_same_file(m->list[k].to, side);
    VSIStatBufL found;
    if (!fresh && VSIStatL(side, &found) == 0 && VSI_ISREG(found.st_mode)) {
      status = add_move(io, m, output, gv_path_name(side), false);
    }
    free(side);
  }
  return status;
}

/* Side files come by names nobody has given (t.shp brings t.dbf, out.bin out.hdr): none of another output, none of an input,
 * and none that was there for something else. Those that begin with the output's whole name (.aux.xml, .ovr) are of no use
 * without it. */
static gv_status check_move(gv_io *io, const moves *m, const move *one, gv_inputs *inputs) {
  const gv_output *output = one->output;
  for (const move *other = m->list; other < one; other++) {
    if (gv_same_file(other->to, one->to)) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: its file %s is another output's too", output->path,
                        one->to);
    }
  }
  bool replaces = one->backup != NULL && !output->amends;
  const char *input = replaces && inputs != NULL ? gv_inputs_find(inputs, one->to) : NULL;
  if (input != NULL) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: its file %s is %s, a file of an input", output->path,
                      one->to, input);
  }
  const char *main_name = gv_path_name(output->path);
  if (one->backup != NULL && !output->overwrite &&
      strncmp(gv_path_name(one->to), main_name, strlen(main_name)) != 0) {
    return gv_io_fail(io, GV_ERROR_IO, "%s: its file %s exists; --overwrite replaces it", output->path, one->to);
  }
  return GV_OK;
}

/* 0, or the error's number. */
static int rename_file(const char *from, const char *to) {
  errno = 0;
  if (VSIRename(from, to) == 0) return 0;
  return errno != 0 ? errno : EIO;
}

/* A second name for what is there keeps it, and the move then replaces it in one step; where there are no second names,
 * it is moved aside. 0, or the error's number. */
static int save(move *one, bool lasting) {
  VSIStatBufL found;
  if (VSIStatL(one->to, &found) == 0 && VSI_ISDIR(found.st_mode)) return EISDIR;
  one->saved = one->from != NULL && link(one->to, one->backup) == 0;
  if (one->saved) return 0;
  int error = rename_file(one->to, one->backup);
  one->saved = error == 0;
  return one->saved && lasting ? sync_parent(one->backup) : error;
}

/* 0, or the error's number. Where nothing was there before, nothing that has come meanwhile is replaced either, as far as the
 * file system knows second names. */
static int carry_out(move *one, bool lasting) {
  int error = one->backup != NULL ? save(one, lasting) : 0;
  if (error != 0) return error;
  if (one->from != NULL && one->backup == NULL && link(one->from, one->to) == 0) {
    one->moved = true;
    VSIUnlink(one->from);
  } else if (one->from != NULL && one->backup == NULL && errno == EEXIST) {
    return EEXIST;
  } else if (one->from != NULL) {
    error = rename_file(one->from, one->to);
    if (error != 0) return error;
    one->moved = true;
  }
  return lasting ? sync_parent(one->to) : 0;
}

/* False if what was there before could not be put back; it stays in the temporary directory then. */
static bool undo(const move *one) {
  if (one->saved) {
    bool back = VSIRename(one->backup, one->to) == 0;
    if (!back) one->output->kept = true;
    return back;
  }
  if (one->moved && VSIRename(one->to, one->from) != 0) VSIUnlink(one->to);
  return true;
}

/* Undoes all moves up to the one that failed. */
static gv_status fail_move(gv_io *io, const moves *m, int failed, int error, bool lasting) {
  gv_status status =
      gv_io_fail(io, GV_ERROR_IO, "cannot move the output to %s: %s", m->list[failed].to, strerror(error));
  for (int i = failed; i >= 0; i--) {
    const move *one = &m->list[i];
    if (!undo(one)) {
      status = gv_io_fail(io, GV_ERROR_IO, "cannot move the output to %s: %s; what was there before is %s now",
                          one->to, strerror(error), one->backup);
    }
    if (lasting) sync_parent(one->to); /* the first error is the one to tell of */
  }
  return status;
}

/* All files of the outputs and what else has to go, nothing moved yet. */
static gv_status plan_moves(gv_io *io, gv_output *const *outputs, int count, gv_inputs *inputs, moves *m) {
  gv_status status = GV_OK;
  for (int i = 0; i < count && status == GV_OK; i++) {
    if (!outputs[i]->overwrite) status = gv_output_check(io, outputs[i]); /* made by somebody meanwhile? */
    if (status == GV_OK) status = list_moves(io, outputs[i], m);
  }
  for (int i = 0; i < count && status == GV_OK; i++)
    if (!outputs[i]->amends) status = list_stale(io, outputs[i], m);
  for (int i = 0; i < m->count && status == GV_OK; i++)
    status = check_move(io, m, &m->list[i], inputs);
  return status;
}

static bool must_last(const moves *m, gv_sync sync) {
  bool replaces = false;
  for (int i = 0; i < m->count; i++)
    replaces = replaces || m->list[i].backup != NULL;
  return sync == GV_SYNC_ALWAYS || (sync == GV_SYNC_AUTO && replaces);
}

/* The new files, where they are. */
static gv_status sync_files(gv_io *io, const moves *m) {
  for (int i = 0; i < m->count; i++) {
    const move *one = &m->list[i];
    if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
    int error = one->from != NULL ? gv_sync_all(one->from) : 0;
    if (error != 0) return gv_io_fail(io, GV_ERROR_IO, "cannot write %s to the disk: %s", one->to, strerror(error));
  }
  return GV_OK;
}

gv_status gv_outputs_commit(gv_io *io, gv_output *const *outputs, int count, gv_inputs *inputs, gv_sync sync) {
  moves m = {NULL, 0, 0};
  gv_status status = plan_moves(io, outputs, count, inputs, &m);
  bool lasting = status == GV_OK && must_last(&m, sync);
  if (lasting) status = sync_files(io, &m);
  pthread_mutex_lock(&begun_lock);
  for (int i = 0; i < m.count && status == GV_OK; i++) {
    int error = carry_out(&m.list[i], lasting);
    if (error != 0) status = fail_move(io, &m, i, error, lasting);
  }
  pthread_mutex_unlock(&begun_lock);
  free_moves(&m);
  return status;
}
