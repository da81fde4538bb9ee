/* Vertices that are close to each other become one; walls are divided at vertices on them. */
#include "barriers/walls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "barriers/rings.h"
#include "barriers/tree.h"
#include "core/buffer.h"
#include "core/cancel.h"
#include "core/hash.h"

enum { BETWEEN_CHECKS = 4096 /* vertices, whether the call is cancelled */ };

/* A vertex on a wall that does not end there. */
typedef struct walls_cut {
  int64_t wall;
  double part; /* of the wall's length, from its beginning */
  int32_t vertex;
} walls_cut;

typedef struct walls_build {
  gv_context *context;
  gv_barriers *b;
  gv_buffer walls; /* those of b */
  gv_buffer cuts;
  int64_t cut_count;
  gv_status status;
  /* Of the vertex that is looked at. */
  int32_t vertex;
} walls_build;

static gv_status walls_add(walls_build *w, int32_t from, int32_t to, int32_t polygon) {
  gv_barriers *b = w->b;
  if (from == to) return GV_OK;
  gv_wall *walls = gv_buffer_extend(&w->walls, &b->allocator, b->wall_count + 1, sizeof *walls);
  if (walls == NULL) return gv_fail_memory(w->context, "the barriers");
  b->walls = walls;
  gv_wall *wall = &b->walls[b->wall_count++];
  memcpy(wall->a, b->places + (ptrdiff_t)3 * from, sizeof wall->a);
  memcpy(wall->b, b->places + (ptrdiff_t)3 * to, sizeof wall->b);
  wall->from = from;
  wall->to = to;
  wall->polygon = polygon;
  return GV_OK;
}

/* ----------------------------------------------------------------------------------------------- vertices */

/* A grid of cubes, by hashing: vertices within the tolerance lie in neighboring cubes. */
typedef struct walls_cubes {
  const gv_barriers *b;
  double side;
  int32_t *first, *next; /* of a bucket; of a vertex: the next in its bucket */
  uint64_t mask;
} walls_cubes;

static uint64_t walls_bucket(const walls_cubes *s, const double *x, int neighbor) {
  uint64_t hash = 0;
  for (int d = 0; d < 3; d++) {
    const double cube = floor((x[d] - s->b->low[d]) / s->side) + neighbor % 3 - 1;
    hash = gv_hash_mix(hash ^ (uint64_t)(int64_t)cube);
    neighbor /= 3;
  }
  return hash & s->mask;
}

/* The first vertex that counts for this one. */
static int32_t walls_find(const walls_cubes *s, const double *x) {
  const double most = s->b->tolerance;
  const bool flat = s->b->low[2] == s->b->high[2]; /* the cubes of one layer only */
  int32_t found = -1;
  for (int i = flat ? 9 : 0; i < (flat ? 18 : 27); i++) {
    for (int32_t v = s->first[walls_bucket(s, x, i)]; v >= 0; v = s->next[v]) {
      const double *y = s->b->places + (ptrdiff_t)3 * v;
      if (fabs(y[0] - x[0]) <= most && fabs(y[1] - x[1]) <= most && fabs(y[2] - x[2]) <= most &&
          (found < 0 || v < found))
        found = v;
    }
  }
  return found;
}

