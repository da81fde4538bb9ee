/* A disc, its boundary, and the tree of borders within. */
#include "diagram/antipodal.h"

#include <math.h>

#include "core/angles.h"
#include "diagram/seed_tree.h"

enum { ANTIPODAL_STEPS = 200000, ANTIPODAL_BRANCHES = 100000, ANTIPODAL_ATTEMPTS = 6 };

/* A seed counts as nearer from this difference in meters: more than geod_inverse's errors. */
static const double antipodal_margin = 5e-8;
static const double antipodal_longest = 5e3;
/* of the tolerance */
static const double antipodal_part[ANTIPODAL_ATTEMPTS] = {1.0, 0.4, 0.1, 0.03, 0.01, 0.003};

/* A border on its way: `left` and `right` are its seeds in the direction of travel. */
typedef struct branch {
  int32_t left, right, third; /* third: the seed that ends it */
  int32_t next;               /* the branch on its right side */
  bool fresh;                 /* no step has been made */
  int64_t source, path;       /* where it begins: 3 * facet + side; its line */
  double lon, lat, azimuth;   /* the end, and the direction of travel there */
  double low, high;           /* the azimuths between which it goes on */
  double step, noise;         /* meters */
} branch;

/* A facet to be made. */
typedef struct antipodal_facet {
  int32_t corner[3];
  int64_t source[3]; /* behind each corner: 3 * facet + side; -1: the next facet's */
  double lon, lat, noise;
} antipodal_facet;

typedef struct antipodal {
  gv_context *context;
  const gv_globe *globe;
  const gv_triangulation *t;
  const double *lon, *lat; /* of seeds */
  double tolerance, shortest;
  gv_index *index;
  gv_paths *paths;
  double center[3]; /* direction on the conformal sphere */
  double center_lon, center_lat, radius;
  branch *branches;
  int32_t count;
  gv_seed_tree seed_tree; /* no other seed has a part of the disc */
  bool *within;           /* of each facet: it is to be replaced */
  int32_t *facets;
  antipodal_facet *made;
  int32_t facet_count, made_count;
  bool failed; /* no result, but no error either */
  gv_progress progress;
} antipodal;

typedef struct antipodal_place {
  double lon, lat, azimuth, start; /* start: the azimuth at the begin of the step */
} antipodal_place;

static double antipodal_distance(const antipodal *a, double lon, double lat, int32_t seed, double *azimuth) {
  double distance;
  geod_inverse(&a->globe->geod, lat, lon, a->lat[seed], a->lon[seed], &distance, azimuth, NULL);
  return distance;
}

/* -------------------------------------------------------------------------------------------------- lines */

static gv_status antipodal_put(antipodal *a, const branch *b, double lon, double lat) {
  return gv_paths_put(a->context, a->paths, b->path, lon, lat);
}

static gv_status antipodal_begin_path(antipodal *a, branch *b, bool enters) {
  const gv_path path = {.from = b->source, .to = -1, .enters = enters};
  GV_TRY(gv_paths_begin(a->context, a->paths, &path, &b->path));
  return antipodal_put(a, b, b->lon, b->lat);
}

/* ------------------------------------------------------------------------------------------------ tracing */

/* The place in a direction from the branch's end; returns by how much the right seed is nearer. */
static double antipodal_look(const antipodal *a, const branch *b, double radius, double azimuth,
                             antipodal_place *out) {
  geod_direct(&a->globe->geod, b->lat, b->lon, azimuth, radius, &out->lat, &out->lon, &out->azimuth);
  gv_normalize_lonlat(&out->lon, &out->lat);
  out->start = azimuth;
  return antipodal_distance(a, out->lon, out->lat, b->left, NULL) -
         antipodal_distance(a, out->lon, out->lat, b->right, NULL);
}

/* The place where the border crosses the circle around the branch's end between two azimuths (false position
 * with Illinois' rule); false if it does not. */
