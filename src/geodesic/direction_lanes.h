/* Angles and directions in vectors, for the kernels of geodesics and of measuring. The polynomials are Chebyshev fits. */
#ifndef GV_DIRECTION_LANES_H
#define GV_DIRECTION_LANES_H

#include "exact/lanes.h"
#include "geodesic/pairs.h"

/* atan(t) for 0 <= t <= tan(pi/8) (1 + a few ulps); error of the polynomial 2e-18. */
GV_INLINE vd arctangent(vd t) {
  static const double c[12] = {0x1.0000000000000p+0,  -0x1.555555555552fp-2, 0x1.999999999464bp-3,
                               -0x1.2492492258f80p-3, 0x1.c71c70cb2e539p-4,  -0x1.745cf6458cd1ep-4,
                               0x1.3b10f0618d2bap-4,  -0x1.10ea166e4946dp-4, 0x1.def98ad7a0823p-5,
                               -0x1.9c78017ec5211p-5, 0x1.36fe6ceac2341p-5,  -0x1.23af4c132d343p-6};
  return t * vd_polynomial(t * t, c, 12);
}

/* Direction of a vector of any length, degrees clockwise from north, 0 ... 360; 0 for none. */
GV_INLINE vd bearing(vd east, vd north) {
  vd size_east = vd_abs(east), size_north = vd_abs(north), one = vd_all(1.0), zero = vd_all(0.0);
  vd small = vd_min(size_east, size_north), large = vd_max(size_east, size_north);
  vd ratio = small / vd_max(large, vd_all(1e-300));
  vd half = arctangent(ratio / (one + vd_sqrt(one + ratio * ratio)));
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
