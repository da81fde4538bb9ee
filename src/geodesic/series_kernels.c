/* The kernels of geodesics (series.h has the argument). */
#include "geodesic/direction_lanes.h"
#include "geodesic/series.h"

#include "exact/shared/as_lanes.h"
#define GV_NONE(mask) (vm_bits(mask) == 0)
#define GV_SOLVER     static __attribute__((noinline)) /* called from several places */

#include "geodesic/shared/series.h"

#include "geodesic/shared/slopes.h"

#undef GV_NONE
#undef GV_SOLVER
#include "exact/shared/end.h"

/* Bits of the lanes that the series does not solve. */
GV_INLINE unsigned open_lanes(const gv_series *g, const vd_solution *s) {
  unsigned small = vm_bits(vd_less(s->step, vd_all(g->largest_step)));
  unsigned near = vm_bits(vd_less(vd_all(g->least_cosine), s->cosine));
  return ~(small & near) & ((1U << VD_LANES) - 1U);
}

GV_INLINE int32_t list_open(unsigned lanes, int64_t i, int64_t n, int32_t *open, int32_t count) {
  for (int lane = 0; lanes != 0 && lane < VD_LANES; lane++) {
    if ((lanes >> lane & 1U) && i + lane < n) open[count++] = (int32_t)(i + lane);
  }
  return count;
}

static int32_t geodesic(const gv_pairs *pairs, const gv_series *series, double *distance, int32_t *open) {
  int32_t count = 0;
  for (int64_t i = 0; i < pairs->n; i += VD_LANES) {
    vd place[3] = {vd_load(pairs->x + i), vd_load(pairs->y + i), vd_load(pairs->z + i)};
    vd seed[3] = {vd_load(pairs->seed_x + i), vd_load(pairs->seed_y + i), vd_load(pairs->seed_z + i)};
    vd_solution s;
    vd_solve(series, place, seed, &s);
    vd_store(distance + i, s.length);
    count = list_open(open_lanes(series, &s), i, pairs->n, open, count);
  }
  return count;
}

static void geodesics_from(const double cell[3], const gv_series *series, int64_t n, const double *x,
                           const double *y, const double *z, double *distance) {
  vd place[3] = {vd_all(cell[0]), vd_all(cell[1]), vd_all(cell[2])};
  for (int64_t i = 0; i < n; i += VD_LANES) {
    vd seed[3] = {vd_load(x + i), vd_load(y + i), vd_load(z + i)};
    vd_solution s;
    vd_solve(series, place, seed, &s);
    vm small = vd_less(s.step, vd_all(series->largest_step));
    vm near = vd_less(vd_all(series->least_cosine), s.cosine);
    vd none = vd_all(-1.0);
    vd_store(distance + i, vd_select(small, vd_select(near, s.length, none), none));
  }
}

static void slopes(const gv_pairs *pairs, const gv_series *series, const double *const along[3],
                   double *distance, double *slope) {
  for (int64_t i = 0; i < pairs->n; i += VD_LANES) {
    vd from[3] = {vd_load(pairs->x + i), vd_load(pairs->y + i), vd_load(pairs->z + i)};
    vd at[3] = {vd_load(pairs->seed_x + i), vd_load(pairs->seed_y + i), vd_load(pairs->seed_z + i)};
    vd course[3] = {vd_load(along[0] + i), vd_load(along[1] + i), vd_load(along[2] + i)}, rate;
    vd_store(distance + i, vd_slope(series, from, at, course, &rate));
    vd_store(slope + i, rate);
  }
}

static int32_t geodesic_azimuth(const gv_pairs *pairs, const gv_norths *norths, const gv_series *series,
                                double *azimuth, int32_t *open) {
  int32_t count = 0;
  vd nothing = vd_all(GV_SERIES_NEAR), stretch = vd_all(series->stretch);
  for (int64_t i = 0; i < pairs->n; i += VD_LANES) {
    vd place[3] = {vd_load(pairs->x + i), vd_load(pairs->y + i), vd_load(pairs->z + i)};
    vd seed[3] = {vd_load(pairs->seed_x + i), vd_load(pairs->seed_y + i), vd_load(pairs->seed_z + i)};
    vd_solution s;
    vd_solve(series, place, seed, &s);
    vd_store(azimuth + i, bearing_on_sphere(norths, i, place[2] * stretch, s.x, s.y, seed[2] * stretch));
    unsigned lanes = open_lanes(series, &s) | vm_bits(vd_less(s.sine, nothing));
    count = list_open(lanes, i, pairs->n, open, count);
  }
  return count;
}

const gv_series_kernels GV_VARIANT(gv_series_kernels) = {
    .geodesic = geodesic,
    .geodesics_from = geodesics_from,
    .slopes = slopes,
    .geodesic_azimuth = geodesic_azimuth,
};