static bool antipodal_cross_between(const antipodal *a, const branch *b, double radius, double low,
                                    double high, antipodal_place *out) {
  double at_low = antipodal_look(a, b, radius, low, out), at_high = antipodal_look(a, b, radius, high, out);
  int side = 0; /* -1, 1: the end that the last step moved */
  if (!(at_low < 0.0 && at_high > 0.0)) return false;
  for (int i = 0; i < 100 && radius * (high - low) * GV_DEGREE > 2e-9; i++) {
    double share = i % 8 == 7 ? 0.5 : at_low / (at_low - at_high), middle = low + share * (high - low);
    if (!(middle > low && middle < high)) break;
    double at = antipodal_look(a, b, radius, middle, out);
    if (at == 0.0) return true;
    if (at < 0.0) {
      low = middle;
      at_low = at;
      if (side < 0) at_high *= 0.5;
      side = -1;
    } else {
      high = middle;
      at_high = at;
      if (side > 0) at_low *= 0.5;
      side = 1;
    }
  }
  antipodal_look(a, b, radius, 0.5 * (low + high), out);
  return true;
}

/* The same between all azimuths between which the branch may go on; straight on first. */
static bool antipodal_cross(const antipodal *a, const branch *b, double radius, antipodal_place *out) {
  return (!b->fresh && antipodal_cross_between(a, b, radius, b->azimuth - 5.0, b->azimuth + 5.0, out)) ||
         antipodal_cross_between(a, b, radius, b->low, b->high, out);
}

static double antipodal_own(const antipodal *a, const branch *b, double lon, double lat) {
  return fmin(antipodal_distance(a, lon, lat, b->left, NULL),
              antipodal_distance(a, lon, lat, b->right, NULL));
}

/* *third: a seed that is nearer than the branch's; -1: none. From the ring, or from all. */
static gv_status antipodal_check(antipodal *a, const branch *b, double lon, double lat, int32_t *third) {
  double own = antipodal_own(a, b, lon, lat), at = own - antipodal_margin;
  int32_t found = -1;
  if (a->seed_tree.count > 0) {
    gv_seed_tree_search(&a->seed_tree, lon, lat, NULL, &at, &found);
  } else {
    gv_points query = gv_points_xy(&lon, &lat, 1);
    int64_t nearest;
    GV_TRY(gv_index_search(a->context, a->index, &query, NULL, &nearest, &at));
    if (at < own - antipodal_margin) found = (int32_t)nearest;
  }
  *third = found != b->left && found != b->right ? found : -1;
  return GV_OK;
}

/* How far rounding may move the border, by the angle between the geodesics to its seeds. */
static double antipodal_noise(const antipodal *a, double lon, double lat, int32_t left, int32_t right) {
  double azimuth[2];
  antipodal_distance(a, lon, lat, left, &azimuth[0]);
  antipodal_distance(a, lon, lat, right, &azimuth[1]);
  return antipodal_margin / fmax(2.0 * fabs(sin(0.5 * (azimuth[0] - azimuth[1]) * GV_DEGREE)), 1e-12);
}

/* The same for the vertex at the end of a branch (equidistant.h). */
static double antipodal_vertex_noise(const antipodal *a, const branch *b) {
  const int32_t seed[3] = {b->left, b->right, b->third};
  double east[3], north[3], azimuth;
  for (int i = 0; i < 3; i++) {
    antipodal_distance(a, b->lon, b->lat, seed[i], &azimuth);
    east[i] = sin(azimuth * GV_DEGREE) - (i > 0 ? east[0] : 0.0);
    north[i] = cos(azimuth * GV_DEGREE) - (i > 0 ? north[0] : 0.0);
  }
  double most = fmax(hypot(east[1], north[1]), hypot(east[2], north[2]));
  return antipodal_margin * most / fmax(fabs(east[1] * north[2] - east[2] * north[1]), 1e-20);
}

static void antipodal_move(branch *b, const antipodal_place *to) {
  b->lon = to->lon;
  b->lat = to->lat;
  b->azimuth = to->azimuth;
  b->low = to->azimuth - 150.0;
  b->high = to->azimuth + 150.0;
  b->fresh = false;
}

/* The last place within a step, from its begin on, where the branch's third seed is not nearer; returns how
 * far that is. */
static double antipodal_halve(const antipodal *a, const branch *b, double step, antipodal_place *last,
                              bool *moved) {
  double low = 0.0, high = step;
  while (high - low > fmax(2e-9, 1e-15 * step)) {
    antipodal_place place;
    double middle = 0.5 * (low + high);
    bool found = antipodal_cross(a, b, middle, &place);
    if (found && antipodal_distance(a, place.lon, place.lat, b->third, NULL) <
                     antipodal_own(a, b, place.lon, place.lat) - antipodal_margin) {
      high = middle;
      continue;
    }
    low = middle;
    if (found) *last = place;
    *moved = *moved || found;
  }
  return low;
}

