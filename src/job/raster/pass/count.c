/*
 * Statistics without a raster on devices: only sums are copied from them. The grid is cut into strips of
 * whole blocks, which are assigned to devices one after another. Each device has its own thread, object and
 * sums; sums are exact, so the assignment does not change the result. If a device fails, its strip and the
 * remaining ones are left to the CPUs, unless the device was requested.
 */
#include "job/raster/pass/count.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cells/facts.h"
#include "core/device_rule.h"
#include "gpuvoronoi/experimental.h"
#include "io/parallel.h"
#include "job/backends.h"
#include "job/raster/compute/grids.h"

enum {
  MOST_DEVICES = 16,
  CELLS_AT_ONCE = 1 << 30,
  CELLS_A_DEVICE = 1 << 28, /* fewer are not worth another device */
  STRIPS_A_DEVICE = 4       /* of several, at least: they need not all be as fast */
};

/* Whether a device can make the statistics alone: only they are requested, and all cells have a seed. */
static bool only_counts(const gv_run_work *w) {
  const gv_job *j = w->plan->job;
  const gv_run_inputs *in = w->in;
  return w->source.computes && !gv_cells_of_lists(&j->grid.cells_of) && j->k == 1 && j->sum_count == 0 &&
         in->mask == NULL && in->cells.cells == NULL && in->seeds->shapes == NULL &&
         j->weighting == GV_UNWEIGHTED && !isfinite(in->max_distance) &&
         !gv_facts_of(&in->grid.grid)->may_lack_places &&
         (gv_job_backend_is_automatic(j->backend) || gv_job_backend_culls(j->backend, true));
}

static bool worth_a_device(const gv_run_work *w) {
  const gv_run_plan *plan = w->plan;
  return !gv_job_backend_is_automatic(w->plan->job->backend) || w->plan->job->device_count > 0 ||
         gv_device_pays_for_statistics((double)plan->width * (double)plan->height, plan->distances,
                                       w->in->grid.metric == GV_GEODESIC, w->worker_count);
}

/* The devices to use; at least one, which may be -1: the first usable one. */
static int choose_devices(const gv_run_work *w, int device[MOST_DEVICES]) {
  const gv_job *j = w->plan->job;
  gv_context *context = w->in->context;
  double cells = (double)w->plan->width * (double)w->plan->height;
  int count = 0, found = 0;
  device[0] = j->device;
  for (; count < j->device_count && count < MOST_DEVICES; count++)
    device[count] = j->devices[count];
  if (count > 0 || j->device >= 0 || cells <= CELLS_A_DEVICE) return count > 0 ? count : 1;
  if (gv_device_count(context, &found) != GV_OK) return 1;
  for (int i = 0; i < found && count < MOST_DEVICES && (double)count * CELLS_A_DEVICE < cells; i++) {
    gv_device_info info;
    gv_device_info_init(&info);
    if (gv_device_get(context, i, &info) == GV_OK && info.usable) device[count++] = i;
  }
  return count > 0 ? count : 1;
}

/* A device at work. */
typedef struct counter {
  int device;
  gv_context *context;
  gv_voronoi *voronoi;
  gv_statistics *statistics;
} counter;

typedef struct counting {
  gv_io *io;
  gv_run_work *work;
  gv_run_progress *progress;
  gv_run_counted *strips;
  int64_t total; /* blocks */
  counter counter[MOST_DEVICES];
  int devices;
  pthread_mutex_t lock; /* guards the following members, and merging */
  int64_t next;
} counting;

/* The first device has what the run has. */
static gv_status make_counter(const counting *c, counter *n) {
  const gv_run_work *w = c->work;
  gv_context_options options;
  gv_context_options_init(&options);
  if (n == &c->counter[0]) {
    n->context = w->in->context;
    n->voronoi = w->voronoi;
    n->statistics = w->statistics;
    return GV_OK;
  }
  options.threads = w->in->threads / c->devices > 1 ? w->in->threads / c->devices : 1;
  options.device = n->device;
  options.progress = gv_io_go_on;
  options.progress_user = c->io;
  GV_TRY(gv_context_create(&options, &n->context));
  GV_TRY(gv_run_make_voronoi(w, n->context, &n->voronoi));
  return gv_run_make_statistics(w, n->context, n->voronoi, &n->statistics);
}

static void free_counter(const counting *c, counter *n) {
  if (n == &c->counter[0]) return;
  gv_statistics_destroy(n->statistics);
  gv_voronoi_destroy(n->voronoi);
  gv_context_destroy(n->context);
}

static int64_t strip_end(const counting *c, int64_t number) {
  int64_t end = (number + 1) * c->strips->blocks;
  return end < c->total ? end : c->total;
}

