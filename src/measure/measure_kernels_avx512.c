/* Measuring kernels, compiled for: avx512. */
#include "core/simd/avx512.h"

#define GV_MEASURE_KERNELS gv_measure_kernels_avx512
#include "measure/measure_kernels_body.h"
