/* Which vector kernels this CPU can run. */
#include "core/core.h"

#include <stdlib.h>
#include <string.h>

const char *gv_simd_name(gv_simd level) {
  static const char *const names[] = {"baseline", "avx2", "avx512"};
  return names[level];
}

static gv_simd simd_of_cpu(void) {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
    return GV_SIMD_AVX512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return GV_SIMD_AVX2;
#endif
  return GV_SIMD_BASELINE;
}

gv_simd gv_simd_level(void) {
  gv_simd level = simd_of_cpu();
  const char *wanted = getenv("GPUVORONOI_SIMD");
  if (wanted != NULL) {
    for (gv_simd lower = GV_SIMD_BASELINE; lower < level; lower++) {
      if (strcmp(wanted, gv_simd_name(lower)) == 0) return lower;
    }
  }
  return level;
}
