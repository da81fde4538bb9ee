/*
 * Leaves, which one warp decides: squares of cells ("quads") or, on the mesh, spans of them; their output
 * addresses, and filling them with one label.
 */
#ifndef GV_QUADS_CUH
#define GV_QUADS_CUH

#include "voronoi/gpu/problem.cuh"

namespace gv {

/* Within a strip cells are counted in 32 bits. */
__device__ static inline int64_t address(const target &t, int64_t column, int64_t row) {
  uint32_t c = (uint32_t)(column - t.c0), r = (uint32_t)(row - t.r0), bw = (uint32_t)t.bw,
           bh = (uint32_t)t.bh;
  uint32_t across = c / bw, down = r / bh;
  return (int64_t)(down * (uint32_t)t.across + across) * (bw * bh) + (r - down * bh) * bw + (c - across * bw);
}

/* A quad clipped to the target. */
struct quad {
  int64_t c0, r0;
  int32_t columns, rows;
};

/* The quad of a warp: LEAF_WARPS of them in a row a block. False: this warp has none. */
template <int SIDE> __device__ static bool enter_quad(const target &t, const quad_window &w, quad *out) {
  int32_t blocks = (w.across + LEAF_WARPS - 1) / LEAF_WARPS;
  int32_t i = (int32_t)(blockIdx.x % blocks) * LEAF_WARPS + (int32_t)threadIdx.x / WARP;
  if (i >= w.across) return false;
  int64_t c0 = (w.i0 + i) * SIDE, r0 = (w.j0 + blockIdx.x / blocks) * SIDE, c1 = c0 + SIDE, r1 = r0 + SIDE;
  out->c0 = c0 > t.c0 ? c0 : t.c0;
  out->r0 = r0 > t.r0 ? r0 : t.r0;
  out->columns = (int32_t)((c1 < t.c1 ? c1 : t.c1) - out->c0);
  out->rows = (int32_t)((r1 < t.r1 ? r1 : t.r1) - out->r0);
  return true;
}

template <int SIDE>
__device__ static void fill_quad(const target &t, const quad &q, int32_t label, int lane) {
  if (t.aligned && q.columns == SIDE) {
    const int across = SIDE / 4, at_once = WARP / across;
    int4 four = make_int4(label, label, label, label);
    int4 *out = reinterpret_cast<int4 *>(t.out + address(t, q.c0, q.r0)) + lane % across;
    int64_t stride = t.bw / 4;
    if (q.rows == SIDE) {
#pragma unroll 8
      for (int row = 0; row < SIDE; row += at_once)
        __stcs(out + (row + lane / across) * stride, four);
    } else {
      for (int row = lane / across; row < q.rows; row += at_once)
        __stcs(out + row * stride, four);
    }
    return;
  }
  for (int32_t cell = lane; cell < q.columns * q.rows; cell += WARP)
    t.out[address(t, q.c0 + cell % q.columns, q.r0 + cell / q.columns)] = label;
}

/* A span of `count` cells, all of one label; warps fill spans of 64 and more in wide stores. */
__device__ static void fill_span(int32_t *out, int32_t count, int32_t label, int lane) {
  if (count % 4 == 0 && (reinterpret_cast<size_t>(out) & 15) == 0) {
    int4 four = make_int4(label, label, label, label);
    for (int32_t i = lane; i < count / 4; i += WARP)
      __stcs(reinterpret_cast<int4 *>(out) + i, four);
  } else {
    for (int32_t i = lane; i < count; i += WARP)
      out[i] = label;
  }
}

} // namespace gv

#endif
