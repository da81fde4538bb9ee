/*
 * Making files last: what has been written survives a loss of power only once the file, and the directory that names it,
 * have been handed to the disk.
 */
#ifndef GV_IO_SYNC_H
#define GV_IO_SYNC_H

/* When outputs are made to last before they are in place. */
typedef enum gv_sync {
  GV_SYNC_AUTO, /* if they replace something */
  GV_SYNC_ALWAYS,
  GV_SYNC_NEVER
} gv_sync;

/*
 * Waits until a file, or a directory with all that is in it, is on the disk: 0, or the error's number.
 */
int gv_sync_all(const char *path);

/* The same for the names in a directory alone, given by a descriptor. Where the file system does not support that, nothing is done. */
int gv_sync_directory_at(int directory);

#endif
