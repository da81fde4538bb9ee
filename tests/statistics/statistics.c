/* Statistics of regions against sums made cell by cell, in all blocks and orders; bad input, failing
 * memory. */
#include "failing_memory.h"
#include "gpuvoronoi/cells.h"
#include "grid_fill.h"
#include "statistics/parts.h"
#include "world.h"

static void close_to(double a, double b, double scale) {
  if (isnan(b)) {
    assert_true(isnan(a));
  } else {
    assert_true(fabs(a - b) <= 1e-11 * scale);
  }
}

/* The same sums by a plain loop, in long double. */
static void check_plainly(const world *w, const result got[SEEDS]) {
  gv_context *context = new_context();
  int32_t block = w->grid.kind == GV_GRID_QTM ? 1 << 16 : 256;
  gv_voronoi *voronoi = new_voronoi(context, w, block);
  const double *g = w->grid.geotransform;
  long double area[SEEDS] = {0}, moment[SEEDS][3] = {{0}}, distance[SEEDS] = {0}, sum[SEEDS][SUMS] = {{0}};
  long double sum_distance[SEEDS][SUMS] = {{0}};
  double farthest[SEEDS] = {0};
  int64_t cells[SEEDS] = {0};
  int64_t across = blocks_across(voronoi), blocks = across * blocks_down(voronoi);
  for (int64_t number = 0; number < blocks; number++) {
    piece p;
    make_piece(context, w, voronoi, block, number, &p);
    double *areas = malloc((size_t)(p.w * p.h) * sizeof *areas);
    assert_non_null(areas);
    assert_int_equal(block_areas(context, voronoi, number % across, number / across, areas, p.w), GV_OK);
    for (int64_t i = 0; i < p.w * p.h; i++) {
      int32_t s = p.seed[i];
      int64_t c = p.x + i % p.w, r = p.y + i / p.w;
      if (s < 0) continue;
      double at[3] = {g[0] + ((double)c + 0.5) * g[1] + ((double)r + 0.5) * g[2],
                      g[3] + ((double)c + 0.5) * g[4] + ((double)r + 0.5) * g[5], 0.0};
      if (w->grid.kind == GV_GRID_QTM) {
        gv_qtm_id id;
        assert_int_equal(gv_qtm_from_number(w->grid.level, c, &id), GV_OK);
        assert_int_equal(gv_qtm_center_vector(id, at), GV_OK);
      } else if (w->grid.kind == GV_GRID_LONLAT) {
        double lon = at[0] * pi / 180.0, lat = at[1] * pi / 180.0;
        at[0] = cos(lat) * cos(lon);
        at[1] = cos(lat) * sin(lon);
        at[2] = sin(lat);
      }
      cells[s]++;
      area[s] += areas[i];
      for (int d = 0; d < 3; d++)
        moment[s][d] += (long double)areas[i] * at[d];
      distance[s] += (long double)areas[i] * p.distance[i];
      farthest[s] = fmax(farthest[s], p.distance[i]);
      const double value[SUMS] = {w->fine[r * w->width + c], w->coarse[r * spans_of(w) + c / COARSE]};
      for (int q = 0; q < SUMS; q++) {
        sum[s][q] += value[q];
        sum_distance[s][q] += (long double)value[q] * p.distance[i];
      }
    }
    free(areas);
    free_piece(&p);
  }
  for (int s = 0; s < SEEDS; s++) {
    const gv_seed_statistics *a = &got[s].seed;
    assert_int_equal(a->cells, cells[s]);
    if (cells[s] == 0) {
      assert_true(s == 7 || cells[7] == 0);
      assert_true(a->area == 0.0 && isnan(a->distance_mean) && isnan(a->distance_max) &&
                  isnan(a->centroid_x));
      assert_true(got[s].sum[0].sum == 0.0 && isnan(got[s].sum[0].distance_mean));
      continue;
    }
    close_to(a->area, (double)area[s], (double)area[s]);
    close_to(a->distance_mean, (double)(distance[s] / area[s]), farthest[s]);
    assert_true(a->distance_max == farthest[s]);
    if (w->grid.kind == GV_GRID_PLANE) {
      close_to(a->centroid_x, (double)(moment[s][0] / area[s]), 1000.0);
      close_to(a->centroid_y, (double)(moment[s][1] / area[s]), 1000.0);
    } else {
      double x = (double)moment[s][0], y = (double)moment[s][1];
      close_to(a->centroid_x, atan2(y, x) * 180.0 / pi, 1e4);
      close_to(a->centroid_y, atan2((double)moment[s][2], hypot(x, y)) * 180.0 / pi, 1e4);
    }
    for (int q = 0; q < SUMS; q++) {
      close_to(got[s].sum[q].sum, (double)sum[s][q], q == 0 ? 1e6 : 1.0);
      close_to(got[s].sum[q].distance_mean, (double)(sum_distance[s][q] / sum[s][q]), 1e8);
    }
  }
  assert_int_equal(cells[7], 0);
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
}

