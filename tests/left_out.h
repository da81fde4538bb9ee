/* Backends that cannot run on this machine show as a skipped test of the programs that have to leave them
 * out. */
#ifndef GV_TEST_LEFT_OUT_H
#define GV_TEST_LEFT_OUT_H

#include "cmocka_test.h"

#include <stdbool.h>

#include "gpuvoronoi/gpuvoronoi.h"

static void every_backend_can_run(void **state) {
  (void)state;
  bool left_out = false;
  for (int b = 0; b < gv_backend_count(); b++) {
    gv_backend_info info;
    gv_backend_info_init(&info);
    assert_int_equal(gv_backend_get(b, &info), GV_OK);
    if (info.available) continue;
    print_message("left out: %s: %s\n", info.name, info.reason);
    left_out = true;
  }
  if (left_out) skip();
}

#endif
