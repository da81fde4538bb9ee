/*
 * The QTM mesh as a tree of sub-triangles ("parts"): their cells' canonical positions, many at a time, and
 * bounds.
 *
 * A part of 2^bits cells a side has 4^bits cells, and their numbers (gv_qtm_number) are one span. Within an
 * octant the cells lie in rows, counted from the pole, and in each row in places from the west: cell 2 j
 * points to the pole between the vertices j and j + 1 of the row's lower parallel, cell 2 j + 1 away from it.
 * Row r has 2 r + 1 cells.
 */
#ifndef GV_MESH_H
#define GV_MESH_H

#include "cells/bound.h"
#include "cells/qtm.h"
#include "exact/globe.h"

typedef struct gv_mesh_part {
  int level; /* of the cells */
  int bits;  /* 2^bits cells a side */
  int octant;
  bool down;        /* points away from its pole */
  int32_t least[3]; /* smallest pole, west and east coordinate of its corners, in the cells' lattice */
  int8_t basis[3];  /* basis number of the corner towards (up) or away from (down) the octant's corner of that
                       role */
  int64_t first;    /* number of its first cell */
} gv_mesh_part;

/* Leaves have up to 2^GV_MESH_LEAF_BITS cells a side. */
enum { GV_MESH_LEAF_BITS = 3, GV_MESH_LEAF_CELLS = 1 << 2 * GV_MESH_LEAF_BITS };

static inline int64_t gv_mesh_part_count(const gv_mesh_part *part) {
  return INT64_C(1) << 2 * part->bits;
}

/* Child 0 ... 3 of a part with bits > 0. */
void gv_mesh_part_child(const gv_mesh_part *part, int child, gv_mesh_part *out);

/* The part of 2^bits cells a side of `level` that begins with cell number `index` x 4^bits. bits <= level. */
void gv_mesh_part_at(int level, int bits, int64_t index, gv_mesh_part *out);

/* Row of the part's first cells (those nearest its pole), from the octant's pole. */
static inline int64_t gv_mesh_part_row(const gv_mesh_part *part) {
  return (int64_t)part->least[GV_QTM_WEST] + part->least[GV_QTM_EAST] +
         (part->down ? INT64_C(1) << part->bits : 0);
}

/* Where the cells of a leaf lie, by packed order. */
typedef struct gv_mesh_order {
  uint8_t number[GV_MESH_LEAF_CELLS]; /* number - part->first */
  uint8_t row[GV_MESH_LEAF_CELLS];    /* row - gv_mesh_part_row */
  int8_t place[GV_MESH_LEAF_CELLS];   /* place in the row - 2 x least[EAST] */
} gv_mesh_order;

/* Orders for all sizes and orientations of leaves. */
typedef struct gv_mesh_orders {
  gv_mesh_order of[GV_MESH_LEAF_BITS + 1][2][6];
} gv_mesh_orders;

/* Those, and the kernels of this CPU. */
typedef struct gv_mesh_tables {
  const struct gv_globe_kernels *kernels;
  const gv_mesh_orders *orders;
} gv_mesh_tables;

/*
 * Positions of the cells of a leaf (bits <= GV_MESH_LEAF_BITS) in packed order: cells with the part's
 * orientation, row by row from its pole and from west to east, then the others in the same order. With an
 * ellipsoid they are places on it, in units of a, with the center's unit vector as surface normal. Arrays
 * have room for GV_MESH_LEAF_CELLS + GV_TABLE_PADDING values, and are written that far.
 */
void gv_mesh_positions(const gv_mesh_tables *tables, const gv_mesh_part *leaf, const gv_ellipsoid *ellipsoid,
                       double *x, double *y, double *z);

/* Canonical position of one cell: x, y, z as of gv_mesh_positions, then its longitude and latitude in
 * degrees. */
void gv_mesh_center(gv_qtm_id id, const gv_ellipsoid *ellipsoid, double center[5]);

/* A zonotope that holds the canonical positions of all cells of a part; `curvature` as in gv_cells. */
void gv_mesh_bound(const gv_mesh_tables *tables, const gv_mesh_part *part, const gv_ellipsoid *ellipsoid,
                   double curvature, gv_bound *out);

void gv_mesh_tables_init(gv_mesh_tables *tables);
const gv_mesh_order *gv_mesh_order_of(const gv_mesh_tables *tables, const gv_mesh_part *leaf);

/* Canonical positions of `count` cells from number `first` on, in the order of numbers; lon and lat (degrees,
 * as gv_qtm_center) may both be NULL. */
void gv_mesh_number_positions(const gv_mesh_tables *tables, int level, const gv_ellipsoid *ellipsoid,
                              int64_t first, int64_t count, double *x, double *y, double *z, double *lon,
                              double *lat);

#endif
