/* The moves from a cell, in a fixed order, and their costs: the one source of all engines (cost.h has the
 * definition). */
#ifndef GV_COST_MOVES_H
#define GV_COST_MOVES_H

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "core/both.h"
#include "cost/lengths.h"

enum { GV_COST_MOST_MOVES = 32 };

/* Columns and rows of the moves; the first 8, 16 or all are used. */
extern const signed char gv_cost_moves[GV_COST_MOST_MOVES][2];

/* Both of the cells beside a corner are barriers. */
GV_BOTH bool gv_cost_closed(double one, double other) {
  return isnan(one) && isnan(other);
}

/* The place of a move's length among those of the rows around the row that it begins in. */
#define GV_COST_LENGTH(rows, columns)                                                                        \
  ((rows) < 0 ? ((rows)*4 - (rows)) * 4 + (columns) : (rows)*4 + (columns))

/*
 * Costs of all moves from the cell with friction f[0], in rows of `stride` cells; NaN: the move does not
 * exist. Three cells around it must be in memory. lengths: gv_cost_lengths_of of its row.
 */
GV_BOTH void gv_cost_of_moves(const double *f, ptrdiff_t stride, const double *lengths, int moves,
                              double *out) {
  const double *l = lengths;
  for (int i = 0; i < 2; i++) { /* 1: to the right or down */
    const int sign = i == 0 ? 1 : -1;
    *out++ = l[GV_COST_LENGTH(0, 1)] * (f[0] + f[sign]);
    *out++ = l[GV_COST_LENGTH(sign, 0)] * (f[0] + f[sign * stride]);
  }
  for (int i = 0; i < 4; i++) {
    const int x = (i & 1) == 0 ? 1 : -1, y = (i & 2) == 0 ? 1 : -1;
    const double cost = l[GV_COST_LENGTH(y, 1)] * (f[0] + f[y * stride + x]);
    *out++ = gv_cost_closed(f[x], f[y * stride]) ? (double)NAN : cost;
  }
  if (moves < 16) return;
  /* u: a step along the longer side, v: one along the shorter side. */
  for (int i = 0; i < 8; i++) {
    const int x = (i & 1) == 0 ? 1 : -1, y = (i & 2) == 0 ? 1 : -1;
    const ptrdiff_t u = (i & 4) == 0 ? x : y * stride, v = (i & 4) == 0 ? y * stride : x;
    const double length = (i & 4) == 0 ? l[GV_COST_LENGTH(y, 2)] : l[GV_COST_LENGTH(2 * y, 1)];
    *out++ = length * ((f[0] + f[2 * u + v]) + (f[u] + f[u + v]));
  }
  if (moves < 32) return;
  for (int i = 0; i < 8; i++) {
    const int x = (i & 1) == 0 ? 1 : -1, y = (i & 2) == 0 ? 1 : -1;
    const ptrdiff_t u = (i & 4) == 0 ? x : y * stride, v = (i & 4) == 0 ? y * stride : x;
    const double one = (i & 4) == 0 ? l[GV_COST_LENGTH(y, 3)] : l[GV_COST_LENGTH(3 * y, 1)];
    const double two = (i & 4) == 0 ? l[GV_COST_LENGTH(2 * y, 3)] : l[GV_COST_LENGTH(3 * y, 2)];
    const double cost = one * ((f[0] + f[3 * u + v]) + 2.0 * (f[u] + f[2 * u + v]));
    *out++ = gv_cost_closed(f[2 * u], f[u + v]) ? (double)NAN : cost;
    *out++ = two * ((2.0 * (f[0] + f[3 * u + 2 * v]) + (f[u] + f[2 * u + 2 * v])) +
                    3.0 * (f[u + v] + f[2 * u + v]));
  }
}

#endif
