/*
 * The pipeline of cuda-tile without a GPU: devices and the CPU's engine are replaced by functions that write
 * a known value into each cell, start slowly, fail on demand, and count their calls. The engine's source and
 * that of grids are compiled in here. Tested: which of them computes a block, that every cell is right, that
 * no caller waits forever or misses an error.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define gv_cuda_module_get     pretend_module
#define gv_cuda_probe          pretend_probe
#define gv_cuda_started        pretend_started
#define gv_cuda_has_driver     pretend_driver
#define gv_tile_engine_for     pretend_cpu
#define gv_engine_cuda_tile    tested_engine
#define gv_cuda_tile_pays      tested_pays
#define gv_cuda_tile_strips    tested_strips
#define gv_cuda_tile_measuring tested_measuring
#include "grid_fill.h"
#include "voronoi/pipeline/cuda_tile.c"
#include "voronoi/voronoi.c"

#include "cmocka_test.h"
#include "core/parallel.h"
#include "gpuvoronoi/cells.h"

enum { SIDE = 64, WIDTH = 8192, HEIGHT = 8192, THREADS = 8 };

/* How the machine is. */
static struct {
  int devices;
  bool running, fails; /* CUDA, before and when it starts */
  bool full;           /* no raster can be opened */
  useconds_t opening;  /* a device */
  int64_t slices;      /* that can be fetched before one fails; -1 = all */
  int64_t rows;        /* number of cells with strips that can be started; 0 = all */
  atomic_int opened;   /* and not closed */
  atomic_llong fetched, computed;
} machine;

static int32_t value_of(int64_t column, int64_t row) {
  return (int32_t)(row * WIDTH + column);
}

/* ---------------------------------------------------------------------------------------------- stand-ins */

struct gv_cuda_raster {
  const gv_voronoi *v;
  gv_tile strip[GV_CUDA_STRIPS];
  int32_t *slot[GV_RING_SLOTS];
  size_t room[GV_RING_SLOTS];
};

bool pretend_started(void) {
  return machine.running;
}

bool pretend_driver(void) {
  return true;
}

static gv_status pretend_count(gv_context *context, int *count) {
  *count = machine.devices;
  if (!machine.fails) return GV_OK;
  return gv_fail(context, GV_ERROR_UNAVAILABLE, "no device today");
}

static gv_status pretend_get(gv_context *context, int number, gv_device_info *out) {
  (void)out;
  return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "no device %d", number);
}

gv_status pretend_probe(const char **reason) {
  *reason = "";
  return GV_OK;
}

static gv_status pretend_usable(gv_context *context, int *devices, int capacity, int *count) {
  (void)context;
  *count = machine.devices < capacity ? machine.devices : capacity;
  for (int i = 0; i < *count; i++)
    devices[i] = i;
  return GV_OK;
}

static gv_status pretend_open(gv_context *context, const gv_voronoi *v, int device, int64_t *strip_cells,
                              gv_cuda_raster **out) {
  (void)device;
  usleep(machine.opening);
  if (machine.full) return gv_fail(context, GV_ERROR_OUT_OF_MEMORY, "it is full");
  if (*strip_cells > 40 * SIDE * SIDE * 100) *strip_cells = 40 * SIDE * SIDE * 100;
  *out = gv_allocate_zeroed(&v->allocator, 1, sizeof **out);
  if (*out == NULL) return gv_fail_memory(context, "a device");
  (*out)->v = v;
  machine.opened++;
  return GV_OK;
}

static void pretend_close(gv_context *context, gv_cuda_raster *raster) {
  (void)context;
  gv_allocator allocator = raster->v->allocator;
  for (int i = 0; i < GV_RING_SLOTS; i++)
    gv_release(&allocator, raster->slot[i]);
  gv_release(&allocator, raster);
  machine.opened--;
}

static gv_status pretend_start(gv_context *context, gv_cuda_raster *raster, int strip, const gv_tile *cells) {
  if (machine.rows > 0 && cells->r0 >= machine.rows)
    return gv_fail(context, GV_ERROR_DEVICE, "it does not start");
  raster->strip[strip] = *cells;
  return GV_OK;
}

