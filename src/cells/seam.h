/* The seam of a raster in longitudes: where its last column meets the first. */
#ifndef GV_CELLS_SEAM_H
#define GV_CELLS_SEAM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* True if `width` columns of `step` degrees go round the globe once, within a thousandth of a column. */
static inline bool gv_columns_wrap(int64_t width, double step) {
  return fabs((double)width * fabs(step) - 360.0) <= 1e-3 * fabs(step);
}

#endif
