#include "cost/cells.h"

#include <string.h>

#include "core/machine.h"
#include "cost/tiling.h"
#include "cost/window.h"

enum {
  RESULT_BYTES = sizeof(double) + sizeof(int32_t) + sizeof(uint8_t),
  CELL_BYTES = sizeof(double) + RESULT_BYTES
};

/*
 * gv_cost.mapped: friction of all tiles in their order, then results in slots in the order in which tiles
 * were reached. What was written is therefore in few pieces of the disk at any time, as some file systems
 * take milliseconds to free each.
 *
 * Half of the memory that it may use is for the tiles that were accessed since a time, half for those
 * accessed before: at the next time the pages of those that were accessed before only are removed.
 */
typedef struct cells_file {
  gv_cost_tiling tiling;
  int64_t tiles, room; /* room: cells of the largest tile */
  double *friction;
  char *results;
  atomic_int *slot; /* by tile; NONE: it has no results, DUE: a thread makes one */
  atomic_int slots;
  atomic_uchar *used; /* by tile: 1 or 2: when it was accessed; 0: its pages were removed */
  atomic_uchar now;   /* 1 or 2 */
  atomic_flag busy;   /* a thread removes pages */
  int times;          /* that it did */
  double *row_costs;  /* of gv_cost_row_costs and gv_cost_row_seeds */
  int32_t *row_seeds;
} cells_file;

enum { NONE = -1, DUE = -2 };

/* ---------------------------------------------------------------------------------------- tiles in a file */

/* Costs, seeds and ways of a slot. */
static char *cells_slot(const cells_file *f, int slot) {
  return f->results + (size_t)(slot * f->room) * RESULT_BYTES;
}

/* Bytes that come into memory with a tile, at most. */
static int64_t cells_slot_pages(const cells_file *f) {
  return f->room * CELL_BYTES + 2 * GV_COST_PAGES;
}

/* Before each access to a tile. */
static void cells_use(gv_cost *c, int64_t tile) {
  cells_file *f = c->mapped;
  const unsigned char now = atomic_load_explicit(&f->now, memory_order_relaxed);
  if (atomic_load_explicit(&f->used[tile], memory_order_relaxed) == now) return;
  atomic_store_explicit(&f->used[tile], now, memory_order_relaxed);
  gv_cost_touched(c, cells_slot_pages(f));
}

/* Removes the pages of a part, with those around it that came into memory with them. */
static void cells_remove(const gv_cost *c, const void *part, size_t bytes) {
  const cells_file *f = c->mapped;
  const uintptr_t begin = (uintptr_t)f->friction, end = begin + c->mapped_bytes, at = (uintptr_t)part;
  const uintptr_t from = at / GV_COST_PAGES * GV_COST_PAGES;
  const uintptr_t to = (at + bytes + GV_COST_PAGES - 1) / GV_COST_PAGES * GV_COST_PAGES;
  const size_t first = from > begin ? from - begin : 0, last = to < end ? to - begin : c->mapped_bytes;
  gv_machine_page_out((char *)f->friction + first, last - first);
}

/* Removes the pages of tiles that were not accessed since the last time; now and then all, as systems differ
 * in what they map around a page. */
static void cells_page_out(const gv_cost *c) {
  enum { ALL = 4 };
  cells_file *f = c->mapped;
  if (++f->times % ALL == 0) {
    for (int64_t i = 0; i < f->tiles; i++)
      atomic_store(&f->used[i], 0);
    gv_machine_page_out(f->friction, c->mapped_bytes);
    return;
  }
  const unsigned char before = atomic_load(&f->now) == 1 ? 2 : 1;
  const size_t room = (size_t)f->room;
  for (int64_t i = 0; i < f->tiles; i++) {
    unsigned char was = before;
    if (!atomic_compare_exchange_strong(&f->used[i], &was, 0)) continue;
    const int slot = atomic_load(&f->slot[i]);
    cells_remove(c, f->friction + (size_t)i * room, room * sizeof(double));
    if (slot >= 0) cells_remove(c, cells_slot(f, slot), room * RESULT_BYTES);
  }
  atomic_store(&f->now, before);
}

void gv_cost_touched(gv_cost *c, int64_t bytes) {
  cells_file *f = c->mapped;
  const long long all = atomic_fetch_add(&c->touched, bytes) + bytes;
  if ((double)all < 0.5 * c->is.resident || atomic_flag_test_and_set(&f->busy)) return;
  atomic_store(&c->touched, 0);
  cells_page_out(c);
  atomic_flag_clear(&f->busy);
}

