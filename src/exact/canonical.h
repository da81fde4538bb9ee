/*
 * Canonical distances of points: the one definition of what is compared. Euclidean ones are squares; users see their roots.
 */
#ifndef GV_CANONICAL_H
#define GV_CANONICAL_H

#include <stdbool.h>

#include "gpuvoronoi.h"

#include "exact/text/as_numbers.h"

#include "exact/text/norms.h"

#include "exact/text/end.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The largest canonical value whose reported distance is <= limit: for euclidean the largest x with sqrt(x) <= limit. */
double gv_largest_canonical(double limit, gv_metric metric);

GV_BOTH double gv_distance_by(const double *q, const double *s, int32_t dim, const int metric) {
  double total = 0.0;
  GV_UNROLL_4
  for (int32_t d = 0; d < dim; d++)
    total = gv_norm_join(metric, gv_norm_of(metric, q[d] - s[d]), total);
  return total;
}

/* The canonical distance of two points; inlined into every backend so that there is one definition. */
GV_BOTH double gv_canonical_distance(const double *q, const double *s, int32_t dim, gv_metric metric) {
  switch (metric) {
  case GV_MANHATTAN:
    return gv_distance_by(q, s, dim, GV_MANHATTAN);
  case GV_CHEBYSHEV:
    return gv_distance_by(q, s, dim, GV_CHEBYSHEV);
  default:
    return gv_distance_by(q, s, dim, GV_EUCLIDEAN);
  }
}

#ifdef __cplusplus
}
#endif

#endif
