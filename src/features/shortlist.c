/* Lists of edges for tiles. */
#include "features/shortlist.h"

#include <string.h>

enum { ARRAYS = 12 };

bool gv_feature_tree_lists(const gv_feature_tree *t) {
  gv_metric metric = t->set->metric;
  if (t->geodesic != NULL) return t->geodesic->chords.limit2 > 0.0;
  return metric == GV_EUCLIDEAN || metric == GV_GREAT_CIRCLE;
}

gv_status gv_shortlist_init(gv_context *context, const gv_feature_tree *tree, int32_t most,
                            gv_shortlist *out) {
  /* One more than there are, as a full list is too long; whole vectors. */
  int32_t capacity = tree->entries < most ? (tree->entries / 8 + 1) * 8 : most;
  *out = (gv_shortlist){.capacity = capacity, .pivot = -1, .owner = -1, .allocator = context->allocator};
  /* The last are whole numbers, two of them in the room of one. */
  out->memory =
      gv_allocate_zeroed(&context->allocator, (int64_t)capacity * (ARRAYS + 1), sizeof *out->memory);
  if (out->memory == NULL) return gv_fail_memory(context, "a tile's edges");
  double *at = out->memory,
         **arrays[ARRAYS] = {&out->a[0],    &out->a[1], &out->a[2], &out->d[0],  &out->d[1], &out->d[2],
                             &out->inverse, &out->sag,  &out->part, &out->chord, &out->gain, &out->near};
  for (int i = 0; i < ARRAYS; i++, at += capacity)
    *arrays[i] = at;
  out->entry = (int32_t *)at;
  out->feature = out->entry + capacity;
  return GV_OK;
}

void gv_shortlist_clear(gv_shortlist *list) {
  gv_release(&list->allocator, list->memory);
  memset(list, 0, sizeof *list);
}

bool gv_ball_is_clear(const gv_feature_tree *t, const gv_ball *ball, double low) {
  bool small = !t->set->globe || ball->radius < 0.4;
  return small && low > ball->radius * (1.0 + 1e-9) + (t->set->globe ? 1e-9 : 0.0);
}

gv_ball gv_ball_around(const double *const position[3], const int32_t *which, int32_t count) {
  double radius2 = 0.0;
  gv_ball ball;
  int dim = position[2] != NULL ? 3 : 2;
  ball.center[2] = 0.0;
  for (int axis = 0; axis < dim; axis++) {
    double low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < count; i++) {
      double at = position[axis][which[i]];
      low = at < low ? at : low;
      high = at > high ? at : high;
    }
    ball.center[axis] = 0.5 * (low + high);
  }
  for (int32_t i = 0; i < count; i++) {
    double square = 0.0;
    for (int axis = 0; axis < dim; axis++) {
      double away = position[axis][which[i]] - ball.center[axis];
      square += away * away;
    }
    radius2 = square > radius2 ? square : radius2;
  }
  ball.radius = sqrt(radius2) * (1.0 + 1e-12);
  return ball;
}

gv_ball gv_ball_of_tile(const gv_cells *cells, const gv_tile *tile) {
  gv_bound bound;
  gv_ball ball;
  gv_cells_bound(cells, tile, &bound);
  memcpy(ball.center, bound.center, sizeof ball.center);
  ball.radius = bound.radius + 4.0 * cells->position_error;
  return ball;
}

/* -------------------------------------------------------------------------------------- the pivot's bound */

static void copy_row(const gv_shortlist *from, int32_t i, gv_shortlist *to, int32_t k) {
  for (int axis = 0; axis < 3; axis++) {
    to->a[axis][k] = from->a[axis][i];
    to->d[axis][k] = from->d[axis][i];
  }
  to->inverse[k] = from->inverse[i];
  to->sag[k] = from->sag[i];
  to->entry[k] = from->entry[i];
  to->feature[k] = from->feature[i];
}

int32_t gv_shortlist_nearest(const gv_feature_tree *t, const gv_shortlist *l, const double position[3]) {
  int32_t first = 0;
  t->kernels->chords(l, position);
  for (int32_t i = 1; i < l->count; i++)
    if (l->chord[i] < l->chord[first]) first = i;
  return l->count > 0 ? first : -1;
}

