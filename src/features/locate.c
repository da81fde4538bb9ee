/* Strips of polygons' edges. */
#include "features/locate.h"

#include <string.h>

enum { MOST_STRIPS = 1 << 20, MOST_ENTRIES = 64 /* of a vertex */ };

static int64_t strip_of(const gv_locator *l, double at) {
  double strip = (at - l->low) * l->scale;
  return strip < 0.0 ? 0 : strip >= (double)l->strips ? l->strips - 1 : (int64_t)strip;
}

/* The strips of a geodesic edge: from first, `count` of them, going round. */
static void strips_of_geodesic(const gv_locator *l, int64_t v, int64_t *first, int64_t *count) {
  const gv_feature_set *set = l->set;
  /* Half round the globe both ways are covered. */
  double d = remainder(set->x[v + 1] - set->x[v], 360.0);
  int64_t west = strip_of(l, d >= 0.0 ? set->x[v] : set->x[v + 1]);
  int64_t east = strip_of(l, d >= 0.0 ? set->x[v + 1] : set->x[v]);
  *first = west;
  *count = fabs(d) == 180.0 ? l->strips : (east >= west ? east - west : east - west + l->strips) + 1;
}

static void locate_add_edge(gv_locator *l, int64_t strip, int64_t v) {
  if (l->edge != NULL) {
    l->edge[l->first[strip]++] = (int32_t)v;
  } else {
    l->first[strip + 1]++;
  }
}

static void add_straight(gv_locator *l, int64_t begin, int64_t end) {
  int64_t last = strip_of(l, l->set->y[begin]);
  for (int64_t v = begin; v + 1 < end; v++) {
    int64_t next = strip_of(l, l->set->y[v + 1]), high = last > next ? last : next;
    for (int64_t strip = last < next ? last : next; strip <= high; strip++)
      locate_add_edge(l, strip, v);
    last = next;
  }
}

static void add_geodesics(gv_locator *l, int64_t begin, int64_t end) {
  for (int64_t v = begin; v + 1 < end; v++) {
    int64_t strip, count;
    strips_of_geodesic(l, v, &strip, &count);
    for (; count > 0; count--, strip = strip + 1 < l->strips ? strip + 1 : 0)
      locate_add_edge(l, strip, v);
  }
}

/* Counts the polygons' edges of each strip, or stores them where there is memory for them. */
static void add_edges(gv_locator *l) {
  const gv_feature_set *set = l->set;
  for (int64_t p = 0; p < set->parts; p++) {
    if (set->kind[p] != GV_PART_POLYGON) continue;
    for (int64_t r = set->ring[p]; r < set->ring[p + 1]; r++)
      (set->straight ? add_straight : add_geodesics)(l, set->vertex[r], set->vertex[r + 1]);
  }
}

/* Counts them, with fewer strips where edges would be in many of them. */
static void count_edges(gv_locator *l) {
  for (;;) {
    int64_t total = 0;
    add_edges(l);
    for (int64_t s = 1; s <= l->strips; s++)
      total += l->first[s];
    if (total <= MOST_ENTRIES * l->set->vertices || l->strips <= MOST_ENTRIES) return;
    memset(l->first, 0, (size_t)(l->strips + 1) * sizeof *l->first);
    int64_t fewer = (l->strips + 3) / 4;
    l->scale *= (double)fewer / (double)l->strips;
    l->strips = fewer;
  }
}

static void number_parts(gv_locator *l) {
  const gv_feature_set *set = l->set;
  for (int32_t f = 0; f < set->count; f++) {
    for (int64_t p = set->part[f]; p < set->part[f + 1]; p++) {
      l->feature_of[p] = f;
      for (int64_t v = set->vertex[set->ring[p]]; v < set->vertex[set->ring[p + 1]]; v++)
        l->part_of[v] = (int32_t)p;
    }
  }
}

/* Parts that hold the north pole if no edge is crossed. */
static bool is_polar(const gv_feature_set *set, int64_t part) {
  bool north = false;
  for (int64_t r = set->ring[part]; r < set->ring[part + 1]; r++)
    north ^= set->facts[r].north;
  return north && set->kind[part] == GV_PART_POLYGON;
}

static gv_status find_polars(gv_context *context, gv_locator *l) {
  for (int pass = 0; pass < 2; pass++) {
    l->polars = 0;
    for (int64_t p = 0; p < l->set->parts; p++) {
      if (l->set->straight || !is_polar(l->set, p)) continue;
      if (pass == 1) l->polar[l->polars] = (int32_t)p;
      l->polars++;
    }
    if (pass == 0) l->polar = gv_allocate(&context->allocator, l->polars, sizeof *l->polar);
    if (l->polar == NULL) return gv_fail_memory(context, "the polygons");
  }
  return GV_OK;
}

/* Chooses the strips: over the extent of the polygons, a quarter as many as edges. */
static void choose_strips(gv_locator *l) {
  const gv_feature_set *set = l->set;
  double low = INFINITY, high = -INFINITY;
  int64_t edges = 0;
  for (int64_t p = 0; p < set->parts; p++) {
    if (set->kind[p] != GV_PART_POLYGON) continue;
    for (int64_t r = set->ring[p]; r < set->ring[p + 1]; r++) {
      edges += set->vertex[r + 1] - set->vertex[r];
      low = fmin(low, set->facts[r].low[1]);
      high = fmax(high, set->facts[r].high[1]);
    }
  }
  if (set->boundary || edges == 0) return;
  if (!set->straight) low = -180.0, high = 180.0;
  int64_t strips = edges / 4 + 1;
  l->strips = strips < MOST_STRIPS ? strips : MOST_STRIPS;
  l->low = low;
  l->scale = high > low ? (double)l->strips / (high - low) : 0.0;
  if (!isfinite(l->scale)) l->scale = 0.0;
}

