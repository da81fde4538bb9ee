/*
 * openmp: blocked brute force on all CPUs, exact, for any dimension and k.
 *
 * Idea. A float filter excludes nearly all pairs; the remaining ones are decided by their exact distance. For
 * euclidean the filter is the inner loop of a matrix product: |q-s|^2 / 2 - |q|^2 / 2 = |s|^2 / 2 - q.s, one
 * fused multiply-add a pair and dimension (the expansion that GEMM-based searches use), for the other metrics
 * differences, for cosine and inner products the negative product of the (scaled) vectors. Remaining points
 * are kept by filter value until k others are certainly nearer (brute.h). Queries form query tiles that stay
 * in registers, reference points panels of 32 (structure of arrays) in chunks that stay in the cache; a task
 * is a block of those against a range of the reference set. With few queries the reference set is cut into
 * ranges too, and the ranges' lists are merged. Cost O(m n d), memory n d floats in addition to the points.
 *
 * Why it is exact: float_filter.h.
 *
 * In a periodic box and with GV_MINKOWSKI every pair is decided by exact distances. The filter needs numbers
 * in the range of floats and has no effect if the error exceeds the distances of neighbors (clusters far
 * apart, or queries far outside). The first is checked; for the second each query tile counts its candidates,
 * and searches the next chunks with exact distances in double vectors if there are too many.
 */
#include "core/parallel.h"
#include "search/brute.h"
#include "search/float_filter.h"

#include <stdlib.h>

enum {
  CHUNK_BYTES = 192 << 10, /* of reference floats: fits the second-level cache together with the queries */
  BLOCK_QUERIES_MAX = 384,
  BLOCK_VALUES_MAX = 1 << 16, /* floats of a block's queries */
  PACKED_VALUES = 1 << 14,    /* doubles an exact step packs at once */
  RANGES_A_THREAD = 4,
  PAUSE_MIN = 4, /* panels */
  PAUSE_MAX = 4096
};

typedef struct brute_state {
  bool filterable;
  int exponent;   /* t = 2^exponent */
  double longest; /* max |s'| */
  double *center;
  float *panels, *halves;
} brute_state;

static int64_t parts_of(int64_t count, int64_t part) {
  return (count + part - 1) / part;
}

static int64_t panels_of(int64_t count) {
  return parts_of(count, GV_PANEL);
}

static void openmp_destroy(const gv_reference *reference, void *opaque) {
  brute_state *state = opaque;
  if (state == NULL) return;
  gv_release(&reference->allocator, state->center);
  gv_release(&reference->allocator, state->panels);
  gv_release(&reference->allocator, state->halves);
  gv_release(&reference->allocator, state);
}

/* An index being built. */
typedef struct building {
  const gv_reference *reference;
  brute_state *state;
  double *low, *high; /* by dimension */
  double longest;
} building;

/* Some rows, of some dimensions of which panels and bounds stay in the first-level cache. */
enum { BOX_ROWS = 2048, BOX_DIMS = 256, PANEL_DIMS = 64 };

/* Compared as floats, of which a vector holds twice as many. */
static void widen_box_by_floats(const float *from, int64_t row, int64_t stop, int64_t dim, int64_t dims,
                                double *low, double *high) {
  float least[BOX_DIMS], most[BOX_DIMS];
  for (int64_t d = 0; d < dims; d++)
    least[d] = most[d] = from[row * dim + d];
  for (; row < stop; row++) {
    const float *p = from + row * dim;
    for (int64_t d = 0; d < dims; d++) {
      least[d] = p[d] < least[d] ? p[d] : least[d];
      most[d] = p[d] > most[d] ? p[d] : most[d];
    }
  }
  for (int64_t d = 0; d < dims; d++) {
    low[d] = (double)least[d];
    high[d] = (double)most[d];
  }
}