/* Bounds of long edges, which are few; those above the reach of *high may be coarse. */
static int32_t bound_long(const gv_feature_tree *t, const gv_shortlist *l, const double position[3],
                          int32_t first, double *high) {
  double within = sqrt(gv_reach_of_chord(t, *high));
  for (int32_t i = 0; i < l->count; i++) {
    const gv_long_edge *edge = gv_long_edge_of(&t->long_edges, l->entry[i]);
    double low, most;
    if (edge == NULL || l->near[i] > within) continue;
    gv_long_edge_chords(edge, position, within, &low, &most);
    l->near[i] = fmax(l->near[i], low);
    if (!(most < *high)) continue;
    first = i;
    *high = most;
    within = sqrt(gv_reach_of_chord(t, most));
  }
  return first;
}

int32_t gv_shortlist_bound(const gv_feature_tree *t, const gv_shortlist *l, const double position[3],
                           double *high) {
  int32_t first = gv_shortlist_nearest(t, l, position);
  *high = first >= 0 ? l->chord[first] * (1.0 + 1e-14) + l->sag[first] : INFINITY;
  for (int32_t i = 0; i < l->count; i++)
    l->near[i] = l->chord[i] * (1.0 - 1e-14) - l->sag[i];
  return t->long_edges.number != NULL && first >= 0 ? bound_long(t, l, position, first, high) : first;
}

/* The test against an edge with a known closest point. */
static gv_chord_test test_of(const gv_feature_tree *t, const gv_ball *ball, const gv_shortlist *l,
                             int32_t pivot) {
  double r = ball->radius, chord = l->chord[pivot], near = chord * (1.0 + 1e-14) + r;
  double most = gv_reach_of_chord(t, near + l->sag[pivot]), root = sqrt(most);
  gv_chord_test test = {.twice_radius = 2.0 * r * (1.0 + 1e-14), .twice_root = 2.0 * root, .root = root};
  for (int axis = 0; axis < 3; axis++)
    test.place[axis] = l->a[axis][pivot] + l->part[pivot] * l->d[axis][pivot];
  test.limit = most - near * near + chord * chord + r * r;
  return test;
}

/* `from` and `to` may be one list; `rest`: of the edges that are not in `from`. */
static void cull(const gv_feature_tree *t, const gv_shortlist *from, const gv_ball *ball, double reach,
                 double rest, gv_shortlist *to) {
  double high;
  int32_t count = from->count, pivot = gv_shortlist_bound(t, from, ball->center, &high), kept = 0;
  for (int32_t i = 0; i < count && t->long_edges.number != NULL; i++)
    if (from->chord[i] < from->chord[pivot]) pivot = i;
  to->low = to->rest = rest;
  to->high = INFINITY;
  to->mixed = false;
  memcpy(to->middle, ball->center, sizeof to->middle);
  if (pivot < 0) {
    to->count = 0;
    return;
  }
  double within = sqrt(reach) * (1.0 + 1e-14) + ball->radius;
  /* The nearest place's chord is at most `high` from the middle; edges that win are in reach of that + r from
   * each cell. */
  if (t->long_edges.number != NULL)
    within = fmin(within, (sqrt(gv_reach_of_chord(t, high + ball->radius)) + ball->radius) * (1.0 + 1e-14));
  gv_chord_test test = test_of(t, ball, from, pivot);
  t->kernels->judge(from, &test);
  to->high = high;
  to->pivot = from->entry[pivot];
  to->owner = from->feature[pivot];
  for (int32_t i = 0; i < count; i++) {
    double nearest = from->near[i];
    to->low = nearest < to->low ? nearest : to->low;
    if (from->gain[i] > test.limit || nearest > within) {
      to->rest = nearest < to->rest ? nearest : to->rest;
      continue;
    }
    to->mixed |= from->feature[i] != to->owner;
    if (from != to || i != kept) copy_row(from, i, to, kept);
    kept++;
  }
  to->count = kept;
}

void gv_shortlist_narrow(const gv_feature_tree *t, const gv_shortlist *from, const gv_ball *ball,
                         double reach, gv_shortlist *to) {
  double away2 = 0.0;
  for (int axis = 0; axis < 3; axis++)
    away2 += (ball->center[axis] - from->middle[axis]) * (ball->center[axis] - from->middle[axis]);
  cull(t, from, ball, reach, (from->rest - sqrt(away2)) * (1.0 - 1e-14), to);
}

