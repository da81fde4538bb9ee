/* Suggestions for misspelled names. */
#ifndef GV_CLI_SUGGEST_H
#define GV_CLI_SUGGEST_H

#include <stddef.h>

/* The least number of letters to insert, delete, replace or swap with the next (each letter once) that turns one name into the
 * other; GV_SUGGEST_FAR above 2, or if a name is longer than 63 letters. */
enum { GV_SUGGEST_FAR = 3 };
int cli_spelling_distance(const char *a, size_t a_length, const char *b);

/* Whether a name of that length may be meant by another at this distance: one mistake, or two in five letters and more. */
static inline int cli_may_be_meant(size_t length, int distance) {
  return distance < GV_SUGGEST_FAR && distance <= (length < 5 ? 1 : 2);
}

#endif
