/* The seeds of a grid: canonical positions, exact duplicates collapsed to their lowest number. */
#ifndef GV_SEEDS_H
#define GV_SEEDS_H

#include "cells/grid.h"

typedef struct gv_seed_set {
  int64_t total;     /* as given */
  int32_t count;     /* distinct positions, in ascending order of their lowest seed number */
  int32_t *number;   /* count: that lowest seed number */
  int32_t *distinct; /* total: which distinct seed a seed number is; NULL when all seeds are distinct */
  double *x, *y, *z; /* canonical position of each distinct seed; z NULL on the plane */
  double *lon, *lat; /* geodesic only: normalised degrees */
  gv_allocator allocator;
} gv_seed_set;

/* Checks and copies. With distinct false nothing is collapsed (number[i] = i): the reference engine wants it so.
 * Errors: INVALID_ARGUMENT (names the first bad seed), OUT_OF_MEMORY. */
gv_status gv_seed_set_init(gv_context *context, const gv_cells *cells, const gv_seeds *seeds, bool distinct,
                           gv_seed_set *out);
void gv_seed_set_clear(gv_seed_set *set);

#endif
