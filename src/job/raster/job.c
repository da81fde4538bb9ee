/*
 * The order of a run: inputs read, outputs planned, blocks computed and written in one pass, tables and polygons made of
 * what came out, everything put in its place at the end.
 */
#include "job/raster/budget.h"
#include "job/raster/run.h"

#include <stdlib.h>

#include <cpl_string.h>
#include <gdal.h>

#include "io/inputs.h"
#include "io/out/output.h"
#include "io/path.h"

enum { MAX_OUTPUTS = GV_RUN_RASTERS + 2 + GV_MESH_FORMATS };

/* Where all outputs go; gives their number. */
static int list_places(gv_run *r, gv_place **places) {
  int count = 0;
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    if (r->raster[i] != NULL && !(i == GV_RUN_OUT ? r->passing : r->j->parts > 0))
      places[count++] = gv_raster_place(r->raster[i]);
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    if (r->virtuals[i] != NULL) places[count++] = r->virtuals[i];
  if (r->stats != NULL) places[count++] = gv_table_place(r->stats);
  if (r->polygons != NULL) places[count++] = gv_table_place(r->polygons);
  return count + (r->mesh != NULL ? gv_mesh_places(r->mesh, places + count) : 0);
}

gv_status gv_job_list_inputs(gv_io *io, const gv_job *j, gv_inputs *inputs) {
  const unsigned raster = GDAL_OF_RASTER, vector = GDAL_OF_VECTOR, either = raster | vector;
  const bool merges = j->merged_count > 0; /* parts have what masks and sums have come to: those are not opened */
  const gv_seed_options *seeds = &j->seeds;
  const gv_input fixed[] = {{seeds->source, vector, seeds->layer, seeds->open_options, NULL},
                            {j->raster_seeds.source, raster, NULL, seeds->open_options, NULL},
                            {j->grid.like, raster, NULL, j->grid.like_options, NULL},
                            {j->mask.source, merges ? 0 : either, j->mask.layer, j->mask.open_options, NULL},
                            {j->grid.extent_of, either, j->grid.extent_layer, j->grid.extent_options, NULL},
                            {j->config, 0, NULL, NULL, NULL}};
  gv_status status = GV_OK;
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed && status == GV_OK; i++)
    status = gv_inputs_add(io, inputs, fixed[i]);
  for (int i = 0; i < j->sum_count && status == GV_OK; i++)
    status =
        gv_inputs_add(io, inputs, (gv_input){j->sums[i].path, merges ? 0 : raster, NULL, j->sum_options, NULL});
  for (int i = 0; i < j->merged_count && status == GV_OK; i++)
    status = gv_inputs_add(io, inputs, (gv_input){j->merged[i], 0, NULL, NULL, NULL});
  return status;
}

/* No output may replace a file or layer that is read, nor two outputs be one. */
static gv_status check_files(gv_run *r, gv_inputs *inputs) {
  gv_place *places[MAX_OUTPUTS];
  int count = list_places(r, places);
  gv_status status = gv_places_join(r->io, places, count);
  for (int i = 0; i < count && status == GV_OK; i++) {
    const gv_place *place = places[i];
    const char *path = place->output.path;
    if (gv_place_amends(place) && place->replaces &&
        (place->raster ? gv_inputs_read_raster(inputs, path, place->layer)
                       : gv_inputs_read_layer(inputs, path, place->layer, place->layers))) {
      status = gv_io_fail_as(r->io, GV_CODE_OUTPUT_IS_INPUT, GV_ERROR_INVALID_ARGUMENT,
                             "%s: the %s %s of %s is an input too", place->option, gv_place_noun(place),
                             place->layer, path);
    } else if (!gv_place_amends(place) && gv_inputs_find(inputs, path) != NULL) {
      status = gv_io_fail_as(r->io, GV_CODE_OUTPUT_IS_INPUT, GV_ERROR_INVALID_ARGUMENT, "%s: %s is an input too",
                             place->option, path);
    }
  }
  return status;
}

/* What goes together, as far as the options tell. */
static gv_status check_options(gv_io *io, const gv_job *j) {
  const char *triangles = j->cells != NULL ? "--cells" : "--mesh";
  if (j->cells == NULL && j->mesh == NULL) return GV_OK;
  if (j->parts > 0) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                      "--part: rasters have parts, %s has none: it takes a run of its own", triangles);
  }
  if (!j->grid.has_level) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s needs --level: it writes the mesh's triangles", triangles);
  }
  if (j->mask.source != NULL) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s answers all triangles: it does not go with --mask",
                      triangles);
  }
  return GV_OK;
}

/* Polygons are traced in a raster: without OUT in one beside them that never gets a place. */
static gv_status plan_passing(gv_run *r) {
  char *path = gv_path_add(r->j->polygons, ".cells.tif");
  if (path == NULL) return gv_io_fail_memory(r->io, "a file name");
  gv_raster_options options = {.option = "--polygons",
                               .path = path,
                               .overwrite = true,
                               .threads = r->j->raster.threads,
                               .memory = r->j->raster.memory,
                               .cell_bytes = r->j->raster.cell_bytes};
  r->passing = true;
  gv_status status = gv_raster_plan(r->io, &options, &r->raster[GV_RUN_OUT]);
  free(path);
  return status;
}

