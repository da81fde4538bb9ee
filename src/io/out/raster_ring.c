/* TIFF tiles computed and encoded by several threads, and appended in file order by a free one of them. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "io/out/raster_file.h"
#include "io/parallel.h"

/* One tile of all rasters in the ring. */
typedef struct slot {
  gv_tiff_tile *encoded; /* of each raster's bands */
  int64_t tile;          /* its number; -1: none */
  bool complete;         /* ready to be written */
} slot;

/* A thread's own buffers. */
typedef struct worker_buffers {
  char *values; /* of a tile, before it is moved into a slot */
  gv_tiff_encoder *encoders[GV_MAX_RASTERS];
} worker_buffers;

/* The ring: tile t lives in slot t % slots from the time it is begun until it is written. */
typedef struct raster_ring {
  gv_raster_out *const *rasters;
  int count;
  int64_t width, height, tile_w, tile_h;
  int64_t bytes;                  /* of a tile's values in all rasters */
  int64_t offset[GV_MAX_RASTERS]; /* of a raster's first band among them */
  int64_t band_bytes[GV_MAX_RASTERS];
  int planes; /* of all rasters */
  const gv_raster_work *work;
  GDALProgressFunc progress;
  void *progress_user;
  gv_io *io; /* the run's, for who has the lock */

  pthread_mutex_t lock;
  pthread_cond_t moved; /* a tile was written, or the run has failed */
  slot *slots;
  int64_t slot_count;
  worker_buffers *buffers; /* one a worker */
  int workers;
  int64_t across, tiles;
  int64_t next_computed, next_written; /* tiles */
  bool writing;                        /* one of the workers is writing */
  gv_status status;                    /* the first error; its message is that of the run */
} raster_ring;

static int64_t value_bytes(const gv_raster_out *raster) {
  return GDALGetDataTypeSizeBytes(raster->is.type);
}

void gv_raster_block_size(gv_raster_out *const *rasters, int32_t *width, int32_t *height) {
  *width = rasters[0]->tile_w;
  *height = rasters[0]->tile_h;
}

static void fail_ring(raster_ring *r, gv_status status, const gv_io *worker) {
  if (r->status == GV_OK) r->status = gv_io_pass_on(r->io, status, worker);
  pthread_cond_broadcast(&r->moved);
}

/* Appends one tile of all rasters; without the lock, but with `writing` set. */
static gv_status write_tile(gv_io *io, const raster_ring *r, const slot *s) {
  for (int i = 0, plane = 0; i < r->count; i++) {
    for (int b = 0; b < r->rasters[i]->is.bands; b++)
      GV_TRY(gv_tiff_append(io, r->rasters[i]->tiff, b, s->tile % r->across, s->tile / r->across,
                            &s->encoded[plane++]));
  }
  double fraction = (double)(s->tile + 1) / (double)r->tiles;
  bool go_on = r->progress == NULL || r->progress(fraction, "", r->progress_user);
  return go_on && !gv_io_cancelled(io) ? GV_OK : gv_io_fail_cancelled(io);
}

/* Writes the complete tiles that are next in the file, unless another worker does. Called and left with the
 *
 * lock. */
static void write_ready(gv_io *io, raster_ring *r) {
  while (!r->writing && r->status == GV_OK && r->next_written < r->tiles) {
    slot *s = &r->slots[r->next_written % r->slot_count];
    if (s->tile != r->next_written || !s->complete) return;
    r->writing = true;
    pthread_mutex_unlock(&r->lock);
    gv_status status = write_tile(io, r, s);
    pthread_mutex_lock(&r->lock);
    r->writing = false;
    s->tile = -1;
    r->next_written++;
    if (status != GV_OK) fail_ring(r, status, io);
    pthread_cond_broadcast(&r->moved);
  }
}

