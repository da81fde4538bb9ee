/*
 * The nearest feature of many positions by their edges (features/device_edges.h).
 *
 * A warp takes 32 positions that are close together, a lane each, and walks the tree of edges with one stack: a node is visited if its box
 * is within the reach of any lane. The first walk finds the least upper bound of a chord to an edge, lane by lane; it begins with the
 * edge that was nearest to the lane's last position. The second visits all edges within the reach of that bound, of which the nearest is
 * one (features/tree.h), with boxes and chords in double as on CPUs. Exact distances of the plane and of arcs decide at once, the least
 * (distance, feature) wins. Geodesic distances as floats are decided by bounds (features/edge_bounds.h), in some passes, each from a
 * better place of the edges that may be nearest.
 *
 * Gain: 10x over 16 cores for 10^7 points and a coast of 471,868 edges, 27x with distances along great circles, 40x on the plane (one H200).
 * Cells of 4096 x 2048: 3x for ids, 4x for geodesic distances, 9x along great circles; of 21600 x 10800: 1, 1.9 and 4.7x.
 */
#include <math_constants.h>

#include "exact/distance.h"
#include "exact/edge_arc.h"
#include "exact/edge_course.h"
#include "exact/edge_plane.h"
#include "exact/sines.h"
#include "features/device_edges.h"
#include "geodesic/series_numbers.h"
#include "search/cuda/tree_curve.cuh"

#include "exact/shared/as_numbers.h"

#include "geodesic/shared/slopes.h"

#include "exact/shared/end.h"

namespace gv {

enum {
  WARP = 32,
  MOST_LEFT = 8, /* edges that bounds decide between */
  PASSES = 4,
  EDGE_THREADS = 128,
  EDGE_WARPS = EDGE_THREADS / WARP,
  EDGE_STACK = 72, /* two trees of 2^31 entries at most, halved: 32 levels each */
  GROUPS = 4,      /* groups of positions that a warp takes, one after the other */
  PATCH_COLUMNS = 8,
  PATCH_ROWS = WARP / PATCH_COLUMNS
};

static const unsigned everyone = 0xffffffffU;

/* The tree as kernels use it; pointers are the device's. */
struct edge_view {
  int dim, root;
  const gv_box_node *node;
  const gv_edge_row *row;
  const int32_t *entry;
  const double *place;
  gv_edge_reach reach;
  double flattest, eccentricity2;
  const gv_edge_line *line;
  gv_series series;
  gv_ellipsoid ellipsoid;
  double root_most, rho;
};

/* A chunk of positions. */
struct edge_chunk {
  int64_t count, columns, rows; /* columns > 0: in patches of the rows */
  const double *x, *y, *z;
  const int *order; /* NULL, or where the result of position i goes */
  double limit, reach, sure, radius;
  int32_t *found;
  float *low, *value;
  double *distance;
};

__device__ __forceinline__ double edge_box_distance2(const edge_view &t, const gv_box_node &n, const double q[3]) {
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

/* The square of the chord from the straight line between the ends, and where on it. */
__device__ __forceinline__ double edge_chord2(const gv_edge_row *row, const double q[3], float *sag, int *feature,
                                              double *at = NULL) {
  const double2 *from = (const double2 *)row;
  const double2 a = __ldg(from), b = __ldg(from + 1), c = __ldg(from + 2), e = __ldg(from + 3);
  const double start[3] = {a.x, a.y, b.x}, d[3] = {b.y, c.x, c.y};
  double w[3], along = 0.0, square = 0.0;
  for (int axis = 0; axis < 3; axis++) {
    w[axis] = q[axis] - start[axis];
    along += w[axis] * d[axis];
  }
  double part = along * e.x;
  part = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
  for (int axis = 0; axis < 3; axis++)
    square += (w[axis] - part * d[axis]) * (w[axis] - part * d[axis]);
  if (at != NULL) *at = part;
  *sag = __int_as_float(__double2loint(e.y));
  *feature = __double2hiint(e.y);
  return square;
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
  int left[VALUES ? MOST_LEFT : 1];

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
      if (VALUES && count < MOST_LEFT) left[count] = i;
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
      n = edge_node(t, stack[--count]);
    } while (!__any_sync(everyone, edge_box_distance2(t, n, q) <= v.reach2));
  }
}

