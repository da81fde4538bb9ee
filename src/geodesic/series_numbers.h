/* The series of geodesics and directions for one number at a time, on processors and GPUs: gv_solve,
 * gv_bearing, the bits of the kernels (series.h). */
#ifndef GV_SERIES_NUMBERS_H
#define GV_SERIES_NUMBERS_H

#include "exact/distance.h"
#include "geodesic/series.h"

#include "exact/shared/as_numbers.h"
#define GV_NONE(mask) (!(mask))
#define GV_SOLVER     GV_BOTH

#include "geodesic/shared/arctangents.h"
#include "geodesic/shared/bearings.h"
#include "geodesic/shared/series.h"

#undef GV_NONE
#undef GV_SOLVER
#include "exact/shared/end.h"

/* Whether the series has a solution; else geod_inverse is needed. */
GV_BOTH bool gv_is_solved(const gv_series *series, const gv_solution *solution) {
  return solution->step < series->largest_step && series->least_cosine < solution->cosine;
}

/* The same of its direction. */
GV_BOTH bool gv_is_directed(const gv_series *series, const gv_solution *solution) {
  return gv_is_solved(series, solution) && !(solution->sine < GV_SERIES_NEAR);
}

/* Azimuths of -360 ... 360 degrees as they are reported: 0 <= azimuth < 360. */
GV_BOTH float gv_reported_azimuth(double degrees) {
  float rounded = (float)(degrees < 0.0 ? degrees + 360.0 : degrees);
  return rounded >= 360.0F ? 0.0F : rounded + 0.0F;
}

#endif
