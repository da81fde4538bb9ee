/* Rings one by one: signed areas, and pairs of segments in boxes that meet. */
#include "diagram/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/parallel.h"
#include "diagram/pieces.h"
#include "diagram/predicates.h"

enum { CHECK_BLOCK = 256, CHECK_FEW = 24 };

typedef struct checker {
  const gv_diagram_parts *parts;
  bool globe, *wrong;
  gv_progress progress;
  gv_check *block; /* of each block of cells; `share`: the sum of areas */
} checker;

/* A segment of a ring: point `number` and the next one. */
typedef struct check_segment {
  double low, high; /* along the longer axis of the ring */
  int32_t number;
} check_segment;

static int compare_segments(const void *a, const void *b) {
  double left = ((const check_segment *)a)->low, right = ((const check_segment *)b)->low;
  return (left > right) - (left < right);
}

/* The sign of (b - a) x (c - a). */
static int check_turn(const double a[2], const double b[2], const double c[2]) {
  double left = (b[0] - a[0]) * (c[1] - a[1]), right = (b[1] - a[1]) * (c[0] - a[0]), value = left - right;
  if (fabs(value) <= 1e-15 * (fabs(left) + fabs(right))) value = gv_cross_plane(a, b, c);
  return (value > 0.0) - (value < 0.0);
}

static bool check_within_box(const double a[2], const double b[2], const double c[2]) {
  return fmin(a[0], b[0]) <= c[0] && c[0] <= fmax(a[0], b[0]) && fmin(a[1], b[1]) <= c[1] &&
         c[1] <= fmax(a[1], b[1]);
}

/* Whether segments a-b and c-d have a point in common; `next`: c is b, which does not count. */
static bool check_meet(const double a[2], const double b[2], const double c[2], const double d[2],
                       bool next) {
  if (fmax(a[0], b[0]) < fmin(c[0], d[0]) || fmax(c[0], d[0]) < fmin(a[0], b[0]) ||
      fmax(a[1], b[1]) < fmin(c[1], d[1]) || fmax(c[1], d[1]) < fmin(a[1], b[1]))
    return false;
  int d_side = check_turn(a, b, d);
  if (next) /* back along itself */
    return d_side == 0 && (b[0] - a[0]) * (d[0] - b[0]) + (b[1] - a[1]) * (d[1] - b[1]) < 0.0;
  int c_side = check_turn(a, b, c), a_side = check_turn(c, d, a), b_side = check_turn(c, d, b);
  if (c_side * d_side < 0 && a_side * b_side < 0) return true;
  return (c_side == 0 && check_within_box(a, b, c)) || (d_side == 0 && check_within_box(a, b, d)) ||
         (a_side == 0 && check_within_box(c, d, a)) || (b_side == 0 && check_within_box(c, d, b));
}

/* A closed ring of `count` segments. */
typedef struct check_ring {
  const double *x, *y;
  int64_t count;
} check_ring;

static bool check_pair(const check_ring *r, int64_t i, int64_t j) {
  const double p[4][2] = {
      {r->x[i], r->y[i]}, {r->x[i + 1], r->y[i + 1]}, {r->x[j], r->y[j]}, {r->x[j + 1], r->y[j + 1]}};
  if ((i + 1) % r->count == j) return check_meet(p[0], p[1], p[2], p[3], true);
  if ((j + 1) % r->count == i) return check_meet(p[2], p[3], p[0], p[1], true);
  return check_meet(p[0], p[1], p[2], p[3], false);
}

/* *at: the number of a segment that meets another; -1: the ring is simple. `marked` (NULL: the first is
 * enough): of each segment, whether it does. */
static gv_status check_simple(gv_context *context, gv_buffer *buffer, const check_ring *r, bool *marked,
                              int64_t *at) {
  *at = -1;
  double west = INFINITY, east = -INFINITY, south = INFINITY, north = -INFINITY;
  for (int64_t i = 0; i < r->count; i++) {
    west = fmin(west, r->x[i]);
    east = fmax(east, r->x[i]);
    south = fmin(south, r->y[i]);
    north = fmax(north, r->y[i]);
  }
  const double *along = east - west > north - south ? r->x : r->y;
  check_segment few[CHECK_FEW], *s = few;
  if (r->count > CHECK_FEW) s = gv_buffer_extend(buffer, &context->allocator, r->count, sizeof *s);
  if (s == NULL) return gv_fail_memory(context, "the check of polygons");
  for (int64_t i = 0; i < r->count; i++)
    s[i] = (check_segment){fmin(along[i], along[i + 1]), fmax(along[i], along[i + 1]), (int32_t)i};
  qsort(s, (size_t)r->count, sizeof *s, compare_segments);
  for (int64_t i = 0; i < r->count && (*at < 0 || marked != NULL); i++)
    for (int64_t j = i + 1; j < r->count && s[j].low <= s[i].high; j++) {
      if (!check_pair(r, s[i].number, s[j].number)) continue;
      *at = s[i].number;
      if (marked != NULL) marked[s[i].number] = marked[s[j].number] = true;
    }
  return GV_OK;
}

/*
 * Whether a ring is simple and counterclockwise because it is seen from its middle, counterclockwise and once
 * around. Nearly all cells are. The bound of rounding is that of two differences, two products and a
 * difference.
 */
static bool check_is_star(const check_ring *r) {
  double x = 0.0, y = 0.0;
  int64_t around = 0;
  for (int64_t i = 0; i < r->count; i++) {
    x += r->x[i] - r->x[0];
    y += r->y[i] - r->y[0];
  }
  x = r->x[0] + x / (double)r->count;
  y = r->y[0] + y / (double)r->count;
  for (int64_t i = 0; i < r->count; i++) {
    double ax = r->x[i] - x, ay = r->y[i] - y, bx = r->x[i + 1] - x, by = r->y[i + 1] - y;
    double left = ax * by, right = ay * bx;
    if (!(left - right > 1e-15 * (fabs(left) + fabs(right)))) return false;
    around += ay < 0.0 && by >= 0.0;
  }
  return around == 1;
}

