/*
 * The k nearest points of 32 queries that are neighbors on the Hilbert curve, one query a lane, by a float
 * filter. A lane keeps its k + SLACK best points sorted in registers; points that enter wait in shared
 * memory and are merged by a sorting network. At the end exact distances are compared for the points that
 * the filter cannot exclude, or the query is reported as undecided.
 *
 * Gain: 2.9x on 3-D, 10^7 uniform points, all k = 32 nearest (66.7 to 23.1 ms with the build), 1.7x for k
 * = 8; 4x on clusters (one H100, against the heaps of tree_together.cuh). On lattices, where most queries
 * are undecided, the first warps' work is lost: 0.1 ms.
 *
 * The filter. Let c be the center of the box of the 32 queries, B its largest half width, u = 2^-24, r the
 * distance of a query and a point. Coordinates relative to c are computed in double and rounded to float:
 * a query's is wrong by at most u B, a point's by at most u (|x| + B), where x is the difference of the
 * two in that dimension; the subtraction in float adds u |x|, second order apart. So the vector of
 * differences is wrong by at most 2 u (r + sqrt(3) B), and the sum of squares by a factor of 1 + 3 u.
 * Together the root of the filter value f differs from r by at most 3.7 u r + 3.5 u B. Here FACTOR = 8 u
 * and 8 u B are used:
 *     r <= sqrt(f) (1 + FACTOR) + FACTOR B + TINY     and     r >= sqrt(f) (1 - FACTOR) - FACTOR B -
 *                                                     TINY, where TINY covers squares below float's
 *                                                     range. That exact distances are rounded to double
 *                                                     is within the same allowance. Values that overflow
 *                                                     enter no list: a query that has found fewer than k
 *                                                     points without a limit is undecided.
 *
 * An entry of a list is one word, so that an exchange of the network is a minimum and a maximum: the upper
 * 20 bits of f, and in the lower 12 the number of the point among those that the warp has read. f lies
 * between the entry with these bits clear and the entry with them set. What is not in a list is at least
 * its last entry, but for these bits.
 *
 * Undecided queries: those where the list's last point may be among the k nearest (ties, or points that
 * are close compared with the width of the queries' box), and all 32 of a warp that has read MOST_LEAVES
 * leaves (many equal points, queries far apart).
 */
#ifndef GV_CUDA_TREE_FILTERED_CUH
#define GV_CUDA_TREE_FILTERED_CUH

#include "search/cuda/tree_margin.cuh"

enum {
  FILTERED_THREADS = 128,
  FILTERED_MAX_K = WARP,
  SLACK = 3,          /* places of a list beyond k */
  ENTERING = 16,      /* places for points that wait to enter a lane's list; a leaf adds up to 8 */
  LEAVES_A_ROUND = 4, /* a lane loads a point */
  MOST_LEAVES = 500,
  PITCH_OF_PLACES = WARP + 1
};

/* an entry's bits that number its point; all of them: an empty place */
static const unsigned LOOKED_AT = 0xfffu;

static __device__ __forceinline__ void filtered_exchange(unsigned &a, unsigned &b) {
  unsigned low = min(a, b), high = max(a, b);
  a = low;
  b = high;
}

/* Batcher's odd-even merge sort; SIZE is a power of two. */
template <int SIZE> static __device__ __forceinline__ void filtered_sort(unsigned (&x)[SIZE]) {
#pragma unroll
  for (int sorted = 1; sorted < SIZE; sorted *= 2) {
#pragma unroll
    for (int apart = sorted; apart > 0; apart /= 2) {
#pragma unroll
      for (int i = 0; i < SIZE; i++) {
        bool first = i >= apart % sorted && (i - apart % sorted) % (2 * apart) < apart && i + apart < SIZE;
        if (first && i / (2 * sorted) == (i + apart) / (2 * sorted)) filtered_exchange(x[i], x[i + apart]);
      }
    }
  }
}

/* The least SIZE of two sorted lists, sorted, in `list`: where one ascends and the other descends the lesser
 * of each pair make a bitonic sequence. The network is that of the next power of two, of which the first
 * places hold nothing. */
