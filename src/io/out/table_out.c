/*
 * Seeds to features. The attributes come from a second walk over the seeds' layer, feature by feature.
 *
 * OGR rounds the coordinates of points in CSV files to 15 digits or decimals: they go there as text of ours, which reads back.
 */
#include "io/out/table_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <ogr_api.h>

#include "io/crs.h"
#include "io/in/encoding.h"
#include "io/out/point_text.h"

enum { FEATURES_A_TRANSACTION = 1 << 17, WIDE = 64 /* columns */ };

struct gv_table_out {
  gv_place place;
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

bool gv_table_rounds(GDALDriverH driver) {
  static const char *const binary[] = {"GPKG", "FlatGeobuf", "SQLite", "Parquet", "Arrow"};
  for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
    if (EQUAL(GDALGetDriverShortName(driver), binary[i])) return false;
  return true;
}

gv_status gv_table_plan(gv_io *io, const char *option, const char *path, const char *layer, bool overwrite,
                        gv_table_out **out) {
  gv_table_out *table = calloc(1, sizeof *table);
  if (table == NULL) return gv_io_fail_memory(io, "the output");
  gv_place_options options = {option, path, gv_vector_driver(path), layer, overwrite, false};
  gv_status status =
      options.driver != NULL
          ? gv_place_plan(io, &table->place, &options)
          : gv_io_fail_as(io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_INVALID_ARGUMENT,
                          "%s: no vector driver is known for '%s'; .gpkg, .fgb, .csv and .geojson are some", option,
                          path);
  if (status != GV_OK) {
    gv_table_close(table);
    return status;
  }
  *out = table;
  return GV_OK;
}

gv_place *gv_table_place(gv_table_out *table) {
  return &table->place;
}

void gv_table_close(gv_table_out *table) {
  if (table == NULL) return;
  gv_place_clear(&table->place);
  free(table);
}

/* A table being written. */
typedef struct writer {
  gv_io *io;
  gv_table_out *table;
  const gv_table_content *content;
  OGRFeatureDefnH attributes; /* of the seeds' layer */
  gv_seed_features *features; /* NULL until one is read */
  OGRFeatureH from;           /* the feature read last, and ... */
  int64_t row;                /* ... its number */
  GDALDatasetH dataset;
  OGRLayerH layer;
  bool as_text; /* points are texts in field 0 */
  int id;       /* field of the id; that of the value follows */
  int *map;     /* field of the layer for each attribute; -1 = none */
  int first;    /* field of the first column */
} writer;

static gv_status cannot_write(const writer *w) {
  return gv_io_fail_gdal(w->io, GV_ERROR_IO, "cannot write %s", w->table->place.output.path);
}

bool gv_table_create_field(OGRLayerH layer, OGRFieldDefnH field) {
  if (OGR_L_CreateField(layer, field, TRUE) == OGRERR_NONE) return true;
  if (OGR_Fld_GetType(field) != OFTInteger64) return false;
  gv_gdal_reset();
  OGR_Fld_SetType(field, OFTInteger);
  return OGR_L_CreateField(layer, field, TRUE) == OGRERR_NONE;
}

gv_status gv_table_set_integer(gv_io *io, const gv_place *place, OGRLayerH layer, OGRFeatureH feature, int field,
                               int64_t value) {
  OGRFieldDefnH definition = OGR_FD_GetFieldDefn(OGR_L_GetLayerDefn(layer), field);
  if (OGR_Fld_GetType(definition) == OFTInteger && (value < INT32_MIN || value > INT32_MAX)) {
    return gv_io_fail_as(io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_UNSUPPORTED,
                         "%s: %s would be a %s, which holds no 64-bit integers such as %" PRId64
                         " in '%s': choose .gpkg, .fgb or .csv",
                         place->option, place->output.path, GDALGetDriverLongName(place->driver), value,
                         OGR_Fld_GetNameRef(definition));
  }
  OGR_F_SetFieldInteger64(feature, field, value);
  return GV_OK;
}

static gv_status create_field(const writer *w, OGRFieldDefnH field, int *index) {
  OGRFeatureDefnH definition = OGR_L_GetLayerDefn(w->layer);
  int before = OGR_FD_GetFieldCount(definition);
  if (!gv_table_create_field(w->layer, field)) return cannot_write(w);
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
  static const char *const reserved[] = {"id", "value", "fid", "ogc_fid", "geom", "geometry", "wkt"};
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
    if (EQUAL(name, reserved[i])) return true;
  }
  for (int i = 0; i < w->content->count; i++) {
    if (EQUAL(name, w->content->columns[i].name)) return true;
  }
  return OGR_FD_GetFieldIndex(OGR_L_GetLayerDefn(w->layer), name) >= 0;
}

