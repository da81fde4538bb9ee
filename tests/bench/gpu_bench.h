/* What the benchmarks of GPUs share: a clock, random numbers, medians, errors. */
#ifndef GPU_BENCH_H
#define GPU_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "gpuvoronoi.h"

enum { MOST = 50 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double uniform(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)((*state ^ (*state >> 29)) >> 11) * 0x1p-53;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static int fail(gv_context *context, const char *what) {
  fprintf(stderr, "%s: %s\n", what, gv_context_message(context));
  return 1;
}

#endif
