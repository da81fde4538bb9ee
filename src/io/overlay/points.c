/*
 * Rasters of another coordinate system than the grid's, and rotated ones: a pixel is split among n x n
 * points.
 *
 * Values are in fixed point: whole numbers of o->unit, a power of two such that all of the raster is less
 * than 2^53 of them, so sums of them in doubles are exact, in any order. A pixel's Q units are split among n
 * rows of points by area (as gv_row_share; evenly where rows are planar), then evenly in each row: the first
 * i of n parts have trunc(i R / n) of R units. Terms add up to Q. Point (i, j) is the pixel's (i + 1/2) / n,
 * (j + 1/2) / n, transformed by one PROJ operation; its term belongs to the cell that contains it.
 *
 * n is the smallest integer that makes points POINTS_A_CELL a cell's side or more, at most MOST_POINTS; sides
 * are compared in meters, degrees as if on the equator.
 *
 * All points are transformed once to find the cells that each tile of pixels reaches, and again for each
 * block of cells, for the tiles that reach it. Tiles far from the grid are left out: those with a lattice of
 * places of which none has an image, or all have one, on one side of the grid and farther from it than from
 * each other. Corners are places of the lattice, so a straight seam of the grid's projection that crosses a
 * tile has places on both of its sides.
 *
 * Cells of HEALPix, S2 and H3 are one row, in the order of their numbers. Their points are transformed to
 * longitudes and latitudes; a cell's side is the square root of the mean area of all cells, on a sphere of
 * the equator's radius. No tile is far from them. The first visit of all points adds their terms to the cells
 * (cell_sums.h). If memory does not suffice for that, it finds the chunks of cells that a tile reaches, as
 * the numbers of neighbors may be far apart. Gain: 4.5x on 2 M pixels and healpix:10,ring.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/angles.h"
#include "gpuvoronoi/cells.h"
#include "io/in/cells/h3_cells.h"
#include "io/overlay/overlay.h"
#include "io/parallel.h"

enum {
  POINTS_A_CELL = 2, /* a side, at least */
  MOST_POINTS = 64,  /* a side of a pixel */
  TILE_POINTS = 256, /* a side of a tile, at most */
  CHUNK_BITS = 14,   /* 2^CHUNK_BITS cells of a list are a chunk */
  LATTICE = 5        /* places a side of a tile that are tested for whether it may reach the grid */
};

/* Meters in a unit of coordinates, on the equator; without a system 1, as then neither has one. */
static double unit_meters(OGRSpatialReferenceH crs) {
  if (crs == NULL) return 1.0;
  return OSRIsGeographic(crs) ? gv_crs_unit_degrees(crs) * 111319.49079327357 : OSRGetLinearUnits(crs, NULL);
}

static int64_t points_a_side(const gv_overlay *o) {
  const double *s = o->raster.geotransform, *g = o->grid->geotransform;
  double pixel = fmax(hypot(s[1], s[4]), hypot(s[2], s[5])) * unit_meters(o->raster.crs);
  double cell = o->list ? sqrt(4.0 * GV_PI / (double)o->grid->grid.width) * 6378137.0
                        : fmin(hypot(g[1], g[4]), hypot(g[2], g[5])) * unit_meters(o->grid->crs);
  double n = ceil(POINTS_A_CELL * pixel / cell);
  return n >= 1.0 && n < MOST_POINTS ? (int64_t)n : n < 1.0 ? 1 : MOST_POINTS;
}

/* Points of a row, to be transformed. */
typedef struct points_batch {
  double x[TILE_POINTS], y[TILE_POINTS], term[TILE_POINTS];
  int64_t count;
} points_batch;

/* Row j of the points of the pixels [x, end) of a row. */
static void make_points(const gv_overlay *o, const double *values, int64_t x, int64_t end, int64_t row,
                        int64_t j, points_batch *to) {
  const double *g = o->raster.geotransform, n = (double)o->n, v = (double)row + ((double)j + 0.5) / n;
  double top = g[3] + (double)row * g[5], part[2];
  for (int i = 0; i < 2; i++)
    part[i] = gv_is_upright(g) ? gv_row_share(o, top, top + g[5], (double)(j + i) / n) : (double)(j + i) / n;
  to->count = 0;
  for (int64_t c = x; c < end; c++) {
    if (values[c - x] == 0.0 && !o->zeros) continue;
    double q = rint(values[c - x] / o->unit);
    int64_t units = (int64_t)(trunc(q * part[1]) - trunc(q * part[0]));
    for (int64_t i = 0; i < o->n; i++, to->count++) {
      double u = (double)c + ((double)i + 0.5) / n;
      to->x[to->count] = g[0] + u * g[1] + v * g[2];
      to->y[to->count] = g[3] + u * g[4] + v * g[5];
      to->term[to->count] = (double)(units * (i + 1) / o->n - units * i / o->n);
    }
  }
}

