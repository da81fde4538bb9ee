/* Masks. Rasters are looked up window by window; polygons are edges sorted into horizontal slabs. */
#include "io/overlay/mask.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ogr_api.h>

#include "io/in/raster_in.h"

enum { WINDOW = 1 << 22, MAX_SLABS = 1 << 16 };

/* Not horizontal; y1 < y2. */
typedef struct edge {
  double x1, y1, x2, y2;
  int64_t polygon; /* edges of one polygon follow each other */
} edge;

typedef struct polygons {
  edge *edges;
  int64_t count, capacity;
  double low[2], high[2];
  int64_t slabs;
  double slab_height;
  int64_t *start; /* slabs + 1: where a slab's edges begin in `member` */
  int64_t *member;
} polygons;

/* What a worker needs. */
typedef struct bench {
  double *x, *y; /* positions of cells */
  int64_t *column, *row;
  uint8_t *counts; /* of a window of pixels */
  double *values;
  uint8_t *valid;
  double *crossings;
  int64_t crossing_capacity;
  int64_t capacity; /* of the arrays a cell */
  int64_t window;   /* of values and valid */
} bench;

struct gv_mask {
  const char *source;
  const gv_raster_grid *grid;
  bool is_raster;
  bool upright; /* columns of the grid are columns of the raster, and rows rows */
  gv_raster_in raster;
  polygons shapes;
  gv_operation *operation; /* from the grid's coordinates to the mask's; NULL = the same */
  double turn;             /* x repeats after this; 0 = it does not */
  int workers;
  bench *benches;
};

/* ------------------------------------------------------------------------------------------------------ memory */

static bool grow_bench(bench *b, int64_t cells) {
  if (cells <= b->capacity) return true;
  size_t n = (size_t)cells;
  free(b->x);
  free(b->y);
  free(b->column);
  free(b->row);
  b->x = malloc(n * sizeof *b->x);
  b->y = malloc(n * sizeof *b->y);
  b->column = malloc(n * sizeof *b->column);
  b->row = malloc(n * sizeof *b->row);
  bool made = b->x != NULL && b->y != NULL && b->column != NULL && b->row != NULL;
  b->capacity = made ? cells : 0;
  return made;
}

static bool grow_window(bench *b, int64_t pixels) {
  if (pixels <= b->window) return true;
  free(b->counts);
  free(b->values);
  free(b->valid);
  b->counts = malloc((size_t)pixels);
  b->values = malloc((size_t)pixels * sizeof *b->values);
  b->valid = malloc((size_t)pixels);
  bool made = b->counts != NULL && b->values != NULL && b->valid != NULL;
  b->window = made ? pixels : 0;
  return made;
}

static gv_status fail(char *message, size_t size, gv_status status, const char *text) {
  snprintf(message, size, "%s", text);
  return status;
}

static gv_status out_of_memory(char *message, size_t size) {
  return fail(message, size, GV_ERROR_OUT_OF_MEMORY, "out of memory for the mask");
}

/* ---------------------------------------------------------------------------------------------- reading polygons */

static gv_status add_edge(gv_io *io, polygons *p, const double a[2], const double b[2], int64_t polygon) {
  for (int d = 0; d < 2; d++) {
    p->low[d] = fmin(p->low[d], a[d]);
    p->high[d] = fmax(p->high[d], a[d]);
  }
  if (a[1] == b[1]) return GV_OK;
  if (p->count == p->capacity) {
    int64_t capacity = p->capacity > 0 ? 2 * p->capacity : 4096;
    edge *edges = realloc(p->edges, (size_t)capacity * sizeof *edges);
    if (edges == NULL) return gv_io_fail_memory(io, "the mask's polygons");
    p->edges = edges;
    p->capacity = capacity;
  }
  bool up = a[1] < b[1];
  const double *low = up ? a : b, *high = up ? b : a;
  p->edges[p->count++] = (edge){low[0], low[1], high[0], high[1], polygon};
  return GV_OK;
}

