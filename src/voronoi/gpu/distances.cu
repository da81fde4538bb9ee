/*
 * Distances of cells from their seeds: a thread a cell, with the texts that the processors' kernels are made of (exact/text/,
 * geodesic/text/), so with their bits.
 */
#include "voronoi/gpu/distances.h"

#include <string.h>

#include "geodesic/series_numbers.h"
#include "voronoi/gpu/raster_state.cuh"
#include "voronoi/gpu/triangle_positions.cuh"

namespace gv {

/* What a launch is given beside the raster. */
struct measuring {
  gv_strip_measure m;
  const int32_t *distinct; /* the kept seed at the place of a seed; NULL: itself */
  int64_t total;           /* seeds as given */
  double radius;           /* of the sphere that great circles are reported on */
  gv_series series;
  gv_open_pair *open;
};

struct measured {
  unsigned long long open; /* pairs, also those that found no room */
  int32_t beyond;          /* the largest number that is no seed's; 0 */
};

template <int FORM> __device__ static inline place cell_place(const problem &p, int64_t column, int64_t row) {
  if constexpr (FORM == MESH) {
    return centre_of(p, part_at(p.mesh_level, 0, column));
  } else {
    return position<FORM>(p, column, row);
  }
}

/* On the plane y is 0. */
template <int METRIC>
__device__ static inline double distance_of(const measuring &a, const place &q, const place &s, bool *open) {
  *open = false;
  if constexpr (METRIC == GV_GEODESIC) {
    const double from[3] = {q.x, q.y, q.z}, to[3] = {s.x, s.y, s.z};
    gv_solution solution;
    gv_solve(&a.series, from, to, &solution);
    *open = !gv_is_solved(&a.series, &solution);
    return solution.length;
  } else if constexpr (METRIC == GV_GREAT_CIRCLE) {
    double x = q.x - s.x, y = q.y - s.y, z = q.z - s.z;
    return gv_arc_of_chord2(a.radius, x * x + y * y + z * z);
  } else {
    double d = gv_norm_join(METRIC, gv_norm_of(METRIC, q.x - s.x), gv_norm_of(METRIC, q.z - s.z));
    return METRIC == GV_EUCLIDEAN ? sqrt(d) : d;
  }
}

__device__ static inline void hand_over(const measuring &a, measured *found, int64_t column, int64_t row,
                                        int64_t at, int32_t seed) {
  unsigned long long number = atomicAdd(&found->open, 1ULL);
  if (number < GV_CUDA_OPEN_PAIRS) a.open[number] = {column, row, at, seed, 0};
}

template <int FORM, int METRIC, class REAL>
__global__ void __launch_bounds__(128)
    measure_cells(const __grid_constant__ problem p, const __grid_constant__ measuring a, measured *found) {
  const gv_strip_measure &m = a.m;
  const int64_t c = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= m.columns) return;
  REAL *const out = (REAL *)m.distance;
  for (int64_t r = blockIdx.y; r < m.rows; r += gridDim.y) {
    const place q = cell_place<FORM>(p, m.column + c, m.row + r);
    for (int32_t band = 0; band < m.bands; band++) {
      const int32_t seed = __ldcs(m.seed + band * m.band_stride + r * m.stride + c);
      const int64_t at = band * m.out_band_stride + r * m.out_stride + c;
      double distance = __longlong_as_double(0x7ff8000000000000LL); /* as processors write it */
      if (seed >= a.total) {
        atomicMax(&found->beyond, seed);
      } else if (seed >= 0) {
        bool open;
        const int32_t number = a.distinct != NULL ? __ldg(a.distinct + seed) : seed;
        distance = distance_of<METRIC>(a, q, seed_place(p.seeds, number), &open);
        if (METRIC == GV_GEODESIC && open) hand_over(a, found, m.column + c, m.row + r, at, seed);
      }
      REAL value = (REAL)distance;
      if (sizeof(REAL) == sizeof(float) && seed < 0) value = (REAL)__int_as_float(0x7fc00000);
      __stcs(out + at, value);
    }
  }
}

template <class REAL>
__global__ void write_answers(REAL *out, const gv_open_pair *pair, const double *value, int64_t count) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[pair[i].at] = (REAL)value[i];
}

} // namespace gv

enum { PINNED_MEASURED = PINNED_COUNTERS, PINNED_PAIRS = PINNED_OPEN }; /* no strip is at work meanwhile */
static_assert(sizeof(gv::measured) <= sizeof(gv::counters), "room for what is counted");

template <int FORM, int METRIC>
static void launch_for(const gv_cuda_raster *raster, const gv::measuring *a, gv::measured *found) {
  const gv_strip_measure *m = &a->m;
  const dim3 blocks(blocks_for(m->columns, 128), (unsigned)(m->rows < 65535 ? m->rows : 65535));
  if (m->type == GV_FLOAT32) {
    gv::measure_cells<FORM, METRIC, float><<<blocks, 128, 0, raster->lane->stream>>>(raster->problem, *a, found);
  } else {
    gv::measure_cells<FORM, METRIC, double><<<blocks, 128, 0, raster->lane->stream>>>(raster->problem, *a, found);
  }
}

template <int FORM>
static void launch_globe(const gv_cuda_raster *raster, const gv::measuring *a, gv::measured *found) {
  if (raster->v->cells.metric == GV_GEODESIC) {
    launch_for<FORM, GV_GEODESIC>(raster, a, found);
  } else {
    launch_for<FORM, GV_GREAT_CIRCLE>(raster, a, found);
  }
}

