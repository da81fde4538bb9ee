/* Lists of candidates in vectors. Include it after a header of core/simd/. */
#ifndef GV_KEEP_LANES_H
#define GV_KEEP_LANES_H

#include "voronoi/cpu/kernels.h"

#define GV_INLINE static inline __attribute__((always_inline))

/* Appends the candidates i ... of `in` whose bit is set; returns the new count. */
GV_INLINE int32_t keep_lanes(const int dim, const gv_candidates *in, int32_t i, unsigned keep, gv_candidates *out,
                             int32_t count) {
  int32_t left = in->count - i;
  keep &= (1U << (left < VD_LANES ? left : VD_LANES)) - 1U;
  if (keep != 0) {
    vd x = vd_load(in->x + i), y = vd_load(in->y + i);
    vd_compress(out->x + count, keep, x);
    vd_compress(out->y + count, keep, y);
    if (dim == 3) vd_compress(out->z + count, keep, vd_load(in->z + i));
    vd_compress_int32(out->id + count, keep, in->id + i);
    count += __builtin_popcount(keep);
  }
  return count;
}

#endif
