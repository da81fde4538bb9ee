/* Candidate lists and the bounds that shorten them. See cull.h. */
#include "voronoi/cull.h"

#include <string.h>

static const double cull_slack = 4e-12;

enum {
  MANY_CANDIDATES = 48, /* from here on several pivots pay */
  LONG_LIST = 16384     /* from here on room for what is culled is worth saving */
};

static void workspace_free(gv_workspace *space) {
  for (int i = 0; i <= GV_MAX_DEPTH; i++) {
    gv_release(&space->allocator, space->level[i].memory);
    gv_release(&space->allocator, space->level[i].id_memory);
  }
  gv_release(&space->allocator, space->scratch);
  gv_release(&space->allocator, space->points);
  gv_release(&space->allocator, space->boxes);
  gv_release(&space->allocator, space->band);
  gv_allocator allocator = space->allocator;
  gv_release(&allocator, space);
}

void gv_workspace_pool_init(gv_workspace_pool *pool) {
  omp_init_lock(&pool->lock);
  pool->first = NULL;
}

void gv_workspace_pool_clear(gv_workspace_pool *pool) {
  while (pool->first != NULL) {
    gv_workspace *space = pool->first;
    pool->first = space->next;
    workspace_free(space);
  }
  omp_destroy_lock(&pool->lock);
}

gv_workspace *gv_workspace_take(gv_context *context, gv_workspace_pool *pool) {
  omp_set_lock(&pool->lock);
  gv_workspace *space = pool->first;
  if (space != NULL) pool->first = space->next;
  omp_unset_lock(&pool->lock);
  if (space == NULL) {
    space = gv_allocate_zeroed(&context->allocator, 1, sizeof *space);
    if (space == NULL) {
      gv_fail_memory(context, "a workspace");
      return NULL;
    }
    space->allocator = context->allocator;
  }
  return space;
}

void gv_workspace_give(gv_workspace_pool *pool, gv_workspace *space) {
  omp_set_lock(&pool->lock);
  space->next = pool->first;
  pool->first = space;
  omp_unset_lock(&pool->lock);
}

bool gv_level_reserve(gv_workspace *space, int depth, int32_t count, int dim) {
  gv_level_buffer *level = &space->level[depth];
  if (level->capacity < count || level->memory == NULL) {
    int64_t padded = ((int64_t)count + count / 4 + GV_CANDIDATE_PADDING + 7) / 8 * 8;
    gv_release(&space->allocator, level->memory);
    gv_release(&space->allocator, level->id_memory);
    level->memory = gv_allocate_zeroed(&space->allocator, padded * dim, sizeof(double));
    level->id_memory = gv_allocate_zeroed(&space->allocator, padded, sizeof(int32_t));
    level->capacity = level->memory != NULL && level->id_memory != NULL ? count + count / 4 : 0;
    if (level->capacity == 0 && (level->memory == NULL || level->id_memory == NULL)) return false;
    level->candidates.x = level->memory;
    level->candidates.y = level->memory + padded;
    level->candidates.z = dim == 3 ? level->memory + 2 * padded : NULL;
    level->candidates.id = level->id_memory;
  }
  level->candidates.count = 0;
  return true;
}

bool gv_level_gather(const gv_voronoi *v, gv_workspace *space, int depth, const int32_t *id, int32_t count) {
  if (!gv_level_reserve(space, depth, count, v->cells.dim)) return false;
  gv_candidates *c = &space->level[depth].candidates;
  for (int32_t i = 0; i < count; i++) {
    int32_t seed = id != NULL ? id[i] : i;
    c->id[i] = seed;
    c->x[i] = v->seeds.x[seed];
    c->y[i] = v->seeds.y[seed];
    if (c->z != NULL) c->z[i] = v->seeds.z[seed];
  }
  c->count = count;
  return true;
}

/* ------------------------------------------------------------------------------------------------- culling */

static double distance2(const gv_candidates *c, int32_t i, const double *m) {
  double x = c->x[i] - m[0], y = c->y[i] - m[1], z = c->z != NULL ? c->z[i] - m[2] : 0.0;
  return x * x + y * y + z * z;
}

/* Culls against the candidate nearest to `point`. Returns the geodesic slack of the farthest cell from that candidate
 * (0 for other metrics). */
