/*
 * Body of the kernels of statistics: sums over boxes and runs of cells that are exact, so that neither the number of lanes
 * nor the order shows. Include it once after a header of core/simd/ and with GV_STATISTICS_KERNELS defined as the name of the
 * table to make.
 */
#include "statistics/statistics_kernels.h"

#define GV_INLINE static inline __attribute__((always_inline))

/* Writes the numbers of the lowest bits that are set, each plus `first`, as entries from ... end - 1; returns the others. */
GV_INLINE uint64_t write_some(uint64_t bits, int32_t first, int32_t from, int32_t end, int32_t *to) {
  for (int32_t i = from; i < end; i++, bits &= bits - 1)
    to[i] = first + __builtin_ctzll(bits | UINT64_C(1) << 63); /* there is always a lowest bit */
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

/* Bit i is set where cells i - 1 and i of a row of a box differ. */
GV_INLINE uint32_t differing_cells(const int32_t *cells, int32_t width) {
  uint32_t bits = 0;
  if (width == GV_BOX_COLUMNS) return differing_box(cells);
  for (int32_t c = 1; c < width; c++)
    bits |= (uint32_t)(cells[c] != cells[c - 1]) << c;
  return bits;
}

/* S, lane by lane. */
GV_INLINE vl sum_before(const gv_scan_terms *t, int32_t r, const int32_t *c) {
  return vl_products(t->column[*c].sum, c, t->factor + r * GV_SCAN_LANES);
}

/* The sum of a quantity before column c, in all rows together. */
GV_INLINE vq quantity_before(const gv_scan_quantity *quantity, int32_t c) {
  const gv_segment_sum *s = &quantity->all[quantity->segment[c]];
  return vq_of(s->base[0] + s->term[0] * c, s->base[1] + s->term[1] * c);
}

/* Where segment i ends. */
GV_INLINE int32_t segment_end(const gv_scan_quantity *quantity, int32_t i) {
  return quantity->first[i + 1] - quantity->from;
}

/* The sum over columns of row r from the begin of a box up to c, which is within the box: so many columns of each of its
 * segments. */
GV_INLINE vq quantity_within(const gv_scan_quantity *quantity, int32_t r, const gv_scan_box *box, int32_t c) {
  int32_t first = quantity->segment[box->begin], last = quantity->segment[box->end - 1], low = box->begin;
  vq sum = vq_of(0, 0);
  for (int32_t i = first; i <= last; i++) {
    int32_t high = i < last ? segment_end(quantity, i) : box->end, columns = c - low, beyond = c - high;
    columns &= ~(columns >> 31); /* not below 0, without a branch: where c is cannot be guessed */
    beyond &= ~(beyond >> 31);
    sum = vq_add(sum, vq_times(vq_load(quantity->row[r][i].part), columns - beyond));
    low = high;
  }
  return sum;
}

/* Where the rows of a box change: bit i of word[r] as in differing_cells. */
typedef struct changes {
  uint32_t word[GV_BOX_ROWS];
  int32_t runs, most; /* in all rows, and in one of them */
} changes;

GV_INLINE void find_changes(const gv_scan *scan, const gv_scan_box *box, changes *out) {
  const int32_t *cells = scan->cells + box->begin;
  out->runs = out->most = 0;
  for (int32_t r = 0; r < scan->rows; r++, cells += scan->stride) {
    out->word[r] = differing_cells(cells, box->end - box->begin);
    int32_t runs = __builtin_popcount(out->word[r]) + 1;
    out->runs += runs;
    out->most = runs > out->most ? runs : out->most;
  }
}

/* Any box: run by run. */
static void add_runs_of_box(const gv_scan *scan, const gv_scan_terms *terms, const gv_scan_box *box,
                            const changes *where, gv_region_sums *to) {
  const int32_t *row = scan->cells;
  for (int32_t r = 0; r < scan->rows; r++, row += scan->stride) {
    int64_t *sums[GV_BOX_COLUMNS];
    int32_t end[GV_BOX_COLUMNS], runs = 0;
    uint32_t bits = where->word[r];
    vl before = sum_before(terms, r, &box->begin);
    for (int32_t c = box->begin; c < box->end; c = end[runs++], bits &= bits - 1) {
      int64_t *sum = sums[runs] = to->sum + gv_region_index(to, row[c]) * to->stride;
      end[runs] = bits != 0 ? box->begin + __builtin_ctz(bits) : box->end;
      vl upto = sum_before(terms, r, &end[runs]);
      vl_store(sum, vl_add(vl_load(sum), vl_sub(upto, before)));
      before = upto;
    }
    for (int32_t q = 0; q < terms->quantities; q++) {
      const gv_scan_quantity *quantity = &terms->quantity[q];
      vq so_far = vq_of(0, 0);
      for (int32_t i = 0; i < runs; i++) {
        int64_t *lane = sums[i] + quantity->lane;
        vq upto = quantity_within(quantity, r, box, end[i]);
        vq_store(lane, vq_add(vq_load(lane), vq_sub(upto, so_far)));
        so_far = upto;
      }
    }
  }
}

enum { FEW_RUNS = 3 };

/* Rows first ... last of a box that show the same seeds from left to right; run n of row r ends at place[r][n]. */
GV_INLINE void add_rows(const int runs, const gv_scan_terms *terms, const gv_scan_box *box, int32_t first,
                        int32_t last, const int32_t shown[FEW_RUNS], const int32_t (*place)[FEW_RUNS],
                        gv_region_sums *to) {
  int64_t *sums[FEW_RUNS];
  vl factors = vl_load(terms->factor + first * GV_SCAN_LANES), upto[FEW_RUNS];
  for (int n = 0; n < runs - 1; n++)
    upto[n] = sum_before(terms, first, &place[first][n]);
  for (int32_t r = first + 1; r <= last; r++) {
    factors = vl_add(factors, vl_load(terms->factor + r * GV_SCAN_LANES));
    for (int n = 0; n < runs - 1; n++)
      upto[n] = vl_add(upto[n], sum_before(terms, r, &place[r][n]));
  }
  upto[runs - 1] = vl_all_products(terms->column[box->end].sum, box->end, factors);
  vl before = vl_all_products(terms->column[box->begin].sum, box->begin, factors);
  for (int n = 0; n < runs; n++) {
    sums[n] = to->sum + gv_region_index(to, shown[n]) * to->stride;
    vl_store(sums[n], vl_add(vl_load(sums[n]), vl_sub(upto[n], before)));
    before = upto[n];
  }
  for (int32_t q = 0; q < terms->quantities; q++) {
    const gv_scan_quantity *quantity = &terms->quantity[q];
    vq before_run = vq_of(0, 0);
    for (int n = 0; n < runs; n++) {
      int64_t *lane = sums[n] + quantity->lane;
      vq part = vq_of(0, 0);
      for (int32_t r = first; r <= last; r++)
        part = vq_add(part, quantity_within(quantity, r, box, place[r][n]));
      vq_store(lane, vq_add(vq_load(lane), vq_sub(part, before_run)));
      before_run = part;
    }
  }
}

/* A box of rows of `runs` runs at most, as where seeds meet: rows that show the same seeds at a time. False when out of memory.
 * Runs that a row has not are of no cells, and of the last one's seed. */
GV_INLINE bool add_few_runs(const int runs, const gv_scan *scan, const gv_scan_terms *terms, const gv_scan_box *box,
                            const changes *where, gv_region_sums *to) {
  int32_t place[GV_BOX_ROWS][FEW_RUNS], shown[GV_BOX_ROWS][FEW_RUNS], above[FEW_RUNS] = {0};
  int32_t width = box->end - box->begin;
  const int32_t *cells = scan->cells + box->begin;
  uint32_t begins =
      0; /* rows that show other seeds than the one above, which are not read back: that has to wait */
  for (int32_t r = 0; r < scan->rows; r++, cells += scan->stride) {
    uint64_t left = where->word[r] | UINT64_C(1) << width;
    bool same = r > 0;
    for (int n = 0, c = 0; n < runs; n++) {
      int32_t seed = cells[c < width ? c : width - 1];
      same &= seed == above[n];
      shown[r][n] = above[n] = seed;
      c = n + 1 < runs ? __builtin_ctzll(left) : width;
      left = (left & (left - 1)) | UINT64_C(1) << width;
      place[r][n] = box->begin + c;
    }
    begins |= (uint32_t)!same << r;
  }
  if (!gv_regions_reserve(to, runs * __builtin_popcount(begins))) return false;
  for (uint32_t left = begins; left != 0;) {
    int32_t r = __builtin_ctz(left);
    left &= left - 1;
    int32_t end = left != 0 ? __builtin_ctz(left) : scan->rows;
    add_rows(runs, terms, box, r, end - 1, shown[r], (const int32_t(*)[FEW_RUNS])place, to);
  }
  return true;
}

/*
 * A box in which two or three seeds meet: every row shows cells of the first, then of the second, then of the third, each of
 * them in some rows perhaps nowhere.
 */
typedef struct meeting {
  /* Where the cells of the first one end and those of the last one begin; only the one where two meet. */
  _Alignas(64) int32_t place[2][GV_BOX_ROWS];
  int32_t box; /* its number */
  int32_t index[3];
} meeting;

/* Which cells of a box show a seed, or do not: bits of a word a row, 0 for rows that the box has not. */
typedef struct box_bits {
  _Alignas(64) int32_t word[GV_BOX_ROWS];
} box_bits;

/* True if bits are the lowest ones in every row, ... */
GV_INLINE bool are_low(const box_bits *bits) {
  vi others = vi_set1(0), one = vi_set1(1);
  for (int r = 0; r < GV_BOX_ROWS; r += VF_LANES) {
    vi word = vi_load(bits->word + r);
    others = vi_or(others, vi_and(word, vi_add(word, one)));
  }
  return !vi_any(others);
}

/* ... the highest ones. */
GV_INLINE bool are_high(const box_bits *bits) {
  vi others = vi_set1(0), none = vi_set1(0), all = vi_set1(-1);
  for (int r = 0; r < GV_BOX_ROWS; r += VF_LANES) {
    vi word = vi_load(bits->word + r);
    others = vi_or(others, vi_and(vi_xor(word, all), vi_sub(none, word)));
  }
  return !vi_any(others);
}

/* Where the lowest bits of each row end, counted from the box's begin, or its highest ones begin, counted from its end. */
GV_INLINE void find_places(const gv_scan_box *box, bool high, const box_bits *bits, int32_t *place) {
  vi from = vi_set1(high ? box->end : box->begin), flip = vi_set1(high ? -1 : 0);
  for (int r = 0; r < GV_BOX_ROWS; r += VF_LANES) {
    vi count = vi_count_bits(vi_load(bits->word + r));
    vi_store(place + r, vi_add(from, vi_sub(vi_xor(count, flip), flip)));
  }
}

/* Two seeds, the one where bits are 0, the other where they are 1. False if one of them is not always on the left. */
GV_INLINE bool order_two(const gv_scan_box *box, const box_bits *bits, int32_t zeros, int32_t ones,
                         gv_region_sums *to, meeting *out) {
  bool high = are_high(bits);
  if (!high & !are_low(bits)) return false;
  find_places(box, high, bits, out->place[0]);
  int32_t index = gv_region_index(to, zeros), other = gv_region_index(to, ones);
  out->index[0] = high ? index : other;
  out->index[1] = high ? other : index;
  return true;
}

/* Three seeds, each where its bits are 1. False if there is no order in which they always appear. */
GV_INLINE bool order_three(const gv_scan_box *box, const box_bits bits[3], const int32_t seed[3],
                           gv_region_sums *to, meeting *out) {
  bool low[3], high[3];
  int left = -1, right = -1;
  for (int i = 0; i < 3; i++) {
    low[i] = are_low(&bits[i]);
    high[i] = are_high(&bits[i]);
  }
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      bool good = (i != k) & low[i] & high[k];
      left = good ? i : left;
      right = good ? k : right;
    }
  }
  if (left < 0) return false;
  find_places(box, false, &bits[left], out->place[0]);
  find_places(box, true, &bits[right], out->place[1]);
  out->index[0] = gv_region_index(to, seed[left]);
  out->index[1] = gv_region_index(to, seed[3 - left - right]);
  out->index[2] = gv_region_index(to, seed[right]);
  return true;
}

