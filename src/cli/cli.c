/*
 * Signals are taken by a thread of their own, so that no code has to run inside a signal handler.
 */
#include "cli/cli.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io/source_name.h"

int cli_fail(int status, const char *format, ...) {
  char message[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  char *clean = gv_clean_message(message);
  fprintf(stderr, "gpuvoronoi: error: %s\n", clean != NULL ? clean : "out of memory");
  free(clean);
  return status;
}

/* ------------------------------------------------------------------------------------------------- signals */

static atomic_int caught;
static void (*abandon_work)(void);

static void *watch(void *signals) {
  const sigset_t *set = signals;
  int number = 0;
  if (sigwait(set, &number) != 0) return NULL;
  atomic_store(&caught, number);
  struct timespec patience = {2, 0};
  sigtimedwait(set, NULL, &patience);
  if (abandon_work != NULL) abandon_work();
  _exit(128 + number);
}

void cli_catch_signals(void (*abandon)(void)) {
  static sigset_t set;
  pthread_t thread;
  abandon_work = abandon;
  /* A full disk quota shows as a failed write, not as a death. */
  signal(SIGXFSZ, SIG_IGN);
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  /* nohup's ignored SIGHUP stays ignored. */
  struct sigaction hangup;
  if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaddset(&set, SIGHUP);
  if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0) return;
  if (pthread_create(&thread, NULL, watch, &set) == 0) {
    pthread_detach(thread);
  } else {
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  }
}

bool cli_interrupted(void *unused) {
  (void)unused;
  return atomic_load_explicit(&caught, memory_order_relaxed) != 0;
}

int cli_signal_status(void) {
  int number = atomic_load(&caught);
  return number != 0 ? 128 + number : 0;
}
