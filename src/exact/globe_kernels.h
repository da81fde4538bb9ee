/* Positions on the globe, many at a time. One source, compiled for each instruction set. */
#ifndef GV_GLOBE_KERNELS_H
#define GV_GLOBE_KERNELS_H

#include "exact/globe.h"

/* eccentricity2 < 0 means the unit sphere. */
typedef struct gv_globe_kernels {
  void (*sincos)(int64_t n, const double *degrees, double *sine, double *cosine);
  void (*meridian)(double eccentricity2, int64_t n, const double *sine, const double *cosine, double *p,
                   double *z);
  void (*vectors)(double eccentricity2, int64_t n, const double *lon, const double *lat, double *x, double *y,
                  double *z);
  /*
   * Normalized means of the corners of the triangles of a mesh leaf (see mesh.h), in packed order. sine,
   * cosine: of the latitudes of its side + 1 rows of vertices, then of the longitudes of the vertices, row by
   * row; readable 8 values past their end. x, y, z: writable 8 values past theirs.
   */
  void (*centers)(bool down, int32_t side, const double *sine, const double *cosine, double *x, double *y,
                  double *z);
  /*
   * Centers of pixels of one face of HEALPix (cells/healpix.c), a multiple of 8: sines and cosines of their
   * latitudes on the sphere, and longitudes in degrees. `top`, `side`: ring, and the remainder of jp modulo
   * nr, of the pixel with x = y = 0; in the others they are less by x + y, or more by x - y. `turn`: nr's
   * factor in jp.
   */
  void (*healpix)(double nside, double top, double side, double turn, int pixels, const double *sums,
                  const double *differences, double *sine, double *cosine, double *lon);
} gv_globe_kernels;

GV_KERNEL_TABLE(gv_globe_kernels);

#endif
