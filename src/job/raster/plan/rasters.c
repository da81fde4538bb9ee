#include "job/raster/plan/rasters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "gpuvoronoi/cells.h"
#include "io/format.h"
#include "io/source_name.h"
#include "io/strings.h"

int64_t gv_run_seed_count(const gv_run_inputs *in) {
  gv_raster_seed_list list;
  gv_raster_seed_list_init(&list);
  bool by_cell = in->job->raster_seeds.by_cell && in->cells.cells != NULL &&
                 gv_raster_seeds_get(in->context, in->cells.cells, &list) == GV_OK;
  return by_cell ? list.cells : in->regions->count;
}

int64_t gv_run_cells(const gv_run_inputs *in) {
  if (gv_cells_of_lists(&in->job->grid.cells_of)) return in->grid.grid.width;
  return in->job->grid.has_level ? gv_qtm_count(in->job->grid.level) : 0;
}

bool gv_run_is_virtual(const gv_job *j, int raster) {
  const gv_format *virtual = gv_format_virtual();
  return j->merged_count > 0 &&
         (gv_format_is(virtual, j->raster.driver) || gv_format_of_path(gv_job_path(j, raster)) == virtual);
}

bool gv_run_writes(const gv_job *j, int raster) {
  if (raster == GV_RUN_OUT && j->polygons != NULL && j->parts == 0) return true;
  return gv_job_path(j, raster) != NULL && !gv_run_is_virtual(j, raster);
}

int gv_run_bands(const gv_run_inputs *in, int raster) {
  return raster == GV_RUN_DISTANCE && in->job->distance_per_value ? (int)in->regions->count : in->job->k;
}

/* "id of the 2nd nearest seed" */
static char *band_name(const char *what, const char *of, int band) {
  const char *ending = band % 100 / 10 == 1 ? "th" : band % 10 == 1 ? "st" : band % 10 == 2 ? "nd" : "th";
  if (band % 10 == 3 && band % 100 != 13) ending = "rd";
  return strdup(band == 1 ? CPLSPrintf("%s%s the nearest seed", what, of)
                          : CPLSPrintf("%s%s the %d%s nearest seed", what, of, band, ending));
}

char **gv_run_band_names(const gv_run_inputs *in, int raster) {
  const char *const facts[GV_RUN_RASTERS] = {
      "id of", in->job->cost.path != NULL ? "travel cost to" : "distance to", "azimuth to"};
  const char *attribute = raster == GV_RUN_OUT ? in->job->seeds.attribute : NULL;
  bool values = raster == GV_RUN_DISTANCE && in->job->distance_per_value;
  int bands = gv_run_bands(in, raster);
  char **names = calloc((size_t)bands + 1, sizeof *names);
  const char *what = attribute != NULL ? attribute : facts[raster], *of = attribute != NULL ? " of" : "";
  bool good = names != NULL;
  for (int b = 0; b < bands && good; b++) {
    names[b] = values ? strdup(CPLSPrintf("distance to value %" PRId64, in->regions->ids[b]))
                      : band_name(what, of, b + 1);
    good = names[b] != NULL;
  }
  if (good) return names;
  gv_strings_free(names);
  return NULL;
}

/* Of lengths in the grid's metric; NULL: none. */
static const char *rasters_unit_of_length(const gv_run_inputs *in) {
  char *name = NULL;
  if (in->grid.metric == GV_GREAT_CIRCLE || in->grid.metric == GV_GEODESIC) return "metre";
  if (in->grid.crs == NULL || !OSRIsProjected(in->grid.crs)) return NULL;
  OSRGetLinearUnits(in->grid.crs, &name); /* owned by the CRS */
  return name;
}

const char *gv_run_unit(const gv_run_inputs *in, int raster) {
  if (raster != GV_RUN_DISTANCE) return raster == GV_RUN_AZIMUTH ? "degree" : NULL;
  if (in->job->cost.path != NULL) return NULL; /* GPUVORONOI_COST_UNIT */
  if (in->job->distance_unit.kind != GV_UNIT_NONE) return in->job->distance_unit.name;
  return rasters_unit_of_length(in);
}

