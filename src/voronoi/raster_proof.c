/*
 * Which cells of a group cannot be nearest to any query.
 *
 * Claim. Let c be a cell of a group that is not at the raster's border, with neighbors across its four
 * edges (`corners`: its eight neighbors) of the same group, and q a place that does not lie in the pixel
 * of c, widened by WIDER of its sides on each side. Then one of these neighbors has a smaller exact
 * distance to q than c has. That neighbor is kept, or has such a neighbor itself. Exact values decrease
 * along this path, so it ends at a cell that is kept or has q in its pixel. So a cell that is left out is
 * not a nearest cell of its group for q, not even one of several, and so not of all groups.
 *
 * Queries at the raster's own cells: q is a center, so either c itself, which is decided before the
 * search, or another center of the lattice. Queries of other grids: in addition to the edges, all cells
 * are kept that may have a query in their (widened) pixel.
 *
 * The plane, upright: with dx, dy from c to q, for |dx| > w / 2 + WIDER w, for example, the neighbor on
 * that side has |dx'| <= |dx| - 2 WIDER w (own cells: - w) and the same dy. For sums that is less, for the
 * maximum of both it may be the same: Chebyshev uses the step in x and y together, and is supported for
 * own cells only, where dx and dy are 0 or both become smaller. In squares the gain is at least 2 WIDER
 * s^2, s the smaller side; rounding loses less than 8 x 2^-53 D^2 if all places are within D of each
 * other, so D <= 2^22 s leaves 2^-6 s^2 of 2^-5 s^2. Places themselves are rounded by 3 x 2^-53 |x|, which
 * |x| <= 2^36 s makes less than s / 10,000. Rotated: the raster's own cells and Euclidean only. With sides
 * u, v and q = c + n u + m v the step is s u + t v, s and t the signs of n and m (0 for 0): |q - c|^2
 * becomes less by (2|n| - 1)|u|^2 + (2|m| - 1)|v|^2 + 2 u.v (n t + m s - s t) where both are not 0, which
 * is at least half of |n||u|^2 + |m||v|^2 if |u.v| <= min(|u|^2, |v|^2) / 8; if one is 0, only the other's
 * term is left.
 *
 * Longitude and latitude. p is the cosine of a latitude, w and h are the sides in radians, n w the
 * difference of longitudes from c to q on the shorter way round. By the mirror at the meridian between c
 * and its neighbor to the east or west, q is nearer to the one on its side, on the sphere and on every
 * ellipsoid of revolution.
 *   East and west: on the sphere the squared chord becomes less by 4 p_q p_c sin((|n| - 1/2) w) sin(w /
 *   2). On an ellipsoid, 0 <= f <= 0.01, a geodesic's length changes with the difference of longitudes, L,
 *   by a sin(alpha0) = a cos(beta_q) cos(beta_c) sin(omega) / sin(sigma), where omega, the difference on
 *   the auxiliary sphere, is L plus f pi 1.01 sin(alpha0) at most; so sin(alpha0) >= p_q p_c sin(L) / 2
 *   (beyond 90 degrees: either sin(alpha0) >= 15 (pi - L), or pi - omega >= (pi - L) / 2). Over the step:
 *   a p_q p_c sin((|n| - 1/2) w) sin(w / 2), a quarter of the sphere's gain. For all |n| >= 1 that is p_q
 *   p_c w^2 / 4 and more, for |n| >= 1/2 + WIDER p_q p_c w^2 WIDER / 2. (If the raster spans the globe,
 *   its last column meets the first within w / 1000 of that distance.)
 *   North and south, for q near a pole, p_q <= p_c / 6; m is the p of the neighbor of c on that side. If m
 *   >= p_c / 2, on an ellipsoid by Clairaut the geodesic leaves c, and all places up to the neighbor,
 *   within 20 degrees of the meridian, and towards that pole (the path over the other one is longer by 2
 *   p_q): the gain is 0.9 h a. On the sphere it is 4 sin(h / 2) (0.9 m - p_q) of the squared chord, at
 *   least h m. If m < p_c / 2, c is in the second row from the pole: the neighbor is within m of the pole
 *   and c within m + h, m <= h, so q, within h / 3 of it, is nearer to the neighbor by h / 3.
 *   On the meridian itself, n = 0, it is h, and 4 sin^2(h / 2).
 *   Unless q is near a pole, p_q > p_c / 6, and the claim holds for a row if p_c^2 w^2 / 24 exceeds twice
 *   the loss: 15 nm in geod_inverse (2.4e-15 a), 6e-15 of a squared chord of positions within 4e-16: p_c w
 *   >= 1e-6 makes it 4e-14.
 *   Other grids: p_c^2 w^2 WIDER / 12 with WIDER = 1/64: p_c w >= 6e-6 makes it 4e-14. Above and below the
 *   pixel, |n| <= 1/2 + WIDER: the places at equal distance from c and its neighbor lie along the parallel
 *   between them within w^2 / 8, and the gain of a place farther by WIDER h is h (WIDER h - w^2 / 8), of
 *   which at least three quarters are left if 32 w^2 <= h; the radii of curvature change by f h, far less.
 *
 * Whole rows, the poles' too. Let row r and the adjacent rows be of one group from end to end, and q a
 * query elsewhere. A path from q to r crosses the adjacent row of r on q's side, and no path from parallel
 * to parallel is shorter than a meridian. So if a cell of that row lies on q's meridian, as for the
 * raster's own cells, it is nearer to q than all of r, by h a, or 0.97 h a on the ellipsoid. If the raster
 * spans the globe, a cell lies within 0.501 w of the meridian: that costs less than 0.46 h a if p w <= 0.9
 * h there. Half an h a is meters, and h^2 / 4 of a squared chord, 2e-13 from h = 1e-6 on. The first and
 * the last row have one neighbor, and all q on that side: the raster's own cells, or the pole is next.
 *
 * Nothing of this depends on where else q may be: for projected grids on the same globe and the mesh's
 * triangles each place is located, and the pixels that it may lie in are kept. The seeds' own longitudes
 * and latitudes may have been transformed by an operation that changes only their last digits, nanometers.
 *
 * Elsewhere (projected and rotated rasters on the globe, cells of some degrees, rasters of more than a
 * turn, and queries with far more places than the raster has cells) no cell is left out.
 */
