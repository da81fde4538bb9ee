/* Sums of one panel. */
#include "statistics/panel_sums.h"

#include <string.h>

void gv_panel_sums_clear(gv_panel_sums *l) {
  gv_release(&l->allocator, l->regions.slot);
  gv_release(&l->allocator, l->regions.shown);
  gv_release(&l->allocator, l->regions.sum);
  gv_release(&l->allocator, l->far);
  gv_release(&l->allocator, l->sum_of_far);
}

bool gv_panel_sums_reserve(gv_region_sums *regions, int32_t more) {
  gv_panel_sums *l = (gv_panel_sums *)regions;
  const gv_statistics *s = l->s;
  const gv_region_sums *from = &l->regions;
  gv_panel_sums bigger = *l;
  gv_region_sums *to = &bigger.regions;
  for (to->capacity = from->capacity > 0 ? 2 * from->capacity : 64; to->capacity - from->count < more;)
    to->capacity *= 2;
  int64_t capacity = to->capacity;
  to->mask = 4 * (uint32_t)capacity - 1;
  to->stride = (GV_SCAN_LANES + 2 * s->sums + 7) / 8 * 8; /* whole cache lines */
  to->slot = gv_allocate(&l->allocator, 4 * capacity, sizeof *to->slot);
  to->shown = gv_allocate(&l->allocator, capacity, sizeof *to->shown);
  to->sum = gv_allocate(&l->allocator, capacity * to->stride, sizeof *to->sum);
  bool good = to->slot != NULL && to->shown != NULL && to->sum != NULL;
  if (s->distances) {
    bigger.far = gv_allocate_zeroed(&l->allocator, capacity, sizeof *bigger.far);
    bigger.sum_of_far = gv_allocate_zeroed(&l->allocator, capacity * s->sums, sizeof *bigger.sum_of_far);
    good = good && bigger.far != NULL && bigger.sum_of_far != NULL;
  }
  if (!good) {
    gv_panel_sums_clear(&bigger);
    return false;
  }
  memset(to->slot, -1, 4 * (size_t)capacity * sizeof *to->slot);
  size_t count = (size_t)from->count;
  if (count > 0) {
    memcpy(to->shown, from->shown, count * sizeof *from->shown);
    memcpy(to->sum, from->sum, count * (size_t)from->stride * sizeof *from->sum);
    if (s->distances) memcpy(bigger.far, l->far, count * sizeof *l->far);
    if (s->distances && s->sums > 0)
      memcpy(bigger.sum_of_far, l->sum_of_far, count * (size_t)s->sums * sizeof *l->sum_of_far);
    for (int32_t i = 0; i < from->count; i++)
      *gv_slot_of(to->slot, to->mask, from->shown[i]) = (gv_slot){from->shown[i], i};
  }
  gv_panel_sums_clear(l);
  *l = bigger;
  return true;
}

bool gv_find_indices(gv_panel_sums *l, const gv_scan *scan, gv_runs *runs) {
  for (int32_t i = 0; i < runs->count; i++) {
    int64_t r = runs->start[i] >> GV_RUN_SHIFT;
    if (!gv_regions_reserve(&l->regions, 1)) return false;
    runs->index[i] = gv_region_index(&l->regions, scan->cells[r * scan->stride + gv_run_begin(runs, i)]);
  }
  return true;
}

/* The seed that blocks show as `value`; -1 if there is none. */
static int64_t seed_of(const gv_statistics *s, int32_t value) {
  if (s->labels == NULL) return value < s->voronoi->seeds.total ? value : -1;
  return gv_slot_of(s->labels, s->label_mask, value)->index;
}

/* The lanes of a factor that was parted. */
static inline gv_wide parted(const int64_t *lanes, int low, int high) {
  return lanes[low] + lanes[high] * ((gv_wide)1 << 32);
}

