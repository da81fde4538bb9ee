/* Disc kernels, compiled for: baseline. */
#include "core/simd/baseline.h"

#define GV_DISC_KERNELS gv_disc_kernels_baseline
#include "voronoi/cpu/disc_kernels_body.h"