template <int SIZE, int OTHER>
static __device__ __forceinline__ void filtered_merge(unsigned (&list)[SIZE],
                                                      const unsigned (&other)[OTHER]) {
  constexpr int WHOLE = SIZE <= 16 ? 16 : SIZE <= 32 ? 32 : 64, MISSING = WHOLE - SIZE;
#pragma unroll
  for (int i = 0; i < SIZE; i++) {
    if (SIZE - 1 - i < OTHER) list[i] = min(list[i], other[SIZE - 1 - i]);
  }
#pragma unroll
  for (int apart = WHOLE / 2; apart > 0; apart /= 2) {
#pragma unroll
    for (int i = MISSING; i < WHOLE; i++) {
      if ((i & apart) == 0) filtered_exchange(list[i - MISSING], list[i + apart - MISSING]);
    }
  }
}

/* A warp's shared memory. */
template <int DIM, int CAPACITY> struct filtered_memory {
  union {
    struct {
      float4 point[WARP]; /* coordinates relative to the center, and the bits of the point's number */
      unsigned entering[ENTERING][WARP];
      unsigned keys[GV_TREE_LEVELS][WARP];
    };
    unsigned lists[CAPACITY][PITCH_OF_PLACES]; /* at the end */
  };
  int leaf[MOST_LEAVES + LEAVES_A_ROUND]; /* leaves that were read */
  double low[DIM], high[DIM], center[DIM];
};

/* A search of 32 queries. The lists' first places hold 0 where k is less than the lists': so the k-th nearest
 * is always at place LAST. */
