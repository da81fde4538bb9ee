/* All searches of features. */
#ifndef GV_FEATURES_INDEX_H
#define GV_FEATURES_INDEX_H

#include "features/locate.h"
#include "features/tree.h"

typedef struct gv_feature_lookup {
  gv_feature_tree tree;
  gv_locator locator;
} gv_feature_lookup;

/* Errors: OUT_OF_MEMORY. Set and geodesic must outlive it. */
gv_status gv_feature_lookup_init(gv_context *context, const gv_feature_set *set, const gv_geodesic *geodesic,
                                 gv_feature_lookup *out);
void gv_feature_lookup_clear(gv_feature_lookup *lookup);

#endif