static void fill_nodata(const gv_raster_out *raster, void *values, int64_t cells) {
  const double nan = (double)NAN;
  bool integer = GDALDataTypeIsInteger(raster->is.type) != 0;
  GDALCopyWords64(integer ? (const void *)&raster->is.nodata : &nan, integer ? GDT_Int64 : GDT_Float64, 0,
                  values, raster->is.type, (int)value_bytes(raster), cells);
}

/* A block of one value, of which only the first cell is written: the rest of it. */
static void spread_uniform(char *first, size_t bytes, int64_t w, int64_t h, int64_t stride) {
  for (int64_t c = 1; c < w; c++)
    memcpy(first + (size_t)c * bytes, first, bytes);
  for (int64_t row = 1; row < h; row++)
    memcpy(first + (size_t)(row * stride) * bytes, first, (size_t)w * bytes);
}

/* A raster's bands of a computed tile into the slot. */
static gv_status encode_bands(gv_io *io, const raster_ring *r, int i, int worker,
                              const gv_raster_block *block) {
  int64_t left_w = r->width - block->column * r->tile_w, left_h = r->height - block->row * r->tile_h;
  int64_t w = left_w < r->tile_w ? left_w : r->tile_w, h = left_h < r->tile_h ? left_h : r->tile_h;
  bool whole = w == r->tile_w && h == r->tile_h;
  for (int b = 0; b < r->rasters[i]->is.bands && !block->encoded[i]; b++) {
    char *band = (char *)block->out[i] + b * r->band_bytes[i];
    if (block->uniform[i] && !whole)
      spread_uniform(band, (size_t)value_bytes(r->rasters[i]), w, h, block->stride);
    GV_TRY(gv_tiff_encode(io, r->buffers[worker].encoders[i], band, block->uniform[i] && whole,
                          &block->tiles[i][b]));
  }
  return GV_OK;
}

/* Computes a tile into its slot. Without the lock. Where the raster ends within it, the rest is nodata, which
 * compresses to nothing. */
static gv_status compute_tile(gv_io *io, const raster_ring *r, int worker, const slot *s) {
  gv_raster_block block = {.column = s->tile % r->across, .row = s->tile / r->across, .stride = r->tile_w};
  bool whole = (block.column + 1) * r->tile_w <= r->width && (block.row + 1) * r->tile_h <= r->height;
  for (int i = 0, plane = 0; i < r->count; plane += r->rasters[i++]->is.bands) {
    char *values = r->buffers[worker].values + r->offset[i];
    block.tiles[i] = &s->encoded[plane];
    block.out[i] = values;
    block.band_stride[i] = r->band_bytes[i] / value_bytes(r->rasters[i]);
    if (!whole) fill_nodata(r->rasters[i], values, block.band_stride[i] * r->rasters[i]->is.bands);
  }
  GV_TRY(r->work->compute(io, r->work->user, worker, &block));
  if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
  for (int i = 0; i < r->count; i++)
    GV_TRY(encode_bands(io, r, i, worker, &block));
  return GV_OK;
}

/* Each worker works until nothing is left. */
static gv_status work_on(gv_io *ignored, void *user, int worker, int64_t first, int64_t end) {
  raster_ring *r = user;
  gv_io own, *io = &own;
  (void)ignored, (void)first, (void)end;
  gv_io_for_worker(r->io, io);
  pthread_mutex_lock(&r->lock);
  while (r->status == GV_OK && r->next_computed < r->tiles) {
    int64_t tile = r->next_computed;
    slot *s = &r->slots[tile % r->slot_count];
    if (s->tile != -1) { /* its last tile is not written yet */
      write_ready(io, r);
      if (s->tile != -1 && r->next_computed == tile && r->status == GV_OK)
        pthread_cond_wait(&r->moved, &r->lock);
      continue;
    }
    s->tile = tile;
    s->complete = false;
    r->next_computed++;
    pthread_mutex_unlock(&r->lock);
    gv_status status = compute_tile(io, r, worker, s);
    pthread_mutex_lock(&r->lock);
    s->complete = true;
    if (status != GV_OK) fail_ring(r, status, io);
    write_ready(io, r);
  }
  /* Tiles that others complete later are written by them. */
  write_ready(io, r);
  pthread_mutex_unlock(&r->lock);
  return GV_OK;
}

