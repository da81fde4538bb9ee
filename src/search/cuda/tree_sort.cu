/* Sorting and selecting for the trees: CUB's, compiled once. */
#include "search/cuda/tree.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

template <typename KEY>
static gv_status sort_pairs(gv_context *context, gv_cuda_queue *queue, int slot, KEY *keys[2], int *values[2],
                            int count, int bits) {
  gv_status status;
  cub::DoubleBuffer<KEY> key(keys[0], keys[1]);
  cub::DoubleBuffer<int> value(values[0], values[1]);
  size_t bytes = 0;
  void *scratch = NULL;
  GV_CUDA_TRY(context,
              cub::DeviceRadixSort::SortPairs(NULL, bytes, key, value, count, 0, bits, queue->stream),
              "preparing a sort");
  status = gv_cuda_reserve(context, queue, slot, bytes, &scratch);
  if (status != GV_OK) return status;
  GV_CUDA_TRY(context,
              cub::DeviceRadixSort::SortPairs(scratch, bytes, key, value, count, 0, bits, queue->stream),
              "sorting");
  keys[0] = key.Current();
  keys[1] = key.Alternate();
  values[0] = value.Current();
  values[1] = value.Alternate();

done:
  return status;
}

gv_status gv_tree_sort_32(gv_context *context, gv_cuda_queue *queue, int slot, uint32_t *keys[2],
                          int *values[2], int count, int bits) {
  return sort_pairs(context, queue, slot, keys, values, count, bits);
}

gv_status gv_tree_sort_64(gv_context *context, gv_cuda_queue *queue, int slot, uint64_t *keys[2],
                          int *values[2], int count, int bits) {
  return sort_pairs(context, queue, slot, keys, values, count, bits);
}

struct between {
  int least, most;
  __device__ __forceinline__ bool operator()(int x) const { return x >= least && x <= most; }
};

gv_status gv_tree_select(gv_context *context, gv_cuda_queue *queue, int slot, const int *values,
                         int64_t count, int least, int most, int *out, int *kept) {
  gv_status status;
  const between wanted = {least, most};
  size_t bytes = 0;
  void *scratch = NULL;
  GV_CUDA_TRY(context, cub::DeviceSelect::If(NULL, bytes, values, out, kept, count, wanted, queue->stream),
              "preparing a selection");
  status = gv_cuda_reserve(context, queue, slot, bytes, &scratch);
  if (status != GV_OK) return status;
  GV_CUDA_TRY(context, cub::DeviceSelect::If(scratch, bytes, values, out, kept, count, wanted, queue->stream),
              "selecting");

done:
  return status;
}
