#!/bin/bash
# Builds the library alone as a static one, without CUDA, command and tests; installs it; links a consumer both ways.
# static_library.sh SOURCE WORK COMPILER
set -euo pipefail
source=$1 work=$2 compiler=$3
here=$source/tests/project
rm -rf "$work"
cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug \
  -DBUILD_SHARED_LIBS=OFF -DGPUVORONOI_CUDA=OFF -DGPUVORONOI_BUILD_CLI=OFF -DGPUVORONOI_BUILD_TESTS=OFF \
  -DGPUVORONOI_WERROR=ON
cmake --build "$work/build"
cmake --install "$work/build" --prefix "$work/install"
shared=$(find "$work/install" -name '*.so*')
[[ -z $shared ]] || {
  echo "a static build installs shared libraries: $shared"
  exit 1
}
bash "$here/consumer_cmake.sh" "$source" "$work/install" "$work/consumer_cmake" "$compiler"
bash "$here/consumer_pkgconfig.sh" "$source" "$work/install" "$work/consumer_pkgconfig" "$compiler"
