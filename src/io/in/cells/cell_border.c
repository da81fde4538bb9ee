#include "io/in/cells/cell_border.h"

#include <stdlib.h>

#include "cells/borders.h"
#include "io/geometry/piece_geometry.h"
#include "io/in/cells/h3_cells.h"

struct gv_cell_border {
  const gv_cells_of *of;
  gv_context *context;
  gv_borders borders; /* of HEALPix and S2 */
  gv_pieces pieces;
  double lon[GV_BORDER_MOST_POINTS], lat[GV_BORDER_MOST_POINTS];
};

gv_status gv_cell_border_create(gv_io *io, const gv_cells_of *of, const gv_grid *grid, gv_cell_border **out) {
  gv_cell_border *border = *out = calloc(1, sizeof *border);
  gv_context_options options;
  gv_context_options_init(&options);
  options.threads = 1;
  if (border == NULL || gv_context_create(&options, &border->context) != GV_OK)
    return gv_io_fail_memory(io, "the borders of cells");
  border->of = of;
  if (!gv_cells_of_have_places(of)) gv_borders_make(grid, &border->borders);
  return GV_OK;
}

gv_status gv_cell_border_draw(gv_io *io, gv_cell_border *b, int64_t id, double unit, OGRGeometryH *out) {
  int count = 0;
  if (gv_cells_of_have_places(b->of)) {
    GV_TRY(gv_h3_cell_border(io, b->of->level, id, b->lon, b->lat, &count));
  } else {
    count = gv_borders_get(&b->borders, gv_cells_of_number(b->of, id), b->lon, b->lat);
  }
  gv_pieces_empty(&b->pieces);
  GV_TRY(gv_io_pass_on_library(io, b->context,
                               gv_pieces_of_ring(b->context, b->lon, b->lat, count, &b->pieces)));
  for (int64_t i = 0; i < b->pieces.points && unit != 1.0; i++) {
    b->pieces.x[i] /= unit;
    b->pieces.y[i] /= unit;
  }
  return gv_piece_geometry(io, &b->pieces, true, out);
}

void gv_cell_border_free(gv_cell_border *border) {
  if (border == NULL) return;
  if (border->context != NULL) gv_pieces_free(border->context, &border->pieces);
  gv_context_destroy(border->context);
  free(border);
}
