/*
 * Statistics of cells: the integers that the processors add (statistics/block.c), in any order.
 *
 * A lane walks down a column and ends a run where the seed changes. Adjacent lanes with runs of one seed that
 * begin and end together are a rectangle; its area and moments are products of differences of running sums,
 * as for a span in block.c, and one lane adds them. Distances, triangles and quantities are summed by lanes,
 * and by warps that have one seed.
 */
#include "statistics/device_sums.h"

#include <string.h>

#include "voronoi/gpu/raster_state.cuh"
#include "voronoi/gpu/triangle_positions.cuh"

namespace gv {

enum {
  TALL = 64, /* cells of a lane */
  AHEAD = 8  /* that it reads at once */
};

/* Arguments of a launch. */
struct summing {
  const int32_t *seed; /* of the part */
  int64_t stride, columns, rows;
  int64_t column, row; /* of its first cell */
  int64_t total;       /* seeds of the caller */
  const int32_t *group;
  const gv_row_sums *rows_before;       /* LONLAT */
  const gv_column_sums *columns_before; /* LONLAT */
  const double *share;                  /* LONLAT */
  const double *triangle;               /* mesh */
  double triangle_scale;                /* makes shares of areas */
  const double *distance;               /* columns x rows */
  double longest, distance_scale;
  gv_totals *of_row;
  gv_device_faults *faults;
};

struct quantity {
  const void *value;
  int64_t stride;
  double bound, scale, distance_scale;
  int32_t number;
  int32_t one_by_one; /* distance_scale is NaN */
  gv_sum *sum;        /* of the first row; `sums` of each */
  int64_t sums;
};

/* The cells of one seed that a lane is passing. */
struct run {
  int32_t seed, begin;
};

__device__ static inline void device_sums_add(gv_wide *to, gv_wide value) {
  unsigned long long *at = reinterpret_cast<unsigned long long *>(to);
  unsigned long long low = (unsigned long long)value, high = (unsigned long long)(value >> 64);
  if (low != 0 && atomicAdd(at, low) + low < low) high++;
  if (high != 0) atomicAdd(at + 1, high);
}

__device__ static inline void device_sums_add(int64_t *to, int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long *>(to), (unsigned long long)value);
}

/* Numbers that are not negative have the order of their bits. */
__device__ static inline void raise(double *to, double value) {
  if (value > 0.0)
    atomicMax(reinterpret_cast<unsigned long long *>(to), (unsigned long long)__double_as_longlong(value));
}

__device__ static inline gv_wide sum_of_warp(gv_wide value) {
  for (int step = WARP / 2; step > 0; step /= 2) {
    unsigned long long low = __shfl_xor_sync(everyone, (unsigned long long)value, step);
    unsigned long long high = __shfl_xor_sync(everyone, (unsigned long long)(value >> 64), step);
    value += (gv_wide)((unsigned __int128)high << 64 | low);
  }
  return value;
}

__device__ static inline double largest_of_warp(double value) {
  for (int step = WARP / 2; step > 0; step /= 2)
    value = fmax(value, __shfl_xor_sync(everyone, value, step));
  return value;
}

/* The row of a seed's sums; -1 if the seed does not exist. */
__device__ static inline int64_t device_sums_row_of(const summing &a, int32_t seed) {
  if (seed >= a.total) {
    atomicMax(&a.faults->beyond, seed);
    return -1;
  }
  return a.group != NULL ? __ldg(a.group + seed) : seed;
}

/* Of `columns` columns from c on, and rows [begin, end). */
template <bool LONLAT>
__device__ static void add_rectangle(const summing &a, gv_totals *to, int64_t c, int32_t columns,
                                     int64_t begin, int64_t end) {
  const int64_t cells = columns * (end - begin);
  device_sums_add(&to->cells, cells);
  if constexpr (LONLAT) {
    const gv_row_sums &from = a.rows_before[begin], &upto = a.rows_before[end];
    const gv_column_sums &left = a.columns_before[c], &right = a.columns_before[c + columns];
    const int64_t across = (int64_t)(upto.across - from.across);
    device_sums_add(&to->area, (upto.area - from.area) * columns);
    device_sums_add(&to->moment[0], (gv_wide)across * (int64_t)(right.cosine - left.cosine));
    device_sums_add(&to->moment[1], (gv_wide)across * (int64_t)(right.sine - left.sine));
    device_sums_add(&to->moment[2], (gv_wide)(int64_t)(upto.up - from.up) * columns);
  } else {
    const int64_t c0 = a.column + c, r0 = a.row + begin, r1 = a.row + end;
    device_sums_add(&to->area, (gv_wide)cells);
    device_sums_add(&to->moment[0], (gv_wide)(2 * c0 + columns) * cells);
    device_sums_add(&to->moment[1], (gv_wide)(r0 + r1) * cells);
  }
}