/* ----------------------------------------------------------------------------------------------- the walk */

/* Nodes to visit: of the tree over features, or of one feature's. */
enum { DEPTH = 128, TOP = -1 };

typedef struct shortlist_walk {
  const gv_feature_tree *tree;
  const gv_ball *ball;
  gv_shortlist *list;
  double far;  /* squares from the middle above which no edge counts */
  double high; /* an edge's chord is at most that: the pivot's */
  double rest; /* no edge that lost against it is nearer */
  gv_chord_test test;
  int count;
  int32_t node[DEPTH], feature[DEPTH];
  double box[DEPTH];
} shortlist_walk;

/* Makes a row of an entry. */
static void shortlist_put(const gv_feature_tree *t, int32_t entry, const double q[3], gv_shortlist *l,
                          int32_t i) {
  int32_t vertex = t->entry[entry];
  bool point = vertex < 0;
  double along = 0.0, square = 0.0, a[3], d[3], w[3];
  double inverse = gv_tree_chord_of(t, point ? ~(int64_t)vertex : vertex, point, a, d);
  for (int axis = 0; axis < 3; axis++) {
    w[axis] = axis < t->dim ? q[axis] - a[axis] : 0.0;
    along += w[axis] * d[axis];
    l->a[axis][i] = a[axis];
    l->d[axis][i] = d[axis];
  }
  along *= inverse;
  along = along < 0.0 ? 0.0 : along > 1.0 ? 1.0 : along;
  for (int axis = 0; axis < 3; axis++)
    square += (w[axis] - along * d[axis]) * (w[axis] - along * d[axis]);
  l->inverse[i] = inverse;
  l->sag[i] = (double)t->sag[entry];
  l->entry[i] = entry;
  l->part[i] = along;
  l->chord[i] = sqrt(square);
}

/* A row may be the pivot. Edges nearer than it to the middle are nearer than its chord + r to each cell, and
 * edges that win there are nearer than that reach + r to the middle. */
static void found(shortlist_walk *w, int32_t row) {
  const gv_shortlist *l = w->list;
  double high = l->chord[row] + l->sag[row];
  if (!(high < w->high)) return;
  w->high = high;
  w->test = test_of(w->tree, w->ball, l, row);
  double far = w->test.root + w->ball->radius;
  far *= far * (1.0 + 1e-12);
  w->far = far < w->far ? far : w->far;
}

/* A long edge may not be the pivot's equal, but it bounds how far others are that win. Returns the lower
 * bound of its chord. */
static double found_long(shortlist_walk *w, const gv_long_edge *edge) {
  double low, high, r = w->ball->radius;
  gv_long_edge_chords(edge, w->ball->center, sqrt(w->far), &low, &high);
  double far = sqrt(gv_reach_of_chord(w->tree, high + r)) + r;
  far *= far * (1.0 + 1e-12);
  w->far = far < w->far ? far : w->far;
  return low;
}

static void leave(shortlist_walk *w, double nearest) {
  w->rest = nearest < w->rest ? nearest : w->rest;
}

/* Whether all edges of a box lose: their places s' are in it, so that |q - s'|^2 - |q - p|^2 >= D^2 - P^2 - 2
 * r |p
 * - s'|. Without a radius that is the test by `far`. */
static bool loses(shortlist_walk *w, const gv_box_node *n, double box) {
  double square = 0.0, r = w->ball->radius;
  if (r == 0.0) return false;
  for (int axis = 0; axis < 3; axis++) {
    double p = w->test.place[axis],
           away = fmax(fabs(p - (double)n->low[axis]), fabs(p - (double)n->high[axis]));
    square += away * away;
  }
  if (!(box * (1.0 - 1e-14) - w->test.twice_radius * sqrt(square) > w->test.limit - r * r)) return false;
  leave(w, sqrt(box) * (1.0 - 1e-14));
  return true;
}

