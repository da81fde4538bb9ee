/* gpuvoronoi search --reference R [--queries Q] -k K OUT: its options, carried out by job/search. */
#include "cli/search_command.h"
#include "gpuvoronoi/geometries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/fail.h"
#include "cli/launched.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/standard_input.h"
#include "io/out/array_out.h"
#include "io/path.h"
#include "io/strings.h"
#include "job/backends.h"

typedef search_settings settings;

static const gv_choice metrics[] = {{"l2", GV_EUCLIDEAN},
                                    {"euclidean", GV_EUCLIDEAN},
                                    {"l1", GV_MANHATTAN},
                                    {"manhattan", GV_MANHATTAN},
                                    {"linf", GV_CHEBYSHEV},
                                    {"chebyshev", GV_CHEBYSHEV},
                                    {"geodesic", GV_GEODESIC},
                                    {"great-circle", GV_GREAT_CIRCLE},
                                    {"cosine", GV_COSINE},
                                    {"inner-product", GV_INNER_PRODUCT},
                                    {NULL, 0}};

static const gv_choice edges[] = {
    {"straight", GV_EDGES_STRAIGHT}, {"geodesic", GV_EDGES_GEODESIC}, {NULL, 0}};

static const gv_choice headers[] = {{"yes", GV_HEADER_YES}, {"no", GV_HEADER_NO}, {NULL, 0}};

static gv_status set_max_distance(gv_io *io, void *to, const char *value) {
  settings *j = to;
  j->has_max_distance = true;
  return gv_read_distance(io, "--max-distance", value, &j->job.max_distance);
}

static gv_status set_radius(gv_io *io, void *to, const char *value) {
  settings *j = to;
  j->job.by_radius = true;
  return gv_read_distance(io, "--radius", value, &j->job.max_distance);
}

static gv_status set_memory(gv_io *io, void *to, const char *value) {
  return gv_read_memory(io, value, &((settings *)to)->job.memory);
}

static gv_status set_values(gv_io *io, void *to, const char *value) {
  settings *j = to;
  return gv_read_whole_list(io, "--values", value, &j->job.raster.values, &j->job.raster.value_count);
}

/* A whole number p of 1 and 2 is a metric of its own. */
static gv_status set_power(gv_io *io, void *to, const char *value) {
  settings *j = to;
  char *end;
  double power = strtod(value, &end);
  if (end == value || *end != '\0' || !(power >= 1.0 && (power <= 1048576.0 || isinf(power))))
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--p: invalid power (%s); expected 1 to 1048576, or inf",
                      value);
  j->power = j->job.power = power;
  return GV_OK;
}

static gv_status set_box_size(gv_io *io, void *to, const char *value) {
  gv_search_job *j = &((settings *)to)->job;
  free(j->box);
  j->box = malloc((strlen(value) / 2 + 1) * sizeof *j->box);
  j->box_dim = 0;
  if (j->box == NULL) return gv_io_fail_memory(io, "the periodic box");
  for (const char *at = value;; at++) {
    char *end;
    double length = strtod(at, &end);
    if (end == at || (*end != ',' && *end != '\0') || !(length >= 0.0 && isfinite(length)))
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                        "--box-size: invalid lengths (%s); expected numbers >= 0, e.g. 1 or 10,10,0", value);
    j->box[j->box_dim++] = length;
    at = end;
    if (*end == '\0') return GV_OK;
  }
}