int64_t gv_cost_bytes_around(const gv_cost *c) {
  return 9 * cells_slot_pages(c->mapped);
}

/* --------------------------------------------------------------------------------------------- the arrays */

void gv_cost_clear_results(gv_cost *c) {
  const cells_file *f = c->mapped;
  for (int64_t i = 0; f != NULL && i < f->tiles; i++) {
    const int slot = atomic_load(&f->slot[i]);
    if (slot < 0) continue;
    cells_use(c, i);
    memset(cells_slot(f, slot), 0, (size_t)f->room * RESULT_BYTES);
  }
  for (int64_t i = 0; i < c->cells && f == NULL; i++) {
    c->cost[i] = (double)INFINITY;
    c->seed[i] = -1;
  }
  if (c->from != NULL) memset(c->from, GV_COST_BY_START, (size_t)c->cells);
}

static gv_status cells_allocate(gv_context *context, gv_cost *c) {
  c->friction = gv_allocate(&c->allocator, c->cells, sizeof *c->friction);
  c->cost = gv_allocate(&c->allocator, c->cells, sizeof *c->cost);
  c->seed = gv_allocate(&c->allocator, c->cells, sizeof *c->seed);
  if (c->friction == NULL || c->cost == NULL || c->seed == NULL)
    return gv_fail_memory(context, "the raster of travel cost");
  for (int64_t i = 0; i < GV_COST_MARGIN * c->stride; i++)
    c->friction[i] = c->friction[c->cells - 1 - i] = (double)NAN;
  gv_cost_clear_results(c);
  return GV_OK;
}

static gv_status cells_map(gv_context *context, gv_cost *c) {
  const size_t size = strlen(c->is.folder) + 1;
  cells_file *f = c->mapped = gv_allocate_zeroed(&c->allocator, 1, sizeof *f);
  c->folder = gv_allocate(&c->allocator, (int64_t)size, 1);
  if (f == NULL || c->folder == NULL) return gv_fail_memory(context, "the raster of travel cost");
  c->is.folder = memcpy(c->folder, c->is.folder, size);
  f->tiling = gv_cost_tiling_of(c->is.width, c->is.height);
  f->tiles = f->tiling.across * f->tiling.down;
  const gv_cost_tile largest = gv_cost_tile_rectangle(&f->tiling, 0);
  f->room = ((int64_t)largest.width * largest.height + 7) / 8 * 8; /* costs are aligned */
  f->now = 1;
  atomic_flag_clear(&f->busy);
  f->used = gv_allocate_zeroed(&c->allocator, f->tiles, sizeof *f->used);
  f->slot = gv_allocate(&c->allocator, f->tiles, sizeof *f->slot);
  f->row_costs = gv_allocate(&c->allocator, c->is.width, sizeof *f->row_costs);
  f->row_seeds = gv_allocate(&c->allocator, c->is.width, sizeof *f->row_seeds);
  if (f->used == NULL || f->slot == NULL || f->row_costs == NULL || f->row_seeds == NULL)
    return gv_fail_memory(context, "the raster of travel cost");
  for (int64_t i = 0; i < f->tiles; i++)
    atomic_init(&f->slot[i], NONE);
  void *memory = NULL;
  c->mapped_bytes = (size_t)(f->tiles * f->room) * CELL_BYTES;
  GV_TRY(gv_cost_map(context, c, c->mapped_bytes, &memory));
  f->friction = memory;
  f->results = (char *)(f->friction + (size_t)(f->tiles * f->room));
  return GV_OK;
}

gv_status gv_cost_cells_make(gv_context *context, gv_cost *c) {
  return c->is.folder != NULL ? cells_map(context, c) : cells_allocate(context, c);
}

void gv_cost_cells_free(gv_cost *c) {
  cells_file *f = c->mapped;
  gv_release(&c->allocator, c->friction);
  gv_release(&c->allocator, c->cost);
  gv_release(&c->allocator, c->seed);
  gv_release(&c->allocator, c->from);
  if (f != NULL) {
    gv_machine_unmap(f->friction, c->mapped_bytes);
    gv_release(&c->allocator, f->used);
    gv_release(&c->allocator, f->slot);
    gv_release(&c->allocator, f->row_costs);
    gv_release(&c->allocator, f->row_seeds);
  }
  gv_release(&c->allocator, f);
  gv_release(&c->allocator, c->folder);
}

