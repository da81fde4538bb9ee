/* Bounds of the places of many cells: what tiles of a grid and parts of the mesh are culled by. */
#ifndef GV_BOUND_H
#define GV_BOUND_H

#ifdef __cplusplus
extern "C" {
#endif

/* Tables are padded so that a vector kernel may read this many entries past their end. */
enum { GV_TABLE_PADDING = 64 };

/* A zonotope that holds the canonical position of every cell of a tile or a part of the mesh: centre + sum t_k generator[k], |t_k| <= 1.
 * (A box in the directions of the generators.) On the plane the third coordinate and generator are zero. */
typedef struct gv_bound {
  double centre[3];
  double generator[3][3];
  double radius;                     /* >= the distance of any of its points from the centre */
  double extent_across, extent_down; /* lengths of the half axes along columns and rows */
} gv_bound;

/*
 * A piece of the globe between two parallels and two meridians. Angles in radians; `curvature` as in gv_cells.
 */
typedef struct gv_globe_piece {
  double half_width; /* from the middle meridian */
  double span;       /* of latitude */
  double curvature;
  double p[2], z[2];       /* of the two parallels */
  double sin_lat, cos_lat; /* any latitude to take directions at, best in the middle */
  double sin_lon, cos_lon; /* of the middle meridian */
  double pad;              /* to be added on all sides */
} gv_globe_piece;

/* A zonotope that holds it. */
void gv_globe_bound(const gv_globe_piece *piece, gv_bound *out);

#ifdef __cplusplus
}
#endif

#endif