static gv_status find_box(gv_worker *worker, int64_t first, int64_t end) {
  building *b = worker->user;
  const gv_reference *reference = b->reference;
  int64_t dim = reference->dim, across = parts_of(dim, BOX_DIMS);
  for (int64_t part = first; part < end; part++) {
    int64_t base = part % across * BOX_DIMS, row = part / across * BOX_ROWS;
    int64_t dims = dim - base < BOX_DIMS ? dim - base : BOX_DIMS;
    int64_t stop = row + BOX_ROWS < reference->count ? row + BOX_ROWS : reference->count;
    double low[BOX_DIMS], high[BOX_DIMS];
    for (int64_t d = 0; d < dims; d++) {
      low[d] = INFINITY;
      high[d] = -INFINITY;
    }
    if (reference->floats != NULL) {
      widen_box_by_floats(reference->floats + base, row, stop, dim, dims, low, high);
    } else {
      for (; row < stop; row++) {
        const double *p = reference->data + row * dim + base;
        for (int64_t d = 0; d < dims; d++) {
          low[d] = p[d] < low[d] ? p[d] : low[d];
          high[d] = p[d] > high[d] ? p[d] : high[d];
        }
      }
    }
    gv_worker_lock(worker);
    for (int64_t d = 0; d < dims; d++) {
      b->low[base + d] = fmin(b->low[base + d], low[d]);
      b->high[base + d] = fmax(b->high[base + d], high[d]);
    }
    gv_worker_unlock(worker);
  }
  return GV_OK;
}

/* The box's center, and the exponent that brings its half width below 1. */
static bool find_frame(building *b, int threads) {
  const gv_reference *reference = b->reference;
  double widest = 0.0;
  for (int32_t d = 0; d < reference->dim; d++) {
    b->low[d] = INFINITY;
    b->high[d] = -INFINITY;
  }
  gv_loop loop = {.threads = threads,
                  .count = parts_of(reference->count, BOX_ROWS) * parts_of(reference->dim, BOX_DIMS),
                  .user = b};
  gv_parallel_for(&loop, find_box);
  for (int32_t d = 0; d < reference->dim; d++) {
    double center = gv_metric_of_products(reference->metric) ? 0.0 : 0.5 * b->low[d] + 0.5 * b->high[d];
    b->state->center[d] = center;
    widest = fmax(widest, fmax(fabs(b->high[d] - center), fabs(b->low[d] - center)));
  }
  if (reference->metric == GV_COSINE) return true; /* of vectors of length 1 */
  return gv_float_exponent(widest, &b->state->exponent);
}

static double brute_coordinate(const gv_reference *reference, int64_t i, int32_t d) {
  return reference->floats != NULL ? (double)reference->floats[i * reference->dim + d]
                                   : reference->data[i * reference->dim + d];
}

/* Factors of the coordinates of a panel's points; for cosine they make the lengths 1. */
static void brute_scales(const building *b, int64_t p, double scale[GV_PANEL]) {
  const gv_reference *reference = b->reference;
  for (int lane = 0; lane < GV_PANEL; lane++) {
    int64_t i = p * GV_PANEL + lane;
    scale[lane] = ldexp(1.0, b->state->exponent);
    if (reference->metric != GV_COSINE || i >= reference->count) continue;
    double squares = 0.0;
    for (int32_t d = 0; d < reference->dim; d++)
      squares += brute_coordinate(reference, i, d) * brute_coordinate(reference, i, d);
    double length = gv_cosine_length(squares);
    scale[lane] = length > 0.0 ? 1.0 / length : 0.0;
  }
}

/* Dimensions [base, stop) of a panel, and their terms of the lengths of its points. */
static inline void make_piece(const building *b, int64_t p, int32_t base, int32_t stop, const bool narrow,
                              const double scale[GV_PANEL], double length[GV_PANEL]) {
  const gv_reference *reference = b->reference;
  const brute_state *state = b->state;
  int32_t dim = reference->dim;
  float *panel = state->panels + (size_t)p * GV_PANEL * (size_t)dim;
  for (int lane = 0; lane < GV_PANEL; lane++) {
    int64_t i = p * GV_PANEL + lane;
    for (int32_t d = base; d < stop; d++) {
      float value = 0.0f;
      if (i < reference->count) {
        double whole = narrow ? (double)reference->floats[i * dim + d] : reference->data[i * dim + d];
        value = (float)((whole - state->center[d]) * scale[lane]);
      }
      panel[(int64_t)d * GV_PANEL + lane] = value;
      length[lane] = gv_norm_join(reference->metric, length[lane], gv_norm_of(reference->metric, value));
    }
  }
}

