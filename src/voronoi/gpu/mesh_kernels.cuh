/*
 * Leaves of the QTM mesh for the nearest seed. A leaf is a span of 1,024 cells, one a warp: a sub-triangle
 * of 32 cells a side. If several seeds are left after culling, its cells are decided in float (mesh_leaf);
 * cells within the margin, and leaves at the poles or with many candidates, by exact distances
 * (mesh_patches.cuh).
 *
 * The float filter (filter.cuh). Let m be the place of the middle meridian on the middle parallel. A
 * vertex in row r lies on a parallel of radius P and height z, t east of the middle meridian: v - m = (P
 * S, R - P C, Z) with S = sin t, C = 1 - cos t, R = P - P0, Z = z - z0, and t is linear in the column (t =
 * t0 + column dt). A cell's center is the mean w of its three vertices, lengthened to 1. So with X, Y, Z
 * the sums over its vertices,
 *   3 g(w) = 3 K + a X + b Y + c Z:
 * three multiply-adds a cell and seed. On the sphere g(w / |w|) = g(w) / |w| + (|s|^2 - |p|^2) (1 - 1 /
 * |w|), and |w| <= 1, so w itself decides: lengthening it parts the candidates further. (|s|^2 and |p|^2
 * are 1 but for their rounding.)
 *
 * On the ellipsoid vertices are places on it, and so is the center q: its normal is the mean of the
 * vertices' normals, lengthened. Let f map normals to places. Along a great circle of normals |f'| <=
 * 1.031 and |f''| <= 1.1 for e^2 < 0.02. The normals of the vertices are at angles h_i from the center's,
 * 2.002 / N at most for N = 2^level >= 128: no edge is longer than 3 / N (see cells/lattice.h) and a
 * triangle's center is within two thirds of a median of its corners. The three directions, as tangents of
 * the length sin h_i, add up to nothing, so the mean of the three places is at most 1.1 h^2 / 2 + 1.031
 * h^3 / 6 <= 2.26 / N^2 from q; WANDER = 2.5 / N^2 is taken: g moves by 2 WANDER |D| at most.
 *
 * The error. Let u = 2^-24, T the largest |t| (T < 0.2: only leaves with four times as many rows above
 * them as they have) and G = |K| + |a| P T + |b| (R + P T^2 / 2) + |c| Z with the largest P, R, Z of the
 * leaf. t0, dt, P, R, Z, a, b, c and K are made in double and rounded once. |t0| <= 2.7 T and |column dt|
 * <= 1.4 T, columns being counted from the leaf's middle, so t is good to 5.1 u T. The series' remainders
 * are below 0.2 u, their arithmetic adds 2.1 u to S and 3.1 u to C: S is good to 7.4 u T and C to 13.6 u
 * T^2 / 2. Then P S to 9.4 u P T and R - P C to 15.6 u (R + P T^2 / 2), as sums of three vertices with two
 * additions 11.4 and 17.6 u times three, Z 3 u. With the coefficients' rounding and the three
 * multiply-adds at the end: 20.7 u 3 G in all; 24.5 u is taken. Double arithmetic moves g by less than
 * 1e-14 (w + w^2), where w = |s - m| + |p - m| + 2 r and r is the leaf's radius: it places centers and
 * vertices within 2e-15 of where they should be; twice that is taken. Together e.
 */
#ifndef GV_MESH_KERNELS_CUH
#define GV_MESH_KERNELS_CUH

#include "voronoi/gpu/filter.cuh"
#include "voronoi/gpu/mesh_patches.cuh"

