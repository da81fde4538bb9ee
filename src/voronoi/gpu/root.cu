/*
 * The levels that are made once for the whole grid when a raster is opened: from one tile with all seeds down
 * to tiles with lists short enough for one warp ("root" level); many seeds are first narrowed by groups.
 */
#include "voronoi/gpu/dispatch.cuh"
#include "voronoi/gpu/narrow_kernels.cuh"
#include "voronoi/gpu/places.cuh"
#include "voronoi/gpu/raster_state.cuh"
#include "voronoi/gpu/triangle_positions.cuh"

enum { LONG_LIST = 768, LONG_GROUP_LIST = 192, MOST_LONG_TILES = 20000 };

/* ------------------------------------------------------------------------------------------------- passes */

/* A step of narrowing while it is made: from the lists of `parent` to those of `child`. */
struct narrow_step {
  gv::narrowing what;
  dim3 grid; /* tiles x blocks a tile */
  gv::level parent, child;
  gv::tile_work work;
};

static auto choose_what(gv::narrowing what) {
  return gv::choose<gv::SEEDS, gv::GROUPS, gv::MEMBERS>(what);
}

static void launch_pivots(const gv_cuda_raster *raster, const narrow_step *s, int32_t number) {
  /* Only places matter: bounds of rotated grids are those of the plane. */
  const int form = raster->form == gv::ROTATED ? gv::PLANE : raster->form;
  gv::dispatch(
      [&](auto of, auto what) {
        gv::long_pivot<of.value, what.value><<<s->grid, gv::LONG_THREADS, 0, raster->queue->stream>>>(
            raster->problem, s->parent, s->child, s->work, number);
      },
      gv::choose<gv::PLANE, gv::GLOBE, gv::MESH, gv::TRIANGLES, gv::PLACES>(form), choose_what(s->what));
}

static void launch_count(const gv_cuda_raster *raster, const narrow_step *s) {
  gv::dispatch(
      [&](auto kind, auto what) {
        /* Groups are for squared distances only, see gv_cuda_may_group. */
        constexpr int of = kind.norm == gv::SQUARE ? what.value : gv::SEEDS;
        gv::long_count<kind.form, kind.norm, kind.geodesic, of>
            <<<s->grid, gv::LONG_THREADS, 0, raster->queue->stream>>>(raster->problem, s->parent, s->child,
                                                                      s->work);
      },
      gv::choose_kind(raster, gv::all_kinds()), choose_what(s->what));
}

static void launch_place(const gv_cuda_raster *raster, const narrow_step *s, gv::counters *counters) {
  gv::dispatch(
      [&](auto what) {
        gv::long_place<what.value><<<blocks_for(s->grid.x, 256), 256, 0, raster->queue->stream>>>(
            s->parent, s->child, s->work, (int32_t)s->grid.y, counters);
      },
      choose_what(s->what));
}

static void launch_write(const gv_cuda_raster *raster, const narrow_step *s, int32_t *pool) {
  gv::dispatch(
      [&](auto what) {
        gv::long_write<what.value><<<s->grid, gv::LONG_THREADS, 0, raster->queue->stream>>>(
            raster->problem, s->parent, s->child, s->work, pool);
      },
      choose_what(s->what));
}

/* -------------------------------------------------------------------------------------------------- steps */

/* The whole grid as one tile that holds all seeds, or all groups of them. */
static gv_status make_whole(gv_context *context, gv_cuda_raster *raster, bool in_groups) {
  gv_status status;
  void *pool = NULL, *entries = NULL;
  int32_t count = raster->v->seeds.count;
  if (in_groups) count = (count + gv::GROUP - 1) / gv::GROUP;
  status = gv_cuda_reserve(context, raster->queue, SLOT_ROOT_POOL, (size_t)count * sizeof(int32_t), &pool);
  if (status == GV_OK) {
    status = gv_cuda_reserve(context, raster->queue, SLOT_ROOT_ENTRIES, sizeof(gv::entry), &entries);
  }
  if (status != GV_OK) return status;
  gv_tile cells = {0, 1, 0, 1};
  raster->root = window(&cells, gv_cuda_top_log(raster->v));
  raster->root.entries = (gv::entry *)entries;
  raster->root.pool = (const int32_t *)pool;
  raster->longest = (unsigned)count;
  raster->in_groups = in_groups;
  raster->stuck = false;
  gv::whole_list<<<blocks_for(count, 256), 256, 0, raster->queue->stream>>>(raster->problem, (int32_t *)pool,
                                                                            count, raster->root.entries);
  GV_CUDA_LAUNCHED(context, "listing the seeds");
done:
  return status;
}

