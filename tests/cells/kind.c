/* Every kind of cells: its table of functions is complete, and its functions agree with each other. */
#include "cmocka_test.h"

#include <math.h>
#include <string.h>

#include "cells/area.h"
#include "cells/parts.h"

enum { ALL = 10, MOST = 96 };

static const double list_lon[] = {0, 181, NAN, -180, 77}, list_lat[] = {0, 10, 5, -89, 90};
static const double list_area[] = {1, 2, 3, 4, 5};

/* Identity, but cells west of the meridian of Greenwich have no place. */
static int kind_inverse(double *x, double *y, int64_t n, void *user) {
  (void)user;
  for (int64_t i = 0; i < n; i++)
    if (x[i] < 0.0) x[i] = y[i] = HUGE_VAL;
  return 0;
}

static gv_grid kind_grid(gv_grid_kind kind, int level) {
  static const double transform[6] = {-180, 30, 0, 90, 0, -22.5};
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = kind;
  grid.level = level;
  grid.width = 12;
  grid.height = 8;
  memcpy(grid.geotransform, transform, sizeof transform);
  grid.inverse = kind == GV_GRID_PROJECTED ? kind_inverse : NULL;
  grid.order = 1;
  if (kind == GV_GRID_POINTS) {
    grid.width = 5;
    grid.longitude = list_lon;
    grid.latitude = list_lat;
    grid.area = list_area;
  }
  return grid;
}

static gv_grid kind_of_number(int number, const gv_kind **expected) {
  static const struct {
    gv_grid_kind kind;
    int level;
    const gv_kind *of;
  } rows[ALL] = {{GV_GRID_PLANE, GV_QTM_NONE, &gv_kind_plane},
                 {GV_GRID_PLANE, GV_QTM_NONE, &gv_kind_rotated_plane},
                 {GV_GRID_LONLAT, GV_QTM_NONE, &gv_kind_lonlat},
                 {GV_GRID_PROJECTED, GV_QTM_NONE, &gv_kind_projected},
                 {GV_GRID_LONLAT, 2, &gv_kind_lonlat_triangles},
                 {GV_GRID_PROJECTED, 2, &gv_kind_projected_triangles},
                 {GV_GRID_QTM, 1, &gv_kind_qtm},
                 {GV_GRID_HEALPIX, GV_QTM_NONE, &gv_kind_healpix},
                 {GV_GRID_S2, GV_QTM_NONE, &gv_kind_s2},
                 {GV_GRID_POINTS, GV_QTM_NONE, &gv_kind_list}};
  gv_grid grid = kind_grid(rows[number].kind, rows[number].level);
  if (number == 1) grid.geotransform[2] = 0.5;
  *expected = rows[number].of;
  return grid;
}

static void tables_are_complete(void **state) {
  (void)state;
  for (int i = 0; i < ALL; i++) {
    const gv_kind *kind;
    const gv_grid grid = kind_of_number(i, &kind);
    const gv_cell_facts *facts = gv_facts_of(&grid);
    assert_ptr_equal(gv_kind_of(&grid), kind);
    assert_true(kind->name != NULL && kind->prepare != NULL && kind->positions != NULL &&
                kind->areas != NULL);
    assert_true(!facts->mesh || facts->one_row);
    assert_true(!facts->wide_bounds || facts->mesh);
    assert_int_equal(kind->count != NULL, facts->mesh);
    assert_int_equal(kind->largest_area != NULL, facts->mesh);
    assert_int_equal(kind->position != NULL, facts->one_row);
    const bool parts = facts->mesh || grid.level != GV_QTM_NONE;
    assert_int_equal(kind->span != NULL, parts);
    assert_int_equal(kind->center != NULL, parts || facts->one_row);
    assert_int_equal(kind->level != NULL, parts);
    assert_int_equal(kind->roots > 0, parts);
    assert_int_equal(kind->part_bound != NULL, parts);
    assert_true(kind->bound != NULL || kind->shape == GV_CELLS_POINTS);
    assert_int_equal(facts->given_places, grid.kind == GV_GRID_POINTS);
    assert_int_equal(gv_grid_is_unordered(&grid), facts->given_places);
  }
}

