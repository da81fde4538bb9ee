/* The table of `bench raster`, and the grid of its suites. */
#include "cli/bench/bench_raster.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/bench/bench.h"

typedef bench_raster_settings settings;

void bench_raster_header(const settings *s) {
  printf("%-10s %-34s %9s %10s %10s %10s %10s  %8s  %s\n", "suite", "case", "seeds", "median s", "least s",
         "most s", "Mcell/s", "ratio", "reference");
  if (s->csv != NULL) {
    fprintf(s->csv, "suite,case,seeds,cells,median_s,least_s,most_s,mcells_per_s,ratio,reference,peak_mib\n");
  }
}

void bench_raster_row(const settings *s, const char *suite, const char *name, int64_t seeds, double cells,
                      double *seconds, double *ratios, int n, const char *reference, double peak_mib) {
  bench_summary t = bench_summarise(seconds, n);
  double rate = cells / t.median / 1e6, ratio = ratios != NULL ? bench_summarise(ratios, n).median : NAN;
  printf("%-10s %-34s %9" PRId64 " %10.4f %10.4f %10.4f %10.1f  ", suite, name, seeds, t.median, t.least, t.most,
         rate);
  if (ratios != NULL) {
    printf("%8.2f  %s", ratio, reference);
  } else {
    printf("%8s  %s", "", reference);
  }
  if (peak_mib >= 0) printf("  (peak %.0f MiB)", peak_mib);
  printf("\n");
  fflush(stdout);
  if (s->csv != NULL) {
    fprintf(s->csv, "%s,%s,%" PRId64 ",%.0f,%.6f,%.6f,%.6f,%.3f,", suite, name, seeds, cells, t.median, t.least,
            t.most, rate);
    if (ratios != NULL) fprintf(s->csv, "%.4f", ratio);
    fprintf(s->csv, ",%s,", reference);
    if (peak_mib >= 0) fprintf(s->csv, "%.0f", peak_mib);
    fprintf(s->csv, "\n");
  }
}

gv_grid bench_raster_globe(const settings *s) {
  gv_grid grid = GV_GRID_INIT;
  double geotransform[6] = {-180.0, 360.0 / (double)s->width, 0.0, 90.0, 0.0, -180.0 / (double)s->height};
  grid.kind = GV_GRID_LONLAT;
  grid.width = s->width;
  grid.height = s->height;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  return grid;
}
