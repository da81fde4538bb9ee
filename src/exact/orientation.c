/* Filters in double (Shewchuk's orient2d on the plane); if they do not decide, the exact sum of the six
 * products. */
#include "exact/orientation.h"

#include <math.h>
#include <stdbool.h>

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

/* The sign of an expansion. */
static int expansion_sign(const double *e, int n) {
  for (int i = n - 1; i >= 0; i--)
    if (e[i] != 0.0) return e[i] > 0.0 ? 1 : -1;
  return 0;
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
  return expansion_sign(e, 12);
}

int gv_orientation(const double a[2], const double b[2], const double c[2]) {
  double left = (a[0] - c[0]) * (b[1] - c[1]), right = (a[1] - c[1]) * (b[0] - c[0]);
  double area = left - right, error = 3.3306690738754716e-16 * (fabs(left) + fabs(right));
  if (area > error) return 1;
  if (area < -error) return -1;
  return exactly(a, b, c);
}

/* --------------------------------------------------------------------------------------------- the sphere */

static bool orientation_same(const double a[3], const double b[3]) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static int exactly_on_sphere(const double a[3], const double b[3], const double c[3]) {
  double e[24];
  int n = 0;
  for (int i = 0; i < 6; i++) {
    const int j = i % 3, k = (j + 1 + i / 3) % 3, l = 3 - j - k;
    const double x = i < 3 ? a[j] : -a[j], high = b[k] * c[l], low = fma(b[k], c[l], -high);
    const double part[2] = {low * x, high * x};
    expansion_grow(e, n++, fma(low, x, -part[0]));
    expansion_grow(e, n++, part[0]);
    expansion_grow(e, n++, fma(high, x, -part[1]));
    expansion_grow(e, n++, part[1]);
  }
  return expansion_sign(e, n);
}

/*
 * The determinant is that of a, b - a, c - a. Both differences are within 2^-53 of themselves, and a term has
 * two more products and at most three sums: seven roundings, so 8 x 2^-53 of the terms' sizes is ample.
 */
int gv_orientation_sphere(const double a[3], const double b[3], const double c[3]) {
  const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  double value = 0.0, size = 0.0;
  for (int j = 0; j < 3; j++) {
    const int k = (j + 1) % 3, l = (j + 2) % 3;
    const double left = u[k] * v[l], right = u[l] * v[k];
    value += a[j] * (left - right);
    size += fabs(a[j]) * (fabs(left) + fabs(right));
  }
  const double error = 8.9e-16 * size + 1e-300;
  if (value > error) return 1;
  if (value < -error) return -1;
  return orientation_same(a, b) || orientation_same(b, c) || orientation_same(a, c)
             ? 0
             : exactly_on_sphere(a, b, c);
}
