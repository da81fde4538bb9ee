/* The queries of a search by radius, processed batch by batch: counted, then searched in groups with pairs
 * that fit into memory. */
#include <stdlib.h>

#include "gpuvoronoi/gpuvoronoi.h"
#include "job/search/run.h"

enum {
  BATCH_BYTES = 64 << 20, /* of queries */
  PAIRS = 1 << 22,        /* searched at once; a query with more neighbors is searched alone */
  PAIR_BYTES = 64         /* of --memory for each, with the results of the threads */
};

/* Some queries, and their neighbors. */
typedef struct job_radius_batch {
  gv_search_run *run;
  gv_radius_options options;
  int64_t rows, first, count; /* room for queries; the queries */
  void *points;               /* of an array's queries */
  int64_t *offsets;           /* as they were counted */
  int64_t *part;              /* of the queries that are searched at once, from 0 */
  int64_t *indices;
  double *distances;
  int64_t room; /* for pairs */
} job_radius_batch;

static gv_status make_batch(gv_io *io, job_radius_batch *b) {
  const gv_search_queries *q = &b->run->searched;
  b->rows = BATCH_BYTES / ((int64_t)q->dim * 8 + 16);
  if (b->rows < 1) b->rows = 1;
  if (q->total >= 0 && (q->array == NULL || q->total < b->rows)) b->rows = q->total > 0 ? q->total : 1;
  b->offsets = malloc((size_t)(b->rows + 1) * sizeof *b->offsets);
  b->part = malloc((size_t)(b->rows + 1) * sizeof *b->part);
  if (q->array != NULL) b->points = malloc((size_t)(b->rows * q->dim) * sizeof(double));
  bool made = b->offsets != NULL && b->part != NULL && (q->array == NULL || b->points != NULL);
  return made ? GV_OK : gv_io_fail_memory(io, "the results");
}

static void free_batch(job_radius_batch *b) {
  free(b->points);
  free(b->offsets);
  free(b->part);
  free(b->indices);
  free(b->distances);
}

/* The next queries, as many as there are and as a batch has room for. */
static gv_status load_queries(gv_io *io, job_radius_batch *b) {
  const gv_search_queries *q = &b->run->searched;
  b->first += b->count;
  b->count = q->total - b->first < b->rows ? q->total - b->first : b->rows;
  if (q->array == NULL) return GV_OK;
  b->count = 0;
  return gv_array_read(io, q->array, b->rows, b->points, &b->count);
}

/* Queries `from` ... `from` + `count` - 1 of a batch. */
static gv_points queries_of(const job_radius_batch *b, int64_t from, int64_t count) {
  const gv_search_queries *q = &b->run->searched;
  int64_t at = b->first + from;
  if (q->x != NULL) return gv_points_xy(q->x + at, q->y + at, count);
  if (q->array == NULL) return gv_points_rows(q->rows + at * q->dim, count, q->dim, GV_FLOAT64);
  gv_dtype dtype = gv_array_dtype(q->array);
  size_t value = dtype == GV_FLOAT32 ? sizeof(float) : sizeof(double);
  return gv_points_rows((char *)b->points + (size_t)(from * q->dim) * value, count, q->dim, dtype);
}

/* The progress of the search of these queries, from one share of it to another; their total number may be
 * unknown. */
static void next_part(job_radius_batch *b, double from, double to) {
  const double build_share = GV_SEARCH_BUILD_SHARE;
  int64_t total = b->run->searched.total;
  double all = (double)(total > 0 ? total : 1), first = (double)b->first, count = (double)b->count;
  if (total >= 0) b->run->bar_to = build_share + (1.0 - build_share) * (first + count * to) / all;
  b->run->bar_from =
      total >= 0 ? build_share + (1.0 - build_share) * (first + count * from) / all : b->run->bar_to;
}

