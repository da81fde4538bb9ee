/* Borders of cells of HEALPix, S2 and H3 as polygons of longitudes and latitudes, cut at 180 degrees and
 * closed at the poles. */
#ifndef GV_IO_CELL_BORDER_H
#define GV_IO_CELL_BORDER_H

#include <ogr_api.h>

#include "io/in/cells_of.h"

typedef struct gv_cell_border gv_cell_border;

/* `of` outlives *out, which is freed by gv_cell_border_free; `grid` is that of its cells. */
gv_status gv_cell_border_create(gv_io *io, const gv_cells_of *of, const gv_grid *grid, gv_cell_border **out);

/* The polygons of the cell with an id, as a multipolygon in units of `unit` degrees. */
gv_status gv_cell_border_draw(gv_io *io, gv_cell_border *border, int64_t id, double unit, OGRGeometryH *out);

/* NULL is allowed. */
void gv_cell_border_free(gv_cell_border *border);

#endif
