/*
 * cuda-kdtree: a k-d tree in the implicit layout of tree.h, for up to GV_TREE_MAX_DIM dimensions. A
 * stretch of 8 x 2^j points is cut in half along its widest dimension, all stretches of a level at once:
 *   - long stretches by one radix sort of (stretch, coordinate in 20 bits) a level, stable, so points with
 *     equal bits keep their order and are separated on a lower level;
 *   - stretches of 2,048 points by a block each, all eight remaining levels in shared memory, bitonic sorts.
 * The widest dimension and the range of its coordinates come from a sample: neither has to be exact, since
 * a cut at any place gives a valid tree. O(n log n): log2(n / 2048) sorts, each bound by the memory's
 * bandwidth, and the blocks' part.
 */
#include "search/cuda/devices.h"
#include "search/cuda/tree.h"

enum {
  BLOCK_POINTS = 2048,
  BLOCK_THREADS = 1024,
  THREADS = 256,
  KEY_BITS = 20,
  SAMPLES = 96 /* of a stretch: three reads a lane and dimension */
};

/* Conversion of the coordinates of a stretch along its widest dimension to keys. */
typedef struct cut {
  uint64_t low, high; /* ordered bits of the sample's least and greatest */
  int dimension;
} cut;

/* Integers in the order of the doubles. */
static __device__ __forceinline__ uint64_t ordered_bits(double value) {
  uint64_t bits = (uint64_t)__double_as_longlong(value);
  return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* The widest dimension of the points order[0 ... count - 1], from a sample, by a warp; the same in all
 * lanes. */
static __device__ cut widest(const double *data, int dim, const int *order, int count) {
  int lane = (int)(threadIdx.x & 31u), stride = count > SAMPLES ? count / SAMPLES : 1;
  cut best = {0, 0, 0};
  double width = -1.0;
  for (int d = 0; d < dim; d++) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = (int64_t)lane * stride; i < count; i += (int64_t)32 * stride) {
      double x = data[(int64_t)order[i] * dim + d];
      low = x < low ? x : low;
      high = x > high ? x : high;
    }
    for (int apart = 16; apart > 0; apart /= 2) {
      double l = __shfl_xor_sync(0xffffffffu, low, apart), h = __shfl_xor_sync(0xffffffffu, high, apart);
      low = l < low ? l : low;
      high = h > high ? h : high;
    }
    double here = 0.5 * high - 0.5 * low;
    if (here > width) {
      width = here;
      best.low = ordered_bits(low);
      best.high = ordered_bits(high);
      best.dimension = d;
    }
  }
  return best;
}

static __global__ void number_points(int count, int *order) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) order[i] = i;
}

/* A warp a stretch. */
static __global__ void __launch_bounds__(THREADS)
    choose_cuts(const double *data, int dim, const int *order, int count, int64_t length, int stretches,
                cut *cuts) {
  int stretch = (int)((blockIdx.x * THREADS + threadIdx.x) / 32u);
  if (stretch >= stretches) return;
  int64_t first = stretch * length, left = count - first;
  cut chosen = widest(data, dim, order + first, (int)(left < length ? left : length));
  if (threadIdx.x % 32u == 0) cuts[stretch] = chosen;
}

/* Keys: the stretch, then the coordinate's bits between the sample's ends, as many as fit. Steps of the bits
 * are those of the number format, finer towards zero: the coarsest case, a range across zero, leaves 64 steps
 * a binade or more. */
static __global__ void __launch_bounds__(THREADS)
    make_keys(const double *data, int dim, const int *order, int count, int length_bits, int key_bits,
              const cut *cuts, uint32_t *keys) {
  int i = (int)(blockIdx.x * THREADS + threadIdx.x);
  if (i >= count) return;
  uint32_t stretch = (uint32_t)i >> length_bits;
  cut c = cuts[stretch];
  uint64_t x = ordered_bits(data[(int64_t)order[i] * dim + c.dimension]);
  x = x < c.low ? c.low : x > c.high ? c.high : x;
  int wide = 64 - __clzll((long long)(c.high - c.low)), shift = wide > key_bits ? wide - key_bits : 0;
  keys[i] = stretch << key_bits | (uint32_t)((x - c.low) >> shift);
}

