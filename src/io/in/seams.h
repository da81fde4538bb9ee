/*
 * Edges of polygons that only cut them at 180 degrees or at a pole, where a map of the globe ends: found by
 * their positions on the globe, for any system of the polygons and of the grid.
 */
#ifndef GV_IO_SEAMS_H
#define GV_IO_SEAMS_H

#include "io/in/shapes.h"

/* Sets shapes->cut. An edge is cut if both ends are within 1e-5 degrees of the meridian of 180 degrees, and
 * edges of polygons lie along all of it from the other side; or if both ends are at a pole. `crs`: of the
 * shapes; NULL = they are on no globe. Positions that have no longitude belong to no such edge. */
gv_status gv_shapes_find_seams(gv_io *io, gv_shapes *shapes, OGRSpatialReferenceH crs);

#endif
