/*
 * Trees of features: halved at the median of the widest side. The numbers of entries determine where nodes
 * and entries are stored, so threads build parts of a tree at once, and the tree is the same for any number
 * of threads.
 */
#include "features/tree.h"

#include "core/cancel.h"
#include "core/parallel.h"
#include "features/shortlist.h"

#include <float.h>
#include <string.h>

/* PART: entries of a task. AT_ONCE: items in memory at a time, or those of one feature. */
enum { LEAF = 4, DEPTH = 64, PART = 1 << 12, AT_ONCE = 1 << 20 };

/* -------------------------------------------------------------------------------------------------- edges */

/* No curve of this chord is longer (geodesic.h); half round the globe if chords do not decide. */
static double longest_of_chord(const gv_feature_tree *t, double chord) {
  if (t->geodesic == NULL) return chord < 1.9 ? chord * (1.0 + 0.1428 * chord * chord) : 3.2;
  const gv_geodesic *g = t->geodesic;
  double limit = sqrt(fmax(g->chords.limit2, 0.0)), x = chord / (2.0 * g->chords.r_small);
  return chord < limit ? chord * (1.0 + 0.5708 * x * x) + 2e-14 : 3.2 * fmax(1.0, 1.0 / g->chords.r_large);
}

/* Meters in the coordinates on the globe. */
static double feature_tree_unit(const gv_feature_tree *t) {
  return t->geodesic != NULL ? t->set->surface.ellipsoid.semi_major : t->set->surface.radius;
}

/* How far the edge from v leaves its chord, place by place. */
static double sag_of(const gv_feature_tree *t, int64_t v, double chord) {
  const gv_feature_set *set = t->set;
  if (!set->globe) {
    const double *a = gv_tree_place(t, v), *b = gv_tree_place(t, v + 1);
    return 4e-15 * (fabs(a[0]) + fabs(a[1]) + fabs(b[0]) + fabs(b[1])) + 1e-100; /* squares of less vanish */
  }
  double unit = feature_tree_unit(t);
  double smallest = set->surface.smallest / unit, length, second;
  if (set->straight) {
    gv_edge edge;
    const double a[2] = {set->x[v], set->y[v]}, b[2] = {set->x[v + 1], set->y[v + 1]};
    gv_edge_make(&set->surface, true, a, b, &edge);
    gv_edge_motion motion = gv_edge_motion_of(&edge);
    length = motion.fastest / unit;
    second = length * length / smallest + motion.turn / unit;
  } else {
    length = longest_of_chord(t, chord);
    second = length * length / smallest;
  }
  return fmin(0.125 * second, 0.5 * length) * (1.0 + 1e-9) + 1e-14;
}

static double feature_tree_dot(const double *a, const double *b, int dim) {
  return a[0] * b[0] + a[1] * b[1] + (dim == 3 ? a[2] * b[2] : 0.0);
}

void gv_tree_entry_chords(const gv_feature_tree *t, int32_t number, const double q[3], double enough,
                          double *low, double *high) {
  int32_t entry = t->entry[number];
  int64_t v = entry >= 0 ? entry : ~(int64_t)entry;
  const double *a = gv_tree_place(t, v);
  double w[3] = {q[0] - a[0], q[1] - a[1], t->dim == 3 ? q[2] - a[2] : 0.0}, sag = t->sag[number];
  if (entry >= 0) {
    const double *b = gv_tree_place(t, v + 1);
    double d[3] = {b[0] - a[0], b[1] - a[1], t->dim == 3 ? b[2] - a[2] : 0.0};
    double size2 = feature_tree_dot(d, d, 3), part = size2 > 0.0 ? feature_tree_dot(w, d, 3) / size2 : 0.0;
    part = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
    for (int i = 0; i < 3; i++)
      w[i] -= part * d[i];
  }
  double chord = sqrt(feature_tree_dot(w, w, 3));
  *low = fmax(0.0, chord * (1.0 - 1e-14) - sag);
  *high = chord * (1.0 + 1e-14) + sag;
  const gv_long_edge *long_edge = gv_long_edge_of(&t->long_edges, number);
  if (long_edge == NULL || *low > enough) return;
  double least, most;
  gv_long_edge_chords(long_edge, q, enough, &least, &most);
  *low = fmax(*low, least);
  *high = fmin(*high, most);
}

