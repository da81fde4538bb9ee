/*
 * Statistics of regions, summed in fixed point.
 *
 * Every term is turned into an integer before it is added, by a rule that looks at its cell only; integers add up to the
 * same in every order. Without distances the work is done for whole runs of cells of one seed in a row, and its cost is
 * little more than that of looking for their ends.
 *
 * Runs. All terms of a raster are products of a row's and a column's factor (of an area, the column's is 1), so a run adds
 * the row's factor times the difference of two running sums over the columns. Factors of more bits than 32 are parted into
 * a low and a high one, whose products are summed apart: then a run is one difference, one product and one sum for each of
 * GV_RUN_LANES lanes, all of which are 32 and 64 bits wide. A quantity has two lanes, of 2^32 and 1, and running sums of its
 * own that are made when its values change from one row to the next.
 *
 * Panels. A block is cut into panels so small that no lane can run over. A panel is summed by itself, over the few seeds
 * that it has (a small hash table), and then added to the whole under a lock, in 128 bits.
 */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cells/area.h"
#include "voronoi/engine.h"

__extension__ typedef __int128 wide;

enum {
  TERM_BITS = 62,           /* single terms are up to 2^62 in size */
  FACTOR_BITS = 40,         /* and factors of products up to 2^40 */
  HALF = FACTOR_BITS / 2,   /* of which the low half is parted */
  PANEL = 1024,             /* columns and rows of a panel of a raster */
  MANY_ROWS = 1000,         /* of which the areas are worth several threads */
  BATCH_ROWS = GV_BOX_ROWS, /* of which runs are found before they are added: they stay in the nearest cache */
  LANES = GV_RUN_LANES      /* of a seed's cells, area and moments; two a quantity follow */
};

/*
 * Lanes. Parts of a factor are at most 2^31 in size, halves at most 2^20 + 1. A panel has 2^20 cells, so lanes of a part
 * stay below 2^51, those of two halves below 2^61. Running sums over the columns of a grid go on modulo 2^32: their
 * differences within a panel's 2^10 columns are below 2^31.
 */