/* The vertex within a step at the end of which a third seed is nearer: b->third, or another one that is
 * nearer before. */
static gv_status antipodal_end(antipodal *a, branch *b, double step) {
  const antipodal_place start = {b->lon, b->lat, 0.5 * (b->low + b->high), 0.0};
  antipodal_place last = start;
  bool moved = false;
  for (int32_t other = b->third; other >= 0;) {
    b->third = other;
    last = start;
    moved = false;
    step = antipodal_halve(a, b, step, &last, &moved);
    other = -1;
    if (moved) GV_TRY(antipodal_check(a, b, last.lon, last.lat, &other));
    if (other == b->third) other = -1;
  }
  if (moved) antipodal_move(b, &last);
  b->azimuth = last.azimuth;
  b->noise = antipodal_vertex_noise(a, b);
  return antipodal_put(a, b, b->lon, b->lat);
}

/* The longest step: a line straight in longitude and latitude must be close to the geodesic. */
static double antipodal_limit(const antipodal *a, const branch *b) {
  double to_pole = a->globe->radius / fmax(fabs(tan(b->lat * GV_DEGREE)), 1e-3);
  double bend = to_pole / fmax(fabs(sin(b->azimuth * GV_DEGREE)), 1e-3);
  return fmax(fmin(fmin(antipodal_longest, 0.5 * to_pole), sqrt(a->tolerance * bend)), a->shortest);
}

/* Follows a border until a third seed is nearer, or out of the disc (third: -1). */
static gv_status antipodal_advance(antipodal *a, branch *b) {
  for (int64_t i = 0; i < ANTIPODAL_STEPS; i++) {
    double shortest = fmax(a->shortest, 20.0 * b->noise), to_center;
    antipodal_place place;
    b->step = fmax(fmin(b->step, antipodal_limit(a, b)), shortest);
    bool found = antipodal_cross(a, b, b->step, &place);
    double turn = found && !b->fresh ? fabs(place.start - b->azimuth) * GV_DEGREE * b->step : 0.0;
    if (!found || (turn > a->tolerance && b->step > shortest)) {
      if (b->step <= shortest) break;
      b->step *= 0.5;
      continue;
    }
    GV_TRY(antipodal_check(a, b, place.lon, place.lat, &b->third));
    if (b->third >= 0) return antipodal_end(a, b, b->step);
    antipodal_move(b, &place);
    GV_TRY(antipodal_put(a, b, b->lon, b->lat));
    if (turn < 0.25 * a->tolerance) b->step *= 2.0;
    b->noise = antipodal_noise(a, b->lon, b->lat, b->left, b->right);
    geod_inverse(&a->globe->geod, b->lat, b->lon, a->center_lat, a->center_lon, &to_center, NULL, NULL);
    if (to_center > 1.2 * a->radius) return GV_OK;
  }
  a->failed = true;
  return GV_OK;
}

/* ----------------------------------------------------------------------------------------------- boundary */

/* Where the bisector of the branch's seeds enters the disc. */
static gv_status antipodal_enter(antipodal *a, branch *b) {
  const double lon[2] = {a->lon[b->left], a->lon[b->right]}, lat[2] = {a->lat[b->left], a->lat[b->right]};
  double place[3], radius = a->radius, at_radius = 0.0;
  gv_equidistant at = {0};
  for (int i = 0; i < 8 && fabs(at_radius - a->radius) > 10.0; i++) {
    a->failed |= !gv_globe_enters(a->globe, a->t->position + 3 * (int64_t)b->left,
                                  a->t->position + 3 * (int64_t)b->right, a->center, radius, place);
    gv_globe_place(a->globe, place, &at.lon, &at.lat);
    a->failed |= !gv_equidistant_find(a->globe, 2, lon, lat, &at);
    if (a->failed) return GV_OK;
    geod_inverse(&a->globe->geod, at.lat, at.lon, a->center_lat, a->center_lon, &at_radius, &b->azimuth,
                 NULL);
    radius += a->radius - at_radius;
  }
  b->lon = at.lon;
  b->lat = at.lat;
  b->fresh = true;
  b->step = 1e3;
  b->noise = antipodal_noise(a, b->lon, b->lat, b->left, b->right);
  b->low = b->azimuth - 120.0;
  b->high = b->azimuth + 120.0;
  GV_TRY(antipodal_check(a, b, b->lon, b->lat, &b->third));
  if (b->third >= 0) a->failed = true;
  return antipodal_begin_path(a, b, true);
}

