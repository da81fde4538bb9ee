/*
 * The nearest feature of many positions by their edges (features/device_edges.h).
 *
 * A warp takes 32 positions that are close together, a lane each, and walks the tree of edges with one stack:
 * a node is visited if its box is within the reach of any lane. The first walk finds the least upper bound of
 * a chord to an edge, lane by lane; it begins with the edge that was nearest to the lane's last position. The
 * second visits all edges within the reach of that bound, of which the nearest is one (features/tree.h), with
 * boxes and chords in double as on CPUs. Exact distances of the plane and of arcs decide at once, the least
 * (distance, feature) wins. Geodesic distances as floats are decided by bounds (features/edge_bounds.h): the
 * second walk lists the edges that may be nearest, one kernel looks at each of them once, and another takes
 * the positions that this leaves open in some passes, each from a better place.
 *
 * Gain over 16 cores (gpuvoronoi-bench coast on one H200): points 10x to 28x, great-circle distances of
 * points 15x to 33x; cells of 21600 x 10800: ids 3.4x, geodesic distances 9.5x to 12x, great-circle distances
 * 17x to 21x.
 */
#include "exact/distance.h"
#include "exact/edge_arc.h"
#include "exact/edge_plane.h"
#include "features/cuda/edge_values.cuh"
#include "search/cuda/tree_curve.cuh"

namespace gv {

enum {
  WARP = 32,
  EDGE_THREADS = 128,
  EDGE_WARPS = EDGE_THREADS / WARP,
  EDGE_STACK = 72, /* two trees of 2^31 entries at most, halved: 32 levels each */
  GROUPS = 4,      /* groups of positions that a warp takes, one after the other */
  PATCH_COLUMNS = 8,
  PATCH_ROWS = WARP / PATCH_COLUMNS
};

static const unsigned everyone = 0xffffffffU;

/* A chunk of positions. */
struct edge_chunk {
  int64_t count, columns, rows; /* columns > 0: in patches of the rows */
  const double *x, *y, *z;      /* or NULL: by tables */
  const double *column_x, *column_y, *row_p, *row_z;
  const int32_t *seed; /* NULL, or the features that values are of */
  const int *order;    /* NULL, or where the result of position i goes */
  double limit, reach, sure, radius;
  int32_t *found;
  float *low, *value;
  double *distance;
  /* Values that bounds decide: for each lane of the groups the edges that may be nearest, `listed` of them
   * (MOST_LEFT + 1: too many), `slots` apart; then the slots that are open, in which *opens counts them. */
  int64_t slots;
  uint8_t *listed;
  int *list, *open, *opens;
};

__device__ __forceinline__ double edge_box_distance2(const edge_view &t, const gv_box_node &n,
                                                     const double q[3]) {
  const double low[3] = {(double)n.low[0], (double)n.low[1], (double)n.low[2]},
               high[3] = {(double)n.high[0], (double)n.high[1], (double)n.high[2]};
  if (t.dim == 3) return gv_globe_box_distance2(t.flattest, low, high, q);
  double square = 0.0;
  for (int axis = 0; axis < 2; axis++) {
    double below = low[axis] - q[axis], above = q[axis] - high[axis];
    double away = below > above ? below : above;
    square += away > 0.0 ? away * away : 0.0;
  }
  return square;
}

__device__ __forceinline__ gv_box_node edge_node(const edge_view &t, int number) {
  gv_box_node n;
  const int4 *from = (const int4 *)(t.node + number);
  int4 a = __ldg(from), b = __ldg(from + 1);
  n.low[0] = __int_as_float(a.x), n.low[1] = __int_as_float(a.y), n.low[2] = __int_as_float(a.z);
  n.high[0] = __int_as_float(a.w), n.high[1] = __int_as_float(b.x), n.high[2] = __int_as_float(b.y);
  n.first = b.z, n.count = b.w;
  return n;
}

/* The least upper bound of a chord. */
struct edge_bound {
  double reach2, high; /* reach2: square of high; -1: no position */
  int best;

