/* Kernels for the k nearest seeds of the cells of a leaf, weights and limits (gv_k_nearest). Each form of
 * position is unrolled ten times: three files (k_nearest_*_kernels.c), as one would take a compiler minutes
 * with debug symbols or sanitizers. */
#ifndef GV_VORONOI_CPU_K_NEAREST_KERNELS_H
#define GV_VORONOI_CPU_K_NEAREST_KERNELS_H

#include "voronoi/cpu/kernel_lanes.h"

enum { FORM_MATRIX = FORM_POINTS3 + 1 };

/* Some vectors of cells of one row of a ranking's part. */
typedef struct k_nearest_cells {
  vd_place q[2];
  const double *matrix;
} k_nearest_cells;

GV_INLINE void find_cells(const int form, const int vectors, const gv_k_nearest *r, int32_t row, int32_t at,
                          k_nearest_cells *cells) {
  if (form == FORM_MATRIX) {
    cells->matrix = r->matrix + row * r->width + at;
    return;
  }
  for (int v = 0; v < vectors; v++)
    cells->q[v] = place_cells(form, r->leaf, r->row + row, r->column + at + v * VD_LANES);
}

/* The exact distance of candidate i from vector v of the cells, or its value in the matrix. */
GV_INLINE vd value_of(const int form, const int metric, const gv_k_nearest *r, const k_nearest_cells *cells,
                      int32_t i, int v) {
  const gv_candidates *c = r->candidates;
  if (form == FORM_MATRIX) return vd_load(cells->matrix + (int64_t)i * r->stride + v * VD_LANES);
  vd distance = vd_norm_of(metric, cells->q[v].x - c->x[i]);
  distance = vd_norm_join(metric, distance, vd_norm_of(metric, cells->q[v].y - c->y[i]));
  if (form == FORM_PLANE || form == FORM_POINTS2) return distance;
  return vd_norm_join(metric, distance, vd_norm_of(metric, cells->q[v].z - c->z[i]));
}

GV_INLINE void measure_body(const int form, const int metric, const gv_k_nearest *r, double *matrix) {
  k_nearest_cells cells;
  for (int32_t row = 0; row < r->rows; row++) {
    for (int32_t at = 0; at < r->width; at += VD_LANES) {
      find_cells(form, 1, r, row, at, &cells);
      for (int32_t i = 0; i < r->candidates->count; i++) {
        vd_store(matrix + (int64_t)i * r->stride + row * r->width + at,
                 value_of(form, metric, r, &cells, i, 0));
      }
    }
  }
}

/* Marks the lanes of a vector of cells, from column `at` of the part, with an undecided n-th neighbor: see
 * gv_k_nearest. Returns the label, or the empty label outside the limit. */
GV_INLINE vd doubt_lanes(const gv_k_nearest *r, int32_t n, vd value, vd next, vd label, int32_t row,
                         int32_t at) {
  unsigned there = vm_bits(vd_less(value, vd_all(INFINITY))), open = 0;
  if (n + 1 < r->kept) open = ~vm_bits(vd_less(value, next - r->gap));
  vm out_of_reach = vd_less(vd_all(r->beyond), value);
  open |= vm_bits(vd_less(vd_all(r->within), value)) & ~vm_bits(out_of_reach);
  open &= there;
  for (int lane = 0; open != 0 && lane < VD_LANES && at + lane < r->columns; lane++) {
    if (open >> lane & 1U) r->doubt[(r->row + row) * r->leaf->columns + r->column + at + lane] = 1;
  }
  return vd_select(out_of_reach, vd_all(r->empty_label), label);
}

/*
 * A few neighbors, in registers: insertion into a sorted column. A value's place is found by comparisons with
 * the whole column at once; entries below move down by one. Candidates come in ascending number, and only a
 * smaller value is inserted before another.
 */
typedef struct k_nearest_column {
  vd value[GV_FEW], label[GV_FEW];
} k_nearest_column;

/* Inserts into the first `depth` of the column; the last of them falls out. */
GV_INLINE void insert(const int depth, k_nearest_column *column, vd d, vd own) {
  vm before[GV_FEW];
  for (int n = 0; n < depth; n++)
    before[n] = vd_less(d, column->value[n]);
  for (int n = depth - 1; n > 0; n--) {
    column->value[n] = vd_max(column->value[n - 1], vd_min(d, column->value[n]));
    column->label[n] =
        vd_select(before[n], vd_select(before[n - 1], column->label[n - 1], own), column->label[n]);
  }
  column->value[0] = vd_min(d, column->value[0]);
  column->label[0] = vd_select(before[0], own, column->label[0]);
}

