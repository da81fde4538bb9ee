/* Names of objects in cloud storage: /vsis3/BUCKET/KEY and the like. */
#ifndef GV_IO_OBJECT_NAME_H
#define GV_IO_OBJECT_NAME_H

#include <stdbool.h>

/* True for paths that GDAL writes to over the network. */
bool gv_object_is(const char *path);

/* True if the path has "." or ".." between slashes: curl removes these, so that the object is another one. */
bool gv_object_has_dots(const char *path);

/* True if both paths may lead to one object: the same path without "." and "..", also through
 * /vsis3_streaming/ and the like, or `b` is an archive in `a` or the other way round (/vsizip//vsis3/...).
 * False if memory has run out. */
bool gv_object_same(const char *a, const char *b);

#endif
