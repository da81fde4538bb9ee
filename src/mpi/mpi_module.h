/*
 * MPI for the command: a module for each MPI (Open MPI, MPICH), which is opened only in processes that the
 * launcher of that MPI has started (distributed/communicator.c).
 */
#ifndef GV_MPI_MODULE_H
#define GV_MPI_MODULE_H

#include <stdbool.h>

#include "gpuvoronoi/experimental.h"

typedef struct gv_mpi_module {
  const char *version; /* of gpuvoronoi */
  /* Starts MPI; *out becomes the communicator of all ranks. Its calls sleep while they wait, fail after
   * `cancelled` (may be NULL) returns true, and must be made by the thread that called this. 0, or an
   * error. */
  int (*start)(bool (*cancelled)(void *unused), gv_communicator *out);
  void (*finish)(void);
} gv_mpi_module;

#define GV_MPI_OFFER "gv_mpi_module_offer"
typedef const gv_mpi_module *gv_mpi_offer(void);

#endif
