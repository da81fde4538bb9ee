/* Text that grows, and points as text against printf, which is exact. */
#include "cmocka_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/geometry/point_text.h"
#include "io/text.h"
#include "split_mix.h"

static uint64_t random_state;

static uint64_t random_bits(void) {
  return split_mix(&random_state);
}

static double from_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Reads back; no digit more than 15 do if these read back; no exponent for ordinary numbers. */
static void check_one(double value) {
  char text[GV_POINT_TEXT], expected[64], *got = text + strlen("POINT ("), *end;
  gv_point_text(value, 0.5, text);
  end = strchr(got, ' ');
  assert_string_equal(end, " 0.5)");
  *end = '\0';
  assert_true(strtod(got, NULL) == value && !signbit(strtod(got, NULL)) == !signbit(value));
  snprintf(expected, sizeof expected, "%.15g", value);
  if (strtod(expected, NULL) != value) snprintf(expected, sizeof expected, "%.17g", value);
  if (!signbit(value) || value == 0.0) {
    if (strpbrk(expected, ".e") == NULL) strcat(expected, ".0");
  }
  if (fabs(value) >= 1e-8 && fabs(value) < 1e15) {
    assert_null(strchr(got, 'e'));
    if (strchr(expected, 'e') == NULL) assert_string_equal(got, expected);
  } else {
    assert_string_equal(got, expected);
  }
}

static void check(double value) {
  check_one(value);
  check_one(-value);
}

static void corners(void **state) {
  static const double values[] = {0.0,
                                  1.0,
                                  0.1,
                                  0.3,
                                  1.0 / 3.0,
                                  1e-4,
                                  9.99999999999999e-5,
                                  0.000099999999999999995,
                                  1e-8,
                                  9.9999999999999995e-9,
                                  1e-320,
                                  5e-324,
                                  2.2250738585072014e-308,
                                  1e14,
                                  1e15,
                                  1e16,
                                  1e17,
                                  1e22,
                                  1e300,
                                  1.7976931348623157e308,
                                  999999999999999.0,
                                  999999999999999.4,
                                  999999999999999.5,
                                  99999999999999.95,
                                  99999999999999.94,
                                  0.99999999999999989,
                                  9.9999999999999982,
                                  123456789012345678.0,
                                  9007199254740993.0,
                                  0.5,
                                  2.5,
                                  1e-7,
                                  179.99999999999997,
                                  100000.000000001,
                                  4503599627370496.5,
                                  70368744177664.125,  /* ties: to even, down ... */
                                  70368744177664.375}; /* ... and up */
  (void)state;
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    check(values[i]);
}

static void powers_and_neighbors(void **state) {
  (void)state;
  for (int e = -30; e <= 30; e++) {
    double ten = pow(10.0, e), two = ldexp(1.0, 3 * e);
    for (int i = -3; i <= 3; i++) {
      check(ten + i * (nextafter(ten, HUGE_VAL) - ten));
      check(two + i * (nextafter(two, HUGE_VAL) - two));
      check(5.0 * ten + i * (nextafter(ten, HUGE_VAL) - ten));
    }
  }
}

static void random_numbers(void **state) {
  (void)state;
  random_state = 3;
  for (int i = 0; i < 60000; i++) {
    double unit = (double)(random_bits() >> 11) * 0x1p-53;
    check(360.0 * unit);
    check(pow(10.0, 30.0 * unit - 15.0));
    /* decimals as people write them, and ties of 15 digits */
    check((double)(random_bits() % 1000000000) / pow(10.0, (double)(random_bits() % 10)));
    check((double)(random_bits() >> (11 + random_bits() % 40)) * ldexp(1.0, -(int)(random_bits() % 20)));
  }
  for (int i = 0; i < 60000; i++) {
    double any = from_bits(random_bits());
    if (isfinite(any)) check(any);
  }
}

static void whole_numbers(void **state) {
  char text[GV_POINT_TEXT];
  (void)state;
  gv_point_text(-7.0, 2147483647.0, text);
  assert_string_equal(text, "POINT (-7 2147483647)");
  gv_point_text(0.0, 2147483648.0, text);
  assert_string_equal(text, "POINT (0.0 2147483648.0)");
  gv_point_text(-0.0, -2147483649.0, text);
  assert_string_equal(text, "POINT (-0.0 -2147483649)");
}

static void text_grows(void **state) {
  gv_text text = {0};
  (void)state;
  for (int i = 0; i < 100000; i++)
    gv_text_put_string(&text, "abc");
  gv_text_put(&text, NULL, 0);
  assert_int_equal(text.length, 300000);
  assert_memory_equal(text.bytes + 299997, "abc", 3);
  gv_text_free(&text);
  assert_null(text.bytes);
}

static void integers(void **state) {
  static const int64_t values[] = {0, 7, -7, 1234567890, INT64_MAX, INT64_MIN};
  gv_text text = {0};
  (void)state;
  for (int i = 0; i < 6; i++) {
    gv_text_put_integer(&text, values[i]);
    gv_text_put(&text, " ", 2);
    assert_true(strtoll(text.bytes, NULL, 10) == values[i]);
    text.length = 0;
  }
  gv_text_free(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers),
      cmocka_unit_test(corners),
      cmocka_unit_test(powers_and_neighbors),
      cmocka_unit_test(random_numbers),
      cmocka_unit_test(whole_numbers),
      cmocka_unit_test(text_grows),
  };
  return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
