/* The formulas of exact/text in vectors, for kernels: vd_sines is gv_sines of as many numbers as a vector holds, and so on. */
#ifndef GV_LANES_H
#define GV_LANES_H

#include "exact/distance.h"

#include "exact/text/as_lanes.h"

#include "exact/text/arcs.h"
#include "exact/text/gains.h"
#include "exact/text/norms.h"
#include "exact/text/sines.h"
#include "exact/text/triangle.h"
#include "exact/text/weights.h"

#include "exact/text/end.h"

#endif
