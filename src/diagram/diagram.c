/* The public functions of diagrams: triangulation, vertices, cells, lines, one after the other. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "core/cancel.h"
#include "core/given.h"
#include "core/parallel.h"
#include "diagram/check.h"
#include "diagram/fan.h"
#include "diagram/halve.h"
#include "diagram/near_seeds.h"
#include "diagram/pieces.h"
#include "diagram/verify.h"
#include "exact/canonical.h"
#include "geodesic/below.h"
#include "geodesic/turn.h"
#include "search/pair.h"

struct gv_diagram {
  gv_allocator allocator;
  bool plane;
  gv_ellipsoid shape; /* of areas */
  gv_globe globe;
  double extent[4];
  double *lon, *lat, *position;
  double near; /* seeds that are closer are at one place: as positions */
  int64_t unverified;
  gv_diagram_cells cells;
  gv_lines lines;
};

/*
 * To a multiple of a power of two, without negative zeros. Products of differences, and vertices, stay within
 * the range of doubles; a coordinate changes only if it is below 1e-8 of the largest one (globe: below 1e-5
 * degrees).
 */
static double diagram_round(double value, double unit) {
  return rint(value / unit) * unit + 0.0;
}

static gv_status diagram_read_plane(gv_context *context, const gv_points *seeds, gv_diagram *d) {
  for (int64_t i = 0; i < seeds->count; i++) {
    double *p = d->position + 3 * i;
    gv_pair_get(seeds, i, &p[0], &p[1]);
    if (!(fabs(p[0]) <= 1e70 && fabs(p[1]) <= 1e70))
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                     "seed %lld (from 0): coordinates out of range or not finite (%g, %g)", (long long)i,
                     p[0], p[1]);
    p[2] = 0.0;
  }
  return GV_OK;
}

static gv_status diagram_read_globe(gv_context *context, const gv_points *seeds, gv_diagram *d) {
  for (int64_t i = 0; i < seeds->count; i++) {
    double lon, lat;
    gv_pair_get(seeds, i, &lon, &lat);
    if (!(isfinite(lon) && fabs(lat) <= 90.0))
      return gv_fail(
          context, GV_ERROR_INVALID_ARGUMENT,
          "seed %lld (from 0): coordinates out of range or not finite (longitude %.15g, latitude %.15g)",
          (long long)i, lon, lat);
    gv_normalize_lonlat(&lon, &lat);
    d->lon[i] = diagram_round(lon, 0x1p-70); /* degrees: 1e-16 m */
    d->lat[i] = diagram_round(lat, 0x1p-70);
  }
  gv_globe_vectors(&d->globe, seeds->count, d->lon, d->lat, d->position);
  d->near = 1e-5 / 6371e3; /* 10 micrometers on the Earth */
  return GV_OK;
}

/* The rectangle of cells, and three far corners around all: a place of the rectangle is at most 2 radii from
 * each seed, a far corner is at least 7. */
static gv_status diagram_frame(gv_context *context, const double extent[4], int64_t count, gv_diagram *d) {
  double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
  bool given = extent[0] != 0.0 || extent[1] != 0.0 || extent[2] != 0.0 || extent[3] != 0.0;
  for (int64_t i = 0; i < 2 * count; i++) {
    double value = d->position[3 * (i / 2) + i % 2];
    box[i % 2] = fmin(box[i % 2], value);
    box[2 + i % 2] = fmax(box[2 + i % 2], value);
  }
  double margin = 0.1 * fmax(box[2] - box[0], box[3] - box[1]);
  if (margin == 0.0) margin = fmax(1.0, 1e-6 * fmax(fabs(box[0]), fabs(box[1])));
  for (int i = 0; i < 4; i++)
    d->extent[i] = given ? extent[i] : i < 2 ? box[i] - margin : box[i] + margin;
  const double *e = d->extent;
  if (!(e[0] < e[2] && e[1] < e[3] && fabs(e[0]) <= 1e70 && fabs(e[1]) <= 1e70 && fabs(e[2]) <= 1e70 &&
        fabs(e[3]) <= 1e70))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "extent: invalid rectangle (%g, %g, %g, %g); expected west < east and south < north", e[0],
                   e[1], e[2], e[3]);
  for (int i = 0; i < 2; i++) {
    box[i] = fmin(box[i], e[i]);
    box[2 + i] = fmax(box[2 + i], e[2 + i]);
  }
  double largest = 1e-70;
  for (int i = 0; i < 4; i++)
    largest = fmax(largest, fabs(box[i]));
  double unit = ldexp(1.0, ilogb(largest) - 80);
  for (int64_t i = 0; i < 3 * count; i++)
    d->position[i] = diagram_round(d->position[i], unit);
  d->near = fmax(1e-11 * hypot(box[2] - box[0], box[3] - box[1]), 1e-15 * largest);
  double x = 0.5 * (box[0] + box[2]), y = 0.5 * (box[1] + box[3]);
  double far = 8.0 * 0.5 * hypot(box[2] - box[0], box[3] - box[1]);
  const double corner[6] = {
      x, y + far, x - 0.8660254037844386 * far, y - 0.5 * far, x + 0.8660254037844386 * far, y - 0.5 * far};
  for (int i = 0; i < 3; i++) {
    double *p = d->position + 3 * (count + i);
    p[0] = corner[2 * i];
    p[1] = corner[2 * i + 1];
    p[2] = 0.0;
  }
  return GV_OK;
}