/* -------------------------------------------------------------------------------------------------- reach */

bool gv_feature_tree_iterates(const gv_feature_tree *t) {
  return t->set->globe && (t->set->straight || t->geodesic != NULL);
}

double gv_reach(const gv_feature_tree *t, double canonical) {
  if (!(canonical < INFINITY)) return INFINITY;
  if (t->geodesic != NULL) {
    double within, beyond;
    gv_geodesic_chords(t->geodesic, canonical, &within, &beyond);
    return beyond;
  }
  double square = t->set->globe || t->set->metric == GV_EUCLIDEAN ? canonical : canonical * canonical;
  return square * (1.0 + 1e-12) + (t->set->globe ? 1e-28 : 0.0);
}

double gv_sure_chord2(const gv_feature_tree *t, double canonical) {
  /* On the plane distances too large to be squared do not count. */
  if (!(canonical < INFINITY)) return t->set->globe ? INFINITY : DBL_MAX / 4.0;
  if (t->geodesic != NULL) {
    double within, beyond;
    if (!(canonical > 2.0 * GV_EDGE_ERROR)) return -1.0;
    gv_geodesic_chords(t->geodesic, canonical - 2.0 * GV_EDGE_ERROR, &within, &beyond);
    return within;
  }
  double chord = sqrt(canonical) - (t->set->globe ? 2.0 * GV_EDGE_ERROR / t->set->surface.radius : 0.0);
  return chord > 0.0 ? chord * chord * (1.0 - 1e-12) : -1.0;
}

double gv_slack_of_chord(const gv_feature_tree *t, double chord) {
  return gv_edge_slack(&t->reach, chord);
}

double gv_reach_with_slack(const gv_feature_tree *t, double chord, double slack) {
  return gv_edge_reach_of(&t->reach, chord, slack);
}

double gv_reach_of_chord(const gv_feature_tree *t, double chord) {
  return gv_reach_with_slack(t, chord, gv_slack_of_chord(t, chord));
}

double gv_box_distance2(const gv_feature_tree *t, const gv_box_node *n, const double q[3]) {
  if (t->dim == 3) {
    const double low[3] = {(double)n->low[0], (double)n->low[1], (double)n->low[2]};
    const double high[3] = {(double)n->high[0], (double)n->high[1], (double)n->high[2]};
    return gv_globe_box_distance2(t->flattest, low, high, q);
  }
  double gap[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < t->dim; i++) {
    double below = (double)n->low[i] - q[i], above = q[i] - (double)n->high[i];
    double away = below > above ? below : above;
    gap[i] = away > 0.0 ? away : 0.0;
  }
  return gv_square_of_gaps(t, gap);
}

/* ----------------------------------------------------------------------------------------------- building */

/* Items of a tree in construction: entries with their boxes' middles. */
typedef struct item {
  float low[3], high[3], sag;
  int32_t entry;
} item;

/* The next float. A comparison needs it for every second number: nextafterf takes as long as the rest of a
 * box. */
static float next_float(float f, int32_t away) {
  int32_t bits;
  if (f == 0.0F) return away < 0 ? -0x1p-149F : 0x1p-149F;
  memcpy(&bits, &f, sizeof bits);
  bits += f > 0.0F ? away : -away;
  memcpy(&f, &bits, sizeof f);
  return f;
}

static float round_down(double x) {
  float f = (float)x;
  return (double)f > x ? next_float(f, -1) : f;
}

static float round_up(double x) {
  float f = (float)x;
  return (double)f < x ? next_float(f, 1) : f;
}

static void box_of(const gv_feature_tree *t, int32_t entry, item *out) {
  int64_t v = entry >= 0 ? entry : ~(int64_t)entry;
  const double *a = gv_tree_place(t, v), *b = entry >= 0 ? gv_tree_place(t, v + 1) : a;
  double d[3] = {0.0, 0.0, 0.0}, sag = 1e-15;
  for (int i = 0; i < t->dim; i++)
    d[i] = b[i] - a[i];
  if (entry >= 0) sag = sag_of(t, v, sqrt(feature_tree_dot(d, d, 3)));
  double low[3] = {0.0, 0.0, 0.0}, high[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < t->dim; i++) {
    low[i] = (a[i] < b[i] ? a[i] : b[i]) - sag;
    high[i] = (a[i] > b[i] ? a[i] : b[i]) + sag;
  }
  if (sag > GV_LONG_SAG && gv_feature_tree_iterates(t))
    gv_long_edge_box(t->set, feature_tree_unit(t), v, low, high);
  for (int i = 0; i < 3; i++) {
    out->low[i] = i < t->dim ? round_down(low[i]) : 0.0F;
    out->high[i] = i < t->dim ? round_up(high[i]) : 0.0F;
  }
  out->sag = round_up(sag);
  out->entry = entry;
}

