/* Measuring kernels, compiled for: avx2. */
#include "core/simd/avx2.h"

#define GV_MEASURE_KERNELS gv_measure_kernels_avx2
#include "measure/measure_kernels_body.h"
