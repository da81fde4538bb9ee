/* Morton codes and a parallel radix sort of them: the octree's order, and the order in which trees process
 * queries. */
#ifndef GV_CODE_SORT_H
#define GV_CODE_SORT_H

#include "core/core.h"

typedef struct gv_sort_code {
  uint64_t code;
  int64_t index;
} gv_sort_code;

/* Stable sort by the code, of which at most the lowest `bits` bits are set. `scratch` holds count codes.
 * Needs a few KB a thread. */
gv_status gv_codes_sort(gv_context *context, gv_sort_code *codes, gv_sort_code *scratch, int64_t count,
                        int bits, int threads);

/* Sort by (code, index) of a list that one thread has; `scratch` has room for count codes. */
void gv_codes_sort_list(gv_sort_code *codes, gv_sort_code *scratch, int64_t count);

/* The Morton frame of a box: where a coordinate falls on 2^bits steps. */
typedef struct gv_morton {
  int32_t dim;
  int bits; /* a dimension */
  const double *low, *high;
} gv_morton;

/* The code of a point: bit b of dimension d is bit b * dim + (dim - 1 - d). Points outside are clamped. */
static inline uint64_t gv_morton_code(const gv_morton *morton, const double *point) {
  uint64_t code = 0;
  double steps = ldexp(1.0, morton->bits);
  for (int32_t d = 0; d < morton->dim; d++) {
    /* Halved, so that the width of a box over the whole range of double does not overflow. */
    double low = 0.5 * morton->low[d], width = 0.5 * morton->high[d] - low;
    double place = width > 0.0 ? (0.5 * point[d] - low) / width * steps : 0.0;
    if (!(place >= 0.0)) place = 0.0;
    uint64_t step = place < steps ? (uint64_t)place : (uint64_t)(steps - 1.0);
    if (morton->dim == 1) {
      code = step;
    } else if (morton->dim == 2) {
      step &= 0xffffffffu;
      step = (step | step << 16) & 0x0000ffff0000ffffu;
      step = (step | step << 8) & 0x00ff00ff00ff00ffu;
      step = (step | step << 4) & 0x0f0f0f0f0f0f0f0fu;
      step = (step | step << 2) & 0x3333333333333333u;
      step = (step | step << 1) & 0x5555555555555555u;
      code |= step << (1 - d);
    } else if (morton->dim == 3) {
      step &= 0x1fffffu;
      step = (step | step << 32) & 0x001f00000000ffffu;
      step = (step | step << 16) & 0x001f0000ff0000ffu;
      step = (step | step << 8) & 0x100f00f00f00f00fu;
      step = (step | step << 4) & 0x10c30c30c30c30c3u;
      step = (step | step << 2) & 0x1249249249249249u;
      code |= step << (2 - d);
    } else {
      for (int b = 0; b < morton->bits; b++) {
        code |= (step >> b & 1u) << (b * morton->dim + (morton->dim - 1 - d));
      }
    }
  }
  return code;
}

#endif
