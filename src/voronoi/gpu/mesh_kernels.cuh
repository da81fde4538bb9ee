/*
 * QTM cells on a GPU. A sub-triangle is one run of cell numbers, so that levels of sub-triangles are levels of runs of
 * 4^bits cells (log = 2 bits), and everything above the leaves is as for rasters. Positions and bounds are made as
 * cells/mesh.c makes them, in the same order of operations, hence the same bits.
 *
 * A leaf is a run of 1,024 cells, one a warp: a sub-triangle of 32 cells a side. If several seeds are left after culling,
 * its cells are decided in float (decide_leaf); what lies within the margin, and leaves at the poles or with many
 * candidates, canonically.
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

#include "voronoi/gpu/raster_kernels.cuh"

namespace gv {

enum { PATCH_LOG = 6, LEAF_BITS = 5, LEAF_LOG = 2 * LEAF_BITS, LEAF_SIDE = 1 << LEAF_BITS, MESH_STAGE = 128 };

/* ------------------------------------------------------------------------------------------------- sub-triangles */

/*
 * A sub-triangle of 2^bits cells a side, with its first row (from the octant's pole) and the first column in that row.
 * `state`: bit 3, it points away from the pole; bits 1 and 2, basis number of its corner towards (away from) the pole, less
 * 1; bit 0, of the other two corners the one towards (away from) the west has the larger number.
 */
struct part {
  int32_t bits, octant, top, first;
  uint32_t state;
};

static constexpr uint32_t DOWN = 8;

/* From a state by one and by four digits: bits 0 ... 3, how many rows farther down (in units of the sub-triangle that is
 * reached); 4 ... 7, how many columns; 8 ... 11, its state. */
struct descent {
  uint16_t one[16][4];
  uint16_t four[16][256];
};

constexpr uint32_t step_of(uint32_t state, uint32_t digit) {
  bool down = (state & DOWN) != 0, larger = (state & 1) != 0;
  if (digit == 0) return down ? 0x10U | state % DOWN << 8 : 0x01U | (state | DOWN) << 8;
  uint32_t pole = (state >> 1 & 3) + 1, low = pole == 1 ? 2 : 1, high = pole == 3 ? 2 : 3;
  uint32_t west = larger ? high : low, east = larger ? low : high;
  bool by_pole = digit == pole, by_west = digit == west;
  uint32_t rows = by_pole == down ? 1 : 0, columns = (down ? digit != east : digit == east) ? 1 : 0;
  /* The other two corners' numbers change places. */
  uint32_t to_pole = by_pole ? pole : by_west ? east : west;
  uint32_t to_west = by_pole ? east : by_west ? west : pole, to_east = by_pole ? west : by_west ? pole : east;
  uint32_t to = (down ? DOWN : 0U) | (to_pole - 1) << 1 | (to_west > to_east ? 1U : 0U);
  return rows | columns << 4 | to << 8;
}

/* The way `a` and then `b` of `steps` digits. */
constexpr uint32_t joined(uint32_t a, uint32_t b, int steps) {
  uint32_t rows = ((a & 15) << steps) + (b & 15), columns = ((a >> 4 & 15) << steps) + (b >> 4 & 15);
  return rows | columns << 4 | b >> 8 << 8;
}

constexpr descent make_descent() {
  descent made = {};
  uint16_t two[16][16] = {};
  for (uint32_t state = 0; state < 16; state++) {
    for (uint32_t n = 0; n < 4 && (state >> 1 & 3) < 3; n++)
      made.one[state][n] = (uint16_t)step_of(state, n);
  }
  for (uint32_t state = 0; state < 16; state++) {
    for (uint32_t n = 0; n < 16; n++) {
      uint32_t a = made.one[state][n >> 2];
      two[state][n] = (uint16_t)joined(a, made.one[a >> 8][n & 3], 1);
    }
  }
  for (uint32_t state = 0; state < 16; state++) {
    for (uint32_t n = 0; n < 256; n++) {
      uint32_t a = two[state][n >> 4];
      made.four[state][n] = (uint16_t)joined(a, two[a >> 8][n & 15], 2);
    }
  }
  return made;
}

