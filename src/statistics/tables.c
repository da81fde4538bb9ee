/* What sums are made of: factors of the rows of a grid, and running sums over its columns. */
#include <string.h>

#include "cells/area.h"
#include "core/parallel.h"
#include "statistics/statistics.h"

enum { MANY_ROWS = 1000 }; /* of which the areas are worth several threads */

/* Truncation: x is non-negative or symmetric, and a bias of half a unit is far below what anybody sees. */
static inline int64_t fixed(double x, int bits) {
  return (int64_t)(x * (double)(INT64_C(1) << bits));
}

/* x = low_half(x) + high_half(x) 2^20; the low one is of either sign. */
static inline int32_t low_half(int64_t x) {
  const int64_t half = INT64_C(1) << (GV_FACTOR_HALF - 1);
  return (int32_t)(((x + half) & (2 * half - 1)) - half);
}
static inline int32_t high_half(int64_t x) {
  return (int32_t)((x - low_half(x)) / (INT64_C(1) << GV_FACTOR_HALF));
}

/* Panels across a grid: blocks begin at multiples of their width, and each is cut into some. */
static int64_t panels_of_block(const gv_statistics *s) {
  return (s->voronoi->block_width + GV_PANEL - 1) / GV_PANEL;
}
static int64_t panel_number(const gv_statistics *s, int64_t column) {
  int64_t width = s->voronoi->block_width;
  return column / width * panels_of_block(s) + column % width / GV_PANEL;
}
static int64_t panel_begin(const gv_statistics *s, int64_t panel) {
  int64_t panels = panels_of_block(s);
  return panel / panels * s->voronoi->block_width + panel % panels * GV_PANEL;
}

int64_t gv_column_entry(const gv_statistics *s, int64_t first) {
  return first + panel_number(s, first);
}

/* The end of the panel that begins at column `first`. */
static int64_t panel_end(const gv_statistics *s, int64_t first) {
  int64_t width = s->voronoi->block_width, block_end = (first / width + 1) * width, end = first + GV_PANEL;
  int64_t grid_end = s->voronoi->cells.grid.width;
  end = end < block_end ? end : block_end;
  return end < grid_end ? end : grid_end;
}

static double centre(double first, double step, int64_t i) {
  return first + ((double)i + 0.5) * step;
}

enum { ROWS_AT_ONCE = 4 * GV_BOX_ROWS };

/* The factors of whole boxes' rows among n rows from `first` on, a multiple of GV_BOX_ROWS. */
static void sum_factors(gv_statistics *s, int64_t first, int64_t n) {
  for (int64_t r = first; r + GV_BOX_ROWS <= first + n; r += GV_BOX_ROWS) {
    int64_t all[GV_SCAN_LANES] = {0};
    for (int64_t i = r * GV_SCAN_LANES; i < (r + GV_BOX_ROWS) * GV_SCAN_LANES; i++)
      all[i % GV_SCAN_LANES] += s->factor[i];
    memcpy(s->factors + r / GV_BOX_ROWS * GV_SCAN_LANES, all, sizeof all);
  }
}

/* The factors of up to ROWS_AT_ONCE rows of a lon/lat grid, whose row_share is their cells' area. */
static void row_factors(gv_statistics *s, int64_t first, double largest) {
  const double *g = s->voronoi->cells.grid.geotransform;
  double lat[ROWS_AT_ONCE] = {0.0}, sine[ROWS_AT_ONCE], cosine[ROWS_AT_ONCE];
  int64_t rows = s->voronoi->cells.grid.height - first, n = rows < ROWS_AT_ONCE ? rows : ROWS_AT_ONCE;
  for (int64_t i = 0; i < n; i++) {
    double lon = 0.0;
    lat[i] = centre(g[3], g[5], first + i);
    gv_normalise_lonlat(&lon, &lat[i]);
  }
  gv_sincos_degrees(n, lat, sine, cosine);
  for (int64_t i = 0; i < n; i++) {
    int64_t *factor = s->factor + (first + i) * GV_SCAN_LANES;
    double share = s->row_share[first + i] / largest;
    memset(factor, 0, GV_SCAN_LANES * sizeof *factor);
    int64_t area = fixed(share, GV_TERM_BITS);
    int64_t across = fixed(share * cosine[i], GV_FACTOR_BITS), up = fixed(share * sine[i], GV_FACTOR_BITS);
    s->row_share[first + i] = share;
    for (int lane = GV_LANE_COSINE_LOW; lane <= GV_LANE_SINE_HIGH; lane++) {
      factor[lane] = low_half(across);
      factor[lane + GV_LANE_HIGH] = high_half(across);
    }
    factor[GV_LANE_AREA] = gv_low_part(area);
    factor[GV_LANE_AREA + 1] = gv_high_part(area);
    factor[GV_LANE_UP] = gv_low_part(up);
    factor[GV_LANE_UP + 1] = gv_high_part(up);
    factor[GV_LANE_CELLS] = 1;
  }
  sum_factors(s, first, n);
}

