/*
 * Canonical distances of points: the one definition of what is compared. Euclidean ones are squares; users see their roots.
 */
#ifndef GV_CANONICAL_H
#define GV_CANONICAL_H

#include <math.h>

#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The largest canonical value whose reported distance is <= limit: for euclidean the largest x with sqrt(x) <= limit. */
double gv_largest_canonical(double limit, gv_metric metric);

/* The canonical distance of two points; inlined into every backend so that there is one definition. */
static inline double gv_canonical_distance(const double *q, const double *s, int32_t dim, gv_metric metric) {
  double total = 0.0;
  switch (metric) {
  case GV_MANHATTAN:
    for (int32_t d = 0; d < dim; d++)
      total += fabs(q[d] - s[d]);
    return total;
  case GV_CHEBYSHEV:
    for (int32_t d = 0; d < dim; d++) {
      double a = fabs(q[d] - s[d]);
      total = a > total ? a : total;
    }
    return total;
  default:
    for (int32_t d = 0; d < dim; d++) {
      double a = q[d] - s[d];
      total += a * a;
    }
    return total;
  }
}

#ifdef __cplusplus
}
#endif

#endif