/* ------------------------------------------------------------------------------------------------- access */

/* Arrays of a cell and of those to the right of it: `count` in the same tile. */
typedef struct cells_span {
  gv_cost_arrays at; /* without results if the tile has none */
  int64_t count;
  /* of the rows of a tile in a file; 0: in memory, or cells that a move needs are in another tile */
  int stride;
} cells_span;

/* The slot of a tile's results; with `make` there is one. All of it is written at once: see cells_file. */
static int cells_slot_of(cells_file *f, int64_t tile, bool make) {
  for (;;) {
    int slot = atomic_load(&f->slot[tile]);
    if (slot >= 0 || !make) return slot;
    if (slot != NONE || !atomic_compare_exchange_strong(&f->slot[tile], &slot, DUE)) continue;
    slot = atomic_fetch_add(&f->slots, 1);
    memset(cells_slot(f, slot), 0, (size_t)f->room * RESULT_BYTES);
    atomic_store(&f->slot[tile], slot);
  }
}

static cells_span cells_span_of(gv_cost *c, int64_t column, int64_t row, bool make) {
  cells_file *f = c->mapped;
  if (f == NULL) {
    const int64_t at = gv_cost_at(c, column, row);
    uint8_t *from = c->from != NULL ? c->from + at : NULL;
    return (cells_span){{c->friction + at, c->cost + at, c->seed + at, from}, c->is.width - column, 0};
  }
  const int64_t number = gv_cost_tile_of(&f->tiling, column, row);
  const gv_cost_tile tile = gv_cost_tile_rectangle(&f->tiling, number);
  const int64_t left = column - tile.column, right = tile.width - left, above = row - tile.row;
  const int64_t at = above * tile.width + left;
  const bool inner = left >= GV_COST_MARGIN && right > GV_COST_MARGIN && above >= GV_COST_MARGIN &&
                     tile.height - above > GV_COST_MARGIN;
  cells_span span = {{f->friction + number * f->room + at, NULL, NULL, NULL}, right, inner ? tile.width : 0};
  cells_use(c, number);
  const int slot = cells_slot_of(f, number, make);
  if (slot < 0) return span;
  double *cost = (double *)(void *)cells_slot(f, slot);
  int32_t *seed = (int32_t *)(void *)(cost + f->room);
  span.at.cost = cost + at;
  span.at.seed = seed + at;
  span.at.from = (uint8_t *)(seed + f->room) + at;
  return span;
}

/* Cells that no way has reached. */
static void cells_empty(int64_t count, const gv_cost_arrays *out) {
  for (int64_t i = 0; i < count && out->cost != NULL; i++)
    out->cost[i] = (double)INFINITY;
  for (int64_t i = 0; i < count && out->seed != NULL; i++)
    out->seed[i] = -1;
  if (out->from != NULL) memset(out->from, GV_COST_BY_START, (size_t)count);
}

/* From values to those in a file, where 0 means without a result, and back. */
static void cells_exchange(const gv_cost_arrays *in, int64_t count, const gv_cost_arrays *out) {
  static const double none = (double)INFINITY;
  uint64_t infinity;
  memcpy(&infinity, &none, sizeof infinity);
  for (int64_t i = 0; i < count && out->cost != NULL && in->cost != NULL; i++) {
    uint64_t bits;
    memcpy(&bits, in->cost + i, sizeof bits);
    bits ^= infinity;
    memcpy(out->cost + i, &bits, sizeof bits);
  }
  for (int64_t i = 0; i < count && out->seed != NULL && in->seed != NULL; i++)
    out->seed[i] = ~in->seed[i];
  for (int64_t i = 0; i < count && out->from != NULL && in->from != NULL; i++)
    out->from[i] = in->from[i] ^ GV_COST_BY_START;
}

