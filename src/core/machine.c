/* A process is in one cgroup a hierarchy, and what counts is the least that it or a group above it has.
 * Version 2 has one hierarchy, version 1 one a controller. Within a container the groups' paths may be the
 * host's, and the mounted root is the container's. */
#include "core/machine.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, LINE_SIZE = 4096 };

/* The first line of a file; false if there is none. */
static bool read_line(const char *folder, const char *name, char *line, int size) {
  char path[PATH_SIZE];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return false;
  FILE *file = fopen(path, "re");
  if (file == NULL) return false;
  bool read = fgets(line, size, file) != NULL;
  fclose(file);
  return read;
}

static void lower_cpus(gv_quota *q, double quota, double period) {
  if (quota > 0.0 && period > 0.0 && quota / period < q->cpus) q->cpus = quota / period;
}

static void lower_memory(gv_quota *q, const char *line) {
  int64_t bytes = strtoll(line, NULL, 10); /* "max" is 0 */
  if (bytes > 0 && bytes < q->memory) q->memory = bytes;
}

/* Reads the quota of one group. */
static void machine_read_group(const char *group, gv_quota *q) {
  char line[LINE_SIZE];
  if (read_line(group, "cpu.max", line, sizeof line)) {
    char *period;
    double quota = strtod(line, &period); /* "max" is 0 */
    lower_cpus(q, quota, strtod(period, NULL));
  }
  if (read_line(group, "cpu.cfs_quota_us", line, sizeof line)) {
    double quota = strtod(line, NULL); /* -1: none */
    if (read_line(group, "cpu.cfs_period_us", line, sizeof line)) lower_cpus(q, quota, strtod(line, NULL));
  }
  if (read_line(group, "memory.max", line, sizeof line)) lower_memory(q, line);
  if (read_line(group, "memory.limit_in_bytes", line, sizeof line)) lower_memory(q, line);
}

/* The group `path` of the hierarchy mounted at `mount`, and those above it. */
static void look_up(const char *mount, const char *path, gv_quota *q) {
  char group[PATH_SIZE];
  int top = (int)strlen(mount);
  if (snprintf(group, sizeof group, "%s%s", mount, path) >= (int)sizeof group) group[top] = '\0';
  for (;;) {
    machine_read_group(group, q);
    char *slash = strrchr(group, '/');
    if (slash == NULL || slash - group < top) return;
    *slash = '\0';
  }
}

gv_quota gv_machine_quota(const char *root) {
  gv_quota q = {INFINITY, INT64_MAX};
  char path[PATH_SIZE], line[LINE_SIZE], mount[PATH_SIZE];
  if (snprintf(path, sizeof path, "%s/proc/self/cgroup", root) >= (int)sizeof path) return q;
  FILE *file = fopen(path, "re");
  if (file == NULL) return q;
  /* number:controllers:path; version 2 has no controllers, and may be mounted beside version 1 as
   * "unified" */
  while (fgets(line, sizeof line, file) != NULL) {
    char *controllers = strchr(line, ':'), *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (group == NULL) continue;
    *controllers++ = *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    for (char *one = controllers, *end; one != NULL; one = end) {
      end = strchr(one, ',');
      if (end != NULL) *end++ = '\0';
      bool known = *one == '\0' || strcmp(one, "cpu") == 0 || strcmp(one, "memory") == 0;
      if (known && snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s%s", root, *one != '\0' ? "/" : "", one) <
                       (int)sizeof mount)
        look_up(mount, group, &q);
    }
  }
  fclose(file);
  return q;
}

static int cpus_by_affinity(void) {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  long all = sysconf(_SC_NPROCESSORS_ONLN); /* more CPUs than the set has room for */
  return all > 0 ? (int)all : 1;
}

int gv_cpu_count(void) {
  const char *wanted = getenv("OMP_NUM_THREADS");
  long number = wanted != NULL ? strtol(wanted, NULL, 10) : 0;
  if (number > 0) return number < INT32_MAX ? (int)number : INT32_MAX;
  int cpus = cpus_by_affinity();
  double quota = ceil(gv_machine_quota("").cpus);
  if (quota < cpus) cpus = (int)quota;
  return cpus > 1 ? cpus : 1;
}

