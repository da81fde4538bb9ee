/* The sums of one seed as bytes, for other processes: the lowest byte of each number first. */
#include "gpuvoronoi/experimental.h"

#include <math.h>
#include <string.h>

#include "statistics/parts.h"

__extension__ typedef unsigned __int128 wide_bits;

enum { WIDE = 16, NARROW = 8, OF_ROW = 5 * WIDE + 2 * NARROW, OF_SUM = 2 * WIDE };

size_t gv_statistics_sums_size(const gv_statistics *s) {
  return s != NULL ? OF_ROW + (size_t)s->sums * OF_SUM : 0;
}

static void sums_put(unsigned char **at, wide_bits value, int bytes) {
  for (int i = 0; i < bytes; i++, value >>= 8)
    *(*at)++ = (unsigned char)value;
}

static wide_bits sums_read_bits(const unsigned char **at, int bytes) {
  wide_bits value = 0;
  for (int i = 0; i < bytes; i++)
    value |= (wide_bits) * (*at)++ << (8 * i);
  return value;
}

static gv_status sums_check(gv_context *context, const gv_statistics *s, int64_t seed, const void *sums) {
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (s != NULL && sums != NULL && seed >= 0 && seed < s->rows) return GV_OK;
  return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                 "statistics, sums, or seed number %lld: the pointer is NULL, or the number is out of range",
                 (long long)seed);
}

/* Cells of the grid, of which each counts for one seed. */
static int64_t sums_cells(const gv_statistics *s) {
  const gv_grid *grid = &s->voronoi->cells.grid;
  return grid->width * grid->height;
}

/* Whether the sums of a seed are possible: of at most as many cells as the grid has, each a term of
 * GV_TERM_BITS and its rounding. */
static bool sums_are_possible(const gv_statistics *s, const gv_totals *t) {
  if (t->cells < 0 || t->cells > sums_cells(s)) return false;
  const gv_wide most = (gv_wide)t->cells << (GV_TERM_BITS + 1);
  return t->area >= 0 && t->area <= most && t->distance >= 0 && t->distance <= most && t->farthest >= 0.0 &&
         t->farthest <= s->longest;
}

gv_status gv_statistics_get_sums(gv_context *context, const gv_statistics *s, int64_t seed, void *sums) {
  GV_TRY(sums_check(context, s, seed, sums));
  const gv_totals *t = &s->of_row[seed];
  unsigned char *at = sums;
  uint64_t farthest;
  memcpy(&farthest, &t->farthest, sizeof farthest);
  sums_put(&at, (wide_bits)t->area, WIDE);
  for (int d = 0; d < 3; d++)
    sums_put(&at, (wide_bits)t->moment[d], WIDE);
  sums_put(&at, (wide_bits)t->distance, WIDE);
  sums_put(&at, (wide_bits)t->cells, NARROW);
  sums_put(&at, farthest, NARROW);
  for (int32_t q = 0; q < s->sums; q++) {
    sums_put(&at, (wide_bits)s->of_sum[seed * s->sums + q].value, WIDE);
    sums_put(&at, (wide_bits)s->of_sum[seed * s->sums + q].distance, WIDE);
  }
  return GV_OK;
}

gv_status gv_statistics_add_sums(gv_context *context, gv_statistics *s, int64_t seed, const void *sums) {
  GV_TRY(sums_check(context, s, seed, sums));
  const unsigned char *at = sums;
  gv_totals more;
  more.area = (gv_wide)sums_read_bits(&at, WIDE);
  for (int d = 0; d < 3; d++)
    more.moment[d] = (gv_wide)sums_read_bits(&at, WIDE);
  more.distance = (gv_wide)sums_read_bits(&at, WIDE);
  more.cells = (int64_t)sums_read_bits(&at, NARROW);
  uint64_t farthest = (uint64_t)sums_read_bits(&at, NARROW);
  memcpy(&more.farthest, &farthest, sizeof farthest);
  bool good = sums_are_possible(s, &more);
  pthread_mutex_lock(&s->lock);
  gv_totals total = s->of_row[seed];
  good = good && gv_totals_add(&more, &total) && sums_are_possible(s, &total);
  for (int32_t q = 0; q < s->sums; q++) { /* nothing is changed until all sums are checked */
    const unsigned char *from = at + q * OF_SUM;
    gv_sum sum = s->of_sum[seed * s->sums + q], part = {.value = (gv_wide)sums_read_bits(&from, WIDE)};
    part.distance = (gv_wide)sums_read_bits(&from, WIDE);
    good = good && gv_sum_add(&part, &sum);
  }
  if (good) s->of_row[seed] = total;
  for (int32_t q = 0; q < s->sums && good; q++) {
    gv_sum part = {.value = (gv_wide)sums_read_bits(&at, WIDE)};
    part.distance = (gv_wide)sums_read_bits(&at, WIDE);
    (void)gv_sum_add(&part, &s->of_sum[seed * s->sums + q]);
  }
  pthread_mutex_unlock(&s->lock);
  if (good) return GV_OK;
  return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "seed %lld: invalid sums", (long long)seed);
}
