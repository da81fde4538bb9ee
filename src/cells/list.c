/* A list of places of the caller. */
#include <string.h>

#include "cells/kind.h"

enum { PLACES_AT_ONCE = 256 };

/* gv_normalize_lonlat of some places, in vectors; false if one of them is at 180 degrees west, at a pole, or
 * out of the usual range. */
static bool list_normalize_usual(int64_t n, const double *lon, const double *lat, double *to_lon,
                                 double *to_lat) {
  int unusual = 0;
  for (int64_t i = 0; i < n; i++) {
    const double east = lon[i] > 180.0 ? lon[i] - 360.0 : lon[i]; /* exact */
    unusual |= !((east > -180.0) & (east <= 180.0) & (fabs(lat[i]) < 90.0));
    to_lon[i] = east + 0.0;
    to_lat[i] = lat[i] + 0.0;
  }
  return unusual == 0;
}

/* Gain: 1.2x on lists of places in the order of a Morton curve. */
void gv_places_to_vectors(const gv_cells *cells, int64_t n, const double *from_lon, const double *from_lat,
                          double *lon, double *lat, double *x, double *y, double *z) {
  double east[PLACES_AT_ONCE], north[PLACES_AT_ONCE];
  for (int64_t first = 0; first < n; first += PLACES_AT_ONCE) {
    const int64_t count = n - first < PLACES_AT_ONCE ? n - first : PLACES_AT_ONCE;
    if (!list_normalize_usual(count, from_lon + first, from_lat + first, east, north)) {
      for (int64_t i = 0; i < count; i++) {
        east[i] = from_lon[first + i];
        north[i] = from_lat[first + i];
        gv_take_lonlat(&east[i], &north[i]);
      }
    }
    gv_lonlat_to_vectors(&cells->ellipsoid, gv_cells_geocentric(cells), count, east, north, x + first,
                         y + first, z + first);
    if (lon == NULL) continue;
    memcpy(lon + first, east, (size_t)count * sizeof *lon);
    memcpy(lat + first, north, (size_t)count * sizeof *lat);
  }
}

static gv_status list_prepare(gv_context *context, gv_cells *cells) {
  (void)context;
  cells->position_error = 16.0 * 0x1p-52; /* bounds are computed from the positions themselves */
  return GV_OK;
}

static gv_status list_positions(gv_context *context, const gv_cells *cells, const gv_tile *tile, double *x,
                                double *y, double *z, double *lon, double *lat, double *scratch) {
  (void)context, (void)scratch;
  gv_places_to_vectors(cells, (tile->c1 - tile->c0) * (tile->r1 - tile->r0), cells->grid.longitude + tile->c0,
                       cells->grid.latitude + tile->c0, lon, lat, x, y, z);
  return GV_OK;
}

static void list_position(const gv_cells *cells, int64_t number, double p[5]) {
  gv_places_to_vectors(cells, 1, cells->grid.longitude + number, cells->grid.latitude + number, &p[3], &p[4],
                       &p[0], &p[1], &p[2]);
}

static void list_center(const gv_cells *cells, int64_t number, double *lon, double *lat) {
  *lon = cells->grid.longitude[number];
  *lat = cells->grid.latitude[number];
  gv_take_lonlat(lon, lat);
}

static void list_areas(const gv_cells *cells, const gv_tile *tile, double *area, int64_t stride) {
  (void)stride;
  for (int64_t c = tile->c0; c < tile->c1; c++)
    area[c - tile->c0] = cells->grid.area != NULL ? cells->grid.area[c] : (double)NAN;
}

const gv_kind gv_kind_list = {.name = "list of places",
                              .shape = GV_CELLS_POINTS,
                              .prepare = list_prepare,
                              .positions = list_positions,
                              .areas = list_areas,
                              .position = list_position,
                              .center = list_center};
