/*
 * A chain of connected walls crosses all legs from p in the directions between those of its ends, unless p is
 * on it: the direction of its places changes steadily, so it takes each value between. A wall is nowhere
 * farther from p than at its ends, on the globe up to a quarter of it. So a bin between the directions of a
 * chain's ends is closed beyond the farthest end of those walls of the chain that are seen in it. A bin of
 * which one chain closes a part from the beginning on, and another one a part up to the end, is closed if the
 * two overlap.
 *
 * Directions are those of differences in space, on the globe of their parts across p. They are certain within
 * ERROR; on the ellipsoid those of geodesics differ from those of great circles by less than f c for a chord
 * c up to FARTHEST2 (tests/barriers/ellipsoid.c), and what a wall's bend adds to its distance is less than
 * GV_VIEW_FARTHER.
 */
#include "barriers/view.h"

#include <float.h>
#include <string.h>

enum {
  VIEW_RAYS = 16,
  VIEW_STEPS = 40 /* walls of a chain in each direction */
};

#define VIEW_ERROR     1e-13
#define VIEW_ROUNDING  1e-12 /* much more than that of bins */
#define VIEW_PART      1e-5  /* of a bin: more than the rounding of floats */
#define VIEW_FARTHEST2 1.9
#define VIEW_TURN      1.9  /* a wall that turns by more may begin and end on both sides of p */
#define VIEW_NEAR2     64.0 /* chains end where they are so much farther than where they begin, as squares */

static double view_dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double view_number(double u, double v) {
  const double part = v / (fabs(u) + fabs(v));
  if (u >= 0.0) return part;
  return v < 0.0 ? -2.0 - part : 2.0 - part;
}

/* How far the direction of a leg of this squared chord may be from its number; INFINITY: it has none. */
static inline double view_error(const gv_barriers *b, double distance2) {
  if (!gv_barrier_on_globe(b)) return VIEW_ERROR;
  if (!(distance2 < VIEW_FARTHEST2)) return (double)INFINITY;
  return VIEW_ERROR + (b->bend != 0.0 ? 4.0 * b->bend * sqrt(distance2) : 0.0);
}

/* ------------------------------------------------------------------------------------------------- chains */

/* A vertex of a chain: its direction, the error of it, and its squared distance. */
typedef struct view_vertex {
  double at, error, distance2;
  int32_t vertex;
} view_vertex;

