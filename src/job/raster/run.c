/* The order of a run: read, plan, compute, write. Each stage receives the results of those before it, and
 * does not change them. */
#include "job/raster/run.h"

#include <math.h>

#include "job/raster/compute/compute.h"
#include "job/raster/compute/grids.h"
#include "job/raster/outputs/sinks.h"
#include "job/raster/parts/merge.h"
#include "job/raster/pass/pass.h"
#include "job/raster/report.h"

enum { BLOCK = 512 /* cells a side, where no raster is written */, LIST_BLOCK = 1 << 16 /* of a list */ };

/* A run. */
typedef struct run {
  gv_inputs files;
  gv_context *context;
  gv_run_inputs in;
  gv_run_plan plan;
  gv_run_work work;
  gv_sinks sinks;
} run;

/* All outputs are made before any is put in its place. */
static gv_status raster_job_write(gv_io *io, run *r) {
  gv_sinks *sinks = &r->sinks;
  gv_run_progress *progress = &sinks->progress;
  const bool list = gv_cells_of_lists(&r->in.job->grid.cells_of);
  bool blocks = false;
  double before = 0.0, after = 0.0;
  for (int i = 0; i < GV_SINKS; i++) {
    blocks = blocks || sinks->list[i].takes_blocks;
    before = fmax(before, sinks->list[i].before);
  }
  r->work.block_w = list ? LIST_BLOCK : BLOCK;
  r->work.block_h = list ? 1 : BLOCK;
  gv_run_next_step(progress, blocks ? before : 1.0);
  GV_TRY(gv_sinks_step(io, sinks, GV_SINK_BEGIN, &r->work));
  for (int i = 0; i < GV_SINKS; i++)
    after = fmax(after, sinks->list[i].after);
  gv_run_next_step(progress, 1.0 - (1.0 - before) * after);
  if (blocks) GV_TRY(gv_run_pass(io, progress, &r->work));
  GV_TRY(gv_sinks_step(io, sinks, GV_SINK_FINISH, &r->work));
  GV_TRY(gv_sinks_step(io, sinks, GV_SINK_COMPLETE, &r->work));
  return gv_sinks_commit(io, sinks, &r->files);
}

static gv_status raster_job_run_stages(gv_io *io, const gv_job *j, run *r) {
  gv_run_work *work = &r->work;
  gv_sinks *sinks = &r->sinks;
  GV_TRY(gv_job_list_inputs(io, j, &r->files));
  GV_TRY(gv_run_make_context(io, j, &r->context));
  gv_run_open(io, j, r->context, &r->in);
  GV_TRY(gv_sinks_plan(io, &r->in, &r->files, sinks));
  if (j->plan_only) return GV_OK;
  GV_TRY(gv_run_read(io, &r->in));
  GV_TRY(gv_run_make_plan(io, &r->in, gv_run_part_rows(&sinks->rasters), &r->plan));
  *work = (gv_run_work){.in = &r->in,
                        .plan = &r->plan,
                        .source = gv_run_choose_source(&r->in),
                        .rasters = sinks->rasters.written,
                        .worker_count = r->in.threads,
                        .empty_seeds = -1};
  if (r->plan.rows == 0) return GV_OK;
  if (j->merged_count > 0) GV_TRY(gv_merge_open(io, &r->plan, &work->source));
  if (j->dry_run) return gv_run_find_backend(io, work);
  GV_TRY(raster_job_write(io, r));
  gv_run_warn(work);
  return GV_OK;
}

gv_status gv_job_run(gv_io *io, const gv_job *j) {
  run r = {.context = NULL};
  gv_status status = raster_job_run_stages(io, j, &r);
  if (status == GV_OK && j->report != NULL && !j->plan_only) gv_run_report(&r.work);
  gv_run_work_free(&r.work);
  gv_sinks_abandon(&r.sinks);
  gv_run_plan_free(&r.plan);
  gv_run_inputs_free(&r.in);
  gv_context_destroy(r.context);
  gv_inputs_free(&r.files);
  return status;
}