enum { SOURCE_TEXT = 512 };

/* `source` in short, and its layer; NULL of NULL. */
static const char *source_text(const char *source, const char *layer, char text[SOURCE_TEXT], bool *good) {
  char *title = source != NULL ? gv_source_title(source) : NULL;
  *good = *good && (title != NULL || source == NULL);
  if (title == NULL) return NULL;
  snprintf(text, SOURCE_TEXT, "%s%s%s", title, layer != NULL ? ", layer " : "", layer != NULL ? layer : "");
  free(title);
  return text;
}

gv_status gv_run_metadata(gv_io *io, const gv_run_inputs *in, char ***out) {
  static const char *const weightings[] = {"none", "multiplicative", "additive", "power"};
  const gv_job *j = in->job;
  const bool cells = j->raster_seeds.source != NULL, costs = j->cost.path != NULL;
  char text[4][SOURCE_TEXT];
  bool good = true;
  const char *unit = rasters_unit_of_length(in), *weighting = weightings[j->weighting];
  const char *id = cells ? (j->raster_seeds.by_cell ? "cell number, row by row from 0" : "cell value")
                   : j->seeds.id_field == NULL ? "feature id"
                                               : j->seeds.id_field;
  if (costs) unit = CPLSPrintf("unit of the friction times %s", unit != NULL ? unit : "unit of the grid");
  if (j->weighting != GV_UNWEIGHTED)
    weighting = CPLSPrintf("%s (field %s)", weighting, j->seeds.weight_field);
  /* NULL: left out. CPLSPrintf keeps ten texts. */
  const char *const items[][2] = {
      {"GPUVORONOI_VERSION", gv_version()},
      {"GPUVORONOI_SEEDS", source_text(gv_job_seeds(j), j->seeds.layer, text[0], &good)},
      {"GPUVORONOI_BAND", cells ? CPLSPrintf("%d", j->raster_seeds.band) : NULL},
      {"GPUVORONOI_WHERE", j->seeds.where},
      {"GPUVORONOI_SEED_COUNT", CPLSPrintf("%" PRId64, gv_run_seed_count(in))},
      {"GPUVORONOI_METRIC", gv_metric_name(in->grid.metric)},
      {"GPUVORONOI_QTM_LEVEL", j->grid.has_level ? CPLSPrintf("%d", j->grid.level) : NULL},
      {"GPUVORONOI_WEIGHTING", j->weighting != GV_UNWEIGHTED ? weighting : NULL},
      {"GPUVORONOI_MAX_DISTANCE", isfinite(in->max_distance) ? CPLSPrintf("%.17g", in->max_distance) : NULL},
      {"GPUVORONOI_MASK", source_text(j->mask.source, NULL, text[1], &good)},
      {"GPUVORONOI_COST", source_text(j->cost.path, NULL, text[2], &good)},
      {"GPUVORONOI_BARRIERS",
       source_text(in->barriers.count > 0 ? j->barriers.path : NULL, j->barriers.layer, text[3], &good)},
      {"GPUVORONOI_COST_MOVES", costs ? CPLSPrintf("%d", j->cost.moves) : NULL},
      {"GPUVORONOI_COST_UNIT", costs ? unit : NULL},
      {"GPUVORONOI_ATTRIBUTE", j->seeds.attribute},
      {"GPUVORONOI_ID", in->seeds->ids_are_rows ? CPLSPrintf("row number from 0 (names: %s)", id) : id}};
  *out = NULL;
  for (size_t i = 0; i < sizeof items / sizeof *items; i++)
    if (items[i][1] != NULL) good = gv_strings_set(out, items[i][0], items[i][1]) && good;
  return good ? GV_OK : gv_io_fail_memory(io, "the metadata");
}
