/* gpuvoronoi backends: the table of backends and what can run on this machine. */
#include "cli/commands.h"

#include <stdio.h>

#include "cli/cli.h"
#include "gpuvoronoi.h"

static const char help[] =
    "Usage: gpuvoronoi backends [--json]\n"
    "\n"
    "Lists the backends: what each can do (s = search of points, g = Voronoi of a grid), whether\n"
    "it can run on this machine, and the idea behind it. All of them give the same results.\n"
    "\n"
    "  --json   as a JSON array of objects with name, summary, searches_points, allocates_grids,\n"
    "           available and reason (why not, when it cannot run)\n";

/* A string of the table as JSON; it holds no control characters. */
static void print_json_string(const char *text) {
  putchar('"');
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\') putchar('\\');
    putchar(*text);
  }
  putchar('"');
}

static void print_json(void) {
  printf("[");
  for (int i = 0; i < gv_backend_count(); i++) {
    gv_backend_info info;
    if (gv_backend_get(i, &info) != GV_OK) continue;
    printf("%s\n  {\"name\": ", i > 0 ? "," : "");
    print_json_string(info.name);
    printf(", \"summary\": ");
    print_json_string(info.summary);
    printf(", \"searches_points\": %s, \"allocates_grids\": %s, \"available\": %s, \"reason\": ",
           info.searches_points ? "true" : "false", info.allocates_grids ? "true" : "false",
           info.available ? "true" : "false");
    print_json_string(info.reason);
    printf("}");
  }
  printf("\n]\n");
}

int backends_command(int argc, char **argv) {
  enum { KEY_HELP = 1, KEY_JSON };
  static const cli_option options[] = {{"help", KEY_HELP, false}, {"json", KEY_JSON, false}, {NULL, 0, false}};
  bool json = false;
  cli_parser parser = {.options = options, .argc = argc, .argv = argv};
  const char *value;
  for (int key; (key = cli_next(&parser, &value)) != CLI_END;) {
    switch (key) {
    case KEY_JSON:
      json = true;
      break;
    case KEY_HELP:
      fputs(help, stdout);
      return EXIT_OK;
    case CLI_POSITIONAL:
      return cli_fail(EXIT_USAGE, "backends takes no argument '%s'", value);
    default:
      return EXIT_USAGE;
    }
  }
  if (json) {
    print_json();
    return EXIT_OK;
  }
  for (int i = 0; i < gv_backend_count(); i++) {
    gv_backend_info info;
    if (gv_backend_get(i, &info) != GV_OK) continue;
    printf("%-18s %c%c  %s%s%s%s\n", info.name, info.searches_points ? 's' : '-', info.allocates_grids ? 'g' : '-',
           info.summary, info.available ? "" : " [not available here: ", info.available ? "" : info.reason,
           info.available ? "" : "]");
  }
  return EXIT_OK;
}
