/* Sines of degrees and what positions are made of, for one number at a time (exact/text/): gv_sines, gv_meridian_point,
 * gv_sum_of_corners, gv_lengthen. Many at a time: globe.h. */
#ifndef GV_SINES_H
#define GV_SINES_H

#include <stdbool.h>

#include "exact/text/as_numbers.h"

#include "exact/text/sines.h"
#include "exact/text/triangle.h"

#include "exact/text/end.h"

#endif
