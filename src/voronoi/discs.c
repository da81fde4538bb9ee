/* Discs. See discs.h. */
#include "voronoi/discs.h"

#include "voronoi/rank.h"

static const double degree = 3.14159265358979323846 / 180.0;

/* False where the disc cannot be had by rows of this tile. */
static bool make_disc(const gv_voronoi *v, const gv_tile *tile, int32_t seed, gv_disc *out) {
  const gv_cells *cells = &v->cells;
  double x = v->seeds.x[seed], y = v->seeds.y[seed], e = cells->position_error;
  double first = cells->grid.geotransform[0], step = cells->grid.geotransform[1];
  *out = (gv_disc){.seed = seed, .x = x, .y = y, .within = v->within, .beyond = v->beyond};
  if (cells->shape == GV_CELLS_PLANE) {
    out->middle = (x - first) / step - 0.5;
    out->scale = 1.0 / fabs(step);
    return fabs(step) > 1000.0 * e;
  }
  double middle_of_tile = 0.5 * (double)(tile->c0 + tile->c1 - 1), turn = 360.0 / fabs(step);
  double middle = (atan2(y, x) / degree - first) / step - 0.5;
  middle += turn * rint((middle_of_tile - middle) / turn);
  out->middle = middle;
  out->z = v->seeds.z[seed];
  out->axis = sqrt(x * x + y * y);
  out->scale = 1.0 / (fabs(step) * degree);
  out->within -= 8.0 * e * sqrt(fmax(v->within, 0.0)) + 16.0 * e * e + 4e-15 * v->within;
  if (isfinite(v->beyond)) out->beyond += 8.0 * e * sqrt(v->beyond) + 16.0 * e * e + 4e-15 * v->beyond;
  return fabs(step) * degree > 1000.0 * e && middle - (double)tile->c0 < 0.5 * turn - 1.0 &&
         (double)tile->c1 - middle < 0.5 * turn - 1.0;
}

/* True if no cell can be within the limit of both: by the triangle inequality, of chords too. */
static bool discs_part(const gv_voronoi *v, const gv_candidates *c, int32_t i, int32_t j) {
  double x = fabs(c->x[i] - c->x[j]), y = fabs(c->y[i] - c->y[j]), z = c->z != NULL ? c->z[i] - c->z[j] : 0.0;
  double reach = v->beyond * (1.0 + 1e-12) + 1e-290;
  if (v->cells.metric == GV_MANHATTAN) return x + y > 2.0 * reach;
  if (v->cells.metric == GV_CHEBYSHEV) return fmax(x, y) > 2.0 * reach;
  return x * x + y * y + z * z > 4.0 * reach;
}

int32_t gv_discs_take(const gv_voronoi *v, const gv_tile *tile, gv_candidates *candidates, gv_disc *disc) {
  gv_candidates *c = candidates;
  bool meets[GV_DISCS_MOST] = {false};
  int32_t taken = 0, kept = 0;
  if (v->cells.shape == GV_CELLS_POINTS || c->count > GV_DISCS_MOST) return 0;
  for (int32_t i = 1; i < c->count; i++) {
    for (int32_t j = 0; j < i; j++) {
      bool both = !discs_part(v, c, i, j);
      meets[i] |= both;
      meets[j] |= both;
    }
  }
  for (int32_t i = 0; i < c->count; i++) {
    if (!meets[i] && make_disc(v, tile, c->id[i], &disc[taken])) {
      taken++;
      continue;
    }
    c->x[kept] = c->x[i];
    c->y[kept] = c->y[i];
    if (c->z != NULL) c->z[kept] = c->z[i];
    c->id[kept++] = c->id[i];
  }
  c->count = kept;
  return taken;
}

/* ------------------------------------------------------------------------------------------------------- a row */

/* A row whose ends the kernels leave open. */
typedef struct disc_row {
  const gv_voronoi *v;
  const gv_disc *disc;
  int64_t row;
  double p, rest; /* of the row: distance from the axis; what it adds to every cell's value */
  int32_t label;
  int32_t *out; /* of column 0 */
} disc_row;

/* The canonical distance, or squared chord, of a cell of the row, in the order of operations of the kernels. */
static double value_of(const disc_row *r, int64_t column) {
  const gv_cells *cells = &r->v->cells;
  if (cells->shape == GV_CELLS_LONLAT) {
    double x = r->p * cells->column_x[column] - r->disc->x, y = r->p * cells->column_y[column] - r->disc->y;
    return (x * x + y * y) + r->rest;
  }
  double x = cells->column_x[column] - r->disc->x;
  if (cells->metric == GV_EUCLIDEAN) return x * x + r->rest;
  return cells->metric == GV_MANHATTAN ? fabs(x) + r->rest : fmax(fabs(x), r->rest);
}

/* Whether a cell that the margin leaves open is within the limit. */
static bool is_within(const disc_row *r, int64_t column, double value) {
  const gv_voronoi *v = r->v;
  if (value <= v->within) return true;
  if (value > v->beyond) return false;
  gv_place place;
  int32_t found[GV_VORONOI_MAX_K];
  gv_cells_lonlat(&v->cells, column, r->row, &place.lon, &place.lat);
  place.vector[0] = r->p * v->cells.column_x[column];
  place.vector[1] = r->p * v->cells.column_y[column];
  place.vector[2] = v->cells.row_z[r->row];
  gv_rank_geodesic(v, &place, &r->disc->seed, 1, found);
  return found[0] >= 0;
}

