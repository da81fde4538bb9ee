/* Public functions of statistics: create, get results, destroy. */
#include <math.h>
#include <string.h>

#include "cells/area.h"
#include "cells/parts.h"
#include "core/angles.h"
#include "core/given.h"
#include "statistics/parts.h"

/* Builds the map from labels to seeds, if there are labels. */
static gv_status find_labels(gv_context *context, gv_statistics *s) {
  const gv_voronoi *v = s->voronoi;
  bool any = false;
  for (int32_t i = 0; i < v->seeds.count && !any; i++)
    any = v->label[i] != v->seeds.number[i];
  if (!any) return GV_OK;
  int64_t slots = gv_slots_for(v->seeds.count);
  s->labels = gv_allocate(&s->allocator, slots, sizeof *s->labels);
  if (s->labels == NULL) return gv_fail_memory(context, "the seeds' statistics");
  s->label_mask = (uint32_t)(slots - 1);
  memset(s->labels, -1, (size_t)slots * sizeof *s->labels);
  for (int32_t i = 0; i < v->seeds.count; i++) {
    gv_slot *at = gv_slot_of(s->labels, s->label_mask, v->label[i]);
    bool taken = at->index >= 0 && (s->group == NULL || s->group[at->index] != s->group[v->seeds.number[i]]);
    if (v->label[i] == v->nodata || taken) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "labels: the number is not a seed (%d)",
                     (int)v->label[i]);
    }
    if (at->index < 0) *at = (gv_slot){v->label[i], v->seeds.number[i]};
  }
  return GV_OK;
}

static gv_status copy_groups(gv_context *context, gv_statistics *s, const gv_statistics_options *o) {
  int64_t seeds = s->rows = s->voronoi->seeds.total;
  if (o->group == NULL) return GV_OK;
  for (int64_t i = 0; i < seeds; i++) {
    if (o->group[i] < 0 || o->group[i] >= o->groups) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "seed %lld: group out of range (%d of %d)",
                     (long long)i, (int)o->group[i], (int)o->groups);
    }
  }
  s->rows = o->groups;
  s->group = gv_allocate(&s->allocator, seeds, sizeof *s->group);
  if (s->group == NULL) return gv_fail_memory(context, "the seeds' groups");
  memcpy(s->group, o->group, (size_t)seeds * sizeof *s->group);
  return GV_OK;
}

/* Of a list; cells of unknown area count as 1 each. */
static gv_status find_area_unit(gv_context *context, gv_statistics *s) {
  const gv_grid *grid = &s->voronoi->cells.grid;
  double largest = grid->area == NULL ? 1.0 : 0.0;
  for (int64_t i = 0; i < grid->width && grid->area != NULL; i++) {
    if (!(grid->area[i] >= 0.0) || !isfinite(grid->area[i])) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                     "area %lld: invalid (%g); expected a finite number of 0 or more", (long long)i,
                     grid->area[i]);
    }
    largest = fmax(largest, grid->area[i]);
  }
  s->area_unit = gv_fixed_unit(largest) / (double)(INT64_C(1) << GV_TERM_BITS);
  return GV_OK;
}

