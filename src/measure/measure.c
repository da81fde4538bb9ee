/*
 * Distances, directions and areas of the cells of a block, in pieces of rows, with the positions used for the
 * labels.
 */
#include <string.h>

#include "cells/area.h"
#include "cells/parts.h"
#include "core/array_options.h"
#include "core/given.h"
#include "core/parallel.h"
#include "geodesic/series_numbers.h"
#include "measure/by_device.h"
#include "measure/features.h"
#include "measure/measure_kernels.h"
#include "measure/place.h"
#include "measure/strips.h"
#include "voronoi/engine.h"

enum {
  PIECE = 512, /* cells at a time, of one row */
  STRETCH = 16 /* cells that are compared together; both multiples of GV_PAIR_PADDING */
};

/* One block at work. Arrays of PIECE values; z and the rest on the globe only. */
typedef struct measure_work {
  const gv_voronoi *v;
  const gv_measure *m;
  const gv_measure_kernels *kernels;
  gv_tile tile;
  double radius;     /* of the sphere that great-circle distances are reported on */
  double *x, *y, *z; /* where the cells of a piece are */
  double *lon, *lat; /* POINTS other than the mesh */
  /* of the cells' longitudes, and their distance from the axis; azimuths only */
  double *cosine, *sine, *p;
  double *seed_x, *seed_y, *seed_z; /* where their seeds are; 0 where there is none */
  double *value;
  int32_t *open;
} measure_work;

/* ------------------------------------------------------------------------------------------------ a piece */

/* A piece: cells [first, first + n) of a row. */
typedef struct row_piece {
  int64_t row, first, n;
  const int32_t *seed; /* of the current band */
  bool gaps;           /* some of its cells have no seed or no place */
} row_piece;

static int32_t distinct_of(const gv_voronoi *v, int32_t seed) {
  return v->seeds.distinct != NULL ? v->seeds.distinct[seed] : seed;
}

static void place_of_cell(const measure_work *j, const row_piece *piece, int64_t i, double *lon,
                          double *lat) {
  if (gv_place_of_cell(&j->v->cells, piece->first + i, piece->row, lon, lat)) return;
  *lon = j->lon[i];
  *lat = j->lat[i];
}

static void repeat(double *to, int64_t n, double value) {
  for (int64_t i = 0; i < n; i++)
    to[i] = value;
}

static gv_status place_cells(gv_context *context, const measure_work *j, const row_piece *piece) {
  const gv_cells *cells = &j->v->cells;
  if (gv_cells_turn_by_column(cells)) {
    const double *column_x = cells->column_x + piece->first, *column_y = cells->column_y + piece->first;
    double p = cells->row_p[piece->row], *x = j->x, *y = j->y;
    for (int64_t i = 0; i < piece->n; i++) {
      x[i] = p * column_x[i];
      y[i] = p * column_y[i];
    }
    repeat(j->z, piece->n, cells->row_z[piece->row]);
    if (j->m->azimuth == NULL) return GV_OK;
    repeat(j->p, piece->n, p);
    memcpy(j->cosine, column_x, (size_t)piece->n * sizeof *column_x);
    memcpy(j->sine, column_y, (size_t)piece->n * sizeof *column_y);
    return GV_OK;
  }
  if (gv_cells_have_tables(cells)) {
    memcpy(j->x, cells->column_x + piece->first, (size_t)piece->n * sizeof *j->x);
    repeat(j->y, piece->n, cells->row_z[piece->row]);
    return GV_OK;
  }
  gv_tile tile = {piece->first, piece->first + piece->n, piece->row, piece->row + 1};
  bool points = !gv_grid_is_mesh(&cells->grid) && cells->dim == 3;
  gv_status status = gv_cells_positions(context, cells, &tile, j->x, j->y, j->z, points ? j->lon : NULL,
                                        points ? j->lat : NULL, NULL);
  if (status != GV_OK || j->m->azimuth == NULL || cells->dim == 2) return status;
  for (int64_t i = 0; i < piece->n; i++) {
    double p = sqrt(j->x[i] * j->x[i] + j->y[i] * j->y[i]);
    j->cosine[i] = p > 0.0 ? j->x[i] / p : 1.0;
    j->sine[i] = p > 0.0 ? j->y[i] / p : 0.0;
    j->p[i] = p;
  }
  return GV_OK;
}

