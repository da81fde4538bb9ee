/*
 * Tiles of a raster of travel cost, one for each block of threads, in its shared memory.
 *
 * A tile is visited if a cell in or around it has changed. Its cells take the best of their neighbors again
 * and again, until none of them changes; then the tiles around it, as far as changed cells are beside them,
 * are to be visited in turn. Parts of 8 x 8 cells in which and around which nothing has changed are left out.
 */
#ifndef GV_COST_TILE_CUH
#define GV_COST_TILE_CUH

#include "cost/moves.h"
#include "cost/raster.h"

namespace gv {

enum {
  COST_SIDE = 64, /* columns and rows of a tile at most */
  COST_WITH = COST_SIDE + 2 * GV_COST_MARGIN,
  COST_PART = 8,
  COST_PARTS = COST_SIDE / COST_PART,
  COST_LENGTHS = (GV_COST_LONGEST + 1) * (GV_COST_LONGEST + 1), /* of a row */
  COST_THREADS = 512,
  COST_WARPS = COST_THREADS / 32,
  COST_SELF = 4 /* the tile among the 3 x 3 around it */
};

struct cost_arguments {
  const double *friction, *lengths; /* as in gv_cost */
  double *cost;
  int32_t *seed;
  int64_t stride, width, height;
  int32_t across, down; /* tiles */
  bool wraps;
  double most;
  int16_t offset[GV_COST_MOST_MOVES]; /* of the moves, in a tile */
  /* Of each tile: which of the 3 x 3 around it have changed, and the least cost that has. */
  uint32_t *changed;
  unsigned long long *key;
  const int32_t *chosen; /* tiles to visit */
  struct cost_found *found;
};

/* What visits add up. */
struct cost_found {
  int32_t chosen, pending;
  unsigned long long least; /* key of the pending ones */
  unsigned long long reached;
  int32_t may_overflow;
};

struct cost_tile {
  int32_t number, column, row, width, height;
};

__host__ __device__ static inline int32_t cost_begin(int64_t cells, int32_t tiles, int32_t i) {
  return (int32_t)(cells * i / tiles);
}

__device__ static inline cost_tile cost_tile_of(const cost_arguments &a, int32_t number) {
  const int32_t x = number % a.across, y = number / a.across;
  cost_tile t = {number, cost_begin(a.width, a.across, x), cost_begin(a.height, a.down, y), 0, 0};
  t.width = cost_begin(a.width, a.across, x + 1) - t.column;
  t.height = cost_begin(a.height, a.down, y + 1) - t.row;
  return t;
}

/* The tile in place i of the 3 x 3 around one; -1: none. */
__device__ static inline int32_t cost_neighbor(const cost_arguments &a, int32_t number, int i) {
  int32_t x = number % a.across + i % 3 - 1, y = number / a.across + i / 3 - 1;
  if (a.wraps) x = (x + a.across) % a.across;
  return x < 0 || x >= a.across || y < 0 || y >= a.down ? -1 : y * a.across + x;
}

/* The memory of a cell of the tile or around it. */
__device__ static inline int64_t cost_place(const cost_arguments &a, const cost_tile &t, int x, int y) {
  return ((int64_t)t.row + y + GV_COST_MARGIN) * a.stride + t.column + x + GV_COST_MARGIN;
}

/* The same, on the other side of the seam if it is beyond it. */
__device__ static inline int64_t cost_place_wrapped(const cost_arguments &a, const cost_tile &t, int x,
                                                    int y) {
  const int64_t at = cost_place(a, t, x, y), column = (int64_t)t.column + x;
  return !a.wraps ? at : column < 0 ? at + a.width : column >= a.width ? at - a.width : at;
}

/* Whether a cell is in the tile or beside it. */
__device__ static inline bool cost_is_around(const cost_tile &t, int x, int y) {
  return x < t.width + GV_COST_MARGIN && y < t.height + GV_COST_MARGIN;
}

/* Parts of a tile, a bit each: those within three cells of the sides that have changed. */
__device__ static inline unsigned long long cost_parts_beside(const cost_tile &t, uint32_t changed) {
  unsigned long long all = 0;
  for (int i = 0; i < 9; i++) {
    if (!(changed >> i & 1)) continue;
    const int x = i % 3, y = i / 3;
    const int x0 = x == 2 ? max(t.width - GV_COST_MARGIN, 0) / COST_PART : 0;
    const int x1 = x == 0 ? 0 : (t.width - 1) / COST_PART;
    const int y0 = y == 2 ? max(t.height - GV_COST_MARGIN, 0) / COST_PART : 0;
    const int y1 = y == 0 ? 0 : (t.height - 1) / COST_PART;
    for (int row = y0; row <= y1; row++)
      all |= ((2ull << x1) - (1ull << x0)) << (row * COST_PARTS);
  }
  return all;
}

/* The parts, and those around them. */
__device__ static inline unsigned long long cost_parts_around(unsigned long long parts) {
  const unsigned long long first = 0x0101010101010101ull;
  parts |= (parts & ~first) >> 1 | (parts & ~(first << (COST_PARTS - 1))) << 1;
  return parts | parts >> COST_PARTS | parts << COST_PARTS;
}

/* The places of the 3 x 3 around a tile that see a change of this cell: those within three cells of it. */
__device__ static inline uint32_t cost_seen_from(const cost_tile &t, int x, int y) {
  const uint32_t rows = 1 << 3 | (y < GV_COST_MARGIN ? 1 : 0) | (y >= t.height - GV_COST_MARGIN ? 1 << 6 : 0);
  return rows << 1 | (x < GV_COST_MARGIN ? rows : 0) | (x >= t.width - GV_COST_MARGIN ? rows << 2 : 0);
}

/* Numbers that are not negative have the order of their bits. */
__device__ static inline unsigned long long cost_bits(double cost) {
  return (unsigned long long)__double_as_longlong(cost);
}

/* What the threads of a block share. */
struct cost_block {
  unsigned long long changed[2], ever; /* parts */
  unsigned long long key;
  uint32_t seen;
  int32_t reached, may_overflow;
};

/* Begins a visit: takes what has changed around the tile. */
__device__ static inline unsigned long long cost_take(const cost_arguments &a, const cost_tile &t,
                                                      cost_block &b) {
  if (threadIdx.x == 0) {
    /* The key first: a change in between lowers it again, and is seen now or leaves a bit. */
    a.key[t.number] = ~0ull;
    __threadfence();
    b.changed[1] = cost_parts_beside(t, atomicExch(a.changed + t.number, 0u));
    b.changed[0] = b.ever = 0;
    b.key = ~0ull;
    b.seen = 0;
    b.reached = b.may_overflow = 0;
    __threadfence();
  }
  __syncthreads();
  const unsigned long long parts = b.changed[1];
  __syncthreads();
  return parts;
}

/* Ends a visit, after its results were written: the tiles around it are to be visited. */
__device__ static inline void cost_pass_on(const cost_arguments &a, const cost_tile &t, const cost_block &b) {
  __threadfence();
  __syncthreads();
  const int i = (int)threadIdx.x;
  if (i < 9 && i != COST_SELF && b.seen >> i & 1) {
    const int32_t next = cost_neighbor(a, t.number, i);
    if (next >= 0) {
      atomicMin(a.key + next, b.key);
      __threadfence();
      atomicOr(a.changed + next, 1u << (8 - i));
    }
  }
  if (i == 0) {
    if (b.reached > 0) atomicAdd(&a.found->reached, (unsigned long long)b.reached);
    if (b.may_overflow) a.found->may_overflow = 1;
  }
}

/* Calls change(x, y) for the cells of these parts, until it returns false for all of them and those
 * around. */
template <typename Change>
__device__ static inline void cost_until_still(const cost_tile &t, cost_block &b, unsigned long long parts,
                                               Change change) {
  const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
  for (int turn = 0; parts != 0; turn ^= 1) {
    unsigned long long rest = parts;
    for (int i = 0; i < warp; i++)
      rest &= rest - 1;
    while (rest != 0) {
      const int part = __ffsll((long long)rest) - 1;
      const int x = part % COST_PARTS * COST_PART + lane % COST_PART;
      const int y = part / COST_PARTS * COST_PART + lane / COST_PART;
      bool any = false;
      for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < 2; i++)
          if (x < t.width && y + 4 * i < t.height) again |= change(x, y + 4 * i);
        again = __any_sync(0xffffffffu, again);
        any |= again;
      }
      if (any && lane == 0) {
        atomicOr(&b.changed[turn], 1ull << part);
        atomicOr(&b.ever, 1ull << part);
      }
      for (int i = 0; i < COST_WARPS; i++)
        rest &= rest - 1;
    }
    __syncthreads();
    parts = cost_parts_around(b.changed[turn]);
    if (threadIdx.x == 0) b.changed[turn ^ 1] = 0;
    __syncthreads();
  }
}

} // namespace gv

#endif