static void sums_are_right_and_the_same(void **state) {
  (void)state;
  static const struct {
    gv_grid_kind kind;
    gv_metric metric;
    int32_t blocks[3];
  } cases[] = {
      {GV_GRID_LONLAT, GV_GEODESIC, {64, 17, 256}},        {GV_GRID_LONLAT, GV_GREAT_CIRCLE, {50, 210, 7}},
      {GV_GRID_PLANE, GV_EUCLIDEAN, {64, 33, 256}},        {GV_GRID_PLANE, GV_CHEBYSHEV, {64, 33, 256}},
      {GV_GRID_QTM, GV_GREAT_CIRCLE, {64, 1024, 1 << 16}}, {GV_GRID_QTM, GV_GEODESIC, {16, 256, 1 << 16}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    world w;
    result first[SEEDS], again[SEEDS];
    make_world(&w, cases[i].kind, cases[i].metric);
    compute(&w, cases[i].blocks[0], false, false, first);
    check_plainly(&w, first);
    for (int b = 1; b < 3; b++) {
      compute(&w, cases[i].blocks[b], b == 1, true, again);
      assert_memory_equal(first, again, sizeof first);
    }
    free_world(&w);
  }
}

/* What lies all round the globe has no middle, however its cells' positions are rounded. */
static void the_globe_has_no_centroid(void **state) {
  (void)state;
  gv_context *context = new_context();
  for (int64_t width = 3; width < 40; width++) {
    gv_grid grid;
    gv_grid_init(&grid);
    const double geotransform[6] = {-180.0, 360.0 / (double)width, 0.0, 90.0, 0.0, -180.0 / 7.0},
                 place = 10.0;
    static const int32_t first_seed[40 * 7];
    grid.kind = GV_GRID_LONLAT;
    grid.width = width;
    grid.height = 7;
    memcpy(grid.geotransform, geotransform, sizeof geotransform);
    gv_points seeds = gv_points_xy(&place, &place, 1);
    gv_voronoi_options o;
    gv_voronoi_options_init(&o);
    gv_statistics_options options;
    gv_statistics_options_init(&options);
    gv_statistics_cells block;
    gv_statistics_cells_init(&block);
    gv_voronoi *voronoi = NULL;
    gv_statistics *s = NULL;
    gv_seed_statistics got;
    gv_seed_statistics_init(&got);
    o.metric = GV_GREAT_CIRCLE;
    block.seed = first_seed; /* all are those of seed 0 */
    block.stride = width;
    assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &voronoi), GV_OK);
    assert_int_equal(gv_statistics_create(context, voronoi, &options, &s), GV_OK);
    assert_int_equal(gv_statistics_add(context, s, &block), GV_OK);
    assert_int_equal(get_statistics(context, s, 0, &got, NULL, 0), GV_OK);
    assert_true(got.cells == 7 * width && isnan(got.centroid_x) && isnan(got.centroid_y));
    gv_statistics_destroy(s);
    gv_voronoi_destroy(voronoi);
  }
  gv_context_destroy(context);
}

