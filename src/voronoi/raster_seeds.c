/*
 * Cells of a raster as seeds. Rows become spans of cells of one group; a cell is kept if it is at the edge of
 * its group, or if raster_proof.c cannot exclude that it is nearest. The cells to keep of a span are found
 * from the spans above and below it, so the work after the spans are found grows with their number, and so
 * does the memory: each span that is not kept whole has edges that are kept.
 */
#include "voronoi/raster_seeds.h"
#include "cells/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cells/bound.h"
#include "cells/raster_array.h"
#include "core/buffer.h"
#include "core/given.h"
#include "core/hash.h"
#include "exact/canonical.h"
#include "voronoi/raster_proof.h"

/* Spans of a row are the cells from `start` to the start of the next, or the end of the row. */
typedef struct raster_span {
  int32_t start, group; /* -1: no seeds */
} raster_span;

struct gv_raster_seeds {
  gv_allocator allocator;
  gv_grid raster;
  gv_metric metric;
  bool by_cell, finished;
  gv_raster_proof proof;
  int64_t rows;               /* rows added so far */
  gv_buffer spans, row_first; /* span; int64_t: each row's first, and the end */
  int64_t span_count;
  gv_buffer cell, group; /* of the seeds kept: int64_t, int32_t */
  int64_t count, cells;
  gv_buffer value; /* int64_t by group */
  int64_t groups;
  gv_hash group_of; /* values: their groups, from 1 */
  double *x, *y;    /* once finished */
  int64_t *first;
};

static gv_status raster_seeds_no_memory(gv_context *context) {
  return gv_fail_memory(context, "the raster's seeds");
}

static gv_status raster_seeds_check(gv_context *context, const gv_grid *g, gv_metric metric) {
  if (!gv_facts_of(g)->raster)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "raster of seeds: unsupported kind of grid (%d); use GV_GRID_PLANE, GV_GRID_LONLAT or "
                   "GV_GRID_PROJECTED",
                   (int)g->kind);
  if (g->level != GV_QTM_NONE)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "raster of seeds: unsupported QTM level (%d); use GV_QTM_NONE", g->level);
  if (g->width < 1 || g->height < 1 || g->width > INT32_MAX || g->height > INT32_MAX)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "raster of seeds: number of columns or rows out of range [1, %d] (%lld x %lld)", INT32_MAX,
                   (long long)g->width, (long long)g->height);
  for (int i = 0; i < 6; i++) {
    if (!isfinite(g->geotransform[i]))
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "geotransform: a coefficient is not finite");
  }
  if (gv_metric_name(metric) == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "metric: unknown number (%d)", (int)metric);
  if (gv_metric_of_searches(metric))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "metric %s is not supported for cells of rasters",
                   gv_metric_name(metric));
  return GV_OK;
}

gv_status gv_raster_seeds_create(gv_context *context, const gv_grid *raster,
                                 const gv_raster_seeds_options *options, gv_raster_seeds **out) {
  gv_grid g, query_grid;
  gv_grid_init(&g);
  gv_grid_init(&query_grid);
  gv_raster_seeds_options o;
  gv_raster_seeds_options_init(&o);
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (raster == NULL || out == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "raster or seeds: the pointer is NULL");
  GV_COPY_GIVEN(context, gv_grid, &g, raster);
  GV_COPY_GIVEN(context, gv_raster_seeds_options, &o, options);
  GV_COPY_GIVEN(context, gv_grid, &query_grid, o.query_grid);
  GV_TRY(raster_seeds_check(context, &g, o.metric));
  gv_raster_seeds *s = gv_allocate_zeroed(&context->allocator, 1, sizeof *s);
  if (s == NULL) return raster_seeds_no_memory(context);
  s->allocator = context->allocator;
  s->raster = g;
  s->metric = o.metric;
  s->by_cell = o.by_cell != 0;
  int64_t *row_first = gv_buffer_extend(&s->row_first, &s->allocator, g.height + 1, sizeof *row_first);
  /* For HEALPix and lists queries may be anywhere. */
  bool proves = o.query_grid != NULL && (query_grid.level != GV_QTM_NONE || !gv_grid_is_list(&query_grid));
  gv_status status = row_first != NULL ? GV_OK : raster_seeds_no_memory(context);
  if (status == GV_OK)
    status = gv_raster_proof_init(context, &g, proves ? &query_grid : NULL, o.metric, &s->proof);
  if (status != GV_OK) {
    gv_raster_seeds_destroy(s);
    return status;
  }
  if (o.keep_all) gv_raster_proof_forget(&s->proof, g.height);
  *out = s;
  return GV_OK;
}

