#include "gpuvoronoi/weights.h"

#include <math.h>
#include <stdbool.h>

#include "cells/area.h"
#include "core/angles.h"
#include "core/core.h"
#include "core/limits.h"
#include "search/power_range.h"

static double weights_share(double distance, double least, double power) {
  if (isnan(distance)) return 0.0;
  if (least > 0.0) return gv_power(least / distance, power);
  return distance == 0.0 ? 1.0 : 0.0;
}

gv_status gv_inverse_distance_weights(gv_context *context, const double *distances, int64_t count, int32_t k,
                                      double power, double *weights) {
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (k < 1 || k > GV_MAX_K)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "k: out of range [1, %d] (%d)", GV_MAX_K, (int)k);
  if (count < 0)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "number of cells: out of range (%lld)",
                   (long long)count);
  if (!(power >= 0.0 && power <= GV_MAX_POWER))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "power: out of range [0, %d] (%g)", GV_MAX_POWER,
                   power);
  if (count > 0 && (distances == NULL || weights == NULL))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "distances or weights: the pointer is NULL");
  for (int64_t i = 0; i < count; i++) {
    const double least = distances[i];
    double total = 0.0;
    for (int32_t j = 0; j < k; j++)
      total += weights[j * count + i] = weights_share(distances[j * count + i], least, power);
    for (int32_t j = 0; j < k && total > 0.0; j++)
      weights[j * count + i] /= total;
  }
  return GV_OK;
}

/* From one longitude to the next, in (-180, 180]. */
static double weights_step(const double *axis, int64_t i, bool turns) {
  const double step = axis[i + 1] - axis[i];
  if (!turns) return step;
  const double rest = step - 360.0 * floor((step + 180.0) / 360.0);
  return rest == -180.0 && step > 0.0 ? 180.0 : rest;
}

/* Whether the axis ascends or descends. */
static bool weights_is_axis(const double *axis, int64_t count, bool turns) {
  for (int64_t i = 0; i + 1 < count; i++)
    if (!(weights_step(axis, i, turns) * weights_step(axis, 0, turns) > 0.0)) return false;
  return count > 1;
}

static double weights_sine(double latitude) {
  return sin(fmax(-90.0, fmin(90.0, latitude)) * GV_DEGREE);
}

gv_status gv_axis_cell_areas(gv_context *context, const double *longitude, int64_t columns,
                             const double *latitude, int64_t rows, double *widths, double *heights) {
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (columns < 1 || rows < 1)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "number of cells: out of range (%lld, %lld)",
                   (long long)columns, (long long)rows);
  if (longitude == NULL || latitude == NULL || widths == NULL || heights == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "axes or areas: the pointer is NULL");
  const bool known = weights_is_axis(longitude, columns, true) && weights_is_axis(latitude, rows, false);
  for (int64_t i = 0; i < columns; i++) {
    const double before = known ? weights_step(longitude, i > 0 ? i - 1 : 0, true) : 0.0;
    const double after = known ? weights_step(longitude, i + 1 < columns ? i : i - 1, true) : 0.0;
    widths[i] = fabs(0.5 * (before + after)) * GV_DEGREE;
  }
  for (int64_t i = 0; i < rows; i++) {
    const double before = known ? weights_step(latitude, i > 0 ? i - 1 : 0, false) : 0.0;
    const double after = known ? weights_step(latitude, i + 1 < rows ? i : i - 1, false) : 0.0;
    heights[i] = fabs(weights_sine(latitude[i] + 0.5 * after) - weights_sine(latitude[i] - 0.5 * before));
  }
  return GV_OK;
}

static double weights_ring_area(const gv_ellipsoid *ellipsoid, const double *longitude,
                                const double *latitude, int64_t count) {
  double sum = 0.0;
  for (int64_t i = 0; i < count; i++) {
    const int64_t next = i + 1 < count ? i + 1 : 0;
    const double ends[2] = {latitude[i], latitude[next]};
    sum += gv_area_below_line(ellipsoid, latitude[0], ends, longitude[next] - longitude[i]);
  }
  return fabs(sum);
}

gv_status gv_ring_areas(gv_context *context, double semi_major, double flattening, const double *longitude,
                        const double *latitude, const int64_t *ring, int64_t count, double *area) {
  gv_ellipsoid ellipsoid;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (count < 0)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "number of rings: out of range (%lld)",
                   (long long)count);
  if (count > 0 && (longitude == NULL || latitude == NULL || ring == NULL || area == NULL))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "vertices, rings or areas: the pointer is NULL");
  GV_TRY(gv_ellipsoid_init(context, semi_major, flattening, &ellipsoid));
  for (int64_t i = 0; i < count; i++) {
    if (ring[i] < 0 || ring[i + 1] < ring[i])
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "ring %lld: its vertices are out of order",
                     (long long)i);
    for (int64_t v = ring[i]; v < ring[i + 1]; v++)
      if (!isfinite(longitude[v]) || !(fabs(latitude[v]) <= 90.0))
        return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                       "vertex %lld: coordinates out of range or not finite (longitude %.15g, latitude "
                       "%.15g)",
                       (long long)v, longitude[v], latitude[v]);
    area[i] = weights_ring_area(&ellipsoid, longitude + ring[i], latitude + ring[i], ring[i + 1] - ring[i]);
  }
  return GV_OK;
}
