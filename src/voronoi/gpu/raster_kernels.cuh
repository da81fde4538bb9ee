/*
 * Kernels of the culling engine for rasters on a GPU.
 *
 * Levels. A level is a dense array of square tiles, all of one side (a power of 2, in cells), aligned to the grid. Each
 * tile holds a list of the seeds that may own one of its cells; a list of one seed is held in the entry itself. Going
 * down a level, a tile culls its parent's list (the argument is that of voronoi/cpu/cull.h: the bound of the tile is a
 * zonotope, any seed serves as a pivot, everything in double with the same margins).
 *   - Few tiles with long lists: many blocks a tile, in three passes (pivot, count, write), because a list must be
 *     counted before it has a place in the pool (narrow_kernels.cuh).
 *   - Many tiles with short lists: one warp a tile does it all.
 * Lists are in no order: who is the lowest of equals is decided by number, not by place.
 *
 * Leaves. One warp decides a square of cells ("quad").
 *   - leaf_float: k = 1, squared distances, cells whose position is a product of something by column and something by
 *     row. It culls once more, into shared memory, and compares in float with a proven margin (below); what lies within
 *     the margin is decided canonically on the spot, or, for geodesics, handed to the host.
 *   - leaf_canonical: everything else (several neighbours, other metrics, other grids), in canonical double arithmetic.
 *
 * A largest distance takes seeds out of lists that are farther from every cell of the tile. Leaves that it runs through are
 * decided cell by cell.
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

enum form { PLANE, GLOBE, ROTATED, MESH, TRIANGLES };
enum norm { SQUARE, SUM, LARGEST };

enum {
  WARP = 32,
  SHORT_WARPS = 4, /* tiles a block of cull_short */
  LONG_THREADS = 256,
  LEAF_WARPS = 4, /* quads a block of the leaves */
  CANONICAL_LOG = 5,
  CANONICAL_SIDE = 1 << CANONICAL_LOG,
  CAPACITY = 64, /* candidates of a quad in shared memory */
  BATCH = 32,    /* of them with row terms at once */
  GROUP = WARP,  /* seeds of a group */
  STAGE = 128,   /* survivors of a tile kept in shared memory while they are counted */
  FEW = 5,       /* candidates that are not worth a second look */
  CORNERS = 4,
  MOST_NEIGHBOURS = 64,
  MOST_PIVOTS = MOST_NEIGHBOURS + CORNERS
};

static const uint32_t everyone = 0xffffffffU;

/* 32 bytes: one sector of memory. On the plane (x, 0, y). */
struct alignas(16) seed {
  double x, y, z;
  int32_t label, site; /* the site is the same for all seeds of one place */
};

/* Of a mesh's vertices: sine and cosine of the latitude, radius and height. */
struct alignas(16) parallel {
  double sine, cosine, p, z;
};

/* GROUP seeds that lie close together (fewer in the last group), in a ball; one of them speaks for all as a pivot. */
struct alignas(16) group {
  double x, y, z, radius;
  int32_t speaker, unused[3];
};

/* What does not change from launch to launch. */
struct problem {
  int64_t width, height;
  /* Canonical tables (see cells/grid.h); column_y and row_p are NULL on the plane. */
  const double *column_x, *column_y, *row_p, *row_z;
  const double *half_cos, *half_sin, *half_sin_lat, *half_cos_lat;
  double geotransform[6];
  double curvature, position_error;
  int32_t mesh_level;                 /* MESH and TRIANGLES only */
  const parallel *parallels;          /* the same; from the pole to the equator */
  double eccentricity2;               /* the same; -1 on the sphere */
  const double *longitude, *latitude; /* TRIANGLES only: degrees by column and by row */
  double scale;                       /* float filter: makes lengths moderate; a power of 2 */
  double size;                        /* float filter: of positions; 1 on the globe, 0 on the plane */
  const seed *seeds;
  const group *groups;    /* and their seeds, group after group; NULL without groups */
  const int32_t *members; /* count of them */
  int32_t count;          /* seeds */
  int32_t neighbours;     /* k */
  int32_t nodata;
  /* The limit. Canonical values up to `within` are near enough, those above `beyond` are not; between them (geodesics only)
   * the host knows. And their roots. */
  double within, beyond, within_length, beyond_length;
  int32_t limited; /* both are finite */
  /* Geodesics: see geodesic/geodesic.h. */
  double r_small, r_large, chord2_limit, near_coefficient, near_chord2;
};