#include "voronoi/raster_proof.h"

#include <math.h>
#include <string.h>

#include "cells/kind.h"
#include "cells/seam.h"
#include "core/angles.h"
#include "core/parallel.h"

static const double wider = 1.0 / 64.0;

/* ---------------------------------------------------------------------------------------------- the plane */

static void raster_proof_widen(const gv_grid *grid, double box[4]) {
  const double *g = grid->geotransform;
  for (int i = 0; i < 4; i++) {
    double column = i % 2 * (double)grid->width, row = i / 2 * (double)grid->height;
    double x = g[0] + column * g[1] + row * g[2], y = g[3] + column * g[4] + row * g[5];
    box[0] = fmin(box[0], x);
    box[1] = fmin(box[1], y);
    box[2] = fmax(box[2], x);
    box[3] = fmax(box[3], y);
  }
}

static bool plane_holds(const gv_grid *raster, const gv_grid *query_grid, gv_metric metric,
                        gv_raster_proof *proof) {
  const double *g = raster->geotransform;
  double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
  double u = hypot(g[1], g[4]), v = hypot(g[2], g[5]), side = fmin(u, v), across = g[1] * g[2] + g[4] * g[5];
  bool upright = g[2] == 0.0 && g[4] == 0.0;
  raster_proof_widen(raster, box);
  raster_proof_widen(query_grid, box);
  double farthest = 0.0;
  for (int i = 0; i < 4; i++)
    farthest = fmax(farthest, fabs(box[i]));
  bool fine = farthest <= ldexp(side, 36) && hypot(box[2] - box[0], box[3] - box[1]) <= ldexp(side, 22);
  if (!fine || (metric == GV_CHEBYSHEV && !proof->own)) return false;
  proof->corners = metric == GV_CHEBYSHEV || !upright;
  return upright || (proof->own && metric == GV_EUCLIDEAN && 8.0 * fabs(across) <= side * side);
}

