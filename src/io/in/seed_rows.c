/* Features to seeds. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/grow.h"
#include "io/in/input_limit.h"
#include "io/in/numbers.h"
#include "io/in/seed_reader.h"
#include "io/in/separator.h"

void gv_seed_rows_free(gv_seed_list *set) {
  if (set->names != NULL) gv_seed_names_drop(set);
  free(set->x);
  free(set->y);
  free(set->ids);
  free(set->rows);
  free(set->fids);
  free(set->weights);
  free(set->z);
  free(set->integers);
  free(set->reals);
  set->x = set->y = set->weights = set->z = set->reals = NULL;
  set->ids = set->rows = set->fids = set->integers = NULL;
  set->count = 0;
}

/* ------------------------------------------------------------------------------- naming and skipping rows */

static void describe_row(const gv_seed_list *set, int64_t row, int64_t fid, char *text, size_t size) {
  if (set->are_cells) {
    snprintf(text, size, "cell %" PRId64, fid);
  } else if (set->filtered || row == fid) {
    snprintf(text, size, "%s %" PRId64, set->filtered ? "feature id" : "row", fid);
  } else {
    snprintf(text, size, "row %" PRId64 " (feature id %" PRId64 ")", row, fid);
  }
}

gv_status gv_seed_unusable(gv_io *io, gv_seed_list *set, int64_t row, int64_t fid, const char *format, ...) {
  char where[96], why[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why, sizeof why, format, arguments);
  va_end(arguments);
  describe_row(set, row, fid, where, sizeof where);
  if (!set->skip_invalid) {
    return gv_io_fail_as(io, GV_CODE_SEED_UNUSABLE, GV_ERROR_INVALID_ARGUMENT, "seeds: %s: %s%s", where, why,
                         strstr(why, "-crs") != NULL ? "" : "; to skip such rows, use --skip-invalid");
  }
  if (set->skipped++ == 0) snprintf(set->skipped_first, sizeof set->skipped_first, "%s: %.150s", where, why);
  return GV_OK;
}

/* ---------------------------------------------------------------------------------------- adding one seed */

static gv_status reserve(gv_seed_reader *r) {
  gv_seed_list *set = r->set;
  void *column[] = {set->x,       set->y, set->ids,   set->rows,     set->fids,
                    set->weights, set->z, set->names, set->integers, set->reals};
  const size_t size[] = {sizeof *set->x,        sizeof *set->y,       sizeof *set->ids, sizeof *set->rows,
                         sizeof *set->fids,     sizeof *set->weights, sizeof *set->z,   sizeof *set->names,
                         sizeof *set->integers, sizeof *set->reals};
  const bool kept[] = {true,
                       true,
                       true,
                       true,
                       true,
                       r->options->weight_field != NULL,
                       r->has_heights,
                       set->names != NULL || r->capacity == 0,
                       r->attribute_field >= 0 && r->attribute_is_integer,
                       r->attribute_field >= 0 && !r->attribute_is_integer};
  int64_t wanted = r->capacity > 0 ? r->capacity + 1 : 1024, room = 0;
  bool all = true;
  GV_TRY(gv_input_fits(r->io,
                       &(gv_input_data){NULL, r->options->source, r->options->queries ? "queries" : "seeds",
                                        wanted, GV_BYTES_A_SEED}));
  for (size_t c = 0; c < sizeof column / sizeof *column; c++) {
    if (!kept[c]) continue;
    room = r->capacity;
    void *grown = gv_grow(column[c], &room, wanted, size[c]);
    all = all && grown != NULL;
    if (grown != NULL) column[c] = grown;
  }
  set->x = column[0];
  set->y = column[1];
  set->ids = column[2];
  set->rows = column[3];
  set->fids = column[4];
  set->weights = column[5];
  set->z = column[6];
  set->names = column[7];
  set->integers = column[8];
  set->reals = column[9];
  if (!all) return gv_io_fail_memory(r->io, "the seeds");
  r->capacity = room;
  return GV_OK;
}

void gv_seed_names_drop(gv_seed_list *set) {
  for (int64_t i = 0; i < set->count; i++)
    free(set->names[i]);
  free(set->names);
  set->names = NULL;
}

/* Data of a feature common to all its points. */
typedef struct facts {
  int64_t id, fid;
  const char *name;
  double weight, height, real;
  int64_t integer;
} facts;

