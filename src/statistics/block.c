/* Adding cells, span by span. */
#include <math.h>
#include <string.h>

#include "cells/area.h"
#include "cells/parts.h"
#include "core/array_options.h"
#include "core/given.h"
#include "statistics/parts.h"

/* Cells being added. */
typedef struct block_sums {
  gv_context *context;
  const gv_statistics *s;
  const gv_statistics_cells *block;
  gv_tile tile;                /* the cells */
  gv_block_quantity *quantity; /* one a sum */
  double *mesh[5]; /* areas of a mesh's or list's cells, three moments, shares of the largest area; NULL for a
                      raster */
  gv_regions regions;
} block_sums;

static gv_status statistics_block_no_memory(const block_sums *w) {
  return gv_fail_memory(w->context, "a block's statistics");
}

/* Areas, moments and shares of the cells of a block of a mesh or list. */
static gv_status make_mesh(block_sums *w) {
  const gv_cells *cells = &w->s->voronoi->cells;
  int64_t n = w->tile.c1 - w->tile.c0;
  double scale = 1.0 / (w->s->area_unit * (double)(INT64_C(1) << GV_TERM_BITS));
  w->mesh[0] = gv_allocate(&w->context->allocator, 5 * n, sizeof **w->mesh);
  if (w->mesh[0] == NULL) return statistics_block_no_memory(w);
  for (int d = 1; d < 5; d++)
    w->mesh[d] = w->mesh[0] + d * n;
  gv_cells_areas(cells, &w->tile, w->mesh[0], n);
  for (int64_t c = 0; c < n && gv_grid_lacks_areas(&cells->grid); c++)
    w->mesh[0][c] = 1.0;
  gv_cell_vectors(cells, w->tile.c0, n, w->mesh[1], w->mesh[2], w->mesh[3]);
  for (int64_t c = 0; c < n; c++)
    w->mesh[4][c] = w->mesh[0][c] * scale;
  for (int d = 1; d < 4; d++) {
    for (int64_t c = 0; c < n; c++)
      w->mesh[d][c] *= w->mesh[4][c];
  }
  return GV_OK;
}

/* To be freed even if it fails. */
static gv_status work_make(block_sums *w) {
  const gv_allocator *allocator = &w->context->allocator;
  const gv_statistics *s = w->s;
  w->regions = (gv_regions){.s = s, .allocator = *allocator};
  w->quantity = gv_allocate_zeroed(allocator, s->sums, sizeof *w->quantity);
  if (w->quantity == NULL) return statistics_block_no_memory(w);
  gv_status status = gv_regions_grow(w->context, &w->regions);
  for (int32_t q = 0; q < s->sums && status == GV_OK; q++) {
    status =
        gv_quantity_make(w->context, s, &w->block->quantity[q], q, w->tile.c1 - w->tile.c0, &w->quantity[q]);
  }
  bool mesh = gv_grid_is_list(&s->voronoi->cells.grid);
  return status == GV_OK && mesh ? make_mesh(w) : status;
}

static void work_free(block_sums *w) {
  const gv_allocator *allocator = &w->context->allocator;
  for (int32_t q = 0; q < w->s->sums && w->quantity != NULL; q++)
    gv_quantity_clear(allocator, &w->quantity[q]);
  gv_release(allocator, w->quantity);
  gv_release(allocator, w->mesh[0]);
  gv_regions_clear(&w->regions);
}

/* A span of cells of one seed: columns [c0, c1) of row r, from the block's corner. */
typedef struct block_span {
  int64_t c0, c1, r;
} block_span;

/* Cells, area and moments. */
static void add_area(const block_sums *w, const block_span *at, gv_totals *to) {
  const gv_statistics *s = w->s;
  const int64_t cells = at->c1 - at->c0, row = w->tile.r0 + at->r;
  const int64_t c0 = w->tile.c0 + at->c0, c1 = w->tile.c0 + at->c1;
  to->cells += cells;
  if (s->row != NULL) {
    const gv_row_factors *factor = &s->row[row];
    const gv_column_sums *begin = &s->column[c0], *end = &s->column[c1];
    to->area += (gv_wide)factor->area * cells;
    to->moment[0] += (gv_wide)factor->across * (int64_t)(end->cosine - begin->cosine);
    to->moment[1] += (gv_wide)factor->across * (int64_t)(end->sine - begin->sine);
    to->moment[2] += factor->up * cells;
  } else if (w->mesh[0] != NULL) {
    const double one = (double)(INT64_C(1) << GV_TERM_BITS);
    for (int64_t c = at->c0; c < at->c1; c++) {
      to->area += (int64_t)(w->mesh[4][c] * one);
      for (int d = 0; d < 3; d++)
        to->moment[d] += (int64_t)(w->mesh[1 + d][c] * one);
    }
  } else {
    to->area += cells;
    to->moment[0] += (gv_wide)(c1 + c0) * cells; /* c1^2 - c0^2 */
    to->moment[1] += (gv_wide)(2 * row + 1) * cells;
  }
}

/* Distances times the cells' areas, and the longest one. */
static gv_status add_distances(const block_sums *w, const block_span *at, const double *distance,
                               gv_totals *to) {
  const gv_statistics *s = w->s;
  double scale = (double)(INT64_C(1) << GV_TERM_BITS) / s->longest, farthest = to->farthest;
  bool good = true;
  for (int64_t c = at->c0; c < at->c1; c++) {
    good = good & (distance[c] >= 0.0) & (distance[c] <= s->longest);
    farthest = distance[c] > farthest ? distance[c] : farthest;
  }
  if (!good) {
    return gv_fail(w->context, GV_ERROR_INVALID_ARGUMENT,
                   "distance of a cell from its seed: missing, or out of range [0, %g]", s->longest);
  }
  to->farthest = farthest;
  gv_wide sum = 0;
  if (w->mesh[0] == NULL) {
    if (s->row != NULL) scale *= s->row[w->tile.r0 + at->r].share;
    for (int64_t c = at->c0; c < at->c1; c++)
      sum += llrint(distance[c] * scale);
  } else {
    scale /= s->area_unit * (double)(INT64_C(1) << GV_TERM_BITS);
    for (int64_t c = at->c0; c < at->c1; c++)
      sum += (int64_t)(distance[c] * (scale * w->mesh[0][c]));
  }
  to->distance += sum;
  return GV_OK;
}

