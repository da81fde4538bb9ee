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
  double *of_row; /* by row, rows further on and columns further east */
  gv_allocator allocator;
} gv_cost_lengths;

gv_status gv_cost_lengths_make(gv_context *context, const gv_cost_options *options, gv_cost_lengths *out);
void gv_cost_lengths_free(gv_cost_lengths *lengths);

/* The center of a cell; a row's latitude stays on the globe. */
void gv_cost_center(const gv_cost_options *options, int64_t column, int64_t row, double out[2]);

/* The reported distance of two positions. */
double gv_cost_length(const gv_cost_lengths *lengths, const double p[2], const double q[2]);

/* The length of a move between rows `row` and `row` + `rows`, rows >= 0, by `columns`. */
static inline double gv_cost_length_at(const gv_cost_lengths *lengths, int64_t row, int rows, int columns) {
  enum { SIDE = GV_COST_LONGEST + 1 };
  return lengths->of_row[(row * SIDE + rows) * SIDE + columns];
}

#endif
