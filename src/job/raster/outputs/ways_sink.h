/* The lines of --ways: a row for each point of --from, with its way by the source of blocks. */
#ifndef GV_JOB_RASTER_OUTPUTS_WAYS_SINK_H
#define GV_JOB_RASTER_OUTPUTS_WAYS_SINK_H

#include "job/raster/outputs/sink.h"

gv_sink_plan_fn gv_ways_sink_plan;

#endif
