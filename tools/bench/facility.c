/*
 * gpuvoronoi-bench facility: cost of options for nearest facilities in addition to the nearest seed,
 * preparing the seeds included, on a raster of the globe, block by block: each thread into its own buffer,
 * as for a file (a block of one result is not filled, a masked block not requested).
 *
 *   k = 4         four nearest seeds
 *   mask          70 % of the globe left out: what lies outside 30 caps
 *   max distance  caps around the seeds that cover 5 % of the globe
 *   statistics    cells, areas, centroids and the sum of a raster of half-degree pixels
 *   geod_inverse  PROJ's, from a million places, reported as if from every cell; ratio: how many times as
 *                 fast distances are
 */
#include <geodesic.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { SIDE = 512, PIXELS = 720, ROWS = PIXELS / 2, CAPS = 30, SAMPLE = 1000 };

typedef enum measured { NOTHING, DISTANCE, AZIMUTH } measured;

typedef struct facility_request {
  const char *name;
  int against, k;
  bool masked, limited, statistics;
  measured measured;
  gv_dtype type; /* of distances */
} facility_request;

static const facility_request queries[] = {
    {"allocation", -1, 1, false, false, false, NOTHING, GV_FLOAT64},
    {"k = 4", 0, 4, false, false, false, NOTHING, GV_FLOAT64},
    {"mask that hides 70 %", 0, 1, true, false, false, NOTHING, GV_FLOAT64},
    {"max distance that leaves 5 %", 0, 1, false, true, false, NOTHING, GV_FLOAT64},
    {"statistics", 0, 1, false, false, true, NOTHING, GV_FLOAT64},
    {"distances", 0, 1, false, false, false, DISTANCE, GV_FLOAT32},
    {"statistics with distances", 5, 1, false, false, true, DISTANCE, GV_FLOAT64},
    {"azimuths", 0, 1, false, false, false, AZIMUTH, GV_FLOAT32},
};

enum { QUERIES = sizeof queries / sizeof *queries };

/* A block of a thread. */
typedef struct thread_buffers {
  int32_t out[SIDE * SIDE]; /* bands of k = 4 have a quarter of the cells */
  uint8_t mask[SIDE * SIDE];
  double measured[SIDE * SIDE];
} thread_buffers;

/* What all cases of a metric share, and what the current one has. */
typedef struct world {
  gv_metric metric;
  gv_grid grid;
  gv_points seeds;
  uint8_t mask[ROWS * PIXELS]; /* of half-degree pixels */
  double counts[ROWS * PIXELS];
  thread_buffers *buffers; /* one a thread */
  const facility_request *q;
  gv_voronoi *voronoi;
  gv_statistics *statistics;
} world;

static world w;

static const double radian = 3.14159265358979323846 / 180.0;

/* Caps of n places cover a share p of the globe, overlaps counted once, when one covers 1 - (1 - p)^(1 / n):
 * their radius in radians. */
static double radius_that_covers(double share, int64_t n) {
  return acos(1.0 - 2.0 * (1.0 - pow(1.0 - share, 1.0 / (double)n)));
}

static void unit_vector(double lon, double lat, double v[3]) {
  v[0] = cos(lat * radian) * cos(lon * radian);
  v[1] = cos(lat * radian) * sin(lon * radian);
  v[2] = sin(lat * radian);
}

static void fill_world(void) {
  double caps[CAPS][3], v[3], near = cos(radius_that_covers(0.3, CAPS));
  uint64_t state = 3, places = 7;
  for (int i = 0; i < CAPS; i++) {
    double lon = 360.0 * bench_uniform(&places) - 180.0;
    unit_vector(lon, asin(2.0 * bench_uniform(&places) - 1.0) / radian, caps[i]);
  }
  for (int i = 0; i < ROWS * PIXELS; i++) {
    unit_vector(0.5 * (i % PIXELS + 0.5) - 180.0, 90.0 - 0.5 * (i / PIXELS + 0.5), v);
    for (int c = 0; c < CAPS; c++)
      w.mask[i] |= v[0] * caps[c][0] + v[1] * caps[c][1] + v[2] * caps[c][2] > near;
    w.counts[i] = 1e5 * bench_uniform(&state);
  }
}

/* ------------------------------------------------------------------------------------------------ a block */

/* Cells [first, end) of an axis of `cells`, in pixels of an axis of `pixels`. */
typedef struct facility_span {
  int64_t first, end, cells, pixels;
} facility_span;

static int64_t pixel_of(const facility_span *s, int64_t cell) {
  return cell * s->pixels / s->cells;
}

