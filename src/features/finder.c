/* The nearest point of a feature, from a list of its edges. */
#include "features/finder.h"

#include <string.h>

enum { CAPACITY = 256, MOST_LEFT = GV_MOST_FEET, SIGHTS = 8 };

gv_status gv_finder_init(gv_context *context, const gv_feature_tree *tree, gv_finder *out) {
  *out = (gv_finder){.tree = tree, .allocator = context->allocator};
  if (!gv_feature_tree_lists(tree)) return GV_OK;
  gv_status status = gv_shortlist_init(context, CAPACITY, &out->list);
  if (status == GV_OK && gv_feature_tree_iterates(tree)) {
    out->known = gv_allocate(&context->allocator, CAPACITY, sizeof *out->known);
    if (out->known == NULL) status = gv_fail_memory(context, "a tile's edges");
  }
  if (status != GV_OK) gv_finder_clear(out);
  return status;
}

void gv_finder_clear(gv_finder *f) {
  if (f->list.memory != NULL) gv_shortlist_clear(&f->list);
  if (f->known != NULL) gv_release(&f->allocator, f->known);
  memset(f, 0, sizeof *f);
}

static int64_t vertex_of(const gv_feature_tree *t, int32_t entry, bool *point) {
  int32_t v = t->entry[entry];
  *point = v < 0;
  return v < 0 ? ~(int64_t)v : v;
}

static void gather(gv_finder *f, const gv_ball *ball) {
  const uint8_t *cut = f->tree->set->cut;
  f->cuts = false;
  f->usable = gv_shortlist_gather(f->tree, f->feature, ball, INFINITY, &f->list) && f->list.count > 0;
  for (int32_t i = 0; i < f->list.count && f->usable; i++) {
    bool point;
    int64_t v = vertex_of(f->tree, f->list.entry[i], &point);
    f->cuts |= cut != NULL && !point && cut[v] != 0;
    if (f->known != NULL) f->known[i].made = false;
  }
}

void gv_finder_aim(gv_finder *f, int32_t feature, const gv_ball *ball) {
  f->usable = f->cuts = f->clear = f->narrow = false;
  f->feature = feature;
  if (f->list.memory == NULL) return;
  gather(f, ball);
  f->clear = f->usable && gv_ball_is_clear(f->tree, ball, f->list.low);
  f->narrow = !f->usable && ball->radius > 0.0 && f->tree->root[feature] >= 0;
}

/* --------------------------------------------------------------------------------------------------------- a cell */

/* One cell: what it has seen, and the best so far. */
typedef struct view {
  gv_finder *finder;
  const gv_edge_place *q;
  int64_t vertex[SIGHTS];
  gv_edge_sight sight[SIGHTS];
  int32_t sights;
  int64_t best;
  gv_edge_foot *foot;
} view;

static bool same_place(const gv_feature_set *set, int64_t a, int64_t b) {
  return a == b || (set->x[a] == set->x[b] && set->y[a] == set->y[b]);
}

static const gv_edge_sight *seen(const view *w, int64_t v) {
  for (int32_t i = 0; i < w->sights; i++)
    if (same_place(w->finder->tree->set, w->vertex[i], v)) return &w->sight[i];
  return NULL;
}

static const gv_edge_sight *look(view *w, int64_t v) {
  const gv_edge_sight *known = seen(w, v);
  const gv_feature_set *set = w->finder->tree->set;
  if (known != NULL) return known;
  int32_t at = w->sights < SIGHTS ? w->sights++ : SIGHTS - 1;
  w->vertex[at] = v;
  gv_edge_look(&set->surface, w->q, set->x[v], set->y[v], &w->sight[at]);
  return &w->sight[at];
}

static void take(view *w, int64_t v, const gv_edge_foot *found) {
  gv_edge_foot *foot = w->foot;
  if (found->canonical > foot->canonical || (found->canonical == foot->canonical && v > w->best)) return;
  *foot = *found;
  w->best = v;
}

static gv_known_edge *know(gv_finder *f, int32_t i, int64_t v) {
  gv_known_edge *known = &f->known[i];
  const gv_feature_set *set = f->tree->set;
  if (known->made) return known;
  const double a[2] = {set->x[v], set->y[v]}, b[2] = {set->x[v + 1], set->y[v + 1]};
  gv_edge_make(&set->surface, set->straight, a, b, &known->edge);
  gv_edge_motion(&known->edge, &known->speed, &known->turn);
  known->made = true;
  return known;
}

