/*
 * A line or the ring of a polygon touches a cell if it runs through its interior. A line along the border of
 * two cells is counted to the right or lower one, as a point is; a ring is not, so that a polygon of whole
 * cells touches these only. A polygon contains a cell that has its center, by the even-odd rule.
 */
#include "cost/touch.h"

#include <stdlib.h>

#include "cost/raster.h"

enum { FIRST_ROOM = 64 };

/* Where a ring crosses the line through the centers of a row. */
typedef struct touch_crossing {
  int64_t row;
  double column;
} touch_crossing;

typedef struct touch_state {
  gv_context *context;
  gv_cost *cost;
  gv_cost_starts *starts;
  bool *starts_here;
  int32_t seed;
  bool polygon;
  double shift; /* columns: the turn of the globe that is tried */
  touch_crossing *crossings;
  int64_t count, room;
} touch_state;

static gv_status touch_cells(touch_state *s, int64_t row, double first, double last) {
  const double end = (double)s->cost->is.width;
  if (!(last >= 0.0 && first < end)) return GV_OK;
  const int64_t from = first > 0.0 ? (int64_t)first : 0,
                to = last < end ? (int64_t)last : s->cost->is.width - 1;
  for (int64_t column = from; column <= to; column++)
    GV_TRY(gv_cost_start_at(s->context, s->cost, column, row, s->seed, s->starts, s->starts_here));
  return GV_OK;
}

/* Cells with their interior on an edge from a to b, columns and rows with fractions, a[1] <= b[1]. */
static gv_status touch_edge(touch_state *s, const double a[2], const double b[2]) {
  const double height = (double)s->cost->is.height;
  const bool along_row = a[1] == b[1], along_column = a[0] == b[0];
  if (s->polygon && ((along_row && a[1] == floor(a[1])) || (along_column && a[0] == floor(a[0]))))
    return GV_OK;
  double first = floor(a[1]), last = along_row ? first : ceil(b[1]) - 1.0;
  if (along_row && first == height) first = last = height - 1.0;
  if (first < 0.0) first = 0.0;
  if (last > height - 1.0) last = height - 1.0;
  for (double row = first; row <= last; row += 1.0) {
    double low = a[0], high = b[0];
    if (!along_row && !along_column) {
      const double slope = (b[0] - a[0]) / (b[1] - a[1]);
      if (row > a[1]) low = a[0] + (row - a[1]) * slope;
      if (row + 1.0 < b[1]) high = a[0] + (row + 1.0 - a[1]) * slope;
    }
    if (low > high) {
      const double swapped = low;
      low = high;
      high = swapped;
    }
    double from = floor(low), to = ceil(high) - 1.0;
    if (along_column && from == (double)s->cost->is.width) from -= 1.0;
    GV_TRY(touch_cells(s, (int64_t)row, from, to > from ? to : from));
  }
  return GV_OK;
}

static gv_status touch_cross(touch_state *s, const double a[2], const double b[2]) {
  const double height = (double)s->cost->is.height;
  double row = ceil(a[1] - 0.5);
  for (row = row > 0.0 ? row : 0.0; row < height && row + 0.5 < b[1]; row += 1.0) {
    if (s->count == s->room) {
      const int64_t room = s->room > 0 ? 2 * s->room : FIRST_ROOM;
      touch_crossing *more = gv_allocate(&s->cost->allocator, room, sizeof *more);
      if (more == NULL) return gv_fail_memory(s->context, "the starts of travel cost");
      for (int64_t i = 0; i < s->count; i++)
        more[i] = s->crossings[i];
      gv_release(&s->cost->allocator, s->crossings);
      s->crossings = more;
      s->room = room;
    }
    const double column = a[0] + (row + 0.5 - a[1]) * ((b[0] - a[0]) / (b[1] - a[1]));
    s->crossings[s->count++] = (touch_crossing){(int64_t)row, column};
  }
  return GV_OK;
}

static int touch_compare(const void *a, const void *b) {
  const touch_crossing *p = a, *q = b;
  if (p->row != q->row) return p->row < q->row ? -1 : 1;
  return p->column < q->column ? -1 : p->column > q->column;
}

/* Cells with their center between the crossings. */
static gv_status touch_inside(touch_state *s) {
  if (s->count > 0) qsort(s->crossings, (size_t)s->count, sizeof *s->crossings, touch_compare);
  for (int64_t i = 0; i + 1 < s->count; i += 2) {
    const double first = ceil(s->crossings[i].column - 0.5),
                 last = ceil(s->crossings[i + 1].column - 0.5) - 1.0;
    if (last >= first) GV_TRY(touch_cells(s, s->crossings[i].row, first, last));
  }
  return GV_OK;
}

static gv_status touch_ring(touch_state *s, const gv_features *f, int64_t ring) {
  for (int64_t v = f->vertex[ring]; v + 1 < f->vertex[ring + 1]; v++) {
    double p[2], q[2];
    gv_cost_place(&s->cost->is, f->x[v], f->y[v], p);
    gv_cost_place(&s->cost->is, f->x[v + 1], f->y[v + 1], q);
    p[0] += s->shift;
    q[0] += s->shift;
    const bool down = p[1] <= q[1];
    GV_TRY(touch_edge(s, down ? p : q, down ? q : p));
    if (s->polygon && p[1] != q[1]) GV_TRY(touch_cross(s, down ? p : q, down ? q : p));
  }
  return GV_OK;
}

/* On the globe, each turn that meets the raster. */
static gv_status touch_part(touch_state *s, const gv_features *f, int64_t part) {
  const int64_t first = f->vertex[f->ring[part]], end = f->vertex[f->ring[part + 1]];
  double low = (double)INFINITY, high = -(double)INFINITY, turn = 0.0, from = 0.0, to = 0.0;
  for (int64_t v = first; v < end; v++) {
    double p[2];
    gv_cost_place(&s->cost->is, f->x[v], f->y[v], p);
    low = fmin(low, p[0]);
    high = fmax(high, p[0]);
  }
  if (s->cost->is.metric != GV_EUCLIDEAN) {
    turn = 360.0 / fabs(s->cost->is.geotransform[1]);
    from = ceil(-high / turn);
    to = floor(((double)s->cost->is.width - low) / turn);
  }
  for (double i = from; i <= to; i += 1.0) {
    s->shift = i * turn;
    s->count = 0;
    for (int64_t ring = f->ring[part]; ring < f->ring[part + 1]; ring++)
      GV_TRY(touch_ring(s, f, ring));
    GV_TRY(touch_inside(s));
  }
  return GV_OK;
}

gv_status gv_cost_touch(gv_context *context, gv_cost *c, const gv_features *f, int32_t feature,
                        gv_cost_starts *starts, bool *starts_here) {
  touch_state s = {
      .context = context, .cost = c, .starts = starts, .starts_here = starts_here, .seed = feature};
  gv_status status = GV_OK;
  *starts_here = false;
  for (int64_t part = f->part[feature]; part < f->part[feature + 1] && status == GV_OK; part++) {
    s.polygon = f->kind[part] == GV_PART_POLYGON;
    if (f->kind[part] != GV_PART_POINTS) {
      status = touch_part(&s, f, part);
      continue;
    }
    for (int64_t v = f->vertex[f->ring[part]]; v < f->vertex[f->ring[part + 1]] && status == GV_OK; v++) {
      bool here;
      status = gv_cost_start(context, c, f->x[v], f->y[v], feature, starts, &here);
      *starts_here |= here;
    }
  }
  gv_release(&c->allocator, s.crossings);
  return status;
}
