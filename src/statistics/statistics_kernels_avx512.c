/* Kernels of statistics, compiled for: avx512. */
#include "core/simd/avx512.h"

#define GV_STATISTICS_KERNELS gv_statistics_kernels_avx512
#include "statistics/statistics_kernels_body.h"