template <int DIM, int CAPACITY> struct filtered {
  enum { LAST = CAPACITY - 1 - SLACK };
  filtered_memory<DIM, CAPACITY> *memory;
  float q[DIM];
  int self, waiting, leaves_seen;
  float margin; /* FACTOR B + TINY */
  double limit;
  unsigned limit_key;
  bool first_round, abandoned;
  unsigned empty, list[CAPACITY];

  /* The box around the queries, and the lane's query in floats. */
  __device__ __forceinline__ void begin(const chunk_view &chunk, int query) {
    const double *at = chunk.data + (int64_t)query * DIM;
    double widest = 0.0;
#pragma unroll
    for (int d = 0; d < DIM; d++) {
      double exact = at[d], low = exact, high = exact;
#pragma unroll
      for (int apart = WARP / 2; apart > 0; apart /= 2) {
        double other_low = __shfl_xor_sync(0xffffffffu, low, apart),
               other_high = __shfl_xor_sync(0xffffffffu, high, apart);
        low = other_low < low ? other_low : low;
        high = other_high > high ? other_high : high;
      }
      double center = 0.5 * low + 0.5 * high;
      q[d] = (float)(exact - center);
      widest = fmax(widest, fmax(high - center, center - low));
      memory->low[d] = low;
      memory->high[d] = high;
      memory->center[d] = center;
    }
    __syncwarp();
    margin = __fmaf_ru(__double2float_ru(widest), FILTER_FACTOR, FILTER_TINY);
    abandoned = abandoned || !(widest < 1e18); /* squares would overflow */
    self = chunk.first_self < 0 ? -1 : (int)(chunk.first_self + query);
    limit = chunk.limit;
    waiting = leaves_seen = 0;
  }

  /* Points within the limit have filter values below an empty place. */
  __device__ __forceinline__ void clear(int offset) {
    float longest = __fmul_ru(__fadd_ru(__double2float_ru(sqrt(limit)), margin), 1.0F + 2.0F * FILTER_FACTOR);
    float beyond = longest < 1e18F ? __fmul_ru(longest, longest) * (1.0F + FILTER_FACTOR) : 0x1.fffffep127F;
    empty = __float_as_uint(beyond) | LOOKED_AT;
#pragma unroll
    for (int i = 0; i < CAPACITY; i++)
      list[i] = i < offset ? 0u : empty;
    set_limit_key();
  }

  /* Bounds of the distance of an entry's point. */
  __device__ __forceinline__ float upper(unsigned entry) const {
    return __fmaf_ru(__fsqrt_ru(__uint_as_float(entry | LOOKED_AT)), 1.0F + FILTER_FACTOR, margin);
  }
  __device__ __forceinline__ float lower(unsigned entry) const {
    return __fmaf_rd(__fsqrt_rd(__uint_as_float(entry & ~LOOKED_AT)), 1.0F - FILTER_FACTOR, -margin);
  }

  __device__ __forceinline__ void set_limit_key() {
    float most = upper(list[LAST]);
    double square = (double)__fmul_ru(most, most);
    limit_key = warp_max(key_of(square < limit ? square : limit));
  }

  __device__ __forceinline__ unsigned open(const gv_tree_view &tree, int level, int node) {
    const int lane = (int)(threadIdx.x % WARP);
    int64_t child = (int64_t)node * GV_TREE_FAN + lane;
    if (abandoned || child >= tree.children[level]) return NONE;
    double bound = child_bound<GV_EUCLIDEAN, DIM>(tree, level, node, memory->low, memory->high, lane);
    if (first_round ? bound > 0.0 : level == 0 && bound == 0.0) return NONE;
    return key_of(bound) <= limit_key ? key_of(bound) : NONE;
  }

  /* Four leaves at a time: the nearest, and three others that are not out. Loops are not unrolled, so that
   * take_in is there once: the instruction cache does not hold several networks. */
  __device__ __forceinline__ void leaves(const gv_tree_view &tree, int node, unsigned key) {
    const int lane = (int)(threadIdx.x % WARP);
#pragma unroll 1
    for (;;) {
      unsigned nearest = warp_min(key);
      if (nearest > limit_key) return;
      abandoned = leaves_seen >= MOST_LEAVES;
      if (abandoned) return;
      unsigned left = __ballot_sync(0xffffffffu, key <= limit_key), taken = 0;
      unsigned best = __ballot_sync(0xffffffffu, key == nearest);
      int leaf = -1, count = 0; /* the lane's; leaves that are taken */
#pragma unroll
      for (int g = 0; g < LEAVES_A_ROUND; g++) {
        unsigned from = g == 0 ? best : left, bit = from & (0u - from);
        if (bit != 0 && lane / GV_TREE_LEAF == g) leaf = node * GV_TREE_FAN + __ffs((int)bit) - 1;
        count += bit != 0;
        taken |= bit;
        left &= ~bit;
      }
      if (taken >> lane & 1u) key = NONE;
      load(tree, leaf);
#pragma unroll 1
      for (int g = 0; g < count; g++)
        look(g);
      leaves_seen += count;
      set_limit_key();
    }
  }

  /* A lane a point. */
  __device__ __forceinline__ void load(const gv_tree_view &tree, int leaf) {
    const int lane = (int)(threadIdx.x % WARP), place = lane % GV_TREE_LEAF;
    float x[4] = {INFINITY, 0.0F, 0.0F, 0.0F};
    if (leaf >= 0) {
      const double *point = tree.points + (int64_t)leaf * (DIM * GV_TREE_LEAF) + place;
#pragma unroll
      for (int d = 0; d < DIM; d++)
        x[d] = (float)(point[d * GV_TREE_LEAF] - memory->center[d]);
      x[3] = __int_as_float(tree.numbers[(int64_t)leaf * GV_TREE_LEAF + place]);
    }
    __syncwarp();
    if (place == 0) memory->leaf[leaves_seen + lane / GV_TREE_LEAF] = leaf;
    memory->point[lane] = make_float4(x[0], x[1], x[2], x[3]);
    __syncwarp();
  }

  /* The points of one of the leaves. */
  __device__ __forceinline__ void look(int g) {
    const int lane = (int)(threadIdx.x % WARP);
    unsigned worst = list[CAPACITY - 1], first = (unsigned)(leaves_seen + g) * GV_TREE_LEAF;
#pragma unroll
    for (int j = 0; j < GV_TREE_LEAF; j++) {
      float4 p = memory->point[g * GV_TREE_LEAF + j];
      float x = p.x - q[0], y = p.y - q[1];
      float value = __fmaf_rn(y, y, __fmul_rn(x, x));
      if (DIM > 2) {
        float z = p.z - q[DIM - 1];
        value = __fmaf_rn(z, z, value);
      }
      unsigned bits = __float_as_uint(value);
      if (bits < worst && __float_as_int(p.w) != self) {
        memory->entering[waiting][lane] = (bits & ~LOOKED_AT) | (first + j);
        waiting++;
      }
    }
    if (__any_sync(0xffffffffu, waiting > ENTERING - GV_TREE_LEAF)) take_in();
  }

  __device__ __forceinline__ void take_in() {
    const int lane = (int)(threadIdx.x % WARP);
    unsigned entering[ENTERING];
#pragma unroll
    for (int i = 0; i < ENTERING; i++)
      entering[i] = i < waiting ? memory->entering[i][lane] : empty;
    waiting = 0;
    filtered_sort<ENTERING>(entering);
    filtered_merge<CAPACITY, ENTERING>(list, entering);
  }
};