static gv_status make_panels(gv_worker *worker, int64_t first, int64_t end) {
  building *b = worker->user;
  const gv_reference *reference = b->reference;
  brute_state *state = b->state;
  int32_t dim = reference->dim;
  bool euclidean = reference->metric == GV_EUCLIDEAN;
  double longest = 0.0;
  for (int64_t p = first; p < end; p++) {
    double length[GV_PANEL] = {0.0}, scale[GV_PANEL];
    brute_scales(b, p, scale);
    for (int32_t base = 0; base < dim; base += PANEL_DIMS) {
      int32_t stop = dim - base < PANEL_DIMS ? dim : base + PANEL_DIMS;
      if (reference->floats != NULL) {
        make_piece(b, p, base, stop, true, scale, length);
      } else {
        make_piece(b, p, base, stop, false, scale, length);
      }
    }
    for (int lane = 0; lane < GV_PANEL; lane++) {
      int64_t i = p * GV_PANEL + lane;
      if (euclidean) state->halves[i] = i < reference->count ? (float)(0.5 * length[lane]) : INFINITY;
      longest = fmax(longest, gv_float_length(reference->metric, length[lane]));
    }
  }
  gv_worker_lock(worker);
  b->longest = longest > b->longest ? longest : b->longest;
  gv_worker_unlock(worker);
  return GV_OK;
}

static gv_status openmp_build(gv_context *context, const gv_reference *reference, void **out) {
  const gv_allocator *allocator = &reference->allocator;
  int32_t dim = reference->dim;
  int64_t panels = panels_of(reference->count);
  bool euclidean = reference->metric == GV_EUCLIDEAN;
  int threads = gv_threads_for(context, 2.0 * (double)reference->count * dim);
  brute_state *state = gv_allocate_zeroed(allocator, 1, sizeof *state);
  if (state == NULL) return gv_fail_memory(context, "the index");
  building b = {
      .reference = reference, .state = state, .low = gv_allocate(allocator, 2 * (int64_t)dim, sizeof *b.low)};
  state->center = gv_allocate(allocator, dim, sizeof *state->center);
  if (state->center == NULL || b.low == NULL) goto fail;
  b.high = b.low + dim;
  state->filterable = !gv_reference_is_general(reference) && find_frame(&b, threads);
  if (state->filterable) {
    state->panels = gv_allocate(allocator, panels * GV_PANEL, (size_t)dim * sizeof(float));
    if (euclidean) state->halves = gv_allocate(allocator, panels * GV_PANEL, sizeof(float));
    if (state->panels == NULL || (euclidean && state->halves == NULL)) goto fail;
    gv_loop loop = {.threads = threads, .count = panels, .user = &b};
    gv_parallel_for(&loop, make_panels);
    state->longest = gv_float_longest(b.longest);
  }
  gv_release(allocator, b.low);
  *out = state;
  return GV_OK;

fail:
  gv_release(allocator, b.low);
  openmp_destroy(reference, state);
  return gv_fail_memory(context, "the index");
}

/* Division of a search into tasks. */
typedef struct plan {
  const gv_brute_kernel *kernel;
  gv_brute_reference view;
  const brute_state *state;
  const gv_query *query;
  int64_t block_queries, blocks, tiles; /* query tiles of a block */
  int64_t range_panels, ranges;
  int64_t chunk_panels, packed_panels;
} plan;

/* One thread's memory. */
typedef struct scratch {
  float *values;
  double *packed;
  gv_query_tile *tiles;
  int64_t *kept;
  float *kept_values;
} scratch;

static plan make_plan(int threads, const gv_reference *reference, const brute_state *state,
                      const gv_query *query) {
  plan p = {.kernel = gv_brute_kernel_get(), .state = state, .query = query};
  int64_t dim = reference->dim, width = p.kernel->width;
  p.view = (gv_brute_reference){reference->data,   reference->floats,  state->panels,
                                state->halves,     reference->count,   reference->dim,
                                reference->metric, reference->periods, reference->power};
  int64_t block = query->count / (2 * threads) + 1;
  if (block > BLOCK_QUERIES_MAX) block = BLOCK_QUERIES_MAX;
  if (block > BLOCK_VALUES_MAX / dim) block = BLOCK_VALUES_MAX / dim;
  p.tiles = (block + width - 1) / width;
  p.block_queries = p.tiles * width;
  p.blocks = (query->count + p.block_queries - 1) / p.block_queries;
  int64_t panels = panels_of(reference->count);
  p.chunk_panels = CHUNK_BYTES / (GV_PANEL * (int64_t)sizeof(float)) / dim;
  if (p.chunk_panels < 1) p.chunk_panels = 1;
  p.packed_panels = PACKED_VALUES / GV_PANEL / dim;
  if (p.packed_panels < 1) p.packed_panels = 1;
  /* Ranges of the reference set only if there are too few blocks of queries for all threads. */
  p.ranges = 1;
  if (p.blocks < 2 * threads && threads > 1) {
    p.ranges = (RANGES_A_THREAD * (int64_t)threads + p.blocks - 1) / p.blocks;
    int64_t enough = panels / (p.chunk_panels < 64 ? 64 : p.chunk_panels);
    if (p.ranges > enough) p.ranges = enough > 0 ? enough : 1;
  }
  p.range_panels = (panels + p.ranges - 1) / p.ranges;
  p.ranges = (panels + p.range_panels - 1) / p.range_panels;
  return p;
}

