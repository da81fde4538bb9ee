/*
 * Distances and azimuths of cells from their seeds: one thread a cell, with the source that is shared with
 * the processors' kernels (exact/shared/, geodesic/shared/), so with the same bits.
 */
#include "voronoi/gpu/distances.h"

#include <string.h>

#include "geodesic/series_numbers.h"
#include "voronoi/gpu/raster_state.cuh"
#include "voronoi/gpu/triangle_positions.cuh"

namespace gv {

/* Arguments of a launch in addition to the raster. */
struct measuring {
  gv_measure m;
  const int32_t *distinct; /* the kept seed at the place of a seed; NULL: itself */
  int64_t total;           /* seeds of the caller */
  double radius;           /* of the sphere that great circles are reported on */
  gv_series series;
  gv_open_pair *open;
};

struct measured {
  unsigned long long open; /* pairs, also those that found no room */
  int32_t beyond;          /* the largest number that belongs to no seed; 0: none */
};

template <int FORM> __device__ static inline place cell_place(const problem &p, int64_t column, int64_t row) {
  if constexpr (FORM == MESH) {
    return center_of(p, part_at(p.mesh_level, 0, column));
  } else {
    return position<FORM>(p, column, row);
  }
}

/* What the kernel computes of a pair: FLOATS and DOUBLES are distances only. */
enum { FLOATS, DOUBLES, AZIMUTHS /* and distances, if there is a place for them */ };

struct pair_result {
  double distance, azimuth;
  int open; /* GV_OPEN_... */
};

/* The direction on a sphere to (x, y, z), heights stretched. North is where the processors have it
 * (measure/measure.c). */
template <int FORM>
__device__ static inline double direction(const problem &p, int64_t column, int64_t row, const place &q,
                                          double stretch, double x, double y, double z) {
  double cosine, sine, radius;
  if constexpr (FORM == GLOBE) {
    cosine = p.column_x[column];
    sine = p.column_y[column];
    radius = p.row_p[row];
  } else {
    radius = sqrt(q.x * q.x + q.y * q.y);
    cosine = radius > 0.0 ? q.x / radius : 1.0;
    sine = radius > 0.0 ? q.y / radius : 0.0;
  }
  return gv_bearing_on_sphere(cosine, sine, radius, q.z * stretch, x, y, z * stretch);
}

/* On the plane y is 0. */
template <int FORM, int METRIC, int WHAT>
__device__ static inline pair_result measure_pair(const problem &p, const measuring &a, int64_t column,
                                                  int64_t row, const place &q, const place &s) {
  pair_result out = {0.0, 0.0, 0};
  const bool same = q.x == s.x && q.y == s.y && q.z == s.z; /* then all azimuths are 0 */
  if constexpr (METRIC == GV_GEODESIC) {
    const double from[3] = {q.x, q.y, q.z}, to[3] = {s.x, s.y, s.z};
    gv_solution solution;
    gv_solve(&a.series, from, to, &solution);
    out.distance = solution.length;
    if ((WHAT != AZIMUTHS || a.m.distance != NULL) && !gv_is_solved(&a.series, &solution))
      out.open = GV_OPEN_DISTANCE;
    if constexpr (WHAT == AZIMUTHS) {
      if (!same && !gv_is_directed(&a.series, &solution)) out.open |= GV_OPEN_AZIMUTH;
      out.azimuth = direction<FORM>(p, column, row, q, a.series.stretch, solution.x, solution.y, s.z);
    }
  } else if constexpr (METRIC == GV_GREAT_CIRCLE) {
    double x = q.x - s.x, y = q.y - s.y, z = q.z - s.z;
    out.distance = gv_arc_of_chord2(a.radius, x * x + y * y + z * z);
    if constexpr (WHAT == AZIMUTHS) out.azimuth = direction<FORM>(p, column, row, q, 1.0, s.x, s.y, s.z);
  } else {
    double d = gv_norm_join(METRIC, gv_norm_of(METRIC, q.x - s.x), gv_norm_of(METRIC, q.z - s.z));
    out.distance = METRIC == GV_EUCLIDEAN ? sqrt(d) : d;
    if constexpr (WHAT == AZIMUTHS) out.azimuth = gv_bearing(s.x - q.x, s.z - q.z);
  }
  if (WHAT == AZIMUTHS && same) out.azimuth = 0.0;
  return out;
}

__device__ static inline void distances_hand_over(const measuring &a, measured *found, int64_t column,
                                                  int64_t row, int64_t at, int32_t seed, int what) {
  unsigned long long number = atomicAdd(&found->open, 1ULL);
  if (number < GV_CUDA_OPEN_PAIRS) a.open[number] = {column, row, at, seed, what};
}

/* The NaN of processors. */
__device__ static inline float no_float() {
  return __int_as_float(0x7fc00000);
}

__device__ static inline void put_float(const gv_measure &m, int64_t at, double distance, bool none) {
  __stcs((float *)m.distance + at, none ? no_float() : (float)distance);
}

__device__ static inline void put_double(const gv_measure &m, int64_t at, double distance) {
  __stcs((double *)m.distance + at, distance);
}

template <int FORM, int METRIC, int WHAT>
__global__ void __launch_bounds__(128)
    measure_cells(const __grid_constant__ problem p, const __grid_constant__ measuring a, measured *found) {
  const gv_measure &m = a.m;
  const int64_t c = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= m.columns) return;
  for (int64_t r = blockIdx.y; r < m.rows; r += gridDim.y) {
    const int64_t column = m.column + c, row = m.row + r;
    const place q = cell_place<FORM>(p, column, row);
    for (int32_t band = 0; band < m.bands; band++) {
      const int32_t seed = __ldcs(m.seed + band * m.band_stride + r * m.stride + c);
      const int64_t at = band * m.out_band_stride + r * m.out_stride + c;
      const bool none = seed < 0 || seed >= a.total;
      pair_result found_here = {__longlong_as_double(0x7ff8000000000000LL), 0.0, 0};
      if (seed >= a.total) {
        atomicMax(&found->beyond, seed);
      } else if (seed >= 0) {
        const int32_t number = a.distinct != NULL ? __ldg(a.distinct + seed) : seed;
        found_here = measure_pair<FORM, METRIC, WHAT>(p, a, column, row, q, seed_place(p.seeds, number));
        if (METRIC == GV_GEODESIC && found_here.open != 0)
          distances_hand_over(a, found, column, row, at, seed, found_here.open);
      }
      if constexpr (WHAT == FLOATS) put_float(m, at, found_here.distance, none);
      if constexpr (WHAT == DOUBLES) put_double(m, at, found_here.distance);
      if constexpr (WHAT == AZIMUTHS) {
        if (m.distance != NULL && m.type == GV_FLOAT32) put_float(m, at, found_here.distance, none);
        if (m.distance != NULL && m.type == GV_FLOAT64) put_double(m, at, found_here.distance);
        __stcs(m.azimuth + at, none ? no_float() : gv_reported_azimuth(found_here.azimuth));
      }
    }
  }
}

