/* The brute force kernels of `openmp` in avx2 instructions. */
#define GV_KERNEL gv_brute_kernel_avx2
#define GV_WIDTH  3
#include "search/brute_kernel.h"
