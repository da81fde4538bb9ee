/* Temporary directories, and the moves out of them. */
#include "io/out/output.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cpl_string.h>
#include <cpl_vsi.h>

#include "io/grow.h"
#include "io/out/copy.h"
#include "io/out/leftovers.h"
#include "io/out/style.h"
#include "io/path.h"
#include "io/retry.h"

enum {
  /* GDAL's drivers have 2,048 bytes for a name: that of the temporary file, with a side file's ending. */
  MAX_PATH = 1900,
  /* Of the output's name and the machine's in that of a temporary directory; a name has 255 bytes on most file systems. */
  MAX_STEM = 64,
  MAX_HOST = 33,
  MAX_NAME = MAX_STEM + MAX_HOST + 16
};

/* Kinds of temporary directories: an output's own, which is locked, and those beside side files that go elsewhere. */
static const char TEMPORARY[] = "tmp", STAGE[] = "stage";

/* Also held while files are moved, which is done or undone as a whole before anybody removes a directory. */
static pthread_mutex_t begun_lock = PTHREAD_MUTEX_INITIALIZER;
static gv_output *begun;

void gv_outputs_abandon(void) {
  pthread_mutex_lock(&begun_lock);
  for (const gv_output *output = begun; output != NULL; output = output->next) {
    if (output->kept) continue;
    /* A thread still at work may add a file while this one looks; hence a few attempts. */
    for (int attempt = 0; attempt < 5; attempt++) {
      if (gv_leftovers_remove(output->directory)) break;
    }
    for (char **stage = output->stages; stage != NULL && *stage != NULL; stage++)
      gv_leftovers_remove(*stage);
  }
  pthread_mutex_unlock(&begun_lock);
}

gv_status gv_output_init(gv_io *io, gv_output *output, const char *path, bool overwrite) {
  memset(output, 0, sizeof *output);
  output->overwrite = overwrite;
  output->lock = -1;
  output->path = strdup(path);
  output->target = gv_path_follow(path);
  output->parent = gv_path_parent(path);
  bool complete = output->path != NULL && output->target != NULL && output->parent != NULL;
  return complete ? GV_OK : gv_io_fail_memory(io, "a file name");
}

/* Of GDAL's virtual file systems only memory has files that are made aside and moved in place. */
static gv_status check_disk(gv_io *io, const char *path) {
  char **prefixes = VSIGetFileSystemsPrefixes();
  gv_status status = GV_OK;
  for (char **one = prefixes; status == GV_OK && one != NULL && *one != NULL; one++) {
    size_t length = strlen(*one);
    if (length == 0 || strncmp(path, *one, length) != 0 || strcmp(*one, "/vsimem/") == 0) continue;
    status =
        gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                   "the output %s is in a virtual file system of GDAL's, where outputs cannot be put in place as a "
                   "whole: write it to a disk, and copy it from there",
                   path);
  }
  CSLDestroy(prefixes);
  return status;
}

static bool is_link(const char *path) {
  struct stat found;
  return lstat(path, &found) == 0 && S_ISLNK(found.st_mode);
}

static gv_status check_directory(gv_io *io, const gv_output *output, const char *path) {
  VSIStatBufL found;
  char *parent = gv_path_parent(path);
  if (parent == NULL) return gv_io_fail_memory(io, "a file name");
  bool there = VSIStatL(parent, &found) == 0 && VSI_ISDIR(found.st_mode);
  free(parent);
  if (there) return GV_OK;
  bool leads = strcmp(path, output->path) != 0;
  return gv_io_fail(io, GV_ERROR_IO, "the output directory of %s%s%s does not exist", output->path,
                    leads ? ", which leads to " : "", leads ? path : "");
}

/* What the name of an output's temporary directories begins with, of `kind`. Without the output's extension: to GDAL what follows
 * ".xlsx", ".zip" ... in a path is inside of an archive. */
