/*
 * Exact distances to edges: the single definition of the distance from a position to a line between two
 * vertices.
 *
 * The two ends of an edge are sorted first, so an edge and its reverse have the same bits; if an end is the
 * closest point the value is that of the end as a point (canonical.h, geod_inverse), so all edges of a vertex
 * agree.
 *
 * On the plane and for great circles the value is a formula (edge_plane.c, edge_arc.c). For geodesics, and
 * for lines that are straight in longitude and latitude, the distance from the position is followed along the
 * edge, and its least value is found by an iteration with a fixed order of operations (edge_search.c has the
 * argument): the position's distance from a place on the edge that is at most GV_EDGE_ERROR farther than the
 * nearest one.
 */
#ifndef GV_EDGE_H
#define GV_EDGE_H

#include <geodesic.h>

#include "exact/canonical.h"
#include "exact/globe.h"

#define GV_EDGE_ERROR 7e-5 /* meters */

/* The nearest point of an edge. */
typedef struct gv_edge_closest {
  double canonical; /* the value of the metric: squares, squared chords, sums, meters */
  double vector[3]; /* x, y on the plane; a unit vector for great circles; not set for geodesics */
  double lon, lat;  /* on the globe: normalized degrees */
  double azimuth;   /* geodesics: the direction in which it is seen, degrees from north, -180 ... 180 */
} gv_edge_closest;

/* A nearer one; its longitude and latitude are not known yet. */
GV_BOTH void gv_edge_set_closest(gv_edge_closest *closest, double canonical, double x, double y, double z) {
  closest->canonical = canonical;
  closest->vector[0] = x;
  closest->vector[1] = y;
  closest->vector[2] = z;
  closest->lon = closest->lat = closest->azimuth = 0.0;
}

/* ---------------------------------------------------------------------------------------------- the plane */

/*
 * Euclidean, manhattan, chebyshev. With d = b - a and the residual c = w x d (w from the nearer end to the
 * position) the distance from the line is c^2 / d.d, |c| / max(|dx|, |dy|), |c| / (|dx| + |dy|). It counts
 * where the closest point lies within the edge. Coordinates are at most GV_EDGE_LARGEST in size, so that
 * nothing overflows; edges shorter than GV_EDGE_SHORTEST are their ends. Whole numbers up to 2^25 have no
 * rounding but that of the division: equal distances tie.
 */
#define GV_EDGE_LARGEST  1e75
#define GV_EDGE_SHORTEST 1e-140
void gv_edge_plane(gv_metric metric, const double q[2], const double a[2], const double b[2],
                   gv_edge_closest *closest);

/* ------------------------------------------------------------------------------------------ great circles */

/* The arc between two places, the shorter way, from unit vectors; between antipodes over the north pole,
 * between the poles over (1, 0, 0). closest->lon and lat are not set, ... */
void gv_edge_arc(const double q[3], const double a[3], const double b[3], gv_edge_closest *closest);

/* ... but here, from the vector. */
void gv_edge_closest_lonlat(gv_edge_closest *closest);

/* -------------------------------------------------------------------------------- followed along the edge */

/* The surface that edges lie on, and what bounds distances on it; lengths in meters. */
typedef struct gv_edge_surface {
  bool sphere;                  /* of radius (2a+b)/3, for great circles */
  struct geod_geodesic geod;    /* of the ellipsoid */
  gv_ellipsoid ellipsoid;       /* or the sphere */
  double radius;                /* of the sphere nearest to it */
  double smallest;              /* radius of curvature */
  double root_least, root_most; /* square roots of the least and the largest Gaussian curvature */
} gv_edge_surface;

void gv_edge_surface_init(const gv_ellipsoid *ellipsoid, bool sphere, gv_edge_surface *out);

/* A position: normalized degrees; the unit vector too on the sphere. */
typedef struct gv_edge_place {
  double lon, lat;
  double vector[3];
} gv_edge_place;

/* A place seen from a position. */
typedef struct gv_edge_view {
  double distance;         /* meters */
  double canonical;        /* the metric's value */
  double azimuth, arrival; /* directions at the position and at the place, degrees */
} gv_edge_view;

/* The view of a vertex (longitude and latitude as written). */
void gv_edge_view_of(const gv_edge_surface *surface, const gv_edge_place *q, double lon, double lat,
                     gv_edge_view *out);

/*
 * An edge on the globe: the geodesic between two places, the shorter way, or the line that is straight in
 * longitude and latitude as they are written (`straight`).
 */
typedef struct gv_edge {
  const gv_edge_surface *surface;
  bool straight, reversed;   /* the ends are not in the caller's order */
  double lon[2], lat[2];     /* ends in canonical order; as written if straight, else normalized */
  double rate_lon, rate_lat; /* straight: radians an edge */
  double length;             /* geodesic: meters */
  double start, finish;      /* geodesic: azimuths at the ends */
  struct geod_geodesicline line;
} gv_edge;

void gv_edge_make(const gv_edge_surface *surface, bool straight, const double a[2], const double b[2],
                  gv_edge *out);

/* The place at part u (0 ... 1) of an edge, normalized. */
void gv_edge_at(const gv_edge *edge, double u, double *lon, double *lat);

/* The same place of the ellipsoid in units of its semi-major axis, and in which direction the edge runs
 * there, by u: meters for a straight one. False at a pole. */
bool gv_edge_course(const gv_edge *edge, double u, double place[3], double along[3]);

/* The same for n places of straight edges: normalized, none at a pole; rates as in gv_edge. Arrays must not
 * overlap. */
void gv_straight_courses(const gv_edge_surface *surface, int32_t n, const double *lon, const double *lat,
                         const double *rate_lon, const double *rate_lat, double *const place[3],
                         double *const along[3]);

/* Bounds, in meters for a whole edge: of its speed from both sides, and of its acceleration within the
 * surface. */
typedef struct gv_edge_motion {
  double fastest, slowest, turn;
} gv_edge_motion;

gv_edge_motion gv_edge_motion_of(const gv_edge *edge);

/* The closest point of an edge. `ends`: the views of its ends in the order of gv_edge_make. */
void gv_edge_nearest(const gv_edge *edge, const gv_edge_place *q, const gv_edge_view ends[2],
                     gv_edge_closest *closest);

/* The same from the view of one end (0 or 1, in the order of gv_edge_make) if the view proves that this end
 * is the closest point; else false. `speed`, `turn`: the fastest, and gv_edge_motion's. */
bool gv_edge_nearest_is_end(const gv_edge *edge, const gv_edge_place *q, int end, const gv_edge_view *view,
                            double speed, double turn, gv_edge_closest *closest);

#endif