static gv_status pretend_finish(gv_context *context, gv_cuda_raster *raster, int strip, gv_open_cells *open) {
  (void)context, (void)raster, (void)strip;
  memset(open, 0, sizeof *open);
  return GV_OK;
}

static gv_status pretend_patch(gv_context *context, gv_cuda_raster *raster, int strip, const int64_t *at,
                               const int32_t *value, int64_t count) {
  (void)context, (void)raster, (void)strip, (void)at, (void)value, (void)count;
  return GV_OK;
}

static gv_status reserve(gv_context *context, gv_cuda_raster *raster, int slot, int64_t count) {
  if (raster->room[slot] >= (size_t)count) return GV_OK;
  gv_release(&raster->v->allocator, raster->slot[slot]);
  raster->slot[slot] = gv_allocate(&raster->v->allocator, count, sizeof(int32_t));
  raster->room[slot] = (size_t)count;
  return raster->slot[slot] != NULL ? GV_OK : gv_fail_memory(context, "a slot");
}

static gv_status pretend_fetch(gv_context *context, gv_cuda_raster *raster, int strip, int64_t first,
                               int64_t count, int slot, const int32_t **out) {
  const gv_tile *t = &raster->strip[strip];
  gv_status status = reserve(context, raster, slot, count);
  if (status != GV_OK) return status;
  int64_t before = machine.fetched++;
  if (machine.slices >= 0 && before >= machine.slices) return gv_fail(context, GV_ERROR_DEVICE, "it broke");
  int64_t across = (t->c1 - t->c0 + SIDE - 1) / SIDE;
  for (int64_t i = 0; i < count; i++) {
    int64_t at = first + i, block = at / (SIDE * SIDE), cell = at % (SIDE * SIDE);
    raster->slot[slot][i] =
        value_of(t->c0 + block % across * SIDE + cell % SIDE, t->r0 + block / across * SIDE + cell / SIDE);
  }
  *out = raster->slot[slot];
  return GV_OK;
}

static const gv_raster_device pretend_raster = {pretend_open,   pretend_close, pretend_start,
                                                pretend_finish, pretend_patch, pretend_fetch,
                                                NULL,           NULL,          NULL};
static const gv_cuda_module pretended = {.device_count = pretend_count,
                                         .device_get = pretend_get,
                                         .usable_devices = pretend_usable,
                                         .raster = &pretend_raster};

const gv_cuda_module *pretend_module(const char **reason) {
  *reason = "";
  return &pretended;
}

static gv_status cpu_create(gv_context *context, gv_voronoi *v, void **state) {
  (void)context, (void)v;
  *state = NULL;
  return GV_OK;
}

static gv_status cpu_block(gv_context *context, const gv_voronoi *v, void *state, const gv_tile *tile,
                           const gv_labels *block, int *uniform) {
  (void)context, (void)v, (void)state, (void)uniform;
  machine.computed++;
  for (int64_t r = tile->r0; r < tile->r1; r++) {
    for (int64_t c = tile->c0; c < tile->c1; c++)
      block->out[(r - tile->r0) * block->stride + c - tile->c0] = value_of(c, r);
  }
  return GV_OK;
}

static void cpu_destroy(const gv_voronoi *v, void *state) {
  (void)v, (void)state;
}

const gv_engine *pretend_cpu(const gv_grid *grid) {
  static const gv_engine cpu = {cpu_create, cpu_block, cpu_destroy, NULL, NULL};
  (void)grid;
  return &cpu;
}

/* ------------------------------------------------------------------------------------------------- asking */

typedef struct asking {
  gv_context *context;
  gv_voronoi v;
  void *state;
  gv_status created;
  int64_t scatter; /* odd; 1 = blocks in order */
} asking;