static const gv_option table[] = {
    GV_OPTION_SECTION("Points"),
    {"reference", "FILE",
     "reference points: an array (.npy, .hdf5, .csv ...) or a vector layer\n"
     ".npy, .npz, .fvecs, .bvecs, .ivecs, .fbin, .u8bin, .i8bin, .hdf5 (array train, or test for the "
     "queries; "
     "--layer selects another), and numbers in .csv or .txt, also .gz; or any vector source that GDAL reads, "
     "with "
     "x, y, and z if present (not on the globe). A text file with the columns lon and lat is a vector "
     "source. - "
     "reads "
     "CSV, GeoJSON or .npy from standard input. In a layer with lines or polygons each feature is a "
     "reference, at "
     "the "
     "distance of its closest point (0 inside a polygon).",
     GV_OPTION_INTO(job.reference.path), .names_file = true},
    {"reference-raster", "R",
     "instead of --reference: the cells of a raster that are not nodata, masked or 0\n"
     "A reference is the center of its cell. OUT holds cell numbers, row by row from 0.",
     GV_OPTION_INTO(job.raster.source), .names_file = true},
    {"band", "N", "band of --reference-raster [default: 1]", GV_OPTION_RANGE(job.raster.band, 1, 1 << 30)},
    {"values", "V[,V...]", "use only cells of --reference-raster with these values",
     GV_OPTION_BY(set_values)},
    {"queries", "FILE",
     "query points, of the same formats [default: the reference points]\n"
     "Without it, no point is its own neighbor.",
     GV_OPTION_INTO(job.query.path), .names_file = true},
    {"skip-invalid", NULL, "skip points without valid coordinates, and report their number",
     GV_OPTION_INTO(job.skip_invalid)},

    GV_OPTION_SECTION("Neighbors"),
    {"k", "K", "number of neighbors, 1 to 1024 [default: 1]", GV_OPTION_RANGE(job.k, 1, 1024),
     GV_OPTION_AND(has_k)},
    {"max-distance", "D",
     "ignore neighbors farther than D: meters on the globe, else the layer's unit\n"
     "Or with a unit: 100km, 5mi. Neighbors at distance D are used.",
     GV_OPTION_BY(set_max_distance)},
    {"radius", "R",
     "instead of -k: all neighbors at most this far, nearest first\n"
     "Units as for --max-distance. An array OUT holds the neighbors of all queries one after the other; "
     "--offsets "
     "has the start of each query. Text and tables have a row for each pair.",
     GV_OPTION_BY(set_radius)},
    {"metric", "NAME",
     "l2, l1, linf, cosine, inner-product, geodesic or great-circle [default: by the layers]\n"
     "cosine and inner-product: of arrays, by auto, serial, openmp, cuda-register, cuda-cublas and "
     "cuda-tensor. "
     "geodesic and great-circle: of layers with a coordinate system. Other names: "
     "euclidean (l2), manhattan (l1), chebyshev (linf). Default: geodesic for geographic CRSs and for "
     "cylindrical "
     "projections of the world like Web Mercator, otherwise l2.",
     GV_OPTION_ONE_OF(job.metric, metrics), GV_OPTION_AND(job.has_metric)},
    {"p", "P",
     "power of a Minkowski distance instead of --metric: 1 to 1048576, or inf\n"
     "The (1/P)-th power of the sum of |q-s|^P, of points on the plane or in a space, on CPUs. 1, 2 and inf "
     "are l1, l2 "
     "and linf.",
     GV_OPTION_BY(set_power)},
    {"box-size", "L[,L...]",
     "lengths of a periodic box: one for all coordinates, or one for each\n"
     "0: not periodic. Reference points must be in [0, L); queries are moved into the box. On CPUs.",
     GV_OPTION_BY(set_box_size)},
    {"edges", "NAME",
     "edges of lines and polygons: straight or geodesic [default: straight]\n"
     "straight: in the layer's own coordinates, with longitudes as written. geodesic: the shorter way "
     "between "
     "vertices.",
     GV_OPTION_ONE_OF(job.edges, edges)},
    {"boundary", NULL, "measure distances to the boundaries of polygons, also inside them",
     GV_OPTION_INTO(job.boundary)},

    {"barriers", "SRC",
     "the nearest by the shortest way round these lines and polygons\n"
     "A way may touch a barrier and follow it, but not cross a line or enter a polygon. Points of layers, "
     "and one "
     "neighbor; l2, great-circle or geodesic. No neighbor: the query is inside a polygon, or no way reaches "
     "it.",
     GV_OPTION_INTO(job.barriers.path), .names_file = true},
    {"barriers-layer", "NAME", "layer of --barriers; required if it has several",
     GV_OPTION_INTO(job.barriers.layer), .rare = true},
    {"barriers-oo", "NAME=VALUE", "open option of the driver of --barriers; may be repeated",
     GV_OPTION_INTO(job.barriers.open_options), .several = true, .rare = true},

    GV_OPTION_SECTION("Outputs"),
    {"distances", "FILE.npy", "distances, float64, queries x k; inf where a neighbor is missing",
     GV_OPTION_INTO(job.distances)},
    {"nearest", "FILE.npy",
     "closest points of lines and polygons, float64, queries x 2k\n"
     "Degrees for geodesic and great-circle; nan where a neighbor is missing.",
     GV_OPTION_INTO(job.nearest)},
    {"offsets", "FILE.npy",
     "with --radius and an array OUT: start of each query, int64, queries + 1\n"
     "Query i has OUT[offsets[i]:offsets[i+1]].",
     GV_OPTION_INTO(job.offsets)},
    {"id", "FIELD",
     "in a table: field of the reference's id [default: the feature id]\n"
     "Feature ids of a CSV file are its row numbers from 1.",
     GV_OPTION_INTO(job.reference.id)},
    {"query-id", "FIELD", "in a table: field of the query's id [default: the feature id]",
     GV_OPTION_INTO(job.query.id)},
    {"keep", "FIELDS", "in a table: fields of the reference to copy, separated by commas, or *",
     GV_OPTION_INTO(job.reference.keep)},
    {"query-keep", "FIELDS", "in a table: fields of the query to copy, separated by commas, or *",
     GV_OPTION_INTO(job.query.keep)},
    {"lines", NULL,
     "in a table: lines from queries to neighbors instead of the queries' points\n"
     "To the closest points of lines and polygons. On the globe the shortest lines, cut at 180 degrees.",
     GV_OPTION_INTO(job.lines)},
    {"overwrite", NULL, "replace outputs that exist\nRead-only files are refused, links are followed.",
     GV_OPTION_INTO(job.overwrite)},
    GV_OPTION_SYNC_ROW(job.sync),

    GV_OPTION_SECTION("Layers"),
    {"layer", "NAME", "layer of --reference; required if it has several",
     GV_OPTION_INTO(job.reference.layer)},
    {"query-layer", "NAME", "layer of --queries; required if it has several",
     GV_OPTION_INTO(job.query.layer)},
    {"where", "SQL", "use only the reference features that match this SQL condition",
     GV_OPTION_INTO(job.reference.where)},
    {"query-where", "SQL", "use only the query features that match this SQL condition",
     GV_OPTION_INTO(job.query.where)},
    {"reference-crs", "CRS",
     "coordinate system of --reference, in place of its own\nQueries are transformed to this system.",
     GV_OPTION_INTO(job.reference.crs)},
    {"query-crs", "CRS", "coordinate system of --queries, in place of its own",
     GV_OPTION_INTO(job.query.crs)},
    {"x", "FIELD", "column of x or longitude of --reference", GV_OPTION_INTO(job.reference.x)},
    {"y", "FIELD", "column of y or latitude", GV_OPTION_INTO(job.reference.y)},
    {"z", "FIELD", "column of z", GV_OPTION_INTO(job.reference.z)},
    {"query-x", "FIELD", "column of x or longitude of --queries", GV_OPTION_INTO(job.query.x), .rare = true},
    {"query-y", "FIELD", "column of y or latitude of --queries", GV_OPTION_INTO(job.query.y), .rare = true},
    {"query-z", "FIELD", "column of z of --queries", GV_OPTION_INTO(job.query.z), .rare = true},
    {"oo", "NAME=VALUE", "open option of the driver of --reference or of R; may be repeated",
     GV_OPTION_INTO(job.reference.open_options), .rare = true},
    {"query-oo", "NAME=VALUE", "open option of the driver of --queries; may be repeated",
     GV_OPTION_INTO(job.query.open_options), .rare = true},

    GV_OPTION_SECTION("Text files with an array"),
    {"columns", "C[,C...]",
     "columns of the coordinates of --reference, by names or numbers from 1\n"
     "Default: all columns except those without a name, and id, fid, ogc_fid, gid, objectid and index.",
     GV_OPTION_INTO(job.reference.array.columns)},
    {"query-columns", "C[,C...]", "columns of the coordinates of --queries",
     GV_OPTION_INTO(job.query.array.columns), .rare = true},
    {"header", "yes|no",
     "the first line of --reference is a header: yes or no [default: if it is not numeric]",
     GV_OPTION_ONE_OF(job.reference.array.header, headers)},
    {"query-header", "yes|no", "the first line of --queries is a header: yes or no",
     GV_OPTION_ONE_OF(job.query.array.header, headers), .rare = true},

    GV_OPTION_SECTION("Run"),
    {"backend", "NAME",
     "auto, or one of `gpuvoronoi backends` [default: auto]\nAll backends return the same result",
     GV_OPTION_INTO(job.backend), .more = GV_MORE_LIMITS_OF_POINTS},
    GV_OPTION_THREADS_ROW(job.threads),
    GV_OPTION_MEMORY_ROW(set_memory),
    {"device", "N", "number of a GPU, from `gpuvoronoi devices` [default: the first]",
     GV_OPTION_RANGE(job.device, 0, 1023)},
    {"shard-reference", NULL,
     "with mpirun: distribute the reference points over the ranks\n"
     "Default: if they need more memory than a rank has.",
     GV_OPTION_INTO(job.shard_reference), .rare = true},
    GV_OPTION_QUIET_ROW(quiet),
    {"json", NULL,
     "print summary, warnings and errors as JSON on standard output\n"
     "One object; each warning and error has a code. A progress bar is on stderr.",
     GV_OPTION_INTO(json)},
    GV_OPTION_PROGRESS_ROW(progress),
    GV_OPTION_HELP_ROWS,
};

