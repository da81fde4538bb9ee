/*
 * Contexts for fuzzers, with their own allocator: the address sanitizer's took a third of the time, because
 * each large block is mapped and unmapped. Released blocks are poisoned and reused after some more of their
 * size have been released; bytes before and after the requested ones are poisoned, too.
 */
#include <pthread.h>

#include "question.h"

#if defined(__has_include)
#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(at, size)   ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

enum { LEAST_BITS = 6, MOST_BITS = 20, MOST_KEPT = 64, HEAD = 64, FILL = 4096 };

/* Free blocks of 2^bits bytes: a ring, the first released first. */
typedef struct ring {
  char *block[MOST_KEPT];
  int first, count;
} ring;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ring kept[MOST_BITS + 1];

/* How many wait until the first is used again: the smaller they are the more. */
static int wait_of(int bits) {
  return bits < 12 ? MOST_KEPT - 1 : bits < 16 ? 7 : 1;
}

/* Lies before each block. */
typedef struct head {
  int bits;
  bool given;
} head;

static void *allocate(size_t bytes, void *unused) {
  (void)unused;
  int bits = LEAST_BITS;
  while (bits <= MOST_BITS && bytes > (size_t)1 << bits)
    bits++;
  if (bits > MOST_BITS) bits = 0; /* it is not kept */
  size_t room = bits > 0 ? (size_t)1 << bits : bytes;
  char *block = NULL;
  pthread_mutex_lock(&lock);
  ring *r = &kept[bits];
  if (r->count > wait_of(bits)) {
    block = r->block[r->first];
    r->first = (r->first + 1) % MOST_KEPT;
    r->count--;
  }
  pthread_mutex_unlock(&lock);
  if (block == NULL) {
    block = room < SIZE_MAX - 2 * HEAD ? malloc(room + 2 * HEAD) : NULL;
    if (block == NULL) return NULL;
  }
  ASAN_UNPOISON_MEMORY_REGION(block, HEAD);
  *(head *)(void *)block = (head){bits, true};
  char *memory = block + HEAD;
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
  memset(memory, 0xbe, bytes < FILL ? bytes : FILL); /* as the sanitizer does */
  ASAN_POISON_MEMORY_REGION(memory + bytes, room + HEAD - bytes);
  ASAN_POISON_MEMORY_REGION(block, HEAD);
  return memory;
}

static void release(void *memory, void *unused) {
  (void)unused;
  if (memory == NULL) return;
  char *block = (char *)memory - HEAD;
  ASAN_UNPOISON_MEMORY_REGION(block, HEAD);
  head *of = (head *)(void *)block;
  FUZZ_REQUIRE(of->given);
  of->given = false;
  int bits = of->bits;
  if (bits > 0) {
    pthread_mutex_lock(&lock);
    ring *r = &kept[bits];
    if (r->count < MOST_KEPT) {
      ASAN_POISON_MEMORY_REGION(block, HEAD + ((size_t)1 << bits));
      r->block[(r->first + r->count++) % MOST_KEPT] = block;
      block = NULL;
    }
    pthread_mutex_unlock(&lock);
  }
  free(block);
}

gv_context *fuzz_context(int threads) {
  gv_context_options options;
  gv_context_options_init(&options);
  gv_context *context = NULL;
  options.threads = threads;
  options.allocate = allocate;
  options.release = release;
  FUZZ_REQUIRE(gv_context_create(&options, &context) == GV_OK);
  return context;
}