static __device__ const descent ways = make_descent();

__device__ static inline void go(part *t, uint32_t way, int digits) {
  t->bits -= digits;
  t->top += (int32_t)(way & 15) << t->bits;
  t->first += (int32_t)(way >> 4 & 15) << t->bits;
  t->state = way >> 8;
}

/* The sub-triangle that is `depth` digits farther down. */
__device__ static part descend(part t, int64_t digits, int depth) {
  while (depth % 4 != 0) {
    depth--;
    go(&t, __ldg(&ways.one[t.state][digits >> 2 * depth & 3]), 1);
  }
  while (depth > 0) {
    depth -= 4;
    go(&t, __ldg(&ways.four[t.state][digits >> 2 * depth & 255]), 4);
  }
  return t;
}

__device__ static inline part octant_of(int32_t level, int32_t octant) {
  return {level, octant, 0, 0, octant % 2 != 0 ? 0U : 1U};
}

/* Sub-triangle `index` of those of 2^bits cells a side. */
__device__ static part part_at(int32_t level, int32_t bits, int64_t index) {
  int32_t depth = level - bits;
  return descend(octant_of(level, 1 + (int32_t)(index >> 2 * depth)), index, depth);
}

/* ------------------------------------------------------------------------------------------ positions and bounds */

/* sincos_lanes of exact/globe_kernels_body.h. */
__device__ static void sincos_degrees(double degrees, double *sine, double *cosine) {
  const double magic = 6755399441055744.0;
  double quadrant = (degrees * (1.0 / 90.0) + magic) - magic;
  double r = (degrees - quadrant * 90.0) * (3.14159265358979323846 / 180.0), u = r * r;
  double p = 0x1.5e0b05bff20f2p-33;
  p = p * u + -0x1.ae600aca92c64p-26;
  p = p * u + 0x1.71de379654304p-19;
  p = p * u + -0x1.a01a019e83816p-13;
  p = p * u + 0x1.1111111110bb2p-7;
  p = p * u + -0x1.5555555555555p-3;
  double s = r + (r * u) * p;
  double q = -0x1.907d8f29fe831p-37;
  q = q * u + 0x1.1eeb68cd22f56p-29;
  q = q * u + -0x1.27e4fa17bf139p-22;
  q = q * u + 0x1.a01a019f4e9b4p-16;
  q = q * u + -0x1.6c16c16c16967p-10;
  q = q * u + 0x1.5555555555555p-5;
  double half = u * 0.5, w = 1.0 - half, c = w + (((1.0 - w) - half) + (u * u) * q);
  double size = fabs(quadrant), backward = size > 1.5 ? -1.0 : 1.0;
  bool odd = fabs(size - 1.0) < 0.5;
  *sine = (odd ? c : s) * (quadrant < -0.5 ? -1.0 : backward) + 0.0;
  *cosine = (odd ? s : c) * (quadrant > 0.5 ? -1.0 : backward) + 0.0;
}

/* meridian_lanes of the same file. */
__device__ static inline void meridian(double eccentricity2, double sine, double cosine, double *p, double *z) {
  if (eccentricity2 < 0.0) {
    *p = cosine;
    *z = sine;
    return;
  }
  double n = 1.0 / sqrt(1.0 - (eccentricity2 * sine) * sine);
  *p = n * cosine;
  *z = (n * (1.0 - eccentricity2)) * sine;
}

/* From the octant's place on the globe to octant 1's or back: a vector of octant 1, turned. */
__device__ static inline place turned(int32_t octant, const place &from) {
  int32_t quarter = (octant - 1) % 4;
  place to = from;
  if (quarter != 0) {
    to.x = quarter == 1 ? 0.0 - from.y : quarter == 2 ? 0.0 - from.x : from.y;
    to.y = quarter == 1 ? from.x : quarter == 2 ? 0.0 - from.y : 0.0 - from.x;
  }
  if (octant > 4) to.z = 0.0 - from.z;
  return to;
}