/* ---------------------------------------------------------------------------------------------- the globe */

static bool lonlat_holds(const gv_grid *raster, gv_metric metric, gv_raster_proof *proof) {
  const double *g = raster->geotransform;
  double w = fabs(g[1]) * GV_DEGREE, h = fabs(g[5]) * GV_DEGREE, round = fabs(g[1]) * (double)raster->width;
  double flattening = raster->semi_major == 0.0 ? 1.0 / 298.257223563 : raster->flattening;
  if (metric == GV_GEODESIC && !(flattening >= 0.0 && flattening <= 0.01)) return false;
  proof->wraps = gv_columns_wrap(raster->width, g[1]);
  if (!proof->wraps && round > 360.0 - 1e-3 * fabs(g[1])) return false;
  return proof->own ? w <= 0.1 && h <= 0.1 : w <= 0.02 && h <= 0.02 && 32.0 * w * w <= h;
}

static bool lonlat_row_holds(const gv_grid *raster, int64_t row, bool own) {
  const double *g = raster->geotransform;
  double p = cos((g[3] + ((double)row + 0.5) * g[5]) * GV_DEGREE);
  return p * fabs(g[1]) * GV_DEGREE >= (own ? 1e-6 : 6e-6);
}

/* Whether cells of other grids may be outside a row at the end of the raster. */
static bool at_pole(const gv_grid *raster, int64_t row) {
  const double *g = raster->geotransform;
  double edge = g[3] + (row == 0 ? 0.0 : (double)raster->height) * g[5];
  return (row == 0 || row + 1 == raster->height) && fabs(edge) >= 90.0 - wider * fabs(g[5]);
}

static gv_status find_whole(gv_context *context, const gv_grid *raster, gv_raster_proof *proof) {
  const double *g = raster->geotransform;
  double h = fabs(g[5]) * GV_DEGREE, w = fabs(g[1]) * GV_DEGREE;
  if (h < 1e-6 || !(proof->own || proof->wraps)) return GV_OK;
  proof->whole = gv_allocate_zeroed(&context->allocator, raster->height, 1);
  if (proof->whole == NULL) return gv_fail_memory(context, "the raster's seeds");
  for (int64_t r = 0; r < raster->height; r++) {
    bool whole = proof->own || (r > 0 && r + 1 < raster->height) || at_pole(raster, r);
    for (int64_t i = r - 1; i <= r + 1 && !proof->own; i++) {
      if (i < 0 || i == raster->height) continue;
      double p = cos((g[3] + ((double)i + 0.5) * g[5]) * GV_DEGREE);
      whole = whole && p * w <= 0.9 * h && proof->row[i] == 0;
    }
    proof->whole[r] = whole;
  }
  return GV_OK;
}

/* ---------------------------------------------------------------------------------------- other grids ask */

/* Marks the positions among `count` with a widened pixel that contains a coordinate, in pixels. */
static void raster_proof_mark(double at, int64_t count, uint8_t *marks) {
  double reach = wider + 1e-6;
  for (double i = floor(at - reach); i <= floor(at + reach); i++) {
    if (i >= 0.0 && i < (double)count) marks[(int64_t)i] = 1;
  }
}

/* `period`: pixels of a turn; 0 on axes that do not go round. */
static void mark_all(double first, double step, int64_t queries, double origin, double side, double period,
                     int64_t count, uint8_t *marks) {
  for (int64_t i = 0; i < queries; i++) {
    double at = ((first + ((double)i + 0.5) * step) - origin) / side;
    if (period > 0.0) at -= period * floor(at / period);
    raster_proof_mark(at, count, marks);
    if (period <= 0.0) continue;
    raster_proof_mark(at - period, count, marks);
    raster_proof_mark(at + period, count, marks);
  }
}

