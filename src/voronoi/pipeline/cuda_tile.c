/*
 * `cuda-tile`: the culling engine on GPUs, and the pipeline between them and callers that request blocks.
 *
 * A GPU needs large pieces; callers request blocks, from many threads at once, mostly in file order. So each
 * device has a thread of its own that computes strips (rectangles of whole blocks, up to GBs) into device
 * memory, the next one while the last is read back, and reads them back in slices (consecutive blocks, tens
 * of MB) into a ring of page-locked buffers, ahead of the callers as far as the ring has slots. A caller
 * waits for its slice and copies its block. Strips are assigned to the devices in turn. Memory on host and
 * device is bounded for rasters of any size.
 *
 * Devices are opened when the grid is made, and for "auto" only if core/device_rule.h selects them by the
 * grid's size. Else, and after a device that was not requested has failed, blocks are computed by the engine
 * of the CPU: the same bytes.
 *
 * Geodesic cells that the chords leave open are decided on the host, strip by strip (open_cells.c).
 * Unsupported grids (gv_cuda_raster_supports), and strips with too many open cells, are computed by the
 * engine of the CPU: the same bytes.
 */
#include <pthread.h>
#include <string.h>

#include "cells/facts.h"
#include "core/device_rule.h"
#include "search/cuda_module.h"
#include "voronoi/pipeline/device_measuring.h"
#include "voronoi/pipeline/device_strips.h"
#include "voronoi/pipeline/open_cells.h"
#include "voronoi/pipeline/strip_layout.h"

enum {
  MOST_DEVICES = 16,
  STRIP_CELLS = 1 << 30,   /* 4 GB, where the device has that much */
  CELLS_A_DEVICE = 1 << 28 /* fewer are not worth another device */
};

typedef enum slot_status { SLOT_EMPTY, SLOT_BUSY, SLOT_READY, SLOT_FAILED } slot_status;

/* A slice of a strip in page-locked memory. */
typedef struct ring_slot {
  int64_t slice;
  slot_status status;
  int users;    /* callers that copy from it */
  int64_t left; /* blocks not yet delivered */
  const int32_t *data;
  int64_t cells; /* between bands */
  bool on_cpu;   /* not computed here: use the CPU */
  gv_status error;
  char message[512];
} ring_slot;

struct engine;

/* A device, its thread and its ring. */
typedef struct device_worker {
  struct engine *engine;
  int number, device;
  pthread_t thread;
  bool started, opened;
  gv_context context;
  gv_status status; /* of opening */
  gv_cuda_raster *raster;
  int64_t strip_cells;
  ring_slot slot[GV_RING_SLOTS];
  int64_t last; /* slice read back last; -1 */
  /* Contents of the device's buffers: a strip or -1, and its progress. */
  int64_t strip[GV_CUDA_STRIPS];
  bool pending[GV_CUDA_STRIPS], on_cpu[GV_CUDA_STRIPS];
} device_worker;

typedef struct engine {
  const gv_voronoi *v;
  gv_allocator allocator;
  const gv_cuda_module *cuda; /* when devices are opened */
  /* The CPU's engine, made when it is needed. */
  pthread_mutex_t cpu_lock;
  void *cpu;
  bool has_cpu;
  gv_device_strips strips; /* results that stay on a device */
  gv_device_measuring measuring;
  gv_strip_layout layout;
  /* Everything below is guarded by the lock. */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool stop;
  bool on_devices; /* else the CPU computes */
  int opening;     /* devices that are not open yet */
  int32_t *wanted; /* by slice: callers that wait for it */
  uint8_t *done;   /* by slice: completely delivered */
  int64_t waiting;
  int devices;
  device_worker worker[MOST_DEVICES];
} engine;

/* -------------------------------------------------------------------------------------- a device's thread */