/* Adds to each seed what lies between its places; `begin` and `end`: S in all rows together at the box's ends. */
GV_INLINE void add_meeting(const int seeds, const gv_scan *scan, const gv_scan_terms *terms, const meeting *m,
                           vl begin, vl end, gv_region_sums *to) {
  vl upto[3];
  for (int n = 0; n < seeds - 1; n++) {
    upto[n] = sum_before(terms, 0, &m->place[n][0]);
    for (int32_t r = 1; r < scan->rows; r++)
      upto[n] = vl_add(upto[n], sum_before(terms, r, &m->place[n][r]));
  }
  upto[seeds - 1] = end;
  for (int n = 0; n < seeds; n++) {
    int64_t *sum = to->sum + m->index[n] * to->stride;
    vl_store(sum, vl_add(vl_load(sum), vl_sub(upto[n], n > 0 ? upto[n - 1] : begin)));
  }
}

/* -1 for the first n rows of a box, 0 for others: from there on. */
GV_INLINE const int32_t *first_rows(int32_t n) {
  static const int32_t mask[2 * GV_BOX_ROWS] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  _Static_assert(GV_BOX_ROWS == 16, "as many are -1");
  return mask + GV_BOX_ROWS - n;
}

/* A quantity's sum before a place in each row, all of them in a box, all rows together; `before`: that at the box's begin. */
GV_INLINE vq quantity_before_places(const gv_scan *scan, const gv_scan_quantity *quantity, const gv_scan_box *box,
                                    const int32_t *place, vq before) {
  int32_t first = quantity->segment[box->begin], last = quantity->segment[box->end - 1];
  const int32_t *all = first_rows(scan->rows), *upper = first_rows(quantity->size[0]);
  const gv_term *lower_terms = quantity->group[quantity->groups - 1];
  for (int32_t i = first; i <= last; i++) {
    _Alignas(64) int32_t columns[GV_BOX_ROWS]; /* of this segment before the place */
    vi low = vi_set1(i > first ? segment_end(quantity, i - 1) : box->begin);
    vi high = vi_set1(i < last ? segment_end(quantity, i) : box->end);
    vi of_all = vi_set1(0), of_upper = of_all;
    for (int r = 0; r < GV_BOX_ROWS; r += VF_LANES) {
      vi some = vi_sub(vi_clamp(vi_load(place + r), low, high), low);
      vi_store(columns + r, some);
      of_all = vi_add(of_all, vi_and(some, vi_load(all + r)));
      of_upper = vi_add(of_upper, vi_and(some, vi_load(upper + r)));
    }
    if (quantity->groups > 2) {
      for (int32_t r = 0; r < scan->rows; r++)
        before = vq_add(before, vq_times(vq_load(quantity->row[r][i].part), columns[r]));
    } else {
      int32_t count = vi_reduce_add(of_upper), rest = vi_reduce_add(of_all) - count;
      before = vq_add(before, vq_times(vq_load(quantity->group[0][i].part), count));
      before = vq_add(before, vq_times(vq_load(lower_terms[i].part), rest));
    }
  }
  return before;
}

