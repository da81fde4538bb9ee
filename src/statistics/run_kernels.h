/* Runs of cells of one seed, found in vectors: one source (run_kernels.c), compiled once for each instruction set. */
#ifndef GV_RUN_KERNELS_H
#define GV_RUN_KERNELS_H

#include "core/core.h"

typedef struct gv_run_kernels {
  /* Writes where the n > 0 cells of a row differ from those before them, and 0 and n around that (n + 1 at most); returns the
   * number of runs. */
  int32_t (*find)(const int32_t *cells, int32_t n, int32_t *begin);
} gv_run_kernels;

GV_KERNEL_TABLE(gv_run_kernels);

#endif
