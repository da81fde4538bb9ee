/*
 * The float filter of brute force, on processors and GPUs: conversion of points to floats, and error
 * bounds of filter values. For euclidean a filter value is |s|^2 / 2 - q.s, for the other metrics the
 * distance itself.
 *
 * Let c be the center of the reference set's box and t a power of two such that coordinates s' = t (s - c)
 * lie within [-1, 1]; scaling is exact. With u = 2^-24 a stored float differs from s' by at most u' |s'|,
 * u' = u + 2^-53, likewise q'. Let P = |q'| + max |s'| in the metric's own norm.
 *   euclidean: moving both points by u' of their length changes |q'-s'|^2 / 2 by at most u' P^2 + u'^2 P^2
 *   / 2;
 * rounding |s'|^2 / 2 to float costs u P^2 / 4 at most (|s'|^2 / 2 <= P^2 / 2), the products, if they
 * round (no fma), together u |q'||s'| <= u P^2 / 4, and each of the dim additions u times a partial sum <=
 * |s'|^2 / 2 + |q'||s'| <= P^2 / 2. In all below (dim / 2 + 2) u P^2, and 1.01 covers the second-order
 * terms (dim 2^-24 <= 2.5e-4). manhattan: u' P from storing, and (dim + 1) u P from evaluating: below (dim
 * + 3) u P. chebyshev: u' P from storing, 2 u P from one subtraction: below 4 u P. Numbers below the
 * normal range add far less than 2^-100, which is added as well. So a point with an exact distance of at
 * most w has a filter value of at most t^2 w / 2 (1 + (dim + 3) 2^-52) - |q'|^2 / 2 + error (or t w (1 +
 * ...) + error); above that it is not a neighbor. Equality passes, so ties are decided by exact distances.
 * The order of summation does not matter.
 *
 * Products of vectors: the filter value is -q'.s', with c = 0; for cosine of vectors that were divided by
 * their lengths, t = 1. Storing changes it by at most (2 u' + u'^2) |q'||s'|, the roundings of dim
 * products and sums by dim u |q'||s'|, and the canonical value has rounded by less than (dim + 8) 2^-53
 * |q'||s'|: in all below (dim + 3) u |q'||s'|. t^2 times a canonical inner product, or a cosine distance
 * less 1, plus that error bounds filter values; a factor above 1 would not, as these are of both signs.
 *
 * The filter needs finite numbers: t within 2^+-400, |q'| < 2^40.
 */
#ifndef GV_FLOAT_FILTER_H
#define GV_FLOAT_FILTER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "exact/canonical.h"

/* The exponent of t for a box of half the width `widest`. False: the numbers do not suit floats. */
static inline bool gv_float_exponent(double widest, int *out) {
  enum { LIMIT = 400 };
  int exponent = 0;
  if (widest > 0.0 && isfinite(widest)) (void)frexp(widest, &exponent);
  *out = -exponent;
  return isfinite(widest) && abs(exponent) <= LIMIT;
}

/* The length of a point of which gv_norm_join has joined all gv_norm_of. */
GV_BOTH double gv_float_length(int metric, double joined) {
  return metric == GV_MANHATTAN || metric == GV_CHEBYSHEV ? joined : sqrt(joined);
}

/* max |s'|, from the largest length of the floats. */
static inline double gv_float_longest(double length) {
  return length * (1.0 + 0x1p-20);
}

/* Whether a query of this length suits floats. */
GV_BOTH bool gv_float_suits(double length) {
  return length < 0x1p40;
}

/* Bound of the error of a query's filter values. */
GV_BOTH double gv_float_error(int metric, int32_t dim, double length, double longest) {
  double unit = 0x1p-24 * 1.01, reach = length * (1.0 + 0x1p-20) + longest;
  if (metric == GV_MANHATTAN) return unit * ((double)dim + 3.0) * reach + 0x1p-100;
  if (metric == GV_CHEBYSHEV) return unit * 4.0 * reach + 0x1p-100;
  if (metric == GV_COSINE || metric == GV_INNER_PRODUCT)
    return unit * ((double)dim + 3.0) * length * (1.0 + 0x1p-20) * longest + 0x1p-100;
  return unit * (0.5 * (double)dim + 2.0) * reach * reach + 0x1p-100;
}

/* A canonical value times this, and gv_float_error, and for euclidean less half the query's square, for
 * cosine less 1, bounds filter values. */
static inline double gv_float_scale(int metric, int32_t dim, double t) {
  if (metric == GV_COSINE) return 1.0;
  if (metric == GV_INNER_PRODUCT) return t * t;
  return (1.0 + ((double)dim + 4.0) * 0x1p-52) * (metric == GV_EUCLIDEAN ? 0.5 * t * t : t);
}

#endif