  __device__ __forceinline__ void visit(const edge_view &t, int i, const double q[3]) {
    float sag;
    int feature;
    double square = edge_chord2(t.row + i, q, &sag, &feature);
    if (!(square <= reach2)) return;
    double most = sqrt(square) * (1.0 + 1e-14) + (double)sag;
    if (!(most < high)) return;
    high = most;
    reach2 = most * most;
    best = i;
  }
};

/* The edges that may be nearest, of which it keeps what decides. */
template <int KIND, bool VALUES> struct edge_decision {
  double reach2, within, low, least;
  int feature, count;
  bool mixed;
  int *list; /* MOST_LEFT of them, `stride` apart */
  int64_t stride;

  __device__ __forceinline__ double exact(const edge_view &t, int i, const double q[3]) const {
    const int entry = __ldg(t.entry + i);
    const double *a = t.place + (int64_t)t.dim * (entry < 0 ? ~entry : entry), *b = entry < 0 ? a : a + t.dim;
    gv_edge_closest closest;
    closest.canonical = CUDART_INF;
    if (KIND == GV_EDGES_PLANE) {
      if (entry < 0) return gv_canonical_distance_by(q, a, 2, GV_EUCLIDEAN);
      gv_edge_plane_nearest(GV_EUCLIDEAN, q, a, b, &closest);
    } else {
      if (entry < 0) return gv_canonical_distance_by(q, a, 3, GV_EUCLIDEAN);
      gv_edge_arc_nearest(q, a, b, &closest);
    }
    return closest.canonical;
  }

  __device__ __forceinline__ void visit(const edge_view &t, int i, const double q[3]) {
    float sag;
    int of;
    double square = edge_chord2(t.row + i, q, &sag, &of), near = sqrt(square) * (1.0 - 1e-14) - (double)sag;
    if (!(near <= within)) return;
    low = near < low ? near : low;
    if (KIND == GV_EDGES_ITERATED) {
      mixed = mixed || (feature >= 0 && feature != of);
      feature = of;
      if (VALUES && count < MOST_LEFT) list[count * stride] = i;
      count++;
    } else {
      double value = exact(t, i, q);
      bool before = value < least || (value == least && of < feature);
      least = before ? value : least;
      feature = before ? of : feature;
    }
  }
};

/* Visits the edges in boxes within the reach of any lane, the nearer child of most lanes first. */
template <class VISITOR>
__device__ static void edge_walk(const edge_view &t, int *stack, const double q[3], VISITOR &v) {
  const int lane = (int)(threadIdx.x % WARP);
  int count = 0;
  gv_box_node n = edge_node(t, t.root);
  for (;;) {
    if (n.count == 0) {
      const gv_box_node left = edge_node(t, n.first), right = edge_node(t, n.first + 1);
      const double a = edge_box_distance2(t, left, q), b = edge_box_distance2(t, right, q);
      const bool in_left = a <= v.reach2, in_right = b <= v.reach2;
      const unsigned lefts = __ballot_sync(everyone, in_left), rights = __ballot_sync(everyone, in_right);
      const unsigned nearer = __ballot_sync(everyone, (in_left || in_right) && a <= b);
      if (lefts != 0 && rights != 0) {
        const bool left_first = 2 * __popc(nearer) >= __popc(lefts | rights);
        if (lane == 0) stack[count] = left_first ? n.first + 1 : n.first;
        count++;
        n = left_first ? left : right;
        continue;
      }
      if ((lefts | rights) != 0) {
        n = lefts != 0 ? left : right;
        continue;
      }
    } else {
      for (int i = n.first; i < n.first + n.count; i++)
        v.visit(t, i, q);
    }
    do {
      if (count == 0) {
        __syncwarp();
        return;
      }
      __syncwarp();
      const int top = stack[--count];
      __syncwarp(); /* all have read it before it is written again */
      n = edge_node(t, top);
    } while (!__any_sync(everyone, edge_box_distance2(t, n, q) <= v.reach2));
  }
}

/* The position of a lane in a group, or -1. */
__device__ static inline int64_t edge_position(const edge_chunk &c, int64_t group, int lane) {
  if (c.columns == 0) {
    int64_t i = group * WARP + lane;
    return i < c.count ? i : -1;
  }
  const int64_t across = (c.columns + PATCH_COLUMNS - 1) / PATCH_COLUMNS;
  const int64_t column = group % across * PATCH_COLUMNS + lane % PATCH_COLUMNS,
                row = group / across * PATCH_ROWS + lane / PATCH_COLUMNS;
  return column < c.columns && row < c.rows ? row * c.columns + column : -1;
}

__device__ static inline void edge_place(const edge_view &t, const edge_chunk &c, int64_t i, double q[3]) {
  if (c.x != NULL) {
    q[0] = c.x[i];
    q[1] = c.y[i];
    if (t.dim == 3) q[2] = c.z[i];
    return;
  }
  const int row = (int)i / (int)c.columns, column = (int)i - row * (int)c.columns;
  if (t.dim == 2) {
    q[0] = c.column_x[column];
    q[1] = c.row_z[row];
    return;
  }
  q[0] = c.row_p[row] * c.column_x[column];
  q[1] = c.row_p[row] * c.column_y[column];
  q[2] = c.row_z[row];
}

template <int KIND, bool VALUES>
__device__ static inline void edge_put(const edge_view &t, const edge_chunk &c, int64_t i, const double q[3],
                                       bool there, edge_decision<KIND, VALUES> &d, double high) {
  const int64_t to = c.order != NULL ? c.order[i] : i;
  int32_t found = there ? d.feature : GV_EDGE_NONE;
  double distance = CUDART_INF;
  if (KIND == GV_EDGES_ITERATED) {
    const double low = d.low > 0.0 ? d.low : 0.0;
    if (there && low * low > c.reach) {
      found = GV_EDGE_NONE;
    } else if (there && (d.mixed || !(high * high <= c.sure))) {
      found = GV_EDGE_OPEN;
    }
  } else {
    if (!(there && d.least <= c.limit && d.least < CUDART_INF)) found = GV_EDGE_NONE;
    if (found >= 0) distance = KIND == GV_EDGES_PLANE ? sqrt(d.least) : gv_arc_of_chord2(c.radius, d.least);
  }
  if (VALUES && KIND != GV_EDGES_ITERATED)
    c.value[to] = found >= 0 && c.seed[i] == found ? (float)distance : edge_nothing();
  if (c.found != NULL) c.found[to] = found;
  if (c.low != NULL) c.low[to] = there && d.low > 0.0 ? __double2float_rd(d.low) : 0.0F;
  if (c.distance != NULL) c.distance[to] = distance;
}

template <int KIND, bool VALUES>
__global__ void __launch_bounds__(EDGE_THREADS)
    edges_nearest(const __grid_constant__ edge_view t, const __grid_constant__ edge_chunk c, int64_t groups) {
  __shared__ int stacks[EDGE_WARPS][EDGE_STACK];
  const int lane = (int)(threadIdx.x % WARP), warp = (int)(threadIdx.x / WARP);
  const int64_t first = ((int64_t)blockIdx.x * EDGE_WARPS + warp) * GROUPS;
  int last = -1;
  for (int64_t group = first; group < first + GROUPS && group < groups; group++) {
    const int64_t i = edge_position(c, group, lane);
    double q[3] = {0.0, 0.0, 0.0};
    if (i >= 0) edge_place(t, c, i, q);
    const bool there = i >= 0 && !isnan(q[0]) && (c.seed == NULL || c.seed[i] >= 0);
    edge_bound bound = {there ? CUDART_INF : -1.0, CUDART_INF, -1};
    if (there && last >= 0) bound.visit(t, last, q);
    if (__any_sync(everyone, there)) edge_walk(t, stacks[warp], q, bound);
    last = bound.best >= 0 ? bound.best : last;
    edge_decision<KIND, VALUES> d = {-1.0, 0.0, CUDART_INF, CUDART_INF, 0x7fffffff, 0, false, NULL, c.slots};
    if (KIND == GV_EDGES_ITERATED) d.feature = -1;
    if (KIND == GV_EDGES_ITERATED && VALUES) d.list = c.list + group * WARP + lane;
    if (there) {
      const double square = gv_edge_reach_of(&t.reach, bound.high, gv_edge_slack(&t.reach, bound.high));
      d.reach2 = square * (1.0 + 1e-12);
      d.within = sqrt(square) * (1.0 + 1e-14);
    }
    if (__any_sync(everyone, there)) edge_walk(t, stacks[warp], q, d);
    if (i >= 0) edge_put<KIND, VALUES>(t, c, i, q, there, d, bound.high);
    if (KIND == GV_EDGES_ITERATED && VALUES)
      c.listed[group * WARP + lane] = (uint8_t)(!there ? 0 : d.count <= MOST_LEFT ? d.count : MOST_LEFT + 1);
  }
}

/* Values of listed edges, a thread each; slots that one look at each edge leaves open are noted. Gain, with
 * the kernel below, against values in the search: 1.2x in device time (5400 x 2700 cells). */
__global__ void __launch_bounds__(EDGE_THREADS)
    edges_values(const __grid_constant__ edge_view t, const __grid_constant__ edge_chunk c) {
  const int64_t slot = (int64_t)blockIdx.x * EDGE_THREADS + threadIdx.x;
  const int64_t i = slot < c.slots ? edge_position(c, slot / WARP, (int)(slot % WARP)) : -1;
  if (i < 0) return;
  const int count = c.listed[slot];
  float value = edge_nothing();
  if (count > 0 && count <= MOST_LEFT) {
    double q[3] = {0.0, 0.0, 0.0};
    edge_place(t, c, i, q);
    value = edge_value_at_once(t, q, c.seed[i], {c.list + slot, c.slots, count});
    if (isnan(value)) c.open[atomicAdd(c.opens, 1)] = (int)slot;
  }
  c.value[i] = value;
}

/* The values of open slots. */
__global__ void __launch_bounds__(EDGE_THREADS)
    edges_open_values(const __grid_constant__ edge_view t, const __grid_constant__ edge_chunk c) {
  const int opens = *c.opens;
  for (int n = (int)(blockIdx.x * EDGE_THREADS + threadIdx.x); n < opens;
       n += (int)(gridDim.x * EDGE_THREADS)) {
    const int64_t slot = c.open[n], i = edge_position(c, slot / WARP, (int)(slot % WARP));
    double q[3] = {0.0, 0.0, 0.0};
    edge_place(t, c, i, q);
    c.value[i] = edge_value(t, q, c.seed[i], {c.list + slot, c.slots, c.listed[slot]});
  }
}

/* Positions of pairs, as on CPUs, and their places along a curve in the box of the tree. */
__global__ void edges_code(const __grid_constant__ edge_view t, const double2 *pair, int count, double *x,
                           uint64_t *code, int *number) {
  const int bits = t.dim == 3 ? 16 : 20;
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  double at[3] = {pair[i].x, pair[i].y, 0.0};
  if (t.dim == 3) {
    double lon = at[0], lat = at[1], sin_lon, cos_lon, sin_lat, cos_lat, p, z;
    gv_take_lonlat(&lon, &lat);
    gv_sines(lon, &sin_lon, &cos_lon);
    gv_sines(lat, &sin_lat, &cos_lat);
    gv_meridian_point(t.eccentricity2, sin_lat, cos_lat, &p, &z);
    at[0] = p * cos_lon;
    at[1] = p * sin_lon;
    at[2] = z;
  }
  const gv_box_node box = edge_node(t, t.root);
  uint32_t cell[3];
  for (int axis = 0; axis < t.dim; axis++) {
    double low = t.dim == 3 ? -1.0 : (double)box.low[axis], high = t.dim == 3 ? 1.0 : (double)box.high[axis];
    double width = 0.5 * high - 0.5 * low;
    double step = width > 0.0 ? (0.5 * at[axis] - 0.5 * low) / width * (double)(1u << bits) : 0.0;
    cell[axis] = step < (double)(1u << bits) ? (step >= 0.0 ? (uint32_t)step : 0u) : (1u << bits) - 1u;
    x[(int64_t)axis * count + i] = at[axis];
  }
  code[i] = t.dim == 3 ? gv_hilbert<3>(cell, 3, bits) : gv_hilbert<2>(cell, 2, bits);
  number[i] = i;
}

__global__ void edges_gather(const double *from, const int *order, int count, int dim, double *to) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  for (int axis = 0; axis < dim; axis++)
    to[(int64_t)axis * count + i] = from[(int64_t)axis * count + order[i]];
}

} // namespace gv

