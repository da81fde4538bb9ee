/*
 * Exact distances of points: the single definition of the compared values. Euclidean ones are squares; their
 * roots are reported.
 */
#ifndef GV_CANONICAL_H
#define GV_CANONICAL_H

#include <stdbool.h>

#include "gpuvoronoi/gpuvoronoi.h"

#include "exact/shared/as_numbers.h"

#include "exact/shared/norms.h"
#include "exact/shared/products.h"

#include "exact/shared/end.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The largest compared value with a reported distance <= limit: for euclidean the largest x with sqrt(x) <=
 * limit. */
double gv_largest_canonical(double limit, gv_metric metric);
/* The same for GV_MINKOWSKI. */
double gv_largest_power(double limit, double power);

/* The exact distance of two points, inlined into every backend so that there is one definition, for any type
 * of the second: widening is exact. */
#define GV_CANONICAL_DISTANCE(NAME, TYPE)                                                                    \
  GV_BOTH double NAME##_by(const double *q, const TYPE *s, int32_t dim, const int metric) {                  \
    double total = 0.0;                                                                                      \
    GV_UNROLL_4                                                                                              \
    for (int32_t d = 0; d < dim; d++)                                                                        \
      total = gv_norm_join(metric, gv_norm_of(metric, q[d] - (double)s[d]), total);                          \
    return total;                                                                                            \
  }                                                                                                          \
  GV_BOTH double NAME(const double *q, const TYPE *s, int32_t dim, gv_metric metric) {                       \
    return metric == GV_MANHATTAN   ? NAME##_by(q, s, dim, GV_MANHATTAN)                                     \
           : metric == GV_CHEBYSHEV ? NAME##_by(q, s, dim, GV_CHEBYSHEV)                                     \
                                    : NAME##_by(q, s, dim, GV_EUCLIDEAN);                                    \
  }
GV_CANONICAL_DISTANCE(gv_canonical_distance, double)
GV_CANONICAL_DISTANCE(gv_canonical_distance_of_floats, float)
#undef GV_CANONICAL_DISTANCE

/* Metrics of points as vectors, which only searches have. */
GV_BOTH bool gv_metric_of_products(int metric) {
  return metric == GV_COSINE || metric == GV_INNER_PRODUCT;
}

/* Metrics that grids, lines and polygons do not have. */
static inline bool gv_metric_of_searches(gv_metric metric) {
  return gv_metric_of_products(metric) || metric == GV_MINKOWSKI;
}

/* Sums over the dimensions of two vectors, and the exact distance of products from them. */
typedef struct gv_product_sums {
  double product, q_squares, s_squares;
} gv_product_sums;

GV_BOTH void gv_product_add(gv_product_sums *sums, double q, double s) {
  sums->product += q * s;
  sums->q_squares += q * q;
  sums->s_squares += s * s;
}

GV_BOTH double gv_product_distance_of_sums(const gv_product_sums *sums, int metric) {
  if (metric == GV_INNER_PRODUCT) return 0.0 - sums->product;
  return gv_cosine_distance(sums->product, gv_cosine_length(sums->q_squares),
                            gv_cosine_length(sums->s_squares));
}

#define GV_PRODUCT_DISTANCE(NAME, TYPE)                                                                      \
  GV_BOTH double NAME(const double *q, const TYPE *s, int32_t dim, gv_metric metric) {                       \
    gv_product_sums sums = {0.0, 0.0, 0.0};                                                                  \
    GV_UNROLL_4                                                                                              \
    for (int32_t d = 0; d < dim; d++)                                                                        \
      gv_product_add(&sums, q[d], (double)s[d]);                                                             \
    return gv_product_distance_of_sums(&sums, metric);                                                       \
  }
GV_PRODUCT_DISTANCE(gv_product_distance, double)
GV_PRODUCT_DISTANCE(gv_product_distance_of_floats, float)
#undef GV_PRODUCT_DISTANCE

/* The same in a periodic box, of coordinates within it (periods NULL: none), and for GV_MINKOWSKI with its
 * power. */
static inline double gv_general_distance(const double *q, const double *s, int32_t dim, gv_metric metric,
                                         const double *periods, double power) {
  double total = 0.0;
  for (int32_t d = 0; d < dim; d++) {
    double difference = q[d] - s[d];
    if (periods != NULL) difference = gv_periodic_difference(difference, periods[d]);
    double norm =
        metric == GV_MINKOWSKI ? gv_power(fabs(difference), power) : gv_norm_of((int)metric, difference);
    total = gv_norm_join((int)metric, norm, total);
  }
  return total;
}

/* A coordinate moved into [0, period). */
double gv_periodic_coordinate(double coordinate, double period);

#ifdef __cplusplus
}
#endif

#endif
