/* The edge of a map is where neighboring places of a parallel are far from each other on it: found by
 * bisection. */
#include "io/geometry/map.h"

#include <math.h>
#include <stdlib.h>

#include "core/angles.h"

static const double map_far = 4.5e7; /* meters: more than the width and height of world maps */

static gv_status map_project(gv_io *io, gv_operation *operation, double lon, double lat, double out[2]) {
  out[0] = lon;
  out[1] = lat;
  return gv_operation_apply(&out[0], &out[1], 1, operation) == 0
             ? GV_OK
             : gv_io_fail_memory(io, "a coordinate operation");
}

static double map_step(const double a[2], const double b[2]) {
  return hypot(b[0] - a[0], b[1] - a[1]);
}

/* The longitude between two places where their images part for good; *found false: they do not. */
static gv_status map_bisect(gv_io *io, gv_operation *operation, double lat, double low, double high,
                            bool *found, double *lon) {
  double a[2], b[2], middle[2];
  GV_TRY(map_project(io, operation, low, lat, a));
  GV_TRY(map_project(io, operation, high, lat, b));
  double whole = map_step(a, b);
  *found = false;
  for (int i = 0; i < 36; i++) {
    double at = 0.5 * (low + high);
    GV_TRY(map_project(io, operation, at, lat, middle));
    if (!isfinite(middle[0])) return GV_OK;
    bool before = map_step(a, middle) > map_step(middle, b);
    double *end = before ? b : a;
    end[0] = middle[0], end[1] = middle[1];
    *(before ? &high : &low) = at;
  }
  *found = map_step(a, b) > 0.5 * whole;
  *lon = rint(0.5 * (low + high) * 1e8) / 1e8;
  return GV_OK;
}

static int map_by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The one longitude where the map is cut at a latitude; *cuts: how many there are, -1: it does not show all
 * of the parallel. */
static gv_status map_find_cut(gv_io *io, gv_operation *operation, double lat, int *cuts, double *lon) {
  enum { COUNT = 180 };
  double x[COUNT + 1], y[COUNT + 1], step[COUNT], sorted[COUNT];
  for (int i = 0; i <= COUNT; i++)
    x[i] = 2.0 * i - 178.7, y[i] = lat;
  *cuts = -1;
  if (gv_operation_apply(x, y, COUNT + 1, operation) != 0)
    return gv_io_fail_memory(io, "a coordinate operation");
  for (int i = 0; i < COUNT; i++) {
    if (!isfinite(x[i]) || !isfinite(x[i + 1])) return GV_OK;
    step[i] = sorted[i] = hypot(x[i + 1] - x[i], y[i + 1] - y[i]);
  }
  qsort(sorted, COUNT, sizeof *sorted, map_by_value);
  *cuts = 0;
  for (int i = 0; i < COUNT; i++) {
    bool found = false;
    double at;
    if (step[i] < 1.5 * sorted[COUNT / 2]) continue;
    GV_TRY(map_bisect(io, operation, lat, 2.0 * i - 178.7, 2.0 * i - 176.7, &found, &at));
    if (!found) continue;
    ++*cuts;
    *lon = at;
  }
  return GV_OK;
}

/* Whether the map shows a lattice of places of the whole globe, each where it can be found again. */
static gv_status map_is_whole(gv_io *io, const gv_map *map, bool *whole) {
  *whole = true;
  for (int i = 0; i < 19 * 36 && *whole; i++) {
    double lat = fmin(fmax(-90.0 + 10.0 * (i / 36), -85.0), 85.0), lon = 10.0 * (i % 36) - 177.3, at[2],
           back[2];
    GV_TRY(map_project(io, map->operation, lon, lat, at));
    *whole = isfinite(at[0]) && (map->lonlat || hypot(at[0], at[1]) * map->meter < map_far);
    if (!*whole) break;
    GV_TRY(map_project(io, map->inverse, at[0], at[1], back));
    *whole = fabs(back[1] - lat) < 1e-3 && fabs(remainder(back[0] - lon, 360.0)) < 0.1;
  }
  return GV_OK;
}

