/* Quantities of a block: segments of columns of one value, running sums over them, and sums over runs. */
#include <math.h>
#include <string.h>

#include "statistics/block.h"

enum { SEGMENT = 4 }; /* columns of one value, on average, from which on running sums pay */

/* True if numbers begin with 0, ascend and stay below n. */
static bool parts_of(const int32_t *first, int32_t count, int64_t n) {
  bool good = count > 0 && first[0] == 0 && first[count - 1] < n;
  for (int32_t i = 1; i < count && good; i++)
    good = first[i - 1] < first[i];
  return good;
}

bool gv_is_quantity(const gv_quantity *q, const gv_tile *tile) {
  return q->value != NULL && (q->first == NULL || parts_of(q->first, q->count, tile->c1 - tile->c0)) &&
         (q->first_row == NULL || parts_of(q->first_row, q->rows, tile->r1 - tile->r0));
}

bool gv_quantities_make(gv_statistics_work *j) {
  const gv_allocator *allocator = &j->context->allocator;
  int64_t columns = j->tile.c1 - j->tile.c0;
  j->quantity = gv_allocate_zeroed(allocator, j->s->sums, sizeof *j->quantity);
  j->scan_quantity = gv_allocate(allocator, j->s->sums, sizeof *j->scan_quantity);
  if (j->quantity == NULL || j->scan_quantity == NULL) return false;
  for (int32_t q = 0; q < j->s->sums; q++) {
    const gv_quantity *from = &j->block->quantity[q];
    gv_block_quantity *to = &j->quantity[q];
    to->scale = (double)(INT64_C(1) << GV_TERM_BITS) / j->s->bound[q];
    if (j->s->distances) {
      to->factor = gv_allocate(allocator, columns, sizeof *to->factor);
      if (to->factor == NULL) return false;
    }
    if (from->first == NULL) continue;
    to->segment = gv_allocate(allocator, columns + 1, sizeof *to->segment);
    to->width = gv_allocate(allocator, from->count, sizeof *to->width);
    if (to->segment == NULL || to->width == NULL) return false;
    for (int32_t i = 0; i < from->count; i++) {
      int64_t end = i + 1 < from->count ? from->first[i + 1] : columns;
      to->width[i] = (double)(end - from->first[i]);
      for (int64_t c = from->first[i]; c < end; c++)
        to->segment[c] = i;
    }
    to->segment[columns] = from->count - 1;
    if (from->first_row == NULL || j->s->column == NULL || SEGMENT * (int64_t)from->count > columns + SEGMENT)
      continue;
    to->term[0] = gv_allocate(allocator, GV_BOX_ROWS * (int64_t)from->count, sizeof **to->term);
    to->all = gv_allocate(allocator, from->count, sizeof *to->all);
    if (to->term[0] == NULL || to->all == NULL) return false;
    for (int i = 1; i < GV_BOX_ROWS; i++)
      to->term[i] = to->term[0] + i * (int64_t)from->count;
  }
  return true;
}

bool gv_sum_whole(const gv_statistics *s, const double *value, const double *width, int64_t n, double factor,
                  double limit, int64_t sum_of[2]) {
  bool good = true;
  for (int64_t begin = 0; begin < n && good; begin += GV_EXACT_TERMS) {
    const double *times = width != NULL ? width + begin : NULL;
    good = s->kernels->sum_whole(value + begin, times, gv_terms_of(n - begin), factor, limit, sum_of);
  }
  return good;
}

/* The values of row r of a block. */
static const double *values_of(const gv_quantity *q, int32_t *at, int64_t r) {
  if (q->first_row == NULL) return q->value + r * q->stride;
  if (r < q->first_row[*at]) *at = 0;
  while (*at + 1 < q->rows && q->first_row[*at + 1] <= r)
    ++*at;
  return q->value + *at * q->stride;
}

/* Adds a value of `columns` cells; false if it is beyond the bound. */
static bool add_value(double value, int64_t columns, double scale, double bound, int64_t *lanes) {
  if (!(fabs(value) <= bound)) return false;
  int64_t whole = (int64_t)(value * scale);
  lanes[0] += gv_low_part(whole) * columns;
  lanes[1] += gv_high_part(whole) * columns;
  return true;
}

