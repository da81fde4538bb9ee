/* The tree of tiles over a whole grid. */
#include "voronoi/cpu/tile_tree.h"

#include "cells/kind.h"
#include "core/parallel.h"
#include "voronoi/cpu/tile_work.h"

enum {
  /* entries of a level that are worth other threads' start, and their spinning after */
  TREE_PARALLEL = 1 << 13
};

static bool contains(const gv_tile *outer, const gv_tile *inner) {
  return outer->c0 <= inner->c0 && inner->c1 <= outer->c1 && outer->r0 <= inner->r0 && inner->r1 <= outer->r1;
}

const gv_tile_node *gv_tile_tree_find(const gv_tile_tree *tree, const gv_tile *tile) {
  const gv_tile_node *node = &tree->node[0];
  while (node->child >= 0) {
    const gv_tile_node *next = NULL;
    for (int i = 0; i < 4 && next == NULL; i++) {
      if (contains(&tree->node[node->child + i].tile, tile)) next = &tree->node[node->child + i];
    }
    if (next == NULL) break;
    node = next;
  }
  return node;
}

static gv_status reserve(gv_context *context, gv_tile_tree *tree, int64_t wanted) {
  gv_tile_node *node = gv_buffer_extend(&tree->nodes, &tree->allocator, wanted, sizeof *node);
  if (node == NULL) return gv_fail_memory(context, "the tree of tiles");
  tree->node = node;
  return GV_OK;
}

/* The four quarters of a node's tile, on block boundaries; a side of one block is not split (two parts are
 *
 * empty). */
static void quarters_of(const gv_voronoi *v, const gv_tile *tile, gv_tile quarter[4]) {
  int64_t bw = v->block_width, bh = v->block_height;
  int64_t columns = (tile->c1 - tile->c0 + bw - 1) / bw, rows = (tile->r1 - tile->r0 + bh - 1) / bh;
  int64_t c = columns > 1 ? tile->c0 + gv_split_at(columns) * bw : tile->c1;
  int64_t r = rows > 1 ? tile->r0 + gv_split_at(rows) * bh : tile->r1;
  for (int part = 0; part < 4; part++) {
    quarter[part] = (gv_tile){part & 1 ? c : tile->c0, part & 1 ? tile->c1 : c, part & 2 ? r : tile->r0,
                              part & 2 ? tile->r1 : r};
  }
}

/* A level of the tree in construction: children of the nodes from `first` on, a limited number at a time. */
typedef struct tile_tree_narrowing {
  const gv_voronoi *v;
  const gv_kernels *kernels;
  gv_workspace_pool *pool;
  gv_tile_tree *tree;
  int32_t first;
  int parts;
} tile_tree_narrowing;

/* Narrows a node's list for some of its four children. */
static gv_status narrow_some(gv_worker *worker, int64_t task, int64_t end) {
  const tile_tree_narrowing *n = worker->user;
  gv_status status = GV_OK;
  for (; task < end && status == GV_OK; task++) {
    const gv_tile_node *parent = &n->tree->node[n->first + task * n->parts / 4];
    if (parent->child < 0) continue;
    int first = (int)(task * n->parts % 4), count = 0;
    gv_tile_node *node[4];
    gv_bound bound[4];
    gv_id_list list[4];
    for (int part = first; part < first + n->parts; part++) {
      gv_tile_node *child = &n->tree->node[parent->child + part];
      if (child->tile.c0 >= child->tile.c1 || child->tile.r0 >= child->tile.r1) continue;
      gv_cells_bound(&n->v->cells, &child->tile, &bound[count]);
      node[count++] = child;
    }
    const gv_id_list from = {parent->id, parent->count};
    status = gv_narrow(&worker->context, n->v, n->kernels, n->pool, &from, count, bound, list);
    for (int i = 0; i < count; i++) {
      node[i]->id = list[i].id;
      node[i]->count = list[i].count;
    }
  }
  return status;
}

/* Plans children of the nodes from `first` on, below `end`, such that their lists fit the memory even if as
 * long as their parents' (mostly they are a third of that). Returns the first node that was not planned. */
static int32_t plan(const gv_voronoi *v, gv_tile_tree *tree, int32_t first, int32_t end, int64_t *entries) {
  int32_t i = first, children = tree->count;
  for (; i < end; i++) {
    gv_tile_node *node = &tree->node[i];
    int64_t worst = 4 * (int64_t)node->count;
    bool block =
        node->tile.c1 - node->tile.c0 <= v->block_width && node->tile.r1 - node->tile.r0 <= v->block_height;
    if (block || node->count < GV_TILE_TREE_MIN_CANDIDATES) continue;
    if (*entries + worst > GV_TILE_TREE_MAX_ENTRIES) {
      if (tree->count > children) break;
      continue; /* not even one node */
    }
    *entries += worst;
    gv_tile quarter[4];
    quarters_of(v, &node->tile, quarter);
    node->child = tree->count;
    for (int part = 0; part < 4; part++)
      tree->node[tree->count++] = (gv_tile_node){quarter[part], NULL, 0, -1};
  }
  return i;
}

/*
 * Level by level from the whole grid down to blocks. A node is narrowed only while its list is long enough to
 * matter and all lists together stay within GV_TILE_TREE_MAX_ENTRIES; blocks below an unexpanded node start
 * from its list.
 */
gv_status gv_tile_tree_build(gv_context *context, const gv_voronoi *v, const gv_kernels *kernels,
                             gv_workspace_pool *pool, gv_tile_tree *tree) {
  tree->allocator = v->allocator;
  GV_TRY(reserve(context, tree, 1));
  tree->node[0] = (gv_tile_node){{0, v->cells.grid.width, 0, v->cells.grid.height}, NULL, v->seeds.count, -1};
  tree->count = 1;
  if (!gv_cells_have_tables(&v->cells) && v->cells.dim == 3) return GV_OK; /* bounds need positions */
  int64_t entries = 0;
  tile_tree_narrowing n = {v, kernels, pool, tree, 0, 0};
  for (int32_t first = 0, level_end = 1; first < tree->count;
       level_end = first < level_end ? level_end : tree->count) {
    int32_t children = tree->count;
    int64_t planned = entries;
    GV_TRY(reserve(context, tree, children + 4 * (int64_t)(level_end - first)));
    int32_t last = plan(v, tree, first, level_end, &planned);
    /* Near the root there are fewer nodes than threads: then every child is a task of its own. */
    n.first = first;
    n.parts = last - first < 4 * context->threads ? 1 : 4;
    gv_loop loop = {context,
                    planned > TREE_PARALLEL ? context->threads : 1,
                    (int64_t)(last - first) * (4 / n.parts),
                    1,
                    NULL,
                    &n};
    GV_TRY(gv_parallel_for(&loop, narrow_some));
    for (; first < last; first++) {
      gv_tile_node *node = &tree->node[first];
      if (node->child < 0 || node->id == NULL) continue;
      entries -= node->count;
      gv_release(&v->allocator, node->id);
      node->id = NULL;
    }
    for (int32_t i = children; i < tree->count; i++)
      entries += tree->node[i].count;
  }
  return GV_OK;
}

void gv_tile_tree_clear(gv_tile_tree *tree) {
  for (int32_t i = 0; i < tree->count; i++)
    gv_release(&tree->allocator, tree->node[i].id);
  gv_buffer_clear(&tree->nodes, &tree->allocator);
}
