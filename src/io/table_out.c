/* Seeds to features. The attributes come from a second walk over the seeds' layer, feature by feature. */
#include "io/table_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <ogr_api.h>

enum { FEATURES_A_TRANSACTION = 1 << 17 };

struct gv_table_out {
  gv_output output;
  GDALDriverH driver;
};

GDALDriverH gv_vector_driver(const char *path) {
  const char *extension = CPLGetExtension(path);
  for (int i = 0; extension[0] != '\0' && i < GDALGetDriverCount(); i++) {
    GDALDriverH driver = GDALGetDriver(i);
    if (GDALGetMetadataItem(driver, GDAL_DCAP_VECTOR, NULL) == NULL ||
        GDALGetMetadataItem(driver, GDAL_DCAP_CREATE, NULL) == NULL) {
      continue;
    }
    const char *list = GDALGetMetadataItem(driver, GDAL_DMD_EXTENSIONS, NULL);
    char **names = CSLTokenizeString2(list != NULL ? list : "", " ", 0);
    bool found = CSLFindString(names, extension) >= 0;
    CSLDestroy(names);
    if (found) return driver;
  }
  return NULL;
}

gv_status gv_table_plan(gv_io *io, const char *option, const char *path, bool overwrite, gv_table_out **out) {
  gv_table_out *table = calloc(1, sizeof *table);
  if (table == NULL) return gv_io_fail_memory(io, "the output");
  table->driver = gv_vector_driver(path);
  gv_status status = gv_output_init(io, &table->output, path, overwrite);
  if (status == GV_OK && table->driver == NULL) {
    status =
        gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                   "%s: no vector driver is known for '%s'; .gpkg, .fgb, .csv and .geojson are some", option, path);
  }
  if (status == GV_OK) status = gv_output_check(io, &table->output);
  if (status != GV_OK) {
    gv_table_close(table);
    return status;
  }
  *out = table;
  return GV_OK;
}

gv_output *gv_table_output(gv_table_out *table) {
  return &table->output;
}

void gv_table_close(gv_table_out *table) {
  if (table == NULL) return;
  gv_output_clear(&table->output);
  free(table);
}

/* A table being written. */
typedef struct writer {
  gv_io *io;
  gv_table_out *table;
  const gv_table_content *content;
  gv_seed_features *features;
  GDALDatasetH dataset;
  OGRLayerH layer;
  int *map;  /* field of the layer for each attribute; -1 = none */
  int first; /* field of the first column */
} writer;

static gv_status cannot_write(const writer *w) {
  return gv_io_fail_gdal(w->io, GV_ERROR_IO, "cannot write %s", w->table->output.path);
}

static gv_status create_field(const writer *w, OGRFieldDefnH field, int *index) {
  OGRFeatureDefnH definition = OGR_L_GetLayerDefn(w->layer);
  int before = OGR_FD_GetFieldCount(definition);
  if (OGR_L_CreateField(w->layer, field, TRUE) != OGRERR_NONE) return cannot_write(w);
  if (index != NULL) *index = OGR_FD_GetFieldCount(definition) > before ? before : -1;
  return GV_OK;
}

static gv_status create_column(const writer *w, const char *name, OGRFieldType type) {
  OGRFieldDefnH field = OGR_Fld_Create(name, type);
  gv_status status = create_field(w, field, NULL);
  OGR_Fld_Destroy(field);
  return status;
}

/* True for the name of one of our columns, of an attribute before this one, or one that formats use themselves. */
static bool taken(const writer *w, const char *name) {
  static const char *const reserved[] = {"id", "fid", "ogc_fid", "geom", "geometry", "wkt"};
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
    if (EQUAL(name, reserved[i])) return true;
  }
  for (int i = 0; i < w->content->count; i++) {
    if (EQUAL(name, w->content->columns[i].name)) return true;
  }
  return OGR_FD_GetFieldIndex(OGR_L_GetLayerDefn(w->layer), name) >= 0;
}

static gv_status create_attributes(writer *w) {
  OGRFeatureDefnH from = gv_seed_features_definition(w->features);
  int count = OGR_FD_GetFieldCount(from);
  w->map = malloc((size_t)(count + 1) * sizeof *w->map);
  if (w->map == NULL) return gv_io_fail_memory(w->io, "the seeds' attributes");
  for (int i = 0; i < count; i++) {
    OGRFieldDefnH like = OGR_FD_GetFieldDefn(from, i);
    char name[256];
    snprintf(name, sizeof name, "%s", OGR_Fld_GetNameRef(like));
    if (taken(w, name)) snprintf(name, sizeof name, "seed_%.240s", OGR_Fld_GetNameRef(like));
    while (taken(w, name) && strlen(name) + 2 < sizeof name)
      strcat(name, "_");
    OGRFieldDefnH field = OGR_Fld_Create(name, OGR_Fld_GetType(like));
    OGR_Fld_SetSubType(field, OGR_Fld_GetSubType(like));
    OGR_Fld_SetWidth(field, OGR_Fld_GetWidth(like));
    OGR_Fld_SetPrecision(field, OGR_Fld_GetPrecision(like));
    gv_status status = create_field(w, field, &w->map[i]);
    OGR_Fld_Destroy(field);
    if (status != GV_OK) return status;
  }
  return GV_OK;
}

