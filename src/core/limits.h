/* Limits of arguments, which gv_limits reports. */
#ifndef GV_LIMITS_H
#define GV_LIMITS_H

#include <stdint.h>

enum {
  GV_MAX_DIM = 4096,
  GV_MAX_K = 1024,         /* neighbors of a query: of GPUs, on the globe, of several processes, of gv_knn */
  GV_MAX_K_CPU = 16777216, /* of CPUs among points */
  GV_VORONOI_MAX_K = 64,   /* seeds of a cell, neighbors among lines and polygons */
  GV_MAX_SEEDS = INT32_MAX,
  GV_MAX_DIAGRAM_SEEDS = (1 << 30) - 8,
  GV_MAX_SUMS = 1024
};

#endif
