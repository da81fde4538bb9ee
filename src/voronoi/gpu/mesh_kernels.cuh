/*
 * Leaves of the QTM mesh where the nearest seed is asked for. A leaf is a run of 1,024 cells, one a warp: a sub-triangle of 32
 * cells a side. If several seeds are left after culling, its cells are decided in float (decide_leaf); what lies within the
 * margin, and leaves at the poles or with many candidates, canonically (mesh_patches.cuh).
 *
 * The float filter. Let m be the place of the middle meridian on the middle parallel, p the seed nearest it and, for a
 * seed s, D = s - p and K = |s - m|^2 - |p - m|^2 = D . ((s - m) + (p - m)). For any vector v
 *   g(v) = |v - s|^2 - |v - p|^2 = K - 2 (v - m) . D,
 * which is linear in v. A vertex in row r lies on a parallel of radius P and height z, t east of the middle meridian:
 * v - m = (P S, R - P C, Z) in axes east, outward and along the globe's, with S = sin t, C = 1 - cos t, R = P - P0,
 * Z = z - z0, and t is linear in the column (t = t0 + column dt). A cell's centre is the mean w of its three vertices,
 * lengthened to 1. So with X, Y, Z the sums over its vertices, and a, b, c = -2 D in those axes,
 *   3 g(w) = 3 K + a X + b Y + c Z:
 * three multiply-adds a cell and seed. On the sphere g(w / |w|) = g(w) / |w| + (|s|^2 - |p|^2) (1 - 1 / |w|), and |w| <= 1, so
 * w itself decides: lengthening it parts the candidates further. (|s|^2 and |p|^2 are 1 but for their rounding.)
 *
 * On the ellipsoid vertices are places on it, and so is the centre q: the place whose normal is the mean of the vertices'
 * normals, lengthened. Let f take normals to places. Along a great circle of normals |f'| <= 1.031 and |f''| <= 1.1 for e^2 < 0.02.
 * The normals of the vertices are at angles h_i from the centre's, 2.002 / N at most for N = 2^level >= 128: no edge
 * is longer than 3 / N (see gv_mesh_bound) and a triangle's centre is within two thirds of a median of its corners. The
 * three directions, as tangents of the length sin h_i, add up to nothing, so the mean of the three places is at most
 * 1.1 h^2 / 2 + 1.031 h^3 / 6 <= 2.26 / N^2 from q; WANDER = 2.5 / N^2 is taken: g moves by 2 WANDER |D| at most.
 *
 * The margin. Let u = 2^-24, T the largest |t| (T < 0.2: only leaves with four times as many rows above them as they have) and
 * G = |K| + |a| P T + |b| (R + P T^2 / 2) + |c| Z with the largest P, R, Z of the leaf. t0, dt, P, R, Z, a, b, c and K are
 * made in double and rounded once. |t0| <= 2.7 T and |column dt| <= 1.4 T, columns being counted from the leaf's middle, so
 * t is good to 5.1 u T. The series' remainders are below 0.2 u, their arithmetic adds 2.1 u to S and 3.1 u to C: S is good to
 * 7.4 u T and C to 13.6 u T^2 / 2. Then P S to 9.4 u P T and R - P C to 15.6 u (R + P T^2 / 2), as sums of three vertices with two
 * additions 11.4 and 17.6 u times three, Z 3 u. With the coefficients' rounding and the three multiply-adds at the
 * end: 20.7 u 3 G in all; 24.5 u is taken. Double arithmetic moves g by less than 1e-14 (w + w^2), where w = |s - m| + |p - m| + 2 r
 * and r is the leaf's radius: it places centres and vertices within 2e-15 of where they should be; twice that is
 * taken. Together e. A seed whose g exceeds e all over the leaf is never nearest; a cell whose best and second best
 * values differ by more than 2 max e is decided.
 */
#ifndef GV_MESH_KERNELS_CUH
#define GV_MESH_KERNELS_CUH