/* The disc for the corners of facets (all: of both seeds). False if the seeds are too far apart. */
static bool antipodal_place_disc(antipodal *a, const int32_t *seeds, int64_t count) {
  double sum[3] = {0.0, 0.0, 0.0}, length, widest = 0.0;
  for (int64_t i = 0; i < count; i++)
    for (int axis = 0; axis < 3; axis++)
      sum[axis] -= a->t->position[3 * (int64_t)seeds[i] + axis];
  length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
  if (!(length > 0.0)) return false;
  for (int axis = 0; axis < 3; axis++)
    a->center[axis] = sum[axis] / length;
  gv_globe_place(a->globe, a->center, &a->center_lon, &a->center_lat);
  for (int64_t i = 0; i < count; i++) {
    double cosine = 0.0;
    for (int axis = 0; axis < 3; axis++)
      cosine -= a->center[axis] * a->t->position[3 * (int64_t)seeds[i] + axis];
    widest = fmax(widest, acos(fmin(cosine, 1.0)) * a->globe->radius);
  }
  a->radius = widest + gv_globe_antipodal_radius(a->globe);
  return widest < 2.0 * gv_globe_antipodal_radius(a->globe);
}

/* Meters from the center to a vertex, if it is less than 1,000 km. */
static double antipodal_to_center(const antipodal *a, const gv_vertices *v, int64_t facet) {
  double place[3], distance;
  gv_globe_vectors(a->globe, 1, &v->x[facet], &v->y[facet], place);
  if (place[0] * a->center[0] + place[1] * a->center[1] + place[2] * a->center[2] < 0.98) return INFINITY;
  geod_inverse(&a->globe->geod, v->y[facet], v->x[facet], a->center_lat, a->center_lon, &distance, NULL,
               NULL);
  return distance;
}

/* Chooses the radius with no vertex near the boundary; marks the facets with a vertex within the disc, and
 * those that are not settled. */
static void antipodal_mark(antipodal *a, const gv_vertices *v) {
  enum { CHOICES = 16 };
  static const double step = 8e3;
  double nearest[CHOICES];
  int best = 0;
  for (int i = 0; i < CHOICES; i++)
    nearest[i] = INFINITY;
  for (int64_t facet = 0; facet < a->t->facets; facet++) {
    double distance = antipodal_to_center(a, v, facet);
    for (int i = 0; i < CHOICES && distance < INFINITY; i++)
      nearest[i] = fmin(nearest[i], fabs(distance - (a->radius + i * step)));
  }
  for (int i = 1; i < CHOICES; i++)
    if (nearest[i] > nearest[best]) best = i;
  a->radius += best * step;
  for (int64_t i = 0; i < v->unverified; i++)
    a->within[v->open[i]] = true;
  for (int64_t i = 0; i < a->t->facets; i++) {
    if (antipodal_to_center(a, v, i) < a->radius) a->within[i] = true;
    if (a->within[i]) a->facets[a->facet_count++] = (int32_t)i;
  }
}

/* The branch of the side of a facet outside of the disc; the facet across that side is within. */
static branch antipodal_branch(const antipodal *a, int32_t facet, int side) {
  const int32_t *corner = a->t->corner + 3 * (int64_t)facet;
  return (branch){
      .source = 3 * (int64_t)facet + side, .left = corner[(side + 2) % 3], .right = corner[(side + 1) % 3]};
}

/* The side of the boundary that follows a branch's: on around the branch's right seed, through the facets
 * within. */
static int64_t antipodal_follow(const antipodal *a, const branch *b) {
  const gv_triangulation *t = a->t;
  int32_t facet = t->neighbor[b->source];
  for (int64_t i = 0; i <= a->facet_count; i++) {
    /* The facet's side from the right seed on to its next corner. */
    const int32_t *corner = t->corner + 3 * (int64_t)facet;
    int at = corner[0] == b->right ? 0 : corner[1] == b->right ? 1 : 2, side = (at + 2) % 3;
    int32_t other = t->neighbor[3 * (int64_t)facet + side];
    if (!a->within[other])
      return 3 * (int64_t)other + gv_triangulation_side(t, other, corner[(at + 1) % 3], corner[at]);
    facet = other;
  }
  return -1;
}

