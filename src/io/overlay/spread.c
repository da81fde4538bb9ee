/* Blocks of cells of a grid that is parallel to the raster: rows of pixels shared among spans of columns, then among rows of
 * cells. */
#include <stdlib.h>
#include <string.h>

#include "io/overlay/overlay.h"

enum { MAX_RANGES = 8 /* spans of source columns read for one block */ };

/* Source columns read for a block: spans, and where each span's values begin. */
typedef struct ranges {
  int64_t first[MAX_RANGES], end[MAX_RANGES], at[MAX_RANGES];
  int count;
  int64_t width; /* of all together */
} ranges;

static void find_ranges(const gv_axis *a, int64_t from, int64_t to, ranges *out) {
  out->count = 0;
  for (int64_t i = from; i < to; i++) {
    int64_t p = a->pixel[i];
    int k = out->count - 1;
    if (k >= 0 && p >= out->first[k] - 1 && p <= out->end[k]) {
      if (p < out->first[k]) out->first[k] = p;
      if (p >= out->end[k]) out->end[k] = p + 1;
    } else if (out->count < MAX_RANGES) {
      out->first[out->count] = p;
      out->end[out->count++] = p + 1;
    } else {
      if (p < out->first[k]) out->first[k] = p;
      if (p >= out->end[k]) out->end[k] = p + 1;
    }
  }
  out->width = 0;
  for (int k = 0; k < out->count; k++) {
    out->at[k] = out->width;
    out->width += out->end[k] - out->first[k];
  }
}

static int64_t place(const ranges *r, int64_t pixel) {
  int k = 0;
  while (k + 1 < r->count && (pixel < r->first[k] || pixel >= r->end[k]))
    k++;
  return r->at[k] + (pixel - r->first[k]);
}

/* Rows [row, row + count) of the ranges' pixels, each row `width` values. */
static gv_status read_ranges(gv_io *io, const gv_overlay *o, int worker, gv_overlay_worker *b, const ranges *r,
                             int64_t row, int64_t count) {
  if (r->count == 1)
    return gv_raster_in_values(io, &o->raster, worker, r->first[0], row, r->width, count, b->pixels, b->valid);
  gv_status status = GV_OK;
  for (int64_t i = 0; i < count; i++) {
    for (int k = 0; k < r->count && status == GV_OK; k++)
      status = gv_raster_in_values(io, &o->raster, worker, r->first[k], row + i, r->end[k] - r->first[k], 1,
                                   b->pixels + i * r->width + r->at[k], b->valid);
  }
  return status;
}

/* The cells of a block being made of rows of pixels. */
typedef struct spread {
  const gv_overlay *o;
  gv_overlay_worker *b;
  const ranges *ranges;
  int worker;
  int32_t spans;
  int64_t parts;        /* of pixels, in them */
  int64_t rows;         /* of pixels, read at once */
  int64_t first, end;   /* those in b->pixels */
  bool up;              /* rows of pixels descend as rows of cells ascend */
  int64_t collapsed[2]; /* whose row is in each half of b->collapsed; -1: none */
} spread;

/* The pixels of the spans, turn by turn: the first of all spans in their order, then the second of those that have one, and so
 * on. */
static gv_status find_places(gv_io *io, spread *s, int64_t x) {
  const gv_axis *a = &s->o->x;
  gv_overlay_worker *b = s->b;
  int64_t count = 0, more = s->spans;
  for (int32_t i = 0; i < s->spans; i++) {
    int64_t c = x + b->first[i], n = a->start[c + 1] - a->start[c];
    count += n > 1 ? n : 1;
  }
  if (count > b->part_capacity) {
    free(b->parts);
    b->parts = malloc((size_t)count * sizeof *b->parts);
    b->part_capacity = b->parts != NULL ? count : 0;
    if (b->parts == NULL) return gv_overlay_no_memory(io);
  }
  s->parts = 0;
  for (int64_t turn = 0; more > 0; turn++) {
    more = 0;
    for (int32_t i = 0; i < s->spans; i++) {
      int64_t c = x + b->first[i], n = a->start[c + 1] - a->start[c], e = a->start[c] + turn;
      if (turn < n) {
        b->parts[s->parts++] = (gv_pixel_part){a->share[e], (int32_t)place(s->ranges, a->pixel[e]), i};
      } else if (turn == 0) {
        b->parts[s->parts++] = (gv_pixel_part){0.0, 0, i};
      }
      more += turn + 1 < n;
    }
  }
  return GV_OK;
}

