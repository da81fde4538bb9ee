/* The default extent of a grid round seeds. */
#include <math.h>
#include <stdbool.h>

#include "gpuvoronoi/crs.h"

static bool extent_is_box(const double box[4]) {
  return isfinite(box[0]) && isfinite(box[1]) && isfinite(box[2]) && isfinite(box[3]) && box[0] <= box[2] &&
         box[1] <= box[3];
}

static void extent_pad(double extent[4], double meters) {
  const double width = extent[2] - extent[0], height = extent[3] - extent[1];
  double x = 0.1 * width, y = 0.1 * height;
  if (width == 0.0 && height == 0.0) {
    x = y = meters > 0.0 ? 1000.0 / meters : 0.5;
  } else if (width == 0.0) {
    x = y;
  } else if (height == 0.0) {
    y = x;
  }
  extent[0] -= x, extent[2] += x;
  extent[1] -= y, extent[3] += y;
}

/* Whether a rectangle goes beyond an area by at most half of the area's width and height. */
static bool extent_is_around(const double area[4], const double box[4]) {
  const double x = 0.5 * (area[2] - area[0]), y = 0.5 * (area[3] - area[1]);
  return box[0] >= area[0] - x && box[1] >= area[1] - y && box[2] <= area[2] + x && box[3] <= area[3] + y;
}

/* The part of an extent inside an area; all of the area if no part is. */
static void extent_cut(const double area[4], double extent[4]) {
  const double common[4] = {fmax(extent[0], area[0]), fmax(extent[1], area[1]), fmin(extent[2], area[2]),
                            fmin(extent[3], area[3])};
  const bool meet = common[0] < common[2] && common[1] < common[3];
  for (int i = 0; i < 4; i++)
    extent[i] = meet ? common[i] : area[i];
}

gv_status gv_default_extent(const double *seeds, const double *area, double meters, double *extent,
                            int32_t *is_cut) {
  if (extent == NULL || (seeds == NULL && area == NULL) || (seeds != NULL && !extent_is_box(seeds)) ||
      (area != NULL && !extent_is_box(area)) || !(meters >= 0.0) || isinf(meters))
    return GV_ERROR_INVALID_ARGUMENT;
  const bool cut = area != NULL && (seeds == NULL || !extent_is_around(area, seeds));
  for (int i = 0; i < 4; i++)
    extent[i] = seeds != NULL ? seeds[i] : area[i];
  if (seeds != NULL) extent_pad(extent, meters);
  if (cut) extent_cut(area, extent);
  if (is_cut != NULL) *is_cut = cut;
  return GV_OK;
}
