/* Which columns of a layer are positions, ids, names and weights. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "io/format.h"
#include "io/in/fields.h"
#include "io/in/numbers.h"
#include "io/in/seed_reader.h"

static bool is_numeric(OGRLayerH layer, int field) {
  OGRFieldType type = gv_seed_field_type(layer, field);
  return type == OFTReal || type == OFTInteger || type == OFTInteger64;
}

/* The field with one of the names (NULL-terminated), in any letter case; -1 if none exists. Earlier names are
 * preferred. */
static int find_field(OGRLayerH layer, const char *const *names) {
  OGRFeatureDefnH definition = OGR_L_GetLayerDefn(layer);
  int count = OGR_FD_GetFieldCount(definition);
  for (; *names != NULL; names++) {
    bool unique;
    int field = gv_field_look_up(definition, *names, &unique);
    if (field >= 0) return field;
    for (int i = 0; i < count; i++) { /* with spaces around */
      const char *name = gv_seed_field_name(layer, i);
      name = gv_skip_spaces(name);
      size_t length = strlen(name);
      while (length > 0 && name[length - 1] == ' ')
        length--;
      if (length == strlen(*names) && EQUALN(name, *names, length)) return i;
    }
  }
  return -1;
}

/* Kinds of the texts of a column. */
typedef struct column_content {
  bool any, integer, real, text;
} column_content;

/* `as_number`: how numbers of the column are read. */
static void seed_columns_inspect(const gv_seed_reader *r, bool as_number, column_content *content,
                                 const char *text) {
  int64_t integer;
  double number;
  if (*gv_skip_spaces(text) == '\0') return;
  content->any = true;
  if (gv_parse_integer(text, &integer)) {
    content->integer = true;
  } else if (as_number ? gv_seed_parse_number(r, text, &number) : gv_parse_number(text, &number)) {
    content->real = true;
  } else {
    content->text = true;
  }
}

/* Reads the content of a CSV file's text column: all of it, also rows that --where excludes later. */
static gv_status read_content(gv_seed_reader *r, int field, bool as_number, column_content *content) {
  gv_seed_start(r);
  for (OGRFeatureH feature; (as_number || !content->text) && (feature = gv_seed_next(r)) != NULL;) {
    seed_columns_inspect(r, as_number, content, OGR_F_GetFieldAsString(feature, field));
    OGR_F_Destroy(feature);
  }
  return gv_gdal_failed() ? gv_seed_read_failed(r) : GV_OK;
}

static gv_status detect_csv_ids(gv_seed_reader *r) {
  const char *column = gv_seed_field_name(r->layer, r->id_field);
  column_content content = {0};
  GV_TRY(read_content(r, r->id_field, false, &content));
  GV_REQUIRE(r->io, content.text || !content.real,
             "--id: unsupported values of field '%s'; expected 64-bit integers or text", column);
  r->id = content.any && !content.text ? GV_ID_INTEGER : GV_ID_TEXT;
  return GV_OK;
}

/* The numeric field that an option names; -1 without the option. */
static gv_status find_number(gv_seed_reader *r, const char *option, const char *wanted, int *field) {
  *field = -1;
  if (wanted == NULL) return GV_OK;
  GV_TRY(gv_field_find(r->io, option, OGR_L_GetLayerDefn(r->layer), wanted, field));
  OGRFieldType type = gv_seed_field_type(r->layer, *field);
  bool text = type == OFTString && r->is_csv;
  if (is_numeric(r->layer, *field) || text) return GV_OK;
  return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT,
                    "%s: unsupported type of field '%s' (%s); expected numbers", option, wanted,
                    OGR_GetFieldTypeName(type));
}

gv_status gv_seed_choose_weight(gv_seed_reader *r) {
  return find_number(r, "--weight-field", r->options->weight_field, &r->weight_field);
}

gv_status gv_seed_choose_height(gv_seed_reader *r) {
  return find_number(r, "--z", r->options->z_field, &r->z_field);
}

