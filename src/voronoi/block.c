/* Blocks of a grid: how many there are, their cells, and what masks leave out of them. */
#include <string.h>

#include "voronoi/engine.h"

int64_t gv_voronoi_blocks_across(const gv_voronoi *v) {
  return v != NULL ? (v->cells.grid.width + v->block_width - 1) / v->block_width : 0;
}

int64_t gv_voronoi_blocks_down(const gv_voronoi *v) {
  return v != NULL ? (v->cells.grid.height + v->block_height - 1) / v->block_height : 0;
}

gv_status gv_tile_of_block(gv_context *context, const gv_voronoi *v, int64_t column, int64_t row, gv_tile *out) {
  if (column < 0 || row < 0 || column >= gv_voronoi_blocks_across(v) || row >= gv_voronoi_blocks_down(v)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "there is no block %lld, %lld", (long long)column,
                   (long long)row);
  }
  gv_tile tile = {column * v->block_width, (column + 1) * v->block_width, row * v->block_height,
                  (row + 1) * v->block_height};
  if (tile.c1 > v->cells.grid.width) tile.c1 = v->cells.grid.width;
  if (tile.r1 > v->cells.grid.height) tile.r1 = v->cells.grid.height;
  *out = tile;
  return GV_OK;
}

/* True if one of eight mask bytes is 0. */
static bool any_left_out(const uint8_t *mask) {
  uint64_t word;
  memcpy(&word, mask, sizeof word);
  return ((word - UINT64_C(0x0101010101010101)) & ~word & UINT64_C(0x8080808080808080)) != 0;
}

void gv_block_apply_mask(const gv_voronoi *v, const gv_tile *tile, const gv_block *block) {
  if (block->mask == NULL) return;
  int64_t columns = tile->c1 - tile->c0;
  for (int32_t band = 0; band < v->k; band++) {
    for (int64_t r = 0; r < tile->r1 - tile->r0; r++) {
      int32_t *out = block->out + band * block->band_stride + r * block->stride;
      const uint8_t *mask = block->mask + r * block->mask_stride;
      for (int64_t first = 0; first < columns; first += 8) {
        int64_t end = first + 8 < columns ? first + 8 : columns;
        if (end == first + 8 && !any_left_out(mask + first)) continue;
        for (int64_t c = first; c < end; c++)
          out[c] = mask[c] != 0 ? out[c] : v->nodata;
      }
    }
  }
}