__global__ void write_results(gv_measure m, const gv_open_pair *pair, const gv_open_result *result,
                              int64_t count) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const gv_open_pair open = pair[i];
  if ((open.what & GV_OPEN_DISTANCE) != 0) {
    if (m.type == GV_FLOAT32) ((float *)m.distance)[open.at] = (float)result[i].distance;
    if (m.type == GV_FLOAT64) ((double *)m.distance)[open.at] = result[i].distance;
  }
  if ((open.what & GV_OPEN_AZIMUTH) != 0) m.azimuth[open.at] = result[i].azimuth;
}

} // namespace gv

enum {
  PINNED_MEASURED = PINNED_COUNTERS, /* no strip is at work meanwhile */
  PINNED_PAIRS = PINNED_OPEN,
  PINNED_SEEDS = PINNED_OPEN_IDS, /* host arrays in transfer */
  PINNED_DISTANCES = PINNED_FETCH,
  PINNED_AZIMUTHS
};
static_assert(sizeof(gv::measured) <= sizeof(gv::counters), "room for what is counted");

/* A launch: input cells and output arrays. */
typedef struct measuring_launch {
  const gv_cuda_raster *raster;
  cudaStream_t stream;
  gv::measuring a;
  gv::measured *found;
} measuring_launch;

template <int FORM, int METRIC> static void launch_for(const measuring_launch *l) {
  const gv_measure *m = &l->a.m;
  const gv::problem &p = l->raster->problem;
  const dim3 blocks(blocks_for(m->columns, 128), (unsigned)(m->rows < 65535 ? m->rows : 65535));
  if (m->azimuth != NULL) {
    gv::measure_cells<FORM, METRIC, gv::AZIMUTHS><<<blocks, 128, 0, l->stream>>>(p, l->a, l->found);
  } else if (m->type == GV_FLOAT32) {
    gv::measure_cells<FORM, METRIC, gv::FLOATS><<<blocks, 128, 0, l->stream>>>(p, l->a, l->found);
  } else {
    gv::measure_cells<FORM, METRIC, gv::DOUBLES><<<blocks, 128, 0, l->stream>>>(p, l->a, l->found);
  }
}

