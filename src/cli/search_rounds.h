/*
 * The queries of a search, answered round by round: here alone, or dealt to the ranks of a cluster, of which the first writes what all
 * have found in the order of the queries.
 *
 * Dealt, each rank has all reference points, and in each round some of the queries. Where the reference points are dealt (sharded), each
 * rank has some of them and answers all queries of a round; then each joins the answers of all for some of these.
 */
#ifndef GV_CLI_SEARCH_ROUNDS_H
#define GV_CLI_SEARCH_ROUNDS_H

#include "cli/cluster.h"
#include "cli/search_results.h"
#include "io/in/arrays.h"

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
  const cli_cluster *cluster; /* NULL: alone */
  bool sharded;
  gv_context *context;
  const cli_search_index *index;
  cli_search_queries queries;
  gv_search_options options;
  bool distances, nearest; /* are wanted */
  const char *name;        /* of the queries, for messages */
  cli_search_bar *bar;
  bool *told; /* becomes true when an error was printed, for all ranks */
} cli_search_rounds;

/* `r`: of the first rank. */
gv_status cli_search_rounds_run(gv_io *io, const cli_search_rounds *how, cli_results *r);

/* Whether all ranks go on; alone: `status`. */
gv_status cli_search_together(gv_io *io, const cli_cluster *cluster, gv_status status, bool *told);

/* Of `count` things those that rank number `rank` has: from *first on, *end is behind them. */
void cli_search_deal(const cli_cluster *cluster, int64_t count, int rank, int64_t *first, int64_t *end);

#endif