static gv_status start_strip(device_worker *w, int buffer, int64_t strip) {
  const engine *e = w->engine;
  const gv_voronoi *v = e->v;
  gv_strip_blocks b = gv_blocks_of_strip(&e->layout, strip);
  gv_tile cells = {b.c0 * e->layout.bw, b.c1 * e->layout.bw, b.r0 * e->layout.bh, b.r1 * e->layout.bh};
  if (cells.c1 > v->cells.grid.width) cells.c1 = v->cells.grid.width;
  if (cells.r1 > v->cells.grid.height) cells.r1 = v->cells.grid.height;
  w->strip[buffer] = -1;
  w->pending[buffer] = false;
  gv_status status = e->cuda->raster->start(&w->context, w->raster, buffer, &cells);
  if (status == GV_OK) {
    w->strip[buffer] = strip;
    w->pending[buffer] = true;
  }
  return status;
}

static gv_status finish_strip(device_worker *w, int buffer) {
  gv_open_cells open;
  gv_status status = w->engine->cuda->raster->finish(&w->context, w->raster, buffer, &open);
  w->pending[buffer] = false;
  w->on_cpu[buffer] = status == GV_OK && open.overflow;
  if (status == GV_OK && open.count > 0)
    status =
        gv_open_cells_deliver(&w->context, w->engine->v, w->engine->cuda->raster, w->raster, buffer, &open);
  if (status != GV_OK) w->strip[buffer] = -1;
  return status;
}

/* Ensures that a strip is in device memory, and starts the device's next one. Errors of the next one are
 * reported when it is requested. */
static gv_status have_strip(device_worker *w, int64_t strip, int *buffer) {
  const engine *e = w->engine;
  int at = -1;
  gv_status status = GV_OK;
  for (int i = 0; i < GV_CUDA_STRIPS; i++) {
    if (w->strip[i] == strip) at = i;
  }
  if (at >= 0 && !w->pending[at]) {
    *buffer = at;
    return GV_OK;
  }
  if (at < 0) {
    at = w->strip[0] < 0 || (w->strip[1] >= 0 && w->strip[0] < w->strip[1]) ? 0 : 1;
    status = start_strip(w, at, strip);
  }
  if (status == GV_OK) status = finish_strip(w, at);
  if (status != GV_OK) return status;
  *buffer = at;
  int64_t next = strip + e->devices;
  int other = GV_CUDA_STRIPS - 1 - at;
  if (next < e->layout.strips && w->strip[other] != next) (void)start_strip(w, other, next);
  return GV_OK;
}

static gv_status read_slice(device_worker *w, int64_t slice, int number, ring_slot *slot) {
  const engine *e = w->engine;
  int buffer = 0;
  GV_TRY(have_strip(w, slice / e->layout.strip_slices, &buffer));
  int64_t block = e->layout.bw * e->layout.bh;
  slot->on_cpu = w->on_cpu[buffer];
  slot->cells = gv_blocks_of_slice(&e->layout, slice) * block;
  if (slot->on_cpu) return GV_OK;
  return e->cuda->raster->fetch(&w->context, w->raster, buffer,
                                slice % e->layout.strip_slices * e->layout.slice_blocks * block, slot->cells,
                                number, &slot->data);
}

static ring_slot *find_slot(device_worker *w, int64_t slice) {
  for (int i = 0; i < w->engine->layout.slots; i++) {
    if (w->slot[i].status != SLOT_EMPTY && w->slot[i].slice == slice) return &w->slot[i];
  }
  return NULL;
}

/* A slot to read a slice into; NULL if all are in use. Slices with blocks that callers still need are dropped
 * only for one that a caller waits for. */
static ring_slot *free_slot(device_worker *w, bool urgent) {
  const engine *e = w->engine;
  ring_slot *unfinished = NULL;
  for (int i = 0; i < e->layout.slots; i++) {
    ring_slot *s = &w->slot[i];
    if (s->status == SLOT_EMPTY) return s;
    if (s->status == SLOT_BUSY || s->users > 0 || e->wanted[s->slice] > 0) continue;
    if (s->status == SLOT_FAILED || s->left == 0) return s;
    if (unfinished == NULL || s->slice < unfinished->slice) unfinished = s;
  }
  return urgent ? unfinished : NULL;
}

