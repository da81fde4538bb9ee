/* A tree by halving, without nodes. */
#include "diagram/seed_tree.h"

#include <math.h>

#include "core/angles.h"
#include "search/code_sort.h"

/* From the seed in the middle of a part; `azimuth` there, in degrees. */
static double seed_tree_distance(const gv_seed_tree *r, double lon, double lat, int32_t seed,
                                 double *azimuth) {
  double distance;
  geod_inverse(&r->globe->geod, r->lat[seed], r->lon[seed], lat, lon, &distance, azimuth, NULL);
  return distance;
}

/* Measures the part [first, end), and its halves. `place`: two numbers a seed. */
static void seed_tree_measure(gv_seed_tree *r, int64_t number, int32_t first, int32_t end, double *place) {
  int32_t middle = first + (end - first) / 2, center = r->seed[middle];
  gv_seed_tree_part part = {.radius = 0.0};
  for (int32_t i = first; i < end; i++) {
    double azimuth,
        distance = seed_tree_distance(r, r->lon[r->seed[i]], r->lat[r->seed[i]], center, &azimuth);
    place[2 * i] = distance;
    place[2 * i + 1] = azimuth;
    if (distance <= part.radius) continue;
    part.radius = distance;
    part.axis = azimuth;
  }
  for (int32_t i = first; i < end; i++) {
    double angle = (place[2 * i + 1] - part.axis) * GV_DEGREE;
    const double at[2] = {place[2 * i] * cos(angle), place[2 * i] * sin(angle)};
    for (int axis = 0; axis < 2; axis++) {
      part.low[axis] = fmin(part.low[axis], at[axis]);
      part.high[axis] = fmax(part.high[axis], at[axis]);
    }
  }
  part.radius += 1e-6;
  r->part[number] = part;
  if (end - first < 2) return;
  seed_tree_measure(r, 2 * number, first, middle, place);
  seed_tree_measure(r, 2 * number + 1, middle, end, place);
}

/* ------------------------------------------------------------------------------------------------ anchors */

static void anchor_measure(const gv_seed_tree *r, gv_seed_anchor *a, int64_t number, int32_t first,
                           int32_t end) {
  gv_seed_anchor_part *part = &a->part[number];
  int32_t middle = first + (end - first) / 2, seed = r->seed[first];
  if (end - first < 2) {
    double azimuth;
    geod_inverse(&r->globe->geod, a->lat, a->lon, r->lat[seed], r->lon[seed], &part->least, &azimuth, NULL);
    part->low[0] = part->high[0] = sin(azimuth * GV_DEGREE);
    part->low[1] = part->high[1] = cos(azimuth * GV_DEGREE);
    a->farthest = fmax(a->farthest, part->least);
    return;
  }
  anchor_measure(r, a, 2 * number, first, middle);
  anchor_measure(r, a, 2 * number + 1, middle, end);
  const gv_seed_anchor_part *half = &a->part[2 * number];
  part->least = fmin(half[0].least, half[1].least);
  for (int axis = 0; axis < 2; axis++) {
    part->low[axis] = fmin(half[0].low[axis], half[1].low[axis]);
    part->high[axis] = fmax(half[0].high[axis], half[1].high[axis]);
  }
}

/* To the place of a search, if the searches since the last time have been worth that. */
static void anchor_follow(const gv_seed_tree *r, gv_seed_anchor *a, double lon, double lat) {
  enum { SHARE = 32 /* of the seeds, in searches */ };
  if (a->part != NULL && a->searches++ < r->count / SHARE) return;
  if (a->part == NULL) a->part = gv_allocate(&a->allocator, 4 * (int64_t)r->count, sizeof *a->part);
  if (a->part == NULL) return;
  a->lon = lon;
  a->lat = lat;
  a->farthest = 0.0;
  a->searches = 0;
  anchor_measure(r, a, 1, 0, r->count);
}

