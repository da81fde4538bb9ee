#include "io/text.h"

#include <stdlib.h>
#include <string.h>

#include "io/grow.h"

enum { LEAST_ROOM = 4096 };

void gv_text_put(gv_text *text, const char *bytes, size_t length) {
  if (text->failed || length == 0) return;
  int64_t wanted = (int64_t)(text->length + length);
  if (wanted > text->room) {
    char *more = gv_grow(text->bytes, &text->room, wanted + LEAST_ROOM, 1);
    if (more == NULL) {
      text->failed = true;
      return;
    }
    text->bytes = more;
  }
  memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
}

void gv_text_put_string(gv_text *text, const char *string) {
  gv_text_put(text, string, strlen(string));
}

void gv_text_free(gv_text *text) {
  free(text->bytes);
  *text = (gv_text){0};
}
