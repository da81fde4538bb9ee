/* The raster of a search, with margins of barriers, so that no move leaves its memory. */
#ifndef GV_COST_RASTER_H
#define GV_COST_RASTER_H

#include <math.h>

#include "cost/cost.h"
#include "cost/lengths.h"

enum { GV_COST_MARGIN = 3 /* cells on each side: the longest move */ };

struct gv_cost {
  gv_cost_options is;
  gv_allocator allocator;
  int64_t stride, cells; /* with margins */
  bool wraps;
  gv_cost_lengths lengths;
  double *friction, *cost;
  int32_t *seed;
  bool overflows; /* a sum of costs did */
};

static inline int64_t gv_cost_at(const gv_cost *c, int64_t column, int64_t row) {
  return (row + GV_COST_MARGIN) * c->stride + column + GV_COST_MARGIN;
}

/* The cell that is meant by one of the margins at the sides: the same, or that on the other side of the seam. */
static inline int64_t gv_cost_wrapped(const gv_cost *c, int64_t column, int64_t at) {
  if (!c->wraps) return at;
  return column < 0 ? at + c->is.width : column >= c->is.width ? at - c->is.width : at;
}

/* Both of the cells beside a corner are barriers. */
static inline bool gv_cost_closed(double one, double other) {
  return isnan(one) && isnan(other);
}

#endif
