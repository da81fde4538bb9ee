/*
 * Colors for regions. Greedy coloring over the neighbors found in the raster itself: a planar map rarely
 * needs more than six colors that way, so with 48 colors neighbors can be far apart. Contrast is the distance
 * of CIE L*a*b* values. Cost: one comparison for each cell of the rows read.
 */
#include "io/out/style.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/in/groups.h"

/* ---------------------------------------------------------------------------------------- pairs that meet */

void gv_adjacency_init(gv_adjacency *adjacency, int64_t width, int64_t height) {
  memset(adjacency, 0, sizeof *adjacency);
  adjacency->row_step = width * height > ((int64_t)1 << 24) ? 8 : 1;
}

void gv_adjacency_free(gv_adjacency *adjacency) {
  free(adjacency->pairs.entries);
  memset(adjacency, 0, sizeof *adjacency);
}

static gv_status style_no_memory(gv_io *io) {
  return gv_io_fail_memory(io, "the raster attribute table");
}

gv_status gv_adjacency_add(gv_io *io, gv_adjacency *adjacency, uint64_t key) {
  if (!gv_hash_reserve(&adjacency->pairs)) return style_no_memory(io);
  gv_hash_entry *entry = gv_hash_find(&adjacency->pairs, key);
  adjacency->pairs.count += entry->value == 0;
  *entry = (gv_hash_entry){key, 1};
  return GV_OK;
}

/* The smaller value above, the larger below; never 0 if the values differ. */
static uint64_t pair_key(int32_t a, int32_t b) {
  uint32_t low = (uint32_t)a ^ 0x80000000U, high = (uint32_t)b ^ 0x80000000U;
  return low < high ? (uint64_t)low << 32 | high : (uint64_t)high << 32 | low;
}

/* Pairs (a[i], b[i]) that differ; *differ becomes true if there are some. Whole stretches of equal cells are
 * passed over quickly. */
static gv_status scan_pairs(gv_io *io, gv_adjacency *adjacency, const int32_t *a, const int32_t *b, int64_t n,
                            bool *differ) {
  enum { STRETCH = 32 };
  gv_status status = GV_OK;
  uint64_t last = 0;
  for (int64_t i = 0; i < n && status == GV_OK; i += STRETCH) {
    int64_t end = n - i < STRETCH ? n : i + STRETCH;
    uint32_t bits = 0;
    for (int64_t j = i; j < end; j++)
      bits |= (uint32_t)a[j] ^ (uint32_t)b[j];
    if (bits == 0) continue;
    *differ = true;
    for (int64_t j = i; j < end && status == GV_OK; j++) {
      if (a[j] == b[j]) continue;
      uint64_t key = pair_key(a[j], b[j]);
      if (key != last) status = gv_adjacency_add(io, adjacency, key);
      last = key;
    }
  }
  return status;
}

gv_status gv_adjacency_scan(gv_io *io, gv_adjacency *adjacency, const int32_t *block, int64_t width,
                            int64_t height, int64_t stride, int64_t first_row) {
  int64_t step = adjacency->row_step;
  bool differ = false;
  gv_status status = GV_OK;
  for (int64_t row = (step - first_row % step) % step; row < height && status == GV_OK; row += step) {
    const int32_t *here = block + row * stride;
    status = scan_pairs(io, adjacency, here, here + 1, width - 1, &differ);
    if (status == GV_OK && row + step < height)
      status = scan_pairs(io, adjacency, here, here + step * stride, width, &differ);
  }
  if (status == GV_OK && !differ && *block != INT32_MIN)
    status = gv_adjacency_add(io, adjacency, pair_key(*block, *block));
  return status;
}

gv_status gv_adjacency_merge(gv_io *io, gv_adjacency *into, const gv_adjacency *from) {
  gv_status status = GV_OK;
  for (uint64_t i = 0; i < from->pairs.capacity && status == GV_OK; i++)
    if (from->pairs.entries[i].value != 0) status = gv_adjacency_add(io, into, from->pairs.entries[i].key);
  return status;
}

