/*
 * Brute force on the GPU: staging, filter, decision.
 *
 * The filter is that of search/float_filter.h: a value is wrong by at most e, which depends on the query. For
 * products of vectors the kernels are those of euclidean: with 0 for the halves of squared lengths they
 * compute -q.s.
 *
 * A filter kernel leaves the smallest value of every group of reference points. Let F be the k-th smallest of
 * a query's group minima (or of the minima of sets of groups, which is larger): k points have values at most
 * F, so the k-th nearest is at most F + e away, and the value of every neighbor at most F + 2 e. Only groups
 * with a minimum not above that are read again; of their points, exact distances are computed for those with
 * a value not above it. With self-exclusion one of the k points may be the query's own: k + 1 are needed. A
 * query or a reference set that is out of float's range has an infinite bound, so the exact distances of all
 * points are compared.
 *
 * One warp decides a query if k is small, else one block. Candidates are collected in a buffer in shared
 * memory, which is sorted and cut to k when it is full. Equal distances are ordered by the points' numbers,
 * so the result does not depend on the order in which candidates arrive.
 */
#include "search/cuda/decide.cuh"

#include <math.h>

#include "search/half_filter.h"

namespace {

enum { WARP = 32, BLOCK = 256 };

} // namespace

/* ------------------------------------------------------------------------------------------------ queries */

namespace {

typedef struct query_frame {
  gv_metric metric;              /* of exact distances */
  const double *center, *scales; /* scales: of each query, instead of `scale`; NULL unless GV_COSINE */
  double scale, longest;
  bool halves;  /* the filter is that of search/half_filter.h */
  double above; /* filter value of a canonical value: above * value + e at most, for euclidean - |q|^2 / 2,
                   for cosine - 1 */
  double max_canonical;
} query_frame;

__device__ inline float rounded_up(double x) {
  return __double2float_ru(x);
}

/* The margins of query i; `length`: the length of its scaled floats (gv_norm_join of all). False: they do not
 * suit the filter. */
__device__ inline bool put_margins(const query_frame &frame, int32_t dim, double length, int64_t i,
                                   const gv_margins &out) {
  const gv_metric metric = frame.metric;
  double reach = gv_float_length(metric, length);
  if (!gv_float_suits(reach)) {
    out.twice[i] = INFINITY;
    out.limit[i] = INFINITY;
    return false;
  }
  double error = frame.halves ? gv_half_error(metric, dim, reach, frame.longest)
                              : gv_float_error(metric, dim, reach, frame.longest);
  double less = metric == GV_EUCLIDEAN ? 0.5 * length : metric == GV_COSINE ? 1.0 : 0.0;
  double limit = frame.above * frame.max_canonical + error - less;
  out.twice[i] = rounded_up(2.0 * error * (1.0 + 0x1p-22));
  out.limit[i] = rounded_up(limit + fabs(limit) * 0x1p-22);
  return true;
}

/* The factor of query i's coordinates. */
__device__ inline double scale_of(const query_frame &frame, int64_t i) {
  return frame.scales != NULL ? frame.scales[i] : frame.scale;
}

/* Floats of queries [0, padded) by columns (euclidean filters: negated) and by rows, and their margins. */
__global__ void prepare_queries(const double *queries, int64_t count, int64_t padded, int32_t dim,
                                int32_t depth, query_frame frame, float *columns, float *rows,
                                gv_margins out) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= padded) return;
  const gv_metric metric = frame.metric;
  const bool negated = gv_filter_metric(metric) == GV_EUCLIDEAN;
  const double scale = i < count ? scale_of(frame, i) : 0.0;
  double length = 0.0;
  for (int32_t d = 0; d < dim; d++) {
    float value = 0.0F;
    if (i < count) {
      value = (float)((queries[i * dim + d] - frame.center[d]) * scale);
      length = gv_norm_join(metric, length, gv_norm_of(metric, (double)value));
      value = negated ? -value : value;
      rows[i * depth + d] = value;
    }
    columns[d * padded + i] = value;
  }
  if (i >= count) return;
  for (int32_t d = dim; d < depth; d++)
    rows[i * depth + d] = 0.0F;
  if (put_margins(frame, dim, length, i, out)) return;
  /* Zeros keep infinities out of the kernels. */
  for (int32_t d = 0; d < dim; d++) {
    columns[d * padded + i] = 0.0F;
    rows[i * depth + d] = 0.0F;
  }
}

