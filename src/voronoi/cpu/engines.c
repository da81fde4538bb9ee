/* Which form of the culling engine is for which grid. */
#include "cells/parts.h"
#include "voronoi/engine.h"

const gv_engine *gv_tile_engine_for(const gv_grid *grid) {
  if (gv_grid_is_list(grid)) return &gv_engine_mesh;
  if (gv_facts_of(grid)->rows_are_parallels && grid->level != GV_QTM_NONE) return &gv_engine_mesh_raster;
  return &gv_engine_tile;
}
