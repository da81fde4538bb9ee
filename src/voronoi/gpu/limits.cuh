/* Tests of seeds against the maximum distance, for a tile. */
#ifndef GV_LIMITS_CUH
#define GV_LIMITS_CUH

#include "voronoi/gpu/positions.cuh"

namespace gv {

static constexpr double limit_slack = 1e-11; /* far above the rounding of the compared values */

/* True if s is certainly farther than the limit from every cell of the tile. */
template <int NORM> __device__ static bool out_of_reach(const problem &p, const bound &b, const place &s) {
  if (!p.limited) return false;
  if (NORM == SQUARE) {
    double reach = (p.beyond_length + b.radius + 4.0 * p.position_error) * (1.0 + limit_slack);
    return square(s, b.middle) > reach * reach;
  }
  double half_x = half_across(p, b), half_z = half_down(p, b);
  double gap_x = fmax(0.0, fabs(s.x - b.middle.x) - half_x),
         gap_z = fmax(0.0, fabs(s.z - b.middle.z) - half_z);
  return (NORM == SUM ? gap_x + gap_z : fmax(gap_x, gap_z)) >
         p.beyond + limit_slack * (p.beyond + half_x + half_z);
}

/* True if s is certainly within the limit of every cell of the tile. */
template <int NORM> __device__ static bool within_reach(const problem &p, const bound &b, const place &s) {
  if (!p.limited) return true;
  if (NORM == SQUARE) {
    double reach = p.within_length * (1.0 - limit_slack) - b.radius - 4.0 * p.position_error;
    return reach > 0.0 && square(s, b.middle) < reach * reach * (1.0 - limit_slack);
  }
  double far_x = fabs(s.x - b.middle.x) + half_across(p, b), far_z = fabs(s.z - b.middle.z) + half_down(p, b);
  return (NORM == SUM ? far_x + far_z : fmax(far_x, far_z)) * (1.0 + limit_slack) < p.within;
}

/* A list's seeds and the limit, for a tile: none in reach of any cell, all in reach of all, or neither. */
enum range { NONE_IN_REACH, SOME_IN_REACH, ALL_IN_REACH };

template <int NORM>
__device__ static range range_of(const problem &p, const bound &b, const int32_t *list, int32_t candidates,
                                 int lane) {
  bool none = true, all = true;
  for (int32_t n = lane; n < candidates; n += WARP) {
    place s = seed_place(p.seeds, list[n]);
    none = none && out_of_reach<NORM>(p, b, s);
    all = all && within_reach<NORM>(p, b, s);
  }
  if (__all_sync(everyone, none)) return NONE_IN_REACH;
  return __all_sync(everyone, all) ? ALL_IN_REACH : SOME_IN_REACH;
}

} // namespace gv

#endif