/* The parallels of a mesh's vertices, from the pole. */
__global__ void make_parallels(const __grid_constant__ problem p, parallel *out) {
  int32_t row = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x), rows = 1 << p.mesh_level;
  if (row > rows) return;
  parallel made;
  sincos_degrees(90.0 * (double)(rows - row) / (double)rows, &made.sine, &made.cosine);
  meridian(p.eccentricity2, made.sine, made.cosine, &made.p, &made.z);
  out[row] = made;
}

__device__ static inline parallel parallel_at(const problem &p, int32_t row) {
  const double2 *from = reinterpret_cast<const double2 *>(p.parallels + row);
  double2 unit = __ldg(from), place = __ldg(from + 1);
  return {unit.x, unit.y, place.x, place.y};
}

/* The canonical position of a cell (a part of one cell): the mean of its three vertices, two on one parallel and one on
 * the other, lengthened to 1. */
__device__ static place centre_of(const problem &p, const part &cell) {
  bool down = (cell.state & DOWN) != 0;
  int32_t pair = down ? cell.top : cell.top + 1, single = down ? cell.top + 1 : cell.top, east = cell.first;
  parallel two = parallel_at(p, pair), one = parallel_at(p, single);
  double sin_a, cos_a, sin_b, cos_b, sin_c, cos_c;
  sincos_degrees(90.0 * (double)east / (double)pair, &sin_a, &cos_a);
  sincos_degrees(90.0 * (double)(east + 1) / (double)pair, &sin_b, &cos_b);
  sincos_degrees(single == 0 ? 0.0 : 90.0 * (double)(east + (down ? 1 : 0)) / (double)single, &sin_c, &cos_c);
  double x = (two.cosine * cos_a + two.cosine * cos_b) + one.cosine * cos_c;
  double y = (two.cosine * sin_a + two.cosine * sin_b) + one.cosine * sin_c;
  double z = (two.sine + two.sine) + one.sine;
  double length = sqrt((x * x + y * y) + z * z);
  place at = {x / length, y / length, z / length};
  if (p.eccentricity2 >= 0.0) {
    place unit = at;
    meridian(p.eccentricity2, unit.z, unit.x, &at.x, &at.z);
    meridian(p.eccentricity2, unit.z, unit.y, &at.y, &at.z);
  }
  return turned(cell.octant, at);
}

/* gv_mesh_bound. */
__device__ static void mesh_bound(const problem &p, const part &t, bound *out) {
  const double pi = 3.14159265358979323846;
  int32_t cells = 1 << t.bits;
  double n = (double)(1 << p.mesh_level), side = (double)cells, first = (double)t.first;
  double row = (double)(t.state & DOWN ? t.top : t.top + cells); /* the one with the most columns */
  double low = first / row, high = (first + side) / row;
  parallel upper = parallel_at(p, t.top), lower = parallel_at(p, t.top + cells);
  globe_piece piece;
  piece.p0 = upper.p;
  piece.z0 = upper.z;
  piece.p1 = lower.p;
  piece.z1 = lower.z;
  if (t.bits > 0) {
    parallel middle = parallel_at(p, t.top + cells / 2);
    piece.sin_lat = middle.sine;
    piece.cos_lat = middle.cosine;
  } else {
    sincos_degrees(90.0 * (n - (double)t.top - 0.5) / n, &piece.sin_lat, &piece.cos_lat);
  }
  sincos_degrees(45.0 * (low + high), &piece.sin_lon, &piece.cos_lon);
  piece.half_width = (high - low) * (pi / 4.0);
  piece.span = side / n * (pi / 2.0);
  double stretch = 3.0 / (n * n) < 2.0 / 3.0 ? 3.0 / (n * n) : 2.0 / 3.0;
  piece.pad = 1.0 - sqrt(1.0 - stretch);
  if (p.eccentricity2 >= 0.0) piece.pad = p.eccentricity2 < 0.02 ? 1.1 * piece.pad : 10.0;
  bound_of_piece(piece, p.curvature, out);
  out->middle = turned(t.octant, out->middle);
  for (int k = 0; k < 3; k++)
    out->generator[k] = turned(t.octant, out->generator[k]);
}

