/* Disc kernels, compiled for: avx2. */
#include "core/simd/avx2.h"

#define GV_DISC_KERNELS gv_disc_kernels_avx2
#include "voronoi/cpu/disc_kernels_body.h"