static void unite(const item *items, int64_t count, gv_box_node *node) {
  float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int64_t k = 0; k < count; k++) {
    for (int i = 0; i < 3; i++) {
      low[i] = items[k].low[i] < low[i] ? items[k].low[i] : low[i];
      high[i] = items[k].high[i] > high[i] ? items[k].high[i] : high[i];
    }
  }
  memcpy(node->low, low, sizeof low);
  memcpy(node->high, high, sizeof high);
}

static float middle_of(const item *it, int axis) {
  return it->low[axis] + it->high[axis];
}

/* Brings the `count` / 2 lesser ones to the front (Hoare's selection). */
static void halve(item *items, int64_t count, int axis) {
  int64_t low = 0, high = count - 1, want = count / 2;
  while (low < high) {
    float pivot = middle_of(&items[low + (high - low) / 2], axis);
    int64_t i = low, j = high;
    while (i <= j) {
      while (middle_of(&items[i], axis) < pivot)
        i++;
      while (middle_of(&items[j], axis) > pivot)
        j--;
      if (i <= j) {
        item swap = items[i];
        items[i++] = items[j];
        items[j--] = swap;
      }
    }
    if (want <= j) {
      high = j;
    } else if (want >= i) {
      low = i;
    } else {
      return;
    }
  }
}

/* A tree of n entries has less than 2 (n / LEAF_LEAST) + 1 nodes, a leaf having at least (LEAF + 1) / 2
 * unless it is the root. */
static int64_t nodes_for(int64_t entries, int64_t trees) {
  return 2 * (entries / ((LEAF + 1) / 2)) + trees + 1;
}

/* The number of its nodes. On each level there are nodes of `size` entries, and `more` of size + 1. */
static int64_t nodes_of(int64_t entries) {
  int64_t size = entries, less = 1, more = 0, nodes = 1;
  for (; size > LEAF; size /= 2) {
    int64_t parents = less + more;
    if (size % 2 == 0) {
      less += parents;
    } else {
      more += parents;
    }
    nodes += less + more;
  }
  return size == LEAF ? nodes + 2 * more : nodes;
}

/* Where the next nodes and entries are stored. */
typedef struct growth {
  gv_box_node *node;
  int32_t *entry;
  float *sag; /* NULL: not needed */
  gv_progress *progress;
  int32_t nodes, entries;
} growth;

typedef struct subtree {
  growth growth;
  item *items;
  int64_t count;
  int32_t at;
} subtree;

static void grow_subtree(void *argument);

static void feature_tree_grow(growth *g, int32_t at, item *items, int64_t count) {
  gv_box_node *node = &g->node[at];
  if (count > PART && !gv_progress_look(g->progress)) return;
  unite(items, count, node);
  if (count <= LEAF) {
    node->first = g->entries;
    node->count = (int32_t)count;
    for (int64_t i = 0; i < count; i++) {
      if (g->sag != NULL) g->sag[g->entries] = items[i].sag;
      g->entry[g->entries++] = items[i].entry;
    }
    return;
  }
  int axis = 0;
  for (int i = 1; i < 3; i++)
    if (node->high[i] - node->low[i] > node->high[axis] - node->low[axis]) axis = i;
  halve(items, count, axis);
  int32_t first = g->nodes;
  int64_t left = count / 2;
  node->first = first;
  node->count = 0;
  g->nodes += 2;
  if (count <= PART) {
    feature_tree_grow(g, first, items, left);
    feature_tree_grow(g, first + 1, items + left, count - left);
    return;
  }
  subtree right = {*g, items + left, count - left, first + 1};
  right.growth.nodes += (int32_t)nodes_of(left) - 1;
  right.growth.entries += (int32_t)left;
  gv_task_spawn(grow_subtree, &right, sizeof right);
  feature_tree_grow(g, first, items, left);
  g->nodes += (int32_t)nodes_of(count - left) - 1;
  g->entries += (int32_t)(count - left);
}

