/* Locks that other code of this process has on a file stay while it is looked at. */
#include "io/transaction/shared_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cmocka_test.h"
#include "io/retry.h"
#include "io/transaction/container_file.h"

static char path[] = "/tmp/gpuvoronoi-shared-XXXXXX";

/* Whether another process sees a lock on the file. */
static bool is_locked_here(void) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1 << 30, .l_len = 1};
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    int file = open(path, O_RDWR);
    _exit(fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 1 : 0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  return WEXITSTATUS(status) == 1;
}

static void test_locks_stay(void **state) {
  (void)state;
  gv_io io = {.cancelled = NULL};
  gv_file_state found;
  char copy[64];
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, "SQLite format 3\0 and more", 25), 25);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1 << 30, .l_len = 512};
  assert_int_equal(fcntl(file, F_SETLK, &lock), 0);
  assert_true(is_locked_here());
  assert_true(gv_is_sqlite(path));
  assert_true(is_locked_here());
  assert_int_equal(gv_container_check_idle(&io, path), GV_OK);
  assert_true(is_locked_here());
  snprintf(copy, sizeof copy, "%s.copy", path);
  assert_int_equal(gv_container_copy(&io, path, copy, &found), GV_OK);
  assert_int_equal(lseek(file, 0, SEEK_CUR), 25);
  assert_true(is_locked_here());
  assert_int_equal(gv_container_check_unchanged(&io, path, &found), GV_OK);
  assert_true(is_locked_here());
  assert_true(gv_is_sqlite(copy));
  unlink(copy);
  /* Opened by other code between our opening and closing. */
  gv_shared_file shared = gv_shared_open("/proc/self/exe");
  assert_true(shared.file >= 0 && !shared.borrowed);
  gv_shared_close(&shared);
  close(file);
  shared = gv_shared_open(path);
  assert_true(shared.file >= 0 && !shared.borrowed);
  file = open(path, O_RDWR);
  assert_int_equal(fcntl(file, F_SETLK, &lock), 0);
  gv_shared_close(&shared);
  assert_true(is_locked_here());
  close(file);
  unlink(path);
  shared = gv_shared_open(path);
  assert_int_equal(shared.file, -1);
  gv_shared_close(&shared);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_locks_stay)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