static void begin_with(asking *a, bool automatic, int device, int32_t seeds) {
  gv_context_options options;
  gv_context_options_init(&options);
  memset(a, 0, sizeof *a);
  options.threads = THREADS;
  options.device = device;
  assert_int_equal(gv_context_create(&options, &a->context), GV_OK);
  a->v.allocator = a->context->allocator;
  a->v.cells.grid.kind = GV_GRID_LONLAT;
  a->v.cells.grid.width = WIDTH;
  a->v.cells.grid.height = HEIGHT;
  a->v.cells.grid.level = GV_QTM_NONE;
  a->v.block_width = a->v.block_height = SIDE;
  a->v.k = 1;
  a->v.seeds.count = seeds;
  a->v.automatic = automatic;
  a->scatter = 1;
  machine.fetched = machine.computed = 0;
  a->created = tested_engine.create(a->context, &a->v, &a->state);
}

static void begin(asking *a, bool automatic, int device) {
  begin_with(a, automatic, device, 1000);
}

enum { ACROSS = WIDTH / SIDE, BLOCKS = ACROSS * (HEIGHT / SIDE) };

typedef struct questions {
  asking *a;
  int64_t from, step;
  atomic_llong wrong;
} questions;

static gv_status ask_some(gv_worker *worker, int64_t first, int64_t end) {
  questions *q = worker->user;
  asking *a = q->a;
  gv_status status = GV_OK;
  for (int64_t n = first; n < end && status == GV_OK; n++) {
    int64_t b = (q->from + n * q->step) * a->scatter % BLOCKS;
    int32_t out[SIDE * SIDE];
    gv_labels block;
    gv_labels_init(&block);
    block.out = out;
    block.stride = SIDE;
    int64_t c = b % ACROSS * SIDE, r = b / ACROSS * SIDE, wrong = 0;
    gv_tile tile = {c, c + SIDE, r, r + SIDE};
    status = tested_engine.block(&worker->context, &a->v, a->state, &tile, &block, NULL);
    for (int i = 0; status == GV_OK && i < SIDE * SIDE; i++)
      wrong += out[i] != value_of(c + i % SIDE, r + i / SIDE);
    atomic_fetch_add(&q->wrong, wrong);
  }
  return status;
}

/* The share `from` ... `to` of the blocks, by several threads; every `step`th of them. */
static gv_status ask(asking *a, double from, double to, int step) {
  int64_t first = (int64_t)(from * BLOCKS), end = (int64_t)(to * BLOCKS);
  questions q = {a, first, step, 0};
  gv_loop loop = {.context = a->context,
                  .threads = THREADS,
                  .count = (end - first + step - 1) / step,
                  .grain = 1,
                  .user = &q};
  gv_status status = gv_parallel_for(&loop, ask_some);
  assert_int_equal(atomic_load(&q.wrong), 0);
  return status;
}

static void end(asking *a) {
  if (a->created == GV_OK) tested_engine.destroy(&a->v, a->state);
  gv_context_destroy(a->context);
  assert_int_equal(machine.opened, 0);
}

static void machine_of(int devices, unsigned opening_ms) {
  memset(&machine, 0, sizeof machine);
  machine.devices = devices;
  machine.opening = opening_ms * 1000;
  machine.slices = -1;
}

/* -------------------------------------------------------------------------------------------------- cases */

static void devices_answer(void **state) {
  (void)state;
  for (int devices = 1; devices <= 3; devices += 2) {
    asking a;
    machine_of(devices, 20);
    begin(&a, false, -1);
    assert_int_equal(a.created, GV_OK);
    assert_ptr_equal(tested_engine.backend(&a.v, a.state), &gv_backends[GV_BACKEND_CUDA_TILE]);
    assert_int_equal(ask(&a, 0.0, 1.0, 1), GV_OK);
    assert_int_equal(ask(&a, 0.0, 1.0, 7), GV_OK);
    assert_int_equal(machine.computed, 0);
    assert_true(machine.fetched > 0);
    end(&a);
  }
}

static void in_any_order(void **state) {
  (void)state;
  asking a;
  machine_of(2, 10);
  begin(&a, false, -1);
  /* Each block is in a slice of its own. */
  a.scatter = 7919;
  assert_int_equal(ask(&a, 0.0, 0.002, 1), GV_OK);
  assert_int_equal(ask(&a, 0.02, 0.022, 3), GV_OK);
  a.scatter = 1;
  assert_int_equal(ask(&a, 0.4, 0.6, 1), GV_OK);
  assert_int_equal(machine.computed, 0);
  end(&a);
}

