/* The options of `gpuvoronoi search`. */
#include "cli/search_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cpl_string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "io/out/array_out.h"

typedef search_settings settings;

static const gv_choice metrics[] = {{"l2", GV_EUCLIDEAN},
                                    {"euclidean", GV_EUCLIDEAN},
                                    {"l1", GV_MANHATTAN},
                                    {"manhattan", GV_MANHATTAN},
                                    {"linf", GV_CHEBYSHEV},
                                    {"chebyshev", GV_CHEBYSHEV},
                                    {"geodesic", GV_GEODESIC},
                                    {"great-circle", GV_GREAT_CIRCLE},
                                    {NULL, 0}};

static const gv_choice edges[] = {{"straight", GV_EDGES_STRAIGHT}, {"geodesic", GV_EDGES_GEODESIC}, {NULL, 0}};

static const gv_choice headings[] = {{"yes", GV_HEADING_YES}, {"no", GV_HEADING_NO}, {NULL, 0}};

static gv_status set_max_distance(gv_io *io, void *to, const char *value) {
  settings *j = to;
  return gv_read_distance(io, "--max-distance", value, &j->max_distance, &j->max_distance_unit);
}

static gv_status set_memory(gv_io *io, void *to, const char *value) {
  return gv_read_memory(io, value, &((settings *)to)->memory);
}

static gv_status set_values(gv_io *io, void *to, const char *value) {
  settings *j = to;
  return gv_read_whole_list(io, "--values", value, &j->raster.values, &j->raster.value_count);
}

