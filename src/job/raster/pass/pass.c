#include "job/raster/pass/pass.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "io/parallel.h"
#include "job/raster/compute/compute.h"
#include "job/raster/pass/count.h"

/* The blocks of a run that writes no raster. */
typedef struct pass_walk {
  gv_run_work *work;
  gv_run_progress *progress;
  gv_run_counted counted; /* those that devices have */
  int64_t across, count;
  atomic_llong done;
} pass_walk;

static gv_status pass_blocks(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  pass_walk *w = user;
  for (int64_t i = first; i < end; i++) {
    gv_raster_block block = {.column = i % w->across, .row = i / w->across};
    if (w->counted.done != NULL && w->counted.done[i / w->counted.blocks]) continue;
    GV_TRY(w->work->source.block(io, w->work, worker, &block));
    long long done = atomic_fetch_add(&w->done, 1) + 1;
    /* Only one worker reports. */
    bool goes_on =
        worker != 0 || gv_run_report_progress((double)done / (double)w->count, "", w->progress) != FALSE;
    if (!goes_on || gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
  }
  return GV_OK;
}

static gv_status walk_blocks(gv_io *io, gv_run_progress *progress, gv_run_work *work) {
  pass_walk w = {.work = work, .progress = progress};
  gv_io_loop loop = {.threads = work->worker_count, .count = gv_run_blocks(work), .grain = 1, .user = &w};
  w.across = gv_run_blocks_across(work);
  w.count = loop.count;
  gv_status status = gv_run_count(io, work, progress, &w.counted);
  atomic_init(&w.done, w.counted.done_blocks);
  if (status == GV_OK) status = gv_io_parallel_for(io, &loop, pass_blocks);
  free(w.counted.done);
  return status;
}

/* An error if blocks are not tiles, of which parts consist. */
static gv_status pass_check_blocks(gv_io *io, const gv_run_work *w) {
  const gv_run_plan *p = w->plan;
  bool whole =
      p->first_row % w->block_h == 0 && (p->rows % w->block_h == 0 || p->first_row + p->rows == p->height);
  if (w->plan->job->parts == 0 || whole) return GV_OK;
  return gv_io_fail(io, GV_ERROR_UNSUPPORTED, "--part: tiles of all bands together are too large");
}

gv_status gv_run_pass(gv_io *io, gv_run_progress *progress, gv_run_work *w) {
  GV_TRY(pass_check_blocks(io, w));
  GV_TRY(gv_run_prepare(io, w));
  if (w->source.begin != NULL) GV_TRY(w->source.begin(io, w));
  gv_raster_work work = {.compute = w->source.block, .user = w, .workers = w->worker_count};
  if (w->plan->written > 0)
    return gv_raster_write(io, w->rasters, w->plan->written, &work, gv_run_report_progress, progress);
  const bool sums = w->plan->job->stats != NULL && !w->source.has_sums;
  return sums ? walk_blocks(io, progress, w) : GV_OK;
}