/* The same for a quantity. */
GV_INLINE void add_quantity_of_meeting(const int seeds, const gv_scan *scan, const gv_scan_quantity *quantity,
                                       const meeting *m, vq begin, vq end, gv_region_sums *to) {
  vq upto[3];
  for (int n = 0; n < seeds - 1; n++)
    upto[n] = quantity_before_places(scan, quantity, &scan->box[m->box], m->place[n], begin);
  upto[seeds - 1] = end;
  for (int n = 0; n < seeds; n++) {
    int64_t *sum = to->sum + m->index[n] * to->stride + quantity->lane;
    vq_store(sum, vq_add(vq_load(sum), vq_sub(upto[n], n > 0 ? upto[n - 1] : begin)));
  }
}

/* A box that is neither alike nor a meeting, as far as is known. False when out of memory. */
static bool add_other_box(const gv_scan *scan, const gv_scan_terms *terms, const gv_scan_box *box,
                          gv_region_sums *to) {
  changes where;
  find_changes(scan, box, &where);
  if (where.most <= 2) return add_few_runs(2, scan, terms, box, &where, to);
  if (where.most == 3) return add_few_runs(3, scan, terms, box, &where, to);
  if (!gv_regions_reserve(to, where.runs)) return false;
  add_runs_of_box(scan, terms, box, &where, to);
  return true;
}

