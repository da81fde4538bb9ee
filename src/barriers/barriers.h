/*
 * Shortest ways round barriers: definition and structures.
 *
 * Walls are the edges of lines and of polygons. A way is a chain of straight legs. A leg is free if it stays
 * in the closure of one face of the walls: it crosses no wall, neither within an edge nor through a vertex
 * with walls on both sides, and where it follows walls it has all of them on one side. Ways start at seeds
 * outside of polygons, so they never enter one: its boundary is made of walls. Places on walls belong to all
 * faces there, of which those within polygons do not count (inside.h).
 *
 * A way turns at corners only: vertices with a sector between two neighboring walls of more than 180 degrees,
 * of which there is at most one, round the wall opposite to the sector, by more than nothing (it is taut
 * there). D of a corner is the least sum over ways from seeds, added from the seed on in double; of equal
 * sums the one with the lowest seed, then the lowest previous corner counts. The nearest seed of a place has
 * the least (D + length of the last leg, seed) over the free legs to it that are taut at their corner.
 *
 * Only the previous leg of D must be known for tautness at a corner: a way that comes by a longer one is not
 * shorter anywhere. If it turns to the same side it is longer by the same amount; if to the other side, the
 * place is reached from the least way's corner by a turn that is not taut, so a shorter way exists.
 *
 * On which side of a leg a vertex lies is decided exactly (exact/orientation.h), on the ellipsoid by one rule
 * (ellipsoid.c), so the results depend on coordinates only, not on threads, the order of searches or the
 * division into blocks.
 *
 * Vertices closer than the tolerance (GV_BARRIER_TOLERANCE of the larger side of the extent) are one, and a
 * wall that passes a vertex so closely is divided there: polygons that share an edge leave no slit, even if
 * one of them has more vertices along it.
 */
#ifndef GV_BARRIERS_H
#define GV_BARRIERS_H

#include <string.h>

#include "core/core.h"
#include "exact/globe.h"
#include "geodesic/geodesic.h"
#include "gpuvoronoi/barriers.h"

#define GV_BARRIER_TOLERANCE 1e-9

/* Sides of a leg, or of a turn: bits. */
enum { GV_BARRIER_LEFT = 1, GV_BARRIER_RIGHT = 2, GV_BARRIER_BOTH = 3 };

/* The edge of a line or polygon. */
typedef struct gv_wall {
  double a[3], b[3];
  int32_t from, to; /* vertices */
  int32_t polygon;  /* -1: of a line */
} gv_wall;

/* A node of a tree of boxes, in preorder: its first child follows it. */
typedef struct gv_barrier_node {
  float low[3], high[3];
  int32_t first, count; /* items of a leaf; count 0: `first` is the second child */
  int32_t axis;         /* in which the children lie, the first one lower */
} gv_barrier_node;

/* A vertex where ways turn. The free sector runs from `first` to `last` counterclockwise; both are the same
 * if one wall ends here. */
typedef struct gv_corner {
  double x[3], first[3], last[3];
  int32_t leaf; /* of the tree */
  int32_t vertex, first_vertex, last_vertex;
} gv_corner;

/* Where a leg to a place can begin: a seed, or a corner that ways reach. */
typedef struct gv_way_source {
  double x[3], before[3]; /* `before`: the beginning of the leg to a corner */
  /* x, y; on the globe normalized degrees, on the ellipsoid its z too, in units of a */
  double at[3];
  double length;        /* of the way to it; INFINITY: none */
  int32_t seed;         /* -1: none */
  int32_t previous;     /* the source that the leg comes from; -1: a seed */
  int32_t corner;       /* -1: a seed */
  struct gv_view *view; /* of one that is settled */
  uint8_t turns;        /* of a corner: sides to which the way turns */
  bool on_wall;         /* of a seed */
  bool settled;
} gv_way_source;

/* A box of places. */
typedef struct gv_barrier_box {
  double low[3], high[3];
} gv_barrier_box;

/* A leg from p to q, prepared for tests of many walls. `normal` . x has the sign of its sides. */
typedef struct gv_leg_line {
  const double *p, *q;
  gv_barrier_box box;         /* of all of its places */
  double normal[3], error[3]; /* of `normal` */
  double middle[3], along[3]; /* on the sphere: directions of the leg's middle, and from p to q there */
  double least;               /* on the sphere: `middle` . x of the leg's places */
  double bend;                /* on the ellipsoid: `normal` . x of the leg's places at most */
  int axis;                   /* on the plane: along which the leg is longer */
  double sign;                /* of its direction there */
} gv_leg_line;

