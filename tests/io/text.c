/* Numbers as text against printf, which is exact. */
#include "cmocka_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void check_real(double value) {
  gv_text text = {0};
  char expected[64];
  gv_text_put_real(&text, value);
  assert_false(text.failed);
  snprintf(expected, sizeof expected, "%.15g", value);
  assert_int_equal(text.length, strlen(expected));
  assert_memory_equal(text.bytes, expected, text.length);
  gv_text_free(&text);
}

/* Reads back; no digit more than 15 do if these read back; no exponent for ordinary numbers. */
static void check_exactly(double value) {
  gv_text text = {0};
  char expected[64], got[64];
  gv_text_put_exactly(&text, value);
  assert_true(!text.failed && text.length < sizeof got);
  memcpy(got, text.bytes, text.length);
  got[text.length] = '\0';
  assert_true(strtod(got, NULL) == value && !signbit(strtod(got, NULL)) == !signbit(value));
  snprintf(expected, sizeof expected, "%.15g", value);
  if (strtod(expected, NULL) != value) snprintf(expected, sizeof expected, "%.17g", value);
  if (fabs(value) >= 1e-8 && fabs(value) < 1e15) {
    assert_null(strchr(got, 'e'));
    if (strchr(expected, 'e') == NULL) assert_string_equal(got, expected);
  } else {
    assert_string_equal(got, expected);
  }
  gv_text_free(&text);
}

static void check(double value) {
  check_real(value);
  check_real(-value);
  check_exactly(value);
  check_exactly(-value);
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
  check_real(HUGE_VAL);
  check_real(-HUGE_VAL);
}

static void powers_and_neighbours(void **state) {
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

static void integers(void **state) {
  static const int64_t values[] = {0, 7, 10, -1, 12345678901, INT64_MAX, INT64_MIN};
  gv_text text = {0};
  (void)state;
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    char expected[32];
    snprintf(expected, sizeof expected, "%lld", (long long)values[i]);
    text.length = 0;
    gv_text_put_integer(&text, values[i]);
    assert_int_equal(text.length, strlen(expected));
    assert_memory_equal(text.bytes, expected, text.length);
  }
  gv_text_free(&text);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corners),        cmocka_unit_test(powers_and_neighbours),
      cmocka_unit_test(random_numbers), cmocka_unit_test(integers),
      cmocka_unit_test(text_grows),
  };
  return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