/* At once, and while the devices read ahead. */
static void given_up(void **state) {
  (void)state;
  for (int ms = 0; ms < 6; ms++) {
    asking a;
    machine_of(2, 1);
    begin(&a, false, -1);
    if (ms > 0) assert_int_equal(ask(&a, 0.0, 0.01, 1), GV_OK);
    usleep((useconds_t)ms * 1000);
    end(&a);
  }
}

/* A requested device that is not available is an error before the first block. */
static void no_such_device(void **state) {
  (void)state;
  static const char *const messages[] = {"cuda-tile: no device today", "cuda-tile: no device 7",
                                         "it is full"};
  for (int kind = 0; kind < 3; kind++) {
    asking a;
    machine_of(1, 0);
    machine.fails = kind == 0;
    machine.full = kind == 2;
    begin(&a, false, kind == 1 ? 7 : -1);
    assert_int_equal(a.created, kind == 2 ? GV_ERROR_OUT_OF_MEMORY : GV_ERROR_UNAVAILABLE);
    assert_string_equal(gv_context_message(a.context), messages[kind]);
    end(&a);
  }
}

static void broken_on_the_way(void **state) {
  (void)state;
  asking a;
  machine_of(1, 10);
  machine.slices = 2;
  begin(&a, false, -1);
  assert_int_equal(ask(&a, 0.0, 1.0, 1), GV_ERROR_DEVICE);
  assert_string_equal(gv_context_message(a.context), "it broke");
  assert_int_equal(machine.computed, 0);
  end(&a);
}

/* Numbers of seeds for which a device is faster on this grid if CUDA runs already; and in any case. */
enum { MANY_SEEDS = 3000000, MOST_SEEDS = 10000000 };

/* A device that was not requested: the CPU computes the rest. */
static void broken_and_not_asked_for(void **state) {
  (void)state;
  asking a;
  machine_of(2, 10);
  machine.slices = 5;
  begin_with(&a, true, -1, MOST_SEEDS);
  assert_int_equal(a.created, GV_OK);
  assert_ptr_equal(tested_engine.backend(&a.v, a.state), &gv_backends[GV_BACKEND_CUDA_TILE]);
  assert_int_equal(ask(&a, 0.0, 1.0, 1), GV_OK);
  assert_true(machine.fetched > 5 && machine.computed > 0 && machine.computed < BLOCKS);
  assert_ptr_equal(tested_engine.backend(&a.v, a.state), &gv_backends[GV_BACKEND_TILE]);
  int64_t computed = machine.computed, fetched = machine.fetched;
  assert_int_equal(ask(&a, 0.0, 1.0, 3), GV_OK);
  assert_int_equal(machine.computed - computed, (BLOCKS + 2) / 3);
  assert_true(machine.fetched - fetched < 20); /* the started ones */
  end(&a);
}

/* A strip that cannot be started ahead of the callers does not affect them. */
static void the_next_strip_does_not_start(void **state) {
  (void)state;
  asking a;
  machine_of(1, 0);
  begin(&a, false, -1);
  assert_int_equal(a.created, GV_OK);
  engine *e = a.state;
  assert_true(e->layout.strips > 1);
  int64_t rows = e->layout.strip_rows * SIDE;
  machine.rows = rows;
  double share = (double)rows / HEIGHT;
  assert_int_equal(ask(&a, 0.0, share, 1), GV_OK);
  assert_int_equal(ask(&a, share, share + 0.01, 1), GV_ERROR_DEVICE);
  assert_string_equal(gv_context_message(a.context), "it does not start");
  assert_int_equal(ask(&a, 0.0, share, 5), GV_OK);
  end(&a);
}

