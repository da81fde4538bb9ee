/* Polygons that many geometries are cut by: a tree of boxes, so that each geometry meets the few edges near
 * it. */
#ifndef GV_IO_WINDOW_H
#define GV_IO_WINDOW_H

#include <ogr_api.h>

#include "io/io.h"

typedef struct gv_window gv_window;

/* Takes ownership of `polygons`, also on failure; NULL = nothing is inside. */
gv_status gv_window_make(gv_io *io, OGRGeometryH polygons, gv_window **out);
void gv_window_free(gv_window *window);

/* Cuts *geometry, a multipolygon or multiline: it is replaced by the part inside, NULL if that is empty.
 * *changed is set if it is not the same. */
gv_status gv_window_cut(gv_io *io, gv_window *window, bool polygons, OGRGeometryH *geometry, bool *changed);

#endif
