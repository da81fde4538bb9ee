/*
 * Leaves of rasters that are decided in float (filter.cuh): quads where the position of a cell is a
 * product of something by column and something by row.
 *
 * Let m be the position of the quad's middle cell. With t the longitude from there and (P, z) the row's
 * radius and height (P0, z0 in the middle), in the axes of filter.cuh
 *   q - m = (P sin t, (P - P0) - P (1 - cos t), z - z0) = (P S, R - P C, Z),
 * so that
 *   g = [K + b R + c Z] + P [a S - b C]:
 * a term by row and a term by column, one fused multiply-add a pair of cell and seed. S, R, Z and C are
 * made from differences of the tables in double, C as half the squared chord, and rounded to float once.
 * On the plane P = 1, S = x - x_m, C = R = 0, Z = y - y_m, all times a power of 2 that makes cells about 1
 * wide.
 *
 * The error. Let u = 2^-24 and G = |K| + Pmax (|a| Smax + |b| Cmax) + |b| Rmax + |c| Zmax over the quad.
 * Every product above carries at most three roundings of its factors, one of its own and three of the sums
 * after it (relative u each), so float arithmetic adds at most 7.01 u G, and the bound over the quad 8.01
 * u G; 12 u G is taken. What double arithmetic adds: with w = |s - m| + |p - m| + 2 r (r the quad's
 * radius) and L the size of positions (1 on the globe, 0 on the plane, where the tables are the
 * positions), the rounding of positions and of the rotation (tables are not exactly of length 1, to 1.5
 * ulp) moves g by at most 12 x 2^-53 L w, the rounding of K, D and the canonical squares by at most 12 x
 * 2^-53 w^2; 1e-14 (L w + w^2) is seven times that. Denormal floats: 1e-36. Together e.
 */
#ifndef GV_FILTER_KERNELS_CUH
#define GV_FILTER_KERNELS_CUH

#include "voronoi/gpu/canonical_kernels.cuh"
#include "voronoi/gpu/filter.cuh"

