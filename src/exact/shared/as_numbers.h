/*
 * The names that the formulas of this folder are written in, for one number at a time, on processors and
 * GPUs. A formula is a file without a guard, included once for each meaning of the names.
 */
#include "core/both.h"

#define GV_FORMULA               GV_BOTH
#define GV_NAME(name)            gv_##name
#define GV_REAL                  double
#define GV_MASK                  bool /* type of a comparison's result */
#define GV_ALL(number)           (number)
#define GV_LESS(a, b)            ((a) < (b))
#define GV_SELECT(mask, yes, no) ((mask) ? (yes) : (no))
#define GV_SQRT(a)               sqrt(a)
#define GV_ABS(a)                fabs(a)
#define GV_MIN(a, b)             gv_smaller(a, b)
#define GV_MAX(a, b)             gv_larger(a, b)
#ifdef __CUDA_ARCH__ /* a * b + c with one rounding or two: only where a margin covers the difference */
#define GV_FMA_LOOSE(a, b, c) fma(a, b, c)
#else
#define GV_FMA_LOOSE(a, b, c) ((a) * (b) + (c))
#endif