static void nonsense_is_refused(void **state) {
  (void)state;
  world w;
  make_world(&w, GV_GRID_LONLAT, GV_GREAT_CIRCLE);
  gv_context *context = new_context();
  gv_voronoi *voronoi = new_voronoi(context, &w, 64);
  gv_statistics *s = NULL, *none = NULL;
  gv_statistics_options options;
  gv_statistics_options_init(&options);
  double bound[1] = {0.0};
  assert_int_equal(gv_statistics_create(NULL, voronoi, NULL, &s), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_statistics_create(context, NULL, NULL, &s), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_statistics_create(context, voronoi, NULL, NULL), GV_ERROR_INVALID_ARGUMENT);
  options.sums = 1;
  assert_int_equal(gv_statistics_create(context, voronoi, &options, &s), GV_ERROR_INVALID_ARGUMENT);
  options.bound = bound;
  assert_int_equal(gv_statistics_create(context, voronoi, &options, &s), GV_ERROR_INVALID_ARGUMENT);
  bound[0] = INFINITY;
  assert_int_equal(gv_statistics_create(context, voronoi, &options, &s), GV_ERROR_INVALID_ARGUMENT);
  options.sums = -1;
  assert_int_equal(gv_statistics_create(context, voronoi, &options, &s), GV_ERROR_INVALID_ARGUMENT);
  assert_null(s);
  gv_statistics_destroy(NULL);

  s = new_statistics(context, voronoi);
  piece p;
  make_piece(context, &w, voronoi, 64, 0, &p);
  gv_statistics_cells good = block_of(voronoi, p.seed, p.distance, p.w);
  good.quantity = p.quantity;
  gv_statistics_cells bad = good;
  assert_int_equal(gv_statistics_add(context, none, &good), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_statistics_add(context, s, NULL), GV_ERROR_INVALID_ARGUMENT);
  bad.seed = NULL;
  assert_int_equal(gv_statistics_add(context, s, &bad), GV_ERROR_INVALID_ARGUMENT);
  bad = good;
  bad.distance = NULL;
  assert_int_equal(gv_statistics_add(context, s, &bad), GV_ERROR_INVALID_ARGUMENT);
  bad = good;
  bad.quantity = NULL;
  assert_int_equal(gv_statistics_add(context, s, &bad), GV_ERROR_INVALID_ARGUMENT);
  static const int32_t parts[][3] = {{0, 5, 99}, {1, 5, 9}, {0, 5, 5}, {0, -1, 3}, {0, 5, 9}};
  for (int i = 0; i < 10; i++) {
    gv_quantity wrong[SUMS] = {quantity_of(w.fine, parts[i % 5], 3, W, NULL, 0), p.quantity[1]};
    if (i % 5 == 4) wrong[0].count = 0;
    if (i > 4) wrong[0] = quantity_of(w.fine, NULL, (int32_t)p.w, W, parts[i % 5], i % 5 == 4 ? 0 : 3);
    bad = good;
    bad.quantity = wrong;
    assert_int_equal(gv_statistics_add(context, s, &bad), GV_ERROR_INVALID_ARGUMENT);
    wrong[0] = quantity_of(NULL, NULL, (int32_t)p.w, W, NULL, 0);
    assert_int_equal(gv_statistics_add(context, s, &bad), GV_ERROR_INVALID_ARGUMENT);
  }
  bad = good;
  bad.row = 99;
  assert_int_equal(gv_statistics_add(context, s, &bad), GV_ERROR_INVALID_ARGUMENT);
  int32_t seed = p.seed[0];
  p.seed[0] = SEEDS;
  assert_int_equal(gv_statistics_add(context, s, &good), GV_ERROR_INVALID_ARGUMENT);
  p.seed[0] = seed;
  double distance = p.distance[0];
  p.distance[0] = NAN;
  assert_int_equal(gv_statistics_add(context, s, &good), GV_ERROR_INVALID_ARGUMENT);
  p.distance[0] = distance;
  static const double wrong[] = {1000.5, -1e9, INFINITY, NAN};
  for (int i = 0; i < 4; i++) {
    double value = w.fine[0];
    w.fine[0] = wrong[i];
    assert_int_equal(gv_statistics_add(context, s, &good), GV_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(gv_context_message(context), "bound"));
    w.fine[0] = value;
  }
  gv_seed_statistics out;
  gv_seed_statistics_init(&out);
  assert_int_equal(gv_statistics_get(context, s, SEEDS, &out), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_statistics_get(context, s, -1, &out), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_statistics_get(context, s, 0, NULL), GV_ERROR_INVALID_ARGUMENT);
  free_piece(&p);
  gv_statistics_destroy(s);
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
  free_world(&w);
}

