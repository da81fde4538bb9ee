/* Which of the compiled kernels of statistics this processor runs. */
#include "statistics/statistics_kernels.h"

const gv_statistics_kernels *gv_statistics_kernels_get(void) {
#if defined(GV_HAVE_X86_KERNELS)
  switch (gv_simd_level()) {
  case GV_SIMD_AVX512:
    return &gv_statistics_kernels_avx512;
  case GV_SIMD_AVX2:
    return &gv_statistics_kernels_avx2;
  case GV_SIMD_BASELINE:
    break;
  }
#endif
  return &gv_statistics_kernels_baseline;
}
