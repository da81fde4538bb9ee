/* Neighbours by chord, more and more of them, until they hold the k nearest by geodesic. */
#include "voronoi/widen.h"

/* How many of the neighbours may be among the k by geodesic; -1: more than were asked for. */
static int32_t undecided(const gv_geodesic *geodesic, int32_t k, const gv_neighbours *neighbours) {
  const double *chord2 = neighbours->chord2;
  int32_t have = 0;
  while (have < neighbours->asked && neighbours->found[have] >= 0)
    have++;
  if (have < k) return have;
  double reach = chord2[k - 1] + gv_geodesic_slack(geodesic, sqrt(chord2[k - 1]));
  int32_t within = k;
  while (within < have && !(chord2[within] > reach))
    within++;
  return within < have || have < neighbours->asked ? within : -1;
}

bool gv_chords_decide(const gv_geodesic *geodesic, const double *chord2, int32_t count) {
  for (int32_t i = 0; i + 1 < count; i++) {
    if (!(chord2[i + 1] > chord2[i] + gv_geodesic_slack(geodesic, sqrt(chord2[i])))) return false;
  }
  return true;
}

gv_status gv_widen(gv_context *context, gv_widening *w, const double vector[3], int64_t self,
                   gv_neighbours *neighbours, int32_t *count) {
  *count = undecided(w->geodesic, w->k, neighbours);
  for (int64_t asked = neighbours->asked; *count < 0;) {
    asked *= 4;
    if (asked > w->most) return GV_OK;
    int64_t *found = gv_buffer_reserve(&w->found, &w->allocator, asked, sizeof *found);
    double *chord2 = gv_buffer_reserve(&w->chord2, &w->allocator, asked, sizeof *chord2);
    if (found == NULL || chord2 == NULL) return gv_fail_memory(context, "a query's neighbours");
    gv_query query = {vector, 1, (int32_t)asked, w->limit, self};
    gv_status status = gv_index_search_canonical(context, w->chords, &query, found, chord2);
    if (status != GV_OK) return status;
    *neighbours = (gv_neighbours){found, chord2, (int32_t)asked};
    *count = undecided(w->geodesic, w->k, neighbours);
  }
  return GV_OK;
}

void gv_widening_clear(gv_widening *w) {
  gv_buffer_clear(&w->found, &w->allocator);
  gv_buffer_clear(&w->chord2, &w->allocator);
}
