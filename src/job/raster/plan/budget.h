/*
 * Divides the memory of a run, so that its limit holds for any number of threads and any size of the rasters:
 * by reading less at once, by fewer blocks that wait to be written, and finally by fewer threads. Memory that
 * grows with the seeds (their list, the index, the table) is limited input by input (io/in/input_limit.h).
 * GDAL's block cache is not included.
 */
#ifndef GV_JOB_RASTER_BUDGET_H
#define GV_JOB_RASTER_BUDGET_H

#include "job/description/job.h"

typedef struct gv_budget {
  int64_t memory;  /* all of it: the job's, or gv_budget_default */
  int64_t waiting; /* blocks that wait to be written */
  int64_t reading; /* for reading them and masks */
  int64_t workers; /* the blocks at work */
} gv_budget;

/* The smaller of 1 GiB and a quarter of what the machine has, or the process may have of it. */
int64_t gv_budget_default(void);

gv_budget gv_budget_of(const gv_job *job);

/* Bytes of a cell of all rasters, with this number of distance bands. */
int64_t gv_budget_cell_bytes(const gv_job *job, int distance_bands);

/* How many workers there are to be, of `most`, with so much memory, for blocks of `cells` cells of
 * `cell_bytes`. */
int gv_budget_workers(const gv_job *job, int64_t memory, int most, int64_t cells, int64_t cell_bytes,
                      bool ids_apart);

#endif
