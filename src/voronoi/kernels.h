/*
 * The vector kernels of the tile engine: culling a list of candidates against a tile, and deciding the cells of a
 * leaf tile. One source (kernels_body.h), compiled once for each instruction set, chosen at run time.
 */
#ifndef GV_KERNELS_H
#define GV_KERNELS_H

#include "cells/grid.h"
#include "voronoi/distance.h"

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
  int64_t band_stride; /* ranked leaves: between ranks */
  /* Geodesic only: how much larger than all others q.s - |s|^2/2 must be for a cell to be decided, and the cells
   * that are not: entries row * columns + column, up to rows * columns of them. */
  double margin;
  int32_t *undecided;
  int32_t undecided_count;
} gv_leaf;

typedef void (*gv_leaf_kernel)(gv_leaf *leaf);

/*
 * Ranked leaves: more than the one nearest seed, weights, a limit that runs through the tile. In steps over a rectangle
 * of a leaf's cells: `measure` makes a matrix of canonical distances of some candidates, `weigh` turns them into what is
 * compared, `keep` ranks them. Cells are numbered row by row, rows are padded to whole vectors.
 */
enum {
  GV_STRIP_LANES = 8, /* rows are padded to multiples of this: every instruction set's vectors fit */
  GV_MOST_KEPT = 9    /* values a cell that `keep` can rank */
};

typedef struct gv_strip {
  int32_t row, rows, column, columns; /* within the leaf */
  int32_t width;                      /* of a padded row */
  int32_t stride;                     /* >= rows * width; a multiple of GV_STRIP_LANES */
  double *matrix;                     /* of candidate i and cell c: matrix[i * stride + c] */
  double *value, *label;              /* what is kept, best first: value[n * stride + c] */
} gv_strip;

/* Canonical distances of the candidates [first, first + count); infinite ones become the largest double. */
typedef void (*gv_measure_kernel)(const gv_leaf *leaf, const gv_candidates *candidates, int32_t first,
                                  int32_t count, const gv_strip *strip);

/* Adds the candidates of the matrix to the `kept` best of every cell; equal values go to the one that came first. With
 * `fresh` nothing is kept yet: values start at `start`, which stays for good where nothing is less, and labels at
 * `nobody`. */
typedef void (*gv_keep_kernel)(const gv_strip *strip, int32_t count, const double *label, bool fresh, double start,
                               double nobody);

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

  /* Squared euclidean distances of all candidates from a point (dim 2 or 3). */
  void (*squares[4])(const gv_candidates *candidates, const double *centre, double *out);

  /*
   * Culls against many pivots at once: keeps candidate i unless
   *   (1 - slack) |s_i - m|^2 - 2 sum_k max(g_k . (s_i - m) - low_k, high_k - g_k . (s_i - m)) > limit,
   * low and high being the range of g_k . (p - m) over the pivots p. `out` may be `in`.
   */
  void (*cull_pivots[4])(const gv_candidates *in, const gv_bound *bound, const double low[3], const double high[3],
                         double slack, double limit, gv_candidates *out);

  /* Keeps candidate i unless value[i] > limit. `out` may be `in`. */
  void (*cull_above[4])(const gv_candidates *in, const double *value, double limit, gv_candidates *out);

  /* Bounds of the canonical distances (squared euclidean for dim 3) of all candidates from any cell of a tile whose
   * positions are good to `error`. */
  void (*span_plane[3])(const gv_candidates *candidates, const gv_bound *bound, double error, double *near,
                        double *far);
  void (*span_globe)(const gv_candidates *candidates, const gv_bound *bound, double error, double *near,
                     double *far);

  gv_measure_kernel measure_plane[3]; /* by plane metric */
  gv_measure_kernel measure_points2[3];
  gv_measure_kernel measure_points3; /* squared chord */
  gv_measure_kernel measure_lonlat;

  /* value[i] = gv_weigh(value[i]), or infinity where value[i] > limit; weight[i] if `each`, else weight[0]. n values,
   * padded to GV_STRIP_LANES; so are the weights. */
  void (*weigh)(const gv_weigher *weigher, double limit, int64_t n, double *value, const double *weight, bool each);

  gv_keep_kernel keep[GV_MOST_KEPT + 1]; /* by how many are kept, from 1 */

  /* Labels of rank n of a strip as numbers, to the leaf's cell (0, 0) at `out`. */
  void (*store)(const gv_strip *strip, int32_t n, int32_t *out, int64_t out_stride);

  /* Marks cells where one of the first `ranks` values is within `gap` of the next (of `kept`), or between `within` and
   * `beyond`; labels of values beyond it become `nobody`. mark: rows x leaf columns of the leaf. */
  void (*doubt)(const gv_strip *strip, int32_t ranks, int32_t kept, double gap, double within, double beyond,
                double nobody, uint8_t *mark, int32_t mark_stride);

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