void gv_raster_seeds_destroy(gv_raster_seeds *seeds) {
  if (seeds == NULL) return;
  gv_allocator allocator = seeds->allocator;
  gv_raster_proof_clear(&seeds->proof);
  gv_buffer *buffers[] = {&seeds->spans, &seeds->row_first, &seeds->cell, &seeds->group, &seeds->value};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
    gv_buffer_clear(buffers[i], &allocator);
  gv_release(&allocator, seeds->group_of.entries);
  gv_release(&allocator, seeds->x);
  gv_release(&allocator, seeds->y);
  gv_release(&allocator, seeds->first);
  gv_release(&allocator, seeds);
}

/* ------------------------------------------------------------------------------------------------- groups */

static gv_status enlarge(gv_context *context, gv_raster_seeds *s) {
  uint64_t wanted = gv_hash_wanted(&s->group_of);
  if (wanted == 0) return GV_OK;
  gv_hash_entry *entries = gv_allocate_zeroed(&s->allocator, (int64_t)wanted, sizeof *entries);
  if (entries == NULL) return raster_seeds_no_memory(context);
  gv_release(&s->allocator, gv_hash_move(&s->group_of, entries, wanted));
  return GV_OK;
}

/* The group of a value; groups are numbered in the order of their first cells. */
static gv_status find_group(gv_context *context, gv_raster_seeds *s, int64_t value, int32_t *out) {
  GV_TRY(enlarge(context, s));
  gv_hash_entry *entry = gv_hash_find(&s->group_of, (uint64_t)value);
  if (entry->value == 0) {
    if (s->groups == INT32_MAX)
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                     "raster of seeds: too many values; at most %d are supported", INT32_MAX);
    int64_t *values = gv_buffer_extend(&s->value, &s->allocator, s->groups + 1, sizeof *values);
    if (values == NULL) return raster_seeds_no_memory(context);
    values[s->groups++] = value;
    *entry = (gv_hash_entry){(uint64_t)value, s->groups};
    s->group_of.count++;
  }
  *out = (int32_t)(entry->value - 1);
  return GV_OK;
}

/* -------------------------------------------------------------------------------------------------- spans */

/* A row's spans. */
typedef struct line {
  const raster_span *spans;
  int64_t count, width;
} line;

static line line_of(const gv_raster_seeds *s, int64_t row) {
  const int64_t *first = s->row_first.memory;
  return (line){(const raster_span *)s->spans.memory + first[row], first[row + 1] - first[row],
                s->raster.width};
}

static int64_t line_end(const line *l, int64_t i) {
  return i + 1 < l->count ? l->spans[i + 1].start : l->width;
}

/* -------------------------------------------------------------------------------------------------- edges */

static gv_status keep(gv_context *context, gv_raster_seeds *s, int64_t row, int64_t from, int64_t to,
                      int32_t group) {
  int64_t count = s->count + (to > from ? to - from : 0);
  if (count == s->count) return GV_OK;
  if (count > INT32_MAX) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "raster of seeds: more than %d cells can be the nearest of a cell; use a coarser raster",
                   INT32_MAX);
  }
  int64_t *cells = gv_buffer_extend(&s->cell, &s->allocator, count, sizeof *cells);
  int32_t *groups = gv_buffer_extend(&s->group, &s->allocator, count, sizeof *groups);
  if (cells == NULL || groups == NULL) return raster_seeds_no_memory(context);
  for (int64_t c = from; c < to; c++) {
    cells[s->count] = row * s->raster.width + c;
    groups[s->count++] = group;
  }
  return GV_OK;
}