static int set_output(void *to, char *value) {
  gv_search_job *j = &((settings *)to)->job;
  if (j->out != NULL) return cli_second_output(j->out, value, "--reference");
  j->out = value;
  return EXIT_OK;
}

const cli_syntax search_syntax = {
    .name = "search",
    .usage = "Usage: gpuvoronoi search --reference R | --reference-raster R [--queries Q] [options] OUT\n"
             "\n"
             "Writes the k nearest reference points of each query, or with --radius all within a distance. "
             "Results are\n"
             "exact; equal distances are in the order of the reference file. OUT is\n"
             "  .npy or .ivecs     an array: row numbers (from 0) of the reference file, queries x k, or -1\n"
             "  .csv or -          text (- is standard output): query, rank, reference (feature ids) and "
             "distance;\n"
             "                     of arrays query_row and row, from 0\n"
             "  .gpkg, .fgb ...    a table: query and reference (ids), rank, distance, copied fields\n",
    .details = "Arrays are int64 (.npy) or int32 (.ivecs). A table is any vector format that GDAL writes; "
               "with --id, "
               "--keep\n"
               "or --lines a .csv file is one, too. Its fields are query and reference, rank, distance, "
               "query_NAME and\n"
               "reference_NAME; reference and distance are empty where a neighbor is missing.\n",
    CLI_ROWS(table),
    .examples =
        "  gpuvoronoi search --reference base.fvecs --queries query.fvecs -k 100 found.npy\n"
        "  gpuvoronoi search --reference stations.gpkg --queries homes.gpkg --distances meters.npy "
        "nearest.csv\n"
        "  gpuvoronoi search --reference stations.gpkg --keep name,lines --queries homes.gpkg --lines "
        "ways.gpkg\n"
        "  gpuvoronoi search --reference rivers.gpkg --queries wells.csv --nearest banks.npy nearest.csv\n"
        "  gpuvoronoi search --reference shops.gpkg --queries homes.gpkg --radius 5km within.csv\n",
    .positional = set_output};

