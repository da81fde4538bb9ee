/* The box tree's search in avx512 instructions. */
#define GV_KERNEL gv_box_tree_kernel_avx512
#include "search/box_tree_kernel.h"
