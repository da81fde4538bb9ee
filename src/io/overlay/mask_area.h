/* The area of a mask of polygons as one geometry. */
#ifndef GV_IO_MASK_AREA_H
#define GV_IO_MASK_AREA_H

#include "io/overlay/mask_layer.h"

/* All polygons as one valid geometry: places that the raster's mask keeps, by the even-odd rule where a
 * polygon is invalid. NULL, GV_OK: they have no area. */
gv_status gv_mask_layer_area(gv_io *io, gv_mask_layer *layer, OGRGeometryH *out);

#endif
