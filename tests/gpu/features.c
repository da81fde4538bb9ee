/*
 * The nearest lines and polygons of points and of cells on the GPU against the CPU: the same bytes for every
 * surface and kind of edge, with points at vertices, on edges, at poles, antipodes and the antimeridian, with
 * features that are equally near, edges without length, holes and edges across the globe.
 */
#include "cmocka_test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "features/layer.h"
#include "search/backend.h"

enum { QUERIES = 20000, LAYERS = 4 };

static layer l;
static double x[QUERIES], y[QUERIES];
static float rounded[QUERIES * 2];

typedef struct setting {
  gv_metric metric;
  gv_edges edges;
  double far, near; /* maximum distances */
} setting;

static const setting settings[] = {{GV_EUCLIDEAN, GV_EDGES_STRAIGHT, 6.0, 0.25},
                                   {GV_GREAT_CIRCLE, GV_EDGES_GEODESIC, 3e6, 2e4},
                                   {GV_GREAT_CIRCLE, GV_EDGES_STRAIGHT, 3e6, 2e4},
                                   {GV_GEODESIC, GV_EDGES_GEODESIC, 3e6, 2e4},
                                   {GV_GEODESIC, GV_EDGES_STRAIGHT, 3e6, 2e4}};
enum { SETTINGS = sizeof settings / sizeof *settings };

static bool on_globe(const setting *s) {
  return s->metric != GV_EUCLIDEAN;
}

/* 0: random; 1: countries that share borders, twice; 2: a lattice of lines, each twice; 3: the seam, the
 * poles, long edges. */
static void make_layer(const setting *s, int which) {
  const double low[2] = {on_globe(s) ? -180.0 : 0.0, on_globe(s) ? -90.0 : 0.0},
               high[2] = {on_globe(s) ? 180.0 : 50.0, on_globe(s) ? 90.0 : 40.0};
  layer_clear(&l);
  if (which == 0) layer_random(&l, 300, low, high, on_globe(s) ? 40.0 : 9.0);
  if (which == 1) {
    layer_countries(&l, 12, 9, low, high);
    layer_countries(&l, 5, 4, low, high);
  }
  if (which == 2) {
    for (int i = 0; i < 120; i++) {
      const double lon = (double)(i % 12) * 4.0, lat = (double)(i / 12) * 4.0;
      const double line[3][2] = {{lon, lat}, {lon + 2.0, lat}, {lon + 2.0, lat + 2.0}},
                   none[2][2] = {{lon, lat}, {lon, lat}};
      layer_add(&l, GV_PART_LINE, line, 3);
      layer_add(&l, GV_PART_LINE, i % 2 == 0 ? line : none, i % 2 == 0 ? 3 : 2);
    }
  }
  if (which == 3 && !on_globe(s)) layer_random(&l, 12, low, high, 40.0);
  if (which == 3 && on_globe(s)) {
    const double cap[6][2] = {{-180, -90}, {180, -90}, {180, -80}, {0, -65}, {-180, -80}, {-180, -90}};
    const double over[2][2] = {{10, 80}, {-170, 80}}, wide[3][2] = {{170, 10}, {190, 20}, {200, -10}};
    const double west[5][2] = {{-180, 60}, {-170, 60}, {-170, 70}, {-180, 70}, {-180, 60}};
    const double east[5][2] = {{180, 60}, {170, 60}, {170, 70}, {180, 70}, {180, 60}};
    const double along[7][2] = {{-180, -86}, {-180, -90}, {-60, -90}, {60, -90},
                                {30, -90},   {180, -90},  {180, -84}};
    const double half[2][2] = {{20, 10}, {-160, -10}}, across[2][2] = {{-100, 30}, {60, -40}},
                 point[1][2] = {{5, 90}};
    layer_add(&l, GV_PART_POLYGON, cap, 6);
    layer_add(&l, GV_PART_LINE, over, 2);
    layer_add(&l, GV_PART_LINE, wide, 3);
    layer_add(&l, GV_PART_POLYGON, west, 5);
    layer_add(&l, GV_PART_POLYGON, east, 5);
    layer_add(&l, GV_PART_LINE, half, 2);
    layer_add(&l, GV_PART_LINE, across, 2);
    layer_add(&l, GV_PART_LINE, along, 7);
    layer_add(&l, GV_PART_POINTS, point, 1);
    layer_end_feature(&l); /* nothing */
  }
}

