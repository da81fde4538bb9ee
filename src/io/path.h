/*
 * Names of files, of any length: GDAL's functions for that have buffers of 2,048 bytes and give "" beyond.
 *
 * The strings that are returned are to be freed by free; NULL = out of memory.
 */
#ifndef GV_IO_PATH_H
#define GV_IO_PATH_H

#include <stdbool.h>

/* What is before the last slash: "." for a name alone, "/" for a name in the root. */
char *gv_path_parent(const char *path);

/* What is after the last slash, within `path`. */
const char *gv_path_name(const char *path);

/* Whether a path ends with `end`, in upper or lower case. */
bool gv_path_ends(const char *path, const char *end);

/* The name alone if the directory is ".". */
char *gv_path_join(const char *directory, const char *name);

/* Where a path leads if its last name is a link, or a link to one ...: that need not exist. `path` itself if it is none; a link
 * that leads round in a circle is left as it is. */
char *gv_path_follow(const char *path);

/* `path` with `suffix` behind it. */
char *gv_path_add(const char *path, const char *suffix);

#endif
