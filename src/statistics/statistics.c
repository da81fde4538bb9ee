/*
 * Statistics of regions, summed in fixed point.
 *
 * Every term is turned into an integer before it is added, by a rule that looks at its cell only; integers add up to the
 * same in every order. Without distances the work is done where seeds give way to others along a row, and its cost is little
 * more than that of looking for these places.
 *
 * Boundaries. All terms of a raster are products of a row's and a column's factor (of an area, the column's is 1), so a run of
 * cells of one seed amounts to the row's factor times the difference of two running sums over the columns
 * (statistics_kernels_body.h). Factors of more bits than 32 are
 * parted into a low and a high one, whose products are summed apart, as lanes of 64 bits. A quantity has two lanes, of 2^32
 * and 1, and running sums of its own, by segments of columns of one value, for a row of boxes at a time.
 *
 * Runs. What cannot be had from running sums is added run by run: distances, values cell by cell, and all of a mesh.
 *
 * Panels. A block is cut into panels so small that no seed's lane can run over. A panel is summed by itself, over the few
 * seeds that it has (a small hash table), and then added to the whole under a lock, in 128 bits.
 */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cells/area.h"
#include "statistics/statistics_kernels.h"
#include "voronoi/engine.h"

__extension__ typedef __int128 wide;

enum {
  TERM_BITS = 62,         /* single terms are up to 2^62 in size */
  FACTOR_BITS = 40,       /* and factors of products up to 2^40 */
  HALF = FACTOR_BITS / 2, /* of which the low half is parted */
  PANEL = GV_PANEL,       /* columns and rows of a panel of a raster */
  MANY_ROWS = 1000,       /* of which the areas are worth several threads */
  SEGMENT = 4,            /* columns of one value, on average, from which on running sums pay */
  LANES = GV_SCAN_LANES   /* of a seed's cells, area and moments; two a quantity follow */
};

/*
 * Lanes. Parts of a factor are at most 2^31 in size, halves at most 2^20 + 1. A panel has 2^20 cells, so lanes of a part
 * stay below 2^51, those of two halves below 2^61. Running sums over a panel's 2^10 columns are below 2^31.
 */
enum {
  /* LONLAT: running sums of the halves of cosines and sines, times the low half of the row's factor; + HIGH: times the high
   * half. */
  COSINE_LOW = 0,
  COSINE_HIGH = 1,
  SINE_LOW = 2,
  SINE_HIGH = 3,
  HIGH = GV_COLUMN_SUMS,
  /* Other rasters: sums of 2 column + 1 from the panel's corner. */
  COLUMNS = 0,
  /* Cells, and cells times the row's factors: area and moment along the axis by low and high part, 2 row + 1. */
  AREA = GV_SCAN_LANES / 2,
  UP = AREA + 2,
  CELLS = UP + 2,
  ROWS = CELLS + 1,
  /* QTM: three moments by low and (+ HIGH) high part; area as above. */
  MOMENT = 0
};

static const double degree = 3.14159265358979323846 / 180.0;

typedef struct totals {
  wide area;
  wide moment[3]; /* globe: sum of area x unit vector; plane: sums of 2 column + 1 and 2 row + 1 */
  wide distance;  /* area x distance */
  int64_t cells;
  double farthest;
} totals;

typedef struct sum {
  wide value, distance; /* value x distance */
} sum;

struct gv_statistics {
  gv_allocator allocator;
  const gv_voronoi *voronoi;
  const gv_statistics_kernels *kernels;
  bool distances;
  int32_t sums;
  double *bound;     /* of each quantity */
  double area_unit;  /* what area 1 stands for */
  double longest;    /* no distance is longer */
  double *row_share; /* LONLAT: area of one cell as a fraction of the largest; NULL = 1 */
  int64_t *factor;   /* LANES a row: LONLAT: of the grid, others: of a panel; NULL: a mesh */
  int64_t *factors;  /* of GV_BOX_ROWS rows together, from each multiple of that on */
  /* Running sums over the columns of each panel across the grid (see column_entry), others than LONLAT: of any panel; NULL: a
   * mesh. */
  gv_column *column;
  gv_slot *labels; /* a table of label_mask + 1 seeds by label; NULL when blocks hold seed numbers */
  uint32_t label_mask;
  pthread_mutex_t lock;
  totals *of_seed;
  sum *of_sum; /* seeds x sums */
};

/* ------------------------------------------------------------------------------------------------------ tables */

/* Truncation: x is non-negative or symmetric, and a bias of half a unit is far below what anybody sees. */
static inline int64_t fixed(double x, int bits) {
  return (int64_t)(x * (double)(INT64_C(1) << bits));
}

/* x = low_half(x) + high_half(x) 2^20; the low one is of either sign. */
static inline int32_t low_half(int64_t x) {
  const int64_t half = INT64_C(1) << (HALF - 1);
  return (int32_t)(((x + half) & (2 * half - 1)) - half);
}
static inline int32_t high_half(int64_t x) {
  return (int32_t)((x - low_half(x)) / (INT64_C(1) << HALF));
}

/* x = low_part(x) + high_part(x) 2^32, the same way. */
static inline int32_t low_part(int64_t x) {
  return (int32_t)(((x + INT64_C(0x80000000)) & INT64_C(0xffffffff)) - INT64_C(0x80000000));
}
static inline int32_t high_part(int64_t x) {
  return (int32_t)((x - low_part(x)) / (INT64_C(1) << 32));
}

/* Panels across a grid: blocks begin at multiples of their width, and each is cut into some. */
static int64_t panels_of_block(const gv_statistics *s) {
  return (s->voronoi->block_width + PANEL - 1) / PANEL;
}
static int64_t panel_number(const gv_statistics *s, int64_t column) {
  int64_t width = s->voronoi->block_width;
  return column / width * panels_of_block(s) + column % width / PANEL;
}
static int64_t panel_begin(const gv_statistics *s, int64_t panel) {
  int64_t panels = panels_of_block(s);
  return panel / panels * s->voronoi->block_width + panel % panels * PANEL;
}

/* Where the running sums of the panel that begins at column `first` of a lon/lat grid are: an entry more than its columns. */
static int64_t column_entry(const gv_statistics *s, int64_t first) {
  return first + panel_number(s, first);
}

