/* The side of a line on which a point lies, against whole numbers of 128 bits. */
#include "exact/orientation.h"

#include "cmocka_test.h"

#include <math.h>

#include "split_mix.h"

__extension__ typedef __int128 wide;

static uint64_t state = 1;

/* Numbers from 1/2 to 1, all bits of which are random. */
static double uniform(void) {
  return 0.5 + (double)(split_mix(&state) >> 12) * 0x1p-53;
}

static int side(const double a[2], const double b[2], const double c[2]) {
  wide units[6];
  for (int i = 0; i < 2; i++) {
    units[i] = (int64_t)(a[i] * 0x1p53);
    units[2 + i] = (int64_t)(b[i] * 0x1p53);
    units[4 + i] = (int64_t)(c[i] * 0x1p53);
  }
  wide left = (units[0] - units[4]) * (units[3] - units[5]), right = (units[1] - units[5]) * (units[2] - units[4]);
  return (left > right) - (left < right);
}

/* On and hard by the line through two points, between them and beyond. */
static void orientations_are_exact(void **unused) {
  (void)unused;
  int on = 0;
  for (int i = 0; i < 200000; i++) {
    double a[2] = {uniform(), uniform()}, b[2] = {uniform(), uniform()}, part = uniform() * 2.0 - 1.0;
    if (i % 3 == 0) b[0] = a[0] + (b[0] - a[0]) * 0x1p-30, b[1] = a[1] + (b[1] - a[1]) * 0x1p-30;
    double c[2] = {a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])};
    if (i % 4 == 0) c[0] = 0.5 * (a[0] + b[0]), c[1] = 0.5 * (a[1] + b[1]);
    for (int step = -2; step <= 2; step++) {
      double p[2] = {c[0], c[1] + step * 0x1p-53};
      int expected = side(a, b, p);
      assert_int_equal(gv_orientation(a, b, p), expected);
      assert_int_equal(gv_orientation(b, a, p), -expected);
      on += expected == 0;
    }
  }
  assert_true(on > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(orientations_are_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
