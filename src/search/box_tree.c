/*
 * Building a box tree, and running its search over threads.
 *
 * A node splits its range of points into up to eight by three rounds of binary splits, in place, and its
 * children go on as tasks. Medians are found by quickselect on (coordinate, index) pairs: the index makes all
 * keys distinct, so that duplicates cannot spoil a partition and equal points end up in index order; a range
 * that resists the pivots is heap-sorted. Build O(n log n), without recursion deeper than the tree.
 *
 * Depth: median splits halve, so at most 21 levels of 8; splits by code use up at least one of its 63 bits a
 * level. GV_STACK_ENTRIES >= 7 * (63 + 21) + 8 holds every search's stack.
 */
#include "search/box_tree.h"

#include <string.h>

#include "core/cancel.h"
#include "core/parallel.h"

enum {
  LEAF_BLOCKS = 2,      /* 16 points: measured best of 8 ... 64 for d = 2 ... 16 */
  TASK_POINTS = 8192,   /* smaller subtrees are built by one thread */
  AHEAD = 16,           /* points of which the coordinates are fetched early */
  SAMPLE_VALUES = 4096, /* coordinates read to find the widest dimension of a large range */
  ORDERED_DIM_MAX = 12, /* queries of more dimensions gain nothing from Morton order */
  ORDERED_QUERIES_MIN = 128,
  SLAB_QUERIES = 1 << 22, /* queries ordered at once */
  CHUNK_QUERIES = 256     /* queries that a thread processes at once */
};

/* ---------------------------------------------------------------------------------------------- selection */

static inline bool code_before(gv_sort_code a, gv_sort_code b) {
  return (a.code < b.code) | ((a.code == b.code) & (a.index < b.index));
}

static void insertion_sort(gv_sort_code *a, int64_t count) {
  for (int64_t i = 1; i < count; i++) {
    gv_sort_code moving = a[i];
    int64_t j = i;
    for (; j > 0 && code_before(moving, a[j - 1]); j--)
      a[j] = a[j - 1];
    a[j] = moving;
  }
}

static void heap_down(gv_sort_code *a, int64_t hole, int64_t count, gv_sort_code moving) {
  for (;;) {
    int64_t child = 2 * hole + 1;
    if (child >= count) break;
    if (child + 1 < count && code_before(a[child], a[child + 1])) child++;
    if (!code_before(moving, a[child])) break;
    a[hole] = a[child];
    hole = child;
  }
  a[hole] = moving;
}

static void heap_sort(gv_sort_code *a, int64_t count) {
  for (int64_t i = count / 2 - 1; i >= 0; i--)
    heap_down(a, i, count, a[i]);
  for (int64_t i = count - 1; i > 0; i--) {
    gv_sort_code moving = a[i];
    a[i] = a[0];
    heap_down(a, 0, i, moving);
  }
}

/* Moves the `nth` smallest to place nth, smaller ones before it, larger ones after it. */
static void select_nth(gv_sort_code *a, int64_t count, int64_t nth) {
  enum { SAMPLE = 63, SMALL = 24 };
  int budget = 64;
  while (count > SMALL) {
    if (budget-- == 0) {
      heap_sort(a, count);
      return;
    }
    /* The pivot is the sample's quantile nearest nth, one position towards the middle, so that nth tends to
     * be in the smaller part. */
    gv_sort_code sample[SAMPLE];
    int samples = count > 2048 ? SAMPLE : 7;
    for (int i = 0; i < samples; i++)
      sample[i] = a[(2 * i + 1) * (count / (2 * samples))];
    insertion_sort(sample, samples);
    int64_t position = (int64_t)((double)nth / (double)count * samples);
    if (2 * nth < count && position + 1 < samples) position++;
    if (2 * nth > count && position > 0) position--;
    gv_sort_code pivot = sample[position];
    /* Partition without branches: everything before the pivot is swapped forward. */
    int64_t smaller = 0;
    for (int64_t i = 0; i < count; i++) {
      gv_sort_code moving = a[i];
      a[i] = a[smaller];
      a[smaller] = moving;
      smaller += code_before(moving, pivot);
    }
    if (nth < smaller) {
      count = smaller;
    } else {
      a += smaller;
      count -= smaller;
      nth -= smaller;
    }
  }
  insertion_sort(a, count);
}

/* Integers in the order of the doubles. */
static inline uint64_t ordered_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* -------------------------------------------------------------------------------------------------- build */

typedef struct box_tree_builder {
  const gv_reference *reference;
  gv_box_tree *tree;
  gv_sort_code *codes;
  gv_progress progress;
  atomic_llong next_node, next_block;
} box_tree_builder;

