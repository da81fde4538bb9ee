#include "distributed/communicator.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/module.h"
#include "mpi/mpi_module.h"

/* ------------------------------------------------------------------------------------------- the launcher */

/* Environment variables of the launchers of Open MPI, and of PMI, as MPICH uses it. */
static const struct launcher {
  const char *rank, *ranks, *module, *name;
  bool ends_all; /* after one rank has failed, even if none has started MPI */
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "libgpuvoronoi_mpi_openmpi.so", "Open MPI", true},
    {"PMI_RANK", "PMI_SIZE", "libgpuvoronoi_mpi_mpich.so", "MPICH", false}};

static const struct launcher *launcher_find(void) {
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
    if (getenv(launchers[i].rank) != NULL && getenv(launchers[i].ranks) != NULL) return &launchers[i];
  return NULL;
}

static int launcher_number(const char *name, int otherwise) {
  const char *text = getenv(name);
  char *end = NULL;
  long number = text != NULL ? strtol(text, &end, 10) : -1;
  return end != NULL && end != text && *end == '\0' && number >= 0 && number < INT_MAX ? (int)number
                                                                                       : otherwise;
}

int gv_launcher_rank(void) {
  const struct launcher *by = launcher_find();
  return by != NULL && gv_launcher_ranks() > 1 ? launcher_number(by->rank, 0) : 0;
}

int gv_launcher_ranks(void) {
  const struct launcher *by = launcher_find();
  return by != NULL ? launcher_number(by->ranks, 1) : 1;
}

bool gv_launcher_ends_all(void) {
  const struct launcher *by = launcher_find();
  return by != NULL && by->ends_all;
}

/* ------------------------------------------------------------------------------------------ start and end */

static const gv_mpi_module *module_open(const struct launcher *by, const char **why) {
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
  *why = "it is from another version of gpuvoronoi";
  return module != NULL && strcmp(module->version, gv_version()) == 0 ? module : NULL;
}

static gv_status communicator_unreachable(gv_io *io) {
  if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
  return gv_io_fail(io, GV_ERROR_IO, "the communication between ranks failed");
}

/* Counts the ranks on this host, and computes this rank's share of its CPUs. */
static gv_status share_host(gv_io *io, gv_cluster *c) {
  gv_host own;
  cpu_set_t set;
  gv_context *context = NULL;
  memset(&own, 0, sizeof own);
  if (gethostname(own.name, sizeof own.name - 1) != 0) own.name[0] = '\0';
  GV_TRY(gv_cluster_gather(io, c, &own, c->hosts, (int)sizeof own));
  for (int i = 0; i < c->all.ranks; i++) {
    if (strcmp(c->hosts[i].name, own.name) != 0) continue;
    c->host_ranks++;
    if (i < c->all.rank) c->host_rank++;
  }
  if (gv_context_create(NULL, &context) != GV_OK) return gv_io_fail_memory(io, "the threads");
  c->threads = c->host_threads = gv_context_threads(context);
  gv_context_destroy(context);
  bool bound = sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) < sysconf(_SC_NPROCESSORS_ONLN);
  if (!bound) c->threads = c->threads > c->host_ranks ? c->threads / c->host_ranks : 1;
  return GV_OK;
}

gv_status gv_cluster_open(gv_io *io, gv_cluster *out) {
  const struct launcher *by = launcher_find();
  const char *name = by != NULL ? by->name : "MPI", *why = "no launcher";
  const gv_mpi_module *module = by != NULL ? module_open(by, &why) : NULL;
  if (module == NULL) {
    return gv_io_fail(io, GV_ERROR_IO, "launcher of %s: cannot open its module: %s", name, why);
  }
  if (module->start(io->cancelled, &out->all) != 0)
    return gv_io_fail(io, GV_ERROR_IO, "%s: cannot start", name);
  out->finish = module->finish;
  if (out->all.ranks != gv_launcher_ranks()) { /* each would work by itself, and write to one file */
    return gv_io_fail(io, GV_ERROR_IO, "%s: %d rank%s, but its launcher has %d", name, out->all.ranks,
                      out->all.ranks == 1 ? "" : "s", gv_launcher_ranks());
  }
  out->hosts = calloc((size_t)out->all.ranks, sizeof *out->hosts);
  out->numbers = calloc(4 * (size_t)out->all.ranks, sizeof *out->numbers);
  out->own = malloc(GV_BROADCAST_MOST);
  bool made = out->hosts != NULL && out->numbers != NULL && out->own != NULL;
  gv_status status = made ? GV_OK : gv_io_fail_memory(io, "the ranks");
  return status == GV_OK ? share_host(io, out) : status;
}

