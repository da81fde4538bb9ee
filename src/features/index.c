/* Tree and strips of a set of features. */
#include "features/index.h"

gv_status gv_feature_lookup_init(gv_context *context, const gv_feature_set *set, const gv_geodesic *geodesic,
                                 gv_feature_lookup *out) {
  *out = (gv_feature_lookup){0};
  gv_status status = gv_feature_tree_init(context, set, geodesic, &out->tree);
  if (status == GV_OK) status = gv_locator_init(context, set, &out->locator);
  if (status != GV_OK) gv_feature_lookup_clear(out);
  return status;
}

void gv_feature_lookup_clear(gv_feature_lookup *lookup) {
  gv_feature_tree_clear(&lookup->tree);
  gv_locator_clear(&lookup->locator);
}
