/*
 * The pipeline of cuda-tile without a GPU: devices and the CPU's engine are stood in for by functions that write a known
 * value into each cell, start slowly, fail when they are told to, and count what they were asked. The engine's source is
 * compiled in here. What is tested: who answers when, that nobody gets a wrong cell, waits for ever or misses an error.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
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
#include "voronoi/pipeline/cuda_tile.c"

#include "cmocka_test.h"
#include "core/parallel.h"

enum { SIDE = 64, WIDTH = 8192, HEIGHT = 8192, THREADS = 8 };

/* How the machine is. */
static struct {
  int devices;
  bool running, fails; /* CUDA, before and when it starts */
  useconds_t asking;   /* for devices */
  useconds_t opening;  /* one of them */
  useconds_t block;    /* of the CPU's */
  int64_t slices;      /* that can be fetched before one fails; -1 = all */
  int64_t rows;        /* of cells whose strips can be started; 0 = all */
  atomic_int opened;   /* and not closed */
  atomic_llong fetched, computed;
} machine;

static int32_t value_of(int64_t column, int64_t row) {
  return (int32_t)(row * WIDTH + column);
}

/* ---------------------------------------------------------------------------------------------------- stand-ins */

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
  usleep(machine.asking);
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
  if (machine.rows > 0 && cells->r0 >= machine.rows) return gv_fail(context, GV_ERROR_DEVICE, "it does not start");
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

static gv_status pretend_reserve(gv_context *context, gv_cuda_raster *raster, int slot, int64_t count) {
  if (raster->room[slot] >= (size_t)count) return GV_OK;
  gv_release(&raster->v->allocator, raster->slot[slot]);
  raster->slot[slot] = gv_allocate(&raster->v->allocator, count, sizeof(int32_t));
  raster->room[slot] = (size_t)count;
  return raster->slot[slot] != NULL ? GV_OK : gv_fail_memory(context, "a slot");
}

