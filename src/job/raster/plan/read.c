/* The inputs of a run: seeds, grid, mask and sums. */
#include "job/raster/plan/read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <gdal.h>

#include "cells/facts.h"
#include "io/crs/crs.h"
#include "io/crs/metric.h"
#include "io/in/cells/cell_places.h"
#include "io/in/raster_in.h"

gv_status gv_job_list_inputs(gv_io *io, const gv_job *j, gv_inputs *inputs) {
  const unsigned raster = GDAL_OF_RASTER, vector = GDAL_OF_VECTOR, either = raster | vector;
  /* parts contain the results of masks and sums: these are not opened */
  const bool merges = j->merged_count > 0;
  const gv_seed_options *seeds = &j->seeds;
  const gv_cells_of *cells = &j->grid.cells_of;
  const gv_input fixed[] = {{seeds->source, vector, seeds->layer, seeds->open_options, NULL},
                            {j->raster_seeds.source, raster, NULL, seeds->open_options, NULL},
                            {j->grid.like, raster, NULL, j->grid.like_options, NULL},
                            {j->mask.source, merges ? 0 : either, j->mask.layer, j->mask.open_options, NULL},
                            {j->grid.extent_of, either, j->grid.extent_layer, j->grid.extent_options, NULL},
                            {gv_cells_of_are_read(cells) ? cells->source : NULL, vector, NULL, NULL, NULL},
                            {j->cost.path, raster, NULL, j->cost.open_options, NULL},
                            {j->barriers.path, vector, j->barriers.layer, j->barriers.open_options, NULL},
                            {j->from.path, vector, j->from.layer, j->from.open_options, NULL},
                            {j->config, 0, NULL, NULL, NULL}};
  gv_status status = GV_OK;
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed && status == GV_OK; i++)
    status = gv_inputs_add(io, inputs, fixed[i]);
  for (int i = 0; i < j->sum_count && status == GV_OK; i++)
    status = gv_inputs_add(io, inputs,
                           (gv_input){j->sums[i].path, merges ? 0 : raster, NULL, j->sum_options, NULL});
  for (int i = 0; i < j->merged_count && status == GV_OK; i++)
    status = gv_inputs_add(io, inputs, (gv_input){j->merged[i], 0, NULL, NULL, NULL});
  return status;
}

gv_status gv_run_make_context(gv_io *io, const gv_job *j, gv_context **out) {
  gv_context_options options;
  gv_context_options_init(&options);
  options.threads = j->threads;
  options.device = j->device;
  options.progress = gv_io_go_on;
  options.progress_user = io;
  return gv_context_create(&options, out) == GV_OK ? GV_OK : gv_io_fail_memory(io, "the threads");
}

/* ----------------------------------------------------------------------------------- seeds that are cells */

/* The job's, with what both kinds of seeds share. */
static gv_status open_cells(gv_io *io, const gv_run_inputs *in, gv_raster_seed_options *options,
                            gv_raster_seed_reader *reader) {
  *options = in->job->raster_seeds;
  options->crs = in->job->seeds.crs;
  options->open_options = in->job->seeds.open_options;
  options->threads = in->threads;
  return gv_raster_seeds_open(io, options, reader);
}

static gv_status make_grid(gv_io *io, gv_seed_list *seeds, const gv_grid_options *like, gv_run_inputs *in) {
  gv_grid_options options = *like;
  if (in->job->seeds.crs != NULL) options.seeds_source = gv_job_seeds(in->job);
  if (in->job->cost.path != NULL) {
    options.like = in->job->cost.path;
    options.like_is_cost = true;
    options.like_options = in->job->cost.open_options;
  }
  return gv_raster_grid_make(io, &options, seeds, &in->grid);
}

/* The raster's own grid, or its extent, unless others are requested. It must have or be given a coordinate
 * system if the grid has one. */
static gv_status make_grid_of_cells(gv_io *io, const gv_raster_seed_reader *reader, gv_run_inputs *in) {
  const gv_job *j = in->job;
  gv_grid_options grid = j->grid;
  gv_seed_list sample = GV_SEED_LIST_INIT;
  if (reader->crs == NULL && grid.crs != NULL) {
    return gv_io_fail_as(io, GV_CODE_CRS_MISSING, GV_ERROR_INVALID_ARGUMENT,
                         "--seeds-raster: %s: missing coordinate system; the grid is in %s; use --seeds-crs",
                         j->raster_seeds.source, grid.crs);
  }
  bool open = grid.like == NULL && !grid.has_extent && grid.extent_of == NULL && !grid.has_level;
  bool same = !grid.has_resolution && !grid.has_size && grid.crs == NULL;
  if (open) {
    *(same ? &grid.like : &grid.extent_of) = j->raster_seeds.source;
    *(same ? &grid.like_options : &grid.extent_options) = j->seeds.open_options;
  }
  gv_status status = gv_raster_seeds_sample(io, reader, &sample);
  if (status == GV_OK) status = make_grid(io, &sample, &grid, in);
  gv_seeds_free(&sample);
  return status;
}

