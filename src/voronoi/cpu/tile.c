/*
 * The culling engine for rasters.
 *
 * A tile's candidates are culled (see cull.h) and passed to the tile's four children, until one candidate is
 * left (a constant) or the tile is small enough to be decided cell by cell. No structure over the seeds is
 * needed; each seed is tested a few hundred times in total.
 *
 * A tree of tiles over the whole grid narrows the seeds down to each block once; blocks start from its lists.
 */
#include <string.h>

#include "cells/kind.h"
#include "voronoi/cpu/tile_tree.h"
#include "voronoi/cpu/tile_work.h"

enum {
  /* blocks up to this size are computed in a buffer if the raster's rows are pages apart */
  STAGED_BYTES = 1 << 22,
  PAGE_BYTES = 4096
};

typedef struct tile_state {
  const gv_kernels *kernels;
  gv_tile_tree tree;
  gv_discs *discs; /* NULL: not to be had */
  gv_workspace_pool pool;
} tile_state;

static void tile_destroy(const gv_voronoi *v, void *opaque) {
  tile_state *state = opaque;
  if (state == NULL) return;
  gv_tile_tree_clear(&state->tree);
  gv_discs_destroy(v, state->discs);
  gv_workspace_pool_clear(&state->pool);
  gv_release(&v->allocator, state);
}

static gv_status tile_create(gv_context *context, gv_voronoi *v, void **out) {
  tile_state *state = gv_allocate_zeroed(&v->allocator, 1, sizeof *state);
  if (state == NULL) return gv_fail_memory(context, "the engine");
  gv_workspace_pool_init(&state->pool);
  state->kernels = gv_kernels_get();
  gv_status status = gv_discs_create(context, v, &state->discs);
  if (status == GV_OK && (state->discs == NULL || state->discs->first == NULL))
    status = gv_tile_tree_build(context, v, state->kernels, &state->pool, &state->tree);
  if (status != GV_OK) {
    tile_destroy(v, state);
    return status;
  }
  *out = state;
  return GV_OK;
}

/* The seeds that may matter to the block at work; NULL: the first `count` of all. */
static const int32_t *seeds_of_block(const tile_state *state, const gv_tile_work *j, int32_t *count) {
  const gv_discs *discs = state->discs;
  if (discs != NULL && discs->first != NULL) {
    int64_t block =
        j->block.r0 / j->v->block_height * gv_blocks_across(j->v) + j->block.c0 / j->v->block_width;
    *count = (int32_t)(discs->first[block + 1] - discs->first[block]);
    return discs->seed + discs->first[block];
  }
  const gv_tile_node *node = gv_tile_tree_find(&state->tree, &j->block);
  *count = node->count;
  return node->id;
}

static gv_status solve_block(gv_context *context, tile_state *state, gv_tile_work *j) {
  const gv_voronoi *v = j->v;
  const gv_tile *tile = &j->block;
  GV_TRY(gv_mask_prepare(j));
  if (gv_mask_of_tile(j, tile) == GV_LEAVES_SOME) {
    gv_fill_nodata(j, tile);
    return GV_OK;
  }
  int32_t count;
  const int32_t *id = seeds_of_block(state, j, &count);
  if (count == 0) {
    gv_fill_nodata(j, tile);
    return GV_OK;
  }
  GV_TRY(gv_level_gather(v, j->space, 0, id, count));
  if (!gv_cells_have_tables(&v->cells)) GV_TRY(gv_points_prepare(context, j));
  return gv_solve_tile(context, j, tile, 1, &j->space->level[0].candidates);
}

/*
 * In a large raster every row of a tile is a page of its own, and tiles are narrow. So blocks are made in one
 * piece of memory, which fits a cache, and copied row by row.
 */
static gv_status stage(gv_tile_work *j, const gv_labels *block, gv_labels *target) {
  gv_workspace *space = j->space;
  int64_t columns = j->block.c1 - j->block.c0, cells = columns * (j->block.r1 - j->block.r0),
          all = j->v->k * cells;
  if (block->stride * (int64_t)sizeof *block->out < PAGE_BYTES || columns == j->v->cells.grid.width ||
      all * (int64_t)sizeof *block->out > STAGED_BYTES) {
    return GV_OK;
  }
  int32_t *out = gv_buffer_reserve(&space->stage, &space->allocator, all, sizeof *out);
  if (out == NULL) return gv_fail_memory(space->context, "a block");
  target->out = out;
  target->stride = columns;
  target->band_stride = cells;
  return GV_OK;
}

static void unstage(const gv_tile_work *j, const gv_labels *block) {
  const gv_labels *staged = j->target;
  int64_t columns = j->block.c1 - j->block.c0, rows = j->block.r1 - j->block.r0;
  if (staged->out == block->out) return;
  if (j->uniform != NULL && *j->uniform) columns = rows = 1;
  for (int32_t band = 0; band < j->v->k; band++) {
    for (int64_t r = 0; r < rows; r++) {
      memcpy(block->out + band * block->band_stride + r * block->stride,
             staged->out + band * staged->band_stride + r * staged->stride,
             (size_t)columns * sizeof *block->out);
    }
  }
}

static gv_status tile_block(gv_context *context, const gv_voronoi *v, void *opaque, const gv_tile *tile,
                            const gv_labels *block, int *uniform) {
  tile_state *state = opaque;
  gv_workspace *space = gv_workspace_acquire(context, &state->pool);
  if (space == NULL) return GV_ERROR_OUT_OF_MEMORY;
  gv_labels target = *block;
  bool gaps = gv_facts_of(&v->cells.grid)->may_lack_places;
  gv_tile_work j = {.v = v,
                    .kernels = state->kernels,
                    .discs = state->discs,
                    .space = space,
                    .block = *tile,
                    .target = &target,
                    .uniform = gaps ? NULL : uniform}; /* cells without a place are reset at the end */
  gv_status status = stage(&j, block, &target);
  if (status == GV_OK) status = solve_block(context, state, &j);
  if (status == GV_OK && gaps && j.lon != NULL) gv_drop_placeless(&j);
  if (status == GV_OK) unstage(&j, block);
  gv_workspace_release(&state->pool, space);
  return status;
}

const gv_engine gv_engine_tile = {tile_create, tile_block, tile_destroy, NULL, NULL};
