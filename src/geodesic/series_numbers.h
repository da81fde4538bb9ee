/* The series of geodesics and directions for one number at a time, on processors and GPUs: gv_solve, gv_bearing, the bits of the kernels
 * (series.h). */
#ifndef GV_SERIES_NUMBERS_H
#define GV_SERIES_NUMBERS_H

#include "exact/distance.h"
#include "geodesic/series.h"

#include "exact/text/as_numbers.h"
#define GV_NONE(mask) (!(mask))
#define GV_SOLVER     GV_BOTH

#include "geodesic/text/arctangents.h"
#include "geodesic/text/bearings.h"
#include "geodesic/text/series.h"

#undef GV_NONE
#undef GV_SOLVER
#include "exact/text/end.h"

/* Whether the series answers; else geod_inverse is to be asked. */
GV_BOTH bool gv_is_solved(const gv_series *series, const gv_solution *solution) {
  return solution->step < series->largest_step && series->least_cosine < solution->cosine;
}

/* The same of its direction. */
GV_BOTH bool gv_is_directed(const gv_series *series, const gv_solution *solution) {
  return gv_is_solved(series, solution) && !(solution->sine < GV_SERIES_NEAR);
}

/* As azimuths are reported: a circle is 0. */
GV_BOTH float gv_reported_azimuth(double degrees) {
  float rounded = (float)degrees;
  return rounded >= 360.0F ? 0.0F : rounded;
}

#endif
