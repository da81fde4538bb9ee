/* Contraction, edges and rings. */
#include "diagram/cells.h"

#include <math.h>
#include <string.h>

#include "core/angles.h"
#include "core/cancel.h"

typedef struct maker {
  gv_context *context;
  const gv_triangulation *t;
  const gv_vertices *v;
  const gv_paths *paths;
  const gv_globe *globe;
  gv_diagram_cells *out;
  int32_t *root;    /* of each facet: the one that represents its vertex */
  int64_t *edge_of; /* of each facet's sides; -1: contracted */
  double least;     /* edges that are not longer are contracted */
  const uint8_t *round;
  double most; /* of seeds with a round: the longest edges to contract */
} maker;

static int32_t maker_root(maker *m, int32_t facet) {
  while (m->root[facet] != facet) {
    m->root[facet] = m->root[m->root[facet]];
    facet = m->root[facet];
  }
  return facet;
}

/* How long an edge is, if it is short. */
static double maker_length(const maker *m, int32_t a, int32_t b) {
  const gv_vertices *v = m->v;
  if (m->globe == NULL) return hypot(v->x[a] - v->x[b], v->y[a] - v->y[b]);
  const double lon[2] = {v->x[a], v->x[b]}, lat[2] = {v->y[a], v->y[b]};
  double u[6];
  gv_globe_vectors(m->globe, 2, lon, lat, u);
  return m->globe->radius *
         sqrt((u[0] - u[3]) * (u[0] - u[3]) + (u[1] - u[4]) * (u[1] - u[4]) + (u[2] - u[5]) * (u[2] - u[5]));
}

/* Whether an edge is longer than `most` meters by its latitudes alone: conformal ones differ by 0.98 of that
 * at least, and a chord is 0.63 of its arc. Gain: 1.9 for gv_cells_make of 100,000 seeds on the globe. */
static bool maker_is_long(const maker *m, int32_t a, int32_t b, double most) {
  return m->globe != NULL && m->globe->series &&
         0.5 * m->globe->radius * fabs(m->v->y[a] - m->v->y[b]) * GV_DEGREE > most;
}

/* The longest edge between two facets that moves no border by more than m->most, because all meet at angles
 * as small as those between the seeds. */
static double maker_harmless(const maker *m, int64_t side, double away) {
  const int32_t *corner = m->t->corner + 3 * (side / 3),
                *other = m->t->corner + 3 * (int64_t)m->t->neighbor[side];
  const double *p = m->t->position + 3 * (int64_t)corner[0];
  double widest = 0.0;
  for (int i = 0; i < 6; i++) {
    const double *q = m->t->position + 3 * (int64_t)(i < 3 ? corner[i] : other[i - 3]);
    widest = fmax(widest, hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]));
  }
  return 0.25 * m->most * away / (widest * m->globe->radius);
}

/* The longest edge between two facets to contract, by the rounds of its seeds: a share of the distance from
 * the seed, so that no cell vanishes. Crossings mean that `noise`, of both ends, has been taken for too
 * small. */
static double maker_longest(const maker *m, int64_t side, double noise) {
  const int32_t *corner = m->t->corner + 3 * (side / 3);
  double most = 0.0;
  for (int i = 1; i < 3 && m->round != NULL; i++) {
    int32_t seed = corner[(side % 3 + i) % 3];
    if (seed >= m->t->count || m->round[seed] == 0) continue;
    const double *p = m->t->position + 3 * (int64_t)seed;
    if (m->globe == NULL) { /* vertices are as good as their coordinates */
      double own = m->v->noise[side / 3], away = hypot(p[0] - m->v->x[side / 3], p[1] - m->v->y[side / 3]);
      most = fmax(most, fmin(fmax(m->most, 1e-3 * away), ldexp(4.0 * own, m->round[seed])));
      continue;
    }
    double u[3];
    gv_globe_vectors(m->globe, 1, &m->v->x[side / 3], &m->v->y[side / 3], u);
    double away = m->globe->radius * sqrt((u[0] - p[0]) * (u[0] - p[0]) + (u[1] - p[1]) * (u[1] - p[1]) +
                                          (u[2] - p[2]) * (u[2] - p[2]));
    double enough = fmax(ldexp(1e-9, 4 * m->round[seed]) * away, maker_harmless(m, side, away));
    most = fmax(most, fmin(fmax(m->most, ldexp(noise, 2 * m->round[seed])), enough));
  }
  return most;
}

