/*
 * Leaves of rasters that are decided in float with a proven margin (filter.cuh).
 */
#ifndef GV_FILTER_KERNELS_CUH
#define GV_FILTER_KERNELS_CUH

#include "voronoi/gpu/canonical_kernels.cuh"
#include "voronoi/gpu/filter.cuh"

namespace gv {

/* The canonical rule for cells of a column of a quad: those rows of `again` whose bit is set. */
template <int FORM>
__device__ static __noinline__ void settle(const problem &p, const target &t, const int32_t *id, int32_t candidates,
                                           int64_t column, int64_t row, uint32_t again) {
  for (; again != 0; again &= again - 1) {
    int64_t at = row + __ffs((int)again) - 1;
    place cell = position<FORM>(p, column, at);
    double best = CUDART_INF;
    int32_t nearest = INT32_MAX;
    for (int32_t n = 0; n < candidates; n++) {
      double value = canonical<SQUARE>(cell, seed_place(p.seeds, id[n]));
      if (value < best || (value == best && id[n] < nearest)) {
        best = value;
        nearest = id[n];
      }
    }
    t.out[address(t, column, at)] = seed_label(p.seeds, nearest);
  }
}

/* The lane's ROWS cells from `row` on in one of its columns, (S, C), against the pivot and one candidate: a sign decides.
 * Labels, and a bit for each cell that is within the margin. */
template <int FORM, int SIDE>
__device__ __forceinline__ static uint32_t compare_two(const filter_space<SIDE> &s, int32_t row, float S, float C,
                                                       const float *radius, int32_t pivot_label, float margin,
                                                       int32_t *label) {
  uint32_t again = 0;
  const float4 k = s.k[1];
  const int32_t candidate = s.label[1];
  const float by_column = fmaf(k.y, S, -(k.z * C));
#pragma unroll
  for (int r = 0; r < ROWS; r += 4) {
    float4 z4 = *reinterpret_cast<const float4 *>(&s.z[row + r]);
    float4 r4 =
        FORM == GLOBE ? *reinterpret_cast<const float4 *>(&s.r[row + r]) : make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    const float zs[4] = {z4.x, z4.y, z4.z, z4.w}, rs[4] = {r4.x, r4.y, r4.z, r4.w};
#pragma unroll
    for (int i = 0; i < 4; i++) {
      float term = FORM == GLOBE ? fmaf(k.w, zs[i], fmaf(k.z, rs[i], k.x)) : fmaf(k.w, zs[i], k.x);
      float value = FORM == GLOBE ? fmaf(radius[r + i], by_column, term) : by_column + term;
      label[r + i] = value < 0.0F ? candidate : pivot_label;
      again |= fabsf(value) > margin ? 0U : 1U << (r + i);
    }
  }
  return again;
}

/* The same against all candidates, whose terms by row are made for all columns of the chunk from row `top` on; `made`: they
 * are there already, if one batch holds them. `group`: the lane's first row of the chunk. */
template <int FORM, int SIDE>
__device__ __forceinline__ static uint32_t
compare_many(filter_space<SIDE> &s, int32_t kept, int32_t top, int32_t group, bool made, float S, float C,
             const float *radius, int32_t pivot_label, float margin, int32_t *label, int lane) {
  constexpr int CHUNK = filter_space<SIDE>::chunk;
  uint32_t again = 0;
  float best[ROWS], second[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    best[r] = 0.0F; /* the pivot's */
    second[r] = CUDART_INF_F;
    label[r] = pivot_label;
  }
  for (int32_t first = 1; first < kept; first += BATCH) {
    int32_t batch = kept - first < BATCH ? kept - first : BATCH;
    if (!made || kept > BATCH + 1) {
      __syncwarp();
      for (int32_t n = lane; n < batch * CHUNK; n += WARP) {
        float4 k = s.k[first + n / CHUNK];
        int32_t at = top + n % CHUNK;
        s.term[n / CHUNK][n % CHUNK] = fmaf(k.w, s.z[at], fmaf(k.z, s.r[at], k.x));
      }
      __syncwarp();
    }
    for (int32_t n = 0; n < batch; n++) {
      const float4 k = s.k[first + n];
      const int32_t candidate = s.label[first + n];
      const float by_column = fmaf(k.y, S, -(k.z * C));
      const float4 *terms = reinterpret_cast<const float4 *>(&s.term[n][group]);
#pragma unroll
      for (int r = 0; r < ROWS; r += 4) {
        const float4 four = terms[r / 4];
        const float term[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int i = 0; i < 4; i++) {
          float value = FORM == GLOBE ? fmaf(radius[r + i], by_column, term[i]) : by_column + term[i];
          bool nearer = value < best[r + i];
          second[r + i] = nearer ? best[r + i] : fminf(second[r + i], value);
          label[r + i] = nearer ? candidate : label[r + i];
          best[r + i] = nearer ? value : best[r + i];
        }
      }
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++)
    again |= second[r] - best[r] > margin ? 0U : 1U << r;
  return again;
}

/* Writes the lane's labels of a column, as many as the quad has `rows` from `row` on. `corner`: of the quad, if aligned. */
__device__ __forceinline__ static void write_column(const target &t, const quad &q, int32_t *corner, int32_t stride,
                                                    int32_t within, int32_t row, int32_t rows,
                                                    const int32_t *label) {
  if (t.aligned) {
    int32_t *out = corner + (int64_t)row * stride + within;
    if (rows >= ROWS) {
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        __stcs(out + r * stride, label[r]);
    } else {
#pragma unroll
      for (int r = 0; r < ROWS; r++) {
        if (r < rows) __stcs(out + r * stride, label[r]);
      }
    }
  } else {
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      if (r < rows) t.out[address(t, q.c0 + within, q.r0 + row + r)] = label[r];
    }
  }
}

/* Decides the cells of a quad among the kept candidates. */
template <int FORM, bool GEODESIC, int SIDE, int HALVES>
__device__ __forceinline__ static void
decide_cells(const problem &p, const target &t, const quad &q, const quad_view<HALVES> &view, int32_t pivot_label,
             int32_t kept, float margin, filter_space<SIDE> &s, const open_list &open, counters *count, int lane) {
  constexpr int CHUNK = filter_space<SIDE>::chunk;
  const int32_t own = lane % SIDE;
  int64_t list_at = -2;
  const int32_t group = lane / SIDE * ROWS; /* the lane's first row of a chunk */
  int32_t *const corner = t.out + address(t, q.c0, q.r0);
  const int32_t stride = (int32_t)t.bw;
  for (int32_t top = 0; top < q.rows; top += CHUNK) {
#pragma unroll
    for (int h = 0; h < HALVES; h++) {
      const int32_t within = own + h * WARP, row = top + group;
      int32_t label[ROWS];
      float radius[ROWS];
#pragma unroll
      for (int r = 0; r < ROWS; r += 4) {
        float4 four = FORM == GLOBE ? *reinterpret_cast<const float4 *>(&s.radius[row + r])
                                    : make_float4(1.0F, 1.0F, 1.0F, 1.0F);
        radius[r] = four.x, radius[r + 1] = four.y, radius[r + 2] = four.z, radius[r + 3] = four.w;
      }
      uint32_t again;
      if (kept == 2) { /* most quads */
        again = compare_two<FORM>(s, row, view.S[h], view.C[h], radius, pivot_label, margin, label);
      } else {
        again = compare_many<FORM>(s, kept, top, group, h > 0, view.S[h], view.C[h], radius, pivot_label, margin,
                                   label, lane);
      }
      const bool inside = within < q.columns;
      const int32_t rows = q.rows - row;
      if (inside) write_column(t, q, corner, stride, within, row, rows, label);
      if (!inside || rows <= 0) again = 0;
      if (rows > 0 && rows < ROWS) again &= (1U << rows) - 1U;
      if (!__any_sync(everyone, again != 0)) continue;
      if (GEODESIC) {
        if (list_at == -2) {
          list_at = reserve_ids(count, open, kept, lane);
          for (int32_t n = lane; n < kept && list_at >= 0; n += WARP)
            open.id[list_at + n] = s.id[n];
        }
        for (; again != 0; again &= again - 1) {
          hand_over(t, count, open, q.c0 + within, q.r0 + row + __ffs((int)again) - 1, list_at, kept);
        }
      } else if (again != 0) {
        atomicAdd(&count->decided, (unsigned long long)__popc(again));
        settle<FORM>(p, t, s.id, kept, q.c0 + within, q.r0 + row, again);
      }
    }
  }
}

/* Decides a window of a quad against a list of candidates. False, with nothing written, if more of them may win there than
 * fit into shared memory. */
template <int FORM, bool GEODESIC, int SIDE>
__device__ __forceinline__ static bool decide_window(const problem &p, const target &t, const quad &q,
                                                     const int32_t *list, int32_t candidates, filter_space<SIDE> &s,
                                                     const open_list &open, counters *count, int lane) {
  __syncwarp();
  quad_view<filter_space<SIDE>::halves> view;
  view_quad<FORM>(p, q, s, view, lane);
  const filter_pivot by = place_pivot<GEODESIC>(p, list, candidates, s, view, lane);
  int32_t kept;
  if (!collect<FORM>(p, list, candidates, by, view, s, &kept, lane)) return false;
  if (kept == 1) {
    fill_quad<SIDE>(t, q, by.label, lane);
    return true;
  }
  float doubt = lane < kept ? s.error[lane] : 0.0F;
  if (kept > WARP) doubt = fmaxf(doubt, lane + WARP < kept ? s.error[lane + WARP] : 0.0F);
  const float margin = 2.002F * warp_largest(doubt) + view.e.slack;
  decide_cells<FORM, GEODESIC>(p, t, q, view, by.label, kept, margin, s, open, count, lane);
  return true;
}

/* LIMITED: the limit may run through a quad, which is then decided canonically. */
template <int FORM, bool GEODESIC, int SIDE, bool LIMITED>
__global__ void __launch_bounds__(WARP *LEAF_WARPS, 8)
    leaf_float(const __grid_constant__ problem p, const __grid_constant__ level lists,
               const __grid_constant__ target t, const __grid_constant__ quad_window w,
               const __grid_constant__ open_list open, counters *count) {
  __shared__ filter_space<SIDE> shared[LEAF_WARPS];
  quad q;
  if (!enter_quad<SIDE>(t, w, &q)) return;
  const int lane = threadIdx.x % WARP;
  const entry from = entry_at(lists, q.c0 >> lists.log, q.r0 >> lists.log);
  if (from.count < 0) return;
  const int32_t *list = lists.pool + from.offset;
  bool canonically = false;
  if (LIMITED) {
    range limit = NOBODY;
    if (from.count > 0) {
      constexpr int log = SIDE == 16 ? 4 : SIDE == 32 ? 5 : 6;
      bound b;
      tile_bound<FORM>(p, log, q.c0 >> log, q.r0 >> log, &b);
      if (from.count == 1) list = &entry_at(lists, q.c0 >> lists.log, q.r0 >> lists.log).single;
      limit = range_of<SQUARE>(p, b, list, from.count, lane);
    }
    if (limit == NOBODY) {
      fill_quad<SIDE>(t, q, p.nodata, lane);
      return;
    }
    canonically = limit == SOME;
  }
  if (from.count == 1 && !canonically) {
    fill_quad<SIDE>(t, q, (int32_t)from.offset, lane);
    return;
  }
  filter_space<SIDE> &s = shared[threadIdx.x / WARP];
  for (int depth = 0;;) {
    if (canonically || !decide_window<FORM, GEODESIC, SIDE>(p, t, q, list, from.count, s, open, count, lane)) {
      if (canonically || (q.columns <= LEAST_WINDOW && q.rows <= LEAST_WINDOW)) {
        decide_canonically<FORM, SQUARE, 1, GEODESIC>(p, t, q, list, from.count, open, count, lane);
      } else {
        int32_t left = (q.columns + 1) / 2, upper = (q.rows + 1) / 2;
        __syncwarp();
        for (int part = 0; part < 4; part++) {
          quad piece = {part & 1 ? q.c0 + left : q.c0, part & 2 ? q.r0 + upper : q.r0,
                        part & 1 ? q.columns - left : left, part & 2 ? q.rows - upper : upper};
          if (piece.columns == 0 || piece.rows == 0) continue;
          if (lane == 0) s.rest[depth] = piece;
          depth++;
        }
        __syncwarp();
      }
    }
    if (depth == 0) return;
    q = s.rest[--depth];
  }
}

} // namespace gv

#endif
