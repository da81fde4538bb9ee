/* The nearest point of a feature, from a list of its edges. */
#include "features/finder.h"

#include <string.h>

enum { CAPACITY = 256, MOST_LEFT = GV_MOST_EDGE_POINTS, VIEWS = 8, PASSES = 4, MOST_PAIRS = 64 };

/* Positions with vertices as closest points. */
typedef struct vertex_pairs {
  int32_t count, cell[MOST_PAIRS];
  double from[3][MOST_PAIRS], to[3][MOST_PAIRS];
} vertex_pairs;

/* Positions with values needed as floats. */
typedef struct gv_float_batch {
  const double *const *position;
  float *out;
  vertex_pairs pairs;
  gv_edge_points points[2]; /* the current ones, and those of the next pass */
} gv_float_batch;

gv_status gv_finder_init(gv_context *context, const gv_feature_tree *tree, gv_finder *out) {
  *out = (gv_finder){.tree = tree, .allocator = context->allocator};
  if (!gv_feature_tree_lists(tree)) return GV_OK;
  gv_status status = gv_shortlist_init(context, tree, CAPACITY, &out->list);
  if (status == GV_OK && gv_feature_tree_iterates(tree)) {
    out->known = gv_allocate(&context->allocator, CAPACITY, sizeof *out->known);
    out->batch = gv_allocate(&context->allocator, 1, sizeof *out->batch);
    if (out->known == NULL || out->batch == NULL) status = gv_fail_memory(context, "a tile's edges");
  }
  if (status != GV_OK) gv_finder_clear(out);
  return status;
}

void gv_finder_clear(gv_finder *f) {
  if (f->list.memory != NULL) gv_shortlist_clear(&f->list);
  for (int i = 0; i < GV_FINDER_WIDE; i++)
    if (f->wide[i].list.memory != NULL) gv_shortlist_clear(&f->wide[i].list);
  gv_release(&f->allocator, f->known);
  gv_release(&f->allocator, f->batch);
  memset(f, 0, sizeof *f);
}

static int64_t vertex_of(const gv_feature_tree *t, int32_t entry, bool *point) {
  int32_t v = t->entry[entry];
  *point = v < 0;
  return v < 0 ? ~(int64_t)v : v;
}

/* Uses a list that has just been made for a ball. */
static void use(gv_finder *f, const gv_ball *ball, bool holds) {
  const uint8_t *cut = f->tree->set->cut;
  f->cuts = false;
  f->farthest = holds ? f->list.high + ball->radius : 0.0;
  f->slack = gv_slack_of_chord(f->tree, f->farthest);
  f->usable = holds && f->list.count > 0;
  for (int32_t i = 0; i < f->list.count && f->usable; i++) {
    bool point;
    int64_t v = vertex_of(f->tree, f->list.entry[i], &point);
    f->cuts |= cut != NULL && !point && cut[v] != 0;
    if (f->known != NULL) f->known[i].made = f->known[i].paced = false;
  }
}

static void finder_gather(gv_finder *f, const gv_ball *ball) {
  use(f, ball, gv_shortlist_gather(f->tree, f->feature, ball, INFINITY, &f->list));
}

gv_status gv_finder_widen(gv_context *context, gv_finder *f) {
  for (int i = 0; i < GV_FINDER_WIDE && f->list.memory != NULL; i++)
    GV_TRY(gv_shortlist_init(context, f->tree, CAPACITY, &f->wide[i].list));
  return GV_OK;
}

void gv_finder_surround(gv_finder *f, const gv_ball *ball) {
  f->around = *ball;
  for (int i = 0; i < GV_FINDER_WIDE; i++)
    f->wide[i].feature = -1;
}

/* The feature's list for all positions around, or NULL. */
static const gv_shortlist *wide_list(gv_finder *f) {
  gv_wide_list *wide = NULL;
  for (int i = 0; i < GV_FINDER_WIDE && wide == NULL; i++)
    if (f->wide[i].feature == f->feature) wide = &f->wide[i];
  if (wide == NULL) {
    wide = &f->wide[f->turn];
    f->turn = (f->turn + 1) % GV_FINDER_WIDE;
    wide->feature = f->feature;
    wide->usable = gv_shortlist_gather(f->tree, f->feature, &f->around, INFINITY, &wide->list);
  }
  return wide->usable ? &wide->list : NULL;
}

/* ------------------------------------------------------------------------------------------------- a cell */

/* One cell: the views that were computed, and the best edge so far. */
typedef struct cell_search {
  gv_finder *finder;
  const gv_edge_place *q;
  int64_t vertex[VIEWS];
  gv_edge_view view[VIEWS];
  int32_t views;
  int64_t best;
  gv_edge_closest *closest;
} cell_search;

