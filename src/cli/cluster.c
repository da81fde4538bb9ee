#include "cli/cluster.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/process.h"
#include "core/module.h"

/* ------------------------------------------------------------------------------------------------- the launcher */

/* What tells processes which they are: of Open MPI's launcher, and of those that speak PMI, as MPICH's do. */
static const struct launcher {
  const char *rank, *ranks, *module, *name;
  bool ends_all; /* once one has failed, even if none has started MPI */
} launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "libgpuvoronoi_mpi_openmpi.so", "Open MPI", true},
                 {"PMI_RANK", "PMI_SIZE", "libgpuvoronoi_mpi_mpich.so", "MPICH", false}};

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

static const gv_mpi_module *open_module(const struct launcher *by, const char **why) {
  gv_mpi_offer *offer = NULL;
  const char *(*version)(void) = gv_version;
  void *place = NULL;
  memcpy(&place, &version, sizeof place);
  void *handle = gv_module_open(place, by->module, true);
  if (handle == NULL) {
    *why = gv_library_why();
    return NULL;
  }
  void *found = gv_library_symbol(handle, GV_MPI_OFFER);
  memcpy(&offer, &found, sizeof offer);
  const gv_mpi_module *module = offer != NULL ? offer() : NULL;
  *why = "it is of another version of gpuvoronoi";
  return module != NULL && strcmp(module->version, gv_version()) == 0 ? module : NULL;
}

/* ----------------------------------------------------------------------------------------------------- all ranks */

static const char unreachable[] = "the ranks cannot reach each other";

int cli_cluster_check_source(const char *source) {
  if (source == NULL || (strcmp(source, "-") != 0 && strcmp(source, "/vsistdin/") != 0)) return EXIT_OK;
  return cli_fail(EXIT_USAGE, "under mpirun all ranks read the inputs: write the standard input to a file");
}

static bool met; /* MPI has started */

/* Ranks of one machine share its processors, unless the launcher has dealt them, and its GPUs. */
static void share_machine(const cli_cluster *c, int *threads, int *device) {
  int rank = 0, ranks = 1, devices = 0;
  cpu_set_t set;
  gv_context *context = NULL;
  if (c->mpi->local(&rank, &ranks) != 0 || ranks < 2 || gv_context_create(NULL, &context) != GV_OK) return;
  bool dealt = sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) < sysconf(_SC_NPROCESSORS_ONLN);
  int all = gv_context_threads(context);
  if (*threads == 0 && !dealt) *threads = all > ranks ? all / ranks : 1;
  if (*device < 0 && gv_device_count(context, &devices) == GV_OK && devices > 1) *device = rank % devices;
  gv_context_destroy(context);
}

/* The threads that were asked for, here or for all programs of OpenMP's kind; 0: as many as there are processors. */
static int threads_asked(int threads) {
  const char *all = "OMP_NUM_THREADS";
  return threads > 0 ? threads : number_of(all, 0);
}

/* The first rank of a machine gets the processors of its others, if the system lets it: for threads that it makes from now on. */
static bool take_processors(const cpu_set_t *set) {
  cpu_set_t own, now;
  if (sched_getaffinity(0, sizeof own, &own) != 0) return false;
  if (sched_setaffinity(0, sizeof *set, set) == 0 && sched_getaffinity(0, sizeof now, &now) == 0 &&
      CPU_EQUAL(&now, set))
    return true;
  (void)sched_setaffinity(0, sizeof own, &own);
  return false;
}

/* 0, or an error. All ranks come to the same calls. */
static int work_together(cli_cluster *c, const char *backend, int *threads) {
  const char *how = getenv("GPUVORONOI_RANKS");
  int any = 0, rank = 0, ranks = 1, sum = threads_asked(*threads), refused = 0;
  bool apart = (how != NULL && strcmp(how, "apart") == 0) || strncmp(backend, "cuda", 4) == 0;
  cpu_set_t set, none;
  CPU_ZERO(&none);
  if (sched_getaffinity(0, sizeof set, &set) != 0) apart = true;
  if (c->mpi->largest(apart, &any) != 0) return 1;
  if (any != 0) return 0;
  if (c->mpi->local(&rank, &ranks) != 0 || c->mpi->pool(&sum, &set, sizeof set) != 0) return 1;
  refused = rank == 0 && ranks > 1 && !take_processors(&set);
  if (c->mpi->pool(&refused, &none, sizeof none) != 0) return 1;
  c->idle = refused == 0 && rank > 0;
  if (refused == 0) *threads = sum;
  if (c->mpi->work(!c->idle) != 0) return 1;
  if (c->idle) return 0;
  c->rank = c->mpi->rank();
  c->ranks = c->mpi->ranks();
  return 0;
}

