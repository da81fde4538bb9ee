/* Which pages there are, and what may follow an option. */
#include "cli/manual/manual.h"

#include <stdio.h>
#include <string.h>

#include "gpuvoronoi.h"

void manual_each(void (*visit)(const char *name, const char *summary, const cli_syntax *syntax)) {
  visit("", "exact Voronoi rasters: every cell gets its nearest seed", &voronoi_syntax);
  for (const cli_command *one = cli_commands; one->name != NULL; one++)
    visit(one->name, one->summary, one->syntax);
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
}
