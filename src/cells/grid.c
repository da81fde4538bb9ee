/* Grids: their kinds, and all checks of what callers give. */
#include "cells/grid.h"

#include <string.h>

#include "cells/kind.h"
#include "cells/on_sphere.h"
#include "exact/canonical.h"
#include "gpuvoronoi/cells.h"

const gv_kind *gv_kind_of(const gv_grid *grid) {
  const double *g = grid->geotransform;
  switch (grid->kind) {
  case GV_GRID_PLANE:
    return g[2] == 0.0 && g[4] == 0.0 ? &gv_kind_plane : &gv_kind_rotated_plane;
  case GV_GRID_LONLAT:
    return grid->level == GV_QTM_NONE ? &gv_kind_lonlat : &gv_kind_lonlat_triangles;
  case GV_GRID_PROJECTED:
    return grid->level == GV_QTM_NONE ? &gv_kind_projected : &gv_kind_projected_triangles;
  case GV_GRID_QTM:
    return &gv_kind_qtm;
  case GV_GRID_HEALPIX:
    return &gv_kind_healpix;
  case GV_GRID_S2:
    return &gv_kind_s2;
  case GV_GRID_POINTS:
    return &gv_kind_list;
  }
  return NULL;
}

/* ------------------------------------------------------------------------------------------------- checks */

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
  if (gv_facts_of(grid)->given_places) {
    if (grid->width < 1 || grid->width > INT64_C(1) << 40 || grid->longitude == NULL ||
        grid->latitude == NULL)
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
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "flattening: out of range [-%g, %g] for authalic latitudes", GV_AUTHALIC_FLATTEST,
                   grid->flattening);
  }
  return GV_OK;
}

static gv_status check_grid(gv_context *context, const gv_grid *grid, gv_metric metric) {
  if (gv_kind_of(grid) == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "grid: unknown kind (%d)", (int)grid->kind);
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
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "grid: too many cells (%lld x %lld)",
                   (long long)grid->width, (long long)grid->height);
  }
  const double *g = grid->geotransform;
  for (int i = 0; i < 6; i++) {
    if (!isfinite(g[i]))
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "geotransform: a coefficient is not finite");
  }
  double w = (double)grid->width, h = (double)grid->height;
  if (!isfinite(gv_center_x(g, w, h)) || !isfinite(gv_center_y(g, w, h)) ||
      g[1] * g[5] - g[2] * g[4] == 0.0) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "geotransform: invalid; the area of its cells is 0");
  }
  bool globe = metric == GV_GREAT_CIRCLE || metric == GV_GEODESIC;
  if (gv_metric_name(metric) == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "metric: unknown number");
  if (gv_metric_of_searches(metric))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "metric %s is not supported for grids",
                   gv_metric_name(metric));
  if (globe != gv_facts_of(grid)->globe) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "metric: unsupported (%s) for a %s grid",
                   gv_metric_name(metric), globe ? "plane" : "longitude/latitude");
  }
  if (gv_facts_of(grid)->inverse && grid->inverse == NULL) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "grid: missing inverse projection; set gv_grid.inverse");
  }
  if (gv_facts_of(grid)->rows_are_parallels) {
    if (g[2] != 0.0 || g[4] != 0.0) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                     "geotransform: unsupported rotation of a longitude/latitude grid");
    }
    double first = gv_center_y(g, 0, 0), last = gv_center_y(g, 0, h - 1.0);
    double most = 90.0 + GV_POLE_TOLERANCE * fabs(g[5]);
    if (fabs(first) > most || fabs(last) > most) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                     "grid: latitude of cell centers out of range [-90, 90] (%.15g)",
                     fabs(first) > fabs(last) ? first : last);
    }
  }
  return GV_OK;
}

/* -------------------------------------------------------------------------------------------------- cells */

double *gv_cells_table(gv_context *context, int64_t count) {
  return gv_allocate_zeroed(&context->allocator, count + GV_TABLE_PADDING, sizeof(double));
}

double gv_grid_reach(const gv_grid *grid) {
  const double *g = grid->geotransform;
  double w = (double)grid->width, h = (double)grid->height;
  /* |g0| + |W g1| + |H g2| bounds every intermediate of a center's coordinate; three roundings of half an ulp
   * each, doubled for the bounds' own arithmetic. */
  double reach_x = fabs(g[0]) + fabs(w * g[1]) + fabs(h * g[2]);
  double reach_y = fabs(g[3]) + fabs(w * g[4]) + fabs(h * g[5]);
  return fmax(reach_x, reach_y);
}

gv_status gv_cells_init(gv_context *context, const gv_grid *grid, gv_metric metric, gv_cells *out) {
  memset(out, 0, sizeof *out);
  out->allocator = context->allocator;
  GV_TRY(check_grid(context, grid, metric));
  const gv_kind *kind = gv_kind_of(grid);
  out->kind = kind;
  out->grid = *grid;
  out->metric = metric;
  out->shape = kind->shape;
  out->dim = gv_facts_of(grid)->globe ? 3 : 2;
  GV_TRY(gv_ellipsoid_init(context, grid->semi_major, grid->flattening, &out->ellipsoid));
  if (kind->count != NULL) out->grid.width = kind->count(grid);
  if (gv_grid_is_list(grid)) out->grid.height = 1;
  /* Radii of curvature are at most 1 / (1 - f)^2 and change slowly; the power leaves room. A sphere has 1. */
  double rounder = 1.0 - fabs(out->ellipsoid.flattening), cube = rounder * rounder * rounder;
  out->curvature = metric == GV_GEODESIC ? 1.0 / (cube * cube) : 1.0;
  gv_status status = kind->prepare(context, out);
  if (status != GV_OK) gv_cells_clear(out);
  return status;
}

gv_status gv_cells_init_queries(gv_context *context, gv_metric metric, double semi_major, double flattening,
                                gv_cells *out) {
  memset(out, 0, sizeof *out);
  GV_TRY(gv_ellipsoid_init(context, semi_major, flattening, &out->ellipsoid));
  out->metric = metric;
  out->shape = GV_CELLS_POINTS;
  out->dim = metric == GV_GEODESIC || metric == GV_GREAT_CIRCLE ? 3 : 2;
  return GV_OK;
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

void gv_cells_bound(const gv_cells *cells, const gv_tile *tile, gv_bound *out) {
  cells->kind->bound(cells, tile, out);
}

gv_status gv_cells_positions(gv_context *context, const gv_cells *cells, const gv_tile *tile, double *x,
                             double *y, double *z, double *lon, double *lat, double *scratch) {
  return cells->kind->positions(context, cells, tile, x, y, z, lon, lat, scratch);
}