static void grow_subtree(void *argument) {
  subtree *s = argument;
  feature_tree_grow(&s->growth, s->at, s->items, s->count);
}

/* A tree with node 0 as root; returns the number of its nodes. */
static int32_t grow_tree(growth start, item *items, int64_t count, int threads) {
  subtree whole = {start, items, count, 0};
  whole.growth.nodes = 1;
  gv_tasks_run(count > PART ? threads : 1, grow_subtree, &whole);
  return (int32_t)nodes_of(count);
}

/* Whether a straight edge of geodesics is no more than a point, as it lies at a pole, which has one longitude
 * (gv_normalize_lonlat). */
static bool is_pole(const gv_feature_tree *t, int64_t v) {
  const gv_feature_set *set = t->set;
  return t->geodesic != NULL && set->straight && fabs(set->y[v]) == 90.0 && set->y[v] == set->y[v + 1] &&
         (set->cut == NULL || set->cut[v] == 0);
}

/* The entries of a feature. Cuts are part of a polygon, not of its boundary. Of edges at a pole that follow
 * each other the first is sufficient. Gain: 157x of a whole command, on a coast that runs along 90 degrees
 * south in 3,600 edges. */
static int64_t list_entries(const gv_feature_tree *t, int32_t feature, item *items) {
  const gv_feature_set *set = t->set;
  int64_t count = 0;
  for (int64_t p = set->part[feature]; p < set->part[feature + 1]; p++) {
    for (int64_t r = set->ring[p]; r < set->ring[p + 1]; r++) {
      int64_t first = set->vertex[r], end = set->vertex[r + 1];
      bool points = set->kind[p] == GV_PART_POINTS || end - first == 1, pole = false;
      bool skips = set->boundary && set->cut != NULL;
      if (!points) end--;
      for (int64_t v = first; v < end; v++) {
        const bool before = pole;
        pole = !points && is_pole(t, v);
        if ((skips && set->cut[v] != 0) || (pole && before)) continue;
        if (items != NULL) items[count].entry = (int32_t)(points || pole ? ~v : v);
        count++;
      }
    }
  }
  return count;
}

typedef struct boxing {
  const gv_feature_tree *tree;
  item *items;
} boxing;

static gv_status find_some_boxes(gv_worker *worker, int64_t first, int64_t end) {
  const boxing *b = worker->user;
  for (int64_t i = first; i < end; i++)
    box_of(b->tree, b->items[i].entry, &b->items[i]);
  return GV_OK;
}

/* The boxes of items with known entries. */
static gv_status find_boxes(gv_context *context, const gv_feature_tree *t, item *items, int64_t count) {
  boxing b = {t, items};
  gv_loop loop = {context, count > PART ? context->threads : 1, count, PART / 4, NULL, &b};
  return gv_parallel_for(&loop, find_some_boxes);
}

static gv_status feature_tree_find_places(gv_context *context, gv_feature_tree *t) {
  const gv_feature_set *set = t->set;
  if (set->unit != NULL) return GV_OK;
  t->place = gv_allocate(&context->allocator, t->dim * set->vertices, sizeof *t->place);
  if (t->place == NULL) return gv_fail_memory(context, "the features' tree");
  if (t->dim == 3) return gv_feature_set_vectors(context, set, true, t->place);
  for (int64_t v = 0; v < set->vertices; v++) {
    t->place[2 * v] = set->x[v];
    t->place[2 * v + 1] = set->y[v];
  }
  return GV_OK;
}

/* Features with trees that are built together: the entries of feature f are first[f] ... first[f + 1] - 1. */
typedef struct forest {
  gv_feature_tree *tree;
  gv_progress *progress;
  const int64_t *first;
  item *items; /* of feature `from` on */
  int32_t from, to;
} forest;

static gv_status list_some(gv_worker *worker, int64_t begin, int64_t end) {
  const forest *g = worker->user;
  for (int64_t f = g->from + begin; f < g->from + end; f++)
    (void)list_entries(g->tree, (int32_t)f, g->items + (g->first[f] - g->first[g->from]));
  return GV_OK;
}

