/* Rectangles of a grid with any start: block by block, by the host's threads. */
#include "voronoi/strip.h"

#include <string.h>

#include "core/parallel.h"

/* Blocks of a strip being made. */
typedef struct strip_work {
  const gv_voronoi *v;
  const gv_strip_source *source;
  const gv_labels *strip;
  int64_t column, row, across; /* the first block, blocks in a row */
  gv_progress *progress;
} strip_work;

/* A block that the strip has only some cells of is made elsewhere. */
static gv_status cut_block(gv_context *context, const strip_work *w, const gv_tile *tile,
                           const gv_tile *wanted, const gv_labels *block) {
  const gv_voronoi *v = w->v;
  int64_t width = tile->c1 - tile->c0, cells = width * (tile->r1 - tile->r0),
          columns = wanted->c1 - wanted->c0;
  int32_t *memory = gv_allocate(&context->allocator, cells * v->k, sizeof *memory);
  if (memory == NULL) return gv_fail_memory(context, "a block");
  gv_labels whole = *block;
  whole.out = memory;
  whole.stride = width;
  whole.band_stride = cells;
  whole.mask = NULL;
  gv_status status = w->source->block(context, w->source->from, tile, &whole);
  for (int32_t k = 0; k < v->k && status == GV_OK; k++) {
    const int32_t *from = memory + k * cells + (wanted->r0 - tile->r0) * width + (wanted->c0 - tile->c0);
    for (int64_t r = 0; r < wanted->r1 - wanted->r0; r++) {
      memcpy(block->out + k * block->band_stride + r * block->stride, from + r * width,
             (size_t)columns * sizeof *from);
    }
  }
  gv_release(&context->allocator, memory);
  if (status == GV_OK) gv_block_apply_mask(v, wanted, block);
  return status;
}

static gv_status make_block(gv_worker *worker, int64_t number, int64_t end) {
  const strip_work *w = worker->user;
  const gv_labels *s = w->strip;
  gv_tile tile, wanted;
  gv_labels block;
  gv_labels_init(&block);
  (void)end; /* one by one */
  tile = gv_tile_of_block(w->v, w->column + number % w->across, w->row + number / w->across);
  wanted = tile;
  if (wanted.c0 < s->column) wanted.c0 = s->column;
  if (wanted.r0 < s->row) wanted.r0 = s->row;
  if (wanted.c1 > s->column + s->columns) wanted.c1 = s->column + s->columns;
  if (wanted.r1 > s->row + s->rows) wanted.r1 = s->row + s->rows;
  int64_t columns = wanted.c1 - wanted.c0, rows = wanted.r1 - wanted.r0;
  block.out = s->out + (wanted.r0 - s->row) * s->stride + (wanted.c0 - s->column);
  block.stride = s->stride;
  block.band_stride = s->band_stride;
  block.mask_stride = s->mask_stride;
  if (s->mask != NULL) block.mask = s->mask + (wanted.r0 - s->row) * s->mask_stride + (wanted.c0 - s->column);
  gv_status status = GV_OK;
  if (columns == tile.c1 - tile.c0 && rows == tile.r1 - tile.r0) {
    status = w->source->block(&worker->context, w->source->from, &tile, &block);
  } else {
    status = cut_block(&worker->context, w, &tile, &wanted, &block);
  }
  if (w->progress != NULL) gv_progress_add(w->progress, columns * rows);
  return status;
}

gv_status gv_strip_by_blocks(gv_context *context, const gv_voronoi *v, const gv_strip_source *source,
                             const gv_labels *s, gv_progress *progress) {
  strip_work w = {v, source, s, s->column / v->block_width, s->row / v->block_height, 0, progress};
  w.across = (s->column + s->columns - 1) / v->block_width - w.column + 1;
  int64_t down = (s->row + s->rows - 1) / v->block_height - w.row + 1;
  gv_loop loop = {context, context->threads, w.across * down, 1, progress, &w};
  return gv_parallel_for(&loop, make_block);
}
