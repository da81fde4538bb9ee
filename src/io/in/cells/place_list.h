/* The longitude and latitude arrays of a file, and the pair of them that places cells. */
#ifndef GV_IO_PLACE_LIST_H
#define GV_IO_PLACE_LIST_H

#include <gdal.h>

#include "io/io.h"

/* A longitude or latitude array. */
typedef struct gv_place_array {
  GDALMDArrayH array;
  int which; /* 0 = longitudes, 1 = latitudes */
  char *name;
  char *dimensions; /* "|/y|/x" */
  int rank;         /* number of dimensions */
  int64_t count;
  bool radians;
} gv_place_array;

/* A mesh of UGRID. */
typedef struct gv_place_mesh {
  char *name;
  char *faces, *nodes; /* "LON LAT": face_coordinates, node_coordinates; may be NULL */
  char *connectivity;  /* face_node_connectivity; may be NULL */
} gv_place_mesh;

typedef struct gv_place_list {
  GDALGroupH root;
  gv_place_array *arrays;
  int count;
  char **bounds;      /* names of arrays that are bounds of others */
  char **coordinates; /* attributes of this name, each once */
  char **data;        /* dimensions of the other arrays */
  gv_place_mesh mesh; /* the first; name NULL: none */
} gv_place_list;

/* Places of cells: a pair of arrays with the same dimensions; or with two, for all combinations (a regular
 * grid); or those of the corners of a mesh's faces. */
typedef struct gv_place_pair {
  const gv_place_array *lon, *lat;
  bool product, lon_first; /* lon_first: longitudes change slowest */
  const char *connectivity;
} gv_place_pair;

/* The arrays of the root group. To be freed in any case. */
gv_status gv_place_list_read(gv_io *io, GDALGroupH root, gv_place_list *out);
void gv_place_list_free(gv_place_list *list);

/* The pair that a variable of the file has, by CF's attribute `coordinates` or by UGRID's location; NULL: the
 * pair of the cells, with a note if there are others. out->lon is NULL if there is none. */
gv_status gv_place_list_choose(gv_io *io, const char *source, const gv_place_list *list, const char *variable,
                               gv_place_pair *out);

#endif
