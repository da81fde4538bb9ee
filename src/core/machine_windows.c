/* core/machine.h on Windows, where there are neither cgroups nor forks. */
#include "core/machine.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static _Thread_local char why[256];

gv_quota gv_machine_quota(const char *root) {
  (void)root;
  return (gv_quota){INFINITY, INT64_MAX};
}

int gv_cpu_count(void) {
  const char *wanted = getenv("OMP_NUM_THREADS");
  long number = wanted != NULL ? strtol(wanted, NULL, 10) : 0;
  if (number > 0) return (int)number;
  DWORD_PTR mine = 0, all = 0;
  int cpus = 0;
  if (GetProcessAffinityMask(GetCurrentProcess(), &mine, &all)) /* 0: several groups of CPUs */
    for (; mine != 0; mine &= mine - 1)
      cpus++;
  if (cpus == 0) cpus = (int)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
  return cpus > 1 ? cpus : 1;
}

int64_t gv_machine_memory(void) {
  MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
  return GlobalMemoryStatusEx(&memory) ? (int64_t)memory.ullTotalPhys : INT64_MAX;
}

void *gv_library_open(const char *path, bool for_all) {
  (void)for_all;
  HMODULE library = LoadLibraryA(path);
  if (library == NULL && FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL,
                                        GetLastError(), 0, why, sizeof why, NULL) == 0)
    why[0] = '\0';
  why[strcspn(why, "\r\n")] = '\0';
  return library;
}

void gv_library_close(void *library) {
  (void)FreeLibrary(library);
}

const char *gv_library_why(void) {
  return why[0] != '\0' ? why : NULL;
}

void *gv_library_symbol(void *library, const char *name) {
  FARPROC found = GetProcAddress(library, name);
  void *symbol = NULL;
  memcpy(&symbol, &found, sizeof symbol);
  return symbol;
}

bool gv_library_of(const void *address, char *path, size_t size) {
  HMODULE library = NULL;
  if (!GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                              GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                          address, &library))
    return false;
  DWORD length = GetModuleFileNameA(library, path, (DWORD)size);
  if (length == 0 || length >= size) return false;
  for (char *c = path; *c != '\0'; c++)
    if (*c == '\\') *c = '/';
  return true;
}

void gv_machine_large(void *memory, size_t bytes) {
  (void)memory, (void)bytes;
}

/* Not available: the data must fit into memory. */
void *gv_machine_map_file(const char *folder, size_t bytes) {
  (void)folder, (void)bytes;
  errno = ENOSYS;
  return NULL;
}

void gv_machine_unmap(void *memory, size_t bytes) {
  (void)memory, (void)bytes;
}

void gv_machine_page_out(void *memory, size_t bytes) {
  (void)memory, (void)bytes;
}

void gv_machine_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void)) {
  (void)before, (void)in_parent, (void)in_child;
}
