/*
 * The quaternary triangular mesh (Dutton, A Hierarchical Coordinate System for Geoprocessing and Cartography,
 * 1999).
 *
 * Each cell has three corners that carry the basis numbers 1, 2 and 3: in an octant the pole is 1, the
 * equator at 0 and 180 degrees 2, at +-90 degrees 3. Midpoints of edges split a cell in four: child 0 is the
 * center, child i the one at corner i, and a midpoint gets the basis number of the corner opposite its edge.
 * So a vertex of a level has one basis number in all cells around it.
 *
 * In the ZOT plane an octant is a triangle in which this split is the ordinary one: lattice.h finds places by
 * their barycentric coordinates in it.
 */
#include "cells/qtm.h"

#include <string.h>

#include "cells/lattice.h"
#include "core/angles.h"

enum { OCTANT_SHIFT = 59 };

/* ---------------------------------------------------------------------------------------------------- ids */

/* 8 octants, `digits` the 2 x level bits of the digit string. */
static gv_qtm_id compose(int octant, int level, uint64_t digits) {
  int end = OCTANT_SHIFT - 2 * level; /* lowest bit of the last digit */
  return (gv_qtm_id)(((uint64_t)octant << OCTANT_SHIFT) | (digits << end) | (UINT64_C(1) << (end - 1)));
}

int gv_qtm_level(gv_qtm_id id) {
  if (id <= 0) return -1;
  uint64_t bits = (uint64_t)id;
  int end = 0;
  while (!(bits >> end & 1U))
    end++;
  int octant = (int)(bits >> OCTANT_SHIFT);
  /* The end bit must lie below the octant, at an even distance. */
  if (end >= OCTANT_SHIFT || end % 2 != 0 || octant < 1 || octant > 8) return -1;
  return (OCTANT_SHIFT - 1 - end) / 2;
}

int gv_qtm_is_valid(gv_qtm_id id) {
  return gv_qtm_level(id) >= 0;
}

int gv_qtm_octant(gv_qtm_id id) {
  return gv_qtm_is_valid(id) ? (int)(id >> OCTANT_SHIFT) : -1;
}

static bool level_in_range(int level) {
  return level >= 0 && level <= GV_QTM_MAX_LEVEL;
}

/* The digit string of a valid id as a number. */
static uint64_t digits_of(gv_qtm_id id, int level) {
  uint64_t mask = (UINT64_C(1) << 2 * level) - 1;
  return (uint64_t)id >> (OCTANT_SHIFT - 2 * level) & mask;
}

int64_t gv_qtm_count(int level) {
  return level_in_range(level) ? INT64_C(8) << 2 * level : 0;
}

gv_status gv_qtm_from_number(int level, int64_t number, gv_qtm_id *id) {
  if (id == NULL || !level_in_range(level) || number < 0 || number >= gv_qtm_count(level)) {
    return GV_ERROR_INVALID_ARGUMENT;
  }
  *id = compose(1 + (int)(number >> 2 * level), level, (uint64_t)number & ((UINT64_C(1) << 2 * level) - 1));
  return GV_OK;
}

int64_t gv_qtm_number(gv_qtm_id id) {
  int level = gv_qtm_level(id);
  if (level < 0) return -1;
  return ((int64_t)(gv_qtm_octant(id) - 1) << 2 * level) + (int64_t)digits_of(id, level);
}

gv_status gv_qtm_ancestor(gv_qtm_id id, int level, gv_qtm_id *ancestor) {
  int own = gv_qtm_level(id);
  if (own < 0 || level < 0 || level > own || ancestor == NULL) return GV_ERROR_INVALID_ARGUMENT;
  *ancestor = compose(gv_qtm_octant(id), level, digits_of(id, own) >> 2 * (own - level));
  return GV_OK;
}

gv_status gv_qtm_parent(gv_qtm_id id, gv_qtm_id *parent) {
  return gv_qtm_ancestor(id, gv_qtm_level(id) - 1, parent);
}

gv_status gv_qtm_children(gv_qtm_id id, gv_qtm_id children[4]) {
  int level = gv_qtm_level(id);
  if (level < 0 || level == GV_QTM_MAX_LEVEL || children == NULL) return GV_ERROR_INVALID_ARGUMENT;
  for (unsigned child = 0; child < 4; child++) {
    children[child] = compose(gv_qtm_octant(id), level + 1, digits_of(id, level) << 2 | child);
  }
  return GV_OK;
}

