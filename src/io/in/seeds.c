/*
 * Reading seeds. One pass over the layer; columns of a CSV file are opened as text and parsed here, because OGR's
 * own guess of column types looks at the beginning of a file only, turns "007" into 7 and an unreadable coordinate
 * into 0. Plain CSV files with nothing wrong in them go past OGR's features, which know better only about the others.
 */
#include "io/in/seeds.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdal.h>
#include <ogr_api.h>

typedef enum id_kind { ID_FID, ID_INTEGER, ID_TEXT } id_kind;

/* What is known while a layer is read. */
typedef struct reader {
  gv_io *io;
  const gv_seed_options *options;
  gv_seed_list *set;
  int64_t capacity;
  GDALDatasetH dataset;
  OGRLayerH layer;
  bool is_csv;
  int x_field, y_field; /* -1 = positions come from geometries */
  bool numeric[2];      /* what they hold are numbers to the driver too */
  bool swapped;         /* the source's data order is y, x */
  id_kind id;
  int id_field, name_field, weight_field;
  int64_t row;
  GDALDatasetH typed;  /* a second, typed view of a CSV file, for --where */
  OGRLayerH picked;    /* its layer: the features to read; NULL = all that `layer` gives */
  gv_plain_csv *plain; /* NULL = the layer's features have to be read */
} reader;

static void free_rows(gv_seed_list *seeds) {
  if (seeds->names != NULL) {
    for (int64_t i = 0; i < seeds->count; i++)
      free(seeds->names[i]);
  }
  free(seeds->names);
  free(seeds->x);
  free(seeds->y);
  free(seeds->ids);
  free(seeds->rows);
  free(seeds->fids);
  free(seeds->weights);
  seeds->names = NULL;
  seeds->x = seeds->y = seeds->weights = NULL;
  seeds->ids = seeds->rows = seeds->fids = NULL;
  seeds->count = 0;
}

void gv_seeds_free(gv_seed_list *seeds) {
  free_rows(seeds);
  free(seeds->source_x);
  free(seeds->source_y);
  gv_plain_csv_close(seeds->plain);
  if (seeds->crs != NULL) OSRRelease(seeds->crs);
  *seeds = (gv_seed_list)GV_SEED_LIST_INIT;
}

/* ------------------------------------------------------------------------------------ naming and skipping rows */

static void describe_row(const gv_seed_list *set, int64_t row, int64_t fid, char *text, size_t size) {
  if (set->filtered || row == fid) {
    snprintf(text, size, "%s %" PRId64, set->filtered ? "feature id" : "row", fid);
  } else {
    snprintf(text, size, "row %" PRId64 " (feature id %" PRId64 ")", row, fid);
  }
}

/* A seed that cannot be used: an error, or one more skipped. GV_OK means skipped. */
static gv_status unusable(gv_io *io, gv_seed_list *set, int64_t row, int64_t fid, const char *format, ...)
    GV_IO_PRINTF(5, 6);
static gv_status unusable(gv_io *io, gv_seed_list *set, int64_t row, int64_t fid, const char *format, ...) {
  char where[96], why[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why, sizeof why, format, arguments);
  va_end(arguments);
  describe_row(set, row, fid, where, sizeof where);
  if (!set->skip_invalid) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "seeds: %s: %s (--skip-invalid leaves such seeds out)", where,
                      why);
  }
  if (set->skipped++ == 0) snprintf(set->skipped_first, sizeof set->skipped_first, "%s: %.150s", where, why);
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------- adding one seed */

static gv_status reserve(reader *r, int64_t capacity) {
  gv_seed_list *set = r->set;
  size_t size = (size_t)capacity;
  double *x = realloc(set->x, size * sizeof *x);
  if (x != NULL) set->x = x;
  double *y = realloc(set->y, size * sizeof *y);
  if (y != NULL) set->y = y;
  int64_t *ids = realloc(set->ids, size * sizeof *ids);
  if (ids != NULL) set->ids = ids;
  int64_t *rows = realloc(set->rows, size * sizeof *rows);
  if (rows != NULL) set->rows = rows;
  int64_t *fids = realloc(set->fids, size * sizeof *fids);
  if (fids != NULL) set->fids = fids;
  bool all = x != NULL && y != NULL && ids != NULL && rows != NULL && fids != NULL;
  if (r->options->weight_field != NULL) {
    double *weights = realloc(set->weights, size * sizeof *weights);
    if (weights != NULL) set->weights = weights;
    all = all && weights != NULL;
  }
  if (set->names != NULL || r->capacity == 0) {
    char **names = realloc(set->names, size * sizeof *names);
    if (names != NULL) set->names = names;
    all = all && names != NULL;
  }
  if (!all) return gv_io_fail_memory(r->io, "the seeds");
  r->capacity = capacity;
  return GV_OK;
}

