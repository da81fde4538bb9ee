/*
 * Extents of grids: of seeds, of coordinate systems and of other data.
 */
#ifndef GV_IO_EXTENT_H
#define GV_IO_EXTENT_H

#include "io/in/seeds.h"

/*
 * The default: the seeds' extent plus a tenth a side; around a single place 1 km on each side, or a unit box without a unit. Where
 * seeds of another system reach beyond the area that the coordinate system is for, that area, with a warning that counts them. `operation` takes
 * the seeds to the grid's CRS, NULL if they are there; those without an image are beyond it.
 */
gv_status gv_extent_of_seeds(gv_io *io, const gv_seed_list *seeds, gv_operation *operation,
                             OGRSpatialReferenceH crs, double extent[4]);

/* That of a raster or of a layer (NULL: the only one), carried to `crs` (NULL: none), for --extent-of. `given`: its system in place
 * of its own; NULL: none. */
gv_status gv_extent_of_source(gv_io *io, const char *source, const char *layer, char **open_options,
                              OGRSpatialReferenceH given, OGRSpatialReferenceH crs, double extent[4]);

#endif
