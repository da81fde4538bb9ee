/* Points of files. */
#include "cli/search_source.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/standard_input.h"
#include "io/in/raster_seeds.h"

gv_status cli_source_find_kind(gv_io *io, source_options *options, bool globe) {
  const char *path = options->path;
  bool set = path != NULL && options->layer != NULL && gv_array_has_sets(path);
  options->is_layer = (options->layer != NULL && !set) || options->crs != NULL || options->raster != NULL ||
                      options->where != NULL || options->x != NULL || options->open_options != NULL ||
                      (path != NULL && strncmp(path, "/vsi", 4) == 0 && !cli_is_standard_input(path));
  static const char *const texts[] = {".csv", ".txt", ".tsv", ".dat"};
  bool chosen = options->array.columns != NULL || options->array.heading != GV_HEADING_AUTO, text = false;
  if (path != NULL && !options->is_layer && gv_array_is_text(path)) {
    size_t length = strlen(path) - (cli_ends_with(path, ".gz") ? 3 : 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
      text |= length > 4 && strncasecmp(path + length - 4, texts[i], 4) == 0;
    options->is_layer = !text || globe;
  }
  if (chosen && !(text && !options->is_layer)) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: %s and --header are about text that is read as an array",
                      path, options->array.columns_option);
  }
  return text && !chosen && !options->is_layer ? gv_array_is_layer(io, path, &options->is_layer) : GV_OK;
}

/* As the reader of layers takes them. */
static gv_seed_options layer_options(const search_settings *j, const source_options *options) {
  return (gv_seed_options){.source = options->path,
                           .layer = options->layer,
                           .where = options->where,
                           .crs = options->crs,
                           .crs_option = options->crs_option,
                           .x_field = options->x,
                           .y_field = options->y,
                           .z_field = options->z,
                           .open_options = options->open_options,
                           .heights = true,
                           .skip_invalid = j->skip_invalid};
}

static gv_status read_raster(gv_io *io, gv_context *context, const source_options *options, cli_source *s) {
  gv_raster_seed_options how = *options->raster;
  gv_raster_seed_reader reader;
  gv_raster_seed_content content = {.cells = NULL};
  const gv_raster_seed_question question = {.all = true};
  how.option = "--reference-raster";
  how.by_cell = true;
  how.crs = options->crs;
  how.crs_option = options->crs_option;
  how.open_options = options->open_options;
  gv_status status = gv_raster_seeds_open(io, &how, &reader);
  if (status == GV_OK) status = gv_raster_seeds_read(io, context, &reader, &question, &content);
  s->seeds = content.seeds;
  content.seeds = (gv_seed_list)GV_SEED_LIST_INIT;
  gv_raster_seeds_free(&content);
  gv_raster_seeds_close(&reader);
  return status;
}

gv_status cli_source_open(gv_io *io, gv_context *context, const search_settings *j, const source_options *options,
                          cli_source *s) {
  *s = (cli_source){.options = *options, .seeds = GV_SEED_LIST_INIT};
  if (!options->is_layer) {
    s->options.array.skip_invalid = j->skip_invalid;
    s->options.array.set = options->layer;
    s->options.array.usual_set = options == &j->reference ? "train" : "test";
    gv_status status = gv_array_open(io, options->path, &s->options.array, &s->array);
    if (status == GV_OK) s->dim = gv_array_dim(s->array);
    return status;
  }
  s->layer = layer_options(j, options);
  s->layer.shapes = options == &j->reference;
  s->layer.queries = !s->layer.shapes;
  s->layer.edges = j->edges;
  s->layer.boundary = j->boundary;
  s->dim = 2;
  if (options->raster != NULL) return read_raster(io, context, options, s);
  gv_status status = gv_seeds_read(io, &s->layer, &s->seeds);
  return status == GV_OK ? gv_seeds_require_some(io, &s->seeds) : status;
}

void cli_source_close(cli_source *s) {
  gv_array_close(s->array);
  gv_seeds_free(&s->seeds);
  free(s->rows);
}

gv_status cli_source_make_rows(gv_io *io, cli_source *s) {
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

gv_status cli_source_to_globe(gv_io *io, cli_source *s, OGRSpatialReferenceH globe) {
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
  if (status == GV_OK) status = gv_seeds_carry_shapes(io, &s->seeds, operation, globe, true, scale);
  if (status == GV_OK) status = gv_seeds_transform(io, &s->seeds, operation, true, scale);
  gv_operation_destroy(operation);
  return status;
}

gv_status cli_source_read(void *user, int64_t first, int64_t count, void *out) {
  cli_source_reading *r = user;
  gv_io own;
  gv_io_for_worker(r->io, &own);
  gv_status status = gv_array_read_at(&own, r->array, r->first + first, count, out);
  if (status == GV_OK) return GV_OK;
  pthread_mutex_lock(&r->lock);
  if (first < r->failed) {
    r->failed = first;
    gv_io_pass_on(r->io, status, &own);
  }
  pthread_mutex_unlock(&r->lock);
  return status;
}

gv_status cli_source_count(gv_io *io, cli_source *s, int64_t *count) {
  *count = s->array != NULL ? gv_array_count(s->array) : s->seeds.count;
  if (*count >= 0) return GV_OK;
  gv_status status = gv_array_skip(io, s->array, INT64_MAX, count);
  gv_array_close(s->array);
  s->array = NULL;
  return status == GV_OK ? gv_array_open(io, s->options.path, &s->options.array, &s->array) : status;
}