static gv_status copy_sources(gv_io *io, const gv_raster_seed_reader *reader, gv_seed_list *seeds) {
  const double *g = reader->geotransform;
  seeds->source_x = malloc((size_t)seeds->count * sizeof *seeds->source_x);
  seeds->source_y = malloc((size_t)seeds->count * sizeof *seeds->source_y);
  if (seeds->source_x == NULL || seeds->source_y == NULL) return gv_io_fail_memory(io, "the seeds");
  for (int64_t i = 0; i < seeds->count; i++) {
    double column = (double)(seeds->fids[i] % reader->width) + 0.5,
           row = (double)(seeds->fids[i] / reader->width) + 0.5;
    seeds->source_x[i] = (g[0] + column * g[1]) + row * g[2];
    seeds->source_y[i] = (g[3] + column * g[4]) + row * g[5];
  }
  return GV_OK;
}

/* And the grid, unless it is there already. */
static gv_status read_cells(gv_io *io, gv_run_inputs *in) {
  const gv_job *j = in->job;
  bool by_cell = j->raster_seeds.by_cell, regions = j->stats != NULL || j->polygons != NULL;
  gv_raster_seed_options options;
  gv_raster_seed_reader reader;
  gv_raster_seed_request request = {.grid = &in->grid,
                                    .skip_invalid = j->seeds.skip_invalid,
                                    .all = (by_cell && (j->k > 1 || regions)) || j->cost.path != NULL,
                                    .as_features = j->k > 1 && !by_cell};
  gv_status status = open_cells(io, in, &options, &reader);
  if (status == GV_OK && in->grid.grid.width == 0) status = make_grid_of_cells(io, &reader, in);
  if (status == GV_OK) status = gv_raster_seeds_read(io, in->context, &reader, &request, &in->cells);
  if (status == GV_OK && by_cell && j->stats != NULL) status = copy_sources(io, &reader, &in->cells.seeds);
  in->seeds = &in->cells.seeds;
  in->regions = in->cells.region != NULL ? &in->cells.regions : in->seeds;
  gv_raster_seeds_close(&reader);
  return status;
}

static gv_status read_cells_header(gv_io *io, gv_run_inputs *in, bool *narrow) {
  gv_raster_seed_options options;
  gv_raster_seed_reader reader;
  gv_status status = open_cells(io, in, &options, &reader);
  if (status == GV_OK) status = make_grid_of_cells(io, &reader, in);
  if (status == GV_OK) *narrow = gv_raster_seeds_are_narrow(&reader);
  gv_raster_seeds_close(&reader);
  return status;
}

/* ----------------------------------------------------------------------------------------------- the rest */

void gv_run_open(gv_io *io, const gv_job *j, gv_context *context, gv_run_inputs *in) {
  in->job = j;
  in->context = context;
  in->threads = gv_context_threads(context);
  in->budget = gv_budget_of(j);
  io->memory = in->budget.memory;
  in->seeds = in->regions = &in->layer;
  in->seed_options = j->seeds;
  in->seed_options.keep_source = j->stats != NULL;
  in->seed_options.shapes = true;
  in->seed_options.positive_weights = j->weighting == GV_MULTIPLICATIVE;
}

/* Tables of positions have an entry a column and row. */
static gv_status check_sides(gv_io *io, const gv_run_inputs *in) {
  const gv_grid *grid = &in->grid.grid;
  const double need = ((double)grid->width + (double)grid->height) * gv_facts_of(grid)->table_bytes;
  if (need <= (double)in->budget.memory) return GV_OK;
  return gv_io_fail_as(
      io, GV_CODE_GRID_TOO_LARGE, GV_ERROR_INVALID_ARGUMENT,
      "grid: columns and rows of %" PRId64 " x %" PRId64
      " cells need %.2f GB of memory, but --memory allows %.2f GB; use fewer cells, or increase "
      "--memory",
      grid->width, grid->height, need * 1e-9, (double)in->budget.memory * 1e-9);
}