/* The branches around the disc. Fails unless the facets within form one polygon. */
static void antipodal_collect(antipodal *a) {
  const gv_triangulation *t = a->t;
  int64_t begin = -1, sides = 0;
  for (int32_t i = 0; i < a->facet_count; i++)
    for (int side = 0; side < 3; side++) {
      int64_t inner = 3 * (int64_t)a->facets[i] + side;
      int32_t other = t->neighbor[inner];
      if (a->within[other]) continue;
      const int32_t *corner = t->corner + 3 * (int64_t)a->facets[i];
      sides++;
      begin = 3 * (int64_t)other +
              gv_triangulation_side(t, other, corner[(side + 2) % 3], corner[(side + 1) % 3]);
    }
  a->failed = sides != a->facet_count + 2 || sides > ANTIPODAL_BRANCHES;
  for (int64_t at = begin; !a->failed;) {
    branch *b = &a->branches[a->count];
    *b = antipodal_branch(a, (int32_t)(at / 3), (int)(at % 3));
    b->next = ++a->count;
    at = antipodal_follow(a, b);
    if (at == begin) break;
    if (at < 0 || a->count == sides) a->failed = true;
  }
  if (a->count != sides) a->failed = true;
  if (a->count > 0) a->branches[a->count - 1].next = 0;
}

/* --------------------------------------------------------------------------------------------------- tree */

static bool antipodal_meet(const antipodal *a, const branch *b, const branch *c) {
  double distance;
  geod_inverse(&a->globe->geod, b->lat, b->lon, c->lat, c->lon, &distance, NULL, NULL);
  return distance <= 1e-3 + 10.0 * (b->noise + c->noise);
}

/* The facets, in a fan, of the vertex at which `count` branches from b on end; all: no border begins there.
 * Returns the side of that border. */
static int64_t antipodal_join(antipodal *a, const branch *b, int32_t count, bool all) {
  const branch *next = b;
  int64_t source = b->source, side = -1;
  int32_t last = all ? count - 2 : count - 1;
  for (int32_t i = 0; i < last; i++) {
    int64_t facet = 3 * (int64_t)a->facets[a->made_count];
    antipodal_facet *made = &a->made[a->made_count++];
    if (i == 0) gv_paths_get(a->paths, b->path)->to = facet + 2;
    next = &a->branches[next->next];
    gv_paths_get(a->paths, next->path)->to = facet;
    *made = (antipodal_facet){
        {b->left, next->left, next->right}, {next->source, -1, source}, b->lon, b->lat, b->noise};
    gv_paths_snap(b->noise, &made->lon, &made->lat);
    source = side = facet + 1;
    if (!all || i + 1 < last) continue;
    next = &a->branches[next->next];
    made->source[1] = next->source;
    gv_paths_get(a->paths, next->path)->to = side;
  }
  return side;
}

/* Narrows the directions in which a branch may go on until rounding no longer hides which seed is nearer in
 * the outermost ones: other borders. */
static void antipodal_narrow(const antipodal *a, branch *b) {
  static const double part[] = {1e-5, 1e-4, 1e-3, 1e-2, 0.05};
  double low = b->low, high = b->high, radius = fmax(a->shortest, 20.0 * b->noise);
  antipodal_place place;
  for (int i = 0; i < 5 && !(antipodal_look(a, b, radius, b->low, &place) < 0.0); i++)
    b->low = low + part[i] * (high - low);
  for (int i = 0; i < 5 && !(antipodal_look(a, b, radius, b->high, &place) > 0.0); i++)
    b->high = high - part[i] * (high - low);
}

/* Follows a border; before that the caller may cancel. */
static gv_status antipodal_follow_border(antipodal *a, branch *b) {
  if (!gv_progress_add(&a->progress, 1)) return gv_fail(a->context, GV_ERROR_CANCELLED, "cancelled");
  return antipodal_advance(a, b);
}

