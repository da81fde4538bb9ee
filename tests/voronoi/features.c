/* Lines and polygons: every engine returns the bytes of `serial`, which compares every edge with every
 * cell. */
#include "cmocka_test.h"
#include "gpuvoronoi/cells.h"
#include "gpuvoronoi/geometries.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "features/layer.h"
#include "search/cuda_module.h"

enum { WIDTH = 11, HEIGHT = 7, CELLS = WIDTH * HEIGHT, MOST_K = 5 };

static layer l; /* large */

typedef struct setting {
  const char *name;
  gv_grid_kind kind;
  double geotransform[6];
  gv_metric metric;
  gv_edges edges;
  int level;
} setting;

static int keep(double *x, double *y, int64_t n, void *user) {
  (void)user;
  for (int64_t i = 0; i < n; i++)
    if (fmod(floor(x[i]), 7.0) == 3.0 || fabs(y[i]) > 90.0) x[i] = y[i] = HUGE_VAL;
  return 0;
}

#define GLOBE                                                                                                \
  { -180.0, 360.0 / WIDTH, 0.0, 90.0, 0.0, -180.0 / HEIGHT }
#define NODES                                                                                                \
  {                                                                                                          \
    -180.0 - 180.0 / (WIDTH - 1), 360.0 / (WIDTH - 1), 0.0, 90.0 + 90.0 / (HEIGHT - 1), 0.0,                 \
        -180.0 / (HEIGHT - 1)                                                                                \
  }
#define PIECE                                                                                                \
  { 170.0, 1.0, 0.0, 70.0, 0.0, -0.5 }
#define PLANE                                                                                                \
  { 0.0, 1.0, 0.0, 16.0, 0.0, -1.0 }

