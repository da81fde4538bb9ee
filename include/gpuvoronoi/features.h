/*
 * Lines and polygons as seeds. Included by gpuvoronoi.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GPUVORONOI_FEATURES_H
#define GPUVORONOI_FEATURES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What an edge between two vertices is on the globe. */
typedef enum gv_edges {
  GV_EDGES_STRAIGHT = 0, /* straight in longitude and latitude as they are written: 179 to -179 is 358 degrees */
  GV_EDGES_GEODESIC = 1  /* the shorter way: a geodesic, with GV_GREAT_CIRCLE an arc; not on the plane */
} gv_edges;

typedef enum gv_part_kind {
  GV_PART_POINTS = 0,
  GV_PART_LINE = 1,   /* one ring, which need not be closed */
  GV_PART_POLYGON = 2 /* rings, the last vertex of each equal to its first */
} gv_part_kind;

/*
 * Lines and polygons as seeds, in offsets as GeoArrow has them: feature f has the parts part[f] ... part[f + 1] - 1, part p the rings
 * ring[p] ... ring[p + 1] - 1 (points and lines: one), ring r the vertices vertex[r] ... vertex[r + 1] - 1. A feature without
 * parts is nobody's neighbour.
 *
 * The distance to a feature is that to its nearest point: exactly 0 within a polygon and on its straight edges. Within: straight edges
 * (and on the plane) by the even-odd rule in the coordinates as written, on the globe for any whole number of turns; geodesic edges: each
 * ring's smaller side, even-odd of the rings. Parts are united; of features that overlap the first wins.
 *
 * On the globe two kinds of a polygon's straight edges only cut it where a map ends, and are no boundary: those along a pole's latitude,
 * and those along 180 or -180 degrees (or whole turns from there, within 1e-5 degrees) as far as polygons of the same set lie against them
 * from the other side. With `cut` the caller decides instead.
 */
typedef struct gv_features {
  size_t struct_size;
  int64_t count;       /* 1 ... 2^31 - 1 */
  const int64_t *part; /* count + 1 offsets, from 0; all offsets ascend, or stay */
  const uint8_t *kind; /* of each part: gv_part_kind */
  const int64_t *ring;
  const int64_t *vertex;
  const double *x,
      *y; /* longitude and latitude on the globe; longitudes at most 36000 in size, plane coordinates 1e75 */
  gv_edges edges;
  int boundary; /* non-zero: polygons are their rings, with nothing within */
  const uint8_t *
      cut; /* NULL, or of each vertex: non-zero if the edge that begins there only cuts a polygon, and is no boundary */
} gv_features;

/* Sets the defaults. */
static inline void gv_features_init(gv_features *out) {
  const gv_features defaults = {sizeof(gv_features), 0, NULL, NULL, NULL, NULL, NULL, NULL,
                                GV_EDGES_STRAIGHT,   0, NULL};
  *out = defaults;
}

#ifdef __cplusplus
}
#endif

#endif /* GPUVORONOI_FEATURES_H */
