/*
 * A device that was asked for measures from when CUDA runs; until then the processors do, while the pipeline (cuda_tile.c) starts it. Where
 * nobody asked, they begin, and once they have measured a part of the grid it is known what the rest would take them: seconds a cell,
 * shared out among their threads. A device would take for it what the way over the bus does and its own time, or what the threads take to
 * copy cells to and from page-locked memory, whichever is more. If the difference is worth opening a device, a thread of its own opens it while
 * the processors go on: at worst that was in vain.
 *
 * Gain, beside an H100: docs/benchmarks.md.
 */
#include "voronoi/pipeline/device_measuring.h"

#include <math.h>
#include <string.h>

#include "search/cuda_module.h"
#include "voronoi/pipeline/costs.h"

enum {
  SAMPLE = 32, /* so many times what has been measured is the grid */
  CELL_BYTES =
      12 /* of a cell's number on the way there, and its distance (4 or 8) and azimuth (4) on the way back: about */
};

static const double device_seconds = 4e-11; /* a cell's, a geodesic on an H200 */

/*
 * What is to be saved at least. Measured beside H100s, 16 processors, a run with distances: with a device it took 0.55 to 1.2 s more than
 * without measuring at all, of which the way over the bus is 0.3. So CUDA's start and its end cost up to 0.9 s there, more than
 * GV_START_SECONDS, and the pace of the first blocks, which touch memory for the first time, says more than the rest will take.
 */
static const double worth_starting = 1.0, worth_opening = 0.1;

void gv_device_measuring_init(gv_device_measuring *d, const gv_context *context, const gv_voronoi *v) {
  memset(d, 0, sizeof *d);
  pthread_mutex_init(&d->lock, NULL);
  gv_context_for_worker(context, &d->context);
  d->context.threads = context->threads;
  d->v = v;
}

static bool is_stopped(gv_device_measuring *d) {
  pthread_mutex_lock(&d->lock);
  bool stop = d->stop;
  pthread_mutex_unlock(&d->lock);
  return stop;
}

/* By one thread. What was the current device is so afterwards. */
static gv_status open_raster(gv_device_measuring *d) {
  gv_context *context = &d->context;
  const char *reason = "";
  void *lane = NULL;
  if (gv_cuda_probe(&reason) != GV_OK) return gv_fail(context, GV_ERROR_UNAVAILABLE, "cuda-tile: %s", reason);
  const gv_cuda_module *cuda = gv_cuda_module_get(&reason);
  gv_status status = cuda->measuring->begin(context, -1, &lane, &d->number);
  if (status != GV_OK) return status;
  status = cuda->raster->open(context, d->v, d->number, NULL, &d->raster);
  if (status != GV_OK) d->raster = NULL;
  if (status == GV_OK) status = cuda->measuring->prepare(context, d->raster);
  if (status != GV_OK && d->raster != NULL) {
    cuda->raster->close(context, d->raster);
    d->raster = NULL;
  }
  cuda->measuring->end(context, lane);
  d->device = cuda->measuring;
  return status;
}

void gv_device_measuring_clear(gv_device_measuring *d) {
  const char *reason;
  pthread_mutex_lock(&d->lock);
  d->stop = true;
  pthread_mutex_unlock(&d->lock);
  if (d->has_starter) pthread_join(d->starter, NULL);
  if (d->raster != NULL) gv_cuda_module_get(&reason)->raster->close(&d->context, d->raster);
  pthread_mutex_destroy(&d->lock);
}

static void *start(void *opaque) {
  gv_device_measuring *d = opaque;
  gv_status status = is_stopped(d) ? GV_ERROR_CANCELLED : open_raster(d);
  pthread_mutex_lock(&d->lock);
  d->state = status == GV_OK ? GV_MEASURING_OPEN : GV_MEASURING_FAILED;
  pthread_mutex_unlock(&d->lock);
  return NULL;
}

gv_status gv_device_measuring_ask(gv_context *context, gv_device_measuring *d, const gv_cuda_raster **out) {
  gv_status status = GV_OK;
  pthread_mutex_lock(&d->lock);
  if (d->state == GV_MEASURING_AT_HAND && !d->v->automatic && gv_cuda_started()) {
    status = open_raster(d);
    if (status == GV_OK) d->state = GV_MEASURING_OPEN;
    if (status != GV_OK) memcpy(context->message, d->context.message, sizeof context->message);
  }
  *out = d->state == GV_MEASURING_OPEN ? d->raster : NULL;
  pthread_mutex_unlock(&d->lock);
  return status;
}

/* What a device would save of the time that the processors need for the rest. With the lock. */
static double saved_seconds(const gv_device_measuring *d) {
  const gv_grid *grid = &d->v->cells.grid;
  double left = (double)grid->width * (double)grid->height * d->v->k - d->cells, threads = d->context.threads;
  double bus = CELL_BYTES / GV_BUS_RATE + device_seconds, copies = CELL_BYTES / GV_COPY_RATE / threads;
  return left * (d->seconds / d->cells / threads - fmax(bus, copies));
}

void gv_device_measuring_note(gv_device_measuring *d, double cells, double seconds) {
  const gv_voronoi *v = d->v;
  if (!v->automatic) return;
  pthread_mutex_lock(&d->lock);
  d->cells += cells;
  d->seconds += seconds;
  if (d->state == GV_MEASURING_AT_HAND &&
      d->cells * SAMPLE >= (double)v->cells.grid.width * (double)v->cells.grid.height * v->k &&
      saved_seconds(d) > (gv_cuda_started() ? worth_opening : worth_starting)) {
    d->state = GV_MEASURING_OPENING;
    d->has_starter = pthread_create(&d->starter, NULL, start, d) == 0;
    if (!d->has_starter) d->state = GV_MEASURING_FAILED;
  }
  pthread_mutex_unlock(&d->lock);
}

bool gv_device_measuring_is_wanted(gv_device_measuring *d) {
  pthread_mutex_lock(&d->lock);
  bool wanted = d->state == GV_MEASURING_OPENING || d->state == GV_MEASURING_OPEN;
  pthread_mutex_unlock(&d->lock);
  return wanted;
}

bool gv_device_measuring_give_up(gv_device_measuring *d) {
  if (!d->v->automatic) return false;
  pthread_mutex_lock(&d->lock);
  d->state = GV_MEASURING_FAILED;
  pthread_mutex_unlock(&d->lock);
  return true;
}