/* A stretch of codes; median: its codes are used up, it is split at medians. */
typedef struct range {
  int64_t first, count;
  bool median;
} range;

static inline int64_t blocks_of(int64_t count) {
  return (count + GV_LANES - 1) / GV_LANES;
}

static inline bool is_leaf(range r) {
  return r.count <= LEAF_BLOCKS * GV_LANES;
}

/* The position where a range is split. Medians are at whole blocks, so that leaves are full. */
static int64_t split_position(const gv_sort_code *codes, range *r) {
  if (!r->median) {
    uint64_t first = codes[r->first].code, differing = first ^ codes[r->first + r->count - 1].code;
    if (differing != 0) {
      uint64_t top = (uint64_t)1 << (63 - __builtin_clzll(differing));
      int64_t low = 1, high = r->count - 1; /* the first code with the bit set is in [low, high] */
      while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (codes[r->first + middle].code & top) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    }
    r->median = true;
  }
  return (blocks_of(r->count) + 1) / 2 * GV_LANES;
}

/* Nodes and blocks below a range that becomes a node; mirrors split_range and build_node. */
static void count_node(const gv_sort_code *codes, range r, int64_t *nodes, int64_t *blocks);

static void count_split(const gv_sort_code *codes, range r, int level, int64_t *nodes, int64_t *blocks) {
  if (is_leaf(r)) {
    *blocks += blocks_of(r.count);
  } else if (level == 3) {
    count_node(codes, r, nodes, blocks);
  } else {
    int64_t left = split_position(codes, &r);
    count_split(codes, (range){r.first, left, r.median}, level + 1, nodes, blocks);
    count_split(codes, (range){r.first + left, r.count - left, r.median}, level + 1, nodes, blocks);
  }
}

static void count_node(const gv_sort_code *codes, range r, int64_t *nodes, int64_t *blocks) {
  (*nodes)++;
  count_split(codes, r, 0, nodes, blocks);
}

static int32_t widest_dimension(const box_tree_builder *b, range r) {
  int32_t dim = b->reference->dim;
  int64_t sample = SAMPLE_VALUES / dim < 64 ? 64 : SAMPLE_VALUES / dim;
  int64_t stride = r.count / sample > 1 ? r.count / sample : 1;
  const gv_sort_code *codes = b->codes + r.first;
  for (;;) {
    int32_t widest = 0;
    double width = 0.0;
    for (int32_t base = 0; base < dim; base += 16) {
      double low[16], high[16];
      int32_t dims = dim - base < 16 ? dim - base : 16;
      for (int32_t d = 0; d < dims; d++) {
        low[d] = INFINITY;
        high[d] = -INFINITY;
      }
      for (int64_t i = 0; i < r.count; i += stride) {
        const double *p = b->reference->data + codes[i].index * dim + base;
        for (int32_t d = 0; d < dims; d++) {
          low[d] = p[d] < low[d] ? p[d] : low[d];
          high[d] = p[d] > high[d] ? p[d] : high[d];
        }
      }
      for (int32_t d = 0; d < dims; d++) {
        if (high[d] - low[d] > width) {
          width = high[d] - low[d];
          widest = base + d;
        }
      }
    }
    /* A sample of equal points is not representative. */
    if (width > 0.0 || stride == 1) return widest;
    stride = 1;
  }
}

static void partition(box_tree_builder *b, range r, int64_t left) {
  int32_t dim = b->reference->dim;
  const double *column = b->reference->data + widest_dimension(b, r);
  gv_sort_code *codes = b->codes + r.first;
  for (int64_t i = 0; i < r.count; i++)
    codes[i].code = ordered_bits(column[codes[i].index * dim]);
  select_nth(codes, r.count, left);
}

/* False once building is cancelled, which is looked at before what takes long. */
static bool building_goes_on(box_tree_builder *b, range r) {
  return r.count > TASK_POINTS ? gv_progress_look(&b->progress) : !gv_progress_cancelled(&b->progress);
}

static void split_range(box_tree_builder *b, range r, int level, int slot, range *children);

typedef struct splitting {
  box_tree_builder *b;
  range r, *children;
  int level, slot;
} splitting;

static void split_task(void *argument) {
  const splitting *s = argument;
  split_range(s->b, s->r, s->level, s->slot, s->children);
}

/* Splits a range into up to eight: slots slot ... slot + (8 >> level) - 1 of `children`, unused ones stay
 * empty. */
