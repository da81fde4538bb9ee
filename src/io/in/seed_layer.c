/* Opening the seeds' layer and walking over its features. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_string.h>

#include "io/in/seed_reader.h"

const char *gv_seed_field_name(OGRLayerH layer, int field) {
  return OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(OGR_L_GetLayerDefn(layer), field));
}

OGRFieldType gv_seed_field_type(OGRLayerH layer, int field) {
  return OGR_Fld_GetType(OGR_FD_GetFieldDefn(OGR_L_GetLayerDefn(layer), field));
}

static bool source_is_csv(const char *source) {
  GDALDriverH driver = GDALIdentifyDriverEx(source, GDAL_OF_VECTOR, NULL, NULL);
  return driver != NULL && EQUAL(GDALGetDriverShortName(driver), "CSV");
}

static gv_status open_dataset(gv_io *io, const char *source, const char *const *options, GDALDatasetH *out) {
  gv_gdal_reset();
  *out = GDALOpenEx(source, GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, NULL, options, NULL);
  if (*out != NULL) return GV_OK;
  VSIStatBufL found;
  if (VSIStatL(source, &found) != 0 && strchr(source, ':') == NULL) {
    return gv_io_fail(io, GV_ERROR_IO, "seeds: %s: no such file", source);
  }
  return gv_io_fail_gdal(io, GV_ERROR_IO, "seeds: cannot read %s as a vector source", source);
}

static gv_status open_layer(gv_io *io, GDALDatasetH dataset, const gv_seed_options *options, OGRLayerH *out) {
  int count = GDALDatasetGetLayerCount(dataset);
  char list[512] = "";
  for (int i = 0; i < count; i++) {
    size_t length = strlen(list);
    snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "",
             OGR_L_GetName(GDALDatasetGetLayer(dataset, i)));
  }
  if (options->layer != NULL) {
    *out = GDALDatasetGetLayerByName(dataset, options->layer);
    if (*out != NULL) return GV_OK;
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "seeds: %s has no layer '%s' (it has: %s)", options->source,
                      options->layer, list);
  }
  if (count == 1) {
    *out = GDALDatasetGetLayer(dataset, 0);
    if (*out != NULL) return GV_OK;
  }
  if (count == 0) return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "seeds: %s has no layers", options->source);
  return gv_io_name(io, GV_CODE_LAYER_NEEDED,
                    gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                               "seeds: %s has %d layers; choose one with --layer: %s", options->source, count,
                               list));
}

gv_status gv_seed_open(gv_seed_reader *r) {
  r->is_csv = source_is_csv(r->options->source);
  gv_status status = open_dataset(r->io, r->options->source, NULL, &r->dataset);
  return status == GV_OK ? open_layer(r->io, r->dataset, r->options, &r->layer) : status;
}

gv_status gv_seed_pick_features(gv_seed_reader *r) {
  gv_io *io = r->io;
  r->picked = NULL;
  if (r->options->where == NULL) return GV_OK;
  OGRLayerH filter = r->layer;
  if (r->is_csv) {
    static const char *const options[] = {"AUTODETECT_TYPE=YES", "AUTODETECT_SIZE_LIMIT=0", NULL};
    gv_status status = open_dataset(io, r->options->source, options, &r->typed);
    if (status != GV_OK) return status;
    filter = GDALDatasetGetLayerByName(r->typed, OGR_L_GetName(r->layer));
    if (filter == NULL) return gv_io_fail(io, GV_ERROR_IO, "seeds: cannot read %s again", r->options->source);
    r->picked = filter;
  }
  gv_gdal_reset();
  if (OGR_L_SetAttributeFilter(filter, r->options->where) != OGRERR_NONE) {
    return gv_io_fail_gdal(io, GV_ERROR_INVALID_ARGUMENT, "--where: cannot use '%s'", r->options->where);
  }
  return GV_OK;
}

void gv_seed_start(gv_seed_reader *r) {
  gv_gdal_reset();
  OGR_L_ResetReading(r->layer);
  if (r->picked != NULL) OGR_L_ResetReading(r->picked);
  r->row = 0;
}

OGRFeatureH gv_seed_next(gv_seed_reader *r) {
  int64_t next = -1;
  if (r->picked != NULL) {
    OGRFeatureH mark = OGR_L_GetNextFeature(r->picked);
    if (mark == NULL) return NULL;
    next = (int64_t)OGR_F_GetFID(mark);
    OGR_F_Destroy(mark);
  }
  for (;;) {
    OGRFeatureH feature = OGR_L_GetNextFeature(r->layer);
    if (feature != NULL && r->picked != NULL && (int64_t)OGR_F_GetFID(feature) != next) {
      OGR_F_Destroy(feature);
      continue;
    }
    if (feature != NULL) r->row++;
    return feature;
  }
}

gv_status gv_seed_read_failed(const gv_seed_reader *r) {
  return gv_io_fail_gdal(r->io, GV_ERROR_IO, "seeds: reading %s failed after %" PRId64 " rows", r->options->source,
                         r->row);
}

void gv_seed_reader_close(gv_seed_reader *r) {
  if (r->typed != NULL) GDALClose(r->typed);
  if (r->dataset != NULL) GDALClose(r->dataset);
}

/* ---------------------------------------------------------------------------------------------- a second walk */

struct gv_seed_features {
  gv_seed_reader r;
  OGRFeatureH feature;
};

/* A where clause may ask about them. */
static void leave_out_geometries(const gv_seed_reader *r) {
  const char *ignored[] = {"OGR_GEOMETRY", NULL};
  if (r->options->where == NULL && OGR_L_TestCapability(r->layer, OLCIgnoreFields)) {
    OGR_L_SetIgnoredFields(r->layer, ignored);
  }
}

gv_status gv_seed_features_open(gv_io *io, const gv_seed_options *options, gv_seed_features **out) {
  gv_seed_features *features = calloc(1, sizeof *features);
  if (features == NULL) return gv_io_fail_memory(io, "the seeds' attributes");
  gv_seed_reader *r = &features->r;
  r->io = io;
  r->options = options;
  gv_status status = gv_seed_open(r);
  if (status == GV_OK) status = gv_seed_pick_features(r);
  if (status != GV_OK) {
    gv_seed_features_close(features);
    return status;
  }
  leave_out_geometries(r);
  gv_seed_start(r);
  *out = features;
  return GV_OK;
}

gv_status gv_seed_features_next(gv_io *io, gv_seed_features *features, OGRFeatureH *feature, int64_t *row) {
  features->r.io = io;
  if (features->feature != NULL) OGR_F_Destroy(features->feature);
  *feature = features->feature = gv_seed_next(&features->r);
  *row = features->r.row;
  return *feature == NULL && gv_gdal_failed() ? gv_seed_read_failed(&features->r) : GV_OK;
}

OGRFeatureDefnH gv_seed_features_definition(const gv_seed_features *features) {
  return OGR_L_GetLayerDefn(features->r.layer);
}

void gv_seed_features_close(gv_seed_features *features) {
  if (features == NULL) return;
  if (features->feature != NULL) OGR_F_Destroy(features->feature);
  gv_seed_reader_close(&features->r);
  free(features);
}
