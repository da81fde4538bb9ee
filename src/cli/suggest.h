/* Suggestions for misspelled names. */
#ifndef GV_CLI_SUGGEST_H
#define GV_CLI_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether a word of that length may be a misspelling of a name, and closer to it than to the ones before:
 * *least is the number of letters to insert, delete, replace or swap with the next (each letter once), at
 * first GV_SUGGEST_FAR. One mistake may be made, or two in five letters and more. Words and names of more
 * than 63 letters are not compared.
 */
enum { GV_SUGGEST_FAR = 3 };
bool cli_is_closer(const char *word, size_t length, const char *name, int *least);

#endif
