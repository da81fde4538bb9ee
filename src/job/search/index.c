/* The index over a search's reference set: points on the plane, points on the globe, or lines and
 * polygons. */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#include "core/machine.h"
#include "gpuvoronoi/experimental.h"
#include "io/crs/crs.h"
#include "io/crs/metric.h"
#include "job/search/run.h"

static gv_status library_failed(gv_io *io, const gv_search_run *run, gv_status status) {
  return gv_io_fail(io, status, "%s: %s", run->reference.path, gv_context_message(run->context));
}

/* ----------------------------------------------------------------------------------------------- sharding */

/* Whether each rank has only some of the reference points: if that was requested, or if the index of all of
 * them, with the buffers for reading, would take more memory than a rank has. There must be more points than
 * ranks. */
static gv_status choose_sharding(gv_io *io, gv_search_run *run, int64_t points, int32_t dim) {
  const gv_cluster *c = run->communicator;
  if (c == NULL || points < c->all.ranks) return GV_OK;
  bool large = points > gv_machine_memory() / c->host_ranks / (3 * (int64_t)sizeof(double)) / dim;
  int any = run->job->shard_reference || large;
  GV_TRY(gv_cluster_largest(io, c, &any));
  run->sharded = any != 0;
  return GV_OK;
}

/* The points of this rank among `total`; stores the number of the first. */
static int64_t own_share(gv_search_run *run, int64_t total) {
  if (!run->sharded) return total;
  int rank = run->communicator->all.rank, ranks = run->communicator->all.ranks;
  int64_t share = total / ranks, more = total % ranks;
  run->first_point = rank * share + (rank < more ? rank : more);
  return share + (rank < more);
}

/* ---------------------------------------------------------------------------------------------- the plane */

/* Points of an array that is not text, for the library's callback; of several failures that of the first
 * point is passed to `io`. */
typedef struct array_points {
  gv_io *io;
  const gv_array_reader *array;
  int64_t first;  /* number of the first point in the array */
  int64_t failed; /* the point of that failure; INT64_MAX: there is none */
  pthread_mutex_t lock;
} array_points;

static gv_status read_points(void *user, int64_t first, int64_t count, void *out) {
  array_points *r = user;
  gv_io own;
  gv_io_for_worker(r->io, &own);
  gv_status status = gv_array_read_at(&own, r->array, r->first + first, count, out);
  if (status == GV_OK) return GV_OK;
  pthread_mutex_lock(&r->lock);
  if (first < r->failed) {
    r->failed = first;
    gv_io_pass_on(r->io, status, &own);
  }
  pthread_mutex_unlock(&r->lock);
  return status;
}

/* Points of the reference set that are this rank's, of an array or of rows. Of an array that is not text only
 * the number: they are read into the index. */
static gv_status load_reference(gv_io *io, gv_search_run *run, int64_t total, gv_points *points,
                                void **data) {
  gv_array_reader *array = run->reference.array;
  int64_t got = 0;
  points->count = own_share(run, total);
  if (array == NULL) {
    points->data = run->reference.rows + run->first_point * points->dim;
    return GV_OK;
  }
  points->dtype = gv_array_dtype(array);
  if (points->count >= 0) GV_TRY(gv_array_check_memory(io, array, points->count));
  if (gv_array_count(array) >= 0) return GV_OK;
  if (!run->sharded) {
    GV_TRY(gv_array_read_all(io, array, data, &points->count));
  } else {
    *data = malloc((size_t)(points->count * points->dim) * sizeof(double));
    if (*data == NULL) return gv_io_fail_memory(io, "an array");
    GV_TRY(gv_array_skip(io, array, run->first_point, &got));
    GV_TRY(gv_array_read(io, array, points->count, *data, &got));
  }
  points->data = *data;
  return GV_OK;
}

