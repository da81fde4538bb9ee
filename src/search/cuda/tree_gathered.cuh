/*
 * Searching a tree for many neighbors (k > 32): a block takes 32 queries that are neighbors on the Hilbert
 * curve, and gathers all points within a radius of the box around them in shared memory, as floats. Then
 * each warp takes a query: it counts how many gathered points are within a threshold, and moves the
 * threshold until their number is between k and the capacity of a list. The exact distances of these
 * points are computed and sorted. No list is kept up to date while points are read.
 *
 * The radius is a guess, first from the extent of the nearest node's points, and is verified: a query with
 * fewer than k points within it needs a larger one, and the points are gathered again. If they are too
 * many for the shared memory, the radius is reduced, then the group halved, down to one query. So clusters
 * and gaps cost time only.
 *
 * Gain: 5x on 10^7 uniform points in 3-D, all k = 64 nearest with the build (36 ms on one H200; 170 and
 * more on an H100 with the lists of tree_together.cuh), 11x for k = 256 (126 ms; 1,400 by a warp a query),
 * 4x and 7x on clusters.
 *
 * The filter is that of tree_filtered.cuh, with its bounds:
 *     r <= sqrt(f) (1 + FACTOR) + FACTOR B + TINY     and     r >= sqrt(f) (1 - FACTOR) - FACTOR B - TINY.
 * If k points have values of at most t, the k-th distance is at most u = the upper bound for t, and a
 * point of the k nearest has a value of at most the square of (u + FACTOR B + TINY) / (1 - FACTOR): all
 * points up to there enter the list. A threshold is used only if u is within the radius that was gathered.
 *
 * Undecided queries: those with more points at nearly equal distances than a list holds, those that need
 * more attempts than MOST_ATTEMPTS, and all of a chunk if a quarter of the first ones were undecided. They
 * are searched in another way.
 */
#ifndef GV_CUDA_TREE_GATHERED_CUH
#define GV_CUDA_TREE_GATHERED_CUH

#include <limits.h>

#include "search/cuda/tree_list_sort.cuh"
#include "search/cuda/tree_margin.cuh"

enum {
  GATHERED_GROUP = WARP, /* queries of a block */
  GATHERED_THREADS = 128,
  GATHERED_THREADS_MOST = 256, /* for long lists, of which a multiprocessor holds few */
  GATHERED_LONG = 384,         /* k from which lists are long */
  GATHERED_WORDS = 384,        /* greatest capacity of lists that are sorted as words */
  MOST_ATTEMPTS = 64,          /* of a block to gather points */
  MOST_NODES = 256,            /* of a level, within the radius */
  MOST_PASSES = 12             /* to find a threshold */
};

/* Places of a query's list, and of the gathered points. */
static __host__ __device__ __forceinline__ int gathered_capacity(int k) {
  return (k + k / 4 + 24 + WARP - 1) / WARP * WARP;
}
static __host__ __device__ __forceinline__ int gathered_points(int k) {
  return 768 + 4 * k;
}
static __host__ __device__ __forceinline__ int gathered_threads(int k) {
  return k < GATHERED_LONG ? GATHERED_THREADS : GATHERED_THREADS_MOST;
}

/* Shared memory of a block, before the points, and the lists of its warps. */
template <int DIM> struct gathered_memory {
  double query[GATHERED_GROUP][DIM];
  double low[DIM], high[DIM], center[DIM];
  double square; /* of the radius */
  int number[GATHERED_GROUP];
  int node[2][MOST_NODES];
  int nodes[2];
  int points;    /* gathered; more than there is room for: the rest is missing */
  int fewest;    /* points within the radius of a query that needs more */
  unsigned done; /* queries with a result, a bit each */
  unsigned open; /* undecided ones */
  float margin;  /* FACTOR B + TINY */
  bool wide;     /* more nodes than there is room for */
};

