/* Cells that are left to the host. */
#ifndef GV_HAND_OVER_CUH
#define GV_HAND_OVER_CUH

#include "voronoi/gpu/quads.cuh"

namespace gv {

/* Leaves cells of a quad to the host; `list_at` is where the quad's candidates are in the list of ids, or
 * -1. */
__device__ static void hand_over(const target &t, counters *count, const open_list &open, int64_t column,
                                 int64_t row, int64_t list_at, int32_t candidates) {
  unsigned long long at = atomicAdd(&count->open, 1ULL);
  if (at < open.cells) {
    open_cell cell = {column, row, address(t, column, row), list_at, candidates, 0};
    open.cell[at] = cell;
  }
}

/* Room for candidates that the host needs, for the calling warp. */
__device__ static int64_t reserve_ids(counters *count, const open_list &open, int32_t candidates, int lane) {
  unsigned long long at = 0;
  if (lane == 0) at = atomicAdd(&count->open_ids, (unsigned long long)candidates);
  at = __shfl_sync(everyone, at, 0);
  return at + (unsigned long long)candidates <= open.ids ? (int64_t)at : -1;
}

/* Cells of the calling warp that are in doubt go to the host, with their list, which is written down once:
 * `list_at` is where, -2 before. */
__device__ static void hand_over_doubtful(const target &t, counters *count, const open_list &open, bool doubt,
                                          int64_t column, int64_t row, const int32_t *list,
                                          int32_t candidates, int64_t *list_at, int lane) {
  if (!__any_sync(everyone, doubt)) return;
  if (*list_at == -2) {
    *list_at = reserve_ids(count, open, candidates, lane);
    for (int32_t n = lane; n < candidates && *list_at >= 0; n += WARP)
      open.id[*list_at + n] = list[n];
  }
  if (doubt) hand_over(t, count, open, column, row, *list_at, candidates);
}

} // namespace gv

#endif
