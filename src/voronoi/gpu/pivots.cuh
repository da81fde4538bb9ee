/*
 * Culling by pivots: which seeds of a list cannot own a cell of a tile, because k others are nearer to all of it or the
 * largest distance does not reach them.
 */
#ifndef GV_PIVOTS_CUH
#define GV_PIVOTS_CUH

#include "voronoi/gpu/limits.cuh"

namespace gv {

enum {
  CORNERS = 4,
  MOST_PIVOTS = MOST_NEIGHBOURS + CORNERS,
  FEW = 5 /* candidates that are not worth a second look */
};

/* A pivot and what a candidate is compared with: SQUARE as in cull_once of voronoi/cpu/cull.c, the others against boxes. */
struct pivot {
  place at;
  double limit;
};

static constexpr double cull_slack = 4e-12;

template <int NORM, bool GEODESIC>
__device__ static pivot make_pivot(const problem &p, const bound &b, int32_t id) {
  pivot made;
  made.at = seed_place(p.seeds, id);
  double e = p.position_error;
  if (NORM == SQUARE) {
    double pivot2 = square(made.at, b.middle);
    made.limit = pivot2 * (1.0 + cull_slack) + cull_slack * b.radius * b.radius + 1.2e13 * e * e + 1e-290;
    if (GEODESIC) made.limit += geodesic_slack(p, (sqrt(pivot2) + b.radius) * (1.0 + 1e-12));
  } else {
    double half_x = half_across(p, b), half_z = half_down(p, b);
    double reach = fmax(fabs(b.middle.x - half_x - made.at.x), fabs(b.middle.x + half_x - made.at.x)) +
                   fmax(fabs(b.middle.z - half_z - made.at.z), fabs(b.middle.z + half_z - made.at.z));
    made.limit = 1e-14 * reach + 4.0 * e;
  }
  return made;
}

/* max over x in [low, high] of |x - p| - |x - s|. */
__device__ static inline double axis_gain(double low, double high, double p, double s) {
  return fmax(fabs(low - p) - fabs(low - s), fabs(high - p) - fabs(high - s));
}

/* True if the pivot is nearer than s in every cell of the tile, beyond all doubt. */
template <int NORM>
__device__ static bool dominates(const problem &p, const bound &b, const pivot &by, const place &s) {
  if (NORM == SQUARE) {
    double vx = s.x - by.at.x, vy = s.y - by.at.y, vz = s.z - by.at.z, reach = 0.0;
#pragma unroll
    for (int k = 0; k < 3; k++) {
      const place &g = b.generator[k];
      reach += fabs(fma(g.z, vz, fma(g.y, vy, g.x * vx)));
    }
    return square(s, b.middle) * (1.0 - cull_slack) - 2.0 * reach > by.limit;
  }
  double half_x = half_across(p, b), half_z = half_down(p, b);
  double lx = b.middle.x - half_x, hx = b.middle.x + half_x, lz = b.middle.z - half_z, hz = b.middle.z + half_z;
  double gain_x = axis_gain(lx, hx, by.at.x, s.x), gain_z = axis_gain(lz, hz, by.at.z, s.z), gain;
  if (NORM == SUM) {
    gain = gain_x + gain_z;
  } else {
    double reach = fmax(fmax(fabs(lx - by.at.x), fabs(hx - by.at.x)), fmax(fabs(lz - by.at.z), fabs(hz - by.at.z)));
    double gap_x = fmax(0.0, fmax(lx - s.x, s.x - hx)), gap_z = fmax(0.0, fmax(lz - s.z, s.z - hz));
    gain = fmin(fmax(gain_x, gain_z), reach - fmax(gap_x, gap_z));
  }
  return gain < -by.limit;
}

/* A seed is out when k pivots (all of them different seeds) dominate it, or nobody can reach it. */
template <int NORM>
__device__ static bool survives(const problem &p, const bound &b, const pivot *pivots, int count, const place &s) {
  if (out_of_reach<NORM>(p, b, s)) return false;
  int stronger = 0;
  for (int j = 0; j < count; j++) {
    if (dominates<NORM>(p, b, pivots[j], s) && ++stronger >= p.neighbours) return false;
  }
  return true;
}

__device__ static inline place corner_of(const bound &b, int corner) {
  double u = corner & 1 ? 1.0 : -1.0, v = corner & 2 ? 1.0 : -1.0;
  return {b.middle.x + u * b.generator[0].x + v * b.generator[1].x,
          b.middle.y + u * b.generator[0].y + v * b.generator[1].y,
          b.middle.z + u * b.generator[0].z + v * b.generator[1].z};
}

/* Orders candidates by their distance from a place. */
__device__ static inline unsigned long long nearness(const place &to, const place &s, int32_t id) {
  return (unsigned long long)__float_as_uint((float)square(s, to)) << 32 | (uint32_t)id;
}

static constexpr unsigned long long nobody = ~0ULL;

/* The candidate of a list nearest a place (for the calling warp; ties to any). */
__device__ static int32_t warp_nearest(const problem &p, const place &to, const int32_t *list, int32_t count,
                                       int lane) {
  uint32_t least = ~0U;
  int32_t nearest = 0;
  for (int32_t n = lane; n < count; n += WARP) {
    int32_t id = list[n];
    uint32_t key = __float_as_uint((float)square(seed_place(p.seeds, id), to));
    if (key < least || n == lane) {
      least = key;
      nearest = id;
    }
  }
  uint32_t all = warp_smallest(lane < count ? least : ~0U);
  uint32_t who = __ballot_sync(everyone, lane < count && least == all);
  return __shfl_sync(everyone, nearest, __ffs((int)who) - 1);
}

} // namespace gv

#endif
