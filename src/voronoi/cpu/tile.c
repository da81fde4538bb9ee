/*
 * The culling engine for rasters.
 *
 * A tile's candidates are culled (see cull.h), and what is left goes to the tile's four children, until one candidate
 * is left (a constant) or the tile is small enough to be decided cell by cell.
 * No structure over the seeds is needed; each seed is looked at a few hundred times in all.
 *
 * A tree of tiles over the whole grid narrows the seeds down to each block once; blocks go on from there.
 */
#include <string.h>

#include "voronoi/cpu/discs.h"
#include "voronoi/cpu/leaf.h"
#include "voronoi/rank.h"

enum {
  MICROTILE = 8,          /* cells a side of the squares whose bounds a block of points keeps */
  STAGED_BYTES = 1 << 22, /* blocks up to this are made beside a raster whose rows are pages apart */
  PAGE_BYTES = 4096,
  TREE_PARALLEL =
      1 << 13 /* entries of a level of the tree that are worth other threads' start, and their spinning after */
};

typedef struct tree_node {
  gv_tile tile;
  int32_t *id; /* NULL: all seeds */
  int32_t count;
  int32_t child; /* first of four; -1 for a leaf of the tree */
} tree_node;

typedef struct tile_state {
  const gv_kernels *kernels;
  tree_node *node;
  int32_t node_count, node_capacity;
  gv_discs *discs; /* NULL: not to be had */
  gv_workspace_pool pool;
} tile_state;

/* -------------------------------------------------------------------------------------------------- blocks */

/* One block at work. */
typedef struct job {
  const gv_voronoi *v;
  const gv_kernels *kernels;
  const gv_discs *discs;
  gv_workspace *space;
  gv_tile block;
  const gv_block *target; /* mask, and where the block's cells go */
  /* Blocks of points: row-major over the block. */
  const double *x, *y, *z, *lon, *lat;
  int64_t box_columns;
  int64_t mask_columns; /* boxes across the mask */
  int64_t boxes_across; /* of target->alike */
} job;

/* Writes one answer, label[v->k] (NULL: nodata), into all cells of a block, without looking at what is there. */
static void fill_block(const gv_voronoi *v, const gv_kernels *kernels, const gv_tile *tile, const gv_block *block,
                       const int32_t *label) {
  for (int32_t band = 0; band < v->k; band++) {
    int32_t *out = block->out + band * block->band_stride;
    int64_t rows = tile->r1 - tile->r0, columns = tile->c1 - tile->c0;
    if (label != NULL) {
      kernels->fill(out, block->stride, rows, columns, label[band]);
    } else {
      kernels->clear(out, block->stride, rows, columns, v->nodata);
    }
  }
}

static gv_leaf_kernel leaf_kernel(const gv_cells *cells, const gv_kernels *kernels) {
  switch (cells->shape) {
  case GV_CELLS_PLANE:
    return kernels->leaf_plane[cells->metric];
  case GV_CELLS_LONLAT:
    return cells->metric == GV_GEODESIC ? kernels->leaf_lonlat_filter : kernels->leaf_lonlat;
  case GV_CELLS_POINTS:
    break;
  }
  if (cells->dim == 2) return kernels->leaf_points2[cells->metric];
  return cells->metric == GV_GEODESIC ? kernels->leaf_points3_filter : kernels->leaf_points3;
}

static int32_t *place_in(const job *j, const gv_tile *tile) {
  return j->target->out + (tile->r0 - j->block.r0) * j->target->stride + (tile->c0 - j->block.c0);
}

/* The part of the block that a tile is. */
static gv_block part_of(const job *j, const gv_tile *tile) {
  gv_block part = *j->target;
  if (part.mask != NULL) part.mask += (tile->r0 - j->block.r0) * part.mask_stride + (tile->c0 - j->block.c0);
  part.out = place_in(j, tile);
  return part;
}

/* What the mask keeps of a tile: GV_KEEPS_SOME, GV_LEAVES_SOME, or both. Tiles start where boxes do. */
static int mask_of(const job *j, const gv_tile *tile) {
  if (j->target->mask == NULL) return GV_KEEPS_SOME;
  int64_t c0 = (tile->c0 - j->block.c0) / GV_BOX_COLUMNS, r0 = (tile->r0 - j->block.r0) / GV_BOX_ROWS;
  int64_t c1 = (tile->c1 - j->block.c0 + GV_BOX_COLUMNS - 1) / GV_BOX_COLUMNS;
  int64_t r1 = (tile->r1 - j->block.r0 + GV_BOX_ROWS - 1) / GV_BOX_ROWS;
  int state = 0;
  for (int64_t r = r0; r < r1 && state != (GV_KEEPS_SOME | GV_LEAVES_SOME); r++) {
    for (int64_t c = c0; c < c1; c++)
      state |= j->space->mask_boxes[r * j->mask_columns + c];
  }
  return state;
}