/* The end of the panel that begins at column `first`. */
static int64_t panel_end(const gv_statistics *s, int64_t first) {
  int64_t width = s->voronoi->block_width, block_end = (first / width + 1) * width, end = first + PANEL;
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
    int64_t all[LANES] = {0};
    for (int64_t i = r * LANES; i < (r + GV_BOX_ROWS) * LANES; i++)
      all[i % LANES] += s->factor[i];
    memcpy(s->factors + r / GV_BOX_ROWS * LANES, all, sizeof all);
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
    int64_t *factor = s->factor + (first + i) * LANES;
    double share = s->row_share[first + i] / largest;
    memset(factor, 0, LANES * sizeof *factor);
    int64_t area = fixed(share, TERM_BITS);
    int64_t across = fixed(share * cosine[i], FACTOR_BITS), up = fixed(share * sine[i], FACTOR_BITS);
    s->row_share[first + i] = share;
    for (int lane = COSINE_LOW; lane <= SINE_HIGH; lane++) {
      factor[lane] = low_half(across);
      factor[lane + HIGH] = high_half(across);
    }
    factor[AREA] = low_part(area);
    factor[AREA + 1] = high_part(area);
    factor[UP] = low_part(up);
    factor[UP + 1] = high_part(up);
    factor[CELLS] = 1;
  }
  sum_factors(s, first, n);
}

/* Running sums over the columns of the panel that begins at column `first`. */
static void panel_columns(gv_statistics *s, int64_t first) {
  const double *g = s->voronoi->cells.grid.geotransform;
  double lon[PANEL] = {0.0}, sine[PANEL], cosine[PANEL];
  int64_t n = panel_end(s, first) - first;
  gv_column *to = s->column + column_entry(s, first), so_far = {{0}};
  for (int64_t c = 0; c < n; c++) {
    double lat = 0.0;
    lon[c] = centre(g[0], g[1], first + c);
    gv_normalise_lonlat(&lon[c], &lat);
  }
  gv_sincos_degrees(n, lon, sine, cosine);
  for (int64_t c = 0; c < n; c++) {
    to[c] = so_far;
    int64_t x = fixed(cosine[c], FACTOR_BITS), y = fixed(sine[c], FACTOR_BITS);
    so_far.sum[COSINE_LOW] += low_half(x);
    so_far.sum[COSINE_HIGH] += high_half(x);
    so_far.sum[SINE_LOW] += low_half(y);
    so_far.sum[SINE_HIGH] += high_half(y);
  }
  to[n] = so_far;
}

/* The fixed-point tables of a lon/lat grid. */
static gv_status lonlat_tables(gv_context *context, gv_statistics *s) {
  const gv_cells *cells = &s->voronoi->cells;
  int64_t w = cells->grid.width, h = cells->grid.height, panels = panel_number(s, w - 1) + 1;
  s->row_share = gv_allocate(&s->allocator, h, sizeof *s->row_share);
  s->factor = gv_allocate(&s->allocator, h * LANES, sizeof *s->factor);
  s->factors = gv_allocate(&s->allocator, (h / GV_BOX_ROWS + 1) * LANES, sizeof *s->factors);
  s->column = gv_allocate(&s->allocator, w + panels, sizeof *s->column);
  if (s->row_share == NULL || s->factor == NULL || s->factors == NULL || s->column == NULL)
    return gv_fail_memory(context, "the statistics' tables");
  double largest = 0.0;
#pragma omp parallel for num_threads(context->threads) reduction(max : largest) if (h >= MANY_ROWS)
  for (int64_t r = 0; r < h; r += ROWS_AT_ONCE) {
    gv_tile column = {0, 1, r, r + ROWS_AT_ONCE < h ? r + ROWS_AT_ONCE : h};
    gv_cells_areas(cells, &column, &s->row_share[r], 1);
    for (int64_t i = r; i < column.r1; i++)
      largest = s->row_share[i] > largest ? s->row_share[i] : largest;
  }
  s->area_unit = largest / (double)(INT64_C(1) << TERM_BITS);
#pragma omp parallel for num_threads(context->threads) if (h >= MANY_ROWS)
  for (int64_t r = 0; r < h; r += ROWS_AT_ONCE)
    row_factors(s, r, largest);
#pragma omp parallel for num_threads(context->threads) if (w >= MANY_ROWS)
  for (int64_t panel = 0; panel < panels; panel++)
    panel_columns(s, panel_begin(s, panel));
  return GV_OK;
}

/* The factors of the rows of any panel on the plane, and the running sums of its columns. */
static gv_status plane_tables(gv_context *context, gv_statistics *s) {
  s->factor = gv_allocate_zeroed(&s->allocator, PANEL * LANES, sizeof *s->factor);
  s->factors = gv_allocate(&s->allocator, PANEL / GV_BOX_ROWS * LANES, sizeof *s->factors);
  s->column = gv_allocate_zeroed(&s->allocator, PANEL + 1, sizeof *s->column);
  if (s->factor == NULL || s->factors == NULL || s->column == NULL)
    return gv_fail_memory(context, "the statistics' tables");
  for (int32_t r = 0; r < PANEL; r++) {
    int64_t *factor = s->factor + (int64_t)r * LANES;
    factor[COLUMNS] = factor[CELLS] = 1;
    factor[ROWS] = 2 * r + 1;
  }
  sum_factors(s, 0, PANEL);
  for (int32_t c = 0; c <= PANEL; c++)
    s->column[c].sum[COLUMNS] = c * c;
  return GV_OK;
}

/* No distance between a cell and a seed is longer. */
static double longest_distance(const gv_voronoi *v) {
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

/* ---------------------------------------------------------------------------------------------------- creating */

/* The way back from labels, if there are any. */
static gv_status find_labels(gv_context *context, gv_statistics *s) {
  const gv_voronoi *v = s->voronoi;
  bool any = false;
  for (int32_t i = 0; i < v->seeds.count && !any; i++)
    any = v->label[i] != v->seeds.number[i];
  if (!any) return GV_OK;
  uint32_t slots = 2;
  while (slots < 2 * (uint32_t)v->seeds.count)
    slots *= 2;
  s->label_mask = slots - 1;
  s->labels = gv_allocate(&s->allocator, slots, sizeof *s->labels);
  if (s->labels == NULL) return gv_fail_memory(context, "the seeds' statistics");
  memset(s->labels, -1, slots * sizeof *s->labels);
  for (int32_t i = 0; i < v->seeds.count; i++) {
    gv_slot *at = gv_slot_of(s->labels, s->label_mask, v->label[i]);
    if (v->label[i] == v->nodata || at->index >= 0) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "the label %d does not tell a seed", (int)v->label[i]);
    }
    *at = (gv_slot){v->label[i], v->seeds.number[i]};
  }
  return GV_OK;
}

