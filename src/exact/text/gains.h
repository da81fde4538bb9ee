/*
 * How much nearer a pivot is than a seed, over a box: what tiles are culled by where distances are sums or maxima of
 * differences of coordinates.
 */

/* max over x in [low, high] of |x - p| - |x - s|: monotone between p and s and constant outside, so at an end. */
GV_FORMULA GV_REAL GV_NAME(axis_gain)(GV_REAL low, GV_REAL high, GV_REAL p, GV_REAL s) {
  return GV_MAX(GV_ABS(low - p) - GV_ABS(low - s), GV_ABS(high - p) - GV_ABS(high - s));
}

/* The farthest that [low, high] is from p. */
GV_FORMULA GV_REAL GV_NAME(axis_reach)(GV_REAL low, GV_REAL high, GV_REAL p) {
  return GV_MAX(GV_ABS(low - p), GV_ABS(high - p));
}

/* max over the box of the pivot's distance less the seed's, or something larger. `reach`: the farthest that any point of the
 * box is from the pivot by the metric. max(a) - max(b) <= max(a - b); and the least distance of the seed from the box
 * against the pivot's largest. */
GV_FORMULA GV_REAL GV_NAME(box_gain)(int metric, GV_REAL low_x, GV_REAL high_x, GV_REAL low_y, GV_REAL high_y,
                                     GV_REAL pivot_x, GV_REAL pivot_y, GV_REAL x, GV_REAL y, GV_REAL reach) {
  GV_REAL gain_x = GV_NAME(axis_gain)(low_x, high_x, pivot_x, x);
  GV_REAL gain_y = GV_NAME(axis_gain)(low_y, high_y, pivot_y, y);
  if (metric == GV_MANHATTAN) return gain_x + gain_y;
  GV_REAL gap_x = GV_MAX(GV_ALL(0.0), GV_MAX(low_x - x, x - high_x));
  GV_REAL gap_y = GV_MAX(GV_ALL(0.0), GV_MAX(low_y - y, y - high_y));
  return GV_MIN(GV_MAX(gain_x, gain_y), reach - GV_MAX(gap_x, gap_y));
}
