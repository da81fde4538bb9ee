/*
 * Strips: rectangles of whole blocks, computed in device memory from the root's lists down and read back
 * piece by piece; and rectangles with results in the caller's device memory. The latter are targets of one
 * block, as wide as the caller's stride.
 */
#include <string.h>

#include "voronoi/gpu/raster_state.cuh"

enum { MOST_OPEN = 1 << 24 /* cells of a strip for the host to decide: 0.7 GB of page-locked memory */ };

namespace gv {

/* Writes the host's decisions, band after band, to their cells. */
__global__ void patch_cells(int32_t *out, int64_t band_stride, const int64_t *at, const int32_t *value,
                            int64_t count, int32_t neighbors) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count * neighbors) out[at[i % count] + i / count * band_stride] = value[i];
}

/* nodata for cells that a mask leaves out. */
__global__ void leave_out(gv_labels to, int32_t neighbors, int32_t nodata) {
  int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < to.columns * to.rows; i += step) {
    int64_t column = i % to.columns, row = i / to.columns;
    if (to.mask[row * to.mask_stride + column] != 0) continue;
    for (int32_t k = 0; k < neighbors; k++)
      to.out[k * to.band_stride + row * to.stride + column] = nodata;
  }
}

} // namespace gv

static int64_t cells_of(const gv_tile *t) {
  return (t->c1 - t->c0) * (t->r1 - t->r0);
}

/* Launches the kernel for this kind of raster over the cells of a strip. */
static void launch_leaves(const leaf_launch *l) {
  const gv_cuda_raster *raster = l->raster;
  if (raster->form == gv::MESH || raster->form == gv::PLACES) {
    gv_cuda_launch_mesh_leaves(l);
  } else if (raster->filter) {
    gv_cuda_launch_filter_leaves(l);
  } else if (raster->form == gv::PLANE || raster->form == gv::ROTATED) {
    gv_cuda_launch_plane_leaves(l);
  } else {
    gv_cuda_launch_globe_leaves(l);
  }
}

/* Launches everything for a strip; its buffers are there. */
static gv_status launch_strip(gv_context *context, gv_cuda_raster *raster, int number) {
  gv_status status;
  gv_cuda_queue *queue = raster->queue;
  cudaStream_t stream = queue->stream;
  strip_state *strip = &raster->strip[number];
  int32_t *pool = (int32_t *)queue->buffer[SLOT_POOL + number].data;
  gv::entry *entries = (gv::entry *)queue->buffer[SLOT_ENTRIES + number].data;
  gv::counters *counters = (gv::counters *)queue->buffer[SLOT_COUNTERS].data + number;
  gv::counters *pinned = (gv::counters *)queue->pinned[PINNED_COUNTERS].data + number;
  gv::level parent = raster->root;
  gv::open_list open = {(gv::open_cell *)queue->buffer[SLOT_OPEN + number].data,
                        (int32_t *)queue->buffer[SLOT_OPEN_IDS + number].data, strip->open_capacity,
                        strip->open_id_capacity};
  const leaf_launch leaves = {raster, strip, &parent, &open, counters};
  gv_cuda_mark_begin(queue);
  GV_CUDA_TRY(context, cudaMemsetAsync(counters, 0, sizeof *counters, stream), "clearing counters");
  for (int i = 0; i < raster->steps; i++) {
    gv::level child = window(&strip->cells, raster->step[i]);
    child.entries = entries;
    child.pool = pool;
    entries += window_tiles(&child);
    gv_cuda_launch_cull(raster, &parent, &child, pool, strip->pool_capacity, counters);
    GV_CUDA_LAUNCHED(context, "culling");
    parent = child;
  }
  launch_leaves(&leaves);
  GV_CUDA_LAUNCHED(context, "deciding cells");
  gv_cuda_mark_end(queue);
  GV_CUDA_TRY(context, cudaMemcpyAsync(pinned, counters, sizeof *counters, cudaMemcpyDeviceToHost, stream),
              "reading counters");
done:
  return status;
}

static gv_status reserve_pool(gv_context *context, gv_cuda_raster *raster, int number, size_t entries) {
  void *memory = NULL;
  gv_status status =
      gv_cuda_reserve(context, raster->queue, SLOT_POOL + number, entries * sizeof(int32_t), &memory);
  if (status == GV_OK)
    raster->strip[number].pool_capacity = raster->queue->buffer[SLOT_POOL + number].bytes / sizeof(int32_t);
  return status;
}