static void make_queries(const setting *s) {
  bool globe = on_globe(s);
  for (int i = 0; i < QUERIES; i++) {
    int64_t v = (int64_t)layer_uniform(0.0, (double)l.vertices - 1.0);
    double share = layer_uniform(0.0, 1.0);
    switch (i % 8) {
    case 0: /* a vertex */
      x[i] = l.x[v], y[i] = l.y[v];
      break;
    case 1: /* beside it */
      x[i] = l.x[v] + layer_uniform(-1e-3, 1e-3), y[i] = l.y[v] + layer_uniform(-1e-3, 1e-3);
      break;
    case 2: /* on an edge, or between two rings */
      x[i] = l.x[v] + share * (l.x[v + 1] - l.x[v]), y[i] = l.y[v] + share * (l.y[v + 1] - l.y[v]);
      break;
    case 3: /* a lattice: ties */
      x[i] = floor(layer_uniform(globe ? -180.0 : 0.0, globe ? 180.0 : 50.0));
      y[i] = floor(layer_uniform(globe ? -90.0 : 0.0, globe ? 90.0 : 40.0));
      break;
    case 4: /* the antipode of a vertex, or far outside */
      x[i] = globe ? l.x[v] + 180.0 : layer_uniform(-1e3, 1e6),
      y[i] = globe ? -l.y[v] : layer_uniform(-1e9, 1.0);
      break;
    case 5: /* the seam and the poles */
      x[i] = globe ? (i % 16 == 5 ? 180.0 : -540.0) : l.x[v], y[i] = layer_uniform(0.0, 40.0);
      if (globe && i % 24 == 5) y[i] = i % 48 == 5 ? 90.0 : -90.0;
      break;
    default:
      x[i] = layer_uniform(globe ? -180.0 : 0.0, globe ? 180.0 : 50.0);
      y[i] = layer_uniform(globe ? -90.0 : 0.0, globe ? 90.0 : 40.0);
    }
    if (globe) y[i] = fmin(90.0, fmax(-90.0, y[i]));
    rounded[2 * i] = (float)x[i];
    rounded[2 * i + 1] = (float)y[i];
  }
}

static gv_index *build(gv_context *context, const setting *s, bool boundary, const char *backend) {
  gv_features f = layer_features(&l, s->edges, boundary);
  gv_index_options o;
  gv_index_options_init(&o);
  o.metric = s->metric;
  o.backend = backend;
  gv_index *index = NULL;
  if (gv_index_build_features(context, &f, &o, &index) != GV_OK)
    fail_msg("%s: %s", backend, gv_context_message(context));
  return index;
}

static void compare(gv_context *context, const gv_index *cpu, const gv_index *gpu, const gv_points *queries,
                    double max_distance, bool measured, const char *what) {
  static int64_t expected[QUERIES], got[QUERIES];
  static double expected_far[QUERIES], far[QUERIES];
  gv_search_options o;
  gv_search_options_init(&o);
  o.max_distance = max_distance;
  memset(got, 0x55, sizeof got);
  memset(far, 0x55, sizeof far);
  assert_int_equal(gv_index_search(context, cpu, queries, &o, expected, measured ? expected_far : NULL),
                   GV_OK);
  if (gv_index_search(context, gpu, queries, &o, got, measured ? far : NULL) != GV_OK)
    fail_msg("%s: %s", what, gv_context_message(context));
  for (int64_t i = 0; i < queries->count; i++) {
    if (got[i] != expected[i])
      fail_msg("%s, query %lld at %.17g, %.17g: %lld, not %lld", what, (long long)i, x[i], y[i],
               (long long)got[i], (long long)expected[i]);
    if (measured && memcmp(&far[i], &expected_far[i], sizeof *far) != 0)
      fail_msg("%s, query %lld at %.17g, %.17g: %.17g, not %.17g", what, (long long)i, x[i], y[i], far[i],
               expected_far[i]);
  }
}

static void every_kind_of_edge(void **state) {
  gv_context *context = *state;
  for (int i = 0; i < SETTINGS * LAYERS * 2; i++) {
    const setting *s = &settings[i / (2 * LAYERS)];
    bool boundary = i % 2 != 0;
    char what[96];
    make_layer(s, i / 2 % LAYERS);
    make_queries(s);
    gv_index *cpu = build(context, s, boundary, "tile"), *gpu = build(context, s, boundary, "cuda-tile");
    assert_string_equal(gv_index_backend(gpu), "cuda-tile");
    snprintf(what, sizeof what, "%s, edges %d, layer %d%s", gv_metric_name(s->metric), (int)s->edges,
             i / 2 % LAYERS, boundary ? ", boundaries" : "");
    const gv_points columns = gv_points_xy(x, y, QUERIES),
                    rows = gv_points_rows(rounded, QUERIES, 2, GV_FLOAT32), one = gv_points_xy(x, y, 1);
    compare(context, cpu, gpu, &columns, INFINITY, false, what);
    compare(context, cpu, gpu, &columns, INFINITY, true, what);
    compare(context, cpu, gpu, &columns, s->far, false, what);
    compare(context, cpu, gpu, &columns, s->near, true, what);
    compare(context, cpu, gpu, &rows, s->near, false, what);
    compare(context, cpu, gpu, &one, 0.0, true, what);
    gv_index_destroy(cpu);
    gv_index_destroy(gpu);
  }
}

/* ------------------------------------------------------------------------------------------------ rasters */

enum { WIDTH = 240, HEIGHT = 130, CELLS = WIDTH * HEIGHT };

