/*
 * Searching a tree of tree.h, in one of several ways; all visit the children of a node nearest first and
 * leave out what cannot hold a better neighbor, as the CPU's box trees do (tree_visit.cuh).
 *
 *   alone    a warp a query (tree_alone.cuh). For any dimension, any k, queries anywhere.
 *   together a warp 32 or 64 queries that are neighbors on the Hilbert curve (tree_together.cuh). For
 *   dimensions up to 4,
 *            k <= TOGETHER_MAX_K, and queries that are not much sparser than the points: what is visited
 *            is the union of what the queries need.
 *            Groups for one neighbor that read many leaves leave their queries to `alone`.
 *   filtered the same by a float filter, for euclidean distances in 2 and 3 dimensions and 2 <= k <= 32
 *   (tree_filtered.cuh); queries
 *            that it leaves undecided are searched in one of the other ways.
 *   gathered a block 32 queries, for k > 32 (tree_gathered.cuh): the points around them are gathered first.
 *
 * Rounds. Where boxes overlap (those of stretches of a curve, and all boxes seen from a box of queries)
 * the nearest child is a weak hint of where neighbors are, and nodes visited before the limit is tight are
 * visited in vain. So the first round visits only nodes that overlap the queries' box, the second the
 * rest: in a simulation of queries ten times as dense as points in three dimensions 21 leaves instead of
 * 42 along the curve, 16 instead of 20 of the k-d tree.
 */
#include <limits.h>

#include "search/cuda/runtime.h"
#include "search/cuda/tree.h"
#include "search/cuda/tree_alone.cuh"
#include "search/cuda/tree_filtered.cuh"
#include "search/cuda/tree_gathered.h"
#include "search/cuda/tree_queries.h"
#include "search/cuda/tree_together.cuh"

enum { ORDERED_QUERIES_MIN = 1024 };

template <int DIM, int METRIC, bool SINGLE, int EACH>
static void launch_together(cudaStream_t stream, const gv_tree_view &tree, const chunk_view &chunk,
                            int *undecided, filtered_counts *counts) {
  const int threads = SINGLE ? TOGETHER_THREADS : TOGETHER_LIST_THREADS;
  size_t bytes = together_bytes(chunk.k, SINGLE) * (size_t)(threads / WARP);
  unsigned blocks = gv_tree_blocks(chunk.count, threads * EACH);
  search_together<DIM, METRIC, SINGLE, EACH>
      <<<blocks, threads, bytes, stream>>>(tree, chunk, undecided, counts);
}

template <int DIM, int METRIC>
static void launch_dim(cudaStream_t stream, const gv_tree_view &tree, const chunk_view &chunk, int each,
                       int *undecided, filtered_counts *counts) {
  if (chunk.k == 1 && each == 2) {
    launch_together<DIM, METRIC, true, 2>(stream, tree, chunk, undecided, counts);
  } else if (chunk.k == 1) {
    launch_together<DIM, METRIC, true, 1>(stream, tree, chunk, undecided, counts);
  } else {
    launch_together<DIM, METRIC, false, 1>(stream, tree, chunk, undecided, counts);
  }
}

/* Whether `together` is done by the filter. */
static bool suits_filter(const gv_tree_view &tree, const gv_reference *reference, int k, int each) {
  return each > 0 && k >= 2 && k <= FILTERED_MAX_K && (tree.dim == 2 || tree.dim == 3) &&
         reference->metric == GV_EUCLIDEAN;
}

template <int DIM>
static void launch_filtered(cudaStream_t stream, const gv_tree_view &tree, const chunk_view &chunk,
                            int *undecided, filtered_counts *counts) {
  if (chunk.k <= 8) {
    filtered_launch<DIM, 8 + SLACK>(stream, tree, chunk, undecided, counts);
  } else if (chunk.k <= 16) {
    filtered_launch<DIM, 16 + SLACK>(stream, tree, chunk, undecided, counts);
  } else {
    filtered_launch<DIM, FILTERED_MAX_K + SLACK>(stream, tree, chunk, undecided, counts);
  }
}

