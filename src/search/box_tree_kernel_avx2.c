/* The box tree's search in avx2 instructions. */
#define GV_KERNEL gv_box_tree_kernel_avx2
#include "search/box_tree_kernel.h"
