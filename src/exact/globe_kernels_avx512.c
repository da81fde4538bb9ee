/* The globe's kernels, compiled for: avx512. */
#include "core/simd/avx512.h"

#define GV_GLOBE_KERNELS gv_globe_kernels_avx512
#include "exact/globe_kernels_body.h"
