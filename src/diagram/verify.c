/* Long edges. */
#include "diagram/verify.h"

#include <math.h>

#include "core/angles.h"
#include "core/parallel.h"
#include "diagram/seed_tree.h"

/* Of an edge, at most; of one that has been compared around the antipodes (antipodal.h). */
enum { VERIFY_POINTS = 65, VERIFY_FEW = 9 };

/* Whether a vertex is farther from a seed than the radius of convexity, less 1 degree for the conformal
 * sphere. */
static bool verify_is_far(const gv_globe *globe, double x, double y, double lon, double lat) {
  double across = remainder(x - lon, 360.0);
  if (fabs(across) < 40.0 && fabs(y - lat) < 40.0) return false;
  const double both_lon[2] = {x, lon}, both_lat[2] = {y, lat};
  double v[6];
  gv_globe_vectors(globe, 2, both_lon, both_lat, v);
  return v[0] * v[3] + v[1] * v[4] + v[2] * v[5] < 0.0174;
}

static double verify_distance(const gv_globe *globe, double x, double y, double lon, double lat) {
  double distance;
  geod_inverse(&globe->geod, y, x, lat, lon, &distance, NULL, NULL);
  return distance;
}

typedef struct verifier {
  const gv_diagram_cells *cells;
  const gv_lines *lines;
  const gv_globe *globe;
  const double *lon, *lat;
  double slack;
  const int64_t *edge; /* to look at */
  const gv_index *index;
  gv_seed_tree seed_tree; /* of all seeds, in place of the index; or without any */
  int64_t wrong;
  gv_progress progress;
} verifier;

/* Degrees between two points of a line, roughly. */
static double verify_step(const gv_lines *lines, int64_t from, int64_t to) {
  double cosine = cos(0.5 * (lines->y[from] + lines->y[to]) * GV_DEGREE);
  return hypot(remainder(lines->x[to] - lines->x[from], 360.0) * cosine, lines->y[to] - lines->y[from]);
}

/* Chooses points of an edge: evenly spread, both ends, and of parts within the radius of convexity the ends
 * only. Returns their number. */
static int64_t verify_points(const verifier *v, int64_t edge, double x[], double y[], double most[]) {
  const gv_lines *lines = v->lines;
  int64_t first = lines->first[edge], end = lines->first[edge + 1], number = 0;
  int64_t left = v->cells->side[2 * edge], other = v->cells->side[2 * edge + 1];
  bool traced = v->cells->path != NULL && v->cells->path[edge] != 0;
  double convex = 1.5707963 * fmin(v->globe->geod.a, v->globe->geod.b) - 1e3, length = 0.0, since = 0.0;
  for (int64_t i = first + 1; i < end; i++)
    length += verify_step(lines, i - 1, i);
  double step = length / (traced ? VERIFY_FEW - 1 : VERIFY_POINTS - 1);
  for (int64_t i = first; i < end; i++) {
    since += i > first ? verify_step(lines, i - 1, i) : step;
    if (since < step && i + 1 < end) continue;
    since = 0.0;
    double at = fmax(verify_distance(v->globe, lines->x[i], lines->y[i], v->lon[left], v->lat[left]),
                     verify_distance(v->globe, lines->x[i], lines->y[i], v->lon[other], v->lat[other]));
    bool further = number > 1 && at < convex && most[number - 1] < convex && most[number - 2] < convex;
    if (further || number == VERIFY_POINTS) number--;
    x[number] = lines->x[i];
    y[number] = lines->y[i];
    most[number] = at;
    number++;
  }
  return number;
}

/* *right: both seeds are nearest to those points of an edge that are looked up, but for the slack. */
static gv_status verify_edge(gv_worker *worker, const verifier *v, int64_t edge, bool *right) {
  double x[VERIFY_POINTS], y[VERIFY_POINTS], least[VERIFY_POINTS], most[VERIFY_POINTS];
  int64_t nearest[VERIFY_POINTS], number = verify_points(v, edge, x, y, most);
  *right = true;
  /* The ends are vertices, which have been compared. */
  for (int64_t i = 1; i + 1 < number && v->seed_tree.count > 0; i++) {
    int32_t found = -1;
    least[i] = most[i] - v->slack;
    gv_seed_tree_search(&v->seed_tree, x[i], y[i], NULL, &least[i], &found);
    *right &= found < 0;
  }
  if (v->seed_tree.count > 0 || number < 3) return GV_OK;
  gv_points places = gv_points_xy(x + 1, y + 1, number - 2);
  GV_TRY(gv_index_search(&worker->context, v->index, &places, NULL, nearest, least));
  for (int64_t i = 0; i < number - 2; i++)
    *right &= most[i + 1] <= least[i] + v->slack;
  return GV_OK;
}

static gv_status verify_body(gv_worker *worker, int64_t first, int64_t end) {
  verifier *v = worker->user;
  int64_t wrong = 0;
  for (int64_t i = first; i < end; i++) {
    bool right;
    GV_TRY(verify_edge(worker, v, v->edge[i], &right));
    wrong += !right;
    if (!gv_progress_add(&v->progress, 1)) break;
  }
  gv_worker_lock(worker);
  v->wrong += wrong;
  gv_worker_unlock(worker);
  return GV_OK;
}

/* The edges with a vertex beyond the radius of convexity. */
static int64_t verify_choose(const verifier *v, int64_t *chosen) {
  int64_t number = 0;
  for (int64_t edge = 0; edge < v->cells->edges; edge++) {
    int64_t first = v->lines->first[edge], last = v->lines->first[edge + 1] - 1,
            left = v->cells->side[2 * edge];
    if (verify_is_far(v->globe, v->lines->x[first], v->lines->y[first], v->lon[left], v->lat[left]) ||
        verify_is_far(v->globe, v->lines->x[last], v->lines->y[last], v->lon[left], v->lat[left]))
      chosen[number++] = edge;
  }
  return number;
}

gv_status gv_lines_verify(gv_context *context, const gv_diagram_cells *cells, const gv_lines *lines,
                          const gv_globe *globe, const double *lon, const double *lat, const double *position,
                          double tolerance, int64_t *wrong) {
  verifier v = {.cells = cells,
                .lines = lines,
                .globe = globe,
                .lon = lon,
                .lat = lat,
                .slack = 2.0 * tolerance + 1e-3,
                .seed_tree = {.allocator = context->allocator}};
  int64_t *edge = gv_allocate(&context->allocator, cells->edges, sizeof *edge);
  gv_index *index = NULL;
  *wrong = 0;
  if (edge == NULL) return gv_fail_memory(context, "the check of borders");
  int64_t number = verify_choose(&v, edge);
  gv_status status = GV_OK;
  if (number > 64 && number > cells->edges / 32) {
    status = gv_seed_tree_of_all(context, globe, lon, lat, position, cells->seeds, &v.seed_tree);
  } else if (number > 0) {
    status = gv_globe_index(context, globe, lon, lat, cells->seeds, 100000, &index);
  }
  v.edge = edge;
  v.index = index;
  gv_progress_init(&v.progress, context, number);
  gv_loop loop = {context, context->threads, number, 4, &v.progress, &v};
  if (status == GV_OK) status = gv_parallel_for(&loop, verify_body);
  *wrong = v.wrong;
  gv_seed_tree_free(&v.seed_tree);
  gv_index_destroy(index);
  gv_release(&context->allocator, edge);
  return status;
}