/* Blocks a tile: enough to fill the device, each with a few thousand candidates at least. `longest`:
 * candidates of the longest list. */
static int64_t blocks_a_tile(const gv_cuda_raster *raster, gv::narrowing what, int64_t tiles,
                             int64_t longest) {
  const gv_voronoi *v = raster->v;
  const gv::level *parent = &raster->root;
  double of_entry = what == gv::MEMBERS ? gv::GROUP : 1;
  double each = of_entry * (raster->in_groups ? gv_cuda_group_list_length(v, parent->log)
                                              : gv_cuda_list_length(v, parent->log));
  int64_t split = (int64_t)(each / 2048.0) + 1,
          fill = 8 * (int64_t)raster->queue->multiprocessors / tiles + 1;
  if (window_tiles(parent) == 1) split = longest / 2048 + 1;
  if (split > fill) split = fill;
  if (split < longest / 8192) split = longest / 8192;
  return split > 256 ? 256 : split;
}

/* The memory of a step, without its pool. */
static gv_status reserve_step(gv_context *context, const gv_cuda_raster *raster, narrow_step *s,
                              int64_t words, int turn) {
  gv_cuda_queue *queue = raster->queue;
  int64_t tiles = s->grid.x, split = s->grid.y, pivots = tiles * (raster->v->k + gv::CORNERS);
  size_t keys = (size_t)pivots * sizeof(unsigned long long),
         parts = (size_t)(tiles * split) * sizeof(uint32_t);
  size_t bits = (size_t)(tiles * words) * sizeof(uint32_t);
  void *entries = NULL, *work = NULL;
  gv_status status =
      gv_cuda_reserve(context, queue, SLOT_ROOT_ENTRIES + turn, (size_t)tiles * sizeof(gv::entry), &entries);
  if (status == GV_OK) status = gv_cuda_reserve(context, queue, SLOT_WORK, keys + parts + bits, &work);
  if (status == GV_OK) status = gv_cuda_reserve_counters(context, queue);
  if (status != GV_OK) return status;
  s->child.entries = (gv::entry *)entries;
  s->work.key = (unsigned long long *)work;
  s->work.part = (uint32_t *)((char *)work + keys);
  s->work.bits = s->work.part + tiles * split;
  s->work.words = words;
  return GV_OK;
}

/* Finds who survives a step and how many they are. */
static gv_status count_step(gv_context *context, const gv_cuda_raster *raster, const narrow_step *s,
                            const gv::counters **out) {
  gv_status status;
  gv_cuda_queue *queue = raster->queue;
  int64_t pivots = (int64_t)s->grid.x * (raster->v->k + gv::CORNERS);
  gv::counters *counters = (gv::counters *)queue->buffer[SLOT_COUNTERS].data + GV_CUDA_STRIPS;
  gv::counters *pinned = (gv::counters *)queue->pinned[PINNED_COUNTERS].data + GV_CUDA_STRIPS;
  gv_cuda_mark_begin(queue);
  GV_CUDA_TRY(context, cudaMemsetAsync(counters, 0, sizeof *counters, queue->stream), "clearing counters");
  gv::clear_work<<<blocks_for(pivots, 256), 256, 0, queue->stream>>>(s->work, pivots);
  GV_CUDA_LAUNCHED(context, "narrowing the seeds");
  for (int32_t k = 0; k < raster->v->k; k++) {
    launch_pivots(raster, s, k);
    GV_CUDA_LAUNCHED(context, "narrowing the seeds");
  }
  launch_count(raster, s);
  GV_CUDA_LAUNCHED(context, "narrowing the seeds");
  launch_place(raster, s, counters);
  GV_CUDA_LAUNCHED(context, "narrowing the seeds");
  gv_cuda_mark_end(queue);
  GV_CUDA_TRY(context,
              cudaMemcpyAsync(pinned, counters, sizeof *counters, cudaMemcpyDeviceToHost, queue->stream),
              "reading counters");
  status = gv_cuda_wait(context, queue, "narrowing the seeds");
  *out = pinned;
done:
  return status;
}

/* One level of long lists, for the whole grid. If lists would become too long, sets `stuck` and leaves the
 * root unchanged. */
