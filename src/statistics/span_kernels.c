/* Spans of cells, see span_kernels.h. */
#include "statistics/span_kernels.h"
#include "core/simd/vectors.h"

static int32_t span_find(const int32_t *cells, int32_t n, int32_t *begin) {
  int32_t spans = 1, c = 1;
  begin[0] = 0;
  for (; c + VF_LANES <= n; c += VF_LANES) {
    unsigned bits = vi_differ_bits(vi_load(cells + c), vi_load(cells + c - 1));
    for (; bits != 0; bits &= bits - 1)
      begin[spans++] = c + __builtin_ctz(bits);
  }
  for (; c < n; c++) {
    if (cells[c] != cells[c - 1]) begin[spans++] = c;
  }
  begin[spans] = n;
  return spans;
}

const gv_span_kernels GV_VARIANT(gv_span_kernels) = {.find = span_find};
