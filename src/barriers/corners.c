/* The vertices where ways can turn. */
#include "barriers/walls.h"

#include <string.h>

#include "barriers/inside.h"
#include "barriers/tree.h"
#include "core/cancel.h"
#include "core/parallel.h"

enum { AT_ONCE = 64 /* vertices: each may cross many walls */ };

typedef struct corners_build {
  gv_context *context;
  gv_barriers *b;
  uint8_t *corner; /* of each vertex: it is one */
  gv_progress progress;
} corners_build;

/* The vertex at the other end of a wall of v. */
static int32_t corners_other(const gv_barriers *b, int64_t v, int64_t i) {
  const gv_wall *wall = &b->walls[b->vertex_walls[i]];
  return wall->from == v ? wall->to : wall->from;
}

/* Of all walls of a vertex the one that has none to its left (`side` 1) or right (-1), within half a turn;
 * -1: none. */
static int32_t corners_outermost(const corners_build *c, int64_t v, int side) {
  const gv_barriers *b = c->b;
  const double *places = b->places, *x = places + 3 * v;
  int32_t best = corners_other(b, v, b->vertex_first[v]);
  for (int pass = 0; pass < 2; pass++) {
    for (int64_t i = b->vertex_first[v]; i < b->vertex_first[v + 1]; i++) {
      const int32_t other = corners_other(b, v, i);
      const double *p = places + (ptrdiff_t)3 * best, *q = places + (ptrdiff_t)3 * other;
      const int turn = gv_barrier_turn(b, x, p, q) * side;
      if (pass == 0 && turn > 0) best = other;
      if (pass == 1 && (turn > 0 || (turn == 0 && !gv_barrier_same_direction(b, x, p, q)))) return -1;
    }
  }
  return best;
}

/* The sector runs counterclockwise from the wall without any to its left to that without any to its right. */
static bool corners_find(const corners_build *c, int64_t v, gv_corner *out) {
  const double *places = c->b->places;
  if (c->b->vertex_first[v] == c->b->vertex_first[v + 1]) return false;
  const int32_t first = corners_outermost(c, v, 1), last = corners_outermost(c, v, -1);
  if (first < 0 || last < 0) return false;
  memcpy(out->x, places + 3 * v, sizeof out->x);
  memcpy(out->first, places + (ptrdiff_t)3 * first, sizeof out->first);
  memcpy(out->last, places + (ptrdiff_t)3 * last, sizeof out->last);
  out->leaf = -1;
  out->vertex = (int32_t)v;
  out->first_vertex = first;
  out->last_vertex = last;
  /* Opposite to a wall is within the sector. */
  return !gv_barrier_begins_inside(c->b, out->x, out->first, true, GV_BARRIER_LEFT);
}

static gv_status corners_sort_walls(corners_build *c) {
  gv_barriers *b = c->b;
  b->vertex_first = gv_allocate_zeroed(&b->allocator, b->vertex_count + 2, sizeof *b->vertex_first);
  b->vertex_walls = gv_allocate(&b->allocator, 2 * b->wall_count, sizeof *b->vertex_walls);
  c->corner = gv_allocate_zeroed(&b->allocator, b->vertex_count + 1, sizeof *c->corner);
  if (b->vertex_first == NULL || b->vertex_walls == NULL || c->corner == NULL)
    return gv_fail_memory(c->context, "the barriers");
  int64_t *first = b->vertex_first;
  for (int64_t i = 0; i < b->wall_count; i++) {
    first[b->walls[i].from + 2]++;
    first[b->walls[i].to + 2]++;
  }
  for (int64_t v = 2; v < b->vertex_count + 2; v++)
    first[v] += first[v - 1];
  for (int64_t i = 0; i < b->wall_count; i++) {
    b->vertex_walls[first[b->walls[i].from + 1]++] = (int32_t)i;
    b->vertex_walls[first[b->walls[i].to + 1]++] = (int32_t)i;
  }
  return GV_OK;
}

static gv_status corners_mark(gv_worker *worker, int64_t first, int64_t end) {
  corners_build *c = worker->user;
  gv_corner corner;
  for (int64_t v = first; v < end; v++)
    c->corner[v] = corners_find(c, v, &corner);
  return gv_check_progress(&worker->context, &c->progress);
}

static gv_status corners_fill(corners_build *c) {
  gv_barriers *b = c->b;
  gv_loop loop = {c->context, c->context->threads, b->vertex_count, AT_ONCE, &c->progress, c};
  GV_TRY(corners_sort_walls(c));
  gv_progress_init(&c->progress, c->context, 1); /* nothing is reported but that it goes on */
  GV_TRY(gv_parallel_for(&loop, corners_mark));
  for (int64_t v = 0; v < b->vertex_count; v++)
    b->corner_count += c->corner[v];
  b->corners = gv_allocate(&b->allocator, b->corner_count, sizeof *b->corners);
  if (b->corners == NULL) return gv_fail_memory(c->context, "the barriers");
  int64_t at = 0;
  for (int64_t v = 0; v < b->vertex_count; v++) {
    if (v % AT_ONCE == 0) GV_TRY(gv_check_progress(c->context, &c->progress));
    if (c->corner[v] != 0 && corners_find(c, v, &b->corners[at])) at++;
  }
  return GV_OK;
}

gv_status gv_barrier_corners_make(gv_context *context, gv_barriers *b) {
  corners_build c = {.context = context, .b = b};
  gv_status status = corners_fill(&c);
  gv_release(&b->allocator, c.corner);
  GV_TRY(status);
  GV_TRY(gv_barrier_tree_make(context, b, b->corners, b->corner_count, sizeof *b->corners, 1,
                              &b->corner_nodes, &b->corner_node_count));
  for (int64_t n = 0; n < b->corner_node_count; n++)
    for (int32_t i = 0; i < b->corner_nodes[n].count; i++)
      b->corners[b->corner_nodes[n].first + i].leaf = (int32_t)n;
  return GV_OK;
}
