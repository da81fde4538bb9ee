/* What people should know of outputs that are complete: each thing once, with counts; and what the run came to. */
#include "job/raster/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* What lies outside the grid is no loss of the overlay's, but people should know. */
static void warn_of_outside(const gv_run *r) {
  for (int i = 0; i < r->j->sum_count; i++) {
    gv_part_sum sum = gv_run_sum(r, i);
    double outside = sum.total - sum.inside;
    if (fabs(outside) > 1e-9 * sum.bound) {
      gv_io_warn(GV_CODE_SUM_OUTSIDE, 0,
                 "--sum %s: %.10g of its total of %.10g lies outside the grid and is not counted",
                 r->j->sums[i].name, outside, sum.total);
    }
  }
}

/* A raster or a table in which there is nothing. */
static void warn_of_empty(const gv_run *r) {
  if (gv_run_empty(r) == r->width * r->height) {
    bool limit = isfinite(r->j->max_distance), mask = r->j->mask.source != NULL;
    gv_io_warn(GV_CODE_CELLS_EMPTY, r->width * r->height, "0 of %" PRId64 " cells have a seed: %s",
               r->width * r->height,
               mask && limit ? "see --mask and --max-distance"
               : mask        ? "--mask leaves no cell of the grid"
               : limit       ? "all seeds are farther away than --max-distance"
                             : "no cell of the grid has a place on the globe");
  } else if (r->empty_seeds > 0) {
    gv_io_warn(GV_CODE_SEEDS_WITHOUT_CELLS, r->empty_seeds, "%" PRId64 " of %" PRId64 " seeds have no cell",
               r->empty_seeds, r->regions->count);
  }
}

void gv_run_warn_of_skipped(const gv_run *r) {
  if (r->seeds.skipped == 0) return;
  gv_io_warn(GV_CODE_SEEDS_SKIPPED, r->seeds.skipped,
             "%" PRId64 " seeds skipped, %" PRId64 " used; the first skipped: %s", r->seeds.skipped, r->seeds.count,
             r->seeds.skipped_first);
}

void gv_run_warn(const gv_run *r) {
  const gv_job *j = r->j;
  warn_of_outside(r);
  gv_crs_warn_of_deprecated(r->grid.crs);
  if (gv_run_has_cells(r)) {
    warn_of_empty(r);
    if (j->raster.path != NULL && !j->no_style && !r->style && !j->raster_seeds.by_cell) {
      gv_io_warn(GV_CODE_TABLE_MISSING, r->regions->count,
                 "no attribute table with names and colours: %" PRId64 " seeds are more than its %d rows",
                 r->regions->count, GV_MAX_NAMED_SEEDS);
    }
  }
  gv_run_warn_of_skipped(r);
}

static void plan_raster(const gv_run *r, int number, const char *option, gv_job_report *out) {
  const char *const paths[GV_RUN_RASTERS] = {r->j->raster.path, r->j->distance, r->j->azimuth};
  const GDALDataType types[GV_RUN_RASTERS] = {r->type, r->j->distance_type, GDT_Float32};
  if (paths[number] == NULL) return;
  int64_t values = r->grid.grid.width * r->grid.grid.height * gv_run_bands(r, number);
  out->planned[out->planned_count++] =
      (gv_planned_output){option, paths[number], values, values * GDALGetDataTypeSizeBytes(types[number]),
                          GDALGetDataTypeName(types[number])};
}

static void plan_table(const char *option, const char *path, int64_t rows, gv_job_report *out) {
  if (path != NULL) out->planned[out->planned_count++] = (gv_planned_output){option, path, rows, -1, NULL};
}

/* What the run would write. */
static void plan_outputs(const gv_run *r, gv_job_report *out) {
  int64_t triangles = r->j->grid.has_level ? INT64_C(8) << (2 * r->j->grid.level) : 0;
  plan_raster(r, GV_RUN_OUT, "OUT", out);
  plan_raster(r, GV_RUN_DISTANCE, "--distance", out);
  plan_raster(r, GV_RUN_AZIMUTH, "--azimuth", out);
  plan_table("--stats", r->j->stats, r->regions->count, out);
  plan_table("--polygons", r->j->polygons, r->regions->count, out);
  plan_table("--cells", r->j->cells, triangles, out);
  plan_table("--mesh", r->j->mesh, triangles, out);
}

void gv_run_report(const gv_run *r, gv_job_report *out) {
  const gv_raster_grid *grid = &r->grid;
  const double *g = grid->geotransform;
  *out = (gv_job_report){.metric = grid->metric,
                         .metric_reason = grid->metric_reason,
                         .width = grid->grid.width,
                         .height = grid->grid.height,
                         .cell_width = hypot(g[1], g[4]),
                         .cell_height = hypot(g[2], g[5]),
                         .level = r->j->grid.has_level ? r->j->grid.level : -1,
                         .empty_cells = gv_run_has_cells(r) && !r->j->dry_run ? gv_run_empty(r) : -1,
                         .memory = r->j->memory,
                         .seeds = gv_run_seed_count(r),
                         .seeds_skipped = r->seeds.skipped,
                         .seeds_without_cells = r->empty_seeds,
                         .backend = r->merge != NULL     ? "merge"
                                    : r->on_device       ? "cuda-tile"
                                    : r->voronoi != NULL ? gv_voronoi_backend(r->voronoi)
                                                         : NULL,
                         .backend_asked = r->j->backend,
                         .threads = r->worker_count > 0 ? r->worker_count : r->j->threads};
  if (r->j->dry_run) plan_outputs(r, out);
  gv_crs_describe(grid->crs, out->crs, sizeof out->crs);
  char *unit = NULL;
  if (grid->crs != NULL && gv_crs_is_lonlat(grid->crs)) {
    OSRGetAngularUnits(grid->crs, &unit); /* owned by the CRS, as that below */
  } else if (grid->crs != NULL && OSRIsProjected(grid->crs)) {
    OSRGetLinearUnits(grid->crs, &unit);
  }
  snprintf(out->unit, sizeof out->unit, "%s", unit != NULL ? unit : "");
}
