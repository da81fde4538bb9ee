#include "barriers/rings.h"

void gv_barrier_place_at(const gv_barriers *b, double x, double y, double place[3], double at[3]) {
  place[0] = at[0] = x + 0.0;
  place[1] = at[1] = y + 0.0;
  place[2] = at[2] = 0.0;
  if (!gv_barrier_on_globe(b)) return;
  const bool geodesic = b->metric == GV_GEODESIC;
  gv_normalize_lonlat(at, at + 1);
  gv_lonlat_to_vectors(&b->ellipsoid, geodesic, 1, at, at + 1, place, place + 1, place + 2);
  at[2] = place[2];
  if (geodesic) place[2] *= b->geodesic.series.stretch; /* of the auxiliary sphere */
}

/* Adds a vertex. */
static void rings_add(const gv_barriers *b, double x, double y, gv_barrier_rings *out) {
  if (out->place != NULL) gv_barrier_place_at(b, x, y, out->place + 3 * out->count, out->at + 3 * out->count);
  out->count++;
}

/*
 * The pieces of an edge. If it is straight in longitude and latitude it deviates from a geodesic over a piece
 * of 1 / n by at most an eighth of its acceleration within the surface (gv_edge_motion) by n^2. Meridians are
 * geodesics. No piece is longer than a quarter of a great circle.
 */
static double rings_pieces(const gv_edge *edge, double *most) {
  const gv_edge_motion motion = gv_edge_motion_of(edge);
  const double longest = 1.5 * edge->surface->radius, turn = edge->rate_lon != 0.0 ? motion.turn : 0.0;
  const double deviation = fmin(fmax(GV_BARRIER_DEVIATION * motion.fastest, GV_BARRIER_LEAST_DEVIATION),
                                GV_BARRIER_MOST_DEVIATION);
  *most = fmax(*most, deviation);
  return ceil(fmax(1.0, fmax(sqrt(turn / (8.0 * deviation)), motion.fastest / longest)));
}

/* Adds the vertices of an edge between its ends; only counts them without memory. An edge and its reverse
 * have the same. */
static void rings_divide(const gv_barriers *barriers, const gv_feature_set *set, int64_t v,
                         gv_barrier_rings *out) {
  const double a[2] = {set->x[v], set->y[v]}, b[2] = {set->x[v + 1], set->y[v + 1]};
  gv_edge edge;
  if (a[0] == b[0] && a[1] == b[1]) return;
  gv_edge_make(&set->surface, set->straight, a, b, &edge);
  const double pieces = rings_pieces(&edge, &out->deviation);
  if (!(pieces < (double)INT32_MAX)) {
    out->count = INT32_MAX;
    return;
  }
  for (double i = 1.0; i < pieces && out->place != NULL; i += 1.0) {
    double lon, lat;
    gv_edge_at(&edge, (edge.reversed ? pieces - i : i) / pieces, &lon, &lat);
    rings_add(barriers, lon, lat, out);
  }
  if (out->place == NULL) out->count += (int64_t)pieces - 1;
}

static void rings_fill(const gv_barriers *b, const gv_feature_set *set, gv_barrier_rings *out) {
  out->count = 0;
  for (int64_t r = 0; r < set->rings; r++) {
    out->first[r] = out->count;
    for (int64_t v = set->vertex[r]; v < set->vertex[r + 1] && out->count < INT32_MAX; v++) {
      rings_add(b, set->x[v], set->y[v], out);
      if (set->globe && v + 1 < set->vertex[r + 1]) rings_divide(b, set, v, out);
    }
  }
  out->first[set->rings] = out->count;
}

gv_status gv_barrier_rings_make(gv_context *context, const gv_barriers *b, const gv_feature_set *set,
                                gv_barrier_rings *out) {
  *out = (gv_barrier_rings){0};
  out->first = gv_allocate(&context->allocator, set->rings + 1, sizeof *out->first);
  if (out->first == NULL) return gv_fail_memory(context, "the barriers");
  rings_fill(b, set, out);
  if (out->count >= INT32_MAX) {
    return gv_fail(
        context, GV_ERROR_INVALID_ARGUMENT,
        "barriers: too many vertices, also of divided edges; use geodesic edges or fewer barriers");
  }
  out->place = gv_allocate(&context->allocator, 3 * out->count, sizeof *out->place);
  out->at = gv_allocate(&context->allocator, 3 * out->count, sizeof *out->at);
  if (out->place == NULL || out->at == NULL) return gv_fail_memory(context, "the barriers");
  rings_fill(b, set, out);
  return GV_OK;
}

void gv_barrier_rings_clear(gv_context *context, gv_barrier_rings *rings) {
  gv_release(&context->allocator, rings->place);
  gv_release(&context->allocator, rings->at);
  gv_release(&context->allocator, rings->first);
  *rings = (gv_barrier_rings){0};
}
