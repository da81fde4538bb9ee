/* Kernels of geodesics, compiled for: baseline. */
#include "core/simd/baseline.h"

#define GV_SERIES_KERNELS gv_series_kernels_baseline
#include "geodesic/series_kernels_body.h"