/* A row of pixels, shared among the spans. */
static gv_status collapse(gv_io *io, spread *s, int64_t pixel_row, const double **out) {
  gv_overlay_worker *b = s->b;
  double *to = b->collapsed + (pixel_row % 2 == 0 ? 0 : s->spans);
  *out = to;
  if (s->collapsed[pixel_row % 2] == pixel_row) return GV_OK;
  if (pixel_row < s->first || pixel_row >= s->end) {
    int64_t height = s->o->raster.height;
    s->first = !s->up ? pixel_row : pixel_row + 1 > s->rows ? pixel_row + 1 - s->rows : 0;
    s->end = s->first + s->rows < height ? s->first + s->rows : height;
    gv_status status = read_ranges(io, s->o, s->worker, b, s->ranges, s->first, s->end - s->first);
    if (status != GV_OK) return status;
  }
  const double *row = b->pixels + (pixel_row - s->first) * s->ranges->width;
  int64_t i = 0;
  for (; i < s->spans; i++)
    to[i] = row[b->parts[i].place] * b->parts[i].share;
  for (; i < s->parts; i++)
    to[b->parts[i].span] += row[b->parts[i].place] * b->parts[i].share;
  s->collapsed[pixel_row % 2] = pixel_row;
  return GV_OK;
}

/* The values of a row of cells: each row of pixels gives its share. */
static gv_status spread_rows(gv_io *io, spread *s, int64_t cell, double *to) {
  const gv_axis *d = &s->o->y;
  for (int64_t e = d->start[cell]; e < d->start[cell + 1]; e++) {
    const double *row;
    double share = d->share[e];
    gv_status status = collapse(io, s, d->pixel[e], &row);
    if (status != GV_OK) return status;
    if (e == d->start[cell]) {
      for (int32_t i = 0; i < s->spans; i++)
        to[i] = share * row[i];
    } else {
      for (int32_t i = 0; i < s->spans; i++)
        to[i] += share * row[i];
    }
  }
  if (d->start[cell] == d->start[cell + 1]) memset(to, 0, (size_t)s->spans * sizeof *to);
  return GV_OK;
}

/* True if there is nothing in the pixels, or in all that are known to be 0. */
static bool is_empty(const gv_overlay *o, const ranges *r, const int64_t rows[2]) {
  bool empty = true;
  for (int k = 0; k < r->count && empty && rows[0] < rows[1]; k++)
    empty = gv_raster_in_is_empty(&o->raster, r->first[k], rows[0], r->end[k] - r->first[k], rows[1] - rows[0]);
  return empty;
}

/* True if cell `cell` of an axis is a whole pixel, `pixel`. */
static bool is_pixel(const gv_axis *a, int64_t cell, int64_t pixel) {
  int64_t e = a->start[cell];
  return a->start[cell + 1] == e + 1 && a->pixel[e] == pixel && a->share[e] == 1.0;
}

/* True if cells [from, to) of an axis are whole pixels, one after the other. */
static bool are_pixels(const gv_axis *a, int64_t from, int64_t to) {
  int64_t first = a->pixel[a->start[from]];
  bool good = true;
  for (int64_t i = from; i < to && good; i++)
    good = is_pixel(a, i, first + i - from);
  return good;
}

gv_status gv_overlay_cells_parallel(gv_io *io, const gv_overlay *o, int worker, int64_t x, int64_t y, int64_t w,
                                    int64_t h, gv_quantity *out) {
  gv_overlay_worker *b = &o->of_worker[worker];
  const gv_axis *a = &o->x, *d = &o->y;
  ranges r;
  find_ranges(a, a->start[x], a->start[x + w], &r);
  int64_t down[2];
  gv_axis_pixels(d, y, y + h, down);
  int64_t rows = r.width > 0 ? o->at_once / r.width : 1;
  rows = rows < 1 ? 1 : rows > down[1] - down[0] ? down[1] - down[0] : rows;
  gv_status status = gv_overlay_worker_grow(io, b, w * h, 2 * w + h, rows * r.width);
  if (status != GV_OK) return status;
  int32_t spans = 0, different = 0, *first_row = b->first + w;
  if (is_empty(o, &r, down)) {
    b->values[0] = 0.0;
    b->first[0] = first_row[0] = 0;
    *out = (gv_quantity){b->values, b->first, 1, 1, first_row, 1};
    return GV_OK;
  }
  for (int64_t c = 0; c < w; c++) {
    if (c == 0 || !o->same[x + c]) b->first[spans++] = (int32_t)c;
  }
  for (int64_t i = 0; i < h; i++) {
    if (i == 0 || !o->same_row[y + i]) first_row[different++] = (int32_t)i;
  }
  spread s = {.o = o, .b = b, .ranges = &r, .worker = worker, .spans = spans, .rows = rows, .collapsed = {-1, -1}};
  s.up = d->pixel[d->start[y]] > d->pixel[d->start[y + h] - 1];
  if (rows == h && are_pixels(a, x, x + w) && are_pixels(d, y, y + h)) {
    *out = (gv_quantity){b->pixels, NULL, (int32_t)w, w, NULL, 0};
    return read_ranges(io, o, worker, b, &r, down[0], h);
  }
  status = find_places(io, &s, x);
  for (int32_t k = 0; k < different && status == GV_OK; k++)
    status = spread_rows(io, &s, y + first_row[k], b->values + (int64_t)k * spans);
  *out = (gv_quantity){b->values, spans < w ? b->first : NULL, spans, spans, first_row, different};
  return status;
}
