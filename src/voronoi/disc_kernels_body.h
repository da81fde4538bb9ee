/* Body of the kernels for discs, see discs.h. Part of kernels_body.h. */

enum { DISC_CHORD = GV_GREAT_CIRCLE }; /* of both metrics of the globe; others are the plane's */

/*
 * Columns between the seed and the ends of its disc in some rows, about. With p, h the distances of row and seed from the
 * axis and d the difference of longitudes, the squared chord is (p - h)^2 + (z - s_z)^2 + 4 p h sin^2(d / 2). The
 * arcsine is its series, good to a hundredth of a column in discs of a thousand and better in smaller ones.
 */
GV_INLINE vd reach_of_rows(const int metric, const gv_disc *disc, vd p, vd inverse, vd rest) {
  vd beyond = vd_set1(disc->beyond), zero = vd_set1(0.0), one = vd_set1(1.0);
  if (metric == DISC_CHORD) {
    vd u = vd_sub(p, vd_set1(disc->axis)), left = vd_sub(beyond, vd_fma_loose(u, u, rest));
    vd share = vd_mul(vd_mul(left, inverse), vd_set1(0.25 / disc->axis));
    share = vd_min(vd_max(share, zero), one); /* what is no number counts as 0 */
    vd root = vd_sqrt(share), scale = vd_set1(2.0 * disc->scale);
    if (vm_bits(vd_less(vd_set1(0.01), share)) != 0) return vd_mul(scale, arcsine_lanes(root));
    vd series = vd_fma_loose(share, vd_set1(15.0 / 336.0), vd_set1(3.0 / 40.0));
    series = vd_fma_loose(share, vd_fma_loose(share, series, vd_set1(1.0 / 6.0)), one);
    return vd_mul(vd_mul(scale, root), series);
  }
  vd left = metric == GV_CHEBYSHEV ? beyond : vd_max(vd_sub(beyond, rest), zero);
  return vd_mul(vd_set1(disc->scale), metric == GV_EUCLIDEAN ? vd_sqrt(left) : left);
}

/* Canonical distances of one cell of each row, in the leaves' order of operations. */
GV_INLINE vd values_of_cells(const int metric, const gv_disc *disc, const gv_disc_strip *strip, vd p, vd rest,
                             vd column) {
  vd x = vd_gather(strip->column_x, column), sx = vd_set1(disc->x);
  if (metric != DISC_CHORD) return norm_join(metric, norm_of(metric, vd_sub(x, sx)), rest);
  vd u = vd_sub(vd_mul(p, x), sx);
  vd w = vd_sub(vd_mul(p, vd_gather(strip->column_y, column)), vd_set1(disc->y));
  return vd_add(vd_add(vd_mul(u, u), vd_mul(w, w)), rest);
}

/* The last vector may write a part of the one before again. */
GV_INLINE void fill_span(int32_t *out, int32_t n, vd label, int32_t value) {
  if (n < VD_LANES) {
    for (int32_t c = 0; c < n; c++)
      out[c] = value;
    return;
  }
  for (int32_t c = 0; c + VD_LANES <= n; c += VD_LANES)
    vd_store_int32(out + c, label);
  vd_store_int32(out + n - VD_LANES, label);
}

/*
 * Cells left ... right of each row, if those two are surely within the limit and their outer neighbours surely beyond it.
 * Without cells between them left - 1 >= right, and the neighbours alone say that there are none.
 */
GV_INLINE void disc_body(const int metric, const gv_disc *disc, gv_disc_strip *strip) {
  vd within = vd_set1(disc->within), beyond = vd_set1(disc->beyond), middle = vd_set1(strip->middle);
  vd zero = vd_set1(0.0), one = vd_set1(1.0), half = vd_set1(0.5), last = vd_set1((double)strip->columns - 1.0);
  vd magic = vd_set1(6755399441055744.0); /* rounds to a whole number */
  vd most = vd_set1((double)strip->columns), label = vd_set1(strip->label), p = one, inverse = one;
  int32_t first[GV_DISC_ROWS], end[GV_DISC_ROWS];
  uint64_t all_sure = 0;
  for (int32_t row = 0; row < strip->rows; row += VD_LANES) {
    if (metric == DISC_CHORD) {
      p = vd_load(strip->row_p + row);
      inverse = vd_load(strip->row_inverse + row);
    }
    vd across = vd_sub(vd_load(strip->row_z + row), vd_set1(metric == DISC_CHORD ? disc->z : disc->y));
    vd rest = norm_of(metric == DISC_CHORD ? GV_EUCLIDEAN : metric, across);
    vd reach = reach_of_rows(metric, disc, p, inverse, rest);
    vd left = vd_add(vd_sub(middle, reach), half), right = vd_sub(vd_add(middle, reach), half);
    left = vd_sub(vd_add(vd_min(vd_max(left, zero), most), magic), magic);
    right = vd_sub(vd_add(vd_max(vd_min(right, last), vd_set1(-1.0)), magic), magic);
    vd left_out = vd_max(vd_sub(left, one), zero), right_out = vd_min(vd_add(right, one), last);
    vm none = vd_less(right, left), from_first = vd_less(left, half), to_last = vd_less(vd_sub(last, half), right);
    vd at_left = values_of_cells(metric, disc, strip, p, rest, vd_min(left, last));
    vd at_right = values_of_cells(metric, disc, strip, p, rest, vd_max(right, zero));
    vd before = values_of_cells(metric, disc, strip, p, rest, left_out);
    vd after = values_of_cells(metric, disc, strip, p, rest, right_out);
    unsigned inside = vm_bits(none) | ~(vm_bits(vd_less(within, at_left)) | vm_bits(vd_less(within, at_right)));
    unsigned sure = inside & (vm_bits(from_first) | vm_bits(vd_less(beyond, before))) &
                    (vm_bits(to_last) | vm_bits(vd_less(beyond, after)));
    vd_store_int32(first + row, left);
    vd_store_int32(end + row, right);
    all_sure |= (uint64_t)(sure & ((1U << VD_LANES) - 1U)) << row;
  }
  /* Apart from the above, which has no branches that would be guessed wrong. */
  strip->open_count = 0;
  for (int32_t row = 0; row < strip->rows; row++) {
    if (all_sure >> row & 1U) {
      int32_t *out = strip->out + row * strip->out_stride;
      fill_span(out + first[row], end[row] - first[row] + 1, label, (int32_t)strip->label);
    } else {
      strip->open[strip->open_count++] = row;
    }
  }
}

static void disc_chord(const gv_disc *disc, gv_disc_strip *strip) {
  disc_body(DISC_CHORD, disc, strip);
}
static void disc_euclidean(const gv_disc *disc, gv_disc_strip *strip) {
  disc_body(GV_EUCLIDEAN, disc, strip);
}
static void disc_manhattan(const gv_disc *disc, gv_disc_strip *strip) {
  disc_body(GV_MANHATTAN, disc, strip);
}
static void disc_chebyshev(const gv_disc *disc, gv_disc_strip *strip) {
  disc_body(GV_CHEBYSHEV, disc, strip);
}
