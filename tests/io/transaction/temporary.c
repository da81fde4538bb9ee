/* Temporary directories of outputs: which files are removed, which are kept, and that no file outside of them
 * is accessed. */
#include "cmocka_test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/retry.h"
#include "io/transaction/output.h"
#include "io/transaction/temporary.h"

enum { MAX_PATH = 512 };

static char parent[] = "/tmp/gpuvoronoi-test-XXXXXX";

/* "directory/name" */
static void join(char out[MAX_PATH], const char *directory, const char *name) {
  int length = snprintf(out, MAX_PATH, "%s/%s", directory, name);
  assert_true(length > 0 && length < MAX_PATH);
}

static void put_file(const char *directory, const char *name) {
  char path[MAX_PATH];
  join(path, directory, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs("precious", file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static bool is_there(const char *directory, const char *name) {
  char path[MAX_PATH];
  struct stat found;
  join(path, directory, name);
  return lstat(path, &found) == 0;
}

static gv_temporary make(void) {
  gv_io io = {.cancelled = NULL};
  gv_temporary made;
  assert_int_equal(gv_temporary_make(&io, parent, "a.tif", &made), GV_OK);
  return made;
}

static int make_parent(void **state) {
  (void)state;
  strcpy(parent, "/tmp/gpuvoronoi-test-XXXXXX");
  gv_io_drop_warnings(0, NULL);
  return mkdtemp(parent) != NULL ? 0 : -1;
}

static int remove_parent(void **state) {
  char command[MAX_PATH];
  (void)state;
  snprintf(command, sizeof command, "rm -rf '%s'", parent);
  return system(command);
}

/* Leaves the directory as a killed process does. The name stays in *t. */
static void die(gv_temporary *t) {
  char name[sizeof t->name];
  memcpy(name, t->name, sizeof name);
  gv_temporary_close(t);
  memcpy(t->name, name, sizeof name);
}

static void is_private_and_goes(void **state) {
  struct stat found;
  (void)state;
  gv_temporary t = make(), other = make();
  assert_string_not_equal(t.name, other.name);
  assert_int_equal(fstat(t.directory, &found), 0);
  assert_int_equal(found.st_mode & 0777, 0700);
  put_file(t.path, "x");
  assert_int_equal(fstatat(t.directory, "x", &found, 0), 0);
  assert_int_equal(mkdirat(t.directory, "inner", 0700), 0);
  assert_int_equal(symlinkat("/", t.directory, "inner/link"), 0);
  assert_true(gv_temporary_remove(&t));
  assert_false(is_there(parent, t.name));
  assert_true(is_there(parent, other.name));
  assert_true(gv_temporary_remove(&other));
  gv_temporary_close(&t);
  gv_temporary_close(&other);
}

static void leftovers_of_the_dead_go(void **state) {
  (void)state;
  gv_temporary dead = make(), living = make();
  put_file(dead.path, "a_half.tif");
  put_file(dead.path, GV_SCRATCH "source.tif");
  die(&dead);
  gv_temporary next = make();
  assert_false(is_there(parent, dead.name));
  assert_true(is_there(parent, living.name));
  assert_true(gv_temporary_remove(&living) && gv_temporary_remove(&next));
  gv_temporary_close(&living);
  gv_temporary_close(&next);
}

static void backups_stay_and_are_reported(void **state) {
  gv_warning warning;
  (void)state;
  gv_temporary dead = make();
  int backups = gv_temporary_backups(&dead);
  assert_true(backups >= 0);
  close(backups);
  char path[MAX_PATH], *backup = gv_temporary_backup_path(&dead, "old.tif");
  join(path, parent, dead.name);
  put_file(path, GV_BACKUPS "/old.tif");
  assert_int_equal(access(backup, F_OK), 0);
  die(&dead);
  gv_temporary next = make();
  assert_int_equal(access(backup, F_OK), 0);
  assert_true(gv_io_next_warning(&warning));
  assert_int_equal(warning.code, GV_CODE_BACKUP_LEFT);
  assert_non_null(strstr(warning.text, path));
  assert_true(gv_temporary_remove(&next));
  gv_temporary_close(&next);
  free(backup);
}

/* Directories that look like leftovers, but were not made here. */
static void what_others_made_stays(void **state) {
  enum { KINDS = 5 };
  char name[KINDS][64], path[MAX_PATH], victim[MAX_PATH];
  (void)state;
  gv_temporary like = make();
  size_t prefix = strlen(like.name) - 32;
  for (int i = 0; i < KINDS; i++)
    snprintf(name[i], sizeof name[i], "%.*s%032x", (int)prefix, like.name, i);
  join(victim, parent, "victim");
  assert_int_equal(mkdir(victim, 0700), 0);
  put_file(victim, "file");
  put_file(victim, GV_SCRATCH "lock");
  for (int i = 0; i < KINDS; i++) {
    join(path, parent, name[i]);
    if (i == 0) { /* a link to a directory that has a lock file */
      assert_int_equal(symlink(victim, path), 0);
      continue;
    }
    assert_int_equal(mkdir(path, i == 1 ? 0755 : 0700), 0); /* 1: open to others */
    put_file(path, "file");
    if (i != 2) put_file(path, GV_SCRATCH "lock"); /* 2: without a lock file */
  }
  char shorter[MAX_PATH], longer[80];
  snprintf(longer, sizeof longer, "%sx", name[3]);
  join(path, parent, longer);
  join(shorter, parent, name[3]);
  assert_int_equal(rename(shorter, path), 0);
  join(path, parent, name[4]);
  if (geteuid() == 0) {
    assert_int_equal(chown(path, 65534, 65534), 0); /* of another user */
  } else {
    assert_int_equal(chmod(path, 0750), 0);
  }
  gv_temporary next = make();
  assert_true(is_there(victim, "file") && is_there(parent, name[0]));
  for (int i = 1; i < KINDS; i++) {
    join(path, parent, i == 3 ? longer : name[i]);
    assert_true(is_there(path, "file"));
  }
  assert_true(gv_temporary_remove(&like) && gv_temporary_remove(&next));
  gv_temporary_close(&like);
  gv_temporary_close(&next);
}

/* Another user renames the directory and puts a link in its place. */
static void links_are_not_followed(void **state) {
  char victim[MAX_PATH], path[MAX_PATH], moved[MAX_PATH];
  (void)state;
  gv_temporary t = make();
  join(victim, parent, "victim");
  join(path, parent, t.name);
  join(moved, parent, "moved");
  assert_int_equal(mkdir(victim, 0700), 0);
  put_file(victim, "file");
  assert_int_equal(rename(path, moved), 0);
  assert_int_equal(symlink(victim, path), 0);
  put_file(t.path, "made");
  assert_true(is_there(moved, "made") && !is_there(victim, "made"));
  assert_int_equal(symlinkat(victim, t.directory, "link"), 0);
  assert_false(gv_temporary_remove(&t));
  assert_true(is_there(victim, "file") && is_there(parent, t.name));
  assert_false(is_there(moved, "made") || is_there(moved, "link"));
  gv_temporary_close(&t);
}

/* In a child with a mount namespace of its own: 0 = a file on another device stays, 1 = it is gone, SKIPPED =
 * nothing can be mounted. */
enum { SKIPPED = 77 };
static int remove_with_mount(void) {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return SKIPPED;
  gv_temporary t = make();
  char path[MAX_PATH], inner[MAX_PATH];
  join(path, parent, t.name);
  join(inner, path, "inner");
  if (mkdirat(t.directory, "inner", 0700) != 0 || mount("tmpfs", inner, "tmpfs", 0, NULL) != 0)
    return SKIPPED;
  put_file(inner, "file");
  bool gone = gv_temporary_remove(&t), there = is_there(inner, "file");
  umount(inner);
  return gone || !there;
}

static void other_devices_are_not_entered(void **state) {
  int status = 1;
  (void)state;
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(remove_with_mount());
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  if (WEXITSTATUS(status) == SKIPPED) skip();
  assert_int_equal(WEXITSTATUS(status), 0);
}

/* -------------------------------------------------------------------------------------------------- races */

/* Another run that takes a new directory for a leftover, at a moment of gv_temporary_make: the linker passes
 * its calls of the system to the functions below. */
enum { NO_RUN, AFTER_DIRECTORY, AFTER_OPENING, BEFORE_LOCK_FILE, HOLDS_LOCK, AFTER_LOCK, MOMENTS };
static struct {
  int moment;
  char name[NAME_MAX + 1], lock[NAME_MAX + 1];
} other_run;

/* What clear_leftover of temporary.c does, once. */
static void other_run_removes(int moment) {
  char path[MAX_PATH], lock[MAX_PATH];
  if (other_run.moment != moment) return;
  other_run.moment = NO_RUN;
  join(path, parent, other_run.name);
  join(lock, path, other_run.lock);
  unlink(lock);
  rmdir(path);
}

int __real_mkdirat(int directory, const char *name, mode_t mode);
int __wrap_mkdirat(int directory, const char *name, mode_t mode);
int __wrap_mkdirat(int directory, const char *name, mode_t mode) {
  int result = __real_mkdirat(directory, name, mode);
  if (other_run.name[0] == '\0') snprintf(other_run.name, sizeof other_run.name, "%s", name);
  other_run_removes(AFTER_DIRECTORY);
  return result;
}

int __real_openat(int directory, const char *name, int flags, ...);
int __wrap_openat(int directory, const char *name, int flags, ...);
int __wrap_openat(int directory, const char *name, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if ((flags & O_CREAT) != 0 && other_run.lock[0] == '\0') {
    other_run_removes(BEFORE_LOCK_FILE);
    snprintf(other_run.lock, sizeof other_run.lock, "%s", name);
  }
  int opened = __real_openat(directory, name, flags, mode);
  if (strcmp(name, other_run.name) == 0) other_run_removes(AFTER_OPENING);
  return opened;
}

int __real_flock(int file, int operation);
int __wrap_flock(int file, int operation);
int __wrap_flock(int file, int operation) {
  if (other_run.moment == HOLDS_LOCK && other_run.lock[0] != '\0') {
    other_run.moment = NO_RUN;
    errno = EWOULDBLOCK;
    return -1;
  }
  int result = __real_flock(file, operation);
  if (other_run.lock[0] != '\0') other_run_removes(AFTER_LOCK);
  return result;
}

/* A directory that another run has removed, or is about to, is not used: another one is made. */
static void removed_before_it_is_locked(void **state) {
  (void)state;
  for (int moment = AFTER_DIRECTORY; moment < MOMENTS; moment++) {
    memset(&other_run, 0, sizeof other_run);
    other_run.moment = moment;
    gv_temporary t = make();
    assert_int_equal(other_run.moment, NO_RUN);
    assert_string_not_equal(t.name, other_run.name);
    put_file(t.path, "x");
    char path[MAX_PATH];
    join(path, parent, t.name);
    assert_true(is_there(path, "x"));
    assert_true(gv_temporary_remove(&t));
    gv_temporary_close(&t);
  }
}

/* ----------------------------------------------------------------------------------------------- clean-up */

static bool nothing_is_removed;

int __real_unlinkat(int directory, const char *name, int flags);
int __wrap_unlinkat(int directory, const char *name, int flags);
int __wrap_unlinkat(int directory, const char *name, int flags) {
  if (!nothing_is_removed) return __real_unlinkat(directory, name, flags);
  errno = EIO;
  return -1;
}

/* Once all outputs are in place, a temporary directory that cannot be removed is a warning; before that it is
 * none. */
static void failed_removal_is_a_warning(void **state) {
  (void)state;
  for (int placed = 0; placed < 2; placed++) {
    gv_io io = {.cancelled = NULL};
    gv_output output, *all[] = {&output};
    gv_warning warning;
    char path[MAX_PATH], work[MAX_PATH];
    join(path, parent, placed ? "b.tif" : "a.tif");
    assert_int_equal(gv_output_init(&io, &output, path, false), GV_OK);
    assert_int_equal(gv_output_begin(&io, &output), GV_OK);
    snprintf(work, sizeof work, "%s/%s", parent, output.temporary.name);
    put_file(work, placed ? "b.tif" : "a.tif");
    if (placed) assert_int_equal(gv_outputs_commit(&io, all, 1, NULL, GV_SYNC_NEVER), GV_OK);
    nothing_is_removed = true;
    gv_output_clear(&output);
    nothing_is_removed = false;
    assert_int_equal(gv_io_next_warning(&warning), placed);
    if (!placed) continue;
    assert_int_equal(warning.code, GV_CODE_STALE_FILE);
    assert_non_null(strstr(warning.text, work));
    assert_true(is_there(parent, "b.tif"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(is_private_and_goes, make_parent, remove_parent),
      cmocka_unit_test_setup_teardown(leftovers_of_the_dead_go, make_parent, remove_parent),
      cmocka_unit_test_setup_teardown(backups_stay_and_are_reported, make_parent, remove_parent),
      cmocka_unit_test_setup_teardown(what_others_made_stays, make_parent, remove_parent),
      cmocka_unit_test_setup_teardown(links_are_not_followed, make_parent, remove_parent),
      cmocka_unit_test_setup_teardown(removed_before_it_is_locked, make_parent, remove_parent),
      cmocka_unit_test_setup_teardown(failed_removal_is_a_warning, make_parent, remove_parent),
      cmocka_unit_test_setup_teardown(other_devices_are_not_entered, make_parent, remove_parent)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
