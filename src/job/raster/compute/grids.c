#include "job/raster/compute/grids.h"

#include <stdlib.h>

gv_voronoi_options gv_run_options(const gv_run_inputs *in) {
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  options.backend = in->job->backend;
  options.metric = in->grid.metric;
  options.k = in->job->k;
  /* else a limit of costs (costs.c) */
  if (in->job->cost.path == NULL) options.max_distance = in->max_distance;
  options.weighting = in->job->weighting;
  options.weights = in->seeds->weights;
  options.features = in->seeds->shapes != NULL ? &in->features : NULL;
  return options;
}

static gv_status create(const gv_run_inputs *in, gv_context *context, const gv_voronoi_options *options,
                        gv_voronoi **out) {
  gv_points positions = gv_points_xy(in->seeds->x, in->seeds->y, in->seeds->count);
  return gv_voronoi_create(context, &in->grid.grid, options->features == NULL ? &positions : NULL, options,
                           out);
}

gv_status gv_run_make_voronoi(const gv_run_work *w, gv_context *context, gv_voronoi **out) {
  gv_voronoi_options options = gv_run_options(w->in);
  options.block_width = w->block_w;
  options.block_height = w->block_h;
  return create(w->in, context, &options, out);
}

gv_status gv_run_make_statistics(const gv_run_work *w, gv_context *context, const gv_voronoi *of,
                                 gv_statistics **out) {
  double bounds[GV_JOB_MAX_SUMS];
  gv_statistics_options how;
  gv_statistics_options_init(&how);
  how.distances = w->plan->distances;
  how.sums = w->plan->job->sum_count;
  how.bound = bounds;
  how.group = w->plan->job->group ? w->plan->groups.of_seed : NULL;
  how.groups = w->plan->groups.count;
  for (int i = 0; i < w->plan->job->sum_count; i++)
    bounds[i] = w->source.sum(w, i).bound;
  return gv_statistics_create(context, of, &how, out);
}

gv_status gv_run_find_backend(gv_io *io, gv_run_work *w) {
  gv_context *context = w->in->context;
  gv_voronoi_options options = gv_run_options(w->in);
  if (!w->source.computes) options.backend = "serial";
  return gv_io_pass_on_library(io, context, create(w->in, context, &options, &w->voronoi));
}

/* The seeds of a region: number `first` of all places and those that follow. */
static gv_points seeds_of(const gv_run_work *w, int64_t region, int64_t *next) {
  const gv_shapes *s = w->in->seeds->shapes;
  const double *x, *y;
  int64_t count, first = *next;
  gv_seeds_places(w->in->seeds, &x, &y, &count);
  if (s != NULL) {
    *next = s->vertex[region + 1];
  } else {
    while (*next < count && w->in->cells.region[*next] == region)
      (*next)++;
  }
  return gv_points_xy(x + first, y + first, *next - first);
}

static gv_status make_each(gv_io *io, gv_run_work *w, const gv_voronoi_options *options) {
  gv_voronoi_options one = *options;
  int64_t next = 0;
  one.k = 1;
  one.features = NULL;
  one.labels = NULL;
  one.nodata = -1;
  w->each = calloc((size_t)w->in->regions->count, sizeof *w->each);
  if (w->each == NULL) return gv_io_fail_memory(io, "the values");
  gv_status status = GV_OK;
  for (int64_t i = 0; i < w->in->regions->count && status == GV_OK; i++) {
    gv_points seeds = seeds_of(w, i, &next);
    /* No seeds are left if no cell of a value has a place in the grid's coordinate system. */
    if (seeds.count > 0)
      status = gv_voronoi_create(w->in->context, &w->in->grid.grid, &seeds, &one, &w->each[i]);
  }
  return gv_io_pass_on_library(io, w->in->context, status);
}

/* Regions for statistics and distances by value, if seeds are cells. */
static gv_status make_regions(gv_io *io, gv_run_work *w, const gv_voronoi_options *options) {
  if (w->plan->job->distance_per_value) GV_TRY(make_each(io, w, options));
  if (w->plan->job->stats == NULL || w->in->cells.region == NULL) return GV_OK;
  /* It computes nothing: the reference engine keeps every seed, and prepares nothing. */
  gv_voronoi_options counted = *options;
  gv_points places = gv_points_xy(w->in->regions->x, w->in->regions->y, w->in->regions->count);
  counted.backend = "serial";
  counted.labels = NULL;
  counted.nodata = -1;
  gv_status status = gv_voronoi_create(w->in->context, &w->in->grid.grid, &places, &counted, &w->counted);
  return gv_io_pass_on_library(io, w->in->context, status);
}

gv_status gv_run_create_grids(gv_io *io, gv_run_work *w) {
  const gv_run_plan *plan = w->plan;
  gv_context *context = w->in->context;
  gv_voronoi_options options = gv_run_options(w->in);
  if (!w->source.computes) options.backend = "serial"; /* it computes nothing, and prepares nothing */
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
  if (w->in->cells.cells != NULL) GV_TRY(make_regions(io, w, &options));
  if (w->plan->job->stats == NULL) return GV_OK;
  const gv_voronoi *of = w->counted != NULL ? w->counted : w->voronoi;
  return gv_io_pass_on_library(io, context, gv_run_make_statistics(w, context, of, &w->statistics));
}
