/*
 * The k nearest points of 32 queries that are neighbours on the Hilbert curve, one query a lane, by a float filter. A lane keeps its
 * k + SLACK best points sorted in registers; points that enter wait in shared memory and are merged by a sorting network. At the end
 * exact distances decide about the points that the filter cannot exclude, or the query is reported as undecided.
 *
 * Gain: see docs/benchmarks-search.md (3-D, all k nearest of 10^7 points: 3 to 4 times as fast as the heaps of tree_together.cuh).
 *
 * The filter. Let c be the centre of the box of the 32 queries, B its largest half width, u = 2^-24, r the distance of a query and a
 * point. Coordinates relative to c are computed in double and rounded to float: a query's is wrong by at most u B, a point's by at
 * most u (|x| + B), where x is the difference of the two in that dimension; the subtraction in float adds u |x|, second order apart.
 * So the vector of differences is wrong by at most 2 u (r + sqrt(3) B), and the sum of squares by a factor of 1 + 3 u. Together the
 * root of the filter value f differs from r by at most 3.7 u r + 3.5 u B. Here FACTOR = 8 u and 8 u B are used:
 *     r <= sqrt(f) (1 + FACTOR) + FACTOR B + TINY     and     r >= sqrt(f) (1 - FACTOR) - FACTOR B - TINY,
 * where TINY covers squares below float's range. That exact distances are rounded to double is within the same allowance. Values that
 * overflow are infinite and enter no list: a query that has found fewer than k points without a limit is undecided.
 *
 * Undecided queries: those where the list's last point may be among the k nearest (ties, or points that are close compared with the
 * width of the queries' box), and all 32 of a warp that has looked at MOST_ROUNDS sets of leaves (many equal points).
 */
#ifndef GV_CUDA_TREE_FILTERED_CUH
#define GV_CUDA_TREE_FILTERED_CUH

#include "search/cuda/tree_visit.cuh"

enum {
  FILTERED_THREADS = 128,
  FILTERED_MAX_K = 32,
  PITCH_OF_PLACES = WARP + 1,
  SLACK = 2,          /* places of a list beyond k */
  ENTERING = 16,      /* places for points that wait to enter a lane's list; a leaf adds up to 8 */
  LEAVES_A_ROUND = 4, /* a lane loads a point */
  MOST_ROUNDS = 512,
  SEARCHED_MIN = 4096 /* queries after which warps look at how many were undecided */
};

#define FILTER_FACTOR 0x1p-21f
#define FILTER_TINY   1e-22f

/* A point of a list: its filter value, and its place in the tree's leaves (-1: none). */
struct filtered_entry {
  float value;
  int place;
};

static __device__ __forceinline__ void filtered_exchange(filtered_entry &a, filtered_entry &b) {
  bool swap = b.value < a.value;
  filtered_entry low = swap ? b : a, high = swap ? a : b;
  a = low;
  b = high;
}