/* Moves seeds that are too close to a seed with a lower number to its place. */
static gv_status diagram_join_near(gv_context *context, int64_t count, gv_diagram *d) {
  int32_t *first = gv_allocate(&d->allocator, count, sizeof *first);
  gv_status status = first != NULL ? gv_near_seeds(context, d->position, count, d->near, first)
                                   : gv_fail_memory(context, "the seeds");
  for (int64_t i = 0; status == GV_OK && i < count; i++) {
    memcpy(d->position + 3 * i, d->position + 3 * (int64_t)first[i], 3 * sizeof(double));
    if (d->plane) continue;
    d->lon[i] = d->lon[first[i]];
    d->lat[i] = d->lat[first[i]];
  }
  gv_release(&d->allocator, first);
  return status;
}

static gv_status diagram_read(gv_context *context, const gv_points *seeds, const gv_diagram_options *o,
                              gv_diagram *d) {
  const gv_allocator *allocator = &d->allocator;
  int64_t count = seeds->count;
  d->position = gv_allocate(allocator, count + 3, 3 * sizeof(double));
  d->lon = gv_allocate(allocator, d->plane ? 0 : count, sizeof(double));
  d->lat = gv_allocate(allocator, d->plane ? 0 : count, sizeof(double));
  if (d->position == NULL || d->lon == NULL || d->lat == NULL) return gv_fail_memory(context, "the seeds");
  if (d->plane) {
    GV_TRY(diagram_read_plane(context, seeds, d));
    GV_TRY(diagram_frame(context, o->extent, count, d));
  } else {
    GV_TRY(diagram_read_globe(context, seeds, d));
  }
  return diagram_join_near(context, count, d);
}

/* The two places on the bisector of two seeds, from those on the conformal sphere. */
static void diagram_adjust_two(gv_diagram *d) {
  const gv_diagram_cells *c = &d->cells;
  if (c->places != 2 || d->plane || !d->globe.ellipsoid) return;
  const double lon[2] = {d->lon[c->side[0]], d->lon[c->side[1]]},
               lat[2] = {d->lat[c->side[0]], d->lat[c->side[1]]};
  for (int i = 0; i < (c->path != NULL ? 1 : 2); i++) {
    gv_equidistant at = {.lon = c->x[i], .lat = c->y[i]};
    if (gv_equidistant_find(&d->globe, 2, lon, lat, &at)) {
      c->x[i] = at.lon;
      c->y[i] = at.lat;
    } else {
      d->unverified++;
    }
  }
}

/* A stage of the work: its own progress, from 0 to 1 and possibly several times, becomes a part of the
 * whole. */
typedef struct diagram_stage {
  gv_context context; /* for the functions of the stage */
  const gv_context *whole;
  double from, to, last; /* shares of the whole */
  double called;         /* seconds */
} diagram_stage;

