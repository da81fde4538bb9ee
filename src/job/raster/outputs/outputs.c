/* Outputs: planned, made in temporary directories, and put in their places together. */
#include "job/raster/outputs/outputs.h"

#include <stdlib.h>
#include <string.h>

#include <cpl_string.h>

#include "io/format.h"
#include "io/out/polygons.h"
#include "io/path.h"
#include "job/raster/compute/compute.h"
#include "job/raster/outputs/part_encoding.h"
#include "job/raster/outputs/statistics_table.h"
#include "job/raster/outputs/virtual_raster.h"
#include "job/raster/outputs/ways_table.h"
#include "job/raster/plan/budget.h"
#include "job/raster/plan/rasters.h"

enum { MOST_PLACES = GV_RUN_RASTERS + 3 + GV_MESH_FORMATS };

/* -------------------------------------------------------------------------------------------------------- planning */

/* Places of all outputs; returns their number. Rasters beside a part, and a temporary one for tracing polygons,
 * have no place. */
static int list_places(gv_run_outputs *out, gv_place **places) {
  int count = 0;
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    if (out->raster[i] != NULL && (i == GV_RUN_OUT ? !out->passing : out->job->parts == 0))
      places[count++] = gv_raster_place(out->raster[i]);
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    if (out->virtuals[i].output.path != NULL) places[count++] = &out->virtuals[i];
  if (out->stats != NULL) places[count++] = gv_table_place(out->stats);
  if (out->polygons != NULL) places[count++] = gv_table_place(out->polygons);
  if (out->ways != NULL) places[count++] = gv_table_place(out->ways);
  return count + (out->mesh != NULL ? gv_mesh_places(out->mesh, places + count) : 0);
}

/* No output may replace a file or layer that is read, nor two outputs be one. */
static gv_status check_files(gv_io *io, gv_inputs *inputs, gv_run_outputs *out) {
  gv_place *places[MOST_PLACES];
  int count = list_places(out, places);
  GV_TRY(gv_places_join(io, places, count));
  for (int i = 0; i < count; i++) {
    const gv_place *place = places[i];
    const char *path = place->output.path;
    if (gv_place_amends(place) && place->replaces &&
        (place->raster ? gv_inputs_read_raster(inputs, path, place->layer)
                       : gv_inputs_read_layer(inputs, path, place->layer, place->layers))) {
      return gv_io_fail_as(io, GV_CODE_OUTPUT_IS_INPUT, GV_ERROR_INVALID_ARGUMENT,
                           "%s: the %s %s of %s is an input, too; use another name", place->option,
                           gv_place_noun(place), place->layer, path);
    }
    if (!gv_place_amends(place) && gv_inputs_find(inputs, path) != NULL) {
      return gv_io_fail_as(io, GV_CODE_OUTPUT_IS_INPUT, GV_ERROR_INVALID_ARGUMENT,
                           "%s: %s is an input, too; use another name", place->option, path);
    }
  }
  return GV_OK;
}

/* Checks of combinations, as far as the options define them. */
static gv_status check_options(gv_io *io, const gv_job *j) {
  const char *triangles = j->cells != NULL ? "--cells" : "--mesh";
  GV_REQUIRE(io, j->parts == 0 || strncmp(gv_job_seeds(j), "/vsimem/", 8) != 0,
             "--part: unsupported for seeds from standard input, as merge reads them again; write them to a file");
  if (j->cells == NULL && j->mesh == NULL) return GV_OK;
  GV_REQUIRE(io, j->parts == 0, "--part: unsupported with %s; use another run for it", triangles);
  GV_REQUIRE(io, j->grid.has_level || gv_cells_of_lists(&j->grid.cells_of), "%s: missing --level or --cells-of",
             triangles);
  GV_REQUIRE(io, j->mask.source == NULL || j->mesh == NULL,
             "--mesh: unsupported with --mask, as it has all triangles; use --cells");
  return GV_OK;
}

