/* The globe's kernels, compiled for: baseline. */
#include "core/simd/baseline.h"

#define GV_GLOBE_KERNELS gv_globe_kernels_baseline
#include "exact/globe_kernels_body.h"