/* The seed that blocks show as `value`; -1 if there is none. */
static int64_t seed_of(const gv_statistics *s, int32_t value) {
  if (s->labels == NULL) return value < s->voronoi->seeds.total ? value : -1;
  return gv_slot_of(s->labels, s->label_mask, value)->index;
}

gv_status gv_statistics_create(gv_context *context, const gv_voronoi *voronoi, const gv_statistics_options *options,
                               gv_statistics **out) {
  gv_statistics_options o = GV_STATISTICS_OPTIONS_INIT;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (voronoi == NULL || out == NULL) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "no grid, or no place for its statistics");
  }
  if (options != NULL) memcpy(&o, options, options->struct_size < sizeof o ? options->struct_size : sizeof o);
  if (o.sums < 0 || o.sums > 1024 || (o.sums > 0 && o.bound == NULL)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "statistics of %d quantities", (int)o.sums);
  }
  for (int32_t i = 0; i < o.sums; i++) {
    if (!(o.bound[i] > 0.0) || !isfinite(o.bound[i])) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "quantity %d has the bound %g", (int)i, o.bound[i]);
    }
  }
  gv_statistics *s = gv_allocate_zeroed(&context->allocator, 1, sizeof *s);
  if (s == NULL) return gv_fail_memory(context, "the statistics");
  s->allocator = context->allocator;
  s->voronoi = voronoi;
  s->kernels = gv_statistics_kernels_get();
  s->distances = o.distances != 0;
  s->sums = o.sums;
  s->area_unit = 1.0;
  s->longest = longest_distance(voronoi);
  pthread_mutex_init(&s->lock, NULL);
  const gv_grid *grid = &voronoi->cells.grid;
  gv_status status = GV_OK;
  if (grid->kind == GV_GRID_LONLAT) {
    status = lonlat_tables(context, s);
  } else if (grid->kind == GV_GRID_QTM) {
    /* No triangle of a level has more than twice the mean area. */
    const gv_ellipsoid *e = &voronoi->cells.ellipsoid;
    const double poles[2] = {-90.0, 90.0};
    double globe;
    gv_zone_areas(e, 1, poles, &globe);
    globe *= 2.0 * (180.0 * degree);
    s->area_unit = 2.0 * globe / (double)grid->width / (double)(INT64_C(1) << TERM_BITS);
  } else {
    const double *g = grid->geotransform;
    s->area_unit = fabs(g[1] * g[5] - g[2] * g[4]);
    status = plane_tables(context, s);
  }
  int64_t seeds = voronoi->seeds.total;
  if (status == GV_OK) status = find_labels(context, s);
  if (status == GV_OK) {
    s->bound = gv_allocate(&s->allocator, s->sums, sizeof *s->bound);
    s->of_seed = gv_allocate_zeroed(&s->allocator, seeds, sizeof *s->of_seed);
    s->of_sum = gv_allocate_zeroed(&s->allocator, seeds * s->sums, sizeof *s->of_sum);
    if (s->bound == NULL || s->of_seed == NULL || s->of_sum == NULL) {
      status = gv_fail_memory(context, "the seeds' statistics");
    }
  }
  if (status != GV_OK) {
    gv_statistics_destroy(s);
    return status;
  }
  if (s->sums > 0) memcpy(s->bound, o.bound, (size_t)s->sums * sizeof *s->bound);
  *out = s;
  return GV_OK;
}

void gv_statistics_destroy(gv_statistics *s) {
  if (s == NULL) return;
  gv_allocator allocator = s->allocator;
  void *const parts[] = {s->bound,  s->row_share, s->factor, s->factors,
                         s->column, s->of_seed,   s->of_sum, s->labels};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    gv_release(&allocator, parts[i]);
  pthread_mutex_destroy(&s->lock);
  gv_release(&allocator, s);
}

/* --------------------------------------------------------------------------------------------- sums of one panel */

typedef struct far_sum {
  wide sum; /* area x distance */
  double farthest;
} far_sum;

/* One panel's sums. */
typedef struct local {
  gv_region_sums regions; /* comes first */
  const gv_statistics *s;
  gv_allocator allocator;
  far_sum *far;     /* by index; NULL without distances */
  wide *sum_of_far; /* of each quantity: value x distance */
} local;

static void local_free(local *l) {
  gv_release(&l->allocator, l->regions.slot);
  gv_release(&l->allocator, l->regions.shown);
  gv_release(&l->allocator, l->regions.sum);
  gv_release(&l->allocator, l->far);
  gv_release(&l->allocator, l->sum_of_far);
}

/* gv_region_sums.reserve */
static bool local_reserve(gv_region_sums *regions, int32_t more) {
  local *l = (local *)regions;
  const gv_statistics *s = l->s;
  const gv_region_sums *from = &l->regions;
  local bigger = *l;
  gv_region_sums *to = &bigger.regions;
  for (to->capacity = from->capacity > 0 ? 2 * from->capacity : 64; to->capacity - from->count < more;)
    to->capacity *= 2;
  int64_t capacity = to->capacity;
  to->mask = 4 * (uint32_t)capacity - 1;
  to->stride = (LANES + 2 * s->sums + 7) / 8 * 8; /* whole cache lines */
  to->slot = gv_allocate(&l->allocator, 4 * capacity, sizeof *to->slot);
  to->shown = gv_allocate(&l->allocator, capacity, sizeof *to->shown);
  to->sum = gv_allocate(&l->allocator, capacity * to->stride, sizeof *to->sum);
  bool good = to->slot != NULL && to->shown != NULL && to->sum != NULL;
  if (s->distances) {
    bigger.far = gv_allocate_zeroed(&l->allocator, capacity, sizeof *bigger.far);
    bigger.sum_of_far = gv_allocate_zeroed(&l->allocator, capacity * s->sums, sizeof *bigger.sum_of_far);
    good = good && bigger.far != NULL && bigger.sum_of_far != NULL;
  }
  if (!good) {
    local_free(&bigger);
    return false;
  }
  memset(to->slot, -1, 4 * (size_t)capacity * sizeof *to->slot);
  size_t count = (size_t)from->count;
  if (count > 0) {
    memcpy(to->shown, from->shown, count * sizeof *from->shown);
    memcpy(to->sum, from->sum, count * (size_t)from->stride * sizeof *from->sum);
    if (s->distances) memcpy(bigger.far, l->far, count * sizeof *l->far);
    if (s->distances && s->sums > 0)
      memcpy(bigger.sum_of_far, l->sum_of_far, count * (size_t)s->sums * sizeof *l->sum_of_far);
    for (int32_t i = 0; i < from->count; i++)
      *gv_slot_of(to->slot, to->mask, from->shown[i]) = (gv_slot){from->shown[i], i};
  }
  local_free(l);
  *l = bigger;
  return true;
}