static gv_status add_span(block_sums *w, const block_span *at, int32_t shown) {
  const gv_statistics *s = w->s;
  if (gv_is_no_region(s, shown)) {
    for (int32_t q = 0; q < s->sums; q++)
      w->quantity[q].so_far = gv_quantity_before(&w->quantity[q], at->c1);
    return GV_OK;
  }
  if (w->regions.count == w->regions.capacity) {
    GV_TRY(gv_regions_grow(w->context, &w->regions));
  }
  int64_t index = gv_region_index(&w->regions, shown);
  gv_totals *to = &w->regions.of[index];
  add_area(w, at, to);
  const double *distance = s->distances ? w->block->distance + at->r * w->block->distance_stride : NULL;
  gv_status status = distance != NULL ? add_distances(w, at, distance, to) : GV_OK;
  for (int32_t q = 0; q < s->sums && status == GV_OK; q++) {
    gv_block_quantity *quantity = &w->quantity[q];
    gv_sum *sum = &w->regions.sum[index * s->sums + q];
    if (!quantity->good && !gv_quantity_is_good(quantity, at->c0, at->c1)) {
      return gv_fail(w->context, GV_ERROR_INVALID_ARGUMENT,
                     "quantity %d: not finite, or out of range of its bound %g", (int)q, quantity->bound);
    }
    gv_wide upto = gv_quantity_before(quantity, at->c1);
    sum->value += upto - quantity->so_far;
    quantity->so_far = upto;
    for (int64_t c = at->c0; c < at->c1 && distance != NULL; c++)
      sum->distance += llrint(distance[c] * quantity->factor[c]);
  }
  return status;
}

static gv_status add_row(block_sums *w, int64_t r) {
  const gv_statistics_cells *block = w->block;
  const int32_t *cells = block->uniform ? block->seed : block->seed + r * block->stride;
  int64_t columns = w->tile.c1 - w->tile.c0;
  gv_status status = GV_OK;
  for (int32_t q = 0; q < w->s->sums; q++)
    gv_quantity_begin_row(w->s, &w->quantity[q], r);
  for (int64_t c = 0; c < columns && status == GV_OK; c += GV_MOST_COLUMNS) {
    int32_t begin[GV_MOST_COLUMNS + 1],
        n = (int32_t)(columns - c < GV_MOST_COLUMNS ? columns - c : GV_MOST_COLUMNS);
    int32_t spans = 1;
    if (block->uniform) {
      begin[0] = 0;
      begin[1] = n;
    } else {
      spans = w->s->kernels->find(cells + c, n, begin);
    }
    for (int32_t i = 0; i < spans && status == GV_OK; i++) {
      block_span at = {c + begin[i], c + begin[i + 1], r};
      status = add_span(w, &at, cells[block->uniform ? 0 : at.c0]);
    }
  }
  return status;
}

/* `b` has its full size, and quantities of their full size. */
static gv_status add_host(gv_context *context, gv_statistics *s, gv_statistics_cells *b) {
  if (b->seed == NULL || (s->distances && b->distance == NULL))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "cells: seeds or distances are NULL");
  GV_TRY(gv_check_rectangle(context, &s->voronoi->cells.grid, b->column, b->row, &b->columns, &b->rows));
  if (b->stride == 0) b->stride = b->columns;
  if (b->distance_stride == 0) b->distance_stride = b->columns;
  if (b->stride < b->columns || b->distance_stride < b->columns)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "strides: shorter than rows");
  block_sums w = {.context = context,
                  .s = s,
                  .block = b,
                  .tile = {b->column, b->column + b->columns, b->row, b->row + b->rows}};
  for (int32_t q = 0; q < s->sums; q++) {
    if (!gv_is_quantity(&b->quantity[q], &w.tile)) {
      return gv_fail(
          context, GV_ERROR_INVALID_ARGUMENT,
          "quantity %d: the type is not double, or its parts do not ascend from 0 within the cells", (int)q);
    }
  }
  gv_status status = work_make(&w);
  for (int64_t r = 0; r < w.tile.r1 - w.tile.r0 && status == GV_OK; r++)
    status = add_row(&w, r);
  if (status == GV_OK) status = gv_regions_merge(context, s, &w.regions);
  work_free(&w);
  return status;
}

gv_status gv_statistics_add(gv_context *context, gv_statistics *s, const gv_statistics_cells *cells) {
  gv_statistics_cells b;
  gv_quantity *quantities = NULL;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (s == NULL || cells == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "statistics or cells: the pointer is NULL");
  gv_statistics_cells_init(&b);
  GV_COPY_GIVEN(context, gv_statistics_cells, &b, cells);
  GV_TRY(gv_check_array_options(context, b.array_options));
  gv_status status = gv_quantities_given(context, b.quantity, s->sums, &quantities);
  b.quantity = quantities;
  if (status == GV_OK)
    status = gv_on_device(b.array_options) ? gv_statistics_add_on_device(context, s, &b)
                                           : add_host(context, s, &b);
  gv_release(&context->allocator, quantities);
  return status;
}