/* Tells what is known of the boxes of a tile whose cells are not all alike. Tiles begin where boxes do. */
static void mark_boxes(const job *j, const gv_tile *tile, uint8_t mark) {
  uint64_t c0 = (uint64_t)(tile->c0 - j->block.c0) / GV_BOX_COLUMNS,
           r0 = (uint64_t)(tile->r0 - j->block.r0) / GV_BOX_ROWS;
  uint8_t *first = j->target->alike + (int64_t)r0 * j->boxes_across + (int64_t)c0;
  *first = mark; /* mostly all there is */
  if (tile->c1 - tile->c0 <= GV_BOX_COLUMNS && tile->r1 - tile->r0 <= GV_BOX_ROWS) return;
  for (int64_t r = tile->r0; r < tile->r1; r += GV_BOX_ROWS, first += j->boxes_across) {
    for (int64_t c = tile->c0; c < tile->c1; c += GV_BOX_COLUMNS)
      first[(c - tile->c0) / GV_BOX_COLUMNS] = mark;
  }
}

/* Writes one answer into a tile whatever the mask says; if it is the whole block it may be enough to say so. */
static void write_tile(const job *j, const gv_tile *tile, const int32_t *label) {
  gv_block part = part_of(j, tile);
  gv_tile cells = *tile;
  if (part.uniform != NULL && cells.c1 - cells.c0 == j->block.c1 - j->block.c0 &&
      cells.r1 - cells.r0 == j->block.r1 - j->block.r0) {
    *part.uniform = 1;
    cells.c1 = cells.c0 + 1;
    cells.r1 = cells.r0 + 1;
  }
  fill_block(j->v, j->kernels, &cells, &part, label);
}

static void fill_nodata(const job *j, const gv_tile *tile) {
  write_tile(j, tile, NULL);
}

/*
 * Goes through a tile of which the mask leaves out some cells, by stretches of boxes that are alike: nodata where all are
 * left out; elsewhere the answer `label`, if there is one, or what is there already.
 */
static void write_masked(const job *j, const gv_tile *tile, const int32_t *label) {
  for (int64_t r = tile->r0; r < tile->r1; r += GV_BOX_ROWS) {
    int64_t below = r + GV_BOX_ROWS < tile->r1 ? r + GV_BOX_ROWS : tile->r1;
    const uint8_t *box = j->space->mask_boxes + (r - j->block.r0) / GV_BOX_ROWS * j->mask_columns;
    for (int64_t c = tile->c0, end; c < tile->c1; c = end) {
      int state = box[(c - j->block.c0) / GV_BOX_COLUMNS];
      for (end = c + GV_BOX_COLUMNS; end < tile->c1; end += GV_BOX_COLUMNS)
        if (box[(end - j->block.c0) / GV_BOX_COLUMNS] != state) break;
      gv_tile stretch = {c, end < tile->c1 ? end : tile->c1, r, below};
      gv_block part = part_of(j, &stretch);
      if (state == GV_LEAVES_SOME) {
        fill_block(j->v, j->kernels, &stretch, &part, NULL);
      } else {
        if (label != NULL) fill_block(j->v, j->kernels, &stretch, &part, label);
        if (state != GV_KEEPS_SOME) gv_block_apply_mask(j->v, &stretch, &part);
      }
      if (j->target->alike != NULL && state != GV_KEEPS_SOME)
        mark_boxes(j, &stretch, state == GV_LEAVES_SOME ? GV_BOX_ALIKE : GV_BOX_MIXED);
    }
  }
}

/* Takes back what was written to cells that the mask leaves out. */
static void mask_tile(const job *j, const gv_tile *tile) {
  if (mask_of(j, tile) != GV_KEEPS_SOME) write_masked(j, tile, NULL);
}

/* A tile of one answer: label[v->k]. */
static void fill_tile(const job *j, const gv_tile *tile, const int32_t *label) {
  if (mask_of(j, tile) == GV_KEEPS_SOME) {
    write_tile(j, tile, label);
  } else {
    write_masked(j, tile, label);
  }
}

/* Longitude, latitude and position of a cell of the globe; NaN if it has none. */
static void place_of_cell(const job *j, int64_t column, int64_t row, double *lon, double *lat, double vector[3]) {
  const gv_cells *cells = &j->v->cells;
  if (cells->shape == GV_CELLS_LONLAT) {
    gv_cells_lonlat(cells, column, row, lon, lat);
    vector[0] = cells->row_p[row] * cells->column_x[column];
    vector[1] = cells->row_p[row] * cells->column_y[column];
    vector[2] = cells->row_z[row];
  } else {
    int64_t cell = (row - j->block.r0) * (j->block.c1 - j->block.c0) + column - j->block.c0;
    *lon = j->lon[cell];
    *lat = j->lat[cell];
    vector[0] = j->x[cell];
    vector[1] = j->y[cell];
    vector[2] = j->z[cell];
  }
}

/*
 * Geodesics from far away: chords leave several candidates open in most cells, distances expanded around the tile's
 * middle cell tell them apart. Worth it where the chords' slack, as a distance, is well above what the expansion
 * leaves open, about radius^2 / distance. Culls the list; true if `expansion` serves the tile's cells.
 */
