/*
 * Edges of lines and polygons in the memory of a device, and the nearest feature of many positions by them:
 * the interface of the CUDA module, and a tree's edges there.
 *
 * The device finds the features that may be nearest by the bounds of tree.h and box.h. Among edges of the
 * plane and arcs of great circles it computes exact distances (exact/edge_plane.h, exact/edge_arc.h) and
 * decides. Others stay open unless all edges that may be nearest are one feature's: the host decides. Which
 * polygons a position lies in is the host's part too.
 */
#ifndef GV_FEATURES_DEVICE_EDGES_H
#define GV_FEATURES_DEVICE_EDGES_H

#include <pthread.h>

#include "features/box.h"
#include "features/edge_bounds.h"
#include "search/cuda_module.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gv_feature_tree;

/* An edge's chord from a on by d, 1 / d.d, and how far the edge leaves it. */
typedef struct gv_edge_row {
  double a[3], d[3], inverse;
  float sag;
  int32_t feature;
} gv_edge_row;

/* An edge that is straight in longitude and latitude: ends in the order of gv_edge_make, rates in radians an
 * edge. */
typedef struct gv_edge_line {
  double lon[2], lat[2], rate_lon, rate_lat;
  gv_edge_motion motion;
  double reversed; /* 1: the ends are not in the order of the vertices */
} gv_edge_line;

/* A geodesic as a polynomial (edge_points.h), in the order of gv_edge_make. */
typedef struct gv_edge_curve {
  double power[6][3];
  gv_edge_motion motion;
  double room;     /* negative: it has none */
  double reversed; /* as above */
} gv_edge_curve;

typedef enum gv_edge_kind { GV_EDGES_ITERATED, GV_EDGES_ARCS, GV_EDGES_PLANE } gv_edge_kind;

/* What a device has of a tree: one tree over all edges, of which `root` is the top. */
typedef struct gv_edge_table {
  gv_edge_kind kind;
  int32_t dim, nodes, root, rows;
  const gv_box_node *node;
  const gv_edge_row *row;
  const int32_t *entry; /* of each row: the vertex it begins at; ~vertex for a point */
  const double *place;  /* dim coordinates a vertex */
  int64_t vertices;
  gv_edge_reach reach;
  /* One of these, of each row, where the device finds geodesic distances as floats. */
  const gv_edge_line *line;   /* edges are straight */
  const gv_edge_curve *curve; /* edges are geodesics */
  gv_series series;
  gv_ellipsoid ellipsoid;
  double root_most, rho;          /* gv_edge_surface's root_most and radius */
  double flattest, eccentricity2; /* the latter of gv_meridian_point */
} gv_edge_table;

enum { GV_EDGE_NONE = -1, GV_EDGE_OPEN = -2 };

/* Results of a search, in order of the positions, in its own memory; NULL: not requested. */
typedef struct gv_edge_results {
  const int32_t *found; /* the nearest feature by its edges, GV_EDGE_NONE or GV_EDGE_OPEN; NULL if values are
                           requested */
  const float *low;     /* not above the chord to the nearest edge */
  const float *value;   /* distances as floats, NAN if there is none or the host must find it */
  const double *distance; /* reported distances, INFINITY if there is none; kinds that the device decides */
} gv_edge_results;

typedef void gv_edge_take_fn(void *user, const gv_edge_results *results);

/* Positions and results, in memory of the host. */
typedef struct gv_edge_search {
  int64_t count; /* less than 2^31 */
  void *user;    /* of the functions */
  /* Pairs of doubles that `pairs` produces: longitudes and latitudes that are none have no result, or x and
   * y. Put in order on the device. NULL: positions in the tree's coordinates, in rows of `columns`: x, y and
   * z, those with x = NaN have no result; or, x = NULL, by a grid's tables of its columns and rows
   * (cells/grid.h), from the first ones on. */
  gv_fill_fn *pairs;
  int64_t columns;
  const double *x, *y, *z;
  const double *column_x, *column_y, *row_p, *row_z;
  /* The features that values are to be of, in rows `seed_stride` apart; negative: none. For others NULL. */
  const int32_t *seed;
  int64_t seed_stride;
  double limit;              /* canonical; kinds that the device decides */
  double radius;             /* of the sphere that great circles are reported on */
  double reach, sure;        /* others: gv_reach and gv_sure_chord2 of it */
  bool low, value, distance; /* what is requested besides the nearest features */
  /* Receives the results, in the calling thread; or NULL: they are written to `to`. */
  gv_edge_take_fn *take;
  struct {
    int32_t *found;
    float *low;
    double *distance;
  } to;
} gv_edge_search;

typedef struct gv_edges_device {
  /* device -1: the context's choice. Errors: UNAVAILABLE, OUT_OF_MEMORY, DEVICE. */
  gv_status (*open)(gv_context *context, int device, const gv_edge_table *table, void **edges);
  void (*close)(void *edges);
  /* Any number of threads may share the edges. */
  gv_status (*search)(gv_context *context, const void *edges, const gv_edge_search *search);
} gv_edges_device;

/* ----------------------------------------------------------------------------------- a tree's edges there */

typedef struct gv_device_edges {
  const struct gv_feature_tree *tree;
  bool automatic; /* a device was not requested: the CPU continues if it fails */
  int state;      /* guarded by the lock */
  pthread_mutex_t lock;
  gv_context context;
  const gv_edges_device *device;
  void *edges;
} gv_device_edges;

/* Whether the device finds distances of a tree as floats, and as doubles. */
bool gv_device_edges_measure(const struct gv_feature_tree *tree, bool floats);

/* Whether devices support a tree. */
bool gv_device_edges_supported(const struct gv_feature_tree *tree);

void gv_device_edges_init(gv_device_edges *d, const gv_context *context, const struct gv_feature_tree *tree,
                          bool automatic);
void gv_device_edges_clear(gv_device_edges *d);

/* The edges on the device, put there when first needed; *out is NULL if the CPU must do the work. Thread
 * safe. Errors, if a device was requested: UNAVAILABLE, OUT_OF_MEMORY, DEVICE. */
gv_status gv_device_edges_find(gv_context *context, gv_device_edges *d, const gv_edges_device **device,
                               const void **out);

/* After an error of a device that was not requested: true, and the CPU must do all work from now on. */
bool gv_device_edges_give_up(gv_device_edges *d, gv_status status);

#ifdef __cplusplus
}
#endif

#endif
