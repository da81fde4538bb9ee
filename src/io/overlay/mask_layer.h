/* Layers of polygons that are masks: the one reader of rasters and diagrams. */
#ifndef GV_IO_MASK_LAYER_H
#define GV_IO_MASK_LAYER_H

#include "io/crs/crs.h"
#include "io/overlay/mask.h"

typedef struct gv_mask_layer {
  const char *source;
  GDALDatasetH dataset;
  OGRLayerH layer;
  OGRSpatialReferenceH crs; /* NULL = none */
  bool swapped;             /* coordinates are y, x */
  double turn;              /* x repeats after this; 0 = it does not */
} gv_mask_layer;

/* Opens the layer for results in the system `crs` (NULL = none). Close it in any case. */
gv_status gv_mask_layer_open(gv_io *io, const gv_mask_options *options, OGRSpatialReferenceH crs,
                             gv_mask_layer *layer);
void gv_mask_layer_close(gv_mask_layer *layer);

/* Called with each polygon: straight edges, x, y, finite; valid or not. */
typedef gv_status gv_mask_visit(gv_io *io, OGRGeometryH polygon, void *user);

/* All polygons, those of collections and surfaces too. An error if there are none. */
gv_status gv_mask_layer_visit(gv_io *io, gv_mask_layer *layer, gv_mask_visit *visit, void *user);

#endif
