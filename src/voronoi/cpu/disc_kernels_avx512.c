/* Disc kernels, compiled for: avx512. */
#include "core/simd/avx512.h"

#define GV_DISC_KERNELS gv_disc_kernels_avx512
#include "voronoi/cpu/disc_kernels_body.h"
