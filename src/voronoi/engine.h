/*
 * Engines: ways to find the nearest seed of every cell of a block. `tile` is the culling engine; every backend that
 * searches points is an engine too, through points.c.
 */
#ifndef GV_ENGINE_H
#define GV_ENGINE_H

#include "voronoi/geodesic.h"
#include "voronoi/seeds.h"

struct gv_voronoi {
  gv_allocator allocator;
  gv_cells cells;
  gv_seed_set seeds;
  gv_geodesic geodesic; /* metric geodesic only */
  int32_t *label;       /* value to write for each distinct seed */
  int32_t nodata;
  int32_t block_width, block_height;
  const struct gv_engine *engine;
  const char *backend; /* the name asked for or chosen */
  void *state;
};

typedef struct gv_engine {
  gv_status (*create)(gv_context *context, gv_voronoi *voronoi, void **state);
  gv_status (*block)(gv_context *context, const gv_voronoi *voronoi, void *state, const gv_tile *tile, int32_t *out,
                     int64_t stride);
  void (*destroy)(const gv_voronoi *voronoi, void *state);
} gv_engine;

extern const gv_engine gv_engine_tile;
extern const gv_engine gv_engine_mesh;        /* its form for GV_GRID_QTM */
extern const gv_engine gv_engine_mesh_raster; /* and for lon/lat rasters of triangles */
extern const gv_backend_info gv_tile_info;    /* how the culling engine is listed among the backends */
extern const gv_engine gv_engine_points;

#endif
