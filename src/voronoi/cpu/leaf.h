/*
 * The k nearest candidates of the cells of a small tile, also with weights and limits.
 *
 * In a small tile many candidates come in the same order everywhere. They are sorted by their distance from
 * the middle and cut into groups such that everything in one group is nearer, in all cells, than everything
 * in later ones (the bounds are those of culling). A group of one is a constant band; only within larger
 * groups cells are compared. If all groups among the k nearest have one member, a tile of any size is
 * finished.
 */
#ifndef GV_LEAF_H
#define GV_LEAF_H

#include "voronoi/cpu/cull.h"

enum { GV_ORDER_MOST = 128 /* longer lists are one group */ };

typedef struct gv_order {
  int32_t count; /* candidates that may be among the k nearest; 0: no groups were made */
  int32_t groups;
  int32_t place[GV_ORDER_MOST]; /* in the candidate list; by group, by distance from the middle within */
  int32_t end[GV_ORDER_MOST];   /* of each group in `place` */
  bool sure[GV_ORDER_MOST];     /* groups of one: within the limit in every cell */
  bool within;                  /* all candidates are within the limit in every cell */
} gv_order;

/* Cuts a tile's candidates into groups; short lists are culled only here, see gv_cull. *slack: as in
 * gv_cull. */
gv_status gv_order_make(const gv_voronoi *v, const gv_kernels *kernels, gv_workspace *space,
                        const gv_bound *bound, double *slack, gv_candidates *candidates, gv_order *out);

/* True if all bands are constant over the tile: label[v->k]. */
bool gv_order_decides(const gv_voronoi *v, const gv_order *order, const gv_candidates *candidates,
                      int32_t *label);

/* True if a tile with this order should be computed as a leaf; false: to be split. */
bool gv_leaf_is_due(const gv_voronoi *v, const gv_candidates *candidates, const gv_order *order, int64_t rows,
                    int64_t columns);

/*
 * Fills all bands of a leaf (positions, out, out_stride; band_stride between bands). Undecided geodesic cells
 * are listed in leaf->undecided, for gv_k_nearest_geodesic with all candidates.
 */
gv_status gv_leaf_k_nearest(const gv_voronoi *v, const gv_kernels *kernels, gv_workspace *space,
                            const gv_bound *bound, double slack, const gv_candidates *candidates,
                            const gv_order *order, gv_leaf *leaf);

#endif