static gv_status map_find_period(gv_io *io, gv_map *map) {
  double at[4][2];
  for (int i = 0; i < 4; i++)
    GV_TRY(map_project(io, map->operation, map->center + 80.0 * (i % 2), i < 2 ? 0.0 : 40.0, at[i]));
  double x = at[1][0] - at[0][0];
  bool repeats = fabs(at[3][0] - at[2][0] - x) <= 1e-9 * fabs(x) &&
                 fabs(at[0][0] - at[2][0]) <= 1e-9 * fabs(x) && fabs(at[1][1] - at[0][1]) <= 1e-9 * fabs(x);
  map->period = repeats ? x * 4.5 : 0.0;
  map->origin = at[0][0];
  return GV_OK;
}

gv_status gv_map_examine(gv_io *io, OGRSpatialReferenceH crs, gv_operation *operation, gv_operation *inverse,
                         gv_map *out) {
  *out = (gv_map){.operation = operation, .inverse = inverse, .most = 90.0, .meter = 111e3};
  double semi_major, flattening;
  GV_TRY(gv_crs_ellipsoid(io, crs, &semi_major, &flattening));
  out->degree = semi_major * (1.0 + 2.0 * flattening) * GV_DEGREE;
  out->lonlat = gv_crs_is_lonlat(crs);
  if (OSRIsProjected(crs)) out->meter = OSRGetLinearUnits(crs, NULL);
  if (operation == NULL) {
    out->lonlat = out->world = out->cut = true;
    return GV_OK;
  }
  double lon[2] = {0.0, 0.0}, pole[2];
  int cuts[2];
  GV_TRY(map_find_cut(io, operation, 35.0, &cuts[0], &lon[0]));
  GV_TRY(map_find_cut(io, operation, -25.0, &cuts[1], &lon[1]));
  out->cut = cuts[0] == 1 && cuts[1] == 1 && fabs(remainder(lon[0] - lon[1], 360.0)) < 1e-6;
  /* another unit: longitudes continue beyond half a turn */
  if (out->lonlat && cuts[0] == 0 && cuts[1] == 0) {
    out->cut = true;
    lon[0] = 180.0;
  }
  if (!out->cut) return GV_OK;
  out->center = remainder(lon[0] - 180.0, 360.0);
  GV_TRY(map_is_whole(io, out, &out->world));
  GV_TRY(map_find_period(io, out));
  for (int i = 0; i < 2 && !out->lonlat; i++) {
    GV_TRY(map_project(io, operation, out->center, i == 0 ? -90.0 : 90.0, pole));
    if (!(isfinite(pole[0]) && hypot(pole[0], pole[1]) * out->meter < map_far)) out->most = 85.0511287798066;
  }
  return GV_OK;
}

gv_status gv_map_apply(gv_io *io, const gv_map *map, double *x, double *y, int64_t count) {
  static const double edge = 180.0 - 1e-9;
  for (int64_t i = 0; i < count; i++) {
    double lon = x[i];
    if (!map->cut && lon == -180.0) lon = 180.0; /* one place on the map, with the same bytes */
    if (!map->cut && fabs(y[i]) == 90.0) lon = 0.0;
    if (map->cut && map->period == 0.0) lon = fmin(fmax(lon, -edge), edge);
    double expected = map->origin + map->period * (lon / 360.0);
    x[i] = lon + map->center;
    if (map->operation == NULL) continue;
    if (gv_operation_apply(&x[i], &y[i], 1, map->operation) != 0)
      return gv_io_fail_memory(io, "a coordinate operation");
    if (map->period != 0.0 && isfinite(x[i])) x[i] += map->period * rint((expected - x[i]) / map->period);
  }
  return GV_OK;
}
