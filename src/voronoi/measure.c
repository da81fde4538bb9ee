/*
 * Distances, directions and areas of the cells of a block: pieces of rows at a time, with the positions that the
 * allocation itself was made of.
 */
#include <string.h>

#include "cells/area.h"
#include "voronoi/engine.h"

enum { PIECE = 512 }; /* cells at a time, of one row */

static const double degrees = 180.0 / 3.14159265358979323846;

/* One block at work. Arrays of PIECE values: where the cells of a piece are; z, lon and lat on the globe. */
typedef struct job {
  const gv_voronoi *v;
  const gv_measure *m;
  gv_tile tile;
  double radius; /* of the sphere that great-circle distances are reported on */
  double *x, *y, *z, *lon, *lat, *scratch;
  double *distance, *azimuth;
} job;

static gv_status tile_of_block(gv_context *context, const gv_voronoi *v, int64_t column, int64_t row,
                               gv_tile *out) {
  if (column < 0 || row < 0 || column >= gv_voronoi_blocks_across(v) || row >= gv_voronoi_blocks_down(v)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "there is no block %lld, %lld", (long long)column,
                   (long long)row);
  }
  gv_tile tile = {column * v->block_width, (column + 1) * v->block_width, row * v->block_height,
                  (row + 1) * v->block_height};
  if (tile.c1 > v->cells.grid.width) tile.c1 = v->cells.grid.width;
  if (tile.r1 > v->cells.grid.height) tile.r1 = v->cells.grid.height;
  *out = tile;
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------------- one cell */

static double bearing(double east, double north) {
  double angle = atan2(east, north) * degrees;
  return angle < 0.0 ? angle + 360.0 : angle;
}

static void measure_plane(const job *j, int64_t i, int32_t s) {
  const gv_seed_set *seeds = &j->v->seeds;
  double dx = seeds->x[s] - j->x[i], dy = seeds->y[s] - j->y[i];
  switch (j->v->cells.metric) {
  case GV_MANHATTAN:
    j->distance[i] = fabs(dx) + fabs(dy);
    break;
  case GV_CHEBYSHEV:
    j->distance[i] = fabs(dx) > fabs(dy) ? fabs(dx) : fabs(dy);
    break;
  default:
    j->distance[i] = sqrt(dx * dx + dy * dy);
    break;
  }
  j->azimuth[i] = bearing(dx, dy);
}

static void measure_great_circle(const job *j, int64_t i, int32_t s) {
  const gv_seed_set *seeds = &j->v->seeds;
  double dx = j->x[i] - seeds->x[s], dy = j->y[i] - seeds->y[s], dz = j->z[i] - seeds->z[s];
  double half = 0.5 * sqrt((dx * dx + dy * dy) + dz * dz);
  double sin_lon, cos_lon, sin_lat, cos_lat;
  gv_sincos_degrees(1, &j->lon[i], &sin_lon, &cos_lon);
  gv_sincos_degrees(1, &j->lat[i], &sin_lat, &cos_lat);
  j->distance[i] = 2.0 * j->radius * asin(half < 1.0 ? half : 1.0);
  j->azimuth[i] = bearing(cos_lon * seeds->y[s] - sin_lon * seeds->x[s],
                          cos_lat * seeds->z[s] - sin_lat * (cos_lon * seeds->x[s] + sin_lon * seeds->y[s]));
}

static void measure_geodesic(const job *j, int64_t i, int32_t s) {
  const gv_seed_set *seeds = &j->v->seeds;
  double distance = 0.0, azimuth = 0.0;
  geod_inverse(&j->v->geodesic.geod, j->lat[i], j->lon[i], seeds->lat[s], seeds->lon[s], &distance, &azimuth, NULL);
  j->distance[i] = distance;
  j->azimuth[i] = azimuth < 0.0 ? azimuth + 360.0 : azimuth;
}

/* -------------------------------------------------------------------------------------------------------- a block */

/* Rounds to float; a bearing that rounds up to 360 is 0. */
static void store_piece(const job *j, const int32_t *seed, int64_t at, int64_t n) {
  const gv_measure *m = j->m;
  for (int64_t i = 0; i < n; i++) {
    bool none = seed[i] < 0 || isnan(j->x[i]);
    bool same = j->distance[i] == 0.0;
    if (m->distance != NULL && m->type == GV_FLOAT64) {
      ((double *)m->distance)[at + i] = none ? NAN : j->distance[i];
    } else if (m->distance != NULL) {
      ((float *)m->distance)[at + i] = none ? NAN : (float)j->distance[i];
    }
    if (m->azimuth != NULL) {
      float azimuth = (float)j->azimuth[i];
      m->azimuth[at + i] = none ? NAN : same || azimuth >= 360.0F ? 0.0F : azimuth;
    }
  }
}

