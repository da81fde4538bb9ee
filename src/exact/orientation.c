/* The filter of Shewchuk's orient2d; if it does not decide, the exact sum of the six products. */
#include "exact/orientation.h"

#include <math.h>

/* Adds x to an expansion of n components that do not overlap, in ascending order. */
static void expansion_grow(double *e, int n, double x) {
  double q = x;
  for (int i = 0; i < n; i++) {
    double sum = q + e[i], virtual_b = sum - q, rest = (q - (sum - virtual_b)) + (e[i] - virtual_b);
    e[i] = rest;
    q = sum;
  }
  e[n] = q;
}

static int exactly(const double a[2], const double b[2], const double c[2]) {
  const double factor[6][2] = {{a[0], b[1]},  {-a[0], c[1]}, {-c[0], b[1]},
                               {-a[1], b[0]}, {a[1], c[0]},  {c[1], b[0]}};
  double e[12];
  for (int i = 0; i < 6; i++) {
    double product = factor[i][0] * factor[i][1];
    expansion_grow(e, 2 * i, fma(factor[i][0], factor[i][1], -product));
    expansion_grow(e, 2 * i + 1, product);
  }
  for (int i = 11; i >= 0; i--)
    if (e[i] != 0.0) return e[i] > 0.0 ? 1 : -1;
  return 0;
}

int gv_orientation(const double a[2], const double b[2], const double c[2]) {
  double left = (a[0] - c[0]) * (b[1] - c[1]), right = (a[1] - c[1]) * (b[0] - c[0]);
  double area = left - right, error = 3.3306690738754716e-16 * (fabs(left) + fabs(right));
  if (area > error) return 1;
  if (area < -error) return -1;
  return exactly(a, b, c);
}
