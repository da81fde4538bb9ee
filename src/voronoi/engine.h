/*
 * Engines: ways to find the nearest seed of every cell of a block. `tile` is the culling engine; every
 * backend that searches points is an engine too, through points.c.
 */
#ifndef GV_ENGINE_H
#define GV_ENGINE_H

#include "exact/distance.h"
#include "features/set.h"
#include "geodesic/geodesic.h"
#include "gpuvoronoi/experimental.h"
#include "gpuvoronoi/geometries.h"
#include "search/backend.h"
#include "voronoi/seeds.h"

struct gv_voronoi {
  gv_allocator allocator;
  gv_cells cells;
  gv_seed_set seeds;
  gv_feature_set
      *features; /* lines and polygons in place of points, for which the set has numbers and weights only */
  gv_geodesic geodesic; /* metric geodesic only */
  int32_t *label;       /* value to write for each seed of the set */
  int32_t nodata;
  int32_t k;           /* nearest seeds of each cell */
  double limit;        /* largest exact distance (unweighted) of a neighbor; INFINITY = none */
  double max_distance; /* the same in meters or units of the plane, as the caller gave it */
  gv_weigher weigher;
  /* How a squared chord (geodesic) or an exact distance compares with the limit: up to `within` it is inside,
   * above `beyond` it is outside, between them geod_inverse decides. Both are the limit for other metrics. */
  double within, beyond;
  int32_t block_width, block_height;
  const struct gv_engine *engine;
  const gv_backend *backend; /* requested or chosen */
  /* "auto": sizes decide whether a device is used, and one that fails is replaced by the CPU */
  bool automatic;
  void *state;
};

typedef struct gv_engine {
  gv_status (*create)(gv_context *context, gv_voronoi *voronoi, void **state);
  /* Cells of `tile`, which lies within one block, into block->out, as gv_voronoi_fill; of *block only mask,
   * out and their strides are used; they are checked. `uniform`: NULL, or 0, which may be set to 1 as by
   * gv_voronoi_fill. */
  gv_status (*block)(gv_context *context, const gv_voronoi *voronoi, void *state, const gv_tile *tile,
                     const gv_labels *block, int *uniform);
  void (*destroy)(const gv_voronoi *voronoi, void *state);
  /* The backend that is at work, where that can change; else NULL. */
  const gv_backend *(*backend)(const gv_voronoi *voronoi, void *state);
  /* A rectangle in a device's memory, checked and not empty; NULL: not supported. */
  gv_status (*device_strip)(gv_context *context, const gv_voronoi *voronoi, void *state,
                            const gv_labels *strip);
} gv_engine;

/* Writes nodata into all bands of the cells of a block that its mask leaves out. */
void gv_block_apply_mask(const gv_voronoi *voronoi, const gv_tile *tile, const gv_labels *block);

/* Blocks in a row of blocks, and such rows. */
int64_t gv_blocks_across(const gv_voronoi *voronoi);
int64_t gv_blocks_down(const gv_voronoi *voronoi);

/* The cells of block (column, row), which exists. */
gv_tile gv_tile_of_block(const gv_voronoi *voronoi, int64_t column, int64_t row);

/* Checks a rectangle of cells of a caller; replaces sizes of 0. Errors: INVALID_ARGUMENT if it is not within
 * the grid. */
gv_status gv_check_rectangle(gv_context *context, const gv_grid *grid, int64_t column, int64_t row,
                             int64_t *columns, int64_t *rows);

/* True if a rectangle is within one block. */
bool gv_within_block(const gv_voronoi *voronoi, const gv_tile *tile);

extern const gv_engine gv_engine_tile;
extern const gv_engine gv_engine_mesh;        /* its form for meshes and lists */
extern const gv_engine gv_engine_mesh_raster; /* and for lon/lat rasters of triangles */
extern const gv_engine gv_engine_points;
extern const gv_engine gv_engine_features; /* lines and polygons, for any grid */

/* The culling engine of the CPU for a kind of grid. */
const gv_engine *gv_tile_engine_for(const gv_grid *grid);

/* The culling engine on GPUs (voronoi/gpu/). */
extern const gv_engine gv_engine_cuda_tile;

/* Whether it would use them for a grid, which is prepared. */
bool gv_cuda_tile_pays(const gv_context *context, const gv_voronoi *voronoi);

#endif
