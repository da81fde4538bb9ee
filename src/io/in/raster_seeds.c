/* Reading rasters of seeds, some rows at a time. */
#include "io/in/raster_seeds.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "core/parallel.h"
#include "io/crs/metric.h"
#include "io/format.h"
#include "io/in/input_limit.h"
#include "io/in/raster_crs.h"
#include "io/in/raster_in.h"

enum { PIXELS_AT_ONCE = 1 << 20 };

#define MOST_COMPUTED ((int64_t)1 << 32) /* cells of an on-demand raster, some minutes of computing */

static const char *option_of(const gv_raster_seed_options *options) {
  return options->option != NULL ? options->option : "--seeds-raster";
}

static gv_status raster_seed_fail(gv_io *io, const gv_raster_seed_options *options, const char *what) {
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: %s: %s", option_of(options), options->source, what);
}

/* --------------------------------------------------------------------------------------------- the header */

static gv_status read_header(gv_io *io, gv_raster_seed_reader *r) {
  const gv_raster_seed_options *o = r->options;
  int bands = GDALGetRasterCount(r->dataset);
  bool finite = true;
  if (bands == 0) return raster_seed_fail(io, o, "missing bands");
  GV_REQUIRE(io, o->band >= 1 && o->band <= bands, "--band: %s has %d band%s, none is number %d", o->source,
             bands, bands == 1 ? "" : "s", o->band);
  if (GDALDataTypeIsComplex(GDALGetRasterDataType(GDALGetRasterBand(r->dataset, o->band))))
    return raster_seed_fail(io, o, "unsupported type: complex numbers; expected integers");
  r->width = GDALGetRasterXSize(r->dataset);
  r->height = GDALGetRasterYSize(r->dataset);
  if (GDALGetGeoTransform(r->dataset, r->geotransform) != CE_None)
    return raster_seed_fail(io, o, gv_reason_of_no_geotransform(r->dataset));
  const int64_t count = r->width * r->height;
  if (count > MOST_COMPUTED && gv_format_of_dataset(r->dataset)->on_demand) {
    return gv_io_fail_as(io, GV_CODE_GRID_TOO_LARGE, GV_ERROR_INVALID_ARGUMENT,
                         "%s: %s: too many cells of an on-demand raster (%" PRId64 "); at most %" PRId64
                         " are supported; use --res for larger cells in its description",
                         option_of(o), o->source, count, MOST_COMPUTED);
  }
  const double *g = r->geotransform;
  for (int i = 0; i < 6; i++)
    finite = finite && isfinite(g[i]);
  if (!finite || g[1] * g[5] - g[2] * g[4] == 0.0)
    return raster_seed_fail(io, o, "invalid geotransform; the area of its cells is 0");
  gv_status status =
      o->crs != NULL
          ? gv_crs_parse(io, o->crs, o->crs_option != NULL ? o->crs_option : "--seeds-crs", &r->crs)
          : gv_crs_of_raster(io, o->source, r->dataset, &r->crs);
  if (status != GV_OK || !gv_crs_is_lonlat(r->crs)) return status;
  char *name = NULL;
  if (asprintf(&name, "%s: %s", option_of(o), o->source) < 0) return gv_io_fail_memory(io, "a name");
  status = gv_check_longitudes(io, name, g, r->width, r->height, 360.0 / gv_crs_unit_degrees(r->crs));
  free(name);
  return status;
}

gv_status gv_raster_seeds_open(gv_io *io, const gv_raster_seed_options *options, gv_raster_seed_reader *out) {
  /* option of drivers that read with several threads, set when they open */
  static const char threads[] = "GDAL_NUM_THREADS";
  *out = (gv_raster_seed_reader){.options = options};
  gv_gdal_reset();
  bool sets_threads = options->threads > 1 && CPLGetConfigOption(threads, NULL) == NULL;
  if (sets_threads)
    CPLSetThreadLocalConfigOption(threads, CPLSPrintf("%d", gv_threads_available(options->threads)));
  out->dataset = GDALOpenEx(options->source, GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, NULL,
                            (const char *const *)options->open_options, NULL);
  if (sets_threads) CPLSetThreadLocalConfigOption(threads, NULL);
  if (out->dataset == NULL)
    return gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot read %s as a raster", option_of(options),
                           options->source);
  return read_header(io, out);
}

