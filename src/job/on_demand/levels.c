/*
 * Making levels ready. The inputs of level 0 are read like those of the command; overviews use its seeds, on
 * a grid of the same extent. A level's engine is made when a block of it is first needed.
 */
#include "job/on_demand/levels.h"

#include <string.h>

#include "job/raster/compute/compute.h"
#include "job/raster/report.h"

void gv_on_demand_free_level(gv_on_demand_level *level) {
  gv_run_work_free(&level->work);
  gv_run_plan_free(&level->plan);
  gv_run_inputs_free(&level->in);
  *level = (gv_on_demand_level){.width = level->width, .height = level->height};
}

gv_status gv_on_demand_read_first(gv_on_demand *on_demand) {
  gv_on_demand_level *level = &on_demand->level[0];
  level->begun = true;
  gv_run_open(&on_demand->io, &on_demand->settings.job, on_demand->context, &level->in);
  GV_TRY(gv_run_read(&on_demand->io, &level->in));
  return gv_run_make_plan(&on_demand->io, &level->in, 0, &level->plan);
}

static gv_status read_overview(gv_on_demand *on_demand, gv_on_demand_level *level) {
  GV_TRY(
      gv_run_read_overview(&on_demand->io, &on_demand->level[0].in, level->width, level->height, &level->in));
  return gv_run_make_plan(&on_demand->io, &level->in, 0, &level->plan);
}

/* What blocks are computed with. */
static gv_status make_workers(gv_on_demand *on_demand, gv_on_demand_level *level) {
  gv_run_work *w = &level->work;
  *w = (gv_run_work){
      .in = &level->in, .plan = &level->plan, .source = gv_run_choose_source(&level->in), .empty_seeds = -1};
  w->block_w = level->width < GV_ON_DEMAND_BLOCK ? (int32_t)level->width : GV_ON_DEMAND_BLOCK;
  w->block_h = level->height < GV_ON_DEMAND_BLOCK ? (int32_t)level->height : GV_ON_DEMAND_BLOCK;
  int64_t blocks = gv_run_blocks(w);
  w->worker_count = level->in.threads > blocks ? (int)blocks : level->in.threads;
  GV_TRY(gv_run_prepare(&on_demand->io, w));
  for (int i = 0; i < w->worker_count; i++)
    w->workers[i].scans = false; /* neighbors are looked for when the table is made */
  return w->source.begin != NULL ? w->source.begin(&on_demand->io, w) : GV_OK;
}

static gv_status check_unchanged(gv_on_demand *on_demand) {
  const gv_on_demand_level *first = &on_demand->level[0];
  const gv_on_demand_facts *f = &on_demand->facts;
  const gv_raster_grid *grid = &first->in.grid;
  bool same = grid->grid.width == f->width && grid->grid.height == f->height &&
              first->plan.type[GV_RUN_OUT] == on_demand->id_type &&
              memcmp(grid->geotransform, f->geotransform, sizeof f->geotransform) == 0;
  if (same) return GV_OK;
  return gv_io_fail(&on_demand->io, GV_ERROR_IO,
                    "the seeds have changed since this raster was opened; open it again");
}

/* Nothing is read, and no costs are computed, again to fail again. */
static gv_status levels_keep_failure(gv_on_demand *on_demand, gv_status status) {
  on_demand->failed = status;
  on_demand->failure = on_demand->io;
  return status;
}

static gv_status read_seeds(gv_on_demand *on_demand) {
  gv_on_demand_level *first = &on_demand->level[0];
  if (on_demand->failed != GV_OK)
    return gv_io_pass_on(&on_demand->io, on_demand->failed, &on_demand->failure);
  if (on_demand->has_seeds) return GV_OK;
  gv_status status = GV_OK;
  if (!first->begun) {
    status = gv_on_demand_read_first(on_demand);
    if (status == GV_OK) status = check_unchanged(on_demand);
  }
  on_demand->has_seeds = status == GV_OK;
  if (on_demand->has_seeds) {
    gv_run_warn_of_skipped(&first->in);
    return GV_OK;
  }
  gv_on_demand_free_level(first);
  return levels_keep_failure(on_demand, status);
}

gv_status gv_on_demand_read_seeds(gv_io *io, gv_on_demand *on_demand) {
  gv_status status = read_seeds(on_demand);
  return status == GV_OK ? GV_OK : gv_io_pass_on(io, status, &on_demand->io);
}

static gv_status on_demand_levels_prepare(gv_on_demand *on_demand, int number) {
  gv_on_demand_level *level = &on_demand->level[number];
  if (level->ready) return GV_OK;
  GV_TRY(read_seeds(on_demand));
  gv_status status = number > 0 ? read_overview(on_demand, level) : GV_OK;
  if (status == GV_OK) status = make_workers(on_demand, level);
  level->ready = status == GV_OK;
  if (level->ready) return GV_OK;
  if (number > 0) {
    gv_on_demand_free_level(level);
  } else { /* its inputs are those of the overviews */
    gv_run_work_free(&level->work);
    level->work = (gv_run_work){.plan = NULL};
  }
  return on_demand->settings.job.cost.path != NULL ? levels_keep_failure(on_demand, status) : status;
}

gv_status gv_on_demand_prepare(gv_io *io, gv_on_demand *on_demand, int level) {
  gv_status status = on_demand_levels_prepare(on_demand, level);
  return status == GV_OK ? GV_OK : gv_io_pass_on(io, status, &on_demand->io);
}
