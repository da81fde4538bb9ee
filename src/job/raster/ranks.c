/*
 * A run by the ranks of MPI: each computes its part (outputs/part_sink.c) into a temporary directory beside
 * the outputs, on a file system shared by all, and rank 0 merges the parts (parts/merge.c). A rank that fails
 * creates a file in that directory; the others check for it, so that they stop early.
 */
#include "job/raster/ranks.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "distributed/communicator.h"
#include "io/format.h"
#include "io/path.h"
#include "io/transaction/output.h"
#include "job/raster/outputs/part_sink.h"
#include "job/raster/plan/budget.h"
#include "job/raster/run.h"

#define COMPUTING 0.8 /* share of computing in the run's progress */

typedef struct ranks {
  const gv_cluster *c;
  const gv_job *job;
  gv_io *io;
  gv_job_report report; /* of this rank's part */
  atomic_llong looked;  /* time of the last check for the file of a failed rank */
  const char
      *name; /* of the output beside the folder: its files begin with it, so that the next run removes them */
  char folder[4096], failed[4400], part[4400];
} ranks;

static bool name_part(const ranks *r, int rank, char *name, size_t size) {
  return snprintf(name, size, "%s/%s.part%d.tif", r->folder, r->name, rank + 1) < (int)size;
}

/* ---------------------------------------------------------------------------------------------- computing */

/* Whether this rank is cancelled or another has failed; checked twice a second. */
static bool stopped(void *user) {
  ranks *r = user;
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  long long half = (long long)now.tv_sec * 2 + now.tv_nsec / 500000000;
  return gv_io_cancelled(r->io) ||
         (atomic_exchange(&r->looked, half) != half && access(r->failed, F_OK) == 0);
}

static int show_part(double fraction, void *user) {
  const gv_job *j = user;
  return j->progress(COMPUTING * fraction, j->progress_user);
}

static int show_merging(double fraction, void *user) {
  const gv_job *j = user;
  return j->progress(COMPUTING + (1.0 - COMPUTING) * fraction, j->progress_user);
}

/* Rank 0 creates the directory on the shared file system. */
static gv_status ranks_begin(ranks *r, const char *beside, gv_output *output) {
  gv_status status = GV_OK;
  if (r->c->all.rank == 0) {
    status = gv_output_init(r->io, output, beside, true);
    if (status == GV_OK) status = gv_output_begin(r->io, output);
    if (status == GV_OK && realpath(output->directory, r->folder) == NULL)
      status = gv_io_fail(r->io, GV_ERROR_IO, "%s: name too long", beside);
  }
  status = gv_cluster_agree(r->io, r->c, status);
  if (status == GV_OK) status = gv_cluster_broadcast(r->io, r->c, 0, r->folder, (int)sizeof r->folder);
  if (status != GV_OK) return status;
  r->name = gv_path_name(beside);
  snprintf(r->failed, sizeof r->failed, "%s/%s.failed", r->folder, r->name);
  if (!name_part(r, r->c->all.rank, r->part, sizeof r->part)) {
    status = gv_io_fail(r->io, GV_ERROR_IO, "%s: name too long", beside);
  } else if (access(r->folder, W_OK) != 0) {
    status = gv_io_fail(r->io, GV_ERROR_IO,
                        "%s: missing on this host, but rank 0 has it; use a file system that all hosts share",
                        r->folder);
  }
  return gv_cluster_agree(r->io, r->c, status);
}

static gv_status ranks_compute(ranks *r) {
  const gv_cluster *c = r->c;
  gv_io io = {.cancelled = stopped, .cancelled_user = r};
  gv_job own = *r->job;
  own.raster.path = r->part;
  own.part = c->all.rank + 1;
  own.parts = c->all.ranks;
  own.spread = true;
  own.cells = own.mesh = NULL;
  own.sync = GV_SYNC_NEVER;
  own.report = &r->report;
  if (own.threads == 0) own.threads = c->threads;
  if (own.memory == 0) own.memory = gv_budget_default() / c->host_ranks;
  if (own.progress != NULL) own.progress = show_part;
  own.progress_user = (void *)r->job;
  gv_status status = gv_job_run(&io, &own);
  bool others = status == GV_ERROR_CANCELLED && !gv_io_cancelled(r->io);
  if (status != GV_OK && !others) {
    int file = open(r->failed, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) close(file);
    (void)gv_io_pass_on(r->io, status, &io);
  }
  return gv_cluster_agree(r->io, c, status);
}