static void drop_names(gv_seed_list *set) {
  for (int64_t i = 0; i < set->count; i++)
    free(set->names[i]);
  free(set->names);
  set->names = NULL;
}

/* What a feature says of all its points. */
typedef struct facts {
  int64_t id, fid;
  const char *name;
  double weight;
} facts;

static gv_status add(reader *r, double x, double y, const facts *f) {
  gv_seed_list *set = r->set;
  if (!isfinite(x) || !isfinite(y)) {
    return unusable(r->io, set, r->row, f->fid, "the coordinate (%g, %g) is not finite", x, y);
  }
  if (set->count == INT32_MAX) {
    return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT, "more than %d seeds", INT32_MAX);
  }
  if (set->count == r->capacity) {
    gv_status status = reserve(r, r->capacity > 0 ? r->capacity * 2 : 1024);
    if (status != GV_OK) return status;
  }
  if (set->names != NULL && set->count == GV_MAX_NAMED_SEEDS) drop_names(set);
  int64_t i = set->count;
  if (set->names != NULL) {
    set->names[i] = f->name != NULL ? strdup(f->name) : NULL;
    if (f->name != NULL && set->names[i] == NULL) return gv_io_fail_memory(r->io, "the seeds' names");
  }
  set->x[i] = r->swapped ? y : x;
  set->y[i] = r->swapped ? x : y;
  set->ids[i] = f->id;
  set->rows[i] = r->row;
  set->fids[i] = f->fid;
  if (set->weights != NULL) set->weights[i] = f->weight;
  set->count++;
  return GV_OK;
}

/* -------------------------------------------------------------------------------------------- parsing fields */

static const char *skip_spaces(const char *text) {
  while (*text == ' ' || *text == '\t')
    text++;
  return text;
}

/* Digits with at most a sign and a point, as nearly all coordinates are. A whole number below 2^53 and a power of ten up to
 * 10^22 are doubles, so that their quotient is rounded once, as strtod's result is. */
static const char *parse_plain(const char *text, double *out) {
  static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  enum { MOST_DECIMALS = sizeof tens / sizeof *tens - 1 };
  const uint64_t limit = ((uint64_t)1 << 53) / 10 - 1;
  bool negative = *text == '-', point = false;
  int digits = 0, decimals = 0;
  uint64_t whole = 0;
  for (text += negative;; text++) {
    if (*text == '.' && !point) {
      point = true;
    } else if (*text >= '0' && *text <= '9' && whole <= limit && decimals < MOST_DECIMALS) {
      whole = whole * 10 + (uint64_t)(*text - '0');
      digits++;
      decimals += point;
    } else {
      break;
    }
  }
  *out = (negative ? -(double)whole : (double)whole) / tens[decimals];
  return digits > 0 ? text : NULL;
}

static bool parse_number(const char *text, double *out) {
  char *end = NULL;
  text = skip_spaces(text);
  if (*text == '\0') return false;
  const char *after = parse_plain(text, out);
  if (after != NULL && *skip_spaces(after) == '\0') return true;
  *out = CPLStrtod(text, &end);
  return end != text && *skip_spaces(end) == '\0';
}

static bool parse_integer(const char *text, int64_t *out) {
  char *end = NULL;
  text = skip_spaces(text);
  if (*text == '\0') return false;
  errno = 0;
  *out = strtoll(text, &end, 10);
  return errno == 0 && end != text && *skip_spaces(end) == '\0';
}

static const char *field_name(OGRLayerH layer, int field) {
  return OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(OGR_L_GetLayerDefn(layer), field));
}

static OGRFieldType field_type(OGRLayerH layer, int field) {
  return OGR_Fld_GetType(OGR_FD_GetFieldDefn(OGR_L_GetLayerDefn(layer), field));
}

static bool is_numeric(OGRLayerH layer, int field) {
  OGRFieldType type = field_type(layer, field);
  return type == OFTReal || type == OFTInteger || type == OFTInteger64;
}

