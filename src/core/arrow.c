/*
 * Release callbacks of Arrow's C data interface. The structures are those of its specification, which
 * programs copy.
 */
#include "gpuvoronoi/arrow.h"

typedef struct arrow_schema arrow_schema;
struct arrow_schema {
  const char *format, *name, *metadata;
  int64_t flags, n_children;
  arrow_schema **children, *dictionary;
  void (*release)(arrow_schema *schema);
  gv_arrow_block *private_data;
};

typedef struct arrow_array arrow_array;
struct arrow_array {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void **buffers;
  arrow_array **children, *dictionary;
  void (*release)(arrow_array *array);
  gv_arrow_block *private_data;
};

typedef struct arrow_stream arrow_stream;
struct arrow_stream {
  int (*get_schema)(arrow_stream *stream, arrow_schema *out);
  int (*get_next)(arrow_stream *stream, arrow_array *out);
  const char *(*get_last_error)(arrow_stream *stream);
  void (*release)(arrow_stream *stream);
  gv_arrow_block *private_data;
};

static void arrow_free(gv_arrow_block *block) {
  block->released = 1;
  if (block->free != NULL) block->free(block);
}

void gv_arrow_release_schema(void *schema) {
  arrow_schema *const s = schema;
  for (int64_t i = 0; i < s->n_children; i++)
    if (s->children[i]->release != NULL) s->children[i]->release(s->children[i]);
  if (s->dictionary != NULL && s->dictionary->release != NULL) s->dictionary->release(s->dictionary);
  s->release = NULL;
  arrow_free(s->private_data);
}

void gv_arrow_release_array(void *array) {
  arrow_array *const a = array;
  for (int64_t i = 0; i < a->n_children; i++)
    if (a->children[i]->release != NULL) a->children[i]->release(a->children[i]);
  if (a->dictionary != NULL && a->dictionary->release != NULL) a->dictionary->release(a->dictionary);
  a->release = NULL;
  arrow_free(a->private_data);
}

void gv_arrow_release_stream(void *stream) {
  arrow_stream *const s = stream;
  s->release = NULL;
  arrow_free(s->private_data);
}
