/*
 * The ranks share one run: pieces of the raster are dealt to them, each writes its own bytes of the files (io/team.h). Where a format lets
 * only one process write, each rank computes its part into a temporary directory beside an output of the first, which then makes the
 * outputs of all parts; a rank that fails says so by a file in that directory, which the others look for, so that nobody works on for
 * nothing.
 */
#include "cli/cluster_raster.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cluster.h"
#include "cli/cluster_team.h"
#include "cli/process.h"
#include "cli/voronoi_run.h"
#include "io/out/output.h"

/* -------------------------------------------------------------------------------------------------------- parts */

static const cli_cluster *here;
static char folder[4096], failed_name[4200];
static atomic_llong looked;

/* Looks for the file of a rank that has failed, twice a second. */
static bool others_failed(void) {
  return cli_cluster_is_time(&looked, 2) && access(failed_name, F_OK) == 0;
}

static bool stopped(void *unused) {
  return cli_interrupted(unused) || others_failed();
}

static int show_parts(double fraction, void *user) {
  return cli_show_progress(0.8 * fraction, user);
}

static int show_merging(double fraction, void *user) {
  return cli_show_progress(0.8 + 0.2 * fraction, user);
}

static const char *first_output(const gv_job *j) {
  const char *const paths[] = {j->raster.path, j->distance, j->azimuth, j->stats, j->polygons};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    if (paths[i] != NULL) return paths[i];
  return NULL;
}

static bool name_part(char *name, size_t size, int rank) {
  return snprintf(name, size, "%s/part%d.tif", folder, rank + 1) < (int)size;
}

static gv_status compute_part(gv_io *io, const gv_job *job, bool progress) {
  char name[4200];
  gv_job own = *job;
  if (!name_part(name, sizeof name, here->rank))
    return gv_io_fail(io, GV_ERROR_IO, "the name of an output is too long");
  own.raster.path = name;
  own.part = here->rank + 1;
  own.parts = here->ranks;
  own.spread = true;
  own.cells = own.mesh = NULL;
  own.sync = GV_SYNC_NEVER;
  own.progress = progress ? show_parts : NULL;
  return gv_job_run(io, &own);
}

/* The first checks the outputs. */
static int check(const gv_job *j) {
  gv_io io = {.cancelled = cli_interrupted};
  gv_status status = GV_OK;
  gv_job plan = *j;
  plan.plan_only = true;
  if (here->rank == 0) status = gv_job_run(&io, &plan);
  int worst = 0;
  if (here->mpi->largest(status != GV_OK, &worst) != 0) return EXIT_ERROR;
  return worst == 0 ? EXIT_OK : here->rank == 0 ? cli_report_failure(&io) : EXIT_ERROR;
}

/* The first makes the directory, whose name the others get. */
static int begin(const gv_job *j, gv_output *beside) {
  gv_io io = {.cancelled = cli_interrupted};
  gv_status status = GV_OK;
  if (here->rank == 0) {
    status = gv_output_init(&io, beside, first_output(j), true);
    if (status == GV_OK) status = gv_output_begin(&io, beside);
    if (status == GV_OK && realpath(beside->directory, folder) == NULL)
      status = gv_io_fail(&io, GV_ERROR_IO, "the name of an output is too long");
  }
  int result = cli_cluster_agree(here, &io, status);
  if (result != EXIT_OK) return result;
  if (here->mpi->send_to_all(0, folder, sizeof folder) != 0) return EXIT_ERROR;
  snprintf(failed_name, sizeof failed_name, "%s/failed", folder);
  return EXIT_OK;
}

