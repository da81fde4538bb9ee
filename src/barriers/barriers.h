/*
 * Shortest ways round barriers: definition and structures.
 *
 * Walls are the edges of lines and of polygons. A way is a chain of straight legs. A leg is free if it stays in the closure of one face of
 * the walls: it crosses no wall, neither within an edge nor through a vertex with walls on both sides, and where it follows walls it has
 * all of them on one side. Ways start at seeds outside of polygons, so they never enter one: its boundary is made of walls. Places on
 * walls belong to all faces there, of which those within polygons do not count (inside.h).
 *
 * A way turns at corners only: vertices with a sector between two neighboring walls of more than 180 degrees, of which there is at most
 * one, round the wall opposite to the sector, by more than nothing (it is taut there). D of a corner is the least sum over ways from
 * seeds, added from the seed on in double; of equal sums the one with the lowest seed, then the lowest previous corner counts. The nearest
 * seed of a place has the least (D + length of the last leg, seed) over the free legs to it that are taut at their corner.
 *
 * Only the previous leg of D must be known for tautness at a corner: a way that comes by a longer one is not shorter anywhere. If it turns
 * to the same side it is longer by the same amount; if to the other side, the place is reached from the least way's corner by a turn
 * that is not taut, so a shorter way exists.
 *
 * On which side of a leg a vertex lies is decided exactly (exact/orientation.h), so the results depend on coordinates only, not on threads,
 * the order of searches or the division into blocks.
 *
 * Vertices closer than the tolerance (GV_BARRIER_TOLERANCE of the larger side of the extent) are one, and a wall that passes a vertex so
 * closely is divided there: polygons that share an edge leave no slit, even if one of them has more vertices along it.
 */
#ifndef GV_BARRIERS_H
#define GV_BARRIERS_H

#include "core/core.h"
#include "exact/canonical.h"
#include "exact/globe.h"
#include "exact/orientation.h"
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
} gv_barrier_node;

/* A vertex where ways turn. The free sector runs from `first` to `last` counterclockwise; both are the same if one wall ends here. */
typedef struct gv_corner {
  double x[3], first[3], last[3];
  int32_t leaf; /* of the tree */
} gv_corner;

/* Where a leg to a place can begin: a seed, or a corner that ways reach. */
typedef struct gv_way_source {
  double x[3], before[3]; /* `before`: the beginning of the leg to a corner */
  double length;          /* of the way to it; INFINITY: none */
  int32_t seed;           /* -1: none */
  int32_t previous;       /* the source that the leg comes from; -1: a seed */
  int32_t corner;         /* -1: a seed */
  uint8_t turns;          /* of a corner: sides to which the way turns */
  bool on_wall;           /* of a seed */
  bool settled;
} gv_way_source;

struct gv_barriers {
  gv_allocator allocator;
  gv_metric metric;
  double max_distance;
  double tolerance; /* of vertices */
  gv_wall *walls;
  int64_t wall_count;
  gv_barrier_node *wall_nodes;
  int64_t wall_node_count;
  double *places; /* of vertices: three coordinates */
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

/* ------------------------------------------------------------------------------------------------------ geometry */

/* 1: r lies to the left of the leg from p to q; -1: to the right; 0: on its line. */
static inline int gv_barrier_turn(const double *p, const double *q, const double *r) {
  return gv_orientation(p, q, r);
}

/* Of three places on one line: whether those of q and r are seen in the same direction from p. */
static inline bool gv_barrier_same_direction(const double *p, const double *q, const double *r) {
  return (q[0] - p[0]) * (r[0] - p[0]) + (q[1] - p[1]) * (r[1] - p[1]) > 0.0;
}

static inline bool gv_barrier_same(const double *p, const double *q) {
  return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

/* The exact length of a leg. */
static inline double gv_barrier_length(const double *p, const double *q) {
  return sqrt(gv_canonical_distance(q, p, 2, GV_EUCLIDEAN));
}

/* A box of places. */
typedef struct gv_barrier_box {
  double low[3], high[3];
} gv_barrier_box;

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

static inline gv_barrier_box gv_barrier_box_of(const gv_barrier_node *node) {
  gv_barrier_box box;
  for (int d = 0; d < 3; d++) {
    box.low[d] = (double)node->low[d];
    box.high[d] = (double)node->high[d];
  }
  return box;
}

/* Not above the length of any leg between the box and a place. */
static inline double gv_barrier_least(const gv_barrier_box *box, const double *x) {
  double sum = 0.0;
  for (int d = 0; d < 2; d++) {
    const double below = box->low[d] - x[d], above = x[d] - box->high[d];
    const double off = below > 0.0 ? below : above > 0.0 ? above : 0.0;
    sum += off * off;
  }
  return sqrt(sum) * (1.0 - 1e-14);
}

/* Not below it. */
static inline double gv_barrier_most(const gv_barrier_box *box, const double *x) {
  double sum = 0.0;
  for (int d = 0; d < 2; d++) {
    const double off = fmax(fabs(box->low[d] - x[d]), fabs(x[d] - box->high[d]));
    sum += off * off;
  }
  return sqrt(sum) * (1.0 + 1e-14);
}

/*
 * On which side of the line from p to q all of a box lies: GV_BARRIER_LEFT, GV_BARRIER_RIGHT, or 0 if not certain. The value of a place x is
 * n . (x - p); the differences are within 2^-53 of themselves, products and sums have five roundings: 1e-14 is ample, with 1e-15 for the
 * rounding of the box's center.
 */
static inline int gv_barrier_side(const double *p, const double *q, const gv_barrier_box *box) {
  const double n[2] = {p[1] - q[1], q[0] - p[0]};
  double value = 0.0, reach = 0.0, error = 0.0;
  for (int d = 0; d < 2; d++) {
    const double center = 0.5 * (box->low[d] + box->high[d]), half = 0.5 * (box->high[d] - box->low[d]);
    value += n[d] * (center - p[d]);
    reach += fabs(n[d]) * half;
    error += fabs(n[d]) * (1e-14 * (fabs(center - p[d]) + half) + 1e-15 * (fabs(center) + fabs(p[d])));
  }
  if (value - reach > error) return GV_BARRIER_LEFT;
  return value + reach < -error ? GV_BARRIER_RIGHT : 0;
}

static inline bool gv_barrier_boxes_meet(const gv_barrier_box *a, const gv_barrier_node *b) {
  for (int d = 0; d < 2; d++)
    if (a->low[d] > (double)b->high[d] || a->high[d] < (double)b->low[d]) return false;
  return true;
}

#endif
