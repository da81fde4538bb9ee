/* Compiled once for each MPI. */
#include "mpi/mpi_module.h"

#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpuvoronoi.h"

enum { CHUNK = 1 << 30 /* bytes a message */ };

static MPI_Comm everyone = MPI_COMM_NULL; /* that the launcher has started */
static MPI_Comm all = MPI_COMM_NULL;      /* that work */
/* Calls are made one at a time (MPI_THREAD_SERIALIZED): none of them waits. */
static pthread_mutex_t calling = PTHREAD_MUTEX_INITIALIZER;

/* ------------------------------------------------------------------------------------------------------- waiting */

/* MPI's own waiting takes a processor for itself: after a short time of that, sleeps of up to a millisecond. */
static void nap(int tries) {
  enum { EAGER = 64 };
  struct timespec while_ = {0, tries < EAGER ? 0 : tries < 2 * EAGER ? 50000 : 1000000};
  (void)nanosleep(&while_, NULL);
}

/* Of one request or two. */
static int complete_unless(MPI_Request *requests, int count, bool (*given_up)(void *)) {
  MPI_Status statuses[2];
  int done = 0, error = MPI_SUCCESS;
  for (int tries = 0; !done && error == MPI_SUCCESS; tries++) {
    pthread_mutex_lock(&calling);
    error = MPI_Testall(count, requests, &done, statuses);
    pthread_mutex_unlock(&calling);
    if (!done && given_up != NULL && given_up(NULL)) error = MPI_ERR_OTHER;
    if (!done) nap(tries);
  }
  return error;
}

static int complete(MPI_Request *requests, int count) {
  return complete_unless(requests, count, NULL);
}

static int chunk_of(size_t count, size_t done) {
  return count - done < CHUNK ? (int)(count - done) : CHUNK;
}

/* --------------------------------------------------------------------------------------------------------- calls */

/* UCX 1.13 under MPICH 4.0 (Debian 12) may wait in MPI_Finalize for ever over TCP, which ranks of one machine need not use. */
static void leave_tcp_out(void) {
#ifdef MPICH_VERSION
  const char *ranks_of_all = getenv("PMI_SIZE"), *ranks_here = getenv("MPI_LOCALNRANKS");
  if (ranks_of_all != NULL && ranks_here != NULL && strcmp(ranks_of_all, ranks_here) == 0)
    (void)setenv("UCX_TLS", "self,sm", 0);
#endif
}

/* Communicators of its own, whose errors are told, not fatal. */
static int start(void) {
  int given = 0;
  leave_tcp_out();
  int error = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given);
  if (error == MPI_SUCCESS) error = MPI_Comm_dup(MPI_COMM_WORLD, &everyone);
  if (error == MPI_SUCCESS) error = MPI_Comm_set_errhandler(everyone, MPI_ERRORS_RETURN);
  all = everyone;
  return error != MPI_SUCCESS || given < MPI_THREAD_SERIALIZED;
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

/* Those of this machine, in their order. */
static int split_machine(MPI_Comm *machine) {
  *machine = MPI_COMM_NULL;
  return MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, rank(), MPI_INFO_NULL, machine);
}

static int local(int *number, int *count) {
  MPI_Comm machine;
  int error = split_machine(&machine);
  if (error == MPI_SUCCESS) error = MPI_Comm_rank(machine, number);
  if (error == MPI_SUCCESS) error = MPI_Comm_size(machine, count);
  if (machine != MPI_COMM_NULL) (void)MPI_Comm_free(&machine);
  return error != MPI_SUCCESS;
}

static int pool(int *number, void *set, size_t bytes) {
  MPI_Comm machine;
  int error = split_machine(&machine);
  if (error == MPI_SUCCESS) error = MPI_Allreduce(MPI_IN_PLACE, number, 1, MPI_INT, MPI_SUM, machine);
  if (error == MPI_SUCCESS) error = MPI_Allreduce(MPI_IN_PLACE, set, (int)bytes, MPI_BYTE, MPI_BOR, machine);
  if (machine != MPI_COMM_NULL) (void)MPI_Comm_free(&machine);
  return error != MPI_SUCCESS;
}

static int work(int works) {
  MPI_Comm some = MPI_COMM_NULL;
  int error = MPI_Comm_split(all, works ? 0 : MPI_UNDEFINED, rank(), &some);
  if (error == MPI_SUCCESS && works) error = MPI_Comm_set_errhandler(some, MPI_ERRORS_RETURN);
  all = some;
  return error != MPI_SUCCESS;
}

