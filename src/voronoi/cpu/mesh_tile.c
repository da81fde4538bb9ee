/*
 * The culling engine for meshes and lists of cells. A tile is a part of the mesh's own tree (cells/parts.h):
 * its candidates are culled (see cull.h) and passed to its four children, until one candidate or 64 cells are
 * left; the cells are then decided one by one. Only positions of such cells are computed: bounds need none.
 * Blocks of a list of places are sorted to such a tree (mesh_list.h).
 *
 * A mesh itself (QTM, HEALPix, S2) is written in the order of cell numbers, in which a part is one
 * span. For a raster with a QTM level, the triangles under a block of pixels are computed once, strip by
 * strip, into rows of the octant; a pixel then finds its triangle by its position in the row. In the
 * coordinates of the lattice that takes one product a pixel; pixels too near an edge use gv_qtm_from_lonlat.
 * If there are many more triangles than pixels, only the pixels' own are computed, by the engine for rasters.
 *
 * HEALPix in the RING scheme is computed by parts of the NESTED scheme, those that meet the rings of a block
 * (cells/rings.h). Gain: 2.4x on level 10 with 10,000 seeds, over sorting the cells as a list.
 *
 * Lists of candidates are narrowed from the roots of the tree down to the first parts of a block, once.
 */
#include <string.h>

#include "cells/lattice.h"
#include "cells/rings.h"
#include "core/parallel.h"
#include "voronoi/cpu/leaf.h"
#include "voronoi/cpu/mesh_list.h"
#include "voronoi/k_nearest.h"

enum {
  BLOCK_BITS = 5,     /* size of the sub-triangles that strips consist of: cells a side as a power of 2 */
  TREE_MAX_DEPTH = 8, /* half a million nodes */
  MANY_CELLS = 4,     /* triangles a pixel from which on pixels are computed one by one */
  CHUNK = 256,        /* pixels at a time */
  MANY_ACROSS = 64,   /* and triangles along a pixel's upper edge: strips are kept short */
  RING_BITS = 5,      /* parts that a block of rings is made of: cells a side as a power of 2 */
  /* blocks of fewer rings are sorted as lists are: most cells of their parts are not theirs */
  FEW_RINGS = 16
};

/* id NULL: not narrowed here, or passed to all children. */
typedef gv_id_list mesh_node;

typedef struct mesh_state {
  const gv_kernels *kernels;
  gv_workspace_pool pool;
  mesh_node *node[TREE_MAX_DEPTH + 1]; /* by depth: the roots x 4^depth nodes */
  int depths;
  /* the cells that parts are of: those of the problem, or `rings` in the order of parts */
  const gv_cells *mesh;
  gv_rings rings;       /* those of a mesh in rings */
  gv_list_table *table; /* of a list of places; NULL: none */
  /* Rasters only: the engine for blocks with few pixels, and each column's octant and place in it. */
  void *pixels;
  int8_t *quarter;
  double *fraction;
} mesh_state;

/* Output of results: by number, or by row and place. */
typedef struct mesh_work {
  const gv_voronoi *v;
  const mesh_state *state;
  gv_workspace *space;
  const gv_labels *mask;    /* of a span of numbers; NULL: none */
  const gv_mesh_list *list; /* parts are of this; NULL: of the mesh */
  const gv_rings *rings;    /* results go to these; NULL: by number, or by row and place */
  int32_t *out;
  int64_t band_stride;
  bool by_number;
  int64_t base;               /* number of out[0] */
  int64_t row, place, stride; /* of out[0], and between rows */
  double x[GV_MESH_LEAF_CELLS + GV_TABLE_PADDING];
  double y[GV_MESH_LEAF_CELLS + GV_TABLE_PADDING];
  double z[GV_MESH_LEAF_CELLS + GV_TABLE_PADDING];
} mesh_work;

/* ------------------------------------------------------------------------------------------ sub-triangles */

static void fill_span(int32_t *out, int64_t count, int32_t label) {
  for (int64_t i = 0; i < count; i++)
    out[i] = label;
}

static int32_t *mesh_tile_place_of(const mesh_work *j, int64_t row, int64_t place) {
  return j->out + (row - j->row) * j->stride + (place - j->place);
}

static int64_t cells_of_part(const mesh_work *j, const gv_part *part) {
  int64_t count = gv_mesh_part_count(part), left = j->list != NULL ? j->list->count - part->first : count;
  return left < count ? left : count;
}

