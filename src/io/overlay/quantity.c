/* Opens an overlay: a first pass over all pixels sums and checks them. */
#include "io/overlay/quantity.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/overlay/overlay.h"
#include "io/parallel.h"

/* From the raster to the grid. */
static gv_status overlay_operation(gv_io *io, gv_overlay *o) {
  gv_status status = gv_operation_between(io, o->raster.crs, o->grid->crs, NULL, NULL, 0, &o->operation);
  return gv_io_of_option(io, status, "--sum");
}

/* Compares the systems and chooses the method. */
static gv_status overlay_plan(gv_io *io, gv_overlay *o) {
  const gv_raster_grid *grid = o->grid;
  const gv_raster_in *raster = &o->raster;
  double a, f, geotransform[6];
  o->e2 = -2.0;
  if (raster->lonlat) {
    gv_status status = gv_crs_ellipsoid(io, raster->crs, &a, &f);
    if (status != GV_OK) return status;
    o->e2 = f * (2.0 - f);
    o->degrees = gv_crs_unit_degrees(raster->crs);
  }
  o->list = gv_cells_of_lists(&grid->cells_of);
  o->grid_degrees = o->list ? gv_crs_unit_degrees(grid->crs) : 1.0;
  if (o->list) return gv_grid_in_crs(grid, raster->crs) ? GV_OK : overlay_operation(io, o);
  memcpy(geotransform, grid->geotransform, sizeof geotransform);
  if (!GDALInvGeoTransform(geotransform, o->inverse)) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                      "grid: invalid geotransform; the area of its cells is 0");
  }
  bool same = gv_grid_in_crs(grid, raster->crs), upright = gv_is_upright(grid->geotransform);
  if (upright && gv_crs_is_lonlat(grid->crs)) {
    o->period = fabs(360.0 / gv_crs_unit_degrees(grid->crs) / grid->geotransform[1]);
    if (fabs(o->period - rint(o->period)) < 1e-7) o->period = rint(o->period);
  }
  o->parallel = same && upright && gv_is_upright(raster->geotransform);
  if (o->parallel) return gv_areas_make(io, o);
  return same ? GV_OK : overlay_operation(io, o);
}

/* ----------------------------------------------------------------------------------------- the first walk */

/* Sums of a row of pixels. */
typedef struct row_sums {
  double total, size, inside;
  double largest;   /* absolute value */
  int64_t negative; /* pixels */
} row_sums;

typedef struct row_walk {
  const gv_overlay *o;
  row_sums *rows;
} row_walk;

/* Adds up a row, pixel c in lane c % LANES, for the compiler's vectors. */
static row_sums add_row(const gv_overlay *o, const double *row) {
  enum { LANES = 8 };
  double total[LANES] = {0}, size[LANES] = {0}, inside[LANES] = {0}, negative[LANES] = {0},
         largest[LANES] = {0};
  row_sums sums = {0};
  for (int64_t x = 0; x < o->raster.width; x += LANES) {
    for (int i = 0; i < LANES && x + i < o->raster.width; i++) {
      total[i] += row[x + i];
      size[i] += fabs(row[x + i]);
      largest[i] = fabs(row[x + i]) > largest[i] ? fabs(row[x + i]) : largest[i];
      inside[i] += o->parallel ? row[x + i] * o->x.inside[x + i] : 0.0;
      negative[i] += row[x + i] < 0.0 ? 1.0 : 0.0;
    }
  }
  for (int i = 0; i < LANES; i++) {
    sums.total += total[i];
    sums.size += size[i];
    sums.inside += inside[i];
    sums.largest = fmax(sums.largest, largest[i]);
    sums.negative += (int64_t)negative[i];
  }
  return sums;
}

static gv_status walk_rows(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  const row_walk *walk = user;
  const gv_raster_in *raster = &walk->o->raster;
  const gv_overlay_worker *b = &walk->o->of_worker[worker];
  for (int64_t y = first; y < end; y++) {
    gv_status status = gv_raster_in_values(io, raster, worker, 0, y, raster->width, 1, b->pixels, b->valid);
    if (status != GV_OK) return status;
    if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
    walk->rows[y] = add_row(walk->o, b->pixels);
    for (int64_t x = 0; x < raster->width && !isfinite(walk->rows[y].size); x++) {
      if (isfinite(b->pixels[x])) continue;
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                        "--sum: %s: pixel (%" PRId64 ", %" PRId64 ") is infinite", raster->path, x, y);
    }
  }
  return GV_OK;
}

/* A sum with the rounding error of its last addition (Kahan). */
typedef struct exact_sum {
  double value, lost;
} exact_sum;

static void sum_add(exact_sum *sum, double value) {
  double add = value - sum->lost, next = sum->value + add;
  sum->lost = (next - sum->value) - add;
  sum->value = next;
}

