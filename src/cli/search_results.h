/* What `gpuvoronoi search` writes: arrays, text, or a table of neighbours. */
#ifndef GV_CLI_SEARCH_RESULTS_H
#define GV_CLI_SEARCH_RESULTS_H

#include "cli/report.h"
#include "io/inputs.h"
#include "io/out/array_out.h"
#include "io/out/neighbours/neighbours_out.h"
#include "io/out/sync.h"

typedef struct cli_results_options {
  const char *out, *distances, *nearest; /* files; the last two may be NULL */
  bool text, overwrite;                  /* OUT is text */
} cli_results_options;

typedef struct cli_results {
  gv_array_writer *indices, *distances, *nearest; /* the last two may be NULL; all are where there is a ... */
  gv_neighbours_out *table;
  gv_neighbour_content content; /* what is known of it */
  bool text;
  int k;                    /* to be set first */
  const int64_t *cell;      /* of a raster, of each point of the reference set; NULL: numbers are points' */
  int64_t queries, missing; /* written so far; of their neighbours those that do not exist */
} cli_results;

/* Of arrays or text. */
gv_status cli_results_create(gv_io *io, const cli_results_options *options, cli_results *r);

/* `count` queries more. Numbers of `indices` may be changed. */
gv_status cli_results_write(gv_io *io, cli_results *r, int64_t count, int64_t *indices, const double *distances);

/* All outputs are complete before one is moved into place. */
gv_status cli_results_finish(gv_io *io, cli_results *r, gv_inputs *inputs, gv_sync sync);

/* Removes what is not in its place. */
void cli_results_free(cli_results *r);

#endif
