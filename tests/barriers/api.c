/*
 * Ways round barriers against a graph of all vertices. Its legs are tried by pieces: a piece between two
 * contacts with edges lies within a polygon if its middle does.
 */
#include "gpuvoronoi/barriers.h"

#include "cmocka_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "split_mix.h"
#include "worlds.h"

enum { SEEDS = 4, CELLS = SIDE * SIDE };

static gv_context *context;
static uint64_t state = 11;

static double uniform(double low, double high) {
  return low + (high - low) * (double)(split_mix(&state) >> 11) * 0x1p-53;
}

static int whole(int low, int high) {
  return low + (int)(split_mix(&state) % (uint64_t)(high - low + 1));
}

static gv_barriers *solved(world *w, const double *x, const double *y, int64_t count, int64_t *left_out) {
  gv_features f = features_of(w);
  gv_barriers_options options;
  gv_barriers *b = NULL;
  gv_barriers_options_init(&options);
  if (on.scale != 0.0) options.metric = on.legs == GREAT_CIRCLES ? GV_GREAT_CIRCLE : GV_GEODESIC;
  if (on.legs == GEODESICS_OF_SPHERE) options.semi_major = globe_radius;
  if (on.scale > 0.0) f.edges = GV_EDGES_GEODESIC;
  assert_int_equal(gv_barriers_create(context, &f, &options, &b), GV_OK);
  assert_int_equal(gv_barriers_solve(context, b, x, y, count, left_out), GV_OK);
  return b;
}

static double length_to(const gv_barriers *b, double x, double y, int32_t *seed) {
  double length = 0.0;
  int32_t found = 0;
  gv_barrier_places places;
  gv_barrier_places_init(&places);
  places.x = &x;
  places.y = &y;
  places.count = 1;
  places.seed = seed != NULL ? seed : &found;
  places.distance = &length;
  assert_int_equal(gv_barriers_get(context, b, &places), GV_OK);
  return length;
}

/* The way from one place to another, both ways. */
static double way(world *w, double x0, double y0, double x1, double y1) {
  gv_barriers *b = solved(w, &x0, &y0, 1, NULL);
  const double there = length_to(b, x1, y1, NULL);
  gv_barriers_destroy(b);
  b = solved(w, &x1, &y1, 1, NULL);
  const double back = length_to(b, x0, y0, NULL);
  gv_barriers_destroy(b);
  assert_true(isnan(there) == isnan(back));
  if (!isnan(there)) assert_true(fabs(there - back) <= 1e-9 * there);
  return there;
}

/* --------------------------------------------------------------------------------------------- the oracle */

static int inside_parts(const world *w, double x, double y) {
  for (int p = 0; p < w->parts; p++) {
    int odd = 0;
    for (int64_t v = w->vertex[p]; v + 1 < w->vertex[p + 1] && w->kind[p] == GV_PART_POLYGON; v++) {
      const double ax = w->x[v], ay = w->y[v], bx = w->x[v + 1], by = w->y[v + 1];
      const double dx = bx - ax, dy = by - ay;
      double t = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy);
      t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
      if (hypot(ax + t * dx - x, ay + t * dy - y) < 1e-9) {
        odd = 0;
        break;
      }
      odd ^= (ay > y) != (by > y) && x < ax + (y - ay) / dy * dx;
    }
    if (odd) return 1;
  }
  return 0;
}

static int compare(const void *a, const void *b) {
  const double p = *(const double *)a, q = *(const double *)b;
  return p < q ? -1 : p > q;
}

