/* Opening the seeds' layer and walking over its features. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "io/format.h"
#include "io/in/encoding.h"
#include "io/in/numbers.h"
#include "io/in/seed_reader.h"
#include "io/in/separator.h"
#include "io/in/whole_file.h"

const char *gv_seed_field_name(OGRLayerH layer, int field) {
  return OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(OGR_L_GetLayerDefn(layer), field));
}

OGRFieldType gv_seed_field_type(OGRLayerH layer, int field) {
  return OGR_Fld_GetType(OGR_FD_GetFieldDefn(OGR_L_GetLayerDefn(layer), field));
}

static gv_status open_dataset(gv_io *io, const char *name, const char *source, const char *const *options,
                              GDALDatasetH *out) {
  gv_gdal_reset();
  *out = GDALOpenEx(name, GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, NULL, options, NULL);
  if (*out != NULL) return GV_OK;
  VSIStatBufL found;
  if (VSIStatL(source, &found) != 0 && strchr(source, ':') == NULL) {
    return gv_io_fail(io, GV_ERROR_IO, "seeds: %s: no such file", source);
  }
  if (gv_format_missing(source) != NULL)
    return gv_io_fail(
        io, GV_ERROR_UNAVAILABLE,
        "seeds: missing %s driver in this GDAL (%s); convert the file, e.g. with DuckDB or GeoPandas",
        gv_format_missing(source), source);
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
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "seeds: %s: unknown layer (%s); it has: %s",
                      options->source, options->layer, list);
  }
  if (count == 1) {
    *out = GDALDatasetGetLayer(dataset, 0);
    if (*out != NULL) return GV_OK;
  }
  GV_REQUIRE(io, count != 0, "seeds: %s: missing layers", options->source);
  return gv_io_fail_as(io, GV_CODE_LAYER_NEEDED, GV_ERROR_INVALID_ARGUMENT,
                       "seeds: %s has %d layers; choose one with %s: %s", options->source, count,
                       options->layer_option != NULL ? options->layer_option : "--layer", list);
}

/* The options for GDAL. ENCODING is a hint: without the hint, drivers that do not support it warn. */
static char **open_options(const gv_seed_reader *r) {
  char **options = CSLDuplicate(r->options->open_options);
  const char *encoding = CSLFetchNameValue(options, "ENCODING");
  if (encoding == NULL) return options;
  char *kept = CPLStrdup(encoding);
  options = CSLSetNameValue(options, "ENCODING", NULL);
  options = CSLSetNameValue(options, "@ENCODING", kept);
  CPLFree(kept);
  return options;
}

/* ENCODING is for this file where the driver does not recode texts itself. */
static gv_status choose_encoding(gv_seed_reader *r) {
  const char *known = GDALGetMetadataItem(GDALGetDatasetDriver(r->dataset), GDAL_DMD_OPENOPTIONLIST, NULL);
  r->encoding = CSLFetchNameValue(r->options->open_options, "ENCODING");
  if (known != NULL && strstr(known, "'ENCODING'") != NULL) r->encoding = NULL;
  if (r->encoding == NULL || gv_encoding_is_known(r->encoding)) return GV_OK;
  return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT, "seeds: %s: unknown encoding (%s)", r->options->source,
                    r->encoding);
}

gv_status gv_seed_open(gv_seed_reader *r) {
  char **options = open_options(r);
  gv_status status = gv_layer_name(r->io, r->options->source, &r->name);
  if (status == GV_OK)
    status = open_dataset(r->io, r->name, r->options->source, (const char *const *)options, &r->dataset);
  CSLDestroy(options);
  if (status == GV_OK) status = choose_encoding(r);
  if (status != GV_OK) return status;
  r->is_csv = gv_format_of_dataset(r->dataset)->text;
  if (r->is_csv) status = gv_separator_of_file(r->io, r->name, &r->separator);
  if (status == GV_OK) status = open_layer(r->io, r->dataset, r->options, &r->layer);
  if (status != GV_OK) return status;
  /* SQLite's drivers read a layer's definition at its first use, and have no fields if that fails. */
  gv_gdal_reset();
  (void)OGR_L_GetLayerDefn(r->layer);
  return gv_gdal_lost() ? gv_io_fail_gdal(r->io, GV_ERROR_IO, "seeds: cannot read layer '%s' of %s",
                                          OGR_L_GetName(r->layer), r->options->source)
                        : GV_OK;
}

static gv_status fail_where(const gv_seed_reader *r, const char *reason) {
  return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT, "--where: invalid condition (%s)%s%s",
                    r->options->where, reason[0] != '\0' ? ": " : "", reason);
}