gv_status gv_qtm_to_string(gv_qtm_id id, char *text, size_t size) {
  int level = gv_qtm_level(id);
  if (level < 0 || text == NULL || size < (size_t)level + 2) return GV_ERROR_INVALID_ARGUMENT;
  uint64_t digits = digits_of(id, level);
  *text++ = (char)('0' + gv_qtm_octant(id));
  for (int i = level - 1; i >= 0; i--)
    *text++ = (char)('0' + (digits >> 2 * i & 3U));
  *text = '\0';
  return GV_OK;
}

gv_status gv_qtm_from_string(const char *text, gv_qtm_id *id) {
  if (text == NULL || id == NULL || text[0] < '1' || text[0] > '8') return GV_ERROR_INVALID_ARGUMENT;
  uint64_t digits = 0;
  int level = 0;
  for (const char *digit = text + 1; *digit != '\0'; digit++) {
    if (*digit < '0' || *digit > '3' || level == GV_QTM_MAX_LEVEL) return GV_ERROR_INVALID_ARGUMENT;
    digits = digits << 2 | (uint64_t)(*digit - '0');
    level++;
  }
  *id = compose(text[0] - '0', level, digits);
  return GV_OK;
}

/* ------------------------------------------------------------------------------------- the tree's descent */

/* An octant's corner (pole, west, east) -> its basis number. Meridians 0 and 180 carry 2 on the equator. */
int gv_qtm_basis_of_role(int octant, int role) {
  if (role == GV_QTM_POLE) return 1;
  return role == GV_QTM_WEST ? gv_lattice_west(octant) : 5 - gv_lattice_west(octant);
}

uint64_t gv_qtm_descend(int64_t weight[4], int64_t one, int level) {
  uint64_t digits = 0;
  for (int depth = 0; depth < level; depth++)
    digits = digits << 2 | (uint64_t)gv_lattice_child(weight, one);
  return digits;
}

