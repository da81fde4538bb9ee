/*
 * Every public function with any numbers, without objects, and with structs and arrays that are missing or
 * zeros: no call crashes, statuses are known, and an error leaves one line in the context. make_calls.py
 * writes the calls from the headers.
 */
#include "fuzz.h"

#include <math.h>

#include "gpuvoronoi/barriers.h"
#include "gpuvoronoi/cells.h"
#include "gpuvoronoi/cost.h"
#include "gpuvoronoi/crs.h"
#include "gpuvoronoi/diagram.h"
#include "gpuvoronoi/experimental.h"
#include "gpuvoronoi/geometries.h"
#include "gpuvoronoi/raster_seeds.h"

enum { ZEROS = 1 << 16, LITTLE = 4 /* of counts where there are arrays */ };

typedef struct calls {
  fuzz_input input;
  gv_context *context;
  bool arrays; /* and so little numbers; else no arrays, and any numbers */
} calls;

static _Alignas(16) unsigned char zeros[ZEROS];

static void *calls_array(calls *c) {
  return c->arrays && fuzz_byte(&c->input) % 8 != 0 ? zeros : NULL;
}

static int64_t calls_integer(calls *c, size_t size) {
  const int64_t edge[] = {0, 1, 2, -1, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 29, 1024, 1025};
  uint8_t which = fuzz_byte(&c->input);
  int64_t any = 0;
  if (c->arrays) return (int64_t)(which % (LITTLE + 2)) - 1;
  if (which < 2 * sizeof edge / sizeof *edge) {
    any = edge[which / 2];
  } else {
    fuzz_take(&c->input, &any, sizeof any);
  }
  return size < sizeof any ? (int32_t)((uint64_t)any & UINT32_MAX) : any;
}

static size_t calls_size(calls *c) {
  return c->arrays ? fuzz_byte(&c->input) % (2 * LITTLE) : (size_t)calls_integer(c, sizeof(int64_t));
}

static double calls_real(calls *c) {
  const double edge[] = {0.0, -0.0, 1.0, 90.0, 180.0, -180.0, INFINITY, (double)NAN, 1e308};
  uint8_t which = fuzz_byte(&c->input);
  double any;
  if (which < sizeof edge / sizeof *edge) return edge[which];
  fuzz_take(&c->input, &any, sizeof any);
  return any;
}

static void calls_check(calls *c, gv_status status) {
  FUZZ_REQUIRE(status >= GV_OK && status <= GV_ERROR_INTERNAL);
  FUZZ_REQUIRE(strcmp(gv_status_message(status), "unknown status") != 0);
  if (c->context != NULL) FUZZ_REQUIRE(strchr(gv_context_message(c->context), '\n') == NULL);
}

#include "calls.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static gv_context *context;
  if (context == NULL) {
    gv_context_options options;
    gv_context_options_init(&options);
    options.threads = 1;
    FUZZ_REQUIRE(gv_context_create(&options, &context) == GV_OK);
  }
  calls c = {.input = {data, size}};
  while (c.input.left > 0) {
    memset(zeros, 0, sizeof zeros);
    uint8_t how = fuzz_byte(&c.input);
    c.arrays = how % 2 != 0;
    c.context = how % 16 == 0 ? NULL : context;
    all_calls[fuzz_byte(&c.input) % (sizeof all_calls / sizeof *all_calls)](&c);
  }
  return 0;
}
