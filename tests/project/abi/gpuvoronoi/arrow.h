/**
 * @file arrow.h
 * gpuvoronoi: release callbacks for Arrow's C data interface,
 * https://arrow.apache.org/docs/format/CDataInterface.html
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GPUVORONOI_ARROW_H
#define GPUVORONOI_ARROW_H

#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------------------- release callbacks */

/**
 * @par Example
 * @code
 * gv_arrow_block block = {NULL, 0};
 * struct { // ArrowSchema
 *   const char *format, *name, *metadata;
 *   int64_t flags, n_children;
 *   void *children, *dictionary;
 *   void (*release)(void *schema);
 *   void *private_data;
 * } schema = {"g", "distance", NULL, 2, 0, NULL, NULL, gv_arrow_release_schema, &block};
 * struct { // ArrowArray
 *   int64_t length, null_count, offset, n_buffers, n_children;
 *   void *buffers, *children, *dictionary;
 *   void (*release)(void *array);
 *   void *private_data;
 * } array = {0, 0, 0, 0, 0, NULL, NULL, NULL, gv_arrow_release_array, &block};
 * struct { // ArrowArrayStream
 *   void *get_schema, *get_next, *get_last_error;
 *   void (*release)(void *stream);
 *   void *private_data;
 * } stream = {NULL, NULL, NULL, gv_arrow_release_stream, &block};
 * gv_arrow_release_schema(&schema);
 * gv_arrow_release_array(&array);
 * gv_arrow_release_stream(&stream);
 * if (schema.release != NULL || array.release != NULL || stream.release != NULL || block.released != 1)
 *   return 1;
 * @endcode
 */

/**
 * The beginning of what `private_data` points to in structures that have the callbacks below. They are for
 * bindings of languages that may not run when a consumer releases memory: on any thread, also while an
 * exception of Python is pending.
 */
typedef struct gv_arrow_block {
  void (*free)(void *block); /**< called last, with the block; NULL = not called */
  int64_t released;          /**< set to 1 before: where `free` is NULL, the owner of the block looks here */
} gv_arrow_block;

/**
 * `release` of an ArrowSchema with a gv_arrow_block. Thread safe.
 * @param schema becomes a released structure.
 */
GV_API void gv_arrow_release_schema(void *schema);

/**
 * `release` of an ArrowArray with a gv_arrow_block. Thread safe.
 * @param array becomes a released structure.
 */
GV_API void gv_arrow_release_array(void *array);

/**
 * `release` of an ArrowArrayStream with a gv_arrow_block. Thread safe.
 * @param stream becomes a released structure.
 */
GV_API void gv_arrow_release_stream(void *stream);

#ifdef __cplusplus
}
#endif

#endif