/* The field with one of the names (NULL-terminated), whatever its letter case; -1 if there is none. Names that come
 * first are preferred. */
static int find_field(OGRLayerH layer, const char *const *names) {
  OGRFeatureDefnH definition = OGR_L_GetLayerDefn(layer);
  int count = OGR_FD_GetFieldCount(definition);
  for (; *names != NULL; names++) {
    for (int i = 0; i < count; i++) {
      const char *name = field_name(layer, i);
      name = skip_spaces(name);
      size_t length = strlen(name);
      while (length > 0 && name[length - 1] == ' ')
        length--;
      if (length == strlen(*names) && EQUALN(name, *names, length)) return i;
    }
  }
  return -1;
}

/* ----------------------------------------------------------------------------------------- reading a feature */

static gv_status read_columns(reader *r, OGRFeatureH feature, const facts *f) {
  double position[2];
  int fields[2] = {r->x_field, r->y_field};
  for (int d = 0; d < 2; d++) {
    bool set = OGR_F_IsFieldSetAndNotNull(feature, fields[d]) != 0;
    if (set && r->numeric[d]) {
      position[d] = OGR_F_GetFieldAsDouble(feature, fields[d]);
      continue;
    }
    const char *text = set ? OGR_F_GetFieldAsString(feature, fields[d]) : "";
    if (parse_number(text, &position[d])) continue;
    const char *column = field_name(r->layer, fields[d]);
    if (*skip_spaces(text) == '\0') return unusable(r->io, r->set, r->row, f->fid, "column '%s' is empty", column);
    return unusable(r->io, r->set, r->row, f->fid, "column '%s' holds '%.80s', which is not a number", column,
                    text);
  }
  return add(r, position[0], position[1], f);
}

static gv_status read_geometry(reader *r, OGRGeometryH geometry, const facts *f) {
  OGRwkbGeometryType type = geometry != NULL ? wkbFlatten(OGR_G_GetGeometryType(geometry)) : wkbNone;
  if (geometry == NULL || OGR_G_IsEmpty(geometry)) {
    return unusable(r->io, r->set, r->row, f->fid, "no geometry");
  }
  if (type == wkbPoint) return add(r, OGR_G_GetX(geometry, 0), OGR_G_GetY(geometry, 0), f);
  if (type == wkbMultiPoint || type == wkbGeometryCollection) {
    int parts = OGR_G_GetGeometryCount(geometry);
    for (int i = 0; i < parts; i++) {
      OGRGeometryH part = OGR_G_GetGeometryRef(geometry, i);
      /* An empty part beside others is nothing; only a whole geometry without points is missing. */
      if (OGR_G_IsEmpty(part)) continue;
      gv_status status = read_geometry(r, part, f);
      if (status != GV_OK) return status;
    }
    return GV_OK;
  }
  char where[96];
  describe_row(r->set, r->row, f->fid, where, sizeof where);
  return gv_io_fail(
      r->io, GV_ERROR_INVALID_ARGUMENT,
      "seeds: %s is a %s: seeds are points or multipoints; make points of it first, e.g. its "
      "centroids with 'ogr2ogr -dialect SQLite -sql \"SELECT *, ST_Centroid(...)\"' or QGIS's Centroids",
      where, OGRGeometryTypeToName(OGR_G_GetGeometryType(geometry)));
}

/* What distances may be divided by (GV_MULTIPLICATIVE). */
static bool is_divisor(double weight) {
  return weight >= 1e-100 && weight <= 1e100;
}

/* The weight of a feature; GV_OK with *usable false when it was skipped. */
static gv_status read_weight(reader *r, OGRFeatureH feature, facts *f, bool *usable) {
  const char *column = field_name(r->layer, r->weight_field);
  bool set = OGR_F_IsFieldSetAndNotNull(feature, r->weight_field) != 0;
  *usable = false;
  if (set && field_type(r->layer, r->weight_field) != OFTString) {
    f->weight = OGR_F_GetFieldAsDouble(feature, r->weight_field);
  } else {
    const char *text = set ? OGR_F_GetFieldAsString(feature, r->weight_field) : "";
    if (*skip_spaces(text) == '\0') {
      return unusable(r->io, r->set, r->row, f->fid, "the weight field '%s' is empty", column);
    }
    if (!parse_number(text, &f->weight)) {
      return unusable(r->io, r->set, r->row, f->fid, "the weight field '%s' holds '%.80s', which is not a number",
                      column, text);
    }
  }
  if (!isfinite(f->weight)) {
    return unusable(r->io, r->set, r->row, f->fid, "the weight %g is not finite", f->weight);
  }
  if (r->options->positive_weights && !is_divisor(f->weight)) {
    return unusable(r->io, r->set, r->row, f->fid, "the weight %.10g is not %s", f->weight,
                    f->weight > 0.0 ? "in 1e-100 ... 1e100" : "above 0");
  }
  *usable = true;
  return GV_OK;
}