/* Only the rows and the margins, for euclidean filters of many dimensions: a warp a query. */
__global__ void prepare_rows(const double *queries, int64_t count, int32_t dim, int32_t depth,
                             query_frame frame, float *rows, gv_margins out) {
  int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP;
  int lane = (int)threadIdx.x % WARP;
  if (i >= count) return;
  const double scale = scale_of(frame, i);
  double length = 0.0;
  for (int32_t d = lane; d < depth; d += WARP) {
    float value = d < dim ? (float)((queries[i * dim + d] - frame.center[d]) * scale) : 0.0F;
    length += (double)value * (double)value;
    rows[i * depth + d] = -value;
  }
  for (int shift = WARP / 2; shift > 0; shift /= 2)
    length += __shfl_xor_sync(0xffffffffU, length, shift);
  bool suits = true;
  if (lane == 0) suits = put_margins(frame, dim, length, i, out);
  if (__all_sync(0xffffffffU, suits)) return;
  for (int32_t d = lane; d < depth; d += WARP)
    rows[i * depth + d] = 0.0F;
}

/* Coordinates as doubles. */
__global__ void brute_widen(const float *from, int64_t values, double *to) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < values) to[i] = (double)from[i];
}

/* The queries that a list names, side by side. */
__global__ void gather_queries(const int32_t *list, int64_t count, int64_t padded, int32_t dim, int32_t depth,
                               const float *from_columns, int64_t from_stride, const float *from_rows,
                               gv_margins from, float *columns, float *rows, gv_margins to) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= padded) return;
  int64_t source = i < count ? list[i] : -1;
  for (int32_t d = 0; d < dim; d++) {
    columns[d * padded + i] = source >= 0 ? from_columns[d * from_stride + source] : 0.0F;
  }
  if (source < 0) return;
  for (int32_t d = 0; d < depth; d++)
    rows[i * depth + d] = from_rows[source * depth + d];
  to.twice[i] = from.twice[source];
  to.limit[i] = from.limit[source];
}

} // namespace

/* ------------------------------------------------------------------------------------------------- search */

/* State of a search of some of the reference points. */
typedef struct work {
  gv_context *context;
  gv_cuda_queue *queue;
  const gv_brute *brute;
  gv_brute_sizes sizes;
  gv_decision decide; /* all but what changes from chunk to chunk */
  query_frame frame;
  size_t budget; /* bytes for group minima */
  bool by_pairs; /* pairs have not yet left too many queries open */
} work;

/*
 * Large groups make short rows; small groups are cheap to read again. About c k groups are read again (c
 * = 1.5). With a cost of 8 bytes for writing and reading a minimum and 8 bytes a coordinate read again (only
 * half of what is read is used), the best size is sqrt(n / (c k dim)).
 */
static void choose_groups(const work *w, gv_groups *groups) {
  gv_group_shape shape = w->brute->method->shape(&w->sizes);
  int64_t count = w->sizes.count;
  double best = sqrt((double)count / (1.5 * w->sizes.k * w->sizes.dim));
  int32_t steps = shape.steps_min;
  while (2 * steps <= shape.steps_max && 1.5 * shape.piece * steps < best) {
    int64_t size = 2LL * shape.piece * steps;
    if (count / size < 4LL * w->decide.needed || count / (size * shape.lanes) < shape.blocks_min) break;
    steps *= 2;
  }
  /* Numbers of groups are 32-bit, and one row must fit. */
  while (2 * steps <= shape.steps_max &&
         count / ((int64_t)shape.piece * steps) > (int64_t)(w->budget / sizeof(float) / 2)) {
    steps *= 2;
  }
  groups->piece = shape.piece;
  groups->lanes = shape.lanes;
  groups->steps = steps;
  /* A multiple of 4, because rows are read in fours. */
  int64_t block = (int64_t)shape.piece * shape.lanes * steps * (shape.lanes == 1 ? 4 : 1);
  groups->count = gv_ceil_div(count, block) * (shape.lanes == 1 ? 4 : shape.lanes);
}

/* Filter and decision for the queries of `all` (floats, margins, numbers), as many at once as the budget
 * allows. */