/* The largest curvature's root. */
static double seed_tree_curvature(const gv_seed_tree *r) {
  double a = r->globe->geod.a, b = r->globe->geod.b;
  return fmax(1.0 / b, b / (a * a));
}

/* A search. `anchor` NULL: no anchor that bounds distances. */
typedef struct seed_tree_query {
  const gv_seed_tree *tree;
  double lon, lat, least;
  int32_t nearest;
  const gv_seed_anchor *anchor;
  double east, north, rest; /* from the anchor; what its bound is lower than by the slope alone */
} seed_tree_query;

static void query_use(seed_tree_query *q, const gv_seed_anchor *anchor) {
  static const double error = 1e-6;
  double away, azimuth, curvature = seed_tree_curvature(q->tree);
  if (anchor == NULL || anchor->part == NULL) return;
  geod_inverse(&q->tree->globe->geod, anchor->lat, anchor->lon, q->lat, q->lon, &away, &azimuth, NULL);
  double far = curvature * (anchor->farthest + away);
  if (far > 3.14) return;
  q->anchor = anchor;
  q->east = away * sin(azimuth * GV_DEGREE);
  q->north = away * cos(azimuth * GV_DEGREE);
  q->rest = error + (far > 1.5707 ? -0.5 * curvature / tan(far) * away * away : 0.0);
}

/* Whether a part can have a seed that is nearer, by the anchor. */
static bool query_reaches(const seed_tree_query *q, int64_t number) {
  if (q->anchor == NULL) return true;
  const gv_seed_anchor_part *p = &q->anchor->part[number];
  double slope =
      fmax(p->low[0] * q->east, p->high[0] * q->east) + fmax(p->low[1] * q->north, p->high[1] * q->north);
  return p->least - slope - q->rest < q->least;
}

/* ----------------------------------------------------------------------------------------------- searches */

/* A part during a search, and a lower bound of the distances of its seeds but the middle one. */
typedef struct seed_tree_node {
  int64_t number;
  int32_t first, end;
  double bound;
} seed_tree_node;

static double seed_tree_bound(const gv_seed_tree *r, const gv_seed_tree_part *part, double distance,
                              double azimuth) {
  static const double error = 1e-6;
  double largest = seed_tree_curvature(r), bound = distance - part->radius,
         far = largest * (distance + part->radius);
  if (far > 3.14) return bound;
  double angle = (azimuth - part->axis) * GV_DEGREE, along = cos(angle), across = sin(angle);
  double slope =
      fmax(part->low[0] * along, part->high[0] * along) + fmax(part->low[1] * across, part->high[1] * across);
  double bend = far > 1.5707 ? -largest / tan(far) : 0.0;
  return fmax(bound, distance - slope - 0.5 * fmax(bend, 0.0) * part->radius * part->radius - error);
}

static seed_tree_node seed_tree_look(seed_tree_query *q, int64_t number, int32_t first, int32_t end) {
  const gv_seed_tree *r = q->tree;
  int32_t middle = first + (end - first) / 2;
  seed_tree_node node = {number, first, end, INFINITY};
  if (!query_reaches(q, number)) return node;
  double azimuth, distance = seed_tree_distance(r, q->lon, q->lat, r->seed[middle], &azimuth);
  if (distance < q->least) {
    q->least = distance;
    q->nearest = r->seed[middle];
  }
  if (end - first > 1) node.bound = seed_tree_bound(r, &r->part[number], distance, azimuth);
  return node;
}

static void seed_tree_search(seed_tree_query *q, const seed_tree_node *node) {
  if (node->bound >= q->least) return;
  int32_t middle = node->first + (node->end - node->first) / 2;
  const seed_tree_node half[2] = {seed_tree_look(q, 2 * node->number, node->first, middle),
                                  seed_tree_look(q, 2 * node->number + 1, middle, node->end)};
  int first = half[1].bound < half[0].bound;
  seed_tree_search(q, &half[first]);
  seed_tree_search(q, &half[1 - first]);
}

