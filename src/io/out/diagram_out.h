/*
 * The layer of a diagram: polygons of cells with the seeds' attributes, lines of its edges, or lines of its
 * Delaunay triangulation.
 *
 * Cells: seed (its id), area_km2 (of the polygon; on the globe on the ellipsoid; area in the coordinates'
 * unit where that is not known), neighbors and others (ids separated by blanks: of adjacent cells, and of
 * seeds at the same place), then the seed's attributes. Edges and Delaunay lines: the ids left and right.
 *
 * Grouped: seeds of one id have one polygon, their cells together, with their number in `seeds` and the
 * attributes of the first. Edges are the borders of two ids, one feature for each pair; on the left is the id
 * with the lower first seed.
 */
#ifndef GV_IO_DIAGRAM_OUT_H
#define GV_IO_DIAGRAM_OUT_H

#include "gpuvoronoi/diagram.h"
#include "io/crs/crs.h"
#include "io/geometry/map.h"
#include "io/geometry/window.h"
#include "io/in/seeds.h"
#include "io/out/layer_out.h"

typedef enum gv_diagram_layer { GV_DIAGRAM_CELLS, GV_DIAGRAM_EDGES, GV_DIAGRAM_DELAUNAY } gv_diagram_layer;

typedef struct gv_diagram_content {
  gv_diagram_layer layer;
  gv_context *context;
  const gv_diagram_parts *parts;
  const double *area; /* of cells: square meters on the globe, else of the coordinates */
  const gv_seed_options *source;
  const gv_seed_list *seeds;
  bool globe, cut, grouped;      /* grouped: not with GV_DIAGRAM_DELAUNAY */
  double semi_major, flattening; /* globe */
  double square_meter;           /* of one unit of `area`; 0: unknown */
  OGRSpatialReferenceH crs;      /* of the layer; NULL = none */
  gv_map map;                    /* globe: of `crs`; the lines of `parts` are in degrees from its center */
  double tolerance;              /* meters: of lines on the map from those of `parts` */
  /* globe: what cells are cut by before they are drawn, in degrees as they are; NULL: nothing */
  gv_window *region;
  gv_progress_fn progress; /* of writing, from 0 to 1; 0 cancels */
  void *progress_user;
  gv_window *within; /* what they are cut by in the coordinates of `crs`; NULL: nothing */
} gv_diagram_content;

/* *written: number of features. */
gv_status gv_diagram_write(gv_io *io, gv_writer *out, const gv_diagram_content *content, int64_t *written);

#endif
