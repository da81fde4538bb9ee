/* Grids: tables of canonical positions, and bounds of tiles. */
#include "cells/grid.h"

#include <string.h>

#include "cells/healpix.h"
#include "cells/parts.h"
#include "cells/s2.h"
#include "exact/canonical.h"
#include "gpuvoronoi/cells.h"

static const double pi = 3.14159265358979323846;

static double *make_table(gv_context *context, int64_t count) {
  return gv_allocate_zeroed(&context->allocator, count + GV_TABLE_PADDING, sizeof(double));
}

static gv_status check_mesh(gv_context *context, const gv_grid *grid, gv_metric metric) {
  if (grid->level < 0 || grid->level > GV_QTM_MAX_GRID_LEVEL) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "QTM level: out of range [0, %d] (%d)",
                   GV_QTM_MAX_GRID_LEVEL, grid->level);
  }
  if (metric != GV_GREAT_CIRCLE && metric != GV_GEODESIC) {
    const char *name = gv_metric_name(metric);
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "metric: unsupported for QTM meshes (%s); use geodesic or great-circle",
                   name != NULL ? name : "unknown");
  }
  return GV_OK;
}

static gv_status check_list(gv_context *context, const gv_grid *grid, gv_metric metric) {
  if (metric != GV_GREAT_CIRCLE && metric != GV_GEODESIC) {
    const char *name = gv_metric_name(metric);
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "metric: unsupported for cells on the globe (%s); use geodesic or great-circle",
                   name != NULL ? name : "unknown");
  }
  if (grid->level != GV_QTM_NONE)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "level: unsupported for HEALPix, S2 and lists of places; use GV_QTM_NONE");
  if (grid->kind == GV_GRID_POINTS) {
    if (grid->width < 1 || grid->width > INT64_C(1) << 40 || grid->longitude == NULL || grid->latitude == NULL)
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                     "list of places: invalid number (%lld), or longitude or latitude is NULL",
                     (long long)grid->width);
    return GV_OK;
  }
  const bool s2 = grid->kind == GV_GRID_S2;
  const int most = s2 ? GV_S2_MAX_LEVEL : GV_HEALPIX_MAX_ORDER;
  if (grid->order < 0 || grid->order > most) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "%s: out of range [0, %d] (%d)",
                   s2 ? "S2 level" : "HEALPix order", most, grid->order);
  }
  if (grid->authalic != 0 && grid->semi_major != 0.0 && !(fabs(grid->flattening) <= GV_AUTHALIC_FLATTEST)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "flattening: out of range [-%g, %g] for authalic latitudes",
                   GV_AUTHALIC_FLATTEST, grid->flattening);
  }
  return GV_OK;
}

static gv_status check_grid(gv_context *context, const gv_grid *grid, gv_metric metric) {
  if (grid->kind == GV_GRID_QTM) return check_mesh(context, grid, metric);
  if (gv_grid_is_list(grid)) return check_list(context, grid, metric);
  if (grid->level != GV_QTM_NONE) {
    GV_TRY(check_mesh(context, grid, metric));
  }
  if (grid->width < 1 || grid->height < 1) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "grid: invalid number of cells (%lld x %lld)",
                   (long long)grid->width, (long long)grid->height);
  }
  /* Columns and rows must be exact in double, and byte counts must not overflow. */
  if (grid->width > INT64_C(1) << 40 || grid->height > INT64_C(1) << 40 ||
      grid->width > INT64_MAX / 64 / grid->height) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "grid: too many cells (%lld x %lld)", (long long)grid->width,
                   (long long)grid->height);
  }
  const double *g = grid->geotransform;
  for (int i = 0; i < 6; i++) {
    if (!isfinite(g[i]))
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "geotransform: a coefficient is not finite");
  }
  double w = (double)grid->width, h = (double)grid->height;
  if (!isfinite(gv_centre_x(g, w, h)) || !isfinite(gv_centre_y(g, w, h)) || g[1] * g[5] - g[2] * g[4] == 0.0) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "geotransform: invalid; the area of its cells is 0");
  }
  bool globe = metric == GV_GREAT_CIRCLE || metric == GV_GEODESIC;
  if (gv_metric_name(metric) == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "metric: unknown number");
  if (gv_metric_of_searches(metric))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "metric %s is not supported for grids",
                   gv_metric_name(metric));
  if (globe != (grid->kind != GV_GRID_PLANE)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "metric: unsupported (%s) for a %s grid",
                   gv_metric_name(metric), globe ? "plane" : "longitude/latitude");
  }
  if (grid->kind == GV_GRID_PROJECTED && grid->inverse == NULL) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "grid: missing inverse projection; set gv_grid.inverse");
  }
  if (grid->kind == GV_GRID_LONLAT) {
    if (g[2] != 0.0 || g[4] != 0.0) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                     "geotransform: unsupported rotation of a longitude/latitude grid");
    }
    double first = gv_centre_y(g, 0, 0), last = gv_centre_y(g, 0, h - 1.0);
    double most = 90.0 + GV_POLE_TOLERANCE * fabs(g[5]);
    if (fabs(first) > most || fabs(last) > most) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                     "grid: latitude of cell centres out of range [-90, 90] (%.15g)",
                     fabs(first) > fabs(last) ? first : last);
    }
  }
  return GV_OK;
}

