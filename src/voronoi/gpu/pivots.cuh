/*
 * Culling by pivots: which seeds of a list cannot own a cell of a tile, because k others are nearer to all of
 * it or the largest distance does not reach them.
 */
#ifndef GV_PIVOTS_CUH
#define GV_PIVOTS_CUH

#include "voronoi/gpu/limits.cuh"

namespace gv {

enum {
  CORNERS = 4,
  MOST_PIVOTS = MOST_NEIGHBORS + CORNERS,
  FEW = 5 /* candidates that are not worth a second look */
};

/* A pivot and the compared bound: with SQUARE gv_lead, with the other norms gv_box_gain. */
struct pivot {
  place at;
  double limit;
};

/* The box around a tile's canonical positions. */
struct box_of_tile {
  double low_x, high_x, low_z, high_z;
  __device__ box_of_tile(const problem &p, const bound &b) {
    double half_x = half_across(p, b), half_z = half_down(p, b);
    low_x = b.middle.x - half_x, high_x = b.middle.x + half_x;
    low_z = b.middle.z - half_z, high_z = b.middle.z + half_z;
  }
};

template <int NORM, bool GEODESIC>
__device__ static pivot make_pivot(const problem &p, const bound &b, int32_t id) {
  pivot made;
  made.at = seed_place(p.seeds, id);
  if (NORM == SQUARE) {
    double pivot2 = square(made.at, b.middle);
    made.limit = gv_pivot_limit(pivot2, b.radius, p.position_error);
    if (GEODESIC) made.limit += gv_chord_slack(&p.chords, gv_farthest_chord(pivot2, b.radius));
  } else {
    const box_of_tile box(p, b);
    double reach =
        gv_axis_reach(box.low_x, box.high_x, made.at.x) + gv_axis_reach(box.low_z, box.high_z, made.at.z);
    made.limit = gv_box_limit(reach, p.position_error);
  }
  return made;
}

/* True if the pivot is certainly nearer than s in every cell of the tile. */
template <int NORM>
__device__ static bool dominates(const problem &p, const bound &b, const pivot &by, const place &s) {
  if (NORM == SQUARE) {
    double vx = s.x - by.at.x, vy = s.y - by.at.y, vz = s.z - by.at.z, reach = 0.0;
#pragma unroll
    for (int k = 0; k < 3; k++)
      reach += fabs(positions_dot(b.generator[k], vx, vy, vz));
    return gv_lead(gv_cull_slack, square(s, b.middle), reach) > by.limit;
  }
  const box_of_tile box(p, b);
  return gv_box_gain(NORM, box.low_x, box.high_x, box.low_z, box.high_z, by.at.x, by.at.z, s.x, s.z) <
         -by.limit;
}

/* A seed is excluded if k different pivots dominate it, or if it is out of reach of the whole tile. */
template <int NORM>
__device__ static bool survives(const problem &p, const bound &b, const pivot *pivots, int count,
                                const place &s) {
  if (out_of_reach<NORM>(p, b, s)) return false;
  int stronger = 0;
  for (int j = 0; j < count; j++) {
    if (dominates<NORM>(p, b, pivots[j], s) && ++stronger >= p.neighbors) return false;
  }
  return true;
}

__device__ static inline place pivots_corner_of(const bound &b, int corner) {
  double u = corner & 1 ? 1.0 : -1.0, v = corner & 2 ? 1.0 : -1.0;
  return {b.middle.x + u * b.generator[0].x + v * b.generator[1].x,
          b.middle.y + u * b.generator[0].y + v * b.generator[1].y,
          b.middle.z + u * b.generator[0].z + v * b.generator[1].z};
}

/* Orders candidates by their distance from a place. */
__device__ static inline unsigned long long nearness(const place &to, const place &s, int32_t id) {
  return (unsigned long long)__float_as_uint((float)square(s, to)) << 32 | (uint32_t)id;
}

static constexpr unsigned long long no_key = ~0ULL;

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