static gv_status radius_job_search(gv_io *io, job_radius_batch *b, int64_t from, int64_t count,
                                   int64_t *offsets, bool filled) {
  gv_search_run *run = b->run;
  gv_points queries = queries_of(b, from, count);
  gv_status status = gv_index_search_radius(run->context, run->index, &queries, &b->options, offsets,
                                            filled ? b->indices : NULL, filled ? b->distances : NULL);
  if (status == GV_OK) return GV_OK;
  const char *name = run->q != NULL ? run->q->path : run->reference.path;
  return gv_io_fail(io, status, "%s: %s", name, gv_context_message(run->context));
}

/* Removes each query from its own neighbors, if the reference set is searched against itself. */
static void leave_out_selves(job_radius_batch *b, int64_t from, int64_t count) {
  int64_t to = 0, at = 0;
  for (int64_t i = 0; i < count; i++) {
    for (; at < b->part[i + 1]; at++) {
      if (b->indices[at] == b->first + from + i) continue;
      b->indices[to] = b->indices[at];
      b->distances[to++] = b->distances[at];
    }
    b->part[i + 1] = to;
  }
}

static gv_status make_room(gv_io *io, job_radius_batch *b, int64_t pairs) {
  if (pairs <= b->room) return GV_OK;
  free(b->indices);
  free(b->distances);
  b->indices = malloc((size_t)pairs * sizeof *b->indices);
  b->distances = malloc((size_t)pairs * sizeof *b->distances);
  b->room = b->indices != NULL && b->distances != NULL ? pairs : 0;
  return b->room > 0 ? GV_OK : gv_io_fail_memory(io, "the neighbors");
}

/* Searches and writes queries from `from` on; returns their number. */
static gv_status radius_job_search_some(gv_io *io, job_radius_batch *b, int64_t from, int64_t *count) {
  const int64_t held = io->memory / PAIR_BYTES, pairs = held > 0 && held < PAIRS ? held : PAIRS;
  int64_t end = from + 1;
  while (end < b->count && b->offsets[end + 1] - b->offsets[from] <= pairs)
    end++;
  *count = end - from;
  for (int64_t i = 0; i <= *count; i++)
    b->part[i] = b->offsets[from + i] - b->offsets[from];
  next_part(b, 0.5 + 0.5 * (double)from / (double)b->count, 0.5 + 0.5 * (double)end / (double)b->count);
  GV_TRY(make_room(io, b, b->part[*count] > 0 ? b->part[*count] : 1));
  GV_TRY(radius_job_search(io, b, from, *count, b->part, true));
  if (b->run->q == NULL) leave_out_selves(b, from, *count);
  return gv_search_results_write_pairs(io, b->run, *count, b->part, b->indices, b->distances);
}

static gv_status radius_job_search_batch(gv_io *io, job_radius_batch *b) {
  int64_t count = 0;
  next_part(b, 0.0, 0.5);
  GV_TRY(radius_job_search(io, b, 0, b->count, b->offsets, false));
  b->run->results.expected = b->offsets[b->count]; /* a table's queries are one batch */
  for (int64_t from = 0; from < b->count; from += count)
    GV_TRY(radius_job_search_some(io, b, from, &count));
  return GV_OK;
}

gv_status gv_search_radius_rounds(gv_io *io, gv_search_run *run) {
  job_radius_batch b = {.run = run};
  gv_radius_options_init(&b.options);
  b.options.radius = run->max_distance;
  gv_status status = make_batch(io, &b);
  bool more = true;
  while (status == GV_OK && more) {
    status = load_queries(io, &b);
    more = b.count > 0 && (run->searched.array != NULL || b.first + b.count < run->searched.total);
    if (status == GV_OK && b.count > 0) status = radius_job_search_batch(io, &b);
  }
  if (status == GV_OK && run->results.table != NULL && run->searched.total == 0)
    status = gv_search_results_write_pairs(io, run, 0, (const int64_t[1]){0}, b.indices, b.distances);
  free_batch(&b);
  return status;
}
