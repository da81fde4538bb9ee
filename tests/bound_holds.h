/* Whether a bound of a tile holds a position. */
#ifndef GV_TESTS_BOUND_HOLDS_H
#define GV_TESTS_BOUND_HOLDS_H

#include <math.h>
#include <stdbool.h>

#include "cells/bound.h"

/* Solves for the coordinates in the generators' directions: they are orthogonal. */
static bool bound_holds(const gv_bound *bound, const double v[3]) {
  double square = 0.0;
  for (int d = 0; d < 3; d++)
    square += (v[d] - bound->center[d]) * (v[d] - bound->center[d]);
  if (sqrt(square) > bound->radius + 1e-15) return false;
  for (int k = 0; k < 3; k++) {
    const double *g = bound->generator[k];
    double along = 0.0, length2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    for (int d = 0; d < 3; d++)
      along += g[d] * (v[d] - bound->center[d]);
    if (fabs(along) > length2 + 1e-15 * sqrt(length2)) return false;
  }
  return true;
}

#endif
