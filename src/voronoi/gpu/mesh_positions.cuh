/*
 * Positions and bounds on the QTM mesh: those of cells/lattice.h, from a table of the mesh's parallels.
 */
#ifndef GV_MESH_POSITIONS_CUH
#define GV_MESH_POSITIONS_CUH

#include "cells/lattice.h"
#include "voronoi/gpu/mesh_parts.cuh"
#include "voronoi/gpu/positions.cuh"

namespace gv {

/* A vector of octant 1, turned to where it is in another one. */
__device__ static inline place turned(int32_t octant, place at) {
  gv_lattice_turn(octant, &at.x, &at.y, &at.z);
  return at;
}

__device__ static inline parallel parallel_at(const problem &p, int32_t row) {
  const double2 *from = reinterpret_cast<const double2 *>(p.parallels + row);
  double2 unit = __ldg(from), place = __ldg(from + 1);
  return {unit.x, unit.y, place.x, place.y};
}

/* The direction of a cell's center (a part of one cell) in octant 1. */
__device__ static place direction_in_octant(const problem &p, const part &cell) {
  bool down = (cell.state & DOWN) != 0;
  int32_t pair = down ? cell.top : cell.top + 1, single = down ? cell.top + 1 : cell.top, east = cell.first;
  parallel two = parallel_at(p, pair), one = parallel_at(p, single);
  place at;
  const gv_lattice_parallel a = {pair, two.cosine, two.sine}, b = {single, one.cosine, one.sine};
  gv_lattice_center(&a, east, &b, down ? east + 1 : east, &at.x, &at.y, &at.z);
  return at;
}

/* The canonical position of a cell. */
__device__ static place center_of(const problem &p, const part &cell) {
  place at = direction_in_octant(p, cell);
  gv_lattice_place(p.eccentricity2, &at.x, &at.y, &at.z);
  return turned(cell.octant, at);
}

__device__ static void mesh_bound(const problem &p, const part &t, bound *out) {
  int32_t cells = 1 << t.bits;
  double n = (double)(1 << p.mesh_level), side = (double)cells, first = (double)t.first;
  double row = (double)(t.state & DOWN ? t.top : t.top + cells); /* the one with the most columns */
  double low = first / row, high = (first + side) / row;
  parallel upper = parallel_at(p, t.top), lower = parallel_at(p, t.top + cells);
  gv_globe_piece piece;
  piece.p[0] = upper.p;
  piece.z[0] = upper.z;
  piece.p[1] = lower.p;
  piece.z[1] = lower.z;
  if (t.bits > 0) {
    parallel middle = parallel_at(p, t.top + cells / 2);
    piece.sin_lat = middle.sine;
    piece.cos_lat = middle.cosine;
  } else {
    gv_sines(90.0 * (n - (double)t.top - 0.5) / n, &piece.sin_lat, &piece.cos_lat);
  }
  gv_sines(45.0 * (low + high), &piece.sin_lon, &piece.cos_lon);
  gv_lattice_piece(n, side, low, high, p.curvature, p.eccentricity2, &piece);
  bound_from(piece, out);
  out->middle = turned(t.octant, out->middle);
  for (int k = 0; k < 3; k++)
    out->generator[k] = turned(t.octant, out->generator[k]);
}

template <>
__device__ inline void tile_bound<MESH>(const problem &p, int log, int64_t i, int64_t j, bound *out) {
  (void)j;
  mesh_bound(p, part_at(p.mesh_level, log / 2, i), out);
}

} // namespace gv

#endif
