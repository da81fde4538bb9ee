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
#define FUZZ_REQUIRE(property)                                                                                     \
  do {                                                                                                             \
    if (!(property)) {                                                                                             \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #property);                                \
      abort();                                                                                                     \
    }                                                                                                              \
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

/* Whether the n-th backend after `serial` is asked: all of them, which takes its time, or every fourth. */
static inline bool fuzz_asks(int asked, int n) {
  return asked == 0 || n % 4 == asked % 4;
}

#endif
