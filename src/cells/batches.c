/* Cells of many points; centers, corners, neighbors and areas of many cells. */
#include "core/core.h"
#include "gpuvoronoi/cells.h"

static bool is_place(double longitude, double latitude) {
  return isfinite(longitude) && latitude >= -90.0 && latitude <= 90.0;
}

gv_status gv_qtm_from_lonlat_array(int level, const double *longitude, const double *latitude, int64_t count,
                                   gv_qtm_id *id) {
  if (count < 0 || level < 0 || level > GV_QTM_MAX_LEVEL) return GV_ERROR_INVALID_ARGUMENT;
  if (count > 0 && (longitude == NULL || latitude == NULL || id == NULL)) return GV_ERROR_INVALID_ARGUMENT;
  for (int64_t i = 0; i < count; i++) {
    if (!is_place(longitude[i], latitude[i]) ||
        gv_qtm_from_lonlat(level, longitude[i], latitude[i], &id[i]) != GV_OK)
      id[i] = 0;
  }
  return GV_OK;
}

typedef gv_status number_fn(int level, double longitude, double latitude, int64_t *number);
typedef gv_status center_fn(int level, int64_t number, double *longitude, double *latitude);

/* `cells`: of the level, 0 if it is out of range. */
static gv_status batches_numbers(int64_t cells, number_fn *number_of, int level, const double *longitude,
                                 const double *latitude, int64_t count, int64_t *number) {
  if (cells == 0 || count < 0) return GV_ERROR_INVALID_ARGUMENT;
  if (count > 0 && (longitude == NULL || latitude == NULL || number == NULL))
    return GV_ERROR_INVALID_ARGUMENT;
  for (int64_t i = 0; i < count; i++) {
    if (!is_place(longitude[i], latitude[i]) ||
        number_of(level, longitude[i], latitude[i], &number[i]) != GV_OK)
      number[i] = -1;
  }
  return GV_OK;
}

static gv_status batches_centers(int64_t cells, center_fn *center_of, int level, int64_t first, int64_t count,
                                 double *longitude, double *latitude) {
  if (first < 0 || count < 0 || first > cells || count > cells - first || cells == 0)
    return GV_ERROR_INVALID_ARGUMENT;
  if (count > 0 && (longitude == NULL || latitude == NULL)) return GV_ERROR_INVALID_ARGUMENT;
  for (int64_t i = 0; i < count; i++) {
    gv_status status = center_of(level, first + i, &longitude[i], &latitude[i]);
    if (status != GV_OK) return status;
  }
  return GV_OK;
}

static gv_status batches_qtm_center(int level, int64_t number, double *longitude, double *latitude) {
  gv_qtm_id id;
  gv_status status = gv_qtm_from_number(level, number, &id);
  return status == GV_OK ? gv_qtm_center(id, longitude, latitude) : status;
}

gv_status gv_qtm_centers(int level, int64_t first, int64_t count, double *longitude, double *latitude) {
  return batches_centers(gv_qtm_count(level), batches_qtm_center, level, first, count, longitude, latitude);
}

gv_status gv_qtm_center_array(const gv_qtm_id *id, int64_t count, double *longitude, double *latitude) {
  if (count < 0) return GV_ERROR_INVALID_ARGUMENT;
  if (count > 0 && (id == NULL || longitude == NULL || latitude == NULL)) return GV_ERROR_INVALID_ARGUMENT;
  for (int64_t i = 0; i < count; i++)
    if (gv_qtm_center(id[i], &longitude[i], &latitude[i]) != GV_OK) longitude[i] = latitude[i] = NAN;
  return GV_OK;
}

gv_status gv_qtm_corner_array(const gv_qtm_id *id, int64_t count, double *longitude, double *latitude) {
  if (count < 0) return GV_ERROR_INVALID_ARGUMENT;
  if (count > 0 && (id == NULL || longitude == NULL || latitude == NULL)) return GV_ERROR_INVALID_ARGUMENT;
  for (int64_t i = 0; i < count; i++) {
    double *x = longitude + 3 * i, *y = latitude + 3 * i;
    if (gv_qtm_corners(id[i], x, y, NULL) != GV_OK) x[0] = x[1] = x[2] = y[0] = y[1] = y[2] = NAN;
  }
  return GV_OK;
}

gv_status gv_qtm_neighbor_array(const gv_qtm_id *id, int64_t count, gv_qtm_id *neighbors) {
  if (count < 0 || (count > 0 && (id == NULL || neighbors == NULL))) return GV_ERROR_INVALID_ARGUMENT;
  for (int64_t i = 0; i < count; i++) {
    gv_qtm_id *of = neighbors + 3 * i;
    if (gv_qtm_neighbors(id[i], of) != GV_OK) of[0] = of[1] = of[2] = 0;
  }
  return GV_OK;
}

gv_status gv_qtm_area_array(const gv_qtm_id *id, int64_t count, double *area) {
  if (count < 0 || (count > 0 && (id == NULL || area == NULL))) return GV_ERROR_INVALID_ARGUMENT;
  for (int64_t i = 0; i < count; i++)
    area[i] = gv_qtm_area(id[i]);
  return GV_OK;
}

gv_status gv_healpix_centers(int order, int64_t first, int64_t count, double *longitude, double *latitude) {
  return batches_centers(gv_healpix_count(order), gv_healpix_center, order, first, count, longitude,
                         latitude);
}

gv_status gv_s2_centers(int level, int64_t first, int64_t count, double *longitude, double *latitude) {
  return batches_centers(gv_s2_count(level), gv_s2_center, level, first, count, longitude, latitude);
}

gv_status gv_healpix_from_lonlat_array(int order, const double *longitude, const double *latitude,
                                       int64_t count, int64_t *number) {
  return batches_numbers(gv_healpix_count(order), gv_healpix_from_lonlat, order, longitude, latitude, count,
                         number);
}

gv_status gv_s2_from_lonlat_array(int level, const double *longitude, const double *latitude, int64_t count,
                                  int64_t *number) {
  return batches_numbers(gv_s2_count(level), gv_s2_from_lonlat, level, longitude, latitude, count, number);
}
