/* See device_measuring.h. Gain on an H100: docs/benchmarks.md. */
#include "voronoi/pipeline/device_measuring.h"

#include <string.h>

#include "core/device_rule.h"
#include "search/cuda_module.h"

void gv_device_measuring_init(gv_device_measuring *d, const gv_context *context, const gv_voronoi *v) {
  memset(d, 0, sizeof *d);
  pthread_mutex_init(&d->lock, NULL);
  gv_context_for_worker(context, &d->context);
  d->context.threads = context->threads;
  d->v = v;
}

/* Called by one thread. Restores the current device. */
static gv_status open_raster(gv_device_measuring *d) {
  gv_context *context = &d->context;
  const char *reason = "";
  void *queue = NULL;
  if (gv_cuda_probe(&reason) != GV_OK) return gv_fail(context, GV_ERROR_UNAVAILABLE, "cuda-tile: %s", reason);
  const gv_cuda_module *cuda = gv_cuda_module_get(&reason);
  GV_TRY(cuda->measuring->begin(context, -1, &queue, &d->number));
  gv_status status = cuda->raster->open(context, d->v, d->number, NULL, &d->raster);
  if (status != GV_OK) d->raster = NULL;
  if (status == GV_OK) status = cuda->measuring->prepare(context, d->raster);
  if (status != GV_OK && d->raster != NULL) {
    cuda->raster->close(context, d->raster);
    d->raster = NULL;
  }
  cuda->measuring->end(context, queue);
  d->device = cuda->measuring;
  return status;
}

void gv_device_measuring_clear(gv_device_measuring *d) {
  const char *reason;
  if (d->raster != NULL) gv_cuda_module_get(&reason)->raster->close(&d->context, d->raster);
  pthread_mutex_destroy(&d->lock);
}

static bool pays(const gv_device_measuring *d) {
  const gv_voronoi *v = d->v;
  return gv_device_pays_for_measuring((double)v->cells.grid.width * (double)v->cells.grid.height * v->k,
                                      v->cells.metric == GV_GEODESIC, d->context.threads, gv_cuda_started());
}

gv_status gv_device_measuring_find(gv_context *context, gv_device_measuring *d, const gv_cuda_raster **out) {
  gv_status status = GV_OK;
  pthread_mutex_lock(&d->lock);
  if (d->state == GV_MEASURING_UNDECIDED && d->v->automatic) {
    bool open = pays(d) && open_raster(d) == GV_OK;
    d->state = open ? GV_MEASURING_BY_DEVICE : GV_MEASURING_ON_CPUS;
  } else if (d->state == GV_MEASURING_UNDECIDED) {
    status = open_raster(d);
    if (status == GV_OK) d->state = GV_MEASURING_BY_DEVICE;
    status = gv_take_error(context, status, &d->context);
  }
  *out = d->state == GV_MEASURING_BY_DEVICE ? d->raster : NULL;
  pthread_mutex_unlock(&d->lock);
  return status;
}

bool gv_device_measuring_give_up(gv_device_measuring *d) {
  if (!d->v->automatic) return false;
  pthread_mutex_lock(&d->lock);
  d->state = GV_MEASURING_ON_CPUS;
  pthread_mutex_unlock(&d->lock);
  return true;
}
