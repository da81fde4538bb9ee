/* The sides of geodesics by which ways round barriers are decided, against places of PROJ's geodesics. */
#include "barriers/ellipsoid.h"

#include "cmocka_test.h"

#include <stdlib.h>

#include "barriers/inside.h"
#include "barriers/rings.h"
#include "split_mix.h"

static gv_context *context;
static uint64_t state = 5;
static const double radian = 3.14159265358979323846 / 180.0;

static double uniform(double low, double high) {
  return low + (high - low) * (double)(split_mix(&state) >> 11) * 0x1p-53;
}

static gv_barriers on_ellipsoid(double flattening) {
  gv_barriers b = {.metric = GV_GEODESIC, .geometry = &gv_barrier_ellipsoid};
  assert_int_equal(gv_ellipsoid_init(context, 6378137.0, flattening, &b.ellipsoid), GV_OK);
  assert_true(gv_barrier_ellipsoid_init(&b));
  return b;
}

static void to_place(const gv_barriers *b, double lon, double lat, double x[3]) {
  double at[3];
  gv_barrier_place_at(b, lon, lat, x, at);
}

/* A random geodesic of up to `longest` meters from lon, lat on. */
static struct geod_geodesicline begin(const gv_barriers *b, double longest, double *length, double p[3],
                                      double q[3]) {
  struct geod_geodesicline line;
  double lat = asin(uniform(-1.0, 1.0)) / radian, lon = uniform(-180.0, 180.0);
  *length = longest * uniform(0.01, 1.0);
  geod_lineinit(&line, &b->geodesic.geod, lat, lon, uniform(-180.0, 180.0), 0);
  to_place(b, lon, lat, p);
  geod_position(&line, *length, &lat, &lon, NULL);
  to_place(b, lon, lat, q);
  return line;
}

/* Of a place beside a line: `aside` meters to its left, at s. */
static void beside(const gv_barriers *b, const struct geod_geodesicline *line, double s, double aside,
                   double x[3]) {
  double lat, lon, azimuth;
  geod_position(line, s, &lat, &lon, &azimuth);
  if (aside != 0.0) geod_direct(&b->geodesic.geod, lat, lon, azimuth - 90.0, aside, &lat, &lon, NULL);
  to_place(b, lon, lat, x);
}

static double chord2(const double *p, const double *q) {
  const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/* The bound of determinants holds, up to near the antipodes. */
static void bends(void **unused) {
  static const double flattening[] = {1.0 / 298.257223563, 1.0 / 1000.0, 0.02},
                      longest[] = {1e4, 1e6, 1e7, 1.98e7};
  double most = 0.0, most_beside = 0.0;
  (void)unused;
  for (int i = 0; i < 12; i++) {
    const gv_barriers b = on_ellipsoid(flattening[i % 3]);
    for (int k = 0; k < 3000; k++) {
      double p[3], q[3], x[3], length;
      const struct geod_geodesicline line = begin(&b, longest[i / 3], &length, p, q);
      const double bend = gv_barrier_bend(&b, chord2(p, q));
      beside(&b, &line, length * uniform(0.0, k % 2 == 0 ? 1.0 : 0.01), 0.0, x);
      const double bend_beside = gv_barrier_bend_beside(&b, chord2(p, q), fmin(chord2(p, x), chord2(x, q)));
      const double value = fabs(x[0] * (p[1] * q[2] - p[2] * q[1]) + x[1] * (p[2] * q[0] - p[0] * q[2]) +
                                x[2] * (p[0] * q[1] - p[1] * q[0]));
      assert_true(value <= bend + 1e-15 && value <= bend_beside + 1e-15 && bend_beside <= bend);
      if (bend > 1e-9 && !isinf(bend)) most = fmax(most, value / bend);
      if (bend_beside > 1e-9 && !isinf(bend)) most_beside = fmax(most_beside, value / bend_beside);
    }
  }
  assert_true(most > 0.5 && most < 0.9); /* of the margins */
  assert_true(most_beside > 0.7 && most_beside < 0.9);
}

/* The direction of b from a place, across it. */
static void across(const double *p, const double *x, double *out) {
  const double d[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]}, up = p[0] * d[0] + p[1] * d[1] + p[2] * d[2];
  double size = 0.0;
  for (int i = 0; i < 3; i++) {
    out[i] = d[i] - up * p[i];
    size += out[i] * out[i];
  }
  for (int i = 0; i < 3; i++)
    out[i] /= sqrt(size);
}

/* Geodesics begin in the direction of great circles but for f c, up to the chord at which views end. */
static void directions(void **unused) {
  static const double flattening[] = {1.0 / 298.257223563, 0.02}, longest[] = {1e6, 5e6, 9.6e6};
  double most = 0.0;
  (void)unused;
  for (int i = 0; i < 6; i++) {
    const gv_barriers b = on_ellipsoid(flattening[i % 2]);
    for (int k = 0; k < 3000; k++) {
      double p[3], q[3], x[3], begins[3], leads[3], length;
      const struct geod_geodesicline line = begin(&b, longest[i / 2], &length, p, q);
      beside(&b, &line, 1e-4 * length, 0.0, x);
      across(p, x, begins);
      across(p, q, leads);
      most = fmax(most, sqrt(chord2(begins, leads)) / (flattening[i % 2] * sqrt(chord2(p, q))));
    }
  }
  assert_true(most > 0.5 && most < 0.7);
}

