/*
 * A raster on one device: what lies where in its memory, which levels are made, launches.
 *
 * Seeds are narrowed once, when the raster is opened, down to tiles whose lists are short enough for one warp ("root"
 * level), through groups of them where there are many; each band goes on from there. Which sizes of tile are worth a level
 * is estimated (plan_levels).
 */
#include "voronoi/gpu/raster.h"

#include <math.h>
#include <string.h>

#include "search/cuda/runtime.h"
#include "search/cuda/tree.h"
#include "search/cuda/tree_curve.cuh"
#include "voronoi/gpu/canonical_kernels.cuh"
#include "voronoi/gpu/cull_kernels.cuh"
#include "voronoi/gpu/filter_kernels.cuh"
#include "voronoi/gpu/mesh_kernels.cuh"
#include "voronoi/gpu/mesh_rank_kernels.cuh"
#include "voronoi/gpu/narrow_kernels.cuh"
#include "voronoi/gpu/triangle_positions.cuh"

namespace gv {

enum { CURVE_BITS = 16 /* of a coordinate's place: fine enough for what groups are for */ };

/* Where seeds lie on a curve that fills the box from `low` on, of the size 1 / scale. */
__global__ void curve_keys(const __grid_constant__ problem p, place low, place scale, uint64_t *keys,
                           int32_t *ids) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.count) return;
  const double most = (double)((1 << CURVE_BITS) - 1);
  place s = seed_place(p.seeds, (int32_t)i);
  uint32_t cell[3] = {(uint32_t)fmin(fmax((s.x - low.x) * scale.x, 0.0) * most, most),
                      (uint32_t)fmin(fmax((s.y - low.y) * scale.y, 0.0) * most, most),
                      (uint32_t)fmin(fmax((s.z - low.z) * scale.z, 0.0) * most, most)};
  keys[i] = gv_hilbert<3>(cell, 3, CURVE_BITS);
  ids[i] = (int32_t)i;
}

/* One warp a group. */
__global__ void make_groups(const __grid_constant__ problem p, group *out) {
  const int lane = threadIdx.x % WARP;
  const int64_t number = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP, n = number * GROUP + lane;
  if (number * GROUP >= p.count) return;
  const int32_t id = p.members[n < p.count ? n : p.count - 1];
  const place s = seed_place(p.seeds, id);
  const place c = {0.5 * (warp_low(s.x) + warp_high(s.x)), 0.5 * (warp_low(s.y) + warp_high(s.y)),
                   0.5 * (warp_low(s.z) + warp_high(s.z))};
  const double distance2 = square(s, c), least = warp_low(distance2), radius = sqrt(warp_high(distance2));
  const uint32_t who = __ballot_sync(everyone, !(distance2 > least));
  const int32_t speaker = __shfl_sync(everyone, id, __ffs((int)who) - 1);
  if (lane == 0) out[number] = {c.x, c.y, c.z, radius * (1.0 + 1e-12), speaker, {0, 0, 0}};
}

/* The parallels of a mesh's vertices, from the pole. */
__global__ void make_parallels(const __grid_constant__ problem p, parallel *out) {
  int32_t row = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x), rows = 1 << p.mesh_level;
  if (row > rows) return;
  parallel made;
  sincos_degrees(90.0 * (double)(rows - row) / (double)rows, &made.sine, &made.cosine);
  meridian(p.eccentricity2, made.sine, made.cosine, &made.p, &made.z);
  out[row] = made;
}

/* Answers of the host, rank after rank, put in their places. */
__global__ void patch_cells(int32_t *out, int64_t band_stride, const int64_t *at, const int32_t *value,
                            int64_t count, int32_t neighbours) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count * neighbours) out[at[i % count] + i / count * band_stride] = value[i];
}

} // namespace gv

static_assert(sizeof(gv::open_cell) == sizeof(gv_open_cell), "the same record on both sides");
static_assert((int)GV_CUDA_MESH_LEAF == 1 << gv::LEAF_LOG, "the same leaves on both sides");

/* Buffers of the lane. */
enum {
  SLOT_SEEDS,
  SLOT_TABLES,
  SLOT_PARALLELS,
  SLOT_GROUPS,
  SLOT_MEMBERS,
  SLOT_SORT,
  SLOT_ROOT_POOL, /* two, used in turn */
  SLOT_ROOT_POOL_2,
  SLOT_ROOT_ENTRIES,
  SLOT_ROOT_ENTRIES_2,
  SLOT_WORK,
  SLOT_COUNTERS,
  SLOT_PATCH_AT,
  SLOT_PATCH_VALUE,
  SLOT_BAND, /* GV_CUDA_BANDS of each from here on */
  SLOT_POOL = SLOT_BAND + GV_CUDA_BANDS,
  SLOT_ENTRIES = SLOT_POOL + GV_CUDA_BANDS,
  SLOT_OPEN = SLOT_ENTRIES + GV_CUDA_BANDS,
  SLOT_OPEN_IDS = SLOT_OPEN + GV_CUDA_BANDS,
  SLOTS_USED = SLOT_OPEN_IDS + GV_CUDA_BANDS
};
static_assert((int)SLOTS_USED <= (int)GV_CUDA_SLOTS, "slots of a lane");

/* Page-locked buffers of the lane: what is small, then the caller's slots. */
enum { PINNED_COUNTERS, PINNED_OPEN, PINNED_OPEN_IDS, PINNED_FETCH };

enum { LONG_LIST = 768, LONG_GROUP_LIST = 192, MOST_LONG_TILES = 20000 };
enum { MOST_OPEN = 1 << 24 /* cells of a band for the host to decide: 0.7 GB of page-locked memory */ };
enum { MAX_LOG = 42, LEAST_LOG = 5, MAX_STEPS = 16 };

struct band_state {
  gv_tile cells;
  gv::target target;
  size_t pool_capacity; /* entries */
  size_t open_capacity, open_id_capacity;
  bool running;
};

/* A level of long lists, and what it makes of what. */
struct root_step {
  int log;
  gv::narrowing what;
};

struct gv_cuda_raster {
  const gv_voronoi *v;
  gv_allocator allocator;
  gv_cuda_lane *lane;
  cudaStream_t copy; /* reads back while the lane's stream computes */
  gv::problem problem;
  gv::level root;
  unsigned longest;    /* list of the root's */
  bool in_groups;      /* the root's lists are of groups */
  bool stuck;          /* no finer root can be had */
  int step[MAX_STEPS]; /* logs of the levels of a band, coarsest first; the last one's lists are for the leaves */
  int steps;
  int side_log;   /* of quads */
  int64_t bw, bh; /* of blocks in memory */
  bool filter;    /* leaves decide by bounds first */
  bool limited;   /* there is a largest distance */
  int form, norm;
  size_t pool_wanted; /* a band's pool to begin with */
  band_state band[GV_CUDA_BANDS];
};

extern "C" bool gv_cuda_raster_supports(const gv_voronoi *v) {
  /* Positions of projected grids are made by the host, and take it longer than everything else. */
  return v->weigher.weighting == GV_UNWEIGHTED && v->cells.grid.kind != GV_GRID_PROJECTED &&
         v->k <= gv::MOST_NEIGHBOURS;
}

/* ------------------------------------------------------------------------------------------------------ launches */

/* Calls CALL with FORM, NORM and GEODESIC as compile-time constants. */
#define GV_BY_KIND(raster, CALL)                                                                                   \
  do {                                                                                                             \
    if ((raster)->form == gv::MESH) {                                                                              \
      if ((raster)->v->cells.metric == GV_GEODESIC) {                                                              \
        CALL(gv::MESH, gv::SQUARE, true);                                                                          \
      } else {                                                                                                     \
        CALL(gv::MESH, gv::SQUARE, false);                                                                         \
      }                                                                                                            \
    } else {                                                                                                       \
      GV_BY_RASTER_KIND(raster, CALL);                                                                             \
    }                                                                                                              \
  } while (0)
