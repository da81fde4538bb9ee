/* The tile engine's kernels, compiled for: avx2. */
#include "core/simd/avx2.h"

#define GV_KERNELS gv_kernels_avx2
#include "voronoi/kernels_body.h"
