/*
 * Answers that have to be the same on every processor, one line with a digest for each question: engine
 * `tile` on all kinds of grids, searches, measuring, the series of geodesics. Functions that need PROJ are
 * left out: it is not available where this runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact/globe_kernels.h"
#include "geodesic/series.h"
#include "gpuvoronoi/cells.h"
#include "gpuvoronoi/gpuvoronoi.h"
#include "grid_fill.h"
#include "split_mix.h"

enum { WIDTH = 70, HEIGHT = 45, CELLS = WIDTH * HEIGHT, SEEDS = 400, MOST = 12 };

static uint64_t state = 20;

static double uniform(double low, double high) {
  return low + (high - low) * (double)(split_mix(&state) >> 11) * 0x1p-53;
}

static void need(gv_status status, gv_context *context, const char *what) {
  if (status == GV_OK) return;
  fprintf(stderr, "%s: %s\n", what, gv_context_message(context));
  exit(1);
}

/* FNV-1a. */
static void digest(const char *what, const char *with, int number, const void *data, size_t bytes) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < bytes; i++)
    hash = (hash ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001b3);
  printf("%s %s %d %016llx\n", what, with, number, (unsigned long long)hash);
}

static double seed_x[SEEDS], seed_y[SEEDS], weights[SEEDS];
static int32_t labels[MOST * CELLS];
static double distances[CELLS];
static float azimuths[CELLS];

static void ask_grid(gv_context *context, const char *name, const gv_grid *grid,
                     const gv_voronoi_options *options, bool measure) {
  const gv_points seeds = gv_points_xy(seed_x, seed_y, SEEDS);
  gv_voronoi *voronoi = NULL;
  need(gv_voronoi_create(context, grid, &seeds, options, &voronoi), context, name);
  memset(labels, 0, sizeof labels);
  int64_t row = grid->kind == GV_GRID_QTM ? gv_qtm_count(grid->level) : grid->width;
  need(fill_grid(context, voronoi, labels, row), context, name);
  digest(name, gv_metric_name(options->metric), options->k, labels, sizeof labels);
  if (measure) {
    gv_measure m;
    gv_measure_init(&m);
    m.seed = labels;
    m.stride = m.out_stride = row;
    m.type = GV_FLOAT64;
    m.distance = distances;
    m.azimuth = azimuths;
    need(gv_voronoi_measure(context, voronoi, &m), context, name);
    digest(name, "distances", options->k, distances, sizeof distances);
    digest(name, "azimuths", options->k, azimuths, sizeof azimuths);
  }
  gv_voronoi_destroy(voronoi);
}

static void ask_all(gv_context *context, const char *name, const gv_grid *grid, gv_metric metric,
                    double distance, const double box[4]) {
  static const int32_t ks[] = {1, 2, 4, 7, MOST};
  for (int i = 0; i < SEEDS; i++) {
    seed_x[i] = uniform(box[0], box[1]);
    seed_y[i] = uniform(box[2], box[3]);
    weights[i] = uniform(1.0, 1.2);
  }
  for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
    for (int weighting = GV_UNWEIGHTED; weighting <= GV_POWER; weighting++) {
      if (weighting == GV_POWER && metric != GV_EUCLIDEAN && metric != GV_GREAT_CIRCLE) continue;
      gv_voronoi_options options;
      gv_voronoi_options_init(&options);
      options.backend = "tile";
      options.metric = metric;
      options.k = ks[i];
      options.weighting = weighting;
      options.weights = weighting != GV_UNWEIGHTED ? weights : NULL;
      ask_grid(context, name, grid, &options, ks[i] == 1 && weighting == GV_UNWEIGHTED);
      options.max_distance = distance;
      ask_grid(context, name, grid, &options, false);
    }
  }
}