static gv_status filter_and_decide(work *w, gv_decision all) {
  gv_status status = GV_OK;
  const gv_brute *brute = w->brute;
  int64_t queries = all.scan.queries, at_once = queries;
  bool block = all.needed > WARP;
  if (brute->filterable) {
    choose_groups(w, &all.scan.groups);
    all.scan.row = all.scan.groups.count;
    size_t row_bytes = (size_t)all.scan.row * sizeof(float);
    at_once = (int64_t)(w->budget / row_bytes);
    at_once = at_once >= GV_QUERY_PAD ? at_once / GV_QUERY_PAD * GV_QUERY_PAD : at_once / 4 * 4 + 4;
    if (at_once > queries) at_once = queries;
    status = gv_cuda_reserve(w->context, w->queue, GV_SLOT_MINIMA, (size_t)at_once * row_bytes,
                             (void **)&all.scan.minima);
    if (status != GV_OK) return status;
    block = block || (all.scan.groups.count > 2048 && queries < 8LL * w->queue->multiprocessors);
  } else {
    all.scan.groups.piece = all.scan.groups.lanes = 1;
    all.scan.groups.steps = 64;
    all.scan.groups.count = gv_ceil_div(all.scan.count, 64);
    block = block || queries < 64LL * w->queue->multiprocessors;
  }
  for (int64_t first = 0; first < queries; first += at_once) {
    gv_decision d = all;
    d.scan.queries = queries - first < at_once ? queries - first : at_once;
    d.scan.query += first;
    d.scan.query_rows += first * d.depth;
    d.margin.twice += first;
    d.margin.limit += first;
    if (d.number != NULL) {
      d.number += first;
    } else {
      d.queries += first * d.scan.dim;
      d.indices += first * d.k;
      d.canonical += first * d.k;
      if (d.self >= 0) d.self += first;
    }
    if (brute->filterable) {
      GV_TRY(brute->method->filter(w->context, w->queue, brute, &d.scan, &w->sizes));
    }
    if (d.halves != NULL && d.needed <= GV_DECIDE_HALVES_MOST) {
      status = gv_cuda_reserve(w->context, w->queue, GV_SLOT_LIST, (size_t)at_once * sizeof *d.open,
                               (void **)&d.open);
      if (status != GV_OK) return status;
      status = gv_cuda_result(w->context, gv_decide_halves(&d, block, w->queue->stream),
                              "deciding about neighbors");
      if (status != GV_OK) return status;
    }
    GV_TRY(gv_cuda_result(w->context, gv_decide(&d, block, w->queue->stream), "deciding about neighbors"));
  }
  return GV_OK;
}

/* The nearest point by pairs: best group and runner-up. Open queries are decided by filter_and_decide. */
static gv_status decide_by_pairs(work *w, const gv_decision *all, int64_t *open) {
  gv_status status = GV_OK;
  gv_cuda_queue *queue = w->queue;
  int64_t queries = all->scan.queries, padded = gv_ceil_div(queries, GV_QUERY_PAD) * GV_QUERY_PAD;
  int32_t dim = all->scan.dim, *list = NULL, *count = NULL;
  float *pairs = NULL;
  gv_decision rest = *all;
  *open = 0;
  status =
      gv_cuda_reserve(w->context, queue, GV_SLOT_PAIRS, (size_t)padded * 3 * sizeof(float), (void **)&pairs);
  if (status != GV_OK) return status;
  status =
      gv_cuda_reserve(w->context, queue, GV_SLOT_LIST, (size_t)(padded + 1) * sizeof *list, (void **)&list);
  if (status != GV_OK) return status;
  status = gv_cuda_reserve_pinned(w->context, queue, 0, sizeof *count, (void **)&count);
  if (status != GV_OK) return status;
  gv_pair pair = {pairs, pairs + padded, (int32_t *)(pairs + 2 * padded)};
  GV_CUDA_TRY(w->context, cudaMemsetAsync(list, 0, sizeof *list, queue->stream), "clearing");
  status = w->brute->method->pair(w->context, queue, w->brute, &all->scan, pair);
  if (status != GV_OK) return status;
  GV_CUDA_TRY(w->context, gv_decide_pairs(all, pair, list, queue->stream), "deciding about neighbors");
  GV_CUDA_TRY(w->context, cudaMemcpyAsync(count, list, sizeof *count, cudaMemcpyDeviceToHost, queue->stream),
              "copying");
  gv_cuda_mark_end(queue);
  status = gv_cuda_wait(w->context, queue, "searching");
  gv_cuda_mark_begin(queue);
  if (status != GV_OK || *count == 0) return status;

  *open = *count;
  {
    float *columns = NULL, *rows = NULL, *margin = NULL;
    int64_t n = *count, room = gv_ceil_div(n, GV_QUERY_PAD) * GV_QUERY_PAD;
    size_t floats = ((size_t)room * (size_t)dim + GV_QUERY_PAD) * sizeof(float);
    status = gv_cuda_reserve(w->context, queue, GV_SLOT_LIST_COLUMNS, floats, (void **)&columns);
    if (status != GV_OK) return status;
    status = gv_cuda_reserve(w->context, queue, GV_SLOT_LIST_ROWS,
                             (size_t)room * (size_t)all->depth * sizeof(float), (void **)&rows);
    if (status != GV_OK) return status;
    status = gv_cuda_reserve(w->context, queue, GV_SLOT_LIST_MARGINS, (size_t)room * 2 * sizeof(float),
                             (void **)&margin);
    if (status != GV_OK) return status;
    rest.scan.queries = n;
    rest.scan.query = columns;
    rest.scan.query_stride = room;
    rest.scan.query_rows = rows;
    rest.margin.twice = margin;
    rest.margin.limit = margin + room;
    rest.number = list + 1;
    gather_queries<<<(unsigned)gv_ceil_div(room, BLOCK), BLOCK, 0, queue->stream>>>(
        list + 1, n, room, dim, all->depth, all->scan.query, all->scan.query_stride, all->scan.query_rows,
        all->margin, columns, rows, rest.margin);
    GV_CUDA_LAUNCHED(w->context, "gathering queries");
  }
  status = filter_and_decide(w, rest);

done:
  return status;
}

