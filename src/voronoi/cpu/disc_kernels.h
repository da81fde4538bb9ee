/*
 * The vector kernels for discs (discs.h): rows of cells within the maximum distance of one seed. One source
 * (disc_kernels.c), compiled once for each instruction set, chosen at run time.
 */
#ifndef GV_DISC_KERNELS_H
#define GV_DISC_KERNELS_H

#include "core/core.h"

/* Values common to all discs of a grid; discs.h explains their use. */
typedef struct gv_disc_limit {
  double within, beyond; /* thresholds below and above which an ideal distance decides about the exact one */
  double gap;            /* beyond - within, and the rounding of values computed from them */
  double scale;          /* columns a unit of the plane, or a radian */
  double exact;          /* columns by which the end of a row is good where nothing else makes it worse */
} gv_disc_limit;

/* A seed: along columns and across them, on the plane (x, y), on the globe (distance from the axis, z). */
typedef struct gv_disc {
  double along, across;
  double middle; /* where it is among the columns of a strip */
  int32_t label;
} gv_disc;

/* Rows of cells that a disc is painted on. */
enum { GV_DISC_ROWS = 64 };
typedef struct gv_disc_strip {
  const double *row_p, *row_inverse; /* of the first row, padded; not on the plane */
  const double *row_z;
  int32_t rows, columns; /* GV_DISC_ROWS at most */
  /* Error of the ends of rows in columns; shares (globe: of the full turn; else of the limit) less than
   * `grazing`, and as close to the full turn, have the larger one. */
  double tight, loose, grazing;
  int32_t *out;
  int64_t out_stride;
  int32_t open[GV_DISC_ROWS], open_count; /* rows that are left to others */
} gv_disc_strip;

/* Writes the label into the cells of the rows with ends that can be decided at once. */
typedef void (*gv_disc_kernel)(const gv_disc_limit *limit, const gv_disc *disc, gv_disc_strip *strip);

typedef struct gv_disc_kernels {
  gv_disc_kernel globe;    /* squared chords */
  gv_disc_kernel plane[3]; /* by metric */
} gv_disc_kernels;

GV_KERNEL_TABLE(gv_disc_kernels);

#endif
