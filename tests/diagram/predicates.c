/* Which side of a circle, against whole numbers in the plane and against long double on the sphere. */
#include "diagram/predicates.h"

#include "cmocka_test.h"

#include <math.h>

#include "split_mix.h"

__extension__ typedef __int128 whole;

static uint64_t state = 3;

static double uniform(double low, double high) {
  return low + (high - low) * (double)(split_mix(&state) >> 11) * 0x1p-53;
}

static int sign_of_whole(whole value) {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

static int circle_in_whole_numbers(const double a[2], const double b[2], const double c[2],
                                   const double p[2]) {
  const double *const corner[3] = {a, b, c};
  whole x[3], y[3], sum = 0;
  for (int i = 0; i < 3; i++) {
    x[i] = (whole)corner[i][0] - (whole)p[0];
    y[i] = (whole)corner[i][1] - (whole)p[1];
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    sum += (x[i] * x[i] + y[i] * y[i]) * (x[j] * y[k] - x[k] * y[j]);
  }
  return sign_of_whole(sum);
}

/* Small numbers, of which many are on one circle, and large ones far from the origin. */
static void plane_decides_exactly(void **unused) {
  (void)unused;
  int zeros = 0;
  for (int i = 0; i < 400000; i++) {
    double size = i % 2 == 0 ? 5.0 : 1 << 28, origin = i % 4 < 2 ? 0.0 : 1125899906842624.0;
    double v[4][2];
    for (int j = 0; j < 8; j++)
      v[j / 2][j % 2] = origin + floor(uniform(-size, size));
    int side = gv_circle_side_plane(v[0], v[1], v[2], v[3]);
    assert_int_equal(side, circle_in_whole_numbers(v[0], v[1], v[2], v[3]));
    zeros += side == 0;
    whole cross = ((whole)v[1][0] - (whole)v[0][0]) * ((whole)v[2][1] - (whole)v[0][1]) -
                  ((whole)v[1][1] - (whole)v[0][1]) * ((whole)v[2][0] - (whole)v[0][0]);
    assert_true(fabs(gv_cross_plane(v[0], v[1], v[2]) - (double)cross) <= 1e-15 * fabs((double)cross));
  }
  assert_true(zeros > 1000);
}

/* Of the directions of rounded vectors: the sign of the volume, in units of its error; between -1 and 1 it is
 * unknown. */
static long double circle_in_long_double(const double *const s[4]) {
  long double v[4][3], d[3][3], sum = 0.0L, size = 0.0L;
  for (int i = 0; i < 4; i++) {
    long double x = s[i][0], y = s[i][1], z = s[i][2], length = sqrtl(x * x + y * y + z * z);
    for (int axis = 0; axis < 3; axis++)
      v[i][axis] = s[i][axis] / length;
  }
  for (int i = 0; i < 3; i++)
    for (int axis = 0; axis < 3; axis++) {
      d[i][axis] = v[i][axis] - v[3][axis];
      size = fmaxl(size, fabsl(d[i][axis]));
    }
  for (int i = 0; i < 3; i++)
    sum += d[0][i] * (d[1][(i + 1) % 3] * d[2][(i + 2) % 3] - d[1][(i + 2) % 3] * d[2][(i + 1) % 3]);
  return -sum / (4e-19L * 12.0L * size * size);
}

/* Seeds a few centimeters to thousands of kilometers apart. */
static void sphere_decides_as_long_double_does(void **unused) {
  (void)unused;
  int known = 0, near = 0;
  for (int i = 0; i < 400000; i++) {
    double size = exp(uniform(log(1e-8), 0.0)), v[4][3], center[3];
    for (int axis = 0; axis < 3; axis++)
      center[axis] = uniform(-1.0, 1.0);
    for (int j = 0; j < 4; j++) {
      double length = 0.0;
      for (int axis = 0; axis < 3; axis++) {
        v[j][axis] = center[axis] + size * uniform(-1.0, 1.0);
        length += v[j][axis] * v[j][axis];
      }
      for (int axis = 0; axis < 3; axis++)
        v[j][axis] /= sqrt(length);
    }
    const double *const s[4] = {v[0], v[1], v[2], v[3]};
    long double expected = circle_in_long_double(s);
    int side = gv_circle_side_sphere(v[0], v[1], v[2], v[3]);
    assert_int_equal(side, -gv_circle_side_sphere(v[1], v[0], v[2], v[3]));
    assert_int_equal(side, gv_circle_side_sphere(v[1], v[2], v[0], v[3]));
    if (fabsl(expected) < 1.0L) continue;
    assert_int_equal(side, expected > 0.0L ? 1 : -1);
    known++;
    near += size < 1e-7;
  }
  assert_true(known > 300000 && near > 10000);
}

static void corners_of_boxes_are_on_one_circle(void **unused) {
  (void)unused;
  for (int i = 0; i < 1000; i++) {
    double x = uniform(0.1, 1.0), y = uniform(0.1, 1.0), z = uniform(-1.0, 1.0),
           length = sqrt(x * x + y * y + z * z);
    x /= length, y /= length, z /= length;
    const double v[4][3] = {{x, y, z}, {-x, y, z}, {-x, -y, z}, {x, -y, z}};
    assert_int_equal(gv_circle_side_sphere(v[0], v[1], v[2], v[3]), 0);
    assert_int_equal(gv_circle_side_sphere(v[0], v[2], v[1], v[3]), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(plane_decides_exactly),
                                     cmocka_unit_test(sphere_decides_as_long_double_does),
                                     cmocka_unit_test(corners_of_boxes_are_on_one_circle)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