/* For each pixel of the span its first cell, counted from the span's; the number of pixels. */
static int32_t first_cells(const facility_span *s, int32_t *first) {
  int32_t n = 0;
  for (int64_t cell = s->first; cell < s->end; n++) {
    first[n] = (int32_t)(cell - s->first);
    cell = ((pixel_of(s, cell) + 1) * s->cells + s->pixels - 1) / s->pixels;
  }
  return n;
}

/* The mask of a block's cells, row by row. False if none counts; *all: all do, and nothing is written. */
static bool mask_of_block(const facility_span *x, const facility_span *y, uint8_t *out, bool *all) {
  int64_t last = -1;
  int kept = 0, pixels = 0;
  for (int64_t r = pixel_of(y, y->first); r <= pixel_of(y, y->end - 1); r++)
    for (int64_t c = pixel_of(x, x->first); c <= pixel_of(x, x->end - 1); c++, pixels++)
      kept += w.mask[r * PIXELS + c];
  *all = kept == pixels;
  for (int64_t r = y->first; r < y->end && kept > 0 && !*all; r++, out += SIDE) {
    if (pixel_of(y, r) == last) {
      memcpy(out, out - SIDE, (size_t)(x->end - x->first));
      continue;
    }
    last = pixel_of(y, r);
    for (int64_t c = x->first; c < x->end; c++)
      out[c - x->first] = w.mask[last * PIXELS + pixel_of(x, c)];
  }
  return kept > 0;
}

static gv_status add_block(gv_context *context, thread_buffers *d, const gv_labels *b, const facility_span *x,
                           const facility_span *y, int uniform) {
  int32_t first[SIDE], first_row[SIDE], columns = first_cells(x, first), rows = first_cells(y, first_row);
  const double *counts = w.counts + pixel_of(y, y->first) * PIXELS + pixel_of(x, x->first);
  gv_quantity quantity;
  gv_quantity_init(&quantity);
  quantity.value = counts;
  quantity.first = first;
  quantity.count = columns;
  quantity.stride = PIXELS;
  quantity.first_row = first_row;
  quantity.rows = rows;
  gv_statistics_cells block;
  gv_statistics_cells_init(&block);
  block.column = b->column;
  block.row = b->row;
  block.columns = b->columns;
  block.rows = b->rows;
  block.seed = b->out;
  block.stride = b->stride;
  block.distance = d->measured;
  block.distance_stride = SIDE;
  block.quantity = &quantity;
  block.uniform = uniform;
  return gv_statistics_add(context, w.statistics, &block);
}

static gv_status measure_block(gv_context *context, thread_buffers *d, const gv_labels *b) {
  gv_measure m;
  gv_measure_init(&m);
  m.column = b->column;
  m.row = b->row;
  m.columns = b->columns;
  m.rows = b->rows;
  m.seed = b->out;
  m.stride = b->stride;
  m.type = w.q->type;
  if (w.q->measured == DISTANCE) m.distance = d->measured;
  if (w.q->measured == AZIMUTH) m.azimuth = (float *)d->measured;
  m.out_stride = SIDE;
  return gv_voronoi_measure(context, w.voronoi, &m);
}

/* Blocks of several bands are smaller, as in the files that the command makes, so that they stay in a
 * cache. */
static int64_t bench_facility_side_of(void) {
  return w.q->k > 2 ? SIDE / 2 : SIDE;
}

static int64_t blocks_across(void) {
  return (w.grid.width + bench_facility_side_of() - 1) / bench_facility_side_of();
}

static gv_status one_block(void *user, gv_context *context, int thread, int64_t number) {
  thread_buffers *d = &w.buffers[thread];
  int64_t side = bench_facility_side_of(), across = blocks_across();
  int64_t left = number % across * side, top = number / across * side;
  facility_span x = {left, left + side < w.grid.width ? left + side : w.grid.width, w.grid.width, PIXELS};
  facility_span y = {top, top + side < w.grid.height ? top + side : w.grid.height, w.grid.height, ROWS};
  gv_labels b;
  gv_labels_init(&b);
  int uniform = 0;
  bool whole = true;
  (void)user;
  if (w.q->masked && !mask_of_block(&x, &y, d->mask, &whole)) return GV_OK;
  b.column = x.first;
  b.row = y.first;
  b.columns = x.end - x.first;
  b.rows = y.end - y.first;
  b.mask = whole ? NULL : d->mask;
  b.mask_stride = SIDE;
  b.out = d->out;
  b.stride = side;
  b.band_stride = side * side;
  gv_status status = gv_voronoi_fill(context, w.voronoi, &b, w.q->measured == NOTHING ? &uniform : NULL);
  if (status == GV_OK && w.q->measured != NOTHING) status = measure_block(context, d, &b);
  if (status == GV_OK && w.q->statistics) status = add_block(context, d, &b, &x, &y, uniform);
  return status;
}

