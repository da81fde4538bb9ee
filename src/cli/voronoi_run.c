/* A job carried out by a command. */
#include "cli/voronoi_run.h"

#include <unistd.h>

#include <cpl_conv.h>

#include "cli/cli.h"
#include "cli/process.h"
#include "cli/report.h"

/* Where HDF5 could not write a file, it ends the process with a fault when that ends in the usual way. */
static bool writes_hdf5(const gv_job *j) {
  const char *const paths[] = {j->raster.path, j->distance, j->azimuth, j->mesh};
  bool writes = j->raster.driver != NULL && EQUAL(j->raster.driver, "netCDF");
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    writes = writes || (paths[i] != NULL && EQUAL(CPLGetExtension(paths[i]), "nc"));
  return writes;
}

void voronoi_choose_threads(gv_job *j) {
  if (j->threads == 0) {
    gv_context *context = NULL;
    j->threads = gv_context_create(NULL, &context) == GV_OK ? gv_context_threads(context) : 1;
    gv_context_destroy(context);
  }
  j->raster.threads = j->threads;
}

bool voronoi_shows_progress(const gv_job_settings *s) {
  return !s->quiet && (s->progress || (!s->json && isatty(STDOUT_FILENO)));
}

int voronoi_tell(const gv_job_settings *s, const gv_io *io, gv_status status, const gv_job_report *report,
                 double begun) {
  if (status != GV_OK) return cli_report_failure(io);
  double seconds = cli_seconds() - begun;
  if (s->json) {
    cli_report_json(report, seconds);
  } else if (!s->quiet) {
    cli_report_lines(report, seconds);
  }
  return EXIT_OK;
}

int voronoi_run(gv_job_settings *s, double begun) {
  gv_job *j = &s->job;
  voronoi_choose_threads(j);
  if (j->progress == NULL && voronoi_shows_progress(s)) j->progress = cli_show_progress;
  gv_job_report report;
  j->report = &report;
  gv_io io = {.cancelled = cli_interrupted};
  gv_status status = gv_job_run(&io, j);
  int result = voronoi_tell(s, &io, status, &report, begun);
  if (status != GV_OK && writes_hdf5(j)) _exit(cli_answered(result));
  return result;
}