static gv_status add_ring(gv_io *io, const gv_mask *mask, polygons *p, OGRGeometryH ring, bool swapped,
                          int64_t polygon) {
  int n = OGR_G_GetPointCount(ring);
  double first[2] = {0, 0}, last[2] = {0, 0};
  gv_status status = GV_OK;
  for (int i = 0; i < n && status == GV_OK; i++) {
    double at[2] = {OGR_G_GetX(ring, i), OGR_G_GetY(ring, i)};
    if (swapped) {
      double x = at[0];
      at[0] = at[1];
      at[1] = x;
    }
    if (!isfinite(at[0]) || !isfinite(at[1])) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--mask: %s: a polygon has the vertex (%g, %g)",
                        mask->source, at[0], at[1]);
    }
    if (i == 0) {
      memcpy(first, at, sizeof first);
    } else {
      status = add_edge(io, p, last, at, polygon);
    }
    memcpy(last, at, sizeof last);
  }
  if (status == GV_OK && n > 0) status = add_edge(io, p, last, first, polygon);
  return status;
}

/* A polygon, or all parts of a multipolygon; *polygon is the next free number. */
static gv_status add_polygons(gv_io *io, const gv_mask *mask, polygons *p, OGRGeometryH geometry, bool swapped,
                              int64_t *polygon) {
  OGRwkbGeometryType type = wkbFlatten(OGR_G_GetGeometryType(geometry));
  int parts = OGR_G_GetGeometryCount(geometry);
  gv_status status = GV_OK;
  if (OGR_G_IsEmpty(geometry)) return GV_OK;
  if (type == wkbPolygon || type == wkbTriangle) {
    for (int i = 0; i < parts && status == GV_OK; i++)
      status = add_ring(io, mask, p, OGR_G_GetGeometryRef(geometry, i), swapped, *polygon);
    ++*polygon;
    return status;
  }
  if (type == wkbMultiPolygon || type == wkbGeometryCollection || type == wkbPolyhedralSurface || type == wkbTIN) {
    for (int i = 0; i < parts && status == GV_OK; i++)
      status = add_polygons(io, mask, p, OGR_G_GetGeometryRef(geometry, i), swapped, polygon);
    return status;
  }
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--mask: %s has a %s; a mask is a raster or polygons",
                    mask->source, OGRGeometryTypeToName(OGR_G_GetGeometryType(geometry)));
}

static int64_t slab_of(const polygons *p, double y) {
  double at = (y - p->low[1]) / p->slab_height;
  if (!(at > 0.0)) return 0;
  return at < (double)(p->slabs - 1) ? (int64_t)at : p->slabs - 1;
}

/* Sorts edges into slabs, keeping their order. */
static gv_status make_slabs(gv_io *io, polygons *p) {
  p->slabs = p->count < MAX_SLABS ? p->count + 1 : MAX_SLABS;
  p->slab_height = (p->high[1] - p->low[1]) / (double)p->slabs;
  if (!(p->slab_height > 0.0)) p->slab_height = 1.0;
  p->start = calloc((size_t)p->slabs + 2, sizeof *p->start);
  if (p->start == NULL) return gv_io_fail_memory(io, "the mask's polygons");
  for (int pass = 0; pass < 2; pass++) {
    for (int64_t i = 0; i < p->count; i++) {
      int64_t last = slab_of(p, p->edges[i].y2);
      for (int64_t s = slab_of(p, p->edges[i].y1); s <= last; s++) {
        if (pass == 0) {
          p->start[s + 2]++;
        } else {
          p->member[p->start[s + 1]++] = i;
        }
      }
    }
    if (pass == 1) break;
    for (int64_t s = 2; s < p->slabs + 2; s++)
      p->start[s] += p->start[s - 1];
    p->member = malloc((size_t)(p->start[p->slabs + 1] + 1) * sizeof *p->member);
    if (p->member == NULL) return gv_io_fail_memory(io, "the mask's polygons");
  }
  return GV_OK;
}