/* A lane's distances. */
struct far_sums {
  gv_wide sum;
  double farthest;
  bool wrong;
};

__device__ static inline void go_far(const summing &a, far_sums *far, double distance, double scale) {
  if (distance >= 0.0 && distance <= a.longest) {
    far->sum += __double2ll_rn(distance * scale);
    far->farthest = distance > far->farthest ? distance : far->farthest;
  } else {
    far->wrong = true;
  }
}

__device__ static inline void add_far(gv_totals *to, far_sums *far) {
  device_sums_add(&to->distance, far->sum);
  raise(&to->farthest, far->farthest);
}

/* Ends the runs of the lanes `who` before row `end`. All lanes of the warp must call it. */
template <bool LONLAT, bool FAR>
__device__ static void end_runs(const summing &a, uint32_t who, int lane, int64_t c, const run &mine,
                                int64_t end, far_sums *far) {
  const int32_t seed = __shfl_up_sync(everyone, mine.seed, 1),
                begin = __shfl_up_sync(everyone, mine.begin, 1);
  const bool member = (who >> lane & 1U) != 0;
  const bool joined = lane > 0 && (who >> (lane - 1) & 1U) != 0 && seed == mine.seed && begin == mine.begin;
  const uint32_t heads = __ballot_sync(everyone, member && !joined);
  const bool whole = heads == 1U && who == everyone;
  if (FAR && whole) {
    far->sum = sum_of_warp(far->sum);
    far->farthest = largest_of_warp(far->farthest);
  }
  const bool head = (heads >> lane & 1U) != 0;
  if (!member || !(head || (FAR && !whole))) return;
  const int64_t row = device_sums_row_of(a, mine.seed);
  if (row < 0) return;
  if (head) {
    const uint32_t ends = (heads | ~who) & ~(lane == WARP - 1 ? everyone : (2U << lane) - 1U);
    const int32_t columns = (ends != 0 ? __ffs((int)ends) - 1 : (int)WARP) - lane;
    add_rectangle<LONLAT>(a, &a.of_row[row], c, columns, mine.begin, end);
  }
  if (FAR) add_far(&a.of_row[row], far);
}

template <bool LONLAT, bool FAR>
__global__ void __launch_bounds__(128) add_cells(const __grid_constant__ summing a) {
  const int lane = threadIdx.x % WARP;
  const int64_t c = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (c - lane >= a.columns) return;
  const bool inside = c < a.columns;
  far_sums far = {0, 0.0, false};
  for (int64_t r0 = (int64_t)blockIdx.y * TALL; r0 < a.rows; r0 += (int64_t)gridDim.y * TALL) {
    const int64_t r1 = r0 + TALL < a.rows ? r0 + TALL : a.rows;
    run mine = {-1, 0};
    for (int64_t first = r0; first < r1; first += AHEAD) {
      int32_t next[AHEAD];
      double distance[AHEAD];
#pragma unroll
      for (int i = 0; i < AHEAD; i++) {
        const bool there = inside && first + i < r1;
        next[i] = there ? __ldcs(a.seed + (first + i) * a.stride + c) : -1;
        if (FAR) distance[i] = there ? __ldcs(a.distance + (first + i) * a.columns + c) : 0.0;
      }
#pragma unroll
      for (int i = 0; i < AHEAD; i++) {
        const int64_t r = first + i;
        if (r >= r1) break;
        const int32_t seed = next[i] < 0 ? -1 : next[i];
        if (__any_sync(everyone, seed != mine.seed)) {
          const uint32_t who = __ballot_sync(everyone, seed != mine.seed && mine.seed >= 0);
          if (who != 0) end_runs<LONLAT, FAR>(a, who, lane, c, mine, r, &far);
          if (seed != mine.seed) {
            mine = {seed, (int32_t)r};
            far.sum = 0;
            far.farthest = 0.0;
          }
        }
        if (FAR && seed >= 0)
          go_far(a, &far, distance[i], LONLAT ? a.distance_scale * a.share[r] : a.distance_scale);
      }
    }
    const uint32_t who = __ballot_sync(everyone, mine.seed >= 0);
    if (who != 0) end_runs<LONLAT, FAR>(a, who, lane, c, mine, r1, &far);
    far.sum = 0;
    far.farthest = 0.0;
  }
  if (FAR && far.wrong) atomicMax(&a.faults->distance, 1);
}