/* A part's rasters: all but that of the ids are written beside it, and never get a place. */
static gv_status plan_part(gv_run *r) {
  const gv_job *j = r->j;
  const bool asked[GV_RUN_RASTERS] = {true, j->distance != NULL, j->azimuth != NULL};
  static const char *const endings[GV_RUN_RASTERS] = {"", ".distances.tif", ".azimuths.tif"};
  gv_status status = GV_OK;
  for (int i = 0; i < GV_RUN_RASTERS && status == GV_OK; i++) {
    gv_raster_options options = j->raster;
    char *path = gv_path_add(j->raster.path, endings[i]);
    if (path == NULL) return gv_io_fail_memory(r->io, "a file name");
    options.option = "--part";
    options.path = path;
    options.overwrite = options.overwrite || i != GV_RUN_OUT;
    if (asked[i]) status = gv_raster_plan(r->io, &options, &r->raster[i]);
    free(path);
  }
  return status;
}

static gv_status plan_virtual(gv_run *r, int raster, const gv_raster_options *options) {
  gv_place_options place = {.option = options->option, .path = options->path, .overwrite = options->overwrite};
  r->virtuals[raster] = calloc(1, sizeof *r->virtuals[raster]);
  if (r->virtuals[raster] == NULL) return gv_io_fail_memory(r->io, "the output");
  return gv_place_plan(r->io, r->virtuals[raster], &place);
}

static gv_status plan(gv_run *r) {
  const gv_job *j = r->j;
  if (j->parts > 0) return plan_part(r);
  const char *const paths[GV_RUN_RASTERS] = {j->raster.path, j->distance, j->azimuth};
  static const char *const names[GV_RUN_RASTERS] = {"OUT", "--distance", "--azimuth"};
  gv_mesh_options mesh = {j->cells, j->mesh, j->raster.overwrite};
  gv_status status = GV_OK;
  for (int i = 0; i < GV_RUN_RASTERS && status == GV_OK; i++) {
    gv_raster_options options = j->raster;
    options.path = paths[i];
    options.option = names[i];
    if (paths[i] == NULL) continue;
    status = gv_merge_is_virtual(j, paths[i]) ? plan_virtual(r, i, &options)
                                              : gv_raster_plan(r->io, &options, &r->raster[i]);
  }
  if (status == GV_OK && (j->cells != NULL || j->mesh != NULL)) {
    status = gv_mesh_plan(r->io, &mesh, j->grid.level, &r->mesh);
  }
  if (status == GV_OK && j->stats != NULL) {
    status = gv_table_plan(r->io, "--stats", j->stats, j->stats_layer != NULL ? j->stats_layer : "statistics",
                           j->raster.overwrite, &r->stats);
  }
  if (status == GV_OK && j->polygons != NULL) {
    status =
        gv_table_plan(r->io, "--polygons", j->polygons, j->polygons_layer != NULL ? j->polygons_layer : "regions",
                      j->raster.overwrite, &r->polygons);
    if (status == GV_OK && r->raster[GV_RUN_OUT] == NULL) status = plan_passing(r);
  }
  return status;
}

gv_status gv_job_run(gv_io *io, const gv_job *job) {
  gv_job own = *job, *j = &own;
  gv_run_settle(j);
  gv_run r = {.io = io, .j = j, .seeds = GV_SEED_LIST_INIT, .empty_seeds = -1};
  gv_place *places[MAX_OUTPUTS];
  gv_inputs inputs = {0};
  gv_status status = gv_job_list_inputs(io, j, &inputs);
  if (status == GV_OK && j->parts > 0) status = gv_run_settle_part(io, j);
  if (status == GV_OK) status = check_options(io, j);
  if (status == GV_OK) status = plan(&r);
  if (status == GV_OK) status = check_files(&r, &inputs);
  if (j->plan_only) goto end;
  if (status == GV_OK) status = gv_run_read(&r, j);
  if (status == GV_OK) status = gv_run_choose_values(&r);
  if (status == GV_OK) status = gv_run_choose_rows(&r);
  if (status == GV_OK && j->spread) status = gv_run_check_space(&r);
  if (status != GV_OK || r.rows == 0) goto end;
  if (status == GV_OK && j->merged_count > 0) status = gv_run_open_parts(&r);
  const char *backend = NULL;
  if (status == GV_OK && j->dry_run) status = gv_run_backend(&r, &backend);
  if (j->dry_run) goto end;
  /* All outputs are made before any is put in its place. */
  if (status == GV_OK && r.mesh != NULL) {
    gv_voronoi_options options = gv_run_question(&r);
    gv_mesh_question mesh = {&options, r.nodata, j->threads, j->device};
    status = gv_mesh_write(io, r.mesh, &r.grid, &r.seeds, &mesh);
  }
  if (status == GV_OK && gv_run_has_cells(&r)) status = gv_run_compute(&r);
  if (status == GV_OK && j->parts > 0) status = gv_run_write_part(&r);
  if (status == GV_OK) status = gv_run_write_virtuals(&r);
  if (status == GV_OK) status = gv_places_commit(io, places, list_places(&r, places), &inputs, j->sync);
  if (status == GV_OK) gv_run_warn(&r);
end:
  if (status == GV_OK && j->report != NULL) gv_run_report(&r, j->report);
  gv_run_free_computed(&r);
  gv_run_close_parts(&r);
  if (j->parts > 0) CSLDestroy(j->raster.creation_options);
  for (int i = 0; i < j->sum_count; i++)
    gv_overlay_close(r.overlay[i]);
  gv_mask_close(r.mask);
  gv_table_close(r.stats);
  gv_table_close(r.polygons);
  gv_mesh_close(r.mesh);
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    gv_raster_close(r.raster[i]);
    if (r.virtuals[i] != NULL) gv_place_clear(r.virtuals[i]);
    free(r.virtuals[i]);
  }
  gv_raster_grid_free(&r.grid);
  gv_seeds_free(&r.seeds);
  gv_inputs_free(&inputs);
  return status;
}
