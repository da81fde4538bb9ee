/*
 * gpuvoronoi-bench search: the search backends side by side, in suites of the sizes that publications and
 * packages use. All backends must return the same neighbors. A backend that would take too long is left out,
 * and shown as
 * "-".
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { CLUSTERS = 64 };

/* UNIFORM: within [0, 1); FLOATS: the same in float32; INTEGERS: searched among themselves. */
typedef enum data { UNIFORM, FLOATS, WIDE, INTEGERS, CLUSTERED, SPHERE } data;

static const char *const data_names[] = {
    "uniform",   "uniform float32", "uniform [-500,500)", "integers, against itself",
    "clustered", "on the sphere"};

/* a: nearest neighbor. b: 20 nearest. c: all pairs. d: low dimensions. e: what GPUs are compared with. f:
 * work for several GPUs. n: many dimensions. t: trees on GPUs. Searches: dimensions, queries, points, k. */
static const struct {
  char suite;
  data kind;
  const char *searches;
} suites[] = {
    {'a', UNIFORM,
     "3 1 2 1, 3 2 8 1, 3 1 1024 1, 3 1 65536 1, 16 1 65536 1, 3 1024 1024 1, 3 1024 65536 1, 16 1024 65536 "
     "1, "
     "3 1 16777216 1, 16 1 16777216 1, 3 1024 1048576 1, 16 1024 1048576 1"},
    {'e', WIDE, "128 32768 32768 20, 4 32768 32768 20"},
    {'e', SPHERE, "3 2097152 16384 1"},
    {'e', UNIFORM, "3 10000000 1000000 1, 3 10000000 1000000 20"},
    {'f', SPHERE, "3 2097152 1048576 1"},
    {'f', WIDE, "16 1048576 131072 20, 128 131072 131072 20"},
    {'f', UNIFORM, "3 128 67108864 1"},
    {'n', FLOATS,
     "128 32768 32768 20, 784 32768 32768 20, 960 10000 1000000 100, 16 1024 1048576 1, 128 16 1048576 10, "
     "128 384 1048576 10, 128 32768 32768 1, 32 32768 32768 20, 16 32768 32768 20, 48 2000 200000 300"},
    {'t', UNIFORM,
     "3 10000000 1000000 1, 3 10000000 1000000 20, 3 1000000 10000000 1, 3 1000000 10000000 20, "
     "3 1000000 1000000 1, 3 1000000 1000000 8, 3 1000000 1000000 32, 3 1000000 1000000 100, "
     "2 10000000 1000000 1, 2 10000000 1000000 20, 3 100000 1000000 1, 3 100000 1000000 20, 3 1000 1000000 "
     "1, "
     "3 1000 1000000 20, 3 1000000 10000 1, 3 1000000 10000 20, 8 100000 1000000 1, 8 100000 1000000 20, "
     "3 1000000 100000000 1, 3 1000000 100000000 20, 3 100000 1000 1, 3 10000 100 1"}};

typedef struct search_case {
  char suite;
  data kind;
  int32_t dim;
  int64_t queries, points;
  int32_t k;
} search_case;

/* One search of a search_case, by one backend. */
typedef struct timed_search {
  const char *backend;
  gv_points points, queries;
  int32_t k;
  bool self;
  int64_t *indices;
  double *distances;
} timed_search;

/* --------------------------------------------------------------------------------------------------- data */

static double coordinate(data kind, const double *center, uint64_t *state) {
  double u = bench_uniform(state);
  switch (kind) {
  case WIDE:
    return u * 1000.0 - 500.0;
  case INTEGERS:
    return floor(u * 100.0);
  case CLUSTERED: /* a sum of uniforms: bell-shaped, 1 % wide */
    return *center + 0.01 * (u + bench_uniform(state) + bench_uniform(state) - 1.5);
  default:
    return u;
  }
}

/* Points number `stream`, the same on every machine. `data` NULL: out of memory. To be freed with free((void
 * *)points.data). */