template <int METRIC>
static void tree_search_launch(cudaStream_t stream, const gv_tree_view &tree, const chunk_view &chunk,
                               int each, int *undecided, filtered_counts *counts) {
  if (each == 0) {
    /* As many warps a block as 48 KB of shared memory hold: one at least, at the greatest k and dimension. */
    size_t warp_bytes = alone_bytes(tree.dim, chunk.k), warps = 48 * 1024 / warp_bytes;
    if (warps > ALONE_THREADS / WARP) warps = ALONE_THREADS / WARP;
    unsigned blocks = gv_tree_blocks(chunk.count, (int)warps), threads = (unsigned)warps * WARP;
    if (chunk.k <= WARP) {
      search_alone<METRIC, true><<<blocks, threads, warps * warp_bytes, stream>>>(tree, chunk);
    } else {
      search_alone<METRIC, false><<<blocks, threads, warps * warp_bytes, stream>>>(tree, chunk);
    }
    return;
  }
  switch (tree.dim) {
  case 1:
    launch_dim<1, METRIC>(stream, tree, chunk, each, undecided, counts);
    break;
  case 2:
    launch_dim<2, METRIC>(stream, tree, chunk, each, undecided, counts);
    break;
  case 3:
    launch_dim<3, METRIC>(stream, tree, chunk, each, undecided, counts);
    break;
  default:
    launch_dim<4, METRIC>(stream, tree, chunk, each, undecided, counts);
    break;
  }
}

/*
 * How queries of this density are searched: 0 = alone, else together, with this number of queries a lane.
 * Measured on an H200, uniform points in three dimensions, k = 1: together costs 0.2 ns a query where queries
 * are ten times as dense as points, 0.6 ns where they are as dense and 2.2 ns at a tenth; alone 3 ns. With
 * lists alone wins earlier; where boxes overlap, later.
 */
static int queries_a_lane(const gv_tree_view &tree, int64_t points, int64_t queries, int k) {
  if (tree.dim > TOGETHER_MAX_DIM || k > TOGETHER_MAX_K || queries < ORDERED_QUERIES_MIN) return 0;
  int64_t sparsest = k == 1 ? (tree.overlapping ? 20 : 10) : (tree.overlapping ? 12 : 4);
  if (queries < points / sparsest) return 0;
  return k == 1 && queries / 4 >= points ? 2 : 1;
}

/* Buffers of the queue. */
enum {
  SLOT_QUERIES,
  SLOT_CODES,
  SLOT_CODES_OTHER,
  SLOT_ORDER,
  SLOT_ORDER_OTHER,
  SLOT_INDICES,
  SLOT_CANONICAL,
  SLOT_SORT
};

/* Device memory of a chunk of queries. Codes and orders only if queries are put in order; two of each, to
 * sort. */
struct chunk_memory {
  double *data;
  int64_t *indices;
  double *canonical;
  uint32_t *codes[2];
  int *order[2];
};

static gv_status reserve_chunk(gv_context *context, gv_cuda_queue *queue, int64_t size, int dim, int k,
                               bool ordered, chunk_memory *m) {
  gv_status status = GV_OK;
  if (m->data == NULL)
    status = gv_cuda_reserve(context, queue, SLOT_QUERIES, (size_t)(size * dim) * sizeof(double),
                             (void **)&m->data);
  if (status == GV_OK && m->indices == NULL)
    status = gv_cuda_reserve(context, queue, SLOT_INDICES, (size_t)(size * k) * sizeof(int64_t),
                             (void **)&m->indices);
  if (status == GV_OK && m->canonical == NULL)
    status = gv_cuda_reserve(context, queue, SLOT_CANONICAL, (size_t)(size * k) * sizeof(double),
                             (void **)&m->canonical);
  for (int i = 0; i < 2 && ordered && status == GV_OK; i++) {
    status = gv_cuda_reserve(context, queue, SLOT_CODES + i, (size_t)size * sizeof(uint32_t),
                             (void **)&m->codes[i]);
    if (status == GV_OK) {
      status =
          gv_cuda_reserve(context, queue, SLOT_ORDER + i, (size_t)size * sizeof(int), (void **)&m->order[i]);
    }
  }
  return status;
}

/* Whether groups of queries gather the points near them: the box around 32 queries holds fewer points than
 * their lists. */