gv_status gv_seed_choose_attribute(gv_seed_reader *r) {
  column_content content = {0};
  GV_TRY(find_number(r, "--attribute", r->options->attribute, &r->attribute_field));
  if (r->attribute_field < 0) return GV_OK;
  OGRFieldDefnH field = OGR_FD_GetFieldDefn(OGR_L_GetLayerDefn(r->layer), r->attribute_field);
  OGRFieldType type = OGR_Fld_GetType(field);
  if (type == OFTString) { /* of a CSV file */
    GV_TRY(read_content(r, r->attribute_field, true, &content));
    GV_REQUIRE(r->io, content.integer || content.real || !content.text,
               "--attribute: field '%s': a text is not a number", r->options->attribute);
  }
  r->attribute_is_integer =
      type == OFTInteger || type == OFTInteger64 || (type == OFTString && !content.real);
  r->set->reals_are_floats = type == OFTReal && OGR_Fld_GetSubType(field) == OFSTFloat32;
  return GV_OK;
}

/* Positions from named fields: degrees if their names mean degrees and no system is declared. */
static gv_status use_fields(gv_seed_reader *r, OGRSpatialReferenceH given, bool degrees) {
  r->set->crs = given;
  return degrees && given == NULL ? gv_crs_parse(r->io, "EPSG:4326", "seeds", &r->set->crs) : GV_OK;
}

gv_status gv_seed_choose_id(gv_seed_reader *r) {
  static const char *const name_fields[] = {"name", NULL};
  r->id = GV_ID_FID;
  r->id_field = -1;
  r->name_field = find_field(r->layer, name_fields);
  if (r->options->id_field != NULL) {
    const char *wanted = r->options->id_field;
    OGRFeatureDefnH definition = OGR_L_GetLayerDefn(r->layer);
    const char *fid_column = OGR_L_GetFIDColumn(r->layer);
    bool unique;
    r->id_field = gv_field_look_up(definition, wanted, &unique);
    if (r->id_field < 0 && fid_column != NULL && fid_column[0] != '\0' && EQUAL(fid_column, wanted))
      return GV_OK;
    gv_status found = gv_field_find(r->io, r->options->id_option != NULL ? r->options->id_option : "--id",
                                    definition, wanted, &r->id_field);
    if (found != GV_OK) return found;
    OGRFieldType type = gv_seed_field_type(r->layer, r->id_field);
    if (type == OFTInteger || type == OFTInteger64) {
      r->id = GV_ID_INTEGER;
    } else if (type == OFTString) {
      r->id = GV_ID_TEXT;
    } else {
      return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT,
                        "--id: unsupported type of field '%s' (%s); expected integers or text", wanted,
                        OGR_GetFieldTypeName(type));
    }
    if (r->id == GV_ID_TEXT && r->is_csv) {
      GV_TRY(detect_csv_ids(r));
    }
    if (r->id == GV_ID_TEXT) r->name_field = r->id_field;
  }
  r->set->ids_are_rows = r->id == GV_ID_TEXT;
  if (r->name_field >= 0) {
    snprintf(r->set->name_field, sizeof r->set->name_field, "%s",
             gv_seed_field_name(r->layer, r->name_field));
  }
  return GV_OK;
}

/* True if both ends of the feature ids of an SQLite table have 32 bits; reads both ends of its index. */
static bool fids_of_table_are_narrow(const gv_seed_reader *r) {
  static const char *const ends[] = {"MIN", "MAX"};
  const char *column = OGR_L_GetFIDColumn(r->layer), *table = OGR_L_GetName(r->layer);
  bool narrow =
      column != NULL && column[0] != '\0' && strchr(column, '"') == NULL && strchr(table, '"') == NULL;
  for (int i = 0; i < 2 && narrow; i++) {
    const char *query = CPLSPrintf("SELECT %s(\"%s\") AS fid_end FROM \"%s\"", ends[i], column, table);
    OGRLayerH result = GDALDatasetExecuteSQL(r->dataset, query, NULL, NULL);
    OGRFeatureH row = result != NULL ? OGR_L_GetNextFeature(result) : NULL;
    int64_t end = row != NULL ? (int64_t)OGR_F_GetFieldAsInteger64(row, 0) : INT64_MAX;
    narrow = end >= INT32_MIN && end <= INT32_MAX;
    if (row != NULL) OGR_F_Destroy(row);
    if (result != NULL) GDALDatasetReleaseResultSet(r->dataset, result);
  }
  return narrow;
}