static gv_status narrow_root(gv_context *context, gv_cuda_raster *raster, const root_step *step, int turn) {
  gv_status status;
  gv_cuda_queue *queue = raster->queue;
  gv_tile all = {0, raster->v->cells.grid.width, 0, raster->v->cells.grid.height};
  narrow_step s = {};
  s.what = step->what;
  s.parent = raster->root;
  s.child = window(&all, step->log);
  int64_t tiles = window_tiles(&s.child);
  int64_t longest = (int64_t)raster->longest * (s.what == gv::MEMBERS ? gv::GROUP : 1);
  int64_t words = (longest + gv::WARP - 1) / gv::WARP;
  const gv::counters *counted = NULL;
  void *pool = NULL;
  s.grid = dim3((unsigned)tiles, (unsigned)blocks_a_tile(raster, s.what, tiles, longest));

  if (words > gv_cuda_most_entries(raster) / tiles) {
    raster->stuck = true;
    return GV_OK;
  }
  status = reserve_step(context, raster, &s, words, turn);
  if (status == GV_OK) status = count_step(context, raster, &s, &counted);
  if (status != GV_OK) return status;
  if (counted->pool > (unsigned long long)gv_cuda_most_entries(raster)) {
    raster->stuck = true;
    return GV_OK;
  }
  status =
      gv_cuda_reserve(context, queue, SLOT_ROOT_POOL + turn, (size_t)counted->pool * sizeof(int32_t), &pool);
  if (status != GV_OK) return status;
  s.child.pool = (const int32_t *)pool;
  gv_cuda_mark_begin(queue);
  launch_write(raster, &s, (int32_t *)pool);
  GV_CUDA_LAUNCHED(context, "narrowing the seeds");
  gv_cuda_mark_end(queue);
  raster->root = s.child;
  raster->in_groups = s.what == gv::GROUPS;
  raster->longest = counted->longest;
done:
  return status;
}

/* The next finer level of long lists; -1 if there is none. */
int gv_cuda_finer_root(const gv_cuda_raster *raster) {
  int next = raster->root.log - (raster->form == gv::MESH ? 2 : 1);
  bool whole_mesh = raster->form == gv::MESH && raster->root.log % 2 != 0;
  if (whole_mesh || next < raster->side_log) return -1;
  /* Several blocks a tile are too much for many tiles, most of which have short lists. */
  return tiles_of(raster->problem.width, raster->problem.height, next) <= MOST_LONG_TILES ? next : -1;
}

/* Strips begin below the root. */
void gv_cuda_drop_steps(gv_cuda_raster *raster) {
  int kept = 0;
  for (int i = 0; i < raster->steps; i++) {
    if (raster->step[i] < raster->root.log) raster->step[kept++] = raster->step[i];
  }
  raster->steps = kept;
}

/* Seeds in clusters: continues level by level while a list is longer than planned. */
static gv_status narrow_further(gv_context *context, gv_cuda_raster *raster, gv::narrowing what,
                                unsigned longest, int *turn) {
  gv_status status = GV_OK;
  while (status == GV_OK && !raster->stuck && raster->longest > longest && gv_cuda_finer_root(raster) >= 0) {
    root_step finer = {gv_cuda_finer_root(raster), what};
    status = narrow_root(context, raster, &finer, *turn = 1 - *turn);
  }
  return status;
}

gv_status gv_cuda_make_root(gv_context *context, gv_cuda_raster *raster, bool groups) {
  root_step root[MAX_STEPS];
  int roots = gv_cuda_plan_levels(raster, groups, root);
  bool in_groups = roots > 0 && root[0].what != gv::SEEDS;
  gv_status status = GV_OK;
  if (in_groups) status = gv_cuda_make_groups(context, raster);
  if (status == GV_OK) status = make_whole(context, raster, in_groups);
  int turn = 0;
  for (int i = 0; i < roots && status == GV_OK && !raster->stuck; i++) {
    root_step step = root[i];
    if (step.what == gv::MEMBERS) {
      status = narrow_further(context, raster, gv::GROUPS, LONG_GROUP_LIST, &turn);
      if (step.log > raster->root.log) step.log = raster->root.log;
    }
    bool done = step.what == gv::SEEDS && step.log >= raster->root.log;
    if (status == GV_OK && !raster->stuck && !done)
      status = narrow_root(context, raster, &step, turn = 1 - turn);
  }
  if (status == GV_OK && roots > 0 && !raster->in_groups)
    status = narrow_further(context, raster, gv::SEEDS, LONG_LIST, &turn);
  gv_cuda_drop_steps(raster);
  return status;
}
