/*
 * Rasters on the globe with pixels that have the result of their QTM triangle, on a GPU: the position of a
 * cell is the center of the triangle that contains the cell's center. Four pixels of a raster of the usual
 * size share a triangle, which is computed for each of them: even so the kernels take an eighth of the
 * engine's time, the rest is reading back.
 *
 * Triangles are found in the coordinates of the octant's lattice; where that comes too near an edge, by the
 * exact rule (cells/lattice.h).
 */
#ifndef GV_TRIANGLE_POSITIONS_CUH
#define GV_TRIANGLE_POSITIONS_CUH

#include "core/angles.h"
#include "voronoi/gpu/mesh_positions.cuh"

namespace gv {

/* gv_qtm_from_lonlat, for a longitude in [-180, 180]. */
__device__ static __noinline__ part triangle_exactly(int32_t level, double lon, double lat) {
  if (lon >= 180.0) lon -= 360.0;
  int64_t weight[4];
  part cell = octant_of(level, gv_lattice_locate(lon, lat, weight));
  for (int32_t depth = 0; depth < level; depth++)
    go(&cell, __ldg(&ways.one[cell.state][gv_lattice_child(weight, (int64_t)1 << 31)]), 1);
  return cell;
}

/* The triangle of a place, lon in [-180, 180]. Of its state only whether it points away from the pole is set:
 * positions need nothing else. */
__device__ static part triangle_at(int32_t level, double lon, double lat) {
  double fraction;
  int32_t quarter = gv_lattice_quarter(lon, &fraction);
  double distance = gv_lattice_rows((double)(1 << level), lat);
  int32_t row = (int32_t)distance;
  if (row > (1 << level) - 1) row = (1 << level) - 1;
  double inside = distance - (double)row, across = distance * fraction;
  int32_t whole = (int32_t)across;
  double rest = across - (double)whole;
  bool doubtful = gv_lattice_near_end(inside) || gv_lattice_near_side(inside, rest);
  if (doubtful) return triangle_exactly(level, lon, lat);
  return {0, 1 + quarter + (lat < 0.0 ? 4 : 0), row, whole, rest > inside ? DOWN : 0U};
}

template <> __device__ inline place position<TRIANGLES>(const problem &p, int64_t column, int64_t row) {
  return center_of(p, triangle_at(p.mesh_level, p.longitude[column], p.latitude[row]));
}

/*
 * The rows of the mesh that the tile's pixels lie in are whole parallels' zones. Along a parallel, a triangle
 * reaches no farther from any of its places than it is wide: its longitudes are those of its base, (pi / 2) /
 * r wide at most in row r > 0 from the pole (a side east = a + b r has the longitude a / r + b, monotone). So
 * all triangles' vertices lie in a zone between two meridians, and the statement of cells/lattice.h about
 * their centers holds. A tile with a row next to the pole is treated as spanning all longitudes.
 */
template <>
__device__ inline void tile_bound<TRIANGLES>(const problem &p, int log, int64_t i, int64_t j, bound *out) {
  const double pi = GV_PI;
  int64_t side = (int64_t)1 << log, c0 = i * side, r0 = j * side;
  int64_t c1 = c0 + side < p.width ? c0 + side : p.width, r1 = r0 + side < p.height ? r0 + side : p.height;
  double n = (double)(1 << p.mesh_level), lat0 = p.latitude[r0], lat1 = p.latitude[r1 - 1];
  double low = fmin(lat0, lat1), high = fmax(lat0, lat1);
  /* Whole rows from the southern pole; a place on a parallel may belong to either side of it. */
  low = fmax(floor((90.0 + low) * (n / 90.0) - gv_lattice_near), 0.0);
  high = fmin(ceil((90.0 + high) * (n / 90.0) + gv_lattice_near), 2.0 * n);
  double nearest = fmin(low, 2.0 * n - high); /* rows between the tile and a pole */
  gv_globe_piece piece;
  double sine, cosine;
  gv_sines(low * 90.0 / n - 90.0, &sine, &cosine);
  gv_meridian_point(p.eccentricity2, sine, cosine, &piece.p[0], &piece.z[0]);
  gv_sines(high * 90.0 / n - 90.0, &sine, &cosine);
  gv_meridian_point(p.eccentricity2, sine, cosine, &piece.p[1], &piece.z[1]);
  gv_sines(0.5 * (low + high) * 90.0 / n - 90.0, &piece.sin_lat, &piece.cos_lat);
  double middle = gv_center_x(p.geotransform, 0.5 * (double)(c0 + c1 - 1), 0.0);
  middle -= 360.0 * rint(middle * (1.0 / 360.0));
  gv_sines(middle, &piece.sin_lon, &piece.cos_lon);
  /* Rounding error of longitudes, also of extreme ones. */
  double error = 1e-15 * (fabs(p.geotransform[0]) + (double)p.width * fabs(p.geotransform[1])) + 1e-12;
  piece.half_width = gv_half_width(p.geotransform, c0, c1) + error;
  piece.half_width = nearest > 0.0 ? piece.half_width + 0.5 * pi / nearest : pi;
  piece.span = (high - low) / n * (0.5 * pi);
  piece.curvature = p.curvature;
  piece.pad = gv_lattice_pad(n, p.eccentricity2);
  bound_from(piece, out);
}

} // namespace gv

#endif
