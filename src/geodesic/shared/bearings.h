/*
 * Directions, degrees clockwise from north, 0 ... 360 with both ends; after arctangents.h.
 */
#include "core/angles.h"

/* Of a vector of any length; 0 for none. */
GV_FORMULA GV_REAL GV_NAME(bearing)(GV_REAL east, GV_REAL north) {
  GV_REAL size_east = GV_ABS(east), size_north = GV_ABS(north), one = GV_ALL(1.0), zero = GV_ALL(0.0);
  GV_REAL small = GV_MIN(size_east, size_north), large = GV_MAX(size_east, size_north);
  GV_REAL ratio = small / GV_MAX(large, GV_ALL(1e-300));
  GV_REAL half = GV_NAME(arctangent)(ratio / (one + GV_SQRT(one + ratio * ratio)));
  GV_REAL angle = half * (2.0 * 180.0 / GV_PI);
  angle = GV_SELECT(GV_LESS(size_north, size_east), 90.0 - angle, angle);
  angle = GV_SELECT(GV_LESS(north, zero), 180.0 - angle, angle);
  return GV_SELECT(GV_LESS(east, zero), 360.0 - angle, angle);
}

/* Of the great circle to the place (x, y, z) from one at this height and distance p from the axis, with this
 * cosine and sine of its longitude. */
GV_FORMULA GV_REAL GV_NAME(bearing_on_sphere)(GV_REAL cosine, GV_REAL sine, GV_REAL p, GV_REAL height,
                                              GV_REAL x, GV_REAL y, GV_REAL z) {
  GV_REAL east = cosine * y - sine * x;
  GV_REAL outward = cosine * x + sine * y;
  return GV_NAME(bearing)(east, p * z - height * outward);
}
