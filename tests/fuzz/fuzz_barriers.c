/*
 * Ways round any lines and polygons: refused with a message, or results that do not depend on threads and on
 * the order of places. Ways are at least as long as without barriers and within the maximum, and as long from
 * a place to its seed as back.
 */
#include "gpuvoronoi/barriers.h"

#include <math.h>

#include "fuzz.h"
#include "question.h"

enum { MOST_PLACES = 40 };

typedef struct ways {
  int32_t seed[MOST_PLACES];
  double distance[MOST_PLACES];
  float azimuth[MOST_PLACES];
} ways;

typedef struct places {
  double x[MOST_PLACES], y[MOST_PLACES];
  int64_t count;
} places;

static gv_status get_ways(gv_context *context, const gv_barriers *barriers, const places *at, int64_t first,
                          int64_t count, ways *out) {
  gv_barrier_places p;
  gv_barrier_places_init(&p);
  p.x = at->x + first;
  p.y = at->y + first;
  p.count = count;
  p.seed = out->seed + first;
  p.distance = out->distance + first;
  p.azimuth = out->azimuth + first;
  return gv_barriers_get(context, barriers, &p);
}

static void check_ways(const question *q, const gv_barriers_options *o, const places *at, const ways *w) {
  for (int64_t i = 0; i < at->count; i++) {
    int32_t seed = w->seed[i];
    FUZZ_REQUIRE(seed >= -1 && seed < q->sources && (seed < 0) == (isnan(w->distance[i]) != 0));
    FUZZ_REQUIRE(isnan(w->azimuth[i]) || (seed >= 0 && w->azimuth[i] >= 0.0f && w->azimuth[i] < 360.0f));
    if (seed < 0) continue;
    FUZZ_REQUIRE(w->distance[i] >= 0.0 && w->distance[i] <= o->max_distance);
    const double dx = q->x[seed] - at->x[i], dy = q->y[seed] - at->y[i], straight = sqrt(dx * dx + dy * dy);
    /* legs are rounded */
    if (o->metric == GV_EUCLIDEAN) FUZZ_REQUIRE(w->distance[i] >= straight * (1.0 - 1e-12));
  }
}

/* The way back from the seed to the place. */
static void check_back(gv_context *context, const question *q, gv_barriers *barriers, const places *at,
                       const ways *w, int64_t place) {
  ways back;
  places seed = {.count = 1};
  const int32_t from = w->seed[place];
  if (from < 0) return;
  seed.x[0] = q->x[from];
  seed.y[0] = q->y[from];
  FUZZ_REQUIRE(gv_barriers_solve(context, barriers, at->x + place, at->y + place, 1, NULL) == GV_OK);
  FUZZ_REQUIRE(get_ways(context, barriers, &seed, 0, 1, &back) == GV_OK);
  double there = w->distance[place];
  FUZZ_REQUIRE(isinf(there) || (back.seed[0] == 0 && fabs(back.distance[0] - there) <= 1e-9 * there));
}

static gv_status search(gv_context *context, const question *q, const gv_barriers_options *options,
                        const places *at, bool one_by_one, bool back, ways *out) {
  gv_barriers *barriers = NULL;
  int64_t left_out = -1;
  gv_status status = gv_barriers_create(context, &q->features, options, &barriers);
  FUZZ_REQUIRE((status == GV_OK) == (barriers != NULL));
  if (status == GV_OK) status = gv_barriers_solve(context, barriers, q->x, q->y, q->sources, &left_out);
  if (status == GV_OK) FUZZ_REQUIRE(left_out >= 0 && left_out <= q->sources);
  if (status == GV_OK && !one_by_one) status = get_ways(context, barriers, at, 0, at->count, out);
  for (int64_t i = at->count; status == GV_OK && one_by_one && i-- > 0;)
    status = get_ways(context, barriers, at, i, 1, out);
  if (status == GV_OK) check_ways(q, options, at, out);
  for (int64_t i = 0; status == GV_OK && back && i < at->count; i += 7)
    check_back(context, q, barriers, at, out, i);
  FUZZ_REQUIRE(status == GV_OK || gv_context_message(context)[0] != '\0');
  gv_barriers_destroy(barriers);
  return status;
}

/* Points are an error: they are lines of their vertices, but for one input of 16. */
static void lines_for_points(question *q, uint8_t choices) {
  for (int64_t i = 0; i < MOST_PARTS && choices < 0xf0; i++)
    if (q->kind[i] == GV_PART_POINTS) q->kind[i] = GV_PART_LINE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static question q;
  static places at;
  static ways all, each;
  fuzz_input input = {data, size};
  int64_t room = fuzz_room(data, size);
  gv_barriers_options options;
  gv_barriers_options_init(&options);
  uint8_t choices = fuzz_byte(&input), kind = fuzz_byte(&input);
  memset(&q, 0, sizeof q);
  fuzz_take_question(&input, &q);
  fuzz_take_features(&input, &q);
  lines_for_points(&q, choices);
  at.count = room < FUZZ_MEDIUM ? 6 : MOST_PLACES;
  if (room < FUZZ_MEDIUM && q.sources > 6) q.sources = 1 + q.sources % 6;
  q.features.count = q.sources;
  options.metric = (choices & 1U) != 0      ? GV_GREAT_CIRCLE
                   : (choices & 14U) != 14U ? GV_EUCLIDEAN
                                            : q.options.metric;
  options.max_distance = q.options.max_distance;
  options.semi_major = q.grid.semi_major;
  options.flattening = q.grid.flattening;
  for (int64_t i = 0; i < at.count; i++) {
    at.x[i] = fuzz_take_number(&input, kind);
    at.y[i] = fuzz_take_number(&input, kind);
  }
  gv_context *one = fuzz_context(1), *other = fuzz_context(q.threads);
  gv_status first = search(one, &q, &options, &at, false, (kind & 4U) != 0, &all);
  FUZZ_REQUIRE(search(other, &q, &options, &at, true, false, &each) == first);
  const size_t count = (size_t)at.count;
  if (first == GV_OK) {
    FUZZ_REQUIRE(memcmp(all.seed, each.seed, count * sizeof *all.seed) == 0);
    FUZZ_REQUIRE(memcmp(all.distance, each.distance, count * sizeof *all.distance) == 0);
    FUZZ_REQUIRE(memcmp(all.azimuth, each.azimuth, count * sizeof *all.azimuth) == 0);
  }
  gv_context_destroy(one);
  gv_context_destroy(other);
  return 0;
}
