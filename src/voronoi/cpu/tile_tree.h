/* A tree of tiles over the whole grid, which narrows the seeds down to each block once. */
#ifndef GV_TILE_TREE_H
#define GV_TILE_TREE_H

#include "voronoi/cpu/cull.h"

typedef struct gv_tile_node {
  gv_tile tile;
  int32_t *id; /* NULL: all seeds */
  int32_t count;
  int32_t child; /* first of four; -1 for a leaf of the tree */
} gv_tile_node;

typedef struct gv_tile_tree {
  gv_allocator allocator;
  gv_buffer nodes;
  gv_tile_node *node; /* in it */
  int32_t count;
} gv_tile_tree;

gv_status gv_tile_tree_build(gv_context *context, const gv_voronoi *v, const gv_kernels *kernels,
                             gv_workspace_pool *pool, gv_tile_tree *tree);

/* The smallest node that holds a tile. */
const gv_tile_node *gv_tile_tree_find(const gv_tile_tree *tree, const gv_tile *tile);

void gv_tile_tree_clear(gv_tile_tree *tree);

#endif
