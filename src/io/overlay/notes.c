/* Notes of where parts of pixels fall, and blocks of cells by them. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "io/grow.h"
#include "io/overlay/overlay.h"
#include "io/parallel.h"

enum { NOTED = 1 << 17 /* pixels noted at once */ };

static gv_status add_note(gv_io *io, gv_bucket *b, const gv_note *n) {
  gv_note *notes = gv_grow(b->notes, &b->capacity, b->count + 1, sizeof *notes);
  if (notes == NULL) return gv_overlay_no_memory(io);
  b->notes = notes;
  b->notes[b->count++] = *n;
  return GV_OK;
}

/* Noting where parts fall, and adding them up. */
static void take_note(gv_sink *to, int64_t column, int64_t row, double amount) {
  const gv_overlay *o = to->overlay;
  if (column < 0) return;
  to->inside += amount;
  gv_bucket *b = &to->buckets[row / GV_BUCKET_SIDE * o->buckets_across + column / GV_BUCKET_SIDE];
  if (b->count > 0 && b->notes[b->count - 1].row == to->pixel_row) {
    b->notes[b->count - 1].end = to->pixel + 1; /* pixels ascend */
  } else if (to->status == GV_OK) {
    to->status = add_note(to->io, b, &(gv_note){to->pixel_row, to->pixel, to->pixel + 1});
  }
}

/* One worker's part of noting: rows of pixels, and what they come to. */
typedef struct noter {
  double *values;
  uint8_t *valid;
  gv_bucket *buckets;
} noter;

/* All of noting: pieces of some rows, put together in their order. */
typedef struct noting {
  gv_overlay *o;
  noter *noters;
  int64_t rows; /* of a piece */
  pthread_mutex_t lock;
  pthread_cond_t moved;
  int64_t next; /* piece to be put to the others */
  bool failed;  /* one before it */
} noting;

static gv_status noter_make(gv_io *io, const noting *all, noter *n) {
  size_t pixels = (size_t)(all->rows * all->o->raster.width);
  n->values = malloc(pixels * sizeof *n->values);
  n->valid = malloc(pixels);
  n->buckets = calloc((size_t)(all->o->buckets_across * all->o->buckets_down), sizeof *n->buckets);
  bool made = n->values != NULL && n->valid != NULL && n->buckets != NULL;
  return made ? GV_OK : gv_overlay_no_memory(io);
}

static void noter_free(const gv_overlay *o, noter *n) {
  for (int64_t i = 0; i < o->buckets_across * o->buckets_down && n->buckets != NULL; i++)
    free(n->buckets[i].notes);
  free(n->buckets);
  free(n->values);
  free(n->valid);
}