/* How many points of the lane's list may be among its k nearest; -1: undecided. */
template <int DIM, int CAPACITY>
static __device__ __forceinline__ int filtered_contenders(const filtered<DIM, CAPACITY> &s, int offset) {
  unsigned last = s.list[filtered<DIM, CAPACITY>::LAST], end = s.list[CAPACITY - 1];
  float most = s.upper(last);
  if (s.abandoned || (end != s.empty && s.lower(end) <= most)) return -1;
  /* Without a limit, a list that is not full has missed points that overflowed, or there are fewer points. */
  if (last == s.empty && !(s.limit < 1e36)) return -1;
  int count = 0;
#pragma unroll
  for (int i = 0; i < CAPACITY; i++)
    count += i >= offset && s.list[i] != s.empty && s.lower(s.list[i]) <= most;
  return count;
}

/* The lane's exact distance of a query and an entry's point; infinite if above the limit. */
template <int DIM, int CAPACITY>
static __device__ __forceinline__ void filtered_measure(const gv_tree_view &tree, const chunk_view &chunk,
                                                        const filtered_memory<DIM, CAPACITY> &memory,
                                                        int query, unsigned entry, double &value,
                                                        int &number) {
  const double *at = chunk.data + (int64_t)query * DIM;
  const int leaf = memory.leaf[(entry & LOOKED_AT) / GV_TREE_LEAF], place = (int)(entry % GV_TREE_LEAF);
  const double *point = tree.points + (int64_t)leaf * (DIM * GV_TREE_LEAF) + place;
  double distance = 0.0;
#pragma unroll
  for (int d = 0; d < DIM; d++)
    distance = add_difference<GV_EUCLIDEAN>(distance, at[d] - point[d * GV_TREE_LEAF], d == 0);
  if (distance > chunk.limit) return;
  value = distance;
  number = tree.numbers[(int64_t)leaf * GV_TREE_LEAF + place];
}

/* One lane a neighbor, in the order of the result. The filter exchanges only close neighbors, so few steps
 * are needed. */
static __device__ __forceinline__ void filtered_order(double &value, int &number) {
  const int lane = (int)(threadIdx.x % WARP);
  for (int odd = 0;; odd = 1 - odd) {
    double after = __shfl_down_sync(0xffffffffu, value, 1), ahead = __shfl_up_sync(0xffffffffu, value, 1);
    int after_number = __shfl_down_sync(0xffffffffu, number, 1),
        ahead_number = __shfl_up_sync(0xffffffffu, number, 1);
    unsigned wrong =
        __ballot_sync(0xffffffffu, lane < WARP - 1 && before(after, after_number, value, number));
    if (wrong == 0) return;
    wrong &= odd ? 0xaaaaaaaau : 0x55555555u;
    if (wrong >> lane & 1u) {
      value = after;
      number = after_number;
    } else if (lane > 0 && wrong >> (lane - 1) & 1u) {
      value = ahead;
      number = ahead_number;
    }
  }
}

/* Exact distances of a query's contenders, a lane each, and its row of the result. lists: the query's column
 * from its first entry. */