static bool same_place(const gv_feature_set *set, int64_t a, int64_t b) {
  return a == b || (set->x[a] == set->x[b] && set->y[a] == set->y[b]);
}

static const gv_edge_view *seen(const cell_search *w, int64_t v) {
  for (int32_t i = 0; i < w->views; i++)
    if (same_place(w->finder->tree->set, w->vertex[i], v)) return &w->view[i];
  return NULL;
}

static const gv_edge_view *finder_view_of(cell_search *w, int64_t v) {
  const gv_edge_view *known = seen(w, v);
  const gv_feature_set *set = w->finder->tree->set;
  if (known != NULL) return known;
  int32_t at = w->views < VIEWS ? w->views++ : VIEWS - 1;
  w->vertex[at] = v;
  gv_edge_view_of(&set->surface, w->q, set->x[v], set->y[v], &w->view[at]);
  return &w->view[at];
}

static void finder_offer(cell_search *w, int64_t v, const gv_edge_closest *found) {
  gv_edge_closest *closest = w->closest;
  if (found->canonical > closest->canonical || (found->canonical == closest->canonical && v > w->best))
    return;
  *closest = *found;
  w->best = v;
}

static gv_prepared_edge *finder_prepare(gv_finder *f, int32_t i, int64_t v) {
  gv_prepare_edge(f->tree, v, &f->known[i]);
  return &f->known[i];
}

static bool ends(cell_search *w, int32_t i, int64_t v, int end, const gv_edge_view *view) {
  const gv_prepared_edge *known = finder_prepare(w->finder, i, v);
  gv_edge_closest found;
  if (!gv_edge_nearest_is_end(&known->edge, w->q, end, view, known->motion.fastest, known->motion.turn,
                              &found))
    return false;
  finder_offer(w, v, &found);
  return true;
}

/* Decides from the views known so far. */
static bool finder_decide(cell_search *w, int32_t i, int64_t v, bool point) {
  for (int end = 0; end < 2 && !point; end++) {
    const gv_edge_view *view = seen(w, v + end);
    if (view != NULL && ends(w, i, v, end, view)) return true;
  }
  return false;
}

static void finder_measure(cell_search *w, int32_t i, int64_t v, bool point) {
  gv_finder *f = w->finder;
  gv_edge_closest found;
  if (f->known == NULL || point) {
    gv_feature_edge(f->tree->set, v, point, w->q, &found);
    finder_offer(w, v, &found);
    return;
  }
  /* The end that the position is outside of, by chords. */
  double part = f->list.part[i];
  int end = part == 0.0 ? 0 : part == 1.0 ? 1 : -1;
  if (end >= 0 && ends(w, i, v, end, finder_view_of(w, v + end))) return;
  gv_edge_view views[2] = {*finder_view_of(w, v), *finder_view_of(w, v + 1)};
  gv_edge_nearest(&finder_prepare(f, i, v)->edge, w->q, views, &found);
  finder_offer(w, v, &found);
}

/* The edges that may be nearest by their chords, the least first; -1: too many. */
static int32_t shorten(const gv_finder *f, const double position[3], int32_t left[MOST_LEFT]) {
  const gv_shortlist *l = &f->list;
  double high;
  int32_t first = gv_shortlist_bound(f->tree, l, position, &high), count = 1;
  double slack = high <= f->farthest ? f->slack : gv_slack_of_chord(f->tree, high);
  double within = sqrt(gv_reach_with_slack(f->tree, high, slack));
  left[0] = first;
  for (int32_t i = 0; i < l->count; i++) {
    if (i == first || l->near[i] > within) continue;
    if (count == MOST_LEFT) return -1;
    left[count++] = i;
  }
  return count;
}

/* The remaining edges for a position, in the list of all or its own. */
static int32_t shorten_for(gv_finder *f, const double position[3], int32_t left[MOST_LEFT]) {
  bool here_already = f->usable && memcmp(f->list.middle, position, sizeof f->list.middle) == 0;
  if (f->narrow && !here_already) {
    gv_ball here = {{position[0], position[1], position[2]}, 0.0};
    finder_gather(f, &here);
  }
  return f->usable ? shorten(f, position, left) : -1;
}

