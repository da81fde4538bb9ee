#ifndef GV_JOB_RASTER_ON_DEMAND_NAME_H
#define GV_JOB_RASTER_ON_DEMAND_NAME_H

#include "job/raster/plan/description.h"

/* What a name and open options describe, with absolute names of files. */
gv_status gv_on_demand_describe(gv_io *io, const char *name, char **options, gv_description *out);

/* The error of an on-demand raster that is a source of another one. */
gv_status gv_on_demand_refuse_nested(gv_io *io, const char *name);

#endif