/* Sets the metric of --p. */
static int choose_power(settings *s) {
  gv_search_job *j = &s->job;
  if (s->power == 0.0) return EXIT_OK;
  if (j->has_metric) return cli_fail(EXIT_USAGE, "--metric and --p: unsupported together; use one of them");
  j->has_metric = true;
  j->metric = s->power == 1.0   ? GV_MANHATTAN
              : s->power == 2.0 ? GV_EUCLIDEAN
              : isinf(s->power) ? GV_CHEBYSHEV
                                : GV_MINKOWSKI;
  return EXIT_OK;
}

/* Options that --radius requires or excludes. */
static int check_radius(const settings *s, bool is_table) {
  const gv_search_job *j = &s->job;
  bool npy = gv_path_ends(j->out, ".npy");
  if (!j->by_radius && j->offsets == NULL) return EXIT_OK;
  if (!j->by_radius) return cli_fail(EXIT_USAGE, "--offsets: missing --radius");
  if (s->has_k) return cli_fail(EXIT_USAGE, "-k and --radius: unsupported together; use one of them");
  if (s->has_max_distance)
    return cli_fail(EXIT_USAGE, "--max-distance and --radius: unsupported together; use one of them");
  if (j->nearest != NULL) return cli_fail(EXIT_USAGE, "--nearest: unsupported with --radius");
  if (j->shard_reference) return cli_fail(EXIT_USAGE, "--shard-reference: unsupported with --radius");
  if (!is_table && gv_path_ends(j->out, ".ivecs"))
    return cli_fail(EXIT_USAGE,
                    "--radius: unsupported output (%s); use .npy with --offsets, plain .csv or a table",
                    j->out);
  if (npy && j->offsets == NULL)
    return cli_fail(EXIT_USAGE, "--radius: missing --offsets FILE.npy for the array '%s'", j->out);
  if (!npy && j->offsets != NULL)
    return cli_fail(EXIT_USAGE, "--offsets: unsupported with this output (%s); use .npy", j->out);
  return EXIT_OK;
}

