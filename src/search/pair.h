/* Points of two dimensions, in rows or in two columns. */
#ifndef GV_POINT_PAIR_H
#define GV_POINT_PAIR_H

#include <math.h>

#include "core/core.h"
#include "core/given.h"

/* Point i of points with two dimensions. */
static inline void gv_pair_get(const gv_points *p, int64_t i, double *x, double *y) {
  if (p->x != NULL) {
    *x = p->x[i];
    *y = p->y[i];
  } else if (p->dtype == GV_FLOAT32) {
    const float *data = p->data;
    *x = (double)data[2 * i];
    *y = (double)data[2 * i + 1];
  } else {
    const double *data = p->data;
    *x = data[2 * i];
    *y = data[2 * i + 1];
  }
}

/* Replaces a caller's struct, which may be of another version of the header, by a copy. NULL stays NULL. */
static inline gv_status gv_load_pair(gv_context *context, const gv_points **points, gv_points *own) {
  if (*points == NULL) return GV_OK;
  *own = gv_points_rows(NULL, 0, 0, GV_FLOAT64);
  GV_COPY_GIVEN(context, gv_points, own, *points);
  *points = own;
  return GV_OK;
}

/* Latitudes beyond the poles are an error; NaN is allowed. `role` and `number`: of the point, in the
 * message. */
static inline gv_status gv_check_latitude(gv_context *context, const char *role, int64_t number,
                                          double latitude) {
  if (!(fabs(latitude) > 90.0)) return GV_OK;
  return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "%s %lld: latitude out of range [-90, 90] (%.15g)", role,
                 (long long)number, latitude);
}

/* `role`: of the points, in messages ("query", "seed"). */
static inline gv_status gv_check_pairs(gv_context *context, const gv_points *points, const char *role) {
  bool columns = points->x != NULL && points->y != NULL;
  if (points->dim != 2)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "%s points: expected 2 coordinates (%d)", role,
                   (int)points->dim);
  if (points->dtype != GV_FLOAT32 && points->dtype != GV_FLOAT64)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "%s points: unknown type (%d)", role,
                   (int)points->dtype);
  if (points->count < 0 || (points->count > 0 && points->data == NULL && !columns))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "%s points: the coordinates are NULL", role);
  return GV_OK;
}

#endif
