/* Kernels of geodesics, compiled for: avx2. */
#include "core/simd/avx2.h"

#define GV_SERIES_KERNELS gv_series_kernels_avx2
#include "geodesic/series_kernels_body.h"
