/*
 * Each rank computes its part into a temporary directory beside an output of the first, which then makes the outputs of all parts. A
 * rank that fails says so by a file in that directory, which the others look for, so that nobody works on for nothing.
 */
#include "cli/cluster.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/process.h"
#include "cli/voronoi_run.h"
#include "io/out/output.h"
#include "io/path.h"
#include "mpi/mpi_module.h"

/* ------------------------------------------------------------------------------------------------- the launcher */

/* What tells processes which they are: of Open MPI's launcher, and of those that speak PMI, as MPICH's do. */
static const struct launcher {
  const char *rank, *ranks, *module, *name;
} launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "libgpuvoronoi_mpi_openmpi.so", "Open MPI"},
                 {"PMI_RANK", "PMI_SIZE", "libgpuvoronoi_mpi_mpich.so", "MPICH"}};

static const struct launcher *find_launcher(void) {
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
    if (getenv(launchers[i].rank) != NULL && getenv(launchers[i].ranks) != NULL) return &launchers[i];
  return NULL;
}

static int number_of(const char *name, int otherwise) {
  const char *text = getenv(name);
  char *end = NULL;
  long number = text != NULL ? strtol(text, &end, 10) : -1;
  return end != NULL && end != text && *end == '\0' && number >= 0 && number < INT_MAX ? (int)number : otherwise;
}

int cli_cluster_rank(void) {
  const struct launcher *by = find_launcher();
  return by != NULL && cli_cluster_ranks() > 1 ? number_of(by->rank, 0) : 0;
}

int cli_cluster_ranks(void) {
  const struct launcher *by = find_launcher();
  return by != NULL ? number_of(by->ranks, 1) : 1;
}

