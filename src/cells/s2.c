/*
 * S2 cells.
 *
 * The bound of a part. The part is a cell of a coarser level, which holds the centers of its descendants: a
 * convex polygon of great circles, no point of which is farther from its center than the farthest corner.
 */
#include "cells/s2.h"

#include "cells/area.h"
#include "cells/kind.h"
#include "core/angles.h"
#include "exact/globe_kernels.h"
#include "gpuvoronoi/cells.h"

enum { S2_AT_ONCE = 64, S2_AT_ONCE_LEVELS = 3, S2_ID_LEVELS = 30 };

/* The number of a cell of a face. */
static int64_t s2_number(int level, int face, int64_t i, int64_t j) {
  gv_s2_cell cell = {0, 0, face & 1};
  int64_t number = face;
  for (int bit = level - 1; bit >= 0; bit--) {
    int child = 0;
    gv_s2_cell next = gv_s2_child(&cell, child);
    while (next.i != i >> bit || next.j != j >> bit)
      next = gv_s2_child(&cell, ++child);
    cell = next;
    number = 4 * number + child;
  }
  return number;
}

void gv_s2_make(int level, bool authalic, const gv_ellipsoid *ellipsoid, gv_s2 *out) {
  out->level = level;
  gv_sphere_latitudes_make(authalic, ellipsoid, &out->latitudes);
}

/* Positions of cells [from, end) of the descendants, up to S2_AT_ONCE, of cell number `parent` of a coarser
 * level. */
static void s2_descendants(const gv_s2 *s2, const gv_ellipsoid *ellipsoid, int levels, int64_t parent,
                           int from, int end, double *x, double *y, double *z) {
  gv_s2_cell cell[S2_AT_ONCE];
  double sin_lat[S2_AT_ONCE + GV_TABLE_PADDING], cos_lat[S2_AT_ONCE + GV_TABLE_PADDING], sin_lon[S2_AT_ONCE],
      cos_lon[S2_AT_ONCE], p[S2_AT_ONCE], ray[3];
  const double side = ldexp(1.0, -s2->level - 1);
  const int face = (int)(parent >> 2 * (s2->level - levels));
  cell[0] = gv_s2_find(s2->level - levels, parent);
  for (int step = 0; step < levels; step++) {
    for (int at = (1 << 2 * step) - 1; at >= 0; at--) {
      const gv_s2_cell above = cell[at];
      for (int child = 0; child < 4; child++)
        cell[4 * at + child] = gv_s2_child(&above, child);
    }
  }
  for (int at = from; at < end; at++) {
    gv_s2_ray(face, gv_s2_project((double)(2 * cell[at].i + 1) * side),
              gv_s2_project((double)(2 * cell[at].j + 1) * side), ray);
    gv_direction direction = gv_s2_direction(ray);
    sin_lat[at - from] = direction.sin_lat;
    cos_lat[at - from] = direction.cos_lat;
    sin_lon[at - from] = direction.sin_lon;
    cos_lon[at - from] = direction.cos_lon;
  }
  const int count = end - from;
  gv_sphere_latitudes_convert(&s2->latitudes, count, sin_lat, cos_lat);
  s2->latitudes.kernels->meridian(ellipsoid != NULL ? ellipsoid->eccentricity2 : -1.0, count, sin_lat,
                                  cos_lat, p, z);
  for (int i = 0; i < count; i++) {
    x[i] = p[i] * cos_lon[i];
    y[i] = p[i] * sin_lon[i];
  }
}

void gv_s2_positions(const gv_s2 *s2, const gv_ellipsoid *ellipsoid, int64_t first, int64_t count, double *x,
                     double *y, double *z) {
  const int levels = s2->level < S2_AT_ONCE_LEVELS ? s2->level : S2_AT_ONCE_LEVELS;
  const int64_t each = INT64_C(1) << 2 * levels;
  for (int64_t at = 0, some; at < count; at += some) {
    const int64_t parent = (first + at) >> 2 * levels, from = first + at - parent * each;
    some = each - from < count - at ? each - from : count - at;
    s2_descendants(s2, ellipsoid, levels, parent, (int)from, (int)(from + some), x + at, y + at, z + at);
  }
}

