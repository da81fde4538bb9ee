/* Lines and polygons of a layer as gv_features: offsets of parts, rings and vertices. */
#ifndef GV_IO_SHAPES_H
#define GV_IO_SHAPES_H

#include "gpuvoronoi/geometries.h"
#include <ogr_api.h>

#include "io/crs/crs.h"

typedef struct gv_shapes {
  int64_t features, parts, rings, vertices;
  int64_t *part, *ring, *vertex; /* offsets: one more than there are */
  uint8_t *kind;                 /* gv_part_kind */
  double *x, *y;
  uint8_t *cut; /* of each vertex: the edge that begins there only cuts a polygon (io/in/seams.h) */
  int64_t room_features, room_parts, room_kinds, room_rings, room_x, room_y, room_cut;
  gv_edges edges;
  bool boundary;
  bool has_cuts;            /* `cut` is set; else the library finds it */
  int64_t curved, crossing; /* number of features made of curves, and of invalid polygons */
} gv_shapes;

/* An empty one. */
gv_status gv_shapes_make(gv_io *io, gv_shapes **out);
/* NULL is allowed. */
void gv_shapes_free(gv_shapes *shapes);

/* Adds a geometry, which is not empty, as a feature. `swapped`: its coordinates are in the order y, x.
 * *finite becomes false, and nothing is added, if a coordinate is not finite. */
gv_status gv_shapes_add(gv_io *io, gv_shapes *shapes, OGRGeometryH geometry, bool swapped, bool *finite);

/* Removes the last feature. */
void gv_shapes_drop_last(gv_shapes *shapes);

/* How edges are transformed to the grid's coordinate system. */
typedef struct gv_shape_transform {
  gv_operation *operation;
  bool globe; /* to longitude and latitude of this ellipsoid, else to a plane */
  double semi_major, flattening;
  double tolerance; /* in units of the plane; meters on the globe */
} gv_shape_transform;

/*
 * Adds feature `i` of `from`, transformed: its vertices, and on straight edges additional places, at dyadic
 * parts of the edge, to stay within the tolerance of the line (on the globe: of geodesics). On an error *why
 * is the reason and nothing is added; else NULL.
 */
gv_status gv_shapes_transform(gv_io *io, const gv_shapes *from, int64_t i, const gv_shape_transform *how,
                              gv_shapes *to, const char **why);

/* Warns about them. `what`: "seeds", or the option of the layer. */
void gv_shapes_warn(const gv_shapes *shapes, const char *what, bool degrees);

#endif
