/*
 * A heap of GV_HEAP_WAYS children a node, as two functions for one type of entries. Included once in each
 * source that needs one, with
 *   GV_HEAP_NAME(name)            the functions' names: rise and sink
 *   GV_HEAP_STATE                 type of what holds the heap
 *   GV_HEAP_ENTRY                 type of its entries
 *   GV_HEAP_AT(state, i)          entry i, to be read
 *   GV_HEAP_PUT(state, i, entry)  sets entry i
 *   GV_HEAP_BEFORE(a, b)          whether the entry at pointer a comes before that at b
 */
#define GV_HEAP_WAYS 4

/* Puts an entry at `at`, which is free, or higher. */
static inline void GV_HEAP_NAME(rise)(GV_HEAP_STATE *state, int64_t at, GV_HEAP_ENTRY entry) {
  while (at > 0) {
    const int64_t above = (at - 1) / GV_HEAP_WAYS;
    if (!GV_HEAP_BEFORE(&entry, &GV_HEAP_AT(state, above))) break;
    GV_HEAP_PUT(state, at, GV_HEAP_AT(state, above));
    at = above;
  }
  GV_HEAP_PUT(state, at, entry);
}

/* Puts an entry at 0, which is free, or lower, among `count`. */
static inline void GV_HEAP_NAME(sink)(GV_HEAP_STATE *state, int64_t count, GV_HEAP_ENTRY entry) {
  int64_t at = 0;
  for (;;) {
    const int64_t first = at * GV_HEAP_WAYS + 1;
    const int64_t end = first + GV_HEAP_WAYS < count ? first + GV_HEAP_WAYS : count;
    int64_t least = first;
    if (first >= count) break;
    for (int64_t i = first + 1; i < end; i++)
      if (GV_HEAP_BEFORE(&GV_HEAP_AT(state, i), &GV_HEAP_AT(state, least))) least = i;
    if (!GV_HEAP_BEFORE(&GV_HEAP_AT(state, least), &entry)) break;
    GV_HEAP_PUT(state, at, GV_HEAP_AT(state, least));
    at = least;
  }
  GV_HEAP_PUT(state, at, entry);
}