/* Replaces `count` branches from b on, which have met, by the one that begins there. */
static gv_status antipodal_merge(antipodal *a, branch *b, int32_t count) {
  const branch *last = b;
  int64_t side = antipodal_join(a, b, count, false);
  for (int32_t i = 1; i < count; i++)
    last = &a->branches[last->next];
  double back = b->azimuth + 180.0, width = remainder(last->azimuth + 180.0 - back, 360.0);
  if (width <= 0.0) width += 360.0;
  b->low = back;
  b->high = back + width;
  b->azimuth = back + 0.5 * width;
  b->right = last->right;
  b->next = last->next;
  b->source = side;
  b->step = 0.0;
  b->fresh = true;
  a->count -= count - 1;
  antipodal_narrow(a, b);
  GV_TRY(antipodal_begin_path(a, b, false));
  GV_TRY(antipodal_follow_border(a, b));
  if (b->third < 0) a->failed = true;
  return GV_OK;
}

/* How many branches from b on end where it does. */
static int32_t antipodal_run(const antipodal *a, const branch *b) {
  int32_t run = 1;
  for (const branch *c = &a->branches[b->next]; run < a->count && antipodal_meet(a, b, c);
       c = &a->branches[c->next])
    run++;
  return run;
}

static gv_status antipodal_make_seed_tree(antipodal *a) {
  int32_t *seeds = gv_allocate(&a->context->allocator, a->count, sizeof *seeds);
  for (int32_t i = 0; i < a->count && seeds != NULL; i++)
    seeds[i] = a->branches[i].left;
  return gv_seed_tree_take(a->context, a->globe, a->lon, a->lat, seeds, a->count, &a->seed_tree);
}

/* At the boundary all seeds are compared, within it those of the boundary. */
static gv_status antipodal_grow(antipodal *a) {
  for (int32_t i = 0; i < a->count && !a->failed; i++)
    GV_TRY(antipodal_enter(a, &a->branches[i]));
  GV_TRY(antipodal_make_seed_tree(a));
  gv_progress_init(&a->progress, a->context, 2 * (int64_t)a->count);
  for (int32_t i = 0; i < a->count && !a->failed; i++) {
    GV_TRY(antipodal_follow_border(a, &a->branches[i]));
    if (a->branches[i].third < 0) a->failed = true;
  }
  int32_t before = 0, waiting = 0;
  while (!a->failed) {
    int32_t at = a->branches[before].next;
    branch *b = &a->branches[at];
    int32_t run = antipodal_run(a, b);
    if (run == a->count) {
      antipodal_join(a, b, run, true);
      break;
    }
    bool begins = run > 1 && !antipodal_meet(a, &a->branches[before], b);
    if (begins) GV_TRY(antipodal_merge(a, b, run));
    before = at;
    waiting = begins ? 0 : waiting + 1;
    if (waiting > a->count || a->count < 3) a->failed = true;
  }
  if (a->made_count != a->facet_count) a->failed = true;
  return GV_OK;
}

/* Puts the facets made in place of those within. */
static void antipodal_commit(const antipodal *a, gv_triangulation *t, gv_vertices *v) {
  for (int32_t i = 0; i < a->made_count; i++) {
    const antipodal_facet *made = &a->made[i];
    int32_t facet = a->facets[i];
    v->x[facet] = made->lon;
    v->y[facet] = made->lat;
    v->noise[facet] = fmax(1e-4, made->noise);
    for (int side = 0; side < 3; side++) {
      int64_t source = made->source[side];
      t->corner[3 * (int64_t)facet + side] = made->corner[side];
      if (source < 0) continue; /* the next facet sets it */
      t->neighbor[3 * (int64_t)facet + side] = (int32_t)(source / 3);
      t->neighbor[source] = facet;
    }
  }
  v->open_count = 0;
}

/* One vertex in the middle instead of all. */
static void antipodal_contract(const antipodal *a, gv_vertices *v) {
  for (int32_t i = 0; i < a->facet_count; i++) {
    v->x[a->facets[i]] = a->center_lon;
    v->y[a->facets[i]] = a->center_lat;
  }
  v->unverified = a->facet_count;
}

static void antipodal_free(antipodal *a) {
  const gv_allocator *allocator = &a->context->allocator;
  gv_index_destroy(a->index);
  gv_seed_tree_free(&a->seed_tree);
  gv_release(allocator, a->branches);
  gv_release(allocator, a->made);
  gv_release(allocator, a->within);
  gv_release(allocator, a->facets);
}