namespace gv {

enum { MESH_CAPACITY = 32, QUADS = 1 << 2 * (LEAF_BITS - 1), ROUNDS = QUADS / WARP };

struct alignas(16) mesh_space {
  static constexpr int capacity = MESH_CAPACITY;
  float4 k[MESH_CAPACITY]; /* 3 K, a, b, c; entry 0 is the seed nearest the middle, all zero */
  float error[MESH_CAPACITY];
  int32_t label[MESH_CAPACITY], id[MESH_CAPACITY];
  float t0[LEAF_SIDE + 1], dt[LEAF_SIDE + 1], radius[LEAF_SIDE + 1], r[LEAF_SIDE + 1], z[LEAF_SIDE + 1];
  int32_t stage[MESH_STAGE]; /* of decide_patches */
};

/* Leaves that the filter is proven for. */
__device__ static inline bool suits_filter(const problem &p, const part &leaf) {
  return leaf.bits == LEAF_BITS && leaf.top >= (leaf.state & DOWN ? 4 : 3) * LEAF_SIDE &&
         p.eccentricity2 < 0.02;
}

/* A vertex of the lattice, as seen from the leaf's middle. */
struct spot {
  float x, y;
};

struct lattice_row {
  float t0, dt, radius, r;
};

__device__ static inline spot spot_at(const lattice_row &row, float column) {
  float t = fmaf(column, row.dt, row.t0), t2 = t * t;
  float s = t * fmaf(t2, fmaf(t2, 1.0F / 120.0F, -1.0F / 6.0F), 1.0F);
  float c = t2 * fmaf(t2, fmaf(t2, 1.0F / 720.0F, -1.0F / 24.0F), 0.5F);
  return {row.radius * s, fmaf(-row.radius, c, row.r)};
}

/* Exact decision of cells that the filter left undecided: the lane's quads set in the bits. */
template <bool GEODESIC>
__device__ static __noinline__ void decide_quads(const problem &p, const target &t, const leaf_span &leaf,
                                                 const int32_t *id, int32_t candidates, uint32_t again,
                                                 const open_list &open, counters *count, int lane) {
  uint32_t left = 0; /* cells for the host */
  for (; again != 0; again &= again - 1) {
    int32_t round = __ffs((int)again) - 1;
    for (int32_t cell = 0; cell < 4; cell++) {
      int32_t within = 4 * (round * WARP + lane) + cell;
      bool doubt;
      leaf.out[within] =
          decide_cell<GEODESIC>(p, descend(leaf.at, within, LEAF_BITS), id, candidates, &doubt);
      if (doubt) left |= 1U << (4 * round + cell);
    }
  }
  __syncwarp();
  if (!GEODESIC || !__any_sync(everyone, left != 0)) return;
  int64_t list_at = reserve_ids(count, open, candidates, lane);
  for (int32_t n = lane; n < candidates && list_at >= 0; n += WARP)
    open.id[list_at + n] = id[n];
  for (; left != 0; left &= left - 1) {
    int32_t bit = __ffs((int)left) - 1, within = 4 * (bit / 4 * WARP + lane) + bit % 4;
    hand_over(t, count, open, leaf.first + within, 0, list_at, candidates);
  }
}

/* A leaf for the filter, relative to the middle of its middle parallel. */
struct leaf_view {
  using space = mesh_space;
  static constexpr double times = 3.0;
  static constexpr bool flat = false, prunes = false;
  parallel middle;
  double column, meridian_part; /* of the middle, and its part of the octant's width */
  place m, turn;
  /* Bounds of the vertices' places, three times; north and up are in axes turned to the middle parallel,
   * too. */
  float most_s, most_r, most_z, most_north, most_up;
  float extent, wander;