/* Labels instead of numbers, and labels that do not identify seeds. */
static void labels_lead_back(void **state) {
  (void)state;
  world w;
  make_world(&w, GV_GRID_LONLAT, GV_GREAT_CIRCLE);
  gv_context *context = new_context();
  int32_t labels[SEEDS], *seen = malloc((size_t)(W * H) * sizeof *seen);
  assert_non_null(seen);
  for (int i = 0; i < SEEDS; i++)
    labels[i] = 1000 - 37 * i;
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  gv_points seeds = gv_points_xy(w.x, w.y, SEEDS);
  options.metric = w.metric;
  options.nodata = 7;
  gv_seed_statistics got[2][SEEDS];
  for (int with = 0; with < 2; with++) {
    gv_voronoi *voronoi = NULL;
    gv_statistics *s = NULL;
    options.labels = with ? labels : NULL;
    options.max_distance = 3e6;
    options.nodata = with ? 7 : -1;
    assert_int_equal(gv_voronoi_create(context, &w.grid, &seeds, &options, &voronoi), GV_OK);
    assert_int_equal(gv_statistics_create(context, voronoi, NULL, &s), GV_OK);
    assert_int_equal(fill_block(context, voronoi, 0, 0, seen, W), GV_OK);
    gv_statistics_cells b = block_of(voronoi, seen, NULL, W);
    assert_int_equal(gv_statistics_add(context, s, &b), GV_OK);
    for (int i = 0; i < SEEDS; i++)
      assert_int_equal(get_statistics(context, s, i, &got[with][i], NULL, 0), GV_OK);
    seen[5] = 8;
    assert_int_equal(gv_statistics_add(context, s, &b), with ? GV_ERROR_INVALID_ARGUMENT : GV_OK);
    gv_statistics_destroy(s);
    gv_voronoi_destroy(voronoi);
  }
  for (int i = 0; i < SEEDS; i++) {
    assert_int_equal(got[0][i].cells, got[1][i].cells);
    assert_true(got[0][i].area == got[1][i].area);
  }
  for (int wrong = 0; wrong < 2; wrong++) {
    gv_voronoi *voronoi = NULL;
    gv_statistics *s = NULL;
    labels[3] = wrong == 0 ? labels[9] : 7;
    options.labels = labels;
    options.nodata = 7;
    assert_int_equal(gv_voronoi_create(context, &w.grid, &seeds, &options, &voronoi), GV_OK);
    assert_int_equal(gv_statistics_create(context, voronoi, NULL, &s), GV_ERROR_INVALID_ARGUMENT);
    gv_voronoi_destroy(voronoi);
  }
  free(seen);
  gv_context_destroy(context);
  free_world(&w);
}

/* Groups have what their seeds have together, to the last bit, by labels of groups and of seeds. */
static void groups_add_up(void **state) {
  (void)state;
  enum { GROUPS = 7 };
  world w;
  make_world(&w, GV_GRID_LONLAT, GV_GREAT_CIRCLE);
  gv_context *context = new_context();
  int32_t group[SEEDS], labels[SEEDS], *seen = malloc((size_t)(W * H) * sizeof *seen);
  double *distance = malloc((size_t)(W * H) * sizeof *distance);
  gv_seed_statistics alone[SEEDS], got[GROUPS];
  assert_non_null(seen);
  assert_non_null(distance);
  for (int i = 0; i < SEEDS; i++) {
    group[i] = (5 * i + i / 4) % (GROUPS - 1); /* the last one is empty */
    labels[i] = 100 + group[i];
  }
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  gv_points seeds = gv_points_xy(w.x, w.y, SEEDS);
  options.metric = w.metric;
  for (int with = 0; with < 3; with++) { /* no groups, groups, groups that only labels identify */
    gv_voronoi *voronoi = NULL, *numbers = NULL;
    gv_statistics *s = NULL;
    gv_statistics_options how;
    gv_statistics_options_init(&how);
    how.distances = 1;
    how.group = with > 0 ? group : NULL;
    how.groups = with > 0 ? GROUPS : -5;
    options.labels = NULL;
    assert_int_equal(gv_voronoi_create(context, &w.grid, &seeds, &options, &numbers), GV_OK);
    options.labels = with == 2 ? labels : NULL;
    assert_int_equal(gv_voronoi_create(context, &w.grid, &seeds, &options, &voronoi), GV_OK);
    assert_int_equal(gv_statistics_create(context, voronoi, &how, &s), GV_OK);
    gv_measure m;
    gv_measure_init(&m);
    assert_int_equal(fill_block(context, numbers, 0, 0, seen, W), GV_OK);
    m.seed = seen;
    m.type = GV_FLOAT64;
    m.distance = distance;
    assert_int_equal(gv_voronoi_measure(context, numbers, &m), GV_OK);
    assert_int_equal(fill_block(context, voronoi, 0, 0, seen, W), GV_OK);
    gv_statistics_cells b = block_of(voronoi, seen, distance, W);
    assert_int_equal(gv_statistics_add(context, s, &b), GV_OK);
    for (int i = 0; i < (with > 0 ? GROUPS : SEEDS); i++)
      assert_int_equal(get_statistics(context, s, i, with > 0 ? &got[i] : &alone[i], NULL, 0), GV_OK);
    assert_int_equal(statistics_differ(context, s, with > 0 ? GROUPS : SEEDS, with > 0 ? got : alone), 0);
    gv_statistics_destroy(s);
    gv_voronoi_destroy(voronoi);
    gv_voronoi_destroy(numbers);
    for (int g = 0; g < GROUPS && with > 0; g++) {
      int64_t cells = 0;
      double area = 0.0, mean = 0.0, farthest = -1.0;
      for (int i = 0; i < SEEDS; i++) {
        if (group[i] != g || alone[i].cells == 0) continue;
        cells += alone[i].cells;
        area += alone[i].area;
        mean += alone[i].area * alone[i].distance_mean;
        farthest = fmax(farthest, alone[i].distance_max);
      }
      assert_int_equal(got[g].cells, cells);
      close_to(got[g].area, area, area);
      if (cells == 0) {
        assert_true(isnan(got[g].distance_mean));
        continue;
      }
      close_to(got[g].distance_mean, mean / area, mean / area);
      assert_true(got[g].distance_max == farthest);
    }
  }
  for (int wrong = 0; wrong < 2; wrong++) {
    gv_voronoi *voronoi = NULL;
    gv_statistics *s = NULL;
    gv_statistics_options how;
    gv_statistics_options_init(&how);
    how.group = group;
    how.groups = wrong == 0 ? GROUPS : GROUPS - 2;
    if (wrong == 0) labels[3] = labels[3] == 100 ? 101 : 100; /* another group's */
    options.labels = wrong == 0 ? labels : NULL;
    assert_int_equal(gv_voronoi_create(context, &w.grid, &seeds, &options, &voronoi), GV_OK);
    assert_int_equal(gv_statistics_create(context, voronoi, &how, &s), GV_ERROR_INVALID_ARGUMENT);
    gv_voronoi_destroy(voronoi);
  }
  free(seen);
  free(distance);
  gv_context_destroy(context);
  free_world(&w);
}

