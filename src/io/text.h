/* Text that grows, and how JSON writes strings and numbers. */
#ifndef GV_IO_TEXT_H
#define GV_IO_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begins as {0}. */
typedef struct gv_text {
  char *bytes; /* not terminated */
  size_t length;
  int64_t room;
  bool failed; /* out of memory: the rest is missing */
} gv_text;

void gv_text_put(gv_text *text, const char *bytes, size_t length);
void gv_text_put_string(gv_text *text, const char *string);
void gv_text_put_integer(gv_text *text, int64_t value);

/* Replaces control characters by '?', one for each byte: C0, DEL, C1 and those that change the direction of
 * text, which could hide or forge lines of a terminal. Tabs and line ends become spaces. */
void gv_text_make_printable(char *string);

/* The string as one of JSON, with quotation marks; the control characters of gv_text_make_printable are
 * escaped. Bytes that are not UTF-8 are read as Latin-1. */
void gv_text_put_json(gv_text *text, const char *string);

enum { GV_NUMBER_TEXT = 32 };

/* The fewest digits that read back as the number, in JSON's format; "" if it is not finite. */
void gv_number_text(double value, char text[GV_NUMBER_TEXT]);

/* The text with its end, the caller's to free; NULL if memory has run out. */
char *gv_text_take(gv_text *text);

void gv_text_free(gv_text *text);

#endif