/* A lane's triangles. */
struct triangle_sums {
  gv_totals t;
  bool wrong;
};

__device__ static inline void take_triangle(const problem &p, const summing &a, int64_t number,
                                            triangle_sums *to, const double *distance) {
  const double one = (double)(1LL << GV_TERM_BITS);
  const part cell = part_at(p.mesh_level, 0, number);
  const place at = turned(cell.octant, direction_in_octant(p, cell));
  const double area = __ldg(a.triangle + 2 * cell.top + ((cell.state & DOWN) != 0 ? 1 : 0));
  const double share = area * a.triangle_scale;
  to->t.cells++;
  to->t.area += (int64_t)(share * one);
  to->t.moment[0] += (int64_t)(at.x * share * one);
  to->t.moment[1] += (int64_t)(at.y * share * one);
  to->t.moment[2] += (int64_t)(at.z * share * one);
  if (distance == NULL) return;
  if (*distance >= 0.0 && *distance <= a.longest) {
    to->t.distance += (int64_t)(*distance * (a.distance_scale * area));
    to->t.farthest = *distance > to->t.farthest ? *distance : to->t.farthest;
  } else {
    to->wrong = true;
  }
}

__device__ static void add_triangles_of(const summing &a, int32_t seed, triangle_sums *of, bool far) {
  const int64_t row = seed >= 0 ? device_sums_row_of(a, seed) : -1;
  if (row >= 0) {
    gv_totals *to = &a.of_row[row];
    device_sums_add(&to->cells, of->t.cells);
    device_sums_add(&to->area, of->t.area);
    for (int d = 0; d < 3; d++)
      device_sums_add(&to->moment[d], of->t.moment[d]);
    if (far) device_sums_add(&to->distance, of->t.distance);
    if (far) raise(&to->farthest, of->t.farthest);
  }
  of->t = gv_totals();
}

/* A warp processes TALL times WARP triangles, its lanes in turn. */
__global__ void __launch_bounds__(128)
    add_triangles(const __grid_constant__ problem p, const __grid_constant__ summing a) {
  const int64_t warp = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP;
  const int64_t first = warp * TALL * WARP + threadIdx.x % WARP;
  triangle_sums of = {gv_totals(), false};
  int32_t mine = -1;
  for (int i = 0; i < TALL; i++) {
    const int64_t c = first + (int64_t)i * WARP;
    if (c >= a.columns) break;
    const int32_t seed = __ldcs(a.seed + c);
    if (seed != mine) {
      add_triangles_of(a, mine, &of, a.distance != NULL);
      mine = seed;
    }
    if (seed >= 0) take_triangle(p, a, a.column + c, &of, a.distance != NULL ? a.distance + c : NULL);
  }
  add_triangles_of(a, mine, &of, a.distance != NULL);
  if (of.wrong) atomicMax(&a.faults->distance, 1);
}

/* A lane's part of a quantity. */
struct quantity_sums {
  gv_wide value, distance;
  bool wrong;
};