void gv_raster_seeds_close(gv_raster_seed_reader *reader) {
  if (reader->dataset != NULL) GDALClose(reader->dataset);
  if (reader->crs != NULL) OSRRelease(reader->crs);
  *reader = (gv_raster_seed_reader){.options = NULL};
}

bool gv_raster_seeds_are_narrow(const gv_raster_seed_reader *reader) {
  GDALDataType type = GDALGetRasterDataType(GDALGetRasterBand(reader->dataset, reader->options->band));
  return type == GDT_Byte || type == GDT_Int16 || type == GDT_UInt16 || type == GDT_Int32;
}

/* -------------------------------------------------------------------------------------------------- lists */

/* Room for `count` seeds in the raster's coordinate system. */
static gv_status make_list(gv_io *io, const gv_raster_seed_reader *r, int64_t count, gv_seed_list *out) {
  size_t n = (size_t)(count > 0 ? count : 1);
  bool swapped;
  out->x = malloc(n * sizeof *out->x);
  out->y = malloc(n * sizeof *out->y);
  out->ids = malloc(n * sizeof *out->ids);
  out->rows = malloc(n * sizeof *out->rows);
  out->fids = malloc(n * sizeof *out->fids);
  if (out->x == NULL || out->y == NULL || out->ids == NULL || out->rows == NULL || out->fids == NULL)
    return gv_io_fail_memory(io, "the seeds");
  out->count = count;
  out->are_cells = true;
  return r->crs != NULL ? gv_crs_copy(io, r->crs, &out->crs, &swapped) : GV_OK;
}

gv_status gv_raster_seeds_sample(gv_io *io, const gv_raster_seed_reader *reader, gv_seed_list *seeds) {
  enum { SIDE = 33 };
  const double *g = reader->geotransform;
  gv_status status = make_list(io, reader, SIDE * SIDE, seeds);
  for (int64_t i = 0; i < SIDE * SIDE && status == GV_OK; i++) {
    double column = 0.5 + floor((double)(reader->width - 1) * (double)(i % SIDE) / (SIDE - 1));
    double row = 0.5 + floor((double)(reader->height - 1) * (double)(i / SIDE) / (SIDE - 1));
    seeds->x[i] = g[0] + column * g[1] + row * g[2];
    seeds->y[i] = g[3] + column * g[4] + row * g[5];
    seeds->ids[i] = seeds->rows[i] = seeds->fids[i] = i;
  }
  seeds->skip_invalid = true;
  return status;
}

/* ------------------------------------------------------------------------------------------------- pixels */

/* How rows are read: in the stored type, if it is an integer. */
typedef struct row_reader {
  const gv_raster_seed_reader *raster;
  GDALRasterBandH band, mask; /* mask NULL: none is needed */
  GDALDataType type;
  size_t size;             /* of a pixel */
  bool is_signed;          /* see gv_has_signed_bytes */
  uint8_t *pixels, *valid; /* of some rows; valid NULL without a mask */
  int64_t most;            /* rows */
  uint8_t nodata[8];       /* of the pixels' type, as are the chosen values */
  uint8_t *chosen;         /* NULL: all but 0 */
  gv_raster_array array;   /* array for the library */
} row_reader;