/* Bytes of the device that a search may use for its queries, and for group minima. */
static gv_status find_budget(gv_context *context, const gv_cuda_queue *queue, size_t *budget) {
  size_t free_bytes = 0;
  GV_TRY(gv_cuda_free_bytes(context, queue, &free_bytes));
  for (int i = 0; i < GV_CUDA_SLOTS; i++)
    free_bytes += queue->buffer[i].bytes;
  const size_t most = (size_t)1 << 30, least = (size_t)1 << 22;
  *budget = free_bytes / 8 < most ? free_bytes / 8 : most;
  if (*budget < least) *budget = least;
  return GV_OK;
}

/* Prepares a search of points [first, end), without the queries. */
static void begin_work(work *w, const gv_reference *reference, const gv_query *query, int64_t first,
                       int64_t end) {
  const gv_brute *brute = w->brute;
  const int32_t dim = reference->dim, k = query->k;
  const bool quads = brute->layout == GV_QUADS;
  gv_decision *all = &w->decide;
  gv_scan *scan = &all->scan;
  all->metric = reference->metric;
  scan->metric = gv_filter_metric(reference->metric);
  scan->dim = dim;
  scan->count = end - first;
  scan->padded = gv_ceil_div(scan->count, GV_SCAN_PAD) * GV_SCAN_PAD;
  scan->point_stride = brute->layout == GV_COLUMNS ? 1 : gv_brute_stride(brute->layout, dim);
  scan->dim_stride = brute->layout == GV_COLUMNS ? brute->padded : 1;
  if (brute->filterable) {
    scan->values = brute->values + first * scan->point_stride;
    if (scan->metric == GV_EUCLIDEAN) {
      scan->halves = quads ? scan->values + 3 : brute->halves + first;
      scan->half_stride = quads ? 4 : 1;
    }
  }
  all->filtered = brute->filterable;
  all->depth = gv_brute_depth(dim);
  all->wide = brute->layout == GV_FOURS && brute->filterable ? brute->values + first * all->depth : NULL;
  if (brute->method->halves && brute->filterable) {
    all->half_depth = gv_half_depth(dim);
    all->halves = (const __half *)brute->own + first * all->half_depth;
  }
  if (brute->narrow != NULL) all->narrow = brute->narrow + first * dim;
  if (brute->rows != NULL) all->points = brute->rows + first * dim;
  all->base = first;
  all->k = k;
  all->needed = k + (query->self_offset >= 0 ? 1 : 0);
  all->max_canonical = query->max_canonical;
  w->frame.metric = reference->metric;
  w->frame.center = brute->center;
  w->frame.scale = ldexp(1.0, brute->exponent);
  w->frame.longest = brute->longest;
  w->frame.halves = brute->method->halves;
  w->frame.above = gv_float_scale(reference->metric, dim, w->frame.scale);
  w->frame.max_canonical = query->max_canonical;
  w->sizes.dim = dim;
  w->sizes.k = all->needed;
  w->sizes.metric = reference->metric;
  w->sizes.count = scan->count;
  w->sizes.multiprocessors = w->queue->multiprocessors;
  w->by_pairs = true;
}

