/* A job carried out by a command. */
#include "cli/voronoi_run.h"

#include <unistd.h>

#include "cli/cli.h"
#include "cli/fail.h"
#include "cli/launched.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "io/format.h"
#include "job/raster/ranks.h"
#include "job/raster/run.h"

/* If HDF5 failed to write a file, it crashes in a normal exit of the process. */
static bool writes_hdf5(const gv_job *j) {
  const char *const paths[] = {j->raster.path, j->distance, j->azimuth, j->mesh};
  const gv_format *hdf5 = gv_format_with_arrays(GV_ARRAYS_NETCDF);
  bool writes = gv_format_is(hdf5, j->raster.driver);
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    writes = writes || (paths[i] != NULL && gv_format_of_path(paths[i]) == hdf5);
  return writes;
}

static int voronoi_report(const gv_job_settings *s, const gv_io *io, gv_status status,
                          const gv_job_report *report, double begun) {
  if (status != GV_OK) return cli_report_failure(io);
  double seconds = cli_seconds() - begun;
  cli_complete_progress();
  if (s->json) {
    cli_report_json(report, seconds);
  } else if (!s->quiet) {
    cli_report_lines(report, seconds);
  }
  return EXIT_OK;
}

int voronoi_run(gv_job_settings *s, double begun) {
  gv_job *j = &s->job;
  if (j->progress == NULL && cli_wants_progress(s->progress, s->quiet, s->json))
    j->progress = cli_show_progress;
  gv_job_report report;
  j->report = &report;
  gv_io io = {.cancelled = cli_interrupted};
  gv_status status = gv_job_run(&io, j);
  int result = voronoi_report(s, &io, status, &report, begun);
  if (status != GV_OK && writes_hdf5(j)) _exit(cli_end_output(result));
  return result;
}

int voronoi_run_by_ranks(gv_job_settings *s, double begun) {
  gv_job *j = &s->job;
  gv_job_report report;
  gv_io io = {.cancelled = cli_interrupted};
  gv_cluster c = {.finish = NULL};
  bool first = gv_launcher_rank() == 0;
  j->report = &report;
  if (first && cli_wants_progress(s->progress, s->quiet, s->json)) j->progress = cli_show_progress;
  int result = cli_open_communicator(&io, &c);
  if (result == EXIT_OK) {
    gv_status status = gv_job_run_by_ranks(&io, &c, j);
    if (first || status != GV_OK) result = voronoi_report(s, &io, status, &report, begun);
  }
  gv_cluster_close(&io, &c);
  if (result != EXIT_OK && writes_hdf5(j)) _exit(cli_end_output(result));
  return result;
}