static gv_status read_feature(reader *r, OGRFeatureH feature) {
  int64_t fid = (int64_t)OGR_F_GetFID(feature);
  facts f = {fid, fid, NULL, 0.0};
  if (r->name_field >= 0 && OGR_F_IsFieldSetAndNotNull(feature, r->name_field)) {
    f.name = OGR_F_GetFieldAsString(feature, r->name_field);
  }
  if (r->id == ID_TEXT) {
    f.id = r->row - 1;
  } else if (r->id == ID_INTEGER) {
    bool set = OGR_F_IsFieldSetAndNotNull(feature, r->id_field) != 0;
    if (set && field_type(r->layer, r->id_field) != OFTString) {
      f.id = (int64_t)OGR_F_GetFieldAsInteger64(feature, r->id_field);
    } else {
      const char *text = set ? OGR_F_GetFieldAsString(feature, r->id_field) : "";
      if (!parse_integer(text, &f.id)) {
        return unusable(r->io, r->set, r->row, fid, "the id field '%s' is empty",
                        field_name(r->layer, r->id_field));
      }
    }
  }
  if (r->weight_field >= 0) {
    bool usable;
    gv_status status = read_weight(r, feature, &f, &usable);
    if (status != GV_OK || !usable) return status;
  }
  if (r->x_field >= 0) return read_columns(r, feature, &f);
  return read_geometry(r, OGR_F_GetGeometryRef(feature), &f);
}

/* --------------------------------------------------------------------------------------------- opening a layer */

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
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "seeds: %s has %d layers; choose one with --layer: %s",
                    options->source, count, list);
}

static void drop_plain(reader *r) {
  gv_plain_csv_close(r->plain);
  r->plain = NULL;
}

/* The text of a value, if it is as short as any number. */
static bool copy_value(const gv_plain_value *value, char text[64]) {
  if (value->length >= 64) return false;
  memcpy(text, value->text, value->length);
  text[value->length] = '\0';
  return true;
}

/* What the texts of a column are; set by all threads. */
typedef struct column_content {
  int field;
  atomic_bool any, not_integer, not_number;
} column_content;

static void look_at(column_content *content, const char *text) {
  int64_t integer;
  double number;
  if (*skip_spaces(text) == '\0') return;
  atomic_store_explicit(&content->any, true, memory_order_relaxed);
  if (parse_integer(text, &integer)) return;
  atomic_store_explicit(&content->not_integer, true, memory_order_relaxed);
  if (!parse_number(text, &number)) atomic_store_explicit(&content->not_number, true, memory_order_relaxed);
}

static bool look_at_row(void *user, int64_t row, const gv_plain_value *values) {
  column_content *content = user;
  const gv_plain_value *value = &values[content->field];
  char text[64];
  (void)row;
  if (copy_value(value, text)) {
    look_at(content, text);
  } else {
    char *longer = strndup(value->text, value->length);
    if (longer == NULL) return false;
    look_at(content, longer);
    free(longer);
  }
  return true;
}

/* What a CSV file's text column holds as ids: looks at all of it. */
static gv_status detect_csv_ids(reader *r) {
  const char *column = field_name(r->layer, r->id_field);
  column_content content = {.field = r->id_field};
  if (r->plain != NULL && !gv_plain_csv_walk(r->plain, look_at_row, &content)) drop_plain(r);
  if (r->plain == NULL) {
    OGRFeatureH feature;
    OGR_L_ResetReading(r->layer);
    while (!content.not_number && (feature = OGR_L_GetNextFeature(r->layer)) != NULL) {
      look_at(&content, OGR_F_GetFieldAsString(feature, r->id_field));
      OGR_F_Destroy(feature);
    }
    OGR_L_ResetReading(r->layer);
  }
  if (content.any && !content.not_number && content.not_integer) {
    return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT,
                      "--id: the field '%s' holds numbers that are no 64-bit integers; ids are integers or text",
                      column);
  }
  r->id = content.any && !content.not_integer ? ID_INTEGER : ID_TEXT;
  return GV_OK;
}