/* ------------------------------------------------------------------------------------------------ merging */

/* The parts, in rank 0's memory; *count: number of parts with rows. */
static gv_status list_parts(ranks *r, const char ***names, int *count) {
  const gv_cluster *c = r->c;
  struct stat found;
  int64_t own = stat(r->part, &found) == 0 ? (int64_t)found.st_size : 0, sum = 0;
  int64_t *sizes = calloc((size_t)c->all.ranks, sizeof *sizes);
  gv_status status = sizes != NULL ? GV_OK : gv_io_fail_memory(r->io, "the parts");
  *names = calloc((size_t)c->all.ranks, sizeof **names);
  if (*names == NULL) status = gv_io_fail_memory(r->io, "the parts");
  status = gv_cluster_agree(r->io, c, status);
  if (status == GV_OK) status = gv_cluster_gather(r->io, c, &own, sizes, (int)sizeof own);
  for (int i = 0; i < c->all.ranks && status == GV_OK && c->all.rank == 0 && sizes[i] > 0; i++) {
    char name[4400];
    bool there = name_part(r, i, name, sizeof name) && stat(name, &found) == 0 && found.st_size == sizes[i];
    (*names)[(*count)++] = strdup(name);
    sum += sizes[i];
    if ((*names)[i] == NULL) status = gv_io_fail_memory(r->io, "the parts");
    if (!there) {
      status = gv_io_fail(
          r->io, GV_ERROR_IO,
          "%s: written by rank %d on %s, but missing on rank 0; use a file system that all hosts share", name,
          i, c->hosts[i].name);
    }
  }
  free(sizes);
  bool gtiff = r->job->raster.driver == NULL || gv_format_is(gv_format_tiled(), r->job->raster.driver);
  if (status == GV_OK && gtiff && c->all.rank == 0)
    status = gv_job_check_space(r->io, r->folder, (double)sum);
  return status;
}

/* Called by rank 0. */
static gv_status ranks_merge(ranks *r, const char *const *names, int count) {
  gv_job whole = *r->job;
  whole.merged = names;
  whole.merged_count = count;
  if (whole.threads == 0) whole.threads = r->c->host_threads;
  if (whole.progress != NULL) whole.progress = show_merging;
  whole.progress_user = (void *)r->job;
  GV_TRY(gv_job_run(r->io, &whole));
  if (whole.report != NULL) {
    whole.report->backend = r->report.backend;
    whole.report->threads = r->report.threads;
    whole.report->memory = r->report.memory;
  }
  return GV_OK;
}

static gv_status run_parts(ranks *r, const char *beside) {
  gv_output output = {.path = NULL};
  const char **names = NULL;
  int count = 0;
  gv_status status = ranks_begin(r, beside, &output);
  if (status == GV_OK) status = ranks_compute(r);
  if (status == GV_OK) {
    status = list_parts(r, &names, &count);
    if (status == GV_OK && r->c->all.rank == 0) status = ranks_merge(r, names, count);
    status = gv_cluster_agree(r->io, r->c, status);
  }
  for (int i = 0; i < count; i++)
    free((char *)names[i]);
  free(names);
  if (r->c->all.rank == 0) gv_output_clear(&output);
  return status;
}

gv_status gv_job_run_by_ranks(gv_io *io, const gv_cluster *c, const gv_job *job) {
  const char *const rasters[] = {job->raster.path, job->distance, job->azimuth, job->polygons, job->stats};
  const char *beside = NULL;
  gv_job own = *job;
  ranks r = {.c = c, .job = &own, .io = io};
  gv_status status = GV_OK;
  for (size_t i = 0; i < sizeof rasters / sizeof *rasters && beside == NULL; i++)
    beside = rasters[i];
  own.device = gv_cluster_device(c, own.device);
  /* The mesh has no parts. */
  bool alone = beside == NULL || (own.grid.has_level && (beside == own.stats));
  if (c->all.rank == 0) {
    gv_job first = own;
    first.plan_only = !alone;
    if (!alone) first.report = NULL;
    if (first.threads == 0) first.threads = c->host_threads;
    status = gv_job_run(io, &first);
  }
  status = gv_cluster_agree(io, c, status);
  return status == GV_OK && !alone ? run_parts(&r, beside) : status;
}
