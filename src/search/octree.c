/*
 * octree: points sorted by Morton code (Morton 1966), and a tree over the runs of equal leading bits: three bits,
 * that is one octant in three dimensions, a node. Two dimensions give a quadtree, one a binary trie. Chains of
 * nodes with a single child do not exist; what the 63 bits of a code cannot tell apart is split at medians, so that
 * outliers and duplicates cannot hurt. Build O(n) for the radix sort and the tree.
 */
#include "search/box_tree.h"

static void bounding_box(const gv_reference *reference, int threads, double low[3], double high[3]) {
  int32_t dim = reference->dim;
  for (int32_t d = 0; d < dim; d++) {
    double least = INFINITY, most = -INFINITY;
    const double *column = reference->data + d;
#pragma omp parallel for num_threads(threads) reduction(min : least) reduction(max : most) schedule(static)
    for (int64_t i = 0; i < reference->count; i++) {
      least = column[i * dim] < least ? column[i * dim] : least;
      most = column[i * dim] > most ? column[i * dim] : most;
    }
    low[d] = least;
    high[d] = most;
  }
}

static gv_status build(gv_context *context, const gv_reference *reference, void **state) {
  static const int bits[] = {0, 52, 31, 21};
  const gv_allocator *allocator = &reference->allocator;
  gv_status status = GV_OK;
  int32_t dim = reference->dim;
  gv_code *codes = gv_allocate(allocator, reference->count, sizeof *codes);
  gv_code *scratch = gv_allocate(allocator, reference->count, sizeof *scratch);
  if (codes == NULL || scratch == NULL) {
    status = gv_fail_memory(context, "the points' codes");
    goto done;
  }
  int threads = gv_threads_for(context, 20.0 * (double)reference->count);
  double low[3], high[3];
  bounding_box(reference, threads, low, high);
  gv_morton morton = {dim, bits[dim], low, high};
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t i = 0; i < reference->count; i++) {
    codes[i] = (gv_code){gv_morton_code(&morton, reference->data + i * dim), i};
  }
  if (!gv_codes_sort(allocator, codes, scratch, reference->count, bits[dim] * dim, threads)) {
    status = gv_fail_memory(context, "sorting the points' codes");
    goto done;
  }
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

static void destroy(const gv_reference *reference, void *state) {
  gv_box_tree_destroy(reference, state);
}

const gv_search_engine gv_search_octree = {
    .build = build,
    .search = gv_box_tree_search,
    .destroy = destroy,
};