static void choose_type(row_reader *r) {
  static const struct {
    GDALDataType type;
    gv_dtype library;
  } known[] = {{GDT_Byte, GV_UINT8},     {GDT_Int16, GV_INT16},   {GDT_UInt16, GV_UINT16},
               {GDT_Int32, GV_INT32},    {GDT_UInt32, GV_UINT32}, {GDT_Int64, GV_INT64},
               {GDT_Float64, GV_FLOAT64}};
  size_t i = 0;
  while (known[i].type != GDALGetRasterDataType(r->band) && known[i].type != GDT_Float64)
    i++;
  r->type = known[i].type;
  r->size = (size_t)GDALGetDataTypeSizeBytes(r->type);
  r->is_signed = gv_has_signed_bytes(r->band);
  r->array.type = r->is_signed ? GV_INT8 : known[i].library;
}

/* Writes a number as a pixel; false if no pixel can hold it. */
static bool raster_seed_put(const row_reader *r, int64_t number, uint8_t *pixel) {
  int64_t held = 0;
  if (r->is_signed) {
    *pixel = (uint8_t)number;
    return number >= INT8_MIN && number <= INT8_MAX;
  }
  GDALCopyWords(&number, GDT_Int64, 0, pixel, r->type, 0, 1);
  GDALCopyWords(pixel, r->type, 0, &held, GDT_Int64, 0, 1);
  return held == number;
}

/* The pixels that are left out, by nodata or by a mask. */
static void find_nodata(row_reader *r) {
  int flags = GDALGetMaskFlags(r->band), has = 0;
  double nodata;
  if (r->is_signed && (flags == GMF_NODATA || (flags & GMF_ALL_VALID) != 0)) {
    has = gv_signed_nodata(r->band, &nodata) && raster_seed_put(r, (int64_t)nodata, r->nodata);
  } else if (flags == GMF_NODATA && r->type == GDT_Int64) {
    has = raster_seed_put(r, GDALGetRasterNoDataValueAsInt64(r->band, NULL), r->nodata);
  } else if (flags == GMF_NODATA && r->type != GDT_Float64) {
    nodata = GDALGetRasterNoDataValue(r->band, NULL);
    has = nodata == rint(nodata) && fabs(nodata) < 9e18 && raster_seed_put(r, (int64_t)nodata, r->nodata);
  } else if ((flags & GMF_ALL_VALID) == 0) {
    r->mask = GDALGetMaskBand(r->band);
  }
  r->array.excluded = r->nodata;
  r->array.excluded_count = has != 0;
}

/* The values of --values that pixels can hold. */
static gv_status find_chosen(gv_io *io, row_reader *r) {
  const gv_raster_seed_options *o = r->raster->options;
  if (o->values == NULL) return GV_OK;
  r->chosen = malloc((size_t)o->value_count * r->size + 1);
  if (r->chosen == NULL) return gv_io_fail_memory(io, "the values of seeds");
  for (int64_t i = 0; i < o->value_count; i++)
    r->array.included_count +=
        raster_seed_put(r, o->values[i], r->chosen + (size_t)r->array.included_count * r->size);
  r->array.included = r->chosen;
  return GV_OK;
}

static gv_status make_rows(gv_io *io, const gv_raster_seed_reader *raster, row_reader *r) {
  *r = (row_reader){.raster = raster, .band = GDALGetRasterBand(raster->dataset, raster->options->band)};
  gv_raster_array_init(&r->array);
  int block_w, block_h;
  choose_type(r);
  find_nodata(r);
  GDALGetBlockSize(r->band, &block_w, &block_h);
  r->most = PIXELS_AT_ONCE / raster->width;
  if (r->most > block_h) r->most -= r->most % block_h;
  if (r->most < block_h && block_h * raster->width <= 16 * (int64_t)PIXELS_AT_ONCE) r->most = block_h;
  if (r->most < 1) r->most = 1;
  size_t pixels = (size_t)r->most * (size_t)raster->width;
  GV_TRY(gv_raster_band_fits(io, option_of(raster->options), raster->options->source, r->band, r->most,
                             raster->width * (int64_t)(r->size + 1)));
  r->pixels = malloc(pixels * r->size);
  if (r->mask != NULL) r->valid = malloc(pixels);
  if (r->pixels == NULL || (r->mask != NULL && r->valid == NULL))
    return gv_io_fail_memory(io, "the raster of seeds");
  r->array.data = r->pixels;
  r->array.column_stride = (int64_t)r->size;
  r->array.row_stride = raster->width * (int64_t)r->size;
  r->array.mask = r->valid;
  r->array.mask_column_stride = 1;
  r->array.mask_row_stride = raster->width;
  return find_chosen(io, r);
}