/* The number of a part's cell; `order`: as gv_part_positions returned it. */
static int64_t mesh_tile_number_of(const mesh_work *j, const gv_part *part, const uint8_t *order,
                                   int32_t at) {
  if (j->list != NULL) return j->base + j->list->cell[part->first + at];
  return part->first + (order != NULL ? order[at] : at);
}

/* A part with one result: label[v->k]. */
static void fill_part(const mesh_work *j, const gv_mesh_part *part, const int32_t *label) {
  int64_t side = INT64_C(1) << part->bits, row = gv_mesh_part_row(part), east = part->least[GV_QTM_EAST];
  for (int32_t band = 0; band < j->v->k; band++) {
    int64_t offset = band * j->band_stride;
    if (j->list != NULL) {
      for (int64_t i = 0; i < cells_of_part(j, part); i++)
        j->out[offset + j->list->cell[part->first + i]] = label[band];
      continue;
    }
    if (j->rings != NULL) {
      gv_rings_fill(j->rings, part, label[band], j->out + offset);
      continue;
    }
    if (j->by_number) {
      fill_span(j->out + offset + (part->first - j->base), gv_mesh_part_count(part), label[band]);
      continue;
    }
    for (int64_t i = 0; i < side; i++) {
      if (part->down) {
        fill_span(mesh_tile_place_of(j, row + i, 2 * (east + i) + 1) + offset, 2 * (side - i) - 1,
                  label[band]);
      } else {
        fill_span(mesh_tile_place_of(j, row + i, 2 * east) + offset, 2 * i + 1, label[band]);
      }
    }
  }
}

/* Canonical decisions for the cells that the geodesic filter left open. */
static void decide_open_cells(const mesh_work *j, const gv_part *part, const uint8_t *order, bool nearest,
                              const gv_candidates *candidates, const gv_leaf *leaf) {
  const gv_voronoi *v = j->v;
  for (int32_t u = 0; u < leaf->undecided_count; u++) {
    int32_t at = leaf->undecided[u], found[GV_VORONOI_MAX_K];
    gv_cell_place place = {{leaf->x[at], leaf->y[at], leaf->z[at]}, 0.0, 0.0};
    gv_cell_lonlat(j->state->mesh, mesh_tile_number_of(j, part, order, at), &place.lon, &place.lat);
    if (nearest) {
      found[0] = candidates->id[gv_geodesic_decide(&v->geodesic, gv_seed_lonlats(&v->seeds), place.lon,
                                                   place.lat, place.vector, candidates, NULL)];
    } else {
      gv_k_nearest_geodesic(v, &place, candidates->id, candidates->count, found);
    }
    for (int32_t band = 0; band < v->k; band++)
      leaf->out[band * leaf->band_stride + at] = found[band] >= 0 ? v->label[found[band]] : v->nodata;
  }
}

/* Whether the bound of a leaf is computed from the positions of its cells: for HEALPix and S2, because bounds
 * of its parts are far larger. Gain: 1.4x on level 10 with 10,000 seeds. */
static bool is_bound_by_positions(const mesh_work *j, const gv_part *part) {
  return j->list == NULL && gv_grid_has_wide_bounds(&j->state->mesh->grid) && part->bits <= GV_MESH_LEAF_BITS;
}

