#include "voronoi/pipeline/strip_layout.h"

#include "cells/kind.h"
#include "voronoi/gpu/raster.h"

enum {
  SLICE_CELLS = 1 << 22, /* 16 MB */
  RING_CELLS = 1 << 25   /* 128 MB, unless two slices are more */
};

void gv_strip_layout_begin(gv_strip_layout *l, const gv_voronoi *v) {
  gv_cuda_raster_block(v, &l->bw, &l->bh);
  l->across = gv_divide_up(v->cells.grid.width, l->bw);
  l->down = gv_divide_up(v->cells.grid.height, l->bh);
}

bool gv_strip_layout_make(gv_strip_layout *l, const gv_voronoi *v, int64_t strip_cells) {
  int64_t block = l->bw * l->bh;
  int64_t blocks = strip_cells / block;
  /* Strips of a mesh begin with a leaf. */
  if (gv_grid_is_mesh(&v->cells.grid) && blocks < l->across && block < GV_CUDA_MESH_LEAF)
    blocks -= blocks % (GV_CUDA_MESH_LEAF / block);
  if (blocks < 1) return false;
  if (blocks >= l->across) {
    l->strip_columns = l->across;
    l->strip_rows = blocks / l->across < l->down ? blocks / l->across : l->down;
  } else {
    l->strip_columns = blocks;
    l->strip_rows = 1;
  }
  l->strips_across = gv_divide_up(l->across, l->strip_columns);
  l->strips = l->strips_across * gv_divide_up(l->down, l->strip_rows);
  int64_t slice = SLICE_CELLS / (block * v->k);
  l->slice_blocks = slice > 1 ? slice : 1;
  l->strip_slices = gv_divide_up(l->strip_columns * l->strip_rows, l->slice_blocks);
  int64_t slots = RING_CELLS / (l->slice_blocks * block * v->k);
  l->slots = slots < 2 ? 2 : slots < GV_RING_SLOTS ? (int)slots : GV_RING_SLOTS;
  return true;
}

gv_strip_blocks gv_blocks_of_strip(const gv_strip_layout *l, int64_t strip) {
  gv_strip_blocks b = {strip % l->strips_across * l->strip_columns, 0,
                       strip / l->strips_across * l->strip_rows, 0};
  b.c1 = b.c0 + l->strip_columns < l->across ? b.c0 + l->strip_columns : l->across;
  b.r1 = b.r0 + l->strip_rows < l->down ? b.r0 + l->strip_rows : l->down;
  return b;
}

int64_t gv_blocks_of_slice(const gv_strip_layout *l, int64_t slice) {
  gv_strip_blocks b = gv_blocks_of_strip(l, slice / l->strip_slices);
  int64_t left = gv_count_blocks(&b) - slice % l->strip_slices * l->slice_blocks;
  return left < l->slice_blocks ? left : l->slice_blocks;
}