static void grow_features(void *argument) {
  const forest *g = argument;
  gv_feature_tree *t = g->tree;
  item *items = g->items;
  for (int32_t f = g->from; f < g->to; f++) {
    int64_t count = g->first[f + 1] - g->first[f];
    if (count == 0) continue;
    growth tree = {t->node, t->entry, t->sag, g->progress, t->root[f] + 1, (int32_t)g->first[f]};
    feature_tree_grow(&tree, t->root[f], items, count);
    items += count;
  }
}

/* Spawns tasks of PART entries and more. */
static void grow_groves(void *argument) {
  const forest *g = argument;
  forest some = *g;
  for (some.to = some.from + 1; some.to <= g->to; some.to++) {
    int64_t count = g->first[some.to] - g->first[some.from];
    if (count < PART && some.to < g->to) continue;
    gv_task_spawn(grow_features, &some, sizeof some);
    some.items += count;
    some.from = some.to;
  }
}

/* The trees of all features, some at a time. */
static gv_status grow_all(gv_context *context, gv_feature_tree *t, const int64_t *first, item *items,
                          gv_progress *progress) {
  const gv_feature_set *set = t->set;
  forest g = {.tree = t, .progress = progress, .first = first, .items = items};
  for (; g.from < set->count; g.from = g.to) {
    g.to = g.from + 1;
    while (g.to < set->count && first[g.to + 1] - first[g.from] <= AT_ONCE)
      g.to++;
    int64_t count = first[g.to] - first[g.from];
    int threads = count > PART ? context->threads : 1;
    gv_loop loop = {context, threads, g.to - g.from, 64, NULL, &g};
    GV_TRY(gv_parallel_for(&loop, list_some));
    GV_TRY(find_boxes(context, t, items, count));
    gv_tasks_run(threads, grow_groves, &g);
    GV_TRY(gv_check_progress(context, progress));
  }
  return GV_OK;
}

/* The tree over the features. */
static void grow_top(gv_context *context, gv_feature_tree *t, item *items, gv_progress *progress) {
  int64_t count = 0;
  for (int32_t f = 0; f < t->set->count; f++) {
    if (t->root[f] < 0) continue;
    const gv_box_node *root = &t->node[t->root[f]];
    memcpy(items[count].low, root->low, sizeof root->low);
    memcpy(items[count].high, root->high, sizeof root->high);
    items[count++].entry = f;
  }
  growth top = {.node = t->top, .entry = t->feature, .progress = progress};
  if (count > 0) t->tops = grow_tree(top, items, count, context->threads);
}

static gv_status feature_tree_build(gv_context *context, gv_feature_tree *t) {
  const gv_feature_set *set = t->set;
  int64_t total = 0, most = 0, roots = 0, nodes = 0;
  int64_t *first = gv_allocate(&context->allocator, set->count + 1, sizeof *first);
  t->root = gv_allocate(&context->allocator, set->count, sizeof *t->root);
  gv_status status = first != NULL && t->root != NULL ? GV_OK : gv_fail_memory(context, "the features' tree");
  for (int32_t f = 0; f < set->count && status == GV_OK; f++) {
    int64_t count = list_entries(t, f, NULL);
    first[f] = total;
    first[f + 1] = total += count;
    t->root[f] = count > 0 ? (int32_t)nodes : -1;
    nodes += count > 0 ? nodes_of(count) : 0;
    roots += count > 0;
    most = count > most ? count : most;
    if (nodes > INT32_MAX) status = gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "features: too many edges");
  }
  int64_t at_once = total < AT_ONCE ? total : AT_ONCE;
  most = at_once > most ? at_once : most;
  most = roots > most ? roots : most;
  item *items = NULL;
  if (status == GV_OK) {
    t->nodes = (int32_t)nodes;
    t->entries = (int32_t)total;
    t->node = gv_allocate(&context->allocator, nodes, sizeof *t->node);
    t->entry = gv_allocate(&context->allocator, total, sizeof *t->entry);
    t->sag = gv_allocate(&context->allocator, total, sizeof *t->sag);
    t->top = gv_allocate(&context->allocator, nodes_for(roots, 1), sizeof *t->top);
    t->feature = gv_allocate(&context->allocator, roots, sizeof *t->feature);
    items = gv_allocate(&context->allocator, most, sizeof *items);
    if (t->node == NULL || t->entry == NULL || t->sag == NULL || t->top == NULL || t->feature == NULL ||
        items == NULL) {
      status = gv_fail_memory(context, "the features' tree");
    }
  }
  gv_progress progress; /* nothing is reported but that building goes on */
  gv_progress_init(&progress, context, 1);
  if (status == GV_OK) status = grow_all(context, t, first, items, &progress);
  if (status == GV_OK) {
    grow_top(context, t, items, &progress);
    status = gv_check_progress(context, &progress);
  }
  gv_release(&context->allocator, items);
  gv_release(&context->allocator, first);
  if (status == GV_OK && gv_feature_tree_iterates(t))
    status =
        gv_long_edges_make(context, set, feature_tree_unit(t), t->entries, t->entry, t->sag, &t->long_edges);
  return status;
}

