/* Cells among lines and polygons, each searched in its tile's list of edges: only the list is read. */
#include "cmocka_test.h"
#include "gpuvoronoi/geometries.h"
#include "grid_fill.h"

#include <stdlib.h>
#include <string.h>

#include "features/layer.h"
#include "guarded_memory.h"
#include "voronoi/feature_cell.h"

enum { WIDTH = 40, HEIGHT = 32, SIDE = 8, CAPACITY = 1024 };

static layer l;
static double at_x[WIDTH * HEIGHT], at_y[WIDTH * HEIGHT], at_z[WIDTH * HEIGHT], lon[WIDTH * HEIGHT],
    lat[WIDTH * HEIGHT];

static gv_voronoi *ask(gv_context *context, gv_metric metric, const char *backend) {
  gv_grid grid;
  gv_grid_init(&grid);
  bool globe = metric != GV_EUCLIDEAN;
  const double geotransform[6] = {globe ? 5.0 : 0.0,  globe ? 0.25 : 1.0, 0.0, globe ? 50.0 : 0.0, 0.0,
                                  globe ? -0.25 : 1.0};
  grid.kind = globe ? GV_GRID_LONLAT : GV_GRID_PLANE;
  grid.width = WIDTH;
  grid.height = HEIGHT;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  gv_features features = layer_features(&l, GV_EDGES_STRAIGHT, false);
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  o.backend = backend;
  o.metric = metric;
  o.features = &features;
  gv_voronoi *v = NULL;
  if (gv_voronoi_create(context, &grid, NULL, &o, &v) != GV_OK) fail_msg("%s", gv_context_message(context));
  gv_tile all = {0, WIDTH, 0, HEIGHT};
  assert_int_equal(gv_cells_positions(context, &v->cells, &all, at_x, at_y, globe ? at_z : NULL,
                                      globe ? lon : NULL, globe ? lat : NULL, NULL),
                   GV_OK);
  return v;
}

/* A list's integers, which are read one by one, in memory of exactly their size. */
static gv_shortlist cut(const gv_shortlist *list, bool first) {
  gv_shortlist own = *list;
  size_t bytes = (size_t)list->count * sizeof *own.feature;
  own.entry = guarded_array(bytes, first);
  own.feature = guarded_array(bytes, first);
  assert_true(own.entry != NULL && own.feature != NULL);
  memcpy(own.entry, list->entry, bytes);
  memcpy(own.feature, list->feature, bytes);
  return own;
}

static void give_back(const gv_shortlist *own) {
  guarded_release(own->entry, NULL);
  guarded_release(own->feature, NULL);
}

static void check_tile(gv_feature_cell *c, gv_shortlist *list, const int32_t *expected, int column, int row) {
  const gv_feature_tree *tree = &c->index->tree;
  bool globe = c->v->cells.dim == 3;
  gv_tile tile = {column, column + SIDE, row, row + SIDE};
  gv_bound bound;
  gv_cells_bound(&c->v->cells, &tile, &bound);
  gv_ball ball = {{bound.center[0], bound.center[1], bound.center[2]},
                  bound.radius + 4.0 * c->v->cells.position_error};
  assert_true(gv_shortlist_gather(tree, -1, &ball, gv_reach(tree, INFINITY), list));
  for (int first = 0; first < 2; first++) {
    gv_shortlist own = cut(list, first == 1);
    for (int i = 0; i < SIDE * SIDE; i++) {
      int cell = (row + i / SIDE) * WIDTH + column + i % SIDE;
      gv_edge_place q = {.vector = {at_x[cell], at_y[cell], globe ? at_z[cell] : 0.0}};
      if (globe) q.lon = lon[cell], q.lat = lat[cell];
      c->q = &q;
      assert_int_equal(gv_feature_cell_nearest(c, &own, true, gv_sure_chord2(tree, INFINITY)),
                       expected[cell]);
    }
    give_back(&own);
  }
}

static void lists_are_all_that_is_asked(void **state) {
  (void)state;
  static const gv_metric metrics[] = {GV_EUCLIDEAN, GV_GREAT_CIRCLE, GV_GEODESIC};
  static int32_t expected[WIDTH * HEIGHT];
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (int m = 0; m < 3; m++) {
    bool globe = metrics[m] != GV_EUCLIDEAN;
    const double low[2] = {globe ? 5.0 : 0.0, globe ? 42.0 : 0.0},
                 high[2] = {globe ? 15.0 : 40.0, globe ? 50.0 : 32.0};
    layer_clear(&l);
    layer_state = 21;
    layer_random(&l, 40, low, high, globe ? 0.6 : 2.4);
    gv_voronoi *v = ask(context, metrics[m], "serial");
    assert_int_equal(fill_grid(context, v, expected, WIDTH), GV_OK);
    gv_voronoi_destroy(v);
    v = ask(context, metrics[m], "tile");
    gv_feature_lookup lookup = {0};
    gv_feature_cell *c = calloc(1, sizeof *c);
    gv_shortlist list;
    assert_non_null(c);
    assert_int_equal(gv_feature_lookup_init(context, v->features, &v->geodesic, &lookup), GV_OK);
    assert_int_equal(gv_feature_cell_init(context, v, &lookup, c), GV_OK);
    assert_int_equal(gv_shortlist_init(context, &lookup.tree, CAPACITY, &list), GV_OK);
    for (int row = 0; row < HEIGHT; row += SIDE)
      for (int column = 0; column < WIDTH; column += SIDE)
        check_tile(c, &list, expected, column, row);
    gv_shortlist_clear(&list);
    gv_feature_cell_clear(c);
    free(c);
    gv_feature_lookup_clear(&lookup);
    gv_voronoi_destroy(v);
  }
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lists_are_all_that_is_asked)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
