/* How the places of a list follow each other. */
#ifndef GV_LIST_ORDER_H
#define GV_LIST_ORDER_H

#include "gpuvoronoi/gpuvoronoi.h"

typedef enum gv_list_order {
  GV_LIST_ON_CURVE, /* along a curve that fills the globe or a part of it */
  GV_LIST_MIXED,    /* in no order, within a part of the globe */
  /* in no order, all over the globe; or far apart after some of them, as in rows of a grid */
  GV_LIST_FAR_APART
} gv_list_order;

/* By a sample of the places of a grid that is a list. */
gv_list_order gv_list_order_of(const gv_grid *grid);

#endif
