/* The limits of arguments, for callers. */
#include "core/limits.h"

#include <stddef.h>

#include "gpuvoronoi/cells.h"

static const struct {
  gv_limit limit;
  int64_t lowest, highest;
} limits[] = {
    {GV_LIMIT_DIM, 1, GV_MAX_DIM},
    {GV_LIMIT_K, 1, GV_MAX_K},
    {GV_LIMIT_K_CPU, 1, GV_MAX_K_CPU},
    {GV_LIMIT_K_FEATURES, 1, GV_VORONOI_MAX_K},
    {GV_LIMIT_K_GRID, 1, GV_VORONOI_MAX_K},
    {GV_LIMIT_SEEDS, 1, GV_MAX_SEEDS},
    {GV_LIMIT_DIAGRAM_SEEDS, 1, GV_MAX_DIAGRAM_SEEDS},
    {GV_LIMIT_SUMS, 0, GV_MAX_SUMS},
    {GV_LIMIT_QTM_LEVEL, 0, GV_QTM_MAX_LEVEL},
    {GV_LIMIT_QTM_GRID_LEVEL, 0, GV_QTM_MAX_GRID_LEVEL},
    {GV_LIMIT_HEALPIX_ORDER, 0, GV_HEALPIX_MAX_ORDER},
    {GV_LIMIT_S2_LEVEL, 0, GV_S2_MAX_LEVEL},
};

gv_status gv_limits(gv_limit limit, int64_t *lowest, int64_t *highest) {
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    if (limits[i].limit != limit) continue;
    if (lowest != NULL) *lowest = limits[i].lowest;
    if (highest != NULL) *highest = limits[i].highest;
    return GV_OK;
  }
  return GV_ERROR_INVALID_ARGUMENT;
}