/* The device's slice after this one, in the order in which files are written; -1 at the end. */
static int64_t next_slice(const device_worker *w, int64_t slice) {
  const engine *e = w->engine;
  int64_t strip = slice / e->layout.strip_slices;
  gv_strip_blocks b = gv_blocks_of_strip(&e->layout, strip);
  if ((slice % e->layout.strip_slices + 1) * e->layout.slice_blocks < gv_count_blocks(&b)) return slice + 1;
  strip += e->devices;
  return strip < e->layout.strips ? strip * e->layout.strip_slices : -1;
}

/* Chooses the next slice: one that callers wait for, in the file's order, else one ahead. */
static int64_t choose_slice(device_worker *w, ring_slot **slot) {
  engine *e = w->engine;
  for (int64_t strip = w->number; e->waiting > 0 && strip < e->layout.strips; strip += e->devices) {
    for (int64_t s = strip * e->layout.strip_slices; s < (strip + 1) * e->layout.strip_slices; s++) {
      if (e->wanted[s] == 0 || find_slot(w, s) != NULL) continue;
      *slot = free_slot(w, true);
      return *slot != NULL ? s : -1;
    }
  }
  int64_t ahead = w->last;
  for (int i = 0; i < e->layout.slots && ahead >= 0; i++) {
    ahead = next_slice(w, ahead);
    if (ahead < 0 || e->done[ahead] || find_slot(w, ahead) != NULL) continue;
    *slot = free_slot(w, false);
    return *slot != NULL ? ahead : -1;
  }
  return -1;
}

static void *cuda_tile_work(void *opaque) {
  device_worker *w = opaque;
  engine *e = w->engine;
  gv_status status = e->cuda->raster->open(&w->context, e->v, w->device, &w->strip_cells, &w->raster);
  pthread_mutex_lock(&e->lock);
  w->status = status;
  w->opened = status == GV_OK;
  e->opening--;
  pthread_cond_broadcast(&e->changed);
  while (w->opened && e->wanted == NULL && !e->stop)
    pthread_cond_wait(&e->changed, &e->lock);
  while (w->opened && !e->stop) {
    ring_slot *slot = NULL;
    int64_t slice = choose_slice(w, &slot);
    if (slice < 0) {
      pthread_cond_wait(&e->changed, &e->lock);
      continue;
    }
    slot->slice = slice;
    slot->status = SLOT_BUSY;
    slot->left = gv_blocks_of_slice(&e->layout, slice);
    pthread_mutex_unlock(&e->lock);
    status = read_slice(w, slice, (int)(slot - w->slot), slot);
    pthread_mutex_lock(&e->lock);
    slot->status = status == GV_OK ? SLOT_READY : SLOT_FAILED;
    slot->error = status;
    if (status != GV_OK) memcpy(slot->message, w->context.message, sizeof slot->message);
    /* Nothing ahead of a failure. */
    w->last = status == GV_OK ? slice : -1;
    pthread_cond_broadcast(&e->changed);
  }
  pthread_mutex_unlock(&e->lock);
  if (w->opened) e->cuda->raster->close(&w->context, w->raster);
  return NULL;
}

/* ------------------------------------------------------------------------------------------------- engine */

static void cuda_tile_destroy(const gv_voronoi *v, void *opaque) {
  engine *e = opaque;
  if (e == NULL) return;
  pthread_mutex_lock(&e->lock);
  e->stop = true;
  pthread_cond_broadcast(&e->changed);
  pthread_mutex_unlock(&e->lock);
  for (int i = 0; i < e->devices; i++) {
    if (e->worker[i].started) pthread_join(e->worker[i].thread, NULL);
  }
  gv_device_strips_clear(&e->strips);
  gv_device_measuring_clear(&e->measuring);
  if (e->has_cpu) gv_tile_engine_for(&v->cells.grid)->destroy(v, e->cpu);
  pthread_cond_destroy(&e->changed);
  pthread_mutex_destroy(&e->lock);
  pthread_mutex_destroy(&e->cpu_lock);
  gv_release(&v->allocator, e->wanted);
  gv_release(&v->allocator, e->done);
  gv_release(&v->allocator, e);
}

