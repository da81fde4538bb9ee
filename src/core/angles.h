/* Constants of angles, for CPUs and GPUs. */
#ifndef GV_ANGLES_H
#define GV_ANGLES_H

#define GV_PI     3.14159265358979323846
#define GV_DEGREE (GV_PI / 180.0) /* in radians */

#endif
