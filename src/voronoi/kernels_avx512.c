/* The tile engine's kernels, compiled for: avx512. */
#include "core/simd/avx512.h"

#define GV_KERNELS gv_kernels_avx512
#include "voronoi/kernels_body.h"
