/* A tree's edges on a device: one tree over all features, with the leaves of the tree over features replaced
 * by features. */
#include "features/device_edges.h"

#include <string.h>

#include "core/parallel.h"
#include "features/edge_points.h"

enum { EDGES_UNDECIDED, EDGES_ON_DEVICE, EDGES_ON_CPUS };

bool gv_device_edges_supported(const gv_feature_tree *t) {
  return t->tops > 0 && t->all == NULL && gv_feature_tree_lists(t);
}

bool gv_device_edges_measure(const gv_feature_tree *t, bool floats) {
  return !gv_feature_tree_iterates(t) || (floats && gv_edge_points_supported(t));
}

/* The joined tree in construction. */
typedef struct edge_forest {
  const gv_feature_tree *tree;
  gv_box_node *node;
  int32_t nodes;
} edge_forest;

/* Puts the trees of some features below node `at`. */
static void device_edges_attach(edge_forest *f, int32_t at, const int32_t *feature, int32_t count) {
  const gv_feature_tree *t = f->tree;
  if (count == 1) {
    f->node[at] = t->node[t->root[feature[0]]];
    return;
  }
  gv_box_node *n = &f->node[at];
  for (int axis = 0; axis < 3; axis++)
    n->low[axis] = INFINITY, n->high[axis] = -INFINITY;
  for (int32_t i = 0; i < count; i++) {
    const gv_box_node *root = &t->node[t->root[feature[i]]];
    for (int axis = 0; axis < 3; axis++) {
      n->low[axis] = fminf(n->low[axis], root->low[axis]);
      n->high[axis] = fmaxf(n->high[axis], root->high[axis]);
    }
  }
  int32_t first = f->nodes;
  f->nodes += 2;
  n->first = first;
  n->count = 0;
  device_edges_attach(f, first, feature, count / 2);
  device_edges_attach(f, first + 1, feature + count / 2, count - count / 2);
}

static void device_edges_join(edge_forest *f) {
  const gv_feature_tree *t = f->tree;
  memcpy(f->node, t->node, (size_t)t->nodes * sizeof *f->node);
  memcpy(f->node + t->nodes, t->top, (size_t)t->tops * sizeof *f->node);
  f->nodes = t->nodes + t->tops;
  for (int32_t i = 0; i < t->tops; i++) {
    const gv_box_node *top = &t->top[i];
    if (top->count == 0) {
      f->node[t->nodes + i].first = t->nodes + top->first;
    } else {
      device_edges_attach(f, t->nodes + i, t->feature + top->first, top->count);
    }
  }
}

static void device_edges_make_rows(const gv_feature_tree *t, gv_edge_row *row) {
  int32_t next = t->nodes; /* the first node of the next feature */
  for (int32_t f = t->set->count - 1; f >= 0; f--) {
    if (t->root[f] < 0) continue;
    for (int32_t n = t->root[f]; n < next; n++) {
      for (int32_t i = t->node[n].first; i < t->node[n].first + t->node[n].count; i++)
        row[i].feature = f;
    }
    next = t->root[f];
  }
  for (int32_t i = 0; i < t->entries; i++) {
    int32_t v = t->entry[i];
    row[i].inverse = gv_tree_chord_of(t, v < 0 ? ~(int64_t)v : v, v < 0, row[i].a, row[i].d);
    row[i].sag = t->sag[i];
  }
}

/* What bounds of geodesic distances need of each row: one of these. */
typedef struct prepared_rows {
  const gv_feature_tree *tree;
  gv_edge_line *line;
  gv_edge_curve *curve;
} prepared_rows;

static void device_edges_make_line(const gv_prepared_edge *known, gv_edge_line *line) {
  for (int n = 0; n < 2; n++) {
    line->lon[n] = known->edge.lon[n];
    line->lat[n] = known->edge.lat[n];
  }
  line->rate_lon = known->edge.rate_lon;
  line->rate_lat = known->edge.rate_lat;
  line->motion = known->motion;
  line->reversed = known->edge.reversed ? 1.0 : 0.0;
}

static void device_edges_make_curve(const gv_prepared_edge *known, double semi_major, gv_edge_curve *curve) {
  memcpy(curve->power, known->curve, sizeof curve->power);
  curve->motion = known->motion;
  curve->room = known->curved ? gv_edge_curve_room(known->edge.length, semi_major) : -1.0;
  curve->reversed = known->edge.reversed ? 1.0 : 0.0;
}

static gv_status device_edges_prepare_rows(gv_worker *worker, int64_t first, int64_t end) {
  const prepared_rows *rows = worker->user;
  const gv_feature_tree *t = rows->tree;
  const gv_feature_set *set = t->set;
  for (int64_t i = first; i < end; i++) {
    const int64_t v = t->entry[i] < 0 ? ~(int64_t)t->entry[i] : t->entry[i];
    gv_prepared_edge known = {.made = false};
    if (t->entry[i] >= 0) {
      gv_prepare_edge(t, v, &known);
    } else {
      known.edge.lon[0] = set->x[v];
      known.edge.lat[0] = set->y[v];
    }
    if (rows->line != NULL) device_edges_make_line(&known, &rows->line[i]);
    if (rows->curve != NULL)
      device_edges_make_curve(&known, set->surface.ellipsoid.semi_major, &rows->curve[i]);
  }
  return GV_OK;
}