/* count: of `left`; -1: the list does not decide. */
static bool find_nearest(gv_finder *f, const gv_edge_place *q, bool boundary, const int32_t *left,
                         int32_t count, gv_edge_closest *closest) {
  const gv_feature_tree *t = f->tree;
  if (count < 0 || (boundary && f->cuts))
    return gv_tree_nearest(t, f->feature, q, q->vector, boundary, INFINITY, closest);
  cell_search w = {.finder = f, .q = q, .best = INT64_MAX, .closest = closest};
  double within = INFINITY, judged = INFINITY;
  *closest = (gv_edge_closest){.canonical = INFINITY};
  for (int32_t n = 0; n < count; n++) {
    bool point;
    int32_t i = left[n];
    int64_t v = vertex_of(t, f->list.entry[i], &point);
    if (f->known != NULL && finder_decide(&w, i, v, point)) continue;
    if (closest->canonical < judged) {
      judged = closest->canonical;
      within = sqrt(gv_reach(t, judged));
    }
    if (f->list.near[i] <= within) finder_measure(&w, i, v, point);
  }
  return w.best < INT64_MAX;
}

bool gv_finder_nearest(gv_finder *f, const gv_edge_place *q, bool boundary, gv_edge_closest *closest) {
  int32_t left[MOST_LEFT], count = shorten_for(f, q->vector, left);
  return find_nearest(f, q, boundary, left, count, closest);
}

/* ------------------------------------------------------------------------------------- a vertex by chords */

/* The same place of the ellipsoid: a pole has any longitude. */
static bool same_distance(const gv_feature_set *set, int64_t a, int64_t b) {
  return same_place(set, a, b) || (set->y[a] == set->y[b] && fabs(set->y[a]) == 90.0);
}

/* The vertex of an entry at a place, or -1. */
static int64_t vertex_at(const gv_feature_tree *t, int64_t v, bool point, int64_t place) {
  if (same_distance(t->set, v, place)) return v;
  return !point && same_distance(t->set, v + 1, place) ? v + 1 : -1;
}

/* A vertex seen from a ball of positions: the chord from its middle, how far it is at most, one over the
 * least, and by how much bounds of arcs of one chord there differ. */
typedef struct vertex_range {
  double chord, radius, most, inverse, open;
} vertex_range;

/* False if it is too far, or too near, for what follows. */
static bool range_of(const gv_finder *f, double chord, double radius, vertex_range *out) {
  const gv_geodesic *g = f->tree->geodesic;
  double a = g->geod.a, high = chord + radius, x = high / (2.0 * g->chords.r_small),
         y = high / (2.0 * g->chords.r_large);
  double x2 = x * x, y2 = y * y, least = high * a * (1.0 + y2 / 6.0 + 0.075 * y2 * y2) - 1e-6;
  *out = (vertex_range){.chord = chord, .radius = radius, .inverse = 1.0 / ((chord - radius) * a)};
  out->most = high * a * (1.0 + x2 / 6.0 + 0.075 * x2 * x2 / (1.0 - x2)) + 1e-6;
  out->open = out->most - least;
  return x < 0.7 && chord > radius;
}

/* Whether the edge leads away from its vertex: `far` is the chord to its other end. 1 / (1 - x) <= 1 + 2 x, x
 * = speed / near, 0 <= x <= 1/2. */
static bool leads_away(const gv_finder *f, const gv_edge_motion *motion, const vertex_range *near, double far,
                       double length) {
  double speed = motion->fastest, turn = motion->turn, part = speed * near->inverse;
  double both = near->chord + far - 2.0 * near->radius;
  double longer = far * (1.0 - 1e-13) - near->chord - 2.0 * near->radius * length / both;
  double bend = turn + speed * part * (1.0 + 2.0 * part),
         away = longer * f->tree->geodesic->geod.a - near->open - 0.5 * bend;
  return both > 0.0 && longer >= 0.0 && 2.0 * part + near->inverse < 1.0 &&
         away >= 2.0 * turn + 1e-6 * speed + 1e-5 &&
         f->tree->set->surface.root_most * (near->most + 1.5 * speed + 1.0) < 1.57;
}

/* Whether a vertex is the nearest point of a row of the list, for all positions of a ball. */
static bool row_leads_away(gv_finder *f, int32_t i, int64_t nearest, const double middle[3],
                           const vertex_range *near) {
  const gv_shortlist *l = &f->list;
  bool point;
  int64_t v = vertex_of(f->tree, l->entry[i], &point), here = vertex_at(f->tree, v, point, nearest);
  if (here < 0 || point) return here >= 0;
  double far2 = 0.0, length2 = 0.0, other = here == v ? 1.0 : 0.0;
  for (int axis = 0; axis < 3; axis++) {
    double d = l->d[axis][i], away = middle[axis] - (l->a[axis][i] + other * d);
    far2 += away * away;
    length2 += d * d;
  }
  gv_prepare_motion(f->tree, l, i, &f->known[i]);
  return leads_away(f, &f->known[i].motion, near, sqrt(far2), sqrt(length2) * (1.0 + 1e-14));
}