static void list_fields(OGRLayerH layer, char *list, size_t size) {
  list[0] = '\0';
  for (int i = 0; i < OGR_FD_GetFieldCount(OGR_L_GetLayerDefn(layer)); i++) {
    size_t length = strlen(list);
    snprintf(list + length, size - length, "%s%s", i > 0 ? ", " : "", field_name(layer, i));
  }
}

static gv_status choose_weight(reader *r) {
  const char *wanted = r->options->weight_field;
  r->weight_field = -1;
  if (wanted == NULL) return GV_OK;
  r->weight_field = OGR_FD_GetFieldIndex(OGR_L_GetLayerDefn(r->layer), wanted);
  if (r->weight_field < 0) {
    char list[512];
    list_fields(r->layer, list, sizeof list);
    return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT,
                      "--weight-field: the layer '%s' has no field '%s' (it has: %s)", OGR_L_GetName(r->layer),
                      wanted, list);
  }
  OGRFieldType type = field_type(r->layer, r->weight_field);
  bool text = type == OFTString && r->is_csv;
  if (is_numeric(r->layer, r->weight_field) || text) return GV_OK;
  return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT, "--weight-field: the field '%s' is of type %s, not a number",
                    wanted, OGR_GetFieldTypeName(type));
}

static gv_status choose_id(reader *r) {
  static const char *const name_fields[] = {"name", NULL};
  r->id = ID_FID;
  r->id_field = -1;
  r->name_field = find_field(r->layer, name_fields);
  if (r->options->id_field != NULL) {
    const char *wanted = r->options->id_field;
    OGRFeatureDefnH definition = OGR_L_GetLayerDefn(r->layer);
    const char *fid_column = OGR_L_GetFIDColumn(r->layer);
    r->id_field = OGR_FD_GetFieldIndex(definition, wanted);
    if (r->id_field < 0 && fid_column != NULL && fid_column[0] != '\0' && EQUAL(fid_column, wanted)) return GV_OK;
    if (r->id_field < 0) {
      char list[512];
      list_fields(r->layer, list, sizeof list);
      return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT, "--id: the layer '%s' has no field '%s' (it has: %s)",
                        OGR_L_GetName(r->layer), wanted, list);
    }
    OGRFieldType type = field_type(r->layer, r->id_field);
    if (type == OFTInteger || type == OFTInteger64) {
      r->id = ID_INTEGER;
    } else if (type == OFTString) {
      r->id = ID_TEXT;
    } else {
      return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT,
                        "--id: the field '%s' is of type %s; ids are integers or text", wanted,
                        OGR_GetFieldTypeName(type));
    }
    if (r->id == ID_TEXT && r->is_csv) {
      gv_status status = detect_csv_ids(r);
      if (status != GV_OK) return status;
    }
    if (r->id == ID_TEXT) r->name_field = r->id_field;
  }
  r->set->ids_are_rows = r->id == ID_TEXT;
  if (r->name_field >= 0) {
    snprintf(r->set->name_field, sizeof r->set->name_field, "%s", field_name(r->layer, r->name_field));
  }
  return GV_OK;
}

