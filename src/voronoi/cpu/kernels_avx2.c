/* The tile engine's kernels, compiled for: avx2. */
#include "core/simd/avx2.h"

#define GV_KERNELS           gv_kernels_avx2
#define GV_RANK_FILTER       gv_rank_filter_avx2
#define GV_SHORT_LIST_KERNEL gv_short_list_avx2
#include "voronoi/cpu/kernels_body.h"
