/* Rings unrolled, closed at the poles, and cut into strips of 360 degrees. */
#include "diagram/pieces.h"

#include <math.h>
#include <string.h>

gv_status gv_pieces_begin(gv_context *context, gv_pieces *p) {
  int64_t *first = gv_buffer_extend(&p->first_buffer, &context->allocator, p->count + 2, sizeof *first);
  if (first == NULL) return gv_fail_memory(context, "the cells");
  p->first = first;
  first[p->count++] = p->points;
  first[p->count] = p->points;
  return GV_OK;
}

/* Room for a number of points in all. */
static gv_status pieces_reserve(gv_context *context, gv_pieces *p, int64_t points) {
  double *east = gv_buffer_extend(&p->x_buffer, &context->allocator, points, sizeof *east);
  if (east != NULL) p->x = east;
  double *north = gv_buffer_extend(&p->y_buffer, &context->allocator, points, sizeof *north);
  if (north != NULL) p->y = north;
  return east != NULL && north != NULL ? GV_OK : gv_fail_memory(context, "the cells");
}

gv_status gv_pieces_add(gv_context *context, gv_pieces *p, double x, double y) {
  GV_TRY(pieces_reserve(context, p, p->points + 1));
  p->x[p->points] = x;
  p->y[p->points++] = y;
  p->first[p->count] = p->points;
  return GV_OK;
}

void gv_pieces_clear(const gv_allocator *allocator, gv_pieces *p) {
  gv_buffer *const all[] = {&p->x_buffer,    &p->y_buffer,     &p->first_buffer,
                            &p->ring.buffer, &p->strip.buffer, &p->half.buffer};
  for (int i = 0; i < 6; i++)
    gv_buffer_clear(all[i], allocator);
}

void gv_pieces_free(gv_context *context, gv_pieces *p) {
  gv_pieces_clear(&context->allocator, p);
}

static gv_status ring_add(gv_context *context, gv_turned_ring *ring, double x, double y, int turns) {
  ring->points = gv_buffer_extend(&ring->buffer, &context->allocator, ring->count + 1, sizeof *ring->points);
  if (ring->points == NULL) return gv_fail_memory(context, "the cells");
  ring->points[ring->count++] = (gv_turned_point){x, y, turns};
  return GV_OK;
}

/* ---------------------------------------------------------------------------------------------- unrolling */

/* Number of turns by which a step from one longitude to another passes 180 degrees: the shorter way, or along
 * a pole the one with the cell on the left. */
static int ring_turn(double from, double to, double pole) {
  double way = to - from;
  int turn = way > 180.0 ? -1 : way < -180.0 ? 1 : 0;
  way += 360.0 * turn;
  if (pole > 0.0 && way > 0.0) turn--;
  if (pole < 0.0 && way < 0.0) turn++;
  return turn;
}

static gv_status ring_step(gv_context *context, gv_turned_ring *ring, double x, double y, double pole) {
  const gv_turned_point *last = ring->count > 0 ? &ring->points[ring->count - 1] : NULL;
  int turns = last != NULL ? last->turns + ring_turn(last->x, x, pole) : 0;
  return ring_add(context, ring, x, y, turns);
}

/* A step of exactly half a turn leads through a pole. */
static bool ring_through_pole(const gv_turned_ring *ring, double x) {
  return ring->count > 0 && fabs(fabs(x - ring->points[ring->count - 1].x) - 180.0) < 1e-9;
}

/* A point of the globe: a pole is left along the meridian of the point after it. */
static gv_status ring_put(gv_context *context, gv_turned_ring *ring, double x, double y, double next) {
  if (fabs(y) == 90.0) {
    double last = ring->count > 0 ? ring->points[ring->count - 1].x : next;
    GV_TRY(ring_step(context, ring, last, y, 0.0));
    return ring_step(context, ring, next, y, y);
  }
  if (ring_through_pole(ring, x)) {
    double pole = copysign(90.0, y), last = ring->points[ring->count - 1].x;
    GV_TRY(ring_step(context, ring, last, pole, 0.0));
    GV_TRY(ring_step(context, ring, x, pole, pole));
  }
  return ring_step(context, ring, x, y, 0.0);
}

/* A position in a cell's ring: an entry of its edges, and a point of that edge. */
typedef struct ring_place {
  int64_t entry, point;
} ring_place;

