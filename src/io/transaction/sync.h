/*
 * Makes files durable: written data survive a loss of power only after the file and its directory were
 * synchronized with the disk.
 */
#ifndef GV_IO_SYNC_H
#define GV_IO_SYNC_H

/* When outputs are made to last before they are in place. */
typedef enum gv_sync {
  GV_SYNC_AUTO, /* if they replace something */
  GV_SYNC_ALWAYS,
  GV_SYNC_NEVER
} gv_sync;

/* Synchronizes a file, or a directory with all its files, with the disk: 0, or the error's number. */
int gv_sync_all(const char *path);

/* The same for the names in a directory only, by its descriptor. No operation if the file system does not
 * support it. */
int gv_sync_directory_at(int directory);

#endif
