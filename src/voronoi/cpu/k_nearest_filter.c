/* The ranking in floats, see k_nearest_filter.h. */
#include "voronoi/cpu/k_nearest_filter.h"
#include "exact/lanes.h"

/* Terms of all candidates except the first, for which the value is 0. */
typedef struct filter_tables {
  float p[GV_FILTER_ROWS];
  float row[GV_FILTER_MOST][GV_FILTER_ROWS];
  float column[GV_FILTER_MOST][GV_FILTER_COLUMNS];
  float margin;
  uint32_t tag_bits;
} filter_tables;

/* Data of candidates, computed before the cells: see k_nearest_filter.h. */
typedef struct filter_candidates {
  double dx[GV_FILTER_MOST], dy[GV_FILTER_MOST], dz[GV_FILTER_MOST];
  double middle[GV_FILTER_MOST]; /* K / 2 */
  double radial[GV_FILTER_MOST]; /* X0 Dx + Y0 Dy */
} filter_candidates;

/* False where numbers do not suit floats. */
GV_INLINE bool filter_tables_make(const gv_k_nearest_filter *f, filter_tables *t) {
  const gv_leaf *leaf = f->leaf;
  filter_candidates c;
  int32_t middle_row = leaf->rows / 2, middle_column = leaf->columns / 2;
  double p0 = f->globe ? leaf->row_p[middle_row] : 1.0, z0 = leaf->row_z[middle_row];
  double x0 = leaf->column_x[middle_column], y0 = f->globe ? leaf->column_y[middle_column] : 0.0;
  /* The middle cell, with coordinates as the candidates have them. */
  double mx = p0 * x0, my = f->globe ? p0 * y0 : z0, mz = f->globe ? z0 : 0.0;
  const double *center = f->bound->center;
  double ax = mx - center[0], ay = my - center[1], az = mz - center[2];
  double reach = (f->bound->radius + sqrt(ax * ax + ay * ay + az * az)) * (1.0 + 1e-9);

  /* Of the whole list, so that vectors are read as they were written. */
  const gv_candidates *list = f->candidates;
  double g[GV_FILTER_MOST], w2[GV_FILTER_MOST];
  int32_t pivot = f->place[0];
  vd px = vd_all(list->x[pivot]), py = vd_all(list->y[pivot]), pz = vd_all(f->globe ? list->z[pivot] : 0.0);
  vd half = vd_all(0.5), zero = vd_all(0.0);
  for (int32_t i = 0; i < list->count; i += VD_LANES) {
    vd sx = vd_load(list->x + i), sy = vd_load(list->y + i), sz = f->globe ? vd_load(list->z + i) : zero;
    vd dx = sx - px, dy = sy - py, dz = sz - pz;
    vd ux = sx - mx, uy = sy - my, uz = sz - mz;
    vd vx = ux + (px - mx), vy = uy + (py - my);
    vd vz = uz + (pz - mz);
    vd k = half * vd_fma_loose(dz, vz, vd_fma_loose(dy, vy, dx * vx));
    vd size = vd_sqrt(vd_square(3, dx, dy, dz));
    vd_store(g + i, vd_fma_loose(vd_all(3.0 * reach), size, vd_abs(k)));
    vd_store(w2 + i, vd_square(3, ux, uy, uz));
    vd_store(c.dx + i, dx);
    vd_store(c.dy + i, dy);
    vd_store(c.dz + i, dz);
    vd_store(c.middle + i, k);
    vd_store(c.radial + i, vd_fma_loose(vd_all(x0), dx, y0 * dy));
  }
  double most = 0.0, farthest = w2[pivot];
  for (int32_t i = 1; i < f->count; i++) {
    int32_t at = f->place[i];
    most = g[at] > most ? g[at] : most;
    farthest = w2[at] > farthest ? w2[at] : farthest;
  }
  double w = sqrt(farthest) + reach, size = f->globe ? 2.0 : 0.0;
  if (!(most > 1e-200 && most < 1e140 && w < 1e140)) return false;
  double scale = 1.0 / most;
  t->tag_bits = f->count <= 2 ? 1U : f->count <= 4 ? 2U : f->count <= 8 ? 3U : 4U;
  double margin = 0x1p-24 * (10.0 + (double)(4U << t->tag_bits));
  margin += scale * (4e-14 * (size * w + w * w) + 1e-30 * size * size + 0.5 * f->slack);
  if (!(margin < 1.0)) return false;
  t->margin = (float)(margin * (1.0 + 1e-6));

  enum { WIDE = 2 * VD_LANES };
  for (int32_t r = 0; r < leaf->rows; r += WIDE) {
    vd p[2], dp[2], dz[2];
    for (int n = 0; n < 2; n++) {
      p[n] = f->globe ? vd_load(leaf->row_p + r + n * VD_LANES) : vd_all(1.0);
      dp[n] = (p[n] - p0) * scale;
      dz[n] = (vd_load(leaf->row_z + r + n * VD_LANES) - z0) * scale;
    }
    vd_store_floats(t->p + r, p[0], p[1]);
    for (int32_t i = 1; i < f->count; i++) {
      int32_t own = f->place[i];
      vd k = vd_all(c.middle[own] * scale), b = vd_all(c.radial[own]);
      vd z = vd_all(f->globe ? c.dz[own] : c.dy[own]);
      vd term[2];
      for (int n = 0; n < 2; n++)
        term[n] = k - vd_fma_loose(dp[n], b, dz[n] * z);
      vd_store_floats(t->row[i] + r, term[0], term[1]);
    }
  }
  for (int32_t column = 0; column < leaf->columns; column += WIDE) {
    vd dx[2], dy[2];
    for (int n = 0; n < 2; n++) {
      int32_t at = column + n * VD_LANES;
      dx[n] = (vd_load(leaf->column_x + at) - x0) * scale;
      dy[n] = f->globe ? (vd_load(leaf->column_y + at) - y0) * scale : vd_all(0.0);
    }
    for (int32_t i = 1; i < f->count; i++) {
      vd term[2];
      for (int n = 0; n < 2; n++) {
        term[n] = dx[n] * c.dx[f->place[i]];
        if (f->globe) term[n] = vd_fma_loose(dy[n], vd_all(c.dy[f->place[i]]), term[n]);
      }
      vd_store_floats(t->column[i] + column, term[0], term[1]);
    }
  }
  return true;
}

