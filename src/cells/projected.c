/* Cells of a raster in a projected coordinate system, on the globe: gv_grid.inverse has their longitudes and
 * latitudes. */
#include "cells/kind.h"

static gv_status projected_prepare(gv_context *context, gv_cells *cells) {
  (void)context;
  cells->position_error = 16.0 * 0x1p-52; /* bounds are computed from the positions themselves */
  return GV_OK;
}

gv_status gv_projected_places(gv_context *context, const gv_cells *cells, const gv_tile *tile, double *lon,
                              double *lat) {
  const double *g = cells->grid.geotransform;
  int64_t i = 0;
  for (int64_t r = tile->r0; r < tile->r1; r++) {
    for (int64_t c = tile->c0; c < tile->c1; c++, i++) {
      lon[i] = gv_center_x(g, (double)c, (double)r);
      lat[i] = gv_center_y(g, (double)c, (double)r);
    }
  }
  if (cells->grid.inverse(lon, lat, i, cells->grid.inverse_user) == 0) return GV_OK;
  return gv_fail(context, GV_ERROR_PROJECTION, "grid: the inverse projection failed");
}

static gv_status projected_positions(gv_context *context, const gv_cells *cells, const gv_tile *tile,
                                     double *x, double *y, double *z, double *lon, double *lat,
                                     double *scratch) {
  int64_t n = (tile->c1 - tile->c0) * (tile->r1 - tile->r0);
  double *to_lon = lon != NULL ? lon : scratch, *to_lat = lat != NULL ? lat : scratch + n;
  GV_TRY(gv_projected_places(context, cells, tile, to_lon, to_lat));
  gv_places_to_vectors(cells, n, to_lon, to_lat, to_lon, to_lat, x, y, z);
  return GV_OK;
}

const gv_kind gv_kind_projected = {.name = "projected",
                                   .shape = GV_CELLS_POINTS,
                                   .prepare = projected_prepare,
                                   .positions = projected_positions,
                                   .areas = gv_flat_areas};
