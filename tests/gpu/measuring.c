/*
 * Measuring of host blocks, without a GPU: a device is replaced by functions that write known values, leave
 * some pairs open and fail on demand. Compiled in here: the states (pipeline/device_measuring.c) and the
 * pieces (measure/by_device.c).
 */
#define gv_cuda_module_get   pretend_module
#define gv_cuda_probe        pretend_probe
#define gv_cuda_started      pretend_started
#define gv_measure_open_pair pretend_answer
#define gv_measure_by_device tested_by_device

#define gv_device_measuring_init    tested_init
#define gv_device_measuring_clear   tested_clear
#define gv_device_measuring_find    tested_ask
#define gv_device_measuring_give_up tested_give_up
#include "measure/by_device.c"
#include "voronoi/pipeline/device_measuring.c"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmocka_test.h"

enum {
  WIDTH = 1000,
  HEIGHT = 700,
  BANDS = 2,
  OPEN = 5 /* columns that are left open, and more: every 101st */
};

static struct {
  bool running;      /* CUDA */
  bool opens, works; /* the device */
  atomic_int opened, queues, pieces;
} machine;

/* ---------------------------------------------------------------------------------------------- stand-ins */

bool pretend_started(void) {
  return machine.running;
}

gv_status pretend_probe(const char **reason) {
  *reason = "";
  machine.running = true;
  return GV_OK;
}

struct gv_cuda_raster {
  const gv_voronoi *v;
};

static gv_status pretend_open(gv_context *context, const gv_voronoi *v, int device, int64_t *strip_cells,
                              gv_cuda_raster **out) {
  assert_true(strip_cells == NULL && device == 3);
  if (!machine.opens) return gv_fail(context, GV_ERROR_DEVICE, "it does not open");
  *out = malloc(sizeof **out);
  assert_non_null(*out);
  (*out)->v = v;
  machine.opened++;
  return GV_OK;
}

static void pretend_close(gv_context *context, gv_cuda_raster *raster) {
  (void)context;
  free(raster);
  machine.opened--;
}

static gv_status pretend_begin(gv_context *context, int device, void **queue, int *number) {
  (void)context;
  assert_true(device == 3 || device == -1);
  *number = 3;
  *queue = malloc(sizeof(gv_open_pair) * GV_CUDA_HOST_CELLS);
  assert_non_null(*queue);
  machine.queues++;
  return GV_OK;
}

static void pretend_end(gv_context *context, void *queue) {
  (void)context;
  free(queue);
  machine.queues--;
}

static gv_status pretend_prepare(gv_context *context, gv_cuda_raster *raster) {
  (void)context, (void)raster;
  return GV_OK;
}

/* The value of a device for a cell and its seed, and that of the host. */
static double value_of(int64_t column, int64_t row, int32_t seed) {
  return (double)(row * WIDTH + column) + 1e7 * seed;
}

static bool is_open(int64_t column) {
  return column % 101 == OPEN;
}

gv_status pretend_answer(gv_context *context, const gv_voronoi *v, const gv_open_pair *p,
                         gv_open_result *out) {
  (void)context, (void)v;
  assert_true(is_open(p->column));
  *out = (gv_open_result){-value_of(p->column, p->row, p->seed), -(float)p->seed};
  return GV_OK;
}

static gv_status pretend_measure(gv_context *context, const gv_cuda_raster *raster, void *queue,
                                 const gv_measure *m, double radius, gv_open_pairs *open) {
  gv_open_pair *pair = queue;
  (void)raster, (void)radius;
  memset(open, 0, sizeof *open);
  machine.pieces++;
  if (!machine.works) return gv_fail(context, GV_ERROR_DEVICE, "it broke");
  assert_true(m->bands == 1 && m->columns * m->rows <= GV_CUDA_HOST_CELLS);
  for (int64_t i = 0; i < m->columns * m->rows; i++) {
    int64_t r = i / m->columns, c = i % m->columns, at = r * m->out_stride + c;
    int32_t seed = m->seed[r * m->stride + c];
    double value = value_of(m->column + c, m->row + r, seed);
    int what = !is_open(m->column + c) ? 0 : (m->distance != NULL ? GV_OPEN_DISTANCE : 0);
    if (is_open(m->column + c) && m->azimuth != NULL) what |= GV_OPEN_AZIMUTH;
    if (what != 0) pair[open->count++] = (gv_open_pair){m->column + c, m->row + r, i, seed, what};
    if (m->distance != NULL && m->type == GV_FLOAT64) ((double *)m->distance)[at] = value;
    if (m->distance != NULL && m->type == GV_FLOAT32) ((float *)m->distance)[at] = (float)value;
    if (m->azimuth != NULL) m->azimuth[at] = (float)seed;
  }
  open->pair = pair;
  return GV_OK;
}

