/*
 * What this process may use of the machine: processors and memory, of which its cgroups (containers, batch jobs) may have less
 * than there is.
 */
#ifndef GV_MACHINE_H
#define GV_MACHINE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Processors by the affinity of the calling thread and the quota of the cgroups; the environment variable OMP_NUM_THREADS, if it
 * begins with a number above 0, says otherwise. At least 1. */
int gv_processors(void);

/* Bytes of memory, less what the cgroups may not have; INT64_MAX: unknown. */
int64_t gv_machine_memory(void);

/* What the cgroups of this process allow; INFINITY and INT64_MAX: all there is. */
typedef struct gv_quota {
  double processors;
  int64_t memory;
} gv_quota;

/* `root` is what comes before /proc and /sys: "", but in tests. */
gv_quota gv_machine_quota(const char *root);

#ifdef __cplusplus
}
#endif

#endif
