/* Candidate lists and the bounds that shorten them. See cull.h. */
#include "voronoi/cpu/cull.h"

#include <string.h>

#include "voronoi/cpu/short_list.h"

enum {
  MANY_CANDIDATES = 48, /* from here on several pivots pay */
  LONG_LIST = 16384     /* from this length on, memory is reserved for the culled list only */
};

static void workspace_free(gv_workspace *space) {
  for (int i = 0; i <= GV_MAX_DEPTH; i++) {
    gv_buffer_clear(&space->level[i].places, &space->allocator);
    gv_buffer_clear(&space->level[i].ids, &space->allocator);
  }
  gv_buffer *buffers[] = {&space->scratch, &space->bounds, &space->k_nearest,  &space->points,
                          &space->boxes,   &space->stage,  &space->mask_boxes, &space->triangles};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
    gv_buffer_clear(buffers[i], &space->allocator);
  gv_allocator allocator = space->allocator;
  gv_release(&allocator, space);
}

void gv_workspace_pool_init(gv_workspace_pool *pool) {
  pthread_mutex_init(&pool->lock, NULL);
  pool->first = NULL;
}

void gv_workspace_pool_clear(gv_workspace_pool *pool) {
  while (pool->first != NULL) {
    gv_workspace *space = pool->first;
    pool->first = space->next;
    workspace_free(space);
  }
  pthread_mutex_destroy(&pool->lock);
}

gv_workspace *gv_workspace_acquire(gv_context *context, gv_workspace_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  gv_workspace *space = pool->first;
  if (space != NULL) pool->first = space->next;
  pthread_mutex_unlock(&pool->lock);
  if (space == NULL) {
    space = gv_allocate_zeroed(&context->allocator, 1, sizeof *space);
    if (space == NULL) {
      gv_fail_memory(context, "a workspace");
      return NULL;
    }
    space->allocator = context->allocator;
  }
  space->context = context;
  return space;
}

void gv_workspace_release(gv_workspace_pool *pool, gv_workspace *space) {
  pthread_mutex_lock(&pool->lock);
  space->next = pool->first;
  pool->first = space;
  pthread_mutex_unlock(&pool->lock);
}

static gv_status no_room(gv_workspace *space) {
  return gv_fail_memory(space->context, "lists of candidates");
}

/* Reserves memory for `count` candidates at a depth; its previous contents are lost. */
static gv_status reserve_level(gv_workspace *space, int depth, int32_t count, int dim) {
  gv_level_buffer *level = &space->level[depth];
  int64_t padded = ((int64_t)count + GV_CANDIDATE_PADDING + 7) / 8 * 8;
  double *x = gv_buffer_reserve(&level->places, &space->allocator, padded * dim, sizeof *x);
  level->candidates.id = gv_buffer_reserve(&level->ids, &space->allocator, padded, sizeof(int32_t));
  if (x == NULL || level->candidates.id == NULL) return no_room(space);
  level->candidates.x = x;
  level->candidates.y = x + padded;
  level->candidates.z = dim == 3 ? x + 2 * padded : NULL;
  level->candidates.count = 0;
  return GV_OK;
}

