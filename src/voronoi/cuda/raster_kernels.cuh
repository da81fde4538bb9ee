/*
 * Kernels of the culling engine for rasters on a GPU.
 *
 * Levels. A level is a dense array of square tiles, all of one side (a power of 2, in cells), aligned to the grid. Each
 * tile holds a list of the seeds that may own one of its cells; a list of one seed is held in the entry itself. Going
 * down a level, a tile culls its parent's list (the argument is that of voronoi/cull.h: the bound of the tile is a
 * zonotope, any seed serves as a pivot, everything in double with the same margins).
 *   - Few tiles with long lists: many blocks a tile, in three passes (pivot, count, write), because a list must be
 *     counted before it has a place in the pool.
 *   - Many tiles with short lists: one warp a tile does it all.
 * Lists are in no order: who is the lowest of equals is decided by number, not by place.
 *
 * Leaves. One warp decides a square of cells ("quad").
 *   - leaf_float: k = 1, squared distances, cells whose position is a product of something by column and something by
 *     row. It culls once more, into shared memory, and compares in float with a proven margin (below); what lies within
 *     the margin is decided canonically on the spot, or, for geodesics, handed to the host.
 *   - leaf_canonical: everything else, in canonical double arithmetic.
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
#ifndef GV_RASTER_KERNELS_CUH
#define GV_RASTER_KERNELS_CUH

#include <cuda_runtime.h>
#include <math_constants.h>
#include <stdint.h>

namespace gv {

enum form { PLANE, GLOBE, ROTATED };
enum norm { SQUARE, SUM, LARGEST };

enum {
  WARP = 32,
  SHORT_WARPS = 4, /* tiles a block of cull_short */
  LONG_THREADS = 256,
  LEAF_WARPS = 4, /* quads a block of the leaves */
  CANONICAL_SIDE = 32,
  CAPACITY = 64, /* candidates of a quad in shared memory */
  BATCH = 32,    /* of them with row terms at once */
  STAGE = 64,    /* survivors of a tile kept in shared memory while they are counted */
  MOST_NEIGHBOURS = 64
};

static const uint32_t everyone = 0xffffffffU;

/* 32 bytes: one sector of memory. On the plane (x, 0, y). */
struct alignas(16) seed {
  double x, y, z;
  int32_t label, unused;
};

/* What does not change from launch to launch. */
struct problem {
  int64_t width, height;
  /* Canonical tables (see cells/grid.h); column_y and row_p are NULL on the plane. */
  const double *column_x, *column_y, *row_p, *row_z;
  const double *half_cos, *half_sin, *half_sin_lat, *half_cos_lat;
  double geotransform[6];
  double curvature, position_error;
  double scale; /* float filter: makes lengths moderate; a power of 2 */
  double size;  /* float filter: of positions; 1 on the globe, 0 on the plane */
  const seed *seeds;
  int32_t neighbours; /* k */
  int32_t nodata;
  double largest; /* canonical values above this are nodata */
  /* Geodesics: see voronoi/geodesic.h. */
  double r_small, r_large, chord2_limit, near_coefficient, near_chord2;
};

struct alignas(16) entry {
  int64_t offset; /* in the level's pool */
  int32_t count;  /* -1: the pool was too small */
  int32_t single; /* the seed, if count is 1 */
};

/* A window of tiles [i0, i0 + across) x [j0, j0 + down). */
struct level {
  int log; /* of the side */
  int64_t i0, j0;
  int32_t across, down;
  entry *entries;
  const int32_t *pool;
};

/* Where answers go: blocks of bw x bh cells one after another, the first at (c0, r0); cells within the rectangle only. */
struct target {
  int32_t *out;
  int64_t c0, c1, r0, r1;
  int64_t bw, bh, across;
  int64_t band_stride; /* between the neighbours of rank 1, 2, ... */
  int32_t aligned;     /* quads do not straddle blocks */
};

/* A cell left to the host, and its candidates. */
struct open_cell {
  int64_t column, row, at, list;
  int32_t count, unused;
};

struct counters {
  unsigned long long pool; /* entries wanted, also beyond the pool's end */
  unsigned long long open, open_ids;
  unsigned long long decided; /* by the canonical rule within leaf_float */
};

struct open_list {
  open_cell *cell;
  int32_t *id;
  unsigned long long cells, ids; /* capacities */
};

/* ---------------------------------------------------------------------------------------------------- positions */

__device__ static inline double grid_x(const problem &p, double column, double row) {
  return (p.geotransform[0] + (column + 0.5) * p.geotransform[1]) + (row + 0.5) * p.geotransform[2];
}

__device__ static inline double grid_y(const problem &p, double column, double row) {
  return (p.geotransform[3] + (column + 0.5) * p.geotransform[4]) + (row + 0.5) * p.geotransform[5];
}

struct place {
  double x, y, z;
};

/* The canonical position of a cell. */
template <int FORM> __device__ static inline place position(const problem &p, int64_t column, int64_t row) {
  if (FORM == GLOBE) {
    double radius = p.row_p[row];
    return {radius * p.column_x[column], radius * p.column_y[column], p.row_z[row]};
  }
  if (FORM == PLANE) return {p.column_x[column], 0.0, p.row_z[row]};
  return {grid_x(p, (double)column, (double)row), 0.0, grid_y(p, (double)column, (double)row)};
}

