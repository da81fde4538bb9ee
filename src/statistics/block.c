/* A block, panel by panel. */
#include "statistics/block.h"

#include <string.h>

#include "cells/area.h"

static void work_free(gv_statistics_work *j) {
  const gv_allocator *allocator = &j->context->allocator;
  for (int32_t q = 0; q < j->s->sums && j->quantity != NULL; q++) {
    gv_release(allocator, j->quantity[q].segment);
    gv_release(allocator, j->quantity[q].width);
    gv_release(allocator, j->quantity[q].term[0]);
    gv_release(allocator, j->quantity[q].all);
    gv_release(allocator, j->quantity[q].factor);
  }
  void *const parts[] = {j->quantity, j->scan_quantity, j->box, j->runs.start, j->runs.index, j->mesh[0]};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    gv_release(allocator, parts[i]);
}

/* Areas, moments and shares of the triangles of a block. */
static bool make_triangles(gv_statistics_work *j) {
  const gv_cells *cells = &j->s->voronoi->cells;
  int64_t n = j->tile.c1 - j->tile.c0;
  double scale = 1.0 / (j->s->area_unit * (double)(INT64_C(1) << GV_TERM_BITS));
  j->mesh[0] = gv_allocate(&j->context->allocator, 5 * n, sizeof **j->mesh);
  if (j->mesh[0] == NULL) return false;
  for (int d = 1; d < 5; d++)
    j->mesh[d] = j->mesh[0] + d * n;
  gv_cells_areas(cells, &j->tile, j->mesh[0], n);
  gv_mesh_number_positions(cells->tables, cells->grid.level, NULL, j->tile.c0, n, j->mesh[1], j->mesh[2],
                           j->mesh[3], NULL, NULL);
  for (int64_t c = 0; c < n; c++)
    j->mesh[4][c] = j->mesh[0][c] * scale;
  for (int d = 1; d < 4; d++) {
    for (int64_t c = 0; c < n; c++)
      j->mesh[d][c] *= j->mesh[4][c];
  }
  return true;
}

/* Triangles have no running sums to keep small. */
static int64_t panel_width(const gv_statistics *s) {
  return s->voronoi->cells.grid.kind == GV_GRID_QTM ? INT64_C(1) << GV_RUN_SHIFT : GV_PANEL;
}

/* To be freed even if it fails. */
static bool work_make(gv_statistics_work *j) {
  const gv_allocator *allocator = &j->context->allocator;
  int64_t columns = j->tile.c1 - j->tile.c0, most = panel_width(j->s), width = columns < most ? columns : most;
  j->box = gv_allocate(allocator, width / GV_BOX_COLUMNS + 1, sizeof *j->box);
  return j->box != NULL && gv_quantities_make(j) && (j->s->column != NULL || make_triangles(j));
}

/* Runs are found for a row of boxes at a time: they stay in the nearest cache. */
static bool runs_make(gv_statistics_work *j) {
  const gv_allocator *allocator = &j->context->allocator;
  int64_t columns = j->tile.c1 - j->tile.c0, most = panel_width(j->s), rows = j->tile.r1 - j->tile.r0;
  int64_t runs = (columns < most ? columns : most) * (rows < GV_BOX_ROWS ? rows : GV_BOX_ROWS);
  if (j->runs.start != NULL) return true;
  j->runs.index = gv_allocate(allocator, runs, sizeof *j->runs.index);
  if (j->runs.index == NULL) return false;
  j->runs.start = gv_allocate(allocator, runs + GV_RUN_SLACK, sizeof *j->runs.start);
  return j->runs.start != NULL;
}

/* Cuts a scan's columns into boxes, for the row of boxes that has row r of the block and from column `from` on. Those that are
 * alike and have the same seed become one. Where that is so is found for many at once: it cannot be guessed well. */
static int32_t find_boxes(const gv_statistics_work *j, const gv_scan *scan, int32_t columns, int64_t from,
                          int64_t r) {
  enum { AT_ONCE = 64 };
  const gv_statistics_block *block = j->block;
  const uint8_t *alike = block->alike;
  int32_t boxes = (columns + GV_BOX_COLUMNS - 1) / GV_BOX_COLUMNS, count = 0;
  j->box[0] = (gv_scan_box){0, columns, GV_BOX_ALIKE};
  if (block->uniform) return 1;
  if (alike != NULL) alike += r / GV_BOX_ROWS * gv_boxes_across(&j->tile) + from / GV_BOX_COLUMNS;
  for (int32_t first = 0; first < boxes; first += AT_ONCE) {
    int32_t n = boxes - first < AT_ONCE ? boxes - first : AT_ONCE;
    uint64_t begins = first == 0;
    for (int32_t b = first == 0; b < n; b++) {
      const int32_t *edge = scan->cells + (first + b) * GV_BOX_COLUMNS;
      bool both = alike != NULL && (alike[first + b - 1] == GV_BOX_ALIKE) & (alike[first + b] == GV_BOX_ALIKE);
      begins |= (uint64_t) !(both & (edge[-1] == edge[0])) << b;
    }
    for (; begins != 0; begins &= begins - 1) {
      int32_t b = first + __builtin_ctzll(begins);
      if (count > 0) j->box[count - 1].end = b * GV_BOX_COLUMNS;
      j->box[count++] = (gv_scan_box){b * GV_BOX_COLUMNS, columns, alike != NULL ? alike[b] : GV_BOX_MIXED};
    }
  }
  return count;
}

