/*
 * Lines and polygons as seeds: checked and copied; how far a position is from one of them, and whether it
 * lies within.
 */
#ifndef GV_FEATURES_SET_H
#define GV_FEATURES_SET_H

#include "core/core.h"
#include "exact/edge.h"
#include "gpuvoronoi/geometries.h"

/* Data of a ring: its extent in the coordinates as written. */
typedef struct gv_ring_facts {
  double low[2], high[2];
  bool north; /* geodesic edges: the north pole lies on its smaller side */
} gv_ring_facts;

typedef struct gv_feature_set {
  gv_allocator allocator;
  gv_metric metric;
  bool globe, straight, boundary;
  int32_t count;
  int64_t parts, rings, vertices;
  int64_t *part; /* offsets as in gv_features, and kinds */
  uint8_t *kind;
  int64_t *ring, *vertex;
  double *x, *y; /* as written; longitudes and latitudes are normalized if edges are geodesics */
  double *unit;  /* great circles: three coordinates a vertex */
  gv_ring_facts *facts;
  /* of each vertex: the edge that begins there only cuts a polygon; NULL: none does */
  uint8_t *cut;
  gv_edge_surface surface; /* globe only */
} gv_feature_set;

/* Errors: INVALID_ARGUMENT (names the first feature that is wrong), OUT_OF_MEMORY. `ellipsoid`: on the
 * globe. */
gv_status gv_feature_set_init(gv_context *context, gv_metric metric, const gv_ellipsoid *ellipsoid,
                              const gv_features *features, gv_feature_set *out);
void gv_feature_set_clear(gv_feature_set *set);

/* Unit vectors of all vertices, or their places on the set's ellipsoid in units of its semi-major axis: three
 * coordinates each. */
gv_status gv_feature_set_vectors(gv_context *context, const gv_feature_set *set, bool geocentric,
                                 double *out);

/* Degrees: edges as close to 180 degrees lie along it, some meters at most. */
#define GV_CUT_TOLERANCE 1e-5

/* cuts.c: marks the edges that only cut a polygon, and parts those of which a part does. Errors:
 * OUT_OF_MEMORY, INVALID_ARGUMENT. */
gv_status gv_feature_set_mark_cuts(gv_context *context, gv_feature_set *set);

/* inside.c: computes the data of rings with geodesic edges; */
void gv_feature_set_find_sides(gv_feature_set *set);

/* whether a position lies within the polygons of a part or a feature, or on a straight edge of one. */
bool gv_part_contains(const gv_feature_set *set, int64_t part, const gv_edge_place *q);
/* The same by edges: those of one part that the position's parallel (straight) or meridian (geodesics) may
 * meet. `north`: the part holds the north pole. */
bool gv_straight_edges_contain(const gv_feature_set *set, const int32_t *edge, int64_t count,
                               const double q[2]);
bool gv_geodesic_edges_contain(const gv_feature_set *set, const int32_t *edge, int64_t count, bool north,
                               const gv_edge_place *q);

/* Least and largest longitude of a part, as written. */
void gv_part_longitudes(const gv_feature_set *set, int64_t part, double *low, double *high);

bool gv_feature_contains(const gv_feature_set *set, int32_t feature, const gv_edge_place *q);

/*
 * nearest.c: the closest point of a feature. Inside a polygon the exact distance is 0 and the azimuth NaN,
 * unless the set is of boundaries or `boundary` is set; cuts are then ignored. INFINITY for a feature without
 * parts or, of boundaries, without edges.
 */
void gv_feature_nearest(const gv_feature_set *set, int32_t feature, const gv_edge_place *q, bool boundary,
                        gv_edge_closest *closest);

/* The nearest point of the edge that begins at a vertex; one of a part of points is its own. */
void gv_feature_edge(const gv_feature_set *set, int64_t vertex, bool point, const gv_edge_place *q,
                     gv_edge_closest *closest);

#endif