/* End of the span of one seed that begins at cell i; whole stretches are compared at once. */
static int64_t end_of_span(const int32_t *seed, int64_t i, int64_t n) {
  int64_t end = i + 1;
  for (; end + STRETCH <= n; end += STRETCH) {
    uint32_t differ = 0;
    for (int64_t k = 0; k < STRETCH; k++)
      differ |= (uint32_t)seed[end + k] ^ (uint32_t)seed[i];
    if (differ != 0) break;
  }
  while (end < n && seed[end] == seed[i])
    end++;
  return end;
}

/* Positions of the seeds of a piece: spans of cells share one. */
static gv_status place_seeds(gv_context *context, const measure_work *j, row_piece *piece) {
  const gv_voronoi *v = j->v;
  bool globe = v->cells.dim == 3;
  piece->gaps = false;
  for (int64_t i = 0, end; i < piece->n; i = end) {
    int32_t seed = piece->seed[i];
    end = end_of_span(piece->seed, i, piece->n);
    double x = 0.0, y = 0.0, z = 0.0;
    if (seed >= v->seeds.total)
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "seed number: out of range (%d)", (int)seed);
    if (seed >= 0) {
      int32_t s = distinct_of(v, seed);
      x = v->seeds.x[s];
      y = v->seeds.y[s];
      if (globe) z = v->seeds.z[s];
    }
    piece->gaps |= seed < 0;
    repeat(j->seed_x + i, end - i, x);
    repeat(j->seed_y + i, end - i, y);
    if (globe) repeat(j->seed_z + i, end - i, z);
  }
  if (gv_facts_of(&v->cells.grid)->may_lack_places) {
    for (int64_t i = 0; i < piece->n && !piece->gaps; i++)
      piece->gaps = isnan(j->x[i]);
  }
  return GV_OK;
}

/* Computes the pairs that the series left open with PROJ. */
static void measure_open_pairs(const measure_work *j, const row_piece *piece, int32_t count, bool azimuths) {
  const gv_voronoi *v = j->v;
  for (int32_t o = 0; o < count; o++) {
    int32_t i = j->open[o];
    if (piece->seed[i] < 0 || isnan(j->x[i])) continue;
    int32_t s = distinct_of(v, piece->seed[i]);
    double lon, lat, distance = 0.0, azimuth = 0.0;
    place_of_cell(j, piece, i, &lon, &lat);
    geod_inverse(&v->geodesic.geod, lat, lon, v->seeds.lat[s], v->seeds.lon[s], &distance, &azimuth, NULL);
    j->value[i] = azimuths ? azimuth : distance;
  }
}

static void clear_gaps(const measure_work *j, const row_piece *piece) {
  for (int64_t i = 0; i < piece->n && piece->gaps; i++) {
    if (piece->seed[i] < 0 || isnan(j->x[i])) j->value[i] = NAN;
  }
}

/* Into j->value, which may be where they are to go. */
static void find_distances(const measure_work *j, const row_piece *piece) {
  gv_pairs pairs = {piece->n, j->x, j->y, j->z, j->seed_x, j->seed_y, j->seed_z};
  gv_metric metric = j->v->cells.metric;
  const gv_geodesic *geodesic = &j->v->geodesic;
  if (metric == GV_GEODESIC) {
    measure_open_pairs(j, piece, geodesic->kernels->geodesic(&pairs, &geodesic->series, j->value, j->open),
                       false);
  } else if (metric == GV_GREAT_CIRCLE) {
    j->kernels->great_circle(&pairs, j->radius, j->value);
  } else {
    j->kernels->plane[metric](&pairs, j->value);
  }
  clear_gaps(j, piece);
}

