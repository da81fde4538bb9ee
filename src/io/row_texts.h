/* The texts of a CSV file's rows, kept from the pass that reads seeds: their attributes need no second
 * one. */
#ifndef GV_IO_ROW_TEXTS_H
#define GV_IO_ROW_TEXTS_H

#include <ogr_api.h>

#include "io/io.h"

/* One after the other: a byte that is 1 and the text of each field with its end, or a byte that is 0 for a
 * field without one. */
typedef struct gv_row_texts {
  OGRFeatureDefnH definition; /* of the layer */
  char separator;             /* of fields */
  char *bytes;
  int64_t *first; /* of rows: where they begin */
  int64_t rows, length, most, room, rows_room;
} gv_row_texts;

/* Of a layer of which all fields are texts; *out stays NULL for others. Keeps as many bytes as a share of the
 * memory for inputs. */
gv_status gv_row_texts_make(gv_io *io, OGRLayerH layer, char separator, gv_row_texts **out);

/* Adds a row; frees *texts, and sets it to NULL, if there is no room. */
void gv_row_texts_add(gv_row_texts **texts, OGRFeatureH feature);

/* The text at *at of a row, NULL: the field has none; moves *at to the next one. */
const char *gv_row_texts_next(const char **at);

/* NULL is allowed. */
void gv_row_texts_free(gv_row_texts *texts);

#endif
