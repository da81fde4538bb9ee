/* Vertices of all facets, and flips until no seed is nearer to a vertex than its own. */
#include "diagram/vertices.h"

#include <math.h>
#include <string.h>

#include "core/angles.h"
#include "core/parallel.h"
#include "diagram/ears.h"
#include "diagram/local.h"
#include "diagram/seed_tree.h"
#include "diagram/vertex_place.h"
#include "search/code_sort.h"

enum { VERTICES_ROUNDS = 40, VERTICES_GROWTH = 3 };

typedef struct finder {
  gv_vertex_places places;
  gv_triangulation *t;
  const gv_globe *globe;
  const double *lon, *lat;
  gv_vertices *out;
  double *distance;     /* of each facet: meters to its seeds; negative: not found */
  const int32_t *facet; /* which are to be found; NULL: all */
  int64_t *nearest;     /* seeds, of queries */
  double *nearest_at;   /* meters from the vertices of those to the nearest seed */
  bool *proved;         /* of each facet: that its vertex is right, by its neighbors (local.h) */
  bool local;           /* try that */
  gv_local neighbors;
  const gv_index *index;
  gv_seed_tree seed_tree; /* of all seeds, if many vertices are far from theirs; otherwise without any */
  const int32_t *far;     /* then: the vertices to search for in it */
  gv_context *context;
  gv_progress progress;
} finder;

static gv_status vertices_body(gv_worker *worker, int64_t first, int64_t end) {
  finder *f = worker->user;
  gv_progress_add(&f->progress, end - first);
  for (int64_t i = first; i < end; i++)
    gv_vertex_place(&f->places, f->facet != NULL ? f->facet[i] : (int32_t)i);
  return GV_OK;
}

static gv_status vertices_compute(gv_context *context, finder *f, int64_t count) {
  gv_loop loop = {context, context->threads, count, 256, &f->progress, f};
  gv_progress_init(&f->progress, context, count);
  return gv_parallel_for(&loop, vertices_body);
}

/* ------------------------------------------------------------------------------------------------- checks */

/* A seed counts as nearer than a vertex's own seeds from this difference in meters: more than geod_inverse's
 * errors, which a seed outside of three close ones multiplies as the vertex's noise. */
static double vertices_margin(const finder *f, int32_t facet) {
  return fmax(1e-6, 1e-5 * f->out->noise[facet]);
}

/* Whether a vertex is so far from its seeds that many others may be nearly as far, if seeds lie along a
 * geodesic. */
static bool vertices_far(const finder *f, int32_t facet) {
  return f->distance[facet] > 0.7 * f->globe->radius;
}

/* The tree over all seeds, if many vertices are far. */
static gv_status vertices_plant(gv_context *context, finder *f) {
  const gv_triangulation *t = f->t;
  int64_t far = 0;
  for (int64_t i = 0; i < t->facets; i++)
    far += vertices_far(f, (int32_t)i);
  if (far < 64 || far < t->facets / 32) return GV_OK;
  return gv_seed_tree_of_all(context, f->globe, f->lon, f->lat, t->position, t->count, &f->seed_tree);
}

/* Whether the vertex number i is at the place of the one before. */
static bool vertices_same(const finder *f, int64_t i) {
  const gv_vertices *v = f->out;
  if (i == 0) return false;
  int32_t own = f->facet != NULL ? f->facet[i] : (int32_t)i,
          before = f->facet != NULL ? f->facet[i - 1] : (int32_t)i - 1;
  return !f->proved[before] && f->distance[own] >= 0.0 && f->distance[before] >= 0.0 &&
         v->x[own] == v->x[before] && v->y[own] == v->y[before];
}

/* The numbers of far vertices, in an order in which adjacent ones are close to each other. `far`: room for
 * all. */
