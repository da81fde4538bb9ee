/*
 * octree: points sorted by Morton code (Morton 1966), and a tree over the ranges of equal leading bits: three
 * bits, that is one octant in three dimensions, a node. Two dimensions give a quadtree, one a binary trie.
 * Chains of nodes with a single child do not exist; points with equal 63 bits are split at medians, so that
 * outliers and duplicates do not slow the search. Build O(n) for the radix sort and the tree.
 */
#include "core/cancel.h"
#include "core/parallel.h"
#include "search/box_tree.h"

enum { LEAST_BITS = 2 };

/* Codes of all points being made. */
typedef struct octree_coding {
  const gv_reference *reference;
  double low[3], high[3];
  gv_morton morton;
  gv_sort_code *codes;
} octree_coding;

static gv_status find_box(gv_worker *worker, int64_t first, int64_t end) {
  octree_coding *c = worker->user;
  int32_t dim = c->reference->dim;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int32_t d = 0; d < dim; d++) {
    const double *column = c->reference->data + d;
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = first; i < end; i++) {
      least = column[i * dim] < least ? column[i * dim] : least;
      most = column[i * dim] > most ? column[i * dim] : most;
    }
    low[d] = least;
    high[d] = most;
  }
  gv_worker_lock(worker);
  for (int32_t d = 0; d < dim; d++) {
    c->low[d] = low[d] < c->low[d] ? low[d] : c->low[d];
    c->high[d] = high[d] > c->high[d] ? high[d] : c->high[d];
  }
  gv_worker_unlock(worker);
  return GV_OK;
}

static gv_status make_codes(gv_worker *worker, int64_t first, int64_t end) {
  const octree_coding *c = worker->user;
  for (int64_t i = first; i < end; i++)
    c->codes[i] = (gv_sort_code){gv_morton_code(&c->morton, c->reference->data + i * c->reference->dim), i};
  return GV_OK;
}

/* Bits of a dimension: enough for the cells of points that lie on a surface to hold few of them. Each costs a
 * third of a pass of the sort; what they do not separate is split at medians. */
static int octree_bits(const gv_reference *reference) {
  static const int most[] = {0, 52, 31, 21};
  int bits = LEAST_BITS;
  while (bits < most[reference->dim] &&
         INT64_C(1) << (bits - LEAST_BITS) * (reference->dim > 1 ? 2 : 1) < reference->count)
    bits++;
  return bits;
}

static gv_status octree_build(gv_context *context, const gv_reference *reference, void **state) {
  const gv_allocator *allocator = &reference->allocator;
  gv_status status = GV_OK;
  int32_t dim = reference->dim;
  int bits = octree_bits(reference);
  gv_sort_code *codes = gv_allocate(allocator, reference->count, sizeof *codes);
  gv_sort_code *scratch = gv_allocate(allocator, reference->count, sizeof *scratch);
  if (codes == NULL || scratch == NULL) {
    status = gv_fail_memory(context, "the points' codes");
    goto done;
  }
  int threads = gv_threads_for(context, 20.0 * (double)reference->count);
  octree_coding c = {.reference = reference, .codes = codes};
  for (int d = 0; d < 3; d++) {
    c.low[d] = INFINITY;
    c.high[d] = -INFINITY;
  }
  gv_loop loop = {.threads = threads, .count = reference->count, .user = &c};
  gv_parallel_for(&loop, find_box);
  c.morton = (gv_morton){dim, bits, c.low, c.high};
  gv_parallel_for(&loop, make_codes);
  status = gv_check_cancelled(context);
  if (status == GV_OK) status = gv_codes_sort(context, codes, scratch, reference->count, bits * dim, threads);
  if (status == GV_OK) status = gv_check_cancelled(context);
  if (status != GV_OK) goto done;
  gv_release(allocator, scratch);
  scratch = NULL;
  gv_box_tree *tree = NULL;
  status = gv_box_tree_build(context, reference, codes, &tree);
  if (status == GV_OK) *state = tree;

done:
  gv_release(allocator, codes);
  gv_release(allocator, scratch);
  return status;
}

static void octree_destroy(const gv_reference *reference, void *state) {
  gv_box_tree_destroy(reference, state);
}

const gv_search_engine gv_search_octree = {
    .build = octree_build,
    .search = gv_box_tree_search,
    .destroy = octree_destroy,
};
