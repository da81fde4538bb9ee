/* What a run asks, and the grids and statistics of the library that answer it. */
#include "job/raster/run.h"

#include <stdlib.h>

/* What every cell asks, pixel or triangle. */
gv_voronoi_options gv_run_question(const gv_run *r) {
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  options.backend = r->j->backend;
  options.metric = r->grid.metric;
  options.k = r->j->k;
  options.max_distance = r->j->max_distance;
  options.weighting = r->j->weighting;
  options.weights = r->seeds.weights;
  options.features = r->seeds.shapes != NULL ? &r->features : NULL;
  return options;
}

static gv_status create_in(const gv_run *r, gv_context *context, const gv_voronoi_options *options,
                           gv_voronoi **out) {
  gv_points positions = gv_points_xy(r->seeds.x, r->seeds.y, r->seeds.count);
  return gv_voronoi_create(context, &r->grid.grid, options->features == NULL ? &positions : NULL, options, out);
}

static gv_status create(gv_run *r, const gv_voronoi_options *options) {
  return gv_io_pass_on_library(r->io, r->context, create_in(r, r->context, options, &r->voronoi));
}

gv_status gv_run_make_voronoi(const gv_run *r, gv_context *context, gv_voronoi **out) {
  gv_voronoi_options options = gv_run_question(r);
  options.block_width = r->block_w;
  options.block_height = r->block_h;
  return create_in(r, context, &options, out);
}

gv_status gv_run_make_statistics(const gv_run *r, gv_context *context, const gv_voronoi *of, gv_statistics **out) {
  double bounds[GV_JOB_MAX_SUMS];
  gv_statistics_options how;
  gv_statistics_options_init(&how);
  how.distances = r->distances;
  how.sums = r->j->sum_count;
  how.bound = bounds;
  how.group = r->j->group ? r->groups.of_seed : NULL;
  how.groups = r->groups.count;
  for (int i = 0; i < r->j->sum_count; i++)
    bounds[i] = gv_run_sum(r, i).bound;
  return gv_statistics_create(context, of, &how, out);
}

gv_status gv_run_backend(gv_run *r, const char **out) {
  gv_voronoi_options options = gv_run_question(r);
  gv_status status = create(r, &options);
  if (status == GV_OK) *out = gv_voronoi_backend(r->voronoi);
  return status;
}

gv_status gv_run_ask(gv_run *r) {
  gv_voronoi_options options = gv_run_question(r);
  if (r->merge != NULL) options.backend = "serial"; /* it is not asked anything, and prepares nothing */
  options.block_width = r->block_w;
  options.block_height = r->block_h;
  if (r->type == GDT_Int32) {
    r->labels = malloc((size_t)r->regions->count * sizeof *r->labels);
    if (r->labels == NULL) return gv_io_fail_memory(r->io, "the ids");
    for (int64_t i = 0; i < r->regions->count; i++)
      r->labels[i] = (int32_t)r->regions->ids[i];
    if (!r->numbers) {
      options.labels = r->labels;
      options.nodata = (int32_t)r->nodata;
    }
  }
  r->by_region =
      r->cells.region != NULL && !r->distances && r->slot[GV_RUN_DISTANCE] < 0 && r->slot[GV_RUN_AZIMUTH] < 0;
  if (r->by_region) {
    options.labels = r->cells.region;
    options.nodata = -1;
  }
  gv_status status = create(r, &options);
  if (status == GV_OK && r->cells.cells != NULL) status = gv_run_make_regions(r, &options);
  if (status == GV_OK && r->j->stats != NULL) {
    const gv_voronoi *of = r->counted != NULL ? r->counted : r->voronoi;
    status = gv_io_pass_on_library(r->io, r->context, gv_run_make_statistics(r, r->context, of, &r->statistics));
  }
  return status;
}
