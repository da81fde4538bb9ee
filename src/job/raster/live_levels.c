/*
 * Making levels ready. The inputs of level 0 are read like those of the command; overviews use its seeds, on a grid
 * of the same extent. A level's engine is made when a block of it is first needed.
 */
#include <string.h>

#include "job/raster/live_parts.h"

void gv_live_free_level(gv_live_level *level) {
  gv_run_work_free(&level->work);
  gv_run_plan_free(&level->plan);
  gv_run_inputs_free(&level->in);
  *level = (gv_live_level){.width = level->width, .height = level->height};
}

/* A block has a place for each kind of bands. */
static gv_status make_plan(gv_live *live, gv_live_level *level) {
  int slot[GV_RUN_RASTERS];
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    slot[i] = gv_job_path(&live->settings.job, i) != NULL ? i : -1;
  return gv_run_make_plan(&live->io, &level->in, slot, 0, &level->plan);
}

gv_status gv_live_read_first(gv_live *live) {
  gv_live_level *level = &live->level[0];
  level->begun = true;
  GV_TRY(gv_run_read(&live->io, &live->settings.job, live->context, &level->in));
  return make_plan(live, level);
}

static gv_status read_overview(gv_live *live, gv_live_level *level) {
  GV_TRY(gv_run_read_overview(&live->io, &live->level[0].in, level->width, level->height, &level->in));
  return make_plan(live, level);
}

/* What blocks are computed with. */
static gv_status make_workers(gv_live *live, gv_live_level *level) {
  gv_run_work *w = &level->work;
  *w = (gv_run_work){.job = &live->settings.job, .in = &level->in, .plan = &level->plan, .empty_seeds = -1};
  w->block_w = level->width < GV_LIVE_BLOCK ? (int32_t)level->width : GV_LIVE_BLOCK;
  w->block_h = level->height < GV_LIVE_BLOCK ? (int32_t)level->height : GV_LIVE_BLOCK;
  int64_t blocks = gv_run_blocks(w);
  w->worker_count = level->in.threads > blocks ? (int)blocks : level->in.threads;
  GV_TRY(gv_run_prepare(&live->io, w));
  for (int i = 0; i < w->worker_count; i++)
    w->workers[i].scans = false; /* neighbours are looked for when the table is made */
  return GV_OK;
}

static gv_status check_unchanged(gv_live *live) {
  const gv_live_level *first = &live->level[0];
  const gv_live_facts *f = &live->facts;
  const gv_raster_grid *grid = &first->in.grid;
  bool same = grid->grid.width == f->width && grid->grid.height == f->height &&
              first->plan.type[GV_RUN_OUT] == live->id_type &&
              memcmp(grid->geotransform, f->geotransform, sizeof f->geotransform) == 0;
  if (same) return GV_OK;
  return gv_io_fail(&live->io, GV_ERROR_IO, "the seeds are others than when this raster was opened: open it again");
}

static gv_status read_seeds(gv_live *live) {
  gv_live_level *first = &live->level[0];
  if (live->failed != GV_OK) return gv_io_pass_on(&live->io, live->failed, &live->failure);
  if (live->has_seeds) return GV_OK;
  gv_status status = GV_OK;
  if (!first->begun) {
    status = gv_live_read_first(live);
    if (status == GV_OK) status = check_unchanged(live);
  }
  live->has_seeds = status == GV_OK;
  if (live->has_seeds) {
    gv_run_warn_of_skipped(&first->in);
    return GV_OK;
  }
  gv_live_free_level(first);
  /* Nothing is read again to fail again. */
  live->failed = status;
  live->failure = live->io;
  return status;
}

gv_status gv_live_read_seeds(gv_io *io, gv_live *live) {
  gv_status status = read_seeds(live);
  return status == GV_OK ? GV_OK : gv_io_pass_on(io, status, &live->io);
}

static gv_status live_levels_prepare(gv_live *live, int number) {
  gv_live_level *level = &live->level[number];
  if (level->ready) return GV_OK;
  GV_TRY(read_seeds(live));
  gv_status status = number > 0 ? read_overview(live, level) : GV_OK;
  if (status == GV_OK) status = make_workers(live, level);
  level->ready = status == GV_OK;
  if (level->ready) return GV_OK;
  if (number > 0) {
    gv_live_free_level(level);
  } else { /* its inputs are those of the overviews */
    gv_run_work_free(&level->work);
    level->work = (gv_run_work){.job = NULL};
  }
  return status;
}

gv_status gv_live_prepare(gv_io *io, gv_live *live, int level) {
  gv_status status = live_levels_prepare(live, level);
  return status == GV_OK ? GV_OK : gv_io_pass_on(io, status, &live->io);
}
