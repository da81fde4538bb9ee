/* The rasters of a run: written together, block by block, or virtual ones of part files. */
#ifndef GV_JOB_RASTER_OUTPUTS_RASTERS_SINK_H
#define GV_JOB_RASTER_OUTPUTS_RASTERS_SINK_H

#include "io/out/raster_out.h"
#include "job/raster/outputs/sink.h"

/* Begins as {0} with the number of threads. */
typedef struct gv_run_rasters {
  const gv_job *job;
  int threads;
  gv_raster_out *raster[GV_RUN_RASTERS];  /* NULL = not written */
  gv_writer virtuals[GV_RUN_RASTERS];     /* without a path: none */
  bool traced;                            /* OUT is there for polygons to be traced in it, and no output */
  bool copies;                            /* a raster is copied into its format in the end */
  gv_raster_out *written[GV_RUN_RASTERS]; /* at the slots of the plan */
  int written_count;
} gv_run_rasters;

gv_sink_plan_fn gv_rasters_sink_plan;

/* OUT for polygons to be traced in it, unless it is an output. */
gv_status gv_run_rasters_add_traced(gv_io *io, gv_run_rasters *rasters);

/* Rows of a block of a part's raster; 0 = no parts. */
int64_t gv_run_part_rows(const gv_run_rasters *rasters);

#endif