static inline int64_t *sums_of(const local *l, int32_t index) {
  return l->regions.sum + index * l->regions.stride;
}

/* The index of each run of a scan; false when out of memory. */
static bool find_indices(local *l, const gv_scan *scan, gv_runs *runs) {
  for (int32_t i = 0; i < runs->count; i++) {
    int64_t r = runs->start[i] >> GV_RUN_SHIFT;
    if (!gv_regions_reserve(&l->regions, 1)) return false;
    runs->index[i] = gv_region_index(&l->regions, scan->cells[r * scan->stride + gv_run_begin(runs, i)]);
  }
  return true;
}

static inline bool is_nobody(const gv_statistics *s, int32_t shown) {
  return s->labels != NULL ? shown == s->voronoi->nodata : shown < 0;
}

/* The lanes of a factor that was parted. */
static inline wide parted(const int64_t *lanes, int low, int high) {
  return lanes[low] + lanes[high] * ((wide)1 << 32);
}

static inline wide halved(const int64_t *lanes, int low, int high) {
  const wide unit = 1 << HALF;
  return lanes[low] + ((wide)lanes[low + HIGH] + lanes[high]) * unit + lanes[high + HIGH] * (unit * unit);
}

/* Adds a seed's lanes, made from the panel's corner on. */
static void add_lanes(const gv_statistics *s, const gv_tile *panel, const int64_t *lanes, totals *to) {
  to->cells += lanes[CELLS];
  if (s->voronoi->cells.grid.kind == GV_GRID_QTM) {
    to->area += parted(lanes, AREA, AREA + 1);
    for (int d = 0; d < 3; d++)
      to->moment[d] += parted(lanes, MOMENT + d, MOMENT + d + HIGH);
  } else if (s->row_share != NULL) {
    to->area += parted(lanes, AREA, AREA + 1);
    to->moment[0] += halved(lanes, COSINE_LOW, COSINE_HIGH);
    to->moment[1] += halved(lanes, SINE_LOW, SINE_HIGH);
    to->moment[2] += parted(lanes, UP, UP + 1) * (INT64_C(1) << FACTOR_BITS);
  } else {
    to->area += lanes[CELLS];
    to->moment[0] += (wide)lanes[CELLS] * (2 * panel->c0) + lanes[COLUMNS];
    to->moment[1] += (wide)lanes[CELLS] * (2 * panel->r0) + lanes[ROWS];
  }
}

static gv_status merge(gv_context *context, gv_statistics *s, const gv_tile *panel, const local *l) {
  int32_t *shown = l->regions.shown;
  enum { AHEAD = 8 }; /* seeds are all over memory, which is asked for them in time */
  for (int32_t i = 0; i < l->regions.count; i++) {
    if (s->labels != NULL && i + AHEAD < l->regions.count)
      __builtin_prefetch(&s->labels[gv_first_slot(s->label_mask, shown[i + AHEAD])]);
    int64_t seed = is_nobody(s, shown[i]) ? -1 : seed_of(s, shown[i]);
    if (seed < 0 && !is_nobody(s, shown[i]))
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "there is no seed %d", (int)shown[i]);
    shown[i] = (int32_t)seed;
  }
  pthread_mutex_lock(&s->lock);
  for (int32_t i = 0; i < l->regions.count; i++) {
    if (i + AHEAD < l->regions.count && shown[i + AHEAD] >= 0) {
      const totals *later = &s->of_seed[shown[i + AHEAD]];
      __builtin_prefetch(later, 1);
      __builtin_prefetch((const char *)(later + 1) - 1, 1);
      __builtin_prefetch(s->of_sum + (int64_t)shown[i + AHEAD] * s->sums, 1);
    }
    if (shown[i] < 0) continue;
    const int64_t *sum_of = sums_of(l, i);
    totals *to = &s->of_seed[shown[i]];
    sum *to_sum = s->of_sum + (int64_t)shown[i] * s->sums;
    add_lanes(s, panel, sum_of, to);
    for (int32_t q = 0; q < s->sums; q++) {
      const int64_t *parts = sum_of + LANES + 2 * q;
      to_sum[q].value += parted(parts, 0, 1);
    }
    if (!s->distances) continue;
    to->distance += l->far[i].sum;
    if (l->far[i].farthest > to->farthest) to->farthest = l->far[i].farthest;
    for (int32_t q = 0; q < s->sums; q++)
      to_sum[q].distance += l->sum_of_far[(int64_t)i * s->sums + q];
  }
  pthread_mutex_unlock(&s->lock);
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------ adding a block */

/*
 * A quantity of a block. Where values serve a segment of columns each, there are running sums over the columns of a panel, made
 * for a row of boxes at a time; what goes into them is kept for as many rows of values as that can have.
 */
typedef struct block_quantity {
  double scale;               /* of terms */
  int32_t *segment;           /* of each column, and of the end; NULL: a value a cell */
  double *width;              /* of each segment */
  gv_term *term[GV_BOX_ROWS]; /* of each segment; table i is one of row of values made[i], i modulo GV_BOX_ROWS */
  int32_t made[GV_BOX_ROWS];  /* -1: of none */
  bool good[GV_BOX_ROWS];     /* these values are within the bound */
  gv_segment_sum *all;        /* running sums of the rows at hand; NULL: there are never any */
  bool summed;                /* the rows at hand are added by them */
  double *factor;             /* what each column's distance is multiplied by; NULL without distances */
  const double *row;          /* the values that this was made of; NULL: nothing yet */
  int32_t at;                 /* the row of values that was looked at last */
} block_quantity;

/* A block being added. */
typedef struct job {
  gv_context *context;
  const gv_statistics *s;
  const gv_statistics_block *block;
  gv_tile tile;                    /* the block's */
  block_quantity *quantity;        /* one a sum */
  gv_scan_quantity *scan_quantity; /* those that are summed */
  gv_scan_box *box;                /* of a row of boxes of a panel */
  gv_runs runs;                    /* of some rows, counted from the panel's corner */
  double *mesh[5]; /* areas of triangles, three moments, shares of the largest area; NULL for a raster */
} job;

