/* Opening and closing. */
#include "job/on_demand/on_demand.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_string.h>

#include "io/strings.h"

#include "job/backends.h"
#include "job/description/conflicts.h"
#include "job/on_demand/cache.h"
#include "job/on_demand/levels.h"
#include "job/on_demand/name.h"
#include "job/raster/plan/rasters.h"

enum { MOST_LEVELS = 32 };

const gv_on_demand_facts *gv_on_demand_facts_of(const gv_on_demand *on_demand) {
  return &on_demand->facts;
}

/* ------------------------------------------------------------------------------------------------ freeing */

static void free_facts(gv_on_demand_facts *facts) {
  for (int i = 0; i < facts->bands && facts->band != NULL; i++) {
    free(facts->band[i].name);
    free(facts->band[i].unit);
  }
  free(facts->band);
  if (facts->crs != NULL) OSRRelease(facts->crs);
}

void gv_on_demand_close(gv_on_demand *on_demand) {
  if (on_demand == NULL) return;
  /* Overviews borrow from level 0. */
  for (int i = on_demand->facts.levels - 1; i >= 0; i--)
    gv_on_demand_free_level(&on_demand->level[i]);
  free(on_demand->level);
  gv_context_destroy(on_demand->context);
  gv_attribute_table_free(&on_demand->table);
  gv_on_demand_cache_free(&on_demand->cache);
  free_facts(&on_demand->facts);
  gv_job_settings_clear(&on_demand->settings);
  gv_description_free(&on_demand->description);
  free(on_demand);
}

/* ----------------------------------------------------------------------------------------------- settings */

/* Bands replace the files of a run; options of missing files are left out. */
static gv_status apply(gv_io *io, gv_on_demand *on_demand) {
  gv_job_settings *s = &on_demand->settings;
  gv_job *j = &s->job;
  gv_job_settings_begin(s);
  GV_TRY(gv_description_apply(io, &on_demand->description, s));
  if (s->band_count == 0) s->bands[s->band_count++] = GV_RUN_OUT;
  j->distance = "distance";
  gv_status status = gv_job_settings_check(io, s);
  GV_REQUIRE(
      io, !gv_cells_of_lists(&j->grid.cells_of),
      "cells-of: unsupported for rasters (HEALPix, files of places); use the command with --cells FILE");
  GV_REQUIRE(io, j->barriers.path == NULL, "barriers: unsupported for on-demand rasters; use the command");
  /* Only some windows of an on-demand raster are computed: its size does not decide whether a device is
   * faster. */
  if (gv_job_backend_is_automatic(j->backend)) j->backend = "tile";
  j->raster.path = gv_job_settings_has_band(s, GV_RUN_OUT) ? "id" : NULL;
  j->azimuth = gv_job_settings_has_band(s, GV_RUN_AZIMUTH) ? "azimuth" : NULL;
  if (gv_job_settings_has_band(s, GV_RUN_DISTANCE)) return status;
  j->distance = NULL;
  j->distance_unit = (gv_unit){.kind = GV_UNIT_NONE};
  j->signed_distance = j->distance_per_value = false;
  return status;
}

/* -------------------------------------------------------------------------------------------------- facts */

static gv_status add_bands(gv_io *io, gv_on_demand *on_demand, const gv_run_inputs *in, int kind) {
  gv_on_demand_facts *f = &on_demand->facts;
  const GDALDataType types[GV_ON_DEMAND_KINDS] = {on_demand->id_type, in->job->distance_type, GDT_Float32};
  char **names = gv_run_band_names(in, kind);
  const char *unit = gv_run_unit(in, kind);
  int count = gv_run_bands(in, kind);
  gv_on_demand_band *more = realloc(f->band, (size_t)(f->bands + count) * sizeof *more);
  bool made = more != NULL && names != NULL;
  if (more != NULL) f->band = more;
  for (int i = 0; i < count && made; i++) {
    gv_on_demand_band *b = &f->band[f->bands++];
    *b = (gv_on_demand_band){kind, i, types[kind], strdup(names[i]), unit != NULL ? strdup(unit) : NULL};
    made = b->name != NULL && (unit == NULL || b->unit != NULL);
  }
  gv_strings_free(names);
  return made ? GV_OK : gv_io_fail_memory(io, "the bands");
}

/* Half of each side, and half of that ... Travel costs are those of the raster's own cells. */
static void add_levels(gv_on_demand *on_demand) {
  const bool travel_cost = on_demand->settings.job.cost.path != NULL;
  int64_t w = on_demand->facts.width, h = on_demand->facts.height;
  for (on_demand->facts.levels = 0;;) {
    gv_on_demand_level *level = &on_demand->level[on_demand->facts.levels++];
    level->width = w;
    level->height = h;
    if ((w <= GV_ON_DEMAND_SMALLEST && h <= GV_ON_DEMAND_SMALLEST) || travel_cost) return;
    w = (w + 1) / 2;
    h = (h + 1) / 2;
  }
}

