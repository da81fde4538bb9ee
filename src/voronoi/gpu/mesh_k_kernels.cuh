/*
 * Leaves of the QTM mesh for several neighbors or a maximum distance, and of lists. One warp a span of cells,
 * by exact distances, as for rasters (decide_canonically); geodesics that chords do not decide are left to
 * the host.
 */
#ifndef GV_MESH_K_KERNELS_CUH
#define GV_MESH_K_KERNELS_CUH

#include "voronoi/gpu/hand_over.cuh"
#include "voronoi/gpu/k_nearest.cuh"
#include "voronoi/gpu/limits.cuh"
#include "voronoi/gpu/mesh_positions.cuh"
#include "voronoi/gpu/places.cuh"

namespace gv {

/* A span of 2^log cells: their positions and numbers. */
template <int FORM> struct span_of;

template <> struct span_of<MESH> {
  part leaf;
  int64_t first;
  int32_t cells;
  bool complete; /* the cells follow each other, and all have positions */
  __device__ span_of(const problem &p, int log, int64_t i)
      : leaf(part_at(p.mesh_level, log / 2, i)), first(i << log), cells(1 << log), complete(true) {}
  __device__ place at(const problem &p, int32_t n) const { return center_of(p, descend(leaf, n, leaf.bits)); }
  __device__ int64_t number(const problem &p, int32_t n) const { return first + n; }
};

template <> struct span_of<PLACES> {
  int64_t first;
  int32_t cells;
  bool complete;
  __device__ span_of(const problem &p, int log, int64_t i)
      : first(i << log), cells((int32_t)fmin((double)(1 << log), (double)(p.width - first))),
        complete(p.order == NULL) {}
  __device__ place at(const problem &p, int32_t n) const { return place_along(p, first + n); }
  __device__ int64_t number(const problem &p, int32_t n) const {
    return p.order != NULL ? p.order[first + n] : first + n;
  }
};

template <int FORM, int K, bool GEODESIC>
__global__ void __launch_bounds__(WARP *LEAF_WARPS)
    leaf_of_span(const __grid_constant__ problem p, const __grid_constant__ level lists,
                 const __grid_constant__ target t, const __grid_constant__ level leaves,
                 const __grid_constant__ open_list open, counters *count) {
  const int lane = threadIdx.x % WARP;
  const int32_t number = (int32_t)blockIdx.x * LEAF_WARPS + (int32_t)threadIdx.x / WARP;
  if (number >= leaves.across) return;
  const int64_t i = leaves.i0 + number;
  if (i << leaves.log >= p.width) return;
  const span_of<FORM> span(p, leaves.log, i);
  int32_t *out = t.out + (span.first - t.c0);
  const entry &from = entry_at(lists, i >> (lists.log - leaves.log), 0);
  if (from.count < 0) return;
  const int32_t *list = from.count == 1 ? &from.single : lists.pool + from.offset;
  range limit = from.count == 0 ? NONE_IN_REACH : ALL_IN_REACH;
  if (p.limited && from.count > 0) {
    bound b;
    tile_bound<FORM>(p, leaves.log, i, 0, &b);
    limit = range_of<SQUARE>(p, b, list, from.count, lane);
  }
  if (limit == NONE_IN_REACH && span.complete) {
    for (int32_t k = 0; k < p.neighbors; k++)
      fill_span(out + k * t.band_stride, span.cells, p.nodata, lane);
    return;
  }
  if (limit == ALL_IN_REACH && from.count == 1 && p.neighbors == 1 && span.complete) {
    fill_span(out, span.cells, (int32_t)from.offset, lane);
    return;
  }
  int64_t list_at = -2;
  for (int32_t begin = 0; begin < span.cells; begin += WARP) {
    bool inside = begin + lane < span.cells;
    int32_t within = inside ? begin + lane : 0;
    k_nearest<K> best;
    const int64_t cell = span.number(p, within);
    k_nearest_cell<SQUARE, K>(p, span.at(p, within), list, from.count, &best);
    if (inside) write_bands(p, t, t.out + (cell - t.c0), best);
    if (GEODESIC) {
      hand_over_doubtful(t, count, open, inside && in_doubt(p, best), cell, 0, list, from.count, &list_at,
                         lane);
    }
  }
}

} // namespace gv

#endif
