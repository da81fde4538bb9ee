/* Kernels of statistics, compiled for: avx2. */
#include "core/simd/avx2.h"

#define GV_STATISTICS_KERNELS gv_statistics_kernels_avx2
#include "statistics/statistics_kernels_body.h"
