/*
 * QTM cells on a GPU: positions and bounds as cells/mesh.c makes them, in the same order of operations, hence the same
 * bits; and the leaves. A sub-triangle is one run of cell numbers, so that levels of sub-triangles are levels of runs of
 * 4^bits cells (log = 2 bits), and everything else is as for rasters.
 *
 * A leaf is a run of 1,024 cells, one a warp. If several seeds are left after culling, each lane culls for one run of 64 of
 * them; the warp decides runs that stay open cell by cell, canonically. Nothing is filtered in float: few cells are decided
 * (runs of 64 hug the borders), and making their positions costs more than comparing them.
 */
#ifndef GV_MESH_KERNELS_CUH
#define GV_MESH_KERNELS_CUH

#include "voronoi/cuda/raster_kernels.cuh"

namespace gv {

enum { POLE, WEST, EAST };
enum { PATCH_LOG = 6, LEAF_LOG = 10, MESH_STAGE = 128 };

/* gv_mesh_part, without what only the host needs. */
struct part {
  int32_t bits, octant;
  int32_t least[3];
  int32_t basis[3];
  bool down;
};

__device__ static inline part part_of_octant(int32_t level, int32_t octant) {
  bool west_is_2 = octant % 2 != 0;
  part made = {level, octant, {0, 0, 0}, {1, west_is_2 ? 2 : 3, west_is_2 ? 3 : 2}, false};
  return made;
}

__device__ static inline part child_of(const part &above, int32_t child) {
  part made = above;
  made.bits = above.bits - 1;
  int32_t half = 1 << made.bits;
  if (child == 0) {
    made.down = !above.down;
#pragma unroll
    for (int axis = 0; axis < 3; axis++)
      made.least[axis] += above.down ? half : 0;
    return made;
  }
#pragma unroll
  for (int role = 0; role < 3; role++) {
    bool here = above.basis[role] == child;
    int a = (role + 1) % 3, b = (role + 2) % 3;
    made.least[role] += here != above.down ? half : 0;
    if (here) {
      made.basis[a] = above.basis[b];
      made.basis[b] = above.basis[a];
    }
  }
  return made;
}

/* Sub-triangle `index` of those of 2^bits cells a side. */
__device__ static part part_at(int32_t level, int32_t bits, int64_t index) {
  int32_t depth = level - bits;
  part made = part_of_octant(level, 1 + (int32_t)(index >> 2 * depth));
  for (int32_t d = depth - 1; d >= 0; d--)
    made = child_of(made, (int32_t)(index >> 2 * d & 3));
  return made;
}

/* sincos_lanes of cells/globe_kernels_body.h. */
__device__ static void sincos_degrees(double degrees, double *sine, double *cosine) {
  const double magic = 6755399441055744.0;
  double quadrant = (degrees * (1.0 / 90.0) + magic) - magic;
  double r = (degrees - quadrant * 90.0) * (3.14159265358979323846 / 180.0), u = r * r;
  double p = 0x1.5e0b05bff20f2p-33;
  p = p * u + -0x1.ae600aca92c64p-26;
  p = p * u + 0x1.71de379654304p-19;
  p = p * u + -0x1.a01a019e83816p-13;
  p = p * u + 0x1.1111111110bb2p-7;
  p = p * u + -0x1.5555555555555p-3;
  double s = r + (r * u) * p;
  double q = -0x1.907d8f29fe831p-37;
  q = q * u + 0x1.1eeb68cd22f56p-29;
  q = q * u + -0x1.27e4fa17bf139p-22;
  q = q * u + 0x1.a01a019f4e9b4p-16;
  q = q * u + -0x1.6c16c16c16967p-10;
  q = q * u + 0x1.5555555555555p-5;
  double half = u * 0.5, w = 1.0 - half, c = w + (((1.0 - w) - half) + (u * u) * q);
  double size = fabs(quadrant), backward = size > 1.5 ? -1.0 : 1.0;
  bool odd = fabs(size - 1.0) < 0.5;
  *sine = (odd ? c : s) * (quadrant < -0.5 ? -1.0 : backward) + 0.0;
  *cosine = (odd ? s : c) * (quadrant > 0.5 ? -1.0 : backward) + 0.0;
}

/* meridian_lanes of the same file. */
__device__ static inline void meridian(double eccentricity2, double sine, double cosine, double *p, double *z) {
  if (eccentricity2 < 0.0) {
    *p = cosine;
    *z = sine;
    return;
  }
  double n = 1.0 / sqrt(1.0 - (eccentricity2 * sine) * sine);
  *p = n * cosine;
  *z = (n * (1.0 - eccentricity2)) * sine;
}

/* From the octant's place on the globe to octant 1's or back: a vector of octant 1, turned. */
__device__ static inline place turned(int32_t octant, const place &from) {
  int32_t quarter = (octant - 1) % 4;
  place to = from;
  if (quarter != 0) {
    to.x = quarter == 1 ? 0.0 - from.y : quarter == 2 ? 0.0 - from.x : from.y;
    to.y = quarter == 1 ? from.x : quarter == 2 ? 0.0 - from.y : 0.0 - from.x;
  }
  if (octant > 4) to.z = 0.0 - from.z;
  return to;
}

/* The canonical position of a cell (a part of one cell): the mean of its three vertices, two on one parallel and one on
 * the other, lengthened to 1. */
__device__ static place centre_of(const problem &p, const part &cell) {
  double n = (double)(1 << p.mesh_level);
  int32_t row = cell.least[WEST] + cell.least[EAST] + (cell.down ? 1 : 0), east = cell.least[EAST];
  int32_t pair = cell.down ? row : row + 1, single = cell.down ? row + 1 : row;
  double sin_pair, cos_pair, sin_single, cos_single, sin_a, cos_a, sin_b, cos_b, sin_c, cos_c;
  sincos_degrees(90.0 * (n - (double)pair) / n, &sin_pair, &cos_pair);
  sincos_degrees(90.0 * (n - (double)single) / n, &sin_single, &cos_single);
  sincos_degrees(90.0 * (double)east / (double)pair, &sin_a, &cos_a);
  sincos_degrees(90.0 * (double)(east + 1) / (double)pair, &sin_b, &cos_b);
  sincos_degrees(single == 0 ? 0.0 : 90.0 * (double)(east + (cell.down ? 1 : 0)) / (double)single, &sin_c, &cos_c);
  double x = (cos_pair * cos_a + cos_pair * cos_b) + cos_single * cos_c;
  double y = (cos_pair * sin_a + cos_pair * sin_b) + cos_single * sin_c;
  double z = (sin_pair + sin_pair) + sin_single;
  double length = sqrt((x * x + y * y) + z * z);
  place at = {x / length, y / length, z / length};
  if (p.eccentricity2 >= 0.0) {
    place unit = at;
    meridian(p.eccentricity2, unit.z, unit.x, &at.x, &at.z);
    meridian(p.eccentricity2, unit.z, unit.y, &at.y, &at.z);
  }
  return turned(cell.octant, at);
}

/* gv_mesh_bound. */
__device__ static void mesh_bound(const problem &p, const part &t, bound *out) {
  const double pi = 3.14159265358979323846;
  double n = (double)(1 << p.mesh_level), side = (double)(1 << t.bits);
  double top = (double)(t.least[WEST] + t.least[EAST] + (t.down ? 1 << t.bits : 0)), first = (double)t.least[EAST];
  double low = t.down ? first / top : first / (top + side);
  double high = t.down ? (first + side) / top : (first + side) / (top + side);
  globe_piece piece;
  double sine, cosine;
  sincos_degrees(90.0 * (n - top) / n, &sine, &cosine);
  meridian(p.eccentricity2, sine, cosine, &piece.p0, &piece.z0);
  sincos_degrees(90.0 * (n - top - side) / n, &sine, &cosine);
  meridian(p.eccentricity2, sine, cosine, &piece.p1, &piece.z1);
  sincos_degrees(90.0 * (n - top - 0.5 * side) / n, &piece.sin_lat, &piece.cos_lat);
  sincos_degrees(45.0 * (low + high), &piece.sin_lon, &piece.cos_lon);
  piece.half_width = (high - low) * (pi / 4.0);
  piece.span = side / n * (pi / 2.0);
  double stretch = 3.0 / (n * n) < 2.0 / 3.0 ? 3.0 / (n * n) : 2.0 / 3.0;
  piece.pad = 1.0 - sqrt(1.0 - stretch);
  if (p.eccentricity2 >= 0.0) piece.pad = p.eccentricity2 < 0.02 ? 1.1 * piece.pad : 10.0;
  bound_of_piece(piece, p.curvature, out);
  out->middle = turned(t.octant, out->middle);
  for (int k = 0; k < 3; k++)
    out->generator[k] = turned(t.octant, out->generator[k]);
}

template <> __device__ inline void tile_bound<MESH>(const problem &p, int log, int64_t i, int64_t j, bound *out) {
  (void)j;
  mesh_bound(p, part_at(p.mesh_level, log / 2, i), out);
}

/* A run of `count` cells, all of one label; warps fill runs of 64 and more in wide stores. */
__device__ static void fill_run(int32_t *out, int32_t count, int32_t label, int lane) {
  if (count % 4 == 0 && (reinterpret_cast<size_t>(out) & 15) == 0) {
    int4 four = make_int4(label, label, label, label);
    for (int32_t i = lane; i < count / 4; i += WARP)
      __stcs(reinterpret_cast<int4 *>(out) + i, four);
  } else {
    for (int32_t i = lane; i < count; i += WARP)
      out[i] = label;
  }
}

/* One lane: the only seed that can own a cell of a part, or -1. */
template <bool GEODESIC>
__device__ static int32_t only_candidate(const problem &p, const part &t, const int32_t *list, int32_t candidates) {
  bound b;
  mesh_bound(p, t, &b);
  double least = CUDART_INF;
  int32_t nearest = list[0];
  for (int32_t n = 0; n < candidates; n++) {
    double distance = square(seed_place(p.seeds, list[n]), b.middle);
    if (distance < least) {
      least = distance;
      nearest = list[n];
    }
  }
  pivot by = make_pivot<SQUARE, GEODESIC>(p, b, nearest);
  for (int32_t n = 0; n < candidates; n++) {
    if (list[n] != nearest && !dominates<SQUARE>(p, b, by, seed_place(p.seeds, list[n]))) return -1;
  }
  return nearest;
}

/* One warp a run of 2^log cells, log <= LEAF_LOG. */
template <bool GEODESIC>
__global__ void __launch_bounds__(WARP *LEAF_WARPS, 5)
    leaf_mesh(const __grid_constant__ problem p, const __grid_constant__ level lists,
              const __grid_constant__ target t, const __grid_constant__ level leaves,
              const __grid_constant__ open_list open, counters *count) {
  __shared__ int32_t shared_stage[LEAF_WARPS][MESH_STAGE];
  const int lane = threadIdx.x % WARP;
  int32_t number = (int32_t)blockIdx.x * LEAF_WARPS + (int32_t)threadIdx.x / WARP;
  if (number >= leaves.across) return;
  const int64_t i = leaves.i0 + number, first = i << leaves.log;
  const int32_t cells = 1 << leaves.log;
  int32_t *out = t.out + (first - t.c0);
  const entry from = entry_at(lists, i >> (lists.log - leaves.log), 0);
  if (from.count < 0) return;
  if (from.count == 1) {
    fill_run(out, cells, (int32_t)from.offset, lane);
    return;
  }
  const int32_t *list = lists.pool + from.offset;
  int32_t candidates = from.count;
  const part leaf = part_at(p.mesh_level, leaves.log / 2, i);
  bound b;
  mesh_bound(p, leaf, &b);

  /* What is left of the list for this run; a list too long for the stage is used as it is. */
  int32_t *stage = shared_stage[threadIdx.x / WARP];
  const int32_t nearest = warp_nearest(p, b.middle, list, candidates, lane);
  const pivot by = make_pivot<SQUARE, GEODESIC>(p, b, nearest);
  int32_t kept = 0;
  for (int32_t from_n = 0; from_n < from.count; from_n += WARP) {
    int32_t n = from_n + lane, id = n < from.count ? list[n] : -1;
    bool keep = id >= 0 && (id == nearest || !dominates<SQUARE>(p, b, by, seed_place(p.seeds, id)));
    uint32_t who = __ballot_sync(everyone, keep);
    int32_t at = kept + __popc(who & ((1U << lane) - 1U));
    if (keep && at < MESH_STAGE) stage[at] = id;
    kept += __popc(who);
  }
  __syncwarp();
  if (kept == 1) {
    fill_run(out, cells, seed_label(p.seeds, nearest), lane);
    return;
  }
  if (kept <= MESH_STAGE) {
    list = stage;
    candidates = kept;
  }

  /* Runs of 64 cells, one a lane. */
  int32_t patch_log = leaves.log < PATCH_LOG ? leaves.log : PATCH_LOG, patches = cells >> patch_log;
  int32_t only = -1;
  if (lane < patches) {
    part patch = leaf;
    for (int32_t d = (leaves.log - patch_log) / 2 - 1; d >= 0; d--)
      patch = child_of(patch, lane >> 2 * d & 3);
    only = only_candidate<GEODESIC>(p, patch, list, candidates);
  }
  int64_t list_at = -2;
  for (int32_t patch = 0; patch < patches; patch++) {
    int32_t owner = __shfl_sync(everyone, only, patch);
    int32_t *to = out + ((int64_t)patch << patch_log);
    if (owner >= 0) {
      fill_run(to, 1 << patch_log, seed_label(p.seeds, owner), lane);
      continue;
    }
    for (int32_t cell = 0; cell < 1 << patch_log; cell += WARP) {
      bool inside = cell + lane < 1 << patch_log;
      int32_t within = (patch << patch_log) + (inside ? cell + lane : 0);
      part triangle = leaf;
      for (int32_t d = leaves.log / 2 - 1; d >= 0; d--)
        triangle = child_of(triangle, within >> 2 * d & 3);
      place at = centre_of(p, triangle);
      double best = CUDART_INF, second = CUDART_INF;
      int32_t winner = INT32_MAX;
      for (int32_t n = 0; n < candidates; n++) {
        int32_t id = list[n];
        double value = canonical<SQUARE>(at, seed_place(p.seeds, id));
        if (GEODESIC) second = fmin(second, fmax(value, best));
        if (value < best || (value == best && id < winner)) {
          best = value;
          winner = id;
        }
      }
      if (inside) to[cell + lane] = seed_label(p.seeds, winner);
      if (GEODESIC) {
        bool doubt = inside && !(second > best + geodesic_slack(p, sqrt(best)));
        if (__any_sync(everyone, doubt) && list_at == -2) {
          list_at = reserve_ids(count, open, candidates, lane);
          for (int32_t n = lane; n < candidates && list_at >= 0; n += WARP)
            open.id[list_at + n] = list[n];
        }
        if (doubt) hand_over(t, count, open, first + within, 0, list_at, candidates);
      }
    }
  }
}

} // namespace gv

#endif