static const setting settings[] = {
    {"plane", GV_GRID_PLANE, PLANE, GV_EUCLIDEAN, GV_EDGES_STRAIGHT, GV_QTM_NONE},
    {"plane, manhattan", GV_GRID_PLANE, PLANE, GV_MANHATTAN, GV_EDGES_STRAIGHT, GV_QTM_NONE},
    {"plane, chebyshev", GV_GRID_PLANE, PLANE, GV_CHEBYSHEV, GV_EDGES_STRAIGHT, GV_QTM_NONE},
    {"rotated plane",
     GV_GRID_PLANE,
     {0.0, 0.9, 0.3, 1.0, -0.2, 1.1},
     GV_EUCLIDEAN,
     GV_EDGES_STRAIGHT,
     GV_QTM_NONE},
    {"globe", GV_GRID_LONLAT, GLOBE, GV_GEODESIC, GV_EDGES_STRAIGHT, GV_QTM_NONE},
    {"globe, nodes", GV_GRID_LONLAT, NODES, GV_GEODESIC, GV_EDGES_STRAIGHT, GV_QTM_NONE},
    {"globe, geodesics", GV_GRID_LONLAT, NODES, GV_GEODESIC, GV_EDGES_GEODESIC, GV_QTM_NONE},
    {"piece", GV_GRID_LONLAT, PIECE, GV_GEODESIC, GV_EDGES_STRAIGHT, GV_QTM_NONE},
    {"piece, geodesics", GV_GRID_LONLAT, PIECE, GV_GEODESIC, GV_EDGES_GEODESIC, GV_QTM_NONE},
    {"sphere", GV_GRID_LONLAT, GLOBE, GV_GREAT_CIRCLE, GV_EDGES_STRAIGHT, GV_QTM_NONE},
    {"sphere, arcs", GV_GRID_LONLAT, NODES, GV_GREAT_CIRCLE, GV_EDGES_GEODESIC, GV_QTM_NONE},
    {"projected", GV_GRID_PROJECTED, PIECE, GV_GEODESIC, GV_EDGES_STRAIGHT, GV_QTM_NONE},
    {"mesh", GV_GRID_QTM, PLANE, GV_GEODESIC, GV_EDGES_GEODESIC, 1},
    {"mesh, sphere", GV_GRID_QTM, PLANE, GV_GREAT_CIRCLE, GV_EDGES_STRAIGHT, 1},
    {"raster of triangles", GV_GRID_LONLAT, GLOBE, GV_GEODESIC, GV_EDGES_STRAIGHT, 4},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static bool on_plane(const setting *s) {
  return s->kind == GV_GRID_PLANE;
}

/* The layers: 0 random, 1 countries, 2 a lattice, 3 around the poles and the antimeridian. */
static void make_layer(const setting *s, int which) {
  bool plane = on_plane(s), piece = s->geotransform[0] == 170.0;
  const double low[2] = {plane ? 1.0 : piece ? 172.0 : -180.0, plane ? 1.0 : piece ? 62.0 : -90.0};
  const double high[2] = {plane ? 20.0 : piece ? 192.0 : 180.0, plane ? 15.0 : piece ? 70.0 : 90.0};
  double size = plane ? 6.0 : piece ? 5.0 : 40.0;
  layer_clear(&l);
  if (which == 0) {
    layer_random(&l, 12, low, high, size);
  } else if (which == 1) {
    const double in[2] = {low[0] + size / 4, low[1] + size / 4},
                 out[2] = {high[0] - size / 4, high[1] - size / 4};
    layer_countries(&l, 3, 2, in, out);
    layer_countries(&l, 2, 2, in, out); /* overlap */
  } else if (which == 2) {
    for (int i = 0; i < 6; i++) {
      const double line[3][2] = {{floor(low[0]) + 3 * i, low[1]},
                                 {floor(low[0]) + 3 * i, high[1] - i},
                                 {floor(low[0]) + 3 * i + 2, high[1] - i}};
      layer_add(&l, GV_PART_LINE, line, 3);
      layer_add(&l, GV_PART_LINE, line, 3); /* the same once more */
    }
    layer_box(&l, low[0] + 2.0, low[1] + 2.0, low[0] + 6.0, low[1] + 5.0);
    layer_end_feature(&l); /* nothing */
  } else {
    const double cap[6][2] = {{-180, -90}, {180, -90}, {180, -80}, {0, -65}, {-180, -80}, {-180, -90}};
    const double over[2][2] = {{10, 80}, {-170, 80}}, wide[3][2] = {{170, 10}, {190, 20}, {200, -10}};
    const double west[5][2] = {{-180, 60}, {-170, 60}, {-170, 70}, {-180, 70}, {-180, 60}};
    const double east[5][2] = {{180, 60}, {170, 60}, {170, 70}, {180, 70}, {180, 60}};
    const double half[2][2] = {{20, 10}, {-160, -10}}, tiny[2][2] = {{1, 1}, {1 + 1e-9, 1}};
    const double point[1][2] = {{5, 90}}, far[4][2] = {{350, 5}, {370, 5}, {370, 15}, {350, 5}};
    layer_add(&l, GV_PART_POLYGON, cap, 6);
    layer_add(&l, GV_PART_LINE, over, 2);
    layer_add(&l, GV_PART_LINE, wide, 3);
    layer_add(&l, GV_PART_POLYGON, west, 5);
    layer_add(&l, GV_PART_POLYGON, east, 5);
    layer_add(&l, GV_PART_LINE, half, 2);
    layer_add(&l, GV_PART_LINE, tiny, 2);
    layer_add(&l, GV_PART_POINTS, point, 1);
    layer_add(&l, GV_PART_POLYGON, far, 4);
  }
}

typedef struct question {
  int32_t k;
  double max_distance;
  gv_weighting weighting;
  bool boundary, masked;
} question;

typedef struct answer {
  int32_t seed[MOST_K * 4096];
  double distance[MOST_K * 4096], inside[MOST_K * 4096];
  float azimuth[MOST_K * 4096];
} answer;

static void solve(const setting *s, const question *q, const char *backend, answer *out, int64_t *cells) {
  static double weights[LAYER_FEATURES];
  gv_context *context = NULL;
  gv_context_options c;
  gv_context_options_init(&c);
  c.threads = strcmp(backend, "openmp") == 0 ? 3 : 1;
  assert_int_equal(gv_context_create(&c, &context), GV_OK);
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = s->kind;
  grid.width = WIDTH;
  grid.height = HEIGHT;
  grid.level = s->level;
  memcpy(grid.geotransform, s->geotransform, sizeof grid.geotransform);
  grid.inverse = keep;
  gv_features features = layer_features(&l, s->edges, q->boundary);
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  o.backend = backend;
  o.metric = s->metric;
  o.k = q->k;
  o.max_distance = q->max_distance;
  o.features = &features;
  o.weighting = q->weighting;
  for (int64_t i = 0; i < l.features; i++)
    weights[i] =
        q->weighting == GV_ADDITIVE ? (double)(i % 5) * (on_plane(s) ? 0.5 : 1e5) : 1.0 + (double)(i % 3);
  if (q->weighting != GV_UNWEIGHTED) o.weights = weights;
  gv_voronoi *v = NULL;
  if (gv_voronoi_create(context, &grid, NULL, &o, &v) != GV_OK)
    fail_msg("%s: %s", s->name, gv_context_message(context));
  int64_t width = s->kind == GV_GRID_QTM ? gv_qtm_count(s->level) : WIDTH,
          height = s->kind == GV_GRID_QTM ? 1 : HEIGHT;
  *cells = width * height;
  uint8_t mask[4096];
  for (int i = 0; i < 4096; i++)
    mask[i] = i % 3 != 0;
  gv_labels b;
  gv_labels_init(&b);
  b.out = out->seed;
  b.stride = width;
  b.band_stride = *cells;
  if (q->masked) b.mask = mask, b.mask_stride = width;
  if (gv_voronoi_fill(context, v, &b, NULL) != GV_OK)
    fail_msg("%s: %s", s->name, gv_context_message(context));
  for (int sign = 0; sign < 2; sign++) {
    gv_measure m;
    gv_measure_init(&m);
    m.bands = q->k;
    m.seed = out->seed;
    m.stride = m.out_stride = width;
    m.band_stride = m.out_band_stride = *cells;
    m.type = GV_FLOAT64;
    m.distance = sign ? out->inside : out->distance;
    m.azimuth = out->azimuth;
    m.signed_distance = sign;
    if (gv_voronoi_measure(context, v, &m) != GV_OK) fail_msg("%s: %s", s->name, gv_context_message(context));
  }
  gv_voronoi_destroy(v);
  gv_context_destroy(context);
}

static void compare(const setting *s, int which, const question *q) {
  static answer expected, found;
  static const char *const backends[] = {"tile", "openmp", "cuda-tile"};
  const char *reason;
  int64_t cells;
  size_t count = gv_cuda_probe(&reason) == GV_OK ? 3 : 2;
  solve(s, q, "serial", &expected, &cells);
  for (size_t b = 0; b < count; b++) {
    solve(s, q, backends[b], &found, &cells);
    for (int64_t i = 0; i < cells * q->k; i++) {
      if (expected.seed[i] == found.seed[i]) continue;
      fail_msg(
          "%s, layer %d, k %d, weighting %d, boundary %d: cell %lld of band %lld: %s says %d, serial %d, at "
          "%.9f and %.9f",
          s->name, which, (int)q->k, (int)q->weighting, q->boundary, (long long)(i % cells),
          (long long)(i / cells), backends[b], (int)found.seed[i], (int)expected.seed[i], found.distance[i],
          expected.distance[i]);
    }
    size_t n = (size_t)(cells * q->k);
    assert_memory_equal(expected.distance, found.distance, n * sizeof(double));
    assert_memory_equal(expected.inside, found.inside, n * sizeof(double));
    assert_memory_equal(expected.azimuth, found.azimuth, n * sizeof(float));
  }
  /* Bands ascend, signs agree with azimuths. */
  for (int64_t i = 0; i < cells * q->k; i++) {
    if (expected.seed[i] < 0) {
      assert_true(isnan(expected.distance[i]) && isnan(expected.azimuth[i]));
      continue;
    }
    assert_true(expected.distance[i] >= 0.0);
    if (expected.inside[i] < 0.0) assert_true(expected.distance[i] == 0.0 && isnan(expected.azimuth[i]));
    if (i >= cells && q->weighting == GV_UNWEIGHTED)
      assert_true(expected.distance[i] >= expected.distance[i - cells]);
  }
}

static void engines_agree(void **unused) {
  (void)unused;
  for (int i = 0; i < SETTINGS; i++) {
    const setting *s = &settings[i];
    double far = on_plane(s) ? 3.0 : 1e6;
    const question questions[] = {
        {1, INFINITY, GV_UNWEIGHTED, false, false},     {3, INFINITY, GV_UNWEIGHTED, false, true},
        {1, far, GV_UNWEIGHTED, true, false},           {5, far, GV_UNWEIGHTED, false, false},
        {2, INFINITY, GV_MULTIPLICATIVE, false, false}, {1, far, GV_ADDITIVE, true, true},
    };
    for (int which = 0; which < (on_plane(s) ? 3 : 4); which++) {
      make_layer(s, which);
      for (size_t k = 0; k < sizeof questions / sizeof *questions; k++)
        compare(s, which, &questions[k]);
    }
  }
}

/* Known results: a line at x = 0 of weight 1, one at x = 10 of weight 2. */
static void weights_count(void **unused) {
  (void)unused;
  static answer found;
  static const char *const backends[] = {"serial", "tile"};
  const double lines[2][2][2] = {{{0.0, 0.0}, {0.0, 20.0}}, {{10.0, 0.0}, {10.0, 20.0}}};
  layer_clear(&l);
  layer_add(&l, GV_PART_LINE, lines[0], 2);
  layer_add(&l, GV_PART_LINE, lines[1], 2);
  const question q = {2, INFINITY, GV_MULTIPLICATIVE, false, false};
  for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
    int64_t cells;
    solve(&settings[0], &q, backends[b], &found, &cells);
    for (int64_t i = 0; i < cells; i++) {
      double x = (double)(i % WIDTH) + 0.5;
      int32_t first = x <= fabs(10.0 - x) / 2.0 ? 0 : 1;
      assert_int_equal(found.seed[i], first);
      assert_int_equal(found.seed[cells + i], 1 - first);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(weights_count), cmocka_unit_test(engines_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