static void free_rows(row_reader *r) {
  free(r->pixels);
  free(r->valid);
  free(r->chosen);
}

/* Rows y ... y + h - 1. */
static gv_status read_rows(gv_io *io, row_reader *r, int64_t y, int64_t h) {
  int w = (int)r->raster->width;
  gv_gdal_reset();
  CPLErr error = GDALRasterIO(r->band, GF_Read, 0, (int)y, w, (int)h, r->pixels, w, (int)h, r->type, 0, 0);
  if (error == CE_None && r->mask != NULL)
    error = GDALRasterIO(r->mask, GF_Read, 0, (int)y, w, (int)h, r->valid, w, (int)h, GDT_Byte, 0, 0);
  return error == CE_None ? GV_OK
                          : gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot read %s",
                                            option_of(r->raster->options), r->raster->options->source);
}

/* --------------------------------------------------------------------------------------------- the raster */

/* Whether the grid is a map of the globe that the raster's longitudes and latitudes are on. */
static bool maps_globe_of(const gv_raster_grid *grid, OGRSpatialReferenceH crs) {
  if (!gv_metric_on_globe(grid->metric) || !gv_crs_is_lonlat(crs) || !OSRIsProjected(grid->crs)) return false;
  OGRSpatialReferenceH globe = OSRCloneGeogCS(grid->crs);
  bool same = globe != NULL && gv_crs_same(crs, globe);
  if (globe != NULL) OSRRelease(globe);
  return same;
}

/* Whether the grid can be passed to the library: it is in the raster's own coordinates, or can be transformed
 * to them. */
static bool queries_in_raster(const gv_raster_seed_reader *r, const gv_raster_grid *grid) {
  if ((r->crs == NULL) != (grid->crs == NULL) || grid->globe != NULL ||
      (grid->snap_seeds && grid->grid.level != GV_QTM_NONE))
    return false;
  if (r->crs == NULL) return true;
  if (gv_crs_is_lonlat(r->crs) && gv_crs_unit_degrees(r->crs) != 1.0) return false;
  return gv_crs_same(r->crs, grid->crs) || maps_globe_of(grid, r->crs);
}

/* Fails if the seeds that are kept so far need too much memory. */
static gv_status check_kept(gv_io *io, gv_context *context, const gv_raster_seed_reader *reader,
                            const gv_raster_seeds *cells) {
  const gv_raster_seed_options *o = reader->options;
  gv_raster_seed_list kept;
  gv_raster_seed_list_init(&kept);
  GV_TRY(gv_io_pass_on_library(io, context, gv_raster_seeds_get(context, cells, &kept)));
  return gv_input_fits(io, &(gv_input_data){option_of(o), o->source, "cells", kept.count, GV_BYTES_A_SEED});
}

