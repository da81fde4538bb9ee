/*
 * HEALPix.
 *
 * The bound of a part. The part is a pixel of a coarser order, which holds the centers of its descendants.
 * Its points are within r of its center, where r is the largest distance of any pixel's center from its
 * corners: that of the pixels between the polar caps and the belt, from (z = 2/3, 45 / nside degrees) to (z =
 * 1 - (1 - 1 / nside)^2 / 3, 0). tests/cells/healpix.c checks all pixels of many orders; a fiftieth is added.
 */
#include "cells/healpix.h"

#include "cells/area.h"
#include "cells/kind.h"
#include "core/angles.h"
#include "exact/globe_kernels.h"
#include "gpuvoronoi/cells.h"

/* ------------------------------------------------------------------------------------------------ numbers */

static uint64_t healpix_spread(uint64_t v) {
  v = (v | v << 16) & 0x0000ffff0000ffffu;
  v = (v | v << 8) & 0x00ff00ff00ff00ffu;
  v = (v | v << 4) & 0x0f0f0f0f0f0f0f0fu;
  v = (v | v << 2) & 0x3333333333333333u;
  return (v | v << 1) & 0x5555555555555555u;
}

int64_t gv_healpix_count(int order) {
  return order >= 0 && order <= GV_HEALPIX_MAX_ORDER ? INT64_C(12) << 2 * order : 0;
}

int64_t gv_healpix_to_ring(int order, int64_t number) {
  if (number < 0 || number >= gv_healpix_count(order)) return -1;
  const int64_t nside = INT64_C(1) << order;
  gv_healpix_place p = gv_healpix_find(order, number);
  /* Rings begin at longitude 0 or half a pixel east of it. */
  int64_t at = p.eighth / 2;
  if (p.ring < nside) return 2 * p.ring * (p.ring - 1) + at;
  if (p.ring > 3 * nside) return gv_healpix_count(order) - 2 * p.nr * (p.nr + 1) + at;
  return 2 * nside * (nside - 1) + (p.ring - nside) * 4 * nside + at;
}

int64_t gv_healpix_from_ring(int order, int64_t ring_number) {
  if (ring_number < 0 || ring_number >= gv_healpix_count(order)) return -1;
  const int64_t nside = INT64_C(1) << order;
  const gv_healpix_place p = gv_healpix_find_in_ring(order, ring_number);
  /* ix + iy and ix - iy in each of the faces that the ring crosses; one of them holds the pixel. */
  for (int face = 0; face < GV_HEALPIX_FACES; face++) {
    int64_t sum = gv_healpix_ring_of_face(face) * nside - p.ring - 1,
            difference = p.eighth - gv_healpix_turn_of_face(face) * p.nr;
    if (difference > 4 * p.nr) difference -= 8 * p.nr;
    if (difference < -4 * p.nr) difference += 8 * p.nr;
    int64_t ix = (sum + difference) / 2, iy = (sum - difference) / 2;
    if (sum < 0 || (sum + difference) % 2 != 0 || ix < 0 || iy < 0 || ix >= nside || iy >= nside) continue;
    return ((int64_t)face << 2 * order) |
           (int64_t)(healpix_spread((uint64_t)ix) | healpix_spread((uint64_t)iy) << 1);
  }
  return -1;
}

/* ------------------------------------------------------------------------------------------------ centers */

void gv_healpix_make(int order, bool ring, bool authalic, const gv_ellipsoid *ellipsoid, gv_healpix *out) {
  *out = (gv_healpix){.order = order, .ring = ring};
  gv_sphere_latitudes_make(authalic, ellipsoid, &out->latitudes);
}

/* Eight by eight pixels of a face, as the kernel takes them: `ring` and `difference` (x - y) are those of
 * the first pixel, which is the southernmost. */
typedef struct healpix_square {
  double nside, ring, difference, turn;
} healpix_square;

static healpix_square healpix_square_at(const gv_healpix *h, int64_t first) {
  const double n = ldexp(1.0, h->order);
  const int face = (int)(first >> 2 * h->order);
  const uint64_t within = (uint64_t)first & (((uint64_t)1 << 2 * h->order) - 1);
  const double ix = (double)gv_healpix_compress(within), iy = (double)gv_healpix_compress(within >> 1);
  return (healpix_square){n, gv_healpix_ring_of_face(face) * n - ix - iy - 1.0, ix - iy,
                          gv_healpix_turn_of_face(face)};
}

/* Sines and cosines of latitudes on the sphere, and longitudes, of the pixels of a square.
 * Gain: 1.8x on level 10 with 10,000 seeds. */
