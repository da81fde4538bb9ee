/*
 * Rasters with any geotransform and coordinate system as --like, --extent-of, --sum and --mask: refused with
 * a line of text, or a grid that answers, and quantities that add up.
 */
#include <float.h>
#include <math.h>

#include "../grid_fill.h"
#include "gdal_input.h"

#include "io/overlay/mask.h"
#include "io/overlay/quantity.h"

enum { MOST_BYTES = 4096, MOST_WIDTH = 24, MOST_HEIGHT = 16, MOST_TEXT = 200 };

static const char raster_path[] = "/vsimem/fuzz.vrt", seeds_path[] = "/vsimem/seeds.csv";

#define DEGREES "EPSG:4326"
#define METERS  "EPSG:32633"

static const char *const systems[] = {"",           DEGREES,
                                      METERS,       "EPSG:3857",
                                      "EPSG:3035",  "EPSG:4807",
                                      "EPSG:2154",  "EPSG:3031",
                                      "EPSG:54009", "+proj=geos +h=35785831 +sweep=x",
                                      "+proj=igh",  "+proj=ob_tran +o_proj=longlat +o_lat_p=40 +lon_0=10"};

/* Whole numbers, fractions, degrees, meters, anything. */
static double take_number(fuzz_input *input) {
  double any;
  int16_t whole;
  switch (fuzz_byte(input) % 5) {
  case 0:
    fuzz_take(input, &any, sizeof any);
    return any;
  case 1:
    return (int8_t)fuzz_byte(input);
  case 2:
    return (int8_t)fuzz_byte(input) / 7.0;
  default:
    fuzz_take(input, &whole, sizeof whole);
    return whole * 300.0;
  }
}

/* Letters without markup, that name neither a file nor an address. */
static void take_system(fuzz_input *input, char text[MOST_TEXT]) {
  uint8_t choice = fuzz_byte(input);
  size_t count = sizeof systems / sizeof *systems, length = fuzz_byte(input) % MOST_TEXT;
  if (choice < 0xf0) {
    snprintf(text, MOST_TEXT, "%s", systems[choice % count]);
    return;
  }
  fuzz_take(input, text, length);
  for (size_t i = 0; i < length; i++)
    if (text[i] < ' ' || text[i] > '~' || strchr("<>&/@", text[i]) != NULL) text[i] = ' ';
  text[length] = '\0';
}

/* A VRT of the values; returns its length. Others than `own`, the grid's system, and none are rare: an
 * operation between two takes PROJ ten milliseconds. */
static size_t take_raster(fuzz_input *input, int64_t room, const char *own, double *values, char *out,
                          size_t size) {
  char system[MOST_TEXT];
  uint8_t choices = fuzz_byte(input);
  int64_t width = 1 + fuzz_byte(input) % MOST_WIDTH, height = 1 + fuzz_byte(input) % MOST_HEIGHT;
  double g[6] = {0}, nodata = 0.0;
  take_system(input, system);
  if (room < FUZZ_MEDIUM && system[0] != '\0') snprintf(system, sizeof system, "%s", own);
  fuzz_shrink(room / 6, &width, &height);
  for (int i = 0; i < 6; i++)
    if ((i != 2 && i != 4) || (choices & 3U) == 0) g[i] = take_number(input);
  if (choices & 4U) nodata = take_number(input);
  for (int64_t i = 0; i < width * height; i++)
    values[i] = (choices & 8U) != 0 && i % 16 == 0 ? take_number(input) : (double)fuzz_byte(input);
  return (size_t)snprintf(
      out, size,
      "<VRTDataset rasterXSize=\"%d\" "
      "rasterYSize=\"%d\"><SRS>%s</SRS><GeoTransform>%.17g,%.17g,%.17g,%.17g,%.17g,"
      "%.17g</GeoTransform><VRTRasterBand dataType=\"Float64\" "
      "band=\"1\">%s%.17g%s<SimpleSource><SourceFilename>"
      "MEM:::DATAPOINTER=%p,PIXELS=%d,LINES=%d,DATATYPE=Float64</SourceFilename><SourceBand>1</SourceBand>"
      "</SimpleSource></VRTRasterBand></VRTDataset>",
      (int)width, (int)height, system, g[0], g[1], g[2], g[3], g[4], g[5],
      (choices & 4U) != 0 ? "<NoDataValue>" : "<!--", nodata, (choices & 4U) != 0 ? "</NoDataValue>" : "-->",
      (void *)values, (int)width, (int)height);
}

/* Searches the grid; for any coordinate system, cells have a seed or none. */
static void answer(const gv_seed_list *seeds, const gv_raster_grid *grid) {
  static int32_t out[MOST_WIDTH * MOST_HEIGHT];
  gv_context_options one;
  gv_context_options_init(&one);
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  gv_points points = gv_points_xy(seeds->x, seeds->y, seeds->count);
  gv_context *context = NULL;
  gv_voronoi *voronoi = NULL;
  int64_t width = grid->grid.width, height = grid->grid.height;
  if (width > MOST_WIDTH || height > MOST_HEIGHT) return;
  one.threads = 1;
  FUZZ_REQUIRE(gv_context_create(&one, &context) == GV_OK);
  options.metric = grid->metric;
  gv_status status = gv_voronoi_create(context, &grid->grid, &points, &options, &voronoi);
  if (status == GV_OK) status = fill_grid(context, voronoi, out, width);
  for (int64_t i = 0; status == GV_OK && i < width * height; i++)
    FUZZ_REQUIRE(out[i] >= -1 && out[i] < seeds->count);
  if (status != GV_OK) FUZZ_REQUIRE(gv_context_message(context)[0] != '\0');
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
}

