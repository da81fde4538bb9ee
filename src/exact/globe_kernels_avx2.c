/* The globe's kernels, compiled for: avx2. */
#include "core/simd/avx2.h"

#define GV_GLOBE_KERNELS gv_globe_kernels_avx2
#include "exact/globe_kernels_body.h"
