/* Parts of HEALPix in the RING scheme. See rings.h. */
#include "cells/rings.h"

/* The place of a part: its face, the least x and y of its cells there, and how many cells a side has. */
typedef struct rings_part {
  int64_t side, top; /* the ring of the cell with the least x and y, which is the last */
  /* of a ring with nr cells a quarter, eighths of a cell with x = y: turn nr + across */
  int64_t turn, across;
} rings_part;

static rings_part rings_part_of(const gv_rings *rings, const gv_part *part) {
  const int order = rings->healpix.order;
  const uint64_t within = (uint64_t)part->first & (((uint64_t)1 << 2 * order) - 1);
  const int face = (int)(part->first >> 2 * order);
  const int64_t x = gv_healpix_compress(within), y = gv_healpix_compress(within >> 1);
  return (rings_part){INT64_C(1) << part->bits,
                      (gv_healpix_ring_of_face(face) * (INT64_C(1) << order)) - x - y - 1,
                      gv_healpix_turn_of_face(face), x - y};
}

/* Cells of a ring: consecutive numbers, and x and y of the first on the part; from cell to cell x grows and y
 * falls. */
typedef struct rings_span {
  int64_t number, count, x, y;
} rings_span;

/* The cells of a part with x + y = `sum`, in one span or two; cells that are not chosen are left out. */
static int rings_spans_of(const gv_rings *rings, const rings_part *p, int64_t sum, rings_span span[2]) {
  const int64_t nside = INT64_C(1) << rings->healpix.order, cells = gv_healpix_count(rings->healpix.order);
  const int64_t ring = p->top - sum, nr = ring < nside ? ring : ring > 3 * nside ? 4 * nside - ring : nside;
  const int64_t begin = ring < nside       ? 2 * ring * (ring - 1)
                        : ring > 3 * nside ? cells - 2 * nr * (nr + 1)
                                           : 2 * nside * (nside - 1) + (ring - nside) * 4 * nside;
  const int64_t x = sum < p->side ? 0 : sum - p->side + 1, count = sum - 2 * x + 1;
  const int64_t eighth = p->turn * nr + p->across + 2 * x - sum;
  int64_t before = eighth < 0 ? (1 - eighth) / 2 : 0; /* west of longitude 0 */
  if (before > count) before = count;
  const rings_span whole[2] = {
      {begin + (eighth + 8 * nr) / 2, before, x, sum - x},
      {begin + (eighth + 2 * before) / 2, count - before, x + before, sum - x - before}};
  int spans = 0;
  for (int i = before > 0 ? 0 : 1; i < 2; i++) {
    rings_span s = whole[i];
    const int64_t left = s.number < rings->first ? rings->first - s.number : 0;
    const int64_t end = s.number + s.count < rings->end ? s.count : rings->end - s.number;
    if (left >= end) continue;
    span[spans++] = (rings_span){s.number + left, end - left, s.x + left, s.y - left};
  }
  return spans;
}

void gv_rings_init(const gv_cells *cells, gv_rings *out) {
  out->mesh = *cells;
  out->healpix = *cells->healpix;
  out->healpix.ring = false;
  out->mesh.healpix = &out->healpix;
  out->mesh.grid.ring = 0;
  gv_rings_choose(0, gv_healpix_count(out->healpix.order), out);
}

void gv_rings_choose(int64_t first, int64_t end, gv_rings *rings) {
  rings->first = first;
  rings->end = end;
  rings->low = gv_healpix_find_in_ring(rings->healpix.order, first).ring;
  rings->high = gv_healpix_find_in_ring(rings->healpix.order, end - 1).ring;
}

bool gv_rings_meet(const gv_rings *rings, const gv_part *part) {
  const rings_part p = rings_part_of(rings, part);
  return p.top >= rings->low && p.top - 2 * (p.side - 1) <= rings->high;
}

/* Writes the values from[0 ...] of the cells of a part, which is a leaf, in the order of the NESTED scheme;
 * if it is NULL, `value` for all. */
static void rings_put(const gv_rings *rings, const gv_part *part, const int32_t *from, int32_t value,
                      int32_t *out) {
  static const uint8_t spread[1 << GV_MESH_LEAF_BITS] = {0, 1, 4, 5, 16, 17, 20, 21};
  const rings_part p = rings_part_of(rings, part);
  for (int64_t sum = 0; sum <= 2 * (p.side - 1); sum++) {
    rings_span span[2];
    const int spans = rings_spans_of(rings, &p, sum, span);
    for (int i = 0; i < spans; i++) {
      int32_t *to = out + (span[i].number - rings->first);
      for (int64_t c = 0; from == NULL && c < span[i].count; c++)
        to[c] = value;
      for (int64_t c = 0; from != NULL && c < span[i].count; c++)
        to[c] = from[spread[span[i].x + c] + 2 * spread[span[i].y - c]];
    }
  }
}

void gv_rings_fill(const gv_rings *rings, const gv_part *part, int32_t value, int32_t *out) {
  rings_put(rings, part, NULL, value, out);
}

void gv_rings_write(const gv_rings *rings, const gv_part *leaf, const int32_t *from, int32_t *out) {
  rings_put(rings, leaf, from, 0, out);
}