/* Reference points of panels [first, end) as panels of doubles. */
static void pack(const plan *p, int64_t first, int64_t end, double *packed) {
  int32_t dim = p->view.dim;
  for (int64_t i = first * GV_PANEL; i < end * GV_PANEL; i++) {
    double *panel = packed + (i / GV_PANEL - first) * GV_PANEL * dim + i % GV_PANEL;
    for (int32_t d = 0; d < dim; d++) {
      double value = INFINITY;
      if (i < p->view.count)
        value = p->view.narrow != NULL ? (double)p->view.narrow[i * dim + d] : p->view.rows[i * dim + d];
      panel[(size_t)d * GV_PANEL] = value;
    }
  }
}

static double brute_query_scale(const double *query, int32_t dim) {
  double squares = 0.0;
  for (int32_t d = 0; d < dim; d++)
    squares += query[d] * query[d];
  double length = gv_cosine_length(squares);
  return length > 0.0 ? 1.0 / length : 0.0;
}

static void start_tile(const plan *p, const scratch *own, int64_t number, int64_t first, int64_t end,
                       int64_t *indices, double *canonical) {
  const brute_state *state = p->state;
  const gv_query *query = p->query;
  int32_t dim = p->view.dim;
  gv_metric metric = p->view.metric;
  int width = p->kernel->width;
  int64_t capacity = gv_brute_capacity(query->k);
  float *values = own->values + number * width * dim;
  gv_query_tile *tile = &own->tiles[number];
  tile->count = (int)(end - first < width ? end - first : width);
  tile->width = width;
  tile->values = values;
  tile->filterable = state->filterable;
  tile->pause = 0;
  tile->next_pause = PAUSE_MIN;
  tile->kept_capacity = (int32_t)capacity;
  double scale = ldexp(1.0, state->exponent);
  bool products = gv_metric_of_products(metric);
  tile->scale = gv_float_scale((int)metric, dim, scale);
  for (int q = 0; q < width; q++) {
    int64_t i = first + (q < tile->count ? q : tile->count - 1);
    tile->query[q] = query->data + i * dim;
    tile->kept[q] = own->kept + (number * width + q) * capacity;
    tile->kept_value[q] = own->kept_values + (number * width + q) * capacity;
    tile->kept_count[q] = 0;
    tile->bound[q] = INFINITY;
    if (q < tile->count) {
      tile->self[q] = query->self_offset >= 0 ? query->self_offset + i : -1;
      gv_list_start(&tile->list[q], canonical + (i - first) * query->k, indices + (i - first) * query->k,
                    query->k, query->max_canonical);
    }
    if (!state->filterable) continue;
    double length = 0.0;
    if (metric == GV_COSINE) scale = brute_query_scale(tile->query[q], dim);
    for (int32_t d = 0; d < dim; d++) {
      double exact = (tile->query[q][d] - state->center[d]) * scale;
      float value = (float)exact;
      values[(size_t)d * (size_t)width + (size_t)q] = metric == GV_EUCLIDEAN || products ? -value : value;
      length = gv_norm_join(metric, length, gv_norm_of(metric, (double)value));
    }
    double reach = gv_float_length(metric, length);
    if (!gv_float_suits(reach)) {
      tile->filterable = false;
      continue;
    }
    tile->error[q] = gv_float_error(metric, dim, reach, state->longest);
    tile->offset[q] = tile->error[q] - (metric == GV_EUCLIDEAN ? 0.5 * length
                                        : metric == GV_COSINE  ? 1.0
                                                               : 0.0);
  }
}