static double diagram_seconds(void) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int diagram_stage_call(double fraction, void *user) {
  static const double pause = 0.05;
  diagram_stage *s = user;
  double share = s->from + fraction * (s->to - s->from), now = diagram_seconds();
  if (share < s->last + 0.01 && now < s->called + pause) return 1;
  s->called = now;
  s->last = fmax(s->last, share);
  return s->whole->progress(s->last, s->whole->progress_user);
}

static gv_context *diagram_stage_begin(diagram_stage *s, double to) {
  s->from = s->last = fmax(s->to, s->last);
  s->to = to;
  gv_context_without_progress(s->whole, &s->context);
  if (s->whole->progress == NULL) return &s->context;
  s->context.progress = diagram_stage_call;
  s->context.progress_user = s;
  return &s->context;
}

/* What a diagram is made of. */
typedef struct diagram_parts {
  gv_triangulation t;
  gv_vertices v;
  gv_paths paths;
  double tolerance;
  uint8_t *round; /* of seeds */
  bool *wrong;    /* of cells */
  double *fan;    /* of vertices (fan.h); NULL before the first round */
} diagram_parts;

static gv_status diagram_vertices(diagram_stage *stage, int64_t count, gv_diagram *d, diagram_parts *m) {
  const gv_globe *globe = d->plane ? NULL : &d->globe;
  gv_context *context = diagram_stage_begin(stage, globe == NULL || !globe->ellipsoid ? 0.6 : 0.2);
  gv_surface surface = globe == NULL      ? GV_SURFACE_PLANE
                       : globe->ellipsoid ? GV_SURFACE_ELLIPSOID
                                          : GV_SURFACE_SPHERE;
  GV_TRY(gv_triangulate(context, surface, d->position, count, &m->t));
  context = diagram_stage_begin(stage, globe == NULL || !globe->ellipsoid ? 0.65 : 0.6);
  GV_TRY(gv_vertices_find(context, &m->t, globe, d->lon, d->lat, m->tolerance, &m->v));
  if (globe != NULL && m->t.distinct == 2) {
    GV_TRY(gv_antipodal_trace_two(context, globe, &m->t, d->lon, d->lat, m->tolerance, &m->paths));
  } else if (globe != NULL) {
    GV_TRY(gv_antipodal_trace(context, globe, d->lon, d->lat, m->tolerance, &m->t, &m->v, &m->paths));
  }
  d->unverified = m->v.unverified;
  return GV_OK;
}

/* Cells and lines, and the check of the whole. */
static gv_status diagram_cells(gv_context *context, gv_diagram *d, diagram_parts *m, gv_check *check) {
  const gv_globe *globe = d->plane ? NULL : &d->globe;
  double most = d->plane ? 1e-9 * hypot(d->extent[2] - d->extent[0], d->extent[3] - d->extent[1])
                         : fmax(m->tolerance / 8, 0.1);
  gv_diagram_parts parts;
  gv_diagram_parts_init(&parts);
  gv_cells_free(&d->cells);
  gv_lines_free(&d->lines);
  GV_TRY(gv_cells_make(context, &m->t, &m->v, &m->paths, globe, m->round, most, &d->cells));
  diagram_adjust_two(d);
  GV_TRY(gv_check_cancelled(context));
  if (d->plane) GV_TRY(gv_cells_clip(context, d->extent, d->position, &d->cells));
  GV_TRY(gv_check_cancelled(context));
  GV_TRY(gv_lines_trace(context, &d->cells, &m->paths, globe, d->lon, d->lat, d->position, m->tolerance,
                        &d->lines));
  if (m->round != NULL && !d->plane && d->globe.ellipsoid)
    GV_TRY(gv_lines_fan(context, &d->cells, globe, d->lon, d->lat, d->position, m->round, m->fan, &d->lines));
  GV_TRY(gv_diagram_get(context, d, &parts));
  return gv_check_whole(context, &parts, d->plane ? d->extent : NULL, m->wrong, check);
}

/* How often lines are halved. `last`: also those of rows, where a line that is moved may cross the next one,
 * and so on. */
static int64_t diagram_halvings(int64_t seeds, bool last) {
  enum { FEW = 24, EACH = 8, MOST = 2000000 /* checks of cells */ };
  int64_t many = FEW + EACH * seeds;
  if (many > MOST / seeds) many = MOST / seeds;
  return last && many > FEW ? many : FEW;
}

