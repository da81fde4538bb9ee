/*
 * cuda-texture, a side step: reads through texture units.
 *
 * Idea: texture units have a path to memory of their own, with a cache for neighborhoods in two dimensions.
 * Points become texels of four coordinates; up to three dimensions a texel is a whole point with half its
 * squared length. Memory: two-dimensional texture objects, 1,024 texels wide. Past the height that a device
 * allows (and not above 8,192, so that tests meet the case) points go on in a further texture. Limit: texture
 * units deliver a quarter of what the first-level cache does. Nothing is interpolated, so nothing is gained.
 */
#include "search/cuda/by_point.cuh"

enum { WIDTH = 1024, HEIGHT_MAX = 8192, BLOCK_POINTS_MAX = 8192 };

typedef struct textures {
  int count;
  int64_t points; /* of each texture but the last */
  cudaTextureObject_t object[];
} textures;

struct from_texels {
  enum { PIECE = 1, IN_QUADS = 0 };
  cudaTextureObject_t texture;
  int texels; /* a point */
  __device__ __forceinline__ void load(const gv_scan &, int64_t first, int d, float v[4][4]) const {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      int at = ((int)first + gv_place<PIECE>(j)) * texels + d / 4;
      float4 four = tex2D<float4>(texture, (float)(at % WIDTH) + 0.5F, (float)(at / WIDTH) + 0.5F);
      v[j][0] = four.x, v[j][1] = four.y, v[j][2] = four.z, v[j][3] = four.w;
    }
  }
  __device__ __forceinline__ void half(const gv_scan &scan, int64_t first, float h[4]) const {
#pragma unroll
    for (int j = 0; j < 4; j++)
      h[j] = scan.halves[first + gv_place<PIECE>(j)];
  }
};

struct from_quad_texels {
  enum { PIECE = 1, IN_QUADS = 1 };
  cudaTextureObject_t texture;
  __device__ __forceinline__ void load(const gv_scan &, int64_t first, int, float v[4][4]) const {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      int at = (int)first + gv_place<PIECE>(j);
      float4 four = tex2D<float4>(texture, (float)(at % WIDTH) + 0.5F, (float)(at / WIDTH) + 0.5F);
      v[j][0] = four.x, v[j][1] = four.y, v[j][2] = four.z, v[j][3] = four.w;
    }
  }
  __device__ __forceinline__ void half(const gv_scan &, int64_t, float[4]) const {}
};

static gv_layout texture_layout(int32_t dim) {
  return dim <= 3 ? GV_QUADS : GV_FOURS;
}

static gv_group_shape texture_shape(const gv_brute_sizes *sizes) {
  int64_t query_tiles = gv_ceil_div(sizes->queries, GV_BY_POINT_QUERIES);
  gv_group_shape by_point =
      gv_shape_by_point<from_texels>(gv_ceil_div(sizes->multiprocessors * 16LL, query_tiles));
  by_point.steps_max = BLOCK_POINTS_MAX / 32; /* whole blocks of groups in a texture */
  return by_point;
}

static void forget(gv_brute *brute) {
  textures *own = (textures *)brute->own;
  if (own == NULL) return;
  for (int i = 0; i < own->count; i++)
    (void)cudaDestroyTextureObject(own->object[i]);
  (void)cudaGetLastError();
  gv_release(&brute->allocator, own);
}

