/*
 * Moves outputs into place: all of their files, or none.
 *
 * A new file is renamed to its path without replacing a file. A file to be replaced is exchanged with the new
 * one, which is first moved to the temporary directory's subdirectory for backups; the old file is then
 * there. If the file system does not support exchange, the old file gets a second name there, or is renamed
 * to there, before the new one is renamed. Renames are undone in reverse order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/grow.h"
#include "io/object_name.h"
#include "io/path.h"
#include "io/retry.h"
#include "io/transaction/commit_lock.h"
#include "io/transaction/copy.h"
#include "io/transaction/output.h"
#include "io/transaction/remote_copies.h"

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE (1 << 0)
#define RENAME_EXCHANGE  (1 << 1)
#endif

/* Progress of a move. */
typedef enum move_state {
  MOVE_WAITS,
  MOVE_ADDED,     /* the new file is in its place, which was free */
  MOVE_EXCHANGED, /* the old file is a backup, the new one is in its place */
  MOVE_SAVED,     /* the old file is a backup (or has a second name there), the new one is not in its place */
  MOVE_REPLACED   /* as MOVE_EXCHANGED, by two renames */
} move_state;

/* A file that is put in its place, or one that is removed. */
typedef struct move {
  gv_output *output;
  const gv_temporary *temporary; /* in the directory of the place: has the new file and the backup */
  char *name;                    /* of the new file, and of the backup */
  char *to;                      /* the name of the place */
  char *path;                    /* the place, for messages and comparisons */
  bool fresh;                    /* there is a new file */
  bool replaces;                 /* there is an old file */
  int backups;                   /* descriptor of the directory for backups; -1 = not needed */
  move_state state;
} move;

typedef struct moves {
  move *list;
  int count;
  int64_t capacity;
} moves;

static void moves_free(moves *m) {
  for (int i = 0; i < m->count; i++) {
    free(m->list[i].name);
    free(m->list[i].to);
    free(m->list[i].path);
    if (m->list[i].backups >= 0) close(m->list[i].backups);
  }
  free(m->list);
}

/* ----------------------------------------------------------------------------------------------- planning */

/* Brings a file from the output's temporary directory to the one for side files, as a second name or a
 * copy. */
static gv_status bring_to_stage(gv_io *io, const gv_output *output, const char *name) {
  char *from = gv_path_join(output->directory, name), *to = gv_path_join(output->stage.path, name);
  int error = from != NULL && to != NULL ? gv_copy_file(io, from, to) : ENOMEM;
  free(from);
  free(to);
  if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
  if (error == 0) return GV_OK;
  return gv_io_fail(io, GV_ERROR_IO, "cannot write %s beside %s: %s", name, output->path, strerror(error));
}

/* The path of a side file in the directory of the output's path: to be freed; NULL = out of memory. A link is
 * followed only if the output itself is a link into the same directory (*beside_target): other links may
 * belong to another user. */
static char *place_of_side_file(const gv_output *output, const char *name, bool *beside_target) {
  char *path = gv_path_join(output->parent, name);
  *beside_target = false;
  if (path == NULL || strcmp(output->path, output->target) == 0) return path;
  struct stat found;
  char *place = gv_path_follow(path), *own = gv_path_parent(output->target);
  char *parent = place != NULL ? gv_path_parent(place) : NULL;
  bool complete = own != NULL && parent != NULL;
  *beside_target = complete && strcmp(place, path) != 0 && gv_same_file(parent, own) &&
                   (lstat(place, &found) != 0 || !S_ISLNK(found.st_mode));
  free(own);
  free(parent);
  free(*beside_target ? path : place);
  return *beside_target ? place : path;
}