/* `k_order`: groups of the candidates, or NULL if only the nearest seed is needed. */
static gv_status decide_leaf(mesh_work *j, const gv_part *part, const gv_bound *bound, double slack,
                             const gv_candidates *candidates, const gv_order *k_order) {
  const uint8_t *order = NULL;
  const gv_voronoi *v = j->v;
  const gv_kernels *kernels = j->state->kernels;
  int32_t found[GV_VORONOI_MAX_K * GV_MESH_LEAF_CELLS], cells = (int32_t)cells_of_part(j, part);
  const gv_mesh_list *list = j->list;
  if (list == NULL && !is_bound_by_positions(j, part))
    order = gv_part_positions(j->state->mesh, part, j->x, j->y, j->z);
  gv_leaf leaf = {.rows = 1,
                  .columns = cells,
                  .x = list != NULL ? list->x + part->first : j->x,
                  .y = list != NULL ? list->y + part->first : j->y,
                  .z = list != NULL ? list->z + part->first : j->z,
                  .point_stride = cells,
                  .out = found,
                  .out_stride = cells,
                  .band_stride = GV_MESH_LEAF_CELLS};
  GV_TRY(k_order != NULL ? gv_leaf_k_nearest(v, kernels, j->space, bound, slack, candidates, k_order, &leaf)
                         : gv_leaf_prepare(v, j->space, candidates, slack, &leaf));
  if (k_order == NULL) {
    (v->cells.metric == GV_GEODESIC ? kernels->leaf_points3_filter : kernels->leaf_points3)(&leaf);
  }
  if (v->cells.metric == GV_GEODESIC) decide_open_cells(j, part, order, k_order == NULL, candidates, &leaf);
  for (int32_t band = 0; band < v->k; band++) {
    const int32_t *from = found + band * GV_MESH_LEAF_CELLS;
    if (j->rings != NULL) {
      gv_rings_write(j->rings, part, from, j->out + band * j->band_stride);
    } else if (j->by_number) {
      int32_t *out = j->out + band * j->band_stride;
      for (int32_t i = 0; i < cells; i++)
        out[mesh_tile_number_of(j, part, order, i) - j->base] = from[i];
    } else {
      const gv_mesh_order *place = gv_mesh_order_of(v->cells.tables, part);
      int32_t *out = mesh_tile_place_of(j, gv_mesh_part_row(part), 2 * (int64_t)part->least[GV_QTM_EAST]) +
                     band * j->band_stride;
      for (int32_t i = 0; i < cells; i++)
        out[place->row[i] * j->stride + place->place[i]] = from[i];
    }
  }
  return GV_OK;
}

/* The bound of a part; of leaves that are bound by them the positions too. */
static void bound_of_part(mesh_work *j, const gv_part *part, gv_bound *bound) {
  if (is_bound_by_positions(j, part)) {
    double *const at[3] = {j->x, j->y, j->z};
    double box[6];
    gv_part_positions(j->state->mesh, part, j->x, j->y, j->z);
    j->state->kernels->box(at, 0, gv_mesh_part_count(part), box);
    gv_mesh_box_bound(&box[0], &box[3], bound);
  } else if (j->list != NULL) {
    gv_mesh_list_bound(j->list, part->first, cells_of_part(j, part), bound);
  } else {
    gv_part_bound(j->state->mesh, part, bound);
  }
}

static gv_status solve_part(gv_context *context, mesh_work *j, const gv_mesh_part *part, int depth,
                            const gv_candidates *in) {
  const gv_voronoi *v = j->v;
  const gv_kernels *kernels = j->state->kernels;
  gv_bound bound;
  if (j->rings != NULL && !gv_rings_meet(j->rings, part)) return GV_OK;
  if (j->mask != NULL && gv_masked(j->mask, 0, part->first - j->base, 1, gv_mesh_part_count(part)))
    return GV_OK;
  if (in->count == 1 && gv_nearest_only(v) && isinf(v->max_distance)) {
    fill_part(j, part, &v->label[in->id[0]]);
    return GV_OK;
  }
  bound_of_part(j, part, &bound);
  double slack;
  GV_TRY(gv_cull_to_level(v, kernels, &bound, in, j->space, depth, &slack));
  gv_candidates *candidates = &j->space->level[depth].candidates;
  if (gv_nearest_only(v) && v->cells.metric == GV_GEODESIC) {
    gv_geodesic_thin(&v->geodesic, &bound, slack, candidates);
  }
  bool nearest =
      gv_nearest_only(v) && candidates->count > 0 && !gv_limit_is_open(v, kernels, &bound, candidates);
  gv_order k_order;
  if (nearest && candidates->count == 1) {
    fill_part(j, part, &v->label[candidates->id[0]]);
    return GV_OK;
  }
  if (!nearest) {
    int32_t label[GV_VORONOI_MAX_K];
    GV_TRY(gv_order_make(v, kernels, j->space, &bound, &slack, candidates, &k_order));
    if (gv_order_decides(v, &k_order, candidates, label)) {
      fill_part(j, part, label);
      return GV_OK;
    }
  }
  if (part->bits <= GV_MESH_LEAF_BITS) {
    return decide_leaf(j, part, &bound, slack, candidates, nearest ? NULL : &k_order);
  }
  gv_status status = GV_OK;
  for (int child = 0; child < 4 && status == GV_OK; child++) {
    gv_part below;
    gv_part_child(j->state->mesh, part, child, &below);
    if (j->list != NULL && below.first >= j->list->count) break;
    status = solve_part(context, j, &below, depth + 1, candidates);
  }
  return status;
}

