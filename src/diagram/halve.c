/* Marks segments, then writes all lines again. */
#include "diagram/halve.h"

#include <math.h>

#include "diagram/check.h"

/* Whether the segment from point i on is one of a ring, in either direction; that may be a part of it, cut at
 * 180 degrees. */
static bool halve_is(const gv_lines *lines, int64_t i, const gv_check_crossing *of) {
  const double *x = lines->x + i, *y = lines->y + i;
  for (int back = 0; back < 2; back++) {
    bool first = of->y[back] == y[0] && remainder(of->x[back] - x[0], 360.0) == 0.0;
    bool last = of->y[1 - back] == y[1] && remainder(of->x[1 - back] - x[1], 360.0) == 0.0;
    if ((first && last) || (first && fabs(of->x[1 - back]) == 180.0) || (last && fabs(of->x[back]) == 180.0))
      return true;
  }
  return false;
}

/* Away from the poles, where differences of longitudes say nothing of lengths. */
static bool halve_may(const gv_lines *lines, int64_t i) {
  static const double polar = 89.9999; /* degrees */
  return fabs(lines->y[i]) < polar && fabs(lines->y[i + 1]) < polar;
}

/* `marked`: of each point, whether the segment from it on is to be halved. Returns the number of segments
 * marked. */
static int64_t halve_mark(const gv_diagram_cells *cells, const gv_lines *lines, int64_t seed,
                          const gv_check_crossing *found, int64_t count, const double *fan, bool *marked) {
  int64_t number = 0;
  for (int64_t entry = cells->first[seed]; entry < cells->first[seed + 1] && count > 0; entry++) {
    int64_t edge = gv_ring_edge(cells->ring[entry]);
    const int64_t *end = cells->end + 2 * edge;
    int64_t low = fan != NULL && fan[end[0]] > 0.0 ? 1 : 0, high = fan != NULL && fan[end[1]] > 0.0 ? 1 : 0;
    for (int64_t i = lines->first[edge] + low; i + 1 < lines->first[edge + 1] - high; i++) {
      if (marked[i] || !halve_may(lines, i)) continue;
      for (int64_t k = 0; k < count && !marked[i]; k++)
        marked[i] = halve_is(lines, i, &found[k]);
      number += marked[i];
    }
  }
  return number;
}

/* The ends of marked segments, which are within the tolerance of the border, onto it; but for vertices. */
static void halve_refine(const gv_diagram_cells *cells, const gv_globe *globe, const double *lon,
                         const double *lat, const bool *marked, gv_lines *lines) {
  for (int64_t edge = 0; edge < cells->edges; edge++)
    for (int64_t i = lines->first[edge] + 1; i + 1 < lines->first[edge + 1]; i++) {
      double place[2] = {lines->x[i], lines->y[i]};
      if (!marked[i - 1] && !marked[i]) continue;
      gv_lines_refine(globe, lon, lat, cells->side + 2 * edge, place, NULL);
      lines->x[i] = place[0];
      lines->y[i] = place[1];
    }
}

/* The lines with the middles of marked segments, `marks` of them; those that are as short as rounding get
 * none. *added: number of middles. */
static gv_status halve_write(gv_context *context, const gv_diagram_cells *cells, const gv_globe *globe,
                             const double *lon, const double *lat, const double *position, const bool *marked,
                             int64_t marks, gv_lines *lines, int64_t *added) {
  const gv_allocator *allocator = &context->allocator;
  int64_t count = lines->first[cells->edges], to = 0;
  double *x = gv_allocate(allocator, count + marks, sizeof *x),
         *y = gv_allocate(allocator, count + marks, sizeof *y);
  if (x == NULL || y == NULL) {
    gv_release(allocator, x);
    gv_release(allocator, y);
    return gv_fail_memory(context, "the lines");
  }
  for (int64_t edge = 0; edge < cells->edges; edge++) {
    int64_t first = lines->first[edge], end = lines->first[edge + 1];
    lines->first[edge] = to;
    for (int64_t i = first; i < end; i++) {
      double middle[2];
      x[to] = lines->x[i];
      y[to++] = lines->y[i];
      if (!marked[i]) continue;
      const double from[2] = {lines->x[i], lines->y[i]}, next[2] = {lines->x[i + 1], lines->y[i + 1]};
      if (!gv_lines_middle(globe, lon, lat, position, cells->side + 2 * edge, from, next, middle)) continue;
      x[to] = middle[0];
      y[to++] = middle[1];
    }
  }
  *added = to - count;
  lines->first[cells->edges] = to;
  gv_release(allocator, lines->x);
  gv_release(allocator, lines->y);
  lines->x = x;
  lines->y = y;
  return GV_OK;
}

gv_status gv_lines_halve(gv_context *context, const gv_diagram_parts *parts, const gv_diagram_cells *cells,
                         const gv_globe *globe, const double *lon, const double *lat, const double *position,
                         const bool *wrong, const double *fan, gv_lines *lines, int64_t *marks,
                         int64_t *added) {
  const gv_allocator *allocator = &context->allocator;
  gv_buffer found = {0};
  bool *marked = gv_allocate_zeroed(allocator, lines->first[cells->edges], sizeof *marked);
  gv_status status = marked != NULL ? GV_OK : gv_fail_memory(context, "the lines");
  *marks = *added = 0;
  for (int64_t seed = 0; seed < cells->seeds && status == GV_OK; seed++) {
    int64_t count = 0;
    if (!wrong[seed]) continue;
    status = gv_check_crossings(context, parts, seed, &found, &count);
    if (status == GV_OK) *marks += halve_mark(cells, lines, seed, found.memory, count, fan, marked);
  }
  if (status == GV_OK && *marks > 0) halve_refine(cells, globe, lon, lat, marked, lines);
  if (status == GV_OK && *marks > 0)
    status = halve_write(context, cells, globe, lon, lat, position, marked, *marks, lines, added);
  gv_buffer_clear(&found, allocator);
  gv_release(allocator, marked);
  return status;
}