static gv_status read_cells(gv_io *io, gv_context *context, const gv_raster_seed_reader *reader,
                            const gv_raster_seed_request *request, gv_raster_seed_content *out) {
  const gv_raster_grid *grid = request->grid;
  gv_raster_seeds_options options;
  gv_raster_seeds_options_init(&options);
  gv_grid raster;
  gv_grid_init(&raster);
  row_reader rows;
  bool upright = reader->geotransform[2] == 0.0 && reader->geotransform[4] == 0.0;
  raster.kind = grid == NULL || grid->grid.kind == GV_GRID_PLANE ? GV_GRID_PLANE
                : upright && gv_crs_is_lonlat(reader->crs)       ? GV_GRID_LONLAT
                                                                 : GV_GRID_PROJECTED;
  raster.width = reader->width;
  raster.height = reader->height;
  memcpy(raster.geotransform, reader->geotransform, sizeof raster.geotransform);
  options.by_cell = reader->options->by_cell;
  options.keep_all = request->all;
  if (grid != NULL) {
    raster.semi_major = grid->grid.semi_major;
    raster.flattening = grid->grid.flattening;
    options.metric = grid->metric;
    if (queries_in_raster(reader, grid)) options.query_grid = &grid->grid;
  }
  gv_status status = make_rows(io, reader, &rows), library = GV_OK;
  if (status == GV_OK) library = gv_raster_seeds_create(context, &raster, &options, &out->cells);
  for (int64_t y = 0; y < reader->height && status == GV_OK && library == GV_OK; y += rows.most) {
    int64_t h = reader->height - y < rows.most ? reader->height - y : rows.most;
    status = gv_io_cancelled(io) ? gv_io_fail_cancelled(io) : read_rows(io, &rows, y, h);
    rows.array.rows = h;
    if (status == GV_OK) library = gv_raster_seeds_add_array(context, out->cells, &rows.array);
    if (status == GV_OK && library == GV_OK) status = check_kept(io, context, reader, out->cells);
  }
  if (status == GV_OK && library == GV_OK) library = gv_raster_seeds_finish(context, out->cells);
  free_rows(&rows);
  if (status == GV_OK && library != GV_OK) {
    status = gv_io_fail(io, library, "%s: %s: %s", option_of(reader->options), reader->options->source,
                        gv_context_message(context));
  }
  return status;
}

/* A value as one seed of many points. */
static gv_status make_features(gv_io *io, const gv_raster_seed_reader *reader,
                               const gv_raster_seed_list *kept, gv_seed_list *out) {
  int64_t n = kept->groups;
  gv_status status = make_list(io, reader, n, out);
  if (status == GV_OK) status = gv_shapes_make(io, &out->shapes);
  if (status != GV_OK) return status;
  gv_shapes *s = out->shapes;
  int64_t **const offsets[] = {&s->part, &s->ring, &s->vertex};
  for (int i = 0; i < 3; i++) {
    free(*offsets[i]);
    *offsets[i] = malloc((size_t)(n + 1) * sizeof **offsets[i]);
  }
  s->kind = malloc((size_t)n + 1);
  s->x = malloc((size_t)kept->count * sizeof *s->x);
  s->y = malloc((size_t)kept->count * sizeof *s->y);
  s->cut = calloc((size_t)kept->count, sizeof *s->cut);
  bool made = s->part != NULL && s->ring != NULL && s->vertex != NULL && s->kind != NULL && s->x != NULL &&
              s->y != NULL && s->cut != NULL;
  if (!made) return gv_io_fail_memory(io, "the seeds");
  for (int64_t i = 0; i <= n; i++) {
    s->part[i] = s->ring[i] = i;
    s->vertex[i] = kept->first[i];
    if (i < n) s->kind[i] = GV_PART_POINTS;
  }
  memcpy(s->x, kept->x, (size_t)kept->count * sizeof *s->x);
  memcpy(s->y, kept->y, (size_t)kept->count * sizeof *s->y);
  s->features = s->parts = s->rings = n;
  s->vertices = kept->count;
  s->room_features = s->room_parts = s->room_rings = n + 1;
  s->room_kinds = n + 1;
  s->room_x = s->room_y = s->room_cut = kept->count;
  for (int64_t i = 0; i < n; i++) {
    out->x[i] = kept->x[kept->first[i]];
    out->y[i] = kept->y[kept->first[i]];
    out->ids[i] = kept->value[i];
    out->rows[i] = out->fids[i] = kept->cell[kept->first[i]];
  }
  return GV_OK;
}

