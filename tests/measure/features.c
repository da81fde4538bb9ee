/* Distances and directions to lines and polygons: they lead to them, and floats are the doubles, rounded. */
#include "cmocka_test.h"
#include "gpuvoronoi/geometries.h"
#include "grid_fill.h"

#include <geodesic.h>
#include <math.h>
#include <string.h>

#include "features/layer.h"
#include "voronoi/engine.h"

enum { SIDE = 24, CELLS = SIDE * SIDE };

static layer l;
static gv_context *context;
static int32_t seed[CELLS];
static double distance[CELLS];
static float rounded[CELLS], azimuth[CELLS];

/* A square of cells around a place: the nearest features, distances and azimuths. */
static gv_voronoi *measure(gv_metric metric, gv_edges edges, double x, double y, double cell,
                           bool signed_distance) {
  bool plane = metric == GV_EUCLIDEAN;
  gv_grid grid;
  gv_grid_init(&grid);
  const double geotransform[6] = {x - 0.5 * SIDE * cell, cell, 0.0, y + 0.5 * SIDE * cell, 0.0, -cell};
  gv_features features = layer_features(&l, edges, false);
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  gv_voronoi *v = NULL;
  grid.kind = plane ? GV_GRID_PLANE : GV_GRID_LONLAT;
  grid.width = grid.height = SIDE;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  o.metric = metric;
  o.features = &features;
  if (gv_voronoi_create(context, &grid, NULL, &o, &v) != GV_OK || fill_grid(context, v, seed, SIDE) != GV_OK)
    fail_msg("%s", gv_context_message(context));
  gv_measure m;
  gv_measure_init(&m);
  m.seed = seed;
  m.stride = m.out_stride = SIDE;
  m.band_stride = m.out_band_stride = CELLS;
  m.signed_distance = signed_distance;
  m.type = GV_FLOAT64;
  m.distance = distance;
  m.azimuth = azimuth;
  assert_int_equal(gv_voronoi_measure(context, v, &m), GV_OK);
  m.type = GV_FLOAT32;
  m.distance = rounded;
  m.azimuth = NULL;
  assert_int_equal(gv_voronoi_measure(context, v, &m), GV_OK);
  return v;
}

/* So far in that direction there is the feature. Directions are floats. */
static void directions_lead_there(void **state) {
  (void)state;
  static const double places[][2] = {{10.0, 50.0}, {-70.0, -33.0}, {179.0, 5.0}, {0.0, 80.0}, {25.0, 0.0}};
  static const gv_metric metrics[] = {GV_EUCLIDEAN, GV_GREAT_CIRCLE, GV_GEODESIC};
  int followed = 0;
  for (int i = 0; i < 5 * 3 * 2; i++) {
    gv_metric metric = metrics[i % 3];
    gv_edges edges = metric != GV_EUCLIDEAN && i / 3 % 2 == 1 ? GV_EDGES_GEODESIC : GV_EDGES_STRAIGHT;
    const double *at = places[i / 6], low[2] = {at[0] - 8.0, at[1] - 6.0},
                 high[2] = {at[0] + 8.0, at[1] + 6.0};
    layer_clear(&l);
    layer_state = 31 + (uint64_t)i;
    layer_random(&l, 12, low, high, 3.0);
    gv_voronoi *v = measure(metric, edges, at[0], at[1], 0.7, false);
    const gv_ellipsoid *ellipsoid = &v->cells.ellipsoid;
    struct geod_geodesic body;
    geod_init(&body, metric == GV_GEODESIC ? ellipsoid->semi_major : gv_globe_radius(ellipsoid),
              metric == GV_GEODESIC ? ellipsoid->flattening : 0.0);
    for (int cell = 0; cell < CELLS; cell++) {
      double x = at[0] + 0.7 * (cell % SIDE + 0.5 - 0.5 * SIDE),
             y = at[1] - 0.7 * (cell / SIDE + 0.5 - 0.5 * SIDE);
      double room = distance[cell] * 1e-6 + (metric == GV_EUCLIDEAN ? 1e-12 : 0.01), there[2];
      gv_edge_place q = {.lon = 0.0};
      gv_edge_closest closest;
      if (!(distance[cell] > 0.0)) continue;
      if (metric == GV_EUCLIDEAN) {
        double angle = (double)azimuth[cell] * 3.14159265358979323846 / 180.0;
        q.vector[0] = x + distance[cell] * sin(angle);
        q.vector[1] = y + distance[cell] * cos(angle);
      } else {
        geod_direct(&body, y, x, (double)azimuth[cell], distance[cell], &there[1], &there[0], NULL);
        q.lon = there[0];
        q.lat = there[1];
        gv_normalize_lonlat(&q.lon, &q.lat);
        gv_lonlat_to_vectors(ellipsoid, metric == GV_GEODESIC, 1, &q.lon, &q.lat, q.vector, q.vector + 1,
                             q.vector + 2);
      }
      gv_feature_nearest(v->features, seed[cell], &q, false, &closest);
      double left = metric == GV_GEODESIC ? closest.canonical
                    : metric == GV_EUCLIDEAN
                        ? sqrt(closest.canonical)
                        : gv_arc_of_chord2(gv_globe_radius(ellipsoid), closest.canonical);
      if (!(left <= room))
        fail_msg("metric %d, edges %d, cell %d: %.9g at %.9g leads to %.3g from feature %d", (int)metric,
                 (int)edges, cell, distance[cell], (double)azimuth[cell], left, (int)seed[cell]);
      followed++;
    }
    gv_voronoi_destroy(v);
  }
  assert_true(followed > 5000);
}