/* --------------------------------------------------- the same bits as sums of whole numbers, cell by cell */

enum { MANY = 60, WIDE = 1300, HIGH = 70, KINDS = 4, PIXEL_W = 7, PIXEL_H = 12 };

/* What every cell shows, and quantities by pixels, spans, tables of rows, shared rows and cells. */
typedef struct picture {
  gv_grid grid;
  int32_t shown[HIGH * WIDE], nodata;
  int32_t labels[MANY];
  bool labeled;
  double value[HIGH * WIDE];
} picture;

static const double picture_bound[KINDS] = {3.5, 3.5, 3.5, 3.5};

static int64_t picture_pixel(int64_t row, int64_t column) {
  return row / PIXEL_H * PIXEL_H * WIDE + column / PIXEL_W * PIXEL_W;
}

/* The nearest of some points, as regions are. */
static int32_t region(const double (*point)[2], int count, int64_t r, int64_t c) {
  int32_t nearest = 0;
  double least = INFINITY;
  for (int i = 0; i < count; i++) {
    double x = point[i][0] - (double)c, y = point[i][1] - (double)r, square = x * x + y * y;
    if (square < least) nearest = i;
    least = fmin(least, square);
  }
  return nearest;
}

/* Spans of one cell, a few and whole rows; seeds twice in a row; blocks of one seed; regions; at random. */
static void draw(picture *p, gv_grid_kind kind, bool labeled) {
  memset(p, 0, sizeof *p);
  gv_grid_init(&p->grid);
  p->grid.kind = kind;
  p->grid.width = WIDE;
  p->grid.height = HIGH;
  double lonlat[6] = {-100.25, 0.27, 0.0, 88.0, 0.0, -2.5}, plane[6] = {100, 2, 0.5, 900, 0.25, -3};
  memcpy(p->grid.geotransform, kind == GV_GRID_PLANE ? plane : lonlat, sizeof lonlat);
  p->labeled = labeled;
  p->nodata = labeled ? 77 : -1;
  for (int i = 0; i < MANY; i++)
    p->labels[i] = 7919 * i - 100000;
  double point[MANY][2];
  for (int i = 0; i < MANY; i++) {
    point[i][0] = 300.0 + 500.0 * uniform();
    point[i][1] = HIGH * uniform();
  }
  for (int64_t r = 0; r < HIGH; r++) {
    int longest = r % 9 == 0 ? 2 * WIDE : r % 9 < 4 ? 3 : 60;
    int32_t number = 0;
    for (int64_t c = 0, left = 0; c < WIDE; c++, left--) {
      if (left == 0) {
        left = 1 + (int64_t)(uniform() * longest);
        number = (int32_t)(uniform() * (MANY + 4)) - 4;
      }
      bool plain = c < 300 && r >= 16 && r < 64;
      int32_t seed = plain ? (int32_t)(3 + c / 100) : number;
      if (c >= 300 && c < 800 && r >= 16) seed = region((const double(*)[2])point, MANY, r, c);
      if (c >= 800 && c < 900 && r >= 16) seed = uniform() < 0.02 ? 5 : 6;
      p->shown[r * WIDE + c] = seed < 0 ? p->nodata : labeled ? p->labels[seed] : seed;
    }
  }
  for (int i = 0; i < HIGH * WIDE; i++)
    p->value[i] = i % 11 == 0 ? -3.5 : i % 13 == 0 ? 3.5 : uniform() < 0.2 ? 0.0 : 7.0 * uniform() - 3.5;
}