static void measure_distances(const measure_work *j, const row_piece *piece, int64_t at) {
  const gv_measure *m = j->m;
  if (m->type == GV_FLOAT64 && piece->n % GV_PAIR_PADDING == 0) {
    measure_work direct = *j;
    direct.value = (double *)m->distance + at;
    find_distances(&direct, piece);
    return;
  }
  find_distances(j, piece);
  if (m->type == GV_FLOAT64) {
    memcpy((double *)m->distance + at, j->value, (size_t)piece->n * sizeof *j->value);
  } else {
    float *out = (float *)m->distance + at;
    for (int64_t i = 0; i < piece->n; i++)
      out[i] = (float)j->value[i];
  }
}

static void measure_azimuths(const measure_work *j, const row_piece *piece, int64_t at) {
  gv_pairs pairs = {piece->n, j->x, j->y, j->z, j->seed_x, j->seed_y, j->seed_z};
  gv_norths norths = {j->cosine, j->sine, j->p};
  gv_metric metric = j->v->cells.metric;
  const gv_geodesic *geodesic = &j->v->geodesic;
  if (metric == GV_GEODESIC) {
    measure_open_pairs(
        j, piece, geodesic->kernels->geodesic_azimuth(&pairs, &norths, &geodesic->series, j->value, j->open),
        true);
  } else if (metric == GV_GREAT_CIRCLE) {
    j->kernels->great_circle_azimuth(&pairs, &norths, j->value);
  } else {
    j->kernels->plane_azimuth(&pairs, j->value);
  }
  for (int64_t i = 0; i < piece->n; i++) {
    if (j->x[i] == j->seed_x[i] && j->y[i] == j->seed_y[i] && j->z[i] == j->seed_z[i]) j->value[i] = 0.0;
  }
  clear_gaps(j, piece);
  float *out = j->m->azimuth + at;
  for (int64_t i = 0; i < piece->n; i++)
    out[i] = gv_reported_azimuth(j->value[i]);
}

static gv_status measure_piece(gv_context *context, const measure_work *j, int64_t row, int64_t first,
                               int64_t n) {
  const gv_measure *m = j->m;
  row_piece piece = {.row = row, .first = first, .n = n};
  gv_status status = place_cells(context, j, &piece);
  for (int32_t band = 0; band < m->bands && status == GV_OK; band++) {
    int64_t r = row - j->tile.r0, c = first - j->tile.c0;
    int64_t at = band * m->out_band_stride + r * m->out_stride + c;
    piece.seed = m->seed + band * m->band_stride + r * m->stride + c;
    status = place_seeds(context, j, &piece);
    if (status == GV_OK && m->distance != NULL) measure_distances(j, &piece, at);
    if (status == GV_OK && m->azimuth != NULL) measure_azimuths(j, &piece, at);
  }
  return status;
}

/* -------------------------------------------------------------------------------------------------- a row */

static bool is_gap(const int32_t *seed, int64_t i, int64_t n) {
  int32_t all = -1;
  for (int64_t end = n - i < STRETCH ? n : i + STRETCH; i < end; i++)
    all &= seed[i];
  return all < 0;
}

static void write_gap(const gv_measure *m, int64_t at, int64_t n) {
  for (int64_t i = at; i < at + n && m->distance != NULL; i++) {
    if (m->type == GV_FLOAT64) {
      ((double *)m->distance)[i] = (double)NAN;
    } else {
      ((float *)m->distance)[i] = NAN;
    }
  }
  for (int64_t i = at; i < at + n && m->azimuth != NULL; i++)
    m->azimuth[i] = NAN;
}

/* Piece by piece; of one band, stretches without seeds are not measured: cells that masks leave out, or that
 * are seeds themselves. */
