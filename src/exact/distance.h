/*
 * Compared values of distances: the limit for a maximum distance, and weighted distances.
 *
 * Backends and engines compare exact distances only (squared lengths and chords, lengths in meters for
 * geodesics); a maximum distance is converted once to the largest exact distance with a reported distance
 * that does not exceed it.
 */
#ifndef GV_DISTANCE_H
#define GV_DISTANCE_H

#include <math.h>

#include "exact/globe.h"

/* Radius in meters of the sphere that great-circle distances are reported on: (2 a + b) / 3. */
double gv_globe_radius(const gv_ellipsoid *ellipsoid);

/* The largest exact distance (inclusive) with a reported distance of at most max_distance; INFINITY = no
 * limit. `ellipsoid` is used for great circles only. */
double gv_canonical_limit(gv_metric metric, const gv_ellipsoid *ellipsoid, double max_distance);

/*
 * Weighted distances (gv_weighting in the public header defines them). The distance is a square, a squared
 * chord with the arc scale * asin(chord * inverse), or the length itself.
 */
typedef enum gv_length_form { GV_LENGTH_SQUARED, GV_LENGTH_OF_CHORD, GV_LENGTH_PLAIN } gv_length_form;

typedef struct gv_weigher {
  gv_weighting weighting;
  gv_length_form form;
  double inverse, scale;
} gv_weigher;

/* For exact distances of a metric. `ellipsoid` is used for great circles only. */
gv_weigher gv_weigher_of(gv_weighting weighting, gv_metric metric, const gv_ellipsoid *ellipsoid);

#include "exact/shared/as_numbers.h"

#include "exact/shared/arcs.h"
#include "exact/shared/weights.h"

#include "exact/shared/end.h"

/* The compared value of an exact distance of a seed of weight `w`. */
static inline double gv_weigh(const gv_weigher *weigher, double canonical, double w) {
  return gv_weigh_as(weigher->weighting, weigher->form, weigher->inverse, weigher->scale, canonical, w);
}

#endif