/* With the lock. */
static gv_status wait_for_devices(gv_context *context, engine *e) {
  while (e->opening > 0)
    pthread_cond_wait(&e->changed, &e->lock);
  for (int i = 0; i < e->devices; i++) {
    const device_worker *w = &e->worker[i];
    if (w->status != GV_OK) return gv_fail(context, w->status, "%s", w->context.message);
  }
  return GV_OK;
}

/* Starts CUDA and the devices' threads and waits until all have opened their rasters. */
static gv_status open_devices(gv_context *context, engine *e) {
  const gv_grid *grid = &e->v->cells.grid;
  int device[MOST_DEVICES], count = 0;
  int64_t cells = grid->width * grid->height, worth = gv_divide_up(cells, CELLS_A_DEVICE);
  if (gv_grid_is_unordered(grid)) worth = 1; /* sorted whole on one device */
  const char *reason = "";
  gv_context quiet;
  gv_context_for_worker(context, &quiet);
  e->cuda = gv_cuda_module_get(&reason);
  if (e->cuda == NULL) return gv_fail(context, GV_ERROR_UNAVAILABLE, "cuda-tile: %s", reason);
  gv_status status = e->cuda->device_count(&quiet, &count);
  if (status == GV_OK && context->device >= count) {
    gv_device_info info;
    gv_device_info_init(&info);
    status = e->cuda->device_get(&quiet, context->device, &info);
  }
  if (status != GV_OK) return gv_fail(context, GV_ERROR_UNAVAILABLE, "cuda-tile: %s", quiet.message);
  if (gv_cuda_probe(&reason) != GV_OK) return gv_fail(context, GV_ERROR_UNAVAILABLE, "cuda-tile: %s", reason);
  if (context->device >= 0) {
    device[0] = context->device;
    count = 1;
  } else {
    GV_TRY(
        e->cuda->usable_devices(context, device, worth < MOST_DEVICES ? (int)worth : MOST_DEVICES, &count));
  }
  int64_t block = e->layout.bw * e->layout.bh;
  /* Whole rows of blocks, padded: a little more than the cells there are. */
  int64_t padded = gv_divide_up(grid->width, e->layout.bw) * gv_divide_up(grid->height, e->layout.bh) * block;
  int64_t share = gv_divide_up(gv_divide_up(padded, block), count) * block,
          strip_cells = share < STRIP_CELLS ? share : STRIP_CELLS;
  if (strip_cells < block) strip_cells = block;
  e->opening = count;
  for (int i = 0; i < count && status == GV_OK; i++) {
    device_worker *w = &e->worker[i];
    w->engine = e;
    w->number = i;
    w->device = device[i];
    w->strip_cells = strip_cells;
    w->last = w->strip[0] = w->strip[1] = -1;
    gv_context_for_worker(context, &w->context);
    w->context.threads = context->threads;
    e->devices = i + 1;
    w->started = pthread_create(&w->thread, NULL, cuda_tile_work, w) == 0;
    if (!w->started) status = gv_fail_memory(context, "a device's thread");
  }
  if (status != GV_OK) return status;
  pthread_mutex_lock(&e->lock);
  status = wait_for_devices(context, e);
  for (int i = 0; i < count && status == GV_OK; i++) {
    if (e->worker[i].strip_cells < strip_cells) strip_cells = e->worker[i].strip_cells;
  }
  if (status == GV_OK && !gv_strip_layout_make(&e->layout, e->v, strip_cells)) {
    status =
        gv_fail(context, GV_ERROR_OUT_OF_MEMORY, "cuda-tile: a block is larger than the device's memory");
  }
  if (status == GV_OK) {
    e->done = gv_allocate_zeroed(&e->allocator, e->layout.strips * e->layout.strip_slices, sizeof *e->done);
    e->wanted =
        gv_allocate_zeroed(&e->allocator, e->layout.strips * e->layout.strip_slices, sizeof *e->wanted);
    if (e->done == NULL || e->wanted == NULL) status = gv_fail_memory(context, "the list of slices");
  }
  e->on_devices = status == GV_OK;
  pthread_cond_broadcast(&e->changed);
  pthread_mutex_unlock(&e->lock);
  return status;
}