gv_status gv_level_gather(const gv_voronoi *v, gv_workspace *space, int depth, const int32_t *id,
                          int32_t count) {
  GV_TRY(reserve_level(space, depth, count, v->cells.dim));
  gv_candidates *c = &space->level[depth].candidates;
  for (int32_t i = 0; i < count; i++) {
    int32_t seed = id != NULL ? id[i] : i;
    c->id[i] = seed;
    c->x[i] = v->seeds.x[seed];
    c->y[i] = v->seeds.y[seed];
    if (c->z != NULL) c->z[i] = v->seeds.z[seed];
  }
  c->count = count;
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------ culling */

static double distance2(const gv_candidates *c, int32_t i, const double *m) {
  return gv_square(3, c->x[i] - m[0], c->y[i] - m[1], c->z != NULL ? c->z[i] - m[2] : 0.0);
}

static void cull_corner_of(const gv_bound *bound, int corner, double point[3]) {
  for (int d = 0; d < 3; d++) {
    point[d] = bound->center[d] + (corner & 1 ? 1.0 : -1.0) * bound->generator[0][d] +
               (corner & 2 ? 1.0 : -1.0) * bound->generator[1][d];
  }
}

/* Geodesic part of the margin, for a pivot at squared distance pivot2 from the middle; 0 for other
 * metrics. */
static double slack_of(const gv_voronoi *v, double pivot2, const gv_bound *bound) {
  if (v->cells.metric != GV_GEODESIC) return 0.0;
  return gv_geodesic_slack(&v->geodesic, gv_farthest_chord(pivot2, bound->radius));
}

/* Culls against the candidate nearest to `point`. Returns the geodesic slack of the farthest cell from that
 * candidate (0 for other metrics). */
static double cull_once(const gv_voronoi *v, const gv_kernels *kernels, const gv_bound *bound,
                        const double *point, const gv_candidates *in, gv_candidates *out) {
  int dim = v->cells.dim;
  double e = v->cells.position_error;
  int32_t nearest = kernels->culling->nearest[dim](in, point);
  double pivot[3] = {in->x[nearest], in->y[nearest], in->z != NULL ? in->z[nearest] : 0.0};
  if (v->cells.metric == GV_MANHATTAN || v->cells.metric == GV_CHEBYSHEV) {
    double low[2], high[2], reach = 0.0;
    for (int d = 0; d < 2; d++) {
      double half = gv_box_half(bound->generator[0][d], bound->generator[1][d], e);
      low[d] = bound->center[d] - half;
      high[d] = bound->center[d] + half;
      reach += gv_axis_reach(low[d], high[d], pivot[d]);
    }
    kernels->culling->cull_box[v->cells.metric](in, low, high, pivot, gv_box_limit(reach, e), out);
    return 0.0;
  }
  double pivot2 = distance2(in, nearest, bound->center);
  double limit = gv_pivot_limit(pivot2, bound->radius, e);
  double slack = slack_of(v, pivot2, bound);
  kernels->culling->cull[dim](in, bound, pivot, limit + slack, out);
  return slack;
}

/* Culls against the best single pivot; used for the nearest seed only. */
static double cull_nearest(const gv_voronoi *v, const gv_kernels *kernels, const gv_bound *bound,
                           const gv_candidates *in, gv_candidates *out) {
  double slack = cull_once(v, kernels, bound, bound->center, in, out);
  for (int corner = 0; corner < 4 && out->count >= MANY_CANDIDATES; corner++) {
    double point[3];
    cull_corner_of(bound, corner, point);
    cull_once(v, kernels, bound, point, out, out);
  }
  return slack;
}

/* Room for three values of each candidate. */
static gv_status reserve_bounds(gv_workspace *space, int32_t count) {
  int64_t values = 3 * ((int64_t)count + GV_CANDIDATE_PADDING);
  bool good = gv_buffer_reserve(&space->bounds, &space->allocator, values, sizeof(double)) != NULL;
  return good ? GV_OK : no_room(space);
}

/* Places of the k least values (k <= n), and the largest of those values. */
static double least_of(const double *value, int32_t n, int32_t k, int32_t *place) {
  double least[GV_VORONOI_MAX_K];
  int32_t held = 0;
  for (int32_t i = 0; i < n; i++) {
    if (held == k && !(value[i] < least[k - 1])) continue;
    int32_t at = held < k ? held++ : k - 1;
    for (; at > 0 && value[i] < least[at - 1]; at--) {
      least[at] = least[at - 1];
      place[at] = place[at - 1];
    }
    least[at] = value[i];
    place[at] = i;
  }
  return least[k - 1];
}

/* Against the k candidates nearest to `point`, all at once. in->count > v->k. */
static double cull_by_pivots(const gv_voronoi *v, const gv_kernels *kernels, gv_workspace *space,
                             const gv_bound *bound, const double *point, const gv_candidates *in,
                             gv_candidates *out) {
  int dim = v->cells.dim;
  int32_t place[GV_VORONOI_MAX_K];
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY},
         farthest2 = 0.0;
  kernels->culling->squares[dim](in, point, space->bounds.memory);
  least_of(space->bounds.memory, in->count, v->k, place);
  for (int32_t n = 0; n < v->k; n++) {
    const double *m = bound->center;
    int32_t i = place[n];
    double u[3] = {in->x[i] - m[0], in->y[i] - m[1], in->z != NULL ? in->z[i] - m[2] : 0.0};
    farthest2 = fmax(farthest2, distance2(in, i, m));
    for (int g = 0; g < dim; g++) {
      const double *along = bound->generator[g];
      double dot = gv_dot(3, along[0], along[1], along[2], u[0], u[1], u[2]);
      low[g] = fmin(low[g], dot);
      high[g] = fmax(high[g], dot);
    }
  }
  double slack = slack_of(v, farthest2, bound);
  double limit = gv_pivot_limit(farthest2, bound->radius, v->cells.position_error);
  kernels->culling->cull_pivots[dim](in, bound, low, high, limit + slack, out);
  return slack;
}