/* Options that ways round barriers do not have. */
static gv_status check_barriers(gv_io *io, const gv_search_job *j) {
  const gv_excluded_option others[] = {{j->k > 1, "-k"},
                                       {j->by_radius, "--radius"},
                                       {j->box != NULL, "--box-size"},
                                       {j->boundary, "--boundary"},
                                       {j->nearest != NULL, "--nearest"},
                                       {j->lines, "--lines"},
                                       {j->shard_reference, "--shard-reference"},
                                       {!gv_job_backend_is_automatic(j->backend), "--backend"}};
  if (j->barriers.path == NULL) return GV_OK;
  return gv_options_exclude(io, "--barriers", "barriers", others, sizeof others / sizeof *others);
}

static int check_usage(const settings *s) {
  const gv_search_job *j = &s->job;
  const gv_search_source *q = &j->query, *r = &j->reference;
  const char *const arrays[][2] = {
      {"distances", j->distances}, {"nearest", j->nearest}, {"offsets", j->offsets}};
  bool raster = j->raster.source != NULL;
  if (r->path == NULL && !raster) return cli_fail(EXIT_USAGE, "missing --reference");
  if (r->path != NULL && raster)
    return cli_fail(EXIT_USAGE, "--reference and --reference-raster: unsupported together; use one of them");
  if (j->out == NULL) return cli_fail(EXIT_USAGE, "missing output file");
  bool is_table = gv_search_job_output(j) == GV_SEARCH_TABLE, stream = gv_array_is_stream(j->out);
  if (is_table && (stream || gv_path_ends(j->out, ".npy") || gv_path_ends(j->out, ".ivecs")))
    return cli_fail(EXIT_USAGE,
                    "--id, --keep and --lines: unsupported for arrays (%s); use a table, e.g. .gpkg", j->out);
  if (s->json && stream)
    return cli_fail(EXIT_USAGE, "--json: unsupported with the output '%s' on standard output; use a file",
                    j->out);
  if (is_table && j->distances != NULL)
    return cli_fail(
        EXIT_USAGE,
        "--distances: unsupported for tables, which have distances; it is for .npy and plain .csv");
  if (is_table && j->nearest != NULL)
    return cli_fail(EXIT_USAGE, "--nearest: unsupported for tables; use --lines");
  for (int i = 0; i < 3; i++)
    if (arrays[i][1] != NULL && !gv_path_ends(arrays[i][1], ".npy"))
      return cli_fail(EXIT_USAGE, "--%s: invalid extension (%s); use .npy", arrays[i][0], arrays[i][1]);
  if (check_radius(s, is_table) != EXIT_OK) return EXIT_USAGE;
  gv_io io = {.cancelled = NULL};
  gv_status status = check_barriers(&io, j);
  const gv_option_rule rules[] = {
      {j->raster.band != 1, raster, "--band", "--reference-raster"},
      {j->raster.values != NULL, raster, "--values", "--reference-raster"},
      {r->layer != NULL, !raster, "--layer", "--reference"},
      {r->where != NULL, !raster, "--where", "--reference"},
      {r->x != NULL, !raster, "--x", "--reference"},
      {r->id != NULL, !raster, "--id", "--reference"},
      {r->array.columns != NULL, !raster, "--columns", "--reference"},
      {q->array.columns != NULL, q->path != NULL, "--query-columns", "--queries"},
      {q->array.header != GV_HEADER_AUTO, q->path != NULL, "--query-header", "--queries"},
      {r->keep != NULL, !raster, "--keep", "--reference"},
      {q->layer != NULL, q->path != NULL, "--query-layer", "--queries"},
      {q->crs != NULL, q->path != NULL, "--query-crs", "--queries"},
      {q->where != NULL, q->path != NULL, "--query-where", "--queries"},
      {q->id != NULL, q->path != NULL, "--query-id", "--queries"},
      {q->keep != NULL, q->path != NULL, "--query-keep", "--queries"},
      {q->open_options != NULL, q->path != NULL, "--query-oo", "--queries"},
      {q->x != NULL, q->path != NULL, "--query-x", "--queries"},
      {j->barriers.path != NULL, q->path != NULL, "--barriers", "--queries"},
      {j->barriers.path != NULL, !raster, "--barriers", "--reference"},
      {j->barriers.layer != NULL, j->barriers.path != NULL, "--barriers-layer", "--barriers"},
      {j->barriers.open_options != NULL, j->barriers.path != NULL, "--barriers-oo", "--barriers"},
      {q->x != NULL, q->y != NULL, "--query-x", "--query-y"},
      {q->y != NULL, q->x != NULL, "--query-y", "--query-x"},
      {q->z != NULL, q->x != NULL, "--query-z", "--query-x"},
      {r->x != NULL, r->y != NULL, "--x", "--y"},
      {r->y != NULL, r->x != NULL, "--y", "--x"},
      {r->z != NULL, r->x != NULL, "--z", "--x"}};
  if (status == GV_OK) status = gv_option_rules_check(&io, rules, sizeof rules / sizeof *rules);
  return cli_wrong(status, &io);
}

