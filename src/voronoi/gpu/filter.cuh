/*
 * The float filter of rasters: the nearest seed by squared distances, where the position of a cell is a product of something
 * by column and something by row. Here: its proof, and the candidates of a quad that may win somewhere, in shared memory.
 *
 * The float filter. Let m be the position of the quad's middle cell and p the pivot seed. For seed i, with D = s_i - p and
 * K = |s_i - m|^2 - |p - m|^2 = D . ((s_i - m) + (p - m)),
 *   g_i(q) = |q - s_i|^2 - |q - p|^2 = K - 2 (q - m) . D.
 * Turn the axes about the globe's by the middle column's longitude: with t the longitude from there and (P, z) the row's
 * radius and height (P0, z0 in the middle),
 *   q - m = (P sin t, (P - P0) - P (1 - cos t), z - z0) = (P S, R - P C, Z),
 * so that, with a = -2 D_1, b = -2 D_2, c = -2 D_3 in those axes,
 *   g_i = [K + b R + c Z] + P [a S - b C]:
 * a term by row and a term by column, one fused multiply-add a pair of cell and seed. S, R, Z and C are made from
 * differences of the canonical tables in double, C as half the squared chord, and rounded to float once. On the plane
 * P = 1, S = x - x_m, C = R = 0, Z = y - y_m, all times a power of 2 that makes cells about 1 wide.
 *
 * The margin. Let u = 2^-24 and G = |K| + Pmax (|a| Smax + |b| Cmax) + |b| Rmax + |c| Zmax over the quad. Every product
 * above carries at most three roundings of its factors, one of its own and three of the sums after it (relative u each),
 * so float arithmetic adds at most 7.01 u G, and the bound over the quad 8.01 u G; 12 u G is taken. What double arithmetic adds: with w = |s_i - m| + |p - m| +
 * 2 r (r the quad's radius) and L the size of positions (1 on the globe, 0 on the plane, where the tables are the
 * positions), the rounding of positions and of the rotation (tables are not exactly of length 1, to 1.5 ulp) moves g by
 * at most 12 x 2^-53 L w, the rounding of K, D and the canonical squares by at most 12 x 2^-53 w^2; 1e-14 (L w + w^2) is
 * seven times that. Denormal floats: 1e-36. Together e_i. So when g_i, computed, exceeds e_i all over the quad, the
 * canonical distance of i is larger than the pivot's everywhere, strictly; and a cell whose best and second best
 * computed values differ by more than 2 max e_i is decided: its canonical order is the computed one. Infinities and NaN
 * (seeds absurdly far away) fail every comparison and so end in canonical decisions.
 */
#ifndef GV_FILTER_CUH
#define GV_FILTER_CUH

#include "voronoi/gpu/pivots.cuh"
#include "voronoi/gpu/quads.cuh"