static bool suits_gathering(const gv_cuda_queue *queue, const gv_tree_view &tree,
                            const gv_reference *reference, const chunk_view &chunk) {
  return chunk.k > FILTERED_MAX_K && (tree.dim == 2 || tree.dim == 3) && reference->metric == GV_EUCLIDEAN &&
         chunk.order != NULL && reference->count >= 4 * (int64_t)chunk.k &&
         (int64_t)chunk.count * chunk.k >= 8 * reference->count &&
         gv_tree_gathered_bytes(tree.dim, chunk.k) <= queue->shared_block_bytes;
}

/* Alone or together; undecided, counts: of one neighbor together. */
static void tree_search_by_metric(cudaStream_t stream, gv_metric metric, const gv_tree_view &tree,
                                  const chunk_view &chunk, int each, int *undecided,
                                  filtered_counts *counts) {
  switch (metric) {
  case GV_MANHATTAN:
    tree_search_launch<GV_MANHATTAN>(stream, tree, chunk, each, undecided, counts);
    break;
  case GV_CHEBYSHEV:
    tree_search_launch<GV_CHEBYSHEV>(stream, tree, chunk, each, undecided, counts);
    break;
  default:
    tree_search_launch<GV_EUCLIDEAN>(stream, tree, chunk, each, undecided, counts);
    break;
  }
}

/* Searches a chunk; waits where groups may leave queries undecided, to see which. codes, order: the buffers
 * of sorting; the first of `order` has the order of the queries, the others are free. */
static gv_status search_chunk(gv_context *context, gv_cuda_queue *queue, const gv_tree_view &tree,
                              const gv_reference *reference, chunk_view chunk, uint32_t *const codes[2],
                              int *const order[2]) {
  gv_status status = GV_OK;
  int each = queries_a_lane(tree, reference->count, chunk.count, chunk.k);
  const bool gathered = suits_gathering(queue, tree, reference, chunk), single = each > 0 && chunk.k == 1;
  if (gathered || single || suits_filter(tree, reference, chunk.k, each)) {
    filtered_counts counts = {}, *on_device = (filtered_counts *)codes[0];
    int *left = (int *)codes[1];
    GV_CUDA_TRY(context, cudaMemsetAsync(on_device, 0, sizeof counts, queue->stream), "searching a tree");
    if (gathered) {
      GV_CUDA_TRY(context, gv_tree_gathered(queue->stream, &tree, &chunk, order[1], on_device),
                  "searching a tree");
    } else if (single) {
      tree_search_by_metric(queue->stream, reference->metric, tree, chunk, each, order[1], on_device);
    } else if (tree.dim == 2) {
      launch_filtered<2>(queue->stream, tree, chunk, order[1], on_device);
    } else {
      launch_filtered<3>(queue->stream, tree, chunk, order[1], on_device);
    }
    GV_CUDA_LAUNCHED(context, "searching a tree");
    GV_CUDA_TRY(context,
                cudaMemcpyAsync(&counts, on_device, sizeof counts, cudaMemcpyDeviceToHost, queue->stream),
                "searching a tree");
    GV_CUDA_TRY(context, cudaStreamSynchronize(queue->stream), "searching a tree");
    if (counts.undecided == 0) return GV_OK;
    status =
        gv_tree_select(context, queue, SLOT_SORT, order[1], chunk.count, 0, INT_MAX, left, (int *)on_device);
    if (status != GV_OK) return status;
    chunk.order = left;
    chunk.count = counts.undecided;
    /* Those with far ones in their group would be as slow in groups again, those with equal distances are
     * not. */
    each = single || counts.far > counts.undecided / 2
               ? 0
               : queries_a_lane(tree, reference->count, chunk.count, chunk.k);
  }
  tree_search_by_metric(queue->stream, reference->metric, tree, chunk, each, NULL, NULL);
  GV_CUDA_LAUNCHED(context, "searching a tree");

done:
  return status;
}

/* Copies the results of a chunk to the caller's array, unless the search has written there directly. */
static gv_status fetch(gv_context *context, gv_cuda_queue *queue, void *to, const void *from, size_t bytes,
                       const char *doing) {
  return to == from ? GV_OK : gv_cuda_download(context, queue, to, from, bytes, doing);
}

