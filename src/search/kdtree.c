/*
 * kdtree: a k-d tree for any dimension, split at the median of the widest dimension (Friedman, Bentley,
 * Finkel 1977), three binary levels folded into one node of eight boxes. Build O(n log n) in parallel, search
 * O(log n) in low dimensions; in high dimensions it is a scan.
 */
#include "search/box_tree.h"

static gv_status kdtree_build(gv_context *context, const gv_reference *reference, void **state) {
  gv_box_tree *tree = NULL;
  GV_TRY(gv_box_tree_build(context, reference, NULL, &tree));
  *state = tree;
  return GV_OK;
}

static void kdtree_destroy(const gv_reference *reference, void *state) {
  gv_box_tree_destroy(reference, state);
}

const gv_search_engine gv_search_kdtree = {
    .build = kdtree_build,
    .search = gv_box_tree_search,
    .destroy = kdtree_destroy,
};