static void cells_copy(const gv_cost *c, const gv_cost_arrays *in, int64_t count, const gv_cost_arrays *out) {
  const size_t n = (size_t)count;
  if (out->friction != NULL && in->friction != NULL)
    memcpy(out->friction, in->friction, n * sizeof *in->friction);
  if (c->mapped != NULL) {
    cells_exchange(in, count, out);
    return;
  }
  if (out->cost != NULL && in->cost != NULL) memcpy(out->cost, in->cost, n * sizeof *in->cost);
  if (out->seed != NULL && in->seed != NULL) memcpy(out->seed, in->seed, n * sizeof *in->seed);
  if (out->from != NULL && in->from != NULL) memcpy(out->from, in->from, n * sizeof *in->from);
}

static gv_cost_arrays cells_further(const gv_cost_arrays *a, int64_t count) {
  return (gv_cost_arrays){a->friction != NULL ? a->friction + count : NULL,
                          a->cost != NULL ? a->cost + count : NULL, a->seed != NULL ? a->seed + count : NULL,
                          a->from != NULL ? a->from + count : NULL};
}

void gv_cost_read(gv_cost *c, int64_t column, int64_t row, int64_t count, const gv_cost_arrays *out) {
  for (int64_t done = 0; done < count;) {
    const cells_span span = cells_span_of(c, column + done, row, false);
    const int64_t n = span.count < count - done ? span.count : count - done;
    const gv_cost_arrays to = cells_further(out, done);
    cells_copy(c, &span.at, n, &to);
    if (span.at.cost == NULL) cells_empty(n, &to);
    done += n;
  }
}

void gv_cost_write(gv_cost *c, int64_t column, int64_t row, int64_t count, const gv_cost_arrays *in) {
  for (int64_t done = 0; done < count;) {
    const cells_span span = cells_span_of(c, column + done, row, true);
    const int64_t n = span.count < count - done ? span.count : count - done;
    const gv_cost_arrays from = cells_further(in, done);
    cells_copy(c, &from, n, &span.at);
    done += n;
  }
}

void gv_cost_look(gv_cost *c, int64_t column, int64_t row, gv_cost_near *out) {
  enum { FAR = GV_COST_MARGIN };
  const cells_span span = cells_span_of(c, column, row, false);
  out->friction = span.at.friction;
  out->stride = span.stride > 0 ? span.stride : c->stride;
  if (c->mapped == NULL || span.stride > 0) return;
  out->friction = out->copy + FAR * GV_COST_NEAR + FAR;
  out->stride = GV_COST_NEAR;
  for (int64_t y = -FAR; y <= FAR; y++)
    for (int64_t x = -FAR; x <= FAR; x++) {
      double *to = &out->copy[(y + FAR) * GV_COST_NEAR + x + FAR];
      const int64_t there = gv_cost_wrapped(c, column + x, column + x);
      *to = (double)NAN;
      if (row + y < 0 || row + y >= c->is.height || there < 0 || there >= c->is.width) continue;
      *to = *cells_span_of(c, there, row + y, false).at.friction;
    }
}

/* One row at a time, for one thread. */
const double *gv_cost_row_costs(gv_cost *c, int64_t row) {
  const cells_file *f = c->mapped;
  if (f == NULL) return c->cost + gv_cost_at(c, 0, row);
  gv_cost_read(c, 0, row, c->is.width, &(gv_cost_arrays){.cost = f->row_costs});
  return f->row_costs;
}

const int32_t *gv_cost_row_seeds(gv_cost *c, int64_t row) {
  const cells_file *f = c->mapped;
  if (f == NULL) return c->seed + gv_cost_at(c, 0, row);
  gv_cost_read(c, 0, row, c->is.width, &(gv_cost_arrays){.seed = f->row_seeds});
  return f->row_seeds;
}

/* Negative and infinite frictions are barriers; the margins show the other side of the seam. */
void gv_cost_set_row(gv_cost *c, int64_t row, const double *friction) {
  const int64_t width = c->is.width;
  for (int64_t column = 0; column < width;) {
    const cells_span span = cells_span_of(c, column, row, false);
    for (int64_t i = 0; i < span.count; i++) {
      const double value = friction[column + i];
      span.at.friction[i] = value >= 0.0 && isfinite(value) ? value : (double)NAN;
    }
    column += span.count;
  }
  for (int64_t i = 1; i <= GV_COST_MARGIN && c->mapped == NULL; i++) {
    double *f = c->friction + gv_cost_at(c, 0, row);
    f[-i] = c->wraps ? f[width - i] : (double)NAN;
    f[width - 1 + i] = c->wraps ? f[i - 1] : (double)NAN;
  }
  c->has_row[row] = 1;
}