static gv_status make_seeds(gv_io *io, const gv_raster_seed_reader *reader, const gv_raster_seed_list *kept,
                            gv_seed_list *out) {
  GV_TRY(make_list(io, reader, kept->count, out));
  memcpy(out->x, kept->x, (size_t)kept->count * sizeof *out->x);
  memcpy(out->y, kept->y, (size_t)kept->count * sizeof *out->y);
  memcpy(out->rows, kept->cell, (size_t)kept->count * sizeof *out->rows);
  memcpy(out->fids, kept->cell, (size_t)kept->count * sizeof *out->fids);
  for (int64_t i = 0; i < kept->count; i++)
    out->ids[i] = reader->options->by_cell ? kept->cell[i] : kept->value[kept->group[i]];
  return GV_OK;
}

/* Makes the values, after their cells are located. Values ascend, and seeds with them. */
static gv_status make_regions(gv_io *io, const gv_raster_seed_reader *reader, const gv_raster_seed_list *kept,
                              gv_raster_seed_content *out) {
  const gv_seed_list *seeds = &out->seeds;
  out->region = malloc((size_t)seeds->count * sizeof *out->region);
  GV_TRY(out->region != NULL ? make_list(io, reader, kept->groups, &out->regions)
                             : gv_io_fail_memory(io, "the seeds"));
  int64_t at = 0;
  for (int64_t g = 0; g < kept->groups; g++) {
    bool any = at < seeds->count && seeds->ids[at] == kept->value[g];
    out->regions.ids[g] = kept->value[g];
    out->regions.rows[g] = out->regions.fids[g] = any ? seeds->rows[at] : 0;
    out->regions.x[g] = any ? seeds->x[at] : seeds->x[0];
    out->regions.y[g] = any ? seeds->y[at] : seeds->y[0];
    while (at < seeds->count && seeds->ids[at] == kept->value[g])
      out->region[at++] = (int32_t)g;
  }
  return GV_OK;
}

gv_status gv_raster_seeds_read(gv_io *io, gv_context *context, const gv_raster_seed_reader *reader,
                               const gv_raster_seed_request *request, gv_raster_seed_content *out) {
  const gv_raster_seed_options *o = reader->options;
  gv_raster_seed_list kept;
  gv_raster_seed_list_init(&kept);
  GV_TRY(read_cells(io, context, reader, request, out));
  gv_status status = gv_raster_seeds_get(context, out->cells, &kept);
  if (status != GV_OK) return gv_io_fail(io, status, "%s: %s", option_of(o), gv_context_message(context));
  if (kept.cells == 0) {
    return gv_io_name(io, GV_CODE_SEEDS_NONE,
                      raster_seed_fail(io, o,
                                       o->values != NULL ? "missing cells with these values (--values)"
                                                         : "missing cells that are not nodata, masked or 0"));
  }
  out->same_cells = kept.queries_are_cells;
  out->own = kept.queries_are_cells && !(request->all && o->by_cell);
  status = request->as_features ? make_features(io, reader, &kept, &out->seeds)
                                : make_seeds(io, reader, &kept, &out->seeds);
  out->seeds.skip_invalid = request->skip_invalid;
  if (status == GV_OK && request->grid != NULL)
    status = gv_io_of_option(io, gv_raster_grid_transform(io, request->grid, &out->seeds), option_of(o));
  if (status == GV_OK && !o->by_cell && !request->as_features) status = make_regions(io, reader, &kept, out);
  return status;
}

void gv_raster_seeds_free(gv_raster_seed_content *content) {
  gv_raster_seeds_destroy(content->cells);
  gv_seeds_free(&content->seeds);
  gv_seeds_free(&content->regions);
  free(content->region);
  *content = (gv_raster_seed_content){.cells = NULL};
}
