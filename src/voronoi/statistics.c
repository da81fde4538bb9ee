/*
 * Statistics of regions, summed in fixed point.
 *
 * Every term is turned into an integer before it is added, by a rule that looks at its cell only; integers add up to the
 * same in every order. Terms that are the same for all cells of a row (areas) or product of a row's and a column's factor
 * (the components of unit vectors on a lon/lat grid) are added for whole runs of cells of one seed: the first by
 * multiplying, the others by differences of a running sum over the columns. So without distances the cost is that of
 * looking for the ends of runs.
 *
 * A block is first summed by itself, over the few seeds that it has (a small hash table), and then added to the whole
 * under a lock.
 */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cells/area.h"
#include "voronoi/engine.h"

__extension__ typedef __int128 wide;

enum {
  TERM_BITS = 62,  /* single terms are below 2^62 */
  FACTOR_BITS = 40 /* and factors of products below 2^40: with runs of up to 2^13 cells, 2^93 a run */
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

/* What blocks hold for a seed. */
typedef struct labelled {
  int32_t label, seed;
} labelled;

struct gv_statistics {
  gv_allocator allocator;
  const gv_voronoi *voronoi;
  const gv_measure_kernels *kernels;
  bool distances;
  int32_t sums;
  double *bound;       /* of each quantity */
  double area_unit;    /* what area 1 stands for */
  double longest;      /* no distance is longer */
  int64_t *row_area;   /* LONLAT: of one cell, in units; NULL = 1 */
  double *row_share;   /* LONLAT: area of one cell as a fraction of the largest; NULL = 1 */
  int64_t *row_across; /* LONLAT: share x cosine and share x sine of the latitude */
  int64_t *row_up;
  uint64_t *cosines; /* LONLAT: running sums over the columns (width + 1), modulo 2^64 */
  uint64_t *sines;
  labelled *labels; /* by label; NULL when blocks hold seed numbers */
  pthread_mutex_t lock;
  totals *of_seed;
  sum *of_sum; /* seeds x sums */
};

/* ------------------------------------------------------------------------------------------------------ tables */

/* Truncation: x is non-negative or symmetric, and a bias of half a unit is far below what anybody sees. */
static inline int64_t fixed(double x, int bits) {
  return (int64_t)(x * (double)(INT64_C(1) << bits));
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
  s->row_area = gv_allocate(&s->allocator, h, sizeof *s->row_area);
  s->row_share = gv_allocate(&s->allocator, h, sizeof *s->row_share);
  s->row_across = gv_allocate(&s->allocator, h, sizeof *s->row_across);
  s->row_up = gv_allocate(&s->allocator, h, sizeof *s->row_up);
  s->cosines = gv_allocate(&s->allocator, w + 1, sizeof *s->cosines);
  s->sines = gv_allocate(&s->allocator, w + 1, sizeof *s->sines);
  gv_status status = GV_OK;
  if (angle == NULL || sine == NULL || cosine == NULL || s->row_area == NULL || s->row_share == NULL ||
      s->row_across == NULL || s->row_up == NULL || s->cosines == NULL || s->sines == NULL) {
    status = gv_fail_memory(context, "the statistics' tables");
    goto end;
  }
  double largest = 0.0;
  for (int64_t r = 0; r < h; r++) {
    gv_tile cell = {0, 1, r, r + 1};
    gv_cells_areas(cells, &cell, &s->row_share[r], 1);
    largest = s->row_share[r] > largest ? s->row_share[r] : largest;
    double lon = 0.0;
    angle[r] = centre(g[3], g[5], r);
    gv_normalise_lonlat(&lon, &angle[r]);
  }
  gv_sincos_degrees(h, angle, sine, cosine);
  s->area_unit = largest / (double)(INT64_C(1) << TERM_BITS);
  for (int64_t r = 0; r < h; r++) {
    s->row_share[r] /= largest;
    s->row_area[r] = fixed(s->row_share[r], TERM_BITS);
    s->row_across[r] = fixed(s->row_share[r] * cosine[r], FACTOR_BITS);
    s->row_up[r] = fixed(s->row_share[r] * sine[r], FACTOR_BITS);
  }
  for (int64_t c = 0; c < w; c++) {
    double lat = 0.0;
    angle[c] = centre(g[0], g[1], c);
    gv_normalise_lonlat(&angle[c], &lat);
  }
  gv_sincos_degrees(w, angle, sine, cosine);
  s->cosines[0] = s->sines[0] = 0;
  for (int64_t c = 0; c < w; c++) {
    s->cosines[c + 1] = s->cosines[c] + (uint64_t)fixed(cosine[c], FACTOR_BITS);
    s->sines[c + 1] = s->sines[c] + (uint64_t)fixed(sine[c], FACTOR_BITS);
  }
end:
  gv_release(&s->allocator, angle);
  gv_release(&s->allocator, sine);
  gv_release(&s->allocator, cosine);
  return status;
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

static int by_label(const void *a, const void *b) {
  const labelled *p = a, *q = b;
  return p->label < q->label ? -1 : p->label > q->label;
}

/* The way back from labels, if there are any. */
static gv_status find_labels(gv_context *context, gv_statistics *s) {
  const gv_voronoi *v = s->voronoi;
  bool any = false;
  for (int32_t i = 0; i < v->seeds.count && !any; i++)
    any = v->label[i] != v->seeds.number[i];
  if (!any) return GV_OK;
  s->labels = gv_allocate(&s->allocator, v->seeds.count, sizeof *s->labels);
  if (s->labels == NULL) return gv_fail_memory(context, "the seeds' statistics");
  for (int32_t i = 0; i < v->seeds.count; i++)
    s->labels[i] = (labelled){v->label[i], v->seeds.number[i]};
  qsort(s->labels, (size_t)v->seeds.count, sizeof *s->labels, by_label);
  for (int32_t i = 0; i < v->seeds.count; i++) {
    if (s->labels[i].label == v->nodata || (i > 0 && s->labels[i].label == s->labels[i - 1].label)) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "the label %d does not tell a seed",
                     (int)s->labels[i].label);
    }
  }
  return GV_OK;
}