/* A place of a straight line. */
__device__ static inline void edge_stand_straight(const edge_view &t, const gv_edge_line *line, gv_edge_stand *s) {
  double lon = line->lon[0], lat = line->lat[0], sin_lon, cos_lon, sin_lat, cos_lat, p, m, n, u = s->part;
  s->room = s->tilt = 0.0;
  s->motion = line->motion;
  s->known = true;
  if (!s->point) {
    if (line->reversed != 0.0) {
      s->end = -s->end;
      s->sense = -1.0;
      u = 1.0 - u;
    }
    lon = u == 1.0 ? line->lon[1] : lon + u * (line->lon[1] - lon);
    lat = u == 1.0 ? line->lat[1] : lat + u * (line->lat[1] - lat);
    s->known = fabs(lat) < 90.0;
  }
  gv_normalize_lonlat(&lon, &lat);
  gv_sines(lon, &sin_lon, &cos_lon);
  gv_sines(lat, &sin_lat, &cos_lat);
  gv_meridian_point(t.eccentricity2, sin_lat, cos_lat, &p, &s->place[2]);
  s->place[0] = p * cos_lon;
  s->place[1] = p * sin_lon;
  gv_edge_radii(&t.ellipsoid, sin_lat, &m, &n);
  gv_edge_turn_to(sin_lon, cos_lon, sin_lat, cos_lat, n * cos_lat * line->rate_lon, m * line->rate_lat, s->along);
}

/* The bounds of the exact distance from a place of an edge. */
__device__ static inline void edge_bounds(const edge_view &t, int i, const double q[3], double part,
                                          gv_edge_stand *s, double *low, double *high) {
  s->point = t.entry[i] < 0;
  s->end = part == 0.0 ? 1 : part == 1.0 ? -1 : 0;
  s->part = part;
  s->sense = 1.0;
  if (t.line != NULL) {
    edge_stand_straight(t, t.line + i, s);
  } else {
    const gv_edge_row row = t.row[i];
    gv_edge_stand_lifted(&t.series, t.ellipsoid.eccentricity2, row.a, row.d, row.inverse, s);
  }
  s->distance = gv_slope(&t.series, q, s->place, s->along, &s->slope);
  if (!s->known) s->distance = -1.0;
  gv_edge_bounds_of(t.root_most, 2.0 * gv_chord_tolerance * t.series.a, s, low, high);
}