/* Adds up strips of rows first. */
static void add_rows(gv_overlay *o, const row_sums *rows, int64_t strip) {
  exact_sum total = {0}, size = {0}, inside = {0};
  o->negative = 0;
  o->largest = 0.0;
  for (int64_t first = 0; first < o->raster.height; first += strip) {
    exact_sum strip_total = {0}, strip_size = {0}, strip_inside = {0};
    for (int64_t y = first; y < first + strip && y < o->raster.height; y++) {
      sum_add(&strip_total, rows[y].total);
      sum_add(&strip_size, rows[y].size);
      o->negative += rows[y].negative;
      o->largest = fmax(o->largest, rows[y].largest);
      sum_add(&strip_inside, rows[y].inside * (o->parallel ? o->y.inside[y] : 0.0));
    }
    sum_add(&total, strip_total.value);
    sum_add(&size, strip_size.value);
    sum_add(&inside, strip_inside.value);
  }
  o->total = total.value;
  o->size = size.value;
  o->inside = inside.value;
}

static gv_status overlay_walk(gv_io *io, gv_overlay *o) {
  int64_t height = o->raster.height, strip = gv_raster_in_rows_at_once(&o->raster);
  row_walk walk = {o, malloc((size_t)height * sizeof *walk.rows)};
  gv_io_loop loop = {.threads = o->workers, .count = height, .grain = strip, .user = &walk};
  if (walk.rows == NULL) return gv_overlay_no_memory(io);
  gv_gdal_reset();
  gv_status status = gv_io_parallel_for(io, &loop, walk_rows);
  if (status == GV_OK) add_rows(o, walk.rows, strip);
  free(walk.rows);
  return status;
}

/* ----------------------------------------------------------------------------------------------- overlays */

/* Memory for rows of the raster, for each worker. */
static gv_status overlay_rows(gv_io *io, gv_overlay *o) {
  for (int i = 0; i < o->workers; i++) {
    gv_overlay_worker *b = &o->of_worker[i];
    b->pixels = malloc((size_t)o->raster.width * sizeof *b->pixels);
    b->valid = malloc((size_t)o->raster.width);
    if (b->pixels == NULL || b->valid == NULL) return gv_overlay_no_memory(io);
  }
  return GV_OK;
}

gv_status gv_overlay_open(gv_io *io, gv_raster_source source, const gv_raster_grid *grid, gv_readers readers,
                          gv_overlay **out) {
  gv_overlay *o = calloc(1, sizeof *o);
  if (o == NULL) return gv_overlay_no_memory(io);
  o->grid = grid;
  o->workers = readers.workers;
  o->sums_bytes = readers.memory / (2 * readers.rasters); /* the other half is for reading */
  o->of_worker = calloc((size_t)readers.workers, sizeof *o->of_worker);
  gv_status status = o->of_worker != NULL ? GV_OK : gv_overlay_no_memory(io);
  if (status == GV_OK) status = gv_raster_in_open(io, "--sum", source, readers, &o->raster);
  if (status == GV_OK) status = gv_check_alignable(io, "--sum", source.path, o->raster.crs, grid);
  if (status == GV_OK) status = overlay_rows(io, o);
  if (status == GV_OK) status = overlay_plan(io, o);
  if (status == GV_OK) status = overlay_walk(io, o);
  /* A raster that is 0 everywhere may lie anywhere. */
  bool overlap = status == GV_OK && (o->size == 0.0 || (o->parallel && gv_areas_overlap(o)));
  if (status == GV_OK && !o->parallel) status = gv_points_make(io, o, &overlap);
  if (status == GV_OK && !overlap) {
    status =
        gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--sum: %s: outside the grid%s", source.path,
                   o->parallel ? "" : ", or its pixels are too large; resample them to the grid's system");
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

int64_t gv_overlay_negative(const gv_overlay *o) {
  return o->negative;
}

/* The least power of two that is not less; a size that has none in the range of doubles stays as it is. */
static double power_above(double size) {
  int exponent;
  double fraction = frexp(size, &exponent);
  if (fraction == 0.5 || exponent > DBL_MAX_EXP - 1) return size;
  return ldexp(1.0, exponent);
}

double gv_overlay_bound(const gv_overlay *o) {
  if (!o->parallel) return ldexp(o->unit, 53);
  if (!(o->size > 0.0)) return 1.0;
  /* Fixed point in a power of two keeps whole numbers whole. */
  return power_above(fmin(gv_areas_largest(o), o->size * (1.0 + 1e-9)));
}

void gv_overlay_close(gv_overlay *o) {
  if (o == NULL) return;
  for (int i = 0; i < o->workers && o->of_worker != NULL; i++) {
    free(o->of_worker[i].pixels);
    free(o->of_worker[i].valid);
    free(o->of_worker[i].values);
  }
  free(o->of_worker);
  gv_points_free(o);
  gv_areas_free(o);
  gv_raster_in_close(&o->raster);
  gv_operation_destroy(o->operation);
  free(o);
}

gv_status gv_overlay_cells(gv_io *io, gv_overlay *o, int worker, int64_t x, int64_t y, int64_t w, int64_t h,
                           gv_quantity *out) {
  gv_overlay_worker *b = &o->of_worker[worker];
  int64_t count = w * (h + 2); /* two more rows for gv_areas_cells */
  if (count > b->capacity) {
    free(b->values);
    b->values = malloc((size_t)count * sizeof *b->values);
    b->capacity = b->values != NULL ? count : 0;
    if (b->values == NULL) return gv_overlay_no_memory(io);
  }
  gv_quantity_init(out);
  out->value = b->values;
  out->stride = w;
  return o->parallel ? gv_areas_cells(io, o, worker, x, y, w, h) : gv_points_cells(io, o, worker, x, y, w, h);
}
