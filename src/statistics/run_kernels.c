/* Runs of cells, see run_kernels.h. */
#include "statistics/run_kernels.h"
#include "core/simd/vectors.h"

static int32_t find(const int32_t *cells, int32_t n, int32_t *begin) {
  int32_t runs = 1, c = 1;
  begin[0] = 0;
  for (; c + VF_LANES <= n; c += VF_LANES) {
    unsigned bits = vi_differ_bits(vi_load(cells + c), vi_load(cells + c - 1));
    for (; bits != 0; bits &= bits - 1)
      begin[runs++] = c + __builtin_ctz(bits);
  }
  for (; c < n; c++) {
    if (cells[c] != cells[c - 1]) begin[runs++] = c;
  }
  begin[runs] = n;
  return runs;
}

const gv_run_kernels GV_VARIANT(gv_run_kernels) = {.find = find};
