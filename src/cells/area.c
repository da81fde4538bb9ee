/* Areas of cells. */
#include "cells/area.h"

#include "cells/kind.h"
#include "core/angles.h"

/* artanh(e y / x) / e with the square of e; where that is negative an arc tangent, for x of either sign. */
static double artanh_over(double e2, double y, double x) {
  double t = y / x, square = e2 * t * t;
  /* Thin rows: the truncated terms are below 10^-24 of it. */
  if (x > 0.0 && fabs(square) < 1e-6)
    return t * (1.0 + square * (1.0 / 3.0 + square * (1.0 / 5.0 + square * (1.0 / 7.0))));
  return e2 > 0.0 ? atanh(sqrt(e2) * t) / sqrt(e2) : atan2(sqrt(-e2) * y, x) / sqrt(-e2);
}

void gv_zone_areas(const gv_ellipsoid *ellipsoid, int64_t n, const double *latitude, double *area) {
  enum { AT_ONCE = 64 };
  double a = ellipsoid->semi_major, e2 = ellipsoid->eccentricity2, scale = 0.5 * a * a * (1.0 - e2);
  for (int64_t first = 0; first < n; first += AT_ONCE) {
    int64_t count = n - first < AT_ONCE ? n - first : AT_ONCE;
    double angle[2 * AT_ONCE], sine[2 * AT_ONCE],
        cosine[2 * AT_ONCE]; /* of middles, and behind them of half widths */
    for (int64_t i = 0; i < count; i++) {
      double from = latitude[first + i], to = latitude[first + i + 1];
      angle[i] = 0.5 * (from + to);
      angle[count + i] = 0.5 * fabs(to - from);
    }
    gv_sincos_degrees(2 * count, angle, sine, cosine);
    for (int64_t i = 0; i < count; i++) {
      double across = sine[i] * cosine[count + i], along = cosine[i] * sine[count + i];
      double low = across - along, high = across + along, between = 2.0 * along; /* = high - low */
      double rational =
          between * (1.0 + e2 * low * high) / ((1.0 - e2 * low * low) * (1.0 - e2 * high * high));
      area[first + i] = scale * (rational + artanh_over(e2, between, 1.0 - e2 * low * high));
    }
  }
}

double gv_area_below_line(const gv_ellipsoid *ellipsoid, double parallel, const double y[2], double way) {
  static const double at[3] = {0.1127016653792583, 0.5, 0.8872983346207417},
                      weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  const double longest = fmax(fabs(way), fabs(y[1] - y[0]));
  const int parts = longest < 1e6 ? 1 + (int)longest : 1000000;
  double sum = 0.0;
  if (way == 0.0) return 0.0;
  for (int i = 0; i < parts; i++)
    for (int j = 0; j < 3; j++) {
      const double zone[2] = {parallel, y[0] + (y[1] - y[0]) * (i + at[j]) / parts};
      double area;
      gv_zone_areas(ellipsoid, 1, zone, &area);
      sum += weight[j] * copysign(fabs(area), zone[1] - zone[0]);
    }
  return sum * way * GV_DEGREE / parts;
}

/*
 * Areas of the cells of a row of an octant, pointing to its pole and away from it. At the colatitude c (pole
 * 0, equator 1) a cell has a width of x / (row + x) octants, or (1 - x) / (row + x), where c = (row + x) / N
 * and x runs from 0 to 1: integrate that along the meridian. Gauss-Legendre, in as many parts as a strong
 * flattening needs.
 */