/* Whether a directory is replaced by one, as the output allows. */
static bool commit_replaces_directory(const move *one) {
  const gv_output *output = one->output;
  struct stat made;
  return one->fresh && output->owns_directory != NULL && strcmp(one->name, gv_path_name(output->path)) == 0 &&
         fstatat(one->temporary->directory, one->name, &made, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISDIR(made.st_mode) && output->owns_directory(one->path);
}

/* Room for the file that is replaced. */
static gv_status add_backups(gv_io *io, move *one, const struct stat *replaced) {
  const char *path = one->output->path;
  if (S_ISDIR(replaced->st_mode) && !commit_replaces_directory(one))
    return gv_io_fail(io, GV_ERROR_IO, "%s: file %s of this output is a directory", path, one->path);
  one->backups = gv_temporary_backups(one->temporary);
  if (one->backups >= 0) return GV_OK;
  return gv_io_fail(io, GV_ERROR_IO, "%s: cannot write into its directory: %s", path, strerror(errno));
}

/* Appends a move: of the output's main file or of a side file. */
static gv_status add_move(gv_io *io, moves *m, gv_output *output, const char *name, bool fresh) {
  move *list = gv_grow(m->list, &m->capacity, m->count + 1, sizeof *list);
  if (list == NULL) return gv_io_fail_memory(io, "the outputs' names");
  m->list = list;
  bool beside_target = fresh && strcmp(name, gv_path_name(output->path)) == 0;
  char *path = beside_target ? strdup(output->target)
               : fresh       ? place_of_side_file(output, name, &beside_target)
                             : gv_path_join(output->parent, name);
  bool staged = !beside_target && output->stage.directory >= 0;
  move *one = &m->list[m->count++];
  *one = (move){.output = output,
                .temporary = staged ? &output->stage : &output->temporary,
                .name = strdup(name),
                .to = path != NULL ? strdup(gv_path_name(path)) : NULL,
                .path = path,
                .fresh = fresh,
                .backups = -1};
  if (one->name == NULL || one->to == NULL) return gv_io_fail_memory(io, "a file name");
  struct stat found;
  one->replaces = fstatat(one->temporary->parent, one->to, &found, AT_SYMLINK_NOFOLLOW) == 0;
  if (one->replaces) GV_TRY(add_backups(io, one, &found));
  return fresh && staged ? bring_to_stage(io, output, name) : GV_OK;
}

/* The file itself comes first: it is complete without its side files, an old one with new side files is
 * not. */
static gv_status add_fresh(gv_io *io, gv_output *output, const char *name, void *moves_of_run) {
  return add_move(io, moves_of_run, output, name, true);
}

/* A file that is removed, unless one of the outputs brings a new one. */
static gv_status add_stale(gv_io *io, gv_output *output, const char *path, void *moves_of_run) {
  moves *m = moves_of_run;
  struct stat found;
  for (int k = 0; k < m->count; k++)
    if (gv_same_file(m->list[k].path, path)) return GV_OK;
  if (lstat(path, &found) != 0 || !S_ISREG(found.st_mode)) return GV_OK;
  return add_move(io, m, output, gv_path_name(path), false);
}

/* A file must not replace one of another output, or what gv_output_check_replaced() protects. */
static gv_status check_move(gv_io *io, const moves *m, const move *one, gv_inputs *inputs) {
  const gv_output *output = one->output;
  for (const move *other = m->list; other < one; other++) {
    if (gv_same_file(other->path, one->path)) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: file %s belongs to another output, too",
                        output->path, one->path);
    }
  }
  if (!one->replaces) return GV_OK;
  GV_TRY(gv_output_check_replaced(io, output, one->name, one->path, inputs));
  if (gv_is_read_only(one->path)) {
    return gv_io_fail(io, GV_ERROR_IO, "%s: file %s is read-only", output->path, one->path);
  }
  return GV_OK;
}

