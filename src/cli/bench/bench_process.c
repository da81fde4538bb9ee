/* Programs that benchmarks time, and what they read and write. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cpl_string.h>
#include <cpl_vsi.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"

char **bench_arguments(const char *first, ...) {
  char **list = NULL;
  va_list rest;
  va_start(rest, first);
  for (const char *a = first; a != NULL; a = va_arg(rest, const char *))
    list = CSLAddString(list, a);
  va_end(rest);
  return list;
}

/* With fork, not vfork or posix_spawn: there the kernel counts this process's own peak memory as the child's. */
static pid_t start(char **argv) {
  pid_t child = fork();
  if (child != 0) return child;
  int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) dup2(nowhere, 1);
  execvp(argv[0], argv);
  _exit(127);
}

double bench_run(char ***programs, int count, double *peak_mib) {
  double begun = bench_now(), peak = 0.0;
  int started = 0, good = 0;
  pid_t *children = malloc((size_t)count * sizeof *children);
  if (children == NULL) return -1.0;
  for (; started < count; started++) {
    children[started] = start(programs[started]);
    if (children[started] < 0) break;
  }
  for (int i = 0; i < started; i++) {
    int status = 0;
    struct rusage usage;
    pid_t ended;
    do
      ended = wait4(children[i], &status, 0, &usage);
    while (ended < 0 && errno == EINTR);
    if (ended < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) continue;
    if ((double)usage.ru_maxrss / 1024.0 > peak) peak = (double)usage.ru_maxrss / 1024.0;
    good++;
  }
  free(children);
  if (peak_mib != NULL) *peak_mib = peak;
  return good == count ? bench_now() - begun : -1.0;
}

bool bench_own_path(char *path, size_t size) {
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  if (length > 0) path[length] = '\0';
  return length > 0;
}

bool bench_write_seeds(const char *path, int64_t n) {
  double *lon = malloc((size_t)n * sizeof *lon), *lat = malloc((size_t)n * sizeof *lat);
  FILE *file = lon != NULL && lat != NULL ? fopen(path, "w") : NULL;
  bool good = file != NULL;
  if (good) {
    bench_seeds_on_globe(n, 42, lon, lat);
    fprintf(file, "lon,lat\n");
    for (int64_t i = 0; i < n; i++)
      fprintf(file, "%.9f,%.9f\n", lon[i], lat[i]);
    good = fclose(file) == 0;
  }
  free(lon);
  free(lat);
  return good;
}

int bench_in_directory(const char *given, int (*run)(const void *settings, const char *directory),
                       const void *settings) {
  char directory[4096];
  const char *base = getenv("TMPDIR");
  if (given != NULL) return run(settings, given);
  snprintf(directory, sizeof directory, "%s/gpuvoronoi-bench-XXXXXX", base != NULL ? base : "/tmp");
  if (mkdtemp(directory) == NULL) return cli_fail(EXIT_ERROR, "bench: cannot make a directory in '%s'", base);
  int result = run(settings, directory);
  VSIRmdirRecursive(directory); /* with styles and other side files */
  return result;
}