static inline gv_wide halved(const int64_t *lanes, int low, int high) {
  const gv_wide unit = 1 << GV_FACTOR_HALF;
  return lanes[low] + ((gv_wide)lanes[low + GV_LANE_HIGH] + lanes[high]) * unit +
         lanes[high + GV_LANE_HIGH] * (unit * unit);
}

/* Adds a seed's lanes, made from the panel's corner on. */
static void add_lanes(const gv_statistics *s, const gv_tile *panel, const int64_t *lanes, gv_totals *to) {
  to->cells += lanes[GV_LANE_CELLS];
  if (s->voronoi->cells.grid.kind == GV_GRID_QTM) {
    to->area += parted(lanes, GV_LANE_AREA, GV_LANE_AREA + 1);
    for (int d = 0; d < 3; d++)
      to->moment[d] += parted(lanes, GV_LANE_MOMENT + d, GV_LANE_MOMENT + d + GV_LANE_HIGH);
  } else if (s->row_share != NULL) {
    to->area += parted(lanes, GV_LANE_AREA, GV_LANE_AREA + 1);
    to->moment[0] += halved(lanes, GV_LANE_COSINE_LOW, GV_LANE_COSINE_HIGH);
    to->moment[1] += halved(lanes, GV_LANE_SINE_LOW, GV_LANE_SINE_HIGH);
    to->moment[2] += parted(lanes, GV_LANE_UP, GV_LANE_UP + 1) * (INT64_C(1) << GV_FACTOR_BITS);
  } else {
    to->area += lanes[GV_LANE_CELLS];
    to->moment[0] += (gv_wide)lanes[GV_LANE_CELLS] * (2 * panel->c0) + lanes[GV_LANE_COLUMNS];
    to->moment[1] += (gv_wide)lanes[GV_LANE_CELLS] * (2 * panel->r0) + lanes[GV_LANE_ROWS];
  }
}

gv_status gv_panel_sums_merge(gv_context *context, gv_statistics *s, const gv_tile *panel, const gv_panel_sums *l) {
  int32_t *shown = l->regions.shown;
  enum { AHEAD = 8 }; /* seeds are all over memory, which is asked for them in time */
  for (int32_t i = 0; i < l->regions.count; i++) {
    if (s->labels != NULL && i + AHEAD < l->regions.count)
      __builtin_prefetch(&s->labels[gv_first_slot(s->label_mask, shown[i + AHEAD])]);
    int64_t seed = gv_is_nobody(s, shown[i]) ? -1 : seed_of(s, shown[i]);
    if (seed < 0 && !gv_is_nobody(s, shown[i]))
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "there is no seed %d", (int)shown[i]);
    shown[i] = (int32_t)seed;
  }
  pthread_mutex_lock(&s->lock);
  for (int32_t i = 0; i < l->regions.count; i++) {
    if (i + AHEAD < l->regions.count && shown[i + AHEAD] >= 0) {
      const gv_totals *later = &s->of_seed[shown[i + AHEAD]];
      __builtin_prefetch(later, 1);
      __builtin_prefetch((const char *)(later + 1) - 1, 1);
      __builtin_prefetch(s->of_sum + (int64_t)shown[i + AHEAD] * s->sums, 1);
    }
    if (shown[i] < 0) continue;
    const int64_t *sum_of = gv_sums_of(l, i);
    gv_totals *to = &s->of_seed[shown[i]];
    gv_sum *to_sum = s->of_sum + (int64_t)shown[i] * s->sums;
    add_lanes(s, panel, sum_of, to);
    for (int32_t q = 0; q < s->sums; q++) {
      const int64_t *parts = sum_of + GV_SCAN_LANES + 2 * q;
      to_sum[q].value += parted(parts, 0, 1);
    }
    if (!s->distances) continue;
    to->distance += l->far[i].sum;
    if (l->far[i].farthest > to->farthest) to->farthest = l->far[i].farthest;
    for (int32_t q = 0; q < s->sums; q++)
      to_sum[q].distance += l->sum_of_far[(int64_t)i * s->sums + q];
  }
  pthread_mutex_unlock(&s->lock);
  return GV_OK;
}
