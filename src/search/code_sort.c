/* Least-significant-digit radix sort of (code, index) pairs, 11 bits a pass, every thread counting and scattering
 * its own stretch: O(n) a pass, stable, the same order for any number of threads. */
#include "search/code_sort.h"

#include <string.h>

#include "core/parallel.h"

enum { DIGIT_BITS = 11, BUCKETS = 1 << DIGIT_BITS, FEW = 128 };

/* A pass over a digit: of each part of the pairs, how many go to each bucket, and then where to. */
typedef struct sorting {
  const gv_code *from;
  gv_code *to;
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
  const gv_code *from = s->from;
  gv_code *to = s->to;
  int shift = s->shift;
  for (int64_t i = s->count * part / s->parts; i < last; i++)
    to[mine[from[i].code >> shift & (BUCKETS - 1)]++] = from[i];
  return GV_OK;
}

gv_status gv_codes_sort(gv_context *context, gv_code *codes, gv_code *scratch, int64_t count, int bits,
                        int threads) {
  if (count <= FEW) {
    for (int64_t i = 1; i < count; i++) {
      gv_code moving = codes[i];
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
  gv_code *from = codes, *to = scratch;
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
    gv_code *swap = from;
    from = to;
    to = swap;
  }
  if (from != codes) memcpy(codes, from, (size_t)count * sizeof *codes);
  gv_release(&context->allocator, counts);
  return GV_OK;
}

void gv_codes_insertion_sort(gv_code *a, int64_t count) {
  for (int64_t i = 1; i < count; i++) {
    gv_code moving = a[i];
    int64_t j = i;
    for (; j > 0 && gv_code_before(moving, a[j - 1]); j--)
      a[j] = a[j - 1];
    a[j] = moving;
  }
}

static void sort_heap_down(gv_code *a, int64_t hole, int64_t count, gv_code moving) {
  for (;;) {
    int64_t child = 2 * hole + 1;
    if (child >= count) break;
    if (child + 1 < count && gv_code_before(a[child], a[child + 1])) child++;
    if (!gv_code_before(moving, a[child])) break;
    a[hole] = a[child];
    hole = child;
  }
  a[hole] = moving;
}

void gv_codes_heap_sort(gv_code *a, int64_t count) {
  for (int64_t i = count / 2 - 1; i >= 0; i--)
    sort_heap_down(a, i, count, a[i]);
  for (int64_t i = count - 1; i > 0; i--) {
    gv_code moving = a[i];
    a[i] = a[0];
    sort_heap_down(a, 0, i, moving);
  }
}

/* Pivots are medians of three, so both parts of a partition have something; a range that resists them is heap-sorted. */
static void quick_sort(gv_code *a, int64_t count, int budget) {
  enum { SMALL = 24 };
  while (count > SMALL) {
    if (budget-- == 0) {
      gv_codes_heap_sort(a, count);
      return;
    }
    gv_code low = a[0], pivot = a[count / 2], high = a[count - 1];
    if (gv_code_before(pivot, low)) {
      gv_code moving = low;
      low = pivot;
      pivot = moving;
    }
    if (gv_code_before(high, pivot)) pivot = gv_code_before(high, low) ? low : high;
    int64_t smaller = 0;
    for (int64_t i = 0; i < count; i++) {
      gv_code moving = a[i];
      a[i] = a[smaller];
      a[smaller] = moving;
      smaller += gv_code_before(moving, pivot);
    }
    int64_t larger = count - smaller;
    if (smaller < larger) {
      quick_sort(a, smaller, budget);
      a += smaller;
      count = larger;
    } else {
      quick_sort(a + smaller, larger, budget);
      count = smaller;
    }
  }
  gv_codes_insertion_sort(a, count);
}

void gv_codes_quick_sort(gv_code *a, int64_t count) {
  quick_sort(a, count, 128);
}