GV_INLINE void insert_candidate(const int form, const int metric, const int depth, const int vectors,
                                const gv_k_nearest *r, const k_nearest_cells *cells, int32_t i,
                                k_nearest_column *column) {
  vd own = vd_all(r->label[i]);
  for (int v = 0; v < vectors; v++)
    insert(depth, &column[v], value_of(form, metric, r, cells, i, v), own);
}

GV_INLINE void k_nearest_few_vectors(const int form, const int metric, const int kept, const int vectors,
                                     const gv_k_nearest *r, int32_t row, int32_t at) {
  k_nearest_column column[2];
  k_nearest_cells cells;
  find_cells(form, vectors, r, row, at, &cells);
  for (int v = 0; v < vectors; v++) {
    for (int n = 0; n < kept; n++) {
      column[v].value[n] = vd_all(r->start);
      column[v].label[n] = vd_all(r->empty_label);
    }
  }
  /* The first candidates are compared only with each other; there are at least as many as neighbors kept. */
#define GV_FIRST(i)                                                                                          \
  if (kept > (i)) insert_candidate(form, metric, (i) + 1, vectors, r, &cells, i, column)
  GV_FIRST(0);
  GV_FIRST(1);
  GV_FIRST(2);
  GV_FIRST(3);
  GV_FIRST(4);
  GV_FIRST(5);
  GV_FIRST(6);
  GV_FIRST(7);
  GV_FIRST(8);
#undef GV_FIRST
  for (int32_t i = kept; i < r->candidates->count; i++)
    insert_candidate(form, metric, kept, vectors, r, &cells, i, column);
  int32_t *out = r->leaf->out + (r->row + row) * r->leaf->out_stride + r->column;
  for (int n = 0; n < kept && n < r->bands; n++) {
    for (int v = 0; r->doubt != NULL && v < vectors; v++) {
      vd next = column[v].value[n + 1 < kept ? n + 1 : n];
      column[v].label[n] =
          doubt_lanes(r, n, column[v].value[n], next, column[v].label[n], row, at + v * VD_LANES);
    }
    vd label[2];
    for (int v = 0; v < vectors; v++)
      label[v] = column[v].label[n];
    store_labels(vectors, label, out + (r->first + n) * r->leaf->band_stride, at, r->columns);
  }
}

GV_INLINE void k_nearest_few(const int form, const int metric, const int kept, const gv_k_nearest *r) {
  for (int32_t row = 0; row < r->rows; row++) {
    int32_t at = 0;
    for (; kept <= 3 && at + 2 * VD_LANES <= r->columns; at += 2 * VD_LANES)
      k_nearest_few_vectors(form, metric, kept, 2, r, row, at);
    for (; at < r->columns; at += VD_LANES)
      k_nearest_few_vectors(form, metric, kept, 1, r, row, at);
  }
}

/* Many neighbors, in memory: insertion from the lower end as long as any lane moves. Fastest for nearly
 * sorted candidates. */
