/* Blocks computed by several threads and written in file order by whichever of them is free. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "io/out/raster_file.h"
#include "io/parallel.h"

enum {
  MAX_BUFFER_BYTES = 64 << 20,
  MAX_BLOCK = 8192 /* cells a side that the library computes at once */
};

/* How rasters of one grid are cut up for computing and writing: units are written at once, blocks computed at once. */
typedef struct layout {
  bool by_block; /* of the file, else by rows */
  int32_t block_w, block_h;
  int64_t unit_w, unit_h;
  int64_t blocks_in_unit;
  int64_t bytes;                  /* of a unit of all rasters */
  int64_t offset[GV_MAX_RASTERS]; /* of a raster's first band in a unit's buffer */
  int64_t band_bytes[GV_MAX_RASTERS];
} layout;

static int64_t value_bytes(const gv_raster_out *raster) {
  return GDALGetDataTypeSizeBytes(raster->type);
}

static void measure_units(gv_raster_out *const *rasters, int count, layout *l) {
  l->bytes = 0;
  for (int i = 0; i < count; i++) {
    l->offset[i] = l->bytes;
    l->band_bytes[i] = (l->unit_w * l->unit_h * value_bytes(rasters[i]) + 63) / 64 * 64;
    l->bytes += l->band_bytes[i] * rasters[i]->bands;
  }
}

/* Blocks of the file if all rasters have the same, otherwise rows. */
static void choose_layout(gv_raster_out *const *rasters, int count, layout *l) {
  const gv_raster_out *first = rasters[0];
  int w = 0, h = 0, tallest = 1;
  int64_t cell_bytes = 0;
  memset(l, 0, sizeof *l);
  l->by_block = true;
  for (int i = 0; i < count; i++) {
    int own_w = 0, own_h = 0;
    GDALGetBlockSize(GDALGetRasterBand(rasters[i]->dataset, 1), &own_w, &own_h);
    if (i == 0) w = own_w, h = own_h;
    l->by_block = l->by_block && own_w == w && own_h == h;
    tallest = own_h > tallest ? own_h : tallest;
    cell_bytes += value_bytes(rasters[i]) * rasters[i]->bands;
  }
  int least = cell_bytes > 4096 ? 16 : 64;
  l->by_block = l->by_block && w >= least && h >= least && w <= MAX_BLOCK && h <= MAX_BLOCK &&
                (int64_t)w * h * cell_bytes <= MAX_BUFFER_BYTES;
  if (l->by_block) {
    l->block_w = w;
    l->block_h = h;
    l->unit_w = w;
    l->unit_h = h;
    l->blocks_in_unit = 1;
  } else {
    int64_t rows = (MAX_BUFFER_BYTES / 2) / (first->width * cell_bytes);
    rows = rows < 1 ? 1 : rows > GV_RASTER_SIDE ? GV_RASTER_SIDE : rows;
    if (tallest > 1 && tallest <= rows) rows -= rows % tallest;
    if (rows > first->height) rows = first->height;
    l->block_w = GV_RASTER_SIDE;
    l->block_h = (int32_t)rows;
    l->unit_w = first->width;
    l->unit_h = rows;
    l->blocks_in_unit = (first->width + GV_RASTER_SIDE - 1) / GV_RASTER_SIDE;
  }
  measure_units(rasters, count, l);
}

void gv_raster_block_size(gv_raster_out *const *rasters, int count, int32_t *width, int32_t *height) {
  layout l;
  choose_layout(rasters, count, &l);
  *width = l.block_w;
  *height = l.block_h;
}

/* One unit in the ring. */
typedef struct slot {
  char *buffer;           /* its values; NULL where only encoded TIFF tiles are kept */
  gv_tiff_tile *encoded;  /* of each raster's bands */
  int64_t unit;           /* which it holds; -1: none */
  int64_t blocks_to_come; /* 0 = complete, ready to be written */
} slot;

