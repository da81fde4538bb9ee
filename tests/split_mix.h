/* Random bits, the same on every machine: SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom
 * number generators, OOPSLA 2014). */
#ifndef GV_TESTS_SPLIT_MIX_H
#define GV_TESTS_SPLIT_MIX_H

#include <stdint.h>

static inline uint64_t split_mix(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

#endif
