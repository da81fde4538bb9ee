/* What blocks are computed with. */
#include "job/raster/compute/compute.h"

#include <stdlib.h>

#include "job/raster/compute/barriers.h"
#include "job/raster/compute/block.h"
#include "job/raster/compute/costs.h"
#include "job/raster/compute/grids.h"
#include "job/raster/plan/budget.h"

/* Allocates `bytes` if `wanted`; false when out of memory. */
static bool compute_make(bool wanted, size_t bytes, void *out) {
  void *made = wanted ? malloc(bytes) : NULL;
  *(void **)out = made;
  return !wanted || made != NULL;
}

static gv_status make_workers(gv_io *io, gv_run_work *w) {
  const gv_job *j = w->plan->job;
  const gv_run_plan *plan = w->plan;
  gv_context_options options;
  gv_context_options_init(&options);
  const size_t cells = (size_t)w->block_w * (size_t)w->block_h;
  const bool apart = !w->source.computes || plan->apart, own = w->in->cells.own;
  const bool list = gv_cells_of_lists(&j->grid.cells_of);
  const bool ways = gv_run_has_barriers(w->in);
  const bool distances =
      j->stats != NULL || plan->converts || j->distance_per_value || j->cost.path != NULL || ways;
  options.threads = 1; /* of a worker */
  options.device = j->device;
  options.progress = gv_io_go_on;
  options.progress_user = io;
  w->worker_count =
      gv_budget_workers(j, w->in->budget.workers, w->worker_count, (int64_t)cells, plan->cell_bytes, apart);
  w->workers = calloc((size_t)w->worker_count, sizeof *w->workers);
  bool made = w->workers != NULL;
  for (int i = 0; i < w->worker_count && made; i++) {
    gv_run_worker *one = &w->workers[i];
    gv_adjacency_init(&one->adjacency, plan->width, plan->height);
    one->scans = plan->style;
    one->quantity = calloc(GV_JOB_MAX_SUMS, sizeof *one->quantity);
    made =
        gv_context_create(&options, &one->context) == GV_OK && one->quantity != NULL &&
        compute_make(apart, cells * (size_t)j->k * sizeof *one->numbers, &one->numbers) &&
        compute_make(w->in->mask != NULL, cells, &one->mask) &&
        compute_make(ways || (w->in->mask != NULL && list), 2 * cells * sizeof *one->center, &one->center) &&
        compute_make(own, cells, &one->queried) &&
        compute_make(own || ways, cells * sizeof *one->own, &one->own) &&
        compute_make(ways, cells * sizeof *one->azimuth, &one->azimuth) &&
        compute_make(distances, cells * sizeof *one->distance, &one->distance);
  }
  return made ? GV_OK : gv_io_fail_memory(io, "the worker threads");
}

void gv_run_work_free(gv_run_work *w) {
  gv_statistics_destroy(w->statistics);
  gv_voronoi_destroy(w->voronoi);
  for (int i = 0; i < w->worker_count && w->workers != NULL; i++) {
    gv_run_worker *one = &w->workers[i];
    gv_context_destroy(one->context);
    gv_adjacency_free(&one->adjacency);
    free(one->numbers);
    free(one->mask);
    free(one->center);
    free(one->distance);
    free(one->own);
    free(one->azimuth);
    free(one->queried);
    free(one->quantity);
  }
  free(w->workers);
  for (int64_t i = 0; w->each != NULL && i < w->in->regions->count; i++)
    gv_voronoi_destroy(w->each[i]);
  free(w->each);
  gv_voronoi_destroy(w->counted);
  if (w->source.close != NULL) w->source.close(w->source.state);
}

gv_block_source gv_run_choose_source(const gv_run_inputs *in) {
  if (in->job->cost.path != NULL) return gv_cost_blocks;
  return gv_run_has_barriers(in) ? gv_barrier_blocks : gv_computed_blocks;
}

gv_status gv_run_prepare(gv_io *io, gv_run_work *w) {
  GV_TRY(make_workers(io, w));
  return gv_run_create_grids(io, w);
}

gv_status gv_run_make_table(gv_io *io, gv_run_work *w, bool every_size, gv_attribute_table *out) {
  gv_adjacency *met = &w->workers[0].adjacency;
  for (int i = 1; i < w->worker_count; i++)
    GV_TRY(gv_adjacency_merge(io, met, &w->workers[i].adjacency));
  /* The rows for further bands are for what these have. */
  bool all = every_size || met->row_step > 1 || w->plan->job->k > 1;
  int64_t unseen = -1;
  GV_TRY(gv_style_table(io, w->in->regions, w->plan->numbers, all, met, out, &unseen));
  if (w->source.identifies_seeds == NULL || w->source.identifies_seeds(w)) w->empty_seeds = unseen;
  return GV_OK;
}