/* A run of cells of one seed: columns [c0, c1) of row r, from the block's corner. */
typedef struct run {
  int64_t c0, c1, r;
} run;

static inline run run_of(const gv_runs *runs, int32_t i, int64_t column, int64_t row) {
  return (run){column + gv_run_begin(runs, i), column + gv_run_end(runs, i),
               row + (runs->start[i] >> GV_RUN_SHIFT)};
}

static inline int32_t part_of(int64_t n) {
  return n < GV_EXACT_TERMS ? (int32_t)n : GV_EXACT_TERMS;
}

/* Sum of the whole parts of value x factor, `width` times each if that is not NULL; false if a value is beyond the limit. */
static bool sum_whole(const gv_statistics *s, const double *value, const double *width, int64_t n, double factor,
                      double limit, int64_t sum_of[2]) {
  bool good = true;
  for (int64_t begin = 0; begin < n && good; begin += GV_EXACT_TERMS) {
    const double *times = width != NULL ? width + begin : NULL;
    good = s->kernels->sum_whole(value + begin, times, part_of(n - begin), factor, limit, sum_of);
  }
  return good;
}

/* Cells, areas and moments of runs of triangles, from column `from` of the block on. */
static void add_triangles(const job *j, int64_t from, local *l) {
  const double one = (double)(INT64_C(1) << TERM_BITS);
  static const int low[4] = {MOMENT, MOMENT + 1, MOMENT + 2, AREA};
  static const int high[4] = {MOMENT + HIGH, MOMENT + HIGH + 1, MOMENT + HIGH + 2, AREA + 1};
  for (int32_t i = 0; i < j->runs.count; i++) {
    run at = run_of(&j->runs, i, from, 0);
    int64_t *to = sums_of(l, j->runs.index[i]);
    to[CELLS] += at.c1 - at.c0;
    for (int k = 0; k < 4; k++) {
      int64_t parts[2] = {0, 0};
      sum_whole(j->s, j->mesh[1 + k] + at.c0, NULL, at.c1 - at.c0, one, 2.0, parts);
      to[low[k]] += parts[0];
      to[high[k]] += parts[1];
    }
  }
}

static inline wide value_of(const gv_exact_sum *exact) {
  return (wide)exact->high * (1 << 26) + exact->low;
}

/* Sum of distance x factor, cell by cell. */
static wide sum_products(const gv_statistics *s, const double *distance, const double *factor, int64_t n) {
  gv_exact_sum exact = {0, 0};
  for (int64_t begin = 0; begin < n; begin += GV_EXACT_TERMS)
    s->kernels->sum_products(distance + begin, factor + begin, part_of(n - begin), &exact);
  return value_of(&exact);
}

/* The same with one factor; *longest becomes the longest distance, -1 if one is none. */
static wide sum_distances(const gv_statistics *s, const double *distance, int64_t n, double factor,
                          double *longest) {
  gv_exact_sum exact = {0, 0};
  *longest = 0.0;
  for (int64_t begin = 0; begin < n && *longest >= 0.0; begin += GV_EXACT_TERMS) {
    double most = s->kernels->sum_distances(distance + begin, part_of(n - begin), factor, s->longest, &exact);
    *longest = most < 0.0 || most > *longest ? most : *longest;
  }
  return value_of(&exact);
}

static gv_status add_distances(const job *j, const run *at, const double *distance, far_sum *to) {
  const gv_statistics *s = j->s;
  double scale = (double)(INT64_C(1) << TERM_BITS) / s->longest, farthest;
  if (s->row_share != NULL) scale *= s->row_share[j->tile.r0 + at->r];
  wide total = sum_distances(s, distance + at->c0, at->c1 - at->c0, scale, &farthest);
  if (farthest < 0.0) {
    return gv_fail(j->context, GV_ERROR_INVALID_ARGUMENT, "a cell has no distance from its seed, or one beyond %g",
                   s->longest);
  }
  if (farthest > to->farthest) to->farthest = farthest;
  if (j->mesh[0] == NULL) {
    to->sum += total;
  } else {
    scale /= s->area_unit * (double)(INT64_C(1) << TERM_BITS);
    for (int64_t c = at->c0; c < at->c1; c++)
      to->sum += (int64_t)(distance[c] * (scale * j->mesh[0][c]));
  }
  return GV_OK;
}

static void job_free(job *j) {
  const gv_allocator *allocator = &j->context->allocator;
  for (int32_t q = 0; q < j->s->sums && j->quantity != NULL; q++) {
    gv_release(allocator, j->quantity[q].segment);
    gv_release(allocator, j->quantity[q].width);
    gv_release(allocator, j->quantity[q].term[0]);
    gv_release(allocator, j->quantity[q].all);
    gv_release(allocator, j->quantity[q].factor);
  }
  void *const parts[] = {j->quantity, j->scan_quantity, j->box, j->runs.start, j->runs.index, j->mesh[0]};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    gv_release(allocator, parts[i]);
}

static bool make_quantities(job *j) {
  const gv_allocator *allocator = &j->context->allocator;
  int64_t columns = j->tile.c1 - j->tile.c0;
  j->quantity = gv_allocate_zeroed(allocator, j->s->sums, sizeof *j->quantity);
  j->scan_quantity = gv_allocate(allocator, j->s->sums, sizeof *j->scan_quantity);
  if (j->quantity == NULL || j->scan_quantity == NULL) return false;
  for (int32_t q = 0; q < j->s->sums; q++) {
    const gv_quantity *from = &j->block->quantity[q];
    block_quantity *to = &j->quantity[q];
    to->scale = (double)(INT64_C(1) << TERM_BITS) / j->s->bound[q];
    if (j->s->distances) {
      to->factor = gv_allocate(allocator, columns, sizeof *to->factor);
      if (to->factor == NULL) return false;
    }
    if (from->first == NULL) continue;
    to->segment = gv_allocate(allocator, columns + 1, sizeof *to->segment);
    to->width = gv_allocate(allocator, from->count, sizeof *to->width);
    if (to->segment == NULL || to->width == NULL) return false;
    for (int32_t i = 0; i < from->count; i++) {
      int64_t end = i + 1 < from->count ? from->first[i + 1] : columns;
      to->width[i] = (double)(end - from->first[i]);
      for (int64_t c = from->first[i]; c < end; c++)
        to->segment[c] = i;
    }
    to->segment[columns] = from->count - 1;
    if (from->first_row == NULL || j->s->column == NULL || SEGMENT * (int64_t)from->count > columns + SEGMENT)
      continue;
    to->term[0] = gv_allocate(allocator, GV_BOX_ROWS * (int64_t)from->count, sizeof **to->term);
    to->all = gv_allocate(allocator, from->count, sizeof *to->all);
    if (to->term[0] == NULL || to->all == NULL) return false;
    for (int i = 1; i < GV_BOX_ROWS; i++)
      to->term[i] = to->term[0] + i * (int64_t)from->count;
  }
  return true;
}