template <int FORM>
static void launch_plane(const gv_cuda_raster *raster, const gv::measuring *a, gv::measured *found) {
  if (raster->v->cells.metric == GV_EUCLIDEAN) {
    launch_for<FORM, GV_EUCLIDEAN>(raster, a, found);
  } else if (raster->v->cells.metric == GV_MANHATTAN) {
    launch_for<FORM, GV_MANHATTAN>(raster, a, found);
  } else {
    launch_for<FORM, GV_CHEBYSHEV>(raster, a, found);
  }
}

static void launch(const gv_cuda_raster *raster, const gv::measuring *a, gv::measured *found) {
  switch (raster->form) {
  case gv::PLANE:
    launch_plane<gv::PLANE>(raster, a, found);
    break;
  case gv::ROTATED:
    launch_plane<gv::ROTATED>(raster, a, found);
    break;
  case gv::GLOBE:
    launch_globe<gv::GLOBE>(raster, a, found);
    break;
  case gv::TRIANGLES:
    launch_globe<gv::TRIANGLES>(raster, a, found);
    break;
  default:
    launch_globe<gv::MESH>(raster, a, found);
  }
}

/* Which seeds share a place. */
static gv_status put_distinct(gv_context *context, gv_cuda_raster *raster, const int32_t **out) {
  const gv_seed_set *seeds = &raster->v->seeds;
  size_t bytes = (size_t)seeds->total * sizeof(int32_t);
  void *memory = NULL;
  *out = NULL;
  if (seeds->distinct == NULL) return GV_OK;
  gv_status status = gv_cuda_reserve(context, raster->lane, SLOT_DISTINCT, bytes, &memory);
  if (status == GV_OK) {
    status = gv_cuda_result(
        context, cudaMemcpyAsync(memory, seeds->distinct, bytes, cudaMemcpyHostToDevice, raster->lane->stream),
        "copying the seeds");
  }
  *out = (const int32_t *)memory;
  return status;
}

extern "C" gv_status gv_cuda_raster_distances(gv_context *context, gv_cuda_raster *raster,
                                              const gv_strip_measure *m, double radius, gv_open_pairs *open) {
  const gv_voronoi *v = raster->v;
  gv_cuda_lane *lane = raster->lane;
  gv::measuring a = {};
  gv::measured *found = NULL, *counted = NULL;
  void *pairs = NULL, *listed = NULL;
  size_t bytes = 0;
  memset(open, 0, sizeof *open);
  a.m = *m;
  a.total = v->seeds.total;
  a.radius = radius;
  a.series = v->geodesic.series;
  gv_status status = put_distinct(context, raster, &a.distinct);
  if (status == GV_OK) status = gv_cuda_reserve_counters(context, lane);
  if (status == GV_OK) status = gv_cuda_reserve(context, lane, SLOT_MEASURED, sizeof *found, (void **)&found);
  if (status == GV_OK && v->cells.metric == GV_GEODESIC)
    status = gv_cuda_reserve(context, lane, SLOT_PAIRS, GV_CUDA_OPEN_PAIRS * sizeof *a.open, &pairs);
  if (status != GV_OK) return status;
  a.open = (gv_open_pair *)pairs;
  counted = (gv::measured *)lane->pinned[PINNED_MEASURED].data;
  GV_CUDA_TRY(context, cudaMemsetAsync(found, 0, sizeof *found, lane->stream), "measuring");
  gv_cuda_mark_begin(lane);
  launch(raster, &a, found);
  GV_CUDA_LAUNCHED(context, "measuring");
  gv_cuda_mark_end(lane);
  GV_CUDA_TRY(context, cudaMemcpyAsync(counted, found, sizeof *found, cudaMemcpyDeviceToHost, lane->stream),
              "measuring");
  status = gv_cuda_wait(context, lane, "measuring");
  if (status != GV_OK) goto done;
  if (counted->beyond > 0)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "there is no seed %d", (int)counted->beyond);
  open->count = (int64_t)counted->open;
  if (open->count == 0 || open->count > GV_CUDA_OPEN_PAIRS) return GV_OK;
  bytes = (size_t)open->count * sizeof(gv_open_pair);
  status = gv_cuda_reserve_pinned(context, lane, PINNED_PAIRS, bytes, &listed);
  if (status != GV_OK) goto done;
  GV_CUDA_TRY(context, cudaMemcpyAsync(listed, pairs, bytes, cudaMemcpyDeviceToHost, lane->stream),
              "reading open cells");
  GV_CUDA_TRY(context, cudaStreamSynchronize(lane->stream), "reading open cells");
  open->pair = (const gv_open_pair *)listed;
done:
  return status;
}

extern "C" gv_status gv_cuda_raster_answer(gv_context *context, gv_cuda_raster *raster, const gv_strip_measure *m,
                                           const double *value, int64_t count) {
  gv_cuda_lane *lane = raster->lane;
  void *values = NULL;
  const gv_open_pair *pairs = (const gv_open_pair *)lane->buffer[SLOT_PAIRS].data; /* still there */
  unsigned blocks = blocks_for(count, 256);
  gv_status status = gv_cuda_reserve(context, lane, SLOT_ANSWERS, (size_t)count * sizeof *value, &values);
  if (status != GV_OK) return status;
  GV_CUDA_TRY(context,
              cudaMemcpyAsync(values, value, (size_t)count * sizeof *value, cudaMemcpyHostToDevice, lane->stream),
              "writing decisions");
  if (m->type == GV_FLOAT32) {
    gv::write_answers<<<blocks, 256, 0, lane->stream>>>((float *)m->distance, pairs, (const double *)values, count);
  } else {
    gv::write_answers<<<blocks, 256, 0, lane->stream>>>((double *)m->distance, pairs, (const double *)values,
                                                        count);
  }
  GV_CUDA_LAUNCHED(context, "writing decisions");
  status = gv_cuda_wait(context, lane, "writing decisions");
done:
  return status;
}
