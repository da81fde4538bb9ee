/*
 * Arrays of cells as spans of cells of one value. Threads find the spans of some rows at a time and pass them
 * on in the order of the rows, so that neither results nor errors depend on threads. A cell is decoded only
 * if its bytes differ from the previous ones.
 */
#include "cells/raster_array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/parallel.h"

/* ONE_THREAD: up to this number of cells one thread is faster than several. */
enum { CELLS_AT_ONCE = 1 << 22, ONE_THREAD = 1 << 20, ROWS_AT_ONCE = 4, STRETCH = 32 };

typedef struct raster_array_reading {
  const gv_raster_array *array;
  size_t size;                  /* of a cell */
  int64_t *included, *excluded; /* keys, ascending */
  int64_t width, first;         /* of the current rows */
  int32_t *start;               /* `width` for each of these rows, as are the next two */
  int64_t *value;
  uint8_t *counts;
  int64_t *spans; /* how many of each row; of a row with a seed that is not a whole number -1 - column */
  gv_progress progress;
} raster_array_reading;

/* ------------------------------------------------------------------------------------------------ numbers */

/* 0: no such type. */
static size_t size_of(gv_dtype type) {
  static const uint8_t sizes[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8};
  return (unsigned)type < sizeof sizes ? sizes[type] : 0;
}

static bool is_real(gv_dtype type) {
  return type == GV_FLOAT32 || type == GV_FLOAT64;
}

/* The bits of a number in the widest type of its kind: equal numbers have equal keys, as -0.0 becomes 0.0. */
static int64_t key_of(gv_dtype type, const uint8_t *cell) {
  union {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    float f32;
    double f64;
  } v = {0};
  memcpy(&v, cell, size_of(type));
  switch (type) {
  case GV_INT8:
    return v.i8;
  case GV_INT16:
    return v.i16;
  case GV_INT32:
    return v.i32;
  case GV_UINT8:
    return v.u8;
  case GV_UINT16:
    return v.u16;
  case GV_UINT32:
    return v.u32;
  case GV_FLOAT32:
    v.f64 = (double)v.f32 + 0.0;
    return v.i64;
  case GV_FLOAT64:
    v.f64 += 0.0;
    return v.i64;
  default:
    return v.i64;
  }
}

static int64_t key_of_cell(const gv_raster_array *a, const uint8_t *cell) {
  uint8_t swapped[sizeof(int64_t)];
  size_t size = size_of(a->type);
  if (a->is_byte_swapped == 0) return key_of(a->type, cell);
  for (size_t i = 0; i < sizeof swapped; i++)
    swapped[i] = i < size ? cell[size - 1 - i] : 0;
  return key_of(a->type, swapped);
}

static double real_of(int64_t key) {
  double real;
  memcpy(&real, &key, sizeof real);
  return real;
}

static int by_key(const void *a, const void *b) {
  int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
  return p < q ? -1 : p > q;
}

static bool has(const int64_t *keys, int64_t count, int64_t key) {
  return count > 0 && bsearch(&key, keys, (size_t)count, sizeof *keys, by_key) != NULL;
}

static bool is_seed(const raster_array_reading *r, int64_t key) {
  const gv_raster_array *a = r->array;
  if (is_real(a->type) && !isfinite(real_of(key))) return false;
  if (has(r->excluded, a->excluded_count, key)) return false;
  return a->included != NULL ? has(r->included, a->included_count, key) : key != 0;
}

/* False if the number of a key is not whole, or too large. */
static bool to_whole(gv_dtype type, int64_t key, int64_t *value) {
  *value = key;
  if (!is_real(type)) return type != GV_UINT64 || key >= 0;
  double real = real_of(key);
  bool whole = real == rint(real) && fabs(real) < 0x1p53;
  *value = whole ? (int64_t)real : 0;
  return whole;
}

static gv_status make_keys(gv_context *context, gv_dtype type, const void *numbers, int64_t count,
                           int64_t **out) {
  size_t size = size_of(type);
  *out = gv_allocate(&context->allocator, count, sizeof **out);
  if (*out == NULL) return gv_fail_memory(context, "the values of seeds");
  for (int64_t i = 0; i < count; i++)
    (*out)[i] = key_of(type, (const uint8_t *)numbers + (size_t)i * size);
  if (count > 0) qsort(*out, (size_t)count, sizeof **out, by_key);
  return GV_OK;
}

/* --------------------------------------------------------------------------------------------------- rows */

static inline bool is_same(const uint8_t *a, const uint8_t *b, size_t size) {
  switch (size) {
  case 1:
    return *a == *b;
  case 2:
    return memcmp(a, b, 2) == 0;
  case 4:
    return memcmp(a, b, 4) == 0;
  default:
    return memcmp(a, b, 8) == 0;
  }
}

/* Where cells stop having the bytes of the one at `c`. */
static int64_t end_of_span(const uint8_t *row, int64_t stride, size_t size, int64_t c, int64_t width) {
  const uint8_t *here = row + c * stride;
  int64_t end = c + 1;
  if (stride != (int64_t)size) {
    while (end < width && is_same(row + end * stride, here, size))
      end++;
    return end;
  }
  /* Each is compared with the next. */
  const uint8_t *next = here + size;
  size_t bytes = (size_t)(width - end) * size, at = 0;
  for (; at + STRETCH <= bytes && memcmp(here + at, next + at, STRETCH) == 0; at += STRETCH) {
  }
  while (at < bytes && here[at] == next[at])
    at++;
  return end + (int64_t)(at / size);
}

