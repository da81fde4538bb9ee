/*
 * Division of a grid for devices: into strips (rectangles of whole blocks that a device computes at once) and
 * these into slices (consecutive blocks that are read back at once).
 */
#ifndef GV_STRIP_LAYOUT_H
#define GV_STRIP_LAYOUT_H

#include "voronoi/engine.h"

enum { GV_RING_SLOTS = 6 /* slices in a device's ring, at most */ };

/* All in blocks. */
typedef struct gv_strip_layout {
  int64_t bw, bh;                     /* cells of a block in memory: gv_cuda_raster_block */
  int64_t across, down;               /* of the grid */
  int64_t strip_columns, strip_rows;  /* of a strip */
  int64_t strips_across, strips;      /* strips of the grid */
  int64_t slice_blocks, strip_slices; /* blocks of a slice, slices of a strip */
  int slots;                          /* of a ring */
} gv_strip_layout;

/* The grid in blocks; */
void gv_strip_layout_begin(gv_strip_layout *layout, const gv_voronoi *v);
/* and all else, for strips of up to this number of cells. False if not even one block fits. */
bool gv_strip_layout_make(gv_strip_layout *layout, const gv_voronoi *v, int64_t strip_cells);

/* The blocks of a strip: columns c0 ... c1 - 1 of rows r0 ... r1 - 1. */
typedef struct gv_strip_blocks {
  int64_t c0, c1, r0, r1;
} gv_strip_blocks;

gv_strip_blocks gv_blocks_of_strip(const gv_strip_layout *layout, int64_t strip);
int64_t gv_blocks_of_slice(const gv_strip_layout *layout, int64_t slice);

static inline int64_t gv_count_blocks(const gv_strip_blocks *b) {
  return (b->c1 - b->c0) * (b->r1 - b->r0);
}

static inline int64_t gv_divide_up(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

#endif
