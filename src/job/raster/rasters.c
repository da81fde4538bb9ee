/* What the rasters are: type and nodata of the ids, names of bands, metadata. */
#include "job/raster/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "io/source_name.h"

/* The integers of a type; of Int64 all. */
static void type_range(GDALDataType type, int64_t *least, int64_t *most) {
  int bits = GDALGetDataTypeSizeBits(type);
  *most = GDALDataTypeIsSigned(type) ? INT64_MAX >> (64 - bits) : (int64_t)(UINT64_MAX >> (64 - bits));
  *least = GDALDataTypeIsSigned(type) ? -*most - 1 : 0;
}

/* Value type from the ids, or the one asked for if they fit. */
static gv_status choose_type(gv_run *r) {
  const gv_seed_list *seeds = r->regions;
  int64_t least, most;
  r->type = r->j->id_type;
  if (r->j->raster_seeds.by_cell) {
    if (r->type != GDT_Unknown && r->type != GDT_Int64)
      return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT, "--ot %s: the numbers of cells need Int64",
                        GDALGetDataTypeName(r->type));
    r->type = GDT_Int64;
    return GV_OK;
  }
  if (r->type == GDT_Unknown) {
    gv_seeds_id_range(seeds, &least, &most);
    r->type = least >= INT32_MIN && most <= INT32_MAX ? GDT_Int32 : GDT_Int64;
    return GV_OK;
  }
  type_range(r->type, &least, &most);
  for (int64_t i = 0; i < seeds->count; i++) {
    if (seeds->ids[i] >= least && seeds->ids[i] <= most) continue;
    return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT,
                      "--ot %s: the id %" PRId64 " does not fit: it holds %" PRId64 " to %" PRId64,
                      GDALGetDataTypeName(r->type), seeds->ids[i], least, most);
  }
  return GV_OK;
}

static bool is_id(const gv_seed_list *seeds, int64_t value) {
  for (int64_t i = 0; i < seeds->count; i++)
    if (seeds->ids[i] == value) return true;
  return false;
}

gv_status gv_run_choose_values(gv_run *r) {
  const gv_job *j = r->j;
  int64_t least, most;
  gv_status status = choose_type(r);
  if (status != GV_OK) return status;
  const char *name = GDALGetDataTypeName(r->type);
  type_range(r->type, &least, &most);
  if (j->has_nodata) {
    r->nodata = j->nodata;
    if (j->raster_seeds.by_cell && j->nodata >= 0) {
      return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT,
                        "--nodata: %" PRId64 " may be a cell's number: choose one below 0", j->nodata);
    }
    if (is_id(r->regions, j->nodata)) {
      return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT, "--nodata: %" PRId64 " is the id of a seed", j->nodata);
    }
    if (j->nodata < least || j->nodata > most) {
      return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT,
                        "--nodata: %" PRId64 " does not fit into %s, the ids' type", j->nodata, name);
    }
    return GV_OK;
  }
  bool has_sign = GDALDataTypeIsSigned(r->type) != 0;
  int64_t first = has_sign ? -1 : most, second = has_sign ? least : 0;
  if (is_id(r->regions, first) && is_id(r->regions, second)) {
    return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT,
                      has_sign
                          ? "both -1 and the lowest integer are ids: choose a value for cells without a seed by "
                            "--nodata"
                          : "both %" PRId64 " and 0 are ids: choose a value for cells without a seed by --nodata",
                      first);
  }
  r->nodata = is_id(r->regions, first) ? second : first;
  return GV_OK;
}