static void ring_read(const gv_diagram_parts *p, ring_place at, double *x, double *y, int64_t *count) {
  int64_t ring = p->ring[at.entry], edge = gv_ring_edge(ring);
  int64_t first = p->line[edge], last = p->line[edge + 1] - 1,
          point = ring < 0 ? last - at.point : first + at.point;
  *x = p->line_x[point];
  *y = p->line_y[point];
  *count = last - first; /* without the last one, with which the next edge begins */
}

static ring_place ring_next(const gv_diagram_parts *p, int64_t seed, ring_place at) {
  double x, y;
  int64_t count;
  ring_read(p, at, &x, &y, &count);
  if (++at.point < count) return at;
  at.point = 0;
  if (++at.entry == p->cell[seed + 1]) at.entry = p->cell[seed];
  return at;
}

/* The ring of a cell, starting and ending at a point that is not a pole. */
static gv_status ring_unroll(gv_context *context, const gv_diagram_parts *p, int64_t seed,
                             gv_turned_ring *ring) {
  ring_place start = {p->cell[seed], 0}, first = start;
  double x, y, next_x = 0.0, next_y = 0.0;
  int64_t count;
  ring->count = 0;
  for (ring_read(p, start, &x, &y, &count); fabs(y) == 90.0; ring_read(p, start, &x, &y, &count)) {
    start = ring_next(p, seed, start);
    if (start.entry == first.entry && start.point == first.point) return GV_OK; /* nothing but poles */
  }
  ring_place at = start;
  do {
    ring_read(p, at, &x, &y, &count);
    at = ring_next(p, seed, at);
    ring_read(p, at, &next_x, &next_y, &count);
    GV_TRY(ring_put(context, ring, x, y, next_x));
  } while (at.entry != start.entry || at.point != start.point);
  return ring_put(context, ring, next_x, next_y, next_x);
}

/* ------------------------------------------------------------------------------------------------ cutting */

/* On which side of the meridian 180 + 360 m degrees a point is: -1 west, 0 on it, 1 east. */
static int ring_side(const gv_turned_point *p, int m) {
  return p->turns > m ? 1 : p->turns == m && p->x == 180.0 ? 0 : -1;
}

/* The latitude where the line from a point west of that meridian to one east of it crosses. */
static double ring_crossing(const gv_turned_point *west, const gv_turned_point *east, int m) {
  double before = (180.0 - west->x) + 360.0 * (m - west->turns),
         after = (east->x + 180.0) + 360.0 * (east->turns - m - 1);
  return west->y + (east->y - west->y) * (before / (before + after));
}

/* The parts of a closed ring on one side (-1 west, 1 east) of the meridian. */
static gv_status ring_clip(gv_context *context, const gv_turned_ring *ring, int m, int side,
                           gv_turned_ring *out) {
  out->count = 0;
  for (int64_t i = 0; i < ring->count; i++) {
    const gv_turned_point *a = &ring->points[i], *b = &ring->points[i + 1 < ring->count ? i + 1 : 0];
    int from = ring_side(a, m) * side, to = ring_side(b, m) * side;
    if (from >= 0) GV_TRY(ring_add(context, out, a->x, a->y, a->turns));
    if (from * to < 0) {
      const gv_turned_point *west = from * side < 0 ? a : b, *east = west == a ? b : a;
      GV_TRY(ring_add(context, out, 180.0, ring_crossing(west, east, m), m));
    }
  }
  return GV_OK;
}

/* A closed ring as a piece, unless it has no area. Points at the strip's western end are at -180. */
static gv_status pieces_add_ring(gv_context *context, gv_pieces *out, const gv_turned_ring *ring, int strip) {
  int64_t kept = 0;
  bool wide = false;
  for (int64_t i = 0; i < ring->count; i++) {
    const gv_turned_point *p = &ring->points[i], *first = &ring->points[0];
    wide = wide || (p->x - first->x) + 360.0 * (p->turns - first->turns) != 0.0;
  }
  if (ring->count < 3 || !wide) return GV_OK;
  GV_TRY(gv_pieces_begin(context, out));
  for (int64_t i = 0; i <= ring->count; i++) {
    const gv_turned_point *p = &ring->points[i < ring->count ? i : 0];
    double x = p->turns < strip ? -180.0 : p->x;
    bool same = kept > 0 && out->x[out->points - 1] == x && out->y[out->points - 1] == p->y;
    if (same) continue;
    GV_TRY(gv_pieces_add(context, out, x, p->y));
    kept++;
  }
  if (kept >= 4) return GV_OK;
  out->points -= kept; /* no area */
  out->first[--out->count] = out->points;
  return GV_OK;
}