/* Areas, moments and shares of the triangles of a block. */
static bool make_triangles(job *j) {
  const gv_cells *cells = &j->s->voronoi->cells;
  int64_t n = j->tile.c1 - j->tile.c0;
  double scale = 1.0 / (j->s->area_unit * (double)(INT64_C(1) << TERM_BITS));
  j->mesh[0] = gv_allocate(&j->context->allocator, 5 * n, sizeof **j->mesh);
  if (j->mesh[0] == NULL) return false;
  for (int d = 1; d < 5; d++)
    j->mesh[d] = j->mesh[0] + d * n;
  gv_cells_areas(cells, &j->tile, j->mesh[0], n);
  gv_mesh_number_positions(cells->tables, cells->grid.level, NULL, j->tile.c0, n, j->mesh[1], j->mesh[2],
                           j->mesh[3], NULL, NULL);
  for (int64_t c = 0; c < n; c++)
    j->mesh[4][c] = j->mesh[0][c] * scale;
  for (int d = 1; d < 4; d++) {
    for (int64_t c = 0; c < n; c++)
      j->mesh[d][c] *= j->mesh[4][c];
  }
  return true;
}

/* Triangles have no running sums to keep small. */
static int64_t panel_width(const gv_statistics *s) {
  return s->voronoi->cells.grid.kind == GV_GRID_QTM ? INT64_C(1) << GV_RUN_SHIFT : PANEL;
}

/* To be freed even if it fails. */
static bool job_make(job *j) {
  const gv_allocator *allocator = &j->context->allocator;
  int64_t columns = j->tile.c1 - j->tile.c0, most = panel_width(j->s), width = columns < most ? columns : most;
  j->box = gv_allocate(allocator, width / GV_BOX_COLUMNS + 1, sizeof *j->box);
  return j->box != NULL && make_quantities(j) && (j->s->column != NULL || make_triangles(j));
}

/* Runs are found for a row of boxes at a time: they stay in the nearest cache. */
static bool runs_make(job *j) {
  const gv_allocator *allocator = &j->context->allocator;
  int64_t columns = j->tile.c1 - j->tile.c0, most = panel_width(j->s), rows = j->tile.r1 - j->tile.r0;
  int64_t runs = (columns < most ? columns : most) * (rows < GV_BOX_ROWS ? rows : GV_BOX_ROWS);
  if (j->runs.start != NULL) return true;
  j->runs.index = gv_allocate(allocator, runs, sizeof *j->runs.index);
  if (j->runs.index == NULL) return false;
  j->runs.start = gv_allocate(allocator, runs + GV_RUN_SLACK, sizeof *j->runs.start);
  return j->runs.start != NULL;
}

/* The values of row r of a block. */
static const double *values_of(const gv_quantity *q, int32_t *at, int64_t r) {
  if (q->first_row == NULL) return q->value + r * q->stride;
  if (r < q->first_row[*at]) *at = 0;
  while (*at + 1 < q->rows && q->first_row[*at + 1] <= r)
    ++*at;
  return q->value + *at * q->stride;
}

/* Adds a value of `columns` cells; false if it is beyond the bound. */
static bool add_value(double value, int64_t columns, double scale, double bound, int64_t *lanes) {
  if (!(fabs(value) <= bound)) return false;
  int64_t whole = (int64_t)(value * scale);
  lanes[0] += low_part(whole) * columns;
  lanes[1] += high_part(whole) * columns;
  return true;
}

/* A quantity over a run, without running sums. */
static gv_status add_values(const job *j, int32_t number, const run *at, int64_t *lanes) {
  const gv_quantity *q = &j->block->quantity[number];
  block_quantity *row = &j->quantity[number];
  const double *values = values_of(q, &row->at, at->r);
  double bound = j->s->bound[number];
  bool good;
  if (q->first == NULL) {
    good = sum_whole(j->s, values + at->c0, NULL, at->c1 - at->c0, row->scale, bound, lanes);
  } else {
    int32_t first = row->segment[at->c0], last = row->segment[at->c1 - 1];
    int64_t c0 = first < last ? q->first[first + 1] : at->c0, c1 = first < last ? q->first[last] : at->c0;
    good =
        add_value(values[first], c0 - at->c0, row->scale, bound, lanes) &&
        sum_whole(j->s, values + first + 1, row->width + first + 1, last - first - 1, row->scale, bound, lanes) &&
        add_value(values[last], at->c1 - c1, row->scale, bound, lanes);
  }
  if (good) return GV_OK;
  return gv_fail(j->context, GV_ERROR_INVALID_ARGUMENT, "quantity %d is not finite, or beyond its bound %g",
                 (int)number, bound);
}

/* What is done run by run: distances, and quantities without running sums; from column `from` and row `row` of the block on. */
static gv_status add_each(const job *j, int64_t from, int64_t row, local *l) {
  const gv_statistics *s = j->s;
  gv_status status = GV_OK;
  for (int32_t i = 0; i < j->runs.count && status == GV_OK; i++) {
    run at = run_of(&j->runs, i, from, row);
    int32_t index = j->runs.index[i];
    if (is_nobody(s, l->regions.shown[index])) continue;
    const double *distance = s->distances ? j->block->distance + at.r * j->block->distance_stride : NULL;
    if (distance != NULL) status = add_distances(j, &at, distance, &l->far[index]);
    for (int32_t q = 0; q < s->sums && status == GV_OK; q++) {
      const block_quantity *quantity = &j->quantity[q];
      if (!quantity->summed) status = add_values(j, q, &at, sums_of(l, index) + LANES + 2 * q);
      if (distance != NULL) {
        l->sum_of_far[(int64_t)index * s->sums + q] +=
            sum_products(s, distance + at.c0, quantity->factor + at.c0, at.c1 - at.c0);
      }
    }
  }
  return status;
}

