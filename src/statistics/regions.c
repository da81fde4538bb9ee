/* Sums of one block, over the few seeds that it has, and how they are added to the whole. */
#include <string.h>

#include "statistics/parts.h"

void gv_regions_clear(gv_regions *regions) {
  void *const parts[] = {regions->slot, regions->shown, regions->of, regions->sum};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    gv_release(&regions->allocator, parts[i]);
}

int64_t gv_slots_for(int64_t count) {
  int64_t slots = 2;
  if (count > INT64_C(1) << 61) return -1;
  while (slots < 2 * count)
    slots *= 2;
  return slots;
}

gv_status gv_regions_grow(gv_context *context, gv_regions *regions) {
  gv_regions to = *regions;
  if (to.capacity > INT32_MAX / 2) return gv_fail_memory(context, "a block's statistics");
  int64_t sums = to.s->sums, capacity = to.capacity = to.capacity > 0 ? 2 * to.capacity : 64;
  size_t count = (size_t)to.count;
  to.mask = 4 * (uint32_t)capacity - 1;
  to.slot = gv_allocate(&to.allocator, 4 * capacity, sizeof *to.slot);
  to.shown = gv_allocate(&to.allocator, capacity, sizeof *to.shown);
  to.of = gv_allocate_zeroed(&to.allocator, capacity, sizeof *to.of);
  to.sum = gv_allocate_zeroed(&to.allocator, capacity * sums, sizeof *to.sum);
  if (to.slot == NULL || to.shown == NULL || to.of == NULL || to.sum == NULL) {
    gv_regions_clear(&to);
    return gv_fail_memory(context, "a block's statistics");
  }
  memset(to.slot, -1, 4 * (size_t)capacity * sizeof *to.slot);
  if (count > 0) {
    memcpy(to.shown, regions->shown, count * sizeof *to.shown);
    memcpy(to.of, regions->of, count * sizeof *to.of);
    memcpy(to.sum, regions->sum, count * (size_t)sums * sizeof *to.sum);
  }
  for (int32_t i = 0; i < to.count; i++)
    *gv_slot_of(to.slot, to.mask, to.shown[i]) = (gv_slot){to.shown[i], i};
  gv_regions_clear(regions);
  *regions = to;
  return GV_OK;
}

/* The seed that blocks show as `value`; -1 if there is none. */
static int64_t seed_of(const gv_statistics *s, int32_t value) {
  if (s->labels == NULL) return value < s->voronoi->seeds.total ? value : -1;
  return gv_slot_of(s->labels, s->label_mask, value)->index;
}

gv_status gv_regions_merge(gv_context *context, gv_statistics *s, const gv_regions *regions) {
  for (int32_t i = 0; i < regions->count; i++) {
    int32_t seed = (int32_t)seed_of(s, regions->shown[i]);
    if (seed < 0)
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "seed number: out of range (%d)",
                     (int)regions->shown[i]);
    regions->shown[i] = s->group != NULL ? s->group[seed] : seed;
  }
  bool good = true;
  pthread_mutex_lock(&s->lock);
  for (int32_t i = 0; i < regions->count; i++) {
    int64_t row = regions->shown[i];
    good = gv_totals_add(&regions->of[i], &s->of_row[row]) && good;
    for (int32_t q = 0; q < s->sums; q++)
      good = gv_sum_add(&regions->sum[(int64_t)i * s->sums + q], &s->of_sum[row * s->sums + q]) && good;
  }
  pthread_mutex_unlock(&s->lock);
  return good ? GV_OK : gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "statistics: the sums are out of range");
}