static gv_status find_layer(gv_io *io, const gv_mask_options *options, GDALDatasetH dataset, OGRLayerH *out) {
  int count = GDALDatasetGetLayerCount(dataset);
  if (options->layer != NULL) {
    *out = GDALDatasetGetLayerByName(dataset, options->layer);
    if (*out != NULL) return GV_OK;
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--mask-layer: %s has no layer '%s'", options->source,
                      options->layer);
  }
  if (count == 1) *out = GDALDatasetGetLayer(dataset, 0);
  if (*out != NULL) return GV_OK;
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--mask: %s has %d layers; choose one with --mask-layer",
                    options->source, count);
}

static gv_status read_polygons(gv_io *io, const gv_mask_options *options, gv_mask *mask) {
  polygons *p = &mask->shapes;
  OGRLayerH layer = NULL;
  OGRSpatialReferenceH crs = NULL;
  bool swapped = false;
  int64_t polygon = 0;
  gv_gdal_reset();
  GDALDatasetH dataset =
      GDALOpenEx(options->source, GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, NULL, NULL, NULL);
  if (dataset == NULL) {
    return gv_io_fail_gdal(io, GV_ERROR_IO, "--mask: cannot read %s as a raster or as polygons", options->source);
  }
  p->low[0] = p->low[1] = HUGE_VAL;
  p->high[0] = p->high[1] = -HUGE_VAL;
  gv_status status = find_layer(io, options, dataset, &layer);
  if (status == GV_OK && OGR_L_GetSpatialRef(layer) != NULL) {
    status = gv_crs_copy(io, OGR_L_GetSpatialRef(layer), &crs, &swapped);
  }
  if (status == GV_OK) status = gv_check_alignable(io, "--mask", mask->source, crs, mask->grid);
  while (status == GV_OK) {
    OGRFeatureH feature = OGR_L_GetNextFeature(layer);
    if (feature == NULL) break;
    OGRGeometryH geometry = OGR_F_GetGeometryRef(feature);
    OGRGeometryH straight = geometry != NULL && OGR_G_HasCurveGeometry(geometry, FALSE)
                                ? OGR_G_GetLinearGeometry(geometry, 0.0, NULL)
                                : NULL;
    if (geometry != NULL) {
      status = add_polygons(io, mask, p, straight != NULL ? straight : geometry, swapped, &polygon);
    }
    if (straight != NULL) OGR_G_DestroyGeometry(straight);
    OGR_F_Destroy(feature);
  }
  if (status == GV_OK && gv_gdal_failed()) {
    status = gv_io_fail_gdal(io, GV_ERROR_IO, "--mask: reading %s failed", mask->source);
  }
  if (status == GV_OK && polygon == 0) {
    status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--mask: %s has no polygons", mask->source);
  }
  if (status == GV_OK) status = make_slabs(io, p);
  if (status == GV_OK && !gv_grid_in_crs(mask->grid, crs)) {
    status = gv_operation_between(io, mask->grid->crs, crs, NULL, NULL, 0, &mask->operation);
  }
  if (status == GV_OK && gv_crs_is_lonlat(crs)) mask->turn = 360.0 / gv_crs_unit_degrees(crs);
  if (crs != NULL) OSRRelease(crs);
  GDALClose(dataset);
  return status;
}

/* ------------------------------------------------------------------------------------------------------ opening */

static bool is_raster(const char *source) {
  GDALDatasetH dataset = GDALOpenEx(source, GDAL_OF_RASTER | GDAL_OF_READONLY, NULL, NULL, NULL);
  bool has_bands = dataset != NULL && GDALGetRasterCount(dataset) > 0;
  if (dataset != NULL) GDALClose(dataset);
  return has_bands;
}

static gv_status open_raster(gv_io *io, const gv_mask_options *options, gv_mask *mask) {
  gv_raster_in *raster = &mask->raster;
  gv_status status = gv_raster_in_open(io, "--mask", options->source, mask->workers, raster);
  if (status == GV_OK) status = gv_check_alignable(io, "--mask", mask->source, raster->crs, mask->grid);
  if (status == GV_OK && !gv_grid_in_crs(mask->grid, raster->crs)) {
    status = gv_operation_between(io, mask->grid->crs, raster->crs, NULL, NULL, 0, &mask->operation);
  }
  bool upright = status == GV_OK && gv_is_upright(raster->geotransform);
  if (upright && raster->lonlat) mask->turn = raster->turn;
  mask->upright = upright && mask->operation == NULL && gv_is_upright(mask->grid->geotransform);
  return status;
}

