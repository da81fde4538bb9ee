/*
 * A raster on one device: what lies where in its memory, and what its files do for each other. raster.cu
 * opens it; plan.cu estimates which levels are worth making; tables.cu copies seeds and tables; groups.cu and
 * root.cu narrow the seeds once, when the raster is opened; strips.cu computes and reads back strips, with
 * the kernels that cull.cu and leaves_*.cu launch.
 */
#ifndef GV_RASTER_STATE_CUH
#define GV_RASTER_STATE_CUH

#include "voronoi/gpu/raster.h"

#include "search/cuda/runtime.h"
#include "voronoi/gpu/problem.cuh"

static_assert(sizeof(gv::open_cell) == sizeof(gv_open_cell), "the same record on both sides");
static_assert((int)GV_CUDA_MESH_LEAF == 1 << gv::LEAF_LOG, "the same leaves on both sides");

/* Buffers of the queue. */
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
  SLOT_STRIP, /* GV_CUDA_STRIPS of each from here on */
  SLOT_POOL = SLOT_STRIP + GV_CUDA_STRIPS,
  SLOT_ENTRIES = SLOT_POOL + GV_CUDA_STRIPS,
  SLOT_OPEN = SLOT_ENTRIES + GV_CUDA_STRIPS,
  SLOT_OPEN_IDS = SLOT_OPEN + GV_CUDA_STRIPS,
  SLOT_DISTINCT = SLOT_OPEN_IDS + GV_CUDA_STRIPS, /* distances.cu from here on */
  SLOT_PAIRS,
  SLOT_RESULTS,
  SLOT_MEASURED,
  /* Of lists, which are not measured. */
  SLOT_PLACES = SLOT_DISTINCT,
  SLOT_ORDER,
  SLOT_BOXES,
  SLOT_FACTORS = SLOT_MEASURED + 1, /* statistics/device_sums.cu from here on */
  SLOT_TOTALS,
  SLOT_LABELS,
  SLOT_DISTANCES,
  SLOTS_USED
};
static_assert((int)SLOTS_USED <= (int)GV_CUDA_SLOTS, "slots of a lane");

/* Page-locked buffers of the queue: a small one, then the caller's slots. */
enum { PINNED_COUNTERS, PINNED_OPEN, PINNED_OPEN_IDS, PINNED_FETCH };

enum { MAX_STEPS = 16 };

struct strip_state {
  gv_tile cells;
  gv::target target;
  gv_labels to;         /* if results stay on the device */
  bool detoured;        /* they are made in the strip's own memory and copied there */
  size_t pool_capacity; /* entries */
  size_t open_capacity, open_id_capacity;
};

/* A level of long lists, and the kinds of its input and output. */
struct root_step {
  int log;
  gv::narrowing what;
};

struct gv_cuda_raster {
  const gv_voronoi *v;
  gv_allocator allocator;
  gv_cuda_queue *queue;
  cudaStream_t copy; /* reads back while the queue's stream computes */
  gv::problem problem;
  gv::level root;
  unsigned longest; /* list of the root's */
  bool in_groups;   /* the root's lists are of groups */
  bool stuck;       /* no finer root can be had */
  /* logs of the levels of a strip, coarsest first; the last one's lists are for the leaves */
  int step[MAX_STEPS];
  int steps;
  int side_log;   /* of quads */
  int64_t bw, bh; /* of blocks in memory */
  bool filter;    /* leaves decide by bounds first */
  bool limited;   /* there is a largest distance */
  int form, norm;
  /* the kept seed at the place of each; NULL: itself, or not yet there (distances.cu) */
  const int32_t *distinct;
  strip_state strip[GV_CUDA_STRIPS];
};

static inline unsigned blocks_for(int64_t items, int64_t each) {
  return (unsigned)((items + each - 1) / each);
}

static inline int64_t ceil_shift(int64_t value, int log) {
  return (value + ((int64_t)1 << log) - 1) >> log;
}

static inline int64_t tiles_of(int64_t width, int64_t height, int log) {
  return ceil_shift(width, log) * ceil_shift(height, log);
}

