/*
 * Files that hold layers of others, as files: whether they are as they were, whether another program is at
 * work on them, and copies of them.
 */
#ifndef GV_IO_CONTAINER_FILE_H
#define GV_IO_CONTAINER_FILE_H

#include <sys/stat.h>

#include "io/io.h"

/* Attributes that change with a file's contents. */
typedef struct gv_file_state {
  struct stat stat;
  unsigned char header[100]; /* SQLite counts changes in it */
} gv_file_state;

/* True for files that begin as SQLite's do: GeoPackages, SpatiaLite databases. */
bool gv_is_sqlite(const char *path);

/* An error if the file is an SQLite database that another program has locked, or that changes of are still in
 * a journal: those would be lost with the file, or be played into the new one. */
gv_status gv_container_check_idle(gv_io *io, const char *path);

/* Copies the file and its permissions to `copy`, which must not exist, and returns the file's state. An error
 * if another program changes it during the copy. */
gv_status gv_container_copy(gv_io *io, const char *path, const char *copy, gv_file_state *state);

/* An error if the file is not as it was when it was copied, or if it is not idle. */
gv_status gv_container_check_unchanged(gv_io *io, const char *path, const gv_file_state *state);

#endif