static gv_status texture_prepare(gv_context *context, gv_cuda_queue *queue, const gv_reference *reference,
                                 gv_brute *brute) {
  gv_status status = GV_OK;
  int64_t texels = gv_ceil_div(reference->dim, 4); /* a point */
  int height = 0;
  GV_CUDA_TRY(context, cudaDeviceGetAttribute(&height, cudaDevAttrMaxTexture2DLinearHeight, queue->device),
              "querying the size of textures");
  if (height > HEIGHT_MAX) height = HEIGHT_MAX;
  {
    int64_t points = (int64_t)height * WIDTH / texels / BLOCK_POINTS_MAX * BLOCK_POINTS_MAX;
    int64_t count = gv_ceil_div(brute->padded, points > 0 ? points : 1);
    if (points == 0 || count > INT32_MAX) {
      return gv_fail(context, GV_ERROR_UNSUPPORTED, "%lld points in %d dimensions do not fit into textures",
                     (long long)brute->count, (int)reference->dim);
    }
    textures *own = (textures *)gv_allocate_zeroed(&reference->allocator, 1,
                                                   sizeof *own + (size_t)count * sizeof own->object[0]);
    if (own == NULL) return gv_fail_memory(context, "textures");
    brute->own = own;
    own->points = points;
    for (int64_t first = 0; first < brute->padded; first += points) {
      int64_t part = brute->padded - first < points ? brute->padded - first : points;
      struct cudaResourceDesc resource;
      struct cudaTextureDesc sampler;
      memset(&resource, 0, sizeof resource);
      memset(&sampler, 0, sizeof sampler);
      resource.resType = cudaResourceTypePitch2D;
      resource.res.pitch2D.devPtr = brute->values + first * texels * 4;
      resource.res.pitch2D.desc = cudaCreateChannelDesc<float4>();
      resource.res.pitch2D.width = WIDTH;
      resource.res.pitch2D.height = (size_t)(part * texels / WIDTH);
      resource.res.pitch2D.pitchInBytes = WIDTH * sizeof(float4);
      sampler.addressMode[0] = sampler.addressMode[1] = cudaAddressModeClamp;
      sampler.filterMode = cudaFilterModePoint;
      sampler.readMode = cudaReadModeElementType;
      GV_CUDA_TRY(context, cudaCreateTextureObject(&own->object[own->count], &resource, &sampler, NULL),
                  "making a texture");
      own->count++;
    }
  }

done:
  return status;
}

template <int METRIC>
static cudaError_t texture_launch(gv_cuda_queue *queue, const gv_scan *scan, cudaTextureObject_t texture) {
  if (scan->dim <= 3) return gv_launch_by_point<METRIC>(queue, scan, from_quad_texels{texture}, true);
  return gv_launch_by_point<METRIC>(queue, scan, from_texels{texture, (int)gv_ceil_div(scan->dim, 4)}, true);
}

static gv_status texture_filter(gv_context *context, gv_cuda_queue *queue, const gv_brute *brute,
                                const gv_scan *scan, const gv_brute_sizes *) {
  const textures *own = (const textures *)brute->own;
  int64_t block_points = 32LL * gv_group_size(scan->groups);
  for (int i = 0; i < own->count; i++) {
    int64_t first = i * own->points;
    gv_scan part = *scan;
    part.padded = scan->padded - first < own->points ? scan->padded - first : own->points;
    part.halves = scan->halves != NULL ? scan->halves + first * scan->half_stride : NULL;
    part.minima = scan->minima + first / block_points * 32;
    part.groups.count = gv_ceil_div(part.padded, block_points) * 32;
    int64_t left = scan->groups.count - first / block_points * 32;
    if (part.groups.count > left) part.groups.count = left;
    if (left <= 0) break;
    GV_TRY(gv_cuda_result(context, GV_FOR_METRIC(scan->metric, texture_launch, queue, &part, own->object[i]),
                          "searching in textures"));
  }
  return GV_OK;
}

static const gv_brute_method method = {texture_layout, texture_shape,   texture_filter, NULL,
                                       NULL,           texture_prepare, forget};

static gv_status texture_build(gv_context *context, const gv_reference *reference, void **state) {
  return gv_brute_create(context, reference, &method, -1, (gv_brute **)state);
}

const gv_search_engine gv_search_cuda_texture = {gv_cuda_probe_device, texture_build, gv_brute_search,
                                                 gv_brute_forget};
