/* Whole grids, and single blocks of them, for tests. */
#ifndef GV_TEST_GRID_FILL_H
#define GV_TEST_GRID_FILL_H

#include "voronoi/engine.h"

static inline int64_t blocks_across(const gv_voronoi *voronoi) {
  return (voronoi->cells.grid.width + voronoi->block_width - 1) / voronoi->block_width;
}

static inline int64_t blocks_down(const gv_voronoi *voronoi) {
  return (voronoi->cells.grid.height + voronoi->block_height - 1) / voronoi->block_height;
}

/* Where block (column, row) is. */
static inline gv_labels block_at(const gv_voronoi *voronoi, int64_t column, int64_t row) {
  const gv_grid *grid = &voronoi->cells.grid;
  gv_labels b;
  gv_labels_init(&b);
  b.column = column * voronoi->block_width;
  b.row = row * voronoi->block_height;
  b.columns = grid->width - b.column < voronoi->block_width ? grid->width - b.column : voronoi->block_width;
  b.rows = grid->height - b.row < voronoi->block_height ? grid->height - b.row : voronoi->block_height;
  return b;
}

/* Sets the rectangle of labels, a measure or cells of statistics to a block. */
#define AT_BLOCK(rectangle, voronoi, column_, row_)                                                          \
  do {                                                                                                       \
    const gv_labels at_block = block_at(voronoi, column_, row_);                                             \
    (rectangle).column = at_block.column;                                                                    \
    (rectangle).row = at_block.row;                                                                          \
    (rectangle).columns = at_block.columns;                                                                  \
    (rectangle).rows = at_block.rows;                                                                        \
  } while (0)

/* All cells: bands stride x height apart. */
static inline gv_status fill_grid(gv_context *context, const gv_voronoi *voronoi, int32_t *out,
                                  int64_t stride) {
  gv_labels labels;
  gv_labels_init(&labels);
  labels.out = out;
  labels.stride = stride;
  return gv_voronoi_fill(context, voronoi, &labels, NULL);
}

/* The cells of a block: bands stride x its rows apart. */
static inline gv_status fill_block(gv_context *context, const gv_voronoi *voronoi, int64_t column,
                                   int64_t row, int32_t *out, int64_t stride) {
  gv_labels labels = block_at(voronoi, column, row);
  labels.out = out;
  labels.stride = stride;
  return gv_voronoi_fill(context, voronoi, &labels, NULL);
}

static inline gv_status block_areas(gv_context *context, const gv_voronoi *voronoi, int64_t column,
                                    int64_t row, double *area, int64_t stride) {
  const gv_labels b = block_at(voronoi, column, row);
  return gv_voronoi_cell_areas(context, voronoi, b.column, b.row, b.columns, b.rows, area, stride);
}

#endif
