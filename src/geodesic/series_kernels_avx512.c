/* Kernels of geodesics, compiled for: avx512. */
#include "core/simd/avx512.h"

#define GV_SERIES_KERNELS gv_series_kernels_avx512
#include "geodesic/series_kernels_body.h"
