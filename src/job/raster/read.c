/* The inputs of a run: seeds, grid, mask and sums. */
#include "job/raster/budget.h"
#include "job/raster/run.h"

#include <gdal.h>

#include "io/crs.h"
#include "io/metric.h"

/* What goes together once the grid is known. */
static gv_status check_grid(const gv_run *r) {
  const gv_job *j = r->j;
  if (j->weighting == GV_POWER && r->grid.metric != GV_EUCLIDEAN && r->grid.metric != GV_GREAT_CIRCLE) {
    return gv_io_fail_as(r->io, GV_CODE_METRIC_REFUSED, GV_ERROR_INVALID_ARGUMENT,
                         "--weighting power: its metric is euclidean or great-circle, not %s",
                         gv_metric_name(r->grid.metric));
  }
  if (j->stats != NULL && r->grid.grid.kind == GV_GRID_PROJECTED && gv_crs_is_lonlat(r->grid.crs)) {
    return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT,
                      "--stats: a rotated grid of longitudes and latitudes has no rows of equal area");
  }
  return GV_OK;
}

/* Of all threads, for what is done before and between blocks. */
static gv_status make_context(gv_run *r) {
  gv_context_options options;
  gv_context_options_init(&options);
  options.threads = r->j->threads;
  options.device = r->j->device;
  options.progress = gv_io_go_on;
  options.progress_user = r->io;
  return gv_context_create(&options, &r->context) == GV_OK ? GV_OK : gv_io_fail_memory(r->io, "the threads");
}

static gv_status read_seeds(gv_run *r, gv_job *j) {
  gv_status status = make_context(r);
  r->regions = &r->seeds;
  if (status != GV_OK) return status;
  if (j->raster_seeds.source != NULL) return gv_run_read_cells(r, j);
  status = gv_seeds_read(r->io, &j->seeds, &r->seeds);
  return status == GV_OK ? gv_raster_grid_make(r->io, &j->grid, &r->seeds, &r->grid) : status;
}

static gv_readers readers_of(const gv_run *r) {
  const gv_job *j = r->j;
  return (gv_readers){j->threads, j->sum_count + 1, gv_budget_of(j).reading, &r->grid};
}

gv_status gv_run_open_mask(gv_run *r) {
  if (r->j->mask.source == NULL) return GV_OK;
  return gv_mask_open(r->io, &r->j->mask, &r->grid, readers_of(r), &r->mask);
}

/* Distances in the library's unit. */
static gv_status convert_units(gv_run *r, gv_job *j) {
  bool globe = gv_metric_on_globe(r->grid.metric);
  r->distance_size = 1.0;
  gv_status status =
      gv_unit_of_distance(r->io, "--max-distance", &j->max_distance_unit, globe, r->grid.crs, &j->max_distance);
  if (status != GV_OK) return status;
  return gv_unit_of_distance(r->io, "--distance-unit", &j->distance_unit, globe, r->grid.crs, &r->distance_size);
}

gv_status gv_run_read(gv_run *r, gv_job *j) {
  gv_status status = read_seeds(r, j);
  if (status == GV_OK) status = convert_units(r, j);
  if (status == GV_OK) status = check_grid(r);
  if (status == GV_OK && r->seeds.shapes != NULL) r->features = gv_seeds_features(&r->seeds);
  if (j->merged_count > 0) return status; /* parts have what masks and sums have come to */
  if (status == GV_OK) status = gv_run_open_mask(r);
  for (int i = 0; i < j->sum_count && status == GV_OK; i++)
    status = gv_overlay_open(r->io, (gv_raster_source){j->sums[i].path, j->sum_options}, &r->grid, readers_of(r),
                             &r->overlay[i]);
  return status;
}

/* That there is one. */
static gv_status look_at_mask(gv_run *r) {
  const char *source = r->j->mask.source;
  if (source == NULL) return GV_OK;
  gv_gdal_reset();
  GDALDatasetH dataset =
      GDALOpenEx(source, GDAL_OF_RASTER | GDAL_OF_VECTOR | GDAL_OF_VERBOSE_ERROR, NULL, NULL, NULL);
  if (dataset == NULL)
    return gv_io_fail_gdal(r->io, GV_ERROR_IO, "--mask: cannot read %s as a raster or as polygons", source);
  GDALClose(dataset);
  return GV_OK;
}

gv_status gv_run_look(gv_run *r, gv_job *j, bool *narrow) {
  gv_status status;
  r->regions = &r->seeds;
  if (j->raster_seeds.source != NULL) {
    status = gv_run_look_at_cells(r, j, narrow);
  } else {
    status = gv_seeds_look(r->io, &j->seeds, &r->seeds, narrow);
    if (status == GV_OK) status = gv_raster_grid_make(r->io, &j->grid, &r->seeds, &r->grid);
  }
  if (status == GV_OK) status = convert_units(r, j);
  if (status == GV_OK) status = look_at_mask(r);
  return status == GV_OK ? check_grid(r) : status;
}

void gv_run_settle(gv_job *j) {
  if (j->memory == 0) j->memory = gv_budget_default();
  j->raster.memory = gv_budget_of(j).waiting;
  int64_t real = j->distance_type == GDT_Float64 ? 8 : 4;
  j->raster.cell_bytes = j->k * (4 + (j->distance != NULL ? real : 0) + (j->azimuth != NULL ? 4 : 0));
  j->seeds.keep_source = j->stats != NULL;
  j->seeds.shapes = true;
  j->raster_seeds.crs = j->seeds.crs;
  if (j->seeds.crs != NULL)
    j->grid.seeds_source = j->raster_seeds.source != NULL ? j->raster_seeds.source : j->seeds.source;
  j->raster_seeds.open_options = j->seeds.open_options;
  if (j->raster.path != NULL && gv_merge_is_virtual(j, j->raster.path)) j->no_style = true; /* no cell is read */
  j->seeds.positive_weights = j->weighting == GV_MULTIPLICATIVE;
}