enum { EDGE_ARRAYS = 6 };

typedef struct cuda_edges {
  gv_allocator allocator;
  int device;
  gv_edge_kind kind;
  void *memory[EDGE_ARRAYS];
  gv::edge_view view;
} cuda_edges;

static void edges_close(void *opaque) {
  cuda_edges *e = (cuda_edges *)opaque;
  gv_allocator allocator = e->allocator;
  for (int i = 0; i < EDGE_ARRAYS; i++)
    gv_cuda_release(e->device, e->memory[i]);
  gv_release(&allocator, e);
}

static gv_status edges_open(gv_context *context, int device, const gv_edge_table *table, void **out) {
  const void *from[EDGE_ARRAYS] = {table->node,  table->row,  table->entry,
                                   table->place, table->line, table->curve};
  const size_t bytes[EDGE_ARRAYS] = {(size_t)table->nodes * sizeof *table->node,
                                     (size_t)table->rows * sizeof *table->row,
                                     (size_t)table->rows * sizeof *table->entry,
                                     (size_t)table->vertices * (size_t)table->dim * sizeof *table->place,
                                     (size_t)table->rows * sizeof *table->line,
                                     (size_t)table->rows * sizeof *table->curve};
  gv_cuda_queue *queue = NULL;
  cuda_edges *e = (cuda_edges *)gv_allocate_zeroed(&context->allocator, 1, sizeof *e);
  if (e == NULL) return gv_fail_memory(context, "the edges for the device");
  e->allocator = context->allocator;
  e->kind = table->kind;
  gv_status status = gv_cuda_queue_take(context, device, &queue);
  if (status == GV_OK) e->device = queue->device;
  for (int i = 0; i < EDGE_ARRAYS && status == GV_OK; i++) {
    if (from[i] == NULL) continue;
    status = gv_cuda_allocate(context, bytes[i], &e->memory[i]);
    if (status == GV_OK)
      status = gv_cuda_upload(context, queue, e->memory[i], from[i], bytes[i], "copying the edges");
  }
  if (status == GV_OK) status = gv_cuda_wait(context, queue, "copying the edges");
  if (queue != NULL) gv_cuda_queue_give(context, queue);
  if (status != GV_OK) {
    edges_close(e);
    return status;
  }
  e->view = {table->dim,
             table->root,
             (const gv_box_node *)e->memory[0],
             (const gv_edge_row *)e->memory[1],
             (const int32_t *)e->memory[2],
             (const double *)e->memory[3],
             table->reach,
             table->flattest,
             table->eccentricity2,
             (const gv_edge_line *)e->memory[4],
             (const gv_edge_curve *)e->memory[5],
             table->series,
             table->ellipsoid,
             table->root_most,
             table->rho};
  *out = e;
  return GV_OK;
}