/* Numbers of the rings' vertices, equal for those that are one; the places of the numbers are kept. */
static gv_status walls_join(gv_context *context, const gv_barrier_rings *rings, gv_barriers *b,
                            int32_t *number) {
  walls_cubes s = {.b = b, .side = 2.0 * b->tolerance};
  uint64_t buckets = 16;
  while (buckets < 2 * (uint64_t)rings->count)
    buckets *= 2;
  s.mask = buckets - 1;
  s.first = gv_allocate(&b->allocator, (int64_t)buckets, sizeof *s.first);
  s.next = gv_allocate(&b->allocator, rings->count, sizeof *s.next);
  gv_status status = GV_OK;
  if (s.first == NULL || s.next == NULL) {
    status = gv_fail_memory(context, "the barriers");
  } else {
    memset(s.first, 0xff, buckets * sizeof *s.first);
  }
  for (int64_t v = 0; v < rings->count && status == GV_OK; v++) {
    const double *x = rings->place + 3 * v;
    number[v] = walls_find(&s, x);
    if (number[v] >= 0) continue;
    number[v] = (int32_t)b->vertex_count++;
    memcpy(b->places + (ptrdiff_t)3 * number[v], x, 3 * sizeof *x);
    memcpy(b->at + (ptrdiff_t)3 * number[v], rings->at + 3 * v, 3 * sizeof *x);
    const uint64_t at = walls_bucket(&s, x, 13);
    s.next[number[v]] = s.first[at];
    s.first[at] = number[v];
  }
  gv_release(&b->allocator, s.first);
  gv_release(&b->allocator, s.next);
  return status;
}

/* -------------------------------------------------------------------------------------- vertices on walls */

static bool walls_try_cut(void *user, const gv_wall *wall) {
  walls_build *w = user;
  const double *x = w->b->places + (ptrdiff_t)3 * w->vertex;
  if (wall->from == w->vertex || wall->to == w->vertex) return true;
  double part;
  if (!w->b->geometry->passes(w->b, wall->a, wall->b, x, &part)) return true;
  walls_cut *cuts = gv_buffer_extend(&w->cuts, &w->b->allocator, w->cut_count + 1, sizeof *cuts);
  if (cuts == NULL) {
    w->status = gv_fail_memory(w->context, "the barriers");
    return false;
  }
  cuts[w->cut_count++] = (walls_cut){wall - w->b->walls, part, w->vertex};
  return true;
}

static int walls_compare_cuts(const void *p, const void *q) {
  const walls_cut *a = p, *b = q;
  if (a->wall != b->wall) return a->wall < b->wall ? -1 : 1;
  if (a->part != b->part) return a->part < b->part ? -1 : 1;
  return a->vertex < b->vertex ? -1 : a->vertex > b->vertex;
}

static gv_status walls_divide(walls_build *w) {
  gv_barriers *b = w->b;
  for (int64_t v = 0; v < b->vertex_count && w->status == GV_OK; v++) {
    gv_barrier_box box;
    if (v % BETWEEN_CHECKS == 0) GV_TRY(gv_check_cancelled(w->context));
    w->vertex = (int32_t)v;
    gv_barrier_box_begin(&box);
    gv_barrier_box_add(&box, b->places + 3 * v);
    gv_barrier_box_widen(&box, b->tolerance);
    gv_barrier_walls_near(b, &box, walls_try_cut, w);
  }
  GV_TRY(w->status);
  walls_cut *cuts = w->cuts.memory;
  if (w->cut_count > 0) qsort(cuts, (size_t)w->cut_count, sizeof *cuts, walls_compare_cuts);
  for (int64_t i = 0; i < w->cut_count;) {
    const int64_t number = cuts[i].wall;
    const int32_t end = b->walls[number].to, polygon = b->walls[number].polygon;
    int32_t at = cuts[i].vertex;
    b->walls[number].to = at;
    memcpy(b->walls[number].b, b->places + (ptrdiff_t)3 * at, sizeof b->walls[number].b);
    for (i++; i < w->cut_count && cuts[i].wall == number; i++) {
      GV_TRY(walls_add(w, at, cuts[i].vertex, polygon));
      at = cuts[i].vertex;
    }
    GV_TRY(walls_add(w, at, end, polygon));
  }
  return GV_OK;
}

/* -------------------------------------------------------------------------------------------- edges twice */

static int walls_compare(const void *p, const void *q) {
  const gv_wall *a = p, *b = q;
  const int32_t a_low = a->from < a->to ? a->from : a->to, a_high = a->from < a->to ? a->to : a->from;
  const int32_t b_low = b->from < b->to ? b->from : b->to, b_high = b->from < b->to ? b->to : b->from;
  if (a->polygon != b->polygon) return a->polygon < b->polygon ? -1 : 1;
  if (a_low != b_low) return a_low < b_low ? -1 : 1;
  return a_high < b_high ? -1 : a_high > b_high;
}