static gv_points make_points(const search_case *q, int64_t count, uint64_t stream) {
  double centers[CLUSTERS * 16];
  uint64_t state = stream * 1000003, seed = 42;
  gv_dtype type = q->kind == FLOATS ? GV_FLOAT32 : GV_FLOAT64;
  double *values = malloc((size_t)(count * q->dim) * (type == GV_FLOAT32 ? sizeof(float) : sizeof(double)));
  for (int i = 0; i < CLUSTERS * 16; i++)
    centers[i] = bench_uniform(&seed);
  for (int64_t i = 0; i < count && values != NULL; i++) {
    if (q->kind == SPHERE) {
      double z = 2.0 * bench_uniform(&state) - 1.0, turn = 6.28318530717958648 * bench_uniform(&state);
      values[3 * i] = sqrt(1.0 - z * z) * cos(turn);
      values[3 * i + 1] = sqrt(1.0 - z * z) * sin(turn);
      values[3 * i + 2] = z;
      continue;
    }
    int cluster = q->kind == CLUSTERED ? (int)(bench_uniform(&state) * CLUSTERS) : 0;
    for (int64_t d = 0; d < q->dim; d++) {
      double value = coordinate(q->kind, &centers[cluster * 16 + d % 16], &state);
      if (type == GV_FLOAT32) ((float *)values)[i * q->dim + d] = (float)value;
      if (type == GV_FLOAT64) values[i * q->dim + d] = value;
    }
  }
  return gv_points_rows(values, count, q->dim, type);
}

/* A rough forecast of a search in seconds, for two processors or a GPU: only to leave out searches of
 * minutes. */
static double forecast(const char *backend, const search_case *q) {
  bool gpu = strncmp(backend, "cuda-", 5) == 0, tree = strstr(backend, "tree") != NULL;
  double pairs = (double)q->queries * (double)q->points, dim = q->dim;
  if (strcmp(backend, "serial") == 0) return pairs * (1e-9 + dim * 1e-9);
  if (strcmp(backend, "openmp") == 0) return pairs * (1.5e-10 + dim * 1.5e-11);
  if (strcmp(backend, "auto") == 0) return 0.0;
  if (!tree) return 1e-3 + pairs * (2e-12 + dim * 1e-12);
  double visited =
      fmin((double)q->points, ldexp(1.0, (int)fmin(dim, 40.0) + 8)); /* points a tree visits for a query */
  double seconds = (double)q->queries * visited * (1e-9 + dim * 3e-10) + (double)q->points * 1e-6;
  return gpu ? 1e-3 + seconds / 50.0 : seconds;
}

/* --------------------------------------------------------------------------------------------------- runs */

static gv_status bench_search_run(bench *b, const bench_case *c, bench_sample *s) {
  const timed_search *one = c->with;
  gv_index_options index_options;
  gv_index_options_init(&index_options);
  gv_search_options options;
  gv_search_options_init(&options);
  gv_index *index = NULL;
  size_t places = (size_t)(one->queries.count * one->k);
  if (one->backend == NULL) return GV_ERROR_UNSUPPORTED; /* it would take too long */
  index_options.backend = one->backend;
  index_options.expected_k = options.k = one->k;
  index_options.expected_queries = one->queries.count;
  options.exclude_self = one->self;
  bench_start(b, s);
  gv_status status = gv_index_build(b->context, &one->points, &index_options, &index);
  bench_stop(b, s);
  s->value[BUILD] = s->value[SECONDS];
  s->value[BUILD_DEVICE] = s->value[DEVICE];
  bench_start(b, s);
  if (status == GV_OK) {
    status = gv_index_search(b->context, index, one->self ? NULL : &one->queries, &options, one->indices,
                             one->distances);
  }
  bench_stop(b, s);
  gv_index_destroy(index);
  if (status == GV_OK) s->result = bench_checksum(one->indices, places * sizeof *one->indices);
  return status;
}

