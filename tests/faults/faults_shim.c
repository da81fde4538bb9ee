/*
 * For LD_PRELOAD: makes one call of a group fail, and counts them.
 *
 * $FAULTS is "group n error owner": the n-th call of that group fails with that error's number; "own": of the
 * calls of the command and its library only (for `group` memory other memory is unaffected), "all": of all. A
 * negative error is a full disk: ENOSPC from the n-th call on, after half of the data was written.
 * $FAULTS_STATE is a file for the `state`; with $FAULTS_TRACE standard error shows the caller of the failed
 * call.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define GROUPS(_)                                                                                            \
  _(open)                                                                                                    \
  _(read) _(write) _(truncate) _(sync) _(close) _(rename) _(mkdir) _(unlink) _(map) _(memory) _(thread)

enum group {
#define GROUP(name) in_##name,
  GROUPS(GROUP) GROUP_COUNT
};

static const char *const group_names[] = {
#define NAME(name) #name,
    GROUPS(NAME)};

/* What a failing call means to who made it. */
enum kind { PLAIN = 0, RETRIED = 1 /* when it is interrupted */, LOSES = 2 /* something that was written */ };

/* State for the driver: calls of each group, all and our own; for the call that failed whether it was our
 * own, and its kind. */
typedef struct state {
  atomic_llong calls[GROUP_COUNT], own[GROUP_COUNT];
  atomic_int failed, failed_own, failed_kind;
} state;

static struct {
  state *state;
  state none;
  int group, error;
  long long n;
  bool own;
  struct {
    uintptr_t first, end;
  } object[3]; /* the program, the library, libgomp */
} faults = {.group = -1};

static int note_object(struct dl_phdr_info *info, size_t size, void *number) {
  (void)size;
  const char *slash = strrchr(info->dlpi_name, '/'), *name = slash != NULL ? slash + 1 : info->dlpi_name;
  bool library = strncmp(name, "libgpuvoronoi.so", 16) == 0, openmp = strncmp(name, "libgomp.so", 10) == 0;
  if (!library && !openmp && (*(int *)number)++ > 0) return 0; /* the first is the program */
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t first = info->dlpi_addr + part->p_vaddr, end = first + part->p_memsz;
    if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0) {
      faults.object[openmp ? 2 : library].first = first;
      faults.object[openmp ? 2 : library].end = end;
    }
  }
  return 0;
}

__attribute__((constructor)) static void begin(void) {
  char group[16] = "", whose[8] = "";
  int number = 0;
  const char *wanted = getenv("FAULTS"), *path = getenv("FAULTS_STATE");
  dl_iterate_phdr(note_object, &number);
  faults.state = &faults.none;
  int file = path != NULL ? open(path, O_RDWR | O_CREAT, 0600) : -1;
  if (file >= 0 && ftruncate(file, sizeof(state)) == 0) {
    void *shared = mmap(NULL, sizeof(state), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared != MAP_FAILED) {
      memset(shared, 0, sizeof(state));
      faults.state = shared;
    }
  }
  if (file >= 0) close(file);
  unsetenv("LD_PRELOAD"); /* not for children */
  if (wanted == NULL || sscanf(wanted, "%15s %lld %d %7s", group, &faults.n, &faults.error, whose) != 4)
    return;
  faults.own = strcmp(whose, "own") == 0;
  for (int i = 0; i < GROUP_COUNT; i++)
    if (strcmp(group, group_names[i]) == 0) faults.group = i;
}

static bool is_in(int object, const void *caller) {
  uintptr_t at = (uintptr_t)caller;
  return at >= faults.object[object].first && at < faults.object[object].end;
}