enum {
  /* LONLAT: running sums of the halves of cosines and sines times the low half of the row's factor; + 8: the high half. */
  COSINE_LOW = 0,
  COSINE_HIGH = 1,
  SINE_LOW = 2,
  SINE_HIGH = 3,
  /* Cells times the low and (+ 8) the high part of the row's factor. */
  AREA = 4,
  UP = 5,
  CELLS = 6,
  /* Other rasters: sums of 2 column + 1 and 2 row + 1, from the panel's corner. */
  COLUMNS = 0,
  ROWS = 5,
  /* QTM: low and (+ 8) high parts of terms. */
  MOMENT = 0,
  HIGH = 8
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

/* A place of an open hash table of what blocks show: -1 = free. */
typedef struct slot {
  int32_t shown, index;
} slot;

struct gv_statistics {
  gv_allocator allocator;
  const gv_voronoi *voronoi;
  const gv_measure_kernels *kernels;
  bool distances;
  int32_t sums;
  double *bound;     /* of each quantity */
  double area_unit;  /* what area 1 stands for */
  double longest;    /* no distance is longer */
  double *row_share; /* LONLAT: area of one cell as a fraction of the largest; NULL = 1 */
  int32_t *factor;   /* LANES a row: LONLAT: of the grid, others: of a panel; NULL: a mesh */
  /* Running sums of columns, LANES each, modulo 2^32: LONLAT: of the grid; others: of a panel; NULL: a mesh. */
  int32_t *column;
  slot *labels; /* a table of label_mask + 1 seeds by label; NULL when blocks hold seed numbers */
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

/* Where the difference or factor of a lane is. */
static inline int place_of(int lane) {
  return lane % HIGH * 2 + lane / HIGH;
}

static double centre(double first, double step, int64_t i) {
  return first + ((double)i + 0.5) * step;
}

/* The fixed-point tables of a lon/lat grid. */
static gv_status lonlat_tables(gv_context *context, gv_statistics *s) {
  const gv_cells *cells = &s->voronoi->cells;
  const double *g = cells->grid.geotransform;
  int64_t w = cells->grid.width, h = cells->grid.height, longer = w > h ? w : h;
  double *angle = gv_allocate(&s->allocator, longer, sizeof *angle);
  double *sine = gv_allocate(&s->allocator, longer, sizeof *sine);
  double *cosine = gv_allocate(&s->allocator, longer, sizeof *cosine);
  s->row_share = gv_allocate(&s->allocator, h, sizeof *s->row_share);
  s->factor = gv_allocate_zeroed(&s->allocator, h * LANES, sizeof *s->factor);
  s->column = gv_allocate(&s->allocator, (w + 1) * LANES, sizeof *s->column);
  gv_status status = GV_OK;
  if (angle == NULL || sine == NULL || cosine == NULL || s->row_share == NULL || s->factor == NULL ||
      s->column == NULL) {
    status = gv_fail_memory(context, "the statistics' tables");
    goto end;
  }
#pragma omp parallel for num_threads(context->threads) if (h >= MANY_ROWS)
  for (int64_t r = 0; r < h; r++) {
    gv_tile cell = {0, 1, r, r + 1};
    gv_cells_areas(cells, &cell, &s->row_share[r], 1);
  }
  double largest = 0.0;
  for (int64_t r = 0; r < h; r++) {
    largest = s->row_share[r] > largest ? s->row_share[r] : largest;
    double lon = 0.0;
    angle[r] = centre(g[3], g[5], r);
    gv_normalise_lonlat(&lon, &angle[r]);
  }
  gv_sincos_degrees(h, angle, sine, cosine);
  s->area_unit = largest / (double)(INT64_C(1) << TERM_BITS);
  for (int64_t r = 0; r < h; r++) {
    s->row_share[r] /= largest;
    int32_t *factor = s->factor + r * LANES;
    int64_t area = fixed(s->row_share[r], TERM_BITS);
    int64_t across = fixed(s->row_share[r] * cosine[r], FACTOR_BITS);
    int64_t up = fixed(s->row_share[r] * sine[r], FACTOR_BITS);
    for (int lane = COSINE_LOW; lane <= SINE_HIGH; lane++) {
      factor[place_of(lane)] = low_half(across);
      factor[place_of(lane + HIGH)] = high_half(across);
    }
    factor[place_of(AREA)] = low_part(area);
    factor[place_of(AREA + HIGH)] = high_part(area);
    factor[place_of(UP)] = low_part(up);
    factor[place_of(UP + HIGH)] = high_part(up);
    factor[place_of(CELLS)] = 1;
  }
  for (int64_t c = 0; c < w; c++) {
    double lat = 0.0;
    angle[c] = centre(g[0], g[1], c);
    gv_normalise_lonlat(&angle[c], &lat);
  }
  gv_sincos_degrees(w, angle, sine, cosine);
  uint32_t so_far[4] = {0, 0, 0, 0};
  for (int64_t c = 0; c <= w; c++) {
    int32_t *to = s->column + c * LANES;
    for (int i = COSINE_LOW; i <= SINE_HIGH; i++)
      to[place_of(i)] = to[place_of(i + HIGH)] = (int32_t)so_far[i];
    for (int i = SINE_HIGH + 1; i < HIGH; i++)
      to[place_of(i)] = to[place_of(i + HIGH)] = (int32_t)c;
    if (c == w) break;
    int64_t x = fixed(cosine[c], FACTOR_BITS), y = fixed(sine[c], FACTOR_BITS);
    so_far[COSINE_LOW] += (uint32_t)low_half(x);
    so_far[COSINE_HIGH] += (uint32_t)high_half(x);
    so_far[SINE_LOW] += (uint32_t)low_half(y);
    so_far[SINE_HIGH] += (uint32_t)high_half(y);
  }
end:
  gv_release(&s->allocator, angle);
  gv_release(&s->allocator, sine);
  gv_release(&s->allocator, cosine);
  return status;
}

/* The factors of the rows of any panel on the plane, and the running sums of its columns. */
static gv_status plane_tables(gv_context *context, gv_statistics *s) {
  s->factor = gv_allocate_zeroed(&s->allocator, PANEL * LANES, sizeof *s->factor);
  s->column = gv_allocate(&s->allocator, (PANEL + 1) * LANES, sizeof *s->column);
  if (s->factor == NULL || s->column == NULL) return gv_fail_memory(context, "the statistics' tables");
  for (int32_t r = 0; r < PANEL; r++) {
    int32_t *factor = s->factor + (int64_t)r * LANES;
    factor[place_of(CELLS)] = factor[place_of(COLUMNS)] = 1;
    factor[place_of(ROWS)] = 2 * r + 1;
  }
  for (int32_t c = 0; c <= PANEL; c++) {
    int32_t *to = s->column + (int64_t)c * LANES;
    for (int i = 0; i < LANES; i++)
      to[i] = c;
    to[place_of(COLUMNS)] = c * c;
  }
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

/* Where a table whose size is a power of 2, mask + 1, is looked at first, ... */
static inline uint32_t first_slot(uint32_t mask, int32_t shown) {
  uint32_t at = (uint32_t)shown * UINT32_C(2654435769);
  return (at ^ at >> 16) & mask;
}

/* ... and the place of something in it, or the one that it would have. */
static inline slot *slot_of(slot *slots, uint32_t mask, int32_t shown) {
  uint32_t at = first_slot(mask, shown);
  while (slots[at].index >= 0 && slots[at].shown != shown)
    at = (at + 1) & mask;
  return &slots[at];
}

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
    slot *at = slot_of(s->labels, s->label_mask, v->label[i]);
    if (v->label[i] == v->nodata || at->index >= 0) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "the label %d does not tell a seed", (int)v->label[i]);
    }
    *at = (slot){v->label[i], v->seeds.number[i]};
  }
  return GV_OK;
}

