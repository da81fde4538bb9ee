/*
 * Positions and bounds on the QTM mesh, made as cells/mesh.c makes them, in the same order of operations, hence the same
 * bits.
 */
#ifndef GV_MESH_POSITIONS_CUH
#define GV_MESH_POSITIONS_CUH

#include "voronoi/gpu/bounds.cuh"
#include "voronoi/gpu/mesh_parts.cuh"

namespace gv {

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

} // namespace gv

#endif
