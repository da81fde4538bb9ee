/*
 * gpuvoronoi-bench coast: the nearest line or polygon of points and of cells of the globe, and its distance,
 * on CPUs and on a GPU. The coast is made of closed random curves, a few of the size of continents and many
 * small ones, with edges of some kilometers. Cases of one metric with different backends must return the same
 * bytes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "gpuvoronoi/geometries.h"

enum { RINGS = 1423, OCTAVES = 14, TRACK = 1000, MOST_CASES = 64 };

static const double TURN = 6.283185307179586, DEGREE = 57.29577951308232, WIDEST = 25.0 /* degrees */,
                    EDGE = 0.009 /* degrees */;

typedef enum coast_result {
  POINT_NUMBERS,
  POINT_DISTANCES,
  CELL_NUMBERS,
  CELL_DISTANCES,
  RESULTS
} coast_result;

typedef struct coast_world {
  int64_t part[RINGS + 1], vertex[RINGS + 1];
  uint8_t kind[RINGS];
  int64_t points;
  double *x, *y, *query;
  int32_t *number;
  float *distance;
  int64_t *found;
  double *exact;
} coast_world;

typedef struct coast_case {
  coast_world *world;
  coast_result result;
  bool polygons;
  gv_metric metric;
  const char *backend;
} coast_case;

/* ---------------------------------------------------------------------------------------------- the coast */

/* A repeated sequence of numbers of [-1, 1] that belongs to a ring. */
static double coast_noise(int ring, int octave, int64_t at) {
  uint64_t state = (uint64_t)ring * 1000003 + (uint64_t)octave * 7919 + (uint64_t)at * 104729 + 1;
  (void)bench_uniform(&state);
  return 2.0 * bench_uniform(&state) - 1.0;
}

/* The radius of a ring in a direction, as a share of its size: it stays clear of the poles. */
static double coast_radius(int ring, double share) {
  double radius = 1.0, height = 0.4;
  for (int octave = 2; octave < OCTAVES; octave++, height *= 0.55) {
    const int64_t steps = INT64_C(1) << octave;
    const double at = share * (double)steps, rest = at - floor(at);
    const int64_t step = (int64_t)floor(at);
    radius += height * ((1.0 - rest) * coast_noise(ring, octave, step % steps) +
                        rest * coast_noise(ring, octave, (step + 1) % steps));
  }
  return fmin(fmax(radius, 0.05), 1.8);
}

static double coast_size(int ring) {
  return WIDEST / pow((double)ring + 1.0, 0.75);
}

static int64_t coast_edges(int ring) {
  const int64_t edges = (int64_t)(TURN * coast_size(ring) * 1.2 / EDGE);
  return edges < 8 ? 8 : edges;
}

static bool coast_make(coast_world *w) {
  uint64_t state = 7;
  for (int i = 0; i < RINGS; i++) {
    w->part[i + 1] = i + 1;
    w->vertex[i + 1] = w->vertex[i] + coast_edges(i) + 1;
  }
  w->x = malloc((size_t)(2 * w->vertex[RINGS]) * sizeof *w->x);
  if (w->x == NULL) return bench_fail("out of memory for the coast");
  w->y = w->x + w->vertex[RINGS];
  for (int i = 0; i < RINGS; i++) {
    const int64_t edges = w->vertex[i + 1] - w->vertex[i] - 1;
    const double lon = 360.0 * bench_uniform(&state) - 180.0,
                 lat = (86.0 - 1.8 * coast_size(i)) * asin(2.0 * bench_uniform(&state) - 1.0) * 4.0 / TURN;
    for (int64_t n = 0; n <= edges; n++) {
      const double share = n < edges ? (double)n / (double)edges : 0.0;
      const double away = coast_size(i) * coast_radius(i, share) / DEGREE;
      const double north = sin(lat / DEGREE) * cos(away) + cos(lat / DEGREE) * sin(away) * cos(TURN * share);
      const double east = sin(away) * sin(TURN * share) * cos(lat / DEGREE);
      w->x[w->vertex[i] + n] = lon + DEGREE * atan2(east, cos(away) - sin(lat / DEGREE) * north);
      w->y[w->vertex[i] + n] = DEGREE * asin(north);
    }
  }
  return true;
}

/* Tracks of points some kilometers apart. */
static void coast_make_queries(double *query, int64_t count) {
  uint64_t state = 11;
  double lon = 0.0, lat = 0.0, course = 0.0;
  for (int64_t i = 0; i < count; i++) {
    if (i % TRACK == 0) {
      lon = 360.0 * bench_uniform(&state) - 180.0;
      lat = asin(2.0 * bench_uniform(&state) - 1.0) * DEGREE;
      course = TURN * bench_uniform(&state);
    }
    course += 0.1 * (bench_uniform(&state) - 0.5);
    lon += 0.02 * cos(course);
    lat = fmin(fmax(lat + 0.02 * sin(course), -90.0), 90.0);
    query[2 * i] = lon;
    query[2 * i + 1] = lat;
  }
}

/* ---------------------------------------------------------------------------------------------- the cases */

static gv_features coast_features(coast_world *w, const coast_case *c) {
  gv_features f;
  gv_features_init(&f);
  for (int i = 0; i < RINGS; i++)
    w->kind[i] = c->polygons ? GV_PART_POLYGON : GV_PART_LINE;
  f.count = RINGS;
  f.part = f.ring = w->part;
  f.vertex = w->vertex;
  f.kind = w->kind;
  f.x = w->x;
  f.y = w->y;
  f.edges = c->metric == GV_GREAT_CIRCLE ? GV_EDGES_GEODESIC : GV_EDGES_STRAIGHT;
  return f;
}