static gv_status raster_proof_mark_queries(gv_context *context, const gv_grid *raster,
                                           const gv_grid *query_grid, gv_raster_proof *proof) {
  const double *g = raster->geotransform, *a = query_grid->geotransform;
  int64_t w = raster->width, h = raster->height;
  double period = gv_facts_of(raster)->rows_are_parallels ? 360.0 / fabs(g[1]) : 0.0;
  uint8_t *marks = gv_allocate_zeroed(&context->allocator, w, 1);
  proof->row = gv_allocate_zeroed(&context->allocator, h, 1);
  proof->column = gv_allocate(&context->allocator, w, sizeof *proof->column);
  if (marks == NULL || proof->row == NULL || proof->column == NULL) {
    gv_release(&context->allocator, marks);
    return gv_fail_memory(context, "the raster's seeds");
  }
  mark_all(a[0], a[1], query_grid->width, g[0], g[1], period, w, marks);
  mark_all(a[3], a[5], query_grid->height, g[3], g[5], 0.0, h, proof->row);
  for (int64_t c = 0; c < w; c++)
    if (marks[c] != 0) proof->column[proof->columns++] = (int32_t)c;
  gv_release(&context->allocator, marks);
  return GV_OK;
}

/* --------------------------------------------------------------------------------------- other places ask */

enum { STRETCH = 4096, MOST_QUERIES = 4 /* places a cell of the raster */ };

typedef struct survey {
  const gv_grid *raster;
  gv_raster_proof *proof;
  gv_cells cells;
  int64_t across; /* stretches of a row of them */
} survey;

static void mark_cell(const survey *s, int64_t column, int64_t row) {
  int64_t at = row * s->raster->width + column;
  if (row < 0 || row >= s->raster->height || column < 0 || column >= s->raster->width) return;
  s->proof->has_query[at / 8] |= (uint8_t)(1U << at % 8);
  s->proof->row[row] = 1;
}

/* Marks the cells with a widened pixel that contains a place. */
static void mark_place(const survey *s, double lon, double lat) {
  const double *g = s->raster->geotransform, reach = wider + 1e-6, period = 360.0 / fabs(g[1]);
  double x = (lon - g[0]) / g[1], y = (lat - g[3]) / g[5];
  x -= period * floor(x / period);
  for (double row = floor(y - reach); row <= floor(y + reach); row++) {
    for (int turn = -1; turn <= 1; turn++) {
      double at = x + turn * period;
      if (at < -1.0 || at > (double)s->raster->width + 1.0) continue;
      for (double column = floor(at - reach); column <= floor(at + reach); column++)
        mark_cell(s, (int64_t)column, (int64_t)row);
    }
  }
}

static gv_status survey_stretches(gv_worker *worker, int64_t first, int64_t end) {
  const survey *s = worker->user;
  gv_status status = GV_OK;
  double *at = gv_allocate(&worker->context.allocator, 5 * STRETCH, sizeof *at);
  if (at == NULL) return gv_fail_memory(&worker->context, "the raster's seeds");
  double *lon = at + 3 * STRETCH, *lat = at + 4 * STRETCH;
  for (int64_t i = first; i < end && status == GV_OK; i++) {
    int64_t c = i % s->across * STRETCH, r = i / s->across, left = s->cells.grid.width - c;
    gv_tile tile = {c, c + (left < STRETCH ? left : STRETCH), r, r + 1};
    status = gv_cells_positions(&worker->context, &s->cells, &tile, at, at + STRETCH, at + 2 * STRETCH, lon,
                                lat, NULL);
    if (status != GV_OK) break;
    gv_worker_lock(worker);
    for (int64_t n = 0; n < tile.c1 - tile.c0; n++)
      if (isfinite(lon[n]) && isfinite(lat[n])) mark_place(s, lon[n], lat[n]);
    gv_worker_unlock(worker);
  }
  gv_release(&worker->context.allocator, at);
  return status;
}

/* Whether each place can be looked up. */
static bool can_survey(const gv_grid *query_grid, const gv_grid *raster) {
  bool mesh = query_grid->level != GV_QTM_NONE;
  if (mesh && (query_grid->level < 0 || query_grid->level > GV_QTM_MAX_GRID_LEVEL)) return false;
  double places =
      mesh ? 8.0 * ldexp(1.0, 2 * query_grid->level) : (double)query_grid->width * (double)query_grid->height;
  return (mesh || gv_facts_of(query_grid)->inverse) &&
         places <= MOST_QUERIES * (double)raster->width * (double)raster->height;
}

