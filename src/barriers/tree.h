/* Trees of boxes over walls and corners. */
#ifndef GV_BARRIERS_TREE_H
#define GV_BARRIERS_TREE_H

#include "barriers/barriers.h"

enum { GV_BARRIER_LEAF = 4, GV_BARRIER_STACK = 128 };

/* Sorts `count` items of `size` bytes, which begin with a place of three coordinates or the two ends of a leg
 * (`places`), into a tree of boxes over all of these. *nodes belongs to the caller. Errors: OUT_OF_MEMORY. */
gv_status gv_barrier_tree_make(gv_context *context, const gv_barriers *barriers, void *items, int64_t count,
                               size_t size, int places, gv_barrier_node **nodes, int64_t *node_count);

/* The walls with boxes that meet a box, or may meet a leg; false from the visitor ends it. */
void gv_barrier_walls_near(const gv_barriers *barriers, const gv_barrier_box *box, gv_visit_wall *visit,
                           void *user);
static inline void gv_barrier_walls_along(const gv_barriers *b, const gv_leg_line *line, gv_visit_wall *visit,
                                          void *user) {
  b->geometry->walls_along(b, line, visit, user);
}

/*
 * Both of them: the walls of nodes that meet a box in its first dimensions and, unless it is NULL, may be
 * near a line. Inline, with the number and the function of a surface as constants: legs on the plane take 1.2
 * times the time with a call for each node.
 */
static inline void gv_barrier_visit_walls(const gv_barriers *b, int dimensions, const gv_barrier_box *box,
                                          const gv_leg_line *line,
                                          bool (*near)(const gv_leg_line *line, const gv_barrier_node *node),
                                          gv_visit_wall *visit, void *user) {
  int32_t stack[GV_BARRIER_STACK];
  int depth = 0;
  if (b->wall_node_count > 0) stack[depth++] = 0;
  while (depth > 0) {
    const int32_t at = stack[--depth];
    const gv_barrier_node *node = &b->wall_nodes[at];
    if (!gv_barrier_boxes_meet(dimensions, box, node) || (near != NULL && !near(line, node))) continue;
    if (node->count == 0) {
      /* What is nearer to the beginning first: a leg is closed sooner. */
      const bool down = line != NULL && line->q != NULL && line->q[node->axis] < line->p[node->axis];
      stack[depth++] = down ? at + 1 : node->first;
      stack[depth++] = down ? node->first : at + 1;
      continue;
    }
    for (int32_t i = node->first; i < node->first + node->count; i++)
      if (!visit(user, &b->walls[i])) return;
  }
}

#endif