static void healpix_square_angles(const gv_healpix *h, const healpix_square *s, double *sine, double *cosine,
                                  double *lon) {
  static const double sums[GV_HEALPIX_AT_ONCE] = {
      0, 1, 1, 2,  2, 3, 3, 4,  2,  3,  3,  4,  4,  5,  5,  6,  4,  5,  5,  6, 6, 7,
      7, 8, 6, 7,  7, 8, 8, 9,  9,  10, 4,  5,  5,  6,  6,  7,  7,  8,  6,  7, 7, 8,
      8, 9, 9, 10, 8, 9, 9, 10, 10, 11, 11, 12, 10, 11, 11, 12, 12, 13, 13, 14};
  static const double differences[GV_HEALPIX_AT_ONCE] = {
      0,  1,  -1, 0,  2, 3, 1,  2, -2, -1, -3, -2, 0,  1,  -1, 0,  4,  5,  3,  4,  6,  7,
      5,  6,  2,  3,  1, 2, 4,  5, 3,  4,  -4, -3, -5, -4, -2, -1, -3, -2, -6, -5, -7, -6,
      -4, -3, -5, -4, 0, 1, -1, 0, 2,  3,  1,  2,  -2, -1, -3, -2, 0,  1,  -1, 0};
  h->latitudes.kernels->healpix(s->nside, s->ring, s->difference, s->turn, GV_HEALPIX_AT_ONCE, sums,
                                differences, sine, cosine, lon);
}

/*
 * Positions of the pixels of a square between the polar caps: latitudes depend on x + y only and longitudes
 * on x - y only, and there are 15 of each. False if some of the pixels are in a cap. Gain: with boxes of
 * leaves in vectors (voronoi/cpu/kernels.c) 1.2x on level 10 with 10,000 seeds, 1.15x in the RING scheme.
 */
