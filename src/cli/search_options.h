/* What `gpuvoronoi search` is told. */
#ifndef GV_CLI_SEARCH_OPTIONS_H
#define GV_CLI_SEARCH_OPTIONS_H

#include "cli/options.h"
#include "io/in/arrays/arrays.h"
#include "io/in/raster_seeds.h"
#include "io/out/sync.h"

/* Which points. */
typedef struct source_options {
  const char *path, *layer, *where, *crs;
  const char *crs_option; /* that gives it */
  const char *x, *y, *z;  /* fields */
  const char *id, *keep;  /* of tables */
  gv_array_options array;
  char **open_options;
  const gv_raster_seed_options *raster; /* NULL: no raster */
  bool is_layer;                        /* or a raster; an array of numbers otherwise */
} source_options;

typedef struct search_settings {
  const char *out, *distances, *nearest, *backend;
  source_options reference, query; /* path NULL: the reference set against itself */
  gv_raster_seed_options raster;   /* the reference set, if it is a raster's cells */
  int k, threads, device;
  gv_metric metric;
  gv_edges edges;
  bool has_metric, boundary, overwrite, progress, quiet, json, skip_invalid, lines, shard_reference;
  int64_t memory; /* bytes of the standard input; 0 = the default of --memory */
  double max_distance;
  gv_unit max_distance_unit;
  gv_sync sync;
} search_settings;

/* EXIT_OK, CLI_DONE, or another status with the error printed. In any case to be freed. */
int cli_search_parse(search_settings *settings, int argc, char **argv);
void cli_search_free(search_settings *settings);

/* Whether the output is a table of neighbours, not an array or its text. */
bool cli_search_wants_table(const search_settings *settings);

/* Whether it is text: a file, or the standard output. */
bool cli_search_writes_text(const search_settings *settings);

bool cli_ends_with(const char *path, const char *end);

#endif