int64_t gv_machine_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
  int64_t there = pages > 0 && size > 0 ? (int64_t)pages * size : INT64_MAX;
  int64_t quota = gv_machine_quota("").memory;
  return quota < there ? quota : there;
}

void gv_machine_large(void *memory, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  /* malloc maps larger blocks separately, so the advice applies only to this block and ends with it. */
  const size_t least = (size_t)33 << 20, page = 4096;
  if (memory == NULL || bytes < least) return;
  uintptr_t first = ((uintptr_t)memory + page - 1) / page * page,
            end = ((uintptr_t)memory + bytes) / page * page;
  (void)madvise((void *)first, end - first, MADV_HUGEPAGE); /* EINVAL: pages are larger, or not supported */
#else
  (void)memory, (void)bytes;
#endif
}

/* Of a file that is removed at once, where the system has none without a name; -1 on error. */
static int machine_scratch_file(const char *folder) {
  char path[PATH_SIZE];
#ifdef O_TMPFILE
  int without_name = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (without_name >= 0) return without_name;
#endif
  if (snprintf(path, sizeof path, "%s/.gpuvoronoi-XXXXXX", folder) >= (int)sizeof path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  int file = mkstemp(path);
  if (file >= 0) (void)unlink(path);
  return file;
}

/* Makes an empty file this long, with all of its space. The error's number, 0 = none. */
static int machine_reserve(int file, size_t bytes) {
#ifdef __APPLE__
  fstore_t space = {.fst_flags = F_ALLOCATEALL, .fst_posmode = F_PEOFPOSMODE, .fst_length = (off_t)bytes};
  return fcntl(file, F_PREALLOCATE, &space) == 0 && ftruncate(file, (off_t)bytes) == 0 ? 0 : errno;
#else
  return posix_fallocate(file, 0, (off_t)bytes);
#endif
}

void *gv_machine_map_file(const char *folder, size_t bytes) {
  int file = machine_scratch_file(folder);
  if (file < 0) return NULL;
  int error = machine_reserve(file, bytes);
  void *memory = error == 0 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  if (error == 0) error = errno;
  (void)close(file);
  /* Without it systems read and map pages ahead, in groups of up to 2 MiB, which callers do not expect in
   * their process. */
  if (memory != MAP_FAILED) (void)madvise(memory, bytes, MADV_RANDOM);
  if (memory != MAP_FAILED) return memory;
  errno = error;
  return NULL;
}

void gv_machine_unmap(void *memory, size_t bytes) {
  if (memory != NULL) (void)munmap(memory, bytes);
}

void gv_machine_page_out(void *memory, size_t bytes) {
  const long size = sysconf(_SC_PAGESIZE);
  const size_t ahead = size > 0 ? (uintptr_t)memory % (size_t)size : 0;
  (void)madvise((char *)memory - ahead, bytes + ahead, MADV_DONTNEED);
}

void *gv_library_open(const char *path, bool for_all) {
  return dlopen(path, for_all ? RTLD_NOW | RTLD_GLOBAL : RTLD_LAZY | RTLD_LOCAL);
}

void gv_library_close(void *library) {
  (void)dlclose(library);
}

const char *gv_library_why(void) {
  return dlerror();
}

void *gv_library_symbol(void *library, const char *name) {
  return dlsym(library, name);
}

bool gv_library_of(const void *address, char *path, size_t size) {
  Dl_info found;
  if (dladdr(address, &found) == 0 || found.dli_fname == NULL || strlen(found.dli_fname) >= size)
    return false;
  memcpy(path, found.dli_fname, strlen(found.dli_fname) + 1);
  return true;
}

void gv_machine_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void)) {
  (void)pthread_atfork(before, in_parent,
                       in_child); /* without memory for it, a child may wait forever in the worst case */
}
