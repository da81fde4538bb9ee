/*
 * Angles and directions in vectors, for the kernels of geodesics and of measuring. To be included after a header of core/simd/.
 * The polynomials are Chebyshev fits.
 */
#ifndef GV_DIRECTION_LANES_H
#define GV_DIRECTION_LANES_H

#include "geodesic/pairs.h"

#define GV_INLINE static inline __attribute__((always_inline))

/* c[0] + c[1] x + ... : four terms at a time (Estrin), which wait less for each other than Horner's. */
GV_INLINE vd polynomial(vd x, const double *c, int terms) {
  vd x2 = vd_mul(x, x), x4 = vd_mul(x2, x2), sum = x;
  for (int first = (terms - 1) / 4 * 4; first >= 0; first -= 4) {
    int left = terms - first;
    vd part = vd_set1(c[first]);
    if (left > 1) part = vd_add(part, vd_mul(x, vd_set1(c[first + 1])));
    if (left == 3) part = vd_add(part, vd_mul(x2, vd_set1(c[first + 2])));
    if (left > 3) {
      part = vd_add(part, vd_mul(x2, vd_add(vd_set1(c[first + 2]), vd_mul(x, vd_set1(c[first + 3])))));
    }
    sum = left <= 4 ? part : vd_add(part, vd_mul(x4, sum));
  }
  return sum;
}

/* atan(t) for 0 <= t <= tan(pi/8) (1 + a few ulps); error of the polynomial 2e-18. */
GV_INLINE vd arctangent(vd t) {
  static const double c[12] = {0x1.0000000000000p+0,  -0x1.555555555552fp-2, 0x1.999999999464bp-3,
                               -0x1.2492492258f80p-3, 0x1.c71c70cb2e539p-4,  -0x1.745cf6458cd1ep-4,
                               0x1.3b10f0618d2bap-4,  -0x1.10ea166e4946dp-4, 0x1.def98ad7a0823p-5,
                               -0x1.9c78017ec5211p-5, 0x1.36fe6ceac2341p-5,  -0x1.23af4c132d343p-6};
  return vd_mul(t, polynomial(vd_mul(t, t), c, 12));
}

/* Direction of a vector of any length, degrees clockwise from north, 0 ... 360; 0 for none. */
GV_INLINE vd bearing(vd east, vd north) {
  vd size_east = vd_abs(east), size_north = vd_abs(north), one = vd_set1(1.0), zero = vd_set1(0.0);
  vd small = vd_min(size_east, size_north), large = vd_max(size_east, size_north);
  vd ratio = vd_divide(small, vd_max(large, vd_set1(1e-300)));
  vd half = arctangent(vd_divide(ratio, vd_add(one, vd_sqrt(vd_add(one, vd_mul(ratio, ratio))))));
  vd angle = vd_mul(half, vd_set1(2.0 * 180.0 / 3.14159265358979323846));
  angle = vd_select(vd_less(size_north, size_east), vd_sub(vd_set1(90.0), angle), angle);
  angle = vd_select(vd_less(north, zero), vd_sub(vd_set1(180.0), angle), angle);
  return vd_select(vd_less(east, zero), vd_sub(vd_set1(360.0), angle), angle);
}

/* The great circle from a cell, where north is known, to the place (x, y, z). */
GV_INLINE vd bearing_on_sphere(const gv_norths *norths, int64_t i, vd height, vd x, vd y, vd z) {
  vd cosine = vd_load(norths->cosine + i), sine = vd_load(norths->sine + i), p = vd_load(norths->p + i);
  vd east = vd_sub(vd_mul(cosine, y), vd_mul(sine, x));
  vd outward = vd_add(vd_mul(cosine, x), vd_mul(sine, y));
  return bearing(east, vd_sub(vd_mul(p, z), vd_mul(height, outward)));
}

#endif