/* The seed that blocks show as `value`; -1 if there is none. */
static int64_t seed_of(const gv_statistics *s, int32_t value) {
  if (s->labels == NULL) return value < s->voronoi->seeds.total ? value : -1;
  int64_t low = 0, high = s->voronoi->seeds.count;
  while (high - low > 1) {
    int64_t middle = (low + high) / 2;
    if (s->labels[middle].label <= value) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return s->labels[low].label == value ? s->labels[low].seed : -1;
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
  void *const parts[] = {s->bound,   s->row_area, s->row_share, s->row_across, s->row_up,
                         s->cosines, s->sines,    s->of_seed,   s->of_sum,     s->labels};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    gv_release(&allocator, parts[i]);
  pthread_mutex_destroy(&s->lock);
  gv_release(&allocator, s);
}

/* --------------------------------------------------------------------------------------------- sums of one block */

/* The seeds of one block: an open hash table of what the block shows into arrays. */
typedef struct local {
  const gv_statistics *s;
  gv_allocator allocator;
  int32_t *slot; /* index of the seed there, -1 = free */
  int64_t slots; /* a power of 2, more than twice the seeds */
  int32_t *seed;
  totals *of_seed;
  sum *of_sum;
  int32_t count, capacity;
} local;

static void local_free(local *l) {
  gv_release(&l->allocator, l->slot);
  gv_release(&l->allocator, l->seed);
  gv_release(&l->allocator, l->of_seed);
  gv_release(&l->allocator, l->of_sum);
}

static inline int64_t slot_of(const local *l, int32_t seed) {
  int64_t at = (int64_t)(((uint32_t)seed * UINT32_C(2654435769)) & (uint32_t)(l->slots - 1));
  while (l->slot[at] >= 0 && l->seed[l->slot[at]] != seed)
    at = (at + 1) & (l->slots - 1);
  return at;
}

static bool local_grow(local *l) {
  int32_t capacity = l->capacity > 0 ? 2 * l->capacity : 256;
  local bigger = *l;
  bigger.capacity = capacity;
  bigger.slots = 4 * (int64_t)capacity;
  bigger.slot = gv_allocate(&l->allocator, bigger.slots, sizeof *bigger.slot);
  bigger.seed = gv_allocate(&l->allocator, capacity, sizeof *bigger.seed);
  bigger.of_seed = gv_allocate_zeroed(&l->allocator, capacity, sizeof *bigger.of_seed);
  bigger.of_sum = gv_allocate_zeroed(&l->allocator, (int64_t)capacity * l->s->sums, sizeof *bigger.of_sum);
  if (bigger.slot == NULL || bigger.seed == NULL || bigger.of_seed == NULL || bigger.of_sum == NULL) {
    local_free(&bigger);
    return false;
  }
  memset(bigger.slot, -1, (size_t)bigger.slots * sizeof *bigger.slot);
  if (l->count > 0) {
    memcpy(bigger.seed, l->seed, (size_t)l->count * sizeof *l->seed);
    memcpy(bigger.of_seed, l->of_seed, (size_t)l->count * sizeof *l->of_seed);
    memcpy(bigger.of_sum, l->of_sum, (size_t)l->count * (size_t)l->s->sums * sizeof *l->of_sum);
    for (int32_t i = 0; i < l->count; i++)
      bigger.slot[slot_of(&bigger, l->seed[i])] = i;
  }
  local_free(l);
  *l = bigger;
  return true;
}

/* Index of a seed's sums; -1 when out of memory. */
static inline int32_t local_index(local *l, int32_t seed) {
  int64_t at = slot_of(l, seed);
  if (l->slot[at] >= 0) return l->slot[at];
  if (l->count == l->capacity) {
    if (!local_grow(l)) return -1;
    at = slot_of(l, seed);
  }
  l->seed[l->count] = seed;
  l->slot[at] = l->count;
  return l->count++;
}

static gv_status merge(gv_context *context, gv_statistics *s, const local *l) {
  for (int32_t i = 0; i < l->count; i++) {
    int64_t seed = seed_of(s, l->seed[i]);
    if (seed < 0) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "there is no seed %d", (int)l->seed[i]);
    l->seed[i] = (int32_t)seed;
  }
  pthread_mutex_lock(&s->lock);
  for (int32_t i = 0; i < l->count; i++) {
    totals *to = &s->of_seed[l->seed[i]];
    const totals *from = &l->of_seed[i];
    to->cells += from->cells;
    to->area += from->area;
    to->distance += from->distance;
    for (int d = 0; d < 3; d++)
      to->moment[d] += from->moment[d];
    if (from->farthest > to->farthest) to->farthest = from->farthest;
    for (int32_t q = 0; q < s->sums; q++) {
      s->of_sum[(int64_t)l->seed[i] * s->sums + q].value += l->of_sum[(int64_t)i * s->sums + q].value;
      s->of_sum[(int64_t)l->seed[i] * s->sums + q].distance += l->of_sum[(int64_t)i * s->sums + q].distance;
    }
  }
  pthread_mutex_unlock(&s->lock);
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------ adding a block */

/* A run of cells of one seed: columns [c0, c1) of row r, from the block's corner. */
typedef struct run {
  int64_t c0, c1, r;
} run;

/* Cells, area and moments of a run of a raster. */
static void add_run(const gv_statistics *s, const gv_tile *tile, const run *at, totals *to) {
  int64_t c0 = tile->c0 + at->c0, c1 = tile->c0 + at->c1, r = tile->r0 + at->r, n = c1 - c0;
  to->cells += n;
  if (s->row_area != NULL) {
    to->area += (wide)n * s->row_area[r];
    to->moment[0] += (wide)s->row_across[r] * (int64_t)(s->cosines[c1] - s->cosines[c0]);
    to->moment[1] += (wide)s->row_across[r] * (int64_t)(s->sines[c1] - s->sines[c0]);
    to->moment[2] += (wide)s->row_up[r] * (n << FACTOR_BITS);
  } else {
    to->area += n;
    to->moment[0] += (wide)(c0 + c1) * n;
    to->moment[1] += (wide)(2 * r + 1) * n;
  }
}

/* The same for triangles, which have neither rows nor columns. `mesh` holds their areas and unit vectors. */
static void add_triangles(const gv_statistics *s, const double *const mesh[4], const run *at, totals *to) {
  double scale = 1.0 / (s->area_unit * (double)(INT64_C(1) << TERM_BITS));
  to->cells += at->c1 - at->c0;
  for (int64_t c = at->c0; c < at->c1; c++) {
    double share = mesh[0][c] * scale;
    to->area += fixed(share, TERM_BITS);
    for (int d = 0; d < 3; d++)
      to->moment[d] += fixed(share * mesh[1 + d][c], TERM_BITS);
  }
}

static inline int32_t part_of(int64_t n) {
  return n < GV_EXACT_TERMS ? (int32_t)n : GV_EXACT_TERMS;
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

static gv_status add_distances(gv_context *context, const gv_statistics *s, const gv_tile *tile, const run *at,
                               const double *distance, const double *mesh_area, totals *to) {
  double scale = (double)(INT64_C(1) << TERM_BITS) / s->longest, farthest;
  if (s->row_share != NULL) scale *= s->row_share[tile->r0 + at->r];
  wide total = sum_distances(s, distance + at->c0, at->c1 - at->c0, scale, &farthest);
  if (farthest < 0.0) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "a cell has no distance from its seed, or one beyond %g",
                   s->longest);
  }
  if (farthest > to->farthest) to->farthest = farthest;
  if (mesh_area == NULL) {
    to->distance += total;
  } else {
    scale /= s->area_unit * (double)(INT64_C(1) << TERM_BITS);
    for (int64_t c = at->c0; c < at->c1; c++)
      to->distance += (int64_t)(distance[c] * (scale * mesh_area[c]));
  }
  return GV_OK;
}

