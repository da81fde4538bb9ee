/*
 * Values as OGR's CSV driver writes them into a file with GEOMETRY=AS_WKT, in a tenth of its time.
 *
 * There is one difference: coordinates have as many digits as they need (gv_text_put_exactly), where OGR rounds them to 15 digits
 * or decimals.
 */
#ifndef GV_IO_CSV_OUT_H
#define GV_IO_CSV_OUT_H

#include <ogr_api.h>

#include "io/text.h"

/* Whether fields of a type can be written here; lists cannot. */
bool gv_csv_writes(OGRFieldType type);

/* A text of `length` bytes in quotation marks, if it needs them: if it has a separator, or looks like a number. */
void gv_csv_put_text(gv_text *out, const char *text, size_t length);

void gv_csv_put_integer(gv_text *out, int64_t value);

/* The value of a feature's field; nothing if there is none. */
void gv_csv_put_field(gv_text *out, OGRFeatureH feature, int field);

/* A finite point as WKT. */
void gv_csv_put_point(gv_text *out, double x, double y);

#endif
