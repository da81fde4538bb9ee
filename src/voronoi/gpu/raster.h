/*
 * One device's share of a raster: strips of blocks computed in device memory, and read back piece by piece.
 * The CUDA interface of the engine (pipeline/cuda_tile.c). All calls of one gv_cuda_raster come from one
 * thread, which holds its queue.
 */
#ifndef GV_CUDA_RASTER_H
#define GV_CUDA_RASTER_H

#include "cells/facts.h"
#include "voronoi/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  GV_CUDA_STRIPS = 2,      /* in device memory at once */
  GV_CUDA_MESH_LEAF = 1024 /* cells of the mesh that are decided together */
};

typedef struct gv_cuda_raster gv_cuda_raster;

/* Cells left open by the geodesic filter: where they are, which seeds may own them. */
typedef struct gv_open_cell {
  int64_t column, row;
  int64_t at;   /* in the strip */
  int64_t list; /* first of its candidates in `id` */
  int32_t count, unused;
} gv_open_cell;

typedef struct gv_open_cells {
  const gv_open_cell *cell;
  const int32_t *id; /* numbers among the distinct seeds, in no order */
  int64_t count;
  bool overflow; /* too many, or lists of candidates too long: the strip must be computed otherwise */
} gv_open_cells;

/* Blocks in memory: no larger than the grid needs, in whole quads (cells of the grid's edge that are in no
 * quad are never read). */
static inline void gv_cuda_raster_block(const gv_voronoi *v, int64_t *width, int64_t *height) {
  const bool list = gv_grid_is_list(&v->cells.grid);
  int64_t quad = list ? 1 : 64;
  int64_t w = (v->cells.grid.width + quad - 1) / quad * quad,
          h = (v->cells.grid.height + quad - 1) / quad * quad;
  *width = v->block_width < w ? v->block_width : w;
  *height = list ? 1 : v->block_height < h ? v->block_height : h;
}

enum { GV_CUDA_MOST_K = 64 }; /* neighbors of a cell that devices find */

/* Lists that are sorted on the device, whole. */
#define GV_CUDA_MOST_UNORDERED (INT64_C(1) << 30)

/* What a device supports of a grid. Positions of projected grids are computed by the host, which takes longer
 * than everything else. */
static inline bool gv_cuda_raster_supports(const gv_voronoi *v) {
  return v->weigher.weighting == GV_UNWEIGHTED && v->cells.grid.kind != GV_GRID_PROJECTED &&
         v->k <= GV_CUDA_MOST_K &&
         (!gv_grid_is_unordered(&v->cells.grid) || v->cells.grid.width <= GV_CUDA_MOST_UNORDERED);
}

/* Lists other than QTM have a table of the positions of all cells on the device, from which only labels are
 * computed. */
static inline bool gv_cuda_raster_has_places(const gv_voronoi *v) {
  return gv_grid_is_list(&v->cells.grid) && v->cells.grid.kind != GV_GRID_QTM;
}

/* Whether distances and statistics are supported too. */
static inline bool gv_cuda_raster_measures(const gv_voronoi *v) {
  return gv_cuda_raster_supports(v) && !gv_cuda_raster_has_places(v);
}

/*
 * Takes a queue on `device`, copies seeds and tables there and narrows the seeds for large tiles.
 * *strip_cells: in, the largest strip needed; out, the largest that fits in the device's memory (times k).
 * NULL: no labels are computed, only distances (gpu/distances.h). Errors: OUT_OF_MEMORY, UNAVAILABLE, DEVICE.
 */
gv_status gv_cuda_raster_open(gv_context *context, const gv_voronoi *v, int device, int64_t *strip_cells,
                              gv_cuda_raster **out);
void gv_cuda_raster_close(gv_context *context, gv_cuda_raster *raster);

/* Starts to compute a rectangle of whole blocks (or up to the grid's edge) into strip buffer 0 ...
 * GV_CUDA_STRIPS - 1. */
gv_status gv_cuda_raster_start(gv_context *context, gv_cuda_raster *raster, int strip, const gv_tile *cells);

/* Waits for it. `open`: cells that the host must decide, valid until the next call of this function. */
gv_status gv_cuda_raster_finish(gv_context *context, gv_cuda_raster *raster, int strip, gv_open_cells *open);

/* Writes the host's decisions into the strip: value[k * count + i] as neighbor k of cell at[i]. */
gv_status gv_cuda_raster_patch(gv_context *context, gv_cuda_raster *raster, int strip, const int64_t *at,
                               const int32_t *value, int64_t count);

/*
 * The same with results that stay on the device. `part` is a strip with `out` in memory of the raster's
 * device: results and the host's decisions are written there, and are complete, with the mask applied, after
 * deliver. Rows are counted in 32 bits: (rows - 1) x stride and columns are below 2^31. deliver reads the
 * mask.
 */
gv_status gv_cuda_raster_start_at(gv_context *context, gv_cuda_raster *raster, int strip,
                                  const gv_labels *part);
gv_status gv_cuda_raster_deliver(gv_context *context, gv_cuda_raster *raster, int strip);

/* Writes a part that the host computed instead of the device: band after band, row after row without gaps. */
gv_status gv_cuda_raster_put(gv_context *context, gv_cuda_raster *raster, const gv_labels *part,
                             const int32_t *from);

/*
 * Copies cells first ... first + count - 1 of each band into page-locked memory of slot `slot`: band k at
 * (*out)[k
 * * count]. Cells are counted block after block, each of block_width x block_height. The memory stays the
 * raster's.
 */
gv_status gv_cuda_raster_fetch(gv_context *context, gv_cuda_raster *raster, int strip, int64_t first,
                               int64_t count, int slot, const int32_t **out);

/* These functions as the engine reaches them: they are in the CUDA module (search/cuda_module.h). */
typedef struct gv_raster_device {
  gv_status (*open)(gv_context *context, const gv_voronoi *v, int device, int64_t *strip_cells,
                    gv_cuda_raster **out);
  void (*close)(gv_context *context, gv_cuda_raster *raster);
  gv_status (*start)(gv_context *context, gv_cuda_raster *raster, int strip, const gv_tile *cells);
  gv_status (*finish)(gv_context *context, gv_cuda_raster *raster, int strip, gv_open_cells *open);
  gv_status (*patch)(gv_context *context, gv_cuda_raster *raster, int strip, const int64_t *at,
                     const int32_t *value, int64_t count);
  gv_status (*fetch)(gv_context *context, gv_cuda_raster *raster, int strip, int64_t first, int64_t count,
                     int slot, const int32_t **out);
  gv_status (*start_at)(gv_context *context, gv_cuda_raster *raster, int strip, const gv_labels *part);
  gv_status (*deliver)(gv_context *context, gv_cuda_raster *raster, int strip);
  gv_status (*put)(gv_context *context, gv_cuda_raster *raster, const gv_labels *part, const int32_t *from);
} gv_raster_device;

#ifdef __cplusplus
}
#endif

#endif