/*
 * One side of the seed: n cells first, first + step ... outwards, of which about `guess` are within the limit. Walks to
 * where cells surely are and where they surely are not.
 */
static void paint_side(const disc_row *r, int64_t first, int64_t step, int64_t n, double guess) {
  double within = r->disc->within, beyond = r->disc->beyond;
  int64_t inside = 0, outside = n, at = guess < 1.0 ? 0 : guess < (double)n ? (int64_t)guess - 1 : n - 1;
  for (int64_t i = at; i < n && outside == n; i++) {
    double value = value_of(r, first + i * step);
    if (value <= within) inside = i + 1;
    if (value > beyond) outside = i;
  }
  for (int64_t i = at - 1; i >= 0 && inside == 0; i--) {
    double value = value_of(r, first + i * step);
    if (value <= within) inside = i + 1;
    if (value > beyond) outside = i;
  }
  for (int64_t i = 0; i < outside; i++) {
    int64_t column = first + i * step;
    if (i < inside || is_within(r, column, value_of(r, column))) r->out[column] = r->label;
  }
}

/* About how many columns the disc reaches in a row. */
static double reach_in(const disc_row *r) {
  const gv_disc *d = r->disc;
  if (r->v->cells.shape == GV_CELLS_LONLAT) {
    double share = (d->beyond - r->rest - (r->p - d->axis) * (r->p - d->axis)) / (4.0 * r->p * d->axis);
    return share > 0.0 ? 2.0 * d->scale * gv_arcsine(share < 1.0 ? sqrt(share) : 1.0) : 0.0;
  }
  if (r->v->cells.metric == GV_CHEBYSHEV) return d->scale * d->beyond;
  double left = fmax(d->beyond - r->rest, 0.0);
  return d->scale * (r->v->cells.metric == GV_EUCLIDEAN ? sqrt(left) : left);
}

static void paint_row(const gv_voronoi *v, const gv_tile *tile, const gv_disc *disc, int64_t row, int32_t *out) {
  const gv_cells *cells = &v->cells;
  bool globe = cells->shape == GV_CELLS_LONLAT;
  double across = cells->row_z[row] - (globe ? disc->z : disc->y), middle = disc->middle;
  disc_row r = {.v = v, .disc = disc, .row = row, .label = v->label[disc->seed], .out = out - tile->c0};
  r.p = globe ? cells->row_p[row] : 0.0;
  r.rest = globe || cells->metric == GV_EUCLIDEAN ? across * across : fabs(across);
  double reach = reach_in(&r);
  /* Columns up to `split` are on the seed's left. */
  int64_t split = middle < (double)tile->c0 ? tile->c0 - 1 : tile->c1 - 1;
  if (middle >= (double)tile->c0 && middle < (double)split) split = (int64_t)middle;
  paint_side(&r, split, -1, split - tile->c0 + 1, (double)split - (middle - reach) + 1.0);
  paint_side(&r, split + 1, 1, tile->c1 - 1 - split, middle + reach - (double)split);
}

/* The first row of [first, end) that is not on this side of `bound`; rows ascend or descend. */
static int64_t first_row_past(const double *z, bool ascending, double bound, int64_t first, int64_t end) {
  int64_t count = end - first;
  while (count > 0) {
    int64_t half = count / 2;
    bool before = ascending ? z[first + half] < bound : z[first + half] > bound;
    first = before ? first + half + 1 : first;
    count = before ? count - half - 1 : half;
  }
  return first;
}

void gv_disc_paint(const gv_voronoi *v, const gv_kernels *kernels, const gv_tile *tile, const gv_disc *disc,
                   int32_t *out, int64_t stride) {
  const gv_cells *cells = &v->cells;
  const double *z = cells->row_z;
  bool globe = cells->shape == GV_CELLS_LONLAT, ascending = z[tile->r1 - 1] > z[tile->r0];
  /* No cell is nearer than along z alone. z goes one way, but for the positions' error. */
  double at = globe ? disc->z : disc->y, away = disc->beyond;
  if (globe || cells->metric == GV_EUCLIDEAN) away = sqrt(away);
  away = away * (1.0 + 1e-12) + 4.0 * cells->position_error;
  int64_t first = first_row_past(z, ascending, ascending ? at - away : at + away, tile->r0, tile->r1);
  int64_t end = first_row_past(z, ascending, ascending ? at + away : at - away, first, tile->r1);
  gv_disc_strip strip = {.column_x = cells->column_x + tile->c0,
                         .column_y = globe ? cells->column_y + tile->c0 : NULL,
                         .columns = (int32_t)(tile->c1 - tile->c0),
                         .middle = disc->middle - (double)tile->c0,
                         .label = (double)v->label[disc->seed],
                         .out_stride = stride};
  for (int64_t row = first; row < end; row += GV_DISC_ROWS) {
    strip.rows = (int32_t)(end - row < GV_DISC_ROWS ? end - row : GV_DISC_ROWS);
    strip.row_p = globe ? cells->row_p + row : NULL;
    strip.row_inverse = globe ? cells->row_inverse + row : NULL;
    strip.row_z = z + row;
    strip.out = out + (row - tile->r0) * stride;
    if (globe) {
      kernels->disc_globe(disc, &strip);
    } else {
      kernels->disc_plane[cells->metric](disc, &strip);
    }
    for (int32_t i = 0; i < strip.open_count; i++)
      paint_row(v, tile, disc, row + strip.open[i], strip.out + strip.open[i] * stride);
  }
}