typedef struct exact {
  int64_t cells;
  wide area, moment[3], sum[KINDS];
} exact;

/* As documented in the header and statistics.c: terms to 62 bits, factors of moments to 40. */
static void add_exactly(const picture *p, const double *area, double largest, exact out[MANY]) {
  memset(out, 0, MANY * sizeof *out);
  double lon[WIDE], lat[HIGH], sine[2][WIDE], cosine[2][WIDE], zero = 0.0;
  const double *g = p->grid.geotransform;
  for (int c = 0; c < WIDE; c++) {
    lon[c] = g[0] + (c + 0.5) * g[1];
    gv_normalize_lonlat(&lon[c], &zero);
  }
  for (int r = 0; r < HIGH; r++) {
    lat[r] = g[3] + (r + 0.5) * g[5];
    gv_normalize_lonlat(&zero, &lat[r]);
  }
  gv_sincos_degrees(WIDE, lon, sine[0], cosine[0]);
  gv_sincos_degrees(HIGH, lat, sine[1], cosine[1]);
  for (int64_t i = 0; i < HIGH * WIDE; i++) {
    int64_t r = i / WIDE, c = i % WIDE, seed = 0;
    if (p->shown[i] == p->nodata) continue;
    while ((p->labeled ? p->labels[seed] : seed) != p->shown[i])
      seed++;
    exact *to = &out[seed];
    to->cells++;
    if (p->grid.kind == GV_GRID_LONLAT) {
      double share = area[r] / largest;
      int64_t across = (int64_t)(share * cosine[1][r] * 0x1p40), up = (int64_t)(share * sine[1][r] * 0x1p40);
      to->area += (int64_t)(share * 0x1p62);
      to->moment[0] += (wide)across * (int64_t)(cosine[0][c] * 0x1p40);
      to->moment[1] += (wide)across * (int64_t)(sine[0][c] * 0x1p40);
      to->moment[2] += (wide)up * (INT64_C(1) << 40);
    } else {
      to->area++;
      to->moment[0] += 2 * c + 1;
      to->moment[1] += 2 * r + 1;
    }
    for (int q = 0; q < KINDS; q++) {
      double value = p->value[q + 1 < KINDS ? picture_pixel(r, c) : i];
      to->sum[q] += (int64_t)(value * (0x1p62 / picture_bound[q]));
    }
  }
}

