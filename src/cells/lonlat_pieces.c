/* Pieces of the globe. See lonlat_pieces.h. */
#include "cells/lonlat_pieces.h"

#include "cells/kind.h"

static void lonlat_pieces_bound(const gv_cells *cells, const gv_tile *tile, gv_bound *out) {
  const gv_tile nodes = {tile->c0, tile->c1 + 1, tile->r0, tile->r1 + 1};
  gv_kind_lonlat.bound(cells, &nodes, out);
}

static const gv_kind lonlat_pieces_kind = {
    .name = "pieces of the globe", .shape = GV_CELLS_LONLAT, .bound = lonlat_pieces_bound};

gv_status gv_cells_init_lonlat_pieces(gv_context *context, const gv_cells *like,
                                      const gv_lonlat_pieces *pieces, gv_cells *out) {
  const double across = pieces->width / (double)pieces->columns, down = pieces->height / (double)pieces->rows;
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = GV_GRID_LONLAT;
  grid.width = pieces->columns + 1;
  grid.height = pieces->rows + 1;
  grid.geotransform[0] = pieces->west - 0.5 * across;
  grid.geotransform[1] = across;
  grid.geotransform[2] = grid.geotransform[4] = 0.0;
  grid.geotransform[3] = pieces->north + 0.5 * down;
  grid.geotransform[5] = -down;
  grid.semi_major = like->grid.semi_major;
  grid.flattening = like->grid.flattening;
  GV_TRY(gv_cells_init(context, &grid, like->metric, out));
  out->kind = &lonlat_pieces_kind;
  out->grid.width = pieces->columns;
  out->grid.height = pieces->rows;
  return GV_OK;
}