static gv_status create_layer(writer *w) {
  gv_gdal_reset();
  w->dataset = GDALCreate(w->table->driver, w->table->output.work, 0, 0, 0, GDT_Unknown, NULL);
  if (w->dataset == NULL) {
    return gv_io_fail_gdal(w->io, GV_ERROR_IO, "cannot create %s", w->table->output.path);
  }
  char **options = NULL;
  if (EQUAL(GDALGetDriverShortName(w->table->driver), "CSV")) {
    options = CSLSetNameValue(options, "GEOMETRY", "AS_WKT");
  }
  w->layer = GDALDatasetCreateLayer(w->dataset, w->content->layer, w->content->crs, w->content->geometry, options);
  CSLDestroy(options);
  if (w->layer == NULL) {
    return gv_io_fail_gdal(w->io, GV_ERROR_IO, "cannot create %s", w->table->output.path);
  }
  gv_status status = create_column(w, "id", OFTInteger64);
  if (status == GV_OK) status = create_attributes(w);
  w->first = OGR_FD_GetFieldCount(OGR_L_GetLayerDefn(w->layer));
  for (int i = 0; i < w->content->count && status == GV_OK; i++)
    status = create_column(w, w->content->columns[i].name, w->content->columns[i].type);
  return status;
}

static gv_status write_seed(const writer *w, OGRFeatureH from, int64_t seed) {
  OGRFeatureH feature = OGR_F_Create(OGR_L_GetLayerDefn(w->layer));
  if (feature == NULL) return gv_io_fail_memory(w->io, "a row of a table");
  bool keep = true;
  gv_status status = GV_OK;
  if (OGR_F_SetFromWithMap(feature, from, TRUE, w->map) != OGRERR_NONE) status = cannot_write(w);
  if (status == GV_OK) {
    OGR_F_SetGeometryDirectly(feature, NULL);
    OGR_F_SetFieldInteger64(feature, 0, w->content->seeds->ids[seed]);
    status = w->content->row(w->io, w->content->user, seed, feature, w->first, &keep);
  }
  if (status == GV_OK && keep && OGR_L_CreateFeature(w->layer, feature) != OGRERR_NONE) status = cannot_write(w);
  OGR_F_Destroy(feature);
  return status;
}

static gv_status write_seeds(const writer *w) {
  const gv_seed_list *seeds = w->content->seeds;
  bool transactions = GDALDatasetTestCapability(w->dataset, ODsCTransactions) != 0;
  OGRFeatureH from = NULL;
  int64_t row = 0;
  gv_status status = GV_OK;
  if (transactions) GDALDatasetStartTransaction(w->dataset, FALSE);
  for (int64_t i = 0; i < seeds->count && status == GV_OK; i++) {
    while (row < seeds->rows[i] && status == GV_OK) {
      status = gv_seed_features_next(w->io, w->features, &from, &row);
      if (status == GV_OK && from == NULL) break;
    }
    if (status == GV_OK && (from == NULL || (int64_t)OGR_F_GetFID(from) != seeds->fids[i])) {
      status = gv_io_fail(w->io, GV_ERROR_IO, "%s changed while it was read", w->content->source->source);
    }
    if (status == GV_OK) status = write_seed(w, from, i);
    if (status == GV_OK && transactions && (i + 1) % FEATURES_A_TRANSACTION == 0 &&
        (GDALDatasetCommitTransaction(w->dataset) != OGRERR_NONE ||
         GDALDatasetStartTransaction(w->dataset, FALSE) != OGRERR_NONE)) {
      status = cannot_write(w);
    }
    if (status == GV_OK && i % 4096 == 0 && gv_io_cancelled(w->io)) status = gv_io_fail_cancelled(w->io);
  }
  if (status == GV_OK && transactions && GDALDatasetCommitTransaction(w->dataset) != OGRERR_NONE) {
    status = cannot_write(w);
  }
  return status;
}

gv_status gv_table_write(gv_io *io, gv_table_out *table, const gv_table_content *content) {
  writer w = {.io = io, .table = table, .content = content};
  gv_status status = gv_output_begin(io, &table->output);
  if (status == GV_OK) status = gv_seed_features_open(io, content->source, &w.features);
  if (status == GV_OK) status = create_layer(&w);
  if (status == GV_OK) status = write_seeds(&w);
  gv_seed_features_close(w.features);
  free(w.map);
  if (w.dataset != NULL) {
    gv_gdal_reset();
    GDALClose(w.dataset);
    if (status == GV_OK && gv_gdal_failed()) status = cannot_write(&w);
  }
  return status;
}
