#include "io/out/csv_out.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>

bool gv_csv_writes(OGRFieldType type) {
  return type != OFTIntegerList && type != OFTInteger64List && type != OFTRealList && type != OFTStringList &&
         type != OFTWideStringList;
}

/* What OGR needs no asking about. */
typedef enum look { NUMBER, WORD, OTHER } look;

static look look_at(const char *text, size_t length) {
  size_t digits = 0, points = 0, letters = 0;
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c >= '0' && c <= '9') {
      digits++;
    } else if (c == '.') {
      points++;
    } else if (c < ' ' || c == '"' || c == ',' || c == ';') {
      return OTHER;
    } else if (c > '9' && (c | 0x20) != 'd' && (c | 0x20) != 'e') { /* which exponents may begin with */
      letters++;
    }
  }
  if (letters > 0) return text[0] == ' ' || text[length - 1] == ' ' ? OTHER : WORD;
  size_t sign = text[0] == '-';
  return digits > 0 && points < 2 && sign + digits + points == length ? NUMBER : OTHER;
}

static void put_quoted(gv_text *out, const char *text, size_t length) {
  gv_text_put(out, "\"", 1);
  gv_text_put(out, text, length);
  gv_text_put(out, "\"", 1);
}

static void put_as_ogr(gv_text *out, const char *text) {
  bool number = CPLGetValueType(text) != CPL_VALUE_STRING;
  char *escaped = CPLEscapeString(text, -1, number ? CPLES_CSV_FORCE_QUOTING : CPLES_CSV);
  if (escaped != NULL) {
    gv_text_put_string(out, escaped);
  } else {
    out->failed = true;
  }
  CPLFree(escaped);
}

void gv_csv_put_text(gv_text *out, const char *text, size_t length) {
  if (length == 0) return;
  look kind = look_at(text, length);
  if (kind == NUMBER) {
    put_quoted(out, text, length);
  } else if (kind == WORD) {
    gv_text_put(out, text, length);
  } else {
    char *terminated = strndup(text, length);
    if (terminated != NULL) {
      put_as_ogr(out, terminated);
    } else {
      out->failed = true;
    }
    free(terminated);
  }
}

void gv_csv_put_integer(gv_text *out, int64_t value) {
  gv_text_put(out, "\"", 1);
  gv_text_put_integer(out, value);
  gv_text_put(out, "\"", 1);
}

static void put_real(gv_text *out, OGRFeatureH feature, int field, OGRFieldDefnH definition) {
  double value = OGR_F_GetFieldAsDouble(feature, field);
  if (OGR_Fld_GetSubType(definition) == OFSTFloat32) {
    char text[40];
    CPLsnprintf(text, sizeof text, "%.8g", value);
    gv_text_put_string(out, text);
  } else if (OGR_Fld_GetWidth(definition) == 0) {
    gv_text_put_real(out, value);
  } else {
    gv_text_put_string(out, OGR_F_GetFieldAsString(feature, field));
  }
}

void gv_csv_put_field(gv_text *out, OGRFeatureH feature, int field) {
  OGRFieldDefnH definition = OGR_F_GetFieldDefnRef(feature, field);
  OGRFieldType type = OGR_Fld_GetType(definition);
  if (!OGR_F_IsFieldSetAndNotNull(feature, field)) return;
  if (type == OFTReal) {
    put_real(out, feature, field, definition);
  } else if (type == OFTInteger || type == OFTInteger64) {
    gv_csv_put_integer(out, OGR_F_GetFieldAsInteger64(feature, field));
  } else {
    const char *text = OGR_F_GetFieldAsString(feature, field);
    gv_csv_put_text(out, text, strlen(text));
  }
}

static bool is_int(double value) {
  return value >= INT_MIN && value <= INT_MAX && value == rint(value);
}

/* Whole numbers that are not negative end in .0 beside others that are not whole. */
static void put_coordinate(gv_text *out, double value) {
  size_t before = out->length;
  gv_text_put_exactly(out, value);
  for (size_t i = before; i < out->length; i++) {
    char c = out->bytes[i];
    if ((c < '0' || c > '9') && (c != '-' || value != 0.0)) return;
  }
  gv_text_put(out, ".0", 2);
}

void gv_csv_put_point(gv_text *out, double x, double y) {
  gv_text_put_string(out, "\"POINT (");
  if (is_int(x) && is_int(y)) {
    gv_text_put_integer(out, (int64_t)x);
    gv_text_put(out, " ", 1);
    gv_text_put_integer(out, (int64_t)y);
  } else {
    put_coordinate(out, x);
    gv_text_put(out, " ", 1);
    put_coordinate(out, y);
  }
  gv_text_put_string(out, ")\"");
}