/* Room for cells that the host is to decide, and for their candidates. */
static gv_status reserve_open(gv_context *context, gv_cuda_raster *raster, int number, size_t cells,
                              size_t ids) {
  gv_cuda_queue *queue = raster->queue;
  void *memory = NULL;
  strip_state *strip = &raster->strip[number];
  gv_status status =
      gv_cuda_reserve(context, queue, SLOT_OPEN + number, cells * sizeof(gv::open_cell), &memory);
  if (status == GV_OK)
    status = gv_cuda_reserve(context, queue, SLOT_OPEN_IDS + number, ids * sizeof(int32_t), &memory);
  if (status != GV_OK) return status;
  strip->open_capacity = queue->buffer[SLOT_OPEN + number].bytes / sizeof(gv::open_cell);
  strip->open_id_capacity = queue->buffer[SLOT_OPEN_IDS + number].bytes / sizeof(int32_t);
  return GV_OK;
}

/* True if a strip is left to the CPU: it has so many undecided cells (one in 16 and more), or their candidate
 * lists are so long, that copying them costs more than it saves. */
static bool too_many_open(const strip_state *strip, const gv::counters *counters) {
  unsigned long long most = (unsigned long long)(cells_of(&strip->cells) / 16) + 65536;
  if (most > MOST_OPEN) most = MOST_OPEN;
  return counters->open > most || counters->open_ids > 4 * most;
}

/* Grows the buffers that were too small for a strip, according to its counters. False: none was, or the strip
 * is left to the CPU. */
static bool gpu_strips_grow(gv_context *context, gv_cuda_raster *raster, int number,
                            const gv::counters *counters, bool *overflow, gv_status *status) {
  const strip_state *strip = &raster->strip[number];
  bool lists = counters->pool > strip->pool_capacity;
  bool open = counters->open > strip->open_capacity || counters->open_ids > strip->open_id_capacity;
  *overflow =
      counters->pool > (unsigned long long)gv_cuda_most_entries(raster) || too_many_open(strip, counters);
  if (*overflow || (!lists && !open)) return false;
  /* Lists that did not fit were not narrowed further: more space may be needed than counted. */
  if (lists) *status = reserve_pool(context, raster, number, (size_t)counters->pool * 2);
  if (*status == GV_OK && open) {
    *status = reserve_open(context, raster, number, (size_t)counters->open + (size_t)counters->open / 4,
                           (size_t)counters->open_ids + (size_t)counters->open_ids / 4);
  }
  return *status == GV_OK;
}

/* Reserves memory for a strip except its results; its target and its launch are made. */
static gv_status gpu_strips_start(gv_context *context, gv_cuda_raster *raster, int number) {
  const gv_voronoi *v = raster->v;
  gv_cuda_queue *queue = raster->queue;
  strip_state *strip = &raster->strip[number];
  int64_t entries = 0;
  double lists = 0.0;
  void *memory = NULL;
  for (int i = 0; i < raster->steps; i++) {
    gv::level l = window(&strip->cells, raster->step[i]);
    entries += window_tiles(&l);
    lists += (double)window_tiles(&l) * gv_cuda_list_length(v, l.log);
  }
  gv_status status = gv_cuda_reserve(context, queue, SLOT_ENTRIES + number,
                                     (size_t)(entries + 1) * sizeof(gv::entry), &memory);
  if (status == GV_OK)
    status = reserve_pool(context, raster, number, (size_t)(1.5 * lists) + ((size_t)1 << 20));
  if (status == GV_OK) status = gv_cuda_reserve_counters(context, queue);
  strip->open_capacity = strip->open_id_capacity = 0;
  if (status == GV_OK && v->cells.metric == GV_GEODESIC) {
    size_t wanted = (size_t)(cells_of(&strip->cells) / 512) + 4096;
    status = reserve_open(context, raster, number, wanted, 4 * wanted);
  }
  if (status == GV_OK) status = launch_strip(context, raster, number);
  return status;
}

/* Answers for `cells` in blocks of the strip's own memory. */
static gv_status start_in_blocks(gv_context *context, gv_cuda_raster *raster, int number,
                                 const gv_tile *cells, int64_t bw, int64_t bh) {
  strip_state *strip = &raster->strip[number];
  gv::target *t = &strip->target;
  void *memory = NULL;
  int64_t across = (cells->c1 - cells->c0 + bw - 1) / bw, down = (cells->r1 - cells->r0 + bh - 1) / bh;
  int32_t aligned = (bw | bh) % ((int64_t)1 << raster->side_log) == 0;
  strip->cells = *cells;
  *t = {NULL, cells->c0, cells->c1, cells->r0, cells->r1, bw, bh, across, across * down * bw * bh, aligned};
  gv_status status =
      gv_cuda_reserve(context, raster->queue, SLOT_STRIP + number,
                      (size_t)t->band_stride * (size_t)raster->v->k * sizeof(int32_t), &memory);
  t->out = (int32_t *)memory;
  return status == GV_OK ? gpu_strips_start(context, raster, number) : status;
}

