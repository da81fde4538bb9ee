/* The box tree's search in baseline instructions. */
#define GV_KERNEL gv_box_tree_kernel_baseline
#include "search/box_tree_kernel.h"