static void functions_agree(void **state) {
  gv_context *context = *state;
  for (int i = 0; i < 2 * ALL; i++) {
    const gv_kind *kind;
    const gv_grid grid = kind_of_number(i / 2, &kind);
    const bool globe = gv_facts_of(&grid)->globe;
    const gv_metric metric = globe ? (i % 2 == 0 ? GV_GEODESIC : GV_GREAT_CIRCLE) : GV_EUCLIDEAN;
    gv_cells cells;
    assert_int_equal(gv_cells_init(context, &grid, metric, &cells), GV_OK);
    const gv_grid *g = &cells.grid;
    const int64_t n = g->width * g->height;
    assert_true(n <= MOST && cells.dim == (globe ? 3 : 2) && cells.shape == kind->shape);
    assert_true(kind->count == NULL || kind->count(&grid) == g->width);
    double at[5][MOST], area[MOST], scratch[2 * MOST];
    const gv_tile all = {0, g->width, 0, g->height};
    assert_int_equal(gv_cells_positions(context, &cells, &all, at[0], at[1], at[2], globe ? at[3] : NULL,
                                        globe ? at[4] : NULL, scratch),
                     GV_OK);
    gv_cells_areas(&cells, &all, area, g->width);
    double sum = 0.0;
    int64_t lacking = 0;
    for (int64_t c = 0; c < n; c++) {
      const gv_tile one = {c % g->width, c % g->width + 1, c / g->width, c / g->width + 1};
      double p[5] = {0};
      assert_int_equal(gv_cells_positions(context, &cells, &one, &p[0], &p[1], &p[2], globe ? &p[3] : NULL,
                                          globe ? &p[4] : NULL, scratch),
                       GV_OK);
      for (int d = 0; d < (globe ? 5 : 2); d++)
        assert_true(p[d] == at[d][c] || (isnan(p[d]) && isnan(at[d][c])));
      if (gv_grid_is_list(g)) {
        double q[5];
        gv_cell_position(&cells, c, q);
        for (int d = 0; d < 5; d++)
          assert_true(q[d] == p[d] || (isnan(q[d]) && isnan(p[d])));
      }
      lacking += isnan(p[0]);
      sum += area[c];
      assert_true(area[c] > 0.0 && (kind->largest_area == NULL || area[c] <= gv_mesh_largest_area(&cells)));
    }
    assert_int_equal(lacking > 0, gv_facts_of(g)->may_lack_places);
    /* The area of WGS 84; those of HEALPix and S2 are solid angles times the element of area at the
     * centers. */
    if (kind->count != NULL)
      assert_true(fabs(sum / 510065621724089.0 - 1.0) < (gv_grid_has_wide_bounds(g) ? 2e-3 : 1e-9));
    gv_cells_clear(&cells);
  }
}

static void unknown_kinds_are_rejected(void **state) {
  gv_context *context = *state;
  const gv_kind *kind;
  gv_grid grid = kind_of_number(2, &kind);
  gv_cells cells;
  for (int number = -1; number <= 7; number += 8) {
    memcpy(&grid.kind, &number, sizeof grid.kind);
    assert_null(gv_kind_of(&grid));
    assert_int_equal(gv_cells_init(context, &grid, GV_GEODESIC, &cells), GV_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(gv_context_message(context), "grid: unknown kind"));
  }
}

static int kind_setup(void **state) {
  gv_context *context = NULL;
  if (gv_context_create(NULL, &context) != GV_OK) return -1;
  *state = context;
  return 0;
}

static int kind_teardown(void **state) {
  gv_context_destroy(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tables_are_complete), cmocka_unit_test(functions_agree),
                                     cmocka_unit_test(unknown_kinds_are_rejected)};
  return cmocka_run_group_tests(tests, kind_setup, kind_teardown);
}
