/* Which polygons a position lies in: the edges of polygons, sorted into strips of latitude (straight edges)
 * or longitude (geodesics). */
#ifndef GV_FEATURES_LOCATE_H
#define GV_FEATURES_LOCATE_H

#include "features/set.h"

typedef struct gv_locator {
  const gv_feature_set *set;
  int64_t strips;      /* 0: no polygon has an inside */
  double low, scale;   /* strip = (coordinate - low) * scale */
  int64_t *first;      /* strips + 1: of the edges of a strip */
  int32_t *edge;       /* the vertices they begin at, ascending within a strip */
  int32_t *part_of;    /* of each vertex */
  int32_t *feature_of; /* of each part */
  int32_t *polar;      /* geodesic edges: parts that hold the north pole */
  int32_t polars;
  gv_allocator allocator;
} gv_locator;

/* Errors: OUT_OF_MEMORY. The set must outlive the locator. */
gv_status gv_locator_init(gv_context *context, const gv_feature_set *set, gv_locator *out);
void gv_locator_clear(gv_locator *locator);

/* Calls `found` with each part that contains the position, in ascending order (those that contain the north
 * pole at the end), until it returns false. As gv_part_contains. */
typedef bool gv_found_part(void *user, int32_t part);
void gv_locate(const gv_locator *locator, const gv_edge_place *q, gv_found_part *found, void *user);

/* The first of the features that contain the position, or -1. */
int32_t gv_locate_first(const gv_locator *locator, const gv_edge_place *q);

/* Whether a feature contains the position. */
bool gv_locate_in(const gv_locator *locator, int32_t feature, const gv_edge_place *q);

#endif