__device__ static inline place seed_place(const seed *seeds, int32_t id) {
  const double2 *from = reinterpret_cast<const double2 *>(seeds + id);
  double2 xy = __ldg(from);
  return {xy.x, xy.y, __ldg(reinterpret_cast<const double *>(from + 1))};
}

__device__ static inline int32_t seed_label(const seed *seeds, int32_t id) {
  return __ldg(&seeds[id].label);
}

/* The canonical distance; on the plane y is 0 and adds nothing. */
template <int NORM> __device__ static inline double canonical(const place &q, const place &s) {
  double x = q.x - s.x, y = q.y - s.y, z = q.z - s.z;
  if (NORM == SQUARE) return (x * x + y * y) + z * z;
  if (NORM == SUM) return fabs(x) + fabs(z);
  return fmax(fabs(x), fabs(z));
}

/* Squares whatever the metric: for choosing pivots, and for bounds. */
__device__ static inline double square(const place &a, const place &b) {
  double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return fma(z, z, fma(y, y, x * x));
}

/* ------------------------------------------------------------------------------------------------------- bounds */

struct bound {
  place middle;
  place generator[3];
  double radius;
};

/* gv_globe_bound for a tile of a lon/lat grid; see cells/grid.c for the derivation. */
__device__ static void globe_bound(const problem &p, int64_t c0, int64_t c1, int64_t r0, int64_t r1, bound *out) {
  const double degree = 3.14159265358979323846 / 180.0;
  int64_t column = c0 + c1 - 1, row = r0 + r1 - 1;
  double half_width = 0.5 * (double)(c1 - c0 - 1) * fabs(p.geotransform[1]) * degree;
  double span = (double)(r1 - r0 - 1) * fabs(p.geotransform[5]) * degree;
  double sag = p.curvature * span * span / 8.0;
  double sin_max = half_width < 1.0 ? half_width : 1.0;
  double cos_min = half_width < 2.0 ? 1.0 - 0.5 * half_width * half_width : -1.0;
  double p0 = p.row_p[r0], p1 = p.row_p[r1 - 1], z0 = p.row_z[r0], z1 = p.row_z[r1 - 1];
  double sin_lat = p.half_sin_lat[row], cos_lat = p.half_cos_lat[row];
  double sin_lon = p.half_sin[column], cos_lon = p.half_cos[column];
  double east = (fmax(p0, p1) + sag) * sin_max;
  double north_a = z0 * cos_lat - p0 * sin_lat, north_b = z1 * cos_lat - p1 * sin_lat;
  double north_c = z0 * cos_lat - p0 * cos_min * sin_lat, north_d = z1 * cos_lat - p1 * cos_min * sin_lat;
  double up_a = p0 * cos_lat + z0 * sin_lat, up_b = p1 * cos_lat + z1 * sin_lat;
  double up_c = p0 * cos_min * cos_lat + z0 * sin_lat, up_d = p1 * cos_min * cos_lat + z1 * sin_lat;
  double north_low = fmin(fmin(north_a, north_b), fmin(north_c, north_d)) - sag;
  double north_high = fmax(fmax(north_a, north_b), fmax(north_c, north_d)) + sag;
  double up_low = fmin(fmin(up_a, up_b), fmin(up_c, up_d)) - sag;
  double up_high = fmax(fmax(up_a, up_b), fmax(up_c, up_d)) + sag;
  double north = 0.5 * (north_high - north_low), up = 0.5 * (up_high - up_low);
  double north_middle = 0.5 * (north_high + north_low), up_middle = 0.5 * (up_high + up_low);
  double meridian = up_middle * cos_lat - north_middle * sin_lat;
  out->middle = {meridian * cos_lon, meridian * sin_lon, up_middle * sin_lat + north_middle * cos_lat};
  out->generator[0] = {-sin_lon * east, cos_lon * east, 0.0};
  out->generator[1] = {-sin_lat * cos_lon * north, -sin_lat * sin_lon * north, cos_lat * north};
  out->generator[2] = {cos_lat * cos_lon * up, cos_lat * sin_lon * up, sin_lat * up};
  out->radius = sqrt(east * east + north * north + up * up) * (1.0 + 1e-12);
}

__device__ static void plane_bound(const problem &p, int64_t c0, int64_t c1, int64_t r0, int64_t r1, bound *out) {
  double column = 0.5 * (double)(c0 + c1 - 1), row = 0.5 * (double)(r0 + r1 - 1);
  double across = 0.5 * (double)(c1 - c0 - 1), down = 0.5 * (double)(r1 - r0 - 1);
  out->middle = {grid_x(p, column, row), 0.0, grid_y(p, column, row)};
  out->generator[0] = {across * p.geotransform[1], 0.0, across * p.geotransform[4]};
  out->generator[1] = {down * p.geotransform[2], 0.0, down * p.geotransform[5]};
  out->generator[2] = {0.0, 0.0, 0.0};
  out->radius =
      (hypot(out->generator[0].x, out->generator[0].z) + hypot(out->generator[1].x, out->generator[1].z)) *
      (1.0 + 1e-12);
}

/* A tile's bound; a tile is clipped to the grid. */
template <int FORM> __device__ static void tile_bound(const problem &p, int log, int64_t i, int64_t j, bound *out) {
  int64_t side = (int64_t)1 << log, c0 = i * side, r0 = j * side;
  int64_t c1 = c0 + side < p.width ? c0 + side : p.width, r1 = r0 + side < p.height ? r0 + side : p.height;
  if (FORM == GLOBE) {
    globe_bound(p, c0, c1, r0, r1, out);
  } else {
    plane_bound(p, c0, c1, r0, r1, out);
  }
}