/*
 * Makes the factors of distances for row r of the block. Returns how many rows from there on, up to `most`, they are good
 * for.
 */
static int32_t prepare_factors(const job *j, int64_t r, int32_t most) {
  int64_t columns = j->tile.c1 - j->tile.c0;
  for (int32_t q = 0; q < j->s->sums && j->s->distances; q++) {
    const gv_quantity *from = &j->block->quantity[q];
    block_quantity *to = &j->quantity[q];
    size_t bytes = (size_t)(from->first != NULL ? from->count : columns) * sizeof(double);
    const double *values = values_of(from, &to->at, r);
    if (to->row == NULL || (to->row != values && memcmp(to->row, values, bytes) != 0)) {
      double scale = to->scale / j->s->longest;
      for (int64_t c = 0; c < columns; c++)
        to->factor[c] = values[from->first != NULL ? to->segment[c] : c] * scale;
    }
    to->row = values;
    int32_t rows = 1;
    for (; rows < most; rows++) {
      const double *next = values_of(from, &to->at, r + rows);
      if (next != values && memcmp(next, values, bytes) != 0) break;
    }
    most = rows;
  }
  return most;
}

/* Running sums for some rows of a panel, from row r of the block on, where there can be any. Returns of how many. */
static int32_t sum_quantities(job *j, int64_t from, int64_t width, int64_t r, int32_t rows) {
  const gv_statistics_kernels *kernels = j->s->kernels;
  int32_t summed = 0;
  for (int32_t q = 0; q < j->s->sums; q++) {
    const gv_quantity *of = &j->block->quantity[q];
    block_quantity *quantity = &j->quantity[q];
    gv_scan_quantity *to = &j->scan_quantity[summed];
    double bound = j->s->bound[q];
    quantity->summed = quantity->all != NULL;
    to->groups = 0;
    for (int32_t i = 0; i < rows && quantity->summed;) {
      const double *values = values_of(of, &quantity->at, r + i);
      int32_t at = quantity->at, table = at % GV_BOX_ROWS;
      if (quantity->made[table] != at) {
        int32_t first = quantity->segment[from], n = quantity->segment[from + width] - first + 1;
        quantity->made[table] = at;
        quantity->good[table] =
            kernels->make_terms(values + first, n, quantity->scale, bound, quantity->term[table] + first);
      }
      quantity->summed = quantity->good[table];
      int64_t end = at + 1 < of->rows ? of->first_row[at + 1] - r : rows;
      to->group[to->groups] = quantity->term[table];
      to->size[to->groups++] = (int32_t)(end < rows ? end - i : rows - i);
      for (; i < rows && i < end; i++)
        to->row[i] = quantity->term[table];
    }
    if (!quantity->summed) continue;
    to->segment = quantity->segment + from;
    to->first = of->first;
    to->from = (int32_t)from;
    to->all = quantity->all;
    to->lane = LANES + 2 * q;
    kernels->sum_terms(to, (int32_t)width);
    summed++;
  }
  return summed;
}

/* Cuts a scan's columns into boxes, for the row of boxes that has row r of the block and from column `from` on. Those that are
 * alike and have the same seed become one. Where that is so is found for many at once: it cannot be guessed well. */
static int32_t find_boxes(const job *j, const gv_scan *scan, int32_t columns, int64_t from, int64_t r) {
  enum { AT_ONCE = 64 };
  const gv_statistics_block *block = j->block;
  const uint8_t *alike = block->alike;
  int32_t boxes = (columns + GV_BOX_COLUMNS - 1) / GV_BOX_COLUMNS, count = 0;
  j->box[0] = (gv_scan_box){0, columns, GV_BOX_ALIKE};
  if (block->uniform) return 1;
  if (alike != NULL) alike += r / GV_BOX_ROWS * gv_boxes_across(&j->tile) + from / GV_BOX_COLUMNS;
  for (int32_t first = 0; first < boxes; first += AT_ONCE) {
    int32_t n = boxes - first < AT_ONCE ? boxes - first : AT_ONCE;
    uint64_t begins = first == 0;
    for (int32_t b = first == 0; b < n; b++) {
      const int32_t *edge = scan->cells + (first + b) * GV_BOX_COLUMNS;
      bool both = alike != NULL && (alike[first + b - 1] == GV_BOX_ALIKE) & (alike[first + b] == GV_BOX_ALIKE);
      begins |= (uint64_t) !(both & (edge[-1] == edge[0])) << b;
    }
    for (; begins != 0; begins &= begins - 1) {
      int32_t b = first + __builtin_ctzll(begins);
      if (count > 0) j->box[count - 1].end = b * GV_BOX_COLUMNS;
      j->box[count++] = (gv_scan_box){b * GV_BOX_COLUMNS, columns, alike != NULL ? alike[b] : GV_BOX_MIXED};
    }
  }
  return count;
}

/* Adds what is added run by run, of rows from row `row` of the block on. */
static gv_status add_all_runs(job *j, const gv_scan *all, int64_t from, int64_t row, local *l) {
  gv_scan scan = *all;
  gv_status status = runs_make(j) ? GV_OK : gv_fail_memory(j->context, "a block's statistics");
  for (int32_t r = 0; r < all->rows && status == GV_OK; r += scan.rows) {
    scan.rows = prepare_factors(j, row + r, all->rows - r);
    scan.cells = all->cells + r * all->stride;
    j->s->kernels->find_runs(&scan, &j->runs);
    if (!find_indices(l, &scan, &j->runs)) return gv_fail_memory(j->context, "a block's statistics");
    if (j->s->column == NULL) add_triangles(j, from, l);
    status = add_each(j, from, row + r, l);
  }
  return status;
}

