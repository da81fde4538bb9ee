/*
 * Body of the kernels of statistics: runs of one seed, and sums over them that are exact, so that neither the number of
 * lanes nor the order shows. Part of measure_kernels_body.h.
 */

/* Writes the numbers of the lowest bits that are set, each plus `first`, as entries from ... end - 1; returns the others. */
GV_INLINE uint64_t write_some(uint64_t bits, int32_t first, int32_t from, int32_t end, int32_t *to) {
  for (int32_t i = from; i < end; i++, bits &= bits - 1)
    to[i] = first + __builtin_ctzll(bits | UINT64_C(1) << (GV_WORD - 1)); /* there is always a lowest bit */
  return bits;
}

/* Writes the numbers of all bits that are set: always two, eight or sixteen at least, rubbish at the end, so that how many
 * there are seldom decides where to go. Returns how many. */
GV_INLINE int32_t write_bits(uint64_t bits, int32_t first, int32_t *to) {
  int32_t found = __builtin_popcountll(bits);
  bits = write_some(bits, first, 0, 2, to);
  if (found > 2) {
    bits = write_some(bits, first, 2, 8, to);
    if (found > 8) {
      bits = write_some(bits, first, 8, 16, to);
      write_some(bits, first, 16, found, to);
    }
  }
  return found;
}

/* Bit i is set where cells i and i + 1 differ. */
GV_INLINE uint64_t differing_word(const int32_t *row) {
  uint64_t bits = 0;
  for (int at = 0; at < GV_WORD; at += VF_LANES)
    bits |= (uint64_t)differing_int32(row + at, row + at + 1) << at;
  return bits;
}

static void find_runs(const int32_t *cells, int64_t stride, int32_t rows, const gv_word *word, int32_t words,
                      gv_runs *runs) {
  int32_t *start = runs->start, count = 0;
  for (int32_t r = 0; r < rows; r++, cells += stride) {
    int32_t base = r << GV_RUN_SHIFT;
    start[count++] = base;
    if (runs->columns > GV_WORD) {
      for (int32_t i = 0; i < words; i++) {
        uint64_t bits = differing_word(cells + word[i].at) & word[i].mask;
        count += write_bits(bits, base + word[i].at + 1, start + count);
      }
    } else {
      for (int32_t c = 1; c < runs->columns; c++) {
        start[count] = base + c;
        count += cells[c - 1] != cells[c];
      }
    }
  }
  start[count] = rows << GV_RUN_SHIFT;
  runs->count = count;
}

static void add_runs(const gv_runs *runs, const int32_t *column, const int32_t *factor, int64_t *sum,
                     int64_t stride) {
  for (int32_t i = 0; i < runs->count; i++) {
    int64_t r = runs->start[i] >> GV_RUN_SHIFT, c0 = gv_run_begin(runs, i), c1 = gv_run_end(runs, i);
    vl_add_differences(column + c1 * GV_RUN_LANES, column + c0 * GV_RUN_LANES, factor + r * GV_RUN_LANES,
                       sum + runs->index[i] * stride);
  }
}

static void add_segments(const gv_runs *runs, const int32_t *segment, const gv_segment_sum *sums, int64_t from,
                         int64_t *sum, int64_t stride) {
  const gv_segment_sum *s = &sums[segment[from]];
  const vq first = vq_add(vq_load(s->base), vq_times(vq_load(s->term), from));
  vq before = first; /* up to the run's begin, which is where the one before ends */
  for (int32_t i = 0; i < runs->count; i++) {
    int64_t c = from + gv_run_end(runs, i), *to = sum + runs->index[i] * stride;
    s = &sums[segment[c]];
    vq here = vq_add(vq_load(s->base), vq_times(vq_load(s->term), c));
    vq_store(to, vq_add(vq_load(to), vq_sub(here, before)));
    before = vq_select(gv_run_begin(runs, i + 1) == 0, first, here); /* the next one may begin a row */
  }
}

static bool sum_whole(const double *value, const double *width, int32_t n, double factor, double limit,
                      int64_t sum[2]) {
  vd high = vd_set1(0.0), low = high, f = vd_set1(factor), upper = vd_set1(1.5 * 0x1p84), most = vd_set1(limit);
  unsigned good = (1U << VD_LANES) - 1U;
  for (int32_t i = 0; i < n; i += VD_LANES) {
    vd v = i + VD_LANES <= n ? vd_load(value + i) : vd_load_first(value + i, n - i);
    vd size = vd_abs(v);
    good &= vm_bits(vm_or(vd_less(size, most), vd_equal(size, most)));
    vd whole = vd_truncate(vd_mul(v, f)), part = vd_sub(vd_add(whole, upper), upper), rest = vd_sub(whole, part);
    if (width != NULL) {
      vd times = i + VD_LANES <= n ? vd_load(width + i) : vd_load_first(width + i, n - i);
      part = vd_mul(part, times);
      rest = vd_mul(rest, times);
    }
    high = vd_add(high, part);
    low = vd_add(low, rest);
  }
  if (good != (1U << VD_LANES) - 1U) return false;
  sum[0] += (int64_t)vd_reduce_add_exact(low);
  sum[1] += (int64_t)(vd_reduce_add_exact(high) * 0x1p-32);
  return true;
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