static void temporary_prefix(const gv_output *output, const char *kind, char name[MAX_NAME]) {
  char host[MAX_HOST];
  const char *whole = gv_path_name(output->path), *dot = strrchr(whole, '.');
  size_t length = dot != NULL ? (size_t)(dot - whole) : strlen(whole);
  if (length > MAX_STEM) {
    length = MAX_STEM;
    while (length > 0 && ((unsigned char)whole[length] & 0xC0) == 0x80) /* within a character of UTF-8 */
      length--;
  }
  gv_leftovers_host(host, sizeof host);
  snprintf(name, MAX_NAME, ".%.*s.%s-%s-", (int)length, whole, kind, host);
}

/* What runs that were killed have left for this output. */
static void clear_leftovers(const gv_output *output) {
  char prefix[MAX_NAME];
  temporary_prefix(output, TEMPORARY, prefix);
  char *parent = gv_path_parent(output->target);
  if (parent != NULL) gv_leftovers_clear(parent, prefix);
  free(parent);
}

gv_status gv_output_check(gv_io *io, const gv_output *output) {
  VSIStatBufL found;
  gv_status status = check_disk(io, output->path);
  if (status != GV_OK) return status;
  size_t length = strlen(output->path), to = strlen(output->target);
  if (to > length) length = to;
  if (length > MAX_PATH) {
    return gv_io_fail(io, GV_ERROR_IO, "the name of an output has %zu bytes, more than %d: %s", length, MAX_PATH,
                      output->path);
  }
  clear_leftovers(output);
  if (is_link(output->target)) {
    return gv_io_fail(io, GV_ERROR_IO, "the output %s is a link that leads round in a circle", output->path);
  }
  if (gv_is_there(output->path)) {
    bool known = VSIStatL(output->path, &found) == 0; /* else a link that leads nowhere */
    if (known && VSI_ISDIR(found.st_mode)) {
      return gv_io_fail(io, GV_ERROR_IO, "the output %s is a directory", output->path);
    }
    if (!output->overwrite) {
      return gv_io_fail_as(io, GV_CODE_OUTPUT_EXISTS, GV_ERROR_IO, "the output %s exists; --overwrite replaces it",
                           output->path);
    }
    if (known && !VSI_ISREG(found.st_mode)) {
      return gv_io_fail(io, GV_ERROR_IO, "the output %s is not a regular file", output->path);
    }
    if (gv_is_read_only(output->target)) {
      return gv_io_fail(io, GV_ERROR_IO, "the output %s is read-only", output->path);
    }
  }
  status = check_directory(io, output, output->path);
  return status == GV_OK ? check_directory(io, output, output->target) : status;
}

/* The name of one beside `place`. */
static char *temporary_name(const gv_output *output, const char *kind, const char *place, int attempt) {
  char prefix[MAX_NAME], name[MAX_NAME + 32];
  temporary_prefix(output, kind, prefix);
  snprintf(name, sizeof name, "%s%ld-%d", prefix, (long)getpid(), attempt);
  char *parent = gv_path_parent(place);
  char *path = parent != NULL ? gv_path_join(parent, name) : NULL;
  free(parent);
  return path;
}

/* A temporary directory beside `place`, which nobody else may look into: what an output replaces may be secret. */
static gv_status make_temporary(gv_io *io, const gv_output *output, const char *kind, const char *place,
                                char **out) {
  for (int attempt = 0; attempt < 100; attempt++) {
    char *directory = temporary_name(output, kind, place, attempt);
    if (directory == NULL) return gv_io_fail_memory(io, "a file name");
    VSIStatBufL found;
    errno = 0;
    bool there = VSIStatL(directory, &found) == 0;
    if (!there && VSIMkdir(directory, 0700) == 0) {
      *out = directory;
      return GV_OK;
    }
    int error = errno;
    free(directory);
    if (there || error == EEXIST) continue;
    return gv_io_fail(io, GV_ERROR_IO, "cannot write into the directory of %s: %s", place,
                      error != 0 ? strerror(error) : "no such directory");
  }
  return gv_io_fail(io, GV_ERROR_IO, "cannot find a temporary name beside %s", place);
}