/* How far a vertex is from the first of its seeds: a chord on the unit sphere, squared. */
static double maker_away(const maker *m, int64_t facet) {
  const double *p = m->t->position + 3 * (int64_t)m->t->corner[3 * facet];
  double u[3];
  gv_globe_vectors(m->globe, 1, &m->v->x[facet], &m->v->y[facet], u);
  return (u[0] - p[0]) * (u[0] - p[0]) + (u[1] - p[1]) * (u[1] - p[1]) + (u[2] - p[2]) * (u[2] - p[2]);
}

/* Of joined vertices of seeds with a round the one that is nearest to its seeds: beyond it all borders are in
 * the order in which they leave it. */
static void maker_choose(maker *m, int64_t *place) {
  const gv_triangulation *t = m->t;
  for (int64_t i = 0; i < t->facets; i++) {
    int32_t root = maker_root(m, (int32_t)i);
    bool wrong = false;
    for (int k = 0; k < 3; k++)
      wrong |= m->round[t->corner[3 * i + k]] > 0;
    if (wrong && root != i && maker_away(m, i) < maker_away(m, place[root])) place[root] = i;
  }
}

/* Joins the vertices of short edges, keeping the lowest facet; then numbers the remaining ones. */
static void maker_contract(maker *m, int64_t *number) {
  const gv_triangulation *t = m->t;
  for (int64_t i = 0; i < t->facets; i++)
    m->root[i] = (int32_t)i;
  for (int64_t i = 0; i < 3 * t->facets; i++) {
    int32_t facet = (int32_t)(i / 3), other = t->neighbor[i];
    if (facet >= other) continue;
    double noise = (m->globe == NULL ? 1.0 : 4.0) * (m->v->noise[facet] + m->v->noise[other]);
    if (m->round == NULL && maker_is_long(m, facet, other, fmax(m->least, noise))) continue;
    double length = maker_length(m, facet, other);
    if (length > fmax(m->least, noise) && length > maker_longest(m, i, noise)) continue;
    int32_t a = maker_root(m, facet), b = maker_root(m, other);
    if (a < b) m->root[b] = a;
    if (b < a) m->root[a] = b;
  }
  int64_t count = 0;
  for (int64_t i = 0; i < t->facets; i++)
    number[i] = i;
  if (m->round != NULL && m->globe != NULL) maker_choose(m, number);
  for (int64_t i = 0; i < t->facets; i++) {
    if (maker_root(m, (int32_t)i) != i) continue;
    m->out->x[count] = m->v->x[number[i]];
    m->out->y[count] = m->v->y[number[i]];
    number[i] = count++;
  }
  for (int64_t i = 0; i < t->facets; i++)
    number[i] = number[maker_root(m, (int32_t)i)];
  m->out->vertices = count;
}

/* Each edge once: from the vertex of the neighbor to that of the facet. */
static void maker_edges(maker *m, const int64_t *number) {
  const gv_triangulation *t = m->t;
  gv_diagram_cells *out = m->out;
  for (int64_t i = 0; i < 3 * t->facets; i++) {
    int32_t facet = (int32_t)(i / 3), side = (int32_t)(i % 3), other = t->neighbor[i];
    if (facet >= other) continue;
    int32_t from = t->corner[3 * (int64_t)facet + (side + 1) % 3],
            to = t->corner[3 * (int64_t)facet + (side + 2) % 3];
    int64_t edge = number[facet] == number[other] ? -1 : out->edges++;
    m->edge_of[i] = edge;
    m->edge_of[3 * (int64_t)other + gv_triangulation_side(t, other, to, from)] = edge;
    if (edge < 0) continue;
    out->end[2 * edge] = number[other];
    out->end[2 * edge + 1] = number[facet];
    out->side[2 * edge] = from < t->count ? from : -1;
    out->side[2 * edge + 1] = to < t->count ? to : -1;
  }
}