gv_status gv_mask_open(gv_io *io, const gv_mask_options *options, const gv_raster_grid *grid, int workers,
                       gv_mask **out) {
  gv_mask *mask = calloc(1, sizeof *mask);
  if (mask == NULL) return gv_io_fail_memory(io, "the mask");
  mask->source = options->source;
  mask->grid = grid;
  mask->workers = workers;
  mask->benches = calloc((size_t)workers, sizeof *mask->benches);
  gv_status status = mask->benches != NULL ? GV_OK : gv_io_fail_memory(io, "the mask");
  if (status == GV_OK) {
    mask->is_raster = options->layer == NULL && is_raster(options->source);
    status = mask->is_raster ? open_raster(io, options, mask) : read_polygons(io, options, mask);
  }
  if (status != GV_OK) {
    gv_mask_close(mask);
    return status;
  }
  *out = mask;
  return GV_OK;
}

void gv_mask_close(gv_mask *mask) {
  if (mask == NULL) return;
  for (int i = 0; i < mask->workers && mask->benches != NULL; i++) {
    bench *b = &mask->benches[i];
    void *const parts[] = {b->x, b->y, b->column, b->row, b->counts, b->values, b->valid, b->crossings};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
      free(parts[k]);
  }
  free(mask->benches);
  free(mask->shapes.edges);
  free(mask->shapes.start);
  free(mask->shapes.member);
  gv_raster_in_close(&mask->raster);
  gv_operation_destroy(mask->operation);
  free(mask);
}

/* ------------------------------------------------------------------------------------------------------ rasters */

/* Centre of a cell in the grid's coordinates, as the library has it. */
static inline double centre_x(const double *g, int64_t column, int64_t row) {
  return (g[0] + ((double)column + 0.5) * g[1]) + ((double)row + 0.5) * g[2];
}

static inline double centre_y(const double *g, int64_t column, int64_t row) {
  return (g[3] + ((double)column + 0.5) * g[4]) + ((double)row + 0.5) * g[5];
}

/* Centres of a rectangle of cells in the mask's coordinates. */
static gv_status find_positions(const gv_mask *mask, bench *b, int64_t x, int64_t y, int64_t w, int64_t h,
                                char *message, size_t size) {
  const double *g = mask->grid->geotransform;
  if (!grow_bench(b, w * h)) return out_of_memory(message, size);
  for (int64_t r = 0, i = 0; r < h; r++) {
    for (int64_t c = 0; c < w; c++, i++) {
      b->x[i] = centre_x(g, x + c, y + r);
      b->y[i] = centre_y(g, x + c, y + r);
    }
  }
  if (mask->operation != NULL && gv_operation_apply(b->x, b->y, w * h, mask->operation) != 0) {
    return out_of_memory(message, size);
  }
  return GV_OK;
}

/* Column and row that a position lies in; -1 outside. */
static inline int64_t column_of(const gv_mask *mask, double x, double y) {
  const double *t = mask->raster.inverse;
  double u = t[0] + x * t[1] + y * t[2];
  bool inside = u >= 0.0 && u < (double)mask->raster.width; /* a raster may be wider than a turn */
  if (!inside && mask->turn != 0.0) {
    double period = fabs(mask->turn * t[1]);
    u -= floor(u / period) * period;
    if (u >= period) u = 0.0; /* it was a rounding below 0 */
    inside = u < (double)mask->raster.width;
  }
  return inside ? (int64_t)u : -1;
}

static inline int64_t row_of(const gv_mask *mask, double x, double y) {
  const double *t = mask->raster.inverse;
  double v = t[3] + x * t[4] + y * t[5];
  return v >= 0.0 && v < (double)mask->raster.height ? (int64_t)v : -1;
}

