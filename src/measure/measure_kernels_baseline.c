/* Measuring kernels, compiled for: baseline. */
#include "core/simd/baseline.h"

#define GV_MEASURE_KERNELS gv_measure_kernels_baseline
#include "measure/measure_kernels_body.h"
