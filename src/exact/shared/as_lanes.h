/* The names that the formulas of this folder are written in, for as many numbers at a time as a vector
 * holds. */
#include "core/simd/vectors.h"

#define GV_FORMULA               GV_INLINE
#define GV_NAME(name)            vd_##name
#define GV_REAL                  vd
#define GV_MASK                  vm
#define GV_ALL(number)           vd_all(number)
#define GV_LESS(a, b)            vd_less(a, b)
#define GV_SELECT(mask, yes, no) vd_select(mask, yes, no)
#define GV_SQRT(a)               vd_sqrt(a)
#define GV_ABS(a)                vd_abs(a)
#define GV_MIN(a, b)             vd_min(a, b)
#define GV_MAX(a, b)             vd_max(a, b)
#define GV_FMA_LOOSE(a, b, c)    vd_fma_loose(a, b, c)
