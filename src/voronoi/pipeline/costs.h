/* What devices cost, and a clock for what processors do. */
#ifndef GV_PIPELINE_COSTS_H
#define GV_PIPELINE_COSTS_H

#include <time.h>

/* Seconds, measured on machines with an H200: until devices are open (asking for them 0.1 to 0.2, a context 0.1,
 * page-locked memory 0.05) and for the process to end with a context (0.05 to 0.1) ... */
#define GV_START_SECONDS 0.45
/* ... the same once devices have been asked for ... */
#define GV_CONTEXT_SECONDS 0.25
/* ... of which until the first block ... */
#define GV_BLOCK_SECONDS 0.15
/* ... and where CUDA runs already. */
#define GV_OPEN_SECONDS 0.02
/* Bytes a second that blocks are handed out with: over the bus, and by a thread. */
#define GV_BUS_RATE  4e10
#define GV_COPY_RATE 8e9

static inline double gv_seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
