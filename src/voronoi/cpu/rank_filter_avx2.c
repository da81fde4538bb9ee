/* The order of short lists and the ranking in floats, compiled for: avx2. */
#include "core/simd/avx2.h"

#define GV_SHORT_LIST_KERNEL gv_short_list_avx2
#define GV_RANK_FILTER       gv_rank_filter_avx2
#include "voronoi/cpu/rank_filter_body.h"
#include "voronoi/cpu/short_list_body.h"