static const gv_option table[] = {
    {"reference", "FILE",
     ".npy, .npz, .fvecs, .bvecs, .ivecs, .fbin, .u8bin, .i8bin, .hdf5 (train; of queries test; --layer names "
     "others), .csv or .txt, also .gz, with numbers (--columns; "
     "the "
     "first line may be a header), or any vector source that GDAL reads, with points: x, y, and z if there is one "
     "(not "
     "on the globe); - is CSV with such columns, or GeoJSON, from the standard input. "
     "A "
     "text file with the columns lon and lat is such a source too. Where a layer has lines or polygons each "
     "feature is "
     "a reference, at the distance of its nearest point (0 within a polygon)",
     GV_OPTION_INTO(reference.path), .names_file = true},
    {"reference-raster", "R",
     "instead of --reference: the centres of a raster's cells that are neither nodata, masked nor 0; OUT holds "
     "their numbers, "
     "row by row from 0",
     GV_OPTION_INTO(raster.source), .names_file = true},
    {"band", "N", "of --reference-raster (default: 1)", GV_OPTION_RANGE(raster.band, 1, 1 << 30)},
    {"values", "V[,V...]", "only cells of R with these values", GV_OPTION_BY(set_values)},
    {"queries", "FILE",
     "the same kinds; without it the reference set is searched against itself, without each point itself",
     GV_OPTION_INTO(query.path), .names_file = true},
    {"k", "K", "number of neighbours, 1 ... 1024 (default: 1)", GV_OPTION_RANGE(k, 1, 1024)},
    {"metric", "NAME",
     "l2 (euclidean, default), l1 (manhattan), linf (chebyshev); of layers with a coordinate system also geodesic "
     "(default for longitudes and latitudes and for world-wide cylindrical maps like Web Mercator) or great-circle",
     GV_OPTION_ONE_OF(metric, metrics), GV_OPTION_AND(has_metric)},
    {"max-distance", "D",
     "only neighbours at most this far: metres for geodesic and great-circle, else the reference set's unit, or "
     "with a unit: "
     "100km, 5mi",
     GV_OPTION_BY(set_max_distance)},
    {"distances", "FILE", "distances as a float64 .npy, queries x k; inf where there is no neighbour",
     GV_OPTION_INTO(distances)},
    {"nearest", "FILE",
     "among lines and polygons: the coordinates of their nearest points as a float64 .npy, queries x 2k; degrees "
     "for "
     "geodesic and great-circle; nan where there is no neighbour",
     GV_OPTION_INTO(nearest)},
    {"edges", "NAME",
     "of lines and polygons: straight (default: in the layer's own coordinates, longitudes as they are written) or "
     "geodesic (the shorter way between vertices)",
     GV_OPTION_ONE_OF(edges, edges)},
    {"boundary", NULL, "polygons count as their boundaries, with nothing within", GV_OPTION_INTO(boundary)},
    {"layer", "NAME", "layer of the reference set, needed if its source has several",
     GV_OPTION_INTO(reference.layer)},
    {"query-layer", "NAME", "layer of the queries, needed if their source has several",
     GV_OPTION_INTO(query.layer)},
    {"where", "SQL", "use only the reference layer's features that fulfil this", GV_OPTION_INTO(reference.where)},
    {"query-where", "SQL", "use only the queries' features that fulfil this", GV_OPTION_INTO(query.where)},
    {"x", "FIELD", "columns of the reference layer that hold x, ...", GV_OPTION_INTO(reference.x)},
    {"y", "FIELD", "... y ...", GV_OPTION_INTO(reference.y)},
    {"z", "FIELD", "... and z", GV_OPTION_INTO(reference.z)},
    {"query-x", "FIELD", "columns of the queries' layer that hold x, ...", GV_OPTION_INTO(query.x)},
    {"query-y", "FIELD", "... y ...", GV_OPTION_INTO(query.y)},
    {"query-z", "FIELD", "... and z", GV_OPTION_INTO(query.z)},
    {"columns", "C[,C...]",
     "of text that is an array: its coordinates, by names of the heading or numbers from 1 (default: all columns "
     "but those called id, fid, "
     "ogc_fid, gid, objectid or index, or without a name)",
     GV_OPTION_INTO(reference.array.columns)},
    {"query-columns", "C[,C...]", "the same of the queries", GV_OPTION_INTO(query.array.columns)},
    {"header", "yes|no",
     "the first line of text is a heading (yes) or a point (no; default: a heading where it is not of numbers)",
     GV_OPTION_ONE_OF(reference.array.heading, headings)},
    {"query-header", "yes|no", "the same of the queries, yes or no",
     GV_OPTION_ONE_OF(query.array.heading, headings)},
    {"oo", "NAME=VALUE", "open option of the driver of the reference layer, or of R, may be repeated",
     GV_OPTION_INTO(reference.open_options)},
    {"query-oo", "NAME=VALUE", "the same of the queries'", GV_OPTION_INTO(query.open_options)},
    {"id", "FIELD",
     "in a table: the reference point's id (default: the feature id; a CSV file's rows count from 1)",
     GV_OPTION_INTO(reference.id)},
    {"query-id", "FIELD", "the same of the query", GV_OPTION_INTO(query.id)},
    {"keep", "FIELDS",
     "in a table: these attributes of the reference point, with commas between them, or * for all",
     GV_OPTION_INTO(reference.keep)},
    {"query-keep", "FIELDS", "the same of the query", GV_OPTION_INTO(query.keep)},
    {"lines", NULL,
     "in a table: lines from queries to neighbours (to the nearest points of lines and polygons), on the globe the "
     "shortest, cut at 180 degrees (default: the "
     "queries' points)",
     GV_OPTION_INTO(lines)},
    {"skip-invalid", NULL, "leave out points without usable coordinates, and say how many",
     GV_OPTION_INTO(skip_invalid)},
    {"reference-crs", "CRS",
     "coordinate system of the reference layer, in place of its own; queries are brought to this system",
     GV_OPTION_INTO(reference.crs)},
    {"query-crs", "CRS", "coordinate system of the layer of queries, in place of its own",
     GV_OPTION_INTO(query.crs)},
    {"backend", "NAME", "auto (default) or one of `gpuvoronoi backends`; all give the same result",
     GV_OPTION_INTO(backend), .more = GV_MORE_LIMITS_OF_POINTS},
    GV_OPTION_THREADS_ROW(threads),
    {"memory", "SIZE", "largest standard input, e.g. 512M or 4G (default: a quarter of the memory, at most 1 GiB)",
     GV_OPTION_BY(set_memory), .numbers = 1},
    {"device", "N", "GPU for the CUDA backends, as `gpuvoronoi devices` numbers them (default: the first)",
     GV_OPTION_RANGE(device, 0, 1023)},
    {"shard-reference", NULL,
     "under mpirun: each rank has some of the reference points, not all of them (default: where they need more "
     "memory "
     "than a rank has)",
     GV_OPTION_INTO(shard_reference)},
    {"overwrite", NULL, "replace OUT and FILE if they exist, unless they are read-only; links are followed",
     GV_OPTION_INTO(overwrite)},
    GV_OPTION_SYNC_ROW(sync),
    {"quiet", NULL, "no warnings and no summary at the end", GV_OPTION_INTO(quiet)},
    {"json", NULL,
     "summary, warnings and errors as one JSON object on the standard output, with a code each; a bar is on stderr "
     "then",
     GV_OPTION_INTO(json)},
    {"progress", NULL, "show a progress bar", GV_OPTION_INTO(progress)},
    GV_OPTION_HELP_ROW,
};