/* The boxes of a scan by what they show. */
typedef struct sorted_boxes {
  int32_t alike[GV_PANEL_BOXES], index[GV_PANEL_BOXES]; /* of one seed, and the index of its sums */
  int32_t pair[GV_PANEL_BOXES], mixed[GV_PANEL_BOXES];  /* of two seeds as the engine knows; of any number */
  int32_t other[GV_PANEL_BOXES];                        /* that are added run by run */
  int32_t alikes, pairs, mixes, others;
  int32_t a[GV_PANEL_BOXES], b[GV_PANEL_BOXES]; /* seeds of corners of each that is a pair or mixed */
  box_bits not_a[GV_PANEL_BOXES];               /* of pairs, and behind them of mixed ones ... */
  box_bits not_b[GV_PANEL_BOXES];               /* ... and these */
  meeting met[2][GV_PANEL_BOXES];               /* of two seeds, of three */
  int32_t meetings[2];
} sorted_boxes;

/* The seed of a corner of a whole box, and another corner's if there is another one. */
GV_INLINE void find_corners(const gv_scan *scan, const gv_scan_box *box, int32_t *a, int32_t *b) {
  const int32_t *cells = scan->cells + box->begin, *bottom = cells + (scan->rows - 1) * scan->stride;
  const int32_t corner[3] = {cells[GV_BOX_COLUMNS - 1], bottom[0], bottom[GV_BOX_COLUMNS - 1]};
  *a = *b = cells[0];
  for (int i = 0; i < 3; i++)
    *b = corner[i] != *a ? corner[i] : *b;
}

