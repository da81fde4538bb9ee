/* The formulas of exact/shared in vectors, for kernels: vd_sines is gv_sines of as many numbers as a vector
 * holds, and so on. */
#ifndef GV_LANES_H
#define GV_LANES_H

#include "exact/distance.h"

#include "exact/shared/as_lanes.h"

#include "exact/shared/arcs.h"
#include "exact/shared/gains.h"
#include "exact/shared/norms.h"
#include "exact/shared/products.h"
#include "exact/shared/sines.h"
#include "exact/shared/triangle.h"
#include "exact/shared/weights.h"

#include "exact/shared/end.h"

#endif