static int leg_is_free(const world *w, const double *p, const double *q) {
  double at[2 * MOST + 2] = {0.0, 1.0};
  const double dx = q[0] - p[0], dy = q[1] - p[1], length2 = dx * dx + dy * dy;
  int count = 2;
  if (length2 == 0.0) return 1;
  for (int64_t v = 0; v + 1 < w->vertex[w->parts]; v++) {
    const double ex = w->x[v + 1] - w->x[v], ey = w->y[v + 1] - w->y[v], cross = dx * ey - dy * ex;
    const double t = cross != 0.0 ? ((w->x[v] - p[0]) * ey - (w->y[v] - p[1]) * ex) / cross
                                  : ((w->x[v] - p[0]) * dx + (w->y[v] - p[1]) * dy) / length2;
    if (t > 0.0 && t < 1.0) at[count++] = t;
  }
  qsort(at, (size_t)count, sizeof *at, compare);
  for (int i = 0; i + 1 < count; i++) {
    const double middle = 0.5 * (at[i] + at[i + 1]);
    if (at[i + 1] - at[i] > 1e-9 && inside_parts(w, p[0] + middle * dx, p[1] + middle * dy)) return 0;
  }
  return 1;
}

/* Lengths of ways to all vertices, from seeds that are not inside. */
static void graph(const world *w, const double *x, const double *y, double *length) {
  const int64_t n = w->vertex[w->parts];
  uint8_t done[MOST] = {0};
  for (int64_t v = 0; v < n; v++) {
    const double to[2] = {w->x[v], w->y[v]};
    length[v] = (double)INFINITY;
    for (int i = 0; i < SEEDS; i++) {
      const double from[2] = {x[i], y[i]}, direct = measure(from[0], from[1], to[0], to[1]);
      if (!inside_parts(w, x[i], y[i]) && direct < length[v] && leg_is_free(w, from, to)) length[v] = direct;
    }
  }
  for (int64_t step = 0; step < n; step++) {
    int64_t u = -1;
    for (int64_t v = 0; v < n; v++)
      if (!done[v] && (u < 0 || length[v] < length[u])) u = v;
    done[u] = 1;
    for (int64_t v = 0; v < n; v++) {
      const double from[2] = {w->x[u], w->y[u]}, to[2] = {w->x[v], w->y[v]};
      if (length[u] + quickly(from, to) > length[v]) continue;
      const double longer = length[u] + measure(from[0], from[1], to[0], to[1]);
      if (longer < length[v] && leg_is_free(w, from, to)) length[v] = longer;
    }
  }
}

static double expected(const world *w, const double *x, const double *y, const double *length,
                       const double *at) {
  double least = (double)INFINITY;
  if (inside_parts(w, at[0], at[1])) return (double)NAN;
  for (int i = 0; i < SEEDS; i++) {
    const double from[2] = {x[i], y[i]}, direct = measure(from[0], from[1], at[0], at[1]);
    if (direct < least && !inside_parts(w, x[i], y[i]) && leg_is_free(w, from, at)) least = direct;
  }
  for (int64_t v = 0; v < w->vertex[w->parts]; v++) {
    const double from[2] = {w->x[v], w->y[v]};
    if (length[v] + quickly(from, at) > least) continue;
    const double longer = length[v] + measure(from[0], from[1], at[0], at[1]);
    if (longer < least && leg_is_free(w, from, at)) least = longer;
  }
  return isinf(least) ? (double)NAN : least;
}

/* Polygons in squares of their own: whole coordinates that share lines with each other, the seeds and the
 * cells, or stars. */
static void make_world(world *w, int stars) {
  memset(w, 0, sizeof *w);
  for (int i = 0; i < 9; i++) {
    const int x = 1 + 13 * (i % 3), y = 1 + 13 * (i / 3);
    const int a = whole(1, 4), b = whole(6, 11), c = whole(2, 5), d = whole(6, 10), e = whole(1, d - 2);
    const double u[8][2] = {
        {x, y},         {x + b, y},         {x + b, y + d}, {x + b - 1, y + d}, {x + b - 1, y + e},
        {x + a, y + e}, {x + a, y + c + 4}, {x, y + c + 4}};
    const double triangle[3][2] = {{x, y + c}, {x + b, y + a}, {x + d, y + b}};
    if (stars) {
      const int spikes = whole(3, 9);
      begin_part(w, GV_PART_POLYGON);
      for (int k = 0; k < spikes; k++) {
        const double angle = 6.283185307179586 * ((double)k + uniform(0.0, 0.8)) / spikes,
                     r = uniform(1.0, 6.2);
        add_vertex(w, x + 6 + r * cos(angle), y + 6 + r * sin(angle));
      }
      end_part(w);
    } else if (whole(0, 1) == 0) {
      add(w, GV_PART_POLYGON, 8, u);
    } else {
      add(w, GV_PART_POLYGON, 3, triangle);
    }
  }
}

