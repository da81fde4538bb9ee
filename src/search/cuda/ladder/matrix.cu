/*
 * cuda-matrix, step 1: the whole distance matrix.
 *
 * Idea: compute every filter value first, store it, reduce each row afterwards. Two simple kernels; the
 * second one is the decision (decide.cu), which reduces a row with warp shuffles and keeps the k best.
 * Memory: the matrix in device memory, one float a pair, in chunks of queries that fit. Up to eight
 * dimensions a thread keeps a point in registers and writes its values for four queries at a time; above that
 * tiles of both sets pass through shared memory. Limit: device memory. Each value is written once and read
 * twice, whatever the arithmetic costs. Also here: a set that is searched against itself has a symmetric
 * matrix. If it fits, only one half is computed, and written twice, which pays from about 30 dimensions on.
 */
#include "search/cuda/matrix_tile.cuh"

enum { SIMPLE_DIM_MAX = 8, THREADS = 256, SIDE = 64, DEPTH = 16 };

static gv_layout matrix_layout(int32_t dim) {
  (void)dim;
  return GV_COLUMNS;
}

static gv_group_shape matrix_shape(const gv_brute_sizes *sizes) {
  (void)sizes;
  return {1, 1, 1, 1, 0};
}

template <int METRIC> static __global__ void __launch_bounds__(THREADS) fill_elements(gv_scan scan) {
  int64_t point = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  if (point >= scan.row) return;
  float s[SIMPLE_DIM_MAX], half = METRIC == GV_EUCLIDEAN ? scan.halves[point] : 0.0F;
#pragma unroll
  for (int d = 0; d < SIMPLE_DIM_MAX; d++)
    s[d] = d < scan.dim ? scan.values[d * scan.dim_stride + point] : 0.0F;
  for (int64_t query = 4 * (int64_t)blockIdx.y; query < scan.queries; query += 4 * gridDim.y) {
    float4 sum = make_float4(half, half, half, half);
#pragma unroll
    for (int d = 0; d < SIMPLE_DIM_MAX; d++) {
      if (d < scan.dim) {
        float4 q = *(const float4 *)(scan.query + d * scan.query_stride + query);
        sum.x = gv_step<METRIC>(sum.x, q.x, s[d]);
        sum.y = gv_step<METRIC>(sum.y, q.y, s[d]);
        sum.z = gv_step<METRIC>(sum.z, q.z, s[d]);
        sum.w = gv_step<METRIC>(sum.w, q.w, s[d]);
      }
    }
    float *out = scan.minima + query * scan.row + point;
    out[0] = sum.x;
    if (query + 1 < scan.queries) out[scan.row] = sum.y;
    if (query + 2 < scan.queries) out[2 * scan.row] = sum.z;
    if (query + 3 < scan.queries) out[3 * scan.row] = sum.w;
  }
}

/* The upper half of the matrix by squares of 64 x 64, 4 x 4 pairs a thread, written directly and
 * transposed. */