namespace gv {

enum {
  CAPACITY = 64,    /* candidates of a quad in shared memory */
  BATCH = 32,       /* of them with row terms at once */
  ROWS = 8,         /* a lane at once */
  LEAST_WINDOW = 4, /* cells a side that are decided whatever the number of candidates */
  MOST_WINDOWS = 24 /* 3 a split and one more, from 64 cells a side */
};

template <int SIDE> struct alignas(16) filter_space {
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
  float s, r, z, slack;
  float corner_s[2], corner_c[2];
  int32_t last_row;
};

/* Floats in the order of unsigned integers. */
__device__ static inline uint32_t ordered(float value) {
  uint32_t bits = __float_as_uint(value);
  return bits >> 31 ? ~bits : bits | 0x80000000U;
}

/* Drops the candidates that one of the best at the corners beats all over the quad; returns how many are left. The
 * difference of two candidates' g is bounded as g is: 3 u (G_i + G_j) more for the differences of the rounded
 * coefficients, for which 12 u G has room. */
template <int SIDE>
__device__ static int32_t prune(filter_space<SIDE> &s, int32_t kept, const extents &e, int lane) {
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
        uint32_t key = ordered(fmaf(s.radius[row], fmaf(k.y, e.corner_s[c & 1], -(k.z * e.corner_c[c & 1])), term));
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
        bool beaten = (k.x - by.x) - half > 1.001F * (error + s.error[best[c]] + e.slack);
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

/* A quad as the filter sees it: from its middle cell, in axes turned to the middle column. */
template <int HALVES> struct quad_view {
  place m;
  double turn_x, turn_y;
  float S[HALVES], C[HALVES]; /* of the lane's columns */
  extents e;
  float extent; /* of its cells from the middle one */
};

/* The lane's columns, and the rows (into `s`), seen from the middle cell. */
template <int FORM, int SIDE>
__device__ __forceinline__ static void view_quad(const problem &p, const quad &q, filter_space<SIDE> &s,
                                                 quad_view<filter_space<SIDE>::halves> &view, int lane) {
  constexpr int HALVES = filter_space<SIDE>::halves;
  const int32_t own = lane % SIDE;
  const int64_t middle_column = q.c0 + q.columns / 2, middle_row = q.r0 + q.rows / 2;
  view.m = position<FORM>(p, middle_column, middle_row);
  view.turn_x = 1.0;
  view.turn_y = 0.0;
  if (FORM == GLOBE) {
    view.turn_x = p.column_x[middle_column];
    view.turn_y = p.column_y[middle_column];
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
      double y = p.column_y[column], dx = x - view.turn_x, dy = y - view.turn_y;
      view.S[h] = (float)(y * view.turn_x - x * view.turn_y);
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

/* The seed that others are compared with. */
struct filter_pivot {
  int32_t id, label;
  place at;
  double x, y, z; /* from the middle cell */
  float near;     /* no less than its distance from there */
};

/* The pivot: nearest the middle. Entry 0 of `s`, and what geodesics add to its distances. */
template <bool GEODESIC, int SIDE, int HALVES>
__device__ __forceinline__ static filter_pivot place_pivot(const problem &p, const int32_t *list,
                                                           int32_t candidates, filter_space<SIDE> &s,
                                                           quad_view<HALVES> &view, int lane) {
  filter_pivot by;
  by.id = warp_nearest(p, view.m, list, candidates, lane);
  by.at = seed_place(p.seeds, by.id);
  by.x = by.at.x - view.m.x;
  by.y = by.at.y - view.m.y;
  by.z = by.at.z - view.m.z;
  by.label = seed_label(p.seeds, by.id);
  double distance = sqrt(fma(by.z, by.z, fma(by.y, by.y, by.x * by.x)));
  by.near = (float)(distance * p.scale) * 1.0001F;
  view.e.slack = 0.0F;
  if (GEODESIC) {
    view.e.slack = (float)gv_chord_slack(&p.chords, (distance + (double)view.extent) * (1.0 + 1e-9)) * 1.0001F;
  }
  if (lane == 0) {
    s.k[0] = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    s.error[0] = 0.0F;
    s.label[0] = by.label;
    s.id[0] = by.id;
  }
  return by;
}

/* A candidate's K, a, b and c, and its error e. */
template <int FORM, int HALVES>
__device__ __forceinline__ static float4 coefficients(const problem &p, int32_t id, const filter_pivot &by,
                                                      const quad_view<HALVES> &view, float *half, float *error) {
  const extents &e = view.e;
  float4 k = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
  place at = seed_place(p.seeds, id);
  double dx = at.x - by.at.x, dy = at.y - by.at.y, dz = at.z - by.at.z;
  double tx = (at.x - view.m.x) + by.x, ty = (at.y - view.m.y) + by.y, tz = (at.z - view.m.z) + by.z;
  if (FORM == PLANE) {
    dx *= p.scale;
    dz *= p.scale;
    k.x = (float)fma(dz, tz * p.scale, dx * (tx * p.scale));
    k.y = (float)(-2.0 * dx);
  } else {
    k.x = (float)fma(dz, tz, fma(dy, ty, dx * tx));
    k.y = (float)(-2.0 * (dy * view.turn_x - dx * view.turn_y));
    k.z = (float)(-2.0 * (dx * view.turn_x + dy * view.turn_y));
  }
  k.w = (float)(-2.0 * dz);
  *half = fabsf(k.y) * e.s + fabsf(k.z) * e.r + fabsf(k.w) * e.z;
  /* |s_i - m| <= |D| + |p - m|, |D| <= (|a| + |b| + |c|) / 2. */
  float wide = 0.5F * (fabsf(k.y) + fabsf(k.z) + fabsf(k.w)) + 2.0F * by.near + 2.0F * view.extent;
  *error = 7.2e-7F * (fabsf(k.x) + *half) + 1.01e-14F * ((float)p.size * wide + wide * wide) + 1e-36F;
  return k;
}

/* Collects the candidates that may win somewhere, after the pivot; `out`: how many there are with it. False: more than fit
 * into shared memory. */
template <int FORM, int SIDE, int HALVES>
__device__ __forceinline__ static bool collect(const problem &p, const int32_t *list, int32_t candidates,
                                               const filter_pivot &by, const quad_view<HALVES> &view,
                                               filter_space<SIDE> &s, int32_t *out, int lane) {
  int32_t kept = 1;
  bool crowded = false;
  for (int32_t first = 0; first < candidates && !crowded; first += WARP) {
    int32_t n = first + lane, id = n < candidates ? list[n] : by.id;
    bool keep = false;
    float4 k = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    float error = 0.0F;
    if (id != by.id) {
      float half;
      k = coefficients<FORM>(p, id, by, view, &half, &error);
      keep = !(k.x - half > 1.001F * (error + view.e.slack));
    }
    uint32_t who = __ballot_sync(everyone, keep);
    int32_t at = kept + __popc(who & ((1U << lane) - 1U));
    if (keep) {
      s.k[at] = k;
      s.error[at] = error < CUDART_INF_F ? error : CUDART_INF_F; /* NaN too */
      s.label[at] = seed_label(p.seeds, id);
      s.id[at] = id;
    }
    kept += __popc(who);
    __syncwarp();
    if (kept > CAPACITY - WARP && first + WARP < candidates) {
      kept = prune<SIDE>(s, kept, view.e, lane);
      crowded = kept > CAPACITY - WARP;
    }
  }
  if (crowded) return false;
  *out = kept > FEW ? prune<SIDE>(s, kept, view.e, lane) : kept;
  return true;
}

} // namespace gv

#endif