/* GeoPackage's and SQLite's drivers accept any clause and fail while reading: SQLite checks it here, without
 * reading rows. */
static gv_status check_where(gv_seed_reader *r, const char *where) {
  const char *name = OGR_L_GetName(r->layer);
  bool known = gv_format_of_dataset(r->dataset)->sqlite && strchr(name, '"') == NULL;
  char *query = NULL;
  if (!known) return GV_OK;
  if (asprintf(&query, "SELECT 1 AS one FROM \"%s\" m WHERE (%s\n) LIMIT 0", name, where) < 0)
    return gv_io_fail_memory(r->io, "--where");
  gv_gdal_reset();
  OGRLayerH result = GDALDatasetExecuteSQL(r->dataset, query, NULL, NULL);
  bool failed = gv_gdal_failed();
  free(query);
  if (result != NULL) GDALDatasetReleaseResultSet(r->dataset, result);
  if (!failed) return GV_OK;
  const char *text = CPLGetLastErrorMsg(), *reason = "";
  for (const char *at = text; (at = strstr(at, "):")) != NULL; at += 2) /* behind the statement */
    reason = at + 2 + strspn(at + 2, " \n");
  return fail_where(r, reason);
}

gv_status gv_seed_pick_features(gv_seed_reader *r) {
  gv_io *io = r->io;
  r->picked = NULL;
  if (r->options->where == NULL) return GV_OK;
  OGRLayerH filter = r->layer;
  if (r->is_csv) {
    char **options = open_options(r);
    options = CSLSetNameValue(options, "AUTODETECT_TYPE", "YES");
    options = CSLSetNameValue(options, "AUTODETECT_SIZE_LIMIT", "0");
    gv_status status = open_dataset(io, r->name, r->options->source, (const char *const *)options, &r->typed);
    CSLDestroy(options);
    if (status != GV_OK) return status;
    filter = GDALDatasetGetLayerByName(r->typed, OGR_L_GetName(r->layer));
    if (filter == NULL) return gv_io_fail(io, GV_ERROR_IO, "seeds: cannot read %s again", r->options->source);
    r->picked = filter;
  }
  char *where = gv_text_for_layer(r->options->where, filter, r->encoding);
  if (where == NULL) return gv_io_fail_memory(io, "the condition of --where");
  gv_status status = check_where(r, where);
  gv_gdal_reset();
  OGRErr set = status == GV_OK ? OGR_L_SetAttributeFilter(filter, where) : OGRERR_NONE;
  free(where);
  if (status != GV_OK) return status;
  if (set != OGRERR_NONE) {
    return gv_io_fail_gdal(io, GV_ERROR_INVALID_ARGUMENT, "--where: invalid condition (%s)",
                           r->options->where);
  }
  return GV_OK;
}

void gv_seed_start(gv_seed_reader *r) {
  gv_gdal_reset();
  OGR_L_ResetReading(r->layer);
  if (r->picked != NULL) OGR_L_ResetReading(r->picked);
  r->row = 0;
}

/* Whether a line contains the columns' names. */
static bool is_head(OGRLayerH layer, OGRFeatureH feature) {
  int count = OGR_F_GetFieldCount(feature);
  for (int i = 0; i < count; i++)
    if (strcmp(OGR_F_GetFieldAsString(feature, i), gv_seed_field_name(layer, i)) != 0) return false;
  return count > 0;
}

/* Warns once a layer. */
static void to_utf8(gv_seed_reader *r, OGRFeatureH feature) {
  if (!gv_feature_to_utf8(feature, r->encoding) || r->encoding != NULL || r->recoded) return;
  r->recoded = true;
  gv_io_warn(
      GV_CODE_ENCODING, 0,
      "%s: text that is not UTF-8 is read as Latin-1; to select another encoding, use --oo ENCODING=NAME",
      r->options->source);
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
    if (feature != NULL && r->is_csv && r->row == 0 &&
        is_head(r->layer, feature)) { /* GDAL could not read past it */
      CPLError(CE_Failure, CPLE_FileIO, "the first line was read as a row");
      OGR_F_Destroy(feature);
      return NULL;
    }
    if (feature != NULL) r->row++;
    if (feature != NULL) to_utf8(r, feature);
    return feature;
  }
}

gv_status gv_seed_read_failed(const gv_seed_reader *r) {
  return gv_io_fail_gdal(r->io, GV_ERROR_IO, "seeds: %s: cannot read after %" PRId64 " rows",
                         r->options->source, r->row);
}

void gv_seed_reader_close(gv_seed_reader *r) {
  gv_text_ids_free(&r->texts);
  if (r->typed != NULL) GDALClose(r->typed);
  if (r->dataset != NULL) GDALClose(r->dataset);
  gv_layer_name_free(r->name);
}