static gv_status cull_linearly(const gv_voronoi *v, const gv_kernels *kernels, gv_workspace *space,
                               const gv_bound *bound, const gv_candidates *in, gv_candidates *out,
                               double *slack) {
  GV_TRY(reserve_bounds(space, in->count));
  if (in->count > v->k) {
    *slack = cull_by_pivots(v, kernels, space, bound, bound->center, in, out);
    for (int corner = 0; corner < 4 && out->count >= MANY_CANDIDATES + 2 * v->k; corner++) {
      double point[3];
      cull_corner_of(bound, corner, point);
      cull_by_pivots(v, kernels, space, bound, point, out, out);
    }
    return GV_OK;
  }
  double farthest2 = 0.0;
  for (int32_t i = 0; i < in->count; i++)
    farthest2 = fmax(farthest2, distance2(in, i, bound->center));
  *slack = slack_of(v, farthest2, bound);
  if (in != out) kernels->culling->copy(in, out);
  return GV_OK;
}

void gv_distance_bounds(const gv_voronoi *v, const gv_kernels *kernels, const gv_bound *bound,
                        const gv_candidates *candidates, double *near, double *far) {
  if (v->cells.dim == 3) {
    kernels->culling->bounds_globe(candidates, bound, v->cells.position_error, near, far);
  } else {
    kernels->culling->bounds_plane[v->cells.metric](candidates, bound, v->cells.position_error, near, far);
  }
}

bool gv_limit_is_open(const gv_voronoi *v, const gv_kernels *kernels, const gv_bound *bound,
                      const gv_candidates *candidates) {
  if (isinf(v->max_distance)) return false;
  for (int32_t first = 0; first < candidates->count; first += GV_CANDIDATE_PADDING) {
    double near[2 * GV_CANDIDATE_PADDING], far[2 * GV_CANDIDATE_PADDING];
    int32_t left = candidates->count - first;
    gv_candidates some = {candidates->x + first, candidates->y + first,
                          candidates->z != NULL ? candidates->z + first : NULL, candidates->id + first,
                          left < GV_CANDIDATE_PADDING ? left : GV_CANDIDATE_PADDING};
    gv_distance_bounds(v, kernels, bound, &some, near, far);
    for (int32_t i = 0; i < some.count; i++) {
      if (!(far[i] <= v->within)) return true;
    }
  }
  return false;
}

gv_status gv_value_bounds(const gv_voronoi *v, const gv_kernels *kernels, gv_workspace *space,
                          const gv_bound *bound, const gv_candidates *candidates, double **low,
                          double **high) {
  int32_t count = candidates->count;
  GV_TRY(reserve_bounds(space, count));
  int64_t part = (int64_t)count + GV_CANDIDATE_PADDING;
  double *near = space->bounds.memory, *far = near + part, *weight = far + part;
  gv_distance_bounds(v, kernels, bound, candidates, near, far);
  *low = near;
  *high = far;
  gv_weigher weigher = v->weigher;
  if (weigher.weighting == GV_UNWEIGHTED) {
    for (int32_t i = 0; i < count; i++)
      far[i] = far[i] <= v->within ? far[i] : INFINITY;
    return GV_OK;
  }
  for (int32_t i = 0; i < count; i++)
    weight[i] = v->seeds.weight[candidates->id[i]];
  for (int32_t i = count; i < part; i++)
    weight[i] = 1.0;
  if (v->cells.metric == GV_GEODESIC) {
    for (int32_t i = 0; i < count; i++) {
      double shortest, longest, chord2 = far[i];
      gv_geodesic_lengths(&v->geodesic, near[i], far[i], &shortest, &longest);
      near[i] = gv_weigh(&weigher, shortest, weight[i]);
      far[i] = chord2 <= v->within ? gv_weigh(&weigher, longest, weight[i]) : INFINITY;
    }
    return GV_OK;
  }
  kernels->culling->weigh(&weigher, INFINITY, count, near, weight, true);
  kernels->culling->weigh(&weigher, v->limit, count, far, weight, true);
  return GV_OK;
}

/* By bounds of the values. */
static gv_status cull_by_values(const gv_voronoi *v, const gv_kernels *kernels, gv_workspace *space,
                                const gv_bound *bound, const gv_candidates *in, gv_candidates *out) {
  double *low, *high;
  int32_t place[GV_VORONOI_MAX_K];
  if (in->count <= v->k) {
    if (in != out) kernels->culling->copy(in, out);
    return GV_OK;
  }
  GV_TRY(gv_value_bounds(v, kernels, space, bound, in, &low, &high));
  double worst = least_of(high, in->count, v->k, place);
  kernels->culling->cull_above[v->cells.dim](in, low, worst, out);
  return GV_OK;
}

