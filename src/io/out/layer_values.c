#include "io/out/layer_values.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ogr_api.h>

enum { LONGEST_INTEGER = 18 /* characters; readers take longer ones for real numbers */ };

#define WIDEST_INTEGER (INT64_C(1) << 53) /* beyond, real numbers do not hold every integer */

static gv_status values_fail(const gv_layer_out *l, OGRFieldDefnH field, const char *value) {
  return gv_io_fail_as(
      l->io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_UNSUPPORTED,
      "%s: the field %s of %s does not hold a value in this format (%s); use .gpkg, .fgb or .csv",
      l->writer->place.option, OGR_Fld_GetNameRef(field), l->writer->place.output.path, value);
}

static OGRFieldDefnH values_field(const gv_layer_out *l, int field) {
  return OGR_FD_GetFieldDefn(OGR_L_GetLayerDefn(l->layer), field);
}

/* Whether the integer is one in a field of that type, in this file and for its readers. */
static bool values_holds_integer(const gv_layer_out *l, OGRFieldType type, int64_t value) {
  const gv_format *format = l->format;
  if (type == OFTReal || (type == OFTInteger64 && format->integers_as_reals))
    return value >= -WIDEST_INTEGER && value <= WIDEST_INTEGER;
  return type != OFTInteger64 || format->real_width == 0 ||
         snprintf(NULL, 0, "%" PRId64, value) <= LONGEST_INTEGER;
}

OGRFieldType gv_layer_cell_id_type(const gv_layer_out *l) {
  bool holds = gv_layer_lists_type(l, OFTInteger64) && values_holds_integer(l, OFTInteger64, INT64_MAX);
  return holds ? OFTInteger64 : OFTString;
}

gv_status gv_layer_set_integer(const gv_layer_out *l, OGRFeatureH feature, int field, int64_t value) {
  if (field < 0) return GV_OK;
  OGRFieldDefnH definition = values_field(l, field);
  OGRFieldType type = OGR_Fld_GetType(definition);
  if (type == OFTInteger && (value < INT32_MIN || value > INT32_MAX)) {
    return gv_io_fail_as(l->io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_UNSUPPORTED,
                         "%s: %s would be a %s, which does not support 64-bit integers (%" PRId64
                         " in %s); use .gpkg, .fgb or .csv",
                         l->writer->place.option, l->writer->place.output.path,
                         GDALGetDriverLongName(l->writer->place.driver), value,
                         OGR_Fld_GetNameRef(definition));
  }
  if (!values_holds_integer(l, type, value)) {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    return values_fail(l, definition, text);
  }
  OGR_F_SetFieldInteger64(feature, field, value);
  return GV_OK;
}

/* Formats with a fixed number of decimals: six digits must be left of a small number, and the integer part
 * must fit. */
static bool values_holds_real(const gv_layer_out *l, OGRFieldDefnH field, double value) {
  const gv_format *format = l->format;
  int width = OGR_Fld_GetWidth(field), decimals = OGR_Fld_GetPrecision(field);
  if (format->decimals == 0 || value == 0.0 || !isfinite(value)) return true;
  if (format->real_width == 0 || width == 0) {
    width = 0;
    decimals = format->decimals;
  }
  char text[400];
  int length = snprintf(text, sizeof text, "%.*f", decimals, value);
  return (width == 0 || length <= width) && fabs(strtod(text, NULL) - value) <= 1e-6 * fabs(value);
}

static gv_status values_set_real(const gv_layer_out *l, OGRFeatureH feature, int field, double value) {
  OGRFieldDefnH definition = values_field(l, field);
  if (values_holds_real(l, definition, value)) {
    OGR_F_SetFieldDouble(feature, field, value);
    return GV_OK;
  }
  char text[32];
  snprintf(text, sizeof text, "%.15g", value);
  return values_fail(l, definition, text);
}

/* A date or time, to a field of the same type or of another one. */
static gv_status values_check_date(const gv_layer_out *l, OGRFieldDefnH definition, OGRFieldType type,
                                   OGRFeatureH from, int from_field) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, flag = 0;
  float second = 0.0f;
  OGRFieldType into = OGR_Fld_GetType(definition);
  OGR_F_GetFieldAsDateTimeEx(from, from_field, &year, &month, &day, &hour, &minute, &second, &flag);
  bool dated = type != OFTTime && (into == OFTDate || into == OFTDateTime);
  bool fits = !dated || year * 10000 + month * 100 + day >= l->format->first_day;
  if (type == OFTDateTime && into == OFTDate) fits = fits && hour == 0 && minute == 0 && second == 0.0f;
  if (flag > 1 && l->format->local_times) {
    gv_io_warn(GV_CODE_VALUES_LOST, 0,
               "%s: the field %s of %s does not hold the time zone of times; use .gpkg",
               l->writer->place.option, OGR_Fld_GetNameRef(definition), l->writer->place.output.path);
  }
  return fits ? GV_OK : values_fail(l, definition, OGR_F_GetFieldAsString(from, from_field));
}

gv_status gv_layer_set_attribute(const gv_layer_out *l, OGRFeatureH feature, int field, OGRFeatureH from,
                                 int from_field) {
  if (field < 0 || !OGR_F_IsFieldSet(from, from_field)) return GV_OK;
  if (!OGR_F_IsFieldSetAndNotNull(from, from_field)) {
    OGR_F_SetFieldNull(feature, field);
    return GV_OK;
  }
  OGRFieldDefnH definition = values_field(l, field);
  OGRFieldType type = OGR_Fld_GetType(OGR_F_GetFieldDefnRef(from, from_field)),
               into = OGR_Fld_GetType(definition);
  if (type == OFTInteger || type == OFTInteger64)
    return gv_layer_set_integer(l, feature, field, (int64_t)OGR_F_GetFieldAsInteger64(from, from_field));
  if (type == OFTReal && into == OFTReal)
    return values_set_real(l, feature, field, OGR_F_GetFieldAsDouble(from, from_field));
  if (type == OFTDate || type == OFTTime || type == OFTDateTime)
    GV_TRY(values_check_date(l, definition, type, from, from_field));
  bool dates = (type == OFTDate || type == OFTDateTime) && (into == OFTDate || into == OFTDateTime);
  if (type == into || dates) {
    OGR_F_SetFieldRaw(feature, field, OGR_F_GetRawFieldRef(from, from_field));
  } else {
    OGR_F_SetFieldString(feature, field, OGR_F_GetFieldAsString(from, from_field));
  }
  return GV_OK;
}
