/* Arrays that grow. */
#ifndef GV_IO_GROW_H
#define GV_IO_GROW_H

#include <stddef.h>
#include <stdint.h>

/* Grows an array of *capacity entries of `size` bytes (NULL: empty) to hold `count`. Returns it unchanged, or
 * moved to memory for at least half as many entries more. NULL when out of memory: the array is then
 * unchanged. */
void *gv_grow(void *array, int64_t *capacity, int64_t count, size_t size);

#endif
