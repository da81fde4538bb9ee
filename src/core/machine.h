/*
 * Platform layer: processors and memory that this process may use, within the limits of its cgroups
 * (containers, batch jobs); shared libraries; forks. All system-specific code of the library is behind this
 * header: machine.c for POSIX, machine_windows.c for Windows. Threads are pthreads everywhere.
 */
#ifndef GV_MACHINE_H
#define GV_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/shared.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of processors by the affinity of the calling thread and the quota of the cgroups; overridden by the
 * environment variable OMP_NUM_THREADS, if it begins with a number above 0. At least 1. */
int gv_cpu_count(void);

/* Bytes of memory within the limits of the cgroups; INT64_MAX: unknown. */
GV_SHARED int64_t gv_machine_memory(void);

/* Limits of the cgroups of this process; INFINITY and INT64_MAX: no limit. */
typedef struct gv_quota {
  double cpus;
  int64_t memory;
} gv_quota;

/* `root` is a prefix of /proc and /sys: "" except in tests. */
gv_quota gv_machine_quota(const char *root);

/* Advises the system to use large pages, which are allocated many times faster, for memory of malloc that
 * will be used completely. */
void gv_machine_large(void *memory, size_t bytes);

/* Memory in a file without a name in this folder, with all of its space reserved, for data that may be larger
 * than the machine's memory. NULL on error, with errno. */
void *gv_machine_map_file(const char *folder, size_t bytes);
void gv_machine_unmap(void *memory, size_t bytes);

/* Removes the pages of such memory, or of a part of it, from the process; the file keeps their contents.
 * Other threads may use it. */
void gv_machine_page_out(void *memory, size_t bytes);

/* Opens a shared library by its path, or by its name in the system's search path; NULL on error. Its symbols
 * are local, or with `for_all` available to libraries opened later. */
GV_SHARED void *gv_library_open(const char *path, bool for_all);
GV_SHARED void gv_library_close(void *library);

/* The reason why the last one could not be opened, until this thread's next call; NULL if unknown. */
GV_SHARED const char *gv_library_why(void);

/* A function or variable of it; NULL if there is none. */
GV_SHARED void *gv_library_symbol(void *library, const char *name);

/* The path of the library or program that contains this address, with '/' between folders; false if it is
 * unknown or too long. */
GV_SHARED bool gv_library_of(const void *address, char *path, size_t size);

/* Callbacks before and after every later fork, on systems with fork. */
void gv_machine_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

#ifdef __cplusplus
}
#endif

#endif
