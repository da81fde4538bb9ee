#include "cost/start.h"

#include <inttypes.h>
#include <string.h>

#include "cost/cells.h"
#include "cost/moves.h"

enum {
  FIRST_ROOM = 64,
  REPORT = 1 << 16 /* starts from one call of the progress function to the next one */
};

void gv_cost_place(const gv_cost_settings *o, double x, double y, double out[2]) {
  const double *g = o->geotransform, across = x - g[0], down = y - g[3];
  const double determinant = g[1] * g[5] - g[2] * g[4];
  out[0] = (across * g[5] - down * g[2]) / determinant;
  out[1] = (down * g[1] - across * g[4]) / determinant;
}

bool gv_cost_cell_of(const gv_cost *c, double x, double y, double from[2], int64_t *column, int64_t *row) {
  const double width = (double)c->is.width, height = (double)c->is.height;
  if (!(isfinite(x) && isfinite(y))) return false;
  gv_cost_place(&c->is, x, y, from);
  if (c->is.metric != GV_EUCLIDEAN) { /* the turn that lies in the raster */
    const double turn = 360.0 / fabs(c->is.geotransform[1]);
    from[0] -= turn * floor(from[0] / turn);
    if (c->wraps && from[0] >= width) from[0] = 0.0;
  }
  if (!(from[0] >= 0.0 && from[0] <= width && from[1] >= 0.0 && from[1] <= height)) return false;
  *column = from[0] < width ? (int64_t)from[0] : c->is.width - 1;
  *row = from[1] < height ? (int64_t)from[1] : c->is.height - 1;
  return true;
}

/* The share of the way from `from` to the center at which it leaves cell `cell`, for cell + step; 1: it does
 * not. */
static double start_leaves(double from, int64_t cell, int step) {
  double border = (double)(step > 0 ? cell + 1 : cell), to = (double)(cell + step) + 0.5;
  return step == 0 ? 1.0 : (border - from) / (to - from);
}

/* The mean friction of a straight line from `from` in cell (column, row) to a center beside it; NaN: it does
 * not exist. */
static double start_friction(const double *f, int64_t stride, const double from[2], int64_t column,
                             int64_t row, int columns, int rows) {
  const double *end = f + rows * stride + columns;
  double x = start_leaves(from[0], column, columns), y = start_leaves(from[1], row, rows);
  if (columns == 0 || rows == 0) {
    double share = x < y ? x : y;
    return share * f[0] + (1.0 - share) * end[0];
  }
  if (x == y) {
    if (gv_cost_closed(f[columns], f[rows * stride])) return (double)NAN;
    return x * f[0] + (1.0 - x) * end[0];
  }
  double between = x < y ? f[columns] : f[rows * stride], first = x < y ? x : y, second = x < y ? y : x;
  return first * f[0] + (second - first) * between + (1.0 - second) * end[0];
}

/* Cells in a file leave to all starts half of what the file may have in memory. */
static gv_status start_grow(gv_context *context, gv_cost *c, gv_cost_starts *starts) {
  const double most = c->is.folder != NULL ? 0.5 * c->is.resident / (double)sizeof *starts->entries : 1e18;
  const int64_t twice = starts->room > 0 ? 2 * starts->room : FIRST_ROOM;
  const int64_t room = (double)twice < most ? twice : (int64_t)most;
  if (room <= starts->count)
    return gv_fail(
        context, GV_ERROR_UNSUPPORTED,
        "travel cost: the seeds start in more than %" PRId64 " cells, too many for the memory allowed", room);
  gv_cost_entry *more = gv_allocate(&c->allocator, room, sizeof *more);
  if (more == NULL) return gv_fail_memory(context, "the starts of travel cost");
  if (starts->count > 0) memcpy(more, starts->entries, (size_t)starts->count * sizeof *more);
  gv_release(&c->allocator, starts->entries);
  starts->entries = more;
  starts->room = room;
  return GV_OK;
}

static gv_status start_add(gv_context *context, gv_cost *c, gv_cost_starts *starts, gv_cost_entry entry) {
  if (starts->count == starts->room) GV_TRY(start_grow(context, c, starts));
  starts->entries[starts->count++] = entry;
  if (starts->count % REPORT == 0 && context->progress != NULL &&
      !context->progress(0.0, context->progress_user))
    return gv_fail(context, GV_ERROR_CANCELLED, "cancelled");
  return GV_OK;
}

gv_status gv_cost_start_at(gv_context *context, gv_cost *c, int64_t column, int64_t row, int32_t seed,
                           gv_cost_starts *starts, bool *starts_here) {
  const int64_t at = gv_cost_at(c, column, row);
  double friction;
  gv_cost_read(c, column, row, 1, &(gv_cost_arrays){.friction = &friction});
  if (isnan(friction)) return GV_OK;
  *starts_here = true;
  return start_add(context, c, starts, (gv_cost_entry){0.0, seed, (int32_t)at});
}

gv_status gv_cost_start_in(gv_context *context, gv_cost *c, double x, double y, int32_t seed,
                           gv_cost_starts *starts, bool *starts_here) {
  double from[2];
  int64_t column, row;
  *starts_here = false;
  if (!gv_cost_cell_of(c, x, y, from, &column, &row)) return GV_OK;
  return gv_cost_start_at(context, c, column, row, seed, starts, starts_here);
}

gv_status gv_cost_start(gv_context *context, gv_cost *c, double x, double y, int32_t seed,
                        gv_cost_starts *starts, bool *starts_here) {
  const double seat[2] = {x, y};
  double from[2];
  int64_t column, row;
  *starts_here = false;
  if (!gv_cost_cell_of(c, x, y, from, &column, &row)) return GV_OK;
  const int64_t at = gv_cost_at(c, column, row);
  gv_cost_near near;
  gv_cost_look(c, column, row, &near);
  if (isnan(near.friction[0])) return GV_OK;
  *starts_here = true;
  for (int i = 0; i < 9; i++) {
    int columns = i % 3 - 1, rows = i / 3 - 1;
    double share = start_friction(near.friction, near.stride, from, column, row, columns, rows);
    if (isnan(share)) continue;
    double center[2];
    gv_cost_center(&c->is, column + columns, row + rows, center);
    double cost = gv_cost_length(&c->lengths, seat, center) * share;
    if (isinf(cost) && isinf(c->is.most)) c->overflows = true;
    if (!(cost <= c->is.most && isfinite(cost))) continue; /* no way */
    const int64_t cell = gv_cost_wrapped(c, column + columns, at + rows * c->stride + columns);
    GV_TRY(start_add(context, c, starts, (gv_cost_entry){cost, seed, (int32_t)cell}));
  }
  return GV_OK;
}