/* Adds the picture's part in a block: quantities as callers have them; whether all cells are equal. */
static void add_part(gv_context *context, const picture *p, gv_statistics *s, int64_t x, int64_t y, int64_t w,
                     int64_t h, gv_statistics_cells *b, bool tell) {
  int32_t columns[WIDE], rows[HIGH], every[HIGH], across = 0, down = 0;
  double *values = malloc((size_t)(w * h) * sizeof *values),
         *shared = malloc((size_t)(w * h) * sizeof *shared);
  assert_true(values != NULL && shared != NULL);
  for (int64_t c = 0; c < w; c++) {
    if (c == 0 || (x + c) % PIXEL_W == 0) columns[across++] = (int32_t)c;
  }
  for (int64_t r = 0; r < h; r++) {
    every[r] = (int32_t)r;
    if (r == 0 || (y + r) % PIXEL_H == 0) rows[down++] = (int32_t)r;
    for (int32_t i = 0; i < across; i++) {
      double value = p->value[picture_pixel(y + r, x + columns[i])];
      values[r * across + i] = shared[(down - 1) * across + i] = value;
    }
  }
  const int32_t *first = p->shown + y * WIDE + x;
  b->uniform = tell;
  for (int64_t i = 0; i < w * h; i++)
    if (first[i / w * WIDE + i % w] != first[0]) b->uniform = 0;
  const gv_quantity quantity[KINDS] = {quantity_of(values, columns, across, across, NULL, 0),
                                       quantity_of(values, columns, across, across, every, (int32_t)h),
                                       quantity_of(shared, columns, across, across, rows, down),
                                       quantity_of(p->value + y * WIDE + x, NULL, 0, WIDE, NULL, 0)};
  b->seed = first;
  b->stride = WIDE;
  b->quantity = quantity;
  assert_int_equal(gv_statistics_add(context, s, b), GV_OK);
  free(values);
  free(shared);
}

static void check_picture(const picture *p, int32_t block_w, int32_t block_h, bool tell) {
  gv_context *context = new_context();
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  gv_statistics_options how;
  gv_statistics_options_init(&how);
  gv_voronoi *voronoi = NULL;
  gv_statistics *s = NULL;
  double x[MANY], y[MANY], area[HIGH], largest = 0.0;
  for (int i = 0; i < MANY; i++) {
    x[i] = i;
    y[i] = 1.0;
  }
  gv_points seeds = gv_points_xy(x, y, MANY);
  options.metric = p->grid.kind == GV_GRID_LONLAT ? GV_GREAT_CIRCLE : GV_EUCLIDEAN;
  options.labels = p->labeled ? p->labels : NULL;
  options.nodata = p->nodata;
  options.block_width = block_w;
  options.block_height = block_h;
  how.sums = KINDS;
  how.bound = picture_bound;
  assert_int_equal(gv_voronoi_create(context, &p->grid, &seeds, &options, &voronoi), GV_OK);
  assert_int_equal(gv_statistics_create(context, voronoi, &how, &s), GV_OK);
  for (int64_t row = 0; row < blocks_down(voronoi); row++) {
    for (int64_t column = 0; column < blocks_across(voronoi); column++) {
      gv_statistics_cells b;
      gv_statistics_cells_init(&b);
      AT_BLOCK(b, voronoi, column, row);
      int64_t left = column * block_w, top = row * block_h;
      add_part(context, p, s, left, top, WIDE - left < block_w ? WIDE - left : block_w,
               HIGH - top < block_h ? HIGH - top : block_h, &b, tell);
      if (column > 0) continue;
      double *areas = malloc((size_t)(block_w * block_h) * sizeof *areas);
      assert_non_null(areas);
      assert_int_equal(block_areas(context, voronoi, 0, row, areas, block_w), GV_OK);
      for (int64_t r = top; r < HIGH && r < top + block_h; r++) {
        area[r] = areas[(r - top) * block_w];
        largest = fmax(largest, area[r]);
      }
      free(areas);
    }
  }
  exact *want = malloc(MANY * sizeof *want);
  assert_non_null(want);
  add_exactly(p, area, largest, want);
  for (int i = 0; i < MANY; i++) {
    gv_seed_statistics got;
    gv_seed_statistics_init(&got);
    sum_statistics sums[KINDS];
    assert_int_equal(get_statistics(context, s, i, &got, sums, KINDS), GV_OK);
    assert_int_equal(got.cells, want[i].cells);
    assert_true(want[i].cells > 0);
    const double m[3] = {(double)want[i].moment[0], (double)want[i].moment[1], (double)want[i].moment[2]};
    const double *g = p->grid.geotransform;
    if (p->grid.kind == GV_GRID_LONLAT) {
      assert_true(got.area == (double)want[i].area * (largest / 0x1p62));
      assert_true(got.centroid_x == atan2(m[1], m[0]) / (pi / 180.0));
      assert_true(got.centroid_y == atan2(m[2], hypot(m[0], m[1])) / (pi / 180.0));
    } else {
      double column = m[0] / (2.0 * (double)got.cells), row = m[1] / (2.0 * (double)got.cells);
      assert_true(got.area == (double)want[i].area * fabs(g[1] * g[5] - g[2] * g[4]));
      assert_true(got.centroid_x == (g[0] + column * g[1]) + row * g[2]);
      assert_true(got.centroid_y == (g[3] + column * g[4]) + row * g[5]);
    }
    for (int q = 0; q < KINDS; q++)
      assert_true(sums[q].sum == (double)want[i].sum[q] * (picture_bound[q] / 0x1p62));
  }
  free(want);
  gv_statistics_destroy(s);
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
}

