/*
 * Positions of the cells of lists (HEALPix, S2, places): a table of them along a curve, in which spans of
 * 2^log cells are the tiles of a level, with the box around each.
 */
#ifndef GV_GPU_PLACES_CUH
#define GV_GPU_PLACES_CUH

#include "voronoi/gpu/positions.cuh"

namespace gv {

/* The position at a place of the curve; NaN: the cell has none. */
__device__ static inline place place_along(const problem &p, int64_t at) {
  return {__ldg(p.places + at), __ldg(p.places + p.width + at), __ldg(p.places + 2 * p.width + at)};
}

template <>
__device__ inline void tile_bound<PLACES>(const problem &p, int log, int64_t i, int64_t j, bound *out) {
  (void)j;
  const double rounding = 0x1p-50;
  const place_box &box = p.boxes[log][i];
  double half[3], middle[3];
  for (int d = 0; d < 3; d++) {
    middle[d] = 0.5 * (box.low[d] + box.high[d]);
    half[d] = 0.5 * (box.high[d] - box.low[d]) + rounding;
  }
  out->middle = {middle[0], middle[1], middle[2]};
  out->generator[0] = {half[0], 0.0, 0.0};
  out->generator[1] = {0.0, half[1], 0.0};
  out->generator[2] = {0.0, 0.0, half[2]};
  out->radius = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]) * (1.0 + 1e-12);
}

} // namespace gv

#endif