/* What a thread has of its own. */
typedef struct desk {
  char *values; /* a unit's, on its way into a slot's encoded TIFF tiles; NULL where slots keep values */
  gv_tiff_encoder *encoders[GV_MAX_RASTERS]; /* NULL for rasters whose values are written as they are */
} desk;

/* The ring: unit u lives in slot u % slots from the time it is begun until it is written. */
typedef struct ring {
  gv_raster_out *const *rasters;
  int count;
  int64_t width, height;
  layout layout;
  gv_raster_block_fn *compute;
  void *user;
  GDALProgressFunc progress;
  void *progress_user;
  gv_io *io; /* the run's, for who has the lock */

  pthread_mutex_t lock;
  pthread_cond_t moved; /* a unit was written, or the run has failed */
  slot *slots;
  int64_t slot_count;
  desk *desks; /* one a worker */
  int workers;
  int planes; /* of all rasters */
  bool all_encoded;
  int64_t units_across, units;
  int64_t next_block;   /* to be computed: unit * blocks_in_unit + block */
  int64_t next_written; /* units written so far */
  bool writing;         /* one of the workers is writing */
  gv_status status;     /* the first error, whose line is the run's */
} ring;

static void fail_ring(ring *r, gv_status status, const gv_io *worker) {
  if (r->status == GV_OK) r->status = gv_io_pass_on(r->io, status, worker);
  pthread_cond_broadcast(&r->moved);
}

static bool is_encoded(const gv_raster_out *raster) {
  return raster->tiff != NULL && !gv_tiff_stores_values(raster->tiff);
}

/* One band of a unit. */
static gv_status write_band(gv_io *io, ring *r, const slot *s, int i, int b, const gv_tiff_tile *tile) {
  const layout *l = &r->layout;
  gv_raster_out *raster = r->rasters[i];
  int64_t column = s->unit % r->units_across, row = s->unit / r->units_across;
  bool encoded = is_encoded(raster);
  char *values = encoded ? NULL : s->buffer + l->offset[i] + b * l->band_bytes[i];
  if (raster->tiff != NULL) {
    const void *bytes = encoded ? (const void *)tile->bytes : values;
    size_t size = encoded ? tile->size : (size_t)(l->unit_w * l->unit_h * value_bytes(raster));
    return gv_tiff_append(io, raster->tiff, b, column, row, bytes, size);
  }
  GDALRasterBandH band = GDALGetRasterBand(raster->dataset, b + 1);
  int64_t y = row * l->unit_h;
  int64_t rows = r->height - y < l->unit_h ? r->height - y : l->unit_h;
  CPLErr error = l->by_block ? GDALWriteBlock(band, (int)column, (int)row, values)
                             : GDALRasterIO(band, GF_Write, 0, (int)y, (int)r->width, (int)rows, values,
                                            (int)r->width, (int)rows, raster->type, 0, 0);
  return error == CE_None ? GV_OK : gv_io_fail_gdal(io, GV_ERROR_IO, "cannot write %s", raster->place.output.path);
}

/* Writes one unit; without the lock, but with `writing` set. */
static gv_status write_unit(gv_io *io, ring *r, const slot *s) {
  gv_status status = GV_OK;
  for (int i = 0, plane = 0; i < r->count; i++) {
    for (int b = 0; b < r->rasters[i]->bands && status == GV_OK; b++, plane++)
      status = write_band(io, r, s, i, b, &s->encoded[plane]);
  }
  return status;
}

/* Writes whatever is complete and next in the file, unless another worker is at it. Called and left with the lock.
 */
static void write_ready(gv_io *io, ring *r) {
  while (!r->writing && r->status == GV_OK && r->next_written < r->units) {
    slot *s = &r->slots[r->next_written % r->slot_count];
    if (s->unit != r->next_written || s->blocks_to_come != 0) return;
    r->writing = true;
    pthread_mutex_unlock(&r->lock);
    gv_status status = write_unit(io, r, s);
    double fraction = (double)(r->next_written + 1) / (double)r->units;
    bool go_on = r->progress == NULL || r->progress(fraction, "", r->progress_user);
    go_on = go_on && !gv_io_cancelled(io);
    if (status == GV_OK && !go_on) status = gv_io_fail_cancelled(io);
    pthread_mutex_lock(&r->lock);
    r->writing = false;
    s->unit = -1;
    r->next_written++;
    if (status != GV_OK) fail_ring(r, status, io);
    pthread_cond_broadcast(&r->moved);
  }
}

