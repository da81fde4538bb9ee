/* Points as WKT that reads back: OGR's rounds coordinates to 15 digits or decimals. */
#ifndef GV_IO_POINT_TEXT_H
#define GV_IO_POINT_TEXT_H

enum { GV_POINT_TEXT = 80 };

/* A finite point, its coordinates with the fewer of 15 and 17 significant digits that are the number itself
 * when they are read. From 10^-8 to 10^15 they have no exponent. */
void gv_point_text(double x, double y, char text[GV_POINT_TEXT]);

#endif