/* The distance as a float, or NaN: the bounds do not decide. */
template <int KIND, bool VALUES>
__device__ static float edge_value(const edge_view &t, const double q[3], edge_decision<KIND, VALUES> &d) {
  double part[MOST_LEFT], next[MOST_LEFT], last_part[MOST_LEFT], last_slope[MOST_LEFT], low[MOST_LEFT];
  if (d.mixed || d.count > MOST_LEFT || d.count < 1) return CUDART_NAN_F;
  for (int n = 0; n < d.count; n++) {
    float sag;
    int feature;
    (void)edge_chord2(t.row + d.left[n], q, &sag, &feature, &part[n]);
    last_part[n] = last_slope[n] = CUDART_NAN;
  }
  for (int pass = 0; pass < PASSES; pass++) {
    double least = CUDART_INF, most = CUDART_INF;
    for (int n = 0; n < d.count; n++) {
      gv_edge_stand s;
      double high;
      edge_bounds(t, d.left[n], q, part[n], &s, &low[n], &high);
      least = fmin(least, low[n]);
      most = fmin(most, high);
      next[n] = gv_edge_next_part(t.rho, &s, last_part[n], last_slope[n]);
      last_part[n] = part[n];
      last_slope[n] = s.sense * s.slope;
    }
    if ((float)least == (float)most) return (float)least;
    int kept = 0;
    for (int n = 0; n < d.count; n++) {
      if (low[n] > most) continue;
      d.left[kept] = d.left[n];
      part[kept] = next[n];
      last_part[kept] = last_part[n];
      last_slope[kept++] = last_slope[n];
    }
    d.count = kept;
  }
  return CUDART_NAN_F;
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
  if (VALUES) {
    if (KIND == GV_EDGES_ITERATED) {
      c.value[to] = there ? edge_value<KIND, VALUES>(t, q, d) : CUDART_NAN_F;
    } else {
      c.value[to] = found >= 0 ? (float)distance : CUDART_NAN_F;
    }
  }
  c.found[to] = found;
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
    if (i >= 0) {
      q[0] = c.x[i];
      q[1] = c.y[i];
      q[2] = t.dim == 3 ? c.z[i] : 0.0;
    }
    const bool there = i >= 0 && !isnan(q[0]);
    edge_bound bound = {there ? CUDART_INF : -1.0, CUDART_INF, -1};
    if (there && last >= 0) bound.visit(t, last, q);
    if (__any_sync(everyone, there)) edge_walk(t, stacks[warp], q, bound);
    last = bound.best >= 0 ? bound.best : last;
    edge_decision<KIND, VALUES> d = {-1.0, 0.0, CUDART_INF, CUDART_INF, 0x7fffffff, 0, false, {}};
    if (KIND == GV_EDGES_ITERATED) d.feature = -1;
    if (there) {
      const double square = gv_edge_reach_of(&t.reach, bound.high, gv_edge_slack(&t.reach, bound.high));
      d.reach2 = square * (1.0 + 1e-12);
      d.within = sqrt(square) * (1.0 + 1e-14);
    }
    if (__any_sync(everyone, there)) edge_walk(t, stacks[warp], q, d);
    if (i >= 0) edge_put<KIND, VALUES>(t, c, i, q, there, d, bound.high);
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

typedef struct cuda_edges {
  gv_allocator allocator;
  int device;
  gv_edge_kind kind;
  void *memory[5];
  gv::edge_view view;
} cuda_edges;

static void edges_close(void *opaque) {
  cuda_edges *e = (cuda_edges *)opaque;
  gv_allocator allocator = e->allocator;
  for (int i = 0; i < 5; i++)
    gv_cuda_release(e->device, e->memory[i]);
  gv_release(&allocator, e);
}

static gv_status edges_open(gv_context *context, int device, const gv_edge_table *table, void **out) {
  const void *from[5] = {table->node, table->row, table->entry, table->place, table->line};
  const size_t bytes[5] = {(size_t)table->nodes * sizeof *table->node, (size_t)table->rows * sizeof *table->row,
                           (size_t)table->rows * sizeof *table->entry,
                           (size_t)table->vertices * (size_t)table->dim * sizeof *table->place,
                           (size_t)table->rows * sizeof *table->line};
  gv_cuda_queue *queue = NULL;
  cuda_edges *e = (cuda_edges *)gv_allocate_zeroed(&context->allocator, 1, sizeof *e);
  if (e == NULL) return gv_fail_memory(context, "the edges for the device");
  e->allocator = context->allocator;
  e->kind = table->kind;
  gv_status status = gv_cuda_queue_take(context, device, &queue);
  if (status == GV_OK) e->device = queue->device;
  for (int i = 0; i < 5 && status == GV_OK; i++) {
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
  SLOT_FAR,
  SLOT_VALUE
};
enum { PINNED_PLACES, PINNED_RESULTS };

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
    status = gv_cuda_stream(context, queue, pairs, 2 * n * sizeof(double), 2 * sizeof(double), s->pairs, s->user,
                            "copying the queries");
  if (status != GV_OK) return status;
  uint64_t *code[2] = {(uint64_t *)keys, (uint64_t *)keys + n};
  int *order[2] = {(int *)numbers, (int *)numbers + n};
  gv_cuda_mark_begin(queue);
  gv::edges_code<<<gv_tree_blocks(count, 256), 256, 0, queue->stream>>>(e->view, (const double2 *)pairs, count,
                                                                        (double *)places, code[0], order[0]);
  GV_CUDA_LAUNCHED(context, "ordering the queries");
  status = gv_tree_sort_64(context, queue, SLOT_SORT, code, order, count, dim == 3 ? 48 : 40);
  if (status != GV_OK) return status;
  gv::edges_gather<<<gv_tree_blocks(count, 256), 256, 0, queue->stream>>>((const double *)places, order[0], count,
                                                                          dim, (double *)sorted);
  GV_CUDA_LAUNCHED(context, "ordering the queries");
  gv_cuda_mark_end(queue);
  chunk->x = (const double *)sorted;
  chunk->order = order[0];

done:
  return status;
}

/* Positions in rows, by way of page-locked memory. */
static gv_status edges_copy_places(gv_context *context, gv_cuda_queue *queue, const cuda_edges *e,
                                   const gv_edge_search *s, gv::edge_chunk *chunk) {
  const size_t n = (size_t)s->count, bytes = n * sizeof(double);
  const double *const from[3] = {s->x, s->y, s->z};
  void *here = NULL, *there = NULL;
  gv_status status = gv_cuda_reserve_pinned(context, queue, PINNED_PLACES, (size_t)e->view.dim * bytes, &here);
  if (status == GV_OK) status = gv_cuda_reserve(context, queue, SLOT_PLACES, (size_t)e->view.dim * bytes, &there);
  if (status != GV_OK) return status;
  for (int axis = 0; axis < e->view.dim; axis++)
    memcpy((double *)here + (size_t)axis * n, from[axis], bytes);
  status = gv_cuda_result(
      context, cudaMemcpyAsync(there, here, (size_t)e->view.dim * bytes, cudaMemcpyHostToDevice, queue->stream),
      "copying the positions");
  chunk->x = (const double *)there;
  chunk->columns = s->columns;
  chunk->rows = s->columns > 0 ? s->count / s->columns : 0;
  return status;
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
    gv::edges_nearest<GV_EDGES_PLANE, VALUES><<<blocks, gv::EDGE_THREADS, 0, stream>>>(e->view, chunk, groups);
    break;
  case GV_EDGES_ARCS:
    gv::edges_nearest<GV_EDGES_ARCS, VALUES><<<blocks, gv::EDGE_THREADS, 0, stream>>>(e->view, chunk, groups);
    break;
  default:
    gv::edges_nearest<GV_EDGES_ITERATED, VALUES><<<blocks, gv::EDGE_THREADS, 0, stream>>>(e->view, chunk, groups);
    break;
  }
}

