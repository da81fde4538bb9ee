/*
 * All points within a radius of each query, by a tree of tree.h. A warp takes 32 queries that are neighbors
 * on the Hilbert curve, a lane a query: it reads each leaf within the greatest radius of the box around them
 * and compares its points with all queries, by exact distances. The first pass counts; with the caller's
 * offsets the second writes to each query's place, and lists are sorted where they lie: short ones by a warp
 * in shared memory, long ones by a block.
 *
 * Gain: 40x over 16 cores for the numbers of neighbors, 15x for their lists, 10x with distances, 10x for the
 * numbers of pairs, 7x for pairs (10^6 uniform points among themselves in 3-D, 30 neighbors each, in host
 * memory: 2.4, 10.5, 16.7, 2.9 and 9.6 ms on one H200, `kdtree` 105, 159, 172, 30 and 73 ms).
 */
#include <limits.h>

#include "search/cuda/runtime.h"
#include "search/cuda/tree_list_sort.cuh"
#include "search/cuda/tree_queries.h"

extern "C" {
extern const gv_array_device gv_cuda_arrays;
}

enum {
  RADIUS_THREADS = 128,
  SHORT_LIST = 512,
  LONG_THREADS = 1024,
  LONG_BLOCKS = 264,
  MOST_RESULTS = 1 << 28
};

/* A chunk of queries; pointers are the device's. */
typedef struct within_view {
  const double *data;
  const int *order;
  int count;
  double limit;
  const double *limits;      /* NULL: limit */
  int64_t first_self, later; /* < 0: none */
  int *found;                /* numbers of neighbors of each query */
  const int64_t *offsets;    /* count + 1, of the second pass; the first one is subtracted */
  double *value;
  int *number;
  /* the first query with other numbers of neighbors than the offsets have room for; INT_MAX: none */
  int *mismatch;
} within_view;

template <int DIM, int METRIC, bool FILL> struct within {
  double q[DIM], low[DIM], high[DIM], limit, most;
  int self, later, found;
  unsigned limit_key;
  double *value;
  int *number;
  int64_t room;

  __device__ __forceinline__ unsigned open(const gv_tree_view &tree, int level, int node) {
    const int lane = (int)(threadIdx.x % WARP);
    int64_t child = (int64_t)node * GV_TREE_FAN + lane;
    if (child >= tree.children[level]) return NONE;
    double bound = child_bound<METRIC, DIM>(tree, level, node, low, high, lane);
    return bound <= most ? key_of(bound) : NONE;
  }

  __device__ __forceinline__ void leaves(const gv_tree_view &tree, int node, unsigned key) {
    for (unsigned left = __ballot_sync(0xffffffffu, key != NONE); left != 0; left &= left - 1)
      look(tree, node * GV_TREE_FAN + __ffs((int)left) - 1);
  }

  __device__ __forceinline__ void look(const gv_tree_view &tree, int leaf) {
    const double *points = tree.points + (int64_t)leaf * (DIM * GV_TREE_LEAF);
#pragma unroll
    for (int j = 0; j < GV_TREE_LEAF; j += 2) {
      double distance[2];
#pragma unroll
      for (int d = 0; d < DIM; d++) {
        double2 p = *(const double2 *)(points + d * GV_TREE_LEAF + j);
        distance[0] = add_difference<METRIC>(d > 0 ? distance[0] : 0.0, q[d] - p.x, d == 0);
        distance[1] = add_difference<METRIC>(d > 0 ? distance[1] : 0.0, q[d] - p.y, d == 0);
      }
#pragma unroll
      for (int i = 0; i < 2; i++) {
        if (!(distance[i] <= limit)) continue;
        int n = tree.numbers[(int64_t)leaf * GV_TREE_LEAF + j + i];
        if (n == GV_TREE_NO_INDEX || n == self || n <= later) continue;
        if (FILL && found < room) {
          value[found] = distance[i];
          number[found] = n;
        }
        found++;
      }
    }
  }
};

