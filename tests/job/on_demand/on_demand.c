/* On-demand rasters used by several threads, for sanitizers; their contents are tested through GDAL
 * (tests/driver). */
#include "cmocka_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdal.h>

#include "io/parallel.h"
#include "io/strings.h"
#include "job/on_demand/call.h"
#include "job/on_demand/name.h"
#include "job/on_demand/state.h"
#include "job/on_demand/table.h"

enum { WIDTH = 700, HEIGHT = 350, READERS = 6, ALL = 1 << GV_RUN_OUT | 1 << GV_RUN_DISTANCE };

static const char *const seeds = "/vsimem/live.csv",
                         *const name =
                             "VORONOI:{\"seeds\": \"/vsimem/live.csv\", \"size\": [700, 350], \"threads\": 3,"
                             " \"bands\": [\"id\", \"distance\"], \"mask\": \"/vsimem/mask.geojson\"}";

static void write_file(const char *path, const char *text) {
  VSILFILE *file = VSIFOpenL(path, "wb");
  assert_non_null(file);
  assert_int_equal(VSIFWriteL(text, 1, strlen(text), file), strlen(text));
  assert_int_equal(VSIFCloseL(file), 0);
}

static int set_up(void **state) {
  (void)state;
  GDALAllRegister();
  write_file(seeds, "lon,lat\n0,0\n100,50\n-100,-40\n20,70\n-30,-80\n");
  write_file("/vsimem/mask.geojson",
             "{\"type\": \"Polygon\", \"coordinates\": [[[-170, -80], [170, -70], [150, 80], [-170, -80]]]}");
  return 0;
}

static gv_on_demand *opened_as(const char *which) {
  gv_on_demand_call call;
  gv_on_demand *on_demand = NULL;
  assert_int_equal(gv_on_demand_begin(&call), GV_OK);
  gv_status status = gv_on_demand_open(&call.io, which, NULL, &on_demand);
  assert_true(gv_on_demand_end(&call, status));
  return on_demand;
}

static gv_on_demand *opened(void) {
  return opened_as(name);
}

/* Ids and distances of a window. */
typedef struct picture {
  int64_t w;
  int32_t *ids;
  float *distances;
} picture;

static void take(void *user, const gv_on_demand_piece *piece) {
  const picture *p = user;
  for (int64_t y = 0; y < piece->h; y++) {
    for (int64_t x = 0; x < piece->w; x++) {
      int64_t to = (piece->y + y) * p->w + piece->x + x;
      const int d = GV_RUN_DISTANCE;
      p->ids[to] = ((const int32_t *)piece->values[GV_RUN_OUT])[y * piece->stride[0] + x * piece->step[0]];
      p->distances[to] = ((const float *)piece->values[d])[y * piece->stride[d] + x * piece->step[d]];
    }
  }
}

static gv_status read_window(gv_on_demand *on_demand, int level, int64_t x, int64_t y, int64_t w, int64_t h,
                             picture *out) {
  gv_on_demand_call call;
  gv_on_demand_window window = {
      .level = level, .x = x, .y = y, .w = w, .h = h, .kinds = ALL, .take = take, .user = out};
  out->w = w;
  assert_int_equal(gv_on_demand_begin(&call), GV_OK);
  gv_status status = gv_on_demand_read(&call.io, on_demand, &window);
  return gv_on_demand_end(&call, status) ? GV_OK : status;
}

static picture new_picture(void) {
  size_t cells = (size_t)WIDTH * HEIGHT;
  picture p = {0, calloc(cells, sizeof *p.ids), calloc(cells, sizeof *p.distances)};
  assert_true(p.ids != NULL && p.distances != NULL);
  return p;
}

static void free_picture(picture *p) {
  free(p->ids);
  free(p->distances);
}

typedef struct reader {
  const picture *whole;
  int number;
  bool good;
} reader;

/* Opens the raster, reads windows, an overview and the table, and closes it. */
static void *read_some(void *user) {
  reader *r = user;
  gv_on_demand *on_demand = opened();
  picture p = new_picture();
  GDALRasterAttributeTableH table = NULL;
  char **metadata = NULL;
  int64_t nodata = 0, range[2] = {0, 0};
  gv_on_demand_call call;
  r->good = read_window(on_demand, 1, 0, 0, WIDTH / 2, HEIGHT / 2, &p) == GV_OK;
  for (int i = 0; i < 6 && r->good; i++) {
    int64_t x = 37 * r->number + 11 * i, y = 23 * r->number;
    r->good = read_window(on_demand, 0, x, y, 300, 200, &p) == GV_OK;
    for (int64_t row = 0; row < 200; row++)
      r->good = r->good &&
                memcmp(p.ids + row * 300, r->whole->ids + (y + row) * WIDTH + x, 300 * sizeof *p.ids) == 0;
  }
  gv_status status = gv_on_demand_begin(&call);
  if (status == GV_OK) status = gv_on_demand_table(&call.io, on_demand, &table);
  if (status == GV_OK) status = gv_on_demand_metadata(&call.io, on_demand, &metadata);
  if (status == GV_OK) status = gv_on_demand_nodata(&call.io, on_demand, &nodata);
  if (status == GV_OK) status = gv_on_demand_id_range(&call.io, on_demand, range);
  r->good = gv_on_demand_end(&call, status) && r->good && GDALRATGetRowCount(table) == 5 && nodata == -1 &&
            range[1] == 5;
  GDALDestroyRasterAttributeTable(table);
  gv_strings_free(metadata);
  gv_on_demand_close(on_demand);
  free_picture(&p);
  return NULL;
}

