/*
 * Leaves of the QTM mesh for several neighbors or a maximum distance. One warp a span of cells, by exact
 * distances, as for rasters (decide_canonically); geodesics that chords do not decide are left to the host.
 */
#ifndef GV_MESH_K_KERNELS_CUH
#define GV_MESH_K_KERNELS_CUH

#include "voronoi/gpu/hand_over.cuh"
#include "voronoi/gpu/k_nearest.cuh"
#include "voronoi/gpu/limits.cuh"
#include "voronoi/gpu/mesh_positions.cuh"

namespace gv {

template <int K, bool GEODESIC>
__global__ void __launch_bounds__(WARP *LEAF_WARPS)
    leaf_mesh_k(const __grid_constant__ problem p, const __grid_constant__ level lists,
                const __grid_constant__ target t, const __grid_constant__ level leaves,
                const __grid_constant__ open_list open, counters *count) {
  const int lane = threadIdx.x % WARP;
  const int32_t number = (int32_t)blockIdx.x * LEAF_WARPS + (int32_t)threadIdx.x / WARP;
  if (number >= leaves.across) return;
  const int64_t i = leaves.i0 + number, first = i << leaves.log;
  const int32_t cells = 1 << leaves.log;
  int32_t *out = t.out + (first - t.c0);
  const entry &from = entry_at(lists, i >> (lists.log - leaves.log), 0);
  if (from.count < 0) return;
  const int32_t *list = from.count == 1 ? &from.single : lists.pool + from.offset;
  const part leaf = part_at(p.mesh_level, leaves.log / 2, i);
  range limit = from.count == 0 ? NONE_IN_REACH : ALL_IN_REACH;
  if (p.limited && from.count > 0) {
    bound b;
    mesh_bound(p, leaf, &b);
    limit = range_of<SQUARE>(p, b, list, from.count, lane);
  }
  if (limit == NONE_IN_REACH) {
    for (int32_t k = 0; k < p.neighbors; k++)
      fill_span(out + k * t.band_stride, cells, p.nodata, lane);
    return;
  }
  if (limit == ALL_IN_REACH && from.count == 1 && p.neighbors == 1) {
    fill_span(out, cells, (int32_t)from.offset, lane);
    return;
  }
  int64_t list_at = -2;
  for (int32_t begin = 0; begin < cells; begin += WARP) {
    bool inside = begin + lane < cells;
    int32_t within = inside ? begin + lane : 0;
    k_nearest<K> best;
    k_nearest_cell<SQUARE, K>(p, center_of(p, descend(leaf, within, leaf.bits)), list, from.count, &best);
    if (inside) write_bands(p, t, out + within, best);
    if (GEODESIC) {
      hand_over_doubtful(t, count, open, inside && in_doubt(p, best), first + within, 0, list, from.count, &list_at,
                         lane);
    }
  }
}

} // namespace gv

#endif