enum {
  SLOT_PAIRS,
  SLOT_PLACES,
  SLOT_SORTED,
  SLOT_KEYS,
  SLOT_NUMBERS,
  SLOT_SORT,
  SLOT_FOUND,
  SLOT_LOW,
  SLOT_DISTANCE,
  SLOT_VALUE,
  SLOT_SEEDS,
  SLOT_LISTED,
  SLOT_LIST,
  SLOT_OPEN
};
enum { PINNED_PLACES, PINNED_SEEDS, PINNED_FOUND, PINNED_LOW, PINNED_VALUE, PINNED_DISTANCE };

/* Positions from pairs, in order. */
static gv_status edges_place(gv_context *context, gv_cuda_queue *queue, const cuda_edges *e,
                             const gv_edge_search *s, gv::edge_chunk *chunk) {
  const size_t n = (size_t)s->count;
  const int dim = e->view.dim, count = (int)s->count;
  void *pairs = NULL, *places = NULL, *sorted = NULL, *keys = NULL, *numbers = NULL;
  gv_status status = gv_cuda_reserve(context, queue, SLOT_PAIRS, 2 * n * sizeof(double), &pairs);
  if (status == GV_OK)
    status = gv_cuda_reserve(context, queue, SLOT_PLACES, (size_t)dim * n * sizeof(double), &places);
  if (status == GV_OK)
    status = gv_cuda_reserve(context, queue, SLOT_SORTED, (size_t)dim * n * sizeof(double), &sorted);
  if (status == GV_OK) status = gv_cuda_reserve(context, queue, SLOT_KEYS, 2 * n * sizeof(uint64_t), &keys);
  if (status == GV_OK) status = gv_cuda_reserve(context, queue, SLOT_NUMBERS, 2 * n * sizeof(int), &numbers);
  if (status == GV_OK)
    status = gv_cuda_stream(context, queue, pairs, 2 * n * sizeof(double), 2 * sizeof(double), s->pairs,
                            s->user, "copying the queries");
  if (status != GV_OK) return status;
  uint64_t *code[2] = {(uint64_t *)keys, (uint64_t *)keys + n};
  int *order[2] = {(int *)numbers, (int *)numbers + n};
  gv_cuda_mark_begin(queue);
  gv::edges_code<<<gv_tree_blocks(count, 256), 256, 0, queue->stream>>>(
      e->view, (const double2 *)pairs, count, (double *)places, code[0], order[0]);
  GV_CUDA_LAUNCHED(context, "ordering the queries");
  status = gv_tree_sort_64(context, queue, SLOT_SORT, code, order, count, dim == 3 ? 48 : 40);
  if (status != GV_OK) return status;
  gv::edges_gather<<<gv_tree_blocks(count, 256), 256, 0, queue->stream>>>((const double *)places, order[0],
                                                                          count, dim, (double *)sorted);
  GV_CUDA_LAUNCHED(context, "ordering the queries");
  gv_cuda_mark_end(queue);
  chunk->x = (const double *)sorted;
  chunk->y = chunk->x + n;
  chunk->z = dim == 3 ? chunk->y + n : NULL;
  chunk->order = order[0];

done:
  return status;
}

