/*
 * The float filter of leaves for the nearest seed by squared distances: one filter, and two ways to place
 * cells.
 *
 * Let m be a place in the middle of the leaf and p the seed nearest it (the pivot). For a seed s, with D =
 * s - p and K = |s - m|^2 - |p - m|^2 = D . ((s - m) + (p - m)), and any place q,
 *   g(q) = |q - s|^2 - |q - p|^2 = K - 2 (q - m) . D,
 * which is linear in q. Turn the axes about the globe's by the middle's longitude (east, outward, along
 * the axis); with a, b, c = -2 D in those axes and X, Y, Z = q - m,
 *   g = K + a X + b Y + c Z.
 * How X, Y and Z of the leaf's cells are made, bounds of |a X + b Y + c Z| over them ("half") and of what
 * float arithmetic does to g ("error", e) are a view's: quad_view (filter_kernels.cuh) for rasters,
 * leaf_view (mesh_kernels.cuh) for the mesh.
 *
 * If the computed g exceeds e in the whole leaf, the exact distance of s is everywhere strictly larger
 * than the pivot's. A cell is decided if its best and second best computed values differ by more than 2
 * max e: the order of the exact distances is then that of the computed values. Infinities and NaN (seeds
 * extremely far away) fail every comparison and so lead to exact decisions. For geodesics, compared by
 * their chords, the slack of the farthest chord from the pivot is added to the margins.
 *
 * A view has
 *   times              g is computed so many times as large
 *   flat               on the plane: y, and b with it, are 0; lengths are multiplied by problem.scale
 *   prunes             candidates are narrowed down where there is no room for them all
 *   m, turn, extent    the middle; cosine and sine of its longitude, and -1 for c where the axis is
 *                      turned round; how far from the middle its cells are
 *   bounds(...)        of a candidate: half and error
 * and its space in shared memory has capacity, k, error, label and id of the candidates.
 */
#ifndef GV_FILTER_CUH
#define GV_FILTER_CUH

#include "voronoi/gpu/pivots.cuh"
#include "voronoi/gpu/quads.cuh"

