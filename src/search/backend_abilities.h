/*
 * What each backend computes, and where it runs, for listings. No functions of the library are needed, so that the command can use them
 * too. The test of the registry (voronoi/backends.c) compares both.
 */
#ifndef GV_BACKEND_ABILITIES_H
#define GV_BACKEND_ABILITIES_H

#include "search/backend.h"

typedef struct gv_backend_abilities {
  bool gpu;      /* computes on GPUs, else on CPUs */
  bool radius;   /* searches by radius itself; where it does not, a backend of CPUs does */
  bool lists;    /* grids of HEALPix, S2 and lists of places */
  bool features; /* grids with lines and polygons as seeds */
  bool cost;     /* travel cost */
} gv_backend_abilities;

/* Of the backend with this number in the order of gv_backend_get. */
static inline gv_backend_abilities gv_backend_abilities_of(int number) {
  switch ((gv_backend_number)number) {
  case GV_BACKEND_SERIAL:
    return (gv_backend_abilities){.radius = true, .lists = true, .features = true, .cost = true};
  case GV_BACKEND_OPENMP:
    return (gv_backend_abilities){.radius = true, .lists = true, .features = true};
  case GV_BACKEND_KDTREE:
  case GV_BACKEND_OCTREE:
    return (gv_backend_abilities){.radius = true, .lists = true};
  case GV_BACKEND_CUDA_KDTREE:
  case GV_BACKEND_CUDA_OCTREE:
    return (gv_backend_abilities){.gpu = true, .radius = true, .lists = true};
  case GV_BACKEND_TILE:
    return (gv_backend_abilities){.lists = true, .features = true, .cost = true};
  case GV_BACKEND_CUDA_TILE:
    return (gv_backend_abilities){.gpu = true, .cost = true};
  default:
    return (gv_backend_abilities){.gpu = true, .lists = true};
  }
}

#endif