static bool expand_tile(const job *j, const gv_tile *tile, const gv_bound *bound, double slack,
                        gv_candidates *candidates, gv_expansion *expansion) {
  const gv_voronoi *v = j->v;
  if (v->cells.metric != GV_GEODESIC) return false;
  gv_geodesic_thin(&v->geodesic, bound, slack, candidates);
  if (candidates->count < 2 || candidates->count > GV_EXPANSION_LARGEST) return false;
  if (!(slack > 8.0 * bound->radius * bound->radius)) return false;
  double lon, lat, vector[3], square = 0.0;
  place_of_cell(j, (tile->c0 + tile->c1) / 2, (tile->r0 + tile->r1) / 2, &lon, &lat, vector);
  if (isnan(lon)) return false;
  for (int d = 0; d < 3; d++)
    square += (vector[d] - bound->centre[d]) * (vector[d] - bound->centre[d]);
  double reach = (bound->radius + sqrt(square)) * (1.0 + 1e-9) + 1e-12;
  if (!gv_expansion_make(&v->geodesic, gv_seed_lonlats(&v->seeds), lon, lat, vector, reach, candidates, expansion))
    return false;
  gv_expansion_cull(&v->geodesic, expansion, candidates);
  return true;
}

/* Canonical decisions for the cells that the geodesic filter left open. */
static void decide_open_cells(const job *j, const gv_tile *tile, const gv_leaf *leaf,
                              const gv_expansion *expansion) {
  const gv_voronoi *v = j->v;
  for (int32_t u = 0; u < leaf->undecided_count; u++) {
    int32_t row = leaf->undecided[u] / leaf->columns, column = leaf->undecided[u] % leaf->columns;
    double lon, lat, vector[3];
    place_of_cell(j, tile->c0 + column, tile->r0 + row, &lon, &lat, vector);
    if (isnan(lon)) continue;
    int32_t place =
        gv_geodesic_decide(&v->geodesic, gv_seed_lonlats(&v->seeds), lon, lat, vector, leaf->candidates, expansion);
    leaf->out[row * leaf->out_stride + column] = v->label[leaf->candidates->id[place]];
  }
}

/* The leaf's cells: positions and where they go. */
static gv_leaf make_leaf(const job *j, const gv_tile *tile) {
  const gv_cells *cells = &j->v->cells;
  int64_t c0 = tile->c0 - j->block.c0, r0 = tile->r0 - j->block.r0;
  gv_leaf leaf = {.rows = (int32_t)(tile->r1 - tile->r0),
                  .columns = (int32_t)(tile->c1 - tile->c0),
                  .out = place_in(j, tile),
                  .out_stride = j->target->stride,
                  .band_stride = j->target->band_stride};
  if (cells->shape == GV_CELLS_POINTS) {
    leaf.point_stride = j->block.c1 - j->block.c0;
    int64_t first = r0 * leaf.point_stride + c0;
    leaf.x = j->x + first;
    leaf.y = j->y + first;
    leaf.z = j->z != NULL ? j->z + first : NULL;
  } else {
    leaf.column_x = cells->column_x + tile->c0;
    leaf.column_y = cells->column_y != NULL ? cells->column_y + tile->c0 : NULL;
    leaf.row_p = cells->row_p != NULL ? cells->row_p + tile->r0 : NULL;
    leaf.row_z = cells->row_z + tile->r0;
    leaf.row_inverse = cells->row_inverse != NULL ? cells->row_inverse + tile->r0 : NULL;
  }
  return leaf;
}

static bool decide_leaf(const job *j, const gv_tile *tile, double slack, bool limited,
                        const gv_candidates *candidates, const gv_expansion *expansion) {
  gv_leaf leaf = make_leaf(j, tile);
  if (!gv_leaf_prepare(j->v, j->space, candidates, slack, &leaf)) return false;
  if (limited) {
    leaf.start = nextafter(j->v->limit, INFINITY);
    leaf.nobody = (double)j->v->nodata;
  }
  leaf_kernel(&j->v->cells, j->kernels)(&leaf);
  if (j->v->cells.metric == GV_GEODESIC) decide_open_cells(j, tile, &leaf, expansion);
  return true;
}

/* The same where more is asked than the nearest seed. */
static bool rank_leaf(const job *j, const gv_tile *tile, const gv_bound *bound, double slack,
                      const gv_candidates *candidates, const gv_order *order) {
  const gv_voronoi *v = j->v;
  gv_leaf leaf = make_leaf(j, tile);
  if (!gv_leaf_rank(v, j->kernels, j->space, bound, slack, candidates, order, &leaf)) return false;
  for (int32_t u = 0; u < leaf.undecided_count; u++) {
    int32_t row = leaf.undecided[u] / leaf.columns, column = leaf.undecided[u] % leaf.columns;
    int32_t found[GV_VORONOI_MAX_K];
    gv_place place;
    place_of_cell(j, tile->c0 + column, tile->r0 + row, &place.lon, &place.lat, place.vector);
    if (isnan(place.lon)) continue;
    gv_rank_geodesic(v, &place, candidates->id, candidates->count, found);
    for (int32_t band = 0; band < v->k; band++) {
      leaf.out[band * leaf.band_stride + row * leaf.out_stride + column] =
          found[band] >= 0 ? v->label[found[band]] : v->nodata;
    }
  }
  return true;
}