/* Sets the facts that inputs with a grid define, once the type of ids is known. */
static gv_status set_facts(gv_io *io, gv_on_demand *on_demand, const gv_run_inputs *in) {
  const gv_raster_grid *grid = &in->grid;
  gv_on_demand_facts *f = &on_demand->facts;
  f->width = grid->grid.width;
  f->height = grid->grid.height;
  memcpy(f->geotransform, grid->geotransform, sizeof f->geotransform);
  if (grid->crs != NULL) f->crs = OSRClone(grid->crs);
  if (grid->crs != NULL && f->crs == NULL) return gv_io_fail_memory(io, "a coordinate system");
  for (int i = 0; i < on_demand->settings.band_count; i++)
    GV_TRY(add_bands(io, on_demand, in, on_demand->settings.bands[i]));
  add_levels(on_demand);
  return GV_OK;
}

/* Reads the headers of the sources; *known: they define everything. */
static gv_status on_demand_open_read_headers(gv_io *io, gv_on_demand *on_demand, bool *known) {
  const gv_job *j = &on_demand->settings.job;
  gv_run_inputs in = {.job = NULL};
  bool narrow = false, by_cell = j->raster_seeds.by_cell;
  gv_run_open(io, j, on_demand->context, &in);
  gv_status status = gv_run_read_grid(io, &in, &narrow);
  *known = status == GV_OK && in.grid.grid.width > 0 && (narrow || by_cell) && !j->distance_per_value &&
           j->seeds.attribute == NULL; /* the values of an attribute decide its type */
  on_demand->id_type = by_cell ? GDT_Int64 : GDT_Int32;
  if (*known) status = set_facts(io, on_demand, &in);
  gv_run_inputs_free(&in);
  return status;
}

/* ------------------------------------------------------------------------------------------------ opening */

/* Reads the seeds if the headers do not define everything. */
static gv_status find_facts(gv_io *io, gv_on_demand *on_demand) {
  bool known = false;
  GV_TRY(on_demand_open_read_headers(io, on_demand, &known));
  if (known) return GV_OK;
  gv_status status = gv_on_demand_read_first(on_demand);
  if (status != GV_OK) return gv_io_pass_on(io, status, &on_demand->io);
  on_demand->id_type = on_demand->level[0].plan.type[GV_RUN_OUT];
  return set_facts(io, on_demand, &on_demand->level[0].in);
}

/* On-demand rasters are made from stored data only: never from another on-demand raster or themselves. */
static gv_status check_sources(gv_io *io, gv_on_demand *on_demand) {
  gv_inputs inputs = {0};
  gv_status status = gv_job_list_inputs(io, &on_demand->settings.job, &inputs);
  const char *nested = status == GV_OK ? gv_inputs_find_on_demand(&inputs) : NULL;
  if (nested != NULL) status = gv_on_demand_refuse_nested(io, nested);
  gv_inputs_free(&inputs);
  return status;
}

static gv_status on_demand_open_fill(gv_io *io, const char *name, char **options, gv_on_demand *on_demand) {
  GV_TRY(gv_on_demand_describe(io, name, options, &on_demand->description));
  GV_TRY(apply(io, on_demand));
  GV_TRY(check_sources(io, on_demand));
  GV_TRY(gv_run_make_context(&on_demand->io, &on_demand->settings.job, &on_demand->context));
  GV_TRY(gv_on_demand_cache_make(io, &on_demand->cache));
  return find_facts(io, on_demand);
}

gv_status gv_on_demand_open(gv_io *io, const char *name, char **options, gv_on_demand **out) {
  gv_on_demand *on_demand = calloc(1, sizeof *on_demand);
  gv_on_demand_level *level = calloc(MOST_LEVELS, sizeof *level);
  if (on_demand == NULL || level == NULL) {
    free(on_demand);
    free(level);
    return gv_io_fail_memory(io, "a raster");
  }
  on_demand->level = level;
  on_demand->facts.levels = 1;
  gv_status status = on_demand_open_fill(io, name, options, on_demand);
  if (status == GV_OK) {
    *out = on_demand;
  } else {
    gv_on_demand_close(on_demand);
  }
  return status;
}

gv_status gv_on_demand_files(gv_io *io, gv_on_demand *on_demand, char ***out) {
  gv_inputs inputs = {0};
  *out = NULL;
  gv_status status = gv_job_list_inputs(io, &on_demand->settings.job, &inputs);
  if (status == GV_OK) status = gv_inputs_files(io, &inputs, out);
  gv_inputs_free(&inputs);
  return status;
}

void gv_on_demand_size(const gv_on_demand *on_demand, int level, int64_t *width, int64_t *height) {
  *width = on_demand->level[level].width;
  *height = on_demand->level[level].height;
}