/* How many queries are searched at once, with half of the free memory. */
static gv_status chunk_size(gv_context *context, gv_cuda_queue *queue, const gv_reference *reference, int k,
                            int64_t queries, int64_t *size) {
  const int64_t most = (int64_t)1 << 24, least = 1024,
                query_bytes = (int64_t)reference->dim * 8 + (int64_t)k * 16 + 16;
  size_t free_bytes = 0;
  gv_status status = gv_cuda_free_bytes(context, queue, &free_bytes);
  for (int slot = 0; slot <= SLOT_SORT; slot++)
    free_bytes += queue->buffer[slot].bytes;
  *size = (int64_t)(free_bytes / 2) / query_bytes;
  if (*size > most) *size = most;
  if (*size < least) *size = least;
  if (*size > queries) *size = queries;
  return status;
}

/* The number of the tree's point that the first query may be, by their number and by the point that it skips;
 * -1: none. */
static int64_t first_own(const gv_reference *reference, const gv_query *query) {
  const int64_t own = query->self_offset < 0 && query->count == reference->count ? 0 : query->self_offset;
  return own <= reference->count - query->count ? own : -1;
}

gv_status gv_cuda_tree_search(gv_context *context, const gv_reference *reference, const void *state,
                              const gv_query *query, int64_t *indices, double *canonical) {
  const gv_cuda_tree *tree = (const gv_cuda_tree *)state;
  const int device = tree->device, k = query->k, dim = reference->dim;
  gv_cuda_queue *queue = NULL;
  gv_status status = gv_cuda_queue_take(context, device, &queue);
  if (status != GV_OK) return status;
  /* Data that are already on this device are used directly. */
  const bool queries_here = gv_cuda_device_of(query->data) == device,
             indices_here = gv_cuda_device_of(indices) == device,
             canonical_here = gv_cuda_device_of(canonical) == device,
             ordered = query->count >= ORDERED_QUERIES_MIN;
  const int64_t own = first_own(reference, query);
  int64_t size = 0;
  chunk_memory memory = {};
  chunk_view chunk = {};
  gv_progress progress;
  gv_progress_init(&progress, context, query->count);

  if (queries_here) memory.data = (double *)query->data;
  if (indices_here) memory.indices = indices;
  if (canonical_here) memory.canonical = canonical;
  status = chunk_size(context, queue, reference, k, query->count, &size);
  if (status == GV_OK) status = reserve_chunk(context, queue, size, dim, k, ordered, &memory);
  if (status != GV_OK) goto done;
  chunk.k = k;
  chunk.limit = query->max_canonical + 0.0; /* no -0 */

  for (int64_t first = 0; first < query->count; first += size) {
    int count = (int)(query->count - first < size ? query->count - first : size);
    size_t found = (size_t)count * (size_t)k;
    if (!queries_here) {
      status = gv_cuda_upload(context, queue, memory.data, query->data + first * dim,
                              (size_t)count * (size_t)dim * sizeof(double), "copying the queries");
      if (status != GV_OK) goto done;
    }
    chunk.data = memory.data + (queries_here ? first * dim : 0);
    chunk.indices = memory.indices + (indices_here ? first * k : 0);
    chunk.canonical = memory.canonical + (canonical_here ? first * k : 0);
    gv_cuda_mark_begin(queue);
    if (ordered) {
      status = gv_tree_order_queries(context, queue, SLOT_SORT, tree->view, own < 0 ? -1 : own + first,
                                     chunk.data, count, memory.codes, memory.order);
      if (status != GV_OK) goto done;
    }
    chunk.order = ordered ? memory.order[0] : NULL;
    chunk.count = count;
    chunk.first_self = query->self_offset >= 0 ? query->self_offset + first : -1;
    status = search_chunk(context, queue, tree->view, reference, chunk, memory.codes, memory.order);
    if (status != GV_OK) goto done;
    gv_cuda_mark_end(queue);
    status = fetch(context, queue, indices + first * k, chunk.indices, found * sizeof(int64_t),
                   "copying the neighbors");
    if (status == GV_OK) {
      status = fetch(context, queue, canonical + first * k, chunk.canonical, found * sizeof(double),
                     "copying the distances");
    }
    if (status == GV_OK) status = gv_cuda_wait(context, queue, "searching a tree");
    if (status != GV_OK) goto done;
    if (!gv_progress_add(&progress, count)) {
      status = gv_fail(context, GV_ERROR_CANCELLED, "cancelled");
      goto done;
    }
  }

done:
  gv_cuda_queue_give(context, queue);
  return status;
}
