#include "io/geometry/point_text.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>

enum { COORDINATE = 32 };

static void print(char text[COORDINATE], int digits, char kind, double value) {
  char format[16];
  snprintf(format, sizeof format, "%%.%d%c", digits, kind);
  CPLsnprintf(text, COORDINATE, format, value); /* with a decimal point in every locale */
}

/* `digits` significant ones: without an exponent, unless it is large, and without trailing zeros. */
static void print_digits(char text[COORDINATE], int digits, double value) {
  double size = fabs(value);
  print(text, digits - 1, 'e', value);
  int decimals = digits - 1 - atoi(strchr(text, 'e') + 1);
  if (size < 1e-8 || size >= 1e15 || decimals <= 0) {
    print(text, digits, 'g', value);
    return;
  }
  print(text, decimals, 'f', value);
  char *end = text + strlen(text);
  while (end[-1] == '0')
    *--end = '\0';
  if (end[-1] == '.') end[-1] = '\0';
}

/* Non-negative integers get ".0" beside numbers that are not integers. */
static void print_coordinate(char text[COORDINATE], double value) {
  print_digits(text, 15, value);
  if (CPLAtof(text) != value) print_digits(text, 17, value);
  const char *digits = text + (text[0] == '-' && value == 0.0);
  if (strspn(digits, "0123456789") == strlen(digits)) strcat(text, ".0");
}

static bool is_int(double value) {
  return value >= INT_MIN && value <= INT_MAX && value == rint(value);
}

void gv_point_text(double x, double y, char text[GV_POINT_TEXT]) {
  if (is_int(x) && is_int(y)) {
    snprintf(text, GV_POINT_TEXT, "POINT (%d %d)", (int)x, (int)y);
    return;
  }
  char x_text[COORDINATE], y_text[COORDINATE];
  print_coordinate(x_text, x);
  print_coordinate(y_text, y);
  snprintf(text, GV_POINT_TEXT, "POINT (%s %s)", x_text, y_text);
}