namespace gv {

/* The seed that others are compared with. */
struct filter_pivot {
  int32_t id, label;
  place at;
  double x, y, z; /* from the middle */
  float near;     /* no less than its distance from there */
  float slack;    /* what geodesics add to its distances, `times` over */
};

/* The pivot: entry 0 of the space. */
template <bool GEODESIC, class VIEW>
__device__ __forceinline__ static filter_pivot place_pivot(const problem &p, const VIEW &view,
                                                           const int32_t *list, int32_t candidates,
                                                           typename VIEW::space &s, int lane) {
  filter_pivot by;
  by.id = warp_nearest(p, view.m, list, candidates, lane);
  by.at = seed_place(p.seeds, by.id);
  by.x = by.at.x - view.m.x;
  by.y = by.at.y - view.m.y;
  by.z = by.at.z - view.m.z;
  by.label = seed_label(p.seeds, by.id);
  double distance = sqrt(gv_square(3, by.x, by.y, by.z));
  by.near = (float)(VIEW::flat ? distance * p.scale : distance) * 1.0001F;
  by.slack = 0.0F;
  if (GEODESIC) {
    const double farthest = (distance + (double)view.extent) * (1.0 + 1e-9);
    by.slack = (float)gv_chord_slack(&p.chords, farthest) * (1.0001F * (float)VIEW::times);
  }
  if (lane == 0) {
    s.k[0] = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    s.error[0] = 0.0F;
    s.label[0] = by.label;
    s.id[0] = by.id;
  }
  return by;
}

/* A candidate's K (`times` over), a, b and c, and D in the same axes. `wide`: no less than |s - m| + |p - m|
 * + 2 extents. */
template <class VIEW>
__device__ __forceinline__ static float4 coefficients(const problem &p, int32_t id, const filter_pivot &by,
                                                      const VIEW &view, place *apart, float *wide) {
  float4 k = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
  const place at = seed_place(p.seeds, id), &turn = view.turn;
  double dx = at.x - by.at.x, dy = at.y - by.at.y, dz = at.z - by.at.z;
  double tx = (at.x - view.m.x) + by.x, ty = (at.y - view.m.y) + by.y, tz = (at.z - view.m.z) + by.z;
  if (VIEW::flat) {
    dx *= p.scale;
    dz *= p.scale;
    k.x = (float)fma(dz, tz * p.scale, dx * (tx * p.scale));
    *apart = {dx, 0.0, dz};
  } else {
    k.x = (float)(VIEW::times * gv_dot(3, dx, dy, dz, tx, ty, tz));
    *apart = {dy * turn.x - dx * turn.y, dx * turn.x + dy * turn.y, dz * turn.z};
    k.z = (float)(-2.0 * apart->y);
  }
  k.y = (float)(-2.0 * apart->x);
  k.w = (float)(-2.0 * apart->z);
  /* |s - m| <= |D| + |p - m|, |D| <= (|a| + |b| + |c|) / 2. */
  *wide = 0.5F * (fabsf(k.y) + fabsf(k.z) + fabsf(k.w)) + 2.0F * by.near + 2.0F * view.extent;
  return k;
}

/* Collects the candidates that may win somewhere, after the pivot; `out`: how many there are with it. False:
 * more than fit into the space. */
template <bool GEODESIC, class VIEW>
__device__ __forceinline__ static bool
filter_collect(const problem &p, const int32_t *list, int32_t candidates, const filter_pivot &by,
               const VIEW &view, typename VIEW::space &s, int32_t *out, int lane) {
  constexpr int CAPACITY = VIEW::space::capacity;
  int32_t kept = 1;
  for (int32_t first = 0; first < candidates; first += WARP) {
    const int32_t n = first + lane, id = n < candidates ? list[n] : by.id;
    bool keep = false;
    float4 k = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    float error = 0.0F;
    if (id != by.id) {
      place apart;
      float wide, half;
      k = coefficients(p, id, by, view, &apart, &wide);
      view.template bounds<GEODESIC>(p, k, apart, wide, &half, &error);
      keep = !(k.x - half > 1.001F * (error + by.slack));
    }
    const uint32_t who = __ballot_sync(everyone, keep);
    const int32_t at = kept + __popc(who & ((1U << lane) - 1U));
    kept += __popc(who);
    if (!VIEW::prunes && kept > CAPACITY) return false;
    if (keep) {
      s.k[at] = k;
      s.error[at] = error < CUDART_INF_F ? error : CUDART_INF_F; /* NaN too */
      s.label[at] = seed_label(p.seeds, id);
      s.id[at] = id;
    }
    __syncwarp();
    if constexpr (VIEW::prunes) {
      if (kept > CAPACITY - WARP && first + WARP < candidates) {
        kept = view.prune(s, kept, by.slack, lane);
        if (kept > CAPACITY - WARP) return false;
      }
    }
  }
  if constexpr (VIEW::prunes) {
    if (kept > FEW) kept = view.prune(s, kept, by.slack, lane);
  }
  *out = kept;
  return true;
}

/*
 * Decides a leaf against a list of candidates. False, with nothing written, if more of them may win there
 * than fit into the space. LEAF, a kind of leaf:
 *   view                              as above; look(p, s, view, lane) makes it
 *   fill(label, lane)                 all its cells are one seed's
 *   decide(p, view, by, kept, margin, s, lane)  cell by cell among `kept` candidates; if the best two are
 *                                               not farther
 *                                     apart than the margin, by the canonical rule
 */
template <bool GEODESIC, class LEAF>
__device__ __forceinline__ static bool decide_filtered(const problem &p, const LEAF &leaf,
                                                       const int32_t *list, int32_t candidates,
                                                       typename LEAF::view::space &s, int lane) {
  constexpr int CAPACITY = LEAF::view::space::capacity;
  __syncwarp();
  typename LEAF::view view;
  leaf.look(p, s, view, lane);
  const filter_pivot by = place_pivot<GEODESIC>(p, view, list, candidates, s, lane);
  int32_t kept;
  if (!filter_collect<GEODESIC>(p, list, candidates, by, view, s, &kept, lane)) return false;
  if (kept == 1) {
    leaf.fill(by.label, lane);
    return true;
  }
  float doubt = lane < kept ? s.error[lane] : 0.0F;
  if (CAPACITY > WARP && kept > WARP) doubt = fmaxf(doubt, lane + WARP < kept ? s.error[lane + WARP] : 0.0F);
  leaf.decide(p, view, by, kept, 2.002F * warp_largest(doubt) + by.slack, s, lane);
  return true;
}

} // namespace gv

#endif