/* ------------------------------------------------------------------------------------------ a second walk */

/* Kinds of all texts of a CSV file's column. */
typedef struct column {
  bool any, text, real;
  bool longer; /* a number with more than 15 digits; false: not looked for */
} column;

struct gv_seed_features {
  gv_seed_reader r;          /* with kept texts: no layer is open */
  const gv_row_texts *texts; /* NULL: not kept */
  OGRFeatureH feature;
  OGRFeatureDefnH typed; /* the layer's fields with the types found in a CSV file's texts; NULL: unchanged */
};

/* Numbers as people write them: ids like 01067 are text, and so are nan and inf. `digits_15`: finds out
 * whether some have more. */
static void seed_layer_inspect(column *c, const char *text, char separator, bool digits_15) {
  int64_t integer;
  double number;
  const char *at = gv_skip_spaces(text);
  if (*at == '\0' || c->text) return;
  c->any = true;
  if (*at == '-') at++;
  bool digits =
      (isdigit((unsigned char)at[0]) && !(at[0] == '0' && isdigit((unsigned char)at[1]))) || at[0] == '.';
  if (digits && gv_parse_integer(text, &integer)) return;
  bool whole = strspn(at, "0123456789 ") == strlen(at); /* outside 64 bits */
  bool plain = strspn(at, "0123456789.,eE+- ") == strlen(at);
  c->real = true;
  c->text = !digits || whole || !plain || !gv_parse_separated(text, separator, &number);
  char text_15[32];
  if (c->text || !digits_15 || c->longer) return;
  CPLsnprintf(text_15, sizeof text_15, "%.15g", number);
  c->longer = CPLAtof(text_15) != number;
}

/* Of all rows: those that are kept, or else of the file. */
static void inspect_rows(gv_seed_features *features, bool digits_15, column *columns, int count) {
  const gv_row_texts *texts = features->texts;
  gv_seed_reader *r = &features->r;
  for (int64_t row = 0; texts != NULL && row < texts->rows; row++) {
    const char *at = texts->bytes + texts->first[row], *text;
    for (int i = 0; i < count; i++)
      if ((text = gv_row_texts_next(&at)) != NULL)
        seed_layer_inspect(&columns[i], text, r->separator, digits_15);
  }
  if (texts != NULL) return;
  gv_seed_start(r);
  for (OGRFeatureH feature; (feature = gv_seed_next(r)) != NULL;) {
    for (int i = 0; i < count; i++)
      seed_layer_inspect(&columns[i], OGR_F_GetFieldAsString(feature, i), r->separator, digits_15);
    OGR_F_Destroy(feature);
  }
}

static gv_status find_types(gv_seed_features *features, bool digits_15) {
  gv_seed_reader *r = &features->r;
  OGRFeatureDefnH as_read =
      features->texts != NULL ? features->texts->definition : OGR_L_GetLayerDefn(r->layer);
  int count = OGR_FD_GetFieldCount(as_read);
  column *columns = calloc((size_t)count + 1, sizeof *columns);
  if (columns == NULL) return gv_io_fail_memory(r->io, "the seeds' attributes");
  gv_gdal_reset();
  inspect_rows(features, digits_15, columns, count);
  features->typed = OGR_FD_Create(OGR_FD_GetName(as_read));
  OGR_FD_Reference(features->typed);
  for (int i = 0; i < count; i++) {
    const column *c = &columns[i];
    OGRFieldDefnH like = OGR_FD_GetFieldDefn(as_read, i);
    OGRFieldType read = OGR_Fld_GetType(like);
    bool same = read != OFTString || !c->any || c->text || (digits_15 && c->longer);
    OGRFieldType type = same ? read : c->real ? OFTReal : OFTInteger64;
    OGRFieldDefnH field = OGR_Fld_Create(OGR_Fld_GetNameRef(like), type);
    OGR_FD_AddFieldDefn(features->typed, field);
    OGR_Fld_Destroy(field);
  }
  free(columns);
  return gv_gdal_failed() ? gv_seed_read_failed(r) : GV_OK;
}

/* The field's number instead of a text; texts that are not numbers become empty. */
static void set_typed(const gv_seed_features *features, OGRFeatureH to, int i, const char *text) {
  OGRFieldType type = OGR_Fld_GetType(OGR_FD_GetFieldDefn(features->typed, i));
  int64_t integer;
  double real;
  if (type == OFTInteger64 && gv_parse_integer(text, &integer)) {
    OGR_F_SetFieldInteger64(to, i, integer);
  } else if (type == OFTReal && gv_parse_separated(text, features->r.separator, &real)) {
    OGR_F_SetFieldDouble(to, i, real);
  } else if (type != OFTInteger64 && type != OFTReal) {
    OGR_F_SetFieldString(to, i, text);
  }
}