gv_status gv_add_values(const gv_statistics_work *j, int32_t number, const gv_run *at, int64_t *lanes) {
  const gv_quantity *q = &j->block->quantity[number];
  gv_block_quantity *row = &j->quantity[number];
  const double *values = values_of(q, &row->at, at->r);
  double bound = j->s->bound[number];
  bool good;
  if (q->first == NULL) {
    good = gv_sum_whole(j->s, values + at->c0, NULL, at->c1 - at->c0, row->scale, bound, lanes);
  } else {
    int32_t first = row->segment[at->c0], last = row->segment[at->c1 - 1];
    int64_t c0 = first < last ? q->first[first + 1] : at->c0, c1 = first < last ? q->first[last] : at->c0;
    good = add_value(values[first], c0 - at->c0, row->scale, bound, lanes) &&
           gv_sum_whole(j->s, values + first + 1, row->width + first + 1, last - first - 1, row->scale, bound,
                        lanes) &&
           add_value(values[last], at->c1 - c1, row->scale, bound, lanes);
  }
  if (good) return GV_OK;
  return gv_fail(j->context, GV_ERROR_INVALID_ARGUMENT, "quantity %d is not finite, or beyond its bound %g",
                 (int)number, bound);
}

int32_t gv_prepare_factors(const gv_statistics_work *j, int64_t r, int32_t most) {
  int64_t columns = j->tile.c1 - j->tile.c0;
  for (int32_t q = 0; q < j->s->sums && j->s->distances; q++) {
    const gv_quantity *from = &j->block->quantity[q];
    gv_block_quantity *to = &j->quantity[q];
    size_t bytes = (size_t)(from->first != NULL ? from->count : columns) * sizeof(double);
    const double *values = values_of(from, &to->at, r);
    if (to->row == NULL || (to->row != values && memcmp(to->row, values, bytes) != 0)) {
      double scale = to->scale / j->s->longest;
      for (int64_t c = 0; c < columns; c++)
        to->factor[c] = values[from->first != NULL ? to->segment[c] : c] * scale;
    }
    to->row = values;
    int32_t rows = 1;
    for (; rows < most; rows++) {
      const double *next = values_of(from, &to->at, r + rows);
      if (next != values && memcmp(next, values, bytes) != 0) break;
    }
    most = rows;
  }
  return most;
}

int32_t gv_sum_quantities(gv_statistics_work *j, int64_t from, int64_t width, int64_t r, int32_t rows) {
  const gv_statistics_kernels *kernels = j->s->kernels;
  int32_t summed = 0;
  for (int32_t q = 0; q < j->s->sums; q++) {
    const gv_quantity *of = &j->block->quantity[q];
    gv_block_quantity *quantity = &j->quantity[q];
    gv_scan_quantity *to = &j->scan_quantity[summed];
    double bound = j->s->bound[q];
    quantity->summed = quantity->all != NULL;
    to->groups = 0;
    for (int32_t i = 0; i < rows && quantity->summed;) {
      const double *values = values_of(of, &quantity->at, r + i);
      int32_t at = quantity->at, table = at % GV_BOX_ROWS;
      if (quantity->made[table] != at) {
        int32_t first = quantity->segment[from], n = quantity->segment[from + width] - first + 1;
        quantity->made[table] = at;
        quantity->good[table] =
            kernels->make_terms(values + first, n, quantity->scale, bound, quantity->term[table] + first);
      }
      quantity->summed = quantity->good[table];
      int64_t end = at + 1 < of->rows ? of->first_row[at + 1] - r : rows;
      to->group[to->groups] = quantity->term[table];
      to->size[to->groups++] = (int32_t)(end < rows ? end - i : rows - i);
      for (; i < rows && i < end; i++)
        to->row[i] = quantity->term[table];
    }
    if (!quantity->summed) continue;
    to->segment = quantity->segment + from;
    to->first = of->first;
    to->from = (int32_t)from;
    to->all = quantity->all;
    to->lane = GV_SCAN_LANES + 2 * q;
    kernels->sum_terms(to, (int32_t)width);
    summed++;
  }
  return summed;
}
