/*
 * The decision for products of 16-bit floats (search/half_filter.h) and long rows. Its cost is the memory
 * read. THREADS threads, a warp or a block, decide a query in these steps:
 *   1. the bound, from the row of minima; of each part of the row a thread remembers its smallest, so that
 *      few are read again;
 *   2. the groups not above it, and the filter values of their points, from the 16-bit floats, several
 *      points at a time;
 *   3. of the points not above it the k-th smallest such value, which makes a lower bound;
 *   4. exact distances of the rest; their rows pass through shared memory, so that adjacent lanes read
 *      adjacent coordinates.
 * A query that needs more space is left undecided, for decide.cu.
 */
#include "search/cuda/decide_threads.cuh"

#include "search/half_filter.h"

namespace {

enum {
  WARP = GV_THREADS_WARP,
  BLOCK = GV_THREADS_BLOCK,
  EACH = GV_THREADS_EACH,
  PARTS = 8,       /* of a row */
  POINT_LANES = 8, /* that read points together, */
  POINTS = 4,      /* number of points at a time */
  PIECE = GV_HALF_PIECE
};

const int64_t NO_INDEX = INT64_MAX;

/* Threads of a block, queries that it decides at once, and blocks that share a multiprocessor's registers. */
template <int THREADS> struct form {
  enum {
    BLOCK_THREADS = THREADS == WARP ? 4 * WARP : BLOCK,
    QUERIES = BLOCK_THREADS / THREADS,
    BLOCKS = 3 * BLOCK / BLOCK_THREADS
  };
};

/* Coordinates of a warp's points, and of the query; no two of a column are in a bank. */
template <typename COORDINATE> struct warp_rows {
  enum { WIDTH = 128 / (int)sizeof(COORDINATE) };
  COORDINATE point[WARP][WIDTH + 1];
  double query[WIDTH];
};

/* Shared memory of a query. */
template <int THREADS, typename COORDINATE> struct query_memory {
  enum { SETS = 8 * THREADS, HITS = 4 * THREADS, PENDING = 2 * THREADS };
  union {
    float sets[SETS];
    int32_t hits[HITS]; /* groups */
    warp_rows<COORDINATE> rows[THREADS / WARP];
  };
  int64_t point[PENDING]; /* those that may be neighbors, */
  double value[PENDING];  /* and their filter values, later canonical ones */
  int32_t hit_count, count;
  float bound;
};

/* The rows of canonical coordinates. */
__device__ __forceinline__ const double *rows_of(const gv_decision &d, double) {
  return d.points;
}

__device__ __forceinline__ const float *rows_of(const gv_decision &d, float) {
  return d.narrow;
}

template <int METRIC, int THREADS, typename COORDINATE> struct decider {
  typedef query_memory<THREADS, COORDINATE> memory_type;
  enum { AHEAD = THREADS == WARP ? 4 : 8, ONCE = AHEAD * EACH * THREADS }; /* minima read at once */
  const gv_decision &d;
  memory_type *memory;
  int thread;
  int64_t slot;
  int64_t length; /* of a part */
  float threshold;
  unsigned wanted; /* parts in which this thread has read a minimum not above the threshold, by bits */

  __device__ int64_t number() const { return d.number != NULL ? d.number[slot] : slot; }

  /* Minima of this thread from `stretch` on. */
  __device__ void read_minima(int64_t stretch, bool mine, float4 (&m)[AHEAD]) const {
    const float *row = d.scan.minima + slot * d.scan.row;
#pragma unroll
    for (int a = 0; a < AHEAD; a++) {
      int64_t g = stretch + a * EACH * THREADS + EACH * thread;
      m[a] = make_float4(INFINITY, INFINITY, INFINITY, INFINITY);
      if (mine && g < d.scan.groups.count) m[a] = *(const float4 *)(row + g);
    }
  }

  /* The threshold: 2 e above a value that at least d.needed group minima do not exceed. False: no
   * threshold. */
  __device__ bool find_threshold() {
    constexpr int MINE = memory_type::SETS / THREADS;
    const int64_t groups = d.scan.groups.count;
    float least[MINE], least_of[PARTS]; /* of sets of groups, each in one set; of parts */
#pragma unroll
    for (int i = 0; i < MINE; i++)
      least[i] = INFINITY;
    length = (groups + ONCE * PARTS - 1) / (ONCE * PARTS) * ONCE;
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
      const int64_t end = (part + 1) * length < groups ? (part + 1) * length : groups;
      least_of[part] = INFINITY;
#pragma unroll 1
      for (int64_t stretch = part * length; stretch < end; stretch += ONCE) {
        float4 m[AHEAD];
        read_minima(stretch, true, m);
#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
          const int set = a % 2 * EACH;
          least_of[part] = fminf(fminf(least_of[part], fminf(m[a].x, m[a].y)), fminf(m[a].z, m[a].w));
          least[set] = fminf(least[set], m[a].x);
          least[set + 1] = fminf(least[set + 1], m[a].y);
          least[set + 2] = fminf(least[set + 2], m[a].z);
          least[set + 3] = fminf(least[set + 3], m[a].w);
        }
      }
    }
    float bound = INFINITY;
    if (d.needed == 1) {
#pragma unroll
      for (int i = 0; i < MINE; i++)
        bound = fminf(bound, least[i]);
      bound = gv_threads_minimum<THREADS>(bound);
    } else {
#pragma unroll
      for (int i = 0; i < MINE; i++)
        memory->sets[i * THREADS + thread] = least[i];
      gv_threads_sync<THREADS>();
      gv_sort_values<THREADS>(memory->sets, memory_type::SETS, thread);
      bound = memory->sets[d.needed - 1];
      gv_threads_sync<THREADS>();
    }
    threshold = fminf(__fadd_ru(bound, d.margin.twice[slot]), d.margin.limit[slot]);
    wanted = 0;
#pragma unroll
    for (int part = 0; part < PARTS; part++)
      wanted |= least_of[part] > threshold ? 0 : 1U << part;
    return threshold < INFINITY;
  }

  /* Lists the groups not above the threshold. False: too many. */
  __device__ bool list_groups() {
    const int64_t groups = d.scan.groups.count;
#pragma unroll 1
    for (int part = 0; part < PARTS; part++) {
      const bool mine = (wanted >> part & 1) != 0;
      if (!gv_threads_any<THREADS>(mine)) continue;
      const int64_t end = (part + 1) * length < groups ? (part + 1) * length : groups;
#pragma unroll 1
      for (int64_t stretch = part * length; mine && stretch < end; stretch += ONCE) {
        float4 m[AHEAD];
        read_minima(stretch, true, m);
#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
          const float v[EACH] = {m[a].x, m[a].y, m[a].z, m[a].w};
#pragma unroll
          for (int i = 0; i < EACH; i++) {
            if (v[i] > threshold) continue;
            int at = atomicAdd(&memory->hit_count, 1);
            if (at < memory_type::HITS)
              memory->hits[at] = (int32_t)(stretch + a * EACH * THREADS + EACH * thread + i);
          }
        }
      }
    }
    gv_threads_sync<THREADS>();
    return memory->hit_count <= memory_type::HITS;
  }

  /* This thread's part of filter values: of each point a piece of every chunk. */
  __device__ __forceinline__ void add_parts(const int64_t (&point)[POINTS], float (&sum)[POINTS]) const {
    const int lane = thread % POINT_LANES;
    const __half *at[POINTS];
    const float *query = d.scan.query_rows + slot * d.depth;
#pragma unroll
    for (int p = 0; p < POINTS; p++) {
      sum[p] = 0.0F;
      at[p] = d.halves + gv_half_at(point[p], lane, d.half_depth, GV_POINT_SLAB);
    }
    if (lane * PIECE >= gv_half_width(d.half_depth)) return;
#pragma unroll 2
    for (int32_t c = lane * PIECE; c < d.depth; c += GV_HALF_CHUNK) {
      const int64_t on = (int64_t)(c / GV_HALF_CHUNK) * (GV_POINT_SLAB * GV_HALF_CHUNK);
      uint4 s[POINTS];
#pragma unroll
      for (int p = 0; p < POINTS; p++)
        s[p] = *(const uint4 *)(at[p] + on);
      float4 q = *(const float4 *)(query + c), r = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
      if (c + 4 < d.depth) r = *(const float4 *)(query + c + 4);
#pragma unroll
      for (int p = 0; p < POINTS; p++) {
        float2 a = __half22float2(*(const __half2 *)&s[p].x), b = __half22float2(*(const __half2 *)&s[p].y),
               e = __half22float2(*(const __half2 *)&s[p].z), f = __half22float2(*(const __half2 *)&s[p].w);
        sum[p] = __fmaf_rn(q.w, b.y, __fmaf_rn(q.z, b.x, __fmaf_rn(q.y, a.y, __fmaf_rn(q.x, a.x, sum[p]))));
        sum[p] = __fmaf_rn(r.w, f.y, __fmaf_rn(r.z, f.x, __fmaf_rn(r.y, e.y, __fmaf_rn(r.x, e.x, sum[p]))));
      }
    }
  }

  /* Lists the points of the groups that are not above the threshold. False: too many. */
  __device__ bool list_points() {
    const gv_group_shifts shift = gv_shifts_of(d.scan.groups);
    const int64_t self = d.self >= 0 ? d.self + number() - d.base : -1;
    const int32_t items = memory->hit_count << shift.size, mask = (1 << shift.size) - 1;
    const int lane = thread % POINT_LANES;
#pragma unroll 1
    for (int32_t start = thread / POINT_LANES; start - thread / POINT_LANES < items;
         start += THREADS / POINT_LANES * POINTS) {
      int64_t point[POINTS], mine = -1;
      float sum[POINTS], half = 0.0F, value = 0.0F;
#pragma unroll
      for (int p = 0; p < POINTS; p++) {
        int32_t item = start + p * (THREADS / POINT_LANES);
        point[p] = item < items ? gv_member_of(shift, memory->hits[item >> shift.size], item & mask) : 0;
        bool there = item < items && point[p] < d.scan.count && point[p] != self;
        if (!there) point[p] = 0;
        if (there && lane == p) mine = point[p];
      }
      if (mine >= 0) half = d.scan.halves[mine];
      add_parts(point, sum);
#pragma unroll
      for (int p = 0; p < POINTS; p++) {
        for (int s = POINT_LANES / 2; s > 0; s /= 2)
          sum[p] = __fadd_rn(sum[p], __shfl_xor_sync(0xffffffffU, sum[p], s));
        if (lane == p) value = sum[p];
      }
      value = __fmaf_rn(value, 1.0F / (float)(1 << GV_HALF_POINT_EXPONENT), half);
      if (mine >= 0 && !(value > threshold)) {
        int at = atomicAdd(&memory->count, 1);
        if (at < memory_type::PENDING) {
          memory->point[at] = mine;
          memory->value[at] = (double)value;
        }
      }
    }
    gv_threads_sync<THREADS>();
    return memory->count <= memory_type::PENDING;
  }

  /* Keeps the listed points that may be among the k nearest by their filter values. */
  __device__ void narrow() {
    constexpr int MINE = memory_type::PENDING / THREADS;
    const int count = memory->count;
    double value[MINE];
    int64_t point[MINE];
    if (count < d.k) return;
#pragma unroll
    for (int i = 0; i < MINE; i++) {
      int at = i * THREADS + thread, smaller = 0;
      if (at >= count) continue;
      value[i] = memory->value[at];
      point[i] = memory->point[at];
      for (int other = 0; other < count; other++) {
        double x = memory->value[other];
        smaller += x < value[i] || (x == value[i] && other < at) ? 1 : 0;
      }
      if (smaller == d.k - 1) memory->bound = (float)value[i];
    }
    gv_threads_sync<THREADS>();
    const double most = (double)__fadd_ru(memory->bound, d.margin.twice[slot]);
    if (thread == 0) memory->count = 0;
    gv_threads_sync<THREADS>();
#pragma unroll
    for (int i = 0; i < MINE; i++) {
      if (i * THREADS + thread >= count || value[i] > most) continue;
      int at = atomicAdd(&memory->count, 1);
      memory->point[at] = point[i];
      memory->value[at] = value[i];
    }
    gv_threads_sync<THREADS>();
  }

  /* The exact distance of each of a warp's first `count` lanes' points, which are `apart` entries apart from
   * `first` on. */
  __device__ double distance(const double *query, int first, int apart, int count) {
    constexpr int WIDTH = warp_rows<COORDINATE>::WIDTH, AT_ONCE = WARP / WIDTH, READS = WARP / AT_ONCE;
    const int lane = thread % WARP, column = lane % WIDTH, row = lane / WIDTH, dim = d.scan.dim;
    const COORDINATE *points = rows_of(d, COORDINATE());
    warp_rows<COORDINATE> &rows = memory->rows[thread / WARP];
    COORDINATE next[READS] = {};
    double asked = 0.0, total = 0.0;
    gv_product_sums sums = {0.0, 0.0, 0.0};
#pragma unroll 1
    for (int d0 = 0; d0 < dim + WIDTH; d0 += WIDTH) {
      /* Data that were read are written to shared memory; the next are read while these are used. */
      if (d0 > 0) {
#pragma unroll
        for (int r = 0; r < READS; r++)
          rows.point[r * AT_ONCE + row][column] = next[r];
        if (row == 0) rows.query[column] = asked;
      }
      if (d0 + column < dim) {
        asked = query[d0 + column];
#pragma unroll
        for (int r = 0; r < READS; r++) {
          int entry = r * AT_ONCE + row;
          if (entry < count) next[r] = points[memory->point[first + entry * apart] * dim + d0 + column];
        }
      }
      __syncwarp();
      const int there = d0 == 0 ? 0 : dim + WIDTH - d0 < WIDTH ? dim + WIDTH - d0 : WIDTH;
#pragma unroll 8
      for (int i = 0; i < there; i++) {
        const double q = rows.query[i], s = (double)rows.point[lane][i];
        if (gv_metric_of_products(METRIC)) gv_product_add(&sums, q, s);
        if (METRIC == GV_EUCLIDEAN)
          total = gv_norm_join(GV_EUCLIDEAN, gv_norm_of(GV_EUCLIDEAN, q - s), total);
      }
      __syncwarp();
    }
    return METRIC == GV_EUCLIDEAN ? total : gv_product_distance_of_sums(&sums, METRIC);
  }

  /* Replaces filter values by canonical ones; each warp has as many. */
  __device__ void measure() {
    const double *query = d.queries + number() * d.scan.dim;
    const int warps = THREADS / WARP, warp = thread / WARP, lane = thread % WARP, count = memory->count;
#pragma unroll 1
    for (int first = warp; first < count; first += THREADS) {
      int own = (count - first + warps - 1) / warps, at = first + lane * warps;
      double value = distance(query, first, warps, own);
      if (at >= count || lane >= own) continue;
      memory->value[at] = value;
      if (!(value <= d.max_canonical)) memory->point[at] = NO_INDEX;
    }
    gv_threads_sync<THREADS>();
  }

  /* Writes each point to its place among the k nearest. */
  __device__ void write() {
    const int count = memory->count;
    int64_t *indices = d.indices + number() * d.k;
    double *canonical = d.canonical + number() * d.k;
    for (int at = thread; at < count; at += THREADS) {
      int64_t point = memory->point[at];
      double value = memory->value[at];
      if (point == NO_INDEX) continue;
      int place = 0;
      for (int other = 0; other < count; other++) {
        int64_t index = memory->point[other];
        place += index != NO_INDEX && gv_before(memory->value[other], index, value, point) ? 1 : 0;
      }
      if (place >= d.k) continue;
      indices[place] = point + d.base;
      canonical[place] = value;
    }
    int there = 0;
    for (int at = 0; at < count; at++)
      there += memory->point[at] != NO_INDEX ? 1 : 0;
    for (int place = there + thread; place < d.k; place += THREADS) {
      indices[place] = -1;
      canonical[place] = INFINITY;
    }
  }

  __device__ void run() {
    if (thread == 0) memory->hit_count = memory->count = 0;
    gv_threads_sync<THREADS>();
    bool done = d.margin.twice[slot] < INFINITY && find_threshold() && list_groups() && list_points();
    if (thread == 0) d.open[slot] = done ? 0 : 1;
    if (!done) return;
    narrow();
    measure();
    write();
  }
};

