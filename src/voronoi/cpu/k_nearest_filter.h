/*
 * The k nearest of the cells of a leaf in floats, for squared distances and positions that are products of
 * a value by column and a value by row (PLANE, LONLAT). Rows of the leaf that floats leave undecided are
 * decided by exact distances (kernels.h).
 *
 * Let m be the leaf's middle cell, p the first candidate, D = s - p, K = D . ((s - m) + (p - m)). Then
 *   h(q) = (|q - s|^2 - |q - p|^2) / 2 = K / 2 - (q - m) . D
 * orders the candidates as their distances do. With q = (P X, P Y, Z), P and Z by row, X and Y by column,
 *   (q - m) . D = P [(X - X0) Dx + (Y - Y0) Dy] + [(P - P0) (X0 Dx + Y0 Dy) + (Z - Z0) Dz],
 * a term by row and one by column, made in double: one fused multiply-add a cell and candidate. (Plane: P
 * = 1, q = (X, Z).) The lowest bits of the result are replaced by the candidate's number, so that sorting
 * needs minima and maxima only.
 *
 * The margin. All is scaled by 1 / G, where G = |K| / 2 + 3 R |D|, the largest of all candidates, and no
 * cell is farther than R from m: the term by row is at most |K| / 2 + R |D| (the cell of the row in m's
 * column is in the leaf), P times the term by column at most 2 R |D| (two cells of one row). With u =
 * 2^-24, both terms, P, the product and the difference are rounded once each, so a value is off by at most
 * 4.1 u, and n bits for the number take 2 (2^n - 1) u more. So values that are apart by more than (10 + 4
 * 2^n) u, the rounding of that difference included, are in the right order.
 *
 * Exact squared distances are off by at most 1.8 e L w + 2.5 e w^2 (e = 2^-52, L the size of positions on
 * the globe; 0 on the plane, where the tables are the positions; w >= |s - q|), the double arithmetic
 * above by 1.5 e L w + 30 e w^2: for two values, 4e-14 (L w + w^2) is more than twice that, 1e-30 L^2
 * covers the rest. Geodesics add their slack (cull.h).
 *
 * Gain: without it `-k 3` of 7,700 airports, 21600x10800, takes 1.35 times the CPU time, `-k 4` of 10,000
 * seeds 1.34.
 */
#ifndef GV_K_NEAREST_FILTER_H
#define GV_K_NEAREST_FILTER_H

#include "voronoi/cpu/kernels.h"

enum {
  GV_FILTER_MOST = 16, /* candidates */
  GV_FILTER_BANDS = 8, /* that are written */
  GV_FILTER_ROWS = 64, /* of a leaf, at most */
  GV_FILTER_COLUMNS = 64
};

static const uint64_t GV_FILTER_NONE = UINT64_MAX; /* rows left open: all */

typedef struct gv_k_nearest_filter {
  const gv_leaf *leaf; /* positions, out, out_stride, band_stride */
  bool globe;          /* LONLAT; else PLANE */
  int32_t first;       /* bands to write: first ... first + bands - 1; no more than `count` */
  int32_t bands;
  const gv_bound *bound;           /* of the leaf */
  double slack;                    /* how far apart squared distances must be at least */
  const gv_candidates *candidates; /* up to GV_FILTER_MOST */
  const int32_t *place;            /* the candidates to sort, in any order */
  int32_t count;                   /* of those, 2 or more */
  int32_t label[GV_FILTER_MOST];   /* of those */
} gv_k_nearest_filter;

/* Writes the labels of all cells. Bit r of the result is set if a cell of row r is left undecided; its labels
 * may be wrong. */
typedef uint64_t gv_k_nearest_filter_kernel(const gv_k_nearest_filter *filter);
gv_k_nearest_filter_kernel gv_k_nearest_filter_baseline, gv_k_nearest_filter_avx2, gv_k_nearest_filter_avx512;

#endif
