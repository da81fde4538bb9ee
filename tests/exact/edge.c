/* Exact distances to edges against samples along the edge refined by golden sections, computed in other
 * ways. */
#include "cmocka_test.h"

#include <math.h>
#include <string.h>

#include "exact/distance.h"
#include "exact/edge.h"
#include "split_mix.h"

static const double pi = 3.14159265358979323846;
static uint64_t state = 21;

static double uniform(double low, double high) {
  return low + (high - low) * (double)(split_mix(&state) >> 11) * 0x1p-53;
}

/* From low to high, all orders of magnitude alike. */
static double magnitude(double low, double high) {
  return exp(uniform(log(low), log(high)));
}

static const struct {
  const char *name;
  double a, f;
  bool sphere;
} shapes[] = {
    {"WGS 84", 6378137.0, 1.0 / 298.257223563, false}, {"f = 1/50", 6378137.0, 0.02, false},
    {"prolate", 6378137.0, -1.0 / 150.0, false},       {"round", 6371000.0, 0.0, false},
    {"sphere", 6378137.0, 1.0 / 298.257223563, true},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static gv_edge_surface surface_of(int shape) {
  gv_edge_surface surface;
  double f = shapes[shape].f;
  gv_ellipsoid ellipsoid = {shapes[shape].a, f, f * (2.0 - f)};
  gv_edge_surface_init(&ellipsoid, shapes[shape].sphere, &surface);
  return surface;
}

static gv_edge_place place_of(double lon, double lat) {
  gv_edge_place q = {.lon = lon, .lat = lat};
  gv_normalize_lonlat(&q.lon, &q.lat);
  gv_lonlat_to_vectors(NULL, false, 1, &q.lon, &q.lat, q.vector, q.vector + 1, q.vector + 2);
  return q;
}

static void nearest(const gv_edge_surface *surface, bool straight, const gv_edge_place *q, const double a[2],
                    const double b[2], gv_edge_closest *closest) {
  gv_edge edge;
  gv_edge_view ends[2];
  gv_edge_make(surface, straight, a, b, &edge);
  gv_edge_view_of(surface, q, a[0], a[1], &ends[0]);
  gv_edge_view_of(surface, q, b[0], b[1], &ends[1]);
  gv_edge_nearest(&edge, q, ends, closest);
}

/* ------------------------------------------------------------------------------------------------- bounds */

/* The radii of curvature of the meridian and across it, from their definitions. */
static void radii_at(const gv_ellipsoid *e, double lat, double *m, double *n) {
  double sine = sin(lat * pi / 180.0), w2 = 1.0 - e->eccentricity2 * sine * sine;
  *n = e->semi_major / sqrt(w2);
  *m = e->semi_major * (1.0 - e->eccentricity2) / (w2 * sqrt(w2));
}

static void surfaces_bound_their_curvature(void **unused) {
  (void)unused;
  for (int shape = 0; shape < SHAPES; shape++) {
    gv_edge_surface s = surface_of(shape);
    double least = INFINITY, most = 0.0, smallest = INFINITY, m, n;
    for (int i = 0; i <= 900; i++) {
      radii_at(&s.ellipsoid, 0.1 * i, &m, &n);
      least = fmin(least, 1.0 / sqrt(m * n));
      most = fmax(most, 1.0 / sqrt(m * n));
      smallest = fmin(smallest, fmin(m, n));
    }
    assert_true(fabs(s.root_least / least - 1.0) < 1e-12 && fabs(s.root_most / most - 1.0) < 1e-12);
    assert_true(fabs(s.smallest / smallest - 1.0) < 1e-12);
  }
}

/* Bounds of the speed and turn of straight lines hold everywhere: compared with differences of their courses,
 * without the component normal to the surface. */
static void motions_bound_their_lines(void **unused) {
  (void)unused;
  for (int i = 0; i < 4000; i++) {
    gv_edge_surface surface = surface_of(i % SHAPES);
    double size = magnitude(1e-3, 120.0), turned = uniform(-pi, pi);
    double a[2] = {uniform(-180.0, 180.0), uniform(-85.0, 85.0)}, b[2] = {a[0] + size * cos(turned), 0.0};
    b[1] = fmax(-85.0, fmin(85.0, a[1] + size * sin(turned)));
    gv_edge edge;
    double u = uniform(0.01, 0.99), lon, lat, length2 = 0.0, bend2 = 0.0, normal = 0.0;
    double place[3], along[3], before[3], after[3], change[3];
    gv_edge_make(&surface, true, a, b, &edge);
    gv_edge_motion motion = gv_edge_motion_of(&edge);
    gv_edge_at(&edge, u, &lon, &lat);
    assert_true(gv_edge_course(&edge, u, place, along));
    assert_true(gv_edge_course(&edge, u - 1e-4, place, before) &&
                gv_edge_course(&edge, u + 1e-4, place, after));
    lon *= pi / 180.0, lat *= pi / 180.0;
    const double up[3] = {cos(lat) * cos(lon), cos(lat) * sin(lon), sin(lat)};
    for (int d = 0; d < 3; d++) {
      change[d] = (after[d] - before[d]) / 2e-4;
      normal += change[d] * up[d];
      length2 += along[d] * along[d];
    }
    for (int d = 0; d < 3; d++)
      bend2 += (change[d] - normal * up[d]) * (change[d] - normal * up[d]);
    assert_true(sqrt(length2) <= motion.fastest && sqrt(length2) >= motion.slowest);
    assert_true(sqrt(bend2) <= motion.turn * (1.0 + 1e-6) + 1e-6 * motion.fastest);
  }
}

/* ------------------------------------------------------------------------------------------ the other way */

/* The edge by other means: geodesics by geod_inverseline, lines by their definition. */
typedef struct curve {
  const gv_edge_surface *surface;
  bool straight;
  double a[2], b[2];
  struct geod_geodesicline line;
} curve;

static double distance_at(const curve *o, const gv_edge_place *q, double u) {
  double lon, lat, d;
  if (o->straight) {
    lon = (1.0 - u) * o->a[0] + u * o->b[0];
    lat = (1.0 - u) * o->a[1] + u * o->b[1];
  } else {
    geod_position(&o->line, u * o->line.s13, &lat, &lon, NULL);
  }
  geod_inverse(&o->surface->geod, q->lat, q->lon, lat, lon, &d, NULL, NULL);
  return d;
}

static double golden(const curve *o, const gv_edge_place *q, double low, double high) {
  const double part = 0.61803398874989484820;
  double x1 = high - part * (high - low), x2 = low + part * (high - low);
  double f1 = distance_at(o, q, x1), f2 = distance_at(o, q, x2);
  for (int i = 0; i < 90; i++) {
    if (f1 <= f2) {
      high = x2, x2 = x1, f2 = f1;
      x1 = high - part * (high - low), f1 = distance_at(o, q, x1);
    } else {
      low = x1, x1 = x2, f1 = f2;
      x2 = low + part * (high - low), f2 = distance_at(o, q, x2);
    }
  }
  return fmin(f1, f2);
}

static double least_sampled(const gv_edge_surface *surface, bool straight, const gv_edge_place *q,
                            const double a[2], const double b[2], int samples) {
  curve o = {.surface = surface, .straight = straight, .a = {a[0], a[1]}, .b = {b[0], b[1]}};
  enum { MOST = 4097 };
  static double f[MOST];
  geod_inverseline(&o.line, &surface->geod, a[1], a[0], b[1], b[0], 0);
  double least = INFINITY;
  for (int i = 0; i <= samples; i++) {
    f[i] = distance_at(&o, q, (double)i / samples);
    least = fmin(least, f[i]);
  }
  for (int i = 0; i <= samples; i++) {
    bool low = (i == 0 || f[i] <= f[i - 1]) && (i == samples || f[i] <= f[i + 1]);
    if (!low) continue;
    double from = fmax(0.0, (double)(i - 1) / samples), to = fmin(1.0, (double)(i + 1) / samples);
    least = fmin(least, golden(&o, q, from, to));
  }
  return least;
}

/* A random edge, and a position near it, far from it or near its antipodes. */
static void draw(bool straight, double a[2], double b[2], gv_edge_place *q) {
  double size = magnitude(1e-9, straight ? 300.0 : 175.0), turn = uniform(-pi, pi);
  a[0] = uniform(-200.0, 200.0);
  a[1] = uniform(0.0, 1.0) < 0.2 ? copysign(90.0 - magnitude(1e-6, 5.0), uniform(-1.0, 1.0))
                                 : uniform(-90.0, 90.0);
  b[0] = a[0] + size * cos(turn);
  b[1] = fmax(-90.0, fmin(90.0, a[1] + 0.6 * size * sin(turn)));
  double u = uniform(-0.3, 1.3), away = magnitude(1e-8, 180.0), side = uniform(-pi, pi);
  double lon = a[0] + u * (b[0] - a[0]), lat = fmax(-90.0, fmin(90.0, a[1] + u * (b[1] - a[1])));
  double kind = uniform(0.0, 1.0);
  if (kind < 0.15) lon += 180.0, lat = -lat; /* the antipodes */
  if (kind > 0.85) away = uniform(85.0, 95.0);
  struct geod_geodesic g;
  geod_init(&g, 6378137.0, 0.0);
  geod_direct(&g, lat, lon, side / pi * 180.0, away * 111000.0, &lat, &lon, NULL);
  *q = place_of(lon, lat);
}

static void check_followed(bool straight) {
  for (int shape = 0; shape < SHAPES; shape++) {
    gv_edge_surface surface = surface_of(shape);
    double worst = 0.0, below = 0.0;
    for (int i = 0; i < 300; i++) {
      double a[2], b[2];
      gv_edge_place q;
      gv_edge_closest closest, reverse;
      draw(straight, a, b, &q);
      nearest(&surface, straight, &q, a, b, &closest);
      nearest(&surface, straight, &q, b, a, &reverse);
      assert_memory_equal(&closest, &reverse, sizeof closest);
      double found =
          shapes[shape].sphere ? gv_arc_of_chord2(surface.radius, closest.canonical) : closest.canonical;
      double least = least_sampled(&surface, straight, &q, a, b, i % 50 == 0 ? 4096 : 512);
      /* Arcs of chords near the antipodes are less accurate. */
      double room = shapes[shape].sphere && least > 0.99 * pi * surface.radius ? 0.3 : 1e-4;
      worst = fmax(worst, room < 0.1 ? found - least : 0.0);
      below = fmax(below, room < 0.1 ? least - found : 0.0);
      if (!(found - least <= room) || !(least - found <= (room > 0.1 ? room : 1e-6))) {
        fail_msg("%s, %s, %d: (%.17g %.17g) to (%.17g %.17g) from (%.17g %.17g): %.9f, sampled %.9f",
                 shapes[shape].name, straight ? "straight" : "geodesic", i, a[0], a[1], b[0], b[1], q.lon,
                 q.lat, found, least);
      }
    }
    print_message("%s, %s: at most %.2g m above and %.2g m below the samples\n", shapes[shape].name,
                  straight ? "straight" : "geodesic", worst, below);
  }
}

static void geodesics_are_followed(void **unused) {
  (void)unused;
  check_followed(false);
}

static void straight_lines_are_followed(void **unused) {
  (void)unused;
  /* A line to the pole with a flat minimum, which bounds of the wrong kind of bend have missed. */
  gv_edge_surface round = surface_of(3);
  const double a[2] = {37.270441810181637, 19.851932733745755}, b[2] = {3.6594663776931924, 90.0};
  gv_edge_place q = place_of(-48.094281954764696, 26.512799219077984);
  gv_edge_closest closest;
  nearest(&round, true, &q, a, b, &closest);
  assert_true(fabs(closest.canonical - least_sampled(&round, true, &q, a, b, 512)) < 9e-5);
  check_followed(true);
}

/* The search ends at recorded places: others are near enough to the nearest one, too, but files would
 * differ. */
static void searches_end_where_they_did(void **unused) {
  (void)unused;
  static const struct {
    int shape;
    bool straight;
    double a[2], b[2], lon, lat, meters;
  } known[] = {
      {1,
       true,
       {107.89544765294403, 70.925791151003693},
       {42.839303888368505, 54.596371780500945},
       68.156587413442963,
       60.951137262173006,
       0.0049594939849394526},
      {0,
       false,
       {168.68732588444675, -46.12134021665652},
       {333.02196201697552, -34.90606201467503},
       -112.54400655630347,
       -40.709827281650952,
       4498243.5114327529},
      {3,
       true,
       {98.688819113496947, 72.249836657641225},
       {119.40215482328632, 69.199811179374848},
       113.50055700047254,
       70.068829191185742,
       1.1733705045011766},
      {3,
       false,
       {-53.31324512393428, -26.284162808613644},
       {-54.411664636384607, -26.186488040014112},
       -53.474492263316954,
       -26.269824974721928,
       58.929692495688165},
      {0,
       true,
       {-118.48146804007857, -64.20784415614186},
       {-336.45604748620434, -90},
       -156.75785348789364,
       -70.41140939758192,
       176834.53142590434},
      {2,
       true,
       {-172.88909667812661, 10.125776261729627},
       {-254.64046272063001, 90},
       28.621718556395233,
       10.928808255617772,
       8743797.7545046881},
      {1,
       true,
       {45.512813276784669, 16.973742395941628},
       {-20.551662021196023, -34.521128271788335},
       96.223410728087515,
       -42.755313309577375,
       8266434.3224623464},
      {2,
       true,
       {-112.67403628902497, -7.1876218086074459},
       {-105.10224385782253, -2.8356067265646834},
       -110.98163225854856,
       -5.6916190892036971,
       50929.855161329535},
      {0,
       true,
       {10.842669923650874, 76.725872552471145},
       {19.646395396886358, 76.312408500332268},
       15.800770501626269,
       76.496280587278605,
       357.17635820191526},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    gv_edge_surface surface = surface_of(known[i].shape);
    gv_edge_place q = place_of(known[i].lon, known[i].lat);
    gv_edge_closest closest;
    nearest(&surface, known[i].straight, &q, known[i].a, known[i].b, &closest);
    assert_true(fabs(closest.canonical - known[i].meters) <
                1e-7); /* geod_inverse may be better some day, by 15 nm */
  }
}

/* ------------------------------------------------------------------------------------------ great circles */

static void arcs_are_geodesics_of_a_sphere(void **unused) {
  (void)unused;
  gv_edge_surface surface = surface_of(SHAPES - 1);
  for (int i = 0; i < 4000; i++) {
    double a[2], b[2];
    gv_edge_place q;
    gv_edge_closest closest, reverse, followed;
    draw(false, a, b, &q);
    gv_edge_place from = place_of(a[0], a[1]), to = place_of(b[0], b[1]);
    gv_edge_arc(q.vector, from.vector, to.vector, &closest);
    gv_edge_arc(q.vector, to.vector, from.vector, &reverse);
    assert_memory_equal(&closest, &reverse, sizeof closest);
    nearest(&surface, false, &q, a, b, &followed);
    double found = gv_arc_of_chord2(surface.radius, closest.canonical);
    double other = gv_arc_of_chord2(surface.radius, followed.canonical);
    if (found > 0.99 * pi * surface.radius) continue;
    if (fabs(found - other) > 5e-5) {
      fail_msg("%d: (%.17g %.17g) to (%.17g %.17g) from (%.17g %.17g): %.9f, followed %.9f", i, a[0], a[1],
               b[0], b[1], q.lon, q.lat, found, other);
    }
    /* The closest point is at its reported place. */
    double at =
        gv_arc_of_chord2(surface.radius, gv_canonical_distance(q.vector, closest.vector, 3, GV_EUCLIDEAN));
    assert_true(fabs(at - found) < 1e-5);
  }
}

/* Between antipodes over the north pole. */
static void arcs_half_round_the_globe(void **unused) {
  (void)unused;
  gv_edge_place a = place_of(10.0, 20.0), b = place_of(-170.0, -20.0), q = place_of(100.0, 80.0);
  gv_edge_closest closest;
  gv_edge_arc(q.vector, a.vector, b.vector, &closest);
  gv_edge_closest_lonlat(&closest);
  assert_true(fabs(closest.lat - 90.0) < 1e-9);
  gv_edge_place north = place_of(0.0, 90.0), south = place_of(5.0, -90.0), near = place_of(3.0, 0.0);
  gv_edge_arc(near.vector, north.vector, south.vector, &closest);
  gv_edge_closest_lonlat(&closest);
  assert_true(fabs(closest.lon) < 1e-9 && fabs(closest.lat) < 1e-9);
}

/* ---------------------------------------------------------------------------------------------- the plane */

/* The metric's length at part t of the edge, in long double. */
static long double plane_at(gv_metric metric, const double q[2], const double a[2], const double b[2],
                            long double t) {
  long double x = fabsl(((long double)a[0] - q[0]) + t * ((long double)b[0] - a[0]));
  long double y = fabsl(((long double)a[1] - q[1]) + t * ((long double)b[1] - a[1]));
  return metric == GV_MANHATTAN ? x + y : metric == GV_CHEBYSHEV ? fmaxl(x, y) : sqrtl(x * x + y * y);
}

static void plane_edges(void **unused) {
  (void)unused;
  static const gv_metric metrics[] = {GV_EUCLIDEAN, GV_MANHATTAN, GV_CHEBYSHEV};
  for (int i = 0; i < 30000; i++) {
    gv_metric metric = metrics[i % 3];
    double size = magnitude(1e-6, 1e7), corner = uniform(-1e7, 1e7), away = magnitude(1e-6, 1e7);
    double a[2] = {corner + uniform(-size, size), uniform(-size, size)};
    double b[2] = {corner + uniform(-size, size), uniform(-size, size)};
    double t = uniform(-0.5, 1.5);
    double q[2] = {a[0] + t * (b[0] - a[0]) + uniform(-away, away),
                   a[1] + t * (b[1] - a[1]) + uniform(-away, away)};
    if (i % 7 == 0) b[0] = a[0];
    if (i % 11 == 0) b[1] = a[1];
    gv_edge_closest closest, reverse;
    gv_edge_plane(metric, q, a, b, &closest);
    gv_edge_plane(metric, q, b, a, &reverse);
    assert_memory_equal(&closest, &reverse, sizeof closest);
    long double low = 0.0L, high = 1.0L;
    for (int k = 0; k < 200; k++) {
      long double t1 = low + (high - low) / 3, t2 = high - (high - low) / 3;
      if (plane_at(metric, q, a, b, t1) <= plane_at(metric, q, a, b, t2)) {
        high = t2;
      } else {
        low = t1;
      }
    }
    long double least = plane_at(metric, q, a, b, low);
    double found = metric == GV_EUCLIDEAN ? sqrt(closest.canonical) : closest.canonical;
    double room = 1e-15 * (found + size) + 1e-9 * found * 1e-4;
    if (fabsl(found - least) > room) {
      fail_msg("%s, (%.17g %.17g) to (%.17g %.17g) from (%.17g %.17g): %.17g, sampled %.17Lg",
               gv_metric_name(metric), a[0], a[1], b[0], b[1], q[0], q[1], found, least);
    }
    double at = gv_canonical_distance(q, closest.vector, 2, metric);
    if (metric == GV_EUCLIDEAN) at = sqrt(at);
    assert_true(fabs(at - found) <= 1e-14 * (fabs(corner) + size + found));
  }
}

/* Whole numbers: values are the rounded quotients, so equal distances tie. */
static void lattices_tie(void **unused) {
  (void)unused;
  for (int i = 0; i < 20000; i++) {
    double v[6];
    for (int k = 0; k < 6; k++)
      v[k] = floor(uniform(-1000.0, 1001.0));
    double mirrored[6] = {v[1], v[0], v[3], v[2], v[5], v[4]}, moved[6];
    for (int k = 0; k < 6; k++)
      moved[k] = 4096.0 - v[k];
    for (int metric = GV_EUCLIDEAN; metric <= GV_CHEBYSHEV; metric++) {
      gv_edge_closest one, two, three;
      gv_edge_plane((gv_metric)metric, v, v + 2, v + 4, &one);
      gv_edge_plane((gv_metric)metric, mirrored, mirrored + 2, mirrored + 4, &two);
      gv_edge_plane((gv_metric)metric, moved, moved + 2, moved + 4, &three);
      assert_true(one.canonical == two.canonical && one.canonical == three.canonical);
    }
  }
  const double q[2] = {0.0, 5.0}, a[2] = {-3.0, 0.0}, b[2] = {3.0, 0.0}, at[2] = {3.0, 1.0},
               short_b[2] = {-3.0, 1e-150};
  gv_edge_closest closest;
  gv_edge_plane(GV_EUCLIDEAN, q, a, b, &closest);
  assert_true(closest.canonical == gv_canonical_distance(q, at, 2, GV_EUCLIDEAN));
  gv_edge_plane(GV_EUCLIDEAN, q, a, short_b, &closest);
  assert_true(closest.canonical == 34.0);
  gv_edge_plane(GV_EUCLIDEAN, q, a, a, &closest);
  assert_true(closest.canonical == 34.0);
  /* All places from an end on are as far: the end it is. */
  const double right[2] = {2.0, 0.0}, origin[2] = {0.0, 0.0}, diagonal[2] = {3.0, 3.0};
  gv_edge_plane(GV_MANHATTAN, right, origin, diagonal, &closest);
  assert_true(closest.canonical == 2.0 && closest.vector[0] == 0.0 && closest.vector[1] == 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(surfaces_bound_their_curvature),
      cmocka_unit_test(motions_bound_their_lines),
      cmocka_unit_test(plane_edges),
      cmocka_unit_test(lattices_tie),
      cmocka_unit_test(arcs_are_geodesics_of_a_sphere),
      cmocka_unit_test(arcs_half_round_the_globe),
      cmocka_unit_test(geodesics_are_followed),
      cmocka_unit_test(straight_lines_are_followed),
      cmocka_unit_test(searches_end_where_they_did),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