/* A ring around a pole, closed: it begins where it crosses 180 degrees, and leads back along the pole. */
static gv_status ring_close_at_pole(gv_context *context, gv_turned_ring *ring, gv_turned_ring *out) {
  int64_t last = ring->count - 1, start = -1;
  int turns = ring->points[last].turns - ring->points[0].turns;
  double pole = turns > 0 ? 90.0 : -90.0;
  for (int64_t i = 0; i < last && start < 0; i++)
    if (ring->points[i + 1].turns != ring->points[i].turns) start = i;
  if (start < 0) return gv_fail(context, GV_ERROR_INTERNAL, "cell around a pole: no crossing of 180 degrees");
  const gv_turned_point *a = &ring->points[start], *b = &ring->points[start + 1];
  int m = a->turns < b->turns ? a->turns : b->turns;
  double y = a->turns < b->turns ? ring_crossing(a, b, m) : ring_crossing(b, a, m);
  out->count = 0;
  GV_TRY(ring_add(context, out, 180.0, y, m));
  for (int64_t i = 0; i < last; i++) {
    const gv_turned_point *p = &ring->points[(start + 1 + i) % last];
    GV_TRY(ring_add(context, out, p->x, p->y, p->turns + (start + 1 + i >= last ? turns : 0)));
  }
  GV_TRY(ring_add(context, out, 180.0, y, m + turns));
  GV_TRY(ring_add(context, out, 180.0, pole, m + turns));
  return ring_add(context, out, 180.0, pole, m);
}

static gv_status pieces_cut(gv_context *context, gv_pieces *out) {
  gv_turned_ring *ring = &out->ring, *closed = ring;
  int64_t last = ring->count - 1;
  if (last < 2) return GV_OK;
  if (ring->points[last].turns != ring->points[0].turns) {
    GV_TRY(ring_close_at_pole(context, ring, &out->half));
    gv_turned_ring other = *ring;
    *ring = out->half;
    out->half = other;
  } else {
    ring->count = last;
  }
  int low = closed->points[0].turns, high = low;
  for (int64_t i = 0; i < closed->count; i++) {
    const gv_turned_point *p = &closed->points[i];
    low = p->turns < low ? p->turns : low;
    high = p->turns > high ? p->turns : high;
  }
  for (int strip = low; strip <= high + 1; strip++) {
    GV_TRY(ring_clip(context, closed, strip, -1, &out->strip));
    GV_TRY(ring_clip(context, &out->strip, strip - 1, 1, &out->half));
    GV_TRY(pieces_add_ring(context, out, &out->half, strip));
  }
  return GV_OK;
}

/* ----------------------------------------------------------------------------------------------- together */

static gv_status pieces_whole_globe(gv_context *context, gv_pieces *out) {
  static const double corner[5][2] = {
      {-180.0, -90.0}, {180.0, -90.0}, {180.0, 90.0}, {-180.0, 90.0}, {-180.0, -90.0}};
  GV_TRY(gv_pieces_begin(context, out));
  for (int i = 0; i < 5; i++)
    GV_TRY(gv_pieces_add(context, out, corner[i][0], corner[i][1]));
  return GV_OK;
}

/* A cell's ring of coordinates, closed. */
static gv_status pieces_copy(gv_context *context, const gv_diagram_parts *p, int64_t seed, gv_pieces *out) {
  int64_t room = 1;
  for (int64_t i = p->cell[seed]; i < p->cell[seed + 1]; i++) {
    int64_t edge = gv_ring_edge(p->ring[i]);
    room += p->line[edge + 1] - p->line[edge] - 1;
  }
  GV_TRY(gv_pieces_begin(context, out));
  GV_TRY(pieces_reserve(context, out, out->points + room));
  double *x = out->x + out->points, *y = out->y + out->points;
  int64_t count = 0;
  for (int64_t i = p->cell[seed]; i < p->cell[seed + 1]; i++) {
    int64_t ring = p->ring[i], edge = gv_ring_edge(ring), step = ring < 0 ? -1 : 1;
    int64_t number = p->line[edge + 1] - p->line[edge] - 1, from = p->line[edge] + (ring < 0 ? number : 0);
    for (int64_t k = 0; k < number; k++, from += step, count++) {
      x[count] = p->line_x[from];
      y[count] = p->line_y[from];
    }
  }
  x[count] = x[0];
  y[count] = y[0];
  out->points += room;
  out->first[out->count] = out->points;
  return GV_OK;
}

