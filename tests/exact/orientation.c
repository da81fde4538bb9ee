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
  wide left = (units[0] - units[4]) * (units[3] - units[5]),
       right = (units[1] - units[5]) * (units[2] - units[4]);
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

/* Directions in whole numbers below 2^40, of which the products of three are exact. */
static int side_in_space(const double a[3], const double b[3], const double c[3]) {
  wide total = 0;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    total +=
        (wide)(int64_t)a[i] * ((wide)(int64_t)b[j] * (int64_t)c[k] - (wide)(int64_t)b[k] * (int64_t)c[j]);
  }
  return (total > 0) - (total < 0);
}

/* On and hard by the plane of two directions. */
static void orientations_on_sphere_are_exact(void **unused) {
  (void)unused;
  int on = 0;
  for (int i = 0; i < 100000; i++) {
    double a[3], b[3], c[3];
    const int first = (int)(split_mix(&state) % 7) - 3, second = (int)(split_mix(&state) % 7) - 3;
    for (int d = 0; d < 3; d++) {
      a[d] = (double)((int64_t)(split_mix(&state) >> 27) - (1LL << 36));
      b[d] = i % 3 == 0 ? a[d] + (double)(split_mix(&state) % 5) - 2.0
                        : (double)((int64_t)(split_mix(&state) >> 27) - (1LL << 36));
      c[d] = first * a[d] + second * b[d] + (i % 2 == 0 ? 0.0 : (double)(split_mix(&state) % 3) - 1.0);
    }
    const int expected = side_in_space(a, b, c);
    assert_int_equal(gv_orientation_sphere(a, b, c), expected);
    assert_int_equal(gv_orientation_sphere(b, c, a), expected);
    assert_int_equal(gv_orientation_sphere(b, a, c), -expected);
    on += expected == 0;
  }
  assert_true(on > 1000 && on < 90000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(orientations_are_exact),
                                     cmocka_unit_test(orientations_on_sphere_are_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
