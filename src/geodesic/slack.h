/*
 * The error of chords as bounds of geodesics, for processors and GPUs: the bounds of geodesic.h between
 * chords and arcs, as a margin of squared chords.
 */
#ifndef GV_SLACK_H
#define GV_SLACK_H

#include "core/both.h"

/* Chords are in units of the semi-major axis. */
typedef struct gv_chords {
  double r_small, r_large; /* R1 and R2 of geodesic.h */
  double limit2;           /* above this squared chord there is no bound: geod_inverse is needed */
  /* slack(c^2) <= near_coefficient c^4 + 2 c tolerance + tolerance^2 for c^2 <= near2 */
  double near_coefficient;
  double near2;
} gv_chords;

/* Room for the 5 nm of the bounds, the 15 nm of geod_inverse and the rounding of chords (about 2 nm on the
 * Earth), with a factor to spare: 0.1 micrometers on the Earth, in units of the semi-major axis. */
static const double gv_chord_tolerance = 1.6e-14;

/* The arc of a chord on a circle. */
GV_BOTH double gv_circle_arc(double radius, double chord) {
  return 2.0 * radius * asin(chord / (2.0 * radius));
}

/* From the arcs of circles themselves. */
GV_BOTH double gv_slack_of_arcs(const gv_chords *chords, double chord, double chord2) {
  double longest = gv_circle_arc(chords->r_small, chord) + gv_chord_tolerance;
  double angle = longest / (2.0 * chords->r_large);
  if (!(angle < 1.5707)) return INFINITY;
  double reach = 2.0 * chords->r_large * sin(angle);
  /* The last term covers the roundings of this function. */
  return (reach - chord) * (reach + chord) + 8e-16 * chord2;
}

/*
 * How much longer, as a squared chord, a chord may be than one of the given length and still belong to a
 * geodesic that is not longer. Grows with the chord; INFINITY where the bounds do not hold.
 */
GV_BOTH double gv_chord_slack(const gv_chords *chords, double chord) {
  const double tolerance = gv_chord_tolerance;
  double chord2 = chord * chord;
  if (!(chord2 < chords->limit2)) return INFINITY;
  if (chord2 <= chords->near2) {
    return chords->near_coefficient * chord2 * chord2 + 2.1 * chord * tolerance + tolerance * tolerance +
           1e-15 * chord2;
  }
  /* The factor keeps the step between the formulas upward. */
  return 1.00001 * gv_slack_of_arcs(chords, chord, chord2);
}

#endif
