/* The layer below all others: status and messages, memory, threads, progress. Depends only on the C
 * library. */
#ifndef GV_CORE_H
#define GV_CORE_H

#include <stdarg.h>
#include <stdbool.h>

#include "core/limits.h"
#include "core/try.h"
#include "gpuvoronoi/gpuvoronoi.h"

/* CUDA files are C++: the same types (with the same layout in all known compilers) under their C names. */
#ifdef __cplusplus
#include <atomic>
using std::atomic_bool;
using std::atomic_flag;
using std::atomic_int;
using std::atomic_llong;
using std::atomic_load_explicit;
using std::memory_order_relaxed;
#else
#include <stdatomic.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define GV_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define GV_PRINTF(text, first)
#endif

/* ------------------------------------------------------------------------------------------------- memory */

/* Allocator. Copied into every object, so that an object can outlive its context. */
typedef struct gv_allocator {
  gv_allocate_fn allocate;
  gv_release_fn release;
  void *user;
} gv_allocator;

/* Alignment of every block: a cache line, which is also an AVX-512 register. */
enum { GV_ALIGNMENT = 64 };

/* count x size bytes aligned to GV_ALIGNMENT, or NULL when out of memory or when the product overflows. count
 * 0 gives a valid, freeable block. Thread safe. */
void *gv_allocate(const gv_allocator *allocator, int64_t count, size_t size);
void *gv_allocate_zeroed(const gv_allocator *allocator, int64_t count, size_t size);

/* Frees what gv_allocate gave; NULL is allowed. */
void gv_release(const gv_allocator *allocator, void *memory);

/* ------------------------------------------------------------------------------------------------ context */

struct gv_context {
  gv_allocator allocator;
  int threads;
  gv_progress_fn progress;
  void *progress_user;
  int device;               /* CUDA device to work on; -1 = the first usable one */
  struct gv_context *owner; /* itself, or of a worker's context the one that the caller made */
  /* For the owner only: data that the CUDA layer keeps between calls, and their release function. */
  void *kept;
  void (*kept_destroy)(void *kept);
  double device_seconds;
  char message[512];
};

/* Stores one line of text and returns `status`, so that `return gv_fail(...)` reads well. Not thread safe:
 * workers of a parallel loop have contexts of their own. */
gv_status gv_fail(gv_context *context, gv_status status, const char *format, ...) GV_PRINTF(3, 4);

/* The usual out-of-memory message; `what` names what the memory was for. */
gv_status gv_fail_memory(gv_context *context, const char *what);

#ifdef __clang_analyzer__
/* For static analyzers, which cannot see in another file that these never return GV_OK. */
#define gv_fail(context, status, ...) ((void)gv_fail(context, status, __VA_ARGS__), (status))
#define gv_fail_memory(context, what) ((void)gv_fail_memory(context, what), GV_ERROR_OUT_OF_MEMORY)
#endif

/* A context of the caller's thread count and allocator for use inside one worker thread (no progress). */
void gv_context_for_worker(const gv_context *context, gv_context *worker);

/* A context with the threads of `context` that reports no progress, for one step of a function that reports
 * its own. */
void gv_context_without_progress(const gv_context *context, gv_context *quiet);

/* Returns `status`; on an error, `context` takes the message of `other`. */
gv_status gv_take_error(gv_context *context, gv_status status, const gv_context *other);

/* ----------------------------------------------------------------------------------------------- progress */

/* Counts finished work of a parallel region and calls the context's progress function, from one thread at a
 * time and at most about a hundred times a region. */
typedef struct gv_progress {
  gv_progress_fn call;
  void *user;
  int64_t total;
  atomic_llong done;
  atomic_llong next_report;
  atomic_flag busy;
  atomic_bool cancelled;
} gv_progress;

void gv_progress_init(gv_progress *progress, const gv_context *context, int64_t total);

/* Adds `work` and reports; false after the caller's function has cancelled. Thread safe. */
bool gv_progress_add(gv_progress *progress, int64_t work);

static inline bool gv_progress_cancelled(const gv_progress *progress) {
  return atomic_load_explicit(&progress->cancelled, memory_order_relaxed);
}

/* ---------------------------------------------------------------------------------------------- processor */

/* The vector instructions that this processor and operating system offer. The environment variable
 * GPUVORONOI_SIMD (baseline, avx2, avx512) lowers it, for tests and measurements. The library may have
 * kernels for fewer (GV_KERNEL_TABLE). */
typedef enum gv_simd { GV_SIMD_BASELINE = 0, GV_SIMD_AVX2 = 1, GV_SIMD_AVX512 = 2 } gv_simd;

gv_simd gv_simd_level(void);
const char *gv_simd_name(gv_simd level);

/* GV_KERNEL_TABLE(type); declares the tables of kernels from one source, type_baseline and so on
 * (core/simd/vectors.h), and type_get, which returns the table for this processor, of those that were
 * built. */
#if defined(GV_HAVE_X86_KERNELS)
#define GV_KERNEL_TABLES(type) &type##_baseline, &type##_avx2, &type##_avx512
#else
#define GV_KERNEL_TABLES(type) &type##_baseline
#endif
#define GV_KERNEL_TABLE(type)                                                                                \
  extern const type type##_baseline, type##_avx2, type##_avx512;                                             \
  static inline const type *type##_get(void) {                                                               \
    const type *const tables[] = {GV_KERNEL_TABLES(type)};                                                   \
    const size_t built = sizeof tables / sizeof *tables, level = (size_t)gv_simd_level();                    \
    return tables[level < built ? level : built - 1];                                                        \
  }                                                                                                          \
  extern const type type##_baseline

#ifdef __cplusplus
}
#endif

#endif