/* --------------------------------------------------------------------------------------------------- tree */

/* The shortest list that holds the candidates of a part. */
static const mesh_node *list_of(const mesh_state *state, int level, int bits, int64_t first) {
  int depth = level - bits < state->depths ? level - bits : state->depths - 1;
  for (; depth >= 0; depth--) {
    const mesh_node *node = &state->node[depth][first >> 2 * (level - depth)];
    if (node->id != NULL) return node;
  }
  return NULL;
}

static gv_status solve_from_tree(gv_context *context, mesh_work *j, const gv_part *part) {
  const mesh_node *node = j->list != NULL ? NULL : list_of(j->state, part->level, part->bits, part->first);
  GV_TRY(gv_level_gather(j->v, j->space, 0, node != NULL ? node->id : NULL,
                         node != NULL ? node->count : j->v->seeds.count));
  return solve_part(context, j, part, 1, &j->space->level[0].candidates);
}

/* One node's list from its parent's. */
static gv_status narrow(gv_context *context, const gv_voronoi *v, mesh_state *state, int depth, int64_t index,
                        const mesh_node *parent) {
  const mesh_node all = {NULL, v->seeds.count};
  gv_part part;
  gv_bound bound;
  gv_part_at(state->mesh, gv_parts_level(state->mesh) - depth, index, &part);
  gv_part_bound(state->mesh, &part, &bound);
  return gv_narrow(context, v, state->kernels, &state->pool, parent != NULL ? parent : &all, 1, &bound,
                   &state->node[depth][index]);
}

/* A level of the tree being made, of the nodes above it. */
typedef struct mesh_tile_narrowing {
  const gv_voronoi *v;
  mesh_state *state;
  const mesh_node *above;
  int depth;
} mesh_tile_narrowing;

static gv_status narrow_some(gv_worker *worker, int64_t first, int64_t end) {
  const mesh_tile_narrowing *n = worker->user;
  gv_status status = GV_OK;
  for (int64_t i = first; i < end && status == GV_OK; i++) {
    const mesh_node *parent = n->above != NULL ? &n->above[i / 4] : NULL;
    if (parent != NULL && (parent->id == NULL || parent->count < GV_TILE_TREE_MIN_CANDIDATES)) continue;
    status = narrow(&worker->context, n->v, n->state, n->depth, i, parent);
  }
  return status;
}

/* Depth by depth, while lists are long enough to matter, down to parts of 2^bits cells a side. */
static gv_status tree_build(gv_context *context, const gv_voronoi *v, mesh_state *state, int bits) {
  int deepest = gv_parts_level(&v->cells) - bits;
  if (deepest > TREE_MAX_DEPTH) deepest = TREE_MAX_DEPTH;
  int64_t entries = 0;
  for (int depth = 0; depth <= deepest && entries < GV_TILE_TREE_MAX_ENTRIES; depth++) {
    int64_t nodes = (int64_t)gv_parts_roots(&v->cells) << 2 * depth;
    mesh_node *above = depth > 0 ? state->node[depth - 1] : NULL;
    bool any = depth == 0 && v->seeds.count >= GV_TILE_TREE_MIN_CANDIDATES;
    for (int64_t i = 0; above != NULL && i < nodes / 4 && !any; i++)
      any = above[i].id != NULL && above[i].count >= GV_TILE_TREE_MIN_CANDIDATES;
    if (!any) break;
    state->node[depth] = gv_allocate_zeroed(&v->allocator, nodes, sizeof(mesh_node));
    if (state->node[depth] == NULL) return gv_fail_memory(context, "the tree of the mesh");
    state->depths = depth + 1;
    mesh_tile_narrowing n = {v, state, above, depth};
    gv_loop loop = {context, context->threads, nodes, 4, NULL, &n};
    GV_TRY(gv_parallel_for(&loop, narrow_some));
    for (int64_t i = 0; above != NULL && i < nodes / 4; i++) {
      if (above[i].id == NULL || above[i].count < GV_TILE_TREE_MIN_CANDIDATES) continue;
      entries -= above[i].count;
      gv_release(&v->allocator, above[i].id);
      above[i].id = NULL;
    }
    for (int64_t i = 0; i < nodes; i++)
      entries += state->node[depth][i].count;
  }
  return GV_OK;
}

/* ----------------------------------------------------------------------------------------------- the mesh */

