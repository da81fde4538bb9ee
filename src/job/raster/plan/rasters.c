#include "job/raster/plan/rasters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "gpuvoronoi/cells.h"
#include "io/format.h"
#include "io/source_name.h"

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
static char *band_name(const char *what, int band) {
  const char *ending = band % 100 / 10 == 1 ? "th" : band % 10 == 1 ? "st" : band % 10 == 2 ? "nd" : "th";
  if (band % 10 == 3 && band % 100 != 13) ending = "rd";
  if (band == 1) return CPLStrdup(CPLSPrintf("%s the nearest seed", what));
  return CPLStrdup(CPLSPrintf("%s the %d%s nearest seed", what, band, ending));
}

char **gv_run_band_names(const gv_run_inputs *in, int raster) {
  const char *const facts[GV_RUN_RASTERS] = {"id of", in->job->cost.path != NULL ? "travel cost to" : "distance to",
                                             "azimuth to"};
  const char *attribute = raster == GV_RUN_OUT ? in->job->seeds.attribute : NULL;
  bool values = raster == GV_RUN_DISTANCE && in->job->distance_per_value;
  int bands = gv_run_bands(in, raster);
  char **names = CPLCalloc((size_t)bands + 1, sizeof *names);
  char *what = CPLStrdup(attribute != NULL ? CPLSPrintf("%s of", attribute) : facts[raster]);
  for (int b = 0; b < bands; b++)
    names[b] =
        values ? CPLStrdup(CPLSPrintf("distance to value %" PRId64, in->regions->ids[b])) : band_name(what, b + 1);
  CPLFree(what);
  return names;
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

/* `source` in short, and its layer. */
static gv_status add_source(gv_io *io, char ***items, const char *name, const char *source, const char *layer) {
  char text[512], *title = gv_source_title(source);
  if (title == NULL) return gv_io_fail_memory(io, "the names of the sources");
  snprintf(text, sizeof text, "%s%s%s", title, layer != NULL ? ", layer " : "", layer != NULL ? layer : "");
  free(title);
  *items = CSLSetNameValue(*items, name, text);
  return GV_OK;
}

gv_status gv_run_metadata(gv_io *io, const gv_run_inputs *in, char ***out) {
  static const char *const weightings[] = {"none", "multiplicative", "additive", "power"};
  const gv_job *j = in->job;
  bool cells = j->raster_seeds.source != NULL;
  char **items = CSLSetNameValue(NULL, "GPUVORONOI_VERSION", gv_version());
  gv_status status = add_source(io, &items, "GPUVORONOI_SEEDS", gv_job_seeds(j), j->seeds.layer);
  if (cells) items = CSLSetNameValue(items, "GPUVORONOI_BAND", CPLSPrintf("%d", j->raster_seeds.band));
  if (j->seeds.where != NULL) items = CSLSetNameValue(items, "GPUVORONOI_WHERE", j->seeds.where);
  items = CSLSetNameValue(items, "GPUVORONOI_SEED_COUNT", CPLSPrintf("%" PRId64, gv_run_seed_count(in)));
  items = CSLSetNameValue(items, "GPUVORONOI_METRIC", gv_metric_name(in->grid.metric));
  if (j->grid.has_level) items = CSLSetNameValue(items, "GPUVORONOI_QTM_LEVEL", CPLSPrintf("%d", j->grid.level));
  if (j->weighting != GV_UNWEIGHTED) {
    items = CSLSetNameValue(items, "GPUVORONOI_WEIGHTING",
                            CPLSPrintf("%s (field %s)", weightings[j->weighting], j->seeds.weight_field));
  }
  if (isfinite(in->max_distance))
    items = CSLSetNameValue(items, "GPUVORONOI_MAX_DISTANCE", CPLSPrintf("%.17g", in->max_distance));
  if (status == GV_OK && j->mask.source != NULL)
    status = add_source(io, &items, "GPUVORONOI_MASK", j->mask.source, NULL);
  if (status == GV_OK && j->cost.path != NULL)
    status = add_source(io, &items, "GPUVORONOI_COST", j->cost.path, NULL);
  if (status == GV_OK && in->barriers.count > 0)
    status = add_source(io, &items, "GPUVORONOI_BARRIERS", j->barriers.path, j->barriers.layer);
  if (j->cost.path != NULL) {
    const char *length = rasters_unit_of_length(in);
    items = CSLSetNameValue(items, "GPUVORONOI_COST_MOVES", CPLSPrintf("%d", j->cost.moves));
    items =
        CSLSetNameValue(items, "GPUVORONOI_COST_UNIT",
                        CPLSPrintf("unit of the friction times %s", length != NULL ? length : "unit of the grid"));
  }
  if (j->seeds.attribute != NULL) items = CSLSetNameValue(items, "GPUVORONOI_ATTRIBUTE", j->seeds.attribute);
  const char *id = cells ? (j->raster_seeds.by_cell ? "cell number, row by row from 0" : "cell value")
                   : j->seeds.id_field == NULL ? "feature id"
                                               : j->seeds.id_field;
  items = CSLSetNameValue(items, "GPUVORONOI_ID",
                          in->seeds->ids_are_rows ? CPLSPrintf("row number from 0 (names: %s)", id) : id);
  *out = items;
  return status;
}
