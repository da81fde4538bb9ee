/* The places of query cells that are a mesh or a list. */
#ifndef GV_IO_CELL_PLACES_H
#define GV_IO_CELL_PLACES_H

#include "io/in/grid.h"

/* Those of a file, in its own coordinates; other cells have none here. `option` is for messages. `out` must
 * be GV_SEED_LIST_INIT, and is freed by gv_seeds_free in any case. */
gv_status gv_cell_places_read(gv_io *io, const gv_cells_of *cells, const char *option, bool skip_invalid,
                              gv_seed_list *out);

/* Makes them the cells of a grid that was made for its coordinate system: places of a file are carried to it,
 * those of H3 computed. */
gv_status gv_cell_places_put(gv_io *io, const gv_cells_of *cells, const char *option, int threads,
                             gv_raster_grid *grid, gv_seed_list *places);

#endif