/* Where a leg begins, or a place: p + e (q - p) with an infinitesimal e, and along a wall that moved sideways
 * by e^2 (inside.c). */
typedef struct gv_leg_start {
  const double *p, *q;
  double sign; /* -1: the leg leads the other way */
  double side; /* 1: moved to the left, -1: to the right */
} gv_leg_start;

/* False ends the visits. */
typedef bool gv_visit_wall(void *user, const gv_wall *wall);

/* The functions that differ by the surface: plane.c, sphere.c, ellipsoid.c. `at`: coordinates of x as in
 * gv_way_source. */
typedef struct gv_barrier_geometry {
  /* 1: r lies to the left of the leg from p to q; -1: to the right; 0: on its line. The sign of any order of
   * the three. */
  int (*turn)(const gv_barriers *b, const double *p, const double *q, const double *r);
  /* Of three places on one line: whether those of q and r are seen in the same direction from p. */
  bool (*same_direction)(const double *p, const double *q, const double *r);
  /* The exact length of a leg, and bounds of it by the squared distance in space, computed as in
   * gv_barrier_box_least2. */
  double (*length)(const gv_barriers *b, const gv_way_source *from, const double *x, const double *at);
  double (*least)(const gv_barriers *b, double distance2);
  double (*most)(const gv_barriers *b, double distance2);
  /* On which side of the line from p to q all of a box lies: GV_BARRIER_LEFT, GV_BARRIER_RIGHT, or 0 if not
   * certain. */
  int (*side)(const gv_barriers *b, const double *p, const double *q, const gv_barrier_box *box);
  /* How far a leg can be outside of a box of its ends, which are at most as far from each other as two
   * corners. */
  double (*bulge)(const gv_barriers *b, const double *low, const double *high);
  /* Whether a wall from p to q passes x within the tolerance of vertices; *part: where, from 0 to 1. */
  bool (*passes)(const gv_barriers *b, const double *p, const double *q, const double *x, double *part);
  void (*line)(const gv_barriers *b, const double *p, const double *q, gv_leg_line *out);
  /* Visits the walls that may meet a leg (tree.h). */
  void (*walls_along)(const gv_barriers *barriers, const gv_leg_line *line, gv_visit_wall *visit, void *user);
  /* Where a place on the leg's line lies: ascending from p to q. */
  double (*at)(const gv_leg_line *line, const double *x);
  double turns; /* of `at`, once round; INFINITY on the plane */
  /* The ray from a start to a place that is free of walls, and whether it crosses a wall. */
  void (*ray)(const gv_barriers *b, const double *p, gv_leg_line *out);
  bool (*ray_crosses)(const gv_barriers *b, const gv_leg_start *start, const gv_wall *wall);
  /* Of the leg from a place to another: degrees clockwise from north, any turn of them. */
  double (*azimuth)(const gv_barriers *b, const double *x, const double *at, const gv_way_source *to);
} gv_barrier_geometry;

extern const gv_barrier_geometry gv_barrier_plane, gv_barrier_sphere, gv_barrier_ellipsoid;

struct gv_barriers {
  gv_allocator allocator;
  const gv_barrier_geometry *geometry;
  gv_metric metric;
  gv_ellipsoid ellipsoid;
  gv_geodesic geodesic;     /* on the ellipsoid */
  double bend, bend_limit2; /* how geodesics deviate from great circles: ellipsoid.h; 0 on the sphere */
  double radius;            /* of the sphere */
  /* Lengths of legs are between those on spheres of these radii, but for an error. */
  double least_radius, most_radius, length_error;
  double reference[3]; /* on the sphere: where rays end */
  uint64_t odd;        /* hashes of the polygons that contain it, joined by XOR */
  double max_distance;
  double tolerance; /* of vertices */
  double deviation; /* of walls from straight edges on the globe: meters at most */
  gv_wall *walls;
  int64_t wall_count;
  bool polygons; /* whether a wall is of one */
  gv_barrier_node *wall_nodes;
  int64_t wall_node_count;
  /* Walls of vertex v: vertex_walls[vertex_first[v]] to [vertex_first[v + 1]]. */
  int64_t *vertex_first;
  int32_t *vertex_walls;
  double *places; /* of vertices: three coordinates */
  double *at;     /* of vertices: coordinates, as in gv_way_source */
  int64_t vertex_count;
  gv_corner *corners;
  int64_t corner_count;
  gv_barrier_node *corner_nodes;
  int64_t corner_node_count;
  double low[3], high[3]; /* of the vertices */
  /* Once solved: seeds, then corners. */
  gv_way_source *sources;
  int64_t source_count, seed_count;
  bool solved;
};

