/* Which of the compiled measuring kernels this processor runs. */
#include "measure/measure_kernels.h"

const gv_measure_kernels *gv_measure_kernels_get(void) {
#if defined(GV_HAVE_X86_KERNELS)
  switch (gv_simd_level()) {
  case GV_SIMD_AVX512:
    return &gv_measure_kernels_avx512;
  case GV_SIMD_AVX2:
    return &gv_measure_kernels_avx2;
  case GV_SIMD_BASELINE:
    break;
  }
#endif
  return &gv_measure_kernels_baseline;
}