static gv_status measure_row(gv_context *context, const measure_work *j, int64_t row) {
  const gv_measure *m = j->m;
  int64_t r = row - j->tile.r0, n = j->tile.c1 - j->tile.c0;
  const int32_t *seed = m->seed + r * m->stride;
  gv_status status = GV_OK;
  for (int64_t i = 0, end; i < n && status == GV_OK; i = end) {
    bool gap = m->bands == 1 && is_gap(seed, i, n);
    for (end = i + STRETCH;
         end < n && (m->bands > 1 || is_gap(seed, end, n) == gap) && (gap || end - i < PIECE);)
      end += STRETCH;
    if (end > n) end = n;
    if (gap) {
      write_gap(m, r * m->out_stride + i, end - i);
    } else {
      status = measure_piece(context, j, row, j->tile.c0 + i, end - i);
    }
  }
  return status;
}

/* ------------------------------------------------------------------------------------------------ a block */

static gv_status check_measure(gv_context *context, const gv_voronoi *v, gv_measure *m) {
  if (m->seed == NULL || (m->type != GV_FLOAT32 && m->type != GV_FLOAT64))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "seeds or type: missing or unknown");
  GV_TRY(gv_check_array_options(context, m->array_options));
  GV_TRY(gv_check_rectangle(context, &v->cells.grid, m->column, m->row, &m->columns, &m->rows));
  if (m->stride == 0) m->stride = m->columns;
  if (m->band_stride == 0) m->band_stride = m->stride * m->rows;
  if (m->out_stride == 0) m->out_stride = m->columns;
  if (m->out_band_stride == 0) m->out_band_stride = m->out_stride * m->rows;
  if (m->bands < 1 || m->stride < m->columns || m->out_stride < m->columns ||
      (m->bands > 1 && (m->band_stride < (m->rows - 1) * m->stride + m->columns ||
                        m->out_band_stride < (m->rows - 1) * m->out_stride + m->columns))) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "bands: invalid number (%d) or strides",
                   (int)m->bands);
  }
  return GV_OK;
}

/* A rectangle within one block. */
static gv_status measure_tile(gv_context *context, const gv_voronoi *voronoi, const gv_measure *measure,
                              const gv_tile *tile) {
  measure_work j = {.v = voronoi, .m = measure, .tile = *tile, .kernels = gv_measure_kernels_get()};
  if (voronoi->features != NULL) return gv_measure_features(context, voronoi, measure, tile);
  gv_device_measuring *device = gv_cuda_tile_measuring(voronoi);
  bool done = false;
  gv_status status = GV_OK;
  if (device != NULL) status = gv_measure_by_device(context, device, measure, tile, &done);
  if (status != GV_OK || done) return status;
  double **arrays[] = {&j.x,    &j.y, &j.z,      &j.lon,    &j.lat,    &j.cosine,
                       &j.sine, &j.p, &j.seed_x, &j.seed_y, &j.seed_z, &j.value};
  enum { ARRAYS = sizeof arrays / sizeof *arrays };
  double *memory = gv_allocate_zeroed(&context->allocator, (ARRAYS + 1) * PIECE, sizeof *memory);
  if (memory == NULL) return gv_fail_memory(context, "a block's distances");
  for (int i = 0; i < ARRAYS; i++)
    *arrays[i] = memory + (ptrdiff_t)i * PIECE;
  j.open = (int32_t *)(memory + (ptrdiff_t)ARRAYS * PIECE);
  j.radius = gv_globe_radius(&voronoi->cells.ellipsoid);
  for (int64_t r = j.tile.r0; r < j.tile.r1 && status == GV_OK; r++)
    status = measure_row(context, &j, r);
  gv_release(&context->allocator, memory);
  return status;
}

/* Rectangles being measured block by block. */
typedef struct measuring {
  const gv_voronoi *v;
  const gv_measure *m;
  int64_t column, row, across; /* the first block; how many in a row */
  gv_progress *progress;       /* counts blocks */
} measuring;

