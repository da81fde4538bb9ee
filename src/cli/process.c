/* A separate thread receives signals, so that no code runs in a signal handler. */
#include "cli/process.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cpl_conv.h>
#include <gdal.h>

#include "cli/cli.h"
#include "cli/fail.h"
#include "cli/report.h"
#include "io/out/tiff_tiles.h"
#include "io/source_name.h"
#include "io/transaction/output.h"
#include "io/transaction/remote_copies.h"

/* After a fatal error GDAL ends the process, also if the handler returns. */
static void CPL_STDCALL receive_message(CPLErr level, CPLErrorNum number, const char *text) {
  if (level != CE_Fatal) {
    gv_io_take_message(level, number, text);
    return;
  }
  gv_io io = {.cancelled = NULL};
  char *clean = gv_clean_foreign_message(text);
  (void)gv_io_fail(&io, GV_ERROR_INTERNAL, "GDAL: fatal error: %s", clean != NULL ? clean : "out of memory");
  (void)cli_fail_as(io.code, EXIT_ERROR, io.message);
  fflush(stdout);
  alarm(5); /* should cleaning up wait for what this thread has locked */
  gv_outputs_abandon();
  _exit(EXIT_ERROR);
}

/* Registers GDAL's drivers and the handler of its messages, and limits its block cache unless GDAL_CACHEMAX
 * is set. */
static void prepare_gdal(void) {
  enum { CACHE_BYTES = 128 << 20 };
  GDALAllRegister();
  CPLSetErrorHandler(receive_message);
  gv_tiff_pass_on_messages();
  /* Keeps deprecated codes of coordinate systems unchanged, in all threads. */
  if (CPLGetConfigOption("OSR_USE_NON_DEPRECATED", NULL) == NULL)
    CPLSetConfigOption("OSR_USE_NON_DEPRECATED", "NO");
  /* Files are read and written in order; GDAL's default cache is a twentieth of all memory. */
  if (CPLGetConfigOption("GDAL_CACHEMAX", NULL) == NULL) GDALSetCacheMax64(CACHE_BYTES);
}

/* ------------------------------------------------------------------------------------------------ signals */

static atomic_int caught;

static void report_interrupt(int status, const char *details) {
  char line[1024];
  snprintf(line, sizeof line, "interrupted%s", details);
  (void)cli_fail_as(GV_CODE_INTERRUPTED, status, line);
  fflush(stdout);
}

void cli_ignore_signals(void) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

/* gv_outputs_abandon waits while files are renamed. If they are in place then, the run has succeeded: the
 * other threads get the time to report that. A transfer to cloud storage is given up by the thread that is at
 * it, which then removes new objects: that may take as long as the server, and a second signal ends it. */
static void *watch(void *signals) {
  const sigset_t *set = signals;
  int number = 0;
  if (sigwait(set, &number) != 0) return NULL;
  atomic_store(&caught, number);
  const struct timespec first = {0, 500000000}, patience = {2, 0}, step = {0, 50000000};
  bool again = sigtimedwait(set, NULL, &first) > 0, copying = gv_remote_copying();
  while (!again && gv_remote_copying())
    again = sigtimedwait(set, NULL, &step) > 0;
  if (copying && !again) sigtimedwait(set, NULL, &patience);
  copying = gv_remote_copying();
  gv_outputs_abandon();
  if (!gv_outputs_renaming()) {
    report_interrupt(
        128 + number,
        copying ? " during a transfer to cloud storage: new objects and unfinished uploads may be left" : "");
    _exit(128 + number);
  }
  sigtimedwait(set, NULL, &patience);
  _exit(EXIT_OK);
}

static pthread_t watcher;

/* Threads that libraries start before main, as OpenBLAS does, do not block signals: they forward signals to
 * the watcher. */
static void forward(int number) {
  pthread_kill(watcher, number);
}

static void forward_signals(const sigset_t *set) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction action = {.sa_handler = SIG_IGN};
    if (sigismember(set, numbers[i]) != 1 || sigaction(numbers[i], NULL, &action) != 0 ||
        action.sa_handler != SIG_DFL)
      continue;
    action = (struct sigaction){.sa_handler = forward, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(numbers[i], &action, NULL);
  }
}

bool cli_catch_signals(void) {
  static sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  /* nohup's ignored SIGHUP stays ignored. */
  struct sigaction hangup;
  if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaddset(&set, SIGHUP);
  if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0 || pthread_create(&watcher, NULL, watch, &set) != 0)
    return false;
  pthread_detach(watcher);
  forward_signals(&set);
  return true;
}

int cli_prepare(void) {
  if (!cli_catch_signals()) return cli_fail(EXIT_ERROR, "cannot start a thread for signals");
  prepare_gdal();
  return EXIT_OK;
}

bool cli_interrupted(void *unused) {
  (void)unused;
  return atomic_load_explicit(&caught, memory_order_relaxed) != 0 && !gv_outputs_renaming();
}

/* --------------------------------------------------------------------------------------- the end of a run */

int cli_report_failure(const gv_io *io) {
  int number = atomic_load(&caught);
  if (number == 0 || gv_outputs_renaming()) return cli_fail_as(io->code, EXIT_ERROR, io->message);
  static const char cancelled[] = "cancelled"; /* gv_io_fail_cancelled; objects that stay may follow */
  bool details = strncmp(io->message, cancelled, strlen(cancelled)) == 0;
  report_interrupt(128 + number, details ? io->message + strlen(cancelled) : "");
  return 128 + number;
}
