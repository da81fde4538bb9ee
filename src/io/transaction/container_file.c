/* Locks, journals and copies of files that hold layers of others. */
#include "io/transaction/container_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/retry.h"
#include "io/transaction/copy.h"
#include "io/transaction/shared_file.h"

enum { MAX_PATH = 4096 };

static const char magic[16] = "SQLite format 3";

/* The first bytes of a file into `start`; their number, 0 if there is none. */
static size_t read_start(const char *path, char *start, size_t size) {
  gv_shared_file shared = gv_shared_open(path);
  ssize_t got = shared.file >= 0 ? gv_retry_read_at(shared.file, start, size, 0) : 0;
  gv_shared_close(&shared);
  return got > 0 ? (size_t)got : 0;
}

bool gv_is_sqlite(const char *path) {
  char start[sizeof magic];
  return read_start(path, start, sizeof start) == sizeof start && memcmp(start, magic, sizeof magic) == 0;
}

/* ----------------------------------------------------------------------------------------- other programs */

/* SQLite's files beside a database; "" if the name is too long. */
static const char *side_file(const char *path, const char *suffix, char *out) {
  return snprintf(out, MAX_PATH, "%s%s", path, suffix) < MAX_PATH ? out : "";
}

/* Whether a file has something in it other than the zeros that SQLite leaves in a journal it is done with. */
static bool has_contents(const char *path) {
  char start[8] = "";
  static const char zeros[sizeof start];
  return read_start(path, start, sizeof start) > 0 && memcmp(start, zeros, sizeof start) != 0;
}

/* Whether another process holds a lock of any kind on some bytes of a file. */
static bool is_locked(const char *path, off_t first, off_t count) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = first, .l_len = count};
  gv_shared_file shared = gv_shared_open(path);
  bool locked = shared.file >= 0 && fcntl(shared.file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  gv_shared_close(&shared);
  return locked;
}

/* The bytes are those of SQLite's file format: readers and writers lock 512 from 2^30 on, and who has a
 * database open with a write-ahead log, as QGIS does, keeps a lock on nine from 120 on of the log's index. */
gv_status gv_container_check_idle(gv_io *io, const char *path) {
  char journal[MAX_PATH], wal[MAX_PATH], index[MAX_PATH];
  if (!gv_is_sqlite(path)) return GV_OK;
  if (is_locked(path, 1 << 30, 512) || is_locked(side_file(path, "-shm", index), 120, 9)) {
    return gv_io_fail(io, GV_ERROR_IO, "%s: open in another program; close it there first", path);
  }
  if (has_contents(side_file(path, "-wal", wal)) || has_contents(side_file(path, "-journal", journal))) {
    return gv_io_fail(
        io, GV_ERROR_IO,
        "%s: has unsaved changes of another program in a journal; open and close it there first", path);
  }
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------ copying */

static bool container_file_state(int file, gv_file_state *state) {
  memset(state, 0, sizeof *state);
  return fstat(file, &state->stat) == 0 &&
         gv_retry_read_at(file, state->header, sizeof state->header, 0) >= 0;
}

static bool same_state(const gv_file_state *a, const gv_file_state *b) {
  const struct stat *p = &a->stat, *q = &b->stat;
  return p->st_dev == q->st_dev && p->st_ino == q->st_ino && p->st_size == q->st_size &&
         p->st_mtim.tv_sec == q->st_mtim.tv_sec && p->st_mtim.tv_nsec == q->st_mtim.tv_nsec &&
         memcmp(a->header, b->header, sizeof a->header) == 0;
}

static gv_status changed(gv_io *io, const char *path) {
  return gv_io_fail(io, GV_ERROR_IO, "%s: changed by another program during this run; it was not replaced",
                    path);
}

gv_status gv_container_copy(gv_io *io, const char *path, const char *copy, gv_file_state *state) {
  gv_file_state after;
  GV_TRY(gv_container_check_idle(io, path));
  gv_shared_file shared = gv_shared_open(path);
  if (shared.file < 0) return gv_io_fail(io, GV_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
  int error = container_file_state(shared.file, state) ? gv_copy_contents(io, shared.file, copy) : errno;
  if (error == 0 && !container_file_state(shared.file, &after)) error = errno;
  gv_shared_close(&shared);
  if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
  if (error != 0) return gv_io_fail(io, GV_ERROR_IO, "cannot write %s: %s", path, strerror(error));
  if (!same_state(state, &after)) return changed(io, path);
  return gv_container_check_idle(io, path);
}

gv_status gv_container_check_unchanged(gv_io *io, const char *path, const gv_file_state *state) {
  gv_file_state now;
  gv_shared_file shared = gv_shared_open(path);
  bool seen = shared.file >= 0 && container_file_state(shared.file, &now);
  gv_shared_close(&shared);
  if (!seen || !same_state(state, &now)) return changed(io, path);
  return gv_container_check_idle(io, path);
}
