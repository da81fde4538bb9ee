/*
 * cuda-octree: a linear octree (quadtree, binary trie in two dimensions and one). Points are sorted by the
 * place of their cell on the Hilbert curve, 21 levels of octants (31 in fewer dimensions); every eight in a
 * row make a leaf. One radix sort: O(n), bound by the memory's bandwidth.
 *
 * Cells are cubes. Where that many levels do not separate the points, by an estimate of their density, the
 * narrowest bin of their frame (tree_curve.cuh), they are put in order by halves, as cuda-kdtree's are:
 * clusters of 10^-6 of the extent would have the same code.
 */
#include "search/cuda/devices.h"
#include "search/cuda/tree.h"
#include "search/cuda/tree_curve.cuh"

enum { STEPS_OF_A_BIN = 16, FRAME_DIM = 3 };

/* Cubes for the curve: a frame of equal steps, and whether these separate the points. */
typedef struct cubes {
  double frame[FRAME_DIM * (GV_TREE_BINS + 1)];
  int separate;
} cubes;

/* From the frame of the points. */
static __global__ void __launch_bounds__(GV_TREE_BINS)
    make_cubes(const double *edges, int dim, int bits, cubes *out) {
  const int bin = (int)threadIdx.x;
  double side = 0.0, narrowest = INFINITY; /* halves, so that nothing overflows */
  for (int d = 0; d < dim; d++) {
    const double *edge = edges + d * (GV_TREE_BINS + 1);
    double width = 0.5 * edge[bin + 1] - 0.5 * edge[bin];
    side = fmax(side, 0.5 * edge[GV_TREE_BINS] - 0.5 * edge[0]);
    if (width > 0.0) narrowest = fmin(narrowest, width); /* equal coordinates need no steps */
  }
  const bool separate =
      __syncthreads_and(side < 1e300 && ldexp(narrowest / side, bits) >= STEPS_OF_A_BIN) != 0;
  const double margin = side / 32.0; /* for points beyond the sample of the frame */
  if (bin == 0) out->separate = separate;
  for (int d = 0; d < dim; d++) {
    const int at = d * (GV_TREE_BINS + 1);
    const double low = edges[at] - margin, step = 2.0 * (side + margin) / GV_TREE_BINS;
    for (int b = bin; b <= GV_TREE_BINS; b += GV_TREE_BINS)
      out->frame[at + b] = low + step * b;
  }
}

static gv_status order_along_curve(gv_context *context, gv_cuda_queue *queue, const gv_reference *reference,
                                   const double *data, const double *edges, int *order, bool *overlapping) {
  enum { SLOT_CODES = GV_TREE_SLOT_FREE, SLOT_CODES_OTHER, SLOT_ORDER_OTHER, SLOT_SORT, SLOT_CUBES };
  const int count = (int)reference->count, dim = reference->dim, bits = dim == 3 ? 21 : 31;
  uint64_t *codes[2] = {NULL, NULL};
  int *numbers[2] = {order, NULL}, separate = 0;
  cubes *on_device = NULL;
  gv_status status = gv_cuda_reserve(context, queue, SLOT_CUBES, sizeof *on_device, (void **)&on_device);
  if (status != GV_OK) return status;
  make_cubes<<<1, GV_TREE_BINS, 0, queue->stream>>>(edges, dim, bits, on_device);
  GV_CUDA_LAUNCHED(context, "looking at the reference points");
  GV_CUDA_TRY(context,
              cudaMemcpyAsync(&separate, &on_device->separate, sizeof separate, cudaMemcpyDeviceToHost,
                              queue->stream),
              "looking at the reference points");
  GV_CUDA_TRY(context, cudaStreamSynchronize(queue->stream), "looking at the reference points");
  if (!separate) return gv_tree_order_by_halves(context, queue, reference, data, edges, order, overlapping);
  *overlapping = true;
  for (int i = 0; i < 2 && status == GV_OK; i++)
    status =
        gv_cuda_reserve(context, queue, SLOT_CODES + i, (size_t)count * sizeof **codes, (void **)&codes[i]);
  if (status == GV_OK)
    status =
        gv_cuda_reserve(context, queue, SLOT_ORDER_OTHER, (size_t)count * sizeof(int), (void **)&numbers[1]);
  if (status != GV_OK) return status;
  gv_curve_codes_launch(queue, data, dim, on_device->frame, count, bits, codes[0], numbers[0]);
  GV_CUDA_LAUNCHED(context, "coding the reference points");
  status = gv_tree_sort_64(context, queue, SLOT_SORT, codes, numbers, count, bits * dim);
  if (status == GV_OK && numbers[0] != order) {
    GV_CUDA_TRY(context,
                cudaMemcpyAsync(order, numbers[0], (size_t)count * sizeof(int), cudaMemcpyDeviceToDevice,
                                queue->stream),
                "sorting");
  }

done:
  return status;
}

static gv_status octree_build(gv_context *context, const gv_reference *reference, void **state) {
  return gv_cuda_tree_build(context, reference, order_along_curve, state);
}

extern "C" {
const gv_search_engine gv_search_cuda_octree = {gv_cuda_probe_device, octree_build, gv_cuda_tree_search,
                                                gv_cuda_tree_destroy};
}