gv_status gv_statistics_create(gv_context *context, const gv_voronoi *voronoi,
                               const gv_statistics_options *options, gv_statistics **out) {
  gv_statistics_options o;
  gv_statistics_options_init(&o);
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (voronoi == NULL || out == NULL) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "grid or statistics: the pointer is NULL");
  }
  GV_COPY_GIVEN(context, gv_statistics_options, &o, options);
  if (o.sums < 0 || o.sums > GV_MAX_SUMS || (o.sums > 0 && o.bound == NULL)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "number of quantities: out of range (%d)",
                   (int)o.sums);
  }
  for (int32_t i = 0; i < o.sums; i++) {
    if (!(o.bound[i] > 0.0) || !isfinite(o.bound[i])) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "quantity %d: invalid bound (%g)", (int)i,
                     o.bound[i]);
    }
  }
  gv_statistics *s = gv_allocate_zeroed(&context->allocator, 1, sizeof *s);
  if (s == NULL) return gv_fail_memory(context, "the statistics");
  s->allocator = context->allocator;
  s->voronoi = voronoi;
  s->kernels = gv_span_kernels_get();
  s->distances = o.distances != 0;
  s->sums = o.sums;
  s->area_unit = 1.0;
  s->longest = gv_longest_distance(voronoi);
  pthread_mutex_init(&s->lock, NULL);
  const gv_grid *grid = &voronoi->cells.grid;
  gv_status status = GV_OK;
  const gv_cell_facts *facts = gv_facts_of(grid);
  if (facts->rows_are_parallels) {
    status = gv_lonlat_sums(context, s);
  } else if (facts->mesh) {
    s->area_unit = gv_mesh_largest_area(&voronoi->cells) / (double)(INT64_C(1) << GV_TERM_BITS);
  } else if (facts->given_places) {
    status = find_area_unit(context, s);
  } else {
    s->area_unit = gv_plane_area(grid->geotransform);
  }
  if (status == GV_OK) status = copy_groups(context, s, &o);
  if (status == GV_OK) status = find_labels(context, s);
  if (status == GV_OK) {
    s->bound = gv_allocate(&s->allocator, s->sums, sizeof *s->bound);
    s->of_row = gv_allocate_zeroed(&s->allocator, s->rows, sizeof *s->of_row);
    s->of_sum = gv_allocate_zeroed(&s->allocator, s->rows * s->sums, sizeof *s->of_sum);
    if (s->bound == NULL || s->of_row == NULL || s->of_sum == NULL) {
      status = gv_fail_memory(context, "the seeds' statistics");
    }
  }
  if (status != GV_OK) {
    gv_statistics_destroy(s);
    return status;
  }
  if (s->bound != NULL && o.bound != NULL) memcpy(s->bound, o.bound, (size_t)s->sums * sizeof *s->bound);
  *out = s;
  return GV_OK;
}

void gv_statistics_destroy(gv_statistics *s) {
  if (s == NULL) return;
  gv_allocator allocator = s->allocator;
  void *const parts[] = {s->bound, s->row, s->column, s->of_row, s->of_sum, s->labels, s->group};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    gv_release(&allocator, parts[i]);
  pthread_mutex_destroy(&s->lock);
  gv_release(&allocator, s);
}

static void centroid(const gv_statistics *s, const gv_totals *t, gv_seed_statistics *out) {
  const gv_grid *grid = &s->voronoi->cells.grid;
  double m[3] = {(double)t->moment[0], (double)t->moment[1], (double)t->moment[2]};
  if (!gv_facts_of(grid)->flat_areas) {
    /* A raster's moments carry the bits of two factors, the third one's those of one; areas those of a
     * term. */
    double unit = gv_grid_is_list(grid) ? 1.0 : ldexp(1.0, GV_TERM_BITS - 2 * GV_FACTOR_BITS);
    if (gv_facts_of(grid)->rows_are_parallels) m[2] = ldexp(m[2], GV_FACTOR_BITS);
    double across = hypot(m[0], m[1]), length = hypot(across, m[2]) * unit;
    if (!(length > 1e-9 * (double)t->area)) return;
    out->centroid_x = atan2(m[1], m[0]) / GV_DEGREE;
    out->centroid_y = atan2(m[2], across) / GV_DEGREE;
    if (out->centroid_x == -180.0) out->centroid_x = 180.0;
  } else {
    const double *g = grid->geotransform;
    double column = m[0] / (2.0 * (double)t->cells), row = m[1] / (2.0 * (double)t->cells);
    out->centroid_x = (g[0] + column * g[1]) + row * g[2];
    out->centroid_y = (g[3] + column * g[4]) + row * g[5];
  }
}

