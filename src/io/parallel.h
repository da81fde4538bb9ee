/* Loops of this layer over workers: core's, with an error line a worker. */
#ifndef GV_IO_PARALLEL_H
#define GV_IO_PARALLEL_H

#include "io/io.h"

/* Items first ... end - 1, by worker number `worker`, from 0: at any time only one has it. `io` is the
 * worker's own. */
typedef gv_status gv_io_loop_body(gv_io *io, void *user, int worker, int64_t first, int64_t end);

typedef struct gv_io_loop {
  int threads;   /* maximum number */
  int64_t count; /* of items */
  int64_t grain; /* items in a stretch; stretches are assigned in order */
  void *user;
} gv_io_loop;

/* Workers use the messages of the calling thread. Ends early with the first error, and copies its message to
 * `io`. The body checks for cancelling. */
gv_status gv_io_parallel_for(gv_io *io, const gv_io_loop *loop, gv_io_loop_body *body);

#endif