/* Bound of a tile of a block of points, from the boxes of its squares; false if no cell there has a position. Tiles
 * start at multiples of MICROTILE within the block. */
static bool points_bound(const job *j, const gv_tile *tile, gv_bound *out) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  int64_t c0 = (tile->c0 - j->block.c0) / MICROTILE, c1 = (tile->c1 - j->block.c0 + MICROTILE - 1) / MICROTILE;
  int64_t r0 = (tile->r0 - j->block.r0) / MICROTILE, r1 = (tile->r1 - j->block.r0 + MICROTILE - 1) / MICROTILE;
  for (int64_t r = r0; r < r1; r++) {
    for (int64_t c = c0; c < c1; c++) {
      const double *box = j->space->boxes + 6 * (r * j->box_columns + c);
      for (int d = 0; d < 3; d++) {
        low[d] = fmin(low[d], box[d]);
        high[d] = fmax(high[d], box[3 + d]);
      }
    }
  }
  if (!(low[0] <= high[0])) return false;
  memset(out, 0, sizeof *out);
  double square = 0.0;
  for (int d = 0; d < 3; d++) {
    out->centre[d] = 0.5 * (low[d] + high[d]);
    /* The middle and the half are rounded; position_error, a few ulps, is part of every limit. */
    out->generator[d][d] = 0.5 * (high[d] - low[d]);
    square += out->generator[d][d] * out->generator[d][d];
  }
  out->radius = sqrt(square) * (1.0 + 1e-12);
  out->extent_across = out->extent_down = out->radius;
  return true;
}

/* Where to split a length: at the largest power of two below it, so that tiles start at multiples of their size. */
static int64_t split_at(int64_t length) {
  int64_t half = 1;
  while (half * 2 < length)
    half *= 2;
  return half;
}

static gv_status solve_tile(gv_context *context, const job *j, const gv_tile *tile, int depth,
                            const gv_candidates *in);

/* The four children of a tile, or two; `ranked`: not only the nearest is asked for. */
static gv_status solve_children(gv_context *context, const job *j, const gv_tile *tile, const gv_bound *bound,
                                int depth, bool ranked, const gv_candidates *candidates) {
  int64_t columns = tile->c1 - tile->c0, rows = tile->r1 - tile->r0;
  /* Split the longer side on the ground, or both if they are about equal; never below a leaf's size, and where ranked
   * leaves may be larger not below that at first. */
  bool large = ranked && (columns > GV_RANKED_COLUMNS || rows > GV_RANKED_ROWS);
  int64_t least_columns = large ? GV_RANKED_COLUMNS : GV_LEAF_COLUMNS,
          least_rows = large ? GV_RANKED_ROWS : GV_LEAF_ROWS;
  bool across = columns > least_columns && (rows <= least_rows || 2.0 * bound->extent_across > bound->extent_down);
  bool down = rows > least_rows && (!across || 2.0 * bound->extent_down > bound->extent_across);
  int64_t c = across ? tile->c0 + split_at(columns) : tile->c1, r = down ? tile->r0 + split_at(rows) : tile->r1;
  for (int part = 0; part < 4; part++) {
    gv_tile child = {part & 1 ? c : tile->c0, part & 1 ? tile->c1 : c, part & 2 ? r : tile->r0,
                     part & 2 ? tile->r1 : r};
    if (child.c0 >= child.c1 || child.r0 >= child.r1) continue;
    gv_status status = solve_tile(context, j, &child, depth + 1, candidates);
    if (status != GV_OK) return status;
  }
  return GV_OK;
}

/* A tile with its candidates. `open`: the limit may run through it. */
static gv_status decide_tile(gv_context *context, const job *j, const gv_tile *tile, const gv_bound *bound,
                             int depth, double slack, bool open, gv_candidates *candidates) {
  const gv_voronoi *v = j->v;
  bool nearest = gv_asks_nearest(v) && !(open && v->cells.metric == GV_GEODESIC), expanded = false;
  gv_expansion expansion;
  gv_order order;
  if (candidates->count == 0) {
    fill_nodata(j, tile);
    return GV_OK;
  }
  if (nearest) {
    expanded = expand_tile(j, tile, bound, slack, candidates, &expansion);
    if (candidates->count == 1 && !open) {
      fill_tile(j, tile, &v->label[candidates->id[0]]);
      return GV_OK;
    }
  } else {
    int32_t label[GV_VORONOI_MAX_K];
    if (!gv_order_make(v, j->kernels, j->space, bound, &slack, candidates, &order)) {
      return gv_fail_memory(context, "candidate lists");
    }
    if (gv_order_settles(v, &order, candidates, label)) {
      fill_tile(j, tile, label);
      return GV_OK;
    }
  }
  int64_t columns = tile->c1 - tile->c0, rows = tile->r1 - tile->r0;
  bool leaf = nearest ? columns <= GV_LEAF_COLUMNS && rows <= GV_LEAF_ROWS
                      : gv_leaf_is_due(v, candidates, &order, rows, columns);
  if (!leaf) return solve_children(context, j, tile, bound, depth, !nearest, candidates);
  bool pair = nearest && !open && candidates->count == 2;
  if (j->target->alike != NULL) mark_boxes(j, tile, pair ? GV_BOX_PAIR : GV_BOX_MIXED);
  bool done = nearest ? decide_leaf(j, tile, slack, open, candidates, expanded ? &expansion : NULL)
                      : rank_leaf(j, tile, bound, slack, candidates, &order);
  if (!done) return gv_fail_memory(context, "a leaf tile");
  mask_tile(j, tile);
  return GV_OK;
}

