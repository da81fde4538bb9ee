/* Chooses the levels of a raster, from sizes only, by estimates of the cost of each narrowing step. */
#include <math.h>

#include "voronoi/gpu/raster_state.cuh"

enum { MAX_LOG = 42, LEAST_LOG = 5 };

/* The mean distance between neighboring seeds, in cells, if they are spread evenly. */
static double spacing(const gv_voronoi *v) {
  return sqrt((double)v->cells.grid.width * (double)v->cells.grid.height / (double)v->seeds.count);
}

/* The side of the tiles of a level, in cells. On meshes and lists a tile is a span of 2^log cells. */
static double plan_side_of(const gv_voronoi *v, int log) {
  return gv_grid_is_list(&v->cells.grid) ? sqrt(ldexp(1.0, log)) : ldexp(1.0, log);
}

/* The seeds in the tile and a ring of neighbors. */
double gv_cuda_list_length(const gv_voronoi *v, int log) {
  double n = (double)v->seeds.count, across = plan_side_of(v, log) / spacing(v) + 2.0;
  double length = across * across + (double)(v->k - 1);
  return length < n ? length : n;
}

/* Groups are about as wide as sqrt(GROUP) seeds, and one is kept for any of its seeds. */
double gv_cuda_group_list_length(const gv_voronoi *v, int log) {
  double n = ceil((double)v->seeds.count / gv::GROUP);
  double across = plan_side_of(v, log) / (spacing(v) * sqrt((double)gv::GROUP)) + 3.0;
  double length = across * across + (double)(v->k - 1);
  return length < n ? length : n;
}

/* The share of tiles with more than one candidate: those that a border between two seeds crosses. */
static double mixed_share(const gv_voronoi *v, int log) {
  double share = 2.5 * plan_side_of(v, log) / spacing(v);
  return v->k > 1 || share > 1.0 ? 1.0 : share;
}

/* Microseconds of one step of narrowing, from lists of tiles of 2^parent cells a side (`from` candidates) to
 * the tiles of a level. Cycles measured on one H200, good enough to choose by anywhere. */
static double short_cost(const gv_cuda_raster *raster, int parent, double from, int log) {
  const gv_grid *grid = &raster->v->cells.grid;
  double tiles = (double)tiles_of(grid->width, grid->height, log), rounds = ceil(from / 32.0);
  double passes = (1.0 + raster->v->k) / 2.0, mixed = mixed_share(raster->v, parent);
  double cycles = tiles * (mixed * (1200.0 + 500.0 * rounds * passes) + (1.0 - mixed) * 150.0);
  /* Seeds in clusters: some lists are much longer than most, and one warp's time is a lower bound. */
  double work = cycles / (4.0 * raster->queue->multiprocessors) / 1700.0, tail = 3.0 + 50.0 * rounds * passes;
  return 4.0 + (work > tail ? work : tail);
}

/* The same for many blocks a tile. */
static double long_cost(const gv_cuda_raster *raster, double from, int log) {
  const gv_grid *grid = &raster->v->cells.grid;
  double tiles = (double)tiles_of(grid->width, grid->height, log);
  return 40.0 + tiles * from * (4.0 + raster->v->k) * 8.0 / (4.0 * raster->queue->multiprocessors) / 1700.0 +
         0.05 * tiles;
}

static double leaf_cost(const gv_cuda_raster *raster, int parent, double from, int side_log) {
  const gv_grid *grid = &raster->v->cells.grid;
  double quads = (double)tiles_of(grid->width, grid->height, side_log),
         cells = (double)grid->width * grid->height;
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
  return cycles / (4.0 * raster->queue->multiprocessors) / 1700.0;
}

int gv_cuda_top_log(const gv_voronoi *v) {
  if (v->cells.grid.kind == GV_GRID_QTM) return 2 * v->cells.grid.level + 3;
  int top = LEAST_LOG;
  while (top < MAX_LOG && tiles_of(v->cells.grid.width, v->cells.grid.height, top) > 1)
    top++;
  return top;
}

/* As many cells as a seed has. */
int gv_cuda_places_leaf(const gv_voronoi *v) {
  const double cells = spacing(v) * spacing(v);
  const int top = gv_cuda_top_log(v);
  int log = LEAST_LOG;
  while (log < (int)gv::LEAF_LOG && log < top && ldexp(1.0, log) < cells)
    log++;
  return log;
}

/* Cost of sorting seeds along the curve and of the steps that it needs. */
static double grouping_cost(const gv_voronoi *v) {
  return 80.0 + 2e-4 * (double)v->seeds.count;
}

bool gv_cuda_may_group(const gv_cuda_raster *raster) {
  int64_t n = raster->v->seeds.count;
  return raster->norm == gv::SQUARE && n > 2 * gv::GROUP && n < INT32_MAX / 2 &&
         (size_t)n < raster->queue->memory_bytes / 512;
}

/* Dynamic programming over levels: first steps by long lists, of groups (if allowed) and then of seeds, then
 * steps by short ones, then leaves. */
int gv_cuda_plan_levels(gv_cuda_raster *raster, bool groups, root_step *root) {
  const gv_voronoi *v = raster->v;
  int top = gv_cuda_top_log(v), roots = 0, side_log = 5, levels = 0, log[MAX_LOG + 1];
  if (raster->form == gv::MESH) {
    /* Sub-triangles only, and above them the whole mesh. */
    int octant = 2 * v->cells.grid.level;
    side_log = octant < (int)gv::LEAF_LOG ? octant : (int)gv::LEAF_LOG;
    for (int l = side_log; l <= octant; l += 2)
      log[levels++] = l;
    log[levels++] = top;
  } else if (raster->form == gv::PLACES) {
    side_log = gv_cuda_places_leaf(v);
    for (int l = side_log; l < top; l++)
      log[levels++] = l;
    log[levels++] = top > side_log ? top : side_log;
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
    double from = i == levels - 1 ? (double)v->seeds.count : gv_cuda_list_length(v, log[i]);
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
    double group_lists =
        i == levels - 1 ? ceil((double)v->seeds.count / gv::GROUP) : gv_cuda_group_list_length(v, log[i]);
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
