/*
 * Seeds to features. The attributes come from a second pass over the seeds' layer, feature by feature.
 *
 * OGR rounds the coordinates of points in CSV files to 15 digits or decimals: here they are written as text
 * that reads back exactly.
 */
#include "io/out/table_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <ogr_api.h>

#include "io/geometry/point_text.h"
#include "io/out/layer_values.h"

bool gv_table_rounds(GDALDriverH driver) {
  return !gv_format_of(driver)->exact_reals;
}

gv_status gv_table_plan(gv_io *io, const char *option, const char *path, const char *layer, bool overwrite,
                        gv_table_out **out) {
  gv_table_out *table = calloc(1, sizeof *table);
  if (table == NULL) return gv_io_fail_memory(io, "the output");
  gv_status status = gv_layer_plan(io, table, option, path, layer, overwrite);
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
  gv_writer_abandon(table);
  free(table);
}

/* A table being written. */
typedef struct table_writer {
  gv_io *io;
  gv_layer_out out;
  const gv_table_content *content;
  OGRFeatureDefnH attributes; /* of the seeds' layer */
  gv_seed_features *features; /* NULL until one is read */
  bool as_text;               /* points are texts in field 0 */
  int id;                     /* field of the id; that of the value follows */
  int *map;                   /* field of the layer for each attribute; -1 = none */
  int first;                  /* field of the first column */
} table_writer;

static OGRFeatureDefnH definition(const table_writer *w) {
  return OGR_L_GetLayerDefn(w->out.layer);
}

/* True for the name of one of our columns, of an attribute before this one, or one that formats use
 * themselves. */
static bool taken(const void *user, const char *name) {
  const table_writer *w = user;
  if (gv_field_is_reserved(name) || EQUAL(name, "id") || EQUAL(name, "value")) return true;
  for (int i = 0; i < w->content->count; i++) {
    if (EQUAL(name, w->content->columns[i].name)) return true;
  }
  return OGR_FD_GetFieldIndex(definition(w), name) >= 0;
}

static gv_status create_attributes(table_writer *w) {
  if (w->attributes == NULL) return GV_OK;
  return gv_layer_add_attributes(&w->out, w->attributes, w->as_text ? 0 : w->id, taken, w, w->map);
}

static gv_status table_out_create_layer(table_writer *w) {
  static const char *const in_order[] = {"SPATIAL_INDEX=NO", NULL};
  OGRwkbGeometryType geometry = w->content->geometry;
  w->as_text = gv_format_of(w->out.writer->place.driver)->text && geometry == wkbPoint &&
               CPLGetConfigOption("OGR_WKT_PRECISION", NULL) == NULL;
  GV_TRY(gv_layer_create(&w->out, w->content->crs, w->as_text ? wkbNone : geometry,
                         gv_format_of(w->out.writer->place.driver)->index_in_memory ? in_order : NULL));
  if (geometry != wkbPoint && geometry != wkbNone && OGR_FD_GetGeomFieldCount(definition(w)) == 0) {
    return gv_io_fail(w->io, GV_ERROR_INVALID_ARGUMENT, "%s: this format does not support geometries",
                      w->out.writer->place.option); /* spreadsheets */
  }
  if (w->as_text) GV_TRY(gv_layer_add_field(&w->out, "WKT", NULL, OFTString, NULL));
  w->id = OGR_FD_GetFieldCount(definition(w));
  GV_TRY(gv_layer_add_field(&w->out, "id", NULL, OFTInteger64, NULL));
  GV_TRY(gv_layer_add_field(&w->out, "value", NULL, OFTInteger64, NULL));
  GV_TRY(create_attributes(w));
  w->first = OGR_FD_GetFieldCount(definition(w));
  for (int i = 0; i < w->content->count; i++)
    GV_TRY(gv_layer_add_field(&w->out, w->content->columns[i].name, NULL, w->content->columns[i].type, NULL));
  return GV_OK;
}

/* What a closed Shapefile must have: GDAL is silent about heads of files that it could not write. */
typedef struct shape {
  bool checked;
  int64_t rows;
  int fields, width; /* of all fields */
} shape;

static shape shape_of(const table_writer *w, OGRLayerH layer) {
  OGRFeatureDefnH columns = OGR_L_GetLayerDefn(layer);
  shape s = {.checked = gv_format_of(w->out.writer->place.driver)->header_unchecked};
  if (!s.checked) return s;
  s.rows = OGR_L_GetFeatureCount(layer, TRUE);
  s.fields = OGR_FD_GetFieldCount(columns);
  for (int i = 0; i < s.fields; i++)
    s.width += OGR_Fld_GetWidth(OGR_FD_GetFieldDefn(columns, i));
  return s;
}