/* Halves segments of crossing lines, on the globe, until the check passes, nothing is left to halve, or
 * crossings multiply, as those of rounding do. */
static gv_status diagram_uncross(gv_context *context, gv_diagram *d, diagram_parts *m, bool last,
                                 gv_check *check) {
  enum { MULTIPLE = 64, SOME = 64 };
  int64_t halvings = diagram_halvings(d->cells.seeds, last);
  int64_t marks = 0, added = 1, first = 0;
  for (int64_t i = 0;
       i < halvings && !d->plane && added > 0 && marks <= MULTIPLE * first + SOME && check->first >= 0; i++) {
    gv_diagram_parts parts;
    gv_diagram_parts_init(&parts);
    GV_TRY(gv_diagram_get(context, d, &parts));
    GV_TRY(gv_lines_halve(context, &parts, &d->cells, &d->globe, d->lon, d->lat, d->position, m->wrong,
                          m->fan, &d->lines, &marks, &added));
    first = i == 0 ? marks : first;
    GV_TRY(gv_diagram_get(context, d, &parts));
    GV_TRY(gv_check_whole(context, &parts, NULL, m->wrong, check));
  }
  return GV_OK;
}

/*
 * The whole diagram. Lines within the tolerance of borders that are closer together may cross: they are
 * halved. Vertices that rounding has moved may lie in the wrong order: cells with those are made again, with
 * fewer vertices. What does not pass the check of the whole after that is an error.
 */
static gv_status diagram_repair(diagram_stage *stage, gv_diagram *d, diagram_parts *m) {
  const int rounds = d->plane ? 12 : 5;
  int64_t count = m->t.count;
  gv_check check;
  gv_context *context = NULL;
  for (int round = 0;; round++) {
    context = diagram_stage_begin(stage, 0.94 + 0.05 * round / rounds);
    GV_TRY(diagram_cells(context, d, m, &check));
    GV_TRY(diagram_uncross(context, d, m, round == rounds, &check));
    if (gv_check_passed(&check)) return GV_OK;
    if (check.first < 0 || round == rounds) break;
    if (m->round == NULL) {
      m->round = gv_allocate_zeroed(&d->allocator, count, sizeof *m->round);
      m->fan = gv_allocate_zeroed(&d->allocator, m->t.facets + 2, sizeof *m->fan);
    }
    if (m->round == NULL || m->fan == NULL) return gv_fail_memory(context, "the cells");
    for (int64_t seed = 0; seed < count; seed++)
      if (m->wrong[seed]) m->round[seed] = (uint8_t)(round + 1);
  }
  return gv_fail(
      context, GV_ERROR_INTERNAL,
      "diagram: cells overlap (%lld cells, seed %lld from 0, near %.9g %.9g, areas %.9g of the map); "
      "use a smaller tolerance or remove seeds that are close together",
      (long long)check.crossed, (long long)check.first, check.lon, check.lat, check.share);
}

static gv_status diagram_make(gv_context *context, int64_t count, double tolerance, gv_diagram *d) {
  const gv_allocator *allocator = &d->allocator;
  diagram_parts m = {.t.allocator = *allocator,
                     .v.allocator = *allocator,
                     .paths.allocator = *allocator,
                     .tolerance = tolerance,
                     .wrong = gv_allocate(allocator, count, sizeof *m.wrong)};
  diagram_stage stage = {.whole = context};
  gv_context *now = diagram_stage_begin(&stage, 0.0);
  gv_status status =
      m.wrong != NULL ? diagram_vertices(&stage, count, d, &m) : gv_fail_memory(now, "the cells");
  if (status == GV_OK) status = diagram_repair(&stage, d, &m);
  if (status == GV_OK && !d->plane && d->globe.ellipsoid) {
    int64_t wrong = 0;
    now = diagram_stage_begin(&stage, 1.0);
    status =
        gv_lines_verify(now, &d->cells, &d->lines, &d->globe, d->lon, d->lat, d->position, tolerance, &wrong);
    d->unverified += wrong;
  }
  gv_triangulation_destroy(&m.t);
  gv_vertices_free(&m.v);
  gv_paths_free(&m.paths);
  gv_release(allocator, m.round);
  gv_release(allocator, m.fan);
  gv_release(allocator, m.wrong);
  if (status == GV_OK && context->progress != NULL && !context->progress(1.0, context->progress_user))
    status = gv_fail(&stage.context, GV_ERROR_CANCELLED, "cancelled");
  return gv_take_error(context, status, &stage.context);
}

