/*
 * A strip is cut into pieces of as many cells as a device has room for besides. While what one leaves open is
 * decided, the next is computed.
 */
#include "voronoi/pipeline/device_strips.h"

#include <string.h>

#include "core/array_options.h"
#include "search/arrays.h"
#include "voronoi/pipeline/open_cells.h"

enum {
  MOST_CELLS = 1 << 30,   /* of a piece, and of the rows of the caller's that it spans */
  LEAST_CELLS = 1 << 20,  /* however little memory there is */
  WIDEST_STRIDE = 1 << 28 /* of pieces of several rows */
};

void gv_device_strips_init(gv_device_strips *d, const gv_context *context, gv_strip_source cpu) {
  memset(d, 0, sizeof *d);
  d->cpu = cpu;
  pthread_mutex_init(&d->lock, NULL);
  gv_context_for_worker(context, &d->context);
}

static void close_raster(gv_device_strips *d) {
  if (d->raster != NULL) d->device->close(&d->context, d->raster);
  d->raster = NULL;
}

void gv_device_strips_clear(gv_device_strips *d) {
  close_raster(d);
  pthread_mutex_destroy(&d->lock);
}

/* A raster on the device that the caller's array lies on. */
static gv_status need_raster(gv_device_strips *d, const gv_voronoi *v, int number) {
  const char *reason;
  if (d->raster != NULL && d->number == number) return GV_OK;
  close_raster(d);
  d->device = gv_cuda_module_get(&reason)->raster;
  d->number = number;
  d->most = MOST_CELLS;
  gv_status status = d->device->open(&d->context, v, number, &d->most, &d->raster);
  if (status != GV_OK) d->raster = NULL;
  if (d->most < LEAST_CELLS) d->most = LEAST_CELLS;
  return status;
}

/* Division of a strip into pieces. */
typedef struct pieces {
  const gv_labels *strip;
  int64_t columns, rows, across, count;
} pieces;

static pieces device_strips_cut(const gv_labels *s, int64_t most) {
  pieces p = {s, s->columns < most ? s->columns : most, 1, 0, 0};
  if (p.columns < s->columns) p.columns -= p.columns % GV_CUDA_MESH_LEAF;
  int64_t rows = s->stride <= WIDEST_STRIDE ? MOST_CELLS / s->stride : 1;
  if (rows > most / p.columns) rows = most / p.columns;
  if (rows > 64) rows -= rows % 64; /* whole tiles of cells */
  p.rows = rows < 1 ? 1 : rows < s->rows ? rows : s->rows;
  p.across = (s->columns + p.columns - 1) / p.columns;
  p.count = p.across * ((s->rows + p.rows - 1) / p.rows);
  return p;
}

static gv_labels piece_of(const pieces *p, int64_t number) {
  gv_labels s = *p->strip;
  int64_t column = number % p->across * p->columns, row = number / p->across * p->rows;
  s.column += column;
  s.row += row;
  s.columns = p->strip->columns - column < p->columns ? p->strip->columns - column : p->columns;
  s.rows = p->strip->rows - row < p->rows ? p->strip->rows - row : p->rows;
  s.out += row * s.stride + column;
  if (s.mask != NULL) s.mask += row * s.mask_stride + column;
  return s;
}

/* A piece that the device leaves to the CPUs: some rows at a time, through host memory. */
static gv_status put_piece(gv_device_strips *d, const gv_voronoi *v, const gv_labels *piece) {
  gv_context *context = &d->context;
  int64_t rows = v->block_height < piece->rows ? v->block_height : piece->rows;
  int32_t *memory = gv_allocate(&context->allocator, rows * piece->columns * v->k, sizeof *memory);
  gv_status status = memory != NULL ? GV_OK : gv_fail_memory(context, "cells for a device");
  for (int64_t first = 0; first < piece->rows && status == GV_OK; first += rows) {
    gv_labels there = *piece, here;
    gv_labels_init(&here);
    there.row = piece->row + first;
    there.rows = piece->rows - first < rows ? piece->rows - first : rows;
    there.out += first * there.stride;
    if (there.mask != NULL) there.mask += first * there.mask_stride;
    here.column = there.column;
    here.row = there.row;
    here.columns = here.stride = there.columns;
    here.rows = there.rows;
    here.out = memory;
    here.band_stride = here.columns * here.rows;
    status = gv_strip_by_blocks(context, v, &d->cpu, &here, NULL);
    if (status == GV_OK) status = d->device->put(context, d->raster, &there, memory);
  }
  gv_release(&context->allocator, memory);
  return status;
}