static OGRFeatureH make_typed(const gv_seed_features *features, OGRFeatureH from) {
  OGRFeatureH to = OGR_F_Create(features->typed);
  OGR_F_SetFID(to, OGR_F_GetFID(from));
  for (int i = 0; i < OGR_FD_GetFieldCount(features->typed); i++)
    if (OGR_F_IsFieldSetAndNotNull(from, i)) set_typed(features, to, i, OGR_F_GetFieldAsString(from, i));
  OGR_F_Destroy(from);
  return to;
}

/* The feature of a row that is kept. */
static OGRFeatureH make_kept(const gv_seed_features *features, int64_t row, int64_t fid) {
  const gv_row_texts *texts = features->texts;
  const char *at = texts->bytes + texts->first[row - 1], *text;
  OGRFeatureH to = OGR_F_Create(features->typed);
  OGR_F_SetFID(to, fid);
  for (int i = 0; i < OGR_FD_GetFieldCount(features->typed); i++)
    if ((text = gv_row_texts_next(&at)) != NULL) set_typed(features, to, i, text);
  return to;
}

/* A where clause may use them. */
static void leave_out_geometries(const gv_seed_reader *r) {
  const char *ignored[] = {"OGR_GEOMETRY", NULL};
  if (r->options->where == NULL && OGR_L_TestCapability(r->layer, OLCIgnoreFields)) {
    OGR_L_SetIgnoredFields(r->layer, ignored);
  }
}

gv_status gv_seed_features_open(gv_io *io, const gv_seed_options *options, const gv_seed_list *seeds,
                                bool digits_15, gv_seed_features **out) {
  gv_seed_features *features = calloc(1, sizeof *features);
  if (features == NULL) return gv_io_fail_memory(io, "the seeds' attributes");
  gv_seed_reader *r = &features->r;
  r->io = io;
  r->options = options;
  features->texts = seeds->texts;
  gv_status status = GV_OK;
  if (features->texts != NULL) {
    r->separator = features->texts->separator;
  } else {
    status = gv_seed_open(r);
    if (status == GV_OK) status = gv_seed_pick_features(r);
    if (status == GV_OK) leave_out_geometries(r);
  }
  if (status != GV_OK) {
    gv_seed_features_close(features);
    return status;
  }
  if (features->texts != NULL || r->is_csv) status = find_types(features, digits_15);
  /* For GDAL a read error of a CSV file is its end. */
  if (status == GV_OK && features->texts == NULL && r->is_csv && seeds->count > 0 &&
      r->row < seeds->rows[seeds->count - 1])
    status = gv_seed_read_failed(r);
  if (status != GV_OK) {
    gv_seed_features_close(features);
    return status;
  }
  if (features->texts == NULL) gv_seed_start(r);
  *out = features;
  return GV_OK;
}

gv_status gv_seed_features_find(gv_io *io, gv_seed_features *features, const gv_seed_list *seeds,
                                int64_t seed, OGRFeatureH *feature) {
  gv_seed_reader *r = &features->r;
  r->io = io;
  if (features->texts != NULL && (features->feature == NULL || r->row != seeds->rows[seed])) {
    if (features->feature != NULL) OGR_F_Destroy(features->feature);
    r->row = seeds->rows[seed];
    features->feature = make_kept(features, r->row, seeds->fids[seed]);
  }
  while (features->texts == NULL && (features->feature == NULL || r->row < seeds->rows[seed])) {
    if (features->feature != NULL) OGR_F_Destroy(features->feature);
    features->feature = gv_seed_next(r);
    if (features->feature == NULL && gv_gdal_failed()) return gv_seed_read_failed(r);
    if (features->feature == NULL) break;
    if (features->typed != NULL) features->feature = make_typed(features, features->feature);
  }
  *feature = features->feature;
  if (*feature != NULL && (int64_t)OGR_F_GetFID(*feature) == seeds->fids[seed]) return GV_OK;
  return gv_io_fail(io, GV_ERROR_IO, "%s: changed while it was read", r->options->source);
}

OGRFeatureDefnH gv_seed_features_definition(const gv_seed_features *features) {
  return features->typed != NULL ? features->typed : OGR_L_GetLayerDefn(features->r.layer);
}

void gv_seed_features_close(gv_seed_features *features) {
  if (features == NULL) return;
  if (features->feature != NULL) OGR_F_Destroy(features->feature);
  if (features->typed != NULL) OGR_FD_Release(features->typed);
  gv_seed_reader_close(&features->r);
  free(features);
}
