#include "io/row_texts.h"

#include <stdlib.h>
#include <string.h>

#include "io/grow.h"

gv_status gv_row_texts_make(gv_io *io, OGRLayerH layer, char separator, gv_row_texts **out) {
  enum { SHARE = 8 };
  OGRFeatureDefnH definition = OGR_L_GetLayerDefn(layer);
  *out = NULL;
  for (int i = 0; i < OGR_FD_GetFieldCount(definition); i++)
    if (OGR_Fld_GetType(OGR_FD_GetFieldDefn(definition, i)) != OFTString) return GV_OK;
  gv_row_texts *texts = calloc(1, sizeof *texts);
  if (texts == NULL) return gv_io_fail_memory(io, "the seeds' attributes");
  texts->definition = definition;
  texts->separator = separator;
  OGR_FD_Reference(definition);
  texts->most = io->memory > 0 ? io->memory / SHARE : INT64_MAX;
  *out = texts;
  return GV_OK;
}

void gv_row_texts_free(gv_row_texts *texts) {
  if (texts == NULL) return;
  OGR_FD_Release(texts->definition);
  free(texts->bytes);
  free(texts->first);
  free(texts);
}

/* Room for more bytes; false: there is none. */
static bool row_texts_reserve(gv_row_texts *texts, int64_t more) {
  if (more > texts->most - texts->length) return false;
  char *bytes = gv_grow(texts->bytes, &texts->room, texts->length + more, 1);
  if (bytes != NULL) texts->bytes = bytes;
  return bytes != NULL;
}

static bool row_texts_put(gv_row_texts *texts, OGRFeatureH feature) {
  int64_t *first = gv_grow(texts->first, &texts->rows_room, texts->rows + 1, sizeof *first);
  if (first == NULL) return false;
  texts->first = first;
  texts->first[texts->rows++] = texts->length;
  for (int i = 0; i < OGR_FD_GetFieldCount(texts->definition); i++) {
    bool set = OGR_F_IsFieldSetAndNotNull(feature, i) != 0;
    const char *text = set ? OGR_F_GetFieldAsString(feature, i) : NULL;
    size_t size = set ? strlen(text) + 1 : 0;
    if (!row_texts_reserve(texts, 1 + (int64_t)size)) return false;
    texts->bytes[texts->length++] = set;
    if (set) memcpy(texts->bytes + texts->length, text, size);
    texts->length += (int64_t)size;
  }
  return true;
}

void gv_row_texts_add(gv_row_texts **texts, OGRFeatureH feature) {
  if (*texts == NULL || row_texts_put(*texts, feature)) return;
  gv_row_texts_free(*texts);
  *texts = NULL;
}

const char *gv_row_texts_next(const char **at) {
  const char *text = **at != '\0' ? *at + 1 : NULL;
  *at = text != NULL ? text + strlen(text) + 1 : *at + 1;
  return text;
}
