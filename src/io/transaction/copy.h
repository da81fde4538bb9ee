/*
 * Copies of files, and what of a file is its owner's wish: who may read it.
 */
#ifndef GV_IO_COPY_H
#define GV_IO_COPY_H

#include <sys/stat.h>

#include "io/io.h"

/* Copies an open file from its beginning. Returns 0, or an error's number. */
int gv_copy_bytes(const gv_io *io, int from, int to);

/* The same, with its mode, into the file `to`, which must not exist. 0, or an error's number. */
int gv_copy_contents(const gv_io *io, int from, const char *to);

/* A second name for a file, or a copy of it where there can be none: `to` must not exist. 0, or an error's
 * number. */
int gv_copy_file(const gv_io *io, const char *from, const char *to);

/* Sets the owner, group and mode of a file to those of another, of a directory to those of another directory,
 * as far as permitted; never adds read permission. */
void gv_copy_permissions(const char *path, const struct stat *like);

/* True if a file must not be replaced: it is read-only, or the process may not write to it. */
bool gv_is_read_only(const char *path);

#endif