/* ------------------------------------------------------------------------------------------------ palette */

enum { COLORS = 48, HUES = 16 };

typedef struct color {
  int rgb[3];
  double lab[3];
} color;

static double linear(double s) {
  return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

static double lab_curve(double t) {
  return t > 216.0 / 24389.0 ? cbrt(t) : (24389.0 / 27.0 * t + 16.0) / 116.0;
}

/* Sixteen hues, each at three steps of lightness and strength. */
static void make_palette(color palette[COLORS]) {
  static const double strength[3] = {0.55, 0.70, 0.40}, value[3] = {0.95, 0.72, 0.80};
  for (int i = 0; i < COLORS; i++) {
    double hue = 6.0 * (i % HUES) / HUES, s = strength[i / HUES], v = value[i / HUES];
    double part[3] = {5.0, 3.0, 1.0}, rgb[3];
    for (int c = 0; c < 3; c++) {
      double k = fmod(part[c] + hue, 6.0);
      rgb[c] = v - v * s * fmax(0.0, fmin(1.0, fmin(k, 4.0 - k)));
      palette[i].rgb[c] = (int)(rgb[c] * 255.0 + 0.5);
      rgb[c] = linear(rgb[c]);
    }
    double x = lab_curve((0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.9505);
    double y = lab_curve(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]);
    double z = lab_curve((0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.089);
    palette[i].lab[0] = 116.0 * y - 16.0;
    palette[i].lab[1] = 500.0 * (x - y);
    palette[i].lab[2] = 200.0 * (y - z);
  }
}

static double contrast(const color *a, const color *b) {
  double l = a->lab[0] - b->lab[0], m = a->lab[1] - b->lab[1], n = a->lab[2] - b->lab[2];
  return sqrt(l * l + m * m + n * n);
}

/* ----------------------------------------------------------------------------------------------- coloring */

/* The group that blocks show as `value`: a seed's number, or an id; -1 if there is none (nodata). */
static int32_t find_group(const gv_id_groups *groups, const gv_seed_list *seeds, bool numbers,
                          int32_t value) {
  if (!numbers) return gv_groups_find(groups, seeds, value);
  return value >= 0 ? groups->of_seed[value] : -1;
}

typedef struct edges {
  int64_t *start; /* count + 1 offsets into `to` */
  int32_t *to;
  bool *met; /* seeds that have cells; of ids, the first seed of each */
} edges;

static gv_status collect_edges(gv_io *io, const gv_adjacency *adjacency, const gv_id_groups *groups,
                               const gv_seed_list *seeds, bool numbers, edges *out) {
  int64_t count = groups->count;
  int32_t(*pairs)[2] = malloc((size_t)(adjacency->pairs.count + 1) * sizeof *pairs);
  out->start = calloc((size_t)count + 2, sizeof *out->start);
  out->to = malloc((size_t)(2 * adjacency->pairs.count + 1) * sizeof *out->to);
  out->met = calloc((size_t)seeds->count, sizeof *out->met);
  gv_status status = pairs != NULL && out->start != NULL && out->to != NULL && out->met != NULL
                         ? GV_OK
                         : style_no_memory(io);
  if (status == GV_OK) {
    int64_t found = 0;
    for (uint64_t s = 0; s < adjacency->pairs.capacity; s++) {
      uint64_t key = adjacency->pairs.entries[s].key;
      if (adjacency->pairs.entries[s].value == 0) continue;
      for (int side = 0; side < 2; side++) {
        int32_t value = (int32_t)((uint32_t)(side == 0 ? key >> 32 : key) ^ 0x80000000U);
        int32_t group = pairs[found][side] = find_group(groups, seeds, numbers, value);
        if (group >= 0) out->met[numbers ? value : groups->first[group]] = true;
      }
      if (pairs[found][0] >= 0 && pairs[found][1] >= 0 && pairs[found][0] != pairs[found][1]) found++;
    }
    /* Counting sort: first the degrees, shifted by two, then the entries, which turn them into offsets. */
    for (int64_t i = 0; i < found; i++) {
      out->start[pairs[i][0] + 2]++;
      out->start[pairs[i][1] + 2]++;
    }
    for (int64_t i = 2; i < count + 2; i++)
      out->start[i] += out->start[i - 1];
    for (int64_t i = 0; i < found; i++) {
      out->to[out->start[pairs[i][0] + 1]++] = pairs[i][1];
      out->to[out->start[pairs[i][1] + 1]++] = pairs[i][0];
    }
  }
  free(pairs);
  return status;
}

/* For each region the palette's color farthest from its colored neighbors'; among near-equals a scattered
 * choice. */
static void choose_colors(const color palette[COLORS], const edges *e, const gv_id_groups *groups,
                          const gv_seed_list *seeds, int8_t *chosen) {
  int64_t count = groups->count;
  double distance[COLORS][COLORS];
  for (int i = 0; i < COLORS; i++) {
    for (int j = 0; j < COLORS; j++)
      distance[i][j] = contrast(&palette[i], &palette[j]);
  }
  memset(chosen, -1, (size_t)count);
  for (int64_t r = 0; r < count; r++) {
    /* Above 60 two colors are different enough, and variety is more important. */
    double nearest[COLORS];
    for (int c = 0; c < COLORS; c++)
      nearest[c] = 60.0;
    for (int64_t n = e->start[r]; n < e->start[r + 1]; n++) {
      if (chosen[e->to[n]] < 0) continue;
      const double *other = distance[chosen[e->to[n]]];
      for (int c = 0; c < COLORS; c++)
        nearest[c] = other[c] < nearest[c] ? other[c] : nearest[c];
    }
    int first = (int)(gv_hash_mix((uint64_t)seeds->ids[groups->first[r]] + 1) % COLORS), best = first;
    for (int k = 1; k < COLORS; k++) {
      int candidate = (first + 7 * k) % COLORS;
      if (nearest[candidate] > nearest[best]) best = candidate;
    }
    chosen[r] = (int8_t)best;
  }
}

/* ---------------------------------------------------------------------------------------------- the table */

gv_status gv_style_table(gv_io *io, const gv_seed_list *seeds, bool numbers, bool all,
                         const gv_adjacency *adjacency, gv_attribute_table *out, int64_t *unseen) {
  edges e = {0};
  color palette[COLORS];
  gv_id_groups groups = {0};
  int8_t *chosen = NULL;
  gv_status status = gv_groups_make(io, seeds, &groups);
  if (status == GV_OK) status = collect_edges(io, adjacency, &groups, seeds, numbers, &e);
  if (status != GV_OK) goto end;
  chosen = malloc((size_t)groups.count);
  out->rows = malloc((size_t)groups.count * sizeof *out->rows);
  if (chosen == NULL || out->rows == NULL) {
    status = style_no_memory(io);
    goto end;
  }
  make_palette(palette);
  choose_colors(palette, &e, &groups, seeds, chosen);
  out->has_names = seeds->names != NULL;
  bool known = adjacency->row_step == 1 &&
               (numbers || (groups.count == seeds->count && seeds->ids[groups.first[0]] != INT32_MIN));
  *unseen = known ? 0 : -1;
  for (int64_t i = 0; i < seeds->count; i++) {
    *unseen += known && !e.met[i];
    if (e.met[i]) e.met[groups.first[groups.of_seed[i]]] = true; /* at or before i */
  }
  for (int64_t i = 0; i < groups.count; i++) {
    int32_t seed = groups.first[i];
    if (!all && !e.met[seed]) continue;
    const char *name = out->has_names && seeds->names[seed] != NULL ? seeds->names[seed] : "";
    gv_attribute_row *row = &out->rows[out->count++];
    *row = (gv_attribute_row){.id = seeds->ids[seed], .name = name};
    for (int c = 0; c < 3; c++)
      row->rgb[c] = (uint8_t)palette[chosen[i]].rgb[c];
  }
end:
  gv_groups_free(&groups);
  free(chosen);
  free(e.start);
  free(e.to);
  free(e.met);
  return status;
}
