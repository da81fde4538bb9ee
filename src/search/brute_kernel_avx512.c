/* The brute force kernels of `openmp` in avx512 instructions. */
#define GV_KERNEL gv_brute_kernel_avx512
#define GV_WIDTH  12
#include "search/brute_kernel.h"