static void split_range(box_tree_builder *b, range r, int level, int slot, range *children) {
  if (is_leaf(r) || level == 3) {
    children[slot] = r;
    return;
  }
  int64_t left = split_position(b->codes, &r);
  if (r.median && building_goes_on(b, r)) partition(b, r, left);
  range lower = {r.first, left, r.median}, upper = {r.first + left, r.count - left, r.median};
  if (r.count > TASK_POINTS) {
    splitting below = {b, lower, children, level + 1, slot};
    gv_task_spawn(split_task, &below, sizeof below);
  } else {
    split_range(b, lower, level + 1, slot, children);
  }
  split_range(b, upper, level + 1, slot + (4 >> level), children);
  if (r.count > TASK_POINTS) gv_tasks_wait();
}

static void include(double *box, int32_t d, int lane, double low, double high) {
  double *lows = box + (size_t)d * 2 * GV_LANES, *highs = lows + GV_LANES;
  lows[lane] = low < lows[lane] ? low : lows[lane];
  highs[lane] = high > highs[lane] ? high : highs[lane];
}

/* `end` in these functions: other tasks do not move codes from r.first to there. */
static void build_leaf(box_tree_builder *b, range r, int64_t end, int64_t node, int lane) {
  gv_box_tree *tree = b->tree;
  int32_t dim = tree->dim;
  int64_t blocks = blocks_of(r.count), first = atomic_fetch_add(&b->next_block, blocks);
  double *box = gv_node_box(tree, node);
  int64_t least = GV_NO_INDEX;
  for (int64_t i = 0; i < blocks * GV_LANES; i++) {
    double *points = gv_block_points(tree, first + i / GV_LANES);
    int64_t *index = gv_block_index(tree, first + i / GV_LANES);
    int at = (int)(i % GV_LANES);
    if (i >= r.count) {
      for (int32_t d = 0; d < dim; d++)
        points[(int64_t)d * GV_LANES + at] = INFINITY;
      index[at] = GV_NO_INDEX;
      continue;
    }
    int64_t number = b->codes[r.first + i].index, soon = r.first + i + AHEAD;
    const double *p = b->reference->data + number * dim;
    if (soon < end) __builtin_prefetch(b->reference->data + b->codes[soon].index * dim);
    for (int32_t d = 0; d < dim; d++) {
      points[(int64_t)d * GV_LANES + at] = p[d];
      include(box, d, lane, p[d], p[d]);
    }
    index[at] = number;
    least = number < least ? number : least;
  }
  gv_node_child(tree, node)[lane] = gv_leaf_child(first, blocks);
  gv_node_least(tree, node)[lane] = least;
}

static void build_node(box_tree_builder *b, range r, int64_t end, int64_t node);

typedef struct noding {
  box_tree_builder *b;
  range r;
  int64_t node;
} noding;

static void node_task(void *argument) {
  const noding *n = argument;
  build_node(n->b, n->r, n->r.first + n->r.count, n->node);
}

static void build_node(box_tree_builder *b, range r, int64_t end, int64_t node) {
  gv_box_tree *tree = b->tree;
  int32_t dim = tree->dim;
  range slots[GV_LANES] = {{0, 0, false}};
  if (!building_goes_on(b, r)) return;
  split_range(b, r, 0, 0, slots);
  double *box = gv_node_box(tree, node);
  int64_t *child = gv_node_child(tree, node), *least = gv_node_least(tree, node);
  for (int32_t d = 0; d < dim; d++) {
    for (int lane = 0; lane < GV_LANES; lane++) {
      box[(int64_t)d * 2 * GV_LANES + lane] = INFINITY;
      box[((int64_t)d * 2 + 1) * GV_LANES + lane] = -INFINITY;
    }
  }
  int lanes = 0;
  for (int slot = 0; slot < GV_LANES; slot++) {
    range part = slots[slot];
    if (part.count == 0) continue;
    int lane = lanes++;
    const int64_t part_end = r.count > TASK_POINTS ? part.first + part.count : end;
    if (is_leaf(part)) {
      build_leaf(b, part, part_end, node, lane);
      gv_progress_add(&b->progress, part.count);
    } else {
      int64_t below = atomic_fetch_add(&b->next_node, 1);
      child[lane] = below;
      if (part.count > TASK_POINTS) {
        noding n = {b, part, below};
        gv_task_spawn(node_task, &n, sizeof n);
      } else {
        build_node(b, part, part_end, below);
      }
    }
  }
  if (r.count > TASK_POINTS) gv_tasks_wait();
  if (gv_progress_cancelled(&b->progress)) return;
  for (int lane = 0; lane < GV_LANES; lane++) {
    if (lane >= lanes) {
      child[lane] = 0;
      least[lane] = GV_NO_INDEX;
      for (int32_t d = 0; d < dim; d++)
        box[((int64_t)d * 2 + 1) * GV_LANES + lane] = INFINITY;
    } else if (child[lane] >= 0) {
      const double *inner = gv_node_box(tree, child[lane]);
      const int64_t *inner_least = gv_node_least(tree, child[lane]);
      least[lane] = GV_NO_INDEX;
      for (int i = 0; i < GV_LANES && inner_least[i] != GV_NO_INDEX; i++) {
        least[lane] = inner_least[i] < least[lane] ? inner_least[i] : least[lane];
        for (int32_t d = 0; d < dim; d++) {
          include(box, d, lane, inner[(int64_t)d * 2 * GV_LANES + i],
                  inner[((int64_t)d * 2 + 1) * GV_LANES + i]);
        }
      }
    }
  }
}

