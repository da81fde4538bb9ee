/* All searches of features. */
#ifndef GV_FEATURES_INDEX_H
#define GV_FEATURES_INDEX_H

#include "features/locate.h"
#include "features/tree.h"

struct gv_device_edges; /* features/device_edges.h */
struct gv_edges_device;

typedef struct gv_feature_lookup {
  gv_feature_tree tree;
  gv_locator locator;
  struct gv_device_edges *device; /* NULL: unsupported, or not wanted */
} gv_feature_lookup;

/* The last position that was located: others in a ball around it without edges are on the same side of all polygons. Zero at first. */
typedef struct gv_located {
  double vector[3];
  double low;      /* of the chord to the nearest edge */
  int32_t feature; /* the first around it, or -1 */
} gv_located;

/* Errors: OUT_OF_MEMORY. Set and geodesic must outlive it. */
gv_status gv_feature_lookup_init(gv_context *context, const gv_feature_set *set, const gv_geodesic *geodesic,
                                 gv_feature_lookup *out);
void gv_feature_lookup_clear(gv_feature_lookup *lookup);

/* Prepares searches on a device where it supports the tree; if it was requested (not `automatic`), the edges are there now. Errors: as
 * gv_device_edges_find. */
gv_status gv_feature_lookup_use_device(gv_context *context, gv_feature_lookup *lookup, bool automatic);

/* Not automatic, or automatic and not failed so far: the edges on the device, else NULL. */
gv_status gv_feature_lookup_device(gv_context *context, const gv_feature_lookup *lookup,
                                   const struct gv_edges_device **device, const void **edges);

/* The first polygon around a position, of which `low` bounds the chord to the nearest edge from below, or -1. */
int32_t gv_feature_lookup_locate(const gv_feature_lookup *lookup, const gv_edge_place *q, double low,
                                 gv_located *last);

#endif
