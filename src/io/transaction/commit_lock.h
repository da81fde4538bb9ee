/*
 * Locks of directories while outputs are moved into them, and of objects of cloud storage while they are
 * copied, so that of two runs for the same outputs all files are of one run.
 *
 * A lock is an abstract socket with the place's number in its name: it leaves no file, and ends with its
 * process. Locks of other users and of other machines are not seen; systems without such sockets have no
 * locks.
 */
#ifndef GV_IO_COMMIT_LOCK_H
#define GV_IO_COMMIT_LOCK_H

#include "io/io.h"

/* {0}: none. */
typedef struct gv_commit_place {
  uint64_t device, number;
} gv_commit_place;

/* Begins as {0}. */
typedef struct gv_commit_locks {
  gv_commit_place *places;
  int *sockets;
  int room, count; /* of places, of sockets */
} gv_commit_locks;

/* The place of a directory, given by a descriptor. */
gv_commit_place gv_commit_directory(int directory);

/* The place of an object, given by its path. */
gv_commit_place gv_commit_object(const char *path);

/* Room for so many places, all {0}: the caller sets them. Separate, as memory must not fail after something
 * was copied. */
gv_status gv_commit_locks_make(gv_io *io, int room, gv_commit_locks *out);

/* Locks the places, each once, and sorts them. Waits for other runs, up to a minute: then it is an error. */
gv_status gv_commit_lock(gv_io *io, gv_commit_locks *locks);

void gv_commit_unlock(gv_commit_locks *locks);

#endif