void gv_mesh_row_areas(const gv_ellipsoid *ellipsoid, int level, int64_t row, double area[2]) {
  static const double node[4] = {0.1834346424956498049, 0.5255324099163289858, 0.7966664774136267396,
                                 0.9602898564975362317};
  static const double weight[4] = {0.3626837833783619830, 0.3137066458778872873, 0.2223810344533744705,
                                   0.1012285362903762592};
  enum { NODES = 8, LARGEST = 4096 };
  double n = (double)(INT32_C(1) << level), e2 = ellipsoid->eccentricity2, a = ellipsoid->semi_major;
  /* The integrand's singularities are about sqrt(1 - e^2) from the interval's ends, in radians. */
  double wanted = fabs(e2) < 0.05 ? 1.0 : ceil(16.0 / (n * fmin(sqrt(1.0 - e2), 1.0 / sqrt(1.0 + fabs(e2)))));
  int parts = wanted < 1.0 ? 1 : wanted > LARGEST ? LARGEST : (int)wanted;
  area[0] = area[1] = 0.0;
  for (int part = 0; part < parts; part++) {
    double angle[NODES], x[NODES], sine[NODES], cosine[NODES];
    for (int i = 0; i < NODES; i++) {
      x[i] = ((double)part + 0.5 + (i < 4 ? 0.5 : -0.5) * node[i % 4]) / parts;
      angle[i] = 90.0 * (((double)row + x[i]) / n);
    }
    gv_sincos_degrees(NODES, angle, sine, cosine); /* of colatitudes */
    for (int i = 0; i < NODES; i++) {
      double w = 1.0 - e2 * cosine[i] * cosine[i];
      double value = 0.5 * weight[i % 4] * sine[i] / (w * w) / ((double)row + x[i]) / parts;
      area[0] += value * x[i];
      area[1] += value * (1.0 - x[i]);
    }
  }
  double scale = GV_PI * GV_PI / 4.0 / n * a * a * (1.0 - e2);
  area[0] *= scale;
  area[1] *= scale;
}

/* The ellipsoid's area by solid angle where latitudes are authalic. */
static double mean_element(const gv_ellipsoid *e) {
  const double poles[2] = {-90.0, 90.0};
  double hemispheres;
  gv_zone_areas(e, 1, poles, &hemispheres);
  return 0.5 * hemispheres;
}

/* The same at the sine of a geodetic latitude: a a (1 - e2) / (1 - e2 s s)^2. */
static double element_at(const gv_ellipsoid *e, double sine) {
  double root = e->semi_major / (1.0 - e->eccentricity2 * sine * sine);
  return root * root * (1.0 - e->eccentricity2);
}

void gv_sphere_areas(const gv_cells *cells, const gv_tile *tile, gv_solid_angles_fn solid_angles,
                     double *area) {
  enum { AT_ONCE = 64 };
  const gv_kind *kind = cells->kind;
  const double mean = mean_element(&cells->ellipsoid);
  double x[AT_ONCE], y[AT_ONCE], sine[AT_ONCE], solid[AT_ONCE];
  for (int64_t first = tile->c0; first < tile->c1; first += AT_ONCE) {
    int64_t count = tile->c1 - first < AT_ONCE ? tile->c1 - first : AT_ONCE;
    solid_angles(cells, first, count, solid);
    if (cells->grid.authalic == 0) kind->span(cells, NULL, first, count, x, y, sine);
    for (int64_t i = 0; i < count; i++) {
      double element = cells->grid.authalic != 0 ? mean : element_at(&cells->ellipsoid, sine[i]);
      area[first - tile->c0 + i] = element * solid[i];
    }
  }
}

double gv_twice_mean_area(const gv_cells *cells) {
  double globe = 2.0 * mean_element(&cells->ellipsoid) * (2.0 * (180.0 * GV_DEGREE));
  return 2.0 * globe / (double)cells->grid.width;
}

double gv_sphere_largest_area(const gv_cells *cells, double solid) {
  const gv_ellipsoid *e = &cells->ellipsoid;
  double element = cells->grid.authalic != 0 ? mean_element(e) : fmax(element_at(e, 0.0), element_at(e, 1.0));
  return fmax(gv_twice_mean_area(cells), 1.001 * element * solid);
}

double gv_mesh_largest_area(const gv_cells *cells) {
  return cells->kind->largest_area(cells);
}

void gv_cells_areas(const gv_cells *cells, const gv_tile *tile, double *area, int64_t stride) {
  cells->kind->areas(cells, tile, area, stride);
}