static gv_status seed_rows_add(gv_seed_reader *r, double x, double y, double z, const facts *f) {
  gv_seed_list *set = r->set;
  if (r->has_heights && !isfinite(z)) {
    return gv_seed_unusable(r->io, set, r->row, f->fid, "z is not finite");
  }
  if (!isfinite(x) || !isfinite(y)) {
    return gv_seed_unusable(r->io, set, r->row, f->fid, "the coordinate (%g, %g) is not finite", x, y);
  }
  GV_REQUIRE(r->io, set->count != INT32_MAX, "more than %d seeds are unsupported", INT32_MAX);
  if (set->count == r->capacity) {
    GV_TRY(reserve(r));
  }
  if (set->names != NULL && set->count == GV_MAX_NAMED_SEEDS) gv_seed_names_drop(set);
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
  if (set->z != NULL) set->z[i] = z;
  if (set->integers != NULL) set->integers[i] = f->integer;
  if (set->reals != NULL) set->reals[i] = f->real;
  set->count++;
  return GV_OK;
}

/* -------------------------------------------------------------------------------------- reading a feature */

bool gv_seed_parse_number(const gv_seed_reader *r, const char *text, double *out) {
  if (gv_parse_number(text, out)) return true;
  if (!r->is_csv || strchr(text, ',') == NULL) return false;
  return gv_parse_separated(text, r->separator, out);
}

/* A coordinate from a field; GV_OK with *usable false when the feature was skipped. */
static gv_status seed_rows_read_number(gv_seed_reader *r, OGRFeatureH feature, int field, const facts *f,
                                       double *out, bool *usable) {
  bool set = OGR_F_IsFieldSetAndNotNull(feature, field) != 0;
  *usable = true;
  OGRFieldType type = gv_seed_field_type(r->layer, field);
  if (set && (type == OFTReal || type == OFTInteger || type == OFTInteger64)) {
    *out = OGR_F_GetFieldAsDouble(feature, field);
    return GV_OK;
  }
  const char *text = set ? OGR_F_GetFieldAsString(feature, field) : "";
  if (gv_seed_parse_number(r, text, out)) return GV_OK;
  *usable = false;
  const char *column = gv_seed_field_name(r->layer, field);
  if (*gv_skip_spaces(text) == '\0')
    return gv_seed_unusable(r->io, r->set, r->row, f->fid, "column '%s' is empty", column);
  return gv_seed_unusable(r->io, r->set, r->row, f->fid, "column '%s' is not a number ('%.80s')", column,
                          text);
}

static gv_status read_columns(gv_seed_reader *r, OGRFeatureH feature, const facts *f) {
  double position[3] = {0.0, 0.0, 0.0};
  const int fields[3] = {r->x_field, r->y_field, r->z_field};
  for (int d = 0; d < (r->z_field >= 0 ? 3 : 2); d++) {
    bool usable;
    gv_status status = seed_rows_read_number(r, feature, fields[d], f, &position[d], &usable);
    if (status != GV_OK || !usable) return status;
  }
  return seed_rows_add(r, position[0], position[1], position[2], f);
}

static bool is_shape(OGRwkbGeometryType type) {
  return type != wkbPoint && type != wkbMultiPoint && type != wkbGeometryCollection && type != wkbNone &&
         type != wkbUnknown;
}

/* A feature of a layer with lines or polygons. */
static gv_status read_shape(gv_seed_reader *r, OGRGeometryH geometry, const facts *f) {
  if (geometry == NULL || OGR_G_IsEmpty(geometry)) {
    if (r->options->may_be_empty) return GV_OK;
    return gv_seed_unusable(r->io, r->set, r->row, f->fid, "no geometry");
  }
  gv_shapes *shapes = r->set->shapes;
  const int64_t room = shapes->room_x;
  bool finite;
  GV_TRY(gv_shapes_add(r->io, shapes, geometry, r->swapped, &finite));
  if (shapes->room_x > room) {
    GV_TRY(gv_input_fits(
        r->io, &(gv_input_data){NULL, r->options->source, "vertices", shapes->vertices, GV_BYTES_A_SEED}));
  }
  if (!finite) return gv_seed_unusable(r->io, r->set, r->row, f->fid, "a coordinate is not finite");
  int64_t first = shapes->part[shapes->features - 1];
  if (first == shapes->parts) {
    gv_shapes_drop_last(shapes);
    if (r->options->may_be_empty) return GV_OK;
    return gv_seed_unusable(r->io, r->set, r->row, f->fid, "no geometry");
  }
  double x = shapes->x[shapes->vertex[shapes->ring[first]]],
         y = shapes->y[shapes->vertex[shapes->ring[first]]];
  return seed_rows_add(r, r->swapped ? y : x, r->swapped ? x : y, 0.0, f);
}