extern "C" gv_status gv_cuda_raster_start(gv_context *context, gv_cuda_raster *raster, int number,
                                          const gv_tile *cells) {
  return start_in_blocks(context, raster, number, cells, raster->bw, raster->bh);
}

/* Leaves of the mesh are written whole, up to 16 bytes at once. */
static bool cuts_leaves(const gv_cuda_raster *raster, const gv_labels *part) {
  int64_t leaf = (int64_t)1 << raster->side_log;
  if (raster->problem.order != NULL) return true; /* and in one piece */
  return (raster->form == gv::MESH || raster->form == gv::PLACES) &&
         (part->column % leaf != 0 || part->columns % leaf != 0 || (uintptr_t)part->out % sizeof(int4) != 0);
}

extern "C" gv_status gv_cuda_raster_start_at(gv_context *context, gv_cuda_raster *raster, int number,
                                             const gv_labels *part) {
  strip_state *strip = &raster->strip[number];
  int64_t side = (int64_t)1 << raster->side_log;
  gv_tile cells = {part->column, part->column + part->columns, part->row, part->row + part->rows};
  strip->to = *part;
  strip->detoured = cuts_leaves(raster, part);
  if (strip->detoured) {
    cells.c0 -= cells.c0 % side;
    cells.c1 = ceil_shift(cells.c1, raster->side_log) << raster->side_log;
    if (raster->problem.order != NULL) cells.c0 = 0, cells.c1 = raster->problem.width;
    return start_in_blocks(context, raster, number, &cells, cells.c1 - cells.c0, 1);
  }
  int64_t bw = part->rows > 1 ? part->stride : part->columns;
  /* Wide stores begin at multiples of 16 bytes in all rows and bands. */
  bool aligned = (uintptr_t)part->out % sizeof(int4) == 0 && part->column % side == 0 && bw % 4 == 0 &&
                 bw < (int64_t)1 << 28 && (raster->v->k == 1 || part->band_stride % 4 == 0);
  strip->cells = cells;
  strip->target = {part->out, cells.c0,   cells.c1, cells.r0,          cells.r1,
                   bw,        part->rows, 1,        part->band_stride, aligned};
  return gpu_strips_start(context, raster, number);
}

extern "C" gv_status gv_cuda_raster_finish(gv_context *context, gv_cuda_raster *raster, int number,
                                           gv_open_cells *open) {
  gv_cuda_queue *queue = raster->queue;
  const gv::counters *counters = (const gv::counters *)queue->pinned[PINNED_COUNTERS].data + number;
  gv_status status = gv_cuda_wait(context, queue, "computing a strip");
  memset(open, 0, sizeof *open);
  while (status == GV_OK && gpu_strips_grow(context, raster, number, counters, &open->overflow, &status)) {
    status = launch_strip(context, raster, number);
    if (status == GV_OK) status = gv_cuda_wait(context, queue, "computing a strip");
  }
  if (status != GV_OK || open->overflow || counters->open == 0) return status;
  void *cell = NULL, *id = NULL;
  size_t cell_bytes = (size_t)counters->open * sizeof(gv::open_cell),
         id_bytes = (size_t)counters->open_ids * sizeof(int32_t);
  status = gv_cuda_reserve_pinned(context, queue, PINNED_OPEN, cell_bytes, &cell);
  if (status == GV_OK) status = gv_cuda_reserve_pinned(context, queue, PINNED_OPEN_IDS, id_bytes, &id);
  if (status != GV_OK) return status;
  GV_CUDA_TRY(context,
              cudaMemcpyAsync(cell, queue->buffer[SLOT_OPEN + number].data, cell_bytes,
                              cudaMemcpyDeviceToHost, raster->copy),
              "reading open cells");
  GV_CUDA_TRY(context,
              cudaMemcpyAsync(id, queue->buffer[SLOT_OPEN_IDS + number].data, id_bytes,
                              cudaMemcpyDeviceToHost, raster->copy),
              "reading open cells");
  GV_CUDA_TRY(context, cudaStreamSynchronize(raster->copy), "reading open cells");
  open->cell = (const gv_open_cell *)cell;
  open->id = (const int32_t *)id;
  open->count = (int64_t)counters->open;
done:
  return status;
}