static void push(shortlist_walk *w, const gv_box_node *nodes, int32_t first, int32_t feature) {
  double a = gv_box_distance2(w->tree, &nodes[first], w->ball->center);
  double b = gv_box_distance2(w->tree, &nodes[first + 1], w->ball->center);
  int nearer = a <= b ? 0 : 1;
  for (int i = 0; i < 2; i++) {
    double box = (i == 0) == (nearer == 0) ? b : a;
    if (box > w->far) continue;
    w->node[w->count] = i == 0 ? first + 1 - nearer : first + nearer;
    w->feature[w->count] = feature;
    w->box[w->count++] = box;
  }
}

/* Makes space by dropping edges that are too far by now. */
static bool make_room(shortlist_walk *w) {
  gv_shortlist *l = w->list;
  int32_t kept = 0;
  double far = sqrt(w->far);
  if (l->count < l->capacity) return true;
  w->tree->kernels->judge(l, &w->test);
  for (int32_t i = 0; i < l->count; i++) {
    double nearest = l->chord[i] * (1.0 - 1e-14) - l->sag[i];
    if (nearest > far) continue;
    if (l->gain[i] > w->test.limit) {
      leave(w, nearest);
      continue;
    }
    l->part[kept] = l->part[i];
    l->chord[kept] = l->chord[i];
    copy_row(l, i, l, kept++);
  }
  l->count = kept;
  return kept < l->capacity / 4 * 3;
}

static bool shortlist_visit_entry(shortlist_walk *w, int32_t entry, int32_t feature) {
  gv_shortlist *l = w->list;
  if (!make_room(w)) return false;
  int32_t row = l->count;
  shortlist_put(w->tree, entry, w->ball->center, l, row);
  l->feature[row] = feature;
  double near = fmax(0.0, l->chord[row] * (1.0 - 1e-14) - l->sag[row]);
  const gv_long_edge *edge = gv_long_edge_of(&w->tree->long_edges, entry);
  if (edge != NULL && near * near <= w->far) near = fmax(near, found_long(w, edge));
  if (near * near > w->far) return true;
  l->count++;
  found(w, row);
  return true;
}

static bool shortlist_visit_leaf(shortlist_walk *w, const gv_box_node *n, int32_t feature) {
  const gv_feature_tree *t = w->tree;
  for (int32_t i = n->first; i < n->first + n->count; i++) {
    if (feature != TOP) {
      if (!shortlist_visit_entry(w, i, feature)) return false;
      continue;
    }
    int32_t f = t->feature[i];
    double box = gv_box_distance2(t, &t->node[t->root[f]], w->ball->center);
    if (box > w->far) continue;
    w->node[w->count] = t->root[f];
    w->feature[w->count] = f;
    w->box[w->count++] = box;
  }
  return true;
}

bool gv_shortlist_gather(const gv_feature_tree *t, int32_t feature, const gv_ball *ball, double reach,
                         gv_shortlist *list) {
  shortlist_walk w = {.tree = t, .ball = ball, .list = list, .high = INFINITY, .rest = INFINITY, .count = 1};
  w.test.limit = INFINITY;
  list->count = 0;
  list->low = list->high = list->rest = INFINITY;
  list->mixed = false;
  memcpy(list->middle, ball->center, sizeof list->middle);
  if (feature >= 0 ? t->root[feature] < 0 : t->tops == 0) return true;
  double within = sqrt(reach) + ball->radius;
  w.far = within * within * (1.0 + 1e-12);
  if (list->pivot >= 0 && (feature < 0 || feature == list->owner)) {
    shortlist_put(t, list->pivot, ball->center, list, 0);
    found(&w, 0);
  }
  w.node[0] = feature >= 0 ? t->root[feature] : 0;
  w.feature[0] = feature >= 0 ? feature : TOP;
  w.box[0] = 0.0;
  while (w.count > 0) {
    w.count--;
    if (w.box[w.count] > w.far) continue;
    int32_t of = w.feature[w.count];
    const gv_box_node *nodes = of == TOP ? t->top : t->node, *n = &nodes[w.node[w.count]];
    if (loses(&w, n, w.box[w.count])) continue;
    if (n->count == 0) {
      push(&w, nodes, n->first, of);
    } else if (!shortlist_visit_leaf(&w, n, of)) {
      return false;
    }
  }
  leave(&w, sqrt(w.far) * (1.0 - 1e-12));
  cull(t, list, ball, reach, w.rest, list);
  return true;
}
