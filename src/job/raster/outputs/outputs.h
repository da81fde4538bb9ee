/* The fourth stage of a run: its outputs. They are planned before inputs are read, so that a run with an impossible
 * output ends at once. */
#ifndef GV_JOB_RASTER_OUTPUTS_OUTPUTS_H
#define GV_JOB_RASTER_OUTPUTS_OUTPUTS_H

#include "io/out/mesh_out.h"
#include "io/out/table_out.h"
#include "job/raster/compute/progress.h"
#include "job/raster/compute/work.h"

/* Begins as {0}. */
typedef struct gv_run_outputs {
  const gv_job *job;
  gv_raster_out *raster[GV_RUN_RASTERS]; /* NULL = not requested */
  gv_place virtuals[GV_RUN_RASTERS];     /* virtual rasters of part files; without a path: none */
  bool passing;                          /* OUT is there for polygons to be traced in it, and no output */
  bool copies;                           /* a raster is copied into its format in the end */
  gv_raster_out *written[GV_RUN_RASTERS];
  int slot[GV_RUN_RASTERS]; /* number of a raster among those written; -1 = not requested */
  int written_count;
  gv_table_out *stats, *polygons, *ways;
  gv_mesh_out *mesh;
} gv_run_outputs;

/* Checks all that can be checked before any work is done. An output must not replace a file or layer that is read. */
gv_status gv_run_plan_outputs(gv_io *io, const gv_job *job, gv_inputs *inputs, int threads, gv_run_outputs *out);

/* Rows of a block of a part's raster; 0 = no parts. */
int64_t gv_run_part_rows(const gv_run_outputs *out);

/* Creates the rasters. */
gv_status gv_run_create_rasters(gv_io *io, const gv_run_plan *plan, gv_run_outputs *out);

/* Makes all outputs from the computed data, in temporary directories. */
gv_status gv_run_complete(gv_io *io, gv_run_work *work, gv_run_progress *progress, gv_run_outputs *out);

/* Puts all in place, or none. */
gv_status gv_run_commit(gv_io *io, gv_run_outputs *out, gv_inputs *inputs);
void gv_run_outputs_free(gv_run_outputs *out);

#endif
