/* Cells of a raster of longitudes and latitudes: by a column's meridian and a row's parallel. */
#include "cells/area.h"
#include "cells/kind.h"
#include "core/angles.h"

static gv_status lonlat_make_tables(gv_context *context, gv_cells *cells) {
  int64_t w = cells->grid.width, h = cells->grid.height;
  const double *g = cells->grid.geotransform;
  cells->column_x = gv_cells_table(context, w);
  cells->column_y = gv_cells_table(context, w);
  cells->row_p = gv_cells_table(context, h);
  cells->row_z = gv_cells_table(context, h);
  cells->row_inverse = gv_cells_table(context, h);
  cells->half_cos = gv_cells_table(context, 2 * w);
  cells->half_sin = gv_cells_table(context, 2 * w);
  cells->half_p = gv_cells_table(context, 2 * h);
  cells->half_z = gv_cells_table(context, 2 * h);
  cells->half_sin_lat = gv_cells_table(context, 2 * h);
  cells->half_cos_lat = gv_cells_table(context, 2 * h);
  if (cells->column_x == NULL || cells->column_y == NULL || cells->row_p == NULL || cells->row_z == NULL ||
      cells->row_inverse == NULL || cells->half_cos == NULL || cells->half_sin == NULL ||
      cells->half_p == NULL || cells->half_z == NULL || cells->half_sin_lat == NULL ||
      cells->half_cos_lat == NULL) {
    return gv_fail_memory(context, "the grid's tables");
  }
  double *longitude = gv_cells_table(context, 2 * w), *latitude = gv_cells_table(context, 2 * h);
  if (longitude == NULL || latitude == NULL) {
    gv_release(&context->allocator, longitude);
    gv_release(&context->allocator, latitude);
    return gv_fail_memory(context, "the grid's tables");
  }
  for (int64_t i = 0; i < 2 * w - 1; i++) {
    double lat = 0.0;
    longitude[i] = gv_center_x(g, (double)i * 0.5, 0.0);
    gv_normalize_lonlat(&longitude[i], &lat);
  }
  for (int64_t i = 0; i < 2 * h - 1; i++) {
    double lon = 0.0;
    latitude[i] = gv_row_latitude(g, (double)i * 0.5);
    gv_normalize_lonlat(&lon, &latitude[i]);
  }
  gv_sincos_degrees(2 * w - 1, longitude, cells->half_sin, cells->half_cos);
  gv_sincos_degrees(2 * h - 1, latitude, cells->half_sin_lat, cells->half_cos_lat);
  gv_meridian_points(&cells->ellipsoid, gv_cells_geocentric(cells), 2 * h - 1, cells->half_sin_lat,
                     cells->half_cos_lat, cells->half_p, cells->half_z);
  for (int64_t i = 0; i < w; i++) {
    cells->column_x[i] = cells->half_cos[2 * i];
    cells->column_y[i] = cells->half_sin[2 * i];
  }
  for (int64_t i = 0; i < h; i++) {
    cells->row_p[i] = cells->half_p[2 * i];
    cells->row_z[i] = cells->half_z[2 * i];
    cells->row_inverse[i] = 1.0 / cells->row_p[i];
  }
  gv_release(&context->allocator, longitude);
  gv_release(&context->allocator, latitude);
  return GV_OK;
}

static gv_status lonlat_prepare(gv_context *context, gv_cells *cells) {
  const double epsilon = 0x1p-52;
  /* Degrees to radians, and a few roundings of sines, cosines and products of size one. */
  cells->position_error = 4.0 * epsilon * gv_grid_reach(&cells->grid) * GV_DEGREE + 16.0 * epsilon;
  return lonlat_make_tables(context, cells);
}

void gv_cells_lonlat(const gv_cells *cells, int64_t column, int64_t row, double *lon, double *lat) {
  *lon = gv_center_x(cells->grid.geotransform, (double)column, 0.0);
  *lat = gv_row_latitude(cells->grid.geotransform, (double)row);
  gv_normalize_lonlat(lon, lat);
}

static gv_status lonlat_positions(gv_context *context, const gv_cells *cells, const gv_tile *tile, double *x,
                                  double *y, double *z, double *lon, double *lat, double *scratch) {
  (void)context, (void)scratch;
  int64_t i = 0;
  for (int64_t r = tile->r0; r < tile->r1; r++) {
    for (int64_t c = tile->c0; c < tile->c1; c++, i++) {
      x[i] = cells->row_p[r] * cells->column_x[c];
      y[i] = cells->row_p[r] * cells->column_y[c];
      z[i] = cells->row_z[r];
      if (lon != NULL) gv_cells_lonlat(cells, c, r, &lon[i], &lat[i]);
    }
  }
  return GV_OK;
}

void gv_lonlat_places(const gv_cells *cells, const gv_tile *tile, double *lon, double *lat) {
  const double *g = cells->grid.geotransform;
  int64_t i = 0;
  for (int64_t r = tile->r0; r < tile->r1; r++) {
    for (int64_t c = tile->c0; c < tile->c1; c++, i++) {
      lon[i] = gv_center_x(g, (double)c, (double)r);
      lat[i] = gv_row_latitude(g, (double)r);
    }
  }
}

static void lonlat_bound(const gv_cells *cells, const gv_tile *tile, gv_bound *out) {
  const double *g = cells->grid.geotransform;
  int64_t middle_column = tile->c0 + tile->c1 - 1, middle_row = tile->r0 + tile->r1 - 1;
  gv_globe_piece piece = {.half_width = gv_half_width(g, tile->c0, tile->c1),
                          .span = gv_latitude_span(g, tile->r0, tile->r1),
                          .curvature = cells->curvature,
                          .p = {cells->row_p[tile->r0], cells->row_p[tile->r1 - 1]},
                          .z = {cells->row_z[tile->r0], cells->row_z[tile->r1 - 1]},
                          .sin_lat = cells->half_sin_lat[middle_row],
                          .cos_lat = cells->half_cos_lat[middle_row],
                          .sin_lon = cells->half_sin[middle_column],
                          .cos_lon = cells->half_cos[middle_column]};
  gv_globe_bound(&piece, out);
}

static double lonlat_within_poles(double latitude) {
  return latitude > 90.0 ? 90.0 : latitude < -90.0 ? -90.0 : latitude;
}

void gv_lonlat_areas(const gv_cells *cells, const gv_tile *tile, double *area, int64_t stride) {
  enum { AT_ONCE = 64 };
  const double *g = cells->grid.geotransform;
  double of_row[AT_ONCE], edge[AT_ONCE + 1];
  for (int64_t r0 = tile->r0; r0 < tile->r1; r0 += AT_ONCE) {
    int64_t rows = tile->r1 - r0 < AT_ONCE ? tile->r1 - r0 : AT_ONCE;
    for (int64_t i = 0; i <= rows; i++)
      edge[i] = lonlat_within_poles(g[3] + (double)(r0 + i) * g[5]);
    gv_zone_areas(&cells->ellipsoid, rows, edge, of_row);
    for (int64_t i = 0; i < rows; i++) {
      double one = fabs(g[1]) * GV_DEGREE * of_row[i];
      for (int64_t c = 0; c < tile->c1 - tile->c0; c++)
        area[(r0 - tile->r0 + i) * stride + c] = one;
    }
  }
}

const gv_kind gv_kind_lonlat = {.name = "longitude/latitude",
                                .shape = GV_CELLS_LONLAT,
                                .prepare = lonlat_prepare,
                                .positions = lonlat_positions,
                                .areas = gv_lonlat_areas,
                                .bound = lonlat_bound};
