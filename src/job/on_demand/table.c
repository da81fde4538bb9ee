#include "job/on_demand/table.h"

#include <stdlib.h>

#include "io/parallel.h"
#include "job/on_demand/levels.h"
#include "job/raster/compute/block.h"
#include "job/raster/compute/compute.h"
#include "job/raster/plan/rasters.h"

enum { MOST_IN_TABLE = 1 << 22 /* cells */ };

gv_status gv_on_demand_nodata(gv_io *io, gv_on_demand *on_demand, int64_t *out) {
  if (on_demand->settings.job.has_nodata) {
    *out = on_demand->settings.job.nodata;
    return GV_OK;
  }
  GV_TRY(gv_on_demand_read_seeds(io, on_demand));
  *out = on_demand->level[0].plan.nodata;
  return GV_OK;
}

gv_status gv_on_demand_id_range(gv_io *io, gv_on_demand *on_demand, int64_t range[2]) {
  GV_TRY(gv_on_demand_read_seeds(io, on_demand));
  const gv_run_inputs *in = &on_demand->level[0].in;
  gv_seeds_range(on_demand->level[0].plan.integers, in->regions->count, &range[0], &range[1]);
  if (!in->job->raster_seeds.by_cell) return GV_OK;
  range[0] = 0;
  range[1] = gv_run_seed_count(in) - 1;
  return GV_OK;
}

gv_status gv_on_demand_metadata(gv_io *io, gv_on_demand *on_demand, char ***out) {
  GV_TRY(gv_on_demand_read_seeds(io, on_demand));
  return gv_run_metadata(io, &on_demand->level[0].in, out);
}

/* ---------------------------------------------------------------------------------------------- the table */

/* Computes ids only, and collects adjacent ones. */
static gv_status scan_blocks(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  gv_run_work *w = user;
  int64_t across = gv_run_blocks_across(w);
  size_t cells = (size_t)w->block_w * (size_t)w->block_h;
  void *values = malloc(cells * (size_t)w->plan->job->k * sizeof(int64_t));
  gv_status status = values != NULL ? GV_OK : gv_io_fail_memory(io, "a block");
  w->workers[worker].scans = true;
  for (int64_t i = first; i < end && status == GV_OK; i++) {
    gv_raster_block block = {.column = i % across, .row = i / across, .stride = w->block_w};
    block.out[w->plan->slot[GV_RUN_OUT]] = values;
    block.band_stride[w->plan->slot[GV_RUN_OUT]] = (int64_t)cells;
    status = gv_run_compute_block(io, w, worker, &block);
  }
  w->workers[worker].scans = false;
  free(values);
  return status;
}

static gv_status find_table(gv_io *io, gv_on_demand *on_demand) {
  int number = 0;
  if (on_demand->has_table) return GV_OK;
  while (number + 1 < on_demand->facts.levels &&
         on_demand->level[number].width * on_demand->level[number].height > MOST_IN_TABLE)
    number++;
  GV_TRY(gv_on_demand_prepare(io, on_demand, number));
  gv_run_work *w = &on_demand->level[number].work;
  if (!w->plan->style) return GV_OK;
  gv_io_loop loop = {.threads = w->worker_count, .count = gv_run_blocks(w), .grain = 1, .user = w};
  GV_TRY(gv_io_parallel_for(io, &loop, scan_blocks));
  GV_TRY(gv_run_make_table(io, w, true, &on_demand->table));
  on_demand->has_table = true;
  return GV_OK;
}

gv_status gv_on_demand_table(gv_io *io, gv_on_demand *on_demand, GDALRasterAttributeTableH *out) {
  *out = NULL;
  GV_TRY(find_table(io, on_demand));
  if (!on_demand->has_table) return GV_OK;
  *out = gv_attribute_table_make(&on_demand->table);
  return *out != NULL ? GV_OK : gv_io_fail_memory(io, "the raster attribute table");
}