/* `ending`: of a raster beside `path` without a place of its own. */
static gv_status plan_raster(gv_io *io, int number, const char *option, const char *path, const char *ending,
                             int threads, gv_run_outputs *out) {
  const gv_job *j = out->job;
  char *file = gv_path_add(path, ending), **tiles = j->parts > 0 ? gv_run_part_options(j) : NULL;
  gv_raster_options options = {.option = option,
                               .path = file,
                               .driver = j->parts > 0 ? gv_format_tiled()->driver : j->raster.driver,
                               .creation_options = j->parts > 0 ? tiles : j->raster.creation_options,
                               .overwrite = j->raster.overwrite || ending[0] != '\0',
                               .threads = threads,
                               .memory = gv_budget_of(j).waiting,
                               .cell_bytes = gv_budget_cell_bytes(j, j->k)};
  if (out->passing) {
    options.driver = NULL;
    options.creation_options = NULL;
  }
  gv_status status =
      file != NULL ? gv_raster_plan(io, &options, &out->raster[number]) : gv_io_fail_memory(io, "a file name");
  free(file);
  CSLDestroy(tiles);
  return status;
}

/* A part's rasters are written beside it, except the ids, which become the part. */
static gv_status plan_rasters(gv_io *io, int threads, gv_run_outputs *out) {
  static const char *const options[GV_RUN_RASTERS] = {"OUT", "--distance", "--azimuth"},
                           *const endings[GV_RUN_RASTERS] = {"", ".distances.tif", ".azimuths.tif"};
  const gv_job *j = out->job;
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    const char *path = gv_job_path(j, i);
    if (path == NULL) continue;
    if (gv_merge_is_virtual(j, i)) {
      gv_place_options place = {.option = options[i], .path = path, .overwrite = j->raster.overwrite};
      GV_TRY(gv_place_plan(io, &out->virtuals[i], &place));
    } else if (j->parts > 0) {
      GV_TRY(plan_raster(io, i, "--part", j->raster.path, endings[i], threads, out));
    } else {
      GV_TRY(plan_raster(io, i, options[i], path, "", threads, out));
    }
  }
  return GV_OK;
}

static gv_status plan_others(gv_io *io, int threads, gv_run_outputs *out) {
  const gv_job *j = out->job;
  const gv_mesh_options mesh = {j->cells, j->mesh, j->raster.overwrite};
  const char *stats = j->stats_layer != NULL ? j->stats_layer : "statistics",
             *polygons = j->polygons_layer != NULL ? j->polygons_layer : "regions",
             *ways = j->ways_layer != NULL ? j->ways_layer : "ways";
  if (j->cells != NULL || j->mesh != NULL)
    GV_TRY(gv_mesh_plan(io, &mesh, j->grid.level, &j->grid.cells_of, &out->mesh));
  if (j->stats != NULL) GV_TRY(gv_table_plan(io, "--stats", j->stats, stats, j->raster.overwrite, &out->stats));
  if (j->ways != NULL) GV_TRY(gv_table_plan(io, "--ways", j->ways, ways, j->raster.overwrite, &out->ways));
  if (j->polygons == NULL) return GV_OK;
  GV_TRY(gv_table_plan(io, "--polygons", j->polygons, polygons, j->raster.overwrite, &out->polygons));
  /* They are traced in a raster. */
  out->passing = out->raster[GV_RUN_OUT] == NULL;
  return out->passing ? plan_raster(io, GV_RUN_OUT, "--polygons", j->polygons, ".cells.tif", threads, out) : GV_OK;
}

gv_status gv_run_plan_outputs(gv_io *io, const gv_job *j, gv_inputs *inputs, int threads, gv_run_outputs *out) {
  out->job = j;
  GV_TRY(check_options(io, j));
  GV_TRY(plan_rasters(io, threads, out));
  if (j->parts == 0) GV_TRY(plan_others(io, threads, out));
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    out->slot[i] = out->raster[i] != NULL ? out->written_count : -1;
    if (out->raster[i] != NULL) out->written[out->written_count++] = out->raster[i];
  }
  return check_files(io, inputs, out);
}

int64_t gv_run_part_rows(const gv_run_outputs *out) {
  if (out->job->parts == 0) return 0;
  return atoi(CSLFetchNameValueDef(gv_raster_creation_options(out->raster[GV_RUN_OUT]), "BLOCKYSIZE", "0"));
}