const cli_cluster *cli_cluster_join(const char *backend, int *threads, int *device) {
  static cli_cluster here;
  const struct launcher *by = find_launcher();
  const char *why = "no launcher";
  here.mpi = by != NULL ? open_module(by, &why) : NULL;
  if (here.mpi == NULL) {
    cli_fail(EXIT_ERROR, "started by a launcher of %s, whose module cannot be opened: %s",
             by != NULL ? by->name : "MPI", why);
    return NULL;
  }
  if (here.mpi->start() != 0) {
    cli_fail(EXIT_ERROR, "%s does not start", by->name);
    return NULL;
  }
  met = true;
  here.number = here.rank = here.mpi->rank();
  here.count = here.ranks = here.mpi->ranks();
  if (here.ranks != cli_cluster_ranks()) { /* each would be for itself, and write to one file */
    cli_fail(EXIT_ERROR, "%s knows of %d rank%s, its launcher of %d", by->name, here.ranks,
             here.ranks == 1 ? "" : "s", cli_cluster_ranks());
    return NULL;
  }
  if (work_together(&here, backend, threads) != 0) {
    cli_fail(EXIT_ERROR, "%s", unreachable);
    return NULL;
  }
  if (!here.idle) share_machine(&here, threads, device);
  return &here;
}

int cli_cluster_leave(const cli_cluster *c, int result) {
  int worst = result;
  if (cli_interrupted(NULL)) return result;
  if (c->mpi->meet(result, &worst, cli_interrupted) != 0) return result != EXIT_OK ? result : EXIT_ERROR;
  c->mpi->finish();
  return worst;
}

int cli_cluster_end(int result) {
  const double most = 30.0; /* seconds: the first may be another command, that does not fail */
  double begun = cli_seconds();
  bool waits = result != EXIT_OK && !met && cli_cluster_rank() > 0 && find_launcher()->ends_all;
  while (waits && !cli_interrupted(NULL) && cli_seconds() - begun < most)
    (void)nanosleep(&(const struct timespec){0, 50000000}, NULL);
  return result;
}

gv_status cli_cluster_unreachable(gv_io *io) {
  return gv_io_fail(io, GV_ERROR_IO, "%s", unreachable);
}

bool cli_cluster_is_time(atomic_llong *last, int a_second) {
  long long now = (long long)(cli_seconds() * a_second);
  return atomic_exchange(last, now) != now;
}

int cli_cluster_agree(const cli_cluster *c, const gv_io *io, gv_status status) {
  struct {
    char host[256], text[sizeof io->message];
    gv_code code;
    int number;
  } said;
  int worst = 0;
  bool failed = status != GV_OK && status != GV_ERROR_CANCELLED;
  if (c->mpi->largest(failed ? c->ranks - c->rank + 1 : status != GV_OK, &worst) != 0)
    return cli_fail(EXIT_ERROR, "%s", unreachable);
  if (worst == 0) return EXIT_OK;
  if (worst == 1) return EXIT_ERROR; /* interrupted, which is said elsewhere */
  int from = c->ranks - worst + 1;
  memset(&said, 0, sizeof said);
  if (from == c->rank) {
    if (gethostname(said.host, sizeof said.host - 1) != 0) said.host[0] = '\0';
    memcpy(said.text, io->message, sizeof said.text);
    said.code = io->code;
    said.number = c->number;
  }
  if (c->mpi->send_to_all(from, &said, sizeof said) != 0) return EXIT_ERROR;
  return cli_fail_as(said.code, EXIT_ERROR, "rank %d of %d on %s: %s", said.number, c->count, said.host, said.text);
}

int cli_cluster_conclude(const cli_cluster *c, int result) {
  int worst = result;
  return c->mpi->largest(result, &worst) == 0 ? worst : EXIT_ERROR;
}
