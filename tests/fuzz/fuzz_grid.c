/* Grids of all kinds with any geotransform and seeds: every backend reports an error, or returns the results
 * of `serial`, block by block. */
#include "question.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static question q;
  fuzz_input input = {data, size};
  fuzz_take_question(&input, &q);
  fuzz_fit(&q, fuzz_room(data, size));
  if (q.cells <= MOST_CELLS) fuzz_compare_backends(&q);
  return 0;
}