/* Decides where positions come from, and in which coordinate system they are. */
static gv_status choose_positions(reader *r) {
  static const char *const lon_names[] = {"lon", "longitude", "lng", "long", NULL};
  static const char *const lat_names[] = {"lat", "latitude", NULL};
  static const char *const x_names[] = {"x", NULL};
  static const char *const y_names[] = {"y", NULL};
  gv_status status = GV_OK;
  OGRSpatialReferenceH given = NULL;
  r->x_field = r->y_field = -1;
  if (r->options->crs != NULL) {
    status = gv_crs_parse(r->io, r->options->crs, "--seeds-crs", &given);
    if (status != GV_OK) return status;
  }
  if (OGR_FD_GetGeomFieldCount(OGR_L_GetLayerDefn(r->layer)) > 0 && OGR_L_GetGeomType(r->layer) != wkbNone) {
    OGRSpatialReferenceH own = OGR_L_GetSpatialRef(r->layer);
    if (own != NULL) {
      OGRSpatialReferenceH copy = NULL;
      status = gv_crs_copy(r->io, own, &copy, &r->swapped);
      r->set->crs = copy;
    }
    if (given != NULL) {
      if (r->set->crs != NULL) OSRRelease(r->set->crs);
      r->set->crs = given;
    }
    return status;
  }
  int lon = find_field(r->layer, lon_names), lat = find_field(r->layer, lat_names);
  int x = find_field(r->layer, x_names), y = find_field(r->layer, y_names);
  bool has_degrees = lon >= 0 && lat >= 0, has_xy = x >= 0 && y >= 0;
  if (!has_degrees && !has_xy) {
    if (given != NULL) OSRRelease(given);
    return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT,
                      "seeds: the layer '%s' has neither geometries nor coordinate columns (lon and lat, longitude "
                      "and latitude, or x and y)",
                      OGR_L_GetName(r->layer));
  }
  if (given != NULL && !OSRIsGeographic(given) && !has_xy) {
    char name[256];
    gv_crs_describe(given, name, sizeof name);
    OSRRelease(given);
    return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT,
                      "--seeds-crs: the columns '%s' and '%s' hold degrees, %s does not", field_name(r->layer, lon),
                      field_name(r->layer, lat), name);
  }
  bool use_xy = !has_degrees || (given != NULL && !OSRIsGeographic(given));
  r->x_field = use_xy ? x : lon;
  r->y_field = use_xy ? y : lat;
  r->set->crs = given;
  r->numeric[0] = is_numeric(r->layer, r->x_field);
  r->numeric[1] = is_numeric(r->layer, r->y_field);
  if (!use_xy && given == NULL) status = gv_crs_parse(r->io, "EPSG:4326", "seeds", &r->set->crs);
  return status;
}

/* A CSV file's where clause needs column types, its values must stay text: features are picked in a second, typed
 * view of the file and then read from the first. r->picked is NULL where no such care is needed. */
static gv_status pick_features(reader *r) {
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

static void start_reading(reader *r) {
  gv_gdal_reset();
  OGR_L_ResetReading(r->layer);
  if (r->picked != NULL) OGR_L_ResetReading(r->picked);
  r->row = 0;
}

/* The next feature that is to be read, to be destroyed; NULL after the last. */
static OGRFeatureH next_feature(reader *r) {
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

static gv_status read_failed(const reader *r) {
  return gv_io_fail_gdal(r->io, GV_ERROR_IO, "seeds: reading %s failed after %" PRId64 " rows", r->options->source,
                         r->row);
}

static gv_status read_layer(reader *r) {
  gv_status status = GV_OK;
  start_reading(r);
  while (status == GV_OK) {
    OGRFeatureH feature = next_feature(r);
    if (feature == NULL) break;
    status = read_feature(r, feature);
    OGR_F_Destroy(feature);
    if (status == GV_OK && r->row % 4096 == 0 && gv_io_cancelled(r->io)) status = gv_io_fail_cancelled(r->io);
  }
  return status == GV_OK && gv_gdal_failed() ? read_failed(r) : status;
}

static bool value_number(const gv_plain_value *value, double *out) {
  char text[64];
  const char *after = parse_plain(skip_spaces(value->text), out);
  if (after != NULL && skip_spaces(after) == value->text + value->length) return true;
  return copy_value(value, text) && parse_number(text, out);
}

static bool value_integer(const gv_plain_value *value, int64_t *out) {
  char text[64];
  return copy_value(value, text) && parse_integer(text, out);
}

/* A row in which everything is as it should be; false otherwise. */
static bool take_row(void *user, int64_t row, const gv_plain_value *values) {
  const reader *r = user;
  const gv_seed_list *set = r->set;
  bool good = value_number(&values[r->x_field], &set->x[row]) && isfinite(set->x[row]) &&
              value_number(&values[r->y_field], &set->y[row]) && isfinite(set->y[row]);
  set->rows[row] = set->fids[row] = row + 1;
  set->ids[row] = r->id == ID_TEXT ? row : row + 1;
  if (r->id == ID_INTEGER) good = good && value_integer(&values[r->id_field], &set->ids[row]);
  if (r->weight_field >= 0) {
    good = good && value_number(&values[r->weight_field], &set->weights[row]) && isfinite(set->weights[row]) &&
           (!r->options->positive_weights || is_divisor(set->weights[row]));
  }
  if (good && set->names != NULL && r->name_field >= 0) {
    const gv_plain_value *name = &values[r->name_field];
    set->names[row] = strndup(name->text, name->length);
    good = set->names[row] != NULL;
  }
  return good;
}

/* All seeds of a plain file; false, and none, if there is anything about one of them that OGR's features are to tell. */
static bool read_plain(reader *r) {
  gv_seed_list *set = r->set;
  int64_t rows = gv_plain_csv_rows(r->plain);
  bool good = rows <= INT32_MAX && reserve(r, rows) == GV_OK;
  set->count = good ? rows : 0;
  if (rows > GV_MAX_NAMED_SEEDS) {
    free(set->names);
    set->names = NULL;
  }
  for (int64_t i = 0; set->names != NULL && i < set->count; i++)
    set->names[i] = NULL;
  if (good && gv_plain_csv_walk(r->plain, take_row, r)) {
    r->row = rows;
    return true;
  }
  free_rows(set);
  r->capacity = 0;
  return false;
}

gv_status gv_seeds_require_some(gv_io *io, const gv_seed_list *seeds) {
  if (seeds->count > 0) return GV_OK;
  if (seeds->skipped > 0) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "seeds: none left, %" PRId64 " skipped (the first: %s)",
                      seeds->skipped, seeds->skipped_first);
  }
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "seeds: %s",
                    seeds->filtered ? "none left after --where" : "the layer is empty");
}

