#include "cost/lengths.h"

#include "exact/canonical.h"

/* The exact distance (exact/distance.h). */
static double lengths_canonical(const gv_cost_lengths *l, const double p[2], const double q[2]) {
  double a[3], b[3], length;
  if (l->metric == GV_EUCLIDEAN) return gv_canonical_distance(p, q, 2, GV_EUCLIDEAN);
  double lon[2] = {p[0], q[0]}, lat[2] = {p[1], q[1]};
  for (int i = 0; i < 2; i++)
    gv_normalize_lonlat(&lon[i], &lat[i]);
  if (l->metric == GV_GEODESIC) {
    geod_inverse(&l->geodesic.geod, lat[0], lon[0], lat[1], lon[1], &length, NULL, NULL);
    return length;
  }
  gv_lonlat_to_vectors(&l->ellipsoid, false, 1, &lon[0], &lat[0], &a[0], &a[1], &a[2]);
  gv_lonlat_to_vectors(&l->ellipsoid, false, 1, &lon[1], &lat[1], &b[0], &b[1], &b[2]);
  return gv_canonical_distance(a, b, 3, GV_EUCLIDEAN);
}

double gv_cost_length(const gv_cost_lengths *l, const double p[2], const double q[2]) {
  return gv_weigh(&l->weigher, lengths_canonical(l, p, q), 0.0);
}

void gv_cost_center(const gv_cost_settings *o, int64_t column, int64_t row, double out[2]) {
  const double *g = o->geotransform, x = (double)column + 0.5, y = (double)row + 0.5;
  out[0] = g[0] + x * g[1] + y * g[2];
  out[1] = g[3] + x * g[4] + y * g[5];
  if (o->metric != GV_EUCLIDEAN) out[1] = fmin(fmax(out[1], -90.0), 90.0);
}

/* The divisor of a move's length in its formula (cost.h). */
static double lengths_parts(int columns, int rows) {
  const int longer = columns > rows ? columns : rows, shorter = columns > rows ? rows : columns;
  return longer == 1 ? 2.0 : longer == 2 ? 4.0 : shorter == 1 ? 6.0 : 12.0;
}

gv_status gv_cost_lengths_make(gv_context *context, const gv_cost_settings *o, gv_cost_lengths *out) {
  enum { SIDE = GV_COST_LONGEST + 1 };
  out->metric = o->metric;
  out->allocator = context->allocator;
  GV_TRY(gv_ellipsoid_init(context, o->semi_major, o->flattening, &out->ellipsoid));
  out->weigher = gv_weigher_of(GV_ADDITIVE, o->metric, &out->ellipsoid);
  gv_geodesic_init(&out->ellipsoid, &out->geodesic);
  out->of_row =
      gv_allocate_zeroed(&out->allocator, o->height + GV_COST_LONGEST, SIDE * SIDE * sizeof *out->of_row);
  if (out->of_row == NULL) return gv_fail_memory(context, "the lengths of moves");
  double *next = out->of_row + GV_COST_LONGEST * SIDE * SIDE;
  for (int64_t row = 0; row < o->height; row++) {
    for (int i = 0; i < SIDE * SIDE; i++) {
      double from[2], to[2];
      gv_cost_center(o, 0, row, from);
      gv_cost_center(o, i % SIDE, row + i / SIDE, to);
      bool useful = row + i / SIDE < o->height && i > 0 && i / SIDE + i % SIDE <= 5;
      *next++ = useful ? gv_cost_length(out, from, to) / lengths_parts(i % SIDE, i / SIDE) : 0.0;
    }
  }
  return GV_OK;
}

void gv_cost_lengths_free(gv_cost_lengths *l) {
  gv_release(&l->allocator, l->of_row);
}