/* All lanes of the warp must call it; those of `who` have something to add. */
template <bool FAR>
__device__ static void add_quantity_of(const summing &a, const quantity &q, uint32_t who, int lane,
                                       int32_t seed, quantity_sums *of) {
  const bool whole = who == everyone && __all_sync(everyone, seed == __shfl_sync(everyone, seed, 0));
  bool mine = (who >> lane & 1U) != 0;
  if (whole) {
    of->value = sum_of_warp(of->value);
    if (FAR) of->distance = sum_of_warp(of->distance);
    mine = lane == 0;
  }
  if (!mine) return;
  const int64_t row = device_sums_row_of(a, seed);
  if (row < 0) return;
  gv_sum *to = &q.sum[row * q.sums + q.number];
  device_sums_add(&to->value, of->value);
  if (FAR) device_sums_add(&to->distance, of->distance);
}

template <bool FAR>
__device__ static inline void take_value(const summing &a, const quantity &q, double value, double distance,
                                         quantity_sums *of) {
  if (!(fabs(value) <= q.bound)) {
    of->wrong = true;
    return;
  }
  of->value += (int64_t)(value * q.scale);
  if (FAR) {
    const double factor = q.one_by_one != 0 ? value * q.scale / a.longest : value * q.distance_scale;
    if (distance >= 0.0 && distance <= a.longest) of->distance += __double2ll_rn(distance * factor);
  }
}

/* Lanes walk down columns, or along the row if there is only one. */
template <class REAL, bool FAR>
__global__ void __launch_bounds__(128)
    add_quantity(const __grid_constant__ summing a, const __grid_constant__ quantity q) {
  const int lane = threadIdx.x % WARP;
  const bool along = a.rows == 1;
  const int64_t warp = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP;
  const int64_t c0 = warp * WARP * (along ? TALL : 1) + lane;
  if (c0 - lane >= a.columns) return;
  const REAL *value = (const REAL *)q.value;
  quantity_sums of = {0, 0, false};
  for (int64_t r0 = (int64_t)blockIdx.y * TALL; r0 < (along ? TALL : a.rows);
       r0 += (int64_t)gridDim.y * TALL) {
    int32_t mine = -1;
    for (int i = 0; i < TALL; i++) {
      const int64_t c = along ? c0 + (int64_t)i * WARP : c0, r = along ? 0 : r0 + i;
      const bool there = c < a.columns && r < a.rows;
      int32_t seed = there ? __ldg(a.seed + r * a.stride + c) : -1;
      seed = seed < 0 ? -1 : seed;
      if (__any_sync(everyone, seed != mine)) {
        const uint32_t who = __ballot_sync(everyone, seed != mine && mine >= 0);
        if (who != 0) add_quantity_of<FAR>(a, q, who, lane, mine, &of);
        if (seed != mine) of.value = of.distance = 0;
        mine = seed;
      }
      if (seed < 0) continue;
      const double distance = FAR ? a.distance[r * a.columns + c] : 0.0;
      take_value<FAR>(a, q, (double)__ldcs(value + r * q.stride + c), distance, &of);
    }
    const uint32_t who = __ballot_sync(everyone, mine >= 0);
    if (who != 0) add_quantity_of<FAR>(a, q, who, lane, mine, &of);
    of.value = of.distance = 0;
  }
  if (of.wrong) atomicMax(&a.faults->quantity, 1 + q.number);
}

} // namespace gv

static unsigned rows_of_blocks(int64_t rows) {
  const int64_t count = (rows + gv::TALL - 1) / gv::TALL;
  return (unsigned)(count < 65535 ? count : 65535);
}

/* Appends `bytes` of host memory to the buffer. */
static gv_status device_sums_put(gv_context *context, gv_cuda_queue *queue, char **free, const void *from,
                                 size_t bytes, const void **out) {
  *out = NULL;
  if (from == NULL) return GV_OK;
  *out = *free;
  gv_status status = gv_cuda_result(
      context, cudaMemcpyAsync(*free, from, bytes, cudaMemcpyHostToDevice, queue->stream), "copying factors");
  *free += (bytes + 15) / 16 * 16;
  return status;
}

