/*
 * Selects kernels. The kind of a raster is fixed when it is opened; kernels have it as constants. The
 * lists below name all kinds of raster that kernels are compiled for. dispatch() calls a function with a
 * constant for each of its choices, so that the choices of one call are the variants of the kernel that it
 * launches:
 *
 *   dispatch([&](auto kind, auto side) { leaf<kind.form, side.value><<<...>>>(...); },
 *            choose_kind(raster, plane_kinds()), choose<16, 32>(side));
 */
#ifndef GV_DISPATCH_CUH
#define GV_DISPATCH_CUH

#include <type_traits>

#include "voronoi/gpu/raster_state.cuh"

namespace gv {

template <int FORM, int NORM, bool GEODESIC> struct kind {
  static constexpr int form = FORM, norm = NORM;
  static constexpr bool geodesic = GEODESIC;
};

template <class... KINDS> struct kinds {};

using plane_kinds =
    kinds<kind<PLANE, SQUARE, false>, kind<PLANE, SUM, false>, kind<PLANE, LARGEST, false>,
          kind<ROTATED, SQUARE, false>, kind<ROTATED, SUM, false>, kind<ROTATED, LARGEST, false>>;
using globe_kinds = kinds<kind<GLOBE, SQUARE, false>, kind<GLOBE, SQUARE, true>,
                          kind<TRIANGLES, SQUARE, false>, kind<TRIANGLES, SQUARE, true>>;
using mesh_kinds = kinds<kind<MESH, SQUARE, false>, kind<MESH, SQUARE, true>, kind<PLACES, SQUARE, false>,
                         kind<PLACES, SQUARE, true>>;
/* Kinds that the float filter of rasters supports. */
using filter_kinds = kinds<kind<PLANE, SQUARE, false>, kind<GLOBE, SQUARE, false>, kind<GLOBE, SQUARE, true>>;

template <class... A, class... B, class... C>
constexpr kinds<A..., B..., C...> joined(kinds<A...>, kinds<B...>, kinds<C...>) {
  return {};
}
using all_kinds = decltype(joined(plane_kinds(), globe_kinds(), mesh_kinds()));

/* One of a few types that represent constants; `number` selects one. */
template <class... CASES> struct choice { int number; };

template <int VALUE> using constant = std::integral_constant<int, VALUE>;

/* The kind of a raster among those of a list. */
template <class... KINDS> static choice<KINDS...> choose_kind(const gv_cuda_raster *raster, kinds<KINDS...>) {
  const int form = raster->form, norm = raster->norm;
  const bool geodesic = raster->v->cells.metric == GV_GEODESIC;
  int number = 0;
  (void)((KINDS::form == form && KINDS::norm == norm && KINDS::geodesic == geodesic ? true
                                                                                    : (number++, false)) ||
         ...);
  return {number};
}

template <int... VALUES> static choice<constant<VALUES>...> choose(int value) {
  int number = 0;
  (void)((VALUES == value ? true : (number++, false)) || ...);
  return {number};
}

/* The first that is `value` at least. */
template <int... VALUES> static choice<constant<VALUES>...> choose_at_least(int value) {
  int number = 0;
  (void)((VALUES >= value ? true : (number++, false)) || ...);
  return {number};
}

/* Number of nearest seeds that a leaf keeps: k, rounded up to one of a few values, and one more for geodesics
 * (used by in_doubt). */
static inline choice<constant<1>, constant<4>, constant<8>, constant<MOST_NEIGHBORS>> choose_k(int k) {
  return choose_at_least<1, 4, 8, MOST_NEIGHBORS>(k);
}

static constexpr int kept_k(int k, bool geodesic) {
  return k > 1 && geodesic ? k + 1 : k;
}

/* Calls with the selected case; the last one is also used for values that are in no list. */
template <class CALL, class FIRST, class... REST>
static void call_with(choice<FIRST, REST...> which, CALL call) {
  if constexpr (sizeof...(REST) > 0) {
    if (which.number > 0) {
      call_with(choice<REST...>{which.number - 1}, call);
      return;
    }
  }
  call(FIRST());
}

template <class CALL, class FIRST> static void dispatch(CALL call, FIRST first) {
  call_with(first, call);
}

template <class CALL, class FIRST, class SECOND, class... REST>
static void dispatch(CALL call, FIRST first, SECOND second, REST... rest) {
  call_with(first, [&](auto chosen) {
    dispatch([&](auto... others) { call(chosen, others...); }, second, rest...);
  });
}

} // namespace gv

#endif
