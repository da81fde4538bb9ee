/* The contents of rasters and tables follow from the job and its inputs, without a file. */
#include "cmocka_test.h"

#include <stdlib.h>
#include <string.h>

#include "job/raster/plan/plan.h"

enum { SEEDS = 3, WIDTH = 100, HEIGHT = 70, ROWS = 16 /* of a block */ };

/* A job and its inputs, which tests change. */
typedef struct asked {
  gv_job job;
  int64_t ids[SEEDS];
  gv_seed_list seeds;
  gv_run_inputs in;
} asked;

static asked make(int64_t a, int64_t b, int64_t c) {
  return (asked){.job = {.raster = {.path = "out.tif"}, .distance_type = GDT_Float32, .k = 2},
                 .ids = {a, b, c},
                 .in = {.distance_size = 1.0}};
}

static gv_status plan(asked *a, int64_t part_rows, gv_run_plan *out, gv_io *io) {
  a->seeds = (gv_seed_list){.count = SEEDS, .ids = a->ids};
  a->in.job = &a->job;
  a->in.seeds = a->in.regions = &a->seeds;
  a->in.grid.grid.width = WIDTH;
  a->in.grid.grid.height = HEIGHT;
  *out = (gv_run_plan){.job = NULL};
  *io = (gv_io){.cancelled = NULL};
  return gv_run_make_plan(io, &a->in, part_rows, out);
}

static void ids_decide_their_type(void **state) {
  (void)state;
  const struct {
    int64_t ids[SEEDS];
    GDALDataType asked, type; /* Unknown: an error */
    int64_t nodata;
  } cases[] = {{{1, 2, 3}, GDT_Unknown, GDT_Int32, -1},
               {{-1, 2, INT32_MAX}, GDT_Unknown, GDT_Int32, INT32_MIN},
               {{1, 2, (int64_t)INT32_MAX + 1}, GDT_Unknown, GDT_Int64, -1},
               {{1, 2, 254}, GDT_Byte, GDT_Byte, 255},
               {{1, 2, 255}, GDT_Byte, GDT_Byte, 0},
               {{1, 2, 256}, GDT_Byte, GDT_Unknown, 0},
               {{0, 2, 255}, GDT_Byte, GDT_Unknown, 0}, /* nothing is left for nodata */
               {{-1, 2, INT64_MIN}, GDT_Int64, GDT_Unknown, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    asked a = make(cases[i].ids[0], cases[i].ids[1], cases[i].ids[2]);
    gv_run_plan p;
    gv_io io;
    a.job.id_type = cases[i].asked;
    gv_status expected = cases[i].type == GDT_Unknown ? GV_ERROR_INVALID_ARGUMENT : GV_OK;
    assert_int_equal(plan(&a, 0, &p, &io), expected);
    if (expected == GV_OK) {
      assert_int_equal(p.type[GV_RUN_OUT], cases[i].type);
      assert_int_equal(p.nodata, cases[i].nodata);
      assert_int_equal(p.labels != NULL, p.type[GV_RUN_OUT] == GDT_Int32);
    }
    gv_run_plan_free(&p);
  }
}

static void nodata_is_no_id_and_fits(void **state) {
  (void)state;
  static const char *const wrong[] = {"is the id of a seed", "is out of range of Byte"};
  const int64_t nodata[] = {2, 300};
  for (int i = 0; i < 2; i++) {
    asked a = make(1, 2, 3);
    gv_run_plan p;
    gv_io io;
    a.job.id_type = GDT_Byte;
    a.job.has_nodata = true;
    a.job.nodata = nodata[i];
    assert_int_equal(plan(&a, 0, &p, &io), GV_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(io.message, wrong[i]));
    gv_run_plan_free(&p);
  }
}

/* Parts have whole rows of blocks, follow each other, and are all of the raster. */
static void parts_share_the_rows(void **state) {
  (void)state;
  const int most = (HEIGHT + ROWS - 1) / ROWS;
  gv_run_plan p;
  gv_io io;
  for (int parts = 1; parts <= most + 2; parts++) {
    int64_t row = 0;
    for (int part = 1; part <= parts; part++) {
      asked a = make(1, 2, 3);
      a.job.part = part;
      a.job.parts = parts;
      assert_int_equal(plan(&a, ROWS, &p, &io), parts <= most ? GV_OK : GV_ERROR_INVALID_ARGUMENT);
      if (parts <= most) {
        assert_int_equal(p.first_row, row);
        assert_int_equal(p.first_row % ROWS, 0);
        assert_true(p.rows > 0 && !p.style && !p.unstyled);
        row += p.rows;
      }
      gv_run_plan_free(&p);
      a.job.spread = true; /* then the last ones are nothing */
      assert_int_equal(plan(&a, ROWS, &p, &io), GV_OK);
      assert_int_equal(p.rows > 0, part <= most);
      gv_run_plan_free(&p);
    }
    assert_int_equal(row, parts <= most ? HEIGHT : 0);
  }
}

static void blocks_hold_numbers_where_ids_do_not_do(void **state) {
  (void)state;
  gv_run_plan p;
  gv_io io;
  for (int kind = 0; kind < 6; kind++) {
    asked a = make(1, 2, kind == 1 ? INT64_MAX : kind == 4 ? 2 : 3);
    if (kind == 2 || kind == 5) a.job.distance = "d.tif";
    if (kind == 2) a.in.distance_size = 1000.0;
    if (kind == 3 || kind == 4) a.job.stats = "s.csv", a.job.no_stats_distances = true;
    assert_int_equal(plan(&a, 0, &p, &io), GV_OK);
    assert_int_equal(p.apart, kind == 1);
    assert_int_equal(p.numbers, kind != 0 && kind != 3); /* 4: repeated ids do not identify seeds */
    assert_int_equal(p.converts, kind == 2);
    assert_int_equal(p.cell_bytes, kind == 2 || kind == 5 ? 16 : 8);
    assert_true(p.style && !p.unstyled);
    gv_run_plan_free(&p);
  }
  asked a = make(1, 2, 3);
  a.job.raster.path = NULL;
  assert_int_equal(plan(&a, 0, &p, &io), GV_OK);
  assert_true(p.apart && p.numbers && !p.style && !p.unstyled);
  gv_run_plan_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ids_decide_their_type), cmocka_unit_test(nodata_is_no_id_and_fits),
      cmocka_unit_test(parts_share_the_rows), cmocka_unit_test(blocks_hold_numbers_where_ids_do_not_do)};
  return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
