/* The z coordinates of a point layer, which seeds of rasters have no use for but searches in space do. */
#ifndef GV_IO_HEIGHTS_H
#define GV_IO_HEIGHTS_H

#include "io/in/seeds.h"

/* The heights of the points that gv_seeds_read gave as `seeds` for the same options (nothing skipped), into memory of
 * malloc; *out stays NULL if the layer's geometries are flat. */
gv_status gv_seed_heights(gv_io *io, const gv_seed_options *options, const gv_seed_list *seeds, double **out);

#endif