/* How many queries at once. */
static int64_t choose_chunk(const work *w, const gv_query *query) {
  size_t each = (size_t)w->sizes.dim * (sizeof(double) + 4 * sizeof(float)) + (size_t)query->k * 16 + 64;
  int64_t chunk = (int64_t)(w->budget / each) / GV_QUERY_PAD * GV_QUERY_PAD;
  if (chunk < GV_QUERY_PAD) chunk = GV_QUERY_PAD;
  return chunk < query->count ? chunk : query->count;
}

/* Copies queries [from, from + n) to the device and sets them in `d`; `queries`: their doubles on the
 * device. */
static gv_status stage_queries(work *w, const gv_query *query, int64_t from, int64_t n, gv_decision *d) {
  gv_status status;
  gv_cuda_queue *queue = w->queue;
  double *queries = NULL;
  float *columns = NULL, *rows = NULL, *margin = NULL, *narrow = NULL;
  const size_t dim = (size_t)d->scan.dim, results = (size_t)n * (size_t)d->k, values = (size_t)n * dim;
  const size_t padded = (size_t)(gv_ceil_div(n, GV_QUERY_PAD) * GV_QUERY_PAD);
  const struct {
    int slot;
    size_t bytes;
    void **at;
  } wanted[] = {
      {GV_SLOT_QUERIES, values * sizeof(double), (void **)&queries},
      {GV_SLOT_NARROW, query->floats != NULL ? values * sizeof(float) : 0, (void **)&narrow},
      {GV_SLOT_COLUMNS, w->brute->method->halves ? 16 : (padded * dim + GV_QUERY_PAD) * sizeof(float),
       (void **)&columns},
      {GV_SLOT_ROWS, padded * (size_t)d->depth * sizeof(float), (void **)&rows},
      {GV_SLOT_MARGINS, padded * 2 * sizeof(float), (void **)&margin},
      {GV_SLOT_INDICES, results * sizeof(int64_t), (void **)&d->indices},
      {GV_SLOT_CANONICAL, results * sizeof(double), (void **)&d->canonical},
  };
  for (const auto &one : wanted) {
    if (one.bytes == 0) continue;
    GV_TRY(gv_cuda_reserve(w->context, queue, one.slot, one.bytes, one.at));
  }
  if (query->floats != NULL) {
    status = gv_cuda_upload(w->context, queue, narrow, query->floats + from * d->scan.dim,
                            values * sizeof(float), "copying queries");
    if (status != GV_OK) return status;
    brute_widen<<<(unsigned)gv_ceil_div((int64_t)values, BLOCK), BLOCK, 0, queue->stream>>>(
        narrow, (int64_t)values, queries);
    status = gv_cuda_result(w->context, cudaPeekAtLastError(), "widening queries");
  } else {
    status = gv_cuda_upload(w->context, queue, queries, query->data + from * d->scan.dim,
                            values * sizeof(double), "copying queries");
  }
  d->scan.queries = n;
  d->scan.query_stride = (int64_t)padded;
  d->scan.query = columns;
  d->scan.query_rows = rows;
  d->margin.twice = margin;
  d->margin.limit = margin + padded;
  d->queries = queries;
  d->self = query->self_offset >= 0 ? query->self_offset + from : -1;
  w->sizes.queries = n;
  return status;
}

