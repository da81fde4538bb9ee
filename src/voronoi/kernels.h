/*
 * The vector kernels of the tile engine: culling a list of candidates against a tile, and deciding the cells of a
 * leaf tile. One source (kernels_body.h), compiled once for each instruction set, chosen at run time.
 */
#ifndef GV_KERNELS_H
#define GV_KERNELS_H

#include "cells/grid.h"

/* Candidates of a tile, in ascending seed number; arrays are padded so that kernels may read and write
 * GV_CANDIDATE_PADDING entries past `count`. z is unused on the plane. */
typedef struct gv_candidates {
  double *x, *y, *z;
  int32_t *id; /* number among the distinct seeds */
  int32_t count;
} gv_candidates;

enum { GV_CANDIDATE_PADDING = 16 };

/* A leaf tile to decide cell by cell. Which of the position fields are set depends on the cells' shape. */
typedef struct gv_leaf {
  int32_t rows, columns;
  const double *column_x, *column_y; /* at the tile's first column (PLANE, LONLAT) */
  const double *row_p, *row_z;       /* at the tile's first row */
  const double *row_inverse;         /* 1 / row_p; geodesic LONLAT only */
  const double *x, *y, *z;           /* at the tile's first cell (POINTS) */
  int64_t point_stride;
  const gv_candidates *candidates;
  const double *label; /* value to write for each candidate; whole numbers in the range of int32, padded */
  double *scratch;     /* rows x (candidates + GV_CANDIDATE_PADDING) */
  int32_t *out;
  int64_t out_stride;
  /* Geodesic only: how much larger than all others q.s - |s|^2/2 must be for a cell to be decided, and the cells
   * that are not: entries row * columns + column, up to rows * columns of them. */
  double margin;
  int32_t *undecided;
  int32_t undecided_count;
} gv_leaf;

typedef void (*gv_leaf_kernel)(gv_leaf *leaf);

typedef struct gv_kernels {
  /* The candidate nearest `centre` by the squared euclidean distance (dim 2 or 3); ties to any. */
  int32_t (*nearest[4])(const gv_candidates *candidates, const double *centre);

  /*
   * Keeps candidate i unless (1 - slack) |s_i - m|^2 - 2 sum_k |g_k . (s_i - pivot)| > limit, in order (dim 2 or
   * 3). `out` may be `in`.
   */
  void (*cull[4])(const gv_candidates *in, const gv_bound *bound, const double *pivot, double slack, double limit,
                  gv_candidates *out);

  /* The same for the plane's other metrics against the box [low, high]; keeps i unless the pivot is nearer than i
   * by more than `limit` in the whole box. Index: GV_MANHATTAN, GV_CHEBYSHEV. */
  void (*cull_box[3])(const gv_candidates *in, const double low[2], const double high[2], const double *pivot,
                      double limit, gv_candidates *out);

  gv_leaf_kernel leaf_plane[3]; /* by plane metric: canonical distances, lowest wins, ties to the first */
  gv_leaf_kernel leaf_points2[3];
  gv_leaf_kernel leaf_points3; /* squared chord */
  gv_leaf_kernel leaf_lonlat;
  gv_leaf_kernel leaf_points3_filter; /* geodesic: by margin, else undecided */
  gv_leaf_kernel leaf_lonlat_filter;
} gv_kernels;

extern const gv_kernels gv_kernels_baseline;
#if defined(GV_HAVE_X86_KERNELS)
extern const gv_kernels gv_kernels_avx2;
extern const gv_kernels gv_kernels_avx512;
#endif

/* The kernels for this processor (gv_simd_level). */
const gv_kernels *gv_kernels_get(void);

#endif
