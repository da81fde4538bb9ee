/*
 * Pairs of points within a radius: a box tree joined with itself, leaf by leaf.
 *
 * The points that can be near some point of a leaf are listed once, sorted by number, and gathered into
 * blocks. Then the pairs of each point of the leaf are found in order, and are written to their place.
 *
 * Gain: 2.5x to 4.3x (CPU time) on 10^5 uniform points in 2 and 3 dimensions with 10 and 50 neighbors each,
 * over a search by radius.
 */
#include "core/parallel.h"
#include "search/box_tree.h"
#include "search/radius.h"

enum { NODES_AT_ONCE = 8, PAIR_STEPS = 400 /* of a point, approximately */ };

typedef struct pairing {
  const gv_box_tree *tree;
  gv_box_tree_pairs_kernel kernel;
  double limit;
  int64_t *offsets, *pairs;
  gv_progress progress;
} pairing;

bool gv_pair_scratch_fit(gv_pair_scratch *s, int32_t dim) {
  int64_t blocks = (s->list.count + GV_LANES - 1) / GV_LANES;
  if (blocks <= s->blocks) return true;
  gv_release(s->list.allocator, s->block);
  s->blocks = 2 * blocks;
  s->block = gv_allocate(s->list.allocator, s->blocks * (dim + 1) * GV_LANES, sizeof *s->block);
  if (s->block == NULL) s->blocks = 0;
  return s->block != NULL;
}

static gv_status pair_leaf(gv_context *context, pairing *p, int64_t leaf, gv_pair_scratch *scratch) {
  gv_pairs_result result = p->kernel(p->tree, leaf, p->limit, p->offsets, p->pairs, scratch);
  if (result == GV_PAIRS_NO_MEMORY) return gv_fail_memory(context, "the pairs of a leaf");
  if (result == GV_PAIRS_OTHER_CAPACITY)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "offsets: not those of these pairs; count them first");
  gv_progress_add(&p->progress, 1);
  return GV_OK;
}

static gv_status pair_nodes(gv_worker *worker, int64_t first, int64_t end) {
  pairing *p = worker->user;
  gv_pair_scratch scratch = {.block = NULL};
  gv_status status = GV_OK;
  if (!gv_found_list_init(&scratch.list, &worker->context.allocator, false))
    return gv_fail_memory(&worker->context, "the pairs of a leaf");
  for (int64_t node = first; node < end; node++) {
    const int64_t *child = gv_node_child(p->tree, node), *least = gv_node_least(p->tree, node);
    for (int lane = 0; lane < GV_LANES && status == GV_OK; lane++)
      if (child[lane] < 0 && least[lane] != GV_NO_INDEX)
        status = pair_leaf(&worker->context, p, child[lane], &scratch);
  }
  gv_found_list_clear(&scratch.list);
  gv_release(&worker->context.allocator, scratch.block);
  return status;
}

gv_status gv_box_tree_pairs(gv_context *context, const gv_reference *reference, const void *state,
                            double limit, int64_t *offsets, int64_t *pairs) {
  pairing p = {.tree = state,
               .kernel = *gv_box_tree_pairs_kernel_get(),
               .limit = limit,
               .offsets = offsets,
               .pairs = pairs};
  gv_progress_init(&p.progress, context, p.tree->block_count);
  int threads = gv_threads_for(context, PAIR_STEPS * (double)reference->count);
  gv_loop loop = {context, threads, p.tree->node_count, NODES_AT_ONCE, &p.progress, &p};
  return gv_parallel_for(&loop, pair_nodes);
}
