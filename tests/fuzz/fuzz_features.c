/* Lines and polygons as seeds, valid or not, on grids of all kinds: every backend reports an error, or
 * returns the results of `serial`. */
#include "question.h"

enum { MOST_FEATURES = 12, FEW_CELLS = 400 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static question q;
  fuzz_input input = {data, size};
  fuzz_take_question(&input, &q);
  q.sources = 1 + q.sources % MOST_FEATURES;
  fuzz_take_features(&input, &q);
  fuzz_fit(&q, fuzz_room(data, size));
  if (q.cells <= FEW_CELLS) fuzz_compare_backends(&q);
  return 0;
}