/* gv_geodesic_slack. */
__device__ static double geodesic_slack(const problem &p, double chord) {
  const double tolerance = 1.6e-14;
  double chord2 = chord * chord;
  if (!(chord2 < p.chord2_limit)) return CUDART_INF;
  if (chord2 <= p.near_chord2) {
    return p.near_coefficient * chord2 * chord2 + 2.1 * chord * tolerance + tolerance * tolerance + 1e-15 * chord2;
  }
  double longest = 2.0 * p.r_small * asin(chord / (2.0 * p.r_small)) + tolerance;
  double angle = longest / (2.0 * p.r_large);
  if (!(angle < 1.5707)) return CUDART_INF;
  double reach = 2.0 * p.r_large * sin(angle);
  return 1.00001 * ((reach - chord) * (reach + chord) + 8e-16 * chord2);
}

/* A pivot and what a candidate is compared with: SQUARE as in cull_once of voronoi/cull.c, the others against boxes. */
struct pivot {
  place at;
  double limit;
};

static constexpr double cull_slack = 4e-12;

template <int NORM, bool GEODESIC>
__device__ static pivot make_pivot(const problem &p, const bound &b, int32_t id) {
  pivot made;
  made.at = seed_place(p.seeds, id);
  double e = p.position_error;
  if (NORM == SQUARE) {
    double pivot2 = square(made.at, b.middle);
    made.limit = pivot2 * (1.0 + cull_slack) + cull_slack * b.radius * b.radius + 1.2e13 * e * e + 1e-290;
    if (GEODESIC) made.limit += geodesic_slack(p, (sqrt(pivot2) + b.radius) * (1.0 + 1e-12));
  } else {
    double half_x = fabs(b.generator[0].x) + fabs(b.generator[1].x) + 2.0 * e;
    double half_z = fabs(b.generator[0].z) + fabs(b.generator[1].z) + 2.0 * e;
    double reach = fmax(fabs(b.middle.x - half_x - made.at.x), fabs(b.middle.x + half_x - made.at.x)) +
                   fmax(fabs(b.middle.z - half_z - made.at.z), fabs(b.middle.z + half_z - made.at.z));
    made.limit = 1e-14 * reach + 4.0 * e;
  }
  return made;
}

/* max over x in [low, high] of |x - p| - |x - s|. */
__device__ static inline double axis_gain(double low, double high, double p, double s) {
  return fmax(fabs(low - p) - fabs(low - s), fabs(high - p) - fabs(high - s));
}

/* True if the pivot is nearer than s in every cell of the tile, beyond all doubt. */
template <int NORM>
__device__ static bool dominates(const problem &p, const bound &b, const pivot &by, const place &s) {
  if (NORM == SQUARE) {
    double vx = s.x - by.at.x, vy = s.y - by.at.y, vz = s.z - by.at.z, reach = 0.0;
#pragma unroll
    for (int k = 0; k < 3; k++) {
      const place &g = b.generator[k];
      reach += fabs(fma(g.z, vz, fma(g.y, vy, g.x * vx)));
    }
    return square(s, b.middle) * (1.0 - cull_slack) - 2.0 * reach > by.limit;
  }
  double e = p.position_error;
  double half_x = fabs(b.generator[0].x) + fabs(b.generator[1].x) + 2.0 * e;
  double half_z = fabs(b.generator[0].z) + fabs(b.generator[1].z) + 2.0 * e;
  double lx = b.middle.x - half_x, hx = b.middle.x + half_x, lz = b.middle.z - half_z, hz = b.middle.z + half_z;
  double gain_x = axis_gain(lx, hx, by.at.x, s.x), gain_z = axis_gain(lz, hz, by.at.z, s.z), gain;
  if (NORM == SUM) {
    gain = gain_x + gain_z;
  } else {
    double reach = fmax(fmax(fabs(lx - by.at.x), fabs(hx - by.at.x)), fmax(fabs(lz - by.at.z), fabs(hz - by.at.z)));
    double gap_x = fmax(0.0, fmax(lx - s.x, s.x - hx)), gap_z = fmax(0.0, fmax(lz - s.z, s.z - hz));
    gain = fmin(fmax(gain_x, gain_z), reach - fmax(gap_x, gap_z));
  }
  return gain < -by.limit;
}

/* A seed is out when k pivots dominate it. */
template <int NORM>
__device__ static bool survives(const problem &p, const bound &b, const pivot *pivots, int count, const place &s) {
  if (count < p.neighbours) return true;
  for (int j = 0; j < count; j++) {
    if (!dominates<NORM>(p, b, pivots[j], s)) return true;
  }
  return false;
}

/* Orders candidates by distance from a tile's middle. */
__device__ static inline unsigned long long nearness(const bound &b, const place &s, int32_t id) {
  return (unsigned long long)__float_as_uint((float)square(s, b.middle)) << 32 | (uint32_t)id;
}

static constexpr unsigned long long nobody = ~0ULL;

__device__ static inline unsigned long long warp_least(unsigned long long key) {
  for (int step = WARP / 2; step > 0; step /= 2) {
    unsigned long long other = __shfl_xor_sync(everyone, key, step);
    key = other < key ? other : key;
  }
  return key;
}

__device__ static inline const entry &entry_at(const level &l, int64_t i, int64_t j) {
  return l.entries[(j - l.j0) * l.across + (i - l.i0)];
}

/* ------------------------------------------------------------------------------------------------ short lists */