/* Distances in the library's unit, and checks of options that depend on the grid. */
static gv_status check_grid(gv_io *io, gv_run_inputs *in) {
  const gv_job *j = in->job;
  const gv_raster_grid *grid = &in->grid;
  bool globe = gv_metric_on_globe(grid->metric);
  const gv_length unit = {1.0, j->distance_unit};
  GV_TRY(check_sides(io, in));
  GV_TRY(gv_length_as_distance(io, "--max-distance", &j->max_distance, globe, grid->crs, &in->max_distance));
  GV_TRY(gv_length_as_distance(io, "--distance-unit", &unit, globe, grid->crs, &in->distance_size));
  GV_REQUIRE(io, j->cost.path == NULL || in->cells.cells == NULL || in->cells.same_cells,
             "--seeds-raster: %s: its cells are not those of --cost %s; warp it to the same cells",
             gv_job_seeds(j), j->cost.path);
  GV_REQUIRE(io, j->cost.path == NULL || !gv_facts_of(&grid->grid)->inverse,
             "--cost: %s: metric %s is unsupported for projected and rotated rasters; use --metric euclidean",
             j->cost.path, gv_metric_name(grid->metric));
  if (j->barriers.path != NULL && grid->metric != GV_EUCLIDEAN && !globe) {
    return gv_io_fail_as(io, GV_CODE_METRIC_REFUSED, GV_ERROR_INVALID_ARGUMENT,
                         "--barriers: unsupported metric (%s); use --metric euclidean",
                         gv_metric_name(grid->metric));
  }
  if (j->weighting == GV_POWER && grid->metric != GV_EUCLIDEAN && grid->metric != GV_GREAT_CIRCLE) {
    return gv_io_fail_as(io, GV_CODE_METRIC_REFUSED, GV_ERROR_INVALID_ARGUMENT,
                         "--weighting power: unsupported metric (%s); use euclidean or great-circle",
                         gv_metric_name(grid->metric));
  }
  const bool turned = gv_facts_of(&grid->grid)->inverse && gv_crs_is_lonlat(grid->crs);
  GV_REQUIRE(
      io, j->stats == NULL || !turned || grid->globe == NULL,
      "--stats: unsupported for --level on longitudes from another meridian than Greenwich; remove --crs");
  GV_REQUIRE(io, j->stats == NULL || !turned,
             "--stats: unsupported for a rotated grid of longitudes and latitudes");
  return GV_OK;
}

/* The mask and the sums, or only the mask. */
static gv_status open_overlays(gv_io *io, bool sums, gv_run_inputs *in) {
  const gv_job *j = in->job;
  const bool triangles = sums && in->triangles.grid.width > 0;
  const gv_readers readers = {in->threads, j->sum_count + 1 + triangles, in->budget.reading, &in->grid};
  if (j->mask.source != NULL) GV_TRY(gv_mask_open(io, &j->mask, &in->grid, readers, &in->mask));
  if (j->mask.source != NULL && triangles) {
    gv_readers of_triangles = readers;
    of_triangles.grid = &in->triangles;
    GV_TRY(gv_mask_open(io, &j->mask, &in->triangles, of_triangles, &in->triangle_mask));
  }
  for (int i = 0; i < j->sum_count && sums; i++) {
    gv_raster_source source = {j->sums[i].path, j->sum_options, 1};
    GV_TRY(gv_overlay_open(io, source, &in->grid, readers, &in->overlay[i]));
  }
  return GV_OK;
}

/* Places that were read: from their coordinate system to the grid's coordinates. */
static gv_status read_transform(gv_io *io, const char *option, const char *path, const gv_raster_grid *grid,
                                gv_seed_list *places) {
  GV_TRY(gv_check_alignable(io, option, path, places->crs, grid));
  return gv_io_of_option(io, gv_raster_grid_transform(io, grid, places), option);
}

/* Lines and polygons, in the grid's coordinates. */
static gv_status read_barriers(gv_io *io, gv_run_inputs *in) {
  const gv_job_barriers *barriers = &in->job->barriers;
  if (barriers->path == NULL) return GV_OK;
  GV_REQUIRE(io, in->seeds->shapes == NULL,
             "--barriers: %s: unsupported seeds (lines or polygons); use points, e.g. vertices or centroids",
             gv_job_seeds(in->job));
  GV_TRY(
      gv_job_barriers_read(io, barriers, in->job->seeds.edges, in->job->seeds.skip_invalid, &in->barriers));
  if (in->barriers.count == 0) return GV_OK;
  return read_transform(io, "--barriers", barriers->path, &in->grid, &in->barriers);
}

