#include "cli/suggest.h"

#include <string.h>

static int smaller(int a, int b) {
  return a < b ? a : b;
}

static int spelling_distance(const char *a, size_t a_length, const char *b) {
  enum { MOST = 63 };
  size_t b_length = strlen(b);
  if (a_length > MOST || b_length > MOST) return GV_SUGGEST_FAR;
  int rows[3][MOST + 1], *before = rows[0], *last = rows[1], *now = rows[2];
  for (size_t j = 0; j <= b_length; j++)
    before[j] = last[j] = (int)j;
  for (size_t i = 1; i <= a_length; i++) {
    now[0] = (int)i;
    for (size_t j = 1; j <= b_length; j++) {
      now[j] = smaller(smaller(now[j - 1], last[j]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = smaller(now[j], before[j - 2] + 1);
    }
    int *oldest = before;
    before = last, last = now, now = oldest;
  }
  return smaller(last[b_length], GV_SUGGEST_FAR);
}

bool cli_is_closer(const char *word, size_t length, const char *name, int *least) {
  int distance = spelling_distance(word, length, name);
  if (length < 2 || distance > (length < 5 ? 1 : 2) || distance >= *least) return false;
  *least = distance;
  return true;
}