/* Running sums over the columns of the panel that begins at column `first`. */
static void panel_columns(gv_statistics *s, int64_t first) {
  const double *g = s->voronoi->cells.grid.geotransform;
  double lon[GV_PANEL] = {0.0}, sine[GV_PANEL], cosine[GV_PANEL];
  int64_t n = panel_end(s, first) - first;
  gv_column *to = s->column + gv_column_entry(s, first), so_far = {{0}};
  for (int64_t c = 0; c < n; c++) {
    double lat = 0.0;
    lon[c] = centre(g[0], g[1], first + c);
    gv_normalise_lonlat(&lon[c], &lat);
  }
  gv_sincos_degrees(n, lon, sine, cosine);
  for (int64_t c = 0; c < n; c++) {
    to[c] = so_far;
    int64_t x = fixed(cosine[c], GV_FACTOR_BITS), y = fixed(sine[c], GV_FACTOR_BITS);
    so_far.sum[GV_LANE_COSINE_LOW] += low_half(x);
    so_far.sum[GV_LANE_COSINE_HIGH] += high_half(x);
    so_far.sum[GV_LANE_SINE_LOW] += low_half(y);
    so_far.sum[GV_LANE_SINE_HIGH] += high_half(y);
  }
  to[n] = so_far;
}

/* Tables being made. */
typedef struct making {
  gv_statistics *s;
  double largest; /* area of a cell */
} making;

static gv_status find_areas(gv_worker *worker, int64_t first, int64_t end) {
  making *m = worker->user;
  const gv_cells *cells = &m->s->voronoi->cells;
  double *share = m->s->row_share, largest = 0.0;
  for (int64_t r = first * ROWS_AT_ONCE; r < end * ROWS_AT_ONCE; r += ROWS_AT_ONCE) {
    gv_tile column = {0, 1, r, r + ROWS_AT_ONCE < cells->grid.height ? r + ROWS_AT_ONCE : cells->grid.height};
    gv_cells_areas(cells, &column, &share[r], 1);
    for (int64_t i = r; i < column.r1; i++)
      largest = share[i] > largest ? share[i] : largest;
  }
  gv_worker_lock(worker);
  m->largest = largest > m->largest ? largest : m->largest;
  gv_worker_unlock(worker);
  return GV_OK;
}

static gv_status make_factors(gv_worker *worker, int64_t first, int64_t end) {
  const making *m = worker->user;
  for (int64_t i = first; i < end; i++)
    row_factors(m->s, i * ROWS_AT_ONCE, m->largest);
  return GV_OK;
}

static gv_status make_columns(gv_worker *worker, int64_t first, int64_t end) {
  const making *m = worker->user;
  for (int64_t panel = first; panel < end; panel++)
    panel_columns(m->s, panel_begin(m->s, panel));
  return GV_OK;
}

gv_status gv_lonlat_sums(gv_context *context, gv_statistics *s) {
  const gv_grid *grid = &s->voronoi->cells.grid;
  int64_t w = grid->width, h = grid->height, panels = panel_number(s, w - 1) + 1;
  s->row_share = gv_allocate(&s->allocator, h, sizeof *s->row_share);
  s->factor = gv_allocate(&s->allocator, h * GV_SCAN_LANES, sizeof *s->factor);
  s->factors = gv_allocate(&s->allocator, (h / GV_BOX_ROWS + 1) * GV_SCAN_LANES, sizeof *s->factors);
  s->column = gv_allocate(&s->allocator, w + panels, sizeof *s->column);
  if (s->row_share == NULL || s->factor == NULL || s->factors == NULL || s->column == NULL)
    return gv_fail_memory(context, "the statistics' tables");
  making m = {s, 0.0};
  gv_loop rows = {
      .threads = h >= MANY_ROWS ? context->threads : 1, .count = (h + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, .user = &m};
  gv_loop columns = {.threads = w >= MANY_ROWS ? context->threads : 1, .count = panels, .user = &m};
  gv_parallel_for(&rows, find_areas);
  s->area_unit = m.largest / (double)(INT64_C(1) << GV_TERM_BITS);
  gv_parallel_for(&rows, make_factors);
  gv_parallel_for(&columns, make_columns);
  return GV_OK;
}

gv_status gv_plane_sums(gv_context *context, gv_statistics *s) {
  s->factor = gv_allocate_zeroed(&s->allocator, GV_PANEL * GV_SCAN_LANES, sizeof *s->factor);
  s->factors = gv_allocate(&s->allocator, GV_PANEL / GV_BOX_ROWS * GV_SCAN_LANES, sizeof *s->factors);
  s->column = gv_allocate_zeroed(&s->allocator, GV_PANEL + 1, sizeof *s->column);
  if (s->factor == NULL || s->factors == NULL || s->column == NULL)
    return gv_fail_memory(context, "the statistics' tables");
  for (int32_t r = 0; r < GV_PANEL; r++) {
    int64_t *factor = s->factor + (int64_t)r * GV_SCAN_LANES;
    factor[GV_LANE_COLUMNS] = factor[GV_LANE_CELLS] = 1;
    factor[GV_LANE_ROWS] = 2 * r + 1;
  }
  sum_factors(s, 0, GV_PANEL);
  for (int32_t c = 0; c <= GV_PANEL; c++)
    s->column[c].sum[GV_LANE_COLUMNS] = c * c;
  return GV_OK;
}

double gv_longest_distance(const gv_voronoi *v) {
  const gv_grid *grid = &v->cells.grid;
  if (grid->kind != GV_GRID_PLANE) {
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
  for (int32_t i = 0; i < v->seeds.count; i++) {
    const double x[2] = {v->seeds.x[i], v->seeds.y[i]};
    for (int d = 0; d < 2; d++) {
      low[d] = x[d] < low[d] ? x[d] : low[d];
      high[d] = x[d] > high[d] ? x[d] : high[d];
    }
  }
  double longest = ((high[0] - low[0]) + (high[1] - low[1])) * (1.0 + 1e-12);
  return longest > 0.0 ? longest : 1.0;
}