/* The same without the mesh. */
#define GV_BY_RASTER_KIND(raster, CALL)                                                                            \
  do {                                                                                                             \
    if ((raster)->form == gv::TRIANGLES) {                                                                         \
      if ((raster)->v->cells.metric == GV_GEODESIC) {                                                              \
        CALL(gv::TRIANGLES, gv::SQUARE, true);                                                                     \
      } else {                                                                                                     \
        CALL(gv::TRIANGLES, gv::SQUARE, false);                                                                    \
      }                                                                                                            \
    } else if ((raster)->form == gv::GLOBE) {                                                                      \
      if ((raster)->v->cells.metric == GV_GEODESIC) {                                                              \
        CALL(gv::GLOBE, gv::SQUARE, true);                                                                         \
      } else {                                                                                                     \
        CALL(gv::GLOBE, gv::SQUARE, false);                                                                        \
      }                                                                                                            \
    } else if ((raster)->form == gv::PLANE) {                                                                      \
      GV_BY_NORM((raster)->norm, gv::PLANE, CALL);                                                                 \
    } else {                                                                                                       \
      GV_BY_NORM((raster)->norm, gv::ROTATED, CALL);                                                               \
    }                                                                                                              \
  } while (0)
#define GV_BY_NORM(norm, FORM, CALL)                                                                               \
  do {                                                                                                             \
    if ((norm) == gv::SQUARE) {                                                                                    \
      CALL(FORM, gv::SQUARE, false);                                                                               \
    } else if ((norm) == gv::SUM) {                                                                                \
      CALL(FORM, gv::SUM, false);                                                                                  \
    } else {                                                                                                       \
      CALL(FORM, gv::LARGEST, false);                                                                              \
    }                                                                                                              \
  } while (0)

/* Calls CALL with as many ranks as a leaf keeps: at least k, and one more for geodesics (in_doubt looks at it). */
#define GV_BY_RANKS(k, GEODESIC, CALL, ...)                                                                        \
  do {                                                                                                             \
    if ((k) == 1) {                                                                                                \
      CALL(1, __VA_ARGS__, GEODESIC);                                                                              \
    } else if ((k) <= 4) {                                                                                         \
      CALL(4 + ((GEODESIC) ? 1 : 0), __VA_ARGS__, GEODESIC);                                                       \
    } else if ((k) <= 8) {                                                                                         \
      CALL(8 + ((GEODESIC) ? 1 : 0), __VA_ARGS__, GEODESIC);                                                       \
    } else {                                                                                                       \
      CALL(gv::MOST_NEIGHBOURS + ((GEODESIC) ? 1 : 0), __VA_ARGS__, GEODESIC);                                     \
    }                                                                                                              \
  } while (0)

static unsigned blocks_for(int64_t items, int64_t each) {
  return (unsigned)((items + each - 1) / each);
}

static int64_t ceil_shift(int64_t value, int log) {
  return (value + ((int64_t)1 << log) - 1) >> log;
}

static int64_t tiles_of(int64_t width, int64_t height, int log) {
  return ceil_shift(width, log) * ceil_shift(height, log);
}

/* The tiles of a level that touch a rectangle of cells. */
static gv::level window(const gv_tile *cells, int log) {
  gv::level l;
  memset(&l, 0, sizeof l);
  l.log = log;
  l.i0 = cells->c0 >> log;
  l.j0 = cells->r0 >> log;
  l.across = (int32_t)(ceil_shift(cells->c1, log) - l.i0);
  l.down = (int32_t)(ceil_shift(cells->r1, log) - l.j0);
  return l;
}

static int64_t window_tiles(const gv::level *l) {
  return (int64_t)l->across * l->down;
}

/* ---------------------------------------------------------------------------------------------------------- plan */

/* The mean distance between neighbouring seeds, in cells, if they are spread evenly. */
static double spacing(const gv_voronoi *v) {
  return sqrt((double)v->cells.grid.width * (double)v->cells.grid.height / (double)v->seeds.count);
}

/* The side of the tiles of a level, in cells. On the mesh a tile is a run of 2^log cells. */
static double side_of(const gv_voronoi *v, int log) {
  return v->cells.grid.kind == GV_GRID_QTM ? sqrt(ldexp(1.0, log)) : ldexp(1.0, log);
}

/* About how many candidates a tile of a level has: the seeds in it and a ring of neighbours. */
static double list_length(const gv_voronoi *v, int log) {
  double n = (double)v->seeds.count, across = side_of(v, log) / spacing(v) + 2.0;
  double length = across * across + (double)(v->k - 1);
  return length < n ? length : n;
}

/* The same of groups: they are about as wide as sqrt(GROUP) seeds, and one is kept for any of its seeds. */
static double group_list_length(const gv_voronoi *v, int log) {
  double n = ceil((double)v->seeds.count / gv::GROUP);
  double across = side_of(v, log) / (spacing(v) * sqrt((double)gv::GROUP)) + 3.0;
  double length = across * across + (double)(v->k - 1);
  return length < n ? length : n;
}

/* The share of tiles that have more than one candidate: those that a border between two seeds goes through. */
static double mixed_share(const gv_voronoi *v, int log) {
  double share = 2.5 * side_of(v, log) / spacing(v);
  return v->k > 1 || share > 1.0 ? 1.0 : share;
}

/* Microseconds of one step of narrowing, from lists of tiles of 2^parent cells a side (`from` candidates) to the tiles of
 * a level. Cycles measured on one H200, good enough to choose by anywhere. */
static double short_cost(const gv_cuda_raster *raster, int parent, double from, int log) {
  const gv_grid *grid = &raster->v->cells.grid;
  double tiles = (double)tiles_of(grid->width, grid->height, log), rounds = ceil(from / 32.0);
  double passes = (1.0 + raster->v->k) / 2.0, mixed = mixed_share(raster->v, parent);
  double cycles = tiles * (mixed * (1200.0 + 500.0 * rounds * passes) + (1.0 - mixed) * 150.0);
  /* Seeds in clusters: some lists are much longer than most, and one warp's time is the least it takes. */
  double work = cycles / (4.0 * raster->lane->multiprocessors) / 1700.0, tail = 3.0 + 50.0 * rounds * passes;
  return 4.0 + (work > tail ? work : tail);
}

/* The same for many blocks a tile. */
static double long_cost(const gv_cuda_raster *raster, double from, int log) {
  const gv_grid *grid = &raster->v->cells.grid;
  double tiles = (double)tiles_of(grid->width, grid->height, log);
  return 40.0 + tiles * from * (4.0 + raster->v->k) * 8.0 / (4.0 * raster->lane->multiprocessors) / 1700.0 +
         0.05 * tiles;
}

static double leaf_cost(const gv_cuda_raster *raster, int parent, double from, int side_log) {
  const gv_grid *grid = &raster->v->cells.grid;
  double quads = (double)tiles_of(grid->width, grid->height, side_log), cells = (double)grid->width * grid->height;
  double mixed = mixed_share(raster->v, parent), cycles;
  if (raster->form == gv::MESH && raster->filter) {
    /* Candidates are looked through first; many leaves are filled after that. */
    cycles = quads * (mixed * (900.0 + 300.0 * ceil(from / 32.0)) + (1.0 - mixed) * 100.0);
  } else if (raster->filter) {
    cycles = quads * (mixed * (1000.0 + 300.0 * ceil(from / 32.0)) + (1.0 - mixed) * 100.0);
  } else {
    double positions = raster->form == gv::MESH || raster->form == gv::TRIANGLES ? 800.0 : 0.0;
    cycles = mixed * cells / 32.0 * (from * 60.0 + positions);
  }
  return cycles / (4.0 * raster->lane->multiprocessors) / 1700.0;
}

/* The level at which the whole grid is one tile. */
static int top_log(const gv_voronoi *v) {
  if (v->cells.grid.kind == GV_GRID_QTM) return 2 * v->cells.grid.level + 3;
  int top = LEAST_LOG;
  while (top < MAX_LOG && tiles_of(v->cells.grid.width, v->cells.grid.height, top) > 1)
    top++;
  return top;
}

/* Sorting seeds along the curve, and what comes with it. */
static double grouping_cost(const gv_voronoi *v) {
  return 80.0 + 2e-4 * (double)v->seeds.count;
}