template <int DIM, int METRIC, bool FILL>
static __global__ void __launch_bounds__(RADIUS_THREADS)
    search_within(const __grid_constant__ gv_tree_view tree, const __grid_constant__ within_view chunk) {
  __shared__ unsigned keys[RADIUS_THREADS / WARP][GV_TREE_LEVELS][WARP];
  const int lane = (int)(threadIdx.x % WARP), warp = (int)(threadIdx.x / WARP);
  int64_t first = ((int64_t)blockIdx.x * (RADIUS_THREADS / WARP) + warp) * WARP;
  if (first >= chunk.count) return;
  /* Places past the last query repeat it and write nothing. */
  bool there = first + lane < chunk.count;
  int query = chunk.order[there ? first + lane : chunk.count - 1];
  within<DIM, METRIC, FILL> s;
  s.limit = (chunk.limits != NULL ? chunk.limits[query] : chunk.limit) + 0.0;
  s.most = s.limit;
#pragma unroll
  for (int d = 0; d < DIM; d++)
    s.low[d] = s.high[d] = s.q[d] = chunk.data[(int64_t)query * DIM + d];
#pragma unroll
  for (int apart = WARP / 2; apart > 0; apart /= 2) {
    double other = __shfl_xor_sync(0xffffffffu, s.most, apart);
    s.most = other > s.most ? other : s.most;
#pragma unroll
    for (int d = 0; d < DIM; d++) {
      double low = __shfl_xor_sync(0xffffffffu, s.low[d], apart),
             high = __shfl_xor_sync(0xffffffffu, s.high[d], apart);
      s.low[d] = low < s.low[d] ? low : s.low[d];
      s.high[d] = high > s.high[d] ? high : s.high[d];
    }
  }
  s.self = chunk.first_self < 0 ? -1 : (int)(chunk.first_self + query);
  s.later = chunk.later < 0 ? -1 : (int)(chunk.later + query);
  s.found = 0;
  s.limit_key = NONE - 1;
  int64_t from = 0;
  s.room = 0;
  if (FILL) {
    from = chunk.offsets[query] - chunk.offsets[0];
    s.room = there ? chunk.offsets[query + 1] - chunk.offsets[query] : 0;
    s.value = chunk.value + from;
    s.number = chunk.number + from;
  }
  visit(tree, &keys[warp][0][lane], s);
  if (!there) return;
  if (FILL && s.found != s.room) atomicMin(chunk.mismatch, query);
  chunk.found[query] = s.found;
}

/* Sorts each query's list: by a warp, or puts it on `longer` (a number, then queries). */
template <bool BY_NUMBER>
static __global__ void __launch_bounds__(RADIUS_THREADS)
    sort_short(const __grid_constant__ within_view chunk, int *longer) {
  __shared__ double value[RADIUS_THREADS / WARP][SHORT_LIST];
  __shared__ int number[RADIUS_THREADS / WARP][SHORT_LIST];
  const int lane = (int)(threadIdx.x % WARP), warp = (int)(threadIdx.x / WARP);
  int64_t query = (int64_t)blockIdx.x * (RADIUS_THREADS / WARP) + warp;
  if (query >= chunk.count) return;
  int64_t from = chunk.offsets[query] - chunk.offsets[0];
  int64_t count = chunk.offsets[query + 1] - chunk.offsets[query];
  if (count > SHORT_LIST) {
    if (lane == 0) longer[1 + atomicAdd(longer, 1)] = (int)query;
    return;
  }
  for (int i = lane; i < count; i += WARP) {
    value[warp][i] = chunk.value[from + i];
    number[warp][i] = chunk.number[from + i];
  }
  __syncwarp();
  list_sort<false, BY_NUMBER>(value[warp], number[warp], (int)count);
  for (int i = lane; i < count; i += WARP) {
    chunk.value[from + i] = value[warp][i];
    chunk.number[from + i] = number[warp][i];
  }
}

template <bool BY_NUMBER>
static __global__ void __launch_bounds__(LONG_THREADS)
    sort_long(const __grid_constant__ within_view chunk, const int *longer) {
  for (int i = (int)blockIdx.x; i < longer[0]; i += (int)gridDim.x) {
    int query = longer[1 + i];
    int64_t from = chunk.offsets[query] - chunk.offsets[0];
    list_sort<true, BY_NUMBER>(chunk.value + from, chunk.number + from,
                               (int)(chunk.offsets[query + 1] - chunk.offsets[query]));
  }
}

static __global__ void widen_numbers(const int *number, int64_t count, int64_t *out) {
  for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += (int64_t)gridDim.x * blockDim.x)
    out[i] = number[i];
}

/* A warp a query. */
static __global__ void __launch_bounds__(RADIUS_THREADS)
    make_pairs(const __grid_constant__ within_view chunk, int64_t first, int64_t *out) {
  const int lane = (int)(threadIdx.x % WARP), warp = (int)(threadIdx.x / WARP);
  int64_t query = (int64_t)blockIdx.x * (RADIUS_THREADS / WARP) + warp;
  if (query >= chunk.count) return;
  int64_t from = chunk.offsets[query] - chunk.offsets[0],
          count = chunk.offsets[query + 1] - chunk.offsets[query];
  for (int64_t i = from + lane; i < from + count; i += WARP)
    *(longlong2 *)(out + 2 * i) = make_longlong2((long long)(first + query), (long long)chunk.number[i]);
}

