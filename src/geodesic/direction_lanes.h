/* Angles and directions in vectors, for the kernels of geodesics and of measuring. */
#ifndef GV_DIRECTION_LANES_H
#define GV_DIRECTION_LANES_H

#include "exact/lanes.h"
#include "geodesic/pairs.h"

#include "exact/text/as_lanes.h"

#include "geodesic/text/arctangents.h"

#include "exact/text/end.h"

/* Direction of a vector of any length, degrees clockwise from north, 0 ... 360; 0 for none. */
GV_INLINE vd bearing(vd east, vd north) {
  vd size_east = vd_abs(east), size_north = vd_abs(north), one = vd_all(1.0), zero = vd_all(0.0);
  vd small = vd_min(size_east, size_north), large = vd_max(size_east, size_north);
  vd ratio = small / vd_max(large, vd_all(1e-300));
  vd half = vd_arctangent(ratio / (one + vd_sqrt(one + ratio * ratio)));
  vd angle = half * (2.0 * 180.0 / 3.14159265358979323846);
  angle = vd_select(vd_less(size_north, size_east), 90.0 - angle, angle);
  angle = vd_select(vd_less(north, zero), 180.0 - angle, angle);
  return vd_select(vd_less(east, zero), 360.0 - angle, angle);
}

/* The great circle from a cell, where north is known, to the place (x, y, z). */
GV_INLINE vd bearing_on_sphere(const gv_norths *norths, int64_t i, vd height, vd x, vd y, vd z) {
  vd cosine = vd_load(norths->cosine + i), sine = vd_load(norths->sine + i), p = vd_load(norths->p + i);
  vd east = cosine * y - sine * x;
  vd outward = cosine * x + sine * y;
  return bearing(east, p * z - height * outward);
}

#endif
