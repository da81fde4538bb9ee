/*
 * Reading. Blocks are computed when a window first needs them and kept for a while: readers of rows ask for each of them row by row, and
 * those who share a raster for the same ones. What a block is asked for decides what is computed of it; ids cost little and are there
 * always.
 */
#include <stdlib.h>
#include <string.h>

#include "io/parallel.h"
#include "job/budget.h"
#include "job/live_parts.h"

/* ------------------------------------------------------------------------------------------------------ keeping */

enum { SLOTS = 1 << 12 };

gv_status gv_live_cache_make(gv_io *io, gv_live_cache *cache) {
  pthread_mutex_init(&cache->lock, NULL);
  cache->slots = calloc(SLOTS, sizeof *cache->slots);
  return cache->slots != NULL ? GV_OK : gv_io_fail_memory(io, "the blocks");
}

void gv_live_cache_free(gv_live_cache *cache) {
  for (gv_live_block *b = cache->newest, *older; b != NULL; b = older) {
    older = b->older;
    free(b);
  }
  free(cache->slots);
}

static gv_live_block **slot_of(gv_live_cache *cache, int level, int64_t column, int64_t row) {
  uint64_t key = ((uint64_t)row * UINT64_C(0x9e3779b97f4a7c15)) ^
                 ((uint64_t)column * UINT64_C(0xc2b2ae3d27d4eb4f)) ^
                 ((uint64_t)level * UINT64_C(0x165667b19e3779f9));
  return &cache->slots[(key ^ (key >> 29)) * UINT64_C(0xbf58476d1ce4e5b9) >> 52];
}

static void unlink_use(gv_live_cache *cache, gv_live_block *b) {
  *(b->newer != NULL ? &b->newer->older : &cache->newest) = b->older;
  *(b->older != NULL ? &b->older->newer : &cache->oldest) = b->newer;
}

static void link_newest(gv_live_cache *cache, gv_live_block *b) {
  b->newer = NULL;
  b->older = cache->newest;
  *(cache->newest != NULL ? &cache->newest->newer : &cache->oldest) = b;
  cache->newest = b;
}

/* The block with all that is asked for. With the lock. */
static gv_live_block *find(gv_live_cache *cache, int level, int64_t column, int64_t row, unsigned kinds) {
  gv_live_block *b = *slot_of(cache, level, column, row);
  while (b != NULL && (b->level != level || b->column != column || b->row != row || (b->kinds & kinds) != kinds))
    b = b->next;
  return b;
}

/* The same, to be copied from until it is given back. */
static gv_live_block *borrow(gv_live_cache *cache, int level, int64_t column, int64_t row, unsigned kinds) {
  pthread_mutex_lock(&cache->lock);
  gv_live_block *b = find(cache, level, column, row, kinds);
  if (b != NULL) {
    b->users++;
    unlink_use(cache, b);
    link_newest(cache, b);
  }
  pthread_mutex_unlock(&cache->lock);
  return b;
}

static void give_back(gv_live_cache *cache, gv_live_block *b) {
  pthread_mutex_lock(&cache->lock);
  b->users--;
  pthread_mutex_unlock(&cache->lock);
}

/* Takes a block, as borrowed by the caller, and lets go of those that were used longest ago. */
static void keep(gv_live_cache *cache, gv_live_block *b, size_t most) {
  gv_live_block **slot = slot_of(cache, b->level, b->column, b->row);
  pthread_mutex_lock(&cache->lock);
  b->users = 1;
  b->next = *slot;
  *slot = b;
  link_newest(cache, b);
  cache->bytes += b->bytes;
  for (gv_live_block *old = cache->oldest, *newer; old != NULL && cache->bytes > most; old = newer) {
    newer = old->newer;
    if (old->users > 0) continue;
    gv_live_block **at = slot_of(cache, old->level, old->column, old->row);
    while (*at != old)
      at = &(*at)->next;
    *at = old->next;
    unlink_use(cache, old);
    cache->bytes -= old->bytes;
    free(old);
  }
  pthread_mutex_unlock(&cache->lock);
}

/* ---------------------------------------------------------------------------------------------------- computing */

static size_t value_size(const gv_run *r, int kind) {
  if (kind == GV_RUN_OUT) return (size_t)GDALGetDataTypeSizeBytes(r->type);
  return kind == GV_RUN_DISTANCE && r->j->distance_type == GDT_Float64 ? sizeof(double) : sizeof(float);
}

