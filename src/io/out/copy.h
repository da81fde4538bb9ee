/*
 * Copies of files, and what of a file is its owner's wish: who may read it.
 */
#ifndef GV_IO_COPY_H
#define GV_IO_COPY_H

#include <sys/stat.h>

#include "io/io.h"

/* All that is left of an open file. 0, or an error's number. */
int gv_copy_bytes(const gv_io *io, int from, int to);

/* The same, with its mode, into the file `to`, which must not exist. 0, or an error's number. */
int gv_copy_contents(const gv_io *io, int from, const char *to);

/* A second name for a file, or a copy of it where there can be none: `to` must not exist. 0, or an error's number. */
int gv_copy_file(const gv_io *io, const char *from, const char *to);

/* Gives a file the owner, group and mode of another, as far as that is allowed; nobody may read it who might not read that one. */
void gv_copy_permissions(const char *path, const struct stat *like);

/* True if a file is not to be replaced: nobody may write to it, or the process may not. */
bool gv_is_read_only(const char *path);

#endif
