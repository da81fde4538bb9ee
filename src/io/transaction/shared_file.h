/*
 * Files that other code of this process may have open and locked: SQLite databases.
 *
 * POSIX locks belong to a process: closing any descriptor of a file drops all locks of the process on it. So
 * a descriptor that the process has already is used, and one of our own is closed only if there is no other.
 */
#ifndef GV_IO_SHARED_FILE_H
#define GV_IO_SHARED_FILE_H

#include <stdbool.h>

typedef struct gv_shared_file {
  int file; /* for reading at positions only (pread); -1 = cannot be opened: errno */
  bool borrowed;
} gv_shared_file;

gv_shared_file gv_shared_open(const char *path);
void gv_shared_close(gv_shared_file *shared);

#endif