template <int DIM> static size_t gathered_bytes(int k) {
  size_t list = (size_t)gathered_capacity(k) * (sizeof(double) + sizeof(int));
  return sizeof(gathered_memory<DIM>) + 16 + (size_t)gathered_points(k) * sizeof(float4) +
         (size_t)(gathered_threads(k) / WARP) * list;
}

/* The greatest filter value with an upper bound of the distance that is within the radius; negative: none. */
static __device__ __forceinline__ float gathered_threshold(double square, float margin) {
  float radius = (float)fmin(sqrt(square), 1e18);
  float inner = (radius * (1.0F - 4.0F * FILTER_FACTOR) - margin) * (1.0F - 2.0F * FILTER_FACTOR);
  return inner > 0.0F ? inner * inner * (1.0F - 2.0F * FILTER_FACTOR) : -1.0F;
}

/* The greatest filter value of points up to a distance. */
static __device__ __forceinline__ float gathered_reach_of(float distance, float margin) {
  float reach = __fmul_ru(__fadd_ru(distance, margin), 1.0F + 2.0F * FILTER_FACTOR);
  return __fmul_ru(reach, reach);
}

/* The filter value up to which points can be among the k nearest, if k points have values of at most
 * `threshold`. */
static __device__ __forceinline__ float gathered_reach(float threshold, float margin) {
  return gathered_reach_of(__fmaf_ru(__fsqrt_ru(threshold), 1.0F + FILTER_FACTOR, margin), margin);
}