/* Panels [first, end) against every query tile that is marked `exact`. */
static void search_exactly(const plan *p, const scratch *own, int64_t tiles, int64_t first, int64_t end) {
  for (int64_t from = first; from < end; from += p->packed_panels) {
    int64_t to = from + p->packed_panels < end ? from + p->packed_panels : end;
    int64_t last = to * GV_PANEL < p->view.count ? to * GV_PANEL : p->view.count;
    pack(p, from, to, own->packed);
    for (int64_t t = 0; t < tiles; t++) {
      if (!own->tiles[t].exact) continue;
      p->kernel->exact(&p->view, &own->tiles[t], own->packed, from * GV_PANEL, last - from * GV_PANEL);
    }
  }
}

/* Panels [first, end) against a query tile by the filter; where that leaves too much undecided it pauses for
 * a while. */
static void search_filtered(const plan *p, const scratch *own, gv_query_tile *tile, int64_t first,
                            int64_t end) {
  for (int q = 0; q < tile->width; q++) {
    tile->threshold[q] = q < tile->count ? gv_brute_threshold(tile, q) : -INFINITY;
  }
  int64_t reached = p->kernel->filter(&p->view, tile, first, end);
  if (reached == end) {
    tile->next_pause = PAUSE_MIN;
    return;
  }
  scratch only = {.packed = own->packed, .tiles = tile};
  tile->exact = true;
  search_exactly(p, &only, 1, reached, end);
  tile->pause = tile->next_pause;
  if (tile->next_pause < PAUSE_MAX) tile->next_pause *= 2;
}

/* Block `block` of queries against range `range` of the reference set, into the block's lists at `indices`
 * and `canonical`. False once cancelled. */
static bool search_block(const plan *p, const scratch *own, int64_t block, int64_t range, int64_t *indices,
                         double *canonical, gv_progress *progress) {
  const gv_query *query = p->query;
  int64_t first = block * p->block_queries;
  int64_t end = first + p->block_queries < query->count ? first + p->block_queries : query->count;
  int width = p->kernel->width;
  int64_t tiles = 0;
  for (int64_t at = first; at < end; at += width, tiles++) {
    start_tile(p, own, tiles, at, end, indices + (at - first) * query->k,
               canonical + (at - first) * query->k);
    own->tiles[tiles].exact = true;
  }
  int64_t panel = range * p->range_panels, panels = panels_of(p->view.count);
  int64_t stop = panel + p->range_panels < panels ? panel + p->range_panels : panels;
  /* The first points fill the lists, exactly, so that the filter has something to compare with. */
  int64_t next = panel + (2 * (int64_t)query->k + 127) / GV_PANEL;
  if (next > stop) next = stop;
  search_exactly(p, own, tiles, panel, next);
  int64_t step = 2;
  for (;;) {
    if (!gv_progress_add(progress, (next - panel) * (end - first))) return false;
    panel = next;
    if (panel == stop) break;
    /* Chunks start small, to detect early if the filter has no effect. */
    if (step < p->chunk_panels) step = 2 * step < p->chunk_panels ? 2 * step : p->chunk_panels;
    next = panel + step < stop ? panel + step : stop;
    bool any_exact = false;
    for (int64_t t = 0; t < tiles; t++) {
      gv_query_tile *tile = &own->tiles[t];
      tile->exact = !tile->filterable || tile->pause > 0;
      any_exact |= tile->exact;
      tile->pause -= tile->exact ? next - panel : 0;
    }
    if (any_exact) search_exactly(p, own, tiles, panel, next);
    for (int64_t t = 0; t < tiles; t++) {
      if (!own->tiles[t].exact) search_filtered(p, own, &own->tiles[t], panel, next);
    }
  }
  for (int64_t t = 0; t < tiles; t++) {
    for (int q = 0; q < own->tiles[t].count; q++) {
      if (own->tiles[t].kept_count[q] > 0) gv_brute_conclude(&p->view, &own->tiles[t], q);
      gv_list_finish(&own->tiles[t].list[q]);
    }
  }
  return true;
}

/* A search being made; memory of each worker behind each other. */
typedef struct openmp_searching {
  const plan *p;
  int64_t values, packed, kept; /* of a worker */
  float *all_values;
  double *all_packed;
  gv_query_tile *all_tiles;
  int64_t *all_kept;
  float *all_kept_values;
  int64_t *indices, *part_indices; /* part_: of each range, where there are several */
  double *canonical, *part_canonical;
  gv_progress progress;
} openmp_searching;