void gv_qtm_cell_from_id(gv_qtm_id id, gv_qtm_cell *cell) {
  int level = gv_qtm_level(id), octant = gv_qtm_octant(id);
  uint64_t digits = digits_of(id, level);
  int32_t n = INT32_C(1) << level;
  int32_t corner[4][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (int role = 0; role < 3; role++)
    corner[gv_qtm_basis_of_role(octant, role)][role] = n;
  for (int depth = level - 1; depth >= 0; depth--) {
    int child = (int)(digits >> 2 * depth & 3U);
    int32_t middle[4][3]; /* middle[i] lies opposite corner i */
    for (int axis = 0; axis < 3; axis++) {
      middle[1][axis] = (corner[2][axis] + corner[3][axis]) / 2;
      middle[2][axis] = (corner[1][axis] + corner[3][axis]) / 2;
      middle[3][axis] = (corner[1][axis] + corner[2][axis]) / 2;
    }
    for (int i = 1; i <= 3; i++) {
      if (i != child) memcpy(corner[i], middle[i], sizeof corner[i]);
    }
  }
  cell->level = level;
  cell->octant = octant;
  int32_t sum = 0;
  for (int axis = 0; axis < 3; axis++) {
    int32_t least = corner[1][axis];
    if (corner[2][axis] < least) least = corner[2][axis];
    if (corner[3][axis] < least) least = corner[3][axis];
    cell->least[axis] = least;
    sum += least;
  }
  cell->down = sum == n - 2;
}

gv_qtm_id gv_qtm_cell_to_id(const gv_qtm_cell *cell) {
  /* Thirds of lattice steps, so that the cell's centroid is a whole number and no tie can occur. */
  int64_t weight[4] = {0, 0, 0, 0};
  for (int role = 0; role < 3; role++) {
    weight[gv_qtm_basis_of_role(cell->octant, role)] = 3 * (int64_t)cell->least[role] + (cell->down ? 2 : 1);
  }
  return compose(cell->octant, cell->level, gv_qtm_descend(weight, INT64_C(3) << cell->level, cell->level));
}

/* ----------------------------------------------------------------------------------------- point location */

gv_status gv_qtm_from_lonlat(int level, double longitude, double latitude, gv_qtm_id *id) {
  if (id == NULL || !level_in_range(level) || !isfinite(longitude) || !(fabs(latitude) <= 90.0)) {
    return GV_ERROR_INVALID_ARGUMENT;
  }
  /* To [-180, 180): fmod is exact, and so are the sums, by Sterbenz's lemma. */
  double lon = fmod(longitude, 360.0);
  if (lon >= 180.0) lon -= 360.0;
  if (lon < -180.0) lon += 360.0;
  int64_t weight[4];
  int octant = gv_lattice_locate(lon, latitude, weight);
  *id = compose(octant, level, gv_qtm_descend(weight, INT64_C(1) << 31, level));
  return GV_OK;
}

/* ------------------------------------------------------------------------------------- corners, neighbors */

/* Lattice coordinates of the corner that lies towards the octant's corner `role` (up), or away from it
 * (down). */
static void qtm_corner_of(const gv_qtm_cell *cell, int role, int32_t place[3]) {
  for (int axis = 0; axis < 3; axis++)
    place[axis] = cell->least[axis] + ((axis == role) != cell->down);
}

/* The cell across the edge opposite that corner. */
static void neighbor_of(const gv_qtm_cell *cell, int role, gv_qtm_cell *neighbor) {
  *neighbor = *cell;
  if (cell->down) {
    /* Down cells never touch the octant's border with an edge. */
    neighbor->down = false;
    neighbor->least[role]++;
    return;
  }
  if (cell->least[role] > 0) {
    neighbor->down = true;
    neighbor->least[role]--;
    return;
  }
  int quarter = (cell->octant - 1) % 4, south = (cell->octant - 1) / 4;
  switch (role) {
  case GV_QTM_POLE: /* across the equator */
    south = 1 - south;
    break;
  case GV_QTM_WEST: /* no western part left: across the eastern meridian, seen there from the west */
    quarter = (quarter + 1) % 4;
    neighbor->least[GV_QTM_WEST] = cell->least[GV_QTM_EAST];
    neighbor->least[GV_QTM_EAST] = 0;
    break;
  default:
    quarter = (quarter + 3) % 4;
    neighbor->least[GV_QTM_EAST] = cell->least[GV_QTM_WEST];
    neighbor->least[GV_QTM_WEST] = 0;
    break;
  }
  neighbor->octant = 1 + quarter + 4 * south;
}

/* Degrees of a lattice place of an octant; exact latitude, at most two roundings in the longitude. */
static void lonlat_of_place(int level, int octant, const int32_t place[3], double *longitude,
                            double *latitude) {
  static const double western_meridian[4] = {0.0, 90.0, -180.0, -90.0};
  double west = western_meridian[(octant - 1) % 4];
  double degrees = 90.0 * place[GV_QTM_POLE] / (double)(INT32_C(1) << level);
  int32_t row = place[GV_QTM_WEST] + place[GV_QTM_EAST];
  *latitude = octant <= 4 ? degrees : 0.0 - degrees;
  *longitude = row == 0 ? west + 45.0 : west + 90.0 * place[GV_QTM_EAST] / row;
}

/* Basis number of a lattice place. In every cell the three corners differ, and the only such coloring of a
 * triangular lattice is by (west - east) mod 3; the octant's own corners assign the numbers. */
static int basis_of_place(int level, int octant, const int32_t place[3]) {
  int32_t color = (place[GV_QTM_WEST] - place[GV_QTM_EAST]) % 3;
  if (color == 0) return 1;
  int32_t western_color = level % 2 == 0 ? 1 : 2; /* 2^level mod 3 */
  return gv_qtm_basis_of_role(octant, (color + 3) % 3 == western_color ? GV_QTM_WEST : GV_QTM_EAST);
}

/* The roles of a cell's corners, counter-clockwise from basis number 1, and their basis numbers. */
static void corners_in_order(const gv_qtm_cell *cell, int role[3], int basis[3]) {
  int number[3], first = 0;
  for (int r = 0; r < 3; r++) {
    int32_t place[3];
    qtm_corner_of(cell, r, place);
    number[r] = basis_of_place(cell->level, cell->octant, place);
    if (number[r] == 1) first = r;
  }
  /* Pole, west, east are counter-clockwise in the north, in down cells too (those are rotated by half a
   * turn). */
  int step = cell->octant <= 4 ? 1 : 2;
  for (int i = 0; i < 3; i++) {
    role[i] = (first + i * step) % 3;
    basis[i] = number[role[i]];
  }
}

gv_status gv_qtm_corners(gv_qtm_id id, double longitude[3], double latitude[3], int basis[3]) {
  if (!gv_qtm_is_valid(id)) return GV_ERROR_INVALID_ARGUMENT;
  gv_qtm_cell cell;
  gv_qtm_cell_from_id(id, &cell);
  int role[3], number[3];
  corners_in_order(&cell, role, number);
  for (int i = 0; i < 3; i++) {
    int32_t place[3];
    double lon, lat;
    qtm_corner_of(&cell, role[i], place);
    lonlat_of_place(cell.level, cell.octant, place, &lon, &lat);
    if (longitude != NULL) longitude[i] = lon;
    if (latitude != NULL) latitude[i] = lat;
    if (basis != NULL) basis[i] = number[i];
  }
  return GV_OK;
}

gv_status gv_qtm_neighbors(gv_qtm_id id, gv_qtm_id neighbors[3]) {
  if (!gv_qtm_is_valid(id) || neighbors == NULL) return GV_ERROR_INVALID_ARGUMENT;
  gv_qtm_cell cell, neighbor;
  gv_qtm_cell_from_id(id, &cell);
  int role[3], basis[3];
  corners_in_order(&cell, role, basis);
  for (int i = 0; i < 3; i++) {
    neighbor_of(&cell, role[i], &neighbor);
    neighbors[i] = gv_qtm_cell_to_id(&neighbor);
  }
  return GV_OK;
}

/* ----------------------------------------------------------------------------------------------- measures */

void gv_qtm_cell_center(const gv_qtm_cell *cell, double vector[3]) {
  /* The parallel that two corners lie on, and that of the corner at the pole (up) or away from it (down). */
  int32_t east = cell->least[GV_QTM_EAST], row = cell->least[GV_QTM_WEST] + east;
  gv_lattice_parallel two = {.row = row + 1}, one = {.row = cell->down ? row + 2 : row};
  double n = (double)(INT32_C(1) << cell->level);
  gv_sines(90.0 * (n - (double)two.row) / n, &two.z, &two.p);
  gv_sines(90.0 * (n - (double)one.row) / n, &one.z, &one.p);
  gv_lattice_center(&two, east, &one, cell->down ? east + 1 : east, &vector[0], &vector[1], &vector[2]);
  gv_lattice_turn(cell->octant, &vector[0], &vector[1], &vector[2]);
}

gv_status gv_qtm_center_vector(gv_qtm_id id, double vector[3]) {
  if (vector == NULL || !gv_qtm_is_valid(id)) return GV_ERROR_INVALID_ARGUMENT;
  gv_qtm_cell cell;
  gv_qtm_cell_from_id(id, &cell);
  gv_qtm_cell_center(&cell, vector);
  return GV_OK;
}

void gv_qtm_vector_to_lonlat(const double vector[3], double *longitude, double *latitude) {
  *longitude = atan2(vector[1], vector[0]) * (180.0 / GV_PI);
  *latitude = atan2(vector[2], hypot(vector[0], vector[1])) * (180.0 / GV_PI);
}

gv_status gv_qtm_center(gv_qtm_id id, double *longitude, double *latitude) {
  double v[3];
  if (longitude == NULL || latitude == NULL || gv_qtm_center_vector(id, v) != GV_OK)
    return GV_ERROR_INVALID_ARGUMENT;
  gv_qtm_vector_to_lonlat(v, longitude, latitude);
  return GV_OK;
}

double gv_qtm_area(gv_qtm_id id) {
  if (!gv_qtm_is_valid(id)) return NAN;
  gv_qtm_cell cell;
  gv_qtm_cell_from_id(id, &cell);
  /*
   * At the colatitude c (pole 0, equator 1) the cell's part of the octant's row has a width of x / (row + x)
   * octants, where c = (row + x) / N and x runs from 0 at the apex, or to it, over the cell: integrate that
   * times sin(c pi/2). Gauss-Legendre with 8 nodes; the integrand is smooth even in the octants themselves.
   */
  static const double node[4] = {0.1834346424956498049, 0.5255324099163289858, 0.7966664774136267396,
                                 0.9602898564975362317};
  static const double weight[4] = {0.3626837833783619830, 0.3137066458778872873, 0.2223810344533744705,
                                   0.1012285362903762592};
  double n = (double)(INT32_C(1) << cell.level);
  double row = (double)cell.least[GV_QTM_WEST] + (double)cell.least[GV_QTM_EAST] + (cell.down ? 1.0 : 0.0);
  double integral = 0.0;
  for (int i = 0; i < 8; i++) {
    double x = 0.5 + (i < 4 ? 0.5 : -0.5) * node[i % 4];
    double width = (cell.down ? 1.0 - x : x) / (row + x);
    integral += 0.5 * weight[i % 4] * width * sin(GV_PI / 2.0 * ((row + x) / n));
  }
  return GV_PI * GV_PI / 4.0 * integral / n;
}