/* Which kind comes next cannot be guessed. So they are told apart first, as far as the engine knows. */
GV_INLINE void sort_boxes(const gv_scan *scan, gv_region_sums *to, sorted_boxes *out) {
  out->alikes = out->pairs = out->mixes = out->others = out->meetings[0] = out->meetings[1] = 0;
  for (int32_t i = 0; i < scan->boxes; i++) {
    const gv_scan_box *box = &scan->box[i];
    bool alike = box->kind == GV_BOX_ALIKE, whole = box->end - box->begin == GV_BOX_COLUMNS;
    out->alike[out->alikes] = out->pair[out->pairs] = out->mixed[out->mixes] = out->other[out->others] = i;
    out->alikes += alike;
    out->pairs += !alike & whole & (box->kind == GV_BOX_PAIR);
    out->mixes += !alike & whole & (box->kind != GV_BOX_PAIR);
    out->others += !alike & !whole;
  }
  for (int32_t i = 0; i < out->alikes; i++)
    out->index[i] = gv_region_index(to, scan->cells[scan->box[out->alike[i]].begin]);
}

/* Looks at the cells of pairs and mixed boxes. */
GV_INLINE void read_boxes(const gv_scan *scan, sorted_boxes *sorted) {
  for (int32_t i = 0; i < sorted->pairs + sorted->mixes; i++) {
    int32_t n = i < sorted->pairs ? sorted->pair[i] : sorted->mixed[i - sorted->pairs];
    const int32_t *cells = scan->cells + scan->box[n].begin;
    find_corners(scan, &scan->box[n], &sorted->a[i], &sorted->b[i]);
    memset(&sorted->not_a[i], 0, sizeof sorted->not_a[i]);
    differing_rows(cells, scan->stride, scan->rows, vi_set1(sorted->a[i]), sorted->not_a[i].word);
    if (i < sorted->pairs) continue;
    memset(&sorted->not_b[i], 0, sizeof sorted->not_b[i]);
    differing_rows(cells, scan->stride, scan->rows, vi_set1(sorted->b[i]), sorted->not_b[i].word);
  }
}