/* Counts a call; if it is to fail, its error's number, or a negative one for half a call; else 0. */
static int count(enum group group, const void *caller, int kind) {
  state *s = faults.state;
  if (s == NULL) return 0; /* before the beginning */
  if (is_in(2, caller))
    return 0; /* libgomp ends the process: threads are probed before, memory is not (docs/reliability.md) */
  bool own = is_in(0, caller) || is_in(1, caller);
  long long all = atomic_fetch_add(&s->calls[group], 1) + 1,
            ours = own ? atomic_fetch_add(&s->own[group], 1) + 1 : 0;
  if ((int)group != faults.group) return 0;
  long long number = faults.own ? ours : all;
  if (number < faults.n || (number > faults.n && faults.error > 0) || number == 0) return 0;
  if (number > faults.n) return group == in_write ? ENOSPC : 0;
  atomic_store(&s->failed_own, own);
  atomic_store(&s->failed_kind, kind);
  atomic_store(&s->failed, 1);
  if (getenv("FAULTS_TRACE") != NULL) {
    void *stack[32];
    faults.group = -1;
    backtrace_symbols_fd(stack, backtrace(stack, 32), STDERR_FILENO);
    faults.group = (int)group;
  }
  return faults.error > 0 ? faults.error : -1;
}

/* The original function of that name. */
#define REAL(name) ((__typeof__(&name))(uintptr_t)real(#name, &name##_real))

static void *real(const char *name, void *_Atomic *found) {
  void *function = atomic_load_explicit(found, memory_order_acquire);
  if (function == NULL) atomic_store_explicit(found, function = dlsym(RTLD_NEXT, name), memory_order_release);
  return function;
}

#define CALLER __builtin_return_address(0)

