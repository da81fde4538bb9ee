/* Determinants in double, then in pairs of doubles (Dekker, A floating-point technique for extending the
 * available precision, 1971). */
#include "diagram/predicates.h"

#include <math.h>

/* The unevaluated sum of two doubles. */
typedef struct pair {
  double high, low;
} pair;

/* a + b with |a| >= |b|. */
static pair pair_of_sum_fast(double a, double b) {
  double sum = a + b;
  return (pair){sum, b - (sum - a)};
}

static pair pair_of_sum(double a, double b) {
  double sum = a + b, other = sum - a;
  return (pair){sum, (a - (sum - other)) + (b - other)};
}

static pair pair_of_difference(double a, double b) {
  return pair_of_sum(a, -b);
}

static pair pair_add(pair a, pair b) {
  pair high = pair_of_sum(a.high, b.high), low = pair_of_sum(a.low, b.low);
  high = pair_of_sum_fast(high.high, high.low + low.high);
  return pair_of_sum_fast(high.high, high.low + low.low);
}

static pair pair_negative(pair a) {
  return (pair){-a.high, -a.low};
}

static pair pair_multiply(pair a, pair b) {
  double product = a.high * b.high, rest = fma(a.high, b.high, -product);
  return pair_of_sum_fast(product, rest + (a.high * b.low + a.low * b.high));
}

/* a d - b c */
static pair pair_determinant(pair a, pair b, pair c, pair d) {
  return pair_add(pair_multiply(a, d), pair_negative(pair_multiply(b, c)));
}

static int sign_beyond(pair value, double error) {
  return value.high > error ? 1 : value.high < -error ? -1 : 0;
}

/* Of the sums of the sizes of all products of a determinant. */
static const double error_of_pairs = 1e-29;

/* -------------------------------------------------------------------------------------------------- plane */

static int circle_side_plane_in_pairs(const double a[2], const double b[2], const double c[2],
                                      const double p[2], double size) {
  const double *const corner[3] = {a, b, c};
  pair x[3], y[3], sum = {0.0, 0.0};
  for (int i = 0; i < 3; i++) {
    x[i] = pair_of_difference(corner[i][0], p[0]);
    y[i] = pair_of_difference(corner[i][1], p[1]);
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    pair squares = pair_add(pair_multiply(x[i], x[i]), pair_multiply(y[i], y[i]));
    sum = pair_add(sum, pair_multiply(squares, pair_determinant(x[j], y[j], x[k], y[k])));
  }
  return sign_beyond(sum, error_of_pairs * size);
}

int gv_circle_side_plane(const double a[2], const double b[2], const double c[2], const double p[2]) {
  double ax = a[0] - p[0], ay = a[1] - p[1], bx = b[0] - p[0], by = b[1] - p[1], cx = c[0] - p[0],
         cy = c[1] - p[1];
  double bc = bx * cy, cb = by * cx, ca = cx * ay, ac = cy * ax, ab = ax * by, ba = ay * bx;
  double a2 = ax * ax + ay * ay, b2 = bx * bx + by * by, c2 = cx * cx + cy * cy;
  double value = a2 * (bc - cb) + b2 * (ca - ac) + c2 * (ab - ba);
  double size = a2 * (fabs(bc) + fabs(cb)) + b2 * (fabs(ca) + fabs(ac)) + c2 * (fabs(ab) + fabs(ba));
  /* Shewchuk's bound for this order of operations, rounded up. */
  double error = 1.2e-15 * size;
  if (value > error) return 1;
  if (value < -error) return -1;
  return circle_side_plane_in_pairs(a, b, c, p, size);
}

double gv_cross_plane(const double a[2], const double b[2], const double c[2]) {
  pair value = pair_determinant(pair_of_difference(b[0], a[0]), pair_of_difference(b[1], a[1]),
                                pair_of_difference(c[0], a[0]), pair_of_difference(c[1], a[1]));
  return value.high;
}

static double center_rounding(const double a[2], const double center[2]) {
  return 1.2e-16 * fmax(fmax(fabs(a[0]), fabs(a[1])), fmax(fabs(center[0]), fabs(center[1])));
}