/* Ring and buffers. */
static bool make_slots(raster_ring *r) {
  int64_t count = 4 * (int64_t)r->workers + 2, most = r->rasters[0]->memory / r->bytes;
  count = count > most ? most : count;
  count = count < 2 ? 2 : count;
  count = count > r->tiles ? r->tiles : count;
  r->slots = calloc((size_t)count, sizeof *r->slots);
  r->buffers = calloc((size_t)r->workers, sizeof *r->buffers);
  bool made = r->slots != NULL && r->buffers != NULL;
  r->slot_count = made ? count : 0;
  for (int64_t i = 0; i < r->slot_count; i++) {
    r->slots[i].tile = -1;
    r->slots[i].encoded = calloc((size_t)r->planes, sizeof *r->slots[i].encoded);
    made = made && r->slots[i].encoded != NULL;
  }
  for (int w = 0; w < r->workers && made; w++) {
    r->buffers[w].values = aligned_alloc(64, (size_t)r->bytes);
    made = r->buffers[w].values != NULL;
    for (int i = 0; i < r->count && made; i++)
      made = (r->buffers[w].encoders[i] = gv_tiff_encoder_create(r->rasters[i]->tiff)) != NULL;
  }
  return made;
}

static void free_slots(raster_ring *r) {
  for (int64_t i = 0; i < r->slot_count; i++) {
    for (int p = 0; p < r->planes && r->slots[i].encoded != NULL; p++)
      gv_tiff_tile_free(&r->slots[i].encoded[p]);
    free(r->slots[i].encoded);
  }
  for (int w = 0; w < r->workers && r->buffers != NULL; w++) {
    for (int i = 0; i < r->count; i++)
      gv_tiff_encoder_destroy(r->buffers[w].encoders[i]);
    free(r->buffers[w].values);
  }
  free(r->slots);
  free(r->buffers);
}

gv_status gv_raster_write(gv_io *io, gv_raster_out *const *rasters, int count, const gv_raster_work *work,
                          GDALProgressFunc progress, void *progress_user) {
  raster_ring r = {.rasters = rasters,
                   .count = count,
                   .width = rasters[0]->is.width,
                   .height = rasters[0]->is.height,
                   .tile_w = rasters[0]->tile_w,
                   .tile_h = rasters[0]->tile_h,
                   .work = work,
                   .progress = progress,
                   .progress_user = progress_user,
                   .io = io,
                   .lock = PTHREAD_MUTEX_INITIALIZER,
                   .moved = PTHREAD_COND_INITIALIZER};
  for (int i = 0; i < count; i++) {
    r.offset[i] = r.bytes;
    r.band_bytes[i] = (r.tile_w * r.tile_h * value_bytes(rasters[i]) + 63) / 64 * 64;
    r.bytes += r.band_bytes[i] * rasters[i]->is.bands;
    r.planes += rasters[i]->is.bands;
  }
  r.across = (r.width + r.tile_w - 1) / r.tile_w;
  r.tiles = r.across * ((r.height + r.tile_h - 1) / r.tile_h);
  r.workers = work->workers < 1 ? 1 : work->workers < r.tiles ? work->workers : (int)r.tiles;
  if (make_slots(&r)) {
    gv_io_loop loop = {.threads = r.workers, .count = r.workers, .grain = 1, .user = &r};
    gv_gdal_reset();
    (void)gv_io_parallel_for(io, &loop, work_on);
  } else {
    r.status = gv_io_fail_memory(io, "the output blocks");
  }
  free_slots(&r);
  for (int i = 0; i < count && r.status == GV_OK; i++)
    r.status = gv_raster_tiles_complete(io, rasters[i]);
  pthread_cond_destroy(&r.moved);
  pthread_mutex_destroy(&r.lock);
  return r.status;
}