static const gv_raster_device pretend_raster = {.open = pretend_open, .close = pretend_close};
static const gv_measure_device pretend_measuring = {
    .begin = pretend_begin, .end = pretend_end, .prepare = pretend_prepare, .measure_host = pretend_measure};
static const gv_cuda_module pretended = {.raster = &pretend_raster, .measuring = &pretend_measuring};

const gv_cuda_module *pretend_module(const char **reason) {
  *reason = "";
  return &pretended;
}

/* ------------------------------------------------------------------------------------------------- asking */

typedef struct asking {
  gv_context *context;
  gv_voronoi v;
  gv_device_measuring d;
} asking;

static void begin(asking *a, bool automatic, bool running) {
  memset(a, 0, sizeof *a);
  memset(&machine, 0, sizeof machine);
  machine.running = running;
  machine.opens = machine.works = true;
  gv_context_options options;
  gv_context_options_init(&options);
  options.threads = 4;
  assert_int_equal(gv_context_create(&options, &a->context), GV_OK);
  a->v.cells.grid.width = 100000;
  a->v.cells.grid.height = 10000;
  a->v.k = 1;
  a->v.automatic = automatic;
  tested_init(&a->d, a->context, &a->v);
}

static void end(asking *a) {
  tested_clear(&a->d);
  gv_context_destroy(a->context);
  assert_true(machine.opened == 0 && machine.queues == 0);
}

/* A block of some cells from (2000, 300) on, in memory with gaps. Whether the device has measured it. */
static bool measure(asking *a, gv_dtype type, bool distances, bool azimuths, gv_status expected) {
  enum { STRIDE = WIDTH + 3, OUT = WIDTH + 5 };
  static int32_t seed[BANDS * HEIGHT * STRIDE];
  static double distance[BANDS * HEIGHT * OUT];
  static float azimuth[BANDS * HEIGHT * OUT];
  gv_measure m;
  gv_measure_init(&m);
  const gv_tile tile = {2000, 2000 + WIDTH, 300, 300 + HEIGHT};
  bool done = false;
  for (int i = 0; i < BANDS * HEIGHT * STRIDE; i++)
    seed[i] = i % 97;
  memset(distance, 0x55, sizeof distance);
  memset(azimuth, 0x55, sizeof azimuth);
  const double nothing = distance[0];
  const float no_float = azimuth[0];
  m.bands = BANDS;
  m.seed = seed;
  m.stride = STRIDE;
  m.band_stride = HEIGHT * STRIDE;
  m.type = type;
  if (distances) m.distance = distance;
  if (azimuths) m.azimuth = azimuth;
  m.out_stride = OUT;
  m.out_band_stride = HEIGHT * OUT;
  assert_int_equal(tested_by_device(a->context, &a->d, &m, &tile, &done), expected);
  for (int64_t i = 0; i < BANDS * HEIGHT * OUT && done; i++) {
    int64_t b = i / (HEIGHT * OUT), r = i / OUT % HEIGHT, c = i % OUT;
    double should = nothing;
    float angle = no_float;
    if (c < WIDTH) {
      int32_t s = seed[b * HEIGHT * STRIDE + r * STRIDE + c];
      double sign = is_open(2000 + c) ? -1.0 : 1.0;
      should = sign * value_of(2000 + c, 300 + r, s);
      angle = (float)(sign * s);
    }
    if (distances && type == GV_FLOAT64) assert_true(distance[i] == should);
    if (distances && type == GV_FLOAT32 && c < WIDTH) assert_true(((float *)distance)[i] == (float)should);
    if (azimuths) assert_true(azimuth[i] == angle);
  }
  return done;
}