static gv_status check_seed(gv_context *context, const gv_statistics *s, int64_t seed, const void *out) {
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (s != NULL && out != NULL && seed >= 0 && seed < s->rows) return GV_OK;
  return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                 "statistics, or seed number %lld: the pointer is NULL, or the number is out of range",
                 (long long)seed);
}

gv_status gv_statistics_get(gv_context *context, const gv_statistics *s, int64_t seed,
                            gv_seed_statistics *out) {
  GV_TRY(check_seed(context, s, seed, out));
  const gv_totals *t = &s->of_row[seed];
  /* Cells may be infinitely large, nothing of them is 0. */
  double area = t->area != 0 ? (double)t->area * s->area_unit : 0.0;
  if (gv_grid_lacks_areas(&s->voronoi->cells.grid)) area = NAN;
  gv_seed_statistics result = {out->struct_size, t->cells, area, NAN, NAN, NAN, NAN};
  if (t->cells > 0) centroid(s, t, &result);
  if (t->cells > 0 && s->distances) {
    double units = s->row != NULL || gv_grid_is_list(&s->voronoi->cells.grid)
                       ? (double)t->area
                       : (double)t->area * (double)(INT64_C(1) << GV_TERM_BITS);
    if (units > 0.0) result.distance_mean = (double)t->distance / units * s->longest;
    result.distance_max = t->farthest;
  }
  if (gv_fill_given(out, &result, sizeof result)) return GV_OK;
  return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                 "gv_seed_statistics: struct_size is not set; call gv_seed_statistics_init");
}

gv_status gv_statistics_get_sum(gv_context *context, const gv_statistics *s, int64_t seed, int32_t quantity,
                                double *sum, double *distance_mean) {
  GV_TRY(check_seed(context, s, seed, sum));
  if (quantity < 0 || quantity >= s->sums)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "quantity: the number is out of range (%d)",
                   (int)quantity);
  const gv_sum *of = &s->of_sum[seed * s->sums + quantity];
  *sum = (double)of->value * (gv_fixed_unit(s->bound[quantity]) / (double)(INT64_C(1) << GV_TERM_BITS));
  if (distance_mean != NULL) {
    *distance_mean =
        s->distances && of->value != 0 ? (double)of->distance / (double)of->value * s->longest : (double)NAN;
  }
  return GV_OK;
}

/* Ranges of seeds or groups. Errors: INVALID_ARGUMENT. */
static gv_status statistics_check_range(gv_context *context, const gv_statistics *s, int64_t first,
                                        int64_t count, const void *out) {
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (first < 0 || count < 0 || first > INT64_MAX - count)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "range of seeds: invalid (%lld from number %lld)",
                   (long long)count, (long long)first);
  if (count == 0) return GV_OK;
  GV_TRY(check_seed(context, s, first, out));
  return check_seed(context, s, first + count - 1, out);
}

gv_status gv_statistics_get_range(gv_context *context, const gv_statistics *s, int64_t first, int64_t count,
                                  gv_seed_statistics *out) {
  GV_TRY(statistics_check_range(context, s, first, count, out));
  const size_t size = count > 0 ? out->struct_size : 0;
  for (int64_t i = 0; i < count; i++) {
    gv_seed_statistics *one = (gv_seed_statistics *)((char *)out + (size_t)i * size);
    if (i > 0) memcpy(one, &size, sizeof size);
    GV_TRY(gv_statistics_get(context, s, first + i, one));
  }
  return GV_OK;
}

gv_status gv_statistics_get_sum_range(gv_context *context, const gv_statistics *s, int64_t first,
                                      int64_t count, int32_t quantity, double *sum, double *distance_mean) {
  GV_TRY(statistics_check_range(context, s, first, count, sum));
  for (int64_t i = 0; i < count; i++) {
    double *mean = distance_mean != NULL ? distance_mean + i : NULL;
    GV_TRY(gv_statistics_get_sum(context, s, first + i, quantity, sum + i, mean));
  }
  return GV_OK;
}
