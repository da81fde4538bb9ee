/* Error lines and GDAL's messages. GDAL reports from its worker threads too, so there is one store for the
 * whole process, under a lock; threads that use one of their own (gv_messages) are apart from it. */
#include "io/io.h"

#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>

#include "io/path.h"
#include "io/source_name.h"
#include "io/text.h"

#ifdef __clang_analyzer__
#undef gv_io_fail
#undef gv_io_fail_as
#undef gv_io_fail_gdal
#undef gv_io_fail_memory
#undef gv_io_fail_cancelled
#undef gv_io_within
#endif

enum { MAX_WARNINGS = 16, LINE_SIZE = sizeof((gv_warning *)0)->text };

struct gv_messages {
  pthread_mutex_t lock;
  bool failed, lost;
  char failure[LINE_SIZE];
  int warnings; /* ever queued since the last drop */
  int shown;
  gv_warning warning[MAX_WARNINGS];
};

static gv_messages of_process = {.lock = PTHREAD_MUTEX_INITIALIZER};
static _Thread_local gv_messages *of_thread;

static gv_messages *messages(void) {
  return of_thread != NULL ? of_thread : &of_process;
}

gv_messages *gv_messages_new(void) {
  gv_messages *made = calloc(1, sizeof *made);
  if (made != NULL) pthread_mutex_init(&made->lock, NULL);
  return made;
}

void gv_messages_free(gv_messages *store) {
  if (store == NULL) return;
  pthread_mutex_destroy(&store->lock);
  free(store);
}

gv_messages *gv_messages_used(void) {
  return of_thread;
}

/* GDAL replaces deprecated EPSG codes by their successors, which may be other systems. From here on this
 * thread keeps codes unchanged, unless the configuration option is set. True if this must be undone. */
static const char io_keep_option[] = "OSR_USE_NON_DEPRECATED";

static bool io_keep_codes(void) {
  if (CPLGetConfigOption(io_keep_option, NULL) != NULL) return false;
  CPLSetThreadLocalConfigOption(io_keep_option, "NO");
  return true;
}

gv_messages_scope gv_messages_enter(gv_messages *store) {
  gv_messages_scope scope = {.before = of_thread, .entered = store != NULL && store != of_thread};
  if (!scope.entered) return scope;
  of_thread = store;
  CPLPushErrorHandler(gv_io_take_message);
  scope.replaces_codes = io_keep_codes();
  return scope;
}

void gv_messages_leave(gv_messages_scope scope) {
  if (!scope.entered) return;
  if (scope.replaces_codes) CPLSetThreadLocalConfigOption(io_keep_option, NULL);
  CPLPopErrorHandler();
  of_thread = scope.before;
}

int gv_messages_call_host(gv_progress_fn call, double fraction, void *user) {
  gv_messages *before = of_thread;
  of_thread = NULL;
  int go_on = call(fraction, user);
  of_thread = before;
  return go_on;
}

/* Files in temporary directories have paths /proc/self/fd/N/NAME: messages show only the name. */
static void hide_descriptors(char *text) {
  static const char prefix[] = "/proc/self/fd/";
  for (char *at = text; (at = strstr(at, prefix)) != NULL;) {
    size_t length = sizeof prefix - 1;
    length += strspn(at + length, "0123456789");
    if (at[length] == '/') length++;
    memmove(at, at + length, strlen(at + length) + 1);
  }
}

static void one_line(char *text) {
  hide_descriptors(text);
  size_t length = strlen(text);
  while (length > 0 && strchr(" \r\n\t.", text[length - 1]) != NULL)
    text[--length] = '\0';
  gv_text_make_printable(text);
}

/* Copies a text made by gv_clean_...; frees it. */
static void io_copy_text(char *line, size_t size, char *clean) {
  snprintf(line, size, "%s", clean != NULL ? clean : "out of memory for a message");
  free(clean);
}

static void queue_warning(gv_messages *m, const gv_warning *warning) {
  for (int i = 0; i < m->warnings; i++) {
    if (strcmp(m->warning[i].text, warning->text) == 0) return;
  }
  if (m->warnings < MAX_WARNINGS) m->warning[m->warnings++] = *warning;
}

/* Warnings of GDAL that mean that a file is incomplete or was not read completely. */
static bool is_loss(const char *line) {
  if (strstr(line, "IO error during reading") != NULL) return true;
  if (strstr(line, " not successfully written") != NULL) return true; /* numbers too wide for a field */
  if (strstr(line, "sqlite3_get_table(") != NULL && strstr(line, " failed: ") != NULL) return true;
  if (strstr(line, "Unable to save auxiliary information") == NULL) return false;
  /* without what cannot have a name the raster is worth having */
  return strlen(gv_path_name(line)) <= NAME_MAX;
}

void CPL_STDCALL gv_io_take_message(CPLErr level, CPLErrorNum number, const char *text) {
  gv_messages *m = messages();
  char *clean = gv_clean_foreign_message(text);
  if (level == CE_Debug) {
    if (clean != NULL) {
      gv_text_make_printable(clean);
      CPLDefaultErrorHandler(level, number, clean); /* only with CPL_DEBUG */
    }
    free(clean);
    return;
  }
  gv_warning line = {.code = GV_CODE_GDAL};
  io_copy_text(line.text, sizeof line.text, clean);
  one_line(line.text);
  pthread_mutex_lock(&m->lock);
  if (level == CE_Warning) queue_warning(m, &line);
  m->lost = m->lost || is_loss(line.text);
  if ((level >= CE_Failure || is_loss(line.text)) && !m->failed) {
    m->failed = true;
    snprintf(m->failure, sizeof m->failure, "%s", line.text);
  }
  pthread_mutex_unlock(&m->lock);
}