static bool ends(view *w, int32_t i, int64_t v, int end, const gv_edge_sight *sight) {
  const gv_known_edge *known = know(w->finder, i, v);
  gv_edge_foot found;
  if (!gv_edge_nearest_is_end(&known->edge, w->q, end, sight, known->speed, known->turn, &found)) return false;
  take(w, v, &found);
  return true;
}

/* From what has been seen already. */
static bool settle(view *w, int32_t i, int64_t v, bool point) {
  for (int end = 0; end < 2 && !point; end++) {
    const gv_edge_sight *sight = seen(w, v + end);
    if (sight != NULL && ends(w, i, v, end, sight)) return true;
  }
  return false;
}

static void ask(view *w, int32_t i, int64_t v, bool point) {
  gv_finder *f = w->finder;
  gv_edge_foot found;
  if (f->known == NULL || point) {
    gv_feature_edge(f->tree->set, v, point, w->q, &found);
    take(w, v, &found);
    return;
  }
  /* The end that the position is beyond, as chords have it. */
  double part = f->list.part[i];
  int end = part == 0.0 ? 0 : part == 1.0 ? 1 : -1;
  if (end >= 0 && ends(w, i, v, end, look(w, v + end))) return;
  gv_edge_sight sights[2] = {*look(w, v), *look(w, v + 1)};
  gv_edge_nearest(&know(f, i, v)->edge, w->q, sights, &found);
  take(w, v, &found);
}

/* What may be the nearest by its chord, the least of them first; -1: too many. */
static int32_t shorten(const gv_finder *f, const double position[3], int32_t left[MOST_LEFT]) {
  const gv_shortlist *l = &f->list;
  int32_t first = gv_shortlist_nearest(f->tree, l, position), count = 1;
  double high = l->chord[first] * (1.0 + 1e-14) + l->sag[first];
  double within = sqrt(gv_reach_of_chord(f->tree, high));
  left[0] = first;
  for (int32_t i = 0; i < l->count; i++) {
    if (i == first || l->chord[i] * (1.0 - 1e-14) - l->sag[i] > within) continue;
    if (count == MOST_LEFT) return -1;
    left[count++] = i;
  }
  return count;
}

/* What is left for a position, in the list of all or its own. */
static int32_t shorten_for(gv_finder *f, const gv_edge_place *q, int32_t left[MOST_LEFT]) {
  bool here_already = f->usable && memcmp(f->list.middle, q->vector, sizeof f->list.middle) == 0;
  if (f->narrow && !here_already) {
    gv_ball here = {{q->vector[0], q->vector[1], q->vector[2]}, 0.0};
    gather(f, &here);
  }
  return f->usable ? shorten(f, q->vector, left) : -1;
}

bool gv_finder_nearest(gv_finder *f, const gv_edge_place *q, bool boundary, gv_edge_foot *foot) {
  const gv_feature_tree *t = f->tree;
  int32_t left[MOST_LEFT], count = shorten_for(f, q, left);
  if (count < 0 || (boundary && f->cuts))
    return gv_tree_nearest(t, f->feature, q, q->vector, boundary, INFINITY, foot);
  view w = {.finder = f, .q = q, .best = INT64_MAX, .foot = foot};
  double within = INFINITY, judged = INFINITY;
  *foot = (gv_edge_foot){.canonical = INFINITY};
  for (int32_t n = 0; n < count; n++) {
    bool point;
    int32_t i = left[n];
    int64_t v = vertex_of(t, f->list.entry[i], &point);
    if (f->known != NULL && settle(&w, i, v, point)) continue;
    if (foot->canonical < judged) {
      judged = foot->canonical;
      within = sqrt(gv_reach(t, judged));
    }
    if (f->list.chord[i] * (1.0 - 1e-14) - f->list.sag[i] <= within) ask(&w, i, v, point);
  }
  return w.best < INT64_MAX;
}

/* The least of the bounds. */
static void least_of(const gv_feet *feet, double *low, double *high) {
  *low = *high = INFINITY;
  for (int32_t n = 0; n < feet->count; n++) {
    *low = fmin(*low, feet->low[n]);
    *high = fmin(*high, feet->high[n]);
  }
}