static gv_status run_query(bench *b, const bench_case *c, bench_sample *s) {
  const double bound = 1e5;
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  gv_statistics_options how;
  gv_statistics_options_init(&how);
  w.q = c->with;
  options.backend = b->count_of_backends > 0 ? b->backends[0] : "auto";
  options.metric = w.metric;
  options.block_width = options.block_height = (int32_t)bench_facility_side_of();
  options.k = w.q->k;
  if (w.q->limited) options.max_distance = 6371008.8 * radius_that_covers(0.05, w.seeds.count);
  how.distances = w.q->measured == DISTANCE;
  how.sums = 1;
  how.bound = &bound;
  bench_start(b, s);
  gv_status status = gv_voronoi_create(b->context, &w.grid, &w.seeds, &options, &w.voronoi);
  if (status == GV_OK && w.q->statistics)
    status = gv_statistics_create(b->context, w.voronoi, &how, &w.statistics);
  if (status == GV_OK) {
    int64_t blocks =
        blocks_across() * ((w.grid.height + bench_facility_side_of() - 1) / bench_facility_side_of());
    status = bench_parallel(b, blocks, one_block, NULL);
  }
  gv_statistics_destroy(w.statistics);
  gv_voronoi_destroy(w.voronoi);
  w.statistics = NULL;
  w.voronoi = NULL;
  bench_stop(b, s);
  return status;
}

/* To places some 100 km away, as the nearest of 10,000 seeds are. */
static gv_status invert_row(void *user, gv_context *context, int thread, int64_t row) {
  struct geod_geodesic geod;
  double distance = 0.0, sum = 0.0, lat = 90.0 - ((double)row + 0.5) * 180.0 / SAMPLE;
  (void)user, (void)context, (void)thread;
  geod_init(&geod, 6378137.0, 1.0 / 298.257223563);
  for (int i = 0; i < SAMPLE; i++) {
    geod_inverse(&geod, lat, i * 360.0 / SAMPLE - 180.0, 0.99 * lat, i * 360.0 / SAMPLE - 179.2, &distance,
                 NULL, NULL);
    sum += distance;
  }
  return sum >= 0.0 ? GV_OK : GV_ERROR_INTERNAL; /* so that the compiler leaves nothing out */
}

static gv_status run_inverse(bench *b, const bench_case *c, bench_sample *s) {
  bench_start(b, s);
  gv_status status = bench_parallel(b, SAMPLE, invert_row, NULL);
  bench_stop(b, s);
  s->value[SECONDS] *= c->items / ((double)SAMPLE * SAMPLE);
  return status;
}

bool bench_facility(bench *b) {
  static const gv_metric metrics[] = {GV_GREAT_CIRCLE, GV_GEODESIC, GV_EUCLIDEAN};
  bench_case cases[QUERIES + 1];
  char name[128], group[160];
  double items = (double)b->size[0] * (double)b->size[1];
  if (b->size[0] < PIXELS || b->size[1] < ROWS)
    return bench_fail("--size: out of range, at least %d,%d", PIXELS, ROWS);
  for (int i = 0; i < QUERIES; i++)
    cases[i] = (bench_case){queries[i].name, queries[i].against, 0, items, run_query, &queries[i]};
  cases[QUERIES] = (bench_case){"geod_inverse", 5, 0, items, run_inverse, NULL};
  fill_world();
  w.grid = bench_globe(b);
  w.seeds = bench_seeds(b, b->seeds[0]);
  w.buffers = malloc((size_t)gv_context_threads(b->context) * sizeof *w.buffers);
  bool good = w.seeds.x != NULL && (w.buffers != NULL || bench_fail("out of memory"));
  bench_name(b, w.seeds, name);
  for (int m = 0; m < 3 && good; m++) {
    w.metric = metrics[m];
    if (b->metric != NULL ? strcmp(b->metric, gv_metric_name(w.metric)) != 0 : m == 2) continue;
    if (w.metric == GV_EUCLIDEAN) w.grid.kind = GV_GRID_PLANE;
    snprintf(group, sizeof group, "%s, %s", gv_metric_name(w.metric), name);
    good = bench_group(b, group, cases, QUERIES + 1);
  }
  free((void *)w.seeds.x);
  free(w.buffers);
  return good;
}