template <int FORM> static void launch_globe(const measuring_launch *l) {
  if (l->raster->v->cells.metric == GV_GEODESIC) {
    launch_for<FORM, GV_GEODESIC>(l);
  } else {
    launch_for<FORM, GV_GREAT_CIRCLE>(l);
  }
}

template <int FORM> static void launch_plane(const measuring_launch *l) {
  gv_metric metric = l->raster->v->cells.metric;
  if (metric == GV_EUCLIDEAN) {
    launch_for<FORM, GV_EUCLIDEAN>(l);
  } else if (metric == GV_MANHATTAN) {
    launch_for<FORM, GV_MANHATTAN>(l);
  } else {
    launch_for<FORM, GV_CHEBYSHEV>(l);
  }
}

static void distances_launch(const measuring_launch *l) {
  switch (l->raster->form) {
  case gv::PLANE:
    launch_plane<gv::PLANE>(l);
    break;
  case gv::ROTATED:
    launch_plane<gv::ROTATED>(l);
    break;
  case gv::GLOBE:
    launch_globe<gv::GLOBE>(l);
    break;
  case gv::TRIANGLES:
    launch_globe<gv::TRIANGLES>(l);
    break;
  default:
    launch_globe<gv::MESH>(l);
  }
}

/* Which seeds share a place. */
static gv_status put_distinct(gv_context *context, gv_cuda_raster *raster) {
  const gv_seed_set *seeds = &raster->v->seeds;
  size_t bytes = (size_t)seeds->total * sizeof(int32_t);
  void *memory = NULL;
  if (seeds->distinct == NULL || raster->distinct != NULL) return GV_OK;
  gv_status status = gv_cuda_reserve(context, raster->queue, SLOT_DISTINCT, bytes, &memory);
  if (status == GV_OK) {
    status = gv_cuda_result(
        context,
        cudaMemcpyAsync(memory, seeds->distinct, bytes, cudaMemcpyHostToDevice, raster->queue->stream),
        "copying the seeds");
  }
  if (status == GV_OK) status = gv_cuda_wait(context, raster->queue, "copying the seeds");
  if (status == GV_OK) raster->distinct = (const int32_t *)memory;
  return status;
}

/* A launch in a queue, for arrays of the device's. */
static gv_status plan_launch(gv_context *context, const gv_cuda_raster *raster, gv_cuda_queue *queue,
                             const gv_measure *m, double radius, size_t most_open, measuring_launch *out) {
  const gv_voronoi *v = raster->v;
  void *pairs = NULL, *found = NULL;
  gv_status status = gv_cuda_reserve_counters(context, queue);
  if (status == GV_OK) status = gv_cuda_reserve(context, queue, SLOT_MEASURED, sizeof *out->found, &found);
  if (status == GV_OK && v->cells.metric == GV_GEODESIC)
    status = gv_cuda_reserve(context, queue, SLOT_PAIRS, most_open * sizeof(gv_open_pair), &pairs);
  *out = {raster,
          queue->stream,
          {*m, raster->distinct, v->seeds.total, radius, v->geodesic.series, (gv_open_pair *)pairs},
          (gv::measured *)found};
  return status;
}

