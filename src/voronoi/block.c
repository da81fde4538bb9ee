/* Blocks of a grid: how many there are, their cells, which of them are a part, what masks leave out. */
#include <string.h>

#include "gpuvoronoi/experimental.h"
#include "voronoi/engine.h"

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t blocks_in(int64_t cells, int64_t side) {
  return (cells + side - 1) / side;
}

int64_t gv_voronoi_blocks_across(const gv_voronoi *v) {
  return v != NULL ? blocks_in(v->cells.grid.width, v->block_width) : 0;
}

int64_t gv_voronoi_blocks_down(const gv_voronoi *v) {
  return v != NULL ? blocks_in(v->cells.grid.height, v->block_height) : 0;
}

/* Some of `cells` in a row, whole blocks of `side`. */
static void choose_cells(int64_t cells, int64_t side, int32_t part, int32_t parts, int64_t *first, int64_t *count) {
  int64_t blocks = blocks_in(cells, side);
  *first = least(part * blocks / parts * side, cells);
  *count = least((part + 1) * blocks / parts * side, cells) - *first;
}

gv_status gv_voronoi_part(gv_context *context, const gv_voronoi *v, int32_t part, int32_t parts, gv_window *out) {
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (v == NULL || out == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "no grid, or no place for its part");
  if (part < 0 || part >= parts)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "there is no part %d (from 0) of %d", (int)part, (int)parts);
  const gv_grid *grid = &v->cells.grid;
  gv_window window = {0, 0, grid->width, grid->height};
  if (grid->kind == GV_GRID_QTM) {
    choose_cells(grid->width, v->block_width, part, parts, &window.column, &window.width);
  } else {
    choose_cells(grid->height, v->block_height, part, parts, &window.row, &window.height);
  }
  *out = window;
  return GV_OK;
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
