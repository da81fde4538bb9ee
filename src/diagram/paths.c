/* Buffers of buffers. */
#include "diagram/paths.h"

#include <math.h>

#include "core/angles.h"

void gv_paths_snap(double noise, double *lon, double *lat) {
  static const double meter = 1.0 / 111e3, degree = GV_DEGREE;
  double near = fmax(noise, 1e-4) * meter;
  if (90.0 - fabs(*lat) < near) {
    *lat = *lat < 0.0 ? -90.0 : 90.0;
    *lon = 0.0;
  } else if ((180.0 - fabs(*lon)) * cos(*lat * degree) < near) {
    *lon = 180.0;
  }
}

gv_status gv_paths_begin(gv_context *context, gv_paths *paths, const gv_path *path, int64_t *number) {
  int64_t room = (int64_t)(paths->paths.bytes / sizeof(gv_path));
  if (paths->count == room &&
      gv_buffer_extend(&paths->paths, &paths->allocator, 2 * room + 16, sizeof(gv_path)) == NULL)
    return gv_fail_memory(context, "the lines");
  *number = paths->count++;
  *gv_paths_get(paths, *number) = *path;
  return GV_OK;
}

gv_status gv_paths_put(gv_context *context, gv_paths *paths, int64_t number, double lon, double lat) {
  gv_path *path = gv_paths_get(paths, number);
  int64_t room = (int64_t)(path->points.bytes / (2 * sizeof(double)));
  gv_paths_snap(0.0, &lon, &lat);
  if (path->count == room &&
      gv_buffer_extend(&path->points, &paths->allocator, 2 * room + 64, 2 * sizeof(double)) == NULL)
    return gv_fail_memory(context, "the lines");
  double *points = path->points.memory;
  points[2 * path->count] = lon;
  points[2 * path->count + 1] = lat;
  path->count++;
  return GV_OK;
}

void gv_paths_free(gv_paths *paths) {
  for (int64_t i = 0; i < paths->count; i++)
    gv_buffer_clear(&gv_paths_get(paths, i)->points, &paths->allocator);
  gv_buffer_clear(&paths->paths, &paths->allocator);
  paths->count = 0;
}
