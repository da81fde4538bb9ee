/* The brute force kernels of `openmp` in baseline instructions. */
#define GV_KERNEL gv_brute_kernel_baseline
#define GV_WIDTH  4
#include "search/brute_kernel.h"