void gv_s2_lonlat(const gv_s2 *s2, int64_t number, double *lon, double *lat) {
  gv_direction at = gv_s2_direction_of(s2->level, number);
  gv_sphere_latitudes_convert(&s2->latitudes, 1, &at.sin_lat, &at.cos_lat);
  *lon = atan2(at.sin_lon, at.cos_lon) * (180.0 / GV_PI);
  if (*lon == -180.0) *lon = 180.0;
  *lat = atan2(at.sin_lat, at.cos_lat) * (180.0 / GV_PI);
}

/* --------------------------------------------------------------------------------------- bounds and areas */

/* Corner number 0 ... 3 of a cell, counter-clockwise on its face. */
static void s2_corner(int level, const gv_s2_cell *cell, int corner, double at[2]) {
  at[0] = gv_s2_project(ldexp((double)(cell->i + (corner == 1 || corner == 2)), -level));
  at[1] = gv_s2_project(ldexp((double)(cell->j + (corner >= 2)), -level));
}

/* Half the chord between a center and a corner of its cell. */
static double s2_half_chord(const gv_direction *center, const double ray[3]) {
  const gv_direction corner = gv_s2_direction(ray);
  double dx = center->cos_lat * center->cos_lon - corner.cos_lat * corner.cos_lon,
         dy = center->cos_lat * center->sin_lon - corner.cos_lat * corner.sin_lon,
         dz = center->sin_lat - corner.sin_lat;
  return 0.5 * sqrt(dx * dx + dy * dy + dz * dz);
}

void gv_s2_bound(const gv_s2 *s2, const gv_ellipsoid *ellipsoid, double curvature, int bits, int64_t first,
                 gv_bound *out) {
  const int level = s2->level - bits;
  const int64_t number = first >> 2 * bits;
  const gv_s2_cell cell = gv_s2_find(level, number);
  gv_direction center = gv_s2_direction_of(level, number);
  double half = 0.0;
  for (int corner = 0; corner < 4 && bits > 0; corner++) {
    double at[2], ray[3];
    s2_corner(level, &cell, corner, at);
    gv_s2_ray((int)(number >> 2 * level), at[0], at[1], ray);
    half = fmax(half, s2_half_chord(&center, ray));
  }
  gv_sphere_latitudes_convert(&s2->latitudes, 1, &center.sin_lat, &center.cos_lat);
  gv_sphere_cap_bound(&s2->latitudes, ellipsoid, curvature, &center, 2.0 * asin(half) * (1.0 + 1e-12), out);
}

/* u(s1) - u(s0) of the cells' sides, which never lie across s = 1/2, without cancellation. */
static double s2_width(double s0, double s1) {
  double width = s1 - s0;
  return (4.0 / 3.0) * width * (s0 >= 0.5 ? s0 + s1 : (1.0 - s0) + (1.0 - s1));
}

/* Two triangles, each by van Oosterom and Strackee (1983); their determinant is the area of the rectangle on
 * the cube. */
double gv_s2_solid_angle(int level, int64_t number) {
  if (level == 0) return 4.0 * GV_PI / GV_S2_FACES;
  const gv_s2_cell cell = gv_s2_find(level, number);
  const double side = ldexp(1.0, -level), s = (double)cell.i * side, t = (double)cell.j * side;
  const double determinant = s2_width(s, s + side) * s2_width(t, t + side);
  double ray[4][3], length[4], sum = 0.0;
  for (int corner = 0; corner < 4; corner++) {
    double at[2];
    s2_corner(level, &cell, corner, at);
    gv_s2_ray(0, at[0], at[1], ray[corner]);
    length[corner] = sqrt(1.0 + at[0] * at[0] + at[1] * at[1]);
  }
  for (int b = 1; b <= 2; b++) { /* corners 0, b, b + 1 */
    const int triangle[3] = {0, b, b + 1};
    double under = length[0] * length[b] * length[b + 1];
    for (int i = 0; i < 3; i++) {
      const double *p = ray[triangle[i]], *q = ray[triangle[(i + 1) % 3]];
      under += (p[0] * q[0] + p[1] * q[1] + p[2] * q[2]) * length[triangle[(i + 2) % 3]];
    }
    sum += 2.0 * atan2(determinant, under);
  }
  return sum;
}