gv_status gv_box_tree_build(gv_context *context, const gv_reference *reference, gv_sort_code *codes,
                            gv_box_tree **out) {
  const gv_allocator *allocator = &reference->allocator;
  gv_status status = GV_OK;
  gv_sort_code *own = NULL;
  gv_box_tree *tree = gv_allocate_zeroed(allocator, 1, sizeof *tree);
  if (tree == NULL) return gv_fail_memory(context, "the tree");
  tree->metric = reference->metric;
  tree->dim = reference->dim;
  tree->periods = reference->periods;
  tree->power = reference->power;
  range all = {0, reference->count, codes == NULL};
  if (codes == NULL) {
    own = gv_allocate(allocator, reference->count, sizeof *own);
    if (own == NULL) {
      status = gv_fail_memory(context, "building the tree");
      goto done;
    }
    for (int64_t i = 0; i < reference->count; i++)
      own[i].index = i;
    codes = own;
  }
  count_node(codes, all, &tree->node_count, &tree->block_count);
  tree->nodes = gv_allocate(allocator, tree->node_count, gv_node_bytes(tree->dim));
  tree->blocks = gv_allocate(allocator, tree->block_count, gv_block_bytes(tree->dim));
  tree->low = gv_allocate(allocator, tree->dim, sizeof(double));
  tree->high = gv_allocate(allocator, tree->dim, sizeof(double));
  if (tree->nodes == NULL || tree->blocks == NULL || tree->low == NULL || tree->high == NULL) {
    status = gv_fail_memory(context, "the tree");
    goto done;
  }

  box_tree_builder b = {.reference = reference, .tree = tree, .codes = codes};
  atomic_init(&b.next_node, 1);
  atomic_init(&b.next_block, 0);
  gv_progress_init(&b.progress, context, reference->count);
  int threads = reference->count > TASK_POINTS ? context->threads : 1;
  noding root = {&b, all, 0};
  gv_tasks_run(threads, node_task, &root);
  if (gv_progress_cancelled(&b.progress)) {
    status = gv_fail(context, GV_ERROR_CANCELLED, "cancelled");
    goto done;
  }

  const double *box = gv_node_box(tree, 0);
  const int64_t *least = gv_node_least(tree, 0);
  for (int32_t d = 0; d < tree->dim; d++) {
    tree->low[d] = INFINITY;
    tree->high[d] = -INFINITY;
    for (int lane = 0; lane < GV_LANES && least[lane] != GV_NO_INDEX; lane++) {
      double low = box[(int64_t)d * 2 * GV_LANES + lane], high = box[((int64_t)d * 2 + 1) * GV_LANES + lane];
      tree->low[d] = low < tree->low[d] ? low : tree->low[d];
      tree->high[d] = high > tree->high[d] ? high : tree->high[d];
    }
  }
  *out = tree;

done:
  gv_release(allocator, own);
  if (status != GV_OK) gv_box_tree_destroy(reference, tree);
  return status;
}

void gv_box_tree_destroy(const gv_reference *reference, gv_box_tree *tree) {
  if (tree == NULL) return;
  const gv_allocator *allocator = &reference->allocator;
  gv_release(allocator, tree->nodes);
  gv_release(allocator, tree->blocks);
  gv_release(allocator, tree->low);
  gv_release(allocator, tree->high);
  gv_release(allocator, tree);
}

/* ------------------------------------------------------------------------------------------------- search */

