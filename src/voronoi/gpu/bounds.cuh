/*
 * Bounds of tiles: a middle, three generators of a zonotope around it, and the radius of a ball; and by how much geodesics
 * may exceed their chords.
 */
#ifndef GV_BOUNDS_CUH
#define GV_BOUNDS_CUH

#include "voronoi/gpu/positions.cuh"

namespace gv {

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

} // namespace gv

#endif
