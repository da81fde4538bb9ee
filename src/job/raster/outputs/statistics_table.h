/* The table of statistics: a row a seed, or a row an id. */
#ifndef GV_JOB_RASTER_OUTPUTS_STATISTICS_TABLE_H
#define GV_JOB_RASTER_OUTPUTS_STATISTICS_TABLE_H

#include "io/out/table_out.h"
#include "job/raster/compute/work.h"

gv_status gv_run_write_statistics(gv_io *io, gv_run_work *work, gv_table_out *out);

#endif
