/*
 * gpuvoronoi-bench cost: travel cost, geodesic, over a raster from 85 degrees north to 60 south, a quarter of
 * which is land with rough friction; the rest are barriers. Seeds are centers of cells on land. Timed are the
 * search alone and its copies to and from a device.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "gpuvoronoi/cost.h"

static const double RADIANS = 3.14159265358979323846 / 180.0, NORTH = 85.0, SOUTH = -60.0;

typedef struct cost_world {
  gv_grid grid;
  double *friction, *x, *y; /* of cells; of seeds */
  int64_t seeds;
} cost_world;

typedef struct cost_engine {
  const cost_world *world;
  const char *backend;
} cost_engine;

static gv_status cost_make_row(void *user, gv_context *context, int thread, int64_t row) {
  const cost_world *w = user;
  const double lat = (NORTH + ((double)row + 0.5) * w->grid.geotransform[5]) * RADIANS;
  uint64_t state = (uint64_t)row;
  (void)context, (void)thread;
  for (int64_t i = 0; i < w->grid.width; i++) {
    const double lon = (-180.0 + ((double)i + 0.5) * w->grid.geotransform[1]) * RADIANS;
    const double height = (sin(3.0 * lon) + 0.5 * sin(7.0 * lon + 0.5)) * cos(2.3 * lat) +
                          0.3 * sin(41.0 * lon) * sin(37.0 * lat) + 0.2 * sin(173.0 * lon) * cos(131.0 * lat);
    const double rough =
        sqrt(-2.0 * log(1.0 - bench_uniform(&state))) * cos(360.0 * RADIANS * bench_uniform(&state));
    const double slow = 0.002 + 0.01 * fabs(sin(57.0 * lat) * sin(29.0 * lon));
    w->friction[row * w->grid.width + i] = height > 0.35 ? slow * exp(0.7 * rough) : (double)NAN;
  }
  return GV_OK;
}

static bool cost_has_land(const cost_world *w) {
  const int64_t cells = w->grid.width * w->grid.height;
  int64_t i = 0;
  while (i < cells && isnan(w->friction[i]))
    i++;
  return i < cells;
}

static void cost_make_seeds(cost_world *w, int64_t count) {
  uint64_t state = 42;
  const double *g = w->grid.geotransform;
  for (w->seeds = 0; w->seeds < count;) {
    const double column = floor(bench_uniform(&state) * (double)w->grid.width),
                 row = floor(bench_uniform(&state) * (double)w->grid.height);
    if (isnan(w->friction[(int64_t)row * w->grid.width + (int64_t)column])) continue;
    w->x[w->seeds] = g[0] + (column + 0.5) * g[1];
    w->y[w->seeds++] = g[3] + (row + 0.5) * g[5];
  }
}

static gv_status run_cost(bench *b, const bench_case *c, bench_sample *s) {
  const cost_engine *e = c->with;
  const cost_world *w = e->world;
  gv_cost *cost = NULL;
  gv_cost_options options;
  gv_cost_seeds seeds;
  gv_cost_options_init(&options);
  gv_cost_seeds_init(&seeds);
  options.backend = e->backend;
  options.metric = GV_GEODESIC;
  options.moves = b->moves;
  seeds.x = w->x;
  seeds.y = w->y;
  seeds.count = w->seeds;
  gv_status status = gv_cost_create(b->context, &w->grid, &options, &cost);
  if (status == GV_OK) status = gv_cost_set_rows(b->context, cost, 0, w->grid.height, w->friction, 0);
  bench_start(b, s);
  if (status == GV_OK) status = gv_cost_solve(b->context, cost, &seeds, NULL);
  bench_stop(b, s);
  const size_t bytes = (size_t)(w->grid.width * w->grid.height) * sizeof(int32_t);
  gv_cost_cells all;
  gv_cost_cells_init(&all);
  all.columns = w->grid.width;
  all.rows = w->grid.height;
  all.seed = malloc(bytes);
  if (status == GV_OK)
    status = all.seed != NULL ? gv_cost_get(b->context, cost, &all) : GV_ERROR_OUT_OF_MEMORY;
  if (status == GV_OK) s->result = bench_checksum(all.seed, bytes);
  free(all.seed);
  gv_cost_destroy(cost);
  return status;
}

bool bench_cost(bench *b) {
  cost_engine engines[BENCH_MOST_LIST];
  bench_case cases[BENCH_MOST_LIST];
  char group[128];
  const int count = b->count_of_backends > 0 ? b->count_of_backends : 1;
  const int64_t cells = b->size[0] * b->size[1], seeds = b->seeds[0];
  cost_world w = {.grid = bench_globe(b)};
  w.grid.geotransform[3] = NORTH;
  w.grid.geotransform[5] = (SOUTH - NORTH) / (double)b->size[1];
  w.friction = malloc((size_t)(cells + 2 * seeds) * sizeof *w.friction);
  bool good = w.friction != NULL || bench_fail("out of memory for the raster of friction");
  good = good && (bench_parallel(b, b->size[1], cost_make_row, &w) == GV_OK || bench_fail("out of memory"));
  good = good && (cost_has_land(&w) || bench_fail("cost: no land; use more cells (--size)"));
  if (good) {
    w.x = w.friction + cells;
    w.y = w.x + seeds;
    cost_make_seeds(&w, seeds);
  }
  for (int i = 0; i < count; i++) {
    engines[i] = (cost_engine){&w, b->count_of_backends > 0 ? b->backends[i] : "auto"};
    cases[i] = (bench_case){engines[i].backend, i > 0 ? 0 : -1, 1, (double)cells, run_cost, &engines[i]};
  }
  bench_name(b, gv_points_xy(w.x, w.y, seeds), group);
  if (good) good = bench_group(b, group, cases, count);
  free(w.friction);
  return good;
}