static void mesh_destroy(const gv_voronoi *v, void *opaque) {
  mesh_state *state = opaque;
  if (state == NULL) return;
  for (int depth = 0; depth < state->depths; depth++) {
    for (int64_t i = 0; i < (int64_t)gv_parts_roots(&v->cells) << 2 * depth; i++)
      gv_release(&v->allocator, state->node[depth][i].id);
    gv_release(&v->allocator, state->node[depth]);
  }
  gv_list_table_destroy(v, state->table);
  if (state->pixels != NULL) gv_engine_tile.destroy(v, state->pixels);
  gv_release(&v->allocator, state->quarter);
  gv_release(&v->allocator, state->fraction);
  gv_workspace_pool_clear(&state->pool);
  gv_release(&v->allocator, state);
}

static gv_status state_create(gv_context *context, gv_voronoi *v, int bits, mesh_state **out) {
  mesh_state *state = gv_allocate_zeroed(&v->allocator, 1, sizeof *state);
  if (state == NULL) return gv_fail_memory(context, "the engine");
  gv_workspace_pool_init(&state->pool);
  state->kernels = gv_kernels_get();
  const bool rings = gv_grid_is_in_rings(&v->cells.grid);
  state->mesh = &v->cells;
  if (rings) {
    gv_rings_init(&v->cells, &state->rings);
    state->mesh = &state->rings.mesh;
    bits = state->rings.healpix.order < RING_BITS ? state->rings.healpix.order : RING_BITS;
  }
  gv_status status = rings || !gv_grid_is_unordered(&v->cells.grid)
                         ? tree_build(context, v, state, bits)
                         : gv_list_table_create(context, v, state->kernels, &state->pool, &state->table);
  if (status != GV_OK) {
    mesh_destroy(v, state);
    return status;
  }
  *out = state;
  return GV_OK;
}

static gv_status mesh_create(gv_context *context, gv_voronoi *v, void **out) {
  mesh_state *state = NULL;
  int bits = 0;
  while (INT64_C(4) << 2 * bits <= v->block_width && bits < gv_parts_level(&v->cells))
    bits++;
  GV_TRY(state_create(context, v, bits, &state));
  *out = state;
  return GV_OK;
}

/* All places of a block of a list. */
static gv_status list_block(gv_context *context, mesh_work *j, const gv_tile *tile, const gv_labels *block) {
  gv_mesh_list list;
  gv_part all = {.bits = GV_MESH_LEAF_BITS};
  j->mask = NULL; /* cells are in another order: masked cells are reset afterwards */
  j->list = &list;
  gv_status status = gv_mesh_list_make(context, j->v, j->space, j->state->table, tile, block, &list);
  if (status == GV_OK && list.count > 0) {
    while (gv_mesh_part_count(&all) < list.count)
      all.bits++;
    status = solve_from_tree(context, j, &all);
  }
  j->list = NULL;
  return status;
}

/* A block is a span of numbers of one part, or, on the coarsest levels, of several roots. */
/* The parts in a part that meet the rings of a block. */
static gv_status ring_parts(gv_context *context, mesh_work *j, const gv_part *part) {
  if (!gv_rings_meet(j->rings, part)) return GV_OK;
  if (part->bits <= RING_BITS) return solve_from_tree(context, j, part);
  gv_status status = GV_OK;
  for (int child = 0; child < 4 && status == GV_OK; child++) {
    gv_part below;
    gv_part_child(j->state->mesh, part, child, &below);
    status = ring_parts(context, j, &below);
  }
  return status;
}

static gv_status ring_block(gv_context *context, mesh_work *j, const gv_tile *tile, const gv_labels *block) {
  const gv_cells *mesh = j->state->mesh;
  gv_rings rings = j->state->rings;
  gv_rings_choose(tile->c0, tile->c1, &rings);
  if (rings.high - rings.low + 1 < FEW_RINGS) return list_block(context, j, tile, block);
  j->mask = NULL; /* of cells in another order, as of lists */
  j->rings = &rings;
  gv_status status = GV_OK;
  for (int root = 0; root < gv_parts_roots(mesh) && status == GV_OK; root++) {
    gv_part part;
    gv_part_at(mesh, gv_parts_level(mesh), root, &part);
    status = ring_parts(context, j, &part);
  }
  j->rings = NULL;
  return status;
}