  template <bool GEODESIC>
  __device__ __forceinline__ void bounds(const problem &, const float4 &k, const place &apart, float wide,
                                         float *half, float *error) const {
    const float north = (float)(2.0 * (apart.z * middle.cosine - apart.y * middle.sine));
    const float up = (float)(2.0 * (apart.y * middle.cosine + apart.z * middle.sine));
    const float size = fabsf(k.x) + fabsf(k.y) * most_s + fabsf(k.z) * most_r + fabsf(k.w) * most_z;
    *half = fabsf(k.y) * most_s + fabsf(north) * most_north + fabsf(up) * most_up;
    *error = 1.461e-6F * size + 3e-7F * *half + 6.1e-14F * (wide + wide * wide) + 1e-36F;
    if (GEODESIC) *error += 3.001F * wander * (fabsf(k.y) + fabsf(k.z) + fabsf(k.w));
  }
};

__device__ __forceinline__ static void view_leaf(const problem &p, const part &at, leaf_view *view) {
  const int32_t widest = at.state & DOWN ? at.top : at.top + LEAF_SIDE;
  const parallel upper = parallel_at(p, at.top), middle = parallel_at(p, at.top + LEAF_SIDE / 2),
                 lower = parallel_at(p, at.top + LEAF_SIDE);
  view->middle = middle;
  view->column = (double)(at.first + LEAF_SIDE / 2);
  view->meridian_part = view->column / (double)widest;
  place turn;
  gv_sines(90.0 * view->meridian_part, &turn.y, &turn.x);
  turn.z = 1.0;
  turn = turned(at.octant, turn);
  view->turn = turn;
  view->m = {middle.p * turn.x, middle.p * turn.y, middle.z * turn.z};

  /* All are monotonous along a meridian. */
  const float angle = 25.132742F * 1.00001F / (float)widest; /* pi / 4 LEAF_SIDE */
  const float bulge = 0.5F * (float)lower.p * angle * angle, sine = (float)middle.sine,
              cosine = (float)middle.cosine;
  const double r0 = upper.p - middle.p, z0 = upper.z - middle.z, r1 = lower.p - middle.p,
               z1 = lower.z - middle.z;
  const double n0 = z0 * middle.cosine - r0 * middle.sine, n1 = z1 * middle.cosine - r1 * middle.sine;
  const double u0 = r0 * middle.cosine + z0 * middle.sine, u1 = r1 * middle.cosine + z1 * middle.sine;
  view->most_s = 3.0003F * (float)lower.p * angle;
  view->most_r = 3.0003F * (fmaxf(fabsf((float)r0), fabsf((float)r1)) + bulge);
  view->most_z = 3.0003F * fmaxf(fabsf((float)z0), fabsf((float)z1));
  view->most_north = 3.0003F * (fmaxf(fabsf((float)n0), fabsf((float)n1)) + sine * bulge);
  view->most_up = 3.0003F * (fmaxf(fabsf((float)u0), fabsf((float)u1)) + cosine * bulge);
  view->wander = ldexpf(2.5F, -2 * p.mesh_level);
  view->extent = sqrtf(view->most_s * view->most_s + view->most_north * view->most_north +
                       view->most_up * view->most_up) *
                     0.334F +
                 view->wander;
}

/* The rows of the leaf's vertices, seen from its middle. */
__device__ __forceinline__ static void place_rows(const problem &p, const part &at, const leaf_view &view,
                                                  mesh_space &s, int lane) {
  for (int32_t row = lane; row <= LEAF_SIDE; row += WARP) {
    const double half_pi = 1.57079632679489661923;
    const double step = 1.0 / (double)(at.top + row);
    const parallel here = parallel_at(p, at.top + row);
    s.t0[row] = (float)(half_pi * (view.column * step - view.meridian_part));
    s.dt[row] = (float)(half_pi * step);
    s.radius[row] = (float)here.p;
    s.r[row] = (float)(here.p - view.middle.p);
    s.z[row] = (float)(here.z - view.middle.z);
  }
  __syncwarp();
}

/* Four cells, the children of one triangle: its apex, center, western and eastern corner. Sums over their
 * vertices. */
struct four_cells {
  float x[4], y[4], z[4];
};

/* `code`: the path from the leaf to the triangle. */
__device__ __forceinline__ static void place_four(const mesh_space &s, uint32_t code, bool down,
                                                  four_cells *out) {
  const int32_t top = 2 * (int32_t)(code & 15), a = top + (down ? 2 : 0), b = top + 1,
                c = top + (down ? 0 : 2);
  const float west = (float)(2 * (int32_t)(code >> 4 & 15) - LEAF_SIDE / 2);
  const float shift = down ? 1.0F : 0.0F;
  const lattice_row row_a = {s.t0[a], s.dt[a], s.radius[a], s.r[a]};
  const lattice_row row_b = {s.t0[b], s.dt[b], s.radius[b], s.r[b]};
  const lattice_row row_c = {s.t0[c], s.dt[c], s.radius[c], s.r[c]};
  const spot a0 = spot_at(row_a, west + 2.0F * shift);
  const spot b0 = spot_at(row_b, west + shift), b1 = spot_at(row_b, west + (1.0F + shift));
  const spot c0 = spot_at(row_c, west), c1 = spot_at(row_c, west + 1.0F), c2 = spot_at(row_c, west + 2.0F);
  const float bx = b0.x + b1.x, by = b0.y + b1.y, za = s.z[a], zb = s.z[b], zc = s.z[c];
  float *const x = out->x, *const y = out->y, *const z = out->z;
  x[0] = bx + a0.x, y[0] = by + a0.y, z[0] = fmaf(2.0F, zb, za);
  x[1] = bx + c1.x, y[1] = by + c1.y, z[1] = fmaf(2.0F, zb, zc);
  x[2] = b0.x + (c0.x + c1.x), y[2] = b0.y + (c0.y + c1.y), z[2] = z[3] = fmaf(2.0F, zc, zb);
  x[3] = b1.x + (c1.x + c2.x), y[3] = b1.y + (c1.y + c2.y);
}

/* The nearest of the kept candidates, cell by cell; returns a lower bound of how much farther the second is.
 * `other`, `other_label`: the candidate after the pivot. */
__device__ __forceinline__ static float compare_four(const mesh_space &s, int32_t kept,
                                                     const four_cells &cells, int32_t pivot_label,
                                                     const float4 &other, int32_t other_label,
                                                     int32_t *label) {
  const float *const x = cells.x, *const y = cells.y, *const z = cells.z;
  float gap = CUDART_INF_F;
  if (kept == 2) { /* most leaves: a sign decides */
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const float value = fmaf(other.y, x[i], fmaf(other.z, y[i], fmaf(other.w, z[i], other.x)));
      label[i] = value < 0.0F ? other_label : pivot_label;
      gap = fminf(gap, fabsf(value));
    }
    return gap;
  }
  float best[4], second[4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    best[i] = 0.0F;
    second[i] = CUDART_INF_F;
    label[i] = pivot_label;
  }
  for (int32_t n = 1; n < kept; n++) {
    const float4 k = s.k[n];
    const int32_t candidate = s.label[n];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const float value = fmaf(k.y, x[i], fmaf(k.z, y[i], fmaf(k.w, z[i], k.x)));
      label[i] = value < best[i] ? candidate : label[i];
      second[i] = fminf(second[i], fmaxf(best[i], value));
      best[i] = fminf(best[i], value);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
    gap = fminf(gap, second[i] - best[i]);
  return gap;
}

/* Labels in the order of the cells' numbers, which is that of the corners' basis numbers. */
__device__ __forceinline__ static int4 mesh_in_order(uint32_t code, bool down, const int32_t *label) {
  const uint32_t apex = code >> 9 & 3;
  const bool swap = ((code >> 8 & 1) != 0) != down;
  const int32_t low = swap ? label[3] : label[2], high = swap ? label[2] : label[3];
  return make_int4(label[1], apex == 0 ? label[0] : low,
                   apex == 0   ? low
                   : apex == 1 ? label[0]
                               : high,
                   apex == 2 ? label[0] : high);
}

/* A leaf and its cells, as the filter decides it. */
template <bool GEODESIC> struct mesh_leaf {
  using view = leaf_view;
  const target &t;
  const leaf_span &leaf;
  const open_list &open;
  counters *count;

  __device__ __forceinline__ void look(const problem &p, mesh_space &, view &out, int) const {
    view_leaf(p, leaf.at, &out);
  }
  __device__ __forceinline__ void fill(int32_t label, int lane) const {
    fill_span(leaf.out, 1 << LEAF_LOG, label, lane);
  }
  __device__ __forceinline__ void decide(const problem &p, const view &seen, const filter_pivot &by,
                                         int32_t kept, float margin, mesh_space &s, int lane) const {
    place_rows(p, leaf.at, seen, s, lane);
    const float4 other = s.k[1];
    const int32_t other_label = s.label[1];
    const uint16_t *const way = ways.four[leaf.at.state];
    uint32_t again = 0;
#pragma unroll 1
    for (int32_t round = 0; round < ROUNDS; round++) { /* four cells a lane at once */
      const uint32_t code = __ldg(way + round * WARP + lane);
      const bool down = (code & DOWN << 8) != 0;
      four_cells cells;
      place_four(s, code, down, &cells);
      int32_t label[4];
      const float gap = compare_four(s, kept, cells, by.label, other, other_label, label);
      again |= gap > margin ? 0U : 1U << round;
      __stcs(reinterpret_cast<int4 *>(leaf.out) + round * WARP + lane, mesh_in_order(code, down, label));
    }
    if (__any_sync(everyone, again != 0))
      decide_quads<GEODESIC>(p, t, leaf, s.id, kept, again, open, count, lane);
  }
};

/* One warp a span of 2^log cells, log <= LEAF_LOG. */
template <bool GEODESIC>
__global__ void __launch_bounds__(WARP *LEAF_WARPS, 8)
    leaf_mesh(const __grid_constant__ problem p, const __grid_constant__ level lists,
              const __grid_constant__ target t, const __grid_constant__ level leaves,
              const __grid_constant__ open_list open, counters *count) {
  __shared__ mesh_space shared[LEAF_WARPS];
  const int lane = threadIdx.x % WARP;
  int32_t number = (int32_t)blockIdx.x * LEAF_WARPS + (int32_t)threadIdx.x / WARP;
  if (number >= leaves.across) return;
  const int64_t i = leaves.i0 + number;
  leaf_span leaf;
  leaf.first = i << leaves.log;
  leaf.out = t.out + (leaf.first - t.c0);
  const entry from = entry_at(lists, i >> (lists.log - leaves.log), 0);
  if (from.count < 0) return;
  if (from.count == 1) {
    fill_span(leaf.out, 1 << leaves.log, (int32_t)from.offset, lane);
    return;
  }
  const int32_t *list = lists.pool + from.offset;
  mesh_space &s = shared[threadIdx.x / WARP];
  leaf.at = part_at(p.mesh_level, leaves.log / 2, i);
  const mesh_leaf<GEODESIC> all = {t, leaf, open, count};
  if (!suits_filter(p, leaf.at) || !decide_filtered<GEODESIC>(p, all, list, from.count, s, lane))
    decide_patches<GEODESIC>(p, t, leaf, list, from.count, s.stage, open, count, lane);
}

} // namespace gv

#endif
