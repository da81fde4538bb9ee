/* Long edges by pieces: bounds hold and are tight, boxes hold all places. */
#include "features/tree.h"

#include "features/cases.h"

enum { LINES = 12, QUERIES = 30, PLACES = 2000 };

static gv_feature_set set;
static gv_geodesic geodesic;
static gv_feature_tree tree;

/* Lines between far places; the first is short. */
static void plant(gv_edges edges) {
  layer_clear(&l);
  for (int i = 0; i < LINES; i++) {
    double a[2] = {layer_uniform(-180.0, 180.0), layer_uniform(-89.0, 89.0)};
    double b[2] = {layer_uniform(-180.0, 180.0), layer_uniform(-89.0, 89.0)};
    if (i == 0) b[0] = a[0] + 0.1, b[1] = a[1];
    const double xy[2][2] = {{a[0], a[1]}, {b[0], b[1]}};
    layer_add(&l, GV_PART_LINE, xy, 2);
  }
  make_set(GV_GEODESIC, edges, true, &set);
  gv_geodesic_init(&wgs84, &geodesic);
  assert_int_equal(gv_feature_tree_init(context, &set, &geodesic, &tree), GV_OK);
}

/* The place of an edge at a part, in the tree's coordinates. */
static void place_of(const gv_edge *edge, double part, double place[3]) {
  double lon, lat;
  gv_edge_at(edge, part, &lon, &lat);
  place_at(GV_GEODESIC, lon, lat, place);
}

static void check_edge(int32_t entry) {
  const gv_long_edge *pieces = gv_long_edge_of(&tree.long_edges, entry);
  int64_t v = tree.entry[entry];
  const double a[2] = {set.x[v], set.y[v]}, b[2] = {set.x[v + 1], set.y[v + 1]};
  double box[2][3], place[3], low, high, coarse, same;
  gv_edge edge;
  gv_edge_make(&set.surface, set.straight, a, b, &edge);
  assert_true((pieces != NULL) == ((double)tree.sag[entry] > GV_LONG_SAG));
  if (pieces == NULL) return;
  gv_long_edge_box(&set, wgs84.semi_major, v, box[0], box[1]);
  assert_true(pieces->piece_sag < 1e-4);
  for (int n = 0; n < QUERIES; n++) {
    double q[3], least = INFINITY;
    place_at(GV_GEODESIC, layer_uniform(-180.0, 180.0), layer_uniform(-90.0, 90.0), q);
    for (int i = 0; i <= PLACES; i++) {
      double square = 0.0;
      place_of(&edge, (double)i / PLACES, place);
      for (int axis = 0; axis < 3; axis++) {
        square += (place[axis] - q[axis]) * (place[axis] - q[axis]);
        if (n == 0) assert_true(box[0][axis] <= place[axis] && place[axis] <= box[1][axis]);
      }
      least = fmin(least, sqrt(square));
    }
    gv_long_edge_chords(pieces, q, INFINITY, &low, &high);
    assert_true(low <= least && least <= high + 4.0 / PLACES && high - low <= 3.0 * pieces->piece_sag);
    gv_long_edge_chords(pieces, q, 0.5 * least, &coarse, &same);
    assert_true(coarse <= least && coarse > fmin(0.5 * least, low) * (1.0 - 1e-12) &&
                same + 1e-12 >= least - 4.0 / PLACES);
    double far = sqrt(gv_globe_box_distance2(pieces->flattest, box[0], box[1], q));
    if (far == 0.0) continue;
    gv_long_edge_chords(pieces, q, 0.5 * far, &coarse, &same); /* the box decides */
    assert_true(coarse > 0.9 * far && coarse <= least && same == INFINITY);
  }
}

static void bounds_hold_and_are_tight(void **state) {
  (void)state;
  for (int edges = 0; edges < 2; edges++) {
    plant(edges == 0 ? GV_EDGES_STRAIGHT : GV_EDGES_GEODESIC);
    assert_true(tree.long_edges.count >= LINES / 2);
    for (int32_t i = 0; i < tree.entries; i++)
      check_edge(i);
    gv_feature_tree_clear(&tree);
    gv_feature_set_clear(&set);
  }
}

/* Places of an ellipsoid in a box are not nearer than its distance, which is near theirs for the other side
 * of the globe. */
static void boxes_of_the_globe(void **state) {
  (void)state;
  for (int shape = 0; shape < 3; shape++) {
    gv_ellipsoid ellipsoid;
    assert_int_equal(gv_ellipsoid_init(context, 1.0, (double[3]){0.0, 0.02, -0.02}[shape], &ellipsoid),
                     GV_OK);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY},
           place[PLACES][3];
    for (int i = 0; i < PLACES; i++) {
      double lon = layer_uniform(-40.0, 40.0), lat = layer_uniform(-40.0, 40.0), *p = place[i];
      gv_lonlat_to_vectors(&ellipsoid, true, 1, &lon, &lat, p, p + 1, p + 2);
      for (int axis = 0; axis < 3; axis++) {
        low[axis] = fmin(low[axis], p[axis]);
        high[axis] = fmax(high[axis], p[axis]);
      }
    }
    for (int n = 0; n < QUERIES; n++) {
      double lon = n == 0 ? 180.0 : layer_uniform(-180.0, 180.0),
             lat = n == 0 ? 0.0 : layer_uniform(-90.0, 90.0);
      double q[3], least = INFINITY;
      gv_lonlat_to_vectors(&ellipsoid, true, 1, &lon, &lat, q, q + 1, q + 2);
      for (int i = 0; i < PLACES; i++) {
        double square = 0.0;
        for (int axis = 0; axis < 3; axis++)
          square += (place[i][axis] - q[axis]) * (place[i][axis] - q[axis]);
        least = fmin(least, square);
      }
      double bound = gv_globe_box_distance2(gv_globe_flattest(&ellipsoid), low, high, q);
      assert_true(bound <= least);
      if (n == 0) assert_true(bound > least - 0.15); /* the box alone: 0.7 less */
    }
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_hold_and_are_tight),
                                          cmocka_unit_test(boxes_of_the_globe)};
FEATURE_TESTS_MAIN(tests)