static gv_status measure_block(gv_worker *worker, int64_t number, int64_t end) {
  const measuring *w = worker->user;
  gv_measure m = *w->m;
  gv_tile tile = gv_tile_of_block(w->v, w->column + number % w->across, w->row + number / w->across);
  (void)end; /* one by one */
  if (tile.c0 < m.column) tile.c0 = m.column;
  if (tile.r0 < m.row) tile.r0 = m.row;
  if (tile.c1 > m.column + m.columns) tile.c1 = m.column + m.columns;
  if (tile.r1 > m.row + m.rows) tile.r1 = m.row + m.rows;
  int64_t c = tile.c0 - m.column, r = tile.r0 - m.row, at = r * m.out_stride + c;
  m.seed += r * m.stride + c;
  if (m.distance != NULL && m.type == GV_FLOAT32) m.distance = (float *)m.distance + at;
  if (m.distance != NULL && m.type == GV_FLOAT64) m.distance = (double *)m.distance + at;
  if (m.azimuth != NULL) m.azimuth += at;
  GV_TRY(measure_tile(&worker->context, w->v, &m, &tile));
  gv_progress_add(w->progress, 1);
  return GV_OK;
}

gv_status gv_voronoi_measure(gv_context *context, const gv_voronoi *voronoi, const gv_measure *measure) {
  gv_measure m;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (voronoi == NULL || measure == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "grid or output: the pointer is NULL");
  gv_measure_init(&m);
  GV_COPY_GIVEN(context, gv_measure, &m, measure);
  GV_TRY(check_measure(context, voronoi, &m));
  if (gv_on_device(m.array_options)) return gv_measure_on_device(context, voronoi, &m);
  const gv_tile tile = {m.column, m.column + m.columns, m.row, m.row + m.rows};
  if (gv_within_block(voronoi, &tile)) return measure_tile(context, voronoi, &m, &tile);
  gv_progress progress;
  measuring w = {voronoi, &m, m.column / voronoi->block_width, m.row / voronoi->block_height, 0, &progress};
  w.across = (tile.c1 - 1) / voronoi->block_width - w.column + 1;
  int64_t down = (tile.r1 - 1) / voronoi->block_height - w.row + 1;
  gv_progress_init(&progress, context, w.across * down);
  gv_loop loop = {context, context->threads, w.across * down, 1, &progress, &w};
  return gv_parallel_for(&loop, measure_block);
}

gv_status gv_voronoi_cell_areas(gv_context *context, const gv_voronoi *voronoi, int64_t column, int64_t row,
                                int64_t columns, int64_t rows, double *area, int64_t stride) {
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (voronoi == NULL || area == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "grid or areas: the pointer is NULL");
  GV_TRY(gv_check_rectangle(context, &voronoi->cells.grid, column, row, &columns, &rows));
  if (stride == 0) stride = columns;
  if (stride < columns) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "stride: shorter than a row (%lld, row %lld)",
                   (long long)stride, (long long)columns);
  }
  const gv_tile tile = {column, column + columns, row, row + rows};
  gv_cells_areas(&voronoi->cells, &tile, area, stride);
  return GV_OK;
}

gv_status gv_voronoi_cell_centers(gv_context *context, const gv_voronoi *voronoi, int64_t column, int64_t row,
                                  int64_t columns, int64_t rows, double *longitude, double *latitude,
                                  int64_t stride) {
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (voronoi == NULL || longitude == NULL || latitude == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "grid or centers: the pointer is NULL");
  const gv_cells *cells = &voronoi->cells;
  if (cells->dim != 3)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "grid: unsupported; expected a grid on the globe");
  GV_TRY(gv_check_rectangle(context, &cells->grid, column, row, &columns, &rows));
  if (stride == 0) stride = columns;
  if (stride < columns) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "stride: shorter than a row (%lld, row %lld)",
                   (long long)stride, (long long)columns);
  }
  double *vectors = gv_allocate(&context->allocator, 3 * columns, sizeof *vectors);
  gv_status status = vectors != NULL ? GV_OK : gv_fail_memory(context, "the centers");
  for (int64_t r = 0; r < rows && status == GV_OK; r++) {
    const gv_tile tile = {column, column + columns, row + r, row + r + 1};
    status = gv_cells_positions(context, cells, &tile, vectors, vectors + columns, vectors + 2 * columns,
                                longitude + r * stride, latitude + r * stride, NULL);
  }
  gv_release(&context->allocator, vectors);
  return status;
}
