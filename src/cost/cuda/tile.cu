/*
 * The engine `cuda-tile` of travel cost. First the costs: the least solution of the definition's equations is
 * unique, so neither the order of visits nor values read while they are changed matter; all that counts is
 * that the tiles are visited until nothing changes. Then the seeds, in the same way: the lowest of those that
 * are reached by moves with fl(D(previous) + cost) = D(cell), which are found anew in each visit.
 *
 * Tiles with the least costs come first: costs that were passed on too early have to be passed on again.
 */
#include <stddef.h>
#include <string.h>

#include "cost/cuda/tile.cuh"
#include "cost/device.h"
#include "search/cuda/runtime.h"

namespace gv {

namespace {

enum { NO_SEED = INT32_MAX, BLOCK = 256 };

/* ------------------------------------------------------------------------------------------------- visits */

/* A tile and the cells around it. */
__device__ static void load_tile(const cost_arguments &a, const cost_tile &t, double *friction, double *cost,
                                 double *lengths) {
  for (int i = (int)threadIdx.x; i < COST_WITH * COST_WITH; i += COST_THREADS) {
    const int x = i % COST_WITH - GV_COST_MARGIN, y = i / COST_WITH - GV_COST_MARGIN;
    const bool around = cost_is_around(t, x, y);
    friction[i] = around ? __ldg(a.friction + cost_place(a, t, x, y)) : (double)NAN;
    cost[i] = around ? __ldcg(a.cost + cost_place_wrapped(a, t, x, y)) : (double)INFINITY;
  }
  for (int i = (int)threadIdx.x; i < (t.height + GV_COST_LONGEST) * COST_LENGTHS; i += COST_THREADS)
    lengths[i] = __ldg(a.lengths + (int64_t)t.row * COST_LENGTHS + i);
}

/* Of the cell at `at`, costs of the moves from (and to) the cells around it. */
template <int MOVES>
__device__ inline void costs_at(const double *friction, const double *lengths, int at, int y, double *costs) {
  gv_cost_of_moves(friction + at, COST_WITH, lengths + (y + GV_COST_LONGEST) * COST_LENGTHS, MOVES, costs);
}

template <int MOVES> __global__ void __launch_bounds__(COST_THREADS, 2) visit_costs(const cost_arguments a) {
  extern __shared__ double memory[];
  double *friction = memory, *lengths = friction + COST_WITH * COST_WITH;
  volatile double *cost = lengths + (COST_SIDE + GV_COST_LONGEST) * COST_LENGTHS;
  __shared__ cost_block block;
  const cost_tile t = cost_tile_of(a, a.chosen[blockIdx.x]);
  const unsigned long long parts = cost_take(a, t, block);
  load_tile(a, t, friction, const_cast<double *>(cost), lengths);
  __syncthreads();

  double least = (double)INFINITY;
  uint32_t seen = 0;
  int reached = 0;
  bool may_overflow = false;
  cost_until_still(t, block, parts, [&](int x, int y) {
    const int at = (y + GV_COST_MARGIN) * COST_WITH + x + GV_COST_MARGIN;
    if (isnan(friction[at])) return false;
    double costs[MOVES];
    costs_at<MOVES>(friction, lengths, at, y, costs);
    const double now = cost[at];
    double best = now;
#pragma unroll
    for (int i = 0; i < MOVES; i++) {
      const double from = cost[at + a.offset[i]], sum = from + costs[i];
      if (sum < best) best = sum;
      may_overflow |= isinf(sum) && !isinf(from);
    }
    if (!(best < now && best <= a.most)) return false;
    cost[at] = best;
    reached += isinf(now) ? 1 : 0;
    const uint32_t from = cost_seen_from(t, x, y);
    seen |= from;
    if (from != 1u << COST_SELF && best < least) least = best;
    return true;
  });

  for (int i = (int)threadIdx.x; i < COST_SIDE * COST_SIDE; i += COST_THREADS) {
    const int x = i % COST_SIDE, y = i / COST_SIDE;
    if (x < t.width && y < t.height && block.ever >> (y / COST_PART * COST_PARTS + x / COST_PART) & 1)
      __stcg(a.cost + cost_place(a, t, x, y), cost[(y + GV_COST_MARGIN) * COST_WITH + x + GV_COST_MARGIN]);
  }
  if (seen != 0) atomicOr(&block.seen, seen);
  if (reached > 0) atomicAdd(&block.reached, reached);
  if (may_overflow) block.may_overflow = 1;
  if (!isinf(least)) atomicMin(&block.key, cost_bits(least));
  cost_pass_on(a, t, block);
}

template <int MOVES> __global__ void __launch_bounds__(COST_THREADS, 2) visit_seeds(const cost_arguments a) {
  extern __shared__ double memory[];
  double *friction = memory, *lengths = friction + COST_WITH * COST_WITH;
  double *cost = lengths + (COST_SIDE + GV_COST_LONGEST) * COST_LENGTHS;
  uint32_t *tight = reinterpret_cast<uint32_t *>(
      cost + COST_WITH * COST_WITH); /* of a cell: moves that reach it at its cost */
  __shared__ cost_block block;
  const cost_tile t = cost_tile_of(a, a.chosen[blockIdx.x]);
  const unsigned long long parts = cost_take(a, t, block);
  load_tile(a, t, friction, cost, lengths);
  __syncthreads();
  for (int i = (int)threadIdx.x; i < COST_SIDE * COST_SIDE; i += COST_THREADS) {
    const int x = i % COST_SIDE, y = i / COST_SIDE,
              at = (y + GV_COST_MARGIN) * COST_WITH + x + GV_COST_MARGIN;
    uint32_t moves = 0;
    if (x < t.width && y < t.height && !isinf(cost[at])) {
      double costs[MOVES];
      costs_at<MOVES>(friction, lengths, at, y, costs);
#pragma unroll
      for (int k = 0; k < MOVES; k++)
        moves |= cost[at + a.offset[k]] + costs[k] == cost[at] ? 1u << k : 0u;
    }
    tight[i] = moves;
  }
  __syncthreads();
  volatile int32_t *seed = reinterpret_cast<int32_t *>(friction); /* which is not needed anymore */
  for (int i = (int)threadIdx.x; i < COST_WITH * COST_WITH; i += COST_THREADS) {
    const int x = i % COST_WITH - GV_COST_MARGIN, y = i / COST_WITH - GV_COST_MARGIN;
    seed[i] = cost_is_around(t, x, y) ? __ldcg(a.seed + cost_place_wrapped(a, t, x, y)) : (int32_t)NO_SEED;
  }
  __syncthreads();

  uint32_t seen = 0;
  cost_until_still(t, block, parts, [&](int x, int y) {
    const int at = (y + GV_COST_MARGIN) * COST_WITH + x + GV_COST_MARGIN;
    const uint32_t moves = tight[y * COST_SIDE + x];
    const int32_t now = seed[at];
    int32_t best = now;
#pragma unroll
    for (int i = 0; i < MOVES; i++)
      if (moves >> i & 1) best = min(best, (int32_t)seed[at + a.offset[i]]);
    if (best == now) return false;
    seed[at] = best;
    seen |= cost_seen_from(t, x, y);
    return true;
  });

  for (int i = (int)threadIdx.x; i < COST_SIDE * COST_SIDE; i += COST_THREADS) {
    const int x = i % COST_SIDE, y = i / COST_SIDE;
    if (x < t.width && y < t.height && block.ever >> (y / COST_PART * COST_PARTS + x / COST_PART) & 1)
      __stcg(a.seed + cost_place(a, t, x, y), seed[(y + GV_COST_MARGIN) * COST_WITH + x + GV_COST_MARGIN]);
  }
  if (seen != 0) atomicOr(&block.seen, seen);
  if (threadIdx.x == 0) block.key = 0; /* all seeds at once */
  cost_pass_on(a, t, block);
}

/* --------------------------------------------------------------------------------------- before and after */

__global__ void fill_cells(const cost_arguments a, int64_t cells) {
  const int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
  if (i >= cells) return;
  a.cost[i] = (double)INFINITY;
  a.seed[i] = NO_SEED;
}

__device__ static int32_t tile_at(int64_t cells, int32_t tiles, int64_t at) {
  int32_t i = (int32_t)(at * tiles / cells);
  while (cost_begin(cells, tiles, i) > at)
    i--;
  while (i + 1 < tiles && cost_begin(cells, tiles, i + 1) <= at)
    i++;
  return i;
}

/* Starts of seeds: their costs, or, once the costs are known, the seeds of those that are as cheap. Their
 * tiles are to be visited. */
__global__ void put_starts(const cost_arguments a, const gv_cost_entry *starts, int64_t count,
                           bool of_seeds) {
  const int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
  if (i >= count || !(starts[i].cost <= a.most)) return;
  const int64_t cell = starts[i].cell, column = cell % a.stride - GV_COST_MARGIN,
                row = cell / a.stride - GV_COST_MARGIN;
  if (!of_seeds)
    atomicMin(reinterpret_cast<unsigned long long *>(a.cost + cell), cost_bits(starts[i].cost));
  else if (a.cost[cell] == starts[i].cost)
    atomicMin(a.seed + cell, starts[i].seed);
  else
    return;
  const int32_t tile = tile_at(a.height, a.down, row) * a.across + tile_at(a.width, a.across, column);
  /* All the 3 x 3 tiles: cells of the start at the tile's side are seen from beyond it. */
  for (int k = 0; k < 9; k++) {
    const int32_t next = cost_neighbor(a, tile, k);
    if (next < 0) continue;
    atomicMin(a.key + next, of_seeds ? 0ull : cost_bits(starts[i].cost));
    atomicOr(a.changed + next, 1u << COST_SELF);
  }
}

/* Chooses the tiles with keys up to `limit`. */
__global__ void choose_tiles(const cost_arguments a, int32_t *chosen, unsigned long long limit) {
  const int32_t i = (int32_t)(blockIdx.x * BLOCK + threadIdx.x);
  if (i >= a.across * a.down || a.changed[i] == 0) return;
  const unsigned long long key = a.key[i];
  atomicAdd(&a.found->pending, 1);
  if (key <= limit || key == ~0ull)
    chosen[atomicAdd(&a.found->chosen, 1)] = i;
  else
    atomicMin(&a.found->least, key);
}

__global__ void finish_seeds(const cost_arguments a, int64_t cells) {
  const int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
  if (i < cells && a.seed[i] == NO_SEED) a.seed[i] = -1;
}

/* ------------------------------------------------------------------------------------------------- rounds */

struct engine {
  gv_context *context;
  gv_cost *cost;
  gv_cuda_queue *queue;
  cost_arguments arguments;
  int32_t *chosen;
  gv_cost_entry *starts;
  int64_t start_count;
  cost_found *found; /* on the host */
};

unsigned blocks_of(int64_t count) {
  return (unsigned)((count + BLOCK - 1) / BLOCK);
}

typedef void visit_fn(const cost_arguments);

/* The kernel for the number of moves, with its shared memory. */
gv_status visit_of(engine *e, bool of_seeds, visit_fn **out, size_t *bytes) {
  static visit_fn *const visits[2][3] = {{visit_costs<8>, visit_costs<16>, visit_costs<32>},
                                         {visit_seeds<8>, visit_seeds<16>, visit_seeds<32>}};
  *out = visits[of_seeds][e->cost->is.moves == 8 ? 0 : e->cost->is.moves == 16 ? 1 : 2];
  *bytes = (2 * COST_WITH * COST_WITH + (COST_SIDE + GV_COST_LONGEST) * COST_LENGTHS) * sizeof(double) +
           (of_seeds ? COST_SIDE * COST_SIDE * sizeof(uint32_t) : 0);
  return gv_cuda_result(e->context,
                        cudaFuncSetAttribute(reinterpret_cast<const void *>(*out),
                                             cudaFuncAttributeMaxDynamicSharedMemorySize, (int)*bytes),
                        "tiles of travel cost");
}

gv_status choose(engine *e, double limit) {
  gv_context *context = e->context;
  gv_status status = GV_OK;
  cudaStream_t stream = e->queue->stream;
  unsigned long long bits;
  memcpy(&bits, &limit, sizeof bits);
  /* Not the two sums at the end. */
  GV_CUDA_TRY(context, cudaMemsetAsync(e->arguments.found, 0, offsetof(cost_found, least), stream),
              "tiles of travel cost");
  GV_CUDA_TRY(context, cudaMemsetAsync(&e->arguments.found->least, 0xff, sizeof e->found->least, stream),
              "tiles of travel cost");
  choose_tiles<<<blocks_of((int64_t)e->arguments.across * e->arguments.down), BLOCK, 0, stream>>>(
      e->arguments, e->chosen, bits);
  GV_CUDA_LAUNCHED(context, "tiles of travel cost");
  GV_CUDA_TRY(context,
              cudaMemcpyAsync(e->found, e->arguments.found, sizeof *e->found, cudaMemcpyDeviceToHost, stream),
              "tiles of travel cost");
  status = gv_cuda_wait(context, e->queue, "tiles of travel cost");
done:
  return status;
}

/* The costs up to which the next round visits tiles: a step beyond the least pending one. The step grows
 * while a round has too few tiles to fill the device. It begins with the first cost above 0, as seeds in
 * centers of cells start at 0. Gain: 1.6x on 21600x8700 cells by 8 tiles a multiprocessor and steps that are
 * four times as long while tiles are few, against 4 and 1.5. */
double limit_of(const engine *e, double limit, double *step) {
  const int32_t chosen = e->found->chosen, enough = 8 * e->queue->multiprocessors; /* tiles of a round */
  double least;
  memcpy(&least, &e->found->least, sizeof least);
  if (*step == 0.0)
    *step = least * 0x1p-10;
  else if (chosen > 0)
    *step *= chosen < enough / 16 ? 4.0 : chosen < enough ? 1.5 : 0.8;
  return fmax(limit, least + *step);
}

/* Visits tiles until none is left. */
gv_status rounds(engine *e, bool of_seeds) {
  gv_context *context = e->context;
  visit_fn *visit;
  size_t bytes;
  gv_status status = visit_of(e, of_seeds, &visit, &bytes);
  const double cells = (double)e->cost->is.width * (double)e->cost->is.height;
  double limit = of_seeds ? (double)INFINITY : 0.0, step = 0.0;
  while (status == GV_OK) {
    status = choose(e, limit);
    if (status != GV_OK || e->found->pending == 0) break;
    if (e->found->pending > e->found->chosen) limit = limit_of(e, limit, &step);
    if (e->found->chosen == 0) continue;
    gv_cuda_mark_begin(e->queue);
    visit<<<e->found->chosen, COST_THREADS, bytes, e->queue->stream>>>(e->arguments);
    gv_cuda_mark_end(e->queue);
    GV_CUDA_LAUNCHED(context, "tiles of travel cost");
    if (context->progress != NULL &&
        !context->progress((double)e->found->reached / cells, context->progress_user))
      status = gv_fail(context, GV_ERROR_CANCELLED, "cancelled");
  }
done:
  return status;
}

gv_status start(engine *e, bool of_seeds) {
  gv_status status = GV_OK;
  if (e->start_count > 0)
    put_starts<<<blocks_of(e->start_count), BLOCK, 0, e->queue->stream>>>(e->arguments, e->starts,
                                                                          e->start_count, of_seeds);
  GV_CUDA_LAUNCHED(e->context, "starts of travel cost");
  status = rounds(e, of_seeds);
done:
  return status;
}

/* Device memory of the raster and its tiles. */
gv_status reserve(engine *e, const gv_cost_starts *starts) {
  gv_cost *c = e->cost;
  cost_arguments *a = &e->arguments;
  const int64_t tiles = (int64_t)a->across * a->down, rows = c->is.height + GV_COST_LONGEST;
  void *at[9];
  const size_t bytes[9] = {(size_t)c->cells * sizeof *a->friction,
                           (size_t)rows * COST_LENGTHS * sizeof *a->lengths,
                           (size_t)c->cells * sizeof *a->cost,
                           (size_t)c->cells * sizeof *a->seed,
                           (size_t)tiles * sizeof *a->changed,
                           (size_t)tiles * sizeof *a->key,
                           (size_t)tiles * sizeof *e->chosen,
                           (size_t)(starts->count + 1) * sizeof *e->starts,
                           sizeof *a->found};
  for (int i = 0; i < 9; i++)
    GV_TRY(gv_cuda_reserve(e->context, e->queue, i, bytes[i], &at[i]));
  a->friction = static_cast<double *>(at[0]);
  a->lengths = static_cast<double *>(at[1]);
  a->cost = static_cast<double *>(at[2]);
  a->seed = static_cast<int32_t *>(at[3]);
  a->changed = static_cast<uint32_t *>(at[4]);
  a->key = static_cast<unsigned long long *>(at[5]);
  a->chosen = e->chosen = static_cast<int32_t *>(at[6]);
  e->starts = static_cast<gv_cost_entry *>(at[7]);
  a->found = static_cast<cost_found *>(at[8]);
  GV_TRY(gv_cuda_reserve_pinned(e->context, e->queue, 0, sizeof *e->found, &at[0]));
  e->found = static_cast<cost_found *>(at[0]);
  GV_TRY(gv_cuda_upload(e->context, e->queue, const_cast<double *>(a->friction), c->friction, bytes[0],
                        "friction"));
  GV_TRY(gv_cuda_upload(e->context, e->queue, const_cast<double *>(a->lengths), c->lengths.of_row, bytes[1],
                        "lengths of moves"));
  return gv_cuda_upload(e->context, e->queue, e->starts, starts->entries,
                        (size_t)starts->count * sizeof *e->starts, "starts of travel cost");
}

gv_status run_on_queue(engine *e, const gv_cost_starts *starts) {
  gv_context *context = e->context;
  gv_cost *c = e->cost;
  cost_arguments *a = &e->arguments;
  const int64_t tiles = (int64_t)a->across * a->down;
  gv_status status = reserve(e, starts);
  if (status != GV_OK) return status;
  GV_CUDA_TRY(context, cudaMemsetAsync(a->changed, 0, (size_t)tiles * sizeof *a->changed, e->queue->stream),
              "tiles of travel cost");
  GV_CUDA_TRY(context, cudaMemsetAsync(a->key, 0xff, (size_t)tiles * sizeof *a->key, e->queue->stream),
              "tiles of travel cost");
  GV_CUDA_TRY(context, cudaMemsetAsync(a->found, 0, sizeof *a->found, e->queue->stream),
              "tiles of travel cost");
  fill_cells<<<blocks_of(c->cells), BLOCK, 0, e->queue->stream>>>(*a, c->cells);
  GV_CUDA_LAUNCHED(context, "tiles of travel cost");
  status = start(e, false);
  if (status == GV_OK) status = start(e, true);
  if (status != GV_OK) goto done;
  c->may_overflow = c->may_overflow || e->found->may_overflow != 0;
  finish_seeds<<<blocks_of(c->cells), BLOCK, 0, e->queue->stream>>>(*a, c->cells);
  GV_CUDA_LAUNCHED(context, "seeds of travel cost");
  status = gv_cuda_download(context, e->queue, c->cost, a->cost, (size_t)c->cells * sizeof *a->cost,
                            "travel cost");
  if (status == GV_OK)
    status = gv_cuda_download(context, e->queue, c->seed, a->seed, (size_t)c->cells * sizeof *a->seed,
                              "seeds of travel cost");
done:
  return status;
}

gv_status run(gv_context *context, gv_cost *c, const gv_cost_starts *starts) {
  engine e = {};
  e.context = context;
  e.cost = c;
  e.start_count = starts->count;
  cost_arguments *a = &e.arguments;
  a->stride = c->stride;
  a->width = c->is.width;
  a->height = c->is.height;
  a->across = (int32_t)((c->is.width + COST_SIDE - 1) / COST_SIDE);
  a->down = (int32_t)((c->is.height + COST_SIDE - 1) / COST_SIDE);
  a->wraps = c->wraps;
  a->most = c->is.most;
  for (int i = 0; i < GV_COST_MOST_MOVES; i++)
    a->offset[i] = (int16_t)(gv_cost_moves[i][1] * COST_WITH + gv_cost_moves[i][0]);
  gv_status status = gv_cuda_queue_take(context, -1, &e.queue);
  if (status != GV_OK) return status;
  status = run_on_queue(&e, starts);
  gv_cuda_queue_give(context, e.queue);
  return status;
}

} // namespace

} // namespace gv

extern "C" {
extern const gv_cost_device gv_cuda_cost;
const gv_cost_device gv_cuda_cost = {gv::run};
}