static gv_status mesh_block(gv_context *context, const gv_voronoi *v, void *opaque, const gv_tile *tile,
                            const gv_labels *block, int *uniform) {
  (void)uniform;
  mesh_state *state = opaque;
  gv_workspace *space = gv_workspace_acquire(context, &state->pool);
  if (space == NULL) return GV_ERROR_OUT_OF_MEMORY;
  mesh_work j = {.v = v,
                 .state = state,
                 .space = space,
                 .mask = block,
                 .out = block->out,
                 .band_stride = block->band_stride,
                 .by_number = true,
                 .base = tile->c0};
  bool list = gv_grid_is_unordered(&v->cells.grid);
  int bits = 0, level = gv_parts_level(&v->cells);
  while (bits < level && INT64_C(4) << 2 * bits <= tile->c1 - tile->c0)
    bits++;
  gv_status status = gv_grid_is_in_rings(&v->cells.grid) ? ring_block(context, &j, tile, block)
                     : list                              ? list_block(context, &j, tile, block)
                                                         : GV_OK;
  for (int64_t first = tile->c0; !list && first < tile->c1 && status == GV_OK;
       first += INT64_C(1) << 2 * bits) {
    gv_part part;
    gv_part_at(&v->cells, bits, first >> 2 * bits, &part);
    status = solve_from_tree(context, &j, &part);
  }
  gv_workspace_release(&state->pool, space);
  if (status == GV_OK) gv_block_apply_mask(v, tile, block);
  return status;
}

/* ----------------------------------------------------------------------------------- rasters of triangles */

/* A column's longitude, also where the raster's rows begin at a pole (which has but one). */
static double longitude_of(const gv_voronoi *v, int64_t column) {
  const double *g = v->cells.grid.geotransform;
  double lon = g[0] + ((double)column + 0.5) * g[1], equator = 0.0;
  gv_normalize_lonlat(&lon, &equator);
  return lon;
}

static gv_status raster_create(gv_context *context, gv_voronoi *v, void **out) {
  mesh_state *state = NULL;
  int level = v->cells.grid.level;
  int64_t width = v->cells.grid.width;
  GV_TRY(state_create(context, v, level < BLOCK_BITS ? level : BLOCK_BITS, &state));
  state->quarter = gv_allocate(&v->allocator, width, sizeof *state->quarter);
  state->fraction = gv_allocate(&v->allocator, width, sizeof *state->fraction);
  gv_status status = GV_OK;
  if (state->quarter == NULL || state->fraction == NULL) {
    status = gv_fail_memory(context, "the raster's columns");
  } else {
    status = gv_engine_tile.create(context, v, &state->pixels);
    if (status != GV_OK) state->pixels = NULL;
  }
  if (status != GV_OK) {
    mesh_destroy(v, state);
    return status;
  }
  for (int64_t c = 0; c < width; c++)
    state->quarter[c] = (int8_t)gv_lattice_quarter(longitude_of(v, c), &state->fraction[c]);
  *out = state;
  return GV_OK;
}

/* A row of pixels in its octants: distance from the pole in rows of the mesh. */
typedef struct pixel_row {
  double latitude, distance;
  int64_t row; /* of the mesh */
  bool south, doubtful;
} pixel_row;

static pixel_row row_of_pixels(const gv_voronoi *v, int64_t row) {
  pixel_row p;
  double lon, n = (double)(INT64_C(1) << v->cells.grid.level);
  gv_cells_lonlat(&v->cells, 0, row, &lon, &p.latitude);
  p.south = p.latitude < 0.0;
  p.distance = gv_lattice_rows(n, p.latitude);
  p.row = (int64_t)p.distance;
  if (p.row > (int64_t)n - 1) p.row = (int64_t)n - 1;
  p.doubtful = gv_lattice_near_end(p.distance - (double)p.row);
  return p;
}

/* A strip of sub-triangles of an octant, those from `first` to `last` (ups; the downs between them too). */
typedef struct strip {
  int octant, bits;
  int64_t number, first, last;
} strip;

