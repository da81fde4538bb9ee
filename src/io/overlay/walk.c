/* Walking through all pixels, for their sums and for what is wrong with them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/overlay/overlay.h"
#include "io/parallel.h"

enum { LANES = GV_WINDOW_STEP /* sums over a row of pixels side by side, for the compiler's vectors */ };

/* A sum with the rounding error of its last addition (Kahan). */
typedef struct exact_sum {
  double value, lost;
} exact_sum;

static void sum_add(exact_sum *sum, double value) {
  double add = value - sum->lost, next = sum->value + add;
  sum->lost = (next - sum->value) - add;
  sum->value = next;
}

/* What the first walk finds in a row of pixels. */
typedef struct tally {
  double total, size, inside; /* size: of absolute values */
} tally;

/* The same while the row comes in pieces: pixel c is added in lane c % LANES. */
typedef struct lanes {
  double total[LANES], size[LANES], inside[LANES];
} lanes;

/* Adds the pixels [x, x + n) of a row, x a multiple of LANES; `share`: how much of each column counts as inside. */
static void add_pixels(lanes *to, const double *row, const double *share, int64_t x, int64_t n) {
  lanes l = *to;
  int64_t c = 0;
  for (; c + LANES <= n; c += LANES) {
    for (int i = 0; i < LANES; i++) {
      l.total[i] += row[c + i];
      l.size[i] += fabs(row[c + i]);
      l.inside[i] += share != NULL ? row[c + i] * share[x + c + i] : 0.0;
    }
  }
  for (int i = 0; c < n; c++, i++) {
    l.total[i] += row[c];
    l.size[i] += fabs(row[c]);
    l.inside[i] += share != NULL ? row[c] * share[x + c] : 0.0;
  }
  *to = l;
}

static tally add_up(const lanes *l) {
  tally t = {l->total[0], l->size[0], l->inside[0]};
  for (int i = 1; i < LANES; i++) {
    t.total += l->total[i];
    t.size += l->size[i];
    t.inside += l->inside[i];
  }
  return t;
}

/* One thread's part of the first walk. */
typedef struct walker {
  gv_raster_window window;
  double *row;  /* of a window */
  lanes *lanes; /* one a row of a window */
} walker;

static gv_status walker_make(gv_io *io, const gv_raster_in *raster, walker *w) {
  gv_status status = gv_raster_window_make(io, raster, &w->window);
  w->row = malloc((size_t)raster->window_w * sizeof *w->row);
  w->lanes = malloc((size_t)raster->window_h * sizeof *w->lanes);
  return w->row != NULL && w->lanes != NULL ? status : gv_io_fail_memory(io, "an input raster");
}

static void walker_free(walker *w) {
  gv_raster_window_free(&w->window);
  free(w->row);
  free(w->lanes);
}

/* Walks through the windows whose first row is y, and stores and adds up their rows. */
static gv_status walk_windows(gv_io *io, const gv_overlay *o, int worker, walker *w, int64_t y, tally *tallies) {
  const gv_raster_in *raster = &o->raster;
  gv_raster_window *window = &w->window;
  memset(w->lanes, 0, (size_t)raster->window_h * sizeof *w->lanes);
  for (int64_t x = 0; x < raster->width; x += raster->window_w) {
    gv_status status = gv_raster_window_read(io, raster, worker, x, y, window);
    if (status != GV_OK) return status;
    for (int64_t r = 0; r < window->h; r++) {
      const double *row;
      status = gv_raster_window_row(io, raster, worker, window, r, w->row, &row);
      if (status != GV_OK) return status;
      add_pixels(&w->lanes[r], row, o->x.inside, x, window->w);
      gv_raster_in_store(raster, x, y + r, window->w, row);
      bool finite = true;
      for (int i = 0; i < LANES; i++)
        finite = finite && isfinite(w->lanes[r].size[i]);
      for (int64_t c = 0; c < window->w && !finite; c++) {
        if (isfinite(row[c])) continue;
        return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--sum: %s: pixel (%" PRId64 ", %" PRId64 ") is infinite",
                          raster->path, x + c, y + r);
      }
    }
  }
  for (int64_t r = 0; r < window->h; r++)
    tallies[y + r] = add_up(&w->lanes[r]);
  return GV_OK;
}

/* Sums of the rows, in the order of the rows, of STRIP pixels or so first: the same bits whoever has walked. */
static void add_tallies(gv_overlay *o, const tally *tallies) {
  exact_sum total = {0.0, 0.0}, size = {0.0, 0.0}, inside = {0.0, 0.0};
  int64_t height = o->raster.height, rows = gv_raster_in_rows_at_once(&o->raster);
  for (int64_t first = 0; first < height; first += rows) {
    exact_sum strip_total = {0.0, 0.0}, strip_size = {0.0, 0.0}, strip_inside = {0.0, 0.0};
    for (int64_t y = first; y < first + rows && y < height; y++) {
      sum_add(&strip_total, tallies[y].total);
      sum_add(&strip_size, tallies[y].size);
      sum_add(&strip_inside, tallies[y].inside * (o->parallel ? o->y.inside[y] : 0.0));
    }
    sum_add(&total, strip_total.value);
    sum_add(&size, strip_size.value);
    sum_add(&inside, strip_inside.value);
  }
  o->total = total.value;
  o->size = size.value;
  o->inside = inside.value;
}

/* The walk, and who walks. */
typedef struct walking {
  const gv_overlay *o;
  tally *tallies;
  walker *walkers;
} walking;

static gv_status walk_some(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  const walking *all = user;
  gv_status status = GV_OK;
  for (int64_t i = first; i < end && status == GV_OK; i++) {
    int64_t y = i * all->o->raster.window_h;
    status = walk_windows(io, all->o, worker, &all->walkers[worker], y, all->tallies);
    if (status == GV_OK && gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
  }
  return status;
}

gv_status gv_overlay_walk(gv_io *io, gv_overlay *o) {
  const gv_raster_in *raster = &o->raster;
  int64_t windows = (raster->height + raster->window_h - 1) / raster->window_h;
  int workers = o->workers < windows ? o->workers : (int)windows;
  walking all = {.o = o};
  all.tallies = malloc((size_t)raster->height * sizeof *all.tallies);
  all.walkers = calloc((size_t)workers, sizeof *all.walkers);
  gv_status status = all.tallies != NULL && all.walkers != NULL ? GV_OK : gv_io_fail_memory(io, "an input raster");
  for (int i = 0; i < workers && status == GV_OK; i++)
    status = walker_make(io, raster, &all.walkers[i]);
  gv_io_loop loop = {.threads = workers, .count = windows, .user = &all};
  loop.grain = GV_OVERLAY_AT_ONCE / 8 / (raster->window_h * raster->width);
  if (loop.grain < 1) loop.grain = 1;
  gv_gdal_reset();
  if (status == GV_OK) status = gv_io_parallel_for(io, &loop, walk_some);
  if (status == GV_OK) add_tallies(o, all.tallies);
  o->raster.kept.complete = status == GV_OK;
  for (int i = 0; i < workers && all.walkers != NULL; i++)
    walker_free(&all.walkers[i]);
  free(all.walkers);
  free(all.tallies);
  return status;
}
