/* gv_arcsine in vectors. */
#ifndef GV_ARCSINE_LANES_H
#define GV_ARCSINE_LANES_H

#include "core/simd/vectors.h"
#include "exact/distance.h"

GV_INLINE vd arcsine_lanes(vd x) {
  vd half = vd_all(0.5), one = vd_all(1.0);
  vm steep = vd_less(half, x);
  vd z = vd_select(steep, half * (one - x), x * x);
  vd r = vd_select(steep, vd_sqrt(z), x), p = vd_all(gv_arcsine_series[11]);
  for (int i = 10; i >= 0; i--)
    p = p * z + gv_arcsine_series[i];
  vd s = r + r * z * p;
  return vd_select(steep, 1.5707963267948966 - 2.0 * s, s);
}

#endif