template <int DIM> struct gathered {
  gathered_memory<DIM> *memory;
  float4 *point; /* relative to the center, and the bits of 8 x leaf + place */
  double *value; /* the warp's list */
  int *number;
  int room, capacity, k;
  double limit;

  /* The box around queries first ... first + size - 1; by the first warp. */
  __device__ __forceinline__ void frame(int first, int size) {
    const int lane = (int)(threadIdx.x % WARP);
    double widest = 0.0;
    int mine = first + (lane < size ? lane : size - 1);
#pragma unroll
    for (int d = 0; d < DIM; d++) {
      double low = memory->query[mine][d], high = low;
#pragma unroll
      for (int apart = WARP / 2; apart > 0; apart /= 2) {
        double other_low = __shfl_xor_sync(0xffffffffu, low, apart),
               other_high = __shfl_xor_sync(0xffffffffu, high, apart);
        low = other_low < low ? other_low : low;
        high = other_high > high ? other_high : high;
      }
      double center = 0.5 * low + 0.5 * high;
      widest = fmax(widest, fmax(high - center, center - low));
      memory->low[d] = low;
      memory->high[d] = high;
      memory->center[d] = center;
    }
    memory->margin =
        widest < 1e18 ? __fmaf_ru(__double2float_ru(widest), FILTER_FACTOR, FILTER_TINY) : INFINITY;
    __syncwarp();
  }

  /* The square of the diagonal of the lane's child of a node. */
  static __device__ __forceinline__ double diagonal(const gv_tree_view &tree, int level, int node) {
    const double *box =
        tree.boxes[level] + (int64_t)node * DIM * (2 * GV_TREE_FAN) + (int)(threadIdx.x % WARP);
    double square = 0.0;
#pragma unroll
    for (int d = 0; d < DIM; d++) {
      double width = box[(2 * d + 1) * GV_TREE_FAN] - box[(2 * d) * GV_TREE_FAN];
      square += width * width;
    }
    return square;
  }

  /* A first radius, from the extent of the points of the nearest node of level 0, the smallest of several. By
   * the first warp. */
  __device__ __forceinline__ void guess(const gv_tree_view &tree) {
    const int lane = (int)(threadIdx.x % WARP);
    int node = 0;
    for (int level = tree.top; level > 0; level--) {
      int64_t child = (int64_t)node * GV_TREE_FAN + lane;
      unsigned key =
          child < tree.children[level]
              ? key_of(child_bound<GV_EUCLIDEAN, DIM>(tree, level, node, memory->low, memory->high, lane))
              : NONE;
      unsigned nearest = warp_min(key), size = NONE;
      if (key == nearest && key != NONE) size = key_of(diagonal(tree, level, node));
      unsigned smallest = warp_min(size);
      node = node * GV_TREE_FAN + __ffs((int)__ballot_sync(0xffffffffu, size == smallest)) - 1;
    }
    bool there = (int64_t)node * GV_TREE_FAN + lane < tree.children[0];
    int count = __popc(__ballot_sync(0xffffffffu, there)) * GV_TREE_LEAF;
    const double *box = tree.boxes[0] + (int64_t)node * DIM * (2 * GV_TREE_FAN) + lane;
    double square = 0.0, own = 0.0; /* of the diagonals: the node's, the leaf's */
#pragma unroll
    for (int d = 0; d < DIM; d++) {
      double low = there ? box[(2 * d) * GV_TREE_FAN] : INFINITY,
             high = there ? box[(2 * d + 1) * GV_TREE_FAN] : -INFINITY;
      own += there ? (high - low) * (high - low) : INFINITY;
#pragma unroll
      for (int apart = WARP / 2; apart > 0; apart /= 2) {
        low = fmin(low, __shfl_xor_sync(0xffffffffu, low, apart));
        high = fmax(high, __shfl_xor_sync(0xffffffffu, high, apart));
      }
      square += (high - low) * (high - low);
    }
    /* The leaf in the middle, by size: a node that spans a gap is much larger than the leaves of its
     * points. */
    int smaller = 0;
    for (int i = 0; i < WARP; i++) {
      double other = __shfl_sync(0xffffffffu, own, i);
      smaller += other < own || (other == own && i < lane);
    }
    own = __shfl_sync(0xffffffffu, own,
                      __ffs((int)__ballot_sync(0xffffffffu, smaller == count / GV_TREE_LEAF / 2)) - 1);
    square *= 0.18 * exp2f(log2f((float)(k + 1) / (float)count) * (2.0F / (float)DIM));
    const double share =
        DIM > 2 && tree.overlapping ? 0.2 : 0.3; /* stretches of the curve are longer than halves */
    own *= share * exp2f(log2f((float)(k + 1) / (float)GV_TREE_LEAF) * (2.0F / (float)DIM));
    memory->square = fmin(fmax(own < square ? own : square, 1e-30), limit);
  }

  /* All points within the radius of the box, by the whole block. */
  __device__ __forceinline__ void gather(const gv_tree_view &tree) {
    const int lane = (int)(threadIdx.x % WARP), warp = (int)(threadIdx.x / WARP),
              warps = (int)(blockDim.x / WARP);
    const double square = memory->square;
    if (threadIdx.x == 0) {
      memory->points = 0;
      memory->wide = false;
      memory->node[0][0] = 0;
      memory->nodes[0] = 1;
      memory->nodes[1] = 0;
    }
    __syncthreads();
    int from = 0;
    for (int level = tree.top; level >= 0; level--, from = 1 - from) {
      int nodes = min(memory->nodes[from], (int)MOST_NODES);
      for (int i = warp; i < nodes; i += warps) {
        int node = memory->node[from][i];
        int64_t child = (int64_t)node * GV_TREE_FAN + lane;
        bool near =
            child < tree.children[level] &&
            child_bound<GV_EUCLIDEAN, DIM>(tree, level, node, memory->low, memory->high, lane) <= square;
        unsigned hits = __ballot_sync(0xffffffffu, near);
        if (hits == 0) continue;
        if (level == 0) {
          take_leaves(tree, node, hits, square);
          continue;
        }
        int at = 0;
        if (lane == 0) at = atomicAdd(&memory->nodes[1 - from], __popc(hits));
        at = __shfl_sync(0xffffffffu, at, 0) + __popc(hits & ((1u << lane) - 1u));
        if (near && at < MOST_NODES) memory->node[1 - from][at] = (int)child;
        if (near && at >= MOST_NODES) memory->wide = true;
      }
      __syncthreads();
      if (threadIdx.x == 0) memory->nodes[from] = 0;
      __syncthreads();
    }
  }

  /* The near points of some leaves of a node, four leaves at a time, by a warp. */
  __device__ __forceinline__ void take_leaves(const gv_tree_view &tree, int node, unsigned hits,
                                              double square) {
    const int lane = (int)(threadIdx.x % WARP), group = lane / GV_TREE_LEAF, place = lane % GV_TREE_LEAF;
    while (hits != 0 && *(volatile int *)&memory->points <= room) {
      int leaf = -1;
#pragma unroll
      for (int g = 0; g < WARP / GV_TREE_LEAF; g++) {
        if (g == group && hits != 0) leaf = node * GV_TREE_FAN + __ffs((int)hits) - 1;
        hits &= hits - 1;
      }
      float x[3] = {0.0F, 0.0F, 0.0F};
      double distance = INFINITY;
      if (leaf >= 0) {
        const double *at = tree.points + (int64_t)leaf * (DIM * GV_TREE_LEAF) + place;
#pragma unroll
        for (int d = 0; d < DIM; d++) {
          double c = at[d * GV_TREE_LEAF];
          distance = add_term<GV_EUCLIDEAN>(d == 0 ? 0.0 : distance,
                                            gap_between(memory->low[d], memory->high[d], c, c), d == 0);
          x[d] = (float)(c - memory->center[d]);
        }
      }
      bool near = distance <= square;
      unsigned all = __ballot_sync(0xffffffffu, near);
      int to = 0;
      if (lane == 0 && all != 0) to = atomicAdd(&memory->points, __popc(all));
      to = __shfl_sync(0xffffffffu, to, 0) + __popc(all & ((1u << lane) - 1u));
      if (near && to < room)
        point[to] = make_float4(x[0], x[1], x[2], __int_as_float(leaf * GV_TREE_LEAF + place));
    }
  }

  static __device__ __forceinline__ float filter(const float (&q)[DIM], float4 p) {
    float x = p.x - q[0], y = p.y - q[1];
    float f = __fmaf_rn(y, y, __fmul_rn(x, x));
    if (DIM > 2) {
      float z = p.z - q[DIM - 1];
      f = __fmaf_rn(z, z, f);
    }
    return f;
  }

  /* How many points have values of at most each of three thresholds. */
  __device__ __forceinline__ void count(const float (&q)[DIM], int points, const float (&t)[3],
                                        int (&c)[3]) const {
    const int lane = (int)(threadIdx.x % WARP);
    int mine[3] = {0, 0, 0};
#pragma unroll 4
    for (int i = lane; i < points; i += WARP) {
      float f = filter(q, point[i]);
#pragma unroll
      for (int j = 0; j < 3; j++)
        mine[j] += f <= t[j];
    }
#pragma unroll
    for (int j = 0; j < 3; j++)
      c[j] = (int)warp_sum((unsigned)mine[j]);
  }

  /*
   * A threshold with `want` to `capacity` points, from a guess; negative: there are fewer than `want` points
   * up to `most` (in *within their number), or -INFINITY: none was found. complete: all points that count are
   * up to `most`.
   */
  __device__ __forceinline__ float threshold(const float (&q)[DIM], int points, int want, float expected,
                                             float most, bool complete, int *within) const {
    float low = 0.0F, high = most;
    int fewer = 0, more = -1;
    float t[3] = {fminf(expected, most), fminf(1.15F * expected, most), most};
    if (!(expected > 0.0F)) {
      t[0] = 0.55F * most;
      t[1] = 0.75F * most;
    }
    for (int pass = 0; pass < MOST_PASSES; pass++) {
      int c[3];
      count(q, points, t, c);
      if (pass == 0) {
        more = c[2];
        *within = more;
        if (more < want) return complete ? most : -1.0F;
      }
#pragma unroll
      for (int j = 0; j < 3; j++) {
        if (c[j] >= want && t[j] < high) {
          high = t[j];
          more = c[j];
        }
        if (c[j] < want && t[j] > low) {
          low = t[j];
          fewer = c[j];
        }
      }
      if (more <= capacity - 4) return high;
      unsigned low_bits = __float_as_uint(low), step = (__float_as_uint(high) - low_bits) / 4u;
      if (step == 0) return -INFINITY;
#pragma unroll
      for (int j = 0; j < 3; j++) {
        float share = ((float)want + (float)(capacity - want) * (0.15F + 0.35F * (float)j) - (float)fewer) /
                      (float)(more - fewer);
        float between = fewer == 0 ? low + (high - low) * exp2f(log2f(share) * (2.0F / (float)DIM))
                                   : low + (high - low) * share;
        bool fits = pass < 4 && between > low && between < high;
        t[j] = fits ? between : __uint_as_float(low_bits + step * (unsigned)(j + 1));
      }
    }
    return -INFINITY;
  }

  /*
   * The points with values up to `reach` into the warp's list; returns their number. Short lists are of words
   * that are sorted: 20 bits of the value as a part of the reach, and 12 of the gathered point's number. Long
   * ones are of places.
   */
  __device__ __forceinline__ int collect(const float (&q)[DIM], int points, float reach) {
    const int lane = (int)(threadIdx.x % WARP);
    const float scale = 1048575.0F / reach;
    const bool words = capacity <= GATHERED_WORDS;
    int found = 0;
#pragma unroll 2
    for (int base = 0; base < points; base += WARP) {
      int i = base + lane;
      float4 p = point[i < points ? i : 0];
      float f = filter(q, p);
      bool near = i < points && f <= reach;
      unsigned word = min((unsigned)(f * scale), 0xfffffu) << 12 | (unsigned)i;
      unsigned hits = __ballot_sync(0xffffffffu, near);
      int at = found + __popc(hits & ((1u << lane) - 1u));
      if (near && at < capacity) number[at] = words ? (int)word : __float_as_int(p.w);
      found += __popc(hits);
    }
    __syncwarp();
    return found;
  }

  /* Entry i of the list: the exact distance of a point; infinite if it does not count. True if it is the
   * query itself. */
  __device__ __forceinline__ bool measure(const gv_tree_view &tree, const double *query, int self, int at,
                                          int i) {
    const double *from =
        tree.points + (int64_t)(at / GV_TREE_LEAF) * (DIM * GV_TREE_LEAF) + at % GV_TREE_LEAF;
    int id = tree.numbers[at];
    double distance = 0.0;
#pragma unroll
    for (int d = 0; d < DIM; d++)
      distance = add_difference<GV_EUCLIDEAN>(distance, query[d] - from[d * GV_TREE_LEAF], d == 0);
    bool counts = id != self && distance <= limit;
    value[i] = counts ? distance : INFINITY;
    number[i] = counts ? id : GV_TREE_NO_INDEX;
    return id == self;
  }

  /* The list in the order of the result. */
  __device__ __forceinline__ void order(const gv_tree_view &tree, const double *query, int self, int found) {
    if (capacity > GATHERED_WORDS) {
      for (int i = (int)(threadIdx.x % WARP); i < found; i += WARP)
        (void)measure(tree, query, self, number[i], i);
      __syncwarp();
      list_sort<false, false>(value, number, found);
    } else if (found <= 2 * WARP) {
      order_words<2>(tree, query, self, found);
    } else if (found <= 3 * WARP) {
      order_words<3>(tree, query, self, found);
    } else if (found <= 4 * WARP) {
      order_words<4>(tree, query, self, found);
    } else if (found <= 6 * WARP) {
      order_words<6>(tree, query, self, found);
    } else if (found <= 8 * WARP) {
      order_words<8>(tree, query, self, found);
    } else {
      order_words<GATHERED_WORDS / WARP>(tree, query, self, found);
    }
  }

  /* The same of words: sorted by the filter's values, then by exact distances, which exchange few. */
  template <int EACH>
  __device__ __forceinline__ void order_words(const gv_tree_view &tree, const double *query, int self,
                                              int found) {
    const int lane = (int)(threadIdx.x % WARP);
    unsigned word[EACH];
    int own = -1;
#pragma unroll
    for (int e = 0; e < EACH; e++)
      word[e] = e * WARP + lane < found ? (unsigned)number[e * WARP + lane] : 0xffffffffu;
    list_sort_words<EACH>(word);
    __syncwarp();
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      int i = e * WARP + lane;
      bool is_own = i < found && measure(tree, query, self, __float_as_int(point[word[e] & 0xfffu].w), i);
      unsigned at = __ballot_sync(0xffffffffu, is_own);
      if (at != 0) own = e * WARP + __ffs((int)at) - 1;
    }
    __syncwarp();
    /* The query itself is among the first: those after it move up. */
    for (int base = own; own >= 0 && base < found; base += WARP) {
      int i = base + lane;
      bool there = i + 1 < found;
      double next = there ? value[i + 1] : INFINITY;
      int next_number = there ? number[i + 1] : (int)GV_TREE_NO_INDEX;
      __syncwarp();
      if (i < found) {
        value[i] = next;
        number[i] = next_number;
      }
      __syncwarp();
    }
    list_adjust(value, number, found);
  }

  /* Result of a query by a warp: its bit if it has one, and in *open if it is undecided. */
  __device__ __forceinline__ void answer(const gv_tree_view &tree, const chunk_view &chunk, int row,
                                         float *expected) {
    const int lane = (int)(threadIdx.x % WARP), points = memory->points;
    const int query = memory->number[row];
    const int self = chunk.first_self < 0 ? -1 : (int)(chunk.first_self + query);
    const bool complete = memory->square >= limit;
    const int want = self < 0 ? k : k + 1;
    float q[DIM];
#pragma unroll
    for (int d = 0; d < DIM; d++)
      q[d] = (float)(memory->query[row][d] - memory->center[d]);
    float margin = memory->margin, most = gathered_threshold(memory->square, margin);
    if (complete) most = gathered_reach_of(__double2float_ru(sqrt(limit)) * (1.0F + FILTER_FACTOR), margin);
    int within = 0;
    float t = most < 0.0F ? -1.0F : threshold(q, points, want, *expected, most, complete, &within);
    int found = 0;
    if (t >= 0.0F) found = collect(q, points, within < want ? most : gathered_reach(t, margin));
    if (lane == 0) {
      if (t == -1.0F) atomicMin(&memory->fewest, within);
      if (t == -INFINITY || found > capacity) atomicOr(&memory->open, 1u << row);
      if (t >= 0.0F || t == -INFINITY) atomicOr(&memory->done, 1u << row);
    }
    if (t < 0.0F || found > capacity) return;
    order(tree, memory->query[row], self, found);
    int64_t to = (int64_t)query * k;
    for (int i = lane; i < k; i += WARP)
      tree_visit_put(chunk, to + i, i < found ? value[i] : INFINITY,
                     i < found ? number[i] : (int)GV_TREE_NO_INDEX);
    if (found >= want) *expected = (float)value[k - 1] * 1.02F;
    __syncwarp();
  }
};