template <int DIM, int CAPACITY>
static __device__ __forceinline__ void filtered_write(const gv_tree_view &tree, const chunk_view &chunk,
                                                      const filtered_memory<DIM, CAPACITY> &memory, int query,
                                                      const unsigned *list, int count) {
  const int lane = (int)(threadIdx.x % WARP);
  double value = INFINITY;
  int number = GV_TREE_NO_INDEX;
  if (lane < count) filtered_measure(tree, chunk, memory, query, list[lane * PITCH_OF_PLACES], value, number);
  filtered_order(value, number);
  for (int i = WARP; i < count; i++) {
    /* More contenders than lanes: the last in the order is replaced. */
    double next = INFINITY;
    int next_number = GV_TREE_NO_INDEX;
    filtered_measure(tree, chunk, memory, query, list[i * PITCH_OF_PLACES], next, next_number);
    if (lane == WARP - 1 && before(next, next_number, value, number)) {
      value = next;
      number = next_number;
    }
    filtered_order(value, number);
  }
  if (lane < chunk.k) tree_visit_put(chunk, (int64_t)query * chunk.k + lane, value, number);
}

/* undecided: for each place of the chunk's order the query if it is undecided, else -1. Warps stop at once if
 * many are. */
template <int DIM, int CAPACITY>
static __global__ void __launch_bounds__(FILTERED_THREADS, 4)
    search_filtered(const __grid_constant__ gv_tree_view tree, const __grid_constant__ chunk_view chunk,
                    int *undecided, filtered_counts *counts) {
  extern __shared__ __align__(16) unsigned char filtered_shared[];
  const int lane = (int)(threadIdx.x % WARP), warp = (int)(threadIdx.x / WARP);
  int64_t first = ((int64_t)blockIdx.x * (FILTERED_THREADS / WARP) + warp) * WARP;
  if (first >= chunk.count) return;

  filtered<DIM, CAPACITY> s;
  s.memory = (filtered_memory<DIM, CAPACITY> *)filtered_shared + warp;
  /* Places past the last query repeat it and write nothing. */
  bool there = first + lane < chunk.count;
  int64_t own = there ? first + lane : chunk.count - 1;
  int query = chunk.order[own];
  int searched = *(volatile int *)&counts->searched, open = *(volatile int *)&counts->undecided;
  s.abandoned = searched >= SEARCHED_MIN && open > searched / 4;
  bool far = s.abandoned && *(volatile int *)&counts->far > open / 2;
  s.begin(chunk, query);
  int offset = CAPACITY - SLACK - chunk.k;
  s.clear(offset);
#pragma unroll 1
  for (int round = 0; round < 2; round++) {
    s.first_round = round == 0;
    visit(tree, &s.memory->keys[0][lane], s);
  }
  s.take_in();

  int contenders = filtered_contenders(s, offset);
  __syncwarp();
#pragma unroll
  for (int i = 0; i < CAPACITY; i++)
    s.memory->lists[i][lane] = s.list[i];
  if (there) undecided[first + lane] = contenders < 0 ? query : -1;
  __syncwarp();
  unsigned rows = __ballot_sync(0xffffffffu, there && contenders >= 0);
  if (lane == 0) {
    atomicAdd(&counts->searched, WARP);
    if (~rows != 0) {
      int left = (int)(chunk.count - first < WARP ? chunk.count - first : WARP) - __popc(rows);
      atomicAdd(&counts->undecided, left);
      if (far || s.leaves_seen >= MOST_LEAVES) atomicAdd(&counts->far, left);
    }
  }
  while (rows != 0) {
    int row = __ffs((int)rows) - 1;
    rows &= rows - 1;
    filtered_write(tree, chunk, *s.memory, __shfl_sync(0xffffffffu, query, row),
                   &s.memory->lists[offset][row], __shfl_sync(0xffffffffu, contenders, row));
  }
}

template <int DIM, int CAPACITY>
static void filtered_launch(cudaStream_t stream, const gv_tree_view &tree, const chunk_view &chunk,
                            int *undecided, filtered_counts *counts) {
  size_t bytes = sizeof(filtered_memory<DIM, CAPACITY>) * (FILTERED_THREADS / WARP);
  search_filtered<DIM, CAPACITY>
      <<<gv_tree_blocks(chunk.count, FILTERED_THREADS), FILTERED_THREADS, bytes, stream>>>(tree, chunk,
                                                                                           undecided, counts);
}

#endif