/* The queries of a search of points on the plane: an array, rows, or the reference set itself. */
static gv_status choose_queries(gv_io *io, gv_search_run *run, int64_t points) {
  gv_search_points *q = run->q;
  if (q == NULL && (run->sharded || run->job->by_radius) && run->reference.array != NULL) {
    q = &run->again;
    *q = gv_search_points_of(run->reference.source, run->reference.path, false);
    GV_TRY(gv_search_points_open(io, run, q));
  }
  run->searched.dim = run->reference.dim;
  run->searched.total = q == NULL ? points : q->array != NULL ? gv_array_count(q->array) : q->seeds.count;
  run->searched.array = q != NULL ? q->array : NULL;
  run->searched.rows = q != NULL ? q->rows : run->reference.rows;
  return GV_OK;
}

/* The lengths of the periodic box, one for each dimension; NULL: there is none. */
static gv_status box_lengths(gv_io *io, const gv_search_run *run, int32_t dim, double **lengths) {
  const gv_search_job *j = run->job;
  *lengths = NULL;
  if (j->box == NULL) return GV_OK;
  GV_REQUIRE(io, j->box_dim == 1 || j->box_dim == dim,
             "--box-size: %lld lengths, but %s has %d coordinates per point", (long long)j->box_dim,
             run->reference.path, (int)dim);
  *lengths = malloc((size_t)dim * sizeof **lengths);
  if (*lengths == NULL) return gv_io_fail_memory(io, "the periodic box");
  for (int32_t d = 0; d < dim; d++)
    (*lengths)[d] = j->box[j->box_dim == 1 ? 0 : d];
  return GV_OK;
}

static gv_status build_index_with(gv_io *io, gv_search_run *run, const gv_points *points,
                                  const double *periods) {
  gv_index_options options;
  gv_index_options_init(&options);
  options.periods = periods;
  if (run->metric == GV_MINKOWSKI) options.power = run->job->power;
  options.backend = run->job->backend;
  options.metric = run->metric;
  options.expected_k = run->job->k;
  options.expected_queries = run->searched.total > 0 ? run->searched.total : 0;
  if (points->data != NULL) {
    gv_status status = gv_index_build(run->context, points, &options, &run->index);
    return status == GV_OK ? GV_OK : library_failed(io, run, status);
  }
  array_points r = {io, run->reference.array, run->first_point, INT64_MAX, PTHREAD_MUTEX_INITIALIZER};
  gv_point_source source;
  gv_point_source_init(&source);
  source.count = points->count;
  source.dim = points->dim;
  source.dtype = points->dtype;
  source.read = read_points;
  source.user = &r;
  gv_status status = gv_index_build_from(run->context, &source, &options, &run->index);
  pthread_mutex_destroy(&r.lock);
  return status == GV_OK || r.failed < INT64_MAX ? status : library_failed(io, run, status);
}

static gv_status build_index(gv_io *io, gv_search_run *run, const gv_points *points) {
  double *periods = NULL;
  GV_TRY(box_lengths(io, run, points->dim, &periods));
  gv_status status = build_index_with(io, run, points, periods);
  free(periods);
  return status;
}

/* The points of the reference set, by rows, and their total number over all ranks, if known. */
static gv_status count_points(gv_io *io, gv_search_run *run, int64_t *total) {
  gv_search_points *reference = &run->reference;
  *total = reference->array != NULL ? gv_array_count(reference->array) : reference->seeds.count;
  if (reference->array == NULL) GV_TRY(gv_search_points_make_rows(io, reference));
  return run->communicator != NULL ? gv_search_points_count(io, reference, total) : GV_OK;
}