static gv_status keep_marked(gv_context *context, gv_raster_seeds *s, int64_t row, int64_t from, int64_t to,
                             int32_t group) {
  const uint8_t *has_query = s->proof.has_query;
  gv_status status = GV_OK;
  for (int64_t c = from; c < to && status == GV_OK; c++) {
    int64_t at = row * s->raster.width + c;
    if (at % 8 == 0 && has_query[at / 8] == 0) {
      c += 7;
    } else if ((has_query[at / 8] >> at % 8 & 1) != 0) {
      status = keep(context, s, row, c, c + 1, group);
    }
  }
  return status;
}

/* Keeps the cells within their group that have queries. */
static gv_status keep_with_queries(gv_context *context, gv_raster_seeds *s, int64_t row, int64_t from,
                                   int64_t to, int32_t group) {
  const gv_raster_proof *p = &s->proof;
  if (p->own || p->row[row] == 0) return GV_OK;
  if (p->has_query != NULL) return keep_marked(context, s, row, from, to, group);
  int64_t low = 0, high = p->columns;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (p->column[middle] < from) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (; low < p->columns && p->column[low] < to; low++)
    GV_TRY(keep(context, s, row, p->column[low], p->column[low] + 1, group));
  return GV_OK;
}

/* The next cells of a group in a neighboring row, within [*from, to): *from and *end are set to them. Cells
 * at an end are excluded if neighbors across corners count. False if there are none. *at: the span to start
 * at, never after the one that contains `to`. */
static bool next_within(const gv_raster_proof *proof, const line *l, int32_t group, int64_t *at,
                        int64_t *from, int64_t to, int64_t *end) {
  int64_t less = proof->corners ? 1 : 0;
  for (;; (*at)++) {
    int64_t first = l->spans[*at].start + less, last = line_end(l, *at) - less;
    if (first < *from) first = *from;
    if (last > to) last = to;
    if (l->spans[*at].group == group && first < last) {
      *from = first;
      *end = last;
      return true;
    }
    if (line_end(l, *at) > to || *at + 1 == l->count) return false;
  }
}

/* Adds the edges of the row's span `i` between two other rows; `above` and `below`: their spans to start at,
 * updated. */
static gv_status add_edges(gv_context *context, gv_raster_seeds *s, int64_t row, const line rows[3],
                           int64_t i, int64_t *above, int64_t *below) {
  const gv_raster_proof *proof = &s->proof;
  const line *l = &rows[1];
  int32_t group = l->spans[i].group;
  int64_t start = l->spans[i].start, end = line_end(l, i), done = start;
  bool joined_left = proof->wraps && start == 0 && l->spans[l->count - 1].group == group;
  bool joined_right = proof->wraps && end == l->width && l->spans[0].group == group;
  int64_t from = joined_left ? start : start + 1, to = joined_right ? end : end - 1, last;
  gv_status status = GV_OK;
  while (status == GV_OK && next_within(proof, &rows[0], group, above, &from, to, &last)) {
    int64_t inner = from, inner_end;
    while (status == GV_OK && next_within(proof, &rows[2], group, below, &inner, last, &inner_end)) {
      status = keep(context, s, row, done, inner, group);
      if (status == GV_OK) status = keep_with_queries(context, s, row, inner, inner_end, group);
      done = inner = inner_end;
    }
    from = last;
  }
  return status == GV_OK ? keep(context, s, row, done, end, group) : status;
}

/* Whether a row need not be kept because it and the adjacent rows are of one group. If all are, the last row
 * is kept, so that there is a seed. */
static bool is_left_out(const gv_raster_seeds *s, int64_t row) {
  line own = line_of(s, row);
  int64_t last = s->raster.height - 1;
  bool out = s->proof.whole != NULL && s->proof.whole[row] != 0 && own.spans[0].group >= 0;
  for (int64_t r = row > 0 ? row - 1 : 0; out && r <= row + 1 && r <= last; r++) {
    line l = line_of(s, r);
    out = l.count == 1 && l.spans[0].group == own.spans[0].group;
  }
  return out && (row < last || s->count > 0);
}

