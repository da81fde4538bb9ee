/* Rectangles of a grid, wherever its blocks begin: by the host's threads, or left to an engine that works on a device. */
#include "voronoi/strip.h"

#include <string.h>

#include "core/given.h"
#include "core/parallel.h"
#include "gpuvoronoi_parts.h"

/* Blocks of a strip being made. */
typedef struct strip_work {
  const gv_voronoi *v;
  const gv_block_source *source;
  const gv_strip *strip;
  int64_t column, row, across; /* the first block, blocks in a row */
  gv_progress *progress;
} strip_work;

/* A block that the strip has only some cells of is made elsewhere. */
static gv_status cut_block(gv_context *context, const strip_work *w, const gv_tile *tile, const gv_tile *wanted,
                           const gv_block *block) {
  const gv_voronoi *v = w->v;
  int64_t width = tile->c1 - tile->c0, cells = width * (tile->r1 - tile->r0), columns = wanted->c1 - wanted->c0;
  int32_t *memory = gv_allocate(&context->allocator, cells * v->k, sizeof *memory);
  if (memory == NULL) return gv_fail_memory(context, "a block");
  gv_block whole = *block;
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
  const gv_strip *s = w->strip;
  gv_tile tile, wanted;
  gv_block block = GV_BLOCK_INIT;
  (void)end; /* one by one */
  block.column = w->column + number % w->across;
  block.row = w->row + number / w->across;
  gv_status status = gv_tile_of_block(&worker->context, w->v, block.column, block.row, &tile);
  if (status != GV_OK) return status;
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
  if (columns == tile.c1 - tile.c0 && rows == tile.r1 - tile.r0) {
    status = w->source->block(&worker->context, w->source->from, &tile, &block);
  } else {
    status = cut_block(&worker->context, w, &tile, &wanted, &block);
  }
  if (w->progress != NULL) gv_progress_add(w->progress, columns * rows);
  return status;
}

gv_status gv_strip_by_blocks(gv_context *context, const gv_voronoi *v, const gv_block_source *source,
                             const gv_strip *s, gv_progress *progress) {
  strip_work w = {v, source, s, s->column / v->block_width, s->row / v->block_height, 0, progress};
  w.across = (s->column + s->columns - 1) / v->block_width - w.column + 1;
  int64_t down = (s->row + s->rows - 1) / v->block_height - w.row + 1;
  gv_loop loop = {context, context->threads, w.across * down, 1, progress, &w};
  return gv_parallel_for(&loop, make_block);
}

/* What the grid's own engine answers. */
static gv_status block_of_engine(gv_context *context, void *from, const gv_tile *tile, const gv_block *block) {
  const gv_voronoi *v = from;
  return v->engine->block(context, v, v->state, tile, block);
}

gv_status gv_check_rectangle(gv_context *context, const gv_grid *grid, int64_t column, int64_t row,
                             int64_t *columns, int64_t *rows) {
  if (column < 0 || row < 0 || column >= grid->width || row >= grid->height || *columns < 0 || *rows < 0 ||
      *columns > grid->width - column || *rows > grid->height - row) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "%lld x %lld cells from %lld, %lld are not within the grid",
                   (long long)*columns, (long long)*rows, (long long)column, (long long)row);
  }
  if (*columns == 0) *columns = grid->width - column;
  if (*rows == 0) *rows = grid->height - row;
  return GV_OK;
}

static gv_status check_strip(gv_context *context, const gv_voronoi *v, gv_strip *s) {
  if (s->out == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "no place for a strip");
  if (s->memory != GV_MEMORY_HOST && s->memory != GV_MEMORY_CUDA)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "unknown kind of memory %d", (int)s->memory);
  gv_status status = gv_check_rectangle(context, &v->cells.grid, s->column, s->row, &s->columns, &s->rows);
  if (status != GV_OK) return status;
  if (s->stride < s->columns || (v->k > 1 && s->band_stride < s->columns)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "stride %lld is shorter than a row of the strip",
                   (long long)(s->stride < s->columns ? s->stride : s->band_stride));
  }
  if (s->mask != NULL && s->mask_stride < s->columns) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "the mask's stride %lld is shorter than a row of the strip",
                   (long long)s->mask_stride);
  }
  return GV_OK;
}

gv_status gv_voronoi_strip(gv_context *context, const gv_voronoi *v, const gv_strip *strip) {
  gv_strip s = GV_STRIP_INIT;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (v == NULL || strip == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "no grid, or no place for a strip");
  gv_take_given(&s, sizeof s, strip);
  gv_status status = check_strip(context, v, &s);
  if (status != GV_OK) return status;
  if (s.memory == GV_MEMORY_CUDA) {
    if (v->engine->device_strip != NULL) return v->engine->device_strip(context, v, v->state, &s);
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "backend '%s' gives no answers into a device's memory: use cuda-tile", gv_voronoi_backend(v));
  }
  gv_block_source source = {block_of_engine, (void *)v};
  gv_progress progress;
  gv_progress_init(&progress, context, s.columns * s.rows);
  return gv_strip_by_blocks(context, v, &source, &s, &progress);
}

gv_status gv_voronoi_compute_part(gv_context *context, const gv_voronoi *v, int32_t part, int32_t parts,
                                  int32_t *out, int64_t stride) {
  gv_strip s = GV_STRIP_INIT;
  gv_window window;
  gv_status status = gv_voronoi_part(context, v, part, parts, &window);
  if (status != GV_OK || window.width == 0 || window.height == 0) return status;
  if (out == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "no grid, or no place for it");
  if (stride < window.width) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "stride %lld is shorter than a row of the grid",
                   (long long)stride);
  }
  s.column = window.column;
  s.row = window.row;
  s.columns = window.width;
  s.rows = window.height;
  s.out = out;
  s.stride = stride;
  s.band_stride = stride * window.height;
  return gv_voronoi_strip(context, v, &s);
}

gv_status gv_voronoi_compute(gv_context *context, const gv_voronoi *v, int32_t *out, int64_t stride) {
  return gv_voronoi_compute_part(context, v, 0, 1, out, stride);
}