typedef struct raster {
  int32_t seed[CELLS];
  float distance[CELLS], signed_distance[CELLS];
  double exact[CELLS];
} raster;

static void measure(gv_context *context, const gv_voronoi *v, gv_measure *m, void *out, gv_dtype type) {
  m->distance = out;
  m->type = type;
  if (gv_voronoi_measure(context, v, m) != GV_OK) fail_msg("%s", gv_context_message(context));
}

static void solve(gv_context *context, const setting *s, bool boundary, double max_distance,
                  const char *backend, raster *out) {
  gv_features f = layer_features(&l, s->edges, boundary);
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = on_globe(s) ? GV_GRID_LONLAT : GV_GRID_PLANE;
  grid.width = WIDTH;
  grid.height = HEIGHT;
  const double globe[6] = {-180.0, 360.0 / WIDTH, 0, 90.0, 0, -180.0 / HEIGHT},
               plane[6] = {-5.0, 0.25, 0, 45.0, 0, -0.4};
  memcpy(grid.geotransform, on_globe(s) ? globe : plane, sizeof globe);
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  o.backend = backend;
  o.metric = s->metric;
  o.features = &f;
  o.max_distance = max_distance;
  o.block_width = o.block_height = 100;
  gv_voronoi *v = NULL;
  if (gv_voronoi_create(context, &grid, NULL, &o, &v) != GV_OK)
    fail_msg("%s: %s", backend, gv_context_message(context));
  gv_labels labels;
  gv_labels_init(&labels);
  labels.out = out->seed;
  labels.stride = WIDTH;
  if (gv_voronoi_fill(context, v, &labels, NULL) != GV_OK) fail_msg("%s", gv_context_message(context));
  gv_measure m;
  gv_measure_init(&m);
  m.seed = out->seed;
  m.stride = m.out_stride = WIDTH;
  measure(context, v, &m, out->distance, GV_FLOAT32);
  measure(context, v, &m, out->exact, GV_FLOAT64);
  m.signed_distance = 1;
  measure(context, v, &m, out->signed_distance, GV_FLOAT32);
  gv_voronoi_destroy(v);
}

static void rasters_have_the_same_bytes(void **state) {
  gv_context *context = *state;
  static raster expected, got;
  for (int i = 0; i < SETTINGS * LAYERS * 2; i++) {
    const setting *s = &settings[i / (2 * LAYERS)];
    bool boundary = i % 2 != 0;
    make_layer(s, i / 2 % LAYERS);
    memset(&got, 0x55, sizeof got);
    solve(context, s, boundary, boundary ? s->far : INFINITY, "tile", &expected);
    solve(context, s, boundary, boundary ? s->far : INFINITY, "cuda-tile", &got);
    for (int c = 0; c < CELLS; c++) {
      if (got.seed[c] == expected.seed[c] &&
          memcmp(&got.distance[c], &expected.distance[c], sizeof(float)) == 0 &&
          memcmp(&got.exact[c], &expected.exact[c], sizeof(double)) == 0 &&
          memcmp(&got.signed_distance[c], &expected.signed_distance[c], sizeof(float)) == 0)
        continue;
      fail_msg("%s, edges %d, layer %d, %d: cell %d: %d %.9g %.9g %.17g, not %d %.9g %.9g %.17g",
               gv_metric_name(s->metric), (int)s->edges, i / 2 % LAYERS, boundary, c, (int)got.seed[c],
               (double)got.distance[c], (double)got.signed_distance[c], got.exact[c], (int)expected.seed[c],
               (double)expected.distance[c], (double)expected.signed_distance[c], expected.exact[c]);
    }
  }
}

static void bad_queries_are_refused(void **state) {
  gv_context *context = *state;
  static int64_t found[QUERIES];
  make_layer(&settings[3], 0);
  make_queries(&settings[3]);
  gv_index *gpu = build(context, &settings[3], false, "cuda-tile");
  const gv_points all = gv_points_xy(x, y, QUERIES), none = gv_points_xy(x, y, 0);
  y[QUERIES - 5] = (double)NAN;
  assert_int_equal(gv_index_search(context, gpu, &all, NULL, found, NULL), GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(gv_context_message(context), "query 19995 (from 0)"));
  assert_int_equal(gv_index_search(context, gpu, &none, NULL, found, NULL), GV_OK);
  gv_index_destroy(gpu);
}

static int make_context(void **state) {
  return gv_context_create(NULL, (gv_context **)state) == GV_OK ? 0 : -1;
}

static int free_context(void **state) {
  gv_context_destroy(*state);
  return 0;
}

int main(void) {
  const char *reason = "";
  if (gv_backend_probe(gv_backend_find("cuda-tile"), &reason) != GV_OK) {
    printf("skipped: %s\n", reason);
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_of_edge),
      cmocka_unit_test(rasters_have_the_same_bytes),
      cmocka_unit_test(bad_queries_are_refused),
  };
  return cmocka_run_group_tests(tests, make_context, free_context);
}