template <int DIM, bool FILL>
static void within_launch_metric(cudaStream_t stream, gv_metric metric, const gv_tree_view &tree,
                                 const within_view &chunk) {
  unsigned blocks = gv_tree_blocks(chunk.count, RADIUS_THREADS);
  switch (metric) {
  case GV_MANHATTAN:
    search_within<DIM, GV_MANHATTAN, FILL><<<blocks, RADIUS_THREADS, 0, stream>>>(tree, chunk);
    break;
  case GV_CHEBYSHEV:
    search_within<DIM, GV_CHEBYSHEV, FILL><<<blocks, RADIUS_THREADS, 0, stream>>>(tree, chunk);
    break;
  default:
    search_within<DIM, GV_EUCLIDEAN, FILL><<<blocks, RADIUS_THREADS, 0, stream>>>(tree, chunk);
    break;
  }
}

template <bool FILL>
static void within_launch(cudaStream_t stream, gv_metric metric, const gv_tree_view &tree,
                          const within_view &chunk) {
  switch (tree.dim) {
  case 1:
    within_launch_metric<1, FILL>(stream, metric, tree, chunk);
    break;
  case 2:
    within_launch_metric<2, FILL>(stream, metric, tree, chunk);
    break;
  case 3:
    within_launch_metric<3, FILL>(stream, metric, tree, chunk);
    break;
  default:
    within_launch_metric<4, FILL>(stream, metric, tree, chunk);
    break;
  }
}

/* Buffers of the queue. */
enum {
  SLOT_QUERIES,
  SLOT_CODES,
  SLOT_CODES_OTHER,
  SLOT_ORDER,
  SLOT_ORDER_OTHER,
  SLOT_LIMITS,
  SLOT_FOUND,
  SLOT_OFFSETS,
  SLOT_VALUES,
  SLOT_NUMBERS,
  SLOT_INDICES,
  SLOT_LONGER,
  SLOT_SORT,
  SLOTS_USED
};

/* A search: the caller's arrays, and what it has on the device. */
typedef struct radius_run {
  gv_context *context;
  gv_cuda_queue *queue;
  const gv_reference *reference;
  const gv_tree_view *tree;
  const gv_device_radius *query;
  int64_t *offsets, *indices;
  double *canonical;
} radius_run;

/* Uploads a chunk's queries and puts them in order. */
static gv_status radius_begin(const radius_run *r, int64_t first, int count, within_view *chunk) {
  gv_context *context = r->context;
  gv_cuda_queue *queue = r->queue;
  const gv_device_radius *query = r->query;
  const int dim = r->tree->dim;
  const size_t bytes = (size_t)count * (size_t)dim * sizeof(double);
  void *data = NULL, *limits = NULL, *found = NULL, *longer = NULL;
  uint32_t *codes[2] = {NULL, NULL};
  int *order[2] = {NULL, NULL};
  gv_status status = gv_cuda_reserve(context, queue, SLOT_QUERIES, bytes, &data);
  for (int i = 0; i < 2 && status == GV_OK; i++) {
    status =
        gv_cuda_reserve(context, queue, SLOT_CODES + i, (size_t)count * sizeof(uint32_t), (void **)&codes[i]);
    if (status == GV_OK)
      status =
          gv_cuda_reserve(context, queue, SLOT_ORDER + i, (size_t)count * sizeof(int), (void **)&order[i]);
  }
  if (status == GV_OK)
    status = gv_cuda_reserve(context, queue, SLOT_FOUND, (size_t)count * sizeof(int), &found);
  if (status == GV_OK)
    status = gv_cuda_reserve(context, queue, SLOT_LONGER, ((size_t)count + 2) * sizeof(int), &longer);
  if (status == GV_OK && query->limits != NULL)
    status = gv_cuda_reserve(context, queue, SLOT_LIMITS, (size_t)count * sizeof(double), &limits);
  if (status == GV_OK && query->data != NULL)
    status = gv_cuda_upload(context, queue, data, query->data + first * dim, bytes, "copying the queries");
  if (status == GV_OK && limits != NULL)
    status = gv_cuda_upload(context, queue, limits, query->limits + first, (size_t)count * sizeof(double),
                            "copying the radii");
  if (status == GV_OK && query->data != NULL)
    status = gv_tree_order_queries(context, queue, SLOT_SORT, *r->tree, -1, (const double *)data, count,
                                   codes, order);
  if (status == GV_OK && query->data == NULL)
    status = gv_tree_own_queries(context, queue, SLOT_SORT, *r->tree, (int)(query->first + first), count,
                                 (int *)codes[0], order[0], (double *)data);
  *chunk = {};
  chunk->data = (const double *)data;
  chunk->order = order[0];
  chunk->count = count;
  chunk->limit = query->limit;
  chunk->limits = (const double *)limits;
  chunk->first_self = query->self_offset < 0 ? -1 : query->self_offset + first;
  chunk->later = query->later < 0 ? -1 : query->later + first;
  chunk->found = (int *)found;
  chunk->mismatch = (int *)longer;
  return status;
}