/* The seed that blocks show as `value`; -1 if there is none. */
static int64_t seed_of(const gv_statistics *s, int32_t value) {
  if (s->labels == NULL) return value < s->voronoi->seeds.total ? value : -1;
  return slot_of(s->labels, s->label_mask, value)->index;
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
  s->kernels = gv_measure_kernels_get();
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
    double globe = 2.0 * gv_zone_area(e, -90.0, 90.0) * (180.0 * degree);
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
  void *const parts[] = {s->bound, s->row_share, s->factor, s->column, s->of_seed, s->of_sum, s->labels};
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

/* What one panel shows, seeds and nodata alike: an open hash table into arrays. */
typedef struct local {
  const gv_statistics *s;
  gv_allocator allocator;
  slot *slots;
  uint32_t mask;  /* their number, four times the capacity, less 1 */
  int32_t *shown; /* by index */
  int64_t *sum;   /* `stride` lanes an index */
  int64_t stride;
  far_sum *far;     /* NULL without distances */
  wide *sum_of_far; /* of each quantity: value x distance */
  int32_t count, capacity;
} local;

static void local_free(local *l) {
  gv_release(&l->allocator, l->slots);
  gv_release(&l->allocator, l->shown);
  gv_release(&l->allocator, l->sum);
  gv_release(&l->allocator, l->far);
  gv_release(&l->allocator, l->sum_of_far);
}

static bool local_grow(local *l) {
  const gv_statistics *s = l->s;
  int32_t capacity = l->capacity > 0 ? 2 * l->capacity : 64;
  local bigger = *l;
  bigger.capacity = capacity;
  bigger.mask = 4 * (uint32_t)capacity - 1;
  bigger.stride = (LANES + 2 * s->sums + 7) / 8 * 8;
  bigger.slots = gv_allocate(&l->allocator, 4 * (int64_t)capacity, sizeof *bigger.slots);
  bigger.shown = gv_allocate(&l->allocator, capacity, sizeof *bigger.shown);
  bigger.sum = gv_allocate_zeroed(&l->allocator, capacity * bigger.stride, sizeof *bigger.sum);
  bool good = bigger.slots != NULL && bigger.shown != NULL && bigger.sum != NULL;
  if (s->distances) {
    bigger.far = gv_allocate_zeroed(&l->allocator, capacity, sizeof *bigger.far);
    bigger.sum_of_far = gv_allocate_zeroed(&l->allocator, (int64_t)capacity * s->sums, sizeof *bigger.sum_of_far);
    good = good && bigger.far != NULL && bigger.sum_of_far != NULL;
  }
  if (!good) {
    local_free(&bigger);
    return false;
  }
  memset(bigger.slots, -1, 4 * (size_t)capacity * sizeof *bigger.slots);
  size_t count = (size_t)l->count;
  if (count > 0) {
    memcpy(bigger.shown, l->shown, count * sizeof *l->shown);
    memcpy(bigger.sum, l->sum, count * (size_t)l->stride * sizeof *l->sum);
    if (s->distances) memcpy(bigger.far, l->far, count * sizeof *l->far);
    if (s->distances && s->sums > 0)
      memcpy(bigger.sum_of_far, l->sum_of_far, count * (size_t)s->sums * sizeof *l->sum_of_far);
    for (int32_t i = 0; i < l->count; i++)
      *slot_of(bigger.slots, bigger.mask, l->shown[i]) = (slot){l->shown[i], i};
  }
  local_free(l);
  *l = bigger;
  return true;
}

/* The index of something new; -1 when out of memory. */
static int32_t local_add(local *l, int32_t shown) {
  if (l->count == l->capacity && !local_grow(l)) return -1;
  *slot_of(l->slots, l->mask, shown) = (slot){shown, l->count};
  l->shown[l->count] = shown;
  return l->count++;
}

/* The index of each run, of rows that are `stride` cells apart; false when out of memory. */
static bool find_indices(local *l, const int32_t *shown, int64_t stride, gv_runs *runs) {
  for (int32_t i = 0; i < runs->count; i++) {
    int32_t here = shown[(runs->start[i] >> GV_RUN_SHIFT) * stride + gv_run_begin(runs, i)];
    int32_t index = slot_of(l->slots, l->mask, here)->index;
    if (index < 0) index = local_add(l, here);
    if (index < 0) return false;
    runs->index[i] = index;
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
    to->area += parted(lanes, AREA, AREA + HIGH);
    for (int d = 0; d < 3; d++)
      to->moment[d] += parted(lanes, MOMENT + d, MOMENT + d + HIGH);
  } else if (s->row_share != NULL) {
    to->area += parted(lanes, AREA, AREA + HIGH);
    to->moment[0] += halved(lanes, COSINE_LOW, COSINE_HIGH);
    to->moment[1] += halved(lanes, SINE_LOW, SINE_HIGH);
    to->moment[2] += parted(lanes, UP, UP + HIGH) * (INT64_C(1) << FACTOR_BITS);
  } else {
    to->area += lanes[CELLS];
    to->moment[0] += (wide)lanes[CELLS] * (2 * panel->c0) + lanes[COLUMNS];
    to->moment[1] += (wide)lanes[CELLS] * (2 * panel->r0) + lanes[ROWS];
  }
}

static gv_status merge(gv_context *context, gv_statistics *s, const gv_tile *panel, const local *l) {
  enum { AHEAD = 8 }; /* seeds are all over memory, which is asked for them in time */
  for (int32_t i = 0; i < l->count; i++) {
    if (s->labels != NULL && i + AHEAD < l->count)
      __builtin_prefetch(&s->labels[first_slot(s->label_mask, l->shown[i + AHEAD])]);
    int64_t seed = is_nobody(s, l->shown[i]) ? -1 : seed_of(s, l->shown[i]);
    if (seed < 0 && !is_nobody(s, l->shown[i]))
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "there is no seed %d", (int)l->shown[i]);
    l->shown[i] = (int32_t)seed;
  }
  pthread_mutex_lock(&s->lock);
  for (int32_t i = 0; i < l->count; i++) {
    if (i + AHEAD < l->count && l->shown[i + AHEAD] >= 0) {
      const totals *later = &s->of_seed[l->shown[i + AHEAD]];
      __builtin_prefetch(later, 1);
      __builtin_prefetch((const char *)(later + 1) - 1, 1);
      __builtin_prefetch(s->of_sum + (int64_t)l->shown[i + AHEAD] * s->sums, 1);
    }
    if (l->shown[i] < 0) continue;
    const int64_t *sum_of = l->sum + i * l->stride;
    totals *to = &s->of_seed[l->shown[i]];
    sum *to_sum = s->of_sum + (int64_t)l->shown[i] * s->sums;
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
 * A quantity, prepared for a row of a block. Where rows of values serve several rows of cells, and values a segment of columns
 * each, running sums, of which a run takes two, wherever it ends.
 */
typedef struct quantity_row {
  double scale;           /* of terms */
  int32_t *segment;       /* of each column, and of the end; NULL: a value a cell */
  double *width;          /* of each segment */
  gv_segment_sum *sum_of; /* running sums up to each segment; NULL: none */
  double *factor;         /* what each column's distance is multiplied by; NULL without distances */
  const double *row;      /* the values that this was made of; NULL: nothing yet */
  int32_t at;             /* number of their row, where rows of values serve several */
  bool good;              /* they are within the bound */
} quantity_row;

/* A block being added. */
typedef struct job {
  gv_context *context;
  const gv_statistics *s;
  const gv_statistics_block *block;
  gv_tile tile;           /* the block's */
  quantity_row *quantity; /* one a sum */
  gv_runs runs;           /* of some rows, counted from the panel's corner */
  uint64_t *bits;         /* where the rows of a row of boxes may change, cell by cell, and ... */
  gv_word *word;          /* ... as words to look at */
  int32_t words;
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
  static const int lane[4] = {MOMENT, MOMENT + 1, MOMENT + 2, AREA};
  for (int32_t i = 0; i < j->runs.count; i++) {
    run at = run_of(&j->runs, i, from, 0);
    int64_t *to = l->sum + j->runs.index[i] * l->stride;
    to[CELLS] += at.c1 - at.c0;
    for (int k = 0; k < 4; k++) {
      int64_t parts[2] = {0, 0};
      sum_whole(j->s, j->mesh[1 + k] + at.c0, NULL, at.c1 - at.c0, one, 2.0, parts);
      to[lane[k]] += parts[0];
      to[lane[k] + HIGH] += parts[1];
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
    gv_release(allocator, j->quantity[q].sum_of);
    gv_release(allocator, j->quantity[q].factor);
  }
  void *const parts[] = {j->quantity, j->runs.start, j->runs.index, j->bits, j->word, j->mesh[0]};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    gv_release(allocator, parts[i]);
}

static bool make_quantities(job *j) {
  const gv_allocator *allocator = &j->context->allocator;
  int64_t columns = j->tile.c1 - j->tile.c0;
  j->quantity = gv_allocate_zeroed(allocator, j->s->sums, sizeof *j->quantity);
  if (j->quantity == NULL) return false;
  for (int32_t q = 0; q < j->s->sums; q++) {
    const gv_quantity *from = &j->block->quantity[q];
    quantity_row *to = &j->quantity[q];
    to->scale = (double)(INT64_C(1) << TERM_BITS) / j->s->bound[q];
    if (j->s->distances) {
      to->factor = gv_allocate(allocator, columns, sizeof *to->factor);
      if (to->factor == NULL) return false;
    }
    if (from->first == NULL) continue;
    to->segment = gv_allocate(allocator, columns + 1, sizeof *to->segment);
    to->width = gv_allocate(allocator, from->count, sizeof *to->width);
    if (from->first_row != NULL) to->sum_of = gv_allocate(allocator, from->count, sizeof *to->sum_of);
    if (to->segment == NULL || to->width == NULL || (from->first_row != NULL && to->sum_of == NULL)) return false;
    for (int32_t i = 0; i < from->count; i++) {
      int64_t end = i + 1 < from->count ? from->first[i + 1] : columns;
      to->width[i] = (double)(end - from->first[i]);
      for (int64_t c = from->first[i]; c < end; c++)
        to->segment[c] = i;
    }
    to->segment[columns] = from->count - 1;
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
  int64_t columns = j->tile.c1 - j->tile.c0, rows = j->tile.r1 - j->tile.r0;
  bool mesh = j->s->voronoi->cells.grid.kind == GV_GRID_QTM;
  int64_t most = panel_width(j->s), width = columns < most ? columns : most, height = rows < PANEL ? rows : PANEL;
  int64_t runs = width * (height < BATCH_ROWS ? height : BATCH_ROWS);
  j->runs.start = gv_allocate(allocator, runs + GV_RUN_SLACK, sizeof *j->runs.start);
  j->runs.index = gv_allocate(allocator, runs, sizeof *j->runs.index);
  j->word = gv_allocate(allocator, width / GV_WORD + 1, sizeof *j->word);
  j->bits = gv_allocate(allocator, width / GV_WORD + 2, sizeof *j->bits);
  if (j->runs.start == NULL || j->runs.index == NULL || j->word == NULL || j->bits == NULL || !make_quantities(j))
    return false;
  return !mesh || make_triangles(j);
}

/* The values of row r of a block. */
static const double *values_of(const gv_quantity *q, quantity_row *row, int64_t r) {
  if (q->first_row == NULL) return q->value + r * q->stride;
  if (r < q->first_row[row->at]) row->at = 0;
  while (row->at + 1 < q->rows && q->first_row[row->at + 1] <= r)
    row->at++;
  return q->value + row->at * q->stride;
}

/* True if they are those that the quantity is prepared for. */
static bool is_prepared(const gv_quantity *q, const double *values, int64_t columns, const quantity_row *to) {
  int64_t count = q->first != NULL ? q->count : columns;
  return to->row != NULL && (to->row == values || memcmp(to->row, values, (size_t)count * sizeof *values) == 0);
}

/* True if nothing is to be prepared: values are looked at run by run. */
static bool is_plain(const quantity_row *row) {
  return row->sum_of == NULL && row->factor == NULL;
}

static void prepare_quantity(const gv_statistics *s, double bound, const gv_quantity *q, const double *values,
                             int64_t columns, quantity_row *to) {
  to->row = values;
  double distance_scale = to->scale / s->longest;
  for (int64_t c = 0; c < columns && to->factor != NULL; c++)
    to->factor[c] = values[q->first != NULL ? to->segment[c] : c] * distance_scale;
  to->good = to->sum_of != NULL; /* else they are looked at run by run */
  for (int32_t i = 0; i < q->count && to->sum_of != NULL; i++)
    to->good &= fabs(values[i]) <= bound;
  if (!to->good) return;
  int64_t before[2] = {0, 0};
  for (int32_t i = 0; i < q->count; i++) {
    int64_t whole = (int64_t)(values[i] * to->scale), from = q->first[i];
    int64_t width = (i + 1 < q->count ? q->first[i + 1] : columns) - from;
    const int64_t term[2] = {low_part(whole), high_part(whole)};
    for (int k = 0; k < 2; k++) {
      to->sum_of[i].term[k] = term[k];
      to->sum_of[i].base[k] = before[k] - term[k] * from;
      before[k] += term[k] * width;
    }
  }
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
  quantity_row *row = &j->quantity[number];
  const double *values = values_of(q, row, at->r);
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
    if (is_nobody(s, l->shown[index])) continue;
    const double *distance = s->distances ? j->block->distance + at.r * j->block->distance_stride : NULL;
    if (distance != NULL) status = add_distances(j, &at, distance, &l->far[index]);
    for (int32_t q = 0; q < s->sums && status == GV_OK; q++) {
      const quantity_row *of_row = &j->quantity[q];
      if (of_row->sum_of == NULL || !of_row->good)
        status = add_values(j, q, &at, l->sum + index * l->stride + LANES + 2 * q);
      if (distance != NULL) {
        l->sum_of_far[(int64_t)index * s->sums + q] +=
            sum_products(s, distance + at.c0, of_row->factor + at.c0, at.c1 - at.c0);
      }
    }
  }
  return status;
}

/* Prepares the quantities for row r of the block. */
static void prepare_row(const job *j, int64_t r) {
  int64_t columns = j->tile.c1 - j->tile.c0;
  for (int32_t q = 0; q < j->s->sums; q++) {
    const gv_quantity *from = &j->block->quantity[q];
    quantity_row *row = &j->quantity[q];
    const double *values = values_of(from, row, r);
    if (!is_plain(row) && !is_prepared(from, values, columns, row))
      prepare_quantity(j->s, j->s->bound[q], from, values, columns, row);
  }
}

/* How many rows from row r on, up to `most`, have the values that the quantities are prepared for at row r. */
static int32_t rows_prepared(const job *j, int64_t r, int32_t most) {
  for (int32_t q = 0; q < j->s->sums; q++) {
    const gv_quantity *from = &j->block->quantity[q];
    quantity_row *row = &j->quantity[q];
    if (is_plain(row)) continue;
    if (from->first_row != NULL) {
      int64_t next = row->at + 1 < from->rows ? from->first_row[row->at + 1] : r + most;
      if (next - r < most) most = (int32_t)(next - r);
    } else {
      int32_t rows = 1;
      while (rows < most && is_prepared(from, values_of(from, row, r + rows), j->tile.c1 - j->tile.c0, row))
        rows++;
      most = rows;
    }
  }
  return most;
}

/*
 * Finds where the rows of the row of boxes that has row r of the block may change, for the panel that begins at column `from`:
 * nowhere within boxes that are alike. `cells` are those of one of its rows. Branches would be taken at random here.
 */
static void find_words(job *j, const int32_t *cells, int64_t from, int64_t r) {
  const gv_statistics_block *block = j->block;
  int32_t columns = j->runs.columns, last = columns - 1;
  j->words = 0;
  if (block->uniform || columns <= GV_WORD) return;
  uint64_t *bits = j->bits; /* of the cells that are to be compared with the next */
  memset(bits, block->alike != NULL ? 0 : -1, (size_t)(columns / GV_WORD + 2) * sizeof *bits);
  if (block->alike != NULL) {
    const uint8_t *alike = block->alike + r / GV_BOX_ROWS * gv_boxes_across(&j->tile) + from / GV_BOX_COLUMNS;
    for (int32_t c = 0, b = 0; c < columns; c += GV_BOX_COLUMNS, b++) {
      uint64_t inside = alike[b] != 0 ? 0 : (UINT64_C(1) << GV_BOX_COLUMNS) - 1;
      bits[c / GV_WORD] |= inside << c % GV_WORD;
      if (c == 0) continue;
      uint64_t edge = (alike[b] == 0) | (alike[b - 1] == 0) | (cells[c - 1] != cells[c]);
      bits[(c - 1) / GV_WORD] |= edge << (c - 1) % GV_WORD;
    }
  }
  bits[last / GV_WORD] &= (UINT64_C(1) << last % GV_WORD) - 1; /* the last cell has no next one */
  bits[last / GV_WORD + 1] = 0;
  for (int32_t c = 0; c < last;) {
    uint64_t here = bits[c / GV_WORD] >> c % GV_WORD;
    if (here == 0) {
      c = (c / GV_WORD + 1) * GV_WORD;
      continue;
    }
    c += __builtin_ctzll(here);
    /* The word's bits, from c on or as far to the left as the end of the row makes it. */
    int32_t at = c + GV_WORD < columns ? c : columns - 1 - GV_WORD, shift = c % GV_WORD;
    uint64_t mask = bits[c / GV_WORD] >> shift | (shift > 0 ? bits[c / GV_WORD + 1] << (GV_WORD - shift) : 0);
    j->word[j->words++] = (gv_word){mask << (c - at), at};
    c += GV_WORD;
  }
}

static gv_status add_panel(job *j, const gv_tile *panel, local *l) {
  const gv_statistics *s = j->s;
  const gv_statistics_block *block = j->block;
  int64_t from = panel->c0 - j->tile.c0, stride = block->uniform ? 0 : block->stride;
  const int32_t *column = s->column;
  if (s->row_share != NULL) column += panel->c0 * LANES;
  gv_status status = GV_OK;
  j->runs.columns = (int32_t)(panel->c1 - panel->c0);
  int64_t end = panel->r1 - j->tile.r0, boxes = -1;
  for (int64_t r = panel->r0 - j->tile.r0, rows; r < end && status == GV_OK; r += rows) {
    const int32_t *shown = block->seed + r * stride + (block->uniform ? 0 : from);
    int64_t below = (r / BATCH_ROWS + 1) * BATCH_ROWS;
    if (boxes != r / GV_BOX_ROWS) find_words(j, shown, from, r);
    boxes = r / GV_BOX_ROWS;
    prepare_row(j, r);
    rows = rows_prepared(j, r, (int32_t)((below < end ? below : end) - r));
    if (block->uniform) {
      for (int32_t i = 0; i <= rows; i++)
        j->runs.start[i] = i << GV_RUN_SHIFT;
      j->runs.count = (int32_t)rows;
    } else {
      s->kernels->find_runs(shown, stride, (int32_t)rows, j->word, j->words, &j->runs);
    }
    if (!find_indices(l, shown, stride, &j->runs)) return gv_fail_memory(j->context, "a block's statistics");
    if (column != NULL) {
      int64_t first = j->tile.r0 + r - (s->row_share != NULL ? 0 : panel->r0);
      s->kernels->add_runs(&j->runs, column, s->factor + first * LANES, l->sum, l->stride);
    } else {
      add_triangles(j, from, l);
    }
    bool each = s->distances;
    for (int32_t q = 0; q < s->sums; q++) {
      const quantity_row *row = &j->quantity[q];
      if (row->sum_of != NULL && row->good) {
        s->kernels->add_segments(&j->runs, row->segment, row->sum_of, from, l->sum + LANES + 2 * q, l->stride);
      } else {
        each = true;
      }
    }
    if (each) status = add_each(j, from, r, l);
  }
  return status;
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
  if (!job_make(&j)) status = gv_fail_memory(context, "a block's statistics");
  int64_t width = panel_width(s);
  for (int64_t r = j.tile.r0; r < j.tile.r1 && status == GV_OK; r += PANEL) {
    for (int64_t c = j.tile.c0; c < j.tile.c1 && status == GV_OK; c += width) {
      gv_tile panel = {c, c + width < j.tile.c1 ? c + width : j.tile.c1, r,
                       r + PANEL < j.tile.r1 ? r + PANEL : j.tile.r1};
      local l = {.s = s, .allocator = context->allocator};
      status = local_grow(&l) ? add_panel(&j, &panel, &l) : gv_fail_memory(context, "a block's statistics");
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
