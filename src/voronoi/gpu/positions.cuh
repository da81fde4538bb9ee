/*
 * Where cells and seeds are, and how far from each other.
 */
#ifndef GV_POSITIONS_CUH
#define GV_POSITIONS_CUH

#include <math_constants.h>

#include "voronoi/gpu/problem.cuh"

namespace gv {

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

} // namespace gv

#endif