static gv_status read_geometry(gv_seed_reader *r, OGRGeometryH geometry, const facts *f) {
  OGRwkbGeometryType type = geometry != NULL ? wkbFlatten(OGR_G_GetGeometryType(geometry)) : wkbNone;
  if (geometry == NULL || OGR_G_IsEmpty(geometry)) {
    if (r->options->may_be_empty) return GV_OK;
    return gv_seed_unusable(r->io, r->set, r->row, f->fid, "no geometry");
  }
  if (type == wkbPoint) {
    double z = r->z_field >= 0 ? f->height : OGR_G_GetZ(geometry, 0);
    return seed_rows_add(r, OGR_G_GetX(geometry, 0), OGR_G_GetY(geometry, 0), z, f);
  }
  if (type == wkbMultiPoint || type == wkbGeometryCollection) {
    int parts = OGR_G_GetGeometryCount(geometry);
    for (int i = 0; i < parts; i++) {
      OGRGeometryH part = OGR_G_GetGeometryRef(geometry, i);
      /* An empty part beside others is ignored; only a whole geometry without points is missing. */
      if (OGR_G_IsEmpty(part)) continue;
      GV_TRY(read_geometry(r, part, f));
    }
    return GV_OK;
  }
  if (r->options->shapes) {
    r->shaped = true; /* all over again */
    return GV_OK;
  }
  const char *what = r->options->queries ? "queries" : "seeds";
  char where[96];
  describe_row(r->set, r->row, f->fid, where, sizeof where);
  return gv_io_fail(
      r->io, GV_ERROR_INVALID_ARGUMENT,
      "%s: %s: unsupported geometry (%s); %s are points or multipoints; convert to points first, e.g. to "
      "centroids: ogr2ogr -dialect SQLite -sql \"SELECT *, ST_Centroid(...)\", or QGIS's Centroids",
      what, where, OGRGeometryTypeToName(OGR_G_GetGeometryType(geometry)), what);
}

/* Whether distances may be divided by a weight (GV_MULTIPLICATIVE). */
static bool is_divisor(double weight) {
  return weight >= 1e-100 && weight <= 1e100;
}

/* A finite number of a feature, its `what`; GV_OK with *usable false when the feature was skipped. */
static gv_status read_real(gv_seed_reader *r, OGRFeatureH feature, int field, const char *what,
                           const facts *f, double *out, bool *usable) {
  const char *column = gv_seed_field_name(r->layer, field);
  bool set = OGR_F_IsFieldSetAndNotNull(feature, field) != 0;
  *usable = false;
  if (set && gv_seed_field_type(r->layer, field) != OFTString) {
    *out = OGR_F_GetFieldAsDouble(feature, field);
  } else {
    const char *text = set ? OGR_F_GetFieldAsString(feature, field) : "";
    if (*gv_skip_spaces(text) == '\0') {
      return gv_seed_unusable(r->io, r->set, r->row, f->fid, "the %s field '%s' is empty", what, column);
    }
    if (!gv_seed_parse_number(r, text, out)) {
      return gv_seed_unusable(r->io, r->set, r->row, f->fid, "the %s field '%s' is not a number ('%.80s')",
                              what, column, text);
    }
  }
  if (!isfinite(*out)) {
    return gv_seed_unusable(r->io, r->set, r->row, f->fid, "the %s %g is not finite", what, *out);
  }
  *usable = true;
  return GV_OK;
}

/* An integer of a feature, its `what`; GV_OK with *usable false when the feature was skipped. */
static gv_status read_integer(gv_seed_reader *r, OGRFeatureH feature, int field, const char *what,
                              const facts *f, int64_t *out, bool *usable) {
  bool set = OGR_F_IsFieldSetAndNotNull(feature, field) != 0;
  *usable = true;
  if (set && gv_seed_field_type(r->layer, field) != OFTString) {
    *out = (int64_t)OGR_F_GetFieldAsInteger64(feature, field);
    return GV_OK;
  }
  const char *text = set ? OGR_F_GetFieldAsString(feature, field) : "";
  if (gv_parse_integer(text, out)) return GV_OK;
  *usable = false;
  const char *column = gv_seed_field_name(r->layer, field);
  if (*gv_skip_spaces(text) == '\0')
    return gv_seed_unusable(r->io, r->set, r->row, f->fid, "the %s field '%s' is empty", what, column);
  return gv_seed_unusable(r->io, r->set, r->row, f->fid, "the %s field '%s' is not a number ('%.80s')", what,
                          column, text);
}