static void fill_nodata(const gv_raster_out *raster, void *values, int64_t cells) {
  if (GDALDataTypeIsInteger(raster->type)) {
    GDALCopyWords64(&raster->nodata, GDT_Int64, 0, values, raster->type, GDALGetDataTypeSizeBytes(raster->type),
                    cells);
  } else if (raster->type == GDT_Float64) {
    double *out = values;
    for (int64_t i = 0; i < cells; i++)
      out[i] = (double)NAN;
  } else {
    float *out = values;
    for (int64_t i = 0; i < cells; i++)
      out[i] = NAN;
  }
}

/* Blocks at the edge leave the rest of the block of the file as it was: nodata compresses to nothing. */
static void fill_unit(const ring *r, int64_t unit, char *values) {
  const layout *l = &r->layout;
  int64_t column = unit % r->units_across, row = unit / r->units_across;
  bool whole = (column + 1) * l->unit_w <= r->width && (row + 1) * l->unit_h <= r->height;
  for (int i = 0; i < r->count && !whole; i++) {
    for (int b = 0; b < r->rasters[i]->bands; b++)
      fill_nodata(r->rasters[i], values + l->offset[i] + b * l->band_bytes[i], l->unit_w * l->unit_h);
  }
}

/* Blocks that were left at their first cells: the rest of them, but where an encoder does without. */
static void spread_uniform(const ring *r, int worker, gv_raster_block *block) {
  const layout *l = &r->layout;
  int64_t x = block->column * l->block_w, y = block->row * l->block_h;
  int64_t w = r->width - x < l->block_w ? r->width - x : l->block_w;
  int64_t h = r->height - y < l->block_h ? r->height - y : l->block_h;
  bool whole = l->blocks_in_unit == 1 && w == l->unit_w && h == l->unit_h;
  for (int i = 0; i < r->count; i++) {
    if (!block->uniform[i] || (whole && r->desks[worker].encoders[i] != NULL)) continue;
    size_t bytes = (size_t)value_bytes(r->rasters[i]);
    block->uniform[i] = false;
    for (int b = 0; b < r->rasters[i]->bands; b++) {
      char *first = (char *)block->out[i] + (size_t)(b * block->band_stride[i]) * bytes;
      for (int64_t c = 1; c < w; c++)
        memcpy(first + (size_t)c * bytes, first, bytes);
      for (int64_t row = 1; row < h; row++)
        memcpy(first + (size_t)(row * block->stride) * bytes, first, (size_t)w * bytes);
    }
  }
}

/* A computed unit's values into the slot's encoded TIFF tiles, where the raster wants them. */
static gv_status encode_unit(gv_io *io, ring *r, int worker, char *values, const gv_raster_block *block, slot *s) {
  const layout *l = &r->layout;
  gv_status status = GV_OK;
  for (int i = 0, plane = 0; i < r->count; i++) {
    gv_tiff_encoder *encoder = r->desks[worker].encoders[i];
    for (int b = 0; b < r->rasters[i]->bands && status == GV_OK; b++, plane++) {
      char *band = values + l->offset[i] + b * l->band_bytes[i];
      if (encoder != NULL && !block->encoded[i])
        status = gv_tiff_encode(io, encoder, band, block->uniform[i], &s->encoded[plane]);
    }
  }
  return status;
}

