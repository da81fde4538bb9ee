/*
 * What the command needs of MPI: a module for each MPI (Open MPI, MPICH), which is opened only in processes that the launcher of that
 * MPI has started. Once it has started any thread may call, and who waits sleeps.
 */
#ifndef GV_MPI_MODULE_H
#define GV_MPI_MODULE_H

#include <stdbool.h>
#include <stddef.h>

/* What a message is about, for who receives it. */
enum { GV_MPI_REQUEST, GV_MPI_REPLY, GV_MPI_ORDER, GV_MPI_DATA };

typedef struct gv_mpi_module {
  const char *version; /* of gpuvoronoi */
  /* 0, or an error. */
  int (*start)(void);
  int (*rank)(void);
  int (*ranks)(void);
  /* Number and count of the ranks on this machine. */
  int (*local)(int *rank, int *ranks);
  /* Of the ranks on this machine, for each of them: the sum of their numbers, the union of their sets of bits. */
  int (*pool)(int *number, void *set, size_t bytes);
  /* Those that say so work from here on: all above and below is about them. The others wait for the end. */
  int (*work)(int works);
  /* The largest of all ranks' values, for all of them: each waits for all others. */
  int (*largest)(int value, int *out);
  /* From one rank to all. */
  int (*send_to_all)(int from, void *bytes, size_t count);
  /* From one to another, who knows how many bytes they are; messages of a kind come in the order in which they were sent. */
  int (*send)(int to, int kind, const void *bytes, size_t count);
  int (*receive)(int from, int kind, void *bytes, size_t count);
  /* *from becomes the rank of whom such a message has come, or -1. */
  int (*look)(int kind, int *from);
  /* Sends to one and receives from another, as all others do at the same time. */
  int (*pass)(int to, const void *out, size_t out_count, int from, void *in, size_t in_count);
  /* The largest value of those that work and those that do not, for all of them. Waits until all have come to it, or `given_up`. */
  int (*meet)(int value, int *out, bool (*given_up)(void *unused));
  void (*finish)(void);
} gv_mpi_module;

#define GV_MPI_OFFER "gv_mpi_module_offer"
typedef const gv_mpi_module *gv_mpi_offer(void);

#endif
