/*
 * Names of files, of any length: GDAL's functions for that have buffers of 2,048 bytes and return "" for
 * longer names.
 *
 * Free the returned strings with free; NULL = out of memory.
 */
#ifndef GV_IO_PATH_H
#define GV_IO_PATH_H

#include <stdbool.h>

/* The part before the last slash: "." for a name without slash, "/" for a name in the root. */
char *gv_path_parent(const char *path);

/* The part after the last slash, within `path`. */
const char *gv_path_name(const char *path);

/* Whether a path ends with `end`, in upper or lower case. */
bool gv_path_ends(const char *path, const char *end);

/* Only the name if the directory is ".". */
char *gv_path_join(const char *directory, const char *name);

/* True for a link in a sticky directory that others may write to (/tmp), unless the caller or the directory's
 * owner made it: such links are not followed, as by Linux with fs.protected_symlinks. */
bool gv_path_is_foreign_link(const char *path);

/* The target of a path if its last name is a link, or a link to one ...: the target need not exist. `path`
 * itself if it is not a link; circular links are unchanged, and foreign links (above) are not followed: the
 * target is then the link. */
char *gv_path_follow(const char *path);

/* `path` with `suffix` behind it. */
char *gv_path_add(const char *path, const char *suffix);

#endif
