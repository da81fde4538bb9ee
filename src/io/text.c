#include "io/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_string.h>

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

void gv_text_put_json(gv_text *text, const char *string) {
  bool utf8 = CPLIsUTF8(string, -1) != FALSE;
  gv_text_put(text, "\"", 1);
  for (; *string != '\0'; string++) {
    unsigned char c = (unsigned char)*string;
    char escape[8];
    if (c < 0x20 || c == 0x7f || (c >= 0x80 && !utf8)) {
      snprintf(escape, sizeof escape, "\\u%04x", c);
      gv_text_put_string(text, escape);
    } else {
      if (c == '"' || c == '\\') gv_text_put(text, "\\", 1);
      gv_text_put(text, string, 1);
    }
  }
  gv_text_put(text, "\"", 1);
}

void gv_number_text(double value, char text[GV_NUMBER_TEXT]) {
  text[0] = '\0';
  for (int digits = 15; digits <= 17 && isfinite(value); digits++) {
    snprintf(text, GV_NUMBER_TEXT, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
}

void gv_text_put_xml(gv_text *text, const char *string) {
  char *escaped = CPLEscapeString(string, -1, CPLES_XML);
  gv_text_put_string(text, escaped);
  CPLFree(escaped);
}

char *gv_text_take(gv_text *text) {
  gv_text_put(text, "", 1);
  if (!text->failed) return text->bytes;
  gv_text_free(text);
  return NULL;
}

void gv_text_free(gv_text *text) {
  free(text->bytes);
  *text = (gv_text){0};
}
