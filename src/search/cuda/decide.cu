/*
 * Decision kernels. THREADS threads, a warp or a block, decide a query. They find the bound from the row of
 * minima, read the points of the groups not above it again, and collect those with a filter value not above
 * it. Once there is one for every thread, exact distances are computed and written to a buffer, which is
 * sorted and cut to k when it is full.
 */
#include "search/cuda/decide_threads.cuh"

namespace {

enum { WARP = GV_THREADS_WARP, BLOCK = GV_THREADS_BLOCK, EACH = GV_THREADS_EACH };

const int64_t NO_INDEX = INT64_MAX;

template <int METRIC>
__device__ inline double canonical_of(const gv_decision &d, const double *query, int64_t point) {
  const int32_t dim = d.scan.dim;
  if (gv_metric_of_products(METRIC))
    return d.narrow != NULL
               ? gv_product_distance_of_floats(query, d.narrow + point * dim, dim, (gv_metric)METRIC)
               : gv_product_distance(query, d.points + point * dim, dim, (gv_metric)METRIC);
  return d.narrow != NULL
             ? gv_canonical_distance_of_floats(query, d.narrow + point * dim, dim, (gv_metric)METRIC)
             : gv_canonical_distance(query, d.points + point * dim, dim, (gv_metric)METRIC);
}

template <int THREADS> __device__ void sort_pairs(double *value, int64_t *index, int size, int thread) {
  for (int length = 2; length <= size; length *= 2) {
    for (int gap = length / 2; gap > 0; gap /= 2) {
      for (int i = thread; i < size / 2; i += THREADS) {
        int low = 2 * i - (i & (gap - 1)), high = low + gap;
        bool up = (low & length) == 0;
        double a = value[low], b = value[high];
        int64_t a_index = index[low], b_index = index[high];
        if (gv_before(b, b_index, a, a_index) == up) {
          value[low] = b;
          value[high] = a;
          index[low] = b_index;
          index[high] = a_index;
        }
      }
      gv_threads_sync<THREADS>();
    }
  }
}

/* Shared memory of a query. */
template <int THREADS> struct query_memory {
  enum { BUFFER = THREADS == WARP ? 128 : 2048, SETS = THREADS == WARP ? 64 : 2048, PENDING = 2 * THREADS };
  union {
    struct {
      double value[BUFFER];
      int64_t index[BUFFER];
    } list;
    float sets[SETS];
  };
  int64_t pending[PENDING];
  int32_t hits[EACH * THREADS];
  int32_t hit_count, pending_count, count;
};

/* One query's decision. */
template <int METRIC, int THREADS, bool ONE> struct decider {
  typedef query_memory<THREADS> memory_type;
  /* Reads in flight: a block that is alone on its multiprocessor has no other work to hide latency. */
  enum { BUFFER = memory_type::BUFFER, WIDE_LANES = 8, AHEAD = THREADS == BLOCK && ONE ? 16 : 4 };
  static constexpr int FILTER = gv_filter_metric((gv_metric)METRIC);
  const gv_decision &d;
  memory_type *memory;
  int thread;
  const double *query;
  const float *query_row;
  const float *minima;
  int64_t self, groups;
  gv_group_shifts shift;
  float threshold;
  bool open; /* filter values give no bound */
  double worst;
  int64_t worst_index; /* of the k best so far; ONE: of this thread's best */

  /* A bound that at least d.needed group minima do not exceed. */
  __device__ float find_bound() {
    if (ONE) {
      float least = INFINITY;
      for (int64_t stretch = EACH * thread; stretch < groups; stretch += AHEAD * EACH * THREADS) {
#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
          int64_t g = stretch + a * EACH * THREADS;
          float4 m = make_float4(INFINITY, INFINITY, INFINITY, INFINITY);
          if (g < groups) m = *(const float4 *)(minima + g);
          least = fminf(fminf(least, m.x), fminf(m.y, fminf(m.z, m.w)));
        }
      }
      return gv_threads_minimum<THREADS>(least);
    }
    /* Minima of sets of groups, each group in one set. */
    constexpr int SETS = memory_type::SETS, MINE = SETS / THREADS, READS = MINE > EACH ? MINE / EACH : 1;
    float least[MINE];
#pragma unroll
    for (int i = 0; i < MINE; i++)
      least[i] = INFINITY;
#pragma unroll 2
    for (int64_t g = EACH * thread; g < groups; g += READS * EACH * THREADS) {
#pragma unroll
      for (int r = 0; r < READS; r++) {
        int64_t at = g + r * EACH * THREADS;
        if (at >= groups) break;
        float4 m = *(const float4 *)(minima + at);
        if (MINE == 2) {
          least[0] = fminf(least[0], fminf(m.x, m.y));
          least[1 % MINE] = fminf(least[1 % MINE], fminf(m.z, m.w));
        } else {
          least[(4 * r) % MINE] = fminf(least[(4 * r) % MINE], m.x);
          least[(4 * r + 1) % MINE] = fminf(least[(4 * r + 1) % MINE], m.y);
          least[(4 * r + 2) % MINE] = fminf(least[(4 * r + 2) % MINE], m.z);
          least[(4 * r + 3) % MINE] = fminf(least[(4 * r + 3) % MINE], m.w);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < MINE; i++)
      memory->sets[i * THREADS + thread] = least[i];
    gv_threads_sync<THREADS>();
    gv_sort_values<THREADS>(memory->sets, SETS, thread);
    float bound = d.needed <= SETS ? memory->sets[d.needed - 1] : INFINITY;
    gv_threads_sync<THREADS>();
    return bound;
  }

  /* Keeps the k best of the buffer. */
  __device__ void cut(int count) {
    for (int i = count + thread; i < BUFFER; i += THREADS) {
      memory->list.value[i] = INFINITY;
      memory->list.index[i] = NO_INDEX;
    }
    gv_threads_sync<THREADS>();
    sort_pairs<THREADS>(memory->list.value, memory->list.index, BUFFER, thread);
    if (thread == 0) memory->count = d.k;
    worst = memory->list.value[d.k - 1];
    worst_index = memory->list.index[d.k - 1];
    gv_threads_sync<THREADS>();
  }

  /* Computes exact distances of the waiting points. */
  __device__ void measure_pending(int waiting) {
    for (int first = 0; first < waiting; first += THREADS) {
      bool near = first + thread < waiting;
      int64_t point = near ? memory->pending[first + thread] : 0;
      double value = 0.0;
      if (near) {
        value = canonical_of<METRIC>(d, query, point);
        near = value <= d.max_canonical && gv_before(value, point, worst, worst_index);
      }
      if (ONE) {
        if (near) {
          worst = value;
          worst_index = point;
        }
        continue;
      }
      if (near) {
        int at = atomicAdd(&memory->count, 1);
        memory->list.value[at] = value;
        memory->list.index[at] = point;
      }
      gv_threads_sync<THREADS>();
      int count = memory->count;
      gv_threads_sync<THREADS>();
      if (count > BUFFER - THREADS) cut(count);
    }
    gv_threads_sync<THREADS>();
    if (thread == 0) memory->pending_count = 0;
    gv_threads_sync<THREADS>();
  }

  __device__ void add(int64_t point) {
    memory->pending[atomicAdd(&memory->pending_count, 1)] = point;
  }

  /* Reads the points of the groups in memory->hits, numbered from `first`. */
  __device__ void look(int64_t first, int32_t hits) {
    int32_t items = hits << shift.size, mask = (1 << shift.size) - 1;
    bool wide = d.wide != NULL && !open && shift.size > 0;
    int32_t step = wide ? THREADS / WIDE_LANES : THREADS, mine = wide ? thread / WIDE_LANES : thread;
    for (int32_t start = 0; start < items; start += step) {
      int32_t item = start + mine;
      bool there = item < items;
      int64_t point = there ? gv_member_of(shift, first + memory->hits[item >> shift.size], item & mask) : 0;
      there = there && point < d.scan.count && point != self;
      if (wide) {
        /* Eight threads a point, each every eighth group of four dimensions. */
        float sum = 0.0F;
        int lane = thread % WIDE_LANES;
        if (there) {
          const float *at = d.wide + point * d.depth;
#pragma unroll 4
          for (int32_t c = 4 * lane; c < d.depth; c += 4 * WIDE_LANES) {
            float4 p = *(const float4 *)(at + c), q = *(const float4 *)(query_row + c);
            sum = gv_step<FILTER>(
                gv_step<FILTER>(gv_step<FILTER>(gv_step<FILTER>(sum, q.x, p.x), q.y, p.y), q.z, p.z), q.w,
                p.w);
          }
        }
        for (int s = WIDE_LANES / 2; s > 0; s /= 2) {
          float other = __shfl_xor_sync(0xffffffffU, sum, s);
          sum = FILTER == GV_CHEBYSHEV ? fmaxf(sum, other) : __fadd_rn(sum, other);
        }
        if (FILTER == GV_EUCLIDEAN && there) sum = __fadd_rn(sum, d.scan.halves[point * d.scan.half_stride]);
        if (there && lane == 0 && !(sum > threshold)) add(point);
      } else if (there && (open || shift.size == 0 ||
                           !(gv_filter_value<FILTER>(d.scan, query_row, point) > threshold))) {
        add(point);
      }
      gv_threads_sync<THREADS>();
      int waiting = memory->pending_count;
      gv_threads_sync<THREADS>();
      if (waiting >= THREADS) measure_pending(waiting);
    }
  }

  /* All groups that may hold a neighbor. */
  __device__ void walk() {
    for (int64_t stretch = 0; stretch < groups; stretch += AHEAD * EACH * THREADS) {
      float4 m[AHEAD];
      bool any = open;
#pragma unroll
      for (int a = 0; a < AHEAD; a++) {
        int64_t g = stretch + (a * THREADS + thread) * EACH;
        m[a] = make_float4(INFINITY, INFINITY, INFINITY, INFINITY);
        if (!open && g < groups) m[a] = *(const float4 *)(minima + g);
        any = any || !(fminf(fminf(m[a].x, m[a].y), fminf(m[a].z, m[a].w)) > threshold);
      }
      if (!gv_threads_any<THREADS>(any)) continue;
#pragma unroll
      for (int a = 0; a < AHEAD; a++) {
        int64_t first = stretch + a * THREADS * EACH;
        if (first >= groups) break;
        if (thread == 0) memory->hit_count = 0;
        gv_threads_sync<THREADS>();
        const float v[EACH] = {m[a].x, m[a].y, m[a].z, m[a].w};
#pragma unroll
        for (int i = 0; i < EACH; i++) {
          if (first + EACH * thread + i < groups && (open || !(v[i] > threshold))) {
            memory->hits[atomicAdd(&memory->hit_count, 1)] = EACH * thread + i;
          }
        }
        gv_threads_sync<THREADS>();
        look(first, memory->hit_count);
        gv_threads_sync<THREADS>();
      }
    }
    measure_pending(memory->pending_count);
  }

  __device__ void write_one(int64_t number) {
    double best = worst;
    int64_t best_index = worst_index;
    for (int s = 16; s > 0; s /= 2) {
      double other = __shfl_xor_sync(0xffffffffU, best, s);
      int64_t other_index = __shfl_xor_sync(0xffffffffU, (long long)best_index, s);
      if (gv_before(other, other_index, best, best_index)) {
        best = other;
        best_index = other_index;
      }
    }
    if (THREADS > WARP) {
      if (thread % WARP == 0) {
        memory->list.value[thread / WARP] = best;
        memory->list.index[thread / WARP] = best_index;
      }
      __syncthreads();
      for (int i = 0; thread == 0 && i < THREADS / WARP; i++) {
        if (gv_before(memory->list.value[i], memory->list.index[i], best, best_index)) {
          best = memory->list.value[i];
          best_index = memory->list.index[i];
        }
      }
    }
    if (thread == 0) {
      d.indices[number] = best_index == NO_INDEX ? -1 : best_index + d.base;
      d.canonical[number] = best_index == NO_INDEX ? INFINITY : best;
    }
  }

  __device__ void write_list(int64_t number) {
    int count = memory->count, size = 2;
    while (size < count)
      size *= 2;
    for (int i = count + thread; i < size; i += THREADS) {
      memory->list.value[i] = INFINITY;
      memory->list.index[i] = NO_INDEX;
    }
    gv_threads_sync<THREADS>();
    sort_pairs<THREADS>(memory->list.value, memory->list.index, size, thread);
    for (int i = thread; i < d.k; i += THREADS) {
      bool there = i < count && memory->list.index[i] != NO_INDEX;
      d.indices[number * d.k + i] = there ? memory->list.index[i] + d.base : -1;
      d.canonical[number * d.k + i] = there ? memory->list.value[i] : INFINITY;
    }
  }

  __device__ void run(int64_t slot) {
    int64_t number = d.number != NULL ? d.number[slot] : slot;
    query = d.queries + number * d.scan.dim;
    query_row = d.scan.query_rows + slot * d.depth;
    minima = d.scan.minima + slot * d.scan.row;
    self = d.self >= 0 ? d.self + number - d.base : -1;
    groups = d.scan.groups.count;
    shift = gv_shifts_of(d.scan.groups);
    threshold = INFINITY;
    worst = ONE ? INFINITY : d.max_canonical;
    worst_index = NO_INDEX;
    if (d.filtered) {
      float twice = d.margin.twice[slot];
      if (twice < INFINITY) threshold = fminf(__fadd_ru(find_bound(), twice), d.margin.limit[slot]);
    }
    open = !(threshold < INFINITY);
    if (thread == 0) memory->count = memory->pending_count = 0;
    gv_threads_sync<THREADS>();
    walk();
    if (ONE) {
      write_one(number);
    } else {
      write_list(number);
    }
  }
};

template <int METRIC, int THREADS, bool ONE>
__global__ void __launch_bounds__(BLOCK) decide_queries(gv_decision d) {
  constexpr int QUERIES = BLOCK / THREADS;
  __shared__ query_memory<THREADS> memories[QUERIES];
  int64_t slot = (int64_t)blockIdx.x * QUERIES + threadIdx.x / THREADS;
  if (slot >= d.scan.queries || (d.open != NULL && d.open[slot] == 0)) return;
  decider<METRIC, THREADS, ONE> one = {d, &memories[threadIdx.x / THREADS], (int)threadIdx.x % THREADS};
  one.run(slot);
}

template <int METRIC, int THREADS> cudaError_t launch_threads(const gv_decision *d, cudaStream_t stream) {
  unsigned blocks = (unsigned)gv_ceil_div(d->scan.queries, BLOCK / THREADS);
  if (d->needed == 1) {
    decide_queries<METRIC, THREADS, true><<<blocks, BLOCK, 0, stream>>>(*d);
  } else {
    decide_queries<METRIC, THREADS, false><<<blocks, BLOCK, 0, stream>>>(*d);
  }
  return cudaPeekAtLastError();
}

template <int METRIC> cudaError_t launch(const gv_decision *d, bool block, cudaStream_t stream) {
  return block ? launch_threads<METRIC, BLOCK>(d, stream) : launch_threads<METRIC, WARP>(d, stream);
}

/* Decides a query within its best group if that leads by more than the margins; lists the other queries. A
 * warp takes 32 queries, and for each its lanes take the group's points (GV_QUADS), for four queries at a
 * time. */
template <int METRIC>
__global__ void __launch_bounds__(BLOCK) decide_pairs(gv_decision d, gv_pair pair, int32_t *list) {
  const unsigned ALL = 0xffffffffU;
  constexpr int FILTER = gv_filter_metric((gv_metric)METRIC);
  int64_t slot = (int64_t)blockIdx.x * BLOCK + threadIdx.x, warp_slot = slot - threadIdx.x % WARP;
  int lane = (int)threadIdx.x % WARP, dim = d.scan.dim;
  bool decided = false;
  float threshold = 0.0F, x = 0.0F, y = 0.0F, z = 0.0F;
  int32_t group = 0;
  if (slot < d.scan.queries) {
    threshold = __fadd_ru(pair.best[slot], d.margin.twice[slot]);
    group = pair.group[slot];
    float4 row = ((const float4 *)d.scan.query_rows)[slot];
    x = row.x, y = row.y, z = row.z;
    /* Above zero euclidean values may be out of order: see gv_pair_by_query. */
    decided = pair.second[slot] > threshold && (FILTER != GV_EUCLIDEAN || threshold < 0.0F);
    if (!decided) list[1 + atomicAdd(list, 1)] = (int32_t)slot;
  }
  unsigned turns = __ballot_sync(ALL, decided);
  int only = -1; /* the place in the group of the only point that can be the nearest */
  double answer = INFINITY;
  int64_t answer_index = -1;
  for (int first = 0; first < WARP; first += EACH) {
    float4 p[EACH];
    int64_t start[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
      start[i] = (int64_t)__shfl_sync(ALL, group, first + i) * GV_PAIR_GROUP;
      p[i] = ((const float4 *)d.scan.values)[start[i] + lane];
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
      int turn = first + i;
      float sum = FILTER == GV_EUCLIDEAN ? p[i].w : 0.0F;
      sum = gv_step<FILTER>(sum, __shfl_sync(ALL, x, turn), p[i].x);
      sum = gv_step<FILTER>(sum, __shfl_sync(ALL, y, turn), p[i].y);
      sum = gv_step<FILTER>(sum, __shfl_sync(ALL, z, turn), p[i].z);
      float at_most = __shfl_sync(ALL, threshold, turn);
      bool near = (turns >> turn & 1U) != 0 && start[i] + lane < d.scan.count && !(sum > at_most);
      unsigned candidates = __ballot_sync(ALL, near);
      if (__popc(candidates) <= 1) {
        if (lane == turn) only = __ffs((int)candidates) - 1;
        continue;
      }
      /* Several: each lane's own distance. */
      double value = INFINITY;
      if (near) {
        value = canonical_of<METRIC>(d, d.queries + (warp_slot + turn) * dim, start[i] + lane);
        near = value <= d.max_canonical;
      }
      double best = INFINITY;
      int64_t best_index = NO_INDEX;
      for (candidates = __ballot_sync(ALL, near); candidates != 0; candidates &= candidates - 1) {
        int candidate = __ffs((int)candidates) - 1;
        double other = __shfl_sync(ALL, value, candidate);
        if (gv_before(other, start[i] + candidate, best, best_index)) {
          best = other;
          best_index = start[i] + candidate;
        }
      }
      if (lane == turn && best_index != NO_INDEX) {
        answer = best;
        answer_index = best_index + d.base;
      }
    }
  }
  if (only >= 0) {
    int64_t point = (int64_t)group * GV_PAIR_GROUP + only;
    double value = canonical_of<METRIC>(d, d.queries + slot * dim, point);
    if (value <= d.max_canonical) {
      answer = value;
      answer_index = point + d.base;
    }
  }
  if (decided) {
    d.indices[slot] = answer_index;
    d.canonical[slot] = answer;
  }
}

template <int METRIC>
cudaError_t launch_pairs(const gv_decision *d, gv_pair pair, int32_t *list, cudaStream_t stream) {
  decide_pairs<METRIC><<<(unsigned)gv_ceil_div(d->scan.queries, BLOCK), BLOCK, 0, stream>>>(*d, pair, list);
  return cudaPeekAtLastError();
}

/* Calls `function<METRIC>` for the metric of a decision. */
#define FOR_EXACT_METRIC(metric, function, ...)                                                              \
  ((metric) == GV_COSINE          ? function<GV_COSINE>(__VA_ARGS__)                                         \
   : (metric) == GV_INNER_PRODUCT ? function<GV_INNER_PRODUCT>(__VA_ARGS__)                                  \
                                  : GV_FOR_METRIC(metric, function, __VA_ARGS__))

} // namespace

cudaError_t gv_decide(const gv_decision *decision, bool block, cudaStream_t stream) {
  return FOR_EXACT_METRIC(decision->metric, launch, decision, block, stream);
}

cudaError_t gv_decide_pairs(const gv_decision *decision, gv_pair pair, int32_t *list, cudaStream_t stream) {
  return FOR_EXACT_METRIC(decision->metric, launch_pairs, decision, pair, list, stream);
}
