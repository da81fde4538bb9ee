/*
 * Overlaying. Two ways:
 *
 * Parallel grids: overlaps are products of an overlap along x and one along y. Those of every column and every row of
 * pixels are found once. Spans of columns that lie in one pixel have one value a row, however many they are. A row of pixels
 * is shared among the spans first, and then among the rows of cells.
 *
 * All others: pixels are parted once to note for every bucket (a square of cells) and row of pixels from which to which
 * pixel parts fall into it, and to add up what is inside. A block of cells then parts the pixels of its buckets again, the
 * same way, and keeps what is its own. Memory is bounded by the notes, whatever the sizes.
 *
 * Before either all pixels are walked through, for their sums and for what is wrong with them; values are kept from there.
 *
 * axes.c has the overlaps, spread.c blocks of parallel grids; parts.c parts pixels, notes.c notes them and makes blocks of the
 * notes; walk.c is the first walk.
 */
#include "io/overlay/quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/overlay/overlay.h"

enum {
  SAMPLES = 256,          /* places across and down by which an overlap is looked for */
  EARTH_METRES = 40000000 /* around it */
};

/* The pixels that have something to do with cells, as far as they are known, are worth keeping. */
static void keep(gv_overlay *o, int64_t *memory) {
  int64_t x[2] = {0, o->raster.width}, y[2] = {0, o->raster.height};
  if (o->parallel) {
    gv_axis_pixels(&o->x, 0, o->x.cells, x);
    gv_axis_pixels(&o->y, 0, o->y.cells, y);
  }
  gv_raster_in_keep(&o->raster, x[0], y[0], x[1] - x[0], y[1] - y[0], memory);
}

/* A lattice of cells or pixels on its map. */
typedef struct lattice {
  const double *geotransform;
  int64_t width, height;
  double period; /* columns of a full turn; 0 = none */
} lattice;

static bool is_within(const lattice *l, const double inverse[6], double x, double y) {
  if (!isfinite(x) || !isfinite(y)) return false;
  double u = inverse[0] + x * inverse[1] + y * inverse[2], v = inverse[3] + x * inverse[4] + y * inverse[5];
  if (l->period > 0.0) u -= l->period * floor(u / l->period);
  return u >= 0.0 && v >= 0.0 && u <= (double)l->width && v <= (double)l->height;
}

/* Sets *out if one of SAMPLES x SAMPLES places of a lattice (or the middles of all it has) lies on another one; `operation`
 * leads there and may be NULL. */
static gv_status find_common(gv_io *io, const lattice *from, gv_operation *operation, const lattice *to,
                             bool *out) {
  const double *g = from->geotransform;
  double geotransform[6], inverse[6], x[SAMPLES], y[SAMPLES];
  memcpy(geotransform, to->geotransform, sizeof geotransform);
  if (!GDALInvGeoTransform(geotransform, inverse)) return GV_OK;
  int64_t across = from->width < SAMPLES ? from->width : SAMPLES;
  int64_t down = from->height < SAMPLES ? from->height : SAMPLES;
  for (int64_t j = 0; j < down && !*out; j++) {
    double v = ((double)j + 0.5) / (double)down * (double)from->height;
    for (int64_t i = 0; i < across; i++) {
      double u = ((double)i + 0.5) / (double)across * (double)from->width;
      x[i] = g[0] + u * g[1] + v * g[2];
      y[i] = g[3] + u * g[4] + v * g[5];
    }
    if (operation != NULL && gv_operation_apply(x, y, across, operation) != 0) return gv_overlay_no_memory(io);
    for (int64_t i = 0; i < across && !*out; i++)
      *out = is_within(to, inverse, x[i], y[i]);
  }
  return GV_OK;
}

/* Sets *out if any pixel has something to do with any cell. Only pixels with something in them have been noted, so where none
 * has been, places are looked for, both ways because either may be much smaller. */
static gv_status find_overlap(gv_io *io, const gv_overlay *o, bool *out) {
  *out = o->parallel && o->x.entries > 0 && o->y.entries > 0;
  if (o->parallel) return GV_OK;
  for (int64_t i = 0; i < o->buckets_across * o->buckets_down && !*out; i++)
    *out = o->buckets[i].count > 0;
  if (*out) return GV_OK;
  const gv_raster_in *raster = &o->raster;
  const lattice cells = {o->grid->geotransform, o->grid->grid.width, o->grid->grid.height, o->period};
  lattice pixels = {raster->geotransform, raster->width, raster->height, 0.0};
  if (raster->lonlat && gv_is_upright(raster->geotransform)) {
    pixels.period = fabs(360.0 / o->degrees / raster->geotransform[1]);
  }
  gv_operation *back = NULL;
  gv_status status = find_common(io, &pixels, o->operation, &cells, out);
  if (status == GV_OK && !*out && o->operation != NULL) {
    status = gv_operation_between(io, o->grid->crs, raster->crs, NULL, NULL, 0, &back);
  }
  if (status == GV_OK && !*out) status = find_common(io, &cells, back, &pixels, out);
  gv_operation_destroy(back);
  return status;
}

/* A turn around the globe in the coordinates of a raster that has a system. */
static double turn_of(const gv_raster_in *raster) {
  return raster->turn > 0.0 ? raster->turn : EARTH_METRES / OSRGetLinearUnits(raster->crs, NULL);
}

/*
 * Where systems differ, a raster may not reach to where none has a map: operations come round again there, and parting pixels that are
 * many turns wide takes no end of time.
 */