/* Batcher's odd-even merge sort; SIZE is a power of two. */
template <int SIZE> static __device__ __forceinline__ void filtered_sort(filtered_entry (&x)[SIZE]) {
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

/* The least SIZE of two sorted lists, sorted, in `list`: where one ascends and the other descends the lesser of each pair make a
 * bitonic sequence. The network is that of the next power of two, of which the first places hold nothing. */
template <int SIZE, int OTHER>
static __device__ __forceinline__ void filtered_merge(filtered_entry (&list)[SIZE],
                                                      const filtered_entry (&other)[OTHER]) {
  constexpr int WHOLE = SIZE <= 16 ? 16 : SIZE <= 32 ? 32 : 64, MISSING = WHOLE - SIZE;
#pragma unroll
  for (int i = 0; i < SIZE; i++) {
    int j = SIZE - 1 - i;
    if (j < OTHER && other[j].value < list[i].value) list[i] = other[j];
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
    filtered_entry entering[ENTERING][WARP];
    int places[CAPACITY][PITCH_OF_PLACES]; /* of the lists, at the end */
  };
  float4 point[WARP]; /* coordinates relative to the centre, and the bits of the point's number */
  double low[DIM], high[DIM], centre[DIM];
  unsigned keys[GV_TREE_LEVELS][WARP];
};

/* A search of 32 queries. The lists' first places hold values below all others where k is less than FILTERED's: so the k-th nearest is
 * always at place LAST. */
template <int DIM, int CAPACITY> struct filtered {
  enum { LAST = CAPACITY - 1 - SLACK };
  filtered_memory<DIM, CAPACITY> *memory;
  float q[DIM];
  int self, waiting, rounds;
  float margin; /* FACTOR B + TINY */
  double limit;
  unsigned limit_key;
  bool first_round, abandoned;
  filtered_entry list[CAPACITY];

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
      double centre = 0.5 * low + 0.5 * high;
      q[d] = (float)(exact - centre);
      widest = fmax(widest, fmax(high - centre, centre - low));
      memory->low[d] = low;
      memory->high[d] = high;
      memory->centre[d] = centre;
    }
    __syncwarp();
    margin = __fmaf_ru(__double2float_ru(widest), FILTER_FACTOR, FILTER_TINY);
    abandoned = abandoned || !(widest < 1e18); /* squares would overflow */
    self = chunk.first_self < 0 ? -1 : (int)(chunk.first_self + query);
    limit = chunk.limit;
    waiting = rounds = 0;
  }

  /* Points within the limit have filter values below that of an empty place. */
  __device__ __forceinline__ void empty(int offset) {
    float longest = __fmul_ru(__fadd_ru(__double2float_ru(sqrt(limit)), margin), 1.0F + 2.0F * FILTER_FACTOR);
    float beyond = longest < 1e18F ? __fmul_ru(longest, longest) * (1.0F + FILTER_FACTOR) : INFINITY;
#pragma unroll
    for (int i = 0; i < CAPACITY; i++)
      list[i] = {i < offset ? -1.0F : beyond, -1};
    set_limit_key();
  }

  __device__ __forceinline__ float upper(float value) const {
    return __fmaf_ru(__fsqrt_ru(value), 1.0F + FILTER_FACTOR, margin);
  }
  __device__ __forceinline__ float lower(float value) const {
    return __fmaf_rd(__fsqrt_rd(value), 1.0F - FILTER_FACTOR, -margin);
  }

  __device__ __forceinline__ void set_limit_key() {
    float most = upper(list[LAST].value);
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

  /* Four leaves at a time: the nearest, and three others that are not out. Loops are not unrolled, so that take_in is there once: the
   * instruction cache does not hold several networks. */
  __device__ __forceinline__ void leaves(const gv_tree_view &tree, int node, unsigned key) {
    const int lane = (int)(threadIdx.x % WARP);
#pragma unroll 1
    for (;;) {
      unsigned nearest = warp_min(key);
      if (nearest > limit_key) return;
      abandoned = ++rounds > MOST_ROUNDS;
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
        look(__shfl_sync(0xffffffffu, leaf, g * GV_TREE_LEAF), g);
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
        x[d] = (float)(point[d * GV_TREE_LEAF] - memory->centre[d]);
      x[3] = __int_as_float(tree.numbers[(int64_t)leaf * GV_TREE_LEAF + place]);
    }
    __syncwarp();
    memory->point[lane] = make_float4(x[0], x[1], x[2], x[3]);
    __syncwarp();
  }

  __device__ __forceinline__ void look(int leaf, int g) {
    const int lane = (int)(threadIdx.x % WARP);
    float worst = list[CAPACITY - 1].value;
#pragma unroll
    for (int j = 0; j < GV_TREE_LEAF; j++) {
      float4 p = memory->point[g * GV_TREE_LEAF + j];
      float x = p.x - q[0], y = p.y - q[1];
      float value = __fmaf_rn(y, y, __fmul_rn(x, x));
      if (DIM > 2) {
        float z = p.z - q[DIM - 1];
        value = __fmaf_rn(z, z, value);
      }
      if (value < worst && __float_as_int(p.w) != self) {
        memory->entering[waiting][lane] = {value, leaf * GV_TREE_LEAF + j};
        waiting++;
      }
    }
    if (__any_sync(0xffffffffu, waiting > ENTERING - GV_TREE_LEAF)) take_in();
  }

  __device__ __forceinline__ void take_in() {
    const int lane = (int)(threadIdx.x % WARP);
    filtered_entry entering[ENTERING];
#pragma unroll
    for (int i = 0; i < ENTERING; i++) {
      entering[i] = {INFINITY, -1};
      if (i < waiting) entering[i] = memory->entering[i][lane];
    }
    waiting = 0;
    filtered_sort<ENTERING>(entering);
    filtered_merge<CAPACITY, ENTERING>(list, entering);
  }
};

/* How many points of the lane's list may be among its k nearest; 0: there are none, -1: undecided. */
template <int DIM, int CAPACITY>
static __device__ __forceinline__ int filtered_contenders(const filtered<DIM, CAPACITY> &s, int offset) {
  typedef filtered<DIM, CAPACITY> search;
  const filtered_entry &last = s.list[search::LAST], &end = s.list[CAPACITY - 1];
  float most = s.upper(last.value);
  if (s.abandoned || (end.place >= 0 && s.lower(end.value) <= most)) return -1;
  /* Without a limit a list that is not full has missed points that overflowed, or there are not so many. */
  if (last.place < 0 && last.value == INFINITY) return -1;
  int count = 0;
#pragma unroll
  for (int i = 0; i < CAPACITY; i++)
    count += i >= offset && s.list[i].place >= 0 && s.lower(s.list[i].value) <= most;
  return count <= WARP ? count : -1;
}

