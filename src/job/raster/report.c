#include "job/raster/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "io/crs/crs.h"
#include "job/raster/plan/rasters.h"

/* Values outside the grid are not lost by the overlay, but are worth a warning, as are negative ones: counts
 * of people have none, but numbers that stand for missing values. */
static void warn_of_sums(const gv_run_work *w) {
  for (int i = 0; i < w->plan->job->sum_count; i++) {
    gv_sum_totals sum = w->source.sum(w, i);
    double outside = sum.total - sum.inside, size = fmax(sum.bound, fmax(fabs(sum.total), fabs(sum.inside)));
    if (fabs(outside) > 1e-9 * size) {
      gv_io_warn(GV_CODE_SUM_OUTSIDE, 0,
                 "--sum %s: %.10g of its total of %.10g is outside the grid and not counted",
                 w->plan->job->sums[i].name, outside, sum.total);
    }
    const int64_t negative = w->in->overlay[i] != NULL ? gv_overlay_negative(w->in->overlay[i]) : 0;
    if (negative > 0) {
      gv_io_warn(GV_CODE_SUM_NEGATIVE, negative, "--sum %s: %" PRId64 " cells with negative values",
                 w->plan->job->sums[i].name, negative);
    }
  }
}

/* Seeds that the ways of a run do not start from; cells are counted by their regions, of which others may
 * start. */
static int64_t report_left_out(const gv_run_work *w) {
  return w->in->regions == w->in->seeds ? w->left_out : 0;
}

/* Seeds that are used and have no cell; -1: unknown. */
static int64_t report_without_cells(const gv_run_work *w) {
  return w->empty_seeds >= 0 ? w->empty_seeds - report_left_out(w) : -1;
}

/* A raster or a table in which there is nothing. */
static void warn_of_empty(const gv_run_work *w) {
  const gv_job *j = w->plan->job;
  int64_t cells = w->plan->width * w->plan->height;
  if (gv_run_empty(w) == cells) {
    bool limit = isfinite(j->max_distance.value), mask = j->mask.source != NULL;
    gv_io_warn(GV_CODE_CELLS_EMPTY, cells, "0 of %" PRId64 " cells have a seed: %s", cells,
               j->cost.path != NULL ? "no seed reaches one; check --cost, --mask and --max-distance"
               : gv_run_has_barriers(w->in)
                   ? "no seed reaches one; check --barriers, --mask and --max-distance"
               : mask && limit ? "check --mask and --max-distance"
               : mask          ? "--mask excludes all cells of the grid"
               : limit         ? "all seeds are farther away than --max-distance"
                               : "all cells of the grid are outside the globe");
  } else if (report_without_cells(w) > 0) {
    const int64_t without = report_without_cells(w);
    gv_io_warn(GV_CODE_SEEDS_WITHOUT_CELLS, without, "seeds without a cell: %" PRId64 " of %" PRId64, without,
               w->in->regions->count - report_left_out(w));
  }
}

void gv_run_warn_of_skipped(const gv_run_inputs *in) {
  const struct {
    const gv_seed_list *list;
    const char *option, *items;
  } read[] = {{in->seeds, NULL, "seeds"},
              {&in->barriers, "--barriers", "lines or polygons"},
              {&in->from, "--from", "points"},
              {&in->centers, "--cells-of", "points"}};
  for (size_t i = 0; i < sizeof read / sizeof *read; i++)
    gv_warn_of_skipped(read[i].option, read[i].items, read[i].list->skipped, read[i].list->count,
                       read[i].list->skipped_first);
}

void gv_run_warn(const gv_run_work *w) {
  const int64_t seeds = w->in->regions->count;
  warn_of_sums(w);
  gv_crs_warn_of_deprecated(w->in->grid.crs);
  if (w->workers != NULL) warn_of_empty(w);
  if (w->plan->unstyled) {
    gv_io_warn(GV_CODE_TABLE_MISSING, seeds,
               "no attribute table with names and colors: %" PRId64 " seeds are more than its %d rows", seeds,
               GV_MAX_NAMED_SEEDS);
  }
  gv_run_warn_of_skipped(w->in);
}

/* What the run would write. */
static void plan_outputs(const gv_run_plan *p, gv_job_report *out) {
  const gv_job *j = p->job;
  const int64_t triangles = gv_run_cells(p->in), seeds = p->in->regions->count;
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    int64_t values = p->width * p->height * p->bands[i],
            bytes = values * GDALGetDataTypeSizeBytes(p->type[i]);
    if (gv_job_path(j, i) == NULL) continue;
    out->planned[out->planned_count++] = (gv_planned_output){gv_job_raster_option(i), gv_job_path(j, i),
                                                             values, bytes, GDALGetDataTypeName(p->type[i])};
  }
  const gv_planned_output tables[] = {{"--stats", j->stats, seeds, -1, NULL},
                                      {"--ways", j->ways, p->in->from.count, -1, NULL},
                                      {"--polygons", j->polygons, seeds, -1, NULL},
                                      {"--cells", j->cells, triangles, -1, NULL},
                                      {"--mesh", j->mesh, triangles, -1, NULL}};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (tables[i].path != NULL) out->planned[out->planned_count++] = tables[i];
}

/* In place of a raster's grid. */
static void report_list(const gv_run_inputs *in, gv_job_report *out) {
  const gv_cells_of *cells = &in->job->grid.cells_of;
  out->width = gv_run_cells(in);
  out->height = 1;
  out->cell_width = out->cell_height = (double)NAN;
  gv_cells_of_describe(cells, out->cells_of, sizeof out->cells_of);
}

void gv_run_report(const gv_run_work *w) {
  const gv_job *j = w->plan->job;
  gv_job_report *out = j->report;
  const gv_raster_grid *grid = &w->in->grid;
  const double *g = grid->geotransform;
  *out = (gv_job_report){.metric = grid->metric,
                         .metric_reason = grid->metric_reason,
                         .width = grid->grid.width,
                         .height = grid->grid.height,
                         .cell_width = hypot(g[1], g[4]),
                         .cell_height = hypot(g[2], g[5]),
                         .level = j->grid.has_level ? j->grid.level : -1,
                         .empty_cells = w->workers != NULL ? gv_run_empty(w) : -1,
                         .memory = w->in->budget.memory,
                         .seeds = gv_run_seed_count(w->in) - report_left_out(w),
                         .seeds_skipped = w->in->seeds->skipped + report_left_out(w),
                         .seeds_without_cells = report_without_cells(w),
                         .backend = w->source.name != NULL ? w->source.name
                                    : w->on_device         ? "cuda-tile"
                                    : w->voronoi != NULL   ? gv_voronoi_backend(w->voronoi)
                                                           : NULL,
                         .requested_backend = j->backend,
                         .threads = w->worker_count};
  if (gv_cells_of_lists(&j->grid.cells_of)) report_list(w->in, out);
  if (j->dry_run) plan_outputs(w->plan, out);
  gv_crs_describe(grid->crs, out->crs, sizeof out->crs);
  char *unit = NULL;
  if (grid->crs != NULL && gv_crs_is_lonlat(grid->crs)) {
    OSRGetAngularUnits(grid->crs, &unit); /* owned by the CRS, as that below */
  } else if (grid->crs != NULL && OSRIsProjected(grid->crs)) {
    OSRGetLinearUnits(grid->crs, &unit);
  }
  snprintf(out->unit, sizeof out->unit, "%s", unit != NULL ? unit : "");
}
