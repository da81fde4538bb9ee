/*
 * Regular and compact sets of seeds, at any place and in any direction: 2 to 4 seeds, lattices, circles,
 * rows. Polygons are counterclockwise and cover the globe once, places lie in one polygon, that of their
 * nearest seed (by PROJ's geodesics), unless a border is close.
 *
 * GPUVORONOI_LONG=1: thousands of sets.
 */
#include "diagram/ears.h"

#include "cmocka_test.h"

#include <geodesic.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagram/check.h"
#include "diagram/seed_sets.h"
#include "gpuvoronoi/diagram.h"

enum { PLACES = 12 };

static gv_context *context;
static struct geod_geodesic geod;
static const double degree = 0.017453292519943295, tolerance = 100.0;

static int setup(void **unused) {
  (void)unused;
  geod_init(&geod, 6378137.0, 1.0 / 298.257223563);
  return gv_context_create(NULL, &context);
}

static int teardown(void **unused) {
  (void)unused;
  gv_context_destroy(context);
  return 0;
}

static bool holds(const gv_diagram_rings *r, int64_t polygon, double x, double y) {
  bool odd = false;
  for (int64_t i = r->point[polygon]; i + 1 < r->point[polygon + 1]; i++) {
    double ax = r->x[i], ay = r->y[i], bx = r->x[i + 1], by = r->y[i + 1];
    if ((ay > y) != (by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax) odd = !odd;
  }
  return odd;
}

/* Meters from a place to the border between its nearest seed and that of the cell it lies in; straight on. */
static double depth(const seed_set *s, double x, double y, int64_t cell) {
  double own, own_azimuth, least = INFINITY, azimuth = 0.0;
  for (int i = 0; i < s->count; i++) {
    double distance, at;
    geod_inverse(&geod, y, x, s->y[i], s->x[i], &distance, &at, NULL);
    if (distance >= least) continue;
    least = distance;
    azimuth = at;
  }
  geod_inverse(&geod, y, x, s->y[cell], s->x[cell], &own, &own_azimuth, NULL);
  double angle = fabs(2.0 * sin(0.5 * (own_azimuth - azimuth) * degree));
  return own - least < 1e-7 ? 0.0 : (own - least) / fmax(angle, 1e-12);
}

static void check_rings(const seed_set *s, const gv_diagram_rings *r) {
  double sum = 0.0;
  for (int64_t polygon = 0; polygon < r->polygon_count; polygon++) {
    double area = 0.0;
    for (int64_t i = r->point[polygon], first = i; i + 1 < r->point[polygon + 1]; i++)
      area += 0.5 * ((r->x[i] - r->x[first]) * (r->y[i + 1] - r->y[first]) -
                     (r->x[i + 1] - r->x[first]) * (r->y[i] - r->y[first]));
    assert_true(area > 0.0);
    sum += area;
  }
  if (fabs(sum - 64800.0) > 1e-6) fail_msg("%s: polygons have %.9f of 64800", s->name, sum);
  for (int place = 0; place < PLACES; place++) {
    double x = seed_uniform(-179.9, 179.9), y = asin(seed_uniform(-0.999, 0.999)) / degree;
    if (place % 3 == 0) { /* around the antipodes */
      x = remainder(s->x[0] + 180.0 + seed_uniform(-3.0, 3.0), 360.0);
      y = fmax(fmin(-s->y[0] + seed_uniform(-2.0, 2.0), 89.9), -89.9);
    }
    int64_t found = -1, times = 0;
    for (int64_t cell = 0; cell < r->cell_count; cell++)
      for (int64_t polygon = r->polygon[cell]; polygon < r->polygon[cell + 1]; polygon++)
        if (holds(r, polygon, x, y)) found = cell, times++;
    if (times != 1)
      fail_msg("%s, %d seeds, first %.15g %.15g: %.15g %.15g is in %d polygons", s->name, s->count, s->x[0],
               s->y[0], x, y, (int)times);
    double deep = depth(s, x, y, found);
    if (deep > 2.0 * tolerance)
      fail_msg("%s, %d seeds, first %.15g %.15g: %.15g %.15g is %.3f m within another cell than %d", s->name,
               s->count, s->x[0], s->y[0], x, y, deep, (int)found);
  }
}

static void check(const seed_set *s, int64_t *unverified) {
  const gv_points seeds = gv_points_xy(s->x, s->y, s->count);
  gv_diagram *diagram = NULL;
  gv_diagram_polygons *polygons = NULL;
  gv_diagram_options options;
  gv_diagram_rings rings;
  gv_diagram_parts parts;
  gv_check whole;
  gv_diagram_options_init(&options);
  gv_diagram_rings_init(&rings);
  gv_diagram_parts_init(&parts);
  options.metric = GV_GEODESIC;
  options.tolerance = tolerance;
  if (gv_diagram_create(context, &seeds, &options, &diagram) != GV_OK)
    fail_msg("%s, %d seeds, first %.15g %.15g: %s", s->name, s->count, s->x[0], s->y[0],
             gv_context_message(context));
  assert_int_equal(gv_diagram_get(context, diagram, &parts), GV_OK);
  *unverified += parts.unverified;
  assert_int_equal(gv_check_whole(context, &parts, NULL, NULL, &whole), GV_OK);
  assert_true(gv_check_passed(&whole));
  assert_int_equal(gv_diagram_polygons_create(context, diagram, 1, &polygons), GV_OK);
  assert_int_equal(gv_diagram_polygons_get(context, polygons, &rings), GV_OK);
  check_rings(s, &rings);
  gv_diagram_polygons_destroy(polygons);
  gv_diagram_destroy(diagram);
}

/* Degrees east and north of a place, turned. */
static void add_turned(seed_set *s, const double at[2], double east, double north, double turn) {
  double x = east * cos(turn) - north * sin(turn), y = east * sin(turn) + north * cos(turn);
  double lat = fmax(fmin(at[1] + y, 89.0), -89.0), lon = remainder(at[0] + x / cos(lat * degree), 360.0);
  seed_add(s, lon, lat);
}

/* `along` degrees from a place on, on the sphere: a great circle, no geodesic. */
static void add_along(seed_set *s, const double at[2], double azimuth, double along) {
  double lat = at[1] * degree, turn = along * degree;
  double sine = sin(lat) * cos(turn) + cos(lat) * sin(turn) * cos(azimuth);
  double lon = atan2(sin(azimuth) * sin(turn) * cos(lat), cos(turn) - sin(lat) * sine) / degree;
  seed_add(s, remainder(at[0] + lon, 360.0), asin(sine) / degree);
}

/* Which of the kinds of sets; `size` in degrees. */
static void make(seed_set *s, int kind, double size) {
  static const char *const names[] = {"few", "few on a parallel", "lattice",     "turned lattice", "circle",
                                      "row", "meridian",          "great circle"};
  const double at[2] = {seed_uniform(-180.0, 180.0), asin(seed_uniform(-0.99, 0.99)) / degree};
  double turn = seed_uniform(0.0, 6.3);
  int side = 3 + (int)seed_uniform(0.0, 6.0), few = 2 + (int)seed_uniform(0.0, 3.0);
  s->count = 0;
  s->name = names[kind];
  for (int i = 0; i < few && kind < 2; i++)
    add_turned(s, at, seed_uniform(0.0, size), kind == 0 ? seed_uniform(0.0, size) : 0.0, 0.0);
  for (int i = 0; i < side * side && (kind == 2 || kind == 3); i++)
    add_turned(s, at, size * (i % side) / side, size * (int)(i / side) / side, kind == 2 ? 0.0 : turn);
  for (int i = 0; i < 3 * side && kind == 4; i++)
    add_turned(s, at, size * cos(6.283185307179586 * i / (3 * side)),
               size * sin(6.283185307179586 * i / (3 * side)), 0.0);
  for (int i = 0; i < 3 * side && kind == 5; i++)
    add_turned(s, at, size * i, 0.0, turn);
  for (int i = 0; i < 3 * side && kind == 6; i++)
    seed_add(s, at[0], seed_uniform(-89.0, 89.0));
  for (int i = 0; i < 3 * side && kind == 7; i++)
    add_along(s, at, turn, size * i / 10.0);
}

static void the_globe_is_covered_once(void **unused) {
  (void)unused;
  const char *many = getenv("GPUVORONOI_LONG");
  int rounds = many != NULL && strcmp(many, "1") == 0 ? 500 : 8;
  seed_set *set = malloc(sizeof *set);
  assert_non_null(set);
  for (int kind = 0; kind < 8; kind++) {
    int64_t unverified = 0;
    for (int i = 0; i < rounds; i++) {
      make(set, kind, exp(seed_uniform(log(1e-3), log(kind < 2 ? 40.0 : 3.0))));
      check(set, &unverified);
    }
    /* Vertices near the antipodes (docs/diagram.md). */
    if (unverified > rounds / 4) fail_msg("%s: %d parts are not verified", set->name, (int)unverified);
  }
  free(set);
}

/* The border of the first and the last of them bends sharply around their antipodes: only short steps follow
 * it. In the third row, lines cross one after the other when they are mended. */
static void rows_around_antipodes(void **unused) {
  (void)unused;
  static const struct {
    int count;
    double step, at[2], turn;
  } rows[] = {{9, 0.0024593733851011115, {-38.578549841732666, 21.349207374361367}, 0.8737528792521738},
              {21, 0.005069854403183871, {-106.1428845250247, 11.507669865208172}, 0.357570909005377},
              {21, 0.005561374696201228, {140.25767534217914, 64.942178232371035}, 1.4888427023331203}};
  seed_set *set = malloc(sizeof *set);
  assert_non_null(set);
  for (int i = 0; i < 3; i++) {
    int64_t unverified = 0;
    set->name = "row around antipodes";
    set->count = 0;
    for (int k = 0; k < rows[i].count; k++)
      add_turned(set, rows[i].at, rows[i].step * k, 0.0, rows[i].turn);
    check(set, &unverified);
    assert_int_equal(unverified, 0);
  }
  free(set);
}

/* 9 seeds on 6 m: borders meet 90 degrees from them at angles of a ten-millionth. */
static void close_seeds_in_a_row(void **unused) {
  (void)unused;
  static const double at[2] = {-6.277797161691893, -73.86957434050679};
  int64_t unverified = 0;
  seed_set *set = malloc(sizeof *set);
  assert_non_null(set);
  set->name = "close row";
  set->count = 0;
  for (int k = 0; k < 9; k++)
    add_along(set, at, 0.7, k * 7e-6);
  check(set, &unverified);
  assert_int_equal(unverified, 0);
  free(set);
}

/* Around a polygon of facets: a corner inside, or facets that are not connected, change nothing. */
static gv_status look_never(void *user, int32_t facet, const int32_t beside[2], double *excess) {
  (void)facet;
  (void)beside;
  ++*(int *)user;
  *excess = INFINITY;
  return GV_OK;
}

static void what_is_no_polygon_stays(void **unused) {
  (void)unused;
  double position[3 * 60];
  for (int i = 0; i < 60; i++) {
    double lon = seed_uniform(0.0, 6.3), z = seed_uniform(-1.0, 1.0);
    position[3 * i] = sqrt(1.0 - z * z) * cos(lon);
    position[3 * i + 1] = sqrt(1.0 - z * z) * sin(lon);
    position[3 * i + 2] = z;
  }
  gv_triangulation t;
  assert_int_equal(gv_triangulate(context, GV_SURFACE_SPHERE, position, 60, &t), GV_OK);
  int32_t *corner = malloc(3 * (size_t)t.facets * sizeof *corner),
          *neighbor = malloc(3 * (size_t)t.facets * sizeof *corner);
  double *excess = calloc((size_t)t.facets, sizeof *excess);
  assert_true(corner != NULL && neighbor != NULL && excess != NULL);
  memcpy(corner, t.corner, 3 * (size_t)t.facets * sizeof *corner);
  memcpy(neighbor, t.neighbor, 3 * (size_t)t.facets * sizeof *corner);
  int looks = 0, far = 1;
  while (far == t.neighbor[0] || far == t.neighbor[1] || far == t.neighbor[2])
    far++;
  const gv_ears ears = {context, &t, look_never, &looks, excess};
  const int32_t lists[2][4] = {{0, far}, {0, t.neighbor[0], t.neighbor[1], t.neighbor[2]}};
  for (int i = 0; i < 2; i++) {
    bool done = true;
    looks = 0;
    assert_int_equal(gv_ears_cut(&ears, lists[i], i == 0 ? 2 : 4, &done), GV_OK);
    assert_false(done);
    assert_true(i == 0 ? looks == 0 : looks > 0); /* none of the second polygon's corners has a vertex */
    assert_memory_equal(corner, t.corner, 3 * (size_t)t.facets * sizeof *corner);
    assert_memory_equal(neighbor, t.neighbor, 3 * (size_t)t.facets * sizeof *corner);
  }
  free(corner), free(neighbor), free(excess);
  gv_triangulation_destroy(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_globe_is_covered_once), cmocka_unit_test(rows_around_antipodes),
      cmocka_unit_test(close_seeds_in_a_row), cmocka_unit_test(what_is_no_polygon_stays)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
