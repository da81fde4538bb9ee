/*
 * Text that grows, and numbers as text: the same whatever the locale.
 *
 * Numbers of up to 17 digits that are neither huge nor tiny are turned into digits by integers of 128 bits, which hold their
 * values exactly: the digits are those of printf, in a tenth of its time.
 */
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

/* As "%.15g". */
void gv_text_put_real(gv_text *text, double value);

/* The fewest of 15 and 17 significant digits that read back as the finite number itself. Numbers from 10^-8 to 10^15 have no
 * exponent. */
void gv_text_put_exactly(gv_text *text, double value);

void gv_text_free(gv_text *text);

#endif