/* Whether the last piece is what cutting makes of it: a ring with an area, away from the poles and from 180
 * degrees, without points that repeat the one before. */
static bool pieces_are_plain(const gv_pieces *p) {
  int64_t first = p->first[p->count - 1], again = 0;
  const double *x = p->x + first, *y = p->y + first;
  double west = x[0], east = x[0], farthest = 0.0;
  for (int64_t i = 1; i < p->points - first; i++) {
    west = x[i] < west ? x[i] : west;
    east = x[i] > east ? x[i] : east;
    farthest = fabs(y[i]) > farthest ? fabs(y[i]) : farthest;
    again += x[i] == x[i - 1] && y[i] == y[i - 1];
  }
  return again == 0 && p->points - first >= 4 && east > west && east - west < 179.0 && east < 180.0 &&
         farthest < 90.0;
}

gv_status gv_pieces_of_cell(gv_context *context, const gv_diagram_parts *p, int64_t seed, bool globe,
                            bool cut, gv_pieces *out) {
  if (p->cell[seed] == p->cell[seed + 1])
    return globe && p->place_count == 1 && p->owner[seed] == seed ? pieces_whole_globe(context, out) : GV_OK;
  GV_TRY(pieces_copy(context, p, seed, out));
  if (!globe || !cut || pieces_are_plain(out)) return GV_OK;
  out->points = out->first[--out->count];
  GV_TRY(ring_unroll(context, p, seed, &out->ring));
  return pieces_cut(context, out);
}

gv_status gv_pieces_of_ring(gv_context *context, const double *lon, const double *lat, int64_t count,
                            gv_pieces *out) {
  static const int64_t cell[2] = {0, 1}, ring[1] = {0};
  const int64_t line[2] = {0, count};
  gv_diagram_parts parts;
  gv_diagram_parts_init(&parts);
  parts.seed_count = parts.edge_count = 1;
  parts.cell = cell;
  parts.ring = ring;
  parts.line = line;
  parts.line_x = lon;
  parts.line_y = lat;
  return gv_pieces_of_cell(context, &parts, 0, true, true, out);
}

gv_status gv_pieces_of_edge(gv_context *context, const gv_diagram_parts *p, int64_t edge, bool globe,
                            bool cut, gv_pieces *out) {
  int64_t first = p->line[edge], end = p->line[edge + 1];
  gv_turned_ring *line = &out->ring;
  line->count = 0;
  for (int64_t i = first; i < end && globe && cut; i++) {
    int64_t beside = i + 1 < end ? i + 1 : i > first ? i - 1 : i;
    bool pole = fabs(p->line_y[i]) == 90.0;
    double x = pole ? p->line_x[beside] : p->line_x[i];
    if (pole && i > first && i + 1 < end)
      GV_TRY(ring_step(context, line, line->points[line->count - 1].x, p->line_y[i], 0.0));
    GV_TRY(ring_step(context, line, x, p->line_y[i], pole && i > first && i + 1 < end ? p->line_y[i] : 0.0));
  }
  GV_TRY(gv_pieces_begin(context, out));
  for (int64_t i = first; i < end && !(globe && cut); i++)
    GV_TRY(gv_pieces_add(context, out, p->line_x[i], p->line_y[i]));
  for (int64_t i = 0; i < line->count; i++) {
    const gv_turned_point *b = &line->points[i], *a = i > 0 ? b - 1 : b;
    if (a->turns != b->turns) {
      bool eastwards = a->turns < b->turns;
      double y = eastwards ? ring_crossing(a, b, a->turns) : ring_crossing(b, a, b->turns),
             side = eastwards ? 180.0 : -180.0;
      GV_TRY(gv_pieces_add(context, out, side, y));
      GV_TRY(gv_pieces_begin(context, out));
      GV_TRY(gv_pieces_add(context, out, -side, y));
    }
    GV_TRY(gv_pieces_add(context, out, b->x, b->y));
  }
  return GV_OK;
}
