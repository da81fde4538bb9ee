/* Blocks of a grid: how many there are, their cells, which of them are a part, what masks leave out. */
#include <string.h>

#include "cells/parts.h"
#include "gpuvoronoi/experimental.h"
#include "voronoi/engine.h"

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t blocks_in(int64_t cells, int64_t side) {
  return (cells + side - 1) / side;
}

int64_t gv_blocks_across(const gv_voronoi *v) {
  return blocks_in(v->cells.grid.width, v->block_width);
}

int64_t gv_blocks_down(const gv_voronoi *v) {
  return blocks_in(v->cells.grid.height, v->block_height);
}

void gv_voronoi_block_size(const gv_voronoi *v, int64_t *width, int64_t *height) {
  if (width != NULL) *width = v != NULL ? v->block_width : 0;
  if (height != NULL) *height = v != NULL ? v->block_height : 0;
}

/* Some of `cells` in a row, whole blocks of `side`. */
static void choose_cells(int64_t cells, int64_t side, int32_t part, int32_t parts, int64_t *first,
                         int64_t *count) {
  int64_t blocks = blocks_in(cells, side);
  *first = least(part * blocks / parts * side, cells);
  *count = least((part + 1) * blocks / parts * side, cells) - *first;
}

gv_status gv_voronoi_part(gv_context *context, const gv_voronoi *v, int32_t part, int32_t parts,
                          gv_labels *labels) {
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (v == NULL || labels == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "grid or part: the pointer is NULL");
  if (part < 0 || part >= parts)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "part: out of range (number %d from 0, of %d)",
                   (int)part, (int)parts);
  const gv_grid *grid = &v->cells.grid;
  labels->column = labels->row = 0;
  labels->columns = grid->width;
  labels->rows = grid->height;
  if (gv_grid_is_list(grid)) {
    choose_cells(grid->width, v->block_width, part, parts, &labels->column, &labels->columns);
  } else {
    choose_cells(grid->height, v->block_height, part, parts, &labels->row, &labels->rows);
  }
  return GV_OK;
}

gv_tile gv_tile_of_block(const gv_voronoi *v, int64_t column, int64_t row) {
  gv_tile tile = {column * v->block_width, (column + 1) * v->block_width, row * v->block_height,
                  (row + 1) * v->block_height};
  if (tile.c1 > v->cells.grid.width) tile.c1 = v->cells.grid.width;
  if (tile.r1 > v->cells.grid.height) tile.r1 = v->cells.grid.height;
  return tile;
}

gv_status gv_check_rectangle(gv_context *context, const gv_grid *grid, int64_t column, int64_t row,
                             int64_t *columns, int64_t *rows) {
  if (column < 0 || row < 0 || column >= grid->width || row >= grid->height || *columns < 0 || *rows < 0 ||
      *columns > grid->width - column || *rows > grid->height - row) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "block: %lld x %lld cells from (%lld, %lld) are outside the grid", (long long)*columns,
                   (long long)*rows, (long long)column, (long long)row);
  }
  if (*columns == 0) *columns = grid->width - column;
  if (*rows == 0) *rows = grid->height - row;
  return GV_OK;
}

bool gv_within_block(const gv_voronoi *v, const gv_tile *tile) {
  return tile->c0 / v->block_width == (tile->c1 - 1) / v->block_width &&
         tile->r0 / v->block_height == (tile->r1 - 1) / v->block_height;
}

/* True if one of eight mask bytes is 0. */
static bool any_left_out(const uint8_t *mask) {
  uint64_t word;
  memcpy(&word, mask, sizeof word);
  return ((word - UINT64_C(0x0101010101010101)) & ~word & UINT64_C(0x8080808080808080)) != 0;
}

void gv_block_apply_mask(const gv_voronoi *v, const gv_tile *tile, const gv_labels *block) {
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
