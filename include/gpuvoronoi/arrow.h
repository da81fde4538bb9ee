/**
 * @file arrow.h
 * gpuvoronoi: release callbacks for Arrow's C data interface, https://arrow.apache.org/docs/format/CDataInterface.html
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GPUVORONOI_ARROW_H
#define GPUVORONOI_ARROW_H

#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ release callbacks */

/**
 * @par Example
 * @code
 * static int released = 0;
 * static void free_block(void *block) {
 *   released += (int)((const gv_arrow_block *)block)->released;
 * }
 *
 * gv_arrow_block block = {free_block, 0};
 * struct { // ArrowSchema
 *   const char *format, *name, *metadata;
 *   int64_t flags, n_children;
 *   void *children, *dictionary;
 *   void (*release)(void *schema);
 *   void *private_data;
 * } schema = {"g", "distance", NULL, 2, 0, NULL, NULL, gv_arrow_release_schema, &block};
 * schema.release(&schema);
 * if (schema.release != NULL || released != 1) return 1;
 * @endcode
 */

/**
 * The beginning of what `private_data` points to in structures that have the callbacks below. They are for bindings of
 * languages that may not run when a consumer releases memory: on any thread, also while an exception of Python is pending.
 */
typedef struct gv_arrow_block {
  void (*free)(void *block); /**< called last, with the block; NULL = not called */
  int64_t released;          /**< set to 1 before: where `free` is NULL, the owner of the block looks here */
} gv_arrow_block;

/** `release` of an ArrowSchema with a gv_arrow_block. @param schema becomes a released structure. */
GV_API void gv_arrow_release_schema(void *schema);

/** `release` of an ArrowArray with a gv_arrow_block. @param array becomes a released structure. */
GV_API void gv_arrow_release_array(void *array);

/** `release` of an ArrowArrayStream with a gv_arrow_block. @param stream becomes a released structure. */
GV_API void gv_arrow_release_stream(void *stream);

#ifdef __cplusplus
}
#endif

#endif
