/* The distance between two edges, or points, of two sets of features. */
#ifndef GV_FEATURES_PAIRS_H
#define GV_FEATURES_PAIRS_H

#include "features/tree.h"

/* Exact distance between entries of two trees (tree.h: a vertex that an edge begins at, or ~vertex for a
 * point) of one metric. On the globe edges of both must be geodesics. */
double gv_entries_distance(const gv_feature_tree *a, int32_t entry_a, const gv_feature_tree *b,
                           int32_t entry_b);

/* Whether two entries are edges that cross; on the plane touching counts. Their exact distance is then 0. It
 * takes much less time. */
bool gv_entries_meet(const gv_feature_tree *a, int32_t entry_a, const gv_feature_tree *b, int32_t entry_b);

/* A vertex as a position. */
gv_edge_place gv_tree_vertex(const gv_feature_tree *tree, int64_t vertex);

#endif
