/*
 * The vector kernels of the tile engine: culling a list of candidates against a tile, and deciding the cells
 * of a leaf tile. One source (*kernels.c), compiled once for each instruction set, chosen at run time.
 */
#ifndef GV_KERNELS_H
#define GV_KERNELS_H

#include "cells/bound.h"
#include "cells/candidates.h"
#include "exact/distance.h"

/* A leaf tile to decide cell by cell. Which of the position fields are set depends on the cells' shape. */
typedef struct gv_leaf {
  int32_t rows, columns;
  const double *column_x, *column_y; /* at the tile's first column (PLANE, LONLAT) */
  const double *row_p, *row_z;       /* at the tile's first row */
  const double *row_inverse;         /* 1 / row_p; geodesic LONLAT only */
  const double *x, *y, *z;           /* at the tile's first cell (POINTS) */
  int64_t point_stride;
  const gv_candidates *candidates;
  /* value to write for each candidate; whole numbers in the range of int32, padded */
  const double *label;
  /* distances must be less than `start` to count; label if none is. Not geodesic */
  double start, empty_label;
  double *scratch; /* rows x (candidates + GV_CANDIDATE_PADDING) */
  int32_t *out;
  int64_t out_stride;
  int64_t band_stride; /* leaves with k > 1: between bands */
  /* Geodesic only: how much larger than all others q.s - |s|^2/2 must be for a cell to be decided, and the
   * cells that are not: entries row * columns + column, up to rows * columns of them. */
  double margin;
  int32_t *undecided;
  int32_t undecided_count;
} gv_leaf;

typedef void (*gv_leaf_kernel)(gv_leaf *leaf);

/* Whether a mask keeps, or leaves out, cells of a box; both bits if it does both. */
enum { GV_KEEPS_SOME = 1, GV_LEAVES_SOME = 2 };

/*
 * Leaves with more than one nearest seed, weights, or a limit that crosses the tile. A gv_k_nearest writes
 * the labels of the first `bands` candidates of every cell in the order of (value, number).
 */
enum {
  /* rows of matrices are padded to multiples of this: every instruction set's vectors fit */
  GV_STRIP_LANES = 8,
  GV_FEW = 9 /* neighbors that are kept in registers */
};

typedef struct gv_k_nearest {
  const gv_leaf *leaf;                /* positions, out, out_stride, band_stride */
  int32_t row, rows, column, columns; /* the part of it to process; starts and widths are multiples of
                                       * GV_STRIP_LANES */
  const gv_candidates *candidates;    /* in ascending number, or in any order with more than GV_FEW kept */
  const double *label;                /* of the candidates, as numbers */
  /* more than GV_FEW kept: what decides between equal values, the lower wins */
  const double *number;
  int32_t first, bands; /* bands to write: first, first + 1, ... */
  int32_t kept;         /* neighbors to find: bands, or one more for the gap after the last */
  /* values must be less than `start` to count; label where there is none */
  double start, empty_label;
  const double *matrix;  /* values of candidate i and cell c of the part: matrix[i * stride + c]; rows are */
  int32_t stride, width; /* padded to `width`. Or NULL: distances are the values; the kernels compute them */
  double *scratch;       /* more than GV_FEW kept: 3 * kept * GV_STRIP_LANES */
  /* Geodesic: cells where one of the values to be written is within `gap` of the next, or between `within`
   * and `beyond`, are marked in doubt[row * leaf->columns + column]; values above `beyond` have no label.
   * NULL: all cells are decided. */
  uint8_t *doubt;
  double gap, within, beyond;
} gv_k_nearest;

typedef void (*gv_k_nearest_kernel)(const gv_k_nearest *k_nearest);

/* Kernels of one form of position: the first GV_FEW by how many are kept, 0 for more. */
typedef struct gv_k_nearest_kernels {
  gv_k_nearest_kernel kept[GV_FEW + 1];
  /* Makes a matrix of distances for the part of the leaf that the ranking is about. */
  void (*measure)(const gv_k_nearest *k_nearest, double *matrix);
} gv_k_nearest_kernels;

/* A box of a mask. */
enum { GV_BOX_COLUMNS = 32, GV_BOX_ROWS = 16 };

struct gv_k_nearest_filter; /* k_nearest_filter.h */
struct gv_short_list;       /* short_list.h */

