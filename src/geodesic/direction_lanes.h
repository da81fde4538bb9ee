/* Angles and directions in vectors, for the kernels of geodesics and of measuring. */
#ifndef GV_DIRECTION_LANES_H
#define GV_DIRECTION_LANES_H

#include "exact/lanes.h"
#include "geodesic/pairs.h"

#include "exact/shared/as_lanes.h"

#include "geodesic/shared/arctangents.h"
#include "geodesic/shared/bearings.h"

#include "exact/shared/end.h"

/* The great circle from a cell with known north to the place (x, y, z). */
GV_INLINE vd bearing_on_sphere(const gv_norths *norths, int64_t i, vd height, vd x, vd y, vd z) {
  vd cosine = vd_load(norths->cosine + i), sine = vd_load(norths->sine + i), p = vd_load(norths->p + i);
  return vd_bearing_on_sphere(cosine, sine, p, height, x, y, z);
}

#endif
