/* Trees of boxes over walls and corners. */
#ifndef GV_BARRIERS_TREE_H
#define GV_BARRIERS_TREE_H

#include "barriers/barriers.h"

enum { GV_BARRIER_LEAF = 4, GV_BARRIER_STACK = 128 };

/* Sorts `count` items of `size` bytes, which begin with a place of three coordinates or the two ends of a leg (`places`), into a tree of
 * boxes over all of these. *nodes belongs to the caller. Errors: OUT_OF_MEMORY. */
gv_status gv_barrier_tree_make(gv_context *context, const gv_barrier_geometry *geometry, void *items, int64_t count,
                               size_t size, int places, gv_barrier_node **nodes, int64_t *node_count);

/* The walls with boxes that meet a box, or may meet a leg; false from the visitor ends it. */
typedef bool gv_visit_wall(void *user, const gv_wall *wall);
void gv_barrier_walls_near(const gv_barriers *barriers, const gv_barrier_box *box, gv_visit_wall *visit,
                           void *user);
void gv_barrier_walls_along(const gv_barriers *barriers, const gv_leg_line *line, gv_visit_wall *visit, void *user);

#endif
