/* Segments are halved as long as the image of their middle is off the middle of their image. */
#include "io/out/diagram/projected.h"

#include <math.h>

enum { PROJECTED_DEPTH = 16 };

typedef struct projected_point {
  double from[2], to[2];
} projected_point;

typedef struct projector {
  gv_io *io;
  gv_context *context;
  gv_operation *operation;
  double tolerance;
  gv_pieces *out;
} projector;

static gv_status projected_at(const projector *p, double x, double y, projected_point *out) {
  *out = (projected_point){{x, y}, {x, y}};
  if (gv_operation_apply(&out->to[0], &out->to[1], 1, p->operation) != 0)
    return gv_io_fail_memory(p->io, "a coordinate operation");
  if (fabs(out->to[0]) < HUGE_VAL && fabs(out->to[1]) < HUGE_VAL) return GV_OK;
  return gv_io_fail(
      p->io, GV_ERROR_PROJECTION,
      "longitude %.6g, latitude %.6g is outside the system of --crs; omit --crs, or use a system for this area", x,
      y);
}

/* Points between two of them. */
static gv_status projected_between(const projector *p, const projected_point *a, const projected_point *b,
                                   int depth) {
  projected_point middle;
  if (depth == PROJECTED_DEPTH) return GV_OK;
  GV_TRY(projected_at(p, 0.5 * (a->from[0] + b->from[0]), 0.5 * (a->from[1] + b->from[1]), &middle));
  double dx = b->to[0] - a->to[0], dy = b->to[1] - a->to[1], px = middle.to[0] - a->to[0],
         py = middle.to[1] - a->to[1];
  /* Far out some projections grow without bound. */
  double tolerance = p->tolerance + 2e-8 * (fabs(middle.to[0]) + fabs(middle.to[1]));
  double square = dx * dx + dy * dy, along = square > 0.0 ? (px * dx + py * dy) / square : 0.0;
  if (hypot(px - along * dx, py - along * dy) <= 0.5 * tolerance && along > 0.0 && along < 1.0) return GV_OK;
  if (square == 0.0 && px == 0.0 && py == 0.0) return GV_OK;
  GV_TRY(projected_between(p, a, &middle, depth + 1));
  GV_TRY(gv_io_pass_on_library(p->io, p->context, gv_pieces_add(p->context, p->out, middle.to[0], middle.to[1])));
  return projected_between(p, &middle, b, depth + 1);
}

gv_status gv_pieces_project(gv_io *io, gv_context *context, const gv_pieces *pieces, gv_operation *operation,
                            double tolerance, gv_pieces *out) {
  projector p = {io, context, operation, tolerance, out};
  gv_pieces_empty(out);
  for (int64_t i = 0; i < pieces->count; i++) {
    projected_point last, now;
    GV_TRY(gv_io_pass_on_library(io, context, gv_pieces_begin(context, out)));
    for (int64_t j = pieces->first[i]; j < pieces->first[i + 1]; j++) {
      GV_TRY(projected_at(&p, pieces->x[j], pieces->y[j], &now));
      /* Without cuts a line may cross 180 degrees: its middle is elsewhere. */
      bool far = j > pieces->first[i] && fabs(now.from[0] - last.from[0]) > 180.0;
      if (j > pieces->first[i] && !far && isfinite(tolerance)) GV_TRY(projected_between(&p, &last, &now, 0));
      GV_TRY(gv_io_pass_on_library(io, context, gv_pieces_add(context, out, now.to[0], now.to[1])));
      last = now;
    }
  }
  return GV_OK;
}
