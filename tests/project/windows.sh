#!/bin/bash
# Compiles the library for Windows, without command and GDAL, and has it answer the questions of answers.c under Wine: the same lines
# as here. PROJ's headers are the host's, and its library is not there: nothing is asked that needs its geodesics.
# windows.sh SOURCE WORK PROJ_INCLUDE_DIR ANSWERS
set -euo pipefail
source=$1 work=$2 include=$3 answers=$4
compiler=x86_64-w64-mingw32-gcc-posix
command -v $compiler >/dev/null || {
  echo "skipped: no $compiler (package gcc-mingw-w64-x86-64-posix)"
  exit 77
}
rm -rf "$work"
. "$source/tests/project/headers_of_proj.sh" "$include" "$work/proj"
cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_SYSTEM_PROCESSOR=x86_64 -DCMAKE_C_COMPILER=$compiler \
  -DPROJ_DIR="$work/proj" -DBUILD_SHARED_LIBS=OFF -DGPUVORONOI_CUDA=OFF -DGPUVORONOI_BUILD_CLI=OFF -DGPUVORONOI_BUILD_TESTS=OFF \
  -DGPUVORONOI_WERROR=ON -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="-O1 -DNDEBUG"
cmake --build "$work/build" --target gpuvoronoi

{
  printf '#include <geodesic.h>\n#include <stdlib.h>\nvoid geod_init(struct geod_geodesic *g, double a, double f) { g->a = a, g->f = f; }\n'
  x86_64-w64-mingw32-nm "$work/build/src/libgpuvoronoi.a" | sed -n 's/^ *U \(geod_.*\)/\1/p' | sort -u | grep -vx geod_init |
    sed 's/.*/void missing_&(void) __asm__("&");\nvoid missing_&(void) { abort(); }/'
} >"$work/no_proj.c"
# The flags that the package names for users of a static library.
read -ra flags < <(sed -n 's/^Libs: .* -lgpuvoronoi //p' "$work/build/gpuvoronoi.pc")
$compiler -std=gnu11 -O1 -ffp-contract=off -static -D_GNU_SOURCE -DGV_STATIC -DGV_EXPERIMENTAL -I"$source/include" -I"$source/src" -I"$source/tests" -I"$work/proj/include" \
  -o "$work/answers.exe" "$source/tests/project/answers.c" "$work/no_proj.c" "$work/build/src/libgpuvoronoi.a" "${flags[@]}"
for wine in wine64 wine /usr/lib/wine/wine64; do
  command -v $wine >/dev/null && break
done
command -v $wine >/dev/null || {
  echo "skipped: compiled, but no Wine to run it (package wine64)"
  exit 77
}
GPUVORONOI_SIMD=baseline "$answers" >"$work/here.txt"
mkdir -p "$work/home"
HOME=$work/home WINEPREFIX=$work/home/wine WINEDEBUG=-all $wine "$work/answers.exe" | tr -d '\r' >"$work/windows.txt"
cmp "$work/here.txt" "$work/windows.txt"
echo "$(wc -l <"$work/windows.txt") answers, the same on Windows"
