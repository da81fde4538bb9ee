/* The calls built on allreduce, allgatherv and alltoallv: by three threads instead of ranks. */
#include "distributed/communicator.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RANKS = 3 };

static pthread_barrier_t all_here;
static int values[RANKS];
static const char *sent[RANKS];
static int sent_bytes[RANKS];
static bool lost;

typedef struct rank {
  gv_cluster c;
  gv_io io;
  gv_status given, agreed;
  int most, numbers[4 * RANKS], told, gathered[RANKS];
  char own[GV_BROADCAST_MOST], collected[8];
} rank;

static int fake_largest(void *user, int value, int *out) {
  values[*(int *)user] = value;
  pthread_barrier_wait(&all_here);
  *out = value;
  for (int i = 0; i < RANKS; i++)
    if (values[i] > *out) *out = values[i];
  pthread_barrier_wait(&all_here);
  return lost;
}

static int fake_gather(void *user, const void *own, void *all, const int *bytes, const int *places) {
  int number = *(int *)user;
  sent[number] = own;
  pthread_barrier_wait(&all_here);
  for (int i = 0; i < RANKS; i++)
    if (bytes[i] > 0) memcpy((char *)all + places[i], sent[i], (size_t)bytes[i]);
  pthread_barrier_wait(&all_here);
  return 0;
}

/* Only the data for rank 0. */
static int fake_trade(void *user, const void *out, const int *out_bytes, const int *out_places, void *in,
                      const int *in_bytes, const int *in_places) {
  int number = *(int *)user, good = out_bytes[1] == 0 && out_bytes[2] == 0 && out_places[0] == 0;
  sent[number] = out;
  sent_bytes[number] = out_bytes[0];
  pthread_barrier_wait(&all_here);
  for (int i = 0; i < RANKS; i++) {
    good = good && in_bytes[i] == (number == 0 ? sent_bytes[i] : 0);
    if (number == 0) memcpy((char *)in + in_places[i], sent[i], (size_t)sent_bytes[i]);
  }
  pthread_barrier_wait(&all_here);
  return !good;
}

static void *work(void *user) {
  static const char *const words[RANKS] = {"ab", "", "cde"};
  static const int sizes[RANKS] = {2, 0, 3};
  rank *r = user;
  int number = r->c.all.rank;
  r->most = 10 - number;
  r->told = number == 1 ? 42 : 0;
  gv_status status = gv_cluster_largest(&r->io, &r->c, &r->most);
  if (status == GV_OK) status = gv_cluster_broadcast(&r->io, &r->c, 1, &r->told, (int)sizeof r->told);
  if (status == GV_OK) status = gv_cluster_gather(&r->io, &r->c, &number, r->gathered, (int)sizeof number);
  if (status == GV_OK) status = gv_cluster_collect(&r->io, &r->c, words[number], r->collected, sizes);
  if (status == GV_OK && r->given != GV_OK && r->given != GV_ERROR_CANCELLED)
    gv_io_fail(&r->io, r->given, "rank %d says so", number);
  r->agreed = status == GV_OK ? gv_cluster_agree(&r->io, &r->c, r->given) : status;
  return NULL;
}

static bool yes(void *unused) {
  (void)unused;
  return true;
}

/* With the status of each rank. */
static void run(rank *ranks, const gv_status *given, bool (*cancelled)(void *)) {
  static int numbers[RANKS];
  static gv_host hosts[RANKS] = {{"a"}, {"b"}, {"c"}};
  pthread_t threads[RANKS];
  assert_int_equal(pthread_barrier_init(&all_here, NULL, RANKS), 0);
  memset(ranks, 0, RANKS * sizeof *ranks);
  for (int i = 0; i < RANKS; i++) {
    rank *r = &ranks[i];
    numbers[i] = i;
    r->given = given[i];
    r->io.cancelled = cancelled;
    r->c = (gv_cluster){.hosts = hosts, .numbers = r->numbers, .own = r->own};
    r->c.all =
        (gv_communicator){sizeof r->c.all, i, RANKS, &numbers[i], fake_largest, fake_gather, fake_trade};
    assert_int_equal(pthread_create(&threads[i], NULL, work, r), 0);
  }
  for (int i = 0; i < RANKS; i++)
    assert_int_equal(pthread_join(threads[i], NULL), 0);
  pthread_barrier_destroy(&all_here);
}