/* The attempts of a block: which queries the group has, and how the radius has changed since it was formed.
 * The same in all threads. */
struct gathered_group {
  int first, size, reductions, attempts;
  bool guessed, grown;
};

/* After an attempt: a larger radius, a smaller one, half of the group, or the next group. By all threads of
 * the block. */
template <int DIM>
static __device__ __forceinline__ void gathered_next(gathered<DIM> &s, gathered_group &g, int here,
                                                     bool over) {
  gathered_memory<DIM> *memory = s.memory;
  const int fewest = memory->fewest;
  const bool enough = !over && fewest == INT_MAX, hopeless = over && g.size == 1 && g.reductions > 12;
  double factor = 1.0;
  if (over && g.size > 1 && (g.grown || g.reductions >= 6)) {
    g.size = (g.size + 1) / 2;
    g.grown = false;
    g.reductions = 0;
  } else if (over) {
    factor = g.grown ? 0.8 : 0.5;
    g.reductions++;
  } else if (!enough) {
    float missing = 1.15F * (float)(s.k + 1) / (float)(fewest > 0 ? fewest : 1);
    factor = fminf(fmaxf(exp2f(log2f(missing) * (2.0F / (float)DIM)), 1.2F), 4.0F);
    g.grown = true;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    memory->square = fmin(memory->square * factor, s.limit);
    memory->fewest = INT_MAX;
    if (hopeless) memory->open |= 1u << g.first;
  }
  if (enough || hopeless) {
    g.first += g.size;
    g.size = here - g.first < g.size ? here - g.first : g.size;
    g.grown = false;
    g.reductions = 0;
  }
  __syncthreads();
}

