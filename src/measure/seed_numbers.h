/* Seed numbers of callers: checked before they are used. */
#ifndef GV_MEASURE_SEED_NUMBERS_H
#define GV_MEASURE_SEED_NUMBERS_H

#include "voronoi/engine.h"

typedef struct gv_seed_numbers {
  const int32_t *seed; /* seed[band * band_stride + row * stride + column]; < 0: none */
  int64_t columns, rows, bands, stride, band_stride;
} gv_seed_numbers;

/* Errors: INVALID_ARGUMENT (a number that is not that of a seed). */
static inline gv_status gv_seed_numbers_check(gv_context *context, const gv_voronoi *v,
                                              const gv_seed_numbers *n) {
  for (int64_t row = 0; row < n->bands * n->rows; row++) {
    const int32_t *seed = n->seed + row / n->rows * n->band_stride + row % n->rows * n->stride;
    for (int64_t c = 0; c < n->columns; c++) {
      if (seed[c] >= v->seeds.total)
        return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "seed number: out of range (%d)", (int)seed[c]);
    }
  }
  return GV_OK;
}

#endif