/*
 * A tile that limits run through, by the discs of its candidates: filled once, then painted, then what may be in several
 * discs is answered like any tile. `*done` is false if that is not the way.
 */
static gv_status paint_tile(gv_context *context, const job *j, const gv_tile *tile, int depth,
                            const gv_candidates *candidates, bool *done) {
  gv_disc_plan plan;
  *done = j->discs != NULL && gv_discs_plan(j->v, j->discs, tile, candidates, &plan);
  if (!*done) return GV_OK;
  gv_block target = *j->target;
  job parts = *j;
  target.uniform = NULL;
  if (target.alike != NULL) mark_boxes(j, tile, GV_BOX_MIXED);
  target.alike = NULL; /* discs are painted over what is filled */
  target.mask = NULL;  /* applied to all of the tile at the end */
  parts.target = &target;
  fill_nodata(&parts, tile);
  gv_discs_paint(j->v, j->discs, tile, candidates, &plan, place_in(j, tile), j->target->stride);
  gv_status status = GV_OK;
  for (int32_t i = 0; i < plan.rectangles && status == GV_OK; i++)
    status = solve_tile(context, &parts, &plan.rectangle[i], depth + 1, candidates);
  if (status == GV_OK) mask_tile(j, tile);
  return status;
}

static gv_status solve_tile(gv_context *context, const job *j, const gv_tile *tile, int depth,
                            const gv_candidates *in) {
  const gv_voronoi *v = j->v;
  gv_bound bound;
  if (mask_of(j, tile) == GV_LEAVES_SOME) {
    fill_nodata(j, tile);
    return GV_OK;
  }
  if (v->cells.shape == GV_CELLS_POINTS && v->cells.dim == 3) {
    if (!points_bound(j, tile, &bound)) {
      fill_nodata(j, tile);
      return GV_OK;
    }
  } else {
    gv_cells_bound(&v->cells, tile, &bound);
  }
  if (depth >= GV_MAX_DEPTH) return gv_fail(context, GV_ERROR_INTERNAL, "tiles nest too deeply");
  double slack;
  if (!gv_cull_to_level(v, j->kernels, &bound, in, j->space, depth, &slack)) {
    return gv_fail_memory(context, "candidate lists");
  }
  gv_candidates *candidates = &j->space->level[depth].candidates;
  bool open = gv_limit_is_open(v, j->kernels, &bound, candidates);
  if (open && (tile->c1 - tile->c0 > GV_LEAF_COLUMNS || tile->r1 - tile->r0 > GV_LEAF_ROWS)) {
    bool done;
    gv_status status = paint_tile(context, j, tile, depth, candidates, &done);
    if (status != GV_OK || done) return status;
  }
  return decide_tile(context, j, tile, &bound, depth, slack, open, candidates);
}

/* Smallest and largest of the values of a square of cells; comparisons pass over NaN, cells without a position. */
static void range_of_square(const double *value, int64_t stride, const gv_tile *square, double *low, double *high) {
  double least = INFINITY, most = -INFINITY;
  for (int64_t r = square->r0; r < square->r1; r++) {
    const double *row = value + r * stride;
    for (int64_t c = square->c0; c < square->c1; c++) {
      least = row[c] < least ? row[c] : least;
      most = row[c] > most ? row[c] : most;
    }
  }
  *low = least;
  *high = most;
}

/* What the mask keeps, box by box. False: out of memory. */
static bool prepare_mask(job *j) {
  gv_workspace *space = j->space;
  int64_t columns = j->block.c1 - j->block.c0, rows = j->block.r1 - j->block.r0;
  if (j->target->mask == NULL) return true;
  j->mask_columns = (columns + GV_BOX_COLUMNS - 1) / GV_BOX_COLUMNS;
  int64_t boxes = j->mask_columns * ((rows + GV_BOX_ROWS - 1) / GV_BOX_ROWS);
  if (space->mask_capacity < boxes) {
    gv_release(&space->allocator, space->mask_boxes);
    space->mask_boxes = gv_allocate(&space->allocator, boxes, 1);
    space->mask_capacity = space->mask_boxes != NULL ? boxes : 0;
    if (space->mask_boxes == NULL) return false;
  }
  j->kernels->summarise(j->target->mask, j->target->mask_stride, rows, columns, space->mask_boxes, j->mask_columns);
  return true;
}

