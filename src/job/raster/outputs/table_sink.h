/* What tables of a run have in common. */
#ifndef GV_JOB_RASTER_OUTPUTS_TABLE_SINK_H
#define GV_JOB_RASTER_OUTPUTS_TABLE_SINK_H

#include "io/out/table_out.h"
#include "job/raster/outputs/sink.h"

/* A layer of the file at `path`; NULL: none. The kind's `abandon` is that of all tables. */
gv_status gv_table_sink_plan(gv_io *io, const gv_job *job, const gv_sink_kind *kind, const char *option,
                             const char *path, const char *layer, gv_sink *out);
void gv_table_sink_abandon(void *table);

#endif
