/* Areas of cells. */
#include "cells/area.h"

static const double pi = 3.14159265358979323846;

double gv_zone_area(const gv_ellipsoid *ellipsoid, double latitude, double other_latitude) {
  double angle[2] = {0.5 * (latitude + other_latitude), 0.5 * fabs(other_latitude - latitude)}, sine[2], cosine[2];
  gv_sincos_degrees(2, angle, sine, cosine);
  double low = sine[0] * cosine[1] - cosine[0] * sine[1], high = sine[0] * cosine[1] + cosine[0] * sine[1];
  double e2 = ellipsoid->eccentricity2, between = 2.0 * cosine[0] * sine[1]; /* = high - low */
  double rational = between * (1.0 + e2 * low * high) / ((1.0 - e2 * low * low) * (1.0 - e2 * high * high));
  double transcendental = between, cross = 1.0 - e2 * low * high;
  if (e2 > 0.0) {
    transcendental = atanh(sqrt(e2) * between / cross) / sqrt(e2);
  } else if (e2 < 0.0) {
    transcendental = atan2(sqrt(-e2) * between, cross) / sqrt(-e2);
  }
  double a = ellipsoid->semi_major;
  return 0.5 * a * a * (1.0 - e2) * (rational + transcendental);
}

/*
 * Areas of the cells of a row of an octant, pointing to its pole and away from it. At the colatitude c (pole 0, equator
 * 1) a cell has a width of x / (row + x) octants, or (1 - x) / (row + x), where c = (row + x) / N and x runs from 0 to
 * 1: integrate that along the meridian. Gauss-Legendre, in as many parts as a strong flattening needs.
 */
static void row_areas(const gv_ellipsoid *ellipsoid, int level, int64_t row, double area[2]) {
  static const double node[4] = {0.1834346424956498049, 0.5255324099163289858, 0.7966664774136267396,
                                 0.9602898564975362317};
  static const double weight[4] = {0.3626837833783619830, 0.3137066458778872873, 0.2223810344533744705,
                                   0.1012285362903762592};
  enum { NODES = 8, LARGEST = 4096 };
  double n = (double)(INT32_C(1) << level), e2 = ellipsoid->eccentricity2, a = ellipsoid->semi_major;
  /* The integrand's singularities are about sqrt(1 - e^2) from the interval's ends, in radians. */
  double wanted = fabs(e2) < 0.05 ? 1.0 : ceil(16.0 / (n * fmin(sqrt(1.0 - e2), 1.0 / sqrt(1.0 + fabs(e2)))));
  int parts = wanted < 1.0 ? 1 : wanted > LARGEST ? LARGEST : (int)wanted;
  area[0] = area[1] = 0.0;
  for (int part = 0; part < parts; part++) {
    double angle[NODES], x[NODES], sine[NODES], cosine[NODES];
    for (int i = 0; i < NODES; i++) {
      x[i] = ((double)part + 0.5 + (i < 4 ? 0.5 : -0.5) * node[i % 4]) / parts;
      angle[i] = 90.0 * (((double)row + x[i]) / n);
    }
    gv_sincos_degrees(NODES, angle, sine, cosine); /* of colatitudes */
    for (int i = 0; i < NODES; i++) {
      double w = 1.0 - e2 * cosine[i] * cosine[i];
      double value = 0.5 * weight[i % 4] * sine[i] / (w * w) / ((double)row + x[i]) / parts;
      area[0] += value * x[i];
      area[1] += value * (1.0 - x[i]);
    }
  }
  double scale = pi * pi / 4.0 / n * a * a * (1.0 - e2);
  area[0] *= scale;
  area[1] *= scale;
}

void gv_mesh_areas(const gv_mesh_tables *tables, int level, const gv_ellipsoid *ellipsoid, int64_t first,
                   int64_t count, double *area) {
  int bits = level < GV_MESH_LEAF_BITS ? level : GV_MESH_LEAF_BITS;
  int64_t end = first + count;
  for (int64_t index = first >> 2 * bits; index << 2 * bits < end; index++) {
    gv_mesh_part leaf;
    double rows[1 << GV_MESH_LEAF_BITS][2];
    gv_mesh_part_at(level, bits, index, &leaf);
    for (int row = 0; row < 1 << bits; row++)
      row_areas(ellipsoid, level, gv_mesh_part_row(&leaf) + row, rows[row]);
    const gv_mesh_order *order = gv_mesh_order_of(tables, &leaf);
    for (int64_t i = 0; i < gv_mesh_part_count(&leaf); i++) {
      int64_t at = leaf.first + order->number[i] - first;
      if (at >= 0 && at < count) area[at] = rows[order->row[i]][order->place[i] & 1];
    }
  }
}

static double within_poles(double latitude) {
  return latitude > 90.0 ? 90.0 : latitude < -90.0 ? -90.0 : latitude;
}

void gv_cells_areas(const gv_cells *cells, const gv_tile *tile, double *area, int64_t stride) {
  const double *g = cells->grid.geotransform;
  if (cells->grid.kind == GV_GRID_QTM) {
    gv_mesh_areas(cells->tables, cells->grid.level, &cells->ellipsoid, tile->c0, tile->c1 - tile->c0, area);
    return;
  }
  double one = fabs(g[1] * g[5] - g[2] * g[4]);
  for (int64_t r = tile->r0; r < tile->r1; r++) {
    if (cells->grid.kind == GV_GRID_LONLAT) {
      double top = within_poles(g[3] + (double)r * g[5]), bottom = within_poles(g[3] + (double)(r + 1) * g[5]);
      one = fabs(g[1]) * (pi / 180.0) * gv_zone_area(&cells->ellipsoid, top, bottom);
    }
    for (int64_t c = 0; c < tile->c1 - tile->c0; c++)
      area[(r - tile->r0) * stride + c] = one;
  }
}