/* The weight of a feature; GV_OK with *usable false when it was skipped. */
static gv_status read_weight(gv_seed_reader *r, OGRFeatureH feature, facts *f, bool *usable) {
  GV_TRY(read_real(r, feature, r->weight_field, "weight", f, &f->weight, usable));
  if (!*usable) return GV_OK;
  *usable = false;
  if (r->options->positive_weights && !is_divisor(f->weight)) {
    return gv_seed_unusable(r->io, r->set, r->row, f->fid, "invalid weight (%.10g); expected a number %s",
                            f->weight, f->weight > 0.0 ? "from 1e-100 to 1e100" : "above 0");
  }
  *usable = true;
  return GV_OK;
}

/* The number of the first row with the feature's text; rows without a text have their own. */
static gv_status read_text_id(gv_seed_reader *r, OGRFeatureH feature, int64_t *id) {
  bool set = OGR_F_IsFieldSetAndNotNull(feature, r->id_field) != 0;
  const char *text = set ? OGR_F_GetFieldAsString(feature, r->id_field) : "";
  *id = r->row - 1;
  return *text == '\0' ? GV_OK : gv_text_ids_find(r->io, &r->texts, text, *id, id);
}

static gv_status read_feature(gv_seed_reader *r, OGRFeatureH feature) {
  int64_t fid = (int64_t)OGR_F_GetFID(feature);
  facts f = {.id = fid, .fid = fid};
  if (r->name_field >= 0 && OGR_F_IsFieldSetAndNotNull(feature, r->name_field)) {
    f.name = OGR_F_GetFieldAsString(feature, r->name_field);
  }
  if (r->id == GV_ID_TEXT) {
    gv_status status = read_text_id(r, feature, &f.id);
    if (status != GV_OK) return status;
  } else if (r->id == GV_ID_INTEGER) {
    bool usable;
    gv_status status = read_integer(r, feature, r->id_field, "id", &f, &f.id, &usable);
    if (status != GV_OK || !usable) return status;
  }
  if (r->weight_field >= 0) {
    bool usable;
    gv_status status = read_weight(r, feature, &f, &usable);
    if (status != GV_OK || !usable) return status;
  }
  if (r->attribute_field >= 0) {
    bool usable;
    gv_status status =
        r->attribute_is_integer
            ? read_integer(r, feature, r->attribute_field, "attribute", &f, &f.integer, &usable)
            : read_real(r, feature, r->attribute_field, "attribute", &f, &f.real, &usable);
    if (status != GV_OK || !usable) return status;
  }
  if (r->x_field >= 0) return read_columns(r, feature, &f);
  if (r->z_field >= 0) {
    bool usable;
    gv_status status = seed_rows_read_number(r, feature, r->z_field, &f, &f.height, &usable);
    if (status != GV_OK || !usable) return status;
  }
  if (r->set->shapes != NULL) return read_shape(r, OGR_F_GetGeometryRef(feature), &f);
  return read_geometry(r, OGR_F_GetGeometryRef(feature), &f);
}

/* From the first feature on, as points until there is a line or polygon. */
static gv_status read_features(gv_seed_reader *r) {
  gv_status status = GV_OK;
  gv_row_texts **texts = &r->set->texts;
  gv_row_texts_free(*texts);
  *texts = NULL;
  if (r->is_csv && r->options->keep_texts) GV_TRY(gv_row_texts_make(r->io, r->layer, r->separator, texts));
  gv_seed_start(r);
  while (status == GV_OK && r->shaped == (r->set->shapes != NULL)) {
    OGRFeatureH feature = gv_seed_next(r);
    if (feature == NULL) break;
    status = read_feature(r, feature);
    gv_row_texts_add(texts, feature);
    OGR_F_Destroy(feature);
    if (status == GV_OK && r->row % 4096 == 0 && gv_io_cancelled(r->io)) status = gv_io_fail_cancelled(r->io);
  }
  return status == GV_OK && gv_gdal_failed() ? gv_seed_read_failed(r) : status;
}

gv_status gv_seed_read_layer(gv_seed_reader *r) {
  r->has_heights =
      r->options->heights && (r->z_field >= 0 || (r->x_field < 0 && wkbHasZ(OGR_L_GetGeomType(r->layer))));
  r->shaped = r->options->shapes && r->x_field < 0 && is_shape(wkbFlatten(OGR_L_GetGeomType(r->layer)));
  if (!r->shaped) {
    gv_status status = read_features(r);
    if (!r->shaped) return status;
    gv_seed_rows_free(r->set);
    r->set->skipped = 0;
    r->capacity = 0;
  }
  r->has_heights = false;
  GV_TRY(gv_shapes_make(r->io, &r->set->shapes));
  r->set->shapes->edges = r->options->edges;
  r->set->shapes->boundary = r->options->boundary;
  return read_features(r);
}
