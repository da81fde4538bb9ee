#include "cells/borders.h"

#include "cells/healpix.h"
#include "cells/s2.h"
#include "core/angles.h"
#include "gpuvoronoi/cells.h"

void gv_borders_make(const gv_grid *grid, gv_borders *out) {
  const gv_ellipsoid ellipsoid = {grid->semi_major, grid->flattening,
                                  grid->flattening * (2.0 - grid->flattening)};
  *out = (gv_borders){.level = grid->order, .ring = grid->ring != 0, .s2 = grid->kind == GV_GRID_S2};
  out->pieces = gv_border_pieces(grid->order);
  gv_sphere_latitudes_make(grid->authalic != 0, &ellipsoid, &out->latitudes);
}

/* A point of a border in its cell, which is the square from (0, 0) to (1, 1): after `step` of 4 * pieces
 * steps. */
static void borders_in_cell(int step, int pieces, double at[2]) {
  const int side = step / pieces;
  const double along = (double)(step % pieces) / pieces;
  at[0] = side == 0 ? along : side == 1 ? 1.0 : side == 2 ? 1.0 - along : 0.0;
  at[1] = side == 0 ? 0.0 : side == 1 ? along : side == 2 ? 1.0 : 1.0 - along;
}

/* Sine and cosine of the latitude on the sphere, and longitude in degrees, of a point of a pixel with a
 * number in the NESTED scheme. */
static void borders_healpix_point(int order, int64_t number, const double at[2], double *sine, double *cosine,
                                  double *lon) {
  const double nside = ldexp(1.0, order);
  const int face = (int)(number >> 2 * order);
  const uint64_t within = (uint64_t)number & (((uint64_t)1 << 2 * order) - 1);
  const double x = (double)gv_healpix_compress(within) + at[0],
               y = (double)gv_healpix_compress(within >> 1) + at[1],
               ring = gv_healpix_ring_of_face(face) * nside - x - y,
               nr = fmin(fmin(ring, nside), 4.0 * nside - ring);
  double eighth = gv_healpix_turn_of_face(face) * nr + (x - y);
  if (eighth < 0.0) eighth += 8.0 * nr;
  gv_healpix_cell_center(nside, ring, nr, eighth, sine, cosine, lon);
  if (nr == 0.0) *lon = 0.0;
}

static void borders_s2_point(int level, int64_t number, const double at[2], double *sine, double *cosine,
                             double *lon) {
  const gv_s2_cell cell = gv_s2_find(level, number);
  double ray[3];
  gv_s2_ray((int)(number >> 2 * level), gv_s2_project(ldexp((double)cell.i + at[0], -level)),
            gv_s2_project(ldexp((double)cell.j + at[1], -level)), ray);
  const gv_direction direction = gv_s2_direction(ray);
  *sine = direction.sin_lat;
  *cosine = direction.cos_lat;
  *lon = atan2(direction.sin_lon, direction.cos_lon) * (180.0 / GV_PI);
  if (*lon == -180.0) *lon = 180.0;
}

int gv_borders_get(const gv_borders *b, int64_t number, double *lon, double *lat) {
  const int steps = 4 * b->pieces;
  if (b->ring) number = gv_healpix_from_ring(b->level, number);
  for (int step = 0; step < steps; step++) {
    double at[2], sine, cosine;
    borders_in_cell(step, b->pieces, at);
    (b->s2 ? borders_s2_point : borders_healpix_point)(b->level, number, at, &sine, &cosine, &lon[step]);
    gv_sphere_latitudes_convert(&b->latitudes, 1, &sine, &cosine);
    lat[step] = atan2(sine, cosine) * (180.0 / GV_PI);
  }
  lon[steps] = lon[0];
  lat[steps] = lat[0];
  return steps + 1;
}
