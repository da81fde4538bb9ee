/* Answers of whole tiles, and masks. */
#include "voronoi/cpu/tile_work.h"

/* Writes one result, label[v->k] (NULL: nodata), into all cells of a block, without reading them. */
static void fill_block(const gv_voronoi *v, const gv_kernels *kernels, const gv_tile *tile,
                       const gv_labels *block, const int32_t *label) {
  for (int32_t band = 0; band < v->k; band++) {
    int32_t *out = block->out + band * block->band_stride;
    int64_t rows = tile->r1 - tile->r0, columns = tile->c1 - tile->c0;
    if (label != NULL) {
      kernels->fill(out, block->stride, rows, columns, label[band]);
    } else {
      kernels->clear(out, block->stride, rows, columns, v->nodata);
    }
  }
}

int32_t *gv_place_of_tile(const gv_tile_work *j, const gv_tile *tile) {
  return j->target->out + (tile->r0 - j->block.r0) * j->target->stride + (tile->c0 - j->block.c0);
}

/* The part of the block that a tile is. */
static gv_labels tile_fill_part_of(const gv_tile_work *j, const gv_tile *tile) {
  gv_labels part = *j->target;
  if (part.mask != NULL) part.mask += (tile->r0 - j->block.r0) * part.mask_stride + (tile->c0 - j->block.c0);
  part.out = gv_place_of_tile(j, tile);
  return part;
}

int gv_mask_of_tile(const gv_tile_work *j, const gv_tile *tile) {
  if (j->target->mask == NULL) return GV_KEEPS_SOME;
  int64_t c0 = (tile->c0 - j->block.c0) / GV_BOX_COLUMNS, r0 = (tile->r0 - j->block.r0) / GV_BOX_ROWS;
  int64_t c1 = (tile->c1 - j->block.c0 + GV_BOX_COLUMNS - 1) / GV_BOX_COLUMNS;
  int64_t r1 = (tile->r1 - j->block.r0 + GV_BOX_ROWS - 1) / GV_BOX_ROWS;
  const uint8_t *box = j->space->mask_boxes.memory;
  int state = 0;
  for (int64_t r = r0; r < r1 && state != (GV_KEEPS_SOME | GV_LEAVES_SOME); r++) {
    for (int64_t c = c0; c < c1; c++)
      state |= box[r * j->mask_columns + c];
  }
  return state;
}

/* Writes one result into a tile, ignoring the mask; for a whole block setting *uniform may be enough. */
static void write_tile(const gv_tile_work *j, const gv_tile *tile, const int32_t *label) {
  gv_labels part = tile_fill_part_of(j, tile);
  gv_tile cells = *tile;
  if (j->uniform != NULL && cells.c1 - cells.c0 == j->block.c1 - j->block.c0 &&
      cells.r1 - cells.r0 == j->block.r1 - j->block.r0) {
    *j->uniform = 1;
    cells.c1 = cells.c0 + 1;
    cells.r1 = cells.r0 + 1;
  }
  fill_block(j->v, j->kernels, &cells, &part, label);
}

void gv_fill_nodata(const gv_tile_work *j, const gv_tile *tile) {
  write_tile(j, tile, NULL);
}

/*
 * Processes a tile with masked cells by stretches of equal boxes: nodata where all cells are masked;
 * elsewhere the result `label` if not NULL, else the cells are unchanged.
 */
static void write_masked(const gv_tile_work *j, const gv_tile *tile, const int32_t *label) {
  const uint8_t *boxes = j->space->mask_boxes.memory;
  for (int64_t r = tile->r0; r < tile->r1; r += GV_BOX_ROWS) {
    int64_t below = r + GV_BOX_ROWS < tile->r1 ? r + GV_BOX_ROWS : tile->r1;
    const uint8_t *box = boxes + (r - j->block.r0) / GV_BOX_ROWS * j->mask_columns;
    for (int64_t c = tile->c0, end; c < tile->c1; c = end) {
      int state = box[(c - j->block.c0) / GV_BOX_COLUMNS];
      for (end = c + GV_BOX_COLUMNS; end < tile->c1; end += GV_BOX_COLUMNS)
        if (box[(end - j->block.c0) / GV_BOX_COLUMNS] != state) break;
      gv_tile stretch = {c, end < tile->c1 ? end : tile->c1, r, below};
      gv_labels part = tile_fill_part_of(j, &stretch);
      if (state == GV_LEAVES_SOME) {
        fill_block(j->v, j->kernels, &stretch, &part, NULL);
      } else {
        if (label != NULL) fill_block(j->v, j->kernels, &stretch, &part, label);
        if (state != GV_KEEPS_SOME) gv_block_apply_mask(j->v, &stretch, &part);
      }
    }
  }
}

void gv_mask_tile(const gv_tile_work *j, const gv_tile *tile) {
  if (gv_mask_of_tile(j, tile) != GV_KEEPS_SOME) write_masked(j, tile, NULL);
}

void gv_fill_tile(const gv_tile_work *j, const gv_tile *tile, const int32_t *label) {
  if (gv_mask_of_tile(j, tile) == GV_KEEPS_SOME) {
    write_tile(j, tile, label);
  } else {
    write_masked(j, tile, label);
  }
}

gv_status gv_mask_prepare(gv_tile_work *j) {
  gv_workspace *space = j->space;
  int64_t columns = j->block.c1 - j->block.c0, rows = j->block.r1 - j->block.r0;
  if (j->target->mask == NULL) return GV_OK;
  j->mask_columns = (columns + GV_BOX_COLUMNS - 1) / GV_BOX_COLUMNS;
  int64_t boxes = j->mask_columns * ((rows + GV_BOX_ROWS - 1) / GV_BOX_ROWS);
  uint8_t *box = gv_buffer_reserve(&space->mask_boxes, &space->allocator, boxes, 1);
  if (box == NULL) return gv_fail_memory(space->context, "a summary of the mask");
  j->kernels->summarize(j->target->mask, j->target->mask_stride, rows, columns, box, j->mask_columns);
  return GV_OK;
}
