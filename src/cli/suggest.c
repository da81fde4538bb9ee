#include "cli/suggest.h"

#include <string.h>

static int least(int a, int b) {
  return a < b ? a : b;
}

int cli_spelling_distance(const char *a, size_t a_length, const char *b) {
  enum { MOST = 63 };
  size_t b_length = strlen(b);
  if (a_length > MOST || b_length > MOST) return GV_SUGGEST_FAR;
  int rows[3][MOST + 1], *before = rows[0], *last = rows[1], *now = rows[2];
  for (size_t j = 0; j <= b_length; j++)
    before[j] = last[j] = (int)j;
  for (size_t i = 1; i <= a_length; i++) {
    now[0] = (int)i;
    for (size_t j = 1; j <= b_length; j++) {
      now[j] = least(least(now[j - 1], last[j]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = least(now[j], before[j - 2] + 1);
    }
    int *oldest = before;
    before = last, last = now, now = oldest;
  }
  return least(last[b_length], GV_SUGGEST_FAR);
}