static void order_mixed(const gv_scan *scan, int32_t i, gv_region_sums *to, sorted_boxes *sorted) {
  int32_t n = sorted->mixed[i - sorted->pairs], a = sorted->a[i], b = sorted->b[i];
  const gv_scan_box *box = &scan->box[n];
  const box_bits *not_a = &sorted->not_a[i];
  box_bits bits[3];
  uint32_t more = 0;
  int32_t row = -1;
  vi all = vi_set1(-1);
  for (int32_t r = 0; r < GV_BOX_ROWS; r += VF_LANES) {
    vi first = vi_load(not_a->word + r), neither = vi_and(first, vi_load(sorted->not_b[i].word + r));
    vi_store(bits[0].word + r, vi_xor(first, all));
    vi_store(bits[1].word + r, vi_xor(first, neither));
    vi_store(bits[2].word + r, neither);
  }
  /* Not of bits[2], which is just on its way to memory: */
  for (int32_t r = 0; r < GV_BOX_ROWS; r++)
    row = (not_a->word[r] & sorted->not_b[i].word[r]) != 0 ? r : row;
  if (row >= 0) {
    const int32_t *cells = scan->cells + box->begin;
    int32_t c = cells[row * scan->stride + __builtin_ctz((uint32_t)bits[2].word[row])];
    const vi third = vi_set1(c);
    for (int32_t r = 0; r <= row; r++)
      more |= (uint32_t)bits[2].word[r] & differing_from(cells + r * scan->stride, third);
    meeting *m = &sorted->met[1][sorted->meetings[1]];
    bool found = more == 0 && order_three(box, bits, (const int32_t[3]){a, b, c}, to, m);
    m->box = sorted->other[sorted->others] = n;
    sorted->meetings[1] += found;
    sorted->others += !found;
  } else {
    meeting *m = &sorted->met[0][sorted->meetings[0]];
    bool found = order_two(box, not_a, a, b, to, m);
    m->box = sorted->other[sorted->others] = sorted->alike[sorted->alikes] = n;
    sorted->index[sorted->alikes] = m->index[0];
    sorted->alikes += found & (a == b);
    sorted->meetings[0] += found & (a != b);
    sorted->others += !found;
  }
}

GV_INLINE void order_boxes(const gv_scan *scan, gv_region_sums *to, sorted_boxes *sorted) {
  for (int32_t i = 0; i < sorted->pairs; i++) {
    int32_t n = sorted->pair[i];
    meeting *m = &sorted->met[0][sorted->meetings[0]];
    /* With the same seed in all corners there is no telling what is not it: */
    bool found = sorted->a[i] != sorted->b[i] &&
                 order_two(&scan->box[n], &sorted->not_a[i], sorted->a[i], sorted->b[i], to, m);
    m->box = sorted->other[sorted->others] = n;
    sorted->meetings[0] += found;
    sorted->others += !found;
  }
  for (int32_t i = sorted->pairs; i < sorted->pairs + sorted->mixes; i++)
    order_mixed(scan, i, to, sorted);
}

/* The column before which boxes 0 ... b - 1 are. */
GV_INLINE int32_t end_before(const gv_scan *scan, int32_t b) {
  return b > 0 ? scan->box[b - 1].end : scan->box[0].begin;
}