/* Puts a value into the first `depth` of a sorted column; the last of them falls out. */
GV_INLINE void sink(const int depth, vf *value, vf v) {
  for (int n = 0; n < depth; n++) {
    vf lower = vf_min(value[n], v);
    v = vf_max(value[n], v);
    value[n] = lower;
  }
}

/* Outputs, kept apart from inputs that they might alias. */
typedef struct filter_out {
  int32_t *row; /* of the first band */
  int64_t band_stride;
  int32_t columns, bands, count;
} filter_out;

/* Finds the `kept` nearest of `vectors` vectors of cells of one row from column `at`. */
GV_INLINE vf filter_cells_k(const int kept, const int vectors, const filter_tables *t, filter_out to,
                            vf_table table, vi mask, int32_t row, int32_t at, vf closest) {
  vf value[2][GV_FILTER_BANDS + 1], p = vf_all(t->p[row]);
  for (int v = 0; v < vectors; v++)
    value[v][0] = vf_all(0.0F);
#define GV_VALUE(i, v)                                                                                       \
  vf_select_bits(mask, (vf)vi_all((int32_t)(i)),                                                             \
                 vf_fma_loose(-p, vf_load(t->column[i] + at + (v)*VF_LANES), vf_all(t->row[i][row])))
    /* The first ones only have each other to be compared with. */
#define GV_FIRST(i)                                                                                          \
  for (int v = 0; kept > (i) && v < vectors; v++) {                                                          \
    value[v][i] = vf_all(INFINITY);                                                                          \
    sink((i) + 1, value[v], GV_VALUE(i, v));                                                                 \
  }
  GV_FIRST(1)
  GV_FIRST(2)
  GV_FIRST(3)
  GV_FIRST(4)
  GV_FIRST(5)
  GV_FIRST(6)
  GV_FIRST(7)
  GV_FIRST(8)
#undef GV_FIRST
  for (int32_t i = kept; i < to.count; i++) {
    for (int v = 0; v < vectors; v++)
      sink(kept, value[v], GV_VALUE((uint32_t)i, v));
  }
#undef GV_VALUE
  int32_t left = to.columns - at;
  for (int n = 0; n < kept; n++) {
    int32_t *out = to.row + n * to.band_stride + at;
    if (n + 1 < kept) {
      for (int v = 0; v < vectors; v++) /* passes over NaN, past the last column */
        closest = vf_min(value[v][n + 1] - value[v][n], closest);
    } else if (to.bands < kept) {
      break;
    }
    if (left >= vectors * VF_LANES) {
      for (int v = 0; v < vectors; v++)
        vf_look_up(out + v * VF_LANES, table, value[v][n]);
    } else {
      int32_t tail[2 * VF_LANES];
      for (int v = 0; v < vectors; v++)
        vf_look_up(tail + v * VF_LANES, table, value[v][n]);
      memcpy(out, tail, (size_t)left * sizeof *tail);
    }
  }
  return closest;
}