static gv_status diagram_check(gv_context *context, const gv_points *seeds, const gv_diagram_options *o) {
  if (seeds == NULL || seeds->count < 1) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "seeds: missing");
  GV_TRY(gv_check_pairs(context, seeds, "seed"));
  if (seeds->count > GV_MAX_DIAGRAM_SEEDS)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "number of seeds: out of range [1, %d] (%lld)",
                   GV_MAX_DIAGRAM_SEEDS, (long long)seeds->count);
  if (o->metric == GV_MANHATTAN || o->metric == GV_CHEBYSHEV || gv_metric_of_searches(o->metric))
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "metric: unsupported for diagrams (%s); use euclidean, great-circle or geodesic",
                   gv_metric_name(o->metric));
  if (gv_metric_name(o->metric) == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "metric: unknown number (%d)", (int)o->metric);
  if (!(o->tolerance > 0.0))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "tolerance: invalid (%g); expected a number above 0",
                   o->tolerance);
  return GV_OK;
}

gv_status gv_diagram_create(gv_context *context, const gv_points *seeds, const gv_diagram_options *options,
                            gv_diagram **out) {
  gv_points own;
  gv_diagram_options o;
  gv_diagram_options_init(&o);
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (out == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "diagram: the output pointer is NULL");
  GV_COPY_GIVEN(context, gv_diagram_options, &o, options);
  GV_TRY(gv_load_pair(context, &seeds, &own));
  GV_TRY(diagram_check(context, seeds, &o));
  gv_diagram *d = gv_allocate_zeroed(&context->allocator, 1, sizeof *d);
  if (d == NULL) return gv_fail_memory(context, "the diagram");
  d->allocator = d->cells.allocator = d->lines.allocator = context->allocator;
  d->plane = o.metric == GV_EUCLIDEAN;
  gv_status status = d->plane ? GV_OK : gv_ellipsoid_init(context, o.semi_major, o.flattening, &d->shape);
  if (status == GV_OK && !d->plane) gv_globe_init(o.metric, &d->shape, &d->globe);
  if (status == GV_OK) status = diagram_read(context, seeds, &o, d);
  if (status == GV_OK) status = diagram_make(context, seeds->count, o.tolerance, d);
  if (status == GV_OK) {
    *out = d;
  } else {
    gv_diagram_destroy(d);
  }
  return status;
}

void gv_diagram_destroy(gv_diagram *d) {
  if (d == NULL) return;
  gv_allocator allocator = d->allocator;
  gv_cells_free(&d->cells);
  gv_lines_free(&d->lines);
  gv_release(&allocator, d->lon);
  gv_release(&allocator, d->lat);
  gv_release(&allocator, d->position);
  gv_release(&allocator, d);
}

gv_status gv_diagram_get(gv_context *context, const gv_diagram *d, gv_diagram_parts *parts) {
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (d == NULL || parts == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "diagram or parts: the pointer is NULL");
  const gv_diagram_cells *c = &d->cells;
  const gv_diagram_parts own = {.struct_size = sizeof own,
                                .seed_count = c->seeds,
                                .place_count = c->places,
                                .vertex_count = c->vertices,
                                .edge_count = c->edges,
                                .unverified = d->unverified,
                                .owner = c->owner,
                                .vertex_x = c->x,
                                .vertex_y = c->y,
                                .edge_vertex = c->end,
                                .edge_seed = c->side,
                                .line = d->lines.first,
                                .line_x = d->lines.x,
                                .line_y = d->lines.y,
                                .cell = c->first,
                                .ring = c->ring};
  if (!gv_fill_given(parts, &own, sizeof own))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "gv_diagram_parts: struct_size is not set; call gv_..._init");
  return GV_OK;
}

/* -------------------------------------------------------------------------------------------------- areas */

/* Of an edge: the area below it, its difference of longitudes, and whether it is near a pole. */
typedef struct edge_area {
  double below, turn;
  bool polar;
} edge_area;