/* Computes part of a unit into the slot. Without the lock. */
static gv_status compute_part(gv_io *io, ring *r, int worker, int64_t part, slot *s) {
  const layout *l = &r->layout;
  int64_t unit = s->unit;
  char *values = r->all_encoded ? r->desks[worker].values : s->buffer;
  gv_raster_block block = {.column = unit % r->units_across * l->blocks_in_unit + part,
                           .row = unit / r->units_across,
                           .stride = l->unit_w};
  for (int i = 0, plane = 0; i < r->count; plane += r->rasters[i++]->bands) {
    int64_t bytes = value_bytes(r->rasters[i]);
    if (r->desks[worker].encoders[i] != NULL) block.tiles[i] = &s->encoded[plane];
    block.out[i] = values + l->offset[i] + part * l->block_w * bytes;
    block.band_stride[i] = l->band_bytes[i] / bytes;
  }
  if (l->blocks_in_unit == 1) fill_unit(r, unit, values);
  gv_status status = r->compute(io, r->user, worker, &block);
  if (status == GV_OK && gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
  if (status == GV_OK) spread_uniform(r, worker, &block);
  if (status == GV_OK) status = encode_unit(io, r, worker, values, &block, s);
  return status;
}

static void work(ring *r, int worker) {
  int64_t per_unit = r->layout.blocks_in_unit;
  gv_io own, *io = &own;
  gv_io_for_worker(r->io, io);
  pthread_mutex_lock(&r->lock);
  while (r->status == GV_OK && r->next_block < r->units * per_unit) {
    int64_t number = r->next_block, unit = number / per_unit, part = number % per_unit;
    slot *s = &r->slots[unit % r->slot_count];
    if (part == 0) {
      if (s->unit != -1) { /* its last unit is not written yet */
        write_ready(io, r);
        if (s->unit != -1 && r->next_block == number && r->status == GV_OK) pthread_cond_wait(&r->moved, &r->lock);
        continue;
      }
      s->unit = unit;
      s->blocks_to_come = per_unit;
      if (per_unit > 1) fill_unit(r, s->unit, s->buffer); /* before any other part */
    }
    r->next_block++;
    pthread_mutex_unlock(&r->lock);

    gv_status status = compute_part(io, r, worker, part, s);
    pthread_mutex_lock(&r->lock);
    s->blocks_to_come--;
    if (status != GV_OK) {
      fail_ring(r, status, io);
    } else {
      write_ready(io, r);
    }
  }
  /* Units that others complete later are written by them. */
  write_ready(io, r);
  pthread_mutex_unlock(&r->lock);
}

/* Whoever works does so until nothing is left. */
static gv_status work_on(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  (void)io, (void)first, (void)end;
  work(user, worker);
  return GV_OK;
}

/* Ring and desks: values of some units, or encoded TIFF tiles of more. */
static gv_status make_slots(gv_io *io, ring *r) {
  int64_t bytes = r->layout.bytes, workers = r->workers;
  int64_t count = !r->layout.by_block ? 3 : r->all_encoded ? 4 * workers + 2 : 2 * workers + 2;
  if (count > r->rasters[0]->memory / bytes) count = r->rasters[0]->memory / bytes;
  if (count < 2) count = 2;
  if (count > r->units) count = r->units;
  r->slots = calloc((size_t)count, sizeof *r->slots);
  r->desks = calloc((size_t)workers, sizeof *r->desks);
  if (r->slots == NULL || r->desks == NULL) return gv_io_fail_memory(io, "the output blocks");
  r->slot_count = count;
  for (int64_t i = 0; i < count; i++) {
    r->slots[i].unit = -1;
    r->slots[i].encoded = calloc((size_t)r->planes, sizeof *r->slots[i].encoded);
    if (!r->all_encoded) r->slots[i].buffer = aligned_alloc(64, (size_t)bytes);
    if (r->slots[i].encoded == NULL || (!r->all_encoded && r->slots[i].buffer == NULL)) {
      return gv_io_fail_memory(io, "the output blocks");
    }
  }
  for (int w = 0; w < workers; w++) {
    desk *d = &r->desks[w];
    if (r->all_encoded) d->values = aligned_alloc(64, (size_t)bytes);
    if (r->all_encoded && d->values == NULL) return gv_io_fail_memory(io, "the output blocks");
    for (int i = 0; i < r->count; i++) {
      if (!is_encoded(r->rasters[i])) continue;
      d->encoders[i] = gv_tiff_encoder_create(r->rasters[i]->tiff);
      if (d->encoders[i] == NULL) return gv_io_fail_memory(io, "the output blocks");
    }
  }
  return GV_OK;
}

static void free_slots(ring *r) {
  for (int64_t i = 0; i < r->slot_count; i++) {
    for (int p = 0; p < r->planes && r->slots[i].encoded != NULL; p++)
      gv_tiff_tile_free(&r->slots[i].encoded[p]);
    free(r->slots[i].encoded);
    free(r->slots[i].buffer);
  }
  for (int w = 0; w < r->workers && r->desks != NULL; w++) {
    for (int i = 0; i < r->count; i++)
      gv_tiff_encoder_destroy(r->desks[w].encoders[i]);
    free(r->desks[w].values);
  }
  free(r->slots);
  free(r->desks);
}

/* A sparse file from GDAL's hands into libtiff's, if its TIFF tiles can be written so. */
static gv_status hand_over(gv_io *io, gv_raster_out *raster, int64_t tile_bytes) {
  gv_status status = gv_raster_dataset_close(io, raster);
  if (status != GV_OK) return status;
  status =
      gv_tiff_open(io, raster->work, raster->place.output.path, raster->used_options, tile_bytes, &raster->tiff);
  if (status != GV_OK || raster->tiff != NULL) return status;
  return gv_raster_dataset_reopen(io, raster);
}

/* And back. */
static gv_status take_back(gv_io *io, gv_raster_out *raster) {
  gv_status status = gv_tiff_complete(io, raster->tiff);
  gv_tiff_close(raster->tiff);
  raster->tiff = NULL;
  return status == GV_OK ? gv_raster_dataset_reopen(io, raster) : status;
}

static gv_status run_ring(gv_io *io, ring *r) {
  gv_io_loop loop = {.threads = r->workers, .count = r->workers, .grain = 1, .user = r};
  gv_status status = make_slots(io, r);
  if (status == GV_OK) {
    gv_gdal_reset();
    (void)gv_io_parallel_for(io, &loop, work_on);
    status = r->status;
  }
  free_slots(r);
  return status;
}

gv_status gv_raster_write(gv_io *io, gv_raster_out *const *rasters, int count, const gv_raster_work *work,
                          GDALProgressFunc progress, void *progress_user) {
  ring r = {.rasters = rasters,
            .count = count,
            .width = rasters[0]->width,
            .height = rasters[0]->height,
            .compute = work->compute,
            .user = work->user,
            .progress = progress,
            .progress_user = progress_user,
            .io = io,
            .lock = PTHREAD_MUTEX_INITIALIZER,
            .moved = PTHREAD_COND_INITIALIZER};
  choose_layout(rasters, count, &r.layout);
  const layout *l = &r.layout;
  r.units_across = (r.width + l->unit_w - 1) / l->unit_w;
  r.units = r.units_across * ((r.height + l->unit_h - 1) / l->unit_h);
  int64_t blocks = r.units * l->blocks_in_unit;
  r.workers = work->workers < 1 ? 1 : work->workers < blocks ? work->workers : (int)blocks;
  gv_status status = GV_OK;
  r.all_encoded = l->by_block;
  for (int i = 0; i < count && status == GV_OK; i++) {
    int64_t tile_bytes = l->unit_w * l->unit_h * value_bytes(rasters[i]);
    if (rasters[i]->sparse && l->by_block) status = hand_over(io, rasters[i], tile_bytes);
    r.all_encoded = r.all_encoded && is_encoded(rasters[i]);
    r.planes += rasters[i]->bands;
  }
  if (status == GV_OK) status = run_ring(io, &r);
  for (int i = 0; i < count && status == GV_OK; i++)
    if (rasters[i]->tiff != NULL) status = take_back(io, rasters[i]);
  pthread_cond_destroy(&r.moved);
  pthread_mutex_destroy(&r.lock);
  return status;
}