gv_status gv_feature_tree_init(gv_context *context, const gv_feature_set *set, const gv_geodesic *geodesic,
                               gv_feature_tree *out) {
  *out = (gv_feature_tree){.set = set,
                           .dim = set->globe ? 3 : 2,
                           .kernels = gv_chord_kernels_get(),
                           .allocator = context->allocator};
  if (set->metric == GV_GEODESIC) out->geodesic = geodesic;
  if (set->globe) {
    out->flattest = gv_globe_flattest(&set->surface.ellipsoid);
    out->reach.room = 1.1 * GV_EDGE_ERROR / feature_tree_unit(out);
  }
  out->reach.geodesic = out->geodesic != NULL;
  if (out->geodesic != NULL) out->reach.chords = geodesic->chords;
  gv_status status = feature_tree_find_places(context, out);
  if (status == GV_OK) status = feature_tree_build(context, out);
  if (status != GV_OK) gv_feature_tree_clear(out);
  return status;
}

gv_status gv_feature_tree_join(gv_context *context, gv_feature_tree *t) {
  const gv_feature_set *set = t->set;
  bool points = t->entries > 0;
  for (int64_t p = 0; p < set->parts && points; p++)
    points = set->kind[p] == GV_PART_POINTS;
  if (!points) return GV_OK;
  t->all = gv_allocate(&context->allocator, nodes_for(t->entries, 1), sizeof *t->all);
  t->member = gv_allocate(&context->allocator, t->entries, sizeof *t->member);
  t->owner = gv_allocate(&context->allocator, set->vertices, sizeof *t->owner);
  item *items = gv_allocate(&context->allocator, t->entries, sizeof *items);
  if (t->all == NULL || t->member == NULL || t->owner == NULL || items == NULL) {
    gv_release(&context->allocator, items);
    return gv_fail_memory(context, "the features' tree");
  }
  int64_t count = 0;
  for (int32_t f = 0; f < set->count; f++) {
    int64_t end = count + list_entries(t, f, items + count);
    for (; count < end; count++)
      t->owner[~items[count].entry] = f;
  }
  gv_status status = find_boxes(context, t, items, count);
  gv_progress progress;
  gv_progress_init(&progress, context, 1);
  growth all = {.node = t->all, .entry = t->member, .progress = &progress};
  if (status == GV_OK) {
    grow_tree(all, items, count, context->threads);
    status = gv_check_progress(context, &progress);
  }
  gv_release(&context->allocator, items);
  return status;
}

void gv_feature_tree_clear(gv_feature_tree *t) {
  void *arrays[] = {t->place, t->node,    t->entry, t->sag,    t->root,
                    t->top,   t->feature, t->all,   t->member, t->owner};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    gv_release(&t->allocator, arrays[i]);
  gv_long_edges_clear(&t->long_edges);
  memset(t, 0, sizeof *t);
}

/* ------------------------------------------------------------------------------------------------- search */

/* Nodes to visit, the nearest on top. */
typedef struct waiting {
  int32_t node[DEPTH];
  double box[DEPTH];
  int count;
} waiting;

/* The children of a node, the nearer one on top. */
static void push(const gv_feature_tree *t, const gv_box_node *nodes, waiting *w, int32_t first,
                 const double q[3]) {
  double a = gv_box_distance2(t, &nodes[first], q), b = gv_box_distance2(t, &nodes[first + 1], q);
  int nearer = a <= b ? 0 : 1;
  w->node[w->count] = first + 1 - nearer;
  w->box[w->count++] = nearer == 0 ? b : a;
  w->node[w->count] = first + nearer;
  w->box[w->count++] = nearer == 0 ? a : b;
}