void gv_cluster_close(gv_io *io, gv_cluster *c) {
  int unused = 0;
  /* a rank that leaves early would wait in MPI forever */
  bool whole = c->host_ranks > 0 && !gv_io_cancelled(io);
  if (whole && gv_cluster_largest(io, c, &unused) == GV_OK) c->finish();
  free(c->hosts);
  free(c->numbers);
  free(c->own);
}

int gv_cluster_device(const gv_cluster *c, int requested) {
  int devices = 0;
  gv_context *context = NULL;
  if (requested >= 0 || c->host_ranks < 2 || gv_context_create(NULL, &context) != GV_OK) return requested;
  bool several = gv_device_count(context, &devices) == GV_OK && devices > 1;
  gv_context_destroy(context);
  return several ? c->host_rank % devices : requested;
}

/* -------------------------------------------------------------------------------------------------- calls */

gv_status gv_cluster_largest(gv_io *io, const gv_cluster *c, int *value) {
  int most = 0;
  if (c->all.allreduce_max(c->all.user, *value, &most) != 0) return communicator_unreachable(io);
  *value = most;
  return GV_OK;
}

/* Offsets of the bytes of each rank, one after another. */
static void set_places(const gv_cluster *c, const int *sizes, int *places) {
  places[0] = 0;
  for (int i = 1; i < c->all.ranks; i++)
    places[i] = places[i - 1] + sizes[i - 1];
}

/* sizes: of each rank. */
static gv_status communicator_gather(gv_io *io, const gv_cluster *c, const void *own, void *all,
                                     const int *sizes) {
  int *places = c->numbers;
  set_places(c, sizes, places);
  return c->all.allgatherv(c->all.user, own, all, sizes, places) == 0 ? GV_OK : communicator_unreachable(io);
}

gv_status gv_cluster_gather(gv_io *io, const gv_cluster *c, const void *own, void *all, int size) {
  int *sizes = c->numbers + c->all.ranks;
  for (int i = 0; i < c->all.ranks; i++)
    sizes[i] = size;
  return communicator_gather(io, c, own, all, sizes);
}

gv_status gv_cluster_broadcast(gv_io *io, const gv_cluster *c, int from, void *bytes, int count) {
  int *sizes = c->numbers + c->all.ranks;
  memset(sizes, 0, (size_t)c->all.ranks * sizeof *sizes);
  sizes[from] = count;
  memcpy(c->own, bytes, (size_t)count); /* one buffer may not be both */
  return communicator_gather(io, c, c->own, bytes, sizes);
}

gv_status gv_cluster_collect(gv_io *io, const gv_cluster *c, const void *own, void *all, const int *sizes) {
  size_t ranks = (size_t)c->all.ranks;
  int *places = c->numbers, *none = places + ranks, *out = none + ranks, *in = out + ranks;
  set_places(c, sizes, places);
  memset(none, 0, 3 * ranks * sizeof *none);
  out[0] = sizes[c->all.rank];
  if (c->all.rank == 0) memcpy(in, sizes, ranks * sizeof *in);
  return c->all.alltoallv(c->all.user, own, out, none, all, in, places) == 0 ? GV_OK
                                                                             : communicator_unreachable(io);
}

gv_status gv_cluster_agree(gv_io *io, const gv_cluster *c, gv_status status) {
  struct {
    gv_status status;
    gv_code code;
    char text[sizeof io->message];
  } said;
  if (c == NULL) return status;
  bool failed = status != GV_OK && status != GV_ERROR_CANCELLED;
  int worst = failed ? c->all.ranks - c->all.rank + 1 : status != GV_OK, from = 0;
  GV_TRY(gv_cluster_largest(io, c, &worst));
  if (worst == 0) return GV_OK;
  if (worst == 1) return gv_io_fail_cancelled(io);
  from = c->all.ranks - worst + 1;
  memset(&said, 0, sizeof said);
  said.status = status;
  said.code = io->code;
  memcpy(said.text, io->message, sizeof said.text);
  GV_TRY(gv_cluster_broadcast(io, c, from, &said, (int)sizeof said));
  memcpy(io->message, said.text, sizeof said.text);
  io->code = said.code;
  if (from == 0) return said.status;
  return gv_io_within(io, said.status, "rank %d of %d on %s", from, c->all.ranks, c->hosts[from].name);
}
