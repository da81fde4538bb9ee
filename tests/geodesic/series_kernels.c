/* The kernels of the series against PROJ, with every instruction set of this processor: what they answer is
 * within 1e-7 m (scaled with the ellipsoid), and they leave open what they may not answer. */
#include "geodesic/series.h"

#include "cmocka_test.h"

#include <stdlib.h>
#include <string.h>

#include "geodesic/pair_sets.h"

enum { PAIRS = 1001, PADDED = 1008 };

static const char *const levels[] = {"baseline", "avx2", "avx512"};
static const double shapes[][2] = {
    {6378137.0, 1.0 / 298.257223563}, {6371000.0, 0.0}, {3396190.0, 1.0 / 169.89444722}, {6378137.0, 0.02}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static pair pairs[PAIRS];
static double from[3][PADDED], to[3][PADDED], along[3][PADDED], cosine[PADDED], sine[PADDED], p[PADDED],
    tangent[PAIRS];
static gv_pairs all = {PAIRS, from[0], from[1], from[2], to[0], to[1], to[2]};

/* A direction at the second place: `tangent` degrees, of any length, and a part that stands on the
 * ellipsoid. */
static void point_along(int i) {
  double lon = pairs[i].lon[1] * 0.017453292519943295, lat = pairs[i].lat[1] * 0.017453292519943295,
         size = fabs(pair_magnitude(0.1, 10.0));
  double east[3] = {-sin(lon), cos(lon), 0.0},
         north[3] = {-sin(lat) * cos(lon), -sin(lat) * sin(lon), cos(lat)},
         up[3] = {cos(lat) * cos(lon), cos(lat) * sin(lon), sin(lat)};
  double upward = pair_uniform(-0.1, 0.1);
  tangent[i] = pair_uniform(-180.0, 180.0);
  for (int axis = 0; axis < 3; axis++)
    along[axis][i] = size * (sin(tangent[i] * 0.017453292519943295) * east[axis] +
                             cos(tangent[i] * 0.017453292519943295) * north[axis] + upward * up[axis]);
}

static void fill(const gv_ellipsoid *ellipsoid, const struct geod_geodesic *geod, pair_kind kind) {
  for (int i = 0; i < PAIRS; i++) {
    pairs[i] = pair_make(ellipsoid, geod, kind);
    for (int axis = 0; axis < 3; axis++) {
      from[axis][i] = pairs[i].place[0][axis];
      to[axis][i] = pairs[i].place[1][axis];
    }
    p[i] = hypot(from[0][i], from[1][i]);
    cosine[i] = cos(pairs[i].lon[0] * 0.017453292519943295);
    sine[i] = sin(pairs[i].lon[0] * 0.017453292519943295);
    point_along(i);
  }
}

static void close_enough(const char *what, pair_kind kind, int i, double value, double expected,
                         double error) {
  if (!(fabs(value - expected) <= error)) {
    fail_msg("%s, kind %d: from %.17g %.17g to %.17g %.17g: %.12g, not %.12g", what, (int)kind,
             pairs[i].lon[0], pairs[i].lat[0], pairs[i].lon[1], pairs[i].lat[1], value, expected);
  }
}

static int check_distances(const gv_series_kernels *kernels, const gv_series *series, pair_kind kind) {
  static double distance[PADDED];
  static int32_t open[PADDED];
  static bool is_open[PAIRS];
  int32_t count = kernels->geodesic(&all, series, distance, open);
  memset(is_open, 0, sizeof is_open);
  for (int32_t n = 0; n < count; n++)
    is_open[open[n]] = true;
  for (int i = 0; i < PAIRS; i++) {
    if (!is_open[i])
      close_enough("distance", kind, i, distance[i], pairs[i].distance, 1e-7 * series->a / 6378137.0);
    if (!is_open[i] && kind == PAIR_SAME) assert_true(distance[i] == 0.0);
    /* The same pair alone, from a cell to seeds. */
    double one[8], x[8] = {to[0][i]}, y[8] = {to[1][i]}, z[8] = {to[2][i]},
                   cell[3] = {from[0][i], from[1][i], from[2][i]};
    kernels->geodesics_from(cell, series, 1, x, y, z, one);
    assert_true(is_open[i] ? one[0] == -1.0 : memcmp(&one[0], &distance[i], sizeof *one) == 0);
  }
  return PAIRS - count;
}

static void check_slopes(const gv_series_kernels *kernels, const gv_series *series, pair_kind kind) {
  static double distance[PADDED], slope[PADDED];
  kernels->slopes(&all, series, (const double *const[]){along[0], along[1], along[2]}, distance, slope);
  for (int i = 0; i < PAIRS; i++) {
    if (distance[i] < 0.0) continue;
    close_enough("distance with slope", kind, i, distance[i], pairs[i].distance,
                 1e-7 * series->a / 6378137.0);
    if (pairs[i].distance > 1.0 && fabs(pairs[i].lat[1]) < 89.999)
      close_enough("slope", kind, i, slope[i], cos((pairs[i].arrival - tangent[i]) * 0.017453292519943295),
                   1e-8);
  }
}

static void check_azimuths(const gv_series_kernels *kernels, const gv_series *series, pair_kind kind) {
  static double azimuth[PADDED];
  static int32_t open[PADDED];
  static bool is_open[PAIRS];
  gv_norths norths = {cosine, sine, p};
  int32_t count = kernels->geodesic_azimuth(&all, &norths, series, azimuth, open);
  memset(is_open, 0, sizeof is_open);
  for (int32_t n = 0; n < count; n++)
    is_open[open[n]] = true;
  for (int i = 0; i < PAIRS; i++) {
    if (is_open[i]) continue;
    assert_true(azimuth[i] >= 0.0 && azimuth[i] <= 360.0);
    if (pairs[i].distance > 1.0 && fabs(pairs[i].lat[0]) < 89.999)
      close_enough("azimuth", kind, i, remainder(azimuth[i] - pairs[i].azimuth, 360.0), 0.0, 1e-6);
  }
}

static void kernels_are_proj(void **unused) {
  (void)unused;
  for (int shape = 0; shape < SHAPES; shape++) {
    gv_ellipsoid ellipsoid = pair_ellipsoid(shapes[shape][0], shapes[shape][1]);
    struct geod_geodesic geod;
    gv_series series;
    geod_init(&geod, ellipsoid.semi_major, ellipsoid.flattening);
    gv_series_init(&ellipsoid, &series);
    for (pair_kind kind = PAIR_ANY; kind < PAIR_KINDS; kind++) {
      for (int level = 0; level < 3; level++) {
        assert_int_equal(setenv("GPUVORONOI_SIMD", levels[level], 1), 0);
        const gv_series_kernels *kernels = gv_series_kernels_get();
        fill(&ellipsoid, &geod, kind);
        int answered = check_distances(kernels, &series, kind);
        check_slopes(kernels, &series, kind);
        check_azimuths(kernels, &series, kind);
        /* Near antipodes there may be two geodesics: most pairs are left open; elsewhere hardly any. */
        bool few = kind == PAIR_ANTIPODAL && ellipsoid.flattening > 0.0;
        if (few ? answered > PAIRS / 2 : answered < PAIRS / 2)
          fail_msg("kind %d: %d are answered", (int)kind, answered);
        if (kind == PAIR_TINY || kind == PAIR_SAME) assert_int_equal(answered, PAIRS);
      }
    }
  }
  assert_int_equal(unsetenv("GPUVORONOI_SIMD"), 0);
}

/* Other ellipsoids are left open altogether. */
static void other_ellipsoids_are_open(void **unused) {
  (void)unused;
  static const double flattenings[] = {0.0201, 0.1, -1e-3};
  static double distance[PADDED];
  static int32_t open[PADDED];
  for (int i = 0; i < 3; i++) {
    gv_ellipsoid ellipsoid = pair_ellipsoid(6378137.0, flattenings[i]);
    struct geod_geodesic geod;
    gv_series series;
    geod_init(&geod, ellipsoid.semi_major, ellipsoid.flattening);
    gv_series_init(&ellipsoid, &series);
    fill(&ellipsoid, &geod, PAIR_ANY);
    assert_int_equal(gv_series_kernels_get()->geodesic(&all, &series, distance, open), PAIRS);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_are_proj),
                                     cmocka_unit_test(other_ellipsoids_are_open)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
