/*
 * Lists of strings as GDAL reads them (CSLConstList): NULL-terminated; NULL is an empty one. GDAL's own
 * functions for such lists end the process if memory runs out, and their memory is GDAL's to free: lists that
 * outlive a function are these.
 */
#ifndef GV_IO_STRINGS_H
#define GV_IO_STRINGS_H

#include <stdbool.h>

/* False: out of memory; the list is unchanged. */
bool gv_strings_add(char ***list, const char *text);

/* Puts "KEY=VALUE" in place of the entry with that key, or at the end. False: out of memory; the list is
 * unchanged. */
bool gv_strings_set(char ***list, const char *key, const char *value);

/* False: out of memory; *out is NULL. */
bool gv_strings_copy(const char *const *from, char ***out);

void gv_strings_free(char **list);

#endif