/* A case for each requested and available backend; those that would take too long have none in their
 * search. */
static bool bench_search_case(bench *b, const search_case *q) {
  timed_search searches[BENCH_MOST_LIST], one = {.k = q->k, .self = q->kind == INTEGERS};
  bench_case cases[BENCH_MOST_LIST];
  char group[160];
  bool good = true;
  int n = 0, left_out = 0;
  if (b->suites != NULL && strchr(b->suites, q->suite) == NULL) return true;
  bool all = b->count_of_backends == 0;
  for (int i = 0; i < (all ? gv_backend_count() : b->count_of_backends) && n < BENCH_MOST_LIST; i++) {
    gv_backend_info info;
    gv_backend_info_init(&info);
    if (!all) info.name = b->backends[i];
    if (all && (gv_backend_get(i, &info) != GV_OK || !info.available || !info.searches_points)) continue;
    bool fits = forecast(info.name, q) <= b->seconds;
    cases[n] = (bench_case){info.name, n > 0 ? 0 : -1, 1, (double)q->queries, bench_search_run, &searches[n]};
    searches[n++].backend = fits ? info.name : NULL;
    left_out += !fits;
  }
  if (left_out < n) {
    one.points = make_points(q, q->points, 1);
    one.queries = one.self ? one.points : make_points(q, q->queries, 2);
    one.indices = malloc((size_t)(q->queries * q->k) * sizeof *one.indices);
    one.distances = malloc((size_t)(q->queries * q->k) * sizeof *one.distances);
    good =
        one.points.data != NULL && one.queries.data != NULL && one.indices != NULL && one.distances != NULL;
  }
  for (int i = 0; i < n; i++) {
    one.backend = searches[i].backend;
    searches[i] = one;
  }
  snprintf(group, sizeof group, "%c: d %d, %" PRId64 " x %" PRId64 ", k %d, %s", q->suite, (int)q->dim,
           q->queries, q->points, (int)q->k, data_names[q->kind]);
  good = good ? bench_group(b, group, cases, n)
              : bench_fail("search: out of memory for %" PRId64 " points", q->points);
  if (!one.self) free((void *)one.queries.data);
  free((void *)one.points.data);
  free(one.indices);
  free(one.distances);
  return good;
}

bool bench_search(bench *b) {
  bool good = b->suites == NULL ||
              (b->suites[0] != '\0' && strspn(b->suites, "abcdefnt") == strlen(b->suites)) ||
              bench_fail("--suite: invalid value (%s); expected letters of abcdefnt", b->suites);
  for (size_t i = 0; i < sizeof suites / sizeof *suites; i++) {
    search_case q = {.suite = suites[i].suite, .kind = suites[i].kind};
    for (const char *at = suites[i].searches; at != NULL && good; at = strchr(at + 1, ',')) {
      good = sscanf(at + (*at == ','), "%" SCNd32 "%" SCNd64 "%" SCNd64 "%" SCNd32, &q.dim, &q.queries,
                    &q.points, &q.k) == 4 &&
             bench_search_case(b, &q);
    }
  }
  for (int32_t dim = 1; dim <= 256; dim *= 4)
    for (int64_t n = 256; n <= 32768 && good; n *= 2)
      good = bench_search_case(b, &(search_case){'b', WIDE, dim, n, n, 20});
  for (int64_t n = 10; n <= 1000; n *= 10)
    for (int32_t dim = 10; dim <= 1000 && good; dim *= 10)
      good = bench_search_case(b, &(search_case){'c', INTEGERS, dim, n, n, 10});
  for (int32_t dim = 2; dim <= 3; dim++)
    for (int64_t n = 1000; n <= 10000000; n *= 10)
      for (int i = 0; i < 4 && good; i++)
        good = bench_search_case(
            b, &(search_case){'d', i < 2 ? UNIFORM : CLUSTERED, dim, 1000000, n, i % 2 ? 20 : 1});
  return good;
}