extern "C" gv_status gv_cuda_raster_patch(gv_context *context, gv_cuda_raster *raster, int number,
                                          const int64_t *at, const int32_t *value, int64_t count) {
  gv_cuda_queue *queue = raster->queue;
  const gv::target *t = &raster->strip[number].target;
  int64_t values = count * raster->v->k;
  void *device_at = NULL, *device_value = NULL;
  if (count == 0) return GV_OK;
  gv_status status = gv_cuda_reserve(context, queue, SLOT_PATCH_AT, (size_t)count * sizeof *at, &device_at);
  if (status == GV_OK) {
    status = gv_cuda_reserve(context, queue, SLOT_PATCH_VALUE, (size_t)values * sizeof *value, &device_value);
  }
  if (status != GV_OK) return status;
  GV_CUDA_TRY(
      context,
      cudaMemcpyAsync(device_at, at, (size_t)count * sizeof *at, cudaMemcpyHostToDevice, queue->stream),
      "writing decisions");
  GV_CUDA_TRY(context,
              cudaMemcpyAsync(device_value, value, (size_t)values * sizeof *value, cudaMemcpyHostToDevice,
                              queue->stream),
              "writing decisions");
  gv::patch_cells<<<blocks_for(values, 256), 256, 0, queue->stream>>>(
      t->out, t->band_stride, (const int64_t *)device_at, (const int32_t *)device_value, count, raster->v->k);
  GV_CUDA_LAUNCHED(context, "writing decisions");
  status = gv_cuda_wait(context, queue, "writing decisions");
done:
  return status;
}

extern "C" gv_status gv_cuda_raster_fetch(gv_context *context, gv_cuda_raster *raster, int number,
                                          int64_t first, int64_t count, int slot, const int32_t **out) {
  const gv::target *t = &raster->strip[number].target;
  void *memory = NULL;
  int k = raster->v->k;
  gv_status status = gv_cuda_reserve_pinned(context, raster->queue, PINNED_FETCH + slot,
                                            (size_t)count * (size_t)k * sizeof(int32_t), &memory);
  if (status != GV_OK) return status;
  for (int i = 0; i < k; i++) {
    GV_CUDA_TRY(context,
                cudaMemcpyAsync((int32_t *)memory + i * count, t->out + i * t->band_stride + first,
                                (size_t)count * sizeof(int32_t), cudaMemcpyDeviceToHost, raster->copy),
                "reading back cells");
  }
  GV_CUDA_TRY(context, cudaStreamSynchronize(raster->copy), "reading back cells");
  *out = (const int32_t *)memory;
done:
  return status;
}

/* Copies rows x columns results of each band to their final place. */
static gv_status copy_bands(gv_context *context, gv_cuda_raster *raster, const gv_labels *to,
                            const int32_t *from, int64_t from_stride) {
  size_t row = (size_t)to->columns * sizeof(int32_t), pitch = (size_t)to->stride * sizeof(int32_t);
  gv_status status = GV_OK;
  for (int32_t k = 0; k < raster->v->k && status == GV_OK; k++) {
    int32_t *out = to->out + k * to->band_stride;
    const int32_t *band = from + k * from_stride;
    cudaError_t error = to->rows == 1
                            ? cudaMemcpyAsync(out, band, row, cudaMemcpyDefault, raster->queue->stream)
                            : cudaMemcpy2DAsync(out, pitch, band, row, row, (size_t)to->rows,
                                                cudaMemcpyDefault, raster->queue->stream);
    status = gv_cuda_result(context, error, "writing results");
  }
  return status;
}

static gv_status leave_out(gv_context *context, gv_cuda_raster *raster, const gv_labels *to) {
  gv_cuda_queue *queue = raster->queue;
  gv_status status = GV_OK;
  if (to->mask == NULL) return GV_OK;
  unsigned blocks = blocks_for(to->columns * to->rows, 256), most = 32 * (unsigned)queue->multiprocessors;
  if (blocks > most) blocks = most;
  gv_cuda_mark_begin(queue);
  gv::leave_out<<<blocks, 256, 0, queue->stream>>>(*to, raster->v->k, raster->v->nodata);
  GV_CUDA_LAUNCHED(context, "leaving cells out");
  gv_cuda_mark_end(queue);
done:
  return status;
}

extern "C" gv_status gv_cuda_raster_deliver(gv_context *context, gv_cuda_raster *raster, int number) {
  const strip_state *strip = &raster->strip[number];
  const gv::target *t = &strip->target;
  gv_status status = GV_OK;
  if (strip->detoured)
    status = copy_bands(context, raster, &strip->to, t->out + (strip->to.column - t->c0), t->band_stride);
  if (status == GV_OK) status = leave_out(context, raster, &strip->to);
  return status == GV_OK ? gv_cuda_wait(context, raster->queue, "writing results") : status;
}

extern "C" gv_status gv_cuda_raster_put(gv_context *context, gv_cuda_raster *raster, const gv_labels *part,
                                        const int32_t *from) {
  gv_status status = copy_bands(context, raster, part, from, part->columns * part->rows);
  if (status == GV_OK) status = leave_out(context, raster, part);
  return status == GV_OK ? gv_cuda_wait(context, raster->queue, "writing results") : status;
}
