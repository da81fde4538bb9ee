/*
 * Edges of polygons that only cut them: along the latitude of a pole, and along 180 degrees where polygons lie against the edge from
 * the other side. On which side of the meridian a ring lies is told by its extent. Edges are parted where what lies against them begins
 * or ends, so that each is cut or is not.
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

static void clear_sides(gv_context *context, sides *s) {
  gv_release(&context->allocator, s->stretch[0]);
  gv_release(&context->allocator, s->stretch[1]);
}

static gv_status find_sides(gv_context *context, const gv_feature_set *set, sides *s) {
  memset(s, 0, sizeof *s);
  visit_polygons(set, collect, s);
  for (int side = 0; side < 2; side++) {
    s->stretch[side] = gv_allocate(&context->allocator, s->count[side], sizeof(stretch));
    s->count[side] = 0;
  }
  if (s->stretch[0] == NULL || s->stretch[1] == NULL) {
    clear_sides(context, s);
    return gv_fail_memory(context, "the features");
  }
  visit_polygons(set, collect, s);
  for (int side = 0; side < 2; side++)
    s->count[side] = unite(s->stretch[side], s->count[side]);
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------------ parting */

/* The ends of stretches, in their order. */
static double end_of(const stretch *list, int64_t n) {
  return n % 2 == 0 ? list[n / 2].low : list[n / 2].high;
}

/* Vertices that are copied one after the other; x is NULL where they are only counted. */
typedef struct parting {
  double *x, *y;
  int64_t count;
} parting;

static void put(parting *p, double x, double y) {
  if (p->x != NULL) p->x[p->count] = x, p->y[p->count] = y;
  p->count++;
}

/* The places within an edge along the antimeridian, in its direction. */
static void put_ends(parting *p, const stretch *list, int64_t count, double x, double from, double to) {
  int64_t low = 0, high = 2 * count, ends = high;
  while (low < high) { /* the first end beyond the lower latitude */
    int64_t middle = low + (high - low) / 2;
    if (end_of(list, middle) <= fmin(from, to)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (high = low; high < ends && end_of(list, high) < fmax(from, to);)
    high++;
  for (int64_t n = low; n < high; n++)
    put(p, x, end_of(list, from < to ? n : high - 1 - (n - low)));
}

/* All vertices, and where rings begin then if `vertex` is not NULL. */
static void part_rings(const gv_feature_set *set, const sides *s, parting *p, int64_t *vertex) {
  for (int64_t part = 0; part < set->parts; part++) {
    for (int64_t r = set->ring[part]; r < set->ring[part + 1]; r++) {
      if (vertex != NULL) vertex[r] = p->count;
      for (int64_t v = set->vertex[r]; v < set->vertex[r + 1]; v++) {
        put(p, set->x[v], set->y[v]);
        int side = set->kind[part] == GV_PART_POLYGON && v + 1 < set->vertex[r + 1] ? side_of(set, r, v) : -1;
        if (side >= 0) put_ends(p, s->stretch[1 - side], s->count[1 - side], set->x[v], set->y[v], set->y[v + 1]);
      }
    }
  }
  if (vertex != NULL) vertex[set->rings] = p->count;
}

gv_status gv_feature_set_part_edges(gv_context *context, gv_feature_set *set) {
  sides s;
  parting p = {NULL, NULL, 0};
  gv_status status = find_sides(context, set, &s);
  if (status != GV_OK) return status;
  part_rings(set, &s, &p, NULL);
  int64_t vertices = p.count, *vertex = NULL;
  if (vertices > INT32_MAX) {
    status = gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "%lld vertices are too many (at most %d)",
                     (long long)vertices, INT32_MAX);
  } else if (vertices > set->vertices) {
    p = (parting){gv_allocate(&context->allocator, vertices, sizeof *p.x),
                  gv_allocate(&context->allocator, vertices, sizeof *p.y), 0};
    vertex = gv_allocate(&context->allocator, set->rings + 1, sizeof *vertex);
    bool made = p.x != NULL && p.y != NULL && vertex != NULL;
    if (made) {
      part_rings(set, &s, &p, vertex);
      double *x = set->x, *y = set->y;
      int64_t *rings = set->vertex;
      set->x = p.x, set->y = p.y, set->vertex = vertex, set->vertices = vertices;
      p.x = x, p.y = y, vertex = rings;
    }
    gv_release(&context->allocator, p.x);
    gv_release(&context->allocator, p.y);
    gv_release(&context->allocator, vertex);
    if (!made) status = gv_fail_memory(context, "the features");
  }
  clear_sides(context, &s);
  return status;
}

gv_status gv_feature_set_mark_cuts(gv_context *context, gv_feature_set *set) {
  sides s;
  gv_status status = find_sides(context, set, &s);
  if (status != GV_OK) return status;
  set->cut = gv_allocate_zeroed(&context->allocator, set->vertices, sizeof *set->cut);
  if (set->cut == NULL) {
    status = gv_fail_memory(context, "the features");
  } else {
    marking m = {set->cut, &s};
    visit_polygons(set, mark, &m);
  }
  clear_sides(context, &s);
  return status;
}
