/* Kernels of statistics, compiled for: baseline. */
#include "core/simd/baseline.h"

#define GV_STATISTICS_KERNELS gv_statistics_kernels_baseline
#include "statistics/statistics_kernels_body.h"