/* Room for what a run computes of a block. */
static gv_status make_scratch(gv_io *io, const gv_run *r, gv_live_worker *worker) {
  size_t cells = (size_t)r->block_w * (size_t)r->block_h;
  for (int i = 0; i < GV_LIVE_KINDS; i++) {
    if (r->slot[i] < 0 || worker->scratch[i] != NULL) continue;
    worker->scratch[i] = malloc(cells * (size_t)gv_run_bands(r, i) * value_size(r, i));
    if (worker->scratch[i] == NULL) return gv_io_fail_memory(io, "a block");
  }
  return GV_OK;
}

/* A block's values out of a worker's memory: one where all are alike. */
static gv_live_block *copy_block(const gv_run *r, const gv_raster_block *from, const gv_run_part *part) {
  size_t bytes = 0, at[GV_LIVE_KINDS] = {0}, cells = (size_t)(part->w * part->h);
  for (int i = 0; i < GV_LIVE_KINDS; i++) {
    at[i] = bytes;
    if (r->slot[i] >= 0) bytes += (size_t)gv_run_bands(r, i) * (from->uniform[i] ? 1 : cells) * value_size(r, i);
    bytes = (bytes + 15) & ~(size_t)15;
  }
  gv_live_block *b = malloc(sizeof *b + bytes);
  if (b == NULL) return NULL;
  *b = (gv_live_block){.column = from->column, .row = from->row, .bytes = sizeof *b + bytes};
  b->piece = (gv_live_piece){.x = part->x, .y = part->y, .w = part->w, .h = part->h};
  for (int i = 0; i < GV_LIVE_KINDS; i++) {
    if (r->slot[i] < 0) continue;
    size_t size = value_size(r, i), w = from->uniform[i] ? 1 : (size_t)part->w,
           h = from->uniform[i] ? 1 : (size_t)part->h;
    char *to = b->values + at[i];
    b->kinds |= 1U << i;
    b->piece.values[i] = to;
    b->piece.step[i] = !from->uniform[i];
    b->piece.stride[i] = from->uniform[i] ? 0 : part->w;
    b->piece.band_stride[i] = (int64_t)(w * h);
    for (int band = 0; band < gv_run_bands(r, i); band++) {
      const char *out = (const char *)from->out[i] + (size_t)(band * from->band_stride[i]) * size;
      for (size_t y = 0; y < h; y++, to += w * size)
        memcpy(to, out + y * (size_t)from->stride * size, w * size);
    }
  }
  return b;
}