/* Positions of all cells of a block, and boxes of its squares. */
static gv_status prepare_points(gv_context *context, job *j) {
  const gv_cells *cells = &j->v->cells;
  gv_workspace *space = j->space;
  int64_t columns = j->block.c1 - j->block.c0, rows = j->block.r1 - j->block.r0, n = columns * rows;
  int64_t stride = n + GV_TABLE_PADDING;
  bool globe = cells->dim == 3;
  int arrays = globe ? 5 : 2;
  if (space->points_capacity < stride * arrays) {
    gv_release(&space->allocator, space->points);
    space->points = gv_allocate_zeroed(&space->allocator, stride * arrays, sizeof(double));
    space->points_capacity = space->points != NULL ? stride * arrays : 0;
    if (space->points == NULL) return gv_fail_memory(context, "the positions of a block");
  }
  double *x = space->points, *y = x + stride, *z = globe ? y + stride : NULL;
  double *lon = globe ? z + stride : NULL, *lat = globe ? lon + stride : NULL;
  gv_status status = gv_cells_positions(context, cells, &j->block, x, y, z, lon, lat, NULL);
  if (status != GV_OK) return status;
  j->x = x;
  j->y = y;
  j->z = z;
  j->lon = lon;
  j->lat = lat;
  if (!globe) return GV_OK;

  j->box_columns = (columns + MICROTILE - 1) / MICROTILE;
  int64_t box_rows = (rows + MICROTILE - 1) / MICROTILE, boxes = 6 * j->box_columns * box_rows;
  if (space->boxes_capacity < boxes) {
    gv_release(&space->allocator, space->boxes);
    space->boxes = gv_allocate(&space->allocator, boxes, sizeof(double));
    space->boxes_capacity = space->boxes != NULL ? boxes : 0;
    if (space->boxes == NULL) return gv_fail_memory(context, "the bounds of a block");
  }
  for (int64_t r = 0; r < rows; r += MICROTILE) {
    for (int64_t c = 0; c < columns; c += MICROTILE) {
      gv_tile square = {c, c + MICROTILE < columns ? c + MICROTILE : columns, r,
                        r + MICROTILE < rows ? r + MICROTILE : rows};
      double *box = space->boxes + 6 * (r / MICROTILE * j->box_columns + c / MICROTILE);
      range_of_square(x, columns, &square, &box[0], &box[3]);
      range_of_square(y, columns, &square, &box[1], &box[4]);
      range_of_square(z, columns, &square, &box[2], &box[5]);
    }
  }
  return GV_OK;
}

/* ---------------------------------------------------------------------------------------------------- tree */

static bool contains(const gv_tile *outer, const gv_tile *inner) {
  return outer->c0 <= inner->c0 && inner->c1 <= outer->c1 && outer->r0 <= inner->r0 && inner->r1 <= outer->r1;
}

/* The smallest node that holds a tile. */
static const tree_node *tree_find(const tile_state *state, const gv_tile *tile) {
  const tree_node *node = &state->node[0];
  while (node->child >= 0) {
    const tree_node *next = NULL;
    for (int i = 0; i < 4 && next == NULL; i++) {
      if (contains(&state->node[node->child + i].tile, tile)) next = &state->node[node->child + i];
    }
    if (next == NULL) break;
    node = next;
  }
  return node;
}

static bool tree_reserve(const gv_voronoi *v, tile_state *state, int64_t wanted) {
  if (wanted <= state->node_capacity) return true;
  int64_t capacity = wanted > 2 * (int64_t)state->node_capacity ? wanted : 2 * (int64_t)state->node_capacity;
  tree_node *node = gv_allocate(&v->allocator, capacity, sizeof *node);
  if (node == NULL) return false;
  if (state->node_count > 0) memcpy(node, state->node, (size_t)state->node_count * sizeof *node);
  gv_release(&v->allocator, state->node);
  state->node = node;
  state->node_capacity = (int32_t)capacity;
  return true;
}

/* The four quarters of a node's tile, on block boundaries; a side of one block is not split (two parts are empty).
 */
static void tree_quarters(const gv_voronoi *v, const gv_tile *tile, gv_tile quarter[4]) {
  int64_t bw = v->block_width, bh = v->block_height;
  int64_t columns = (tile->c1 - tile->c0 + bw - 1) / bw, rows = (tile->r1 - tile->r0 + bh - 1) / bh;
  int64_t c = columns > 1 ? tile->c0 + split_at(columns) * bw : tile->c1;
  int64_t r = rows > 1 ? tile->r0 + split_at(rows) * bh : tile->r1;
  for (int part = 0; part < 4; part++) {
    quarter[part] = (gv_tile){part & 1 ? c : tile->c0, part & 1 ? tile->c1 : c, part & 2 ? r : tile->r0,
                              part & 2 ? tile->r1 : r};
  }
}

