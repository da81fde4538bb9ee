#!/bin/bash
# Compiles the whole library for 64-bit ARM, where none of the x86 kernels exist. PROJ's headers are the host's: they
# are the same on every processor, and a static library is not linked.
# other_processor.sh SOURCE WORK PROJ_INCLUDE_DIR
set -euo pipefail
source=$1 work=$2 include=$3
compiler=aarch64-linux-gnu-gcc
command -v $compiler >/dev/null || {
  echo "skipped: no $compiler (package gcc-aarch64-linux-gnu)"
  exit 77
}
rm -rf "$work"
mkdir -p "$work/proj/include"
for header in proj.h proj_constants.h geodesic.h; do
  [[ ! -e $include/$header ]] || ln -s "$include/$header" "$work/proj/include"
done
cat >"$work/proj/proj-config.cmake" <<'END'
add_library(PROJ::proj INTERFACE IMPORTED)
set_target_properties(PROJ::proj PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_CURRENT_LIST_DIR}/include)
END
cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
  -DCMAKE_C_COMPILER=$compiler -DPROJ_DIR="$work/proj" -DBUILD_SHARED_LIBS=OFF -DGPUVORONOI_CUDA=OFF \
  -DGPUVORONOI_BUILD_CLI=OFF -DGPUVORONOI_BUILD_TESTS=OFF -DGPUVORONOI_WERROR=ON -DCMAKE_BUILD_TYPE=Debug
cmake --build "$work/build"