static gv_status check_reach(gv_io *io, const gv_raster_in *raster) {
  const double *g = raster->geotransform;
  bool angles = OSRIsGeographic(raster->crs), metres = OSRIsProjected(raster->crs);
  if (!angles && !metres) return GV_OK;
  double most = (angles ? GV_MOST_TURNS : 10.0) * turn_of(raster);
  for (int corner = 0; corner < 4; corner++) {
    double column = corner % 2 == 0 ? 0.0 : (double)raster->width, row = corner < 2 ? 0.0 : (double)raster->height;
    double x = g[0] + column * g[1] + row * g[2], y = g[3] + column * g[4] + row * g[5];
    if (fabs(x) <= most && fabs(y) <= (angles ? 0.5 * raster->turn : most)) continue;
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--sum: %s reaches to %.10g, %.10g, far beyond any map",
                      raster->path, x, y);
  }
  return GV_OK;
}

static gv_status lay(gv_io *io, gv_overlay *o) {
  const gv_raster_grid *grid = o->grid;
  const gv_raster_in *raster = &o->raster;
  double a, f;
  o->e2 = -2.0;
  if (raster->lonlat) {
    gv_status status = gv_crs_ellipsoid(io, raster->crs, &a, &f);
    if (status != GV_OK) return status;
    o->e2 = f * (2.0 - f);
    o->degrees = gv_crs_unit_degrees(raster->crs);
  }
  double geotransform[6];
  memcpy(geotransform, grid->geotransform, sizeof geotransform);
  if (!GDALInvGeoTransform(geotransform, o->inverse)) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "the grid's geotransform is degenerate");
  }
  bool same = gv_grid_in_crs(grid, raster->crs), upright = gv_is_upright(grid->geotransform);
  if (upright && gv_crs_is_lonlat(grid->crs)) {
    o->period = fabs(360.0 / gv_crs_unit_degrees(grid->crs) / grid->geotransform[1]);
    if (fabs(o->period - rint(o->period)) < 1e-7) o->period = rint(o->period);
  }
  o->parallel = same && upright && gv_is_upright(raster->geotransform);
  o->eighth = o->period > 0.0 || !same ? 0.125 * turn_of(raster) : (double)HUGE_VAL;
  if (o->parallel) return gv_axes_lay(io, o);
  if (!same) {
    gv_status status = check_reach(io, raster);
    if (status == GV_OK) {
      status = gv_operation_between(io, raster->crs, grid->crs, NULL, NULL, 0, &o->operation);
    }
    if (status != GV_OK) return status;
  }
  o->buckets_across = (grid->grid.width + GV_BUCKET_SIDE - 1) / GV_BUCKET_SIDE;
  o->buckets_down = (grid->grid.height + GV_BUCKET_SIDE - 1) / GV_BUCKET_SIDE;
  o->buckets = calloc((size_t)(o->buckets_across * o->buckets_down), sizeof *o->buckets);
  return o->buckets != NULL ? GV_OK : gv_overlay_no_memory(io);
}

gv_status gv_overlay_open(gv_io *io, const char *name, gv_raster_source source, const gv_raster_grid *grid,
                          gv_readers readers, int64_t *memory, gv_overlay **out) {
  gv_overlay *o = calloc(1, sizeof *o);
  if (o == NULL) return gv_overlay_no_memory(io);
  o->name = name;
  o->grid = grid;
  o->readers = readers;
  o->workers = readers.workers;
  o->at_once = gv_pixels_at_once(readers, sizeof(double) + 1, GV_OVERLAY_AT_ONCE);
  o->of_worker = calloc((size_t)readers.workers, sizeof *o->of_worker);
  gv_status status = o->of_worker != NULL ? GV_OK : gv_overlay_no_memory(io);
  if (status == GV_OK) status = gv_raster_in_open(io, "--sum", source, readers, &o->raster);
  if (status == GV_OK) status = gv_check_alignable(io, "--sum", source.path, o->raster.crs, grid);
  if (status == GV_OK) status = lay(io, o);
  if (status == GV_OK) keep(o, memory);
  if (status == GV_OK) status = gv_overlay_walk(io, o);
  if (status == GV_OK && !o->parallel) status = gv_overlay_note(io, o);
  bool overlap = true; /* what is 0 everywhere may lie anywhere */
  if (status == GV_OK && o->size > 0.0) status = find_overlap(io, o, &overlap);
  if (status == GV_OK && !overlap) {
    status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--sum: %s does not overlap the grid", source.path);
  }
  if (status != GV_OK) {
    gv_overlay_close(o);
    return status;
  }
  *out = o;
  return GV_OK;
}

double gv_overlay_total(const gv_overlay *o) {
  return o->total;
}

double gv_overlay_inside(const gv_overlay *o) {
  return o->inside;
}

double gv_overlay_bound(const gv_overlay *o) {
  /* Shares add up to 1 but for rounding. */
  return o->size > 0.0 ? o->size * (1.0 + 1e-9) : 1.0;
}

void gv_overlay_close(gv_overlay *o) {
  if (o == NULL) return;
  for (int i = 0; i < o->workers && o->of_worker != NULL; i++)
    gv_overlay_worker_clear(&o->of_worker[i]);
  for (int64_t i = 0; i < o->buckets_across * o->buckets_down && o->buckets != NULL; i++)
    free(o->buckets[i].notes);
  free(o->buckets);
  free(o->of_worker);
  free(o->same);
  free(o->same_row);
  gv_axis_free(&o->x);
  gv_axis_free(&o->y);
  gv_raster_in_close(&o->raster);
  gv_operation_destroy(o->operation);
  free(o);
}

/* -------------------------------------------------------------------------------------------------------- blocks */

gv_status gv_overlay_cells(gv_io *io, gv_overlay *o, int worker, int64_t x, int64_t y, int64_t w, int64_t h,
                           gv_quantity *out) {
  return o->parallel ? gv_overlay_cells_parallel(io, o, worker, x, y, w, h, out)
                     : gv_overlay_cells_parted(io, o, worker, x, y, w, h, out);
}
