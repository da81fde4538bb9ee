/*
 * Options are matched exactly, not by prefix: a script must not change its meaning when an option is added.
 *
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

/* ------------------------------------------------------------------------------------------------- options */

static int next(cli_parser *parser, const char **value) {
  if (parser->at >= parser->argc) return CLI_END;
  char *argument = parser->argv[parser->at++];
  if (!parser->only_positional && strcmp(argument, "--") == 0) {
    parser->only_positional = true;
    return next(parser, value);
  }
  if (parser->only_positional || argument[0] != '-' || argument[1] == '\0') {
    *value = argument;
    return CLI_POSITIONAL;
  }
  const char *name = argument + (argument[1] == '-' ? 2 : 1);
  size_t length = strcspn(name, "=");
  const cli_option *option = parser->options;
  /* One dash is GDAL's habit ("-co X=Y", "-of COG"); both are understood. */
  while (option->name != NULL && (strlen(option->name) != length || strncmp(option->name, name, length) != 0)) {
    option++;
  }
  if (option->name == NULL) {
    cli_fail(EXIT_USAGE, "unknown option %.*s (gpuvoronoi --help lists them)",
             (int)(length + (size_t)(name - argument)), argument);
    return CLI_WRONG;
  }
  parser->name = option->name;
  if (!option->has_value) {
    if (name[length] == '=') {
      cli_fail(EXIT_USAGE, "--%s takes no value", option->name);
      return CLI_WRONG;
    }
    return option->key;
  }
  if (name[length] == '=') {
    *value = name + length + 1;
    return option->key;
  }
  if (parser->at >= parser->argc) {
    cli_fail(EXIT_USAGE, "--%s needs a value", option->name);
    return CLI_WRONG;
  }
  *value = parser->argv[parser->at++];
  return option->key;
}

int cli_next(cli_parser *parser, const char **value) {
  *value = NULL;
  int key = next(parser, value);
  if (*value != NULL) gv_source_remember(*value);
  return key;
}

static const char *skip_separator(const char *at) {
  while (*at == ' ')
    at++;
  if (*at == ',') at++;
  while (*at == ' ')
    at++;
  return at;
}

bool cli_numbers(const char *text, double *numbers, int count) {
  for (int i = 0; i < count; i++) {
    char *end;
    numbers[i] = strtod(text, &end);
    if (end == text) return false;
    text = i + 1 < count ? skip_separator(end) : end;
    if (i + 1 < count && text == end) return false;
  }
  return *text == '\0';
}

bool cli_integers(const char *text, int64_t *numbers, int count) {
  for (int i = 0; i < count; i++) {
    char *end;
    errno = 0;
    numbers[i] = strtoll(text, &end, 10);
    if (end == text || errno != 0) return false;
    text = i + 1 < count ? skip_separator(end) : end;
    if (i + 1 < count && text == end) return false;
  }
  return *text == '\0';
}

int cli_whole(const char *option, const char *value, int low, int high, int *out) {
  int64_t number;
  if (!cli_integers(value, &number, 1) || number < low || number > high) {
    return cli_fail(EXIT_USAGE, "--%s: '%s' is not a number from %d to %d", option, value, low, high);
  }
  *out = (int)number;
  return EXIT_OK;
}

int cli_sync(const char *value, gv_sync *out) {
  if (gv_sync_by_name(value, out)) return EXIT_OK;
  return cli_fail(EXIT_USAGE, "--sync: '%s' is none of auto, always, never", value);
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
