/*
 * Rasters on the globe whose pixels carry the answer of their QTM triangle, on a GPU: a raster like others, but a cell's
 * position is the centre of the triangle that its own place lies in. Four pixels of a raster of the usual size share a
 * triangle and each of them asks again: even so the kernels take an eighth of the engine's time, the rest is reading back.
 *
 * Triangles are found in the coordinates of the octant's lattice, as in voronoi/cpu/mesh_tile.c; where that comes too near an
 * edge, by the exact rule of cells/qtm.c in the same operations.
 */
#ifndef GV_TRIANGLE_POSITIONS_CUH
#define GV_TRIANGLE_POSITIONS_CUH

#include "voronoi/gpu/mesh_positions.cuh"

namespace gv {

/* sign_of_sum of cells/qtm.c. */
__device__ static int sign_of_sum(const double *term, int n) {
  double kept[8];
  int parts = 0;
  for (int t = 0; t < n; t++) {
    double carry = term[t];
    int left = 0;
    for (int i = 0; i < parts; i++) {
      double sum = carry + kept[i];
      double virtual_part = sum - carry;
      double error = (carry - (sum - virtual_part)) + (kept[i] - virtual_part);
      if (error != 0.0) kept[left++] = error;
      carry = sum;
    }
    if (carry != 0.0) kept[left++] = carry;
    parts = left;
  }
  return parts == 0 ? 0 : kept[parts - 1] > 0.0 ? 1 : -1;
}

/* quantise of cells/qtm.c: (constant + by_t t + by_m m + by_tm t m) / 8100 in units of 2^-31, with a bit for the rest. */
__device__ static int64_t quantise(double constant, double by_t, double by_m, double by_tm, double t, double m) {
  const double unit = 1073741824.0; /* 2^30 */
  double tm = t * m;
  double value = (constant + by_t * t + by_m * m + by_tm * tm) / 8100.0 * unit;
  double nearest = rint(value);
  if (fabs(value - nearest) > 0x1p-18) return 2 * (int64_t)floor(value) + 1;
  double tm_error = fma(t, m, -tm), t_product = by_t * t, m_product = by_m * m;
  double term[7] = {constant - 8100.0 / unit * nearest, t_product,  fma(by_t, t, -t_product), m_product,
                    fma(by_m, m, -m_product),           by_tm * tm, by_tm * tm_error};
  return 2 * (int64_t)nearest + sign_of_sum(term, 7);
}

/* gv_qtm_from_lonlat, for a longitude in [-180, 180]. */
__device__ static __noinline__ part triangle_exactly(int32_t level, double lon, double lat) {
  if (lon >= 180.0) lon -= 360.0;
  double t = fabs(lat), m = 0.0;
  int32_t octant = 1;
  bool from_east = false; /* m is counted from the octant's eastern side */
  if (t != 90.0 && lon >= 0.0) {
    octant = lon < 90.0 ? 1 : 2;
    m = lon < 90.0 ? lon : lon - 90.0;
  } else if (t != 90.0) {
    octant = lon < -90.0 ? 3 : 4;
    m = lon < -90.0 ? -90.0 - lon : -lon;
    from_east = true;
  }
  if (lat < 0.0) octant += 4;
  if (t != 0.0 && t < 0x1p-300) t = 0x1p-300;
  if (m != 0.0 && m < 0x1p-300) m = 0x1p-300;
  /* Basis numbers of the octant's corners: 1 at the pole, 2 west of 3 in odd octants. */
  const int32_t west = octant % 2 != 0 ? 2 : 3, near = from_east ? 5 - west : west;
  int64_t weight[4];
  weight[1] = quantise(0.0, 90.0, 0.0, 0.0, t, m);
  weight[near] = quantise(8100.0, -90.0, -90.0, 1.0, t, m);
  weight[5 - near] = quantise(0.0, 0.0, 90.0, -1.0, t, m);
  const int64_t one = (int64_t)1 << 31;
  /* gv_qtm_descend. */
  part cell = octant_of(level, octant);
  for (int32_t depth = 0; depth < level; depth++) {
    int32_t child = 0;
    for (int32_t i = 3; i >= 1; i--) {
      if (2 * weight[i] >= one) child = i;
    }
    for (int32_t i = 1; i <= 3; i++) {
      int64_t w = 2 * weight[i];
      weight[i] = child == 0 ? one - w : i == child ? w - one : w;
    }
    if (child != 0) {
      int32_t j = child == 1 ? 2 : 1, k = 6 - child - j;
      int64_t swap = weight[j];
      weight[j] = weight[k];
      weight[k] = swap;
    }
    go(&cell, __ldg(&ways.one[cell.state][child]), 1);
  }
  return cell;
}

/* Lattice coordinates are good to 2^20 x a few 2^-53. */
static constexpr double too_near = 1e-8;

/* The triangle of a place, lon in [-180, 180]. Of its state only whether it points away from the pole is set: positions
 * need no more. */
__device__ static part triangle_at(int32_t level, double lon, double lat) {
  double n = (double)(1 << level), turned = lon < 0.0 ? lon + 360.0 : lon;
  int32_t quarter = (int32_t)(turned * (1.0 / 90.0));
  if (quarter > 3) quarter = 3;
  double distance = (90.0 - fabs(lat)) * (n / 90.0), fraction = (turned - 90.0 * quarter) * (1.0 / 90.0);
  int32_t row = (int32_t)distance;
  if (row > (1 << level) - 1) row = (1 << level) - 1;
  double inside = distance - (double)row, across = distance * fraction;
  int32_t whole = (int32_t)across;
  double rest = across - (double)whole;
  bool doubtful = inside < too_near || inside > 1.0 - too_near || rest < too_near || rest > 1.0 - too_near ||
                  fabs(rest - inside) < too_near;
  if (doubtful) return triangle_exactly(level, lon, lat);
  return {0, 1 + quarter + (lat < 0.0 ? 4 : 0), row, whole, rest > inside ? DOWN : 0U};
}

template <> __device__ inline place position<TRIANGLES>(const problem &p, int64_t column, int64_t row) {
  return centre_of(p, triangle_at(p.mesh_level, p.longitude[column], p.latitude[row]));
}

/*
 * The rows of the mesh that the tile's pixels lie in are whole parallels' zones. Along a parallel, a triangle reaches no
 * farther from any of its places than it is wide: its longitudes are those of its base, (pi / 2) / r wide at most in
 * row r > 0 from the pole (a side east = a + b r has the longitude a / r + b, monotone). So all triangles' vertices lie in
 * a zone between two meridians, and what is said at gv_mesh_bound about their centres holds. A tile with a row next to
 * the pole is taken to go all around.
 */
template <>
__device__ inline void tile_bound<TRIANGLES>(const problem &p, int log, int64_t i, int64_t j, bound *out) {
  const double pi = 3.14159265358979323846;
  int64_t side = (int64_t)1 << log, c0 = i * side, r0 = j * side;
  int64_t c1 = c0 + side < p.width ? c0 + side : p.width, r1 = r0 + side < p.height ? r0 + side : p.height;
  double n = (double)(1 << p.mesh_level), lat0 = p.latitude[r0], lat1 = p.latitude[r1 - 1];
  double low = fmin(lat0, lat1), high = fmax(lat0, lat1);
  /* Whole rows from the southern pole; a place on a parallel may belong to either side of it. */
  low = fmax(floor((90.0 + low) * (n / 90.0) - too_near), 0.0);
  high = fmin(ceil((90.0 + high) * (n / 90.0) + too_near), 2.0 * n);
  double nearest = fmin(low, 2.0 * n - high); /* rows between the tile and a pole */
  globe_piece piece;
  double sine, cosine;
  sincos_degrees(low * 90.0 / n - 90.0, &sine, &cosine);
  meridian(p.eccentricity2, sine, cosine, &piece.p0, &piece.z0);
  sincos_degrees(high * 90.0 / n - 90.0, &sine, &cosine);
  meridian(p.eccentricity2, sine, cosine, &piece.p1, &piece.z1);
  sincos_degrees(0.5 * (low + high) * 90.0 / n - 90.0, &piece.sin_lat, &piece.cos_lat);
  double middle = grid_x(p, 0.5 * (double)(c0 + c1 - 1), 0.0);
  middle -= 360.0 * rint(middle * (1.0 / 360.0));
  sincos_degrees(middle, &piece.sin_lon, &piece.cos_lon);
  /* What rounding does to longitudes, also to absurd ones. */
  double error = 1e-15 * (fabs(p.geotransform[0]) + (double)p.width * fabs(p.geotransform[1])) + 1e-12;
  piece.half_width = 0.5 * (double)(c1 - c0 - 1) * fabs(p.geotransform[1]) * (pi / 180.0) + error;
  piece.half_width = nearest > 0.0 ? piece.half_width + 0.5 * pi / nearest : pi;
  piece.span = (high - low) / n * (0.5 * pi);
  double stretch = 3.0 / (n * n) < 2.0 / 3.0 ? 3.0 / (n * n) : 2.0 / 3.0;
  piece.pad = 1.0 - sqrt(1.0 - stretch);
  if (p.eccentricity2 >= 0.0) piece.pad = p.eccentricity2 < 0.02 ? 1.1 * piece.pad : 10.0;
  bound_of_piece(piece, p.curvature, out);
}

} // namespace gv

#endif
