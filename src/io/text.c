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

void gv_text_put_integer(gv_text *text, int64_t value) {
  char digits[24];
  size_t at = sizeof digits;
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  do {
    digits[--at] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (value < 0) digits[--at] = '-';
  gv_text_put(text, digits + at, sizeof digits - at);
}

/* The control character that begins at a byte of UTF-8, and its length in bytes; 0 if there is none. */
static unsigned control_character(const char *at, size_t *length) {
  const unsigned char *b = (const unsigned char *)at;
  *length = 1;
  if (b[0] < 0x20 || b[0] == 0x7f) return b[0];
  if (b[0] == 0xc2 && b[1] >= 0x80 && b[1] < 0xa0) {
    *length = 2;
    return b[1];
  }
  if (b[0] != 0xe2 || (b[1] != 0x80 && b[1] != 0x81)) return 0;
  unsigned code = 0x2000u + ((b[1] & 0x3fu) << 6) + (b[2] & 0x3fu);
  bool turns = code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
               (code >= 0x2066 && code <= 0x2069);
  *length = 3;
  return b[2] >= 0x80 && b[2] < 0xc0 && turns ? code : 0;
}

/* The length of a character of UTF-8, by its first byte; 0 if the bytes are none. */
static size_t character_length(const char *at) {
  unsigned char first = (unsigned char)*at;
  size_t length = first < 0x80   ? 1
                  : first < 0xc2 ? 0
                  : first < 0xe0 ? 2
                  : first < 0xf0 ? 3
                  : first < 0xf5 ? 4
                                 : 0;
  for (size_t i = 1; i < length; i++)
    if (((unsigned char)at[i] & 0xc0) != 0x80) return 0;
  return length;
}

void gv_text_make_printable(char *string) {
  for (char *at = string; *at != '\0';) {
    size_t length, whole = character_length(at);
    if (strchr("\n\r\t", *at) != NULL) {
      *at++ = ' ';
    } else if (whole == 0) { /* in Latin-1, 0x80 to 0x9f are control characters */
      if ((unsigned char)*at < 0xa0) *at = '?';
      at++;
    } else if (control_character(at, &length) != 0) {
      memset(at, '?', length);
      at += length;
    } else {
      at += whole;
    }
  }
}

void gv_text_put_json(gv_text *text, const char *string) {
  bool utf8 = CPLIsUTF8(string, -1) != FALSE;
  gv_text_put(text, "\"", 1);
  for (; *string != '\0'; string++) {
    unsigned char c = (unsigned char)*string;
    size_t length = 1;
    unsigned control = c < 0x80 || utf8 ? control_character(string, &length) : c;
    char escape[12];
    if (control != 0) {
      snprintf(escape, sizeof escape, "\\u%04x", control);
      gv_text_put_string(text, escape);
      string += length - 1;
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
