/* What fuzzers share: reading values off the input, and failing. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv); /* where there is one */

/* Ends the run, as a crash does, if a property does not hold. */
#define FUZZ_REQUIRE(property)                                                                               \
  do {                                                                                                       \
    if (!(property)) {                                                                                       \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #property);                          \
      abort();                                                                                               \
    }                                                                                                        \
  } while (0)

typedef struct fuzz_input {
  const uint8_t *data;
  size_t left;
} fuzz_input;

/* The next bytes; zeros when the input is used up. */
static inline void fuzz_take(fuzz_input *input, void *out, size_t size) {
  size_t have = size < input->left ? size : input->left;
  memset(out, 0, size);
  if (have > 0) memcpy(out, input->data, have);
  input->data += have;
  input->left -= have;
}

static inline uint8_t fuzz_byte(fuzz_input *input) {
  uint8_t byte;
  fuzz_take(input, &byte, 1);
  return byte;
}

/*
 * Maximum work of an input, in pairs of a cell (or query) and a seed: little, for one input of 32 more, for
 * one of 256 without limit. All bytes of the input decide, so that no corpus is full of large questions.
 * Zeros at its end, which have no other effect, make any question a large one.
 */
enum { FUZZ_SMALL = 24, FUZZ_SOME = 96, FUZZ_MEDIUM = 1024 };

static inline int64_t fuzz_room(const uint8_t *data, size_t size) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ data[i]) * 0x100000001b3U;
  hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15U >> 56;
  return hash == 0 ? INT64_MAX : hash % 32 == 0 ? FUZZ_MEDIUM : hash % 4 == 0 ? FUZZ_SOME : FUZZ_SMALL;
}

/* For pairs that are fast. */
static inline int64_t fuzz_more_room(int64_t room, int times) {
  return room < INT64_MAX ? room * times : room;
}

/* Makes the larger of two numbers smaller until there is room for their product. */
static inline void fuzz_shrink(int64_t room, int64_t *one, int64_t *other) {
  while (*one * *other > room && (*one > 1 || *other > 1)) {
    int64_t *larger = *one > *other ? one : other;
    *larger -= *larger / 2;
  }
}

/* Whether the n-th backend after `serial` is run: all of them, which is slow, or every fourth. */
static inline bool fuzz_asks(int asked, int n) {
  return asked == 0 || n % 4 == asked % 4;
}

#endif