void search_settings_free(settings *s) {
  gv_strings_free(s->job.reference.open_options);
  gv_strings_free(s->job.query.open_options);
  gv_strings_free(s->job.barriers.open_options);
  free(s->job.raster.values);
  free(s->job.box);
}

/* Runs the search, under mpirun together with the other ranks, and prints the report. */
static int search_command_run(settings *s, double begun) {
  gv_search_job *j = &s->job;
  gv_search_report report;
  gv_io io = {.cancelled = cli_interrupted};
  gv_cluster c = {.finish = NULL};
  bool launched = gv_launcher_ranks() > 1, first = gv_launcher_rank() == 0;
  int result = launched ? cli_open_communicator(&io, &c) : EXIT_OK;
  if (result == EXIT_OK) {
    if (cli_wants_progress(s->progress, s->quiet, s->json) && first) j->progress = cli_show_progress;
    gv_status status = gv_search_job_run(&io, j, launched ? &c : NULL, &report);
    double seconds = cli_seconds() - begun;
    if (status == GV_OK) cli_complete_progress();
    if (status != GV_OK) {
      result = cli_report_failure(&io);
    } else if (s->json && first) {
      cli_report_search_json(&report, seconds);
    } else if (!s->quiet && first) {
      cli_report_search_lines(&report, seconds);
    }
  }
  if (launched) gv_cluster_close(&io, &c);
  return result;
}

int search_command(int argc, char **argv) {
  double begun = cli_seconds();
  settings s = {
      .job = {.raster.band = 1, .k = 1, .device = -1, .backend = "auto", .max_distance.value = INFINITY}};
  gv_search_source *r = &s.job.reference, *q = &s.job.query;
  cli_read_output_mode(argc, argv);
  int result = cli_parse(&search_syntax, &s, argc, argv);
  if (result == EXIT_OK) result = check_usage(&s);
  if (result == EXIT_OK) result = choose_power(&s);
  if (result == EXIT_OK && gv_launcher_ranks() > 1) result = cli_check_launched_source(r->path);
  if (result == EXIT_OK && gv_launcher_ranks() > 1) result = cli_check_launched_source(q->path);
  if (result == EXIT_OK) result = cli_prepare();
  if (result == EXIT_OK) result = cli_read_standard_input(&r->path, s.job.memory);
  if (result == EXIT_OK) result = cli_read_standard_input(&q->path, s.job.memory);
  r->standard_input = r->path != NULL && cli_is_standard_input(r->path);
  q->standard_input = q->path != NULL && cli_is_standard_input(q->path);
  if (result == EXIT_OK) result = search_command_run(&s, begun);
  search_settings_free(&s);
  if (result == CLI_DONE) return EXIT_OK;
  return cli_reports_in_json() ? cli_end_output(result) : result;
}