/* --------------------------------------------------------------------------------------------------------- writing */

gv_status gv_run_create_rasters(gv_io *io, const gv_run_plan *p, gv_run_outputs *out) {
  static const char *const variables[GV_RUN_RASTERS] = {"nearest", "distance", "azimuth"};
  const double *g = p->in->grid.geotransform, y = (double)p->first_row;
  const double geotransform[6] = {g[0] + y * g[2], g[1], g[2], g[3] + y * g[5], g[4], g[5]};
  gv_raster_description description[GV_RUN_RASTERS];
  char **metadata = NULL;
  int count = 0;
  if (out->written_count == 0) return GV_OK;
  GV_TRY(gv_run_metadata(io, p->in, &metadata));
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    if (out->raster[i] == NULL) continue;
    description[count++] = (gv_raster_description){.width = p->width,
                                                   .height = p->rows,
                                                   .geotransform = geotransform,
                                                   .crs = p->in->grid.crs,
                                                   .type = p->type[i],
                                                   .nodata = p->nodata,
                                                   .bands = p->bands[i],
                                                   .names = gv_run_band_names(p->in, i),
                                                   .unit = gv_run_unit(p->in, i),
                                                   .cell_bytes = p->job->distance_per_value ? p->cell_bytes : 0,
                                                   .variable = variables[i],
                                                   .metadata = metadata};
  }
  gv_status status = gv_raster_create(io, out->written, count, description);
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    out->copies = out->copies || (out->raster[i] != NULL && gv_raster_copies(out->raster[i]));
  for (int i = 0; i < count; i++)
    CSLDestroy(description[i].names);
  CSLDestroy(metadata);
  return status;
}

static gv_status add_style(gv_io *io, gv_run_work *w, gv_raster_out *raster) {
  gv_attribute_table table = {0};
  gv_status status = gv_run_make_table(io, w, false, &table);
  if (status == GV_OK && table.count > 0) status = gv_raster_set_table(io, raster, &table);
  gv_attribute_table_free(&table);
  return status;
}

static gv_status write_polygons(gv_io *io, const gv_run_inputs *in, gv_run_progress *progress,
                                gv_run_outputs *out) {
  gv_raster_out *raster = out->raster[GV_RUN_OUT];
  const gv_seed_options *source = in->cells.cells == NULL ? &in->seed_options : NULL;
  progress->to = out->copies ? 0.85 : 1.0;
  GV_TRY(gv_polygons_write(io, out->polygons, gv_raster_dataset(raster), in->grid.crs, source, in->regions,
                           gv_run_report_progress, progress));
  progress->from = progress->to;
  return GV_OK;
}

gv_status gv_run_complete(gv_io *io, gv_run_work *w, gv_run_progress *progress, gv_run_outputs *out) {
  progress->from = progress->to;
  if (w->plan->style) GV_TRY(add_style(io, w, out->raster[GV_RUN_OUT]));
  if (out->stats != NULL) GV_TRY(gv_run_write_statistics(io, w, out->stats));
  if (out->ways != NULL) GV_TRY(gv_run_write_ways(io, w, out->ways));
  if (out->polygons != NULL) GV_TRY(write_polygons(io, w->in, progress, out));
  progress->to = 1.0;
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    if (out->raster[i] == NULL || (i == GV_RUN_OUT && out->passing)) continue;
    GV_TRY(gv_raster_finish(io, out->raster[i], gv_run_report_progress, progress));
    progress->from = 1.0;
  }
  return GV_OK;
}

gv_status gv_run_commit(gv_io *io, gv_run_outputs *out, gv_inputs *inputs) {
  gv_place *places[MOST_PLACES];
  return gv_places_commit(io, places, list_places(out, places), inputs, out->job->sync);
}

void gv_run_outputs_free(gv_run_outputs *out) {
  gv_table_close(out->stats);
  gv_table_close(out->polygons);
  gv_table_close(out->ways);
  gv_mesh_close(out->mesh);
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    gv_raster_close(out->raster[i]);
    gv_place_clear(&out->virtuals[i]);
  }
}
