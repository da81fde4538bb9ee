/*
 * gpuvoronoi-bench command: whole commands of the shell, as ratios to the first, with the memory of the
 * largest of their processes. What they print is thrown away.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

/* With fork, not vfork or posix_spawn: there the kernel counts this process's own peak memory as the
 * child's. */
static gv_status bench_command_run(bench *b, const bench_case *c, bench_sample *s) {
  struct rusage usage;
  int status = -1;
  pid_t ended;
  bench_start(b, s);
  pid_t child = fork();
  if (child == 0) {
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, 1);
    execl("/bin/sh", "sh", "-c", c->name, (char *)NULL);
    _exit(127);
  }
  do
    ended = wait4(child, &status, 0, &usage);
  while (ended < 0 && errno == EINTR);
  bench_stop(b, s);
  if (ended >= 0) s->value[PEAK_MIB] = (double)usage.ru_maxrss / 1024.0;
  return ended >= 0 && status == 0 ? GV_OK : GV_ERROR_IO;
}

bool bench_command(bench *b) {
  bench_case cases[BENCH_MOST_LIST];
  int n = 0;
  for (; n < BENCH_MOST_LIST && b->arguments[n] != NULL; n++)
    cases[n] = (bench_case){b->arguments[n], n > 0 ? 0 : -1, 0, 0.0, bench_command_run, NULL};
  if (n == 0) return bench_fail("command: missing argument; give commands of the shell");
  return b->arguments[n] == NULL ? bench_group(b, "commands", cases, n)
                                 : bench_fail("command: too many arguments");
}
