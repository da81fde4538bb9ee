/*
 * Tiles of cells among many edges: the lists of edges that they share leave out nothing that counts.
 * Allocations are those of `serial`, distances those to the nearest of all edges, to the bit.
 */
#include "cmocka_test.h"
#include "gpuvoronoi/cells.h"
#include "gpuvoronoi/geometries.h"
#include "grid_fill.h"

#include <math.h>
#include <string.h>

#include "features/layer.h"
#include "voronoi/engine.h"

enum { WIDTH = 72, HEIGHT = 56, CELLS = WIDTH * HEIGHT };

static layer l;

typedef struct setting {
  const char *name;
  gv_grid_kind kind;
  double geotransform[6];
  gv_metric metric;
  gv_edges edges;
  double limit; /* for one of the questions */
  int corners;  /* of an island */
  int level;
} setting;

#define GLOBE                                                                                                \
  { -180.0, 360.0 / WIDTH, 0.0, 90.0, 0.0, -180.0 / HEIGHT }
#define PIECE                                                                                                \
  { 165.0, 0.4, 0.0, 84.0, 0.0, -0.25 }
#define PLANE                                                                                                \
  { 0.0, 1.0, 0.0, 56.0, 0.0, -1.0 }

static const setting settings[] = {
    {"plane", GV_GRID_PLANE, PLANE, GV_EUCLIDEAN, GV_EDGES_STRAIGHT, 2.5, 40, GV_QTM_NONE},
    {"more edges than a list takes", GV_GRID_PLANE, PLANE, GV_EUCLIDEAN, GV_EDGES_STRAIGHT, 2.5, 400,
     GV_QTM_NONE},
    {"rotated plane",
     GV_GRID_PLANE,
     {0.0, 0.9, 0.3, 1.0, -0.2, 1.1},
     GV_EUCLIDEAN,
     GV_EDGES_STRAIGHT,
     3.0,
     40,
     GV_QTM_NONE},
    {"sphere, arcs", GV_GRID_LONLAT, GLOBE, GV_GREAT_CIRCLE, GV_EDGES_GEODESIC, 4e5, 40, GV_QTM_NONE},
    {"globe", GV_GRID_LONLAT, GLOBE, GV_GEODESIC, GV_EDGES_STRAIGHT, 4e5, 7, GV_QTM_NONE},
    {"piece", GV_GRID_LONLAT, PIECE, GV_GEODESIC, GV_EDGES_STRAIGHT, 5e4, 7, GV_QTM_NONE},
    {"mesh, arcs", GV_GRID_QTM, PLANE, GV_GREAT_CIRCLE, GV_EDGES_GEODESIC, 4e5, 40, 4},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* Islands and lines near each other, with many edges that are nowhere nearest. */
static void make_layer(const setting *s) {
  bool plane = s->kind == GV_GRID_PLANE, piece = s->geotransform[0] == 165.0;
  const double low[2] = {plane ? 0.0 : piece ? 165.0 : -180.0, plane ? 0.0 : piece ? 70.0 : -88.0};
  const double high[2] = {plane ? 72.0 : piece ? 193.0 : 180.0, plane ? 56.0 : piece ? 84.0 : 88.0};
  double size = plane ? 5.0 : piece ? 1.5 : 12.0;
  layer_clear(&l);
  layer_state = 11;
  for (int i = 0; i < 24; i++) {
    double x = layer_uniform(low[0], high[0]), y = layer_uniform(low[1], high[1]);
    layer_star(&l, x, y, size * layer_uniform(0.2, 1.0), s->corners, low[1], high[1]);
    if (i % 4 == 0) layer_star(&l, x, y, 0.1 * size, 5, low[1], high[1]);
    layer_end_part(&l, i % 5 == 1 ? GV_PART_LINE : GV_PART_POLYGON);
    if (l.ring[l.parts] - l.ring[l.parts - 1] > 1) l.kind[l.parts - 1] = GV_PART_POLYGON;
    layer_end_feature(&l);
  }
  layer_random(&l, 12, low, high, size);
  if (plane) layer_countries(&l, 4, 3, (const double[]){40.0, 8.0}, (const double[]){64.0, 26.0});
}

static gv_voronoi *ask(gv_context *context, const setting *s, const char *backend, bool limited,
                       bool boundary) {
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = s->kind;
  grid.width = WIDTH;
  grid.height = HEIGHT;
  grid.level = s->level;
  memcpy(grid.geotransform, s->geotransform, sizeof grid.geotransform);
  gv_features features = layer_features(&l, s->edges, boundary);
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  o.backend = backend;
  o.metric = s->metric;
  if (limited) o.max_distance = s->limit;
  o.features = &features;
  gv_voronoi *v = NULL;
  if (gv_voronoi_create(context, &grid, NULL, &o, &v) != GV_OK)
    fail_msg("%s: %s", s->name, gv_context_message(context));
  return v;
}

static double distance_of(const gv_voronoi *v, double canonical) {
  if (v->cells.metric == GV_EUCLIDEAN) return sqrt(canonical);
  return v->cells.metric == GV_GREAT_CIRCLE
             ? gv_arc_of_chord2(gv_globe_radius(&v->cells.ellipsoid), canonical)
             : canonical;
}

/* Every edge of the cells' features, for one cell in `step`. */
static void check_distances(gv_context *context, const setting *s, const gv_voronoi *v, const int32_t *seed,
                            int64_t width, int64_t cells, int64_t step) {
  static double signed_distance[CELLS];
  static double position[5][CELLS];
  gv_measure m;
  gv_measure_init(&m);
  m.seed = seed;
  m.stride = m.out_stride = width;
  m.band_stride = m.out_band_stride = cells;
  m.type = GV_FLOAT64;
  m.distance = signed_distance;
  m.signed_distance = 1;
  assert_int_equal(gv_voronoi_measure(context, v, &m), GV_OK);
  static float rounded[CELLS];
  m.type = GV_FLOAT32;
  m.distance = rounded;
  assert_int_equal(gv_voronoi_measure(context, v, &m), GV_OK);
  for (int64_t i = 0; i < cells; i++) {
    if (seed[i] >= 0 && rounded[i] != (float)signed_distance[i])
      fail_msg("%s: cell %lld is %.9g in floats, not %.17g", s->name, (long long)i, (double)rounded[i],
               signed_distance[i]);
  }
  gv_tile all = {0, width, 0, cells / width};
  bool globe = v->cells.dim == 3;
  assert_int_equal(gv_cells_positions(context, &v->cells, &all, position[0], position[1], position[2],
                                      globe ? position[3] : NULL, globe ? position[4] : NULL, NULL),
                   GV_OK);
  for (int64_t i = 0; i < cells; i += step) {
    gv_edge_place q = {.vector = {position[0][i], position[1][i], globe ? position[2][i] : 0.0}};
    if (globe) q.lon = position[3][i], q.lat = position[4][i];
    gv_edge_closest closest;
    if (seed[i] < 0) continue;
    bool inside = gv_feature_contains(v->features, seed[i], &q);
    gv_feature_nearest(v->features, seed[i], &q, inside, &closest);
    double expected = distance_of(v, closest.canonical) * (inside ? -1.0 : 1.0);
    if (expected != signed_distance[i])
      fail_msg("%s: cell %lld is at %.17g, not %.17g", s->name, (long long)i, expected, signed_distance[i]);
  }
}

static void compare(const setting *s, bool limited, bool boundary, bool masked) {
  static int32_t expected[CELLS], found[CELLS];
  static uint8_t mask[CELLS];
  gv_context *context = NULL;
  gv_context_options options;
  gv_context_options_init(&options);
  options.threads = 1;
  assert_int_equal(gv_context_create(&options, &context), GV_OK);
  int64_t width = s->kind == GV_GRID_QTM ? gv_qtm_count(s->level) : WIDTH;
  int64_t cells = s->kind == GV_GRID_QTM ? width : CELLS;
  for (int64_t i = 0; i < cells; i++)
    mask[i] = i % 5 < 3 && i / 9 % 4 != 1;
  for (int which = 0; which < 2; which++) {
    gv_voronoi *v = ask(context, s, which == 0 ? "serial" : "tile", limited, boundary);
    gv_labels b;
    gv_labels_init(&b);
    b.out = which == 0 ? expected : found;
    b.stride = width;
    b.band_stride = cells;
    if (masked) b.mask = mask, b.mask_stride = width;
    assert_int_equal(blocks_across(v) * blocks_down(v), 1);
    assert_int_equal(gv_voronoi_fill(context, v, &b, NULL), GV_OK);
    if (which == 1) check_distances(context, s, v, found, width, cells, s->metric == GV_GEODESIC ? 7 : 1);
    gv_voronoi_destroy(v);
  }
  for (int64_t i = 0; i < cells; i++) {
    if (expected[i] != found[i])
      fail_msg("%s, limit %d, boundary %d, mask %d: cell %lld is %d's, not %d's", s->name, limited, boundary,
               masked, (long long)i, (int)expected[i], (int)found[i]);
  }
  gv_context_destroy(context);
}

static void tiles_leave_out_nothing(void **unused) {
  (void)unused;
  for (int i = 0; i < SETTINGS; i++) {
    make_layer(&settings[i]);
    compare(&settings[i], false, false, false);
    compare(&settings[i], true, i % 2 == 0, true);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tiles_leave_out_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