gv_status gv_cull(const gv_voronoi *v, const gv_kernels *kernels, gv_workspace *space, const gv_bound *bound,
                  const gv_candidates *in, gv_candidates *out, double *slack) {
  *slack = 0.0;
  if (isfinite(v->max_distance)) {
    GV_TRY(reserve_bounds(space, in->count));
    double *near = space->bounds.memory, *far = near + in->count + GV_CANDIDATE_PADDING;
    gv_distance_bounds(v, kernels, bound, in, near, far);
    kernels->culling->cull_above[v->cells.dim](in, near, v->beyond, out);
    in = out;
    if (out->count == 0) return GV_OK;
  }
  if (gv_nearest_only(v)) {
    *slack = cull_nearest(v, kernels, bound, in, out);
    return GV_OK;
  }
  if (gv_culls_linearly(v) && in->count <= GV_SHORT_LIST) {
    if (in != out) kernels->culling->copy(in, out);
    return GV_OK;
  }
  if (gv_culls_linearly(v)) return cull_linearly(v, kernels, space, bound, in, out, slack);
  return cull_by_values(v, kernels, space, bound, in, out);
}

gv_status gv_cull_to_level(const gv_voronoi *v, const gv_kernels *kernels, const gv_bound *bound,
                           const gv_candidates *in, gv_workspace *space, int depth, double *slack) {
  int dim = v->cells.dim, into = in->count < LONG_LIST ? depth : GV_MAX_DEPTH;
  gv_candidates *kept = &space->level[into].candidates;
  gv_status status = reserve_level(space, into, in->count, dim);
  if (status == GV_OK) status = gv_cull(v, kernels, space, bound, in, kept, slack);
  if (status != GV_OK || into == depth) return status;
  status = reserve_level(space, depth, kept->count, dim);
  if (status == GV_OK) kernels->culling->copy(kept, &space->level[depth].candidates);
  return status;
}

gv_status gv_narrow(gv_context *context, const gv_voronoi *v, const gv_kernels *kernels,
                    gv_workspace_pool *pool, const gv_id_list *from, int count, const gv_bound *bound,
                    gv_id_list *out) {
  for (int i = 0; i < count; i++)
    out[i] = (gv_id_list){NULL, 0};
  gv_workspace *space = gv_workspace_acquire(context, pool);
  if (space == NULL) return GV_ERROR_OUT_OF_MEMORY;
  double slack;
  gv_candidates *left = &space->level[1].candidates;
  gv_status status = gv_level_gather(v, space, 0, from->id, from->count);
  if (status == GV_OK) status = reserve_level(space, 1, from->count, v->cells.dim);
  for (int i = 0; i < count && status == GV_OK; i++) {
    status = gv_cull(v, kernels, space, &bound[i], &space->level[0].candidates, left, &slack);
    if (status != GV_OK) break;
    int32_t *id = gv_allocate(&v->allocator, left->count, sizeof *id);
    if (id != NULL) {
      memcpy(id, left->id, (size_t)left->count * sizeof *id);
      out[i] = (gv_id_list){id, left->count};
    } else {
      status = no_room(space);
    }
  }
  gv_workspace_release(pool, space);
  return status;
}

bool gv_masked(const gv_labels *block, int64_t row, int64_t column, int64_t rows, int64_t columns) {
  if (block->mask == NULL) return false;
  for (int64_t r = row; r < row + rows; r++) {
    const uint8_t *mask = block->mask + r * block->mask_stride + column;
    uint64_t any = 0, word;
    int64_t c = 0;
    for (; c + 8 <= columns; c += 8) {
      memcpy(&word, mask + c, sizeof word);
      any |= word;
    }
    for (; c < columns; c++)
      any |= mask[c];
    if (any != 0) return false;
  }
  return true;
}

gv_status gv_leaf_prepare(const gv_voronoi *v, gv_workspace *space, const gv_candidates *candidates,
                          double slack, gv_leaf *leaf) {
  int32_t padded = candidates->count + GV_CANDIDATE_PADDING;
  double *scratch = gv_buffer_reserve(&space->scratch, &space->allocator,
                                      (GV_LEAF_ROWS + 1) * (int64_t)padded, sizeof *scratch);
  if (scratch == NULL) return no_room(space);
  double *label = scratch + GV_LEAF_ROWS * (int64_t)padded;
  for (int32_t i = 0; i < candidates->count; i++)
    label[i] = v->label[candidates->id[i]];
  leaf->candidates = candidates;
  leaf->label = label;
  leaf->start = INFINITY;
  leaf->empty_label = label[0];
  leaf->scratch = scratch;
  leaf->undecided = space->undecided;
  /* The constant covers the rounding of q.s - |s|^2/2; its terms are below 2. */
  if (v->cells.metric == GV_GEODESIC) leaf->margin = 0.5 * slack + 1e-14;
  return GV_OK;
}