static gv_status edges_launch(gv_context *context, gv_cuda_queue *queue, const cuda_edges *e,
                              const gv::edge_chunk &chunk) {
  const int64_t across = edges_divide_up(chunk.columns, gv::PATCH_COLUMNS),
                down = edges_divide_up(chunk.rows, gv::PATCH_ROWS);
  const int64_t groups = chunk.columns == 0 ? edges_divide_up(chunk.count, gv::WARP) : across * down;
  gv_status status = GV_OK;
  gv_cuda_mark_begin(queue);
  if (chunk.value != NULL) {
    edges_launch_kind<true>(queue->stream, e, chunk, groups);
  } else {
    edges_launch_kind<false>(queue->stream, e, chunk, groups);
  }
  GV_CUDA_LAUNCHED(context, "searching edges");
  gv_cuda_mark_end(queue);

done:
  return status;
}

static gv_status edges_search_chunk(gv_context *context, gv_cuda_queue *queue, const cuda_edges *e,
                                    const gv_edge_search *s) {
  const size_t n = (size_t)s->count;
  gv::edge_chunk chunk = {};
  void *found = NULL, *low = NULL, *value = NULL, *distance = NULL;
  gv_status status = gv_cuda_reserve(context, queue, SLOT_FOUND, n * sizeof(int32_t), &found);
  if (status == GV_OK && s->low != NULL)
    status = gv_cuda_reserve(context, queue, SLOT_LOW, n * sizeof(float), &low);
  if (status == GV_OK && s->value != NULL)
    status = gv_cuda_reserve(context, queue, SLOT_VALUE, n * sizeof(float), &value);
  if (status == GV_OK && s->distance != NULL)
    status = gv_cuda_reserve(context, queue, SLOT_FAR, n * sizeof(double), &distance);
  if (status == GV_OK)
    status = s->pairs != NULL ? edges_place(context, queue, e, s, &chunk)
                              : edges_copy_places(context, queue, e, s, &chunk);
  if (status != GV_OK) return status;
  chunk.count = s->count;
  chunk.y = chunk.x + n;
  chunk.z = e->view.dim == 3 ? chunk.y + n : NULL;
  chunk.limit = s->limit;
  chunk.reach = s->reach;
  chunk.sure = s->sure;
  chunk.radius = s->radius;
  chunk.found = (int32_t *)found;
  chunk.low = (float *)low;
  chunk.value = (float *)value;
  chunk.distance = (double *)distance;
  status = edges_launch(context, queue, e, chunk);
  if (status == GV_OK) status = gv_cuda_wait(context, queue, "searching edges");
  if (status == GV_OK)
    status = gv_cuda_download(context, queue, s->found, found, n * sizeof(int32_t), "copying the features");
  if (status == GV_OK && low != NULL)
    status = gv_cuda_download(context, queue, s->low, low, n * sizeof(float), "copying the features");
  if (status == GV_OK && value != NULL)
    status = gv_cuda_download(context, queue, s->value, value, n * sizeof(float), "copying the distances");
  if (status == GV_OK && distance != NULL)
    status = gv_cuda_download(context, queue, s->distance, distance, n * sizeof(double), "copying the distances");
  return status;
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
