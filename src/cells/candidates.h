/* Lists of the seeds that may be a cell's nearest. */
#ifndef GV_CANDIDATES_H
#define GV_CANDIDATES_H

#include <stdint.h>

/* Candidates of a tile, in ascending seed number; arrays are padded so that kernels may read and write
 * GV_CANDIDATE_PADDING entries past `count`. z is unused on the plane. */
typedef struct gv_candidates {
  double *x, *y, *z;
  int32_t *id; /* number among the distinct seeds */
  int32_t count;
} gv_candidates;

enum { GV_CANDIDATE_PADDING = 16 };

#endif
