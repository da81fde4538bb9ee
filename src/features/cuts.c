/*
 * Edges of polygons that only cut them: along the latitude of a pole, and along 180 degrees where polygons lie against the edge from
 * the other side. On which side of the meridian a ring lies is told by its extent.
 */
#include "features/set.h"

#include <stdlib.h>
#include <string.h>

/* Latitudes of edges along the antimeridian whose ring lies west (0) or east (1) of it. */
typedef struct stretch {
  double low, high;
} stretch;

typedef struct sides {
  stretch *stretch[2];
  int64_t count[2];
} sides;

static bool on_antimeridian(double lon) {
  return fabs(remainder(lon, 360.0)) == 180.0;
}

/* Which side the ring of an edge along the antimeridian lies on; -1 for any other edge. */
static int side_of(const gv_feature_set *set, int64_t ring, int64_t v) {
  double lon = set->x[v];
  if (lon != set->x[v + 1] || set->y[v] == set->y[v + 1] || !on_antimeridian(lon)) return -1;
  return lon == set->facts[ring].high[0] ? 0 : lon == set->facts[ring].low[0] ? 1 : -1;
}

typedef void visit(void *user, const gv_feature_set *set, int64_t ring, int64_t v);

static void visit_polygons(const gv_feature_set *set, visit *call, void *user) {
  for (int64_t p = 0; p < set->parts; p++) {
    if (set->kind[p] != GV_PART_POLYGON) continue;
    for (int64_t r = set->ring[p]; r < set->ring[p + 1]; r++) {
      for (int64_t v = set->vertex[r]; v + 1 < set->vertex[r + 1]; v++)
        call(user, set, r, v);
    }
  }
}

static void collect(void *user, const gv_feature_set *set, int64_t ring, int64_t v) {
  sides *s = user;
  int side = side_of(set, ring, v);
  if (side < 0) return;
  stretch found = {fmin(set->y[v], set->y[v + 1]), fmax(set->y[v], set->y[v + 1])};
  if (s->stretch[side] != NULL) s->stretch[side][s->count[side]] = found;
  s->count[side]++;
}

static int by_low(const void *a, const void *b) {
  const stretch *x = a, *y = b;
  return (x->low > y->low) - (x->low < y->low);
}

/* Sorted, and united where they touch. */
static int64_t unite(stretch *list, int64_t count) {
  int64_t kept = 0;
  if (count > 0) qsort(list, (size_t)count, sizeof *list, by_low);
  for (int64_t i = 0; i < count; i++) {
    if (kept > 0 && list[i].low <= list[kept - 1].high) {
      list[kept - 1].high = fmax(list[kept - 1].high, list[i].high);
    } else {
      list[kept++] = list[i];
    }
  }
  return kept;
}

static bool covers(const stretch *list, int64_t count, double low, double high) {
  int64_t from = 0, to = count; /* the last stretch that begins at or below low */
  while (from < to) {
    int64_t middle = from + (to - from) / 2;
    if (list[middle].low <= low) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from > 0 && list[from - 1].high >= high;
}

typedef struct marking {
  uint8_t *cut;
  sides *sides;
} marking;

static void mark(void *user, const gv_feature_set *set, int64_t ring, int64_t v) {
  marking *m = user;
  double low = fmin(set->y[v], set->y[v + 1]), high = fmax(set->y[v], set->y[v + 1]);
  int side = side_of(set, ring, v);
  bool pole = fabs(low) == 90.0 && low == high;
  if (pole || (side >= 0 && covers(m->sides->stretch[1 - side], m->sides->count[1 - side], low, high)))
    m->cut[v] = 1;
}

gv_status gv_feature_set_mark_cuts(gv_context *context, gv_feature_set *set) {
  sides s = {{NULL, NULL}, {0, 0}};
  visit_polygons(set, collect, &s);
  for (int side = 0; side < 2; side++) {
    s.stretch[side] = gv_allocate(&context->allocator, s.count[side], sizeof(stretch));
    s.count[side] = 0;
  }
  set->cut = gv_allocate_zeroed(&context->allocator, set->vertices, sizeof *set->cut);
  gv_status status = GV_OK;
  if (s.stretch[0] == NULL || s.stretch[1] == NULL || set->cut == NULL) {
    status = gv_fail_memory(context, "the features");
  } else {
    visit_polygons(set, collect, &s);
    for (int side = 0; side < 2; side++)
      s.count[side] = unite(s.stretch[side], s.count[side]);
    marking m = {set->cut, &s};
    visit_polygons(set, mark, &m);
  }
  gv_release(&context->allocator, s.stretch[0]);
  gv_release(&context->allocator, s.stretch[1]);
  return status;
}