/* All files of the outputs and what else is removed, nothing renamed yet. */
static gv_status plan_moves(gv_io *io, gv_output *const *outputs, int count, gv_inputs *inputs, moves *m) {
  for (int i = 0; i < count; i++) {
    if (gv_object_is(outputs[i]->path)) continue; /* remote_copies.c */
    /* made by another program meanwhile? */
    if (!outputs[i]->overwrite) GV_TRY(gv_output_check(io, outputs[i]));
    GV_TRY(gv_output_each_file(io, outputs[i], add_fresh, m));
  }
  for (int i = 0; i < count; i++)
    if (!outputs[i]->amends && !gv_object_is(outputs[i]->path))
      GV_TRY(gv_output_each_stale(io, outputs[i], add_stale, m));
  for (int i = 0; i < m->count; i++)
    GV_TRY(check_move(io, m, &m->list[i], inputs));
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------ syncing */

static bool must_last(const moves *m, gv_sync sync) {
  bool replaces = false;
  for (int i = 0; i < m->count; i++)
    replaces = replaces || m->list[i].replaces;
  return sync == GV_SYNC_ALWAYS || (sync == GV_SYNC_AUTO && replaces);
}

/* A new file gets the permissions of the one that it replaces, and is on the disk if it is to last. */
static gv_status prepare_files(gv_io *io, const moves *m, bool lasting) {
  for (int i = 0; i < m->count; i++) {
    const move *one = &m->list[i];
    struct stat before;
    if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
    if (!one->fresh) continue;
    char *made = gv_path_join(one->temporary->path, one->name);
    if (made == NULL) return gv_io_fail_memory(io, "a file name");
    if (one->replaces && fstatat(one->temporary->parent, one->to, &before, AT_SYMLINK_NOFOLLOW) == 0)
      gv_copy_permissions(made, &before);
    int error = lasting ? gv_sync_all(made) : 0;
    free(made);
    if (error != 0)
      return gv_io_fail(io, GV_ERROR_IO, "cannot write %s to the disk: %s", one->path, strerror(error));
  }
  return GV_OK;
}

/* The names in the directory of a move's place: 0, or the error's number. */
static int sync_place(const move *one) {
  return gv_sync_directory_at(one->temporary->parent);
}

/* ----------------------------------------------------------------------------------------------- renaming */

/* Whether a file system refuses the kind of rename, rather than this one. */
static bool is_unsupported(int error) {
  return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP;
}

/* Renames to a free place: 0, or the error's number. */
static int rename_to_free(int from, const char *name, int parent, const char *to) {
  if (renameat2(from, name, parent, to, RENAME_NOREPLACE) == 0) return 0;
  if (!is_unsupported(errno)) return errno;
  if (linkat(from, name, parent, to, 0) == 0) {
    unlinkat(from, name, 0);
    return 0;
  }
  if (errno == EEXIST) return EEXIST;
  struct stat found; /* no second names either */
  if (fstatat(parent, to, &found, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
  return renameat(from, name, parent, to) == 0 ? 0 : errno;
}

/* Makes a backup of the old file by a second name, or else by a rename: 0, or the error's number. */
static int save(move *one, bool lasting) {
  int parent = one->temporary->parent;
  bool saved = one->fresh && linkat(parent, one->to, one->backups, one->name, 0) == 0;
  if (!saved && renameat(parent, one->to, one->backups, one->name) != 0) return errno;
  one->state = MOVE_SAVED;
  if (!lasting) return 0;
  int error = gv_sync_directory_at(one->backups);
  return error == 0 ? sync_place(one) : error;
}

static int exchange(move *one) {
  const gv_temporary *t = one->temporary;
  if (renameat(t->directory, one->name, one->backups, one->name) != 0) return errno;
  int error = renameat2(one->backups, one->name, t->parent, one->to, RENAME_EXCHANGE) == 0 ? 0 : errno;
  if (error == 0) {
    one->state = MOVE_EXCHANGED;
  } else if (renameat(one->backups, one->name, t->directory, one->name) != 0) {
    error = errno;
  }
  return error;
}

/* 0, or the error's number. */
static int replace(move *one, bool lasting) {
  const gv_temporary *t = one->temporary;
  int error = exchange(one);
  if (error == 0 || !is_unsupported(error)) return error;
  error = save(one, lasting);
  if (error == 0 && renameat(t->directory, one->name, t->parent, one->to) != 0) error = errno;
  if (error == 0) one->state = MOVE_REPLACED;
  return error;
}

static int commit_add(move *one) {
  const gv_temporary *t = one->temporary;
  int error = rename_to_free(t->directory, one->name, t->parent, one->to);
  if (error == 0) one->state = MOVE_ADDED;
  return error;
}

/* 0, or the error's number. */
static int commit_all(move *one, bool lasting) {
  int error = 0;
  if (one->replaces) {
    error = one->fresh ? replace(one, lasting) : save(one, lasting);
    /* Another run for this output has removed its own file meanwhile. */
    if (error == ENOENT && one->state == MOVE_WAITS) error = one->fresh ? commit_add(one) : 0;
  } else {
    error = commit_add(one);
  }
  return error == 0 && lasting && one->state != MOVE_WAITS ? sync_place(one) : error;
}

/* False if the old file could not be put back; it stays a backup then. */
static bool undo(const move *one) {
  const gv_temporary *t = one->temporary;
  switch (one->state) {
  case MOVE_ADDED:
    if (rename_to_free(t->parent, one->to, t->directory, one->name) != 0) unlinkat(t->parent, one->to, 0);
    return true;
  case MOVE_EXCHANGED:
    return renameat2(one->backups, one->name, t->parent, one->to, RENAME_EXCHANGE) == 0;
  case MOVE_SAVED:
  case MOVE_REPLACED: /* of directories only empty ones are replaced by a rename */
    if (one->state == MOVE_REPLACED) (void)renameat(t->parent, one->to, t->directory, one->name);
    if (renameat(one->backups, one->name, t->parent, one->to) != 0) return false;
    unlinkat(one->backups, one->name, 0); /* a second name: renaming one to the other does nothing */
    return true;
  default:
    return true;
  }
}

/* Undoes all moves up to the one that failed. */
static gv_status fail_move(gv_io *io, const moves *m, int failed, int error, bool lasting) {
  gv_status status =
      gv_io_fail(io, GV_ERROR_IO, "cannot move the output to %s: %s", m->list[failed].path, strerror(error));
  for (int i = failed; i >= 0; i--) {
    const move *one = &m->list[i];
    if (!undo(one)) {
      one->output->kept = true;
      char *backup = gv_temporary_backup_path(one->temporary, one->name);
      status = gv_io_fail(io, GV_ERROR_IO, "cannot move the output to %s: %s; the previous file is now %s",
                          one->path, strerror(error), backup != NULL ? backup : one->temporary->name);
      free(backup);
    }
    if (lasting) sync_place(one); /* the first error is the one that is reported */
  }
  return status;
}

/* Of two runs at once for one output the second sees here what the first has put into place. */
static gv_status plan_again(gv_io *io, gv_output *const *outputs, int count, gv_inputs *inputs, moves *m) {
  for (int i = 0; i < count; i++) {
    if (gv_object_is(outputs[i]->path)) continue;
    if (!outputs[i]->overwrite) GV_TRY(gv_output_check(io, outputs[i]));
    if (outputs[i]->check != NULL) GV_TRY(outputs[i]->check(io, outputs[i]));
  }
  for (int i = 0; i < m->count; i++) {
    move *one = &m->list[i];
    struct stat found;
    if (one->replaces || fstatat(one->temporary->parent, one->to, &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
    one->replaces = true;
    GV_TRY(add_backups(io, one, &found));
    GV_TRY(check_move(io, m, one, inputs));
  }
  return GV_OK;
}

static gv_status lock_places(gv_io *io, const moves *m, gv_commit_locks *locks) {
  for (int i = 0; i < m->count; i++)
    locks->places[i] = gv_commit_directory(m->list[i].temporary->parent);
  return gv_commit_lock(io, locks);
}

/* By output, as copies take long: runs with other outputs do not wait. */
static gv_status lock_objects(gv_io *io, gv_output *const *outputs, int count, gv_commit_locks *locks) {
  GV_TRY(gv_commit_locks_make(io, count, locks));
  for (int i = 0; i < count; i++)
    if (gv_object_is(outputs[i]->path)) locks->places[i] = gv_commit_object(outputs[i]->path);
  return gv_commit_lock(io, locks);
}

gv_status gv_outputs_commit(gv_io *io, gv_output *const *outputs, int count, gv_inputs *inputs,
                            gv_sync sync) {
  moves m = {NULL, 0, 0};
  gv_commit_locks locks = {0}, of_objects = {0};
  gv_status status = plan_moves(io, outputs, count, inputs, &m);
  bool lasting = must_last(&m, sync);
  gv_remote_copies copies = {.list = NULL};
  if (status == GV_OK) status = prepare_files(io, &m, lasting);
  if (status == GV_OK) status = gv_commit_locks_make(io, m.count, &locks);
  if (status == GV_OK) status = lock_objects(io, outputs, count, &of_objects);
  if (status == GV_OK) status = gv_remote_copy(io, outputs, count, inputs, &copies);
  if (status == GV_OK) status = lock_places(io, &m, &locks);
  if (status == GV_OK) status = plan_again(io, outputs, count, inputs, &m);
  gv_outputs_lock();
  if (status == GV_OK && !gv_remote_have_replaced(&copies) && gv_io_cancelled(io))
    status = gv_io_fail_cancelled(io);
  if (status == GV_OK) gv_outputs_set_renaming(true);
  for (int i = 0; i < m.count && status == GV_OK; i++) {
    int error = commit_all(&m.list[i], lasting);
    if (error != 0) status = fail_move(io, &m, i, error, lasting);
  }
  for (int i = 0; i < m.count && status == GV_OK; i++)
    if (m.list[i].replaces) gv_temporary_discard_backups(m.list[i].temporary);
  if (status != GV_OK) gv_outputs_set_renaming(false);
  gv_outputs_unlock();
  gv_commit_unlock(&locks);
  for (int i = 0; i < count && status == GV_OK; i++)
    outputs[i]->placed = true;
  if (status == GV_OK) {
    gv_remote_drop_stale(&copies);
  } else {
    gv_remote_undo(io, status, &copies);
  }
  gv_commit_unlock(&of_objects);
  gv_remote_free(&copies);
  moves_free(&m);
  return status;
}
