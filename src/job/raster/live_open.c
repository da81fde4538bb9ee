/* Opening and closing. */
#include "job/raster/live.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_string.h>

#include "job/raster/live_parts.h"

enum { MOST_LEVELS = 32 };

const gv_live_facts *gv_live_facts_of(const gv_live *live) {
  return &live->facts;
}

/* ---------------------------------------------------------------------------------------------------- freeing */

static void free_facts(gv_live_facts *facts) {
  for (int i = 0; i < facts->bands && facts->band != NULL; i++) {
    free(facts->band[i].name);
    free(facts->band[i].unit);
  }
  free(facts->band);
  if (facts->crs != NULL) OSRRelease(facts->crs);
}

void gv_live_close(gv_live *live) {
  if (live == NULL) return;
  /* Overviews borrow from level 0. */
  for (int i = live->facts.levels - 1; i >= 0; i--)
    gv_live_free_level(&live->level[i]);
  free(live->level);
  gv_context_destroy(live->context);
  gv_attribute_table_free(&live->table);
  gv_live_cache_free(&live->cache);
  free_facts(&live->facts);
  gv_job_settings_clear(&live->settings);
  gv_description_free(&live->description);
  free(live);
}

/* --------------------------------------------------------------------------------------------------- settings */

/* Bands replace the files of a run; options of missing files are left out. */
static gv_status apply(gv_io *io, gv_live *live) {
  gv_job_settings *s = &live->settings;
  gv_job *j = &s->job;
  gv_job_settings_begin(s);
  GV_TRY(gv_description_apply(io, &live->description, s));
  if (s->band_count == 0) s->bands[s->band_count++] = GV_RUN_OUT;
  j->distance = "distance";
  gv_status status = gv_job_settings_check(io, s);
  GV_REQUIRE(io, !gv_cells_of_lists(&j->grid.cells_of),
             "cells-of: HEALPix and files of places are not rasters; use the command with --cells FILE");
  /* Only some windows of an on-demand raster are computed: its size does not decide whether a device is faster. */
  if (strcmp(j->backend, "auto") == 0) j->backend = "tile";
  j->raster.path = gv_job_settings_has_band(s, GV_RUN_OUT) ? "id" : NULL;
  j->azimuth = gv_job_settings_has_band(s, GV_RUN_AZIMUTH) ? "azimuth" : NULL;
  if (gv_job_settings_has_band(s, GV_RUN_DISTANCE)) return status;
  j->distance = NULL;
  j->distance_unit = (gv_unit){.kind = GV_UNIT_NONE};
  j->signed_distance = j->distance_per_value = false;
  return status;
}

/* ------------------------------------------------------------------------------------------------------ facts */

static gv_status add_bands(gv_io *io, gv_live *live, const gv_run_inputs *in, int kind) {
  gv_live_facts *f = &live->facts;
  const GDALDataType types[GV_LIVE_KINDS] = {live->id_type, in->job->distance_type, GDT_Float32};
  char **names = gv_run_band_names(in, kind);
  const char *unit = gv_run_unit(in, kind);
  int count = gv_run_bands(in, kind);
  gv_live_band *more = realloc(f->band, (size_t)(f->bands + count) * sizeof *more);
  bool made = more != NULL;
  if (made) f->band = more;
  for (int i = 0; i < count && made; i++) {
    gv_live_band *b = &f->band[f->bands++];
    *b = (gv_live_band){kind, i, types[kind], strdup(names[i]), unit != NULL ? strdup(unit) : NULL};
    made = b->name != NULL && (unit == NULL || b->unit != NULL);
  }
  CSLDestroy(names);
  return made ? GV_OK : gv_io_fail_memory(io, "the bands");
}

/* Half of each side, and half of that ... */
static void add_levels(gv_live *live) {
  int64_t w = live->facts.width, h = live->facts.height;
  for (live->facts.levels = 0;;) {
    gv_live_level *level = &live->level[live->facts.levels++];
    level->width = w;
    level->height = h;
    if (w <= GV_LIVE_SMALLEST && h <= GV_LIVE_SMALLEST) return;
    w = (w + 1) / 2;
    h = (h + 1) / 2;
  }
}