static gv_status vertices_list_far(gv_context *context, const finder *f, int64_t count, int32_t *far,
                                   int64_t *far_count) {
  enum { BITS = 19 };
  static const double low[3] = {-1.0, -1.0, -1.0}, high[3] = {1.0, 1.0, 1.0};
  const gv_morton morton = {3, BITS, low, high};
  const gv_allocator *allocator = &context->allocator;
  gv_sort_code *codes = gv_allocate(allocator, count, sizeof *codes);
  gv_sort_code *scratch = gv_allocate(allocator, count, sizeof *scratch);
  gv_status status =
      codes != NULL && scratch != NULL ? GV_OK : gv_fail_memory(context, "the check of vertices");
  int64_t number = 0;
  for (int64_t i = 0; i < count && status == GV_OK; i++) {
    int32_t facet = f->facet != NULL ? f->facet[i] : (int32_t)i;
    double place[3];
    if (f->proved[facet] || !vertices_far(f, facet) || vertices_same(f, i)) continue;
    gv_globe_vectors(f->globe, 1, &f->out->x[facet], &f->out->y[facet], place);
    codes[number++] = (gv_sort_code){gv_morton_code(&morton, place), i};
  }
  if (status == GV_OK) status = gv_codes_sort(context, codes, scratch, number, 3 * BITS, context->threads);
  for (int64_t i = 0; i < number && status == GV_OK; i++)
    far[i] = (int32_t)codes[i].index;
  *far_count = number;
  gv_release(allocator, codes);
  gv_release(allocator, scratch);
  return status;
}

/* How far the nearest seed of far vertices is. */
static gv_status vertices_search_far(gv_worker *worker, int64_t first, int64_t end) {
  finder *f = worker->user;
  gv_seed_anchor anchor = {.allocator = worker->context.allocator};
  for (int64_t i = first; i < end && gv_progress_add(&f->progress, 1); i++) {
    int32_t number = f->far[i], facet = f->facet != NULL ? f->facet[number] : number, nearest = -1;
    f->nearest_at[number] = f->distance[facet];
    gv_seed_tree_search(&f->seed_tree, f->out->x[facet], f->out->y[facet], &anchor, &f->nearest_at[number],
                        &nearest);
  }
  gv_seed_anchor_free(&anchor);
  return GV_OK;
}

/* Proves vertices by their neighbors. */
static gv_status vertices_prove(gv_worker *worker, int64_t first, int64_t end) {
  finder *f = worker->user;
  gv_progress_add(&f->progress, end - first);
  for (int64_t i = first; i < end; i++) {
    int32_t facet = f->facet != NULL ? f->facet[i] : (int32_t)i;
    f->proved[facet] = f->local && gv_local_proves(&f->neighbors, f->t, f->distance, facet, f->out->x[facet],
                                                   f->out->y[facet], vertices_margin(f, facet));
  }
  return GV_OK;
}

/* The distance from each vertex that is not proved to its nearest seed. `places`, `numbers`: room for all. */
static gv_status vertices_find_nearest(gv_context *context, finder *f, int64_t count, double *places,
                                       int32_t *numbers) {
  int64_t queries = 0;
  bool far = f->seed_tree.count > 0;
  gv_loop loop = {context, context->threads, count, 64, &f->progress, f};
  gv_progress_init(&f->progress, context, count);
  GV_TRY(gv_parallel_for(&loop, vertices_prove));
  for (int64_t i = 0; i < count; i++) {
    int32_t facet = f->facet != NULL ? f->facet[i] : (int32_t)i;
    bool known = f->proved[facet] || f->distance[facet] < 0.0 || (far && vertices_far(f, facet));
    if (known || vertices_same(f, i)) continue;
    places[2 * queries] = f->out->x[facet];
    places[2 * queries + 1] = f->out->y[facet];
    numbers[queries++] = (int32_t)i;
  }
  /* In parts: a place that is equally far from all seeds is compared with all of them, and a search is
   * cancelled between places only. */
  int64_t part = 16 + (1 << 26) / (f->t->count + 1) / 64;
  for (int64_t first = 0; first < queries; first += part) {
    int64_t number = queries - first < part ? queries - first : part;
    gv_points given = gv_points_rows(places + 2 * first, number, 2, GV_FLOAT64);
    GV_TRY(gv_index_search(context, f->index, &given, NULL, f->nearest + first, f->nearest_at + first));
    if (context->progress != NULL &&
        !context->progress((double)first / (double)queries, context->progress_user))
      return gv_fail(context, GV_ERROR_CANCELLED, "cancelled");
  }
  for (int64_t i = queries - 1; i >= 0; i--)
    f->nearest_at[numbers[i]] = f->nearest_at[i];
  if (far) {
    GV_TRY(vertices_list_far(context, f, count, numbers, &loop.count));
    f->far = numbers;
    loop.grain = 64 + loop.count / (16 * (int64_t)context->threads);
    gv_progress_init(&f->progress, context, loop.count);
    GV_TRY(gv_parallel_for(&loop, vertices_search_far));
  }
  for (int64_t i = 1; i < count; i++)
    if (!f->proved[f->facet != NULL ? f->facet[i] : i] && vertices_same(f, i))
      f->nearest_at[i] = f->nearest_at[i - 1];
  return GV_OK;
}

