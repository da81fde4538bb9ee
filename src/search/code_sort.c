/* Least-significant-digit radix sort of (code, index) pairs, 11 bits a pass, every thread counting and
 * scattering its own stretch: O(n) a pass, stable, the same order for any number of threads. */
#include "search/code_sort.h"

#include <string.h>

#include "core/parallel.h"

enum { DIGIT_BITS = 11, BUCKETS = 1 << DIGIT_BITS, FEW = 128 };

/* A pass over a digit: of each part of the pairs, how many go to each bucket, and then where to. */
typedef struct sorting {
  const gv_sort_code *from;
  gv_sort_code *to;
  int64_t count;
  int parts, shift;
  int64_t *counts;
} sorting;

static gv_status count_digits(gv_worker *worker, int64_t part, int64_t end) {
  const sorting *s = worker->user;
  int64_t *mine = s->counts + part * BUCKETS, last = s->count * end / s->parts;
  memset(mine, 0, BUCKETS * sizeof *mine);
  for (int64_t i = s->count * part / s->parts; i < last; i++)
    mine[s->from[i].code >> s->shift & (BUCKETS - 1)]++;
  return GV_OK;
}

static gv_status scatter(gv_worker *worker, int64_t part, int64_t end) {
  const sorting *s = worker->user;
  int64_t *mine = s->counts + part * BUCKETS, last = s->count * end / s->parts;
  const gv_sort_code *from = s->from;
  gv_sort_code *to = s->to;
  int shift = s->shift;
  for (int64_t i = s->count * part / s->parts; i < last; i++)
    to[mine[from[i].code >> shift & (BUCKETS - 1)]++] = from[i];
  return GV_OK;
}

gv_status gv_codes_sort(gv_context *context, gv_sort_code *codes, gv_sort_code *scratch, int64_t count,
                        int bits, int threads) {
  if (count <= FEW) {
    for (int64_t i = 1; i < count; i++) {
      gv_sort_code moving = codes[i];
      int64_t j = i;
      for (; j > 0 && codes[j - 1].code > moving.code; j--)
        codes[j] = codes[j - 1];
      codes[j] = moving;
    }
    return GV_OK;
  }
  if (count < 65536) threads = 1;
  int64_t *counts = gv_allocate(&context->allocator, (int64_t)threads * BUCKETS, sizeof *counts);
  if (counts == NULL) return gv_fail_memory(context, "the order of points");
  gv_sort_code *from = codes, *to = scratch;
  sorting s = {.count = count, .parts = threads, .counts = counts};
  gv_loop loop = {.threads = threads, .count = threads, .grain = 1, .user = &s};
  for (int shift = 0; shift < bits; shift += DIGIT_BITS) {
    s.from = from;
    s.to = to;
    s.shift = shift;
    gv_parallel_for(&loop, count_digits);
    int64_t total = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
      for (int t = 0; t < threads; t++) {
        int64_t here = counts[(int64_t)t * BUCKETS + bucket];
        counts[(int64_t)t * BUCKETS + bucket] = total;
        total += here;
      }
    }
    gv_parallel_for(&loop, scatter);
    gv_sort_code *swap = from;
    from = to;
    to = swap;
  }
  if (from != codes) memcpy(codes, from, (size_t)count * sizeof *codes);
  gv_release(&context->allocator, counts);
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------ a list's sort */

/* A merge sort without branches that depend on the values: a few codes are placed by how many are before
 * each, and two sorted halves are merged from both ends at once, which never runs past the end of a half, as
 * each end takes no more than the shorter half has. */

enum { FEW_CODES = 16 };

static inline bool code_before(gv_sort_code a, gv_sort_code b) {
  return (a.code < b.code) | ((a.code == b.code) & (a.index < b.index));
}

static void sort_few(const gv_sort_code *from, gv_sort_code *to, int64_t count) {
  int place[FEW_CODES] = {0};
  for (int i = 1; i < count; i++) {
    int before = 0;
    for (int j = 0; j < i; j++) {
      int later = code_before(from[i], from[j]);
      place[j] += later;
      before += 1 - later;
    }
    place[i] = before;
  }
  for (int i = 0; i < count; i++)
    to[place[i]] = from[i];
}

static void merge_halves(const gv_sort_code *from, gv_sort_code *to, int64_t count) {
  int64_t half = count / 2;
  const gv_sort_code *left = from, *right = from + half, *left_end = right - 1, *right_end = from + count - 1;
  gv_sort_code *end = to + count - 1;
  for (int64_t i = 0; i < half; i++) {
    bool first = code_before(*right, *left), last = code_before(*right_end, *left_end);
    *to++ = *(first ? right : left);
    right += first;
    left += !first;
    *end-- = *(last ? left_end : right_end);
    left_end -= last;
    right_end -= !last;
  }
  if (count % 2 != 0) *to = *(left <= left_end ? left : right);
}

/* Sorts `a` with the help of `b`, to a place in b if `into`. */
static void sort_list(gv_sort_code *a, gv_sort_code *b, int64_t count, bool into) {
  if (count <= FEW_CODES) {
    memcpy(b, a, (size_t)count * sizeof *a);
    sort_few(into ? a : b, into ? b : a, count);
    return;
  }
  int64_t half = count / 2;
  sort_list(a, b, half, !into);
  sort_list(a + half, b + half, count - half, !into);
  merge_halves(into ? a : b, into ? b : a, count);
}

void gv_codes_sort_list(gv_sort_code *codes, gv_sort_code *scratch, int64_t count) {
  sort_list(codes, scratch, count, false);
}
