/*
 * Extents of grids: of seeds, of coordinate systems and of other data.
 */
#ifndef GV_IO_EXTENT_H
#define GV_IO_EXTENT_H

#include "io/in/seeds.h"

/*
 * The default: the seeds' extent plus a tenth a side; around a single place 1 km on each side, or a unit box
 * without a unit. Seeds of another system that are outside the area of use of the coordinate system are
 * counted by a warning. If one is farther from it than half its width or height, the extent ends at that area
 * (all of it if it has no part of the extent). `operation` transforms the seeds to the grid's CRS, NULL if
 * they are in it; seeds without an image are outside.
 */
gv_status gv_extent_of_seeds(gv_io *io, const gv_seed_list *seeds, gv_operation *operation,
                             OGRSpatialReferenceH crs, double extent[4]);

/* Whether --extent is a rectangle. */
gv_status gv_extent_check(gv_io *io, const double extent[4]);

/* The extent of a raster or a layer (NULL: the only one), transformed to `crs` (NULL: unchanged), for
 * --extent-of. `given`: overrides its coordinate system; NULL: its own. */
gv_status gv_extent_of_source(gv_io *io, const char *source, const char *layer, char **open_options,
                              OGRSpatialReferenceH given, OGRSpatialReferenceH crs, double extent[4]);

#endif
