/*
 * Shared by the culling engines: lists of candidates, their culling against a bound, and its memory.
 *
 * margin.h has the argument (f, m, g) and the margins for one pivot.
 *
 * With k > 1 a seed is excluded if the k pivots nearest m all exclude it: the k-th nearest |p - m| and the
 * range of g_k . p over the pivots bound them together. Where f is not linear (weights; Manhattan and
 * Chebyshev distances for k > 1), intervals are used: a seed is excluded if its least possible value in the
 * tile exceeds the k-th smallest of the largest possible values of all. The operations are monotone, rounding
 * included, and distances are widened first.
 *
 * A maximum distance culls seeds that are farther from every cell; without seeds left a tile is nodata.
 */
#ifndef GV_CULL_H
#define GV_CULL_H

#include <pthread.h>

#include "core/buffer.h"
#include "voronoi/cpu/kernels.h"
#include "voronoi/engine.h"
#include "voronoi/margin.h"

enum {
  GV_MAX_DEPTH = 64,
  GV_LEAF_ROWS = 16,
  GV_LEAF_COLUMNS = 32,
  GV_K_LEAF_ROWS = 32, /* of leaves with k > 1, weights or a limit */
  GV_K_LEAF_COLUMNS = 64,
  /* lists shorter than this are not worth narrowing before a block starts */
  GV_TILE_TREE_MIN_CANDIDATES = 64,
  GV_TILE_TREE_MAX_ENTRIES = 1 << 25 /* bound on the lists held by a tree, together (4 bytes each) */
};

/* A list of candidates at one depth of the descent. */
typedef struct gv_level_buffer {
  gv_candidates candidates;
  gv_buffer places, ids;
} gv_level_buffer;

/* Memory of a thread for a block. Kept in a pool and reused. */
typedef struct gv_workspace {
  struct gv_workspace *next;
  gv_context *context; /* of the thread that has it, for messages */
  gv_allocator allocator;
  gv_level_buffer level[GV_MAX_DEPTH + 1]; /* the last one: where gv_cull_to_level puts long lists at first */
  int32_t undecided[GV_K_LEAF_ROWS * GV_K_LEAF_COLUMNS];
  uint8_t doubt[GV_K_LEAF_ROWS * GV_K_LEAF_COLUMNS];
  gv_buffer scratch;    /* doubles: of leaf kernels, GV_LEAF_ROWS x candidates, then labels */
  gv_buffer bounds;     /* doubles of all candidates: bounds of their values, weights */
  gv_buffer k_nearest;  /* doubles of such leaves: a group's candidates, bands, a matrix of values */
  gv_buffer points;     /* blocks of points: doubles, positions of all cells, ... */
  gv_buffer boxes;      /* ... and the boxes of squares of them: low x, y, z, high x, y, z; low > high where a
                           square has no position */
  gv_buffer stage;      /* int32_t: a block, all bands */
  gv_buffer mask_boxes; /* bytes: GV_KEEPS_SOME and GV_LEAVES_SOME of boxes of a block's mask */
  gv_buffer triangles;  /* int32_t: blocks of them, a strip of the mesh */
} gv_workspace;

typedef struct gv_workspace_pool {
  pthread_mutex_t lock;
  gv_workspace *first;
} gv_workspace_pool;

void gv_workspace_pool_init(gv_workspace_pool *pool);
void gv_workspace_pool_clear(gv_workspace_pool *pool);

/* A workspace for the calling thread; NULL when out of memory (the message is set). */
gv_workspace *gv_workspace_acquire(gv_context *context, gv_workspace_pool *pool);
void gv_workspace_release(gv_workspace_pool *pool, gv_workspace *space);

/* Fills a level with the seeds of a list (NULL: all). */
gv_status gv_level_gather(const gv_voronoi *v, gv_workspace *space, int depth, const int32_t *id,
                          int32_t count);

/* Culls a list for a tile, see above; if many are left, also against those nearest its corners. *slack is set
 * to the geodesic slack of the tile (0 for other metrics). For k > 1 and linear f, lists up to GV_SHORT_LIST
 * are left to gv_order_make. `out` may be `in`. */
gv_status gv_cull(const gv_voronoi *v, const gv_kernels *kernels, gv_workspace *space, const gv_bound *bound,
                  const gv_candidates *in, gv_candidates *out, double *slack);

/* gv_cull into the workspace's list at `depth`. A long list is first culled into a separate buffer, so that a
 * level needs memory only for the candidates that are left. */
gv_status gv_cull_to_level(const gv_voronoi *v, const gv_kernels *kernels, const gv_bound *bound,
                           const gv_candidates *in, gv_workspace *space, int depth, double *slack);

/* Seeds by number; NULL: the first `count` of all. */
typedef struct gv_id_list {
  int32_t *id;
  int32_t count;
} gv_id_list;

/* gv_cull of a list for `count` bounds into lists of their own, for trees of tiles. */
gv_status gv_narrow(gv_context *context, const gv_voronoi *v, const gv_kernels *kernels,
                    gv_workspace_pool *pool, const gv_id_list *from, int count, const gv_bound *bound,
                    gv_id_list *out);

/* Bounds of the values that are compared, over a tile, of each candidate: *low and *high live in the
 * workspace until the next call. A candidate that may be farther than the limit has an infinite *high. */
gv_status gv_value_bounds(const gv_voronoi *v, const gv_kernels *kernels, gv_workspace *space,
                          const gv_bound *bound, const gv_candidates *candidates, double **low,
                          double **high);

/* True if f above is linear: bounds of values are not needed. */
static inline bool gv_culls_linearly(const gv_voronoi *v) {
  return v->weigher.weighting == GV_UNWEIGHTED && v->cells.metric != GV_MANHATTAN &&
         v->cells.metric != GV_CHEBYSHEV;
}

/* True if only the nearest seed of a cell is needed, with or without a limit. */
static inline bool gv_nearest_only(const gv_voronoi *v) {
  return v->k == 1 && v->weigher.weighting == GV_UNWEIGHTED;
}

/* True if the limit may cross the tile: some candidate may be outside it in some cell. */
bool gv_limit_is_open(const gv_voronoi *v, const gv_kernels *kernels, const gv_bound *bound,
                      const gv_candidates *candidates);

/* Bounds of the exact distances (geodesic: squared chords) of all candidates over a tile; arrays padded by
 * GV_CANDIDATE_PADDING. */
void gv_distance_bounds(const gv_voronoi *v, const gv_kernels *kernels, const gv_bound *bound,
                        const gv_candidates *candidates, double *near, double *far);

/* True if all cells of a block's part are left out: rows x columns from (row, column) of the block. */
bool gv_masked(const gv_labels *block, int64_t row, int64_t column, int64_t rows, int64_t columns);

/* Sets the fields of a leaf that depend on the candidates: labels, scratch, margin. */
gv_status gv_leaf_prepare(const gv_voronoi *v, gv_workspace *space, const gv_candidates *candidates,
                          double slack, gv_leaf *leaf);

#endif