/* Adds what is added run by run, of rows from row `row` of the block on. */
static gv_status add_all_runs(gv_statistics_work *j, const gv_scan *all, int64_t from, int64_t row,
                              gv_panel_sums *l) {
  gv_scan scan = *all;
  gv_status status = runs_make(j) ? GV_OK : gv_fail_memory(j->context, "a block's statistics");
  for (int32_t r = 0; r < all->rows && status == GV_OK; r += scan.rows) {
    scan.rows = gv_prepare_factors(j, row + r, all->rows - r);
    scan.cells = all->cells + r * all->stride;
    j->s->kernels->find_runs(&scan, &j->runs);
    if (!gv_find_indices(l, &scan, &j->runs)) return gv_fail_memory(j->context, "a block's statistics");
    if (j->s->column == NULL) gv_add_triangles(j, from, l);
    status = gv_add_each(j, from, row + r, l);
  }
  return status;
}

static gv_status add_panel(gv_statistics_work *j, const gv_tile *panel, gv_panel_sums *l) {
  const gv_statistics *s = j->s;
  const gv_statistics_block *block = j->block;
  int64_t from = panel->c0 - j->tile.c0, end = panel->r1 - j->tile.r0, width = panel->c1 - panel->c0;
  gv_scan scan = {.stride = block->uniform ? 0 : block->stride, .box = j->box};
  gv_scan_terms terms = {.column = s->column, .quantity = j->scan_quantity};
  gv_status status = GV_OK;
  if (s->row_share != NULL) terms.column += gv_column_entry(s, panel->c0);
  j->runs.columns = (int32_t)width;
  for (int32_t q = 0; q < s->sums; q++)
    memset(j->quantity[q].made, -1, sizeof j->quantity[q].made);
  for (int64_t r = panel->r0 - j->tile.r0; r < end && status == GV_OK; r += scan.rows) {
    scan.cells = block->seed + (block->uniform ? 0 : r * block->stride + from);
    scan.rows = (int32_t)(end - r < GV_BOX_ROWS ? end - r : GV_BOX_ROWS);
    scan.boxes = find_boxes(j, &scan, (int32_t)width, from, r);
    if (s->column != NULL) {
      int64_t row = j->tile.r0 + r - (s->row_share != NULL ? 0 : panel->r0);
      bool whole = row % GV_BOX_ROWS == 0 && scan.rows == GV_BOX_ROWS;
      terms.factor = s->factor + row * GV_SCAN_LANES;
      terms.factors = whole ? s->factors + row / GV_BOX_ROWS * GV_SCAN_LANES : NULL;
      terms.quantities = gv_sum_quantities(j, from, width, r, scan.rows);
      if (!s->kernels->add_boxes(&scan, &terms, &l->regions))
        return gv_fail_memory(j->context, "a block's statistics");
    }
    if (s->column == NULL || s->distances || terms.quantities < s->sums)
      status = add_all_runs(j, &scan, from, r, l);
  }
  return status;
}

gv_status gv_statistics_add(gv_context *context, gv_statistics *s, const gv_statistics_block *block) {
  gv_statistics_block b = GV_STATISTICS_BLOCK_INIT;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (s == NULL || block == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "no statistics, or no block");
  memcpy(&b, block, block->struct_size < sizeof b ? block->struct_size : sizeof b);
  const gv_voronoi *v = s->voronoi;
  if (b.seed == NULL || (s->distances && b.distance == NULL) || (s->sums > 0 && b.quantity == NULL)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "a block without seeds, distances or quantities");
  }
  gv_statistics_work j = {.context = context, .s = s, .block = &b};
  gv_status status = gv_tile_of_block(context, v, b.column, b.row, &j.tile);
  if (status != GV_OK) return status;
  for (int32_t q = 0; q < s->sums; q++) {
    if (!gv_is_quantity(&b.quantity[q], &j.tile)) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                     "quantity %d has no values, or its parts do not ascend from 0 within the block", (int)q);
    }
  }
  if (!work_make(&j)) status = gv_fail_memory(context, "a block's statistics");
  int64_t width = panel_width(s);
  for (int64_t r = j.tile.r0; r < j.tile.r1 && status == GV_OK; r += GV_PANEL) {
    for (int64_t c = j.tile.c0; c < j.tile.c1 && status == GV_OK; c += width) {
      gv_tile panel = {c, c + width < j.tile.c1 ? c + width : j.tile.c1, r,
                       r + GV_PANEL < j.tile.r1 ? r + GV_PANEL : j.tile.r1};
      gv_panel_sums l = {.regions = {.reserve = gv_panel_sums_reserve}, .s = s, .allocator = context->allocator};
      status = gv_panel_sums_reserve(&l.regions, 1) ? add_panel(&j, &panel, &l)
                                                    : gv_fail_memory(context, "a block's statistics");
      if (status == GV_OK) status = gv_panel_sums_merge(context, s, &panel, &l);
      gv_panel_sums_clear(&l);
    }
  }
  work_free(&j);
  return status;
}