/*
 * A quantity, prepared for a row of a block. Where values serve a segment of columns each, running sums, of which a run takes
 * two, wherever it ends. Rows often repeat the values of the row before.
 */
typedef struct quantity_row {
  int32_t *segment;  /* of each column, and of the end; NULL: a value a cell, and no sums */
  int64_t *term;     /* of a cell of each segment, in units */
  wide *before;      /* sum of the segments before */
  double *factor;    /* what each column's distance is multiplied by; NULL without distances */
  const double *row; /* the values that this was made of; NULL: nothing yet */
  bool good;         /* they are within the bound */
} quantity_row;

/* What adding a block needs besides its seeds' sums. */
typedef struct row_memory {
  int32_t *end;           /* of the runs of a row */
  quantity_row *quantity; /* one a sum */
} row_memory;

static void row_memory_free(gv_context *context, const gv_statistics *s, row_memory *m) {
  for (int32_t q = 0; q < s->sums && m->quantity != NULL; q++) {
    gv_release(&context->allocator, m->quantity[q].segment);
    gv_release(&context->allocator, m->quantity[q].term);
    gv_release(&context->allocator, m->quantity[q].before);
    gv_release(&context->allocator, m->quantity[q].factor);
  }
  gv_release(&context->allocator, m->end);
  gv_release(&context->allocator, m->quantity);
}

