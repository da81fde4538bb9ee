#include "io/in/numbers.h"

#include <errno.h>
#include <stdlib.h>

#include <cpl_conv.h>

const char *gv_skip_spaces(const char *text) {
  while (*text == ' ' || *text == '\t')
    text++;
  return text;
}

bool gv_parse_number(const char *text, double *out) {
  char *end = NULL;
  text = gv_skip_spaces(text);
  if (*text == '\0') return false;
  *out = CPLStrtod(text, &end);
  return end != text && *gv_skip_spaces(end) == '\0';
}

bool gv_parse_integer(const char *text, int64_t *out) {
  char *end = NULL;
  text = gv_skip_spaces(text);
  if (*text == '\0') return false;
  errno = 0;
  *out = strtoll(text, &end, 10);
  return errno == 0 && end != text && *gv_skip_spaces(end) == '\0';
}