/* Starts the launch and the copy of its counters back to the host. */
static gv_status distances_start(gv_context *context, gv_cuda_queue *queue, const measuring_launch *l) {
  void *counted = queue->pinned[PINNED_MEASURED].data;
  gv_status status = GV_OK;
  GV_CUDA_TRY(context, cudaMemsetAsync(l->found, 0, sizeof *l->found, queue->stream), "measuring");
  gv_cuda_mark_begin(queue);
  distances_launch(l);
  GV_CUDA_LAUNCHED(context, "measuring");
  gv_cuda_mark_end(queue);
  GV_CUDA_TRY(context,
              cudaMemcpyAsync(counted, l->found, sizeof *l->found, cudaMemcpyDeviceToHost, queue->stream),
              "measuring");
done:
  return status;
}

/* Waits for it, and lists what it leaves open. */
static gv_status distances_finish(gv_context *context, gv_cuda_queue *queue, const measuring_launch *l,
                                  gv_open_pairs *open) {
  const gv::measured *counted = (const gv::measured *)queue->pinned[PINNED_MEASURED].data;
  void *listed = NULL;
  size_t bytes = 0;
  gv_status status = gv_cuda_wait(context, queue, "measuring");
  if (status != GV_OK) goto done;
  if (counted->beyond > 0)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "seed number: out of range (%d)",
                   (int)counted->beyond);
  open->count = (int64_t)counted->open;
  if (open->count == 0 || open->count > GV_CUDA_OPEN_PAIRS) return GV_OK;
  bytes = (size_t)open->count * sizeof(gv_open_pair);
  status = gv_cuda_reserve_pinned(context, queue, PINNED_PAIRS, bytes, &listed);
  if (status != GV_OK) goto done;
  GV_CUDA_TRY(context, cudaMemcpyAsync(listed, l->a.open, bytes, cudaMemcpyDeviceToHost, queue->stream),
              "reading open cells");
  GV_CUDA_TRY(context, cudaStreamSynchronize(queue->stream), "reading open cells");
  open->pair = (const gv_open_pair *)listed;
done:
  return status;
}

extern "C" gv_status gv_cuda_raster_measure(gv_context *context, gv_cuda_raster *raster, const gv_measure *m,
                                            double radius, gv_open_pairs *open) {
  measuring_launch l;
  memset(open, 0, sizeof *open);
  gv_status status = put_distinct(context, raster);
  if (status == GV_OK)
    status = plan_launch(context, raster, raster->queue, m, radius, GV_CUDA_OPEN_PAIRS, &l);
  if (status == GV_OK) status = distances_start(context, raster->queue, &l);
  return status == GV_OK ? distances_finish(context, raster->queue, &l, open) : status;
}

extern "C" gv_status gv_cuda_raster_put_results(gv_context *context, gv_cuda_raster *raster,
                                                const gv_measure *m, const gv_open_result *result,
                                                int64_t count) {
  gv_cuda_queue *queue = raster->queue;
  void *results = NULL;
  const gv_open_pair *pairs = (const gv_open_pair *)queue->buffer[SLOT_PAIRS].data; /* still there */
  size_t bytes = (size_t)count * sizeof *result;
  gv_status status = gv_cuda_reserve(context, queue, SLOT_RESULTS, bytes, &results);
  if (status != GV_OK) return status;
  GV_CUDA_TRY(context, cudaMemcpyAsync(results, result, bytes, cudaMemcpyHostToDevice, queue->stream),
              "writing decisions");
  gv::write_results<<<blocks_for(count, 256), 256, 0, queue->stream>>>(
      *m, pairs, (const gv_open_result *)results, count);
  GV_CUDA_LAUNCHED(context, "writing decisions");
  status = gv_cuda_wait(context, queue, "writing decisions");
done:
  return status;
}

/* ----------------------------------------------------------------------------------- arrays of the host's */

static gv_status distances_begin(gv_context *context, int device, void **out, int *number) {
  gv_cuda_queue *queue = NULL;
  gv_status status = gv_cuda_queue_take(context, device, &queue);
  if (status == GV_OK) *number = queue->device;
  *out = queue;
  return status;
}