/* `data`: always free it once the index is built. */
static gv_status build_of(gv_io *io, gv_search_run *run, int64_t total, void **data) {
  gv_search_points *reference = &run->reference, *q = run->q;
  gv_points points = gv_points_rows(NULL, 0, reference->dim, GV_FLOAT64);
  GV_TRY(choose_sharding(io, run, total, points.dim));
  GV_TRY(load_reference(io, run, total, &points, data));
  GV_REQUIRE(io, points.count > 0, "%s: missing points", reference->path);
  if (!run->sharded) total = points.count;
  if (q != NULL && q->array == NULL) GV_TRY(gv_search_points_make_rows(io, q));
  GV_REQUIRE(io, q == NULL || q->dim == reference->dim, "%s: %d coordinates per point, but %s has %d",
             q->path, (int)q->dim, reference->path, (int)reference->dim);
  GV_TRY(choose_queries(io, run, total));
  GV_TRY(build_index(io, run, &points));
  run->report->references.used = total;
  run->report->dimensions = points.dim;
  run->report->backend = gv_index_backend(run->index);
  return GV_OK;
}

static gv_status build_plane(gv_io *io, gv_search_run *run) {
  void *data = NULL;
  int64_t total = 0;
  GV_TRY(gv_cluster_agree(io, run->communicator, count_points(io, run, &total)));
  gv_status status = build_of(io, run, total, &data);
  free(data);
  return status;
}

/* -------------------------------------------------------------------------- the globe, lines and polygons */

gv_status gv_search_to_globe(gv_io *io, gv_search_run *run, double *semi_major, double *flattening) {
  OGRSpatialReferenceH crs = run->reference.seeds.crs;
  GV_TRY(gv_crs_ellipsoid(io, crs, semi_major, flattening));
  if (run->q != NULL) GV_TRY(gv_search_points_to_globe(io, run->q, crs));
  if (run->barriers.seeds.count > 0) GV_TRY(gv_search_points_to_globe(io, &run->barriers, crs));
  return gv_search_points_to_globe(io, &run->reference, crs);
}

void gv_search_set_positions(gv_search_run *run) {
  const gv_seed_list *q = run->q != NULL ? &run->q->seeds : &run->reference.seeds;
  run->searched = (gv_search_queries){.x = q->x, .y = q->y, .total = q->count, .dim = 2};
}

static gv_status build_globe(gv_io *io, gv_search_run *run) {
  const gv_seed_list *seeds = &run->reference.seeds;
  gv_index_options build;
  gv_index_options_init(&build);
  build.backend = run->job->backend;
  build.metric = run->metric;
  gv_status status = gv_search_to_globe(io, run, &build.semi_major, &build.flattening);
  GV_TRY(gv_cluster_agree(io, run->communicator, status));
  GV_TRY(choose_sharding(io, run, seeds->count, 3));
  int64_t count = own_share(run, seeds->count);
  const gv_points own = gv_points_xy(seeds->x + run->first_point, seeds->y + run->first_point, count);
  status = gv_index_build(run->context, &own, &build, &run->index);
  if (status != GV_OK) return library_failed(io, run, status);
  gv_search_set_positions(run);
  run->report->references.used = seeds->count;
  run->report->backend = gv_index_backend(run->index);
  return GV_OK;
}

/* Points among lines and polygons. */
static gv_status build_features(gv_io *io, gv_search_run *run) {
  gv_index_options build;
  gv_index_options_init(&build);
  build.metric = run->metric;
  if (gv_metric_on_globe(run->metric))
    GV_TRY(gv_search_to_globe(io, run, &build.semi_major, &build.flattening));
  gv_features features = gv_seeds_features(&run->reference.seeds);
  gv_status status = gv_index_build_features(run->context, &features, &build, &run->index);
  if (status != GV_OK) return library_failed(io, run, status);
  gv_search_set_positions(run);
  run->report->references.used = features.count;
  return GV_OK;
}

gv_status gv_search_build(gv_io *io, gv_search_run *run) {
  bool flat = run->reference.seeds.shapes == NULL && !gv_metric_on_globe(run->metric);
  GV_REQUIRE(io, run->job->box == NULL || flat, "--box-size: unsupported %s",
             run->reference.seeds.shapes != NULL ? "for lines and polygons" : "on the globe");
  if (run->reference.seeds.shapes != NULL) return build_features(io, run);
  return gv_metric_on_globe(run->metric) ? build_globe(io, run) : build_plane(io, run);
}