/* Adds the seeds to keep of a row, once the next row is read. */
static gv_status finish_row(gv_context *context, gv_raster_seeds *s, int64_t row) {
  line own = line_of(s, row);
  if (is_left_out(s, row)) return GV_OK;
  bool within = row > 0 && row + 1 < s->raster.height && s->proof.holds[row] != 0;
  gv_status status = GV_OK;
  line rows[3] = {own, own, own};
  int64_t above = 0, below = 0;
  if (within) rows[0] = line_of(s, row - 1), rows[2] = line_of(s, row + 1);
  for (int64_t i = 0; i < own.count && status == GV_OK; i++) {
    if (own.spans[i].group < 0) continue;
    status = within ? add_edges(context, s, row, rows, i, &above, &below)
                    : keep(context, s, row, own.spans[i].start, line_end(&own, i), own.spans[i].group);
  }
  return status;
}

/* After a row's spans. */
static gv_status end_row(gv_context *context, gv_raster_seeds *s) {
  int64_t *first = s->row_first.memory;
  first[++s->rows] = s->span_count;
  return s->rows > 1 ? finish_row(context, s, s->rows - 2) : GV_OK;
}

static gv_status no_row(gv_context *context) {
  return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                 "raster of seeds: the row is NULL, or more rows than its height");
}

/* Adds the cells of a row up to `end`, which follow those added before. The memory of the span is there. */
static gv_status append_span(gv_context *context, gv_raster_seeds *s, int64_t start, int64_t end,
                             bool is_seed, int64_t value) {
  raster_span *spans = s->spans.memory;
  int32_t group = -1;
  if (is_seed) {
    GV_TRY(find_group(context, s, value, &group));
    s->cells += end - start;
  }
  if (start > 0 && spans[s->span_count - 1].group == group) return GV_OK; /* they continue the span before */
  spans[s->span_count++] = (raster_span){(int32_t)start, group};
  return GV_OK;
}

static gv_status append_row(gv_context *context, void *seeds, const gv_row_spans *row) {
  gv_raster_seeds *s = seeds;
  if (gv_buffer_extend(&s->spans, &s->allocator, s->span_count + row->count, sizeof(raster_span)) == NULL)
    return raster_seeds_no_memory(context);
  for (int64_t i = 0; i < row->count; i++) {
    int64_t end = i + 1 < row->count ? row->start[i + 1] : s->raster.width;
    GV_TRY(append_span(context, s, row->start[i], end, row->counts == NULL || row->counts[i] != 0,
                       row->value[i]));
  }
  return end_row(context, s);
}

gv_status gv_raster_seeds_add_array(gv_context *context, gv_raster_seeds *seeds,
                                    const gv_raster_array *array) {
  gv_raster_array a;
  gv_raster_array_init(&a);
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (seeds == NULL || array == NULL) return no_row(context);
  GV_COPY_GIVEN(context, gv_raster_array, &a, array);
  if (a.rows < 0 || a.rows > seeds->raster.height - seeds->rows) return no_row(context);
  return gv_raster_array_read(context, &a, seeds->raster.width, seeds->rows, append_row, seeds);
}

/* Whether the spans of each row begin at column 0 and ascend within the row. */
static bool are_rows_of_spans(const gv_raster_spans *a, int64_t width) {
  for (int64_t r = 0; r < a->rows; r++) {
    int64_t first = a->first[r], end = a->first[r + 1];
    if (first < 0 || end <= first || a->start[first] != 0) return false;
    for (int64_t i = first + 1; i < end; i++)
      if (a->start[i] <= a->start[i - 1]) return false;
    if (a->start[end - 1] >= width) return false;
  }
  return true;
}

