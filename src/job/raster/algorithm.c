#include "job/raster/algorithm.h"

#include <string.h>

#include <gdal.h>

#include "job/description/conflicts.h"
#include "job/description/description.h"
#include "job/raster/run.h"

/* Options of seeds, of which GDAL has one argument (gv_algorithm_run); of a raster without a file; --config
 * is GDAL's own. */
static bool algorithm_has(const gv_option *o) {
  static const char *const others[] = {"seeds", "seeds-raster", "bands"};
  if (o->kind == GV_OPTION_HEADING || o->place == GV_IN_NOTHING) return false;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(o->name, others[i]) == 0) return false;
  return true;
}

const gv_option *gv_algorithm_option(int number) {
  for (int i = 0; i < GV_JOB_OPTIONS; i++)
    if (algorithm_has(&gv_job_options[i]) && number-- == 0) return &gv_job_options[i];
  return number == 0 ? &gv_job_out : NULL;
}

static const gv_option *algorithm_row(const char *name) {
  return gv_option_find(gv_job_options, GV_JOB_OPTIONS, name, strlen(name));
}

/* --seeds or --seeds-raster. */
static const gv_option *algorithm_seeds_option(const char *seeds, const gv_algorithm_value *values,
                                               size_t count) {
  static const char *const of_cells[] = {"band", "values", "by-cell", "distance-per-value"};
  for (size_t i = 0; i < count; i++)
    for (size_t n = 0; n < sizeof of_cells / sizeof *of_cells; n++)
      if (strcmp(values[i].option->name, of_cells[n]) == 0) return algorithm_row("seeds-raster");
  bool vector = GDALIdentifyDriverEx(seeds, GDAL_OF_VECTOR, NULL, NULL) != NULL;
  bool raster = !vector && GDALIdentifyDriverEx(seeds, GDAL_OF_RASTER, NULL, NULL) != NULL;
  return algorithm_row(raster ? "seeds-raster" : "seeds");
}

static gv_status algorithm_add(gv_io *io, gv_description *d, const gv_option *o, const char *value) {
  if (value != NULL) gv_option_remember(o, value);
  return gv_description_add(io, d, o, value);
}

static gv_status algorithm_describe(gv_io *io, const char *seeds, const gv_algorithm_value *values,
                                    size_t count, gv_description *d) {
  GV_TRY(algorithm_add(io, d, algorithm_seeds_option(seeds, values, count), seeds));
  for (size_t i = 0; i < count; i++)
    GV_TRY(algorithm_add(io, d, values[i].option, values[i].value));
  return GV_OK;
}

/* The host program's progress function. */
typedef struct algorithm_host {
  gv_progress_fn progress;
  void *user;
} algorithm_host;

static int algorithm_report(double fraction, void *user) {
  const algorithm_host *host = user;
  return gv_messages_call_host(host->progress, fraction, host->user);
}

gv_status gv_algorithm_run(gv_io *io, const char *seeds, const gv_algorithm_value *values, size_t count,
                           gv_progress_fn progress, void *progress_user) {
  algorithm_host host = {progress, progress_user};
  gv_description d = {0};
  gv_job_settings s;
  gv_job_settings_begin(&s);
  gv_status status = algorithm_describe(io, seeds, values, count, &d);
  if (status == GV_OK) status = gv_description_apply(io, &d, &s);
  if (status == GV_OK) status = gv_job_settings_check(io, &s);
  if (status == GV_OK) status = gv_job_outputs_check(io, &s);
  s.job.progress = progress != NULL ? algorithm_report : NULL;
  s.job.progress_user = &host;
  if (status == GV_OK) status = gv_job_run(io, &s.job);
  gv_job_settings_clear(&s);
  gv_description_free(&d);
  return status;
}