static int compute(const gv_job *j, bool progress) {
  gv_io io = {.cancelled = stopped};
  gv_status status = compute_part(&io, j, progress);
  if (cli_interrupted(NULL)) return cli_report_failure(&io);
  bool cancelled = status != GV_OK && access(failed_name, F_OK) == 0;
  if (status != GV_OK && !cancelled) {
    int flag = open(failed_name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (flag >= 0) close(flag);
  }
  return cli_cluster_agree(here, &io, cancelled ? GV_ERROR_CANCELLED : status);
}

/* On the first rank. */
static int merge(gv_job_settings *s, double begun) {
  const char **names = calloc((size_t)here->ranks, sizeof *names);
  int count = 0, result = names != NULL ? EXIT_OK : cli_fail(EXIT_ERROR, "out of memory");
  for (int i = 0; i < here->ranks && result == EXIT_OK; i++) {
    char name[4200];
    if (!name_part(name, sizeof name, i) || access(name, F_OK) != 0) break;
    names[count] = strdup(name);
    if (names[count++] == NULL) result = cli_fail(EXIT_ERROR, "out of memory");
  }
  s->job.merged = names;
  s->job.merged_count = count;
  if (s->job.progress != NULL) s->job.progress = show_merging;
  if (result == EXIT_OK) result = voronoi_run(s, begun);
  for (int i = 0; i < count; i++)
    free((char *)names[i]);
  free(names);
  return result;
}

/* Part files, which the first merges: where it alone can write what is asked for. */
static int run_parts(gv_job_settings *s, double begun) {
  gv_output beside = {.path = NULL};
  gv_job *j = &s->job;
  bool first = here->rank == 0, shows = first && voronoi_shows_progress(s);
  if (shows) j->progress = show_parts;
  int result = begin(j, &beside);
  if (result == EXIT_OK) {
    result = compute(j, shows);
    if (cli_interrupted(NULL)) goto end;
    if (result == EXIT_OK && first) result = merge(s, begun);
    if (cli_interrupted(NULL)) goto end;
    result = cli_cluster_conclude(here, result);
  }
end:
  if (first) gv_output_clear(&beside);
  return result;
}

/* ------------------------------------------------------------------------------------------------------ together */

/* The only one that works, as the command does without a launcher. */
static int run_one(gv_job_settings *s, double begun) {
  gv_job_report report;
  gv_job j = s->job;
  gv_io io = {.cancelled = cli_interrupted};
  j.report = &report;
  if (voronoi_shows_progress(s)) j.progress = cli_show_progress;
  gv_status status = gv_job_run(&io, &j);
  if (status == GV_OK || cli_interrupted(NULL)) return voronoi_tell(s, &io, status, &report, begun);
  return cli_cluster_agree(here, &io, status);
}

/* *alone: nothing was done, as the first must write by itself. */
static int run_team(gv_job_settings *s, double begun, bool *alone) {
  gv_team *team = cli_team_new(here);
  gv_job_report report;
  gv_job j = s->job;
  bool first = here->rank == 0;
  gv_io io = {.cancelled = cli_team_stopped, .cancelled_user = team};
  gv_status status = team != NULL ? GV_OK : gv_io_fail_memory(&io, "the ranks");
  int result = cli_cluster_agree(here, &io, status);
  if (result != EXIT_OK) goto end;
  j.team = team;
  if (first) j.report = &report;
  if (first && voronoi_shows_progress(s)) j.progress = cli_show_progress;
  status = gv_job_run(&io, &j);
  if (cli_interrupted(NULL)) {
    result = cli_report_failure(&io);
    goto end;
  }
  *alone = team->alone;
  if (!*alone && !team->done) { /* no rank has come so far */
    (void)team->agree(&io, team->user, status);
    result = cli_cluster_agree(here, &io, status);
  } else if (!*alone) {
    result = first ? voronoi_tell(s, &io, status, &report, begun) : status == GV_OK ? EXIT_OK : EXIT_ERROR;
    if (!cli_interrupted(NULL)) result = cli_cluster_conclude(here, result);
  }
end:
  cli_team_free(team);
  return result;
}

static int carry_out(gv_job_settings *s, double begun) {
  gv_job *j = &s->job;
  bool alone = false;
  if (first_output(j) == NULL) /* the mesh alone */
    return cli_cluster_conclude(here, here->rank == 0 ? voronoi_run(s, begun) : EXIT_OK);
  voronoi_choose_threads(j);
  if (here->ranks == 1) return run_one(s, begun);
  int result = check(j);
  if (result == EXIT_OK) result = run_team(s, begun, &alone);
  return result == EXIT_OK && alone ? run_parts(s, begun) : result;
}

int cli_cluster_check(const gv_job *j) {
  if (j->parts > 0) return cli_fail(EXIT_USAGE, "--part is for processes that run by themselves, not under mpirun");
  return cli_cluster_check_source(j->seeds.source);
}

int cli_cluster_run(gv_job_settings *s, double begun) {
  here = cli_cluster_join(s->job.backend, &s->job.threads, &s->job.device);
  if (here == NULL) return EXIT_ERROR;
  return cli_cluster_leave(here, here->idle ? EXIT_OK : carry_out(s, begun));
}