/* Positions in rows or tables, by way of page-locked memory. */
static gv_status edges_copy_places(gv_context *context, gv_cuda_queue *queue, const gv_edge_search *s,
                                   gv::edge_chunk *chunk) {
  const size_t n = (size_t)s->count, columns = (size_t)s->columns, rows = columns > 0 ? n / columns : 0;
  const bool tables = s->x == NULL;
  const double *const from[4] = {tables ? s->column_x : s->x, tables ? s->column_y : s->y,
                                 tables ? s->row_p : s->z, s->row_z};
  const size_t count[4] = {tables ? columns : n, tables ? columns : n, tables ? rows : n, tables ? rows : 0};
  const double *at[4] = {};
  size_t total = 0;
  void *here = NULL, *there = NULL;
  for (int i = 0; i < 4; i++)
    total += from[i] != NULL ? count[i] : 0;
  gv_status status = gv_cuda_reserve_pinned(context, queue, PINNED_PLACES, total * sizeof(double), &here);
  if (status == GV_OK) status = gv_cuda_reserve(context, queue, SLOT_PLACES, total * sizeof(double), &there);
  if (status != GV_OK) return status;
  total = 0;
  for (int i = 0; i < 4; i++) {
    if (from[i] == NULL) continue;
    memcpy((double *)here + total, from[i], count[i] * sizeof(double));
    at[i] = (const double *)there + total;
    total += count[i];
  }
  status = gv_cuda_result(
      context, cudaMemcpyAsync(there, here, total * sizeof(double), cudaMemcpyHostToDevice, queue->stream),
      "copying the positions");
  if (tables) {
    chunk->column_x = at[0];
    chunk->column_y = at[1];
    chunk->row_p = at[2];
    chunk->row_z = at[3];
  } else {
    chunk->x = at[0];
    chunk->y = at[1];
    chunk->z = at[2];
  }
  chunk->columns = s->columns;
  chunk->rows = (int64_t)rows;
  return status;
}

