/* gv_arcsine in vectors. Include it after a header of core/simd/. */
#ifndef GV_ARCSINE_LANES_H
#define GV_ARCSINE_LANES_H

#include "voronoi/cpu/keep_lanes.h"

GV_INLINE vd arcsine_lanes(vd x) {
  vd half = vd_set1(0.5), one = vd_set1(1.0);
  vm steep = vd_less(half, x);
  vd z = vd_select(steep, vd_mul(half, vd_sub(one, x)), vd_mul(x, x));
  vd r = vd_select(steep, vd_sqrt(z), x), p = vd_set1(gv_arcsine_series[11]);
  for (int i = 10; i >= 0; i--)
    p = vd_add(vd_mul(p, z), vd_set1(gv_arcsine_series[i]));
  vd s = vd_add(r, vd_mul(vd_mul(r, z), p));
  return vd_select(steep, vd_sub(vd_set1(1.5707963267948966), vd_mul(vd_set1(2.0), s)), s);
}

#endif
