/* H3 cells, where the command was built with libh3. */
#ifndef GV_IO_H3_CELLS_H
#define GV_IO_H3_CELLS_H

#include "io/in/grid.h"

/*
 * All cells of a resolution in the order of their ids: x and y are the centers' longitudes and geodetic
 * latitudes in degrees, fids the ids, areas the solid angles times the ellipsoid's area by solid angle at the
 * center. *out must be GV_SEED_LIST_INIT and is to be freed with gv_seeds_free in any case.
 */
gv_status gv_h3_cells_read(gv_io *io, int resolution, const gv_raster_grid *grid, int threads,
                           gv_seed_list *out);

/* The number of the cell that contains a place in degrees, in the order of gv_h3_cells_read. */
gv_status gv_h3_cell_find(gv_io *io, int resolution, double lon, double lat, int64_t *number);

/*
 * The border of a cell: a closed ring, counterclockwise, of longitudes in [-180, 180] and latitudes in
 * degrees; its sides are great circles, in pieces. `lon` and `lat` have room for GV_BORDER_MOST_POINTS
 * (cells/borders.h).
 */
gv_status gv_h3_cell_border(gv_io *io, int resolution, int64_t id, double *lon, double *lat, int *count);

#endif
