/* Differences of longitudes. */
#ifndef GV_GEODESIC_TURN_H
#define GV_GEODESIC_TURN_H

#include <math.h>

/* remainder(degrees, 360), of which most are their own. Gain: 1.3 for areas of a diagram. */
static inline double gv_turn(double degrees) {
  return fabs(degrees) <= 180.0 ? degrees : remainder(degrees, 360.0);
}

#endif