/* ------------------------------------------------------------------------------------------------- public */

int64_t gv_s2_count(int level) {
  return level >= 0 && level <= GV_S2_MAX_LEVEL ? INT64_C(6) << 2 * level : 0;
}

uint64_t gv_s2_id(int level, int64_t number) {
  if (number < 0 || number >= gv_s2_count(level)) return 0;
  return (2 * (uint64_t)number + 1) << 2 * (S2_ID_LEVELS - level);
}

gv_status gv_s2_center(int level, int64_t number, double *longitude, double *latitude) {
  if (longitude == NULL || latitude == NULL || number < 0 || number >= gv_s2_count(level))
    return GV_ERROR_INVALID_ARGUMENT;
  const gv_ellipsoid sphere = {1.0, 0.0, 0.0};
  gv_s2 s2;
  gv_s2_make(level, false, &sphere, &s2);
  gv_s2_lonlat(&s2, number, longitude, latitude);
  return GV_OK;
}

gv_status gv_s2_from_lonlat(int level, double longitude, double latitude, int64_t *number) {
  if (number == NULL || gv_s2_count(level) == 0 || !isfinite(longitude) || !(fabs(latitude) <= 90.0))
    return GV_ERROR_INVALID_ARGUMENT;
  const double lon = remainder(longitude, 360.0) * GV_DEGREE, lat = latitude * GV_DEGREE;
  const double ray[3] = {cos(lat) * cos(lon), cos(lat) * sin(lon), sin(lat)},
               side = (double)(INT64_C(1) << level);
  double u, v;
  const int face = gv_s2_face(ray, &u, &v);
  *number = s2_number(level, face, gv_s2_column(u, side), gv_s2_column(v, side));
  return GV_OK;
}

/* -------------------------------------------------------------------------------------- the kind of cells */

static int64_t s2_count(const gv_grid *grid) {
  return gv_s2_count(grid->order);
}

static gv_status s2_prepare(gv_context *context, gv_cells *cells) {
  cells->position_error = 40.0 * 0x1p-52; /* quotients of square roots, and the authalic series */
  cells->s2 = gv_allocate(&cells->allocator, 1, sizeof *cells->s2);
  if (cells->s2 == NULL) return gv_fail_memory(context, "the grid's tables");
  gv_s2_make(cells->grid.order, cells->grid.authalic != 0, &cells->ellipsoid, cells->s2);
  return GV_OK;
}

static void s2_span(const gv_cells *cells, const gv_ellipsoid *ellipsoid, int64_t first, int64_t count,
                    double *x, double *y, double *z) {
  gv_s2_positions(cells->s2, ellipsoid, first, count, x, y, z);
}

static void s2_cell_center(const gv_cells *cells, int64_t number, double *lon, double *lat) {
  gv_s2_lonlat(cells->s2, number, lon, lat);
}

static void s2_solid_angles(const gv_cells *cells, int64_t first, int64_t count, double *solid) {
  for (int64_t i = 0; i < count; i++)
    solid[i] = gv_s2_solid_angle(cells->grid.order, first + i);
}

static void s2_areas(const gv_cells *cells, const gv_tile *tile, double *area, int64_t stride) {
  (void)stride;
  gv_sphere_areas(cells, tile, s2_solid_angles, area);
}

static double s2_largest_area(const gv_cells *cells) {
  return gv_sphere_largest_area(cells, ldexp(GV_S2_LARGEST_SOLID_ANGLE, -2 * cells->grid.order));
}

static void s2_part_bound(const gv_cells *cells, const gv_part *part, gv_bound *out) {
  gv_s2_bound(cells->s2, gv_cells_ellipsoid(cells), cells->curvature, part->bits, part->first, out);
}

const gv_kind gv_kind_s2 = {.name = "S2",
                            .shape = GV_CELLS_POINTS,
                            .count = s2_count,
                            .prepare = s2_prepare,
                            .positions = gv_sphere_mesh_positions,
                            .areas = s2_areas,
                            .position = gv_sphere_mesh_position,
                            .center = s2_cell_center,
                            .span = s2_span,
                            .largest_area = s2_largest_area,
                            .level = gv_sphere_mesh_level,
                            .roots = GV_S2_FACES,
                            .part_bound = s2_part_bound};
