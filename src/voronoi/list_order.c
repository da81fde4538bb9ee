/* The order of lists of places. See list_order.h. */
#include "voronoi/list_order.h"

#include <math.h>

#include "core/angles.h"

gv_list_order gv_list_order_of(const gv_grid *grid) {
  enum { SAMPLES = 256, SPAN = 64, LEAST_STEPS = 3, MOST_STEPS = 24 };
  const double near = 5.0; /* degrees between places that follow each other */
  const double degree = GV_DEGREE;
  const int64_t last = grid->width - 1, stride = grid->width / SAMPLES + 1;
  int64_t far = 0, pairs = 0;
  double steps = 0.0, spans = 0.0;
  for (int64_t i = 0; i < last; i += stride, pairs++) {
    const double turn = cos(grid->latitude[i] * degree);
    double squares[2];
    for (int end = 0; end < 2; end++) {
      const int64_t to = end == 0 || i + SPAN > last ? i + 1 : i + SPAN;
      const double down = grid->latitude[to] - grid->latitude[i],
                   across = remainder(grid->longitude[to] - grid->longitude[i], 360.0);
      squares[end] = down * down + turn * turn * across * across;
      if (end == 0) far += fabs(down) > near || fabs(across) > near;
    }
    steps += isfinite(squares[0] + squares[1]) ? squares[0] : 0.0;
    spans += isfinite(squares[0] + squares[1]) ? squares[1] : 0.0;
  }
  if (2 * far > pairs || spans > (double)(MOST_STEPS * MOST_STEPS) * steps) return GV_LIST_FAR_APART;
  return spans < (double)(LEAST_STEPS * LEAST_STEPS) * steps ? GV_LIST_MIXED : GV_LIST_ON_CURVE;
}
