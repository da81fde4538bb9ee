/* The measuring kernels. */
#include "measure/measure_kernels.h"
#include "geodesic/direction_lanes.h"

GV_INLINE void plane_body(const int metric, const gv_pairs *pairs, double *distance) {
  for (int64_t i = 0; i < pairs->n; i += VD_LANES) {
    vd x = vd_load(pairs->x + i) - vd_load(pairs->seed_x + i);
    vd y = vd_load(pairs->y + i) - vd_load(pairs->seed_y + i);
    vd d = vd_norm_join(metric, vd_norm_of(metric, x), vd_norm_of(metric, y));
    vd_store(distance + i, metric == GV_EUCLIDEAN ? vd_sqrt(d) : d);
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
  for (int64_t i = 0; i < pairs->n; i += VD_LANES) {
    vd x = vd_load(pairs->x + i) - vd_load(pairs->seed_x + i);
    vd y = vd_load(pairs->y + i) - vd_load(pairs->seed_y + i);
    vd z = vd_load(pairs->z + i) - vd_load(pairs->seed_z + i);
    vd_store(distance + i, vd_arc_of_chord2(radius, x * x + y * y + z * z));
  }
}

static void plane_azimuth(const gv_pairs *pairs, double *azimuth) {
  for (int64_t i = 0; i < pairs->n; i += VD_LANES) {
    vd east = vd_load(pairs->seed_x + i) - vd_load(pairs->x + i);
    vd north = vd_load(pairs->seed_y + i) - vd_load(pairs->y + i);
    vd_store(azimuth + i, vd_bearing(east, north));
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
