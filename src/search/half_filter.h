/*
 * The filter of tensor cores: error bound of |s|^2 / 2 - q.s with a product of 16-bit floats, and of -q.s
 * for products of vectors.
 *
 * q' and s' are the floats of float_filter.h, with their own error in addition. Here they are rounded once
 * more, to half(q') and half(s'), with u = 2^-11: points times 2^10 (so below 2^11), a query times a power
 * of two that brings its largest coordinate to between 2^3 and 2^4. What such numbers lose below half's
 * normal range (2^-14) is at most 2^-25, scaled back 2^-35 a coordinate of a point and 2^-28 |q'| a
 * coordinate of a query. With n dimensions, r = sqrt(n):
 *   |half(s') - s'| <= u |s'| + 2^-35 r,     |half(q') - q'| <= (u + 2^-28 r) |q'|,
 * so the exact product of the halves differs from q'.s' by at most
 *   |q'| ((2 u + u^2 + 2^-27 r) |s'| + 2^-34 r)
 * (r <= 64: (u + 2^-28 r)(1 + u) < u + u^2 + 2^-27 r - ..., and 2^-35 r (1 + u + 2^-28 r) < 2^-34 r).
 *
 * Products of two halves have 22 bits and are exact. Tensor cores do not add as IEEE does: the products of
 * a step and the sum so far are brought to the largest exponent among them and cut off, keeping at least
 * 24 bits (observed: 25 and more on 8.0 and 9.0; a test on each device uses sums constructed to lose the
 * most). A step of at most 16 products thus loses less than 17 units of 2^-23 of the largest term, which
 * is at most M = sum |half(q)_i half(s)_i| <= (1 + 2 u) |q'||s'|, and at most that again by normalizing
 * what is left: for steps of 8 at the least, n / 8 + 1 steps lose (n / 8 + 1) 18 2^-23 M < (4.5 n + 36)
 * 2^-24 M.
 *
 * The decision (cuda/tensor/decide_halves.cu) computes single points again, by a sum in float of fma(q'_i,
 * half(s')_i): q' is not rounded once more, and each of fewer than n + 8 additions loses 2^-24 of a sum
 * that is at most sum |q'_i half(s')_i| <= (1 + u) |q'||s'| + 2^-35 r |q'|. That is less than what tensor
 * cores may lose, so the same bound holds.
 */
#ifndef GV_HALF_FILTER_H
#define GV_HALF_FILTER_H

#include "search/float_filter.h"

enum {
  GV_HALF_POINT_EXPONENT = 10, /* points are multiplied by 2 to this, queries brought below 2 to the other */
  GV_HALF_QUERY_EXPONENT = 4,
  GV_HALF_DIM_LEAST = 16 /* fewer dimensions do not pay the rounding to 16 bits */
};

/* Whether a search on GPUs is filtered by tensor cores. */
static inline bool gv_half_filter_pays(gv_metric metric, int32_t dim) {
  return (metric == GV_EUCLIDEAN || gv_metric_of_products(metric)) && dim >= GV_HALF_DIM_LEAST;
}

/* Bound of the error of filter values of a query of this length, gv_float_error included: euclidean, or of
 * products. */
GV_BOTH double gv_half_error(int metric, int32_t dim, double length, double longest) {
  double q = length * (1.0 + 0x1p-20), n = (double)dim, r = sqrt(n), u = 0x1p-11;
  double rounding = q * ((2.0 * u + u * u + 0x1p-27 * r) * longest + 0x1p-34 * r);
  double adding = (4.5 * n + 36.0) * 0x1p-24 * (1.0 + 2.0 * u) * q * longest;
  return gv_float_error(metric, dim, length, longest) + 1.001 * (rounding + adding) + 0x1p-70;
}

#endif