static gv_status search_task(gv_worker *worker, int64_t task, int64_t end) {
  openmp_searching *s = worker->user;
  const plan *p = s->p;
  int me = worker->number;
  scratch own = {s->all_values + me * s->values, s->all_packed + me * s->packed, s->all_tiles + me * p->tiles,
                 s->all_kept + me * s->kept, s->all_kept_values + me * s->kept};
  for (bool on = true; task < end && on; task++) {
    int64_t block = task / p->ranges, range = task % p->ranges;
    int64_t at = (range * p->query->count + block * p->block_queries) * p->query->k;
    on = search_block(p, &own, block, range, (p->ranges > 1 ? s->part_indices : s->indices) + at,
                      (p->ranges > 1 ? s->part_canonical : s->canonical) + at, &s->progress);
  }
  return GV_OK;
}

/* Joins the lists that the ranges found for each query. */
static gv_status merge_ranges(gv_worker *worker, int64_t first, int64_t end) {
  const openmp_searching *s = worker->user;
  const gv_query *query = s->p->query;
  int64_t k = query->k, step = query->count * k;
  for (int64_t i = first; i < end; i++) {
    gv_nearest_list list;
    gv_list_start(&list, s->canonical + i * k, s->indices + i * k, query->k, query->max_canonical);
    for (int64_t r = 0; r < s->p->ranges; r++) {
      for (int64_t j = r * step + i * k; j < r * step + i * k + k && s->part_indices[j] >= 0; j++)
        gv_list_offer(&list, s->part_canonical[j], s->part_indices[j]);
    }
    gv_list_finish(&list);
  }
  return GV_OK;
}

static gv_status openmp_search(gv_context *context, const gv_reference *reference, const void *state,
                               const gv_query *query, int64_t *indices, double *canonical) {
  const gv_allocator *allocator = &context->allocator;
  double pairs = (double)query->count * (double)reference->count;
  int threads = gv_threads_for(context, pairs * (0.2 + 0.05 * reference->dim));
  plan p = make_plan(threads, reference, state, query);
  int64_t tasks = p.blocks * p.ranges;
  if (tasks < threads) threads = (int)tasks;
  gv_status status = GV_OK;
  openmp_searching s = {.p = &p, .indices = indices, .canonical = canonical};
  /* Rounded up to whole cache lines, so that every thread's part is aligned and its own. */
  s.values = (p.block_queries * p.view.dim + 15) / 16 * 16;
  s.packed = p.packed_panels * GV_PANEL * p.view.dim;
  s.kept = p.block_queries * gv_brute_capacity(query->k);
  s.all_values = gv_allocate(allocator, threads * s.values, sizeof(float));
  s.all_packed = gv_allocate(allocator, threads * s.packed, sizeof(double));
  s.all_tiles = gv_allocate(allocator, threads * p.tiles, sizeof(gv_query_tile));
  s.all_kept = gv_allocate(allocator, threads * s.kept, sizeof(int64_t));
  s.all_kept_values = gv_allocate(allocator, threads * s.kept, sizeof(float));
  if (p.ranges > 1) {
    s.part_indices = gv_allocate(allocator, p.ranges * query->count, (size_t)query->k * sizeof(int64_t));
    s.part_canonical = gv_allocate(allocator, p.ranges * query->count, (size_t)query->k * sizeof(double));
  }
  if (s.all_values == NULL || s.all_packed == NULL || s.all_tiles == NULL || s.all_kept == NULL ||
      s.all_kept_values == NULL || (p.ranges > 1 && (s.part_indices == NULL || s.part_canonical == NULL))) {
    status = gv_fail_memory(context, "the search");
    goto done;
  }
  gv_progress_init(&s.progress, context, panels_of(reference->count) * query->count);
  gv_loop loop = {context, threads, tasks, 1, &s.progress, &s};
  status = gv_parallel_for(&loop, search_task);
  if (status == GV_OK && p.ranges > 1) {
    gv_loop merge = {.threads = query->count > 64 ? threads : 1, .count = query->count, .user = &s};
    gv_parallel_for(&merge, merge_ranges);
  }

done:
  gv_release(allocator, s.all_values);
  gv_release(allocator, s.all_packed);
  gv_release(allocator, s.all_tiles);
  gv_release(allocator, s.all_kept);
  gv_release(allocator, s.all_kept_values);
  gv_release(allocator, s.part_indices);
  gv_release(allocator, s.part_canonical);
  return status;
}

const gv_search_engine gv_search_openmp = {
    .build = openmp_build,
    .search = openmp_search,
    .destroy = openmp_destroy,
};