/* The vertex that is the closest point of the remaining edges, if chords decide; else -1. */
static int64_t vertex_by_chords(gv_finder *f, const double position[3], const int32_t *left, int32_t count) {
  const gv_shortlist *l = &f->list;
  bool point;
  if (f->known == NULL || f->tree->geodesic == NULL || count < 1) return -1;
  if (l->part[left[0]] != 0.0 && l->part[left[0]] != 1.0) return -1;
  vertex_range near;
  int64_t nearest = vertex_of(f->tree, l->entry[left[0]], &point);
  if (l->part[left[0]] == 1.0) nearest++;
  if (!range_of(f, l->chord[left[0]], 0.0, &near)) return -1;
  for (int32_t n = 0; n < count; n++)
    if (!row_leads_away(f, left[n], nearest, position, &near)) return -1;
  return nearest;
}

/* The vertex that is the closest point of all listed edges for a ball; -1: chords do not decide. */
static int64_t vertex_of_ball(gv_finder *f, const gv_ball *ball) {
  const gv_shortlist *l = &f->list;
  bool point;
  if (!f->usable || f->known == NULL || f->tree->geodesic == NULL) return -1;
  double chord2[2] = {0.0, 0.0};
  for (int axis = 0; axis < 3; axis++) {
    double away = ball->center[axis] - l->a[axis][0], beyond = away - l->d[axis][0];
    chord2[0] += away * away;
    chord2[1] += beyond * beyond;
  }
  vertex_range near;
  int64_t nearest = vertex_of(f->tree, l->entry[0], &point);
  int end = !point && chord2[1] < chord2[0] ? 1 : 0;
  if (!range_of(f, sqrt(chord2[end]), ball->radius, &near)) return -1;
  for (int32_t i = 0; i < l->count; i++)
    if (!row_leads_away(f, i, nearest + end, ball->center, &near)) return -1;
  return nearest + end;
}

void gv_finder_aim(gv_finder *f, int32_t feature, const gv_ball *ball) {
  f->usable = f->cuts = f->clear = f->narrow = false;
  f->feature = feature;
  f->vertex = -1;
  if (f->list.memory == NULL) return;
  const gv_shortlist *wide = f->around.radius > 0.0 ? wide_list(f) : NULL;
  if (wide != NULL) {
    gv_shortlist_narrow(f->tree, wide, ball, INFINITY, &f->list);
    use(f, ball, true);
  } else {
    finder_gather(f, ball);
  }
  f->vertex = vertex_of_ball(f, ball);
  f->clear = f->usable && gv_ball_is_clear(f->tree, ball, f->list.low);
  f->narrow = !f->usable && ball->radius > 0.0 && f->tree->root[feature] >= 0;
}

double gv_finder_distance(gv_finder *f, const gv_edge_place *q, bool boundary) {
  const gv_feature_set *set = f->tree->set;
  int32_t left[MOST_LEFT], count = 0;
  int64_t vertex = boundary && f->cuts ? -1 : f->vertex;
  gv_edge_closest closest;
  if (vertex < 0) {
    count = shorten_for(f, q->vector, left);
    vertex = boundary && f->cuts ? -1 : vertex_by_chords(f, q->vector, left, count);
  }
  if (vertex < 0) {
    find_nearest(f, q, boundary, left, count, &closest);
    return closest.canonical;
  }
  double lon = set->x[vertex], lat = set->y[vertex], distance;
  gv_normalize_lonlat(&lon, &lat);
  geod_inverse(&set->surface.geod, q->lat, q->lon, lat, lon, &distance, NULL, NULL);
  return distance;
}

/* --------------------------------------------------------------------------------------- values as floats */

static void position_of(const gv_float_batch *b, int32_t cell, double q[3]) {
  for (int axis = 0; axis < 3; axis++)
    q[axis] = b->position[axis][cell];
}

static float finder_decided_float(double low, double high) {
  return (float)low == (float)high ? (float)low : NAN;
}

/* By the series, which is within 0.1 micrometers of geod_inverse: twice that is allowed for. */
static void finder_bound_pairs(const gv_finder *f) {
  gv_float_batch *b = f->batch;
  const gv_geodesic *g = f->tree->geodesic;
  vertex_pairs *p = &b->pairs;
  double distance[MOST_PAIRS], room = 2.0 * gv_chord_tolerance * g->geod.a;
  int32_t open[MOST_PAIRS];
  gv_pairs all = {p->count, p->from[0], p->from[1], p->from[2], p->to[0], p->to[1], p->to[2]};
  int32_t unknown = g->kernels->geodesic(&all, &g->series, distance, open);
  for (int32_t n = 0; n < unknown; n++)
    distance[open[n]] = (double)NAN;
  for (int32_t n = 0; n < p->count; n++)
    b->out[p->cell[n]] = finder_decided_float(distance[n] - room, distance[n] + room);
  p->count = 0;
}

