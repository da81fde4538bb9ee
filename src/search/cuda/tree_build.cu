/*
 * From an order of the points to a tree: leaves are gathered, boxes made from the leaves upwards. O(n), two
 * reads of the points and one write.
 */
#include "search/cuda/runtime.h"
#include "search/cuda/tree.h"

enum { SAMPLE = 4096, THREADS = 256 };

static __device__ __forceinline__ double lesser(double a, double b) {
  return b < a ? b : a;
}
static __device__ __forceinline__ double greater(double a, double b) {
  return b > a ? b : a;
}

/* A block a dimension: sorts a sample (bitonic) and computes quantiles of it. */
static __global__ void __launch_bounds__(1024)
    make_frame(const double *data, int count, int dim, double *edges) {
  __shared__ double sample[SAMPLE];
  int d = (int)blockIdx.x, taken = count < SAMPLE ? count : SAMPLE;
  for (int i = (int)threadIdx.x; i < SAMPLE; i += (int)blockDim.x) {
    int64_t at = (int64_t)i * count / taken;
    sample[i] = i < taken ? data[at * dim + d] : INFINITY;
  }
  __syncthreads();
  for (int sorted = 2; sorted <= SAMPLE; sorted *= 2) {
    for (int apart = sorted / 2; apart > 0; apart /= 2) {
      for (int pair = (int)threadIdx.x; pair < SAMPLE / 2; pair += (int)blockDim.x) {
        int a = 2 * apart * (pair / apart) + pair % apart, b = a + apart;
        double x = sample[a], y = sample[b];
        if ((x > y) == ((a & sorted) == 0)) {
          sample[a] = y;
          sample[b] = x;
        }
      }
      gv_tree_bitonic_wait(sorted, apart);
    }
  }
  for (int b = (int)threadIdx.x; b <= GV_TREE_BINS; b += (int)blockDim.x) {
    int at = (int)((int64_t)b * taken / GV_TREE_BINS);
    edges[d * (GV_TREE_BINS + 1) + b] = sample[at < taken ? at : taken - 1];
  }
}

/* A thread a place of a leaf; the eight threads of a leaf also make its box. */
static __global__ void __launch_bounds__(THREADS)
    gather_leaves(const double *data, const int *order, int count, int leaves, int dim, double *points,
                  int *numbers, double *boxes, int *least) {
  int64_t place = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  int leaf = (int)(place / GV_TREE_LEAF), lane = (int)(place % GV_TREE_LEAF);
  bool whole = leaf < leaves; /* the eight threads agree */
  int number = place < count ? order[place] : GV_TREE_NO_INDEX;
  if (whole) numbers[place] = number;
  int first = number;
  for (int apart = GV_TREE_LEAF / 2; apart > 0; apart /= 2) {
    int other = __shfl_xor_sync(0xffffffffu, first, apart);
    first = other < first ? other : first;
  }
  if (whole && lane == 0) least[leaf] = first;
  double *box = boxes + (int64_t)(leaf / GV_TREE_FAN) * dim * (2 * GV_TREE_FAN) + leaf % GV_TREE_FAN;
  for (int d = 0; d < dim; d++) {
    bool there = place < count;
    double x = there ? data[(int64_t)number * dim + d] : INFINITY;
    if (whole) points[((int64_t)leaf * dim + d) * GV_TREE_LEAF + lane] = x;
    double low = x, high = there ? x : -INFINITY;
    for (int apart = GV_TREE_LEAF / 2; apart > 0; apart /= 2) {
      low = lesser(low, __shfl_xor_sync(0xffffffffu, low, apart));
      high = greater(high, __shfl_xor_sync(0xffffffffu, high, apart));
    }
    if (whole && lane == 0) {
      box[(2 * d) * GV_TREE_FAN] = low;
      box[(2 * d + 1) * GV_TREE_FAN] = high;
    }
  }
}