gv_status gv_output_begin(gv_io *io, gv_output *output) {
  char *directory = NULL;
  bool lost = true;
  for (int attempt = 0; lost && attempt < 100;
       attempt++) { /* another run took it for a dead one's before it was locked */
    free(directory);
    directory = NULL;
    gv_status status = make_temporary(io, output, TEMPORARY, output->target, &directory);
    if (status != GV_OK) return status;
    output->lock = gv_leftovers_lock(directory, &lost);
  }
  pthread_mutex_lock(&begun_lock);
  output->directory = directory;
  output->next = begun;
  begun = output;
  pthread_mutex_unlock(&begun_lock);
  output->work = gv_path_join(directory, gv_path_name(output->path));
  return output->work != NULL ? GV_OK : gv_io_fail_memory(io, "a file name");
}

/* Makes a file a byte longer and takes that back; 0, or the error's number. */
static int try_to_grow(const char *path) {
  struct stat found;
  if (stat(path, &found) != 0 || !S_ISREG(found.st_mode)) return 0;
  int file = gv_retry_open(path, O_WRONLY | O_CLOEXEC, 0);
  if (file < 0) return errno;
  int error = 0;
  if (gv_retry_write_at(file, "", 1, found.st_size) != 1) {
    error = errno;
  } else if (gv_retry_truncate(file, found.st_size) != 0) {
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
    if (!output->kept) gv_leftovers_remove(output->directory);
    for (char **stage = output->stages; !output->kept && stage != NULL && *stage != NULL; stage++)
      gv_leftovers_remove(*stage);
    if (output->lock >= 0) close(output->lock);
    pthread_mutex_lock(&begun_lock);
    gv_output **at = &begun;
    while (*at != NULL && *at != output)
      at = &(*at)->next;
    if (*at == output) *at = output->next;
    pthread_mutex_unlock(&begun_lock);
  }
  free(output->path);
  free(output->target);
  free(output->parent);
  CSLDestroy(output->stale);
  CSLDestroy(output->stages);
  free(output->directory);
  free(output->work);
  memset(output, 0, sizeof *output);
}

/* ----------------------------------------------------------------------------------------------- moving */

/* One file put in its place, or one that has to go. */
typedef struct move {
  gv_output *output;
  char *from;        /* NULL = nothing takes its place */
  char *name;        /* the file's place, beside the output ... */
  char *to;          /* ... and what that leads to */
  char *backup;      /* of what was there before, in the temporary directory; NULL = nothing was */
  bool there;        /* something has its name, be it a link that leads nowhere */
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
    free(m->list[i].name);
    free(m->list[i].to);
    free(m->list[i].backup);
  }
  free(m->list);
}

/* True if both files are in one directory, or would be. */
static bool are_neighbours(const char *a, const char *b) {
  char *first = gv_path_parent(a), *second = gv_path_parent(b);
  bool same = first != NULL && second != NULL && gv_same_file(first, second);
  free(first);
  free(second);
  return same;
}

/* The temporary directory for what goes to `to`: a rename works between neighbours. */
static gv_status find_stage(gv_io *io, gv_output *output, const char *to, const char **out) {
  *out = output->directory;
  if (are_neighbours(output->directory, to)) return GV_OK;
  for (char **stage = output->stages; stage != NULL && *stage != NULL; stage++) {
    *out = *stage;
    if (are_neighbours(*stage, to)) return GV_OK;
  }
  char *stage = NULL;
  gv_status status = make_temporary(io, output, STAGE, to, &stage);
  if (status != GV_OK) return status;
  pthread_mutex_lock(&begun_lock);
  output->stages = CSLAddString(output->stages, stage);
  pthread_mutex_unlock(&begun_lock);
  free(stage);
  *out = output->stages[CSLCount(output->stages) - 1];
  return GV_OK;
}