gv_status gv_locator_init(gv_context *context, const gv_feature_set *set, gv_locator *out) {
  *out = (gv_locator){.set = set, .allocator = context->allocator};
  choose_strips(out);
  if (out->strips == 0) return GV_OK;
  gv_status status = GV_OK;
  out->first = gv_allocate_zeroed(&context->allocator, out->strips + 1, sizeof *out->first);
  out->part_of = gv_allocate(&context->allocator, set->vertices, sizeof *out->part_of);
  out->feature_of = gv_allocate(&context->allocator, set->parts, sizeof *out->feature_of);
  if (out->first == NULL || out->part_of == NULL || out->feature_of == NULL) {
    status = gv_fail_memory(context, "the polygons");
  } else {
    number_parts(out);
    count_edges(out);
    for (int64_t s = 0; s < out->strips; s++)
      out->first[s + 1] += out->first[s];
    out->edge = gv_allocate(&context->allocator, out->first[out->strips], sizeof *out->edge);
    if (out->edge == NULL) status = gv_fail_memory(context, "the polygons");
  }
  if (status == GV_OK) {
    add_edges(out); /* each first is now the next one's */
    memmove(out->first + 1, out->first, (size_t)out->strips * sizeof *out->first);
    out->first[0] = 0;
    status = find_polars(context, out);
  }
  if (status != GV_OK) gv_locator_clear(out);
  return status;
}

void gv_locator_clear(gv_locator *l) {
  void *arrays[] = {l->first, l->edge, l->part_of, l->feature_of, l->polar};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    gv_release(&l->allocator, arrays[i]);
  memset(l, 0, sizeof *l);
}

/* ------------------------------------------------------------------------------------------------- search */

/* The edges of one part in the strip of a position. */
static bool among(const gv_locator *l, int32_t part, const int32_t *edge, int64_t count,
                  const gv_edge_place *q) {
  const gv_feature_set *set = l->set;
  if (!set->straight) return gv_geodesic_edges_contain(set, edge, count, is_polar(set, part), q);
  if (!set->globe) return gv_straight_edges_contain(set, edge, count, q->vector);
  double low, high;
  gv_part_longitudes(set, part, &low, &high);
  for (double turn = ceil((low - q->lon) / 360.0); turn <= floor((high - q->lon) / 360.0); turn += 1.0) {
    double at[2] = {q->lon + 360.0 * turn, q->lat};
    if (gv_straight_edges_contain(set, edge, count, at)) return true;
  }
  return false;
}

/* Edges of the strip of a position: those of one feature, or of all (-1). */
typedef struct locate_stretch {
  int64_t first, end;
  int32_t feature;
} locate_stretch;

/* The first edge of a strip that begins at a vertex or after it. */
static int64_t first_from(const gv_locator *l, int64_t first, int64_t end, int64_t vertex) {
  while (first < end) {
    int64_t middle = first + (end - first) / 2;
    if (l->edge[middle] < vertex) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return first;
}

static void locate_search(const gv_locator *l, const locate_stretch *s, const gv_edge_place *q,
                          gv_found_part *found, void *user) {
  for (int64_t i = s->first, next; i < s->end; i = next) {
    int32_t part = l->part_of[l->edge[i]];
    for (next = i + 1; next < s->end && l->part_of[l->edge[next]] == part; next++) {
    }
    if (among(l, part, l->edge + i, next - i, q) && !found(user, part)) return;
  }
  for (int32_t i = 0; i < l->polars; i++) {
    bool met = s->feature >= 0 && l->feature_of[l->polar[i]] != s->feature;
    for (int64_t e = s->first; e < s->end && !met; e++)
      met = l->part_of[l->edge[e]] == l->polar[i];
    if (!met && !found(user, l->polar[i])) return;
  }
}

static locate_stretch strip_at(const gv_locator *l, const gv_edge_place *q) {
  double at = l->set->globe ? (l->set->straight ? q->lat : q->lon) : q->vector[1];
  int64_t strip = strip_of(l, at);
  return (locate_stretch){l->first[strip], l->first[strip + 1], -1};
}

void gv_locate(const gv_locator *l, const gv_edge_place *q, gv_found_part *found, void *user) {
  if (l->strips == 0) return;
  locate_stretch all = strip_at(l, q);
  locate_search(l, &all, q, found, user);
}

static bool stop(void *user, int32_t part) {
  (void)part;
  *(bool *)user = true;
  return false;
}

bool gv_locate_in(const gv_locator *l, int32_t feature, const gv_edge_place *q) {
  const gv_feature_set *set = l->set;
  bool inside = false;
  if (l->strips == 0) return false;
  locate_stretch s = strip_at(l, q);
  int64_t first = set->vertex[set->ring[set->part[feature]]],
          end = set->vertex[set->ring[set->part[feature + 1]]];
  s.first = first_from(l, s.first, s.end, first);
  s.end = first_from(l, s.first, s.end, end);
  s.feature = feature;
  locate_search(l, &s, q, stop, &inside);
  return inside;
}

typedef struct first_part {
  const gv_locator *locator;
  int32_t feature;
} first_part;

static bool locate_keep_first(void *user, int32_t part) {
  first_part *first = user;
  int32_t of = first->locator->feature_of[part];
  if (first->feature < 0 || of < first->feature) first->feature = of;
  return first->locator->polars > 0; /* parts that hold the pole come after the others */
}

int32_t gv_locate_first(const gv_locator *locator, const gv_edge_place *q) {
  first_part first = {locator, -1};
  gv_locate(locator, q, locate_keep_first, &first);
  return first.feature;
}
