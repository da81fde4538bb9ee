/* Geometries of longitudes and latitudes drawn on a map. */
#ifndef GV_IO_PROJECTED_H
#define GV_IO_PROJECTED_H

#include <ogr_api.h>

#include "io/geometry/map.h"

/*
 * Draws a multipolygon or multiline of degrees from the map's center, with additional points so that lines
 * straight on the map are within `tolerance` meters on the ground of those straight in degrees. A line and
 * its reverse get the same points. Polygons are valid, and in one part where the map is not cut. *out NULL:
 * nothing is left. Errors: PROJECTION if a point has no image.
 */
gv_status gv_map_draw(gv_io *io, const gv_map *map, double tolerance, bool polygons, OGRGeometryH geometry,
                      OGRGeometryH *out);

#endif