/* Culling of lists of candidates (cull_kernels.c). */
typedef struct gv_cull_kernels {
  /* The candidate nearest `center` by the squared euclidean distance (dim 2 or 3); ties to any. */
  int32_t (*nearest[4])(const gv_candidates *candidates, const double *center);

  /*
   * Keeps candidate i unless (1 - gv_cull_slack) |s_i - m|^2 - 2 sum_k |g_k . (s_i - pivot)| > limit, in
   * order (dim 2 or 3). `out` may be `in`.
   */
  void (*cull[4])(const gv_candidates *in, const gv_bound *bound, const double *pivot, double limit,
                  gv_candidates *out);

  /* The same for the plane's other metrics against the box [low, high]; keeps i unless the pivot is nearer
   * than i by more than `limit` in the whole box. Index: GV_MANHATTAN, GV_CHEBYSHEV. */
  void (*cull_box[3])(const gv_candidates *in, const double low[2], const double high[2], const double *pivot,
                      double limit, gv_candidates *out);

  /* Copies a list into another one that has the room. */
  void (*copy)(const gv_candidates *in, gv_candidates *out);

  /* Squared euclidean distances of all candidates from a point (dim 2 or 3). */
  void (*squares[4])(const gv_candidates *candidates, const double *center, double *out);

  /*
   * Culls against many pivots at once: keeps candidate i unless
   *   (1 - gv_cull_slack) |s_i - m|^2 - 2 sum_k max(g_k . (s_i - m) - low_k, high_k - g_k . (s_i - m)) >
   *   limit,
   * low and high being the range of g_k . (p - m) over the pivots p. `out` may be `in`.
   */
  void (*cull_pivots[4])(const gv_candidates *in, const gv_bound *bound, const double low[3],
                         const double high[3], double limit, gv_candidates *out);

  /* Keeps candidate i unless value[i] > limit. `out` may be `in`. */
  void (*cull_above[4])(const gv_candidates *in, const double *value, double limit, gv_candidates *out);

  /* Bounds of the exact distances (squared euclidean for dim 3) of all candidates from any cell of a tile
   * with positions that are good to `error`. */
  void (*bounds_plane[3])(const gv_candidates *candidates, const gv_bound *bound, double error, double *near,
                          double *far);
  void (*bounds_globe)(const gv_candidates *candidates, const gv_bound *bound, double error, double *near,
                       double *far);

  /* value[i] = gv_weigh(value[i]), or infinity where value[i] > limit; weight[i] if `each`, else weight[0]. n
   * values, padded to GV_STRIP_LANES; so are the weights. */
  void (*weigh)(const gv_weigher *weigher, double limit, int64_t n, double *value, const double *weight,
                bool each);
} gv_cull_kernels;

/* The k nearest by exact distances; infinite ones count as the largest double (k_nearest_kernels.h). */
typedef struct gv_k_nearest_table {
  const gv_k_nearest_kernels *plane, *points2;  /* by metric */
  const gv_k_nearest_kernels *points3, *lonlat; /* squared chord */
  const gv_k_nearest_kernels *matrix;           /* by a matrix of values; no `measure` */
} gv_k_nearest_table;

typedef struct gv_kernels {
  /* Writes a value into a rectangle of cells. */
  void (*fill)(int32_t *out, int64_t stride, int64_t rows, int64_t columns, int32_t value);

  /* The same where most cells hold that value already, as when a buffer is used for block after block: cells
   * are read, and written where that changes something. Reading a cache costs less than half of writing
   * it. */
  void (*clear)(int32_t *out, int64_t stride, int64_t rows, int64_t columns, int32_t value);

  /* Looks through a mask, a box of GV_BOX_ROWS x GV_BOX_COLUMNS cells at a time: box[row of boxes *
   * box_stride + column]. */
  void (*summarize)(const uint8_t *mask, int64_t stride, int64_t rows, int64_t columns, uint8_t *box,
                    int64_t box_stride);

  /* The box around `count` > 0 positions, none of them NaN: low x, y, z, high x, y, z. */
  void (*box)(double *const at[3], int64_t first, int64_t count, double box[6]);

  const gv_cull_kernels *culling;
  gv_k_nearest_table k_nearest;

  /* The k nearest in floats, and short lists in order; LONLAT and PLANE, squared distances. */
  uint64_t (*k_nearest_filter)(const struct gv_k_nearest_filter *filter);
  void (*short_list)(struct gv_short_list *list);

  gv_leaf_kernel leaf_plane[3]; /* by plane metric: exact distances, lowest wins, ties to the first */
  gv_leaf_kernel leaf_points2[3];
  gv_leaf_kernel leaf_points3; /* squared chord */
  gv_leaf_kernel leaf_lonlat;
  gv_leaf_kernel leaf_points3_filter; /* geodesic: by margin, else undecided */
  gv_leaf_kernel leaf_lonlat_filter;
} gv_kernels;

extern const gv_cull_kernels gv_cull_kernels_baseline, gv_cull_kernels_avx2, gv_cull_kernels_avx512;
#define GV_K_NEAREST_KERNELS_DECLARED(simd)                                                                  \
  extern const gv_k_nearest_kernels gv_k_nearest_plane_##simd[3], gv_k_nearest_points2_##simd[3],            \
      gv_k_nearest_points3_##simd, gv_k_nearest_lonlat_##simd, gv_k_nearest_matrix_##simd
GV_K_NEAREST_KERNELS_DECLARED(baseline);
GV_K_NEAREST_KERNELS_DECLARED(avx2);
GV_K_NEAREST_KERNELS_DECLARED(avx512);
#undef GV_K_NEAREST_KERNELS_DECLARED
GV_KERNEL_TABLE(gv_kernels);

#endif