/* Searches the queries of a decision, from doubles on the device to results on the device. */
static gv_status answer_queries(work *w, const gv_decision *d) {
  gv_status status = GV_OK;
  const gv_brute *brute = w->brute;
  const gv_scan *scan = &d->scan;
  if (brute->filterable && d->metric == GV_COSINE) {
    double *scales = NULL;
    GV_TRY(gv_cuda_reserve(w->context, w->queue, GV_SLOT_SCALES, (size_t)scan->queries * sizeof *scales,
                           (void **)&scales));
    GV_TRY(gv_cuda_result(w->context,
                          gv_brute_scales(w->queue, d->queries, NULL, scan->queries, scan->dim, scales),
                          "preparing queries"));
    w->frame.scales = scales;
  }
  if (brute->filterable && brute->method->halves) {
    prepare_rows<<<(unsigned)gv_ceil_div(scan->queries, BLOCK / WARP), BLOCK, 0, w->queue->stream>>>(
        d->queries, scan->queries, scan->dim, d->depth, w->frame, (float *)scan->query_rows, d->margin);
    GV_CUDA_LAUNCHED(w->context, "preparing queries");
  } else if (brute->filterable) {
    prepare_queries<<<(unsigned)gv_ceil_div(scan->query_stride, BLOCK), BLOCK, 0, w->queue->stream>>>(
        d->queries, scan->queries, scan->query_stride, scan->dim, d->depth, w->frame, (float *)scan->query,
        (float *)scan->query_rows, d->margin);
    GV_CUDA_LAUNCHED(w->context, "preparing queries");
  }
  if (!w->by_pairs || !brute->filterable || d->needed > 1 || brute->method->pairs == NULL ||
      !brute->method->pairs(&w->sizes)) {
    return filter_and_decide(w, *d);
  }
  {
    int64_t open = 0;
    status = decide_by_pairs(w, d, &open);
    w->by_pairs = open < scan->queries / 4;
  }
done:
  return status;
}

/* Copies a chunk's results back and waits for them. */
static gv_status fetch_answers(work *w, const gv_decision *d, int64_t *indices, double *canonical) {
  gv_status status;
  const size_t results = (size_t)d->scan.queries * (size_t)d->k, large = 1 << 20;
  if (results * sizeof(double) > large) {
    status =
        gv_cuda_download(w->context, w->queue, indices, d->indices, results * sizeof *indices, "searching");
    if (status == GV_OK)
      status = gv_cuda_download(w->context, w->queue, canonical, d->canonical, results * sizeof *canonical,
                                "searching");
    return status == GV_OK ? gv_cuda_wait(w->context, w->queue, "searching") : status;
  }
  GV_CUDA_TRY(
      w->context,
      cudaMemcpyAsync(indices, d->indices, results * sizeof(int64_t), cudaMemcpyDefault, w->queue->stream),
      "copying results");
  GV_CUDA_TRY(
      w->context,
      cudaMemcpyAsync(canonical, d->canonical, results * sizeof(double), cudaMemcpyDefault, w->queue->stream),
      "copying results");
  status = gv_cuda_wait(w->context, w->queue, "searching");
done:
  return status;
}

gv_status gv_brute_run(gv_context *context, const gv_reference *reference, const gv_brute *brute,
                       const gv_query *query, int64_t first, int64_t end, gv_progress *progress,
                       int64_t *indices, double *canonical) {
  work w;
  memset(&w, 0, sizeof w);
  GV_TRY(gv_cuda_queue_take(context, brute->device, &w.queue));
  w.context = context;
  w.brute = brute;
  begin_work(&w, reference, query, first, end);
  gv_status status = find_budget(context, w.queue, &w.budget);
  const int64_t chunk = choose_chunk(&w, query), k = query->k;
  for (int64_t from = 0; status == GV_OK && from < query->count; from += chunk) {
    const int64_t n = query->count - from < chunk ? query->count - from : chunk;
    gv_decision d = w.decide;
    w.sizes.itself = query->data == reference->data && query->floats == reference->floats &&
                     query->count == reference->count && n == d.scan.count;
    status = stage_queries(&w, query, from, n, &d);
    if (status != GV_OK) break;
    gv_cuda_mark_begin(w.queue);
    status = answer_queries(&w, &d);
    gv_cuda_mark_end(w.queue);
    if (status == GV_OK) status = fetch_answers(&w, &d, indices + from * k, canonical + from * k);
    if (status == GV_OK && progress != NULL && !gv_progress_add(progress, n))
      status = gv_fail(context, GV_ERROR_CANCELLED, "cancelled");
  }
  gv_cuda_queue_give(context, w.queue);
  return status;
}

gv_status gv_brute_search(gv_context *context, const gv_reference *reference, const void *state,
                          const gv_query *query, int64_t *indices, double *canonical) {
  gv_progress progress;
  gv_progress_init(&progress, context, query->count);
  return gv_brute_run(context, reference, (const gv_brute *)state, query, 0, reference->count, &progress,
                      indices, canonical);
}

void gv_brute_forget(const gv_reference *reference, void *state) {
  gv_brute_destroy(reference, (gv_brute *)state);
}
