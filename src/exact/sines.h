/* Sines of degrees and terms of positions, for one number at a time (exact/shared/): gv_sines,
 * gv_meridian_point, gv_sum_of_corners, gv_lengthen. Many at a time: globe.h. */
#ifndef GV_SINES_H
#define GV_SINES_H

#include <stdbool.h>

#include "exact/shared/as_numbers.h"

#include "exact/shared/sines.h"
#include "exact/shared/triangle.h"

#include "exact/shared/end.h"

#endif
