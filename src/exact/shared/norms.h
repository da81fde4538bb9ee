/*
 * The exact distance: the term of one difference of coordinates, and the combination of two terms. Metrics are
 * constants where speed matters.
 */
GV_FORMULA GV_REAL GV_NAME(norm_of)(int metric, GV_REAL difference) {
  return metric == GV_MANHATTAN || metric == GV_CHEBYSHEV ? GV_ABS(difference) : difference * difference;
}

/* A difference of coordinates in a periodic box: the shorter way round. `period` is INFINITY in a dimension without one. */
GV_FORMULA GV_REAL GV_NAME(periodic_difference)(GV_REAL difference, GV_REAL period) {
  GV_REAL across = GV_ABS(difference), around = period - across;
  return GV_SELECT(GV_LESS(around, across), around, across);
}

GV_FORMULA GV_REAL GV_NAME(norm_join)(int metric, GV_REAL a, GV_REAL b) {
  return metric == GV_CHEBYSHEV ? GV_MAX(a, b) : a + b;
}