static gv_status coast_search(bench *b, const coast_case *c, const gv_features *f, bench_sample *s) {
  coast_world *w = c->world;
  const gv_points queries = gv_points_rows(w->query, w->points, 2, GV_FLOAT64);
  const bool measured = c->result == POINT_DISTANCES;
  gv_index *index = NULL;
  gv_index_options o;
  gv_index_options_init(&o);
  o.metric = c->metric;
  o.backend = c->backend;
  bench_start(b, s);
  gv_status status = gv_index_build_features(b->context, f, &o, &index);
  bench_stop(b, s);
  s->value[BUILD] = s->value[SECONDS];
  bench_start(b, s);
  if (status == GV_OK)
    status = gv_index_search(b->context, index, &queries, NULL, w->found, measured ? w->exact : NULL);
  bench_stop(b, s);
  if (status == GV_OK) s->result = bench_checksum(w->found, (size_t)w->points * sizeof *w->found);
  if (status == GV_OK && measured)
    s->result ^= bench_checksum(w->exact, (size_t)w->points * sizeof *w->exact);
  gv_index_destroy(index);
  return status;
}

static gv_status coast_raster(bench *b, const coast_case *c, const gv_features *f, bench_sample *s) {
  coast_world *w = c->world;
  const gv_grid grid = bench_globe(b);
  const size_t cells = (size_t)(b->size[0] * b->size[1]);
  gv_voronoi *voronoi = NULL;
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  o.metric = c->metric;
  o.backend = c->backend;
  o.features = f;
  gv_labels labels;
  gv_labels_init(&labels);
  labels.out = w->number;
  gv_measure m;
  gv_measure_init(&m);
  m.seed = w->number;
  m.distance = w->distance;
  m.type = GV_FLOAT32;
  bench_start(b, s);
  gv_status status = gv_voronoi_create(b->context, &grid, NULL, &o, &voronoi);
  bench_stop(b, s);
  s->value[BUILD] = s->value[SECONDS];
  if (status == GV_OK && c->result == CELL_DISTANCES)
    status = gv_voronoi_fill(b->context, voronoi, &labels, NULL);
  bench_start(b, s);
  if (status == GV_OK && c->result == CELL_NUMBERS)
    status = gv_voronoi_fill(b->context, voronoi, &labels, NULL);
  if (status == GV_OK && c->result == CELL_DISTANCES) status = gv_voronoi_measure(b->context, voronoi, &m);
  bench_stop(b, s);
  if (status == GV_OK && c->result == CELL_NUMBERS)
    s->result = bench_checksum(w->number, cells * sizeof *w->number);
  if (status == GV_OK && c->result == CELL_DISTANCES)
    s->result = bench_checksum(w->distance, cells * sizeof *w->distance);
  gv_voronoi_destroy(voronoi);
  return status;
}

static gv_status run_coast(bench *b, const bench_case *of, bench_sample *s) {
  const coast_case *c = of->with;
  const gv_features f = coast_features(c->world, c);
  return c->result <= POINT_DISTANCES ? coast_search(b, c, &f, s) : coast_raster(b, c, &f, s);
}

/* All results of one metric, of lines or polygons, by all backends. */
static bool coast_group(bench *b, coast_world *w, gv_metric metric, bool polygons) {
  static const char *const what[RESULTS] = {"points", "points, distances", "cells", "cells, distances"};
  static char *all[] = {"tile", "cuda-tile"};
  char **backends = b->count_of_backends > 0 ? b->backends : all, group[96], name[MOST_CASES][64];
  const int count = b->count_of_backends > 0 ? b->count_of_backends : 2;
  coast_case with[MOST_CASES];
  bench_case cases[MOST_CASES];
  int n = 0;
  snprintf(group, sizeof group, "%s of %lld edges, %s", polygons ? "polygons" : "lines",
           (long long)(w->vertex[RINGS] - RINGS), gv_metric_name(metric));
  for (int r = 0; r < RESULTS; r++) {
    for (int i = 0; i < count && n < MOST_CASES; i++, n++) {
      const double items = r <= POINT_DISTANCES ? (double)w->points : (double)b->size[0] * (double)b->size[1];
      with[n] = (coast_case){w, (coast_result)r, polygons, metric, backends[i]};
      snprintf(name[n], sizeof name[n], "%s, %s", what[r], backends[i]);
      cases[n] = (bench_case){name[n], i > 0 ? n - i : -1, r + 1, items, run_coast, &with[n]};
    }
  }
  return bench_group(b, group, cases, n);
}

bool bench_coast(bench *b) {
  static coast_world w;
  static const gv_metric metrics[] = {GV_GEODESIC, GV_GREAT_CIRCLE};
  const size_t cells = (size_t)(b->size[0] * b->size[1]);
  w.points = b->points > 0 ? b->points : 10000000;
  bool good = coast_make(&w);
  w.query = malloc(2 * (size_t)w.points * sizeof *w.query);
  w.found = malloc((size_t)w.points * sizeof *w.found);
  w.exact = malloc((size_t)w.points * sizeof *w.exact);
  w.number = malloc(cells * sizeof *w.number);
  w.distance = malloc(cells * sizeof *w.distance);
  if (w.query == NULL || w.found == NULL || w.exact == NULL || w.number == NULL || w.distance == NULL)
    good = bench_fail("out of memory for the results");
  if (good) coast_make_queries(w.query, w.points);
  for (int i = 0; i < 4 && good; i++) {
    if (b->metric == NULL || strcmp(b->metric, gv_metric_name(metrics[i / 2])) == 0)
      good = coast_group(b, &w, metrics[i / 2], i % 2 == 1);
  }
  free(w.x);
  free(w.query);
  free(w.found);
  free(w.exact);
  free(w.number);
  free(w.distance);
  return good;
}
