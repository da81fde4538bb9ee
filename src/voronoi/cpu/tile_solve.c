/* A tile of a raster: culled, then computed as a whole, by its children, by discs, or cell by cell. */
#include "cells/kind.h"
#include "voronoi/cpu/leaf.h"
#include "voronoi/cpu/tile_work.h"
#include "voronoi/k_nearest.h"

static gv_leaf_kernel leaf_kernel(const gv_cells *cells, const gv_kernels *kernels) {
  if (gv_cells_turn_by_column(cells))
    return cells->metric == GV_GEODESIC ? kernels->leaf_lonlat_filter : kernels->leaf_lonlat;
  if (gv_cells_have_tables(cells)) return kernels->leaf_plane[cells->metric];
  if (cells->dim == 2) return kernels->leaf_points2[cells->metric];
  return cells->metric == GV_GEODESIC ? kernels->leaf_points3_filter : kernels->leaf_points3;
}

/* Longitude, latitude and position of a cell of the globe; NaN if it has none. */
static void place_of_cell(const gv_tile_work *j, int64_t column, int64_t row, double *lon, double *lat,
                          double vector[3]) {
  const gv_cells *cells = &j->v->cells;
  if (gv_cells_turn_by_column(cells)) {
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
 * Geodesics from far away: chords leave several candidates open in most cells; distances expanded around the
 * tile's middle cell separate them. Used if the chords' slack, as a distance, is well above the error of the
 * expansion, about radius^2 / distance. Culls the list; true if `expansion` is valid for the tile's cells.
 */
static bool expand_tile(const gv_tile_work *j, const gv_tile *tile, const gv_bound *bound, double slack,
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
    square += (vector[d] - bound->center[d]) * (vector[d] - bound->center[d]);
  double reach = (bound->radius + sqrt(square)) * (1.0 + 1e-9) + 1e-12;
  if (!gv_expansion_make(&v->geodesic, gv_seed_lonlats(&v->seeds), lon, lat, vector, reach, candidates,
                         expansion))
    return false;
  gv_expansion_cull(&v->geodesic, expansion, candidates);
  return true;
}

/* Canonical decisions for the cells that the geodesic filter left open. */
static void decide_open_cells(const gv_tile_work *j, const gv_tile *tile, const gv_leaf *leaf,
                              const gv_expansion *expansion) {
  const gv_voronoi *v = j->v;
  for (int32_t u = 0; u < leaf->undecided_count; u++) {
    int32_t row = leaf->undecided[u] / leaf->columns, column = leaf->undecided[u] % leaf->columns;
    double lon, lat, vector[3];
    place_of_cell(j, tile->c0 + column, tile->r0 + row, &lon, &lat, vector);
    if (isnan(lon)) continue;
    int32_t place = gv_geodesic_decide(&v->geodesic, gv_seed_lonlats(&v->seeds), lon, lat, vector,
                                       leaf->candidates, expansion);
    leaf->out[row * leaf->out_stride + column] = v->label[leaf->candidates->id[place]];
  }
}

/* The leaf's cells: positions and where they go. */
static gv_leaf make_leaf(const gv_tile_work *j, const gv_tile *tile) {
  const gv_cells *cells = &j->v->cells;
  int64_t c0 = tile->c0 - j->block.c0, r0 = tile->r0 - j->block.r0;
  gv_leaf leaf = {.rows = (int32_t)(tile->r1 - tile->r0),
                  .columns = (int32_t)(tile->c1 - tile->c0),
                  .out = gv_place_of_tile(j, tile),
                  .out_stride = j->target->stride,
                  .band_stride = j->target->band_stride};
  if (!gv_cells_have_tables(cells)) {
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

static gv_status decide_leaf(const gv_tile_work *j, const gv_tile *tile, double slack, bool limited,
                             const gv_candidates *candidates, const gv_expansion *expansion) {
  gv_leaf leaf = make_leaf(j, tile);
  GV_TRY(gv_leaf_prepare(j->v, j->space, candidates, slack, &leaf));
  if (limited) {
    leaf.start = nextafter(j->v->limit, INFINITY);
    leaf.empty_label = (double)j->v->nodata;
  }
  leaf_kernel(&j->v->cells, j->kernels)(&leaf);
  if (j->v->cells.metric == GV_GEODESIC) decide_open_cells(j, tile, &leaf, expansion);
  return GV_OK;
}

/* The same for k > 1, weights and limits. */
static gv_status k_nearest_leaf(const gv_tile_work *j, const gv_tile *tile, const gv_bound *bound,
                                double slack, const gv_candidates *candidates, const gv_order *order) {
  const gv_voronoi *v = j->v;
  gv_leaf leaf = make_leaf(j, tile);
  GV_TRY(gv_leaf_k_nearest(v, j->kernels, j->space, bound, slack, candidates, order, &leaf));
  for (int32_t u = 0; u < leaf.undecided_count; u++) {
    int32_t row = leaf.undecided[u] / leaf.columns, column = leaf.undecided[u] % leaf.columns;
    int32_t found[GV_VORONOI_MAX_K];
    gv_cell_place place;
    place_of_cell(j, tile->c0 + column, tile->r0 + row, &place.lon, &place.lat, place.vector);
    if (isnan(place.lon)) continue;
    gv_k_nearest_geodesic(v, &place, candidates->id, candidates->count, found);
    for (int32_t band = 0; band < v->k; band++) {
      leaf.out[band * leaf.band_stride + row * leaf.out_stride + column] =
          found[band] >= 0 ? v->label[found[band]] : v->nodata;
    }
  }
  return GV_OK;
}

/* The four children of a tile, or two; `several`: more than the nearest seed is needed. */
static gv_status solve_children(gv_context *context, const gv_tile_work *j, const gv_tile *tile,
                                const gv_bound *bound, int depth, bool several,
                                const gv_candidates *candidates) {
  int64_t columns = tile->c1 - tile->c0, rows = tile->r1 - tile->r0;
  /* Split the longer side on the ground, or both if they are about equal; never below a leaf's size, and not
   * at first if larger leaves are allowed. */
  bool large = several && (columns > GV_K_LEAF_COLUMNS || rows > GV_K_LEAF_ROWS);
  int64_t least_columns = large ? GV_K_LEAF_COLUMNS : GV_LEAF_COLUMNS,
          least_rows = large ? GV_K_LEAF_ROWS : GV_LEAF_ROWS;
  bool across =
      columns > least_columns && (rows <= least_rows || 2.0 * bound->extent_across > bound->extent_down);
  bool down = rows > least_rows && (!across || 2.0 * bound->extent_down > bound->extent_across);
  int64_t c = across ? tile->c0 + gv_split_at(columns) : tile->c1,
          r = down ? tile->r0 + gv_split_at(rows) : tile->r1;
  for (int part = 0; part < 4; part++) {
    gv_tile child = {part & 1 ? c : tile->c0, part & 1 ? tile->c1 : c, part & 2 ? r : tile->r0,
                     part & 2 ? tile->r1 : r};
    if (child.c0 >= child.c1 || child.r0 >= child.r1) continue;
    GV_TRY(gv_solve_tile(context, j, &child, depth + 1, candidates));
  }
  return GV_OK;
}

/* A tile with its candidates. `open`: the limit may run through it. */
static gv_status decide_tile(gv_context *context, const gv_tile_work *j, const gv_tile *tile,
                             const gv_bound *bound, int depth, double slack, bool open,
                             gv_candidates *candidates) {
  const gv_voronoi *v = j->v;
  bool nearest = gv_nearest_only(v) && !(open && v->cells.metric == GV_GEODESIC), expanded = false;
  gv_expansion expansion;
  gv_order order;
  if (candidates->count == 0) {
    gv_fill_nodata(j, tile);
    return GV_OK;
  }
  if (nearest) {
    expanded = expand_tile(j, tile, bound, slack, candidates, &expansion);
    if (candidates->count == 1 && !open) {
      gv_fill_tile(j, tile, &v->label[candidates->id[0]]);
      return GV_OK;
    }
  } else {
    int32_t label[GV_VORONOI_MAX_K];
    gv_status status = gv_order_make(v, j->kernels, j->space, bound, &slack, candidates, &order);
    if (status != GV_OK) return status;
    if (gv_order_decides(v, &order, candidates, label)) {
      gv_fill_tile(j, tile, label);
      return GV_OK;
    }
  }
  int64_t columns = tile->c1 - tile->c0, rows = tile->r1 - tile->r0;
  bool leaf = nearest ? columns <= GV_LEAF_COLUMNS && rows <= GV_LEAF_ROWS
                      : gv_leaf_is_due(v, candidates, &order, rows, columns);
  if (!leaf) return solve_children(context, j, tile, bound, depth, !nearest, candidates);
  gv_status status = nearest ? decide_leaf(j, tile, slack, open, candidates, expanded ? &expansion : NULL)
                             : k_nearest_leaf(j, tile, bound, slack, candidates, &order);
  if (status == GV_OK) gv_mask_tile(j, tile);
  return status;
}

/*
 * A tile that limits cross, by the discs of its candidates: filled once, then painted; the parts that may be
 * in several discs are computed like any tile. `*done` is false if this does not apply.
 */
static gv_status paint_tile(gv_context *context, const gv_tile_work *j, const gv_tile *tile, int depth,
                            const gv_candidates *candidates, bool *done) {
  gv_disc_plan plan;
  *done = j->discs != NULL && gv_discs_plan(j->v, j->discs, tile, candidates, &plan);
  if (!*done) return GV_OK;
  gv_labels target = *j->target;
  gv_tile_work parts = *j;
  target.mask = NULL; /* applied to all of the tile at the end */
  parts.target = &target;
  parts.uniform = NULL;
  gv_fill_nodata(&parts, tile);
  gv_discs_paint(j->v, j->discs, tile, candidates, &plan, gv_place_of_tile(j, tile), j->target->stride);
  for (int32_t i = 0; i < plan.rectangles; i++)
    GV_TRY(gv_solve_tile(context, &parts, &plan.rectangle[i], depth + 1, candidates));
  gv_mask_tile(j, tile);
  return GV_OK;
}

gv_status gv_solve_tile(gv_context *context, const gv_tile_work *j, const gv_tile *tile, int depth,
                        const gv_candidates *in) {
  const gv_voronoi *v = j->v;
  gv_bound bound;
  if (gv_mask_of_tile(j, tile) == GV_LEAVES_SOME) {
    gv_fill_nodata(j, tile);
    return GV_OK;
  }
  if (!gv_cells_have_tables(&v->cells) && v->cells.dim == 3) {
    if (!gv_points_bound(j, tile, &bound)) {
      gv_fill_nodata(j, tile);
      return GV_OK;
    }
  } else {
    gv_cells_bound(&v->cells, tile, &bound);
  }
  if (depth >= GV_MAX_DEPTH) return gv_fail(context, GV_ERROR_INTERNAL, "tiles: nested too deeply");
  double slack;
  GV_TRY(gv_cull_to_level(v, j->kernels, &bound, in, j->space, depth, &slack));
  gv_candidates *candidates = &j->space->level[depth].candidates;
  bool open = gv_limit_is_open(v, j->kernels, &bound, candidates);
  gv_status status = GV_OK;
  if (open && (tile->c1 - tile->c0 > GV_LEAF_COLUMNS || tile->r1 - tile->r0 > GV_LEAF_ROWS)) {
    bool done;
    status = paint_tile(context, j, tile, depth, candidates, &done);
    if (status != GV_OK || done) return status;
  }
  return decide_tile(context, j, tile, &bound, depth, slack, open, candidates);
}