/* Whether there may be groups: bounds for balls are for squared distances, and the sort needs memory. */
static bool may_group(const gv_cuda_raster *raster) {
  int64_t n = raster->v->seeds.count;
  return raster->norm == gv::SQUARE && n > 2 * gv::GROUP && n < INT32_MAX / 2 &&
         (size_t)n < raster->lane->memory_bytes / 512;
}

/* Chooses the side of quads, the levels of the root (coarsest first, into `root`) and of bands. Dynamic programming over
 * levels: first steps by long lists, of groups (if allowed) and then of seeds, then steps by short ones, then leaves. */
static int plan_levels(gv_cuda_raster *raster, bool groups, root_step *root) {
  const gv_voronoi *v = raster->v;
  int top = top_log(v), roots = 0, side_log = 5, levels = 0, log[MAX_LOG + 1];
  if (raster->form == gv::MESH) {
    /* Sub-triangles only, and above them the whole mesh. */
    int octant = 2 * v->cells.grid.level;
    side_log = octant < (int)gv::LEAF_LOG ? octant : (int)gv::LEAF_LOG;
    for (int l = side_log; l <= octant; l += 2)
      log[levels++] = l;
    log[levels++] = top;
  } else {
    /* Large quads share more of what each costs, small ones have fewer candidates. */
    if (raster->filter && 64.0 < 0.7 * spacing(v) && raster->bw % 64 == 0 && raster->bh % 64 == 0 && top >= 6)
      side_log = 6;
    if (raster->filter && 32.0 > 1.6 * spacing(v)) side_log = 4;
    for (int l = side_log; l <= top; l++)
      log[levels++] = l;
  }
  raster->side_log = side_log;
  /* By place in `log`; at the last one there is one tile with all seeds. */
  double fine[MAX_LOG + 1], coarse[MAX_LOG + 1], grouped[MAX_LOG + 1];
  int fine_next[MAX_LOG + 1], coarse_next[MAX_LOG + 1], grouped_next[MAX_LOG + 1];
  bool ungroups[MAX_LOG + 1];
  for (int i = 0; i < levels; i++) {
    double from = i == levels - 1 ? (double)v->seeds.count : list_length(v, log[i]);
    fine[i] = leaf_cost(raster, log[i], from, side_log);
    fine_next[i] = -1;
    for (int next = 0; next < i; next++) {
      double cost = short_cost(raster, log[i], from, log[next]) + fine[next];
      if (cost < fine[i]) fine[i] = cost, fine_next[i] = next;
    }
    coarse[i] = fine[i];
    coarse_next[i] = -1;
    for (int next = 0; next < i; next++) {
      double cost = long_cost(raster, from, log[next]) + coarse[next];
      if (cost < coarse[i]) coarse[i] = cost, coarse_next[i] = next;
    }
    double group_lists = i == levels - 1 ? ceil((double)v->seeds.count / gv::GROUP) : group_list_length(v, log[i]);
    grouped[i] = INFINITY;
    for (int next = 0; next <= i && next < levels - 1; next++) {
      double cost = long_cost(raster, gv::GROUP * group_lists, log[next]) + coarse[next];
      if (cost < grouped[i]) grouped[i] = cost, grouped_next[i] = next, ungroups[i] = true;
      if (next == i) continue;
      cost = long_cost(raster, group_lists, log[next]) + grouped[next];
      if (cost < grouped[i]) grouped[i] = cost, grouped_next[i] = next, ungroups[i] = false;
    }
  }
  int at = levels - 1;
  bool in_groups = groups && grouped[at] + grouping_cost(v) < coarse[at];
  while (in_groups && roots < MAX_STEPS) {
    in_groups = !ungroups[at];
    at = grouped_next[at];
    root[roots++] = {log[at], in_groups ? gv::GROUPS : gv::MEMBERS};
  }
  for (; coarse_next[at] >= 0 && roots < MAX_STEPS; at = coarse_next[at])
    root[roots++] = {log[coarse_next[at]], gv::SEEDS};
  raster->steps = 0;
  for (; fine_next[at] >= 0 && raster->steps < MAX_STEPS; at = fine_next[at])
    raster->step[raster->steps++] = log[fine_next[at]];
  return roots;
}

/* The next finer level of long lists; -1 if there is none. */
static int finer_root(const gv_cuda_raster *raster) {
  int next = raster->root.log - (raster->form == gv::MESH ? 2 : 1);
  bool whole_mesh = raster->form == gv::MESH && raster->root.log % 2 != 0;
  if (whole_mesh || next < raster->side_log) return -1;
  /* Several blocks a tile are too much for many tiles, most of which have short lists. */
  return tiles_of(raster->problem.width, raster->problem.height, next) <= MOST_LONG_TILES ? next : -1;
}

/* Bands begin below the root. */
static void drop_steps(gv_cuda_raster *raster) {
  int kept = 0;
  for (int i = 0; i < raster->steps; i++) {
    if (raster->step[i] < raster->root.log) raster->step[kept++] = raster->step[i];
  }
  raster->steps = kept;
}

/* ---------------------------------------------------------------------------------------------------------- root */

/* Sorts the seeds into groups. */
static gv_status make_groups(gv_context *context, gv_cuda_raster *raster) {
  gv_status status;
  gv_cuda_lane *lane = raster->lane;
  const gv_seed_set *seeds = &raster->v->seeds;
  const double *const axis[3] = {seeds->x, seeds->z != NULL ? seeds->y : NULL,
                                 seeds->z != NULL ? seeds->z : seeds->y};
  double low[3] = {0.0, 0.0, 0.0}, scale[3] = {0.0, 0.0, 0.0};
  int64_t n = seeds->count, groups = (n + gv::GROUP - 1) / gv::GROUP;
  void *keys_memory = NULL, *ids_memory = NULL, *memory = NULL;
  for (int d = 0; d < 3; d++) {
    if (axis[d] == NULL) continue;
    double high = low[d] = axis[d][0];
    for (int64_t i = 1; i < n; i++) {
      low[d] = axis[d][i] < low[d] ? axis[d][i] : low[d];
      high = axis[d][i] > high ? axis[d][i] : high;
    }
    scale[d] = high > low[d] ? 1.0 / (high - low[d]) : 0.0;
  }
  status = gv_cuda_reserve(context, lane, SLOT_WORK, 2 * (size_t)n * sizeof(uint64_t), &keys_memory);
  if (status == GV_OK)
    status = gv_cuda_reserve(context, lane, SLOT_MEMBERS, 2 * (size_t)n * sizeof(int32_t), &ids_memory);
  if (status == GV_OK)
    status = gv_cuda_reserve(context, lane, SLOT_GROUPS, (size_t)groups * sizeof(gv::group), &memory);
  if (status != GV_OK) return status;
  uint64_t *keys[2] = {(uint64_t *)keys_memory, (uint64_t *)keys_memory + n};
  int *ids[2] = {(int *)ids_memory, (int *)ids_memory + n};
  gv_cuda_mark_begin(lane);
  gv::curve_keys<<<blocks_for(n, 256), 256, 0, lane->stream>>>(raster->problem, {low[0], low[1], low[2]},
                                                               {scale[0], scale[1], scale[2]}, keys[0], ids[0]);
  GV_CUDA_LAUNCHED(context, "grouping the seeds");
  status = gv_tree_sort_64(context, lane, SLOT_SORT, keys, ids, (int)n, 3 * gv::CURVE_BITS);
  if (status != GV_OK) return status;
  raster->problem.members = ids[0];
  gv::make_groups<<<blocks_for(groups * gv::WARP, 256), 256, 0, lane->stream>>>(raster->problem,
                                                                                (gv::group *)memory);
  GV_CUDA_LAUNCHED(context, "grouping the seeds");
  gv_cuda_mark_end(lane);
  raster->problem.groups = (const gv::group *)memory;
done:
  return status;
}