/* The direction of the facet of three seeds on the conformal sphere. */
static void vertices_normal(const finder *f, int32_t first, int32_t second, int32_t third, double normal[3]) {
  const double *a = f->t->position + 3 * (int64_t)first, *b = f->t->position + 3 * (int64_t)second,
               *c = f->t->position + 3 * (int64_t)third;
  double u[3], w[3], square = 0.0;
  for (int i = 0; i < 3; i++) {
    u[i] = b[i] - a[i];
    w[i] = c[i] - a[i];
  }
  for (int i = 0; i < 3; i++) {
    normal[i] = u[(i + 1) % 3] * w[(i + 2) % 3] - u[(i + 2) % 3] * w[(i + 1) % 3];
    square += normal[i] * normal[i];
  }
  for (int i = 0; i < 3; i++)
    normal[i] /= sqrt(square);
}

static double vertices_product(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* True if the quadrilateral of the facets (p, u, w) and (q, w, u) may get its other diagonal: flattening
 * displaces vertices by a small share of the radius, so both face nearly one way (which also keeps apart the
 * two sides of a flat hull), and it is convex. */
static bool vertices_may_flip(const finder *f, int32_t p, int32_t u, int32_t w, int32_t q) {
  double old[2][3], made[2][3], middle[3];
  if (p == q) return false;
  vertices_normal(f, p, u, w, old[0]);
  vertices_normal(f, q, w, u, old[1]);
  vertices_normal(f, p, u, q, made[0]);
  vertices_normal(f, q, w, p, made[1]);
  for (int i = 0; i < 3; i++)
    middle[i] = old[0][i] + old[1][i];
  return vertices_product(old[0], old[1]) > 0.5 && vertices_product(middle, made[0]) > 0.0 &&
         vertices_product(middle, made[1]) > 0.0;
}

/* The change of the difference of two distances, from a seed and a facet's first corner, that the noise of
 * the vertex makes: it moves along the border. */
static double vertices_uncertain(const finder *f, int32_t facet, int32_t seed) {
  const int32_t *v = f->t->corner + 3 * (int64_t)facet, to[4] = {v[0], v[1], v[2], seed};
  double east[4], north[4], azimuth;
  for (int i = 0; i < 4; i++) {
    geod_inverse(&f->globe->geod, f->out->y[facet], f->out->x[facet], f->lat[to[i]], f->lon[to[i]], NULL,
                 &azimuth, NULL);
    east[i] = sin(azimuth * GV_DEGREE) - (i > 0 ? east[0] : 0.0);
    north[i] = cos(azimuth * GV_DEGREE) - (i > 0 ? north[0] : 0.0);
  }
  int wide = hypot(east[1], north[1]) > hypot(east[2], north[2]) ? 1 : 2;
  double along = (east[wide] * north[3] - north[wide] * east[3]) / hypot(east[wide], north[wide]);
  return fabs(along) * f->out->noise[facet];
}

/* How much nearer a seed is to a facet's vertex than its own; 0: not by more than is certain. */
static double vertices_nearer(const finder *f, int32_t facet, int32_t seed) {
  const int32_t own = f->t->corner[3 * (int64_t)facet];
  const double lon[2] = {f->lon[own], f->lon[seed]}, lat[2] = {f->lat[own], f->lat[seed]},
               place[2] = {f->out->x[facet], f->out->y[facet]};
  double noise, nearer = gv_equidistant_farther(f->globe, lon, lat, place, &noise);
  if (noise < 1e-6) return nearer > noise && nearer > vertices_uncertain(f, facet, seed) ? nearer : 0.0;
  return nearer > vertices_margin(f, facet) ? nearer : 0.0;
}

/* The side behind which the nearest seed lies that is nearer to a facet's vertex than its own, among those of
 * its neighbors; -1: none. */
static int vertices_side_to_flip(const finder *f, int32_t facet) {
  const gv_triangulation *t = f->t;
  const int32_t *v = t->corner + 3 * (int64_t)facet;
  double most = 0.0;
  int found = -1;
  for (int side = 0; side < 3; side++) {
    int32_t other = t->neighbor[3 * (int64_t)facet + side], u = v[(side + 1) % 3], w = v[(side + 2) % 3];
    int32_t seed = t->corner[3 * (int64_t)other + gv_triangulation_side(t, other, w, u)];
    if (!vertices_may_flip(f, v[side], u, w, seed)) continue;
    double nearer = vertices_nearer(f, facet, seed);
    if (nearer > most) {
      most = nearer;
      found = side;
    }
  }
  return found;
}

/*
 * Whether a facet's seeds are so close together, as seen from its vertex, that differences of distances
 * decide what distances do not, and another one is nearer by that: opposite its sides.
 */
static bool vertices_misplaced(const finder *f, int32_t facet) {
  const gv_triangulation *t = f->t;
  const int32_t *v = t->corner + 3 * (int64_t)facet;
  const double *a = t->position + 3 * (int64_t)v[0], *b = t->position + 3 * (int64_t)v[1],
               *c = t->position + 3 * (int64_t)v[2];
  double widest = 0.0;
  for (int i = 0; i < 3; i++)
    widest = fmax(widest, fmax(fabs(b[i] - a[i]), fabs(c[i] - a[i])));
  if (widest * f->globe->radius > f->distance[facet] / 20.0) return false;
  if (!t->flat) return vertices_side_to_flip(f, facet) >= 0;
  for (int side = 0; side < 3; side++) {
    int32_t other = t->neighbor[3 * (int64_t)facet + side], u = v[(side + 1) % 3], w = v[(side + 2) % 3];
    if ((other < t->facets / 2) != (facet < t->facets / 2)) continue;
    if (vertices_nearer(f, facet, t->corner[3 * (int64_t)other + gv_triangulation_side(t, other, w, u)]) >
        0.0)
      return true;
  }
  return false;
}

/* Whether a facet's vertex is for antipodal.h: around the antipodes of its seeds. */
static bool vertices_antipodal(const finder *f, int32_t facet) {
  double far = gv_globe_reach(f->globe) - gv_globe_antipodal_radius(f->globe), place[3], distance;
  int32_t seed = f->t->corner[3 * (int64_t)facet];
  if (f->distance[facet] >= 0.0) return f->distance[facet] > far;
  gv_globe_vectors(f->globe, 1, &f->out->x[facet], &f->out->y[facet], place);
  if (vertices_product(place, f->t->position + 3 * (int64_t)seed) > -0.98) return false;
  geod_inverse(&f->globe->geod, f->out->y[facet], f->out->x[facet], f->lat[seed], f->lon[seed], &distance,
               NULL, NULL);
  return distance > far;
}

/* Adds facets next to those that have changed: their neighbors prove something else now. */
static int64_t vertices_add_proved(const finder *f, int64_t count, int32_t *touched, int32_t round,
                                   int32_t *again) {
  int64_t number = count;
  for (int64_t i = 0; i < 3 * count; i++) {
    int32_t facet = f->t->neighbor[3 * (int64_t)again[i / 3] + i % 3];
    if (touched[facet] == round || !f->proved[facet]) continue;
    touched[facet] = round;
    again[number++] = facet;
  }
  return number;
}

/* Flips edges as needed. `again` receives the facets that have changed or are undecided, *again_count of
 * them; returns the number of flips. */
static int64_t vertices_flip(finder *f, int64_t count, int32_t *touched, int32_t round, int32_t *again,
                             int64_t *again_count) {
  int64_t flips = 0, number = 0;
  for (int64_t i = 0; i < count; i++) {
    int32_t facet = f->facet != NULL ? f->facet[i] : (int32_t)i;
    if (touched[facet] == round) continue; /* by a flip of this round */
    if (vertices_antipodal(f, facet)) continue;
    bool nearest = f->proved[facet] || (f->distance[facet] >= 0.0 &&
                                        f->nearest_at[i] >= f->distance[facet] - vertices_margin(f, facet));
    if (nearest && !vertices_misplaced(f, facet)) continue;
    int side = f->distance[facet] >= 0.0 && !f->t->flat ? vertices_side_to_flip(f, facet) : -1;
    int32_t other = side >= 0 ? f->t->neighbor[3 * (int64_t)facet + side] : facet;
    touched[facet] = round;
    again[number++] = facet;
    if (side < 0 || touched[other] == round) continue;
    gv_triangulation_flip(f->t, facet, side);
    touched[other] = round;
    again[number++] = other;
    flips++;
  }
  *again_count = flips > 0 ? vertices_add_proved(f, number, touched, round, again) : number;
  return flips;
}

/* ----------------------------------------------------------------------------------------------- polygons */

/* How far a vertex lies, in meters, within the cell of another seed that is nearer to it by `excess`. */
static double vertices_depth(const finder *f, int32_t facet, int64_t nearest, double excess) {
  const int32_t *v = f->t->corner + 3 * (int64_t)facet;
  double own, other, steepest = 0.0, x = f->out->x[facet], y = f->out->y[facet];
  geod_inverse(&f->globe->geod, y, x, f->lat[nearest], f->lon[nearest], NULL, &other, NULL);
  for (int i = 0; i < 3; i++) {
    geod_inverse(&f->globe->geod, y, x, f->lat[v[i]], f->lon[v[i]], NULL, &own, NULL);
    steepest = fmax(steepest, 2.0 * fabs(sin(0.5 * (own - other) * GV_DEGREE)));
  }
  return excess / fmax(steepest, 1e-12);
}

/* For gv_ears. The excess is the vertex's depth. */
static gv_status vertices_look(void *user, int32_t facet, const int32_t beside[2], double *excess) {
  finder *f = user;
  int64_t nearest;
  double least, margin;
  *excess = INFINITY;
  if (!gv_progress_add(&f->progress, 1)) return gv_fail(f->context, GV_ERROR_CANCELLED, "cancelled");
  gv_vertex_place(&f->places, facet);
  if (f->distance[facet] < 0.0) return GV_OK;
  margin = vertices_margin(f, facet);
  *excess = 0.0;
  for (int i = 0; i < 2 && beside != NULL; i++) {
    double nearer = vertices_nearer(f, facet, beside[i]);
    if (nearer > 0.0) *excess = fmax(*excess, vertices_depth(f, facet, beside[i], nearer));
  }
  if (*excess > 0.0) return GV_OK;
  if (f->seed_tree.count > 0 && vertices_far(f, facet)) {
    int32_t found = -1;
    least = f->distance[facet];
    gv_seed_tree_search(&f->seed_tree, f->out->x[facet], f->out->y[facet], NULL, &least, &found);
    nearest = found;
  } else {
    gv_points query = gv_points_xy(&f->out->x[facet], &f->out->y[facet], 1);
    GV_TRY(gv_index_search(f->context, f->index, &query, NULL, &nearest, &least));
  }
  double nearer = f->distance[facet] - least;
  *excess = nearer > margin ? vertices_depth(f, facet, nearest, nearer) : 0.0;
  return GV_OK;
}

/* What the facets around those that flips have not settled are part of. */
typedef struct region {
  uint8_t *state;  /* of each facet: 0 settled, 1 not, 2 listed */
  double *excess;  /* of each facet */
  int32_t *facets; /* of the region */
  uint8_t *was;    /* state of each of these, but for its being listed */
  int32_t count;
} region;

static void region_add(region *r, int32_t facet) {
  r->was[r->count] = r->state[facet];
  r->state[facet] = 2;
  r->facets[r->count++] = facet;
}

/* The unsettled facets connected with the first; `growth` times all around them too. */
static void region_collect(const finder *f, region *r, int growth) {
  for (int32_t i = 0; i < r->count; i++)
    for (int side = 0; side < 3; side++) {
      int32_t other = f->t->neighbor[3 * (int64_t)r->facets[i] + side];
      if (r->state[other] == 1) region_add(r, other);
    }
  for (int ring = 0, first = 0; ring < growth; ring++) {
    int32_t end = r->count;
    for (int32_t i = first; i < end; i++)
      for (int side = 0; side < 3; side++) {
        int32_t other = f->t->neighbor[3 * (int64_t)r->facets[i] + side];
        if (r->state[other] != 2) region_add(r, other);
      }
    first = end;
  }
}

/* Replaces the facets of a region; they are settled, but for those with vertices deeper than `enough` in
 * another cell. Facets around it that could not be replaced stay as they are. */
static gv_status region_replace(finder *f, region *r, double enough) {
  const gv_ears ears = {f->context, f->t, vertices_look, f, r->excess};
  bool done = false, deep = false;
  for (int growth = 0; growth <= (f->t->flat ? 0 : VERTICES_GROWTH) && (!done || deep); growth++) {
    if (!f->t->flat) region_collect(f, r, growth > 0 ? 1 : 0);
    GV_TRY(gv_ears_cut(&ears, r->facets, r->count, &done));
    deep = false;
    for (int32_t i = 0; i < r->count && done; i++) {
      r->was[i] = r->excess[r->facets[i]] <= enough ? 0 : 3;
      deep |= r->was[i] != 0;
    }
  }
  for (int32_t i = 0; i < r->count; i++)
    r->state[r->facets[i]] = r->was[i] == 1 ? 3 : r->was[i];
  return GV_OK;
}

/* Polygons of facets that are not settled get new facets. Of a flat hull, whole sides: the first half of the
 * facets and the second. */
static gv_status vertices_replace(finder *f, region *r, double enough) {
  int32_t facets = (int32_t)f->t->facets;
  for (int32_t i = 0; i < facets; i++) {
    if (r->state[i] != 1) continue;
    r->count = 0;
    int32_t begin = i < facets / 2 ? 0 : facets / 2, end = i < facets / 2 ? facets / 2 : facets;
    for (int32_t other = begin; other < end && f->t->flat; other++)
      region_add(r, other);
    if (!f->t->flat) region_add(r, i);
    GV_TRY(region_replace(f, r, enough));
  }
  return GV_OK;
}

/*
 * The facets with a vertex on one side (1, -1) of the great circle along which seeds lie, of the ellipsoid:
 * within 200 km of its pole. `pole`: a direction. Their number.
 */
static int32_t vertices_list_side(const finder *f, const double pole[3], int side, int32_t *facets) {
  int32_t count = 0;
  for (int32_t i = 0; i < f->t->facets; i++) {
    double place[3];
    gv_globe_vectors(f->globe, 1, &f->out->x[i], &f->out->y[i], place);
    if (side * vertices_product(place, pole) > 0.9995) facets[count++] = i;
  }
  return count;
}

/* Seeds along a great circle: nearly all vertices are at its poles, where flips take long or stop early. Both
 * sides become polygons with new facets. */
static gv_status vertices_replace_sides(finder *f) {
  const gv_allocator *allocator = &f->context->allocator;
  const int64_t facets = f->t->facets;
  double pole[3];
  if (!gv_globe_follows_circle(f->t->position, f->t->count, pole)) return GV_OK;
  int32_t *list = gv_allocate(allocator, facets, sizeof *list);
  double *excess = gv_allocate(allocator, facets, sizeof *excess);
  const gv_ears ears = {f->context, f->t, vertices_look, f, excess};
  gv_status status = list != NULL && excess != NULL ? GV_OK : gv_fail_memory(f->context, "the vertices");
  for (int side = -1; side <= 1 && status == GV_OK; side += 2) {
    int32_t count = vertices_list_side(f, pole, side, list);
    bool done;
    gv_progress_init(&f->progress, f->context, 4 * facets);
    if (count > facets / 4) status = gv_ears_cut(&ears, list, count, &done);
  }
  gv_release(allocator, list);
  gv_release(allocator, excess);
  return status;
}

/* Lists the facets that are not settled, and those that are settled, but so far from their seeds that edges
 * between them may not be right. */
static gv_status vertices_list_open(finder *f, const region *r) {
  gv_vertices *out = f->out;
  int64_t number = 0;
  for (int32_t i = 0; i < f->t->facets; i++) {
    if (f->distance[i] < 0.0 && vertices_antipodal(f, i)) r->state[i] = 3;
    out->unverified += r->state[i] != 0;
    number += r->state[i] != 0 || vertices_antipodal(f, i);
  }
  out->open = gv_allocate(&out->allocator, number, sizeof *out->open);
  if (out->open == NULL) return gv_fail_memory(f->context, "the vertices");
  for (int32_t i = 0; i < f->t->facets; i++)
    if (r->state[i] != 0 || vertices_antipodal(f, i)) out->open[out->open_count++] = i;
  return GV_OK;
}

/* `open`: what flips have not settled. */
static gv_status vertices_finish(finder *f, const int32_t *open, int64_t count, double enough) {
  const gv_allocator *allocator = &f->context->allocator;
  int64_t facets = f->t->facets;
  region r = {.state = gv_allocate_zeroed(allocator, facets, sizeof *r.state),
              .excess = gv_allocate_zeroed(allocator, facets, sizeof *r.excess),
              .facets = gv_allocate(allocator, facets, sizeof *r.facets),
              .was = gv_allocate(allocator, facets, sizeof *r.was)};
  gv_status status = GV_OK;
  if (r.state == NULL || r.excess == NULL || r.facets == NULL || r.was == NULL) {
    status = gv_fail_memory(f->context, "the vertices");
  } else {
    for (int64_t i = 0; i < count; i++) {
      int32_t facet = open != NULL ? open[i] : (int32_t)i;
      r.state[facet] = 1;
    }
    status = vertices_replace(f, &r, enough);
    if (status == GV_OK) status = vertices_list_open(f, &r);
  }
  gv_release(allocator, r.state);
  gv_release(allocator, r.excess);
  gv_release(allocator, r.facets);
  gv_release(allocator, r.was);
  return status;
}

/*
 * Checks all, then those that have changed or are not settled, until nothing changes. Edges of a flat hull
 * are not flipped. If some are left, their neighbors prove nothing: all are compared with the index.
 */
static gv_status vertices_verify(gv_context *context, finder *f, double *places, int32_t *lists[3],
                                 double enough) {
  int64_t count = 0;
  int32_t round = 0;
  for (f->local = !f->t->flat;; f->local = false) {
    int32_t last = round + VERTICES_ROUNDS;
    int64_t flips = 1;
    f->facet = NULL;
    count = f->t->facets;
    while (count > 0 && flips > 0 && round++ < last) {
      int32_t *again = lists[1 + round % 2];
      GV_TRY(vertices_find_nearest(context, f, count, places, again));
      flips = vertices_flip(f, count, lists[0], round, again, &count);
      f->facet = again;
      if (flips > 0) GV_TRY(vertices_compute(context, f, count));
    }
    if (count == 0 || !f->local) break;
  }
  return vertices_finish(f, f->facet, count, enough);
}

gv_status gv_globe_index(gv_context *context, const gv_globe *globe, const double *lon, const double *lat,
                         int64_t count, int64_t queries, gv_index **out) {
  gv_index_options options;
  gv_index_options_init(&options);
  options.metric = GV_GEODESIC;
  options.semi_major = globe->shape.semi_major;
  options.flattening = globe->shape.flattening;
  options.expected_queries = queries;
  gv_points seeds = gv_points_xy(lon, lat, count);
  return gv_index_build(context, &seeds, &options, out);
}

static gv_status vertices_make_nearest(gv_context *context, finder *f, double enough) {
  const gv_allocator *allocator = &context->allocator;
  gv_triangulation *t = f->t;
  int64_t facets = t->facets;
  gv_index *index = NULL;
  double *places = gv_allocate(allocator, facets, 2 * sizeof(double));
  int32_t *lists[3];
  lists[0] = gv_allocate_zeroed(allocator, facets, sizeof(int32_t));
  lists[1] = gv_allocate(allocator, facets, sizeof(int32_t));
  lists[2] = gv_allocate(allocator, facets, sizeof(int32_t));
  f->nearest = gv_allocate(allocator, facets, sizeof(int64_t));
  f->nearest_at = gv_allocate(allocator, facets, sizeof(double));
  f->proved = gv_allocate(allocator, facets, sizeof(bool));
  gv_status status = GV_OK;
  if (places == NULL || lists[0] == NULL || lists[1] == NULL || lists[2] == NULL || f->nearest == NULL ||
      f->nearest_at == NULL || f->proved == NULL)
    status = gv_fail_memory(context, "the check of vertices");
  if (status == GV_OK) status = gv_globe_index(context, f->globe, f->lon, f->lat, t->count, facets, &index);
  f->index = index;
  f->context = context;
  if (status == GV_OK) status = gv_local_make(context, f->globe, f->lon, f->lat, t->count, &f->neighbors);
  if (status == GV_OK) status = vertices_plant(context, f);
  if (status == GV_OK && !t->flat) status = vertices_replace_sides(f);
  if (status == GV_OK) status = vertices_verify(context, f, places, lists, enough);
  gv_seed_tree_free(&f->seed_tree);
  gv_local_free(&f->neighbors);
  gv_index_destroy(index);
  for (int i = 0; i < 3; i++)
    gv_release(allocator, lists[i]);
  gv_release(allocator, places);
  gv_release(allocator, f->nearest);
  gv_release(allocator, f->nearest_at);
  gv_release(allocator, f->proved);
  return status;
}

gv_status gv_vertices_find(gv_context *context, gv_triangulation *t, const gv_globe *globe, const double *lon,
                           const double *lat, double tolerance, gv_vertices *out) {
  const gv_allocator *allocator = &context->allocator;
  *out = (gv_vertices){.allocator = *allocator};
  out->x = gv_allocate(allocator, t->facets, sizeof(double));
  out->y = gv_allocate(allocator, t->facets, sizeof(double));
  out->noise = gv_allocate(allocator, t->facets, sizeof(double));
  finder f = {.seed_tree = {.allocator = *allocator},
              .neighbors = {.allocator = *allocator},
              .t = t,
              .globe = globe,
              .lon = lon,
              .lat = lat,
              .out = out};
  f.distance = gv_allocate(allocator, t->facets, sizeof(double));
  bool complete = out->x != NULL && out->y != NULL && out->noise != NULL && f.distance != NULL;
  f.places = (gv_vertex_places){t, globe, lon, lat, out->x, out->y, out->noise, f.distance};
  gv_status status =
      complete ? vertices_compute(context, &f, t->facets) : gv_fail_memory(context, "the vertices");
  if (status == GV_OK && globe != NULL && globe->ellipsoid && t->facets > 0)
    status = vertices_make_nearest(context, &f, 0.1 * tolerance);
  gv_release(allocator, f.distance);
  return status;
}

void gv_vertices_free(gv_vertices *vertices) {
  gv_release(&vertices->allocator, vertices->x);
  gv_release(&vertices->allocator, vertices->y);
  gv_release(&vertices->allocator, vertices->noise);
  gv_release(&vertices->allocator, vertices->open);
  vertices->x = vertices->y = vertices->noise = NULL;
  vertices->open = NULL;
}