static int largest_of(MPI_Comm some, int value, int *out, bool (*given_up)(void *)) {
  MPI_Request request = MPI_REQUEST_NULL;
  pthread_mutex_lock(&calling);
  int error = MPI_Iallreduce(&value, out, 1, MPI_INT, MPI_MAX, some, &request);
  pthread_mutex_unlock(&calling);
  return error != MPI_SUCCESS || complete_unless(&request, 1, given_up) != MPI_SUCCESS;
}

static int largest(int value, int *out) {
  return largest_of(all, value, out, NULL);
}

static int meet(int value, int *out, bool (*given_up)(void *)) {
  return largest_of(everyone, value, out, given_up);
}

static int send_to_all(int from, void *bytes, size_t count) {
  int error = MPI_SUCCESS;
  for (size_t done = 0; done < count && error == MPI_SUCCESS; done += CHUNK) {
    MPI_Request request = MPI_REQUEST_NULL;
    pthread_mutex_lock(&calling);
    error = MPI_Ibcast((char *)bytes + done, chunk_of(count, done), MPI_BYTE, from, all, &request);
    pthread_mutex_unlock(&calling);
    if (error == MPI_SUCCESS) error = complete(&request, 1);
  }
  return error != MPI_SUCCESS;
}

static int send(int to, int kind, const void *bytes, size_t count) {
  int error = MPI_SUCCESS;
  for (size_t done = 0; done < count && error == MPI_SUCCESS; done += CHUNK) {
    MPI_Request request = MPI_REQUEST_NULL;
    pthread_mutex_lock(&calling);
    error = MPI_Isend((const char *)bytes + done, chunk_of(count, done), MPI_BYTE, to, kind, all, &request);
    pthread_mutex_unlock(&calling);
    if (error == MPI_SUCCESS) error = complete(&request, 1);
  }
  return error != MPI_SUCCESS;
}

static int receive(int from, int kind, void *bytes, size_t count) {
  int error = MPI_SUCCESS;
  for (size_t done = 0; done < count && error == MPI_SUCCESS; done += CHUNK) {
    MPI_Request request = MPI_REQUEST_NULL;
    pthread_mutex_lock(&calling);
    error = MPI_Irecv((char *)bytes + done, chunk_of(count, done), MPI_BYTE, from, kind, all, &request);
    pthread_mutex_unlock(&calling);
    if (error == MPI_SUCCESS) error = complete(&request, 1);
  }
  return error != MPI_SUCCESS;
}

static int look(int kind, int *from) {
  MPI_Status status;
  int there = 0;
  pthread_mutex_lock(&calling);
  int error = MPI_Iprobe(MPI_ANY_SOURCE, kind, all, &there, &status);
  pthread_mutex_unlock(&calling);
  *from = error == MPI_SUCCESS && there ? status.MPI_SOURCE : -1;
  return error != MPI_SUCCESS;
}

static int pass(int to, const void *out, size_t out_count, int from, void *in, size_t in_count) {
  int error = MPI_SUCCESS;
  for (size_t done = 0; (done < out_count || done < in_count) && error == MPI_SUCCESS; done += CHUNK) {
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    pthread_mutex_lock(&calling);
    if (done < in_count)
      error =
          MPI_Irecv((char *)in + done, chunk_of(in_count, done), MPI_BYTE, from, GV_MPI_DATA, all, &requests[0]);
    if (done < out_count && error == MPI_SUCCESS) {
      error = MPI_Isend((const char *)out + done, chunk_of(out_count, done), MPI_BYTE, to, GV_MPI_DATA, all,
                        &requests[1]);
    }
    pthread_mutex_unlock(&calling);
    if (error == MPI_SUCCESS) error = complete(requests, 2);
  }
  return error != MPI_SUCCESS;
}

static void finish(void) {
  if (all != everyone && all != MPI_COMM_NULL) (void)MPI_Comm_free(&all);
  if (everyone != MPI_COMM_NULL) (void)MPI_Comm_free(&everyone);
  (void)MPI_Finalize();
}

__attribute__((visibility("default"))) gv_mpi_offer gv_mpi_module_offer;

const gv_mpi_module *gv_mpi_module_offer(void) {
  static const gv_mpi_module module = {.version = GV_VERSION_STRING,
                                       .start = start,
                                       .rank = rank,
                                       .ranks = ranks,
                                       .local = local,
                                       .pool = pool,
                                       .work = work,
                                       .largest = largest,
                                       .send_to_all = send_to_all,
                                       .send = send,
                                       .receive = receive,
                                       .look = look,
                                       .pass = pass,
                                       .meet = meet,
                                       .finish = finish};
  return &module;
}
