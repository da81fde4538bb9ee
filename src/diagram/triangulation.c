/* Incremental insertion into a closed surface of triangles. */
#include "diagram/triangulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "diagram/equidistant.h"
#include "diagram/predicates.h"
#include "search/code_sort.h"

/* State of insertion in addition to the triangulation. */
typedef struct triangulation_builder {
  gv_context *context;
  gv_triangulation *t;
  gv_surface surface;
  int64_t room;        /* facets */
  int32_t *facet_of;   /* of each vertex: one of its facets */
  int32_t *first_edge; /* of each vertex: the facet of the new fan that begins there */
  int32_t *mark; /* of each facet: point + 1 if it is being replaced, -(point + 1) if that point is not in its
                    circle */
  gv_sort_code *order;
  int32_t *cavity,
      /* facets to replace; edges around them: both corners, the facet on the other side and its side */
      *boundary;
  int64_t cavity_room, boundary_room;
} triangulation_builder;

static const double *triangulation_place_of(const gv_triangulation *t, int64_t vertex) {
  return t->position + 3 * vertex;
}

static bool same_place(const gv_triangulation *t, int64_t a, int64_t b) {
  const double *p = triangulation_place_of(t, a), *q = triangulation_place_of(t, b);
  return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

static double triangulation_distance2(const gv_triangulation *t, int64_t a, int64_t b) {
  const double *p = triangulation_place_of(t, a), *q = triangulation_place_of(t, b);
  double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
  return x * x + y * y + z * z;
}

static int circle_side(const gv_triangulation *t, int64_t a, int64_t b, int64_t c, int64_t p) {
  if (t->sphere)
    return gv_circle_side_sphere(triangulation_place_of(t, a), triangulation_place_of(t, b),
                                 triangulation_place_of(t, c), triangulation_place_of(t, p));
  /* The back of the far triangle, with the highest three numbers, clockwise in the plane: no points are
   * outside. */
  if (a >= t->count && b >= t->count && c >= t->count && (b - a == 2 || a - b == 1)) return -1;
  return gv_circle_side_plane(triangulation_place_of(t, a), triangulation_place_of(t, b),
                              triangulation_place_of(t, c), triangulation_place_of(t, p));
}

int gv_triangulation_side(const gv_triangulation *t, int32_t facet, int32_t from, int32_t to) {
  const int32_t *v = t->corner + 3 * (int64_t)facet;
  return v[1] == from && v[2] == to ? 0 : v[2] == from && v[0] == to ? 1 : 2;
}

/* ---------------------------------------------------------------------------------------------- the order */

/* Sorts by round (the last half of the seeds, the quarter before it ...), then along the curve. */
static gv_status triangulation_sort(triangulation_builder *b) {
  const gv_triangulation *t = b->t;
  enum { BITS = 57, ROUNDS = 64 };
  double low[3], high[3];
  memcpy(low, t->position, sizeof low);
  memcpy(high, t->position, sizeof high);
  for (int64_t i = 3; i < 3 * t->count; i++) {
    low[i % 3] = fmin(low[i % 3], t->position[i]);
    high[i % 3] = fmax(high[i % 3], t->position[i]);
  }
  gv_morton morton = {t->sphere ? 3 : 2, t->sphere ? BITS / 3 : BITS / 2, low, high};
  gv_sort_code *scratch = gv_allocate(&t->allocator, t->count, sizeof *scratch);
  if (scratch == NULL) return gv_fail_memory(b->context, "the order of seeds");
  for (int64_t i = 0; i < t->count; i++) {
    uint64_t dice = gv_hash_mix((uint64_t)i + 1), round = ROUNDS - 1;
    while (round > 0 && (dice & 1) != 0) {
      dice >>= 1;
      round--;
    }
    b->order[i] = (gv_sort_code){round << BITS | gv_morton_code(&morton, triangulation_place_of(t, i)), i};
  }
  gv_status status = gv_codes_sort(b->context, b->order, scratch, t->count, 63, b->context->threads);
  gv_release(&t->allocator, scratch);
  return status;
}

/* ---------------------------------------------------------------------------------------------- insertion */

static gv_status builder_reserve(triangulation_builder *b, int32_t **list, int64_t *room, int64_t needed) {
  if (needed <= *room) return GV_OK;
  int64_t more = needed > 2 * *room ? needed : 2 * *room;
  int32_t *larger = gv_allocate(&b->t->allocator, more, sizeof *larger);
  if (larger == NULL) return gv_fail_memory(b->context, "the triangulation");
  if (*list != NULL) memcpy(larger, *list, (size_t)*room * sizeof *larger);
  gv_release(&b->t->allocator, *list);
  *list = larger;
  *room = more;
  return GV_OK;
}

/* True if a facet's circle holds the point; for facets that are not being replaced yet. */
static bool builder_conflicts(triangulation_builder *b, int32_t facet, int32_t point) {
  if (b->mark[facet] == -(point + 1)) return false;
  const int32_t *v = b->t->corner + 3 * (int64_t)facet;
  bool within = circle_side(b->t, v[0], v[1], v[2], point) > 0;
  if (!within) b->mark[facet] = -(point + 1);
  return within;
}

/* The vertex nearest to a point, from one on to nearer neighbors. */
static int32_t builder_nearest(const triangulation_builder *b, int32_t point, int32_t from) {
  const gv_triangulation *t = b->t;
  double least = triangulation_distance2(t, from, point);
  for (int32_t at = -1; at != from;) {
    at = from;
    int32_t first = b->facet_of[at], facet = first;
    do {
      const int32_t *v = t->corner + 3 * (int64_t)facet;
      int32_t other = v[0] == at ? v[1] : v[1] == at ? v[2] : v[0];
      double distance = triangulation_distance2(t, other, point);
      if (distance < least) {
        least = distance;
        from = other;
      }
      facet = gv_triangulation_after(t, facet, at);
    } while (facet != first);
  }
  return from;
}

/* A facet around a vertex with a circle that contains the point; -1: none. */
static int32_t builder_conflict_around(triangulation_builder *b, int32_t point, int32_t vertex) {
  int32_t first = b->facet_of[vertex], facet = first;
  do {
    if (builder_conflicts(b, facet, point)) return facet;
    facet = gv_triangulation_after(b->t, facet, vertex);
  } while (facet != first);
  return -1;
}

/* A point cuts a corner off the nearest vertex's cell, so a facet around that vertex is in conflict; if
 * rounding has led to another vertex, one around its neighbors. -1: the point is at the vertex's place. */
static int32_t builder_find_conflict(triangulation_builder *b, int32_t point, int32_t nearest) {
  const gv_triangulation *t = b->t;
  int32_t found = builder_conflict_around(b, point, nearest), first = b->facet_of[nearest], facet = first;
  if (found >= 0) return found;
  do {
    const int32_t *v = t->corner + 3 * (int64_t)facet;
    for (int i = 0; i < 3 && found < 0; i++)
      found = builder_conflict_around(b, point, v[i]);
    facet = gv_triangulation_after(t, facet, nearest);
  } while (found < 0 && facet != first);
  return found;
}

/* Lists the facets with circles that contain the point, and the edges around them. */
static gv_status builder_find_cavity(triangulation_builder *b, int32_t point, int32_t start, int64_t *removed,
                                     int64_t *edges) {
  const gv_triangulation *t = b->t;
  int64_t count = 1, boundary = 0;
  GV_TRY(builder_reserve(b, &b->cavity, &b->cavity_room, 64));
  b->cavity[0] = start;
  b->mark[start] = point + 1;
  for (int64_t i = 0; i < count; i++) {
    int32_t facet = b->cavity[i];
    const int32_t *v = t->corner + 3 * (int64_t)facet;
    for (int side = 0; side < 3; side++) {
      int32_t beyond = t->neighbor[3 * (int64_t)facet + side];
      if (b->mark[beyond] == point + 1) continue;
      if (builder_conflicts(b, beyond, point)) {
        GV_TRY(builder_reserve(b, &b->cavity, &b->cavity_room, count + 1));
        b->mark[beyond] = point + 1;
        b->cavity[count++] = beyond;
        continue;
      }
      GV_TRY(builder_reserve(b, &b->boundary, &b->boundary_room, 4 * boundary + 4));
      int32_t *edge = b->boundary + 4 * boundary++;
      edge[0] = v[(side + 1) % 3];
      edge[1] = v[(side + 2) % 3];
      edge[2] = beyond;
      edge[3] = gv_triangulation_side(t, beyond, edge[1], edge[0]);
    }
  }
  *removed = count;
  *edges = boundary;
  return GV_OK;
}

/* A fan around the point in place of the facets that were removed. */
static gv_status builder_fill(triangulation_builder *b, int32_t point, int64_t removed, int64_t edges) {
  gv_triangulation *t = b->t;
  /* One ring of edges around a disc without vertices inside: two facets more than there were. */
  if (edges != removed + 2 || t->facets + 2 > b->room)
    return gv_fail(b->context, GV_ERROR_INTERNAL, "triangulation: inconsistent at seed %d", (int)point);
  for (int64_t i = 0; i < edges; i++) {
    const int32_t *edge = b->boundary + 4 * i;
    int32_t facet = i < removed ? b->cavity[i] : (int32_t)t->facets++;
    int32_t *v = t->corner + 3 * (int64_t)facet;
    v[0] = point;
    v[1] = edge[0];
    v[2] = edge[1];
    t->neighbor[3 * (int64_t)facet] = edge[2];
    t->neighbor[3 * (int64_t)edge[2] + edge[3]] = facet;
    b->first_edge[edge[0]] = facet;
    b->facet_of[edge[0]] = facet;
    b->mark[facet] = 0;
  }
  b->facet_of[point] = b->first_edge[b->boundary[0]];
  for (int64_t i = 0; i < edges; i++) {
    int32_t facet = b->first_edge[b->boundary[4 * i]], after = b->first_edge[b->boundary[4 * i + 1]];
    t->neighbor[3 * (int64_t)facet + 1] = after;
    t->neighbor[3 * (int64_t)after + 2] = facet;
  }
  return GV_OK;
}

static gv_status builder_insert(triangulation_builder *b, int32_t point, int32_t *nearest) {
  int64_t removed, edges;
  *nearest = builder_nearest(b, point, *nearest);
  int32_t start = same_place(b->t, *nearest, point) ? -1 : builder_find_conflict(b, point, *nearest);
  if (start < 0) {
    b->t->owner[point] = *nearest;
    return GV_OK;
  }
  b->t->owner[point] = point;
  b->t->distinct++;
  GV_TRY(builder_find_cavity(b, point, start, &removed, &edges));
  GV_TRY(builder_fill(b, point, removed, edges));
  *nearest = point;
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------ the beginning */

static void builder_put(triangulation_builder *b, int32_t facet, const int32_t corner[3],
                        const int32_t neighbor[3]) {
  gv_triangulation *t = b->t;
  for (int i = 0; i < 3; i++) {
    t->corner[3 * (int64_t)facet + i] = corner[i];
    t->neighbor[3 * (int64_t)facet + i] = neighbor[i];
    b->facet_of[corner[i]] = facet;
  }
}

/* The plane: the triangle of the far corners and its back. */
static void builder_start_plane(triangulation_builder *b) {
  int32_t far = (int32_t)b->t->count;
  const int32_t front[3] = {far, far + 1, far + 2}, back[3] = {far, far + 2, far + 1};
  builder_put(b, 0, front, (const int32_t[]){1, 1, 1});
  builder_put(b, 1, back, (const int32_t[]){0, 0, 0});
  b->t->facets = 2;
}

/* The sphere: the first four places in the order that are not on one circle become a tetrahedron, in first[0
 * ... 3]; *found places. */
static void builder_start_sphere(triangulation_builder *b, int32_t first[4], int *found) {
  gv_triangulation *t = b->t;
  *found = 0;
  for (int64_t i = 0; i < t->count && *found < 4; i++) {
    int32_t point = (int32_t)b->order[i].index;
    bool again = false;
    for (int j = 0; j < *found; j++)
      again |= same_place(t, first[j], point);
    if (again) continue;
    if (*found == 3) {
      int side = circle_side(t, first[0], first[1], first[2], point);
      if (side == 0) continue;
      if (side > 0) { /* so that the fourth is behind the first three */
        int32_t swap = first[1];
        first[1] = first[2];
        first[2] = swap;
      }
    }
    first[(*found)++] = point;
  }
  if (*found < 4) return;
  for (int i = 0; i < 4; i++) {
    t->owner[first[i]] = first[i];
    t->distinct++;
  }
  builder_put(b, 0, (const int32_t[]){first[0], first[1], first[2]}, (const int32_t[]){2, 3, 1});
  builder_put(b, 1, (const int32_t[]){first[0], first[3], first[1]}, (const int32_t[]){2, 0, 3});
  builder_put(b, 2, (const int32_t[]){first[1], first[3], first[2]}, (const int32_t[]){3, 0, 1});
  builder_put(b, 3, (const int32_t[]){first[2], first[3], first[0]}, (const int32_t[]){1, 0, 2});
  t->facets = 4;
}

/* ------------------------------------------------------------------------------------ seeds on one circle */

typedef struct turn {
  double angle;
  int32_t seed;
} turn;

static int compare_turns(const void *a, const void *b) {
  const turn *s = a, *t = b;
  if (s->angle != t->angle) return s->angle < t->angle ? -1 : 1;
  return s->seed < t->seed ? -1 : s->seed > t->seed;
}

/* Both sides of the polygon of `count` corners, in fans around the first. */
static void builder_fans(triangulation_builder *b, const turn *ring, int32_t count) {
  int32_t fan = count - 2;
  for (int32_t i = 0; i < fan; i++) {
    int32_t first = i == 0 ? fan : i - 1, last = i == fan - 1 ? 2 * fan - 1 : i + 1;
    builder_put(b, i, (const int32_t[]){ring[0].seed, ring[i + 1].seed, ring[i + 2].seed},
                (const int32_t[]){fan + i, last, first});
    first = i == 0 ? 0 : fan + i - 1;
    last = i == fan - 1 ? fan - 1 : fan + i + 1;
    builder_put(b, fan + i, (const int32_t[]){ring[0].seed, ring[i + 2].seed, ring[i + 1].seed},
                (const int32_t[]){i, first, last});
  }
  b->t->facets = 2 * fan;
  b->t->flat = true;
}

/* A circle: its middle, and two directions in its plane. One or two places: x leads from one to the other, y
 * is 0. */
typedef struct circle_axes {
  double center[3], x[3], y[3];
} circle_axes;

/* Of the circle through three places; `found` 1 or 2: of these. */
static circle_axes circle_of_first(const gv_triangulation *t, const int32_t first[3], int found) {
  const double *a = triangulation_place_of(t, first[0]),
               *c = triangulation_place_of(t, first[found > 1 ? 1 : 0]);
  circle_axes axes = {.center = {0.0}};
  for (int i = 0; i < 3; i++)
    axes.x[i] = c[i] - a[i];
  if (found < 3) return axes;
  const double *d = triangulation_place_of(t, first[2]);
  double u[3], v[3], normal[3], length = 0.0;
  for (int i = 0; i < 3; i++) {
    u[i] = c[i] - a[i];
    v[i] = d[i] - a[i];
  }
  for (int i = 0; i < 3; i++) {
    normal[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    length += normal[i] * normal[i];
  }
  double height = (normal[0] * a[0] + normal[1] * a[1] + normal[2] * a[2]) / length;
  for (int i = 0; i < 3; i++) {
    axes.center[i] = normal[i] * height;
    axes.x[i] = a[i] - axes.center[i];
  }
  for (int i = 0; i < 3; i++)
    axes.y[i] = (normal[(i + 1) % 3] * axes.x[(i + 2) % 3] - normal[(i + 2) % 3] * axes.x[(i + 1) % 3]) /
                sqrt(length);
  return axes;
}

/* True if all seeds are on one great circle, as far as unit vectors are exact: such seeds have vertices close
 * together on both sides. */
static bool circle_is_great(const gv_triangulation *t, circle_axes *axes) {
  static const double margin = 1e-15;
  const double *a = triangulation_place_of(t, 0);
  double normal[3];
  if (gv_globe_great_circle(t->position, t->count, normal) > margin) return false;
  *axes = (circle_axes){.center = {0.0}};
  memcpy(axes->x, a, sizeof axes->x);
  for (int i = 0; i < 3; i++)
    axes->y[i] = normal[(i + 1) % 3] * a[(i + 2) % 3] - normal[(i + 2) % 3] * a[(i + 1) % 3];
  return true;
}

/* Sorts the seeds around a circle; one or two places have no circle, and no facet. */
static gv_status builder_flat(triangulation_builder *b, const circle_axes *axes, bool round) {
  gv_triangulation *t = b->t;
  turn *ring = gv_allocate(&t->allocator, t->count, sizeof *ring);
  if (ring == NULL) return gv_fail_memory(b->context, "the triangulation");
  for (int64_t i = 0; i < t->count; i++) {
    const double *p = triangulation_place_of(t, i);
    double along = 0.0, across = 0.0;
    for (int axis = 0; axis < 3; axis++) {
      along += (p[axis] - axes->center[axis]) * axes->x[axis];
      across += (p[axis] - axes->center[axis]) * axes->y[axis];
    }
    ring[i] = (turn){round ? atan2(across, along) : along, (int32_t)i};
  }
  qsort(ring, (size_t)t->count, sizeof *ring, compare_turns);
  int32_t count = 0;
  for (int64_t i = 0; i < t->count; i++) {
    bool again = count > 0 && (ring[i].angle == ring[count - 1].angle ||
                               same_place(t, ring[i].seed, ring[count - 1].seed));
    if (!again) ring[count++] = ring[i];
    t->owner[ring[i].seed] = again ? ring[count - 1].seed : ring[i].seed;
  }
  t->distinct = count;
  if (count > 2) builder_fans(b, ring, count);
  gv_release(&t->allocator, ring);
  return GV_OK;
}

/* ----------------------------------------------------------------------------------------------- together */

/* Of the seeds at one place the lowest number is the vertex. */
static void triangulation_lowest(gv_triangulation *t, int32_t *lowest) {
  for (int64_t i = 0; i < t->count + 3; i++)
    lowest[i] = (int32_t)i;
  for (int64_t i = 0; i < t->count; i++)
    if (i < lowest[t->owner[i]]) lowest[t->owner[i]] = (int32_t)i;
  for (int64_t i = 0; i < t->count; i++)
    t->owner[i] = lowest[t->owner[i]];
  for (int64_t i = 0; i < 3 * t->facets; i++)
    t->corner[i] = lowest[t->corner[i]];
}

static gv_status builder_run(triangulation_builder *b) {
  gv_triangulation *t = b->t;
  int32_t first[4], nearest;
  int found = 0;
  gv_progress progress;
  gv_progress_init(&progress, b->context, t->count);
  GV_TRY(triangulation_sort(b));
  if (t->sphere) {
    builder_start_sphere(b, first, &found);
    circle_axes axes = circle_of_first(t, first, found);
    if (found < 4 || (b->surface == GV_SURFACE_ELLIPSOID && circle_is_great(t, &axes)))
      return builder_flat(b, &axes, found > 2);
    nearest = first[0];
  } else {
    builder_start_plane(b);
    nearest = (int32_t)t->count;
  }
  for (int64_t i = 0; i < t->count; i++) {
    int32_t point = (int32_t)b->order[i].index;
    if (t->owner[point] < 0) GV_TRY(builder_insert(b, point, &nearest));
    if (i % 1024 == 1023 && !gv_progress_add(&progress, 1024))
      return gv_fail(b->context, GV_ERROR_CANCELLED, "cancelled");
  }
  return GV_OK;
}

gv_status gv_triangulate(gv_context *context, gv_surface surface, const double *position, int64_t count,
                         gv_triangulation *out) {
  const gv_allocator *allocator = &context->allocator;
  gv_triangulation *t = out;
  triangulation_builder b = {.context = context, .t = t, .surface = surface, .room = 2 * (count + 3)};
  *t = (gv_triangulation){
      .allocator = *allocator, .sphere = surface != GV_SURFACE_PLANE, .count = count, .position = position};
  t->corner = gv_allocate(allocator, b.room, 3 * sizeof(int32_t));
  t->neighbor = gv_allocate(allocator, b.room, 3 * sizeof(int32_t));
  t->owner = gv_allocate(allocator, count + 3, sizeof(int32_t));
  b.facet_of = gv_allocate(allocator, count + 3, sizeof(int32_t));
  b.first_edge = gv_allocate(allocator, count + 3, sizeof(int32_t));
  b.mark = gv_allocate_zeroed(allocator, b.room, sizeof(int32_t));
  b.order = gv_allocate(allocator, count, sizeof(gv_sort_code));
  bool complete = t->corner != NULL && t->neighbor != NULL && t->owner != NULL && b.facet_of != NULL &&
                  b.first_edge != NULL && b.mark != NULL && b.order != NULL;
  gv_status status = complete ? GV_OK : gv_fail_memory(context, "the triangulation");
  if (complete) {
    for (int64_t i = 0; i < count + 3; i++)
      t->owner[i] = -1;
    status = builder_run(&b);
  }
  if (status == GV_OK) triangulation_lowest(t, b.first_edge);
  gv_release(allocator, b.facet_of);
  gv_release(allocator, b.first_edge);
  gv_release(allocator, b.mark);
  gv_release(allocator, b.order);
  gv_release(allocator, b.cavity);
  gv_release(allocator, b.boundary);
  return status;
}

void gv_triangulation_destroy(gv_triangulation *t) {
  gv_release(&t->allocator, t->corner);
  gv_release(&t->allocator, t->neighbor);
  gv_release(&t->allocator, t->owner);
  t->corner = t->neighbor = t->owner = NULL;
}

/*
 * Facets (p, u, w) and (q, w, u) become (p, u, q) and (q, w, p).
 */
void gv_triangulation_flip(gv_triangulation *t, int32_t facet, int side) {
  int32_t *v = t->corner + 3 * (int64_t)facet, *n = t->neighbor + 3 * (int64_t)facet, other = n[side];
  int32_t p = v[side], u = v[(side + 1) % 3], w = v[(side + 2) % 3];
  int back = gv_triangulation_side(t, other, w, u);
  int32_t *ov = t->corner + 3 * (int64_t)other, *on = t->neighbor + 3 * (int64_t)other, q = ov[back];
  int32_t beyond_u = n[(side + 1) % 3], beyond_w = n[(side + 2) % 3]; /* across w-p and across p-u */
  int32_t other_w = on[(back + 1) % 3], other_u = on[(back + 2) % 3]; /* across u-q and across q-w */
  int32_t *beyond = t->neighbor + 3 * (int64_t)beyond_u;
  beyond[gv_triangulation_side(t, beyond_u, p, w)] = other;
  beyond = t->neighbor + 3 * (int64_t)other_w;
  beyond[gv_triangulation_side(t, other_w, q, u)] = facet;
  const int32_t corners[2][3] = {{p, u, q}, {q, w, p}};
  const int32_t neighbors[2][3] = {{other_w, other, beyond_w}, {beyond_u, facet, other_u}};
  memcpy(v, corners[0], sizeof corners[0]);
  memcpy(n, neighbors[0], sizeof neighbors[0]);
  memcpy(ov, corners[1], sizeof corners[1]);
  memcpy(on, neighbors[1], sizeof neighbors[1]);
}
