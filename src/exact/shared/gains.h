/*
 * Lower bounds over a tile of how much nearer a pivot is than a seed, for culling (voronoi/margin.h has the
 * argument). Margins cover the rounding.
 */

/* |v|^2 and g . v in two dimensions or three. */
GV_FORMULA GV_REAL GV_NAME(square)(int dim, GV_REAL x, GV_REAL y, GV_REAL z) {
  GV_REAL sum = GV_FMA_LOOSE(y, y, x * x);
  return dim == 3 ? GV_FMA_LOOSE(z, z, sum) : sum;
}

GV_FORMULA GV_REAL GV_NAME(dot)(int dim, double g_x, double g_y, double g_z, GV_REAL x, GV_REAL y,
                                GV_REAL z) {
  GV_REAL sum = GV_FMA_LOOSE(GV_ALL(g_y), y, g_x * x);
  return dim == 3 ? GV_FMA_LOOSE(GV_ALL(g_z), z, sum) : sum;
}

/* Over a zonotope, for squared distances: f and |p - m|^2. `square`: |s - m|^2; `reach`: sum_k |g_k . (s -
 * p)|. */
GV_FORMULA GV_REAL GV_NAME(lead)(double slack, GV_REAL square, GV_REAL reach) {
  return square * (1.0 - slack) - (reach + reach);
}

/* max over x in [low, high] of |x - p| - |x - s|: monotone between p and s and constant outside, so at an
 * end. */
GV_FORMULA GV_REAL GV_NAME(axis_gain)(GV_REAL low, GV_REAL high, GV_REAL p, GV_REAL s) {
  return GV_MAX(GV_ABS(low - p) - GV_ABS(low - s), GV_ABS(high - p) - GV_ABS(high - s));
}

/* The farthest that [low, high] is from p. */
GV_FORMULA GV_REAL GV_NAME(axis_reach)(GV_REAL low, GV_REAL high, GV_REAL p) {
  return GV_MAX(GV_ABS(low - p), GV_ABS(high - p));
}

/* Over a box, where distances are sums or maxima of differences: max of the pivot's distance less the seed's,
 * or something larger. max(a) - max(b) <= max(a - b); and the pivot's largest distance against the seed's
 * least from the box. */
GV_FORMULA GV_REAL GV_NAME(box_gain)(int metric, GV_REAL low_x, GV_REAL high_x, GV_REAL low_y, GV_REAL high_y,
                                     GV_REAL pivot_x, GV_REAL pivot_y, GV_REAL x, GV_REAL y) {
  GV_REAL reach =
      GV_MAX(GV_NAME(axis_reach)(low_x, high_x, pivot_x), GV_NAME(axis_reach)(low_y, high_y, pivot_y));
  GV_REAL gain_x = GV_NAME(axis_gain)(low_x, high_x, pivot_x, x);
  GV_REAL gain_y = GV_NAME(axis_gain)(low_y, high_y, pivot_y, y);
  if (metric == GV_MANHATTAN) return gain_x + gain_y;
  GV_REAL gap_x = GV_MAX(GV_ALL(0.0), GV_MAX(low_x - x, x - high_x));
  GV_REAL gap_y = GV_MAX(GV_ALL(0.0), GV_MAX(low_y - y, y - high_y));
  return GV_MIN(GV_MAX(gain_x, gain_y), reach - GV_MAX(gap_x, gap_y));
}
