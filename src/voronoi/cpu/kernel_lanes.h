/* What the kernels of lists of candidates and of leaves share. */
#ifndef GV_KERNEL_LANES_H
#define GV_KERNEL_LANES_H

#include "core/simd/vectors.h"
#include "voronoi/cpu/kernels.h"

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

enum { FORM_PLANE, FORM_LONLAT, FORM_POINTS2, FORM_POINTS3 };

GV_INLINE vd norm_of(const int metric, vd difference) {
  return metric == GV_EUCLIDEAN ? difference * difference : vd_abs(difference);
}

GV_INLINE vd norm_join(const int metric, vd a, vd b) {
  return metric == GV_CHEBYSHEV ? vd_max(a, b) : a + b;
}

/* Writes the labels of some vectors of cells from column j; those beyond the tile's last column are dropped. */
GV_INLINE void store_labels(const int vectors, const vd *label, int32_t *out, int32_t j, int32_t columns) {
  if (j + vectors * VD_LANES <= columns) {
    for (int v = 0; v < vectors; v++)
      vd_store_int32(out + j + v * VD_LANES, label[v]);
    return;
  }
  int32_t tail[VD_GROUP * VD_LANES];
  for (int v = 0; v < vectors; v++)
    vd_store_int32(tail + v * VD_LANES, label[v]);
  memcpy(out + j, tail, (size_t)(columns - j) * sizeof *tail);
}

#endif