gv_status gv_raster_seeds_add_spans(gv_context *context, gv_raster_seeds *seeds,
                                    const gv_raster_spans *spans) {
  gv_raster_spans a;
  gv_raster_spans_init(&a);
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (seeds == NULL || spans == NULL) return no_row(context);
  GV_COPY_GIVEN(context, gv_raster_spans, &a, spans);
  if (a.rows < 0 || a.rows > seeds->raster.height - seeds->rows) return no_row(context);
  if (a.rows == 0) return GV_OK;
  if (a.first == NULL || a.start == NULL || a.value == NULL || !are_rows_of_spans(&a, seeds->raster.width))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "raster of seeds: invalid spans; those of a row begin at column 0 and ascend");
  for (int64_t r = 0; r < a.rows; r++) {
    int64_t first = a.first[r];
    gv_row_spans row = {a.first[r + 1] - first, a.start + first, a.value + first,
                        a.is_seed == NULL ? NULL : a.is_seed + first};
    GV_TRY(append_row(context, seeds, &row));
  }
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------ the end */

static int raster_seeds_by_value(const void *a, const void *b) {
  int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
  return p < q ? -1 : p > q;
}

/* Numbers groups by their values; `order`, for as many, becomes the new number of each. */
static void sort_groups(gv_raster_seeds *s, int32_t *order) {
  int64_t *values = s->value.memory;
  if (s->groups > 0) qsort(values, (size_t)s->groups, sizeof *values, raster_seeds_by_value);
  for (int64_t g = 0; g < s->groups; g++)
    order[gv_hash_find(&s->group_of, (uint64_t)values[g])->value - 1] = (int32_t)g;
}

/* Seeds by group, those of a group in the order they have. */
static gv_status sort_seeds(gv_context *context, gv_raster_seeds *s) {
  gv_buffer sorted = {NULL, 0};
  int64_t n = s->count, *from = s->cell.memory;
  int32_t *groups = s->group.memory;
  int64_t *to = gv_buffer_extend(&sorted, &s->allocator, n, sizeof *to);
  s->first = gv_allocate_zeroed(&s->allocator, s->groups + 2, sizeof *s->first);
  if (to == NULL || s->first == NULL) {
    gv_buffer_clear(&sorted, &s->allocator);
    return raster_seeds_no_memory(context);
  }
  int64_t *next = s->first + 1; /* one ahead while they are counted and placed */
  for (int64_t i = 0; i < n; i++)
    next[groups[i] + 1]++;
  for (int64_t g = 0; g < s->groups; g++)
    next[g + 1] += next[g];
  for (int64_t i = 0; i < n; i++)
    to[next[groups[i]]++] = from[i];
  for (int64_t g = 0; g < s->groups; g++) {
    for (int64_t i = s->first[g]; i < s->first[g + 1]; i++)
      groups[i] = (int32_t)g;
  }
  gv_buffer_clear(&s->cell, &s->allocator);
  s->cell = sorted;
  return GV_OK;
}

static gv_status raster_seeds_find_places(gv_context *context, gv_raster_seeds *s) {
  const double *g = s->raster.geotransform;
  const int64_t *cells = s->cell.memory;
  s->x = gv_allocate(&s->allocator, s->count, sizeof *s->x);
  s->y = gv_allocate(&s->allocator, s->count, sizeof *s->y);
  if (s->x == NULL || s->y == NULL) return raster_seeds_no_memory(context);
  for (int64_t i = 0; i < s->count; i++) {
    double column = (double)(cells[i] % s->raster.width) + 0.5,
           row = (double)(cells[i] / s->raster.width) + 0.5;
    s->x[i] = (g[0] + column * g[1]) + row * g[2];
    s->y[i] = (g[3] + column * g[4]) + row * g[5];
    if (gv_facts_of(&s->raster)->rows_are_parallels) s->y[i] = gv_row_latitude(g, row - 0.5);
  }
  return GV_OK;
}