/* The whole grid as one tile that holds all seeds, or all groups of them. */
static gv_status make_whole(gv_context *context, gv_cuda_raster *raster, bool in_groups) {
  gv_status status;
  void *pool = NULL, *entries = NULL;
  int32_t count = raster->v->seeds.count;
  if (in_groups) count = (count + gv::GROUP - 1) / gv::GROUP;
  status = gv_cuda_reserve(context, raster->lane, SLOT_ROOT_POOL, (size_t)count * sizeof(int32_t), &pool);
  if (status == GV_OK) {
    status = gv_cuda_reserve(context, raster->lane, SLOT_ROOT_ENTRIES, sizeof(gv::entry), &entries);
  }
  if (status != GV_OK) return status;
  gv_tile cells = {0, 1, 0, 1};
  raster->root = window(&cells, top_log(raster->v));
  raster->root.entries = (gv::entry *)entries;
  raster->root.pool = (const int32_t *)pool;
  raster->longest = (unsigned)count;
  raster->in_groups = in_groups;
  raster->stuck = false;
  gv::whole_list<<<blocks_for(count, 256), 256, 0, raster->lane->stream>>>(raster->problem, (int32_t *)pool, count,
                                                                           raster->root.entries);
  GV_CUDA_LAUNCHED(context, "listing the seeds");
done:
  return status;
}

/* How long all lists of a level may be together. Seeds that cannot be told apart from far away (many within a cell, say,
 * and none elsewhere) stay in the lists of all tiles: such grids are the CPU's, which goes depth first. */
static int64_t most_entries(const gv_cuda_raster *raster) {
  return (int64_t)(raster->lane->memory_bytes / 64);
}

/* The passes of a step; which lists it is about is a constant to the kernels. */
template <int FORM, int WHAT>
static void launch_pivots(const gv_cuda_raster *raster, dim3 grid, const gv::level *parent, const gv::level *child,
                          const gv::tile_work *work, int32_t number) {
  gv::long_pivot<FORM, WHAT>
      <<<grid, gv::LONG_THREADS, 0, raster->lane->stream>>>(raster->problem, *parent, *child, *work, number);
}

template <int FORM>
static void launch_pivots(const gv_cuda_raster *raster, gv::narrowing what, dim3 grid, const gv::level *parent,
                          const gv::level *child, const gv::tile_work *work, int32_t number) {
  if (what == gv::SEEDS) {
    launch_pivots<FORM, gv::SEEDS>(raster, grid, parent, child, work, number);
  } else if (what == gv::GROUPS) {
    launch_pivots<FORM, gv::GROUPS>(raster, grid, parent, child, work, number);
  } else {
    launch_pivots<FORM, gv::MEMBERS>(raster, grid, parent, child, work, number);
  }
}

template <int FORM, int NORM, bool GEODESIC>
static void launch_count(const gv_cuda_raster *raster, gv::narrowing what, dim3 grid, const gv::level *parent,
                         const gv::level *child, const gv::tile_work *work) {
  const gv::problem &p = raster->problem;
  cudaStream_t stream = raster->lane->stream;
  if (what == gv::SEEDS) {
    gv::long_count<FORM, NORM, GEODESIC, gv::SEEDS>
        <<<grid, gv::LONG_THREADS, 0, stream>>>(p, *parent, *child, *work);
  } else if constexpr (NORM == gv::SQUARE) { /* see may_group */
    if (what == gv::GROUPS) {
      gv::long_count<FORM, NORM, GEODESIC, gv::GROUPS>
          <<<grid, gv::LONG_THREADS, 0, stream>>>(p, *parent, *child, *work);
    } else {
      gv::long_count<FORM, NORM, GEODESIC, gv::MEMBERS>
          <<<grid, gv::LONG_THREADS, 0, stream>>>(p, *parent, *child, *work);
    }
  }
}

template <int WHAT>
static void launch_place(const gv_cuda_raster *raster, dim3 grid, const gv::level *parent, const gv::level *child,
                         const gv::tile_work *work, gv::counters *counters) {
  gv::long_place<WHAT><<<blocks_for(grid.x, 256), 256, 0, raster->lane->stream>>>(*parent, *child, *work,
                                                                                  (int32_t)grid.y, counters);
}

template <int WHAT>
static void launch_write(const gv_cuda_raster *raster, dim3 grid, const gv::level *parent, const gv::level *child,
                         const gv::tile_work *work, int32_t *pool) {
  gv::long_write<WHAT>
      <<<grid, gv::LONG_THREADS, 0, raster->lane->stream>>>(raster->problem, *parent, *child, *work, pool);
}

#define GV_BY_WHAT(what, FUNCTION, ...)                                                                            \
  do {                                                                                                             \
    if ((what) == gv::SEEDS) {                                                                                     \
      FUNCTION<gv::SEEDS>(__VA_ARGS__);                                                                            \
    } else if ((what) == gv::GROUPS) {                                                                             \
      FUNCTION<gv::GROUPS>(__VA_ARGS__);                                                                           \
    } else {                                                                                                       \
      FUNCTION<gv::MEMBERS>(__VA_ARGS__);                                                                          \
    }                                                                                                              \
  } while (0)

/* One level of long lists, for the whole grid. Sets `stuck`, and leaves the root as it is, where lists would grow too
 * long. */
static gv_status narrow_root(gv_context *context, gv_cuda_raster *raster, const root_step *step, int turn) {
  gv_status status;
  gv_cuda_lane *lane = raster->lane;
  cudaStream_t stream = lane->stream;
  const gv_voronoi *v = raster->v;
  const gv::narrowing what = step->what;
  gv_tile all = {0, v->cells.grid.width, 0, v->cells.grid.height};
  gv::level parent = raster->root, child = window(&all, step->log);
  int64_t tiles = window_tiles(&child);
  void *entries = NULL, *work_memory = NULL, *count_memory = NULL, *pinned = NULL, *pool = NULL;
  int64_t pivots = tiles * (v->k + gv::CORNERS);
  gv::counters *counters;
  gv::tile_work work;
  /* Blocks a tile: enough to fill the device, each with a few thousand candidates at least. */
  const int64_t of_entry = what == gv::MEMBERS ? gv::GROUP : 1, longest = (int64_t)raster->longest * of_entry;
  double each =
      (double)of_entry * (raster->in_groups ? group_list_length(v, parent.log) : list_length(v, parent.log));
  int64_t split = (int64_t)(each / 2048.0) + 1, fill = 8 * (int64_t)lane->multiprocessors / tiles + 1;
  if (window_tiles(&parent) == 1) split = longest / 2048 + 1;
  if (split > fill) split = fill;
  if (split < longest / 8192) split = longest / 8192;
  if (split > 256) split = 256;
  dim3 grid((unsigned)tiles, (unsigned)split);
  size_t keys = (size_t)pivots * sizeof(unsigned long long), parts = (size_t)(tiles * split) * sizeof(uint32_t);
  int64_t words = (longest + gv::WARP - 1) / gv::WARP;
  size_t bits = (size_t)(tiles * words) * sizeof(uint32_t);

  if (words > most_entries(raster) / tiles) {
    raster->stuck = true;
    return GV_OK;
  }
  status = gv_cuda_reserve(context, lane, SLOT_ROOT_ENTRIES + turn, (size_t)tiles * sizeof(gv::entry), &entries);
  if (status == GV_OK) {
    status = gv_cuda_reserve(context, lane, SLOT_WORK, keys + parts + bits, &work_memory);
  }
  if (status == GV_OK) {
    status =
        gv_cuda_reserve(context, lane, SLOT_COUNTERS, (GV_CUDA_BANDS + 1) * sizeof(gv::counters), &count_memory);
  }
  if (status == GV_OK) {
    status =
        gv_cuda_reserve_pinned(context, lane, PINNED_COUNTERS, (GV_CUDA_BANDS + 1) * sizeof(gv::counters), &pinned);
  }
  if (status != GV_OK) return status;
  child.entries = (gv::entry *)entries;
  work.key = (unsigned long long *)work_memory;
  work.part = (uint32_t *)((char *)work_memory + keys);
  work.bits = work.part + tiles * split;
  work.words = words;
  counters = (gv::counters *)count_memory + GV_CUDA_BANDS;

  gv_cuda_mark_begin(lane);
  GV_CUDA_TRY(context, cudaMemsetAsync(counters, 0, sizeof *counters, stream), "clearing counters");
  gv::clear_work<<<blocks_for(pivots, 256), 256, 0, stream>>>(work, pivots);
  GV_CUDA_LAUNCHED(context, "narrowing the seeds");
  for (int32_t k = 0; k < v->k; k++) {
    if (raster->form == gv::MESH) {
      launch_pivots<gv::MESH>(raster, what, grid, &parent, &child, &work, k);
    } else if (raster->form == gv::GLOBE) {
      launch_pivots<gv::GLOBE>(raster, what, grid, &parent, &child, &work, k);
    } else if (raster->form == gv::TRIANGLES) {
      launch_pivots<gv::TRIANGLES>(raster, what, grid, &parent, &child, &work, k);
    } else {
      launch_pivots<gv::PLANE>(raster, what, grid, &parent, &child, &work, k);
    }
    GV_CUDA_LAUNCHED(context, "narrowing the seeds");
  }
#define GV_COUNT(FORM, NORM, GEODESIC)                                                                             \
  launch_count<FORM, NORM, GEODESIC>(raster, what, grid, &parent, &child, &work)
  GV_BY_KIND(raster, GV_COUNT);
#undef GV_COUNT
  GV_CUDA_LAUNCHED(context, "narrowing the seeds");
  GV_BY_WHAT(what, launch_place, raster, grid, &parent, &child, &work, counters);
  GV_CUDA_LAUNCHED(context, "narrowing the seeds");
  gv_cuda_mark_end(lane);
  GV_CUDA_TRY(context, cudaMemcpyAsync(pinned, counters, sizeof *counters, cudaMemcpyDeviceToHost, stream),
              "reading counters");
  status = gv_cuda_wait(context, lane, "narrowing the seeds");
  if (status != GV_OK) return status;

  if (((gv::counters *)pinned)->pool > (unsigned long long)most_entries(raster)) {
    raster->stuck = true;
    return GV_OK;
  }
  status = gv_cuda_reserve(context, lane, SLOT_ROOT_POOL + turn,
                           (size_t)((gv::counters *)pinned)->pool * sizeof(int32_t), &pool);
  if (status != GV_OK) return status;
  child.pool = (const int32_t *)pool;
  gv_cuda_mark_begin(lane);
  GV_BY_WHAT(what, launch_write, raster, grid, &parent, &child, &work, (int32_t *)pool);
  GV_CUDA_LAUNCHED(context, "narrowing the seeds");
  gv_cuda_mark_end(lane);
  raster->root = child;
  raster->in_groups = what == gv::GROUPS;
  raster->longest = ((gv::counters *)pinned)->longest;
done:
  return status;
}

