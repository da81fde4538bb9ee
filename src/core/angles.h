/* Constants of angles, for CPUs and GPUs. */
#ifndef GV_ANGLES_H
#define GV_ANGLES_H

#define GV_PI     3.14159265358979323846
#define GV_DEGREE (GV_PI / 180.0) /* in radians */

/* An azimuth of -360 ... 360 degrees as one of 0 ... 360; gv_reported_azimuth rounds it. */
static inline double gv_turned_azimuth(double degrees) {
  return (degrees < 0.0 ? degrees + 360.0 : degrees) + 0.0;
}

#endif