template <> __device__ inline void tile_bound<MESH>(const problem &p, int log, int64_t i, int64_t j, bound *out) {
  (void)j;
  mesh_bound(p, part_at(p.mesh_level, log / 2, i), out);
}

/* A run of `count` cells, all of one label; warps fill runs of 64 and more in wide stores. */
__device__ static void fill_run(int32_t *out, int32_t count, int32_t label, int lane) {
  if (count % 4 == 0 && (reinterpret_cast<size_t>(out) & 15) == 0) {
    int4 four = make_int4(label, label, label, label);
    for (int32_t i = lane; i < count / 4; i += WARP)
      __stcs(reinterpret_cast<int4 *>(out) + i, four);
  } else {
    for (int32_t i = lane; i < count; i += WARP)
      out[i] = label;
  }
}

/* One lane: the only seed that can own a cell of a part, or -1. */
template <bool GEODESIC>
__device__ static int32_t only_candidate(const problem &p, const part &t, const int32_t *list, int32_t candidates) {
  bound b;
  mesh_bound(p, t, &b);
  double least = CUDART_INF;
  int32_t nearest = list[0];
  for (int32_t n = 0; n < candidates; n++) {
    double distance = square(seed_place(p.seeds, list[n]), b.middle);
    if (distance < least) {
      least = distance;
      nearest = list[n];
    }
  }
  pivot by = make_pivot<SQUARE, GEODESIC>(p, b, nearest);
  for (int32_t n = 0; n < candidates; n++) {
    if (list[n] != nearest && !dominates<SQUARE>(p, b, by, seed_place(p.seeds, list[n]))) return -1;
  }
  return nearest;
}

/* The canonical rule for one cell; `open`: another seed comes within the slack of geodesics. */
template <bool GEODESIC>
__device__ static int32_t decide_cell(const problem &p, const part &cell, const int32_t *list, int32_t candidates,
                                      bool *open) {
  place at = centre_of(p, cell);
  double best = CUDART_INF, second = CUDART_INF;
  int32_t winner = INT32_MAX;
  for (int32_t n = 0; n < candidates; n++) {
    int32_t id = list[n];
    double value = canonical<SQUARE>(at, seed_place(p.seeds, id));
    if (GEODESIC) second = fmin(second, fmax(value, best));
    if (value < best || (value == best && id < winner)) {
      best = value;
      winner = id;
    }
  }
  *open = GEODESIC && !(second > best + geodesic_slack(p, sqrt(best)));
  return seed_label(p.seeds, winner);
}

/* A leaf and where its answers go. */
struct leaf_run {
  part at;
  int64_t first; /* cell */
  int32_t *out;
};

/* ---------------------------------------------------------------------------------------------- the float filter */

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