/* Against the graph, on the plane or a map of the sphere. `error`: relative, of positions that are rounded to
 * doubles. */
static void try_world(int round, int stars, double error) {
  static world w;
  static double place_x[CELLS], place_y[CELLS], length[CELLS], again[CELLS];
  static float azimuth[CELLS];
  static int32_t seed[CELLS];
  double x[SEEDS], y[SEEDS], reached[MOST], least[CELLS];
  int reachable = 0;
  make_world(&w, stars);
  for (int i = 0; i < SEEDS; i++) {
    x[i] = whole(0, SIDE - 1);
    y[i] = whole(0, SIDE - 1);
  }
  graph(&w, x, y, reached);
  for (int i = 0; i < CELLS; i++) {
    const double at[2] = {i % SIDE, (double)(i / SIDE)};
    place_x[i] = at[0];
    place_y[i] = at[1];
    least[i] = expected(&w, x, y, reached, at);
  }
  to_coordinates(CELLS, place_x, place_y);
  to_coordinates(w.vertex[w.parts], w.x, w.y);
  to_coordinates(SEEDS, x, y);
  gv_barriers *b = solved(&w, x, y, SEEDS, NULL);
  gv_barrier_places places;
  gv_barrier_places_init(&places);
  places.x = place_x;
  places.y = place_y;
  places.count = CELLS;
  places.seed = seed;
  places.distance = length;
  places.azimuth = azimuth;
  assert_int_equal(gv_barriers_get(context, b, &places), GV_OK);
  for (int i = 0; i < CELLS; i++) {
    const double unit = measure(0.0, 0.0, 1.0, 0.0);
    if (isnan(least[i]) != isnan(length[i]) || fabs(least[i] - length[i]) > error * (unit + least[i]))
      fail_msg("round %d, place %d %d: %.17g instead of %.17g", round, i % SIDE, i / SIDE, length[i],
               least[i]);
    assert_true(isnan(least[i]) == (seed[i] < 0));
    reachable += seed[i] >= 0;
  }
  assert_true(reachable > CELLS / 3);
  /* Ways have the lengths of their legs. */
  for (int i = 0; i < CELLS; i += 10) {
    double way_x[40], way_y[40], distance, sum = 0.0;
    int64_t count;
    int32_t to;
    gv_barrier_way found;
    gv_barrier_way_init(&found);
    found.x = place_x[i];
    found.y = place_y[i];
    found.room = 40;
    found.way_x = way_x;
    found.way_y = way_y;
    found.count = &count;
    found.seed = &to;
    found.distance = &distance;
    assert_int_equal(gv_barriers_get_way(context, b, &found), GV_OK);
    assert_true(to == seed[i] && memcmp(&distance, &length[i], sizeof distance) == 0 && count <= 40);
    assert_true((count == 0) == (to < 0));
    for (int64_t k = 0; k + 1 < count; k++)
      sum += measure_coordinates(way_x[k], way_y[k], way_x[k + 1], way_y[k + 1]);
    if (count > 0) assert_true(fabs(sum - distance) <= 1e-8 * (distance + measure(0.0, 0.0, 1.0, 0.0)));
    assert_true(isnan(azimuth[i]) == (to < 0));
    if (count < 2) continue;
    const double off = remainder(azimuth[i] - bearing(way_x[0], way_y[0], way_x[1], way_y[1]), 360.0);
    if (!(fabs(off) < 1e-4 && azimuth[i] >= 0.0F && azimuth[i] < 360.0F))
      fail_msg("round %d, place %d %d: azimuth %.9g, %g off", round, i % SIDE, i / SIDE, (double)azimuth[i],
               off);
  }
  /* The division into calls changes nothing. */
  places.distance = again;
  places.seed = NULL;
  places.azimuth = NULL;
  for (int64_t first = 0; first < CELLS; first += 97) {
    gv_barrier_places some = places;
    some.x += first;
    some.y += first;
    some.distance += first;
    some.count = CELLS - first < 97 ? CELLS - first : 97;
    assert_int_equal(gv_barriers_get(context, b, &some), GV_OK);
  }
  assert_memory_equal(length, again, sizeof length);
  gv_barriers_destroy(b);
}

