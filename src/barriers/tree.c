#include "barriers/tree.h"

#include <math.h>
#include <string.h>

typedef struct tree_build {
  const gv_barriers *barriers;
  char *items;
  size_t size;
  int places;
  gv_barrier_node *nodes;
  int64_t count;
} tree_build;

static inline const double *tree_item(const tree_build *t, int64_t i) {
  return (const double *)(const void *)(t->items + (size_t)i * t->size);
}

/* Twice the middle of an item. */
static inline double tree_middle(const tree_build *t, int64_t i, int d) {
  const double *x = tree_item(t, i);
  return x[d] + x[3 * (t->places - 1) + d];
}

static void tree_swap(const tree_build *t, int64_t i, int64_t k) {
  char held[sizeof(gv_wall) + sizeof(gv_corner)];
  char *a = t->items + (size_t)i * t->size, *b = t->items + (size_t)k * t->size;
  if (i == k) return;
  memcpy(held, a, t->size);
  memcpy(a, b, t->size);
  memcpy(b, held, t->size);
}

/* Puts the item of a rank to its place, smaller ones before it (Hoare). */
static void tree_select(const tree_build *t, int64_t first, int64_t end, int64_t rank, int d) {
  int64_t low = first, high = end - 1;
  while (low < high) {
    const double pivot = tree_middle(t, low + (high - low) / 2, d);
    int64_t i = low, k = high;
    while (i <= k) {
      while (tree_middle(t, i, d) < pivot)
        i++;
      while (tree_middle(t, k, d) > pivot)
        k--;
      if (i <= k) tree_swap(t, i++, k--);
    }
    if (rank <= k) {
      high = k;
    } else if (rank >= i) {
      low = i;
    } else {
      return;
    }
  }
}

static void tree_add(const tree_build *t, const double *x, gv_barrier_box *box) {
  gv_barrier_box item;
  gv_barrier_box_begin(&item);
  for (int p = 0; p < t->places; p++)
    gv_barrier_box_add(&item, x + (ptrdiff_t)3 * p);
  if (t->places > 1)
    gv_barrier_box_widen(&item, t->barriers->geometry->bulge(t->barriers, item.low, item.high));
  gv_barrier_box_add(box, item.low);
  gv_barrier_box_add(box, item.high);
}

static void tree_bound(const tree_build *t, int64_t first, int64_t end, gv_barrier_node *node, int *widest) {
  gv_barrier_box box, middles;
  gv_barrier_box_begin(&box);
  gv_barrier_box_begin(&middles);
  for (int64_t i = first; i < end; i++) {
    const double *x = tree_item(t, i),
                 middle[3] = {tree_middle(t, i, 0), tree_middle(t, i, 1), tree_middle(t, i, 2)};
    tree_add(t, x, &box);
    gv_barrier_box_add(&middles, middle);
  }
  *widest = gv_barrier_box_widest(&middles);
  for (int d = 0; d < 3; d++) {
    const float low = (float)box.low[d], high = (float)box.high[d];
    node->low[d] = (double)low > box.low[d] ? nextafterf(low, -INFINITY) : low;
    node->high[d] = (double)high < box.high[d] ? nextafterf(high, INFINITY) : high;
  }
}

/* Halves have half the items: the depth is that of their number. */
static void tree_divide(tree_build *t, int64_t first, int64_t end) {
  gv_barrier_node *node = &t->nodes[t->count++];
  int widest;
  tree_bound(t, first, end, node, &widest);
  if (end - first <= GV_BARRIER_LEAF) {
    node->first = (int32_t)first;
    node->count = (int32_t)(end - first);
    return;
  }
  const int64_t middle = first + (end - first) / 2;
  tree_select(t, first, end, middle, widest);
  node->count = 0;
  node->axis = widest;
  tree_divide(t, first, middle);
  node->first = (int32_t)t->count;
  tree_divide(t, middle, end);
}

gv_status gv_barrier_tree_make(gv_context *context, const gv_barriers *barriers, void *items, int64_t count,
                               size_t size, int places, gv_barrier_node **nodes, int64_t *node_count) {
  tree_build t = {barriers, items, size, places, NULL, 0};
  *node_count = 0;
  t.nodes = *nodes = gv_allocate(&context->allocator, count + 1, sizeof **nodes);
  if (t.nodes == NULL) return gv_fail_memory(context, "the barriers");
  if (count > 0) tree_divide(&t, 0, count);
  *node_count = t.count;
  return GV_OK;
}

void gv_barrier_walls_near(const gv_barriers *b, const gv_barrier_box *box, gv_visit_wall *visit,
                           void *user) {
  gv_barrier_visit_walls(b, 3, box, NULL, NULL, visit, user);
}