/* undecided: as of search_filtered. */
template <int DIM>
static __global__ void __launch_bounds__(GATHERED_THREADS_MOST)
    search_gathered(const __grid_constant__ gv_tree_view tree, const __grid_constant__ chunk_view chunk,
                    int *undecided, filtered_counts *counts) {
  extern __shared__ __align__(16) unsigned char gathered_shared[];
  const int lane = (int)(threadIdx.x % WARP), warp = (int)(threadIdx.x / WARP),
            warps = (int)(blockDim.x / WARP);
  const int first = (int)blockIdx.x * GATHERED_GROUP,
            here = chunk.count - first < GATHERED_GROUP ? chunk.count - first : (int)GATHERED_GROUP;
  gathered<DIM> s;
  s.memory = (gathered_memory<DIM> *)gathered_shared;
  s.k = chunk.k;
  s.limit = chunk.limit;
  s.room = gathered_points(chunk.k);
  s.capacity = gathered_capacity(chunk.k);
  s.point = (float4 *)(gathered_shared + (sizeof(gathered_memory<DIM>) + 15) / 16 * 16);
  s.value = (double *)(s.point + s.room) + warp * s.capacity;
  s.number = (int *)((double *)(s.point + s.room) + warps * s.capacity) + warp * s.capacity;
  if (warp == 0) {
    int query = chunk.order[first + (lane < here ? lane : here - 1)];
    s.memory->number[lane] = query;
#pragma unroll
    for (int d = 0; d < DIM; d++)
      s.memory->query[lane][d] = chunk.data[(int64_t)query * DIM + d];
  }
  if (threadIdx.x == 0) {
    int searched = *(volatile int *)&counts->searched;
    bool abandoned = searched >= SEARCHED_MIN && *(volatile int *)&counts->undecided > searched / 4;
    s.memory->done = 0;
    s.memory->fewest = INT_MAX;
    s.memory->open = abandoned ? 0xffffffffu : 0u;
  }
  __syncthreads();
  gathered_group g = {0, here, 0, 0, false, false};
  if (s.memory->open != 0) g.first = here;
  float expected = 0.0F;
  while (g.first < here) {
    if (warp == 0) {
      s.frame(g.first, g.size);
      if (!g.guessed) s.guess(tree);
    }
    g.guessed = true;
    __syncthreads();
    if (g.attempts++ >= MOST_ATTEMPTS || !(s.memory->margin < 1e18F) || !(s.memory->square < 1e36)) break;
    s.gather(tree);
    bool over = s.memory->points > s.room || s.memory->wide;
    for (int row = g.first + warp; row < g.first + g.size && !over; row += warps) {
      if ((s.memory->done >> row & 1u) == 0) s.answer(tree, chunk, row, &expected);
    }
    __syncthreads();
    gathered_next(s, g, here, over);
  }
  __syncthreads();
  if (warp == 0) {
    bool open = s.memory->open >> lane & 1u || lane >= g.first;
    if (lane < here) undecided[first + lane] = open ? s.memory->number[lane] : -1;
    unsigned all = __ballot_sync(0xffffffffu, open && lane < here);
    if (lane == 0) {
      atomicAdd(&counts->searched, here);
      if (all != 0) atomicAdd(&counts->undecided, __popc(all));
      if (g.first < here) atomicAdd(&counts->far, here - g.first);
    }
  }
}

#endif
