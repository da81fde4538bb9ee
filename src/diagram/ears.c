/* A ring of corners that loses one after the other. */
#include "diagram/ears.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A corner of the polygon, and the edge from it to the next one. */
typedef struct ear {
  int32_t seed, next, before;
  bool cut;
  int64_t beyond; /* behind the edge: 3 * facet + side */
  double excess;  /* of the facet with both neighbors */
} ear;

typedef struct ears {
  const gv_ears *given;
  gv_triangulation *t;
  const int32_t *facets;
  int32_t count, made; /* of facets */
  ear *ring;           /* count + 2 */
  int32_t *waiting;    /* numbers of corners to look at again: a stack */
  int32_t waiting_count;
} ears;

static int compare_corners(const void *a, const void *b) {
  const ear *left = a, *right = b;
  return (left->seed > right->seed) - (left->seed < right->seed);
}

static int compare_facets(const void *a, const void *b) {
  int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
  return (left > right) - (left < right);
}

static ear *ears_find(const ears *e, int32_t seed) {
  const ear wanted = {.seed = seed};
  return bsearch(&wanted, e->ring, (size_t)e->count + 2, sizeof(ear), compare_corners);
}

/* The ring around the facets (`sorted`); false unless they form a polygon without corners inside, or a seed
 * is two of its corners. */
static bool ears_collect(ears *e, const int32_t *sorted) {
  const gv_triangulation *t = e->t;
  int32_t sides = 0;
  for (int64_t i = 0; i < 3 * (int64_t)e->count; i++) {
    int32_t facet = e->facets[i / 3], side = (int32_t)(i % 3), other = t->neighbor[3 * (int64_t)facet + side];
    if (bsearch(&other, sorted, (size_t)e->count, sizeof other, compare_facets) != NULL) continue;
    if (sides == e->count + 2) return false;
    const int32_t *corner = t->corner + 3 * (int64_t)facet;
    int32_t from = corner[(side + 1) % 3], to = corner[(side + 2) % 3];
    e->ring[sides++] = (ear){
        .seed = from, .next = to, .beyond = 3 * (int64_t)other + gv_triangulation_side(t, other, to, from)};
  }
  if (sides != e->count + 2) return false;
  qsort(e->ring, (size_t)sides, sizeof(ear), compare_corners);
  for (int32_t i = 0; i < sides; i++) {
    ear *next = ears_find(e, e->ring[i].next);
    if (next == NULL || (i > 0 && e->ring[i].seed == e->ring[i - 1].seed)) return false;
    e->ring[i].next = (int32_t)(next - e->ring);
    next->before = i;
  }
  int32_t length = 1;
  for (int32_t at = e->ring[0].next; at != 0 && length <= sides; at = e->ring[at].next)
    length++;
  return length == sides;
}

/* The facet of a corner and its neighbors, in place of the next one to be made. */
static int32_t ears_put(const ears *e, const ear *at) {
  int32_t facet = e->facets[e->made], *corner = e->t->corner + 3 * (int64_t)facet;
  corner[0] = e->ring[at->before].seed;
  corner[1] = at->seed;
  corner[2] = e->ring[at->next].seed;
  return facet;
}

static void ears_link(const ears *e, int32_t facet, int side, int64_t beyond) {
  e->t->neighbor[3 * (int64_t)facet + side] = (int32_t)(beyond / 3);
  e->t->neighbor[beyond] = facet;
}

static gv_status ears_look(ears *e, int32_t number) {
  ear *at = &e->ring[number];
  const int32_t beside[2] = {e->ring[e->ring[at->before].before].seed, e->ring[e->ring[at->next].next].seed};
  return e->given->look(e->given->user, ears_put(e, at), beside, &at->excess);
}

/* A corner to cut off: the first that is right, or else the one with the least excess; -1: none has a
 * vertex. */
static gv_status ears_choose(ears *e, int32_t first, int32_t *chosen) {
  while (e->waiting_count > 0) {
    int32_t number = e->waiting[--e->waiting_count];
    if (e->ring[number].cut) continue;
    GV_TRY(ears_look(e, number));
    *chosen = number;
    if (e->ring[number].excess == 0.0) return GV_OK;
  }
  *chosen = -1;
  double least = INFINITY;
  int32_t at = first;
  do {
    if (e->ring[at].excess < least) {
      least = e->ring[at].excess;
      *chosen = at;
    }
    at = e->ring[at].next;
  } while (at != first);
  return GV_OK;
}

