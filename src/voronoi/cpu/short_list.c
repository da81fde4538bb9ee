/* The order of short lists, see short_list.h. */
#include "voronoi/cpu/short_list.h"
#include "voronoi/cpu/kernel_lanes.h"
#include "voronoi/margin.h"

enum { SHORT_VECTORS = GV_SHORT_LIST / VD_LANES };

/* Bit i is set where a[i] < b[i], over all vectors of the list. */
GV_INLINE uint32_t short_less(int32_t vectors, const vd *a, const vd *b) {
  uint32_t bits = 0;
  for (int32_t v = 0; v < vectors; v++)
    bits |= (uint32_t)vm_bits(vd_less(a[v], b[v])) << v * VD_LANES;
  return bits;
}

GV_INLINE void short_list_body(const int dim, const int vectors, gv_short_list *list) {
  gv_candidates *c = list->candidates;
  int32_t n = c->count, first = list->k < n ? list->k : n, *place = list->place, *end = list->end;
  double square[GV_SHORT_LIST], along[3][GV_SHORT_LIST];
  vd squares[SHORT_VECTORS], dots[3][SHORT_VECTORS];
  vd_place center = place_all(dim, list->bound->center);
  for (int v = 0; v < vectors; v++) {
    vd_place u = place_from(dim, c, v * VD_LANES, center);
    squares[v] = square_of(dim, u);
    vd_store(square + v * VD_LANES, squares[v]);
    for (int g = 0; g < dim; g++) {
      dots[g][v] = dot_of(dim, list->bound->generator[g], u);
      vd_store(along[g] + v * VD_LANES, dots[g][v]);
    }
  }
  /* A candidate's place is the number of those that are nearer, or as near and before it in the list. */
  uint32_t all = (1U << n) - 1U;
  for (int32_t i = 0; i < n; i++) {
    vd own[SHORT_VECTORS];
    for (int v = 0; v < vectors; v++)
      own[v] = vd_all(square[i]);
    uint32_t before = (1U << i) - 1U, nearer = short_less(vectors, squares, own),
             farther = short_less(vectors, own, squares);
    place[__builtin_popcount(((nearer & ~before) | (~farther & before)) & all)] = i;
  }
  double limit = list->limit;
  list->slack = 0.0;
  if (list->geodesic != NULL) {
    double farthest = gv_farthest_chord(square[place[first - 1]], list->bound->radius);
    list->slack = gv_geodesic_slack(list->geodesic, farthest);
    limit += list->slack;
  }
  /* Candidates that may come before one of those up to the current place, and those already passed. */
  uint32_t open = 0, passed = 0;
  int32_t groups = 0;
  for (int32_t at = 0; at < first; at++) {
    int32_t i = place[at];
    vd least = vd_all(square[i] * (1.0 + gv_cull_slack) + limit), value[SHORT_VECTORS], own[SHORT_VECTORS];
    for (int v = 0; v < vectors; v++) {
      vd reach = vd_abs(dots[0][v] - along[0][i]);
      for (int g = 1; g < dim; g++)
        reach = reach + vd_abs(dots[g][v] - along[g][i]);
      value[v] = vd_lead(gv_cull_slack, squares[v], reach);
      own[v] = least;
    }
    open |= ~short_less(vectors, own, value) & all;
    passed |= 1U << i;
    if ((open & ~passed) == 0) end[groups++] = at + 1;
  }
  int32_t kept = first;
  for (int32_t at = first; at < n; at++) {
    int32_t i = place[at];
    if (open >> i & 1U) place[kept++] = i;
  }
  if (kept > first || groups == 0 || end[groups - 1] < first) end[groups++] = kept;
  list->groups = groups;
  uint32_t left = open | passed;
  if (left == all) return;
  for (int32_t at = 0; at < kept; at++)
    place[at] = __builtin_popcount(left & ((1U << place[at]) - 1U));
  c->count = 0;
  for (int32_t i = 0; i < n; i += VD_LANES)
    c->count = keep_lanes(dim, &(gv_candidates){c->x, c->y, c->z, c->id, n}, i, left >> i, c, c->count);
}

void GV_VARIANT(gv_short_list)(gv_short_list *list) {
  bool few = list->candidates->count <= 8;
  if (list->dim == 2) {
    if (few) {
      short_list_body(2, 8 / VD_LANES, list);
    } else {
      short_list_body(2, SHORT_VECTORS, list);
    }
  } else if (few) {
    short_list_body(3, 8 / VD_LANES, list);
  } else {
    short_list_body(3, SHORT_VECTORS, list);
  }
}