GV_INLINE void k_nearest_many(const int form, const int metric, const gv_k_nearest *r) {
  int32_t kept = r->kept;
  double *value = r->scratch, *number = value + kept * VD_LANES, *label = number + kept * VD_LANES;
  for (int32_t row = 0; row < r->rows; row++) {
    for (int32_t at = 0; at < r->columns; at += VD_LANES) {
      k_nearest_cells cells;
      find_cells(form, 1, r, row, at, &cells);
      for (int32_t n = 0; n < kept; n++) {
        vd_store(value + n * VD_LANES, vd_all(r->start));
        vd_store(number + n * VD_LANES, vd_all(-1.0)); /* no real value equals `start` and precedes it */
        vd_store(label + n * VD_LANES, vd_all(r->empty_label));
      }
      for (int32_t i = 0; i < r->candidates->count; i++) {
        vd d = value_of(form, metric, r, &cells, i, 0), own = vd_all(r->number[i]),
           name = vd_all(r->label[i]);
        int32_t n = i < kept - 1 ? i : kept - 1;
        vd here = vd_load(value + n * VD_LANES);
        vm before = vd_less(d, here) | (vd_equal(d, here) & vd_less(own, vd_load(number + n * VD_LANES)));
        for (unsigned moving = vm_bits(before); moving != 0; n--) {
          double *v = value + n * VD_LANES, *u = number + n * VD_LANES, *l = label + n * VD_LANES;
          if (n == 0) {
            vd_store(v, vd_select(before, d, vd_load(v)));
            vd_store(u, vd_select(before, own, vd_load(u)));
            vd_store(l, vd_select(before, name, vd_load(l)));
            break;
          }
          vd above = vd_load(v - VD_LANES), above_number = vd_load(u - VD_LANES);
          vm up = vd_less(d, above) | (vd_equal(d, above) & vd_less(own, above_number));
          vd_store(v, vd_select(before, vd_select(up, above, d), vd_load(v)));
          vd_store(u, vd_select(before, vd_select(up, above_number, own), vd_load(u)));
          vd_store(l, vd_select(before, vd_select(up, vd_load(l - VD_LANES), name), vd_load(l)));
          before = up;
          moving = vm_bits(up);
        }
      }
      int32_t *out = r->leaf->out + (r->row + row) * r->leaf->out_stride + r->column;
      for (int32_t n = 0; n < r->bands; n++) {
        vd lanes = vd_load(label + n * VD_LANES);
        if (r->doubt != NULL) {
          vd next = vd_load(value + (n + 1 < kept ? n + 1 : n) * VD_LANES);
          lanes = doubt_lanes(r, n, vd_load(value + n * VD_LANES), next, lanes, row, at);
        }
        store_labels(1, &lanes, out + (r->first + n) * r->leaf->band_stride, at, r->columns);
      }
    }
  }
}

/* The kernels of a form of position and metric, and their row of a table. */
#define GV_K_NEAREST_KERNELS_OF(name, form, metric)                                                          \
  static void k_nearest_##name##_many(const gv_k_nearest *r) {                                               \
    k_nearest_many(form, metric, r);                                                                         \
  }                                                                                                          \
  static void k_nearest_##name##_1(const gv_k_nearest *r) {                                                  \
    k_nearest_few(form, metric, 1, r);                                                                       \
  }                                                                                                          \
  static void k_nearest_##name##_2(const gv_k_nearest *r) {                                                  \
    k_nearest_few(form, metric, 2, r);                                                                       \
  }                                                                                                          \
  static void k_nearest_##name##_3(const gv_k_nearest *r) {                                                  \
    k_nearest_few(form, metric, 3, r);                                                                       \
  }                                                                                                          \
  static void k_nearest_##name##_4(const gv_k_nearest *r) {                                                  \
    k_nearest_few(form, metric, 4, r);                                                                       \
  }                                                                                                          \
  static void k_nearest_##name##_5(const gv_k_nearest *r) {                                                  \
    k_nearest_few(form, metric, 5, r);                                                                       \
  }                                                                                                          \
  static void k_nearest_##name##_6(const gv_k_nearest *r) {                                                  \
    k_nearest_few(form, metric, 6, r);                                                                       \
  }                                                                                                          \
  static void k_nearest_##name##_7(const gv_k_nearest *r) {                                                  \
    k_nearest_few(form, metric, 7, r);                                                                       \
  }                                                                                                          \
  static void k_nearest_##name##_8(const gv_k_nearest *r) {                                                  \
    k_nearest_few(form, metric, 8, r);                                                                       \
  }                                                                                                          \
  static void k_nearest_##name##_9(const gv_k_nearest *r) {                                                  \
    k_nearest_few(form, metric, 9, r);                                                                       \
  }                                                                                                          \
  static void measure_##name(const gv_k_nearest *r, double *matrix) {                                        \
    measure_body(form, metric, r, matrix);                                                                   \
  }
#define GV_K_NEAREST_KERNELS(name)                                                                           \
  {                                                                                                          \
    {k_nearest_##name##_many, k_nearest_##name##_1, k_nearest_##name##_2, k_nearest_##name##_3,              \
     k_nearest_##name##_4,    k_nearest_##name##_5, k_nearest_##name##_6, k_nearest_##name##_7,              \
     k_nearest_##name##_8,    k_nearest_##name##_9},                                                         \
        measure_##name                                                                                       \
  }

#endif
