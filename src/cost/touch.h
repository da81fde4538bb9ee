/* The cells that lines and polygons touch or contain. */
#ifndef GV_COST_TOUCH_H
#define GV_COST_TOUCH_H

#include "cost/start.h"
#include "gpuvoronoi/geometries.h"

/* Adds a start at cost 0 in each cell that is not a barrier and that the feature touches or contains; its
 * points start at their own positions. *starts_here: there is one. Errors: OUT_OF_MEMORY. */
gv_status gv_cost_touch(gv_context *context, gv_cost *cost, const gv_features *features, int32_t feature,
                        gv_cost_starts *starts, bool *starts_here);

#endif
