/*
 * The queries of a search, answered round by round: by one process, or dealt to the ranks of MPI, of which rank 0 writes all answers in
 * the order of the queries. Each rank has all reference points, or (sharded) some of them, which the library's distributed search
 * (gv_index_search_together) joins.
 */
#ifndef GV_CLI_SEARCH_ROUNDS_H
#define GV_CLI_SEARCH_ROUNDS_H

#include "cli/search_results.h"
#include "distributed/communicator.h"
#include "io/in/arrays/arrays.h"

#define CLI_SEARCH_BUILD_SHARE 0.1 /* of a search is building the index, as far as the bar goes */

/* How far the whole search is: what the library reports goes from `from` to `to` of it. */
typedef struct cli_search_bar {
  bool shown;
  double from, to;
} cli_search_bar;

/* One of the indexes. */
typedef struct cli_search_index {
  gv_index *plane;
  gv_globe_index *globe;
  gv_feature_index *features;
  int64_t first; /* number of its first point, among all */
} cli_search_index;

/* An array that is read on, rows, positions, or the index's own points. */
typedef struct cli_search_queries {
  gv_array_reader *array;
  const double *rows, *x, *y;
  int64_t total; /* -1: not known before the array's end */
  int32_t dim;
} cli_search_queries;

typedef struct cli_search_rounds {
  const gv_communicator *communicator; /* NULL: alone */
  bool sharded;
  gv_context *context;
  const cli_search_index *index;
  cli_search_queries queries;
  gv_search_options options;
  bool distances, nearest; /* are wanted */
  const char *name;        /* of the queries, for messages */
  cli_search_bar *bar;
} cli_search_rounds;

/* `r`: of rank 0. */
gv_status cli_search_rounds_run(gv_io *io, const cli_search_rounds *how, cli_results *r);

/* gv_communicator_agree; alone: `status`. */
gv_status cli_search_together(gv_io *io, const gv_communicator *communicator, gv_status status);

/* Of `count` things those that rank number `rank` has: from *first on, *end is behind them. */
void cli_search_deal(const gv_communicator *communicator, int64_t count, int rank, int64_t *first, int64_t *end);

#endif