/* A lane a neighbour, in the order of the result. The filter has exchanged close ones at most, so there is little to do. */
static __device__ __forceinline__ void filtered_order(double &value, int &number) {
  const int lane = (int)(threadIdx.x % WARP);
  for (int odd = 0;; odd = 1 - odd) {
    double after = __shfl_down_sync(0xffffffffu, value, 1);
    int after_number = __shfl_down_sync(0xffffffffu, number, 1);
    bool wrong = lane < WARP - 1 && before(after, after_number, value, number);
    unsigned all = __ballot_sync(0xffffffffu, wrong);
    if (all == 0) return;
    /* Pairs that begin at even or at odd places: those that there are. */
    unsigned pairs = odd ? all & 0xaaaaaaaau : all & 0x55555555u;
    double ahead = __shfl_up_sync(0xffffffffu, value, 1);
    int ahead_number = __shfl_up_sync(0xffffffffu, number, 1);
    if (pairs >> lane & 1u) {
      value = after;
      number = after_number;
    } else if (lane > 0 && pairs >> (lane - 1) & 1u) {
      value = ahead;
      number = ahead_number;
    }
  }
}

/* Exact distances of a query's contenders, a lane each, and its row of the result. */
template <int DIM>
static __device__ __forceinline__ void filtered_write(const gv_tree_view &tree, const chunk_view &chunk, int query,
                                                      int place) {
  const int lane = (int)(threadIdx.x % WARP);
  double value = INFINITY;
  int number = GV_TREE_NO_INDEX;
  if (place >= 0) {
    const double *at = chunk.data + (int64_t)query * DIM;
    const double *point =
        tree.points + (int64_t)(place / GV_TREE_LEAF) * (DIM * GV_TREE_LEAF) + place % GV_TREE_LEAF;
    double distance = 0.0;
#pragma unroll
    for (int d = 0; d < DIM; d++)
      distance = add_difference<GV_EUCLIDEAN>(distance, at[d] - point[d * GV_TREE_LEAF], d == 0);
    if (distance <= chunk.limit) {
      value = distance;
      number = tree.numbers[place];
    }
  }
  filtered_order(value, number);
  if (lane < chunk.k) put(chunk, (int64_t)query * chunk.k + lane, value, number);
}

/* Queries that have been searched and that were undecided, of the chunk. */
struct filtered_counts {
  int searched, undecided;
};

/* undecided: for each place of the chunk's order the query if it is undecided, else -1. Warps give up at once where many are. */
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
  int searched = *(volatile int *)&counts->searched;
  s.abandoned = searched >= SEARCHED_MIN && *(volatile int *)&counts->undecided > searched / 4;
  s.begin(chunk, query);
  int offset = CAPACITY - SLACK - chunk.k;
  s.empty(offset);
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
    s.memory->places[i][lane] = s.list[i].place;
  if (there) undecided[first + lane] = contenders < 0 ? query : -1;
  __syncwarp();
  unsigned rows = __ballot_sync(0xffffffffu, there && contenders >= 0);
  if (lane == 0) {
    atomicAdd(&counts->searched, WARP);
    if (~rows != 0)
      atomicAdd(&counts->undecided, (int)(chunk.count - first < WARP ? chunk.count - first : WARP) - __popc(rows));
  }
  while (rows != 0) {
    int row = __ffs((int)rows) - 1;
    rows &= rows - 1;
    int count = __shfl_sync(0xffffffffu, contenders, row);
    int of = __shfl_sync(0xffffffffu, query, row);
    filtered_write<DIM>(tree, chunk, of, lane < count ? s.memory->places[offset + lane][row] : -1);
  }
}

template <int DIM, int CAPACITY>
static void filtered_launch(cudaStream_t stream, const gv_tree_view &tree, const chunk_view &chunk, int *undecided,
                            filtered_counts *counts) {
  size_t bytes = sizeof(filtered_memory<DIM, CAPACITY>) * (FILTERED_THREADS / WARP);
  search_filtered<DIM, CAPACITY>
      <<<gv_tree_blocks(chunk.count, FILTERED_THREADS), FILTERED_THREADS, bytes, stream>>>(tree, chunk, undecided,
                                                                                           counts);
}

#endif