static void sizes_decide(void **state) {
  (void)state;
  const struct {
    int32_t seeds;
    bool running, device;
  } cases[] = {{1000, false, false},
               {1000, true, false},
               {MANY_SEEDS, false, false},
               {MANY_SEEDS, true, true},
               {MOST_SEEDS, false, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    asking a;
    machine_of(1, 0);
    machine.running = cases[i].running;
    begin_with(&a, true, -1, cases[i].seeds);
    assert_int_equal(a.created, GV_OK);
    assert_ptr_equal(tested_engine.backend(&a.v, a.state),
                     &gv_backends[cases[i].device ? GV_BACKEND_CUDA_TILE : GV_BACKEND_TILE]);
    assert_int_equal(ask(&a, 0.0, 1.0, 1), GV_OK);
    assert_int_equal(machine.computed, cases[i].device ? 0 : BLOCKS);
    assert_int_equal(machine.fetched > 0, cases[i].device);
    end(&a);
  }
}

/* gv_voronoi_create for "auto", of a grid for which a device pays, as CUDA runs: with a device, without, and
 * with one that is full. */
static void a_grid_is_made_without_it(void **state) {
  (void)state;
  enum { SEEDS = 1000, COLUMNS = 4 * WIDTH };
  const double geotransform[6] = {-180, 360.0 / COLUMNS, 0, 90, 0, -180.0 / HEIGHT};
  double *lon = malloc(SEEDS * sizeof *lon), *lat = malloc(SEEDS * sizeof *lat);
  int32_t *out[2] = {malloc(SIDE * SIDE * sizeof **out), malloc(SIDE * SIDE * sizeof **out)};
  assert_true(lon != NULL && lat != NULL && out[0] != NULL && out[1] != NULL);
  for (int i = 0; i < SEEDS; i++) {
    lon[i] = 360.0 * i / SEEDS - 180.0;
    lat[i] = i * 97 % 179 - 89.5;
  }
  for (int kind = 0; kind < 3; kind++) {
    gv_context_options options;
    gv_context_options_init(&options);
    gv_voronoi_options o;
    gv_voronoi_options_init(&o);
    gv_grid grid;
    gv_grid_init(&grid);
    gv_points seeds = gv_points_xy(lon, lat, SEEDS);
    gv_context *context = NULL;
    gv_voronoi *chosen = NULL, *tile = NULL;
    machine_of(1, 0);
    machine.running = true;
    machine.fails = kind == 1;
    machine.full = kind == 2;
    options.threads = 1;
    grid.kind = GV_GRID_LONLAT;
    grid.width = COLUMNS;
    grid.height = HEIGHT;
    memcpy(grid.geotransform, geotransform, sizeof geotransform);
    o.metric = GV_GREAT_CIRCLE;
    o.block_width = o.block_height = SIDE;
    assert_int_equal(gv_context_create(&options, &context), GV_OK);
    assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &chosen), GV_OK);
    o.backend = "tile";
    assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &tile), GV_OK);
    assert_string_equal(gv_voronoi_backend(chosen), kind == 0 ? "cuda-tile" : "tile");
    assert_int_equal(fill_block(context, chosen, 3, 2, out[0], SIDE), GV_OK);
    assert_int_equal(fill_block(context, tile, 3, 2, out[1], SIDE), GV_OK);
    if (kind == 0) assert_int_equal(out[0][0], value_of(3 * SIDE, 2 * SIDE));
    if (kind > 0) assert_memory_equal(out[0], out[1], SIDE * SIDE * sizeof **out);
    gv_voronoi_destroy(chosen);
    gv_voronoi_destroy(tile);
    gv_context_destroy(context);
    assert_int_equal(machine.opened, 0);
  }
  free(lon);
  free(lat);
  free(out[0]);
  free(out[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(devices_answer),
                                     cmocka_unit_test(in_any_order),
                                     cmocka_unit_test(given_up),
                                     cmocka_unit_test(no_such_device),
                                     cmocka_unit_test(broken_on_the_way),
                                     cmocka_unit_test(broken_and_not_asked_for),
                                     cmocka_unit_test(the_next_strip_does_not_start),
                                     cmocka_unit_test(sizes_decide),
                                     cmocka_unit_test(a_grid_is_made_without_it)};
  return cmocka_run_group_tests_name("pipeline", tests, NULL, NULL);
}
