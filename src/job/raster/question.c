/* What a run asks, and the grids and statistics of the library that answer it. */
#include "job/raster/merge.h"

gv_voronoi_options gv_run_question(const gv_run_inputs *in) {
  gv_voronoi_options options = GV_VORONOI_OPTIONS_INIT;
  options.backend = in->job->backend;
  options.metric = in->grid.metric;
  options.k = in->job->k;
  options.max_distance = in->max_distance;
  options.weighting = in->job->weighting;
  options.weights = in->seeds->weights;
  options.features = in->seeds->shapes != NULL ? &in->features : NULL;
  return options;
}

static gv_status create(const gv_run_inputs *in, gv_context *context, const gv_voronoi_options *options,
                        gv_voronoi **out) {
  gv_seeds positions = {in->seeds->x, in->seeds->y, in->seeds->count};
  return gv_voronoi_create(context, &in->grid.grid, options->features == NULL ? &positions : NULL, options, out);
}

gv_status gv_run_make_voronoi(const gv_run_work *w, gv_context *context, gv_voronoi **out) {
  gv_voronoi_options options = gv_run_question(w->in);
  options.block_width = w->block_w;
  options.block_height = w->block_h;
  return create(w->in, context, &options, out);
}

gv_part_sum gv_run_sum(const gv_run_work *w, int number) {
  const gv_overlay *o = w->in->overlay[number];
  if (o == NULL) return w->merge->parts[0].sums[number];
  return (gv_part_sum){gv_overlay_total(o), gv_overlay_inside(o), gv_overlay_bound(o)};
}

gv_status gv_run_make_statistics(const gv_run_work *w, gv_context *context, const gv_voronoi *of,
                                 gv_statistics **out) {
  double bounds[GV_JOB_MAX_SUMS];
  gv_statistics_options how = GV_STATISTICS_OPTIONS_INIT;
  how.distances = w->plan->distances;
  how.sums = w->job->sum_count;
  how.bound = bounds;
  how.group = w->job->group ? w->plan->groups.of_seed : NULL;
  how.groups = w->plan->groups.count;
  for (int i = 0; i < w->job->sum_count; i++)
    bounds[i] = gv_run_sum(w, i).bound;
  return gv_statistics_create(context, of, &how, out);
}

gv_status gv_run_find_backend(gv_io *io, gv_run_work *w) {
  gv_context *context = w->in->context;
  gv_voronoi_options options = gv_run_question(w->in);
  return gv_io_pass_on_library(io, context, create(w->in, context, &options, &w->voronoi));
}

gv_status gv_run_ask(gv_io *io, gv_run_work *w) {
  const gv_run_plan *plan = w->plan;
  gv_context *context = w->in->context;
  gv_voronoi_options options = gv_run_question(w->in);
  if (w->merge != NULL) options.backend = "serial"; /* it is not asked anything, and prepares nothing */
  options.block_width = w->block_w;
  options.block_height = w->block_h;
  if (plan->by_region) {
    options.labels = w->in->cells.region;
    options.nodata = -1;
  } else if (!plan->numbers) {
    options.labels = plan->labels;
    options.nodata = (int32_t)plan->nodata;
  }
  GV_TRY(gv_io_pass_on_library(io, context, create(w->in, context, &options, &w->voronoi)));
  if (w->in->cells.cells != NULL) GV_TRY(gv_run_make_regions(io, w, &options));
  if (w->job->stats == NULL) return GV_OK;
  const gv_voronoi *of = w->counted != NULL ? w->counted : w->voronoi;
  return gv_io_pass_on_library(io, context, gv_run_make_statistics(w, context, of, &w->statistics));
}