struct alignas(16) entry {
  int64_t offset; /* in the level's pool; the label to write, if count is 1 */
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
  unsigned int longest;       /* list of a level of long lists */
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

__device__ static inline int32_t seed_site(const seed *seeds, int32_t id) {
  return __ldg(&seeds[id].site);
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

/* A piece of the globe between two parallels and two meridians; see gv_globe_piece. */
struct globe_piece {
  double half_width, span;
  double p0, p1, z0, z1;
  double sin_lat, cos_lat, sin_lon, cos_lon;
  double pad;
};

/* gv_globe_bound; see cells/bound.c for the derivation. */
__device__ static void bound_of_piece(const globe_piece &g, double curvature, bound *out) {
  double sag = curvature * g.span * g.span / 8.0, half_width = g.half_width;
  double sin_max = half_width < 1.0 ? half_width : 1.0;
  double cos_min = half_width < 2.0 ? 1.0 - 0.5 * half_width * half_width : -1.0;
  double east = (fmax(g.p0, g.p1) + sag) * sin_max + g.pad;
  double north_a = g.z0 * g.cos_lat - g.p0 * g.sin_lat, north_b = g.z1 * g.cos_lat - g.p1 * g.sin_lat;
  double north_c = g.z0 * g.cos_lat - g.p0 * cos_min * g.sin_lat;
  double north_d = g.z1 * g.cos_lat - g.p1 * cos_min * g.sin_lat;
  double up_a = g.p0 * g.cos_lat + g.z0 * g.sin_lat, up_b = g.p1 * g.cos_lat + g.z1 * g.sin_lat;
  double up_c = g.p0 * cos_min * g.cos_lat + g.z0 * g.sin_lat;
  double up_d = g.p1 * cos_min * g.cos_lat + g.z1 * g.sin_lat;
  double north_low = fmin(fmin(north_a, north_b), fmin(north_c, north_d)) - sag - g.pad;
  double north_high = fmax(fmax(north_a, north_b), fmax(north_c, north_d)) + sag + g.pad;
  double up_low = fmin(fmin(up_a, up_b), fmin(up_c, up_d)) - sag - g.pad;
  double up_high = fmax(fmax(up_a, up_b), fmax(up_c, up_d)) + sag + g.pad;
  double north = 0.5 * (north_high - north_low), up = 0.5 * (up_high - up_low);
  double north_middle = 0.5 * (north_high + north_low), up_middle = 0.5 * (up_high + up_low);
  double along = up_middle * g.cos_lat - north_middle * g.sin_lat;
  out->middle = {along * g.cos_lon, along * g.sin_lon, up_middle * g.sin_lat + north_middle * g.cos_lat};
  out->generator[0] = {-g.sin_lon * east, g.cos_lon * east, 0.0};
  out->generator[1] = {-g.sin_lat * g.cos_lon * north, -g.sin_lat * g.sin_lon * north, g.cos_lat * north};
  out->generator[2] = {g.cos_lat * g.cos_lon * up, g.cos_lat * g.sin_lon * up, g.sin_lat * up};
  out->radius = sqrt(east * east + north * north + up * up) * (1.0 + 1e-12);
}

/* Of a tile of a lon/lat grid. */
__device__ static void globe_bound(const problem &p, int64_t c0, int64_t c1, int64_t r0, int64_t r1, bound *out) {
  const double degree = 3.14159265358979323846 / 180.0;
  int64_t column = c0 + c1 - 1, row = r0 + r1 - 1;
  globe_piece piece;
  piece.half_width = 0.5 * (double)(c1 - c0 - 1) * fabs(p.geotransform[1]) * degree;
  piece.span = (double)(r1 - r0 - 1) * fabs(p.geotransform[5]) * degree;
  piece.p0 = p.row_p[r0];
  piece.p1 = p.row_p[r1 - 1];
  piece.z0 = p.row_z[r0];
  piece.z1 = p.row_z[r1 - 1];
  piece.sin_lat = p.half_sin_lat[row];
  piece.cos_lat = p.half_cos_lat[row];
  piece.sin_lon = p.half_sin[column];
  piece.cos_lon = p.half_cos[column];
  piece.pad = 0.0;
  bound_of_piece(piece, p.curvature, out);
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
template <int FORM> __device__ inline void tile_bound(const problem &p, int log, int64_t i, int64_t j, bound *out) {
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

/* Half the box around a tile's canonical positions, for the plane's other metrics. */
__device__ static inline double half_across(const problem &p, const bound &b) {
  return fabs(b.generator[0].x) + fabs(b.generator[1].x) + 2.0 * p.position_error;
}

__device__ static inline double half_down(const problem &p, const bound &b) {
  return fabs(b.generator[0].z) + fabs(b.generator[1].z) + 2.0 * p.position_error;
}

/* A pivot and what a candidate is compared with: SQUARE as in cull_once of voronoi/cpu/cull.c, the others against boxes. */
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
    double half_x = half_across(p, b), half_z = half_down(p, b);
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
  double half_x = half_across(p, b), half_z = half_down(p, b);
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

static constexpr double limit_slack = 1e-11; /* far above the rounding of what is compared */

/* True if s is farther than the limit from every cell of the tile, beyond all doubt. */
template <int NORM> __device__ static bool out_of_reach(const problem &p, const bound &b, const place &s) {
  if (!p.limited) return false;
  if (NORM == SQUARE) {
    double reach = (p.beyond_length + b.radius + 4.0 * p.position_error) * (1.0 + limit_slack);
    return square(s, b.middle) > reach * reach;
  }
  double half_x = half_across(p, b), half_z = half_down(p, b);
  double gap_x = fmax(0.0, fabs(s.x - b.middle.x) - half_x), gap_z = fmax(0.0, fabs(s.z - b.middle.z) - half_z);
  return (NORM == SUM ? gap_x + gap_z : fmax(gap_x, gap_z)) > p.beyond + limit_slack * (p.beyond + half_x + half_z);
}

/* True if s is within the limit of every cell of the tile, beyond all doubt. */
template <int NORM> __device__ static bool within_reach(const problem &p, const bound &b, const place &s) {
  if (!p.limited) return true;
  if (NORM == SQUARE) {
    double reach = p.within_length * (1.0 - limit_slack) - b.radius - 4.0 * p.position_error;
    return reach > 0.0 && square(s, b.middle) < reach * reach * (1.0 - limit_slack);
  }
  double far_x = fabs(s.x - b.middle.x) + half_across(p, b), far_z = fabs(s.z - b.middle.z) + half_down(p, b);
  return (NORM == SUM ? far_x + far_z : fmax(far_x, far_z)) * (1.0 + limit_slack) < p.within;
}

/* A seed is out when k pivots (all of them different seeds) dominate it, or nobody can reach it. */
template <int NORM>
__device__ static bool survives(const problem &p, const bound &b, const pivot *pivots, int count, const place &s) {
  if (out_of_reach<NORM>(p, b, s)) return false;
  int stronger = 0;
  for (int j = 0; j < count; j++) {
    if (dominates<NORM>(p, b, pivots[j], s) && ++stronger >= p.neighbours) return false;
  }
  return true;
}

__device__ static inline place corner_of(const bound &b, int corner) {
  double u = corner & 1 ? 1.0 : -1.0, v = corner & 2 ? 1.0 : -1.0;
  return {b.middle.x + u * b.generator[0].x + v * b.generator[1].x,
          b.middle.y + u * b.generator[0].y + v * b.generator[1].y,
          b.middle.z + u * b.generator[0].z + v * b.generator[1].z};
}

/* Orders candidates by their distance from a place. */
__device__ static inline unsigned long long nearness(const place &to, const place &s, int32_t id) {
  return (unsigned long long)__float_as_uint((float)square(s, to)) << 32 | (uint32_t)id;
}

static constexpr unsigned long long nobody = ~0ULL;

__device__ static inline unsigned long long warp_least(unsigned long long key) {
  for (int step = WARP / 2; step > 0; step /= 2) {
    unsigned long long other = __shfl_xor_sync(everyone, key, step);
    key = other < key ? other : key;
  }
  return key;
}

__device__ static inline uint32_t warp_smallest(uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(everyone, value);
#else
  for (int step = WARP / 2; step > 0; step /= 2) {
    uint32_t other = __shfl_xor_sync(everyone, value, step);
    value = other < value ? other : value;
  }
  return value;
#endif
}

/* The candidate of a list nearest a place (for the calling warp; ties to any). */
__device__ static int32_t warp_nearest(const problem &p, const place &to, const int32_t *list, int32_t count,
                                       int lane) {
  uint32_t least = ~0U;
  int32_t nearest = 0;
  for (int32_t n = lane; n < count; n += WARP) {
    int32_t id = list[n];
    uint32_t key = __float_as_uint((float)square(seed_place(p.seeds, id), to));
    if (key < least || n == lane) {
      least = key;
      nearest = id;
    }
  }
  uint32_t all = warp_smallest(lane < count ? least : ~0U);
  uint32_t who = __ballot_sync(everyone, lane < count && least == all);
  return __shfl_sync(everyone, nearest, __ffs((int)who) - 1);
}

__device__ static inline const entry &entry_at(const level &l, int64_t i, int64_t j) {
  return l.entries[(j - l.j0) * l.across + (i - l.i0)];
}

/* ------------------------------------------------------------------------------------------------ short lists */

/* One warp a tile. Against the seeds nearest the middle first; what is left, if that is more than a few, against those
 * nearest the corners of the bound too. */
template <int FORM, int NORM, bool GEODESIC>
__global__ void __launch_bounds__(WARP *SHORT_WARPS)
    cull_short(const __grid_constant__ problem p, const __grid_constant__ level parent,
               const __grid_constant__ level child, int32_t *pool, unsigned long long capacity, counters *count) {
  __shared__ pivot shared_pivots[SHORT_WARPS][MOST_PIVOTS];
  __shared__ int32_t shared_chosen[SHORT_WARPS][MOST_PIVOTS];
  __shared__ int32_t shared_stage[SHORT_WARPS][STAGE];
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  int64_t tile = (int64_t)blockIdx.x * SHORT_WARPS + warp;
  if (tile >= (int64_t)child.across * child.down) return;
  int32_t row = (int32_t)((uint32_t)tile / (uint32_t)child.across);
  int64_t i = child.i0 + (int32_t)(tile - (int64_t)row * child.across), j = child.j0 + row;
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
  int32_t *chosen = shared_chosen[warp];
  int found = 0;
  if (p.neighbours == 1) {
    int32_t id = warp_nearest(p, b.middle, list, from.count, lane);
    if (lane == 0) chosen[0] = id;
    found = 1;
  } else {
    unsigned long long last = 0;
    for (; found < p.neighbours; found++) {
      unsigned long long least = nobody;
      for (int32_t n = lane; n < from.count; n += WARP) {
        unsigned long long key = nearness(b.middle, seed_place(p.seeds, list[n]), list[n]);
        if (key < least && (found == 0 || key > last)) least = key;
      }
      least = warp_least(least);
      if (least == nobody) break;
      if (lane == 0) chosen[found] = (int32_t)(uint32_t)least;
      last = least;
    }
  }
  __syncwarp();
  for (int n = lane; n < found; n += WARP)
    pivots[n] = make_pivot<NORM, GEODESIC>(p, b, chosen[n]);
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
  if (kept > FEW && kept > p.neighbours) {
    bool staged = kept <= STAGE;
    const int32_t *rest = staged ? stage : list;
    int32_t left = staged ? kept : from.count;
    int all = found;
    for (int c = 0; c < CORNERS; c++) {
      int32_t id = warp_nearest(p, corner_of(b, c), rest, left, lane);
      bool known = false;
      for (int n = lane; n < all; n += WARP)
        known = known || chosen[n] == id;
      if (__any_sync(everyone, known)) continue;
      if (lane == 0) chosen[all] = id;
      all++;
      __syncwarp();
    }
    if (lane < all - found) pivots[found + lane] = make_pivot<NORM, GEODESIC>(p, b, chosen[found + lane]);
    found = all;
    __syncwarp();
    kept = 0;
    for (int32_t first = 0; first < left; first += WARP) {
      int32_t n = first + lane, id = n < left ? rest[n] : -1;
      bool keep = id >= 0 && survives<NORM>(p, b, pivots, found, seed_place(p.seeds, id));
      uint32_t who = __ballot_sync(everyone, keep);
      int32_t at = kept + __popc(who & ((1U << lane) - 1U));
      __syncwarp(); /* a list staged is narrowed in its own place */
      if (keep && at < STAGE) stage[at] = id;
      kept += __popc(who);
      __syncwarp();
    }
  }
  unsigned long long offset = 0;
  if (lane == 0 && kept > 1) offset = atomicAdd(&count->pool, (unsigned long long)kept);
  offset = __shfl_sync(everyone, offset, 0);
  bool room = offset + (unsigned long long)kept <= capacity;
  if (lane == 0) {
    entry made = {kept == 1 ? seed_label(p.seeds, stage[0]) : (int64_t)offset, room ? kept : -1, stage[0]};
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

/* --------------------------------------------------------------------------------------------------- the leaves */

/* Within a band cells are counted in 32 bits. */
__device__ static inline int64_t address(const target &t, int64_t column, int64_t row) {
  uint32_t c = (uint32_t)(column - t.c0), r = (uint32_t)(row - t.r0), bw = (uint32_t)t.bw, bh = (uint32_t)t.bh;
  uint32_t across = c / bw, down = r / bh;
  return (int64_t)(down * (uint32_t)t.across + across) * (bw * bh) + (r - down * bh) * bw + (c - across * bw);
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

/* Cells of the calling warp that are in doubt go to the host, with their list, which is written down once: `list_at` is
 * where, -2 before. */
__device__ static void hand_over_doubtful(const target &t, counters *count, const open_list &open, bool doubt,
                                          int64_t column, int64_t row, const int32_t *list, int32_t candidates,
                                          int64_t *list_at, int lane) {
  if (!__any_sync(everyone, doubt)) return;
  if (*list_at == -2) {
    *list_at = reserve_ids(count, open, candidates, lane);
    for (int32_t n = lane; n < candidates && *list_at >= 0; n += WARP)
      open.id[*list_at + n] = list[n];
  }
  if (doubt) hand_over(t, count, open, column, row, *list_at, candidates);
}

/* What a list says of one cell: the K nearest in ascending order of (distance, seed), and the least distance of the
 * others. */
template <int K> struct ranking {
  static constexpr int unroll = K <= 9 ? K : 1; /* few ranks stay in registers */
  double value[K], next;
  int32_t id[K];
};

static constexpr int32_t no_seed = INT32_MAX;

template <int NORM, int K>
__device__ static void rank_cell(const problem &p, const place &cell, const int32_t *list, int32_t candidates,
                                 ranking<K> *best) {
#pragma unroll ranking < K> ::unroll
  for (int k = 0; k < K; k++) {
    best->value[k] = CUDART_INF;
    best->id[k] = no_seed;
  }
  best->next = CUDART_INF;
  for (int32_t n = 0; n < candidates; n++) {
    int32_t id = list[n];
    double value = canonical<NORM>(cell, seed_place(p.seeds, id));
    /* One of the two, the new one or the last, is not among them. */
    best->next = fmin(best->next, fmax(value, best->value[K - 1]));
    if (!(value < best->value[K - 1] || (value == best->value[K - 1] && id < best->id[K - 1]))) continue;
      /* From the end upwards: it pushes the ones that are farther down by one. */
#pragma unroll ranking < K> ::unroll
    for (int k = K - 1; k >= 0; k--) {
      const int above = k > 0 ? k - 1 : 0;
      bool here = value < best->value[k] || (value == best->value[k] && id < best->id[k]);
      bool higher = k > 0 && (value < best->value[above] || (value == best->value[above] && id < best->id[above]));
      if (ranking<K>::unroll < K && !here) break;
      if (here) {
        best->value[k] = higher ? best->value[above] : value;
        best->id[k] = higher ? best->id[above] : id;
      }
    }
  }
}

template <int K>
__device__ static void write_ranks(const problem &p, const target &t, int32_t *out, const ranking<K> &best) {
#pragma unroll ranking < K> ::unroll
  for (int k = 0; k < K; k++) {
    if (k < p.neighbours) {
      bool there = best.id[k] != no_seed && best.value[k] <= p.beyond;
      out[k * t.band_stride] = there ? seed_label(p.seeds, best.id[k]) : p.nodata;
    }
  }
}

__device__ static __noinline__ double slack_of(const problem &p, double chord2) {
  return geodesic_slack(p, sqrt(chord2));
}

/* True if rank k and the next one are seeds of one place, whose order is that of their numbers. */
template <int K> __device__ static inline bool one_place(const problem &p, const ranking<K> &best, int k) {
  if (k + 1 >= K || best.value[k] != best.value[k + 1 < K ? k + 1 : k] ||
      best.id[k + 1 < K ? k + 1 : k] == no_seed) {
    return false;
  }
  return seed_site(p.seeds, best.id[k]) == seed_site(p.seeds, best.id[k + 1 < K ? k + 1 : k]);
}

/* By how much the next one is farther than rank k; infinite where that cannot matter. `matters`, true before rank 0, says
 * so for a run of seeds of one place that begins within the ranks that are written. */
template <int K>
__device__ static inline double gap_after(const problem &p, const ranking<K> &best, int k, bool *matters) {
  *matters = k < p.neighbours || (k > 0 && *matters && one_place(p, best, k > 0 ? k - 1 : 0));
  double next = k + 1 < K ? best.value[k + 1 < K ? k + 1 : k] : best.next;
  bool there = best.id[k] != no_seed && best.value[k] <= p.beyond && next <= p.beyond && next < CUDART_INF;
  return *matters && there && !one_place(p, best, k) ? next - best.value[k] : CUDART_INF;
}

/*
 * Geodesics, ranked by chords: whether the ranks that are written may be others. One is certain when it is certainly within
 * the limit, and the next one is farther by more than the slack, or certainly beyond the limit, or a seed of the same
 * place (then it is the one after that which has to be farther). The slack grows with the chord, so that of the last rank
 * mostly tells that all is well.
 */
template <int K> __device__ static bool in_doubt(const problem &p, const ranking<K> &best) {
  double least = CUDART_INF, farthest = 0.0;
  bool doubt = false, matters = true;
#pragma unroll ranking < K> ::unroll
  for (int k = 0; k < K; k++) {
    double gap = gap_after(p, best, k, &matters);
    if (gap < CUDART_INF) farthest = best.value[k];
    least = fmin(least, gap);
    bool there = k < p.neighbours && best.id[k] != no_seed;
    doubt = doubt || (there && best.value[k] > p.within && best.value[k] <= p.beyond);
  }
  if (doubt || least == CUDART_INF) return doubt;
  if (least > slack_of(p, farthest)) return false;
  matters = true;
#pragma unroll ranking < K> ::unroll
  for (int k = 0; k < K; k++) {
    double gap = gap_after(p, best, k, &matters);
    doubt = doubt || (gap < CUDART_INF && !(gap > slack_of(p, best.value[k])));
  }
  return doubt;
}

/* All cells of a quad against a list, canonically. For geodesics chords are compared, and what they leave open goes to the
 * host. */
template <int FORM, int NORM, int K, bool GEODESIC>
__device__ static void decide_canonically(const problem &p, const target &t, const quad &q, const int32_t *list,
                                          int32_t candidates, const open_list &open, counters *count, int lane) {
  int64_t list_at = -2;
  for (int32_t row = 0; row < q.rows; row++) {
    for (int32_t first = 0; first < q.columns; first += WARP) {
      bool inside = first + lane < q.columns;
      int64_t column = q.c0 + (inside ? first + lane : 0);
      ranking<K> best;
      rank_cell<NORM, K>(p, position<FORM>(p, column, q.r0 + row), list, candidates, &best);
      if (inside) write_ranks(p, t, t.out + address(t, column, q.r0 + row), best);
      if (GEODESIC) {
        hand_over_doubtful(t, count, open, inside && in_doubt(p, best), column, q.r0 + row, list, candidates,
                           &list_at, lane);
      }
    }
  }
}

/* How a list's seeds lie to the limit as seen from a tile: none in reach of any cell, all in reach of all, or neither. */
enum range { NOBODY, SOME, EVERYBODY };

template <int NORM>
__device__ static range range_of(const problem &p, const bound &b, const int32_t *list, int32_t candidates,
                                 int lane) {
  bool none = true, all = true;
  for (int32_t n = lane; n < candidates; n += WARP) {
    place s = seed_place(p.seeds, list[n]);
    none = none && out_of_reach<NORM>(p, b, s);
    all = all && within_reach<NORM>(p, b, s);
  }
  if (__all_sync(everyone, none)) return NOBODY;
  return __all_sync(everyone, all) ? EVERYBODY : SOME;
}

/* Fills all ranks with nodata. */
template <int SIDE> __device__ static void leave_out_quad(const problem &p, target t, const quad &q, int lane) {
  for (int32_t k = 0; k < p.neighbours; k++, t.out += t.band_stride)
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
  range limit = from.count == 0 ? NOBODY : EVERYBODY;
  if (p.limited && from.count > 0) {
    bound b;
    tile_bound<FORM>(p, CANONICAL_LOG, q.c0 >> CANONICAL_LOG, q.r0 >> CANONICAL_LOG, &b);
    limit = range_of<NORM>(p, b, list, from.count, lane);
  }
  if (limit == NOBODY) {
    leave_out_quad<CANONICAL_SIDE>(p, t, q, lane);
  } else if (limit == EVERYBODY && from.count == 1 && p.neighbours == 1) {
    fill_quad<CANONICAL_SIDE>(t, q, (int32_t)from.offset, lane);
  } else {
    decide_canonically<FORM, NORM, K, GEODESIC>(p, t, q, list, from.count, open, count, lane);
  }
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

enum {
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

/* Decides a window of a quad against a list of candidates. False, with nothing written, if more of them may win there than
 * fit into shared memory. */
template <int FORM, bool GEODESIC, int SIDE>
__device__ __forceinline__ static bool decide_window(const problem &p, const target &t, const quad &q,
                                                     const int32_t *list, int32_t candidates, filter_space<SIDE> &s,
                                                     const open_list &open, counters *count, int lane) {
  using space = filter_space<SIDE>;
  constexpr int HALVES = space::halves, CHUNK = space::chunk;
  __syncwarp();

  /* The lane's columns, and the rows, seen from the middle cell. */
  const int32_t own = lane % SIDE;
  const int64_t middle_column = q.c0 + q.columns / 2, middle_row = q.r0 + q.rows / 2;
  const place m = position<FORM>(p, middle_column, middle_row);
  double turn_x = 1.0, turn_y = 0.0;
  if (FORM == GLOBE) {
    turn_x = p.column_x[middle_column];
    turn_y = p.column_y[middle_column];
  }
  extents e;
  float S[HALVES], C[HALVES], most_radius = FORM == GLOBE ? 0.0F : 1.0F, most_r = 0.0F;
  e.s = e.z = 0.0F;
  {
    float most_c = 0.0F;
#pragma unroll
    for (int h = 0; h < HALVES; h++) {
      int32_t within = own + h * WARP;
      int64_t column = q.c0 + (within < q.columns ? within : q.columns - 1);
      double x = p.column_x[column];
      if (FORM == GLOBE) {
        double y = p.column_y[column], dx = x - turn_x, dy = y - turn_y;
        S[h] = (float)(y * turn_x - x * turn_y);
        C[h] = (float)(0.5 * (dx * dx + dy * dy));
      } else {
        S[h] = (float)((x - m.x) * p.scale);
        C[h] = 0.0F;
      }
      e.s = fmaxf(e.s, fabsf(S[h]));
      most_c = fmaxf(most_c, C[h]);
    }
#pragma unroll
    for (int first = 0; first < SIDE; first += WARP) {
      int32_t within = first + lane;
      int64_t row = q.r0 + (within < q.rows ? within : q.rows - 1);
      float radius = 1.0F, r = 0.0F, z = (float)((p.row_z[row] - m.z) * p.scale);
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
    e.corner_s[0] = __shfl_sync(everyone, S[0], 0);
    e.corner_c[0] = __shfl_sync(everyone, C[0], 0);
    e.corner_s[1] = __shfl_sync(everyone, S[HALVES - 1], end % WARP);
    e.corner_c[1] = __shfl_sync(everyone, C[HALVES - 1], end % WARP);
    e.last_row = q.rows - 1;
  }
  const float extent = sqrtf(e.s * e.s + e.r * e.r + e.z * e.z) * 1.0001F;

  /* The pivot: nearest the middle. */
  const int32_t pivot_id = warp_nearest(p, m, list, candidates, lane);
  const place by = seed_place(p.seeds, pivot_id);
  const double bx = by.x - m.x, by_ = by.y - m.y, bz = by.z - m.z;
  const int32_t nearest_label = seed_label(p.seeds, pivot_id);
  float near = 0.0F;
  e.slack = 0.0F;
  {
    double pivot_distance = sqrt(fma(bz, bz, fma(by_, by_, bx * bx)));
    near = (float)(pivot_distance * p.scale) * 1.0001F;
    if (GEODESIC) {
      e.slack = (float)geodesic_slack(p, (pivot_distance + (double)extent) * (1.0 + 1e-9)) * 1.0001F;
    }
  }
  if (lane == 0) {
    s.k[0] = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    s.error[0] = 0.0F;
    s.label[0] = nearest_label;
    s.id[0] = pivot_id;
  }

  /* The others: what may win somewhere. */
  int32_t kept = 1;
  bool crowded = false;
  for (int32_t first = 0; first < candidates && !crowded; first += WARP) {
    int32_t n = first + lane, id = n < candidates ? list[n] : pivot_id;
    bool keep = false;
    float4 k = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    float error = 0.0F;
    if (id != pivot_id) {
      place at = seed_place(p.seeds, id);
      double dx = at.x - by.x, dy = at.y - by.y, dz = at.z - by.z;
      double tx = (at.x - m.x) + bx, ty = (at.y - m.y) + by_, tz = (at.z - m.z) + bz;
      if (FORM == PLANE) {
        dx *= p.scale;
        dz *= p.scale;
        k.x = (float)fma(dz, tz * p.scale, dx * (tx * p.scale));
        k.y = (float)(-2.0 * dx);
      } else {
        k.x = (float)fma(dz, tz, fma(dy, ty, dx * tx));
        k.y = (float)(-2.0 * (dy * turn_x - dx * turn_y));
        k.z = (float)(-2.0 * (dx * turn_x + dy * turn_y));
      }
      k.w = (float)(-2.0 * dz);
      float half = fabsf(k.y) * e.s + fabsf(k.z) * e.r + fabsf(k.w) * e.z;
      /* |s_i - m| <= |D| + |p - m|, |D| <= (|a| + |b| + |c|) / 2. */
      float wide = 0.5F * (fabsf(k.y) + fabsf(k.z) + fabsf(k.w)) + 2.0F * near + 2.0F * extent;
      error = 7.2e-7F * (fabsf(k.x) + half) + 1.01e-14F * ((float)p.size * wide + wide * wide) + 1e-36F;
      keep = !(k.x - half > 1.001F * (error + e.slack));
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
      kept = prune<SIDE>(s, kept, e, lane);
      crowded = kept > CAPACITY - WARP;
    }
  }
  if (crowded) return false;
  if (kept > FEW) kept = prune<SIDE>(s, kept, e, lane);
  if (kept == 1) {
    fill_quad<SIDE>(t, q, nearest_label, lane);
    return true;
  }
  float doubt = lane < kept ? s.error[lane] : 0.0F;
  if (kept > WARP) doubt = fmaxf(doubt, lane + WARP < kept ? s.error[lane + WARP] : 0.0F);
  const float margin = 2.002F * warp_largest(doubt) + e.slack;

  int64_t list_at = -2;
  const int32_t group = lane / SIDE * ROWS; /* the lane's first row of a chunk */
  int32_t *const corner = t.out + address(t, q.c0, q.r0);
  const int32_t stride = (int32_t)t.bw;
  for (int32_t top = 0; top < q.rows; top += CHUNK) {
#pragma unroll
    for (int h = 0; h < HALVES; h++) {
      const int32_t within = own + h * WARP, row = top + group;
      int32_t label[ROWS];
      uint32_t again = 0;
      float radius[ROWS];
#pragma unroll
      for (int r = 0; r < ROWS; r += 4) {
        float4 four = FORM == GLOBE ? *reinterpret_cast<const float4 *>(&s.radius[row + r])
                                    : make_float4(1.0F, 1.0F, 1.0F, 1.0F);
        radius[r] = four.x, radius[r + 1] = four.y, radius[r + 2] = four.z, radius[r + 3] = four.w;
      }
      if (kept == 2) { /* most quads: a sign decides */
        const float4 k = s.k[1];
        const int32_t candidate = s.label[1];
        const float by_column = fmaf(k.y, S[h], -(k.z * C[h]));
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
            label[r + i] = value < 0.0F ? candidate : nearest_label;
            again |= fabsf(value) > margin ? 0U : 1U << (r + i);
          }
        }
      } else {
        float best[ROWS], second[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
          best[r] = 0.0F; /* the pivot's */
          second[r] = CUDART_INF_F;
          label[r] = nearest_label;
        }
        for (int32_t first = 1; first < kept; first += BATCH) {
          int32_t batch = kept - first < BATCH ? kept - first : BATCH;
          if (h == 0 || kept > BATCH + 1) {
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
            const float by_column = fmaf(k.y, S[h], -(k.z * C[h]));
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
      }
      const bool inside = within < q.columns;
      const int32_t rows = q.rows - row;
      if (inside) {
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
      if (!inside || rows <= 0) again = 0;
      if (rows > 0 && rows < ROWS) again &= (1U << rows) - 1U;
      if (__any_sync(everyone, again != 0)) {
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

/* Answers of the host, rank after rank, put in their places. */
__global__ void patch_cells(int32_t *out, int64_t band_stride, const int64_t *at, const int32_t *value,
                            int64_t count, int32_t neighbours) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count * neighbours) out[at[i % count] + i / count * band_stride] = value[i];
}

} // namespace gv

#endif