static gv_status radius_count(const radius_run *r, int64_t first, int count) {
  gv_context *context = r->context;
  const size_t bytes = (size_t)count * sizeof(int64_t);
  void *numbers = NULL;
  within_view chunk;
  gv_status status = radius_begin(r, first, count, &chunk);
  if (status == GV_OK) status = gv_cuda_reserve(context, r->queue, SLOT_OFFSETS, bytes, &numbers);
  if (status != GV_OK) return status;
  gv_cuda_mark_begin(r->queue);
  within_launch<false>(r->queue->stream, r->reference->metric, *r->tree, chunk);
  GV_CUDA_LAUNCHED(context, "searching by radius");
  widen_numbers<<<4096, 256, 0, r->queue->stream>>>(chunk.found, count, (int64_t *)numbers);
  GV_CUDA_LAUNCHED(context, "searching by radius");
  gv_cuda_mark_end(r->queue);
  status = gv_cuda_download(context, r->queue, r->offsets + first + 1, numbers, bytes,
                            "copying the numbers of neighbors");

done:
  return status;
}

static gv_status radius_fill(const radius_run *r, int64_t first, int count) {
  gv_context *context = r->context;
  gv_cuda_queue *queue = r->queue;
  const int64_t from = r->offsets[first], results = r->offsets[first + count] - from;
  const int64_t words = r->query->pairs ? 2 : 1; /* of a result */
  const size_t offset_bytes = ((size_t)count + 1) * sizeof(int64_t),
               index_bytes = (size_t)(results * words) * sizeof(int64_t);
  void *offsets = NULL, *value = NULL, *number = NULL, *indices = NULL;
  int mismatch = INT_MAX, *longer;
  within_view chunk;
  gv_status status = radius_begin(r, first, count, &chunk);
  if (status == GV_OK) status = gv_cuda_reserve(context, queue, SLOT_OFFSETS, offset_bytes, &offsets);
  if (status == GV_OK)
    status = gv_cuda_reserve(context, queue, SLOT_VALUES, (size_t)results * sizeof(double) + 8, &value);
  if (status == GV_OK)
    status = gv_cuda_reserve(context, queue, SLOT_NUMBERS, (size_t)results * sizeof(int) + 8, &number);
  if (status == GV_OK && r->indices != NULL)
    status = gv_cuda_reserve(context, queue, SLOT_INDICES, index_bytes + 8, &indices);
  if (status == GV_OK)
    status = gv_cuda_upload(context, queue, offsets, r->offsets + first, offset_bytes, "copying the offsets");
  if (status != GV_OK) return status;
  longer = chunk.mismatch + 1;
  chunk.offsets = (const int64_t *)offsets;
  chunk.value = (double *)value;
  chunk.number = (int *)number;
  GV_CUDA_TRY(context, cudaMemsetAsync(chunk.mismatch, 0x7f, sizeof(int), queue->stream),
              "searching by radius");
  GV_CUDA_TRY(context, cudaMemsetAsync(longer, 0, sizeof(int), queue->stream), "searching by radius");
  gv_cuda_mark_begin(queue);
  within_launch<true>(queue->stream, r->reference->metric, *r->tree, chunk);
  GV_CUDA_LAUNCHED(context, "searching by radius");
  GV_CUDA_TRY(
      context,
      cudaMemcpyAsync(&mismatch, chunk.mismatch, sizeof mismatch, cudaMemcpyDeviceToHost, queue->stream),
      "searching by radius");
  if (r->query->by_number) {
    sort_short<true>
        <<<gv_tree_blocks(count, RADIUS_THREADS / WARP), RADIUS_THREADS, 0, queue->stream>>>(chunk, longer);
    sort_long<true><<<LONG_BLOCKS, LONG_THREADS, 0, queue->stream>>>(chunk, longer);
  } else {
    sort_short<false>
        <<<gv_tree_blocks(count, RADIUS_THREADS / WARP), RADIUS_THREADS, 0, queue->stream>>>(chunk, longer);
    sort_long<false><<<LONG_BLOCKS, LONG_THREADS, 0, queue->stream>>>(chunk, longer);
  }
  GV_CUDA_LAUNCHED(context, "sorting the neighbors");
  if (indices != NULL && r->query->pairs) {
    make_pairs<<<gv_tree_blocks(count, RADIUS_THREADS / WARP), RADIUS_THREADS, 0, queue->stream>>>(
        chunk, r->query->first + first, (int64_t *)indices);
    GV_CUDA_LAUNCHED(context, "sorting the neighbors");
  } else if (indices != NULL && results > 0) {
    widen_numbers<<<4096, 256, 0, queue->stream>>>(chunk.number, results, (int64_t *)indices);
    GV_CUDA_LAUNCHED(context, "sorting the neighbors");
  }
  gv_cuda_mark_end(queue);
  status = gv_cuda_wait(context, queue, "searching by radius");
  if (status == GV_OK && mismatch < count)
    status = gv_fail(
        context, GV_ERROR_INVALID_ARGUMENT,
        "query %lld (from 0): its number of neighbors is not that of its offsets (%lld); count them first",
        (long long)(r->query->first + first + mismatch),
        (long long)(r->offsets[first + mismatch + 1] - r->offsets[first + mismatch]));
  if (status == GV_OK && indices != NULL)
    status = gv_cuda_download(context, queue, r->indices + from * words, indices, index_bytes,
                              "copying the neighbors");
  if (status == GV_OK && r->canonical != NULL && r->query->reported && r->reference->metric == GV_EUCLIDEAN &&
      results > 0)
    status = gv_cuda_arrays.roots(context, queue, (double *)value, results);
  if (status == GV_OK && r->canonical != NULL)
    status = gv_cuda_download(context, queue, r->canonical + from, value, (size_t)results * sizeof(double),
                              "copying the distances");

done:
  return status;
}