/* One warp a tile. */
template <int FORM, int NORM, bool GEODESIC>
__global__ void __launch_bounds__(WARP *SHORT_WARPS)
    cull_short(const problem p, const level parent, const level child, int32_t *pool, unsigned long long capacity,
               counters *count) {
  __shared__ pivot shared_pivots[SHORT_WARPS][MOST_NEIGHBOURS];
  __shared__ int32_t shared_stage[SHORT_WARPS][STAGE];
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  int64_t tile = (int64_t)blockIdx.x * SHORT_WARPS + warp;
  if (tile >= (int64_t)child.across * child.down) return;
  int64_t i = child.i0 + tile % child.across, j = child.j0 + tile / child.across;
  int down = parent.log - child.log;
  entry from = entry_at(parent, i >> down, j >> down);
  if (from.count <= 1) {
    if (lane == 0) child.entries[tile] = from;
    return;
  }
  const int32_t *list = parent.pool + from.offset;
  bound b;
  tile_bound<FORM>(p, child.log, i, j, &b);

  /* The k nearest the middle. */
  pivot *pivots = shared_pivots[warp];
  unsigned long long last = 0;
  int found = 0;
  for (; found < p.neighbours; found++) {
    unsigned long long least = nobody;
    for (int32_t n = lane; n < from.count; n += WARP) {
      unsigned long long key = nearness(b, seed_place(p.seeds, list[n]), list[n]);
      if (key < least && (found == 0 || key > last)) least = key;
    }
    least = warp_least(least);
    if (least == nobody) break;
    if (lane == 0) pivots[found] = make_pivot<NORM, GEODESIC>(p, b, (int32_t)(uint32_t)least);
    last = least;
  }
  __syncwarp();

  int32_t *stage = shared_stage[warp];
  int32_t kept = 0;
  for (int32_t first = 0; first < from.count; first += WARP) {
    int32_t n = first + lane, id = n < from.count ? list[n] : -1;
    bool keep = id >= 0 && survives<NORM>(p, b, pivots, found, seed_place(p.seeds, id));
    uint32_t who = __ballot_sync(everyone, keep);
    int32_t at = kept + __popc(who & ((1U << lane) - 1U));
    if (keep && at < STAGE) stage[at] = id;
    kept += __popc(who);
  }
  __syncwarp();
  unsigned long long offset = 0;
  if (lane == 0 && kept > 1) offset = atomicAdd(&count->pool, (unsigned long long)kept);
  offset = __shfl_sync(everyone, offset, 0);
  bool room = offset + (unsigned long long)kept <= capacity;
  if (lane == 0) {
    entry made = {(int64_t)offset, room ? kept : -1, stage[0]};
    child.entries[tile] = made;
  }
  if (kept <= 1 || !room) return;
  int32_t *to = pool + offset;
  if (kept <= STAGE) {
    for (int32_t n = lane; n < kept; n += WARP)
      to[n] = stage[n];
    return;
  }
  kept = 0;
  for (int32_t first = 0; first < from.count; first += WARP) {
    int32_t n = first + lane, id = n < from.count ? list[n] : -1;
    bool keep = id >= 0 && survives<NORM>(p, b, pivots, found, seed_place(p.seeds, id));
    uint32_t who = __ballot_sync(everyone, keep);
    if (keep) to[kept + __popc(who & ((1U << lane) - 1U))] = id;
    kept += __popc(who);
  }
}

/* ------------------------------------------------------------------------------------------------- long lists */

/* Of every tile of a level, while it is made. */
struct tile_work {
  unsigned long long *key; /* tiles x k: its pivots, nearest first */
  uint32_t *count, *cursor;
};

__global__ void clear_work(tile_work work, int64_t tiles, int32_t neighbours) {
  int64_t tile = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (tile >= tiles) return;
  work.count[tile] = work.cursor[tile] = 0;
  for (int32_t k = 0; k < neighbours; k++)
    work.key[tile * neighbours + k] = nobody;
}

/* What all three passes begin with: the block's tile, its parent's list, its bound. False: nothing to do. */
struct long_tile {
  int64_t tile;
  const int32_t *list;
  int32_t count;
  bound b;
};

template <int FORM>
__device__ static bool enter_tile(const problem &p, const level &parent, const level &child, long_tile *shared) {
  if (threadIdx.x == 0) {
    int64_t tile = blockIdx.x;
    int64_t i = child.i0 + tile % child.across, j = child.j0 + tile / child.across;
    int down = parent.log - child.log;
    entry from = entry_at(parent, i >> down, j >> down);
    shared->tile = tile;
    shared->list = parent.pool + from.offset;
    shared->count = from.count;
    if (from.count > 1) tile_bound<FORM>(p, child.log, i, j, &shared->b);
  }
  __syncthreads();
  return shared->count > 1;
}

/* Pass 1, once for each of the k pivots: the nearest that is farther than the one before. */
template <int FORM>
__global__ void __launch_bounds__(LONG_THREADS)
    long_pivot(const problem p, const level parent, const level child, tile_work work, int32_t number) {
  __shared__ long_tile t;
  if (!enter_tile<FORM>(p, parent, child, &t)) return;
  unsigned long long *keys = work.key + t.tile * p.neighbours;
  unsigned long long last = number > 0 ? keys[number - 1] : 0, least = nobody;
  for (int64_t n = (int64_t)blockIdx.y * LONG_THREADS + threadIdx.x; n < t.count;
       n += (int64_t)gridDim.y * LONG_THREADS) {
    int32_t id = t.list[n];
    unsigned long long key = nearness(t.b, seed_place(p.seeds, id), id);
    if (key < least && (number == 0 || key > last)) least = key;
  }
  least = warp_least(least);
  if (threadIdx.x % WARP == 0 && least != nobody) atomicMin(&keys[number], least);
}

