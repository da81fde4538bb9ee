/* Cells of a raster that each have the position of the QTM triangle that their center lies in. */
#include "cells/kind.h"

static gv_status triangles_prepare(gv_context *context, gv_cells *cells) {
  cells->position_error = 16.0 * 0x1p-52; /* bounds are computed from the positions themselves */
  return gv_cells_make_triangles(context, cells);
}

/* Centers of the triangles of a raster's cells, in place of the cells' own; lon and lat hold those and become
 * the triangles'. Cells that follow each other often lie in one triangle. */
static gv_status triangles_find(gv_context *context, const gv_cells *cells, int64_t n, double *x, double *y,
                                double *z, double *lon, double *lat) {
  const double none[5] = {NAN, NAN, NAN, NAN, NAN};
  double center[5] = {0};
  gv_qtm_id last = 0;
  for (int64_t i = 0; i < n; i++) {
    const double *found = none;
    if (isfinite(lon[i]) && fabs(lat[i]) <= 90.0) {
      gv_qtm_id id;
      if (gv_qtm_from_lonlat(cells->grid.level, lon[i], lat[i], &id) != GV_OK) {
        return gv_fail(context, GV_ERROR_INTERNAL, "no triangle at %.17g %.17g", lon[i], lat[i]);
      }
      if (id != last) gv_mesh_center(id, gv_cells_geocentric(cells) ? &cells->ellipsoid : NULL, center);
      last = id;
      found = center;
    }
    x[i] = found[0];
    y[i] = found[1];
    z[i] = found[2];
    lon[i] = found[3];
    lat[i] = found[4];
  }
  return GV_OK;
}

static gv_status triangles_positions_lonlat(gv_context *context, const gv_cells *cells, const gv_tile *tile,
                                            double *x, double *y, double *z, double *lon, double *lat,
                                            double *scratch) {
  int64_t n = (tile->c1 - tile->c0) * (tile->r1 - tile->r0);
  double *to_lon = lon != NULL ? lon : scratch, *to_lat = lat != NULL ? lat : scratch + n;
  gv_lonlat_places(cells, tile, to_lon, to_lat);
  return triangles_find(context, cells, n, x, y, z, to_lon, to_lat);
}

static gv_status triangles_positions_projected(gv_context *context, const gv_cells *cells,
                                               const gv_tile *tile, double *x, double *y, double *z,
                                               double *lon, double *lat, double *scratch) {
  int64_t n = (tile->c1 - tile->c0) * (tile->r1 - tile->r0);
  double *to_lon = lon != NULL ? lon : scratch, *to_lat = lat != NULL ? lat : scratch + n;
  GV_TRY(gv_projected_places(context, cells, tile, to_lon, to_lat));
  return triangles_find(context, cells, n, x, y, z, to_lon, to_lat);
}

const gv_kind gv_kind_lonlat_triangles = {.name = "triangles of a longitude/latitude raster",
                                          .shape = GV_CELLS_POINTS,
                                          .prepare = triangles_prepare,
                                          .positions = triangles_positions_lonlat,
                                          .areas = gv_lonlat_areas,
                                          .center = gv_triangles_center,
                                          .span = gv_triangles_span,
                                          .level = gv_triangles_level,
                                          .roots = GV_QTM_OCTANTS,
                                          .part_bound = gv_triangles_part_bound};

const gv_kind gv_kind_projected_triangles = {.name = "triangles of a projected raster",
                                             .shape = GV_CELLS_POINTS,
                                             .prepare = triangles_prepare,
                                             .positions = triangles_positions_projected,
                                             .areas = gv_flat_areas,
                                             .center = gv_triangles_center,
                                             .span = gv_triangles_span,
                                             .level = gv_triangles_level,
                                             .roots = GV_QTM_OCTANTS,
                                             .part_bound = gv_triangles_part_bound};
