/* Which of the compiled disc kernels this processor runs. */
#include "voronoi/cpu/disc_kernels.h"

const gv_disc_kernels *gv_disc_kernels_get(void) {
#if defined(GV_HAVE_X86_KERNELS)
  switch (gv_simd_level()) {
  case GV_SIMD_AVX512:
    return &gv_disc_kernels_avx512;
  case GV_SIMD_AVX2:
    return &gv_disc_kernels_avx2;
  case GV_SIMD_BASELINE:
    break;
  }
#endif
  return &gv_disc_kernels_baseline;
}
