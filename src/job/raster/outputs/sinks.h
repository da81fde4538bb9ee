/* All outputs of a run, in the order of their steps. */
#ifndef GV_JOB_RASTER_OUTPUTS_SINKS_H
#define GV_JOB_RASTER_OUTPUTS_SINKS_H

#include "job/raster/outputs/rasters_sink.h"

enum { GV_SINKS = 6 };

/* Begins as {0}; it must stay where it is. */
typedef struct gv_sinks {
  gv_run_rasters rasters;
  gv_run_progress progress;
  gv_sink list[GV_SINKS]; /* without a kind: not requested */
} gv_sinks;

/* Checks all that can be checked before any work is done. An output must not replace a file or layer that is
 * read. */
gv_status gv_sinks_plan(gv_io *io, const gv_run_inputs *inputs, gv_inputs *files, gv_sinks *out);

/* Takes one step of all outputs (GV_SINK_BEGIN ...). */
gv_status gv_sinks_step(gv_io *io, gv_sinks *sinks, int step, gv_run_work *work);

/* Puts all in place, or none. */
gv_status gv_sinks_commit(gv_io *io, gv_sinks *sinks, gv_inputs *inputs);

/* Removes what is not in place, and frees. */
void gv_sinks_abandon(gv_sinks *sinks);

#endif