/* How many queries from `first` on are searched at once, and `most` results at most; 0: the first one has
 * more. */
static int radius_chunk(const radius_run *r, int64_t first, int64_t size, int64_t most) {
  int64_t count = r->query->count - first < size ? r->query->count - first : size;
  if (r->indices == NULL && r->canonical == NULL) return (int)count;
  int64_t fitting = 0, above = count + 1;
  while (above - fitting > 1) { /* offsets ascend */
    int64_t middle = fitting + (above - fitting) / 2;
    if (r->offsets[first + middle] - r->offsets[first] <= most) {
      fitting = middle;
    } else {
      above = middle;
    }
  }
  return (int)fitting;
}

gv_status gv_cuda_tree_radius(gv_context *context, const gv_reference *reference, const void *state,
                              const gv_device_radius *query, int64_t *offsets, int64_t *indices,
                              double *canonical) {
  const gv_cuda_tree *tree = (const gv_cuda_tree *)state;
  const bool counted = indices == NULL && canonical == NULL;
  int64_t size = (int64_t)1 << 22, most = MOST_RESULTS;
  size_t free_bytes = 0;
  gv_cuda_queue *queue = NULL;
  gv_progress progress;
  gv_status status = gv_cuda_queue_take(context, tree->device, &queue);
  if (status != GV_OK) return status;
  gv_progress_init(&progress, context, query->count);
  radius_run r = {context, queue, reference, &tree->view, query, offsets, indices, canonical};
  if (size > query->count) size = query->count;
  status = gv_cuda_free_bytes(context, queue, &free_bytes);
  for (int slot = 0; slot < SLOTS_USED; slot++)
    free_bytes += queue->buffer[slot].bytes;
  /* A result takes 28 bytes at most, a query less than 128; half of the memory stays free. */
  if (most > (int64_t)(free_bytes / 80)) most = (int64_t)(free_bytes / 80);
  if (size > (int64_t)(free_bytes / 512) + 1024) size = (int64_t)(free_bytes / 512) + 1024;
  for (int64_t first = 0; first < query->count && status == GV_OK;) {
    int count = radius_chunk(&r, first, size, most);
    if (count == 0) {
      status = GV_ERROR_UNSUPPORTED;
    } else {
      status = counted ? radius_count(&r, first, count) : radius_fill(&r, first, count);
    }
    first += count;
    if (status == GV_OK && !gv_progress_add(&progress, count))
      status = gv_fail(context, GV_ERROR_CANCELLED, "cancelled");
  }
  gv_cuda_queue_give(context, queue);
  return status;
}