/* The paths of edges, which lead from the vertex of the neighbor to that of the facet with the lower
 * number. */
static void maker_paths(maker *m) {
  for (int64_t i = 0; i < m->paths->count; i++) {
    const gv_path *path = gv_paths_get(m->paths, i);
    int64_t edge = m->edge_of[path->to];
    int32_t number = (int32_t)(i + 1);
    if (edge >= 0) m->out->path[edge] = path->to / 3 < path->from / 3 ? number : -number;
  }
}

/* The edges around each seed, counterclockwise from the vertex of its lowest facet on. */
static void maker_rings(maker *m, int32_t *facet_of) {
  const gv_triangulation *t = m->t;
  gv_diagram_cells *out = m->out;
  int64_t count = 0;
  for (int64_t i = 0; i < t->count; i++)
    facet_of[i] = -1;
  for (int64_t i = 3 * t->facets - 1; i >= 0; i--)
    if (t->corner[i] < t->count) facet_of[t->corner[i]] = (int32_t)(i / 3);
  for (int64_t seed = 0; seed < t->count; seed++) {
    out->first[seed] = count;
    if (facet_of[seed] < 0) continue;
    int32_t facet = facet_of[seed];
    do {
      const int32_t *v = t->corner + 3 * (int64_t)facet;
      int at = v[0] == seed ? 0 : v[1] == seed ? 1 : 2;
      int64_t edge = m->edge_of[3 * (int64_t)facet + (at + 1) % 3];
      if (edge >= 0) out->ring[count++] = out->side[2 * edge] == seed ? edge : -1 - edge;
      facet = gv_triangulation_after(t, facet, (int32_t)seed);
    } while (facet != facet_of[seed]);
  }
  out->first[t->count] = count;
}

/* Two seeds on the globe: their bisector, in two halves between the nearest place of it and the farthest. */
static gv_status maker_two(maker *m) {
  const gv_triangulation *t = m->t;
  gv_diagram_cells *out = m->out;
  int64_t a = t->owner[0], b = -1;
  for (int64_t i = 0; i < t->count && b < 0; i++)
    if (t->owner[i] != a) b = t->owner[i];
  const double *p = t->position + 3 * a, *q = t->position + 3 * b;
  double middle[3], difference[3], square = 0.0;
  for (int i = 0; i < 3; i++) {
    middle[i] = p[i] + q[i];
    difference[i] = p[i] - q[i];
    square += middle[i] * middle[i];
  }
  if (square < 1e-12) { /* antipodes: any place across */
    int least = fabs(difference[0]) <= fabs(difference[1]) ? 0 : 1;
    if (fabs(difference[2]) < fabs(difference[least])) least = 2;
    double other[3] = {0.0, 0.0, 0.0};
    other[least] = 1.0;
    for (int i = 0; i < 3; i++)
      middle[i] = difference[(i + 1) % 3] * other[(i + 2) % 3] - difference[(i + 2) % 3] * other[(i + 1) % 3];
  }
  for (int end = 0; end < 2; end++) {
    const double place[3] = {end == 0 ? middle[0] : -middle[0], end == 0 ? middle[1] : -middle[1],
                             end == 0 ? middle[2] : -middle[2]};
    gv_globe_place(m->globe, place, &out->x[end], &out->y[end]);
  }
  if (m->paths->count == 2) {
    const gv_path *path = gv_paths_get(m->paths, 0);
    const double *last = (double *)path->points.memory + 2 * (path->count - 1);
    out->x[1] = last[0];
    out->y[1] = last[1];
    out->path[0] = 1;
    out->path[1] = -2;
  }
  out->vertices = out->edges = 2;
  const int64_t ends[4] = {0, 1, 1, 0}, sides[4] = {a, b, a, b}, rings[4] = {0, 1, -2, -1};
  memcpy(out->end, ends, sizeof ends);
  memcpy(out->side, sides, sizeof sides);
  memcpy(out->ring, rings, sizeof rings);
  for (int64_t i = 0; i <= t->count; i++)
    out->first[i] = (i > a ? 2 : 0) + (i > b ? 2 : 0);
  return GV_OK;
}