namespace gv {

enum {
  CAPACITY = 64,    /* candidates of a quad in shared memory */
  BATCH = 32,       /* of them with row terms at once */
  ROWS = 8,         /* that a lane computes at once */
  LEAST_WINDOW = 4, /* cells a side that are decided for any number of candidates */
  MOST_WINDOWS = 24 /* 3 a split and one more, from 64 cells a side */
};

template <int SIDE> struct alignas(16) filter_space {
  static constexpr int capacity = CAPACITY;
  static constexpr int halves = SIDE > WARP ? SIDE / WARP : 1; /* columns a lane */
  static constexpr int groups = SIDE < WARP ? WARP / SIDE : 1; /* groups of rows side by side in a warp */
  static constexpr int chunk = ROWS * groups;                  /* rows at once */
  float term[BATCH][chunk];                                    /* K + b R + c Z, by row */
  float radius[SIDE], r[SIDE], z[SIDE];
  float4 k[CAPACITY]; /* K, a, b, c; entry 0 is the pivot, all zero */
  float error[CAPACITY];
  int32_t label[CAPACITY], id[CAPACITY];
  quad rest[MOST_WINDOWS]; /* pieces of a quad with too many candidates, still to be decided */
};

/* A quad seen from its middle cell: bounds of |P S|, |R - P C| and |Z|, and its corners. */
struct extents {
  float s, r, z;
  float corner_s[2], corner_c[2];
  int32_t last_row;
};

/* Floats in the order of unsigned integers. */
__device__ static inline uint32_t ordered(float value) {
  uint32_t bits = __float_as_uint(value);
  return bits >> 31 ? ~bits : bits | 0x80000000U;
}

/* Drops the candidates that one of the best at the corners beats all over the quad; returns how many are
 * left. The difference of two candidates' g is bounded as g is: 3 u (G_i + G_j) more for the differences of
 * the rounded coefficients, for which 12 u G has room. */
template <int SIDE>
__device__ static int32_t prune(filter_space<SIDE> &s, int32_t kept, const extents &e, float slack,
                                int lane) {
  constexpr int EACH = CAPACITY / WARP;
  uint32_t least[CORNERS];
  int32_t best[CORNERS];
#pragma unroll
  for (int c = 0; c < CORNERS; c++) {
    least[c] = ~0U;
    best[c] = 0;
  }
#pragma unroll
  for (int round = 0; round < EACH; round++) {
    int32_t n = lane + round * WARP;
    if (n < kept) {
      float4 k = s.k[n];
#pragma unroll
      for (int c = 0; c < CORNERS; c++) {
        int32_t row = c & 2 ? e.last_row : 0;
        float term = fmaf(k.w, s.z[row], fmaf(k.z, s.r[row], k.x));
        uint32_t key =
            ordered(fmaf(s.radius[row], fmaf(k.y, e.corner_s[c & 1], -(k.z * e.corner_c[c & 1])), term));
        if (key < least[c]) {
          least[c] = key;
          best[c] = n;
        }
      }
    }
  }
#pragma unroll
  for (int c = 0; c < CORNERS; c++) {
    uint32_t all = warp_smallest(least[c]);
    best[c] = __shfl_sync(everyone, best[c], __ffs((int)__ballot_sync(everyone, least[c] == all)) - 1);
  }
  bool keep[EACH];
#pragma unroll
  for (int round = 0; round < EACH; round++) {
    int32_t n = lane + round * WARP;
    keep[round] = n < kept;
    if (n < kept && n > 0) {
      float4 k = s.k[n];
      float error = s.error[n];
#pragma unroll
      for (int c = 0; c < CORNERS; c++) {
        float4 by = s.k[best[c]];
        float half = fabsf(k.y - by.y) * e.s + fabsf(k.z - by.z) * e.r + fabsf(k.w - by.w) * e.z;
        bool beaten = (k.x - by.x) - half > 1.001F * (error + s.error[best[c]] + slack);
        keep[round] = keep[round] && !(beaten && n != best[c]);
      }
    }
  }
  __syncwarp();
  int32_t left = 0;
#pragma unroll
  for (int round = 0; round < EACH; round++) {
    int32_t n = lane + round * WARP;
    uint32_t who = __ballot_sync(everyone, keep[round]);
    float4 k = s.k[n];
    float error = s.error[n];
    int32_t label = s.label[n], id = s.id[n], at = left + __popc(who & ((1U << lane) - 1U));
    __syncwarp();
    if (keep[round]) {
      s.k[at] = k;
      s.error[at] = error;
      s.label[at] = label;
      s.id[at] = id;
    }
    left += __popc(who);
    __syncwarp();
  }
  return left;
}

/* A quad for the filter, relative to its middle cell. */
template <int FORM, int SIDE> struct quad_view {
  using space = filter_space<SIDE>;
  static constexpr double times = 1.0;
  static constexpr bool flat = FORM == PLANE, prunes = true;
  place m, turn;
  float S[space::halves], C[space::halves]; /* of the lane's columns */
  extents e;
  float extent; /* of its cells from the middle one */

  template <bool GEODESIC>
  __device__ __forceinline__ void bounds(const problem &p, const float4 &k, const place &, float wide,
                                         float *half, float *error) const {
    *half = fabsf(k.y) * e.s + fabsf(k.z) * e.r + fabsf(k.w) * e.z;
    *error = 7.2e-7F * (fabsf(k.x) + *half) + 1.01e-14F * ((float)p.size * wide + wide * wide) + 1e-36F;
  }

  __device__ __forceinline__ int32_t prune(space &s, int32_t kept, float slack, int lane) const {
    return gv::prune<SIDE>(s, kept, e, slack, lane);
  }
};

/* The lane's columns, and the rows (into `s`), seen from the middle cell. */
template <int FORM, int SIDE>
__device__ __forceinline__ static void view_quad(const problem &p, const quad &q, filter_space<SIDE> &s,
                                                 quad_view<FORM, SIDE> &view, int lane) {
  constexpr int HALVES = filter_space<SIDE>::halves;
  const int32_t own = lane % SIDE;
  const int64_t middle_column = q.c0 + q.columns / 2, middle_row = q.r0 + q.rows / 2;
  view.m = position<FORM>(p, middle_column, middle_row);
  view.turn = {1.0, 0.0, 1.0};
  if (FORM == GLOBE) {
    view.turn.x = p.column_x[middle_column];
    view.turn.y = p.column_y[middle_column];
  }
  extents &e = view.e;
  float most_radius = FORM == GLOBE ? 0.0F : 1.0F, most_r = 0.0F, most_c = 0.0F;
  e.s = e.z = 0.0F;
#pragma unroll
  for (int h = 0; h < HALVES; h++) {
    int32_t within = own + h * WARP;
    int64_t column = q.c0 + (within < q.columns ? within : q.columns - 1);
    double x = p.column_x[column];
    if (FORM == GLOBE) {
      double y = p.column_y[column], dx = x - view.turn.x, dy = y - view.turn.y;
      view.S[h] = (float)(y * view.turn.x - x * view.turn.y);
      view.C[h] = (float)(0.5 * (dx * dx + dy * dy));
    } else {
      view.S[h] = (float)((x - view.m.x) * p.scale);
      view.C[h] = 0.0F;
    }
    e.s = fmaxf(e.s, fabsf(view.S[h]));
    most_c = fmaxf(most_c, view.C[h]);
  }
#pragma unroll
  for (int first = 0; first < SIDE; first += WARP) {
    int32_t within = first + lane;
    int64_t row = q.r0 + (within < q.rows ? within : q.rows - 1);
    float radius = 1.0F, r = 0.0F, z = (float)((p.row_z[row] - view.m.z) * p.scale);
    if (FORM == GLOBE) {
      double here = p.row_p[row];
      radius = (float)here;
      r = (float)(here - p.row_p[middle_row]);
    }
    if (within < SIDE) {
      s.radius[within] = radius;
      s.r[within] = r;
      s.z[within] = z;
    }
    most_radius = fmaxf(most_radius, radius);
    most_r = fmaxf(most_r, fabsf(r));
    e.z = fmaxf(e.z, fabsf(z));
  }
  if (FORM == GLOBE) {
    most_radius = warp_largest(most_radius);
    most_r = warp_largest(most_r) + most_radius * warp_largest(most_c);
  }
  e.s = most_radius * warp_largest(e.s);
  e.r = most_r;
  e.z = warp_largest(e.z);
  int32_t end = q.columns - 1;
  e.corner_s[0] = __shfl_sync(everyone, view.S[0], 0);
  e.corner_c[0] = __shfl_sync(everyone, view.C[0], 0);
  e.corner_s[1] = __shfl_sync(everyone, view.S[HALVES - 1], end % WARP);
  e.corner_c[1] = __shfl_sync(everyone, view.C[HALVES - 1], end % WARP);
  e.last_row = q.rows - 1;
  view.extent = sqrtf(e.s * e.s + e.r * e.r + e.z * e.z) * 1.0001F;
}

/* The exact rule for cells of a column of a quad: the rows set in the bits of `again`. */
template <int FORM>
__device__ static __noinline__ void filter_decide(const problem &p, const target &t, const int32_t *id,
                                                  int32_t candidates, int64_t column, int64_t row,
                                                  uint32_t again) {
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

/* The lane's ROWS cells from `row` on in one of its columns, (S, C), against the pivot and one candidate: a
 * sign decides. Labels, and a bit for each cell that is within the margin. */
template <int FORM, int SIDE>
__device__ __forceinline__ static uint32_t compare_two(const filter_space<SIDE> &s, int32_t row, float S,
                                                       float C, const float *radius, int32_t pivot_label,
                                                       float margin, int32_t *label) {
  uint32_t again = 0;
  const float4 k = s.k[1];
  const int32_t candidate = s.label[1];
  const float by_column = fmaf(k.y, S, -(k.z * C));
#pragma unroll
  for (int r = 0; r < ROWS; r += 4) {
    float4 z4 = *reinterpret_cast<const float4 *>(&s.z[row + r]);
    float4 r4 = FORM == GLOBE ? *reinterpret_cast<const float4 *>(&s.r[row + r])
                              : make_float4(0.0F, 0.0F, 0.0F, 0.0F);
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

/* The same against all candidates. Their terms by row are made for all columns of the chunk from row `top`
 * on; `made`: they are already computed, if one batch holds them. `group`: the lane's first row of the
 * chunk. */
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

/* Writes the lane's labels of a column, as many as the quad has `rows` from `row` on. `corner`: of the quad,
 * if aligned. */
__device__ __forceinline__ static void write_column(const target &t, const quad &q, int32_t *corner,
                                                    int32_t stride, int32_t within, int32_t row, int32_t rows,
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
template <int FORM, bool GEODESIC, int SIDE>
__device__ __forceinline__ static void decide_cells(const problem &p, const target &t, const quad &q,
                                                    const quad_view<FORM, SIDE> &view, int32_t pivot_label,
                                                    int32_t kept, float margin, filter_space<SIDE> &s,
                                                    const open_list &open, counters *count, int lane) {
  constexpr int HALVES = filter_space<SIDE>::halves;
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
        again = compare_many<FORM>(s, kept, top, group, h > 0, view.S[h], view.C[h], radius, pivot_label,
                                   margin, label, lane);
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
        filter_decide<FORM>(p, t, s.id, kept, q.c0 + within, q.r0 + row, again);
      }
    }
  }
}

/* A window of a quad, as the filter decides it. */
template <int FORM, bool GEODESIC, int SIDE> struct quad_leaf {
  using view = quad_view<FORM, SIDE>;
  const target &t;
  const quad &q;
  const open_list &open;
  counters *count;

  __device__ __forceinline__ void look(const problem &p, filter_space<SIDE> &s, view &out, int lane) const {
    view_quad<FORM>(p, q, s, out, lane);
  }
  __device__ __forceinline__ void fill(int32_t label, int lane) const { fill_quad<SIDE>(t, q, label, lane); }
  __device__ __forceinline__ void decide(const problem &p, const view &seen, const filter_pivot &by,
                                         int32_t kept, float margin, filter_space<SIDE> &s, int lane) const {
    decide_cells<FORM, GEODESIC>(p, t, q, seen, by.label, kept, margin, s, open, count, lane);
  }
};

/* LIMITED: the limit may cross a quad, which is then decided by exact distances. */
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
    range limit = NONE_IN_REACH;
    if (from.count > 0) {
      constexpr int log = SIDE == 16 ? 4 : SIDE == 32 ? 5 : 6;
      bound b;
      tile_bound<FORM>(p, log, q.c0 >> log, q.r0 >> log, &b);
      if (from.count == 1) list = &entry_at(lists, q.c0 >> lists.log, q.r0 >> lists.log).single;
      limit = range_of<SQUARE>(p, b, list, from.count, lane);
    }
    if (limit == NONE_IN_REACH) {
      fill_quad<SIDE>(t, q, p.nodata, lane);
      return;
    }
    canonically = limit == SOME_IN_REACH;
  }
  if (from.count == 1 && !canonically) {
    fill_quad<SIDE>(t, q, (int32_t)from.offset, lane);
    return;
  }
  filter_space<SIDE> &s = shared[threadIdx.x / WARP];
  for (int depth = 0;;) {
    const quad_leaf<FORM, GEODESIC, SIDE> leaf = {t, q, open, count};
    if (canonically || !decide_filtered<GEODESIC>(p, leaf, list, from.count, s, lane)) {
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
