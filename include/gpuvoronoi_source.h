/*
 * gpuvoronoi - an index over points that are read while it is built: a reference set need not be in memory before.
 *
 * SPDX-License-Identifier: MIT
 *
 * The conventions of gpuvoronoi.h hold here too.
 */
#ifndef GPUVORONOI_SOURCE_H
#define GPUVORONOI_SOURCE_H

#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------ points that are read */

/*
 * Example:
 *     static gv_status read_places(void *user, int64_t first, int64_t count, void *out) {
 *       memcpy(out, (const float *)user + first, (size_t)count * sizeof(float)); // or pread, and GV_ERROR_IO where that fails
 *       return GV_OK;
 *     }
 *
 *     float places[5] = {0, 3, 4, 9, 10}, position = 7;
 *     const gv_point_source source = {5, 1, GV_FLOAT32, read_places, places};
 *     const gv_points query = {&position, 1, 1, GV_FLOAT32};
 *     gv_index *index = NULL;
 *     int64_t nearest = -1;
 *     gv_status status = gv_index_build_from(context, &source, NULL, &index);
 *     if (status == GV_OK) status = gv_index_search(context, index, &query, NULL, &nearest, NULL);
 *     gv_index_destroy(index);
 *     if (status != GV_OK || nearest != 3) return 1;
 */

/*
 * Points [first, first + count) of a set, as count x dim values of its type, row-major, to `out`. Called by several threads at once, with
 * some MiB at a time, in no particular order; a point may be asked for again, and is the same then. It may not use the context
 * of the call that it is called in. Anything but GV_OK ends that call, which gives it to its caller.
 */
typedef gv_status (*gv_read_points_fn)(void *user, int64_t first, int64_t count, void *out);

typedef struct gv_point_source {
  int64_t count;
  int32_t dim; /* 1 ... 4096 */
  gv_dtype dtype;
  gv_read_points_fn read;
  void *user;
} gv_point_source;

/*
 * gv_index_build of points that are read in pieces, by the context's threads; to a device while the next are read. The same index: the same
 * bytes from every search. When this returns the source is not needed any more.
 *
 * Host memory, for n points of dim values: brute force on a GPU that is named (options->backend; not cuda-multigpu) keeps nothing there but
 * 32 MiB of buffers, and what "auto" takes keeps one copy as they are, so that processors can go on where a device fails.
 * `serial`, `openmp` and cuda-multigpu keep one copy too, trees one as doubles, beside what docs/api.md says of each.
 *
 * options may be NULL; its memory is GV_MEMORY_HOST. Errors: those of gv_index_build (INVALID_ARGUMENT names the first point with a
 * coordinate that is not finite), and what `read` gives. Of several points that cannot be read the first is told of.
 */
GV_API gv_status gv_index_build_from(gv_context *context, const gv_point_source *source,
                                     const gv_index_options *options, gv_index **out);

#ifdef __cplusplus
}
#endif

#endif