static void random_worlds(void **unused) {
  (void)unused;
  for (int round = 0; round < 8; round++)
    try_world(round, round % 2, 1e-9);
}

/* The poles, the antimeridian, and all sizes: six meters a unit, and most of a hemisphere. */
static void random_worlds_on_globe(void **unused) {
  static const map maps[] = {{12.0, 47.0, 1e-6, GREAT_CIRCLES},    {180.0, 5.0, 1e-3, GREAT_CIRCLES},
                             {-179.9, -40.0, 0.05, GREAT_CIRCLES}, {0.0, 90.0, 1e-4, GREAT_CIRCLES},
                             {77.0, -90.0, 0.04, GREAT_CIRCLES},   {-90.0, 89.0, 0.01, GREAT_CIRCLES},
                             {30.0, 0.0, 0.2, GREAT_CIRCLES}};
  static const map geodesics[] = {
      {12.0, 47.0, 1e-6, GEODESICS},         {180.0, 5.0, 1e-5, GEODESICS},
      {-179.9, -40.0, 1e-3, GEODESICS},      {0.0, 90.0, 1e-4, GEODESICS},
      {77.0, -80.0, 1e-3, GEODESICS},        {30.0, 0.0, 0.2, GEODESICS_OF_SPHERE},
      {0.0, 45.0, 1e-4, GEODESICS_OF_SPHERE}};
  (void)unused;
  for (int i = 0; i < (int)(sizeof maps / sizeof *maps); i++) {
    on = maps[i];
    try_world(i, 1, 1e-8);
  }
  for (int i = 0; i < (int)(sizeof geodesics / sizeof *geodesics); i++) {
    on = geodesics[i];
    try_world(i, 1, 1e-8);
  }
  on = (map){0};
}

/* ------------------------------------------------------------------------------------------ known answers */

static void lines(void **unused) {
  world w = {0};
  const double wall[2][2] = {{0, -3}, {0, 3}};
  (void)unused;
  add(&w, GV_PART_LINE, 2, wall);
  assert_true(way(&w, -4, 0, 4, 0) == 10.0);
  assert_true(way(&w, -4, 3, 4, 3) == 8.0);  /* touches an end */
  assert_true(way(&w, 0, -5, 0, 5) == 10.0); /* along the wall */
  assert_true(way(&w, 0, 1, 0, 2) == 1.0);
  assert_true(way(&w, 0, 1, -1, 1) == 1.0 && way(&w, 0, 1, 1, 1) == 1.0); /* on it: on both sides */
  assert_true(fabs(way(&w, -1, 0, 1, 0) - 2.0 * sqrt(10.0)) < 1e-12);
  /* Lines that end where another begins or passes leave no gap. */
  world t = {0};
  const double left[2][2] = {{-9, 0}, {0, 0}}, right[2][2] = {{0, 0}, {9, 0}},
               across[2][2] = {{3, 0}, {3, 5}};
  add(&t, GV_PART_LINE, 2, left);
  add(&t, GV_PART_LINE, 2, right);
  add(&t, GV_PART_LINE, 2, across);
  assert_true(fabs(way(&t, 0, 1, 0, -1) - 2.0 * sqrt(82.0)) < 1e-12);
  assert_true(fabs(way(&t, 2, 1, 4, 1) - 2.0 * sqrt(17.0)) < 1e-12);
  assert_true(fabs(way(&t, 4, 1, 4, -1) - 2.0 * sqrt(26.0)) < 1e-12);
}