/* The area, relative to the first point. */
static double check_area(const check_ring *r) {
  double twice = 0.0;
  for (int64_t i = 1; i + 1 < r->count; i++)
    twice += (r->x[i] - r->x[0]) * (r->y[i + 1] - r->y[0]) - (r->x[i + 1] - r->x[0]) * (r->y[i] - r->y[0]);
  return 0.5 * twice;
}

static gv_status check_cell(gv_worker *worker, gv_pieces *pieces, gv_buffer *buffer, int64_t seed,
                            gv_check *out) {
  const checker *c = worker->user;
  bool right = true;
  gv_pieces_empty(pieces);
  GV_TRY(gv_pieces_of_cell(&worker->context, c->parts, seed, c->globe, c->globe, pieces));
  for (int64_t i = 0; i < pieces->count; i++) {
    int64_t first = pieces->first[i], at;
    const check_ring ring = {pieces->x + first, pieces->y + first, pieces->first[i + 1] - first - 1};
    double area = check_area(&ring);
    out->share += area;
    if (check_is_star(&ring)) continue;
    GV_TRY(check_simple(&worker->context, buffer, &ring, NULL, &at));
    if (at < 0 && (area > 0.0)) continue;
    right = false;
    if (out->first >= 0) continue;
    out->first = seed;
    out->lon = ring.x[at < 0 ? 0 : at];
    out->lat = ring.y[at < 0 ? 0 : at];
  }
  out->crossed += !right;
  if (c->wrong != NULL) c->wrong[seed] = !right;
  return GV_OK;
}

static gv_status check_body(gv_worker *worker, int64_t first, int64_t end) {
  checker *c = worker->user;
  gv_pieces pieces = {0};
  gv_buffer buffer = {0};
  gv_status status = GV_OK;
  for (int64_t block = first; block < end; block++) {
    int64_t last = (block + 1) * CHECK_BLOCK;
    if (last > c->parts->seed_count) last = c->parts->seed_count;
    c->block[block] = (gv_check){.first = -1};
    for (int64_t seed = block * CHECK_BLOCK; seed < last && status == GV_OK; seed++)
      status = check_cell(worker, &pieces, &buffer, seed, &c->block[block]);
    gv_progress_add(&c->progress, 1);
  }
  gv_pieces_free(&worker->context, &pieces);
  gv_buffer_clear(&buffer, &worker->context.allocator);
  return status;
}

gv_status gv_check_whole(gv_context *context, const gv_diagram_parts *parts, const double rectangle[4],
                         bool *wrong, gv_check *out) {
  int64_t blocks = (parts->seed_count + CHECK_BLOCK - 1) / CHECK_BLOCK;
  checker c = {.parts = parts, .globe = rectangle == NULL, .wrong = wrong};
  gv_loop loop = {context, context->threads, blocks, 1, &c.progress, &c};
  gv_progress_init(&c.progress, context, blocks);
  c.block = gv_allocate(&context->allocator, blocks, sizeof *c.block);
  *out = (gv_check){.first = -1};
  gv_status status =
      c.block != NULL ? gv_parallel_for(&loop, check_body) : gv_fail_memory(context, "the check of polygons");
  for (int64_t i = 0; i < blocks && status == GV_OK; i++) {
    double share = out->share + c.block[i].share;
    int64_t crossed = out->crossed + c.block[i].crossed;
    if (out->first < 0) *out = c.block[i];
    out->share = share;
    out->crossed = crossed;
  }
  out->share /= rectangle != NULL ? (rectangle[2] - rectangle[0]) * (rectangle[3] - rectangle[1]) : 64800.0;
  gv_release(&context->allocator, c.block);
  return status;
}

gv_status gv_check_crossings(gv_context *context, const gv_diagram_parts *parts, int64_t seed,
                             gv_buffer *found, int64_t *count) {
  gv_pieces pieces = {0};
  gv_buffer buffer = {0}, marks = {0};
  gv_status status = gv_pieces_of_cell(context, parts, seed, true, true, &pieces);
  *count = 0;
  for (int64_t i = 0; i < pieces.count && status == GV_OK; i++) {
    int64_t first = pieces.first[i], at;
    const check_ring ring = {pieces.x + first, pieces.y + first, pieces.first[i + 1] - first - 1};
    bool *marked = gv_buffer_reserve(&marks, &context->allocator, ring.count, sizeof *marked);
    gv_check_crossing *crossing =
        gv_buffer_extend(found, &context->allocator, *count + ring.count, sizeof *crossing);
    if (marked == NULL || crossing == NULL) status = gv_fail_memory(context, "the check of polygons");
    if (status != GV_OK) break;
    memset(marked, 0, (size_t)ring.count);
    status = check_simple(context, &buffer, &ring, marked, &at);
    if (at < 0 && !(check_area(&ring) > 0.0)) memset(marked, 1, (size_t)ring.count);
    for (int64_t k = 0; k < ring.count && status == GV_OK; k++)
      if (marked[k])
        crossing[(*count)++] = (gv_check_crossing){{ring.x[k], ring.x[k + 1]}, {ring.y[k], ring.y[k + 1]}};
  }
  gv_pieces_free(context, &pieces);
  gv_buffer_clear(&buffer, &context->allocator);
  gv_buffer_clear(&marks, &context->allocator);
  return status;
}