/* The pixels of a rectangle of cells: of each cell, or where the grids are parallel of each column and each row. */
static gv_status find_pixels(const gv_mask *mask, bench *b, int64_t x, int64_t y, int64_t w, int64_t h,
                             char *message, size_t size) {
  const double *g = mask->grid->geotransform;
  if (mask->upright) {
    if (!grow_bench(b, w > h ? w : h)) return out_of_memory(message, size);
    for (int64_t c = 0; c < w; c++)
      b->column[c] = column_of(mask, centre_x(g, x + c, y), 0.0);
    for (int64_t r = 0; r < h; r++)
      b->row[r] = row_of(mask, 0.0, centre_y(g, x, y + r));
    return GV_OK;
  }
  /* In a rotated raster of longitudes and latitudes a turn is no number of columns: each is tried. */
  static const double turns[] = {0.0, 1.0, -1.0, 2.0, -2.0};
  int tries = mask->raster.lonlat && mask->turn == 0.0 ? 5 : 1;
  gv_status status = find_positions(mask, b, x, y, w, h, message, size);
  for (int64_t i = 0; status == GV_OK && i < w * h; i++) {
    b->column[i] = b->row[i] = -1;
    for (int k = 0; k < tries && isfinite(b->x[i]) && isfinite(b->y[i]) && b->row[i] < 0; k++) {
      double there = b->x[i] + turns[k] * mask->raster.turn;
      b->column[i] = column_of(mask, there, b->y[i]);
      if (b->column[i] >= 0) b->row[i] = row_of(mask, there, b->y[i]);
    }
    if (b->row[i] < 0) b->column[i] = -1;
  }
  return status;
}

/* Smallest and largest of those that are not -1; *high is -1 if all are. */
static void range(const int64_t *values, int64_t n, int64_t *low, int64_t *high) {
  *low = INT64_MAX;
  *high = -1;
  for (int64_t i = 0; i < n; i++) {
    if (values[i] < 0) continue;
    if (values[i] < *low) *low = values[i];
    if (values[i] > *high) *high = values[i];
  }
}

static int64_t count_kept(const uint8_t *cells, int64_t n) {
  uint32_t kept = 0; /* compilers make vectors of this */
  for (int64_t i = 0; i < n; i++)
    kept += cells[i];
  return kept;
}

static void set_cells(uint8_t *out, int64_t stride, int64_t w, int64_t h, uint8_t value) {
  for (int64_t r = 0; r < h; r++)
    memset(out + r * stride, value, (size_t)w);
}

static bool any_outside(const int64_t *values, int64_t n) {
  bool any = false;
  for (int64_t i = 0; i < n; i++)
    any = any || values[i] < 0;
  return any;
}

/* Rows of cells whose pixels are in the window; how many count. Rows of cells that lie in one row of pixels are alike, and
 * where pixels are large all cells often are. */
static int64_t spread_rows(const bench *b, int64_t w, int64_t h, const int64_t low[2], int64_t window_w,
                           int64_t window_h, uint8_t *out, int64_t stride) {
  int64_t pixels = count_kept(b->counts, window_w * window_h), kept = 0, in_row = 0;
  bool all = pixels == window_w * window_h && !any_outside(b->column, w) && !any_outside(b->row, h);
  if (all || pixels == 0) {
    set_cells(out, stride, w, h, all);
    return all ? w * h : 0;
  }
  for (int64_t r = 0; r < h; r++) {
    uint8_t *to = out + r * stride;
    if (b->row[r] < 0) {
      memset(to, 0, (size_t)w);
      in_row = 0;
    } else if (r > 0 && b->row[r] == b->row[r - 1]) {
      memcpy(to, to - stride, (size_t)w);
    } else {
      const uint8_t *from = b->counts + (b->row[r] - low[1]) * window_w - low[0];
      for (int64_t c = 0; c < w; c++)
        to[c] = b->column[c] >= 0 ? from[b->column[c]] : 0;
      in_row = count_kept(to, w);
    }
    kept += in_row;
  }
  return kept;
}

/* Looks up a rectangle of cells; splits it while the pixels it touches are too many to be read at once. Adds how many count
 * to *kept. */