/* Places outside an edge of the grid by rounding are moved inside: for example the pole. */
static double overlay_points_clamp(double u, double limit) {
  const double rounding = 1e-7;
  return u < 0.0 && u >= -rounding ? 0.0 : u >= limit && u <= limit + rounding ? limit - 0.5 : u;
}

static gv_status find_cell_of(gv_io *io, const gv_cells_of *cells, double lon, double lat, int64_t *number) {
  return gv_cells_of_have_places(cells) ? gv_h3_cell_find(io, cells->level, lon, lat, number)
                                        : gv_cells_of_find(cells, lon, lat, number);
}

/* Numbers of the cells of HEALPix, S2 or H3 that contain places in degrees: numbers to lon[i], NaN where
 * lat[i] or lon[i] is none. `flattening`: of the ellipsoid, for authalic latitudes. */
static gv_status find_numbers(gv_io *io, const gv_cells_of *cells, double flattening, int64_t count,
                              double *lon, const double *lat) {
  const double degree = GV_DEGREE, e2 = flattening * (2.0 - flattening);
  const double pole = gv_ellipsoid_zone(e2, 90.0 * degree);
  for (int64_t i = 0; i < count; i++) {
    double latitude = lat[i];
    int64_t number = 0;
    if (!isfinite(lon[i]) || !(fabs(latitude) <= 90.0)) {
      lon[i] = (double)NAN;
      continue;
    }
    if (cells->authalic) {
      double sine = gv_ellipsoid_zone(e2, latitude * degree) / pole;
      latitude = asin(fmax(-1.0, fmin(1.0, sine))) / degree;
    }
    GV_TRY(find_cell_of(io, cells, lon[i], latitude, &number));
    lon[i] = (double)number;
  }
  return GV_OK;
}

/* Places in the grid's coordinates to numbers of cells of a mesh or list, as columns of its row. */
static gv_status find_cells_of(gv_io *io, const gv_overlay *o, points_batch *p) {
  const double unit = o->grid_degrees, rounding = 1e-7;
  for (int64_t i = 0; i < p->count; i++) {
    p->x[i] *= unit;
    p->y[i] *= unit;
    if (fabs(p->y[i]) > 90.0 && fabs(p->y[i]) <= 90.0 + rounding) p->y[i] = copysign(90.0, p->y[i]);
  }
  GV_TRY(find_numbers(io, &o->grid->cells_of, o->grid->grid.flattening, p->count, p->x, p->y));
  for (int64_t i = 0; i < p->count; i++) {
    p->x[i] += 0.5;
    p->y[i] = isfinite(p->x[i]) ? 0.5 : (double)NAN;
  }
  return GV_OK;
}

/* Carries places of the raster over to columns and rows of cells, within a turn; NaN if they have no
 * image. */
static gv_status find_images(gv_io *io, const gv_overlay *o, points_batch *p) {
  const double *t = o->inverse;
  if (o->operation != NULL && p->count > 0 && gv_operation_apply(p->x, p->y, p->count, o->operation) != 0)
    return gv_overlay_no_memory(io);
  if (o->list) return find_cells_of(io, o, p);
  for (int64_t i = 0; i < p->count; i++) {
    double x = p->x[i], y = p->y[i], u = t[0] + x * t[1] + y * t[2], v = t[3] + x * t[4] + y * t[5];
    bool found = isfinite(x) && isfinite(y);
    if (o->period > 0.0) {
      u -= o->period * floor(u / o->period);
      if (u >= o->period) u = 0.0; /* it was a rounding below 0 */
    }
    p->x[i] = found ? overlay_points_clamp(u, (double)o->grid->grid.width) : (double)NAN;
    p->y[i] = found ? overlay_points_clamp(v, (double)o->grid->grid.height) : (double)NAN;
  }
  return GV_OK;
}

/* Sets *far if the pixels [x, end) of the rows [y, bottom) are far from the grid. */
static gv_status find_far(gv_io *io, const gv_overlay *o, int64_t x, int64_t end, int64_t y, int64_t bottom,
                          bool *far) {
  const double *g = o->raster.geotransform;
  const double limit[2] = {(double)o->grid->grid.width, (double)o->grid->grid.height};
  points_batch p = {.count = 0};
  for (; p.count < LATTICE * LATTICE; p.count++) {
    double u = (double)x + (double)(end - x) * (double)(p.count % LATTICE) / (LATTICE - 1);
    double v = (double)y + (double)(bottom - y) * (double)(p.count / LATTICE) / (LATTICE - 1);
    p.x[p.count] = g[0] + u * g[1] + v * g[2];
    p.y[p.count] = g[3] + u * g[4] + v * g[5];
  }
  gv_status status = find_images(io, o, &p);
  int64_t found = 0;
  for (int64_t i = 0; i < p.count; i++)
    found += isfinite(p.x[i]) && isfinite(p.y[i]);
  *far = found == 0;
  for (int d = o->period > 0.0 ? 1 : 0; d < 2 && found == p.count && !o->list; d++) {
    const double *at = d == 0 ? p.x : p.y;
    double low = at[0], high = at[0];
    for (int64_t i = 1; i < p.count; i++) {
      low = fmin(low, at[i]);
      high = fmax(high, at[i]);
    }
    *far = *far || low > limit[d] + (high - low) || high < low - high;
  }
  return status;
}