static gv_status solve_strip(gv_context *context, mesh_work *j, const strip *b) {
  int level = j->v->cells.grid.level;
  int64_t side = INT64_C(1) << b->bits, width = 2 * side * (b->last - b->first + 1);
  gv_workspace *space = j->space;
  int64_t wanted = width * side * j->v->k;
  j->out = gv_buffer_reserve(&space->triangles, &space->allocator, wanted, sizeof *j->out);
  if (j->out == NULL) return gv_fail_memory(context, "a strip of the mesh");
  j->by_number = false;
  j->row = b->number * side;
  j->place = 2 * side * b->first;
  j->stride = width;
  j->band_stride = width * side;
  int32_t coarse = INT32_C(1) << (level - b->bits);
  gv_status status = GV_OK;
  for (int64_t place = 2 * b->first; place <= 2 * b->last + 1 && place <= 2 * b->number && status == GV_OK;
       place++) {
    gv_qtm_cell cell = {.level = level - b->bits, .octant = b->octant, .down = place % 2 != 0};
    cell.least[GV_QTM_EAST] = (int32_t)(place / 2);
    cell.least[GV_QTM_WEST] = (int32_t)(b->number - place / 2 - place % 2);
    cell.least[GV_QTM_POLE] = (int32_t)(coarse - 1 - b->number);
    gv_mesh_part part;
    gv_mesh_part_at(level, b->bits, gv_qtm_number(gv_qtm_cell_to_id(&cell)), &part);
    status = solve_from_tree(context, j, &part);
  }
  return status;
}

/* One pixel by the exact rule: from the strip if its triangle is there, else for itself. */
static gv_status doubtful_pixel(gv_context *context, mesh_work *j, const strip *b, int64_t column,
                                double latitude, int32_t *out, int64_t band_stride) {
  const gv_voronoi *v = j->v;
  double lon = longitude_of(v, column);
  gv_qtm_id id;
  gv_qtm_cell cell;
  if (gv_qtm_from_lonlat(v->cells.grid.level, lon, latitude, &id) != GV_OK) {
    return gv_fail(context, GV_ERROR_INTERNAL, "no triangle at %.17g %.17g", lon, latitude);
  }
  gv_qtm_cell_from_id(id, &cell);
  int64_t side = INT64_C(1) << b->bits;
  int64_t row = cell.least[GV_QTM_WEST] + cell.least[GV_QTM_EAST] + (cell.down ? 1 : 0);
  int64_t place = 2 * (int64_t)cell.least[GV_QTM_EAST] + (cell.down ? 1 : 0);
  if (cell.octant == b->octant && row / side == b->number && place >= 2 * side * b->first &&
      place < 2 * side * (b->last + 1)) {
    for (int32_t band = 0; band < v->k; band++)
      out[band * band_stride] = mesh_tile_place_of(j, row, place)[band * j->band_stride];
    return GV_OK;
  }
  mesh_work single = *j;
  gv_mesh_part part;
  single.out = out;
  single.band_stride = band_stride;
  single.by_number = true;
  single.base = gv_qtm_number(id);
  gv_mesh_part_at(v->cells.grid.level, 0, single.base, &part);
  return solve_from_tree(context, &single, &part);
}

/* Pixels [c0, c1) of a row, all in the strip's octant. */
static gv_status write_pixels(gv_context *context, mesh_work *j, const strip *b, const pixel_row *p,
                              int64_t c0, int64_t c1, int32_t *out, int64_t band_stride) {
  const double *fraction = j->state->fraction;
  double distance = p->distance, inside = p->distance - (double)p->row;
  gv_status status = GV_OK;
  if (p->doubtful) {
    for (int64_t c = c0; c < c1 && status == GV_OK; c++)
      status = doubtful_pixel(context, j, b, c, p->latitude, out + (c - c0), band_stride);
    return status;
  }
  /* Two loops, the first of which compilers make vectors of. A doubtful place may lie just outside the
   * strip. */
  const int32_t *row = mesh_tile_place_of(j, p->row, j->place);
  int32_t first = (int32_t)j->place, last = (int32_t)j->stride - 1, place[CHUNK];
  double least = 1.0; /* distance of any pixel from an edge */
  for (int64_t c = c0; c < c1; c += CHUNK) {
    int32_t count = c1 - c < CHUNK ? (int32_t)(c1 - c) : CHUNK;
    for (int32_t i = 0; i < count; i++) {
      double east = distance * fraction[c + i];
      int32_t whole = (int32_t)east;
      double rest = east - whole, side = fabs(rest - inside), end = 1.0 - rest;
      int32_t at = 2 * whole + (rest > inside ? 1 : 0) - first;
      side = rest < side ? rest : side;
      side = end < side ? end : side;
      least = side < least ? side : least;
      place[i] = at < 0 ? 0 : at > last ? last : at;
    }
    for (int32_t band = 0; band < j->v->k; band++) {
      const int32_t *from = row + band * j->band_stride;
      int32_t *to = out + band * band_stride + (c - c0);
      for (int32_t i = 0; i < count; i++)
        to[i] = from[place[i]];
    }
  }
  bool doubt = least < gv_lattice_near;
  for (int64_t c = c0; doubt && c < c1 && status == GV_OK; c++) {
    double east = distance * fraction[c], rest = east - floor(east);
    if (gv_lattice_near_side(inside, rest)) {
      status = doubtful_pixel(context, j, b, c, p->latitude, out + (c - c0), band_stride);
    }
  }
  return status;
}