/* `behind`: a clean text to append; NULL or "": none. */
static gv_status io_fail(gv_io *io, gv_status status, const char *behind, const char *format,
                         va_list arguments) {
  vsnprintf(io->message, sizeof io->message, format, arguments);
  io_copy_text(io->message, sizeof io->message, gv_clean_message(io->message));
  size_t length = strlen(io->message);
  if (behind != NULL && behind[0] != '\0')
    snprintf(io->message + length, sizeof io->message - length, ": %s", behind);
  one_line(io->message);
  io->code = gv_code_of_status(status);
  return status;
}

gv_status gv_io_fail(gv_io *io, gv_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  io_fail(io, status, NULL, format, arguments);
  va_end(arguments);
  return status;
}

gv_status gv_io_fail_as(gv_io *io, gv_code code, gv_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  io_fail(io, status, NULL, format, arguments);
  va_end(arguments);
  io->code = code;
  return status;
}

gv_status gv_io_fail_gdal(gv_io *io, gv_status status, const char *format, ...) {
  gv_messages *m = messages();
  char failure[LINE_SIZE];
  va_list arguments;
  pthread_mutex_lock(&m->lock);
  snprintf(failure, sizeof failure, "%s", m->failed ? m->failure : "");
  pthread_mutex_unlock(&m->lock);
  va_start(arguments, format);
  io_fail(io, status, failure, format, arguments);
  va_end(arguments);
  return status;
}

gv_status gv_io_fail_foreign(gv_io *io, const char *what, const char *text) {
  char *clean = gv_clean_foreign_message(text);
  gv_status status =
      gv_io_fail(io, GV_ERROR_IO, "%s: cannot open: %s", what, clean != NULL ? clean : "out of memory");
  free(clean);
  return status;
}

gv_status gv_io_within(gv_io *io, gv_status status, const char *format, ...) {
  const gv_io said = *io;
  va_list arguments;
  va_start(arguments, format);
  io_fail(io, status, said.message, format, arguments);
  va_end(arguments);
  return gv_io_name(io, said.code, status);
}

gv_status gv_io_of_option(gv_io *io, gv_status status, const char *option) {
  static const char *const readers[] = {"seeds: ", "queries: "};
  if (status == GV_OK) return status;
  for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
    size_t length = strlen(readers[i]);
    if (strncmp(io->message, readers[i], length) == 0)
      memmove(io->message, io->message + length, strlen(io->message) - length + 1);
  }
  return gv_io_within(io, status, "%s", option);
}

gv_status gv_io_name(gv_io *io, gv_code code, gv_status status) {
  io->code = code;
  return status;
}

gv_status gv_io_fail_memory(gv_io *io, const char *what) {
  return gv_io_fail(io, GV_ERROR_OUT_OF_MEMORY, "out of memory for %s", what);
}

gv_status gv_io_fail_cancelled(gv_io *io) {
  return gv_io_fail(io, GV_ERROR_CANCELLED, "cancelled");
}

void gv_io_for_worker(const gv_io *io, gv_io *worker) {
  worker->message[0] = '\0';
  worker->cancelled = io->cancelled;
  worker->cancelled_user = io->cancelled_user;
  worker->memory = io->memory;
}

gv_status gv_io_pass_on(gv_io *io, gv_status status, const gv_io *worker) {
  memcpy(io->message, worker->message, sizeof io->message);
  io->code = worker->code;
  return status;
}

int gv_io_go_on(double fraction, void *io) {
  (void)fraction;
  return !gv_io_cancelled(io);
}

void gv_gdal_reset(void) {
  gv_messages *m = messages();
  CPLErrorReset();
  pthread_mutex_lock(&m->lock);
  m->failed = m->lost = false;
  m->failure[0] = '\0';
  pthread_mutex_unlock(&m->lock);
}

bool gv_gdal_failed(void) {
  gv_messages *m = messages();
  pthread_mutex_lock(&m->lock);
  bool failed = m->failed;
  pthread_mutex_unlock(&m->lock);
  return failed;
}

bool gv_gdal_lost(void) {
  gv_messages *m = messages();
  pthread_mutex_lock(&m->lock);
  bool lost = m->lost;
  pthread_mutex_unlock(&m->lock);
  return lost;
}

bool gv_io_next_warning(gv_warning *out) {
  gv_messages *m = messages();
  pthread_mutex_lock(&m->lock);
  bool some = m->shown < m->warnings;
  if (some) *out = m->warning[m->shown++];
  pthread_mutex_unlock(&m->lock);
  return some;
}

void gv_io_warn(gv_code code, int64_t count, const char *format, ...) {
  gv_messages *m = messages();
  gv_warning warning = {.code = code, .count = count};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(warning.text, sizeof warning.text, format, arguments);
  va_end(arguments);
  io_copy_text(warning.text, sizeof warning.text, gv_clean_message(warning.text));
  one_line(warning.text);
  pthread_mutex_lock(&m->lock);
  queue_warning(m, &warning);
  pthread_mutex_unlock(&m->lock);
}

int gv_io_count_warnings(void) {
  gv_messages *m = messages();
  pthread_mutex_lock(&m->lock);
  int count = m->warnings;
  pthread_mutex_unlock(&m->lock);
  return count;
}

void gv_io_drop_warnings(int count, gv_warning *first) {
  gv_messages *m = messages();
  pthread_mutex_lock(&m->lock);
  if (first != NULL && m->warnings > count) *first = m->warning[count];
  if (m->warnings > count) m->warnings = count;
  if (m->shown > m->warnings) m->shown = m->warnings;
  pthread_mutex_unlock(&m->lock);
}