/* Sets the facts that inputs with a grid define, once the type of ids is known. */
static gv_status take_facts(gv_io *io, gv_live *live, const gv_run_inputs *in) {
  enum { A_SIDE = 80 /* bytes that the library and GDAL have for each column and row of a level, about */ };
  const gv_raster_grid *grid = &in->grid;
  gv_live_facts *f = &live->facts;
  f->width = grid->grid.width;
  f->height = grid->grid.height;
  if (f->width + f->height > in->budget.memory / A_SIDE || f->width > INT64_MAX / 64 / f->height) {
    return gv_io_fail_as(io, GV_CODE_GRID_TOO_LARGE, GV_ERROR_INVALID_ARGUMENT,
                         "a grid of %" PRId64 " x %" PRId64 " cells is too large for --memory", f->width,
                         f->height);
  }
  memcpy(f->geotransform, grid->geotransform, sizeof f->geotransform);
  if (grid->crs != NULL) f->crs = OSRClone(grid->crs);
  if (grid->crs != NULL && f->crs == NULL) return gv_io_fail_memory(io, "a coordinate system");
  for (int i = 0; i < live->settings.band_count; i++)
    GV_TRY(add_bands(io, live, in, live->settings.bands[i]));
  add_levels(live);
  return GV_OK;
}

/* Reads the headers of the sources; *known: they define everything. */
static gv_status live_open_read_headers(gv_io *io, gv_live *live, bool *known) {
  const gv_job *j = &live->settings.job;
  gv_run_inputs in = {.job = NULL};
  bool narrow = false, by_cell = j->raster_seeds.by_cell;
  gv_status status = gv_run_look(io, j, &in, &narrow);
  *known = status == GV_OK && in.grid.grid.width > 0 && (narrow || by_cell) && !j->distance_per_value;
  live->id_type = by_cell ? GDT_Int64 : GDT_Int32;
  if (*known) status = take_facts(io, live, &in);
  gv_run_inputs_free(&in);
  return status;
}

/* ---------------------------------------------------------------------------------------------------- opening */

/* Reads the seeds if the headers do not define everything. */
static gv_status find_facts(gv_io *io, gv_live *live) {
  bool known = false;
  GV_TRY(live_open_read_headers(io, live, &known));
  if (known) return GV_OK;
  gv_status status = gv_live_read_first(live);
  if (status != GV_OK) return gv_io_pass_on(io, status, &live->io);
  live->id_type = live->level[0].plan.type[GV_RUN_OUT];
  return take_facts(io, live, &live->level[0].in);
}

/* On-demand rasters are made from stored data only: never from another on-demand raster or themselves. */
static gv_status check_sources(gv_io *io, gv_live *live) {
  gv_inputs inputs = {0};
  gv_status status = gv_job_list_inputs(io, &live->settings.job, &inputs);
  const char *nested = status == GV_OK ? gv_inputs_find_on_demand(&inputs) : NULL;
  if (nested != NULL) status = gv_live_refuse_nested(io, nested);
  gv_inputs_free(&inputs);
  return status;
}

static gv_status live_open_fill(gv_io *io, const char *name, char **options, gv_live *live) {
  GV_TRY(gv_live_describe(io, name, options, &live->description));
  GV_TRY(apply(io, live));
  GV_TRY(check_sources(io, live));
  GV_TRY(gv_run_make_context(&live->io, &live->settings.job, &live->context));
  GV_TRY(gv_live_cache_make(io, &live->cache));
  return find_facts(io, live);
}

gv_status gv_live_open(gv_io *io, const char *name, char **options, gv_live **out) {
  gv_live *live = calloc(1, sizeof *live);
  gv_live_level *level = calloc(MOST_LEVELS, sizeof *level);
  if (live == NULL || level == NULL) {
    free(live);
    free(level);
    return gv_io_fail_memory(io, "a raster");
  }
  live->level = level;
  live->facts.levels = 1;
  gv_status status = live_open_fill(io, name, options, live);
  if (status == GV_OK) {
    *out = live;
  } else {
    gv_live_close(live);
  }
  return status;
}

char **gv_live_files(gv_live *live) {
  gv_io io = {.cancelled = NULL};
  gv_inputs inputs = {0};
  char **files = NULL;
  if (gv_job_list_inputs(&io, &live->settings.job, &inputs) == GV_OK) files = gv_inputs_files(&inputs);
  gv_inputs_free(&inputs);
  return files;
}

void gv_live_size(const gv_live *live, int level, int64_t *width, int64_t *height) {
  *width = live->level[level].width;
  *height = live->level[level].height;
}
