/* Spans of cells of one seed, found in vectors: one source (span_kernels.c), compiled once for each
 * instruction set. */
#ifndef GV_SPAN_KERNELS_H
#define GV_SPAN_KERNELS_H

#include "core/core.h"

typedef struct gv_span_kernels {
  /* Writes where the n > 0 cells of a row differ from those before them, and 0 and n around that (n + 1 at
   * most); returns the number of spans. */
  int32_t (*find)(const int32_t *cells, int32_t n, int32_t *begin);
} gv_span_kernels;

GV_KERNEL_TABLE(gv_span_kernels);

#endif