#include "voronoi/gpu/mesh_patches.cuh"

namespace gv {

enum { MESH_CAPACITY = 32, QUADS = 1 << 2 * (LEAF_BITS - 1), ROUNDS = QUADS / WARP };

struct alignas(16) mesh_space {
  float4 k[MESH_CAPACITY]; /* 3 K, a, b, c; entry 0 is the seed nearest the middle, all zero */
  int32_t label[MESH_CAPACITY], id[MESH_CAPACITY];
  float t0[LEAF_SIDE + 1], dt[LEAF_SIDE + 1], radius[LEAF_SIDE + 1], r[LEAF_SIDE + 1], z[LEAF_SIDE + 1];
  int32_t stage[MESH_STAGE]; /* of decide_patches */
};

/* Leaves that the filter is proven for. */
__device__ static inline bool suits_filter(const problem &p, const part &leaf) {
  return leaf.bits == LEAF_BITS && leaf.top >= (leaf.state & DOWN ? 4 : 3) * LEAF_SIDE && p.eccentricity2 < 0.02;
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

/* Cells that the filter left open, canonically: the lane's quads whose bit is set. */
template <bool GEODESIC>
__device__ static __noinline__ void settle_quads(const problem &p, const target &t, const leaf_run &leaf,
                                                 const int32_t *id, int32_t candidates, uint32_t again,
                                                 const open_list &open, counters *count, int lane) {
  uint32_t left = 0; /* cells for the host */
  for (; again != 0; again &= again - 1) {
    int32_t round = __ffs((int)again) - 1;
    for (int32_t cell = 0; cell < 4; cell++) {
      int32_t within = 4 * (round * WARP + lane) + cell;
      bool doubt;
      leaf.out[within] = decide_cell<GEODESIC>(p, descend(leaf.at, within, LEAF_BITS), id, candidates, &doubt);
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

/* A leaf as the filter sees it: from the middle of its middle parallel, in axes turned to the middle meridian. */
struct leaf_view {
  parallel middle;
  double column, meridian_part; /* of the middle, and its part of the octant's width */
  place m, turn;
  /* Bounds of the vertices' places, three times; north and up are in axes turned to the middle parallel, too. */
  float most_s, most_r, most_z, most_north, most_up;
  float extent, wander;
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
  const double r0 = upper.p - middle.p, z0 = upper.z - middle.z, r1 = lower.p - middle.p, z1 = lower.z - middle.z;
  const double n0 = z0 * middle.cosine - r0 * middle.sine, n1 = z1 * middle.cosine - r1 * middle.sine;
  const double u0 = r0 * middle.cosine + z0 * middle.sine, u1 = r1 * middle.cosine + z1 * middle.sine;
  view->most_s = 3.0003F * (float)lower.p * angle;
  view->most_r = 3.0003F * (fmaxf(fabsf((float)r0), fabsf((float)r1)) + bulge);
  view->most_z = 3.0003F * fmaxf(fabsf((float)z0), fabsf((float)z1));
  view->most_north = 3.0003F * (fmaxf(fabsf((float)n0), fabsf((float)n1)) + sine * bulge);
  view->most_up = 3.0003F * (fmaxf(fabsf((float)u0), fabsf((float)u1)) + cosine * bulge);
  view->wander = ldexpf(2.5F, -2 * p.mesh_level);
  view->extent =
      sqrtf(view->most_s * view->most_s + view->most_north * view->most_north + view->most_up * view->most_up) *
          0.334F +
      view->wander;
}

/* The seed that others are compared with. */
struct leaf_pivot {
  int32_t id, label;
  place at;
  double x, y, z; /* from the middle */
  float near;     /* no less than its distance from there */
  float slack;    /* what geodesics add to it, three times */
};

/* The pivot: nearest the middle. Entry 0 of `s`. */
template <bool GEODESIC>
__device__ __forceinline__ static leaf_pivot place_leaf_pivot(const problem &p, const leaf_view &view,
                                                              const int32_t *list, int32_t candidates,
                                                              mesh_space &s, int lane) {
  leaf_pivot by;
  by.id = warp_nearest(p, view.m, list, candidates, lane);
  by.label = seed_label(p.seeds, by.id);
  by.at = seed_place(p.seeds, by.id);
  by.x = by.at.x - view.m.x;
  by.y = by.at.y - view.m.y;
  by.z = by.at.z - view.m.z;
  const double distance = sqrt(fma(by.z, by.z, fma(by.y, by.y, by.x * by.x)));
  by.near = (float)distance * 1.0001F;
  by.slack = 0.0F;
  if (GEODESIC) by.slack = 3.0003F * (float)gv_chord_slack(&p.chords, (distance + (double)view.extent) * (1.0 + 1e-9));
  if (lane == 0) {
    s.k[0] = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    s.label[0] = by.label;
    s.id[0] = by.id;
  }
  return by;
}

/* A candidate's 3 K, a, b and c; its error e, and whether it may win somewhere. */
template <bool GEODESIC>
__device__ __forceinline__ static float4 leaf_coefficients(const problem &p, int32_t id, const leaf_view &view,
                                                           const leaf_pivot &by, float *error, bool *keep) {
  float4 k = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
  const place seat = seed_place(p.seeds, id), &turn = view.turn;
  const double dx = seat.x - by.at.x, dy = seat.y - by.at.y, dz = seat.z - by.at.z;
  const double tx = (seat.x - view.m.x) + by.x, ty = (seat.y - view.m.y) + by.y, tz = (seat.z - view.m.z) + by.z;
  const double east = dy * turn.x - dx * turn.y, out = dx * turn.x + dy * turn.y, pole = dz * turn.z;
  k.x = (float)(3.0 * fma(dz, tz, fma(dy, ty, dx * tx)));
  k.y = (float)(-2.0 * east);
  k.z = (float)(-2.0 * out);
  k.w = (float)(-2.0 * pole);
  const float north = (float)(2.0 * (pole * view.middle.cosine - out * view.middle.sine));
  const float up = (float)(2.0 * (out * view.middle.cosine + pole * view.middle.sine));
  const float half = fabsf(k.y) * view.most_s + fabsf(north) * view.most_north + fabsf(up) * view.most_up;
  const float size = fabsf(k.x) + fabsf(k.y) * view.most_s + fabsf(k.z) * view.most_r + fabsf(k.w) * view.most_z;
  /* |s - m| <= |D| + |p - m|, |D| <= (|a| + |b| + |c|) / 2. */
  const float apart = fabsf(k.y) + fabsf(k.z) + fabsf(k.w);
  const float wide = 0.5F * apart + 2.0F * by.near + 2.0F * view.extent;
  *error = 1.461e-6F * size + 3e-7F * half + 6.1e-14F * (wide + wide * wide) + 1e-36F;
  if (GEODESIC) *error += 3.001F * view.wander * apart;
  *keep = !(k.x - half > 1.001F * (*error + by.slack));
  return k;
}

/* Collects the candidates that may win somewhere, after the pivot; `out`: how many there are with it, `doubt`: the largest of
 * the lane's errors. False: too many. */
template <bool GEODESIC>
__device__ __forceinline__ static bool collect_for_leaf(const problem &p, const int32_t *list, int32_t candidates,
                                                        const leaf_view &view, const leaf_pivot &by, mesh_space &s,
                                                        int32_t *out, float *doubt, int lane) {
  int32_t kept = 1;
  *doubt = 0.0F;
  for (int32_t first = 0; first < candidates; first += WARP) {
    const int32_t n = first + lane, id = n < candidates ? list[n] : by.id;
    bool keep = false;
    float4 k = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    if (id != by.id) {
      float error;
      k = leaf_coefficients<GEODESIC>(p, id, view, by, &error, &keep);
      if (keep) *doubt = fmaxf(*doubt, error);
    }
    const uint32_t who = __ballot_sync(everyone, keep);
    const int32_t at = kept + __popc(who & ((1U << lane) - 1U));
    kept += __popc(who);
    if (kept > MESH_CAPACITY) return false;
    if (keep) {
      s.k[at] = k;
      s.label[at] = seed_label(p.seeds, id);
      s.id[at] = id;
    }
  }
  *out = kept;
  return true;
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

/* Four cells, the children of one triangle: its apex, centre, western and eastern corner. Sums over their vertices. */
struct four_cells {
  float x[4], y[4], z[4];
};

/* `code`: the way from the leaf to the triangle. */
__device__ __forceinline__ static void place_four(const mesh_space &s, uint32_t code, bool down, four_cells *out) {
  const int32_t top = 2 * (int32_t)(code & 15), a = top + (down ? 2 : 0), b = top + 1, c = top + (down ? 0 : 2);
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

/* Who is nearest of the kept candidates, cell by cell; by how much the second is farther, at least. `other`, `other_label`:
 * the one next to the pivot. */
__device__ __forceinline__ static float compare_four(const mesh_space &s, int32_t kept, const four_cells &cells,
                                                     int32_t pivot_label, const float4 &other, int32_t other_label,
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
__device__ __forceinline__ static int4 in_order(uint32_t code, bool down, const int32_t *label) {
  const uint32_t apex = code >> 9 & 3;
  const bool swap = ((code >> 8 & 1) != 0) != down;
  const int32_t low = swap ? label[3] : label[2], high = swap ? label[2] : label[3];
  return make_int4(label[1], apex == 0 ? label[0] : low,
                   apex == 0   ? low
                   : apex == 1 ? label[0]
                               : high,
                   apex == 2 ? label[0] : high);
}

/* False, with nothing written, if there are too many candidates. */
template <bool GEODESIC>
__device__ __forceinline__ static bool decide_leaf(const problem &p, const target &t, const leaf_run &leaf,
                                                   const int32_t *list, int32_t candidates, mesh_space &s,
                                                   const open_list &open, counters *count, int lane) {
  leaf_view view;
  view_leaf(p, leaf.at, &view);
  const leaf_pivot by = place_leaf_pivot<GEODESIC>(p, view, list, candidates, s, lane);
  int32_t kept;
  float doubt;
  if (!collect_for_leaf<GEODESIC>(p, list, candidates, view, by, s, &kept, &doubt, lane)) return false;
  if (kept == 1) {
    fill_run(leaf.out, 1 << LEAF_LOG, by.label, lane);
    return true;
  }
  const float margin = 2.002F * warp_largest(doubt) + by.slack;
  place_rows(p, leaf.at, view, s, lane);

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
    __stcs(reinterpret_cast<int4 *>(leaf.out) + round * WARP + lane, in_order(code, down, label));
  }
  if (__any_sync(everyone, again != 0)) settle_quads<GEODESIC>(p, t, leaf, s.id, kept, again, open, count, lane);
  return true;
}

/* One warp a run of 2^log cells, log <= LEAF_LOG. */
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
  leaf_run leaf;
  leaf.first = i << leaves.log;
  leaf.out = t.out + (leaf.first - t.c0);
  const entry from = entry_at(lists, i >> (lists.log - leaves.log), 0);
  if (from.count < 0) return;
  if (from.count == 1) {
    fill_run(leaf.out, 1 << leaves.log, (int32_t)from.offset, lane);
    return;
  }
  const int32_t *list = lists.pool + from.offset;
  mesh_space &s = shared[threadIdx.x / WARP];
  leaf.at = part_at(p.mesh_level, leaves.log / 2, i);
  if (!suits_filter(p, leaf.at) || !decide_leaf<GEODESIC>(p, t, leaf, list, from.count, s, open, count, lane))
    decide_patches<GEODESIC>(p, t, leaf, list, from.count, s.stage, open, count, lane);
}

} // namespace gv

#endif