static bool add_boxes(const gv_scan *scan, const gv_scan_terms *terms, gv_region_sums *to) {
  sorted_boxes sorted;
  vq part[GV_PANEL_BOXES + 1];
  if (!gv_regions_reserve(to, 3 * scan->boxes)) return false;
  sort_boxes(scan, to, &sorted);
  read_boxes(scan, &sorted);
  /* What was just written in parts cannot be read as a whole: meanwhile, S at the ends of all boxes. */
  vl factors = vl_load(terms->factors != NULL ? terms->factors : terms->factor), upto[GV_PANEL_BOXES + 1];
  for (int32_t r = 1; r < scan->rows && terms->factors == NULL; r++)
    factors = vl_add(factors, vl_load(terms->factor + r * GV_SCAN_LANES));
  for (int32_t b = 0; b <= scan->boxes; b++) {
    int32_t c = end_before(scan, b);
    upto[b] = vl_all_products(terms->column[c].sum, c, factors);
  }
  order_boxes(scan, to, &sorted);

  const meeting *two = sorted.met[0], *three = sorted.met[1];
  for (int32_t i = 0; i < sorted.meetings[0]; i++)
    add_meeting(2, scan, terms, &two[i], upto[two[i].box], upto[two[i].box + 1], to);
  for (int32_t i = 0; i < sorted.meetings[1]; i++)
    add_meeting(3, scan, terms, &three[i], upto[three[i].box], upto[three[i].box + 1], to);
  for (int32_t i = 0; i < sorted.alikes; i++) {
    int32_t b = sorted.alike[i];
    int64_t *sum = to->sum + sorted.index[i] * to->stride;
    vl_store(sum, vl_add(vl_load(sum), vl_sub(upto[b + 1], upto[b])));
  }
  for (int32_t q = 0; q < terms->quantities; q++) {
    const gv_scan_quantity *quantity = &terms->quantity[q];
    for (int32_t b = 0; b <= scan->boxes; b++)
      part[b] = quantity_before(quantity, end_before(scan, b));
    for (int32_t i = 0; i < sorted.meetings[0]; i++)
      add_quantity_of_meeting(2, scan, quantity, &two[i], part[two[i].box], part[two[i].box + 1], to);
    for (int32_t i = 0; i < sorted.meetings[1]; i++)
      add_quantity_of_meeting(3, scan, quantity, &three[i], part[three[i].box], part[three[i].box + 1], to);
    for (int32_t i = 0; i < sorted.alikes; i++) {
      int32_t b = sorted.alike[i];
      int64_t *sum = to->sum + sorted.index[i] * to->stride + quantity->lane;
      vq_store(sum, vq_add(vq_load(sum), vq_sub(part[b + 1], part[b])));
    }
  }
  for (int32_t i = 0; i < sorted.others; i++)
    if (!add_other_box(scan, terms, &scan->box[sorted.other[i]], to)) return false;
  return true;
}

static bool make_terms(const double *value, int32_t n, double factor, double limit, gv_term *term) {
  vd f = vd_set1(factor), most = vd_set1(limit);
  for (int32_t i = 0; i < n; i += VD_LANES) {
    bool whole = i + VD_LANES <= n;
    vd v = whole ? vd_load(value + i) : vd_load_first(value + i, n - i), size = vd_abs(v);
    gv_term rest[VD_LANES];
    if (vm_bits(vm_or(vd_less(size, most), vd_equal(size, most))) != (1U << VD_LANES) - 1U) return false;
    vd_store_parts(whole ? term[i].part : rest[0].part, vd_mul(v, f));
    if (!whole) memcpy(term + i, rest, (size_t)(n - i) * sizeof *rest);
  }
  return true;
}

static void sum_terms(const gv_scan_quantity *quantity, int32_t width) {
  const int32_t first = quantity->segment[0], last = quantity->segment[width];
  int64_t before[2] = {0, 0};
  for (int32_t i = first; i <= last; i++) {
    gv_segment_sum *to = &quantity->all[i];
    int32_t begin = i > first ? segment_end(quantity, i - 1) : 0;
    int32_t columns = i < last ? segment_end(quantity, i) - begin : 0;
    vq sum = vq_of(0, 0);
    for (int32_t g = 0; g < quantity->groups; g++)
      sum = vq_add(sum, vq_times(vq_load(quantity->group[g][i].part), quantity->size[g]));
    vq_store(to->term, sum);
    for (int k = 0; k < 2; k++) {
      to->base[k] = before[k] - to->term[k] * begin;
      before[k] += to->term[k] * columns;
    }
  }
}

static void find_runs(const gv_scan *scan, gv_runs *runs) {
  int32_t *start = runs->start, count = 0;
  const int32_t *row = scan->cells;
  for (int32_t r = 0; r < scan->rows; r++, row += scan->stride) {
    int32_t base = r << GV_RUN_SHIFT;
    for (int32_t b = 0; b < scan->boxes; b++) {
      int32_t c = scan->box[b].begin;
      start[count] = base + c;
      count += c == 0 || row[c] != row[c - 1];
      if (scan->box[b].kind != GV_BOX_ALIKE)
        count += write_bits(differing_cells(row + c, scan->box[b].end - c), base + c, start + count);
    }
  }
  start[count] = scan->rows << GV_RUN_SHIFT;
  runs->count = count;
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

const gv_statistics_kernels GV_STATISTICS_KERNELS = {
    .make_terms = make_terms,
    .sum_terms = sum_terms,
    .add_boxes = add_boxes,
    .find_runs = find_runs,
    .sum_whole = sum_whole,
    .sum_products = sum_products,
    .sum_distances = sum_distances,
};