static bool healpix_square_in_belt(const gv_healpix *h, const gv_ellipsoid *ellipsoid,
                                   const healpix_square *s, double *x, double *y, double *z) {
  enum { SIDE = 8, LINES = 2 * SIDE, MIDDLE = SIDE - 1 };
  static const double sums[LINES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                      differences[LINES] = {-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8};
  static const uint8_t spread[SIDE] = {0, 1, 4, 5, 16, 17, 20, 21};
  if (s->ring - 2 * MIDDLE < s->nside || s->ring > 3.0 * s->nside) return false;
  double lon[LINES], sine[LINES + GV_TABLE_PADDING], cosine[LINES + GV_TABLE_PADDING], p[LINES],
      height[LINES], sin_lat[LINES], cos_lat[LINES];
  h->latitudes.kernels->healpix(s->nside, s->ring, s->difference, s->turn, LINES, sums, differences, sin_lat,
                                cos_lat, lon);
  gv_sphere_latitudes_convert(&h->latitudes, LINES, sin_lat, cos_lat);
  h->latitudes.kernels->sincos(LINES, lon, sine, cosine);
  h->latitudes.kernels->meridian(ellipsoid != NULL ? ellipsoid->eccentricity2 : -1.0, LINES, sin_lat, cos_lat,
                                 p, height);
  for (int row = 0; row < SIDE; row++) {
    for (int column = 0; column < SIDE; column += 2) { /* two pixels, which follow each other */
      const int i = spread[column] + 2 * spread[row], sum = column + row, difference = MIDDLE + column - row;
      const double p0 = p[sum], p1 = p[sum + 1], z0 = height[sum], z1 = height[sum + 1];
      const double c0 = cosine[difference], c1 = cosine[difference + 1], s0 = sine[difference],
                   s1 = sine[difference + 1];
      x[i] = p0 * c0;
      x[i + 1] = p1 * c1;
      y[i] = p0 * s0;
      y[i + 1] = p1 * s1;
      z[i] = z0;
      z[i + 1] = z1;
    }
  }
  return true;
}

void gv_healpix_positions(const gv_healpix *h, const gv_ellipsoid *ellipsoid, int64_t first, int count,
                          double *x, double *y, double *z) {
  double lon[GV_HEALPIX_AT_ONCE] = {0.0}, sine[GV_HEALPIX_AT_ONCE + GV_TABLE_PADDING],
         cosine[GV_HEALPIX_AT_ONCE + GV_TABLE_PADDING], p[GV_HEALPIX_AT_ONCE], sin_lat[GV_HEALPIX_AT_ONCE],
         cos_lat[GV_HEALPIX_AT_ONCE];
  bool square = !h->ring && h->order >= 3 && count == GV_HEALPIX_AT_ONCE && first % GV_HEALPIX_AT_ONCE == 0;
  if (square) {
    const healpix_square s = healpix_square_at(h, first);
    if (healpix_square_in_belt(h, ellipsoid, &s, x, y, z)) return;
    healpix_square_angles(h, &s, sin_lat, cos_lat, lon);
  }
  for (int i = 0; i < count && !square; i++) {
    gv_healpix_place of =
        h->ring ? gv_healpix_find_in_ring(h->order, first + i) : gv_healpix_find(h->order, first + i);
    gv_healpix_cell_center(ldexp(1.0, h->order), (double)of.ring, (double)of.nr, (double)of.eighth,
                           &sin_lat[i], &cos_lat[i], &lon[i]);
  }
  gv_sphere_latitudes_convert(&h->latitudes, count, sin_lat, cos_lat);
  h->latitudes.kernels->sincos(count, lon, sine, cosine);
  h->latitudes.kernels->meridian(ellipsoid != NULL ? ellipsoid->eccentricity2 : -1.0, count, sin_lat, cos_lat,
                                 p, z);
  for (int i = 0; i < count; i++) {
    x[i] = p[i] * cosine[i];
    y[i] = p[i] * sine[i];
  }
}

/* Sine and cosine of the geodetic latitude, and the longitude. */
static void healpix_find_center(const gv_healpix *h, int64_t number, double *sine, double *cosine,
                                double *lon) {
  gv_healpix_place p =
      h->ring ? gv_healpix_find_in_ring(h->order, number) : gv_healpix_find(h->order, number);
  gv_healpix_cell_center(ldexp(1.0, h->order), (double)p.ring, (double)p.nr, (double)p.eighth, sine, cosine,
                         lon);
  gv_sphere_latitudes_convert(&h->latitudes, 1, sine, cosine);
}

void gv_healpix_span_positions(const gv_healpix *h, const gv_ellipsoid *ellipsoid, int64_t first,
                               int64_t count, double *x, double *y, double *z) {
  for (int64_t at = 0; at < count; at += GV_HEALPIX_AT_ONCE) {
    int some = count - at < GV_HEALPIX_AT_ONCE ? (int)(count - at) : GV_HEALPIX_AT_ONCE;
    gv_healpix_positions(h, ellipsoid, first + at, some, x + at, y + at, z + at);
  }
}

void gv_healpix_lonlat(const gv_healpix *h, int64_t number, double *lon, double *lat) {
  double sine, cosine;
  healpix_find_center(h, number, &sine, &cosine, lon);
  *lat = atan2(sine, cosine) * (180.0 / GV_PI);
}

gv_status gv_healpix_center(int order, int64_t number, double *longitude, double *latitude) {
  if (longitude == NULL || latitude == NULL || number < 0 || number >= gv_healpix_count(order))
    return GV_ERROR_INVALID_ARGUMENT;
  const gv_ellipsoid sphere = {1.0, 0.0, 0.0};
  gv_healpix h;
  gv_healpix_make(order, false, false, &sphere, &h);
  gv_healpix_lonlat(&h, number, longitude, latitude);
  return GV_OK;
}

/* Column and row of a place on its face, in the belt between the polar caps; `turn`: quarters of a turn, 0 <=
 * turn < 4. */
static int healpix_find_in_belt(int order, double sine, double turn, int64_t *ix, int64_t *iy) {
  const int64_t nside = INT64_C(1) << order;
  const double along = (double)nside * (0.5 + turn), across = (double)nside * 0.75 * sine;
  const int64_t rising = (int64_t)floor(along - across), falling = (int64_t)floor(along + across);
  const int up = (int)(rising >> order), down = (int)(falling >> order);
  *ix = falling & (nside - 1);
  *iy = nside - 1 - (rising & (nside - 1));
  return up == down ? (up & 3) + 4 : up < down ? up : down + 8;
}

static int healpix_find_in_cap(int order, double sine, double cosine, double turn, int64_t *ix, int64_t *iy) {
  const int64_t last = (INT64_C(1) << order) - 1;
  const int quarter = turn < 3.0 ? (int)turn : 3;
  const double part = turn - quarter, from_pole = ldexp(cosine * sqrt(3.0 / (1.0 + fabs(sine))), order);
  int64_t west = (int64_t)(part * from_pole), east = (int64_t)((1.0 - part) * from_pole);
  if (west > last) west = last;
  if (east > last) east = last;
  *ix = sine > 0.0 ? last - east : west;
  *iy = sine > 0.0 ? last - west : east;
  return sine > 0.0 ? quarter : quarter + 8;
}

gv_status gv_healpix_from_lonlat(int order, double longitude, double latitude, int64_t *number) {
  if (number == NULL || gv_healpix_count(order) == 0 || !isfinite(longitude) || !(fabs(latitude) <= 90.0))
    return GV_ERROR_INVALID_ARGUMENT;
  const double sine = sin(latitude * GV_DEGREE), cosine = cos(latitude * GV_DEGREE);
  double turn = longitude / 90.0;
  turn -= 4.0 * floor(turn / 4.0);
  if (!(turn < 4.0)) turn = 0.0; /* it was a rounding below 0 */
  int64_t ix, iy;
  int face = fabs(sine) <= 2.0 / 3.0 ? healpix_find_in_belt(order, sine, turn, &ix, &iy)
                                     : healpix_find_in_cap(order, sine, cosine, turn, &ix, &iy);
  *number = ((int64_t)face << 2 * order) |
            (int64_t)(healpix_spread((uint64_t)ix) | healpix_spread((uint64_t)iy) << 1);
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------- bounds */

/* The largest distance of a center from a corner of its pixel, radians. */
static double healpix_radius(int order) {
  double n = ldexp(1.0, order), t = 1.0 - 1.0 / n, z = 1.0 - t * t / 3.0, turn = GV_PI / (4.0 * n);
  double a[3] = {sqrt(5.0) / 3.0 * cos(turn), sqrt(5.0) / 3.0 * sin(turn), 2.0 / 3.0};
  double dx = a[0] - sqrt((1.0 - z) * (1.0 + z)), dz = a[2] - z;
  double half = 0.5 * sqrt(dx * dx + a[1] * a[1] + dz * dz);
  return 2.0 * asin(half < 1.0 ? half : 1.0);
}

void gv_healpix_bound(const gv_healpix *h, const gv_ellipsoid *ellipsoid, double curvature, int bits,
                      int64_t first, gv_bound *out) {
  gv_healpix coarse = *h;
  coarse.order = h->order - bits;
  double lon, r = bits > 0 ? 1.02 * healpix_radius(coarse.order) : 0.0;
  gv_direction center;
  healpix_find_center(&coarse, first >> 2 * bits, &center.sin_lat, &center.cos_lat, &lon);
  h->latitudes.kernels->sincos(1, &lon, &center.sin_lon, &center.cos_lon);
  gv_sphere_cap_bound(&h->latitudes, ellipsoid, curvature, &center, r, out);
}

/* -------------------------------------------------------------------------------------- the kind of cells */

static int64_t healpix_count(const gv_grid *grid) {
  return gv_healpix_count(grid->order);
}

static gv_status healpix_prepare(gv_context *context, gv_cells *cells) {
  const gv_grid *grid = &cells->grid;
  /* Sine and cosine of the latitude have some roundings, the authalic series a few more. */
  cells->position_error = 40.0 * 0x1p-52;
  cells->healpix = gv_allocate(&cells->allocator, 1, sizeof *cells->healpix);
  if (cells->healpix == NULL) return gv_fail_memory(context, "the grid's tables");
  gv_healpix_make(grid->order, grid->ring != 0, grid->authalic != 0, &cells->ellipsoid, cells->healpix);
  return GV_OK;
}

static void healpix_span(const gv_cells *cells, const gv_ellipsoid *ellipsoid, int64_t first, int64_t count,
                         double *x, double *y, double *z) {
  gv_healpix_span_positions(cells->healpix, ellipsoid, first, count, x, y, z);
}

static void healpix_center(const gv_cells *cells, int64_t number, double *lon, double *lat) {
  gv_healpix_lonlat(cells->healpix, number, lon, lat);
}

static void healpix_solid_angles(const gv_cells *cells, int64_t first, int64_t count, double *solid) {
  (void)first;
  for (int64_t i = 0; i < count; i++)
    solid[i] = 4.0 * GV_PI / (double)cells->grid.width;
}

static void healpix_areas(const gv_cells *cells, const gv_tile *tile, double *area, int64_t stride) {
  (void)stride;
  gv_sphere_areas(cells, tile, healpix_solid_angles, area);
}

static double healpix_largest_area(const gv_cells *cells) {
  return gv_sphere_largest_area(cells, 4.0 * GV_PI / (double)cells->grid.width);
}

static void healpix_part_bound(const gv_cells *cells, const gv_part *part, gv_bound *out) {
  gv_healpix_bound(cells->healpix, gv_cells_ellipsoid(cells), cells->curvature, part->bits, part->first, out);
}

const gv_kind gv_kind_healpix = {.name = "HEALPix",
                                 .shape = GV_CELLS_POINTS,
                                 .count = healpix_count,
                                 .prepare = healpix_prepare,
                                 .positions = gv_sphere_mesh_positions,
                                 .areas = healpix_areas,
                                 .position = gv_sphere_mesh_position,
                                 .center = healpix_center,
                                 .span = healpix_span,
                                 .largest_area = healpix_largest_area,
                                 .level = gv_sphere_mesh_level,
                                 .roots = GV_HEALPIX_FACES,
                                 .part_bound = healpix_part_bound};
