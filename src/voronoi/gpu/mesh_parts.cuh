/*
 * Sub-triangles of the QTM mesh. One is a span of cell numbers, so that levels of sub-triangles are levels of
 * spans of 4^bits cells (log = 2 bits), and everything above the leaves is as for rasters.
 */
#ifndef GV_MESH_PARTS_CUH
#define GV_MESH_PARTS_CUH

#include <cuda_runtime.h>
#include <stdint.h>

namespace gv {

/*
 * A sub-triangle of 2^bits cells a side, with its first row (from the octant's pole) and the first column in
 * that row. `state`: bit 3, it points away from the pole; bits 1 and 2, basis number of its corner towards
 * (away from) the pole, less 1; bit 0, of the other two corners the one towards (away from) the west has the
 * larger number.
 */
struct part {
  int32_t bits, octant, top, first;
  uint32_t state;
};

static constexpr uint32_t DOWN = 8;

/* From a state by one and by four digits: bits 0 ... 3, how many rows farther down (in units of the
 * sub-triangle that is reached); 4 ... 7, how many columns; 8 ... 11, its state. */
struct descent {
  uint16_t one[16][4];
  uint16_t four[16][256];
};

constexpr uint32_t step_of(uint32_t state, uint32_t digit) {
  bool down = (state & DOWN) != 0, larger = (state & 1) != 0;
  if (digit == 0) return down ? 0x10U | state % DOWN << 8 : 0x01U | (state | DOWN) << 8;
  uint32_t pole = (state >> 1 & 3) + 1, low = pole == 1 ? 2 : 1, high = pole == 3 ? 2 : 3;
  uint32_t west = larger ? high : low, east = larger ? low : high;
  bool by_pole = digit == pole, by_west = digit == west;
  uint32_t rows = by_pole == down ? 1 : 0, columns = (down ? digit != east : digit == east) ? 1 : 0;
  /* The other two corners' numbers change places. */
  uint32_t to_pole = by_pole ? pole : by_west ? east : west;
  uint32_t to_west = by_pole ? east : by_west ? west : pole, to_east = by_pole ? west : by_west ? pole : east;
  uint32_t to = (down ? DOWN : 0U) | (to_pole - 1) << 1 | (to_west > to_east ? 1U : 0U);
  return rows | columns << 4 | to << 8;
}

/* The path `a` followed by the path `b` of `steps` digits. */
constexpr uint32_t joined(uint32_t a, uint32_t b, int steps) {
  uint32_t rows = ((a & 15) << steps) + (b & 15), columns = ((a >> 4 & 15) << steps) + (b >> 4 & 15);
  return rows | columns << 4 | b >> 8 << 8;
}

constexpr descent make_descent() {
  descent made = {};
  uint16_t two[16][16] = {};
  for (uint32_t state = 0; state < 16; state++) {
    for (uint32_t n = 0; n < 4 && (state >> 1 & 3) < 3; n++)
      made.one[state][n] = (uint16_t)step_of(state, n);
  }
  for (uint32_t state = 0; state < 16; state++) {
    for (uint32_t n = 0; n < 16; n++) {
      uint32_t a = made.one[state][n >> 2];
      two[state][n] = (uint16_t)joined(a, made.one[a >> 8][n & 3], 1);
    }
  }
  for (uint32_t state = 0; state < 16; state++) {
    for (uint32_t n = 0; n < 256; n++) {
      uint32_t a = two[state][n >> 4];
      made.four[state][n] = (uint16_t)joined(a, two[a >> 8][n & 15], 2);
    }
  }
  return made;
}

static __device__ const descent ways = make_descent();

__device__ static inline void go(part *t, uint32_t way, int digits) {
  t->bits -= digits;
  t->top += (int32_t)(way & 15) << t->bits;
  t->first += (int32_t)(way >> 4 & 15) << t->bits;
  t->state = way >> 8;
}

/* The sub-triangle that is `depth` digits farther down. */
__device__ static part descend(part t, int64_t digits, int depth) {
  while (depth % 4 != 0) {
    depth--;
    go(&t, __ldg(&ways.one[t.state][digits >> 2 * depth & 3]), 1);
  }
  while (depth > 0) {
    depth -= 4;
    go(&t, __ldg(&ways.four[t.state][digits >> 2 * depth & 255]), 4);
  }
  return t;
}

__device__ static inline part octant_of(int32_t level, int32_t octant) {
  return {level, octant, 0, 0, octant % 2 != 0 ? 0U : 1U};
}

/* Sub-triangle `index` of those of 2^bits cells a side. */
__device__ static part part_at(int32_t level, int32_t bits, int64_t index) {
  int32_t depth = level - bits;
  return descend(octant_of(level, 1 + (int32_t)(index >> 2 * depth)), index, depth);
}

} // namespace gv

#endif