/* A block a stretch of `length` <= BLOCK_POINTS points (a power of two), down to leaves. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    finish_stretches(const double *data, int dim, int *order, int count, int length) {
  __shared__ uint64_t keys[BLOCK_POINTS];
  __shared__ int numbers[BLOCK_POINTS];
  __shared__ int dimension[BLOCK_POINTS / GV_TREE_LEAF];
  int64_t first = (int64_t)blockIdx.x * length;
  int here = count - first < length ? (int)(count - first) : length, warp = (int)(threadIdx.x / 32u);
  for (int i = (int)threadIdx.x; i < length; i += BLOCK_THREADS)
    numbers[i] = i < here ? order[first + i] : GV_TREE_NO_INDEX;
  __syncthreads();
  for (int piece = length; piece > GV_TREE_LEAF; piece /= 2) {
    for (int part = warp; part * piece < here; part += BLOCK_THREADS / 32) {
      int left = here - part * piece;
      cut chosen = widest(data, dim, numbers + part * piece, left < piece ? left : piece);
      if (threadIdx.x % 32u == 0) dimension[part] = chosen.dimension;
    }
    __syncthreads();
    /* Places past the end have the greatest key and number: they stay there. */
    for (int i = (int)threadIdx.x; i < length; i += BLOCK_THREADS) {
      keys[i] =
          i < here ? ordered_bits(data[(int64_t)numbers[i] * dim + dimension[i / piece]]) : ~(uint64_t)0;
    }
    __syncthreads();
    for (int sorted = 2; sorted <= piece; sorted *= 2) {
      for (int apart = sorted / 2; apart > 0; apart /= 2) {
        for (int pair = (int)threadIdx.x; pair < length / 2; pair += BLOCK_THREADS) {
          int a = 2 * apart * (pair / apart) + pair % apart, b = a + apart;
          uint64_t x = keys[a], y = keys[b];
          int m = numbers[a], n = numbers[b];
          bool rising = sorted == piece || (a & sorted) == 0;
          if ((x > y || (x == y && m > n)) == rising) {
            keys[a] = y;
            keys[b] = x;
            numbers[a] = n;
            numbers[b] = m;
          }
        }
        gv_tree_bitonic_wait(sorted, apart);
      }
    }
    __syncthreads();
  }
  for (int i = (int)threadIdx.x; i < here; i += BLOCK_THREADS)
    order[first + i] = numbers[i];
}

gv_status gv_tree_order_by_halves(gv_context *context, gv_cuda_queue *queue, const gv_reference *reference,
                                  const double *data, const double *edges, int *order, bool *overlapping) {
  enum { SLOT_KEYS = GV_TREE_SLOT_FREE, SLOT_KEYS_OTHER, SLOT_ORDER_OTHER, SLOT_CUTS, SLOT_SORT };
  (void)edges;
  *overlapping = false;
  gv_status status = GV_OK;
  int count = (int)reference->count, dim = reference->dim, length_bits = 3;
  uint32_t *keys[2] = {NULL, NULL};
  int *orders[2] = {order, NULL};
  cut *cuts = NULL;
  while (((int64_t)1 << length_bits) < count)
    length_bits++;
  number_points<<<gv_tree_blocks(count, THREADS), THREADS, 0, queue->stream>>>(count, order);
  GV_CUDA_LAUNCHED(context, "numbering points");
  if (((int64_t)1 << length_bits) > BLOCK_POINTS) {
    status = gv_cuda_reserve(context, queue, SLOT_KEYS, (size_t)count * sizeof **keys, (void **)&keys[0]);
    if (status == GV_OK) {
      status =
          gv_cuda_reserve(context, queue, SLOT_KEYS_OTHER, (size_t)count * sizeof **keys, (void **)&keys[1]);
    }
    if (status == GV_OK) {
      status =
          gv_cuda_reserve(context, queue, SLOT_ORDER_OTHER, (size_t)count * sizeof(int), (void **)&orders[1]);
    }
    if (status == GV_OK) {
      status = gv_cuda_reserve(context, queue, SLOT_CUTS, ((size_t)count / BLOCK_POINTS + 1) * sizeof *cuts,
                               (void **)&cuts);
    }
    if (status != GV_OK) return status;
  }
  for (int level = 0; ((int64_t)1 << length_bits) > BLOCK_POINTS; level++, length_bits--) {
    int64_t length = (int64_t)1 << length_bits;
    int stretches = (int)((count + length - 1) / length),
        key_bits = 32 - level < KEY_BITS ? 32 - level : KEY_BITS;
    choose_cuts<<<gv_tree_blocks((int64_t)stretches * 32, THREADS), THREADS, 0, queue->stream>>>(
        data, dim, orders[0], count, length, stretches, cuts);
    GV_CUDA_LAUNCHED(context, "choosing cuts");
    make_keys<<<gv_tree_blocks(count, THREADS), THREADS, 0, queue->stream>>>(
        data, dim, orders[0], count, length_bits, key_bits, cuts, keys[0]);
    GV_CUDA_LAUNCHED(context, "making keys");
    status = gv_tree_sort_32(context, queue, SLOT_SORT, keys, orders, count, key_bits + level);
    if (status != GV_OK) return status;
  }
  finish_stretches<<<gv_tree_blocks(count, 1 << length_bits), BLOCK_THREADS, 0, queue->stream>>>(
      data, dim, orders[0], count, 1 << length_bits);
  GV_CUDA_LAUNCHED(context, "cutting stretches");
  if (orders[0] != order) {
    GV_CUDA_TRY(context,
                cudaMemcpyAsync(order, orders[0], (size_t)count * sizeof(int), cudaMemcpyDeviceToDevice,
                                queue->stream),
                "ordering points");
  }

done:
  return status;
}

static gv_status kdtree_build(gv_context *context, const gv_reference *reference, void **state) {
  return gv_cuda_tree_build(context, reference, gv_tree_order_by_halves, state);
}

extern "C" {
const gv_search_engine gv_search_cuda_kdtree = {gv_cuda_probe_device, kdtree_build, gv_cuda_tree_search,
                                                gv_cuda_tree_destroy};
}