static gv_status add_panel(job *j, const gv_tile *panel, local *l) {
  const gv_statistics *s = j->s;
  const gv_statistics_block *block = j->block;
  int64_t from = panel->c0 - j->tile.c0, end = panel->r1 - j->tile.r0, width = panel->c1 - panel->c0;
  gv_scan scan = {.stride = block->uniform ? 0 : block->stride, .box = j->box};
  gv_scan_terms terms = {.column = s->column, .quantity = j->scan_quantity};
  gv_status status = GV_OK;
  if (s->row_share != NULL) terms.column += column_entry(s, panel->c0);
  j->runs.columns = (int32_t)width;
  for (int32_t q = 0; q < s->sums; q++)
    memset(j->quantity[q].made, -1, sizeof j->quantity[q].made);
  for (int64_t r = panel->r0 - j->tile.r0; r < end && status == GV_OK; r += scan.rows) {
    scan.cells = block->seed + (block->uniform ? 0 : r * block->stride + from);
    scan.rows = (int32_t)(end - r < GV_BOX_ROWS ? end - r : GV_BOX_ROWS);
    scan.boxes = find_boxes(j, &scan, (int32_t)width, from, r);
    if (s->column != NULL) {
      int64_t row = j->tile.r0 + r - (s->row_share != NULL ? 0 : panel->r0);
      bool whole = row % GV_BOX_ROWS == 0 && scan.rows == GV_BOX_ROWS;
      terms.factor = s->factor + row * LANES;
      terms.factors = whole ? s->factors + row / GV_BOX_ROWS * LANES : NULL;
      terms.quantities = sum_quantities(j, from, width, r, scan.rows);
      if (!s->kernels->add_boxes(&scan, &terms, &l->regions))
        return gv_fail_memory(j->context, "a block's statistics");
    }
    if (s->column == NULL || s->distances || terms.quantities < s->sums)
      status = add_all_runs(j, &scan, from, r, l);
  }
  return status;
}

/* True if numbers begin with 0, ascend and stay below n. */
static bool parts_of(const int32_t *first, int32_t count, int64_t n) {
  bool good = count > 0 && first[0] == 0 && first[count - 1] < n;
  for (int32_t i = 1; i < count && good; i++)
    good = first[i - 1] < first[i];
  return good;
}

static bool is_quantity(const gv_quantity *q, const gv_tile *tile) {
  return q->value != NULL && (q->first == NULL || parts_of(q->first, q->count, tile->c1 - tile->c0)) &&
         (q->first_row == NULL || parts_of(q->first_row, q->rows, tile->r1 - tile->r0));
}

gv_status gv_statistics_add(gv_context *context, gv_statistics *s, const gv_statistics_block *block) {
  gv_statistics_block b = GV_STATISTICS_BLOCK_INIT;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (s == NULL || block == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "no statistics, or no block");
  memcpy(&b, block, block->struct_size < sizeof b ? block->struct_size : sizeof b);
  const gv_voronoi *v = s->voronoi;
  if (b.seed == NULL || (s->distances && b.distance == NULL) || (s->sums > 0 && b.quantity == NULL)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "a block without seeds, distances or quantities");
  }
  job j = {.context = context, .s = s, .block = &b};
  gv_status status = gv_tile_of_block(context, v, b.column, b.row, &j.tile);
  if (status != GV_OK) return status;
  for (int32_t q = 0; q < s->sums; q++) {
    if (!is_quantity(&b.quantity[q], &j.tile)) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                     "quantity %d has no values, or its parts do not ascend from 0 within the block", (int)q);
    }
  }
  if (!job_make(&j)) status = gv_fail_memory(context, "a block's statistics");
  int64_t width = panel_width(s);
  for (int64_t r = j.tile.r0; r < j.tile.r1 && status == GV_OK; r += PANEL) {
    for (int64_t c = j.tile.c0; c < j.tile.c1 && status == GV_OK; c += width) {
      gv_tile panel = {c, c + width < j.tile.c1 ? c + width : j.tile.c1, r,
                       r + PANEL < j.tile.r1 ? r + PANEL : j.tile.r1};
      local l = {.regions = {.reserve = local_reserve}, .s = s, .allocator = context->allocator};
      status = local_reserve(&l.regions, 1) ? add_panel(&j, &panel, &l)
                                            : gv_fail_memory(context, "a block's statistics");
      if (status == GV_OK) status = merge(context, s, &panel, &l);
      local_free(&l);
    }
  }
  job_free(&j);
  return status;
}

/* ------------------------------------------------------------------------------------------------------ results */

static void centroid(const gv_statistics *s, const totals *t, gv_seed_statistics *out) {
  const gv_grid *grid = &s->voronoi->cells.grid;
  double m[3] = {(double)t->moment[0], (double)t->moment[1], (double)t->moment[2]};
  if (grid->kind == GV_GRID_LONLAT || grid->kind == GV_GRID_QTM) {
    /* Moments carry the bits of two factors, areas those of a term. */
    double unit = grid->kind == GV_GRID_QTM ? 1.0 : ldexp(1.0, TERM_BITS - 2 * FACTOR_BITS);
    double across = hypot(m[0], m[1]), length = hypot(across, m[2]) * unit;
    if (!(length > 1e-9 * (double)t->area)) return;
    out->centroid_x = atan2(m[1], m[0]) / degree;
    out->centroid_y = atan2(m[2], across) / degree;
    if (out->centroid_x == -180.0) out->centroid_x = 180.0;
  } else {
    const double *g = grid->geotransform;
    double column = m[0] / (2.0 * (double)t->cells), row = m[1] / (2.0 * (double)t->cells);
    out->centroid_x = (g[0] + column * g[1]) + row * g[2];
    out->centroid_y = (g[3] + column * g[4]) + row * g[5];
  }
}

gv_status gv_statistics_get(gv_context *context, const gv_statistics *s, int64_t seed, gv_seed_statistics *out,
                            gv_sum_statistics *sums) {
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (s == NULL || out == NULL || seed < 0 || seed >= s->voronoi->seeds.total) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "no statistics, no place for them, or no seed %lld",
                   (long long)seed);
  }
  const totals *t = &s->of_seed[seed];
  gv_seed_statistics result = {t->cells, (double)t->area * s->area_unit, NAN, NAN, NAN, NAN};
  if (t->cells > 0) centroid(s, t, &result);
  if (t->cells > 0 && s->distances) {
    double units = s->row_share != NULL || s->voronoi->cells.grid.kind == GV_GRID_QTM
                       ? (double)t->area
                       : (double)t->area * (double)(INT64_C(1) << TERM_BITS);
    if (units > 0.0) result.distance_mean = (double)t->distance / units * s->longest;
    result.distance_max = t->farthest;
  }
  for (int32_t q = 0; q < s->sums && sums != NULL; q++) {
    const sum *of = &s->of_sum[seed * s->sums + q];
    sums[q].sum = (double)of->value * (s->bound[q] / (double)(INT64_C(1) << TERM_BITS));
    sums[q].distance_mean =
        s->distances && of->value != 0 ? (double)of->distance / (double)of->value * s->longest : (double)NAN;
  }
  *out = result;
  return GV_OK;
}