/* Cells that terms are added to. */
typedef struct block {
  double *values;
  int64_t x, y, w, h;
} block;

/* Where chunk number `chunk` is in a tile's, or would be. */
static int64_t find_chunk(const gv_point_tile *tile, int64_t chunk) {
  int64_t low = 0, high = tile->chunks;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (tile->chunk[middle] < chunk) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Adds points of a row to their cells of a mesh or list, and to the summary of their tile. */
static gv_status note_chunks(gv_io *io, const gv_overlay *o, const points_batch *p, gv_point_tile *tile,
                             gv_overlay_worker *b) {
  int64_t last = -1;
  for (int64_t i = 0; i < p->count; i++) {
    if (!isfinite(p->x[i])) continue;
    const int64_t cell = (int64_t)p->x[i], chunk = cell >> CHUNK_BITS;
    if (o->sums != NULL) gv_cell_sums_add(o->sums, cell, p->term[i]);
    b->inside += p->term[i];
    tile->u1 = tile->v1 = 1;
    if (chunk == last) continue;
    last = chunk;
    const int64_t at = find_chunk(tile, chunk);
    if (at < tile->chunks && tile->chunk[at] == chunk) continue;
    if ((tile->chunks & (tile->chunks - 1)) == 0) { /* full: its size is a power of two */
      size_t size = tile->chunks > 0 ? 2 * (size_t)tile->chunks : 1;
      int64_t *grown = realloc(tile->chunk, size * sizeof *grown);
      if (grown == NULL) return gv_overlay_no_memory(io);
      tile->chunk = grown;
    }
    memmove(tile->chunk + at + 1, tile->chunk + at, (size_t)(tile->chunks - at) * sizeof *tile->chunk);
    tile->chunk[at] = chunk;
    tile->chunks++;
  }
  return GV_OK;
}

/* Adds points of a row to the summary of their tile. */
static gv_status note_points(gv_io *io, const gv_overlay *o, const points_batch *p, gv_point_tile *tile,
                             gv_overlay_worker *b) {
  if (o->list) return note_chunks(io, o, p, tile, b);
  for (int64_t i = 0; i < p->count; i++) {
    double u = p->x[i], v = p->y[i];
    if (!(u >= 0.0 && v >= 0.0 && u < (double)o->grid->grid.width && v < (double)o->grid->grid.height))
      continue;
    bool first = tile->u1 == 0;
    int32_t column = (int32_t)u, row = (int32_t)v;
    b->inside += p->term[i];
    tile->u0 = first || column < tile->u0 ? column : tile->u0;
    tile->v0 = first || row < tile->v0 ? row : tile->v0;
    tile->u1 = column >= tile->u1 ? column + 1 : tile->u1;
    tile->v1 = row >= tile->v1 ? row + 1 : tile->v1;
  }
  return GV_OK;
}

/* True if points of a tile may be in a rectangle of cells. */
static bool tile_reaches(const gv_overlay *o, const gv_point_tile *t, int64_t x, int64_t y, int64_t w,
                         int64_t h) {
  if (!o->list) return t->u0 < x + w && t->u1 > x && t->v0 < y + h && t->v1 > y;
  int64_t at = find_chunk(t, x >> CHUNK_BITS);
  return at < t->chunks && t->chunk[at] <= (x + w - 1) >> CHUNK_BITS;
}

/* Adds their terms to the cells of a block. */
static void add_points(const points_batch *p, const block *to) {
  for (int64_t i = 0; i < p->count; i++) {
    double u = p->x[i] - (double)to->x, v = p->y[i] - (double)to->y;
    if (u >= 0.0 && v >= 0.0 && u < (double)to->w && v < (double)to->h)
      to->values[(int64_t)v * to->w + (int64_t)u] += p->term[i];
  }
}

/* Visits the points of a tile: adds them to the cells of `to`, or if that is NULL to the tile's summary. */
static gv_status walk_tile(gv_io *io, const gv_overlay *o, int worker, int64_t number, const block *to) {
  gv_overlay_worker *b = &o->of_worker[worker];
  int64_t x = number % o->across * o->side, y = number / o->across * o->side;
  int64_t end = x + o->side < o->raster.width ? x + o->side : o->raster.width;
  int64_t bottom = y + o->side < o->raster.height ? y + o->side : o->raster.height;
  bool far = false;
  points_batch p;
  gv_status status = to == NULL ? find_far(io, o, x, end, y, bottom, &far) : GV_OK;
  for (int64_t r = y; r < bottom && status == GV_OK; r++) {
    if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
    status = gv_raster_in_values(io, &o->raster, worker, x, r, end - x, 1, b->pixels, b->valid);
    for (int64_t c = x; c < end && to == NULL && status == GV_OK; c++)
      b->total += rint(b->pixels[c - x] / o->unit);
    for (int64_t j = 0; j < o->n && !far && status == GV_OK; j++) {
      make_points(o, b->pixels, x, end, r, j, &p);
      status = find_images(io, o, &p);
      if (status != GV_OK) return status;
      if (to != NULL) {
        add_points(&p, to);
      } else {
        status = note_points(io, o, &p, &o->tile[number], b);
      }
    }
  }
  return status;
}

static gv_status scan_tiles(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  const gv_overlay *o = user;
  gv_status status = GV_OK;
  for (int64_t i = first; i < end && status == GV_OK; i++)
    status = walk_tile(io, o, worker, i, NULL);
  return status;
}

/* Finds the cells of all tiles; sets *overlap if there are any. */
static gv_status find_tiles(gv_io *io, gv_overlay *o, bool *overlap) {
  gv_io_loop loop = {.threads = o->workers, .count = o->across * o->down, .grain = 4, .user = o};
  gv_gdal_reset();
  gv_status status = gv_io_parallel_for(io, &loop, scan_tiles);
  for (int64_t i = 0; i < loop.count && status == GV_OK; i++)
    *overlap = *overlap || o->tile[i].u1 > 0;
  return status;
}

static void points_drop_sums(gv_overlay *o) {
  gv_cell_sums_destroy(o->sums);
  o->sums = NULL;
}

gv_status gv_points_make(gv_io *io, gv_overlay *o, bool *overlap) {
  enum { LEAST = -900 /* exponent: statistics keep no digits of less than 1e-280 */ };
  int exponent;
  if (!(o->size < 1e307)) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                      "--sum: %s: the sum of its values is out of range (%g); scale them", o->raster.path,
                      o->size);
  }
  frexp(o->size, &exponent);
  o->unit = ldexp(1.0, (exponent < LEAST ? LEAST : exponent) - 52);
  o->n = points_a_side(o);
  o->side = TILE_POINTS / o->n;
  o->across = (o->raster.width + o->side - 1) / o->side;
  o->down = (o->raster.height + o->side - 1) / o->side;
  o->tile = calloc((size_t)(o->across * o->down), sizeof *o->tile);
  const bool keeps = o->list && gv_cell_sums_least(o->grid->grid.width) <= o->sums_bytes;
  if (keeps) o->sums = gv_cell_sums_create(o->grid->grid.width, o->sums_bytes);
  if (o->tile == NULL || (keeps && o->sums == NULL)) return gv_overlay_no_memory(io);
  gv_status status = find_tiles(io, o, overlap);
  if (o->sums != NULL && !gv_cell_sums_are_complete(o->sums)) points_drop_sums(o);
  o->total = o->inside = 0.0;
  for (int i = 0; i < o->workers; i++) {
    o->total += o->of_worker[i].total * o->unit;
    o->inside += o->of_worker[i].inside * o->unit;
  }
  if (status != GV_OK || *overlap) return status;
  /* A raster that has only zeros where the grid is overlaps it. */
  o->zeros = true;
  status = find_tiles(io, o, overlap);
  o->zeros = false;
  return status;
}

void gv_points_free(gv_overlay *o) {
  for (int64_t i = 0; i < o->across * o->down && o->tile != NULL; i++)
    free(o->tile[i].chunk);
  free(o->tile);
  points_drop_sums(o);
}

gv_status gv_points_cells(gv_io *io, const gv_overlay *o, int worker, int64_t x, int64_t y, int64_t w,
                          int64_t h) {
  const block to = {o->of_worker[worker].values, x, y, w, h};
  gv_status status = GV_OK;
  if (o->sums != NULL) {
    gv_cell_sums_get(o->sums, x, w, o->unit, to.values);
    return GV_OK;
  }
  memset(to.values, 0, (size_t)(w * h) * sizeof *to.values);
  for (int64_t i = 0; i < o->across * o->down && status == GV_OK; i++) {
    if (tile_reaches(o, &o->tile[i], x, y, w, h)) status = walk_tile(io, o, worker, i, &to);
  }
  for (int64_t i = 0; i < w * h; i++)
    to.values[i] *= o->unit;
  return status;
}
