/*
 * Leaves decided by the canonical rule in double, cell by cell: several neighbors, metrics and grids that the
 * float filter is not for.
 */
#ifndef GV_CANONICAL_KERNELS_CUH
#define GV_CANONICAL_KERNELS_CUH

#include "voronoi/gpu/hand_over.cuh"
#include "voronoi/gpu/k_nearest.cuh"
#include "voronoi/gpu/limits.cuh"

namespace gv {

enum { CANONICAL_LOG = 5, CANONICAL_SIDE = 1 << CANONICAL_LOG };

/* All cells of a quad against a list, by exact distances. For geodesics chords are compared; undecided cells
 * are left to the host. */
template <int FORM, int NORM, int K, bool GEODESIC>
__device__ static void decide_canonically(const problem &p, const target &t, const quad &q,
                                          const int32_t *list, int32_t candidates, const open_list &open,
                                          counters *count, int lane) {
  int64_t list_at = -2;
  for (int32_t row = 0; row < q.rows; row++) {
    for (int32_t first = 0; first < q.columns; first += WARP) {
      bool inside = first + lane < q.columns;
      int64_t column = q.c0 + (inside ? first + lane : 0);
      k_nearest<K> best;
      k_nearest_cell<NORM, K>(p, position<FORM>(p, column, q.r0 + row), list, candidates, &best);
      if (inside) write_bands(p, t, t.out + address(t, column, q.r0 + row), best);
      if (GEODESIC) {
        hand_over_doubtful(t, count, open, inside && in_doubt(p, best), column, q.r0 + row, list, candidates,
                           &list_at, lane);
      }
    }
  }
}

/* Fills all bands with nodata. */
template <int SIDE>
__device__ static void leave_out_quad(const problem &p, target t, const quad &q, int lane) {
  for (int32_t k = 0; k < p.neighbors; k++, t.out += t.band_stride)
    fill_quad<SIDE>(t, q, p.nodata, lane);
}

template <int FORM, int NORM, int K, bool GEODESIC>
__global__ void __launch_bounds__(WARP *LEAF_WARPS)
    leaf_canonical(const __grid_constant__ problem p, const __grid_constant__ level lists,
                   const __grid_constant__ target t, const __grid_constant__ quad_window w,
                   const __grid_constant__ open_list open, counters *count) {
  quad q;
  if (!enter_quad<CANONICAL_SIDE>(t, w, &q)) return;
  const int lane = threadIdx.x % WARP;
  const entry &from = entry_at(lists, q.c0 >> lists.log, q.r0 >> lists.log);
  if (from.count < 0) return;
  const int32_t *list = from.count == 1 ? &from.single : lists.pool + from.offset;
  range limit = from.count == 0 ? NONE_IN_REACH : ALL_IN_REACH;
  if (p.limited && from.count > 0) {
    bound b;
    tile_bound<FORM>(p, CANONICAL_LOG, q.c0 >> CANONICAL_LOG, q.r0 >> CANONICAL_LOG, &b);
    limit = range_of<NORM>(p, b, list, from.count, lane);
  }
  if (limit == NONE_IN_REACH) {
    leave_out_quad<CANONICAL_SIDE>(p, t, q, lane);
  } else if (limit == ALL_IN_REACH && from.count == 1 && p.neighbors == 1) {
    fill_quad<CANONICAL_SIDE>(t, q, (int32_t)from.offset, lane);
  } else {
    decide_canonically<FORM, NORM, K, GEODESIC>(p, t, q, list, from.count, open, count, lane);
  }
}

} // namespace gv

#endif
