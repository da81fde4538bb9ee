/* Seeds that are too close to each other for a border between them: rounding of coordinates makes such copies
 * of one place. */
#ifndef GV_DIAGRAM_NEAR_SEEDS_H
#define GV_DIAGRAM_NEAR_SEEDS_H

#include "core/core.h"

/*
 * `first` receives for each seed, in order: a seed with a lower number within `distance` that is its own
 * first; or else its own number. Seeds that are their own first are farther from each other than the
 * distance. Positions have three numbers, at most 2^60 times the distance.
 */
gv_status gv_near_seeds(gv_context *context, const double *position, int64_t count, double distance,
                        int32_t *first);

#endif
