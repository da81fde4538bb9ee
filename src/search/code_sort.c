/* Least-significant-digit radix sort of (code, index) pairs, 11 bits a pass, every thread counting and scattering
 * its own stretch: O(n) a pass, stable, the same order for any number of threads. */
#include "search/code_sort.h"

#include <omp.h>
#include <string.h>

enum { DIGIT_BITS = 11, BUCKETS = 1 << DIGIT_BITS, FEW = 128 };

bool gv_codes_sort(const gv_allocator *allocator, gv_code *codes, gv_code *scratch, int64_t count, int bits,
                   int threads) {
  if (count <= FEW) {
    for (int64_t i = 1; i < count; i++) {
      gv_code moving = codes[i];
      int64_t j = i;
      for (; j > 0 && codes[j - 1].code > moving.code; j--)
        codes[j] = codes[j - 1];
      codes[j] = moving;
    }
    return true;
  }
  if (count < 65536) threads = 1;
  int64_t *counts = gv_allocate(allocator, (int64_t)threads * BUCKETS, sizeof *counts);
  if (counts == NULL) return false;
  gv_code *from = codes, *to = scratch;
  for (int shift = 0; shift < bits; shift += DIGIT_BITS) {
#pragma omp parallel num_threads(threads)
    {
      /* The runtime may give fewer threads than asked for. */
      int team = omp_get_num_threads(), me = omp_get_thread_num();
      int64_t first = count * me / team, last = count * (me + 1) / team;
      int64_t *mine = counts + (int64_t)me * BUCKETS;
      memset(mine, 0, BUCKETS * sizeof *mine);
      for (int64_t i = first; i < last; i++)
        mine[from[i].code >> shift & (BUCKETS - 1)]++;
#pragma omp barrier
#pragma omp single
      {
        int64_t total = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
          for (int t = 0; t < team; t++) {
            int64_t here = counts[(int64_t)t * BUCKETS + bucket];
            counts[(int64_t)t * BUCKETS + bucket] = total;
            total += here;
          }
        }
      }
      for (int64_t i = first; i < last; i++)
        to[mine[from[i].code >> shift & (BUCKETS - 1)]++] = from[i];
    }
    gv_code *swap = from;
    from = to;
    to = swap;
  }
  if (from != codes) memcpy(codes, from, (size_t)count * sizeof *codes);
  gv_release(allocator, counts);
  return true;
}
