/* Compiled once for each MPI. */
#include "mpi/mpi_module.h"

#include <limits.h>
#include <mpi.h>

#include "gpuvoronoi.h"

static MPI_Comm all = MPI_COMM_NULL;

/* A communicator of its own, whose errors are told, not fatal. */
static int start(void) {
  int given = 0;
  int error = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
  if (error == MPI_SUCCESS) error = MPI_Comm_dup(MPI_COMM_WORLD, &all);
  if (error == MPI_SUCCESS) error = MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
  return error != MPI_SUCCESS || given < MPI_THREAD_FUNNELED;
}

static int rank(void) {
  int number = 0;
  (void)MPI_Comm_rank(all, &number);
  return number;
}

static int ranks(void) {
  int count = 1;
  (void)MPI_Comm_size(all, &count);
  return count;
}

static int local(int *number, int *count) {
  MPI_Comm machine = MPI_COMM_NULL;
  int error = MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, rank(), MPI_INFO_NULL, &machine);
  if (error == MPI_SUCCESS) error = MPI_Comm_rank(machine, number);
  if (error == MPI_SUCCESS) error = MPI_Comm_size(machine, count);
  if (machine != MPI_COMM_NULL) (void)MPI_Comm_free(&machine);
  return error != MPI_SUCCESS;
}

static int largest(int value, int *out) {
  return MPI_Allreduce(&value, out, 1, MPI_INT, MPI_MAX, all) != MPI_SUCCESS;
}

static int send_to_all(int from, void *bytes, size_t count) {
  return count > INT_MAX || MPI_Bcast(bytes, (int)count, MPI_BYTE, from, all) != MPI_SUCCESS;
}

static void finish(void) {
  if (all != MPI_COMM_NULL) (void)MPI_Comm_free(&all);
  (void)MPI_Finalize();
}

__attribute__((visibility("default"))) gv_mpi_offer gv_mpi_module_offer;

const gv_mpi_module *gv_mpi_module_offer(void) {
  static const gv_mpi_module module = {GV_VERSION_STRING, start, rank, ranks, local, largest, send_to_all, finish};
  return &module;
}