static gv_status pretend_fetch(gv_context *context, gv_cuda_raster *raster, int strip, int64_t first, int64_t count,
                               int slot, const int32_t **out) {
  const gv_tile *t = &raster->strip[strip];
  gv_status status = pretend_reserve(context, raster, slot, count);
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

static const gv_raster_device pretend_raster = {
    pretend_open,    pretend_close, pretend_start, pretend_finish, pretend_patch,
    pretend_reserve, pretend_fetch, NULL,          NULL,           NULL};
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
                           const gv_block *block) {
  (void)context, (void)v, (void)state;
  machine.computed++;
  if (machine.block > 0) usleep(machine.block);
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

/* -------------------------------------------------------------------------------------------------------- asking */

typedef struct asking {
  gv_context *context;
  gv_voronoi v;
  void *state;
  gv_status created;
  int64_t scatter; /* odd; 1 = blocks in order */
} asking;

static void begin_with(asking *a, bool automatic, int device, int64_t seeds) {
  gv_context_options options = GV_CONTEXT_OPTIONS_INIT;
  memset(a, 0, sizeof *a);
  options.threads = THREADS;
  options.device = device;
  assert_int_equal(gv_context_create(&options, &a->context), GV_OK);
  a->v.allocator = a->context->allocator;
  a->v.cells.grid.kind = GV_GRID_LONLAT;
  a->v.cells.grid.width = WIDTH;
  a->v.cells.grid.height = HEIGHT;
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
    gv_block block = GV_BLOCK_INIT;
    block.out = out;
    block.stride = SIDE;
    int64_t c = b % ACROSS * SIDE, r = b / ACROSS * SIDE, wrong = 0;
    gv_tile tile = {c, c + SIDE, r, r + SIDE};
    status = tested_engine.block(&worker->context, &a->v, a->state, &tile, &block);
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
  gv_loop loop = {
      .context = a->context, .threads = THREADS, .count = (end - first + step - 1) / step, .grain = 1, .user = &q};
  gv_status status = gv_parallel_for(&loop, ask_some);
  assert_int_equal(atomic_load(&q.wrong), 0);
  return status;
}

static void end(asking *a) {
  if (a->created == GV_OK) tested_engine.destroy(&a->v, a->state);
  gv_context_destroy(a->context);
  assert_int_equal(machine.opened, 0);
}

static void machine_of(int devices, unsigned asking_ms, unsigned opening_ms, unsigned block_us) {
  memset(&machine, 0, sizeof machine);
  machine.devices = devices;
  machine.asking = asking_ms * 1000;
  machine.opening = opening_ms * 1000;
  machine.block = block_us;
  machine.slices = -1;
}

/* --------------------------------------------------------------------------------------------------------- cases */

static void the_cpu_answers_first(void **state) {
  (void)state;
  for (int devices = 1; devices <= 3; devices += 2) {
    asking a;
    machine_of(devices, 30, 30, 300);
    begin(&a, false, -1);
    assert_int_equal(a.created, GV_OK);
    assert_int_equal(ask(&a, 0.0, 0.1, 1), GV_OK);
    assert_true(machine.computed > 0);
    usleep(300000);
    assert_int_equal(ask(&a, 0.1, 1.0, 1), GV_OK);
    assert_true(machine.computed <= 0.11 * (WIDTH / SIDE) * (HEIGHT / SIDE));
    assert_true(machine.fetched > 0);
    assert_int_equal(ask(&a, 0.0, 1.0, 7), GV_OK);
    end(&a);
  }
}

static void in_one_go(void **state) {
  (void)state;
  asking a;
  machine_of(2, 50, 20, 400);
  begin(&a, false, -1);
  assert_int_equal(ask(&a, 0.0, 1.0, 1), GV_OK);
  assert_true(machine.computed > 0 && machine.fetched > 0);
  end(&a);
}

static void cuda_is_running_already(void **state) {
  (void)state;
  asking a;
  machine_of(1, 0, 0, 0);
  machine.running = true;
  begin(&a, false, -1);
  assert_int_equal(ask(&a, 0.0, 1.0, 1), GV_OK);
  assert_int_equal(machine.computed, 0);
  end(&a);
}

static void in_any_order(void **state) {
  (void)state;
  for (int running = 0; running < 2; running++) {
    asking a;
    machine_of(2, 20, 10, 100);
    machine.running = running != 0;
    begin(&a, false, -1);
    /* Each block is in a slice of its own. */
    a.scatter = 7919;
    assert_int_equal(ask(&a, 0.0, running ? 0.002 : 0.02, 1), GV_OK);
    usleep(100000);
    assert_int_equal(ask(&a, 0.02, 0.03, 3), GV_OK);
    a.scatter = 1;
    /* The devices come when this machine lets them. */
    for (int again = 0; again < 100 && (again == 0 || machine.fetched == 0); again++) {
      assert_int_equal(ask(&a, 0.4, 0.6, 1), GV_OK);
      if (machine.fetched == 0) usleep(100000);
    }
    assert_true(machine.fetched > 0);
    end(&a);
  }
}

static void too_late_to_be_of_use(void **state) {
  (void)state;
  asking a;
  machine_of(1, 200, 200, 0);
  begin(&a, false, -1);
  double started = gv_seconds_now();
  assert_int_equal(ask(&a, 0.0, 1.0, 1), GV_OK);
  bool quick = gv_seconds_now() - started < 0.3; /* else the machine has other things to do */
  assert_int_equal(ask(&a, 0.0, 1.0, 9), GV_OK);
  if (quick) assert_int_equal(machine.fetched, 0);
  end(&a);
}

static void given_up(void **state) {
  (void)state;
  for (int ms = 0; ms < 60; ms += 10) {
    asking a;
    machine_of(2, 20, 20, 100);
    begin(&a, false, -1);
    assert_int_equal(ask(&a, 0.0, 0.01, 1), GV_OK);
    usleep((useconds_t)ms * 1000);
    end(&a);
  }
}

static void no_such_device(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    asking a;
    /* The start fails after some blocks, after all, or at a number. */
    machine_of(1, kind == 0 ? 5 : 100, 0, kind == 0 ? 100 : 0);
    machine.fails = kind < 2;
    begin(&a, false, kind == 2 ? 7 : -1);
    assert_int_equal(a.created, GV_OK);
    assert_int_equal(ask(&a, 0.0, 1.0, 1), GV_ERROR_UNAVAILABLE);
    assert_string_equal(gv_context_message(a.context),
                        kind == 2 ? "cuda-tile: no device 7" : "cuda-tile: no device today");
    end(&a);
  }
}

static void broken_on_the_way(void **state) {
  (void)state;
  asking a;
  machine_of(1, 10, 0, 300);
  machine.slices = 2;
  begin(&a, false, -1);
  assert_int_equal(ask(&a, 0.0, 0.05, 1), GV_OK);
  usleep(200000);
  assert_int_equal(ask(&a, 0.05, 1.0, 1), GV_ERROR_DEVICE);
  end(&a);
}

