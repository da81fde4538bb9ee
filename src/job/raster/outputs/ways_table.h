/* The lines of --ways. */
#ifndef GV_JOB_RASTER_WAYS_TABLE_H
#define GV_JOB_RASTER_WAYS_TABLE_H

#include "io/out/table_out.h"
#include "job/raster/compute/work.h"

/* Writes a row for each point of --from, with its way by the source of blocks. */
gv_status gv_run_write_ways(gv_io *io, gv_run_work *work, gv_table_out *out);

#endif
