/*
 * Reading. Blocks are computed when a window first needs them and kept for a while, because programs that
 * read rows need each block row by row. Only the requested kinds of values are computed; ids are cheap and
 * always computed.
 */
#include "job/on_demand/blocks.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "io/parallel.h"
#include "job/on_demand/cache.h"
#include "job/on_demand/levels.h"
#include "job/raster/compute/block.h"

/* ---------------------------------------------------------------------------------------------- computing */

static size_t value_size(const gv_run_work *w, int kind) {
  return (size_t)GDALGetDataTypeSizeBytes(w->plan->type[kind]);
}

/* If all cells are equal only the first values are written: untouched pages take no memory. */
static gv_status on_demand_blocks_compute(gv_io *io, gv_on_demand *on_demand, int level, int worker,
                                          int64_t column, int64_t row, unsigned kinds,
                                          gv_on_demand_block **out) {
  gv_run_work *w = &on_demand->level[level].work;
  const gv_run_plan *plan = w->plan;
  const gv_rectangle part = gv_run_block_cells(w, column, row);
  gv_raster_block block = {.column = column, .row = row, .stride = part.w};
  size_t bytes = 0, at[GV_ON_DEMAND_KINDS];
  unsigned made = 0;
  for (int i = 0; i < GV_ON_DEMAND_KINDS; i++) {
    if (plan->slot[i] < 0 || (i != GV_RUN_OUT && (kinds >> i & 1) == 0)) continue;
    made |= 1U << i;
    at[i] = bytes;
    bytes += ((size_t)(plan->bands[i] * part.w * part.h) * value_size(w, i) + 15) & ~(size_t)15;
  }
  gv_on_demand_block *b = *out = malloc(sizeof *b + bytes);
  if (b == NULL) return gv_io_fail_memory(io, "a block");
  *b = (gv_on_demand_block){
      .level = level, .column = column, .row = row, .kinds = made, .bytes = sizeof *b + bytes};
  b->piece = (gv_on_demand_piece){.x = part.x, .y = part.y, .w = part.w, .h = part.h};
  for (int i = 0; i < GV_ON_DEMAND_KINDS; i++) {
    if ((made >> i & 1) == 0) continue;
    const int s = plan->slot[i];
    b->piece.values[i] = block.out[s] = b->values + at[i];
    b->piece.band_stride[i] = block.band_stride[s] = part.w * part.h;
  }
  gv_status status = gv_run_compute_block(io, w, worker, &block);
  for (int i = 0; i < GV_ON_DEMAND_KINDS; i++) {
    const bool uniform = plan->slot[i] >= 0 && block.uniform[plan->slot[i]];
    b->piece.step[i] = !uniform;
    b->piece.stride[i] = uniform ? 0 : part.w;
  }
  if (status != GV_OK) free(b);
  return status;
}

/* ------------------------------------------------------------------------------------------------ reading */

/* A window in progress. Blocks outside it are those that a sequential reader needs next. */
typedef struct one_read {
  gv_on_demand *on_demand;
  const gv_on_demand_window *window;
  int32_t block_w, block_h;
  int64_t across; /* blocks in a row of the level */
  int64_t column, row, columns, own, count;
  int64_t *missing; /* those that are to be computed */
  int64_t done;     /* those that are not */
  size_t most;      /* bytes to keep */
  atomic_bool stopped;
} one_read;

