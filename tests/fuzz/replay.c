/*
 * Replaces libFuzzer where it is missing: runs the fuzzer on a number of generated inputs, then on the
 * given files and as many modified copies of each, the same in each run.
 *
 *     fuzz_NAME COUNT [FILE...]
 */
#include "../split_mix.h"
#include "fuzz.h"

enum { MOST = 4096, MOST_BYTES = 1 << 16, COPIES = 100 };

static uint64_t state = 1;

/* One to four bytes of a copy are others, or it ends early. */
static size_t spoil(uint8_t *data, size_t size) {
  uint64_t bits = split_mix(&state);
  if (size < 2) return size;
  if (bits % 8 == 0) return (size_t)(split_mix(&state) % size);
  for (uint64_t i = 0; i <= bits % 4; i++)
    data[split_mix(&state) % size] = (uint8_t)split_mix(&state);
  return size;
}

static int replay_file(const char *name) {
  static uint8_t data[MOST_BYTES], copy[MOST_BYTES];
  FILE *file = fopen(name, "rb");
  if (file == NULL) {
    perror(name);
    return 1;
  }
  size_t size = fread(data, 1, sizeof data, file);
  fclose(file);
  LLVMFuzzerTestOneInput(data, size);
  for (int i = 0; i < COPIES; i++) {
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, spoil(copy, size));
  }
  return 0;
}

static void generate(long count) {
  static uint8_t data[MOST];
  static const uint8_t alphabet[] = {'0', '1', '2', '3', 0x00, 0x01, 0x7f, 0xff};
  for (long i = 0; i < count; i++) {
    /* Short inputs mostly; bytes from a small alphabet in every other one, so that equal values meet. */
    size_t size = (size_t)(split_mix(&state) % (i % 8 == 0 ? MOST : 200));
    for (size_t b = 0; b < size; b++) {
      uint64_t bits = split_mix(&state);
      data[b] = (uint8_t)(i % 2 == 0 ? bits : alphabet[bits % sizeof alphabet]);
    }
    LLVMFuzzerTestOneInput(data, size);
  }
}

int main(int argc, char **argv) {
  char *end = NULL;
  long count = argc > 1 ? strtol(argv[1], &end, 10) : 0;
  if (end == NULL || *end != '\0') {
    fprintf(stderr, "usage: %s COUNT [FILE...]\n", argv[0]);
    return 2;
  }
  int status = 0;
  generate(count);
  for (int i = 2; i < argc; i++)
    status |= replay_file(argv[i]);
  printf("%ld inputs, %d files\n", count, argc - 2);
  return status;
}