static void ask_grids(gv_context *context) {
  gv_grid plane, turned, globe, mesh;
  gv_grid_init(&plane);
  gv_grid_init(&turned);
  gv_grid_init(&globe);
  gv_grid_init(&mesh);
  const double square[4] = {-35.0, 35.0, -25.0, 25.0}, whole[4] = {-180.0, 180.0, -90.0, 90.0};
  plane.width = turned.width = globe.width = WIDTH;
  plane.height = turned.height = globe.height = HEIGHT;
  memcpy(plane.geotransform, (double[6]){-35.0, 1.0, 0.0, 22.5, 0.0, -1.0}, sizeof plane.geotransform);
  memcpy(turned.geotransform, (double[6]){-35.0, 0.9, 0.2, 22.5, -0.25, -1.0}, sizeof turned.geotransform);
  memcpy(globe.geotransform, (double[6]){-180.0, 360.0 / WIDTH, 0.0, 90.0, 0.0, -180.0 / HEIGHT},
         sizeof globe.geotransform);
  globe.kind = GV_GRID_LONLAT;
  mesh.kind = GV_GRID_QTM;
  mesh.level = 4;
  for (int metric = GV_EUCLIDEAN; metric <= GV_CHEBYSHEV; metric++) {
    ask_all(context, "plane", &plane, metric, 1.5, square);
    ask_all(context, "turned", &turned, metric, 1.5, square);
  }
  ask_all(context, "globe", &globe, GV_GREAT_CIRCLE, 4e5, whole);
  ask_all(context, "mesh", &mesh, GV_GREAT_CIRCLE, 4e5, whole);
}

static void ask_searches(gv_context *context) {
  enum { POINTS = 3000, QUERIES = 100, MOST_DIM = 20, K = 5 };
  static double data[POINTS * MOST_DIM], found[QUERIES * K];
  static int64_t indices[QUERIES * K];
  static const char *const backends[] = {"serial", "openmp", "kdtree", "octree"};
  for (size_t i = 0; i < sizeof data / sizeof *data; i++)
    data[i] = uniform(0.0, 1.0);
  for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
    for (int metric = GV_EUCLIDEAN; metric <= GV_CHEBYSHEV; metric++) {
      for (int32_t dim = 2; dim <= MOST_DIM; dim += dim < 4 ? 1 : 8) {
        if (strcmp(backends[b], "octree") == 0 && dim > 3) continue;
        gv_points reference = gv_points_rows(data, POINTS, dim, GV_FLOAT64),
                  queries = gv_points_rows(data + 7, QUERIES, dim, GV_FLOAT64);
        gv_index_options options;
        gv_index_options_init(&options);
        gv_search_options search;
        gv_search_options_init(&search);
        gv_index *index = NULL;
        options.backend = backends[b];
        options.metric = metric;
        search.k = K;
        need(gv_index_build(context, &reference, &options, &index), context, backends[b]);
        need(gv_index_search(context, index, &queries, &search, indices, found), context, backends[b]);
        digest(backends[b], gv_metric_name(metric), dim, indices, sizeof indices);
        digest(backends[b], "distances", dim, found, sizeof found);
        gv_index_destroy(index);
      }
    }
  }
}

/* Enough pairs of unit vectors for the kernels of geodesics; lengths of open ones are ignored. */
static void ask_series(void) {
  enum { PAIRS = 4096 };
  static double lon[PAIRS], lat[PAIRS], place[3][PAIRS + 16], length[PAIRS + 16];
  const gv_ellipsoid ellipsoid = {6378137.0, 1.0 / 298.257223563,
                                  1.0 / 298.257223563 * (2.0 - 1.0 / 298.257223563)};
  gv_series series;
  gv_series_init(&ellipsoid, &series);
  for (int i = 0; i < PAIRS; i++) {
    lon[i] = uniform(-180.0, 180.0);
    lat[i] = uniform(-90.0, 90.0);
  }
  gv_globe_kernels_get()->vectors(-1.0, PAIRS, lon, lat, place[0], place[1], place[2]);
  digest("globe", "vectors", PAIRS, place, sizeof place);
  for (int i = 0; i < 3; i++) {
    const double cell[3] = {place[0][i], place[1][i], place[2][i]};
    gv_series_kernels_get()->geodesics_from(cell, &series, PAIRS, place[0], place[1], place[2], length);
    digest("series", "lengths", i, length, PAIRS * sizeof *length);
  }
}

int main(void) {
  gv_context *context = NULL;
  gv_context_options options;
  gv_context_options_init(&options);
  options.threads = 1;
  if (gv_context_create(&options, &context) != GV_OK) return 1;
  ask_grids(context);
  ask_searches(context);
  ask_series();
  gv_context_destroy(context);
  return 0;
}
