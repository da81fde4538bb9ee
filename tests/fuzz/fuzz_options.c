/* Arguments of every command, one a line: its settings are filled, or the exit status is an error. */
#include "fuzz.h"

#include <cpl_string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/search_command.h"
#include "io/source_name.h"
#include "io/strings.h"
#include "job/description/settings.h"

enum { MOST_ARGUMENTS = 64, MOST_BYTES = 4096, MOST_COMMANDS = 32 };

/* What commands do with them is theirs. */
static int ignore(void *settings, char *value) {
  (void)settings;
  return value[0] == '\0' ? EXIT_USAGE : EXIT_OK;
}

static void parse(const cli_syntax *command, int argc, char **argv) {
  static union {
    char bytes[1 << 16];
    max_align_t aligned;
  } settings;
  cli_syntax copy = *command, *syntax = &copy;
  if (syntax->positional != NULL) syntax->positional = ignore;
  memset(&settings, 0, sizeof settings);
  int status = cli_parse(syntax, &settings, argc, argv);
  FUZZ_REQUIRE(status == EXIT_OK || status == EXIT_USAGE || status == EXIT_ERROR || status == CLI_DONE);
  if (command == &voronoi_syntax) {
    gv_job_settings_clear((gv_job_settings *)settings.bytes);
  } else if (command == &search_syntax) {
    search_settings_free((search_settings *)settings.bytes);
  } else {
    for (size_t i = 0; i < syntax->count; i++)
      if (syntax->options[i].kind == GV_OPTION_LIST)
        gv_strings_free(*(char ***)(settings.bytes + syntax->options[i].at));
  }
}

static bool led;

/* libFuzzer's, which writes its own lines to the standard error: it has -close_fd_mask=3 for ours. */
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  led = true;
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const cli_syntax *list[MOST_COMMANDS];
  static size_t count;
  static char text[MOST_BYTES + 1];
  if (count == 0) {
    FUZZ_REQUIRE(led ||
                 (freopen("/dev/null", "w", stdout) != NULL && dup2(fileno(stdout), STDERR_FILENO) >= 0));
    list[count++] = &voronoi_syntax;
    for (const cli_command *one = cli_commands; one->name != NULL; one++)
      list[count++] = one->syntax;
  }
  if (size == 0 || size > MOST_BYTES) return 0;
  memcpy(text, data, size);
  text[size] = '\0';
  char *argv[MOST_ARGUMENTS + 1], *rest = text + 1;
  int argc = 0;
  for (char *one; argc < MOST_ARGUMENTS && (one = strsep(&rest, "\n")) != NULL;)
    argv[argc++] = one;
  argv[argc] = NULL;
  parse(list[(uint8_t)text[0] % count], argc, argv);
  gv_source_forget();
  return 0;
}