static int set_output(void *to, char *value) {
  settings *j = to;
  if (j->out != NULL) return cli_fail(EXIT_USAGE, "one output is enough: '%s' and '%s'", j->out, value);
  j->out = value;
  return EXIT_OK;
}

const cli_syntax search_syntax = {
    .name = "search",
    .usage =
        "Usage: gpuvoronoi search --reference R | --reference-raster R [--queries Q] [options] OUT\n"
        "\n"
        "Finds, for every query, the k nearest reference points: exactly, equal distances in the order of the\n"
        "reference file. OUT is an int64 array of rows (from 0) of the reference file, queries x k, as .npy or\n"
        "as int32 .ivecs; or text with the columns query, rank, index, distance if it ends in .csv or is - (the\n"
        "standard output). -1 stands for a neighbour that\n"
        "does not exist. Of layers it is a table, if it has the ending of another vector format (.gpkg, .fgb,\n"
        ".geojson, .parquet ...) or --id, --keep or --lines ask for one: query and reference (their ids), rank\n"
        "and distance, attributes as query_NAME and reference_NAME; empty where a neighbour does not exist.\n",
    CLI_ROWS(table),
    .examples =
        "  gpuvoronoi search --reference base.fvecs --queries query.fvecs -k 100 found.npy\n"
        "  gpuvoronoi search --reference stations.gpkg --queries homes.gpkg --distances metres.npy nearest.csv\n"
        "  gpuvoronoi search --reference stations.gpkg --keep name,lines --queries homes.gpkg --lines ways.gpkg\n"
        "  gpuvoronoi search --reference rivers.gpkg --queries wells.csv --nearest banks.npy nearest.csv\n",
    .positional = set_output};

bool cli_ends_with(const char *path, const char *end) {
  size_t length = strlen(path), tail = strlen(end);
  return length >= tail && strcasecmp(path + length - tail, end) == 0;
}

bool cli_search_writes_text(const settings *j) {
  return cli_ends_with(j->out, ".csv") || gv_array_is_stream(j->out);
}

bool cli_search_wants_table(const settings *j) {
  const source_options *q = &j->query, *r = &j->reference;
  if (j->lines || q->id != NULL || r->id != NULL || q->keep != NULL || r->keep != NULL) return true;
  return !cli_ends_with(j->out, ".npy") && !cli_ends_with(j->out, ".ivecs") && !cli_search_writes_text(j);
}