/* To be freed even if it fails. */
static bool row_memory_make(gv_context *context, const gv_statistics *s, const gv_quantity *quantity,
                            int64_t columns, row_memory *m) {
  m->end = gv_allocate(&context->allocator, columns, sizeof *m->end);
  m->quantity = gv_allocate_zeroed(&context->allocator, s->sums, sizeof *m->quantity);
  if (m->end == NULL || m->quantity == NULL) return false;
  for (int32_t q = 0; q < s->sums; q++) {
    const gv_quantity *from = &quantity[q];
    quantity_row *to = &m->quantity[q];
    if (s->distances) {
      to->factor = gv_allocate(&context->allocator, columns, sizeof *to->factor);
      if (to->factor == NULL) return false;
    }
    if (from->first == NULL) continue;
    to->segment = gv_allocate(&context->allocator, columns + 1, sizeof *to->segment);
    to->term = gv_allocate(&context->allocator, from->count, sizeof *to->term);
    to->before = gv_allocate(&context->allocator, from->count, sizeof *to->before);
    if (to->segment == NULL || to->term == NULL || to->before == NULL) return false;
    int32_t segment = 0;
    for (int64_t c = 0; c <= columns; c++) {
      while (segment + 1 < from->count && from->first[segment + 1] <= c)
        segment++;
      to->segment[c] = segment;
    }
  }
  return true;
}

static void prepare_quantity(const gv_statistics *s, double bound, const gv_quantity *q, const double *values,
                             int64_t columns, quantity_row *to) {
  double scale = (double)(INT64_C(1) << TERM_BITS) / bound, distance_scale = scale / s->longest;
  int64_t count = q->first != NULL ? q->count : columns;
  if (to->row != NULL && to->good && memcmp(to->row, values, (size_t)count * sizeof *values) == 0) return;
  to->row = values;
  to->good = true;
  for (int64_t i = 0; i < count; i++)
    to->good = to->good && fabs(values[i]) <= bound;
  for (int64_t c = 0; c < columns && to->factor != NULL; c++)
    to->factor[c] = values[q->first != NULL ? to->segment[c] : c] * distance_scale;
  if (q->first == NULL || !to->good) return;
  wide before = 0;
  for (int32_t i = 0; i < q->count; i++) {
    to->before[i] = before;
    to->term[i] = (int64_t)(values[i] * scale);
    if (i + 1 < q->count) before += (wide)to->term[i] * (q->first[i + 1] - q->first[i]);
  }
}

static inline wide sum_until(const quantity_row *row, const gv_quantity *q, int64_t c) {
  int32_t i = row->segment[c];
  return row->before[i] + (wide)row->term[i] * (c - q->first[i]);
}

