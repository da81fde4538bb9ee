/*
 * Groups of GROUP seeds that lie close together, and when all seeds of one are out.
 *
 * A group is out. Let c and r be the middle and the radius of its ball, m the middle and g_k the
 * generators of the tile, p a pivot. For each of its seeds s, |s - m| >= |c - m| - r and |g_k . (s - p)|
 * <= |g_k . (c - p)| + r |g_k|, so
 *   |s - m|^2 (1 - slack) - 2 sum |g_k . (s - p)|
 * is at least what `dominates_group` compares with the pivot's limit, but for rounding. That is below
 * 1e-15 of the products of lengths that are added up; the slack covers it as it does for seeds, and where
 * r is what makes them long, so do the factors 1 + 1e-12 that r is multiplied by.
 */
#ifndef GV_GROUPS_CUH
#define GV_GROUPS_CUH

#include "voronoi/gpu/pivots.cuh"

namespace gv {

struct ball {
  place middle;
  double radius;
};

__device__ static inline ball groups_ball_of(const problem &p, int32_t id) {
  const double2 *from = reinterpret_cast<const double2 *>(p.groups + id);
  double2 xy = __ldg(from), zr = __ldg(from + 1);
  return {{xy.x, xy.y, zr.x}, zr.y};
}

__device__ static bool dominates_group(const bound &b, const pivot &by, const ball &all, double generators) {
  const double outer = all.radius * (1.0 + 1e-12);
  const double nearest = fmax(sqrt(square(all.middle, b.middle)) * (1.0 - 1e-12) - outer, 0.0);
  double vx = all.middle.x - by.at.x, vy = all.middle.y - by.at.y, vz = all.middle.z - by.at.z;
  double reach = generators * outer;
#pragma unroll
  for (int k = 0; k < 3; k++)
    reach += fabs(positions_dot(b.generator[k], vx, vy, vz));
  return gv_lead(gv_cull_slack, nearest * nearest, reach) > by.limit;
}

/* A group is excluded if k pivots dominate all of its seeds, or if it is out of reach of the whole tile. */
__device__ static bool group_survives(const problem &p, const bound &b, const pivot *pivots, int count,
                                      const ball &all, double generators) {
  if (p.limited) {
    double reach = (p.beyond_length + b.radius + all.radius + 4.0 * p.position_error) * (1.0 + limit_slack);
    if (square(all.middle, b.middle) > reach * reach) return false;
  }
  int stronger = 0;
  for (int j = 0; j < count; j++) {
    if (dominates_group(b, pivots[j], all, generators) && ++stronger >= p.neighbors) return false;
  }
  return true;
}

} // namespace gv

#endif