static void threads_at_once(void **state) {
  (void)state;
  gv_on_demand *on_demand = opened();
  picture whole = new_picture();
  assert_int_equal(read_window(on_demand, 0, 0, 0, WIDTH, HEIGHT, &whole), GV_OK);
  gv_on_demand_close(on_demand);
  reader readers[READERS];
  pthread_t threads[READERS];
  for (int i = 0; i < READERS; i++) {
    readers[i] = (reader){&whole, i, false};
    assert_int_equal(pthread_create(&threads[i], NULL, read_some, &readers[i]), 0);
  }
  for (int i = 0; i < READERS; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < READERS; i++)
    assert_true(readers[i].good);
  free_picture(&whole);
}

/* Errors of GDAL within a call are the call's, also those of its threads; a successful call leaves none
 * behind. */
static gv_status fail_in_gdal(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  (void)io;
  (void)first;
  (void)end;
  CPLError(CE_Failure, CPLE_AppDefined, "of worker %d", worker);
  atomic_fetch_add((atomic_int *)user, gv_gdal_failed() ? 1 : 0);
  return GV_OK;
}

static void messages_of_calls(void **state) {
  (void)state;
  gv_on_demand_call call;
  atomic_int heard = 0;
  gv_gdal_reset();
  assert_int_equal(gv_on_demand_begin(&call), GV_OK);
  gv_io_loop loop = {.threads = 3, .count = 30, .grain = 1, .user = &heard};
  assert_int_equal(gv_io_parallel_for(&call.io, &loop, fail_in_gdal), GV_OK);
  assert_int_equal(heard, 30);
  assert_true(gv_on_demand_end(&call, GV_OK));
  assert_false(gv_gdal_failed());
  assert_int_equal(CPLGetLastErrorType(), CE_None);
}

/* A call within a call fails; the outer one gets the error, and continues. Progress of the host program is
 * outside. */
static int open_and_close(double fraction, void *user) {
  (void)fraction;
  gv_on_demand_close(opened());
  ++*(int *)user;
  return 1;
}

static void calls_within_calls(void **state) {
  (void)state;
  gv_on_demand_call outer, inner;
  int calls = 0;
  assert_int_equal(gv_on_demand_begin(&outer), GV_OK);
  gv_messages *used = gv_messages_used();
  assert_int_equal(gv_on_demand_begin(&inner), GV_ERROR_INVALID_ARGUMENT);
  assert_false(gv_on_demand_end(&inner, GV_ERROR_INVALID_ARGUMENT));
  assert_true(gv_gdal_failed() && gv_messages_used() == used);
  (void)gv_io_fail_gdal(&outer.io, GV_ERROR_IO, "cannot read it");
  assert_non_null(
      strstr(outer.io.message, "cannot read it: VORONOI: unsupported on-demand raster as a source"));
  assert_int_equal(gv_messages_call_host(open_and_close, 0.5, &calls), 1);
  assert_int_equal(calls, 1);
  assert_true(gv_messages_used() == used);
  assert_true(gv_on_demand_end(&outer, GV_OK));
  assert_null(gv_messages_used());
  gv_on_demand_close(NULL);
}

/* "auto" is for whole rasters: windows of an on-demand raster are computed by processors, unless a backend is
 * named. */
static void auto_means_processors(void **state) {
  (void)state;
  static const char *const names[] = {"auto", "tile", "serial", "serial"};
  for (int i = 0; i < 4; i += 2) {
    char *which = NULL;
    assert_true(asprintf(&which,
                         "VORONOI:{\"seeds\": \"%s\", \"size\": [700, 350], \"backend\": \"%s\", \"bands\": "
                         "[\"id\", \"distance\"]}",
                         seeds, names[i]) > 0);
    gv_on_demand *on_demand = opened_as(which);
    picture p = new_picture();
    /* A level has an engine once a block of it is read. */
    assert_int_equal(read_window(on_demand, 1, 0, 0, 10, 10, &p), GV_OK);
    assert_null(on_demand->level[0].work.voronoi);
    assert_int_equal(read_window(on_demand, 0, 0, 0, 10, 10, &p), GV_OK);
    for (int level = 0; level < 2; level++)
      assert_string_equal(gv_voronoi_backend(on_demand->level[level].work.voronoi), names[i + 1]);
    free_picture(&p);
    gv_on_demand_close(on_demand);
    free(which);
  }
}

static bool refused(const char *what) {
  gv_on_demand_call call;
  gv_on_demand *on_demand = NULL;
  CPLPushErrorHandler(CPLQuietErrorHandler);
  gv_status status = gv_on_demand_begin(&call);
  if (status == GV_OK) status = gv_on_demand_open(&call.io, what, NULL, &on_demand);
  bool good = !gv_on_demand_end(&call, status) && on_demand == NULL && CPLGetLastErrorType() == CE_Failure;
  CPLPopErrorHandler();
  return good;
}

static void names(void **state) {
  (void)state;
  assert_true(gv_on_demand_is_name("VORONOI:x") && gv_on_demand_is_name("voronoi:") &&
              gv_on_demand_is_name("a.voronoi.json"));
  assert_false(gv_on_demand_is_name("") || gv_on_demand_is_name(".voronoi.json") ||
               gv_on_demand_is_name("a.json"));
  assert_true(refused("VORONOI:") && refused("VORONOI:{}") && refused("VORONOI:{") &&
              refused("a.voronoi.json"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_at_once),
      cmocka_unit_test(auto_means_processors),
      cmocka_unit_test(messages_of_calls),
      cmocka_unit_test(calls_within_calls),
      cmocka_unit_test(names),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