/* ----------------------------------------------------------------------------------------------- geometry */

static inline int gv_barrier_turn(const gv_barriers *b, const double *p, const double *q, const double *r) {
  return b->geometry->turn(b, p, q, r);
}

static inline bool gv_barrier_same_direction(const gv_barriers *b, const double *p, const double *q,
                                             const double *r) {
  return b->geometry->same_direction(p, q, r);
}

static inline bool gv_barrier_same(const double *p, const double *q) {
  return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

static inline bool gv_barrier_on_globe(const gv_barriers *b) {
  return b->metric != GV_EUCLIDEAN;
}

static inline double gv_barrier_length(const gv_barriers *b, const gv_way_source *from, const double *x,
                                       const double *at) {
  return b->geometry->length(b, from, x, at);
}

static inline void gv_barrier_box_begin(gv_barrier_box *box) {
  for (int d = 0; d < 3; d++) {
    box->low[d] = (double)INFINITY;
    box->high[d] = -(double)INFINITY;
  }
}

static inline void gv_barrier_box_add(gv_barrier_box *box, const double *x) {
  for (int d = 0; d < 3; d++) {
    box->low[d] = fmin(box->low[d], x[d]);
    box->high[d] = fmax(box->high[d], x[d]);
  }
}

static inline void gv_barrier_box_widen(gv_barrier_box *box, double by) {
  for (int d = 0; d < 3; d++) {
    box->low[d] -= by;
    box->high[d] += by;
  }
}

static inline gv_barrier_box gv_barrier_box_of(const gv_barrier_node *node) {
  gv_barrier_box box;
  for (int d = 0; d < 3; d++) {
    box.low[d] = (double)node->low[d];
    box.high[d] = (double)node->high[d];
  }
  return box;
}

/* The dimension in which a box is widest. */
static inline int gv_barrier_box_widest(const gv_barrier_box *box) {
  int widest = 0;
  for (int d = 1; d < 3; d++)
    if (box->high[d] - box->low[d] > box->high[widest] - box->low[widest]) widest = d;
  return widest;
}

static inline bool gv_barrier_boxes_meet(int dimensions, const gv_barrier_box *a, const gv_barrier_node *b) {
  for (int d = 0; d < dimensions; d++)
    if (a->low[d] > (double)b->high[d] || a->high[d] < (double)b->low[d]) return false;
  return true;
}

/* The least and the most squared distance between a place and those of a box in its first dimensions, but for
 * rounding. */
static inline double gv_barrier_box_least2(int dimensions, const gv_barrier_box *box, const double *x) {
  double sum = 0.0;
  for (int d = 0; d < dimensions; d++) {
    const double below = box->low[d] - x[d], above = x[d] - box->high[d];
    const double off = below > 0.0 ? below : above > 0.0 ? above : 0.0;
    sum += off * off;
  }
  return sum;
}

static inline double gv_barrier_box_most2(int dimensions, const gv_barrier_box *box, const double *x) {
  double sum = 0.0;
  for (int d = 0; d < dimensions; d++) {
    const double off = fmax(fabs(box->low[d] - x[d]), fabs(x[d] - box->high[d]));
    sum += off * off;
  }
  return sum;
}

static inline int gv_barrier_sign(double x) {
  return x > 0.0 ? 1 : x < 0.0 ? -1 : 0;
}

static inline double gv_barrier_least(const gv_barriers *b, const gv_barrier_box *box, const double *x) {
  return b->geometry->least(b, gv_barrier_box_least2(3, box, x));
}

static inline double gv_barrier_most(const gv_barriers *b, const gv_barrier_box *box, const double *x) {
  return b->geometry->most(b, gv_barrier_box_most2(3, box, x));
}

static inline double gv_barrier_distance2(const double *p, const double *q) {
  const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

static inline gv_barrier_box gv_barrier_box_at(const double *x) {
  return (gv_barrier_box){{x[0], x[1], x[2]}, {x[0], x[1], x[2]}};
}

static inline int gv_barrier_side(const gv_barriers *b, const double *p, const double *q,
                                  const gv_barrier_box *box) {
  return b->geometry->side(b, p, q, box);
}

#endif