bool gv_seed_ids_are_narrow(const gv_seed_reader *r) {
  if (r->id == GV_ID_TEXT) return true;
  if (r->id == GV_ID_INTEGER) return gv_seed_field_type(r->layer, r->id_field) == OFTInteger;
  const gv_format *format = gv_format_of_dataset(r->dataset);
  return format->numbers_features || (format->sqlite && fids_of_table_are_narrow(r));
}

gv_status gv_seed_choose_positions(gv_seed_reader *r) {
  static const char *const lon_names[] = {"lon", "longitude", "lng", "long", NULL};
  static const char *const lat_names[] = {"lat", "latitude", NULL};
  static const char *const x_names[] = {"x", NULL};
  static const char *const y_names[] = {"y", NULL};
  gv_status status = GV_OK;
  OGRSpatialReferenceH given = NULL;
  const char *option = r->options->crs_option != NULL ? r->options->crs_option : "--seeds-crs";
  r->x_field = r->y_field = -1;
  gv_gdal_reset();
  if (r->options->crs != NULL) {
    GV_TRY(gv_crs_parse(r->io, r->options->crs, option, &given));
  }
  int x = find_field(r->layer, x_names), y = find_field(r->layer, y_names);
  if (r->options->x_field != NULL) {
    status = find_number(r, "--x", r->options->x_field, &r->x_field);
    if (status == GV_OK) status = find_number(r, "--y", r->options->y_field, &r->y_field);
    if (status != GV_OK) {
      if (given != NULL) OSRRelease(given);
      return status;
    }
    r->set->plane = r->x_field == x && r->y_field == y;
    bool degrees =
        r->x_field == find_field(r->layer, lon_names) && r->y_field == find_field(r->layer, lat_names);
    return use_fields(r, given, degrees);
  }
  if (OGR_FD_GetGeomFieldCount(OGR_L_GetLayerDefn(r->layer)) > 0 && OGR_L_GetGeomType(r->layer) != wkbNone) {
    status =
        gv_crs_of_layer(r->io, "seeds", r->options->source, r->dataset, r->layer, &r->set->crs, &r->swapped);
    r->set->plane = r->set->crs == NULL && gv_crs_is_cartesian(OGR_L_GetSpatialRef(r->layer));
    if (given == NULL) return status;
    if (r->set->crs != NULL) OSRRelease(r->set->crs);
    r->set->crs = given;
    return GV_OK;
  }
  int lon = find_field(r->layer, lon_names), lat = find_field(r->layer, lat_names);
  bool has_degrees = lon >= 0 && lat >= 0, has_xy = x >= 0 && y >= 0;
  if (!has_degrees && !has_xy) {
    char list[512];
    if (given != NULL) OSRRelease(given);
    gv_fields_list(OGR_L_GetLayerDefn(r->layer), list, sizeof list);
    return gv_io_fail(
        r->io, GV_ERROR_INVALID_ARGUMENT,
        "seeds: layer '%s': missing geometries and coordinate columns (lon and lat, longitude and "
        "latitude, or x and y); it has: %s; %s",
        OGR_L_GetName(r->layer), list,
        r->options->columns_remedy != NULL ? r->options->columns_remedy : "name the columns with -x and -y");
  }
  if (given != NULL && !OSRIsGeographic(given) && !has_xy) {
    char name[256];
    gv_crs_describe(given, name, sizeof name);
    OSRRelease(given);
    return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT,
                      "%s: columns '%s' and '%s' hold degrees, but '%s' does not", option,
                      gv_seed_field_name(r->layer, lon), gv_seed_field_name(r->layer, lat), name);
  }
  bool use_xy = !has_degrees || (given != NULL && !OSRIsGeographic(given));
  r->x_field = use_xy ? x : lon;
  r->y_field = use_xy ? y : lat;
  r->set->plane = use_xy;
  return use_fields(r, given, !use_xy);
}