static int check_usage(const settings *j) {
  bool raster = j->raster.source != NULL;
  if (j->reference.path == NULL && !raster) return cli_fail(EXIT_USAGE, "search needs --reference");
  if (j->reference.path != NULL && raster)
    return cli_fail(EXIT_USAGE, "--reference or --reference-raster, not both");
  if (j->out == NULL) return cli_fail(EXIT_USAGE, "search needs an output file");
  if (cli_search_wants_table(j) &&
      (cli_ends_with(j->out, ".npy") || cli_ends_with(j->out, ".ivecs") || gv_array_is_stream(j->out))) {
    return cli_fail(EXIT_USAGE, "--id, --keep and --lines ask for a table: '%s' would be an array", j->out);
  }
  if (j->json && gv_array_is_stream(j->out)) {
    return cli_fail(EXIT_USAGE, "--json and the output '%s' both go to the standard output; name a file", j->out);
  }
  if (cli_search_wants_table(j) && j->distances != NULL) {
    return cli_fail(EXIT_USAGE, "--distances goes with .npy and plain .csv files: a table has its own");
  }
  if (cli_search_wants_table(j) && j->nearest != NULL) {
    return cli_fail(EXIT_USAGE, "--nearest goes with .npy and plain .csv files: in a table --lines lead there");
  }
  if (j->distances != NULL && !cli_ends_with(j->distances, ".npy")) {
    return cli_fail(EXIT_USAGE, "--distances is a .npy file, not '%s'", j->distances);
  }
  if (j->nearest != NULL && !cli_ends_with(j->nearest, ".npy")) {
    return cli_fail(EXIT_USAGE, "--nearest is a .npy file, not '%s'", j->nearest);
  }
  const source_options *q = &j->query, *r = &j->reference;
  gv_io io = {.cancelled = NULL};
  const gv_option_rule rules[] = {{j->raster.band != 1, raster, "--band", "--reference-raster"},
                                  {j->raster.values != NULL, raster, "--values", "--reference-raster"},
                                  {r->layer != NULL, !raster, "--layer", "--reference"},
                                  {r->where != NULL, !raster, "--where", "--reference"},
                                  {r->x != NULL, !raster, "--x", "--reference"},
                                  {r->id != NULL, !raster, "--id", "--reference"},
                                  {r->array.columns != NULL, !raster, "--columns", "--reference"},
                                  {q->array.columns != NULL, q->path != NULL, "--query-columns", "--queries"},
                                  {r->keep != NULL, !raster, "--keep", "--reference"},
                                  {q->layer != NULL, q->path != NULL, "--query-layer", "--queries"},
                                  {q->crs != NULL, q->path != NULL, "--query-crs", "--queries"},
                                  {q->where != NULL, q->path != NULL, "--query-where", "--queries"},
                                  {q->id != NULL, q->path != NULL, "--query-id", "--queries"},
                                  {q->keep != NULL, q->path != NULL, "--query-keep", "--queries"},
                                  {q->open_options != NULL, q->path != NULL, "--query-oo", "--queries"},
                                  {q->x != NULL, q->path != NULL, "--query-x", "--queries"},
                                  {q->x != NULL, q->y != NULL, "--query-x", "--query-y"},
                                  {q->y != NULL, q->x != NULL, "--query-y", "--query-x"},
                                  {q->z != NULL, q->x != NULL, "--query-z", "--query-x"},
                                  {r->x != NULL, r->y != NULL, "--x", "--y"},
                                  {r->y != NULL, r->x != NULL, "--y", "--x"},
                                  {r->z != NULL, r->x != NULL, "--z", "--x"}};
  return cli_wrong(gv_option_rules_check(&io, rules, sizeof rules / sizeof *rules), &io);
}

void cli_search_free(settings *j) {
  CSLDestroy(j->reference.open_options);
  CSLDestroy(j->query.open_options);
  free(j->raster.values);
}

int cli_search_parse(settings *j, int argc, char **argv) {
  int result = cli_parse(&search_syntax, j, argc, argv);
  return result == EXIT_OK ? check_usage(j) : result;
}
