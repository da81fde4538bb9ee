/*
 * What the command needs of MPI: a module for each MPI (Open MPI, MPICH), which is opened only in processes that the launcher of that
 * MPI has started. All but `library` is for one thread, the one that started.
 */
#ifndef GV_MPI_MODULE_H
#define GV_MPI_MODULE_H

#include <stddef.h>

typedef struct gv_mpi_module {
  const char *version; /* of gpuvoronoi */
  /* 0, or an error. */
  int (*start)(void);
  int (*rank)(void);
  int (*ranks)(void);
  /* Number and count of the ranks on this machine. */
  int (*local)(int *rank, int *ranks);
  /* The largest of all ranks' values, for all of them: each waits for all others. */
  int (*largest)(int value, int *out);
  /* From one rank to all. */
  int (*send_to_all)(int from, void *bytes, size_t count);
  void (*finish)(void);
} gv_mpi_module;

#define GV_MPI_OFFER "gv_mpi_module_offer"
typedef const gv_mpi_module *gv_mpi_offer(void);

#endif