/* Narrows the parent's list for some of its four children. */
static gv_status tree_narrow(gv_context *context, const gv_voronoi *v, tile_state *state, const tree_node *parent,
                             int first, int parts) {
  gv_status status = GV_OK;
  for (int part = first; part < first + parts && status == GV_OK; part++) {
    tree_node *node = &state->node[parent->child + part];
    if (node->tile.c0 >= node->tile.c1 || node->tile.r0 >= node->tile.r1) continue;
    gv_bound bound;
    gv_cells_bound(&v->cells, &node->tile, &bound);
    status = gv_narrow(context, v, state->kernels, &state->pool, &bound, parent->id, parent->count, &node->id,
                       &node->count);
  }
  return status;
}

/*
 * Level by level from the whole grid down to blocks. A node is narrowed only while its list is long enough to
 * matter and all lists together stay within GV_TREE_MAX_ENTRIES; blocks below an unexpanded node start from its list.
 */
static gv_status tree_build(gv_context *context, gv_voronoi *v, tile_state *state) {
  if (!tree_reserve(v, state, 1)) return gv_fail_memory(context, "the tree of tiles");
  state->node[0] = (tree_node){{0, v->cells.grid.width, 0, v->cells.grid.height}, NULL, v->seeds.count, -1};
  state->node_count = 1;
  if (v->cells.shape == GV_CELLS_POINTS && v->cells.dim == 3) return GV_OK; /* bounds need positions */
  int64_t entries = 0;
  int32_t first = 0, last = 1;
  gv_first_error error;
  gv_first_error_init(&error);
  while (first < last) {
    int32_t next = state->node_count;
    int64_t planned = entries;
    if (!tree_reserve(v, state, next + 4 * (int64_t)(last - first)))
      return gv_fail_memory(context, "the tree of tiles");
    for (int32_t i = first; i < last; i++) {
      tree_node *node = &state->node[i];
      bool block =
          node->tile.c1 - node->tile.c0 <= v->block_width && node->tile.r1 - node->tile.r0 <= v->block_height;
      if (block || node->count < GV_TREE_MIN_CANDIDATES ||
          planned + 4 * (int64_t)node->count > GV_TREE_MAX_ENTRIES) {
        continue;
      }
      planned += 4 * (int64_t)node->count; /* at worst; mostly a third of it */
      gv_tile quarter[4];
      tree_quarters(v, &node->tile, quarter);
      node->child = state->node_count;
      for (int part = 0; part < 4; part++) {
        state->node[state->node_count++] = (tree_node){quarter[part], NULL, 0, -1};
      }
    }
    int32_t end = state->node_count;
    /* Near the root there are fewer nodes than threads: then every child is a task of its own. */
    int parts = last - first < 4 * context->threads ? 1 : 4;
#pragma omp parallel for schedule(dynamic) num_threads(context->threads) if (planned > TREE_PARALLEL)
    for (int64_t task = 0; task < (int64_t)(last - first) * (4 / parts); task++) {
      const tree_node *parent = &state->node[first + task / (4 / parts)];
      if (parent->child < 0 || gv_first_error_seen(&error)) continue;
      gv_context worker;
      gv_context_for_worker(context, &worker);
      gv_status status = tree_narrow(&worker, v, state, parent, parts * (int)(task % (4 / parts)), parts);
      gv_first_error_set(&error, status, worker.message);
    }
    if (gv_first_error_seen(&error)) return gv_first_error_finish(&error, context);
    for (int32_t i = first; i < last; i++) {
      if (state->node[i].child < 0 || state->node[i].id == NULL) continue;
      entries -= state->node[i].count;
      gv_release(&v->allocator, state->node[i].id);
      state->node[i].id = NULL;
    }
    for (int32_t i = next; i < end; i++)
      entries += state->node[i].count;
    first = next;
    last = end;
  }
  return GV_OK;
}

/* -------------------------------------------------------------------------------------------------- engine */

static void tile_destroy(const gv_voronoi *v, void *opaque) {
  tile_state *state = opaque;
  if (state == NULL) return;
  for (int32_t i = 0; i < state->node_count; i++)
    gv_release(&v->allocator, state->node[i].id);
  gv_release(&v->allocator, state->node);
  gv_discs_destroy(v, state->discs);
  gv_workspace_pool_clear(&state->pool);
  gv_release(&v->allocator, state);
}

static gv_status tile_create(gv_context *context, gv_voronoi *v, void **out) {
  tile_state *state = gv_allocate_zeroed(&v->allocator, 1, sizeof *state);
  if (state == NULL) return gv_fail_memory(context, "the engine");
  gv_workspace_pool_init(&state->pool);
  state->kernels = gv_kernels_get();
  gv_status status = gv_discs_create(context, v, &state->discs);
  if (status == GV_OK && (state->discs == NULL || state->discs->first == NULL))
    status = tree_build(context, v, state);
  if (status != GV_OK) {
    tile_destroy(v, state);
    return status;
  }
  *out = state;
  return GV_OK;
}

