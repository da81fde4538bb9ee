/*
 * gpuvoronoi bench facility: what nearest-facility analysis costs on top of the plain allocation, as ratios to it within
 * each round, preparing the seeds included. All on a raster of the globe, computed block by block: each thread into a
 * buffer of its own, as for a file (a block of one answer is not filled, one that is left out not asked for), or with
 * --into array into one array, whose pages are touched, for all of it.
 *
 *   k = 4            four nearest seeds
 *   mask             70 % of the globe left out: what lies outside random caps, which are as many and as large as it takes
 *   max distance     caps around the seeds that cover 5 % of the globe
 *   statistics       cells, areas, centroids and the sum of a raster of counts with half-degree pixels
 *   with distances   those and distances, against the distances alone
 *   distances        of every cell, as a raster of float32
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "gpuvoronoi.h"
#include "io/parallel.h"

enum { MAX_RUNS = 101, SIDE = 512, PIXELS = 720, MOST_BANDS = 4 };

static const double pi = 3.14159265358979323846;

typedef struct settings {
  const char *backend, *only;
  int metric; /* -1 = both */
  int array;  /* 0 = a block a thread */
  int64_t width, height;
  int seeds, runs, threads;
} settings;

/* One way to run. */
typedef struct variant {
  const char *name, *reference;
  double most; /* of the ratio; 0 = not said */
  int k;
  bool masked, limited, statistics, distances, float_raster;
  int against; /* number of the variant that the ratio is to */
} variant;

static const variant variants[] = {
    {"allocation", "", 0.0, 1, false, false, false, false, false, -1},
    {"k = 4", "allocation", 3.5, 4, false, false, false, false, false, 0},
    {"mask that hides 70 %", "allocation", 0.6, 1, true, false, false, false, false, 0},
    {"max distance that leaves 5 %", "allocation", 0.4, 1, false, true, false, false, false, 0},
    {"statistics", "allocation", 1.6, 1, false, false, true, false, false, 0},
    {"distances", "allocation", 0.0, 1, false, false, false, false, true, 0},
    {"statistics with distances", "distances", 0.0, 1, false, false, true, true, false, 5},
};

enum { VARIANTS = sizeof variants / sizeof *variants };

/* What all variants share. */
typedef struct world {
  const settings *s;
  gv_metric metric;
  gv_grid grid;
  gv_seeds seeds;
  uint8_t *mask; /* PIXELS x PIXELS / 2 */
  double max_distance;
  double *counts; /* PIXELS x PIXELS / 2 */
  int32_t *out;   /* the whole raster; NULL = blocks */
} world;

/* What a thread has of its own. */
typedef struct desk {
  gv_context *context;
  int32_t *out; /* a block of all bands; NULL where there is an array */
  uint8_t *mask;
  double *distance, *values;
} desk;

/* ------------------------------------------------------------------------------------------------------ the world */

static void unit_vector(double lon, double lat, double v[3]) {
  v[0] = cos(lat) * cos(lon);
  v[1] = cos(lat) * sin(lon);
  v[2] = sin(lat);
}

/* The share of the globe within `reach` (a chord, squared) of any of the caps' middles, on a coarse lattice of the size of
 * `inside`, which is filled. */
static double cover(const double (*caps)[3], int count, double reach, int width, int height, uint8_t *inside) {
  double covered = 0.0, all = 0.0;
  for (int r = 0; r < height; r++) {
    double lat = (0.5 - ((double)r + 0.5) / height) * pi;
    for (int c = 0; c < width; c++) {
      double v[3];
      unit_vector(((double)c + 0.5) / width * 2.0 * pi - pi, lat, v);
      bool in = false;
      for (int i = 0; i < count && !in; i++) {
        double x = v[0] - caps[i][0], y = v[1] - caps[i][1], z = v[2] - caps[i][2];
        in = x * x + y * y + z * z < reach;
      }
      inside[r * width + c] = in;
      all += cos(lat);
      covered += in ? cos(lat) : 0.0;
    }
  }
  return covered / all;
}