gv_status gv_raster_seeds_finish(gv_context *context, gv_raster_seeds *seeds) {
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (seeds == NULL || seeds->finished || seeds->rows < seeds->raster.height)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "raster of seeds: missing rows");
  GV_TRY(finish_row(context, seeds, seeds->rows - 1));
  int32_t *order = gv_allocate(&seeds->allocator, seeds->groups, sizeof *order);
  gv_status status = GV_OK;
  if (order == NULL) status = raster_seeds_no_memory(context);
  if (status == GV_OK) {
    sort_groups(seeds, order);
    raster_span *spans = seeds->spans.memory;
    int32_t *groups = seeds->group.memory;
    for (int64_t i = 0; i < seeds->span_count; i++)
      if (spans[i].group >= 0) spans[i].group = order[spans[i].group];
    for (int64_t i = 0; i < seeds->count; i++)
      groups[i] = order[groups[i]];
    if (!seeds->by_cell) status = sort_seeds(context, seeds);
  }
  if (status == GV_OK) status = raster_seeds_find_places(context, seeds);
  gv_release(&seeds->allocator, order);
  seeds->finished = status == GV_OK;
  return status;
}

const gv_grid *gv_raster_seeds_grid(const gv_raster_seeds *seeds, gv_metric *metric) {
  *metric = seeds->metric;
  return &seeds->raster;
}

bool gv_raster_seeds_finished(const gv_raster_seeds *seeds) {
  return seeds->finished;
}

gv_status gv_raster_seeds_get(gv_context *context, const gv_raster_seeds *seeds, gv_raster_seed_list *out) {
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (seeds == NULL || out == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "raster of seeds: the seeds or the output pointer is NULL");
  const gv_raster_seeds *s = seeds;
  gv_raster_seed_list list = {sizeof list,     s->count,        s->x,        s->y,
                              s->cell.memory,  s->group.memory, s->cells,    s->groups,
                              s->value.memory, s->first,        s->proof.own};
  if (!s->finished) {
    list.cell = list.value = NULL;
    list.group = NULL;
  }
  if (gv_fill_given(out, &list, sizeof list)) return GV_OK;
  return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                 "gv_raster_seed_list: struct_size is not set; call gv_raster_seed_list_init");
}

/* The span that holds a column. */
static int64_t span_at(const line *l, int64_t column) {
  int64_t low = 0, high = l->count;
  while (high - low > 1) {
    int64_t middle = (low + high) / 2;
    if (l->spans[middle].start <= column) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

static void raster_seeds_fill_row(const line *l, int64_t column, int64_t width, int32_t *group) {
  int64_t i = span_at(l, column);
  for (int64_t c = 0; c < width; i++) {
    int64_t end = line_end(l, i) - column;
    for (int32_t here = l->spans[i].group; c < end && c < width; c++)
      group[c] = here;
  }
}

static bool is_rectangle(const gv_raster_seeds *seeds, int64_t column, int64_t row, int64_t width,
                         int64_t height) {
  return seeds != NULL && seeds->finished && column >= 0 && row >= 0 && width >= 1 && height >= 1 &&
         width <= seeds->raster.width - column && height <= seeds->raster.height - row;
}

gv_status gv_raster_seeds_groups(gv_context *context, const gv_raster_seeds *seeds, int64_t column,
                                 int64_t row, int64_t width, int64_t height, int32_t *group, int64_t stride) {
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (group == NULL || stride < width || !is_rectangle(seeds, column, row, width, height)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "raster of seeds: the rectangle is out of range, or the output pointer is NULL");
  }
  for (int64_t r = 0; r < height; r++) {
    line l = line_of(seeds, row + r);
    raster_seeds_fill_row(&l, column, width, group + r * stride);
  }
  return GV_OK;
}

int gv_raster_seeds_is_uniform(const gv_raster_seeds *seeds, int64_t column, int64_t row, int64_t width,
                               int64_t height, int32_t *group) {
  if (group == NULL || !is_rectangle(seeds, column, row, width, height)) return 0;
  for (int64_t r = 0; r < height; r++) {
    line l = line_of(seeds, row + r);
    int64_t i = span_at(&l, column);
    if (r == 0) *group = l.spans[i].group;
    if (l.spans[i].group != *group || line_end(&l, i) < column + width) return 0;
  }
  return 1;
}
