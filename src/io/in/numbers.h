/* Numbers as people write them in text fields. */
#ifndef GV_IO_NUMBERS_H
#define GV_IO_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* Behind the spaces and tabs at its beginning. */
const char *gv_skip_spaces(const char *text);

/* Whether the whole text is a number, or a 64-bit integer, with optional spaces around it. */
bool gv_parse_number(const char *text, double *out);
bool gv_parse_integer(const char *text, int64_t *out);

#endif