static void bytes_reach_all_or_the_first(void **state) {
  static rank ranks[RANKS];
  (void)state;
  run(ranks, (gv_status[]){GV_OK, GV_OK, GV_OK}, NULL);
  for (int i = 0; i < RANKS; i++) {
    assert_int_equal(ranks[i].agreed, GV_OK);
    assert_int_equal(ranks[i].most, 10);
    assert_int_equal(ranks[i].told, 42);
    for (int k = 0; k < RANKS; k++)
      assert_int_equal(ranks[i].gathered[k], k);
  }
  assert_string_equal(ranks[0].collected, "abcde");
  assert_string_equal(ranks[2].collected, "");
}

/* All get the first failure, with its rank unless that is rank 0; cancelling is not a failure. */
static void all_agree_on_the_first_failure(void **state) {
  static rank ranks[RANKS];
  static const struct {
    gv_status given[RANKS], agreed;
    const char *message;
  } cases[] = {{{GV_OK, GV_ERROR_IO, GV_ERROR_DEVICE}, GV_ERROR_IO, "rank 1 of 3 on b: rank 1 says so"},
               {{GV_ERROR_DEVICE, GV_OK, GV_ERROR_IO}, GV_ERROR_DEVICE, "rank 0 says so"},
               {{GV_ERROR_CANCELLED, GV_OK, GV_ERROR_IO}, GV_ERROR_IO, "rank 2 of 3 on c: rank 2 says so"},
               {{GV_OK, GV_ERROR_CANCELLED, GV_OK}, GV_ERROR_CANCELLED, NULL}};
  (void)state;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    run(ranks, cases[c].given, NULL);
    for (int i = 0; i < RANKS; i++) {
      assert_int_equal(ranks[i].agreed, cases[c].agreed);
      if (cases[c].message != NULL) assert_string_equal(ranks[i].io.message, cases[c].message);
    }
  }
}

static void ranks_out_of_reach_are_an_error(void **state) {
  static rank ranks[RANKS];
  (void)state;
  lost = true;
  run(ranks, (gv_status[]){GV_OK, GV_OK, GV_OK}, NULL);
  assert_int_equal(ranks[1].agreed, GV_ERROR_IO);
  assert_string_equal(ranks[1].io.message, "the communication between ranks failed");
  run(ranks, (gv_status[]){GV_OK, GV_OK, GV_OK}, yes);
  assert_int_equal(ranks[1].agreed, GV_ERROR_CANCELLED);
  lost = false;
}

static void launchers_are_known_by_their_environment(void **state) {
  (void)state;
  unsetenv("OMPI_COMM_WORLD_RANK");
  unsetenv("PMI_RANK");
  assert_int_equal(gv_launcher_ranks(), 1);
  setenv("PMI_RANK", "2", 1);
  setenv("PMI_SIZE", "5", 1);
  assert_int_equal(gv_launcher_rank(), 2);
  assert_int_equal(gv_launcher_ranks(), 5);
  assert_false(gv_launcher_ends_all());
  setenv("PMI_SIZE", "5x", 1);
  assert_int_equal(gv_launcher_ranks(), 1);
  assert_int_equal(gv_launcher_rank(), 0);
  unsetenv("PMI_RANK");
  unsetenv("PMI_SIZE");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_reach_all_or_the_first),
                                     cmocka_unit_test(all_agree_on_the_first_failure),
                                     cmocka_unit_test(ranks_out_of_reach_are_an_error),
                                     cmocka_unit_test(launchers_are_known_by_their_environment)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