template <int NORM, bool GEODESIC>
__device__ static int load_pivots(const problem &p, const bound &b, const unsigned long long *keys, pivot *pivots) {
  int found = 0;
  while (found < p.neighbours && keys[found] != nobody)
    found++;
  for (int k = threadIdx.x; k < found; k += LONG_THREADS)
    pivots[k] = make_pivot<NORM, GEODESIC>(p, b, (int32_t)(uint32_t)keys[k]);
  __syncthreads();
  return found;
}

/* Pass 2: how many survive. */
template <int FORM, int NORM, bool GEODESIC>
__global__ void __launch_bounds__(LONG_THREADS)
    long_count(const problem p, const level parent, const level child, tile_work work) {
  __shared__ long_tile t;
  __shared__ pivot pivots[MOST_NEIGHBOURS];
  if (!enter_tile<FORM>(p, parent, child, &t)) return;
  int found = load_pivots<NORM, GEODESIC>(p, t.b, work.key + t.tile * p.neighbours, pivots);
  uint32_t kept = 0;
  for (int64_t n = (int64_t)blockIdx.y * LONG_THREADS + threadIdx.x; n < t.count;
       n += (int64_t)gridDim.y * LONG_THREADS) {
    kept += survives<NORM>(p, t.b, pivots, found, seed_place(p.seeds, t.list[n])) ? 1 : 0;
  }
  for (int step = WARP / 2; step > 0; step /= 2)
    kept += __shfl_xor_sync(everyone, kept, step);
  if (threadIdx.x % WARP == 0 && kept > 0) atomicAdd(&work.count[t.tile], kept);
}

/* Between: places in the pool. */
__global__ void long_place(const level parent, const level child, tile_work work, unsigned long long capacity,
                           counters *count) {
  int64_t tile = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (tile >= (int64_t)child.across * child.down) return;
  int64_t i = child.i0 + tile % child.across, j = child.j0 + tile / child.across;
  int down = parent.log - child.log;
  entry from = entry_at(parent, i >> down, j >> down);
  if (from.count > 1) {
    uint32_t kept = work.count[tile];
    unsigned long long offset = atomicAdd(&count->pool, (unsigned long long)kept);
    from.offset = (int64_t)offset;
    from.count = offset + kept <= capacity ? (int32_t)kept : -1;
  }
  child.entries[tile] = from;
}

/* Pass 3: the survivors. */
template <int FORM, int NORM, bool GEODESIC>
__global__ void __launch_bounds__(LONG_THREADS)
    long_write(const problem p, const level parent, const level child, tile_work work, int32_t *pool) {
  __shared__ long_tile t;
  __shared__ pivot pivots[MOST_NEIGHBOURS];
  if (!enter_tile<FORM>(p, parent, child, &t)) return;
  if (child.entries[t.tile].count < 0) return;
  int found = load_pivots<NORM, GEODESIC>(p, t.b, work.key + t.tile * p.neighbours, pivots);
  const int lane = threadIdx.x % WARP;
  int32_t *to = pool + child.entries[t.tile].offset;
  for (int64_t first = (int64_t)blockIdx.y * LONG_THREADS; first < t.count;
       first += (int64_t)gridDim.y * LONG_THREADS) {
    int64_t n = first + threadIdx.x;
    int32_t id = n < t.count ? t.list[n] : -1;
    bool keep = id >= 0 && survives<NORM>(p, t.b, pivots, found, seed_place(p.seeds, id));
    uint32_t who = __ballot_sync(everyone, keep), at = 0;
    if (lane == 0 && who != 0) at = atomicAdd(&work.cursor[t.tile], (uint32_t)__popc(who));
    at = __shfl_sync(everyone, at, 0) + __popc(who & ((1U << lane) - 1U));
    if (keep) to[at] = id;
    if (keep && work.count[t.tile] == 1) child.entries[t.tile].single = id;
  }
}

/* --------------------------------------------------------------------------------------------------- the leaves */

__device__ static inline int64_t address(const target &t, int64_t column, int64_t row) {
  int64_t c = column - t.c0, r = row - t.r0;
  return (r / t.bh * t.across + c / t.bw) * (t.bw * t.bh) + r % t.bh * t.bw + c % t.bw;
}

/* A quad clipped to the target. */
struct quad {
  int64_t c0, r0;
  int32_t columns, rows;
};

/* The quads of a launch: one a warp, LEAF_WARPS of them in a row a block. False: this warp has none. */
struct quad_window {
  int64_t i0, j0;
  int32_t across, down;
};

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

