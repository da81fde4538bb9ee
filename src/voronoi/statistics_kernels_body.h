/*
 * Body of the kernels of statistics: runs of one seed, and sums over them that are exact, so that neither the number of
 * lanes nor the order shows. Part of measure_kernels_body.h.
 */

/* Ends of the runs of equal values of a row, in order; the last is n. */
static int32_t run_ends(const int32_t *row, int32_t n, int32_t *end) {
  enum { WORD = 64 }; /* cells whose comparisons are looked at together */
  int32_t count = 0, c = 0;
  for (; c + WORD < n; c += WORD) {
    uint64_t bits = 0;
    for (int at = 0; at < WORD; at += VF_LANES)
      bits |= (uint64_t)differing_int32(row + c + at, row + c + at + 1) << at;
    for (; bits != 0; bits &= bits - 1)
      end[count++] = c + 1 + __builtin_ctzll(bits);
  }
  for (; c + 1 < n; c++) {
    end[count] = c + 1;
    count += row[c] != row[c + 1];
  }
  end[count++] = n;
  return count;
}

/* One vector of products, rounded: see gv_exact_sum. */
GV_INLINE void add_products(vd distance, vd factor, vd *high, vd *low) {
  vd upper = vd_set1(1.5 * 0x1p78), lower = vd_set1(1.5 * 0x1p52);
  vd product = vd_mul(distance, factor), part = vd_sub(vd_add(product, upper), upper);
  *high = vd_add(*high, part);
  *low = vd_add(*low, vd_sub(vd_add(vd_sub(product, part), lower), lower));
}

GV_INLINE void add_lanes(vd high, vd low, gv_exact_sum *sum) {
  sum->high += (int64_t)(vd_reduce_add_exact(high) * 0x1p-26);
  sum->low += (int64_t)vd_reduce_add_exact(low);
}

static void sum_products(const double *distance, const double *factor, int32_t n, gv_exact_sum *sum) {
  vd high = vd_set1(0.0), low = high;
  int32_t i = 0;
  for (; i + VD_LANES <= n; i += VD_LANES)
    add_products(vd_load(distance + i), vd_load(factor + i), &high, &low);
  if (i < n) {
    add_products(vd_load_first(distance + i, n - i), vd_load_first(factor + i, n - i), &high, &low);
  }
  add_lanes(high, low, sum);
}

/* The same with one factor, and the longest of the distances; -1 if one is not in 0 ... limit. */
static double sum_distances(const double *distance, int32_t n, double factor, double limit, gv_exact_sum *sum) {
  vd high = vd_set1(0.0), low = high, f = vd_set1(factor), longest = high, zero = high, most = vd_set1(limit);
  unsigned good = (1U << VD_LANES) - 1U;
  vm bad = vd_less(most, zero);
  int32_t i = 0;
  for (; i < n; i += VD_LANES) {
    vd d = i + VD_LANES <= n ? vd_load(distance + i) : vd_load_first(distance + i, n - i);
    /* Neither below 0 nor above the limit, and equal to itself. */
    bad = vm_or(bad, vm_or(vd_less(d, zero), vd_less(most, d)));
    good &= vm_bits(vd_equal(d, d));
    longest = vd_max(d, longest);
    add_products(d, f, &high, &low);
  }
  if (vm_bits(bad) != 0 || good != (1U << VD_LANES) - 1U) return -1.0;
  add_lanes(high, low, sum);
  return vd_reduce_max(longest);
}