bool gv_finder_bounds(gv_finder *f, const gv_edge_place *q, double *low, double *high) {
  int32_t left[MOST_LEFT], count;
  gv_feet feet;
  if (f->known == NULL || !gv_feet_serve(f->tree)) return false;
  count = shorten_for(f, q, left);
  if (count < 0) return false;
  feet.count = 0;
  for (int32_t n = 0; n < count; n++)
    gv_feet_add(f->tree, &f->list, left[n], NULL, &feet);
  gv_feet_bound(f->tree, q->vector, &feet);
  least_of(&feet, low, high);
  if (f->tree->set->straight || (float)*low == (float)*high) return true;
  /* What may be the nearest again, from places of the geodesics themselves. */
  double within = *high;
  int32_t kept = 0;
  for (int32_t n = 0; n < count; n++)
    if (feet.low[n] <= within) left[kept++] = left[n];
  feet.count = 0;
  for (int32_t n = 0; n < kept; n++) {
    bool point;
    int64_t v = vertex_of(f->tree, f->list.entry[left[n]], &point);
    gv_feet_add(f->tree, &f->list, left[n], point ? NULL : know(f, left[n], v), &feet);
  }
  gv_feet_bound(f->tree, q->vector, &feet);
  least_of(&feet, low, high);
  return true;
}

/* ---------------------------------------------------------------------------------------------- a vertex by chords */

/* The vertex of an entry at a place, or -1. */
static int64_t vertex_at(const gv_feature_tree *t, int64_t v, bool point, int64_t place) {
  if (same_place(t->set, v, place)) return v;
  return !point && same_place(t->set, v + 1, place) ? v + 1 : -1;
}

/* Whether the edge leads away from its vertex: `far` is the chord to its other end, distances in metres. */
static bool leads_away(const gv_finder *f, const gv_known_edge *known, double near, double far) {
  const gv_geodesic *g = f->tree->geodesic;
  const gv_edge_surface *surface = &f->tree->set->surface;
  double a = g->geod.a, x = near / (2.0 * g->chords.r_small), y = far / (2.0 * g->chords.r_large);
  if (!(x < 0.7) || !(near * a > 2.0 * known->speed + 1.0)) return false;
  double x2 = x * x, y2 = y * y;
  double most = near * a * (1.0 + x2 / 6.0 + 0.075 * x2 * x2 / (1.0 - x2)) + 1e-6;
  double least = far * a * (1.0 + y2 / 6.0 + 0.075 * y2 * y2) - 1e-6;
  double bend = known->turn + known->speed * known->speed / (near * a - known->speed);
  double away = least - most - 0.5 * bend;
  return surface->root_most * (most + 1.5 * known->speed + 1.0) < 1.57 &&
         away >= 2.0 * known->turn + 1e-6 * known->speed + 1e-5;
}

int64_t gv_finder_vertex(gv_finder *f, const gv_edge_place *q) {
  const gv_feature_tree *t = f->tree;
  const gv_shortlist *l = &f->list;
  int32_t left[MOST_LEFT], count;
  bool point;
  if (f->known == NULL || t->geodesic == NULL) return -1;
  count = shorten_for(f, q, left);
  if (count < 0 || (l->part[left[0]] != 0.0 && l->part[left[0]] != 1.0)) return -1;
  int64_t nearest = vertex_of(t, l->entry[left[0]], &point);
  if (l->part[left[0]] == 1.0) nearest++;
  for (int32_t n = 0; n < count; n++) {
    int32_t i = left[n];
    int64_t v = vertex_of(t, l->entry[i], &point), here = vertex_at(t, v, point, nearest);
    if (here < 0) return -1;
    if (point) continue;
    double far2 = 0.0, other = here == v ? 1.0 : 0.0;
    for (int axis = 0; axis < 3; axis++) {
      double away = q->vector[axis] - (l->a[axis][i] + other * l->d[axis][i]);
      far2 += away * away;
    }
    if (!leads_away(f, know(f, i, v), l->chord[left[0]], sqrt(far2) * (1.0 - 1e-13))) return -1;
  }
  return nearest;
}