/* Seeds in clusters: goes on, level by level, while a list is longer than planned. */
static gv_status narrow_further(gv_context *context, gv_cuda_raster *raster, gv::narrowing what, unsigned longest,
                                int *turn) {
  gv_status status = GV_OK;
  while (status == GV_OK && !raster->stuck && raster->longest > longest && finer_root(raster) >= 0) {
    root_step finer = {finer_root(raster), what};
    status = narrow_root(context, raster, &finer, *turn = 1 - *turn);
  }
  return status;
}

/* From all seeds to the lists that bands begin with. */
static gv_status make_root(gv_context *context, gv_cuda_raster *raster, bool groups) {
  root_step root[MAX_STEPS];
  int roots = plan_levels(raster, groups, root);
  bool in_groups = roots > 0 && root[0].what != gv::SEEDS;
  gv_status status = GV_OK;
  if (in_groups) status = make_groups(context, raster);
  if (status == GV_OK) status = make_whole(context, raster, in_groups);
  int turn = 0;
  for (int i = 0; i < roots && status == GV_OK && !raster->stuck; i++) {
    root_step step = root[i];
    if (step.what == gv::MEMBERS) {
      status = narrow_further(context, raster, gv::GROUPS, LONG_GROUP_LIST, &turn);
      if (step.log > raster->root.log) step.log = raster->root.log;
    }
    bool done = step.what == gv::SEEDS && step.log >= raster->root.log;
    if (status == GV_OK && !raster->stuck && !done) status = narrow_root(context, raster, &step, turn = 1 - turn);
  }
  if (status == GV_OK && roots > 0 && !raster->in_groups)
    status = narrow_further(context, raster, gv::SEEDS, LONG_LIST, &turn);
  drop_steps(raster);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- open */

/* Copies `count` doubles into the tables' memory and moves on. */
static gv_status put_table(gv_context *context, gv_cuda_raster *raster, const double *from, int64_t count,
                           double **at, const double **out) {
  *out = NULL;
  if (from == NULL) return GV_OK;
  gv_status status = gv_cuda_result(
      context,
      cudaMemcpyAsync(*at, from, (size_t)count * sizeof(double), cudaMemcpyHostToDevice, raster->lane->stream),
      "copying the grid's tables");
  *out = *at;
  *at += (count + 1) / 2 * 2;
  return status;
}

/* Where cells, or what cells ask for, are triangles. */
static gv_status make_parallels(gv_context *context, gv_cuda_raster *raster) {
  gv_status status;
  void *memory = NULL;
  int64_t rows = ((int64_t)1 << raster->problem.mesh_level) + 1;
  status = gv_cuda_reserve(context, raster->lane, SLOT_PARALLELS, (size_t)rows * sizeof(gv::parallel), &memory);
  if (status != GV_OK) return status;
  raster->problem.parallels = (const gv::parallel *)memory;
  gv_cuda_mark_begin(raster->lane);
  gv::make_parallels<<<blocks_for(rows, 256), 256, 0, raster->lane->stream>>>(raster->problem,
                                                                              (gv::parallel *)memory);
  GV_CUDA_LAUNCHED(context, "making the mesh's parallels");
  gv_cuda_mark_end(raster->lane);
done:
  return status;
}

/* Longitudes of columns and latitudes of rows, where a pixel's place is looked up in the mesh. */
static gv_status put_places(gv_context *context, gv_cuda_raster *raster, double **at) {
  const gv_cells *cells = &raster->v->cells;
  const double *g = cells->grid.geotransform;
  int64_t w = cells->grid.width, h = cells->grid.height;
  double *place = (double *)gv_allocate(&raster->allocator, w > h ? w : h, sizeof *place), other = 0.0;
  if (place == NULL) return gv_fail_memory(context, "the grid's tables");
  for (int64_t c = 0; c < w; c++) {
    place[c] = g[0] + ((double)c + 0.5) * g[1];
    gv_normalise_lonlat(&place[c], &other);
  }
  gv_status status = put_table(context, raster, place, w, at, &raster->problem.longitude);
  if (status == GV_OK) status = gv_cuda_wait(context, raster->lane, "copying the grid's tables");
  for (int64_t r = 0; r < h; r++)
    gv_cells_lonlat(cells, 0, r, &other, &place[r]);
  if (status == GV_OK) status = put_table(context, raster, place, h, at, &raster->problem.latitude);
  if (status == GV_OK) status = gv_cuda_wait(context, raster->lane, "copying the grid's tables");
  gv_release(&raster->allocator, place);
  return status;
}

static gv_status copy_tables(gv_context *context, gv_cuda_raster *raster) {
  const gv_cells *cells = &raster->v->cells;
  gv::problem *p = &raster->problem;
  int64_t w = cells->grid.width, h = cells->grid.height;
  void *memory = NULL;
  gv_status status = GV_OK;
  if (raster->form == gv::MESH || raster->form == gv::TRIANGLES) status = make_parallels(context, raster);
  if (status != GV_OK || raster->form == gv::MESH) return status;
  status =
      gv_cuda_reserve(context, raster->lane, SLOT_TABLES, (size_t)(6 * w + 6 * h + 64) * sizeof(double), &memory);
  if (status != GV_OK) return status;
  double *at = (double *)memory;
  bool globe = cells->shape == GV_CELLS_LONLAT;
  if (cells->shape != GV_CELLS_POINTS) {
    status = put_table(context, raster, cells->column_x, w, &at, &p->column_x);
    if (status == GV_OK) status = put_table(context, raster, cells->row_z, h, &at, &p->row_z);
  }
  if (raster->form == gv::TRIANGLES) status = put_places(context, raster, &at);
  if (globe) {
    if (status == GV_OK) status = put_table(context, raster, cells->column_y, w, &at, &p->column_y);
    if (status == GV_OK) status = put_table(context, raster, cells->row_p, h, &at, &p->row_p);
    if (status == GV_OK) status = put_table(context, raster, cells->half_cos, 2 * w, &at, &p->half_cos);
    if (status == GV_OK) status = put_table(context, raster, cells->half_sin, 2 * w, &at, &p->half_sin);
    if (status == GV_OK) status = put_table(context, raster, cells->half_sin_lat, 2 * h, &at, &p->half_sin_lat);
    if (status == GV_OK) status = put_table(context, raster, cells->half_cos_lat, 2 * h, &at, &p->half_cos_lat);
  }
  return status;
}

static gv_status copy_seeds(gv_context *context, gv_cuda_raster *raster) {
  const gv_voronoi *v = raster->v;
  int64_t n = v->seeds.count;
  void *memory = NULL;
  gv_status status;
  gv::seed *host = (gv::seed *)gv_allocate(&raster->allocator, n, sizeof *host);
  if (host == NULL) return gv_fail_memory(context, "the seeds");
  for (int64_t i = 0; i < n; i++) {
    bool globe = v->seeds.z != NULL;
    gv::seed s = {v->seeds.x[i], globe ? v->seeds.y[i] : 0.0, globe ? v->seeds.z[i] : v->seeds.y[i], v->label[i],
                  v->seeds.site != NULL ? v->seeds.site[i] : (int32_t)i};
    host[i] = s;
  }
  status = gv_cuda_reserve(context, raster->lane, SLOT_SEEDS, (size_t)n * sizeof *host, &memory);
  if (status == GV_OK) {
    status = gv_cuda_result(
        context,
        cudaMemcpyAsync(memory, host, (size_t)n * sizeof *host, cudaMemcpyHostToDevice, raster->lane->stream),
        "copying the seeds");
  }
  if (status == GV_OK) status = gv_cuda_wait(context, raster->lane, "copying the seeds");
  raster->problem.seeds = (const gv::seed *)memory;
  gv_release(&raster->allocator, host);
  return status;
}

static void describe(gv_cuda_raster *raster) {
  const gv_voronoi *v = raster->v;
  const gv_cells *cells = &v->cells;
  gv::problem *p = &raster->problem;
  const double *g = cells->grid.geotransform;
  raster->form = cells->grid.kind == GV_GRID_QTM    ? gv::MESH
                 : cells->grid.level != GV_QTM_NONE ? gv::TRIANGLES
                 : cells->shape == GV_CELLS_LONLAT  ? gv::GLOBE
                 : cells->shape == GV_CELLS_PLANE   ? gv::PLANE
                                                    : gv::ROTATED;
  raster->norm = cells->metric == GV_MANHATTAN ? gv::SUM : cells->metric == GV_CHEBYSHEV ? gv::LARGEST : gv::SQUARE;
  raster->limited = isfinite(v->beyond);
  raster->filter = raster->form == gv::MESH ? v->k == 1 && !raster->limited
                                            : (raster->form == gv::PLANE || raster->form == gv::GLOBE) &&
                                                  raster->norm == gv::SQUARE && v->k == 1;
  p->count = v->seeds.count;
  p->width = cells->grid.width;
  p->height = cells->grid.height;
  memcpy(p->geotransform, g, sizeof p->geotransform);
  p->curvature = cells->curvature;
  p->position_error = cells->position_error;
  /* Of the centres of triangles, as for the mesh. */
  if (raster->form == gv::TRIANGLES) p->position_error = fmax(p->position_error, 40.0 * 0x1p-52);
  p->mesh_level = cells->grid.level;
  p->eccentricity2 = gv_cells_geocentric(cells) ? cells->ellipsoid.eccentricity2 : -1.0;
  p->size = raster->form == gv::GLOBE ? 1.0 : 0.0;
  p->scale = 1.0;
  if (raster->form == gv::PLANE) {
    int exponent = 0;
    (void)frexp(fmax(fabs(g[1]), fabs(g[5])), &exponent);
    p->scale = ldexp(1.0, -exponent);
  }
  p->neighbours = v->k;
  p->nodata = v->nodata;
  p->limited = raster->limited;
  p->within = v->within;
  p->beyond = v->beyond;
  p->within_length = sqrt(fmax(v->within, 0.0));
  p->beyond_length = sqrt(v->beyond);
  p->r_small = v->geodesic.r_small;
  p->r_large = v->geodesic.r_large;
  p->chord2_limit = v->geodesic.chord2_limit;
  p->near_coefficient = v->geodesic.near_coefficient;
  p->near_chord2 = v->geodesic.near_chord2;
}

/* How large bands may be: two of them, and what comes with them, in two thirds of the free memory. */
static gv_status limit_band(gv_context *context, gv_cuda_raster *raster, int64_t *band_cells) {
  size_t free_bytes = 0;
  gv_status status = gv_cuda_free_bytes(context, raster->lane, &free_bytes);
  for (int slot = 0; slot < GV_CUDA_SLOTS; slot++)
    free_bytes += raster->lane->buffer[slot].bytes;
  int64_t most = (int64_t)(free_bytes / 3 / (sizeof(int32_t) * (size_t)raster->v->k));
  if (*band_cells > most) *band_cells = most;
  return status;
}

extern "C" gv_status gv_cuda_raster_open(gv_context *context, const gv_voronoi *v, int device, int64_t *band_cells,
                                         gv_cuda_raster **out) {
  gv_cuda_raster *raster = (gv_cuda_raster *)gv_allocate_zeroed(&v->allocator, 1, sizeof *raster);
  if (raster == NULL) return gv_fail_memory(context, "the engine");
  raster->v = v;
  raster->allocator = v->allocator;
  gv_status status = gv_cuda_lane_take(context, device, &raster->lane);
  if (status != GV_OK) {
    gv_release(&v->allocator, raster);
    return status;
  }
  gv_cuda_raster_block(v, &raster->bw, &raster->bh);
  describe(raster);
  GV_CUDA_TRY(context, cudaStreamCreateWithFlags(&raster->copy, cudaStreamNonBlocking), "making a CUDA stream");
  status = copy_tables(context, raster);
  if (status == GV_OK) status = copy_seeds(context, raster);
  if (status == GV_OK) status = limit_band(context, raster, band_cells);
  if (status != GV_OK) goto done;
  status = make_root(context, raster, may_group(raster));
  /* Where lists of groups grow too long, those of seeds may still be narrowed in part. */
  if (status == GV_OK && raster->in_groups) status = make_root(context, raster, false);
done:
  if (status != GV_OK) {
    gv_cuda_raster_close(context, raster);
    return status;
  }
  *out = raster;
  return GV_OK;
}

extern "C" void gv_cuda_raster_close(gv_context *context, gv_cuda_raster *raster) {
  if (raster == NULL) return;
  if (raster->copy != NULL) {
    (void)cudaStreamSynchronize(raster->copy);
    (void)cudaStreamDestroy(raster->copy);
    (void)cudaGetLastError();
  }
  gv_cuda_lane_give(context, raster->lane);
  gv_release(&raster->allocator, raster);
}

/* --------------------------------------------------------------------------------------------------------- bands */

static int64_t cells_of(const gv_tile *t) {
  return (t->c1 - t->c0) * (t->r1 - t->r0);
}

/* The kernel that suits what is asked, over the cells of a band. */
static void launch_leaves(gv_cuda_raster *raster, int number, const gv::level *lists, const gv::open_list *open,
                          gv::counters *counters) {
  const band_state *band = &raster->band[number];
  const gv::problem &p = raster->problem;
  const gv::target &t = band->target;
  const bool geodesic = raster->v->cells.metric == GV_GEODESIC;
  const gv::level quads = window(&band->cells, raster->side_log);
  const unsigned threads = gv::WARP * gv::LEAF_WARPS;
  cudaStream_t stream = raster->lane->stream;
  if (raster->form == gv::MESH) {
    unsigned blocks = blocks_for(quads.across, gv::LEAF_WARPS);
#define GV_MESH_RANKS(K, FORM, GEODESIC)                                                                           \
  gv::leaf_mesh_ranks<K, GEODESIC><<<blocks, threads, 0, stream>>>(p, *lists, t, quads, *open, counters)
    if (raster->filter && geodesic) {
      gv::leaf_mesh<true><<<blocks, threads, 0, stream>>>(p, *lists, t, quads, *open, counters);
    } else if (raster->filter) {
      gv::leaf_mesh<false><<<blocks, threads, 0, stream>>>(p, *lists, t, quads, *open, counters);
    } else if (geodesic) {
      GV_BY_RANKS(raster->v->k, true, GV_MESH_RANKS, gv::MESH);
    } else {
      GV_BY_RANKS(raster->v->k, false, GV_MESH_RANKS, gv::MESH);
    }
#undef GV_MESH_RANKS
    return;
  }
  gv::quad_window w = {quads.i0, quads.j0, quads.across, quads.down};
  unsigned blocks = blocks_for(w.across, gv::LEAF_WARPS) * (unsigned)w.down;
#define GV_FLOAT_OF(FORM, GEODESIC, SIDE, LIMITED)                                                                 \
  gv::leaf_float<FORM, GEODESIC, SIDE, LIMITED><<<blocks, threads, 0, stream>>>(p, *lists, t, w, *open, counters)
#define GV_FLOAT_BY_SIDE(FORM, GEODESIC, LIMITED)                                                                  \
  do {                                                                                                             \
    if (raster->side_log == 4) {                                                                                   \
      GV_FLOAT_OF(FORM, GEODESIC, 16, LIMITED);                                                                    \
    } else if (raster->side_log == 5) {                                                                            \
      GV_FLOAT_OF(FORM, GEODESIC, 32, LIMITED);                                                                    \
    } else {                                                                                                       \
      GV_FLOAT_OF(FORM, GEODESIC, 64, LIMITED);                                                                    \
    }                                                                                                              \
  } while (0)
#define GV_FLOAT(FORM, GEODESIC)                                                                                   \
  do {                                                                                                             \
    if (raster->limited) {                                                                                         \
      GV_FLOAT_BY_SIDE(FORM, GEODESIC, true);                                                                      \
    } else {                                                                                                       \
      GV_FLOAT_BY_SIDE(FORM, GEODESIC, false);                                                                     \
    }                                                                                                              \
  } while (0)
#define GV_CANONICAL_OF(K, FORM, NORM, GEODESIC)                                                                   \
  gv::leaf_canonical<FORM, NORM, K, GEODESIC><<<blocks, threads, 0, stream>>>(p, *lists, t, w, *open, counters)
#define GV_CANONICAL(FORM, NORM, GEODESIC) GV_BY_RANKS(raster->v->k, GEODESIC, GV_CANONICAL_OF, FORM, NORM)
  if (!raster->filter) {
    GV_BY_RASTER_KIND(raster, GV_CANONICAL);
  } else if (raster->form == gv::PLANE) {
    GV_FLOAT(gv::PLANE, false);
  } else if (geodesic) {
    GV_FLOAT(gv::GLOBE, true);
  } else {
    GV_FLOAT(gv::GLOBE, false);
  }
#undef GV_CANONICAL
#undef GV_CANONICAL_OF
#undef GV_FLOAT
#undef GV_FLOAT_BY_SIDE
#undef GV_FLOAT_OF
}

/* Launches everything for a band; its buffers are there. */
static gv_status launch_band(gv_context *context, gv_cuda_raster *raster, int number) {
  gv_status status;
  gv_cuda_lane *lane = raster->lane;
  cudaStream_t stream = lane->stream;
  band_state *band = &raster->band[number];
  const gv::problem &p = raster->problem;
  int32_t *pool = (int32_t *)lane->buffer[SLOT_POOL + number].data;
  gv::entry *entries = (gv::entry *)lane->buffer[SLOT_ENTRIES + number].data;
  gv::counters *counters = (gv::counters *)lane->buffer[SLOT_COUNTERS].data + number;
  gv::counters *pinned = (gv::counters *)lane->pinned[PINNED_COUNTERS].data + number;
  gv::level parent = raster->root;
  gv::open_list open = {(gv::open_cell *)lane->buffer[SLOT_OPEN + number].data,
                        (int32_t *)lane->buffer[SLOT_OPEN_IDS + number].data, band->open_capacity,
                        band->open_id_capacity};
  gv_cuda_mark_begin(lane);
  GV_CUDA_TRY(context, cudaMemsetAsync(counters, 0, sizeof *counters, stream), "clearing counters");
  for (int i = 0; i < raster->steps; i++) {
    gv::level child = window(&band->cells, raster->step[i]);
    child.entries = entries;
    child.pool = pool;
    entries += window_tiles(&child);
    unsigned blocks = blocks_for(window_tiles(&child), gv::SHORT_WARPS);
#define GV_CULL(FORM, NORM, GEODESIC)                                                                              \
  gv::cull_short<FORM, NORM, GEODESIC>                                                                             \
      <<<blocks, gv::WARP * gv::SHORT_WARPS, 0, stream>>>(p, parent, child, pool, band->pool_capacity, counters)
    GV_BY_KIND(raster, GV_CULL);
#undef GV_CULL
    GV_CUDA_LAUNCHED(context, "culling");
    parent = child;
  }
  launch_leaves(raster, number, &parent, &open, counters);
  GV_CUDA_LAUNCHED(context, "deciding cells");
  gv_cuda_mark_end(lane);
  GV_CUDA_TRY(context, cudaMemcpyAsync(pinned, counters, sizeof *counters, cudaMemcpyDeviceToHost, stream),
              "reading counters");
done:
  return status;
}

static gv_status reserve_pool(gv_context *context, gv_cuda_raster *raster, int number, size_t entries) {
  void *memory = NULL;
  gv_status status = gv_cuda_reserve(context, raster->lane, SLOT_POOL + number, entries * sizeof(int32_t), &memory);
  if (status == GV_OK)
    raster->band[number].pool_capacity = raster->lane->buffer[SLOT_POOL + number].bytes / sizeof(int32_t);
  return status;
}

/* Room for cells that the host is to decide, and for their candidates. */
static gv_status reserve_open(gv_context *context, gv_cuda_raster *raster, int number, size_t cells, size_t ids) {
  gv_cuda_lane *lane = raster->lane;
  void *memory = NULL;
  band_state *band = &raster->band[number];
  gv_status status = gv_cuda_reserve(context, lane, SLOT_OPEN + number, cells * sizeof(gv::open_cell), &memory);
  if (status == GV_OK)
    status = gv_cuda_reserve(context, lane, SLOT_OPEN_IDS + number, ids * sizeof(int32_t), &memory);
  if (status != GV_OK) return status;
  band->open_capacity = lane->buffer[SLOT_OPEN + number].bytes / sizeof(gv::open_cell);
  band->open_id_capacity = lane->buffer[SLOT_OPEN_IDS + number].bytes / sizeof(int32_t);
  return GV_OK;
}

/* True if a band is left to the CPU: so many open cells (one in 16, and some), or such long lists of their candidates, that
 * handing them over takes more than it saves. */
static bool too_many_open(const band_state *band, const gv::counters *counters) {
  unsigned long long most = (unsigned long long)(cells_of(&band->cells) / 16) + 65536;
  if (most > MOST_OPEN) most = MOST_OPEN;
  return counters->open > most || counters->open_ids > 4 * most;
}

/* Grows what was too small for a band, as its counters say. False: nothing was, or the band is left to the CPU. */
static bool grow(gv_context *context, gv_cuda_raster *raster, int number, const gv::counters *counters,
                 bool *overflow, gv_status *status) {
  const band_state *band = &raster->band[number];
  bool lists = counters->pool > band->pool_capacity;
  bool open = counters->open > band->open_capacity || counters->open_ids > band->open_id_capacity;
  *overflow = counters->pool > (unsigned long long)most_entries(raster) || too_many_open(band, counters);
  if (*overflow || (!lists && !open)) return false;
  /* Lists that found no room were not narrowed further: there may be more to come. */
  if (lists) *status = reserve_pool(context, raster, number, (size_t)counters->pool * 2);
  if (*status == GV_OK && open) {
    *status = reserve_open(context, raster, number, (size_t)counters->open + (size_t)counters->open / 4,
                           (size_t)counters->open_ids + (size_t)counters->open_ids / 4);
  }
  return *status == GV_OK;
}

extern "C" gv_status gv_cuda_raster_start(gv_context *context, gv_cuda_raster *raster, int number,
                                          const gv_tile *cells) {
  const gv_voronoi *v = raster->v;
  gv_cuda_lane *lane = raster->lane;
  band_state *band = &raster->band[number];
  gv::target *t = &band->target;
  void *memory = NULL;
  int64_t blocks_across = (cells->c1 - cells->c0 + raster->bw - 1) / raster->bw;
  int64_t blocks_down = (cells->r1 - cells->r0 + raster->bh - 1) / raster->bh, entries = 0;
  double lists = 0.0;
  band->cells = *cells;
  t->c0 = cells->c0;
  t->c1 = cells->c1;
  t->r0 = cells->r0;
  t->r1 = cells->r1;
  t->bw = raster->bw;
  t->bh = raster->bh;
  t->across = blocks_across;
  t->band_stride = blocks_across * blocks_down * t->bw * t->bh;
  t->aligned = (t->bw | t->bh) % ((int64_t)1 << raster->side_log) == 0;
  for (int i = 0; i < raster->steps; i++) {
    gv::level l = window(cells, raster->step[i]);
    entries += window_tiles(&l);
    lists += (double)window_tiles(&l) * list_length(v, l.log);
  }
  gv_status status = gv_cuda_reserve(context, lane, SLOT_BAND + number,
                                     (size_t)t->band_stride * (size_t)v->k * sizeof(int32_t), &memory);
  t->out = (int32_t *)memory;
  if (status == GV_OK) {
    status =
        gv_cuda_reserve(context, lane, SLOT_ENTRIES + number, (size_t)(entries + 1) * sizeof(gv::entry), &memory);
  }
  if (status == GV_OK) status = reserve_pool(context, raster, number, (size_t)(1.5 * lists) + ((size_t)1 << 20));
  if (status == GV_OK) {
    status = gv_cuda_reserve(context, lane, SLOT_COUNTERS, (GV_CUDA_BANDS + 1) * sizeof(gv::counters), &memory);
  }
  if (status == GV_OK) {
    status =
        gv_cuda_reserve_pinned(context, lane, PINNED_COUNTERS, (GV_CUDA_BANDS + 1) * sizeof(gv::counters), &memory);
  }
  band->open_capacity = band->open_id_capacity = 0;
  if (status == GV_OK && v->cells.metric == GV_GEODESIC) {
    size_t wanted = (size_t)(cells_of(cells) / 512) + 4096;
    status = reserve_open(context, raster, number, wanted, 4 * wanted);
  }
  if (status == GV_OK) status = launch_band(context, raster, number);
  band->running = status == GV_OK;
  return status;
}

extern "C" gv_status gv_cuda_raster_finish(gv_context *context, gv_cuda_raster *raster, int number,
                                           gv_open_cells *open) {
  gv_cuda_lane *lane = raster->lane;
  band_state *band = &raster->band[number];
  const gv::counters *counters = (const gv::counters *)lane->pinned[PINNED_COUNTERS].data + number;
  gv_status status = gv_cuda_wait(context, lane, "computing a band");
  memset(open, 0, sizeof *open);
  band->running = false;
  while (status == GV_OK && grow(context, raster, number, counters, &open->overflow, &status)) {
    status = launch_band(context, raster, number);
    if (status == GV_OK) status = gv_cuda_wait(context, lane, "computing a band");
  }
  if (status != GV_OK || open->overflow || counters->open == 0) return status;
  void *cell = NULL, *id = NULL;
  size_t cell_bytes = (size_t)counters->open * sizeof(gv::open_cell),
         id_bytes = (size_t)counters->open_ids * sizeof(int32_t);
  status = gv_cuda_reserve_pinned(context, lane, PINNED_OPEN, cell_bytes, &cell);
  if (status == GV_OK) status = gv_cuda_reserve_pinned(context, lane, PINNED_OPEN_IDS, id_bytes, &id);
  if (status != GV_OK) return status;
  GV_CUDA_TRY(context,
              cudaMemcpyAsync(cell, lane->buffer[SLOT_OPEN + number].data, cell_bytes, cudaMemcpyDeviceToHost,
                              raster->copy),
              "reading open cells");
  GV_CUDA_TRY(context,
              cudaMemcpyAsync(id, lane->buffer[SLOT_OPEN_IDS + number].data, id_bytes, cudaMemcpyDeviceToHost,
                              raster->copy),
              "reading open cells");
  GV_CUDA_TRY(context, cudaStreamSynchronize(raster->copy), "reading open cells");
  open->cell = (const gv_open_cell *)cell;
  open->id = (const int32_t *)id;
  open->count = (int64_t)counters->open;
done:
  return status;
}

extern "C" gv_status gv_cuda_raster_patch(gv_context *context, gv_cuda_raster *raster, int number,
                                          const int64_t *at, const int32_t *value, int64_t count) {
  gv_cuda_lane *lane = raster->lane;
  const gv::target *t = &raster->band[number].target;
  int64_t values = count * raster->v->k;
  void *device_at = NULL, *device_value = NULL;
  if (count == 0) return GV_OK;
  gv_status status = gv_cuda_reserve(context, lane, SLOT_PATCH_AT, (size_t)count * sizeof *at, &device_at);
  if (status == GV_OK) {
    status = gv_cuda_reserve(context, lane, SLOT_PATCH_VALUE, (size_t)values * sizeof *value, &device_value);
  }
  if (status != GV_OK) return status;
  GV_CUDA_TRY(context,
              cudaMemcpyAsync(device_at, at, (size_t)count * sizeof *at, cudaMemcpyHostToDevice, lane->stream),
              "writing decisions");
  GV_CUDA_TRY(
      context,
      cudaMemcpyAsync(device_value, value, (size_t)values * sizeof *value, cudaMemcpyHostToDevice, lane->stream),
      "writing decisions");
  gv::patch_cells<<<blocks_for(values, 256), 256, 0, lane->stream>>>(
      t->out, t->band_stride, (const int64_t *)device_at, (const int32_t *)device_value, count, raster->v->k);
  GV_CUDA_LAUNCHED(context, "writing decisions");
  status = gv_cuda_wait(context, lane, "writing decisions");
done:
  return status;
}

static gv_status reserve_fetch(gv_context *context, gv_cuda_raster *raster, int slot, int64_t count, void **out) {
  return gv_cuda_reserve_pinned(context, raster->lane, PINNED_FETCH + slot,
                                (size_t)count * (size_t)raster->v->k * sizeof(int32_t), out);
}

extern "C" gv_status gv_cuda_raster_reserve(gv_context *context, gv_cuda_raster *raster, int slot, int64_t count) {
  void *memory = NULL;
  return reserve_fetch(context, raster, slot, count, &memory);
}

extern "C" gv_status gv_cuda_raster_fetch(gv_context *context, gv_cuda_raster *raster, int number, int64_t first,
                                          int64_t count, int slot, const int32_t **out) {
  const gv::target *t = &raster->band[number].target;
  void *memory = NULL;
  int k = raster->v->k;
  gv_status status = reserve_fetch(context, raster, slot, count, &memory);
  if (status != GV_OK) return status;
  for (int i = 0; i < k; i++) {
    GV_CUDA_TRY(context,
                cudaMemcpyAsync((int32_t *)memory + i * count, t->out + i * t->band_stride + first,
                                (size_t)count * sizeof(int32_t), cudaMemcpyDeviceToHost, raster->copy),
                "reading back cells");
  }
  GV_CUDA_TRY(context, cudaStreamSynchronize(raster->copy), "reading back cells");
  *out = (const int32_t *)memory;
done:
  return status;
}
