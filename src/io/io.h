/*
 * Shared by all files of src/io: one line of error text, GDAL's messages, and cancelling.
 *
 * Texts never contain secrets of sources (io/source_name.h): they are removed where the text is made.
 *
 * This layer never prints, exits or changes process-wide settings. The program registers GDAL's drivers and
 * installs gv_io_take_message: failures are kept until they are read, warnings are queued for the program to
 * show.
 */
#ifndef GV_IO_H
#define GV_IO_H

#include <stdbool.h>

#include <cpl_error.h>

#include "core/try.h"
#include "gpuvoronoi/gpuvoronoi.h"
#include "io/codes.h"

#if defined(__GNUC__)
#define GV_IO_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define GV_IO_PRINTF(text, first)
#endif

/* One run of the command: its error line and its cancel flag. Used by one thread at a time. */
typedef struct gv_io {
  char message[4096];            /* two long names of files and an error text */
  gv_code code;                  /* of that */
  bool (*cancelled)(void *user); /* NULL = never; called by any thread */
  void *cancelled_user;
  int64_t memory; /* for an input: io/in/input_limit.h; 0 = unlimited */
} gv_io;

/* Receives GDAL's messages: for CPLSetErrorHandler, because threads of GDAL report too. */
void CPL_STDCALL gv_io_take_message(CPLErr level, CPLErrorNum number, const char *text);

/* A store of messages for threads that share a process with others: while they use it, what fails elsewhere
 * is not theirs. */
typedef struct gv_messages gv_messages;

/* NULL = out of memory. */
gv_messages *gv_messages_new(void);
void gv_messages_free(gv_messages *messages);

/* The store that this thread's messages go to; NULL = the process's. */
gv_messages *gv_messages_used(void);

/* State that gv_messages_leave restores. */
typedef struct gv_messages_scope {
  gv_messages *before;
  bool entered, replaces_codes;
} gv_messages_scope;

/* Until gv_messages_leave this thread's messages go to `messages`, by an error handler of its own, and codes
 * of coordinate systems are kept unchanged. Does nothing where `messages` is NULL or in use already. */
gv_messages_scope gv_messages_enter(gv_messages *messages);
void gv_messages_leave(gv_messages_scope scope);

/* Calls a function of the host program outside of the scope that this thread is in. */
int gv_messages_call_host(gv_progress_fn call, double fraction, void *user);

/* Stores one line (newlines become spaces) and returns `status`. */
gv_status gv_io_fail(gv_io *io, gv_status status, const char *format, ...) GV_IO_PRINTF(3, 4);
gv_status gv_io_fail_memory(gv_io *io, const char *what);
/* The same with a closer name than the status. */
gv_status gv_io_fail_as(gv_io *io, gv_code code, gv_status status, const char *format, ...)
    GV_IO_PRINTF(4, 5);

/* Unless `condition` holds, returns an INVALID_ARGUMENT error with the text that follows. For functions that
 * have nothing to release yet. */
#define GV_REQUIRE(io, condition, ...)                                                                       \
  do {                                                                                                       \
    if (!(condition)) return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, __VA_ARGS__);                         \
  } while (0)

/* Prefixes the message of the last failure with "FORMAT: "; returns `status`. */
gv_status gv_io_within(gv_io *io, gv_status status, const char *format, ...) GV_IO_PRINTF(3, 4);

/* The same for an input that is read as seeds are: `option` takes the place of the reader's "seeds" or
 * "queries". */
gv_status gv_io_of_option(gv_io *io, gv_status status, const char *option);

/* Sets the name of the last failure; returns `status`. */
gv_status gv_io_name(gv_io *io, gv_code code, gv_status status);

/* True once the run is to stop. */
static inline bool gv_io_cancelled(const gv_io *io) {
  return io->cancelled != NULL && io->cancelled(io->cancelled_user);
}
gv_status gv_io_fail_cancelled(gv_io *io);

/* A worker's own error line, and the run's cancel flag. */
void gv_io_for_worker(const gv_io *io, gv_io *worker);

/* The run gets a worker's error line; returns `status`. */
gv_status gv_io_pass_on(gv_io *io, gv_status status, const gv_io *worker);
/* Passes the library's error in a context to the run. */
static inline gv_status gv_io_pass_on_library(gv_io *io, const gv_context *context, gv_status status) {
  return status == GV_OK ? GV_OK : gv_io_fail(io, status, "%s", gv_context_message(context));
}

/* The same for contexts of the library: a gv_progress_fn with a gv_io as `user`. */
int gv_io_go_on(double fraction, void *io);

/* Forgets GDAL's failures so far. */
void gv_gdal_reset(void);

/* True if GDAL, in any thread, has reported a failure since the last reset. */
bool gv_gdal_failed(void);

/* The same if GDAL continues, with or without a warning: part of a file could not be read or written. */
bool gv_gdal_lost(void);

/* As gv_io_fail, with ": <GDAL's first failure>" at the end when there is one. */
gv_status gv_io_fail_gdal(gv_io *io, gv_status status, const char *format, ...) GV_IO_PRINTF(3, 4);

/* Fails with "<what>: cannot open: <text>"; the text, a server's, is cleaned as messages of GDAL are. */
gv_status gv_io_fail_foreign(gv_io *io, const char *what, const char *text);

#ifdef __clang_analyzer__
/* For static analyzers, which cannot see in another file that these never return GV_OK. */
#define gv_io_fail(io, status, ...)          ((void)gv_io_fail(io, status, __VA_ARGS__), (status))
#define gv_io_fail_as(io, code, status, ...) ((void)gv_io_fail_as(io, code, status, __VA_ARGS__), (status))
#define gv_io_fail_gdal(io, status, ...)     ((void)gv_io_fail_gdal(io, status, __VA_ARGS__), (status))
#define gv_io_within(io, status, ...)        ((void)gv_io_within(io, status, __VA_ARGS__), (status))
#define gv_io_fail_memory(io, what)          ((void)gv_io_fail_memory(io, what), GV_ERROR_OUT_OF_MEMORY)
#define gv_io_fail_cancelled(io)             ((void)gv_io_fail_cancelled(io), GV_ERROR_CANCELLED)
#endif

typedef struct gv_warning {
  gv_code code;
  int64_t count; /* number of items that it warns of; 0 = not counted */
  char text[512];
} gv_warning;

/* Returns GDAL's and this layer's queued warnings, oldest first, each distinct text once; false when none is
 * left. */
bool gv_io_next_warning(gv_warning *out);

/* Queues a warning of this layer. */
void gv_io_warn(gv_code code, int64_t count, const char *format, ...) GV_IO_PRINTF(3, 4);

/* How many warnings were queued so far, and removing those that were queued since then; `first` (may be NULL)
 * gets the first of these, if there is one. */
int gv_io_count_warnings(void);
void gv_io_drop_warnings(int count, gv_warning *first);

#endif
