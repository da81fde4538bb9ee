/*
 * Canonical values of distances: the limit that a maximum distance stands for, and what weights make of a distance.
 *
 * Backends and engines compare canonical values only (squared lengths and chords, lengths in metres for geodesics); a
 * maximum distance is turned once into the largest canonical value whose reported distance does not exceed it.
 */
#ifndef GV_DISTANCE_H
#define GV_DISTANCE_H

#include <math.h>

#include "exact/globe.h"

/* Radius in metres of the sphere that great-circle distances are reported on: (2 a + b) / 3. */
double gv_globe_radius(const gv_ellipsoid *ellipsoid);

/* The largest canonical value (inclusive) whose reported distance is at most max_distance; INFINITY = no limit.
 * `ellipsoid` is looked at for great circles only. */
double gv_canonical_limit(gv_metric metric, const gv_ellipsoid *ellipsoid, double max_distance);

/*
 * What weights make of a distance (gv_weighting in the public header defines it). The distance comes as a square, as a
 * squared chord, whose arc is scale * asin(chord * inverse), or as the length itself.
 */
typedef enum gv_length_form { GV_LENGTH_SQUARED, GV_LENGTH_OF_CHORD, GV_LENGTH_PLAIN } gv_length_form;

typedef struct gv_weigher {
  gv_weighting weighting;
  gv_length_form form;
  double inverse, scale;
} gv_weigher;

/* For canonical values of a metric. `ellipsoid` is looked at for great circles only. */
gv_weigher gv_weigher_of(gv_weighting weighting, gv_metric metric, const gv_ellipsoid *ellipsoid);

#include "exact/text/as_numbers.h"

#include "exact/text/arcs.h"
#include "exact/text/weights.h"

#include "exact/text/end.h"

/* What a canonical distance is worth to a seed of weight `w`: the value that is compared. */
static inline double gv_weigh(const gv_weigher *weigher, double canonical, double w) {
  return gv_weigh_as(weigher->weighting, weigher->form, weigher->inverse, weigher->scale, canonical, w);
}

#endif
