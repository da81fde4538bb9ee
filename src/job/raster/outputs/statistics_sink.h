/* The table of statistics: a row a seed, or a row an id. */
#ifndef GV_JOB_RASTER_OUTPUTS_STATISTICS_SINK_H
#define GV_JOB_RASTER_OUTPUTS_STATISTICS_SINK_H

#include "job/raster/outputs/sink.h"

gv_sink_plan_fn gv_statistics_sink_plan;

#endif