static void distances_end(gv_context *context, void *queue) {
  gv_cuda_queue_give(context, (gv_cuda_queue *)queue);
}

enum { SLOT_AZIMUTHS = SLOT_WORK }; /* such a queue computes no cells */

/* Rows of a caller's, without gaps in page-locked memory. */
static void copy_rows(char *to, int64_t to_stride, const char *from, int64_t from_stride, const gv_measure *m,
                      size_t size) {
  for (int64_t r = 0; r < m->rows; r++)
    memcpy(to + (size_t)(r * to_stride) * size, from + (size_t)(r * from_stride) * size,
           (size_t)m->columns * size);
}

/* An array of a piece: page-locked, and on the device. */
typedef struct passage {
  void *here, *there;
} passage;

static gv_status open_passage(gv_context *context, gv_cuda_queue *queue, int pinned, int slot, size_t bytes,
                              passage *out) {
  gv_status status = gv_cuda_reserve_pinned(context, queue, pinned, bytes, &out->here);
  return status == GV_OK ? gv_cuda_reserve(context, queue, slot, bytes, &out->there) : status;
}

static gv_status measure_host(gv_context *context, const gv_cuda_raster *raster, void *opaque,
                              const gv_measure *m, double radius, gv_open_pairs *open) {
  gv_cuda_queue *queue = (gv_cuda_queue *)opaque;
  const size_t cells = (size_t)(m->columns * m->rows),
               size = m->type == GV_FLOAT32 ? sizeof(float) : sizeof(double);
  passage seed = {}, distance = {}, azimuth = {};
  gv_measure there = *m;
  measuring_launch l;
  memset(open, 0, sizeof *open);
  gv_status status = open_passage(context, queue, PINNED_SEEDS, SLOT_LABELS, cells * sizeof(int32_t), &seed);
  if (status == GV_OK && m->distance != NULL)
    status = open_passage(context, queue, PINNED_DISTANCES, SLOT_DISTANCES, cells * size, &distance);
  if (status == GV_OK && m->azimuth != NULL)
    status = open_passage(context, queue, PINNED_AZIMUTHS, SLOT_AZIMUTHS, cells * sizeof(float), &azimuth);
  there.bands = 1;
  there.seed = (const int32_t *)seed.there;
  there.distance = distance.there;
  there.azimuth = (float *)azimuth.there;
  there.stride = there.out_stride = m->columns;
  if (status == GV_OK) status = plan_launch(context, raster, queue, &there, radius, GV_CUDA_HOST_CELLS, &l);
  if (status != GV_OK) goto done;
  copy_rows((char *)seed.here, m->columns, (const char *)m->seed, m->stride, m, sizeof(int32_t));
  GV_CUDA_TRY(
      context,
      cudaMemcpyAsync(seed.there, seed.here, cells * sizeof(int32_t), cudaMemcpyHostToDevice, queue->stream),
      "copying cells");
  status = distances_start(context, queue, &l);
  if (status != GV_OK) goto done;
  if (m->distance != NULL) {
    GV_CUDA_TRY(
        context,
        cudaMemcpyAsync(distance.here, distance.there, cells * size, cudaMemcpyDeviceToHost, queue->stream),
        "reading distances");
  }
  if (m->azimuth != NULL) {
    GV_CUDA_TRY(context,
                cudaMemcpyAsync(azimuth.here, azimuth.there, cells * sizeof(float), cudaMemcpyDeviceToHost,
                                queue->stream),
                "reading azimuths");
  }
  status = distances_finish(context, queue, &l, open);
  if (status != GV_OK) goto done;
  if (m->distance != NULL)
    copy_rows((char *)m->distance, m->out_stride, (const char *)distance.here, m->columns, m, size);
  if (m->azimuth != NULL)
    copy_rows((char *)m->azimuth, m->out_stride, (const char *)azimuth.here, m->columns, m, sizeof(float));
done:
  return status;
}

extern "C" {
extern const gv_measure_device gv_cuda_measuring;
}
const gv_measure_device gv_cuda_measuring = {gv_cuda_raster_measure, gv_cuda_raster_put_results,
                                             distances_begin,        distances_end,
                                             put_distinct,           measure_host};
