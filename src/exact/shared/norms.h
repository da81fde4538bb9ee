/*
 * The exact distance: the term of one difference of coordinates, and the combination of two terms. Metrics
 * are constants where speed matters.
 */
GV_FORMULA GV_REAL GV_NAME(norm_of)(int metric, GV_REAL difference) {
  return metric == GV_MANHATTAN || metric == GV_CHEBYSHEV ? GV_ABS(difference) : difference * difference;
}

/* x to the power `exponent`, 0 or more (gv_metric in the public header defines it), for x >= 0. Operations
 * that round correctly and ascend with x, so the result does. */
GV_FORMULA GV_REAL GV_NAME(power)(GV_REAL x, double exponent) {
  uint32_t whole = (uint32_t)exponent;
  double fraction = exponent - (double)whole;
  GV_REAL result = GV_ALL(1.0), factor = x;
  for (; whole != 0; whole >>= 1) {
    if (whole & 1) result = result * factor;
    factor = factor * factor;
  }
  for (factor = x; fraction > 0.0; fraction -= fraction >= 1.0 ? 1.0 : 0.0) {
    factor = GV_SQRT(factor);
    fraction = 2.0 * fraction;
    if (fraction >= 1.0) result = result * factor;
  }
  return result;
}

/* A difference of coordinates in a periodic box: the shorter way round. `period` is INFINITY in a dimension
 * without one. */
GV_FORMULA GV_REAL GV_NAME(periodic_difference)(GV_REAL difference, GV_REAL period) {
  GV_REAL across = GV_ABS(difference), around = period - across;
  return GV_SELECT(GV_LESS(around, across), around, across);
}

GV_FORMULA GV_REAL GV_NAME(norm_join)(int metric, GV_REAL a, GV_REAL b) {
  return metric == GV_CHEBYSHEV ? GV_MAX(a, b) : a + b;
}