/* False, with nothing written, if there are too many candidates. */
template <bool GEODESIC>
__device__ __forceinline__ static bool decide_leaf(const problem &p, const target &t, const leaf_run &leaf,
                                                   const int32_t *list, int32_t candidates, mesh_space &s,
                                                   const open_list &open, counters *count, int lane) {
  const part &at = leaf.at;
  const int32_t widest = at.state & DOWN ? at.top : at.top + LEAF_SIDE;
  const parallel upper = parallel_at(p, at.top), middle = parallel_at(p, at.top + LEAF_SIDE / 2),
                 lower = parallel_at(p, at.top + LEAF_SIDE);
  const double column = (double)(at.first + LEAF_SIDE / 2), meridian_part = column / (double)widest;
  place m, turn;
  sincos_degrees(90.0 * meridian_part, &turn.y, &turn.x);
  turn.z = 1.0;
  turn = turned(at.octant, turn);
  m = {middle.p * turn.x, middle.p * turn.y, middle.z * turn.z};

  /* Bounds of the vertices' places, three times: all are monotonous along a meridian. */
  float most_s, most_r, most_z, most_north, most_up, extent, wander;
  {
    const float angle = 25.132742F * 1.00001F / (float)widest; /* pi / 4 LEAF_SIDE */
    const float bulge = 0.5F * (float)lower.p * angle * angle, sine = (float)middle.sine,
                cosine = (float)middle.cosine;
    const double r0 = upper.p - middle.p, z0 = upper.z - middle.z, r1 = lower.p - middle.p, z1 = lower.z - middle.z;
    const double n0 = z0 * middle.cosine - r0 * middle.sine, n1 = z1 * middle.cosine - r1 * middle.sine;
    const double u0 = r0 * middle.cosine + z0 * middle.sine, u1 = r1 * middle.cosine + z1 * middle.sine;
    most_s = 3.0003F * (float)lower.p * angle;
    most_r = 3.0003F * (fmaxf(fabsf((float)r0), fabsf((float)r1)) + bulge);
    most_z = 3.0003F * fmaxf(fabsf((float)z0), fabsf((float)z1));
    most_north = 3.0003F * (fmaxf(fabsf((float)n0), fabsf((float)n1)) + sine * bulge);
    most_up = 3.0003F * (fmaxf(fabsf((float)u0), fabsf((float)u1)) + cosine * bulge);
    wander = ldexpf(2.5F, -2 * p.mesh_level);
    extent = sqrtf(most_s * most_s + most_north * most_north + most_up * most_up) * 0.334F + wander;
  }

  const int32_t nearest = warp_nearest(p, m, list, candidates, lane), nearest_label = seed_label(p.seeds, nearest);
  const place by = seed_place(p.seeds, nearest);
  const double bx = by.x - m.x, by_ = by.y - m.y, bz = by.z - m.z;
  const double distance = sqrt(fma(bz, bz, fma(by_, by_, bx * bx)));
  const float near = (float)distance * 1.0001F;
  float slack = 0.0F;
  if (GEODESIC) slack = 3.0003F * (float)geodesic_slack(p, (distance + (double)extent) * (1.0 + 1e-9));
  if (lane == 0) {
    s.k[0] = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    s.label[0] = nearest_label;
    s.id[0] = nearest;
  }

  /* The others: what may win somewhere. */
  int32_t kept = 1;
  float doubt = 0.0F;
  for (int32_t first = 0; first < candidates; first += WARP) {
    const int32_t n = first + lane, id = n < candidates ? list[n] : nearest;
    bool keep = false;
    float4 k = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    if (id != nearest) {
      const place seat = seed_place(p.seeds, id);
      const double dx = seat.x - by.x, dy = seat.y - by.y, dz = seat.z - by.z;
      const double tx = (seat.x - m.x) + bx, ty = (seat.y - m.y) + by_, tz = (seat.z - m.z) + bz;
      const double east = dy * turn.x - dx * turn.y, out = dx * turn.x + dy * turn.y, pole = dz * turn.z;
      k.x = (float)(3.0 * fma(dz, tz, fma(dy, ty, dx * tx)));
      k.y = (float)(-2.0 * east);
      k.z = (float)(-2.0 * out);
      k.w = (float)(-2.0 * pole);
      const float north = (float)(2.0 * (pole * middle.cosine - out * middle.sine));
      const float up = (float)(2.0 * (out * middle.cosine + pole * middle.sine));
      const float half = fabsf(k.y) * most_s + fabsf(north) * most_north + fabsf(up) * most_up;
      const float size = fabsf(k.x) + fabsf(k.y) * most_s + fabsf(k.z) * most_r + fabsf(k.w) * most_z;
      /* |s - m| <= |D| + |p - m|, |D| <= (|a| + |b| + |c|) / 2. */
      const float apart = fabsf(k.y) + fabsf(k.z) + fabsf(k.w), wide = 0.5F * apart + 2.0F * near + 2.0F * extent;
      float error = 1.461e-6F * size + 3e-7F * half + 6.1e-14F * (wide + wide * wide) + 1e-36F;
      if (GEODESIC) error += 3.001F * wander * apart;
      keep = !(k.x - half > 1.001F * (error + slack));
      if (keep) doubt = fmaxf(doubt, error);
    }
    const uint32_t who = __ballot_sync(everyone, keep);
    const int32_t place_of_it = kept + __popc(who & ((1U << lane) - 1U));
    kept += __popc(who);
    if (kept > MESH_CAPACITY) return false;
    if (keep) {
      s.k[place_of_it] = k;
      s.label[place_of_it] = seed_label(p.seeds, id);
      s.id[place_of_it] = id;
    }
  }
  if (kept == 1) {
    fill_run(leaf.out, 1 << LEAF_LOG, nearest_label, lane);
    return true;
  }
  const float margin = 2.002F * warp_largest(doubt) + slack;

  for (int32_t row = lane; row <= LEAF_SIDE; row += WARP) {
    const double half_pi = 1.57079632679489661923;
    const double step = 1.0 / (double)(at.top + row);
    const parallel here = parallel_at(p, at.top + row);
    s.t0[row] = (float)(half_pi * (column * step - meridian_part));
    s.dt[row] = (float)(half_pi * step);
    s.radius[row] = (float)here.p;
    s.r[row] = (float)(here.p - middle.p);
    s.z[row] = (float)(here.z - middle.z);
  }
  __syncwarp();

  /* Four cells a lane at once, the children of one triangle: its apex, centre, western and eastern corner. */
  const float4 other = s.k[1];
  const int32_t other_label = s.label[1];
  const uint16_t *const way = ways.four[at.state];
  uint32_t again = 0;
#pragma unroll 1
  for (int32_t round = 0; round < ROUNDS; round++) {
    const uint32_t code = __ldg(way + round * WARP + lane);
    const bool down = (code & DOWN << 8) != 0;
    const int32_t top = 2 * (int32_t)(code & 15), a = top + (down ? 2 : 0), b = top + 1, c = top + (down ? 0 : 2);
    const float west = (float)(2 * (int32_t)(code >> 4 & 15) - LEAF_SIDE / 2);
    const float shift = down ? 1.0F : 0.0F;
    const lattice_row row_a = {s.t0[a], s.dt[a], s.radius[a], s.r[a]};
    const lattice_row row_b = {s.t0[b], s.dt[b], s.radius[b], s.r[b]};
    const lattice_row row_c = {s.t0[c], s.dt[c], s.radius[c], s.r[c]};
    float x[4], y[4], z[4];
    {
      const spot a0 = spot_at(row_a, west + 2.0F * shift);
      const spot b0 = spot_at(row_b, west + shift), b1 = spot_at(row_b, west + (1.0F + shift));
      const spot c0 = spot_at(row_c, west), c1 = spot_at(row_c, west + 1.0F), c2 = spot_at(row_c, west + 2.0F);
      const float bx2 = b0.x + b1.x, by2 = b0.y + b1.y, za = s.z[a], zb = s.z[b], zc = s.z[c];
      x[0] = bx2 + a0.x, y[0] = by2 + a0.y, z[0] = fmaf(2.0F, zb, za);
      x[1] = bx2 + c1.x, y[1] = by2 + c1.y, z[1] = fmaf(2.0F, zb, zc);
      x[2] = b0.x + (c0.x + c1.x), y[2] = b0.y + (c0.y + c1.y), z[2] = z[3] = fmaf(2.0F, zc, zb);
      x[3] = b1.x + (c1.x + c2.x), y[3] = b1.y + (c1.y + c2.y);
    }
    int32_t label[4];
    float gap = CUDART_INF_F;
    if (kept == 2) { /* most leaves: a sign decides */
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const float value = fmaf(other.y, x[i], fmaf(other.z, y[i], fmaf(other.w, z[i], other.x)));
        label[i] = value < 0.0F ? other_label : nearest_label;
        gap = fminf(gap, fabsf(value));
      }
    } else {
      float best[4], second[4];
#pragma unroll
      for (int i = 0; i < 4; i++) {
        best[i] = 0.0F;
        second[i] = CUDART_INF_F;
        label[i] = nearest_label;
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
    }
    again |= gap > margin ? 0U : 1U << round;
    /* In the order of the corners' basis numbers. */
    const uint32_t apex = code >> 9 & 3;
    const bool swap = ((code >> 8 & 1) != 0) != down;
    const int32_t low = swap ? label[3] : label[2], high = swap ? label[2] : label[3];
    const int4 four = make_int4(label[1], apex == 0 ? label[0] : low,
                                apex == 0   ? low
                                : apex == 1 ? label[0]
                                            : high,
                                apex == 2 ? label[0] : high);
    __stcs(reinterpret_cast<int4 *>(leaf.out) + round * WARP + lane, four);
  }
  if (__any_sync(everyone, again != 0)) settle_quads<GEODESIC>(p, t, leaf, s.id, kept, again, open, count, lane);
  return true;
}

