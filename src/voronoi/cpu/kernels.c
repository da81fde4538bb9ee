/* Which of the compiled kernel tables this processor runs. */
#include "voronoi/cpu/kernels.h"

const gv_kernels *gv_kernels_get(void) {
#if defined(GV_HAVE_X86_KERNELS)
  switch (gv_simd_level()) {
  case GV_SIMD_AVX512:
    return &gv_kernels_avx512;
  case GV_SIMD_AVX2:
    return &gv_kernels_avx2;
  case GV_SIMD_BASELINE:
    break;
  }
#endif
  return &gv_kernels_baseline;
}
