#include "io/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "io/grow.h"

__extension__ typedef unsigned __int128 wide;

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

/* Writes the digits of a number so that they end before `end`; returns their beginning. */
static char *write_digits(char *end, uint64_t value) {
  do {
    *--end = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  return end;
}

void gv_text_put_integer(gv_text *text, int64_t value) {
  char digits[24], *end = digits + sizeof digits;
  char *at = write_digits(end, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
  if (value < 0) *--at = '-';
  gv_text_put(text, at, (size_t)(end - at));
}

/* -------------------------------------------------------------------------------------------------------------- reals */

/* Significant digits of a number above 0: whole × 10^-decimals, rounded to nearest, ties to even. */
typedef struct rounded {
  uint64_t whole;
  int count, decimals;
} rounded;

enum { MOST_DECIMALS = 27 }; /* 5^27 has 63 bits, 53 more make 116 */

static uint64_t power(uint64_t base, int exponent) {
  uint64_t result = 1;
  for (int i = 0; i < exponent; i++)
    result *= base;
  return result;
}

/* False if more decimals are needed, or less than none. */
static bool round_to(double value, int count, rounded *out) {
  int exponent;
  uint64_t mantissa = (uint64_t)ldexp(frexp(value, &exponent), 53), limit = power(10, count);
  exponent -= 53; /* value = mantissa × 2^exponent, 2^52 <= mantissa < 2^53 */
  /* The digits before the point may be one more than 2^(exponent + 52) tells. */
  int decimals = count - 1 - (int)floor((exponent + 52) * 0.301029995663981195);
  for (;; decimals--) {
    if (decimals < 0 || decimals > MOST_DECIMALS) return false;
    wide product = (wide)mantissa * power(5, decimals);
    int shift = -(exponent + decimals);
    if (shift > 0) {
      wide part = product & (((wide)1 << shift) - 1), half = (wide)1 << (shift - 1);
      product >>= shift;
      product += part > half || (part == half && (product & 1) != 0);
    } else {
      product <<= -shift;
    }
    if (product < limit) {
      *out = (rounded){(uint64_t)product, count, decimals};
      return true;
    }
  }
}

/* With a point but without zeros at the end and without an exponent. */
static void put_rounded(gv_text *text, bool negative, rounded number) {
  char buffer[64], *end = buffer + sizeof buffer;
  for (; number.decimals > 0 && number.whole % 10 == 0; number.decimals--)
    number.whole /= 10;
  char *at = end, *point = end - number.decimals;
  at = write_digits(at, number.whole);
  while (at >= point)
    *--at = '0';
  if (number.decimals > 0) {
    memmove(at - 1, at, (size_t)(point - at));
    at--;
    point[-1] = '.';
  }
  if (negative) *--at = '-';
  gv_text_put(text, at, (size_t)(end - at));
}

static void put_formatted(gv_text *text, const char *format, double value) {
  char buffer[40];
  CPLsnprintf(buffer, sizeof buffer, format, value); /* whose point is one everywhere */
  gv_text_put_string(text, buffer);
}

void gv_text_put_real(gv_text *text, double value) {
  const double least = 1e-4; /* below which there is an exponent */
  rounded number;
  if (value == 0.0) {
    gv_text_put_string(text, signbit(value) ? "-0" : "0");
  } else if (fabs(value) >= least && isfinite(value) && round_to(fabs(value), 15, &number)) {
    put_rounded(text, value < 0.0, number);
  } else {
    put_formatted(text, "%.15g", value);
  }
}

/* Whether 15 digits and up to 22 decimals read back as the number: both parts of the quotient are doubles, so it is rounded
 * once. */
static bool reads_back(rounded number, double value) {
  double divisor = 1.0;
  for (int i = 0; i < number.decimals; i++)
    divisor *= 10.0;
  return (double)number.whole / divisor == value;
}

void gv_text_put_exactly(gv_text *text, double value) {
  const double least = 1e-8; /* 22 decimals for 15 digits */
  double size = fabs(value);
  rounded number;
  if (size >= least && round_to(size, 15, &number) && (reads_back(number, size) || round_to(size, 17, &number))) {
    put_rounded(text, value < 0.0, number);
    return;
  }
  char buffer[40];
  CPLsnprintf(buffer, sizeof buffer, "%.15g", value);
  put_formatted(text, CPLAtof(buffer) == value ? "%.15g" : "%.17g", value);
}

void gv_text_free(gv_text *text) {
  free(text->bytes);
  *text = (gv_text){0};
}
