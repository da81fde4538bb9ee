/* Lengths of moves, by the row that they begin in. */
#ifndef GV_COST_LENGTHS_H
#define GV_COST_LENGTHS_H

#include "cost/cost.h"
#include "exact/distance.h"
#include "geodesic/geodesic.h"

enum { GV_COST_LONGEST = 3 /* columns and rows */ };

typedef struct gv_cost_lengths {
  gv_metric metric;
  gv_ellipsoid ellipsoid;
  gv_weigher weigher;
  gv_geodesic geodesic;
  double *of_row; /* by row, from three above the first one on, rows further on and columns further east:
                     lengths by the divisor of the move's formula */
  gv_allocator allocator;
} gv_cost_lengths;

gv_status gv_cost_lengths_make(gv_context *context, const gv_cost_settings *options, gv_cost_lengths *out);
void gv_cost_lengths_free(gv_cost_lengths *lengths);

/* The center of a cell; a row's latitude stays on the globe. */
void gv_cost_center(const gv_cost_settings *options, int64_t column, int64_t row, double out[2]);

/* The reported distance of two positions. */
double gv_cost_length(const gv_cost_lengths *lengths, const double p[2], const double q[2]);

/* Of the moves that begin or end in `row`, for gv_cost_of_moves. */
static inline const double *gv_cost_lengths_of(const gv_cost_lengths *lengths, int64_t row) {
  enum { SIDE = GV_COST_LONGEST + 1 };
  return lengths->of_row + (row + GV_COST_LONGEST) * SIDE * SIDE;
}

#endif
