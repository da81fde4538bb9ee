/* What a live raster's seeds tell: ids, metadata, the table of names and colours. */
#include "job/raster/live_parts.h"

#include <stdlib.h>

#include "io/parallel.h"

enum { MOST_IN_TABLE = 1 << 22 /* cells */ };

gv_status gv_live_nodata(gv_io *io, gv_live *live, int64_t *out) {
  if (live->settings.job.has_nodata) {
    *out = live->settings.job.nodata;
    return GV_OK;
  }
  gv_status status = gv_live_prepare(io, live, 0);
  if (status == GV_OK) *out = live->level[0].run.nodata;
  return status;
}

gv_status gv_live_id_range(gv_io *io, gv_live *live, int64_t range[2]) {
  gv_status status = gv_live_prepare(io, live, 0);
  if (status != GV_OK) return status;
  const gv_run *r = &live->level[0].run;
  gv_seeds_id_range(r->regions, &range[0], &range[1]);
  if (!r->j->raster_seeds.by_cell) return GV_OK;
  range[0] = 0;
  range[1] = gv_run_seed_count(r) - 1;
  return GV_OK;
}

gv_status gv_live_metadata(gv_io *io, gv_live *live, char ***out) {
  gv_status status = gv_live_prepare(io, live, 0);
  if (status == GV_OK) status = gv_run_metadata(&live->level[0].run, out);
  return status == GV_OK ? GV_OK : gv_io_pass_on(io, status, &live->io);
}

/* -------------------------------------------------------------------------------------------------- the table */

typedef struct table_walk {
  gv_run run; /* that looks for neighbours, and computes ids alone */
  int64_t across;
} table_walk;

static gv_status look_for_neighbours(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  table_walk *walk = user;
  size_t cells = (size_t)walk->run.block_w * (size_t)walk->run.block_h;
  void *values = malloc(cells * (size_t)walk->run.j->k * sizeof(int64_t));
  gv_status status = values != NULL ? GV_OK : gv_io_fail_memory(io, "a block");
  for (int64_t i = first; i < end && status == GV_OK; i++) {
    gv_raster_block block = {.column = i % walk->across, .row = i / walk->across, .stride = walk->run.block_w};
    block.out[GV_RUN_OUT] = values;
    block.band_stride[GV_RUN_OUT] = (int64_t)cells;
    status = gv_run_compute_block(io, &walk->run, worker, &block);
  }
  free(values);
  return status;
}

static gv_status find_table(gv_io *io, gv_live *live) {
  int number = 0;
  if (live->has_table) return GV_OK;
  while (number + 1 < live->facts.levels && live->level[number].width * live->level[number].height > MOST_IN_TABLE)
    number++;
  gv_status status = gv_live_prepare(io, live, number);
  if (status != GV_OK) return status;
  table_walk walk = {.run = live->level[number].run};
  gv_run *r = &walk.run;
  if (r->regions->count > GV_MAX_NAMED_SEEDS || r->slot[GV_RUN_OUT] < 0 || r->j->raster_seeds.by_cell) return GV_OK;
  r->style = true;
  r->slot[GV_RUN_DISTANCE] = r->slot[GV_RUN_AZIMUTH] = -1;
  r->each = NULL;
  walk.across = (r->width + r->block_w - 1) / r->block_w;
  gv_io_loop loop = {.threads = r->worker_count,
                     .count = walk.across * ((r->height + r->block_h - 1) / r->block_h),
                     .grain = 1,
                     .user = &walk};
  status = gv_io_parallel_for(&live->io, &loop, look_for_neighbours);
  if (status == GV_OK) status = gv_run_make_table(r, &live->table);
  live->has_table = status == GV_OK;
  return status == GV_OK ? GV_OK : gv_io_pass_on(io, status, &live->io);
}

gv_status gv_live_table(gv_io *io, gv_live *live, GDALRasterAttributeTableH *out) {
  *out = NULL;
  gv_status status = find_table(io, live);
  if (status != GV_OK || !live->has_table) return status;
  *out = gv_attribute_table_make(&live->table);
  return *out != NULL ? GV_OK : gv_io_fail_memory(io, "the raster attribute table");
}