/* A polygon keeps edges that occur an odd number of times, once; lines keep all once. */
static void walls_cancel(gv_barriers *b) {
  int64_t kept = 0;
  if (b->wall_count > 0) qsort(b->walls, (size_t)b->wall_count, sizeof *b->walls, walls_compare);
  for (int64_t i = 0; i < b->wall_count;) {
    int64_t end = i + 1;
    while (end < b->wall_count && walls_compare(&b->walls[i], &b->walls[end]) == 0)
      end++;
    if (b->walls[i].polygon < 0 || (end - i) % 2 == 1) b->walls[kept++] = b->walls[i];
    i = end;
  }
  b->wall_count = kept;
}

/* ---------------------------------------------------------------------------------------------------- all */

static gv_status walls_fill(walls_build *w, const gv_feature_set *set, const int64_t *first,
                            const int32_t *number) {
  for (int64_t p = 0; p < set->parts; p++) {
    const int32_t polygon = set->kind[p] == GV_PART_POLYGON ? (int32_t)p : -1;
    w->b->polygons = w->b->polygons || polygon >= 0;
    for (int64_t r = set->ring[p]; r < set->ring[p + 1]; r++)
      for (int64_t v = first[r]; v + 1 < first[r + 1]; v++)
        GV_TRY(walls_add(w, number[v], number[v + 1], polygon));
  }
  walls_cancel(w->b);
  return GV_OK;
}

static gv_status walls_make_tree(gv_context *context, gv_barriers *b) {
  gv_release(&b->allocator, b->wall_nodes);
  b->wall_nodes = NULL;
  return gv_barrier_tree_make(context, b, b->walls, b->wall_count, sizeof *b->walls, 2, &b->wall_nodes,
                              &b->wall_node_count);
}

/* The extent of the vertices, the tolerance, and how far walls are from edges. */
static void walls_measure(const gv_barrier_rings *rings, gv_barriers *b) {
  gv_barrier_box box;
  gv_barrier_box_begin(&box);
  for (int64_t v = 0; v < rings->count; v++)
    gv_barrier_box_add(&box, rings->place + 3 * v);
  memcpy(b->low, box.low, sizeof b->low);
  memcpy(b->high, box.high, sizeof b->high);
  const int widest = gv_barrier_box_widest(&box);
  const double size = box.high[widest] - box.low[widest];
  b->tolerance = size > 0.0 ? GV_BARRIER_TOLERANCE * size : 1.0;
  b->deviation = rings->deviation;
}

gv_status gv_barrier_walls_make(gv_context *context, const gv_feature_set *set, gv_barriers *b) {
  walls_build w = {.context = context, .b = b};
  gv_barrier_rings rings;
  int32_t *number = NULL;
  gv_status status = gv_barrier_rings_make(context, b, set, &rings);
  if (status == GV_OK) {
    walls_measure(&rings, b);
    number = gv_allocate(&b->allocator, rings.count, sizeof *number);
    b->places = gv_allocate(&b->allocator, 3 * rings.count, sizeof *b->places);
    b->at = gv_allocate(&b->allocator, 3 * rings.count, sizeof *b->at);
    if (number == NULL || b->places == NULL || b->at == NULL)
      status = gv_fail_memory(context, "the barriers");
  }
  if (status == GV_OK) status = walls_join(context, &rings, b, number);
  if (status == GV_OK) status = walls_fill(&w, set, rings.first, number);
  if (status == GV_OK) status = walls_make_tree(context, b);
  if (status == GV_OK) status = walls_divide(&w);
  if (status == GV_OK && w.cut_count > 0) {
    walls_cancel(b);
    status = walls_make_tree(context, b);
  }
  gv_release(&b->allocator, number);
  gv_barrier_rings_clear(context, &rings);
  gv_buffer_clear(&w.cuts, &b->allocator);
  return status;
}