static void on_demand_blocks_place_of(const one_read *r, int64_t i, int64_t *column, int64_t *row) {
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
static void on_demand_blocks_copy_part(const one_read *r, const gv_on_demand_block *b) {
  const gv_on_demand_window *w = r->window;
  gv_on_demand_piece piece = b->piece;
  int64_t left = piece.x > w->x ? piece.x : w->x, top = piece.y > w->y ? piece.y : w->y;
  int64_t right = piece.x + piece.w < w->x + w->w ? piece.x + piece.w : w->x + w->w;
  int64_t bottom = piece.y + piece.h < w->y + w->h ? piece.y + piece.h : w->y + w->h;
  for (int i = 0; i < GV_ON_DEMAND_KINDS; i++) {
    size_t size = value_size(&r->on_demand->level[w->level].work, i);
    int64_t skipped = (top - piece.y) * piece.stride[i] + (left - piece.x) * piece.step[i];
    if (piece.values[i] != NULL) piece.values[i] = (const char *)piece.values[i] + skipped * (int64_t)size;
  }
  piece.x = left - w->x;
  piece.y = top - w->y;
  piece.w = right - left;
  piece.h = bottom - top;
  w->take(w->user, &piece);
}

/* False if the program cancels. */
static bool on_demand_blocks_go_on(const gv_on_demand_window *w, double fraction) {
  return w->progress == NULL || gv_messages_call_host(w->progress, fraction, w->progress_user) != 0;
}

static gv_status compute_some(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  one_read *r = user;
  const gv_on_demand_window *w = r->window;
  gv_status status = GV_OK;
  for (int64_t i = first; i < end && status == GV_OK; i++) {
    int64_t column, row;
    gv_on_demand_block *b;
    on_demand_blocks_place_of(r, r->missing[i], &column, &row);
    status = on_demand_blocks_compute(io, r->on_demand, w->level, worker, column, row, w->kinds, &b);
    if (status == GV_OK) {
      if (r->missing[i] < r->own) on_demand_blocks_copy_part(r, b);
      gv_on_demand_cache_keep(&r->on_demand->cache, b, r->most);
    }
    /* Blocks are assigned in order; the first worker is the calling thread. */
    if (worker == 0 && !on_demand_blocks_go_on(w, (double)(r->done + i + 1) / (double)r->count))
      atomic_store(&r->stopped, true);
    if (status == GV_OK && atomic_load(&r->stopped)) status = gv_io_fail_cancelled(io);
  }
  return status;
}

/* Copies the blocks that are kept, and lists the others. */
static gv_status find_kept(gv_io *io, one_read *r, int64_t *missing) {
  const gv_on_demand_window *w = r->window;
  r->missing = malloc((size_t)r->count * sizeof *r->missing);
  if (r->missing == NULL) return gv_io_fail_memory(io, "a list of blocks");
  *missing = 0;
  for (int64_t i = 0; i < r->count; i++) {
    int64_t column, row;
    on_demand_blocks_place_of(r, i, &column, &row);
    const gv_on_demand_block *b =
        gv_on_demand_cache_find(&r->on_demand->cache, w->level, column, row, w->kinds);
    if (b == NULL) {
      r->missing[(*missing)++] = i;
      continue;
    }
    if (i < r->own) on_demand_blocks_copy_part(r, b);
    if (!on_demand_blocks_go_on(w, (double)++r->done / (double)r->count)) return gv_io_fail_cancelled(io);
  }
  return GV_OK;
}

/* For sequential readers, the next blocks are computed together with the first missing one. */
static void read_ahead(one_read *r, gv_on_demand_level *level) {
  int64_t number = r->row * r->across + r->column, rest = r->across - r->column,
          threads = level->work.worker_count;
  if (r->own > 1 || gv_on_demand_cache_find(&r->on_demand->cache, r->window->level, r->column, r->row,
                                            r->window->kinds) != NULL)
    return;
  if (number == level->expected && threads > 1) r->count = 2 * threads < rest ? 2 * threads : rest;
  level->expected = number + r->count;
}

gv_status gv_on_demand_read(gv_io *io, gv_on_demand *on_demand, const gv_on_demand_window *window) {
  GV_TRY(gv_on_demand_prepare(io, on_demand, window->level));
  gv_on_demand_level *level = &on_demand->level[window->level];
  one_read r = {.on_demand = on_demand,
                .window = window,
                .block_w = level->work.block_w,
                .block_h = level->work.block_h};
  int64_t missing = 0, waiting = level->in.budget.waiting, cache = (int64_t)GDALGetCacheMax64();
  r.most = (size_t)(waiting < cache ? waiting : cache);
  r.across = gv_run_blocks_across(&level->work);
  r.column = window->x / r.block_w;
  r.row = window->y / r.block_h;
  r.columns = (window->x + window->w - 1) / r.block_w - r.column + 1;
  r.own = r.count = r.columns * ((window->y + window->h - 1) / r.block_h - r.row + 1);
  read_ahead(&r, level);
  gv_status status = find_kept(io, &r, &missing);
  if (status == GV_OK) {
    gv_io_loop loop = {.threads = level->work.worker_count, .count = missing, .grain = 1, .user = &r};
    status = gv_io_parallel_for(io, &loop, compute_some);
  }
  free(r.missing);
  /* The calling thread may have had none of the blocks, or not the last. */
  if (status == GV_OK && !on_demand_blocks_go_on(window, 1.0)) status = gv_io_fail_cancelled(io);
  return status;
}