/* A way that follows a line does not change to its other side. */
static void sides_of_lines(void **unused) {
  world w = {0};
  const double z[4][2] = {{0, 10}, {0, 0}, {5, 0}, {5, -10}};
  (void)unused;
  add(&w, GV_PART_LINE, 4, z);
  /* From above the middle piece to below it: round the upper end, or round the lower one. */
  const double over = hypot(3, 9) + 10.0 + hypot(3, 1), under = hypot(2, 1) + 10.0 + hypot(2, 9);
  assert_true(fabs(way(&w, 3, 1, 3, -1) - fmin(over, under)) < 1e-12);
  /* A cross closes all its corners. */
  world c = {0};
  const double one[3][2] = {{-5, 0}, {0, 0}, {5, 0}}, two[3][2] = {{0, -5}, {0, 0}, {0, 5}};
  add(&c, GV_PART_LINE, 3, one);
  add(&c, GV_PART_LINE, 3, two);
  assert_true(fabs(way(&c, 1, 1, -1, -1) - (2.0 * sqrt(17.0) + sqrt(50.0))) < 1e-12);
}

static void polygons(void **unused) {
  world w = {0};
  const double square[4][2] = {{0, 0}, {4, 0}, {4, 4}, {0, 4}};
  /* with a vertex that the other lacks */
  const double beside[5][2] = {{4, 0}, {8, 0}, {8, 4}, {4, 4}, {4, 1}};
  (void)unused;
  add(&w, GV_PART_POLYGON, 4, square);
  assert_true(way(&w, 0, 0, 4, 4) == 8.0); /* vertex to vertex, not through the inside */
  assert_true(way(&w, 0, 2, 2, 0) == 4.0);
  assert_true(isnan(way(&w, 2, 2, 9, 9)));
  assert_true(way(&w, -2, 0, 6, 0) == 8.0); /* along an edge */
  /* No slit along a shared edge. */
  add(&w, GV_PART_POLYGON, 5, beside);
  assert_true(fabs(way(&w, 4, -1, 4, 5) - (2.0 * sqrt(17.0) + 4.0)) < 1e-12);
  assert_true(isnan(way(&w, 4, 2, 4, -1)));
  assert_true(way(&w, 4, 0, 4, -1) == 1.0);
}