static gv_status create_attributes(writer *w) {
  int count = w->attributes != NULL ? OGR_FD_GetFieldCount(w->attributes) : 0;
  for (int i = 0; i < count; i++) {
    OGRFieldDefnH like = OGR_FD_GetFieldDefn(w->attributes, i);
    char name[256];
    int own = OGR_FD_GetFieldIndex(OGR_L_GetLayerDefn(w->layer), OGR_Fld_GetNameRef(like));
    if (own >= 0 && own < w->id && !w->as_text) { /* one that the format has for it, like KML's Name */
      w->map[i] = own;
      continue;
    }
    char *utf8 = gv_utf8_of(OGR_Fld_GetNameRef(like), NULL);
    snprintf(name, sizeof name, "%s", utf8);
    if (taken(w, name)) snprintf(name, sizeof name, "seed_%.240s", utf8);
    CPLFree(utf8);
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

/* The layer itself, without columns. */
static gv_status add_layer(writer *w, const char *driver, char **options) {
  const gv_table_content *content = w->content;
  OGRwkbGeometryType geometry = w->as_text ? wkbNone : content->geometry;
  bool undefined = content->crs == NULL && geometry != wkbNone && EQUAL(driver, "GPKG");
  OGRSpatialReferenceH none = undefined ? gv_crs_undefined() : NULL;
  if (undefined && none == NULL) return gv_io_fail_memory(w->io, "a coordinate system");
  w->layer =
      GDALDatasetCreateLayer(w->dataset, w->table->place.layer, undefined ? none : content->crs, geometry, options);
  if (none != NULL) OSRRelease(none);
  if (w->layer != NULL) return GV_OK;
  return gv_io_fail_gdal(w->io, GV_ERROR_IO, "cannot create %s", w->table->place.output.path);
}

/* GDAL's LIBKML compares every column with every other in each row: 500 rows of 412 take a minute, the older driver a second. It
 * writes the same elements, but adds nothing to a file. */
static void choose_faster(const writer *w, gv_place *place) {
  GDALDriverH older = GDALGetDriverByName("KML");
  bool wide = (w->attributes != NULL ? OGR_FD_GetFieldCount(w->attributes) : 0) + w->content->count > WIDE;
  bool alone = place->first == NULL && !place->shared && !gv_place_amends(place);
  if (wide && alone && older != NULL && EQUAL(GDALGetDriverShortName(place->driver), "LIBKML"))
    place->driver = older;
}

static gv_status create_layer(writer *w) {
  gv_place *place = &w->table->place;
  choose_faster(w, place);
  gv_status status = gv_place_open(w->io, place, &w->dataset);
  if (status != GV_OK) return status;
  const char *driver = GDALGetDriverShortName(place->driver);
  bool is_csv = EQUAL(driver, "CSV");
  w->as_text = is_csv && w->content->geometry == wkbPoint && CPLGetConfigOption("OGR_WKT_PRECISION", NULL) == NULL;
  char **options = is_csv && !w->as_text ? CSLSetNameValue(NULL, "GEOMETRY", "AS_WKT") : NULL;
  if (EQUAL(driver, "FlatGeobuf")) {
    options = CSLSetNameValue(options, "SPATIAL_INDEX", "NO"); /* which would sort the rows by place */
  }
  status = add_layer(w, driver, options);
  CSLDestroy(options);
  if (status != GV_OK) return status;
  if (w->content->geometry != wkbPoint && w->content->geometry != wkbNone &&
      OGR_FD_GetGeomFieldCount(OGR_L_GetLayerDefn(w->layer)) == 0) { /* spreadsheets */
    return gv_io_fail(w->io, GV_ERROR_INVALID_ARGUMENT, "%s: a file of this format holds no geometries",
                      w->table->place.option);
  }
  if (w->as_text) status = create_column(w, "WKT", OFTString);
  w->id = OGR_FD_GetFieldCount(OGR_L_GetLayerDefn(w->layer));
  if (status == GV_OK) status = create_column(w, "id", OFTInteger64);
  if (status == GV_OK) status = create_column(w, "value", OFTInteger64);
  if (status == GV_OK) status = create_attributes(w);
  w->first = OGR_FD_GetFieldCount(OGR_L_GetLayerDefn(w->layer));
  for (int i = 0; i < w->content->count && status == GV_OK; i++)
    status = create_column(w, w->content->columns[i].name, w->content->columns[i].type);
  return status;
}

/* What a closed Shapefile must have: GDAL is silent about heads of files that it could not write. */
typedef struct shape {
  bool checked;
  int64_t rows;
  int fields, width; /* of all fields */
} shape;

static shape shape_of(const writer *w, OGRLayerH layer) {
  OGRFeatureDefnH columns = OGR_L_GetLayerDefn(layer);
  shape s = {.checked = EQUAL(GDALGetDriverShortName(w->table->place.driver), "ESRI Shapefile")};
  if (!s.checked) return s;
  s.rows = OGR_L_GetFeatureCount(layer, TRUE);
  s.fields = OGR_FD_GetFieldCount(columns);
  for (int i = 0; i < s.fields; i++)
    s.width += OGR_Fld_GetWidth(OGR_FD_GetFieldDefn(columns, i));
  return s;
}

static bool is_written(const writer *w, const shape *wanted) {
  GDALDatasetH dataset = GDALOpenEx(gv_place_work(&w->table->place), GDAL_OF_VECTOR, NULL, NULL, NULL);
  OGRLayerH layer = dataset != NULL ? GDALDatasetGetLayer(dataset, 0) : NULL;
  shape found = layer != NULL ? shape_of(w, layer) : (shape){.rows = -1};
  OGRFeatureH last = found.rows > 0 ? OGR_L_GetFeature(layer, found.rows - 1) : NULL;
  bool filled = found.rows == 0 || (last != NULL && OGR_F_IsFieldSetAndNotNull(last, w->id) != 0);
  if (last != NULL) OGR_F_Destroy(last);
  if (dataset != NULL) GDALClose(dataset);
  return filled && found.rows == wanted->rows && found.fields == wanted->fields && found.width == wanted->width;
}

/* The first error is the one to tell of. */
static gv_status close_layer(writer *w, gv_status status) {
  if (w->dataset == NULL) return status;
  shape made = status == GV_OK && w->layer != NULL ? shape_of(w, w->layer) : (shape){.checked = false};
  GDALClose(w->dataset);
  w->dataset = NULL;
  if (status != GV_OK) return status;
  return gv_gdal_failed() || (made.checked && !is_written(w, &made)) ? cannot_write(w) : GV_OK;
}

/* A row without values, to be filled; to be freed with free_row. */
static gv_status make_row(const writer *w, gv_table_row *row) {
  row->values = calloc((size_t)w->content->count + 1, sizeof *row->values);
  return row->values != NULL ? GV_OK : gv_io_fail_memory(w->io, "a row of a table");
}

static void free_row(gv_table_row *row) {
  free(row->values);
}

static gv_status fill_row(const writer *w, int64_t seed, gv_table_row *row) {
  for (int i = 0; i < w->content->count; i++)
    row->values[i].given = false;
  row->keep = true;
  row->geometry = NULL;
  return w->content->row(w->io, w->content->user, seed, row);
}

static gv_status set_integer(const writer *w, OGRFeatureH feature, int field, int64_t value) {
  return gv_table_set_integer(w->io, &w->table->place, w->layer, feature, field, value);
}

static gv_status set_column(const writer *w, OGRFeatureH feature, int field, OGRFieldType type,
                            gv_table_value value) {
  if (value.given && type == OFTInteger64) return set_integer(w, feature, field, value.integer);
  if (value.given) {
    OGR_F_SetFieldDouble(feature, field, value.real);
  } else {
    OGR_F_SetFieldNull(feature, field);
  }
  return GV_OK;
}

/* The attributes of the feature `from`; OGR itself would cut integers off. */
static gv_status set_attributes(const writer *w, OGRFeatureH feature, OGRFeatureH from) {
  if (OGR_F_SetFromWithMap(feature, from, TRUE, w->map) != OGRERR_NONE) return cannot_write(w);
  gv_status status = GV_OK;
  for (int i = 0; i < OGR_FD_GetFieldCount(w->attributes) && status == GV_OK; i++) {
    bool broad = OGR_Fld_GetType(OGR_FD_GetFieldDefn(w->attributes, i)) == OFTInteger64;
    if (!broad || w->map[i] < 0 || !OGR_F_IsFieldSetAndNotNull(from, i)) continue;
    status = set_integer(w, feature, w->map[i], (int64_t)OGR_F_GetFieldAsInteger64(from, i));
  }
  return status;
}

/* Formats that hold no points go without. */
static gv_status set_geometry(const writer *w, OGRFeatureH feature, const gv_table_row *row) {
  OGRGeometryH geometry = row->geometry;
  if (w->as_text) {
    char text[GV_POINT_TEXT];
    gv_point_text(row->x, row->y, text);
    OGR_F_SetFieldString(feature, 0, text);
    return GV_OK;
  }
  if (w->content->geometry == wkbNone) return GV_OK;
  if (w->content->geometry == wkbPoint) {
    geometry = OGR_G_CreateGeometry(wkbPoint);
    if (geometry == NULL) return gv_io_fail_memory(w->io, "a point");
    OGR_G_SetPoint_2D(geometry, 0, row->x, row->y);
  }
  OGR_F_SetGeometryDirectly(feature, geometry);
  return GV_OK;
}

/* Writes a row with the attributes of the feature `from`. */
static gv_status write_row(const writer *w, OGRFeatureH from, int64_t id, const gv_table_row *row) {
  OGRFeatureH feature = OGR_F_Create(OGR_L_GetLayerDefn(w->layer));
  if (feature == NULL) return gv_io_fail_memory(w->io, "a row of a table");
  gv_status status = from == NULL ? GV_OK : set_attributes(w, feature, from), set = set_geometry(w, feature, row);
  for (int i = 0; i < 2 && status == GV_OK; i++)
    status = set_integer(w, feature, w->id + i, id);
  for (int i = 0; i < w->content->count && status == GV_OK; i++)
    status = set_column(w, feature, w->first + i, w->content->columns[i].type, row->values[i]);
  if (status == GV_OK) status = set;
  if (status == GV_OK && OGR_L_CreateFeature(w->layer, feature) != OGRERR_NONE) status = cannot_write(w);
  OGR_F_Destroy(feature);
  return status;
}

static gv_status open_features(writer *w) {
  bool digits_15 = gv_table_rounds(w->table->place.driver);
  gv_status status = gv_seed_features_open(w->io, w->content->source, w->content->seeds, digits_15, &w->features);
  if (status != GV_OK) return status;
  w->attributes = gv_seed_features_definition(w->features);
  w->map = malloc(((size_t)OGR_FD_GetFieldCount(w->attributes) + 1) * sizeof *w->map);
  return w->map != NULL ? GV_OK : gv_io_fail_memory(w->io, "the seeds' attributes");
}

/* Reads on to the feature of a seed. */
static gv_status find_feature(writer *w, int64_t seed) {
  const gv_seed_list *seeds = w->content->seeds;
  gv_status status = GV_OK;
  while (w->row < seeds->rows[seed] && status == GV_OK) {
    status = gv_seed_features_next(w->io, w->features, &w->from, &w->row);
    if (status == GV_OK && w->from == NULL) break;
  }
  if (status == GV_OK && (w->from == NULL || (int64_t)OGR_F_GetFID(w->from) != seeds->fids[seed])) {
    status = gv_io_fail(w->io, GV_ERROR_IO, "%s changed while it was read", w->content->source->source);
  }
  return status;
}

static gv_status write_seeds(writer *w) {
  const gv_seed_list *seeds = w->content->seeds;
  gv_table_row row = {0};
  gv_status status = make_row(w, &row);
  if (status == GV_OK) status = create_layer(w);
  bool transactions = status == GV_OK && GDALDatasetTestCapability(w->dataset, ODsCTransactions) != 0;
  if (transactions) GDALDatasetStartTransaction(w->dataset, FALSE);
  for (int64_t i = 0; i < seeds->count && status == GV_OK; i++) {
    if (w->features != NULL) status = find_feature(w, i);
    if (status == GV_OK) status = fill_row(w, i, &row);
    if (status == GV_OK && row.keep) status = write_row(w, w->from, seeds->ids[i], &row);
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
  free_row(&row);
  return close_layer(w, status);
}

gv_status gv_table_write(gv_io *io, gv_table_out *table, const gv_table_content *content) {
  writer w = {.io = io, .table = table, .content = content};
  gv_status status = gv_place_begin(io, &table->place);
  if (status == GV_OK && content->source != NULL) status = open_features(&w);
  gv_gdal_reset();
  if (status == GV_OK) status = write_seeds(&w);
  gv_seed_features_close(w.features);
  free(w.map);
  return status == GV_OK ? gv_place_check_written(io, &table->place) : status;
}
