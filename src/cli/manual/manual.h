/* Manual pages and completion, made from the same tables as --help by a program that is not installed. */
#ifndef GV_MANUAL_H
#define GV_MANUAL_H

#include "cli/commands.h"

/* The name of a page: gpuvoronoi-search. */
enum { MANUAL_PAGE_NAME = 80 };
void manual_page_name(const char *name, char page[MANUAL_PAGE_NAME]);

/* One page of a command: `name` as it is called ("" for the main job). */
void manual_page(const char *name, const char *summary, const cli_syntax *syntax);

/* Scripts for the two shells, of all commands. */
void manual_bash(void);
void manual_zsh(void);

/* The schema of descriptions of runs, docs/voronoi.schema.json. */
void manual_schema(void);

/* Calls for the main job (name "") and each command. */
void manual_each(void (*visit)(const char *name, const char *summary, const cli_syntax *syntax));

/* What may follow an option, as far as a shell can know. */
typedef enum manual_values {
  MANUAL_NOTHING, /* the option takes no value */
  MANUAL_FREE,
  MANUAL_FILE,
  MANUAL_CHOICES,  /* option->choices */
  MANUAL_BACKENDS, /* the registry's names and "auto" */
  MANUAL_DRIVERS   /* GDAL's that write rasters */
} manual_values;
manual_values manual_values_of(const gv_option *option);

/* "-k", "--seeds". */
const char *manual_dashes(const gv_option *option);

#endif
