/* The tile engine's kernels, compiled for: baseline. */
#include "core/simd/baseline.h"

#define GV_KERNELS           gv_kernels_baseline
#define GV_RANK_FILTER       gv_rank_filter_baseline
#define GV_SHORT_LIST_KERNEL gv_short_list_baseline
#include "voronoi/cpu/kernels_body.h"