template <int METRIC, int THREADS, typename COORDINATE>
__global__ void __launch_bounds__(form<THREADS>::BLOCK_THREADS, form<THREADS>::BLOCKS)
    decide_halves(gv_decision d) {
  __shared__ query_memory<THREADS, COORDINATE> memories[form<THREADS>::QUERIES];
  const int query = (int)threadIdx.x / THREADS;
  const int64_t slot = (int64_t)blockIdx.x * form<THREADS>::QUERIES + query;
  if (slot >= d.scan.queries) return;
  decider<METRIC, THREADS, COORDINATE> one = {d, &memories[query], (int)threadIdx.x % THREADS, slot};
  one.run();
}

template <int METRIC, int THREADS> cudaError_t launch_threads(const gv_decision *d, cudaStream_t stream) {
  unsigned blocks = (unsigned)gv_ceil_div(d->scan.queries, form<THREADS>::QUERIES);
  if (d->narrow != NULL) {
    decide_halves<METRIC, THREADS, float><<<blocks, form<THREADS>::BLOCK_THREADS, 0, stream>>>(*d);
  } else {
    decide_halves<METRIC, THREADS, double><<<blocks, form<THREADS>::BLOCK_THREADS, 0, stream>>>(*d);
  }
  return cudaPeekAtLastError();
}

template <int METRIC> cudaError_t launch(const gv_decision *d, bool block, cudaStream_t stream) {
  return block ? launch_threads<METRIC, BLOCK>(d, stream) : launch_threads<METRIC, WARP>(d, stream);
}

} // namespace

cudaError_t gv_decide_halves(const gv_decision *decision, bool block, cudaStream_t stream) {
  return decision->metric == GV_COSINE          ? launch<GV_COSINE>(decision, block, stream)
         : decision->metric == GV_INNER_PRODUCT ? launch<GV_INNER_PRODUCT>(decision, block, stream)
                                                : launch<GV_EUCLIDEAN>(decision, block, stream);
}
