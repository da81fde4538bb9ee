/* Quantities of a block: segments of columns of one value, and running sums over them. */
#include <math.h>
#include <string.h>

#include "core/given.h"
#include "statistics/parts.h"

/* True if numbers begin with 0, ascend and stay below n. */
static bool parts_of(const int32_t *first, int32_t count, int64_t n) {
  bool good = count > 0 && first[0] == 0 && first[count - 1] < n;
  for (int32_t i = 1; i < count && good; i++)
    good = first[i - 1] < first[i];
  return good;
}

gv_status gv_quantities_given(gv_context *context, const gv_quantity *given, int32_t sums,
                              gv_quantity **out) {
  const char *from = (const char *)given;
  *out = NULL;
  if (sums == 0) return GV_OK;
  if (given == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "cells: missing quantities; expected %d", (int)sums);
  *out = gv_allocate(&context->allocator, sums, sizeof **out);
  if (*out == NULL) return gv_fail_memory(context, "the quantities");
  for (int32_t q = 0; q < sums; q++) {
    size_t size = 0;
    memcpy(&size, from, sizeof size);
    gv_quantity_init(&(*out)[q]);
    GV_COPY_GIVEN(context, gv_quantity, &(*out)[q], from);
    from += size;
  }
  return GV_OK;
}

bool gv_is_quantity(const gv_quantity *q, const gv_tile *tile) {
  return q->value != NULL && q->type == GV_FLOAT64 &&
         (q->first == NULL || parts_of(q->first, q->count, tile->c1 - tile->c0)) &&
         (q->first_row == NULL || parts_of(q->first_row, q->rows, tile->r1 - tile->r0));
}

/* Number of segments, and where one of them or the end of the row is. */
static int64_t segments_of(const gv_block_quantity *quantity) {
  return quantity->of->first != NULL ? quantity->of->count : quantity->columns;
}
static int64_t begin_of(const gv_block_quantity *quantity, int64_t i) {
  if (quantity->of->first == NULL) return i;
  return i < quantity->of->count ? quantity->of->first[i] : quantity->columns;
}

gv_status gv_quantity_make(gv_context *context, const gv_statistics *s, const gv_quantity *of, int32_t number,
                           int64_t columns, gv_block_quantity *out) {
  *out = (gv_block_quantity){.of = of, .columns = columns, .bound = s->bound[number]};
  int64_t segments = segments_of(out);
  const gv_allocator *allocator = &context->allocator;
  out->scale = (double)(INT64_C(1) << GV_TERM_BITS) / gv_fixed_unit(out->bound);
  out->number = gv_allocate(allocator, columns + 1, sizeof *out->number);
  out->segment = gv_allocate(allocator, segments + 1, sizeof *out->segment);
  if (s->distances) out->factor = gv_allocate(allocator, columns, sizeof *out->factor);
  if (out->number == NULL || out->segment == NULL || (s->distances && out->factor == NULL)) {
    return gv_fail_memory(context, "a block's statistics");
  }
  for (int64_t i = 0; i < segments; i++) {
    for (int64_t c = begin_of(out, i); c < begin_of(out, i + 1); c++)
      out->number[c] = (int32_t)i;
  }
  out->number[columns] = (int32_t)segments;
  return GV_OK;
}

void gv_quantity_clear(const gv_allocator *allocator, gv_block_quantity *quantity) {
  gv_release(allocator, quantity->number);
  gv_release(allocator, quantity->segment);
  gv_release(allocator, quantity->factor);
}

void gv_quantity_begin_row(const gv_statistics *s, gv_block_quantity *quantity, int64_t r) {
  const gv_quantity *of = quantity->of;
  quantity->so_far = 0;
  if (of->first_row == NULL) {
    quantity->row = (int32_t)r;
  } else {
    while (quantity->row + 1 < of->rows && of->first_row[quantity->row + 1] <= r)
      quantity->row++;
  }
  const double *values = (const double *)of->value + quantity->row * of->stride;
  if (quantity->values == values) return;
  quantity->values = values;
  quantity->good = true;
  gv_wide before = 0;
  int64_t segments = segments_of(quantity);
  for (int64_t i = 0; i < segments; i++) {
    bool good = fabs(values[i]) <= quantity->bound;
    int64_t begin = begin_of(quantity, i), term = good ? (int64_t)(values[i] * quantity->scale) : 0;
    quantity->segment[i] = (gv_segment){before, term, begin};
    before += (gv_wide)term * (begin_of(quantity, i + 1) - begin);
    quantity->good = quantity->good && good;
  }
  quantity->segment[segments] = (gv_segment){before, 0, quantity->columns};
  /* Scaled values are at most one; the common divisor may overflow a double. */
  double scale = quantity->scale / s->longest;
  bool one_by_one = !isfinite(scale);
  for (int64_t c = 0; c < quantity->columns && quantity->factor != NULL; c++) {
    double value = values[quantity->number[c]];
    quantity->factor[c] = one_by_one ? value * quantity->scale / s->longest : value * scale;
  }
}

bool gv_quantity_is_good(const gv_block_quantity *quantity, int64_t c0, int64_t c1) {
  bool good = true;
  for (int32_t i = quantity->number[c0]; i <= quantity->number[c1 - 1] && !quantity->good; i++)
    good = good && fabs(quantity->values[i]) <= quantity->bound;
  return good;
}