static bool view_see(const gv_barriers *b, const gv_view *view, const double *p, int32_t vertex,
                     view_vertex *out) {
  const double *x = b->places + (ptrdiff_t)3 * vertex, d[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
  out->vertex = vertex;
  out->distance2 = view_dot(d, d);
  out->error = view_error(b, out->distance2);
  out->at = view_number(view_dot(view->u, d), view_dot(view->v, d));
  return out->distance2 > 0.0 && isfinite(out->error);
}

/* Counts the direction of a wall's end on from that of its beginning, round p. False: on which side of p the
 * wall passes is not known. */
static inline bool view_follows(const view_vertex *last, view_vertex *next) {
  next->at += 4.0 * round(0.25 * (last->at - next->at));
  return fabs(next->at - last->at) <= VIEW_TURN;
}

/* Another wall at a vertex; -1: none. */
static int32_t view_next(const gv_barriers *b, int32_t wall, int32_t vertex) {
  for (int64_t i = b->vertex_first[vertex]; i < b->vertex_first[vertex + 1]; i++)
    if (b->vertex_walls[i] != wall) return b->vertex_walls[i];
  return -1;
}

/* The vertices that follow one of a wall, seen without a gap. */
static int view_walk(const gv_barriers *b, const gv_view *view, const double *p, int32_t wall, int32_t vertex,
                     view_vertex last, double limit2, view_vertex *out) {
  int count = 0;
  while (count < VIEW_STEPS) {
    wall = view_next(b, wall, vertex);
    if (wall < 0) break;
    vertex = b->walls[wall].from == vertex ? b->walls[wall].to : b->walls[wall].from;
    view_vertex *next = &out[count];
    if (!view_see(b, view, p, vertex, next) || next->distance2 > limit2 || !view_follows(&last, next)) break;
    last = *next;
    count++;
  }
  return count;
}

static inline int view_bin(const gv_view *view, double at) {
  const double bin = (at - view->from) * view->bins;
  return bin <= 0.0 ? 0 : bin >= GV_VIEW_BINS ? GV_VIEW_BINS - 1 : (int)bin;
}

static inline double view_begin(const gv_view *view, int bin) {
  return view->from + (double)bin / view->bins;
}

/* A chain closes a bin from its beginning on (side 0), or up to its end (1), for a part of it. */
static void view_close_part(gv_view *view, int bin, int side, double part, float far2) {
  const float *parts[2] = {&view->parts[0][bin], &view->parts[1][bin]};
  if (!((float)part > *parts[side]) || far2 >= view->far2[bin]) return;
  view->parts[side][bin] = (float)part;
  view->part2[side][bin] = far2;
  if ((double)*parts[0] + (double)*parts[1] < 1.0 + VIEW_PART) return;
  const float both = view->part2[0][bin] > view->part2[1][bin] ? view->part2[0][bin] : view->part2[1][bin];
  if (both < view->far2[bin]) view->far2[bin] = both;
}

/* Closes the bins from one direction to another: what a chain hides that is `round` further. */
static void view_close_range(gv_view *view, const view_vertex *chain, int count, double low, double high,
                             double round) {
  float far2[GV_VIEW_BINS];
  const int first = view_bin(view, low), end = view_bin(view, high) + 1;
  memset(far2 + first, 0, (size_t)(end - first) * sizeof *far2);
  for (int i = 1; i < count; i++) {
    const view_vertex *v = &chain[i], *w = &chain[i - 1];
    const double error = (v->error > w->error ? v->error : w->error) + VIEW_ROUNDING;
    const double farthest = v->distance2 > w->distance2 ? v->distance2 : w->distance2;
    const float above = (float)farthest * (1.0F + FLT_EPSILON);
    int bin = view_bin(view, (v->at < w->at ? v->at : w->at) + round - error);
    int last = view_bin(view, (v->at < w->at ? w->at : v->at) + round + error);
    if (bin < first) bin = first;
    if (last >= end) last = end - 1;
    for (; bin <= last; bin++)
      if (far2[bin] < above) far2[bin] = above;
  }
  for (int bin = first; bin < end; bin++) {
    if (!(far2[bin] > 0.0F)) continue;
    const double begins = view_begin(view, bin), ends = view_begin(view, bin + 1);
    if (low <= begins && high >= ends) {
      view->far2[bin] = far2[bin] < view->far2[bin] ? far2[bin] : view->far2[bin];
    } else if (low <= begins) {
      view_close_part(view, bin, 0, (high - begins) * view->bins, far2[bin]);
    } else if (high >= ends) {
      view_close_part(view, bin, 1, (ends - low) * view->bins, far2[bin]);
    }
  }
}

/* Closes the bins between the outermost vertices of a chain, as often as it comes round. */
static void view_close(gv_view *view, const view_vertex *chain, int count) {
  double low = (double)INFINITY, high = -(double)INFINITY;
  for (int i = 0; i < count; i++) {
    const view_vertex *v = &chain[i];
    const double begin =
        v->vertex == view->edge[0] ? v->at - v->error - 4.0 * VIEW_ROUNDING : v->at + v->error;
    const double end = v->vertex == view->edge[1] ? v->at + v->error + 4.0 * VIEW_ROUNDING : v->at - v->error;
    low = begin < low ? begin : low;
    high = end > high ? end : high;
  }
  low += VIEW_ROUNDING;
  high -= VIEW_ROUNDING;
  if (!(low < high)) return;
  for (double round = 4.0 * ceil(0.25 * (view->from - high)); low + round < view->to; round += 4.0)
    view_close_range(view, chain, count, low + round, high + round, round);
  float reach2 = 0.0F;
  for (int bin = 0; bin < GV_VIEW_BINS; bin++)
    reach2 = view->far2[bin] > reach2 ? view->far2[bin] : reach2;
  view->reach2 = (double)reach2;
}

void gv_view_add(const gv_barriers *b, gv_view *view, const double *p, int32_t wall) {
  view_vertex chain[2 * VIEW_STEPS + 2], back[VIEW_STEPS], from, to;
  const gv_wall *w = &b->walls[wall];
  if (!view_see(b, view, p, w->from, &from) || !view_see(b, view, p, w->to, &to)) return;
  if (!view_follows(&from, &to)) return;
  const double limit2 = VIEW_NEAR2 * fmax(from.distance2, to.distance2);
  const int before = view_walk(b, view, p, wall, w->from, from, limit2, back);
  int count = 0;
  for (int i = before; i > 0; i--)
    chain[count++] = back[i - 1];
  chain[count++] = from;
  chain[count++] = to;
  count += view_walk(b, view, p, wall, w->to, to, limit2, chain + count);
  view_close(view, chain, count);
}

/* -------------------------------------------------------------------------------------------------- boxes */

/* The directions of a rectangle of u and v that does not surround the place; false: not known. */
static bool view_range(const double u[2], const double v[2], double *low, double *high) {
  if (v[0] > 0.0) {
    *low = view_number(u[1], u[1] >= 0.0 ? v[0] : v[1]);
    *high = view_number(u[0], u[0] >= 0.0 ? v[1] : v[0]);
  } else if (v[1] < 0.0) {
    *low = view_number(u[0], u[0] >= 0.0 ? v[0] : v[1]);
    *high = view_number(u[1], u[1] >= 0.0 ? v[1] : v[0]);
  } else {
    if (!(u[0] > 0.0)) return false;
    *low = view_number(u[0], v[0]);
    *high = view_number(u[0], v[1]);
  }
  return true;
}

static inline bool view_closed(const gv_view *view, int bin, double least2) {
  return (double)view->far2[bin] * GV_VIEW_FARTHER < least2;
}

bool gv_view_hides(const gv_barriers *b, const gv_view *view, const double *p, const gv_barrier_box *box) {
  const double least2 = gv_barrier_box_least2(3, box, p);
  if (!(least2 > 0.0)) return false;
  const double error = view_error(b, gv_barrier_on_globe(b) ? gv_barrier_box_most2(3, box, p) : 0.0);
  double u[2], v[2], center[2] = {0.0, 0.0}, half[2] = {0.0, 0.0}, low, high;
  if (!isfinite(error)) return false;
  for (int d = 0; d < 3; d++) {
    const double c = 0.5 * (box->low[d] + box->high[d]) - p[d], h = 0.5 * (box->high[d] - box->low[d]);
    center[0] += view->u[d] * c;
    center[1] += view->v[d] * c;
    half[0] += fabs(view->u[d]) * h;
    half[1] += fabs(view->v[d]) * h;
  }
  /* Mostly the middle is open, if any of it is. */
  const double middle = view_number(center[0], center[1]);
  if (middle > view->from && middle < view->to && !view_closed(view, view_bin(view, middle), least2))
    return false;
  for (int i = 0; i < 2; i++) {
    const double sign = i == 0 ? -1.0 : 1.0;
    u[i] = center[0] + sign * half[0];
    v[i] = center[1] + sign * half[1];
  }
  if (!view_range(u, v, &low, &high)) return false;
  low -= error + VIEW_ROUNDING;
  high += error + VIEW_ROUNDING;
  if (low < -2.0 || high > 2.0) return false;
  if (low > view->to || high < view->from) return true;
  const int end = view_bin(view, high);
  for (int bin = view_bin(view, low); bin <= end; bin++)
    if (!view_closed(view, bin, least2)) return false;
  return true;
}

/* ----------------------------------------------------------------------------------------------- a source */

/* Axes across p, u in the direction of x or, if that is NULL, any. */
static void view_axes(const gv_barriers *b, const double *p, const double *x, gv_view *out) {
  double d[3] = {1.0, 0.0, 0.0};
  if (x != NULL) memcpy(d, x, sizeof d);
  if (!gv_barrier_on_globe(b)) {
    const double size = sqrt(d[0] * d[0] + d[1] * d[1]);
    out->u[0] = d[0] / size;
    out->u[1] = d[1] / size;
    out->v[0] = -out->u[1];
    out->v[1] = out->u[0];
    return;
  }
  if (x == NULL && fabs(p[0]) > 0.5) memcpy(d, (double[3]){0.0, 1.0, 0.0}, sizeof d);
  /* Twice: the second time makes them orthogonal but for rounding. */
  for (int i = 0; i < 2; i++) {
    const double up = view_dot(p, d) / view_dot(p, p);
    for (int k = 0; k < 3; k++)
      d[k] -= up * p[k];
    const double size = sqrt(view_dot(d, d));
    for (int k = 0; k < 3; k++)
      d[k] /= size;
  }
  memcpy(out->u, d, sizeof d);
  out->v[0] = p[1] * d[2] - p[2] * d[1];
  out->v[1] = p[2] * d[0] - p[0] * d[2];
  out->v[2] = p[0] * d[1] - p[1] * d[0];
}

/* The part of x - p across p, with length 1. */
static void view_direction(const gv_barriers *b, const double *p, const double *x, double sign, double *out) {
  const double d[3] = {sign * (x[0] - p[0]), sign * (x[1] - p[1]), sign * (x[2] - p[2])};
  gv_view axes = {.reach2 = 0.0};
  view_axes(b, p, d, &axes);
  memcpy(out, axes.u, sizeof axes.u);
}

/* The directions to which a way continues. All of them unless they are less than half a turn. */
static void view_sector(const gv_barriers *b, const gv_way_source *s, gv_view *out) {
  out->from = -2.0;
  out->to = 2.0;
  out->edge[0] = out->edge[1] = -1;
  view_axes(b, s->x, NULL, out);
  const double error =
      s->corner >= 0 ? view_error(b, gv_barrier_distance2(s->before, s->x)) : (double)INFINITY;
  if (s->corner < 0 || s->turns == GV_BARRIER_BOTH || !isfinite(error)) return;
  const gv_corner *corner = &b->corners[s->corner];
  const bool left = s->turns == GV_BARRIER_LEFT;
  double ahead[3], wall[3], middle[3];
  view_direction(b, s->x, s->before, -1.0, ahead);
  view_direction(b, s->x, left ? corner->last : corner->first, 1.0, wall);
  if (!(view_dot(ahead, wall) > -0.99)) return;
  for (int d = 0; d < 3; d++)
    middle[d] = ahead[d] + wall[d];
  view_axes(b, s->x, middle, out);
  const double turned = error + VIEW_ERROR,
               beside = view_error(b, gv_barrier_distance2(s->x, left ? corner->last : corner->first));
  const double a = view_number(view_dot(out->u, ahead), view_dot(out->v, ahead)),
               w = view_number(view_dot(out->u, wall), view_dot(out->v, wall));
  out->from = left ? a - turned : w - beside;
  out->to = left ? w + beside : a + turned;
  out->edge[left ? 1 : 0] = left ? corner->last_vertex : corner->first_vertex;
}

/* The middle of the longest row of bins that are open and have not been looked into; -1: none. */
static int view_open(const gv_view *view, const bool *looked) {
  int best = -1, longest = 0, first = 0;
  for (int bin = 0; bin <= GV_VIEW_BINS; bin++) {
    if (bin < GV_VIEW_BINS && isinf(view->far2[bin]) && !looked[bin]) continue;
    if (bin - first > longest) {
      longest = bin - first;
      best = first + longest / 2;
    }
    first = bin + 1;
  }
  return best;
}

/* The middle of what is open of a bin. */
static double view_gap(const gv_view *view, int bin) {
  return view->from +
         ((double)bin + 0.5 * (1.0 + (double)view->parts[0][bin] - (double)view->parts[1][bin])) / view->bins;
}

/* A place in a direction. */
static void view_place(const gv_barriers *b, const gv_view *view, const double *p, double at, double length,
                       double *out) {
  double u = 1.0 - fabs(at), v = at;
  if (fabs(at) > 1.0) v = (at < 0.0 ? -2.0 : 2.0) - at;
  const double size = sqrt(u * u + v * v);
  for (int d = 0; d < 3; d++)
    out[d] = p[d] + length * (u * view->u[d] + v * view->v[d]) / size;
  if (!gv_barrier_on_globe(b)) return;
  const double whole = sqrt(view_dot(out, out));
  for (int d = 0; d < 3; d++)
    out[d] /= whole;
}

gv_view *gv_view_make(const gv_barriers *b, gv_leg_memory *memory, const gv_way_source *s, double length) {
  bool looked[GV_VIEW_BINS] = {false};
  gv_view *view = gv_allocate_zeroed(&b->allocator, 1, sizeof *view);
  if (view == NULL) return NULL;
  view_sector(b, s, view);
  view->bins = GV_VIEW_BINS / (view->to - view->from);
  view->reach2 = (double)INFINITY;
  /* Geodesics of this length bend by less than the width of a narrow sector. */
  double reach = length;
  if (b->bend != 0.0) reach = fmin(length, (view->to - view->from) / (16.0 * b->bend));
  for (int bin = 0; bin < GV_VIEW_BINS; bin++)
    view->far2[bin] = INFINITY;
  for (int ray = 0; ray < VIEW_RAYS; ray++) {
    const int bin = view_open(view, looked);
    double to[3];
    int32_t wall = -1;
    if (bin < 0) break;
    view_place(b, view, s->x, view_gap(view, bin), reach, to);
    (void)gv_barrier_leg(b, memory, s->x, to, GV_BARRIER_BOTH, GV_BARRIER_BOTH, &wall);
    if (wall >= 0) gv_view_add(b, view, s->x, wall);
    looked[bin] = wall >= 0 || reach >= length;
    if (!looked[bin]) reach = fmin(2.0 * reach, length);
  }
  return view;
}
