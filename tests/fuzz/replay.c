/*
 * Stands in for libFuzzer where there is none: runs the fuzzer on the files given, or on a number of generated inputs,
 * the same on each run.
 *
 *     fuzz_NAME COUNT | FILE...
 */
#include "../split_mix.h"
#include "fuzz.h"

enum { MOST = 4096 };

static int replay_file(const char *name) {
  static uint8_t data[1 << 20];
  FILE *file = fopen(name, "rb");
  if (file == NULL) {
    perror(name);
    return 1;
  }
  size_t size = fread(data, 1, sizeof data, file);
  fclose(file);
  LLVMFuzzerTestOneInput(data, size);
  return 0;
}

int main(int argc, char **argv) {
  char *end = NULL;
  long count = argc == 2 ? strtol(argv[1], &end, 10) : 0;
  if (end == NULL || *end != '\0') {
    int status = 0;
    for (int i = 1; i < argc; i++)
      status |= replay_file(argv[i]);
    return status;
  }
  static uint8_t data[MOST];
  static const uint8_t alphabet[] = {'0', '1', '2', '3', 0x00, 0x01, 0x7f, 0xff};
  uint64_t state = 1;
  for (long i = 0; i < count; i++) {
    /* Short inputs mostly; bytes from a small alphabet in every other one, so that equal values meet. */
    size_t size = (size_t)(split_mix(&state) % (i % 8 == 0 ? MOST : 200));
    for (size_t b = 0; b < size; b++) {
      uint64_t bits = split_mix(&state);
      data[b] = (uint8_t)(i % 2 == 0 ? bits : alphabet[bits % sizeof alphabet]);
    }
    LLVMFuzzerTestOneInput(data, size);
  }
  printf("%ld inputs\n", count);
  return 0;
}