template <int METRIC>
static __global__ void __launch_bounds__(THREADS) fill_half(gv_scan scan, int64_t squares) {
  __shared__ float4 rows[DEPTH][SIDE / 4], columns[DEPTH][SIDE / 4];
  __shared__ float turned[SIDE][SIDE + 1];
  /* Square number blockIdx.x of the upper triangle, counted by columns: column c holds c + 1. */
  int64_t number = blockIdx.x, column = (int64_t)((sqrt(8.0 * (double)number + 1.0) - 1.0) * 0.5);
  while (column * (column + 1) / 2 > number)
    column--;
  while ((column + 1) * (column + 2) / 2 <= number)
    column++;
  int64_t row = number - column * (column + 1) / 2;
  if (column >= squares) return;
  const int tx = (int)threadIdx.x % 16, ty = (int)threadIdx.x / 16;
  const float4 zero = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
  float sum[4][4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
#pragma unroll
    for (int j = 0; j < 4; j++)
      sum[i][j] = 0.0F;
  }
  for (int32_t base = 0; base < scan.dim; base += DEPTH) {
    const int32_t d = base + ty;
    __syncthreads();
    rows[ty][tx] =
        d < scan.dim ? *(const float4 *)(scan.query + d * scan.query_stride + row * SIDE + 4 * tx) : zero;
    columns[ty][tx] =
        d < scan.dim ? *(const float4 *)(scan.values + d * scan.dim_stride + column * SIDE + 4 * tx) : zero;
    __syncthreads();
    const int depth = scan.dim - base < DEPTH ? scan.dim - base : DEPTH;
#pragma unroll 4
    for (int at = 0; at < depth; at++) {
      const float4 q = rows[at][ty], s = columns[at][tx];
#pragma unroll
      for (int i = 0; i < 4; i++) {
#pragma unroll
        for (int j = 0; j < 4; j++)
          sum[i][j] = gv_step<METRIC>(sum[i][j], gv_part(q, i), gv_part(s, j));
      }
    }
  }
  int64_t point = column * SIDE + 4 * tx;
  float4 half = METRIC == GV_EUCLIDEAN ? *(const float4 *)(scan.halves + point) : zero;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const int64_t query = row * SIDE + 4 * ty + i;
    if (query < scan.queries && point < scan.row) {
      *(float4 *)(scan.minima + query * scan.row + point) =
          make_float4(__fadd_rn(sum[i][0], half.x), __fadd_rn(sum[i][1], half.y),
                      __fadd_rn(sum[i][2], half.z), __fadd_rn(sum[i][3], half.w));
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
      turned[4 * ty + i][4 * tx + j] = sum[i][j];
  }
  if (row == column) return;
  __syncthreads();
  point = row * SIDE + 4 * tx;
  half = METRIC == GV_EUCLIDEAN ? *(const float4 *)(scan.halves + point) : zero;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const int at = ty + 16 * i;
    const int64_t query = column * SIDE + at;
    if (query < scan.queries && point < scan.row) {
      *(float4 *)(scan.minima + query * scan.row + point) =
          make_float4(__fadd_rn(turned[4 * tx][at], half.x), __fadd_rn(turned[4 * tx + 1][at], half.y),
                      __fadd_rn(turned[4 * tx + 2][at], half.z), __fadd_rn(turned[4 * tx + 3][at], half.w));
    }
  }
}

template <int METRIC>
static cudaError_t matrix_launch(gv_cuda_queue *queue, const gv_scan *scan, bool itself) {
  int64_t squares = gv_ceil_div(scan->count, SIDE);
  if (itself && squares < 60000) {
    fill_half<METRIC><<<(unsigned)(squares * (squares + 1) / 2), THREADS, 0, queue->stream>>>(*scan, squares);
    return cudaPeekAtLastError();
  }
  if (scan->dim > SIMPLE_DIM_MAX) return gv_launch_tile<METRIC, 8, 8, true>(queue, scan);
  int64_t blocks = gv_ceil_div(scan->row, THREADS),
          parts = gv_split(queue, blocks, gv_ceil_div(scan->queries, 4), 64);
  fill_elements<METRIC><<<dim3((unsigned)blocks, (unsigned)parts), THREADS, 0, queue->stream>>>(*scan);
  return cudaPeekAtLastError();
}

static gv_status matrix_filter(gv_context *context, gv_cuda_queue *queue, const gv_brute *,
                               const gv_scan *scan, const gv_brute_sizes *sizes) {
  bool itself = sizes->itself && scan->queries == scan->count;
  return gv_cuda_result(context, GV_FOR_METRIC(scan->metric, matrix_launch, queue, scan, itself),
                        "making the distance matrix");
}

static const gv_brute_method method = {matrix_layout, matrix_shape, matrix_filter, NULL, NULL, NULL, NULL};

static gv_status matrix_build(gv_context *context, const gv_reference *reference, void **state) {
  return gv_brute_create(context, reference, &method, -1, (gv_brute **)state);
}

const gv_search_engine gv_search_cuda_matrix = {gv_cuda_probe_device, matrix_build, gv_brute_search,
                                                gv_brute_forget};