/* The module beside the library, in the folder for modules there, or wherever the system finds it. */
static const gv_mpi_module *open_module(const struct launcher *by, const char **why) {
  static const char *const places[] = {"", "gpuvoronoi/"};
  Dl_info self;
  char path[4096];
  void *handle = NULL;
  gv_mpi_offer *offer = NULL;
  const char *(*version)(void) = gv_version;
  void *place = NULL;
  memcpy(&place, &version, sizeof place);
  if (dladdr(place, &self) != 0 && self.dli_fname != NULL) {
    const char *name = gv_path_name(self.dli_fname);
    int folder = (int)(name - self.dli_fname);
    for (size_t i = 0; folder > 0 && handle == NULL && i < sizeof places / sizeof *places; i++) {
      int length = snprintf(path, sizeof path, "%.*s%s%s", folder, self.dli_fname, places[i], by->module);
      if (length < (int)sizeof path) handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
  }
  if (handle == NULL) handle = dlopen(by->module, RTLD_NOW | RTLD_GLOBAL);
  if (handle == NULL) {
    *why = dlerror();
    return NULL;
  }
  void *found = dlsym(handle, GV_MPI_OFFER);
  memcpy(&offer, &found, sizeof offer);
  const gv_mpi_module *module = offer != NULL ? offer() : NULL;
  *why = "it is of another version of gpuvoronoi";
  return module != NULL && strcmp(module->version, gv_version()) == 0 ? module : NULL;
}

/* ------------------------------------------------------------------------------------------------------ one rank */

typedef struct cluster {
  const gv_mpi_module *mpi;
  int rank, ranks;
  char folder[4096], failed[4200];
} cluster;

static cluster here;
static atomic_llong looked;

/* Looks for the file of a rank that has failed, twice a second. */
static bool others_failed(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  long long at = 2 * (long long)now.tv_sec + now.tv_nsec / 500000000;
  return atomic_exchange(&looked, at) != at && access(here.failed, F_OK) == 0;
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

/* Ranks of one machine share its processors, unless the launcher has dealt them, and its GPUs. */
static void share_machine(gv_job *j) {
  int rank = 0, ranks = 1, devices = 0;
  cpu_set_t set;
  gv_context *context = NULL;
  if (here.mpi->local(&rank, &ranks) != 0 || ranks < 2) return;
  bool dealt = sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) < sysconf(_SC_NPROCESSORS_ONLN);
  if (j->threads == 0 && !dealt) {
    voronoi_choose_threads(j);
    j->threads = j->threads > ranks ? j->threads / ranks : 1;
  }
  if (j->device >= 0 || gv_context_create(NULL, &context) != GV_OK) return;
  if (gv_device_count(context, &devices) == GV_OK && devices > 1) j->device = rank % devices;
  gv_context_destroy(context);
}

static const char *first_output(const gv_job *j) {
  const char *const paths[] = {j->raster.path, j->distance, j->azimuth, j->stats, j->polygons};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    if (paths[i] != NULL) return paths[i];
  return NULL;
}

static bool name_part(char *name, size_t size, int rank) {
  return snprintf(name, size, "%s/part%d.tif", here.folder, rank + 1) < (int)size;
}

static gv_status compute_part(gv_io *io, const gv_job *job, bool progress) {
  char name[4200];
  gv_job own = *job;
  if (!name_part(name, sizeof name, here.rank))
    return gv_io_fail(io, GV_ERROR_IO, "the name of an output is too long");
  own.raster.path = name;
  own.part = here.rank + 1;
  own.parts = here.ranks;
  own.spread = true;
  own.cells = own.mesh = NULL;
  own.sync = GV_SYNC_NEVER;
  own.progress = progress ? show_parts : NULL;
  return gv_job_run(io, &own);
}

/* ----------------------------------------------------------------------------------------------------- all ranks */

/* Whether all went well, for all of them; if not, the first prints what the first that failed says. */
static int agree(const gv_io *io, gv_status status, bool cancelled) {
  struct {
    char host[256], text[sizeof io->message];
    gv_code code;
  } said;
  int worst = 0;
  bool failed = status != GV_OK && !cancelled;
  if (here.mpi->largest(failed ? here.ranks - here.rank : 0, &worst) != 0) {
    return cli_fail(EXIT_ERROR, "the ranks cannot reach each other");
  }
  if (worst == 0) return EXIT_OK;
  int from = here.ranks - worst;
  memset(&said, 0, sizeof said);
  if (from == here.rank) {
    if (gethostname(said.host, sizeof said.host - 1) != 0) said.host[0] = '\0';
    memcpy(said.text, io->message, sizeof said.text);
    said.code = io->code;
  }
  if (here.mpi->send_to_all(from, &said, sizeof said) != 0) return EXIT_ERROR;
  return cli_fail_as(said.code, EXIT_ERROR, "rank %d of %d on %s: %s", from, here.ranks, said.host, said.text);
}

/* The first checks the outputs and makes the directory, whose name the others get. */
static int begin(const gv_job *j, gv_output *folder) {
  gv_io io = {.cancelled = cli_interrupted};
  gv_status status = GV_OK;
  if (here.rank == 0) {
    gv_job plan = *j;
    plan.plan_only = true;
    status = gv_job_run(&io, &plan);
    if (status == GV_OK) status = gv_output_init(&io, folder, first_output(j), true);
    if (status == GV_OK) status = gv_output_begin(&io, folder);
    if (status == GV_OK) {
      char *whole = realpath(folder->directory, here.folder) != NULL ? here.folder : NULL;
      if (whole == NULL) status = gv_io_fail(&io, GV_ERROR_IO, "the name of an output is too long");
    }
  }
  int worst = 0;
  if (here.mpi->largest(status != GV_OK, &worst) != 0) return EXIT_ERROR;
  if (worst != 0) return here.rank == 0 ? cli_report_failure(&io) : EXIT_ERROR;
  if (here.mpi->send_to_all(0, here.folder, sizeof here.folder) != 0) return EXIT_ERROR;
  snprintf(here.failed, sizeof here.failed, "%s/failed", here.folder);
  return EXIT_OK;
}

static int compute(const gv_job *j, bool progress) {
  gv_io io = {.cancelled = stopped};
  gv_status status = compute_part(&io, j, progress);
  if (cli_interrupted(NULL)) return cli_report_failure(&io);
  bool cancelled = status != GV_OK && access(here.failed, F_OK) == 0;
  if (status != GV_OK && !cancelled) {
    int flag = open(here.failed, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (flag >= 0) close(flag);
  }
  return agree(&io, status, cancelled);
}

/* On the first rank. */
static int merge(gv_job_settings *s, double begun) {
  const char **names = calloc((size_t)here.ranks, sizeof *names);
  int count = 0, result = names != NULL ? EXIT_OK : cli_fail(EXIT_ERROR, "out of memory");
  for (int i = 0; i < here.ranks && result == EXIT_OK; i++) {
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

/* One status for all. */
static int conclude(int result) {
  int worst = result;
  if (here.mpi->largest(result, &worst) != 0) worst = EXIT_ERROR;
  return worst;
}

static int carry_out(gv_job_settings *s, double begun) {
  gv_output folder = {.lock = -1};
  gv_job *j = &s->job;
  bool first = here.rank == 0, shows = first && voronoi_shows_progress(s);
  if (first_output(j) == NULL) return conclude(first ? voronoi_run(s, begun) : EXIT_OK); /* the mesh alone */
  share_machine(j);
  voronoi_choose_threads(j);
  if (shows) j->progress = show_parts;
  int result = begin(j, &folder);
  if (result == EXIT_OK) {
    result = compute(j, shows);
    if (cli_interrupted(NULL)) goto end;
    if (result == EXIT_OK && first) result = merge(s, begun);
    if (cli_interrupted(NULL)) goto end;
    result = conclude(result);
  }
end:
  if (first && folder.path != NULL) gv_output_clear(&folder);
  return result;
}

int cli_cluster_check(const gv_job *j) {
  if (j->parts > 0) return cli_fail(EXIT_USAGE, "--part is for processes that run by themselves, not under mpirun");
  const char *source = j->seeds.source;
  if (source == NULL || (strcmp(source, "-") != 0 && strcmp(source, "/vsistdin/") != 0)) return EXIT_OK;
  return cli_fail(EXIT_USAGE, "under mpirun all ranks read the seeds: write them to a file");
}

int cli_cluster_run(gv_job_settings *s, double begun) {
  const struct launcher *by = find_launcher();
  const char *why = "no launcher";
  here.mpi = by != NULL ? open_module(by, &why) : NULL;
  if (here.mpi == NULL) {
    return cli_fail(EXIT_ERROR, "started by a launcher of %s, whose module cannot be opened: %s",
                    by != NULL ? by->name : "MPI", why);
  }
  if (here.mpi->start() != 0) return cli_fail(EXIT_ERROR, "%s does not start", by->name);
  here.rank = here.mpi->rank();
  here.ranks = here.mpi->ranks();
  if (here.ranks != cli_cluster_ranks()) { /* each for itself, to one file */
    return cli_fail(EXIT_ERROR, "%s knows of %d rank%s, its launcher of %d", by->name, here.ranks,
                    here.ranks == 1 ? "" : "s", cli_cluster_ranks());
  }
  int result = carry_out(s, begun);
  if (!cli_interrupted(NULL)) here.mpi->finish(); /* the launcher ends the others */
  return result;
}
