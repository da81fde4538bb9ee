/* The measuring kernels. */
#include "measure/measure_kernels.h"
#include "exact/distance.h"
#include "geodesic/direction_lanes.h"

/* asin(sqrt(h)) for 0 <= h <= 1, as gv_arc_of_chord2 has it. */
GV_INLINE vd arcsine_of_root(vd h) {
  vd half = vd_all(0.5), rest = vd_max(1.0 - h, vd_all(0.0));
  vm low = vd_less(h, half);
  vd t = vd_select(low, h, rest);
  vd angle = vd_sqrt(t) * polynomial(t, gv_arc_series, GV_ARC_TERMS);
  return vd_select(low, angle, 1.57079632679489661923 - angle);
}

GV_INLINE void plane_body(const int metric, const gv_pairs *pairs, double *distance) {
  for (int64_t i = 0; i < pairs->n; i += VD_LANES) {
    vd x = vd_load(pairs->x + i) - vd_load(pairs->seed_x + i);
    vd y = vd_load(pairs->y + i) - vd_load(pairs->seed_y + i);
    vd d = metric == GV_EUCLIDEAN   ? vd_sqrt(x * x + y * y)
           : metric == GV_MANHATTAN ? vd_abs(x) + vd_abs(y)
                                    : vd_max(vd_abs(x), vd_abs(y));
    vd_store(distance + i, d);
  }
}

static void euclidean(const gv_pairs *pairs, double *distance) {
  plane_body(GV_EUCLIDEAN, pairs, distance);
}
static void manhattan(const gv_pairs *pairs, double *distance) {
  plane_body(GV_MANHATTAN, pairs, distance);
}
static void chebyshev(const gv_pairs *pairs, double *distance) {
  plane_body(GV_CHEBYSHEV, pairs, distance);
}

static void great_circle(const gv_pairs *pairs, double radius, double *distance) {
  vd diameter = vd_all(2.0 * radius), quarter = vd_all(0.25);
  for (int64_t i = 0; i < pairs->n; i += VD_LANES) {
    vd x = vd_load(pairs->x + i) - vd_load(pairs->seed_x + i);
    vd y = vd_load(pairs->y + i) - vd_load(pairs->seed_y + i);
    vd z = vd_load(pairs->z + i) - vd_load(pairs->seed_z + i);
    vd chord2 = x * x + y * y + z * z;
    vd_store(distance + i, diameter * arcsine_of_root(chord2 * quarter));
  }
}

static void plane_azimuth(const gv_pairs *pairs, double *azimuth) {
  for (int64_t i = 0; i < pairs->n; i += VD_LANES) {
    vd east = vd_load(pairs->seed_x + i) - vd_load(pairs->x + i);
    vd north = vd_load(pairs->seed_y + i) - vd_load(pairs->y + i);
    vd_store(azimuth + i, bearing(east, north));
  }
}

static void great_circle_azimuth(const gv_pairs *pairs, const gv_norths *norths, double *azimuth) {
  for (int64_t i = 0; i < pairs->n; i += VD_LANES) {
    vd x = vd_load(pairs->seed_x + i), y = vd_load(pairs->seed_y + i), z = vd_load(pairs->seed_z + i);
    vd_store(azimuth + i, bearing_on_sphere(norths, i, vd_load(pairs->z + i), x, y, z));
  }
}

const gv_measure_kernels GV_VARIANT(gv_measure_kernels) = {
    .plane = {euclidean, manhattan, chebyshev},
    .great_circle = great_circle,
    .plane_azimuth = plane_azimuth,
    .great_circle_azimuth = great_circle_azimuth,
};