/* Points, in the grid's coordinates. */
static gv_status read_from(gv_io *io, gv_run_inputs *in) {
  const gv_job_from *from = &in->job->from;
  in->from_options = (gv_seed_options){.source = from->path,
                                       .layer = from->layer,
                                       .open_options = from->open_options,
                                       .crs = from->crs,
                                       .crs_option = "--from-crs",
                                       .layer_option = "--from-layer",
                                       .columns_remedy = "rename the columns to lon and lat, or x and y",
                                       .skip_invalid = in->job->seeds.skip_invalid,
                                       .queries = true};
  if (from->path == NULL) return GV_OK;
  GV_TRY(gv_io_of_option(io, gv_seeds_read(io, &in->from_options, &in->from), "--from"));
  return read_transform(io, "--from", from->path, &in->grid, &in->from);
}

/* Other cells in place of the grid's own. */
static gv_status read_lists(gv_io *io, gv_run_inputs *in) {
  const gv_cells_of *cells = &in->job->grid.cells_of;
  if (!gv_cells_of_lists(cells)) return GV_OK;
  GV_TRY(gv_cell_places_read(io, cells, "--cells-of", in->job->seeds.skip_invalid, &in->centers));
  return gv_cell_places_put(io, cells, "--cells-of", in->threads, &in->grid, &in->centers);
}

gv_status gv_run_read(gv_io *io, gv_run_inputs *in) {
  const gv_job *j = in->job;
  if (j->raster_seeds.source != NULL) {
    GV_TRY(read_cells(io, in));
  } else {
    GV_TRY(gv_seeds_read(io, &in->seed_options, &in->layer));
    GV_TRY(make_grid(io, &in->layer, &j->grid, in));
  }
  GV_TRY(check_grid(io, in));
  GV_TRY(read_lists(io, in));
  GV_TRY(read_barriers(io, in));
  GV_TRY(read_from(io, in));
  if (j->grid.has_level && (j->cells != NULL || j->mesh != NULL))
    GV_TRY(gv_raster_grid_of_triangles(io, &in->grid, &in->triangles));
  if (in->seeds->shapes != NULL) in->features = gv_seeds_features(in->seeds);
  /* Parts contain the results of masks and sums. */
  return j->merged_count > 0 ? GV_OK : open_overlays(io, true, in);
}

gv_status gv_run_read_overview(gv_io *io, const gv_run_inputs *first, int64_t width, int64_t height,
                               gv_run_inputs *in) {
  gv_run_open(io, first->job, first->context, in);
  in->seeds = in->regions = first->seeds;
  in->max_distance = first->max_distance;
  in->distance_size = first->distance_size;
  GV_TRY(gv_raster_grid_resize(io, &first->grid, width, height, &in->grid));
  if (first->cells.cells != NULL) GV_TRY(read_cells(io, in));
  if (in->seeds->shapes != NULL) in->features = gv_seeds_features(in->seeds);
  return open_overlays(io, false, in);
}

/* That there is one. */
static gv_status read_mask_header(gv_io *io, const char *source) {
  gv_gdal_reset();
  GDALDatasetH dataset =
      GDALOpenEx(source, GDAL_OF_RASTER | GDAL_OF_VECTOR | GDAL_OF_VERBOSE_ERROR, NULL, NULL, NULL);
  if (dataset == NULL)
    return gv_io_fail_gdal(io, GV_ERROR_IO, "--mask: cannot read %s as a raster or as polygons", source);
  GDALClose(dataset);
  return GV_OK;
}

gv_status gv_run_read_grid(gv_io *io, gv_run_inputs *in, bool *narrow) {
  const gv_job *j = in->job;
  if (j->raster_seeds.source != NULL) {
    GV_TRY(read_cells_header(io, in, narrow));
  } else {
    GV_TRY(gv_seeds_read_header(io, &in->seed_options, &in->layer, narrow));
    GV_TRY(make_grid(io, &in->layer, &j->grid, in));
  }
  if (j->mask.source != NULL) GV_TRY(read_mask_header(io, j->mask.source));
  return check_grid(io, in);
}

void gv_run_inputs_free(gv_run_inputs *in) {
  for (int i = 0; i < GV_JOB_MAX_SUMS; i++)
    gv_overlay_close(in->overlay[i]);
  gv_mask_close(in->mask);
  gv_mask_close(in->triangle_mask);
  gv_raster_grid_free(&in->grid);
  gv_raster_grid_free(&in->triangles);
  gv_raster_seeds_free(&in->cells);
  gv_seeds_free(&in->layer);
  gv_seeds_free(&in->centers);
  gv_seeds_free(&in->barriers);
  gv_seeds_free(&in->from);
}