template <int SIDE> __device__ static void fill_quad(const target &t, const quad &q, int32_t label, int lane) {
  if (t.aligned && q.columns == SIDE) {
    const int across = SIDE / 4, at_once = WARP / across;
    int4 four = make_int4(label, label, label, label);
    int4 *out = reinterpret_cast<int4 *>(t.out + address(t, q.c0, q.r0)) + lane % across;
    int64_t stride = t.bw / 4;
    if (q.rows == SIDE) {
#pragma unroll
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

/* Hands cells of a quad to the host; `list_at` is where the quad's candidates are in the list of ids, or -1. */
__device__ static void hand_over(const target &t, counters *count, const open_list &open, int64_t column,
                                 int64_t row, int64_t list_at, int32_t candidates) {
  unsigned long long at = atomicAdd(&count->open, 1ULL);
  if (at < open.cells) {
    open_cell cell = {column, row, address(t, column, row), list_at, candidates, 0};
    open.cell[at] = cell;
  }
}

/* Room for candidates that the host needs, for the calling warp. */
__device__ static int64_t reserve_ids(counters *count, const open_list &open, int32_t candidates, int lane) {
  unsigned long long at = 0;
  if (lane == 0) at = atomicAdd(&count->open_ids, (unsigned long long)candidates);
  at = __shfl_sync(everyone, at, 0);
  return at + (unsigned long long)candidates <= open.ids ? (int64_t)at : -1;
}

/* Answers of one cell in ascending order of (distance, seed). */
template <int K> struct ranking {
  double value[K];
  int32_t id[K];
};

/*
 * All cells of a quad against a list, canonically. For geodesics chords are compared, and cells where another seed
 * comes within the slack go to the host.
 */
template <int FORM, int NORM, int K, bool GEODESIC>
__device__ static void decide_canonically(const problem &p, const target &t, const quad &q, const int32_t *list,
                                          int32_t candidates, const open_list &open, counters *count, int lane) {
  int64_t list_at = -2;
  for (int32_t row = 0; row < q.rows; row++) {
    for (int32_t first = 0; first < q.columns; first += WARP) {
      bool inside = first + lane < q.columns;
      int64_t column = q.c0 + (inside ? first + lane : 0);
      place cell = position<FORM>(p, column, q.r0 + row);
      ranking<K> best;
      double second = CUDART_INF;
#pragma unroll
      for (int k = 0; k < K; k++) {
        best.value[k] = CUDART_INF;
        best.id[k] = INT32_MAX;
      }
      for (int32_t n = 0; n < candidates; n++) {
        int32_t id = list[n];
        double value = canonical<NORM>(cell, seed_place(p.seeds, id));
        if (GEODESIC) second = fmin(second, fmax(value, best.value[0]));
        if (value < best.value[K - 1] || (value == best.value[K - 1] && id < best.id[K - 1])) {
          /* From the end upwards: it pushes the ones that are farther down by one. */
#pragma unroll
          for (int k = K - 1; k >= 0; k--) {
            bool above = k > 0 && (value < best.value[k > 0 ? k - 1 : 0] ||
                                   (value == best.value[k > 0 ? k - 1 : 0] && id < best.id[k > 0 ? k - 1 : 0]));
            bool here = value < best.value[k] || (value == best.value[k] && id < best.id[k]);
            if (here) {
              best.value[k] = above ? best.value[k > 0 ? k - 1 : 0] : value;
              best.id[k] = above ? best.id[k > 0 ? k - 1 : 0] : id;
            }
          }
        }
      }
      if (inside) {
        int32_t *out = t.out + address(t, column, q.r0 + row);
#pragma unroll
        for (int k = 0; k < K; k++) {
          if (k < p.neighbours) {
            bool there = best.id[k] != INT32_MAX && best.value[k] <= p.largest;
            out[k * t.band_stride] = there ? seed_label(p.seeds, best.id[k]) : p.nodata;
          }
        }
      }
      if (GEODESIC) {
        double reach = best.value[0] + geodesic_slack(p, sqrt(best.value[0]));
        bool doubt = inside && !(second > reach);
        if (__any_sync(everyone, doubt) && list_at == -2) {
          list_at = reserve_ids(count, open, candidates, lane);
          for (int32_t n = lane; n < candidates && list_at >= 0; n += WARP)
            open.id[list_at + n] = list[n];
        }
        if (doubt) hand_over(t, count, open, column, q.r0 + row, list_at, candidates);
      }
    }
  }
}

template <int FORM, int NORM, int K, bool GEODESIC>
__global__ void __launch_bounds__(WARP *LEAF_WARPS)
    leaf_canonical(const problem p, const level lists, const target t, const quad_window w, const open_list open,
                   counters *count) {
  quad q;
  if (!enter_quad<CANONICAL_SIDE>(t, w, &q)) return;
  const int lane = threadIdx.x % WARP;
  const entry &from = entry_at(lists, q.c0 >> lists.log, q.r0 >> lists.log);
  if (from.count < 0) return;
  if (from.count == 1 && p.neighbours == 1 && p.largest == CUDART_INF) {
    fill_quad<CANONICAL_SIDE>(t, q, seed_label(p.seeds, from.single), lane);
    return;
  }
  const int32_t *list = from.count == 1 ? &from.single : lists.pool + from.offset;
  decide_canonically<FORM, NORM, K, GEODESIC>(p, t, q, list, from.count, open, count, lane);
}

/* ---------------------------------------------------------------------------------------------- the float filter */

/* Largest of values >= 0 over the warp. */
__device__ static inline float warp_largest(float value) {
#if __CUDA_ARCH__ >= 800
  return __uint_as_float(__reduce_max_sync(everyone, __float_as_uint(value)));
#else
  for (int step = WARP / 2; step > 0; step /= 2)
    value = fmaxf(value, __shfl_xor_sync(everyone, value, step));
  return value;
#endif
}

template <int SIDE> struct filter_space {
  static constexpr int chunk = 8 * WARP / SIDE; /* rows at once: 8 a lane */
  float term[BATCH][chunk];                     /* by row */
  float radius[SIDE], r[SIDE], z[SIDE];
  float4 k[CAPACITY]; /* K, a, b, c; entry 0 is the pivot, all zero */
  int32_t label[CAPACITY], id[CAPACITY];
};

/* The canonical rule for one cell of a quad. */
template <int FORM>
__device__ static __noinline__ int32_t settle(const problem &p, const int32_t *id, int32_t candidates,
                                              int64_t column, int64_t row) {
  place cell = position<FORM>(p, column, row);
  double best = CUDART_INF;
  int32_t nearest = INT32_MAX;
  for (int32_t n = 0; n < candidates; n++) {
    double value = canonical<SQUARE>(cell, seed_place(p.seeds, id[n]));
    if (value < best || (value == best && id[n] < nearest)) {
      best = value;
      nearest = id[n];
    }
  }
  return seed_label(p.seeds, nearest);
}

template <int FORM, bool GEODESIC, int SIDE>
__global__ void __launch_bounds__(WARP *LEAF_WARPS)
    leaf_float(const problem p, const level lists, const target t, const quad_window w, const open_list open,
               counters *count) {
  __shared__ filter_space<SIDE> shared[LEAF_WARPS];
  constexpr int ROWS = 8, CHUNK = filter_space<SIDE>::chunk;
  quad q;
  if (!enter_quad<SIDE>(t, w, &q)) return;
  const int lane = threadIdx.x % WARP;
  filter_space<SIDE> &s = shared[threadIdx.x / WARP];
  const entry from = entry_at(lists, q.c0 >> lists.log, q.r0 >> lists.log);
  if (from.count < 0) return;
  if (from.count == 1) {
    fill_quad<SIDE>(t, q, seed_label(p.seeds, from.single), lane);
    return;
  }
  const int32_t *list = lists.pool + from.offset;

  /* The lane's column, and the rows, seen from the middle cell. */
  int32_t own = lane % SIDE, row = lane % SIDE;
  int64_t column = q.c0 + (own < q.columns ? own : q.columns - 1);
  int64_t middle_column = q.c0 + q.columns / 2, middle_row = q.r0 + q.rows / 2;
  float S, C, radius = 1.0F, R = 0.0F, Z;
  place m = position<FORM>(p, middle_column, middle_row);
  double turn_x = 1.0, turn_y = 0.0;
  {
    int64_t at = q.r0 + (row < q.rows ? row : q.rows - 1);
    Z = (float)((p.row_z[at] - p.row_z[middle_row]) * p.scale);
    if (FORM == GLOBE) {
      turn_x = p.column_x[middle_column];
      turn_y = p.column_y[middle_column];
      double x = p.column_x[column], y = p.column_y[column];
      S = (float)(y * turn_x - x * turn_y);
      C = (float)(0.5 * ((x - turn_x) * (x - turn_x) + (y - turn_y) * (y - turn_y)));
      radius = (float)p.row_p[at];
      R = (float)(p.row_p[at] - p.row_p[middle_row]);
    } else {
      S = (float)((p.column_x[column] - m.x) * p.scale);
      C = 0.0F;
    }
  }
  if (lane < SIDE) {
    s.radius[lane] = radius;
    s.r[lane] = R;
    s.z[lane] = Z;
  }
  float most_radius = warp_largest(radius), most_r = warp_largest(fabsf(R)), most_z = warp_largest(fabsf(Z));
  float most_s = most_radius * warp_largest(fabsf(S)), most_c = most_radius * warp_largest(C);
  float reach_r = most_r + most_c;
  float extent = sqrtf(most_s * most_s + reach_r * reach_r + most_z * most_z) * 1.0001F;

  /* The pivot: nearest the middle. */
  unsigned long long least = nobody;
  for (int32_t n = lane; n < from.count; n += WARP) {
    int32_t id = list[n];
    double distance = square(seed_place(p.seeds, id), m);
    unsigned long long key = (unsigned long long)__float_as_uint((float)distance) << 32 | (uint32_t)id;
    least = key < least ? key : least;
  }
  least = warp_least(least);
  const int32_t pivot_id = (int32_t)(uint32_t)least;
  place by = seed_place(p.seeds, pivot_id);
  double bx = by.x - m.x, by_ = by.y - m.y, bz = by.z - m.z;
  double pivot_distance = sqrt(fma(bz, bz, fma(by_, by_, bx * bx)));
  float near = (float)(pivot_distance * p.scale) * 1.0001F, size = (float)p.size, slack = 0.0F;
  if (GEODESIC) slack = (float)geodesic_slack(p, (pivot_distance + (double)extent) * (1.0 + 1e-9)) * 1.0001F;

  /* The others: what may win somewhere. */
  float doubt = 0.0F; /* largest e_i */
  int32_t kept = 1;
  for (int32_t first = 0; first < from.count && kept <= CAPACITY; first += WARP) {
    int32_t n = first + lane, id = n < from.count ? list[n] : pivot_id;
    bool keep = false;
    float4 k = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    float error = 0.0F;
    if (id != pivot_id) {
      place at = seed_place(p.seeds, id);
      double dx = (at.x - by.x) * p.scale, dy = (at.y - by.y) * p.scale, dz = (at.z - by.z) * p.scale;
      double tx = ((at.x - m.x) + bx) * p.scale, ty = ((at.y - m.y) + by_) * p.scale;
      double tz = ((at.z - m.z) + bz) * p.scale;
      k.x = (float)fma(dz, tz, fma(dy, ty, dx * tx));
      k.y = (float)(-2.0 * (dy * turn_x - dx * turn_y));
      k.z = (float)(-2.0 * (dx * turn_x + dy * turn_y));
      k.w = (float)(-2.0 * dz);
      if (FORM == PLANE) {
        k.y = (float)(-2.0 * dx);
        k.z = 0.0F;
      }
      float half = fabsf(k.y) * most_s + fabsf(k.z) * reach_r + fabsf(k.w) * most_z;
      /* |s_i - m| <= |D| + |p - m|, |D| <= (|a| + |b| + |c|) / 2. */
      float wide = 0.5F * (fabsf(k.y) + fabsf(k.z) + fabsf(k.w)) + 2.0F * near + 2.0F * extent;
      error = 7.2e-7F * (fabsf(k.x) + half) + 1.01e-14F * (size * wide + wide * wide) + 1e-36F;
      keep = !(k.x - half > 1.001F * (error + slack));
    }
    uint32_t who = __ballot_sync(everyone, keep);
    int32_t at = kept + __popc(who & ((1U << lane) - 1U));
    if (keep && at < CAPACITY) {
      s.k[at] = k;
      s.label[at] = seed_label(p.seeds, id);
      s.id[at] = id;
      doubt = fmaxf(doubt, error);
      if (!(error < CUDART_INF_F)) doubt = CUDART_INF_F;
    }
    kept += __popc(who);
  }
  int32_t nearest_label = seed_label(p.seeds, pivot_id);
  if (kept == 1) {
    fill_quad<SIDE>(t, q, nearest_label, lane);
    return;
  }
  if (kept > CAPACITY) {
    decide_canonically<FORM, SQUARE, 1, GEODESIC>(p, t, q, list, from.count, open, count, lane);
    return;
  }
  if (lane == 0) s.id[0] = pivot_id;
  const float margin = 2.002F * warp_largest(doubt) + slack;
  __syncwarp();

  int64_t list_at = -2;
  const int sub = lane / SIDE * ROWS; /* the lane's first row of a chunk */
  for (int32_t top = 0; top < q.rows; top += CHUNK) {
    float best[ROWS], second[ROWS];
    int32_t label[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      best[r] = 0.0F; /* the pivot's */
      second[r] = CUDART_INF_F;
      label[r] = nearest_label;
    }
    for (int32_t first = 1; first < kept; first += BATCH) {
      int32_t batch = kept - first < BATCH ? kept - first : BATCH;
      for (int32_t n = lane; n < batch * CHUNK; n += WARP) {
        float4 k = s.k[first + n / CHUNK];
        int32_t at = top + n % CHUNK;
        at = at < SIDE ? at : SIDE - 1;
        s.term[n / CHUNK][n % CHUNK] = fmaf(k.w, s.z[at], fmaf(k.z, s.r[at], k.x));
      }
      __syncwarp();
      for (int32_t n = 0; n < batch; n++) {
        float4 k = s.k[first + n];
        int32_t candidate = s.label[first + n];
        float by_column = fmaf(k.y, S, -(k.z * C));
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
          float value = FORM == GLOBE ? fmaf(s.radius[top + sub + r], by_column, s.term[n][sub + r])
                                      : by_column + s.term[n][sub + r];
          bool nearer = value < best[r];
          second[r] = nearer ? best[r] : fminf(second[r], value);
          label[r] = nearer ? candidate : label[r];
          best[r] = nearer ? value : best[r];
        }
      }
      __syncwarp();
    }
    float gap = CUDART_INF_F;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      gap = second[r] - best[r] > margin ? gap : 0.0F;
    if (__any_sync(everyone, gap == 0.0F)) {
      uint32_t again = 0;
#pragma unroll
      for (int r = 0; r < ROWS; r++) {
        bool inside = own < q.columns && top + sub + r < q.rows;
        if (inside && !(second[r] - best[r] > margin)) again |= 1U << r;
      }
      if (GEODESIC) {
        if (__any_sync(everyone, again != 0) && list_at == -2) {
          list_at = reserve_ids(count, open, kept, lane);
          for (int32_t n = lane; n < kept && list_at >= 0; n += WARP)
            open.id[list_at + n] = s.id[n];
        }
        for (int r = 0; r < ROWS; r++) {
          if (again >> r & 1U) hand_over(t, count, open, column, q.r0 + top + sub + r, list_at, kept);
        }
      } else {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
          if (again >> r & 1U) label[r] = settle<FORM>(p, s.id, kept, column, q.r0 + top + sub + r);
        }
        if (again != 0) atomicAdd(&count->decided, (unsigned long long)__popc(again));
      }
    }
    if (own < q.columns) {
      if (t.aligned) {
        int32_t *out = t.out + address(t, column, q.r0 + top + sub);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
          if (top + sub + r < q.rows) __stcs(out + r * t.bw, label[r]);
        }
      } else {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
          if (top + sub + r < q.rows) t.out[address(t, column, q.r0 + top + sub + r)] = label[r];
        }
      }
    }
  }
}

/* Answers of the host, put in their places. */
__global__ void patch_cells(int32_t *out, const int64_t *at, const int32_t *value, int64_t count) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[at[i]] = value[i];
}

__global__ void whole_list(int32_t *ids, int32_t count, entry *root) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) ids[i] = (int32_t)i;
  if (i == 0) {
    entry all = {0, count, 0};
    *root = all;
  }
}

} // namespace gv

#endif
