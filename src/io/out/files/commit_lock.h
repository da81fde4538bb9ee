/*
 * Locks of directories while outputs are moved into them, so that of two runs for the same outputs all files are of one run.
 *
 * A lock is an abstract socket with the directory's number in its name: it leaves no file, and ends with its process. Locks of other users
 * and of other machines are not seen; systems without such sockets have no locks.
 */
#ifndef GV_IO_COMMIT_LOCK_H
#define GV_IO_COMMIT_LOCK_H

#include "io/io.h"

/* Begins as {0}. */
typedef struct gv_commit_locks {
  int *sockets;
  int count;
} gv_commit_locks;

/* Locks directories, given by descriptors, each once. Waits for other runs, up to a minute: then it is an error. */
gv_status gv_commit_lock(gv_io *io, const int *directories, int count, gv_commit_locks *out);

void gv_commit_unlock(gv_commit_locks *locks);

#endif
