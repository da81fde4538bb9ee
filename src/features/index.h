/* All that answers questions about features quickly. */
#ifndef GV_FEATURES_INDEX_H
#define GV_FEATURES_INDEX_H

#include "features/locate.h"
#include "features/tree.h"

typedef struct gv_feature_index {
  gv_feature_tree tree;
  gv_locator locator;
} gv_feature_index;

#endif