/* Thirty caps of one size that leave 30 % of the globe. */
static bool make_mask(world *w) {
  enum { CAPS = 30 };
  double lon[CAPS], lat[CAPS], caps[CAPS][3], low = 0.0, high = 4.0;
  w->mask = malloc((size_t)PIXELS * PIXELS / 2);
  if (w->mask == NULL) return false;
  bench_seeds_on_globe(CAPS, 7, lon, lat);
  for (int i = 0; i < CAPS; i++)
    unit_vector(lon[i] * pi / 180.0, lat[i] * pi / 180.0, caps[i]);
  for (int step = 0; step < 12; step++) {
    double middle = 0.5 * (low + high);
    if (cover((const double(*)[3])caps, CAPS, middle, PIXELS, PIXELS / 2, w->mask) < 0.3) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return true;
}

/* Caps of n seeds cover a share p of the globe, overlaps counted once, when one covers 1 - (1 - p)^(1 / n). */
static double distance_that_leaves(double share, int64_t n) {
  double one = 1.0 - pow(1.0 - share, 1.0 / (double)n);
  return 6371008.8 * acos(1.0 - 2.0 * one);
}

/* -------------------------------------------------------------------------------------------------------- one run */

/* The first of n cells along one axis that begins in the pixel. */
static int64_t first_cell(int64_t pixel, int64_t n, int64_t pixels) {
  return (pixel * n + pixels - 1) / pixels;
}

/* The counts of a block: the value of its pixel's share for every cell, a span of columns a pixel. Grids whose pixels are
 * whole cells; others are close enough for timing. */
static void quantity_of(const world *w, int64_t x, int64_t y, int64_t columns, int64_t rows, int32_t *first,
                        int32_t *first_row, double *values, gv_quantity *out) {
  int32_t runs = 0, rows_of_pixels = 0;
  int64_t pixel_row = y * (PIXELS / 2) / w->grid.height, pixel = x * PIXELS / w->grid.width;
  double cells = (double)w->grid.width / PIXELS * (double)w->grid.height / (PIXELS / 2);
  for (int64_t c = x; c < x + columns; c = first_cell(pixel + runs, w->grid.width, PIXELS))
    first[runs++] = (int32_t)(c - x);
  for (int64_t r = y; r < y + rows; r = first_cell(pixel_row + rows_of_pixels, w->grid.height, PIXELS / 2)) {
    const double *from = w->counts + (pixel_row + rows_of_pixels) * PIXELS + pixel;
    for (int32_t i = 0; i < runs; i++)
      values[rows_of_pixels * runs + i] = from[i] / cells;
    first_row[rows_of_pixels++] = (int32_t)(r - y);
  }
  *out = (gv_quantity){values, first, runs, runs, first_row, rows_of_pixels};
}

/* Looks the mask up for the cells of a block; returns how many of its pixels count, of how many. Mixed ones are spread. */
static int mask_of_block(const world *w, int64_t x, int64_t y, int64_t columns, int64_t rows, uint8_t *out,
                         int *pixels) {
  int64_t c0 = x * PIXELS / w->grid.width, c1 = (x + columns - 1) * PIXELS / w->grid.width + 1;
  int64_t r0 = y * (PIXELS / 2) / w->grid.height, r1 = (y + rows - 1) * (PIXELS / 2) / w->grid.height + 1;
  int kept = 0;
  *pixels = (int)((c1 - c0) * (r1 - r0));
  for (int64_t r = r0; r < r1; r++) {
    for (int64_t c = c0; c < c1; c++)
      kept += w->mask[r * PIXELS + c];
  }
  if (kept == 0 || kept == *pixels) return kept;
  const uint8_t *last = NULL;
  int32_t pixel[SIDE];
  for (int64_t c = 0; c < columns; c++)
    pixel[c] = (int32_t)((x + c) * PIXELS / w->grid.width);
  for (int64_t r = 0; r < rows; r++) {
    const uint8_t *from = w->mask + (y + r) * (PIXELS / 2) / w->grid.height * PIXELS;
    uint8_t *to = out + r * SIDE;
    if (from == last) {
      memcpy(to, to - SIDE, (size_t)columns);
    } else {
      for (int64_t c = 0; c < columns; c++)
        to[c] = from[pixel[c]];
    }
    last = from;
  }
  return kept;
}

/* Blocks of several bands are smaller, as in the files that the command makes, so that they stay in a cache. */
static int64_t side_of(const variant *v) {
  return v->k > 2 ? SIDE / 2 : SIDE;
}

static gv_status one_block(const desk *d, const world *w, const variant *v, const gv_voronoi *voronoi,
                           gv_statistics *statistics, int64_t number) {
  int64_t across = gv_voronoi_blocks_across(voronoi), side = side_of(v);
  int64_t x = number % across * side, y = number / across * side;
  int64_t columns = w->grid.width - x < side ? w->grid.width - x : side;
  int64_t rows = w->grid.height - y < side ? w->grid.height - y : side;
  gv_block b = GV_BLOCK_INIT;
  b.column = number % across;
  b.row = number / across;
  if (v->masked) {
    int pixels, kept = mask_of_block(w, x, y, columns, rows, d->mask, &pixels);
    if (kept == 0 && d->out != NULL) return GV_OK; /* a tile of nodata needs no block */
    if (kept == 0) memset(d->mask, 0, (size_t)SIDE * SIDE);
    b.mask = kept < pixels ? d->mask : NULL;
    b.mask_stride = SIDE;
  }
  b.out = d->out != NULL ? d->out : w->out + y * w->grid.width + x;
  b.stride = d->out != NULL ? side : w->grid.width;
  b.band_stride = d->out != NULL ? side * side : w->grid.width * w->grid.height;
  /* What is the same in all cells is enough to know once, where nothing is asked of each. */
  int32_t uniform = 0;
  if (d->out != NULL && !v->distances && !v->float_raster) b.uniform = &uniform;
  gv_status status = gv_voronoi_fill(d->context, voronoi, &b);
  if (status == GV_OK && (v->distances || v->float_raster)) {
    gv_measure m = GV_MEASURE_INIT;
    m.column = b.column;
    m.row = b.row;
    m.seed = b.out;
    m.stride = b.stride;
    m.type = v->distances ? GV_FLOAT64 : GV_FLOAT32;
    m.distance = d->distance;
    m.out_stride = SIDE;
    status = gv_voronoi_measure(d->context, voronoi, &m);
  }
  if (status == GV_OK && statistics != NULL) {
    int32_t first[SIDE], first_row[SIDE];
    gv_quantity quantity;
    quantity_of(w, x, y, columns, rows, first, first_row, d->values, &quantity);
    gv_statistics_block block = GV_STATISTICS_BLOCK_INIT;
    block.column = b.column;
    block.row = b.row;
    block.seed = b.out;
    block.stride = b.stride;
    block.distance = d->distance;
    block.distance_stride = SIDE;
    block.quantity = &quantity;
    block.uniform = uniform;
    status = gv_statistics_add(d->context, statistics, &block);
  }
  return status;
}

static bool make_desk(const world *w, desk *d) {
  size_t cells = (size_t)SIDE * SIDE;
  memset(d, 0, sizeof *d);
  if (w->out == NULL) d->out = aligned_alloc(64, cells * MOST_BANDS * sizeof *d->out);
  d->mask = malloc(cells);
  d->distance = malloc(cells * sizeof *d->distance);
  d->values = malloc(cells * sizeof *d->values);
  return gv_context_create(NULL, &d->context) == GV_OK && (w->out != NULL || d->out != NULL) && d->mask != NULL &&
         d->distance != NULL && d->values != NULL;
}

static void free_desk(desk *d) {
  gv_context_destroy(d->context);
  free(d->out);
  free(d->mask);
  free(d->distance);
  free(d->values);
}

/* Blocks being worked on. */
typedef struct working {
  const world *w;
  const variant *v;
  const gv_voronoi *voronoi;
  gv_statistics *statistics;
  desk *desks; /* one a worker */
} working;

static gv_status some_blocks(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  const working *all = user;
  const desk *d = &all->desks[worker];
  gv_status status = GV_OK;
  for (int64_t i = first; i < end && status == GV_OK; i++)
    status = one_block(d, all->w, all->v, all->voronoi, all->statistics, i);
  return gv_io_pass_on_library(io, d->context, status);
}

static gv_status run_variant(gv_context *context, const world *w, const variant *v) {
  gv_voronoi_options options = GV_VORONOI_OPTIONS_INIT;
  gv_statistics_options how = GV_STATISTICS_OPTIONS_INIT;
  gv_voronoi *voronoi = NULL;
  gv_statistics *statistics = NULL;
  double bound = 1e6;
  options.backend = w->s->backend;
  options.metric = w->metric;
  options.block_width = options.block_height = (int32_t)side_of(v);
  options.k = v->k;
  if (v->limited) options.max_distance = w->max_distance;
  how.distances = v->distances;
  how.sums = 1;
  how.bound = &bound;
  gv_status status = gv_voronoi_create(context, &w->grid, &w->seeds, &options, &voronoi);
  if (status == GV_OK && v->statistics) status = gv_statistics_create(context, voronoi, &how, &statistics);
  int64_t blocks = status == GV_OK ? gv_voronoi_blocks_across(voronoi) * gv_voronoi_blocks_down(voronoi) : 0;
  int threads = gv_context_threads(context);
  gv_io io = {.cancelled = NULL};
  working all = {w, v, voronoi, statistics, calloc((size_t)threads, sizeof *all.desks)};
  gv_io_loop loop = {.threads = threads, .count = blocks, .grain = 1, .user = &all};
  if (status == GV_OK && all.desks == NULL) status = GV_ERROR_OUT_OF_MEMORY;
  for (int i = 0; i < threads && status == GV_OK; i++)
    if (!make_desk(w, &all.desks[i])) status = GV_ERROR_OUT_OF_MEMORY;
  if (status == GV_OK) status = gv_io_parallel_for(&io, &loop, some_blocks);
  for (int i = 0; i < threads && all.desks != NULL; i++)
    free_desk(&all.desks[i]);
  free(all.desks);
  gv_statistics_destroy(statistics);
  gv_voronoi_destroy(voronoi);
  return status;
}

/* ------------------------------------------------------------------------------------------------------- the table */

static bool named(const settings *s, int i) {
  for (int other = 0; other < VARIANTS; other++)
    if (strcmp(variants[other].name, s->only) == 0) return other == i;
  return strstr(variants[i].name, s->only) != NULL;
}

static bool wanted(const settings *s, int i) {
  if (s->only == NULL || named(s, i)) return true;
  for (int other = 0; other < VARIANTS; other++)
    if (variants[other].against == i && named(s, other)) return true;
  return false;
}

static void print_rows(const world *w, double time[VARIANTS][MAX_RUNS]) {
  int runs = w->s->runs;
  double cells = (double)w->grid.width * (double)w->grid.height;
  for (int i = 0; i < VARIANTS; i++) {
    const variant *v = &variants[i];
    if (!wanted(w->s, i)) continue;
    double ratios[MAX_RUNS], seconds[MAX_RUNS];
    for (int run = 0; run < runs; run++) {
      seconds[run] = time[i][run];
      if (v->against >= 0) ratios[run] = time[i][run] / time[v->against][run];
    }
    bench_summary t = bench_summarise(seconds, runs);
    printf("%-13s %-30s %9.4f %9.4f %9.4f %9.1f", gv_metric_name(w->metric), v->name, t.median, t.least, t.most,
           cells / t.median / 1e6);
    if (v->against >= 0) printf("  %7.2f  %s", bench_summarise(ratios, runs).median, v->reference);
    if (v->most > 0.0) printf(" (at most %.1f)", v->most);
    printf("\n");
  }
  fflush(stdout);
}

static int bench_metric(const settings *s, gv_context *context, gv_metric metric) {
  world w = {.s = s, .metric = metric, .grid = GV_GRID_INIT};
  double geotransform[6] = {-180.0, 360.0 / (double)s->width, 0.0, 90.0, 0.0, -180.0 / (double)s->height};
  double time[VARIANTS][MAX_RUNS];
  size_t count = (size_t)s->seeds, cells = (size_t)(s->width * s->height);
  double *lon = malloc(count * sizeof *lon), *lat = malloc(count * sizeof *lat);
  int result = EXIT_OK;
  uint64_t state = 3;
  w.grid.kind = GV_GRID_LONLAT;
  w.grid.width = s->width;
  w.grid.height = s->height;
  memcpy(w.grid.geotransform, geotransform, sizeof geotransform);
  w.max_distance = distance_that_leaves(0.05, s->seeds);
  w.counts = malloc((size_t)PIXELS * PIXELS / 2 * sizeof *w.counts);
  if (s->array) w.out = malloc(cells * MOST_BANDS * sizeof *w.out);
  if (lon == NULL || lat == NULL || w.counts == NULL || (s->array && w.out == NULL) || !make_mask(&w)) {
    result = cli_fail(EXIT_ERROR, "bench: out of memory for the raster");
    goto done;
  }
  bench_seeds_on_globe(s->seeds, 42, lon, lat);
  w.seeds = (gv_seeds){lon, lat, s->seeds};
  for (int i = 0; i < PIXELS * PIXELS / 2; i++)
    w.counts[i] = 1e5 * bench_uniform(&state);
  if (s->array) memset(w.out, 1, cells * MOST_BANDS * sizeof *w.out);
  for (int run = -1; run < s->runs; run++) {
    for (int i = 0; i < VARIANTS; i++) {
      if (!wanted(s, i)) continue;
      double start = bench_now();
      gv_status status = run_variant(context, &w, &variants[i]);
      if (status != GV_OK) {
        result = cli_fail(EXIT_ERROR, "bench: %s: %s %s", variants[i].name, gv_status_name(status),
                          gv_context_message(context));
        goto done;
      }
      time[i][run < 0 ? 0 : run] = bench_now() - start;
    }
  }
  print_rows(&w, time);
done:
  free(lon);
  free(lat);
  free(w.counts);
  free(w.out);
  free(w.mask);
  return result;
}

static gv_status set_size(gv_io *io, void *to, const char *value) {
  settings *s = to;
  return bench_read_size(io, value, PIXELS, PIXELS / 2, 1 << 20, &s->width, &s->height);
}

static const gv_choice metrics[] = {{"great-circle", GV_GREAT_CIRCLE}, {"geodesic", GV_GEODESIC}, {NULL, 0}};
static const gv_choice places[] = {{"block", 0}, {"array", 1}, {NULL, 0}};

static const gv_option table[] = {
    {"size", "W,H", "cells of the globe's raster (default: 21600,10800)", GV_OPTION_BY(set_size)},
    {"seeds", "N", "number of seeds (default: 10000)", GV_OPTION_RANGE(seeds, 1, INT32_MAX)},
    {"metric", "NAME", "great-circle or geodesic (default: both)", GV_OPTION_ONE_OF(metric, metrics)},
    {"backend", "NAME", "engine to time (default: auto)", GV_OPTION_INTO(backend)},
    {"into", "PLACE", "block: a buffer a thread (default); array: one for the whole raster",
     GV_OPTION_ONE_OF(array, places)},
    {"case", "TEXT", "only the case of that name, or those with TEXT in theirs, and what they are compared with",
     GV_OPTION_INTO(only)},
    {"runs", "N", "rounds after one to warm up (default: 5)", GV_OPTION_RANGE(runs, 1, MAX_RUNS)},
    GV_OPTION_THREADS_ROW(threads),
    GV_OPTION_HELP_ROW,
};

const cli_syntax bench_facility_syntax = {
    .name = "bench facility", .usage = "Usage: gpuvoronoi bench facility [options]\n", CLI_ROWS(table)};

int bench_facility_command(int argc, char **argv) {
  settings s = {.backend = "auto", .metric = -1, .width = 21600, .height = 10800, .seeds = 10000, .runs = 5};
  int result = cli_parse(&bench_facility_syntax, &s, argc, argv);
  if (result != EXIT_OK) return result == CLI_DONE ? EXIT_OK : result;
  gv_context_options how = GV_CONTEXT_OPTIONS_INIT;
  gv_context *context = NULL;
  how.threads = s.threads;
  if (gv_context_create(&how, &context) != GV_OK) return cli_fail(EXIT_ERROR, "bench: out of memory");
  printf("%-13s %-30s %9s %9s %9s %9s  %7s  %s\n", "metric", "case", "median s", "least s", "most s", "Mcell/s",
         "ratio", "to");
  for (int i = 0; i < 2 && result == EXIT_OK; i++) {
    if (s.metric < 0 || s.metric == metrics[i].value)
      result = bench_metric(&s, context, (gv_metric)metrics[i].value);
  }
  gv_context_destroy(context);
  return result;
}