static gv_status measure_piece(gv_context *context, const job *j, int64_t row, int64_t first, int64_t n) {
  const gv_voronoi *v = j->v;
  const gv_measure *m = j->m;
  gv_tile piece = {first, first + n, row, row + 1};
  bool globe = v->cells.dim == 3;
  gv_status status = gv_cells_positions(context, &v->cells, &piece, j->x, j->y, j->z, globe ? j->lon : NULL,
                                        globe ? j->lat : NULL, j->scratch);
  if (status != GV_OK) return status;
  if (v->cells.shape == GV_CELLS_LONLAT) { /* at a pole, too */
    for (int64_t i = 0; i < n; i++) {
      double equator = 0.0;
      j->lon[i] = v->cells.grid.geotransform[0] + ((double)(first + i) + 0.5) * v->cells.grid.geotransform[1];
      gv_normalise_lonlat(&j->lon[i], &equator);
    }
  }
  for (int32_t band = 0; band < m->bands; band++) {
    const int32_t *seed = m->seed + band * m->band_stride + (row - j->tile.r0) * m->stride + (first - j->tile.c0);
    for (int64_t i = 0; i < n; i++) {
      if (seed[i] < 0 || isnan(j->x[i])) continue;
      if (seed[i] >= v->seeds.total) {
        return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "there is no seed %d", (int)seed[i]);
      }
      int32_t s = v->seeds.distinct != NULL ? v->seeds.distinct[seed[i]] : seed[i];
      if (!globe) {
        measure_plane(j, i, s);
      } else if (v->cells.metric == GV_GREAT_CIRCLE) {
        measure_great_circle(j, i, s);
      } else {
        measure_geodesic(j, i, s);
      }
    }
    store_piece(j, seed, band * m->out_band_stride + (row - j->tile.r0) * m->out_stride + (first - j->tile.c0), n);
  }
  return GV_OK;
}

static gv_status check_measure(gv_context *context, const gv_voronoi *v, const gv_measure *m, gv_tile *tile) {
  gv_status status = tile_of_block(context, v, m->column, m->row, tile);
  if (status != GV_OK) return status;
  int64_t columns = tile->c1 - tile->c0, rows = tile->r1 - tile->r0;
  if (m->seed == NULL || (m->type != GV_FLOAT32 && m->type != GV_FLOAT64)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "no seeds to measure to, or an unknown type");
  }
  if (m->bands < 1 || m->stride < columns || m->out_stride < columns ||
      (m->bands > 1 && (m->band_stride < (rows - 1) * m->stride + columns ||
                        m->out_band_stride < (rows - 1) * m->out_stride + columns))) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "%d bands or their strides make no sense", (int)m->bands);
  }
  return GV_OK;
}

gv_status gv_voronoi_measure(gv_context *context, const gv_voronoi *voronoi, const gv_measure *measure) {
  gv_measure m = GV_MEASURE_INIT;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (voronoi == NULL || measure == NULL) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "no grid, or nothing to measure");
  }
  memcpy(&m, measure, measure->struct_size < sizeof m ? measure->struct_size : sizeof m);
  job j = {.v = voronoi, .m = &m};
  gv_status status = check_measure(context, voronoi, &m, &j.tile);
  if (status != GV_OK) return status;
  enum { ARRAYS = 9 };
  double *memory = gv_allocate_zeroed(&context->allocator, ARRAYS * PIECE, sizeof *memory);
  if (memory == NULL) return gv_fail_memory(context, "a block's distances");
  double **arrays[] = {&j.x, &j.y, &j.z, &j.lon, &j.lat, &j.scratch, NULL, &j.distance, &j.azimuth};
  for (int i = 0; i < ARRAYS; i++) {
    if (arrays[i] != NULL) *arrays[i] = memory + (ptrdiff_t)i * PIECE;
  }
  const gv_ellipsoid *ellipsoid = &voronoi->cells.ellipsoid;
  j.radius = ellipsoid->semi_major * (3.0 - ellipsoid->flattening) / 3.0;
  for (int64_t r = j.tile.r0; r < j.tile.r1 && status == GV_OK; r++) {
    for (int64_t c = j.tile.c0; c < j.tile.c1 && status == GV_OK; c += PIECE) {
      status = measure_piece(context, &j, r, c, j.tile.c1 - c < PIECE ? j.tile.c1 - c : PIECE);
    }
  }
  gv_release(&context->allocator, memory);
  return status;
}

gv_status gv_voronoi_cell_areas(gv_context *context, const gv_voronoi *voronoi, int64_t block_column,
                                int64_t block_row, double *area, int64_t stride) {
  gv_tile tile;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (voronoi == NULL || area == NULL) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "no grid, or no place for the areas");
  }
  gv_status status = tile_of_block(context, voronoi, block_column, block_row, &tile);
  if (status != GV_OK) return status;
  if (stride < tile.c1 - tile.c0) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "stride %lld is shorter than a row of the block",
                   (long long)stride);
  }
  gv_cells_areas(&voronoi->cells, &tile, area, stride);
  return GV_OK;
}
