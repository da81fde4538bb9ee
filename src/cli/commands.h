/*
 * The commands of the gpuvoronoi program. Each takes the arguments after its name, ended by NULL, and returns the
 * exit status: 0, 1 for an error, 2 for wrong usage, 130 and 143 when interrupted.
 */
#ifndef GV_CLI_COMMANDS_H
#define GV_CLI_COMMANDS_H

typedef int (*command_fn)(int argc, char **argv);

/* gpuvoronoi --seeds SRC ... OUT: the main job, which has no name of its own. */
int voronoi_command(int argc, char **argv);
/* gpuvoronoi bench BENCHMARK */
int bench_command(int argc, char **argv);
/* gpuvoronoi backends */
int backends_command(int argc, char **argv);
/* gpuvoronoi bench facility, bench qtm, bench raster, bench search */
int bench_facility_command(int argc, char **argv);
int bench_qtm_command(int argc, char **argv);
int bench_raster_command(int argc, char **argv);
int bench_search_command(int argc, char **argv);
/* gpuvoronoi search: nearest neighbours of points in files */
int search_command(int argc, char **argv);
/* gpuvoronoi devices */
int devices_command(int argc, char **argv);
/* gpuvoronoi qtm encode|decode|neighbors|info */
int qtm_command(int argc, char **argv);

#endif
