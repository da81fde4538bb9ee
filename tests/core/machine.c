/* What the process may use, by its affinity, the environment and cgroups as they look on several machines. */
#include "cmocka_test.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/core.h"
#include "core/machine.h"

static char root[] = "/tmp/gpuvoronoi-machine-XXXXXX";

/* Writes a file below the root, and the folders that it lies in. */
static void put(const char *name, const char *text) {
  char path[512];
  snprintf(path, sizeof path, "%s%s", root, name);
  for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    (void)mkdir(path, 0777);
    *slash = '/';
  }
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static int begin(void **state) {
  (void)state;
  strcpy(strrchr(root, '-') + 1, "XXXXXX");
  return mkdtemp(root) != NULL ? 0 : -1;
}

static int end(void **state) {
  char command[512];
  (void)state;
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  return system(command);
}

static void nothing_is_known(void **state) {
  (void)state;
  gv_quota q = gv_machine_quota(root);
  assert_true(isinf(q.cpus));
  assert_int_equal(q.memory, INT64_MAX);
}

static void version_2(void **state) {
  (void)state;
  put("/proc/self/cgroup", "0::/a/b\n");
  put("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  put("/sys/fs/cgroup/a/memory.max", "4000000000\n");
  put("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  put("/sys/fs/cgroup/a/b/memory.max", "5000000000\n");
  gv_quota q = gv_machine_quota(root);
  assert_true(q.cpus == 1.5);
  assert_int_equal(q.memory, INT64_C(4000000000));
  put("/sys/fs/cgroup/a/b/memory.max", "300000000\n");
  put("/sys/fs/cgroup/a/memory.max", "max\n");
  assert_int_equal(gv_machine_quota(root).memory, 300000000);
}

static void version_1(void **state) {
  (void)state;
  put("/proc/self/cgroup", "5:cpu,cpuacct:/job\n4:memory:/job/step\n1:name=systemd:/\n0::/\n");
  put("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "400000\n");
  put("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2000000000\n");
  put("/sys/fs/cgroup/memory/job/step/memory.limit_in_bytes", "9223372036854771712\n");
  gv_quota q = gv_machine_quota(root);
  assert_true(q.cpus == 4.0);
  assert_int_equal(q.memory, 2000000000);
  put("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
  assert_true(isinf(gv_machine_quota(root).cpus));
}

/* The path is the host's; what is mounted is the container's own group. */
static void within_a_container(void **state) {
  (void)state;
  put("/proc/self/cgroup", "4:memory:/docker/0123\n3:cpu,cpuacct:/docker/0123\n");
  put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1000000000\n");
  put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
  put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  gv_quota q = gv_machine_quota(root);
  assert_true(q.cpus == 2.0);
  assert_int_equal(q.memory, 1000000000);
}

static void nonsense(void **state) {
  (void)state;
  put("/proc/self/cgroup", "nonsense\n::\n0:/\n:memory:\n0::/x");
  put("/sys/fs/cgroup/x/cpu.max", "a b\n");
  put("/sys/fs/cgroup/x/memory.max", "-5\n");
  put("/sys/fs/cgroup/cpu.max", "\n");
  gv_quota q = gv_machine_quota(root);
  assert_true(isinf(q.cpus));
  assert_int_equal(q.memory, INT64_MAX);
}

static int default_threads(void) {
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  int threads = gv_context_threads(context);
  gv_context_destroy(context);
  return threads;
}

static void threads_by_default(void **state) {
  (void)state;
  cpu_set_t all, one;
  unsetenv("OMP_NUM_THREADS");
  assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
  assert_in_range(default_threads(), 1, CPU_COUNT(&all));
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  assert_int_equal(default_threads(), 1);
  setenv("OMP_NUM_THREADS", "7,2", 1);
  assert_int_equal(default_threads(), 7);
  setenv("OMP_NUM_THREADS", "0", 1);
  assert_int_equal(default_threads(), 1);
  setenv("OMP_NUM_THREADS", "many", 1);
  assert_int_equal(default_threads(), 1);
  unsetenv("OMP_NUM_THREADS");
  assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

static void there_is_memory(void **state) {
  (void)state;
  assert_true(gv_machine_memory() > 1 << 20);
}

/* The flags of the mapping that an address lies in, of /proc/self/smaps. */
static bool is_advised(const void *address) {
  char line[512];
  bool here = false, advised = false;
  FILE *file = fopen("/proc/self/smaps", "r");
  assert_non_null(file);
  while (fgets(line, sizeof line, file) != NULL) {
    unsigned long first, end;
    if (sscanf(line, "%lx-%lx ", &first, &end) == 2)
      here = (uintptr_t)address >= first && (uintptr_t)address < end;
    if (here && strncmp(line, "VmFlags:", 8) == 0) advised = strstr(line, " hg") != NULL;
  }
  fclose(file);
  return advised;
}

static void large_blocks_may_have_large_pages(void **state) {
  (void)state;
  enum { MIB = 1 << 20 };
  if (access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0 || access("/proc/self/smaps", F_OK) != 0)
    skip();
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  char *large = gv_allocate(&context->allocator, 40, MIB), *small = gv_allocate(&context->allocator, 8, MIB);
  assert_true(large != NULL && small != NULL);
  assert_true(is_advised(large + 20 * MIB));
  assert_false(is_advised(small + 4 * MIB));
  gv_release(&context->allocator, large);
  gv_release(&context->allocator, small);
  gv_context_destroy(context);
}

/* Pages of files in this process. */
static long file_pages(void) {
  long all = 0, resident = 0, shared = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld %ld", &all, &resident, &shared) != 3) shared = -1;
  if (file != NULL) fclose(file);
  return shared;
}

/* Systems map pages ahead, in groups of up to 2 MiB, unless advice prevents it. */
static void files_map_what_is_accessed(void **state) {
  enum { STEP = 1 << 20, PLACES = 32, AHEAD = 16 /* pages: 64 KiB */ };
  const long before = file_pages();
  (void)state;
  if (before < 0) skip();
  char *memory = gv_machine_map_file(root, (size_t)PLACES * STEP);
  assert_non_null(memory);
  for (int i = 0; i < PLACES; i++)
    memory[(size_t)i * STEP] = 1;
  assert_true(file_pages() - before <= PLACES * AHEAD);
  gv_machine_page_out(memory + 1, (size_t)PLACES * STEP - 1); /* parts begin anywhere */
  assert_true(file_pages() - before <= AHEAD);
  for (int i = 0; i < PLACES; i++)
    assert_int_equal(memory[(size_t)i * STEP], 1);
  assert_true(file_pages() - before <= PLACES * AHEAD);
  gv_machine_unmap(memory, (size_t)PLACES * STEP);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(nothing_is_known, begin, end),
      cmocka_unit_test_setup_teardown(version_2, begin, end),
      cmocka_unit_test_setup_teardown(version_1, begin, end),
      cmocka_unit_test_setup_teardown(within_a_container, begin, end),
      cmocka_unit_test_setup_teardown(nonsense, begin, end),
      cmocka_unit_test(threads_by_default),
      cmocka_unit_test(there_is_memory),
      cmocka_unit_test(large_blocks_may_have_large_pages),
      cmocka_unit_test_setup_teardown(files_map_what_is_accessed, begin, end),
  };
  return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