static gv_status need_cpu(gv_context *context, engine *e) {
  gv_status status = GV_OK;
  pthread_mutex_lock(&e->cpu_lock);
  if (!e->has_cpu) {
    /* The engine only reads the grid and the seeds. */
    gv_voronoi *v = (gv_voronoi *)e->v;
    status = gv_tile_engine_for(&v->cells.grid)->create(context, v, &e->cpu);
    e->has_cpu = status == GV_OK;
  }
  pthread_mutex_unlock(&e->cpu_lock);
  return status;
}

static gv_status compute_on_cpu(gv_context *context, engine *e, const gv_tile *tile, const gv_labels *block,
                                int *uniform) {
  GV_TRY(need_cpu(context, e));
  return gv_tile_engine_for(&e->v->cells.grid)->block(context, e->v, e->cpu, tile, block, uniform);
}

/* For gv_strip_source. */
static gv_status block_on_cpu(gv_context *context, void *opaque, const gv_tile *tile,
                              const gv_labels *block) {
  return compute_on_cpu(context, opaque, tile, block, NULL);
}

/* Devices were not requested and one has failed: from now on the CPU computes. */
static bool give_up_devices(engine *e) {
  pthread_mutex_lock(&e->lock);
  e->on_devices = false;
  pthread_mutex_unlock(&e->lock);
  return true;
}

bool gv_cuda_tile_pays(const gv_context *context, const gv_voronoi *v) {
  const gv_grid *grid = &v->cells.grid;
  if (!gv_cuda_raster_supports(v)) return false;
  const bool points = gv_grid_is_list(grid) || grid->level != GV_QTM_NONE;
  /* Places of the caller may be along a curve, unless a search was preferred. */
  const bool unordered =
      gv_facts_of(grid)->given_places ? v->backend->searches_points : gv_grid_is_unordered(grid);
  const gv_device_order order = unordered ? GV_ORDER_NONE : points ? GV_ORDER_CURVE : GV_ORDER_ROWS;
  return gv_device_pays_for_grid((double)grid->width * (double)grid->height * v->k, v->seeds.count, v->k > 1,
                                 order, context->threads, gv_cuda_started());
}

static bool uses_devices(const gv_context *context, const gv_voronoi *v) {
  return gv_cuda_raster_supports(v) && (!v->automatic || gv_cuda_tile_pays(context, v));
}

static gv_status cuda_tile_create(gv_context *context, gv_voronoi *v, void **out) {
  engine *e = gv_allocate_zeroed(&v->allocator, 1, sizeof *e);
  const char *reason = "";
  if (e == NULL) return gv_fail_memory(context, "the engine");
  e->v = v;
  e->allocator = v->allocator;
  gv_strip_layout_begin(&e->layout, v);
  pthread_mutex_init(&e->lock, NULL);
  pthread_mutex_init(&e->cpu_lock, NULL);
  pthread_cond_init(&e->changed, NULL);
  gv_device_strips_init(&e->strips, context, (gv_strip_source){block_on_cpu, e});
  gv_device_measuring_init(&e->measuring, context, v);
  gv_status status = GV_OK;
  if (uses_devices(context, v)) {
    status = open_devices(context, e);
  } else if (v->automatic || gv_cuda_probe(&reason) == GV_OK) {
    status = need_cpu(context, e);
  } else {
    status = gv_fail(context, GV_ERROR_UNAVAILABLE, "cuda-tile: %s", reason);
  }
  if (status != GV_OK) {
    cuda_tile_destroy(v, e);
    return status;
  }
  *out = e;
  return GV_OK;
}

/* Waits for the slot that holds a slice; the caller becomes its user. */
static ring_slot *wait_for(engine *e, device_worker *w, int64_t slice) {
  pthread_mutex_lock(&e->lock);
  e->wanted[slice]++;
  e->waiting++;
  ring_slot *slot = find_slot(w, slice);
  if (slot == NULL) pthread_cond_broadcast(&e->changed);
  while (slot == NULL || slot->status == SLOT_BUSY) {
    pthread_cond_wait(&e->changed, &e->lock);
    slot = find_slot(w, slice);
  }
  e->wanted[slice]--;
  e->waiting--;
  slot->users++;
  pthread_mutex_unlock(&e->lock);
  return slot;
}