static gv_status edges_copy_seeds(gv_context *context, gv_cuda_queue *queue, const gv_edge_search *s,
                                  gv::edge_chunk *chunk) {
  const size_t bytes = (size_t)s->count * sizeof *s->seed;
  void *here = NULL, *there = NULL;
  gv_status status = gv_cuda_reserve_pinned(context, queue, PINNED_SEEDS, bytes, &here);
  if (status == GV_OK) status = gv_cuda_reserve(context, queue, SLOT_SEEDS, bytes, &there);
  if (status != GV_OK) return status;
  for (int64_t r = 0; r < s->count / s->columns; r++)
    memcpy((int32_t *)here + r * s->columns, s->seed + r * s->seed_stride,
           (size_t)s->columns * sizeof *s->seed);
  chunk->seed = (const int32_t *)there;
  return gv_cuda_result(context, cudaMemcpyAsync(there, here, bytes, cudaMemcpyHostToDevice, queue->stream),
                        "copying the seeds");
}

static int64_t edges_divide_up(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

template <bool VALUES>
static void edges_launch_kind(cudaStream_t stream, const cuda_edges *e, const gv::edge_chunk &chunk,
                              int64_t groups) {
  const unsigned blocks = gv_tree_blocks(groups, gv::EDGE_WARPS * gv::GROUPS);
  switch (e->kind) {
  case GV_EDGES_PLANE:
    gv::edges_nearest<GV_EDGES_PLANE, VALUES>
        <<<blocks, gv::EDGE_THREADS, 0, stream>>>(e->view, chunk, groups);
    break;
  case GV_EDGES_ARCS:
    gv::edges_nearest<GV_EDGES_ARCS, VALUES><<<blocks, gv::EDGE_THREADS, 0, stream>>>(e->view, chunk, groups);
    break;
  default:
    gv::edges_nearest<GV_EDGES_ITERATED, VALUES>
        <<<blocks, gv::EDGE_THREADS, 0, stream>>>(e->view, chunk, groups);
    break;
  }
}

/* Memory for the edges of `groups` groups that values are decided from. */
static gv_status edges_reserve_lists(gv_context *context, gv_cuda_queue *queue, int64_t groups,
                                     gv::edge_chunk *chunk) {
  const size_t slots = (size_t)groups * gv::WARP;
  void *listed = NULL, *list = NULL, *open = NULL;
  gv_status status = gv_cuda_reserve(context, queue, SLOT_LISTED, slots, &listed);
  if (status == GV_OK)
    status = gv_cuda_reserve(context, queue, SLOT_LIST, slots * gv::MOST_LEFT * sizeof(int), &list);
  if (status == GV_OK) status = gv_cuda_reserve(context, queue, SLOT_OPEN, (slots + 1) * sizeof(int), &open);
  if (status != GV_OK) return status;
  chunk->slots = (int64_t)slots;
  chunk->listed = (uint8_t *)listed;
  chunk->list = (int *)list;
  chunk->opens = (int *)open;
  chunk->open = chunk->opens + 1;
  return gv_cuda_result(context, cudaMemsetAsync(open, 0, sizeof(int), queue->stream), "searching edges");
}

static gv_status edges_launch(gv_context *context, gv_cuda_queue *queue, const cuda_edges *e,
                              gv::edge_chunk chunk) {
  const int64_t across = edges_divide_up(chunk.columns, gv::PATCH_COLUMNS),
                down = edges_divide_up(chunk.rows, gv::PATCH_ROWS);
  const int64_t groups = chunk.columns == 0 ? edges_divide_up(chunk.count, gv::WARP) : across * down;
  const bool lists = chunk.value != NULL && e->kind == GV_EDGES_ITERATED;
  gv_status status = lists ? edges_reserve_lists(context, queue, groups, &chunk) : GV_OK;
  if (status != GV_OK) return status;
  gv_cuda_mark_begin(queue);
  if (chunk.value != NULL) {
    edges_launch_kind<true>(queue->stream, e, chunk, groups);
  } else {
    edges_launch_kind<false>(queue->stream, e, chunk, groups);
  }
  GV_CUDA_LAUNCHED(context, "searching edges");
  if (lists) {
    gv::edges_values<<<gv_tree_blocks(chunk.slots, gv::EDGE_THREADS), gv::EDGE_THREADS, 0, queue->stream>>>(
        e->view, chunk);
    GV_CUDA_LAUNCHED(context, "measuring edges");
    gv::edges_open_values<<<2 * (unsigned)queue->multiprocessors, gv::EDGE_THREADS, 0, queue->stream>>>(
        e->view, chunk);
    GV_CUDA_LAUNCHED(context, "measuring edges");
  }
  gv_cuda_mark_end(queue);

done:
  return status;
}

/* An array of results: its place in device memory and, once copied, in page-locked memory. */
typedef struct edge_array {
  int slot, pinned;
  bool wanted;
  size_t bytes;
  void *there, *here;
} edge_array;
enum { EDGE_FOUND, EDGE_LOW, EDGE_VALUE, EDGE_DISTANCE, EDGE_RESULTS };

static gv_status edges_take(gv_context *context, gv_cuda_queue *queue, const gv_edge_search *s,
                            edge_array *array) {
  gv_status status = GV_OK;
  for (int i = 0; i < EDGE_RESULTS && status == GV_OK; i++) {
    edge_array *a = &array[i];
    if (!a->wanted) continue;
    status = gv_cuda_reserve_pinned(context, queue, a->pinned, a->bytes, &a->here);
    if (status == GV_OK)
      status = gv_cuda_result(
          context, cudaMemcpyAsync(a->here, a->there, a->bytes, cudaMemcpyDeviceToHost, queue->stream),
          "copying the results");
  }
  if (status == GV_OK) status = gv_cuda_wait(context, queue, "searching edges");
  if (status != GV_OK) return status;
  const gv_edge_results results = {(const int32_t *)array[EDGE_FOUND].here,
                                   (const float *)array[EDGE_LOW].here, (const float *)array[EDGE_VALUE].here,
                                   (const double *)array[EDGE_DISTANCE].here};
  s->take(s->user, &results);
  return GV_OK;
}

static gv_status edges_write(gv_context *context, gv_cuda_queue *queue, const gv_edge_search *s,
                             const edge_array *array) {
  void *const to[EDGE_RESULTS] = {s->to.found, s->to.low, NULL, s->to.distance};
  gv_status status = gv_cuda_wait(context, queue, "searching edges");
  for (int i = 0; i < EDGE_RESULTS && status == GV_OK; i++)
    if (array[i].wanted)
      status = gv_cuda_download(context, queue, to[i], array[i].there, array[i].bytes, "copying the results");
  return status;
}

static gv_status edges_search_chunk(gv_context *context, gv_cuda_queue *queue, const cuda_edges *e,
                                    const gv_edge_search *s) {
  const size_t n = (size_t)s->count;
  gv::edge_chunk chunk = {};
  edge_array array[EDGE_RESULTS] = {
      {SLOT_FOUND, PINNED_FOUND, !s->value, n * sizeof(int32_t), NULL, NULL},
      {SLOT_LOW, PINNED_LOW, s->low, n * sizeof(float), NULL, NULL},
      {SLOT_VALUE, PINNED_VALUE, s->value, n * sizeof(float), NULL, NULL},
      {SLOT_DISTANCE, PINNED_DISTANCE, s->distance, n * sizeof(double), NULL, NULL}};
  gv_status status = GV_OK;
  for (int i = 0; i < EDGE_RESULTS && status == GV_OK; i++)
    if (array[i].wanted)
      status = gv_cuda_reserve(context, queue, array[i].slot, array[i].bytes, &array[i].there);
  if (status == GV_OK)
    status = s->pairs != NULL ? edges_place(context, queue, e, s, &chunk)
                              : edges_copy_places(context, queue, s, &chunk);
  if (status == GV_OK && s->seed != NULL) status = edges_copy_seeds(context, queue, s, &chunk);
  if (status != GV_OK) return status;
  chunk.count = s->count;
  chunk.limit = s->limit;
  chunk.reach = s->reach;
  chunk.sure = s->sure;
  chunk.radius = s->radius;
  chunk.found = (int32_t *)array[EDGE_FOUND].there;
  chunk.low = (float *)array[EDGE_LOW].there;
  chunk.value = (float *)array[EDGE_VALUE].there;
  chunk.distance = (double *)array[EDGE_DISTANCE].there;
  status = edges_launch(context, queue, e, chunk);
  if (status != GV_OK) return status;
  return s->take != NULL ? edges_take(context, queue, s, array) : edges_write(context, queue, s, array);
}

static gv_status edges_search(gv_context *context, const void *opaque, const gv_edge_search *s) {
  const cuda_edges *e = (const cuda_edges *)opaque;
  gv_cuda_queue *queue = NULL;
  if (s->count == 0) return GV_OK;
  gv_status status = gv_cuda_queue_take(context, e->device, &queue);
  if (status != GV_OK) return status;
  status = edges_search_chunk(context, queue, e, s);
  gv_cuda_queue_give(context, queue);
  return status;
}

extern "C" {
extern const gv_edges_device gv_cuda_edges;
}
const gv_edges_device gv_cuda_edges = {edges_open, edges_close, edges_search};