static void check_floats(const char *what) {
  for (int cell = 0; cell < CELLS; cell++) {
    if (rounded[cell] != (float)distance[cell])
      fail_msg("%s, cell %d: %.9g in floats, not %.17g", what, cell, (double)rounded[cell], distance[cell]);
  }
}

/* Within meters floats are as accurate as the series. */
static void floats_near_by(void **state) {
  (void)state;
  for (int i = 0; i < 8; i++) {
    double x = 20.0 * i - 70.0, y = 11.0 * i - 40.0, size = i % 2 == 0 ? 2e-5 : 2e-4;
    const double low[2] = {x - size, y - size}, high[2] = {x + size, y + size};
    layer_clear(&l);
    layer_state = 51 + (uint64_t)i;
    layer_random(&l, 10, low, high, 0.3 * size);
    gv_voronoi_destroy(
        measure(GV_GEODESIC, i / 2 % 2 ? GV_EDGES_GEODESIC : GV_EDGES_STRAIGHT, x, y, size / 8, true));
    check_floats("near by");
  }
}

/* Where no edge is near but one that only cuts a polygon. */
static void floats_at_cuts(void **state) {
  (void)state;
  layer_clear(&l);
  layer_box(&l, 170.0, 60.0, 180.0, 70.0);
  layer_box(&l, -180.0, 55.0, -170.0, 72.0);
  layer_box(&l, -180.0, 50.0, 180.0, 54.0);
  gv_voronoi_destroy(measure(GV_GEODESIC, GV_EDGES_STRAIGHT, 179.7, 65.0, 0.02, true));
  check_floats("at a cut");
  for (int cell = 0; cell < CELLS; cell++)
    assert_true(seed[cell] == 0 && distance[cell] < -4e5); /* not the 47 km to the antimeridian at most */
}

/* A rectangle that begins anywhere has the values of the whole. */
static void rectangles_are_parts(void **state) {
  (void)state;
  enum { COLUMN = 3, ROW = 9, COLUMNS = 14, ROWS = 11 };
  const double low[2] = {2.0, 44.0}, high[2] = {18.0, 56.0};
  static double part[ROWS][COLUMNS];
  layer_clear(&l);
  layer_state = 71;
  layer_random(&l, 12, low, high, 3.0);
  gv_voronoi *v = measure(GV_GREAT_CIRCLE, GV_EDGES_STRAIGHT, 10.0, 50.0, 0.7, true);
  gv_measure m;
  gv_measure_init(&m);
  m.column = COLUMN;
  m.row = ROW;
  m.columns = COLUMNS;
  m.rows = ROWS;
  m.seed = seed + ROW * SIDE + COLUMN;
  m.stride = SIDE;
  m.signed_distance = true;
  m.type = GV_FLOAT64;
  m.distance = part;
  assert_int_equal(gv_voronoi_measure(context, v, &m), GV_OK);
  for (int row = 0; row < ROWS; row++)
    assert_memory_equal(part[row], distance + (ROW + row) * SIDE + COLUMN, sizeof part[row]);
  gv_voronoi_destroy(v);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(directions_lead_there),
      cmocka_unit_test(floats_near_by),
      cmocka_unit_test(floats_at_cuts),
      cmocka_unit_test(rectangles_are_parts),
  };
  if (gv_context_create(NULL, &context) != GV_OK) return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  gv_context_destroy(context);
  return failed;
}