static gv_status device_edges_prepare(gv_context *context, prepared_rows *rows) {
  const gv_feature_tree *t = rows->tree;
  if (!gv_edge_points_supported(t)) return GV_OK;
  if (t->set->straight) {
    rows->line = gv_allocate(&context->allocator, t->entries, sizeof *rows->line);
  } else {
    rows->curve = gv_allocate(&context->allocator, t->entries, sizeof *rows->curve);
  }
  if (rows->line == NULL && rows->curve == NULL) return gv_fail_memory(context, "the edges for the device");
  gv_loop loop = {context, context->threads, t->entries, 1 << 12, NULL, rows};
  return gv_parallel_for(&loop, device_edges_prepare_rows);
}

static gv_status device_edges_open(gv_device_edges *d) {
  const gv_feature_tree *t = d->tree;
  const gv_feature_set *set = t->set;
  gv_context *context = &d->context;
  const char *reason = "";
  if (gv_cuda_probe(&reason) != GV_OK) return gv_fail(context, GV_ERROR_UNAVAILABLE, "cuda-tile: %s", reason);
  const gv_edges_device *device = gv_cuda_module_get(&reason)->edges;
  edge_forest f = {.tree = t};
  f.node =
      gv_allocate(&context->allocator, (int64_t)t->nodes + t->tops + 2 * (int64_t)set->count, sizeof *f.node);
  gv_edge_row *row = gv_allocate(&context->allocator, t->entries, sizeof *row);
  prepared_rows prepared = {t, NULL, NULL};
  gv_status status =
      f.node != NULL && row != NULL ? GV_OK : gv_fail_memory(context, "the edges for the device");
  if (status == GV_OK) status = device_edges_prepare(context, &prepared);
  if (status == GV_OK) {
    device_edges_join(&f);
    device_edges_make_rows(t, row);
    gv_edge_table table = {.kind = gv_feature_tree_iterates(t) ? GV_EDGES_ITERATED
                                   : set->globe                ? GV_EDGES_ARCS
                                                               : GV_EDGES_PLANE,
                           .dim = t->dim,
                           .nodes = f.nodes,
                           .root = t->nodes,
                           .rows = t->entries,
                           .node = f.node,
                           .row = row,
                           .entry = t->entry,
                           .place = gv_tree_place(t, 0),
                           .vertices = set->vertices,
                           .reach = t->reach,
                           .line = prepared.line,
                           .curve = prepared.curve,
                           .ellipsoid = set->surface.ellipsoid,
                           .root_most = set->surface.root_most,
                           .rho = set->surface.radius,
                           .flattest = t->flattest,
                           .eccentricity2 =
                               t->geodesic != NULL ? set->surface.ellipsoid.eccentricity2 : -1.0};
    if (gv_edge_points_supported(t)) table.series = t->geodesic->series;
    status = device->open(context, -1, &table, &d->edges);
  }
  gv_release(&context->allocator, f.node);
  gv_release(&context->allocator, row);
  gv_release(&context->allocator, prepared.line);
  gv_release(&context->allocator, prepared.curve);
  d->device = device;
  return status;
}

void gv_device_edges_init(gv_device_edges *d, const gv_context *context, const gv_feature_tree *tree,
                          bool automatic) {
  memset(d, 0, sizeof *d);
  pthread_mutex_init(&d->lock, NULL);
  gv_context_for_worker(context, &d->context);
  d->context.threads = context->threads;
  d->tree = tree;
  d->automatic = automatic;
}

void gv_device_edges_clear(gv_device_edges *d) {
  if (d->tree == NULL) return;
  if (d->edges != NULL) d->device->close(d->edges);
  pthread_mutex_destroy(&d->lock);
  memset(d, 0, sizeof *d);
}

gv_status gv_device_edges_find(gv_context *context, gv_device_edges *d, const gv_edges_device **device,
                               const void **out) {
  gv_status status = GV_OK;
  pthread_mutex_lock(&d->lock);
  if (d->state == EDGES_UNDECIDED) {
    status = device_edges_open(d);
    d->state = status == GV_OK ? EDGES_ON_DEVICE : d->automatic ? EDGES_ON_CPUS : EDGES_UNDECIDED;
    status = d->automatic ? GV_OK : gv_take_error(context, status, &d->context);
  }
  *device = d->device;
  *out = d->state == EDGES_ON_DEVICE ? d->edges : NULL;
  pthread_mutex_unlock(&d->lock);
  return status;
}

bool gv_device_edges_give_up(gv_device_edges *d, gv_status status) {
  bool failed =
      status == GV_ERROR_DEVICE || status == GV_ERROR_OUT_OF_MEMORY || status == GV_ERROR_UNAVAILABLE;
  if (!failed || !d->automatic) return false;
  pthread_mutex_lock(&d->lock);
  d->state = EDGES_ON_CPUS;
  pthread_mutex_unlock(&d->lock);
  return true;
}