static void release_block(engine *e, ring_slot *slot) {
  pthread_mutex_lock(&e->lock);
  slot->users--;
  if (slot->left > 0) slot->left--;
  if (slot->left == 0) e->done[slot->slice] = 1;
  if (slot->users == 0) pthread_cond_broadcast(&e->changed);
  pthread_mutex_unlock(&e->lock);
}

static gv_status cuda_tile_block(gv_context *context, const gv_voronoi *v, void *opaque, const gv_tile *tile,
                                 const gv_labels *block, int *uniform) {
  engine *e = opaque;
  pthread_mutex_lock(&e->lock);
  bool on_devices = e->on_devices;
  pthread_mutex_unlock(&e->lock);
  if (!on_devices) return compute_on_cpu(context, e, tile, block, uniform);
  int64_t column = tile->c0 / e->layout.bw, row = tile->r0 / e->layout.bh;
  int64_t strip = row / e->layout.strip_rows * e->layout.strips_across + column / e->layout.strip_columns;
  gv_strip_blocks b = gv_blocks_of_strip(&e->layout, strip);
  int64_t index = (row - b.r0) * (b.c1 - b.c0) + column - b.c0;
  int64_t slice = strip * e->layout.strip_slices + index / e->layout.slice_blocks;
  device_worker *w = &e->worker[strip % e->devices];
  ring_slot *slot = wait_for(e, w, slice);
  gv_status status = GV_OK;
  bool on_cpu = slot->on_cpu;
  if (slot->status == SLOT_FAILED) {
    on_cpu = v->automatic && give_up_devices(e);
    if (!on_cpu) status = gv_fail(context, slot->error, "%s", slot->message);
  } else if (!slot->on_cpu) {
    int64_t first = index % e->layout.slice_blocks * e->layout.bw * e->layout.bh;
    size_t bytes = (size_t)(tile->c1 - tile->c0) * sizeof(int32_t);
    for (int32_t k = 0; k < v->k; k++) {
      const int32_t *from = slot->data + k * slot->cells + first;
      for (int64_t r = 0; r < tile->r1 - tile->r0; r++)
        memcpy(block->out + k * block->band_stride + r * block->stride, from + r * e->layout.bw, bytes);
    }
    gv_block_apply_mask(v, tile, block);
  }
  release_block(e, slot);
  return on_cpu ? compute_on_cpu(context, e, tile, block, uniform) : status;
}

static const gv_backend *cuda_tile_backend(const gv_voronoi *v, void *opaque) {
  engine *e = opaque;
  pthread_mutex_lock(&e->lock);
  bool here = !v->automatic || e->on_devices;
  pthread_mutex_unlock(&e->lock);
  return &gv_backends[here ? GV_BACKEND_CUDA_TILE : GV_BACKEND_TILE];
}

static gv_status cuda_tile_strip(gv_context *context, const gv_voronoi *v, void *opaque,
                                 const gv_labels *strip) {
  engine *e = opaque;
  if (!gv_cuda_raster_supports(v)) {
    return gv_fail(
        context, GV_ERROR_UNSUPPORTED,
        "cuda-tile: device memory is unsupported for weights and projected grids; use host memory");
  }
  return gv_device_strips_fill(context, &e->strips, v, strip);
}

gv_device_strips *gv_cuda_tile_strips(const gv_voronoi *v) {
  if (v->engine != &gv_engine_cuda_tile || !gv_cuda_raster_measures(v)) return NULL;
  engine *e = v->state;
  return &e->strips;
}

/* If the series of geodesics is not valid, only PROJ is left. */
gv_device_measuring *gv_cuda_tile_measuring(const gv_voronoi *v) {
  if (v->engine != &gv_engine_cuda_tile || !gv_cuda_raster_measures(v)) return NULL;
  if (v->cells.metric == GV_GEODESIC && !(v->geodesic.series.largest_step > 0.0)) return NULL;
  engine *e = v->state;
  return &e->measuring;
}

const gv_engine gv_engine_cuda_tile = {cuda_tile_create, cuda_tile_block, cuda_tile_destroy,
                                       cuda_tile_backend, cuda_tile_strip};