/* Waits for a piece and makes it complete. */
static gv_status device_strips_finish(gv_device_strips *d, const gv_voronoi *v, int buffer,
                                      const gv_labels *piece) {
  gv_open_cells open;
  gv_status status = d->device->finish(&d->context, d->raster, buffer, &open);
  if (status == GV_OK && open.overflow) return put_piece(d, v, piece);
  if (status == GV_OK && open.count > 0)
    status = gv_open_cells_deliver(&d->context, v, d->device, d->raster, buffer, &open);
  return status == GV_OK ? d->device->deliver(&d->context, d->raster, buffer) : status;
}

/* `progress`: may be NULL. */
static gv_status device_strips_fill(gv_device_strips *d, const gv_voronoi *v, const pieces *all,
                                    gv_progress *progress) {
  gv_labels piece[GV_CUDA_STRIPS];
  int64_t started = 0, done = 0;
  gv_status status = GV_OK;
  while (done < all->count && status == GV_OK) {
    for (; started < all->count && started < done + GV_CUDA_STRIPS && status == GV_OK; started++) {
      int buffer = (int)(started % GV_CUDA_STRIPS);
      piece[buffer] = piece_of(all, started);
      status = d->device->start_at(&d->context, d->raster, buffer, &piece[buffer]);
    }
    if (status != GV_OK) break;
    int buffer = (int)(done++ % GV_CUDA_STRIPS);
    status = device_strips_finish(d, v, buffer, &piece[buffer]);
    if (status == GV_OK && progress != NULL && !gv_progress_add(progress, 1))
      status = gv_fail(&d->context, GV_ERROR_CANCELLED, "cancelled");
  }
  return status;
}

gv_status gv_device_strips_run(gv_context *context, gv_device_strips *d, const gv_voronoi *v, void *stream,
                               const void *const *array, int count, gv_device_task *task, void *user) {
  gv_arrays arrays;
  GV_TRY(gv_arrays_begin(context, GV_MEMORY_CUDA, stream, array, count, &arrays));
  pthread_mutex_lock(&d->lock);
  d->context.threads = context->threads;
  gv_status status = need_raster(d, v, arrays.device);
  if (status == GV_OK) status = task(d, v, user);
  if (status != GV_OK) {
    memcpy(context->message, d->context.message, sizeof context->message);
    close_raster(d); /* which waits for started work */
  }
  pthread_mutex_unlock(&d->lock);
  gv_arrays_end(context, &arrays);
  return status;
}

gv_status gv_device_strips_fill_locked(gv_device_strips *d, const gv_voronoi *v, const gv_labels *strip) {
  pieces all = device_strips_cut(strip, d->most);
  return device_strips_fill(d, v, &all, NULL);
}

/* A strip being filled. */
typedef struct strips_filling {
  const gv_labels *strip;
  const gv_context *caller; /* receives progress */
} strips_filling;

static gv_status fill_strip(gv_device_strips *d, const gv_voronoi *v, void *user) {
  const strips_filling *f = user;
  pieces all = device_strips_cut(f->strip, d->most);
  gv_progress progress;
  gv_progress_init(&progress, f->caller, all.count);
  return device_strips_fill(d, v, &all, &progress);
}

gv_status gv_device_strips_fill(gv_context *context, gv_device_strips *d, const gv_voronoi *v,
                                const gv_labels *strip) {
  const void *const given[] = {strip->out, strip->mask};
  strips_filling f = {strip, context};
  return gv_device_strips_run(context, d, v, gv_stream_of(strip->array_options), given, 2, fill_strip, &f);
}
