/* The tile engine's kernels, compiled for: avx512. */
#include "core/simd/avx512.h"

#define GV_KERNELS           gv_kernels_avx512
#define GV_RANK_FILTER       gv_rank_filter_avx512
#define GV_SHORT_LIST_KERNEL gv_short_list_avx512
#include "voronoi/cpu/kernels_body.h"