typedef struct measurer {
  const gv_diagram *diagram;
  struct geod_geodesic geod;
  edge_area *edge; /* globe */
  double *area;
  gv_progress progress;
} measurer;

/* Points of a ring's edge without its last one, one after the other; false at the end. */
typedef struct ring_walk {
  const gv_diagram *d;
  int64_t at, end; /* in the ring */
  int64_t point;   /* of the edge */
} ring_walk;

static bool ring_next(ring_walk *w, double *x, double *y) {
  const gv_lines *lines = &w->d->lines;
  if (w->at == w->end) return false;
  int64_t ring = w->d->cells.ring[w->at], edge = gv_ring_edge(ring);
  int64_t first = lines->first[edge], count = lines->first[edge + 1] - first;
  int64_t point = ring < 0 ? first + count - 1 - w->point : first + w->point;
  *x = lines->x[point];
  *y = lines->y[point];
  if (++w->point == count - 1) {
    w->point = 0;
    w->at++;
  }
  return true;
}

static double area_plane(ring_walk *w) {
  double x0, y0, x1, y1, x2, y2, twice = 0.0;
  if (!ring_next(w, &x0, &y0) || !ring_next(w, &x1, &y1)) return 0.0;
  for (; ring_next(w, &x2, &y2); x1 = x2, y1 = y2)
    twice += (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
  return 0.5 * twice;
}

/* PROJ's polygon of the whole ring, for rings near a pole. */
static double area_of_ring(const struct geod_geodesic *geod, ring_walk *w) {
  struct geod_polygon polygon;
  double lon, lat, area;
  geod_polygon_init(&polygon, 0);
  while (ring_next(w, &lon, &lat))
    geod_polygon_addpoint(geod, &polygon, lat, lon);
  geod_polygon_compute(geod, &polygon, 0, 1, &area, NULL);
  return area;
}

/* The areas between edges and the equator, once for both cells. */
static gv_status area_of_edges(gv_worker *worker, int64_t first, int64_t end) {
  measurer *m = worker->user;
  const gv_lines *lines = &m->diagram->lines;
  for (int64_t edge = first; edge < end && gv_progress_add(&m->progress, 1); edge++) {
    edge_area *e = &m->edge[edge];
    *e = (edge_area){0.0, 0.0, false};
    for (int64_t i = lines->first[edge]; i + 1 < lines->first[edge + 1]; i++) {
      const double from[2] = {lines->x[i], lines->y[i]}, to[2] = {lines->x[i + 1], lines->y[i + 1]};
      double way = gv_turn(to[0] - from[0]);
      e->below += gv_area_below(&m->geod, from, to);
      e->turn += way;
      e->polar |= fabs(way) > 170.0 || fabs(lines->y[i]) > 89.9 || fabs(lines->y[i + 1]) > 89.9;
    }
  }
  return GV_OK;
}

static double area_globe(const measurer *m, int64_t seed) {
  const gv_diagram_cells *c = &m->diagram->cells;
  double below = 0.0, turn = 0.0, area, whole = 12.566370614359172 * m->geod.c2;
  bool polar = false;
  for (int64_t i = c->first[seed]; i < c->first[seed + 1]; i++) {
    int64_t ring = c->ring[i], edge = gv_ring_edge(ring);
    double sign = ring < 0 ? -1.0 : 1.0;
    below += sign * m->edge[edge].below;
    turn += sign * m->edge[edge].turn;
    polar |= m->edge[edge].polar;
  }
  if (polar) {
    ring_walk walk = {m->diagram, c->first[seed], c->first[seed + 1], 0};
    area = area_of_ring(&m->geod, &walk);
  } else {
    if (fabs(turn) > 180.0) below += below < 0.0 ? 0.5 * whole : -0.5 * whole; /* around a pole */
    area = -below;
  }
  /* A cell may have more than half of the globe, and rounding may make a tiny one negative. */
  return area < -0.25 * whole ? area + whole : area;
}

static gv_status area_body(gv_worker *worker, int64_t first, int64_t end) {
  measurer *m = worker->user;
  const gv_diagram_cells *c = &m->diagram->cells;
  for (int64_t seed = first; seed < end && gv_progress_add(&m->progress, 1); seed++) {
    ring_walk walk = {m->diagram, c->first[seed], c->first[seed + 1], 0};
    if (walk.at == walk.end) {
      bool all = !m->diagram->plane && c->places == 1 && c->owner[seed] == seed;
      m->area[seed] = all ? 12.566370614359172 * m->geod.c2 : 0.0;
    } else {
      m->area[seed] = m->diagram->plane ? area_plane(&walk) : area_globe(m, seed);
    }
  }
  return GV_OK;
}

gv_status gv_diagram_areas(gv_context *context, const gv_diagram *d, double *area) {
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (d == NULL || area == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "diagram or areas: the pointer is NULL");
  measurer m = {.diagram = d, .area = area};
  gv_loop edges = {context, context->threads, d->cells.edges, 64, &m.progress, &m};
  gv_loop cells = {context, context->threads, d->cells.seeds, 64, &m.progress, &m};
  gv_status status = GV_OK;
  gv_progress_init(&m.progress, context, d->cells.seeds + (d->plane ? 0 : d->cells.edges));
  if (!d->plane) {
    geod_init(&m.geod, d->shape.semi_major, d->shape.flattening);
    m.edge = gv_allocate(&context->allocator, d->cells.edges, sizeof *m.edge);
    status = m.edge != NULL ? gv_parallel_for(&edges, area_of_edges) : gv_fail_memory(context, "the areas");
  }
  if (status == GV_OK) status = gv_parallel_for(&cells, area_body);
  gv_release(&context->allocator, m.edge);
  return status;
}

/* ----------------------------------------------------------------------------------------------- polygons */

struct gv_diagram_polygons {
  gv_allocator allocator;
  gv_pieces pieces;
  int64_t cells, *polygon;
};

gv_status gv_diagram_polygons_create(gv_context *context, const gv_diagram *diagram, int cut,
                                     gv_diagram_polygons **out) {
  gv_diagram_parts parts;
  gv_diagram_parts_init(&parts);
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (out == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "polygons: the output pointer is NULL");
  GV_TRY(gv_diagram_get(context, diagram, &parts));
  gv_diagram_polygons *made = gv_allocate_zeroed(&context->allocator, 1, sizeof *made);
  if (made == NULL) return gv_fail_memory(context, "the polygons");
  made->allocator = context->allocator;
  made->cells = parts.seed_count;
  made->polygon = gv_allocate(&context->allocator, parts.seed_count + 1, sizeof *made->polygon);
  gv_status status = made->polygon != NULL ? GV_OK : gv_fail_memory(context, "the polygons");
  gv_progress progress;
  gv_progress_init(&progress, context, parts.seed_count);
  for (int64_t seed = 0; seed < parts.seed_count && status == GV_OK; seed++) {
    made->polygon[seed] = made->pieces.count;
    status = gv_pieces_of_cell(context, &parts, seed, !diagram->plane, cut != 0, &made->pieces);
    if (status == GV_OK && !gv_progress_add(&progress, 1)) status = gv_check_progress(context, &progress);
  }
  if (status == GV_OK) {
    made->polygon[parts.seed_count] = made->pieces.count;
    *out = made;
  } else {
    gv_diagram_polygons_destroy(made);
  }
  return status;
}

gv_status gv_diagram_polygons_get(gv_context *context, const gv_diagram_polygons *polygons,
                                  gv_diagram_rings *rings) {
  static const int64_t none[1] = {0};
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (polygons == NULL || rings == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "polygons or rings: the pointer is NULL");
  const gv_pieces *p = &polygons->pieces;
  const gv_diagram_rings own = {.struct_size = sizeof own,
                                .cell_count = polygons->cells,
                                .polygon_count = p->count,
                                .point_count = p->points,
                                .polygon = polygons->polygon,
                                .point = p->first != NULL ? p->first : none,
                                .x = p->x,
                                .y = p->y};
  if (!gv_fill_given(rings, &own, sizeof own))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "gv_diagram_rings: struct_size is not set; call gv_..._init");
  return GV_OK;
}

void gv_diagram_polygons_destroy(gv_diagram_polygons *polygons) {
  if (polygons == NULL) return;
  gv_allocator allocator = polygons->allocator;
  gv_pieces_clear(&allocator, &polygons->pieces);
  gv_release(&allocator, polygons->polygon);
  gv_release(&allocator, polygons);
}
