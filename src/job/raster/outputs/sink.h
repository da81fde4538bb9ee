/*
 * An output of a run. Outputs are planned before inputs are read, so that a run with an impossible output
 * ends at once; they are made in temporary directories, and put in their places together.
 */
#ifndef GV_JOB_RASTER_OUTPUTS_SINK_H
#define GV_JOB_RASTER_OUTPUTS_SINK_H

#include "io/out/place.h"
#include "job/raster/compute/work.h"
#include "job/raster/pass/progress.h"

typedef struct gv_sink gv_sink;

/* A step of making it. Before it reports, it moves on within sink->progress (gv_run_next_step). */
typedef gv_status gv_sink_step(gv_io *io, gv_sink *sink, gv_run_work *work);

/* Before the blocks; from the computed data; once all outputs are finished. */
enum { GV_SINK_BEGIN, GV_SINK_FINISH, GV_SINK_COMPLETE, GV_SINK_STEPS };

typedef struct gv_sink_kind {
  gv_sink_step *step[GV_SINK_STEPS]; /* NULL: nothing is to be done */
  void (*abandon)(void *of);         /* removes what is not in its place, and frees */
} gv_sink_kind;

enum { GV_SINK_PLACES = 2 * GV_RUN_RASTERS };

struct gv_run_rasters;

/* Begins with what all outputs of a run share, and without a kind. */
struct gv_sink {
  const gv_sink_kind *kind;
  void *of;                         /* what writes it */
  gv_place *places[GV_SINK_PLACES]; /* of its files */
  int place_count;
  struct gv_run_rasters *rasters; /* of the run */
  gv_run_progress *progress;      /* of the run */
  bool takes_blocks;              /* the pass over all blocks is made for it */
  double before, after;           /* shares of the progress that its steps before and after the blocks need */
};

/* Checks all that can be checked before any work is done; leaves a sink that the job does not have without a
 * kind. */
typedef gv_status gv_sink_plan_fn(gv_io *io, const gv_job *job, gv_sink *out);

#endif