/* The tiles of a level that touch a rectangle of cells. */
static inline gv::level window(const gv_tile *cells, int log) {
  gv::level l = {};
  l.log = log;
  l.i0 = cells->c0 >> log;
  l.j0 = cells->r0 >> log;
  l.across = (int32_t)(ceil_shift(cells->c1, log) - l.i0);
  l.down = (int32_t)(ceil_shift(cells->r1, log) - l.j0);
  return l;
}

static inline int64_t window_tiles(const gv::level *l) {
  return (int64_t)l->across * l->down;
}

/* Counters of the strips, and of the root's steps after them, on both sides. */
gv_status gv_cuda_reserve_counters(gv_context *context, gv_cuda_queue *queue);

/* Maximum total length of the lists of a level. Seeds that cannot be distinguished from far away (for example
 * many within a cell and none elsewhere) stay in the lists of all tiles: such grids are computed by the CPU,
 * which works depth first. */
static inline int64_t gv_cuda_most_entries(const gv_cuda_raster *raster) {
  return (int64_t)(raster->queue->memory_bytes / 64);
}

/* ------------------------------------------------------------------------------------- plan.cu, tables.cu */

/* Chooses the side of quads, the levels of the root (coarsest first, into `root`) and of strips; how many the
 * root has. */
int gv_cuda_plan_levels(gv_cuda_raster *raster, bool groups, root_step *root);

/* Whether there may be groups: bounds for balls are for squared distances, and the sort needs memory. */
bool gv_cuda_may_group(const gv_cuda_raster *raster);

/* The level at which the whole grid is one tile. */
int gv_cuda_top_log(const gv_voronoi *v);

/* About how many candidates a tile of a level has, and how many groups. */
double gv_cuda_list_length(const gv_voronoi *v, int log);
double gv_cuda_group_list_length(const gv_voronoi *v, int log);

/* The log of the leaves of PLACES. */
int gv_cuda_places_leaf(const gv_voronoi *v);

/* PLACES: the positions of all cells, their order and their boxes (places.cu). */
gv_status gv_cuda_make_places(gv_context *context, gv_cuda_raster *raster);

/* Copies what does not change to the device. */
gv_status gv_cuda_copy_tables(gv_context *context, gv_cuda_raster *raster);
gv_status gv_cuda_copy_seeds(gv_context *context, gv_cuda_raster *raster);

/* ------------------------------------------------------------------------------------- groups.cu, root.cu */

/* Sorts the seeds into groups. */
gv_status gv_cuda_make_groups(gv_context *context, gv_cuda_raster *raster);

/* From all seeds to the lists that strips begin with. */
gv_status gv_cuda_make_root(gv_context *context, gv_cuda_raster *raster, bool groups);

/* ----------------------------------------------------------------------------------- cull.cu, leaves_*.cu */

/* Arguments of launching the leaves of a strip. */
struct leaf_launch {
  const gv_cuda_raster *raster;
  const strip_state *strip;
  const gv::level *lists;
  const gv::open_list *open;
  gv::counters *counters;
};

/* Their quads, a warp each. */
struct quad_grid {
  gv::quad_window quads;
  unsigned blocks;
};

static inline quad_grid quad_grid_of(const leaf_launch *l) {
  const gv::level w = window(&l->strip->cells, l->raster->side_log);
  return {{w.i0, w.j0, w.across, w.down}, blocks_for(w.across, gv::LEAF_WARPS) * (unsigned)w.down};
}

/* Launches only: errors are left to the caller's GV_CUDA_LAUNCHED. */
void gv_cuda_launch_cull(const gv_cuda_raster *raster, const gv::level *parent, const gv::level *child,
                         int32_t *pool, size_t capacity, gv::counters *counters);
void gv_cuda_launch_filter_leaves(const leaf_launch *l);
void gv_cuda_launch_plane_leaves(const leaf_launch *l);
void gv_cuda_launch_globe_leaves(const leaf_launch *l);
void gv_cuda_launch_mesh_leaves(const leaf_launch *l);

#endif
