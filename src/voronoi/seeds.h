/*
 * The seeds of a grid: their positions, without duplicates that are never returned: of the seeds at one place
 * (and of one weight, if there are weights) the k with the lowest numbers are kept.
 */
#ifndef GV_SEEDS_H
#define GV_SEEDS_H

#include "cells/grid.h"
#include "geodesic/geodesic.h"

typedef struct gv_seed_set {
  int64_t total;     /* of the caller */
  int32_t count;     /* seeds kept */
  int32_t *number;   /* count, ascending: their numbers */
  int32_t *distinct; /* total: the kept seed at the place of a seed; NULL when all are kept */
  /* count: the first kept seed at the place of a kept seed; NULL when one of each place is kept */
  int32_t *site;
  double *x, *y, *z; /* canonical positions of those kept; z NULL on the plane */
  double *lon, *lat; /* geodesic only: normalized degrees */
  double *weight;    /* NULL without weights */
  gv_allocator allocator;
} gv_seed_set;

/* Checks and copies. `copies`: how many seeds of one place are kept (k); 0 = all, number[i] = i, for the
 * reference engine. `weights` has a value for each seed, or is NULL; the caller checks them. Errors:
 * INVALID_ARGUMENT (names the first bad seed), OUT_OF_MEMORY. */
gv_status gv_seed_set_init(gv_context *context, const gv_cells *cells, const gv_points *seeds,
                           const double *weights, int32_t copies, gv_seed_set *out);
/* Numbers and weights only, of seeds with places stored elsewhere. Errors: OUT_OF_MEMORY. */
gv_status gv_seed_set_numbers(gv_context *context, int32_t count, const double *weights, gv_seed_set *out);

/* Where they are, for geodesics. */
static inline gv_lonlats gv_seed_lonlats(const gv_seed_set *set) {
  gv_lonlats places = {set->lon, set->lat};
  return places;
}

void gv_seed_set_clear(gv_seed_set *set);

#endif