/* The lengths of steps at an attempt. */
static void antipodal_set_steps(antipodal *a, double tolerance) {
  a->tolerance = fmin(0.25 * tolerance, 100.0);
  a->shortest = fmax(0.125 * fmin(tolerance, 400.0), 1e-2);
}

static antipodal antipodal_of(gv_context *context, const gv_globe *globe, const gv_triangulation *t,
                              const double *lon, const double *lat, double tolerance, gv_paths *out) {
  *out = (gv_paths){.allocator = context->allocator};
  antipodal a = {.context = context, .globe = globe, .t = t, .lon = lon, .lat = lat, .paths = out};
  antipodal_set_steps(&a, tolerance);
  return a;
}

/* *failed: nothing has changed, and there are no paths. */
static gv_status antipodal_attempt(gv_context *context, const gv_globe *globe, const double *lon,
                                   const double *lat, double tolerance, gv_triangulation *t, gv_vertices *v,
                                   gv_paths *out, bool last, bool *failed) {
  const gv_allocator *allocator = &context->allocator;
  antipodal a = antipodal_of(context, globe, t, lon, lat, tolerance, out);
  int32_t *corners = gv_allocate(allocator, v->open_count, 3 * sizeof *corners);
  a.within = gv_allocate_zeroed(allocator, t->facets, sizeof *a.within);
  a.facets = gv_allocate(allocator, t->facets, sizeof *a.facets);
  gv_status status = GV_OK;
  if (corners == NULL || a.within == NULL || a.facets == NULL)
    status = gv_fail_memory(context, "the vertices");
  if (status == GV_OK) {
    for (int64_t i = 0; i < 3 * v->open_count; i++)
      corners[i] = t->corner[3 * (int64_t)v->open[i / 3] + i % 3];
    a.failed = !antipodal_place_disc(&a, corners, 3 * v->open_count);
  }
  gv_release(allocator, corners);
  if (status == GV_OK && !a.failed) {
    antipodal_mark(&a, v);
    a.branches = gv_allocate(allocator, a.facet_count + 2, sizeof *a.branches);
    a.made = gv_allocate(allocator, a.facet_count, sizeof *a.made);
    if (a.branches == NULL || a.made == NULL) status = gv_fail_memory(context, "the vertices");
    if (status == GV_OK) status = gv_globe_index(context, globe, lon, lat, t->count, 100000, &a.index);
    if (status == GV_OK) antipodal_collect(&a);
    if (status == GV_OK && !a.failed) status = antipodal_grow(&a);
    if (status == GV_OK && !a.failed) antipodal_commit(&a, t, v);
    if (status == GV_OK && a.failed && last && v->unverified > 0) antipodal_contract(&a, v);
  }
  if (a.failed) gv_paths_free(out);
  if (!a.failed) v->unverified = 0;
  *failed = a.failed;
  antipodal_free(&a);
  return status;
}

/* The path's second half, backwards, becomes another path. */
static gv_status antipodal_split(antipodal *a, branch *b) {
  gv_path *whole = gv_paths_get(a->paths, b->path);
  int64_t count = whole->count, middle = count / 2;
  const double *end = (double *)whole->points.memory + 2 * (count - 1);
  b->lon = end[0];
  b->lat = end[1];
  GV_TRY(antipodal_begin_path(a, b, true));
  for (int64_t i = count - 2; i >= middle; i--) {
    const double *point = (double *)gv_paths_get(a->paths, 0)->points.memory + 2 * i;
    GV_TRY(antipodal_put(a, b, point[0], point[1]));
  }
  gv_paths_get(a->paths, 0)->count = middle + 1;
  return GV_OK;
}

static gv_status antipodal_two(antipodal *a) {
  const gv_triangulation *t = a->t;
  branch b = {.left = t->owner[0], .right = -1, .source = -1, .third = -1};
  for (int64_t i = 0; i < t->count && b.right < 0; i++)
    if (t->owner[i] != b.left) b.right = t->owner[i];
  if (!antipodal_place_disc(a, (const int32_t[]){b.left, b.right}, 2)) return GV_OK;
  GV_TRY(gv_globe_index(a->context, a->globe, a->lon, a->lat, t->count, 10000, &a->index));
  GV_TRY(antipodal_enter(a, &b));
  if (!a->failed) GV_TRY(antipodal_advance(a, &b));
  return a->failed ? GV_OK : antipodal_split(a, &b);
}