static gv_status maker_run(maker *m) {
  const gv_triangulation *t = m->t;
  const gv_allocator *allocator = &m->context->allocator;
  if (t->facets == 0) {
    memset(m->out->first, 0, (size_t)(t->count + 1) * sizeof(int64_t));
    return t->distinct == 2 ? maker_two(m) : GV_OK;
  }
  int64_t *number = gv_allocate(allocator, t->facets, sizeof(int64_t));
  int32_t *facet_of = gv_allocate(allocator, t->count, sizeof(int32_t));
  m->root = gv_allocate(allocator, t->facets, sizeof(int32_t));
  m->edge_of = gv_allocate(allocator, t->facets, 3 * sizeof(int64_t));
  gv_status status = GV_OK;
  if (number == NULL || facet_of == NULL || m->root == NULL || m->edge_of == NULL) {
    status = gv_fail_memory(m->context, "the cells");
  } else {
    maker_contract(m, number);
    status = gv_check_cancelled(m->context);
    maker_edges(m, number);
    maker_paths(m);
    if (status == GV_OK) status = gv_check_cancelled(m->context);
    maker_rings(m, facet_of);
  }
  gv_release(allocator, number);
  gv_release(allocator, facet_of);
  gv_release(allocator, m->root);
  gv_release(allocator, m->edge_of);
  return status;
}

gv_status gv_cells_make(gv_context *context, const gv_triangulation *t, const gv_vertices *v,
                        const gv_paths *paths, const gv_globe *globe, const uint8_t *round, double most,
                        gv_diagram_cells *out) {
  const gv_allocator *allocator = &context->allocator;
  int64_t edges = t->facets / 2 * 3 + 2, facets = t->facets + 2;
  maker m = {.context = context,
             .t = t,
             .v = v,
             .paths = paths,
             .globe = globe,
             .out = out,
             .least = 1e-6,
             .round = round,
             .most = most};
  *out = (gv_diagram_cells){
      .allocator = *allocator, .seeds = t->count, .places = t->distinct, .ring_room = 2 * edges};
  if (globe == NULL) {
    double size = 0.0;
    for (int64_t i = 0; i < 3; i++)
      size = fmax(size, hypot(t->position[3 * (t->count + i)] - t->position[3 * t->count],
                              t->position[3 * (t->count + i) + 1] - t->position[3 * t->count + 1]));
    m.least = 1e-15 * size;
  }
  out->x = gv_allocate(allocator, facets, sizeof(double));
  out->y = gv_allocate(allocator, facets, sizeof(double));
  out->owner = gv_allocate(allocator, t->count, sizeof(int64_t));
  out->end = gv_allocate(allocator, edges, 2 * sizeof(int64_t));
  out->side = gv_allocate(allocator, edges, 2 * sizeof(int64_t));
  out->first = gv_allocate(allocator, t->count + 1, sizeof(int64_t));
  out->ring = gv_allocate(allocator, out->ring_room, sizeof(int64_t));
  if (paths->count > 0) out->path = gv_allocate_zeroed(allocator, edges, sizeof(int32_t));
  if ((paths->count > 0 && out->path == NULL) || out->x == NULL || out->y == NULL || out->owner == NULL ||
      out->end == NULL || out->side == NULL || out->first == NULL || out->ring == NULL)
    return gv_fail_memory(context, "the cells");
  for (int64_t i = 0; i < t->count; i++)
    out->owner[i] = t->owner[i];
  return maker_run(&m);
}

void gv_cells_free(gv_diagram_cells *cells) {
  gv_release(&cells->allocator, cells->x);
  gv_release(&cells->allocator, cells->y);
  gv_release(&cells->allocator, cells->owner);
  gv_release(&cells->allocator, cells->end);
  gv_release(&cells->allocator, cells->side);
  gv_release(&cells->allocator, cells->path);
  gv_release(&cells->allocator, cells->first);
  gv_release(&cells->allocator, cells->ring);
  *cells = (gv_diagram_cells){.allocator = cells->allocator};
}