/* The even-odd rule, a hole, and walls that enclose all seeds. */
/* Longitudes and latitudes. */
static void try_degrees(void) {
  const double half_turn = measure(0, 0, 180, 0);
  for (int seam = 0; seam < 2; seam++) { /* a wall along a meridian, also along the antimeridian */
    const double at = seam ? 180.0 : 0.0, wall[2][2] = {{at, -10}, {at, 10}};
    world w = {0};
    add(&w, GV_PART_LINE, 2, wall);
    const double expected = 2.0 * measure(at - 5.0, 0, at, 10);
    assert_true(fabs(way(&w, at - 5.0, 0, seam ? -175.0 : 5.0, 0) - expected) < 1e-6);
    assert_true(fabs(way(&w, at - 5.0, 20, at + 5.0, 20) - measure(-5, 20, 5, 20)) < 1e-6);
    assert_true(fabs(way(&w, at, -20, at, 90) - measure(0, -20, 0, 90)) < 1e-6); /* along it to a pole */
  }
  world ends = {0}; /* longitudes as written: a wall across the antimeridian */
  const double across[2][2] = {{170, 5}, {190, 5}};
  add(&ends, GV_PART_LINE, 2, across);
  assert_true(fabs(way(&ends, 178, 6, 178, 4) - measure(178, 6, 170, 5) - measure(170, 5, 178, 4)) < 1e-6);
  assert_true(fabs(way(&ends, -178, 6, -178, 4) - measure(182, 6, 190, 5) - measure(190, 5, 182, 4)) < 1e-6);
  /* Antipodes: walls in some directions leave others. */
  world poles = {0};
  const double wall[2][2] = {{90, -45}, {90, 45}}, over[4][2] = {{90, 50}, {90, 90}, {-90, 90}, {-90, 50}};
  add(&poles, GV_PART_LINE, 2, wall);
  assert_true(fabs(way(&poles, 0, 0, 180, 0) - half_turn) < 1e-6);
  assert_true(fabs(way(&poles, 90, 0, -90, 0) - half_turn) < 1e-6);
  assert_true(fabs(way(&poles, 10, 20, -170, -20) - half_turn) < 1e-6);
  add(&poles, GV_PART_LINE, 4, over);
  if (on.legs != GEODESICS) assert_true(fabs(way(&poles, 0, 0, 180, 0) - half_turn) < 1e-6);
  assert_true(fabs(way(&poles, 0, 80, 180, 80) - measure(0, 80, 90, 50) - measure(90, 50, 180, 80)) < 1e-6);
  /* The equator parts the globe. */
  world equator = {0};
  const double round[5][2] = {{-180, 0}, {-90, 0}, {0, 0}, {90, 0}, {180, 0}};
  add(&equator, GV_PART_LINE, 5, round);
  assert_true(isnan(way(&equator, 20, 1, 20, -1)) && isnan(way(&equator, 0, 90, 0, -90)));
  assert_true(fabs(way(&equator, 45, 10, -135, 10) - measure(45, 10, -135, 10)) < 1e-6);
  assert_true(fabs(way(&equator, 170, 0, -170, 0) - measure(170, 0, 190, 0)) < 1e-6); /* along it */
}

/* On the sphere, by both metrics, and on the ellipsoid. */
static void degrees(void **unused) {
  (void)unused;
  for (int legs = GREAT_CIRCLES; legs <= GEODESICS; legs++) {
    on = (map){.scale = -1.0, .legs = legs};
    try_degrees();
  }
  on = (map){0};
}

/* Straight edges of 560 km are followed by legs that deviate by 1/50,000 of that; edges along a meridian are
 * one leg. */
static void straight_edges(void **unused) {
  static const double block[4][2] = {{-5, 60}, {5, 60}, {5, 65}, {-5, 65}};
  world w = {0};
  int64_t turns = 0;
  double x = -5.0, y = 60.0;
  gv_barrier_way along;
  (void)unused;
  add(&w, GV_PART_POLYGON, 4, block);
  for (int legs = GREAT_CIRCLES; legs <= GEODESICS; legs++) {
    on = (map){.scale = -1.0, .legs = legs};
    gv_barriers *b = solved(&w, &x, &y, 1, NULL);
    for (double lon = -4.9; lon < 5.0; lon += 0.1) {
      const double off = 12.0 / 111e3; /* degrees */
      assert_false(isnan(length_to(b, lon, 60.0 - off, NULL)));
      assert_true(isnan(length_to(b, lon, 60.0 + off, NULL)));
    }
    gv_barrier_way_init(&along);
    along.x = 5.0;
    along.y = 60.0;
    along.count = &turns;
    assert_int_equal(gv_barriers_get_way(context, b, &along), GV_OK);
    assert_in_range(turns, 28, 36);
    along.y = 65.0;
    assert_int_equal(gv_barriers_get_way(context, b, &along), GV_OK);
    assert_int_equal(turns, 3); /* along the meridian, then over the north */
    gv_barriers_destroy(b);
  }
  on = (map){0};
}