static void close_reader(reader *r) {
  drop_plain(r);
  if (r->typed != NULL) GDALClose(r->typed);
  if (r->dataset != NULL) GDALClose(r->dataset);
}

static gv_status copy_positions(gv_io *io, gv_seed_list *set) {
  size_t bytes = (size_t)set->count * sizeof(double);
  set->source_x = malloc(bytes);
  set->source_y = malloc(bytes);
  if (set->source_x == NULL || set->source_y == NULL) return gv_io_fail_memory(io, "the seeds");
  memcpy(set->source_x, set->x, bytes);
  memcpy(set->source_y, set->y, bytes);
  return GV_OK;
}

static void keep_plain(reader *r) {
  r->set->plain = r->plain;
  r->plain = NULL;
}

gv_status gv_seeds_read(gv_io *io, const gv_seed_options *options, gv_seed_list *out) {
  reader r = {.io = io, .options = options, .set = out, .id_field = -1, .name_field = -1, .weight_field = -1};
  out->skip_invalid = options->skip_invalid;
  out->filtered = options->where != NULL;
  r.is_csv = source_is_csv(options->source);
  gv_status status = open_dataset(io, options->source, NULL, &r.dataset);
  if (status == GV_OK) status = open_layer(io, r.dataset, options, &r.layer);
  if (status == GV_OK) status = choose_positions(&r);
  if (status == GV_OK && r.is_csv && r.x_field >= 0 && options->where == NULL)
    r.plain = gv_plain_csv_open(options->source, r.layer, options->threads);
  if (status == GV_OK) status = choose_id(&r);
  if (status == GV_OK) status = choose_weight(&r);
  if (status == GV_OK) status = pick_features(&r);
  if (r.plain != NULL && status == GV_OK && !read_plain(&r)) drop_plain(&r);
  if (r.plain == NULL && status == GV_OK) status = read_layer(&r);
  if (status == GV_OK) status = gv_seeds_require_some(io, out);
  if (status == GV_OK && options->keep_source) status = copy_positions(io, out);
  if (status == GV_OK && options->keep_source) keep_plain(&r);
  if (r.name_field < 0 && out->names != NULL) drop_names(out);
  close_reader(&r);
  return status;
}

/* ---------------------------------------------------------------------------------------------- a second walk */

struct gv_seed_features {
  reader r;
  OGRFeatureH feature;
};

/* A where clause may ask about them. */
static void leave_out_geometries(const reader *r) {
  const char *ignored[] = {"OGR_GEOMETRY", NULL};
  if (r->options->where == NULL && OGR_L_TestCapability(r->layer, OLCIgnoreFields)) {
    OGR_L_SetIgnoredFields(r->layer, ignored);
  }
}

