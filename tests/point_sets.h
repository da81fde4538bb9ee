/*
 * Random numbers, the same on every machine, and point sets on which searches go wrong if they can: ties,
 * points in one place, extents and coordinates of all sizes. Included by one file of a test program.
 */
#ifndef GV_TESTS_POINT_SETS_H
#define GV_TESTS_POINT_SETS_H

#include <float.h>
#include <math.h>
#include <stdint.h>

static uint64_t random_state;

static double uniform(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  uint64_t x = random_state ^ (random_state >> 29);
  return (double)(x >> 11) * 0x1p-53;
}

typedef enum shape {
  UNIFORM,
  LATTICE,
  DUPLICATES,
  COLLINEAR,
  CLUSTERS,
  OUTLIER,
  OFFSET,
  TINY,
  HUGE,
  EXTREME,
  ROUND_ZERO,
  SCALES,
  SPHERE,
  SHAPES
} shape;

static const char *const shape_names[] = {"uniform", "lattice", "duplicates", "collinear", "clusters",
                                          "outlier", "offset",  "tiny",       "huge",      "extreme",
                                          "zero",    "scales",  "sphere"};

/* `steps`: of the lattice, a side. Points of small sets fall together where these are few. */
static void fill(double *p, int64_t count, int32_t dim, shape s, double steps) {
  for (int64_t i = 0; i < count; i++) {
    double along = uniform(), length = 0.0;
    for (int32_t d = 0; d < dim; d++) {
      double u = uniform();
      double *x = p + i * dim + d;
      switch (s) {
      case LATTICE:
        *x = floor(u * steps);
        break;
      case DUPLICATES:
        *x = 0.125;
        break;
      case COLLINEAR:
        *x = along * (d % 3) + 1.0;
        break;
      case CLUSTERS:
        *x = (double)(i % 4) * 1000.0 + u * 1e-6;
        break;
      case OUTLIER:
        *x = i == 3 ? 1e12 : u * 1e-6;
        break;
      case OFFSET:
        *x = 1e7 + floor(u * 1000.0) / 1000.0;
        break;
      case TINY:
        *x = (u - 0.5) * 1e-300;
        break;
      case HUGE:
        *x = (u - 0.5) * 1e160;
        break;
      case EXTREME:
        *x = (i + d) % 3 == 0 ? -DBL_MAX * u : (i + d) % 3 == 1 ? DBL_MAX * u : u;
        break;
      case ROUND_ZERO:
        *x = (i + d) % 4 == 0 ? -0.0 : (i + d) % 4 == 1 ? 0.0 : (u < 0.5 ? 5e-324 : -5e-324);
        break;
      case SCALES:
        *x = ldexp(u - 0.5, (int)(along * 200.0) - 100);
        break;
      default:
        *x = s == SPHERE ? u - 0.5 : u;
        length += *x * *x;
        break;
      }
    }
    for (int32_t d = 0; d < dim && s == SPHERE; d++)
      p[i * dim + d] /= sqrt(length);
  }
}

#endif