static const char *weighting_name(gv_weighting weighting) {
  static const char *const names[] = {"none", "multiplicative", "additive", "power"};
  return names[weighting];
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

int64_t gv_run_seed_count(const gv_run *r) {
  gv_raster_seed_list list = GV_RASTER_SEED_LIST_INIT;
  bool by_cell = r->j->raster_seeds.by_cell && r->cells.cells != NULL &&
                 gv_raster_seeds_get(r->context, r->cells.cells, &list) == GV_OK;
  return by_cell ? list.cells : r->regions->count;
}

gv_status gv_run_metadata(const gv_run *r, char ***out) {
  const gv_job *j = r->j;
  char **items = NULL;
  items = CSLSetNameValue(items, "GPUVORONOI_VERSION", gv_version());
  const gv_raster_seed_options *cells = j->raster_seeds.source != NULL ? &j->raster_seeds : NULL;
  gv_status status = add_source(r->io, &items, "GPUVORONOI_SEEDS", cells != NULL ? cells->source : j->seeds.source,
                                j->seeds.layer);
  if (cells != NULL) items = CSLSetNameValue(items, "GPUVORONOI_BAND", CPLSPrintf("%d", cells->band));
  if (j->seeds.where != NULL) items = CSLSetNameValue(items, "GPUVORONOI_WHERE", j->seeds.where);
  items = CSLSetNameValue(items, "GPUVORONOI_SEED_COUNT", CPLSPrintf("%" PRId64, gv_run_seed_count(r)));
  items = CSLSetNameValue(items, "GPUVORONOI_METRIC", gv_metric_name(r->grid.metric));
  if (j->grid.has_level) items = CSLSetNameValue(items, "GPUVORONOI_QTM_LEVEL", CPLSPrintf("%d", j->grid.level));
  if (j->weighting != GV_UNWEIGHTED) {
    items = CSLSetNameValue(items, "GPUVORONOI_WEIGHTING",
                            CPLSPrintf("%s (field %s)", weighting_name(j->weighting), j->seeds.weight_field));
  }
  if (isfinite(j->max_distance)) {
    items = CSLSetNameValue(items, "GPUVORONOI_MAX_DISTANCE", CPLSPrintf("%.17g", j->max_distance));
  }
  if (status == GV_OK && j->mask.source != NULL)
    status = add_source(r->io, &items, "GPUVORONOI_MASK", j->mask.source, NULL);
  const char *id = cells != NULL               ? (cells->by_cell ? "cell number, row by row from 0" : "cell value")
                   : j->seeds.id_field == NULL ? "feature id"
                                               : j->seeds.id_field;
  items = CSLSetNameValue(items, "GPUVORONOI_ID",
                          r->seeds.ids_are_rows ? CPLSPrintf("row number from 0 (names: %s)", id) : id);
  *out = items;
  return status;
}

/* "id of the 2nd nearest seed" */
static char *band_name(const char *what, int rank) {
  const char *ending = rank % 100 / 10 == 1 ? "th" : rank % 10 == 1 ? "st" : rank % 10 == 2 ? "nd" : "th";
  if (rank % 10 == 3 && rank % 100 != 13) ending = "rd";
  if (rank == 1) return CPLStrdup(CPLSPrintf("%s the nearest seed", what));
  return CPLStrdup(CPLSPrintf("%s the %d%s nearest seed", what, rank, ending));
}

/* Name of the unit of distances; NULL when there is none. */
static const char *distance_unit(const gv_run *r) {
  if (r->j->distance_unit.kind != GV_UNIT_NONE) return r->j->distance_unit.name;
  if (r->grid.metric == GV_GREAT_CIRCLE || r->grid.metric == GV_GEODESIC) return "metre";
  char *name = NULL;
  if (r->grid.crs == NULL || !OSRIsProjected(r->grid.crs)) return NULL;
  OSRGetLinearUnits(r->grid.crs, &name); /* owned by the CRS */
  return name;
}

char **gv_run_band_names(const gv_run *r, int raster) {
  static const char *const what[GV_RUN_RASTERS] = {"id of", "distance to", "azimuth to"};
  int bands = gv_run_bands(r, raster);
  char **names = CPLCalloc((size_t)bands + 1, sizeof *names);
  for (int b = 0; b < bands; b++) {
    bool value = raster == GV_RUN_DISTANCE && r->j->distance_per_value;
    names[b] = value ? CPLStrdup(CPLSPrintf("distance to value %" PRId64, r->regions->ids[b]))
                     : band_name(what[raster], b + 1);
  }
  return names;
}

const char *gv_run_unit(const gv_run *r, int raster) {
  return raster == GV_RUN_DISTANCE ? distance_unit(r) : raster == GV_RUN_AZIMUTH ? "degree" : NULL;
}

gv_status gv_run_create_rasters(gv_run *r) {
  static const char *const variables[GV_RUN_RASTERS] = {"nearest", "distance", "azimuth"};
  const GDALDataType types[GV_RUN_RASTERS] = {r->type, r->j->distance_type, GDT_Float32};
  char **metadata = NULL, **names[GV_RUN_RASTERS] = {NULL};
  double geotransforms[GV_RUN_RASTERS][6];
  gv_raster_description descriptions[GV_RUN_RASTERS];
  gv_status status = gv_run_metadata(r, &metadata);
  for (int i = 0; i < GV_RUN_RASTERS && status == GV_OK; i++) {
    r->slot[i] = -1;
    if (r->raster[i] == NULL) continue;
    int s = r->slot[i] = r->written_count++;
    names[s] = gv_run_band_names(r, i);
    const double *g = r->grid.geotransform, y = (double)r->first_row;
    const double geotransform[6] = {g[0] + y * g[2], g[1], g[2], g[3] + y * g[5], g[4], g[5]};
    memcpy(geotransforms[s], geotransform, sizeof geotransform);
    descriptions[s] = (gv_raster_description){.width = r->width,
                                              .height = r->rows,
                                              .geotransform = geotransforms[s],
                                              .crs = r->grid.crs,
                                              .type = types[i],
                                              .nodata = r->nodata,
                                              .bands = gv_run_bands(r, i),
                                              .names = names[s],
                                              .unit = gv_run_unit(r, i),
                                              .cell_bytes = r->j->distance_per_value ? r->j->raster.cell_bytes : 0,
                                              .variable = variables[i],
                                              .metadata = metadata};
    r->written[s] = r->raster[i];
  }
  if (status == GV_OK && r->written_count > 0)
    status = gv_raster_create(r->io, r->written, r->written_count, descriptions);
  for (int i = 0; i < r->written_count; i++)
    CSLDestroy(names[i]);
  CSLDestroy(metadata);
  return status;
}