static gv_status put_factors(gv_context *context, gv_cuda_queue *queue, const gv_statistics_cells *strip,
                             const gv_strip_factors *f, gv_device_sums *out) {
  const gv_statistics *s = out->s;
  const int64_t triangles = (int64_t)2 << s->voronoi->cells.grid.level;
  const gv_column_sums *columns = s->column != NULL ? s->column + strip->column : NULL;
  const size_t bytes[] = {(size_t)(strip->rows + 1) * sizeof *f->row,
                          (size_t)(strip->columns + 1) * sizeof *columns,
                          (size_t)strip->rows * sizeof *f->share, (size_t)triangles * sizeof *f->triangle,
                          (size_t)s->voronoi->seeds.total * sizeof *s->group};
  const void *const from[] = {f->row, columns, f->share, f->triangle, s->group};
  const void *there[] = {NULL, NULL, NULL, NULL, NULL};
  size_t all = 16;
  void *memory = NULL;
  for (int i = 0; i < 5; i++)
    all += from[i] != NULL ? bytes[i] + 16 : 0;
  gv_status status = gv_cuda_reserve(context, queue, SLOT_FACTORS, all, &memory);
  char *free = (char *)memory;
  for (int i = 0; i < 5 && status == GV_OK; i++)
    status = device_sums_put(context, queue, &free, from[i], bytes[i], &there[i]);
  out->rows = (const gv_row_sums *)there[0];
  out->columns = (const gv_column_sums *)there[1];
  out->share = (const double *)there[2];
  out->triangle = (const double *)there[3];
  out->group = (const int32_t *)there[4];
  return status;
}

static gv_status begin_sums(gv_context *context, gv_cuda_raster *raster, const gv_statistics *s,
                            const gv_statistics_cells *strip, const gv_strip_factors *factors, int64_t labels,
                            int64_t distances, gv_device_sums *out) {
  gv_cuda_queue *queue = raster->queue;
  const size_t totals = (size_t)s->rows * sizeof(gv_totals),
               sums = (size_t)(s->rows * s->sums) * sizeof(gv_sum);
  void *memory = NULL;
  *out = {};
  out->s = s;
  out->column = strip->column;
  out->row = strip->row;
  gv_status status = put_factors(context, queue, strip, factors, out);
  if (status == GV_OK && labels > 0) {
    status = gv_cuda_reserve(context, queue, SLOT_LABELS, (size_t)labels * sizeof *out->seed, &memory);
    out->seed = (int32_t *)memory;
  }
  if (status == GV_OK && distances > 0) {
    status =
        gv_cuda_reserve(context, queue, SLOT_DISTANCES, (size_t)distances * sizeof *out->distance, &memory);
    out->distance = (double *)memory;
  }
  if (status == GV_OK)
    status = gv_cuda_reserve(context, queue, SLOT_TOTALS, totals + sums + sizeof *out->faults, &memory);
  if (status != GV_OK) return status;
  out->of_row = (gv_totals *)memory;
  out->of_sum = (gv_sum *)(out->of_row + s->rows);
  out->faults = (gv_device_faults *)(out->of_sum + s->rows * s->sums);
  return gv_cuda_result(
      context, cudaMemsetAsync(memory, 0, totals + sums + sizeof *out->faults, queue->stream), "summing");
}

static gv::summing summing_of(const gv_device_sums *sums, const gv_statistics_cells *part) {
  const gv_statistics *s = sums->s;
  gv::summing a = {};
  a.seed = part->seed;
  a.stride = part->stride;
  a.columns = part->columns;
  a.rows = part->rows;
  a.column = part->column;
  a.row = part->row;
  a.total = s->voronoi->seeds.total;
  a.group = sums->group;
  if (sums->rows != NULL) {
    a.rows_before = sums->rows + (part->row - sums->row);
    a.columns_before = sums->columns + (part->column - sums->column);
    a.share = sums->share + (part->row - sums->row);
  }
  /* As statistics/block.c has them. */
  const double one = (double)(INT64_C(1) << GV_TERM_BITS);
  a.triangle = sums->triangle;
  a.triangle_scale = 1.0 / (s->area_unit * one);
  a.distance = s->distances ? sums->distance : NULL;
  a.longest = s->longest;
  a.distance_scale = one / s->longest;
  if (sums->triangle != NULL) a.distance_scale /= s->area_unit * one;
  a.of_row = sums->of_row;
  a.faults = sums->faults;
  return a;
}

