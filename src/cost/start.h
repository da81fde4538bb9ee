/* The first steps of seeds. */
#ifndef GV_COST_START_H
#define GV_COST_START_H

#include "cost/search.h"

/* From the position of seed number `seed` to the center of its cell and of those around it. False: it is outside the
 * raster or in a barrier. */
bool gv_cost_start(gv_cost_search *search, double x, double y, int32_t seed);

#endif
