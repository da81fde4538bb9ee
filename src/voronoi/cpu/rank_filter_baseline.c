/* The order of short lists and the ranking in floats, compiled for: baseline. */
#include "core/simd/baseline.h"

#define GV_SHORT_LIST_KERNEL gv_short_list_baseline
#define GV_RANK_FILTER       gv_rank_filter_baseline
#include "voronoi/cpu/rank_filter_body.h"
#include "voronoi/cpu/short_list_body.h"