/* Notes a piece. */
static gv_status note_piece(gv_io *io, const noting *all, int worker, int64_t piece, gv_sink *to) {
  const gv_overlay *o = all->o;
  noter *n = &all->noters[worker];
  int64_t width = o->raster.width, y = piece * all->rows;
  int64_t rows = o->raster.height - y < all->rows ? o->raster.height - y : all->rows;
  *to = (gv_sink){.take = take_note, .io = io, .overlay = o, .buckets = n->buckets};
  gv_status status = gv_raster_in_values(io, &o->raster, worker, 0, y, width, rows, n->values, n->valid);
  for (int64_t r = 0; r < rows && status == GV_OK; r++)
    status = gv_part_row(io, o, &o->of_worker[worker], y + r, 0, width, n->values + r * width, to);
  if (status == GV_OK && gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
  return status;
}

/* Moves a worker's notes to the overlay's. */
static gv_status move_notes(gv_io *io, gv_overlay *o, noter *n) {
  gv_status status = GV_OK;
  for (int64_t i = 0; i < o->buckets_across * o->buckets_down; i++) {
    gv_bucket *from = &n->buckets[i];
    for (int64_t k = 0; k < from->count && status == GV_OK; k++)
      status = add_note(io, &o->buckets[i], &from->notes[k]);
    from->count = 0;
  }
  return status;
}

/* Pieces are handed out in their order, so that the one which is waited for is always at work, until one fails: the error is the
 * first, in this order. */
static gv_status note_some(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  noting *all = user;
  gv_status status = GV_OK;
  for (int64_t piece = first; piece < end && status == GV_OK; piece++) {
    gv_sink to;
    status = note_piece(io, all, worker, piece, &to);
    pthread_mutex_lock(&all->lock);
    while (all->next != piece && !all->failed)
      pthread_cond_wait(&all->moved, &all->lock);
    if (all->failed) {
      status = GV_OK; /* the error has been passed on, and nobody waits for this piece */
    } else {
      all->o->inside += to.inside;
      if (status == GV_OK) status = move_notes(io, all->o, &all->noters[worker]);
      all->failed = status != GV_OK;
      all->next++;
    }
    pthread_cond_broadcast(&all->moved);
    pthread_mutex_unlock(&all->lock);
  }
  return status;
}

gv_status gv_overlay_note(gv_io *io, gv_overlay *o) {
  int64_t width = o->raster.width, height = o->raster.height;
  noting all = {.o = o, .lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};
  /* What is not in memory is decoded, by whole blocks if possible. */
  all.rows = NOTED / width > 0 ? NOTED / width : 1;
  if (o->raster.kept.h < height) all.rows = gv_raster_in_rows_at_once(&o->raster);
  gv_io_loop loop = {.count = (height + all.rows - 1) / all.rows, .grain = 1, .user = &all};
  int64_t bytes = all.rows * width * (int64_t)(sizeof(double) + 1) +
                  o->buckets_across * o->buckets_down * (int64_t)sizeof(gv_bucket);
  int64_t most = o->readers.memory / bytes > 0 ? o->readers.memory / bytes : 1;
  loop.threads = o->workers < loop.count ? o->workers : (int)loop.count;
  if (loop.threads > most) loop.threads = (int)most;
  all.noters = calloc((size_t)loop.threads, sizeof *all.noters);
  gv_status status = all.noters != NULL ? GV_OK : gv_overlay_no_memory(io);
  for (int i = 0; i < loop.threads && status == GV_OK; i++)
    status = noter_make(io, &all, &all.noters[i]);
  gv_gdal_reset();
  if (status == GV_OK) status = gv_io_parallel_for(io, &loop, note_some);
  for (int i = 0; i < loop.threads && all.noters != NULL; i++)
    noter_free(o, &all.noters[i]);
  free(all.noters);
  pthread_cond_destroy(&all.moved);
  pthread_mutex_destroy(&all.lock);
  return status;
}

/* -------------------------------------------------------------------------------------------------------- blocks */

static void take_value(gv_sink *to, int64_t column, int64_t row, double amount) {
  int64_t c = column - to->x, r = row - to->y;
  if (column < 0 || c < 0 || r < 0 || c >= to->w || r >= to->h) return;
  to->values[r * to->w + c] += amount;
}

/* The pixels of row `row` that any of the buckets has noted; `at` is where each bucket's notes have got to. */
static void union_of_notes(const gv_overlay *o, const int64_t *numbers, const int64_t *at, int count, int64_t row,
                           int64_t *first, int64_t *end) {
  *first = INT64_MAX;
  *end = -1;
  for (int i = 0; i < count; i++) {
    const gv_bucket *b = &o->buckets[numbers[i]];
    if (at[i] >= b->count || b->notes[at[i]].row != row) continue;
    if (b->notes[at[i]].first < *first) *first = b->notes[at[i]].first;
    if (b->notes[at[i]].end > *end) *end = b->notes[at[i]].end;
  }
}

gv_status gv_overlay_cells_parted(gv_io *io, const gv_overlay *o, int worker, int64_t x, int64_t y, int64_t w,
                                  int64_t h, gv_quantity *out) {
  gv_overlay_worker *b = &o->of_worker[worker];
  int64_t b0 = x / GV_BUCKET_SIDE, b1 = (x + w - 1) / GV_BUCKET_SIDE + 1, c0 = y / GV_BUCKET_SIDE,
          c1 = (y + h - 1) / GV_BUCKET_SIDE + 1;
  int count = (int)((b1 - b0) * (c1 - c0));
  int64_t *numbers = malloc(2 * (size_t)count * sizeof *numbers);
  gv_status status = numbers != NULL ? gv_overlay_worker_grow(io, b, w * h, w, 1) : gv_overlay_no_memory(io);
  if (status != GV_OK) {
    free(numbers);
    return status;
  }
  int64_t *at = numbers + count;
  for (int i = 0; i < count; i++) {
    numbers[i] = (c0 + i / (b1 - b0)) * o->buckets_across + (b0 + i % (b1 - b0));
    at[i] = 0;
  }
  memset(b->values, 0, (size_t)(w * h) * sizeof *b->values);
  gv_sink to = {.take = take_value, .io = io, .values = b->values, .x = x, .y = y, .w = w, .h = h};
  while (status == GV_OK) {
    int64_t row = INT64_MAX, first, end;
    for (int i = 0; i < count; i++) {
      const gv_bucket *one = &o->buckets[numbers[i]];
      if (at[i] < one->count && one->notes[at[i]].row < row) row = one->notes[at[i]].row;
    }
    if (row == INT64_MAX) break;
    union_of_notes(o, numbers, at, count, row, &first, &end);
    for (int i = 0; i < count; i++) {
      const gv_bucket *one = &o->buckets[numbers[i]];
      if (at[i] < one->count && one->notes[at[i]].row == row) at[i]++;
    }
    status = gv_overlay_worker_grow(io, b, w * h, w, end - first);
    if (status == GV_OK)
      status = gv_raster_in_values(io, &o->raster, worker, first, row, end - first, 1, b->pixels, b->valid);
    if (status == GV_OK) status = gv_part_row(io, o, b, row, first, end - first, b->pixels, &to);
  }
  free(numbers);
  *out = (gv_quantity){b->values, NULL, (int32_t)w, w, NULL, 0};
  return status;
}