gv_status gv_seed_features_open(gv_io *io, const gv_seed_options *options, gv_seed_features **out) {
  gv_seed_features *features = calloc(1, sizeof *features);
  if (features == NULL) return gv_io_fail_memory(io, "the seeds' attributes");
  reader *r = &features->r;
  r->io = io;
  r->options = options;
  r->is_csv = source_is_csv(options->source);
  gv_status status = open_dataset(io, options->source, NULL, &r->dataset);
  if (status == GV_OK) status = open_layer(io, r->dataset, options, &r->layer);
  if (status == GV_OK) status = pick_features(r);
  if (status != GV_OK) {
    gv_seed_features_close(features);
    return status;
  }
  leave_out_geometries(r);
  start_reading(r);
  *out = features;
  return GV_OK;
}

gv_status gv_seed_features_next(gv_io *io, gv_seed_features *features, OGRFeatureH *feature, int64_t *row) {
  features->r.io = io;
  if (features->feature != NULL) OGR_F_Destroy(features->feature);
  *feature = features->feature = next_feature(&features->r);
  *row = features->r.row;
  return *feature == NULL && gv_gdal_failed() ? read_failed(&features->r) : GV_OK;
}

void gv_seed_features_keep(gv_seed_features *features) {
  features->feature = NULL;
}

OGRFeatureDefnH gv_seed_features_definition(const gv_seed_features *features) {
  return OGR_L_GetLayerDefn(features->r.layer);
}

void gv_seed_features_close(gv_seed_features *features) {
  if (features == NULL) return;
  if (features->feature != NULL) OGR_F_Destroy(features->feature);
  close_reader(&features->r);
  free(features);
}

/* ---------------------------------------------------------------------------------------------- transforming */

gv_status gv_seeds_transform(gv_io *io, gv_seed_list *seeds, gv_operation *operation, bool globe, double scale) {
  int64_t kept = 0;
  gv_status status = GV_OK;
  int64_t i = 0;
  for (; i < seeds->count && status == GV_OK; i++) {
    double x = seeds->x[i], y = seeds->y[i];
    bool usable = true;
    if (operation != NULL) {
      if (gv_operation_apply(&x, &y, 1, operation) != 0) {
        status = gv_io_fail_memory(io, "a coordinate operation");
        break;
      }
      if (!isfinite(x) || !isfinite(y)) {
        status = unusable(io, seeds, seeds->rows[i], seeds->fids[i],
                          "the position (%.10g, %.10g) cannot be carried over to the grid's coordinate system",
                          seeds->x[i], seeds->y[i]);
        usable = false;
      }
    } else if (scale != 1.0) {
      x *= scale;
      y *= scale;
    }
    /* PROJ's radians come back as degrees with an ulp to spare at the pole. */
    if (usable && globe && operation != NULL && fabs(y) > 90.0 && fabs(y) < 90.0 + 1e-9) y = copysign(90.0, y);
    if (usable && globe && fabs(y) > 90.0) {
      status = unusable(io, seeds, seeds->rows[i], seeds->fids[i], "the latitude %.10g is beyond 90 degrees", y);
      usable = false;
    }
    if (status != GV_OK) break;
    if (!usable) {
      if (seeds->names != NULL) {
        free(seeds->names[i]);
        seeds->names[i] = NULL;
      }
      continue;
    }
    seeds->x[kept] = x;
    seeds->y[kept] = y;
    if (kept < i) {
      seeds->ids[kept] = seeds->ids[i];
      seeds->rows[kept] = seeds->rows[i];
      seeds->fids[kept] = seeds->fids[i];
      if (seeds->weights != NULL) seeds->weights[kept] = seeds->weights[i];
      if (seeds->source_x != NULL) {
        seeds->source_x[kept] = seeds->source_x[i];
        seeds->source_y[kept] = seeds->source_y[i];
      }
      if (seeds->names != NULL) {
        seeds->names[kept] = seeds->names[i];
        seeds->names[i] = NULL;
      }
    }
    kept++;
    if (i % 4096 == 0 && gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
  }
  if (status != GV_OK) return status; /* the set is still whole enough to be freed: moved names left NULL behind */
  seeds->count = kept;
  return gv_seeds_require_some(io, seeds);
}

void gv_seeds_id_range(const gv_seed_list *seeds, int64_t *lowest, int64_t *highest) {
  *lowest = *highest = seeds->ids[0];
  for (int64_t i = 1; i < seeds->count; i++) {
    if (seeds->ids[i] < *lowest) *lowest = seeds->ids[i];
    if (seeds->ids[i] > *highest) *highest = seeds->ids[i];
  }
}