static void launch_cells(const gv_cuda_raster *raster, const gv::summing *a) {
  const cudaStream_t stream = raster->queue->stream;
  if (a->triangle != NULL) {
    gv::add_triangles<<<blocks_for(a->columns, 128 * gv::TALL), 128, 0, stream>>>(raster->problem, *a);
    return;
  }
  const dim3 blocks(blocks_for(a->columns, 128), rows_of_blocks(a->rows));
  if (a->rows_before != NULL) {
    if (a->distance != NULL) {
      gv::add_cells<true, true><<<blocks, 128, 0, stream>>>(*a);
    } else {
      gv::add_cells<true, false><<<blocks, 128, 0, stream>>>(*a);
    }
  } else if (a->distance != NULL) {
    gv::add_cells<false, true><<<blocks, 128, 0, stream>>>(*a);
  } else {
    gv::add_cells<false, false><<<blocks, 128, 0, stream>>>(*a);
  }
}

template <class REAL>
static void launch_quantity(cudaStream_t stream, const gv::summing *a, const gv::quantity *q) {
  const bool along = a->rows == 1;
  const dim3 blocks(blocks_for(a->columns, along ? 128 * gv::TALL : 128),
                    along ? 1U : rows_of_blocks(a->rows));
  if (a->distance != NULL) {
    gv::add_quantity<REAL, true><<<blocks, 128, 0, stream>>>(*a, *q);
  } else {
    gv::add_quantity<REAL, false><<<blocks, 128, 0, stream>>>(*a, *q);
  }
}

/* As statistics/quantities.c has it. */
static gv::quantity quantity_of(const gv_device_sums *sums, const gv_statistics_cells *part, int32_t number) {
  const gv_statistics *s = sums->s;
  gv::quantity q = {};
  q.value = part->quantity[number].value;
  q.stride = part->quantity[number].stride;
  q.bound = s->bound[number];
  q.scale = (double)(INT64_C(1) << GV_TERM_BITS) / gv_fixed_unit(q.bound);
  q.distance_scale = q.scale / s->longest;
  q.one_by_one = !isfinite(q.distance_scale);
  q.number = number;
  q.sum = sums->of_sum;
  q.sums = s->sums;
  return q;
}

static gv_status add_sums(gv_context *context, gv_cuda_raster *raster, const gv_device_sums *sums,
                          const gv_statistics_cells *part) {
  const gv::summing a = summing_of(sums, part);
  gv_status status = GV_OK;
  gv_cuda_mark_begin(raster->queue);
  launch_cells(raster, &a);
  GV_CUDA_LAUNCHED(context, "summing");
  for (int32_t i = 0; i < sums->s->sums; i++) {
    const gv::quantity q = quantity_of(sums, part, i);
    if (part->quantity[i].type == GV_FLOAT32) {
      launch_quantity<float>(raster->queue->stream, &a, &q);
    } else {
      launch_quantity<double>(raster->queue->stream, &a, &q);
    }
    GV_CUDA_LAUNCHED(context, "summing");
  }
  gv_cuda_mark_end(raster->queue);
done:
  return status;
}

static gv_status take_sums(gv_context *context, gv_cuda_raster *raster, const gv_device_sums *sums,
                           gv_totals *of_row, gv_sum *of_sum, gv_device_faults *faults) {
  const gv_statistics *s = sums->s;
  const cudaStream_t stream = raster->queue->stream;
  gv_status status;
  GV_CUDA_TRY(
      context,
      cudaMemcpyAsync(of_row, sums->of_row, (size_t)s->rows * sizeof *of_row, cudaMemcpyDeviceToHost, stream),
      "reading sums");
  if (s->sums > 0) {
    GV_CUDA_TRY(context,
                cudaMemcpyAsync(of_sum, sums->of_sum, (size_t)(s->rows * s->sums) * sizeof *of_sum,
                                cudaMemcpyDeviceToHost, stream),
                "reading sums");
  }
  GV_CUDA_TRY(context, cudaMemcpyAsync(faults, sums->faults, sizeof *faults, cudaMemcpyDeviceToHost, stream),
              "reading sums");
  status = gv_cuda_wait(context, raster->queue, "reading sums");
done:
  return status;
}

extern "C" {
extern const gv_statistics_device gv_cuda_statistics;
const gv_statistics_device gv_cuda_statistics = {begin_sums, add_sums, take_sums};
}
