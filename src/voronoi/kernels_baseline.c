/* The tile engine's kernels, compiled for: baseline. */
#include "core/simd/baseline.h"

#define GV_KERNELS gv_kernels_baseline
#include "voronoi/kernels_body.h"