void gv_seed_tree_search(const gv_seed_tree *tree, double lon, double lat, gv_seed_anchor *anchor,
                         double *least, int32_t *nearest) {
  seed_tree_query q = {.tree = tree, .lon = lon, .lat = lat, .least = *least, .nearest = *nearest};
  if (anchor != NULL) anchor_follow(tree, anchor, lon, lat);
  query_use(&q, anchor);
  const seed_tree_node all = seed_tree_look(&q, 1, 0, tree->count);
  seed_tree_search(&q, &all);
  *least = q.least;
  *nearest = q.nearest;
}

gv_status gv_seed_tree_take(gv_context *context, const gv_globe *globe, const double *lon, const double *lat,
                            int32_t *seeds, int32_t count, gv_seed_tree *out) {
  const gv_allocator *allocator = &context->allocator;
  *out = (gv_seed_tree){
      .allocator = *allocator, .globe = globe, .lon = lon, .lat = lat, .seed = seeds, .count = count};
  out->part = gv_allocate(allocator, 4 * (int64_t)count, sizeof *out->part);
  double *place = gv_allocate(allocator, count, 2 * sizeof *place);
  bool complete = seeds != NULL && out->part != NULL && place != NULL;
  if (complete) seed_tree_measure(out, 1, 0, count, place);
  gv_release(allocator, place);
  return complete ? GV_OK : gv_fail_memory(context, "the vertices");
}

/* Codes of seeds in an order along a curve: around the great circle along which they lie, or else Morton's;
 * *bits of them. */
static void seed_tree_codes(const double *position, int64_t count, gv_sort_code *codes, int *bits) {
  enum { BITS = 19 };
  static const double low[3] = {-1.0, -1.0, -1.0}, high[3] = {1.0, 1.0, 1.0}, turn = 2.0 * GV_PI;
  const gv_morton morton = {3, BITS, low, high};
  double normal[3];
  const bool circle = gv_globe_follows_circle(position, count, normal);
  *bits = circle ? 40 : 3 * BITS;
  for (int64_t i = 0; i < count; i++) {
    const double *p = position + 3 * i;
    double share = circle ? gv_globe_angle(normal, position, p) / turn : 0.0;
    codes[i] = (gv_sort_code){circle ? (uint64_t)ldexp(share, *bits - 1) : gv_morton_code(&morton, p), i};
  }
}

gv_status gv_seed_tree_of_all(gv_context *context, const gv_globe *globe, const double *lon,
                              const double *lat, const double *position, int64_t count, gv_seed_tree *out) {
  const gv_allocator *allocator = &context->allocator;
  gv_sort_code *codes = gv_allocate(allocator, count, sizeof *codes);
  gv_sort_code *scratch = gv_allocate(allocator, count, sizeof *scratch);
  int32_t *seeds = gv_allocate(allocator, count, sizeof *seeds);
  *out = (gv_seed_tree){.allocator = *allocator};
  gv_status status = GV_OK;
  if (codes == NULL || scratch == NULL || seeds == NULL) status = gv_fail_memory(context, "the vertices");
  int bits = 0;
  if (status == GV_OK) seed_tree_codes(position, count, codes, &bits);
  if (status == GV_OK) status = gv_codes_sort(context, codes, scratch, count, bits, context->threads);
  for (int64_t i = 0; i < count && status == GV_OK; i++)
    seeds[i] = (int32_t)codes[i].index;
  gv_release(allocator, codes);
  gv_release(allocator, scratch);
  if (status == GV_OK) return gv_seed_tree_take(context, globe, lon, lat, seeds, (int32_t)count, out);
  gv_release(allocator, seeds);
  return status;
}

void gv_seed_tree_free(gv_seed_tree *tree) {
  gv_release(&tree->allocator, tree->seed);
  gv_release(&tree->allocator, tree->part);
  *tree = (gv_seed_tree){.allocator = tree->allocator};
}

void gv_seed_anchor_free(gv_seed_anchor *anchor) {
  gv_release(&anchor->allocator, anchor->part);
  anchor->part = NULL;
}
