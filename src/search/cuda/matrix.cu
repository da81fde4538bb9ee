/*
 * cuda-matrix: the whole matrix of filter values in device memory, in chunks of queries, then a reduction of each row
 * (the decision: a warp's or a block's tree of minima with shuffles, and the choice of the k best). Up to eight
 * dimensions a thread makes one element; above that tiles pass through shared memory. When a set is searched against
 * itself, and the matrix fits, only the half on one side of the diagonal is computed, and written twice.
 */
#include "search/cuda/tile.cuh"

enum { SIMPLE_DIM_MAX = 8, THREADS = 256, SIDE = 32, DEPTH = 32 };

static gv_layout layout(int32_t dim) {
  (void)dim;
  return GV_COLUMNS;
}

static gv_group_shape shape(const gv_brute_sizes *sizes) {
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
  for (int64_t query = blockIdx.y; query < scan.queries; query += gridDim.y) {
    float sum = half;
#pragma unroll
    for (int d = 0; d < SIMPLE_DIM_MAX; d++) {
      if (d < scan.dim) sum = gv_step<METRIC>(sum, scan.query[d * scan.query_stride + query], s[d]);
    }
    scan.minima[query * scan.row + point] = sum;
  }
}

/* The upper half of the matrix by squares of 32 x 32, written as it is and transposed. */
template <int METRIC> static __global__ void __launch_bounds__(THREADS) fill_half(gv_scan scan, int64_t squares) {
  __shared__ float rows[DEPTH][SIDE], columns[DEPTH][SIDE], turned[SIDE][SIDE + 1];
  /* Square number blockIdx.x of the upper triangle, counted by columns: column c holds c + 1. */
  int64_t number = blockIdx.x, column = (int64_t)((sqrt(8.0 * (double)number + 1.0) - 1.0) * 0.5);
  while (column * (column + 1) / 2 > number)
    column--;
  while ((column + 1) * (column + 2) / 2 <= number)
    column++;
  int64_t row = number - column * (column + 1) / 2;
  if (column >= squares) return;
  int tx = (int)threadIdx.x % SIDE, ty = (int)threadIdx.x / SIDE;
  float sum[4] = {0.0F, 0.0F, 0.0F, 0.0F};
  for (int32_t base = 0; base < scan.dim; base += DEPTH) {
    int32_t depth = scan.dim - base < DEPTH ? scan.dim - base : DEPTH;
    __syncthreads();
    for (int d = ty; d < depth; d += THREADS / SIDE) {
      rows[d][tx] = scan.query[(base + d) * scan.query_stride + row * SIDE + tx];
      columns[d][tx] = scan.values[(base + d) * scan.dim_stride + column * SIDE + tx];
    }
    __syncthreads();
    for (int d = 0; d < depth; d++) {
#pragma unroll
      for (int i = 0; i < 4; i++)
        sum[i] = gv_step<METRIC>(sum[i], rows[d][ty + 8 * i], columns[d][tx]);
    }
  }
  float half = METRIC == GV_EUCLIDEAN ? scan.halves[column * SIDE + tx] : 0.0F;
  int64_t point = column * SIDE + tx;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    int64_t query = row * SIDE + ty + 8 * i;
    turned[ty + 8 * i][tx] = sum[i];
    if (query < scan.queries && point < scan.row) scan.minima[query * scan.row + point] = __fadd_rn(sum[i], half);
  }
  if (row == column) return;
  __syncthreads();
  half = METRIC == GV_EUCLIDEAN ? scan.halves[row * SIDE + tx] : 0.0F;
  point = row * SIDE + tx;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    int64_t query = column * SIDE + ty + 8 * i;
    if (query < scan.queries && point < scan.row) {
      scan.minima[query * scan.row + point] = __fadd_rn(turned[tx][ty + 8 * i], half);
    }
  }
}

template <int METRIC> static cudaError_t launch(gv_cuda_lane *lane, const gv_scan *scan, bool itself) {
  int64_t squares = gv_ceil_div(scan->count, SIDE);
  if (itself && squares < 60000) {
    fill_half<METRIC><<<(unsigned)(squares * (squares + 1) / 2), THREADS, 0, lane->stream>>>(*scan, squares);
    return cudaPeekAtLastError();
  }
  if (scan->dim > SIMPLE_DIM_MAX) return gv_launch_tile<METRIC, 8, 8, true>(lane, scan);
  int64_t blocks = gv_ceil_div(scan->row, THREADS), parts = gv_split(lane, blocks, scan->queries, 64);
  fill_elements<METRIC><<<dim3((unsigned)blocks, (unsigned)parts), THREADS, 0, lane->stream>>>(*scan);
  return cudaPeekAtLastError();
}

static gv_status filter(gv_context *context, gv_cuda_lane *lane, const gv_brute *, const gv_scan *scan,
                        const gv_brute_sizes *sizes) {
  bool itself = sizes->itself && scan->queries == scan->count;
  return gv_cuda_result(context, GV_FOR_METRIC(scan->metric, launch, lane, scan, itself),
                        "making the distance matrix");
}

static const gv_brute_idea idea = {layout, shape, filter, NULL, NULL, NULL, NULL};

static gv_status build(gv_context *context, const gv_reference *reference, void **state) {
  return gv_brute_create(context, reference, &idea, -1, (gv_brute **)state);
}

const gv_backend gv_backend_cuda_matrix = {
    "cuda-matrix",
    "distance matrix in bounded chunks (half of it for a set against itself), then a reduction",
    4096,
    gv_cuda_probe,
    build,
    gv_brute_search,
    gv_brute_forget,
    NULL};
