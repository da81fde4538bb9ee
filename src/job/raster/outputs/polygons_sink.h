/* The regions as polygons. */
#ifndef GV_JOB_RASTER_OUTPUTS_POLYGONS_SINK_H
#define GV_JOB_RASTER_OUTPUTS_POLYGONS_SINK_H

#include "job/raster/outputs/sink.h"

gv_sink_plan_fn gv_polygons_sink_plan;

#endif