static gv_status ears_cut(ears *e, int32_t number) {
  ear *at = &e->ring[number], *before = &e->ring[at->before], *next = &e->ring[at->next];
  int32_t facet = ears_put(e, at);
  e->given->excess[facet] = 0.0;
  if (at->excess > 0.0) GV_TRY(e->given->look(e->given->user, facet, NULL, &e->given->excess[facet]));
  ears_link(e, facet, 0, at->beyond);
  ears_link(e, facet, 2, before->beyond);
  at->cut = true;
  e->made++;
  if (e->made == e->count) { /* three corners are left, which this facet takes */
    ears_link(e, facet, 1, next->beyond);
    return GV_OK;
  }
  before->beyond = 3 * (int64_t)facet + 1;
  before->next = at->next;
  next->before = at->before;
  e->waiting[e->waiting_count++] = at->next;
  e->waiting[e->waiting_count++] = at->before;
  return GV_OK;
}

static gv_status ears_run(ears *e, bool *done) {
  int32_t corners = e->count + 2, first = 0;
  for (int32_t i = corners - 1; i >= 0; i--)
    e->waiting[e->waiting_count++] = i;
  for (int32_t i = 0; i < corners; i++)
    e->ring[i].excess = INFINITY;
  while (e->made < e->count) {
    int32_t number;
    GV_TRY(ears_choose(e, first, &number));
    if (number < 0) return GV_OK;
    first = e->ring[number].next;
    GV_TRY(ears_cut(e, number));
  }
  *done = true;
  return GV_OK;
}

/* The facets as they were. */
static gv_status ears_undo(ears *e, const int32_t *corner, const int32_t *neighbor) {
  gv_triangulation *t = e->t;
  double excess;
  for (int32_t i = 0; i < e->count; i++) {
    int64_t facet = e->facets[i];
    memcpy(t->corner + 3 * facet, corner + 3 * (int64_t)i, 3 * sizeof *corner);
    memcpy(t->neighbor + 3 * facet, neighbor + 3 * (int64_t)i, 3 * sizeof *neighbor);
  }
  for (int32_t i = 0; i < 3 * e->count; i++) {
    int32_t facet = e->facets[i / 3], side = i % 3, *own = t->corner + 3 * (int64_t)facet;
    int32_t other = t->neighbor[3 * (int64_t)facet + side];
    t->neighbor[3 * (int64_t)other +
                gv_triangulation_side(t, other, own[(side + 2) % 3], own[(side + 1) % 3])] = facet;
  }
  for (int32_t i = 0; i < e->count; i++)
    GV_TRY(e->given->look(e->given->user, e->facets[i], NULL, &excess));
  return GV_OK;
}

gv_status gv_ears_cut(const gv_ears *given, const int32_t *facets, int32_t count, bool *done) {
  const gv_allocator *allocator = &given->context->allocator;
  ears e = {.given = given, .t = given->t, .facets = facets, .count = count};
  int32_t *sorted = gv_allocate(allocator, count, sizeof *sorted);
  int32_t *corner = gv_allocate(allocator, count, 3 * sizeof *corner);
  int32_t *neighbor = gv_allocate(allocator, count, 3 * sizeof *neighbor);
  e.ring = gv_allocate(allocator, (int64_t)count + 2, sizeof *e.ring);
  e.waiting = gv_allocate(allocator, 3 * ((int64_t)count + 2), sizeof *e.waiting);
  gv_status status = GV_OK;
  *done = false;
  if (sorted == NULL || corner == NULL || neighbor == NULL || e.ring == NULL || e.waiting == NULL) {
    status = gv_fail_memory(given->context, "the vertices");
  } else {
    memcpy(sorted, facets, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_facets);
    for (int32_t i = 0; i < count; i++) {
      memcpy(corner + 3 * (int64_t)i, e.t->corner + 3 * (int64_t)facets[i], 3 * sizeof *corner);
      memcpy(neighbor + 3 * (int64_t)i, e.t->neighbor + 3 * (int64_t)facets[i], 3 * sizeof *neighbor);
    }
    if (ears_collect(&e, sorted)) {
      status = ears_run(&e, done);
      if (status == GV_OK && !*done) status = ears_undo(&e, corner, neighbor);
    }
  }
  gv_release(allocator, sorted);
  gv_release(allocator, corner);
  gv_release(allocator, neighbor);
  gv_release(allocator, e.ring);
  gv_release(allocator, e.waiting);
  return status;
}