/* Latitudes beyond the poles are an error on the sphere; positions that are not finite have no way. */
static void positions(void **unused) {
  const double x[] = {0.0, NAN, 2.0}, y[] = {1.0, 0.0, 95.0}, beyond[] = {-90.5};
  int64_t left_out = -1;
  int32_t seed = -2;
  (void)unused;
  for (int globe = 0; globe < 2; globe++) {
    gv_barriers_options options;
    gv_barriers_options_init(&options);
    if (globe) options.metric = GV_GREAT_CIRCLE;
    gv_barriers *b = NULL;
    gv_barrier_places places;
    gv_barrier_places_init(&places);
    places.x = x;
    places.y = beyond;
    places.count = 1;
    places.seed = &seed;
    assert_int_equal(gv_barriers_create(context, NULL, &options, &b), GV_OK);
    assert_int_equal(gv_barriers_solve(context, b, x, y, 2, &left_out), GV_OK);
    assert_int_equal(left_out, 1);
    assert_int_equal(gv_barriers_get(context, b, &places), globe ? GV_ERROR_INVALID_ARGUMENT : GV_OK);
    if (globe)
      assert_string_equal(gv_context_message(context), "place 0: latitude out of range [-90, 90] (-90.5)");
    assert_int_equal(gv_barriers_solve(context, b, x, y, 3, NULL), globe ? GV_ERROR_INVALID_ARGUMENT : GV_OK);
    if (globe)
      assert_string_equal(gv_context_message(context), "seed 2: latitude out of range [-90, 90] (95)");
    gv_barriers_destroy(b);
  }
}

/* Polygons that hold a pole, as maps write them, and more than a hemisphere. */
static void try_caps(void) {
  const double top[2] = {-70.0, 30.0};
  for (int i = 0; i < 2; i++) {
    const double cap[5][2] = {{-180, -90}, {180, -90}, {180, top[i]}, {-180, top[i]}, {-180, -90}};
    world w = {0};
    begin_part(&w, GV_PART_POLYGON);
    for (int v = 0; v < 5; v++)
      add_vertex(&w, cap[v][0], cap[v][1]);
    w.parts++;
    assert_true(isnan(way(&w, 0, top[i] - 10.0, 0, 80)) && isnan(way(&w, 180, 80, 180, top[i] - 1.0)));
    assert_true(isnan(way(&w, 0, -90, 0, 80)) && isnan(way(&w, 0, 80, -179.9, -89.9)));
    assert_true(fabs(way(&w, 0, 40, 180, 50) - measure(0, 40, 180, 50)) < 1e-6);
    if (i == 1 || on.legs == GEODESICS) continue;
    /* Two tangents, and round the parallel, which is followed within 20 meters. */
    const double near = 20.0 * radian, far = 30.0 * radian, tangent = acos(cos(far) / cos(near)),
                 turn = 3.14159265358979323846 - 2.0 * acos(tan(near) / tan(far));
    const double expected = globe_radius * (2.0 * tangent + turn * sin(near));
    assert_true(fabs(way(&w, -30, -60, 150, -60) - expected) < 30.0);
  }
  /* Two parts that a map cut along the antimeridian leave no slit. */
  world cut = {0};
  const double west[4][2] = {{170, -10}, {180, -10}, {180, 10}, {170, 10}},
               east[4][2] = {{-180, -10}, {-170, -10}, {-170, 10}, {-180, 10}};
  add(&cut, GV_PART_POLYGON, 4, west);
  add(&cut, GV_PART_POLYGON, 4, east);
  assert_true(isnan(way(&cut, 175, 0, 0, 0)) && isnan(way(&cut, -175, 5, 0, 0)));
  const double north = measure(180, 20, 170, 10) + measure(170, 10, 170, -10) + measure(170, -10, 180, -20);
  assert_true(fabs(way(&cut, 180, 20, 180, -20) - north) < 1e-6);
}