/* Nobody has asked for a device: the CPU does the rest, from its own blocks on or for the first time. */
static void broken_and_not_asked_for(void **state) {
  (void)state;
  for (int many = 0; many < 2; many++) {
    asking a;
    machine_of(2, 10, 0, 600);
    machine.running = many != 0;
    machine.slices = 2;
    begin_with(&a, true, -1, many ? (int64_t)MOST_SEEDS_TO_SHARE + 1 : 1000);
    assert_int_equal(a.created, GV_OK);
    assert_int_equal(ask(&a, 0.0, 0.06, 1), GV_OK);
    usleep(200000);
    machine.block = 0;
    assert_int_equal(ask(&a, 0.06, 1.0, 1), GV_OK);
    assert_true(machine.fetched > 2 && machine.computed > 0);
    assert_ptr_equal(tested_engine.backend(&a.v, a.state), &gv_backends[GV_BACKEND_TILE]);
    assert_int_equal(ask(&a, 0.0, 1.0, 3), GV_OK);
    end(&a);
  }
}

/* What cannot be started ahead of the callers is no matter of theirs. */
static void the_next_strip_does_not_start(void **state) {
  (void)state;
  asking a;
  machine_of(1, 0, 0, 0);
  machine.running = true;
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

static void left_to_the_engine(void **state) {
  (void)state;
  asking a;
  /* Fast enough without a device. */
  machine_of(1, 10, 10, 0);
  begin(&a, true, -1);
  assert_ptr_equal(tested_engine.backend(&a.v, a.state), &gv_backends[GV_BACKEND_TILE]);
  double started = gv_seconds_now();
  assert_int_equal(ask(&a, 0.0, 1.0, 1), GV_OK);
  if (gv_seconds_now() - started < GV_START_SECONDS) assert_int_equal(machine.fetched, 0);
  end(&a);
  /* Not so. */
  machine_of(1, 10, 10, 600);
  begin(&a, true, -1);
  assert_int_equal(ask(&a, 0.0, 0.06, 1), GV_OK);
  usleep(200000);
  assert_int_equal(ask(&a, 0.06, 1.0, 1), GV_OK);
  assert_true(machine.fetched > 0);
  assert_ptr_equal(tested_engine.backend(&a.v, a.state), &gv_backends[GV_BACKEND_CUDA_TILE]);
  end(&a);
  /* Not so, as it turns out. */
  machine_of(1, 10, 10, 0);
  begin(&a, true, -1);
  assert_int_equal(ask(&a, 0.0, 0.5, 1), GV_OK);
  machine.block = 800;
  assert_int_equal(ask(&a, 0.5, 0.58, 1), GV_OK);
  usleep(200000);
  assert_int_equal(ask(&a, 0.58, 1.0, 1), GV_OK);
  assert_true(machine.fetched > 0);
  end(&a);
  /* Not so, but there is none. */
  machine_of(1, 10, 10, 600);
  machine.fails = true;
  begin(&a, true, -1);
  assert_int_equal(ask(&a, 0.0, 0.2, 1), GV_OK);
  assert_int_equal(ask(&a, 0.2, 1.0, 20), GV_OK);
  assert_int_equal(machine.fetched, 0);
  assert_ptr_equal(tested_engine.backend(&a.v, a.state), &gv_backends[GV_BACKEND_TILE]);
  end(&a);
}

static int run_all(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_cpu_answers_first),
                                     cmocka_unit_test(in_one_go),
                                     cmocka_unit_test(in_any_order),
                                     cmocka_unit_test(cuda_is_running_already),
                                     cmocka_unit_test(too_late_to_be_of_use),
                                     cmocka_unit_test(given_up),
                                     cmocka_unit_test(no_such_device),
                                     cmocka_unit_test(broken_on_the_way),
                                     cmocka_unit_test(left_to_the_engine),
                                     cmocka_unit_test(broken_and_not_asked_for),
                                     cmocka_unit_test(the_next_strip_does_not_start)};
  return cmocka_run_group_tests_name("pipeline", tests, NULL, NULL);
}

/* Who is faster decides who computes, and a busy machine makes anybody slow: what fails by itself fails three times. */
int main(void) {
  int result = 1;
  for (int attempt = 0; attempt < 3 && result != 0; attempt++) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
      exit(run_all());
    }
    if (child < 0 || waitpid(child, &result, 0) != child) return 1;
  }
  return result == 0 ? 0 : 1;
}