/* Other lengths of steps, as in gv_antipodal_trace. */
gv_status gv_antipodal_trace_two(gv_context *context, const gv_globe *globe, const gv_triangulation *t,
                                 const double *lon, const double *lat, double tolerance, gv_paths *out) {
  gv_status status = GV_OK;
  bool failed = true;
  *out = (gv_paths){.allocator = context->allocator};
  if (!globe->ellipsoid) return GV_OK;
  for (int i = 0; i < ANTIPODAL_ATTEMPTS && failed && status == GV_OK; i++) {
    antipodal a = antipodal_of(context, globe, t, lon, lat, antipodal_part[i] * tolerance, out);
    status = antipodal_two(&a);
    failed = a.failed;
    if (failed) gv_paths_free(out);
    antipodal_free(&a);
  }
  return status;
}

/* ------------------------------------------------------------------------------------------------ through */

/* The border of two seeds through the disc; none if it has a vertex there, or could not be traced
 * (a->failed). */
static gv_status through_trace(antipodal *a, branch b) {
  int32_t other = a->t->neighbor[b.source];
  int64_t before = a->paths->count;
  a->failed = false;
  b.third = -1;
  GV_TRY(antipodal_enter(a, &b));
  if (!a->failed) GV_TRY(antipodal_advance(a, &b));
  if (a->paths->count == before) return GV_OK;
  gv_path *path = gv_paths_get(a->paths, before);
  path->leaves = true;
  path->to = 3 * (int64_t)other + gv_triangulation_side(a->t, other, b.left, b.right);
  if (!a->failed && b.third < 0) return GV_OK;
  gv_buffer_clear(&path->points, &a->paths->allocator);
  a->paths->count = before;
  return GV_OK;
}

/* The same with shorter and shorter steps. */
static gv_status through_trace_border(antipodal *a, const branch *b, double tolerance) {
  a->failed = true;
  for (int i = 0; i < ANTIPODAL_ATTEMPTS && a->failed; i++) {
    antipodal_set_steps(a, antipodal_part[i] * tolerance);
    GV_TRY(through_trace(a, *b));
  }
  return GV_OK;
}

/* Borders that lead through the disc without a vertex: of seeds along one geodesic. */
static gv_status antipodal_through(gv_context *context, const gv_globe *globe, const double *lon,
                                   const double *lat, double tolerance, const gv_triangulation *t,
                                   const gv_vertices *v, gv_paths *out) {
  antipodal a = antipodal_of(context, globe, t, lon, lat, tolerance, out);
  gv_status status = GV_OK;
  if (!globe->ellipsoid || t->facets == 0 || !antipodal_place_disc(&a, t->owner, t->count)) return GV_OK;
  for (int64_t side = 0; side < 3 * t->facets && status == GV_OK; side++) {
    int32_t facet = (int32_t)(side / 3), other = t->neighbor[side];
    if (facet > other) continue;
    const branch b = antipodal_branch(&a, facet, (int)(side % 3));
    const double x[2] = {v->x[facet], v->x[other]}, y[2] = {v->y[facet], v->y[other]};
    const double *p = t->position; /* of seeds */
    if (!gv_globe_passes(globe, p + 3 * b.left, p + 3 * b.right, x, y, a.center, a.radius)) continue;
    if (a.index == NULL) status = gv_globe_index(context, globe, lon, lat, t->count, 10000, &a.index);
    if (status == GV_OK) status = through_trace_border(&a, &b, tolerance);
  }
  antipodal_free(&a);
  return status;
}

/* With shorter and shorter steps: some lengths of steps separate borders that nearly touch, others do not. */
gv_status gv_antipodal_trace(gv_context *context, const gv_globe *globe, const double *lon, const double *lat,
                             double tolerance, gv_triangulation *t, gv_vertices *v, gv_paths *out) {
  bool failed = v->open_count > 0;
  *out = (gv_paths){.allocator = context->allocator};
  if (!failed) return antipodal_through(context, globe, lon, lat, tolerance, t, v, out);
  for (int i = 0; i < ANTIPODAL_ATTEMPTS && failed; i++)
    GV_TRY(antipodal_attempt(context, globe, lon, lat, antipodal_part[i] * tolerance, t, v, out,
                             i + 1 == ANTIPODAL_ATTEMPTS, &failed));
  return GV_OK;
}