static gv_status ask_grid(gv_io *io, bool like) {
  static const char text[] = "lon,lat\n13.4,52.5\n-0.1,51.5\n179.9,-60\n";
  fuzz_put_file(seeds_path, text, sizeof text - 1);
  gv_seed_options options = {.source = seeds_path, .skip_invalid = true};
  gv_seed_list seeds = GV_SEED_LIST_INIT;
  gv_grid_options wanted = {.has_size = !like, .size = {9, 7}};
  gv_raster_grid grid;
  if (like) wanted.like = raster_path;
  if (!like) wanted.extent_of = raster_path;
  FUZZ_REQUIRE(gv_seeds_read(io, &options, &seeds) == GV_OK);
  gv_status status = gv_raster_grid_make(io, &wanted, &seeds, &grid);
  if (status == GV_OK) answer(&seeds, &grid);
  gv_raster_grid_free(&grid);
  gv_seeds_free(&seeds);
  return status;
}

static double add_cells(const gv_quantity *q, int w, int h) {
  double sum = 0.0;
  for (int i = 0; i < w * h; i++)
    sum += ((const double *)q->value)[i];
  return sum;
}

static gv_status ask_sum(gv_io *io, const gv_raster_grid *grid) {
  gv_overlay *overlay = NULL;
  gv_quantity quantity;
  int w = (int)grid->grid.width, h = (int)grid->grid.height;
  gv_raster_source source = {.path = raster_path};
  gv_status status = gv_overlay_open(io, source, grid, (gv_readers){1, 1, 1 << 20, NULL}, &overlay);
  if (status == GV_OK) {
    double inside = gv_overlay_inside(overlay), bound = gv_overlay_bound(overlay);
    FUZZ_REQUIRE(isfinite(gv_overlay_total(overlay)) && isfinite(inside) && bound >= 0.0);
    status = gv_overlay_cells(io, overlay, 0, 0, 0, w, h, &quantity);
    double most = 1e-9 * bound * (double)(w * h) + DBL_MIN; /* parts of less have no digits */
    if (status == GV_OK) FUZZ_REQUIRE(fabs(add_cells(&quantity, w, h) - inside) <= most);
  }
  gv_overlay_close(overlay);
  return status;
}

static gv_status ask_mask(gv_io *io, const gv_raster_grid *grid) {
  static uint8_t cells[40 * 20];
  gv_mask *mask = NULL;
  gv_mask_options options = {.source = raster_path};
  int64_t kept = 0, counted = 0, w = grid->grid.width, h = grid->grid.height;
  gv_status status = gv_mask_open(io, &options, grid, (gv_readers){1, 1, 1 << 20, NULL}, &mask);
  if (status == GV_OK) status = gv_mask_cells(io, mask, 0, 0, 0, w, h, cells, w, &kept);
  for (int64_t i = 0; i < w * h; i++)
    counted += cells[i] == 1;
  if (status == GV_OK) FUZZ_REQUIRE(counted == kept);
  gv_mask_close(mask);
  return status;
}

/* Degrees all around the globe, or meters; in cells four times as wide and high for small questions. */
static gv_raster_grid make_grid(gv_io *io, bool metric, int64_t room) {
  static OGRSpatialReferenceH meters;
  gv_raster_grid grid = fuzz_world();
  double cell = 1.0;
  if (metric) {
    static const double geotransform[6] = {300000, 10000, 0, 6000000, 0, -10000};
    if (meters == NULL) FUZZ_REQUIRE(gv_crs_parse(io, METERS, "fuzz", &meters) == GV_OK);
    grid.crs = meters;
    grid.metric = GV_EUCLIDEAN;
    grid.grid.kind = GV_GRID_PLANE;
    memcpy(grid.geotransform, geotransform, sizeof geotransform);
  }
  if (room < FUZZ_MEDIUM) {
    cell = 4.0;
    grid.grid.width /= 4;
    grid.grid.height /= 4;
  }
  grid.geotransform[1] *= cell;
  grid.geotransform[5] *= cell;
  memcpy(grid.grid.geotransform, grid.geotransform, sizeof grid.geotransform);
  return grid;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static double values[MOST_WIDTH * MOST_HEIGHT];
  static char text[2048];
  if (size > MOST_BYTES) return 0;
  fuzz_begin_gdal();
  fuzz_input input = {data, size};
  uint8_t mode = fuzz_byte(&input);
  int64_t room = fuzz_room(data, size);
  bool metric = mode % 4 > 1 && (mode & 0x10U) != 0;
  fuzz_put_file(raster_path, text,
                take_raster(&input, room, metric ? METERS : DEGREES, values, text, sizeof text));
  gv_io io = {.message = ""};
  gv_raster_grid grid = make_grid(&io, metric, room);
  gv_status status = mode % 4 == 0   ? ask_grid(&io, true)
                     : mode % 4 == 1 ? ask_grid(&io, false)
                     : mode % 4 == 2 ? ask_sum(&io, &grid)
                                     : ask_mask(&io, &grid);
  fuzz_check_failure(status, &io);
  fuzz_end_gdal();
  return 0;
}
