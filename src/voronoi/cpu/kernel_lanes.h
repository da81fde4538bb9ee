/* Shared by the kernels of lists of candidates and of leaves. */
#ifndef GV_KERNEL_LANES_H
#define GV_KERNEL_LANES_H

#include "exact/lanes.h"
#include "voronoi/cpu/kernels.h"

/* Appends the candidates i ... of `in` with their bit set; returns the new count. */
GV_INLINE int32_t keep_lanes(const int dim, const gv_candidates *in, int32_t i, unsigned keep,
                             gv_candidates *out, int32_t count) {
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

/* Places, or ways between them, in two dimensions or three. */
typedef struct vd_place {
  vd x, y, z;
} vd_place;

/* The same in all lanes. */
GV_INLINE vd_place place_all(const int dim, const double *p) {
  return (vd_place){vd_all(p[0]), vd_all(p[1]), vd_all(dim == 3 ? p[2] : 0.0)};
}

/* From a place to the candidates i ... of a list. */
GV_INLINE vd_place place_from(const int dim, const gv_candidates *c, int32_t i, vd_place p) {
  vd x = vd_load(c->x + i) - p.x, y = vd_load(c->y + i) - p.y;
  return (vd_place){x, y, dim == 3 ? vd_load(c->z + i) - p.z : p.z};
}

GV_INLINE vd square_of(const int dim, vd_place v) {
  return vd_square(dim, v.x, v.y, v.z);
}

GV_INLINE vd dot_of(const int dim, const double *g, vd_place v) {
  return vd_dot(dim, g[0], g[1], g[2], v.x, v.y, v.z);
}

enum { FORM_PLANE, FORM_LONLAT, FORM_POINTS2, FORM_POINTS3 };

/* Where the cells from a column of a row of a leaf are; z in three dimensions only. */
GV_INLINE vd_place place_cells(const int form, const gv_leaf *leaf, int32_t row, int32_t column) {
  vd_place q;
  if (form == FORM_PLANE) {
    q.x = vd_load(leaf->column_x + column);
    q.y = q.z = vd_all(leaf->row_z[row]);
  } else if (form == FORM_LONLAT) {
    vd p = vd_all(leaf->row_p[row]);
    q.x = p * vd_load(leaf->column_x + column);
    q.y = p * vd_load(leaf->column_y + column);
    q.z = vd_all(leaf->row_z[row]);
  } else {
    int64_t cell = row * leaf->point_stride + column;
    q.x = vd_load(leaf->x + cell);
    q.y = q.z = vd_load(leaf->y + cell);
    if (form == FORM_POINTS3) q.z = vd_load(leaf->z + cell);
  }
  return q;
}

/* Writes the labels of some vectors of cells from column j; those outside the tile's last column are
 * dropped. */
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
