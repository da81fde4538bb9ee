/* The cells of a mesh or list as a table, and the mesh. */
#ifndef GV_JOB_RASTER_OUTPUTS_CELLS_SINK_H
#define GV_JOB_RASTER_OUTPUTS_CELLS_SINK_H

#include "job/raster/outputs/sink.h"

gv_sink_plan_fn gv_cells_sink_plan;

#endif
