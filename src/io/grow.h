/* Arrays that grow. */
#ifndef GV_IO_GROW_H
#define GV_IO_GROW_H

#include <stddef.h>
#include <stdint.h>

/* An array of *capacity entries of `size` bytes (NULL: of none) with room for `count`: as it is, or moved to where it has room for
 * half as many again at least. NULL when out of memory: then the array is as it was. */
void *gv_grow(void *array, int64_t *capacity, int64_t count, size_t size);

#endif