static bool is_written(const table_writer *w, const shape *wanted) {
  GDALDatasetH dataset = GDALOpenEx(gv_place_work(&w->out.writer->place), GDAL_OF_VECTOR, NULL, NULL, NULL);
  OGRLayerH layer = dataset != NULL ? GDALDatasetGetLayer(dataset, 0) : NULL;
  shape found = layer != NULL ? shape_of(w, layer) : (shape){.rows = -1};
  OGRFeatureH last = found.rows > 0 ? OGR_L_GetFeature(layer, found.rows - 1) : NULL;
  bool filled = found.rows == 0 || (last != NULL && OGR_F_IsFieldSetAndNotNull(last, w->id) != 0);
  if (last != NULL) OGR_F_Destroy(last);
  if (dataset != NULL) GDALClose(dataset);
  return filled && found.rows == wanted->rows && found.fields == wanted->fields &&
         found.width == wanted->width;
}

static gv_status finish_layer(table_writer *w, gv_status status) {
  shape made = status == GV_OK ? shape_of(w, w->out.layer) : (shape){.checked = false};
  status = gv_layer_finish(&w->out, status);
  return status == GV_OK && made.checked && !is_written(w, &made) ? gv_writer_fail(w->io, w->out.writer)
                                                                  : status;
}

static gv_status table_out_fill_row(const table_writer *w, int64_t seed, gv_table_row *row) {
  for (int i = 0; i < w->content->count; i++)
    row->values[i].given = false;
  row->keep = true;
  row->geometry = NULL;
  return w->content->row(w->io, w->content->user, seed, row);
}

static gv_status set_column(const table_writer *w, OGRFeatureH feature, int field, OGRFieldType type,
                            gv_table_value value) {
  if (value.given && type == OFTInteger64)
    return gv_layer_set_integer(&w->out, feature, field, value.integer);
  if (value.given) {
    OGR_F_SetFieldDouble(feature, field, value.real);
  } else {
    OGR_F_SetFieldNull(feature, field);
  }
  return GV_OK;
}

static gv_status set_attributes(const table_writer *w, OGRFeatureH feature, OGRFeatureH from) {
  gv_status status = GV_OK;
  for (int i = 0; i < OGR_FD_GetFieldCount(w->attributes) && status == GV_OK; i++)
    status = gv_layer_set_attribute(&w->out, feature, w->map[i], from, i);
  return status;
}

/* Formats that hold no points go without. */
static gv_status set_geometry(const table_writer *w, OGRFeatureH feature, const gv_table_row *row) {
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

/* A row with the attributes of the feature `from`. */
static gv_status set_row(const table_writer *w, OGRFeatureH feature, OGRFeatureH from, int64_t id,
                         const gv_table_row *row) {
  gv_status status = from != NULL ? set_attributes(w, feature, from) : GV_OK;
  GV_TRY(set_geometry(w, feature, row)); /* in any case: it passes to the feature */
  GV_TRY(status);
  for (int i = 0; i < 2; i++)
    GV_TRY(gv_layer_set_integer(&w->out, feature, w->id + i, id));
  for (int i = 0; i < w->content->count; i++)
    GV_TRY(set_column(w, feature, w->first + i, w->content->columns[i].type, row->values[i]));
  return GV_OK;
}

static gv_status open_features(table_writer *w) {
  bool digits_15 = gv_table_rounds(w->out.writer->place.driver);
  gv_status status =
      gv_seed_features_open(w->io, w->content->source, w->content->seeds, digits_15, &w->features);
  if (status != GV_OK) return status;
  w->attributes = gv_seed_features_definition(w->features);
  w->map = malloc(((size_t)OGR_FD_GetFieldCount(w->attributes) + 1) * sizeof *w->map);
  return w->map != NULL ? GV_OK : gv_io_fail_memory(w->io, "the seeds' attributes");
}

static gv_status write_seeds(table_writer *w) {
  const gv_seed_list *seeds = w->content->seeds;
  OGRFeatureH from = NULL;
  gv_table_row row = {.values = calloc((size_t)w->content->count + 1, sizeof *row.values)};
  gv_status status =
      row.values != NULL ? table_out_create_layer(w) : gv_io_fail_memory(w->io, "a row of a table");
  for (int64_t i = 0; i < seeds->count && status == GV_OK; i++) {
    if (w->features != NULL) status = gv_seed_features_find(w->io, w->features, seeds, i, &from);
    if (status == GV_OK) status = table_out_fill_row(w, i, &row);
    if (status != GV_OK || !row.keep) continue;
    OGRFeatureH feature = gv_layer_feature(&w->out);
    if (feature != NULL) status = set_row(w, feature, from, seeds->ids[i], &row);
    status = gv_layer_write(&w->out, feature, status);
  }
  free(row.values);
  return finish_layer(w, status);
}

gv_status gv_table_write(gv_io *io, gv_table_out *table, const gv_table_content *content) {
  table_writer w = {.io = io, .out = {.io = io, .writer = table}, .content = content};
  gv_status status = content->source != NULL ? open_features(&w) : GV_OK;
  if (status == GV_OK) status = write_seeds(&w);
  gv_seed_features_close(w.features);
  free(w.map);
  return status;
}
