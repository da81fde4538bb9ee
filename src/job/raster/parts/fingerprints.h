/* Fingerprints of what a run is about. */
#ifndef GV_JOB_RASTER_PARTS_FINGERPRINTS_H
#define GV_JOB_RASTER_PARTS_FINGERPRINTS_H

#include "job/raster/plan/plan.h"

/* Numbers in 64 bits that are different where what a run is about is: its seeds, and its cells. */
uint64_t gv_run_seeds_fingerprint(const gv_run_inputs *inputs);
uint64_t gv_run_grid_fingerprint(const gv_run_plan *plan);
int64_t gv_run_mask_bytes(const gv_job *job);

#endif
