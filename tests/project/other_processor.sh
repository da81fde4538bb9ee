#!/bin/bash
# Compiles the whole library for 64-bit ARM, where none of the x86 kernels exist, and has it answer the questions of answers.c,
# emulated: the same lines as here. PROJ's headers are the host's: they are the same on every processor. There is no library of
# it, so nothing is asked that needs its geodesics, and a call of them ends the program.
# other_processor.sh SOURCE WORK PROJ_INCLUDE_DIR ANSWERS
set -euo pipefail
source=$1 work=$2 include=$3 answers=$4
compiler=aarch64-linux-gnu-gcc
command -v $compiler >/dev/null || {
  echo "skipped: no $compiler (package gcc-aarch64-linux-gnu)"
  exit 77
}
rm -rf "$work"
. "$source/tests/project/headers_of_proj.sh" "$include" "$work/proj"
cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
  -DCMAKE_C_COMPILER=$compiler -DPROJ_DIR="$work/proj" -DBUILD_SHARED_LIBS=OFF -DGPUVORONOI_CUDA=OFF \
  -DGPUVORONOI_BUILD_CLI=OFF -DGPUVORONOI_BUILD_TESTS=OFF -DGPUVORONOI_WERROR=ON -DCMAKE_BUILD_TYPE=Release
cmake --build "$work/build"

for simd in baseline avx2 avx512; do
  GPUVORONOI_SIMD=$simd "$answers" >"$work/$simd.txt"
  cmp "$work/baseline.txt" "$work/$simd.txt"
done
command -v qemu-aarch64 >/dev/null || {
  echo "skipped: compiled, but no qemu-aarch64 to run it (package qemu-user)"
  exit 77
}
cat >"$work/no_proj.c" <<'END'
#include <geodesic.h>
void geod_init(struct geod_geodesic *g, double a, double f) {
  g->a = a, g->f = f;
}
END
# The flags that the package names for users of a static library.
read -ra flags < <(sed -n 's/^Libs: .* -lgpuvoronoi //p' "$work/build/gpuvoronoi.pc")
$compiler -std=c11 -O2 -ffp-contract=off -static -DGV_STATIC -DGV_EXPERIMENTAL -I"$source/include" -I"$source/src" \
  -I"$source/tests" -I"$work/proj/include" -o "$work/answers" "$source/tests/project/answers.c" "$work/no_proj.c" \
  "$work/build/src/libgpuvoronoi.a" -Wl,--unresolved-symbols=ignore-all "${flags[@]}"
qemu-aarch64 "$work/answers" >"$work/aarch64.txt"
cmp "$work/baseline.txt" "$work/aarch64.txt"
echo "$(wc -l <"$work/aarch64.txt") answers, the same on aarch64"