static gv_status make_plane_tables(gv_context *context, gv_cells *cells) {
  const double *g = cells->grid.geotransform;
  cells->column_x = make_table(context, cells->grid.width);
  cells->row_z = make_table(context, cells->grid.height);
  if (cells->column_x == NULL || cells->row_z == NULL) return gv_fail_memory(context, "the grid's tables");
  for (int64_t c = 0; c < cells->grid.width; c++)
    cells->column_x[c] = gv_centre_x(g, (double)c, 0.0);
  for (int64_t r = 0; r < cells->grid.height; r++)
    cells->row_z[r] = gv_centre_y(g, 0.0, (double)r);
  return GV_OK;
}

static gv_status make_lonlat_tables(gv_context *context, gv_cells *cells) {
  int64_t w = cells->grid.width, h = cells->grid.height;
  const double *g = cells->grid.geotransform;
  cells->column_x = make_table(context, w);
  cells->column_y = make_table(context, w);
  cells->row_p = make_table(context, h);
  cells->row_z = make_table(context, h);
  cells->row_inverse = make_table(context, h);
  cells->half_cos = make_table(context, 2 * w);
  cells->half_sin = make_table(context, 2 * w);
  cells->half_p = make_table(context, 2 * h);
  cells->half_z = make_table(context, 2 * h);
  cells->half_sin_lat = make_table(context, 2 * h);
  cells->half_cos_lat = make_table(context, 2 * h);
  if (cells->column_x == NULL || cells->column_y == NULL || cells->row_p == NULL || cells->row_z == NULL ||
      cells->row_inverse == NULL || cells->half_cos == NULL || cells->half_sin == NULL || cells->half_p == NULL ||
      cells->half_z == NULL || cells->half_sin_lat == NULL || cells->half_cos_lat == NULL) {
    return gv_fail_memory(context, "the grid's tables");
  }
  double *longitude = make_table(context, 2 * w), *latitude = make_table(context, 2 * h);
  if (longitude == NULL || latitude == NULL) {
    gv_release(&context->allocator, longitude);
    gv_release(&context->allocator, latitude);
    return gv_fail_memory(context, "the grid's tables");
  }
  for (int64_t i = 0; i < 2 * w - 1; i++) {
    double lat = 0.0;
    longitude[i] = gv_centre_x(g, (double)i * 0.5, 0.0);
    gv_normalise_lonlat(&longitude[i], &lat);
  }
  for (int64_t i = 0; i < 2 * h - 1; i++) {
    double lon = 0.0;
    latitude[i] = gv_row_latitude(g, (double)i * 0.5);
    gv_normalise_lonlat(&lon, &latitude[i]);
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

gv_status gv_cells_init(gv_context *context, const gv_grid *grid, gv_metric metric, gv_cells *out) {
  memset(out, 0, sizeof *out);
  out->allocator = context->allocator;
  GV_TRY(check_grid(context, grid, metric));
  out->grid = *grid;
  out->metric = metric;
  out->dim = grid->kind == GV_GRID_PLANE ? 2 : 3;
  GV_TRY(gv_ellipsoid_init(context, grid->semi_major, grid->flattening, &out->ellipsoid));

  const double *g = grid->geotransform;
  double w = (double)grid->width, h = (double)grid->height;
  /* |g0| + |W g1| + |H g2| bounds every intermediate of a centre's coordinate; three roundings of half an ulp each,
   * doubled for the bounds' own arithmetic. */
  double reach_x = fabs(g[0]) + fabs(w * g[1]) + fabs(h * g[2]);
  double reach_y = fabs(g[3]) + fabs(w * g[4]) + fabs(h * g[5]);
  const double epsilon = 0x1p-52;
  /* Radii of curvature are at most 1 / (1 - f)^2 and change slowly; the power leaves room. A sphere has 1. */
  double rounder = 1.0 - fabs(out->ellipsoid.flattening), cube = rounder * rounder * rounder;
  out->curvature = metric == GV_GEODESIC ? 1.0 / (cube * cube) : 1.0;
  gv_status status = GV_OK;
  if (grid->kind == GV_GRID_QTM) {
    out->shape = GV_CELLS_POINTS;
    out->grid.width = gv_qtm_count(grid->level);
    out->grid.height = 1;
    /* Angles have a few roundings, and the mean and its length a few more. */
    out->position_error = 40.0 * epsilon;
  } else if (grid->kind == GV_GRID_HEALPIX) {
    out->shape = GV_CELLS_POINTS;
    out->grid.width = gv_healpix_count(grid->order);
    out->grid.height = 1;
    out->position_error =
        40.0 * epsilon; /* sine and cosine of the latitude have some roundings, the authalic series a few more */
    out->healpix = gv_allocate(&out->allocator, 1, sizeof *out->healpix);
    if (out->healpix == NULL) {
      status = gv_fail_memory(context, "the grid's tables");
    } else {
      gv_healpix_make(grid->order, grid->ring != 0, grid->authalic != 0, &out->ellipsoid, out->healpix);
    }
  } else if (grid->kind == GV_GRID_S2) {
    out->shape = GV_CELLS_POINTS;
    out->grid.width = gv_s2_count(grid->order);
    out->grid.height = 1;
    out->position_error = 40.0 * epsilon; /* quotients of square roots, and the authalic series */
    out->s2 = gv_allocate(&out->allocator, 1, sizeof *out->s2);
    if (out->s2 == NULL) {
      status = gv_fail_memory(context, "the grid's tables");
    } else {
      gv_s2_make(grid->order, grid->authalic != 0, &out->ellipsoid, out->s2);
    }
  } else if (grid->kind == GV_GRID_POINTS) {
    out->shape = GV_CELLS_POINTS;
    out->grid.height = 1;
    out->position_error = 16.0 * epsilon; /* bounds are computed from the positions themselves */
  } else if (grid->level != GV_QTM_NONE) {
    out->shape = GV_CELLS_POINTS;
    out->position_error = 16.0 * epsilon; /* as below */
  } else if (grid->kind == GV_GRID_PLANE) {
    out->position_error = 4.0 * epsilon * fmax(reach_x, reach_y);
    if (g[2] == 0.0 && g[4] == 0.0) {
      out->shape = GV_CELLS_PLANE;
      status = make_plane_tables(context, out);
    } else {
      out->shape = GV_CELLS_POINTS;
    }
  } else if (grid->kind == GV_GRID_LONLAT) {
    out->shape = GV_CELLS_LONLAT;
    /* Degrees to radians, and a few roundings of sines, cosines and products of size one. */
    out->position_error = 4.0 * epsilon * fmax(reach_x, reach_y) * (pi / 180.0) + 16.0 * epsilon;
    status = make_lonlat_tables(context, out);
  } else {
    out->shape = GV_CELLS_POINTS;
    out->position_error = 16.0 * epsilon; /* bounds are computed from the positions themselves */
  }
  if (status == GV_OK && grid->level != GV_QTM_NONE) {
    out->tables = gv_allocate(&out->allocator, 1, sizeof *out->tables);
    if (out->tables == NULL) {
      status = gv_fail_memory(context, "the mesh's tables");
    } else {
      gv_mesh_tables_init(out->tables);
    }
  }
  if (status != GV_OK) gv_cells_clear(out);
  return status;
}

void gv_cells_clear(gv_cells *cells) {
  gv_release(&cells->allocator, cells->tables);
  gv_release(&cells->allocator, cells->healpix);
  gv_release(&cells->allocator, cells->s2);
  cells->tables = NULL;
  cells->healpix = NULL;
  cells->s2 = NULL;
  double **tables[] = {&cells->column_x,    &cells->column_y,     &cells->row_p,       &cells->row_z,
                       &cells->row_inverse, &cells->half_cos,     &cells->half_sin,    &cells->half_p,
                       &cells->half_z,      &cells->half_sin_lat, &cells->half_cos_lat};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    gv_release(&cells->allocator, *tables[i]);
    *tables[i] = NULL;
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

void gv_cells_bound(const gv_cells *cells, const gv_tile *tile, gv_bound *out) {
  if (cells->shape == GV_CELLS_LONLAT) {
    lonlat_bound(cells, tile, out);
  } else {
    gv_plane_bound(cells->grid.geotransform, tile->c0, tile->c1, tile->r0, tile->r1, out);
  }
}

void gv_cells_lonlat(const gv_cells *cells, int64_t column, int64_t row, double *lon, double *lat) {
  *lon = gv_centre_x(cells->grid.geotransform, (double)column, 0.0);
  *lat = gv_row_latitude(cells->grid.geotransform, (double)row);
  gv_normalise_lonlat(lon, lat);
}

enum { PLACES_AT_ONCE = 256 };

/* gv_normalise_lonlat of some places, in vectors; false if one of them is at 180 degrees west, at a pole, or out of the usual range. */
static bool normalise_usual_places(int64_t n, const double *lon, const double *lat, double *to_lon,
                                   double *to_lat) {
  int unusual = 0;
  for (int64_t i = 0; i < n; i++) {
    const double east = lon[i] > 180.0 ? lon[i] - 360.0 : lon[i]; /* exact */
    unusual |= !((east > -180.0) & (east <= 180.0) & (fabs(lat[i]) < 90.0));
    to_lon[i] = east + 0.0;
    to_lat[i] = lat[i] + 0.0;
  }
  return unusual == 0;
}

/* Positions of places, and if lon is not NULL their normalised longitudes and latitudes, which may take the place of the given ones.
 * NaN where there is none. Gain: 1.2x on lists of places in the order of a Morton curve. */
static void places_to_vectors(const gv_cells *cells, int64_t n, const double *from_lon, const double *from_lat,
                              double *lon, double *lat, double *x, double *y, double *z) {
  double east[PLACES_AT_ONCE], north[PLACES_AT_ONCE];
  for (int64_t first = 0; first < n; first += PLACES_AT_ONCE) {
    const int64_t count = n - first < PLACES_AT_ONCE ? n - first : PLACES_AT_ONCE;
    if (!normalise_usual_places(count, from_lon + first, from_lat + first, east, north)) {
      for (int64_t i = 0; i < count; i++) {
        east[i] = from_lon[first + i];
        north[i] = from_lat[first + i];
        if (isfinite(east[i]) && fabs(north[i]) <= 90.0) {
          gv_normalise_lonlat(&east[i], &north[i]);
        } else {
          east[i] = north[i] = NAN;
        }
      }
    }
    gv_lonlat_to_vectors(&cells->ellipsoid, gv_cells_geocentric(cells), count, east, north, x + first, y + first,
                         z + first);
    if (lon == NULL) continue;
    memcpy(lon + first, east, (size_t)count * sizeof *lon);
    memcpy(lat + first, north, (size_t)count * sizeof *lat);
  }
}

/* Centres of the triangles of a raster's cells, in place of the cells' own; lon and lat hold those and become the
 * triangles'. Cells that follow each other often lie in one triangle. */
static gv_status triangles_of_cells(gv_context *context, const gv_cells *cells, int64_t n, double *x, double *y,
                                    double *z, double *lon, double *lat) {
  const double none[5] = {NAN, NAN, NAN, NAN, NAN};
  double centre[5] = {0};
  gv_qtm_id last = 0;
  for (int64_t i = 0; i < n; i++) {
    const double *found = none;
    if (isfinite(lon[i]) && fabs(lat[i]) <= 90.0) {
      gv_qtm_id id;
      if (gv_qtm_from_lonlat(lon[i], lat[i], cells->grid.level, &id) != GV_OK) {
        return gv_fail(context, GV_ERROR_INTERNAL, "no triangle at %.17g %.17g", lon[i], lat[i]);
      }
      if (id != last) gv_mesh_centre(id, gv_cells_geocentric(cells) ? &cells->ellipsoid : NULL, centre);
      last = id;
      found = centre;
    }
    x[i] = found[0];
    y[i] = found[1];
    z[i] = found[2];
    lon[i] = found[3];
    lat[i] = found[4];
  }
  return GV_OK;
}

gv_status gv_cells_positions(gv_context *context, const gv_cells *cells, const gv_tile *tile, double *x, double *y,
                             double *z, double *lon, double *lat, double *scratch) {
  const double *g = cells->grid.geotransform;
  int64_t columns = tile->c1 - tile->c0, n = columns * (tile->r1 - tile->r0), i = 0;
  bool mesh = cells->grid.level != GV_QTM_NONE;
  if (cells->grid.kind == GV_GRID_QTM) {
    gv_mesh_number_positions(cells->tables, cells->grid.level,
                             gv_cells_geocentric(cells) ? &cells->ellipsoid : NULL, tile->c0, n, x, y, z, lon, lat);
    return GV_OK;
  }
  if (gv_grid_is_mesh(&cells->grid)) {
    gv_cell_positions(cells, gv_cells_geocentric(cells) ? &cells->ellipsoid : NULL, tile->c0, n, x, y, z);
    for (; lon != NULL && i < n; i++)
      gv_cell_lonlat(cells, tile->c0 + i, &lon[i], &lat[i]);
    return GV_OK;
  }
  if (cells->shape == GV_CELLS_LONLAT) {
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
  if (cells->grid.kind == GV_GRID_POINTS) {
    places_to_vectors(cells, n, cells->grid.longitude + tile->c0, cells->grid.latitude + tile->c0, lon, lat, x, y,
                      z);
    return GV_OK;
  }
  double *cx = cells->dim == 3 ? (lon != NULL ? lon : scratch) : x;
  double *cy = cells->dim == 3 ? (lat != NULL ? lat : scratch + n) : y;
  for (int64_t r = tile->r0; r < tile->r1; r++) {
    for (int64_t c = tile->c0; c < tile->c1; c++, i++) {
      cx[i] = gv_centre_x(g, (double)c, (double)r);
      cy[i] =
          cells->grid.kind == GV_GRID_LONLAT ? gv_row_latitude(g, (double)r) : gv_centre_y(g, (double)c, (double)r);
    }
  }
  if (cells->grid.kind == GV_GRID_PROJECTED) {
    if (cells->grid.inverse(cx, cy, n, cells->grid.inverse_user) != 0) {
      return gv_fail(context, GV_ERROR_PROJECTION, "grid: the inverse projection failed");
    }
  }
  if (mesh) return triangles_of_cells(context, cells, n, x, y, z, cx, cy);
  if (cells->grid.kind == GV_GRID_PROJECTED) places_to_vectors(cells, n, cx, cy, cx, cy, x, y, z);
  return GV_OK;
}
