/* Making levels ready. Level 0 is read as the command reads a run's inputs; overviews take its seeds, on a grid of the same extent. */
#include "job/raster/live_parts.h"

#include <stdlib.h>
#include <string.h>

void gv_live_free_level(gv_live *live, gv_live_level *level) {
  gv_run *r = &level->run;
  for (int i = 0; i < r->worker_count && level->workers != NULL; i++)
    for (int k = 0; k < GV_LIVE_KINDS; k++)
      free(level->workers[i].scratch[k]);
  free(level->workers);
  level->workers = NULL;
  level->ready = false;
  if (!level->begun) return;
  bool borrows = level != live->level;
  if (borrows && r->cells.cells == NULL) r->seeds = (gv_seed_list)GV_SEED_LIST_INIT;
  if (borrows) r->context = NULL;
  gv_run_free_computed(r);
  gv_mask_close(r->mask);
  gv_raster_grid_free(&r->grid);
  gv_seeds_free(&r->seeds);
  *r = (gv_run){.io = NULL};
  level->begun = false;
}

gv_status gv_live_read_first(gv_live *live) {
  gv_live_level *level = &live->level[0];
  level->job = live->settings.job;
  /* Of a raster that is looked at only some windows are computed: its size does not say that a device pays. */
  if (strcmp(level->job.backend, "auto") == 0) level->job.backend = "tile";
  level->run = (gv_run){.io = &live->io, .j = &level->job, .seeds = GV_SEED_LIST_INIT, .empty_seeds = -1};
  level->begun = true;
  gv_status status = gv_run_read(&level->run, &level->job);
  return status == GV_OK ? gv_run_choose_values(&level->run) : status;
}

static gv_status read_overview(gv_live *live, gv_live_level *level) {
  const gv_run *first = &live->level[0].run;
  gv_run *r = &level->run;
  level->job = live->level[0].job;
  *r = (gv_run){.io = &live->io,
                .j = &level->job,
                .seeds = first->seeds,
                .features = first->features,
                .context = first->context,
                .distance_size = first->distance_size,
                .type = first->type,
                .nodata = first->nodata,
                .empty_seeds = -1};
  r->regions = &r->seeds;
  if (first->cells.cells != NULL) r->seeds = (gv_seed_list)GV_SEED_LIST_INIT;
  level->begun = true;
  gv_status status = gv_raster_grid_resize(&live->io, &first->grid, level->width, level->height, &r->grid);
  if (status == GV_OK && first->cells.cells != NULL) {
    status = gv_run_read_cells(r, &level->job);
    if (status == GV_OK && r->seeds.shapes != NULL) r->features = gv_seeds_features(&r->seeds);
  }
  return status == GV_OK ? gv_run_open_mask(r) : status;
}

/* What blocks are computed with. */
static gv_status make_workers(gv_live *live, gv_live_level *level) {
  gv_run *r = &level->run;
  bool ids = level->job.raster.path != NULL;
  r->width = r->grid.grid.width;
  r->height = r->grid.grid.height;
  r->block_w = r->width < GV_LIVE_BLOCK ? (int32_t)r->width : GV_LIVE_BLOCK;
  r->block_h = r->height < GV_LIVE_BLOCK ? (int32_t)r->height : GV_LIVE_BLOCK;
  r->written_count = GV_RUN_RASTERS;
  r->slot[GV_RUN_OUT] = ids ? GV_RUN_OUT : -1;
  r->slot[GV_RUN_DISTANCE] = level->job.distance != NULL ? GV_RUN_DISTANCE : -1;
  r->slot[GV_RUN_AZIMUTH] = level->job.azimuth != NULL ? GV_RUN_AZIMUTH : -1;
  r->numbers = gv_run_numbers_apart(r) || level->job.distance != NULL || level->job.azimuth != NULL;
  int64_t blocks = ((r->width + r->block_w - 1) / r->block_w) * ((r->height + r->block_h - 1) / r->block_h);
  if (level->job.threads > blocks) level->job.threads = (int)blocks;
  r->style = true; /* the table's pairs of neighbours have their place, and are looked for when it is made */
  gv_status status = gv_run_prepare(r);
  r->style = false;
  if (status == GV_OK) {
    level->workers = calloc((size_t)r->worker_count, sizeof *level->workers);
    if (level->workers == NULL) status = gv_io_fail_memory(&live->io, "the workers");
  }
  return status;
}

static gv_status check_unchanged(gv_live *live) {
  const gv_run *r = &live->level[0].run;
  const gv_live_facts *f = &live->facts;
  bool same = r->grid.grid.width == f->width && r->grid.grid.height == f->height && r->type == live->id_type &&
              memcmp(r->grid.geotransform, f->geotransform, sizeof f->geotransform) == 0;
  return same ? GV_OK
              : gv_io_fail(&live->io, GV_ERROR_IO,
                           "the seeds are others than when this raster was opened: open it again");
}

static gv_status prepare(gv_live *live, int number) {
  gv_live_level *level = &live->level[number];
  if (level->ready) return GV_OK;
  if (live->failed != GV_OK) return gv_io_pass_on(&live->io, live->failed, &live->failure);
  gv_status status = number > 0 ? prepare(live, 0) : GV_OK;
  if (status != GV_OK) return status;
  if (number > 0) {
    status = read_overview(live, level);
  } else if (!level->begun) {
    status = gv_live_read_first(live);
    if (status == GV_OK) status = check_unchanged(live);
  }
  if (status == GV_OK) status = make_workers(live, level);
  if (status == GV_OK && number == 0) gv_run_warn_of_skipped(&level->run);
  if (status != GV_OK) {
    gv_live_free_level(live, level);
    /* Nothing is read again to fail again. */
    live->failed = number == 0 ? status : GV_OK;
    live->failure = live->io;
    return status;
  }
  level->ready = true;
  return GV_OK;
}

gv_status gv_live_prepare(gv_io *io, gv_live *live, int level) {
  gv_status status = prepare(live, level);
  return status == GV_OK ? GV_OK : gv_io_pass_on(io, status, &live->io);
}
