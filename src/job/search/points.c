/* Points of files: of arrays, layers and rasters. */
#include "job/search/run.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/in/raster_seeds.h"
#include "io/path.h"

gv_search_points gv_search_points_of(const gv_search_source *source, const char *path, bool query) {
  gv_search_points s = {.source = source,
                        .path = path,
                        .option = query                  ? "--queries"
                                  : source->path != NULL ? "--reference"
                                                         : "--reference-raster",
                        .crs_option = query ? "--query-crs" : "--reference-crs",
                        .how = source->array,
                        .seeds = GV_SEED_LIST_INIT,
                        .dim = 2};
  s.how.columns_option = query ? "--query-columns" : "--columns";
  s.how.set = source->layer;
  s.how.usual_set = query ? "test" : "train";
  return s;
}

gv_status gv_search_points_find_kind(gv_io *io, gv_search_points *s, bool globe) {
  static const char *const texts[] = {".csv", ".txt", ".tsv", ".dat"};
  const gv_search_source *o = s->source;
  const char *path = o->path;
  bool set = path != NULL && o->layer != NULL && gv_array_has_sets(path);
  s->is_layer = (o->layer != NULL && !set) || o->crs != NULL || path == NULL || o->where != NULL ||
                o->x != NULL || o->open_options != NULL ||
                (strncmp(path, "/vsi", 4) == 0 && !o->standard_input);
  bool chosen = o->array.columns != NULL || o->array.header != GV_HEADER_AUTO, text = false;
  if (!s->is_layer && gv_array_is_text(path)) {
    size_t length = strlen(path) - (gv_path_ends(path, ".gz") ? 3 : 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
      text |= length > 4 && strncasecmp(path + length - 4, texts[i], 4) == 0;
    s->is_layer = !text || globe;
  }
  if (chosen && !(text && !s->is_layer)) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                      "%s: %s and --header are for text that is read as an array", s->path,
                      s->how.columns_option);
  }
  return text && !chosen && !s->is_layer ? gv_array_is_layer(io, path, &s->is_layer) : GV_OK;
}

static gv_status read_raster(gv_io *io, gv_search_run *run, gv_search_points *s) {
  gv_raster_seed_options how = run->job->raster;
  gv_raster_seed_reader reader;
  gv_raster_seed_content content = {.cells = NULL};
  const gv_raster_seed_request request = {.all = true};
  how.option = "--reference-raster";
  how.by_cell = true;
  how.crs = s->source->crs;
  how.crs_option = s->crs_option;
  how.open_options = s->source->open_options;
  gv_status status = gv_raster_seeds_open(io, &how, &reader);
  if (status == GV_OK) status = gv_raster_seeds_read(io, run->context, &reader, &request, &content);
  s->seeds = content.seeds;
  content.seeds = (gv_seed_list)GV_SEED_LIST_INIT;
  gv_raster_seeds_free(&content);
  gv_raster_seeds_close(&reader);
  return status;
}

static gv_status open_array(gv_io *io, gv_search_points *s) {
  GV_TRY(gv_array_open(io, s->path, &s->how, &s->array));
  s->dim = gv_array_dim(s->array);
  return GV_OK;
}

gv_status gv_search_points_open(gv_io *io, gv_search_run *run, gv_search_points *s) {
  const gv_search_job *job = run->job;
  const gv_search_source *o = s->source;
  bool reference = o == &job->reference;
  s->how.skip_invalid = job->skip_invalid;
  if (!s->is_layer) return open_array(io, s);
  s->layer =
      (gv_seed_options){.source = s->path,
                        .layer = o->layer,
                        .where = o->where,
                        .crs = o->crs,
                        .crs_option = s->crs_option,
                        .layer_option = reference ? NULL : "--query-layer",
                        .columns_remedy = reference ? NULL : "name the columns with --query-x and --query-y",
                        .x_field = o->x,
                        .y_field = o->y,
                        .z_field = o->z,
                        .open_options = o->open_options,
                        .heights = true,
                        .skip_invalid = job->skip_invalid,
                        .shapes = reference,
                        .queries = !reference,
                        .edges = job->edges,
                        .boundary = job->boundary};
  if (o->path == NULL) return read_raster(io, run, s);
  gv_status status = gv_seeds_read(io, &s->layer, &s->seeds);
  if (status == GV_OK) status = gv_seeds_require_some(io, &s->seeds);
  return gv_io_of_option(io, status, s->option);
}

void gv_search_points_close(gv_search_points *s) {
  gv_array_close(s->array);
  gv_seeds_free(&s->seeds);
  free(s->rows);
}

gv_status gv_search_points_make_rows(gv_io *io, gv_search_points *s) {
  const double *z = s->seeds.z;
  s->dim = z != NULL ? 3 : 2;
  s->rows = malloc((size_t)s->seeds.count * (size_t)s->dim * sizeof *s->rows);
  if (s->rows == NULL) return gv_io_fail_memory(io, "the points");
  for (int64_t i = 0; i < s->seeds.count; i++) {
    s->rows[i * s->dim] = s->seeds.x[i];
    s->rows[i * s->dim + 1] = s->seeds.y[i];
    if (z != NULL) s->rows[i * s->dim + 2] = z[i];
  }
  return GV_OK;
}

gv_status gv_search_points_to_globe(gv_io *io, gv_search_points *s, OGRSpatialReferenceH globe) {
  gv_operation *operation = NULL;
  gv_status status = GV_OK;
  double scale = 1.0;
  if (gv_crs_is_lonlat(globe) && gv_crs_same(s->seeds.crs, globe)) {
    scale = gv_crs_unit_degrees(globe);
  } else {
    const double *x, *y;
    int64_t count;
    gv_seeds_places(&s->seeds, &x, &y, &count);
    status = gv_operation_to_globe(io, s->seeds.crs, globe, x, y, count, &operation);
  }
  if (status == GV_OK) status = gv_seeds_transform_shapes(io, &s->seeds, operation, globe, true, scale);
  if (status == GV_OK) status = gv_seeds_transform(io, &s->seeds, operation, true, scale);
  gv_operation_destroy(operation);
  return gv_io_of_option(io, status, s->option);
}

gv_status gv_search_points_count(gv_io *io, gv_search_points *s, int64_t *count) {
  *count = s->array != NULL ? gv_array_count(s->array) : s->seeds.count;
  if (*count >= 0) return GV_OK;
  gv_status status = gv_array_skip(io, s->array, INT64_MAX, count);
  gv_array_close(s->array);
  s->array = NULL;
  return status == GV_OK ? open_array(io, s) : status;
}