/* A warp a node of the level below: its box becomes a child of this level. */
static __global__ void __launch_bounds__(THREADS)
    join_boxes(const double *below, const int *below_least, int below_children, int nodes, int dim,
               double *boxes, int *least) {
  int node = (int)(((int64_t)blockIdx.x * THREADS + threadIdx.x) / GV_TREE_FAN),
      lane = (int)(threadIdx.x % GV_TREE_FAN);
  if (node >= nodes) return;
  bool there = (int64_t)node * GV_TREE_FAN + lane < below_children;
  int first = there ? below_least[(int64_t)node * GV_TREE_FAN + lane] : GV_TREE_NO_INDEX;
  for (int apart = GV_TREE_FAN / 2; apart > 0; apart /= 2) {
    int other = __shfl_xor_sync(0xffffffffu, first, apart);
    first = other < first ? other : first;
  }
  if (lane == 0) least[node] = first;
  const double *from = below + (int64_t)node * dim * (2 * GV_TREE_FAN) + lane;
  double *box = boxes + (int64_t)(node / GV_TREE_FAN) * dim * (2 * GV_TREE_FAN) + node % GV_TREE_FAN;
  for (int d = 0; d < dim; d++) {
    double low = there ? from[(2 * d) * GV_TREE_FAN] : INFINITY;
    double high = there ? from[(2 * d + 1) * GV_TREE_FAN] : -INFINITY;
    for (int apart = GV_TREE_FAN / 2; apart > 0; apart /= 2) {
      low = lesser(low, __shfl_xor_sync(0xffffffffu, low, apart));
      high = greater(high, __shfl_xor_sync(0xffffffffu, high, apart));
    }
    if (lane == 0) {
      box[(2 * d) * GV_TREE_FAN] = low;
      box[(2 * d + 1) * GV_TREE_FAN] = high;
    }
  }
}

/* Offsets of the parts of a tree in its memory. */
typedef struct parts {
  size_t boxes[GV_TREE_LEVELS], least[GV_TREE_LEVELS], points, numbers, edges, bytes;
} parts;

static size_t place_part(parts *p, size_t bytes) {
  size_t at = p->bytes;
  p->bytes += (bytes + 255) / 256 * 256;
  return at;
}

/* Levels and sizes of a tree; returns the number of nodes of each level. */
static parts lay_out(int64_t count, int dim, gv_tree_view *view, int nodes[GV_TREE_LEVELS]) {
  parts p = {};
  int children = (int)((count + GV_TREE_LEAF - 1) / GV_TREE_LEAF);
  p.points = place_part(&p, (size_t)children * GV_TREE_LEAF * (size_t)dim * sizeof(double));
  p.numbers = place_part(&p, (size_t)children * GV_TREE_LEAF * sizeof(int));
  p.edges = place_part(&p, (size_t)dim * (GV_TREE_BINS + 1) * sizeof(double));
  view->dim = dim;
  for (int level = 0;; level++) {
    nodes[level] = (children + GV_TREE_FAN - 1) / GV_TREE_FAN;
    view->children[level] = children;
    view->top = level;
    p.boxes[level] = place_part(&p, (size_t)nodes[level] * (size_t)dim * 2 * GV_TREE_FAN * sizeof(double));
    p.least[level] = place_part(&p, (size_t)nodes[level] * GV_TREE_FAN * sizeof(int));
    if (nodes[level] == 1) return p;
    children = nodes[level];
  }
}