static void caps(void **unused) {
  (void)unused;
  for (int legs = GREAT_CIRCLES; legs <= GEODESICS; legs++) {
    on = (map){.scale = -1.0, .legs = legs};
    try_caps();
  }
  on = (map){0};
}

static void closed(void **unused) {
  world w = {0};
  const double bow[4][2] = {{0, 0}, {4, 4}, {4, 0}, {0, 4}};
  const double outer[5][2] = {{-9, -9}, {9, -9}, {9, 9}, {-9, 9}, {-9, -9}};
  const double nan_vertex[3][2] = {{0, 0}, {1, (double)NAN}, {2, 0}};
  const double x[3] = {0.5, (double)NAN, 2}, y[3] = {2, 0, 1};
  int64_t left_out = 0;
  (void)unused;
  add(&w, GV_PART_POLYGON, 4, bow);
  assert_true(isnan(way(&w, 0.5, 2, 2, 1)));
  assert_true(fabs(way(&w, 2, 3, 2, 1) - (2.0 * sqrt(5.0) + 4.0)) < 1e-12); /* not through its middle */
  gv_barriers *b = solved(&w, x, y, 3, &left_out);
  assert_int_equal(left_out, 2);
  gv_barriers_destroy(b);
  world e = {0};
  add(&e, GV_PART_LINE, 5, outer);
  assert_true(isnan(way(&e, 0, 0, 10, 0)));
  assert_true(way(&e, 0, 0, 9, 0) == 9.0);
  world n = {0};
  add(&n, GV_PART_LINE, 3, nan_vertex);
  const gv_features f = features_of(&n);
  assert_int_equal(gv_barriers_create(context, &f, NULL, &b), GV_ERROR_INVALID_ARGUMENT);
  assert_string_equal(gv_context_message(context), "feature 0: a coordinate is not finite");
}

static void no_barriers(void **unused) {
  const double x[2] = {0, 3}, y[2] = {0, 4};
  int32_t seed;
  gv_barriers *b = NULL;
  (void)unused;
  assert_int_equal(gv_barriers_create(context, NULL, NULL, &b), GV_OK);
  assert_int_equal(gv_barriers_solve(context, b, x, y, 2, NULL), GV_OK);
  assert_true(length_to(b, 0, 0, &seed) == 0.0 && seed == 0);
  assert_true(length_to(b, 1.5, 2, &seed) == 2.5 && seed == 0);
  assert_true(isnan(length_to(b, (double)NAN, 2, &seed)) && seed == -1);
  gv_barriers_destroy(b);
  gv_barriers_options options;
  gv_barriers_options_init(&options);
  options.metric = GV_MANHATTAN;
  assert_int_equal(gv_barriers_create(context, NULL, &options, &b), GV_ERROR_UNSUPPORTED);
  options.metric = GV_GEODESIC;
  options.semi_major = 1.0;
  options.flattening = 0.1;
  assert_int_equal(gv_barriers_create(context, NULL, &options, &b), GV_ERROR_UNSUPPORTED);
  assert_string_equal(gv_context_message(context), "barriers: unsupported flattening (0.1); use 0 to 0.02");
}

static int start(void **unused) {
  (void)unused;
  geod_init(&wgs84, 6378137.0, 1.0 / 298.257223563);
  return gv_context_create(NULL, &context) == GV_OK ? 0 : 1;
}

static int stop(void **unused) {
  (void)unused;
  gv_context_destroy(context);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines),         cmocka_unit_test(sides_of_lines),        cmocka_unit_test(polygons),
      cmocka_unit_test(degrees),       cmocka_unit_test(straight_edges),        cmocka_unit_test(caps),
      cmocka_unit_test(closed),        cmocka_unit_test(no_barriers),           cmocka_unit_test(positions),
      cmocka_unit_test(random_worlds), cmocka_unit_test(random_worlds_on_globe)};
  return cmocka_run_group_tests(tests, start, stop);
}