/* --------------------------------------------------------------------------------------------------- other leaves */

/* A leaf whose cells are decided canonically: each lane culls for one run of 64 of them, runs that stay open are decided
 * cell by cell. */
template <bool GEODESIC>
__device__ static __noinline__ void decide_patches(const problem &p, const target &t, const leaf_run &leaf,
                                                   const int32_t *list, int32_t candidates, int32_t *stage,
                                                   const open_list &open, counters *count, int lane) {
  const int32_t leaf_log = 2 * leaf.at.bits, cells = 1 << leaf_log;
  bound b;
  mesh_bound(p, leaf.at, &b);

  /* What is left of the list for this run; a list too long for the stage is used as it is. */
  const int32_t nearest = warp_nearest(p, b.middle, list, candidates, lane);
  const pivot by = make_pivot<SQUARE, GEODESIC>(p, b, nearest);
  int32_t kept = 0;
  for (int32_t first = 0; first < candidates; first += WARP) {
    int32_t n = first + lane, id = n < candidates ? list[n] : -1;
    bool keep = id >= 0 && (id == nearest || !dominates<SQUARE>(p, b, by, seed_place(p.seeds, id)));
    uint32_t who = __ballot_sync(everyone, keep);
    int32_t at = kept + __popc(who & ((1U << lane) - 1U));
    if (keep && at < MESH_STAGE) stage[at] = id;
    kept += __popc(who);
  }
  __syncwarp();
  if (kept == 1) {
    fill_run(leaf.out, cells, seed_label(p.seeds, nearest), lane);
    return;
  }
  if (kept <= MESH_STAGE) {
    list = stage;
    candidates = kept;
  }

  int32_t patch_log = leaf_log < PATCH_LOG ? leaf_log : PATCH_LOG, patches = cells >> patch_log, only = -1;
  if (lane < patches) {
    part patch = descend(leaf.at, lane, (leaf_log - patch_log) / 2);
    only = only_candidate<GEODESIC>(p, patch, list, candidates);
  }
  int64_t list_at = -2;
  for (int32_t patch = 0; patch < patches; patch++) {
    int32_t owner = __shfl_sync(everyone, only, patch);
    int32_t *to = leaf.out + ((int64_t)patch << patch_log);
    if (owner >= 0) {
      fill_run(to, 1 << patch_log, seed_label(p.seeds, owner), lane);
      continue;
    }
    for (int32_t cell = 0; cell < 1 << patch_log; cell += WARP) {
      bool inside = cell + lane < 1 << patch_log, doubt;
      int32_t within = (patch << patch_log) + (inside ? cell + lane : 0);
      int32_t label = decide_cell<GEODESIC>(p, descend(leaf.at, within, leaf.at.bits), list, candidates, &doubt);
      if (inside) to[cell + lane] = label;
      if (GEODESIC) {
        doubt = doubt && inside;
        if (__any_sync(everyone, doubt) && list_at == -2) {
          list_at = reserve_ids(count, open, candidates, lane);
          for (int32_t n = lane; n < candidates && list_at >= 0; n += WARP)
            open.id[list_at + n] = list[n];
        }
        if (doubt) hand_over(t, count, open, leaf.first + within, 0, list_at, candidates);
      }
    }
  }
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