static gv_status compute(gv_io *io, gv_live *live, int number, int64_t column, int64_t row, unsigned kinds,
                         gv_live_block **out) {
  gv_live_level *level = &live->level[number];
  gv_run r = level->run; /* what nobody asks for is left out */
  for (int i = 0; i < GV_LIVE_KINDS; i++)
    if (i != GV_RUN_OUT && (kinds >> i & 1) == 0) r.slot[i] = -1;
  if (r.slot[GV_RUN_DISTANCE] < 0) r.each = NULL;
  gv_raster_block block = {.column = column, .row = row, .stride = r.block_w};
  const gv_run_part part = gv_run_block_part(&r, column, row);
  int worker = gv_live_take_worker(live, level);
  gv_status status = make_scratch(io, &r, &level->workers[worker]);
  for (int i = 0; i < GV_LIVE_KINDS; i++) {
    block.out[i] = level->workers[worker].scratch[i];
    block.band_stride[i] = (int64_t)r.block_w * r.block_h;
  }
  if (status == GV_OK) status = gv_run_compute_block(io, &r, worker, &block);
  gv_live_block *b = status == GV_OK ? copy_block(&r, &block, &part) : NULL;
  gv_live_give_worker(live, level, worker);
  if (status != GV_OK) return status;
  if (b == NULL) return gv_io_fail_memory(io, "a block");
  b->level = number;
  int64_t waiting = gv_budget_of(r.j).waiting, cache = (int64_t)GDALGetCacheMax64();
  keep(&live->cache, b, (size_t)(waiting < cache ? waiting : cache));
  *out = b;
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------------ reading */

/* A window under way. Blocks beyond its own are those that come next for who reads one after another. */
typedef struct reading {
  gv_live *live;
  const gv_live_window *window;
  gv_live_duty duty;
  int32_t block_w, block_h;
  int64_t across; /* blocks in a row of the level */
  int64_t column, row, columns, own, count;
  atomic_bool stopped;
} reading;

static void place_of(const reading *r, int64_t i, int64_t *column, int64_t *row) {
  if (r->own == 1) { /* and those behind it */
    int64_t number = r->row * r->across + r->column + i;
    *column = number % r->across;
    *row = number / r->across;
  } else {
    *column = r->column + i % r->columns;
    *row = r->row + i / r->columns;
  }
}

/* The part of a block that lies in the window. */
static void hand_over(const reading *r, const gv_live_block *b) {
  const gv_live_window *w = r->window;
  gv_live_piece piece = b->piece;
  int64_t left = piece.x > w->x ? piece.x : w->x, top = piece.y > w->y ? piece.y : w->y;
  int64_t right = piece.x + piece.w < w->x + w->w ? piece.x + piece.w : w->x + w->w;
  int64_t bottom = piece.y + piece.h < w->y + w->h ? piece.y + piece.h : w->y + w->h;
  for (int i = 0; i < GV_LIVE_KINDS; i++) {
    size_t size = value_size(&r->live->level[w->level].run, i);
    int64_t skipped = (top - piece.y) * piece.stride[i] + (left - piece.x) * piece.step[i];
    if (piece.values[i] != NULL) piece.values[i] = (const char *)piece.values[i] + skipped * (int64_t)size;
  }
  piece.x = left - w->x;
  piece.y = top - w->y;
  piece.w = right - left;
  piece.h = bottom - top;
  w->take(w->user, &piece);
}

static gv_status read_some(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  reading *r = user;
  gv_live_cache *cache = &r->live->cache;
  int level = r->window->level;
  gv_live_duty before = gv_live_take_on(r->duty);
  gv_status status = GV_OK;
  for (int64_t i = first; i < end && status == GV_OK; i++) {
    int64_t column, row;
    place_of(r, i, &column, &row);
    gv_live_block *b = borrow(cache, level, column, row, r->window->kinds);
    if (b == NULL) status = compute(io, r->live, level, column, row, r->window->kinds, &b);
    if (status == GV_OK) {
      if (i < r->own) hand_over(r, b);
      give_back(cache, b);
    }
    /* Blocks are handed out in their order, and the calling thread tells. */
    bool told = worker != 0 || r->window->progress == NULL ||
                r->window->progress((double)(i + 1) / (double)r->count, r->window->progress_user) != 0;
    if (!told) atomic_store(&r->stopped, true);
    if (status == GV_OK && atomic_load(&r->stopped)) status = gv_io_fail_cancelled(io);
  }
  gv_live_end_duty(before);
  return status;
}

/* How many of the window's blocks are to be computed, up to two. */
static int count_missing(const reading *r) {
  gv_live_cache *cache = &r->live->cache;
  int missing = 0;
  pthread_mutex_lock(&cache->lock);
  for (int64_t i = 0; i < r->own && missing < 2; i++) {
    int64_t column, row;
    place_of(r, i, &column, &row);
    missing += find(cache, r->window->level, column, row, r->window->kinds) == NULL;
  }
  pthread_mutex_unlock(&cache->lock);
  return missing;
}

gv_status gv_live_read(gv_io *io, gv_live *live, const gv_live_window *window) {
  gv_status status = gv_live_prepare(io, live, window->level);
  if (status != GV_OK) return status;
  gv_live_level *level = &live->level[window->level];
  reading r = {.live = live, .window = window, .block_w = level->run.block_w, .block_h = level->run.block_h};
  gv_live_frame frame;
  const gv_live_frame *before = gv_live_enter(&frame, live->key);
  r.duty = gv_live_duty_here();
  r.across = (level->width + r.block_w - 1) / r.block_w;
  r.column = window->x / r.block_w;
  r.row = window->y / r.block_h;
  r.columns = (window->x + window->w - 1) / r.block_w - r.column + 1;
  r.own = r.count = r.columns * ((window->y + window->h - 1) / r.block_h - r.row + 1);
  int missing = count_missing(&r), threads = missing > 0 ? level->run.worker_count : 1;
  int64_t number = r.row * r.across + r.column, rest = r.across - r.column;
  if (r.own == 1 && missing == 1 && number == atomic_load(&level->expected)) {
    r.count = 2 * threads < rest ? 2 * threads : rest;
    if (threads == 1) r.count = 1;
  }
  if (r.own == 1 && missing == 1) atomic_store(&level->expected, number + r.count);
  gv_io_loop loop = {.threads = threads, .count = r.count, .grain = 1, .user = &r};
  status = gv_io_parallel_for(io, &loop, read_some);
  /* The calling thread may have had none of the blocks, or not the last. */
  if (status == GV_OK && window->progress != NULL && window->progress(1.0, window->progress_user) == 0)
    status = gv_io_fail_cancelled(io);
  gv_live_leave(before);
  return status;
}
