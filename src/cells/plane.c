/* Cells of a raster on the plane: by a column's x and a row's y, or, if the grid is rotated, by the
 * geotransform. */
#include "cells/area.h"
#include "cells/kind.h"

static gv_status plane_make_tables(gv_context *context, gv_cells *cells) {
  const double *g = cells->grid.geotransform;
  cells->column_x = gv_cells_table(context, cells->grid.width);
  cells->row_z = gv_cells_table(context, cells->grid.height);
  if (cells->column_x == NULL || cells->row_z == NULL) return gv_fail_memory(context, "the grid's tables");
  for (int64_t c = 0; c < cells->grid.width; c++)
    cells->column_x[c] = gv_center_x(g, (double)c, 0.0);
  for (int64_t r = 0; r < cells->grid.height; r++)
    cells->row_z[r] = gv_center_y(g, 0.0, (double)r);
  return GV_OK;
}

static void plane_set_error(gv_cells *cells) {
  cells->position_error = 4.0 * 0x1p-52 * gv_grid_reach(&cells->grid);
}

static gv_status plane_prepare(gv_context *context, gv_cells *cells) {
  plane_set_error(cells);
  return plane_make_tables(context, cells);
}

static gv_status plane_prepare_rotated(gv_context *context, gv_cells *cells) {
  (void)context;
  plane_set_error(cells);
  return GV_OK;
}

static gv_status plane_positions(gv_context *context, const gv_cells *cells, const gv_tile *tile, double *x,
                                 double *y, double *z, double *lon, double *lat, double *scratch) {
  (void)context, (void)z, (void)lon, (void)lat, (void)scratch;
  const double *g = cells->grid.geotransform;
  int64_t i = 0;
  for (int64_t r = tile->r0; r < tile->r1; r++) {
    for (int64_t c = tile->c0; c < tile->c1; c++, i++) {
      x[i] = gv_center_x(g, (double)c, (double)r);
      y[i] = gv_center_y(g, (double)c, (double)r);
    }
  }
  return GV_OK;
}

static void plane_bound(const gv_cells *cells, const gv_tile *tile, gv_bound *out) {
  gv_plane_bound(cells->grid.geotransform, tile->c0, tile->c1, tile->r0, tile->r1, out);
}

double gv_plane_area(const double g[6]) {
  double area = fabs(g[1] * g[5] - g[2] * g[4]);
  if (!isnan(area)) return area;
  /* Both products are infinite, their difference need not be. */
  double across = fmax(fabs(g[1]), fabs(g[2])), down = fmax(fabs(g[4]), fabs(g[5]));
  return fabs(g[1] / across * (g[5] / down) - g[2] / across * (g[4] / down)) * across * down;
}

void gv_flat_areas(const gv_cells *cells, const gv_tile *tile, double *area, int64_t stride) {
  const double one = gv_plane_area(cells->grid.geotransform);
  for (int64_t r = 0; r < tile->r1 - tile->r0; r++)
    for (int64_t c = 0; c < tile->c1 - tile->c0; c++)
      area[r * stride + c] = one;
}

const gv_kind gv_kind_plane = {.name = "plane",
                               .shape = GV_CELLS_PLANE,
                               .prepare = plane_prepare,
                               .positions = plane_positions,
                               .areas = gv_flat_areas,
                               .bound = plane_bound};

const gv_kind gv_kind_rotated_plane = {.name = "rotated plane",
                                       .shape = GV_CELLS_POINTS,
                                       .prepare = plane_prepare_rotated,
                                       .positions = plane_positions,
                                       .areas = gv_flat_areas,
                                       .bound = plane_bound};
