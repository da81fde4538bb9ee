/*
 * Pairs of a cell and a seed, many at a time, for the vector kernels of distances and directions. Arrays are
 * read and written up to the next multiple of GV_PAIR_PADDING values.
 */
#ifndef GV_PAIRS_H
#define GV_PAIRS_H

#include <stdint.h>

enum { GV_PAIR_PADDING = 8 };

/* Places of n cells and of their n seeds: the positions used for the labels. z is not used on the plane. */
typedef struct gv_pairs {
  int64_t n;
  const double *x, *y, *z;
  const double *seed_x, *seed_y, *seed_z;
} gv_pairs;

/* The direction of north at the cells: cosine and sine of the longitude, distance from the axis. */
typedef struct gv_norths {
  const double *cosine, *sine, *p;
} gv_norths;

#endif