static gv_status count_strip(const counting *c, const counter *n, int64_t number) {
  const gv_run_work *w = c->work;
  int64_t width = w->plan->width, height = w->plan->height, across = gv_run_blocks_across(w);
  int64_t first = number * c->strips->blocks, end = strip_end(c, number);
  gv_statistics_cells strip;
  gv_statistics_cells_init(&strip);
  gv_array_options there;
  gv_array_options_init(&there);
  there.memory = GV_MEMORY_CUDA;
  strip.array_options = &there;
  if (height == 1) {
    strip.column = first * w->block_w;
    strip.columns = (end * w->block_w < width ? end * w->block_w : width) - strip.column;
  } else {
    strip.row = first / across * w->block_h;
    strip.rows = (end / across * w->block_h < height ? end / across * w->block_h : height) - strip.row;
  }
  return gv_statistics_add(n->context, n->statistics, &strip);
}

/* Merges all sums of a device. */
static gv_status count_merge(const counting *c, const counter *n) {
  const gv_run_work *w = c->work;
  int64_t rows = w->plan->job->group ? w->plan->groups.count : w->in->regions->count;
  void *sums = malloc(gv_statistics_sums_size(n->statistics));
  gv_status status = sums != NULL ? GV_OK : GV_ERROR_OUT_OF_MEMORY;
  for (int64_t i = 0; i < rows && status == GV_OK; i++) {
    status = gv_statistics_get_sums(n->context, n->statistics, i, sums);
    if (status == GV_OK) status = gv_statistics_add_sums(n->context, w->statistics, i, sums);
  }
  free(sums);
  return status;
}

/* Runs one device until no strips are left. */
static gv_status count_by(gv_io *io, void *user, int worker, int64_t number, int64_t end) {
  counting *c = user;
  counter *n = &c->counter[number];
  gv_run_counted *strips = c->strips;
  gv_status status = make_counter(c, n);
  bool goes_on = true;
  (void)end; /* one by one */
  while (status == GV_OK && goes_on && !gv_io_cancelled(io)) {
    pthread_mutex_lock(&c->lock);
    int64_t i = c->next < strips->count ? c->next++ : -1;
    pthread_mutex_unlock(&c->lock);
    if (i < 0) break;
    status = count_strip(c, n, i);
    if (status != GV_OK) break;
    pthread_mutex_lock(&c->lock);
    strips->done[i] = true;
    strips->done_blocks += strip_end(c, i) - i * strips->blocks;
    int64_t done = strips->done_blocks;
    c->work->on_device = true;
    pthread_mutex_unlock(&c->lock);
    /* Only one worker reports. */
    goes_on =
        worker != 0 || gv_run_report_progress((double)done / (double)c->total, "", c->progress) != FALSE;
  }
  bool left = status == GV_ERROR_UNSUPPORTED || gv_job_backend_is_automatic(c->work->plan->job->backend);
  if (status != GV_OK && !left && n->context == NULL) return gv_io_fail_memory(io, "a device's statistics");
  if (status != GV_OK && !left) return gv_io_pass_on_library(io, n->context, status);
  if (!goes_on || gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
  if (number == 0 || n->statistics == NULL) return GV_OK;
  status = count_merge(c, n);
  return status == GV_OK
             ? GV_OK
             : gv_io_fail(io, status, "sums of device %d: %s", n->device, gv_status_message(status));
}

static gv_status count_cut(gv_io *io, const counting *c) {
  const gv_run_work *w = c->work;
  gv_run_counted *out = c->strips;
  bool mesh = w->plan->height == 1; /* a strip has rows of blocks, of a mesh blocks */
  int64_t unit = mesh ? 1 : gv_run_blocks_across(w), units = c->total / unit;
  int64_t each = CELLS_AT_ONCE / (mesh ? w->block_w : w->plan->width * w->block_h);
  if (c->devices > 1 && each > units / (STRIPS_A_DEVICE * c->devices))
    each = units / (STRIPS_A_DEVICE * c->devices);
  if (each < 1) each = 1;
  out->blocks = each * unit;
  out->count = (units + each - 1) / each;
  out->done = calloc((size_t)out->count, sizeof *out->done);
  return out->done != NULL ? GV_OK : gv_io_fail_memory(io, "the strips of a grid");
}

gv_status gv_run_count(gv_io *io, gv_run_work *w, gv_run_progress *progress, gv_run_counted *out) {
  int device[MOST_DEVICES];
  if (!only_counts(w) || !worth_a_device(w)) return GV_OK;
  counting c = {.io = io, .work = w, .progress = progress, .strips = out, .total = gv_run_blocks(w)};
  c.devices = choose_devices(w, device);
  GV_TRY(count_cut(io, &c));
  for (int i = 0; i < c.devices; i++)
    c.counter[i].device = device[i];
  pthread_mutex_init(&c.lock, NULL);
  gv_io_loop loop = {.threads = c.devices, .count = c.devices, .grain = 1, .user = &c};
  gv_status status = gv_io_parallel_for(io, &loop, count_by);
  for (int i = 0; i < c.devices; i++)
    free_counter(&c, &c.counter[i]);
  pthread_mutex_destroy(&c.lock);
  if (status == GV_OK &&
      gv_run_report_progress((double)out->done_blocks / (double)c.total, "", progress) == FALSE)
    status = gv_io_fail_cancelled(io);
  return status;
}
