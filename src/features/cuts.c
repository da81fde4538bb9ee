/*
 * Edges of polygons that only cut them where a map of the globe ends: along the latitude of a pole, and along
 * 180 degrees where a polygon lies against the edge from the other side. Files have the meridian at 180, at
 * -180 or, after a change of datum or by rounding, close to it: edges within GV_CUT_TOLERANCE of it count,
 * and cut edges are moved onto it if edges are straight. A ring's extent decides on which side of the
 * meridian it lies. Edges are split where touching edges begin or end, so that each is either a cut or not.
 */
#include "features/set.h"

#include <stdlib.h>
#include <string.h>

/* Latitudes of edges along the antimeridian. */
typedef struct cuts_stretch {
  double low, high;
} cuts_stretch;

/* Those of rings that lie west (0) or east (1) of it. */
typedef struct sides {
  cuts_stretch *stretch[2];
  int64_t count[2];
} sides;

static bool are_close(double a, double b) {
  return fabs(a - b) <= GV_CUT_TOLERANCE;
}

/* The multiple of 360 degrees from 180 that is nearest to a longitude. */
static double antimeridian_near(double lon) {
  return 360.0 * rint((lon - 180.0) / 360.0) + 180.0;
}

/* Which side the ring of an edge along the antimeridian lies on; -1 for any other edge. */
static int cuts_side_of(const gv_feature_set *set, int64_t ring, int64_t v) {
  double lon = antimeridian_near(set->x[v]);
  if (!are_close(set->x[v], lon) || !are_close(set->x[v + 1], lon) || set->y[v] == set->y[v + 1]) return -1;
  return are_close(lon, set->facts[ring].high[0]) ? 0 : are_close(lon, set->facts[ring].low[0]) ? 1 : -1;
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

static void cuts_collect(void *user, const gv_feature_set *set, int64_t ring, int64_t v) {
  sides *s = user;
  int side = cuts_side_of(set, ring, v);
  if (side < 0) return;
  cuts_stretch found = {fmin(set->y[v], set->y[v + 1]), fmax(set->y[v], set->y[v + 1])};
  if (s->stretch[side] != NULL) s->stretch[side][s->count[side]] = found;
  s->count[side]++;
}

static int by_low(const void *a, const void *b) {
  const cuts_stretch *x = a, *y = b;
  return (x->low > y->low) - (x->low < y->low);
}

/* Sorted, and united where they touch. */
static int64_t unite(cuts_stretch *list, int64_t count) {
  int64_t kept = 0;
  if (count > 0) qsort(list, (size_t)count, sizeof *list, by_low);
  for (int64_t i = 0; i < count; i++) {
    if (kept > 0 && list[i].low <= list[kept - 1].high + GV_CUT_TOLERANCE) {
      list[kept - 1].high = fmax(list[kept - 1].high, list[i].high);
    } else {
      list[kept++] = list[i];
    }
  }
  return kept;
}

/* How many stretches begin at or below a latitude. */
static int64_t begun(const cuts_stretch *list, int64_t count, double low) {
  int64_t from = 0, to = count;
  while (from < to) {
    int64_t middle = from + (to - from) / 2;
    if (list[middle].low <= low) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

static bool covers(const cuts_stretch *list, int64_t count, double low, double high) {
  int64_t from = begun(list, count, low + GV_CUT_TOLERANCE);
  return from > 0 && list[from - 1].high >= high - GV_CUT_TOLERANCE;
}

typedef struct marking {
  gv_feature_set *set;
  sides *sides;
} marking;

static void cuts_mark(void *user, const gv_feature_set *set, int64_t ring, int64_t v) {
  marking *m = user;
  double low = fmin(set->y[v], set->y[v + 1]), high = fmax(set->y[v], set->y[v + 1]);
  int side = cuts_side_of(set, ring, v);
  bool pole = fabs(low) == 90.0 && low == high;
  bool cut = side >= 0 && covers(m->sides->stretch[1 - side], m->sides->count[1 - side], low, high);
  if (pole || cut) m->set->cut[v] = 1;
}

/* Moves the ends of edges that are cut onto the meridian. */
static void move_ends(void *user, const gv_feature_set *set, int64_t ring, int64_t v) {
  gv_feature_set *to = user;
  if (set->cut[v] == 0 || cuts_side_of(set, ring, v) < 0) return;
  double lon = antimeridian_near(set->x[v]);
  int64_t first = set->vertex[ring], last = set->vertex[ring + 1] - 1;
  to->x[v] = to->x[v + 1] = lon;
  if (v == first) to->x[last] = lon; /* rings stay closed */
  if (v + 1 == last) to->x[first] = lon;
}

static void clear_sides(gv_context *context, sides *s) {
  gv_release(&context->allocator, s->stretch[0]);
  gv_release(&context->allocator, s->stretch[1]);
}

static gv_status find_sides(gv_context *context, const gv_feature_set *set, sides *s) {
  memset(s, 0, sizeof *s);
  visit_polygons(set, cuts_collect, s);
  for (int side = 0; side < 2; side++) {
    s->stretch[side] = gv_allocate(&context->allocator, s->count[side], sizeof(cuts_stretch));
    s->count[side] = 0;
  }
  if (s->stretch[0] == NULL || s->stretch[1] == NULL) {
    clear_sides(context, s);
    return gv_fail_memory(context, "the features");
  }
  visit_polygons(set, cuts_collect, s);
  for (int side = 0; side < 2; side++)
    s->count[side] = unite(s->stretch[side], s->count[side]);
  return GV_OK;
}

/* -------------------------------------------------------------------------------------------- cuts_output */

/* Vertices that are copied one after the other; x is NULL where they are only counted. */
typedef struct cuts_output {
  double *x, *y;
  int64_t count;
} cuts_output;

static void cuts_put(cuts_output *p, double x, double y) {
  if (p->x != NULL) p->x[p->count] = x, p->y[p->count] = y;
  p->count++;
}

/* Where stretches begin or end within an edge along the antimeridian, in its direction. */
static void put_ends(cuts_output *p, const cuts_stretch *list, int64_t count, double x, double from,
                     double to) {
  double low = fmin(from, to) + GV_CUT_TOLERANCE, high = fmax(from, to) - GV_CUT_TOLERANCE;
  int64_t first = p->count, n = begun(list, count, low);
  for (n -= n > 0; n < count && list[n].low < high; n++) {
    if (list[n].low > low) cuts_put(p, x, list[n].low);
    if (list[n].high > low && list[n].high < high) cuts_put(p, x, list[n].high);
  }
  if (from < to || p->y == NULL) return;
  for (int64_t last = p->count - 1; first < last; first++, last--) {
    double y = p->y[first];
    p->y[first] = p->y[last];
    p->y[last] = y;
  }
}

/* All vertices, and where rings begin then if `vertex` is not NULL. */
static void part_rings(const gv_feature_set *set, const sides *s, cuts_output *p, int64_t *vertex) {
  for (int64_t part = 0; part < set->parts; part++) {
    for (int64_t r = set->ring[part]; r < set->ring[part + 1]; r++) {
      if (vertex != NULL) vertex[r] = p->count;
      for (int64_t v = set->vertex[r]; v < set->vertex[r + 1]; v++) {
        cuts_put(p, set->x[v], set->y[v]);
        int side =
            set->kind[part] == GV_PART_POLYGON && v + 1 < set->vertex[r + 1] ? cuts_side_of(set, r, v) : -1;
        if (side >= 0)
          put_ends(p, s->stretch[1 - side], s->count[1 - side], set->x[v], set->y[v], set->y[v + 1]);
      }
    }
  }
  if (vertex != NULL) vertex[set->rings] = p->count;
}

static gv_status part_edges(gv_context *context, gv_feature_set *set, const sides *s) {
  cuts_output p = {NULL, NULL, 0};
  part_rings(set, s, &p, NULL);
  int64_t vertices = p.count;
  if (vertices == set->vertices) return GV_OK;
  if (vertices > INT32_MAX) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "vertices: too many (%lld); at most %d are supported",
                   (long long)vertices, INT32_MAX);
  }
  p = (cuts_output){gv_allocate(&context->allocator, vertices, sizeof *p.x),
                    gv_allocate(&context->allocator, vertices, sizeof *p.y), 0};
  int64_t *vertex = gv_allocate(&context->allocator, set->rings + 1, sizeof *vertex);
  if (p.x == NULL || p.y == NULL || vertex == NULL) {
    gv_release(&context->allocator, p.x);
    gv_release(&context->allocator, p.y);
    gv_release(&context->allocator, vertex);
    return gv_fail_memory(context, "the features");
  }
  part_rings(set, s, &p, vertex);
  gv_release(&context->allocator, set->x);
  gv_release(&context->allocator, set->y);
  gv_release(&context->allocator, set->vertex);
  set->x = p.x, set->y = p.y, set->vertex = vertex, set->vertices = vertices;
  return GV_OK;
}

gv_status gv_feature_set_mark_cuts(gv_context *context, gv_feature_set *set) {
  sides s;
  GV_TRY(find_sides(context, set, &s));
  gv_status status = part_edges(context, set, &s);
  if (status == GV_OK) {
    set->cut = gv_allocate_zeroed(&context->allocator, set->vertices, sizeof *set->cut);
    if (set->cut == NULL) status = gv_fail_memory(context, "the features");
  }
  if (status == GV_OK) {
    marking m = {set, &s};
    visit_polygons(set, cuts_mark, &m);
    if (set->straight) visit_polygons(set, move_ends, set);
  }
  clear_sides(context, &s);
  return status;
}