/* Small blocks and large ones; all instruction sets. */
static void sums_are_exact(void **state) {
  (void)state;
  static const int32_t sizes[][2] = {{50, 20}, {64, 70}, {65, 16}, {100, 33}, {512, 64}, {WIDE, HIGH}};
  static const char *const levels[] = {"baseline", "avx2", "avx512"};
  picture *p = malloc(sizeof *p);
  assert_non_null(p);
  for (int kind = 0; kind < 4; kind++) {
    draw(p, kind % 2 == 0 ? GV_GRID_LONLAT : GV_GRID_PLANE, kind > 1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      assert_int_equal(setenv("GPUVORONOI_SIMD", levels[(i + (size_t)kind) % 3], 1), 0);
      check_picture(p, sizes[i][0], sizes[i][1], true);
      assert_int_equal(setenv("GPUVORONOI_SIMD", levels[(i + (size_t)kind + 1) % 3], 1), 0);
      check_picture(p, sizes[i][0], sizes[i][1], false);
    }
  }
  assert_int_equal(unsetenv("GPUVORONOI_SIMD"), 0);
  free(p);
}

static void tables_of_any_size(void **state) {
  (void)state;
  static const int64_t of[][2] = {{0, 2},
                                  {1, 2},
                                  {2, 4},
                                  {3, 8},
                                  {1 << 29, 1 << 30},
                                  {(1 << 29) + 1, INT64_C(1) << 31},
                                  {INT64_C(1) << 30, INT64_C(1) << 31},
                                  {(1 << 30) + 1, INT64_C(1) << 32},
                                  {INT32_MAX, INT64_C(1) << 32},
                                  {INT64_C(1) << 61, INT64_C(1) << 62},
                                  {(INT64_C(1) << 61) + 1, -1},
                                  {INT64_MAX, -1}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++)
    assert_int_equal(gv_slots_for(of[i][0]), of[i][1]);
}

static void failing_allocations(void **state) {
  (void)state;
  static const gv_grid_kind kinds[] = {GV_GRID_LONLAT, GV_GRID_QTM};
  for (size_t k = 0; k < 2; k++) {
    world w;
    make_world(&w, kinds[k], GV_GREAT_CIRCLE);
    gv_context *plain = new_context();
    gv_voronoi *voronoi = new_voronoi(plain, &w, 64);
    piece p;
    make_piece(plain, &w, voronoi, 64, 0, &p);
    bool done = false;
    for (int at = 0; !done; at++) {
      failing_memory memory = {.fail_at = -1};
      gv_context_options options = failing_options(&memory, 0);
      gv_context *context = NULL;
      gv_statistics *s = NULL;
      assert_int_equal(gv_context_create(&options, &context), GV_OK);
      memory.fail_at = memory.calls + at;
      gv_statistics_options how;
      gv_statistics_options_init(&how);
      double bound[SUMS] = {1000.0, 1.0};
      const int32_t group[SEEDS] = {0};
      how.distances = 1;
      how.sums = SUMS;
      how.bound = bound;
      how.group = group;
      how.groups = 1;
      gv_status status = gv_statistics_create(context, voronoi, &how, &s);
      if (status == GV_OK) {
        gv_statistics_cells b = block_of(voronoi, p.seed, p.distance, p.w);
        b.quantity = p.quantity;
        status = gv_statistics_add(context, s, &b);
      }
      assert_true(status == GV_OK || status == GV_ERROR_OUT_OF_MEMORY);
      done = status == GV_OK && memory.calls <= memory.fail_at;
      assert_true(done || status == GV_ERROR_OUT_OF_MEMORY);
      gv_statistics_destroy(s);
      gv_context_destroy(context);
      assert_int_equal(memory.live, 0);
    }
    free_piece(&p);
    gv_voronoi_destroy(voronoi);
    gv_context_destroy(plain);
    free_world(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_are_right_and_the_same),
      cmocka_unit_test(the_globe_has_no_centroid),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(labels_lead_back),
      cmocka_unit_test(groups_add_up),
      cmocka_unit_test(sums_are_exact),
      cmocka_unit_test(tables_of_any_size),
      cmocka_unit_test(failing_allocations),
  };
  return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
