/* Tiles of a raster, all of almost equal size, numbered by rows. */
#ifndef GV_COST_TILING_H
#define GV_COST_TILING_H

#include <stdint.h>

enum { GV_COST_TILE = 112 /* columns and rows at most: a window stays in a cache of 512 KiB */ };

/* The rectangle of a tile. */
typedef struct gv_cost_tile {
  int64_t column, row;
  int width, height;
} gv_cost_tile;

typedef struct gv_cost_tiling {
  int64_t width, height;
  int64_t across, down; /* tiles */
} gv_cost_tiling;

static inline gv_cost_tiling gv_cost_tiling_of(int64_t width, int64_t height) {
  return (gv_cost_tiling){width, height, (width + GV_COST_TILE - 1) / GV_COST_TILE,
                          (height + GV_COST_TILE - 1) / GV_COST_TILE};
}

/* The first of `cells` columns or rows in tile i of n: the first ones have one more. */
static inline int64_t gv_cost_tile_begin(int64_t cells, int64_t n, int64_t i) {
  return cells / n * i + (cells % n < i ? cells % n : i);
}

static inline gv_cost_tile gv_cost_tile_rectangle(const gv_cost_tiling *t, int64_t tile) {
  const int64_t x = tile % t->across, y = tile / t->across;
  gv_cost_tile out = {.column = gv_cost_tile_begin(t->width, t->across, x),
                      .row = gv_cost_tile_begin(t->height, t->down, y)};
  out.width = (int)(gv_cost_tile_begin(t->width, t->across, x + 1) - out.column);
  out.height = (int)(gv_cost_tile_begin(t->height, t->down, y + 1) - out.row);
  return out;
}

/* The tile of n that has column or row `at` of `cells`. */
static inline int64_t gv_cost_tile_with(int64_t cells, int64_t n, int64_t at) {
  const int64_t size = cells / n, larger = cells % n, end = larger * (size + 1);
  return at < end ? at / (size + 1) : larger + (at - end) / size;
}

static inline int64_t gv_cost_tile_of(const gv_cost_tiling *t, int64_t column, int64_t row) {
  return gv_cost_tile_with(t->height, t->down, row) * t->across +
         gv_cost_tile_with(t->width, t->across, column);
}

#endif
