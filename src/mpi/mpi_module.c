/* Compiled once for each MPI. */
#include "mpi/mpi_module.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static MPI_Comm all = MPI_COMM_NULL;
static bool (*given_up)(void *unused);

/* MPI's own waiting occupies a CPU: after a short time, sleeps of up to a millisecond. */
static void sleep_between_tests(int tries) {
  enum { EAGER = 64 };
  struct timespec while_ = {0, tries < EAGER ? 0 : tries < 2 * EAGER ? 50000 : 1000000};
  (void)nanosleep(&while_, NULL);
}

/* `error`: of the call that made the request. */
static int complete(int error, MPI_Request *request) {
  int done = 0;
  for (int tries = 0; error == MPI_SUCCESS; tries++) {
    error = MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done) break;
    if (given_up != NULL && given_up(NULL)) return 1;
    sleep_between_tests(tries < 1024 ? tries : 1024);
  }
  return error != MPI_SUCCESS;
}

static int allreduce(void *unused, int value, int *out) {
  MPI_Request request = MPI_REQUEST_NULL;
  (void)unused;
  return complete(MPI_Iallreduce(&value, out, 1, MPI_INT, MPI_MAX, all, &request), &request);
}

static int allgatherv(void *unused, const void *own, void *into, const int *bytes, const int *places) {
  MPI_Request request = MPI_REQUEST_NULL;
  int rank = 0;
  (void)unused;
  if (MPI_Comm_rank(all, &rank) != MPI_SUCCESS) return 1;
  return complete(MPI_Iallgatherv(own, bytes[rank], MPI_BYTE, into, bytes, places, MPI_BYTE, all, &request),
                  &request);
}

static int alltoallv(void *unused, const void *out, const int *out_bytes, const int *out_places, void *in,
                     const int *in_bytes, const int *in_places) {
  MPI_Request request = MPI_REQUEST_NULL;
  (void)unused;
  return complete(
      MPI_Ialltoallv(out, out_bytes, out_places, MPI_BYTE, in, in_bytes, in_places, MPI_BYTE, all, &request),
      &request);
}

/* UCX 1.13 under MPICH 4.0 (Debian 12) may wait in MPI_Finalize forever over TCP, which ranks of one machine
 * do not need. */
static void leave_tcp_out(void) {
#ifdef MPICH_VERSION
  const char *ranks_of_all = getenv("PMI_SIZE"), *ranks_here = getenv("MPI_LOCALNRANKS");
  if (ranks_of_all != NULL && ranks_here != NULL && strcmp(ranks_of_all, ranks_here) == 0)
    (void)setenv("UCX_TLS", "self,sm", 0);
#endif
}

/* A separate communicator that returns errors instead of aborting. */
static int mpi_module_start(bool (*cancelled)(void *unused), gv_communicator *out) {
  int given = 0;
  leave_tcp_out();
  given_up = cancelled;
  *out = (gv_communicator){sizeof *out, 0, 1, NULL, allreduce, allgatherv, alltoallv};
  int error = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
  if (error == MPI_SUCCESS) error = MPI_Comm_dup(MPI_COMM_WORLD, &all);
  if (error == MPI_SUCCESS) error = MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
  if (error == MPI_SUCCESS) error = MPI_Comm_rank(all, &out->rank);
  if (error == MPI_SUCCESS) error = MPI_Comm_size(all, &out->ranks);
  return error != MPI_SUCCESS || given < MPI_THREAD_FUNNELED;
}

static void mpi_module_finish(void) {
  if (all != MPI_COMM_NULL) (void)MPI_Comm_free(&all);
  (void)MPI_Finalize();
}

__attribute__((visibility("default"))) gv_mpi_offer gv_mpi_module_offer;

const gv_mpi_module *gv_mpi_module_offer(void) {
  static const gv_mpi_module module = {
      .version = GV_VERSION_STRING, .start = mpi_module_start, .finish = mpi_module_finish};
  return &module;
}