gv_status gv_cuda_tree_build(gv_context *context, const gv_reference *reference, gv_tree_orderer *orderer,
                             void **state) {
  if (reference->count >= GV_TREE_NO_INDEX) {
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "CUDA trees: too many points (%lld); fewer than 2147483647 are supported",
                   (long long)reference->count);
  }
  gv_cuda_queue *queue = NULL;
  gv_status status = gv_cuda_queue_take(context, -1, &queue);
  if (status != GV_OK) return status;
  int count = (int)reference->count, dim = reference->dim, nodes[GV_TREE_LEVELS];
  int frame_dims = dim < GV_TREE_ORDER_DIM ? dim : GV_TREE_ORDER_DIM;
  size_t data_bytes = (size_t)count * (size_t)dim * sizeof(double);
  parts p;
  bool overlapping = false;
  char *memory = NULL;
  void *data = NULL, *order = NULL;
  gv_progress progress;
  gv_progress_init(&progress, context, 3);
  gv_cuda_tree *tree = (gv_cuda_tree *)gv_allocate_zeroed(&reference->allocator, 1, sizeof *tree);
  if (tree == NULL) {
    status = gv_fail_memory(context, "the tree");
    goto done;
  }
  tree->device = queue->device;
  p = lay_out(count, dim, &tree->view, nodes);
  status = gv_cuda_allocate(context, p.bytes, &tree->memory);
  if (status == GV_OK) status = gv_cuda_reserve(context, queue, GV_TREE_SLOT_DATA, data_bytes, &data);
  if (status == GV_OK)
    status = gv_cuda_reserve(context, queue, GV_TREE_SLOT_ORDER, (size_t)count * sizeof(int), &order);
  if (status != GV_OK) goto done;
  memory = (char *)tree->memory;
  tree->view.points = (double *)(memory + p.points);
  tree->view.numbers = (int *)(memory + p.numbers);
  tree->view.edges = (double *)(memory + p.edges);
  for (int level = 0; level <= tree->view.top; level++) {
    tree->view.boxes[level] = (double *)(memory + p.boxes[level]);
    tree->view.least[level] = (int *)(memory + p.least[level]);
  }
  status = gv_cuda_upload(context, queue, data, reference->data, data_bytes, "copying the reference points");
  if (status != GV_OK) goto done;
  if (!gv_progress_add(&progress, 1)) goto cancelled;

  gv_cuda_mark_begin(queue);
  make_frame<<<frame_dims, 1024, 0, queue->stream>>>((double *)data, count, dim,
                                                     (double *)(memory + p.edges));
  GV_CUDA_LAUNCHED(context, "looking at the reference points");
  status = orderer(context, queue, reference, (double *)data, tree->view.edges, (int *)order, &overlapping);
  if (status != GV_OK) goto done;
  tree->view.overlapping = overlapping;
  gather_leaves<<<gv_tree_blocks((int64_t)tree->view.children[0] * GV_TREE_LEAF, THREADS), THREADS, 0,
                  queue->stream>>>((double *)data, (int *)order, count, tree->view.children[0], dim,
                                   (double *)(memory + p.points), (int *)(memory + p.numbers),
                                   (double *)(memory + p.boxes[0]), (int *)(memory + p.least[0]));
  GV_CUDA_LAUNCHED(context, "making leaves");
  for (int level = 1; level <= tree->view.top; level++) {
    join_boxes<<<gv_tree_blocks((int64_t)nodes[level - 1] * GV_TREE_FAN, THREADS), THREADS, 0,
                 queue->stream>>>(tree->view.boxes[level - 1], tree->view.least[level - 1],
                                  tree->view.children[level - 1], nodes[level - 1], dim,
                                  (double *)(memory + p.boxes[level]), (int *)(memory + p.least[level]));
    GV_CUDA_LAUNCHED(context, "making boxes");
  }
  gv_cuda_mark_end(queue);
  if (!gv_progress_add(&progress, 1)) goto cancelled;
  status = gv_cuda_wait(context, queue, "building a tree");
  if (status != GV_OK) goto done;
  if (!gv_progress_add(&progress, 1)) goto cancelled;
  *state = tree;
  goto done;

cancelled:
  status = gv_fail(context, GV_ERROR_CANCELLED, "cancelled");
done:
  gv_cuda_queue_give(context, queue);
  if (status != GV_OK) gv_cuda_tree_destroy(reference, tree);
  return status;
}

void gv_cuda_tree_destroy(const gv_reference *reference, void *state) {
  gv_cuda_tree *tree = (gv_cuda_tree *)state;
  if (tree == NULL) return;
  gv_cuda_release(tree->device, tree->memory);
  gv_release(&reference->allocator, tree);
}