/* Places down to 10 micrometers beside geodesics of all lengths; all orders of three places agree. */
static void sides(void **unused) {
  static const double longest[] = {1e3, 1e5, 3e6, 1e7, 1.9e7}, aside[] = {1e-5, 1e-3, 0.1, 100.0, 3e5};
  const gv_barriers b = on_ellipsoid(1.0 / 298.257223563);
  (void)unused;
  for (int i = 0; i < 25; i++) {
    for (int k = 0; k < 300; k++) {
      double p[3], q[3], r[3], length;
      const struct geod_geodesicline line = begin(&b, longest[i % 5], &length, p, q);
      const double off = fmin(aside[i / 5], 0.1 * length), left = uniform(-1.0, 1.0) < 0.0 ? -1.0 : 1.0;
      beside(&b, &line, length * uniform(0.15, 0.85), left * off, r);
      const int turn = gv_barrier_ellipsoid_turn(&b, p, q, r);
      if (turn != (int)left) fail_msg("%g m beside %g m: %d", left * off, length, turn);
      assert_true(gv_barrier_ellipsoid_turn(&b, q, r, p) == turn &&
                  gv_barrier_ellipsoid_turn(&b, r, p, q) == turn);
      assert_true(gv_barrier_ellipsoid_turn(&b, q, p, r) == -turn &&
                  gv_barrier_ellipsoid_turn(&b, p, r, q) == -turn);
      assert_true(gv_barrier_ellipsoid_turn(&b, r, q, p) == -turn &&
                  gv_barrier_ellipsoid_turn(&b, p, q, p) == 0);
    }
  }
}

/* What azimuths leave open: signs of all triples on one geodesic are those of points on a curve that bends to
 * one side. */
static void one_geodesic(void **unused) {
  const gv_barriers b = on_ellipsoid(1.0 / 298.257223563);
  (void)unused;
  for (int k = 0; k < 20; k++) {
    double p[3], q[3], x[8][3], length;
    const struct geod_geodesicline line = begin(&b, 3e6, &length, p, q);
    for (int i = 0; i < 8; i++)
      beside(&b, &line, length * i / 7.0, 0.0, x[i]);
    for (int i = 0; i < 8; i++)
      for (int j = i + 1; j < 8; j++)
        for (int l = j + 1; l < 8; l++) {
          const int turn = gv_barrier_ellipsoid_turn(&b, x[i], x[j], x[l]);
          assert_true(fabs(gv_barrier_ellipsoid_offset(&b, x[i], x[l], x[j])) < 1e-14);
          assert_int_equal(turn, gv_barrier_sphere.turn(&b, x[i], x[j], x[l]));
        }
  }
  double x[3][3];
  for (int i = 0; i < 3; i++)
    to_place(&b, 90.0, -40.0 + 30.0 * i, x[i]);
  assert_int_equal(gv_barrier_ellipsoid_turn(&b, x[0], x[1], x[2]), 0); /* on a meridian */
}

/* Ways begin inside of a polygon, or not, on both sides of its long edges, which bend by kilometers. */
static void long_edges(void **unused) {
  static const double corner[3][2] = {{-60, 40}, {50, 20}, {10, 65}};
  const int64_t part[] = {0, 1}, ring[] = {0, 1}, vertex[] = {0, 4};
  const uint8_t kind[] = {GV_PART_POLYGON};
  double x[4], y[4];
  gv_features f;
  gv_barriers_options options;
  gv_barriers *b = NULL;
  (void)unused;
  for (int i = 0; i < 4; i++) {
    x[i] = corner[i % 3][0];
    y[i] = corner[i % 3][1];
  }
  gv_features_init(&f);
  f.count = 1;
  f.part = part;
  f.ring = ring;
  f.vertex = vertex;
  f.kind = kind;
  f.x = x;
  f.y = y;
  f.edges = GV_EDGES_GEODESIC;
  gv_barriers_options_init(&options);
  options.metric = GV_GEODESIC;
  assert_int_equal(gv_barriers_create(context, &f, &options, &b), GV_OK);
  const gv_barriers on = on_ellipsoid(1.0 / 298.257223563);
  for (int i = 0; i < 3; i++) {
    struct geod_geodesicline line;
    double length;
    geod_inverse(&on.geodesic.geod, y[i], x[i], y[i + 1], x[i + 1], &length, NULL, NULL);
    geod_inverseline(&line, &on.geodesic.geod, y[i], x[i], y[i + 1], x[i + 1], 0);
    for (int k = 0; k < 100; k++) {
      const double s = length * uniform(0.02, 0.98), aside = uniform(1.0, 4.0);
      for (int left = 0; left < 2; left++) { /* rings run counterclockwise */
        double place[3];
        beside(&on, &line, s, (left ? 1.0 : -1.0) * pow(10.0, aside), place);
        const gv_barrier_place found = gv_barrier_place_of(b, place);
        if ((found == GV_BARRIER_INSIDE) != left) fail_msg("edge %d, at %g of %g: %d", i, s, length, left);
      }
    }
  }
  gv_barriers_destroy(b);
}

static int start(void **unused) {
  (void)unused;
  return gv_context_create(NULL, &context) == GV_OK ? 0 : 1;
}

static int stop(void **unused) {
  (void)unused;
  gv_context_destroy(context);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bends), cmocka_unit_test(directions),
                                     cmocka_unit_test(sides), cmocka_unit_test(one_geodesic),
                                     cmocka_unit_test(long_edges)};
  return cmocka_run_group_tests(tests, start, stop);
}