/* The seeds that may matter to the job's block; NULL: the first `count` of all. */
static const int32_t *seeds_of_block(const tile_state *state, const job *j, int32_t *count) {
  const gv_discs *discs = state->discs;
  if (discs != NULL && discs->first != NULL) {
    int64_t block =
        j->block.r0 / j->v->block_height * gv_voronoi_blocks_across(j->v) + j->block.c0 / j->v->block_width;
    *count = (int32_t)(discs->first[block + 1] - discs->first[block]);
    return discs->seed + discs->first[block];
  }
  const tree_node *node = tree_find(state, &j->block);
  *count = node->count;
  return node->id;
}

static gv_status solve_block(gv_context *context, tile_state *state, job *j) {
  const gv_voronoi *v = j->v;
  const gv_tile *tile = &j->block;
  if (!prepare_mask(j)) return gv_fail_memory(context, "a summary of the mask");
  if (mask_of(j, tile) == GV_LEAVES_SOME) {
    fill_nodata(j, tile);
    return GV_OK;
  }
  int32_t count;
  const int32_t *id = seeds_of_block(state, j, &count);
  if (count == 0) {
    fill_nodata(j, tile);
    return GV_OK;
  }
  if (!gv_level_gather(v, j->space, 0, id, count)) return gv_fail_memory(context, "candidate lists");
  gv_status status = v->cells.shape == GV_CELLS_POINTS ? prepare_points(context, j) : GV_OK;
  if (status == GV_OK) status = solve_tile(context, j, tile, 1, &j->space->level[0].candidates);
  return status;
}

/* Cells of projected grids that have no position. */
static void drop_placeless(const job *j) {
  int64_t columns = j->block.c1 - j->block.c0, cells = columns * (j->block.r1 - j->block.r0);
  for (int32_t band = 0; band < j->v->k; band++) {
    int32_t *out = j->target->out + band * j->target->band_stride;
    for (int64_t i = 0; i < cells; i++) {
      if (isnan(j->lon[i])) out[i / columns * j->target->stride + i % columns] = j->v->nodata;
    }
  }
}

/*
 * In a large raster every row of a tile is a page of its own, and tiles are narrow. So blocks are made in one piece of
 * memory, which fits a cache, and copied row by row. False: out of memory.
 */
static bool stage(job *j, const gv_block *block, gv_block *target) {
  gv_workspace *space = j->space;
  int64_t columns = j->block.c1 - j->block.c0, cells = columns * (j->block.r1 - j->block.r0), all = j->v->k * cells;
  if (block->stride * (int64_t)sizeof *block->out < PAGE_BYTES || columns == j->v->cells.grid.width ||
      all * (int64_t)sizeof *block->out > STAGED_BYTES) {
    return true;
  }
  if (space->stage_capacity < all) {
    gv_release(&space->allocator, space->stage);
    space->stage = gv_allocate(&space->allocator, all, sizeof *space->stage);
    space->stage_capacity = space->stage != NULL ? all : 0;
    if (space->stage == NULL) return false;
  }
  target->out = space->stage;
  target->stride = columns;
  target->band_stride = cells;
  return true;
}

static void unstage(const job *j, const gv_block *block) {
  const gv_block *staged = j->target;
  int64_t columns = j->block.c1 - j->block.c0, rows = j->block.r1 - j->block.r0;
  if (staged->out == block->out) return;
  if (block->uniform != NULL && *block->uniform) columns = rows = 1;
  for (int32_t band = 0; band < j->v->k; band++) {
    for (int64_t r = 0; r < rows; r++) {
      memcpy(block->out + band * block->band_stride + r * block->stride,
             staged->out + band * staged->band_stride + r * staged->stride, (size_t)columns * sizeof *block->out);
    }
  }
}

static gv_status tile_block(gv_context *context, const gv_voronoi *v, void *opaque, const gv_tile *tile,
                            const gv_block *block) {
  tile_state *state = opaque;
  gv_workspace *space = gv_workspace_take(context, &state->pool);
  if (space == NULL) return GV_ERROR_OUT_OF_MEMORY;
  gv_block target = *block;
  bool projected = v->cells.grid.kind == GV_GRID_PROJECTED;
  if (projected) target.uniform = NULL;
  if (projected) target.alike = NULL; /* cells without a place are taken back at the end */
  /* Marked again where it turns out otherwise. */
  if (target.alike != NULL)
    memset(target.alike, GV_BOX_ALIKE, (size_t)(gv_boxes_across(tile) * gv_boxes_down(tile)));
  job j = {.v = v,
           .kernels = state->kernels,
           .discs = state->discs,
           .space = space,
           .block = *tile,
           .target = &target,
           .boxes_across = gv_boxes_across(tile)};
  gv_status status = stage(&j, block, &target) ? GV_OK : gv_fail_memory(context, "a block");
  if (status == GV_OK) status = solve_block(context, state, &j);
  if (status == GV_OK && projected && j.lon != NULL) drop_placeless(&j);
  if (status == GV_OK) unstage(&j, block);
  gv_workspace_give(&state->pool, space);
  return status;
}

const gv_backend_info gv_tile_info = {
    "tile", "hierarchical culling of tiles of cells; only what may win is looked at", 0, 1, 1, ""};

const gv_engine gv_engine_tile = {tile_create, tile_block, tile_destroy, NULL};
