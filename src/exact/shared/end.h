/* Forgets the names of as_numbers.h or as_lanes.h. */
#undef GV_FORMULA
#undef GV_NAME
#undef GV_REAL
#undef GV_MASK
#undef GV_ALL
#undef GV_LESS
#undef GV_SELECT
#undef GV_SQRT
#undef GV_ABS
#undef GV_MIN
#undef GV_MAX
#undef GV_FMA_LOOSE