/* Computes codes of queries from `first` on. */
typedef struct box_tree_coding {
  const gv_morton *morton;
  const double *data;
  int64_t first;
  gv_sort_code *order;
} box_tree_coding;

static gv_status code_queries(gv_worker *worker, int64_t first, int64_t end) {
  const box_tree_coding *c = worker->user;
  for (int64_t i = first; i < end; i++)
    c->order[i] =
        (gv_sort_code){gv_morton_code(c->morton, c->data + (c->first + i) * c->morton->dim), c->first + i};
  return GV_OK;
}

/* Queries first ... first + count - 1 in Morton order of the reference set's box, with enough bits to
 * separate their neighborhoods. */
static gv_status box_tree_order_queries(gv_context *context, const gv_box_tree *tree, const gv_query *query,
                                        int64_t first, int64_t count, gv_sort_code *order,
                                        gv_sort_code *scratch, int threads) {
  int bits = 33 / tree->dim < 22 ? 33 / tree->dim : 22;
  gv_morton morton = {tree->dim, bits, tree->low, tree->high};
  box_tree_coding c = {&morton, query->data, first, order};
  gv_loop loop = {.threads = threads, .count = count, .user = &c};
  gv_parallel_for(&loop, code_queries);
  return gv_codes_sort(context, order, scratch, count, bits * tree->dim, threads);
}

static bool query_is_reference(const gv_reference *reference, const gv_query *query) {
  if (query->self_offset < 0) return false;
  const double *excluded = reference->data + query->self_offset * reference->dim;
  return query->data == excluded ||
         memcmp(query->data, excluded, (size_t)(query->count * reference->dim) * sizeof *excluded) == 0;
}

/* Queries being searched, from `first` on or in an order. */
typedef struct box_tree_searching {
  const gv_box_tree *tree;
  const gv_query *query;
  gv_box_tree_kernel kernel;
  const gv_sort_code *order;
  int64_t first;
  bool same; /* the queries are the reference set */
  int64_t *indices;
  double *canonical;
  gv_progress progress;
} box_tree_searching;

static gv_status search_some(gv_worker *worker, int64_t first, int64_t end) {
  box_tree_searching *s = worker->user;
  s->kernel(s->tree, s->query, s->order, s->first + first, s->first + end, s->same, s->indices, s->canonical);
  gv_progress_add(&s->progress, end - first);
  return GV_OK;
}

gv_status gv_box_tree_search(gv_context *context, const gv_reference *reference, const void *state,
                             const gv_query *query, int64_t *indices, double *canonical) {
  const gv_box_tree *tree = state;
  const gv_allocator *allocator = &context->allocator;
  bool ordered = tree->dim <= ORDERED_DIM_MAX && query->count >= ORDERED_QUERIES_MIN;
  int threads = gv_threads_for(context, 100.0 * (double)query->count * (double)(tree->dim + query->k));
  int64_t slab = query->count < SLAB_QUERIES ? query->count : SLAB_QUERIES;
  gv_sort_code *order = NULL, *scratch = NULL;
  gv_status status = GV_OK;
  if (ordered) {
    order = gv_allocate(allocator, slab, sizeof *order);
    scratch = gv_allocate(allocator, slab, sizeof *scratch);
    if (order == NULL || scratch == NULL) {
      status = gv_fail_memory(context, "ordering the queries");
      goto done;
    }
  }
  box_tree_searching s = {.tree = tree,
                          .query = query,
                          .kernel = *gv_box_tree_kernel_get(),
                          .same = query_is_reference(reference, query),
                          .indices = indices,
                          .canonical = canonical};
  gv_progress_init(&s.progress, context, query->count);
  for (int64_t first = 0; first < query->count && status == GV_OK; first += slab) {
    int64_t count = query->count - first < slab ? query->count - first : slab;
    if (ordered) status = box_tree_order_queries(context, tree, query, first, count, order, scratch, threads);
    if (status != GV_OK) break;
    int64_t chunk = count / ((int64_t)threads * 8) + 1;
    if (chunk > CHUNK_QUERIES) chunk = CHUNK_QUERIES;
    s.order = order;
    s.first = ordered ? 0 : first;
    gv_loop loop = {context, threads, count, chunk, &s.progress, &s};
    status = gv_parallel_for(&loop, search_some);
  }

done:
  gv_release(allocator, order);
  gv_release(allocator, scratch);
  return status;
}

void gv_box_tree_within(const gv_reference *reference, const void *state, const double *query, double limit,
                        int64_t self, gv_found_list *list) {
  (void)reference;
  (*gv_box_tree_within_kernel_get())(state, query, limit, self, list);
}