/* A function that fails as a whole, or is called unchanged. */
#define WRAP(type, name, group, kind, bad, parameters, ...)                                                  \
  type name parameters {                                                                                     \
    static void *_Atomic name##_real;                                                                        \
    int error = count(in_##group, CALLER, kind);                                                             \
    if (error == 0) return REAL(name)(__VA_ARGS__);                                                          \
    errno = error > 0 ? error : ENOSPC;                                                                      \
    return bad;                                                                                              \
  }

/* ------------------------------------------------------------------------------------------------ opening */

#define WRAP_OPEN(name, parameters, ...)                                                                     \
  int name parameters {                                                                                      \
    static void *_Atomic name##_real;                                                                        \
    va_list more;                                                                                            \
    va_start(more, how);                                                                                     \
    mode_t mode = (how & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;                             \
    va_end(more);                                                                                            \
    int error = count(in_open, CALLER, RETRIED);                                                             \
    if (error == 0) return REAL(name)(__VA_ARGS__, mode);                                                    \
    errno = error > 0 ? error : ENOSPC;                                                                      \
    return -1;                                                                                               \
  }
WRAP_OPEN(open, (const char *path, int how, ...), path, how)
WRAP_OPEN(open64, (const char *path, int how, ...), path, how)
WRAP_OPEN(openat, (int directory, const char *path, int how, ...), directory, path, how)
WRAP_OPEN(openat64, (int directory, const char *path, int how, ...), directory, path, how)
WRAP(int, creat, open, RETRIED, -1, (const char *path, mode_t mode), path, mode)
WRAP(FILE *, fopen, open, PLAIN, NULL, (const char *path, const char *mode), path, mode)
WRAP(FILE *, fopen64, open, PLAIN, NULL, (const char *path, const char *mode), path, mode)

struct __dirstream *opendir(const char *path);
WRAP(struct __dirstream *, opendir, open, PLAIN, NULL, (const char *path), path)
struct __dirstream *fdopendir(int file);
WRAP(struct __dirstream *, fdopendir, open, PLAIN, NULL, (int file), file)

/* ------------------------------------------------------------------------------------ reading and writing */

/* Half of a read is not an error. */
#define WRAP_READ(name, parameters, half, whole)                                                             \
  ssize_t name parameters {                                                                                  \
    static void *_Atomic name##_real;                                                                        \
    int error = count(in_read, CALLER, RETRIED);                                                             \
    if (error == 0) return REAL(name) whole;                                                                 \
    if (error < 0) return REAL(name) half;                                                                   \
    errno = error;                                                                                           \
    return -1;                                                                                               \
  }
WRAP_READ(read, (int file, void *to, size_t n), (file, to, (n + 1) / 2), (file, to, n))
WRAP_READ(pread, (int file, void *to, size_t n, off_t at), (file, to, (n + 1) / 2, at), (file, to, n, at))
WRAP_READ(pread64, (int file, void *to, size_t n, off64_t at), (file, to, (n + 1) / 2, at), (file, to, n, at))

/* Files with writes that no close has confirmed yet, by number: libtiff calls close at the end of a function,
 * as a tail call, so that the caller found is that function's caller. */
static atomic_bool unsure[4096];

static atomic_bool *mark_of(int file) {
  struct stat found;
  int kept = errno;
  bool regular =
      fstat(file, &found) == 0 && S_ISREG(found.st_mode) && (fcntl(file, F_GETFL) & O_ACCMODE) != O_RDONLY;
  errno = kept;
  return regular ? &unsure[found.st_ino % 4096] : NULL;
}

static void note_write(int file) {
  atomic_bool *is = faults.group == in_close ? mark_of(file) : NULL;
  if (is != NULL) atomic_store(is, true);
}

/* Nor is half of a write, but the next one fails. A single byte has no half. */
#define WRAP_WRITE(name, kind, parameters, half, whole)                                                      \
  ssize_t name parameters {                                                                                  \
    static void *_Atomic name##_real;                                                                        \
    int error = to == STDERR_FILENO ? 0 : count(in_write, CALLER, kind);                                     \
    note_write(to);                                                                                          \
    if (error == 0) return REAL(name) whole;                                                                 \
    if (error < 0 && n > 1) return REAL(name) half;                                                          \
    errno = error > 0 ? error : ENOSPC;                                                                      \
    return -1;                                                                                               \
  }
WRAP_WRITE(write, RETRIED | LOSES, (int to, const void *from, size_t n), (to, from, n / 2), (to, from, n))
WRAP_WRITE(pwrite, RETRIED | LOSES, (int to, const void *from, size_t n, off_t at), (to, from, n / 2, at),
           (to, from, n, at))
WRAP_WRITE(pwrite64, RETRIED | LOSES, (int to, const void *from, size_t n, off64_t at), (to, from, n / 2, at),
           (to, from, n, at))
WRAP_WRITE(copy_file_range, RETRIED,
           (int from, off64_t *from_at, int to, off64_t *to_at, size_t n, unsigned flags),
           (from, from_at, to, to_at, n / 2, flags), (from, from_at, to, to_at, n, flags))

/* As the C library marks a stream that failed. */
static void spoil(FILE *file, int error) {
  file->_flags |= 0x20; /* _IO_ERR_SEEN */
  errno = error > 0 ? error : ENOSPC;
}

/* Reads cannot be partial. */
#define WRAP_STREAM(type, name, group, bad, parameters, ...)                                                 \
  type name parameters {                                                                                     \
    static void *_Atomic name##_real;                                                                        \
    int error = file == stderr ? 0 : count(in_##group, CALLER, in_##group == in_write ? LOSES : PLAIN);      \
    if (error == 0 || (error < 0 && in_##group == in_read)) return REAL(name)(__VA_ARGS__);                  \
    spoil(file, error);                                                                                      \
    return bad;                                                                                              \
  }
WRAP_STREAM(size_t, fread, read, 0, (void *to, size_t size, size_t n, FILE *file), to, size, n, file)
WRAP_STREAM(char *, fgets, read, NULL, (char *to, int size, FILE *file), to, size, file)
WRAP_STREAM(int, fgetc, read, EOF, (FILE * file), file)
WRAP_STREAM(ssize_t, __getdelim, read, -1, (char **line, size_t *size, int end, FILE *file), line, size, end,
            file)
WRAP_STREAM(int, fputs, write, EOF, (const char *text, FILE *file), text, file)
WRAP_STREAM(int, fputc, write, EOF, (int letter, FILE *file), letter, file)
WRAP_STREAM(int, putc, write, EOF, (int letter, FILE *file), letter, file)

size_t fwrite(const void *from, size_t size, size_t n, FILE *file) {
  static void *_Atomic fwrite_real;
  int error = file == stderr ? 0 : count(in_write, CALLER, LOSES);
  if (error == 0) return REAL(fwrite)(from, size, n, file);
  size_t written = error < 0 ? REAL(fwrite)(from, size, n / 2, file) : 0;
  spoil(file, error);
  return written;
}

int fflush(FILE *file) {
  static void *_Atomic fflush_real;
  int error = file == stderr || file == NULL ? 0 : count(in_write, CALLER, LOSES);
  int result = REAL(fflush)(file);
  if (error == 0) return result;
  spoil(file, error);
  return EOF;
}

WRAP(int, ftruncate, truncate, RETRIED | LOSES, -1, (int file, off_t size), file, size)
WRAP(int, ftruncate64, truncate, RETRIED | LOSES, -1, (int file, off64_t size), file, size)
WRAP(int, fsync, sync, RETRIED | LOSES, -1, (int file), file)
WRAP(int, fdatasync, sync, RETRIED | LOSES, -1, (int file), file)

/* ------------------------------------------------------------------------------------------------ closing */

/* The file is closed even if close fails. */
int close(int file) {
  static void *_Atomic close_real;
  atomic_bool *is = faults.group == in_close ? mark_of(file) : NULL;
  int error = count(in_close, CALLER, is != NULL && atomic_exchange(is, false) ? LOSES : PLAIN);
  int result = REAL(close)(file);
  if (error == 0) return result;
  errno = error > 0 ? error : ENOSPC;
  return -1;
}

int fclose(FILE *file) {
  static void *_Atomic fclose_real;
  bool writes = faults.group == in_close && mark_of(fileno(file)) != NULL;
  int error = count(in_close, CALLER, writes ? LOSES : PLAIN), result = REAL(fclose)(file);
  if (error == 0) return result;
  errno = error > 0 ? error : ENOSPC;
  return EOF;
}

/* -------------------------------------------------------------------------------------------------- names */

WRAP(int, rename, rename, PLAIN, -1, (const char *from, const char *to), from, to)
WRAP(int, renameat, rename, PLAIN, -1, (int a, const char *from, int b, const char *to), a, from, b, to)
WRAP(int, renameat2, rename, PLAIN, -1, (int a, const char *from, int b, const char *to, unsigned flags), a,
     from, b, to, flags)
WRAP(int, mkdir, mkdir, PLAIN, -1, (const char *path, mode_t mode), path, mode)
WRAP(int, mkdirat, mkdir, PLAIN, -1, (int directory, const char *path, mode_t mode), directory, path, mode)
WRAP(int, unlinkat, unlink, PLAIN, -1, (int directory, const char *path, int flags), directory, path, flags)
WRAP(int, unlink, unlink, PLAIN, -1, (const char *path), path)
WRAP(int, rmdir, unlink, PLAIN, -1, (const char *path), path)
WRAP(int, remove, unlink, PLAIN, -1, (const char *path), path)

/* ---------------------------------------------------------------------------------------- memory, threads */

WRAP(void *, mmap, map, PLAIN, MAP_FAILED, (void *at, size_t size, int may, int how, int file, off_t from),
     at, size, may, how, file, from)
WRAP(void *, mmap64, map, PLAIN, MAP_FAILED,
     (void *at, size_t size, int may, int how, int file, off64_t from), at, size, may, how, file, from)

/* dlsym allocates: the C library's own names. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

#define WRAP_MEMORY(type, name, parameters, instead)                                                         \
  type name parameters {                                                                                     \
    if (count(in_memory, CALLER, PLAIN) == 0) return instead;                                                \
    errno = ENOMEM;                                                                                          \
    return NULL;                                                                                             \
  }
WRAP_MEMORY(void *, malloc, (size_t size), __libc_malloc(size))
WRAP_MEMORY(void *, calloc, (size_t n, size_t size), __libc_calloc(n, size))
WRAP_MEMORY(void *, realloc, (void *memory, size_t size), __libc_realloc(memory, size))
WRAP_MEMORY(void *, aligned_alloc, (size_t alignment, size_t size), __libc_memalign(alignment, size))

static char *copy_text(const char *text, size_t length) {
  char *copy = __libc_malloc(length + 1);
  if (copy == NULL) return NULL;
  memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}
WRAP_MEMORY(char *, strdup, (const char *text), copy_text(text, strlen(text)))
WRAP_MEMORY(char *, strndup, (const char *text, size_t most), copy_text(text, strnlen(text, most)))

int posix_memalign(void **out, size_t alignment, size_t size) {
  if (count(in_memory, CALLER, PLAIN) != 0) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out != NULL ? 0 : ENOMEM;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *user) {
  static void *_Atomic pthread_create_real;
  if (count(in_thread, CALLER, PLAIN) != 0) return EAGAIN;
  return REAL(pthread_create)(thread, how, start, user);
}
