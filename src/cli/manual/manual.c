/* Which pages there are, and what may follow an option. */
#include "cli/manual/manual.h"

#include <stdio.h>
#include <string.h>

#include "gpuvoronoi.h"

void manual_each(void (*visit)(const char *name, const char *summary, const cli_syntax *syntax)) {
  visit("", "exact Voronoi rasters: every cell gets its nearest seed", &voronoi_syntax);
  for (const cli_command *one = cli_commands; one->name != NULL; one++)
    if (one->syntax != NULL) visit(one->name, one->summary, one->syntax);
  for (const cli_command *one = bench_commands; one->name != NULL; one++) {
    char name[64];
    snprintf(name, sizeof name, "bench %s", one->name);
    visit(name, one->summary, one->syntax);
  }
}

const char *manual_dashes(const gv_option *option) {
  return option->name[1] == '\0' ? "-" : "--";
}

manual_values manual_values_of(const gv_option *option) {
  static const char *const files[] = {"SRC", "FILE", "RASTER", "[NAME=]RASTER", "FILE.nc", "DIR"};
  if (option->metavar == NULL) return MANUAL_NOTHING;
  if (option->kind == GV_OPTION_CHOICE) return MANUAL_CHOICES;
  if (strcmp(option->name, "backend") == 0) return MANUAL_BACKENDS;
  if (strcmp(option->metavar, "DRIVER") == 0) return MANUAL_DRIVERS;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (strcmp(option->metavar, files[i]) == 0) return MANUAL_FILE;
  return MANUAL_FREE;
}

void manual_page_name(const char *name, char page[MANUAL_PAGE_NAME]) {
  snprintf(page, MANUAL_PAGE_NAME, "gpuvoronoi%s%s", name[0] != '\0' ? "-" : "", name);
  for (char *c = page; *c != '\0'; c++)
    if (*c == ' ') *c = '-';
}

static const char *wanted;

static void list(const char *name, const char *summary, const cli_syntax *syntax) {
  char page[MANUAL_PAGE_NAME];
  (void)summary, (void)syntax;
  manual_page_name(name, page);
  printf("%s\n", page);
}

static void show(const char *name, const char *summary, const cli_syntax *syntax) {
  char page[MANUAL_PAGE_NAME];
  manual_page_name(name, page);
  if (strcmp(page, wanted) == 0) manual_page(name, summary, syntax);
}

/* manual list | page PAGE | bash | zsh | schema, on the standard output. */
int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "list") == 0) {
    manual_each(list);
  } else if (strcmp(what, "page") == 0 && argc == 3) {
    wanted = argv[2];
    manual_each(show);
  } else if (strcmp(what, "bash") == 0) {
    manual_bash();
  } else if (strcmp(what, "zsh") == 0) {
    manual_zsh();
  } else if (strcmp(what, "schema") == 0) {
    manual_schema();
  } else {
    fprintf(stderr, "usage: %s list | page PAGE | bash | zsh | schema\n", argv[0]);
    return 2;
  }
  return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