/* Brings a file that was made for the output to where a rename puts it in place. */
static gv_status bring(gv_io *io, const gv_output *output, const char *name, const char *from) {
  char *made = gv_path_join(output->directory, name);
  if (made == NULL || from == NULL) {
    free(made);
    return gv_io_fail_memory(io, "a file name");
  }
  int error = strcmp(made, from) != 0 ? gv_copy_file(io, made, from) : 0;
  free(made);
  if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
  if (error == 0) return GV_OK;
  return gv_io_fail(io, GV_ERROR_IO, "cannot write %s beside %s: %s", name, output->path, strerror(error));
}

/* What is there to be replaced, or NULL: *complete tells whether that is out of memory. */
static char *backup_name(const char *stage, const char *name, const char *to, bool *complete) {
  if (!gv_is_there(to)) return NULL;
  char *backups = gv_path_join(stage, GV_BACKUPS);
  bool made = backups != NULL && (VSIMkdir(backups, 0700) == 0 || gv_is_there(backups));
  char *backup = made ? gv_path_join(backups, name) : NULL;
  free(backups);
  *complete = *complete && backup != NULL;
  return backup;
}

/* Appends a move to beside the output; `fresh`: there is a file for it in the temporary directory. Of what only goes, a link
 * itself goes. */
static gv_status add_move(gv_io *io, moves *m, gv_output *output, const char *name, bool fresh) {
  move *list = gv_grow(m->list, &m->capacity, m->count + 1, sizeof *list);
  if (list == NULL) return gv_io_fail_memory(io, "the outputs' names");
  m->list = list;
  move *one = &m->list[m->count++];
  *one = (move){.output = output, .name = gv_path_join(output->parent, name)};
  if (one->name != NULL) one->to = fresh ? gv_path_follow(one->name) : strdup(one->name);
  if (one->to == NULL) return gv_io_fail_memory(io, "a file name");
  one->there = gv_is_there(one->name);
  bool complete = true;
  const char *stage = NULL;
  gv_status status = find_stage(io, output, one->to, &stage);
  if (status != GV_OK) return status;
  if (fresh) one->from = gv_path_join(stage, name);
  if (fresh) status = bring(io, output, name, one->from);
  if (status == GV_OK) one->backup = backup_name(stage, name, one->to, &complete);
  if (status != GV_OK || complete) return status;
  return gv_io_fail(io, GV_ERROR_IO, "cannot write into the directory of %s", output->path);
}

/* The file itself first: it is complete without its side files, an old one with new side files is not. */
static gv_status list_moves(gv_io *io, gv_output *output, moves *m) {
  const char *main_name = gv_path_name(output->path);
  char **files = VSIReadDir(output->directory);
  gv_status status = GV_OK;
  if (CSLFindString(files, main_name) < 0) {
    status = gv_io_fail(io, GV_ERROR_IO, "the driver has not written %s", output->path);
  }
  if (status == GV_OK) status = add_move(io, m, output, main_name, true);
  for (char **file = files; status == GV_OK && file != NULL && *file != NULL; file++) {
    if (EQUAL(*file, ".") || EQUAL(*file, "..") || strcmp(*file, main_name) == 0) continue;
    if (STARTS_WITH(*file, GV_SCRATCH)) continue;
    status = add_move(io, m, output, *file, true);
  }
  CSLDestroy(files);
  return status;
}

/* A file that goes, unless one of the outputs brings a new one. */
static gv_status add_stale(gv_io *io, gv_output *output, moves *m, const char *path) {
  VSIStatBufL found;
  for (int k = 0; k < m->count; k++)
    if (gv_same_file(m->list[k].to, path)) return GV_OK;
  if (VSIStatL(path, &found) != 0 || !VSI_ISREG(found.st_mode)) return GV_OK;
  return add_move(io, m, output, gv_path_name(path), false);
}