static gv_status raster_proof_find_places(gv_context *context, const gv_grid *raster,
                                          const gv_grid *query_grid, gv_metric metric,
                                          gv_raster_proof *proof) {
  survey s = {.raster = raster, .proof = proof};
  gv_grid places = *query_grid;
  /* all its triangles may be queries, not only those of a raster's cells */
  if (query_grid->level != GV_QTM_NONE) {
    places = gv_grid_of_triangles(query_grid);
  }
  proof->row = gv_allocate_zeroed(&context->allocator, raster->height, 1);
  proof->has_query = gv_allocate_zeroed(&context->allocator, raster->width * raster->height / 8 + 1, 1);
  if (proof->row == NULL || proof->has_query == NULL) return gv_fail_memory(context, "the raster's seeds");
  GV_TRY(gv_cells_init(context, &places, metric, &s.cells));
  s.across = (s.cells.grid.width + STRETCH - 1) / STRETCH;
  gv_loop loop = {context, context->threads, s.across * s.cells.grid.height, 4, NULL, &s};
  gv_status status = gv_parallel_for(&loop, survey_stretches);
  gv_cells_clear(&s.cells);
  return status;
}

/* ---------------------------------------------------------------------------------------------- all of it */

static bool upright(const gv_grid *grid) {
  return grid->geotransform[2] == 0.0 && grid->geotransform[4] == 0.0 && grid->level == GV_QTM_NONE;
}

static bool same_cells(const gv_grid *a, const gv_grid *b) {
  return a->kind == b->kind && a->width == b->width && a->height == b->height && b->level == GV_QTM_NONE &&
         memcmp(a->geotransform, b->geotransform, sizeof a->geotransform) == 0;
}

gv_status gv_raster_proof_init(gv_context *context, const gv_grid *raster, const gv_grid *query_grid,
                               gv_metric metric, gv_raster_proof *out) {
  *out = (gv_raster_proof){.allocator = context->allocator};
  out->holds = gv_allocate_zeroed(&context->allocator, raster->height, 1);
  if (out->holds == NULL) return gv_fail_memory(context, "the raster's seeds");
  if (query_grid == NULL) return GV_OK;
  out->own = same_cells(raster, query_grid);
  bool parallels = gv_facts_of(raster)->rows_are_parallels;
  bool lonlat = parallels && gv_facts_of(query_grid)->rows_are_parallels;
  bool plane = !gv_facts_of(raster)->globe && !gv_facts_of(query_grid)->globe;
  bool globe = metric == GV_GREAT_CIRCLE || metric == GV_GEODESIC;
  bool places = globe && parallels && !out->own && can_survey(query_grid, raster);
  lonlat = lonlat || places;
  if ((!lonlat && !plane) || (!out->own && (!upright(raster) || (!places && !upright(query_grid)))))
    return GV_OK;
  if (!(lonlat ? lonlat_holds(raster, metric, out) : plane_holds(raster, query_grid, metric, out)))
    return GV_OK;
  for (int64_t r = 0; r < raster->height; r++)
    out->holds[r] = plane || lonlat_row_holds(raster, r, out->own);
  gv_status status = out->own ? GV_OK
                     : places ? raster_proof_find_places(context, raster, query_grid, metric, out)
                              : raster_proof_mark_queries(context, raster, query_grid, out);
  if (status == GV_OK && lonlat) status = find_whole(context, raster, out);
  if (status != GV_OK) gv_raster_proof_clear(out);
  return status;
}

void gv_raster_proof_forget(gv_raster_proof *proof, int64_t rows) {
  memset(proof->holds, 0, (size_t)rows);
  gv_release(&proof->allocator, proof->whole);
  proof->whole = NULL;
}

void gv_raster_proof_clear(gv_raster_proof *proof) {
  gv_release(&proof->allocator, proof->holds);
  gv_release(&proof->allocator, proof->whole);
  gv_release(&proof->allocator, proof->row);
  gv_release(&proof->allocator, proof->column);
  gv_release(&proof->allocator, proof->has_query);
  proof->holds = proof->whole = proof->row = proof->has_query = NULL;
  proof->column = NULL;
}
