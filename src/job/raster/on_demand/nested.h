#ifndef GV_JOB_RASTER_ON_DEMAND_NESTED_H
#define GV_JOB_RASTER_ON_DEMAND_NESTED_H

#include "io/io.h"

/* The error of an on-demand raster that is a source of another one. */
gv_status gv_on_demand_refuse_nested(gv_io *io, const char *name);

#endif
