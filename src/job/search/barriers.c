/* The nearest reference points by the shortest ways round barriers. */
#include <math.h>
#include <stdlib.h>

#include "io/crs/metric.h"
#include "job/search/run.h"

enum { BATCH = 1 << 16 }; /* queries */

gv_status gv_search_barriers_open(gv_io *io, gv_search_run *run) {
  const gv_search_job *j = run->job;
  const gv_search_points *both[] = {&run->reference, run->q};
  GV_REQUIRE(io, run->communicator == NULL, "--barriers: unsupported with mpirun");
  for (int i = 0; i < 2; i++)
    GV_REQUIRE(io, both[i]->array == NULL, "--barriers: %s: unsupported array; use points of a layer",
               both[i]->path);
  GV_REQUIRE(
      io, run->reference.seeds.shapes == NULL,
      "--barriers: %s: unsupported references (lines or polygons); use points, e.g. vertices or centroids",
      run->reference.path);
  GV_TRY(gv_job_barriers_read(io, &j->barriers, j->edges, j->skip_invalid, &run->barriers.seeds));
  GV_REQUIRE(
      io,
      run->barriers.seeds.count == 0 ||
          (run->barriers.seeds.crs == NULL) == (run->reference.seeds.crs == NULL),
      "--barriers: %s and %s: one of them has no coordinate system; assign one in a copy: ogr2ogr -a_srs",
      run->barriers.path, run->reference.path);
  return GV_OK;
}

gv_status gv_search_barriers_build(gv_io *io, gv_search_run *run) {
  const gv_seed_list *seeds = &run->reference.seeds;
  gv_barriers_options options;
  gv_barriers_options_init(&options);
  options.metric = run->metric;
  options.max_distance = run->max_distance;
  if (gv_metric_on_globe(run->metric))
    GV_TRY(gv_search_to_globe(io, run, &options.semi_major, &options.flattening));
  GV_TRY(gv_job_barriers_make(io, run->context, &run->job->barriers, &run->barriers.seeds, &options,
                              &run->ways));
  const gv_status status =
      gv_barriers_solve(run->context, run->ways, seeds->x, seeds->y, seeds->count, &run->unused);
  GV_TRY(gv_io_pass_on_library(io, run->context, status));
  GV_TRY(gv_seeds_check_left_out(io, seeds, run->unused, "--barriers", run->reference.path,
                                 "inside polygons of", run->barriers.path));
  gv_search_set_positions(run);
  run->report->references.used = seeds->count - run->unused;
  run->report->backend = "tile";
  return GV_OK;
}

/* Memory of a batch. */
typedef struct search_barriers_batch {
  int32_t *seed;
  int64_t *index;
  double *distance;
} search_barriers_batch;

static gv_status search_barriers_round(gv_io *io, gv_search_run *run, int64_t first,
                                       const search_barriers_batch *batch) {
  const gv_search_queries *q = &run->searched;
  gv_barrier_places places;
  gv_barrier_places_init(&places);
  places.x = q->x + first;
  places.y = q->y + first;
  places.count = q->total - first < BATCH ? q->total - first : BATCH;
  places.seed = batch->seed;
  places.distance = batch->distance;
  run->bar_from = run->bar_to;
  run->bar_to += (1.0 - GV_SEARCH_BUILD_SHARE) * (double)places.count / (double)q->total;
  GV_TRY(gv_io_pass_on_library(io, run->context, gv_barriers_get(run->context, run->ways, &places)));
  for (int64_t i = 0; i < places.count; i++) {
    batch->index[i] = batch->seed[i];
    if (batch->seed[i] < 0) batch->distance[i] = (double)INFINITY;
  }
  return gv_search_results_write(io, run, places.count, batch->index, batch->distance, NULL);
}

gv_status gv_search_barriers_rounds(gv_io *io, gv_search_run *run) {
  search_barriers_batch batch = {.seed = malloc(BATCH * sizeof *batch.seed),
                                 .index = malloc(BATCH * sizeof *batch.index),
                                 .distance = malloc(BATCH * sizeof *batch.distance)};
  gv_status status = GV_OK;
  if (batch.seed == NULL || batch.index == NULL || batch.distance == NULL)
    status = gv_io_fail_memory(io, "the results");
  run->results.expected = run->searched.total;
  for (int64_t first = 0; first < run->searched.total && status == GV_OK; first += BATCH)
    status = search_barriers_round(io, run, first, &batch);
  free(batch.seed);
  free(batch.index);
  free(batch.distance);
  return status;
}