/* One pass over the current points: decided values are written; for the others the possible closest points
 * continue from a better place. */
static void finder_bound_some(gv_finder *f, const gv_edge_points *points, gv_edge_points *next) {
  const gv_feature_tree *t = f->tree;
  gv_float_batch *b = f->batch;
  double q[3];
  next->count = 0;
  for (int32_t first = 0, end; first < points->count; first = end) {
    int32_t cell = points->cell[first];
    double low = INFINITY, high = INFINITY;
    for (end = first; end < points->count && points->cell[end] == cell; end++) {
      low = fmin(low, points->low[end]);
      high = fmin(high, points->high[end]);
    }
    b->out[cell] = finder_decided_float(low, high);
    if (!isnan(b->out[cell])) continue;
    position_of(b, cell, q);
    for (int32_t n = first; n < end; n++) {
      if (points->low[n] > high) continue;
      int32_t i = points->item[n], at = next->count;
      bool point;
      int64_t v = vertex_of(t, f->list.entry[i], &point);
      gv_edge_points_add(t, &f->list, i, gv_edge_points_next(t, points, n),
                         point ? NULL : finder_prepare(f, i, v), q, next);
      next->cell[at] = cell;
      next->last_part[at] = points->part[n];
      next->last_slope[at] = points->sense[n] * points->slope[n];
    }
  }
}

static void finder_bound_points(gv_finder *f) {
  gv_float_batch *b = f->batch;
  int at = 0;
  for (int pass = 0; pass < PASSES && b->points[at].count > 0; pass++, at = 1 - at) {
    gv_edge_points_bound(f->tree, &b->points[at]);
    finder_bound_some(f, &b->points[at], &b->points[1 - at]);
  }
  b->points[0].count = 0;
}

/* Among the closest points, which are places of chords. */
static void finder_add_points(gv_finder *f, int32_t cell, const double q[3], const int32_t *left,
                              int32_t count) {
  gv_edge_points *points = &f->batch->points[0];
  if (points->count + count > GV_MOST_EDGE_POINTS) finder_bound_points(f);
  for (int32_t n = 0; n < count; n++) {
    int32_t i = left[n];
    bool point;
    int64_t v = vertex_of(f->tree, f->list.entry[i], &point);
    const gv_prepared_edge *known = f->tree->set->straight && !point ? finder_prepare(f, i, v) : NULL;
    gv_edge_points_add(f->tree, &f->list, i, f->list.part[i], known, q, points);
    points->cell[points->count - 1] = cell;
  }
}

static void add_pair(gv_finder *f, int32_t cell, const double q[3], int64_t vertex) {
  vertex_pairs *p = &f->batch->pairs;
  const double *place = f->tree->place + 3 * vertex;
  if (p->count == MOST_PAIRS) finder_bound_pairs(f);
  for (int axis = 0; axis < 3; axis++) {
    p->from[axis][p->count] = q[axis];
    p->to[axis][p->count] = place[axis];
  }
  p->cell[p->count++] = cell;
}

void gv_finder_floats(gv_finder *f, int32_t count, const double *const position[3], bool boundary,
                      float *out) {
  gv_float_batch *b = f->batch;
  int32_t left[MOST_LEFT];
  double q[3];
  for (int32_t cell = 0; cell < count; cell++)
    out[cell] = NAN;
  if (f->known == NULL || !gv_edge_points_supported(f->tree)) return;
  b->position = position;
  b->out = out;
  b->pairs.count = b->points[0].count = 0;
  for (int32_t cell = 0; cell < count; cell++) {
    position_of(b, cell, q);
    if (f->vertex >= 0 && !(boundary && f->cuts)) {
      add_pair(f, cell, q, f->vertex);
      continue;
    }
    int32_t kept = shorten_for(f, q, left);
    if (kept < 0 || (boundary && f->cuts)) continue;
    int64_t vertex = vertex_by_chords(f, q, left, kept);
    if (vertex >= 0) {
      add_pair(f, cell, q, vertex);
    } else {
      finder_add_points(f, cell, q, left, kept);
    }
    if (f->narrow) finder_bound_points(f); /* before the list is that of the next */
  }
  finder_bound_pairs(f);
  finder_bound_points(f);
}
