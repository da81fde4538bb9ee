/*
 * Backends of jobs: what the library's list says of a name. Other code of jobs compares no names.
 */
#ifndef GV_JOB_BACKENDS_H
#define GV_JOB_BACKENDS_H

#include <stdbool.h>

/* Whether the library chooses the backend. */
bool gv_job_backend_is_automatic(const char *name);

/* Whether it is the culling engine: of GPUs, or of CPUs. */
bool gv_job_backend_culls(const char *name, bool on_gpus);

/* Whether it computes travel costs in memory only. */
bool gv_job_backend_keeps_costs_in_memory(const char *name);

#endif