static gv_status look_up(const gv_mask *mask, int worker, int64_t x, int64_t y, int64_t w, int64_t h, uint8_t *out,
                         int64_t stride, int64_t *kept, char *message, size_t size) {
  bench *b = &mask->benches[worker];
  int64_t low[2], high[2];
  gv_status status = find_pixels(mask, b, x, y, w, h, message, size);
  if (status != GV_OK) return status;
  range(b->column, mask->upright ? w : w * h, &low[0], &high[0]);
  range(b->row, mask->upright ? h : w * h, &low[1], &high[1]);
  if (high[0] < 0 || high[1] < 0) {
    set_cells(out, stride, w, h, 0);
    return GV_OK;
  }
  int64_t window_w = high[0] - low[0] + 1, window_h = high[1] - low[1] + 1;
  if (window_w * window_h > WINDOW && w * h > 1) {
    bool across = w >= h;
    int64_t half = (across ? w : h) / 2;
    status = look_up(mask, worker, x, y, across ? half : w, across ? h : half, out, stride, kept, message, size);
    if (status != GV_OK) return status;
    if (across) return look_up(mask, worker, x + half, y, w - half, h, out + half, stride, kept, message, size);
    return look_up(mask, worker, x, y + half, w, h - half, out + half * stride, stride, kept, message, size);
  }
  if (!grow_window(b, window_w * window_h)) return out_of_memory(message, size);
  if (!gv_raster_in_nonzero(&mask->raster, worker, low[0], low[1], window_w, window_h, b->counts, b->values,
                            b->valid)) {
    snprintf(message, size, "--mask: cannot read %.300s", mask->source);
    return GV_ERROR_IO;
  }
  if (mask->upright) {
    *kept += spread_rows(b, w, h, low, window_w, window_h, out, stride);
  } else {
    for (int64_t r = 0, i = 0; r < h; r++) {
      for (int64_t c = 0; c < w; c++, i++) {
        bool found = b->column[i] >= 0;
        out[r * stride + c] = found ? b->counts[(b->row[i] - low[1]) * window_w + (b->column[i] - low[0])] : 0;
      }
      *kept += count_kept(out + r * stride, w);
    }
  }
  return GV_OK;
}

/* ----------------------------------------------------------------------------------------------------- polygons */

static inline double crossing(const edge *e, double y) {
  return e->x1 + (y - e->y1) * ((e->x2 - e->x1) / (e->y2 - e->y1));
}

static bool inside(const polygons *p, double x, double y) {
  if (!(y >= p->low[1] && y <= p->high[1])) return false;
  int64_t slab = slab_of(p, y), polygon = -1;
  bool odd = false;
  for (int64_t i = p->start[slab]; i < p->start[slab + 1]; i++) {
    const edge *e = &p->edges[p->member[i]];
    if (e->polygon != polygon) {
      if (odd) return true;
      polygon = e->polygon;
    }
    if (e->y1 <= y && y < e->y2 && crossing(e, y) <= x) odd = !odd;
  }
  return odd;
}

