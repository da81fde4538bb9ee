/*
 * Positions of cells and seeds, their distances, and bounds of tiles: a middle, three generators of a
 * zonotope around it, and the radius of a ball.
 */
#ifndef GV_POSITIONS_CUH
#define GV_POSITIONS_CUH

#include <math_constants.h>

#include "exact/canonical.h"
#include "voronoi/gpu/problem.cuh"
#include "voronoi/margin.h"

namespace gv {

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
  return {gv_center_x(p.geotransform, (double)column, (double)row), 0.0,
          gv_center_y(p.geotransform, (double)column, (double)row)};
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

/* The exact distance; on the plane y is 0 and adds nothing. */
template <int NORM> __device__ static inline double canonical(const place &q, const place &s) {
  double x = gv_norm_of(NORM, q.x - s.x), z = gv_norm_of(NORM, q.z - s.z);
  if (NORM == SQUARE) x = gv_norm_join(NORM, x, gv_norm_of(NORM, q.y - s.y));
  return gv_norm_join(NORM, x, z);
}

/* Squares for any metric: for choosing pivots, and for bounds. */
__device__ static inline double square(const place &a, const place &b) {
  return gv_square(3, a.x - b.x, a.y - b.y, a.z - b.z);
}

__device__ static inline double positions_dot(const place &g, double x, double y, double z) {
  return gv_dot(3, g.x, g.y, g.z, x, y, z);
}

struct bound {
  place middle;
  place generator[3];
  double radius;
};

/* On the globe. */
__device__ static inline void bound_from(const gv_globe_piece &piece, bound *out) {
  gv_bound b;
  gv_globe_bound(&piece, &b);
  out->middle = {b.center[0], b.center[1], b.center[2]};
  for (int k = 0; k < 3; k++)
    out->generator[k] = {b.generator[k][0], b.generator[k][1], b.generator[k][2]};
  out->radius = b.radius;
}

/* Of a tile of a lon/lat grid. */
__device__ static void globe_bound(const problem &p, int64_t c0, int64_t c1, int64_t r0, int64_t r1,
                                   bound *out) {
  int64_t column = c0 + c1 - 1, row = r0 + r1 - 1;
  gv_globe_piece piece;
  piece.half_width = gv_half_width(p.geotransform, c0, c1);
  piece.span = gv_latitude_span(p.geotransform, r0, r1);
  piece.curvature = p.curvature;
  piece.p[0] = p.row_p[r0];
  piece.p[1] = p.row_p[r1 - 1];
  piece.z[0] = p.row_z[r0];
  piece.z[1] = p.row_z[r1 - 1];
  piece.sin_lat = p.half_sin_lat[row];
  piece.cos_lat = p.half_cos_lat[row];
  piece.sin_lon = p.half_sin[column];
  piece.cos_lon = p.half_cos[column];
  piece.pad = 0.0;
  bound_from(piece, out);
}

__device__ static void plane_bound(const problem &p, int64_t c0, int64_t c1, int64_t r0, int64_t r1,
                                   bound *out) {
  gv_bound b;
  gv_plane_bound(p.geotransform, c0, c1, r0, r1, &b);
  out->middle = {b.center[0], 0.0, b.center[1]};
  for (int k = 0; k < 3; k++)
    out->generator[k] = {b.generator[k][0], 0.0, b.generator[k][1]};
  out->radius = b.radius;
}

/* A tile's bound; a tile is clipped to the grid. */
template <int FORM>
__device__ inline void tile_bound(const problem &p, int log, int64_t i, int64_t j, bound *out) {
  int64_t side = (int64_t)1 << log, c0 = i * side, r0 = j * side;
  int64_t c1 = c0 + side < p.width ? c0 + side : p.width, r1 = r0 + side < p.height ? r0 + side : p.height;
  if (FORM == GLOBE) {
    globe_bound(p, c0, c1, r0, r1, out);
  } else {
    plane_bound(p, c0, c1, r0, r1, out);
  }
}

/* Half the box around a tile's canonical positions, for the plane's other metrics. */
__device__ static inline double half_across(const problem &p, const bound &b) {
  return gv_box_half(b.generator[0].x, b.generator[1].x, p.position_error);
}

__device__ static inline double half_down(const problem &p, const bound &b) {
  return gv_box_half(b.generator[0].z, b.generator[1].z, p.position_error);
}

} // namespace gv

#endif