/* -------------------------------------------------------------------------------------------------- cases */

static void one_that_was_asked_for(void **state) {
  (void)state;
  asking a;
  begin(&a, false, false);
  for (int what = 1; what < 4; what++) {
    assert_true(measure(&a, GV_FLOAT64, (what & 1) != 0, (what & 2) != 0, GV_OK));
    assert_true(measure(&a, GV_FLOAT32, (what & 1) != 0, (what & 2) != 0, GV_OK));
  }
  assert_false(measure(&a, GV_FLOAT32, false, false, GV_OK)); /* nothing is requested */
  assert_int_equal(machine.opened, 1);
  machine.works = false;
  assert_false(measure(&a, GV_FLOAT64, true, false, GV_ERROR_DEVICE));
  assert_string_equal(gv_context_message(a.context), "it broke");
  machine.works = true;
  assert_true(measure(&a, GV_FLOAT64, true, false, GV_OK));
  end(&a);
}

static void one_that_does_not_open(void **state) {
  (void)state;
  asking a;
  begin(&a, false, true);
  machine.opens = false;
  assert_false(measure(&a, GV_FLOAT64, true, false, GV_ERROR_DEVICE));
  assert_string_equal(gv_context_message(a.context), "it does not open");
  machine.opens = true;
  assert_true(measure(&a, GV_FLOAT64, true, false, GV_OK));
  end(&a);
}

/* Of 1e9 cells, by 4 threads unless they are many: decided by the first block. */
static void sizes_decide(void **state) {
  (void)state;
  const struct {
    gv_metric metric;
    int64_t width;
    int threads;
    bool running, device;
  } cases[] = {
      {GV_GEODESIC, 100000, 4, false, true},       /* 7.5 s by processors */
      {GV_GEODESIC, 5000, 4, false, false},        /* 0.4 */
      {GV_GEODESIC, 5000, 4, true, true},          /* where CUDA runs */
      {GV_GEODESIC, 100, 4, true, false},          /* 0.008 */
      {GV_GREAT_CIRCLE, 100000, 4, false, true},   /* 2 s */
      {GV_GREAT_CIRCLE, 150000, 16, false, false}, /* 0.75, and 0.67 by the device */
      {GV_GEODESIC, 100000, 100, false, false},    /* 0.3, and 0.37 */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    asking a;
    begin(&a, true, cases[i].running);
    a.v.cells.metric = cases[i].metric;
    a.v.cells.grid.width = cases[i].width;
    a.d.context.threads = cases[i].threads;
    for (int again = 0; again < 2; again++)
      assert_int_equal(measure(&a, GV_FLOAT64, true, true, GV_OK), cases[i].device);
    assert_int_equal(machine.opened, cases[i].device);
    end(&a);
  }
}

/* A device that was not requested fails when it is opened, or later: processors measure from then on. */
static void processors_go_on(void **state) {
  (void)state;
  for (int opens = 0; opens < 2; opens++) {
    asking a;
    begin(&a, true, false);
    a.v.cells.metric = GV_GEODESIC;
    machine.opens = opens != 0;
    assert_int_equal(measure(&a, GV_FLOAT64, true, false, GV_OK), opens);
    machine.works = false;
    assert_false(measure(&a, GV_FLOAT64, true, false, GV_OK));
    machine.works = machine.opens = true;
    assert_false(measure(&a, GV_FLOAT64, true, false, GV_OK)); /* for good */
    assert_int_equal(a.d.state, GV_MEASURING_ON_CPUS);
    end(&a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_that_was_asked_for),
                                     cmocka_unit_test(one_that_does_not_open), cmocka_unit_test(sizes_decide),
                                     cmocka_unit_test(processors_go_on)};
  return cmocka_run_group_tests_name("measuring", tests, NULL, NULL);
}