/* Finds the spans of row i of the current rows. */
static void find_spans(raster_array_reading *r, int64_t i) {
  const gv_raster_array *a = r->array;
  const uint8_t *row = (const uint8_t *)a->data + (r->first + i) * a->row_stride;
  const uint8_t *mask = a->mask != NULL ? a->mask + (r->first + i) * a->mask_row_stride : NULL;
  int32_t *start = r->start + i * r->width;
  int64_t *value = r->value + i * r->width, n = 0;
  uint8_t *counts = r->counts + i * r->width;
  for (int64_t c = 0, end; c < r->width; c = end) {
    bool seed = true;
    int64_t whole = 0;
    end = end_of_span(row, a->column_stride, r->size, c, r->width);
    if (mask != NULL) {
      end = end_of_span(mask, a->mask_column_stride, 1, c, end);
      seed = (mask[c * a->mask_column_stride] != 0) == (a->mask_is_inverted == 0);
    }
    int64_t key = key_of_cell(a, row + c * a->column_stride);
    seed = seed && is_seed(r, key);
    if (seed && !to_whole(a->type, key, &whole)) {
      r->spans[i] = -1 - c;
      return;
    }
    if (n > 0 && counts[n - 1] == seed && value[n - 1] == whole) continue;
    start[n] = (int32_t)c;
    value[n] = whole;
    counts[n++] = seed;
  }
  r->spans[i] = n;
}

static gv_status find_some(gv_worker *worker, int64_t first, int64_t end) {
  raster_array_reading *r = worker->user;
  for (int64_t i = first; i < end; i++)
    find_spans(r, i);
  (void)gv_progress_add(&r->progress, (end - first) * r->width);
  return GV_OK;
}

static gv_status raster_array_fail(gv_context *context, const raster_array_reading *r, int64_t row,
                                   int64_t column, int64_t first) {
  const gv_raster_array *a = r->array;
  int64_t key =
      key_of_cell(a, (const uint8_t *)a->data + (r->first + row) * a->row_stride + column * a->column_stride);
  char number[32];
  snprintf(number, sizeof number, "%llu", (unsigned long long)key);
  for (int digits = 1; is_real(a->type) && digits <= 17; digits++) {
    snprintf(number, sizeof number, "%.*g", digits, real_of(key));
    double read = strtod(number, NULL);
    if (a->type == GV_FLOAT32 ? (float)read == (float)real_of(key) : read == real_of(key)) break;
  }
  return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                 "row %lld, column %lld: unsupported value (%s); expected integers",
                 (long long)(first + r->first + row), (long long)column, number);
}

/* Finds the spans of `rows` rows, and passes them on. */
static gv_status raster_array_read_some(gv_context *context, raster_array_reading *r, int64_t rows,
                                        int64_t first, gv_row_taker *take, void *user) {
  int threads = rows * r->width > ONE_THREAD ? context->threads : 1;
  gv_loop loop = {context, threads, rows, ROWS_AT_ONCE, &r->progress, r};
  GV_TRY(gv_parallel_for(&loop, find_some));
  for (int64_t i = 0; i < rows; i++) {
    if (r->spans[i] < 0) return raster_array_fail(context, r, i, -1 - r->spans[i], first);
    gv_row_spans row = {r->spans[i], r->start + i * r->width, r->value + i * r->width,
                        r->counts + i * r->width};
    GV_TRY(take(context, user, &row));
  }
  return GV_OK;
}

gv_status gv_raster_array_read(gv_context *context, const gv_raster_array *array, int64_t width,
                               int64_t first, gv_row_taker *take, void *user) {
  raster_array_reading r = {.array = array, .size = size_of(array->type), .width = width};
  if (array->data == NULL || r.size == 0 || array->included_count < 0 || array->excluded_count < 0 ||
      (array->included_count > 0 && array->included == NULL) ||
      (array->excluded_count > 0 && array->excluded == NULL)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "raster of seeds: missing cells or unknown type");
  }
  const gv_allocator *allocator = &context->allocator;
  int64_t most = CELLS_AT_ONCE / width > 1 ? CELLS_AT_ONCE / width : 1;
  if (most > array->rows) most = array->rows;
  gv_progress_init(&r.progress, context, array->rows * width);
  r.start = gv_allocate(allocator, most * width, sizeof *r.start);
  r.value = gv_allocate(allocator, most * width, sizeof *r.value);
  r.counts = gv_allocate(allocator, most * width, sizeof *r.counts);
  r.spans = gv_allocate(allocator, most, sizeof *r.spans);
  gv_status status = r.start != NULL && r.value != NULL && r.counts != NULL && r.spans != NULL
                         ? GV_OK
                         : gv_fail_memory(context, "the raster's seeds");
  if (status == GV_OK)
    status = make_keys(context, array->type, array->included, array->included_count, &r.included);
  if (status == GV_OK)
    status = make_keys(context, array->type, array->excluded, array->excluded_count, &r.excluded);
  for (; status == GV_OK && r.first < array->rows; r.first += most) {
    int64_t rows = array->rows - r.first < most ? array->rows - r.first : most;
    status = raster_array_read_some(context, &r, rows, first, take, user);
  }
  void *memory[] = {r.start, r.value, r.counts, r.spans, r.included, r.excluded};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
    gv_release(allocator, memory[i]);
  return status;
}