void gv_tree_walk(const gv_feature_tree *t, const double q[3], double reach, gv_visit_feature *visit,
                  void *user) {
  waiting w = {.count = 0};
  if (t->tops == 0) return;
  w.node[0] = 0;
  w.box[0] = gv_box_distance2(t, &t->top[0], q);
  w.count = 1;
  while (w.count > 0) {
    w.count--;
    if (w.box[w.count] > reach) continue;
    const gv_box_node *n = &t->top[w.node[w.count]];
    if (n->count == 0) push(t, t->top, &w, n->first, q);
    for (int32_t i = n->first; i < n->first + n->count; i++) {
      double box = gv_box_distance2(t, &t->node[t->root[t->feature[i]]], q);
      if (box <= reach) reach = visit(user, t->feature[i], box, reach);
    }
  }
}

void gv_tree_walk_points(const gv_feature_tree *t, const double q[3], double reach, gv_visit_point *visit,
                         void *user) {
  waiting w = {.count = 1, .node = {0}};
  w.box[0] = gv_box_distance2(t, &t->all[0], q);
  while (w.count > 0) {
    w.count--;
    if (w.box[w.count] > reach) continue;
    const gv_box_node *n = &t->all[w.node[w.count]];
    if (n->count == 0) push(t, t->all, &w, n->first, q);
    for (int32_t i = n->first; i < n->first + n->count; i++)
      reach = visit(user, ~(int64_t)t->member[i], reach);
  }
}

double gv_tree_point_chord2(const gv_feature_tree *t, int64_t vertex, const double q[3]) {
  const double *a = gv_tree_place(t, vertex);
  double w[3] = {q[0] - a[0], q[1] - a[1], t->dim == 3 ? q[2] - a[2] : 0.0};
  double low = fmax(0.0, sqrt(feature_tree_dot(w, w, 3)) * (1.0 - 1e-14) - 2e-15);
  return low * low;
}

void gv_tree_chords(const gv_feature_tree *t, int32_t feature, const double q[3], double reach, double *low,
                    double *high) {
  waiting w = {.count = 1, .node = {t->root[feature]}};
  double enough = sqrt(reach);
  *low = *high = INFINITY;
  w.box[0] = gv_box_distance2(t, &t->node[t->root[feature]], q);
  while (w.count > 0) {
    w.count--;
    if (w.box[w.count] > reach || w.box[w.count] > *high * *high) continue;
    const gv_box_node *n = &t->node[w.node[w.count]];
    if (n->count == 0) push(t, t->node, &w, n->first, q);
    for (int32_t i = n->first; i < n->first + n->count; i++) {
      double least, most;
      gv_tree_entry_chords(t, i, q, fmin(enough, *high), &least, &most);
      *low = fmin(*low, least);
      *high = fmin(*high, most);
    }
  }
}

bool gv_tree_nearest(const gv_feature_tree *t, int32_t feature, const gv_edge_place *q,
                     const double position[3], bool boundary, double reach, gv_edge_closest *closest) {
  waiting w = {.count = 1, .node = {t->root[feature]}};
  const uint8_t *cut = boundary ? t->set->cut : NULL;
  int64_t best = -1;
  *closest = (gv_edge_closest){.canonical = INFINITY};
  if (t->root[feature] < 0) return false;
  w.box[0] = gv_box_distance2(t, &t->node[t->root[feature]], position);
  while (w.count > 0) {
    w.count--;
    if (w.box[w.count] > reach) continue;
    const gv_box_node *n = &t->node[w.node[w.count]];
    if (n->count == 0) push(t, t->node, &w, n->first, position);
    for (int32_t i = n->first; i < n->first + n->count; i++) {
      int32_t entry = t->entry[i];
      int64_t v = entry >= 0 ? entry : ~(int64_t)entry;
      if (cut != NULL && entry >= 0 && cut[v] != 0) continue;
      if (gv_feature_tree_iterates(t)) {
        double low, high;
        gv_tree_entry_chords(t, i, position, sqrt(reach), &low, &high);
        if (low * low > reach) continue;
      }
      gv_edge_closest found;
      gv_feature_edge(t->set, v, entry < 0, q, &found);
      if (found.canonical > closest->canonical || (found.canonical == closest->canonical && v > best))
        continue;
      *closest = found;
      best = v;
      reach = fmin(reach, gv_reach(t, closest->canonical));
    }
  }
  return best >= 0;
}
