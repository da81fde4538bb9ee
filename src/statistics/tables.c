/* Factors of the rows of a lon/lat grid, and running sums over its columns. */
#include "cells/area.h"
#include "statistics/parts.h"

enum { AT_ONCE = 64 };

/* Truncation: x is non-negative or symmetric, and a bias of half a unit is far below any visible digit. */
static inline int64_t fixed(double x, int bits) {
  return (int64_t)(x * (double)(INT64_C(1) << bits));
}

static double center(double first, double step, int64_t i) {
  return first + ((double)i + 0.5) * step;
}

/* The areas of cells as shares of the largest, which may be infinite, by row; returns that. */
static double find_shares(gv_statistics *s) {
  const gv_cells *cells = &s->voronoi->cells;
  double largest = 0.0, area[AT_ONCE];
  for (int64_t r = 0; r < cells->grid.height; r += AT_ONCE) {
    gv_tile column = {0, 1, r, r + AT_ONCE < cells->grid.height ? r + AT_ONCE : cells->grid.height};
    gv_cells_areas(cells, &column, area, 1);
    for (int64_t i = r; i < column.r1; i++) {
      s->row[i].share = area[i - r];
      largest = area[i - r] > largest ? area[i - r] : largest;
    }
  }
  largest = gv_fixed_unit(largest);
  for (int64_t r = 0; r < cells->grid.height; r++)
    s->row[r].share = s->row[r].share == largest ? 1.0 : s->row[r].share / largest;
  return largest;
}

static void make_rows(gv_statistics *s) {
  const double *g = s->voronoi->cells.grid.geotransform;
  for (int64_t r = 0; r < s->voronoi->cells.grid.height; r++) {
    gv_row_factors *row = &s->row[r];
    double lon = 0.0, lat = gv_row_latitude(g, (double)r), sine, cosine;
    gv_normalize_lonlat(&lon, &lat);
    gv_sincos_degrees(1, &lat, &sine, &cosine);
    row->area = fixed(row->share, GV_TERM_BITS);
    row->across = fixed(row->share * cosine, GV_FACTOR_BITS);
    row->up = fixed(row->share * sine, GV_FACTOR_BITS);
  }
}

static void make_columns(gv_statistics *s) {
  const double *g = s->voronoi->cells.grid.geotransform;
  gv_column_sums before = {0, 0};
  for (int64_t c = 0; c < s->voronoi->cells.grid.width; c++) {
    double lon = center(g[0], g[1], c), lat = 0.0, sine, cosine;
    gv_normalize_lonlat(&lon, &lat);
    gv_sincos_degrees(1, &lon, &sine, &cosine);
    s->column[c] = before;
    before.cosine += (uint64_t)fixed(cosine, GV_FACTOR_BITS);
    before.sine += (uint64_t)fixed(sine, GV_FACTOR_BITS);
  }
  s->column[s->voronoi->cells.grid.width] = before;
}

gv_status gv_lonlat_sums(gv_context *context, gv_statistics *s) {
  const gv_grid *grid = &s->voronoi->cells.grid;
  s->row = gv_allocate(&s->allocator, grid->height, sizeof *s->row);
  s->column = gv_allocate(&s->allocator, grid->width + 1, sizeof *s->column);
  if (s->row == NULL || s->column == NULL) return gv_fail_memory(context, "the statistics' tables");
  s->area_unit = find_shares(s) / (double)(INT64_C(1) << GV_TERM_BITS);
  make_rows(s);
  make_columns(s);
  return GV_OK;
}

double gv_longest_distance(const gv_voronoi *v) {
  const gv_grid *grid = &v->cells.grid;
  if (v->cells.dim == 3) {
    double a = v->cells.ellipsoid.semi_major, b = a * (1.0 - v->cells.ellipsoid.flattening);
    return 4.0 * (a > b ? a : b); /* more than half a meridian or half the equator */
  }
  const double *g = grid->geotransform;
  double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
  for (int corner = 0; corner < 4; corner++) {
    double column = corner % 2 == 0 ? 0.0 : (double)grid->width;
    double row = corner / 2 == 0 ? 0.0 : (double)grid->height;
    for (int d = 0; d < 2; d++) {
      double x = g[3 * d] + column * g[3 * d + 1] + row * g[3 * d + 2];
      low[d] = x < low[d] ? x : low[d];
      high[d] = x > high[d] ? x : high[d];
    }
  }
  bool features = v->features != NULL;
  const double *seed_x = features ? v->features->x : v->seeds.x,
               *seed_y = features ? v->features->y : v->seeds.y;
  int64_t places = features ? v->features->vertices : v->seeds.count;
  for (int64_t i = 0; i < places; i++) {
    const double x[2] = {seed_x[i], seed_y[i]};
    for (int d = 0; d < 2; d++) {
      low[d] = x[d] < low[d] ? x[d] : low[d];
      high[d] = x[d] > high[d] ? x[d] : high[d];
    }
  }
  double longest = ((high[0] - low[0]) + (high[1] - low[1])) * (1.0 + 1e-12);
  return longest > 0.0 ? gv_fixed_unit(longest) : 1.0;
}
