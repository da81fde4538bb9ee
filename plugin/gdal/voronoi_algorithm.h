// The algorithm `gdal raster voronoi` (docs/gdal.md); GDAL has algorithms since 3.11.
#ifndef VORONOI_ALGORITHM_H
#define VORONOI_ALGORITHM_H

// Declares it to GDAL, once; does nothing with older GDAL.
void VoronoiDeclareAlgorithm();

#endif
