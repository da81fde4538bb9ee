/*
 * The margins that the culling engines share, on processors and GPUs.
 *
 * For a tile inside the zonotope {m + sum t_k g_k} and any seed p (the pivot; the one nearest m is a good
 * choice), f = |q - s|^2 - |q - p|^2 is linear in q, so over the tile it is at least
 *   |s - m|^2 - |p - m|^2 - 2 sum_k |g_k . (s - p)|.
 * Where that exceeds a margin, no cell of the tile belongs to s, and s is culled.
 *
 * The margin. Everything is computed in double; positions in the tables are within e
 * (cells->position_error) of the ideal ones per coordinate, so a cell's f differs from the ideal by at
 * most 2 sqrt(3) e |s - p|, which for any t > 0 is at most t |s - p|^2 + 3 e^2 / t, and |s - p|^2 <= 2 |s
 * - m|^2 + 2 |p - m|^2. With t = 1e-12 that gives the relative slack; it is also far larger than the
 * rounding of this computation and of the exact distances' sums (a few 1e-16 of (|s - m| + radius)^2). So
 * a culled seed's exact distance is strictly larger than the pivot's in every cell of the tile: ties are
 * kept.
 *
 * For geodesics the margin grows by the slack (geodesic/slack.h) of the largest chord from the pivot to
 * the tile.
 */
#ifndef GV_MARGIN_H
#define GV_MARGIN_H

#include <stdbool.h>

#include "gpuvoronoi/gpuvoronoi.h"

#include "exact/shared/as_numbers.h"

#include "exact/shared/gains.h"

#include "exact/shared/end.h"

/* Relative to both squares. */
static const double gv_cull_slack = 4e-12;

/* On top of them: of the tile's radius and `error`, cells->position_error. */
GV_BOTH double gv_cull_limit(double radius, double error) {
  return gv_cull_slack * radius * radius + 1.2e13 * error * error + 1e-290;
}

/* The pivot's side of the comparison, |p - m|^2 being pivot2. */
GV_BOTH double gv_pivot_limit(double pivot2, double radius, double error) {
  return pivot2 * (1.0 + gv_cull_slack) + gv_cull_limit(radius, error);
}

/* No chord from the pivot to the tile is longer. */
GV_BOTH double gv_farthest_chord(double pivot2, double radius) {
  return (sqrt(pivot2) + radius) * (1.0 + 1e-12);
}

/* Half the box around a tile's canonical positions along an axis, by its two generators' shares: for the
 * plane's other metrics. */
GV_BOTH double gv_box_half(double across, double down, double error) {
  return fabs(across) + fabs(down) + 2.0 * error;
}

/* Gains over boxes have to exceed this: differences of coordinates are good to an ulp of the largest that
 * matters, about 10 times `reach`, how far the box is from the pivot by the sum of both axes. */
GV_BOTH double gv_box_limit(double reach, double error) {
  return 1e-14 * reach + 4.0 * error;
}

#endif
