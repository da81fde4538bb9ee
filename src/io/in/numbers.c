#include "io/in/numbers.h"

#include <errno.h>
#include <stdlib.h>

#include <cpl_conv.h>

const char *gv_skip_spaces(const char *text) {
  while (*text == ' ' || *text == '\t')
    text++;
  return text;
}

/* A whole number below 2^53 and a power of ten up to 10^22 are doubles, so that their quotient is rounded once, as strtod's result
 * is. */
const char *gv_parse_plain(const char *text, double *out) {
  static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  enum { MOST_DECIMALS = sizeof tens / sizeof *tens - 1 };
  const uint64_t limit = ((uint64_t)1 << 53) / 10 - 1;
  bool negative = *text == '-', point = false;
  int digits = 0, decimals = 0;
  uint64_t whole = 0;
  for (text += negative;; text++) {
    if (*text == '.' && !point) {
      point = true;
    } else if (*text >= '0' && *text <= '9' && whole <= limit && decimals < MOST_DECIMALS) {
      whole = whole * 10 + (uint64_t)(*text - '0');
      digits++;
      decimals += point;
    } else {
      break;
    }
  }
  *out = (negative ? -(double)whole : (double)whole) / tens[decimals];
  return digits > 0 ? text : NULL;
}

bool gv_parse_number(const char *text, double *out) {
  char *end = NULL;
  text = gv_skip_spaces(text);
  if (*text == '\0') return false;
  const char *after = gv_parse_plain(text, out);
  if (after != NULL && *gv_skip_spaces(after) == '\0') return true;
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