/* Side files of an output that was there before would speak of other cells. */
static gv_status list_stale(gv_io *io, gv_output *output, moves *m) {
  static const char *const suffixes[] = {".aux.xml", ".ovr", ".msk", ".msk.ovr"};
  gv_status status = GV_OK;
  for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0] && status == GV_OK; i++) {
    char *side = gv_path_add(output->path, suffixes[i]);
    status = side != NULL ? add_stale(io, output, m, side) : gv_io_fail_memory(io, "a file name");
    free(side);
  }
  for (char **one = output->stale; status == GV_OK && one != NULL && *one != NULL; one++)
    status = add_stale(io, output, m, *one);
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
                        one->name);
    }
  }
  bool replaces = one->backup != NULL && !output->amends;
  const char *input = replaces && inputs != NULL ? gv_inputs_find(inputs, one->name) : NULL;
  if (input != NULL) {
    return gv_io_fail_as(io, GV_CODE_OUTPUT_IS_INPUT, GV_ERROR_INVALID_ARGUMENT,
                         "%s: its file %s is %s, a file of an input", output->path, one->name, input);
  }
  const char *main_name = gv_path_name(output->path);
  bool useless =
      strncmp(gv_path_name(one->name), main_name, strlen(main_name)) == 0 || gv_qgis_style_is_ours(one->to);
  if (one->there && !output->overwrite && !useless) {
    return gv_io_fail_as(io, GV_CODE_OUTPUT_EXISTS, GV_ERROR_IO, "%s: its file %s exists; --overwrite replaces it",
                         output->path, one->name);
  }
  if (one->backup != NULL && gv_is_read_only(one->to)) {
    return gv_io_fail(io, GV_ERROR_IO, "%s: its file %s is read-only", output->path, one->name);
  }
  return GV_OK;
}

/* Files are what they were to others. */
static void hand_on_permissions(const moves *m) {
  for (int i = 0; i < m->count; i++) {
    const move *one = &m->list[i];
    struct stat before;
    if (one->from == NULL || one->backup == NULL || stat(one->to, &before) != 0) continue;
    if (S_ISREG(before.st_mode)) gv_copy_permissions(one->from, &before);
  }
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
  if (error == ENOENT && !gv_is_there(one->to)) return 0; /* another run for this output has taken back its own */
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
    if (back) VSIUnlink(one->backup); /* a second name: renaming one to the other does nothing */
    return back;
  }
  if (one->moved && VSIRename(one->to, one->from) != 0) VSIUnlink(one->to);
  return true;
}

/* A journal of all moves, for whoever finds the process dead before the last. */
static gv_status keep_journal(gv_io *io, const moves *m, char **directories, bool lasting) {
  gv_journal_move *list = malloc((size_t)m->count * sizeof *list);
  int error = list != NULL ? 0 : ENOMEM;
  for (int i = 0; i < m->count && error == 0; i++)
    list[i] = (gv_journal_move){m->list[i].from, m->list[i].to};
  if (error == 0) error = gv_journal_write(directories, CSLCount(directories), list, m->count, lasting);
  free(list);
  if (error == 0) return GV_OK;
  return gv_io_fail(io, GV_ERROR_IO, "cannot write into the directory of %s: %s", m->list[0].to, strerror(error));
}

/* The temporary directories of all outputs. */
static char **list_directories(gv_output *const *outputs, int count) {
  char **list = NULL;
  for (int i = 0; i < count; i++) {
    list = CSLAddString(list, outputs[i]->directory);
    for (char **stage = outputs[i]->stages; stage != NULL && *stage != NULL; stage++)
      list = CSLAddString(list, *stage);
  }
  return list;
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
  if (status == GV_OK) hand_on_permissions(&m);
  bool lasting = status == GV_OK && must_last(&m, sync);
  if (lasting) status = sync_files(io, &m);
  char **directories = list_directories(outputs, count);
  bool journal = status == GV_OK && outputs[0]->lock >= 0;
  if (journal) status = keep_journal(io, &m, directories, lasting);
  pthread_mutex_lock(&begun_lock);
  for (int i = 0; i < m.count && status == GV_OK; i++) {
    int error = carry_out(&m.list[i], lasting);
    if (error == 0) continue;
    if (journal) gv_journal_remove(directories, CSLCount(directories));
    status = fail_move(io, &m, i, error, lasting);
  }
  pthread_mutex_unlock(&begun_lock);
  CSLDestroy(directories);
  free_moves(&m);
  return status;
}