/* Rows [r0, r1) of a block with pixels in one strip of rows of the mesh. */
static gv_status band_of_rows(gv_context *context, mesh_work *j, const gv_tile *tile, int64_t r0, int64_t r1,
                              const gv_labels *block) {
  const gv_voronoi *v = j->v;
  const mesh_state *state = j->state;
  int level = v->cells.grid.level, bits = level < BLOCK_BITS ? level : BLOCK_BITS;
  pixel_row one = row_of_pixels(v, r0), other = row_of_pixels(v, r1 - 1);
  double least = fmin(one.distance, other.distance), most = fmax(one.distance, other.distance);
  for (int64_t c = tile->c0, end; c < tile->c1; c = end) {
    for (end = c + 1; end < tile->c1 && state->quarter[end] == state->quarter[c];)
      end++;
    if (gv_masked(block, r0 - tile->r0, c - tile->c0, r1 - r0, end - c)) continue;
    double west = fmin(state->fraction[c], state->fraction[end - 1]);
    double east = fmax(state->fraction[c], state->fraction[end - 1]);
    strip b = {
        .octant = 1 + state->quarter[c] + (one.south ? 4 : 0), .bits = bits, .number = one.row >> bits};
    b.first = (int64_t)(least * west) >> bits;
    b.last = (int64_t)(most * east) >> bits;
    if (b.last > b.number) b.last = b.number;
    if (b.first > b.last) b.first = b.last;
    gv_status status = solve_strip(context, j, &b);
    for (int64_t r = r0; r < r1 && status == GV_OK; r++) {
      pixel_row p = row_of_pixels(v, r);
      int32_t *pixels = block->out + (r - tile->r0) * block->stride + (c - tile->c0);
      status = write_pixels(context, j, &b, &p, c, end, pixels, block->band_stride);
    }
    if (status != GV_OK) return status;
  }
  return GV_OK;
}

/* True if there are so few pixels that only their own triangles should be computed. */
static bool few_pixels(const gv_voronoi *v) {
  const double *g = v->cells.grid.geotransform;
  double n = (double)(INT64_C(1) << v->cells.grid.level);
  /* a pixel's sides in those of triangles */
  double across = n * fabs(g[1]) / 90.0, down = n * fabs(g[5]) / 90.0;
  return 2.0 * across * down > MANY_CELLS || across > MANY_ACROSS;
}

static gv_status raster_block(gv_context *context, const gv_voronoi *v, void *opaque, const gv_tile *tile,
                              const gv_labels *block, int *uniform) {
  mesh_state *state = opaque;
  if (few_pixels(v)) return gv_engine_tile.block(context, v, state->pixels, tile, block, uniform);
  gv_workspace *space = gv_workspace_acquire(context, &state->pool);
  if (space == NULL) return GV_ERROR_OUT_OF_MEMORY;
  mesh_work j = {.v = v, .state = state, .space = space};
  int level = v->cells.grid.level, bits = level < BLOCK_BITS ? level : BLOCK_BITS;
  gv_status status = GV_OK;
  for (int64_t r = tile->r0, end; r < tile->r1 && status == GV_OK; r = end) {
    pixel_row first = row_of_pixels(v, r);
    for (end = r + 1; end < tile->r1; end++) {
      pixel_row next = row_of_pixels(v, end);
      if (next.south != first.south || next.row >> bits != first.row >> bits) break;
    }
    status = band_of_rows(context, &j, tile, r, end, block);
  }
  gv_workspace_release(&state->pool, space);
  if (status == GV_OK) gv_block_apply_mask(v, tile, block);
  return status;
}

const gv_engine gv_engine_mesh = {mesh_create, mesh_block, mesh_destroy, NULL, NULL};
const gv_engine gv_engine_mesh_raster = {raster_create, raster_block, mesh_destroy, NULL, NULL};