/* One quantity over a run. */
static gv_status add_quantity(gv_context *context, const gv_statistics *s, int32_t number, const gv_quantity *q,
                              const quantity_row *row, const run *at, const double *distance, sum *to) {
  const double *values = q->value + at->r * q->stride;
  double bound = s->bound[number], scale = (double)(INT64_C(1) << TERM_BITS) / bound;
  if (row->good && q->first != NULL) {
    to->value += sum_until(row, q, at->c1) - sum_until(row, q, at->c0);
  } else {
    wide total = 0;
    for (int64_t c = at->c0; c < at->c1; c++) {
      double value = values[q->first != NULL ? row->segment[c] : c];
      if (!(fabs(value) <= bound)) {
        return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "quantity %d is not finite, or beyond its bound %g",
                       (int)number, bound);
      }
      total += (int64_t)(value * scale);
    }
    to->value += total;
  }
  if (distance != NULL) to->distance += sum_products(s, distance + at->c0, row->factor + at->c0, at->c1 - at->c0);
  return GV_OK;
}

/* Areas and unit vectors of the triangles of a block; to be freed by the first pointer. */
static gv_status triangles(gv_context *context, const gv_statistics *s, const gv_tile *tile, double *mesh[4]) {
  const gv_cells *cells = &s->voronoi->cells;
  int64_t n = tile->c1 - tile->c0;
  mesh[0] = gv_allocate(&s->allocator, 4 * n, sizeof **mesh);
  if (mesh[0] == NULL) return gv_fail_memory(context, "a block of triangles");
  for (int d = 1; d < 4; d++)
    mesh[d] = mesh[0] + d * n;
  gv_cells_areas(cells, tile, mesh[0], n);
  gv_mesh_number_positions(cells->tables, cells->grid.level, NULL, tile->c0, n, mesh[1], mesh[2], mesh[3], NULL,
                           NULL);
  return GV_OK;
}

static gv_status add_rows(gv_context *context, const gv_statistics *s, const gv_statistics_block *block,
                          const gv_tile *tile, const double *const mesh[4], row_memory *memory, local *l) {
  gv_status status = GV_OK;
  int64_t columns = tile->c1 - tile->c0, rows = tile->r1 - tile->r0;
  for (int64_t r = 0; r < rows && status == GV_OK; r++) {
    const int32_t *row = block->seed + r * block->stride;
    const double *distance = s->distances ? block->distance + r * block->distance_stride : NULL;
    for (int32_t q = 0; q < s->sums; q++) {
      const gv_quantity *quantity = &block->quantity[q];
      prepare_quantity(s, s->bound[q], quantity, quantity->value + r * quantity->stride, columns,
                       &memory->quantity[q]);
    }
    int32_t runs = s->kernels->run_ends(row, (int32_t)columns, memory->end);
    for (int32_t i = 0; i < runs && status == GV_OK; i++) {
      run at = {i > 0 ? memory->end[i - 1] : 0, memory->end[i], r};
      int32_t seed = row[at.c0];
      if (s->labels != NULL ? seed == s->voronoi->nodata : seed < 0) continue;
      int32_t index = local_index(l, seed);
      if (index < 0) return gv_fail_memory(context, "a block's statistics");
      if (mesh[0] != NULL) {
        add_triangles(s, mesh, &at, &l->of_seed[index]);
      } else {
        add_run(s, tile, &at, &l->of_seed[index]);
      }
      if (distance != NULL) status = add_distances(context, s, tile, &at, distance, mesh[0], &l->of_seed[index]);
      for (int32_t q = 0; q < s->sums && status == GV_OK; q++) {
        status = add_quantity(context, s, q, &block->quantity[q], &memory->quantity[q], &at, distance,
                              &l->of_sum[(int64_t)index * s->sums + q]);
      }
    }
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
  gv_tile tile = {0};
  gv_status status = gv_tile_of_block(context, v, b.column, b.row, &tile);
  if (status != GV_OK) return status;
  double *mesh[4] = {NULL, NULL, NULL, NULL};
  local l = {.s = s, .allocator = context->allocator};
  row_memory memory = {NULL, NULL};
  if (!row_memory_make(context, s, b.quantity, tile.c1 - tile.c0, &memory) || !local_grow(&l))
    status = gv_fail_memory(context, "a block's statistics");
  if (status == GV_OK && v->cells.grid.kind == GV_GRID_QTM) status = triangles(context, s, &tile, mesh);
  if (status == GV_OK) status = add_rows(context, s, &b, &tile, (const double *const *)mesh, &memory, &l);
  if (status == GV_OK) status = merge(context, s, &l);
  gv_release(&s->allocator, mesh[0]);
  row_memory_free(context, s, &memory);
  local_free(&l);
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
    double units = s->row_area != NULL || s->voronoi->cells.grid.kind == GV_GRID_QTM
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
