/* Lines written again, with other ends. */
#include "diagram/fan.h"

#include <math.h>
#include <string.h>

typedef struct fan {
  const gv_diagram_cells *cells;
  const gv_globe *globe;
  const double *lon, *lat, *position;
} fan;

static double fan_distance(const fan *f, double x, double y, double other_x, double other_y) {
  const double lon[2] = {x, other_x}, lat[2] = {y, other_y};
  double v[6];
  gv_globe_vectors(f->globe, 2, lon, lat, v);
  return f->globe->radius *
         sqrt((v[0] - v[3]) * (v[0] - v[3]) + (v[1] - v[4]) * (v[1] - v[4]) + (v[2] - v[5]) * (v[2] - v[5]));
}

/* Meters from a vertex within which rounding decides on which side of an edge its neighbors are, of a number
 * of rounds. */
static double fan_length(const fan *f, int64_t edge, int round, const gv_lines *lines) {
  const int64_t *side = f->cells->side + 2 * edge;
  int64_t middle = (lines->first[edge] + lines->first[edge + 1] - 1) / 2;
  const double *a = f->position + 3 * side[0], *b = f->position + 3 * side[1];
  double apart = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]), noise = 0.0;
  double place[2] = {lines->x[middle], lines->y[middle]};
  gv_lines_refine(f->globe, f->lon, f->lat, side, place, &noise);
  return ldexp(8.0 * noise / apart, 2 * round);
}

/* The same of all vertices with seeds that have a round; 0: none. */
static void fan_lengths(const fan *f, const uint8_t *round, const gv_lines *lines, double *length) {
  for (int64_t i = 0; i < f->cells->vertices; i++)
    length[i] = 0.0;
  for (int64_t edge = 0; edge < f->cells->edges; edge++) {
    const int64_t *side = f->cells->side + 2 * edge, *end = f->cells->end + 2 * edge;
    int rounds = round[side[0]] > round[side[1]] ? round[side[0]] : round[side[1]];
    if (rounds == 0 || lines->first[edge + 1] - lines->first[edge] < 3) continue;
    double own = fan_length(f, edge, rounds - 1, lines);
    length[end[0]] = fmax(length[end[0]], own);
    length[end[1]] = fmax(length[end[1]], own);
  }
}

/* Whether an edge is so long that both ends become straight. */
static bool fan_fits(const fan *f, int64_t edge, const double *length, const gv_lines *lines) {
  const int64_t *end = f->cells->end + 2 * edge;
  int64_t first = lines->first[edge], last = lines->first[edge + 1] - 1, middle = (first + last) / 2;
  double most = 4.0 * fmax(length[end[0]], length[end[1]]);
  return most > 0.0 && middle > first &&
         most < fan_distance(f, lines->x[first], lines->y[first], lines->x[middle], lines->y[middle]) &&
         most < fan_distance(f, lines->x[last], lines->y[last], lines->x[middle], lines->y[middle]);
}

/* The points of an edge: places at a distance of `length` from its ends instead of those before. Writes to x,
 * y; returns their number. */
static int64_t fan_edge(const fan *f, int64_t edge, const double *lengths, const gv_lines *lines, double *x,
                        double *y) {
  int64_t first = lines->first[edge], last = lines->first[edge + 1] - 1, count = 0, inner[2] = {first, last};
  for (int side = 0; side < 2; side++) {
    int64_t own = side == 0 ? first : last, step = side == 0 ? 1 : -1;
    double length = lengths[f->cells->end[2 * edge + side]];
    while (fan_distance(f, lines->x[own], lines->y[own], lines->x[inner[side] + step],
                        lines->y[inner[side] + step]) <= length)
      inner[side] += step;
  }
  x[count] = lines->x[first];
  y[count++] = lines->y[first];
  for (int side = 0; side < 2; side++) {
    int64_t own = side == 0 ? first : last, near = inner[side], far = near + (side == 0 ? 1 : -1);
    double length = lengths[f->cells->end[2 * edge + side]];
    for (int64_t i = inner[0] + 1; i < inner[1] && side == 1; i++) {
      x[count] = lines->x[i];
      y[count++] = lines->y[i];
    }
    if (length == 0.0) continue;
    double from = fan_distance(f, lines->x[own], lines->y[own], lines->x[near], lines->y[near]),
           to = fan_distance(f, lines->x[own], lines->y[own], lines->x[far], lines->y[far]);
    double share = (length - from) / (to - from);
    double place[2] = {lines->x[near] + share * remainder(lines->x[far] - lines->x[near], 360.0),
                       lines->y[near] + share * (lines->y[far] - lines->y[near])},
           lat = 0.0;
    gv_lines_refine(f->globe, f->lon, f->lat, f->cells->side + 2 * edge, place, NULL);
    gv_normalize_lonlat(&place[0], &lat);
    x[count] = place[0];
    y[count++] = place[1];
  }
  x[count] = lines->x[last];
  y[count++] = lines->y[last];
  return count;
}

gv_status gv_lines_fan(gv_context *context, const gv_diagram_cells *cells, const gv_globe *globe,
                       const double *lon, const double *lat, const double *position, const uint8_t *round,
                       double *length, gv_lines *lines) {
  const gv_allocator *allocator = &context->allocator;
  const fan f = {cells, globe, lon, lat, position};
  int64_t count = lines->first[cells->edges] + 2 * cells->edges, to = 0;
  double *x = gv_allocate(allocator, count, sizeof *x), *y = gv_allocate(allocator, count, sizeof *y);
  if (x == NULL || y == NULL) {
    gv_release(allocator, x);
    gv_release(allocator, y);
    return gv_fail_memory(context, "the lines");
  }
  fan_lengths(&f, round, lines, length);
  for (int64_t edge = 0, begin = 0; edge < cells->edges; edge++, begin = to) {
    int64_t first = lines->first[edge], end = lines->first[edge + 1];
    if (fan_fits(&f, edge, length, lines)) {
      to += fan_edge(&f, edge, length, lines, x + to, y + to);
    } else {
      memcpy(x + to, lines->x + first, (size_t)(end - first) * sizeof *x);
      memcpy(y + to, lines->y + first, (size_t)(end - first) * sizeof *y);
      to += end - first;
    }
    lines->first[edge] = begin;
  }
  lines->first[cells->edges] = to;
  gv_release(allocator, lines->x);
  gv_release(allocator, lines->y);
  lines->x = x;
  lines->y = y;
  return GV_OK;
}