static double center_in_pairs(const double a[2], const double b[2], const double c[2], double center[2]) {
  pair bx = pair_of_difference(b[0], a[0]), by = pair_of_difference(b[1], a[1]),
       cx = pair_of_difference(c[0], a[0]), cy = pair_of_difference(c[1], a[1]);
  pair b2 = pair_add(pair_multiply(bx, bx), pair_multiply(by, by)),
       c2 = pair_add(pair_multiply(cx, cx), pair_multiply(cy, cy));
  pair x = pair_determinant(b2, c2, by, cy), y = pair_determinant(bx, cx, b2, c2);
  double scale = 0.5 / pair_determinant(bx, by, cx, cy).high;
  double terms = (fabs(bx.high) + fabs(by.high)) * c2.high + (fabs(cx.high) + fabs(cy.high)) * b2.high;
  center[0] = a[0] + x.high * scale;
  center[1] = a[1] + y.high * scale;
  return error_of_pairs * terms * fabs(scale) + 1e-15 * (fabs(x.high) + fabs(y.high)) * fabs(scale) +
         center_rounding(a, center);
}

double gv_circle_center_plane(const double a[2], const double b[2], const double c[2], double center[2]) {
  double bx = b[0] - a[0], by = b[1] - a[1], cx = c[0] - a[0], cy = c[1] - a[1];
  double b2 = bx * bx + by * by, c2 = cx * cx + cy * cy, scale = 0.5 / gv_cross_plane(a, b, c);
  double terms = (fabs(bx) + fabs(by)) * c2 + (fabs(cx) + fabs(cy)) * b2;
  center[0] = a[0] + (cy * b2 - by * c2) * scale;
  center[1] = a[1] + (bx * c2 - cx * b2) * scale;
  double error = 4e-16 * terms * fabs(scale), rounding = center_rounding(a, center);
  return error <= 4.0 * rounding ? error + rounding : center_in_pairs(a, b, c, center);
}

/* ------------------------------------------------------------------------------------------------- sphere */

double gv_sphere_excess(const double s[3]) {
  pair sum = {-1.0, 0.0};
  for (int i = 0; i < 3; i++) {
    double square = s[i] * s[i];
    sum = pair_add(sum, (pair){square, fma(s[i], s[i], -square)});
  }
  return 0.5 * sum.high;
}

static double sphere_volume(const double a[3], const double v[3], const double w[3]) {
  return a[0] * (v[1] * w[2] - v[2] * w[1]) + a[1] * (v[2] * w[0] - v[0] * w[2]) +
         a[2] * (v[0] * w[1] - v[1] * w[0]);
}

/*
 * The determinant of the rows (s, |s|), by the last column, in which |s| = 1 + excess: that of the
 * differences from p, and the excesses times the volumes of the other three, which are those of p and two of
 * the differences.
 */
static int circle_side_sphere_in_pairs(const double *const s[4], const double d[3][3], double size,
                                       double areas) {
  const double *p = s[3];
  pair x[3][3], sum = {0.0, 0.0};
  for (int i = 0; i < 3; i++)
    for (int axis = 0; axis < 3; axis++)
      x[i][axis] = pair_of_difference(s[i][axis], p[axis]);
  for (int axis = 0; axis < 3; axis++) {
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    sum = pair_add(sum, pair_multiply(x[0][axis], pair_determinant(x[1][j], x[1][k], x[2][j], x[2][k])));
  }
  double excess = gv_sphere_excess(p);
  const double term[4] = {-(gv_sphere_excess(s[0]) - excess) * sphere_volume(p, d[1], d[2]),
                          (gv_sphere_excess(s[1]) - excess) * sphere_volume(p, d[0], d[2]),
                          -(gv_sphere_excess(s[2]) - excess) * sphere_volume(p, d[0], d[1]),
                          excess * sum.high};
  for (int i = 0; i < 4; i++)
    sum = pair_add(sum, (pair){term[i], 0.0});
  return -sign_beyond(sum, error_of_pairs * size + 4e-31 * areas);
}

int gv_circle_side_sphere(const double a[3], const double b[3], const double c[3], const double p[3]) {
  const double *const s[4] = {a, b, c, p};
  double d[3][3], value = 0.0, size = 0.0, areas = 0.0;
  for (int i = 0; i < 3; i++)
    for (int axis = 0; axis < 3; axis++)
      d[i][axis] = s[i][axis] - p[axis];
  for (int axis = 0; axis < 3; axis++) {
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    double left = d[1][j] * d[2][k], right = d[1][k] * d[2][j], both = fabs(left) + fabs(right);
    value += d[0][axis] * (left - right);
    size += fabs(d[0][axis]) * both;
    areas += both + fabs(d[0][axis]) * (fabs(d[1][j]) + fabs(d[1][k]) + fabs(d[2][j]) + fabs(d[2][k]));
  }
  /* Shewchuk's bound; excesses are below 4e-16, volumes of three below the area of their differences. */
  double error = 8e-16 * size + 2e-15 * areas;
  if (value > error) return -1;
  if (value < -error) return 1;
  return circle_side_sphere_in_pairs(s, (const double(*)[3])d, size, areas);
}