GV_INLINE uint64_t filter_rows_k(const int kept, const gv_k_nearest_filter *f, const filter_tables *t) {
  const gv_leaf *leaf = f->leaf;
  filter_out to = {leaf->out + f->first * leaf->band_stride, leaf->band_stride, leaf->columns, f->bands,
                   f->count};
  int64_t out_stride = leaf->out_stride;
  int32_t rows = leaf->rows;
  uint64_t open = 0;
  /* Bits above the number belong to the value: the table repeats itself. */
  int32_t label[GV_FILTER_MOST];
  for (uint32_t i = 0; i < GV_FILTER_MOST; i++)
    label[i] = f->label[i & ((1U << t->tag_bits) - 1U)];
  vf_table table = vf_table_load(label);
  vf margin = vf_all(t->margin);
  vi mask = vi_all((1 << t->tag_bits) - 1);
  for (int32_t row = 0; row < rows; row++, to.row += out_stride) {
    vf closest = vf_all(INFINITY);
    int32_t at = 0;
    for (; kept <= 5 && at + 2 * VF_LANES <= to.columns; at += 2 * VF_LANES)
      closest = filter_cells_k(kept, 2, t, to, table, mask, row, at, closest);
    for (; at < to.columns; at += VF_LANES)
      closest = filter_cells_k(kept, 1, t, to, table, mask, row, at, closest);
    unsigned apart = vf_less_bits(margin, closest);
    open |= (uint64_t)(apart != (1U << VF_LANES) - 1U) << row;
  }
  return open;
}

uint64_t GV_VARIANT(gv_k_nearest_filter)(const gv_k_nearest_filter *f) {
  filter_tables t;
  if (!filter_tables_make(f, &t)) return GV_FILTER_NONE;
  switch (f->bands < f->count ? f->bands + 1 : f->count) {
  case 2:
    return filter_rows_k(2, f, &t);
  case 3:
    return filter_rows_k(3, f, &t);
  case 4:
    return filter_rows_k(4, f, &t);
  case 5:
    return filter_rows_k(5, f, &t);
  case 6:
    return filter_rows_k(6, f, &t);
  case 7:
    return filter_rows_k(7, f, &t);
  case 8:
    return filter_rows_k(8, f, &t);
  case 9:
    return filter_rows_k(9, f, &t);
  default:
    return GV_FILTER_NONE;
  }
}