/* Whether a position, or one a few turns away, lies inside. */
static bool inside_somewhere(const gv_mask *mask, double x, double y) {
  const polygons *p = &mask->shapes;
  if (!isfinite(x) || !isfinite(y)) return false;
  if (mask->turn == 0.0) return inside(p, x, y);
  double first = x + mask->turn * ceil((p->low[0] - x) / mask->turn);
  for (double at = first; at <= p->high[0]; at += mask->turn) {
    if (inside(p, at, y)) return true;
  }
  return false;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* A row of cells, which all have one y: marks those between each pair of crossings. Columns ascend with x or against. */
typedef struct row_of_cells {
  const double *g;
  int64_t x, y, w;
  uint8_t *out;
} row_of_cells;

/* The first column, counted from the side of small x, whose centre is at `at` or beyond: 0 ... w. */
static int64_t first_beyond(const row_of_cells *row, double at) {
  bool ascending = row->g[1] > 0.0;
  double guess = ascending ? (at - row->g[0]) / row->g[1] - 0.5 - (double)row->x
                           : (double)(row->x + row->w - 1) - ((at - row->g[0]) / row->g[1] - 0.5);
  int64_t n = guess <= 0.0 ? 0 : guess >= (double)row->w ? row->w : (int64_t)guess;
#define CENTRE(i) centre_x(row->g, ascending ? row->x + (i) : row->x + row->w - 1 - (i), row->y)
  while (n > 0 && CENTRE(n - 1) >= at)
    n--;
  while (n < row->w && CENTRE(n) < at)
    n++;
#undef CENTRE
  return n;
}

static void mark(const row_of_cells *row, double from, double to) {
  int64_t first = first_beyond(row, from), end = first_beyond(row, to);
  bool ascending = row->g[1] > 0.0;
  if (end > first) memset(row->out + (ascending ? first : row->w - end), 1, (size_t)(end - first));
}

static void mark_crossings(const gv_mask *mask, const row_of_cells *row, double *crossings, int64_t n) {
  const polygons *p = &mask->shapes;
  qsort(crossings, (size_t)n, sizeof *crossings, by_value);
  double low = centre_x(row->g, row->x, row->y), high = centre_x(row->g, row->x + row->w - 1, row->y);
  if (low > high) {
    double other = low;
    low = high;
    high = other;
  }
  double shift = mask->turn > 0.0 ? mask->turn * floor((low - p->high[0]) / mask->turn) : 0.0;
  do {
    for (int64_t i = 0; i + 1 < n; i += 2) {
      if (crossings[i] + shift <= high && crossings[i + 1] + shift > low)
        mark(row, crossings[i] + shift, crossings[i + 1] + shift);
    }
    shift += mask->turn;
  } while (mask->turn > 0.0 && p->low[0] + shift <= high);
}

static gv_status mark_row(const gv_mask *mask, bench *b, const row_of_cells *row, char *message, size_t size) {
  const polygons *p = &mask->shapes;
  double y = centre_y(row->g, row->x, row->y);
  memset(row->out, 0, (size_t)row->w);
  if (!(y >= p->low[1] && y <= p->high[1])) return GV_OK;
  int64_t slab = slab_of(p, y), n = 0, polygon = -1;
  int64_t most = p->start[slab + 1] - p->start[slab];
  if (most > b->crossing_capacity) {
    free(b->crossings);
    b->crossings = malloc((size_t)most * sizeof *b->crossings);
    b->crossing_capacity = b->crossings != NULL ? most : 0;
    if (b->crossings == NULL) return out_of_memory(message, size);
  }
  for (int64_t i = p->start[slab]; i < p->start[slab + 1]; i++) {
    const edge *e = &p->edges[p->member[i]];
    if (e->polygon != polygon && n > 0) {
      mark_crossings(mask, row, b->crossings, n);
      n = 0;
    }
    polygon = e->polygon;
    if (e->y1 <= y && y < e->y2) b->crossings[n++] = crossing(e, y);
  }
  if (n > 0) mark_crossings(mask, row, b->crossings, n);
  return GV_OK;
}

static gv_status look_into(const gv_mask *mask, int worker, int64_t x, int64_t y, int64_t w, int64_t h,
                           uint8_t *out, int64_t stride, int64_t *kept, char *message, size_t size) {
  bench *b = &mask->benches[worker];
  bool rows = mask->operation == NULL && gv_is_upright(mask->grid->geotransform);
  gv_status status = GV_OK;
  for (int64_t r = 0; r < h && status == GV_OK; r++) {
    uint8_t *to = out + r * stride;
    if (rows) {
      row_of_cells row = {mask->grid->geotransform, x, y + r, w, to};
      status = mark_row(mask, b, &row, message, size);
    } else {
      status = find_positions(mask, b, x, y + r, w, 1, message, size);
      for (int64_t c = 0; c < w && status == GV_OK; c++)
        to[c] = inside_somewhere(mask, b->x[c], b->y[c]);
    }
    if (status == GV_OK) *kept += count_kept(to, w);
  }
  return status;
}

gv_status gv_mask_cells(gv_mask *mask, int worker, int64_t x, int64_t y, int64_t w, int64_t h, uint8_t *out,
                        int64_t stride, int64_t *kept, char *message, size_t message_size) {
  *kept = 0;
  return mask->is_raster ? look_up(mask, worker, x, y, w, h, out, stride, kept, message, message_size)
                         : look_into(mask, worker, x, y, w, h, out, stride, kept, message, message_size);
}
