/* The disc kernels, see discs.h. */
#include "voronoi/cpu/disc_kernels.h"
#include "exact/lanes.h"

enum { DISC_CHORD = GV_GREAT_CIRCLE }; /* of both metrics of the globe; others are the plane's */

/* Reach of the disc in some rows. */
typedef struct disc_reach {
  vd columns;   /* to either side of the seed */
  vm none, all; /* certainly no cell, or every cell, for any `columns` */
  vm grazing;
} disc_reach;

/* 2 asin of the root of a share in [0, 1]: by the series if all are small; its remainder is then below 2e-14
 * of it. */
GV_INLINE vd angle_of_share(vd share) {
  static const double series[5] = {1.0 / 6.0, 3.0 / 40.0, 15.0 / 336.0, 105.0 / 3456.0, 945.0 / 42240.0};
  vd root = vd_sqrt(share), twice = root + root;
  if (vm_bits(vd_less(vd_all(0.01), share)) != 0) return 2.0 * vd_arcsine(root);
  vd sum = vd_all(series[4]);
  for (int i = 3; i >= 0; i--)
    sum = vd_fma_loose(share, sum, vd_all(series[i]));
  return vd_fma_loose(twice * share, sum, twice);
}

/*
 * With p, h the distances of row and seed from the axis and d the difference of longitudes, the squared chord
 * is (p - h)^2 + (z - s_z)^2 + 4 p h sin^2(d / 2).
 */
GV_INLINE disc_reach reach_on_globe(const gv_disc_limit *limit, const gv_disc *disc,
                                    const gv_disc_strip *strip, int32_t row) {
  disc_reach r;
  vd zero = vd_all(0.0), one = vd_all(1.0), h = vd_all(disc->along), gap = vd_all(limit->gap);
  vd p = vd_load(strip->row_p + row), u = p - h, w = vd_load(strip->row_z + row) - disc->across;
  vd left = limit->beyond - vd_fma_loose(u, u, w * w);
  r.none = vd_less(left + gap, zero);
  r.all = vd_less(vd_fma_loose(vd_all(4.0 * disc->along), p, gap), left);
  vd share = left * vd_load(strip->row_inverse + row) * (0.25 / disc->along);
  share = vd_min(vd_max(share, zero), one);
  r.grazing = vd_less(vd_min(share, one - share), vd_all(strip->grazing));
  r.columns = limit->scale * angle_of_share(share);
  return r;
}

GV_INLINE disc_reach reach_on_plane(const int metric, const gv_disc_limit *limit, const gv_disc *disc,
                                    const gv_disc_strip *strip, int32_t row) {
  disc_reach r;
  vd zero = vd_all(0.0), beyond = vd_all(limit->beyond), scale = vd_all(limit->scale),
     gap = vd_all(limit->gap);
  vd across = vd_norm_of(metric, vd_load(strip->row_z + row) - disc->across);
  r.all = vd_less(zero, zero);
  if (metric == GV_CHEBYSHEV) {
    r.none = vd_less(beyond, across);
    r.grazing = r.all;
    r.columns = scale * beyond;
    return r;
  }
  vd left = beyond - across;
  r.none = vd_less(left + gap, zero);
  r.grazing = vd_less(left, vd_all(strip->grazing));
  left = vd_max(left, zero);
  r.columns = scale * (metric == GV_EUCLIDEAN ? vd_sqrt(left) : left);
  return r;
}

/* The lowest column not before `a`, or the one after it within rounding; from the first to one past the
 * last. */
GV_INLINE vd column_from(vd a, double columns) {
  return vd_rounded(vd_min(vd_max(a, vd_all(-0.25)), vd_all(columns - 0.25)) + 0.5);
}

/* The highest column not after `a`, from -1 to the last. */
GV_INLINE vd column_to(vd a, double columns) {
  return vd_rounded(vd_min(vd_max(a, vd_all(-0.75)), vd_all(columns - 0.75)) - 0.5);
}

GV_INLINE void fill_span(int32_t *out, int32_t n, vi label) {
  for (; n >= VF_LANES; n -= VF_LANES, out += VF_LANES)
    vi_store(out, label);
  vi_store_first(out, n, label);
}

/*
 * The ends of each row for a reach that is too long by its error, and for one that is too short by it: where
 * both agree, they are exact.
 */
GV_INLINE void disc_body(const int metric, const gv_disc_limit *limit, const gv_disc *disc,
                         gv_disc_strip *strip) {
  vd middle = vd_all(disc->middle), tight = vd_all(strip->tight), loose = vd_all(strip->loose);
  vd number = vd_all(1e300), zero = vd_all(0.0), last = vd_all((double)strip->columns - 1.0);
  double columns = (double)strip->columns;
  int32_t first[GV_DISC_ROWS], end[GV_DISC_ROWS];
  uint64_t all_sure = 0;
  for (int32_t row = 0; row < strip->rows; row += VD_LANES) {
    disc_reach r = metric == DISC_CHORD ? reach_on_globe(limit, disc, strip, row)
                                        : reach_on_plane(metric, limit, disc, strip, row);
    vd off = vd_select(r.grazing, loose, tight), most = r.columns + off, least = r.columns - off;
    vd from = column_from(middle - most, columns), to = column_to(middle + most, columns);
    vm same = vd_equal(from, column_from(middle - least, columns)) &
              vd_equal(to, column_to(middle + least, columns));
    unsigned sure = vm_bits(r.none) | vm_bits(r.all) | (vm_bits(same) & vm_bits(vd_less(most, number)));
    from = vd_select(r.all, zero, from);
    to = vd_select(r.none, vd_all(-1.0), vd_select(r.all, last, to));
    vd_store_int32(first + row, vd_min(from, to + 1.0));
    vd_store_int32(end + row, to);
    all_sure |= (uint64_t)(sure & ((1U << VD_LANES) - 1U)) << row;
  }
  /* Apart from the above, which has no branches that would be guessed wrong. */
  vi label = vi_all(disc->label);
  strip->open_count = 0;
  for (int32_t row = 0; row < strip->rows; row++) {
    if (all_sure >> row & 1U) {
      fill_span(strip->out + row * strip->out_stride + first[row], end[row] - first[row] + 1, label);
    } else {
      strip->open[strip->open_count++] = row;
    }
  }
}

static void disc_globe(const gv_disc_limit *limit, const gv_disc *disc, gv_disc_strip *strip) {
  disc_body(DISC_CHORD, limit, disc, strip);
}
static void disc_euclidean(const gv_disc_limit *limit, const gv_disc *disc, gv_disc_strip *strip) {
  disc_body(GV_EUCLIDEAN, limit, disc, strip);
}
static void disc_manhattan(const gv_disc_limit *limit, const gv_disc *disc, gv_disc_strip *strip) {
  disc_body(GV_MANHATTAN, limit, disc, strip);
}
static void disc_chebyshev(const gv_disc_limit *limit, const gv_disc *disc, gv_disc_strip *strip) {
  disc_body(GV_CHEBYSHEV, limit, disc, strip);
}

const gv_disc_kernels GV_VARIANT(gv_disc_kernels) = {disc_globe,
                                                     {disc_euclidean, disc_manhattan, disc_chebyshev}};