static double cull_once(const gv_voronoi *v, const gv_kernels *kernels, const gv_bound *bound, const double *point,
                        const gv_candidates *in, gv_candidates *out) {
  int dim = v->cells.dim;
  double e = v->cells.position_error;
  int32_t nearest = kernels->nearest[dim](in, point);
  double pivot[3] = {in->x[nearest], in->y[nearest], in->z != NULL ? in->z[nearest] : 0.0};
  if (v->cells.metric == GV_MANHATTAN || v->cells.metric == GV_CHEBYSHEV) {
    double low[2], high[2], reach = 0.0;
    for (int d = 0; d < 2; d++) {
      double half = fabs(bound->generator[0][d]) + fabs(bound->generator[1][d]) + 2.0 * e;
      low[d] = bound->centre[d] - half;
      high[d] = bound->centre[d] + half;
      reach += fmax(fabs(low[d] - pivot[d]), fabs(high[d] - pivot[d]));
    }
    /* Differences of coordinates are good to an ulp of the largest that matters, about 10 times `reach`. */
    kernels->cull_box[v->cells.metric](in, low, high, pivot, 1e-14 * reach + 4.0 * e, out);
    return 0.0;
  }
  double pivot2 = distance2(in, nearest, bound->centre);
  double limit = pivot2 * (1.0 + cull_slack) + cull_slack * bound->radius * bound->radius + 1.2e13 * e * e + 1e-290;
  double slack = 0.0;
  if (v->cells.metric == GV_GEODESIC) {
    double farthest = sqrt(pivot2) + bound->radius;
    slack = gv_geodesic_slack(&v->geodesic, farthest * (1.0 + 1e-12));
  }
  kernels->cull[dim](in, bound, pivot, cull_slack, limit + slack, out);
  return slack;
}

double gv_cull(const gv_voronoi *v, const gv_kernels *kernels, const gv_bound *bound, const gv_candidates *in,
               gv_candidates *out) {
  double slack = cull_once(v, kernels, bound, bound->centre, in, out);
  for (int corner = 0; corner < 4 && out->count >= MANY_CANDIDATES; corner++) {
    double point[3];
    for (int d = 0; d < 3; d++) {
      point[d] = bound->centre[d] + (corner & 1 ? 1.0 : -1.0) * bound->generator[0][d] +
                 (corner & 2 ? 1.0 : -1.0) * bound->generator[1][d];
    }
    cull_once(v, kernels, bound, point, out, out);
  }
  return slack;
}

bool gv_cull_to_level(const gv_voronoi *v, const gv_kernels *kernels, const gv_bound *bound,
                      const gv_candidates *in, gv_workspace *space, int depth, double *slack) {
  int dim = v->cells.dim, into = in->count < LONG_LIST ? depth : GV_MAX_DEPTH;
  if (!gv_level_reserve(space, into, in->count, dim)) return false;
  gv_candidates *kept = &space->level[into].candidates;
  *slack = gv_cull(v, kernels, bound, in, kept);
  if (into == depth) return true;
  if (!gv_level_reserve(space, depth, kept->count, dim)) return false;
  gv_candidates *out = &space->level[depth].candidates;
  size_t bytes = (size_t)kept->count * sizeof(double);
  memcpy(out->x, kept->x, bytes);
  memcpy(out->y, kept->y, bytes);
  if (dim == 3) memcpy(out->z, kept->z, bytes);
  memcpy(out->id, kept->id, (size_t)kept->count * sizeof *out->id);
  out->count = kept->count;
  return true;
}

bool gv_leaf_prepare(const gv_voronoi *v, gv_workspace *space, const gv_candidates *candidates, double slack,
                     gv_leaf *leaf) {
  int32_t padded = candidates->count + GV_CANDIDATE_PADDING;
  if (space->scratch_capacity < padded) {
    gv_release(&space->allocator, space->scratch);
    space->scratch =
        gv_allocate_zeroed(&space->allocator, (GV_LEAF_ROWS + 1) * ((int64_t)padded + padded / 4), sizeof(double));
    space->scratch_capacity = space->scratch != NULL ? padded + padded / 4 : 0;
    if (space->scratch == NULL) return false;
  }
  double *label = space->scratch + GV_LEAF_ROWS * (int64_t)padded;
  for (int32_t i = 0; i < candidates->count; i++)
    label[i] = v->label[candidates->id[i]];
  leaf->candidates = candidates;
  leaf->label = label;
  leaf->scratch = space->scratch;
  leaf->undecided = space->undecided;
  /* The constant covers the rounding of q.s - |s|^2/2, whose terms are below 2. */
  if (v->cells.metric == GV_GEODESIC) leaf->margin = 0.5 * slack + 1e-14;
  return true;
}
